/* SPDX-License-Identifier: Apache-2.0 */
/* Writes: one change of the store each, answered once, repeated never. */
#include "daemon/write.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"

/* A call that waits for a write. */
struct waiter {
    struct waiter *next;
    struct call *call;
};

/* A write under way. */
struct under_way {
    struct under_way *next, **link; /* in struct writes */
    struct writes *writes;
    struct waiter *waiters; /* the call that made it, and repetitions */
    char *key;              /* NULL: none */
    char hash[DIGEST_HEX];  /* of method and request */
    const ProtobufCMessageDescriptor *type;
    uint8_t *reply; /* packed, without what only the commit knows */
    size_t reply_len;
    write_stamp_fn *stamp;
    uint64_t prepared;
};

struct writes {
    struct daemon *daemon;
    struct under_way *first;
};

struct writes *writes_new(struct daemon *daemon)
{
    struct writes *writes = calloc(1, sizeof(*writes));

    if (writes != NULL)
        writes->daemon = daemon;
    return writes;
}

/* What tells one request from another: method and request, digested. */
static void request_hash(struct call *call, char ret[DIGEST_HEX])
{
    struct text both = { 0 };
    size_t len;
    const void *request = call_request(call, &len);

    text_put(&both, call_method(call));
    text_put_bytes(&both, "", 1);
    text_put_bytes(&both, request, len);
    digest_hex(text_string(&both), both.len, ret);
    text_close(&both);
}

/* ---- waiting calls ------------------------------------------------------- */

/* A waiting call ended over the write's head: it is forgotten. */
static void waiter_ended(void *arg)
{
    struct waiter *waiter = arg;

    waiter->call = NULL;
}

static int wait_for(struct under_way *write, struct call *call)
{
    struct waiter *waiter = calloc(1, sizeof(*waiter));

    if (waiter == NULL)
        return -1;
    waiter->call = call;
    waiter->next = write->waiters;
    write->waiters = waiter;
    call_on_end(call, waiter_ended, waiter);
    return 0;
}

static void under_way_free(struct under_way *write)
{
    if (write == NULL)
        return;
    while (write->waiters != NULL) {
        struct waiter *next = write->waiters->next;

        free(write->waiters);
        write->waiters = next;
    }
    if (write->link != NULL) {
        *write->link = write->next;
        if (write->next != NULL)
            write->next->link = write->link;
    }
    free(write->key);
    free(write->reply);
    free(write);
}

static void refuse_waiters(struct under_way *write, const struct error *err)
{
    for (struct waiter *w = write->waiters; w != NULL; w = w->next)
        if (w->call != NULL)
            call_refuse(w->call, err, NULL);
}

void writes_free(struct writes *writes)
{
    struct error err;

    if (writes == NULL)
        return;
    error_set(&err, STATUS_UNAVAILABLE, "the daemon is stopping");
    while (writes->first != NULL) {
        refuse_waiters(writes->first, &err);
        under_way_free(writes->first);
    }
    free(writes);
}

/* ---- replies ------------------------------------------------------------- */

/* Ends a call with a packed reply, stamped with the position of its commit. */
static void reply_stamped(struct call *call,
                          const ProtobufCMessageDescriptor *type,
                          const uint8_t *packed, size_t len,
                          write_stamp_fn *stamp, struct store_pos pos)
{
    Serried__V1__Generation generation = SERRIED__V1__GENERATION__INIT;
    ProtobufCMessage *reply =
        protobuf_c_message_unpack(type, NULL, len, packed);
    struct error err;

    if (reply == NULL) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
        return;
    }
    if (stamp != NULL)
        stamp(reply, pos, &generation);
    call_reply(call, reply);
    if (stamp != NULL)
        stamp(reply, pos, NULL); /* what was borrowed is not reply's to free */
    protobuf_c_message_free_unpacked(reply, NULL);
}

static void answer_again(struct call *call, const struct kept_answer *kept,
                         const char *hash,
                         const ProtobufCMessageDescriptor *type,
                         write_stamp_fn *stamp)
{
    Serried__V1__AnswerRecord *record =
        serried__v1__answer_record__unpack(NULL, kept->len, kept->body);
    struct store_pos pos = state_position(daemon_state(call_daemon(call)));
    struct error err;

    pos.rev = kept->rev;
    if (record == NULL || record->request_hash == NULL) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
    } else if (strcmp(record->request_hash, hash) != 0) {
        error_set(&err, STATUS_ALREADY_EXISTS,
                  "the idempotency key %s belongs to another request; take a "
                  "new one for each write",
                  kept->name);
        call_refuse(call, &err, NULL);
    } else {
        reply_stamped(call, type, record->answer.data, record->answer.len,
                      stamp, pos);
    }
    if (record != NULL)
        serried__v1__answer_record__free_unpacked(record, NULL);
}

static struct under_way *find(struct writes *writes, const char *key)
{
    for (struct under_way *w = writes->first; w != NULL; w = w->next)
        if (w->key != NULL && strcmp(w->key, key) == 0)
            return w;
    return NULL;
}

bool write_under_way(const struct writes *writes,
                     const ProtobufCMessageDescriptor *type)
{
    const struct under_way *write = writes->first;

    while (write != NULL && write->type != type)
        write = write->next;
    return write != NULL;
}

bool write_repeated(struct call *call, const char *key,
                    const ProtobufCMessageDescriptor *type,
                    write_stamp_fn *stamp)
{
    struct daemon *daemon = call_daemon(call);
    const struct kept_answer *kept;
    struct under_way *write;
    char hash[DIGEST_HEX];
    struct error err;

    if (key == NULL || key[0] == '\0')
        return false;
    if (strlen(key) > WRITE_KEY_BYTES_MAX) {
        error_set(&err, STATUS_INVALID,
                  "the idempotency key is longer than %d bytes",
                  WRITE_KEY_BYTES_MAX);
        call_refuse(call, &err, NULL);
        return true;
    }
    request_hash(call, hash);
    kept = state_answer(daemon_state(daemon), key);
    if (kept != NULL) {
        answer_again(call, kept, hash, type, stamp);
        return true;
    }
    write = find(state_writes(daemon_state(daemon)), key);
    if (write == NULL)
        return false;
    if (strcmp(write->hash, hash) != 0)
        error_set(&err, STATUS_ALREADY_EXISTS,
                  "the idempotency key %s belongs to another request; take a "
                  "new one for each write",
                  key);
    else if (wait_for(write, call) == 0)
        return true;
    else
        error_exhausted(&err);
    call_refuse(call, &err, NULL);
    return true;
}

/* ---- committing ---------------------------------------------------------- */

static void committed(void *arg, enum store_result result, struct store_pos pos)
{
    struct under_way *write = arg;
    struct daemon *daemon = write->writes->daemon;
    struct error err;

    if (result != STORE_OK) {
        if (write->prepared != 0)
            state_unprepare(daemon_state(daemon), write->prepared);
        store_result_error(result, &err);
        refuse_waiters(write, &err);
        under_way_free(write);
        return;
    }
    for (struct waiter *w = write->waiters; w != NULL; w = w->next)
        if (w->call != NULL)
            reply_stamped(w->call, write->type, write->reply, write->reply_len,
                          write->stamp, pos);
    under_way_free(write);
}

/* Keeps the answer under its key, in the same change. */
static int put_answer(struct under_way *write, struct change *change,
                      int64_t now_ms)
{
    Serried__V1__AnswerRecord record = SERRIED__V1__ANSWER_RECORD__INIT;
    struct store_record put = { .kind = STORE_ANSWER, .id = write->key };
    uint8_t *body;

    record.request_hash = write->hash;
    record.has_answer = true;
    record.answer = (ProtobufCBinaryData){ write->reply_len, write->reply };
    put.len = serried__v1__answer_record__get_packed_size(&record);
    put.time_ms = now_ms;
    body = malloc(put.len + 1);
    if (body == NULL)
        return -1;
    serried__v1__answer_record__pack(&record, body);
    put.body = body;
    change_put(change, &put, 0);
    free(body);
    return 0;
}

static struct under_way *under_way_new(struct call *call,
                                       const struct write *from)
{
    struct writes *writes = state_writes(daemon_state(call_daemon(call)));
    struct under_way *write = calloc(1, sizeof(*write));
    bool has_key = from->key != NULL && from->key[0] != '\0';

    if (write == NULL)
        return NULL;
    write->writes = writes;
    write->type = from->reply->descriptor;
    write->stamp = from->stamp;
    write->reply_len = protobuf_c_message_get_packed_size(from->reply);
    write->reply = malloc(write->reply_len + 1);
    if (has_key)
        write->key = strdup(from->key);
    write->prepared = from->prepared;
    /* without its key a repetition would be another write */
    if (write->reply == NULL || (has_key && write->key == NULL)) {
        under_way_free(write);
        return NULL;
    }
    protobuf_c_message_pack(from->reply, write->reply);
    write->next = writes->first;
    write->link = &writes->first;
    if (write->next != NULL)
        write->next->link = &write->next;
    writes->first = write;
    return write;
}

void write_commit(struct call *call, const struct write *from)
{
    struct daemon *daemon = call_daemon(call);
    struct under_way *write = under_way_new(call, from);
    struct error err;

    if (write != NULL) {
        request_hash(call, write->hash);
        if ((write->key == NULL ||
             put_answer(write, from->change, daemon_now_ms(daemon)) == 0) &&
            wait_for(write, call) == 0) {
            store_commit(daemon_store(daemon), from->change, committed, write);
            return;
        }
    }
    under_way_free(write);
    change_free(from->change);
    if (from->prepared != 0)
        state_unprepare(daemon_state(daemon), from->prepared);
    error_exhausted(&err);
    call_refuse(call, &err, NULL);
}
