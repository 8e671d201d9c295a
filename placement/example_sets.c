/* SPDX-License-Identifier: Apache-2.0 */
/* Examples for axes that may not be above 1 together. */
#include "placement/example_hunt.h"
#include "placement/structure.h"

enum {
    AXES_TOGETHER_MAX = 4, /* of 16 axes: 2,500 sets, a check each */
    MENDS_MAX = 8, /* rounds through the settings to have one accepted */
};

/* What is wrong with a request: refusals, or that there is no memory. */
static size_t refusals(struct example_search *s, const struct point *p)
{
    const struct check *check = example_check(s, p, 0);

    return check != NULL ? check->refused.total : SIZE_MAX;
}

/* Sets the knob to what leaves the fewest refusals, but fewer than now. */
static bool mend_knob(struct example_search *s, struct point *p, size_t knob,
                      size_t *ret_left)
{
    const size_t n = s->knobs.items[knob].n;
    uint8_t best = p->values[knob];
    bool better = false;

    for (size_t v = 0; *ret_left > 0 && v < n; v++) {
        size_t left;

        p->values[knob] = (uint8_t)v;
        left = refusals(s, p);
        if (left < *ret_left) {
            *ret_left = left;
            best = (uint8_t)v;
            better = true;
        }
    }
    p->values[knob] = best;
    return better;
}

/* Changes settings other than sizes until the request is accepted: the world
 * first, then one after the other. */
static bool mend(struct example_search *s, struct point *p)
{
    size_t left = refusals(s, p), world = s->knobs.n - 1;

    if (left > 0)
        mend_knob(s, p, world, &left);
    for (int i = 0; i < MENDS_MAX && left > 0; i++) {
        bool better = false;

        for (size_t k = 0; k < world && left > 0; k++)
            if (s->knobs.items[k].kind != KNOB_SIZE)
                better |= mend_knob(s, p, k, &left);
        if (!better)
            return false;
    }
    return left == 0;
}

/* Tries the set with each axis left out in turn. */
static void try_set(struct hunt *h, const struct point *together, uint32_t axes)
{
    for (size_t a = 0; a < h->s->knobs.rt->n_axes && !hunt_over(h); a++) {
        struct point good = *together, bad;

        /* the knobs begin with the sizes of the axes */
        if ((axes & 1u << a) == 0)
            continue;
        good.values[a] = 0;
        if (!mend(h->s, &good))
            continue;
        bad = good;
        bad.values[a] = together->values[a];
        hunt_take(h, &good, &bad);
    }
}

/* The next number with as many bits set; 0: none below the limit. */
static uint32_t next_set(uint32_t set, uint32_t limit)
{
    uint32_t low = set & -set, carried = set + low;

    if (carried >= limit || carried < set)
        return 0;
    return carried | (((carried ^ set) / low) >> 2);
}

void hunt_axis_sets(struct hunt *h)
{
    struct example_search *s = h->s;
    size_t n_axes = s->knobs.rt->n_axes;
    struct point p = { .base = s->knobs.bases };

    p.values[s->knobs.n - 1] = 1; /* as many ranks as the sizes multiply to */
    for (size_t n = 2; n <= AXES_TOGETHER_MAX && n <= n_axes; n++)
        for (uint32_t axes = (1u << n) - 1; axes != 0 && !hunt_over(h);
             axes = next_set(axes, 1u << n_axes)) {
            const struct check *check;

            for (size_t a = 0; a < n_axes; a++)
                p.values[a] = (axes >> a & 1u) != 0; /* the first size is 2 */
            check = example_check(s, &p, 0);
            h->n_checks++;
            if (check != NULL && example_finding(check, h->sought))
                try_set(h, &p, axes);
        }
}
