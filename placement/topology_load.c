/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a cluster from its document. */
#include <inttypes.h>
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
static const struct read_key host_keys[] = {
    { "name",       READ_STRING,             true },
    { "addresses",  READ_LIST | READ_STRING, false },
    { "labels",     READ_MAP,                false },
    { "rack",       READ_STRING,             false },
    { "block",      READ_STRING,             false },
    { "state",      READ_STRING,             false },
    { "reason",     READ_STRING,             false },
    { "by",         READ_STRING,             false },
    { "spare",      READ_BOOL,               false },
    { "domain",     READ_STRING,             false },
    { "own_domain", READ_BOOL,               false },
    { "devices",    READ_LIST | READ_INT,    false },
};
/* clang-format on */

static bool flag(const struct tree *map, const char *key)
{
    const struct tree *t = tree_get(map, key);

    return t != NULL && t->u.boolean;
}

/* Strings are bounded where they are read. */
int topology_check_texts(const struct tree *map, struct error *err)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (t->type == TREE_STRING && t->len > CLUSTER_TEXT_MAX &&
            strcmp(t->key, "name") != 0)
            return tree_error(t, err, STATUS_INVALID,
                              "a text here has %d bytes at most",
                              CLUSTER_TEXT_MAX);
        else if (t->type == TREE_STRING && t->len == 0)
            return tree_error(t, err, STATUS_INVALID, "may not be empty");
    return 0;
}

/* ---- hosts -------------------------------------------------------------- */

static int read_state(struct loading *load, const struct tree *tree,
                      struct host *host)
{
    const struct tree *t = tree_get(tree, "state");

    if (t == NULL)
        return 0;
    for (int s = 0; s < HOST_STATE_COUNT; s++)
        if (strcmp(host_state_name((enum host_state)s), t->text) == 0) {
            host->state = (enum host_state)s;
            return 0;
        }
    return tree_error(t, load->err, STATUS_INVALID,
                      "\"%s\" is no state; there are ready, cordoned, drained, "
                      "down",
                      t->text);
}

static int read_addresses(struct loading *load, const struct tree *tree,
                          struct host *host)
{
    const struct tree *t = tree_get(tree, "addresses");

    if (t == NULL)
        return 0;
    if (read_names(load->arena, t, &host->addresses, &host->n_addresses,
                   load->err) < 0)
        return -1;
    if (host->n_addresses > HOST_ADDRESSES_MAX)
        return tree_error(t, load->err, STATUS_INVALID,
                          "a host has %d addresses at most",
                          HOST_ADDRESSES_MAX);
    for (size_t i = 0; i < host->n_addresses; i++)
        if (!name_is_host(host->addresses[i]))
            return tree_error(t, load->err, STATUS_INVALID,
                              "\"%.60s\" is no address; write one without a "
                              "port",
                              host->addresses[i]);
    return 0;
}

static int read_labels(struct loading *load, const struct tree *tree,
                       struct host *host)
{
    const struct tree *map = tree_get(tree, "labels");
    struct label *labels;

    if (tree_count(map) > HOST_LABELS_MAX)
        return tree_error(map, load->err, STATUS_INVALID,
                          "a host has %d labels at most", HOST_LABELS_MAX);
    labels = arena_array(load->arena, tree_count(map), sizeof(*labels));
    if (labels == NULL)
        return error_exhausted(load->err);
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        if (t->type != TREE_STRING && t->type != TREE_INT)
            return tree_error(t, load->err, STATUS_INVALID,
                              "a label is a string or an integer");
        if (t->len > CLUSTER_TEXT_MAX)
            return tree_error(t, load->err, STATUS_INVALID,
                              "a text here has %d bytes at most",
                              CLUSTER_TEXT_MAX);
        labels[host->n_labels].key = t->key;
        labels[host->n_labels++].value =
            t->text != NULL
                ? t->text
                : arena_printf(load->arena, "%" PRId64, t->u.integer);
        if (labels[host->n_labels - 1].value == NULL)
            return error_exhausted(load->err);
    }
    host->labels = labels;
    return 0;
}

/* How many devices, and whether each is described. */
static int read_count(struct loading *load, const struct tree *tree,
                      struct draft *draft)
{
    const struct tree *t = tree_get(tree, "devices");
    int64_t n;

    if (t == NULL)
        return 0;
    n = t->type == TREE_INT ? t->u.integer : (int64_t)tree_count(t);
    if (n < 0 || n > HOST_DEVICES_MAX)
        return tree_error(t, load->err, STATUS_INVALID,
                          "a host has 0 to %d devices, not %" PRId64,
                          HOST_DEVICES_MAX, n);
    draft->host.devices_known = true;
    draft->host.n_devices = (uint32_t)n;
    draft->devices = t->type == TREE_LIST ? t : NULL;
    return 0;
}

static int read_place(struct loading *load, const struct tree *tree,
                      struct draft *draft)
{
    const char *rack = read_string(tree, "rack");

    draft->block = read_string(tree, "block");
    draft->domain = read_string(tree, "domain");
    draft->own_domain = flag(tree, "own_domain");
    if (draft->block != NULL && rack != NULL)
        return tree_error(tree_get(tree, "rack"), load->err, STATUS_INVALID,
                          "a rack is a block, and the host has one; write one "
                          "of both");
    if (draft->domain != NULL && draft->own_domain)
        return tree_error(tree_get(tree, "own_domain"), load->err,
                          STATUS_INVALID,
                          "the host has a domain; write one of both");
    if (rack != NULL)
        draft->block = rack;
    return 0;
}

static int add_draft(struct loading *load, const struct draft *draft)
{
    if (load->n_hosts == CLUSTER_HOSTS_MAX)
        return tree_error(draft->at, load->err, STATUS_EXHAUSTED,
                          "a cluster has %d hosts at most", CLUSTER_HOSTS_MAX);
    if (load->n_hosts == load->cap) {
        uint32_t cap = load->cap == 0 ? 64 : load->cap * 2;
        struct draft *more = arena_array(load->arena, cap, sizeof(*more));

        if (more == NULL)
            return error_exhausted(load->err);
        if (load->n_hosts > 0)
            memcpy(more, load->drafts, load->n_hosts * sizeof(*more));
        load->drafts = more;
        load->cap = cap;
    }
    load->n_devices += draft->host.n_devices;
    if (load->n_devices > CLUSTER_DEVICES_MAX)
        return tree_error(draft->at, load->err, STATUS_EXHAUSTED,
                          "a cluster has %d devices at most",
                          CLUSTER_DEVICES_MAX);
    load->drafts[load->n_hosts] = *draft;
    load->drafts[load->n_hosts].position = load->n_hosts;
    load->n_hosts++;
    return 0;
}

/* One entry may stand for many hosts, which are alike but for the name. */
static int read_host(struct loading *load, const struct tree *tree)
{
    struct draft draft = { .at = tree };
    const char *const *names;
    struct error inner;
    size_t n;

    if (read_keys(tree, host_keys, ARRAY_LEN(host_keys), load->err) < 0 ||
        topology_check_texts(tree, load->err) < 0 ||
        read_state(load, tree, &draft.host) < 0 ||
        read_addresses(load, tree, &draft.host) < 0 ||
        read_labels(load, tree, &draft.host) < 0 ||
        read_count(load, tree, &draft) < 0 ||
        read_place(load, tree, &draft) < 0)
        return -1;
    draft.host.reason = read_string(tree, "reason");
    draft.host.by = read_string(tree, "by");
    draft.host.spare = flag(tree, "spare");
    if (nodelist_expand(load->arena, read_string(tree, "name"), &names, &n,
                        &inner) < 0)
        return tree_error(tree_get(tree, "name"), load->err, inner.status, "%s",
                          inner.text);
    for (size_t i = 0; i < n; i++) {
        draft.host.name = names[i];
        if (add_draft(load, &draft) < 0)
            return -1;
    }
    return 0;
}

/* ---- order -------------------------------------------------------------- */

static int by_number(const void *va, const void *vb)
{
    const struct draft *a = va, *b = vb;
    int order = name_compare(a->host.name, b->host.name);

    return order != 0
               ? order
               : (a->position > b->position) - (a->position < b->position);
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
        qsort(load->drafts, load->n_hosts, sizeof(*load->drafts), by_number);
    return 0;
}

const struct topology *topology_load(struct arena *arena,
                                     const struct tree *document,
                                     struct error *err)
{
    struct loading load = {
        .arena = arena,
        .topology = arena_alloc(arena, sizeof(*load.topology)),
        .err = err,
    };
    const struct tree *t;

    if (load.topology == NULL) {
        error_exhausted(err);
        return NULL;
    }
    if (read_keys(document, top_keys, ARRAY_LEN(top_keys), err) < 0 ||
        topology_check_texts(document, err) < 0)
        return NULL;
    for (t = tree_first(tree_get(document, "hosts")); t != NULL; t = t->next)
        if (read_host(&load, t) < 0)
            return NULL;
    load.topology->name = read_string(document, "cluster");
    if (put_in_order(&load, document) < 0 || topology_build(&load) < 0)
        return NULL;
    return load.topology;
}
