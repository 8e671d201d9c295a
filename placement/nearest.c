/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the nearest request that passes: one or two sizes changed. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "placement/explain.h"
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

/* The product of sizes under the changes must divide the ranks, where it is the
 * instance that is cut off the list. */
static bool fits(const struct search *s, const struct candidate *c)
{
    const struct change *a = &s->singles[c->a], *b = &s->singles[c->b];
    const struct scope *scope = &s->check->scopes[a->group];
    int64_t product = 1, n = (int64_t)scope->group->n_ranks;

    if (s->check->dep->spans || a->group != b->group)
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

static void add_candidate(struct search *s, uint16_t a, uint16_t b)
{
    struct candidate c = { .a = a, .b = b, .distance = s->singles[a].distance };

    if (a != b)
        c.distance += s->singles[b].distance;
    if (!fits(s, &c) || s->failed)
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

/* "cfg_size 1 instead of 3, tp_size 2 instead of 1" */
static void describe(const struct search *s, const struct candidate *c,
                     struct text *out)
{
    struct edit edits[2];
    size_t n = edits_of(s, c, edits);

    text_clear(out);
    for (size_t i = 0; i < n; i++) {
        const struct scope *scope = &s->check->scopes[edits[i].group];

        text_printf(out, "%s%s %" PRId64, i > 0 ? ", " : "",
                    s->check->rt->axes[edits[i].index].field, edits[i].value);
        if (scope_size(s->check, scope, edits[i].index) > 0)
            text_printf(out, " instead of %" PRIu32,
                        scope_size(s->check, scope, edits[i].index));
    }
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
    size_t n = 0;
    int64_t now = 0, keep = 0;

    if (s->check->rt->keep_slot >= 0 && s->check->dep->n_groups > 0)
        value_to_int(s->check->scopes[0].slots[s->check->rt->keep_slot], &now);
    for (size_t i = from; i < to; i++) {
        struct candidate c = s->candidates[i];

        keep = 0;
        if (s->ret->tried == s->tries_max)
            s->ret->cut = true;
        else if (search_passes(s, edits, edits_of(s, &c, edits), &keep)) {
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
        describe(s, &passed[i], &say);
        search_accept(s, edits, edits_of(s, &passed[i], edits),
                      text_string(&say));
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
