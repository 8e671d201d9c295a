/* SPDX-License-Identifier: Apache-2.0 */
/* What a case expects of an answer beside its verdict and layout: codes among
 * the findings, alternatives. */
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

/* Codes that must be among the findings, wherever. */
static void compare_codes(struct run *run, const struct tree *answer)
{
    for (const struct tree *t = tree_first(child(run->want, "codes"));
         t != NULL; t = t->next) {
        const struct tree *f = tree_first(child(answer, "findings"));

        while (f != NULL && strcmp(child(f, "code")->text, t->text) != 0)
            f = f->next;
        if (f == NULL)
            differs(run, "codes", t, child(answer, "findings"));
    }
}

/* The first alternatives, in order, and changes that are none. */
static void compare_alternatives(struct run *run, const struct tree *answer)
{
    const struct tree *got = child(answer, "alternatives");
    const struct tree *a = tree_first(got);

    for (const struct tree *t = tree_first(child(run->want, "alternatives"));
         t != NULL; t = t->next, a = a != NULL ? a->next : NULL)
        if (a == NULL || !same(t, child(a, "set")))
            differs(run, "alternatives", t, got);
    for (const struct tree *t = tree_first(child(run->want, "no_alternatives"));
         t != NULL; t = t->next)
        for (a = tree_first(got); a != NULL; a = a->next)
            if (same(t, child(a, "set")))
                differs(run, "no_alternatives", t, got);
}

void compare_answer(struct run *run, const struct tree *answer)
{
    compare_codes(run, answer);
    compare_alternatives(run, answer);
}
