/* SPDX-License-Identifier: Apache-2.0 */
/* Decides placements, large ones in another thread. */
#include "daemon/judge.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "daemon/daemon.h"
#include "daemon/state.h"

/* Between judge() and after(), live belongs to the other thread; all it reads
 * beside it, the runtime and the model, are held and never change. */
struct judging {
    uv_work_t work;
    struct daemon *daemon;
    struct call *call;    /* NULL: it ended */
    atomic_bool unwanted; /* so, for the other thread */
    struct live *live;
    judged_fn *judged;
    void *arg;
    char *findings;
    struct error err;
    int rc;
};

static void run(uv_work_t *work)
{
    struct judging *j = work->data;

    if (!atomic_load(&j->unwanted)) /* it may have waited long */
        j->rc = live_judge(j->live, &j->findings, &j->err);
}

/* Hands on what was decided, on the thread of the loop. call NULL: nobody wants
 * it any more. */
static void hand_on(struct daemon *daemon, struct call *call, struct live *live,
                    judged_fn *judged, void *arg, int rc, const char *findings,
                    const struct error *err)
{
    if (rc < 0 || call == NULL) {
        live_free(state_declared(daemon_state(daemon)), live);
        live = NULL;
    }
    if (call != NULL)
        judged(call, arg, live, findings, err);
}

static void after(uv_work_t *work, int status)
{
    struct judging *j = work->data;
    struct judges *judges = daemon_judges(j->daemon);

    (void)status; /* nothing cancels it */
    if (j->call != NULL)
        call_on_end(j->call, NULL, NULL);
    hand_on(j->daemon, j->call, j->live, j->judged, j->arg, j->rc, j->findings,
            &j->err);
    free(j->findings);
    free(j);
    if (--judges->n == 0 && judges->idle != NULL)
        judges->idle(judges->arg);
}

static void call_ended(void *arg)
{
    struct judging *j = arg;

    j->call = NULL;
    atomic_store(&j->unwanted, true);
}

static int judge_elsewhere(struct call *call, struct live *live,
                           judged_fn *judged, void *arg, struct error *err)
{
    struct daemon *daemon = call_daemon(call);
    struct judges *judges = daemon_judges(daemon);
    struct judging *j;

    if (judges->n >= JUDGES_MAX)
        return error_set(err, STATUS_EXHAUSTED,
                         "%zu large placements are being decided; ask again "
                         "later",
                         judges->n);
    j = calloc(1, sizeof(*j));
    if (j == NULL)
        return error_exhausted(err);
    j->daemon = daemon;
    j->call = call;
    j->live = live;
    j->judged = judged;
    j->arg = arg;
    j->work.data = j;
    if (uv_queue_work(daemon_loop(j->daemon), &j->work, run, after) != 0) {
        free(j);
        return error_exhausted(err);
    }
    judges->n++;
    call_on_end(j->call, call_ended, j);
    return 0;
}

void judge(struct call *call, struct live *live, judged_fn *judged, void *arg)
{
    char *findings = NULL;
    struct error err;
    int rc = -1;

    if (live_ranks(live) <= JUDGE_RANKS_HERE)
        rc = live_judge(live, &findings, &err);
    else if (judge_elsewhere(call, live, judged, arg, &err) == 0)
        return;
    hand_on(call_daemon(call), call, live, judged, arg, rc, findings, &err);
    free(findings);
}

void judges_close(struct judges *judges, void (*idle)(void *arg), void *arg)
{
    judges->idle = idle;
    judges->arg = arg;
    if (judges->n == 0)
        idle(arg);
}
