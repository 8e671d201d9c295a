/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks on hosts, as schedulers read them. */
#include <inttypes.h>
#include <string.h>

#include "client/export.h"
#include "proto/document.h"

/* One line for each rank, in their order: Slurm starts task i on the host of
 * line i with --distribution=arbitrary. It takes every line for a host, so
 * there is no comment. */
int export_slurm_hostfile(const struct exported *e, struct error *err)
{
    struct export_hosts hosts;

    if (export_hosts(e, &hosts, err) < 0)
        return -1;
    for (size_t i = 0; i < hosts.n_used; i++)
        for (uint32_t slot = 0; slot < hosts.items[i].used; slot++)
            text_printf(&e->v->out.text, "%s\n", hosts.items[i].name);
    return 0;
}

/* Ray knows a node by a resource of which it has 1: a part of that, too small
 * to run out, is what pins a bundle to it. */
#define RAY_PART 0.001

static void make_bundle(struct tree_maker *maker, struct tree *bundles,
                        const char *node)
{
    struct tree *bundle = make_map(maker, bundles, NULL);

    make_int(maker, bundle, "GPU", 1);
    make_double(maker, bundle, node, RAY_PART);
}

/* What ray.util.placement_group() takes, a bundle for each rank, and which host
 * each is on; the index of a rank's bundle is the rank. */
int export_ray(const struct exported *e, struct error *err)
{
    struct tree_maker maker = { .arena = e->v->arena };
    struct tree *map = make_map(&maker, NULL, NULL), *bundles, *nodes;
    struct export_hosts hosts;
    struct text json = { 0 };
    int rc = 0;

    if (export_hosts(e, &hosts, err) < 0)
        return -1;
    make_string(&maker, map, "name", e->name);
    if (e->generation != NULL)
        make_string(&maker, map, "generation", e->generation);
    make_string(&maker, map, "strategy", "PACK");
    bundles = make_list(&maker, map, "bundles");
    nodes = make_list(&maker, map, "hosts");
    for (size_t i = 0; i < hosts.n_used; i++) {
        const char *node =
            arena_printf(e->v->arena, "node:%s", hosts.items[i].name);

        maker.failed |= node == NULL;
        for (uint32_t slot = 0; node != NULL && slot < hosts.items[i].used;
             slot++) {
            make_bundle(&maker, bundles, node);
            make_string(&maker, nodes, NULL, hosts.items[i].name);
        }
    }
    if (maker.failed || document_write_json(map, true, &json) < 0)
        rc = error_exhausted(err);
    else
        text_printf(&e->v->out.text, "%s\n", text_string(&json));
    text_close(&json);
    return rc;
}
