/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that access refuses: all are told, and no flood fills the journal. */
#include "daemon/denied.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "daemon/journal.h"

/* Calls that one event will stand for. Texts that do not fit are cut, and
 * calls that differ behind the cut are one kind. */
struct row {
    char who[64], method[96], why[256];
    uint64_t count;
};

struct denied {
    struct daemon *daemon;
    uv_timer_t timer; /* runs to the end of the window */
    struct log_limit lines;
    uint32_t at_once; /* events of this window */
    struct row rows[DENIED_ROWS_MAX];
    size_t n;
    uint64_t others; /* calls of kinds that found no row */
};

static const char event[] = "call refused";

static void tell(struct denied *denied, const char *who, const char *method,
                 const char *why, uint64_t count)
{
    struct text detail = { 0 };

    text_printf(&detail, "%s (%" PRIu64 " %s)", why, count,
                count == 1 ? "call" : "calls");
    journal(denied->daemon, who, event, method, text_string(&detail));
    text_close(&detail);
}

void denied_tell(struct denied *denied)
{
    if (denied == NULL)
        return;
    uv_timer_stop(&denied->timer);
    for (size_t i = 0; i < denied->n; i++) {
        const struct row *row = &denied->rows[i];

        tell(denied, row->who, row->method, row->why, row->count);
    }
    if (denied->others > 0)
        tell(denied, "others", "", "more callers and methods than are told",
             denied->others);
    denied->n = 0;
    denied->others = 0;
    denied->at_once = 0;
}

static void on_window(uv_timer_t *timer)
{
    denied_tell(timer->data);
}

/* ---- counting ------------------------------------------------------------ */

static void cut(char *to, size_t size, const char *text, size_t len)
{
    if (len >= size)
        len = size - 1;
    memcpy(to, text, len);
    to[len] = '\0';
}

/* How much of a caller's name stays the same when it connects anew: all but
 * "pid N" of a user, all but the port of an address. */
static size_t lasting(const char *who)
{
    const char *end = strstr(who, " pid ");

    if (end == NULL && strncmp(who, "token ", strlen("token ")) != 0)
        end = strrchr(who, ':');
    return end != NULL ? (size_t)(end - who) : strlen(who);
}

static void count(struct denied *denied, const char *who, const char *method,
                  const char *why)
{
    struct row row = { .count = 1 };

    cut(row.who, sizeof(row.who), who, lasting(who));
    cut(row.method, sizeof(row.method), method, strlen(method));
    cut(row.why, sizeof(row.why), why, strlen(why));
    for (size_t i = 0; i < denied->n; i++) {
        struct row *other = &denied->rows[i];

        if (strcmp(row.who, other->who) != 0 ||
            strcmp(row.method, other->method) != 0 ||
            strcmp(row.why, other->why) != 0)
            continue;
        other->count++;
        return;
    }
    if (denied->n < DENIED_ROWS_MAX)
        denied->rows[denied->n++] = row;
    else
        denied->others++;
}

void denied_add(struct denied *denied, const char *who, const char *method,
                const char *why)
{
    uv_loop_t *loop = daemon_loop(denied->daemon);

    log_limited(daemon_log(denied->daemon), &denied->lines,
                (int64_t)uv_now(loop), LOG_LEVEL_WARN,
                "%s who=%s method=%s why=%s", event, who, method, why);
    if (!uv_is_active((const uv_handle_t *)&denied->timer))
        uv_timer_start(&denied->timer, on_window, DENIED_WINDOW_MS, 0);
    if (denied->at_once < DENIED_AT_ONCE_MAX) {
        denied->at_once++;
        journal(denied->daemon, who, event, method, why);
        return;
    }
    count(denied, who, method, why);
}

/* ---- its life ------------------------------------------------------------ */

struct denied *denied_new(struct daemon *daemon, struct error *err)
{
    struct denied *denied = calloc(1, sizeof(*denied));

    if (denied == NULL) {
        error_exhausted(err);
        return NULL;
    }
    denied->daemon = daemon;
    uv_timer_init(daemon_loop(daemon), &denied->timer);
    denied->timer.data = denied;
    return denied;
}

static void on_close(uv_handle_t *handle)
{
    free(handle->data);
}

void denied_close(struct denied *denied)
{
    if (denied != NULL)
        uv_close((uv_handle_t *)&denied->timer, on_close);
}
