/* SPDX-License-Identifier: Apache-2.0 */
/* What one rank would get, as a person reads it. */
#include <inttypes.h>

#include "client/report.h"

/* "cfg 1 of 2": of axes that are split. */
static void put_coordinates(const struct tree *node, struct text *out)
{
    const struct tree *sizes = tree_get(node, "sizes");
    const struct tree *all = tree_get(node, "coordinates");

    for (const struct tree *t = tree_entries(all); t != NULL; t = t->next)
        if (tree_int(sizes, t->key, 0) > 1)
            text_printf(out, ", %s %" PRId64 " of %" PRId64, t->key,
                        t->u.integer, tree_int(sizes, t->key, 0));
}

/* "; query_heads 0-11 of 24" */
static void put_shares(const struct tree *node, struct text *out)
{
    const struct tree *all = tree_get(node, "shares");

    for (const struct tree *t = tree_first(all); t != NULL; t = t->next) {
        const struct tree *begin = tree_first(tree_get(t, "range"));
        int64_t parts = tree_int(t, "parts", 0);

        if (parts < 2)
            continue;
        text_printf(out, "; %s ", tree_text(t, "what"));
        if (begin != NULL && begin->next != NULL &&
            begin->u.integer < begin->next->u.integer)
            text_printf(out, "%" PRId64 "-%" PRId64 " of %" PRId64,
                        begin->u.integer, begin->next->u.integer - 1,
                        tree_int(t, "total", 0));
        else
            text_printf(out, "part %" PRId64 " of %" PRId64,
                        tree_int(t, "part", 0), parts);
    }
}

static void print_node(struct output *out, const struct tree *node)
{
    struct text text = { 0 };

    text_printf(
        &text,
        "group %" PRId64 ", instance %" PRId64 ", rank %" PRId64 " of %" PRId64,
        tree_int(node, "group", 0), tree_int(node, "instance", 0),
        tree_int(node, "instance_rank", 0), tree_int(node, "instance_size", 0));
    put_coordinates(node, &text);
    put_shares(node, &text);
    output_put(out, STYLE_PLAIN, "    ");
    output_put(out, STYLE_NAME, tree_text(node, "node"));
    output_paragraph(out, 0, STYLE_PLAIN, "  ", STYLE_PLAIN,
                     text_string(&text));
    text_close(&text);
}

void report_rank(struct output *out, const struct tree *assignment)
{
    const struct tree *nodes = tree_get(assignment, "nodes");

    output_line(out);
    output_printf(out, STYLE_BOLD, "  rank %" PRId64,
                  tree_int(assignment, "rank", 0));
    if (tree_count(nodes) == 0)
        output_put(out, STYLE_PLAIN, " is in no node group");
    output_line(out);
    for (const struct tree *t = tree_first(nodes); t != NULL; t = t->next)
        print_node(out, t);
}
