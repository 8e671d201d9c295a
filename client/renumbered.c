/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks a sparse world was renumbered to, for people. */
#include "client/renumbered.h"

#include <inttypes.h>

enum { RUNS_SHOWN = 16 };

/* "3", "20-21", "8, 12, ..., 24". */
static void put_span(int64_t first, int64_t count, int64_t stride,
                     struct text *out)
{
    int64_t last = first + (count - 1) * stride;

    text_printf(out, "%" PRId64, first);
    if (count == 1)
        return;
    if (stride == 1)
        text_printf(out, "-%" PRId64, last);
    else if (count == 2)
        text_printf(out, " and %" PRId64, last);
    else
        text_printf(out, ", %" PRId64 ", ..., %" PRId64, first + stride, last);
}

void renumbered_show(struct output *out, const struct tree *verdict)
{
    const struct tree *map = tree_get(verdict, "renumbered");
    const struct tree *run = tree_first(tree_get(map, "runs"));
    struct text line = { 0 };
    int shown = 0;

    if (map == NULL)
        return;
    for (; run != NULL && shown < RUNS_SHOWN; run = run->next, shown++) {
        int64_t count = tree_int(run, "count", 1);

        text_put(&line, shown > 0 ? "; " : "");
        put_span(tree_int(run, "from", 0), count, tree_int(run, "stride", 1),
                 &line);
        text_put(&line, " to ");
        put_span(tree_int(run, "to", 0), count, 1, &line);
    }
    if (tree_int(map, "n_runs", 0) > shown)
        text_put(&line, "; and more");
    output_paragraph(out, 2, STYLE_DIM, "renumbered: ", STYLE_PLAIN,
                     text_string(&line));
    text_close(&line);
}
