/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of serry exec share: one worker, from its boot to its end. */
#ifndef SERRIED_CLIENT_EXEC_H
#define SERRIED_CLIENT_EXEC_H

#include "client/live.h"

enum {
    WORKER_ADDRESS_BYTES = 256, /* with the NUL */
    WORKER_FILE_BYTES = 256,
};

struct worker {
    struct live *live;
    const char *placement;
    const char *host; /* NULL: the rank is given; else it is found by this */
    uint32_t local_rank, rank;
    const struct serry_generation *generation; /* NULL: the one in force */
    const char *address; /* where the other workers reach this one; NULL: to be
                            found out */
    uint64_t incarnation;
    struct serry_assignment *assignment;
    struct serry_boot *boot; /* as it was when all were there */
    char own_host[WORKER_ADDRESS_BYTES], own_address[WORKER_ADDRESS_BYTES];
    char file[WORKER_FILE_BYTES]; /* holds the assignment; "": none yet */
};

/* Fills the address, if it is not given: of the host that the rank is bound to,
 * else the one from which this machine reaches the daemon.
 *   STATUS_UNAVAILABLE  none leads to the daemon */
int worker_find_address(struct worker *worker, struct error *err);

/* Looks whether the ports that this rank confirms can be had on this machine,
 * and has those that are in use replaced.
 *   STATUS_EXHAUSTED  no other is left */
int worker_confirm_ports(struct worker *worker, struct error *err);

/* Sets a variable for each port, of what the daemon said last. */
int worker_set_ports(const struct worker *worker, struct error *err);

/* Fetches the assignment, proves its digests, joins, and waits until all
 * workers are there.
 *   timeout_ms  for all of it, at most 3,600,000
 *   STATUS_DEADLINE  the text names ranks that are missing
 *   STATUS_LOST      STALE_GENERATION, STALE_INCARNATION
 *   others as serry_assignment(), serry_verify(), serry_join() */
int worker_boot(struct worker *worker, int64_t timeout_ms, struct error *err);

/* Warns where the mask of devices that this process was started with does not
 * go with the placement's, or has them in another order. */
void worker_check_mask(const struct worker *worker);

/* Writes the file and sets what the program finds in its environment.
 *   STATUS_INTERNAL  the file cannot be written */
int worker_prepare(struct worker *worker, struct error *err);

/* Prepares, runs the program beside the heartbeat until it ends, hands signals
 * on to it, and leaves the placement behind a program that ended well or was
 * told to end. A program that the daemon's word ends is ended.
 *   command  program and arguments, ended by NULL
 * Returns the exit code, after saying what went wrong: that of the program; 128
 * + the signal that ended it; 127 or 126, when there is no such program or it
 * cannot be run; that of STATUS_LOST, when the daemon's word ended it. Ends the
 * process itself when the heartbeat hangs in a call. */
int worker_run(struct worker *worker, char *const *command);

/* Removes the file and frees what the parts above made. */
void worker_close(struct worker *worker);

#endif
