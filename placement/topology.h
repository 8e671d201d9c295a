/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster as the core sees it: hosts, devices, and which stand close. */
#ifndef SERRIED_PLACEMENT_TOPOLOGY_H
#define SERRIED_PLACEMENT_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/tree.h"

/* Bounds of one cluster. */
enum {
    CLUSTER_HOSTS_MAX = 65536,
    CLUSTER_DEVICES_MAX = 1 << 20,
    HOST_DEVICES_MAX = 256, /* compared with one another: 32 Ki pairs a host */
    HOST_ADDRESSES_MAX = 16,
    HOST_LABELS_MAX = 64,
    CLUSTER_TEXT_MAX = 256, /* bytes of any name, label or reason */
};

/* What holds a group of ranks together, nearest first, and its word. NVLink
 * domains are no part of the other levels: one may be a part of a host or span
 * several. A block is a rack, or whatever stands below one switch. */
/* clang-format off */
#define LINK_LIST(X)        \
    X(NVLINK, "nvlink")     \
    X(HOST,   "host")       \
    X(BLOCK,  "block")      \
    X(ANY,    "any")
/* clang-format on */

enum link_level {
#define X(id, word) LINK_##id,
    LINK_LIST(X)
#undef X
        LINK_COUNT
};

/* "nvlink"; the level of a word ("rack" is a block), or -1. */
const char *link_name(enum link_level level);
int link_named(const char *word);

/* Reads the word of a level. STATUS_INVALID: it is none. */
int link_read(const struct tree *tree, enum link_level *ret, struct error *err);

/* What may be done with a host: new work only on ready ones; work that is there
 * stays on a cordoned one, and is to leave a drained one. */
/* clang-format off */
#define HOST_STATE_LIST(X)    \
    X(READY,    "ready")      \
    X(CORDONED, "cordoned")   \
    X(DRAINED,  "drained")    \
    X(DOWN,     "down")
/* clang-format on */

enum host_state {
#define X(id, word) HOST_##id,
    HOST_STATE_LIST(X)
#undef X
        HOST_STATE_COUNT
};

const char *host_state_name(enum host_state state);

/* No domain or block known: in none, and never taken to share one. */
#define DOMAIN_NONE UINT32_MAX
#define BLOCK_NONE UINT32_MAX
#define HOST_NONE UINT32_MAX
#define DEVICE_NONE UINT32_MAX

struct device {
    const char *uuid, *model; /* NULL: not known */
    const char *pci;          /* as pci_normal() writes it; NULL: not known */
    uint64_t memory_mib;      /* 0: not known */
    uint32_t host;
    uint32_t index; /* on its host */
    int32_t numa;   /* -1: not known */
    uint32_t domain;
};

struct label {
    const char *key, *value;
};

struct host {
    const char *name;
    const char *const *addresses;
    size_t n_addresses;
    const struct label *labels;
    size_t n_labels;
    enum host_state state;
    const char *reason, *by; /* of the state; NULL: not said */
    bool spare;              /* kept for replacing what failed */
    const char *machine_id;  /* 32 lower-case hex digits; NULL: not said */
    bool devices_known;      /* false: nobody said how many there are */
    uint32_t block;
    uint32_t first_device, n_devices; /* by index, in topology.devices */
};

/* Immutable; lives in the arena it was loaded in, borrows the document's
 * strings. Hosts stand in inventory order, devices by host and index. */
struct topology {
    const char *name; /* NULL: none */
    struct host *hosts;
    uint32_t n_hosts;
    struct device *devices;
    uint32_t n_devices;
    const char *const *domains, *const *blocks; /* names by number */
    size_t n_domains, n_blocks;
    const uint32_t *by_name; /* hosts by strcmp() of their names */
};

/* Loads the `hosts` document of docs/cluster.md. Inventory order is that of the
 * document, or with `order: names` that of name_compare().
 *   STATUS_INVALID    an unknown key, a wrong type or value, a host, UUID,
 *                     index or PCI address twice, a bound; with line and
 *                     column
 *   STATUS_EXHAUSTED  the arena is full, too many hosts or devices */
const struct topology *topology_load(struct arena *arena,
                                     const struct tree *document,
                                     struct error *err);

/* Whether a document is one of a cluster. */
bool topology_is_document(const struct tree *document);

/* Cuts the document of a loaded cluster into entries of one host each, a list
 * in inventory order, in the maker's arena. STATUS_EXHAUSTED: it is full. */
int topology_split(const struct topology *topology, const struct tree *document,
                   struct tree_maker *maker, struct tree **ret,
                   struct error *err);

/* The host of this name, or HOST_NONE. */
uint32_t topology_host(const struct topology *topology, const char *name);

/* Marks the hosts that a nodelist expression names; marks has n_hosts entries.
 *   STATUS_INVALID       the expression cannot be read
 *   STATUS_UNKNOWN_NAME  one is not declared, with the nearest */
int topology_mark(const struct topology *topology, struct arena *arena,
                  const char *expression, bool *marks, struct error *err);

/* Writes a PCI address as lspci does, 0000:1b:00.0, of one with a domain of up
 * to 8 digits, or none, in any case. false: it is none. */
bool pci_normal(const char *text, char out[24]);

/* Whether a host has a label ("" as value: any). */
bool host_has_label(const struct host *host, const char *key,
                    const char *value);

#endif
