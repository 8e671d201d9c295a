/* SPDX-License-Identifier: Apache-2.0 */
/* The table of methods, made from the service descriptors. */
#include "daemon/rpc.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "daemon/handlers.h"
#include "daemon/wire.h"

enum {
    METHODS_MAX = 64,        /* several times today's number; asserted */
    SLOTS = 4 * METHODS_MAX, /* a power of two */
    SLOT_NONE = UINT8_MAX,
};

struct rpc {
    Serried__V1__Catalog_Service catalog;
    Serried__V1__Cluster_Service cluster;
    Serried__V1__Placement_Service placement;
    Serried__V1__Worker_Service worker;
    Serried__V1__Admin_Service admin;
    size_t n;
    struct rpc_method methods[METHODS_MAX + 1];
    uint8_t slots[SLOTS]; /* which method, by its path */
};

/* Where the search for a path begins: what differs between paths is how long
 * they are and how they end. */
static size_t first_slot(const char *path, size_t len)
{
    size_t hash = len;

    for (size_t i = len > 4 ? len - 4 : 0; i < len; i++)
        hash = hash * 31 + (unsigned char)path[i];
    return hash % SLOTS;
}

/* The slot of a path, or the free one where it would be. */
static uint8_t *find_slot(struct rpc *rpc, const char *path, size_t len)
{
    size_t at = first_slot(path, len);

    for (; rpc->slots[at] != SLOT_NONE; at = (at + 1) % SLOTS) {
        const struct rpc_method *method = &rpc->methods[rpc->slots[at]];

        if (method->path_len == len && memcmp(method->path, path, len) == 0)
            break;
    }
    return &rpc->slots[at];
}

static void add_methods(struct rpc *rpc, ProtobufCService *service)
{
    const ProtobufCServiceDescriptor *descriptor = service->descriptor;

    for (unsigned i = 0; i < descriptor->n_methods; i++) {
        struct rpc_method *method = &rpc->methods[rpc->n];

        assert(rpc->n < METHODS_MAX);
        method->service = service;
        method->index = i;
        method->request = descriptor->methods[i].input;
        snprintf(method->path, sizeof(method->path), "/%s/%s", descriptor->name,
                 descriptor->methods[i].name);
        method->path_len = strlen(method->path);
        method->least = access_least(method->path);
        *find_slot(rpc, method->path, method->path_len) = (uint8_t)rpc->n++;
    }
}

struct rpc *rpc_new(struct error *err)
{
    struct rpc *rpc = calloc(1, sizeof(*rpc));

    if (rpc == NULL) {
        error_set(err, STATUS_EXHAUSTED, "no memory for the methods");
        return NULL;
    }
    memset(rpc->slots, SLOT_NONE, sizeof(rpc->slots));
    rpc->catalog =
        (Serried__V1__Catalog_Service)SERRIED__V1__CATALOG__INIT(rpc_);
    rpc->cluster =
        (Serried__V1__Cluster_Service)SERRIED__V1__CLUSTER__INIT(rpc_);
    rpc->placement =
        (Serried__V1__Placement_Service)SERRIED__V1__PLACEMENT__INIT(rpc_);
    rpc->worker = (Serried__V1__Worker_Service)SERRIED__V1__WORKER__INIT(rpc_);
    rpc->admin = (Serried__V1__Admin_Service)SERRIED__V1__ADMIN__INIT(rpc_);
    add_methods(rpc, &rpc->catalog.base);
    add_methods(rpc, &rpc->cluster.base);
    add_methods(rpc, &rpc->placement.base);
    add_methods(rpc, &rpc->worker.base);
    add_methods(rpc, &rpc->admin.base);
    return rpc;
}

void rpc_free(struct rpc *rpc)
{
    free(rpc);
}

static int unknown_method(const struct rpc *rpc, const char *path,
                          struct error *err)
{
    const char *shown = strlen(path) <= 64 ? path : "(a long name)";
    const char *paths[METHODS_MAX];
    const char *nearest;

    for (size_t i = 0; i < rpc->n; i++)
        paths[i] = rpc->methods[i].path;
    nearest = text_nearest(path, paths, rpc->n);
    if (nearest != NULL)
        return error_set(err, STATUS_UNIMPLEMENTED,
                         "no method is called %s, did you mean %s", shown,
                         nearest);
    return error_set(err, STATUS_UNIMPLEMENTED,
                     "no method is called \"%s\"; one is %s", shown,
                     rpc->methods[0].path);
}

struct rpc_method *rpc_find(struct rpc *rpc, const char *path,
                            struct error *err)
{
    const uint8_t slot = *find_slot(rpc, path, strlen(path));

    if (slot != SLOT_NONE)
        return &rpc->methods[slot];
    unknown_method(rpc, path, err);
    return NULL;
}

static void reply_closure(const ProtobufCMessage *reply, void *data)
{
    call_reply(data, reply);
}

/* Whether a request speaks of the only placement that it may; NULL: any. */
static int check_placement(const ProtobufCMessage *message, const char *only,
                           struct error *err)
{
    const ProtobufCFieldDescriptor *field;
    const char *placement = NULL;

    if (only == NULL)
        return 0;
    field = protobuf_c_message_descriptor_get_field_by_name(message->descriptor,
                                                            "placement");
    if (field != NULL && field->type == PROTOBUF_C_TYPE_STRING)
        placement =
            *(const char *const *)((const char *)message + field->offset);
    if (placement != NULL && strcmp(placement, only) == 0)
        return 0;
    return error_set(err, STATUS_DENIED,
                     "this token is for the placement %s only", only);
}

int rpc_invoke(const struct rpc_method *method, struct call *call,
               const void *request, size_t len, struct error *err)
{
    ProtobufCService *service = method->service;
    ProtobufCMessage *message =
        wire_unpack(method->request, request, len, call_arena(call), err);

    if (message == NULL ||
        check_placement(message, call_only_placement(call), err) < 0)
        return -1;
    service->invoke(service, method->index, message, reply_closure, call);
    return 0;
}

void rpc_count(struct rpc *rpc, struct rpc_method *method, enum status status)
{
    if (method == NULL)
        method = &rpc->methods[rpc->n];
    assert((int)status < RPC_STATUSES);
    method->ends[status]++;
}

const struct rpc_method *rpc_methods(const struct rpc *rpc, size_t *ret_n)
{
    *ret_n = rpc->n;
    return rpc->methods;
}

static uint64_t ends_sum(const struct rpc *rpc, unsigned first_status)
{
    uint64_t sum = 0;

    for (size_t i = 0; i <= rpc->n; i++)
        for (unsigned status = first_status; status < RPC_STATUSES; status++)
            sum += rpc->methods[i].ends[status];
    return sum;
}

uint64_t rpc_ended(const struct rpc *rpc)
{
    return ends_sum(rpc, STATUS_OK);
}

uint64_t rpc_refused(const struct rpc *rpc)
{
    return ends_sum(rpc, STATUS_OK + 1);
}
