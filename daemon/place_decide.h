/* SPDX-License-Identifier: Apache-2.0 */
/* From a request's document to a placement that is decided. */
#ifndef SERRIED_DAEMON_PLACE_DECIDE_H
#define SERRIED_DAEMON_PLACE_DECIDE_H

#include "daemon/call.h"
#include "daemon/state.h"
#include "proto/serried.pb-c.h"

/* Reads a deployment and holds the declarations in force that it is to be
 * decided on. Fails as live_load(), and where a model or runtime is not there.
 */
struct live *place_load(struct call *call,
                        const Serried__V1__Document *document,
                        struct error *err);

/* Reads and decides a deployment on the declarations in force. Fails as
 * live_new(), and where a model or a runtime is not there. */
struct live *place_decide(struct call *call,
                          const Serried__V1__Document *document,
                          char **ret_findings, struct error *err);

#endif
