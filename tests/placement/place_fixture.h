/* SPDX-License-Identifier: Apache-2.0 */
/* Small clusters and requests, written as short texts. */
#ifndef SERRIED_TESTS_PLACEMENT_PLACE_FIXTURE_H
#define SERRIED_TESTS_PLACEMENT_PLACE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "placement/place.h"
#include "proto/document.h"
#include "tests/tap.h"

enum { FIXTURE_AXES = 6, FIXTURE_BYTES = 64 << 20 };

struct fixture {
    struct arena *arena;
    const struct topology *topology;
    struct place_axis axes[FIXTURE_AXES];
    struct place_request request;
    uint32_t *holders;
    struct occupancy occupancy;
    uint32_t *devices; /* the answer */
    struct place_report reports[FIXTURE_AXES];
    struct place_refusal refusal;
    struct error err;
};

static inline uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*seed >> 33) % below;
}

/* The cluster of a YAML text, nothing held. */
static inline void fixture_cluster(struct fixture *f, const char *yaml)
{
    static const char *const names[] = { "job-a", "job-b", "job-c" };
    const struct tree *tree = NULL;

    memset(f, 0, sizeof(*f));
    f->arena = arena_new(FIXTURE_BYTES);
    ck_assert_ptr_nonnull(f->arena);
    ck_assert_msg(document_read_one(f->arena, NULL, 1, yaml, strlen(yaml),
                                    &tree, &f->err) == 0,
                  "%s in %s", f->err.text, yaml);
    f->topology = topology_load(f->arena, tree, &f->err);
    ck_assert_msg(f->topology != NULL, "%s in %s", f->err.text, yaml);
    f->holders =
        arena_array(f->arena, f->topology->n_devices, sizeof(*f->holders));
    for (uint32_t d = 0; d < f->topology->n_devices; d++)
        f->holders[d] = HOLDER_NONE;
    f->occupancy = (struct occupancy){ f->holders, names, 3 };
}

static inline void fixture_close(struct fixture *f)
{
    arena_free(f->arena);
}

/* The device of a host by name and index. */
static inline uint32_t device_at(const struct fixture *f, const char *host,
                                 uint32_t index)
{
    uint32_t h = topology_host(f->topology, host);

    ck_assert_uint_ne(h, HOST_NONE);
    return f->topology->hosts[h].first_device + index;
}

/* A job (0 to 2) holds n devices of a host, from the first on. */
static inline void hold(struct fixture *f, const char *host, uint32_t first,
                        uint32_t n, uint32_t job)
{
    for (uint32_t i = first; i < first + n; i++)
        f->holders[device_at(f, host, i)] = job;
}

/* Axes outermost first, "b any 2, a nvlink 4": the product is the world. */
static inline void fixture_request(struct fixture *f, const char *text)
{
    const char *names[FIXTURE_AXES];
    int64_t sizes[FIXTURE_AXES];
    struct view view;
    struct lists lists;
    char *copy = arena_strdup(f->arena, text), *save = NULL;
    int n = 0;

    for (char *part = strtok_r(copy, ",", &save); part != NULL;
         part = strtok_r(NULL, ",", &save), n++) {
        char name[32] = "", want[32] = "";
        int size = 0;

        ck_assert_int_eq(sscanf(part, " %31s %31s %d", name, want, &size), 3);
        names[n] = arena_strdup(f->arena, name);
        sizes[n] = size;
        f->axes[n] =
            (struct place_axis){ .name = names[n],
                                 .want = (enum link_level)link_named(want) };
    }
    ck_assert_int_eq(view_init(&view, names, sizes, n, NULL), 0);
    for (int a = 0; a < n; a++) {
        lists_over(&view, 1U << a, &lists);
        f->axes[a].group_of = place_groups_new(f->arena, view.span);
        ck_assert_int_eq(
            place_axis_add(f->arena, &f->axes[a], &lists, NULL, 0, NULL), 0);
    }
    f->request = (struct place_request){ .n_ranks = view.span,
                                         .axes = f->axes,
                                         .n_axes = (size_t)n };
}

static inline int fixture_place(struct fixture *f)
{
    f->devices = arena_array(f->arena, f->request.n_ranks, sizeof(*f->devices));
    return place(f->arena, f->topology, &f->occupancy, &f->request, f->devices,
                 f->reports, &f->refusal, &f->err);
}

/* "a0 a1 b3": host and index of each position. */
static inline const char *fixture_answer(const struct fixture *f)
{
    struct text out = { 0 };
    const char *copy;

    for (uint32_t p = 0; p < f->request.n_ranks; p++) {
        const struct device *d = &f->topology->devices[f->devices[p]];

        text_printf(&out, "%s%s%u", p > 0 ? " " : "",
                    f->topology->hosts[d->host].name, d->index);
    }
    copy = arena_strdup(f->arena, text_string(&out));
    text_close(&out);
    return copy;
}

/* No device twice, and none that was held. */
static inline void must_be_free(const struct fixture *f)
{
    bool *taken = arena_array(f->arena, f->topology->n_devices, sizeof(*taken));

    for (uint32_t p = 0; p < f->request.n_ranks; p++) {
        ck_assert_uint_lt(f->devices[p], f->topology->n_devices);
        ck_assert(!taken[f->devices[p]]);
        ck_assert_uint_eq(f->holders[f->devices[p]], HOLDER_NONE);
        taken[f->devices[p]] = true;
    }
}

#endif
