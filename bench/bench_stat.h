/* SPDX-License-Identifier: Apache-2.0 */
/* What every measurement needs: clocks, medians over pairs, lines of a table.
 */
#ifndef SERRIED_BENCH_STAT_H
#define SERRIED_BENCH_STAT_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAIRS_MAX = 64 };

static inline double now_s(clockid_t clock)
{
    struct timespec t = { 0 };

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* errno 0: what is the whole sentence. */
static inline void die(const char *what)
{
    fprintf(stderr, "bench: %s%s%s\n", what, errno != 0 ? ": " : "",
            errno != 0 ? strerror(errno) : "");
    exit(1);
}

static inline int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Sorts the values; part 0.5: the median. */
static inline double quantile(double *values, size_t n, double part)
{
    size_t at = (size_t)(part * (double)n);

    qsort(values, n, sizeof(*values), by_size);
    return values[at < n ? at : n - 1];
}

/* What is measured against its floor: ours / floor, or floor / ours where more
 * is better, is at most the bar. */
struct row {
    const char *what, *unit;
    double bar;   /* 0: reported only */
    bool is_rate; /* more is better: ours / floor is at least the bar */
};

struct pairs {
    double ours[PAIRS_MAX], floor[PAIRS_MAX];
    size_t n;
};

static inline void pairs_add(struct pairs *pairs, double ours, double floor)
{
    pairs->ours[pairs->n] = ours;
    pairs->floor[pairs->n++] = floor;
}

static inline void print_spread(double *values, size_t n)
{
    double middle = quantile(values, n, 0.5);

    printf(" %.4g (%.4g..%.4g) |", middle, values[0], values[n - 1]);
}

/* Prints `| what | bar | ours | floor | ratio (of pairs) | held |`; whether the
 * bar was held. The ratio is that of the medians. */
static inline bool pairs_print(const struct row *row, struct pairs *pairs)
{
    double ratios[PAIRS_MAX], ratio;
    bool held;

    for (size_t i = 0; i < pairs->n; i++)
        ratios[i] = pairs->ours[i] / pairs->floor[i];
    ratio = quantile(pairs->ours, pairs->n, 0.5) /
            quantile(pairs->floor, pairs->n, 0.5);
    held =
        row->bar == 0 || (row->is_rate ? ratio >= row->bar : ratio <= row->bar);
    printf("| %s, %s | ", row->what, row->unit);
    if (row->bar > 0)
        printf("%s %.4g |", row->is_rate ? ">=" : "<=", row->bar);
    else
        printf("reported |");
    print_spread(pairs->ours, pairs->n);
    print_spread(pairs->floor, pairs->n);
    qsort(ratios, pairs->n, sizeof(*ratios), by_size);
    printf(" %.2f (%.2f..%.2f) | %s |\n", ratio, ratios[0],
           ratios[pairs->n - 1],
           row->bar == 0 ? "-"
           : held        ? "held"
                         : "MISSED");
    fflush(stdout);
    return held;
}

/* The same line for one figure that has no floor. */
static inline bool figure_print(const struct row *row, double figure)
{
    bool held = row->bar == 0 ||
                (row->is_rate ? figure >= row->bar : figure <= row->bar);

    printf("| %s, %s | ", row->what, row->unit);
    if (row->bar > 0)
        printf("%s %.4g |", row->is_rate ? ">=" : "<=", row->bar);
    else
        printf("reported |");
    printf(" %.4g | - | - | %s |\n", figure,
           row->bar == 0 ? "-"
           : held        ? "held"
                         : "MISSED");
    fflush(stdout);
    return held;
}

static inline void table_head(void)
{
    printf("| what | bar | ours (least..most) | floor (least..most) | ratio "
           "(of pairs) | |\n|---|---|---|---|---|---|\n");
}

#endif
