/* SPDX-License-Identifier: Apache-2.0 */
/* serry explain: what a code means, and which rules give it. */
#include "client/explain_parts.h"

#include "client/answers.h"
#include "client/live.h"
#include "proto/trouble.h"

/* ---- answers of the daemon ------------------------------------------------
 */

static void take_answer(struct explaining *e, const char *code,
                        const char *when, const char *means, const char *fix)
{
    struct tree *map;

    if (!explaining_asks(e, code))
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
        explaining_rules(e, runtimes[i]);
    for (int fault = 0; fault < FAULT_COUNT; fault++)
        explaining_fault(e, fault, runtimes, n);
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
