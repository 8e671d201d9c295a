/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts that were declared, in memory, in step with the store.
 *
 * A host's record is read once, when it comes from the store: its entry is kept
 * as read (one block, placement/topology_entry.h) beside its text, which lists
 * and the next record are written from. The cluster that the core sees is put
 * together from the entries when it is first asked for after a change; it
 * borrows their strings, so that a change drops it before it frees an entry.
 * Nothing of a document is read on the way: 8,192 hosts of 8 devices take some
 * milliseconds (docs/benchmarks.md). Memory: an entry is about as large as its
 * text, and as that is bounded by INVENTORY_TEXT_MAX. */
#ifndef SERRIED_DAEMON_INVENTORY_H
#define SERRIED_DAEMON_INVENTORY_H

#include "daemon/index.h"
#include "placement/topology_entry.h"
#include "store/store.h"

struct daemon;
struct inventory;
struct inventory_hold;

enum {
    HOSTS_A_CALL_MAX = 100,        /* declared or changed by one call */
    HOST_WHY_BYTES_MAX = 256,      /* of a reason */
    HOST_RECORD_MAX = 1 << 18,     /* bytes of one host's document */
    INVENTORY_TEXT_MAX = 64 << 20, /* bytes of all hosts' documents */
    /* Of the cluster put together: 1 Mi devices of 48 bytes, a domain for each
     * that takes 60 to be numbered, 65,536 hosts of 250. */
    INVENTORY_BYTES_MAX = 256 << 20,
};

/* One host. Its place in memory stays, also when it is declared anew. */
struct inventory_host {
    const char *name; /* first, for the index */
    bool declared;    /* false: only a placement's record speaks of it */
    uint32_t index;   /* its place in the inventory */
    enum host_state state;
    char *why, *who; /* of the state; "": not said */
    int64_t since_ms;
    char *document;           /* JSON of its entry, without state and reason */
    struct host_entry *entry; /* the document as read; NULL: it cannot be */
    uint64_t rev;
    uint32_t number;      /* in the topology; HOST_NONE */
    struct claim *claims; /* what it was declared with, of UUIDs first */
    uint32_t n_uuids, n_claims;
    size_t n_bytes; /* of the document */
    uint32_t mark;  /* for whoever counts, 0 between */
};

struct inventory *inventory_new(struct daemon *daemon); /* NULL: no memory */
void inventory_free(struct inventory *inventory);       /* NULL is allowed */

/* ---- following ----------------------------------------------------------- */

void inventory_follow(struct inventory *inventory,
                      const struct store_record *record);

/* No host is declared any more. */
void inventory_forget(struct inventory *inventory);

/* ---- asking -------------------------------------------------------------- */

/* Declared ones. */
uint32_t inventory_count(const struct inventory *inventory);

/* The declared host of this name.
 *   STATUS_UNKNOWN_NAME  none; names the nearest */
struct inventory_host *inventory_find(const struct inventory *inventory,
                                      const char *name, struct error *err);

/* The host of a name that a record mentions, declared or not. NULL: no memory.
 */
struct inventory_host *inventory_intern(struct inventory *inventory,
                                        const char *name);

/* Hosts that are declared no more, or never were. */
uint32_t inventory_undeclared(const struct inventory *inventory);

/* Frees those of them whose mark is 0, and takes all marks away. */
void inventory_sweep(struct inventory *inventory);

/* Whether the hosts of a call, declared anew or for the first time, fit
 * together with the others. own: which have a domain of their own;
 * n_bytes: of their documents.
 *   STATUS_REFUSED    a device or a domain is another host's
 *   STATUS_EXHAUSTED  too many hosts or devices */
int inventory_check_fit(const struct inventory *inventory,
                        const struct topology *fresh, const bool *own,
                        uint64_t n_bytes, struct error *err);

/* One above the highest index. */
uint32_t inventory_next_index(const struct inventory *inventory);

/* Declared hosts as the core sees them, made when it is first asked for after a
 * change; valid until the next commit. Host h of it is inventory_host(h).
 *   STATUS_INTERNAL   the documents do not fit together
 *   STATUS_EXHAUSTED  no memory */
const struct topology *inventory_topology(struct inventory *inventory,
                                          struct error *err);

/* Keeps the topology, which is made, as it is with all it borrows, also for
 * another thread, until it is released; hosts may change meanwhile. As many
 * clusters stay in memory as are held at a time. */
struct inventory_hold *inventory_keep(struct inventory *inventory);
void inventory_release(struct inventory *inventory,
                       struct inventory_hold *hold);

struct inventory_host *inventory_host(const struct inventory *inventory,
                                      uint32_t number);

/* The number of the first host behind a place in the order of the inventory: an
 * index, and of hosts that have one index a name. The topology is made. */
uint32_t inventory_behind(const struct inventory *inventory, uint32_t index,
                          const char *name);

/* The number of a device in the topology by its index on a host; DEVICE_NONE:
 * it is not declared. */
uint32_t inventory_device(const struct topology *topology,
                          const struct inventory_host *host, uint32_t index);

/* ---- writing ------------------------------------------------------------- */

/* The record of a host with what is given; to be freed by free(). NULL: no
 * memory. */
uint8_t *inventory_record(const struct inventory_host *host, size_t *ret_len);

/* "ready" and so on; back: -1 for another word. */
int inventory_state_named(const char *word);

#endif
