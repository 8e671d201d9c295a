/* SPDX-License-Identifier: Apache-2.0 */
/* Work of calls that takes too long for the loop, in other threads. */
#include "daemon/aside.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/text.h"
#include "daemon/daemon.h"

/* clang-format off */
static const struct {
    size_t at_once, most;
    const char *words;
} kinds[] = {
#define X(id, at_once, most, words) { at_once, most, words },
    ASIDE_LIST(X)
#undef X
};
/* clang-format on */

struct aside {
    uv_work_t work;
    struct daemon *daemon;
    enum aside_kind kind;
    struct aside *next;   /* that waits */
    struct call *call;    /* NULL: it ended */
    atomic_bool unwanted; /* so, for the other thread */
    aside_run_fn *run;
    aside_done_fn *done;
    void *arg;
};

static void run(uv_work_t *work)
{
    struct aside *a = work->data;

    if (!atomic_load(&a->unwanted)) /* it may have waited long */
        a->run(a->arg);
}

static void finish(struct aside *a)
{
    if (a->call != NULL)
        call_on_end(a->call, NULL, NULL);
    a->done(a->daemon, a->call, a->arg);
    free(a);
}

static void after(uv_work_t *work, int status);

static int begin(struct aside *a)
{
    if (uv_queue_work(daemon_loop(a->daemon), &a->work, run, after) != 0)
        return -1;
    daemon_asides(a->daemon)->kinds[a->kind].n_running++;
    return 0;
}

/* Those that nobody wants any more are not begun. */
static void begin_waiting(struct asides *asides, enum aside_kind kind)
{
    while (asides->kinds[kind].first != NULL &&
           asides->kinds[kind].n_running < kinds[kind].at_once) {
        struct aside *a = asides->kinds[kind].first;

        asides->kinds[kind].first = a->next;
        if (a->call != NULL && begin(a) == 0)
            continue;
        asides->kinds[kind].n--;
        finish(a);
    }
}

static bool is_idle(const struct asides *asides)
{
    for (size_t kind = 0; kind < ASIDE_COUNT; kind++)
        if (asides->kinds[kind].n > 0)
            return false;
    return true;
}

static void after(uv_work_t *work, int status)
{
    struct aside *a = work->data;
    struct asides *asides = daemon_asides(a->daemon);
    enum aside_kind kind = a->kind;

    (void)status; /* nothing cancels it */
    asides->kinds[kind].n_running--;
    asides->kinds[kind].n--;
    begin_waiting(asides, kind);
    finish(a);
    if (asides->idle != NULL && is_idle(asides))
        asides->idle(asides->arg);
}

static void call_ended(void *arg)
{
    struct aside *a = arg;

    a->call = NULL;
    atomic_store(&a->unwanted, true);
}

/* Behind those of its kind that wait. */
static void wait_for_turn(struct asides *asides, struct aside *a)
{
    if (asides->kinds[a->kind].first == NULL)
        asides->kinds[a->kind].first = a;
    else
        asides->kinds[a->kind].last->next = a;
    asides->kinds[a->kind].last = a;
}

int aside(struct call *call, enum aside_kind kind, aside_run_fn *run_fn,
          aside_done_fn *done, void *arg, struct error *err)
{
    struct daemon *daemon = call_daemon(call);
    struct asides *asides = daemon_asides(daemon);
    struct aside *a;

    if (asides->kinds[kind].n >= kinds[kind].most)
        return error_set(err, STATUS_EXHAUSTED, "%zu %s; ask again later",
                         asides->kinds[kind].n, kinds[kind].words);
    a = calloc(1, sizeof(*a));
    if (a == NULL)
        return error_exhausted(err);
    a->daemon = daemon;
    a->kind = kind;
    a->call = call;
    a->run = run_fn;
    a->done = done;
    a->arg = arg;
    a->work.data = a;
    if (asides->kinds[kind].n_running >= kinds[kind].at_once) {
        wait_for_turn(asides, a);
    } else if (begin(a) < 0) {
        free(a);
        return error_exhausted(err);
    }
    asides->kinds[kind].n++;
    call_on_end(call, call_ended, a);
    return 0;
}

void asides_close(struct asides *asides, void (*idle)(void *arg), void *arg)
{
    asides->idle = idle;
    asides->arg = arg;
    if (is_idle(asides))
        idle(arg);
}
