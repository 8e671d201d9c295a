/* SPDX-License-Identifier: Apache-2.0 */
/* Which sizes to give a model: finding and ranking valid requests. */
#include "placement/suggest.h"

#include <stdlib.h>
#include <string.h>

#include "placement/suggest_search.h"

const char suggest_memory_exceeded[] = "memory.exceeded";
const char suggest_memory_unknown[] = "memory.unknown";

static const char *const objective_words[] = {
#define X(id, word) word,
    OBJECTIVE_LIST(X)
#undef X
};

int objective_named(const char *word)
{
    for (int i = 0; i < OBJECTIVE_COUNT; i++)
        if (strcmp(objective_words[i], word) == 0)
            return i;
    return -1;
}

const char *objective_word(enum objective objective)
{
    return objective_words[objective];
}

/* ---- ranking ------------------------------------------------------------- */

static int by_size_down(const void *va, const void *vb)
{
    double a = *(const double *)va, b = *(const double *)vb;

    return (a < b) - (a > b);
}

/* The peaks of all stages, the largest first. */
static void sorted_peaks(const struct suggestion *s, double *ret)
{
    for (size_t i = 0; i < s->n_stages; i++)
        ret[i] = s->stages[i].peak_gib;
    if (s->n_stages > 0)
        qsort(ret, s->n_stages, sizeof(*ret), by_size_down);
}

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

/* What is known stands before what is not. */
static int order_known(double a, double b)
{
    if ((a < 0) != (b < 0))
        return a < 0 ? 1 : -1;
    return a < 0 ? 0 : order(a, b);
}

/* The smallest peak first. A stage that takes the same everywhere would hide
 * the others, so the next largest decide between equals. */
static int order_memory(const struct suggestion *a, const struct suggestion *b)
{
    double peaks_a[ESTIMATE_STAGES_MAX], peaks_b[ESTIMATE_STAGES_MAX];
    int rc = order_known(a->peak_gib, b->peak_gib);

    if (rc != 0)
        return rc;
    sorted_peaks(a, peaks_a);
    sorted_peaks(b, peaks_b);
    for (size_t i = 0; i < a->n_stages && rc == 0; i++)
        rc = order_known(peaks_a[i], peaks_b[i]);
    return rc;
}

/* The fixed tie-break: fewer options changed, then larger sizes of the earlier
 * (outer) axes. */
static int order_fixed(const struct suggestion *a, const struct suggestion *b)
{
    size_t options_a = 0, options_b = 0;

    for (size_t i = 0; i < a->n_edits; i++)
        options_a += a->edits[i].kind == EDIT_OPTION;
    for (size_t i = 0; i < b->n_edits; i++)
        options_b += b->edits[i].kind == EDIT_OPTION;
    if (options_a != options_b)
        return options_a < options_b ? -1 : 1;
    for (size_t i = 0; i < RUNTIME_AXES_MAX; i++)
        if (a->sizes[i] != b->sizes[i])
            return a->sizes[i] > b->sizes[i] ? -1 : 1;
    return 0;
}

/* The better one by the objective first. */
static int compare_items(const void *va, const void *vb)
{
    const struct suggestion *a = va, *b = vb;
    int rc = 0;

    switch (a->objective) {
    case OBJECTIVE_LATENCY:
        rc = order_known(a->step_s, b->step_s);
        break;
    case OBJECTIVE_THROUGHPUT:
        rc = order_known(a->step_s / a->replicas, b->step_s / b->replicas);
        break;
    case OBJECTIVE_MEMORY:
    case OBJECTIVE_COUNT:
        break;
    }
    if (rc == 0)
        rc = order_memory(a, b);
    return rc != 0 ? rc : order_fixed(a, b);
}

static void sort_items(struct suggestions *found)
{
    if (found->n > 0)
        qsort(found->items, found->n, sizeof(*found->items), compare_items);
}

static int compare_fallen(const void *va, const void *vb)
{
    const struct fallen *a = va, *b = vb;

    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return strcmp(a->code, b->code);
}

/* ---- what is said of them -------------------------------------------------
 */

static void add_warning(struct suggestion *item, const char *code)
{
    for (size_t i = 0; i < item->n_warnings; i++)
        if (strcmp(item->warnings[i], code) == 0)
            return;
    if (item->n_warnings < SUGGEST_WARNINGS_MAX)
        item->warnings[item->n_warnings++] = code;
}

/* What a verdict alone does not tell: warnings, and rules without a verdict. */
static int look_closer(const struct suggestions *found, struct suggestion *item,
                       struct arena *scratch)
{
    struct question question = *found->question;
    const struct check *check;

    arena_reset(scratch);
    question.deployment = deployment_edit(scratch, question.deployment,
                                          item->edits, item->n_edits);
    if (question.deployment == NULL)
        return -1;
    check = check_run(&question, scratch, 0, NULL);
    if (check == NULL)
        return -1;
    item->n_unchecked = check->n_unchecked;
    for (size_t i = 0; i < check->warnings.n; i++)
        add_warning(item, check->warnings.items[i].code);
    return 0;
}

/* At the best ones, which are said. */
static int look_closer_at(struct suggestions *found, size_t most,
                          struct error *err)
{
    struct arena *scratch = arena_new(SUGGEST_SCRATCH_BYTES);
    int rc = scratch != NULL ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < found->n && i < most; i++)
        rc = look_closer(found, &found->items[i], scratch);
    arena_free(scratch);
    return rc < 0 ? error_exhausted(err) : 0;
}

/* ---- near numbers of ranks ----------------------------------------------- */

static bool may_change_world(const struct suggestions *found)
{
    const struct deployment *dep = found->question->deployment;

    return dep->spans || dep->groups[found->group].counted;
}

/* The best of a request for other ranks. */
static int try_world(struct suggestions *found, int64_t world,
                     const int64_t *ranks, size_t *tried, int side,
                     struct arena *arena, struct error *err)
{
    struct question question = *found->question;
    struct suggestions other = { .question = &question,
                                 .wants = found->wants,
                                 .group = found->group,
                                 .estimator = found->estimator,
                                 .tried = *tried };
    struct edit edit = { .kind = EDIT_WORLD,
                         .group = found->group,
                         .value = world,
                         .ranks = ranks,
                         .n_ranks = (size_t)world };

    if (!question.deployment->spans)
        edit.kind = EDIT_RANKS;
    question.deployment = deployment_edit(arena, question.deployment, &edit, 1);
    if (question.deployment == NULL)
        return error_exhausted(err);
    if (suggest_search(&other, arena, err) < 0)
        return -1;
    *tried = other.tried;
    if (other.n == 0)
        return 0;
    sort_items(&other);
    if (look_closer_at(&other, 1, err) < 0)
        return -1;
    found->near[side] = other.items[0];
    found->near_world[side] = world;
    return 0;
}

/* Smaller and larger numbers of ranks, the nearest first, down to half and up
 * to twice as many. */
static int look_near(struct suggestions *found, struct arena *arena,
                     struct error *err)
{
    const struct node_group *group =
        &found->question->deployment->groups[found->group];
    int64_t n = (int64_t)group->n_ranks, *ranks;
    size_t tried = 0;

    if (n < 1 || n > VIEW_SPAN_MAX / 2 || !may_change_world(found))
        return 0;
    ranks = arena_array(arena, (size_t)n * 2 + 1, sizeof(*ranks));
    if (ranks == NULL)
        return error_exhausted(err);
    for (int64_t i = 0; i < 2 * n; i++)
        ranks[i] = i;
    for (int side = 0; side < 2; side++)
        for (int64_t d = 1;
             found->near_world[side] == 0 && tried < SUGGEST_TRIED_MAX &&
             d <= (side == 0 ? n / 2 : n);
             d++)
            if (try_world(found, side == 0 ? n - d : n + d, ranks, &tried, side,
                          arena, err) < 0)
                return -1;
    return 0;
}

/* ---- the whole ----------------------------------------------------------- */

/* The group with the most ranks, of equals the first. */
static int largest_group(const struct deployment *dep)
{
    int largest = 0;

    for (size_t g = 1; g < dep->n_groups; g++)
        if (dep->groups[g].n_ranks > dep->groups[largest].n_ranks)
            largest = (int)g;
    return largest;
}

int suggest(const struct question *question, const struct suggest_wants *wants,
            struct arena *arena, struct suggestions *ret, struct error *err)
{
    static const struct estimate none = { 0 };
    const struct model *model = question->model;

    *ret = (struct suggestions){ .question = question, .wants = *wants };
    if (ret->wants.most == 0)
        ret->wants.most = SUGGEST_MOST_DEFAULT;
    if (estimator_init(&ret->estimator,
                       model != NULL ? &model->estimate : &none,
                       question->runtime, arena, err) < 0)
        return -1;
    if (question->deployment->n_groups == 0)
        return error_set(err, STATUS_INVALID,
                         "there are no ranks to give sizes to; give world, or "
                         "node_groups with ranks");
    ret->group = largest_group(question->deployment);
    if (suggest_search(ret, arena, err) < 0)
        return -1;
    sort_items(ret);
    if (ret->n_fallen > 0)
        qsort(ret->fallen, ret->n_fallen, sizeof(*ret->fallen), compare_fallen);
    if (ret->n == 0)
        return look_near(ret, arena, err);
    return look_closer_at(ret, ret->wants.most, err);
}
