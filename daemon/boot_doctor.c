/* SPDX-License-Identifier: Apache-2.0 */
/* Why a placement's boot hangs: who is there, who is not, who was refused. */
#include <inttypes.h>
#include <string.h>

#include "daemon/bind.h"
#include "daemon/boot_refused.h"
#include "daemon/boot_table.h"
#include "daemon/doctor.h"

enum { WHAT_RANKS_SHOWN = 8, WHAT_HOSTS_SHOWN = 4 };

/* Ranks of one kind, as they are found. */
struct some_ranks {
    uint32_t ranks[WHAT_RANKS_SHOWN];
    const struct inventory_host *hosts[WHAT_HOSTS_SHOWN];
    uint32_t n, n_shown, n_hosts;
    bool more_hosts;
    uint64_t silent_ms; /* the longest */
};

static void add_host(struct some_ranks *some, const struct inventory_host *host)
{
    uint32_t h = 0;

    while (h < some->n_hosts && some->hosts[h] != host)
        h++;
    if (host == NULL || h < some->n_hosts)
        return;
    if (some->n_hosts < WHAT_HOSTS_SHOWN)
        some->hosts[some->n_hosts++] = host;
    else
        some->more_hosts = true;
}

static void add_rank(struct some_ranks *some, uint32_t rank,
                     const struct inventory_host *host, uint64_t silent_ms)
{
    if (some->n_shown < WHAT_RANKS_SHOWN)
        some->ranks[some->n_shown++] = rank;
    some->n++;
    if (silent_ms > some->silent_ms)
        some->silent_ms = silent_ms;
    add_host(some, host);
}

/* "ranks 4, 5 and 2 more of PLACEMENT on node2, node3" */
static void put_ranks(const struct some_ranks *some, const struct live *live,
                      struct text *out)
{
    text_put(out, some->n == 1 ? "rank " : "ranks ");
    for (uint32_t i = 0; i < some->n_shown; i++)
        text_printf(out, "%s%" PRIu32, i > 0 ? ", " : "", some->ranks[i]);
    if (some->n > some->n_shown)
        text_printf(out, " and %" PRIu32 " more", some->n - some->n_shown);
    text_printf(out, " of %s", live->name);
    for (uint32_t h = 0; h < some->n_hosts; h++)
        text_printf(out, "%s%s", h > 0 ? ", " : " on ", some->hosts[h]->name);
    if (some->more_hosts)
        text_put(out, " and others");
}

static struct ailment of_ranks(enum trouble trouble, const struct live *live,
                               const struct some_ranks *some)
{
    return (struct ailment){
        .trouble = trouble,
        .placement = live->name,
        .host = some->n_hosts == 1 ? some->hosts[0]->name : NULL,
        .rank = some->n > 0 ? (int64_t)some->ranks[0] : -1,
        .n_ranks = some->n,
    };
}

/* ---- members ------------------------------------------------------------- */

/* What one look at the members found. */
struct look {
    struct doctor *doctor;
    const struct live *live;
    const struct boot *boot;
    uint64_t now_ms, lease_ms;
    struct tree *waits_for;
    struct some_ranks absent, lost, silent, away, rebooted;
    uint32_t n_waiting;
};

static bool is_away(const struct inventory_host *host)
{
    return host != NULL &&
           (host->state == HOST_DOWN || host->state == HOST_DRAINED);
}

/* Whether a worker was one of another boot of its host than the one that is
 * known. */
static bool is_rebooted(const struct look *look,
                        const struct inventory_host *host,
                        const struct member *member)
{
    const struct sighting *sighting =
        host != NULL ? boots_sighting(look->boot->boots, host->name) : NULL;

    return sighting != NULL && sighting->rebooted_ms != 0 &&
           member->host_boot != 0 && member->host_boot != sighting->n_boots;
}

static void write_rank(struct look *look, uint32_t rank, const char *state,
                       const struct inventory_host *host, uint64_t silent_ms)
{
    struct tree_maker *maker = look->doctor->maker;
    struct tree *map;

    if (tree_count(look->waits_for) >= look->doctor->ranks_max)
        return;
    map = make_map(maker, look->waits_for, NULL);
    make_int(maker, map, "rank", rank);
    make_string(maker, map, "state", state);
    if (host != NULL) {
        make_string(maker, map, "host", host->name);
        make_string(maker, map, "host_state", host_state_name(host->state));
    }
    if (silent_ms > 0)
        make_int(maker, map, "silent_ms", (int64_t)silent_ms);
}

static void look_at_member(struct look *look, uint32_t i)
{
    const struct member *member = &look->boot->members[i];
    uint32_t rank = look->boot->ranks[i];
    uint64_t silent_ms = 0;
    const struct inventory_host *host = NULL;

    look->n_waiting += member->waiting != NULL;
    if (member->state == MEMBER_LEFT || member->waiting != NULL)
        return;
    if (member->state != MEMBER_ABSENT)
        silent_ms = look->now_ms - member->seen_ms;
    if (member->state == MEMBER_HERE && silent_ms <= look->lease_ms / 2)
        return;
    if (look->live->bound != NULL)
        host = bound_host(look->live->bound, i); /* members are by position */
    if (member->state == MEMBER_ABSENT) {
        add_rank(&look->absent, rank, host, 0);
        write_rank(look, rank, "never joined", host, 0);
    } else if (member->state == MEMBER_LOST) {
        add_rank(&look->lost, rank, host, silent_ms);
        write_rank(look, rank, "lost", host, silent_ms);
    } else {
        add_rank(&look->silent, rank, host, silent_ms);
        write_rank(look, rank, "silent", host, silent_ms);
    }
    if (member->state == MEMBER_LOST && is_rebooted(look, host, member))
        add_rank(&look->rebooted, rank, host, 0);
    if (member->state != MEMBER_HERE && is_away(host))
        add_rank(&look->away, rank, host, 0);
}

/* ---- what is wrong with them --------------------------------------------- */

static void tell_away(const struct look *look)
{
    struct text what = { 0 };
    const struct inventory_host *host = look->away.hosts[0];

    if (look->away.n == 0)
        return;
    put_ranks(&look->away, look->live, &what);
    text_printf(&what, " %s not there, and %s is %s",
                look->away.n == 1 ? "is" : "are", host->name,
                host_state_name(host->state));
    if (host->why[0] != '\0')
        text_printf(&what, " (%s)", host->why);
    doctor_add(look->doctor,
               of_ranks(TROUBLE_HOST_AWAY, look->live, &look->away), &what);
}

static void tell_rebooted(const struct look *look)
{
    struct text what = { 0 };

    if (look->rebooted.n == 0)
        return;
    put_ranks(&look->rebooted, look->live, &what);
    text_printf(&what, " %s lost: the host was started anew since",
                look->rebooted.n == 1 ? "is" : "are");
    doctor_add(look->doctor,
               of_ranks(TROUBLE_REBOOTED, look->live, &look->rebooted), &what);
}

static void tell_lost(const struct look *look)
{
    struct text what = { 0 };

    if (look->lost.n == 0)
        return;
    put_ranks(&look->lost, look->live, &what);
    text_printf(&what, " %s lost: nothing was heard for %" PRIu64 " s",
                look->lost.n == 1 ? "is" : "are", look->lost.silent_ms / 1000);
    doctor_add(look->doctor, of_ranks(TROUBLE_LOST, look->live, &look->lost),
               &what);
}

static void tell_silent(const struct look *look)
{
    struct text what = { 0 };
    uint64_t silent_ms = look->silent.silent_ms;

    if (look->silent.n == 0)
        return;
    put_ranks(&look->silent, look->live, &what);
    text_printf(&what,
                " gave no sign of life for %" PRIu64 " s; the lease ends "
                "after %" PRIu64 " s",
                silent_ms / 1000, look->lease_ms / 1000);
    doctor_add(look->doctor,
               of_ranks(TROUBLE_SILENT, look->live, &look->silent), &what);
}

/* Those that never came, as long as the boot is not whole. */
static void tell_absent(const struct look *look)
{
    const struct boot *boot = look->boot;
    uint64_t age_ms = look->now_ms - boot->since_ms;
    enum trouble trouble = TROUBLE_BOOTING;
    struct text what = { 0 };

    if (look->absent.n == 0)
        return;
    if (boot->since_ms == 0)
        trouble = TROUBLE_TIMED_OUT;
    else if (age_ms > look->lease_ms)
        trouble = TROUBLE_SLOW_BOOT;
    put_ranks(&look->absent, look->live, &what);
    if (boot->since_ms == 0)
        text_put(&what, " did not join in time");
    else
        text_printf(&what, " did not join yet, after %" PRIu64 " s",
                    age_ms / 1000);
    text_printf(&what, "; %" PRIu32 " of %" PRIu32 " workers are there",
                boot->n_here, boot->world);
    doctor_add(look->doctor, of_ranks(trouble, look->live, &look->absent),
               &what);
}

static void tell_address(const struct look *look)
{
    const struct boot *boot = look->boot;
    struct text what = { 0 };

    if (boot->world < 2 || boot->address[0] != '\0' ||
        look->live->bound != NULL || boot->members[0].state != MEMBER_HERE)
        return;
    text_printf(&what,
                "rank %" PRIu32 " of %s, where all meet, joined without an "
                "address",
                boot->ranks[0], look->live->name);
    doctor_add(look->doctor,
               (struct ailment){ .trouble = TROUBLE_NO_ADDRESS,
                                 .placement = look->live->name,
                                 .rank = boot->ranks[0],
                                 .n_ranks = 1 },
               &what);
}

/* ---- the refused --------------------------------------------------------- */

static void write_refused(const struct refused *item, struct tree_maker *maker,
                          struct tree *list)
{
    struct tree *map = make_map(maker, list, NULL);

    make_string(maker, map, "code", trouble_rows[item->trouble].code);
    if (item->rank >= 0)
        make_int(maker, map, "rank", item->rank);
    make_string(maker, map, "reason", item->text != NULL ? item->text : "");
    make_string(maker, map, "who", item->who != NULL ? item->who : "");
    make_int(maker, map, "count", (int64_t)item->count);
    make_int(maker, map, "first_ms", item->first_ms);
    make_int(maker, map, "last_ms", item->last_ms);
}

/* One ailment for each kind, with the newest of its refusals. What nobody asks
 * for any more, for as long as a boot may take, is only told of. */
static void tell_refused(struct doctor *doctor, const struct live *live,
                         const struct refused_log *log, enum trouble trouble)
{
    int64_t since_ms = daemon_now_ms(doctor->daemon) -
                       daemon_settings(doctor->daemon)->boot_ms;
    const struct refused *newest = NULL;
    struct text what = { 0 };
    uint32_t n = 0;

    for (size_t i = 0; i < log->n; i++) {
        const struct refused *item = &log->items[i];

        if (item->trouble != trouble || item->last_ms < since_ms)
            continue;
        n++;
        if (newest == NULL || item->last_ms > newest->last_ms)
            newest = item;
    }
    if (n == 0)
        return;
    if (newest->rank >= 0)
        text_printf(&what, "rank %" PRId64 " of ", newest->rank);
    text_printf(&what, "%s was refused: %s", live->name,
                newest->text != NULL ? newest->text : "");
    if (n > 1)
        text_printf(&what, " (and %" PRIu32 " other ranks)", n - 1);
    doctor_add(doctor,
               (struct ailment){ .trouble = trouble,
                                 .placement = live->name,
                                 .rank = newest->rank,
                                 .n_ranks = n },
               &what);
}

static void diagnose_refused(struct doctor *doctor, const struct boots *boots,
                             const struct live *live, struct tree *map)
{
    const struct refused_log *log = refused_find(&boots->refused, live);
    struct tree *list = make_list(doctor->maker, map, "refused");

    if (log == NULL)
        return;
    for (size_t i = 0; i < log->n; i++)
        write_refused(&log->items[i], doctor->maker, list);
    for (int trouble = 0; trouble < TROUBLE_COUNT; trouble++)
        tell_refused(doctor, live, log, (enum trouble)trouble);
}

/* ---- the whole ----------------------------------------------------------- */

static void tell_not_started(struct doctor *doctor, const struct live *live)
{
    struct text what = { 0 };

    text_printf(&what, "none of the %" PRIu32 " workers of %s has joined yet",
                live->common.n_ranks, live->name);
    doctor_add(doctor,
               (struct ailment){ .trouble = TROUBLE_NOT_STARTED,
                                 .placement = live->name,
                                 .rank = -1 },
               &what);
}

static void write_boot(const struct look *look, struct tree *map)
{
    struct tree_maker *maker = look->doctor->maker;
    const struct boot *boot = look->boot;
    const struct inventory_host *host = bind_host(look->live, boot->ranks[0]);
    const char *address = boot->address;

    make_int(maker, map, "joined", boot->n_here);
    make_int(maker, map, "left", boot->n_left);
    make_int(maker, map, "lost", boot->n_lost);
    make_int(maker, map, "missing", look->absent.n);
    make_int(maker, map, "waiting", look->n_waiting);
    if (boot->state == BOOT_BOOTING && boot->since_ms != 0)
        make_int(maker, map, "booting_ms",
                 (int64_t)(look->now_ms - boot->since_ms));
    if (host != NULL)
        address = bind_address(state_inventory(boot->boots->of), host);
    make_string(maker, map, "master_address", address);
    if (look->live->ports.n > 0)
        make_int(maker, map, "master_port",
                 look->live->ports.items[0].ports[0]);
}

void boots_diagnose(struct doctor *doctor, const struct live *live,
                    struct tree *map)
{
    const struct boots *boots = state_boots(doctor->state);
    const struct settings *settings = daemon_settings(doctor->daemon);
    struct look look = { .doctor = doctor,
                         .live = live,
                         .boot = boot_find(boots, live),
                         .now_ms = boots_now(boots),
                         .lease_ms = (uint64_t)settings->lease_ms };

    look.waits_for = make_list(doctor->maker, map, "waits_for");
    if (look.boot == NULL) {
        tell_not_started(doctor, live);
    } else {
        for (uint32_t i = 0; i < look.boot->world; i++)
            look_at_member(&look, i);
        write_boot(&look, map);
        tell_rebooted(&look);
        tell_away(&look);
        tell_lost(&look);
        tell_silent(&look);
        tell_absent(&look);
        tell_address(&look);
    }
    diagnose_refused(doctor, boots, live, map);
}
