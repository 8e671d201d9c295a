/* SPDX-License-Identifier: Apache-2.0 */
/* Loads what a model's declaration says of memory (by stage) and of speed. */
#include "placement/estimate.h"

#include <math.h>

#include "placement/reader.h"

/* clang-format off */
static const struct read_key stage_keys[] = {
    { "when",        READ_SCALAR, false },
    { "weights_gib", READ_SCALAR, false },
    { "peak_gib",    READ_SCALAR, false },
};
static const struct read_key row_keys[] = {
    { "sizes",   READ_MAP,    true },
    { "options", READ_MAP,    false },
    { "about",   READ_STRING, false },
    { "step_s",  READ_NUMBER, true },
};
/* clang-format on */

static int too_many(const struct tree *at, size_t max, struct error *err)
{
    return tree_error(at, err, STATUS_INVALID,
                      "%zu entries; at most %zu are read", tree_count(at), max);
}

static int load_stage(struct arena *arena, const struct tree *t,
                      struct stage *ret, struct error *err)
{
    struct stage_program ignored;

    if (read_keys(t, stage_keys, ARRAY_LEN(stage_keys), err) < 0)
        return -1;
    *ret = (struct stage){ .name = t->key,
                           .when = tree_get(t, "when"),
                           .weights = tree_get(t, "weights_gib"),
                           .peak = tree_get(t, "peak_gib") };
    if (ret->weights == NULL && ret->peak == NULL)
        return tree_error(t, err, STATUS_INVALID,
                          "says nothing; give weights_gib, peak_gib or both");
    return stage_compile(arena, ret, NULL, &ignored, err);
}

static int load_stages(struct arena *arena, const struct tree *map,
                       struct estimate *ret, struct error *err)
{
    size_t n = 0;
    struct stage *stages =
        arena_array(arena, tree_count(map) + 1, sizeof(*stages));

    if (tree_count(map) > ESTIMATE_STAGES_MAX)
        return too_many(map, ESTIMATE_STAGES_MAX, err);
    if (stages == NULL)
        return error_exhausted(err);
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (load_stage(arena, t, &stages[n++], err) < 0)
            return -1;
    ret->stages = stages;
    ret->n_stages = n;
    return 0;
}

static int load_row(const struct tree *t, struct measured_row *ret,
                    struct error *err)
{
    const struct tree *step;

    if (read_keys(t, row_keys, ARRAY_LEN(row_keys), err) < 0)
        return -1;
    step = tree_get(t, "step_s");
    *ret = (struct measured_row){
        .sizes = tree_get(t, "sizes"),
        .options = tree_get(t, "options"),
        .step_s =
            step->type == TREE_INT ? (double)step->u.integer : step->u.number,
    };
    if (!isfinite(ret->step_s) || ret->step_s <= 0)
        return tree_error(step, err, STATUS_INVALID,
                          "a step takes more than 0 seconds");
    for (const struct tree *s = tree_first(ret->sizes); s != NULL;
         s = s->next) {
        if (read_type(s, READ_INT, err) < 0)
            return -1;
        if (s->u.integer < 1)
            return tree_error(s, err, STATUS_INVALID, "a size is 1 or more");
    }
    for (const struct tree *o = tree_first(ret->options); o != NULL;
         o = o->next)
        if (read_type(o, READ_SCALAR, err) < 0)
            return -1;
    return 0;
}

static int load_rows(struct arena *arena, const struct tree *list,
                     struct estimate *ret, struct error *err)
{
    size_t n = 0;
    struct measured_row *rows =
        arena_array(arena, tree_count(list) + 1, sizeof(*rows));

    if (tree_count(list) > MEASURED_ROWS_MAX)
        return too_many(list, MEASURED_ROWS_MAX, err);
    if (rows == NULL)
        return error_exhausted(err);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (load_row(t, &rows[n++], err) < 0)
            return -1;
    ret->rows = rows;
    ret->n_rows = n;
    return 0;
}

int estimate_load(struct arena *arena, const struct tree *model,
                  struct estimate *ret, struct error *err)
{
    struct estimate estimate = { 0 };

    if (load_stages(arena, tree_get(model, "estimate"), &estimate, err) < 0 ||
        load_rows(arena, tree_get(model, "measured"), &estimate, err) < 0)
        return -1;
    *ret = estimate;
    return 0;
}
