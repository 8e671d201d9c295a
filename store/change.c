/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting a change, within its bounds. */
#include "store/change.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of a change, what the arena's blocks waste (at most half), and an
 * id displaced for each record. */
enum { ARENA_BYTES = 3 * STORE_CHANGE_BYTES };

struct change *change_new(void)
{
    struct change *change = calloc(1, sizeof(*change));

    if (change == NULL)
        return NULL;
    change->arena = arena_new(ARENA_BYTES);
    if (change->arena == NULL) {
        free(change);
        return NULL;
    }
    return change;
}

void change_free(struct change *change)
{
    if (change == NULL)
        return;
    arena_free(change->arena);
    free(change->records);
    free(change->items);
    free(change->events);
    free(change);
}

void *grow(void *items, size_t n, size_t *cap, size_t size)
{
    size_t want = *cap != 0 ? *cap * 2 : 4;
    void *more;

    if (n < *cap)
        return items;
    more = realloc(items, want * size);
    if (more != NULL)
        *cap = want;
    return more;
}

static const char *or_empty(const char *string)
{
    return string != NULL ? string : "";
}

int record_copy(struct arena *arena, const struct store_record *from,
                struct store_record *ret)
{
    struct store_record copy = *from;
    char *body = arena_room(arena, from->len);

    copy.id = arena_strdup(arena, from->id);
    copy.state = arena_strdup(arena, or_empty(from->state));
    copy.body = body;
    if (copy.id == NULL || copy.state == NULL || body == NULL)
        return -1;
    if (from->len > 0)
        memcpy(body, from->body, from->len);
    *ret = copy;
    return 0;
}

int event_copy(struct arena *arena, const struct store_event *from,
               struct store_event *ret)
{
    struct store_event copy = *from;

    copy.who = arena_strdup(arena, or_empty(from->who));
    copy.what = arena_strdup(arena, or_empty(from->what));
    copy.subject = arena_strdup(arena, or_empty(from->subject));
    copy.detail = arena_strdup(arena, or_empty(from->detail));
    if (copy.who == NULL || copy.what == NULL || copy.subject == NULL ||
        copy.detail == NULL)
        return -1;
    *ret = copy;
    return 0;
}

/* The first thing that is wrong with a change decides how it ends. */
static void latch(struct change *change, enum store_result result)
{
    if (change->result == STORE_OK)
        change->result = result;
}

/* Takes bytes from what is left; false: too many. */
static bool take_bytes(struct change *change, size_t bytes)
{
    if (bytes > STORE_CHANGE_BYTES - change->bytes) {
        latch(change, STORE_TOO_BIG);
        return false;
    }
    change->bytes += bytes;
    return true;
}

/* Length of a name, counted in *ret_bytes; false: over the bound. */
static bool measure_name(const char *name, size_t *ret_bytes)
{
    size_t len = strnlen(or_empty(name), STORE_NAME_BYTES + 1);

    *ret_bytes += len;
    return len <= STORE_NAME_BYTES;
}

static bool is_named(const struct change *change, enum store_kind kind,
                     const char *id)
{
    for (size_t i = 0; i < change->n_own; i++)
        if (change->records[i].kind == kind &&
            strcmp(change->records[i].id, id) == 0)
            return true;
    return false;
}

/* The answer to a write is no part of what the caller counts. */
static bool has_room(const struct change *change, enum store_kind kind)
{
    return change->n_own < STORE_CHANGE_RECORDS ||
           (change->n_own == STORE_CHANGE_RECORDS && kind == STORE_ANSWER);
}

static bool fits(struct change *change, const struct store_record *record)
{
    size_t bytes = 0;

    if (!measure_name(record->id, &bytes) || bytes == 0 ||
        !measure_name(record->state, &bytes) ||
        record->len > STORE_CHANGE_BYTES || !has_room(change, record->kind)) {
        latch(change, STORE_TOO_BIG);
        return false;
    }
    return take_bytes(change, bytes + record->len);
}

static int reserve_record(struct change *change)
{
    size_t cap = change->cap_records;
    void *items, *records;

    records = grow(change->records, change->n_records, &cap,
                   sizeof(*change->records));
    if (records == NULL)
        return -1;
    change->records = records;
    cap = change->cap_records;
    items =
        grow(change->items, change->n_records, &cap, sizeof(*change->items));
    if (items == NULL)
        return -1;
    change->items = items;
    change->cap_records = cap;
    return 0;
}

static void add_record(struct change *change, const struct store_record *record,
                       uint64_t seen)
{
    struct change_item *item;

    if (change->result != STORE_OK || !fits(change, record))
        return;
    if (is_named(change, record->kind, record->id)) {
        latch(change, STORE_CONFLICT);
        return;
    }
    if (reserve_record(change) < 0 ||
        record_copy(change->arena, record, &change->records[change->n_own]) <
            0) {
        latch(change, STORE_FULL);
        return;
    }
    item = &change->items[change->n_own];
    item->seen = seen;
    item->own_generation = record->generation_rev == STORE_OWN_GENERATION;
    change->n_records = ++change->n_own;
}

void change_put(struct change *change, const struct store_record *record,
                uint64_t seen)
{
    struct store_record copy = *record;

    copy.gone = false;
    add_record(change, &copy, seen);
}

void change_remove(struct change *change, enum store_kind kind, const char *id,
                   uint64_t seen)
{
    const struct store_record record = { .kind = kind, .id = id, .gone = true };

    add_record(change, &record, seen);
}

void change_event(struct change *change, const struct store_event *event)
{
    size_t bytes = strlen(or_empty(event->detail));
    void *events;

    if (change->result != STORE_OK)
        return;
    if (!measure_name(event->who, &bytes) ||
        !measure_name(event->what, &bytes) ||
        !measure_name(event->subject, &bytes) ||
        change->n_events == STORE_CHANGE_EVENTS) {
        latch(change, STORE_TOO_BIG);
        return;
    }
    if (!take_bytes(change, bytes))
        return;
    events = grow(change->events, change->n_events, &change->cap_events,
                  sizeof(*change->events));
    if (events != NULL)
        change->events = events;
    if (events == NULL ||
        event_copy(change->arena, event, &change->events[change->n_events]) < 0)
        latch(change, STORE_FULL);
    else
        change->n_events++;
}

void change_stamp(struct change *change, struct counters *counters)
{
    counters->revision++;
    change->pos = (struct store_pos){ counters->epoch, counters->revision };
    for (size_t i = 0; i < change->n_own; i++) {
        struct store_record *record = &change->records[i];

        record->rev = counters->revision;
        if (!change->items[i].own_generation)
            continue;
        record->generation_epoch = counters->epoch;
        record->generation_rev = counters->revision;
    }
    for (size_t i = 0; i < change->n_events; i++) {
        change->events[i].seq = ++counters->event_seq;
        change->events[i].rev = counters->revision;
    }
}

int change_displace(struct change *change, const char *id, uint64_t rev)
{
    const struct store_record gone = {
        .kind = STORE_ANSWER, .id = id, .rev = rev, .gone = true
    };

    if (reserve_record(change) < 0 ||
        record_copy(change->arena, &gone, &change->records[change->n_records]) <
            0)
        return -1;
    change->n_records++;
    return 0;
}

void change_rewind(struct change *change)
{
    change->n_records = change->n_own;
}
