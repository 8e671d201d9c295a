/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an answer that have a world's size: only when asked for. */
#include <string.h>

#include "placement/assignment.h"
#include "placement/table.h"
#include "placement/verdict_writer.h"

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

/* How many communicators the creation sequence makes: in all, and the most
 * that one rank is in. Each costs time and memory of every rank in it. */
struct communicators {
    uint32_t *of_rank;
    uint32_t room, most;
};

static int count_members(struct writer *w, struct communicators *c,
                         const uint32_t *members, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        if (members[k] >= c->room) {
            uint32_t room =
                members[k] < UINT32_MAX / 2 ? members[k] * 2 + 64 : members[k];
            uint32_t *more = check_alloc(w->check, room, sizeof(*more));

            if (more == NULL)
                return error_exhausted(w->err);
            if (c->room > 0)
                memcpy(more, c->of_rank, c->room * sizeof(*more));
            c->of_rank = more;
            c->room = room;
        }
        if (++c->of_rank[members[k]] > c->most)
            c->most = c->of_rank[members[k]];
    }
    return 0;
}

static int write_creation(struct writer *w)
{
    struct communicators communicators = { 0 };
    struct creation creation;
    struct tree *list, *counts;

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
        if (count_members(w, &communicators, members, n) < 0)
            return -1;
        make_string(w->maker, map, "list", created.source->name);
        make_string(w->maker, map, "backend", created.backend);
        ranks = make_list(w->maker, map, "ranks");
        for (uint32_t k = 0; k < n; k++)
            make_int(w->maker, ranks, NULL, members[k]);
    }
    counts = make_map(w->maker, w->map, "communicators");
    make_int(w->maker, counts, "groups", (int64_t)creation.count);
    make_int(w->maker, counts, "of_one_rank", communicators.most);
    return write_digests(w, &creation);
}

bool verdict_has_places(const struct check *check, const struct scope *scope)
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
             verdict_has_places(check, scope) && i < scope->group->n_ranks;
             i++) {
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

/* The axes of each view and their sizes, outermost first. */
static void write_views(struct writer *w)
{
    struct tree *views = make_list(w->maker, w->map, "views");

    for (size_t v = 0; v < w->check->rt->n_views; v++) {
        const struct view *view = verdict_view(w->check, (int)v);
        struct tree *map, *list;

        if (view == NULL)
            continue;
        map = make_map(w->maker, views, NULL);
        make_string(w->maker, map, "name", w->check->rt->views[v].name);
        list = make_list(w->maker, map, "axes");
        for (int a = 0; a < view->n_axes; a++) {
            struct tree *axis = make_map(w->maker, list, NULL);

            make_string(w->maker, axis, "axis", view->axes[a].name);
            make_int(w->maker, axis, "size", view->axes[a].size);
        }
    }
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
        const struct view *view = verdict_view(w->check, (int)v);

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
    if (verdict_lists(w, wants) < 0)
        return -1;
    if (wants->views)
        write_views(w);
    if (wants->assignment && write_assignment(w, wants->rank) < 0)
        return -1;
    if (wants->per_rank && write_per_rank(w) < 0)
        return -1;
    if (wants->creation && write_creation(w) < 0)
        return -1;
    return 0;
}
