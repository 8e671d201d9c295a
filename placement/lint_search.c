/* SPDX-License-Identifier: Apache-2.0 */
/* Lint, second part: for each rule that the grid never made the first, a search
 * for a request in which it is. Starts where only what the rule reads was
 * drawn, and then changes one knob after the other so that fewer rules come
 * before. */
#include "placement/lint_points.h"

#include <string.h>

enum {
    DRAWS = 192,  /* to make the rule true */
    STARTS = 24,  /* from different draws */
    PASSES = 3,   /* over all knobs, from one start */
    NEVER = 1024, /* findings before a rule that is not true */
};

struct hunt {
    struct grid *g;
    size_t rule;
    uint64_t state; /* of the generator */
    bool *relevant; /* by knob: the rule reads it */
    bool failed;
};

/* Splitmix: the same numbers every time. */
static size_t draw(struct hunt *h, size_t n)
{
    uint64_t z = h->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((z ^ z >> 31) % n);
}

/* ---- one request ----------------------------------------------------------
 */

/* Findings that come before the rule's; NEVER: it found nothing. */
static size_t findings_before(struct hunt *h)
{
    const struct check *check = grid_try_values(h->g);
    const struct rule *rule = &h->g->rt->rules[h->rule];
    const struct findings *list;
    size_t before = 0;

    if (check == NULL) {
        h->failed = true;
        return NEVER;
    }
    list = rule->warns ? &check->warnings : &check->refused;
    for (size_t i = 0; i < list->n; i++) {
        if (grid_rule(h->g, &list->items[i]) == h->rule)
            return rule->warns ? 0 : before;
        before += grid_counts(list->items[i].rule);
    }
    return NEVER;
}

/* Everything as it is when nothing is said, but for what the rule reads. */
static void start(struct hunt *h)
{
    for (size_t i = 0; i < h->g->n_knobs; i++) {
        const struct knob *knob = &h->g->knobs[i];

        h->g->values[i] = (uint16_t)(knob->may_be_absent ? knob->n : 0);
        if (h->relevant[i] && draw(h, 4) > 0)
            h->g->values[i] = (uint16_t)draw(h, knob_values(knob));
    }
}

/* ---- the way down ---------------------------------------------------------
 */

/* Tries all values of one knob; keeps the best, of equals the last drawn. */
static size_t improve(struct hunt *h, size_t knob, size_t before)
{
    uint16_t *value = &h->g->values[knob], best = *value;
    size_t n = knob_values(&h->g->knobs[knob]), first = draw(h, n);

    for (size_t k = 0; k < n && before > 0 && !h->failed; k++) {
        size_t now;

        *value = (uint16_t)((first + k) % n);
        now = findings_before(h);
        if (now > before)
            continue;
        best = *value;
        before = now;
    }
    *value = best;
    return before;
}

static size_t descend(struct hunt *h, size_t before)
{
    for (int pass = 0; pass < PASSES && before > 0; pass++) {
        size_t first = draw(h, h->g->n_knobs);

        for (size_t i = 0; i < h->g->n_knobs && before > 0 && !h->failed; i++)
            before = improve(h, (first + i) % h->g->n_knobs, before);
    }
    return before;
}

static void hunt_rule(struct hunt *h)
{
    for (int s = 0; s < STARTS && !h->failed; s++) {
        size_t before = NEVER;

        for (int d = 0; d < DRAWS && before == NEVER && !h->failed; d++) {
            start(h);
            before = findings_before(h);
        }
        if (before != NEVER && descend(h, before) == 0)
            return;
    }
}

/* ---- all of them ----------------------------------------------------------
 */

static void mark_relevant(struct hunt *h, struct slot_set *set)
{
    const struct runtime *rt = h->g->rt;
    const struct rule *rule = &rt->rules[h->rule];

    slot_set_read(set, rule->items);
    slot_set_read(set, rule->when);
    slot_set_read(set, rule->refuse);
    for (size_t i = 0; i < h->g->n_knobs; i++) {
        const struct edit *edit = &h->g->knobs[i].edit;

        if (edit->kind == EDIT_SIZE)
            h->relevant[i] = slot_set_has(set, rt->axes[edit->index].slot) ||
                             slot_set_has(set, SLOT_AXES_ABOVE_ONE);
        else if (edit->kind == EDIT_OPTION)
            h->relevant[i] = slot_set_has(set, rt->options[edit->index].slot);
        else
            h->relevant[i] = true;
    }
}

int grid_search(struct grid *g)
{
    struct hunt h = { .g = g };

    h.relevant = arena_array(g->arena, g->n_knobs, sizeof(*h.relevant));
    if (h.relevant == NULL)
        return error_exhausted(g->err);
    for (size_t i = 0; i < g->rt->n_rules && !h.failed; i++) {
        const struct rule *rule = &g->rt->rules[i];
        const struct trial *trial = &g->trials[i];
        struct slot_set *set;

        if (rule->structure >= 0 || trial->first ||
            (trial->fired && rule->warns) ||
            (!trial->fired && grid_needs_more(g, rule)))
            continue;
        set = slot_set_new(g->rt, g->arena);
        if (set == NULL)
            return error_exhausted(g->err);
        h.rule = i;
        mark_relevant(&h, set);
        hunt_rule(&h);
    }
    return h.failed ? -1 : 0;
}
