/* SPDX-License-Identifier: Apache-2.0 */
/* Which replica serves a request. */
#include "placement/replica.h"

#include <stdlib.h>
#include <string.h>

struct chooser {
    const struct replica_world *world;
    const struct replica_graph *graphs;
    size_t n_graphs;
    const uint32_t *kept;
    uint64_t draw;
    uint32_t *picks; /* of each graph; REPLICA_NONE: not yet */
    bool *used;      /* hosts that the request uses */
    uint32_t *seen;  /* hosts: last replica that counted it, plus 1 */
    uint32_t stamp;
};

/* Spreads bits (splitmix64). */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

static bool is_alive(const struct replica_world *world,
                     const struct replica *replica)
{
    for (uint32_t i = 0; world->dead != NULL && i < replica->n_ranks; i++)
        if (replica->ranks[i] < world->n_ranks &&
            world->dead[replica->ranks[i]])
            return false;
    return true;
}

static uint32_t host_of(const struct replica_world *world, uint32_t rank)
{
    if (world->hosts == NULL || rank >= world->n_ranks ||
        world->hosts[rank] >= world->n_hosts)
        return HOST_UNKNOWN;
    return world->hosts[rank];
}

/* Hosts that the replica would add to the request's. */
static uint32_t hosts_added(struct chooser *chooser,
                            const struct replica *replica)
{
    uint32_t added = 0;

    chooser->stamp++;
    for (uint32_t i = 0; i < replica->n_ranks; i++) {
        uint32_t host = host_of(chooser->world, replica->ranks[i]);

        if (host == HOST_UNKNOWN || chooser->used[host] ||
            chooser->seen[host] == chooser->stamp)
            continue;
        chooser->seen[host] = chooser->stamp;
        added++;
    }
    return added;
}

static void use_hosts(struct chooser *chooser, const struct replica *replica)
{
    for (uint32_t i = 0; i < replica->n_ranks; i++) {
        uint32_t host = host_of(chooser->world, replica->ranks[i]);

        if (host != HOST_UNKNOWN)
            chooser->used[host] = true;
    }
}

/* The replica of a group's first graph, or REPLICA_NONE. */
static uint32_t pick(struct chooser *chooser, size_t g)
{
    const struct replica_graph *graph = &chooser->graphs[g];
    uint32_t kept = chooser->kept != NULL ? chooser->kept[g] : REPLICA_NONE;
    uint32_t fewest = UINT32_MAX, count = 0, chosen;

    if (kept < graph->n_replicas &&
        is_alive(chooser->world, &graph->replicas[kept]))
        return kept;
    for (size_t r = 0; r < graph->n_replicas; r++) {
        uint32_t added;

        if (!is_alive(chooser->world, &graph->replicas[r]))
            continue;
        added = hosts_added(chooser, &graph->replicas[r]);
        count = added < fewest ? 1 : count + (added == fewest);
        fewest = added < fewest ? added : fewest;
    }
    if (count == 0)
        return REPLICA_NONE;
    chosen = (uint32_t)(mix(chooser->draw ^ mix(graph->group)) % count);
    for (uint32_t r = 0;; r++)
        if (is_alive(chooser->world, &graph->replicas[r]) &&
            hosts_added(chooser, &graph->replicas[r]) == fewest &&
            chosen-- == 0)
            return r;
}

static bool same_replicas(const struct replica_graph *a,
                          const struct replica_graph *b)
{
    if (a->n_replicas != b->n_replicas)
        return false;
    for (size_t r = 0; r < a->n_replicas; r++) {
        const struct replica *x = &a->replicas[r], *y = &b->replicas[r];

        if (x->n_ranks != y->n_ranks ||
            memcmp(x->ranks, y->ranks, x->n_ranks * sizeof(*x->ranks)) != 0)
            return false;
    }
    return true;
}

static int check_graph(const struct replica_graph *graph, struct error *err)
{
    if (graph->n_replicas == 0)
        return error_set(err, STATUS_INVALID, "group %u has no replica",
                         graph->group);
    if (graph->n_replicas > REPLICA_RANKS_MAX)
        return error_set(err, STATUS_EXHAUSTED,
                         "group %u has more than %d replicas", graph->group,
                         REPLICA_RANKS_MAX);
    for (size_t r = 0; r < graph->n_replicas; r++)
        if (graph->replicas[r].n_ranks == 0)
            return error_set(err, STATUS_INVALID,
                             "replica %zu of group %u has no rank", r,
                             graph->group);
    return 0;
}

struct by_group {
    size_t graph;
    uint32_t group;
};

static int compare_groups(const void *va, const void *vb)
{
    const struct by_group *a = va, *b = vb;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->graph > b->graph) - (a->graph < b->graph);
}

/* Writes the first graph of each graph's group. */
static int find_firsts(struct arena *arena, const struct replica_graph *graphs,
                       size_t n, size_t *firsts, struct error *err)
{
    struct by_group *all = arena_array(arena, n, sizeof(*all));

    if (all == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < n; i++) {
        if (check_graph(&graphs[i], err) < 0)
            return -1;
        all[i] = (struct by_group){ i, graphs[i].group };
    }
    qsort(all, n, sizeof(*all), compare_groups);
    for (size_t i = 0; i < n; i++) {
        bool is_first = i == 0 || all[i].group != all[i - 1].group;

        firsts[all[i].graph] =
            is_first ? all[i].graph : firsts[all[i - 1].graph];
        if (!same_replicas(&graphs[all[i].graph],
                           &graphs[firsts[all[i].graph]]))
            return error_set(err, STATUS_INVALID,
                             "graphs of group %u list different replicas",
                             all[i].group);
    }
    return 0;
}

static int choose_all(struct chooser *chooser, const size_t *firsts,
                      size_t *ret_graph, struct error *err)
{
    for (size_t i = 0; i < chooser->n_graphs; i++) {
        const struct replica_graph *graph = &chooser->graphs[i];

        if (firsts[i] != i) {
            chooser->picks[i] = chooser->picks[firsts[i]];
            continue;
        }
        chooser->picks[i] = pick(chooser, i);
        if (chooser->picks[i] == REPLICA_NONE) {
            if (ret_graph != NULL)
                *ret_graph = i;
            return error_set(err, STATUS_UNAVAILABLE,
                             "each of the %zu replicas of group %u has a dead "
                             "rank; replace one, or wait for it",
                             graph->n_replicas, graph->group);
        }
        use_hosts(chooser, &graph->replicas[chooser->picks[i]]);
    }
    return 0;
}

int replica_choose(struct arena *arena, const struct replica_graph *graphs,
                   size_t n_graphs, const struct replica_world *world,
                   const uint32_t *kept, uint64_t draw, uint32_t *ret,
                   size_t *ret_graph, struct error *err)
{
    struct chooser chooser = {
        .world = world,
        .graphs = graphs,
        .n_graphs = n_graphs,
        .kept = kept,
        .draw = draw,
        .picks = arena_array(arena, n_graphs, sizeof(*chooser.picks)),
        .used = arena_array(arena, world->n_hosts, sizeof(*chooser.used)),
        .seen = arena_array(arena, world->n_hosts, sizeof(*chooser.seen)),
    };
    size_t *firsts = arena_array(arena, n_graphs, sizeof(*firsts));

    if (n_graphs > REPLICA_GRAPHS_MAX)
        return error_set(err, STATUS_EXHAUSTED,
                         "more than %d worker graphs are not assigned",
                         REPLICA_GRAPHS_MAX);
    if (firsts == NULL || chooser.picks == NULL || chooser.used == NULL ||
        chooser.seen == NULL)
        return error_exhausted(err);
    if (find_firsts(arena, graphs, n_graphs, firsts, err) < 0 ||
        choose_all(&chooser, firsts, ret_graph, err) < 0)
        return -1;
    if (n_graphs > 0)
        memcpy(ret, chooser.picks, n_graphs * sizeof(*ret));
    return 0;
}

/* ---- signals that leave their host -------------------------------------- */

static int compare_hosts(const void *va, const void *vb)
{
    const uint32_t *a = va, *b = vb;

    return (*a > *b) - (*a < *b);
}

static int find_hosts(struct arena *arena, const struct replica_world *world,
                      const struct crossing_end *end, const uint32_t **ret,
                      size_t *ret_n, struct error *err)
{
    uint32_t *hosts = arena_array(arena, end->n_ranks, sizeof(*hosts));
    size_t n = 0;

    if (hosts == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < end->n_ranks; i++)
        hosts[i] = host_of(world, end->ranks[i]);
    qsort(hosts, end->n_ranks, sizeof(*hosts), compare_hosts);
    for (size_t i = 0; i < end->n_ranks; i++)
        if (n == 0 || hosts[n - 1] != hosts[i])
            hosts[n++] = hosts[i];
    *ret = hosts;
    *ret_n = n;
    return 0;
}

int crossing_find(struct arena *arena, const struct crossing_edge *edges,
                  size_t n_edges, const struct replica_world *world,
                  const struct crossing **ret, size_t *ret_n, struct error *err)
{
    struct crossing *all = arena_array(arena, n_edges, sizeof(*all));
    size_t n = 0;

    if (all == NULL)
        return error_exhausted(err);
    for (size_t e = 0; e < n_edges; e++) {
        struct crossing *c = &all[n];

        if (edges[e].from.n_ranks == 0 || edges[e].to.n_ranks == 0)
            continue;
        c->edge = e;
        if (find_hosts(arena, world, &edges[e].from, &c->from_hosts, &c->n_from,
                       err) < 0 ||
            find_hosts(arena, world, &edges[e].to, &c->to_hosts, &c->n_to,
                       err) < 0)
            return -1;
        if (c->n_from > 1 || c->n_to > 1 || c->from_hosts[0] != c->to_hosts[0])
            n++;
    }
    *ret = all;
    *ret_n = n;
    return 0;
}
