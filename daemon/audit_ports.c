/* SPDX-License-Identifier: Apache-2.0 */
/* Whether any port is leased twice. */
#include "daemon/audit_ports.h"

#include <inttypes.h>
#include <stdlib.h>

#include "daemon/inventory.h"

/* One port of one seat. */
struct held {
    const struct live *live;
    const struct inventory_host *host; /* NULL: any */
    uint32_t port;
};

struct collected {
    struct held *items; /* NULL while they are counted */
    size_t n;
    const struct live *live;
};

static void collect_port(void *arg, struct inventory_host *host, uint32_t port)
{
    struct collected *c = arg;

    if (c->items != NULL)
        c->items[c->n] = (struct held){ c->live, host, port };
    c->n++;
}

static void collect(void *thing, void *arg)
{
    struct collected *c = arg;
    struct port_leases leases;

    c->live = thing;
    leases = c->live->ports;
    leases.n_rests = 0; /* others may have had them, and rest too */
    port_walk(&leases, 0, collect_port, c);
}

/* By port, then by host: those on any host first. */
static int compare(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    uintptr_t hx = (uintptr_t)x->host, hy = (uintptr_t)y->host;

    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    return (hx > hy) - (hx < hy);
}

static void say(const struct held *one, const struct held *other,
                void (*fault)(void *arg, const struct live *live,
                              const char *what),
                void *arg)
{
    const struct inventory_host *host = one->host;
    struct text text = { 0 };

    text_printf(&text, "port %" PRIu32 " of %s is leased ", one->port,
                host != NULL ? host->name : "some host");
    if (one->live == other->live)
        text_put(&text, "to it twice");
    else
        text_printf(&text, "to %s too", other->live->name);
    fault(arg, one->live, text_string(&text));
    text_close(&text);
}

void audit_ports(struct state *state,
                 void (*fault)(void *arg, const struct live *live,
                               const char *what),
                 void *arg)
{
    struct collected c = { 0 };
    size_t any = 0; /* the last one of the same port on any host */

    state_live_walk(state, collect, &c);
    c.items = calloc(c.n + 1, sizeof(*c.items));
    if (c.items == NULL)
        return;
    c.n = 0;
    state_live_walk(state, collect, &c);
    qsort(c.items, c.n, sizeof(*c.items), compare);
    for (size_t i = 1; i < c.n; i++) {
        const struct held *one = &c.items[i], *last = &c.items[i - 1];

        if (last->host == NULL)
            any = i; /* one behind it */
        if (last->port != one->port)
            continue;
        if (last->host == one->host)
            say(one, last, fault, arg);
        else if (any > 0 && c.items[any - 1].port == one->port)
            say(one, &c.items[any - 1], fault, arg);
    }
    free(c.items);
}
