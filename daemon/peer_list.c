/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of peers in the order they came; each peer is in one of each kind. */
#include "daemon/peer_list.h"

#include "daemon/peer.h"

void peer_list_add(struct peer_list *list, struct peer *peer)
{
    struct peer_link *link = &peer->links[list->kind];

    *link = (struct peer_link){ list->last, NULL, list };
    if (list->last != NULL)
        list->last->links[list->kind].next = peer;
    else
        list->first = peer;
    list->last = peer;
    list->count++;
}

void peer_list_remove(struct peer *peer, enum peer_link_kind kind)
{
    struct peer_link *link = &peer->links[kind];
    struct peer_list *list = link->list;

    if (list == NULL)
        return;
    if (link->prev != NULL)
        link->prev->links[kind].next = link->next;
    else
        list->first = link->next;
    if (link->next != NULL)
        link->next->links[kind].prev = link->prev;
    else
        list->last = link->prev;
    list->count--;
    *link = (struct peer_link){ 0 };
}
