/* SPDX-License-Identifier: Apache-2.0 */
/* Values that the settings of made-up requests take. */
#include "placement/example_knobs.h"

#include <stdlib.h>
#include <string.h>

#include "placement/host_list.h"

static const int64_t whole_values[] = { 1,  2,  3,   4, 6,  8,      12,
                                        16, 64, 128, 0, -1, 1 << 20 };

/* ---- values -------------------------------------------------------------- */

void knob_add(struct knob *knob, const struct tree *value)
{
    for (size_t i = 1; i < knob->n; i++)
        if (value_equal(value_of_tree(knob->values[i], NULL),
                        value_of_tree(value, NULL)))
            return;
    if (value != NULL && knob->n < KNOB_VALUES_MAX)
        knob->values[knob->n++] = value;
}

void knob_add_whole(struct knobs *k, struct knob *knob, int64_t value)
{
    knob_add(knob, tree_new_int(k->arena, NULL, NULL, value));
}

static void add_truth(struct knobs *k, struct knob *knob, bool truth)
{
    struct tree *tree = tree_new(k->arena, NULL, NULL, TREE_BOOL);

    if (tree == NULL)
        return;
    tree->u.boolean = truth;
    tree->text = truth ? "true" : "false";
    tree->len = strlen(tree->text);
    knob_add(knob, tree);
}

/* One of each type among those that are allowed, but not allowed itself. */
void knob_add_outside(struct knobs *k, struct knob *knob,
                      const struct tree *one_of)
{
    int64_t largest = 0;
    unsigned types = 0;

    for (const struct tree *t = tree_first(one_of); t != NULL; t = t->next) {
        types |= 1u << t->type;
        if (t->type == TREE_INT && t->u.integer > largest)
            largest = t->u.integer;
    }
    if ((types & 1u << TREE_STRING) != 0)
        knob_add(knob, tree_new_string(k->arena, NULL, NULL, "other"));
    if ((types & 1u << TREE_INT) != 0 && largest < INT64_MAX)
        knob_add_whole(k, knob, largest + 1);
}

/* A list of so many equal numbers. */
static void add_list(struct knobs *k, struct knob *knob, int64_t value,
                     int count)
{
    struct tree *list = tree_new(k->arena, NULL, NULL, TREE_LIST);

    for (int i = 0; list != NULL && i < count; i++)
        tree_new_int(k->arena, list, NULL, value);
    if (list != NULL && knob->n < KNOB_VALUES_MAX)
        knob->values[knob->n++] = list;
}

/* A number beside another, and beside what a request leaves open. */
static void add_mixed_lists(struct knobs *k, struct knob *knob)
{
    for (int i = 0; i < (knob->kind == KNOB_OPTION ? 2 : 1); i++) {
        struct tree *list = tree_new(k->arena, NULL, NULL, TREE_LIST);

        if (list == NULL || knob->n == KNOB_VALUES_MAX)
            return;
        tree_new_int(k->arena, list, NULL, 1);
        if (i == 0)
            tree_new_int(k->arena, list, NULL, 2);
        else
            tree_new(k->arena, list, NULL, TREE_NULL);
        knob->values[knob->n++] = list;
    }
}

/* Numbers and quoted words of an expression: a rule that compares with one is
 * met by it, or by its neighbours. */
static void add_literals(struct knobs *k, struct knob *knob, unsigned types,
                         const struct expression *expr)
{
    const char *at = expr != NULL ? expression_source(expr) : "";

    while (*at != '\0') {
        size_t word = strcspn(at + 1, "\"'");
        char *end;

        if ((*at == '"' || *at == '\'') && at[1 + word] == *at) {
            char *text = arena_strndup(k->arena, at + 1, word);

            if ((types & VALUE_STRING) != 0 && text != NULL)
                knob_add(knob, tree_new_string(k->arena, NULL, NULL, text));
            at += word + 2;
        } else if (*at >= '0' && *at <= '9') {
            int64_t n = strtoll(at, &end, 10);

            for (int64_t d = -1; (types & VALUE_INT) != 0 && d <= 1; d++)
                if (n + d >= 0 && n < VIEW_SPAN_MAX)
                    knob_add_whole(k, knob, n + d);
            at = end;
        } else {
            at++;
        }
    }
}

/* Of every rule and derived value that reads the knob. */
struct reader {
    int slot;
    bool reads;
};

static void found_slot(void *arg, int slot)
{
    struct reader *reader = arg;

    reader->reads |= slot == reader->slot;
}

static void add_literals_of(struct knobs *k, struct knob *knob, unsigned types,
                            const struct expression *expr)
{
    struct reader reader = { .slot = knob->slot };

    if (expr != NULL)
        expression_slots(expr, found_slot, &reader);
    if (reader.reads)
        add_literals(k, knob, types, expr);
}

static void add_all_literals(struct knobs *k, struct knob *knob, unsigned types)
{
    const struct runtime *rt = k->rt;

    for (size_t i = 0; i < rt->n_rules; i++) {
        add_literals_of(k, knob, types, rt->rules[i].when);
        add_literals_of(k, knob, types, rt->rules[i].refuse);
    }
    for (size_t i = 0; i < rt->n_derived; i++)
        for (size_t a = 0; a < rt->derived[i].n_alternatives; a++) {
            add_literals_of(k, knob, types,
                            rt->derived[i].alternatives[a].when);
            add_literals_of(k, knob, types,
                            rt->derived[i].alternatives[a].value);
        }
}

/* {member: value} */
static struct tree *add_map(struct knobs *k, struct knob *knob,
                            const char *member, int64_t value)
{
    struct tree *map = tree_new(k->arena, NULL, NULL, TREE_MAP);

    if (map == NULL || tree_new_int(k->arena, map, member, value) == NULL ||
        knob->n == KNOB_VALUES_MAX)
        return NULL;
    knob->values[knob->n++] = map;
    return map;
}

/* Maps that hold a member which an expression reads: NAME.member */
static void add_members(struct knobs *k, struct knob *knob,
                        const struct expression *expr)
{
    static const int64_t values[] = { 2, 1, 3, 4, 0 };
    const char *at = expr != NULL ? expression_source(expr) : "";
    size_t len = strlen(knob->name);

    while ((at = strstr(at, knob->name)) != NULL) {
        const char *member = at + len + 1;
        size_t n = strspn(member, "abcdefghijklmnopqrstuvwxyz_0123456789");
        char *name;

        at += len;
        if (*at != '.' || n == 0)
            continue;
        name = arena_strndup(k->arena, member, n);
        for (size_t i = 0; name != NULL && i < ARRAY_LEN(values); i++)
            add_map(k, knob, name, values[i]);
    }
}

void knob_add_members(struct knobs *k, struct knob *knob)
{
    const struct runtime *rt = k->rt;

    for (size_t i = 0; i < rt->n_rules; i++) {
        const struct rule *rule = &rt->rules[i];

        /* what several rules read is tried once */
        if (rule->refuse != NULL && knob->n < KNOB_VALUES_MAX / 2)
            add_members(k, knob, rule->refuse);
    }
    add_map(k, knob, "other", 1);
}

/* A host of a host list, with so many devices; or with one of them twice. */
static void add_host(struct knobs *k, struct tree_maker *maker,
                     struct tree *hosts, const char *address, int64_t n_devices,
                     bool twice)
{
    const struct host_list_rules *rules = k->rt->host_list;
    struct tree *host = make_map(maker, hosts, NULL), *devices;

    make_string(maker, host, rules->address, address);
    devices = make_list(maker, host, rules->devices);
    for (int64_t i = 0; i < n_devices; i++)
        make_int(maker, devices, NULL, twice ? 0 : i);
}

/* Host lists: one host, two hosts, a host with one device twice, and a section
 * without a list. */
void knob_add_hosts(struct knobs *k, struct knob *knob)
{
    static const struct {
        int64_t first, second; /* devices of the hosts; 0: no host */
        bool twice;
    } lists[] = { { 2, 0, false }, { 1, 8, false }, { 2, 0, true } };
    struct tree_maker maker = { .arena = k->arena };

    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        struct tree *map = make_map(&maker, NULL, NULL);
        struct tree *hosts = make_list(&maker, map, k->rt->host_list->hosts);

        add_host(k, &maker, hosts, "a", lists[i].first, lists[i].twice);
        if (lists[i].second > 0)
            add_host(k, &maker, hosts, "b", lists[i].second, false);
        knob_add(knob, map);
    }
    knob_add(knob, make_map(&maker, NULL, NULL));
}

/* Every signal of the models is cut. */
void knob_add_cuts(struct knobs *k, struct knob *knob)
{
    struct tree_maker maker = { .arena = k->arena };

    for (size_t b = 0; b < k->n_bases; b++) {
        const struct model *model = k->bases[b].model;

        for (size_t i = 0; model != NULL && i < model->n_signals; i++) {
            struct tree *map = make_map(&maker, NULL, NULL);

            make_int(&maker, make_map(&maker, map, "shard_dim"),
                     model->signals[i].name, 0);
            knob_add(knob, map);
        }
    }
}

static void put_name(struct knobs *k, struct tree *list, size_t axis)
{
    if (list != NULL)
        tree_new_string(k->arena, list, NULL, k->rt->axes[axis].name);
}

/* Every axis by its name, in order and the other way round; one alone; all and
 * the first again. */
static void add_names(struct knobs *k, struct knob *knob)
{
    struct tree *lists[4];
    size_t n = k->rt->n_axes;

    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        lists[i] = tree_new(k->arena, NULL, NULL, TREE_LIST);
    for (size_t a = 0; a < n; a++) {
        put_name(k, lists[0], a);
        put_name(k, lists[1], n - 1 - a);
        put_name(k, lists[3], a);
    }
    if (n > 0) {
        put_name(k, lists[2], 0);
        put_name(k, lists[3], 0);
    }
    for (size_t i = 0; i < ARRAY_LEN(lists) && knob->n < KNOB_VALUES_MAX; i++)
        if (lists[i] != NULL)
            knob->values[knob->n++] = lists[i];
}

/* One list of ranks in a list: from a rank on, a step apart. */
static void add_ranks(struct knobs *k, struct knob *knob, int64_t first,
                      int64_t step, int count)
{
    struct tree *list = tree_new(k->arena, NULL, NULL, TREE_LIST);
    struct tree *ranks =
        list != NULL ? tree_new(k->arena, list, NULL, TREE_LIST) : NULL;

    for (int i = 0; ranks != NULL && i < count; i++)
        tree_new_int(k->arena, ranks, NULL, first + i * step);
    if (ranks != NULL && knob->n < KNOB_VALUES_MAX)
        knob->values[knob->n++] = list;
}

static void add_lists(struct knobs *k, struct knob *knob)
{
    for (int i = 1; i < 4; i++) {
        add_list(k, knob, 2, i);
        add_list(k, knob, i, 2);
    }
    add_list(k, knob, 0, 2);
    add_mixed_lists(k, knob);
    add_names(k, knob);
    for (int i = 0; i < 2; i++) {
        add_ranks(k, knob, i, 1, 3);
        add_ranks(k, knob, i, 1, 4);
        add_ranks(k, knob, 0, 2, 4 + i);
    }
}

/* The rows of tables, which are chosen by name. */
static void add_rows(struct knob *knob, struct knobs *k)
{
    for (size_t i = 0; i < k->rt->n_tables; i++)
        for (const struct tree *t = tree_first(k->rt->tables[i]);
             t != NULL && knob->n < KNOB_VALUES_MAX / 2; t = t->next)
            if (t->key != NULL)
                knob_add(knob, tree_new_string(k->arena, NULL, NULL, t->key));
}

/* Some of each type that it may have. */
void knob_add_typed(struct knobs *k, struct knob *knob, unsigned types)
{
    for (int i = 0; (types & VALUE_BOOL) != 0 && i < 2; i++)
        add_truth(k, knob, i == 0);
    for (size_t i = 0; (types & VALUE_INT) != 0 && i < ARRAY_LEN(whole_values);
         i++)
        knob_add_whole(k, knob, whole_values[i]);
    if ((types & VALUE_LIST) != 0)
        add_lists(k, knob);
    if ((types & VALUE_STRING) != 0) {
        knob_add(knob, tree_new_string(k->arena, NULL, NULL, "other"));
        add_rows(knob, k);
    }
    add_all_literals(k, knob, types);
}
