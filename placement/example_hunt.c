/* SPDX-License-Identifier: Apache-2.0 */
/* The search for one rule's example. */
#include "placement/example_hunt.h"

#include <string.h>

#include "placement/lint_grid.h"
#include "placement/search.h"

enum {
    CANDIDATES_MAX = 200,  /* examples of which the simplest is taken */
    COST_GOOD = 2,         /* no better one is looked for */
    COST_WARNING = 3,      /* of the accepted one */
    COST_FINDING = 20,     /* another finding of the refused one */
    COST_NOT_FIRST = 1000, /* another finding stands in front */
    TRIES_PAIR = 8000,     /* changes of two settings */
    TRIES_BETTER = 1500,   /* the same, for a plainer example than was found */
    PASSES_MAX = 8,        /* over all settings, for plainer values */
};

/* ---- trying -------------------------------------------------------------- */

/* xorshift64: the same numbers every time. */
uint32_t example_random(struct example_search *s, size_t n)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (uint32_t)((s->random >> 16) % n);
}

struct check *example_check(struct example_search *s, const struct point *p,
                            unsigned flags)
{
    struct question question;

    arena_reset(s->scratch);
    if (!point_question(&s->knobs, p, s->scratch, &question))
        return NULL;
    return check_run(&question, s->scratch, flags, NULL);
}

const struct check *example_accepted(struct example_search *s,
                                     const struct point *p)
{
    const struct check *check = example_check(s, p, CHECK_VERDICT_ONLY);

    if (check == NULL || !check_accepts(check))
        return NULL;
    return example_check(s, p, 0); /* which warns, too */
}

/* Whether the sizes of a request fill its ranks, as far as they are known. */
static bool fills_ranks(const struct check *check)
{
    const struct scope *scope = &check->scopes[0];
    int64_t sizes[RUNTIME_AXES_MAX], n = (int64_t)scope->group->n_ranks;

    for (size_t a = 0; a < check->rt->n_axes; a++)
        sizes[a] = scope_size(check, scope, (int)a);
    return !check->dep->spans || sizes_may_fit(check->rt, sizes, n);
}

/* What is wrong with an example, in points: other findings, above all those in
 * front, which hide it from who made the request. Below 0: it is none. */
static int faults_of(struct example_search *s, const struct point *p,
                     const struct example_sought *sought)
{
    const struct check *check = example_check(s, p, 0);
    const struct finding *f =
        check != NULL ? example_finding(check, sought) : NULL;
    int others;

    if (f == NULL)
        return -1;
    if (check->refused.n == 0)
        return 0; /* a warning */
    others = (int)check->refused.total * COST_FINDING;
    if (sought->rule->warns)
        return COST_NOT_FIRST + others;
    return others - COST_FINDING +
           (f != &check->refused.items[0] ? COST_NOT_FIRST : 0) +
           (fills_ranks(check) ? 0 : 5);
}

/* ---- what a rule depends on ---------------------------------------------- */

/* Whether a name stands in an expression, also as the member of an item. */
static bool is_named(const struct expression *expr, const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const char *source = expr != NULL ? expression_source(expr) : "";
    size_t len = strlen(name);

    for (const char *at = source; (at = strstr(at, name)) != NULL; at += len)
        if ((at == source || strchr(word, at[-1]) == NULL) &&
            (at[len] == '\0' || strchr(word, at[len]) == NULL))
            return true;
    return false;
}

/* Whether a structure check is about the knob itself. */
static bool is_meant(const struct hunt *h, const struct knob *knob)
{
    const struct runtime *rt = h->s->knobs.rt;
    const char *code;

    switch (knob->kind) {
    case KNOB_OPTION:
        return h->sought->rule->structure == STRUCTURE_options &&
               h->sought->rule->option == knob->index;
    case KNOB_CARRY:
        code = rt->carries[knob->index].code;
        return h->sought->rule->structure == STRUCTURE_keys && code != NULL &&
               strcmp(code, h->sought->code) == 0;
    case KNOB_RANKS:
        return h->sought->rule->structure == STRUCTURE_ranks ||
               h->sought->rule->structure == STRUCTURE_dense_ranks;
    case KNOB_SIZE:
    case KNOB_FACT:
    case KNOB_WORLD:
        break;
    }
    return false;
}

static bool is_read(const struct hunt *h, const struct slot_set *set,
                    const struct knob *knob)
{
    const struct rule *rule = h->sought->rule;

    if (is_meant(h, knob))
        return true;
    if (knob->kind == KNOB_CARRY && slot_set_has(set, SLOT_SIGNALS) &&
        h->s->knobs.rt->carries[knob->index].merge_shard_dim)
        return true; /* it says which signals are cut */
    return knob->kind == KNOB_WORLD || slot_set_has(set, knob->slot) ||
           is_named(rule->when, knob->name) ||
           is_named(rule->refuse, knob->name) ||
           is_named(rule->items, knob->name);
}

static bool reads_lists(const struct expression *expr)
{
    return expr != NULL && strstr(expression_source(expr), "lists(") != NULL;
}

/* What decides where ranks stand. */
static void read_layout(const struct runtime *rt, struct slot_set *set)
{
    for (size_t v = 0; v < rt->n_views; v++)
        for (size_t f = 0; f < rt->views[v].n_forms; f++)
            slot_set_read(set, rt->views[v].forms[f].order);
    slot_set_read(set, rt->offset);
}

/* What the rule reads comes first: directly, by derived values or from items;
 * then the other sizes; then, where it looks at groups or requests as a whole,
 * all else. */
static void choose_knobs(struct hunt *h)
{
    const struct knobs *k = &h->s->knobs;
    struct slot_set *set;
    bool all = h->sought->rule->structure >= 0;

    arena_reset(h->s->scratch);
    set = slot_set_new(k->rt, h->s->scratch);
    if (set == NULL)
        return;
    slot_set_read(set, h->sought->rule->when);
    slot_set_read(set, h->sought->rule->refuse);
    slot_set_read(set, h->sought->rule->items);
    if (reads_lists(h->sought->rule->refuse))
        read_layout(k->rt, set);
    for (int slot = SLOT_AXES_ABOVE_ONE; slot <= SLOT_COMBINED; slot++)
        all |= slot_set_has(set, slot);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < k->n; i++) {
            const struct knob *knob = &k->items[i];
            bool read = is_read(h, set, knob);

            if (knob->n > 1 && read == (pass == 0) &&
                (read || all || knob->kind == KNOB_SIZE))
                h->knobs[h->n_knobs++] = i;
        }
        if (pass == 0)
            h->n_read = h->n_knobs;
    }
}

void hunt_init(struct hunt *h, struct example_search *s,
               const struct example_sought *sought)
{
    *h = (struct hunt){ .s = s, .sought = sought, .best = -1 };
    choose_knobs(h);
}

bool hunt_over(const struct hunt *h)
{
    return h->n_found == CANDIDATES_MAX || h->n_checks >= EXAMPLE_CHECKS_MAX ||
           (h->best >= 0 && h->best <= COST_GOOD);
}

/* The faults of the refused one and the differences to the accepted one, where
 * other facts are no answer to who has a model. Below 0: no example. */
static int cost_of(struct hunt *h, const struct point *good,
                   const struct point *bad)
{
    int cost = faults_of(h->s, bad, h->sought);

    for (size_t i = 0; i < h->s->knobs.n && cost >= 0; i++) {
        const struct knob *knob = &h->s->knobs.items[i];
        const struct tree *value = knob->values[bad->values[i]];

        if (good->values[i] != bad->values[i])
            cost += knob->kind == KNOB_FACT ? 10 : 1;
        if (value != NULL && value->type == TREE_LIST)
            cost += 3; /* a number is plainer */
    }
    return cost;
}

/* Warnings of a point; -1: it is no neighbour, for it is refused or the rule
 * finds the same there. */
static int neighbour_warnings(struct hunt *h, const struct point *p)
{
    const struct check *check = example_accepted(h->s, p);

    if (check == NULL || example_finding(check, h->sought) != NULL)
        return -1;
    return (int)check->warnings.total;
}

void hunt_take(struct hunt *h, const struct point *good,
               const struct point *bad)
{
    int cost = cost_of(h, good, bad), warnings;

    h->n_checks++;
    if (cost < 0)
        return;
    h->n_found++;
    if (h->best >= 0 && cost >= h->best)
        return;
    warnings = neighbour_warnings(h, good);
    cost += COST_WARNING * warnings;
    if (warnings < 0 || (h->best >= 0 && cost >= h->best))
        return;
    h->best = cost;
    h->good = *good;
    h->bad = *bad;
}

static void try_singles(struct hunt *h, const struct point *good)
{
    for (size_t i = 0; i < h->n_knobs && !hunt_over(h); i++) {
        size_t knob = h->knobs[i];

        for (size_t v = 0; v < h->s->knobs.items[knob].n && !hunt_over(h);
             v++) {
            struct point bad = *good;

            if (v == good->values[knob])
                continue;
            bad.values[knob] = (uint8_t)v;
            hunt_take(h, good, &bad);
        }
    }
}

static void try_several(struct hunt *h, int changes)
{
    struct example_search *s = h->s;
    const struct point *good = &s->pool[example_random(s, s->n_pool)];
    struct point bad = *good;

    for (int i = 0; i < changes; i++) {
        size_t among = example_random(s, 4) > 0 ? h->n_read : h->n_knobs;
        size_t knob = h->knobs[example_random(s, among)];

        bad.values[knob] = (uint8_t)example_random(s, s->knobs.items[knob].n);
    }
    hunt_take(h, good, &bad);
}

void hunt_changes(struct hunt *h)
{
    struct example_search *s = h->s;

    for (size_t i = 0; i < s->n_pool && !hunt_over(h); i++)
        try_singles(h, &s->pool[i]);
    for (int i = 0;
         i < (h->best < 0 ? TRIES_PAIR : TRIES_BETTER) && !hunt_over(h); i++)
        try_several(h, 2);
    while (h->best < 0 && h->n_checks < EXAMPLE_CHECKS_MAX)
        try_several(h, 3 + (int)example_random(s, 3));
}

/* Takes a pair that costs no more than the limit, where the accepted one may
 * have changed, too. Returns whether it did. */
static bool try_pair(struct hunt *h, const struct point *good,
                     const struct point *bad, int limit)
{
    int cost = cost_of(h, good, bad);
    int warnings =
        cost >= 0 && cost <= limit ? neighbour_warnings(h, good) : -1;

    h->n_checks++;
    if (warnings < 0 || cost + COST_WARNING * warnings > limit)
        return false;
    h->best = cost + COST_WARNING * warnings;
    h->good = *good;
    h->bad = *bad;
    return true;
}

/* Puts a value into the refused one, and into both where they have the same. */
static bool try_value(struct hunt *h, size_t knob, uint8_t value, int limit)
{
    struct point good = h->good, bad = h->bad;

    bad.values[knob] = value;
    if (h->good.values[knob] == h->bad.values[knob])
        good.values[knob] = value;
    return try_pair(h, &good, &bad, limit);
}

/* Leaves the accepted one as the refused one is. */
static bool try_likewise(struct hunt *h, size_t knob)
{
    struct point good = h->good;

    good.values[knob] = h->bad.values[knob];
    return try_pair(h, &good, &h->bad, h->best);
}

/* Changes a setting of both so that other findings no longer stand in front of
 * the one that is meant. Returns whether one did. */
static bool uncover(struct hunt *h)
{
    for (size_t i = 0; i < h->s->knobs.n; i++)
        for (size_t v = 0; v < h->s->knobs.items[i].n; v++)
            if (h->good.values[i] == h->bad.values[i] &&
                v != h->bad.values[i] &&
                try_value(h, i, (uint8_t)v, h->best - COST_FINDING))
                return true;
    return false;
}

/* Leaves out what is not needed of a list of maps: entries, then members. What
 * remains stands behind the values of the knob, in one of two places. */
static void shrink_records(struct hunt *h, size_t index)
{
    struct knob *knob = &h->s->knobs.items[index];
    const struct tree *list = knob->values[h->bad.values[index]], *less;
    uint8_t spare = (uint8_t)knob->n;
    size_t i = 0;

    while ((less = knob_without(&h->s->knobs, list, i)) != NULL) {
        knob->values[spare] = less;
        if (!try_value(h, index, spare, h->best)) {
            i++;
            continue;
        }
        list = less;
        spare = (uint8_t)(spare == knob->n ? knob->n + 1 : knob->n);
    }
}

/* Puts the first value that does into a setting of the refused one: the plain
 * ones come first. Returns whether it is another one than before. */
static bool try_plainer(struct hunt *h, size_t knob)
{
    uint8_t value = h->bad.values[knob];

    for (uint8_t v = 1; v < value; v++)
        if (try_value(h, knob, v, h->best))
            return true;
    return false;
}

void hunt_shrink(struct hunt *h)
{
    size_t n = h->s->knobs.n;
    bool again = true;
    int passes = 0;

    while (h->best >= COST_NOT_FIRST && uncover(h))
        ;
    for (size_t i = 0; i < n; i++)
        if (h->good.values[i] != h->bad.values[i])
            (void)(try_value(h, i, h->good.values[i], h->best) ||
                   try_likewise(h, i));
    for (size_t i = 0; i < n; i++)
        if (h->good.values[i] != 0 && h->good.values[i] == h->bad.values[i])
            try_value(h, i, 0, h->best);
    while (again && passes++ < PASSES_MAX) {
        again = false;
        for (size_t i = 0; i < n; i++)
            again |= try_plainer(h, i);
    }
    for (size_t i = 0; i < n; i++)
        shrink_records(h, i);
}
