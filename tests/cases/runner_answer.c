/* SPDX-License-Identifier: Apache-2.0 */
/* What a case expects of an answer beside its verdict and layout: codes among
 * the findings, warnings, alternatives. */
#include "tests/cases/runner.h"

#include <string.h>

/* ---- asking -------------------------------------------------------------- */

void ask_expected(struct run *run, struct tree *line)
{
    const struct tree *lists = child(run->want, "lists");
    struct tree *list;

    if (lists != NULL && child(line, "lists") == NULL) {
        list = make_list(&run->maker, line, "lists");
        for (const struct tree *t = tree_first(lists); t != NULL; t = t->next)
            make_string(&run->maker, list, NULL, t->key);
    }
    if (child(run->want, "per_rank") != NULL && child(line, "per_rank") == NULL)
        make_bool(&run->maker, line, "per_rank", true);
}

/* ---- comparing ----------------------------------------------------------- */

static bool has_code(const struct tree *findings, const char *code)
{
    for (const struct tree *f = tree_first(findings); f != NULL; f = f->next)
        if (strcmp(child(f, "code")->text, code) == 0)
            return true;
    return false;
}

/* Codes that must be among the findings (or the warnings), wherever. */
static void compare_codes(struct run *run, const char *what,
                          const struct tree *got)
{
    for (const struct tree *t = tree_first(child(run->want, what)); t != NULL;
         t = t->next)
        if (!has_code(got, t->text))
            differs(run, what, t, got);
}

/* The codes of all warnings, in any order. */
static void compare_warnings(struct run *run, const struct tree *answer)
{
    const struct tree *want = child(run->want, "warnings");
    const struct tree *got = child(answer, "warnings");

    if (want == NULL)
        return;
    compare_codes(run, "warnings", got);
    for (const struct tree *w = tree_first(got); w != NULL; w = w->next) {
        const struct tree *t = tree_first(want);

        while (t != NULL && strcmp(child(w, "code")->text, t->text) != 0)
            t = t->next;
        if (t == NULL)
            differs(run, "warnings", NULL, w);
    }
}

/* Alternatives, what is said of them, and fixes. */
static void compare_advice(struct run *run, const struct tree *answer)
{
    const struct tree *got = NULL;
    const char *key = advice_differs(run->want, answer, &got);

    if (key != NULL)
        differs(run, key, child(run->want, key), got);
}

/* The codes of all findings, in order. */
static void compare_findings(struct run *run, const struct tree *answer)
{
    const struct tree *want = child(run->want, "findings");
    const struct tree *got = child(answer, "findings");
    const struct tree *f = tree_first(got);

    if (want == NULL)
        return;
    if (tree_count(want) != tree_count(got))
        differs(run, "findings", want, got);
    for (const struct tree *t = tree_first(want); t != NULL && f != NULL;
         t = t->next, f = f->next)
        if (strcmp(t->text, child(f, "code")->text) != 0)
            differs(run, "findings", t, f);
}

void compare_answer(struct run *run, const struct tree *answer)
{
    compare_findings(run, answer);
    compare_codes(run, "codes", child(answer, "findings"));
    compare_warnings(run, answer);
    compare_advice(run, answer);
}
