/* SPDX-License-Identifier: Apache-2.0 */
/* Trying the rules of a runtime on requests over a grid of sizes. */
#include "placement/lint_points.h"

#include <string.h>

enum {
    SCRATCH_BYTES = 32 << 20, /* of one check */
    RANKS_MAX = 4096,         /* of one request */
};

/* ---- slots --------------------------------------------------------------- */

struct slot_set {
    const struct runtime *rt;
    bool *has; /* by slot */
};

struct slot_set *slot_set_new(const struct runtime *rt, struct arena *arena)
{
    struct slot_set *set = arena_alloc(arena, sizeof(*set));

    if (set == NULL)
        return NULL;
    set->rt = rt;
    set->has = arena_array(arena, (size_t)rt->n_slots, sizeof(*set->has));
    return set->has != NULL ? set : NULL;
}

bool slot_set_has(const struct slot_set *set, int slot)
{
    return slot >= 0 && set->has[slot];
}

static void read_slot(void *arg, int slot)
{
    struct slot_set *set = arg;
    const struct symbol *symbol = runtime_symbol_at(set->rt, slot);
    const struct derived *derived;

    if (set->has[slot])
        return;
    set->has[slot] = true;
    if (symbol == NULL)
        return;
    if (symbol->kind == SYMBOL_AXIS) {
        slot_set_read(set, set->rt->axes[symbol->index].initial);
        slot_set_read(set, set->rt->axes[symbol->index].fill);
        slot_set_read(set, set->rt->axes[symbol->index].when);
    } else if (symbol->kind == SYMBOL_OPTION) {
        slot_set_read(set, set->rt->options[symbol->index].initial);
    } else if (symbol->kind == SYMBOL_DERIVED) {
        derived = &set->rt->derived[symbol->index];
        for (size_t i = 0; i < derived->n_alternatives; i++) {
            slot_set_read(set, derived->alternatives[i].when);
            slot_set_read(set, derived->alternatives[i].value);
        }
    }
}

void slot_set_add(struct slot_set *set, int slot)
{
    read_slot(set, slot);
}

void slot_set_read(struct slot_set *set, const struct expression *expr)
{
    if (expr != NULL)
        expression_slots(expr, read_slot, set);
}

/* ---- knobs --------------------------------------------------------------- */

static const int64_t size_values[] = { 1, 2, 3, 4, 6, LINT_SIZE_LARGEST };
/* 0 and below: that many times the product of the sizes, which is what fits. */
static const int64_t world_values[] = {
    0, -1, -2, -4, 1,  2,  3,  4,  5,  6,  7,
    8, 9,  10, 11, 12, 13, 14, 15, 16, 24, LINT_WORLD_LARGEST,
};
static const int64_t option_values[] = { -1, 0, 1, 2, 4, 8, 96 };

static struct knob *add_knob(struct grid *g, enum edit_kind kind, int index)
{
    struct knob *knob = &g->knobs[g->n_knobs++];

    knob->edit = (struct edit){ .kind = kind, .index = index };
    return knob;
}

static void add_axes(struct grid *g)
{
    for (size_t a = 0; a < g->rt->n_axes; a++) {
        const struct axis *axis = &g->rt->axes[a];
        struct knob *knob = add_knob(g, EDIT_SIZE, (int)a);

        knob->may_be_absent = axis->initial != NULL || axis->fill != NULL;
        knob->numbers = size_values;
        knob->n = ARRAY_LEN(size_values);
    }
}

/* Adds both truths, some numbers, or some short lists of numbers. */
static void make_values(struct tree_maker *maker, unsigned types,
                        struct tree *parent)
{
    static const struct {
        int64_t first, step;
        int n;
        bool unknown; /* a null behind them */
    } lists[] = {
        { 0, 0, 1, false }, { 1, 0, 1, false }, { 2, 0, 1, false },
        { 2, 0, 2, false }, { 0, 0, 4, false }, { 1, 1, 2, false },
        { 1, 0, 1, true },
    };

    for (int i = 0; types == VALUE_BOOL && i < 2; i++)
        make_bool(maker, parent, NULL, i == 0);
    for (size_t i = 0; (types & VALUE_INT) != 0 && i < ARRAY_LEN(option_values);
         i++)
        make_int(maker, parent, NULL, option_values[i]);
    for (size_t i = 0; types == VALUE_LIST && i < ARRAY_LEN(lists); i++) {
        struct tree *list = make_list(maker, parent, NULL);

        for (int k = 0; k < lists[i].n; k++)
            make_int(maker, list, NULL, lists[i].first + k * lists[i].step);
        if (lists[i].unknown)
            tree_new(maker->arena, list, NULL, TREE_NULL);
    }
}

/* Whether the option is tried with more than its default. */
static bool has_values(const struct option *option)
{
    return tree_count(option->one_of) > 0 || option->types == VALUE_BOOL ||
           option->types == VALUE_LIST || (option->types & VALUE_INT) != 0;
}

/* The values an option is tried with: those it is limited to, or some of its
 * type; of another type it keeps its default. */
static int add_option(struct grid *g, int index)
{
    const struct option *option = &g->rt->options[index];
    const struct tree *values = option->one_of;
    struct tree_maker maker = { .arena = g->arena };
    const struct tree **trees;
    struct tree *list;
    struct knob *knob;

    if (values == NULL) {
        list = make_list(&maker, NULL, NULL);
        make_values(&maker, option->types, list);
        values = list;
    }
    trees = arena_array(g->arena, tree_count(values) + 1, sizeof(*trees));
    if (maker.failed || trees == NULL)
        return error_exhausted(g->err);
    if (tree_count(values) == 0)
        return 0;
    knob = add_knob(g, EDIT_OPTION, index);
    knob->may_be_absent = true;
    knob->trees = trees;
    for (const struct tree *t = tree_first(values); t != NULL; t = t->next)
        trees[knob->n++] = t;
    return 0;
}

/* The world comes last, because it may be a multiple of the sizes. */
static int add_knobs(struct grid *g)
{
    struct knob *world;

    g->knobs = arena_array(g->arena, g->rt->n_axes + g->rt->n_options + 1,
                           sizeof(*g->knobs));
    if (g->knobs == NULL)
        return error_exhausted(g->err);
    add_axes(g);
    for (size_t i = 0; i < g->rt->n_options; i++)
        if (add_option(g, (int)i) < 0)
            return -1;
    world = add_knob(g, g->rt->spans ? EDIT_WORLD : EDIT_RANKS, 0);
    world->numbers = world_values;
    world->n = ARRAY_LEN(world_values);
    g->edits = arena_array(g->arena, g->n_knobs, sizeof(*g->edits));
    g->values = arena_array(g->arena, g->n_knobs, sizeof(*g->values));
    if (g->edits == NULL || g->values == NULL)
        return error_exhausted(g->err);
    g->total = 1;
    for (size_t i = 0; i < g->n_knobs; i++)
        if (g->total > UINT64_MAX / knob_values(&g->knobs[i]))
            g->total = UINT64_MAX;
        else
            g->total *= knob_values(&g->knobs[i]);
    return 0;
}

/* ---- requests ------------------------------------------------------------ */

/* A request that the knobs then change. */
static int make_base(struct grid *g)
{
    struct tree_maker maker = { .arena = g->arena };
    struct tree *document = make_map(&maker, NULL, NULL), *group;
    int64_t *ranks = arena_array(g->arena, RANKS_MAX, sizeof(*ranks));

    make_string(&maker, document, "runtime", g->rt->name);
    if (g->rt->spans) {
        make_int(&maker, document, "world", 1);
    } else {
        group =
            make_map(&maker, make_list(&maker, document, "node_groups"), NULL);
        make_string(&maker, make_list(&maker, group, "node_names"), NULL,
                    "node");
        make_int(&maker, make_list(&maker, group, "ranks"), NULL, 0);
    }
    if (maker.failed || ranks == NULL)
        return error_exhausted(g->err);
    for (int64_t i = 0; i < RANKS_MAX; i++)
        ranks[i] = i;
    g->ranks = ranks;
    g->base = deployment_load(g->arena, g->rt, document, g->err);
    return g->base != NULL ? 0 : -1;
}

static void set_world(struct grid *g, struct edit *edit, int64_t value,
                      int64_t product)
{
    if (value <= 0)
        value = product * (1 - value);
    if (value > RANKS_MAX)
        value = RANKS_MAX;
    edit->value = value;
    edit->ranks = g->ranks;
    edit->n_ranks = (size_t)value;
}

/* The edits that the values of the knobs make; returns how many. */
static size_t make_edits(struct grid *g)
{
    int64_t product = 1;
    size_t n = 0;

    for (size_t i = 0; i < g->n_knobs; i++) {
        const struct knob *knob = &g->knobs[i];
        size_t value = g->values[i];
        struct edit *edit = &g->edits[n];

        if (value == knob->n)
            continue; /* absent */
        *edit = knob->edit;
        if (knob->trees != NULL)
            edit->tree = knob->trees[value];
        else if (knob->numbers == world_values)
            set_world(g, edit, world_values[value], product);
        else
            edit->value = knob->numbers[value];
        if (edit->kind == EDIT_SIZE && product < RANKS_MAX)
            product *= edit->value;
        n++;
    }
    return n;
}

/* ---- outcomes ------------------------------------------------------------ */

bool grid_counts(const struct rule *rule)
{
    static const unsigned about_sizes =
        1u << STRUCTURE_sizes | 1u << STRUCTURE_ranks | 1u << STRUCTURE_world |
        1u << STRUCTURE_product | 1u << STRUCTURE_axis_sets |
        1u << STRUCTURE_same_groups | 1u << STRUCTURE_order;

    return rule->structure < 0 || (about_sizes >> rule->structure & 1) != 0;
}

static void note_fired(struct trial *trial, const uint64_t *seen, bool any)
{
    if (!any)
        trial->first = true;
    for (size_t w = 0; w < ARRAY_LEN(trial->after); w++)
        trial->after[w] &= seen[w];
    trial->fired = true;
}

size_t grid_rule(const struct grid *g, const struct finding *f)
{
    const struct rule *rules = g->rt->rules;

    if (f->rule < rules || f->rule >= rules + g->rt->n_rules)
        return SIZE_MAX;
    return (size_t)(f->rule - rules);
}

static void note_outcome(struct grid *g, const struct check *check)
{
    uint64_t seen[RULE_WORDS] = { 0 };
    bool any = false;

    for (size_t i = 0; i < check->refused.n; i++) {
        const struct finding *f = &check->refused.items[i];
        size_t k = grid_rule(g, f);

        if (k == SIZE_MAX)
            continue;
        if (f->fault == FAULT_RULE)
            note_fired(&g->trials[k], seen, any);
        if (grid_counts(f->rule)) {
            seen[k / 64] |= (uint64_t)1 << k % 64;
            any = true;
        }
    }
    for (size_t i = 0; i < check->warnings.n; i++) {
        const struct finding *f = &check->warnings.items[i];

        if (f->fault == FAULT_RULE && grid_rule(g, f) != SIZE_MAX)
            g->trials[grid_rule(g, f)].fired = true;
    }
    for (size_t i = 0; i < check->n_unchecked; i++)
        g->unchecked[check->unchecked[i].rule - g->rt->rules] = true;
}

const struct check *grid_try_values(struct grid *g)
{
    struct question question = { .runtime = g->rt };
    const struct check *check;

    g->n_tried++;
    arena_reset(g->scratch);
    question.deployment =
        deployment_edit(g->scratch, g->base, g->edits, make_edits(g));
    if (question.deployment == NULL) {
        error_exhausted(g->err);
        return NULL;
    }
    check = check_run(&question, g->scratch, 0, g->err);
    if (check != NULL)
        note_outcome(g, check);
    return check;
}

/* Tries point number `index` of the grid. */
static int try_point(struct grid *g, uint64_t index)
{
    for (size_t i = 0; i < g->n_knobs; i++) {
        g->values[i] = (uint16_t)(index % knob_values(&g->knobs[i]));
        index /= knob_values(&g->knobs[i]);
    }
    return grid_try_values(g) != NULL ? 0 : -1;
}

/* Points far apart in no pattern that a size could follow; the multiplier is
 * 2^64 by the golden ratio. */
static uint64_t spread(const struct grid *g, uint64_t i)
{
    if (g->total <= LINT_SAMPLES_MAX)
        return i;
    i *= UINT64_C(0x9e3779b97f4a7c15);
    return (i ^ i >> 32) % g->total;
}

bool grid_needs_more(struct grid *g, const struct rule *rule)
{
    struct slot_set *set = slot_set_new(g->rt, g->scratch);

    if (set == NULL || rule->items != NULL)
        return true;
    slot_set_read(set, rule->when);
    slot_set_read(set, rule->refuse);
    for (int slot = 0; slot < g->rt->n_slots; slot++) {
        const struct symbol *symbol = runtime_symbol_at(g->rt, slot);

        if (!slot_set_has(set, slot))
            continue;
        if ((slot >= SLOT_NODES && slot <= SLOT_COMBINED) ||
            slot == SLOT_GIVEN ||
            (symbol != NULL &&
             (symbol->kind == SYMBOL_FACT || symbol->kind == SYMBOL_CARRY ||
              (symbol->kind == SYMBOL_OPTION &&
               !has_values(&g->rt->options[symbol->index])))))
            return true;
    }
    return false;
}

/* A rule that was true is judged by that; one that never was only when nothing
 * that it needs was missing. */
static void judge_trials(struct grid *g)
{
    for (size_t i = 0; i < g->rt->n_rules; i++) {
        const struct rule *rule = &g->rt->rules[i];

        arena_reset(g->scratch);
        g->trials[i].judged = rule->structure < 0 &&
                              (g->trials[i].fired ||
                               (!g->unchecked[i] && !grid_needs_more(g, rule)));
    }
}

static int try_all(struct grid *g, size_t *ret_n_samples)
{
    uint64_t n = g->total < LINT_SAMPLES_MAX ? g->total : LINT_SAMPLES_MAX;

    for (uint64_t i = 0; i < n; i++)
        if (try_point(g, spread(g, i)) < 0)
            return -1;
    if (grid_search(g) < 0)
        return -1;
    judge_trials(g);
    *ret_n_samples = g->n_tried;
    return 0;
}

int grid_try(const struct runtime *rt, struct arena *arena,
             struct trial **ret_trials, size_t *ret_n_samples,
             struct error *err)
{
    struct grid g = { .rt = rt, .arena = arena, .err = err };
    int rc = -1;

    g.scratch = arena_new(SCRATCH_BYTES);
    g.trials = arena_array(arena, rt->n_rules + 1, sizeof(*g.trials));
    g.unchecked = arena_array(arena, rt->n_rules + 1, sizeof(*g.unchecked));
    if (g.scratch == NULL || g.trials == NULL || g.unchecked == NULL) {
        error_exhausted(err);
        goto out;
    }
    for (size_t i = 0; i < rt->n_rules; i++)
        memset(g.trials[i].after, 0xff, sizeof(g.trials[i].after));
    if (make_base(&g) < 0 || add_knobs(&g) < 0 ||
        try_all(&g, ret_n_samples) < 0)
        goto out;
    *ret_trials = g.trials;
    rc = 0;
out:
    arena_free(g.scratch);
    return rc;
}
