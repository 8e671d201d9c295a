/* SPDX-License-Identifier: Apache-2.0 */
/* What would run instead of a request that was refused. */
#include "placement/alternatives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "placement/explain.h"
#include "placement/remedy.h"
#include "placement/search.h"

enum {
    SCRATCH_BYTES_MAX = 256 << 20, /* a check of a million ranks fits */
    /* Ranks looked at in all checks together: at 12 ns each, 50 ms. */
    WORK_MAX = 1 << 22,
    TRIED_LEAST = 32, /* whatever they take */
    FINDINGS_MAX = 8, /* whose remedies are tried */
};

/* ---- trying -------------------------------------------------------------- */

static bool same_option(const struct edit *a, const struct edit *b)
{
    return a->kind != EDIT_OPTION ||
           (a->tree->type == b->tree->type && trees_equal(a->tree, b->tree));
}

static bool same_ranks(const struct edit *a, const struct edit *b)
{
    if (a->kind != EDIT_RANKS)
        return true;
    return a->n_ranks == b->n_ranks &&
           memcmp(a->ranks, b->ranks, a->n_ranks * sizeof(*a->ranks)) == 0;
}

static bool same_edit(const struct edit *a, const struct edit *b)
{
    return a->kind == b->kind && a->group == b->group && a->index == b->index &&
           a->value == b->value && same_option(a, b) && same_ranks(a, b);
}

/* The same changes, in any order: none changes a thing twice. */
static bool same_edits(const struct alternative_request *a,
                       const struct edit *edits, size_t n)
{
    if (a->n_edits != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < n && !same_edit(&a->edits[i], &edits[k]))
            k++;
        if (k == n)
            return false;
    }
    return true;
}

bool search_may_try(struct search *s)
{
    size_t tried = s->ret->tried;

    if (tried < TRIED_LEAST ||
        (tried < ALTERNATIVES_TRIED_MAX && s->work < WORK_MAX))
        return true;
    s->ret->cut = true;
    return false;
}

/* A placed node is worth 16, three items of a list one, and all that does not
 * grow with the request 100. */
size_t search_work(const struct check *check)
{
    size_t work = 100 + check->n_placed * 16 +
                  (size_t)(CHECK_STEPS_MAX - check->budget) / 3;

    for (size_t g = 0; g < check->dep->n_groups; g++)
        if (check->dep->groups[g].ranks != NULL)
            work += check->dep->groups[g].n_ranks;
    return work;
}

bool search_passes(struct search *s, const struct edit *edits, size_t n,
                   int64_t *ret_keep)
{
    const struct runtime *rt = s->check->rt;
    struct question question = s->check->question;
    struct check *check;

    s->ret->tried++;
    arena_reset(s->scratch);
    question.deployment = deployment_edit(s->scratch, s->check->dep, edits, n);
    if (question.deployment == NULL)
        return false;
    check = check_run(&question, s->scratch, CHECK_VERDICT_ONLY, NULL);
    if (check != NULL)
        s->work += search_work(check);
    if (check == NULL || !check_accepts(check))
        return false;
    if (rt->keep_slot >= 0 && check->dep->n_groups > 0)
        value_to_int(scope_value(&check->scopes[0], rt->keep_slot), ret_keep);
    return true;
}

static void describe_edit(const struct check *check, const struct edit *edit,
                          struct text *out)
{
    const struct scope *scope = &check->scopes[edit->group];
    uint32_t now;

    if (edit->kind == EDIT_SIZE) {
        now = scope_size(check, scope, edit->index);
        text_printf(out, "%s %" PRId64, check->rt->axes[edit->index].field,
                    edit->value);
        if (now > 0)
            text_printf(out, " instead of %" PRIu32, now);
        return;
    }
    edit_path(check, edit, out);
    if (edit->kind == EDIT_WORLD)
        text_printf(out, " %" PRId64, edit->value);
    else if (edit->kind == EDIT_RANKS)
        text_printf(out, " of %zu", edit->n_ranks);
    else if (edit->kind == EDIT_OPTION)
        text_put(out, " changed");
    else
        text_put(out, " left out");
}

void search_describe(const struct check *check, const struct edit *edits,
                     size_t n, struct text *out)
{
    text_clear(out);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            text_put(out, ", ");
        describe_edit(check, &edits[i], out);
    }
}

void search_accept(struct search *s, const struct edit *edits, size_t n,
                   const char *say)
{
    struct alternatives *ret = s->ret;
    struct alternative_request *item = &ret->items[ret->n];

    for (size_t i = 0; i < ret->n; i++)
        if (same_edits(&ret->items[i], edits, n))
            return;
    memcpy(item->edits, edits, n * sizeof(*edits));
    item->n_edits = n;
    item->say = arena_strdup(s->check->arena, say);
    if (item->say == NULL)
        s->failed = true;
    else
        ret->n++;
}

/* ---- remedies ------------------------------------------------------------ */

static void try_remedy(void *arg, const struct edit *edits, size_t n,
                       const char *say)
{
    struct search *s = arg;
    struct text text = { 0 };
    int64_t keep;

    if (s->ret->n == ALTERNATIVES_MAX)
        return;
    if (!search_may_try(s) || !search_passes(s, edits, n, &keep))
        return;
    if (say[0] == '\0') {
        search_describe(s->check, edits, n, &text);
        say = text_string(&text);
    }
    search_accept(s, edits, n, say);
    text_close(&text);
}

static void try_remedies(struct search *s)
{
    const struct findings *list = &s->check->refused;

    for (size_t i = 0; i < list->n && i < FINDINGS_MAX; i++)
        remedies_of(s->check, &list->items[i], try_remedy, s);
}

/* ---- the whole ----------------------------------------------------------- */

/* Whether other sizes could mend what was found. */
static bool sizes_may_help(const struct check *check)
{
    for (size_t i = 0; i < check->refused.n; i++) {
        int fault = check->refused.items[i].fault;

        if (fault < FAULT_COUNT && !fault_rows[fault].of_sizes)
            return false;
    }
    return true;
}

int alternatives_find(struct check *check, struct alternatives *ret,
                      struct error *err)
{
    struct search s = { .check = check, .ret = ret };

    *ret = (struct alternatives){ 0 };
    s.scratch = arena_new(SCRATCH_BYTES_MAX);
    s.failed = s.scratch == NULL;
    if (!s.failed)
        try_remedies(&s);
    if (!s.failed && ret->n < ALTERNATIVES_MAX && sizes_may_help(check))
        search_nearest(&s);
    if (!s.failed && ret->n == 0)
        search_mend(&s);
    free(s.candidates);
    arena_free(s.scratch);
    return s.failed ? error_exhausted(err) : 0;
}

/* A size is named as the group named it: by its field, or under `sizes`; one of
 * a world as the request named it. */
static void put_size_key(const struct check *check, const struct edit *edit,
                         struct text *out)
{
    const struct axis *axis = &check->rt->axes[edit->index];
    const struct node_group *group = &check->dep->groups[edit->group];
    const struct tree *at =
        group->at != NULL ? group->at : check->dep->document;
    const struct tree *sizes = tree_get(at, "sizes");

    if (group->at == NULL)
        text_put(out, tree_get(sizes, axis->field) != NULL ? axis->field
                                                           : axis->name);
    else if (tree_get(sizes, axis->name) != NULL)
        text_printf(out, "sizes.%s", axis->name);
    else if (tree_get(sizes, axis->field) != NULL)
        text_printf(out, "sizes.%s", axis->field);
    else
        text_put(out, axis->field);
}

/* An option is named as the request named it, else as users do. */
static void put_option_key(const struct check *check, int index,
                           struct text *out)
{
    const struct tree *given = check->dep->options[index];

    text_put(out, given != NULL && given->key != NULL
                      ? given->key
                      : check->rt->options[index].field);
}

void edit_path(const struct check *check, const struct edit *edit,
               struct text *out)
{
    if (edit->kind != EDIT_OPTION && edit->kind != EDIT_WORLD &&
        edit->kind != EDIT_SPARSE && !check->dep->spans) {
        group_path(edit->group, out);
        text_put(out, ".");
    }
    switch (edit->kind) {
    case EDIT_SIZE:
        put_size_key(check, edit, out);
        break;
    case EDIT_OPTION:
        put_option_key(check, edit->index, out);
        break;
    case EDIT_WORLD:
        text_put(out, "world");
        break;
    case EDIT_RANKS:
        text_put(out,
                 check->dep->groups[edit->group].counted ? "count" : "ranks");
        break;
    case EDIT_WALKS:
        text_put(out, "graph_walks");
        break;
    case EDIT_SPARSE:
        text_put(out, "sparse");
        break;
    }
}
