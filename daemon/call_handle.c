/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in flight: who asked, and that each is answered exactly once. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/peer.h"

/* 1,024 of 80 bytes are kept, enough for a burst at 64 peers. */
enum { SPARE_MAX = 1024 };

static struct call_handle *take_spare(struct listener *listener)
{
    struct call_handle *call = listener->free_calls;

    if (call == NULL)
        return malloc(sizeof(*call));
    listener->free_calls = call->next;
    listener->nfree_calls--;
    return call;
}

static void give_back(struct listener *listener, struct call_handle *call)
{
    call->open = false;
    if (listener->nfree_calls >= SPARE_MAX) {
        free(call);
        return;
    }
    call->next = listener->free_calls;
    listener->free_calls = call;
    listener->nfree_calls++;
}

void call_handle_free_spare(struct listener *listener)
{
    struct call_handle *next;

    for (struct call_handle *call = listener->free_calls; call != NULL;
         call = next) {
        next = call->next;
        free(call);
    }
    listener->free_calls = NULL;
    listener->nfree_calls = 0;
}

struct call_handle *call_handle_open(struct peer *peer, const uint8_t *trace,
                                     size_t trace_len)
{
    struct listener *listener = peer->listener;
    struct call_handle *call = take_spare(listener);

    if (call == NULL)
        return NULL;
    call->listener = listener;
    call->peer = peer;
    call->open = true;
    call->trace_len = (uint8_t)trace_len;
    memcpy(call->trace, trace, trace_len);
    call->prev = NULL;
    call->next = peer->calls;
    if (call->next != NULL)
        call->next->prev = call;
    peer->calls = call;
    peer->ncalls++;
    listener->counts.in_flight++;
    listener->counts.calls++;
    return call;
}

static void unlink_call(struct peer *peer, struct call_handle *call)
{
    if (call->prev != NULL)
        call->prev->next = call->next;
    else
        peer->calls = call->next;
    if (call->next != NULL)
        call->next->prev = call->prev;
    peer->ncalls--;
}

void call_handle_orphan_all(struct peer *peer)
{
    for (struct call_handle *call = peer->calls; call != NULL;
         call = call->next)
        call->peer = NULL;
    peer->calls = NULL;
    peer->ncalls = 0;
}

bool call_handle_wanted(const struct call_handle *call)
{
    return call->peer != NULL;
}

void call_handle_reply(struct call_handle *call, const void *bytes, size_t len)
{
    struct listener *listener = call->listener;
    struct peer *peer = call->peer;

    assert(call->open);
    /* Writing may find that the peer went, and orphans the call then. */
    if (peer != NULL)
        peer_reply(peer, call, bytes, len);
    if (call->peer == NULL)
        listener->counts.dropped++;
    else {
        listener->counts.replies++;
        unlink_call(peer, call);
    }
    give_back(listener, call);
    listener->counts.in_flight--;
    if (peer != NULL && !peer->closing)
        peer_call_ended(peer);
    listener_settle(listener);
}
