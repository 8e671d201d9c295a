/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict as a person reads it. */
#include "client/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client/pictures.h"
#include "proto/document.h"

enum {
    INDENT = 2,
    RUNS_MAX = 8,     /* of consecutive ranks, in one cell */
    LISTED_MAX = 256, /* groups, or values by rank, printed of one list */
    KEY_MAX = 32,     /* columns of keys that values are aligned behind */
};

static const char *string_of(const struct tree *map, const char *key)
{
    const struct tree *child = tree_get(map, key);

    return child != NULL && child->text != NULL ? child->text : "";
}

/* ---- headline ------------------------------------------------------------ */

static void print_headline(struct output *out, const char *name,
                           const struct answer *answer, bool refuse)
{
    const struct tree *first = tree_first(tree_get(answer->tree, "findings"));
    struct text line = { 0 };

    text_put(&line, name != NULL ? name : "the request");
    if (answer->check != NULL)
        text_printf(&line, " under %s", answer->check->rt->name);
    if (first != NULL)
        text_printf(&line, ": %s", string_of(first, "reason"));
    else if (refuse)
        text_put(&line, ": not every rule could be judged");
    output_paragraph(out, 0, refuse ? STYLE_BAD : STYLE_GOOD,
                     refuse ? "refused   " : "accepted  ", STYLE_BOLD,
                     text_string(&line));
    text_close(&line);
}

/* ---- findings ------------------------------------------------------------ */

/* The reason of the first one stands in the headline. */
static void print_finding(struct output *out, const struct tree *finding,
                          bool first)
{
    const char *equation = string_of(finding, "equation");
    const struct tree *fixes = tree_get(finding, "fixes");

    output_line(out);
    output_spaces(out, INDENT);
    output_put(out, STYLE_BAD, string_of(finding, "code"));
    if (string_of(finding, "subject")[0] != '\0')
        output_put(out, STYLE_PLAIN, "  ");
    output_put(out, STYLE_NAME, string_of(finding, "subject"));
    output_line(out);
    if (equation[0] != '\0')
        output_paragraph(out, 2 * INDENT, STYLE_PLAIN, "", STYLE_BOLD,
                         equation);
    if (!first)
        output_paragraph(out, 2 * INDENT, STYLE_PLAIN, "", STYLE_PLAIN,
                         string_of(finding, "reason"));
    for (const struct tree *t = tree_first(fixes); t != NULL; t = t->next)
        output_paragraph(out, 2 * INDENT, STYLE_GOOD, "try: ", STYLE_PLAIN,
                         t->text);
}

static void print_findings(struct output *out, const struct answer *answer)
{
    const struct tree *list = tree_get(answer->tree, "findings");
    const struct tree *left = tree_get(answer->tree, "findings_left_out");

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        print_finding(out, t, t == tree_first(list));
    if (left == NULL)
        return;
    output_line(out);
    output_spaces(out, INDENT);
    output_printf(out, STYLE_DIM, "... and %" PRId64 " more findings",
                  left->u.integer);
    output_line(out);
}

/* ---- alternatives -------------------------------------------------------- */

/* What users type for what is set, where that is known. */
static const char *typed_name(const struct answer *answer, const char *key)
{
    const struct runtime *rt = answer->check != NULL ? answer->check->rt : NULL;
    int i;

    if (rt == NULL)
        return key;
    i = runtime_axis(rt, key);
    if (i >= 0)
        return rt->axes[i].field;
    i = runtime_option(rt, key);
    return i >= 0 ? rt->options[i].field : key;
}

/* "node_groups[0].ranks = [0,1], without node_groups[0].graph_walks": what to
 * write. */
static void print_settings(const struct answer *answer, const struct tree *set,
                           struct text *out)
{
    for (const struct tree *t = tree_first(set); t != NULL; t = t->next) {
        if (t != tree_first(set))
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
        if (string_of(t, "say")[0] != '\0')
            output_paragraph(out, 2 * INDENT + 3, STYLE_PLAIN, "", STYLE_PLAIN,
                             string_of(t, "say"));
        text_close(&text);
    }
}

/* ---- what was not refused ------------------------------------------------ */

static void print_warnings(struct output *out, const struct answer *answer)
{
    const struct tree *list = tree_get(answer->tree, "warnings");

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        struct text text = { 0 };

        text_put(&text, string_of(t, "code"));
        if (string_of(t, "subject")[0] != '\0')
            text_printf(&text, " at %s", string_of(t, "subject"));
        text_printf(&text, ": %s", string_of(t, "reason"));
        output_paragraph(out, INDENT, STYLE_WARN, "warning: ", STYLE_PLAIN,
                         text_string(&text));
        text_close(&text);
    }
}

static void print_unchecked(struct output *out, const struct answer *answer)
{
    const struct tree *list = tree_get(answer->tree, "unchecked");

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        const struct tree *needs = tree_first(tree_get(t, "needs"));
        struct text text = { 0 };

        text_put(&text, string_of(t, "code"));
        for (const struct tree *n = needs; n != NULL; n = n->next)
            text_printf(&text, "%s%s", n == needs ? " needs " : ", ", n->text);
        output_paragraph(out, INDENT, STYLE_WARN, "unchecked: ", STYLE_PLAIN,
                         text_string(&text));
        text_close(&text);
    }
}

void report_derived(struct output *out, const struct tree *verdict)
{
    const struct tree *map = tree_get(verdict, "derived");
    struct text text = { 0 };

    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        text_printf(&text, "%s%s = ", t != tree_first(map) ? ", " : "", t->key);
        if (document_write_json(t, false, &text) < 0)
            text_put(&text, "?");
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

/* ---- what was asked for -------------------------------------------------- */

/* A list of numbers as {0,1}. */
static void print_members(const struct tree *list, struct text *out)
{
    size_t n = 0;

    text_put(out, "{");
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        if (n++ == LISTED_MAX) {
            text_put(out, ",...");
            break;
        }
        text_printf(out, "%s%" PRId64, n > 1 ? "," : "", t->u.integer);
    }
    text_put(out, "}");
}

/* Columns of the longest key, as far as values may stand beside it. */
static int key_columns(const struct tree *map)
{
    int widest = 0;

    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        int columns = output_columns(t->key);

        if (columns > widest && columns <= KEY_MAX)
            widest = columns;
    }
    return widest;
}

void report_lists(struct output *out, const struct tree *lists)
{
    int width = key_columns(lists);

    for (const struct tree *l = tree_first(lists); l != NULL; l = l->next) {
        struct text text = { 0 }, label = { 0 };
        size_t n = 0;

        text_printf(&label, "%-*s  ", width, l->key);
        for (const struct tree *t = tree_first(l); t != NULL; t = t->next) {
            if (n++ == LISTED_MAX) {
                text_printf(&text, " ... and %zu more",
                            tree_count(l) - LISTED_MAX);
                break;
            }
            if (n > 1)
                text_put(&text, " ");
            print_members(t, &text);
        }
        if (n == 0)
            text_put(&text, "none");
        output_paragraph(out, 2 * INDENT, STYLE_NAME, text_string(&label),
                         STYLE_PLAIN, text_string(&text));
        text_close(&label);
        text_close(&text);
    }
}

static void print_title(struct output *out, const char *title)
{
    output_line(out);
    output_paragraph(out, INDENT, STYLE_PLAIN, "", STYLE_BOLD, title);
}

static void print_creation(struct output *out, const struct tree *creation)
{
    size_t n = 0;

    print_title(out, "created in this order");
    for (const struct tree *t = tree_first(creation); t != NULL; t = t->next) {
        struct text text = { 0 };
        char label[32];

        if (n == LISTED_MAX) {
            output_spaces(out, 2 * INDENT);
            output_printf(out, STYLE_DIM, "... and %zu more",
                          tree_count(creation) - n);
            output_line(out);
            return;
        }
        snprintf(label, sizeof(label), "%zu. ", ++n);
        print_members(tree_get(t, "ranks"), &text);
        text_printf(&text, " %s %s", string_of(t, "backend"),
                    string_of(t, "list"));
        output_paragraph(out, 2 * INDENT, STYLE_DIM, label, STYLE_PLAIN,
                         text_string(&text));
        text_close(&text);
    }
}

static void print_per_rank(struct output *out, const struct tree *per_rank)
{
    int width = key_columns(per_rank);

    print_title(out, "by rank, from 0 on");
    for (const struct tree *l = tree_first(per_rank); l != NULL; l = l->next) {
        struct text text = { 0 }, label = { 0 };
        size_t n = 0;

        text_printf(&label, "%-*s  ", width, l->key);
        for (const struct tree *t = tree_first(l); t != NULL && n < LISTED_MAX;
             t = t->next, n++) {
            text_put(&text, n > 0 ? " " : "");
            if (t->type == TREE_INT)
                text_printf(&text, "%" PRId64, t->u.integer);
            else
                text_put(&text, "-"); /* a rank outside of the view */
        }
        if (n < tree_count(l))
            text_printf(&text, " ... and %zu more", tree_count(l) - n);
        output_paragraph(out, 2 * INDENT, STYLE_NAME, text_string(&label),
                         STYLE_PLAIN, text_string(&text));
        text_close(&label);
        text_close(&text);
    }
}

static void print_wanted(struct output *out, const struct answer *answer)
{
    const struct tree *lists = tree_get(answer->tree, "lists");
    const struct tree *per_rank = tree_get(answer->tree, "per_rank");
    const struct tree *creation = tree_get(answer->tree, "creation");

    if (lists != NULL) {
        print_title(out, "lists");
        report_lists(out, lists);
    }
    if (per_rank != NULL)
        print_per_rank(out, per_rank);
    if (creation != NULL)
        print_creation(out, creation);
}

/* ---- the whole ----------------------------------------------------------- */

void report_print(struct output *out, const char *name,
                  const struct answer *answer, bool refuse, struct arena *arena)
{
    struct error ignored; /* without memory there are no pictures */

    print_headline(out, name, answer, refuse);
    print_warnings(out, answer);
    print_unchecked(out, answer);
    print_findings(out, answer);
    print_alternatives(out, answer);
    if (!answer->accepts || answer->check == NULL)
        return;
    report_derived(out, answer->tree);
    print_groups(out, answer, arena);
    report_pictures(out, answer, NULL, 0, arena, &ignored);
    print_wanted(out, answer);
}
