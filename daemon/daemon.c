/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's life: its parts, and how they start. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "daemon/daemon_life.h"

static const int signals[DAEMON_SIGNALS] = { SIGTERM, SIGINT, SIGHUP };

/* ---- for the parts ---------------------------------------------------------
 */

uv_loop_t *daemon_loop(struct daemon *daemon)
{
    return &daemon->loop;
}

const struct settings *daemon_settings(const struct daemon *daemon)
{
    return &daemon->settings;
}

const struct log *daemon_log(const struct daemon *daemon)
{
    return daemon->options->log;
}

struct store *daemon_store(struct daemon *daemon)
{
    return daemon->store;
}

struct asides *daemon_asides(struct daemon *daemon)
{
    return &daemon->asides;
}

bool daemon_commits(const struct daemon *daemon)
{
    return daemon->store != NULL && daemon->phase < PHASE_CLOSED;
}

struct rpc *daemon_rpc(struct daemon *daemon)
{
    return daemon->rpc;
}

struct state *daemon_state(struct daemon *daemon)
{
    return daemon->state;
}

int64_t daemon_now_ms(const struct daemon *daemon)
{
    (void)daemon;
    return clock_wall_ms();
}

void daemon_get_status(const struct daemon *daemon,
                       struct daemon_status *ret_status)
{
    struct listener_counts counts = { 0 };

    if (daemon->front != NULL)
        front_count(daemon->front, &counts);
    *ret_status = (struct daemon_status){
        .started_ms = daemon->started_ms,
        .address = daemon->front != NULL ? front_addresses(daemon->front) : "",
        .connections = counts.connections,
        .calls_in_flight = calls_waiting(daemon->calls),
        .calls = rpc_ended(daemon->rpc),
        .refused_calls = rpc_refused(daemon->rpc),
        .descriptors = daemon->options->descriptors,
        .draining = daemon->phase >= PHASE_DRAINING,
    };
}

/* ---- starting --------------------------------------------------------------
 */

static void on_watchdog(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;

    notify_send(&daemon->notify, "WATCHDOG=1");
}

/* ---- starting --------------------------------------------------------------
 */

static void serve(struct daemon *daemon)
{
    const struct front_options options = {
        .loop = &daemon->loop,
        .settings = &daemon->settings,
        .descriptors = daemon->options->descriptors,
        .log = daemon_log(daemon),
        .calls = daemon->calls,
    };
    struct error err;

    if (front_open(&options, &daemon->front, &err) < 0) {
        daemon_fail(daemon, &err);
        return;
    }
    daemon->phase = PHASE_SERVING;
    log_line(daemon_log(daemon), LOG_LEVEL_INFO,
             "ready address=%s state=%s descriptors=%" PRIu64,
             front_addresses(daemon->front), daemon->settings.state,
             daemon->options->descriptors);
    if (daemon->settings.remote)
        log_line(daemon_log(daemon), LOG_LEVEL_WARN,
                 "remote is on: what is sent over tcp is not encrypted");
    notify_send(&daemon->notify, "READY=1\nSTATUS=serving on %s",
                front_addresses(daemon->front));
}

static void on_state_ready(void *arg, const struct error *err)
{
    struct daemon *daemon = arg;

    if (daemon->phase != PHASE_STARTING)
        return;
    if (err != NULL)
        daemon_fail(daemon, err);
    else
        serve(daemon);
}

static void on_elected(void *arg, struct store_term term)
{
    struct daemon *daemon = arg;
    const char *share = daemon->settings.share;
    struct error err;

    if (daemon->phase != PHASE_STARTING)
        return;
    log_line(daemon_log(daemon), LOG_LEVEL_DEBUG,
             "elected epoch=%" PRIu64 " term=%" PRIu64, term.epoch, term.token);
    if (state_open(daemon, share[0] != '\0' ? share : NULL, on_state_ready,
                   daemon, &daemon->state, &err) < 0)
        daemon_fail(daemon, &err);
}

static void on_deposed(void *arg)
{
    struct daemon *daemon = arg;
    struct error err;

    if (daemon->phase >= PHASE_DRAINING)
        return;
    error_set(&err, STATUS_UNAVAILABLE,
              "another daemon leads on %s; this one ends",
              daemon->settings.state);
    daemon_fail(daemon, &err);
}

static void on_broken(void *arg, const char *why)
{
    struct daemon *daemon = arg;
    struct error err;

    error_set(&err, STATUS_INTERNAL, "%.64s broke: %s", daemon->settings.state,
              why);
    log_line(daemon_log(daemon), LOG_LEVEL_ERROR, "store broke why=%s", why);
    daemon_fail(daemon, &err);
}

static const struct store_candidate candidate = {
    .name = "",
    .elected = on_elected,
    .deposed = on_deposed,
};

static void on_denied(struct daemon *daemon, const char *who,
                      const char *method, const char *why)
{
    denied_add(daemon->denied, who, method, why);
}

/* Everything that is done before the loop runs. What fails leaves the rest to
 * on_store_closed(). */
static int start(struct daemon *daemon, struct error *err)
{
    const struct calls_options calls = {
        .loop = &daemon->loop,
        .daemon = daemon,
        .rpc = daemon->rpc,
        .settings = &daemon->settings,
        .log = daemon_log(daemon),
        .access = &daemon->access,
        .denied = on_denied,
        .send = front_send,
        .wanted = front_wanted,
    };
    const struct store_options store = {
        .answers_max = (size_t)daemon->settings.answers_kept,
        .events_max = (size_t)daemon->settings.events_kept,
        .broken = on_broken,
        .arg = daemon,
    };

    if (access_load(&daemon->settings, &daemon->access, err) < 0)
        return -1;
    if (daemon->settings.remote && !access_has_tokens(daemon->access))
        return error_set(err, STATUS_INVALID,
                         "remote is on, but there are no tokens to tell who "
                         "calls; set tokens to their file");
    daemon->denied = denied_new(daemon, err);
    if (daemon->denied == NULL)
        return -1;
    daemon->calls = calls_new(&calls, err);
    if (daemon->calls == NULL)
        return -1;
    if (store_open(&daemon->loop, daemon->settings.state, &store,
                   &daemon->store, err) < 0)
        return -1;
    return store_campaign(daemon->store, &candidate, daemon, err);
}

static void handles_init(struct daemon *daemon)
{
    const uint64_t watchdog_ms =
        notify_watchdog_ms(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"));

    for (size_t i = 0; i < DAEMON_SIGNALS; i++) {
        uv_signal_init(&daemon->loop, &daemon->signals[i]);
        uv_signal_start(&daemon->signals[i], daemon_on_signal, signals[i]);
        daemon->signals[i].data = daemon;
    }
    uv_timer_init(&daemon->loop, &daemon->watchdog);
    daemon->watchdog.data = daemon;
    if (watchdog_ms > 0)
        uv_timer_start(&daemon->watchdog, on_watchdog, watchdog_ms,
                       watchdog_ms);
    uv_timer_init(&daemon->loop, &daemon->drain);
    daemon->drain.data = daemon;
}

static void run(struct daemon *daemon)
{
    struct error err;

    handles_init(daemon);
    if (start(daemon, &err) < 0)
        daemon_fail(daemon, &err);
    uv_run(&daemon->loop, UV_RUN_DEFAULT);
}

int daemon_run(const struct daemon_options *options, struct error *err)
{
    struct daemon *daemon = calloc(1, sizeof(*daemon));
    struct settings settings = options->settings;
    int rc = -1;

    if (daemon == NULL) {
        settings_close(&settings);
        return error_set(err, STATUS_EXHAUSTED, "no memory to start");
    }
    daemon->options = options;
    daemon->settings = settings;
    daemon->started_ms = clock_wall_ms();
    daemon->notify.fd = -1;
    signal(SIGPIPE, SIG_IGN);
    if (uv_loop_init(&daemon->loop) != 0) {
        error_set(err, STATUS_EXHAUSTED, "no descriptors for the loop");
        goto out;
    }
    if (notify_open(&daemon->notify, getenv("NOTIFY_SOCKET"), err) < 0)
        goto close_loop;
    daemon->rpc = rpc_new(err);
    if (daemon->rpc == NULL)
        goto close_loop;
    run(daemon);
    rc = daemon->failed ? -1 : 0;
    if (daemon->failed)
        *err = daemon->failure;
close_loop:
    uv_loop_close(&daemon->loop);
out:
    access_free(daemon->access);
    rpc_free(daemon->rpc);
    notify_close(&daemon->notify);
    settings_close(&daemon->settings);
    free(daemon);
    return rc;
}
