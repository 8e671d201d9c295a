/* SPDX-License-Identifier: Apache-2.0 */
/* The heartbeat of a worker: a thread that waits on the daemon all the time. */
#include "client/exec_beat.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/pause.h"

enum {
    PARK_MS = 30000,   /* one Await */
    ANSWER_MS = 10000, /* and so long for its answer */
    AGAIN_MS = 1000,   /* after a call that failed, varied */
    LEAVE_MS = 2000,   /* a daemon that is away is not waited for */
    STOP_MS = 2000,
    SOON_MS = 500, /* what is on its way has come by then */
};

static void say(const struct beat *beat, const char *what, const char *why)
{
    output_complainf("rank %" PRIu32 " of %s: %s%s", beat->worker->rank,
                     beat->worker->placement, what, why);
}

/* Whether this worker is not the placement's any more. Every other failure is
 * the daemon's being away, in one way or another. */
static bool is_final(const struct serry_error *err)
{
    static const char stale[] = "STALE_";

    return err->status == SERRY_UNKNOWN_NAME ||
           (err->status == SERRY_REFUSED &&
            strncmp(err->text, stale, strlen(stale)) == 0);
}

/* How long to pause before the next call. */
static int beat_once(struct beat *beat)
{
    struct worker *w = beat->worker;
    struct serry_boot *boot;
    int pause_ms;

    if (serry_await(w->live->client, w->assignment, w->incarnation, w->address,
                    beat->known, PARK_MS, &boot, &beat->err) < 0) {
        beat->refused = beat->err.status == SERRY_REFUSED;
        beat->must_end = is_final(&beat->err);
        return (int)pause_varied(AGAIN_MS, pause_chance());
    }
    beat->refused = false;
    beat->known = boot->state;
    pause_ms = (int)boot->retry_ms;
    serry_free(boot);
    serry_error_clear(&beat->err);
    return pause_ms < AGAIN_MS ? pause_ms : AGAIN_MS;
}

static void *beat_run(void *arg)
{
    struct beat *beat = arg;
    struct pollfd wake = { .fd = beat->wake, .events = POLLIN };
    bool away = false;

    serry_set_deadline(beat->worker->live->client, ANSWER_MS);
    while (!atomic_load(&beat->ending) && !beat->must_end) {
        int pause_ms = beat_once(beat);
        bool failed = beat->err.status != SERRY_OK;

        if (atomic_load(&beat->ending) || beat->must_end)
            break;
        if (failed && !away)
            say(beat, "goes on without the daemon: ", beat->err.text);
        if (!failed && away)
            say(beat, "the daemon answers again", "");
        away = failed;
        poll(&wake, 1, pause_ms);
    }
    eventfd_write(beat->over, 1);
    return NULL;
}

int beat_start(struct beat *beat, struct worker *worker, struct error *err)
{
    *beat = (struct beat){
        .worker = worker,
        .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
        .over = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
        .err = SERRY_ERROR_INIT,
        .known = SERRY_READY,
    };
    if (beat->wake >= 0 && beat->over >= 0 &&
        pthread_create(&beat->thread, NULL, beat_run, beat) == 0)
        return 0;
    if (beat->wake >= 0)
        close(beat->wake);
    if (beat->over >= 0)
        close(beat->over);
    return error_set(err, STATUS_EXHAUSTED,
                     "no descriptors or threads for the heartbeat");
}

/* By a client of its own: the thread's is in a call, which this one ends. A
 * last call of the thread that came behind it brought the worker back, so it
 * leaves again. */
static bool leave(struct beat *beat)
{
    const struct worker *w = beat->worker;
    struct pollfd over = { .fd = beat->over, .events = POLLIN };
    struct serry_client *client;
    bool ended;

    if (serry_open(serry_address(w->live->client), &client, NULL) < 0)
        return false;
    serry_set_deadline(client, LEAVE_MS);
    serry_leave(client, w->assignment, w->incarnation, NULL);
    ended = poll(&over, 1, SOON_MS) > 0;
    if (!ended || !beat->refused)
        serry_leave(client, w->assignment, w->incarnation, NULL);
    if (!ended) /* that call waited: the second one has ended it */
        ended = poll(&over, 1, STOP_MS) > 0;
    serry_close(client);
    return ended;
}

bool beat_stop(struct beat *beat, bool leaves)
{
    struct pollfd over = { .fd = beat->over, .events = POLLIN };

    atomic_store(&beat->ending, true);
    eventfd_write(beat->wake, 1);
    if (leaves ? !leave(beat) : poll(&over, 1, 0) <= 0)
        return false;
    pthread_join(beat->thread, NULL);
    serry_error_clear(&beat->err);
    close(beat->wake);
    close(beat->over);
    return true;
}
