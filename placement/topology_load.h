/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster while its document is read. Private to topology_*.c. */
#ifndef SERRIED_PLACEMENT_TOPOLOGY_LOAD_H
#define SERRIED_PLACEMENT_TOPOLOGY_LOAD_H

#include "placement/topology_entry.h"

/* One entry while it is read. */
struct entry_reading {
    struct arena *arena;
    const struct tree *at;
    struct host_entry *entry;
    const char *domain; /* of devices that name none; NULL */
    struct error *err;
};

/* A device and its domain while those of its host are put in order. */
struct ordered_device {
    struct device device;
    const char *domain;
};

/* Strings of a map are short and not empty; `name` may be a long list. */
int topology_check_texts(const struct tree *map, struct error *err);

/* Reads what the entry says of devices; all else is read. */
int topology_read_devices(struct entry_reading *r);

#endif
