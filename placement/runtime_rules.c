/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a runtime: refusals, placed checks, remedies, axis sets. */
#include "placement/runtime_load.h"

#include <string.h>

#include "placement/reader.h"
#include "placement/structure.h"

/* clang-format off */
static const struct read_key rule_keys[] = {
    { "code",    READ_STRING,             false },
    { "refuse",  READ_SCALAR,             false },
    { "warn",    READ_SCALAR,             false },
    { "because", READ_STRING,             false },
    { "for",     READ_STRING,             false },
    { "when",    READ_SCALAR,             false },
    { "try",     READ_LIST,               false },
    { "allowed", READ_SCALAR,             false },
    { "about",   READ_STRING,             false },
    { "check",   READ_STRING,             false },
    { "codes",   READ_MAP,                false },
    { "except",  READ_LIST | READ_STRING, false },
    { "views",   READ_LIST | READ_STRING, false },
    { "axis",    READ_STRING,             false },
    { "option",  READ_STRING,             false },
};
static const struct read_key try_keys[] = {
    { "when", READ_SCALAR, false },
    { "set",  READ_MAP,    true },
    { "say",  READ_STRING, false },
};
static const struct read_key set_keys[] = {
    { "set",     READ_LIST,   false },
    { "refuse",  READ_LIST,   false },
    { "exactly", READ_LIST,   false },
    { "code",    READ_STRING, false },
    { "because", READ_STRING, false },
    { "try",     READ_LIST,   false },
};
/* clang-format on */

/* ---- for: LIST as x ----------------------------------------------------- */

/* The scalar in front of the last " as ", standing where `at` stands. */
static const struct tree *list_part(struct loader *load, const struct tree *at,
                                    const char **ret_alias)
{
    const char *last = NULL;
    struct tree *part;

    for (const char *p = strstr(at->text, " as "); p != NULL;
         p = strstr(p + 1, " as "))
        last = p;
    if (last == NULL) {
        tree_error(at, load->err, STATUS_INVALID,
                   "expected LIST as NAME, as in \"placed as p\"");
        return NULL;
    }
    part = arena_alloc(load->arena, sizeof(*part));
    if (part != NULL)
        *part = *at;
    if (part == NULL ||
        (part->text = arena_strndup(load->arena, at->text,
                                    (size_t)(last - at->text))) == NULL) {
        error_exhausted(load->err);
        return NULL;
    }
    part->len = (size_t)(last - at->text);
    *ret_alias = last + strlen(" as ");
    return part;
}

static int load_for(struct loader *load, const struct tree *t,
                    struct rule *rule)
{
    const struct tree *at = tree_get(t, "for");
    const struct tree *part;
    struct shape shape;

    if (at == NULL)
        return 0;
    part = list_part(load, at, &rule->alias);
    if (part == NULL)
        return -1;
    if (!read_is_identifier(rule->alias) || name_is_builtin(rule->alias) ||
        runtime_symbol(load->rt, rule->alias) != NULL)
        return tree_error(
            at, load->err, STATUS_INVALID,
            "\"%s\" cannot be the name of an item: %s", rule->alias,
            read_is_identifier(rule->alias) ? "it has a meaning already"
                                            : "letters, digits and _");
    rule->items = compile(load, part, VALUE_LIST);
    if (rule->items == NULL)
        return -1;
    shape = expression_shape(rule->items);
    load->alias = rule->alias;
    load->alias_shape = (struct shape){ .types = shape.element_types,
                                        .kind = shape.element_kind };
    return 0;
}

/* ---- try ---------------------------------------------------------------- */

static int load_setting(struct loader *load, const struct tree *t,
                        struct setting *setting)
{
    const struct symbol *symbol = runtime_symbol(load->rt, t->key);

    setting->name = t->key;
    if (strcmp(t->key, "world") == 0 || strcmp(t->key, "ranks") == 0) {
        setting->kind = SYMBOL_BUILTIN;
        setting->index = t->key[0] == 'w' ? SLOT_WORLD : SLOT_AT_RANK;
    } else if (symbol != NULL &&
               (symbol->kind == SYMBOL_AXIS || symbol->kind == SYMBOL_OPTION)) {
        setting->kind = symbol->kind;
        setting->index = symbol->index;
    } else {
        return tree_error_key(t, load->err, STATUS_INVALID,
                              "\"%s\" cannot be set: it is no axis, no option, "
                              "and not world or ranks",
                              t->key);
    }
    if (t->type == TREE_NULL && symbol != NULL && symbol->kind == SYMBOL_OPTION)
        return 0; /* as if it were not given */
    if (read_type(t, READ_SCALAR, load->err) < 0)
        return -1;
    setting->value = compile(load, t,
                             setting->kind == SYMBOL_OPTION
                                 ? load->rt->options[setting->index].types
                                 : VALUE_INT);
    return setting->value != NULL ? 0 : -1;
}

static int load_remedy(struct loader *load, const struct tree *t,
                       struct remedy *remedy)
{
    const struct tree *set;
    struct setting *settings;

    if (read_keys(t, try_keys, ARRAY_LEN(try_keys), load->err) < 0 ||
        compile_child(load, t, "when", VALUE_BOOL, &remedy->when) < 0)
        return -1;
    set = tree_get(t, "set");
    settings = load_array(load, tree_count(set), sizeof(*settings));
    if (settings == NULL)
        return -1;
    remedy->say = read_string(t, "say");
    remedy->settings = settings;
    for (const struct tree *s = tree_first(set); s != NULL; s = s->next)
        if (load_setting(load, s, &settings[remedy->n_settings++]) < 0)
            return -1;
    if (remedy->n_settings == 0)
        return tree_error(set, load->err, STATUS_INVALID,
                          "a remedy sets at least one thing");
    return 0;
}

static int load_remedies(struct loader *load, const struct tree *t,
                         const struct remedy **ret, size_t *ret_n)
{
    const struct tree *list = tree_get(t, "try");
    struct remedy *remedies;

    remedies = load_parts(load, list, sizeof(*remedies));
    if (remedies == NULL)
        return -1;
    *ret = remedies;
    for (const struct tree *r = tree_first(list); r != NULL; r = r->next)
        if (load_remedy(load, r, &remedies[(*ret_n)++]) < 0)
            return -1;
    return 0;
}

/* ---- placed checks ------------------------------------------------------ */

static int load_codes(struct loader *load, const struct tree *map,
                      struct rule *rule)
{
    struct code_override *codes;

    codes = load_array(load, tree_count(map), sizeof(*codes));
    if (codes == NULL)
        return -1;
    rule->codes = codes;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        bool known = false;

        if (read_type(t, READ_STRING, load->err) < 0)
            return -1;
        for (int f = 0; f < FAULT_COUNT; f++)
            known |= (int)fault_rows[f].check == rule->structure &&
                     strcmp(fault_rows[f].word, t->key) == 0;
        if (!known)
            return tree_error_key(t, load->err, STATUS_INVALID,
                                  "the check %s finds nothing called %s",
                                  structure_name(rule->structure), t->key);
        codes[rule->n_codes++] =
            (struct code_override){ .key = t->key, .code = t->text };
    }
    return 0;
}

static int load_rule_views(struct loader *load, const struct tree *list,
                           struct rule *rule)
{
    const char *const *names;
    size_t n;
    int *views;

    if (list == NULL)
        return 0;
    if (read_names(load->arena, list, &names, &n, load->err) < 0)
        return -1;
    views = load_array(load, n, sizeof(*views));
    if (views == NULL)
        return -1;
    rule->views = views;
    for (size_t i = 0; i < n; i++) {
        size_t v = 0;

        while (v < load->rt->n_views &&
               strcmp(load->rt->views[v].name, names[i]) != 0)
            v++;
        if (v == load->rt->n_views)
            return tree_error(list, load->err, STATUS_INVALID,
                              "\"%s\" is no view of this runtime", names[i]);
        views[rule->n_views++] = (int)v;
    }
    return 0;
}

/* The option that `check: options` is about is no longer checked by `sizes`. */
static int load_rule_option(struct loader *load, const struct tree *t,
                            struct rule *rule)
{
    const struct tree *option = tree_get(t, "option");

    if ((option != NULL) != (rule->structure == STRUCTURE_options))
        return tree_error(t, load->err, STATUS_INVALID,
                          "the check options is of one option, and no other "
                          "check is");
    if (option == NULL)
        return 0;
    rule->option = runtime_option(load->rt, option->text);
    if (rule->option < 0 || load->rt->options[rule->option].one_of == NULL)
        return tree_error(option, load->err, STATUS_INVALID,
                          "\"%s\" is no option with one_of", option->text);
    load->rt->options[rule->option].checked_apart = true;
    return 0;
}

static int unknown_check(struct loader *load, const struct tree *at)
{
    const char *names[STRUCTURE_COUNT], *near;

    for (int i = 0; i < STRUCTURE_COUNT; i++)
        names[i] = structure_name(i);
    near = text_nearest(at->text, names, STRUCTURE_COUNT);
    return tree_error(at, load->err, STATUS_INVALID,
                      "no check is called \"%s\"%s%s", at->text,
                      near != NULL ? "; the nearest is " : "",
                      near != NULL ? near : "");
}

static int load_check(struct loader *load, const struct tree *t,
                      const struct rule_group *group, struct rule *rule)
{
    const struct tree *check = tree_get(t, "check");
    const struct tree *except = tree_get(t, "except");
    const struct tree *axis = tree_get(t, "axis");
    static const char *const of_rules[] = { "refuse", "warn",    "for",
                                            "when",   "because", "allowed",
                                            "about" };

    rule->structure = structure_named(check->text);
    if (rule->structure < 0)
        return unknown_check(load, check);
    for (size_t i = 0; i < ARRAY_LEN(of_rules); i++)
        if (tree_get(t, of_rules[i]) != NULL)
            return tree_error_key(tree_get(t, of_rules[i]), load->err,
                                  STATUS_INVALID,
                                  "a placed check does not read this key");
    if (group->when != NULL)
        return tree_error(check, load->err, STATUS_INVALID,
                          "a placed check is judged in every request: move it "
                          "out of the group with the condition %s",
                          expression_source(group->when));
    rule->axis = axis != NULL ? runtime_axis(load->rt, axis->text) : -1;
    if (axis != NULL && rule->axis < 0)
        return tree_error(axis, load->err, STATUS_INVALID,
                          "\"%s\" is not an axis of this runtime", axis->text);
    if (except != NULL && load_axis_mask(load, except, &rule->except) < 0)
        return -1;
    load->in_check = true;
    if (load_codes(load, tree_get(t, "codes"), rule) < 0 ||
        load_rule_views(load, tree_get(t, "views"), rule) < 0 ||
        load_rule_option(load, t, rule) < 0)
        return -1;
    return load_remedies(load, t, &rule->remedies, &rule->n_remedies);
}

/* ---- rules proper ------------------------------------------------------- */

static int load_refusal(struct loader *load, const struct tree *t,
                        const struct rule_group *group, struct rule *rule)
{
    bool refuses = tree_get(t, "refuse") != NULL;

    static const char *const of_checks[] = { "codes", "except", "views", "axis",
                                             "option" };

    rule->structure = -1;
    rule->axis = -1;
    rule->warns = !refuses;
    for (size_t i = 0; i < ARRAY_LEN(of_checks); i++)
        if (tree_get(t, of_checks[i]) != NULL)
            return tree_error_key(tree_get(t, of_checks[i]), load->err,
                                  STATUS_INVALID,
                                  "only a placed check reads this key");
    if (refuses == (tree_get(t, "warn") != NULL))
        return tree_error(t, load->err, STATUS_INVALID,
                          "expected one of refuse, warn and check");
    if (rule->code == NULL)
        return tree_error(t, load->err, STATUS_INVALID,
                          "the key code is missing");
    load->read_scope = false;
    if (load_for(load, t, rule) < 0 ||
        compile_child(load, t, "when", VALUE_BOOL, &rule->when) < 0 ||
        compile_child(load, t, refuses ? "refuse" : "warn", VALUE_BOOL,
                      &rule->refuse) < 0 ||
        load_condition(load, t, group, rule) < 0 ||
        compile_child(load, t, "allowed", VALUE_INT | VALUE_LIST,
                      &rule->allowed) < 0)
        return -1;
    rule->in_scope = load->read_scope && rule->items == NULL;
    return load_remedies(load, t, &rule->remedies, &rule->n_remedies);
}

int load_rule(struct loader *load, const struct tree *t,
              const struct rule_group *group, struct rule *rule)
{
    int rc;

    if (read_keys(t, rule_keys, ARRAY_LEN(rule_keys), load->err) < 0)
        return -1;
    rule->at = t;
    rule->layer = group->layer;
    rule->code = read_string(t, "code");
    rule->because = read_string(t, "because");
    rule->about = read_string(t, "about");
    load->alias = NULL;
    load->in_check = false;
    rc = tree_get(t, "check") != NULL ? load_check(load, t, group, rule)
                                      : load_refusal(load, t, group, rule);
    load->alias = NULL;
    load->in_check = false;
    return rc;
}

/* ---- axis sets ---------------------------------------------------------- */

static int load_axis_set(struct loader *load, const struct tree *t,
                         struct axis_set *set)
{
    const struct tree *allowed, *refused, *exactly;

    if (read_keys(t, set_keys, ARRAY_LEN(set_keys), load->err) < 0)
        return -1;
    allowed = tree_get(t, "set");
    refused = tree_get(t, "refuse");
    exactly = tree_get(t, "exactly");
    if ((allowed != NULL) + (refused != NULL) + (exactly != NULL) != 1)
        return tree_error(t, load->err, STATUS_INVALID,
                          "expected one of set, refuse and exactly");
    set->at = t;
    set->refused = allowed == NULL;
    set->exact = exactly != NULL;
    set->code = read_string(t, "code");
    set->because = read_string(t, "because");
    if (allowed != NULL && tree_get(t, "try") != NULL)
        return tree_error(t, load->err, STATUS_INVALID,
                          "what is allowed needs no remedy");
    if (load_remedies(load, t, &set->remedies, &set->n_remedies) < 0)
        return -1;
    return load_axis_mask(load,
                          set->exact     ? exactly
                          : set->refused ? refused
                                         : allowed,
                          &set->axes);
}

int load_axis_sets(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *list = tree_get(rt->document, "axis_sets");

    rt->axis_sets = load_parts(load, list, sizeof(*rt->axis_sets));
    if (rt->axis_sets == NULL)
        return -1;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (load_axis_set(load, t, &rt->axis_sets[rt->n_axis_sets++]) < 0)
            return -1;
    return 0;
}
