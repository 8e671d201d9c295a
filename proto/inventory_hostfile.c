/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of hosts as launchers read them: hostfiles, rankfiles, nodelists. */
#include <stdlib.h>
#include <string.h>

#include "placement/names.h"
#include "placement/topology.h"
#include "proto/inventory_read.h"

enum { UNSAID = -1 };

static const char by_line[] = "as they are listed";
static const char by_rank[] = "by their ranks";

/* A host as it is listed; a repeated one is listed again. */
struct listed {
    const char *name;
    int64_t slots; /* UNSAID: the list does not say */
    uint32_t rank; /* of a rankfile */
};

struct listing {
    struct listed *items;
    size_t n, cap;
};

static int add_listed(struct importing *im, struct listing *all,
                      const struct listed *one)
{
    if (!name_is_host(one->name))
        return line_error(im, "\"%.60s\" cannot be the name of a host",
                          one->name);
    if (all->n == CLUSTER_HOSTS_MAX)
        return line_error(im, "a list has %d hosts at most", CLUSTER_HOSTS_MAX);
    if (all->n == all->cap) {
        size_t cap = all->cap == 0 ? 64 : all->cap * 2;
        struct listed *more = arena_array(im->arena, cap, sizeof(*more));

        if (more == NULL)
            return error_exhausted(im->err);
        if (all->n > 0)
            memcpy(more, all->items, all->n * sizeof(*more));
        all->items = more;
        all->cap = cap;
    }
    all->items[all->n++] = *one;
    return 0;
}

/* Which entries name the same host. */
static struct name_use *number_listed(struct importing *im,
                                      const struct listing *all)
{
    struct name_use *uses = arena_array(im->arena, all->n, sizeof(*uses));
    const char *const *names;
    size_t n;

    for (size_t i = 0; uses != NULL && i < all->n; i++)
        uses[i].name = all->items[i].name;
    if (uses == NULL ||
        names_number(im->arena, uses, all->n, &names, &n, im->err) < 0) {
        error_exhausted(im->err);
        return NULL;
    }
    return uses;
}

/* Whether ranks that are given out host after host are where the list has them.
 */
static void say_order(struct importing *im, const struct listing *all,
                      const struct name_use *uses, const char *listed)
{
    const char *say = NULL;

    for (size_t i = 1; i < all->n && say == NULL; i++)
        if (uses[i].first != i && uses[i].first != uses[i - 1].first)
            say = arena_printf(im->arena,
                               "the order is not kept: %s, %.253s comes "
                               "again behind %.253s, and is one host here, in "
                               "the place where it comes first",
                               listed, all->items[i].name,
                               all->items[i - 1].name);
    if (say == NULL)
        say = arena_printf(im->arena, "the order is kept: hosts stand %s",
                           listed);
    im->ret->order = say;
}

/* Hosts in the order of their first mention. A host that is repeated has the
 * sum of its slots, or one for each time where none are said. listed: by what
 * the list is in order. */
static int put_hosts(struct importing *im, const struct listing *all,
                     bool has_slots, bool warns, const char *listed)
{
    struct name_use *uses = number_listed(im, all);
    int64_t *slots = arena_array(im->arena, all->n, sizeof(*slots));
    uint32_t *times = arena_array(im->arena, all->n, sizeof(*times));

    if (uses == NULL || slots == NULL || times == NULL)
        return error_exhausted(im->err);
    say_order(im, all, uses, listed);
    for (size_t i = 0; i < all->n; i++) {
        int64_t n = all->items[i].slots;

        slots[uses[i].first] += n == UNSAID ? 0 : n;
        times[uses[i].first]++;
    }
    for (size_t i = 0; i < all->n; i++) {
        struct tree *host;

        if (uses[i].first != i)
            continue;
        host = add_host(im, all->items[i].name);
        if (slots[i] == 0 && times[i] > 1)
            slots[i] = times[i];
        if (slots[i] > HOST_DEVICES_MAX)
            return text_error(im,
                              "host %s has %lld slots, and %d devices are "
                              "the most of a host",
                              all->items[i].name, (long long)slots[i],
                              HOST_DEVICES_MAX);
        if (has_slots && (slots[i] > 0 || all->items[i].slots == 0))
            make_int(im->maker, host, "devices", slots[i]);
        if (warns && times[i] > 1)
            import_warn(im, "host %s is listed %u times and taken once",
                        all->items[i].name, times[i]);
    }
    return 0;
}

/* ---- hostfiles ---------------------------------------------------------- */

/* "slots=4", and what else may stand behind a host. */
static int read_attribute(struct importing *im, char *word, struct listed *one)
{
    static const char *const others[] = { "max_slots", "max-slots", "user",
                                          "username",  "port",      "binding",
                                          "ifname",    "if" };
    char *value = strchr(word, '=');
    uint32_t n;

    if (value == NULL)
        return line_error(im,
                          "nothing is known of \"%.40s\"; a host is "
                          "followed by slots=N",
                          word);
    *value++ = '\0';
    if (strcmp(word, "slots") == 0 || strcmp(word, "cpu") == 0) {
        if (!read_count(value, &n))
            return line_error(im, "\"%.40s\" is no number of slots", value);
        one->slots = n;
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (strcmp(word, others[i]) == 0)
            return 0;
    return line_error(im,
                      "nothing is known of %.40s=; a host is followed by "
                      "slots=N",
                      word);
}

/* "host", "host:4", "user@host"; an address of IPv6 has several colons. */
static int read_listed(struct importing *im, char *word, struct listed *one)
{
    char *colon = strrchr(word, ':'), *at = strchr(word, '@');
    uint32_t n;

    one->name = word;
    if (at != NULL)
        one->name = at + 1;
    if (colon != NULL && strchr(word, ':') == colon) {
        if (!read_count(colon + 1, &n))
            return line_error(im, "\"%.40s\" is no number of slots", colon + 1);
        *colon = '\0';
        one->slots = n;
    }
    return 0;
}

static int read_hostfile(struct importing *im, struct listing *all)
{
    char *line, *word;

    while ((line = next_line(im)) != NULL) {
        struct listed one = { .slots = UNSAID };

        line[strcspn(line, "#")] = '\0';
        word = next_word(&line);
        if (word == NULL)
            continue;
        if (read_listed(im, word, &one) < 0)
            return -1;
        while ((word = next_word(&line)) != NULL)
            if (read_attribute(im, word, &one) < 0)
                return -1;
        if (add_listed(im, all, &one) < 0)
            return -1;
    }
    return 0;
}

int inventory_hostfile(const struct inventory_source *source,
                       struct tree_maker *maker, struct inventory *ret,
                       struct error *err)
{
    struct listing all = { 0 };
    struct importing im;
    struct tree *list;

    if (import_begin(&im, source, maker, ret, err) < 0 ||
        read_hostfile(&im, &all) < 0)
        return -1;
    list = make_list(maker, ret->reading, "hosts");
    for (size_t i = 0; i < all.n; i++) {
        struct tree *pair = make_list(maker, list, NULL);

        make_string(maker, pair, NULL, all.items[i].name);
        if (all.items[i].slots == UNSAID)
            put_null(maker, pair, NULL);
        else
            make_int(maker, pair, NULL, all.items[i].slots);
    }
    if (put_hosts(&im, &all, true, true, by_line) < 0)
        return -1;
    return import_end(&im);
}

/* ---- rankfiles ---------------------------------------------------------- */

/* "rank 3=host slot=1-2": which host; slots are cores there, not devices. */
static int read_rank(struct importing *im, char *line, struct listing *all)
{
    struct listed one = { .slots = UNSAID };
    char *word = next_word(&line), *host;

    if (word == NULL)
        return 0;
    if (strcmp(word, "rank") != 0 || (word = next_word(&line)) == NULL)
        return line_error(im, "expected \"rank N=HOST slot=...\"");
    host = strchr(word, '=');
    if (host != NULL)
        *host++ = '\0';
    if (host == NULL || !read_count(word, &one.rank))
        return line_error(im, "expected \"rank N=HOST slot=...\"");
    if (*host == '+')
        return line_error(im,
                          "%.40s counts the hosts of an allocation, which "
                          "is not known here; name the host",
                          host);
    one.name = host;
    return add_listed(im, all, &one);
}

static int compare_ranks(const void *va, const void *vb)
{
    const struct listed *a = va, *b = vb;

    return (a->rank > b->rank) - (a->rank < b->rank);
}

int inventory_rankfile(const struct inventory_source *source,
                       struct tree_maker *maker, struct inventory *ret,
                       struct error *err)
{
    struct listing all = { 0 };
    struct importing im;
    struct tree *list;
    char *line;

    if (import_begin(&im, source, maker, ret, err) < 0)
        return -1;
    while ((line = next_line(&im)) != NULL) {
        line[strcspn(line, "#")] = '\0';
        if (read_rank(&im, line, &all) < 0)
            return -1;
    }
    if (all.n > 0)
        qsort(all.items, all.n, sizeof(*all.items), compare_ranks);
    list = make_list(maker, ret->reading, "ranks");
    for (size_t i = 0; i < all.n; i++) {
        struct tree *pair = make_list(maker, list, NULL);

        if (i > 0 && all.items[i].rank == all.items[i - 1].rank)
            return text_error(&im, "rank %u stands on two hosts, %s and %s",
                              all.items[i].rank, all.items[i - 1].name,
                              all.items[i].name);
        make_int(maker, pair, NULL, all.items[i].rank);
        make_string(maker, pair, NULL, all.items[i].name);
    }
    if (put_hosts(&im, &all, false, false, by_rank) < 0)
        return -1;
    return import_end(&im);
}

/* ---- nodelists ---------------------------------------------------------- */

static int read_expression(struct importing *im, struct tree *expanded,
                           const char *text, struct listing *all)
{
    const char *const *names;
    struct error inner;
    struct tree *list;
    size_t n;

    if (nodelist_expand(im->arena, text, &names, &n, &inner) < 0)
        return line_error(im, "%s", inner.text);
    list = make_list(im->maker, expanded, text);
    for (size_t i = 0; i < n; i++) {
        struct listed one = { names[i], UNSAID, 0 };

        make_string(im->maker, list, NULL, names[i]);
        if (add_listed(im, all, &one) < 0)
            return -1;
    }
    return 0;
}

int inventory_nodelist(const struct inventory_source *source,
                       struct tree_maker *maker, struct inventory *ret,
                       struct error *err)
{
    struct listing all = { 0 };
    struct importing im;
    struct tree *expanded;
    char *line;

    if (import_begin(&im, source, maker, ret, err) < 0)
        return -1;
    expanded = make_map(maker, ret->reading, "expand");
    while ((line = next_line(&im)) != NULL) {
        line[strcspn(line, "#")] = '\0';
        line = trimmed(line);
        if (*line != '\0' && read_expression(&im, expanded, line, &all) < 0)
            return -1;
    }
    if (put_hosts(&im, &all, false, true, by_line) < 0)
        return -1;
    return import_end(&im);
}
