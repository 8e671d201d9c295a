/* SPDX-License-Identifier: Apache-2.0 */
/* Whose release would make room. */
#include "daemon/bind_evict.h"

#include "daemon/bind_parts.h"

struct eviction {
    struct arena *arena;
    struct inventory *inventory;
    struct inventory_hold *hold;
    const struct topology *topology;
    struct occupancy occupancy;
    struct place_request request;
    struct place_refusal refusal;
    char *findings;
    struct error err;
    int rc;
};

/* Holders may be gone before the search is over. */
static bool copy_names(struct arena *arena, struct occupancy *occupancy)
{
    const char **names =
        arena_array(arena, occupancy->n_names + 1, sizeof(*names));

    for (uint32_t i = 0; names != NULL && i < occupancy->n_names; i++)
        names[i] = arena_strdup(arena, occupancy->names[i]);
    occupancy->names = names;
    return !arena_failed(arena);
}

struct eviction *eviction_new(struct arena *arena, struct inventory *inventory,
                              const struct topology *topology,
                              const struct occupancy *occupancy,
                              const struct place_request *request,
                              const struct place_refusal *refusal)
{
    struct eviction *e = arena_array(arena, 1, sizeof(*e));

    if (e == NULL)
        return NULL;
    *e = (struct eviction){ .arena = arena,
                            .inventory = inventory,
                            .topology = topology,
                            .occupancy = *occupancy,
                            .request = *request,
                            .refusal = *refusal };
    if (!copy_names(arena, &e->occupancy))
        return NULL;
    e->rc = error_exhausted(&e->err); /* until it is searched */
    e->hold = inventory_keep(inventory);
    return e;
}

void eviction_find(struct eviction *e)
{
    struct place_eviction found;

    e->rc = place_evict(e->arena, e->topology, &e->occupancy, &e->request,
                        &found, &e->err);
    if (e->rc < 0)
        return;
    e->findings = bind_refusal(&e->refusal, e->topology, &e->occupancy, &found);
    if (e->findings == NULL)
        e->rc = error_exhausted(&e->err);
}

int eviction_end(struct eviction *e, char **ret_findings, struct error *err)
{
    struct arena *arena = e->arena;
    int rc = e->rc;

    if (rc < 0)
        *err = e->err;
    else
        *ret_findings = e->findings;
    inventory_release(e->inventory, e->hold);
    arena_free(arena);
    return rc;
}
