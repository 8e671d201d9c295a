/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a cluster's document, read one by one, and the cluster that
 * entries make together. Whoever keeps the entries of hosts (host_entry_copy())
 * has the cluster again after a change without reading a document. */
#ifndef SERRIED_PLACEMENT_TOPOLOGY_ENTRY_H
#define SERRIED_PLACEMENT_TOPOLOGY_ENTRY_H

#include "placement/topology.h"

/* What an entry says of a host, or of several that are alike but for the name,
 * before they have their places among the others. */
struct host_entry {
    struct host host;  /* name: as written, maybe a list; block and
                        * first_device: not known yet */
    const char *block; /* NULL: none */
    bool own_domain;
    const struct device *devices; /* host.n_devices, by index; host: 0; domain:
                                   * in domains below, or DOMAIN_NONE */
    const char *const *domains; /* that its devices are put in, by first use */
    uint32_t n_domains;
    struct host_entry *next; /* for whoever keeps it */
};

/* Reads an entry; what it points to is in arena or the tree's.
 *   STATUS_INVALID    an unknown key, a wrong type or value, an index or PCI
 *                     address twice, a bound; with line and column
 *   STATUS_EXHAUSTED  the arena is full */
int host_entry_read(struct arena *arena, const struct tree *tree,
                    struct host_entry *ret, struct error *err);

/* Whether a text is 32 lower-case hex digits. */
bool host_is_machine_id(const char *text);

/* A copy with all it points to in one block, to be freed by free(); a string
 * that devices have in common one after the other is there once. NULL: no
 * memory. */
struct host_entry *host_entry_copy(const struct host_entry *entry);

/* ---- a cluster of entries ------------------------------------------------ */

/* A host that has its place. */
struct placed_host {
    const char *name;
    const struct host_entry *entry;
    const struct tree *at; /* for messages; NULL: of no document */
};

/* Puts hosts together in the order given. The topology is in arena and borrows
 * the strings of names and entries, which have to outlive it. O(hosts log
 * hosts) and a copy of the devices: 8,192 hosts of 8 in about 3 ms.
 *   hosts     have different names, their devices different UUIDs: the caller
 *             sees to that
 *   by_name   the hosts by strcmp() of their names, in memory that outlives the
 *             topology; NULL: to be worked out
 *   STATUS_INVALID    a host's own domain is another device's too
 *   STATUS_EXHAUSTED  the arena is full */
struct topology *topology_join(struct arena *arena,
                               const struct placed_host *hosts, uint32_t n,
                               const uint32_t *by_name, struct error *err);

#endif
