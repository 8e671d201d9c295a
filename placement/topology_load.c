/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a cluster from its document. */
#include <stdlib.h>
#include <string.h>

#include "placement/names.h"
#include "placement/reader.h"
#include "placement/topology_load.h"

/* clang-format off */
static const struct read_key top_keys[] = {
    { "hosts",   READ_LIST,   true },
    { "cluster", READ_STRING, false },
    { "about",   READ_STRING, false },
    { "order",   READ_STRING, false },
};
/* clang-format on */

struct loading {
    struct arena *arena;
    struct placed_host
        *hosts; /* in the order of the document, then in theirs */
    uint32_t n_hosts, cap;
    uint64_t n_devices;
    struct error *err;
};

/* ---- hosts --------------------------------------------------------------- */

static int make_room(struct loading *load)
{
    uint32_t cap = load->cap == 0 ? 64 : load->cap * 2;
    struct placed_host *more;

    if (load->n_hosts < load->cap)
        return 0;
    more = arena_array(load->arena, cap, sizeof(*more));
    if (more == NULL)
        return error_exhausted(load->err);
    if (load->n_hosts > 0)
        memcpy(more, load->hosts, load->n_hosts * sizeof(*more));
    load->hosts = more;
    load->cap = cap;
    return 0;
}

static int add_host(struct loading *load, const struct placed_host *host)
{
    if (load->n_hosts == CLUSTER_HOSTS_MAX)
        return tree_error(host->at, load->err, STATUS_EXHAUSTED,
                          "a cluster has %d hosts at most", CLUSTER_HOSTS_MAX);
    if (make_room(load) < 0)
        return -1;
    load->n_devices += host->entry->host.n_devices;
    if (load->n_devices > CLUSTER_DEVICES_MAX)
        return tree_error(host->at, load->err, STATUS_EXHAUSTED,
                          "a cluster has %d devices at most",
                          CLUSTER_DEVICES_MAX);
    load->hosts[load->n_hosts++] = *host;
    return 0;
}

/* One entry may stand for many hosts, which are alike but for the name. */
static int read_hosts(struct loading *load, const struct tree *tree)
{
    struct host_entry *entry = arena_alloc(load->arena, sizeof(*entry));
    const char *const *names;
    struct error inner;
    size_t n;

    if (entry == NULL)
        return error_exhausted(load->err);
    if (host_entry_read(load->arena, tree, entry, load->err) < 0)
        return -1;
    if (nodelist_expand(load->arena, entry->host.name, &names, &n, &inner) < 0)
        return tree_error(tree_get(tree, "name"), load->err, inner.status, "%s",
                          inner.text);
    for (size_t i = 0; i < n; i++) {
        const struct placed_host host = { names[i], entry, tree };

        if (add_host(load, &host) < 0)
            return -1;
    }
    return 0;
}

/* ---- what may be there once ---------------------------------------------- */

static int check_names(struct loading *load)
{
    struct name_use *uses =
        arena_array(load->arena, load->n_hosts, sizeof(*uses));
    const char *const *names;
    size_t n;

    if (uses == NULL)
        return error_exhausted(load->err);
    for (uint32_t h = 0; h < load->n_hosts; h++)
        uses[h].name = load->hosts[h].name;
    if (names_number(load->arena, uses, load->n_hosts, &names, &n, load->err) <
        0)
        return -1;
    for (uint32_t h = 0; h < load->n_hosts; h++)
        if (uses[h].first != h)
            return tree_error(load->hosts[h].at, load->err, STATUS_INVALID,
                              "the host %s is declared twice", uses[h].name);
    return 0;
}

static int check_uuids(struct loading *load, const struct topology *t)
{
    struct name_use *uses =
        arena_array(load->arena, t->n_devices, sizeof(*uses));
    const char *const *names;
    size_t n;

    if (uses == NULL)
        return error_exhausted(load->err);
    for (uint32_t d = 0; d < t->n_devices; d++)
        uses[d].name = t->devices[d].uuid;
    if (names_number(load->arena, uses, t->n_devices, &names, &n, load->err) <
        0)
        return -1;
    for (uint32_t d = 0; d < t->n_devices; d++)
        if (uses[d].name != NULL && uses[d].first != d)
            return tree_error(
                load->hosts[t->devices[d].host].at, load->err, STATUS_INVALID,
                "a device of %s has the UUID %s, and so has one of %s",
                t->hosts[t->devices[d].host].name, uses[d].name,
                t->hosts[t->devices[uses[d].first].host].name);
    return 0;
}

/* ---- order --------------------------------------------------------------- */

static int by_number(const void *va, const void *vb)
{
    const struct placed_host *a = va, *b = vb;

    return name_compare(a->name, b->name);
}

static int put_in_order(struct loading *load, const struct tree *document)
{
    const struct tree *order = tree_get(document, "order");

    if (order == NULL || strcmp(order->text, "document") == 0)
        return 0;
    if (strcmp(order->text, "names") != 0)
        return tree_error(order, load->err, STATUS_INVALID,
                          "\"%s\" is no order; there are document, names",
                          order->text);
    if (load->n_hosts > 0)
        qsort(load->hosts, load->n_hosts, sizeof(*load->hosts), by_number);
    return 0;
}

const struct topology *topology_load(struct arena *arena,
                                     const struct tree *document,
                                     struct error *err)
{
    struct loading load = { .arena = arena, .err = err };
    struct topology *topology;

    if (read_keys(document, top_keys, ARRAY_LEN(top_keys), err) < 0 ||
        topology_check_texts(document, err) < 0)
        return NULL;
    for (const struct tree *t = tree_first(tree_get(document, "hosts"));
         t != NULL; t = t->next)
        if (read_hosts(&load, t) < 0)
            return NULL;
    if (check_names(&load) < 0 || put_in_order(&load, document) < 0)
        return NULL;
    topology = topology_join(arena, load.hosts, load.n_hosts, NULL, err);
    if (topology == NULL || check_uuids(&load, topology) < 0)
        return NULL;
    topology->name = read_string(document, "cluster");
    return topology;
}
