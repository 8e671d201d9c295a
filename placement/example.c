/* SPDX-License-Identifier: Apache-2.0 */
/* Examples for rules: a request that one refuses, and an accepted neighbour. */
#include "placement/example.h"

#include <stdlib.h>
#include <string.h>

#include "placement/example_knobs.h"
#include "placement/lint_grid.h"
#include "placement/search.h"

enum {
    SCRATCH_BYTES = 64 << 20, /* of one check */
    KNOBS_BYTES = 16 << 20,
    POOL_MAX = 48,        /* accepted requests to begin with */
    POOL_TRIES = 6000,    /* to find them */
    PERCENT_SET = 15,     /* of the settings of a random request */
    CANDIDATES_MAX = 200, /* examples of which the simplest is taken */
    COST_GOOD = 2,        /* no better one is looked for */
    TRIES_PAIR = 8000,    /* changes of two settings */
    TRIES_BETTER = 1500,  /* the same, for a plainer example than was found */
};

struct example_search {
    struct arena *arena, *scratch;
    struct knobs knobs;
    struct point pool[POOL_MAX];
    size_t n_pool;
    uint64_t random;
};

/* ---- trying -------------------------------------------------------------- */

/* xorshift64: the same numbers every time. */
static uint32_t below(struct example_search *s, size_t n)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (uint32_t)((s->random >> 16) % n);
}

static struct check *check_point(struct example_search *s,
                                 const struct point *p, unsigned flags)
{
    struct question question;

    arena_reset(s->scratch);
    if (!point_question(&s->knobs, p, s->scratch, &question))
        return NULL;
    return check_run(&question, s->scratch, flags, NULL);
}

static bool accepts(struct example_search *s, const struct point *p)
{
    const struct check *check = check_point(s, p, CHECK_VERDICT_ONLY);

    return check != NULL && check_accepts(check);
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
                     const struct rule *rule, const char *code)
{
    const struct check *check = check_point(s, p, 0);
    const struct finding *f =
        check != NULL ? example_finding(check, rule, code) : NULL;
    bool refuses;

    if (f == NULL)
        return -1;
    refuses = check->refused.n > 0;
    if (rule->warns || !refuses)
        return refuses ? 1000 : 0;
    return ((int)check->refused.total - 1) * 20 +
           (f != &check->refused.items[0] ? 1000 : 0) +
           (fills_ranks(check) ? 0 : 5);
}

/* ---- the pool ------------------------------------------------------------ */

static void random_point(struct example_search *s,
                         const struct example_base *base, struct point *p)
{
    *p = (struct point){ .base = base };
    for (size_t i = 0; i < s->knobs.n; i++)
        if (below(s, 100) < PERCENT_SET ||
            (s->knobs.items[i].kind == KNOB_FACT && below(s, 2) == 0))
            p->values[i] = (uint8_t)below(s, s->knobs.items[i].n);
    if (p->values[s->knobs.n - 1] == 0)
        p->values[s->knobs.n - 1] = (uint8_t)(1 + below(s, 3));
}

/* Leaves out what is not needed for it to be accepted, but keeps sizes above 1:
 * rules are about them. */
static void simplify(struct example_search *s, struct point *p)
{
    for (size_t i = 0; i < s->knobs.n; i++) {
        uint8_t was = p->values[i];

        if (was == 0 || s->knobs.items[i].kind != KNOB_OPTION)
            continue;
        p->values[i] = 0;
        if (!accepts(s, p))
            p->values[i] = was;
    }
}

static void fill_pool(struct example_search *s,
                      const struct example_base *bases, size_t n)
{
    for (int i = 0; i < POOL_TRIES && s->n_pool < POOL_MAX; i++) {
        struct point p;

        random_point(s, &bases[(size_t)i % n], &p);
        if (!accepts(s, &p))
            continue;
        simplify(s, &p);
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
    fill_pool(s, bases, n);
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

/* ---- one rule ------------------------------------------------------------ */

/* The search for one rule's example. */
struct hunt {
    struct example_search *s;
    const struct rule *rule;
    const char *code;
    size_t knobs[KNOBS_MAX]; /* that it depends on */
    size_t n_read, n_knobs;  /* those that it reads come first */
    struct point good, bad;  /* the best pair so far */
    int best;                /* its cost; below 0: none */
    size_t n_found, n_checks;
};

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

static bool is_read(const struct hunt *h, const struct slot_set *set,
                    const struct knob *knob)
{
    const struct rule *rule = h->rule;

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
    bool all = h->rule->structure >= 0;

    arena_reset(h->s->scratch);
    set = slot_set_new(k->rt, h->s->scratch);
    if (set == NULL)
        return;
    slot_set_read(set, h->rule->when);
    slot_set_read(set, h->rule->refuse);
    slot_set_read(set, h->rule->items);
    if (reads_lists(h->rule->refuse))
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

static bool hunt_over(const struct hunt *h)
{
    return h->n_found == CANDIDATES_MAX || h->n_checks >= EXAMPLE_CHECKS_MAX ||
           (h->best >= 0 && h->best <= COST_GOOD);
}

/* The faults of the refused one and the differences to the accepted one, where
 * other facts are no answer to who has a model. Below 0: no example. */
static int cost_of(struct hunt *h, const struct point *good,
                   const struct point *bad)
{
    int cost = faults_of(h->s, bad, h->rule, h->code);

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

/* Takes a pair if it is an example, and a plainer one than before. */
static void take_pair(struct hunt *h, const struct point *good,
                      const struct point *bad)
{
    int cost = cost_of(h, good, bad);

    h->n_checks++;
    if (cost < 0)
        return;
    h->n_found++;
    if (h->best >= 0 && cost >= h->best)
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
            take_pair(h, good, &bad);
        }
    }
}

static void try_several(struct hunt *h, int changes)
{
    struct example_search *s = h->s;
    const struct point *good = &s->pool[below(s, s->n_pool)];
    struct point bad = *good;

    for (int i = 0; i < changes; i++) {
        size_t among = below(s, 4) > 0 ? h->n_read : h->n_knobs;
        size_t knob = h->knobs[below(s, among)];

        bad.values[knob] = (uint8_t)below(s, s->knobs.items[knob].n);
    }
    take_pair(h, good, &bad);
}

/* Brings the two together: each difference that is not needed goes, and each
 * setting that neither needs. */
static void shrink(struct hunt *h)
{
    for (size_t i = 0; i < h->s->knobs.n; i++) {
        struct point good = h->good, bad = h->bad;

        if (good.values[i] == bad.values[i])
            continue;
        bad.values[i] = good.values[i];
        take_pair(h, &good, &bad);
    }
    for (size_t i = 0; i < h->s->knobs.n; i++) {
        struct point good = h->good, bad = h->bad;
        int cost;

        if (good.values[i] == 0 || good.values[i] != bad.values[i])
            continue;
        good.values[i] = bad.values[i] = 0;
        cost = cost_of(h, &good, &bad);
        if (cost < 0 || cost > h->best || !accepts(h->s, &good))
            continue;
        h->best = cost;
        h->good = good;
        h->bad = bad;
    }
}

/* ---- the answer ---------------------------------------------------------- */

int example_find(struct example_search *s, const struct rule *rule,
                 const char *code, struct arena *arena, struct example *ret,
                 struct error *err)
{
    struct hunt h = { .s = s, .rule = rule, .code = code, .best = -1 };

    s->random = UINT64_C(0x9e3779b97f4a7c15);
    choose_knobs(&h);
    if (h.n_knobs == 0 || s->n_pool == 0)
        return 0;
    for (size_t i = 0; i < s->n_pool && !hunt_over(&h); i++)
        try_singles(&h, &s->pool[i]);
    for (int i = 0;
         i < (h.best < 0 ? TRIES_PAIR : TRIES_BETTER) && !hunt_over(&h); i++)
        try_several(&h, 2);
    while (h.best < 0 && h.n_checks < EXAMPLE_CHECKS_MAX)
        try_several(&h, 3 + (int)below(s, 3));
    if (h.best < 0)
        return 0;
    shrink(&h);
    return example_answer(&s->knobs, &h.good, &h.bad, rule, code, arena, ret,
                          err);
}
