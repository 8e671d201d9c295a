/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a method: envelope, retries, and the reply as a message. */
#ifndef SERRIED_CLIENT_CALL_H
#define SERRIED_CLIENT_CALL_H

#include <stdatomic.h>
#include <sys/types.h>

#include "client/libserry/result.h"
#include "client/libserry/transport.h"
#include "proto/serried.pb-c.h"

enum {
    CALL_DEADLINE_MS_DEFAULT = 10000,
    CALL_DEADLINE_MS_MAX = 3600000,
    CALL_TRIES_MAX = 4,  /* for statuses other than SERRY_UNAVAILABLE */
    CALL_KEY_BYTES = 33, /* of an idempotency key that is made here */
    CALL_KEY_MAX = 128,
};

struct serry_client {
    struct transport transport;
    pid_t pid; /* of the process that may use it */
    uint32_t deadline_ms;
    char *authorization; /* "Bearer TOKEN"; NULL: none */
    uint64_t request_id; /* of the last request */
    atomic_flag busy;
};

/* A method to call and how. */
struct call {
    const char *method; /* "/serried.v1.Service/Method" */
    uint32_t deadline_ms;
    bool lost_is_final; /* SERRY_LOST would be answered again */
    /* set to what the daemon refuses with, in the arena; NULL: not wanted */
    const Serried__V1__Answer **ret_refusal;
};

/* Calls with a packed request. The answer is unpacked into arena.
 * Fails as serry_call(). */
int call_bytes(struct serry_client *client, const struct call *call,
               const void *request, size_t len, struct arena *arena,
               Serried__V1__Answer **ret_answer, struct serry_error *err);

/* A reply and the memory that it is in, which holds all of a result. */
struct call_reply {
    struct arena *arena; /* the caller frees it, or hands it out as a result */
    const void *message; /* the method's reply, unpacked */
    const void *bytes;   /* as it came */
    size_t len;
};

/* Calls a method of a service of the .proto by its name. Fails as serry_call().
 *   wait_ms  what the daemon may wait, added to the deadline */
int call_method(struct serry_client *client,
                const ProtobufCServiceDescriptor *service, const char *name,
                const ProtobufCMessage *request, uint32_t wait_ms,
                bool lost_is_final, struct call_reply *ret,
                struct serry_error *err);

/* The same, with what comes in an arena that stays the caller's, and without
 * waiting.
 *   ret_refusal  where the daemon refuses: its answer; NULL: not wanted */
int call_method_in(struct serry_client *client, struct arena *arena,
                   const ProtobufCServiceDescriptor *service, const char *name,
                   const ProtobufCMessage *request,
                   const Serried__V1__Answer **ret_refusal,
                   struct call_reply *ret, struct serry_error *err);

/* Sleeps before try number tries + 1 (from 1), a random time that grows. false:
 * there is no time for it before until_ms. */
bool call_pause(int tries, int64_t until_ms);

/* Unpacks a message into arena. NULL: it cannot be read, or holds text that is
 * not UTF-8, or the arena is full. */
void *call_unpack(struct arena *arena, const ProtobufCMessageDescriptor *type,
                  const void *bytes, size_t len);

/* The caller's key, or a new random one in room (CALL_KEY_BYTES).
 *   SERRY_INVALID  it is empty or too long */
int call_key(const struct serry_write *write, char *room, char **ret,
             struct serry_error *err);

#endif
