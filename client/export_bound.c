/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks on the hosts that a placement is bound to. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/export.h"

/* Adds a run of ranks: to the host before it if that is the same one. */
static int take_run(struct export_hosts *hosts, const struct tree *run,
                    struct error *err)
{
    const struct tree *at = tree_get(run, "host");
    int64_t count = tree_int(run, "count", -1);
    struct export_host *last =
        hosts->n > 0 ? &hosts->items[hosts->n - 1] : NULL;
    const char *name = tree_string(at);

    if (!export_is_name(name) || count < 1 || count > VIEW_SPAN_MAX)
        return error_set(err, STATUS_INVALID,
                         "launchers cannot be told of the host \"%.64s\"",
                         name);
    if (last == NULL || strcmp(last->name, name) != 0)
        hosts->items[hosts->n++] = (struct export_host){ .name = name };
    hosts->items[hosts->n - 1].slots += (uint32_t)count;
    return 0;
}

/* By name, and those of one name by their ranks. */
static int compare_hosts(const void *a, const void *b)
{
    const struct export_host *const *x = a, *const *y = b;
    int names = strcmp((*x)->name, (*y)->name);

    return names != 0 ? names : (*x > *y) - (*x < *y);
}

/* Numbers the slots of hosts that stand several times. */
static int number_slots(const struct exported *e, struct export_hosts *hosts,
                        struct error *err)
{
    struct export_host **by_name =
        arena_array(e->v->arena, hosts->n + 1, sizeof(struct export_host *));

    if (by_name == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < hosts->n; i++)
        by_name[i] = &hosts->items[i];
    qsort(by_name, hosts->n, sizeof(*by_name), compare_hosts);
    for (size_t i = 1; i < hosts->n; i++)
        if (strcmp(by_name[i - 1]->name, by_name[i]->name) == 0) {
            by_name[i]->slot = by_name[i - 1]->slot + by_name[i - 1]->slots;
            hosts->again = by_name[i]->name;
        }
    return 0;
}

int export_bound(const struct exported *e, struct export_hosts *hosts,
                 struct error *err)
{
    const struct tree *binding = tree_get(e->verdict, "binding");
    const struct tree *runs = tree_get(binding, "runs");
    size_t n = tree_count(runs);

    if (n == 0)
        return error_set(err, STATUS_INVALID,
                         "which hosts there are is not known here; give "
                         "--hosts FILE or --hosts NAME,NAME");
    if (tree_int(binding, "n_runs", -1) != (int64_t)n)
        return error_set(err, STATUS_INVALID,
                         "the answer names %zu of the placement's hosts only; "
                         "give --hosts FILE",
                         n);
    hosts->items = arena_array(e->v->arena, n, sizeof(*hosts->items));
    if (hosts->items == NULL)
        return error_exhausted(err);
    for (const struct tree *t = tree_first(runs); t != NULL; t = t->next)
        if (take_run(hosts, t, err) < 0)
            return -1;
    return number_slots(e, hosts, err);
}
