/* SPDX-License-Identifier: Apache-2.0 */
/* One RPC in progress: what its handler asks, and how it is answered. */
#include "daemon/call.h"

#include <assert.h>
#include <string.h>

#include "daemon/call_state.h"
#include "daemon/wire.h"
#include "proto/put.h"

/* ---- asking ---------------------------------------------------------------
 */

struct arena *call_arena(struct call *call)
{
    return call->arena;
}

struct daemon *call_daemon(struct call *call)
{
    return call->calls->options.daemon;
}

const char *call_who(const struct call *call)
{
    return call->who;
}

const char *call_only_placement(const struct call *call)
{
    return call->placement;
}

const char *call_method(const struct call *call)
{
    return call->method != NULL ? call->method->path : "";
}

const void *call_request(const struct call *call, size_t *ret_len)
{
    const struct envelope *envelope = &call->envelope;

    *ret_len = envelope->request_len;
    return *ret_len > 0 ? (const void *)envelope->request : "";
}

const char *call_metadata(const struct call *call, const char *key)
{
    for (const struct metadata *pair = call->envelope.metadata; pair != NULL;
         pair = pair->next)
        if (pair->key != NULL && strcmp(pair->key, key) == 0)
            return pair->value != NULL ? pair->value : "";
    return NULL;
}

uint32_t call_left_ms(const struct call *call)
{
    const uint64_t now = uv_now(call->calls->options.loop);

    return now < call->deadline ? (uint32_t)(call->deadline - now) : 0;
}

bool call_expired(const struct call *call)
{
    return call->handle == NULL || call_left_ms(call) == 0;
}

/* ---- answering ------------------------------------------------------------
 */

/* The longest message is an error's text. */
enum { SMALL_ANSWER_BYTES = 1024 };

static void answer_init(const struct call *call, enum status status,
                        Serried__V1__Answer *answer)
{
    serried__v1__answer__init(answer);
    answer->has_request_id = call->envelope.has_request_id;
    answer->request_id = call->envelope.request_id;
    answer->has_status = status != STATUS_OK;
    answer->status = (uint32_t)status;
}

/* Gives the packed answer to the transport; the call waits no more. */
static void answer_send(struct call *call, enum status status,
                        const void *bytes, size_t len)
{
    struct calls *calls = call->calls;

    calls->options.send(call->handle, bytes, len);
    call->handle = NULL;
    call_count(call, status);
}

/* An answer that needs no memory but the stack's. */
static void answer_send_small(struct call *call, const struct error *err)
{
    uint8_t bytes[SMALL_ANSWER_BYTES];
    Serried__V1__Answer answer;

    answer_init(call, err->status, &answer);
    answer.message = (char *)(uintptr_t)err->text;
    assert(serried__v1__answer__get_packed_size(&answer) <= sizeof(bytes));
    answer_send(call, err->status, bytes,
                serried__v1__answer__pack(&answer, bytes));
}

/* Room for an answer of len bytes. NULL: it does not fit, which was answered
 * instead. */
static uint8_t *answer_room(struct call *call, size_t len)
{
    struct error err;
    uint8_t *bytes = NULL;

    if (len > CALL_ANSWER_BYTES) {
        error_set(&err, STATUS_EXHAUSTED,
                  "the answer has %zu bytes, a message holds %d; ask for less",
                  len, CALL_ANSWER_BYTES);
        answer_send_small(call, &err);
        return NULL;
    }
    bytes = arena_room(call->arena, len);
    if (bytes == NULL) {
        error_exhausted(&err);
        answer_send_small(call, &err);
    }
    return bytes;
}

static void answer_send_or_exhausted(struct call *call, enum status status,
                                     const Serried__V1__Answer *answer)
{
    const size_t len = serried__v1__answer__get_packed_size(answer);
    uint8_t *bytes = answer_room(call, len);

    if (bytes == NULL)
        return;
    serried__v1__answer__pack(answer, bytes);
    answer_send(call, status, bytes, len);
}

/* Whether the handler's end is to be sent; the call's one end is noted. */
static bool end_begin(struct call *call)
{
    assert(!call->ended);
    call->ended = true;
    return call->handle != NULL;
}

/* Fields of Answer. */
enum {
    TAG_REQUEST_ID = WIRE_TAG(1, WIRE_VARINT),
    TAG_REPLY = WIRE_TAG(5, WIRE_BYTES),
    HEAD_MAX = 2 * (1 + PUT_VARINT_MAX),
};

/* Nearly every answer is this one, so it is packed by hand. */
static void reply_send(struct call *call, const void *reply, size_t len)
{
    uint8_t head[HEAD_MAX], *end = head, *bytes;
    size_t head_len;

    if (call->envelope.has_request_id)
        end = put_number(end, TAG_REQUEST_ID, call->envelope.request_id);
    end = put_number(end, TAG_REPLY, len);
    head_len = (size_t)(end - head);
    bytes = answer_room(call, head_len + len);
    if (bytes == NULL)
        return;
    memcpy(bytes, head, head_len);
    if (len > 0)
        memcpy(bytes + head_len, reply, len);
    answer_send(call, STATUS_OK, bytes, head_len + len);
}

void call_reply(struct call *call, const ProtobufCMessage *reply)
{
    uint8_t *packed;
    struct error err;
    size_t len;

    if (end_begin(call)) {
        len = protobuf_c_message_get_packed_size(reply);
        packed = arena_room(call->arena, len);
        if (packed == NULL) {
            error_exhausted(&err);
            answer_send_small(call, &err);
        } else {
            protobuf_c_message_pack(reply, packed);
            reply_send(call, packed, len);
        }
    }
    call_release(call);
}

void call_reply_packed(struct call *call, const void *reply, size_t len)
{
    if (end_begin(call))
        reply_send(call, reply, len);
    call_release(call);
}

/* Sends a refusal; a detail that does not fit is left out. */
static void refusal_send(struct call *call, const struct error *err,
                         const Serried__V1__Detail *detail)
{
    Serried__V1__Detail *details[] = { (void *)(uintptr_t)detail };
    Serried__V1__Answer answer;

    if (detail == NULL || serried__v1__detail__get_packed_size(detail) >
                              CALL_ANSWER_BYTES - SMALL_ANSWER_BYTES) {
        answer_send_small(call, err);
        return;
    }
    answer_init(call, err->status, &answer);
    answer.message = (char *)(uintptr_t)err->text;
    answer.n_details = 1;
    answer.details = details;
    answer_send_or_exhausted(call, err->status, &answer);
}

void call_refuse_detail(struct call *call, const struct error *err,
                        const Serried__V1__Detail *detail)
{
    assert(err->status != STATUS_OK);
    if (end_begin(call))
        refusal_send(call, err, detail);
    call_release(call);
}

void call_refuse(struct call *call, const struct error *err,
                 const char *findings_json)
{
    Serried__V1__Detail findings = SERRIED__V1__DETAIL__INIT;

    findings.type = (char *)(uintptr_t) "findings";
    findings.json = (char *)(uintptr_t)findings_json;
    call_refuse_detail(call, err, findings_json != NULL ? &findings : NULL);
}

/* What was kept may have been damaged on the disk. */
static void kept_answer_send(struct call *call, const void *bytes, size_t len)
{
    Serried__V1__Answer *answer;
    struct error err;

    answer = (Serried__V1__Answer *)wire_unpack(
        &serried__v1__answer__descriptor, bytes, len, call->arena, &err);
    if (answer == NULL || answer->status >= RPC_STATUSES) {
        error_set(&err, STATUS_INTERNAL, "the kept answer cannot be read");
        answer_send_small(call, &err);
        return;
    }
    answer->has_request_id = call->envelope.has_request_id;
    answer->request_id = call->envelope.request_id;
    answer_send_or_exhausted(call, (enum status)answer->status, answer);
}

void call_answer_bytes(struct call *call, const void *answer, size_t len)
{
    if (end_begin(call))
        kept_answer_send(call, answer, len);
    call_release(call);
}

void call_answer_early(struct call *call, const struct error *err)
{
    if (call->handle != NULL)
        answer_send_small(call, err);
}
