/* SPDX-License-Identifier: Apache-2.0 */
/* The list of rules of a runtime: its groups, and the layers they belong to. */
#include "placement/runtime_load.h"

#include <string.h>

#include "placement/reader.h"
#include "placement/structure.h"

/* clang-format off */
static const struct read_key group_keys[] = {
    { "layer", READ_STRING, false },
    { "when",  READ_SCALAR, false },
    { "rules", READ_LIST,   true },
};
/* clang-format on */

/* ---- layers -------------------------------------------------------------- */

static struct layer *layer_named(const struct runtime *rt, const char *name)
{
    for (size_t i = 0; i < rt->n_layers; i++)
        if (strcmp(rt->layers[i].name, name) == 0)
            return &rt->layers[i];
    return NULL;
}

static const char *nearest_layer(const struct runtime *rt, const char *name)
{
    const char *names[RUNTIME_LAYERS_MAX];

    for (size_t i = 0; i < rt->n_layers; i++)
        names[i] = rt->layers[i].name;
    return text_nearest(name, names, rt->n_layers);
}

/* Writes which layers there are behind what is wrong with a name: the nearest,
 * or all of them. */
static void put_known(const struct runtime *rt, const char *name,
                      struct text *out)
{
    const char *near = nearest_layer(rt, name);

    if (rt->n_layers == 0) {
        text_put(out, ", which declares none (layers)");
        return;
    }
    if (near != NULL) {
        text_printf(out, "; the nearest is %s", near);
        return;
    }
    text_put(out, "; there are ");
    for (size_t i = 0; i < rt->n_layers; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : "", rt->layers[i].name);
}

const struct layer *runtime_layer(const struct runtime *rt, const char *name,
                                  struct error *err)
{
    const struct layer *layer = layer_named(rt, name);
    struct text known = { 0 };

    if (layer != NULL)
        return layer;
    put_known(rt, name, &known);
    error_set(err, STATUS_UNKNOWN_NAME, "\"%.64s\" is no layer of %.64s%.120s",
              name, rt->name, text_string(&known));
    text_close(&known);
    return NULL;
}

/* layers: {NAME: what it is}, in the order in which they begin. */
int load_layers(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "layers");

    if (tree_count(map) > RUNTIME_LAYERS_MAX)
        return tree_error(map, load->err, STATUS_INVALID,
                          "%zu layers; at most %d are read", tree_count(map),
                          RUNTIME_LAYERS_MAX);
    rt->layers = load_array(load, tree_count(map), sizeof(*rt->layers));
    if (rt->layers == NULL)
        return -1;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        if (!read_is_identifier(t->key))
            return tree_error_key(t, load->err, STATUS_INVALID,
                                  "\"%s\" cannot be the name of a layer: "
                                  "letters, digits and _",
                                  t->key);
        if (layer_named(rt, t->key) != NULL)
            return tree_error_key(t, load->err, STATUS_INVALID,
                                  "the layer %s is declared twice", t->key);
        if (read_type(t, READ_STRING, load->err) < 0)
            return -1;
        rt->layers[rt->n_layers++] =
            (struct layer){ .name = t->key, .about = t->text, .at = t };
    }
    return 0;
}

/* Whether every layer has rules and begins behind those that are listed before
 * it: only then "up to" means what the list says. */
static int check_layers(const struct loader *load)
{
    const struct runtime *rt = load->rt;

    for (size_t i = 0; i < rt->n_layers; i++) {
        const struct layer *layer = &rt->layers[i];

        if (layer->end == 0)
            return tree_error_key(layer->at, load->err, STATUS_INVALID,
                                  "no group of rules belongs to the layer %s",
                                  layer->name);
        if (i > 0 && layer->begin < rt->layers[i - 1].begin)
            return tree_error_key(
                layer->at, load->err, STATUS_INVALID,
                "the rules of %s begin before those of %s; layers are listed "
                "in the order in which their rules begin",
                layer->name, rt->layers[i - 1].name);
    }
    return 0;
}

/* ---- groups of rules ----------------------------------------------------- */

static bool is_group(const struct tree *entry)
{
    return tree_get(entry, "rules") != NULL || tree_get(entry, "layer") != NULL;
}

/* Writes a part of a conjunction, in brackets where it has an operator that
 * binds less tightly. */
static void put_part(const struct expression *part, struct text *out)
{
    const char *source = expression_source(part);
    bool loose = strpbrk(source, "|?") != NULL;

    text_printf(out, loose ? "(%s)" : "%s", source);
}

/* group && expr, standing where expr stands. */
static const struct expression *in_front(struct loader *load,
                                         const struct tree *at,
                                         const struct expression *group,
                                         const struct expression *expr)
{
    struct tree *both = load_array(load, 1, sizeof(*both));
    struct text text = { 0 };

    if (both == NULL)
        return NULL;
    put_part(group, &text);
    text_put(&text, " && ");
    put_part(expr, &text);
    *both = *at;
    both->type = TREE_STRING;
    both->len = text.len;
    both->text =
        text.failed ? NULL : arena_strdup(load->arena, text_string(&text));
    text_close(&text);
    if (both->text == NULL) {
        error_exhausted(load->err);
        return NULL;
    }
    return compile(load, both, VALUE_BOOL);
}

int load_condition(struct loader *load, const struct tree *t,
                   const struct rule_group *group, struct rule *rule)
{
    const char *key = rule->warns ? "warn" : "refuse";
    const struct expression **part = &rule->refuse;

    if (group->when == NULL)
        return 0;
    if (rule->when != NULL) {
        key = "when";
        part = &rule->when;
    }
    *part = in_front(load, tree_get(t, key), group->when, *part);
    return *part != NULL ? 0 : -1;
}

static int add_rule(struct loader *load, const struct tree *t,
                    const struct rule_group *group)
{
    struct runtime *rt = load->rt;
    struct layer *layer = group->layer;

    if (layer != NULL && layer->end == 0)
        layer->begin = rt->n_rules;
    if (load_rule(load, t, group, &rt->rules[rt->n_rules++]) < 0)
        return -1;
    if (layer != NULL)
        layer->end = rt->n_rules;
    return 0;
}

static int read_layer(struct loader *load, const struct tree *at,
                      struct layer **ret)
{
    const struct runtime *rt = load->rt;
    struct text known = { 0 };

    *ret = layer_named(rt, at->text);
    if (*ret != NULL)
        return 0;
    put_known(rt, at->text, &known);
    tree_error(at, load->err, STATUS_INVALID,
               "\"%.64s\" is no layer of this runtime%.120s", at->text,
               text_string(&known));
    text_close(&known);
    return -1;
}

static int read_group(struct loader *load, const struct tree *t,
                      struct rule_group *group)
{
    const struct tree *layer;

    if (read_keys(t, group_keys, ARRAY_LEN(group_keys), load->err) < 0)
        return -1;
    layer = tree_get(t, "layer");
    if (layer == NULL && tree_get(t, "when") == NULL)
        return tree_error(t, load->err, STATUS_INVALID,
                          "a group of rules has a layer, a condition (when), "
                          "or both");
    if (tree_count(tree_get(t, "rules")) == 0)
        return tree_error(tree_get(t, "rules"), load->err, STATUS_INVALID,
                          "a group holds one rule or more");
    if (layer != NULL && read_layer(load, layer, &group->layer) < 0)
        return -1;
    return compile_child(load, t, "when", VALUE_BOOL, &group->when);
}

static int add_group(struct loader *load, const struct tree *t)
{
    struct rule_group group = { 0 };

    if (read_group(load, t, &group) < 0)
        return -1;
    for (t = tree_first(tree_get(t, "rules")); t != NULL; t = t->next) {
        if (is_group(t))
            return tree_error(t, load->err, STATUS_INVALID,
                              "a group of rules holds rules, and no group");
        if (add_rule(load, t, &group) < 0)
            return -1;
    }
    return 0;
}

/* ---- the list ------------------------------------------------------------ */

/* Rules of a list and of the groups in it. */
static size_t count_rules(const struct tree *list)
{
    size_t n = 0;

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        n += is_group(t) ? tree_count(tree_get(t, "rules")) : 1;
    return n;
}

static bool places(const struct tree *list, const char *check)
{
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        const char *name = read_string(t, "check");

        if (name != NULL && strcmp(name, check) == 0)
            return true;
    }
    return false;
}

/* Checks that run first although the runtime does not place them. */
static void add_first_checks(struct runtime *rt, const struct tree *list)
{
    for (int s = 0; s < STRUCTURE_COUNT; s++) {
        const char *name = structure_name(s);
        bool placed = places(list, name);

        for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
            placed |= places(tree_get(t, "rules"), name);
        if (!placed && structure_runs_first(s))
            rt->rules[rt->n_rules++] =
                (struct rule){ .structure = s, .axis = -1, .at = rt->document };
    }
}

int load_rules(struct loader *load)
{
    static const struct rule_group none = { 0 };
    struct runtime *rt = load->rt;
    const struct tree *list = tree_get(rt->document, "rules");
    size_t n = count_rules(list);

    if (n > RUNTIME_RULES_MAX)
        return tree_error(list, load->err, STATUS_INVALID,
                          "%zu rules; at most %d are read", n,
                          RUNTIME_RULES_MAX);
    rt->rules = load_array(load, n + STRUCTURE_COUNT, sizeof(*rt->rules));
    if (rt->rules == NULL)
        return -1;
    add_first_checks(rt, list);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (is_group(t) ? add_group(load, t) < 0 : add_rule(load, t, &none) < 0)
            return -1;
    return check_layers(load);
}
