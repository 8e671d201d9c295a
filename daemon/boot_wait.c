/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of Await that are parked, and what time brings: leases that end, boots
 * that take too long, answers that are due. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bind.h"
#include "daemon/boot_table.h"
#include "daemon/journal.h"
#include "daemon/port.h"
#include "daemon/reply.h"

enum {
    JITTER_MS = 1000,    /* so that 9,000 workers do not ask again at once */
    HOSTS_SHOWN_MAX = 4, /* of those that miss workers, in a sentence */
};

bool boot_is_news(enum boot_state known, enum boot_state now)
{
    if (now == BOOT_READY)
        return known != BOOT_READY;
    return now == BOOT_DEGRADED && known == BOOT_READY;
}

/* ---- answering ----------------------------------------------------------- */

/* xorshift: this needs no secret, only spread. */
static uint32_t jitter(struct boots *boots)
{
    boots->random ^= boots->random << 13;
    boots->random ^= boots->random >> 7;
    boots->random ^= boots->random << 17;
    return (uint32_t)(boots->random % JITTER_MS);
}

/* What the devices of a placement say: where its lowest rank is, and which
 * hosts miss workers. */
static void answer_bound(const struct boot *boot,
                         Serried__V1__AwaitReply *reply, char **hosts)
{
    struct inventory *inventory = state_inventory(boot->boots->of);
    const struct live *live = state_live(boot->boots->of, boot->name, NULL);
    const struct inventory_host *host;

    if (live == NULL || live->bound == NULL || boot->world == 0)
        return;
    host = bind_host(live, boot->ranks[0]);
    if (host != NULL)
        reply->master_address = reply_text(bind_address(inventory, host));
    reply->missing_hosts = hosts;
    for (size_t i = 0; i < reply->n_missing; i++) {
        size_t k = 0;

        host = bind_host(live, reply->missing[i]);
        while (host != NULL && k < reply->n_missing_hosts &&
               strcmp(hosts[k], host->name) != 0)
            k++;
        if (host != NULL && k == reply->n_missing_hosts)
            hosts[reply->n_missing_hosts++] = reply_text(host->name);
    }
}

/* The ports of a rank; master's stands beside them too. */
static int answer_ports(const struct boot *boot, const struct member *member,
                        struct arena *arena, Serried__V1__AwaitReply *reply,
                        struct error *err)
{
    struct state *state = boot->boots->of;
    const struct live *live = state_live(state, boot->name, NULL);

    if (live == NULL || live->check == NULL || live->ports.n == 0)
        return 0;
    reply->has_master_port = true;
    reply->master_port = live->ports.items[0].ports[0];
    return port_messages(state_inventory(state), live, arena,
                         boot_rank(boot, member), &reply->ports,
                         &reply->n_ports, err);
}

void boot_answer(struct boot *boot, const struct member *member,
                 struct call *call)
{
    Serried__V1__AwaitReply reply = SERRIED__V1__AWAIT_REPLY__INIT;
    uint32_t missing[BOOT_MISSING_MAX];
    char *hosts[BOOT_MISSING_MAX];
    struct error err;

    reply.state = reply_text(boot_state_name(boot->state));
    reply.has_joined = reply.has_world = reply.has_retry_ms = true;
    reply.joined = boot->n_here;
    reply.world = boot->world;
    reply.retry_ms = jitter(boot->boots);
    reply.master_address = boot->address;
    reply.missing = missing;
    boot_missing(boot, missing, &reply.n_missing);
    answer_bound(boot, &reply, hosts);
    reply.store_prefix =
        arena_printf(call_arena(call), "%s/%" PRIu64 ".%" PRIu64, boot->name,
                     boot->generation.epoch, boot->generation.rev);
    if (reply.store_prefix == NULL)
        error_exhausted(&err);
    else if (answer_ports(boot, member, call_arena(call), &reply, &err) == 0) {
        call_reply(call, &reply.base);
        return;
    }
    call_refuse(call, &err, NULL);
}

/* Takes it out of its boot; gives its call. */
static struct call *unlink_waiting(struct waiting *waiting)
{
    struct call *call = waiting->call;

    *waiting->link = waiting->next;
    if (waiting->next != NULL)
        waiting->next->link = waiting->link;
    waiting->member->waiting = NULL;
    waiting->member->seen_ms = boots_now(waiting->boot->boots);
    waiting->boot->boots->n_waiting--;
    free(waiting);
    return call;
}

static void answer_waiting(struct boot *boot, struct waiting *waiting)
{
    const struct member *member = waiting->member;

    boot_answer(boot, member, unlink_waiting(waiting));
}

void boot_answer_all(struct boot *boot)
{
    while (boot->waiting != NULL)
        answer_waiting(boot, boot->waiting);
}

void waiting_refuse(struct waiting *waiting, const struct error *err)
{
    call_refuse(unlink_waiting(waiting), err, NULL);
}

void boot_refuse_all(struct boot *boot, const struct error *err)
{
    while (boot->waiting != NULL)
        waiting_refuse(boot->waiting, err);
}

void boot_tell(struct boot *boot)
{
    struct waiting *next;

    for (struct waiting *w = boot->waiting; w != NULL; w = next) {
        next = w->next;
        if (boot_is_news(w->known, boot->state))
            answer_waiting(boot, w);
    }
}

/* ---- parking ------------------------------------------------------------- */

/* The peer is gone, or the call's own deadline has passed. */
static void waiting_ended(void *arg)
{
    unlink_waiting(arg);
}

int boot_park(struct boot *boot, struct member *member, struct call *call,
              enum boot_state known, uint32_t wait_ms, struct error *err)
{
    struct waiting *waiting = calloc(1, sizeof(*waiting));

    if (waiting == NULL)
        return error_exhausted(err);
    if (wait_ms > BOOT_WAIT_MS_MAX)
        wait_ms = BOOT_WAIT_MS_MAX;
    *waiting = (struct waiting){ .next = boot->waiting,
                                 .link = &boot->waiting,
                                 .boot = boot,
                                 .member = member,
                                 .call = call,
                                 .known = known,
                                 .until_ms = boots_now(boot->boots) + wait_ms };
    if (waiting->next != NULL)
        waiting->next->link = &waiting->next;
    boot->waiting = waiting;
    member->waiting = waiting;
    boot->boots->n_waiting++;
    call_on_end(call, waiting_ended, waiting);
    call_set_idle(call);
    return 0;
}

/* ---- time ---------------------------------------------------------------- */

static void answer_due(struct boot *boot, uint64_t now)
{
    struct waiting *next;

    for (struct waiting *w = boot->waiting; w != NULL; w = next) {
        next = w->next;
        if (now >= w->until_ms)
            answer_waiting(boot, w);
    }
}

/* A worker that waits is alive; of others something was heard lately. */
static void end_leases(struct boot *boot, uint64_t now, uint64_t lease_ms)
{
    for (uint32_t i = 0; i < boot->world; i++) {
        struct member *member = &boot->members[i];

        if (member->state == MEMBER_HERE && member->waiting == NULL &&
            now - member->seen_ms > lease_ms)
            boot_set(boot, member, MEMBER_LOST);
    }
    boot_tell(boot);
}

/* " on node1, node2": the hosts that miss workers, where they are known. */
static void print_hosts(const struct boot *boot, struct text *out)
{
    Serried__V1__AwaitReply reply = SERRIED__V1__AWAIT_REPLY__INIT;
    uint32_t missing[BOOT_MISSING_MAX];
    char *hosts[BOOT_MISSING_MAX];

    reply.missing = missing;
    boot_missing(boot, missing, &reply.n_missing);
    answer_bound(boot, &reply, hosts);
    for (size_t i = 0; i < reply.n_missing_hosts && i < HOSTS_SHOWN_MAX; i++)
        text_printf(out, "%s%s", i == 0 ? " on " : ", ", hosts[i]);
    if (reply.n_missing_hosts > HOSTS_SHOWN_MAX)
        text_put(out, " and others");
}

static void end_boot(struct boot *boot)
{
    struct text missing = { 0 };
    struct error err;

    boot_missing_print(boot, &missing);
    print_hosts(boot, &missing);
    error_set(&err, STATUS_DEADLINE,
              "%s is not whole in time: %s of %" PRIu32 " did not join",
              boot->name, text_string(&missing), boot->world);
    boot_refuse_all(boot, &err);
    journal(boot->boots->daemon, NULL, "boot timed out", boot->name,
            text_string(&missing));
    text_close(&missing);
    boot->since_ms = 0;
}

void boots_tick(uv_timer_t *timer)
{
    struct boots *boots = timer->data;
    const struct settings *settings = daemon_settings(boots->daemon);
    uint64_t now = boots_now(boots);

    for (struct boot *boot = boots->first; boot != NULL; boot = boot->next) {
        uint64_t lease_ms = (uint64_t)settings->lease_ms;

        answer_due(boot, now);
        if (now >= boot->scan_ms) {
            end_leases(boot, now, lease_ms);
            boot->scan_ms = now + lease_ms / 8;
        }
        if (boot->state == BOOT_BOOTING && boot->since_ms != 0 &&
            now - boot->since_ms > (uint64_t)settings->boot_ms)
            end_boot(boot);
    }
    if (boots->first == NULL)
        uv_timer_stop(timer);
}
