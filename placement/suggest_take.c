/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of requests that were tried for suggestions. */
#include <string.h>

#include "placement/suggest_search.h"

void suggest_fallen(struct suggesting *s, const char *code)
{
    struct suggestions *found = s->found;
    struct fallen *more;

    for (size_t i = 0; i < found->n_fallen; i++)
        if (strcmp(found->fallen[i].code, code) == 0) {
            found->fallen[i].n++;
            return;
        }
    if ((found->n_fallen & (found->n_fallen - 1)) == 0) {
        size_t cap = found->n_fallen == 0 ? 8 : found->n_fallen * 2;

        more = arena_array(s->arena, cap, sizeof(*more));
        if (more == NULL) {
            s->failed = true;
            return;
        }
        if (found->n_fallen > 0)
            memcpy(more, found->fallen, found->n_fallen * sizeof(*more));
        found->fallen = more;
    }
    found->fallen[found->n_fallen++] = (struct fallen){ .code = code, .n = 1 };
}

/* The largest peak, where that of every stage is known. */
static void sum_up(struct suggestion *item)
{
    item->peak_stage = -1;
    item->peak_gib = -1;
    item->least_gib = 0;
    for (size_t i = 0; i < item->n_stages; i++) {
        const struct stage_memory *stage = &item->stages[i];

        if (stage->weights_gib > item->least_gib)
            item->least_gib = stage->weights_gib;
        if (stage->peak_gib > item->least_gib)
            item->least_gib = stage->peak_gib;
        if (item->peak_stage < 0 ||
            stage->peak_gib > item->stages[item->peak_stage].peak_gib)
            item->peak_stage = (int)i;
    }
    for (size_t i = 0; i < item->n_stages; i++)
        if (item->stages[i].peak_gib < 0)
            item->peak_stage = -1;
    if (item->peak_stage >= 0)
        item->peak_gib = item->stages[item->peak_stage].peak_gib;
}

static uint32_t replicas_of(const struct suggesting *s,
                            const struct check *check,
                            const struct scope *scope)
{
    uint32_t replicas = 1;

    if (!check->dep->spans)
        return scope->n_instances > 0 ? (uint32_t)scope->n_instances : 1;
    for (size_t a = 0; a < s->rt->n_axes; a++)
        if ((s->rt->axes[a].splits & SPLIT_REPLICAS) != 0)
            replicas *= scope_size(check, scope, (int)a);
    return replicas;
}

/* A copy of the edits that outlives the check they were made for. */
static bool keep_edits(struct suggesting *s, const struct edit *edits, size_t n,
                       struct suggestion *item)
{
    struct tree_maker maker = { .arena = s->arena };
    struct tree *options = make_map(&maker, NULL, NULL);
    struct edit *copies = arena_array(s->arena, n + 1, sizeof(*copies));

    if (copies == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        copies[i] = edits[i];
        if (edits[i].kind != EDIT_OPTION)
            continue;
        make_copy(&maker, options, s->rt->options[edits[i].index].name,
                  edits[i].tree);
        if (!maker.failed)
            copies[i].tree = options->u.children.last;
    }
    item->edits = copies;
    item->n_edits = n;
    return !maker.failed;
}

static void add_item(struct suggesting *s, const struct suggestion *item)
{
    struct suggestions *found = s->found;

    if (found->n == found->cap) {
        size_t cap = found->cap == 0 ? 16 : found->cap * 2;
        struct suggestion *more = arena_array(s->arena, cap, sizeof(*more));

        if (more == NULL) {
            s->failed = true;
            return;
        }
        if (found->n > 0)
            memcpy(more, found->items, found->n * sizeof(*more));
        found->items = more;
        found->cap = cap;
    }
    found->items[found->n++] = *item;
}

void suggest_take(struct suggesting *s, const struct check *check,
                  const struct edit *edits, size_t n_edits)
{
    struct suggestions *found = s->found;
    const struct scope *scope = &check->scopes[found->group];
    size_t n_stages = found->estimator.estimate->n_stages;
    struct stage_memory *stages =
        arena_array(s->arena, n_stages + 1, sizeof(*stages));
    struct suggestion item = { .objective = found->wants.objective,
                               .stages = stages,
                               .n_stages = n_stages };

    if (stages == NULL || !keep_edits(s, edits, n_edits, &item)) {
        s->failed = true;
        return;
    }
    for (size_t a = 0; a < s->rt->n_axes; a++)
        item.sizes[a] = scope_size(check, scope, (int)a);
    item.replicas = replicas_of(s, check, scope);
    item.step_s = estimator_step(&found->estimator, check, scope);
    estimator_memory(&found->estimator, check, scope, check->arena, stages);
    sum_up(&item);
    if (found->wants.memory_gib <= 0 ||
        (item.peak_gib >= 0 && item.peak_gib <= found->wants.memory_gib)) {
        add_item(s, &item);
        return;
    }
    if (item.least_gib <= found->wants.memory_gib) {
        suggest_fallen(s, suggest_memory_unknown);
        return;
    }
    suggest_fallen(s, suggest_memory_exceeded);
    if (!found->has_smallest || item.least_gib < found->smallest.least_gib)
        found->smallest = item;
    found->has_smallest = true;
}
