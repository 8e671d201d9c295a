/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of suggesting sizes for a model. */
#include "tests/cases/runner.h"

#include <math.h>
#include <string.h>

#include "placement/suggest.h"

static double number_of(const struct tree *t)
{
    if (t == NULL)
        return 0;
    return t->type == TREE_INT ? (double)t->u.integer : t->u.number;
}

static const struct tree *stage_named(const struct tree *stages,
                                      const char *name)
{
    for (const struct tree *t = tree_first(stages); t != NULL; t = t->next)
        if (strcmp(child(t, "stage")->text, name) == 0)
            return t;
    return NULL;
}

/* Peaks by stage, which were measured and so are compared with a tolerance. */
static void compare_stages(struct run *run, const struct tree *best)
{
    const struct tree *want = child(run->want, "stages");
    double tolerance = number_of(child(run->want, "tolerance"));

    for (const struct tree *t = tree_first(want); t != NULL; t = t->next) {
        const struct tree *stage = stage_named(child(best, "stages"), t->key);
        double peak = number_of(child(stage, "peak_gib"));

        if (stage == NULL || fabs(peak - number_of(t)) > tolerance)
            differs(run, t->key, t, stage);
    }
}

/* The best suggestion; its sizes only as far as the case names them. */
void op_suggest(struct run *run)
{
    const struct suggest_wants wants = {
        .memory_gib = number_of(child(run->line, "memory_gib")),
    };
    const struct tree *best, *sizes = child(run->want, "sizes");
    static const char *const compared[] = { "sizes", "stages", "tolerance" };
    struct tree *answer = NULL;
    struct error err = { 0 };
    size_t valid;

    if (answer_suggest(run->catalog, child(run->line, "deployment"), &wants,
                       run->arena, &answer, &valid, &err) < 0) {
        text_printf(&run->why, "no answer: %s", err.text);
        return;
    }
    best = tree_first(child(answer, "suggestions"));
    make_int(&run->maker, run->got, "valid", (int64_t)valid);
    if (child(best, "step_s") != NULL)
        make_copy(&run->maker, run->got, "step_s", child(best, "step_s"));
    compare_keys(run, "sizes.", sizes, child(best, "sizes"));
    compare_stages(run, best);
    for (size_t i = 0; i < ARRAY_LEN(compared); i++)
        if (child(run->want, compared[i]) != NULL)
            make_copy(&run->maker, run->got, compared[i],
                      child(run->want, compared[i]));
}
