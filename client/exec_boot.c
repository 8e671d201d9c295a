/* SPDX-License-Identifier: Apache-2.0 */
/* The boot of a worker, up to the moment when all are there. */
#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "base/pause.h"
#include "client/exec.h"

enum {
    START_MS = 10000, /* a daemon may start at the same time */
    AGAIN_MS = 500,   /* and about so long between looks for it */
    PARK_MS = 30000,  /* one Await */
    SHORT_MS = 1000,  /* with less time left the daemon is not to wait: it may
                         be late by 250 ms */
    LEAST_MS = 50,    /* with less there is no other call */
    MISSING_SHOWN = 8,
    HOSTS_SHOWN = 4,
};

static int64_t left_ms(int64_t until_ms)
{
    int64_t left = until_ms - clock_monotonic_us() / 1000;

    return left > 0 ? left : 0;
}

static uint32_t at_most(int64_t ms, int64_t most)
{
    return (uint32_t)(ms < most ? ms : most);
}

static void pause_ms(uint32_t ms)
{
    struct timespec rest = { ms / 1000, (long)(ms % 1000) * 1000000 };

    nanosleep(&rest, NULL); /* shorter by a signal: asked again sooner */
}

/* ---- joining ------------------------------------------------------------- */

static int fetch_once(struct worker *w)
{
    struct live *live = w->live;

    if (w->host != NULL)
        return serry_assignment_on_host(live->client, w->placement, w->host,
                                        w->local_rank, w->generation,
                                        &w->assignment, &live->err);
    return serry_assignment(live->client, w->placement, w->rank, w->generation,
                            &w->assignment, &live->err);
}

/* Tries again while nothing listens yet. Not by serry_wait(), which asks what a
 * worker's token does not allow. */
static int fetch(struct worker *w, int64_t until_ms, struct error *err)
{
    int64_t start_ms = clock_monotonic_us() / 1000 + START_MS;
    int rc;

    if (start_ms > until_ms)
        start_ms = until_ms;
    while ((rc = fetch_once(w)) < 0 &&
           w->live->err.status == SERRY_UNAVAILABLE && left_ms(start_ms) > 0)
        pause_ms(
            at_most(left_ms(start_ms), pause_varied(AGAIN_MS, pause_chance())));
    if (rc < 0)
        return live_failed(w->live, err);
    w->rank = serry_assignment_rank(w->assignment);
    return 0;
}

/* Of groups that are others than the daemon's the daemon is to know: it refuses
 * the worker, naming the first that differs, and tells who asks why the others
 * wait. */
static int refuse_groups(struct worker *w, struct error *err)
{
    struct live *live = w->live;

    live_failed(live, err);
    if (err->status != STATUS_INTERNAL)
        return -1; /* nothing was compared */
    if (serry_join(live->client, w->assignment, w->incarnation, w->address,
                   &live->err) == 0)
        serry_leave(live->client, w->assignment, w->incarnation, NULL);
    else if (live->err.status == SERRY_REFUSED)
        live_failed(live, err);
    return -1;
}

static int join(struct worker *w, int64_t until_ms, struct error *err)
{
    struct live *live = w->live;

    serry_set_deadline(live->client, at_most(left_ms(until_ms), UINT32_MAX));
    if (fetch(w, until_ms, err) < 0 || worker_find_address(w, err) < 0)
        return -1;
    if (serry_verify(w->assignment, &live->err) < 0)
        return refuse_groups(w, err);
    if (worker_confirm_ports(w, err) < 0)
        return -1;
    if (serry_join(live->client, w->assignment, w->incarnation, w->address,
                   &live->err) < 0)
        return live_failed(live, err);
    return 0;
}

/* ---- waiting for the others ---------------------------------------------- */

/* The hosts of those that are missing, " on HOST, HOST and others"; nothing
 * where the placement is bound to none. */
static void put_hosts(const struct serry_boot *boot, struct text *out)
{
    for (size_t i = 0; i < boot->n_missing_hosts && i < HOSTS_SHOWN; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : " on ", boot->missing_hosts[i]);
    if (boot->n_missing_hosts > HOSTS_SHOWN)
        text_put(out, " and others");
}

/* Who is missing, as the daemon said last. */
static int refuse_late(const struct worker *w, int64_t timeout_ms,
                       struct error *err)
{
    const struct serry_boot *boot = w->boot;
    uint32_t missing = boot->world - boot->joined;
    struct text ranks = { 0 };
    size_t shown = 0;
    int rc;

    for (; shown < boot->n_missing && shown < MISSING_SHOWN; shown++)
        text_printf(&ranks, "%s%" PRIu32, shown > 0 ? ", " : "",
                    boot->missing[shown]);
    if (missing > shown)
        text_printf(&ranks, " and %" PRIu32 " more", missing - (uint32_t)shown);
    put_hosts(boot, &ranks);
    rc = error_set(err, STATUS_DEADLINE,
                   "%s is not whole after %g s: %s %s of %" PRIu32 " did not "
                   "join; serry doctor %s says more",
                   w->placement, (double)timeout_ms / 1000,
                   missing == 1 ? "rank" : "ranks", text_string(&ranks),
                   boot->world, w->placement);
    text_close(&ranks);
    return rc;
}

/* Asks once. Half of what is left is for the daemon's waiting, the other for a
 * daemon that is away. */
static int ask(struct worker *w, int64_t until_ms, struct error *err)
{
    int64_t left = left_ms(until_ms);
    uint32_t park = left > SHORT_MS ? at_most(left / 2, PARK_MS) : 0;
    struct serry_boot *boot;

    serry_set_deadline(w->live->client, at_most(left - park, UINT32_MAX));
    if (serry_await(w->live->client, w->assignment, w->incarnation, w->address,
                    SERRY_BOOTING, park, &boot, &w->live->err) < 0)
        return live_failed(w->live, err);
    serry_free(w->boot);
    w->boot = boot;
    return 0;
}

int worker_boot(struct worker *w, int64_t timeout_ms, struct error *err)
{
    int64_t until_ms = clock_monotonic_us() / 1000 + timeout_ms;

    w->incarnation = serry_incarnation();
    if (join(w, until_ms, err) < 0)
        return -1;
    for (;;) {
        if (ask(w, until_ms, err) < 0) {
            bool late = left_ms(until_ms) <= LEAST_MS && w->boot != NULL;

            /* no time was left for the last answer: the one before says it */
            return late && err->status == STATUS_DEADLINE
                       ? refuse_late(w, timeout_ms, err)
                       : -1;
        }
        if (w->boot->state == SERRY_READY)
            return 0;
        if (left_ms(until_ms) <= LEAST_MS)
            return refuse_late(w, timeout_ms, err);
        pause_ms(at_most(left_ms(until_ms) / 2, w->boot->retry_ms));
    }
}
