/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what the evaluation of an expression costs, in ns a node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "placement/expression.h"

enum { ROUNDS = 20000, RUNS = 200, BAR_NS = 4, ARENA_BYTES = 1 << 20 };

/* Names by slot, all integers but heads, which is a number or a list. */
static const char *const names[] = { "heads", "tp", "world",
                                     "cp",    "ep", "layers" };
static const struct value items[] = {
    { .type = VALUE_INT, .u.integer = 64 },
    { .type = VALUE_INT, .u.integer = 48 },
    { .type = VALUE_INT, .u.integer = 32 },
    { .type = VALUE_INT, .u.integer = 16 },
};

/* nodes: evaluated in one evaluation. */
static const struct {
    const char *source;
    int nodes;
} cases[] = {
    { "heads.exists(h, h % tp != 0)", 2 + 4 * 5 },
    { "world % (tp * cp) != 0 && ep > 1", 8 }, /* the first part decides */
    { "world % (tp * cp) == 0 && ep > 1", 11 },
    { "max(tp, cp, ep) * ceil_div(layers, cp) <= world", 10 },
    { "tp > 1 ? layers % tp != 0 : world / cp > ep", 9 },
};

static int find_name(void *arg, const char *name, struct shape *ret_shape,
                     struct error *err)
{
    (void)arg, (void)err;
    for (int i = 0; i < (int)ARRAY_LEN(names); i++)
        if (strcmp(names[i], name) == 0) {
            *ret_shape = (struct shape){
                .types = (uint8_t)(VALUE_INT | (i == 0 ? VALUE_LIST : 0)),
                .element_types = VALUE_INT,
            };
            return i;
        }
    return -1;
}

static const char *find_nearest(void *arg, uint16_t kind, const char *name)
{
    (void)arg, (void)kind, (void)name;
    return NULL;
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns for one evaluation: the best of the runs, the machine's noise left out. */
static double measure(const struct expression *expr, struct environment *env,
                      unsigned *ret_true)
{
    double best = 0;

    for (int run = 0; run < RUNS; run++) {
        double start = now_ns(), ns;

        for (int i = 0; i < ROUNDS; i++)
            *ret_true += value_is_true(expression_eval(expr, env));
        ns = (now_ns() - start) / ROUNDS;
        best = run == 0 || ns < best ? ns : best;
    }
    return best;
}

int main(void)
{
    const struct value slots[] = {
        value_list(items, ARRAY_LEN(items)),
        value_int(8),
        value_int(4096),
        value_int(4),
        value_int(2),
        value_int(96),
    };
    const struct name_space space = { .name = find_name,
                                      .nearest = find_nearest };
    struct arena *arena = arena_new(ARENA_BYTES);
    struct environment env = { .slots = slots, .arena = arena };
    unsigned n_true = 0;
    int rc = 0;

    if (arena == NULL)
        return 1;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tree *at = tree_new_string(arena, NULL, NULL, cases[i].source);
        struct error err = { 0 };
        const struct expression *expr =
            at != NULL ? expression_compile(arena, at, &space, VALUE_BOOL, &err)
                       : NULL;
        double ns;

        if (expr == NULL) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        ns = measure(expr, &env, &n_true);
        printf("%-48s %6.1f ns %5.2f ns/node\n", cases[i].source, ns,
               ns / cases[i].nodes);
        rc |= ns / cases[i].nodes > BAR_NS;
    }
    printf("bar: %d ns a node: %s\n", BAR_NS, rc == 0 ? "held" : "missed");
    arena_free(arena);
    return rc == 0 && n_true > 0 ? 0 : 1;
}
