/* SPDX-License-Identifier: Apache-2.0 */
/* The boot of placements: which of their workers are here, and which wait. */
#include "daemon/boot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/boot_table.h"

enum { TICK_MS = 250 }; /* how late a deadline may be */

/* ---- whose call it is ---------------------------------------------------- */

/* The members of a request that tell which worker asks. */
struct worker {
    bool has_rank, has_incarnation;
    uint32_t rank;
    uint64_t incarnation;
};

static int stale_incarnation(const struct live *live, uint32_t rank,
                             struct error *err)
{
    return error_set(err, STATUS_REFUSED,
                     "STALE_INCARNATION: a newer worker has joined %s as rank "
                     "%" PRIu32 "; this one must end",
                     live->name, rank);
}

/* *ret: the member, where there is a boot; else NULL. */
static int find_member(const struct boot *boot, const struct live *live,
                       const struct worker *worker, struct member **ret,
                       struct error *err)
{
    *ret = NULL;
    if (!worker->has_rank || !worker->has_incarnation)
        return error_set(err, STATUS_INVALID, "the request has no %s",
                         worker->has_rank ? "incarnation" : "rank");
    if (boot != NULL)
        *ret = boot_member(boot, worker->rank);
    if (boot != NULL && *ret == NULL)
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "%s has no rank %" PRIu32 "; it has %" PRIu32 " ranks",
                         live->name, worker->rank, live->common.n_ranks);
    if (*ret != NULL && (*ret)->state != MEMBER_ABSENT &&
        worker->incarnation < (*ret)->incarnation)
        return stale_incarnation(live, worker->rank, err);
    return 0;
}

/* The member that has joined with just this incarnation. */
static struct member *joined_member(const struct boot *boot,
                                    const struct live *live,
                                    const struct worker *worker,
                                    struct error *err)
{
    struct member *member;

    if (find_member(boot, live, worker, &member, err) < 0)
        return NULL;
    if (member != NULL && member->state != MEMBER_ABSENT &&
        member->incarnation == worker->incarnation)
        return member;
    error_set(err, STATUS_REFUSED,
              "NOT_JOINED: rank %" PRIu32 " of %s has not joined with this "
              "incarnation since the daemon started; join again",
              worker->rank, live->name);
    return NULL;
}

/* ---- Join ---------------------------------------------------------------- */

static int keep_address(struct boot *boot, const struct member *member,
                        const char *address, struct error *err)
{
    char *copy;

    if (member != boot->members)
        return 0; /* the lowest rank's is the one that others need */
    copy = strdup(address);
    if (copy == NULL)
        return error_exhausted(err);
    free(boot->address);
    boot->address = copy;
    return 0;
}

/* A worker with an older incarnation waits no longer. That there were two is
 * kept for who asks. */
static void end_older(struct boots *boots, struct member *member,
                      const struct live *live, uint32_t rank)
{
    struct error err;

    if (member->waiting == NULL)
        return;
    stale_incarnation(live, rank, &err);
    boots_refused(boots, live, member->waiting->call, rank, &err, false);
    waiting_refuse(member->waiting, &err);
}

static struct boot *open_boot(struct boots *boots, const struct live *live)
{
    struct boot *boot = boot_find(boots, live);

    if (boot == NULL)
        boot = boot_new(boots, live);
    if (boot != NULL && !uv_is_active((uv_handle_t *)&boots->timer))
        uv_timer_start(&boots->timer, boots_tick, TICK_MS, TICK_MS);
    return boot;
}

int boots_join(struct boots *boots, struct live *live,
               const Serried__V1__JoinRequest *request, const char *only,
               Serried__V1__JoinReply *ret_reply, struct error *err)
{
    const struct worker worker = { request->has_rank, request->has_incarnation,
                                   request->rank, request->incarnation };
    const char *address = request->address != NULL ? request->address : "";
    struct boot *boot = open_boot(boots, live);
    struct member *member;

    if (boot == NULL)
        return error_exhausted(err);
    if (strlen(address) > BOOT_ADDRESS_BYTES)
        return error_set(err, STATUS_INVALID,
                         "the address has more than %d bytes",
                         BOOT_ADDRESS_BYTES);
    if (find_member(boot, live, &worker, &member, err) < 0 ||
        sighting_check(boots, live, request, err) < 0 ||
        keep_address(boot, member, address, err) < 0)
        return -1;
    /* A worker of another boot of the host is lost: it is no older one. */
    member->host_boot = sighting_take(boots, live, request, only);
    if (member->incarnation != worker.incarnation)
        end_older(boots, member, live, worker.rank);
    member->incarnation = worker.incarnation;
    member->seen_ms = boots_now(boots);
    if (boot->since_ms == 0)
        boot->since_ms = boots_now(boots); /* a new try */
    boot_set(boot, member, MEMBER_HERE);
    refused_forget(&boots->refused, live, worker.rank);
    boot_tell(boot);
    ret_reply->has_joined = ret_reply->has_world = true;
    ret_reply->joined = boot->n_here;
    ret_reply->world = boot->world;
    return 0;
}

/* ---- Await, Leave -------------------------------------------------------- */

static int read_known(const char *text, enum boot_state *ret, struct error *err)
{
    *ret = BOOT_BOOTING;
    if (text == NULL || text[0] == '\0')
        return 0;
    for (int state = BOOT_PLACED; state <= BOOT_DEGRADED; state++)
        if (strcmp(boot_state_name((enum boot_state)state), text) == 0) {
            *ret = (enum boot_state)state;
            return 0;
        }
    return error_set(err, STATUS_INVALID,
                     "there is no state \"%.32s\"; there are placed, booting, "
                     "ready and degraded",
                     text);
}

int boots_await(struct boots *boots, struct call *call, struct live *live,
                const Serried__V1__AwaitRequest *request, struct error *err)
{
    const struct worker worker = { request->has_rank, request->has_incarnation,
                                   request->rank, request->incarnation };
    struct boot *boot = boot_find(boots, live);
    enum boot_state known;
    struct member *member = joined_member(boot, live, &worker, err);

    if (member == NULL || read_known(request->state, &known, err) < 0)
        return -1;
    member->seen_ms = boots_now(boots);
    if (member->host_boot != 0)
        sighting_touch(boots, live, worker.rank);
    if (boot->since_ms == 0)
        boot->since_ms = member->seen_ms;
    if (member->state != MEMBER_HERE) { /* it lives after all */
        boot_set(boot, member, MEMBER_HERE);
        boot_tell(boot);
    }
    if (member->waiting != NULL) { /* the same call, sent again */
        struct error again;

        error_set(&again, STATUS_REFUSED, "this worker has asked again");
        waiting_refuse(member->waiting, &again);
    }
    if (request->wait_ms > 0 && !boot_is_news(known, boot->state))
        return boot_park(boot, member, call, known, request->wait_ms, err);
    boot_answer(boot, member, call);
    return 0;
}

int boots_leave(struct boots *boots, struct live *live,
                const Serried__V1__LeaveRequest *request, struct error *err)
{
    const struct worker worker = { request->has_rank, request->has_incarnation,
                                   request->rank, request->incarnation };
    struct boot *boot = boot_find(boots, live);
    struct member *member = joined_member(boot, live, &worker, err);
    struct error gone;

    if (member == NULL)
        return -1;
    error_set(&gone, STATUS_REFUSED, "this worker has left");
    if (member->waiting != NULL)
        waiting_refuse(member->waiting, &gone);
    boot_set(boot, member, MEMBER_LEFT);
    boot_tell(boot);
    if (boot->n_left == boot->world)
        boot_free(boot); /* all done: the placement is as it was */
    return 0;
}

/* ---- following ----------------------------------------------------------- */

enum boot_state boots_state(const struct boots *boots, const struct live *live)
{
    const struct boot *boot = boot_find(boots, live);

    return boot != NULL ? boot->state : BOOT_PLACED;
}

const struct sighting *boots_sighting(const struct boots *boots,
                                      const char *host)
{
    return sighting_find(&boots->sightings, host);
}

void boots_forget_host(struct boots *boots, const char *host)
{
    sighting_forget(&boots->sightings, host);
}

int boots_gone(const struct boots *boots, const struct live *live,
               struct arena *arena, const uint32_t **ret, size_t *ret_n,
               struct error *err)
{
    const struct boot *boot = boot_find(boots, live);
    size_t n_gone = boot != NULL ? (size_t)boot->n_lost + boot->n_left : 0;
    uint32_t *gone = arena_array(arena, n_gone + 1, sizeof(*gone));
    size_t n = 0;

    if (gone == NULL)
        return error_exhausted(err);
    for (uint32_t i = 0; n < n_gone && i < boot->world; i++)
        if (boot->members[i].state == MEMBER_LOST ||
            boot->members[i].state == MEMBER_LEFT)
            gone[n++] = boot->ranks[i];
    *ret = gone;
    *ret_n = n;
    return 0;
}

bool boots_may_hold(const struct boots *boots, const struct live *live)
{
    const struct boot *boot = boot_find(boots, live);

    if (boot != NULL)
        return boot->n_here + boot->n_lost > 0;
    return !live->decided_here;
}

void boots_tell_ports(struct boots *boots, const struct live *live)
{
    struct boot *boot = boot_find(boots, live);

    if (boot != NULL)
        boot_answer_all(boot);
}

void boots_follow(struct boots *boots)
{
    struct boot *next;

    refused_follow(&boots->refused, boots->of);
    for (struct boot *boot = boots->first; boot != NULL; boot = next) {
        const struct live *live = state_live(boots->of, boot->name, NULL);
        struct error err;

        next = boot->next;
        if (live != NULL && boot_find(boots, live) == boot)
            continue;
        if (live == NULL)
            error_set(&err, STATUS_UNKNOWN_NAME, "%s was released", boot->name);
        else
            error_set(&err, STATUS_REFUSED,
                      "STALE_GENERATION: %s was placed anew, at generation "
                      "%" PRIu64 ".%" PRIu64,
                      boot->name, live->generation.epoch, live->generation.rev);
        boot_refuse_all(boot, &err);
        boot_free(boot);
    }
}

/* ---- making and closing -------------------------------------------------- */

struct boots *boots_new(struct daemon *daemon, struct state *state,
                        struct error *err)
{
    struct boots *boots = calloc(1, sizeof(*boots));

    if (boots == NULL) {
        error_exhausted(err);
        return NULL;
    }
    boots->daemon = daemon;
    boots->of = state;
    boots->random = (uint64_t)daemon_now_ms(daemon) | 1;
    uv_timer_init(daemon_loop(daemon), &boots->timer);
    boots->timer.data = boots;
    return boots;
}

static void on_close(uv_handle_t *handle)
{
    free(handle->data);
}

void boots_close(struct boots *boots)
{
    if (boots == NULL)
        return;
    while (boots->first != NULL)
        boot_free(boots->first);
    refused_clear(&boots->refused);
    sightings_clear(&boots->sightings);
    uv_close((uv_handle_t *)&boots->timer, on_close);
}
