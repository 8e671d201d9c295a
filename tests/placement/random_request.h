/* SPDX-License-Identifier: Apache-2.0 */
/* Random models and requests, the same for the same seed. */
#ifndef SERRIED_TESTS_PLACEMENT_RANDOM_REQUEST_H
#define SERRIED_TESTS_PLACEMENT_RANDOM_REQUEST_H

#include <stdio.h>

#include "base/text.h"
#include "base/tree.h"
#include "placement/runtime.h"

struct random {
    uint64_t state;
};

/* 0..below-1, from a linear congruential generator's high bits. */
static inline uint32_t random_below(struct random *random, uint32_t below)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random->state >> 33) % below;
}

static inline bool random_chance(struct random *random, uint32_t percent)
{
    return random_below(random, 100) < percent;
}

/* One of the numbers in a string of digits. */
static inline int64_t random_digit(struct random *random, const char *digits)
{
    return digits[random_below(random, (uint32_t)strlen(digits))] - '0';
}

static const char *const random_nodes[] = { "text", "dit", "vae", "voice" };
static const char *const random_walks[] = { "prefill", "decode", "video" };

static inline void random_node(struct random *random, struct tree_maker *maker,
                               struct tree *nodes, const char *name)
{
    struct tree *node = make_map(maker, nodes, NULL), *axes, *map;

    make_string(maker, node, "name", name);
    axes = make_map(maker, node, "axes");
    if (random_chance(random, 80)) {
        map = make_map(maker, axes, "cfg");
        make_int(maker, map, "branches", random_digit(random, "22446"));
    }
    if (random_chance(random, 85))
        make_map(maker, axes, "sp");
    if (random_chance(random, 85))
        make_map(maker, axes, "tp");
    if (random_chance(random, 70)) {
        map = make_map(maker, node, "facts");
        make_int(maker, map, "heads", 4 * random_digit(random, "234466"));
        make_int(maker, map, "kv_heads", random_digit(random, "12488"));
    }
}

/* A list of some of the names, never none. */
static inline size_t random_names(struct random *random,
                                  struct tree_maker *maker, struct tree *map,
                                  const char *key, const char *const *names,
                                  size_t n)
{
    struct tree *list = make_list(maker, map, key);
    size_t always = random_below(random, (uint32_t)n), taken = 0;

    for (size_t i = 0; i < n; i++)
        if (i == always || random_chance(random, 40)) {
            make_string(maker, list, NULL, names[i]);
            taken++;
        }
    return taken;
}

/* A model of four nodes, some walks, perhaps a resource, a stream, a signal. */
static inline struct tree *random_model(struct random *random,
                                        struct tree_maker *maker)
{
    struct tree *model = make_map(maker, NULL, NULL), *list, *map;
    uint32_t n_walks = random_below(random, 4);

    make_string(maker, model, "model", "drawn");
    make_string(maker, model, "runtime", "mstar");
    list = make_list(maker, model, "nodes");
    for (size_t i = 0; i < ARRAY_LEN(random_nodes); i++)
        random_node(random, maker, list, random_nodes[i]);
    list = make_list(maker, model, "walks");
    for (uint32_t i = 0; i < n_walks; i++) {
        map = make_map(maker, list, NULL);
        make_string(maker, map, "name", random_walks[i]);
        random_names(random, maker, map, "nodes", random_nodes, 4);
    }
    if (random_chance(random, 40)) {
        map = make_map(maker, make_list(maker, model, "resources"), NULL);
        make_string(maker, map, "key", "cache");
        make_string(maker, map, "kind",
                    random_chance(random, 50) ? "paged_kv" : "attention");
        random_names(random, maker, map, "nodes", random_nodes, 4);
    }
    if (random_chance(random, 20)) {
        map = make_map(maker, make_list(maker, model, "streams"), NULL);
        make_string(maker, map, "signal", "token");
        make_string(maker, map, "to", random_nodes[random_below(random, 4)]);
    }
    return model;
}

/* Ranks of some instances: mostly those that follow, sometimes others. */
static inline void random_ranks(struct random *random, struct tree_maker *maker,
                                struct tree *group, int64_t instance,
                                int64_t *next)
{
    int64_t n = instance * random_digit(random, "1112");
    int64_t first = random_chance(random, 85) ? *next : 0;
    struct tree *list = make_list(maker, group, "ranks");
    bool disturbed = random_chance(random, 4);

    n += random_chance(random, 5);
    for (int64_t i = 0; i < n; i++)
        make_int(maker, list, NULL,
                 disturbed ? (int64_t)random_below(random, 8) : first + i);
    if (first + n > *next)
        *next = first + n;
}

/* The nodes of group number `index` of n: a share of all, sometimes more. */
static inline void random_share(struct random *random, struct tree_maker *maker,
                                struct tree *group, uint32_t index, uint32_t n)
{
    struct tree *list = make_list(maker, group, "node_names");

    for (uint32_t i = 0; i < ARRAY_LEN(random_nodes); i++)
        if (i % n == index || random_chance(random, 4))
            make_string(maker, list, NULL, random_nodes[i]);
}

/* Sizes that mostly are 1, by the names of the axes or of their fields. */
static inline int64_t random_sizes(struct random *random,
                                   struct tree_maker *maker, struct tree *group)
{
    static const char *const fields[] = { "cfg_size", "sp_size", "tp_size" };
    static const char *const names[] = { "cfg", "sp", "tp" };
    bool in_sizes = random_chance(random, 20);
    bool even = random_chance(random, 50);
    struct tree *sizes = in_sizes ? make_map(maker, group, "sizes") : group;
    int64_t instance = 1;

    for (int i = 0; i < 3; i++) {
        int64_t size = random_digit(random, even ? "1111112" : "11111122234");

        if (random_chance(random, 1))
            size = 0;
        if (size != 1 || random_chance(random, 20))
            make_int(maker, sizes, in_sizes ? names[i] : fields[i], size);
        instance *= size > 0 ? size : 1;
    }
    return instance;
}

static inline void random_group(struct random *random, struct tree_maker *maker,
                                struct tree *groups, uint32_t index, uint32_t n,
                                int64_t *next)
{
    struct tree *group = make_map(maker, groups, NULL);
    int64_t instance;

    random_share(random, maker, group, index, n);
    instance = random_sizes(random, maker, group);
    if (random_chance(random, 6))
        random_names(random, maker, group, "graph_walks", random_walks, 3);
    random_ranks(random, maker, group, instance, next);
}

static inline struct tree *random_request(struct random *random,
                                          struct tree_maker *maker)
{
    struct tree *request = make_map(maker, NULL, NULL), *list;
    uint32_t n = 1 + random_below(random, 4);
    int64_t next = 0;

    make_string(maker, request, "deployment", "drawn");
    make_string(maker, request, "model", "drawn");
    if (!random_chance(random, 3))
        make_int(maker, request, "max_seq_len", 4096);
    list = make_list(maker, request, "node_groups");
    for (uint32_t i = 0; i < n; i++)
        random_group(random, maker, list, i, n, &next);
    if (random_chance(random, 3))
        make_int(maker, request, "max_seq_lenn", 1);
    return request;
}

/* ---- of any runtime ------------------------------------------------------ */

static inline void random_option(struct random *random,
                                 struct tree_maker *maker, struct tree *map,
                                 const struct option *option)
{
    size_t n = tree_count(option->one_of);
    const struct tree *t = tree_first(option->one_of);

    if (t != NULL) {
        for (uint32_t i = random_below(random, (uint32_t)n); i > 0; i--)
            t = t->next;
        make_copy(maker, map, option->name, t);
    } else if ((option->types & VALUE_BOOL) != 0) {
        make_bool(maker, map, option->name, random_chance(random, 50));
    } else if ((option->types & VALUE_INT) != 0) {
        make_int(maker, map, option->name, random_digit(random, "0112488"));
    } else if ((option->types & VALUE_STRING) != 0) {
        make_string(maker, map, option->name,
                    random_chance(random, 50) ? "auto" : "other");
    } else if ((option->types & VALUE_LIST) != 0) {
        struct tree *list = make_list(maker, map, option->name);

        for (uint32_t i = random_below(random, 4); i > 0; i--)
            make_int(maker, list, NULL, random_digit(random, "0124"));
    }
}

/* A world under a runtime: most axes 1, most options left out, mostly as many
 * ranks as some product of the sizes. */
static inline struct tree *random_world(struct random *random,
                                        struct tree_maker *maker,
                                        const struct runtime *rt)
{
    struct tree *request = make_map(maker, NULL, NULL), *map;
    uint32_t percent = random_below(random, 60);
    int64_t world = random_digit(random, "112248");

    make_string(maker, request, "runtime", rt->name);
    map = make_map(maker, request, "sizes");
    for (size_t i = 0; i < rt->n_axes; i++) {
        int64_t size = random_digit(random, "1222348");

        if (!random_chance(random, percent))
            continue;
        make_int(maker, map, rt->axes[i].name, size);
        if (world * size <= VIEW_SPAN_MAX && random_chance(random, 90))
            world *= size;
    }
    if (!random_chance(random, 1))
        make_int(maker, request, "world", world);
    map = make_map(maker, request, "options");
    percent = random_below(random, 20);
    for (size_t i = 0; i < rt->n_options; i++)
        if (random_chance(random, percent))
            random_option(random, maker, map, &rt->options[i]);
    return request;
}

/* A model of nothing but facts. */
static inline struct tree *random_facts(struct random *random,
                                        struct tree_maker *maker,
                                        const struct runtime *rt)
{
    struct tree *model = make_map(maker, NULL, NULL), *facts;

    make_string(maker, model, "model", "drawn");
    make_string(maker, model, "runtime", rt->name);
    facts = make_map(maker, model, "facts");
    for (size_t i = 0; i < rt->n_facts; i++) {
        const struct symbol *symbol = runtime_symbol_at(rt, rt->facts[i].slot);

        if (random_chance(random, 60))
            continue;
        if ((symbol->shape.types & VALUE_INT) != 0)
            make_int(maker, facts, symbol->name,
                     random_digit(random, "1234688")
                         << random_below(random, 9));
        else if ((symbol->shape.types & VALUE_BOOL) != 0)
            make_bool(maker, facts, symbol->name, random_chance(random, 50));
    }
    return model;
}

/* A deep copy with the keys of every map in another order. */
static inline void random_shuffle(struct random *random,
                                  struct tree_maker *maker, struct tree *parent,
                                  const char *key, const struct tree *tree,
                                  struct tree **ret)
{
    const struct tree *keys[64];
    struct tree *copy;
    size_t n = 0;

    if (tree->type != TREE_MAP && tree->type != TREE_LIST) {
        make_copy(maker, parent, key, tree);
        return;
    }
    copy = tree->type == TREE_MAP ? make_map(maker, parent, key)
                                  : make_list(maker, parent, key);
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next) {
        if (tree->type == TREE_LIST)
            random_shuffle(random, maker, copy, NULL, t, NULL);
        else if (n < ARRAY_LEN(keys))
            keys[n++] = t;
    }
    for (; n > 0; n--) {
        size_t i = random_below(random, (uint32_t)n);

        random_shuffle(random, maker, copy, keys[i]->key, keys[i], NULL);
        keys[i] = keys[n - 1];
    }
    if (ret != NULL)
        *ret = copy;
}

#endif
