/* SPDX-License-Identifier: Apache-2.0 */
/* One rank's assignment as the document that a worker gets. */
#include "placement/assignment.h"

static void write_share(struct tree_maker *maker, struct tree *list,
                        const struct share *share)
{
    struct tree *map = make_map(maker, list, NULL), *range;

    make_string(maker, map, "what", share->what);
    if (share->resource != NULL)
        make_string(maker, map, "resource", share->resource);
    make_string(maker, map, "rule", share->rule);
    make_int(maker, map, "parts", share->parts);
    make_int(maker, map, "part", share->part);
    if (!share->has_range)
        return;
    make_int(maker, map, "total", (int64_t)share->total);
    range = make_list(maker, map, "range");
    make_int(maker, range, NULL, (int64_t)share->range.begin);
    make_int(maker, range, NULL, (int64_t)share->range.end);
}

static void write_sends(struct tree_maker *maker, struct tree *map,
                        const struct transfer *t)
{
    struct tree *list = make_list(maker, map, "sends");

    for (size_t i = 0; i < t->n_targets; i++) {
        struct tree *send = make_map(maker, list, NULL);

        make_int(maker, send, "to_rank", t->targets[i].to_rank);
        if (t->targets[i].whole)
            continue;
        make_int(maker, send, "begin", (int64_t)t->targets[i].begin);
        make_int(maker, send, "end", (int64_t)t->targets[i].end);
        make_int(maker, send, "local_begin",
                 (int64_t)t->targets[i].local_begin);
    }
}

static void write_transfer(struct tree_maker *maker, struct tree *list,
                           const struct transfer *t)
{
    struct tree *map = make_map(maker, list, NULL);

    make_string(maker, map, "name", t->signal->name);
    make_string(maker, map, "walk", t->walk);
    if (t->sharded)
        make_int(maker, map, "dim", t->dim);
    make_int(maker, map, "from_group", t->from_group);
    make_int(maker, map, "from_size", t->from_size);
    if (t->to_group >= 0)
        make_int(maker, map, "to_group", t->to_group);
    make_int(maker, map, "to_size", t->to_size);
    if (t->sharded)
        make_int(maker, map, "units", (int64_t)t->from_size * t->to_size);
    if (t->sends)
        write_sends(maker, map, t);
    if (t->receives)
        make_int(maker, map, "fan_in", t->fan_in);
}

static void write_node(struct check *check, const struct node_shard *shard,
                       struct tree_maker *maker, struct tree *list)
{
    struct tree *map = make_map(maker, list, NULL), *coordinates, *sizes, *t;

    make_string(maker, map, "node", shard->node->name);
    if (!check->dep->spans)
        make_int(maker, map, "group", shard->scope->group->index);
    make_int(maker, map, "instance", shard->instance);
    make_int(maker, map, "instance_rank", shard->instance_rank);
    make_int(maker, map, "instance_size", shard->scope->instance);
    coordinates = make_map(maker, map, "coordinates");
    sizes = make_map(maker, map, "sizes");
    for (size_t i = 0; i < shard->n_coordinates; i++) {
        const struct shard_coordinate *c = &shard->coordinates[i];

        make_int(maker, coordinates, c->name, c->coordinate);
        make_int(maker, sizes, c->name, c->size);
    }
    t = make_list(maker, map, "shares");
    for (size_t i = 0; i < shard->n_shares; i++)
        write_share(maker, t, &shard->shares[i]);
    t = make_list(maker, map, "signals");
    for (size_t i = 0; i < shard->n_transfers; i++)
        write_transfer(maker, t, &shard->transfers[i]);
}

void assignment_write(struct check *check, const struct assignment *assignment,
                      struct tree_maker *maker, struct tree *map)
{
    struct tree *nodes;

    make_int(maker, map, "rank", assignment->rank);
    nodes = make_list(maker, map, "nodes");
    for (size_t i = 0; i < assignment->n_nodes; i++)
        write_node(check, &assignment->nodes[i], maker, nodes);
}
