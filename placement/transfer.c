/* SPDX-License-Identifier: Apache-2.0 */
/* What one rank sends and receives of each signal. */
#include "placement/assignment.h"
#include "placement/signal.h"

static const struct placed *placed_in(struct value end)
{
    return end.state == VALUE_KNOWN ? end.u.object : NULL;
}

/* What instance rank `from` of an end of from_size sends to each of to_size. */
static int make_sends(struct arena *arena, struct transfer *t, uint32_t from,
                      bool same, struct error *err)
{
    uint32_t *workers =
        arena_array(arena, (size_t)t->from_size + t->to_size, sizeof(*workers));
    const uint64_t rows = t->to_size; /* of each sender, in units */
    struct signal signal = {
        .sharded = t->sharded,
        .rows = &rows,
        .n_tensors = 1,
    };
    struct signal_sends sends;
    struct send *targets;

    if (workers == NULL)
        return error_exhausted(err);
    for (uint32_t i = 0; i < t->from_size + t->to_size; i++)
        workers[i] = i;
    signal.from = (struct signal_end){ workers, t->from_size };
    signal.to = (struct signal_end){
        same ? workers : workers + t->from_size,
        t->to_size,
    };
    if (signal_fan_out(arena, &signal, from, &sends, NULL, err) < 0)
        return -1;
    targets = arena_array(arena, sends.count + 1, sizeof(*targets));
    if (targets == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < sends.count; i++) {
        const struct signal_send *send = &sends.items[i];

        targets[i] =
            (struct send){ .to_rank = send->to_rank, .whole = send->whole };
        if (!send->whole) {
            targets[i].begin = send->slices[0].begin;
            targets[i].end = send->slices[0].end;
            targets[i].local_begin = send->slices[0].local_begin;
        }
    }
    t->targets = targets;
    t->n_targets = sends.count;
    return 0;
}

static uint32_t span_of(const struct placed *placed)
{
    return placed->scope->instance > 0 ? placed->scope->instance : 1;
}

static int make_transfer(struct check *check, struct arena *arena,
                         const struct placed *placed,
                         const struct node_shard *shard,
                         const struct signal_item *item, struct transfer *t,
                         struct error *err)
{
    const struct placed *from = placed_in(item->source);
    const struct placed *to = placed_in(item->target);

    *t = (struct transfer){
        .signal = item->signal,
        .walk = check->model->walks[item->signal->walk].name,
        .sharded = item->dim >= 0,
        .dim = item->dim,
        .from_size = span_of(from),
        .to_size = span_of(to),
        .from_group = from->scope->group->index,
        .to_group = to->scope->group->index,
        .sends = from == placed,
        .receives = to == placed,
    };
    if (t->sends && make_sends(arena, t, shard->instance_rank,
                               from->scope == to->scope, err) < 0)
        return -1;
    if (t->receives)
        return signal_fan_in(t->from_size, t->to_size, shard->instance_rank,
                             t->sharded, &t->fan_in, err);
    return 0;
}

int transfers_make(struct check *check, struct arena *arena,
                   const struct placed *placed, struct node_shard *shard,
                   struct error *err)
{
    struct value signals = check_signals(check);
    struct transfer *all = arena_array(arena, signals.count + 1, sizeof(*all));
    size_t n = 0;

    if (all == NULL)
        return error_exhausted(err);
    for (uint32_t i = 0; i < signals.count; i++) {
        const struct signal_item *item = signals.u.items[i].u.object;
        const struct placed *from = placed_in(item->source);
        const struct placed *to = placed_in(item->target);

        if (from == NULL || to == NULL || (from != placed && to != placed))
            continue;
        if (make_transfer(check, arena, placed, shard, item, &all[n++], err) <
            0)
            return -1;
    }
    shard->transfers = all;
    shard->n_transfers = n;
    return 0;
}
