/* SPDX-License-Identifier: Apache-2.0 */
/* Gives every rank a device. */
#include "placement/place.h"

#include <stdlib.h>
#include <string.h>

#include "placement/place_parts.h"

/* ---- groups ------------------------------------------------------------- */

uint32_t *place_groups_new(struct arena *arena, uint32_t n_ranks)
{
    uint32_t *groups = arena_array(arena, n_ranks, sizeof(*groups));

    for (uint32_t p = 0; groups != NULL && p < n_ranks; p++)
        groups[p] = GROUP_NONE;
    return groups;
}

int place_axis_add(struct arena *arena, struct place_axis *axis,
                   const struct lists *lists, const uint32_t *positions,
                   uint32_t offset, struct error *err)
{
    struct arena_mark mark = arena_mark(arena);
    uint32_t n = lists_count(lists), at = 0;
    const uint32_t equal = lists->run == 0 ? lists_length(lists) : 0;
    uint32_t *members =
        arena_array(arena, lists_entries(lists), sizeof(*members));

    if (members == NULL)
        return error_exhausted(err);
    lists_expand(lists, positions, offset, members);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = at + (equal != 0 ? equal : lists_length_of(lists, i));

        while (at < end)
            axis->group_of[members[at++]] = axis->n_groups + i;
    }
    axis->n_groups += n;
    arena_rewind(arena, mark);
    return 0;
}

/* ---- ranks -------------------------------------------------------------- */

uint32_t place_position(const struct place_ranks *ranks, uint32_t rank)
{
    uint32_t low = 0, high = ranks->n;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (ranks->ranks[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- placing ------------------------------------------------------------ */

static int check_holders(const struct topology *topology,
                         const struct occupancy *occupancy, struct error *err)
{
    for (uint32_t d = 0; occupancy->holders != NULL && d < topology->n_devices;
         d++)
        if (occupancy->holders[d] != HOLDER_NONE &&
            occupancy->holders[d] >= occupancy->n_names)
            return error_set(err, STATUS_INVALID,
                             "device %u is held by holder %u of %u", d,
                             occupancy->holders[d], occupancy->n_names);
    return 0;
}

/* An answer is looked at afresh before it is given. */
static int verify(struct arena *arena, const struct topology *topology,
                  const struct place_request *request, const uint32_t *devices,
                  struct place_report *reports, struct error *err)
{
    struct place_report *own =
        arena_array(arena, request->n_axes, sizeof(*own));

    if (own == NULL)
        return error_exhausted(err);
    if (place_check(arena, topology, request, devices, own, err) < 0)
        return -1;
    if (!place_keeps(request, own))
        return error_set(err, STATUS_INTERNAL,
                         "the placement that was found does not keep what its "
                         "axes want");
    if (reports != NULL && request->n_axes > 0)
        memcpy(reports, own, request->n_axes * sizeof(*own));
    return 0;
}

int place(struct arena *arena, const struct topology *topology,
          const struct occupancy *occupancy,
          const struct place_request *request, uint32_t *ret_devices,
          struct place_report *ret_reports, struct place_refusal *ret_refusal,
          struct error *err)
{
    uint32_t *devices = arena_array(arena, request->n_ranks, sizeof(*devices));
    struct demand demand;
    struct site site;
    struct short_of missing = { 0, 0 };
    bool fits;

    *ret_refusal = (struct place_refusal){ .outcome = PLACE_DONE };
    if (devices == NULL)
        return error_exhausted(err);
    if (check_holders(topology, occupancy, err) < 0 ||
        demand_make(arena, request, &demand, err) < 0 ||
        site_make(arena, topology, occupancy, request, SITE_NOW, NULL, &site,
                  err) < 0 ||
        place_pack(arena, &site, &demand, devices, &fits, &missing, err) < 0)
        return -1;
    if (!fits)
        return place_refuse(arena, topology, occupancy, request, &demand,
                            &missing, ret_refusal, err);
    if (verify(arena, topology, request, devices, ret_reports, err) < 0)
        return -1;
    if (request->n_ranks > 0)
        memcpy(ret_devices, devices, request->n_ranks * sizeof(*devices));
    return 0;
}
