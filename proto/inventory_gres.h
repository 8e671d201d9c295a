/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's generic resources of a node. Private to inventory_*.c. */
#ifndef SERRIED_PROTO_INVENTORY_GRES_H
#define SERRIED_PROTO_INVENTORY_GRES_H

#include "proto/inventory_read.h"

enum { GRES_MAX = 64 }; /* of one node */

struct gres {
    const char *name, *type, *sockets;
    uint32_t count;
};

/* Cuts the next part off *text, up to a separator outside of parentheses; NULL:
 * no more. */
char *gres_next_part(char **text, char separator);

/* Reads all of a node; text, which is cut in place, may be NULL. */
int gres_read(struct importing *im, char *text, struct gres *all,
              size_t *ret_n);

void gres_put(struct importing *im, struct tree *map, const struct gres *all,
              size_t n);

/* Puts the devices among them into a host; *ret_gpus of them. */
int gres_put_devices(struct importing *im, struct tree *host,
                     const struct gres *all, size_t n, uint32_t *ret_gpus);

#endif
