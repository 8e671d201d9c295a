/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as text: what it is about, the equation, the reason, the fixes. */
#include "placement/explain.h"

#include <inttypes.h>
#include <string.h>

void group_path(int group, struct text *out)
{
    text_printf(out, "node_groups[%d]", group);
}

void shape_print(const struct check *check, const struct scope *scope,
                 struct text *out)
{
    bool any = false;

    for (size_t a = 0; a < check->rt->n_axes; a++) {
        uint32_t size = scope_size(check, scope, (int)a);

        if (size < 2)
            continue;
        text_printf(out, "%s%s %" PRIu32, any ? ", " : "",
                    check->rt->axes[a].field, size);
        any = true;
    }
    if (!any)
        text_put(out, "one rank");
}

/* ---- words of the fault table -------------------------------------------- */

typedef void word_fn(const struct check *check, const struct finding *f,
                     struct text *out);

static void put_int(int64_t n, struct text *out)
{
    text_printf(out, "%" PRId64, n);
}

static void word_place(const struct check *check, const struct finding *f,
                       struct text *out)
{
    size_t start = out->len;

    if (f->at != NULL)
        tree_path(f->at, out);
    else if (f->group >= 0 && !check->dep->spans)
        group_path(f->group, out);
    if (out->len > start)
        text_put(out, ".");
}

static void word_group(const struct check *check, const struct finding *f,
                       struct text *out)
{
    (void)check;
    group_path(f->group, out);
}

static void word_other(const struct check *check, const struct finding *f,
                       struct text *out)
{
    (void)check;
    group_path(f->other, out);
}

static void word_axis(const struct check *check, const struct finding *f,
                      struct text *out)
{
    text_put(out, check->rt->axes[f->axis].field);
}

static void word_axisname(const struct check *check, const struct finding *f,
                          struct text *out)
{
    text_put(out, check->rt->axes[f->axis].name);
}

static void word_node(const struct check *check, const struct finding *f,
                      struct text *out)
{
    (void)check;
    text_put(out, f->node != NULL ? f->node->name : "a node");
}

static void word_walk(const struct check *check, const struct finding *f,
                      struct text *out)
{
    (void)check;
    text_put(out, f->walk[0] != '\0' ? f->walk : "all walks");
}

static void word_rank(const struct check *check, const struct finding *f,
                      struct text *out)
{
    (void)check;
    put_int(f->rank, out);
}

/* Names of the axes in the mask a, joined: of a refused set of axes. */
static void put_axes(const struct check *check, uint32_t axes, struct text *out)
{
    const char *joint = "";

    for (size_t i = 0; i < check->rt->n_axes; i++) {
        if ((axes & 1u << i) == 0)
            continue;
        text_printf(out, "%s%s", joint, check->rt->axes[i].field);
        joint = ", ";
    }
}

static void word_name(const struct check *check, const struct finding *f,
                      struct text *out)
{
    if (f->fault == FAULT_AXES_TOGETHER)
        put_axes(check, (uint32_t)f->a, out);
    else if (f->fault == FAULT_INEXACT)
        finding_subject(check, f, out);
    else
        text_put(out, f->name != NULL ? f->name : "another node");
}

static void word_near(const struct check *check, const struct finding *f,
                      struct text *out)
{
    (void)check;
    if (f->near != NULL)
        text_printf(out, "; the nearest name is %s", f->near);
}

static void word_to(const struct check *check, const struct finding *f,
                    struct text *out)
{
    (void)check;
    text_put(out, f->near != NULL ? f->near : "");
}

static void word_a(const struct check *check, const struct finding *f,
                   struct text *out)
{
    (void)check;
    put_int(f->a, out);
}

static void word_b(const struct check *check, const struct finding *f,
                   struct text *out)
{
    (void)check;
    put_int(f->b, out);
}

static void word_mod(const struct check *check, const struct finding *f,
                     struct text *out)
{
    (void)check;
    put_int(f->a % f->b, out);
}

/* The nearest length below that would do, or the one above when there is none.
 */
static void word_below(const struct check *check, const struct finding *f,
                       struct text *out)
{
    int64_t below = f->a - f->a % f->b;

    (void)check;
    put_int(below > 0 ? below : f->b, out);
}

static void word_above(const struct check *check, const struct finding *f,
                       struct text *out)
{
    int64_t above = f->a - f->a % f->b + f->b;

    (void)check;
    put_int(above > f->b ? above : above + f->b, out);
}

static void word_shape(const struct check *check, const struct finding *f,
                       struct text *out)
{
    shape_print(check, &check->scopes[f->group], out);
}

static void word_othershape(const struct check *check, const struct finding *f,
                            struct text *out)
{
    shape_print(check, &check->scopes[f->other], out);
}

static void word_instance(const struct check *check, const struct finding *f,
                          struct text *out)
{
    (void)check;
    put_int(f->instance, out);
}

static void word_because(const struct check *check, const struct finding *f,
                         struct text *out)
{
    (void)check;
    if (f->set != NULL && f->set->because != NULL)
        text_put(out, f->set->because);
    else
        text_put(out, "this set of axes is not among those that the runtime "
                      "combines");
}

static void word_runtime(const struct check *check, const struct finding *f,
                         struct text *out)
{
    (void)f;
    text_put(out, check->rt->name);
}

static void word_oneof(const struct check *check, const struct finding *f,
                       struct text *out)
{
    const struct option *option = &check->rt->options[f->a];
    const char *joint = "";

    for (const struct tree *t = tree_first(option->one_of); t != NULL;
         t = t->next) {
        text_printf(out, "%s%s", joint, t->text != NULL ? t->text : "a list");
        joint = ", ";
    }
}

/* clang-format off */
static const struct word {
    const char *name;
    word_fn *put;
} words[] = {
    { "place", word_place },     { "group", word_group },
    { "other", word_other },     { "axis", word_axis },
    { "axisname", word_axisname }, { "node", word_node },
    { "walk", word_walk },       { "rank", word_rank },
    { "name", word_name },       { "near", word_near },
    { "to", word_to },           { "a", word_a },
    { "b", word_b },             { "mod", word_mod },
    { "below", word_below },     { "above", word_above },
    { "shape", word_shape },     { "othershape", word_othershape },
    { "instance", word_instance }, { "because", word_because },
    { "runtime", word_runtime }, { "oneof", word_oneof },
};
/* clang-format on */

static const struct word *find_word(const char *name, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strlen(words[i].name) == len &&
            memcmp(words[i].name, name, len) == 0)
            return &words[i];
    return NULL;
}

/* Writes text, each {word} replaced. */
static void fill_in(const struct check *check, const struct finding *f,
                    const char *text, struct text *out)
{
    while (*text != '\0') {
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        const struct word *word = NULL;

        if (end != NULL)
            word = find_word(text + 1, (size_t)(end - text - 1));
        if (word == NULL) {
            text_put_bytes(out, text++, 1);
            continue;
        }
        word->put(check, f, out);
        text = end + 1;
    }
}

void fault_text_print(const char *text, struct text *out)
{
    for (; *text != '\0'; text++) {
        if (strncmp(text, "{near}", 6) == 0)
            text += 5;
        else if (*text == '{' || *text == '}')
            text_put(out, *text == '{' ? "<" : ">");
        else
            text_put_bytes(out, text, 1);
    }
}

/* ---- findings of rules --------------------------------------------------- */

static void put_item(const struct check *check, struct value item,
                     struct text *out)
{
    const struct placed *placed = item.u.object;
    const struct signal_item *signal = item.u.object;
    const struct resource_item *resource = item.u.object;
    const struct scope *scope = item.u.object;
    const struct instance_item *instance = item.u.object;
    const struct list_item *list = item.u.object;
    const struct node *node = item.u.object;
    const struct stream *stream = item.u.object;
    const struct walk *walk = item.u.object;
    const struct combined *combined = item.u.object;

    switch ((enum kind)item.kind) {
    case KIND_PLACED:
        if (!check->dep->spans) {
            group_path(placed->scope->group->index, out);
            text_put(out, ".");
        }
        text_put(out, placed->node->name);
        break;
    case KIND_GROUP:
        group_path(scope->group->index, out);
        break;
    case KIND_INSTANCE:
        group_path(instance->scope->group->index, out);
        text_printf(out, ".instances[%" PRIu32 "]", instance->index);
        break;
    case KIND_NODE:
        text_put(out, node->name);
        break;
    case KIND_SIGNAL:
        text_printf(out, "%s.%s",
                    check->model->walks[signal->signal->walk].name,
                    signal->signal->name);
        break;
    case KIND_RESOURCE:
        text_put(out, resource->resource->key);
        break;
    case KIND_STREAM:
        text_put(out, stream->signal);
        break;
    case KIND_WALK:
        text_put(out, walk->name);
        break;
    case KIND_COMBINED:
        text_put(out, combined->name);
        break;
    case KIND_LIST:
        text_printf(out, "list %" PRIu32, list->index);
        break;
    case KIND_GIVEN:
        break;
    }
}

void finding_subject(const struct check *check, const struct finding *f,
                     struct text *out)
{
    if (f->fault < FAULT_COUNT && f->fault != FAULT_INEXACT) {
        fill_in(check, f, fault_rows[f->fault].subject, out);
        return;
    }
    if (f->item.state == VALUE_KNOWN && f->item.type == VALUE_OBJECT)
        put_item(check, f->item, out);
    else if (f->item.state == VALUE_KNOWN && f->item.type == VALUE_STRING)
        text_put(out, f->item.u.string);
    else if (f->group >= 0 && !check->dep->spans)
        group_path(f->group, out);
}

/* Where a number in an equation came from. */
struct origins {
    const struct check *check;
    const struct scope *scope;
    struct text *out;
    int n;
};

static void note_origin(void *arg, int slot)
{
    struct origins *o = arg;
    const struct symbol *symbol = runtime_symbol_at(o->check->rt, slot);
    const struct expression *from = NULL;
    const struct axis *axis;

    if (symbol == NULL || o->scope->group == NULL)
        return;
    if (symbol->kind == SYMBOL_AXIS) {
        axis = &o->check->rt->axes[symbol->index];
        if (o->scope->group->sizes[symbol->index].has && axis->fill == NULL)
            return;
        from = axis->fill != NULL ? axis->fill : axis->initial;
    } else if (symbol->kind == SYMBOL_DERIVED) {
        const struct derived *d = &o->check->rt->derived[symbol->index];

        from = d->n_alternatives == 1 ? d->alternatives[0].value : NULL;
    } else {
        return;
    }
    text_printf(o->out, "%s%s = ", o->n++ == 0 ? " (" : ", ", symbol->name);
    value_print(o->scope->slots[slot], o->out);
    if (symbol->kind == SYMBOL_AXIS && from == NULL)
        text_put(o->out, ", the default");
    else if (from != NULL)
        text_printf(o->out, ", from %s", expression_source(from));
    else
        text_put(o->out, ", derived");
}

void finding_equation(const struct check *check, const struct finding *f,
                      struct text *out)
{
    struct origins origins = { .check = check, .scope = f->scope, .out = out };
    const struct expression *refuse = f->rule->refuse;

    if (f->fault < FAULT_COUNT && f->fault != FAULT_INEXACT) {
        fill_in(check, f, fault_rows[f->fault].equation, out);
        return;
    }
    f->scope->slots[SLOT_ITEM] = f->item;
    if (f->fault == FAULT_INEXACT) {
        if (f->item.state != VALUE_KNOWN && f->rule->items != NULL)
            refuse = f->rule->items;
        expression_explain_undefined(refuse, &f->scope->env, out);
        return;
    }
    expression_explain(refuse, &f->scope->env, out, note_origin, &origins);
    if (origins.n > 0)
        text_put(out, ")");
}

void finding_reason(const struct check *check, const struct finding *f,
                    struct text *out)
{
    if (f->fault < FAULT_COUNT)
        fill_in(check, f, fault_rows[f->fault].reason, out);
    else
        text_put(out, f->rule->because != NULL ? f->rule->because : "");
}

/* ---- fixes --------------------------------------------------------------- */

struct scope *remedy_bind(struct check *check, const struct finding *f)
{
    struct scope *scope =
        check->dep->spans ? &check->scopes[0] : &check->global;
    struct value *slots;

    if (f->group >= 0 && (size_t)f->group < check->dep->n_groups)
        scope = &check->scopes[f->group];
    else if (f->scope != NULL)
        scope = (struct scope *)f->scope;
    slots = scope->slots;
    slots[SLOT_ITEM] = f->item;
    for (int slot = SLOT_AT_AXIS; slot <= SLOT_AT_RANK; slot++)
        slots[slot] = value_unknown();
    if (f->axis >= 0) {
        slots[SLOT_AT_AXIS] = value_string(check->rt->axes[f->axis].name);
        slots[SLOT_AT_SIZE] = scope->slots[check->rt->axes[f->axis].slot];
    }
    if (f->node != NULL)
        slots[SLOT_AT_NODE] = value_object(KIND_NODE, f->node);
    if (f->group >= 0)
        slots[SLOT_AT_GROUP] = value_object(KIND_GROUP, scope);
    if (f->rank >= 0)
        slots[SLOT_AT_RANK] = value_int(f->rank);
    return scope;
}

/* "set cfg_size to 1" */
static void put_settings(const struct check *check, const struct scope *scope,
                         const struct remedy *remedy, struct text *out)
{
    for (size_t i = 0; i < remedy->n_settings; i++) {
        const struct setting *s = &remedy->settings[i];

        text_printf(out, "%s%s to ", i == 0 ? "set " : ", ",
                    s->kind == SYMBOL_AXIS ? check->rt->axes[s->index].field
                                           : s->name);
        value_print(expression_eval(s->value, &scope->env), out);
    }
}

void finding_fixes(struct check *check, const struct finding *f,
                   void (*fix)(void *arg, const char *text), void *arg)
{
    struct scope *scope = remedy_bind(check, f);
    struct text text = { 0 };

    for (size_t i = 0; i < f->rule->n_remedies; i++) {
        const struct remedy *remedy = &f->rule->remedies[i];

        if (remedy->when != NULL &&
            !value_is_true(expression_eval(remedy->when, &scope->env)))
            continue;
        text_clear(&text);
        put_settings(check, scope, remedy, &text);
        if (remedy->say != NULL)
            text_printf(&text, " (%s)", remedy->say);
        fix(arg, text_string(&text));
    }
    text_clear(&text);
    if (f->fault < FAULT_COUNT && fault_rows[f->fault].fix[0] != '\0') {
        fill_in(check, f, fault_rows[f->fault].fix, &text);
        fix(arg, text_string(&text));
    }
    text_close(&text);
}

/* ---- what an unchecked rule needs ---------------------------------------- */

struct needs {
    const struct check *check;
    const struct unchecked *unchecked;
    void (*need)(void *arg, const char *text);
    void *arg;
    int depth;
};

static void note_need(void *arg, int slot, const char *path);

static void needs_of(struct needs *needs, const struct expression *expr)
{
    if (expr != NULL && needs->depth < 8) {
        needs->depth++;
        expression_needs(expr, &needs->unchecked->scope->env, note_need, needs);
        needs->depth--;
    }
}

/* A derived size or a default that is unknown: what it is computed from. */
static void needs_of_symbol(struct needs *needs, const struct symbol *symbol)
{
    const struct runtime *rt = needs->check->rt;

    if (symbol->kind == SYMBOL_AXIS) {
        needs_of(needs, rt->axes[symbol->index].fill);
        needs_of(needs, rt->axes[symbol->index].initial);
        return;
    }
    for (size_t i = 0; i < rt->derived[symbol->index].n_alternatives; i++) {
        needs_of(needs, rt->derived[symbol->index].alternatives[i].when);
        needs_of(needs, rt->derived[symbol->index].alternatives[i].value);
    }
}

static void note_need(void *arg, int slot, const char *path)
{
    struct needs *needs = arg;
    const struct symbol *symbol = runtime_symbol_at(needs->check->rt, slot);
    struct value item = needs->unchecked->item;
    const char *member = strchr(path, '.');
    struct text text = { 0 };

    if (symbol != NULL &&
        (symbol->kind == SYMBOL_AXIS || symbol->kind == SYMBOL_DERIVED)) {
        needs_of_symbol(needs, symbol);
        return;
    }
    if (symbol != NULL && symbol->kind == SYMBOL_FACT) {
        text_printf(&text, "model.%s", path);
    } else if (slot == SLOT_ITEM && member != NULL &&
               item.type == VALUE_OBJECT && item.kind == KIND_PLACED) {
        const struct placed *placed = item.u.object;

        text_printf(&text, "model.%s%s", placed->node->name, member);
    } else if (slot == SLOT_ITEM && member != NULL &&
               item.type == VALUE_OBJECT) {
        text_put(&text, "model.");
        put_item(needs->check, item, &text);
        text_put(&text, member);
    } else {
        text_put(&text, path);
    }
    needs->need(needs->arg, text_string(&text));
    text_close(&text);
}

void unchecked_needs(const struct check *check, const struct unchecked *u,
                     void (*need)(void *arg, const char *text), void *arg)
{
    struct needs needs = {
        .check = check, .unchecked = u, .need = need, .arg = arg
    };

    u->scope->slots[SLOT_ITEM] = u->item;
    if (u->item.state != VALUE_KNOWN && u->rule->items != NULL)
        needs_of(&needs, u->rule->items);
    needs_of(&needs, u->rule->when);
    needs_of(&needs, u->rule->refuse);
}
