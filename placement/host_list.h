/* SPDX-License-Identifier: Apache-2.0 */
/* The host list that a framework's own request may carry: which machine and
 * which device each global rank is. */
#ifndef SERRIED_PLACEMENT_HOST_LIST_H
#define SERRIED_PLACEMENT_HOST_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/tree.h"

enum {
    HOST_LIST_HOSTS_MAX = 65536,
    HOST_LIST_RANKS_MAX = 1 << 20,
    HOST_LIST_WORDS_MAX = 64, /* in each list of the rules */
};

/* How a framework writes its host list: `host_list` of a runtime. Borrows the
 * strings of the document. */
struct host_list_rules {
    const char *key;     /* of the request, that holds the section */
    const char *hosts;   /* key of the section: the list of hosts */
    const char *address; /* keys of a host */
    const char *devices;
    const char *apart; /* what two entries of one address may not share; NULL */
    const char *const *others; /* further keys of a host, of no meaning here */
    size_t n_others;
    const char *const *one_host; /* transports that do not leave a host */
    size_t n_one_host;
    const char *code_section, *code_host, *code_rank, *code_transport;
};

/* One host: its devices are the next n_devices global ranks. */
struct listed_host {
    const char *address;
    const uint32_t *devices; /* numbers on the host */
    uint32_t n_devices;
    uint32_t first_rank;
};

/* A host list that was read. Without one, all ranks are on one host and rank
 * and device have the same number: n_hosts is 0. */
struct host_list {
    const struct listed_host *hosts;
    size_t n_hosts;
    uint32_t n_ranks; /* that the hosts have; 0: no list */
};

/* Why a list was refused. */
struct host_list_refusal {
    const char *code;
    int64_t rank; /* code_rank: the rank; else -1 */
};

/* Loads the rules from a runtime's `host_list`.
 *   STATUS_INVALID    an unknown key, a wrong type, a missing key
 *   STATUS_EXHAUSTED  the arena is full */
int host_list_load(struct arena *arena, const struct tree *tree,
                   struct host_list_rules *ret, struct error *err);

/* Reads a section; NULL or a null: there is no list. transport may be NULL.
 *   STATUS_INVALID    with a code in *ret_refusal: the section is not a map
 *                     with a list of hosts; a host without an address or
 *                     devices, with a device twice or below 0, with an unknown
 *                     key; two entries of one address that do not stand apart;
 *                     a transport that cannot leave a host, with several hosts
 *   STATUS_EXHAUSTED  the arena is full, too many hosts or devices */
int host_list_read(struct arena *arena, const struct host_list_rules *rules,
                   const struct tree *section, const char *transport,
                   struct host_list *ret, struct host_list_refusal *ret_refusal,
                   struct error *err);

/* Host (an index; 0 without a list) and device of a global rank.
 *   STATUS_INVALID  with a code in *ret_refusal: below 0, or the hosts have
 *                   fewer ranks */
int host_list_find(const struct host_list *list,
                   const struct host_list_rules *rules, int64_t rank,
                   uint32_t *ret_host, uint32_t *ret_device,
                   struct host_list_refusal *ret_refusal, struct error *err);

#endif
