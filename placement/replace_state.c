/* SPDX-License-Identifier: Apache-2.0 */
/* A placement while it is mended: who has which device, and what is free. */
#include <string.h>

#include "placement/replace_parts.h"

static uint32_t unit_of(const struct mending *m, uint32_t position, int level)
{
    return m->where[m->devices[position]].unit[level];
}

/* ---- taking and giving back --------------------------------------------- */

static void change_free(struct mending *m, uint32_t device, uint32_t change)
{
    const struct where *w = &m->where[device];

    if (w->unit[LEVEL_SUB] == UINT32_MAX)
        return;
    m->n_free[w->unit[LEVEL_SUB]] += change;
    m->island_free[w->unit[LEVEL_ISLAND]] += change;
}

void mend_take(struct mending *m, uint32_t position, uint32_t device)
{
    m->devices[position] = device;
    m->taken[device] = true;
    change_free(m, device, (uint32_t)-1);
}

static void give_back(struct mending *m, uint32_t position)
{
    uint32_t device = m->devices[position];

    if (device == DEVICE_NONE)
        return;
    m->devices[position] = DEVICE_NONE;
    m->taken[device] = false;
    change_free(m, device, 1);
}

void mend_give_back(struct mending *m, struct set set)
{
    for (uint32_t i = 0; i < set.n; i++)
        give_back(m, set.order[i]);
}

void mend_undo(struct mending *m, size_t to)
{
    while (m->n_placed > to)
        give_back(m, m->placed[--m->n_placed]);
}

/* Gives the positions of a set that have none the free devices of a sub. */
void mend_fill_from(struct mending *m, struct set set, uint32_t sub)
{
    const struct span *span = &m->site.subs[sub];
    uint32_t at = span->first;

    for (uint32_t i = 0; i < set.n; i++) {
        if (m->devices[set.order[i]] != DEVICE_NONE)
            continue;
        while (m->taken[m->site.devices[at]])
            at++;
        mend_take(m, set.order[i], m->site.devices[at]);
        m->placed[m->n_placed++] = set.order[i];
    }
}

uint32_t mend_missing(const struct mending *m, struct set set)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < set.n; i++)
        n += m->devices[set.order[i]] == DEVICE_NONE;
    return n;
}

/* The unit in which most of the set stands, of equals the first; UINT32_MAX: no
 * one stands anywhere. */
uint32_t mend_home(struct mending *m, struct set set, int level)
{
    uint32_t best = UINT32_MAX, most = 0;

    for (uint32_t i = 0; i < set.n; i++)
        if (m->devices[set.order[i]] != DEVICE_NONE) {
            uint32_t unit = unit_of(m, set.order[i], level);
            uint32_t n = ++m->counts[unit];

            if (n > most || (n == most && unit < best)) {
                best = unit;
                most = n;
            }
        }
    for (uint32_t i = 0; i < set.n; i++)
        if (m->devices[set.order[i]] != DEVICE_NONE)
            m->counts[unit_of(m, set.order[i], level)] = 0;
    return best;
}

/* Those that stand elsewhere than most of the set must move. */
void mend_settle(struct mending *m, struct set set, int level)
{
    uint32_t home = mend_home(m, set, level);

    for (uint32_t i = 0; i < set.n; i++)
        if (m->devices[set.order[i]] != DEVICE_NONE &&
            unit_of(m, set.order[i], level) != home)
            give_back(m, set.order[i]);
}

/* ---- sets --------------------------------------------------------------- */

/* The positions from order[first] on with the same value in `of`. */
struct set mend_next_set(const struct mending *m, int kind, uint32_t first,
                         uint32_t end, const uint32_t *of)
{
    const uint32_t *order = m->demand->order[kind];
    uint32_t at = first;

    while (at < end && of[order[at]] == of[order[first]])
        at++;
    return (struct set){ order + first, at - first };
}

/* The same positions in the order of the other kind. */
struct set mend_in_kind(const struct mending *m, struct set set, int from,
                        int kind)
{
    return (struct set){
        m->demand->order[kind] + (set.order - m->demand->order[from]), set.n
    };
}

/* ---- setting up --------------------------------------------------------- */

static void fill_where(struct mending *m)
{
    const struct site *site = &m->site;

    for (uint32_t d = 0; d < m->topology->n_devices; d++)
        m->where[d].unit[0] = m->where[d].unit[1] = m->where[d].unit[2] =
            UINT32_MAX;
    for (uint32_t b = 0; b < site->n_blocks; b++)
        for (uint32_t i = site->blocks[b].first;
             i < site->blocks[b].first + site->blocks[b].n; i++)
            for (uint32_t s = site->islands[i].first;
                 s < site->islands[i].first + site->islands[i].n; s++)
                for (uint32_t k = 0; k < site->subs[s].n; k++) {
                    uint32_t d = site->devices[site->subs[s].first + k];

                    m->where[d] = (struct where){ { s, i, b } };
                    m->n_free[s]++;
                    m->island_free[i]++;
                }
}

int mend_prepare(struct arena *arena, struct mending *m, struct error *err)
{
    uint32_t n = m->topology->n_devices, units = m->site.n_devices;

    m->where = arena_array(arena, n, sizeof(*m->where));
    m->taken = arena_array(arena, n, sizeof(*m->taken));
    m->n_free = arena_array(arena, units, sizeof(*m->n_free));
    m->island_free = arena_array(arena, units, sizeof(*m->island_free));
    m->counts = arena_array(arena, units, sizeof(*m->counts));
    m->placed = arena_array(arena, m->demand->n_ranks, sizeof(*m->placed));
    if (m->where == NULL || m->taken == NULL || m->n_free == NULL ||
        m->island_free == NULL || m->counts == NULL || m->placed == NULL)
        return error_exhausted(err);
    fill_where(m);
    for (uint32_t p = 0; p < m->demand->n_ranks; p++)
        if (m->devices[p] != DEVICE_NONE)
            mend_take(m, p, m->devices[p]);
    return 0;
}
