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
        uint32_t length, count;
        uint32_t *ranks;

        if (lists[g].n_outer < 0)
            continue;
        count = lists_count(&lists[g]);
        length = lists_length(&lists[g]);
        ranks = check_alloc(check, (size_t)count * length, sizeof(*ranks));
        if (ranks == NULL)
            return NULL;
        lists_expand(&lists[g], check->scopes[g].ranks, check->scopes[g].offset,
                     ranks);
        for (uint32_t i = 0; i < count; i++)
            all[(*ret_n)++] =
                (struct ranked){ ranks + (size_t)i * length, length };
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

/* By rank: 1 + the first of the groups of several ranks that has it, and where.
 */
static int write_per_rank(struct writer *w)
{
    struct check *check = w->check;
    const struct runtime *rt = check->rt;
    struct tree *map = make_map(w->maker, w->map, "per_rank");
    uint32_t *position_of, *scope_of, bound = 0;
    struct tree *list;

    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t i = 0; i < check->dep->groups[g].n_ranks; i++)
            if (scope_rank(&check->scopes[g], i) >= bound)
                bound = scope_rank(&check->scopes[g], i) + 1;
    position_of = check_alloc(check, bound + 1, sizeof(*position_of));
    scope_of = check_alloc(check, bound + 1, sizeof(*scope_of));
    if (position_of == NULL || scope_of == NULL)
        return error_exhausted(w->err);
    for (size_t g = check->dep->n_groups; g > 0; g--) {
        const struct scope *scope = &check->scopes[g - 1];

        for (size_t i = 0; scope->instance > 1 && i < scope->group->n_ranks;
             i++) {
            position_of[scope_rank(scope, i)] = (uint32_t)i % scope->instance;
            scope_of[scope_rank(scope, i)] = (uint32_t)g;
        }
    }
    list = make_list(w->maker, map, "instance_rank");
    for (uint32_t r = 0; r < bound; r++)
        make_int(w->maker, list, NULL, position_of[r]);
    for (size_t v = 0; v < rt->n_views; v++)
        for (size_t p = 0; p < rt->views[v].forms[0].n_parts; p++) {
            const char *axis = rt->views[v].forms[0].parts[p].name;

            text_printf(&w->text, "%s%s%s", rt->views[v].name,
                        rt->views[v].name[0] != '\0' ? "." : "", axis);
            list = make_list(w->maker, map, text_string(&w->text));
            text_clear(&w->text);
            for (uint32_t r = 0; r < bound; r++) {
                const struct view *view = NULL;
                int index = -1;

                if (scope_of[r] > 0)
                    view = scope_view(check, &check->scopes[scope_of[r] - 1],
                                      (int)v);
                if (view != NULL)
                    index = view_axis(view, axis);
                make_int(w->maker, list, NULL,
                         index < 0
                             ? 0
                             : view_coordinate(view, index, position_of[r]));
            }
        }
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
