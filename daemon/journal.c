/* SPDX-License-Identifier: Apache-2.0 */
/* Events that change no record. */
#include "daemon/journal.h"

#include "base/log.h"
#include "store/store.h"

static void committed(void *arg, enum store_result result, struct store_pos pos)
{
    struct daemon *daemon = arg;
    struct error err;

    (void)pos;
    if (result == STORE_OK)
        return;
    store_result_error(result, &err);
    log_line(daemon_log(daemon), LOG_LEVEL_ERROR, "event lost reason=%s",
             err.text);
}

void journal(struct daemon *daemon, const char *who, const char *what,
             const char *subject, const char *detail)
{
    struct change *change = daemon_commits(daemon) ? change_new() : NULL;
    const struct store_event event = {
        .time_ms = daemon_now_ms(daemon),
        .who = who != NULL ? who : "serried",
        .what = what,
        .subject = subject,
        .detail = detail,
    };

    if (change == NULL) {
        committed(daemon, STORE_FULL, (struct store_pos){ 0, 0 });
        return;
    }
    change_event(change, &event);
    store_commit(daemon_store(daemon), change, committed, daemon);
}
