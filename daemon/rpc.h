/* SPDX-License-Identifier: Apache-2.0 */
/* The table of methods, made from the service descriptors. */
#ifndef SERRIED_DAEMON_RPC_H
#define SERRIED_DAEMON_RPC_H

#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base/error.h"
#include "daemon/access.h"

struct call;

enum {
    RPC_STATUSES = 17, /* gRPC's are numbered below this */
    RPC_PATH_BYTES = 96,
};

/* One method of one service, and all that a call of it needs to know. */
struct rpc_method {
    char path[RPC_PATH_BYTES]; /* "/serried.v1.Admin/Status" */
    size_t path_len;
    enum role least; /* that may call it */
    const ProtobufCMessageDescriptor *request;
    ProtobufCService *service;
    unsigned index;              /* within the service */
    uint64_t ends[RPC_STATUSES]; /* calls that ended, by status */
};

/* Handlers are called rpc_METHOD, in lower case with underscores; a method of
 * serried.proto without its handler does not compile. */
struct rpc;

struct rpc *rpc_new(struct error *err);
void rpc_free(struct rpc *rpc); /* NULL is allowed */

/* The method at path.
 *   STATUS_UNIMPLEMENTED  none; names the nearest */
struct rpc_method *rpc_find(struct rpc *rpc, const char *path,
                            struct error *err);

/* Unpacks request into the call's arena and calls the handler, which ends the
 * call, at once or later.
 *   STATUS_INVALID, STATUS_EXHAUSTED  it cannot be unpacked; the handler was
 *                                     not called */
int rpc_invoke(const struct rpc_method *method, struct call *call,
               const void *request, size_t len, struct error *err);

/* Counts an end. method NULL: the call named none that exists. */
void rpc_count(struct rpc *rpc, struct rpc_method *method, enum status status);

/* All methods in the order of serried.proto. The one after the last (at *ret_n)
 * has the path "" and counts the calls that named none. */
const struct rpc_method *rpc_methods(const struct rpc *rpc, size_t *ret_n);

/* Calls that ended, and those of them that did not end OK. */
uint64_t rpc_ended(const struct rpc *rpc);
uint64_t rpc_refused(const struct rpc *rpc);

#endif
