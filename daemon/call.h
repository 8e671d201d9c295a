/* SPDX-License-Identifier: Apache-2.0 */
/* One RPC in progress, as its handler sees it. */
#ifndef SERRIED_DAEMON_CALL_H
#define SERRIED_DAEMON_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
#include "base/error.h"
#include "proto/serried.pb-c.h"

struct daemon;

/* A handler gets a call as its closure_data and ends it exactly once, at once
 * or later, by call_reply(), call_refuse() or call_answer_bytes(); the call and
 * what is in its arena, the request too, are gone then. A call whose deadline
 * passes before is answered DEADLINE_EXCEEDED over its handler's head; what the
 * handler ends it with later is dropped. Everything here belongs to the thread
 * of the loop. */
struct call;

/* Memory that lives as long as the call, capped by the setting call_bytes. */
struct arena *call_arena(struct call *call);

struct daemon *call_daemon(struct call *call);

/* Who calls: "uid 0 pid 12" on a unix socket, "127.0.0.1:5555". */
const char *call_who(const struct call *call);

/* The only placement that the caller may speak of; NULL: any. */
const char *call_only_placement(const struct call *call);

/* "/serried.v1.Placement/Check". */
const char *call_method(const struct call *call);

/* The packed request message as it came, to know it again when it is sent
 * twice. Never NULL; ret_len may be 0. */
const void *call_request(const struct call *call, size_t *ret_len);

/* The value of a key of the call's metadata, the first of equals; NULL: none.
 */
const char *call_metadata(const struct call *call, const char *key);

/* Milliseconds until the deadline; 0: it has passed. */
uint32_t call_left_ms(const struct call *call);

/* Whether the answer is of no use any more: the deadline has passed or the
 * call was ended over the handler's head. Long work asks now and then. */
bool call_expired(const struct call *call);

/* Ends the call with the method's reply message. One that does not fit in a
 * client's message or in call_bytes becomes RESOURCE_EXHAUSTED. */
void call_reply(struct call *call, const ProtobufCMessage *reply);

/* The same with the reply packed already. */
void call_reply_packed(struct call *call, const void *reply, size_t len);

/* Ends the call with a status that is not OK. findings_json: the verdict that
 * says more, NULL: none. */
void call_refuse(struct call *call, const struct error *err,
                 const char *findings_json);

/* The same with any detail; NULL: none. */
void call_refuse_detail(struct call *call, const struct error *err,
                        const Serried__V1__Detail *detail);

/* Ends the call with an Answer packed earlier, for another call of the same
 * request; its request id becomes this call's. */
void call_answer_bytes(struct call *call, const void *answer, size_t len);

/* For a call that waits: when its deadline passes, its peer has gone (noticed
 * within a second) or the daemon cannot wait any longer, it is answered without
 * the handler, and ended(arg) is called, once, so that the handler forgets it:
 * the call is gone when ended returns. Not called when the handler ends the
 * call itself. One at a time; NULL: it does not wait any more, its handler has
 * taken it up again. */
void call_on_end(struct call *call, void (*ended)(void *arg), void *arg);

/* Says of a call with call_on_end() that it waits for news and not for work:
 * a daemon that stops ends it at once. */
void call_set_idle(struct call *call);

#endif
