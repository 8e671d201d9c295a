/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime with one of its remedies left out, for each of them: an entry of
 * `try`, one thing that it sets beside others, its condition; and what a rule
 * says is allowed. */
#include "tests/cases/rules_maker.h"

#include <string.h>

#include "base/text.h"
#include "placement/structure.h"

enum {
    REMEDIES_BYTES_MAX = 64 << 20,
};

/* What has remedies: a rule, or a set of axes. */
struct owner {
    const struct rule *rule;    /* NULL: a set */
    const struct axis_set *set; /* NULL: a rule */
};

static const struct runtime *with_remedies(struct maker *m,
                                           const struct owner *owner,
                                           const struct remedy *remedies,
                                           size_t n)
{
    struct runtime *copy;

    if (owner->set != NULL) {
        struct axis_set *set;

        copy = copy_sets(m);
        set = &copy->axis_sets[owner->set - m->rt->axis_sets];
        set->remedies = remedies;
        set->n_remedies = n;
    } else {
        struct rule *rule;

        copy = copy_rules(m);
        rule = &copy->rules[owner->rule - m->rt->rules];
        rule->remedies = remedies;
        rule->n_remedies = n;
    }
    return copy;
}

static const struct runtime *without_remedy(struct maker *m,
                                            const struct owner *owner,
                                            const struct remedy *remedies,
                                            size_t n, size_t i)
{
    struct remedy *others = copy_array(m, remedies, n, sizeof(*others));

    memmove(&others[i], &others[i + 1], (n - i - 1) * sizeof(*others));
    return with_remedies(m, owner, others, n - 1);
}

static const struct runtime *without_setting(struct maker *m,
                                             const struct owner *owner,
                                             const struct remedy *remedies,
                                             size_t n, size_t i, size_t s)
{
    struct remedy *others = copy_array(m, remedies, n, sizeof(*others));
    size_t n_settings = remedies[i].n_settings;
    struct setting *settings =
        copy_array(m, remedies[i].settings, n_settings, sizeof(*settings));

    memmove(&settings[s], &settings[s + 1],
            (n_settings - s - 1) * sizeof(*settings));
    others[i].settings = settings;
    others[i].n_settings--;
    return with_remedies(m, owner, others, n);
}

static const struct runtime *without_condition(struct maker *m,
                                               const struct owner *owner,
                                               const struct remedy *remedies,
                                               size_t n, size_t i)
{
    struct remedy *others = copy_array(m, remedies, n, sizeof(*others));

    others[i].when = NULL;
    return with_remedies(m, owner, others, n);
}

static const struct runtime *without_allowed(struct maker *m,
                                             const struct rule *rule)
{
    struct runtime *copy = copy_rules(m);

    copy->rules[rule - m->rt->rules].allowed = NULL;
    return copy;
}

/* ---- mutants ------------------------------------------------------------- */

/* The code of a rule, of a check its first, of a set its own. */
static const char *code_of(const struct owner *owner)
{
    if (owner->set != NULL)
        return owner->set->code;
    if (owner->rule->code != NULL || owner->rule->structure < 0)
        return owner->rule->code;
    if (owner->rule->n_codes > 0)
        return owner->rule->codes[0].code;
    for (int f = 0; f < FAULT_COUNT; f++)
        if ((int)fault_rows[f].check == owner->rule->structure)
            return fault_rows[f].code;
    return "";
}

/* "cp 1, ep domain" */
static const char *describe(struct maker *m, const struct remedy *remedy)
{
    struct text text = { 0 };
    const char *copy;

    for (size_t i = 0; i < remedy->n_settings; i++) {
        const struct setting *s = &remedy->settings[i];

        text_printf(&text, "%s%s %s", i > 0 ? ", " : "", s->name,
                    s->value != NULL ? expression_source(s->value) : "none");
    }
    copy = arena_strdup(m->arena, text_string(&text));
    text_close(&text);
    return copy;
}

/* The entry of `try` number i. */
static const struct tree *entry_at(const struct owner *owner, size_t i)
{
    const struct tree *at =
        owner->set != NULL ? owner->set->at : owner->rule->at;
    const struct tree *t = tree_first(tree_get(at, "try"));

    while (i-- > 0 && t != NULL)
        t = t->next;
    return t;
}

static void emit_remedy(struct maker *m, const struct owner *owner,
                        const struct remedy *remedies, size_t n, size_t i)
{
    struct mutant mutant = { .what = "remedy",
                             .code = code_of(owner),
                             .about = describe(m, &remedies[i]),
                             .at = entry_at(owner, i),
                             .rule = owner->rule,
                             .set = owner->set,
                             .fault = -1 };
    const struct remedy *remedy = &remedies[i];

    mutant.never = without_remedy(m, owner, remedies, n, i);
    m->fn(m->arg, &mutant);
    for (size_t s = 0; remedy->n_settings > 1 && s < remedy->n_settings; s++) {
        mutant.part = remedy->settings[s].name;
        mutant.never = without_setting(m, owner, remedies, n, i, s);
        m->fn(m->arg, &mutant);
    }
    if (remedy->when == NULL)
        return;
    mutant.part = expression_source(remedy->when);
    mutant.never = without_condition(m, owner, remedies, n, i);
    m->fn(m->arg, &mutant);
}

static void emit_owner(struct maker *m, const struct owner *owner,
                       const struct remedy *remedies, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct arena_mark mark = arena_mark(m->arena);

        emit_remedy(m, owner, remedies, n, i);
        arena_rewind(m->arena, mark);
    }
}

bool remedies_each(const struct runtime *rt, mutant_fn *fn, void *arg)
{
    struct maker m = {
        .arena = arena_new(REMEDIES_BYTES_MAX), .rt = rt, .fn = fn, .arg = arg
    };

    if (m.arena == NULL)
        return false;
    for (size_t i = 0; i < rt->n_rules; i++) {
        const struct rule *rule = &rt->rules[i];

        emit_owner(&m, &(struct owner){ .rule = rule }, rule->remedies,
                   rule->n_remedies);
        if (rule->allowed != NULL)
            fn(arg, &(struct mutant){ .what = "allowed values",
                                      .code = rule->code,
                                      .about = rule->about,
                                      .at = rule->at,
                                      .rule = rule,
                                      .never = without_allowed(&m, rule),
                                      .fault = -1 });
    }
    for (size_t i = 0; i < rt->n_axis_sets; i++) {
        const struct axis_set *set = &rt->axis_sets[i];

        emit_owner(&m, &(struct owner){ .set = set }, set->remedies,
                   set->n_remedies);
    }
    arena_free(m.arena);
    return true;
}
