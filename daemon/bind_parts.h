/* SPDX-License-Identifier: Apache-2.0 */
/* What the files bind*.c share. Private to them. */
#ifndef SERRIED_DAEMON_BIND_PARTS_H
#define SERRIED_DAEMON_BIND_PARTS_H

#include "daemon/bind.h"
#include "placement/place_axes.h"
#include "placement/replace.h"

enum {
    BIND_BYTES_MAX = 1 << 30, /* of the work for one placement */
    /* Of that, kept for the next one: 65,536 ranks on as many devices take 7
     * MiB, and their pages are most of a third of the time when they are fresh
     * each time. */
    BIND_BYTES_KEPT = 16 << 20,
};

/* What a placement asks for, and its ranks. Spares are positions behind those
 * of the ranks, in no group. */
int bind_request(const struct live *live, struct arena *arena,
                 uint32_t n_spares, struct place_request *ret,
                 struct place_ranks *ret_ranks, struct error *err);

/* Writes how groups lie, a map for each axis. */
void bind_write_axes(const struct place_request *request,
                     const struct place_report *reports,
                     struct tree_maker *maker, struct tree *map);

/* What placing anew changed, in arena; NULL: it is full. */
const struct bound_moves *bind_moves(const struct place_request *request,
                                     const struct replacement *replacement,
                                     struct arena *arena);

/* Makes the sentence of err, whose status is set, with its code and with what
 * is not declared; returns -1. */
int bind_refused(const struct topology *topology,
                 const struct place_refusal *refusal, struct error *err);

/* The verdict of a refusal as JSON, to be freed by free(); NULL: no memory.
 * eviction: NULL: not asked for. */
char *bind_refusal(const struct place_refusal *refusal,
                   const struct topology *topology,
                   const struct occupancy *occupancy,
                   const struct place_eviction *eviction);

/* The verdict, likewise, on devices that the groups of an axis lie wider on
 * than its framework starts with; err is set. */
char *bind_broken(const struct place_request *request,
                  const struct place_report *reports,
                  const struct place_axis *axis, struct error *err);

#endif
