/* SPDX-License-Identifier: Apache-2.0 */
/* A store that keeps nothing beyond the process: for tests and trials. */
#include "store/memory.h"

#include <stdlib.h>
#include <string.h>

/* What one record or event may take with its blocks' waste. */
enum { KEPT_BYTES_MAX = 2 * STORE_CHANGE_BYTES };

static int memory_open(const char *path, const struct store_options *options,
                       void **ret_state, struct counters *ret_counters,
                       uint64_t *ret_term, struct error *err)
{
    struct memory *memory = calloc(1, sizeof(*memory));

    (void)path;
    if (memory == NULL)
        return error_exhausted(err);
    pthread_mutex_init(&memory->lock, NULL);
    memory->counters.epoch = 1;
    memory->bytes_max = options->bytes_max;
    memory->answers_max = options->answers_max;
    memory->events_max = options->events_max;
    *ret_state = memory;
    *ret_counters = memory->counters;
    *ret_term = 1;
    return 0;
}

static void memory_close(void *state)
{
    struct memory *memory = state;

    for (size_t i = 0; i < memory->n_records; i++)
        arena_free(memory->records[i].arena);
    for (size_t i = 0; i < memory->n_events; i++)
        arena_free(memory->events[i].arena);
    free(memory->records);
    free(memory->events);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

/* ---- records ------------------------------------------------------------- */

static int compare(const struct store_record *a, const struct store_record *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return strcmp(a->id, b->id);
}

/* Where record stands or would stand. */
static size_t position(const struct memory *memory,
                       const struct store_record *record, bool *ret_there)
{
    size_t low = 0, high = memory->n_records;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(&memory->records[middle].record, record);

        if (order == 0) {
            *ret_there = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_there = false;
    return low;
}

static uint64_t weight(const struct store_record *record)
{
    return strlen(record->id) + strlen(record->state) + record->len;
}

void memory_remove_at(struct memory *memory, size_t at)
{
    struct kept_record *kept = &memory->records[at];

    memory->bytes -= weight(&kept->record);
    memory->n_answers -= kept->record.kind == STORE_ANSWER;
    arena_free(kept->arena);
    memory->n_records--;
    memmove(kept, kept + 1, (memory->n_records - at) * sizeof(*kept));
}

/* Room is there already. */
void memory_put_at(struct memory *memory, size_t at, bool there,
                   const struct kept_record *new)
{
    struct kept_record *slot;

    if (there)
        memory_remove_at(memory, at);
    slot = &memory->records[at];
    memmove(slot + 1, slot, (memory->n_records - at) * sizeof(*slot));
    *slot = *new;
    memory->n_records++;
    memory->bytes += weight(&new->record);
    memory->n_answers += new->record.kind == STORE_ANSWER;
}

int memory_keep_record(const struct store_record *record,
                       struct kept_record *ret)
{
    ret->arena = arena_new(KEPT_BYTES_MAX);
    if (ret->arena != NULL &&
        record_copy(ret->arena, record, &ret->record) == 0)
        return 0;
    arena_free(ret->arena);
    return -1;
}

int memory_keep_event(const struct store_event *event, struct kept_event *ret)
{
    ret->arena = arena_new(KEPT_BYTES_MAX);
    if (ret->arena != NULL && event_copy(ret->arena, event, &ret->event) == 0)
        return 0;
    arena_free(ret->arena);
    return -1;
}

int memory_reserve(struct memory *memory, size_t n_records, size_t n_events)
{
    void *records = memory->records, *events = memory->events;

    while (memory->n_records + n_records > memory->cap_records) {
        records = grow(records, memory->cap_records, &memory->cap_records,
                       sizeof(*memory->records));
        if (records == NULL)
            return -1;
        memory->records = records;
    }
    while (memory->n_events + n_events > memory->cap_events) {
        events = grow(events, memory->cap_events, &memory->cap_events,
                      sizeof(*memory->events));
        if (events == NULL)
            return -1;
        memory->events = events;
    }
    return 0;
}

/* ---- committing ---------------------------------------------------------- */

uint64_t memory_event_weight(const struct store_event *event)
{
    return strlen(event->who) + strlen(event->what) + strlen(event->subject) +
           strlen(event->detail);
}

/* Whether each record is at the revision that was seen, and all fits in. */
static enum store_result judge(const struct memory *memory,
                               const struct change *change)
{
    uint64_t more = 0, less = 0;

    for (size_t i = 0; i < change->n_own; i++) {
        const struct store_record *record = &change->records[i];
        bool there;
        size_t at = position(memory, record, &there);
        uint64_t rev = there ? memory->records[at].record.rev : 0;

        if (rev != change->items[i].seen || (rev == 0 && record->gone))
            return STORE_CONFLICT;
        less += there ? weight(&memory->records[at].record) : 0;
        more += record->gone ? 0 : weight(record);
    }
    for (size_t i = 0; i < change->n_events; i++)
        more += memory_event_weight(&change->events[i]);
    if (memory->bytes_max != 0 && more > less &&
        memory->bytes - less + more > memory->bytes_max)
        return STORE_FULL;
    return STORE_OK;
}

/* The answer with the lowest rev, then id. */
static size_t oldest_answer(const struct memory *memory)
{
    size_t oldest = memory->n_records;

    for (size_t i = 0; i < memory->n_records; i++)
        if (memory->records[i].record.kind == STORE_ANSWER &&
            (oldest == memory->n_records ||
             memory->records[i].record.rev <
                 memory->records[oldest].record.rev))
            oldest = i;
    return oldest;
}

void memory_forget_below(struct memory *memory, uint64_t seq)
{
    size_t n = 0;

    while (n < memory->n_events && memory->events[n].event.seq < seq) {
        memory->bytes -= memory_event_weight(&memory->events[n].event);
        arena_free(memory->events[n++].arena);
    }
    memory->n_events -= n;
    if (n > 0)
        memmove(memory->events, memory->events + n,
                memory->n_events * sizeof(*memory->events));
}

static void trim_events(struct memory *memory)
{
    if (memory->counters.event_seq > memory->events_max)
        memory_forget_below(memory, memory->counters.event_seq -
                                        memory->events_max + 1);
}

static int displace_answers(struct memory *memory, struct change *change)
{
    while (memory->n_answers > memory->answers_max &&
           change_may_displace(change)) {
        size_t at = oldest_answer(memory);

        if (change_displace(change, memory->records[at].record.id,
                            change->pos.rev) < 0)
            return -1;
        memory_remove_at(memory, at);
    }
    return 0;
}

/* Copies of everything that is put, made before anything is changed. */
struct prepared {
    struct kept_record records[STORE_CHANGE_RECORDS + 1];
    struct kept_event events[STORE_CHANGE_EVENTS];
    size_t n_records, n_events;
};

static void prepared_free(struct prepared *prepared)
{
    for (size_t i = 0; i < prepared->n_records; i++)
        arena_free(prepared->records[i].arena);
    for (size_t i = 0; i < prepared->n_events; i++)
        arena_free(prepared->events[i].arena);
}

static int prepare(const struct change *change, struct prepared *prepared)
{
    while (prepared->n_records < change->n_own) {
        size_t i = prepared->n_records;

        if (memory_keep_record(&change->records[i], &prepared->records[i]) < 0)
            return -1;
        prepared->n_records++;
    }
    while (prepared->n_events < change->n_events) {
        size_t i = prepared->n_events;

        if (memory_keep_event(&change->events[i], &prepared->events[i]) < 0)
            return -1;
        prepared->n_events++;
    }
    return 0;
}

/* Cannot fail any more but for what is told of displaced answers. */
static int apply(struct memory *memory, struct change *change,
                 const struct prepared *prepared)
{
    for (size_t i = 0; i < prepared->n_records; i++) {
        const struct kept_record *new = &prepared->records[i];
        bool there;
        size_t at = position(memory, &new->record, &there);

        if (!new->record.gone) {
            memory_put_at(memory, at, there, new);
            continue;
        }
        memory_remove_at(memory, at);
        arena_free(new->arena);
    }
    for (size_t i = 0; i < prepared->n_events; i++) {
        memory->bytes += memory_event_weight(&prepared->events[i].event);
        memory->events[memory->n_events++] = prepared->events[i];
    }
    trim_events(memory);
    return displace_answers(memory, change);
}

static enum store_result commit_one(struct memory *memory,
                                    struct change *change)
{
    enum store_result result = judge(memory, change);
    struct counters next = memory->counters;
    struct prepared *prepared;

    change->pos = (struct store_pos){ next.epoch, next.revision };
    if (result != STORE_OK)
        return result;
    prepared = calloc(1, sizeof(*prepared));
    if (prepared == NULL)
        return STORE_FULL;
    change_stamp(change, &next);
    if (prepare(change, prepared) < 0 ||
        memory_reserve(memory, change->n_own, change->n_events) < 0) {
        prepared_free(prepared);
        free(prepared);
        return STORE_FULL;
    }
    memory->counters = next;
    if (apply(memory, change, prepared) < 0)
        result = STORE_BROKEN;
    free(prepared);
    return result;
}

static void memory_commit(void *state, struct change *const *changes, size_t n)
{
    struct memory *memory = state;

    pthread_mutex_lock(&memory->lock);
    for (size_t i = 0; i < n; i++) {
        struct change *change = changes[i];

        change->result = commit_one(memory, change);
        if (change->result == STORE_FULL || change->result == STORE_BROKEN)
            error_set(&change->trouble, STATUS_EXHAUSTED,
                      "memory: the quota is used up or memory ran out");
    }
    pthread_mutex_unlock(&memory->lock);
}

static enum store_result memory_forget(void *state, uint64_t before,
                                       struct error *err)
{
    struct memory *memory = state;

    (void)err;
    pthread_mutex_lock(&memory->lock);
    memory_forget_below(memory, before);
    pthread_mutex_unlock(&memory->lock);
    return STORE_OK;
}

const struct backend backend_memory = {
    .scheme = "memory",
    .open = memory_open,
    .close = memory_close,
    .commit = memory_commit,
    .forget = memory_forget,
    .import = memory_import,
    .scan = memory_scan,
    .history = memory_history,
};
