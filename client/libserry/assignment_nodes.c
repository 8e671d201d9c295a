/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of an assignment: every number against its bounds. */
#include "client/libserry/assignment.h"

#include <inttypes.h>

#include "client/libserry/convert.h"

static bool is_named(const char *name)
{
    return name != NULL && name[0] != '\0';
}

static const struct serry_coordinate *const *
read_coordinates(struct arena *arena, const Serried__V1__NodeShard *from,
                 struct error *err)
{
    struct serry_coordinate **to =
        convert_array(arena, from->n_coordinates, sizeof(**to));

    if (to == NULL)
        error_exhausted(err);
    for (size_t i = 0; to != NULL && i < from->n_coordinates; i++) {
        const Serried__V1__Coordinate *c = from->coordinates[i];

        if (!is_named(c->axis) || c->coordinate >= c->size) {
            error_set(err, STATUS_INVALID,
                      "axis %.64s: coordinate %" PRIu32 " of %" PRIu32
                      " ranks; it is below their number",
                      convert_text(c->axis), c->coordinate, c->size);
            return NULL;
        }
        *to[i] = (struct serry_coordinate){ c->axis, c->coordinate, c->size };
    }
    return (const struct serry_coordinate *const *)to;
}

static int read_share(const Serried__V1__Share *from, struct serry_share *to,
                      struct error *err)
{
    if (!is_named(from->what) || from->part >= from->parts)
        return error_set(err, STATUS_INVALID,
                         "share of %.64s: part %" PRIu32 " of %" PRIu32
                         "; it is below their number",
                         convert_text(from->what), from->part, from->parts);
    if (from->has_total && (from->begin > from->end || from->end > from->total))
        return error_set(err, STATUS_INVALID,
                         "share of %.64s: %" PRIu64 " to %" PRIu64
                         " is no range within %" PRIu64,
                         from->what, from->begin, from->end, from->total);
    *to = (struct serry_share){
        .what = from->what,
        .rule = convert_text(from->rule),
        .resource = from->resource,
        .parts = from->parts,
        .part = from->part,
        .has_range = from->has_total,
    };
    if (from->has_total) {
        to->total = from->total;
        to->begin = from->begin;
        to->end = from->end;
    }
    return 0;
}

static const struct serry_share *const *
read_shares(struct arena *arena, const Serried__V1__NodeShard *from,
            struct error *err)
{
    struct serry_share **to =
        convert_array(arena, from->n_shares, sizeof(**to));

    if (to == NULL)
        error_exhausted(err);
    for (size_t i = 0; to != NULL && i < from->n_shares; i++)
        if (read_share(from->shares[i], to[i], err) < 0)
            return NULL;
    return (const struct serry_share *const *)to;
}

/* ---- transfers ----------------------------------------------------------- */

static const struct serry_send *const *
read_sends(struct arena *arena, const Serried__V1__Transfer *from,
           struct error *err)
{
    struct serry_send **to = convert_array(arena, from->n_sends, sizeof(**to));
    uint64_t units = (uint64_t)from->from_size * from->to_size;

    if (to == NULL)
        error_exhausted(err);
    for (size_t i = 0; to != NULL && i < from->n_sends; i++) {
        const Serried__V1__Send *s = from->sends[i];

        if (s->to_rank >= from->to_size || s->begin > s->end ||
            s->end > units || s->local_begin > units) {
            error_set(err, STATUS_INVALID,
                      "signal %.64s: the slice %" PRIu64 " to %" PRIu64
                      " for rank %" PRIu32 " is outside of %" PRIu64
                      " units or %" PRIu32 " ranks",
                      from->signal, s->begin, s->end, s->to_rank, units,
                      from->to_size);
            return NULL;
        }
        *to[i] = (struct serry_send){ s->to_rank, !s->has_begin, s->begin,
                                      s->end, s->local_begin };
    }
    return (const struct serry_send *const *)to;
}

static int read_transfer(struct arena *arena, const Serried__V1__Transfer *from,
                         struct serry_transfer *to, struct error *err)
{
    if (!is_named(from->signal))
        return error_set(err, STATUS_INVALID, "a signal has no name");
    if (from->fan_in > from->from_size)
        return error_set(err, STATUS_INVALID,
                         "signal %.64s: it comes from %" PRIu32
                         " ranks of only %" PRIu32,
                         from->signal, from->fan_in, from->from_size);
    *to = (struct serry_transfer){
        .signal = from->signal,
        .walk = convert_text(from->walk),
        .sharded = from->has_dim,
        .dim = from->dim,
        .from_group = from->has_from_group ? from->from_group : -1,
        .to_group = from->has_to_group ? from->to_group : -1,
        .from_size = from->from_size,
        .to_size = from->to_size,
        .receives = from->has_fan_in,
        .fan_in = from->fan_in,
        .n_sends = from->n_sends,
        .sends = read_sends(arena, from, err),
    };
    return to->sends != NULL ? 0 : -1;
}

static const struct serry_transfer *const *
read_transfers(struct arena *arena, const Serried__V1__NodeShard *from,
               struct error *err)
{
    struct serry_transfer **to =
        convert_array(arena, from->n_transfers, sizeof(**to));

    if (to == NULL)
        error_exhausted(err);
    for (size_t i = 0; to != NULL && i < from->n_transfers; i++)
        if (read_transfer(arena, from->transfers[i], to[i], err) < 0)
            return NULL;
    return (const struct serry_transfer *const *)to;
}

/* ---- nodes --------------------------------------------------------------- */

static int read_node(struct arena *arena, const Serried__V1__NodeShard *from,
                     struct serry_node *to, struct error *err)
{
    if (from->instance_rank >= from->tp_size)
        return error_set(err, STATUS_INVALID,
                         "instance rank %" PRIu32 " of %" PRIu32
                         " ranks; it is below their number",
                         from->instance_rank, from->tp_size);
    *to = (struct serry_node){
        .name = from->node,
        .group = from->group,
        .instance = from->instance,
        .instance_rank = from->instance_rank,
        .instance_size = from->tp_size,
        .n_coordinates = from->n_coordinates,
        .n_shares = from->n_shares,
        .n_transfers = from->n_transfers,
    };
    to->coordinates = read_coordinates(arena, from, err);
    if (to->coordinates == NULL)
        return -1;
    to->shares = read_shares(arena, from, err);
    if (to->shares == NULL)
        return -1;
    to->transfers = read_transfers(arena, from, err);
    return to->transfers != NULL ? 0 : -1;
}

int assignment_read_nodes(struct arena *arena, struct serry_assignment *a,
                          struct error *err)
{
    const Serried__V1__Assignment *message = a->message;
    struct serry_node **nodes =
        convert_array(arena, message->n_nodes, sizeof(**nodes));

    if (nodes == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < message->n_nodes; i++) {
        if (!is_named(message->nodes[i]->node))
            return error_set(err, STATUS_INVALID, "node %zu has no name", i);
        if (read_node(arena, message->nodes[i], nodes[i], err) < 0)
            return error_wrap(err, "node %.64s", message->nodes[i]->node);
    }
    a->nodes = (const struct serry_node *const *)nodes;
    a->n_nodes = message->n_nodes;
    return 0;
}
