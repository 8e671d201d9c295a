/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of hosts: replicas, signals that leave a host, host lists. */
#include "tests/cases/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement/host_list.h"
#include "placement/replica.h"

enum { RANKS_MAX = 1024 };

static uint32_t *read_ranks(struct run *run, const struct tree *list,
                            size_t *ret_n)
{
    uint32_t *ranks =
        arena_array(run->arena, tree_count(list) + 1, sizeof(*ranks));

    *ret_n = 0;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        ranks[(*ret_n)++] = (uint32_t)t->u.integer;
    return ranks;
}

static void put_ranks(struct run *run, struct tree *parent, const char *key,
                      const uint32_t *ranks, size_t n)
{
    struct tree *list = make_list(&run->maker, parent, key);

    for (size_t i = 0; i < n; i++)
        make_int(&run->maker, list, NULL, ranks[i]);
}

/* "hosts": {"RANK": HOST}, "dead": [RANK]; ranks are below RANKS_MAX. */
static struct replica_world read_world(struct run *run)
{
    const struct tree *hosts = child(run->input, "hosts");
    bool *dead = arena_array(run->arena, RANKS_MAX, sizeof(*dead));
    uint32_t *of = arena_array(run->arena, RANKS_MAX, sizeof(*of));
    struct replica_world world = { RANKS_MAX, dead, of, RANKS_MAX };

    for (size_t i = 0; i < RANKS_MAX; i++)
        of[i] = HOST_UNKNOWN;
    for (const struct tree *t = tree_first(hosts); t != NULL; t = t->next)
        of[strtoul(t->key, NULL, 10) % RANKS_MAX] = (uint32_t)t->u.integer;
    for (const struct tree *t = tree_first(child(run->input, "dead"));
         t != NULL; t = t->next)
        dead[t->u.integer % RANKS_MAX] = true;
    return world;
}

/* ---- assign ------------------------------------------------------------- */

static struct replica_graph read_graph(struct run *run, const struct tree *tree)
{
    const struct tree *instances = child(tree, "instances");
    struct replica *replicas =
        arena_array(run->arena, tree_count(instances) + 1, sizeof(*replicas));
    struct replica_graph graph = { (uint32_t)child_int(tree, "group"), replicas,
                                   0 };

    for (const struct tree *t = tree_first(instances); t != NULL; t = t->next) {
        size_t n;

        replicas[graph.n_replicas].ranks = read_ranks(run, t, &n);
        replicas[graph.n_replicas++].n_ranks = (uint32_t)n;
    }
    return graph;
}

void op_assign(struct run *run)
{
    const struct tree *list = child(run->input, "worker_graphs");
    struct replica_world world = read_world(run);
    struct replica_graph graphs[64];
    uint32_t picks[64];
    struct error err = { 0 };
    struct tree *workers;
    size_t n = 0;

    for (const struct tree *t = tree_first(list);
         t != NULL && n < ARRAY_LEN(graphs); t = t->next)
        graphs[n++] = read_graph(run, t);
    if (replica_choose(run->arena, graphs, n, &world, NULL,
                       (uint64_t)child_int(run->input, "draw"), picks, NULL,
                       &err) < 0) {
        refused(run, err.status == STATUS_UNAVAILABLE ? "assign.no_live_replica"
                                                      : NULL);
        return;
    }
    make_string(&run->maker, run->got, "verdict", "accept");
    workers = make_map(&run->maker, run->got, "workers");
    for (size_t i = 0; i < n; i++) {
        const struct replica *r = &graphs[i].replicas[picks[i]];

        put_ranks(run, workers, child(item(list, i), "id")->text, r->ranks,
                  r->n_ranks);
    }
}

/* ---- cuts --------------------------------------------------------------- */

static struct crossing_end read_end(struct run *run, const struct tree *edge,
                                    const char *key)
{
    const struct tree *ranks =
        child(child(run->input, "ranks"), child(edge, key)->text);
    struct crossing_end end;

    end.ranks = read_ranks(run, ranks, &end.n_ranks);
    return end;
}

void op_cuts(struct run *run)
{
    const struct tree *list = child(run->input, "edges");
    struct crossing_edge *edges =
        arena_array(run->arena, tree_count(list) + 1, sizeof(*edges));
    struct replica_world world = read_world(run);
    const struct crossing *found;
    struct tree *cuts = make_list(&run->maker, run->got, "cuts");
    size_t n = 0, n_found;

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        edges[n++] = (struct crossing_edge){ read_end(run, t, "from"),
                                             read_end(run, t, "to") };
    if (crossing_find(run->arena, edges, n, &world, &found, &n_found, NULL) <
        0) {
        text_put(&run->why, "no answer");
        return;
    }
    for (size_t i = 0; i < n_found; i++) {
        struct tree *map = make_map(&run->maker, cuts, NULL);

        for (const struct tree *t = tree_first(item(list, found[i].edge));
             t != NULL; t = t->next)
            make_copy(&run->maker, map, t->key, t);
        put_ranks(run, map, "from_hosts", found[i].from_hosts, found[i].n_from);
        put_ranks(run, map, "to_hosts", found[i].to_hosts, found[i].n_to);
    }
}

/* ---- cluster ------------------------------------------------------------ */

static void put_refusal(struct run *run,
                        const struct host_list_refusal *refusal)
{
    refused(run, refusal->code);
    if (refusal->rank >= 0)
        make_int(&run->maker, make_map(&run->maker, run->got, "subject"),
                 "rank", refusal->rank);
}

void op_cluster(struct run *run)
{
    const struct runtime *rt = catalog_runtime(run->catalog, "mstar", NULL);
    const struct tree *protocol = child(run->input, "protocol");
    struct host_list_refusal refusal;
    struct host_list list;
    struct tree *devices, *hosts;

    if (host_list_read(run->arena, rt->host_list, child(run->input, "cluster"),
                       protocol != NULL ? protocol->text : NULL, &list,
                       &refusal, NULL) < 0) {
        put_refusal(run, &refusal);
        return;
    }
    devices = make_map(&run->maker, NULL, "devices");
    hosts = make_map(&run->maker, NULL, "hosts");
    for (const struct tree *t = tree_first(child(run->input, "ranks"));
         t != NULL; t = t->next) {
        uint32_t host, device;
        char rank[24];

        if (host_list_find(&list, rt->host_list, t->u.integer, &host, &device,
                           &refusal, NULL) < 0) {
            put_refusal(run, &refusal);
            return;
        }
        snprintf(rank, sizeof(rank), "%lld", (long long)t->u.integer);
        make_int(&run->maker, devices, rank, device);
        make_int(&run->maker, hosts, rank, host);
    }
    make_string(&run->maker, run->got, "verdict", "accept");
    make_copy(&run->maker, run->got, "devices", devices);
    make_copy(&run->maker, run->got, "hosts", hosts);
    make_bool(&run->maker, run->got, "multi_host", list.n_hosts > 1);
}
