/* SPDX-License-Identifier: Apache-2.0 */
/* What ports a placement needs: by purpose, and where one is wanted. */
#ifndef SERRIED_PLACEMENT_PORT_H
#define SERRIED_PLACEMENT_PORT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/tree.h"

enum {
    PORT_PURPOSES_MAX = 16, /* of a placement, those of its runtime included */
    PORT_PURPOSE_BYTES = 32,
};

/* clang-format off */
/* Where a port of one purpose is wanted: identifier, word, and who confirms
 * that it can be had. */
#define PORT_ON_LIST(X)                                                   \
    X(FIRST_RANK,    "first_rank",    "the lowest rank")                  \
    X(EACH_HOST,     "each_host",     "the lowest rank of the host")      \
    X(EACH_INSTANCE, "each_instance", "the first rank of the instance")   \
    X(EACH_RANK,     "each_rank",     "the rank")
/* clang-format on */

enum port_on {
#define X(id, word, binder) PORT_ON_##id,
    PORT_ON_LIST(X)
#undef X
        PORT_ON_COUNT
};

/* "first_rank"; and "the lowest rank", for messages. */
const char *port_on_name(enum port_on on);
const char *port_on_binder(enum port_on on);

/* A purpose and where it wants ports. */
struct port_wish {
    const char *purpose;
    enum port_on on;
};

/* The purposes of a placement, the one that every placement has first: the port
 * where its workers meet. */
struct port_wishes {
    struct port_wish items[PORT_PURPOSES_MAX];
    size_t n;
};

extern const char port_master[]; /* "master", on first_rank */

void port_wishes_init(struct port_wishes *wishes);

/* Adds those of a list of maps {purpose, on} or of names, which stand for
 * {purpose: NAME, on: first_rank}; NULL: none. The document is borrowed.
 *   STATUS_INVALID  a wrong type, word or name, a purpose that is there already
 *   STATUS_EXHAUSTED  more than PORT_PURPOSES_MAX */
int port_wishes_read(struct port_wishes *wishes, const struct tree *list,
                     struct error *err);

#endif
