/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime with one of its rules broken, for each of them. */
#include "tests/cases/rules_maker.h"

#include <string.h>

#include "placement/structure.h"
#include "proto/document.h"

enum {
    MUTANT_BYTES_MAX = 64 << 20,
};

/* ---- rules, broken ---------------------------------------------------------
 */

/* What is behind rule i moves up by one. */
static void shift_layers(struct maker *m, struct runtime *copy, size_t i)
{
    copy->layers =
        copy_array(m, m->rt->layers, m->rt->n_layers, sizeof(*copy->layers));
    for (size_t l = 0; l < copy->n_layers; l++) {
        copy->layers[l].begin -= copy->layers[l].begin > i;
        copy->layers[l].end -= copy->layers[l].end > i;
    }
}

static const struct runtime *without_rule(struct maker *m, size_t i)
{
    struct runtime *copy = copy_rules(m);

    shift_layers(m, copy, i);
    memmove(&copy->rules[i], &copy->rules[i + 1],
            (copy->n_rules - i - 1) * sizeof(*copy->rules));
    copy->n_rules--;
    return copy;
}

static const struct runtime *with_rule_always(struct maker *m, size_t i)
{
    struct runtime *copy = copy_rules(m);

    copy->rules[i].refuse = m->yes;
    return copy;
}

/* A check becomes a rule, which has no condition. */
static const struct runtime *with_check_always(struct maker *m, size_t i,
                                               bool warns)
{
    struct runtime *copy = copy_rules(m);
    struct rule *rule = &copy->rules[i];

    rule->refuse = m->yes;
    rule->structure = -1;
    rule->code = OTHER_NAME;
    rule->warns = warns;
    return copy;
}

static const struct runtime *with_fault_renamed(struct maker *m, size_t i,
                                                int fault)
{
    struct runtime *copy = copy_rules(m);
    struct rule *rule = &copy->rules[i];
    struct code_override *codes =
        arena_array(m->arena, rule->n_codes + 1, sizeof(*codes));

    codes[0] = (struct code_override){ fault_rows[fault].word, OTHER_NAME };
    if (rule->n_codes > 0)
        memcpy(codes + 1, rule->codes, rule->n_codes * sizeof(*codes));
    rule->codes = codes;
    rule->n_codes++;
    return copy;
}

/* ---- rules and placed checks --------------------------------------------- */

/* What the check can find under this runtime. Keys with a warning are told
 * apart by their own codes. */
static void emit_faults(struct maker *m, size_t i)
{
    const struct rule *rule = &m->rt->rules[i];

    for (int f = 0; f < FAULT_COUNT; f++)
        if ((int)fault_rows[f].check == rule->structure &&
            f != FAULT_KEY_WARNED && fault_concerns(m->rt, rule, (enum fault)f))
            emit(m, &(struct mutant){
                        .what = structure_name(rule->structure),
                        .code = fault_code(rule, (enum fault)f),
                        .about = fault_rows[f].word,
                        .at = rule->at,
                        .rule = rule,
                        .never = with_fault_renamed(m, i, f),
                        .always = with_check_always(m, i, fault_rows[f].warns),
                        .fault = f });
}

static void emit_rules(struct maker *m)
{
    for (size_t i = 0; i < m->rt->n_rules; i++) {
        const struct rule *rule = &m->rt->rules[i];
        struct mutant mutant = { .what = rule->warns ? "warning" : "rule",
                                 .code = rule->code,
                                 .about = rule->about,
                                 .at = rule->at,
                                 .rule = rule,
                                 .never = without_rule(m, i),
                                 .always = with_rule_always(m, i),
                                 .fault = -1 };

        if (rule->structure == STRUCTURE_ranks && m->rt->spans)
            continue; /* a world has no list of ranks */
        if (rule->structure >= 0) {
            emit_faults(m, i);
            mutant.what = "check";
            mutant.about = structure_name(rule->structure);
            mutant.always = with_check_always(m, i, false);
            mutant.fault = FAULT_COUNT;
        }
        emit(m, &mutant);
    }
}

/* ---- axes and options -----------------------------------------------------
 */

/* Axes that a node must allow. No node allows one of a strange name. */
static void emit_declared(struct maker *m, size_t i)
{
    const struct axis *axis = &m->rt->axes[i];
    struct runtime *never = copy_runtime(m), *always = copy_runtime(m);

    never->axes[i].declared = false;
    always->axes[i].name = "";
    emit(m,
         &(struct mutant){ .what = "declared axis",
                           .code = code_of_fault(m->rt, FAULT_AXIS_NOT_ENABLED),
                           .about = axis->name,
                           .never = never,
                           .always = always,
                           .fault = -1 });
}

/* Axes that are there under some settings only. */
static void emit_conditional(struct maker *m, size_t i)
{
    const struct axis *axis = &m->rt->axes[i];
    struct runtime *never = copy_runtime(m), *always = copy_runtime(m);

    never->axes[i].when = NULL;
    always->axes[i].when = m->no;
    emit(m, &(struct mutant){ .what = "axis under a condition",
                              .code = code_of_fault(m->rt, FAULT_AXIS_ABSENT),
                              .about = axis->name,
                              .never = never,
                              .always = always,
                              .fault = -1 });
}

static void emit_axes(struct maker *m)
{
    for (size_t i = 0; i < m->rt->n_axes; i++) {
        if (m->rt->axes[i].declared)
            emit_declared(m, i);
        if (m->rt->axes[i].when != NULL)
            emit_conditional(m, i);
    }
}

static const struct runtime *with_values(struct maker *m, size_t i,
                                         const struct tree *one_of)
{
    struct runtime *copy = copy_runtime(m);

    copy->options =
        copy_array(m, m->rt->options, m->rt->n_options, sizeof(*copy->options));
    copy->options[i].one_of = one_of;
    return copy;
}

/* Those with a check of their own are rules. */
static void emit_options(struct maker *m)
{
    for (size_t i = 0; i < m->rt->n_options; i++) {
        const struct option *option = &m->rt->options[i];

        if (option->one_of == NULL || option->checked_apart)
            continue;
        emit(m, &(struct mutant){
                    .what = "values of the option",
                    .code = code_of_fault(m->rt, FAULT_OPTION_NOT_ALLOWED),
                    .about = option->name,
                    .never = with_values(m, i, NULL),
                    .always = with_values(m, i, m->empty),
                    .fault = -1 });
    }
}

/* ---- all ----------------------------------------------------------------- */

/* Expressions of two constants. */
static bool load_constants(struct maker *m)
{
    static const char text[] = "runtime: constants\naxes: [{name: a}]\n"
                               "rules: [{code: a, refuse: 'true'},"
                               " {code: b, refuse: 'false'}]\n";
    struct tree_maker maker = { .arena = m->arena };
    const struct runtime *rt;
    struct tree *documents;

    m->empty = make_list(&maker, NULL, NULL);
    if (document_read_yaml(m->arena, "constants", text, strlen(text),
                           &documents, NULL) < 0)
        return false;
    rt = runtime_load(m->arena, tree_first(documents), NULL);
    if (rt == NULL || rt->n_rules < 2)
        return false;
    m->yes = rt->rules[rt->n_rules - 2].refuse;
    m->no = rt->rules[rt->n_rules - 1].refuse;
    return true;
}

bool mutants_each(const struct runtime *rt, mutant_fn *fn, void *arg)
{
    struct maker m = {
        .arena = arena_new(MUTANT_BYTES_MAX), .rt = rt, .fn = fn, .arg = arg
    };
    bool made = m.arena != NULL && load_constants(&m);

    if (made) {
        emit_rules(&m);
        emit_sets(&m);
        emit_axes(&m);
        emit_options(&m);
        emit_carries(&m);
    }
    arena_free(m.arena);
    return made;
}
