/* SPDX-License-Identifier: Apache-2.0 */
/* The memory backend: reading and import. */
#include <string.h>

#include "store/copy.h"
#include "store/memory.h"

static int scan_all(const struct memory *memory, const struct scan *scan)
{
    if (scan->begin != NULL && scan->begin(scan->arg, &memory->counters) < 0)
        return -1;
    for (size_t i = 0; i < memory->n_records; i++)
        if (scan->record(scan->arg, &memory->records[i].record) < 0)
            return -1;
    for (size_t i = 0; scan->event != NULL && i < memory->n_events; i++)
        if (scan->event(scan->arg, &memory->events[i].event) < 0)
            return -1;
    return 0;
}

int memory_scan(void *state, enum backend_side side, const struct scan *scan,
                struct error *err)
{
    struct memory *memory = state;
    int rc;

    (void)side;
    pthread_mutex_lock(&memory->lock);
    rc = scan_all(memory, scan);
    pthread_mutex_unlock(&memory->lock);
    return rc < 0 ? error_exhausted(err) : 0;
}

int memory_history(void *state, const struct history_query *query,
                   int (*event)(void *arg, const struct store_event *),
                   void *arg, struct error *err)
{
    struct memory *memory = state;
    size_t n = 0;
    int rc = 0;

    pthread_mutex_lock(&memory->lock);
    for (size_t i = memory->n_events; rc == 0 && n < query->limit && i-- > 0;) {
        const struct store_event *e = &memory->events[i].event;

        if ((query->before != 0 && e->seq >= query->before) ||
            (query->subject != NULL && strcmp(query->subject, e->subject) != 0))
            continue;
        rc = event(arg, e);
        n++;
    }
    pthread_mutex_unlock(&memory->lock);
    return rc < 0 ? error_exhausted(err) : 0;
}

static int import_begin(void *arg, const struct counters *counters)
{
    struct memory *memory = arg;

    memory->counters = copy_counters(&memory->counters, counters);
    return 0;
}

static int import_record(void *arg, const struct store_record *record)
{
    struct memory *memory = arg;
    struct kept_record new;

    if (memory_reserve(memory, 1, 0) < 0 ||
        memory_keep_record(record, &new) < 0)
        return -1;
    memory_put_at(memory, memory->n_records, false, &new);
    return 0;
}

static int import_event(void *arg, const struct store_event *event)
{
    struct memory *memory = arg;

    if (memory_reserve(memory, 0, 1) < 0 ||
        memory_keep_event(event, &memory->events[memory->n_events]) < 0)
        return -1;
    memory->bytes += memory_event_weight(event);
    memory->n_events++;
    return 0;
}

static void empty(struct memory *memory)
{
    while (memory->n_records > 0)
        memory_remove_at(memory, memory->n_records - 1);
    memory_forget_below(memory, UINT64_MAX);
}

static int import_all(struct memory *memory, const void *bytes, size_t len,
                      struct error *err)
{
    const struct scan scan = { import_begin, import_record, import_event,
                               memory };
    struct counters before = memory->counters;

    if (memory->n_records > 0 || memory->n_events > 0)
        return error_set(err, STATUS_REFUSED,
                         "the store is not empty; import into a new one");
    if (copy_read(bytes, len, &scan, err) == 0)
        return 0;
    empty(memory);
    memory->counters = before;
    return -1;
}

int memory_import(void *state, const void *bytes, size_t len,
                  struct counters *ret_counters, struct error *err)
{
    struct memory *memory = state;
    int rc;

    pthread_mutex_lock(&memory->lock);
    rc = import_all(memory, bytes, len, err);
    *ret_counters = memory->counters;
    pthread_mutex_unlock(&memory->lock);
    return rc;
}
