/* SPDX-License-Identifier: Apache-2.0 */
/* serry explain: what a code means, and which rules give it. */
#include <string.h>

#include "client/answers.h"
#include "client/exemplar.h"
#include "client/explain.h"
#include "client/live.h"
#include "placement/explain.h"
#include "placement/structure.h"
#include "proto/trouble.h"
#include "proto/document.h"

/* The explanation of one code, as a document. */
struct explaining {
    struct invocation *v;
    struct catalog *catalog;
    struct tree_maker maker;
    const char *code;
    struct tree *map, *rules, *faults, *answers;
    const char **codes; /* all that are known, for the nearest */
    size_t n_codes, room;
    struct exemplar exemplar;
    bool failed; /* err says why */
    struct error *err;
};

static void see_code(struct explaining *e, const char *code)
{
    if (e->n_codes < e->room)
        e->codes[e->n_codes++] = code;
}

static bool is_code(struct explaining *e, const char *code)
{
    if (code == NULL)
        return false;
    see_code(e, code);
    return strcmp(code, e->code) == 0;
}

static void make_optional(struct explaining *e, struct tree *map,
                          const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        make_string(&e->maker, map, key, text);
}

static void make_expression(struct explaining *e, struct tree *map,
                            const char *key, const struct expression *x)
{
    if (x != NULL)
        make_string(&e->maker, map, key, expression_source(x));
}

/* A request that the rule refuses and one that runs, found for this answer. */
static void make_example(struct explaining *e, const struct runtime *rt,
                         const struct rule *rule, int fault, struct tree *map)
{
    struct example_sought sought = { rule, e->code, fault };

    if (!e->failed && rule != NULL &&
        exemplar_write(&e->exemplar, rt, &sought, &e->maker, map, e->err) < 0)
        e->failed = true;
}

/* The same of the check that finds it, where the runtime places that. */
static void make_check_example(struct explaining *e, const struct runtime *rt,
                               enum structure check, struct tree *map)
{
    for (size_t i = 0; i < rt->n_rules; i++)
        if (rt->rules[i].structure == (int)check)
            make_example(e, rt, &rt->rules[i], -1, map);
}

/* ---- rules of runtimes --------------------------------------------------- */

static void make_remedies(struct explaining *e, struct tree *map,
                          const struct remedy *remedies, size_t n)
{
    struct tree *list = make_list(&e->maker, map, "try");

    for (size_t i = 0; i < n; i++) {
        const struct remedy *remedy = &remedies[i];
        struct tree *one = make_map(&e->maker, list, NULL), *set;

        make_expression(e, one, "when", remedy->when);
        set = make_map(&e->maker, one, "set");
        for (size_t k = 0; k < remedy->n_settings; k++)
            if (remedy->settings[k].value == NULL)
                make_string(&e->maker, set, remedy->settings[k].name, "null");
            else
                make_expression(e, set, remedy->settings[k].name,
                                remedy->settings[k].value);
        make_optional(e, one, "say", remedy->say);
    }
}

static void make_layer(struct explaining *e, struct tree *map,
                       const struct rule *rule)
{
    if (rule != NULL && rule->layer != NULL)
        make_string(&e->maker, map, "layer", rule->layer->name);
}

static void make_rule(struct explaining *e, const struct runtime *rt,
                      const struct rule *rule)
{
    struct tree *map = make_map(&e->maker, e->rules, NULL);

    make_string(&e->maker, map, "runtime", rt->name);
    make_layer(e, map, rule);
    if (rule->items != NULL) {
        make_expression(e, map, "for", rule->items);
        make_optional(e, map, "as", rule->alias);
    }
    make_expression(e, map, "when", rule->when);
    make_expression(e, map, rule->warns ? "warn" : "refuse", rule->refuse);
    make_optional(e, map, "because", rule->because);
    make_remedies(e, map, rule->remedies, rule->n_remedies);
    make_example(e, rt, rule, FAULT_RULE, map);
}

static void make_axis_set(struct explaining *e, const struct runtime *rt,
                          const struct axis_set *set)
{
    struct tree *map = make_map(&e->maker, e->rules, NULL), *axes;

    make_string(&e->maker, map, "runtime", rt->name);
    for (size_t i = 0; i < rt->n_rules; i++)
        if (rt->rules[i].structure == STRUCTURE_axis_sets) {
            make_layer(e, map, &rt->rules[i]);
            break;
        }
    axes = make_list(&e->maker, map, "refused_together");
    for (size_t a = 0; a < rt->n_axes; a++)
        if ((set->axes & 1u << a) != 0)
            make_string(&e->maker, axes, NULL, rt->axes[a].name);
    make_optional(e, map, "because", set->because);
    make_remedies(e, map, set->remedies, set->n_remedies);
    make_check_example(e, rt, STRUCTURE_axis_sets, map);
}

/* A key that is carried through with a warning. */
static void make_key(struct explaining *e, const struct runtime *rt,
                     const struct carry *carry)
{
    struct tree *map = make_map(&e->maker, e->rules, NULL);

    make_string(&e->maker, map, "runtime", rt->name);
    make_string(&e->maker, map, "key", carry->name);
    make_string(&e->maker, map, "because", carry->warn);
    make_check_example(e, rt, STRUCTURE_keys, map);
}

static void take_rules(struct explaining *e, const struct runtime *rt)
{
    for (size_t i = 0; i < rt->n_rules; i++)
        if (rt->rules[i].structure < 0 && is_code(e, rt->rules[i].code))
            make_rule(e, rt, &rt->rules[i]);
    for (size_t i = 0; i < rt->n_axis_sets; i++)
        if (is_code(e, rt->axis_sets[i].code))
            make_axis_set(e, rt, &rt->axis_sets[i]);
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].warn != NULL && is_code(e, rt->carries[i].code))
            make_key(e, rt, &rt->carries[i]);
}

/* ---- faults of structure checks ------------------------------------------ */

/* The rule after `after` (NULL: the first) that places the check of a fault, or
 * NULL. */
static const struct rule *placing_rule(const struct runtime *rt, int fault,
                                       const struct rule *after)
{
    size_t from = after != NULL ? (size_t)(after - rt->rules) + 1 : 0;

    for (size_t i = from; i < rt->n_rules; i++)
        if (rt->rules[i].structure == (int)fault_rows[fault].check)
            return &rt->rules[i];
    return NULL;
}

static void make_template(struct explaining *e, struct tree *map,
                          const char *key, const char *text)
{
    struct text out = { 0 };

    fault_text_print(text, &out);
    make_optional(e, map, key, text_string(&out));
    text_close(&out);
}

static struct tree *make_fault(struct explaining *e, int fault)
{
    const struct fault_row *row = &fault_rows[fault];
    struct tree *map = make_map(&e->maker, e->faults, NULL);

    make_string(&e->maker, map, "check", structure_name((int)row->check));
    make_string(&e->maker, map, "default_code", row->code);
    make_bool(&e->maker, map, "warns", row->warns);
    make_template(e, map, "subject", row->subject);
    make_template(e, map, "equation", row->equation);
    make_template(e, map, "reason", row->reason);
    make_template(e, map, "fix", row->fix);
    return make_list(&e->maker, map, "runtimes");
}

/* Whether what a runtime calls a fault is told already: it may place the check
 * several times. */
static bool is_told(const struct tree *list, const char *runtime,
                    const char *code)
{
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (strcmp(explain_text(t, "runtime"), runtime) == 0 &&
            strcmp(explain_text(t, "code"), code) == 0)
            return true;
    return false;
}

/* Adds what one runtime calls the fault, which it places by `rule` (NULL: it
 * does not). */
static void take_placed(struct explaining *e, int fault,
                        const struct runtime *rt, const struct rule *rule,
                        struct tree **list)
{
    const char *own = fault_rows[fault].code;
    const char *code = rule != NULL ? fault_code(rule, (enum fault)fault) : own;
    bool meant = is_code(e, code) || is_code(e, own);
    struct tree *map;

    if (*list == NULL && meant)
        *list = make_fault(e, fault);
    /* of a check that is placed several times only the place that is meant */
    if (*list == NULL || (!meant && rule != placing_rule(rt, fault, NULL)))
        return;
    if (is_told(*list, rt->name, code))
        return;
    map = make_map(&e->maker, *list, NULL);
    make_string(&e->maker, map, "runtime", rt->name);
    make_string(&e->maker, map, "code", code);
    make_layer(e, map, rule);
    if (rule != NULL)
        make_remedies(e, map, rule->remedies, rule->n_remedies);
    if (strcmp(code, e->code) == 0)
        make_example(e, rt, rule, fault, map);
}

/* A fault is explained when its code somewhere is the one asked for: its own,
 * or what a runtime calls it. */
static void take_fault(struct explaining *e, int fault,
                       const struct runtime **runtimes, size_t n)
{
    struct tree *list = NULL;

    if (is_code(e, fault_rows[fault].code))
        list = make_fault(e, fault);
    for (size_t i = 0; i < n; i++) {
        const struct rule *rule = placing_rule(runtimes[i], fault, NULL);

        if (rule == NULL && structure_runs_first((int)fault_rows[fault].check))
            take_placed(e, fault, runtimes[i], NULL, &list);
        for (; rule != NULL; rule = placing_rule(runtimes[i], fault, rule))
            take_placed(e, fault, runtimes[i], rule, &list);
    }
}

/* ---- answers of the daemon ------------------------------------------------
 */

static void take_answer(struct explaining *e, const char *code,
                        const char *when, const char *means, const char *fix)
{
    struct tree *map;

    if (!is_code(e, code))
        return;
    map = make_map(&e->maker, e->answers, NULL);
    make_string(&e->maker, map, "when", when);
    make_string(&e->maker, map, "reason", means);
    make_string(&e->maker, map, "fix", fix);
}

static void take_answers(struct explaining *e)
{
    for (size_t i = 0; i < n_answer_codes; i++) {
        const struct answer_code *row = &answer_codes[i];

        take_answer(e, row->code, row->when, row->means, row->fix);
    }
    for (size_t i = 0; i < TROUBLE_COUNT; i++) {
        const struct trouble_row *row = &trouble_rows[i];

        take_answer(e, row->code, "asked for what is wrong (serry doctor)",
                    row->means, row->next);
    }
}

/* ---- the command --------------------------------------------------------- */

/* The runtimes to look in: the one of --runtime, or all. */
static int find_runtimes(struct explaining *e, const struct runtime ***ret,
                         size_t *ret_n, struct error *err)
{
    const char *only = option_value(e->v, "runtime");
    size_t n = 1;
    const char *const *names =
        only != NULL ? &only : catalog_runtimes(e->catalog, &n);
    const struct runtime **runtimes =
        arena_array(e->v->arena, n + 1, sizeof(struct runtime *));

    if (names == NULL || runtimes == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < n; i++) {
        runtimes[i] = catalog_runtime(e->catalog, names[i], err);
        if (runtimes[i] == NULL)
            return -1;
    }
    *ret = runtimes;
    *ret_n = n;
    return 0;
}

static int unknown_code(struct explaining *e, struct error *err)
{
    const char *near = text_nearest(e->code, e->codes, e->n_codes);
    struct text similar = { 0 };

    if (near != NULL)
        text_printf(&similar, "; the nearest is %s", near);
    else if (e->code[0] != '\0')
        explain_similar(e->code, e->codes, e->n_codes, &similar);
    error_set(err, STATUS_UNKNOWN_NAME, "no rule or check has the code %.64s%s",
              e->code, text_string(&similar));
    text_close(&similar);
    return -1;
}

static int explain(struct explaining *e, struct error *err)
{
    const struct runtime **runtimes = NULL;
    size_t n = 0;

    if (find_runtimes(e, &runtimes, &n, err) < 0)
        return -1;
    e->room =
        (n + 1) * (RUNTIME_RULES_MAX + RUNTIME_NAMES_MAX + 2 * FAULT_COUNT) +
        n_answer_codes + TROUBLE_COUNT;
    e->codes = arena_array(e->v->arena, e->room, sizeof(*e->codes));
    if (e->codes == NULL)
        return error_exhausted(err);
    e->map = make_map(&e->maker, NULL, NULL);
    make_string(&e->maker, e->map, "code", e->code);
    e->rules = make_list(&e->maker, e->map, "rules");
    e->faults = make_list(&e->maker, e->map, "checks");
    e->answers = make_list(&e->maker, e->map, "answers");
    for (size_t i = 0; i < n; i++)
        take_rules(e, runtimes[i]);
    for (int fault = 0; fault < FAULT_COUNT; fault++)
        take_fault(e, fault, runtimes, n);
    if (option_value(e->v, "runtime") == NULL)
        take_answers(e);
    if (e->failed)
        return -1;
    if (e->maker.failed)
        return error_exhausted(err);
    if (tree_count(e->rules) + tree_count(e->faults) + tree_count(e->answers) ==
        0)
        return unknown_code(e, err);
    if (e->v->out.format != FORMAT_TABLE)
        return output_document(&e->v->out, e->map, err);
    explain_print(&e->v->out, e->map);
    return 0;
}

static int explain_with(struct invocation *v, struct catalog *catalog,
                        int *ret_exit, struct error *err)
{
    struct explaining e = {
        .v = v,
        .catalog = catalog,
        .maker = { .arena = v->arena },
        .code = v->operands[0],
        .exemplar = { .catalog = catalog, .arena = v->arena },
        .err = err,
    };
    int rc = explain(&e, err);

    (void)ret_exit;
    exemplar_close(&e.exemplar);
    return rc;
}

/* Also the codes of a daemon that does not answer are explained. */
static int run_explain(struct invocation *v)
{
    int rc = live_options(v);

    return rc != EXIT_OK ? rc : live_with_catalog(v, true, explain_with);
}

/* clang-format off */
static const struct option_row options[] = {
    { "runtime", 0, "NAME", "look at the rules of this runtime alone" },
    LIVE_OPTION_OFFLINE,
    LIVE_OPTION_ADDRESS,
};
/* clang-format on */

const struct command command_explain = {
    .name = "explain",
    .arguments = "CODE",
    .help = "say what the code of a finding means, and which rules give it",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 1,
    .max_operands = 1,
    .run = run_explain,
};
