/* SPDX-License-Identifier: Apache-2.0 */
/* Decides placements, large ones in another thread. */
#include "daemon/judge.h"

#include <stdlib.h>

#include "daemon/aside.h"
#include "daemon/daemon.h"
#include "daemon/state.h"

/* Until done(), live belongs to the other thread; all it reads beside it, the
 * runtime and the model, are held and never change. */
struct judging {
    struct live *live;
    judged_fn *judged;
    void *arg;
    char *findings;
    struct error err;
    int rc;
};

static void run(void *arg)
{
    struct judging *j = arg;

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

static void done(struct daemon *daemon, struct call *call, void *arg)
{
    struct judging *j = arg;

    hand_on(daemon, call, j->live, j->judged, j->arg, j->rc, j->findings,
            &j->err);
    free(j->findings);
    free(j);
}

static int judge_elsewhere(struct call *call, struct live *live,
                           judged_fn *judged, void *arg, struct error *err)
{
    struct judging *j = calloc(1, sizeof(*j));

    if (j == NULL)
        return error_exhausted(err);
    j->live = live;
    j->judged = judged;
    j->arg = arg;
    j->rc = error_exhausted(&j->err); /* until it is decided */
    if (aside(call, ASIDE_JUDGE, run, done, j, err) == 0)
        return 0;
    free(j);
    return -1;
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
