/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's end, and what signals do. */
#include <signal.h>
#include <unistd.h>

#include "daemon/daemon_life.h"

/* How often draining looks whether it is done. */
enum { DRAIN_TICK_MS = 10 };

/* ---- stopping --------------------------------------------------------------
 */

static void close_handle(void *handle)
{
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

/* The last callback of the last part: the loop runs empty after it. */
static void on_asides_closed(void *arg)
{
    struct daemon *daemon = arg;
    const uint32_t left =
        daemon->calls != NULL ? calls_in_progress(daemon->calls) : 0;

    if (left > 0)
        log_line(daemon_log(daemon), LOG_LEVEL_ERROR,
                 "calls forgotten by their handlers calls=%u", left);
    state_close(daemon->state);
    daemon->state = NULL;
    calls_close(daemon->calls);
    daemon->calls = NULL;
    for (size_t i = 0; i < DAEMON_SIGNALS; i++)
        close_handle(&daemon->signals[i]);
    denied_close(daemon->denied);
    daemon->denied = NULL;
    close_handle(&daemon->watchdog);
    close_handle(&daemon->drain);
}

/* What other threads work on is a part of the state. */
static void on_store_closed(void *arg)
{
    struct daemon *daemon = arg;

    daemon->store = NULL;
    asides_close(&daemon->asides, on_asides_closed, daemon);
}

static void on_front_closed(void *arg)
{
    struct daemon *daemon = arg;

    daemon->front = NULL;
    denied_tell(daemon->denied);
    daemon->phase = PHASE_CLOSED;
    uv_timer_stop(&daemon->drain);
    if (daemon->store != NULL)
        store_close(daemon->store, on_store_closed, daemon);
    else
        on_store_closed(daemon);
}

static void close_front(struct daemon *daemon)
{
    daemon->phase = PHASE_CLOSING;
    front_drain(daemon->front, on_front_closed, daemon);
}

static void cut_short(struct daemon *daemon)
{
    log_line(daemon_log(daemon), LOG_LEVEL_WARN,
             "stopping takes too long, calls are cut calls=%u",
             calls_waiting(daemon->calls));
    daemon->cut = true;
    calls_cut(daemon->calls);
    if (daemon->phase == PHASE_DRAINING)
        close_front(daemon);
    front_cut(daemon->front);
}

static void on_drain(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;

    if (daemon->phase == PHASE_DRAINING && calls_waiting(daemon->calls) == 0)
        close_front(daemon);
    if (!daemon->cut && uv_now(&daemon->loop) >= daemon->drain_until)
        cut_short(daemon);
}

void daemon_stop(struct daemon *daemon)
{
    if (daemon->phase >= PHASE_DRAINING)
        return;
    daemon->phase = PHASE_DRAINING;
    notify_send(&daemon->notify, "STOPPING=1\nSTATUS=stopping");
    if (daemon->front == NULL) {
        on_front_closed(daemon);
        return;
    }
    daemon->drain_until =
        uv_now(&daemon->loop) + (uint64_t)daemon->settings.drain_ms;
    calls_drain(daemon->calls);
    uv_timer_start(&daemon->drain, on_drain, 0, DRAIN_TICK_MS);
}

void daemon_fail(struct daemon *daemon, const struct error *err)
{
    if (!daemon->failed) {
        daemon->failed = true;
        daemon->failure = *err;
    }
    daemon_stop(daemon);
}

/* ---- signals ---------------------------------------------------------------
 */

static void on_reloaded(void *arg, const char *name, bool taken)
{
    struct daemon *daemon = arg;

    if (taken)
        log_line(daemon_log(daemon), LOG_LEVEL_INFO, "setting changed name=%s",
                 name);
    else
        log_line(daemon_log(daemon), LOG_LEVEL_WARN,
                 "setting differs, it changes with the next start name=%s",
                 name);
}

/* Takes new tokens over, or keeps the old ones. */
static void reload_access(struct daemon *daemon)
{
    struct access *fresh;
    struct error err;

    if (access_load(&daemon->settings, &fresh, &err) < 0) {
        log_line(daemon_log(daemon), LOG_LEVEL_ERROR,
                 "tokens not reloaded, the old ones stay why=%s", err.text);
        return;
    }
    access_free(daemon->access);
    daemon->access = fresh;
}

static void reload(struct daemon *daemon)
{
    const struct daemon_options *options = daemon->options;
    struct settings fresh = { 0 };
    struct error err;

    notify_reloading(&daemon->notify);
    if (settings_load(&fresh, options->flags, options->environment,
                      options->root, &err) < 0) {
        log_line(options->log, LOG_LEVEL_ERROR,
                 "settings not reloaded, the old ones stay why=%s", err.text);
    } else {
        settings_reload(&daemon->settings, &fresh, on_reloaded, daemon);
        settings_close(&fresh);
        options->log->level = (enum log_level)daemon->settings.log_level;
        calls_trim(daemon->calls);
        reload_access(daemon);
        log_line(options->log, LOG_LEVEL_INFO, "settings reloaded");
    }
    if (daemon->phase == PHASE_SERVING)
        notify_send(&daemon->notify, "READY=1");
}

void daemon_on_signal(uv_signal_t *handle, int signal)
{
    struct daemon *daemon = handle->data;

    if (signal == SIGHUP) {
        if (daemon->phase <= PHASE_SERVING)
            reload(daemon);
        return;
    }
    log_line(daemon_log(daemon), LOG_LEVEL_INFO, "told to stop signal=%s",
             signal == SIGINT ? "SIGINT" : "SIGTERM");
    if (daemon->phase >= PHASE_DRAINING) {
        log_line(daemon_log(daemon), LOG_LEVEL_WARN,
                 "told to stop twice, ending at once");
        _exit(1);
    }
    daemon_stop(daemon);
}
