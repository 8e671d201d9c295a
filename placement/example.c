/* SPDX-License-Identifier: Apache-2.0 */
/* Examples for rules: a request that one refuses, and an accepted neighbour. */
#include "placement/example.h"

#include <stdlib.h>

#include "placement/example_hunt.h"

enum {
    SCRATCH_BYTES = 64 << 20, /* of one check */
    KNOBS_BYTES = 16 << 20,
    POOL_TRIES = 6000, /* to find accepted requests to begin with */
    PERCENT_SET = 15,  /* of the settings of a random request */
};

/* ---- the pool ------------------------------------------------------------ */

static void random_point(struct example_search *s,
                         const struct example_base *base, struct point *p)
{
    *p = (struct point){ .base = base };
    for (size_t i = 0; i < s->knobs.n; i++)
        if (example_random(s, 100) < PERCENT_SET ||
            (s->knobs.items[i].kind == KNOB_FACT && example_random(s, 2) == 0))
            p->values[i] = (uint8_t)example_random(s, s->knobs.items[i].n);
    if (p->values[s->knobs.n - 1] == 0)
        p->values[s->knobs.n - 1] = (uint8_t)(1 + example_random(s, 3));
}

/* Whether it is accepted, with so many warnings at most. */
static bool may_begin(struct example_search *s, const struct point *p,
                      size_t warnings)
{
    const struct check *check = example_accepted(s, p);

    return check != NULL && check->warnings.total <= warnings;
}

/* Leaves out what is not needed for it to be accepted, but keeps sizes above 1:
 * rules are about them. */
static void simplify(struct example_search *s, struct point *p, size_t warnings)
{
    for (size_t i = 0; i < s->knobs.n; i++) {
        uint8_t was = p->values[i];

        if (was == 0 || s->knobs.items[i].kind != KNOB_OPTION)
            continue;
        p->values[i] = 0;
        if (!may_begin(s, p, warnings))
            p->values[i] = was;
    }
}

/* Fills the pool up to n_pool requests, with so many warnings at most. */
static void fill_pool(struct example_search *s,
                      const struct example_base *bases, size_t n, size_t n_pool,
                      size_t warnings)
{
    for (int i = 0; i < POOL_TRIES && s->n_pool < n_pool; i++) {
        struct point p;

        random_point(s, &bases[(size_t)i % n], &p);
        if (!may_begin(s, &p, warnings))
            continue;
        simplify(s, &p, warnings);
        s->pool[s->n_pool++] = p;
    }
}

struct example_search *example_search_new(const struct runtime *rt,
                                          const struct example_base *bases,
                                          size_t n, struct error *err)
{
    struct example_search *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_exhausted(err);
        return NULL;
    }
    s->random = UINT64_C(0x9e3779b97f4a7c15);
    s->arena = arena_new(KNOBS_BYTES);
    s->scratch = arena_new(SCRATCH_BYTES);
    if (s->arena == NULL || s->scratch == NULL) {
        error_exhausted(err);
        example_search_free(s);
        return NULL;
    }
    if (knobs_init(&s->knobs, rt, bases, n, s->arena, err) < 0) {
        example_search_free(s);
        return NULL;
    }
    fill_pool(s, bases, n, EXAMPLE_POOL_MAX / 2, 0);
    fill_pool(s, bases, n, EXAMPLE_POOL_MAX, SIZE_MAX);
    return s;
}

void example_search_free(struct example_search *s)
{
    if (s == NULL)
        return;
    arena_free(s->arena);
    arena_free(s->scratch);
    free(s);
}

/* ---- the answer ---------------------------------------------------------- */

int example_find(struct example_search *s, const struct example_sought *sought,
                 struct arena *arena, struct example *ret, struct error *err)
{
    struct hunt h;

    s->random = UINT64_C(0x9e3779b97f4a7c15);
    hunt_init(&h, s, sought);
    if (h.n_knobs == 0 || s->n_pool == 0)
        return 0;
    if (sought->rule->structure == STRUCTURE_axis_sets)
        hunt_axis_sets(&h);
    if (h.best < 0)
        hunt_changes(&h);
    if (h.best < 0)
        return 0;
    hunt_shrink(&h);
    return example_answer(&s->knobs, &h.good, &h.bad, sought, arena, ret, err);
}
