/* SPDX-License-Identifier: Apache-2.0 */
/* What was asked for beside a verdict, as a person reads it: lists, values by
 * rank, the creation sequence. */
#include <inttypes.h>
#include <stdio.h>

#include "client/report.h"

enum {
    INDENT = 2,
    LISTED_MAX = 256, /* groups, or values by rank, printed of one list */
    KEY_MAX = 32,     /* columns of keys that values are aligned behind */
};

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

    for (const struct tree *t = tree_entries(map); t != NULL; t = t->next) {
        int columns = output_columns(t->key);

        if (columns > widest && columns <= KEY_MAX)
            widest = columns;
    }
    return widest;
}

void report_lists(struct output *out, const struct tree *lists)
{
    int width = key_columns(lists);

    for (const struct tree *l = tree_entries(lists); l != NULL; l = l->next) {
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

static void print_creation(struct output *out, const struct tree *creation,
                           const struct tree *communicators)
{
    size_t n = 0;

    print_title(out, "created in this order");
    if (communicators != NULL) {
        output_spaces(out, 2 * INDENT);
        output_printf(out, STYLE_DIM,
                      "%" PRId64 " communicators, of one rank at most %" PRId64,
                      tree_int(communicators, "groups", 0),
                      tree_int(communicators, "of_one_rank", 0));
        output_line(out);
    }
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
        text_printf(&text, " %s %s", tree_text(t, "backend"),
                    tree_text(t, "list"));
        output_paragraph(out, 2 * INDENT, STYLE_DIM, label, STYLE_PLAIN,
                         text_string(&text));
        text_close(&text);
    }
}

static void print_per_rank(struct output *out, const struct tree *per_rank)
{
    int width = key_columns(per_rank);

    print_title(out, "by rank, from 0 on");
    for (const struct tree *l = tree_entries(per_rank); l != NULL;
         l = l->next) {
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

void report_wanted(struct output *out, const struct tree *verdict)
{
    const struct tree *lists = tree_get(verdict, "lists");
    const struct tree *per_rank = tree_get(verdict, "per_rank");
    const struct tree *creation = tree_get(verdict, "creation");

    if (lists != NULL) {
        print_title(out, "lists");
        report_lists(out, lists);
    }
    if (per_rank != NULL)
        print_per_rank(out, per_rank);
    if (creation != NULL)
        print_creation(out, creation, tree_get(verdict, "communicators"));
}
