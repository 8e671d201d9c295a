/* SPDX-License-Identifier: Apache-2.0 */
/* How a signal travels between two instances: who sends which slice to whom. */
#ifndef SERRIED_PLACEMENT_SIGNAL_H
#define SERRIED_PLACEMENT_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "placement/view.h"

enum {
    SIGNAL_WORKERS_MAX = VIEW_SPAN_MAX, /* of one end */
    SIGNAL_TENSORS_MAX = 1024,          /* of one signal */
};

/* An instance rank that nobody set. Never taken for 0: every rank would then
 * send what the first one sends. */
#define RANK_UNSET UINT32_MAX

/* The workers of an instance by instance rank. What is no instance (a client,
 * the server that takes requests) is one worker of a number of its own. */
struct signal_end {
    const uint32_t *workers;
    uint32_t size;
};

struct signal {
    struct signal_end from, to;
    bool sharded;         /* else every rank of `from` holds all of it */
    const uint64_t *rows; /* sharded: of each tensor along the cut dimension,
                             held by each rank of `from`; below 2^40 */
    uint32_t n_tensors;
};

/* Rows begin..end-1 of the whole tensor, which start at local_begin in what the
 * sender holds. */
struct signal_slice {
    uint64_t begin, end, local_begin;
};

struct signal_send {
    uint32_t worker, to_rank;          /* the receiver, and its instance rank */
    bool whole;                        /* all of every tensor, as it is */
    const struct signal_slice *slices; /* else one for each tensor */
};

struct signal_sends {
    const struct signal_send *items; /* by rising to_rank */
    size_t count;
};

/* What instance rank from_rank of signal->from sends.
 * Not sharded: rank 0 sends the whole to every receiver that is no sender, and
 * a sender that is a receiver too sends to itself (it has it already).
 * Sharded: the senders' rows, one after the other, are cut into equal parts for
 * the receivers; each sender sends what overlaps its own. The first tensor
 * decides who gets something. What is made lives in arena.
 *   STATUS_INVALID    *ret_code `template.unranked_source` (RANK_UNSET),
 *                     `shard.uneven` (the parts would not be equal), or NULL
 *                     (out of range); ret_code may be NULL
 *   STATUS_EXHAUSTED  the arena is full; *ret_code is NULL */
int signal_fan_out(struct arena *arena, const struct signal *signal,
                   uint32_t from_rank, struct signal_sends *ret,
                   const char **ret_code, struct error *err);

/* From how many of from_size senders receiver to_rank of to_size gets a part.
 * STATUS_INVALID: a size of 0 or above SIGNAL_WORKERS_MAX, or no such rank. */
int signal_fan_in(uint32_t from_size, uint32_t to_size, uint32_t to_rank,
                  bool sharded, uint32_t *ret, struct error *err);

#endif
