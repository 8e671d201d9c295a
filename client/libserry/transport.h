/* SPDX-License-Identifier: Apache-2.0 */
/* One request and its reply over a REQ socket of nanomsg. */
#ifndef SERRIED_CLIENT_TRANSPORT_H
#define SERRIED_CLIENT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/libserry/address.h"

enum {
    /* Bytes; 1 MiB less room for the request ids of SP on the way. */
    TRANSPORT_REQUEST_MAX = (1 << 20) - 64,
    TRANSPORT_REPLY_MAX = 16 << 20,
};

/* The socket is made when it is first needed, and again after a request that
 * got no reply: nanomsg would send that one when the daemon comes back, long
 * after its caller was told that it failed. */
struct transport {
    struct address address;
    int socket;   /* -1: none */
    bool reached; /* some socket was connected once */
};

void transport_init(struct transport *transport, const struct address *address);
void transport_close(struct transport *transport);

/* Milliseconds of a clock that only rises. */
int64_t transport_now_ms(void);

/* Sends a request and waits for its reply.
 *   until_ms  of transport_now_ms()
 *   ret_data  freed with transport_free()
 * Fails as serry_call() says of what is not the daemon's answer. */
int transport_exchange(struct transport *transport, const void *request,
                       size_t len, int64_t until_ms, void **ret_data,
                       size_t *ret_len, struct serry_error *err);
void transport_free(void *data);

#endif
