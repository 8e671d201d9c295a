/* SPDX-License-Identifier: Apache-2.0 */
/* What a model's stages and measured rows say under a runtime. */
#include "placement/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "placement/check.h"

static const char weights_name[] = "weights_gib";

/* ---- what expressions may name ------------------------------------------- */

struct names {
    const struct runtime *rt; /* NULL: every name may be one */
    bool has_weights;         /* weights_gib may be read */
    char missing[65];         /* the first name that is not known; "": none */
};

/* Behind the slots of the runtime. */
static int weights_slot(const struct runtime *rt)
{
    return rt != NULL ? rt->n_slots : 0;
}

/* Sizes and other whole numbers are decimals here: GiB need not come out even,
 * and `/` of two integers would be exact or nothing. */
static struct shape as_decimal(struct shape shape)
{
    if ((shape.types & VALUE_INT) != 0)
        shape.types = (uint8_t)((shape.types & ~VALUE_INT) | VALUE_DOUBLE);
    return shape;
}

static int look_up(void *arg, const char *name, struct shape *ret_shape,
                   struct error *err)
{
    struct names *names = arg;
    const struct symbol *symbol;

    (void)err;
    *ret_shape = (struct shape){ .types = VALUE_DOUBLE };
    if (names->has_weights && strcmp(name, weights_name) == 0)
        return weights_slot(names->rt);
    *ret_shape = (struct shape){ 0 };
    if (names->rt == NULL)
        return 0;
    if (strcmp(name, "world") == 0) {
        *ret_shape = (struct shape){ .types = VALUE_DOUBLE };
        return SLOT_WORLD;
    }
    symbol = runtime_symbol(names->rt, name);
    if (symbol == NULL) {
        if (names->missing[0] == '\0')
            snprintf(names->missing, sizeof(names->missing), "%s", name);
        return 0; /* the stage is set aside, not refused */
    }
    *ret_shape = as_decimal(symbol->shape);
    return symbol->slot;
}

static int look_up_member(void *arg, uint16_t kind, const char *name,
                          struct shape *ret_shape)
{
    (void)arg;
    (void)kind;
    (void)name;
    (void)ret_shape;
    return -1;
}

static const char *nearest(void *arg, uint16_t kind, const char *name)
{
    (void)arg;
    (void)kind;
    (void)name;
    return NULL;
}

static int compile(struct arena *arena, const struct tree *at,
                   struct names *names, unsigned want,
                   const struct expression **ret, struct error *err)
{
    const struct name_space space = { .name = look_up,
                                      .member = look_up_member,
                                      .nearest = nearest,
                                      .arg = names };

    if (at == NULL)
        return 0;
    *ret = expression_compile(arena, at, &space, want, err);
    return *ret != NULL ? 0 : -1;
}

int stage_compile(struct arena *arena, const struct stage *stage,
                  const struct runtime *rt, struct stage_program *ret,
                  struct error *err)
{
    struct names names = { .rt = rt };

    *ret = (struct stage_program){ .stage = stage };
    if (compile(arena, stage->when, &names, VALUE_BOOL, &ret->when, err) < 0 ||
        compile(arena, stage->weights, &names, VALUE_NUMBER, &ret->weights,
                err) < 0)
        return -1;
    names.has_weights = stage->weights != NULL;
    if (compile(arena, stage->peak, &names, VALUE_NUMBER, &ret->peak, err) < 0)
        return -1;
    if (names.missing[0] != '\0') {
        ret->missing = arena_strdup(arena, names.missing);
        if (ret->missing == NULL)
            return error_exhausted(err);
    }
    return 0;
}

/* ---- under a runtime ----------------------------------------------------- */

int estimator_init(struct estimator *ret, const struct estimate *estimate,
                   const struct runtime *rt, struct arena *arena,
                   struct error *err)
{
    struct stage_program *programs =
        arena_array(arena, estimate->n_stages + 1, sizeof(*programs));

    if (programs == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < estimate->n_stages; i++)
        if (stage_compile(arena, &estimate->stages[i], rt, &programs[i], err) <
            0)
            return -1;
    *ret = (struct estimator){ .rt = rt,
                               .estimate = estimate,
                               .programs = programs };
    return 0;
}

/* A known, finite number of at least 0; else below 0. */
static double number_of(struct value v)
{
    double number = -1;

    if (v.state != VALUE_KNOWN)
        return -1;
    if (v.type == VALUE_INT)
        number = (double)v.u.integer;
    else if (v.type == VALUE_DOUBLE)
        number = v.u.number;
    return isfinite(number) && number >= 0 ? number : -1;
}

static struct stage_memory memory_of(const struct stage_program *program,
                                     const struct environment *env,
                                     struct value *weights)
{
    struct stage_memory memory = { -1, -1 };

    *weights = value_unknown();
    if (program->when != NULL &&
        !value_is_true(expression_eval(program->when, env)))
        return memory;
    if (program->weights != NULL)
        memory.weights_gib = number_of(expression_eval(program->weights, env));
    if (memory.weights_gib >= 0)
        *weights = value_double(memory.weights_gib);
    if (program->peak != NULL)
        memory.peak_gib = number_of(expression_eval(program->peak, env));
    return memory;
}

/* Slots that are read while the expressions of a stage are computed. */
struct reading {
    const struct runtime *rt;
    const struct scope *scope;
    struct value *slots;
};

static void read_slot(void *arg, int slot)
{
    struct reading *reading = arg;
    struct value v;

    if (slot == weights_slot(reading->rt))
        return;
    v = scope_value(reading->scope, slot);
    if (v.state == VALUE_KNOWN && v.type == VALUE_INT)
        v = value_double((double)v.u.integer);
    reading->slots[slot] = v;
}

static void read_slots(struct reading *reading,
                       const struct stage_program *program)
{
    const struct expression *const all[] = { program->when, program->weights,
                                             program->peak };

    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (all[i] != NULL)
            expression_slots(all[i], read_slot, reading);
}

void estimator_memory(const struct estimator *e, const struct check *check,
                      const struct scope *scope, struct arena *arena,
                      struct stage_memory *ret)
{
    size_t n = (size_t)check->rt->n_slots;
    struct value *slots = arena_array(arena, n + 1, sizeof(*slots));
    struct reading reading = { check->rt, scope, slots };
    struct environment env = scope->env;

    for (size_t i = 0; i < e->estimate->n_stages; i++)
        ret[i] = (struct stage_memory){ -1, -1 };
    if (slots == NULL)
        return;
    env.slots = slots;
    env.arena = arena;
    for (size_t i = 0; i < e->estimate->n_stages; i++) {
        if (e->programs[i].missing != NULL)
            continue;
        read_slots(&reading, &e->programs[i]);
        ret[i] =
            memory_of(&e->programs[i], &env, &slots[weights_slot(check->rt)]);
    }
}

/* ---- measured rows ------------------------------------------------------- */

/* Whether all sizes that the row names are axes of the runtime or 1. */
static bool names_axes(const struct measured_row *row, const struct runtime *rt)
{
    for (const struct tree *t = tree_first(row->sizes); t != NULL; t = t->next)
        if (t->u.integer != 1 && runtime_axis(rt, t->key) < 0)
            return false;
    return true;
}

static bool has_sizes(const struct measured_row *row, const struct check *check,
                      const struct scope *scope)
{
    for (size_t a = 0; a < check->rt->n_axes; a++) {
        const struct axis *axis = &check->rt->axes[a];
        const struct tree *t = tree_get(row->sizes, axis->name);
        int64_t size = scope_size(check, scope, (int)a);

        if (t == NULL && (axis->splits & SPLIT_REPLICAS) != 0)
            continue;
        if (size != (t != NULL ? t->u.integer : 1))
            return false;
    }
    return true;
}

static bool has_options(const struct measured_row *row,
                        const struct check *check, const struct scope *scope)
{
    for (const struct tree *t = tree_first(row->options); t != NULL;
         t = t->next) {
        const struct symbol *symbol = runtime_symbol(check->rt, t->key);

        if (symbol == NULL || symbol->kind != SYMBOL_OPTION ||
            !value_equal(scope_value(scope, symbol->slot),
                         value_of_tree(t, NULL)))
            return false;
    }
    return true;
}

double estimator_step(const struct estimator *e, const struct check *check,
                      const struct scope *scope)
{
    for (size_t i = 0; i < e->estimate->n_rows; i++) {
        const struct measured_row *row = &e->estimate->rows[i];

        if (names_axes(row, check->rt) && has_sizes(row, check, scope) &&
            has_options(row, check, scope))
            return row->step_s;
    }
    return -1;
}
