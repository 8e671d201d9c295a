/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse worlds: ranks of node groups that are not 0 to N-1. */
#include <string.h>

#include "base/text.h"
#include "placement/deployment.h"
#include "placement/reader.h"

static const char *const words[] = {
#define X(id, word) word,
    SPARSE_LIST(X)
#undef X
};

const char *sparse_word(enum sparse way)
{
    return words[way];
}

static int read_word(const struct tree *t, enum sparse *ret, struct error *err)
{
    for (int way = 0; t->text != NULL && way < SPARSE_COUNT; way++)
        if (strcmp(words[way], t->text) == 0) {
            *ret = (enum sparse)way;
            return 0;
        }
    return tree_error(t, err, STATUS_INVALID,
                      "the ranks of a sparse world are to keep, renumber or "
                      "refuse, not \"%.32s\"",
                      t->text != NULL ? t->text : "");
}

/* ---- what a runtime says ------------------------------------------------- */

static int read_allowed(const struct tree *list, struct sparse_rule *rule,
                        struct error *err)
{
    rule->allowed = 1u << rule->usual;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        enum sparse way;

        if (read_type(t, READ_STRING, err) < 0 || read_word(t, &way, err) < 0)
            return -1;
        rule->allowed |= 1u << way;
    }
    return 0;
}

int sparse_rule_read(const struct tree *at, struct sparse_rule *ret,
                     struct error *err)
{
    static const struct read_key keys[] = {
        { "usual", READ_STRING, true },
        { "allow", READ_LIST, true },
    };

    ret->usual = SPARSE_KEEP;
    ret->allowed = (1u << SPARSE_COUNT) - 1;
    if (at == NULL)
        return 0;
    if (at->type == TREE_STRING) {
        if (read_word(at, &ret->usual, err) < 0)
            return -1;
        if (ret->usual != SPARSE_KEEP) /* which then is not for it */
            ret->allowed &= ~(1u << SPARSE_KEEP);
        return 0;
    }
    if (read_keys(at, keys, ARRAY_LEN(keys), err) < 0 ||
        read_word(tree_get(at, "usual"), &ret->usual, err) < 0)
        return -1;
    return read_allowed(tree_get(at, "allow"), ret, err);
}

/* ---- what a request says ------------------------------------------------- */

static int refuse_way(const struct tree *at, const struct deployment *dep,
                      struct error *err)
{
    struct text allowed = { 0 };
    int rc;

    for (int way = 0; way < SPARSE_COUNT; way++)
        if ((dep->runtime->sparse.allowed & 1u << way) != 0)
            text_printf(&allowed, "%s%s", allowed.len > 0 ? " or " : "",
                        words[way]);
    rc = tree_error(at, err, STATUS_INVALID,
                    "under %s the ranks of a sparse world may %s, not %s",
                    dep->runtime->name, text_string(&allowed), at->text);
    text_close(&allowed);
    return rc;
}

int deployment_read_sparse(struct deployment *dep, struct arena *arena,
                           struct error *err)
{
    const struct tree *at = tree_get(dep->document, "sparse");

    dep->sparse = dep->runtime->sparse.usual;
    if (at != NULL) {
        if (read_word(at, &dep->sparse, err) < 0)
            return -1;
        if ((dep->runtime->sparse.allowed & 1u << dep->sparse) == 0)
            return refuse_way(at, dep, err);
    }
    if (dep->sparse == SPARSE_RENUMBER && deployment_renumber(dep, arena) < 0)
        return error_exhausted(err);
    return 0;
}

/* ---- renumbering --------------------------------------------------------- */

/* The number of a rank that is used. */
static uint32_t number_of(const struct deployment *dep, uint32_t rank)
{
    uint32_t low = 0, high = dep->n_listed;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (dep->listed[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The highest rank and one. 0: there is none, or some is no rank at all, which
 * the check of ranks refuses. */
static uint32_t find_bound(const struct deployment *dep)
{
    uint32_t bound = 0;

    for (size_t g = 0; g < dep->n_groups; g++)
        for (size_t i = 0; i < dep->groups[g].n_ranks; i++) {
            int64_t rank = dep->groups[g].ranks[i];

            if (rank < 0 || rank >= VIEW_SPAN_MAX)
                return 0;
            if (rank >= bound)
                bound = (uint32_t)rank + 1;
        }
    return bound;
}

/* Marks what is used, and gives how many there are. */
static uint32_t mark_used(const struct deployment *dep, uint8_t *used)
{
    uint32_t n = 0;

    for (size_t g = 0; g < dep->n_groups; g++)
        for (size_t i = 0; i < dep->groups[g].n_ranks; i++) {
            n += used[dep->groups[g].ranks[i]] == 0;
            used[dep->groups[g].ranks[i]] = 1;
        }
    return n;
}

static int list_used(struct deployment *dep, struct arena *arena,
                     const uint8_t *used, uint32_t n, uint32_t bound)
{
    uint32_t *listed = arena_array(arena, n, sizeof(*listed));

    if (listed == NULL)
        return -1;
    dep->listed = listed;
    dep->n_listed = 0;
    for (uint32_t rank = 0; rank < bound; rank++)
        if (used[rank] != 0)
            listed[dep->n_listed++] = rank;
    return 0;
}

static int number_group(struct deployment *dep, struct arena *arena,
                        struct node_group *group)
{
    int64_t *ranks = arena_array(arena, group->n_ranks + 1, sizeof(*ranks));

    if (ranks == NULL)
        return -1;
    for (size_t i = 0; i < group->n_ranks; i++)
        ranks[i] = number_of(dep, (uint32_t)group->ranks[i]);
    group->ranks = ranks;
    return 0;
}

int deployment_renumber(struct deployment *dep, struct arena *arena)
{
    uint32_t n, bound;
    uint8_t *used;

    if (dep->spans)
        return 0; /* a world has no gaps */
    bound = find_bound(dep);
    if (bound == 0)
        return 0;
    used = arena_array(arena, bound, 1);
    if (used == NULL)
        return -1;
    n = mark_used(dep, used);
    if (n == bound)
        return 0;
    if (list_used(dep, arena, used, n, bound) < 0)
        return -1;
    for (size_t g = 0; g < dep->n_groups; g++)
        if (number_group(dep, arena, &dep->groups[g]) < 0)
            return -1;
    return 0;
}

size_t deployment_listed_run(const struct deployment *dep, uint32_t at,
                             uint32_t *ret_stride)
{
    const uint32_t *listed = dep->listed;
    size_t n = 1;

    *ret_stride = 1;
    if (at + 1 < dep->n_listed)
        *ret_stride = listed[at + 1] - listed[at];
    while (at + n < dep->n_listed &&
           listed[at + n] - listed[at + n - 1] == *ret_stride)
        n++;
    if (*ret_stride == 1 || n > 2)
        return n;
    *ret_stride = 1; /* two far apart are one and one */
    return 1;
}
