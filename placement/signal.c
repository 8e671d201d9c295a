/* SPDX-License-Identifier: Apache-2.0 */
/* How a signal travels between two instances: who sends which slice to whom. */
#include "placement/signal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* times SIGNAL_WORKERS_MAX stays below 2^60 */
#define ROWS_MAX (UINT64_C(1) << 40)

static int refuse(const char **ret_code, const char *code)
{
    if (ret_code != NULL)
        *ret_code = code;
    return -1;
}

static int check_size(uint32_t size, struct error *err)
{
    if (size >= 1 && size <= SIGNAL_WORKERS_MAX)
        return 0;
    return error_set(err, STATUS_INVALID,
                     "a signal has an end of %" PRIu32
                     " workers: an end has 1 to %d",
                     size, (int)SIGNAL_WORKERS_MAX);
}

static int check_source(const struct signal *signal, uint32_t from_rank,
                        const char **ret_code, struct error *err)
{
    if (check_size(signal->from.size, err) < 0 ||
        check_size(signal->to.size, err) < 0)
        return refuse(ret_code, NULL);
    if (from_rank == RANK_UNSET) {
        error_set(err, STATUS_INVALID,
                  "the sender's instance rank is not set: a worker sends only "
                  "for an instance that it is a rank of");
        return refuse(ret_code, "template.unranked_source");
    }
    if (from_rank >= signal->from.size) {
        error_set(err, STATUS_INVALID,
                  "the sender's instance rank is %" PRIu32
                  " in an instance of %" PRIu32 ": ranks count from 0",
                  from_rank, signal->from.size);
        return refuse(ret_code, NULL);
    }
    return 0;
}

/* ---- replicated --------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* A sorted copy, so that a million receivers are looked up quickly. */
static uint32_t *sorted_workers(struct arena *arena,
                                const struct signal_end *end)
{
    uint32_t *sorted = arena_array(arena, end->size, sizeof(*sorted));

    if (sorted == NULL)
        return NULL;
    memcpy(sorted, end->workers, end->size * sizeof(*sorted));
    qsort(sorted, end->size, sizeof(*sorted), by_number);
    return sorted;
}

static int send_whole(struct arena *arena, const struct signal *signal,
                      uint32_t from_rank, struct signal_sends *ret,
                      struct error *err)
{
    uint32_t self = signal->from.workers[from_rank];
    uint32_t room = from_rank == 0 ? signal->to.size : 1;
    struct signal_send *sends = arena_array(arena, room, sizeof(*sends));
    uint32_t *senders = sorted_workers(arena, &signal->from);
    size_t count = 0;

    if (sends == NULL || senders == NULL)
        return error_exhausted(err);
    for (uint32_t j = 0; j < signal->to.size && count < room; j++) {
        uint32_t worker = signal->to.workers[j];
        bool is_sender = bsearch(&worker, senders, signal->from.size,
                                 sizeof(worker), by_number) != NULL;

        if (worker == self || (from_rank == 0 && !is_sender))
            sends[count++] = (struct signal_send){ worker, j, true, NULL };
    }
    *ret = (struct signal_sends){ sends, count };
    return 0;
}

/* ---- sharded ------------------------------------------------------------ */

static int check_rows(const struct signal *signal, const char **ret_code,
                      struct error *err)
{
    if (signal->n_tensors < 1 || signal->n_tensors > SIGNAL_TENSORS_MAX) {
        error_set(err, STATUS_INVALID,
                  "a sharded signal has %" PRIu32 " tensors: it has 1 to %d",
                  signal->n_tensors, (int)SIGNAL_TENSORS_MAX);
        return refuse(ret_code, NULL);
    }
    for (uint32_t t = 0; t < signal->n_tensors; t++) {
        uint64_t rows = signal->rows[t];

        if (rows >= ROWS_MAX) {
            error_set(err, STATUS_INVALID,
                      "tensor %" PRIu32 " has %" PRIu64
                      " rows: it has fewer than %" PRIu64,
                      t, rows, ROWS_MAX);
            return refuse(ret_code, NULL);
        }
        if (rows * signal->from.size % signal->to.size != 0) {
            error_set(err, STATUS_INVALID,
                      "tensor %" PRIu32 " has %" PRIu64 " rows on each of "
                      "%" PRIu32 " senders, which cannot be split evenly over "
                      "%" PRIu32 " receivers: their number must divide "
                      "%" PRIu64,
                      t, rows, signal->from.size, signal->to.size,
                      rows * signal->from.size);
            return refuse(ret_code, "shard.uneven");
        }
    }
    return 0;
}

/* What sender and receiver have in common of a tensor. */
static struct signal_slice overlap(const struct signal *signal, uint64_t rows,
                                   uint32_t from_rank, uint32_t to_rank)
{
    uint64_t part = rows * signal->from.size / signal->to.size;
    uint64_t mine = rows * from_rank;
    struct signal_slice slice = { part * to_rank, part * to_rank + part, 0 };

    if (slice.begin < mine)
        slice.begin = mine;
    if (slice.end > mine + rows)
        slice.end = mine + rows;
    slice.local_begin = slice.begin - mine;
    return slice;
}

static int send_slices(struct arena *arena, const struct signal *signal,
                       uint32_t from_rank, struct signal_sends *ret,
                       struct error *err)
{
    uint64_t rows = signal->rows[0];
    uint64_t part = rows * signal->from.size / signal->to.size;
    uint64_t first = 0, count = 0;
    struct signal_send *sends;
    struct signal_slice *slices;

    if (rows > 0) {
        first = rows * from_rank / part;
        count = (rows * (from_rank + 1) + part - 1) / part - first;
    }
    sends = arena_array(arena, count, sizeof(*sends));
    slices = arena_array(arena, count * signal->n_tensors, sizeof(*slices));
    if (sends == NULL || slices == NULL)
        return error_exhausted(err);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to_rank = (uint32_t)first + i;

        sends[i] = (struct signal_send){ signal->to.workers[to_rank], to_rank,
                                         false, slices };
        for (uint32_t t = 0; t < signal->n_tensors; t++)
            *slices++ = overlap(signal, signal->rows[t], from_rank, to_rank);
    }
    *ret = (struct signal_sends){ sends, count };
    return 0;
}

int signal_fan_out(struct arena *arena, const struct signal *signal,
                   uint32_t from_rank, struct signal_sends *ret,
                   const char **ret_code, struct error *err)
{
    int rc;

    if (check_source(signal, from_rank, ret_code, err) < 0)
        return -1;
    if (!signal->sharded) {
        rc = send_whole(arena, signal, from_rank, ret, err);
        return rc < 0 ? refuse(ret_code, NULL) : 0;
    }
    if (check_rows(signal, ret_code, err) < 0)
        return -1;
    rc = send_slices(arena, signal, from_rank, ret, err);
    return rc < 0 ? refuse(ret_code, NULL) : 0;
}

int signal_fan_in(uint32_t from_size, uint32_t to_size, uint32_t to_rank,
                  bool sharded, uint32_t *ret, struct error *err)
{
    uint64_t begin, end;

    if (check_size(from_size, err) < 0 || check_size(to_size, err) < 0)
        return -1;
    if (to_rank >= to_size)
        return error_set(err, STATUS_INVALID,
                         "the receiver's instance rank is %" PRIu32
                         " in an instance of %" PRIu32 ": ranks count from 0",
                         to_rank, to_size);
    /* in units of 1 / (from_size * to_size) of the whole */
    begin = (uint64_t)to_rank * from_size;
    end = begin + from_size;
    *ret = sharded ? (uint32_t)((end + to_size - 1) / to_size - begin / to_size)
                   : 1;
    return 0;
}
