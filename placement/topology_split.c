/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster's document host by host. */
#include <string.h>

#include "placement/names.h"
#include "placement/topology.h"

/* An entry that may stand for many hosts, as one of a single host. */
static void write_host(struct tree_maker *maker, struct tree *list,
                       const struct tree *entry, const char *name)
{
    struct tree *map = make_map(maker, list, NULL);

    for (const struct tree *t = tree_first(entry); t != NULL; t = t->next)
        if (strcmp(t->key, "name") == 0)
            make_string(maker, map, "name", name);
        else if (t->type != TREE_NULL)
            make_copy(maker, map, t->key, t);
}

int topology_split(const struct topology *topology, const struct tree *document,
                   struct tree_maker *maker, struct tree **ret,
                   struct error *err)
{
    const struct tree **entries =
        arena_array(maker->arena, topology->n_hosts + 1, sizeof(*entries));
    const struct tree *t = tree_first(tree_get(document, "hosts"));

    if (entries == NULL)
        return error_exhausted(err);
    for (; t != NULL; t = t->next) {
        const char *const *names;
        size_t n;

        if (nodelist_expand(maker->arena, tree_get(t, "name")->text, &names, &n,
                            err) < 0)
            return -1;
        for (size_t i = 0; i < n; i++)
            entries[topology_host(topology, names[i])] = t;
    }
    *ret = make_list(maker, NULL, NULL);
    for (uint32_t h = 0; h < topology->n_hosts; h++)
        write_host(maker, *ret, entries[h], topology->hosts[h].name);
    return maker->failed ? error_exhausted(err) : 0;
}
