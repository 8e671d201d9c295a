/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster while it is loaded. Private to topology_*.c. */
#ifndef SERRIED_PLACEMENT_TOPOLOGY_LOAD_H
#define SERRIED_PLACEMENT_TOPOLOGY_LOAD_H

#include "placement/names.h"
#include "placement/topology.h"

/* A host and its devices before they have their places. */
struct draft {
    struct host host;
    const struct tree *at;
    const char *block, *domain;
    bool own_domain;
    const struct tree *devices; /* list; NULL: host.n_devices of them */
    uint32_t position;          /* in the document */
};

/* A device and its domain while those of its host are put in order. */
struct ordered_device {
    struct device device;
    const char *domain;
};

struct loading {
    struct arena *arena;
    struct topology *topology;
    struct draft *drafts;
    uint32_t n_hosts, cap;
    uint64_t n_devices;
    struct name_use *domains;       /* of each device */
    struct ordered_device *scratch; /* HOST_DEVICES_MAX */
    struct error *err;
};

/* Strings of a map are short and not empty; `name` may be a long list. */
int topology_check_texts(const struct tree *map, struct error *err);

/* Makes the hosts and devices of the drafts, which are in order. */
int topology_build(struct loading *load);

#endif
