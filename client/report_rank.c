/* SPDX-License-Identifier: Apache-2.0 */
/* What one rank would get, as a person reads it. */
#include <inttypes.h>

#include "client/report.h"

static int64_t number_of(const struct tree *map, const char *key)
{
    const struct tree *value = tree_get(map, key);

    return value != NULL && value->type == TREE_INT ? value->u.integer : 0;
}

static const char *string_of(const struct tree *map, const char *key)
{
    const struct tree *value = tree_get(map, key);

    return value != NULL && value->type == TREE_STRING ? value->text : "";
}

/* "cfg 1 of 2": of axes that are split. */
static void put_coordinates(const struct tree *node, struct text *out)
{
    const struct tree *sizes = tree_get(node, "sizes");
    const struct tree *all = tree_get(node, "coordinates");

    for (const struct tree *t = tree_first(all); t != NULL; t = t->next)
        if (number_of(sizes, t->key) > 1)
            text_printf(out, ", %s %" PRId64 " of %" PRId64, t->key,
                        t->u.integer, number_of(sizes, t->key));
}

/* "; query_heads 0-11 of 24" */
static void put_shares(const struct tree *node, struct text *out)
{
    const struct tree *all = tree_get(node, "shares");

    for (const struct tree *t = tree_first(all); t != NULL; t = t->next) {
        const struct tree *begin = tree_first(tree_get(t, "range"));
        int64_t parts = number_of(t, "parts");

        if (parts < 2)
            continue;
        text_printf(out, "; %s ", string_of(t, "what"));
        if (begin != NULL && begin->next != NULL &&
            begin->u.integer < begin->next->u.integer)
            text_printf(out, "%" PRId64 "-%" PRId64 " of %" PRId64,
                        begin->u.integer, begin->next->u.integer - 1,
                        number_of(t, "total"));
        else
            text_printf(out, "part %" PRId64 " of %" PRId64,
                        number_of(t, "part"), parts);
    }
}

static void print_node(struct output *out, const struct tree *node)
{
    struct text text = { 0 };

    text_printf(
        &text,
        "group %" PRId64 ", instance %" PRId64 ", rank %" PRId64 " of %" PRId64,
        number_of(node, "group"), number_of(node, "instance"),
        number_of(node, "instance_rank"), number_of(node, "instance_size"));
    put_coordinates(node, &text);
    put_shares(node, &text);
    output_put(out, STYLE_PLAIN, "    ");
    output_put(out, STYLE_NAME, string_of(node, "node"));
    output_paragraph(out, 0, STYLE_PLAIN, "  ", STYLE_PLAIN,
                     text_string(&text));
    text_close(&text);
}

void report_rank(struct output *out, const struct tree *assignment)
{
    const struct tree *nodes = tree_get(assignment, "nodes");

    output_line(out);
    output_printf(out, STYLE_BOLD, "  rank %" PRId64,
                  number_of(assignment, "rank"));
    if (tree_count(nodes) == 0)
        output_put(out, STYLE_PLAIN, " is in no node group");
    output_line(out);
    for (const struct tree *t = tree_first(nodes); t != NULL; t = t->next)
        print_node(out, t);
}
