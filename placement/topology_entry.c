/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an entry of a cluster's document: a host, or several that are alike. */
#include <inttypes.h>
#include <string.h>

#include "placement/names.h"
#include "placement/reader.h"
#include "placement/topology_load.h"

/* clang-format off */
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
    { "machine_id", READ_STRING,             false },
    { "domain",     READ_STRING,             false },
    { "own_domain", READ_BOOL,               false },
    { "devices",    READ_LIST | READ_INT,    false },
};
/* clang-format on */

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

/* ---- parts of an entry --------------------------------------------------- */

static int read_state(struct entry_reading *r)
{
    const struct tree *t = tree_get(r->at, "state");
    struct host *host = &r->entry->host;

    if (t == NULL)
        return 0;
    for (int s = 0; s < HOST_STATE_COUNT; s++)
        if (strcmp(host_state_name((enum host_state)s), t->text) == 0) {
            host->state = (enum host_state)s;
            return 0;
        }
    return tree_error(t, r->err, STATUS_INVALID,
                      "\"%s\" is no state; there are ready, cordoned, drained, "
                      "down",
                      t->text);
}

static int read_addresses(struct entry_reading *r)
{
    const struct tree *t = tree_get(r->at, "addresses");
    struct host *host = &r->entry->host;

    if (t == NULL)
        return 0;
    if (read_names(r->arena, t, &host->addresses, &host->n_addresses, r->err) <
        0)
        return -1;
    if (host->n_addresses > HOST_ADDRESSES_MAX)
        return tree_error(t, r->err, STATUS_INVALID,
                          "a host has %d addresses at most",
                          HOST_ADDRESSES_MAX);
    for (size_t i = 0; i < host->n_addresses; i++)
        if (!name_is_host(host->addresses[i]))
            return tree_error(t, r->err, STATUS_INVALID,
                              "\"%.60s\" is no address; write one without a "
                              "port",
                              host->addresses[i]);
    return 0;
}

static int read_labels(struct entry_reading *r)
{
    const struct tree *map = tree_get(r->at, "labels");
    struct host *host = &r->entry->host;
    struct label *labels;

    if (tree_count(map) > HOST_LABELS_MAX)
        return tree_error(map, r->err, STATUS_INVALID,
                          "a host has %d labels at most", HOST_LABELS_MAX);
    labels = arena_array(r->arena, tree_count(map), sizeof(*labels));
    if (labels == NULL)
        return error_exhausted(r->err);
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        if (t->type != TREE_STRING && t->type != TREE_INT)
            return tree_error(t, r->err, STATUS_INVALID,
                              "a label is a string or an integer");
        if (t->len > CLUSTER_TEXT_MAX)
            return tree_error(t, r->err, STATUS_INVALID,
                              "a text here has %d bytes at most",
                              CLUSTER_TEXT_MAX);
        labels[host->n_labels].key = t->key;
        labels[host->n_labels++].value =
            t->text != NULL ? t->text
                            : arena_printf(r->arena, "%" PRId64, t->u.integer);
        if (labels[host->n_labels - 1].value == NULL)
            return error_exhausted(r->err);
    }
    host->labels = labels;
    return 0;
}

bool host_is_machine_id(const char *text)
{
    size_t n = strspn(text, "0123456789abcdef");

    return n == 32 && text[n] == '\0';
}

/* Which machine it is: of one host only. */
static int read_machine(struct entry_reading *r)
{
    const struct tree *t = tree_get(r->at, "machine_id");
    const char *name = read_string(r->at, "name");

    if (t == NULL)
        return 0;
    if (!host_is_machine_id(t->text))
        return tree_error(t, r->err, STATUS_INVALID,
                          "\"%.64s\" is no machine_id; it is the 32 lower-case "
                          "hex digits of /etc/machine-id",
                          t->text);
    if (strchr(name, '[') != NULL)
        return tree_error(t, r->err, STATUS_INVALID,
                          "%.64s stands for several hosts, and a machine_id is "
                          "that of one",
                          name);
    r->entry->host.machine_id = t->text;
    return 0;
}

/* A state, and who may be asked about it. */
static int read_about(struct entry_reading *r)
{
    struct host *host = &r->entry->host;

    if (read_state(r) < 0)
        return -1;
    host->reason = read_string(r->at, "reason");
    host->by = read_string(r->at, "by");
    host->spare = tree_true(r->at, "spare");
    return read_machine(r);
}

static int read_place(struct entry_reading *r)
{
    const char *rack = read_string(r->at, "rack");
    struct host_entry *entry = r->entry;

    entry->block = read_string(r->at, "block");
    entry->own_domain = tree_true(r->at, "own_domain");
    r->domain = read_string(r->at, "domain");
    if (entry->block != NULL && rack != NULL)
        return tree_error(tree_get(r->at, "rack"), r->err, STATUS_INVALID,
                          "a rack is a block, and the host has one; write one "
                          "of both");
    if (r->domain != NULL && entry->own_domain)
        return tree_error(tree_get(r->at, "own_domain"), r->err, STATUS_INVALID,
                          "the host has a domain; write one of both");
    if (rack != NULL)
        entry->block = rack;
    return 0;
}

int host_entry_read(struct arena *arena, const struct tree *tree,
                    struct host_entry *ret, struct error *err)
{
    struct host_entry entry = { .host = { .block = BLOCK_NONE } };
    struct entry_reading r = {
        .arena = arena, .at = tree, .entry = &entry, .err = err
    };

    if (read_keys(tree, host_keys, ARRAY_LEN(host_keys), err) < 0 ||
        topology_check_texts(tree, err) < 0 || read_about(&r) < 0 ||
        read_addresses(&r) < 0 || read_labels(&r) < 0 || read_place(&r) < 0)
        return -1;
    entry.host.name = read_string(tree, "name");
    if (topology_read_devices(&r) < 0)
        return -1;
    *ret = entry;
    return 0;
}
