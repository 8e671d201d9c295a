/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that placements are given: which are to be had. */
#include "daemon/port.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bound.h"
#include "daemon/daemon.h"
#include "daemon/inventory.h"
#include "daemon/live.h"
#include "daemon/state.h"

enum {
    CHOICE_BYTES_MAX = 1 << 30, /* of the work for one placement */
    HOLDERS_SHOWN_MAX = 4,
};

/* A port that is kept from others on a host that ports are wanted on. */
struct kept {
    uint32_t mark; /* of its host */
    uint32_t port; /* counted from the first of the range */
};

/* A seat that wants a port. */
struct seat {
    struct port_lease *lease;
    uint32_t number;
};

struct choice {
    struct daemon *daemon;
    struct live *live;
    const struct live *before; /* whose ports are free; NULL: nobody's */
    struct arena *arena;
    int64_t now_ms;
    uint32_t first, n; /* the range */
    /* hosts that ports are wanted on, by mark - 1; where seats have none,
     * mark 0 stands for all hosts at once */
    struct inventory_host **hosts;
    uint32_t n_hosts;
    struct seat *seats; /* by mark, then as they are leased */
    uint32_t *begin;    /* of seats of a mark; one more entry */
    uint32_t n_seats;
    bool anywhere;   /* some seat has no host */
    uint8_t *always; /* bits by port: kept on every host */
    struct kept *kept;
    size_t n_kept, cap_kept;
    bool failed;
    struct error *err;
};

static bool get_bit(const uint8_t *bits, uint32_t i)
{
    return (bits[i / 8] >> i % 8 & 1) != 0;
}

static void set_bit(uint8_t *bits, uint32_t i)
{
    bits[i / 8] |= (uint8_t)(1u << i % 8);
}

/* ---- what is kept from others -------------------------------------------- */

static void keep(struct choice *c, uint32_t mark, uint32_t port)
{
    if (c->n_kept == c->cap_kept) {
        size_t cap = c->cap_kept == 0 ? 64 : 2 * c->cap_kept;
        struct kept *kept = arena_array(c->arena, cap, sizeof(*kept));

        c->failed |= kept == NULL;
        if (c->failed)
            return;
        if (c->n_kept > 0)
            memcpy(kept, c->kept, c->n_kept * sizeof(*kept));
        c->kept = kept;
        c->cap_kept = cap;
    }
    c->kept[c->n_kept++] = (struct kept){ mark, port };
}

static void see_port(void *arg, struct inventory_host *host, uint32_t port)
{
    struct choice *c = arg;

    if (port < c->first || port - c->first >= c->n)
        return;
    if (host == NULL || c->anywhere)
        set_bit(c->always, port - c->first);
    else if (host->mark != 0)
        keep(c, host->mark, port - c->first);
}

/* Whether a placement may keep a port that matters. To walk 65,536 ports takes
 * 0.7 ms of each Place, the runs of their devices less than half of it. What
 * rests, and an instance that cannot be read, may be on other hosts. */
static bool is_near(const struct choice *c, const struct live *live)
{
    if (c->anywhere || live->bound == NULL || live->check == NULL ||
        live->ports.n_rests > 0 || live->ports.moving != 0)
        return true;
    for (size_t i = 0; i < live->bound->n_runs; i++)
        if (live->bound->runs[i].host->mark != 0)
            return true;
    return false;
}

static void see_live(void *thing, void *arg)
{
    const struct live *live = thing;
    struct choice *c = arg;

    if (live == c->before) { /* but for what rests, which goes on resting */
        struct port_leases rests = live->ports;

        rests.n = rests.moving = 0;
        port_walk(&rests, c->now_ms, see_port, c);
        return;
    }
    if (is_near(c, live))
        port_walk(&live->ports, c->now_ms, see_port, c);
}

static void see_ended(void *thing, void *arg)
{
    const struct port_ended *ended = thing;
    struct choice *c = arg;

    port_walk(&ended->leases, c->now_ms, see_port, c);
}

static void walk_all(struct choice *c, void (*live)(void *thing, void *arg),
                     void (*ended)(void *thing, void *arg), void *arg)
{
    struct state *state = daemon_state(c->daemon);

    state_live_walk(state, live, arg);
    state_prepared_walk(state, live, arg);
    state_ended_walk(state, ended, arg);
}

static int compare_kept(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;

    return (x->mark > y->mark) - (x->mark < y->mark);
}

/* ---- who wants one ------------------------------------------------------- */

static uint32_t mark_of(const struct seat *seat)
{
    const struct inventory_host *host = seat->lease->hosts[seat->number];

    return host != NULL ? host->mark : 0;
}

static void mark_hosts(struct choice *c, const struct seat *seats)
{
    for (uint32_t i = 0; i < c->n_seats; i++) {
        struct inventory_host *host = seats[i].lease->hosts[seats[i].number];

        c->anywhere |= host == NULL;
        if (host == NULL || host->mark != 0)
            continue;
        c->hosts[c->n_hosts] = host;
        host->mark = ++c->n_hosts;
    }
}

static void clear_marks(struct choice *c)
{
    for (uint32_t i = 0; i < c->n_hosts; i++)
        c->hosts[i]->mark = 0;
}

/* Sorts seats by their hosts, keeping the order of each host's. */
static int sort_seats(struct choice *c, const struct seat *seats)
{
    uint32_t *next;

    c->begin = arena_array(c->arena, c->n_hosts + 2, sizeof(*c->begin));
    next = arena_array(c->arena, c->n_hosts + 2, sizeof(*next));
    if (c->begin == NULL || next == NULL)
        return -1;
    for (uint32_t i = 0; i < c->n_seats; i++)
        c->begin[mark_of(&seats[i]) + 1]++;
    for (uint32_t mark = 0; mark <= c->n_hosts; mark++)
        c->begin[mark + 1] += c->begin[mark];
    memcpy(next, c->begin, (c->n_hosts + 2) * sizeof(*next));
    for (uint32_t i = 0; i < c->n_seats; i++)
        c->seats[next[mark_of(&seats[i])]++] = seats[i];
    return 0;
}

static int take_seats(struct choice *c, const struct seat *seats, uint32_t n)
{
    c->n_seats = n;
    c->hosts = arena_array(c->arena, n + 1, sizeof(*c->hosts));
    c->seats = arena_array(c->arena, n + 1, sizeof(*c->seats));
    c->always = arena_array(c->arena, c->n / 8 + 1, 1);
    if (c->hosts == NULL || c->seats == NULL || c->always == NULL)
        return -1;
    mark_hosts(c, seats);
    return sort_seats(c, seats);
}

/* ---- refusing ------------------------------------------------------------ */

/* Who has ports of the range on one host. */
struct holding {
    struct choice *c;
    const struct inventory_host *host; /* NULL: any */
    uint32_t count;
    const char *names[HOLDERS_SHOWN_MAX];
    uint32_t counts[HOLDERS_SHOWN_MAX];
    uint32_t n_named, n_others, n_rest;
};

static void count_port(void *arg, struct inventory_host *host, uint32_t port)
{
    struct holding *h = arg;

    h->count += port >= h->c->first && port - h->c->first < h->c->n &&
                (host == NULL || h->host == NULL || host == h->host);
}

static void count_rests(struct holding *h, const struct port_leases *leases)
{
    struct port_leases rests = *leases;

    rests.n = 0;
    h->count = 0;
    port_walk(&rests, h->c->now_ms, count_port, h);
    h->n_rest += h->count;
}

static void count_live(void *thing, void *arg)
{
    const struct live *live = thing;
    struct port_leases leases = live->ports;
    struct holding *h = arg;

    count_rests(h, &leases);
    leases.n_rests = 0;
    h->count = 0;
    if (live != h->c->before)
        port_walk(&leases, h->c->now_ms, count_port, h);
    if (h->count == 0)
        return;
    if (h->n_named == HOLDERS_SHOWN_MAX) {
        h->n_others++;
        return;
    }
    h->names[h->n_named] = live->name;
    h->counts[h->n_named++] = h->count;
}

static void count_ended(void *thing, void *arg)
{
    const struct port_ended *ended = thing;

    count_rests(arg, &ended->leases);
}

static void print_holding(const struct holding *h, uint32_t own,
                          struct text *out)
{
    for (uint32_t i = 0; i < h->n_named; i++)
        text_printf(out, "%s %.48s (%" PRIu32 ")", i > 0 ? "," : ", by",
                    h->names[i], h->counts[i]);
    if (h->n_others > 0)
        text_printf(out, " and %" PRIu32 " placements more", h->n_others);
    if (own > 0)
        text_printf(out, "%s %.48s itself (%" PRIu32 ")",
                    h->n_named > 0 ? "," : ", by", h->c->live->name, own);
    if (h->n_rest > 0)
        text_printf(out, "%s %" PRIu32 " rest for at most %g s",
                    h->n_named > 0 || own > 0 ? ";" : ":", h->n_rest,
                    (double)daemon_settings(h->c->daemon)->port_rest_ms / 1000);
}

/* own: ports that the placement itself was given there just now. */
static int refuse(struct choice *c, const struct seat *seat, uint32_t own)
{
    struct holding h = { .c = c, .host = seat->lease->hosts[seat->number] };
    struct text holders = { 0 };
    int rc;

    if (c->n == 0)
        return error_set(c->err, STATUS_EXHAUSTED,
                         "the range of ports is empty: port_first, %" PRIu32
                         ", is above port_last",
                         c->first);
    walk_all(c, count_live, count_ended, &h);
    print_holding(&h, own, &holders);
    rc = error_set(c->err, STATUS_EXHAUSTED,
                   "no port for %s is free on %.64s: all %" PRIu32
                   " ports from %" PRIu32 " to %" PRIu32 " are taken%s; "
                   "release a placement, or widen port_first and port_last",
                   seat->lease->purpose,
                   h.host != NULL ? h.host->name : "every host", c->n, c->first,
                   c->first + c->n - 1, text_string(&holders));
    text_close(&holders);
    return rc;
}

/* ---- giving -------------------------------------------------------------- */

/* Gives the seats of one host their ports. */
static int give(struct choice *c, uint32_t mark, uint8_t *used, uint32_t start)
{
    uint32_t at = 0; /* steps from start */

    for (uint32_t i = c->begin[mark]; i < c->begin[mark + 1]; i++) {
        const struct seat *seat = &c->seats[i];

        while (at < c->n && get_bit(used, (start + at) % c->n))
            at++;
        if (at >= c->n)
            return refuse(c, seat, i - c->begin[mark]);
        seat->lease->ports[seat->number] =
            (uint16_t)(c->first + (start + at++) % c->n);
    }
    return 0;
}

static int give_all(struct choice *c)
{
    struct store_pos now = state_position(daemon_state(c->daemon));
    size_t bytes = c->n / 8 + 1, k = 0;
    uint8_t *used = arena_array(c->arena, bytes, 1);

    if (used == NULL)
        return error_exhausted(c->err);
    if (c->n_kept > 0)
        qsort(c->kept, c->n_kept, sizeof(*c->kept), compare_kept);
    for (uint32_t mark = 0; mark <= c->n_hosts; mark++) {
        memcpy(used, c->always, bytes);
        for (; k < c->n_kept && c->kept[k].mark == mark; k++)
            set_bit(used, c->kept[k].port);
        if (give(c, mark, used, c->n > 0 ? (uint32_t)(now.rev % c->n) : 0) < 0)
            return -1;
    }
    return 0;
}

static int choose(struct choice *c, const struct seat *seats, uint32_t n)
{
    const struct settings *settings = daemon_settings(c->daemon);
    int rc = -1;

    c->now_ms = daemon_now_ms(c->daemon);
    c->first = (uint32_t)settings->port_first;
    if (settings->port_last >= settings->port_first)
        c->n = (uint32_t)(settings->port_last + 1) - c->first;
    if (take_seats(c, seats, n) == 0) {
        walk_all(c, see_live, see_ended, c);
        if (!c->failed)
            rc = give_all(c);
    }
    clear_marks(c);
    return rc < 0 && (c->failed || arena_failed(c->arena))
               ? error_exhausted(c->err)
               : rc;
}

static int choose_for_all(struct choice *c)
{
    const struct port_leases *leases = &c->live->ports;
    struct seat *seats;
    uint32_t n = 0;

    for (size_t i = 0; i < leases->n; i++)
        n += leases->items[i].n;
    seats = arena_array(c->arena, n + 1, sizeof(*seats));
    if (seats == NULL)
        return error_exhausted(c->err);
    n = 0;
    for (size_t i = 0; i < leases->n; i++)
        for (uint32_t seat = 0; seat < leases->items[i].n; seat++)
            seats[n++] = (struct seat){ &leases->items[i], seat };
    return choose(c, seats, n);
}

int port_choose(struct daemon *daemon, struct live *live,
                const struct live *before, struct error *err)
{
    struct choice c = { .daemon = daemon, .live = live, .err = err };
    const struct port_ended *ended =
        state_ended(daemon_state(daemon), live->name);
    int rc;

    if (before != NULL && !port_may_be_held(daemon, before))
        c.before = before;
    if (port_leases_make(live, err) < 0 ||
        port_rests_after(daemon, before, ended, live->arena, &live->ports,
                         err) < 0)
        return -1;
    c.arena = arena_new(CHOICE_BYTES_MAX);
    if (c.arena == NULL)
        return error_exhausted(err);
    rc = choose_for_all(&c);
    arena_free(c.arena);
    return rc;
}

int port_choose_other(struct daemon *daemon, struct live *live,
                      struct port_lease *lease, uint32_t seat,
                      struct error *err)
{
    struct choice c = { .daemon = daemon, .live = live, .err = err };
    const struct seat only = { lease, seat };
    uint16_t was = lease->ports[seat];
    int rc;

    c.arena = arena_new(CHOICE_BYTES_MAX);
    if (c.arena == NULL)
        return error_exhausted(err);
    rc = choose(&c, &only, 1);
    if (rc == 0) {
        live->ports.moving_host = lease->hosts[seat];
        live->ports.moving = lease->ports[seat];
    }
    lease->ports[seat] = was;
    arena_free(c.arena);
    return rc;
}
