/* SPDX-License-Identifier: Apache-2.0 */
/* Group lists in an answer. */
#include <inttypes.h>
#include <stdlib.h>

#include "placement/table.h"
#include "placement/verdict_writer.h"

/* A group as ranks, for sorting. */
struct ranked {
    const uint32_t *ranks;
    uint32_t n;
};

static int compare_ranked(const void *va, const void *vb)
{
    const struct ranked *a = va, *b = vb;

    for (uint32_t i = 0; i < a->n && i < b->n; i++)
        if (a->ranks[i] != b->ranks[i])
            return a->ranks[i] < b->ranks[i] ? -1 : 1;
    return a->n < b->n ? -1 : a->n > b->n;
}

/* Expands a list of every scope into groups; NULL: no memory. */
static struct ranked *expand_all(struct writer *w, const struct list_name *name,
                                 size_t *ret_n)
{
    struct check *check = w->check;
    struct lists *lists =
        check_alloc(check, check->dep->n_groups + 1, sizeof(*lists));
    struct ranked *all;
    size_t n = 0;

    for (size_t g = 0; lists != NULL && g < check->dep->n_groups; g++)
        if (table_scope_lists(check, &check->scopes[g], name, &lists[g]) < 0)
            lists[g] = (struct lists){ .n_outer = -1 };
        else
            n += lists_count(&lists[g]);
    all = check_alloc(check, n + 1, sizeof(*all));
    if (lists == NULL || all == NULL)
        return NULL;
    *ret_n = 0;
    for (size_t g = 0; g < check->dep->n_groups; g++) {
        uint32_t *ranks;

        if (lists[g].n_outer < 0)
            continue;
        ranks = check_alloc(check, lists_entries(&lists[g]), sizeof(*ranks));
        if (ranks == NULL)
            return NULL;
        lists_expand(&lists[g], check->scopes[g].ranks,
                     check->scopes[g].offset + lists[g].first, ranks);
        for (uint32_t i = 0; i < lists_count(&lists[g]); i++) {
            uint32_t length = lists_length_of(&lists[g], i);

            all[(*ret_n)++] = (struct ranked){ ranks, length };
            ranks += length;
        }
    }
    return all;
}

/* One list by its name: canonical, equal groups once. */
static int write_list(struct writer *w, struct tree *map, const char *text)
{
    struct list_name name;
    struct ranked *all;
    struct tree *list;
    size_t n;

    if (runtime_list_name(w->check->rt, w->check->arena, text, &name, w->err) <
        0)
        return -1;
    all = expand_all(w, &name, &n);
    if (all == NULL)
        return error_exhausted(w->err);
    qsort(all, n, sizeof(*all), compare_ranked);
    list = make_list(w->maker, map, text);
    for (size_t i = 0; i < n; i++) {
        struct tree *one;

        if (i > 0 && compare_ranked(&all[i - 1], &all[i]) == 0)
            continue;
        one = make_list(w->maker, list, NULL);
        for (uint32_t k = 0; k < all[i].n; k++)
            make_int(w->maker, one, NULL, all[i].ranks[k]);
    }
    return 0;
}

/* ---- all of them --------------------------------------------------------- */

const struct view *verdict_view(struct check *check, int v)
{
    for (size_t g = 0; g < check->dep->n_groups; g++) {
        const struct view *view = scope_view(check, &check->scopes[g], v);

        if (view != NULL && verdict_has_places(check, &check->scopes[g]))
            return view;
    }
    return NULL;
}

static int write_view(struct writer *w, struct tree *map, int v)
{
    const struct view *view = verdict_view(w->check, v);
    const char *name = w->check->rt->views[v].name;

    if (view == NULL && w->check->dep->n_groups > 0)
        view = scope_view(w->check, &w->check->scopes[0], v);
    for (int a = 0; view != NULL && a < view->n_axes; a++) {
        const char *list =
            arena_printf(w->maker->arena, "%s%s%s", name,
                         name[0] != '\0' ? "." : "", view->axes[a].name);

        if (list == NULL)
            return error_exhausted(w->err);
        if (write_list(w, map, list) < 0)
            return -1;
    }
    return 0;
}

/* A family by the numbers of the first node group that has some. */
static int write_family(struct writer *w, struct tree *map, int group)
{
    struct check *check = w->check;
    uint32_t numbers[FAMILY_MAX];
    int n = 0;

    for (size_t g = 0; g < check->dep->n_groups && n <= 0; g++)
        n = scope_family(check, &check->scopes[g], group, numbers);
    for (int i = 0; i < n; i++) {
        const char *list =
            arena_printf(w->maker->arena, "%s%" PRIu32,
                         check->rt->groups[group].name, numbers[i]);

        if (list == NULL)
            return error_exhausted(w->err);
        if (write_list(w, map, list) < 0)
            return -1;
    }
    return 0;
}

static int write_all(struct writer *w, struct tree *map)
{
    const struct runtime *rt = w->check->rt;

    for (size_t v = 0; v < rt->n_views; v++)
        if (write_view(w, map, (int)v) < 0)
            return -1;
    for (size_t g = 0; g < rt->n_groups; g++)
        if (rt->groups[g].family ? write_family(w, map, (int)g) < 0
                                 : write_list(w, map, rt->groups[g].name) < 0)
            return -1;
    return 0;
}

int verdict_lists(struct writer *w, const struct verdict_wants *wants)
{
    struct tree *map;

    if (wants->n_lists == 0 && !wants->all_lists)
        return 0;
    map = make_map(w->maker, w->map, "lists");
    for (size_t i = 0; i < wants->n_lists; i++)
        if (write_list(w, map, wants->lists[i]) < 0)
            return -1;
    return wants->all_lists ? write_all(w, map) : 0;
}
