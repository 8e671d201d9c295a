/* SPDX-License-Identifier: Apache-2.0 */
/* The views of a node group as a request resolves them. */
#include "placement/check.h"

#include <string.h>

/* The form that holds, or NULL; *ret_absent: each is known not to. */
static const struct view_form *form_of(const struct scope *scope,
                                       const struct view_rule *rule,
                                       bool *ret_absent)
{
    *ret_absent = false;
    for (size_t i = 0; i < rule->n_forms; i++) {
        const struct view_form *form = &rule->forms[i];
        struct value when = value_bool(true);

        if (form->when != NULL)
            when = expression_eval(form->when, &scope->env);
        if (when.state != VALUE_KNOWN)
            return NULL; /* not known to be false */
        if (value_is_true(when))
            return form;
    }
    *ret_absent = true;
    return NULL;
}

/* Sizes of the parts, outermost first; false when one is not known. */
static bool part_sizes(const struct check *check, const struct scope *scope,
                       const struct view_form *form, const char **names,
                       int64_t *sizes, int64_t *ret_product,
                       const struct expression **ret_bad)
{
    *ret_product = 1;
    for (size_t i = 0; i < form->n_parts; i++) {
        const struct view_part *part = &form->parts[i];
        struct value v;

        v = part->axis >= 0 ? scope->slots[check->rt->axes[part->axis].slot]
                            : expression_eval(part->size, &scope->env);
        if (!value_to_int(v, &sizes[i]) || sizes[i] < 1 ||
            sizes[i] > VIEW_SPAN_MAX) {
            *ret_bad = part->size;
            return false;
        }
        names[i] = part->name;
        /* 2^20 * 2^20 fits; what is beyond all bounds need not be exact */
        *ret_product *= sizes[i];
        if (*ret_product > (int64_t)VIEW_SPAN_MAX * VIEW_SPAN_MAX)
            *ret_product = (int64_t)VIEW_SPAN_MAX * VIEW_SPAN_MAX;
    }
    return true;
}

/* ---- the order of the parts ---------------------------------------------- */

enum { ORDER_TOKENS_MAX = 64, ORDER_TEXT_MAX = 1024 };

/* What an order says, outermost first. */
struct order {
    const char *tokens[ORDER_TOKENS_MAX];
    size_t n;
};

static void reverse(struct order *order)
{
    for (size_t i = 0; i < order->n / 2; i++) {
        const char *moved = order->tokens[i];

        order->tokens[i] = order->tokens[order->n - 1 - i];
        order->tokens[order->n - 1 - i] = moved;
    }
}

/* "tp-cp-dp", in either case. */
static bool read_string_order(struct check *check, const char *text,
                              struct order *order)
{
    size_t len = strnlen(text, ORDER_TEXT_MAX + 1);
    char *copy = check_alloc(check, len + 1, 1);

    if (copy == NULL || len > ORDER_TEXT_MAX)
        return false;
    for (size_t i = 0; i < len; i++)
        copy[i] =
            text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
    for (char *next = copy; next != NULL;) {
        char *dash = strchr(next, '-');

        if (order->n == ORDER_TOKENS_MAX)
            return false;
        order->tokens[order->n++] = next;
        if (dash != NULL)
            *dash++ = '\0';
        next = dash;
    }
    return true;
}

static bool read_list_order(struct value list, struct order *order)
{
    for (uint32_t i = 0; i < list.count; i++) {
        struct value item = list.u.items[i];

        if (item.state != VALUE_KNOWN || item.type != VALUE_STRING ||
            order->n == ORDER_TOKENS_MAX)
            return false;
        order->tokens[order->n++] = item.u.string;
    }
    return true;
}

static bool read_order(struct check *check, const struct view_form *form,
                       struct value v, struct order *order)
{
    bool read = false;

    if (v.type == VALUE_LIST) /* outermost first always */
        return read_list_order(v, order);
    if (v.type == VALUE_STRING)
        read = read_string_order(check, v.u.string, order);
    if (form->outermost_last)
        reverse(order);
    return read;
}

static bool set_fault(struct scope_view *sv, enum order_fault fault,
                      const char *name)
{
    sv->order_fault = fault;
    sv->order_name = name;
    return false;
}

static int part_named(const struct view_form *form, const char *name)
{
    for (size_t i = 0; i < form->n_parts; i++)
        if (strcmp(form->parts[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Whether each token names a part, or is an axis of other views; each once. */
static bool check_tokens(const struct check *check, struct scope_view *sv,
                         const struct order *order)
{
    for (size_t i = 0; i < order->n; i++) {
        if (part_named(sv->form, order->tokens[i]) < 0 &&
            runtime_axis(check->rt, order->tokens[i]) < 0)
            return set_fault(sv, ORDER_UNKNOWN, order->tokens[i]);
        for (size_t k = 0; k < i; k++)
            if (strcmp(order->tokens[i], order->tokens[k]) == 0)
                return set_fault(sv, ORDER_REPEATED, order->tokens[i]);
    }
    return true;
}

/* Part numbers in the order they come to stand. */
struct places {
    int parts[VIEW_AXES_MAX];
    size_t n;
    bool has[VIEW_AXES_MAX];
};

static void place(struct places *places, int part, size_t at)
{
    memmove(&places->parts[at + 1], &places->parts[at],
            (places->n - at) * sizeof(places->parts[0]));
    places->parts[at] = part;
    places->n++;
    places->has[part] = true;
}

/* Beside the part it stands behind, in the direction of the order. */
static void place_behind(struct places *places, const struct view_form *form,
                         int part)
{
    size_t at = 0;

    while (places->parts[at] != form->parts[part].after)
        at++;
    place(places, part, form->outermost_last ? at : at + 1);
}

/* Where each part comes to stand under the request's order, outermost first.
 * False: the order cannot be followed, and sv says why. */
static bool order_parts(struct check *check, const struct scope *scope,
                        struct scope_view *sv, const int64_t *sizes,
                        int *ret_parts)
{
    const struct view_form *form = sv->form;
    struct places places = { .n = 0 };
    struct order order = { .n = 0 };
    struct value v = expression_eval(form->order, &scope->env);

    if (v.state == VALUE_UNKNOWN) { /* nobody asks for one */
        for (size_t i = 0; i < form->n_parts; i++)
            ret_parts[i] = (int)i;
        return true;
    }
    if (v.state != VALUE_KNOWN || !read_order(check, form, v, &order))
        return set_fault(sv, ORDER_UNREADABLE, "");
    if (!check_tokens(check, sv, &order))
        return false;
    for (size_t i = 0; i < order.n; i++)
        if (part_named(form, order.tokens[i]) >= 0)
            place(&places, part_named(form, order.tokens[i]), places.n);
    for (size_t i = 0; i < form->n_parts; i++) {
        if (places.has[i] || form->parts[i].after >= 0)
            continue;
        if (sizes[i] > 1)
            return set_fault(sv, ORDER_MISSING, form->parts[i].name);
        place(&places, (int)i, form->outermost_last ? 0 : places.n);
    }
    for (size_t i = 0; i < form->n_parts; i++)
        if (!places.has[i])
            place_behind(&places, form, (int)i);
    memcpy(ret_parts, places.parts, places.n * sizeof(ret_parts[0]));
    return true;
}

static bool apply_order(struct check *check, const struct scope *scope,
                        struct scope_view *sv, const char **names,
                        int64_t *sizes)
{
    const char *old_names[VIEW_AXES_MAX];
    int64_t old_sizes[VIEW_AXES_MAX];
    int parts[VIEW_AXES_MAX];
    size_t n = sv->form->n_parts;

    if (sv->form->order == NULL)
        return true;
    if (!order_parts(check, scope, sv, sizes, parts))
        return false;
    memcpy(old_names, names, n * sizeof(names[0]));
    memcpy(old_sizes, sizes, n * sizeof(sizes[0]));
    for (size_t i = 0; i < n; i++) {
        names[i] = old_names[parts[i]];
        sizes[i] = old_sizes[parts[i]];
    }
    return true;
}

/* ---- the view ------------------------------------------------------------ */

/* Which part of the world the view covers: all of it, or as its form says. */
static bool find_extent(const struct check *check, const struct scope *scope,
                        struct scope_view *sv, int64_t *ret_first)
{
    const struct view_form *form = sv->form;
    int64_t world = (int64_t)scope->group->n_ranks, first = 0;

    sv->wanted = world;
    if (!check->dep->spans)
        return true;
    sv->bad = form->first;
    if (form->first != NULL &&
        !value_to_int(expression_eval(form->first, &scope->env), &first))
        return false;
    sv->bad = form->span;
    if (form->span != NULL &&
        !value_to_int(expression_eval(form->span, &scope->env), &sv->wanted))
        return false;
    *ret_first = first;
    return first >= 0 && first <= world && sv->wanted >= 1 &&
           sv->wanted <= world - first;
}

const struct view *scope_view(struct check *check, struct scope *scope,
                              int view)
{
    struct scope_view *sv = &scope->views[view];
    const char *names[VIEW_AXES_MAX];
    int64_t sizes[VIEW_AXES_MAX], product, first = 0;
    bool absent;

    if (sv->state != VIEW_NOT_ASKED)
        return sv->state == VIEW_GOOD ? &sv->view : NULL;
    sv->state = VIEW_BAD;
    sv->form = form_of(scope, &check->rt->views[view], &absent);
    if (absent)
        sv->state = VIEW_ABSENT;
    if (sv->form == NULL ||
        !part_sizes(check, scope, sv->form, names, sizes, &product, &sv->bad))
        return NULL;
    sv->product = product;
    if (!apply_order(check, scope, sv, names, sizes))
        return NULL;
    if (!find_extent(check, scope, sv, &first)) {
        sv->product = 0;
        return NULL;
    }
    if ((check->dep->spans && sv->product != sv->wanted) ||
        view_init(&sv->view, names, sizes, (int)sv->form->n_parts, NULL) < 0)
        return NULL;
    sv->view.first = (uint32_t)first;
    sv->state = VIEW_GOOD;
    return &sv->view;
}

const struct view *scope_first_view(struct check *check, struct scope *scope)
{
    size_t v = 0;

    while (scope_view(check, scope, (int)v) == NULL &&
           scope->views[v].state == VIEW_ABSENT && v + 1 < check->rt->n_views)
        v++;
    return scope_view(check, scope, (int)v);
}
