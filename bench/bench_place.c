/* SPDX-License-Identifier: Apache-2.0 */
/* Measures placing a world of 65,536 ranks on 8,192 hosts, empty and half full,
 * and replacing failed ranks of it. The floor is what no placement can do
 * without: reading the group of every rank on every axis once and writing its
 * device. */
#include "placement/replace.h"

#include "bench/bench_stat.h"

enum {
    HOSTS = 8192,
    PER_HOST = 8,
    WORLD = HOSTS * PER_HOST,
    AXES = 4,
    ROUNDS = 7,
    ARENA_BYTES = 512 << 20
};

static const char *const names[AXES] = { "a", "b", "c", "d" };
static const int64_t sizes[AXES] = { 64, 64, 2, 8 };
static const enum link_level wants[AXES] = { LINK_ANY, LINK_ANY, LINK_BLOCK,
                                             LINK_NVLINK };

/* Hosts of eight devices in one domain, 32 of them in a block. */
static struct topology *make_cluster(struct arena *arena)
{
    struct topology *t = arena_alloc(arena, sizeof(*t));

    t->n_hosts = HOSTS;
    t->n_devices = WORLD;
    t->n_domains = HOSTS;
    t->n_blocks = HOSTS / 32;
    t->hosts = arena_array(arena, HOSTS, sizeof(*t->hosts));
    t->devices = arena_array(arena, WORLD, sizeof(*t->devices));
    for (uint32_t h = 0; h < HOSTS; h++) {
        t->hosts[h] = (struct host){ .name = "h",
                                     .devices_known = true,
                                     .block = h / 32,
                                     .first_device = h * PER_HOST,
                                     .n_devices = PER_HOST };
        for (uint32_t i = 0; i < PER_HOST; i++)
            t->devices[h * PER_HOST + i] =
                (struct device){ .host = h, .index = i, .domain = h };
    }
    return t;
}

static void make_request(struct arena *arena, struct place_request *request,
                         struct place_axis *axes, uint32_t n_ranks)
{
    struct view view;
    struct lists lists;
    int64_t ours[AXES];
    struct error err;

    memcpy(ours, sizes, sizeof(ours));
    ours[0] = n_ranks / (WORLD / sizes[0]);
    if (view_init(&view, names, ours, AXES, &err) < 0)
        die(err.text);
    for (int a = 0; a < AXES; a++) {
        axes[a] = (struct place_axis){
            .name = names[a],
            .want = wants[a],
            .group_of = place_groups_new(arena, n_ranks),
        };
        lists_over(&view, 1U << a, &lists);
        if (place_axis_add(arena, &axes[a], &lists, NULL, 0, &err) < 0)
            die(err.text);
    }
    *request = (struct place_request){ .n_ranks = n_ranks,
                                       .axes = axes,
                                       .n_axes = AXES };
}

static double time_floor(const struct place_request *request, uint32_t *devices)
{
    double start = now_s(CLOCK_MONOTONIC);

    for (int a = 0; a < AXES; a++)
        for (uint32_t p = 0; p < request->n_ranks; p++)
            devices[p] = request->axes[a].group_of[p] + p;
    __asm__ volatile("" : : "r"(devices) : "memory");
    return now_s(CLOCK_MONOTONIC) - start;
}

static double time_place(struct arena *arena, const struct topology *t,
                         const struct occupancy *occupancy,
                         const struct place_request *request, uint32_t *devices)
{
    struct place_report reports[AXES];
    struct place_refusal refusal;
    struct arena_mark mark = arena_mark(arena);
    struct error err;
    double start = now_s(CLOCK_MONOTONIC);

    if (place(arena, t, occupancy, request, devices, reports, &refusal, &err) <
        0)
        die(err.text);
    start = now_s(CLOCK_MONOTONIC) - start;
    arena_rewind(arena, mark);
    return start;
}

static bool measure(const char *what, struct arena *arena,
                    const struct topology *t, const struct occupancy *occupancy,
                    const struct place_request *request, uint32_t *devices)
{
    struct row row = { .what = what, .unit = "ms", .bar = 50 };
    struct pairs pairs = { .n = 0 };

    time_place(arena, t, occupancy, request, devices);
    for (int i = 0; i < ROUNDS; i++)
        pairs_add(&pairs,
                  1e3 * time_place(arena, t, occupancy, request, devices),
                  1e3 * time_floor(request, devices));
    printf("| %s, floor | reported |", what);
    print_spread(pairs.floor, pairs.n);
    printf(" - | - | - |\n");
    return figure_print(&row, quantile(pairs.ours, pairs.n, 0.5));
}

enum { FAILED = 64 };

/* One device of every 128th host fails; half of the cluster is free. */
static bool measure_replace(struct arena *arena, const struct topology *t,
                            const struct place_request *request,
                            uint32_t *devices)
{
    const struct row row = { .what = "replace 64 of 32,768 ranks",
                             .unit = "ms",
                             .bar = 50 };
    const struct occupancy empty = { 0 };
    uint32_t *again = arena_array(arena, WORLD, sizeof(*again));
    bool *failed = arena_array(arena, WORLD, sizeof(*failed));
    const struct replace_from from = { devices, failed };
    uint32_t rebuilt[AXES];
    struct replacement replacement = { .rebuilt = rebuilt };
    struct place_refusal refusal;
    double times[ROUNDS];
    struct error err;

    time_place(arena, t, &empty, request, devices);
    for (uint32_t i = 0; i < FAILED; i++)
        failed[devices[i * (request->n_ranks / FAILED)]] = true;
    for (int i = 0; i < ROUNDS; i++) {
        struct arena_mark mark = arena_mark(arena);

        times[i] = now_s(CLOCK_MONOTONIC);
        if (replace(arena, t, &empty, request, &from, again, NULL, &replacement,
                    &refusal, &err) < 0)
            die(err.text);
        times[i] = 1e3 * (now_s(CLOCK_MONOTONIC) - times[i]);
        arena_rewind(arena, mark);
    }
    printf("| ranks that move, for 64 whose devices failed | reported | %u | - "
           "| - | - |\n",
           replacement.n_moved);
    return figure_print(&row, quantile(times, ROUNDS, 0.5));
}

int main(void)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    const struct topology *t = make_cluster(arena);
    uint32_t *devices = arena_array(arena, WORLD, sizeof(*devices));
    uint32_t *holders = arena_array(arena, WORLD, sizeof(*holders));
    const char *const holder[] = { "other" };
    struct occupancy empty = { 0 }, half = { holders, holder, 1 };
    struct place_request request;
    struct place_axis axes[AXES];
    bool held;

    /* every other host is half full: no whole block is free */
    for (uint32_t d = 0; d < WORLD; d++)
        holders[d] = d / PER_HOST % 2 == 0 ? 0 : HOLDER_NONE;
    table_head();
    make_request(arena, &request, axes, WORLD);
    held = measure("place 65,536 ranks on 8,192 hosts", arena, t, &empty,
                   &request, devices);
    make_request(arena, &request, axes, WORLD / 2);
    held = measure("place 32,768 ranks, every other host held", arena, t, &half,
                   &request, devices) &&
           held;
    held = measure_replace(arena, t, &request, devices) && held;
    arena_free(arena);
    return held ? 0 : 1;
}
