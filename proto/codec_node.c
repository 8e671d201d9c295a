/* SPDX-License-Identifier: Apache-2.0 */
/* What one rank gets of its nodes, as wire messages. */
#include "proto/codec_parts.h"

static int fill_shares(struct arena *arena, const struct node_shard *shard,
                       Serried__V1__NodeShard *to)
{
    to->shares = arena_array(arena, shard->n_shares + 1, sizeof(*to->shares));
    for (size_t i = 0; to->shares != NULL && i < shard->n_shares; i++) {
        const struct share *share = &shard->shares[i];
        Serried__V1__Share *s =
            codec_new(arena, &serried__v1__share__descriptor);

        if (s == NULL)
            return -1;
        to->shares[to->n_shares++] = s;
        s->what = codec_text(share->what);
        s->rule = codec_text(share->rule);
        s->resource = codec_text(share->resource);
        s->has_parts = s->has_part = true;
        s->parts = share->parts;
        s->part = share->part;
        s->has_total = s->has_begin = s->has_end = share->has_range;
        s->total = share->total;
        s->begin = share->range.begin;
        s->end = share->range.end;
    }
    return to->shares != NULL ? 0 : -1;
}

static int fill_sends(struct arena *arena, const struct transfer *transfer,
                      Serried__V1__Transfer *to)
{
    to->sends = arena_array(arena, transfer->n_targets + 1, sizeof(*to->sends));
    for (size_t i = 0; to->sends != NULL && i < transfer->n_targets; i++) {
        const struct send *target = &transfer->targets[i];
        Serried__V1__Send *s = codec_new(arena, &serried__v1__send__descriptor);

        if (s == NULL)
            return -1;
        to->sends[to->n_sends++] = s;
        s->has_to_rank = true;
        s->to_rank = target->to_rank;
        s->has_begin = s->has_end = s->has_local_begin = !target->whole;
        s->begin = target->begin;
        s->end = target->end;
        s->local_begin = target->local_begin;
    }
    return to->sends != NULL ? 0 : -1;
}

static int fill_transfers(struct arena *arena, const struct node_shard *shard,
                          Serried__V1__NodeShard *to)
{
    to->transfers =
        arena_array(arena, shard->n_transfers + 1, sizeof(*to->transfers));
    for (size_t i = 0; to->transfers != NULL && i < shard->n_transfers; i++) {
        const struct transfer *transfer = &shard->transfers[i];
        Serried__V1__Transfer *t =
            codec_new(arena, &serried__v1__transfer__descriptor);

        if (t == NULL || fill_sends(arena, transfer, t) < 0)
            return -1;
        to->transfers[to->n_transfers++] = t;
        t->signal = codec_text(transfer->signal->name);
        t->walk = codec_text(transfer->walk);
        t->has_dim = transfer->sharded;
        t->dim = transfer->sharded ? (uint32_t)transfer->dim : 0;
        t->has_from_group = t->has_to_group = true;
        t->from_group = transfer->from_group;
        t->to_group = transfer->to_group;
        t->has_from_size = t->has_to_size = true;
        t->from_size = transfer->from_size;
        t->to_size = transfer->to_size;
        t->has_fan_in = transfer->receives;
        t->fan_in = transfer->fan_in;
    }
    return to->transfers != NULL ? 0 : -1;
}

Serried__V1__NodeShard *codec_node_shard(struct arena *arena,
                                         const struct node_shard *shard)
{
    Serried__V1__NodeShard *to =
        codec_new(arena, &serried__v1__node_shard__descriptor);
    size_t n = shard->n_coordinates;

    if (to == NULL)
        return NULL;
    to->node = codec_text(shard->node->name);
    to->has_group = to->has_instance = to->has_instance_rank = true;
    to->group = (uint32_t)shard->scope->group->index;
    to->instance = shard->instance;
    to->instance_rank = shard->instance_rank;
    to->has_tp_size = true;
    to->tp_size = shard->scope->instance;
    to->coordinates = arena_array(arena, n + 1, sizeof(*to->coordinates));
    for (size_t i = 0; to->coordinates != NULL && i < n; i++) {
        Serried__V1__Coordinate *c =
            codec_new(arena, &serried__v1__coordinate__descriptor);

        if (c == NULL)
            return NULL;
        to->coordinates[to->n_coordinates++] = c;
        c->axis = codec_text(shard->coordinates[i].name);
        c->has_coordinate = c->has_size = true;
        c->coordinate = shard->coordinates[i].coordinate;
        c->size = shard->coordinates[i].size;
    }
    if (to->coordinates == NULL || fill_shares(arena, shard, to) < 0 ||
        fill_transfers(arena, shard, to) < 0)
        return NULL;
    return to;
}

int codec_no_rank(const struct check *check, uint32_t rank, struct error *err)
{
    if (!check->dep->spans)
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "no node group lists the rank %u", rank);
    return error_set(err, STATUS_UNKNOWN_NAME,
                     "there is no rank %u in the world of %zu ranks", rank,
                     check->dep->groups[0].n_ranks);
}

int codec_assignment_rank(struct check *check, struct arena *arena,
                          uint32_t rank, Serried__V1__Assignment *msg,
                          struct error *err)
{
    struct assignment assignment;

    if (assignment_make(check, arena, rank, &assignment, err) < 0)
        return -1;
    if (assignment.n_nodes == 0)
        return codec_no_rank(check, rank, err);
    msg->has_rank = true;
    msg->rank = rank;
    msg->has_listed_rank = check->dep->listed != NULL;
    msg->listed_rank = (uint32_t)deployment_listed(check->dep, rank);
    msg->nodes = arena_array(arena, assignment.n_nodes, sizeof(*msg->nodes));
    for (size_t i = 0; msg->nodes != NULL && i < assignment.n_nodes; i++) {
        msg->nodes[i] = codec_node_shard(arena, &assignment.nodes[i]);
        if (msg->nodes[i] == NULL)
            return error_exhausted(err);
        msg->n_nodes++;
    }
    return msg->nodes != NULL ? 0 : error_exhausted(err);
}
