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

/* ---- findings of rules --------------------------------------------------- */

void item_print(const struct check *check, struct value item, struct text *out)
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
        if (!check->dep->spans && placed->scope->group->index >= 0) {
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
        text_printf(out, "%s.%s from %s to %s",
                    check->model->walks[signal->signal->walk].name,
                    signal->signal->name,
                    check->model->nodes[signal->signal->from].name,
                    signal->signal->to_name != NULL ? signal->signal->to_name
                                                    : "outside");
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

/* What a finding is about, as users call it where that is an option. */
static const char *users_name(const struct check *check, const char *about)
{
    int option = runtime_option(check->rt, about);

    return option >= 0 ? check->rt->options[option].field : about;
}

void finding_subject(const struct check *check, const struct finding *f,
                     struct text *out)
{
    if (f->fault < FAULT_COUNT && f->fault != FAULT_INEXACT) {
        fault_fill(check, f, fault_rows[f->fault].subject, out);
        return;
    }
    if (f->rule->about != NULL)
        text_put(out, users_name(check, f->rule->about));
    else if (f->item.state == VALUE_KNOWN && f->item.type == VALUE_OBJECT)
        item_print(check, f->item, out);
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

/* The expression that could not be computed: of the rule its list, condition or
 * refusal, whichever it was. */
static const struct expression *undefined_part(const struct finding *f)
{
    const struct rule *rule = f->rule;

    if (f->expr != NULL || f->fault == FAULT_LAYOUT_UNDEFINED)
        return f->expr;
    if (rule->items != NULL && f->item.state != VALUE_KNOWN)
        return rule->items;
    if (rule->when != NULL &&
        expression_eval(rule->when, &f->scope->env).state == VALUE_UNDEFINED)
        return rule->when;
    return rule->refuse;
}

void finding_equation(const struct check *check, const struct finding *f,
                      struct text *out)
{
    struct text notes = { 0 };
    struct origins origins = { .check = check,
                               .scope = f->scope,
                               .out = &notes };
    const struct expression *part;

    if (f->fault < FAULT_COUNT && f->fault != FAULT_INEXACT &&
        f->fault != FAULT_LAYOUT_UNDEFINED) {
        fault_fill(check, f, fault_rows[f->fault].equation, out);
        return;
    }
    f->scope->slots[SLOT_ITEM] = f->item;
    if (f->fault == FAULT_RULE) {
        expression_explain(f->rule->refuse, &f->scope->env, out, note_origin,
                           &origins);
        text_put(out, text_string(&notes));
        if (origins.n > 0)
            text_put(out, ")");
        text_close(&notes);
        return;
    }
    part = undefined_part(f);
    if (part != NULL)
        explain_undefined(check, f->scope, part, out);
}

void finding_reason(const struct check *check, const struct finding *f,
                    struct text *out)
{
    if (f->fault < FAULT_COUNT)
        fault_fill(check, f, fault_rows[f->fault].reason, out);
    else if (f->rule->because != NULL)
        text_put(out, f->rule->because);
    else
        text_printf(out, "the runtime %s does not run this", check->rt->name);
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

/* The remedies of the set of axes come before those of the whole check. */
const struct remedy *finding_remedy(const struct finding *f, size_t i)
{
    size_t n = f->set != NULL ? f->set->n_remedies : 0;

    if (i < n)
        return &f->set->remedies[i];
    return i - n < f->rule->n_remedies ? &f->rule->remedies[i - n] : NULL;
}

struct value setting_value(const struct setting *setting,
                           const struct scope *scope)
{
    if (setting->value == NULL)
        return (struct value){ .state = VALUE_KNOWN };
    return expression_eval(setting->value, &scope->env);
}

/* Whether the request may hold this number there: a count, or what asks for an
 * axis to be filled in. */
static bool setting_takes(const struct check *check, const struct setting *s,
                          struct value v)
{
    const struct axis *axis = NULL;
    int64_t number;

    if (s->kind == SYMBOL_OPTION)
        return true;
    if (!value_to_int(v, &number))
        return false;
    if (s->kind == SYMBOL_AXIS)
        axis = &check->rt->axes[s->index];
    if (axis != NULL && axis->has_fill_on && number == axis->fill_on)
        return true;
    return number >= 1 && number <= VIEW_SPAN_MAX;
}

bool remedy_applies(const struct check *check, const struct scope *scope,
                    const struct remedy *remedy)
{
    if (remedy->when != NULL &&
        !value_is_true(expression_eval(remedy->when, &scope->env)))
        return false;
    for (size_t i = 0; i < remedy->n_settings; i++) {
        const struct setting *s = &remedy->settings[i];
        struct value v = setting_value(s, scope);

        if (v.state != VALUE_KNOWN || !setting_takes(check, s, v))
            return false;
    }
    return true;
}

/* The name that users type. */
static const char *setting_field(const struct check *check,
                                 const struct setting *setting)
{
    if (setting->kind == SYMBOL_AXIS)
        return check->rt->axes[setting->index].field;
    if (setting->kind == SYMBOL_OPTION)
        return check->rt->options[setting->index].field;
    return setting->name;
}

/* "set cfg_size to 1, leave out order", without sizes that stay as they are. */
static void put_settings(const struct check *check, const struct scope *scope,
                         const struct remedy *remedy, struct text *out)
{
    const char *joint = "", *verb = "set ";

    for (size_t i = 0; i < remedy->n_settings; i++) {
        const struct setting *s = &remedy->settings[i];
        struct value v = setting_value(s, scope);

        if (s->kind == SYMBOL_AXIS && remedy->n_settings > 1 &&
            value_equal(v, scope->slots[check->rt->axes[s->index].slot]))
            continue;
        text_put(out, joint);
        joint = ", ";
        if (s->value == NULL) {
            text_printf(out, "leave out %s", setting_field(check, s));
            verb = "set ";
            continue;
        }
        text_printf(out, "%s%s to ", verb, setting_field(check, s));
        value_print(v, out);
        verb = "";
    }
}

/* "allowed: 1, 2" */
static void put_allowed(const struct scope *scope, const struct rule *rule,
                        struct text *out)
{
    struct value v;

    if (rule->allowed == NULL)
        return;
    v = expression_eval(rule->allowed, &scope->env);
    if (v.state != VALUE_KNOWN)
        return;
    text_put(out, "use one of ");
    if (v.type != VALUE_LIST)
        value_print(v, out);
    for (uint32_t i = 0; v.type == VALUE_LIST && i < v.count; i++) {
        text_put(out, i > 0 ? ", " : "");
        value_print(v.u.items[i], out);
    }
}

/* Adds " NEED," to a text that does not hold it. */
static void put_need(void *arg, const char *need)
{
    struct text *list = arg, entry = { 0 };

    text_printf(&entry, " %s,", need);
    if (strstr(text_string(list), text_string(&entry)) == NULL)
        text_put(list, text_string(&entry));
    text_close(&entry);
}

/* What the row of the fault says, but of what is only not known what it needs.
 */
static void put_row_fix(const struct check *check, const struct finding *f,
                        struct text *out)
{
    struct text needs = { 0 };

    if (layout_needs(check, f, put_need, &needs) && needs.len > 0)
        text_printf(out, "give a value for%.*s", (int)needs.len - 1,
                    text_string(&needs));
    else
        fault_fill(check, f, fault_rows[f->fault].fix, out);
    text_close(&needs);
}

void finding_fixes(struct check *check, const struct finding *f,
                   void (*fix)(void *arg, const char *text), void *arg)
{
    struct scope *scope = remedy_bind(check, f);
    const struct remedy *remedy;
    struct text text = { 0 };

    for (size_t i = 0; (remedy = finding_remedy(f, i)) != NULL; i++) {
        if (!remedy_applies(check, scope, remedy))
            continue;
        text_clear(&text);
        put_settings(check, scope, remedy, &text);
        if (remedy->say != NULL)
            text_printf(&text, " (%s)", remedy->say);
        fix(arg, text_string(&text));
    }
    text_clear(&text);
    put_allowed(scope, f->rule, &text);
    if (text.len > 0)
        fix(arg, text_string(&text));
    text_clear(&text);
    if (f->fault < FAULT_COUNT && fault_rows[f->fault].fix[0] != '\0') {
        put_row_fix(check, f, &text);
        fix(arg, text_string(&text));
    }
    text_close(&text);
}
