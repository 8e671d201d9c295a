/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a picture: which heads, rows and more each rank holds. */
#include "client/shares.h"

#include <inttypes.h>

/* Number `index` of the nodes that a rank hosts in this scope, or NULL. */
static const struct node_shard *node_in(const struct assignment *assignment,
                                        const struct scope *scope, int index)
{
    for (size_t i = 0; i < assignment->n_nodes; i++)
        if (assignment->nodes[i].scope == scope && index-- == 0)
            return &assignment->nodes[i];
    return NULL;
}

/* "0-11"; of what has no number yet the part, "0 of 2". */
static void put_share(const struct share *share, struct text *out)
{
    const struct range *range = &share->range;

    if (!share->has_range)
        text_printf(out, "%" PRIu32 " of %" PRIu32, share->part, share->parts);
    else if (range->end == range->begin)
        text_put(out, "none");
    else if (range->end == range->begin + 1)
        text_printf(out, "%" PRIu64, range->begin);
    else
        text_printf(out, "%" PRIu64 "-%" PRIu64, range->begin, range->end - 1);
}

/* Works out what the rank at a position gets; false: no memory. */
static bool look_at(struct shares *shares, uint32_t position)
{
    if (shares->position == position)
        return true;
    if (assignment_make(shares->check, shares->check->arena,
                        scope_rank(shares->scope, position),
                        &shares->assignment, NULL) < 0)
        return false;
    shares->position = position;
    return true;
}

static void put_column(void *arg, uint32_t position, int column,
                       struct text *out)
{
    struct shares *shares = arg;
    const struct shares_column *c = &shares->columns[column];
    const struct node_shard *node;

    if (!look_at(shares, position))
        return;
    node = node_in(&shares->assignment, shares->scope, c->node);
    if (node != NULL && (size_t)c->share < node->n_shares)
        put_share(&node->shares[c->share], out);
}

static const char *column_title(struct shares *shares,
                                const struct node_shard *node, bool alone,
                                const struct share *share)
{
    return arena_printf(shares->check->arena, "%s%s%s%s%s",
                        alone ? "" : node->node->name, alone ? "" : " ",
                        share->what, share->resource != NULL ? " of " : "",
                        share->resource != NULL ? share->resource : "");
}

static void add_columns(struct shares *shares, const struct node_shard *node,
                        int index, bool alone)
{
    for (size_t i = 0; i < node->n_shares; i++) {
        const struct share *share = &node->shares[i];
        int n = shares->n_columns;
        const char *title;

        if (n == PICTURE_EXTRA_MAX || (share->parts < 2 && !share->has_range))
            continue;
        title = column_title(shares, node, alone, share);
        if (title == NULL)
            return;
        shares->columns[n] =
            (struct shares_column){ .node = index, .share = (int)i };
        shares->titles[n] = title;
        shares->n_columns++;
    }
}

void shares_init(struct shares *shares, struct check *check,
                 const struct scope *scope, struct picture *picture)
{
    const struct node_shard *node;
    bool alone;

    *shares = (struct shares){
        .check = check, .scope = scope, .position = UINT32_MAX, /* none */
    };
    if (!look_at(shares, 0))
        return;
    alone = node_in(&shares->assignment, scope, 1) == NULL;
    for (int i = 0; (node = node_in(&shares->assignment, scope, i)) != NULL;
         i++)
        add_columns(shares, node, i, alone);
    picture->n_extra = shares->n_columns;
    picture->extra_titles = shares->titles;
    picture->extra = put_column;
    picture->arg = shares;
}
