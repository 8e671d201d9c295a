/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions as a document, and why each stands where it does. */
#include "placement/suggest.h"

#include <inttypes.h>

/* ---- in one sentence ----------------------------------------------------- */

/* Three digits: estimates are no better. */
static void put_gib(struct text *out, double gib)
{
    text_printf(out, "%.3g", gib);
}

/* " in vae_decode (denoise 13.8, encode 2.1)" */
static void put_stages(const struct suggestions *found,
                       const struct suggestion *item, struct text *out)
{
    const struct stage *stages = found->estimator.estimate->stages;
    size_t said = 0;

    text_printf(out, " in %s", stages[item->peak_stage].name);
    for (size_t i = 0; i < item->n_stages && said + 1 < SUGGEST_STAGES_SAID;
         i++) {
        if ((int)i == item->peak_stage)
            continue;
        text_printf(out, "%s%s ", said == 0 ? " (" : ", ", stages[i].name);
        put_gib(out, item->stages[i].peak_gib);
        said++;
    }
    if (said > 0)
        text_put(out, ")");
}

static void put_memory(const struct suggestions *found,
                       const struct suggestion *item, struct text *out)
{
    if (item->peak_gib < 0) {
        text_put(out, "peak not known");
        if (item->least_gib > 0) {
            text_put(out, ", at least ");
            put_gib(out, item->least_gib);
            text_put(out, " GiB");
        }
        return;
    }
    text_put(out, "estimated peak ");
    put_gib(out, item->peak_gib);
    text_put(out, " GiB");
    if (found->wants.memory_gib > 0)
        text_printf(out, " of %g", found->wants.memory_gib);
    put_stages(found, item, out);
}

/* "estimated peak 15.4 GiB of 24 in denoise; step 3.81 s measured" */
static void put_why(const struct suggestions *found,
                    const struct suggestion *item, struct text *out)
{
    put_memory(found, item, out);
    if (item->step_s >= 0)
        text_printf(out, "; step %g s measured", item->step_s);
    else
        text_put(out, "; step not measured");
    if (item->replicas > 1)
        text_printf(out, "; %" PRIu32 " replicas", item->replicas);
    if (item->step_s >= 0 && found->wants.objective == OBJECTIVE_THROUGHPUT)
        text_printf(out, ", %.3g steps/s", item->replicas / item->step_s);
    if (item->n_unchecked > 0)
        text_printf(out, "; %zu rule%s not judged for want of facts",
                    item->n_unchecked, item->n_unchecked == 1 ? "" : "s");
    for (size_t i = 0; i < item->n_warnings; i++)
        text_printf(out, "%s%s", i == 0 ? "; warns of " : ", ",
                    item->warnings[i]);
}

static void put_sizes(const struct suggestions *found,
                      const struct suggestion *item, struct text *out)
{
    const struct runtime *rt = found->question->runtime;
    bool any = false;

    for (size_t a = 0; a < rt->n_axes; a++) {
        if (item->sizes[a] < 2)
            continue;
        text_printf(out, "%s%s %" PRIu32, any ? ", " : "", rt->axes[a].name,
                    item->sizes[a]);
        any = true;
    }
    if (!any)
        text_put(out, "every size 1");
}

/* ---- parts of the document ----------------------------------------------- */

static void write_text(struct tree_maker *maker, struct tree *map,
                       const char *key, struct text *text)
{
    make_string(maker, map, key, text_string(text));
    text_close(text);
}

/* What to set in the request. */
static void write_set(const struct suggestions *found,
                      const struct suggestion *item, struct tree_maker *maker,
                      struct tree *parent)
{
    const struct runtime *rt = found->question->runtime;
    struct tree *set = make_map(maker, parent, "set");

    for (size_t i = 0; i < item->n_edits; i++) {
        const struct edit *edit = &item->edits[i];

        if (edit->kind == EDIT_SIZE)
            make_int(maker, set, rt->axes[edit->index].name, edit->value);
        else
            make_copy(maker, set, rt->options[edit->index].name, edit->tree);
    }
}

static void write_stages(const struct suggestions *found,
                         const struct suggestion *item,
                         struct tree_maker *maker, struct tree *map)
{
    struct tree *list = make_list(maker, map, "stages");

    for (size_t i = 0; i < item->n_stages; i++) {
        struct tree *one = make_map(maker, list, NULL);

        make_string(maker, one, "stage",
                    found->estimator.estimate->stages[i].name);
        if (item->stages[i].weights_gib >= 0)
            make_double(maker, one, "weights_gib", item->stages[i].weights_gib);
        if (item->stages[i].peak_gib >= 0)
            make_double(maker, one, "peak_gib", item->stages[i].peak_gib);
    }
}

static void write_item(const struct suggestions *found,
                       const struct suggestion *item, struct tree_maker *maker,
                       struct tree *map)
{
    const struct runtime *rt = found->question->runtime;
    struct text say = { 0 };
    struct tree *sizes, *warnings;

    write_set(found, item, maker, map);
    sizes = make_map(maker, map, "sizes");
    for (size_t a = 0; a < rt->n_axes; a++)
        make_int(maker, sizes, rt->axes[a].name, item->sizes[a]);
    make_int(maker, map, "replicas", item->replicas);
    if (item->peak_gib >= 0) {
        make_double(maker, map, "peak_gib", item->peak_gib);
        make_string(maker, map, "stage",
                    found->estimator.estimate->stages[item->peak_stage].name);
    }
    write_stages(found, item, maker, map);
    if (item->step_s >= 0) {
        make_double(maker, map, "step_s", item->step_s);
        make_double(maker, map, "steps_per_s", item->replicas / item->step_s);
    }
    make_int(maker, map, "unchecked", (int64_t)item->n_unchecked);
    warnings = make_list(maker, map, "warnings");
    for (size_t i = 0; i < item->n_warnings; i++)
        make_string(maker, warnings, NULL, item->warnings[i]);
    put_why(found, item, &say);
    write_text(maker, map, "say", &say);
}

/* ---- what fell out ------------------------------------------------------- */

static void write_fallen(const struct suggestions *found,
                         struct tree_maker *maker, struct tree *map)
{
    struct tree *list = make_list(maker, map, "fell_out");

    for (size_t i = 0; i < found->n_fallen; i++) {
        struct tree *one = make_map(maker, list, NULL);
        const char *code = found->fallen[i].code;
        struct text say = { 0 };

        make_string(maker, one, "code", code);
        make_int(maker, one, "count", (int64_t)found->fallen[i].n);
        if (code == suggest_memory_exceeded) {
            text_put(&say, "at least ");
            put_gib(&say, found->smallest.least_gib);
            text_printf(&say, " GiB of %g, with ", found->wants.memory_gib);
            put_sizes(found, &found->smallest, &say);
        } else if (code == suggest_memory_unknown) {
            text_put(&say, "the model does not say what they take");
        }
        write_text(maker, one, "say", &say);
    }
}

static void write_near(const struct suggestions *found,
                       struct tree_maker *maker, struct tree *map)
{
    struct tree *list = make_list(maker, map, "near");

    for (int side = 0; side < 2; side++) {
        struct text say = { 0 };
        struct tree *one;

        if (found->near_world[side] == 0)
            continue;
        one = make_map(maker, list, NULL);
        make_int(maker, one, "world", found->near_world[side]);
        write_set(found, &found->near[side], maker, one);
        put_why(found, &found->near[side], &say);
        write_text(maker, one, "say", &say);
    }
}

/* Stages that say nothing under this runtime. */
static void write_notes(const struct suggestions *found,
                        struct tree_maker *maker, struct tree *map)
{
    const struct estimator *e = &found->estimator;
    struct tree *list = make_list(maker, map, "notes");

    for (size_t i = 0; i < e->estimate->n_stages; i++) {
        struct text note = { 0 };

        if (e->programs[i].missing == NULL)
            continue;
        text_printf(&note,
                    "the estimate of %s reads %s, and %s has nothing of that "
                    "name",
                    e->estimate->stages[i].name, e->programs[i].missing,
                    e->rt->name);
        write_text(maker, list, NULL, &note);
    }
    if (found->question->model != NULL && e->estimate->n_stages == 0)
        make_string(maker, list, NULL, "the model estimates no memory");
    if (found->wants.objective != OBJECTIVE_MEMORY && e->estimate->n_rows == 0)
        make_string(maker, list, NULL,
                    "nothing of the model was measured; ranked by memory");
}

/* ---- the whole ----------------------------------------------------------- */

void suggest_write(const struct suggestions *found, struct tree_maker *maker,
                   struct tree *map)
{
    const struct question *q = found->question;
    struct tree *list;

    if (q->model != NULL)
        make_string(maker, map, "model", q->model->name);
    make_string(maker, map, "runtime", q->runtime->name);
    make_int(maker, map, "world",
             (int64_t)q->deployment->groups[found->group].n_ranks);
    make_string(maker, map, "objective",
                objective_word(found->wants.objective));
    if (found->wants.memory_gib > 0)
        make_double(maker, map, "memory_gib", found->wants.memory_gib);
    list = make_list(maker, map, "suggestions");
    for (size_t i = 0; i < found->n && i < found->wants.most; i++)
        write_item(found, &found->items[i], maker, make_map(maker, list, NULL));
    make_int(maker, map, "valid", (int64_t)found->n);
    make_int(maker, map, "tried", (int64_t)found->tried);
    make_bool(maker, map, "cut", found->cut);
    write_fallen(found, maker, map);
    write_near(found, maker, map);
    write_notes(found, maker, map);
}
