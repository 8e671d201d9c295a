/* SPDX-License-Identifier: Apache-2.0 */
/* Trying sizes for suggestions: every factorization that may fit, each checked.
 */
#include "placement/suggest_search.h"

#include <stdlib.h>
#include <string.h>

#include "placement/lint_grid.h"
#include "placement/remedy.h"
#include "placement/search.h"

/* ---- trying -------------------------------------------------------------- */

/* A candidate under way: its edits at one depth. */
struct attempt {
    struct suggesting *s;
    struct edit edits[SUGGEST_EDITS_MAX];
    size_t n;
    int depth;
    bool passed;
};

static void attempt_run(struct attempt *a, const char **ret_code);

/* Options of a remedy that the request leaves open, put in place of earlier
 * changes of the same. False: it changes something else. */
static bool add_options(struct attempt *to, const struct edit *edits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        if (edits[i].kind != EDIT_OPTION ||
            to->s->base->options[edits[i].index] != NULL)
            return false;
        while (k < to->n && (to->edits[k].kind != EDIT_OPTION ||
                             to->edits[k].index != edits[i].index))
            k++;
        if (k == SUGGEST_EDITS_MAX)
            return false;
        to->edits[k] = edits[i];
        if (k == to->n)
            to->n++;
    }
    return true;
}

static void try_remedy(void *arg, const struct edit *edits, size_t n,
                       const char *say)
{
    struct attempt *from = arg, next = *from;

    (void)say;
    if (from->passed || from->s->failed || !add_options(&next, edits, n))
        return;
    next.depth++;
    attempt_run(&next, NULL);
    from->passed = next.passed;
}

/* Ranks that a check looks at one by one. */
static int64_t listed_ranks(const struct deployment *dep)
{
    int64_t n = 0;

    for (size_t g = 0; g < dep->n_groups; g++)
        if (dep->groups[g].ranks != NULL)
            n += (int64_t)dep->groups[g].n_ranks;
    return n;
}

/* Checks the request with the edits; NULL: no memory. */
static struct check *attempt_check(struct attempt *a)
{
    struct suggesting *s = a->s;
    struct question question = *s->found->question;
    struct arena *arena = s->scratch[a->depth];
    struct check *check;

    arena_reset(arena);
    question.deployment = deployment_edit(arena, s->base, a->edits, a->n);
    if (question.deployment == NULL)
        return NULL;
    check = check_run(&question, arena, CHECK_VERDICT_ONLY, NULL);
    if (check != NULL)
        s->work += CHECK_STEPS_MAX - check->budget + listed_ranks(s->base);
    return check;
}

/* An axis of size 1 need not be named, unless it comes out as something else
 * without. Whether any had to be. */
static bool name_sizes(struct attempt *a, const struct check *check)
{
    struct suggesting *s = a->s;
    const struct scope *scope = &check->scopes[s->found->group];
    size_t before = a->n;

    for (size_t i = 0; i < s->n_open && a->depth == 0; i++) {
        int axis = s->open[i];

        if (s->sizes[axis] == 1 && scope_size(check, scope, axis) != 1)
            a->edits[a->n++] = (struct edit){ .kind = EDIT_SIZE,
                                              .group = s->found->group,
                                              .index = axis,
                                              .value = 1 };
    }
    return a->n > before;
}

static void attempt_run(struct attempt *a, const char **ret_code)
{
    struct suggesting *s = a->s;
    struct check *check;

    if (s->found->tried == SUGGEST_TRIED_MAX || s->work > SUGGEST_WORK_MAX) {
        s->found->cut = true;
        return;
    }
    s->found->tried++;
    check = attempt_check(a);
    if (check != NULL && name_sizes(a, check))
        check = attempt_check(a);
    if (check == NULL) {
        s->failed = true;
        return;
    }
    if (check_accepts(check)) {
        a->passed = true;
        suggest_take(s, check, a->edits, a->n);
        return;
    }
    if (ret_code != NULL)
        *ret_code = check->refused.items[0].code;
    if (a->depth < REMEDY_DEPTH_MAX)
        remedies_of(check, &check->refused.items[0], try_remedy, a);
}

static void try_sizes(struct suggesting *s)
{
    struct attempt a = { .s = s };
    const char *code = NULL;

    for (size_t i = 0; i < s->n_open; i++) {
        int axis = s->open[i];

        if (s->sizes[axis] > 1)
            a.edits[a.n++] = (struct edit){ .kind = EDIT_SIZE,
                                            .group = s->found->group,
                                            .index = axis,
                                            .value = s->sizes[axis] };
    }
    attempt_run(&a, &code);
    if (!a.passed && code != NULL)
        suggest_fallen(s, code);
}

/* ---- enumerating --------------------------------------------------------- */

/* Whether the sizes chosen so far may fill the ranks; those that are chosen
 * later are not known. In node groups it is the instance that is filled, any
 * number of times. */
static bool may_fit(const struct suggesting *s, size_t chosen)
{
    int64_t sizes[RUNTIME_AXES_MAX], product = 1;
    int64_t n = (int64_t)s->group->n_ranks;

    if (s->base->spans) {
        memcpy(sizes, s->sizes, sizeof(sizes));
        for (size_t i = chosen; i < s->n_open; i++)
            sizes[s->open[i]] = 0;
        return sizes_may_fit(s->rt, sizes, n);
    }
    for (size_t a = 0; a < s->rt->n_axes; a++) {
        product *= s->sizes[a];
        if (product > n)
            return false;
    }
    return n % product == 0;
}

/* Gives sizes to the open axes from number i on, `above` of them above 1. */
static void choose(struct suggesting *s, size_t i, size_t above)
{
    int axis;

    if (s->failed || s->found->cut)
        return;
    if (++s->steps > SUGGEST_STEPS_MAX) {
        s->found->cut = true;
        return;
    }
    if (i == s->n_open) {
        if (may_fit(s, s->n_open))
            try_sizes(s);
        return;
    }
    axis = s->open[i];
    if (above < s->n_open - i)
        choose(s, i + 1, above);
    for (size_t d = 0; above > 0 && d < s->n_divisors; d++) {
        s->sizes[axis] = s->divisors[d];
        if (may_fit(s, i + 1))
            choose(s, i + 1, above - 1);
    }
    s->sizes[axis] = 1;
}

static int compare_divisors(const void *va, const void *vb)
{
    int64_t a = *(const int64_t *)va, b = *(const int64_t *)vb;

    return (a > b) - (a < b);
}

static void find_divisors(struct suggesting *s)
{
    int64_t n = (int64_t)s->group->n_ranks;

    for (int64_t d = 1; d * d <= n; d++) {
        if (n % d != 0)
            continue;
        if (d > 1)
            s->divisors[s->n_divisors++] = d;
        if (n / d != d)
            s->divisors[s->n_divisors++] = n / d;
    }
    if (s->n_divisors > 0)
        qsort(s->divisors, s->n_divisors, sizeof(*s->divisors),
              compare_divisors);
}

/* Whether the axis is not there whatever the sizes: options alone say so. */
static bool is_absent(const struct suggesting *s, const struct check *check,
                      const struct axis *axis)
{
    const struct scope *scope = &check->scopes[s->found->group];
    struct slot_set *set;
    struct value when;

    if (axis->when == NULL)
        return false;
    set = slot_set_new(s->rt, s->scratch[1]);
    if (set == NULL)
        return false;
    slot_set_read(set, axis->when);
    if (slot_set_has(set, SLOT_AXES_ABOVE_ONE) || slot_set_has(set, SLOT_GIVEN))
        return false;
    for (size_t a = 0; a < s->rt->n_axes; a++)
        if (slot_set_has(set, s->rt->axes[a].slot))
            return false;
    when = expression_eval(axis->when, &scope->env);
    return when.state == VALUE_KNOWN && !value_is_true(when);
}

/* Sizes that the request gives stay; but one that asks to be filled in is open.
 * What is not there is not tried. */
static void find_open(struct suggesting *s)
{
    struct attempt none = { .s = s };
    const struct check *check = attempt_check(&none);

    s->failed |= check == NULL;
    for (size_t a = 0; a < s->rt->n_axes; a++) {
        const struct axis *axis = &s->rt->axes[a];
        const struct given *given = &s->group->sizes[a];

        s->sizes[a] = 1;
        if (check == NULL || is_absent(s, check, axis))
            continue;
        if (!given->has || (axis->has_fill_on && given->value == axis->fill_on))
            s->open[s->n_open++] = (int)a;
        else if (given->value > 0)
            s->sizes[a] = given->value;
    }
}

int suggest_search(struct suggestions *found, struct arena *arena,
                   struct error *err)
{
    struct suggesting s = {
        .found = found,
        .rt = found->question->runtime,
        .base = found->question->deployment,
        .group = &found->question->deployment->groups[found->group],
        .arena = arena,
    };

    for (int d = 0; d <= REMEDY_DEPTH_MAX; d++) {
        s.scratch[d] = arena_new(SUGGEST_SCRATCH_BYTES);
        s.failed |= s.scratch[d] == NULL;
    }
    if (!s.failed) {
        find_divisors(&s);
        find_open(&s);
        for (size_t above = 0; above <= s.n_open; above++)
            choose(&s, 0, above);
    }
    for (int d = 0; d <= REMEDY_DEPTH_MAX; d++)
        arena_free(s.scratch[d]);
    return s.failed ? error_exhausted(err) : 0;
}
