/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the nearest request that passes: one or two sizes changed. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "placement/explain.h"
#include "placement/lint_grid.h"
#include "placement/search.h"

enum {
    SINGLES_MAX = 512, /* changes of one size; pairs are made of these */
};

/* Groups that findings are about; all where they name none. */
static void groups_meant(const struct check *check, bool *meant)
{
    bool any = false;

    for (size_t i = 0; i < check->refused.n; i++) {
        const struct finding *f = &check->refused.items[i];

        if (f->group >= 0)
            any = meant[f->group] = true;
        if (f->other >= 0)
            any = meant[f->other] = true;
        if (f->fault == FAULT_RULE && f->item.type == VALUE_OBJECT &&
            f->item.kind == KIND_PLACED) {
            const struct placed *placed = f->item.u.object;

            if (placed->scope->group->index >= 0)
                any = meant[placed->scope->group->index] = true;
        }
    }
    for (size_t g = 0; !any && g < check->dep->n_groups; g++)
        meant[g] = true;
}

/* |log2(a / b)| in millionths, so that equal ones compare equal. */
static int64_t steps_between(int64_t a, int64_t b)
{
    return llround(fabs(log2((double)a / (double)b)) * 1e6);
}

static void add_single(struct search *s, int group, int axis, int64_t now,
                       int64_t value)
{
    if (value == now)
        return;
    if (s->n_singles == SINGLES_MAX) {
        s->ret->cut = true;
        return;
    }
    s->singles[s->n_singles++] = (struct change){
        .group = group,
        .axis = axis,
        .value = value,
        .distance = steps_between(value, now > 0 ? now : 1),
    };
}

/* Sizes that divide the group's ranks. */
static void add_singles(struct search *s, int group, int axis)
{
    const struct scope *scope = &s->check->scopes[group];
    int64_t n = (int64_t)scope->group->n_ranks;
    int64_t now = scope_size(s->check, scope, axis);

    for (int64_t d = 1; d * d <= n; d++) {
        if (n % d != 0)
            continue;
        add_single(s, group, axis, now, d);
        if (n / d != d)
            add_single(s, group, axis, now, n / d);
    }
}

static int compare_singles(const void *va, const void *vb)
{
    const struct change *a = va, *b = vb;

    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->axis != b->axis)
        return a->axis < b->axis ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

static bool form_fits(const struct view_form *form, const int64_t *sizes,
                      int64_t n)
{
    bool exact = true;
    int64_t product = 1;

    for (size_t i = 0; i < form->n_parts; i++) {
        int axis = form->parts[i].size_of;

        if (axis < 0 || sizes[axis] == 0) {
            exact = false;
            continue;
        }
        product *= sizes[axis];
        if (product > n)
            return false;
    }
    return exact ? product == n : n % product == 0;
}

bool sizes_may_fit(const struct runtime *rt, const int64_t *sizes, int64_t n)
{
    for (size_t v = 0; v < rt->n_views; v++) {
        bool fits = false;

        for (size_t f = 0; f < rt->views[v].n_forms && !fits; f++)
            fits = form_fits(&rt->views[v].forms[f], sizes, n);
        if (!fits)
            return false;
    }
    return true;
}

/* Sizes of a world under the changes; 0 where they follow others. */
static bool world_fits(const struct search *s, const struct change *a,
                       const struct change *b)
{
    const struct node_group *group = s->check->scopes[a->group].group;
    int64_t sizes[RUNTIME_AXES_MAX];

    for (size_t i = 0; i < s->check->rt->n_axes; i++) {
        const struct axis *axis = &s->check->rt->axes[i];
        const struct given *given = &group->sizes[i];

        sizes[i] = axis->initial != NULL || axis->fill != NULL ? 0 : 1;
        if (axis->when != NULL)
            sizes[i] = 0;
        else if (given->has &&
                 !(axis->has_fill_on && given->value == axis->fill_on))
            sizes[i] = given->value > 0 ? given->value : 0;
    }
    sizes[a->axis] = a->value;
    sizes[b->axis] = b->value;
    return sizes_may_fit(s->check->rt, sizes, (int64_t)group->n_ranks);
}

/* The product of sizes under the changes must divide the ranks, where it is the
 * instance that is cut off the list. */
static bool fits(const struct search *s, const struct candidate *c)
{
    const struct change *a = &s->singles[c->a], *b = &s->singles[c->b];
    const struct scope *scope = &s->check->scopes[a->group];
    int64_t product = 1, n = (int64_t)scope->group->n_ranks;

    if (s->check->dep->spans)
        return world_fits(s, a, b);
    if (a->group != b->group)
        return true;
    for (size_t i = 0; i < s->check->rt->n_axes; i++) {
        int64_t size = scope_size(s->check, scope, (int)i);

        if (a->axis == (int)i)
            size = a->value;
        else if (b->axis == (int)i)
            size = b->value;
        if (size > 0)
            product *= size;
        if (product > n)
            return false;
    }
    return n % product == 0;
}

/* Whether an expression looks at more than the names it reads. */
static bool reads_lists(const struct expression *expr)
{
    return expr != NULL && strstr(expression_source(expr), "lists(") != NULL;
}

/* The axes that what a rule finds can depend on: a finding stays as it is when
 * none of them changes. */
static uint32_t axes_read(const struct search *s, const struct rule *rule)
{
    const struct runtime *rt = s->check->rt;
    struct slot_set *set = slot_set_new(rt, s->check->arena);
    uint32_t axes = 0;

    if (set == NULL || rule->structure >= 0 || reads_lists(rule->when) ||
        reads_lists(rule->refuse) || reads_lists(rule->items))
        return UINT32_MAX;
    slot_set_read(set, rule->when);
    slot_set_read(set, rule->refuse);
    slot_set_read(set, rule->items);
    for (int slot = SLOT_AXES_ABOVE_ONE; slot <= SLOT_COMBINED; slot++)
        if (slot_set_has(set, slot))
            return UINT32_MAX;
    for (size_t a = 0; a < rt->n_axes; a++)
        if (slot_set_has(set, rt->axes[a].slot))
            axes |= 1u << a;
    return axes;
}

/* Of a world, where all findings are about the same sizes. */
static void find_needed(struct search *s)
{
    const struct findings *list = &s->check->refused;

    for (size_t i = 0;
         s->check->dep->spans && i < list->n && s->n_needed < SEARCH_NEEDED_MAX;
         i++)
        s->needed[s->n_needed++] = axes_read(s, list->items[i].rule);
}

/* Whether a change of these sizes can mend every finding. */
static bool mends(const struct search *s, const struct candidate *c)
{
    uint32_t axes = 1u << s->singles[c->a].axis | 1u << s->singles[c->b].axis;

    for (size_t i = 0; i < s->n_needed; i++)
        if ((s->needed[i] & axes) == 0)
            return false;
    return true;
}

static void add_candidate(struct search *s, uint16_t a, uint16_t b)
{
    struct candidate c = { .a = a, .b = b, .distance = s->singles[a].distance };

    if (a != b)
        c.distance += s->singles[b].distance;
    if (!mends(s, &c) || !fits(s, &c) || s->failed)
        return;
    if (s->n_candidates == s->cap_candidates) {
        size_t cap = s->cap_candidates == 0 ? 256 : s->cap_candidates * 2;
        struct candidate *more = realloc(s->candidates, cap * sizeof(*more));

        if (more == NULL) {
            s->failed = true;
            return;
        }
        s->candidates = more;
        s->cap_candidates = cap;
    }
    s->candidates[s->n_candidates++] = c;
}

static int compare_candidates(const void *va, const void *vb)
{
    const struct candidate *a = va, *b = vb;
    int single_a = a->a == a->b, single_b = b->a == b->b;

    if (single_a != single_b)
        return single_a ? -1 : 1;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    if (a->keep != b->keep)
        return a->keep < b->keep ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static void make_candidates(struct search *s, const bool *meant)
{
    for (size_t g = 0; g < s->check->dep->n_groups; g++)
        for (size_t a = 0; meant[g] && a < s->check->rt->n_axes; a++)
            add_singles(s, (int)g, (int)a);
    qsort(s->singles, s->n_singles, sizeof(*s->singles), compare_singles);
    for (size_t i = 0; i < s->n_singles; i++)
        add_candidate(s, (uint16_t)i, (uint16_t)i);
    for (size_t i = 0; i < s->n_singles; i++)
        for (size_t k = i + 1; k < s->n_singles; k++)
            if (s->singles[i].group != s->singles[k].group ||
                s->singles[i].axis != s->singles[k].axis)
                add_candidate(s, (uint16_t)i, (uint16_t)k);
    if (s->n_candidates > 0)
        qsort(s->candidates, s->n_candidates, sizeof(*s->candidates),
              compare_candidates);
}

static size_t edits_of(const struct search *s, const struct candidate *c,
                       struct edit *edits)
{
    size_t n = 0;

    for (int i = 0; i < 2; i++) {
        const struct change *change = &s->singles[i == 0 ? c->a : c->b];

        if (i == 1 && c->a == c->b)
            break;
        edits[n++] = (struct edit){ .kind = EDIT_SIZE,
                                    .group = change->group,
                                    .index = change->axis,
                                    .value = change->value };
    }
    return n;
}

/* Whether two candidates differ only in what they keep and the tie-break. */
static bool tied(const struct candidate *a, const struct candidate *b)
{
    return (a->a == a->b) == (b->a == b->b) && a->distance == b->distance;
}

/* Tries the candidates from..to, equally near, and takes those that pass in the
 * order of what they keep. Returns false when enough were tried. */
static bool try_tied(struct search *s, size_t from, size_t to)
{
    struct candidate *passed = &s->candidates[from];
    struct text say = { 0 };
    struct edit edits[2];
    size_t n = 0, n_edits;
    int64_t now = 0, keep = 0;

    if (s->check->rt->keep_slot >= 0 && s->check->dep->n_groups > 0)
        value_to_int(s->check->scopes[0].slots[s->check->rt->keep_slot], &now);
    for (size_t i = from; i < to; i++) {
        struct candidate c = s->candidates[i];

        keep = 0;
        if (search_may_try(s) &&
            search_passes(s, edits, edits_of(s, &c, edits), &keep)) {
            if (now > 0 && keep > 0)
                c.keep = steps_between(keep, now);
            passed[n++] = c;
        }
        if (now == 0 && s->ret->n + n == ALTERNATIVES_MAX)
            break;
    }
    if (n > 0)
        qsort(passed, n, sizeof(*passed), compare_candidates);
    for (size_t i = 0; i < n && s->ret->n < ALTERNATIVES_MAX; i++) {
        n_edits = edits_of(s, &passed[i], edits);
        search_describe(s->check, edits, n_edits, &say);
        search_accept(s, edits, n_edits, text_string(&say));
    }
    text_close(&say);
    return s->ret->n < ALTERNATIVES_MAX && !s->ret->cut;
}

void search_nearest(struct search *s)
{
    bool *meant = arena_array(s->check->arena, s->check->dep->n_groups + 1,
                              sizeof(*meant));
    size_t from = 0, to;

    s->singles = arena_array(s->check->arena, SINGLES_MAX, sizeof(*s->singles));
    if (meant == NULL || s->singles == NULL) {
        s->failed = true;
        return;
    }
    groups_meant(s->check, meant);
    find_needed(s);
    make_candidates(s, meant);
    while (from < s->n_candidates) {
        for (to = from + 1; to < s->n_candidates; to++)
            if (!tied(&s->candidates[from], &s->candidates[to]))
                break;
        if (!try_tied(s, from, to))
            return;
        from = to;
    }
}
