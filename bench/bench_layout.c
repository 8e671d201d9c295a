/* SPDX-License-Identifier: Apache-2.0 */
/* Measures group lists of a whole world against memcpy of the same bytes, and
 * what is made of them: creation sequence, digest, runs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "placement/creation.h"
#include "placement/digest.h"
#include "placement/runs.h"
#include "placement/view.h"

enum { AXES = 5, PAIRS = 7, PASS_RANKS = 8 << 20 };

static const struct {
    const char *shape;
    int64_t sizes[AXES];
    double bar; /* time of the lists / time of memcpy, at most */
} worlds[] = {
    { "1048576 = 16x16x16x16x16", { 16, 16, 16, 16, 16 }, 2 },
    { "1048576 = 2x2048x4x32x2", { 2, 2048, 4, 32, 2 }, 2 },
    { "65536 = 16x8x8x8x8", { 16, 8, 8, 8, 8 }, 5 },
    { "65536 = 2x256x2x32x2", { 2, 256, 2, 32, 2 }, 5 },
};

static const char *const names[AXES] = { "a", "b", "c", "d", "e" };

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Small worlds are done several times, so that a pass lasts milliseconds. */
static int pass_rounds(const struct view *view)
{
    return (int)(PASS_RANKS / view->span);
}

static double time_lists(const struct view *view, uint32_t *to)
{
    double start = now_s();

    for (int round = 0; round < pass_rounds(view); round++)
        for (int a = 0; a < AXES; a++) {
            struct lists lists;

            lists_over(view, 1U << a, &lists);
            lists_expand(&lists, NULL, 0, to + (size_t)a * view->span);
        }
    return (now_s() - start) / pass_rounds(view);
}

static double time_copy(const struct view *view, uint32_t *to,
                        const uint32_t *from)
{
    double start = now_s();

    for (int round = 0; round < pass_rounds(view); round++) {
        memcpy(to, from, AXES * sizeof(*to) * view->span);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    return (now_s() - start) / pass_rounds(view);
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double median(double *times)
{
    qsort(times, PAIRS, sizeof(*times), by_size);
    return times[PAIRS / 2];
}

/* Whether the world kept its bar. */
static bool measure(size_t world, uint32_t *to, const uint32_t *from)
{
    double lists[PAIRS], copy[PAIRS], ratio;
    struct view view;
    struct error err;

    if (view_init(&view, names, worlds[world].sizes, AXES, &err) < 0) {
        fprintf(stderr, "bench_layout: %s\n", err.text);
        return false;
    }
    time_lists(&view, to);
    time_copy(&view, to, from);
    for (int pair = 0; pair < PAIRS; pair++) {
        copy[pair] = time_copy(&view, to, from);
        lists[pair] = time_lists(&view, to);
    }
    ratio = median(lists) / median(copy);
    printf("%-26s lists %8.3f ms  memcpy %8.3f ms  ratio %.2f (bar %.0f)\n",
           worlds[world].shape, median(lists) * 1e3, median(copy) * 1e3, ratio,
           worlds[world].bar);
    return ratio <= worlds[world].bar;
}

/* ---- what is made of lists ---------------------------------------------- */

enum { SEQUENCE_AXES = 3, ARENA_BYTES = 256 << 20 };

static void measure_sequence(const char *shape, const int64_t *sizes)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct creation_source sources[SEQUENCE_AXES];
    struct creation_step step = { "gpu", true, sources, SEQUENCE_AXES };
    struct lists lists[SEQUENCE_AXES];
    uint8_t short_form[DIGEST_SHORT_BYTES], digest[DIGEST_BYTES];
    struct digest_builder *builder;
    struct creation sequence;
    struct view view;
    struct error err;
    double start, made, digested;

    if (arena == NULL ||
        view_init(&view, names, sizes, SEQUENCE_AXES, &err) < 0)
        goto out;
    for (int a = 0; a < SEQUENCE_AXES; a++) {
        lists_over(&view, 1U << a, &lists[a]);
        sources[a] = (struct creation_source){ names[a], &lists[a], NULL, 0 };
    }
    start = now_s();
    if (creation_make(arena, &step, 1, &sequence, &err) < 0)
        goto out;
    made = now_s();
    builder = digest_begin(arena, SEQUENCE_AXES, &err);
    if (builder == NULL)
        goto out;
    for (int a = 0; a < SEQUENCE_AXES; a++)
        digest_add_list(builder, names[a], &lists[a], NULL, 0, short_form);
    digest_end(builder, &sequence, short_form, digest);
    digested = now_s();
    printf("%-26s sequence of %zu groups %8.3f ms  digest %8.3f ms\n", shape,
           sequence.count, (made - start) * 1e3, (digested - made) * 1e3);
out:
    arena_free(arena);
}

static void measure_runs(uint32_t *ranks)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct runs runs;
    double start;

    if (arena == NULL)
        return;
    for (uint32_t i = 0; i < VIEW_SPAN_MAX; i++)
        ranks[i] = i / 16 * 64 + i % 4 + i / 4 % 4 * 16;
    start = now_s();
    if (runs_encode(arena, ranks, VIEW_SPAN_MAX, &runs, NULL) == 0)
        printf("%-26s %zu run(s) in %8.3f ms\n", "1048576 ranks of one group",
               runs.count, (now_s() - start) * 1e3);
    arena_free(arena);
}

int main(void)
{
    size_t bytes = AXES * sizeof(uint32_t) * VIEW_SPAN_MAX;
    uint32_t *to = malloc(bytes), *from = malloc(bytes);
    bool kept = to != NULL && from != NULL;

    if (!kept)
        goto out;
    memset(to, 1, bytes);
    memset(from, 2, bytes);
    for (size_t i = 0; i < ARRAY_LEN(worlds); i++)
        kept &= measure(i, to, from);
    measure_sequence("1048576 = 2x524288x1", (const int64_t[]){ 2, 524288, 1 });
    measure_sequence("1048576 = 128x1024x8", (const int64_t[]){ 128, 1024, 8 });
    measure_sequence("65536 = 2x16384x2", (const int64_t[]){ 2, 16384, 2 });
    measure_runs(to);
out:
    free(to);
    free(from);
    return kept ? 0 : 1;
}
