/* SPDX-License-Identifier: Apache-2.0 */
/* What verdicts say of a binding. */
#include <string.h>

#include "daemon/bind_parts.h"

enum {
    RUNS_SHOWN_MAX = 1024,
};

/* ---- how groups lie ------------------------------------------------------ */

static void write_links(const uint32_t *counts, struct tree_maker *maker,
                        struct tree *map, const char *key)
{
    struct tree *links = make_map(maker, map, key);

    for (int link = 0; link < LINK_COUNT; link++)
        make_int(maker, links, link_name((enum link_level)link), counts[link]);
}

/* Rows of one axis are one entry. */
static void write_axis(const struct place_request *request,
                       const struct place_report *reports, size_t first,
                       struct tree_maker *maker, struct tree *axes)
{
    const char *name = request->axes[first].name;
    struct place_report sum = { 0 };
    struct tree *map = make_map(maker, axes, name);

    for (size_t i = first; i < request->n_axes; i++) {
        if (strcmp(request->axes[i].name, name) != 0)
            continue;
        sum.groups += reports[i].groups;
        for (int link = 0; link < LINK_COUNT; link++) {
            sum.within[link] += reports[i].within[link];
            sum.by_link[link] += reports[i].by_link[link];
        }
    }
    make_string(maker, map, "wants", link_name(request->axes[first].want));
    make_int(maker, map, "groups", sum.groups);
    make_int(maker, map, "inside", sum.within[request->axes[first].want]);
    write_links(sum.by_link, maker, map, "joined_by");
}

void bind_write_axes(const struct place_request *request,
                     const struct place_report *reports,
                     struct tree_maker *maker, struct tree *map)
{
    struct tree *axes = make_map(maker, map, "axes");

    for (size_t i = 0; i < request->n_axes; i++) {
        size_t k = 0;

        while (strcmp(request->axes[k].name, request->axes[i].name) != 0)
            k++;
        if (k == i)
            write_axis(request, reports, i, maker, axes);
    }
}

/* ---- verdicts ------------------------------------------------------------ */

static void write_runs(const struct device_run *runs, size_t n,
                       struct tree_maker *maker, struct tree *map,
                       const char *key)
{
    struct tree *list = make_list(maker, map, key);

    for (size_t i = 0; i < n && i < RUNS_SHOWN_MAX; i++) {
        struct tree *run = make_map(maker, list, NULL);

        make_string(maker, run, "host", runs[i].host->name);
        make_int(maker, run, "first", runs[i].first);
        make_int(maker, run, "count", runs[i].count);
        if (runs[i].stride != 1)
            make_int(maker, run, "stride", runs[i].stride);
    }
}

/* Looked at anew: hosts may have been declared otherwise since. */
static void write_report(struct inventory *inventory, const struct live *live,
                         struct arena *arena, struct tree_maker *maker,
                         struct tree *map)
{
    const struct bound *bound = live->bound;
    struct error ignored;
    const struct topology *topology = inventory_topology(inventory, &ignored);
    struct place_report *reports;
    struct place_request request;
    struct place_ranks ranks;
    uint32_t *devices = arena_array(arena, bound->n_ranks + bound->n_spares + 1,
                                    sizeof(*devices));

    if (topology == NULL || devices == NULL ||
        bind_request(live, arena, 0, &request, &ranks, &ignored) < 0)
        return;
    bound_devices(bound, topology, devices);
    reports = arena_array(arena, request.n_axes + 1, sizeof(*reports));
    if (reports != NULL &&
        place_check(arena, topology, &request, devices, reports, &ignored) == 0)
        bind_write_axes(&request, reports, maker, map);
}

static void write_moves(const struct bound_moves *moves,
                        struct tree_maker *maker, struct tree *map)
{
    struct tree *to = make_map(maker, map, "moves"), *rebuilt;

    make_int(maker, to, "ranks", moves->n_moved);
    make_int(maker, to, "new", moves->n_new);
    rebuilt = make_map(maker, to, "rebuilt");
    for (size_t i = 0; i < moves->n_axes; i++)
        make_int(maker, rebuilt, moves->axes[i], moves->rebuilt[i]);
    make_string(maker, to, "say", moves->say);
}

/* A warning beside those of the rules. */
static void warn_order(const struct bound *bound, struct tree_maker *maker,
                       struct tree *map)
{
    const struct inventory_host *host = bound_permuted(bound);
    struct tree *warnings = (struct tree *)tree_get(map, "warnings");
    struct tree *warning;

    if (host == NULL || warnings == NULL)
        return;
    warning = make_map(maker, warnings, NULL);
    make_string(maker, warning, "code", "device.order");
    make_string(maker, warning, "subject", host->name);
    make_string(
        maker, warning, "reason",
        "its ranks do not have its devices in the order of the devices");
}

void bind_verdict(struct inventory *inventory, const struct live *live,
                  struct tree_maker *maker, struct tree *map)
{
    struct arena *arena;
    struct tree *binding;

    if (live->bound == NULL || live->check == NULL)
        return;
    warn_order(live->bound, maker, map);
    binding = make_map(maker, map, "binding");
    make_int(maker, binding, "ranks", live->bound->n_ranks);
    make_int(maker, binding, "hosts", live->bound->n_hosts);
    make_bool(maker, binding, "shared", live->bound->shared);
    arena = arena_new(BIND_BYTES_MAX);
    if (arena != NULL)
        write_report(inventory, live, arena, maker, binding);
    arena_free(arena);
    if (live->moves != NULL)
        write_moves(live->moves, maker, binding);
    make_int(maker, binding, "n_runs", (int64_t)live->bound->n_runs);
    write_runs(live->bound->runs, live->bound->n_runs, maker, binding, "runs");
    write_runs(live->bound->spares, live->bound->n_spare_runs, maker, binding,
               "spares");
}
