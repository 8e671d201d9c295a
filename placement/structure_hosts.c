/* SPDX-License-Identifier: Apache-2.0 */
/* The structure check of the hosts that a request lists itself. */
#include "placement/structure_checks.h"

#include <string.h>

#include "placement/host_list.h"

/* The section, as it was written; NULL: there is none. */
static const struct tree *section_of(const struct check *check)
{
    const struct runtime *rt = check->rt;

    for (size_t i = 0; i < rt->n_carries; i++)
        if (!rt->carries[i].in_group &&
            strcmp(rt->carries[i].name, rt->host_list->key) == 0)
            return check->dep->carried[i];
    return NULL;
}

/* What is wrong, from the path in the request on. */
static const char *told(struct check *check, const char *text)
{
    const char *path = strstr(text, check->rt->host_list->key);
    const char *copy = arena_strdup(check->arena, path != NULL ? path : text);

    if (copy == NULL)
        check->exhausted = true;
    return copy;
}

/* Reads the list; false: it cannot be, and that is said. */
static bool read_list(struct check *check, const struct tree *section,
                      struct host_list *ret)
{
    const struct host_list_rules *rules = check->rt->host_list;
    struct host_list_refusal refusal;
    struct error err;
    struct finding *f;

    if (host_list_read(check->arena, rules, section, NULL, ret, &refusal,
                       &err) == 0)
        return true;
    if (arena_failed(check->arena)) {
        check->exhausted = true;
        return false;
    }
    f = check_fault(check, refusal.code == rules->code_section
                               ? FAULT_HOSTS_SECTION
                               : FAULT_HOSTS_HOST);
    f->name = rules->key;
    f->near = told(check, err.text);
    return false;
}

/* Whether every rank of a group is on a host. */
static bool ranks_on_hosts(struct check *check, const struct scope *scope,
                           const struct host_list *list)
{
    for (size_t i = 0; i < scope->group->n_ranks; i++) {
        uint32_t rank = scope_rank(scope, i);
        struct finding *f;

        if (rank < list->n_ranks)
            continue;
        f = check_fault(check, FAULT_HOSTS_RANK);
        f->group = scope->group->index;
        f->name = check->rt->host_list->key;
        f->rank = rank;
        f->b = (int64_t)list->n_ranks - 1;
        return false;
    }
    return true;
}

/* The host of every position of a group, all of which are on some; NULL: no
 * memory. */
static uint32_t *hosts_of(struct check *check, const struct scope *scope,
                          const struct host_list *list)
{
    size_t n = scope->group->n_ranks;
    uint32_t *hosts = check_alloc(check, n, sizeof(*hosts)), device;
    struct host_list_refusal refusal;

    for (size_t i = 0; hosts != NULL && i < n; i++)
        host_list_find(list, check->rt->host_list, scope_rank(scope, i),
                       &hosts[i], &device, &refusal, NULL);
    return hosts;
}

/* Warns of the first group of an axis that has ranks on two hosts. In the view
 * the ranks that differ in this axis alone are `stride` apart. */
static void warn_spanned(struct check *check, const struct scope *scope,
                         int axis, const struct view *view, int at,
                         const uint32_t *hosts)
{
    for (size_t i = 0; i < scope->group->n_ranks; i++) {
        uint32_t position = (uint32_t)(i % scope->instance);
        uint32_t place = view_coordinate(view, at, position);
        size_t first = i - (size_t)place * view->axes[at].stride;
        struct finding *f;

        if (hosts[i] == hosts[first])
            continue;
        f = check_fault(check, FAULT_HOSTS_SPANNED);
        f->group = scope->group->index;
        f->name = check->rt->host_list->key;
        f->axis = axis;
        f->a = scope_rank(scope, first);
        f->b = scope_rank(scope, i);
        return;
    }
}

/* Of the axes that want a host, or less. */
static void check_spanned(struct check *check, struct scope *scope,
                          const struct host_list *list)
{
    const struct view *view = scope_first_view(check, scope);
    const uint32_t *hosts = NULL;

    if (view == NULL || scope->instance < 2 || list->n_hosts < 2)
        return;
    for (size_t a = 0; a < check->rt->n_axes; a++) {
        int own = check->dep->links[a];
        int link = own >= 0 ? own : (int)check->rt->links[a];
        int at = view_axis(view, check->rt->axes[a].name);

        if (link > LINK_HOST || at < 0 || view->axes[at].size < 2)
            continue;
        if (hosts == NULL)
            hosts = hosts_of(check, scope, list);
        if (hosts == NULL)
            return;
        warn_spanned(check, scope, (int)a, view, at, hosts);
    }
}

void structure_hosts(struct check *check, const struct rule *rule)
{
    const struct tree *section = section_of(check);
    struct host_list list;

    (void)rule;
    if (section == NULL || section->type == TREE_NULL ||
        !read_list(check, section, &list))
        return;
    for (size_t g = 0; g < check->dep->n_groups && !check_done(check); g++) {
        struct scope *scope = &check->scopes[g];

        if (scope->good_ranks && ranks_on_hosts(check, scope, &list))
            check_spanned(check, scope, &list);
    }
}
