/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a method: envelope, retries, and the reply as a message. */
#include "client/libserry/call.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/pause.h"

enum {
    PAUSE_MS_FIRST = 50, /* doubled each time, and varied */
    PAUSE_MS_MAX = 2000,
    /* The daemon is given a little less time than the caller has, so that its
     * own answer to a deadline arrives. */
    SLACK_MS_MAX = 200,
};

/* ---- trying again -------------------------------------------------------- */

/* SERRY_DEADLINE may be sent again too, but the time is over. */
static bool is_retried(int status)
{
#define X(name, wire, wire_name, exit_code, retry)                             \
    if (status == wire)                                                        \
        return retry && wire != STATUS_DEADLINE;
    STATUS_LIST(X)
#undef X
    return false;
}

static bool may_try_again(const struct call *call, int status, int tries)
{
    if (!is_retried(status) || (status == SERRY_LOST && call->lost_is_final))
        return false;
    return status == SERRY_UNAVAILABLE || tries < CALL_TRIES_MAX;
}

bool call_pause(int tries, int64_t until_ms)
{
    int64_t ms = PAUSE_MS_MAX;
    struct timespec rest;

    if (tries < 6)
        ms = PAUSE_MS_FIRST << (tries - 1);
    ms = pause_varied((uint32_t)ms, pause_chance());
    if (transport_now_ms() + ms >= until_ms)
        return false;
    rest = (struct timespec){ ms / 1000, (ms % 1000) * 1000000 };
    while (nanosleep(&rest, &rest) < 0 && errno == EINTR)
        continue;
    return true;
}

/* ---- one try ------------------------------------------------------------- */

static int pack_call(const struct serry_client *client, const struct call *call,
                     uint64_t request_id, int64_t until_ms, const void *request,
                     size_t len, uint8_t **ret, size_t *ret_len,
                     struct serry_error *err)
{
    Serried__V1__Call message = SERRIED__V1__CALL__INIT;
    Serried__V1__Metadata authorization = SERRIED__V1__METADATA__INIT;
    Serried__V1__Metadata *metadata[] = { &authorization };
    int64_t left_ms = until_ms - transport_now_ms(), slack_ms = left_ms / 10;
    uint8_t *packed;

    if (slack_ms > SLACK_MS_MAX)
        slack_ms = SLACK_MS_MAX;
    left_ms -= slack_ms;
    message.method = (char *)call->method;
    message.has_request_id = true;
    message.request_id = request_id;
    message.has_deadline_ms = true;
    message.deadline_ms = left_ms > 1 ? (uint32_t)left_ms : 1;
    authorization.key = (char *)"authorization";
    authorization.value = client->authorization;
    message.n_metadata = client->authorization != NULL;
    message.metadata = metadata;
    message.has_request = true;
    message.request.data = (uint8_t *)request;
    message.request.len = len;
    *ret_len = serried__v1__call__get_packed_size(&message);
    packed = malloc(*ret_len);
    if (packed == NULL)
        return refuse_exhausted(err);
    serried__v1__call__pack(&message, packed);
    *ret = packed;
    return 0;
}

static const char *findings(const Serried__V1__Answer *answer)
{
    for (size_t i = 0; i < answer->n_details; i++)
        if (answer->details[i]->type != NULL &&
            strcmp(answer->details[i]->type, "findings") == 0)
            return answer->details[i]->json;
    return NULL;
}

static int read_answer(const struct call *call, uint64_t request_id,
                       struct arena *arena, const void *data, size_t len,
                       Serried__V1__Answer **ret_answer, int *ret_status,
                       struct serry_error *err)
{
    Serried__V1__Answer *answer =
        call_unpack(arena, &serried__v1__answer__descriptor, data, len);

    if (answer == NULL)
        return refuse(err, SERRY_INTERNAL,
                      "%s: the answer of %zu bytes cannot be read: what "
                      "listens there may not be serried",
                      call->method, len);
    /* What the daemon could not even read, it cannot answer by number. */
    if (answer->request_id != request_id &&
        (answer->has_request_id || answer->status == SERRY_OK))
        return refuse(err, SERRY_INTERNAL,
                      "%s: the answer is to another request", call->method);
    *ret_status = (int)answer->status;
    if (answer->status != SERRY_OK && call->ret_refusal != NULL)
        *call->ret_refusal = answer;
    if (answer->status != SERRY_OK)
        return refuse_answer(err, (int)answer->status, answer->message,
                             findings(answer));
    *ret_answer = answer;
    return 0;
}

/* *ret_status: what the daemon answered; SERRY_OK: it did not. */
static int try_once(struct serry_client *client, const struct call *call,
                    int64_t until_ms, const void *request, size_t len,
                    struct arena *arena, Serried__V1__Answer **ret_answer,
                    int *ret_status, struct serry_error *err)
{
    uint64_t request_id = ++client->request_id;
    uint8_t *packed = NULL;
    void *data = NULL;
    size_t packed_len, data_len;
    int rc;

    *ret_status = SERRY_OK;
    if (pack_call(client, call, request_id, until_ms, request, len, &packed,
                  &packed_len, err) < 0)
        return -1;
    rc = transport_exchange(&client->transport, packed, packed_len, until_ms,
                            &data, &data_len, err);
    free(packed);
    if (rc < 0)
        return -1;
    rc = read_answer(call, request_id, arena, data, data_len, ret_answer,
                     ret_status, err);
    transport_free(data);
    return rc;
}

/* ---- calls --------------------------------------------------------------- */

int call_bytes(struct serry_client *client, const struct call *call,
               const void *request, size_t len, struct arena *arena,
               Serried__V1__Answer **ret_answer, struct serry_error *err)
{
    int64_t until_ms = transport_now_ms() + call->deadline_ms;
    int rc, status, tries = 0;

    if (client->pid != getpid())
        return refuse(err, SERRY_INVALID,
                      "this client was opened before fork(): its connection "
                      "belongs to the parent; open clients after fork()");
    if (atomic_flag_test_and_set(&client->busy))
        return refuse(err, SERRY_INVALID,
                      "this client is in a call of another thread: open one "
                      "client for each thread");
    do {
        rc = try_once(client, call, until_ms, request, len, arena, ret_answer,
                      &status, err);
    } while (rc < 0 && may_try_again(call, status, ++tries) &&
             call_pause(tries, until_ms));
    atomic_flag_clear(&client->busy);
    return rc;
}

static int call_packed(struct serry_client *client, const struct call *call,
                       const ProtobufCMessage *request, struct arena *arena,
                       Serried__V1__Answer **ret_answer,
                       struct serry_error *err)
{
    size_t len = protobuf_c_message_get_packed_size(request);
    uint8_t *packed = malloc(len + 1);
    int rc;

    if (packed == NULL)
        return refuse_exhausted(err);
    protobuf_c_message_pack(request, packed);
    rc = call_bytes(client, call, packed, len, arena, ret_answer, err);
    free(packed);
    return rc;
}

/* call: all but the method. */
static int call_named(struct serry_client *client, struct arena *arena,
                      const ProtobufCServiceDescriptor *service,
                      const char *name, const ProtobufCMessage *request,
                      struct call *call, struct call_reply *ret,
                      struct serry_error *err)
{
    const ProtobufCMethodDescriptor *method =
        protobuf_c_service_descriptor_get_method_by_name(service, name);
    Serried__V1__Answer *answer = NULL;
    const void *message;
    char path[128];

    assert(method != NULL);
    snprintf(path, sizeof(path), "/%s/%s", service->name, name);
    call->method = path;
    if (call_packed(client, call, request, arena, &answer, err) < 0)
        return -1;
    message = call_unpack(arena, method->output, answer->reply.data,
                          answer->reply.len);
    if (message == NULL)
        return refuse(err, SERRY_INTERNAL,
                      "%s: the reply of %zu bytes cannot be read as its "
                      "message",
                      path, answer->reply.len);
    *ret = (struct call_reply){ arena, message, answer->reply.data,
                                answer->reply.len };
    return 0;
}

int call_method(struct serry_client *client,
                const ProtobufCServiceDescriptor *service, const char *name,
                const ProtobufCMessage *request, uint32_t wait_ms,
                bool lost_is_final, struct call_reply *ret,
                struct serry_error *err)
{
    struct call call = { .deadline_ms = client->deadline_ms + wait_ms,
                         .lost_is_final = lost_is_final };
    struct arena *arena = arena_new(RESULT_BYTES_MAX);

    if (arena == NULL)
        return refuse_exhausted(err);
    if (call_named(client, arena, service, name, request, &call, ret, err) == 0)
        return 0;
    arena_free(arena);
    return -1;
}

int call_method_in(struct serry_client *client, struct arena *arena,
                   const ProtobufCServiceDescriptor *service, const char *name,
                   const ProtobufCMessage *request,
                   const Serried__V1__Answer **ret_refusal,
                   struct call_reply *ret, struct serry_error *err)
{
    struct call call = { .deadline_ms = client->deadline_ms,
                         .ret_refusal = ret_refusal };

    return call_named(client, arena, service, name, request, &call, ret, err);
}

int call_key(const struct serry_write *write, char *room, char **ret,
             struct serry_error *err)
{
    const char *key = write != NULL ? write->idempotency_key : NULL;
    uint8_t bytes[(CALL_KEY_BYTES - 1) / 2];

    if (key != NULL && (key[0] == '\0' || strlen(key) > CALL_KEY_MAX))
        return refuse(err, SERRY_INVALID,
                      "an idempotency key has 1 to %d bytes", CALL_KEY_MAX);
    if (key != NULL) {
        *ret = (char *)key;
        return 0;
    }
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return refuse(err, SERRY_INTERNAL,
                      "no random bytes for an idempotency key: %s",
                      strerror(errno));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(room + 2 * i, 3, "%02x", bytes[i]);
    *ret = room;
    return 0;
}
