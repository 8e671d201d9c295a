/* SPDX-License-Identifier: Apache-2.0 */
/* Small things that several handlers do with requests and replies. */
#ifndef SERRIED_DAEMON_REPLY_H
#define SERRIED_DAEMON_REPLY_H

#include "daemon/call.h"
#include "daemon/state.h"
#include "proto/serried.pb-c.h"

/* Protobuf-c wants strings that it does not change as char *. */
static inline char *reply_text(const char *s)
{
    return (char *)s;
}

/* Fills an initialized message. */
static inline void reply_generation(Serried__V1__Generation *to,
                                    struct store_pos pos)
{
    to->has_epoch = to->has_revision = true;
    to->epoch = pos.epoch;
    to->revision = pos.rev;
}

/* The one document of a request, read into the call's arena. NULL:
 *   STATUS_INVALID  there is none, or more than one, or it cannot be read */
const struct tree *reply_read_document(struct call *call,
                                       const Serried__V1__Document *document,
                                       struct error *err);

#endif
