/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the instances of a deployment to the workers that one request got. */
#include "placement/binding.h"

#include <inttypes.h>
#include <string.h>

/* row_groups while no group has the row */
#define UNCLAIMED UINT32_MAX

/* A binding that is being made. */
struct binder {
    const struct group_template *templates;
    size_t n_templates;
    const struct binding_row *rows;
    size_t n_rows;
    struct bound_group *groups;
    size_t n_groups;
    uint32_t *row_groups;
    struct binding_refusal refusal;
    struct error *err;
};

static bool has_name(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool has_node(const struct group_template *template, const char *node)
{
    return has_name(template->nodes, template->n_nodes, node);
}

static bool claims(const struct group_template *template,
                   const struct binding_row *row)
{
    return has_node(template, row->node) &&
           (template->walks == NULL ||
            has_name(template->walks, template->n_walks, row->walk));
}

/* ---- checks ------------------------------------------------------------- */

static int check_sizes(struct binder *binder)
{
    size_t names = 0;

    for (size_t t = 0; t < binder->n_templates; t++) {
        const struct group_template *template = &binder->templates[t];

        if (template->size < 1)
            return error_set(binder->err, STATUS_INVALID,
                             "group template %zu has size 0: a group has at "
                             "least one rank",
                             t);
        if (template->rank != RANK_UNSET && template->rank >= template->size)
            return error_set(binder->err, STATUS_INVALID,
                             "group template %zu has rank %" PRIu32
                             " in an instance of %" PRIu32
                             ": ranks count from 0",
                             t, template->rank, template->size);
        names += template->n_nodes + template->n_walks + 1;
        if (names > BINDING_NAMES_MAX)
            break;
    }
    if (names > BINDING_NAMES_MAX || binder->n_rows > BINDING_ROWS_MAX)
        return error_set(binder->err, STATUS_INVALID,
                         "a binding is too large: at most %d names in its "
                         "templates and %d rows",
                         (int)BINDING_NAMES_MAX, (int)BINDING_ROWS_MAX);
    return 0;
}

static int check_rows(struct binder *binder)
{
    for (size_t i = 0; i < binder->n_rows; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(binder->rows[i].node, binder->rows[k].node) == 0 &&
                strcmp(binder->rows[i].walk, binder->rows[k].walk) == 0)
                return error_set(binder->err, STATUS_INVALID,
                                 "node %s in walk %s is bound twice: bind it "
                                 "once",
                                 binder->rows[i].node, binder->rows[i].walk);
    return 0;
}

/* No node may be in two templates for all walks: its streams would have two
 * ends. */
static int check_streams(struct binder *binder)
{
    for (size_t t = 0; t < binder->n_templates; t++)
        for (size_t u = 0; u < t; u++) {
            const struct group_template *a = &binder->templates[t];
            const struct group_template *b = &binder->templates[u];

            if (a->walks != NULL || b->walks != NULL)
                continue;
            for (size_t i = 0; i < a->n_nodes; i++) {
                if (!has_node(b, a->nodes[i]))
                    continue;
                binder->refusal.code = "template.duplicate_streaming_group";
                return error_set(binder->err, STATUS_INVALID,
                                 "node %s is in two groups for all walks: "
                                 "join them, or give walks to one",
                                 a->nodes[i]);
            }
        }
    return 0;
}

static int check_count(struct binder *binder, const struct binding_row *row,
                       uint32_t want)
{
    if (row->n_workers == want)
        return 0;
    binder->refusal = (struct binding_refusal){ "template.worker_count",
                                                row->n_workers, want };
    return error_set(binder->err, STATUS_INVALID,
                     "node %s in walk %s is bound to %" PRIu32
                     " workers: its group has %" PRIu32,
                     row->node, row->walk, row->n_workers, want);
}

/* ---- binding ------------------------------------------------------------ */

static bool same_workers(const struct bound_group *group,
                         const struct binding_row *row)
{
    return memcmp(group->workers, row->workers,
                  row->n_workers * sizeof(*row->workers)) == 0;
}

/* Gives row i to the last group, which is a template's. */
static int claim(struct binder *binder, size_t i)
{
    const struct binding_row *row = &binder->rows[i];
    struct bound_group *group = &binder->groups[binder->n_groups - 1];

    if (binder->row_groups[i] != UNCLAIMED) {
        binder->refusal.code = "template.duplicate_claim";
        return error_set(binder->err, STATUS_INVALID,
                         "node %s in walk %s is in two groups: it may be in "
                         "one",
                         row->node, row->walk);
    }
    if (check_count(binder, row, group->size) < 0)
        return -1;
    if (group->workers == NULL)
        group->workers = row->workers;
    if (!same_workers(group, row)) {
        binder->refusal.code = "template.worker_lists";
        return error_set(binder->err, STATUS_INVALID,
                         "node %s in walk %s is bound to other workers than "
                         "the rest of its group: one request uses one "
                         "instance of a group",
                         row->node, row->walk);
    }
    binder->row_groups[i] = (uint32_t)(binder->n_groups - 1);
    return 0;
}

static int bind_template(struct binder *binder,
                         const struct group_template *template)
{
    struct bound_group *group = NULL;

    for (size_t i = 0; i < binder->n_rows; i++) {
        if (!claims(template, &binder->rows[i]))
            continue;
        if (group == NULL) {
            group = &binder->groups[binder->n_groups++];
            group->from = template;
            group->size = template->size;
            group->rank = template->rank;
        }
        if (claim(binder, i) < 0)
            return -1;
    }
    return 0;
}

/* The group of one that an earlier row of the same node and worker got; else a
 * new one. */
static uint32_t group_of_one(struct binder *binder, size_t i)
{
    const struct binding_row *rows = binder->rows;

    for (size_t k = 0; k < i; k++) {
        struct bound_group *group = &binder->groups[binder->row_groups[k]];

        if (group->from == NULL && strcmp(rows[k].node, rows[i].node) == 0 &&
            same_workers(group, &rows[i]))
            return binder->row_groups[k];
    }
    binder->groups[binder->n_groups] =
        (struct bound_group){ NULL, rows[i].workers, 1, 0 };
    return (uint32_t)binder->n_groups++;
}

static int bind_rest(struct binder *binder)
{
    for (size_t i = 0; i < binder->n_rows; i++) {
        if (binder->row_groups[i] != UNCLAIMED)
            continue;
        if (check_count(binder, &binder->rows[i], 1) < 0)
            return -1;
        binder->row_groups[i] = group_of_one(binder, i);
    }
    return 0;
}

static int bind_all(struct binder *binder, struct arena *arena)
{
    if (check_sizes(binder) < 0 || check_rows(binder) < 0 ||
        check_streams(binder) < 0)
        return -1;
    /* one more than rows: for the group whose first claim is refused */
    binder->groups =
        arena_array(arena, binder->n_rows + 1, sizeof(*binder->groups));
    binder->row_groups =
        arena_array(arena, binder->n_rows, sizeof(*binder->row_groups));
    if (binder->groups == NULL || binder->row_groups == NULL)
        return error_exhausted(binder->err);
    memset(binder->row_groups, 0xff,
           binder->n_rows * sizeof(*binder->row_groups));
    for (size_t t = 0; t < binder->n_templates; t++)
        if (bind_template(binder, &binder->templates[t]) < 0)
            return -1;
    return bind_rest(binder);
}

int binding_make(struct arena *arena, const struct group_template *templates,
                 size_t n_templates, const struct binding_row *rows,
                 size_t n_rows, struct binding *ret,
                 struct binding_refusal *ret_refusal, struct error *err)
{
    struct binder binder = {
        .templates = templates,
        .n_templates = n_templates,
        .rows = rows,
        .n_rows = n_rows,
        .err = err,
    };

    if (bind_all(&binder, arena) < 0) {
        if (ret_refusal != NULL)
            *ret_refusal = binder.refusal;
        return -1;
    }
    *ret = (struct binding){
        .templates = templates,
        .n_templates = n_templates,
        .rows = rows,
        .n_rows = n_rows,
        .groups = binder.groups,
        .n_groups = binder.n_groups,
        .row_groups = binder.row_groups,
    };
    return 0;
}

/* ---- look-ups ----------------------------------------------------------- */

const struct bound_group *binding_find(const struct binding *binding,
                                       const char *node, const char *walk)
{
    for (size_t i = 0; i < binding->n_rows; i++)
        if (strcmp(binding->rows[i].node, node) == 0 &&
            strcmp(binding->rows[i].walk, walk) == 0)
            return &binding->groups[binding->row_groups[i]];
    return NULL;
}

static const struct bound_group *find_template(const struct binding *binding,
                                               size_t template)
{
    for (size_t g = 0; g < binding->n_groups; g++)
        if (binding->groups[g].from == &binding->templates[template])
            return &binding->groups[g];
    return NULL;
}

const struct bound_group *binding_find_stream(const struct binding *binding,
                                              const char *node)
{
    const struct bound_group *only = NULL;
    bool configured = false;

    for (size_t t = 0; t < binding->n_templates; t++) {
        if (!has_node(&binding->templates[t], node))
            continue;
        if (binding->templates[t].walks == NULL)
            return find_template(binding, t);
        configured = true;
    }
    for (size_t i = 0; i < binding->n_rows && !configured; i++) {
        const struct bound_group *group =
            &binding->groups[binding->row_groups[i]];

        if (strcmp(binding->rows[i].node, node) != 0)
            continue;
        if (only != NULL && only != group)
            return NULL;
        only = group;
    }
    return only;
}
