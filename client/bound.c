/* SPDX-License-Identifier: Apache-2.0 */
/* What a verdict says of devices, for people. */
#include "client/bound.h"

#include <inttypes.h>
#include <string.h>

enum { HOSTS_SHOWN = 16 };

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

/* "gpu1 8, gpu2 4": the hosts in the order of the ranks, and how many each
 * has. */
static void say_hosts(const struct tree *binding, struct text *out)
{
    const struct tree *t = tree_first(tree_get(binding, "runs"));

    for (size_t n = 0; t != NULL; n++) {
        const char *host = tree_text(t, "host");
        int64_t count = 0;

        if (n == HOSTS_SHOWN) {
            text_put(out, " and more");
            return;
        }
        for (; t != NULL && strcmp(tree_text(t, "host"), host) == 0;
             t = t->next)
            count += tree_int(t, "count", 0);
        text_printf(out, "%s%s %" PRId64, n > 0 ? ", " : "", host, count);
    }
}

static void show_hosts(struct output *out, const struct tree *binding)
{
    struct text line = { 0 };

    say_hosts(binding, &line);
    if (line.len > 0)
        output_paragraph(out, 0, STYLE_DIM, "hosts     ", STYLE_PLAIN,
                         text_string(&line));
    text_close(&line);
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
    show_hosts(out, binding);
    if (moves != NULL &&
        (tree_int(moves, "ranks", 0) > 0 || tree_int(moves, "new", 0) > 0))
        output_paragraph(out, 0, STYLE_DIM, "moves     ", STYLE_PLAIN,
                         tree_text(moves, "say"));
}
