/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the search for alternatives, and suggestions, over random requests
 * of every shipped runtime that takes a world. With SHARE=DIR in the
 * environment also those of a folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "placement/suggest.h"
#include "placement/synthetic.h"
#include "proto/catalog.h"

enum { REQUESTS = 200, DRAWS = 20000, ARENA_BYTES = 1 << 30 };

static const int64_t worlds[] = { 64, 65536 };
static const int64_t sizes[] = { 1, 2, 3, 4, 6, 8, 16 };

/* Time of this process alone: the machine may be shared. */
static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

static const struct deployment *draw(const struct runtime *rt, int64_t world,
                                     uint64_t *state, struct arena *arena)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *set = make_map(&maker, NULL, NULL), *document, *model;
    struct error err;

    for (size_t a = 0; a < rt->n_axes; a++)
        if (below(state, 100) < 60)
            make_int(&maker, set, rt->axes[a].name,
                     sizes[below(state, ARRAY_LEN(sizes))]);
    if (synthetic_request(rt, world, set, NULL, &maker, &document, &model,
                          &err) < 0)
        abort();
    return deployment_load(arena, rt, document, &err);
}

/* Times of refused requests, and how often the search was cut. */
static size_t measure(const struct runtime *rt, int64_t world, double *times,
                      size_t *ret_cut, size_t *ret_found, struct arena *arena)
{
    uint64_t state = 1;
    size_t n = 0;

    *ret_cut = *ret_found = 0;
    for (int i = 0; i < DRAWS && n < REQUESTS; i++) {
        struct question question = { .runtime = rt };
        struct alternatives found;
        struct check *check;
        double start;

        arena_reset(arena);
        question.deployment = draw(rt, world, &state, arena);
        check = question.deployment != NULL
                    ? check_run(&question, arena, 0, NULL)
                    : NULL;
        if (check == NULL || check_accepts(check))
            continue;
        start = now_s();
        if (alternatives_find(check, &found, NULL) < 0)
            abort();
        times[n++] = now_s() - start;
        *ret_cut += found.cut;
        *ret_found += found.n > 0;
    }
    return n;
}

static double time_suggest(const struct runtime *rt, int64_t world,
                           size_t *ret_n, struct arena *arena)
{
    const struct suggest_wants wants = { 0 };
    struct question question = { .runtime = rt };
    struct tree_maker maker = { .arena = arena };
    struct suggestions found;
    const struct tree *none = make_map(&maker, NULL, NULL);
    struct tree *document, *model;
    struct error err;
    double start;

    if (synthetic_request(rt, world, none, NULL, &maker, &document, &model,
                          &err) < 0)
        abort();
    question.deployment = deployment_load(arena, rt, document, &err);
    start = now_s();
    if (question.deployment == NULL ||
        suggest(&question, &wants, arena, &found, &err) < 0)
        abort();
    *ret_n = found.tried;
    return now_s() - start;
}

static void report(const struct runtime *rt, int64_t world, struct arena *arena)
{
    double times[REQUESTS], suggesting;
    size_t cut, found, tried,
        n = measure(rt, world, times, &cut, &found, arena);

    if (n == 0)
        return;
    qsort(times, n, sizeof(*times), by_size);
    arena_reset(arena);
    suggesting = time_suggest(rt, world, &tried, arena);
    printf("%-12s %6lld ranks: alternatives of %zu refusals: median %8.1f us, "
           "worst %8.1f us; for %zu there are some, %zu cut; suggest %7.1f ms "
           "(%zu tried)\n",
           rt->name, (long long)world, n, times[n / 2] * 1e6,
           times[n - 1] * 1e6, found, cut, suggesting * 1e3, tried);
}

int main(void)
{
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(getenv("SHARE"), &err);
    struct arena *arena = arena_new(ARENA_BYTES);
    const char *const *names;
    size_t n = 0;

    if (catalog == NULL || arena == NULL) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    names = catalog_runtimes(catalog, &n);
    for (size_t i = 0; i < n; i++) {
        const struct runtime *rt = catalog_runtime(catalog, names[i], &err);

        for (size_t w = 0; rt != NULL && rt->spans && w < ARRAY_LEN(worlds);
             w++)
            report(rt, worlds[w], arena);
    }
    arena_free(arena);
    catalog_free(catalog);
    return 0;
}
