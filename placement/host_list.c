/* SPDX-License-Identifier: Apache-2.0 */
/* The host list that a framework's own request may carry. */
#include "placement/host_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "placement/reader.h"

/* clang-format off */
static const struct read_key rule_keys[] = {
    { "key",      READ_STRING,             true },
    { "hosts",    READ_STRING,             true },
    { "address",  READ_STRING,             true },
    { "devices",  READ_STRING,             true },
    { "apart",    READ_STRING,             false },
    { "others",   READ_LIST | READ_STRING, false },
    { "one_host", READ_LIST | READ_STRING, false },
    { "codes",    READ_MAP,                true },
};
static const struct read_key code_keys[] = {
    { "section",   READ_STRING, true },
    { "host",      READ_STRING, true },
    { "rank",      READ_STRING, true },
    { "transport", READ_STRING, true },
    { "spanned",   READ_STRING, false },
};
/* clang-format on */

static int load_words(struct arena *arena, const struct tree *tree,
                      const char *const **ret, size_t *ret_n, struct error *err)
{
    if (tree == NULL)
        return 0;
    if (tree_count(tree) > HOST_LIST_WORDS_MAX)
        return tree_error(tree, err, STATUS_INVALID,
                          "more than %d entries are not read",
                          HOST_LIST_WORDS_MAX);
    return read_names(arena, tree, ret, ret_n, err);
}

int host_list_load(struct arena *arena, const struct tree *tree,
                   struct host_list_rules *ret, struct error *err)
{
    const struct tree *codes = tree_get(tree, "codes");
    struct host_list_rules rules = { 0 };

    if (read_keys(tree, rule_keys, ARRAY_LEN(rule_keys), err) < 0 ||
        read_keys(codes, code_keys, ARRAY_LEN(code_keys), err) < 0 ||
        load_words(arena, tree_get(tree, "others"), &rules.others,
                   &rules.n_others, err) < 0 ||
        load_words(arena, tree_get(tree, "one_host"), &rules.one_host,
                   &rules.n_one_host, err) < 0)
        return -1;
    rules.key = read_string(tree, "key");
    rules.hosts = read_string(tree, "hosts");
    rules.address = read_string(tree, "address");
    rules.devices = read_string(tree, "devices");
    rules.apart = read_string(tree, "apart");
    rules.code_section = read_string(codes, "section");
    rules.code_host = read_string(codes, "host");
    rules.code_rank = read_string(codes, "rank");
    rules.code_transport = read_string(codes, "transport");
    *ret = rules;
    return 0;
}

/* ---- reading one host --------------------------------------------------- */

struct list_reader {
    struct arena *arena;
    const struct host_list_rules *rules;
    struct listed_host *hosts;
    const struct tree **apart; /* of each host; NULL: not given */
    size_t n_hosts;
    uint32_t n_ranks;
    struct error *err;
};

static int compare_numbers(const void *va, const void *vb)
{
    const uint32_t *a = va, *b = vb;

    return (*a > *b) - (*a < *b);
}

/* In *ret_twice a number that is listed twice. */
static bool has_twice(const uint32_t *numbers, size_t n, uint32_t *sorted,
                      uint32_t *ret_twice)
{
    if (n > 0)
        memcpy(sorted, numbers, n * sizeof(*numbers));
    qsort(sorted, n, sizeof(*sorted), compare_numbers);
    for (size_t i = 1; i < n; i++)
        if (sorted[i] == sorted[i - 1]) {
            *ret_twice = sorted[i];
            return true;
        }
    return false;
}

static int read_devices(struct list_reader *reader, const struct tree *list,
                        struct listed_host *host)
{
    size_t n = tree_count(list), i = 0;
    uint32_t *devices, *sorted, twice;

    if (n == 0)
        return tree_error(list, reader->err, STATUS_INVALID,
                          "the list is empty, so the host would have no rank");
    if (n > HOST_LIST_RANKS_MAX - reader->n_ranks)
        return tree_error(list, reader->err, STATUS_EXHAUSTED,
                          "the hosts have more than %d devices in all",
                          HOST_LIST_RANKS_MAX);
    devices = arena_array(reader->arena, n, sizeof(*devices));
    sorted = arena_array(reader->arena, n, sizeof(*sorted));
    if (devices == NULL || sorted == NULL)
        return error_exhausted(reader->err);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        if (read_type(t, READ_INT, reader->err) < 0)
            return -1;
        if (t->u.integer < 0 || t->u.integer > INT32_MAX)
            return tree_error(t, reader->err, STATUS_INVALID,
                              "devices are counted from 0, not %" PRId64,
                              t->u.integer);
        devices[i++] = (uint32_t)t->u.integer;
    }
    if (has_twice(devices, n, sorted, &twice))
        return tree_error(list, reader->err, STATUS_INVALID,
                          "device %" PRIu32 " is listed twice; list each once",
                          twice);
    host->devices = devices;
    host->n_devices = (uint32_t)n;
    return 0;
}

/* The table of a host's keys, which the rules name. */
static size_t host_keys(const struct host_list_rules *rules,
                        struct read_key *keys)
{
    size_t n = 0;

    keys[n++] = (struct read_key){ rules->address, READ_STRING, true };
    keys[n++] = (struct read_key){ rules->devices, READ_LIST, true };
    if (rules->apart != NULL)
        keys[n++] = (struct read_key){ rules->apart, READ_SCALAR, false };
    for (size_t i = 0; i < rules->n_others; i++)
        keys[n++] = (struct read_key){ rules->others[i], READ_ANY, false };
    return n;
}

static bool same_scalar(const struct tree *a, const struct tree *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->type == TREE_INT && b->type == TREE_INT)
        return a->u.integer == b->u.integer;
    return a->text != NULL && b->text != NULL && strcmp(a->text, b->text) == 0;
}

static int read_host(struct list_reader *reader, const struct tree *tree)
{
    const struct host_list_rules *rules = reader->rules;
    struct read_key keys[3 + HOST_LIST_WORDS_MAX];
    struct listed_host host = { .first_rank = reader->n_ranks };

    if (read_keys(tree, keys, host_keys(rules, keys), reader->err) < 0 ||
        read_devices(reader, tree_get(tree, rules->devices), &host) < 0)
        return -1;
    host.address = read_string(tree, rules->address);
    if (rules->apart != NULL)
        reader->apart[reader->n_hosts] = tree_get(tree, rules->apart);
    reader->hosts[reader->n_hosts++] = host;
    reader->n_ranks += host.n_devices;
    return 0;
}

/* ---- all hosts ---------------------------------------------------------- */

struct by_address {
    const struct listed_host *host;
    const struct tree *apart, *at;
};

static int compare_addresses(const void *va, const void *vb)
{
    const struct by_address *a = va, *b = vb;
    int order = strcmp(a->host->address, b->host->address);

    if (order != 0)
        return order;
    return (a->host->first_rank > b->host->first_rank) -
           (a->host->first_rank < b->host->first_rank);
}

/* Entries of one address are one machine, whose two agents need something of
 * their own each. Few share an address: pairs of one address are compared. */
static int check_apart(struct list_reader *reader, const struct tree *list)
{
    size_t n = reader->n_hosts, i = 0;
    struct by_address *all = arena_array(reader->arena, n, sizeof(*all));

    if (reader->rules->apart == NULL)
        return 0;
    if (all == NULL)
        return error_exhausted(reader->err);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next, i++)
        all[i] = (struct by_address){ &reader->hosts[i], reader->apart[i], t };
    qsort(all, n, sizeof(*all), compare_addresses);
    for (i = 1; i < n; i++)
        for (size_t k = i; k-- > 0 && strcmp(all[k].host->address,
                                             all[i].host->address) == 0;)
            if (same_scalar(all[k].apart, all[i].apart))
                return tree_error(all[i].at, reader->err, STATUS_INVALID,
                                  "two hosts have the address %s and the same "
                                  "%s; give each its own",
                                  all[i].host->address, reader->rules->apart);
    return 0;
}

static int read_hosts(struct list_reader *reader, const struct tree *list)
{
    size_t n = tree_count(list);

    if (n == 0)
        return tree_error(list, reader->err, STATUS_INVALID,
                          "the list is empty; list the hosts, or leave %s out",
                          reader->rules->key);
    if (n > HOST_LIST_HOSTS_MAX)
        return tree_error(list, reader->err, STATUS_EXHAUSTED,
                          "more than %d hosts are not read",
                          HOST_LIST_HOSTS_MAX);
    reader->hosts = arena_array(reader->arena, n, sizeof(*reader->hosts));
    reader->apart = arena_array(reader->arena, n, sizeof(*reader->apart));
    if (reader->hosts == NULL || reader->apart == NULL)
        return error_exhausted(reader->err);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (read_host(reader, t) < 0)
            return -1;
    return check_apart(reader, list);
}

static bool stays_on_host(const struct host_list_rules *rules,
                          const char *transport)
{
    for (size_t i = 0; transport != NULL && i < rules->n_one_host; i++)
        if (strcasecmp(rules->one_host[i], transport) == 0)
            return true;
    return false;
}

int host_list_read(struct arena *arena, const struct host_list_rules *rules,
                   const struct tree *section, const char *transport,
                   struct host_list *ret, struct host_list_refusal *ret_refusal,
                   struct error *err)
{
    const struct read_key keys[] = { { rules->hosts, READ_LIST, true } };
    struct list_reader reader = { .arena = arena, .rules = rules, .err = err };

    *ret_refusal = (struct host_list_refusal){ NULL, -1 };
    if (section == NULL || section->type == TREE_NULL) {
        *ret = (struct host_list){ 0 };
        return 0;
    }
    ret_refusal->code = rules->code_section;
    if (read_keys(section, keys, ARRAY_LEN(keys), err) < 0)
        return -1;
    ret_refusal->code = rules->code_host;
    if (read_hosts(&reader, tree_get(section, rules->hosts)) < 0)
        return -1;
    ret_refusal->code = rules->code_transport;
    if (reader.n_hosts > 1 && stays_on_host(rules, transport))
        return tree_error(section, err, STATUS_INVALID,
                          "%s does not leave a host, and there are %zu hosts; "
                          "use another transport",
                          transport, reader.n_hosts);
    ret_refusal->code = NULL;
    *ret = (struct host_list){ reader.hosts, reader.n_hosts, reader.n_ranks };
    return 0;
}

int host_list_find(const struct host_list *list,
                   const struct host_list_rules *rules, int64_t rank,
                   uint32_t *ret_host, uint32_t *ret_device,
                   struct host_list_refusal *ret_refusal, struct error *err)
{
    int64_t end = list->n_hosts > 0 ? list->n_ranks : UINT32_MAX;
    size_t low = 0, high = list->n_hosts;

    if (rank < 0 || rank >= end) {
        *ret_refusal = (struct host_list_refusal){ rules->code_rank, rank };
        return error_set(err, STATUS_INVALID,
                         "rank %" PRId64 " is on no host: there are ranks 0 to "
                         "%" PRId64,
                         rank, end - 1);
    }
    if (list->n_hosts == 0) {
        *ret_host = 0;
        *ret_device = (uint32_t)rank;
        return 0;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (list->hosts[middle].first_rank <= rank)
            low = middle;
        else
            high = middle;
    }
    *ret_host = (uint32_t)low;
    *ret_device = list->hosts[low].devices[rank - list->hosts[low].first_rank];
    return 0;
}
