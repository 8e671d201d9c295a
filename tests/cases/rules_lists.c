/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime that lists one thing less, or more, for each of them: sets of axes
 * that go together, keys that are carried to the workers. */
#include <string.h>

#include "placement/structure.h"
#include "tests/cases/rules_maker.h"

enum { SET_AXES_MAX = 8 }; /* all sets of so many axes are tried */

/* ---- sets of axes -------------------------------------------------------- */

static const struct runtime *without_set(struct maker *m, size_t i)
{
    struct runtime *copy = copy_sets(m);

    memmove(&copy->axis_sets[i], &copy->axis_sets[i + 1],
            (copy->n_axis_sets - i - 1) * sizeof(*copy->axis_sets));
    copy->n_axis_sets--;
    return copy;
}

/* The set alone, of no axes: it refuses any two. */
static const struct runtime *with_set_always(struct maker *m, size_t i)
{
    struct runtime *copy = copy_sets(m);

    copy->axis_sets[0] = copy->axis_sets[i];
    copy->axis_sets[0].axes = 0;
    copy->axis_sets[0].exact = false;
    copy->n_axis_sets = 1;
    return copy;
}

static void emit_listed_sets(struct maker *m)
{
    for (size_t i = 0; i < m->rt->n_axis_sets; i++) {
        const struct axis_set *set = &m->rt->axis_sets[i];
        struct mutant mutant = { .what = "axis set",
                                 .code = set->code,
                                 .at = set->at,
                                 .never = without_set(m, i),
                                 .fault = -1 };

        if (set->refused)
            mutant.always = with_set_always(m, i);
        emit(m, &mutant);
    }
}

static bool is_allowed(const struct runtime *rt, uint32_t axes)
{
    for (size_t i = 0; i < rt->n_axis_sets; i++)
        if (!rt->axis_sets[i].refused && (axes & ~rt->axis_sets[i].axes) == 0)
            return true;
    return false;
}

/* The code that a set of axes is refused with: of the set that says why, else
 * of the check. */
static const char *code_of_axes(const struct runtime *rt, uint32_t axes)
{
    for (size_t i = 0; i < rt->n_axis_sets; i++) {
        const struct axis_set *set = &rt->axis_sets[i];

        if (set->refused && set->code != NULL && (set->axes & ~axes) == 0 &&
            (!set->exact || set->axes == axes))
            return set->code;
    }
    return code_of_fault(rt, FAULT_AXES_TOGETHER);
}

static const char *print_axes(struct maker *m, uint32_t axes)
{
    const char *text = "";

    for (size_t a = 0; a < m->rt->n_axes; a++)
        if ((axes & 1u << a) != 0)
            text =
                arena_printf(m->arena, "%s%s%s", text,
                             text[0] != '\0' ? "+" : "", m->rt->axes[a].name);
    return text;
}

/* Every other set of several axes, were it allowed too. */
static void emit_further_sets(struct maker *m)
{
    const struct runtime *rt = m->rt;

    if (rt->n_axis_sets == 0 || rt->n_axes > SET_AXES_MAX)
        return;
    for (uint32_t axes = 1; axes < 1u << rt->n_axes; axes++) {
        struct runtime *never;

        if ((axes & (axes - 1)) == 0 || is_allowed(rt, axes))
            continue;
        never = copy_sets(m);
        never->axis_sets[never->n_axis_sets++] =
            (struct axis_set){ .axes = axes };
        emit(m, &(struct mutant){ .what = "no axis set",
                                  .code = code_of_axes(rt, axes),
                                  .about = print_axes(m, axes),
                                  .never = never,
                                  .fault = -1 });
    }
}

void emit_sets(struct maker *m)
{
    emit_listed_sets(m);
    emit_further_sets(m);
}

/* ---- carried keys -------------------------------------------------------- */

/* Without the key, which is then one that nothing reads. */
static void emit_carried(struct maker *m, size_t i)
{
    struct runtime *never = copy_carries(m);

    never->carries[i].name = OTHER_NAME;
    never->carries[i].required = false;
    emit(m, &(struct mutant){ .what = "carried key",
                              .about = m->rt->carries[i].name,
                              .never = never,
                              .fault = -1 });
}

static void emit_required(struct maker *m, size_t i)
{
    struct runtime *never = copy_carries(m);

    never->carries[i].required = false;
    emit(m, &(struct mutant){ .what = "required key",
                              .code = code_of_fault(m->rt, FAULT_KEY_MISSING),
                              .about = m->rt->carries[i].name,
                              .never = never,
                              .fault = -1 });
}

/* Its warning goes unsaid, or is said of every key. */
static void emit_warned(struct maker *m, size_t i)
{
    const struct carry *carry = &m->rt->carries[i];
    struct runtime *never = copy_carries(m), *always = copy_carries(m);

    never->carries[i].warn = NULL;
    for (size_t k = 0; k < always->n_carries; k++) {
        always->carries[k].warn = carry->warn;
        always->carries[k].code = carry->code;
    }
    emit(m,
         &(struct mutant){ .what = "key with a warning",
                           .code = carry->code != NULL
                                       ? carry->code
                                       : code_of_fault(m->rt, FAULT_KEY_WARNED),
                           .about = carry->name,
                           .never = never,
                           .always = always,
                           .fault = -1 });
}

/* One key more, of any name: what cases write and nothing reads. */
static void emit_further_key(struct maker *m, bool in_group)
{
    struct runtime *never = copy_carries(m);

    never->carries[never->n_carries++] = (struct carry){
        .name = FURTHER_KEY, .in_group = in_group, .types = ~0u, .slot = -1
    };
    emit(m, &(struct mutant){ .what = in_group ? "no other key in a group"
                                               : "no other key",
                              .code = code_of_fault(m->rt, FAULT_KEY_UNKNOWN),
                              .never = never,
                              .fault = -1 });
}

void emit_carries(struct maker *m)
{
    for (size_t i = 0; i < m->rt->n_carries; i++) {
        emit_carried(m, i);
        if (m->rt->carries[i].required)
            emit_required(m, i);
        if (m->rt->carries[i].warn != NULL)
            emit_warned(m, i);
    }
    emit_further_key(m, false);
    if (!m->rt->spans)
        emit_further_key(m, true);
}
