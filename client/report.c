/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict as a person reads it. */
#include "client/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client/pictures.h"
#include "client/renumbered.h"
#include "proto/document.h"

enum {
    INDENT = 2,
    RUNS_MAX = 8,       /* of consecutive ranks, in one cell */
    DERIVED_MAX = 8,    /* items of a derived list that are all printed */
    DERIVED_BYTES = 24, /* of a longer one, about */
};

/* ---- headline ------------------------------------------------------------ */

static void print_headline(struct output *out, const char *name,
                           const struct answer *answer, bool refuse)
{
    const struct tree *first = tree_first(tree_get(answer->tree, "findings"));
    struct text line = { 0 };

    text_put(&line, name != NULL ? name : "the request");
    if (answer->check != NULL)
        text_printf(&line, " under %s", answer->check->rt->name);
    if (tree_get(answer->tree, "up_to") != NULL)
        text_printf(&line, " up to the layer %s",
                    tree_text(answer->tree, "up_to"));
    if (first != NULL)
        text_printf(&line, ": %s", tree_text(first, "reason"));
    else if (refuse)
        text_put(&line, ": not every rule could be judged");
    output_paragraph(out, 0, refuse ? STYLE_BAD : STYLE_GOOD,
                     refuse ? "refused   " : "accepted  ", STYLE_BOLD,
                     text_string(&line));
    text_close(&line);
}

/* ---- findings ------------------------------------------------------------ */

/* "pp.tied  pp_size  layer weave" */
static void print_about(struct output *out, const struct tree *finding)
{
    const char *subject = tree_text(finding, "subject");
    const char *layer = tree_text(finding, "layer");
    struct text code = { 0 };

    text_printf(&code, "%s%s", tree_text(finding, "code"),
                subject[0] != '\0' ? "  " : "");
    if (INDENT + output_columns(text_string(&code)) + output_columns(subject) +
            (layer[0] != '\0' ? output_columns(layer) + 8 : 0) <=
        out->width) {
        output_spaces(out, INDENT);
        output_put(out, STYLE_BAD, text_string(&code));
        output_put(out, STYLE_NAME, subject);
        if (layer[0] != '\0')
            output_printf(out, STYLE_DIM, "  layer %s", layer);
        output_line(out);
    } else {
        output_paragraph(out, INDENT, STYLE_BAD, text_string(&code), STYLE_NAME,
                         subject);
        if (layer[0] != '\0')
            output_paragraph(out, 2 * INDENT, STYLE_DIM, "layer ", STYLE_DIM,
                             layer);
    }
    text_close(&code);
}

/* The reason of the first one stands in the headline. */
static void print_finding(struct output *out, const struct tree *finding,
                          bool first)
{
    const char *equation = tree_text(finding, "equation");
    const struct tree *fixes = tree_get(finding, "fixes");

    output_line(out);
    print_about(out, finding);
    if (equation[0] != '\0')
        output_paragraph(out, 2 * INDENT, STYLE_PLAIN, "", STYLE_BOLD,
                         equation);
    if (!first)
        output_paragraph(out, 2 * INDENT, STYLE_PLAIN, "", STYLE_PLAIN,
                         tree_text(finding, "reason"));
    for (const struct tree *t = tree_first(fixes); t != NULL; t = t->next)
        output_paragraph(out, 2 * INDENT, STYLE_GOOD, "try: ", STYLE_PLAIN,
                         tree_string(t));
}

static void print_findings(struct output *out, const struct answer *answer)
{
    const struct tree *list = tree_get(answer->tree, "findings");
    int64_t left = tree_int(answer->tree, "findings_left_out", 0);

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        print_finding(out, t, t == tree_first(list));
    if (left == 0)
        return;
    output_line(out);
    output_spaces(out, INDENT);
    output_printf(out, STYLE_DIM, "... and %" PRId64 " more findings", left);
    output_line(out);
}

/* ---- alternatives -------------------------------------------------------- */

const char *report_typed(const struct runtime *rt, const char *key)
{
    int i = runtime_axis(rt, key);

    if (i >= 0)
        return rt->axes[i].field;
    i = runtime_option(rt, key);
    return i >= 0 ? rt->options[i].field : key;
}

/* What users type for what is set, where that is known. */
static const char *typed_name(const struct answer *answer, const char *key)
{
    return answer->check != NULL ? report_typed(answer->check->rt, key) : key;
}

/* "node_groups[0].ranks = [0,1], without node_groups[0].graph_walks": what to
 * write. */
static void print_settings(const struct answer *answer, const struct tree *set,
                           struct text *out)
{
    for (const struct tree *t = tree_entries(set); t != NULL; t = t->next) {
        if (t != tree_entries(set))
            text_put(out, ", ");
        if (t->type == TREE_NULL) {
            text_printf(out, "without %s", typed_name(answer, t->key));
            continue;
        }
        text_printf(out, "%s = ", typed_name(answer, t->key));
        if (document_write_json(t, false, out) < 0)
            text_put(out, "?");
    }
}

static void print_alternatives(struct output *out, const struct answer *answer)
{
    const struct tree *list = tree_get(answer->tree, "alternatives");
    int number = 1;

    if (tree_first(list) == NULL)
        return;
    output_line(out);
    output_paragraph(out, INDENT, STYLE_GOOD, "would run instead:", STYLE_PLAIN,
                     "");
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        struct text text = { 0 };
        char label[16];

        snprintf(label, sizeof(label), "%d. ", number++);
        print_settings(answer, tree_get(t, "set"), &text);
        output_paragraph(out, 2 * INDENT, STYLE_GOOD, label, STYLE_BOLD,
                         text_string(&text));
        if (tree_text(t, "say")[0] != '\0')
            output_paragraph(out, 2 * INDENT + 3, STYLE_PLAIN, "", STYLE_PLAIN,
                             tree_text(t, "say"));
        text_close(&text);
    }
}

/* ---- what was not refused ------------------------------------------------ */

static void print_warning(struct output *out, const struct tree *warning)
{
    const char *subject = tree_text(warning, "subject");
    struct text text = { 0 };

    text_put(&text, tree_text(warning, "code"));
    if (subject[0] != '\0')
        text_printf(&text, " at %s", subject);
    text_printf(&text, ": %s", tree_text(warning, "reason"));
    output_paragraph(out, INDENT, STYLE_WARN, "warning: ", STYLE_PLAIN,
                     text_string(&text));
    text_close(&text);
}

static void print_unchecked(struct output *out, const struct tree *rule)
{
    const char *joint = " needs ";
    const struct tree *t = tree_first(tree_get(rule, "needs"));
    struct text text = { 0 };

    text_put(&text, tree_text(rule, "code"));
    for (; t != NULL; t = t->next) {
        text_printf(&text, "%s%s", joint, tree_string(t));
        joint = ", ";
    }
    output_paragraph(out, INDENT, STYLE_WARN, "unchecked: ", STYLE_PLAIN,
                     text_string(&text));
    text_close(&text);
}

void report_doubts(struct output *out, const struct tree *verdict)
{
    const struct tree *t;

    for (t = tree_first(tree_get(verdict, "warnings")); t; t = t->next)
        print_warning(out, t);
    for (t = tree_first(tree_get(verdict, "unchecked")); t; t = t->next)
        print_unchecked(out, t);
}

/* A value; of a long list what fits, and how many there are. */
static void put_derived(const struct tree *value, struct text *out)
{
    size_t from = out->len;

    if (tree_count(value) <= DERIVED_MAX || value->type != TREE_LIST) {
        if (document_write_json(value, false, out) < 0)
            text_put(out, "?");
        return;
    }
    text_put(out, "[");
    for (const struct tree *t = tree_first(value);
         t != NULL && out->len - from < DERIVED_BYTES; t = t->next) {
        if (document_write_json(t, false, out) < 0)
            text_put(out, "?");
        text_put(out, ",");
    }
    text_printf(out, "...] (%zu)", tree_count(value));
}

void report_derived(struct output *out, const struct tree *verdict)
{
    const struct tree *map = tree_get(verdict, "derived");
    struct text text = { 0 };

    for (const struct tree *t = tree_entries(map); t != NULL; t = t->next) {
        text_printf(&text, "%s%s = ", t != tree_entries(map) ? ", " : "",
                    t->key);
        put_derived(t, &text);
    }
    if (text.len > 0)
        output_paragraph(out, INDENT, STYLE_DIM, "derived: ", STYLE_PLAIN,
                         text_string(&text));
    text_close(&text);
}

/* ---- node groups --------------------------------------------------------- */

static void print_names(const char *const *names, size_t n, struct text *out)
{
    for (size_t i = 0; i < n; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : "", names[i]);
}

/* "0-3, 8": consecutive ranks joined. */
static void print_ranks(const struct scope *scope, struct text *out)
{
    size_t n = scope->group->n_ranks, i = 0;

    for (int runs = 0; i < n; runs++) {
        size_t start = i;

        if (runs == RUNS_MAX) {
            text_printf(out, ", ... (%zu ranks)", n);
            return;
        }
        while (i + 1 < n &&
               scope_rank(scope, i + 1) == scope_rank(scope, i) + 1)
            i++;
        text_printf(out, "%s%" PRIu32, runs > 0 ? ", " : "",
                    scope_rank(scope, start));
        if (i > start)
            text_printf(out, "-%" PRIu32, scope_rank(scope, i));
        i++;
    }
}

static void print_instances(const struct scope *scope, struct text *out)
{
    if (scope->instance > 1)
        text_printf(out, "%zu of %" PRIu32 " ranks", scope->n_instances,
                    scope->instance);
    else if (scope->n_instances > 1)
        text_printf(out, "%zu replicas", scope->n_instances);
    else
        text_put(out, "one rank");
}

static const char *keep(struct text *text, struct arena *arena)
{
    const char *copy = arena_strdup(arena, text_string(text));

    text_close(text);
    return copy;
}

enum {
    COLUMN_GROUP,
    COLUMN_NODES,
    COLUMN_RANKS,
    COLUMN_SIZES,
    COLUMN_INSTANCES,
    COLUMN_WALKS,
    GROUP_COLUMNS
};

static void fill_group(const struct check *check, const struct scope *scope,
                       struct cell *row, struct arena *arena)
{
    const struct node_group *group = scope->group;
    struct text text[GROUP_COLUMNS] = { { 0 } };

    text_printf(&text[COLUMN_GROUP], "%d", group->index);
    print_names(group->node_names, group->n_node_names, &text[COLUMN_NODES]);
    print_ranks(scope, &text[COLUMN_RANKS]);
    pictures_sizes(check, scope, &text[COLUMN_SIZES]);
    print_instances(scope, &text[COLUMN_INSTANCES]);
    if (group->all_walks)
        text_put(&text[COLUMN_WALKS], "all");
    print_names(group->walks, group->n_walks, &text[COLUMN_WALKS]);
    for (int c = 0; c < GROUP_COLUMNS; c++)
        row[c].text = keep(&text[c], arena);
    row[COLUMN_NODES].style = STYLE_NAME;
}

static void print_groups(struct output *out, const struct answer *answer,
                         struct arena *arena)
{
    static const char *const titles[GROUP_COLUMNS] = {
        "group", "nodes", "ranks", "sizes", "instances", "walks",
    };
    const struct check *check = answer->check;
    size_t n = check->dep->n_groups;
    struct cell *cells =
        arena_array(arena, (n + 1) * GROUP_COLUMNS, sizeof(*cells));

    if (cells == NULL || check->dep->spans)
        return;
    for (int c = 0; c < GROUP_COLUMNS; c++)
        cells[c] = (struct cell){ titles[c], STYLE_DIM };
    for (size_t g = 0; g < n; g++)
        fill_group(check, &check->scopes[g], cells + (g + 1) * GROUP_COLUMNS,
                   arena);
    output_line(out);
    output_table(out, INDENT, cells, GROUP_COLUMNS, n + 1, 1u << COLUMN_GROUP);
}

/* ---- pictures ------------------------------------------------------------ */

int report_pictures(struct output *out, const struct answer *answer,
                    const char *const *lists, size_t n_lists,
                    struct arena *arena, struct error *err)
{
    /* What is asked of a check is worked out when first asked for. */
    struct check *check = (struct check *)answer->check;
    struct pictures pictures;

    if (pictures_make(check, lists, n_lists, arena, &pictures, err) < 0)
        return -1;
    pictures_share(&pictures, check);
    pictures_draw(out, INDENT, &pictures, arena);
    return 0;
}

/* ---- the whole ----------------------------------------------------------- */

void report_print(struct output *out, const char *name,
                  const struct answer *answer, bool refuse, struct arena *arena)
{
    struct error ignored; /* without memory there are no pictures */

    print_headline(out, name, answer, refuse);
    report_doubts(out, answer->tree);
    renumbered_show(out, answer->tree);
    print_findings(out, answer);
    print_alternatives(out, answer);
    if (!answer->accepts || answer->check == NULL)
        return;
    report_derived(out, answer->tree);
    print_groups(out, answer, arena);
    report_pictures(out, answer, NULL, 0, arena, &ignored);
    report_wanted(out, answer->tree);
}
