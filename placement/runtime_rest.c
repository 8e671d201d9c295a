/* SPDX-License-Identifier: Apache-2.0 */
/* What a check need not evaluate: found by evaluating every rule and derived
 * value while loading, with some inputs at rest and nothing else known.
 *
 * Most requests leave most axes 1 and most options at their default, and most
 * rules are guarded by one of them, as in `pp > 1 && ...`. If such a rule comes
 * out false with pp = 1 and all else open, it is false in every request where
 * pp is 1. */
#include <string.h>

#include "placement/items.h"
#include "placement/runtime_load.h"

/* What is evaluated, and what it must come to for inputs at rest to spare it.
 */
struct subject {
    const struct rule *rule; /* finds nothing; NULL: */
    int slot;                /* has this value: */
    struct value value;
};

struct rester {
    struct loader *load;
    struct environment env;
    struct value *slots; /* to evaluate with; what is open is unknown */
    /* by slot */
    struct value *rest; /* of an input, its value at rest */
    bool *is_input, *at_rest, *is_read;
    int *bits; /* -1: none yet */
    /* inputs that the subject reads, also through what is computed */
    int *inputs;
    size_t n_inputs;
};

/* ---- evaluating with little known ---------------------------------------- */

static struct value partial_member(const struct environment *env,
                                   struct value object, int member)
{
    const struct rester *r = env->arg;
    int slot = item_slot(r->load->rt, object.kind, member);

    return slot >= 0 ? env->slots[slot] : value_unknown();
}

static struct value partial_lists(const struct environment *env, int list)
{
    (void)env;
    (void)list;
    return value_unknown();
}

static bool is_false(struct value v)
{
    return v.type == VALUE_BOOL && !v.u.boolean;
}

static bool finds_nothing(const struct rester *r, const struct rule *rule)
{
    struct value when = value_bool(true);

    if (rule->when != NULL)
        when = expression_eval(rule->when, &r->env);
    if (is_false(when))
        return true;
    return value_is_true(when) &&
           is_false(expression_eval(rule->refuse, &r->env));
}

static struct value derived_value(const struct rester *r,
                                  const struct derived *derived)
{
    for (size_t i = 0; i < derived->n_alternatives; i++) {
        const struct alternative *a = &derived->alternatives[i];
        struct value when = value_bool(true);

        if (a->when != NULL)
            when = expression_eval(a->when, &r->env);
        if (value_is_true(when))
            return expression_eval(a->value, &r->env);
        if (!is_false(when))
            break;
    }
    return value_unknown();
}

static int computed_slot(const struct runtime *rt,
                         const struct computed *computed)
{
    if (computed->kind == SYMBOL_AXIS)
        return rt->axes[computed->index].slot;
    if (computed->kind == SYMBOL_OPTION)
        return rt->options[computed->index].slot;
    return rt->derived[computed->index].slot;
}

/* Fills in the inputs, and of what is computed from them what the subject
 * reads. */
static void fill_slots(struct rester *r)
{
    const struct runtime *rt = r->load->rt;

    for (size_t i = 0; i < r->n_inputs; i++) {
        int slot = r->inputs[i];

        r->slots[slot] = r->at_rest[slot] ? r->rest[slot] : value_unknown();
    }
    for (size_t i = 0; i < rt->n_computed; i++) {
        const struct computed *computed = &rt->computed[i];
        int slot = computed_slot(rt, computed);

        if (!r->is_read[slot])
            continue;
        if (computed->kind == SYMBOL_DERIVED)
            r->slots[slot] = derived_value(r, &rt->derived[computed->index]);
        else if (computed->kind == SYMBOL_OPTION && r->at_rest[slot])
            r->slots[slot] =
                expression_eval(rt->options[computed->index].initial, &r->env);
    }
}

static bool is_spared(struct rester *r, const struct subject *subject)
{
    struct arena_mark mark = arena_mark(r->load->arena);
    bool spared;

    fill_slots(r);
    if (subject->rule != NULL)
        spared = finds_nothing(r, subject->rule);
    else
        spared = r->slots[subject->slot].type == subject->value.type &&
                 value_equal(r->slots[subject->slot], subject->value);
    arena_rewind(r->load->arena, mark);
    return spared;
}

/* ---- what a subject reads ------------------------------------------------ */

static void note_read(void *arg, int slot);

static void note_expression(struct rester *r, const struct expression *expr)
{
    if (expr != NULL)
        expression_slots(expr, note_read, r);
}

static void note_read(void *arg, int slot)
{
    struct rester *r = arg;
    const struct runtime *rt = r->load->rt;
    const struct symbol *symbol = runtime_symbol_at(rt, slot);

    if (symbol == NULL || r->is_read[slot])
        return;
    r->is_read[slot] = true;
    if (r->is_input[slot])
        r->inputs[r->n_inputs++] = slot;
    if (symbol->kind == SYMBOL_OPTION)
        note_expression(r, rt->options[symbol->index].initial);
    if (symbol->kind == SYMBOL_DERIVED) {
        const struct derived *derived = &rt->derived[symbol->index];

        for (size_t i = 0; i < derived->n_alternatives; i++) {
            note_expression(r, derived->alternatives[i].when);
            note_expression(r, derived->alternatives[i].value);
        }
    }
}

static void forget_reads(struct rester *r)
{
    size_t n = (size_t)r->load->rt->n_slots;

    memset(r->is_read, 0, n * sizeof(*r->is_read));
    memset(r->at_rest, 0, n * sizeof(*r->at_rest));
    r->n_inputs = 0;
}

/* ---- which inputs spare a subject ---------------------------------------- */

/* The bit of an input, given out when it first spares something. 0: none is
 * left, and the input is not made use of. */
static uint64_t take_bit(struct rester *r, int slot)
{
    struct runtime *rt = r->load->rt;

    if (r->bits[slot] < 0) {
        if (rt->n_rests == RUNTIME_RESTS_MAX)
            return 0;
        r->bits[slot] = (int)rt->n_rests;
        rt->rests[rt->n_rests++] = r->rest[slot];
    }
    return UINT64_C(1) << r->bits[slot];
}

/* All inputs at rest, then without each that is not needed. */
static uint64_t find_together(struct rester *r, const struct subject *subject)
{
    uint64_t together = 0;

    for (size_t i = 0; i < r->n_inputs; i++)
        r->at_rest[r->inputs[i]] = true;
    if (!is_spared(r, subject))
        return 0;
    for (size_t i = 0; i < r->n_inputs; i++) {
        r->at_rest[r->inputs[i]] = false;
        r->at_rest[r->inputs[i]] = !is_spared(r, subject);
    }
    for (size_t i = 0; i < r->n_inputs; i++) {
        uint64_t bit = 0;

        if (!r->at_rest[r->inputs[i]])
            continue;
        bit = take_bit(r, r->inputs[i]);
        if (bit == 0)
            return 0;
        together |= bit;
    }
    return together;
}

static struct spare find_spare(struct rester *r, const struct subject *subject)
{
    struct spare spare = { 0 };

    for (size_t i = 0; i < r->n_inputs; i++) {
        r->at_rest[r->inputs[i]] = true;
        if (is_spared(r, subject))
            spare.any |= take_bit(r, r->inputs[i]);
        r->at_rest[r->inputs[i]] = false;
    }
    if (spare.any == 0)
        spare.together = find_together(r, subject);
    return spare;
}

static void spare_rule(struct rester *r, struct rule *rule)
{
    const struct subject subject = { .rule = rule };
    int list = rule->items != NULL ? expression_slot(rule->items) : -1;

    if (rule->structure >= 0)
        return;
    forget_reads(r);
    note_expression(r, rule->when);
    note_expression(r, rule->refuse);
    /* p.tp is tp in the scope that p's rule runs in; the items of the built-in
     * lists are known, of others they may not be */
    r->slots[SLOT_ITEM] = value_unknown();
    if (list >= SLOT_NODES && list <= SLOT_COMBINED) {
        r->slots[SLOT_ITEM] =
            value_object(expression_shape(rule->items).element_kind, rule);
        for (int slot = SLOT_FIRST; slot < r->load->rt->n_slots; slot++)
            note_read(r, slot);
    }
    rule->spare = find_spare(r, &subject);
    rule->allocates = expression_allocates(rule->refuse) ||
                      (rule->when != NULL && expression_allocates(rule->when));
}

/* ret_value: what it is when spared. */
static void spare_value(struct rester *r, int slot, struct spare *ret,
                        struct value *ret_value)
{
    struct subject subject = { .slot = slot };

    forget_reads(r);
    note_read(r, slot);
    for (size_t i = 0; i < r->n_inputs; i++)
        r->at_rest[r->inputs[i]] = true;
    fill_slots(r);
    subject.value = r->slots[slot];
    memset(r->at_rest, 0, (size_t)r->load->rt->n_slots * sizeof(*r->at_rest));
    if ((subject.value.type & (VALUE_NUMBER | VALUE_BOOL | VALUE_STRING)) == 0)
        return;
    *ret = find_spare(r, &subject);
    *ret_value = subject.value;
}

/* ---- the whole ----------------------------------------------------------- */

static int rester_init(struct rester *r, struct loader *load)
{
    struct runtime *rt = load->rt;
    size_t n = (size_t)rt->n_slots;

    r->load = load;
    r->slots = load_array(load, n, sizeof(*r->slots));
    r->rest = load_array(load, n, sizeof(*r->rest));
    r->is_input = load_array(load, n, sizeof(*r->is_input));
    r->at_rest = load_array(load, n, sizeof(*r->at_rest));
    r->is_read = load_array(load, n, sizeof(*r->is_read));
    r->bits = load_array(load, n, sizeof(*r->bits));
    r->inputs = load_array(load, n, sizeof(*r->inputs));
    rt->rests = load_array(load, RUNTIME_RESTS_MAX, sizeof(*rt->rests));
    if (r->slots == NULL || r->rest == NULL || r->is_input == NULL ||
        r->at_rest == NULL || r->is_read == NULL || r->bits == NULL ||
        r->inputs == NULL || rt->rests == NULL)
        return -1;
    r->env = (struct environment){ .slots = r->slots,
                                   .member = partial_member,
                                   .lists = partial_lists,
                                   .arena = load->arena,
                                   .partial = true,
                                   .arg = r };
    return 0;
}

static void name_inputs(struct rester *r)
{
    const struct runtime *rt = r->load->rt;

    for (int i = 0; i < rt->n_slots; i++) {
        r->slots[i] = value_unknown();
        r->bits[i] = -1;
    }
    for (size_t i = 0; i < rt->n_symbols; i++) {
        const struct symbol *symbol = &rt->symbols[i];
        struct value initial = rt->initial[symbol->slot];

        r->is_input[symbol->slot] = symbol->kind == SYMBOL_AXIS ||
                                    symbol->kind == SYMBOL_OPTION ||
                                    symbol->kind == SYMBOL_FACT;
        if (symbol->kind == SYMBOL_AXIS)
            r->rest[symbol->slot] = value_int(1);
        else if (initial.state == VALUE_KNOWN)
            r->rest[symbol->slot] = initial;
        else
            r->rest[symbol->slot] = value_absent();
        if (symbol->kind == SYMBOL_TABLE) /* the same in every request */
            r->slots[symbol->slot] = initial;
    }
}

static void put_bits(const struct rester *r)
{
    struct runtime *rt = r->load->rt;

    for (size_t i = 0; i < rt->n_symbols; i++) {
        const struct symbol *symbol = &rt->symbols[i];
        int bit = r->bits[symbol->slot];

        if (symbol->kind == SYMBOL_AXIS)
            rt->axes[symbol->index].rest = bit;
        if (symbol->kind == SYMBOL_OPTION)
            rt->options[symbol->index].rest = bit;
        if (symbol->kind == SYMBOL_FACT)
            rt->facts[symbol->index].rest = bit;
        if (symbol->kind != SYMBOL_AXIS && bit >= 0)
            rt->rest_absent |= UINT64_C(1) << bit;
    }
}

int load_rests(struct loader *load)
{
    struct runtime *rt = load->rt;
    struct rester r = { 0 };

    if (rester_init(&r, load) < 0)
        return -1;
    name_inputs(&r);
    for (size_t i = 0; i < rt->n_rules; i++)
        spare_rule(&r, &rt->rules[i]);
    r.slots[SLOT_ITEM] = value_unknown();
    for (size_t i = 0; i < rt->n_derived; i++)
        spare_value(&r, rt->derived[i].slot, &rt->derived[i].spare,
                    &rt->derived[i].rest);
    for (size_t i = 0; i < rt->n_options; i++)
        if (rt->options[i].initial != NULL)
            spare_value(&r, rt->options[i].slot, &rt->options[i].spare,
                        &rt->options[i].spared);
    put_bits(&r);
    return 0;
}
