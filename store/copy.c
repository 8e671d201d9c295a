/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an export, which may be anybody's bytes. */
#include "store/copy.h"

#include <string.h>

/* A frame holds one record or event, which fit in one change. */
enum { FRAME_BYTES_MAX = 2 << 20 };

/* What is left of the export, or of a frame. bad: it was too short. */
struct cursor {
    const char *at;
    size_t left;
    bool bad;
};

/* Strings of one frame, ended by NULs. */
struct strings {
    char names[4][STORE_NAME_BYTES + 1];
    int n;
    struct text detail; /* the one that may be long */
};

struct reader {
    const struct scan *scan;
    uint32_t checksum;
    uint64_t n_records, n_events;
    struct strings strings;
    int last_kind; /* order: records only rise, then events */
    char last_id[STORE_NAME_BYTES + 1];
    uint64_t last_seq;
    struct counters from;
    bool ended;
};

static const char *get_bytes(struct cursor *cursor, size_t len)
{
    const char *at = cursor->at;

    if (cursor->bad || len > cursor->left) {
        cursor->bad = true;
        return NULL;
    }
    cursor->at += len;
    cursor->left -= len;
    return at;
}

static uint64_t get_number(struct cursor *cursor, int bytes)
{
    const char *at = get_bytes(cursor, (size_t)bytes);
    uint64_t number = 0;

    for (int i = 0; at != NULL && i < bytes; i++)
        number = number << 8 | (unsigned char)at[i];
    return number;
}

/* A number that the database keeps as a signed one. */
static uint64_t get_count(struct cursor *cursor)
{
    uint64_t number = get_number(cursor, 8);

    if (number > INT64_MAX)
        cursor->bad = true;
    return number;
}

static const char *get_string(struct cursor *cursor, struct strings *strings)
{
    size_t len = (size_t)get_number(cursor, 4);
    const char *at = get_bytes(cursor, len);
    char *name = strings->names[strings->n++];

    name[0] = '\0';
    if (at == NULL || len > STORE_NAME_BYTES || memchr(at, 0, len) != NULL) {
        cursor->bad = true;
        return name;
    }
    memcpy(name, at, len);
    name[len] = '\0';
    return name;
}

static int damaged(struct error *err)
{
    return error_set(err, STATUS_INVALID,
                     "the export is cut or changed: a frame does not have its "
                     "length, order or checksum; use another copy");
}

static int stopped(struct error *err)
{
    return error_set(err, STATUS_EXHAUSTED,
                     "the copy could not be taken in: no memory or no space");
}

static int read_header(struct reader *reader, struct cursor *cursor,
                       struct error *err)
{
    struct counters *from = &reader->from;

    if (from->epoch != 0)
        return damaged(err);
    from->epoch = get_count(cursor);
    from->revision = get_count(cursor);
    from->event_seq = get_count(cursor);
    if (cursor->bad || cursor->left > 0 || from->epoch == 0)
        return damaged(err);
    if (reader->scan->begin != NULL &&
        reader->scan->begin(reader->scan->arg, from) < 0)
        return stopped(err);
    return 0;
}

static bool record_follows(struct reader *reader, const struct store_record *r)
{
    int order = r->kind != (enum store_kind)reader->last_kind
                    ? (int)r->kind - reader->last_kind
                    : strcmp(r->id, reader->last_id);

    reader->last_kind = (int)r->kind;
    memcpy(reader->last_id, r->id, strlen(r->id) + 1);
    return order > 0 && r->id[0] != '\0' && store_kind_name(r->kind) != NULL &&
           r->rev >= 1 && r->rev <= reader->from.revision &&
           reader->last_seq == 0;
}

static int read_record(struct reader *reader, struct cursor *cursor,
                       struct error *err)
{
    struct store_record r = { .kind = (enum store_kind)get_number(cursor, 1) };

    r.rev = get_count(cursor);
    r.generation_epoch = get_count(cursor);
    r.generation_rev = get_count(cursor);
    r.time_ms = (int64_t)get_number(cursor, 8);
    r.id = get_string(cursor, &reader->strings);
    r.state = get_string(cursor, &reader->strings);
    r.len = (size_t)get_number(cursor, 4);
    r.body = get_bytes(cursor, r.len);
    if (cursor->bad || cursor->left > 0 || r.len > STORE_CHANGE_BYTES ||
        !record_follows(reader, &r))
        return damaged(err);
    reader->n_records++;
    if (reader->scan->record != NULL &&
        reader->scan->record(reader->scan->arg, &r) < 0)
        return stopped(err);
    return 0;
}

static int read_event(struct reader *reader, struct cursor *cursor,
                      struct error *err)
{
    struct store_event e = { .seq = get_count(cursor) };
    struct text *detail = &reader->strings.detail;
    const char *at;
    size_t len;

    e.rev = get_count(cursor);
    e.time_ms = (int64_t)get_number(cursor, 8);
    e.who = get_string(cursor, &reader->strings);
    e.what = get_string(cursor, &reader->strings);
    e.subject = get_string(cursor, &reader->strings);
    len = (size_t)get_number(cursor, 4);
    at = get_bytes(cursor, len);
    if (cursor->bad || cursor->left > 0 || memchr(at, 0, len) != NULL ||
        e.seq <= reader->last_seq || e.seq > reader->from.event_seq)
        return damaged(err);
    reader->last_seq = e.seq;
    reader->n_events++;
    text_clear(detail);
    text_put_bytes(detail, at, len);
    e.detail = text_string(detail);
    if (detail->failed || (reader->scan->event != NULL &&
                           reader->scan->event(reader->scan->arg, &e) < 0))
        return stopped(err);
    return 0;
}

static int read_end(struct reader *reader, struct cursor *cursor,
                    struct error *err)
{
    uint64_t n_records = get_number(cursor, 8);
    uint64_t n_events = get_number(cursor, 8);

    if (cursor->bad || cursor->left > 0 || n_records != reader->n_records ||
        n_events != reader->n_events)
        return damaged(err);
    reader->ended = true;
    return 0;
}

static int read_payload(struct reader *reader, struct cursor *payload,
                        struct error *err)
{
    uint64_t type = get_number(payload, 1);

    reader->strings.n = 0;
    if (reader->ended || (type != 'H' && reader->from.epoch == 0))
        return damaged(err);
    switch (type) {
    case 'H':
        return read_header(reader, payload, err);
    case 'R':
        return read_record(reader, payload, err);
    case 'E':
        return read_event(reader, payload, err);
    case 'Z':
        return read_end(reader, payload, err);
    default:
        return damaged(err);
    }
}

static int read_frame(struct reader *reader, struct cursor *cursor,
                      struct error *err)
{
    size_t len = (size_t)get_number(cursor, 4);
    uint32_t checksum = (uint32_t)get_number(cursor, 4);
    struct cursor payload = { .left = len };

    if (len > FRAME_BYTES_MAX)
        return damaged(err);
    payload.at = get_bytes(cursor, len);
    if (cursor->bad)
        return damaged(err);
    reader->checksum = copy_checksum(reader->checksum, payload.at, len);
    if (reader->checksum != checksum)
        return damaged(err);
    return read_payload(reader, &payload, err);
}

int copy_read(const void *bytes, size_t len, const struct scan *scan,
              struct error *err)
{
    struct cursor cursor = { .at = bytes, .left = len };
    struct reader reader = { .scan = scan };
    const char *start = get_bytes(&cursor, COPY_MAGIC_BYTES);
    int rc = 0;

    if (start == NULL || memcmp(start, copy_magic, COPY_MAGIC_BYTES - 1) != 0)
        return error_set(err, STATUS_INVALID,
                         "not an export: it does not begin with \"serried "
                         "export\"");
    if (start[COPY_MAGIC_BYTES - 1] != copy_magic[COPY_MAGIC_BYTES - 1])
        return error_set(err, STATUS_INVALID,
                         "the export has another format than 1, which this "
                         "program reads");
    while (rc == 0 && cursor.left > 0)
        rc = read_frame(&reader, &cursor, err);
    if (rc == 0 && !reader.ended)
        rc = damaged(err);
    text_close(&reader.strings.detail);
    return rc;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct counters copy_counters(const struct counters *own,
                              const struct counters *from)
{
    return (struct counters){
        .epoch = larger(own->epoch, from->epoch) + 1,
        .revision = larger(own->revision, from->revision),
        .event_seq = larger(own->event_seq, from->event_seq),
    };
}
