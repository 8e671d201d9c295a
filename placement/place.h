/* SPDX-License-Identifier: Apache-2.0 */
/* Gives every rank a device: all of them or none, groups as close together as
 * their axes want, and what is left over in pieces as large as can be. */
#ifndef SERRIED_PLACEMENT_PLACE_H
#define SERRIED_PLACEMENT_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "placement/topology.h"
#include "placement/view.h"

enum { PLACE_RANKS_MAX = VIEW_SPAN_MAX, PLACE_AXES_MAX = 1024 };

/* ---- what is asked for -------------------------------------------------- */

#define GROUP_NONE UINT32_MAX

/* The groups of one axis, over positions: the ranks in ascending order of their
 * numbers, counted from 0. Several rows may be of one axis. */
struct place_axis {
    const char *name;
    enum link_level want;
    /* what its framework refuses to be without, the code of that and why; NULL:
     * nothing. Told by place_broken(): placing is by what is wanted. */
    enum link_level least;
    const char *code, *because;
    const char *say;    /* what to do where there is no room for it; NULL */
    uint32_t *group_of; /* of each position; GROUP_NONE: in none */
    uint32_t n_groups;
};

struct place_request {
    uint32_t n_ranks;
    const struct place_axis *axes;
    size_t n_axes;
    const bool *hosts;   /* which may be used; NULL: all */
    uint64_t memory_mib; /* least of a device; one of unknown size has 0 */
    bool spares;         /* the hosts kept for replacing may be used */
};

#define HOLDER_NONE UINT32_MAX

/* Who holds which device. */
struct occupancy {
    const uint32_t *holders; /* by device, or HOLDER_NONE; NULL: all are free */
    const char *const *names; /* of holders */
    uint32_t n_names;
};

/* Makes a row of n_ranks positions that are in no group yet.
 * NULL: the arena is full. */
uint32_t *place_groups_new(struct arena *arena, uint32_t n_ranks);

/* Adds the groups of lists to a row; position p of the lists is positions[p],
 * or p + offset where positions is NULL.
 *   STATUS_EXHAUSTED  the arena is full */
int place_axis_add(struct arena *arena, struct place_axis *axis,
                   const struct lists *lists, const uint32_t *positions,
                   uint32_t offset, struct error *err);

/* The numbers that ranks have, ascending, each once: what positions count. */
struct place_ranks {
    const uint32_t *ranks;
    uint32_t n;
    /* They are 0 to n - 1; else the world is sparse, and positions are the
     * numbers that the ranks would have after renumbering. */
    bool dense;
};

/* The position of a rank that is among them; O(log n). */
uint32_t place_position(const struct place_ranks *ranks, uint32_t rank);

/* ---- what comes out ----------------------------------------------------- */

/* How the groups of an axis lie, those of one rank left out. A group within a
 * domain counts in within[LINK_NVLINK], and where that domain is in one host in
 * within[LINK_HOST] too: a group may be within several. within[LINK_BLOCK] are
 * the groups in one block, and those in one host or domain. by_link counts each
 * group once, at the nearest link that joins all its ranks. */
struct place_report {
    uint32_t groups;
    uint32_t within[LINK_COUNT];
    uint32_t by_link[LINK_COUNT];
};

enum place_outcome {
    PLACE_DONE,
    PLACE_NEVER,        /* what is declared cannot hold it, free or not */
    PLACE_NOT_NOW,      /* it could if others let go, or hosts came back */
    PLACE_NOT_DECLARED, /* what it needs may be there: nobody said so */
};

struct place_holder {
    uint32_t holder;
    uint32_t n_devices;
};

/* Why not. Counts are of devices. */
struct place_refusal {
    enum place_outcome outcome;
    const char *code; /* place.never, place.not_now, place.not_declared */
    const char *text; /* one sentence: the reason that counts most */
    const struct place_axis *axis; /* the first that it names; NULL: none */
    uint32_t wanted;
    uint32_t free;       /* and usable now */
    uint32_t held;       /* by holders, most first, of equals by name */
    uint32_t not_ready;  /* free, on hosts that are not ready */
    uint32_t spare;      /* kept for replacing, free or not */
    uint32_t not_wanted; /* too small, or on hosts that the request rules out */
    uint32_t no_domain;  /* of unknown NVLink domain */
    uint32_t unknown_hosts; /* hosts of which nobody said what they have */
    const struct place_holder *holders;
    size_t n_holders;
};

/* Places a request.
 *   ret_devices  n_ranks entries: the device of each position
 *   ret_reports  n_axes entries; NULL: not asked for
 * Deterministic: the same cluster, occupancy and groups give the same devices,
 * whatever the order of axes, holders or equal entries.
 *   STATUS_INVALID    a group or holder number out of range
 *   STATUS_EXHAUSTED  too many ranks or axes, the arena is full
 *   STATUS_REFUSED    never, or not declared; why is in *ret_refusal
 *   STATUS_EXHAUSTED  not now; likewise (without an outcome: out of memory)
 *   STATUS_INTERNAL   the answer does not keep what an axis wants (a bug) */
int place(struct arena *arena, const struct topology *topology,
          const struct occupancy *occupancy,
          const struct place_request *request, uint32_t *ret_devices,
          struct place_report *ret_reports, struct place_refusal *ret_refusal,
          struct error *err);

/* Who would have to let go for a request to fit. */
struct place_eviction {
    bool possible; /* false: not even if all let go, as hosts now are */
    bool least;    /* no fewer holders do; false: there are too many to try all,
                      so fewer may */
    const struct place_holder *holders; /* most devices first, then by name */
    size_t n_holders;
    uint32_t n_devices; /* of theirs that the request could use */
    uint32_t tries;
};

/* Finds the fewest holders without which a request that does not fit now would:
 * of equally few those with the fewest devices, then the first by name. Changes
 * nothing. Bounded: up to 4 holders all sets are tried, as long as there are
 * not too many; else whole hosts are freed, those that few hold first, until it
 * fits, and holders that need not go are kept, as far as was tried.
 * Deterministic, whatever numbers holders have.
 *   STATUS_EXHAUSTED  the arena is full */
int place_evict(struct arena *arena, const struct topology *topology,
                const struct occupancy *occupancy,
                const struct place_request *request, struct place_eviction *ret,
                struct error *err);

/* How the groups of a request lie on devices (DEVICE_NONE: not placed, the rank
 * is left out). STATUS_EXHAUSTED: the arena is full. */
int place_check(struct arena *arena, const struct topology *topology,
                const struct place_request *request, const uint32_t *devices,
                struct place_report *ret_reports, struct error *err);

/* Whether every axis has what it wants. */
bool place_keeps(const struct place_request *request,
                 const struct place_report *reports);

/* The first axis that has groups which are not within the link that its
 * framework needs; NULL: none has. Only one that wants less can have any. */
const struct place_axis *place_broken(const struct place_request *request,
                                      const struct place_report *reports);

/* "2 of 4 groups of NAME are not within one host: REASON". */
void place_say_broken(const struct place_request *request,
                      const struct place_report *reports,
                      const struct place_axis *axis, struct text *out);

/* "16 groups of NAME: 16 within nvlink" and so on: one line for each axis. */
void place_say(const struct place_request *request,
               const struct place_report *reports, struct text *out);

#endif
