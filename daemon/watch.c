/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of Watch, parked until something happens. */
#include "daemon/watch.h"

#include <stdlib.h>

#include "daemon/daemon.h"
#include "daemon/reply.h"

enum { TICK_MS = 100 }; /* how late an empty answer may be */

struct parked {
    struct parked *next, **link;
    struct watches *watches;
    struct call *call;
    struct store_pos after;
    uint64_t until_ms; /* the loop's clock */
};

struct watches {
    struct daemon *daemon;
    uv_timer_t timer;
    struct parked *first;
    size_t count;
    struct state *state;
};

size_t watches_count(const struct watches *watches)
{
    return watches->count;
}

/* ---- answering ----------------------------------------------------------- */

/* One event as a message, in the call's arena; NULL: it is full. */
static Serried__V1__Event *event_message(struct arena *arena,
                                         const struct kept_event *from)
{
    Serried__V1__Event *to = arena_alloc(arena, sizeof(*to));
    Serried__V1__Generation *pos = arena_alloc(arena, sizeof(*pos));

    if (to == NULL || pos == NULL)
        return NULL;
    serried__v1__event__init(to);
    serried__v1__generation__init(pos);
    reply_generation(pos, from->pos);
    to->position = pos;
    to->has_sequence = to->has_time_ms = true;
    to->sequence = from->seq;
    to->time_ms = from->time_ms;
    to->who = from->who;
    to->what = from->what;
    to->subject = from->subject;
    to->detail = from->detail;
    return to;
}

/* Answers with the events after a position. One reply ends where a commit ends,
 * so that asking again after its position loses nothing. */
static void answer(struct call *call, const struct state *state,
                   struct store_pos after)
{
    Serried__V1__WatchReply reply = SERRIED__V1__WATCH_REPLY__INIT;
    Serried__V1__Generation position = SERRIED__V1__GENERATION__INIT;
    struct store_pos reached = state_position(state);
    struct error err;
    size_t first, n;
    bool lost;

    n = state_events_after(state, after, &first, &lost);
    if (n > WATCH_EVENTS_MAX) {
        n = WATCH_EVENTS_MAX;
        while (n > 0 && state_event(state, first + n)->pos.rev ==
                            state_event(state, first + n - 1)->pos.rev)
            n--;
        reached = state_event(state, first + (n > 0 ? n - 1 : 0))->pos;
    }
    reply_generation(&position, reached);
    reply.position = &position;
    reply.has_reset = reply.reset = lost;
    reply.events = arena_array(call_arena(call), n + 1, sizeof(*reply.events));
    for (size_t i = 0; reply.events != NULL && i < n; i++) {
        reply.events[i] =
            event_message(call_arena(call), state_event(state, first + i));
        if (reply.events[i] == NULL)
            break;
        reply.n_events++;
    }
    if (reply.n_events == n) {
        call_reply(call, &reply.base);
        return;
    }
    error_exhausted(&err);
    call_refuse(call, &err, NULL);
}

static void unlink_parked(struct parked *parked)
{
    *parked->link = parked->next;
    if (parked->next != NULL)
        parked->next->link = parked->link;
    parked->watches->count--;
    free(parked);
}

static bool has_news(const struct state *state, struct store_pos after)
{
    size_t first;
    bool lost;

    return state_events_after(state, after, &first, &lost) > 0 || lost;
}

/* Answers those who have news, and those whose wait is over. */
static void look_round(struct watches *watches)
{
    const struct state *state = watches->state;
    uint64_t now = uv_now(daemon_loop(watches->daemon));
    struct parked *next;

    for (struct parked *p = watches->first; p != NULL; p = next) {
        struct call *call = p->call;
        struct store_pos after = p->after;

        next = p->next;
        if (now < p->until_ms && !has_news(state, after))
            continue;
        unlink_parked(p);
        answer(call, state, after);
    }
    if (watches->first == NULL)
        uv_timer_stop(&watches->timer);
}

static void on_change(void *arg)
{
    look_round(arg);
}

static void on_tick(uv_timer_t *timer)
{
    look_round(timer->data);
}

/* ---- parking ------------------------------------------------------------- */

static void parked_ended(void *arg)
{
    unlink_parked(arg);
}

static int park(struct watches *watches, struct call *call,
                struct store_pos after, uint32_t wait_ms, struct error *err)
{
    struct parked *parked;

    if (watches->count >= (size_t)daemon_settings(watches->daemon)->watch_max)
        return error_set(err, STATUS_EXHAUSTED,
                         "%zu calls are watching already; ask again later",
                         watches->count);
    parked = calloc(1, sizeof(*parked));
    if (parked == NULL)
        return error_exhausted(err);
    *parked = (struct parked){
        .next = watches->first,
        .link = &watches->first,
        .watches = watches,
        .call = call,
        .after = after,
        .until_ms = uv_now(daemon_loop(watches->daemon)) + wait_ms,
    };
    if (parked->next != NULL)
        parked->next->link = &parked->next;
    watches->first = parked;
    watches->count++;
    call_on_end(call, parked_ended, parked);
    call_set_idle(call);
    if (!uv_is_active((uv_handle_t *)&watches->timer))
        uv_timer_start(&watches->timer, on_tick, TICK_MS, TICK_MS);
    return 0;
}

int watch_call(struct watches *watches, struct call *call,
               const Serried__V1__WatchRequest *request, struct error *err)
{
    const struct state *state = watches->state;
    struct store_pos after = state_position(state);
    uint32_t wait_ms = request->wait_ms;

    if (request->after != NULL)
        after = (struct store_pos){ request->after->epoch,
                                    request->after->revision };
    if (wait_ms > WATCH_WAIT_MS_MAX)
        wait_ms = WATCH_WAIT_MS_MAX;
    if (wait_ms > 0 && !has_news(state, after))
        return park(watches, call, after, wait_ms, err);
    answer(call, state, after);
    return 0;
}

/* ---- making and closing -------------------------------------------------- */

struct watches *watches_new(struct daemon *daemon, struct state *state,
                            struct error *err)
{
    struct watches *watches = calloc(1, sizeof(*watches));

    if (watches == NULL) {
        error_exhausted(err);
        return NULL;
    }
    watches->daemon = daemon;
    watches->state = state;
    uv_timer_init(daemon_loop(daemon), &watches->timer);
    watches->timer.data = watches;
    state_on_change(state, on_change, watches);
    return watches;
}

static void on_close(uv_handle_t *handle)
{
    free(handle->data);
}

void watches_close(struct watches *watches)
{
    if (watches == NULL)
        return;
    state_on_change(watches->state, NULL, NULL);
    uv_close((uv_handle_t *)&watches->timer, on_close);
}
