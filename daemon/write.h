/* SPDX-License-Identifier: Apache-2.0 */
/* Writes: one change of the store each, answered once, repeated never. */
#ifndef SERRIED_DAEMON_WRITE_H
#define SERRIED_DAEMON_WRITE_H

#include "daemon/call.h"
#include "daemon/state.h"

enum {
    WRITE_KEY_BYTES_MAX = 128, /* of an idempotency key */
};

/* Writes under way. */
struct writes;

struct writes *writes_new(struct daemon *daemon); /* NULL: no memory */
/* Calls of writes under way are ended with UNAVAILABLE. NULL is allowed. */
void writes_free(struct writes *writes);

/* What a method needs to have its reply made: sets the generation (the position
 * of the commit) in a reply message of the method. */
typedef void write_stamp_fn(ProtobufCMessage *reply, struct store_pos pos,
                            Serried__V1__Generation *room);

/* A write that was decided. */
struct write {
    const char *key;               /* idempotency key; NULL or "": none */
    struct change *change;         /* taken by write_commit() */
    const ProtobufCMessage *reply; /* without what only the commit knows */
    write_stamp_fn *stamp;         /* NULL: nothing to add */
    uint64_t prepared;             /* ticket of state_prepare(); 0: none */
};

/* Answers a call whose key was answered before or is being answered, and
 * refuses one whose key belongs to another request. Returns whether the call is
 * taken care of. type, stamp: of the method's reply. */
bool write_repeated(struct call *call, const char *key,
                    const ProtobufCMessageDescriptor *type,
                    write_stamp_fn *stamp);

/* Whether a write of the method with this reply is not yet committed. */
bool write_under_way(const struct writes *writes,
                     const ProtobufCMessageDescriptor *type);

/* Commits a write and answers the call with its outcome; both the change and
 * the call are taken. The answer is kept with the change under the key. */
void write_commit(struct call *call, const struct write *write);

#endif
