/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of one host that are linked with one another. */
#include <string.h>

#include "proto/inventory_read.h"

/* Marks all that can be reached from a device; queue has room for all. */
static void flood(struct islands *islands, uint32_t from, uint32_t island,
                  uint32_t *queue)
{
    uint32_t n = 0;

    islands->of[from] = island;
    queue[n++] = from;
    while (n > 0) {
        uint32_t d = queue[--n];

        for (uint32_t other = 0; other < islands->n; other++)
            if (islands->linked[d * islands->n + other] &&
                islands->of[other] == UINT32_MAX) {
                islands->of[other] = island;
                queue[n++] = other;
            }
    }
}

int islands_find(struct importing *im, struct islands *islands)
{
    uint32_t *queue = arena_array(im->arena, islands->n, sizeof(*queue));

    islands->of = arena_array(im->arena, islands->n, sizeof(*islands->of));
    islands->n_islands = 0;
    if (islands->of == NULL || queue == NULL)
        return error_exhausted(im->err);
    for (uint32_t d = 0; d < islands->n; d++)
        islands->of[d] = UINT32_MAX;
    for (uint32_t d = 0; d < islands->n; d++)
        if (islands->of[d] == UINT32_MAX)
            flood(islands, d, islands->n_islands++, queue);
    return 0;
}

/* Pairs without a link of their own. */
static uint32_t pairs_missing(const struct islands *islands, uint32_t island)
{
    uint32_t missing = 0;

    for (uint32_t a = 0; a < islands->n; a++)
        for (uint32_t b = a + 1; b < islands->n; b++)
            missing += islands->of[a] == island && islands->of[b] == island &&
                       !islands->linked[a * islands->n + b];
    return missing;
}

void islands_put(struct importing *im, const struct islands *islands,
                 const char *key, const char *all_to_all)
{
    struct tree *lists = make_list(im->maker, im->ret->reading, key);
    struct tree *full = all_to_all != NULL
                            ? make_list(im->maker, im->ret->reading, all_to_all)
                            : NULL;

    for (uint32_t island = 0; island < islands->n_islands; island++) {
        struct tree *list = make_list(im->maker, lists, NULL);
        uint32_t missing = pairs_missing(islands, island);

        for (uint32_t d = 0; d < islands->n; d++)
            if (islands->of[d] == island)
                make_int(im->maker, list, NULL, d);
        if (full != NULL)
            make_bool(im->maker, full, NULL, missing == 0);
        if (missing > 0)
            import_warn(im,
                        "%u pairs of the %zu linked devices have no link of "
                        "their own and go through others",
                        missing, tree_count(list));
    }
}

static uint32_t island_size(const struct islands *islands, uint32_t island)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < islands->n; d++)
        n += islands->of[d] == island;
    return n;
}

const char *islands_domain(struct importing *im, const struct islands *islands,
                           const char *host, uint32_t device)
{
    uint32_t island = islands->of[device];
    const char *name;

    if (island_size(islands, island) < 2)
        return NULL;
    name = arena_printf(im->arena, "%s/%u", host, island);
    if (name == NULL)
        im->maker->failed = true;
    return name;
}
