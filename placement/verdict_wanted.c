/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an answer that have a world's size: only when asked for. */
#include <stdlib.h>
#include <string.h>

#include "placement/assignment.h"
#include "placement/table.h"
#include "placement/verdict_writer.h"

/* ---- what was asked for -------------------------------------------------- */

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

static void put_hex(struct writer *w, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_printf(&w->text, "%02x", bytes[i]);
}

static int write_digests(struct writer *w, const struct creation *creation)
{
    struct table_digests digests;
    struct table table;
    struct tree *map, *lists;

    if (table_make(w->check, &table, w->err) < 0 ||
        table_digest(w->check, &table, creation, &digests, w->err) < 0)
        return -1;
    map = make_map(w->maker, w->map, "digests");
    put_hex(w, digests.total, DIGEST_BYTES);
    verdict_field(w, map, "total");
    put_hex(w, digests.sequence, DIGEST_SHORT_BYTES);
    verdict_field(w, map, "sequence");
    lists = make_map(w->maker, map, "lists");
    for (size_t i = 0; i < table.n_lists; i++) {
        put_hex(w, digests.lists[i], DIGEST_SHORT_BYTES);
        verdict_field(w, lists, table.lists[i].name);
    }
    return 0;
}

static int write_creation(struct writer *w)
{
    struct creation creation;
    struct tree *list;

    if (table_creation(w->check, &creation, w->err) < 0)
        return -1;
    list = make_list(w->maker, w->map, "creation");
    for (size_t i = 0; i < creation.count; i++) {
        struct created created = creation_at(&creation, i);
        struct tree *map = make_map(w->maker, list, NULL), *ranks;
        uint32_t n = created_length(&created);
        uint32_t *members = check_alloc(w->check, n, sizeof(*members));

        if (members == NULL)
            return error_exhausted(w->err);
        created_ranks(&created, members);
        make_string(w->maker, map, "list", created.source->name);
        make_string(w->maker, map, "backend", created.backend);
        ranks = make_list(w->maker, map, "ranks");
        for (uint32_t k = 0; k < n; k++)
            make_int(w->maker, ranks, NULL, members[k]);
    }
    return write_digests(w, &creation);
}

/* Whether the ranks of a scope have places: not those that run alone, but the
 * one rank of a world has. */
static bool has_places(const struct check *check, const struct scope *scope)
{
    return scope->instance > (check->dep->spans ? 0 : 1);
}

/* Where each rank runs in step with others: the first node group in whose
 * instances of several ranks it is, and the position in its instance. */
struct places {
    struct scope **scopes; /* by rank; NULL: it runs alone */
    uint32_t *positions;
    uint32_t bound; /* highest rank + 1 */
};

static int find_places(struct check *check, struct places *places)
{
    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t i = 0; i < check->dep->groups[g].n_ranks; i++)
            if (scope_rank(&check->scopes[g], i) >= places->bound)
                places->bound = scope_rank(&check->scopes[g], i) + 1;
    places->scopes =
        check_alloc(check, places->bound + 1, sizeof(*places->scopes));
    places->positions =
        check_alloc(check, places->bound + 1, sizeof(*places->positions));
    if (places->scopes == NULL || places->positions == NULL)
        return -1;
    for (size_t g = check->dep->n_groups; g > 0; g--) {
        struct scope *scope = &check->scopes[g - 1];

        for (size_t i = 0;
             has_places(check, scope) && i < scope->group->n_ranks; i++) {
            uint32_t rank = scope_rank(scope, i);

            places->scopes[rank] = scope;
            places->positions[rank] = (uint32_t)(i % scope->instance);
        }
    }
    return 0;
}

static void write_null(struct writer *w, struct tree *list)
{
    if (!w->maker->failed &&
        tree_new(w->maker->arena, list, NULL, TREE_NULL) == NULL)
        w->maker->failed = true;
}

/* One axis of one view: the coordinate of every rank, null where there is none.
 */
static void write_coordinates(struct writer *w, struct tree *map, int v,
                              const char *axis, const struct places *places)
{
    struct tree *list;

    text_printf(&w->text, "%s%s%s", w->check->rt->views[v].name,
                w->check->rt->views[v].name[0] != '\0' ? "." : "", axis);
    list = make_list(w->maker, map, text_string(&w->text));
    text_clear(&w->text);
    for (uint32_t r = 0; r < places->bound; r++) {
        struct scope *scope = places->scopes[r];
        const struct view *view = NULL;
        int index = -1;

        if (scope != NULL)
            view = scope_view(w->check, scope, v);
        if (view != NULL && view_reaches(view, places->positions[r]))
            index = view_axis(view, axis);
        if (index < 0)
            write_null(w, list);
        else
            make_int(w->maker, list, NULL,
                     view_coordinate(view, index, places->positions[r]));
    }
}

/* A coordinate that the runtime declares, of every rank; null where there is
 * none. */
static void write_declared(struct writer *w, struct tree *map, int index,
                           const struct places *places)
{
    struct tree *list =
        make_list(w->maker, map, w->check->rt->coordinates[index].name);
    struct scope *scope = NULL;
    struct coordinate coordinate = { .view = NULL };

    for (uint32_t r = 0; r < places->bound; r++) {
        if (places->scopes[r] != scope) {
            scope = places->scopes[r];
            if (scope == NULL ||
                scope_coordinate(w->check, scope, index, &coordinate) < 0)
                coordinate.view = NULL;
        }
        if (scope == NULL || coordinate.view == NULL ||
            !view_reaches(coordinate.view, places->positions[r]))
            write_null(w, list);
        else
            make_int(w->maker, list, NULL,
                     coordinate_at(&coordinate, places->positions[r]));
    }
}

/* The axes of a view as the first node group that has them lays it out. */
static const struct view *any_view(struct check *check, int v)
{
    for (size_t g = 0; g < check->dep->n_groups; g++) {
        const struct view *view = scope_view(check, &check->scopes[g], v);

        if (view != NULL && has_places(check, &check->scopes[g]))
            return view;
    }
    return NULL;
}

static int write_per_rank(struct writer *w)
{
    struct tree *map = make_map(w->maker, w->map, "per_rank"), *list;
    struct places places = { 0 };

    if (find_places(w->check, &places) < 0)
        return error_exhausted(w->err);
    list = make_list(w->maker, map, "instance_rank");
    for (uint32_t r = 0; r < places.bound; r++)
        if (places.scopes[r] == NULL)
            write_null(w, list);
        else
            make_int(w->maker, list, NULL, places.positions[r]);
    for (size_t v = 0; v < w->check->rt->n_views; v++) {
        const struct view *view = any_view(w->check, (int)v);

        for (int a = 0; view != NULL && a < view->n_axes; a++)
            write_coordinates(w, map, (int)v, view->axes[a].name, &places);
    }
    for (size_t i = 0; i < w->check->rt->n_coordinates; i++)
        write_declared(w, map, (int)i, &places);
    return 0;
}

static int write_assignment(struct writer *w, uint32_t rank)
{
    struct assignment assignment;

    if (assignment_make(w->check, w->check->arena, rank, &assignment, w->err) <
        0)
        return -1;
    assignment_write(w->check, &assignment, w->maker,
                     make_map(w->maker, w->map, "assignment"));
    return 0;
}

int verdict_wanted(struct writer *w, const struct verdict_wants *wants)
{
    struct tree *lists = NULL;

    if (wants->n_lists > 0)
        lists = make_map(w->maker, w->map, "lists");
    for (size_t i = 0; i < wants->n_lists; i++)
        if (write_list(w, lists, wants->lists[i]) < 0)
            return -1;
    if (wants->assignment && write_assignment(w, wants->rank) < 0)
        return -1;
    if (wants->per_rank && write_per_rank(w) < 0)
        return -1;
    if (wants->creation && write_creation(w) < 0)
        return -1;
    return 0;
}
