/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters that another thread works on while hosts change. */
#include <assert.h>
#include <stdlib.h>

#include "daemon/inventory_parts.h"

struct inventory_hold *inventory_keep(struct inventory *inventory)
{
    assert(inventory->topology != NULL);
    inventory->hold->n++;
    return inventory->hold;
}

void inventory_retire(struct inventory *inventory)
{
    struct inventory_hold *hold = inventory->hold;

    if (hold == NULL || hold->n == 0) {
        arena_free(inventory->arena);
    } else {
        hold->older = inventory->retired;
        inventory->retired = hold;
    }
    inventory->arena = NULL;
    inventory->hold = NULL;
}

void inventory_drop(struct inventory *inventory, struct host_entry *entry)
{
    if (entry == NULL || inventory->retired == NULL) {
        free(entry);
        return;
    }
    entry->next = inventory->retired->entries;
    inventory->retired->entries = entry;
}

/* Older clusters may borrow from an entry too: they get what this one has. */
static void hand_down(struct inventory_hold *hold)
{
    while (hold->entries != NULL) {
        struct host_entry *entry = hold->entries;

        hold->entries = entry->next;
        if (hold->older == NULL) {
            free(entry);
            continue;
        }
        entry->next = hold->older->entries;
        hold->older->entries = entry;
    }
}

void inventory_release(struct inventory *inventory, struct inventory_hold *hold)
{
    struct inventory_hold **at = &inventory->retired;

    if (--hold->n > 0 || hold == inventory->hold)
        return;
    while (*at != hold)
        at = &(*at)->older;
    *at = hold->older;
    hand_down(hold);
    arena_free(hold->arena);
}
