/* SPDX-License-Identifier: Apache-2.0 */
/* An assignment as a document. */
#include "client/assignment_show.h"

static void make_share(struct tree_maker *maker, struct tree *list,
                       const struct serry_share *share)
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
    make_int(maker, range, NULL, (int64_t)share->begin);
    make_int(maker, range, NULL, (int64_t)share->end);
}

static void make_sends(struct tree_maker *maker, struct tree *map,
                       const struct serry_transfer *t)
{
    struct tree *list = make_list(maker, map, "sends");

    for (size_t i = 0; i < t->n_sends; i++) {
        const struct serry_send *from = t->sends[i];
        struct tree *send = make_map(maker, list, NULL);

        make_int(maker, send, "to_rank", from->to_rank);
        if (from->whole)
            continue;
        make_int(maker, send, "begin", (int64_t)from->begin);
        make_int(maker, send, "end", (int64_t)from->end);
        make_int(maker, send, "local_begin", (int64_t)from->local_begin);
    }
}

static void make_transfer(struct tree_maker *maker, struct tree *list,
                          const struct serry_transfer *t)
{
    struct tree *map = make_map(maker, list, NULL);

    make_string(maker, map, "name", t->signal);
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
    if (t->n_sends > 0)
        make_sends(maker, map, t);
    if (t->receives)
        make_int(maker, map, "fan_in", t->fan_in);
}

static void make_node(struct tree_maker *maker, struct tree *list,
                      const struct serry_node *node)
{
    struct tree *map = make_map(maker, list, NULL), *coordinates, *sizes, *t;

    make_string(maker, map, "node", node->name);
    make_int(maker, map, "group", node->group);
    make_int(maker, map, "instance", node->instance);
    make_int(maker, map, "instance_rank", node->instance_rank);
    make_int(maker, map, "instance_size", node->instance_size);
    coordinates = make_map(maker, map, "coordinates");
    sizes = make_map(maker, map, "sizes");
    for (size_t i = 0; i < node->n_coordinates; i++) {
        const struct serry_coordinate *c = node->coordinates[i];

        make_int(maker, coordinates, c->axis, c->coordinate);
        make_int(maker, sizes, c->axis, c->size);
    }
    t = make_list(maker, map, "shares");
    for (size_t i = 0; i < node->n_shares; i++)
        make_share(maker, t, node->shares[i]);
    t = make_list(maker, map, "signals");
    for (size_t i = 0; i < node->n_transfers; i++)
        make_transfer(maker, t, node->transfers[i]);
}

static void make_ranks(struct tree_maker *maker, struct tree *list,
                       const uint32_t *ranks, size_t n)
{
    for (size_t i = 0; i < n && !maker->failed; i++)
        make_int(maker, list, NULL, ranks[i]);
}

/* The groups that the rank is in, by list. */
static void make_groups(struct tree_maker *maker, struct tree *map,
                        const struct serry_assignment *a)
{
    struct tree *groups = make_map(maker, map, "groups");

    for (size_t i = 0; i < serry_list_count(a); i++) {
        const char *name = serry_list_name(a, i);
        struct serry_group *group;

        if (serry_group_of(a, name, serry_assignment_rank(a), &group, NULL) < 0)
            continue;
        make_ranks(maker, make_list(maker, groups, name), group->ranks,
                   group->length);
        serry_free(group);
    }
}

static int make_creation(struct live *live, struct tree_maker *maker,
                         struct tree *map, const struct serry_assignment *a,
                         struct error *err)
{
    struct tree *list = make_list(maker, map, "creation");
    struct serry_creation *creation;
    struct serry_created created;

    if (serry_creation_begin(a, &creation, &live->err) < 0)
        return live_failed(live, err);
    while (!maker->failed && serry_creation_next(creation, &created)) {
        struct tree *one = make_map(maker, list, NULL);

        make_string(maker, one, "list", created.list);
        make_string(maker, one, "backend", created.backend);
        make_ranks(maker, make_list(maker, one, "ranks"), created.ranks,
                   created.length);
    }
    serry_free(creation);
    return 0;
}

static int make_digest(struct live *live, struct tree_maker *maker,
                       struct tree *map, const struct serry_assignment *a,
                       struct error *err)
{
    struct serry_digests *digests;

    if (serry_digest(a, &digests, &live->err) < 0)
        return live_failed(live, err);
    live_make_hex(maker, map, "digest", digests->total, SERRY_DIGEST_BYTES);
    live_make_hex(maker, map, "sequence_digest", digests->sequence,
                  SERRY_DIGEST_SHORT_BYTES);
    serry_free(digests);
    return 0;
}

static void make_binding(struct tree_maker *maker, struct tree *parent,
                         const struct serry_binding *b)
{
    struct tree *map = make_map(maker, parent, "binding"), *list;

    make_string(maker, map, "host", b->host);
    list = make_list(maker, map, "address");
    for (size_t i = 0; i < b->n_addresses; i++)
        make_string(maker, list, NULL, b->addresses[i]);
    if (b->device[0] != '\0')
        make_string(maker, map, "device", b->device);
    if (b->pci[0] != '\0')
        make_string(maker, map, "pci", b->pci);
    make_int(maker, map, "index", b->index);
    if (b->numa >= 0)
        make_int(maker, map, "numa", b->numa);
    make_int(maker, map, "local_rank", b->local_rank);
    make_int(maker, map, "local_world_size", b->local_world_size);
    make_int(maker, map, "group_rank", b->group_rank);
    make_int(maker, map, "hosts", b->hosts);
    if (b->n_local_devices == 0)
        return;
    list = make_list(maker, map, "local_devices");
    for (size_t i = 0; i < b->n_local_devices; i++)
        make_string(maker, list, NULL, b->local_devices[i]);
}

void assignment_make_ports(struct tree_maker *maker, struct tree *parent,
                           const struct serry_port *ports, size_t n)
{
    struct tree *list = make_list(maker, parent, "ports");

    for (size_t i = 0; i < n; i++) {
        struct tree *map = make_map(maker, list, NULL);

        make_string(maker, map, "purpose", ports[i].purpose);
        make_int(maker, map, "port", ports[i].port);
        make_string(maker, map, "on", ports[i].on);
        if (ports[i].address[0] != '\0')
            make_string(maker, map, "address", ports[i].address);
        if (ports[i].group >= 0) {
            make_int(maker, map, "group", ports[i].group);
            make_int(maker, map, "instance", ports[i].instance);
        }
        make_bool(maker, map, "confirms", ports[i].confirms);
    }
}

int assignment_fill(struct live *live, struct tree_maker *maker,
                    struct tree *map, const struct serry_assignment *a,
                    struct error *err)
{
    struct serry_generation generation = serry_assignment_generation(a);
    const char *json = serry_assignment_carried_json(a);
    const struct tree *carried;
    const struct serry_port *ports;
    struct tree *nodes;
    size_t n_ports;

    make_string(maker, map, "placement", serry_assignment_placement(a));
    live_make_generation(maker, map, "generation", &generation);
    make_int(maker, map, "rank", serry_assignment_rank(a));
    if (serry_assignment_listed_rank(a) != serry_assignment_rank(a))
        make_int(maker, map, "listed_rank", serry_assignment_listed_rank(a));
    make_int(maker, map, "world", serry_assignment_world(a));
    make_string(maker, map, "model", serry_assignment_model(a));
    make_string(maker, map, "runtime", serry_assignment_runtime(a));
    if (serry_assignment_binding(a) != NULL)
        make_binding(maker, map, serry_assignment_binding(a));
    ports = serry_assignment_ports(a, &n_ports);
    if (n_ports > 0)
        assignment_make_ports(maker, map, ports, n_ports);
    nodes = make_list(maker, map, "nodes");
    for (size_t i = 0; i < serry_node_count(a); i++)
        make_node(maker, nodes, serry_node_at(a, i));
    make_groups(maker, map, a);
    if (make_digest(live, maker, map, a, err) < 0)
        return -1;
    if (json[0] == '\0')
        return 0;
    if (live_json(maker->arena, json, &carried, err) < 0)
        return -1;
    make_copy(maker, map, "carried", carried);
    return 0;
}

int assignment_print(struct live *live, const struct serry_assignment *a,
                     bool creation, struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct arena_mark mark = arena_mark(maker.arena);
    struct tree *map = make_map(&maker, NULL, NULL);
    int rc = assignment_fill(live, &maker, map, a, err);

    if (rc == 0 && creation)
        rc = make_creation(live, &maker, map, a, err);
    if (rc == 0)
        rc = live_document(live, &maker, map, err);
    arena_rewind(maker.arena, mark);
    return rc;
}
