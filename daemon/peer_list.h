/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of peers in the order they came; each peer is in one of each kind. */
#ifndef SERRIED_DAEMON_PEER_LIST_H
#define SERRIED_DAEMON_PEER_LIST_H

#include <stddef.h>

struct peer;

enum peer_link_kind { LINK_WAIT, LINK_TURN, LINK_KINDS };

struct peer_list {
    enum peer_link_kind kind;
    struct peer *first, *last;
    size_t count;
};

struct peer_link {
    struct peer *prev, *next;
    struct peer_list *list; /* NULL: in none */
};

/* Appends; peer must be in no list of that kind. */
void peer_list_add(struct peer_list *list, struct peer *peer);

/* Takes peer out of its list of that kind, if it is in one. */
void peer_list_remove(struct peer *peer, enum peer_link_kind kind);

#endif
