/* SPDX-License-Identifier: Apache-2.0 */
/* Workers whose calls were refused. */
#include "daemon/boot_refused.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/boot_table.h"
#include "daemon/journal.h"

/* What a refusal is a sign of, by how its sentence begins, else by its status.
 * Those that are no fault of a worker are not kept. */
static bool trouble_of(const struct error *why, enum trouble *ret)
{
    static const struct {
        const char *prefix;
        enum trouble trouble;
    } rows[] = {
        { "DIGEST_DIFFERS", TROUBLE_DIGEST },
        { "STALE_GENERATION", TROUBLE_STALE_GENERATION },
        { "STALE_INCARNATION", TROUBLE_STALE_INCARNATION },
        { "WRONG_MACHINE", TROUBLE_WRONG_MACHINE },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strncmp(why->text, rows[i].prefix, strlen(rows[i].prefix)) == 0) {
            *ret = rows[i].trouble;
            return true;
        }
    if (strncmp(why->text, "NOT_JOINED", strlen("NOT_JOINED")) == 0)
        return false; /* it joins again by itself */
    *ret = why->status == STATUS_UNKNOWN_NAME ? TROUBLE_NO_SUCH_RANK
                                              : TROUBLE_REFUSED;
    return why->status == STATUS_UNKNOWN_NAME ||
           why->status == STATUS_INVALID || why->status == STATUS_REFUSED;
}

/* ---- logs ---------------------------------------------------------------- */

static bool is_of(const struct refused_log *log, const struct live *live)
{
    return log->generation.epoch == live->generation.epoch &&
           log->generation.rev == live->generation.rev;
}

const struct refused_log *refused_find(const struct refused_logs *logs,
                                       const struct live *live)
{
    const struct refused_log *log = index_find(&logs->index, live->name);

    return log != NULL && is_of(log, live) ? log : NULL;
}

static void drop_item(struct refused_log *log, size_t i)
{
    free(log->items[i].text);
    free(log->items[i].who);
    log->items[i] = log->items[--log->n];
}

static void drop_log(struct refused_logs *logs, struct refused_log *log)
{
    struct refused_log **link = &logs->first;

    while (*link != log)
        link = &(*link)->next;
    *link = log->next;
    index_remove(&logs->index, log);
    while (log->n > 0)
        drop_item(log, 0);
    free((char *)log->name);
    free(log);
}

/* The log of the generation in force, made when there is none. */
static struct refused_log *log_of(struct refused_logs *logs,
                                  const struct live *live)
{
    struct refused_log *log = index_find(&logs->index, live->name);

    if (log != NULL && is_of(log, live))
        return log;
    if (log != NULL)
        drop_log(logs, log);
    log = calloc(1, sizeof(*log));
    if (log == NULL)
        return NULL;
    log->generation = live->generation;
    log->name = strdup(live->name);
    if (log->name == NULL || index_add(&logs->index, log) < 0) {
        free((char *)log->name);
        free(log);
        return NULL;
    }
    log->next = logs->first;
    logs->first = log;
    return log;
}

/* ---- keeping ------------------------------------------------------------- */

/* Room for another item: that of the oldest where all is taken. */
static struct refused *item_new(struct refused_log *log)
{
    size_t oldest = 0;

    if (log->n == BOOT_REFUSED_MAX) {
        for (size_t i = 1; i < log->n; i++)
            if (log->items[i].last_ms < log->items[oldest].last_ms)
                oldest = i;
        drop_item(log, oldest);
    }
    log->items[log->n] = (struct refused){ .rank = -1 };
    return &log->items[log->n++];
}

static struct refused *item_of(struct refused_log *log, enum trouble trouble,
                               int64_t rank, bool *ret_fresh)
{
    struct refused *item;

    for (size_t i = 0; i < log->n; i++)
        if (log->items[i].trouble == trouble && log->items[i].rank == rank) {
            *ret_fresh = false;
            return &log->items[i];
        }
    item = item_new(log);
    item->trouble = trouble;
    item->rank = rank;
    *ret_fresh = true;
    return item;
}

static void keep_text(char **to, const char *text)
{
    char *copy = strdup(text);

    if (copy == NULL)
        return; /* what was kept before does */
    free(*to);
    *to = copy;
}

/* Whether it is an event: not of workers that are only old ones. */
static bool is_told(enum trouble trouble)
{
    return trouble_rows[trouble].weight == TROUBLE_ERROR_WEIGHT ||
           trouble == TROUBLE_NO_SUCH_RANK;
}

void boots_refused(struct boots *boots, const struct live *live,
                   struct call *call, int64_t rank, const struct error *why,
                   bool more)
{
    int64_t now_ms = daemon_now_ms(boots->daemon);
    struct refused_log *log;
    struct refused *item;
    enum trouble trouble;
    bool fresh;

    if (!trouble_of(why, &trouble))
        return;
    log = log_of(&boots->refused, live);
    if (log == NULL)
        return;
    item = item_of(log, trouble, rank, &fresh);
    keep_text(&item->text, why->text);
    keep_text(&item->who, call_who(call));
    item->count += item->unfinished ? 0 : 1;
    item->unfinished = more;
    item->last_ms = now_ms;
    if (fresh)
        item->first_ms = now_ms;
    if (more || item->told)
        return;
    item->told = true;
    if (is_told(trouble) && log->n_told++ < BOOT_REFUSED_TOLD_MAX)
        journal(boots->daemon, call_who(call), "worker refused", live->name,
                why->text);
}

void refused_forget(struct refused_logs *logs, const struct live *live,
                    uint32_t rank)
{
    struct refused_log *log = index_find(&logs->index, live->name);

    if (log == NULL || !is_of(log, live))
        return;
    for (size_t i = log->n; i-- > 0;)
        if (log->items[i].rank == rank &&
            trouble_rows[log->items[i].trouble].weight == TROUBLE_ERROR_WEIGHT)
            drop_item(log, i);
}

/* ---- following ----------------------------------------------------------- */

void refused_follow(struct refused_logs *logs, struct state *state)
{
    struct refused_log *next;

    for (struct refused_log *log = logs->first; log != NULL; log = next) {
        const struct live *live = state_live(state, log->name, NULL);

        next = log->next;
        if (live == NULL || !is_of(log, live))
            drop_log(logs, log);
    }
}

void refused_clear(struct refused_logs *logs)
{
    while (logs->first != NULL)
        drop_log(logs, logs->first);
}
