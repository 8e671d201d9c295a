/* SPDX-License-Identifier: Apache-2.0 */
/* Looks now and then whether what must always hold does. */
#include "daemon/audit.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/audit_ports.h"
#include "daemon/bound.h"
#include "daemon/daemon.h"
#include "daemon/journal.h"

enum { FAULTS_MAX = 16 }; /* told of by one look */

struct audit {
    struct daemon *daemon;
    struct state *state;
    uv_timer_t timer;
    struct text told; /* the faults that there is an event of */
};

/* One look. */
struct look {
    struct audit *audit;
    const struct topology *topology;
    const struct live **holders; /* by device */
    const struct live *live;     /* that is looked at */
    struct text faults;
    uint32_t n_faults;
    const char *first; /* placement of the first fault */
};

static void tell(void *arg, const struct live *live, const char *what)
{
    struct look *look = arg;

    if (look->n_faults >= FAULTS_MAX)
        return;
    log_line(daemon_log(look->audit->daemon), LOG_LEVEL_ERROR,
             "invariant broken placement=%s reason=%s", live->name, what);
    text_printf(&look->faults, "%s%s: %s", look->n_faults > 0 ? "; " : "",
                live->name, what);
    if (look->n_faults++ == 0)
        look->first = live->name;
}

static void complain(struct look *look, const struct inventory_host *host,
                     uint32_t index, const char *what, const char *other)
{
    struct text text = { 0 };

    text_printf(&text, "device %u of %s %s%s", index, host->name, what, other);
    tell(look, look->live, text_string(&text));
    text_close(&text);
}

static bool look_at_run(const struct device_run *run, void *arg)
{
    struct look *look = arg;

    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t index = run->first + k * run->stride;
        uint32_t device = inventory_device(look->topology, run->host, index);
        const struct live *other;

        if (device == DEVICE_NONE) {
            complain(look, run->host, index, "is not declared", "");
            continue;
        }
        other = look->holders[device];
        if (other == look->live)
            complain(look, run->host, index, "has two of its ranks", "");
        else if (other != NULL &&
                 !(other->bound->shared && look->live->bound->shared))
            complain(look, run->host, index, "is held too by ", other->name);
        look->holders[device] = look->live;
    }
    return look->n_faults < FAULTS_MAX;
}

/* A world that was renumbered has no gaps, and its listed numbers rise. */
static void look_at_numbers(void *thing, void *arg)
{
    const struct live *live = thing;
    const struct deployment *dep = live->deployment;
    bool rises = true;

    if (dep == NULL || dep->listed == NULL || live->check == NULL)
        return;
    for (uint32_t i = 1; i < dep->n_listed; i++)
        rises = rises && dep->listed[i - 1] < dep->listed[i];
    if (!rises || dep->n_listed != live->common.n_ranks ||
        live->common.bound != live->common.n_ranks)
        tell(arg, live, "its ranks are not renumbered one by one");
}

static void look_at_live(void *thing, void *arg)
{
    struct look *look = arg;

    look->live = thing;
    if (look->live->bound != NULL && look->n_faults < FAULTS_MAX)
        bound_walk(look->live->bound, look_at_run, look);
}

static void is_bound(void *thing, void *arg)
{
    const struct live *live = thing;

    *(bool *)arg |= live->bound != NULL;
}

static void look_at_devices(struct look *look)
{
    struct state *state = look->audit->state;
    struct error err;
    bool any = false;

    state_live_walk(state, is_bound, &any);
    if (!any)
        return;
    look->topology = inventory_topology(state_inventory(state), &err);
    if (look->topology == NULL)
        return; /* which was logged */
    look->holders =
        calloc(look->topology->n_devices + 1, sizeof(*look->holders));
    if (look->holders == NULL)
        return;
    state_live_walk(state, look_at_live, look);
    free(look->holders);
}

void audit_run(struct audit *audit)
{
    struct look look = { .audit = audit };

    look_at_devices(&look);
    audit_ports(audit->state, tell, &look);
    state_live_walk(audit->state, look_at_numbers, &look);
    if (look.n_faults > 0 &&
        strcmp(text_string(&look.faults), text_string(&audit->told)) != 0)
        journal(audit->daemon, NULL, "invariant broken", look.first,
                text_string(&look.faults));
    text_close(&audit->told);
    audit->told = look.faults;
}

const char *audit_faults(const struct audit *audit)
{
    return text_string(&audit->told);
}

static void on_timer(uv_timer_t *timer)
{
    struct audit *audit = timer->data;
    const struct settings *settings = daemon_settings(audit->daemon);

    audit_run(audit);
    port_tidy(audit->daemon);
    uv_timer_start(timer, on_timer, (uint64_t)settings->audit_ms, 0);
}

struct audit *audit_new(struct daemon *daemon, struct state *state,
                        struct error *err)
{
    struct audit *audit = calloc(1, sizeof(*audit));

    if (audit == NULL) {
        error_exhausted(err);
        return NULL;
    }
    audit->daemon = daemon;
    audit->state = state;
    uv_timer_init(daemon_loop(daemon), &audit->timer);
    audit->timer.data = audit;
    uv_timer_start(&audit->timer, on_timer,
                   (uint64_t)daemon_settings(daemon)->audit_ms, 0);
    return audit;
}

static void on_close(uv_handle_t *handle)
{
    struct audit *audit = handle->data;

    text_close(&audit->told);
    free(audit);
}

void audit_close(struct audit *audit)
{
    if (audit != NULL)
        uv_close((uv_handle_t *)&audit->timer, on_close);
}
