/* SPDX-License-Identifier: Apache-2.0 */
/* Places a request again when devices failed or the request changed: ranks keep
 * their numbers, and as few as can be move to another device. */
#ifndef SERRIED_PLACEMENT_REPLACE_H
#define SERRIED_PLACEMENT_REPLACE_H

#include "placement/place.h"

/* What was before. */
struct replace_from {
    const uint32_t *devices; /* of each position of the new request;
                                DEVICE_NONE: the rank is new */
    const bool *failed;      /* by device; NULL: none */
};

/* What changed. */
struct replacement {
    uint32_t n_moved;  /* ranks that have another device */
    uint32_t n_new;    /* ranks that had none */
    uint32_t *rebuilt; /* of each axis: groups of several ranks, of which one
                          moved or is new; n_axes entries of the caller's */
    bool packed_anew;  /* no rank could be left where it was */
};

/* Places request again.
 *   occupancy  what others hold; the placement's own devices are free in it
 * A rank stays where it is, unless its device failed, is no longer wanted, or
 * stands on a host that is drained or down. What must move goes where its
 * groups have what they want: first beside those that stay; if there is no
 * room, the ranks that must stand together move together, fewest first; if that
 * does not do, all are packed anew. Spare hosts are used, before others that
 * are as near.
 *   ret_devices, ret_reports, ret_refusal, statuses: as place(); also
 *   STATUS_INVALID  one device twice in `from`, or one that others hold */
int replace(struct arena *arena, const struct topology *topology,
            const struct occupancy *occupancy,
            const struct place_request *request,
            const struct replace_from *from, uint32_t *ret_devices,
            struct place_report *ret_reports, struct replacement *ret,
            struct place_refusal *ret_refusal, struct error *err);

/* "2 ranks move; 0 groups of a rebuilt, 1 of b". */
void replace_say(const struct place_request *request,
                 const struct replacement *replacement, struct text *out);

#endif
