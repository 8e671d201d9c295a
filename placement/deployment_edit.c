/* SPDX-License-Identifier: Apache-2.0 */
/* Changed copies of a request, for the search of alternatives. */
#include <string.h>

#include "placement/deployment.h"

static void apply(struct deployment *dep, const struct edit *edit)
{
    struct node_group *group = &dep->groups[edit->group];

    switch (edit->kind) {
    case EDIT_SIZE:
        group->sizes[edit->index] =
            (struct given){ .has = true, .value = edit->value };
        break;
    case EDIT_OPTION:
        dep->options[edit->index] =
            edit->tree->type != TREE_NULL ? edit->tree : NULL;
        break;
    case EDIT_WORLD:
        dep->world = (struct given){ .has = true, .value = edit->value };
        group->n_ranks = edit->value > 0 ? (size_t)edit->value : 0;
        break;
    case EDIT_RANKS:
        group->ranks = edit->ranks;
        group->n_ranks = edit->n_ranks;
        break;
    case EDIT_WALKS:
        group->all_walks = true;
        group->walks = NULL;
        group->n_walks = 0;
        break;
    case EDIT_SPARSE: /* when all others are done */
        dep->sparse = SPARSE_RENUMBER;
        break;
    }
}

const struct deployment *deployment_edit(struct arena *arena,
                                         const struct deployment *base,
                                         const struct edit *edits, size_t n)
{
    const struct runtime *rt = base->runtime;
    struct deployment *dep = arena_alloc(arena, sizeof(*dep));
    size_t bytes = base->n_groups * sizeof(*base->groups);

    if (dep == NULL)
        return NULL;
    *dep = *base;
    dep->groups = arena_alloc(arena, bytes + sizeof(*dep->groups));
    dep->options = arena_array(arena, rt->n_options + 1, sizeof(*dep->options));
    if (dep->groups == NULL || dep->options == NULL)
        return NULL;
    memcpy(dep->groups, base->groups, bytes);
    memcpy(dep->options, base->options, rt->n_options * sizeof(*dep->options));
    for (size_t i = 0; i < n; i++)
        apply(dep, &edits[i]);
    if (dep->sparse == SPARSE_RENUMBER && base->sparse != dep->sparse &&
        deployment_renumber(dep, arena) < 0)
        return NULL;
    return dep;
}
