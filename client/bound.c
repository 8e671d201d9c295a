/* SPDX-License-Identifier: Apache-2.0 */
/* What a verdict says of devices, for people. */
#include "client/bound.h"

#include <inttypes.h>
#include <string.h>

/* "4 groups, all inside nvlink" or "8 groups: 6 joined by host, 2 by block". */
static void say_axis(const struct tree *axis, struct text *out)
{
    int64_t groups = tree_int(axis, "groups", 0),
            inside = tree_int(axis, "inside", 0);
    const char *wants = tree_text(axis, "wants"), *joint = ": ";
    const struct tree *t = tree_entries(tree_get(axis, "joined_by"));

    text_printf(out, "%s %" PRId64 " group%s", axis->key, groups,
                groups == 1 ? "" : "s");
    if (strcmp(wants, "any") != 0 && inside == groups) {
        text_printf(out, ", all inside %s", wants);
        return;
    }
    for (; t != NULL; t = t->next)
        if (t->type == TREE_INT && t->u.integer > 0) {
            text_printf(out, "%s%" PRId64 " joined by %s", joint, t->u.integer,
                        strcmp(t->key, "any") == 0 ? "the network" : t->key);
            joint = ", ";
        }
}

void bound_show(struct output *out, const struct tree *verdict)
{
    const struct tree *binding = tree_get(verdict, "binding");
    const struct tree *moves = tree_get(binding, "moves");
    const struct tree *t = tree_entries(tree_get(binding, "axes"));
    struct text line = { 0 };

    if (tree_get(binding, "ranks") == NULL)
        return;
    text_printf(&line, "%" PRId64 " device%s of %" PRId64 " host%s",
                tree_int(binding, "ranks", 0),
                tree_int(binding, "ranks", 0) == 1 ? "" : "s",
                tree_int(binding, "hosts", 0),
                tree_int(binding, "hosts", 0) == 1 ? "" : "s");
    for (; t != NULL; t = t->next) {
        text_put(&line, "; ");
        say_axis(t, &line);
    }
    output_paragraph(out, 0, STYLE_DIM, "devices   ", STYLE_PLAIN,
                     text_string(&line));
    text_close(&line);
    if (moves != NULL)
        output_paragraph(out, 0, STYLE_DIM, "moves     ", STYLE_PLAIN,
                         tree_text(moves, "say"));
}
