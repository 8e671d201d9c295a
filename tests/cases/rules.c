/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the cases know every rule of every shipped runtime: one line of TAP
 * for each. A rule is known when
 *   - a case names its code, and fails once the rule is left out, and
 *   - a case is accepted in which the rule was judged and held: its condition
 *     is true and nothing unknown, and it fails once the rule always fires.
 * Placed checks with codes of their own, axis sets, values of options, and axes
 * and keys with demands count as rules. Then the parts of conditions and of
 * what is refused, what options may be and are, and the cells of tables: a case
 * fails when one is left out, or another. */
#include "tests/cases/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "placement/structure.h"

enum {
    CHECK_BYTES_MAX = 1 << 30,
};

struct progress {
    struct catalog *catalog;
    struct samples *samples;
    const struct runtime *rt;
    struct arena *arena; /* of one check after the other */
    int lines;
    bool seen[IMPLIED_MAX]; /* rows of `implied` that stand for a part */
};

/* ---- evidence ------------------------------------------------------------ */

/* Whether the case fails under this runtime. */
static bool fails(struct progress *p, const struct sample *sample,
                  const struct runtime *rt)
{
    const struct check *check = sample_check(sample, rt, p->arena);
    bool agrees = check != NULL && sample_agrees(sample, check);

    arena_reset(p->arena);
    return !agrees;
}

/* Whether the request has what a placed check, or one fault of it, looks at. */
static bool is_applied(const struct check *check, const struct mutant *mutant)
{
    if (mutant->fault < 0)
        return true;
    if (mutant->fault < FAULT_COUNT)
        return fault_applies(check, mutant->rule, (enum fault)mutant->fault);
    for (int f = 0; f < FAULT_COUNT; f++)
        if ((int)fault_rows[f].check == mutant->rule->structure &&
            fault_concerns(check->rt, mutant->rule, (enum fault)f) &&
            fault_applies(check, mutant->rule, (enum fault)f))
            return true;
    return false;
}

enum judged { NOT_ACCEPTED, LACKS_FACT, NOT_APPLIED, JUDGED };

/* How the rule was judged, as far as it ran. */
static enum judged judge_of(struct progress *p, const struct sample *sample,
                            const struct mutant *mutant)
{
    const struct check *check = sample_check(sample, p->rt, p->arena);
    enum judged judged = NOT_ACCEPTED;

    if (check != NULL && check_accepts(check))
        judged = is_applied(check, mutant) ? JUDGED : NOT_APPLIED;
    for (size_t i = 0; judged == JUDGED && i < check->n_unchecked; i++)
        if (check->unchecked[i].rule == mutant->rule)
            judged = LACKS_FACT;
    arena_reset(p->arena);
    return judged;
}

/* Whether the case says that what the mutant lacks is found; of what is
 * allowed, that it is. */
static bool names(const struct sample *sample, const struct mutant *mutant)
{
    if (mutant->fault != FAULT_COUNT)
        return mutant->code != NULL ? sample_names(sample, mutant->code)
                                    : sample->accepts;
    for (int f = 0; f < FAULT_COUNT; f++)
        if ((int)fault_rows[f].check == mutant->rule->structure &&
            sample_names(sample, fault_code(mutant->rule, (enum fault)f)))
            return true;
    return false;
}

/* The case that fails when the rule is left out. *ret_named: how many name it.
 */
static const struct sample *
find_refused(struct progress *p, const struct mutant *mutant, size_t *ret_named)
{
    *ret_named = 0;
    for (size_t i = 0; i < p->samples->n; i++) {
        const struct sample *sample = &p->samples->items[i];

        if (sample->question.runtime != p->rt || !names(sample, mutant))
            continue;
        ++*ret_named;
        if (fails(p, sample, mutant->never) && !fails(p, sample, p->rt))
            return sample;
    }
    return NULL;
}

/* The accepted case that fails when the rule always fires. *ret_nearly: one
 * that does where a fact was missing. */
static const struct sample *find_held(struct progress *p,
                                      const struct mutant *mutant,
                                      const struct sample **ret_nearly)
{
    *ret_nearly = NULL;
    for (size_t i = 0; i < p->samples->n; i++) {
        const struct sample *sample = &p->samples->items[i];
        enum judged judged;

        if (sample->question.runtime != p->rt || !sample->accepts ||
            !fails(p, sample, mutant->always))
            continue;
        judged = judge_of(p, sample, mutant);
        if (judged == JUDGED)
            return sample;
        if (judged == LACKS_FACT)
            *ret_nearly = sample;
    }
    return NULL;
}

/* ---- lines --------------------------------------------------------------- */

static void put_name(const struct runtime *rt, const struct mutant *mutant,
                     struct text *out)
{
    text_printf(out, "%s: ", rt->name);
    if (mutant->part != NULL)
        text_printf(out, "'%s' in the ", mutant->part);
    text_put(out, mutant->what);
    if (mutant->code != NULL)
        text_printf(out, " %s", mutant->code);
    if (mutant->about != NULL)
        text_printf(out, " of %s", mutant->about);
    if (mutant->at != NULL && mutant->at->line > 0)
        text_printf(out, " in line %u", (unsigned)mutant->at->line);
}

static void print_line(void *arg, const char *name, const char *why)
{
    struct progress *p = arg;

    p->lines++;
    printf("%s %d - %s\n", why[0] == '\0' ? "ok" : "not ok", p->lines, name);
    if (why[0] != '\0')
        printf("# %s\n", why);
}

static void judge_mutant(void *arg, const struct mutant *mutant)
{
    struct progress *p = arg;
    struct text name = { 0 }, why = { 0 };
    const struct sample *refused, *held = NULL, *nearly;
    size_t named;

    put_name(p->rt, mutant, &name);
    refused = find_refused(p, mutant, &named);
    if (refused != NULL)
        text_printf(&name, "; found in %s", refused->id);
    else if (named == 0)
        text_put(&why, "no case names it");
    else
        text_printf(&why, "without it none of the %zu cases that name it fails",
                    named);
    if (mutant->always != NULL)
        held = find_held(p, mutant, &nearly);
    if (held != NULL)
        text_printf(&name, "; holds in %s", held->id);
    else if (mutant->always != NULL)
        text_printf(&why, "%sin no accepted case it is judged and holds%s%s",
                    why.len > 0 ? "; " : "",
                    nearly != NULL ? "; it lacks a fact in " : "",
                    nearly != NULL ? nearly->id : "");
    print_line(p, text_string(&name), why.len > 0 ? text_string(&why) : "");
    text_close(&name);
    text_close(&why);
}

/* The case that fails without a part of an expression. */
static const struct sample *find_missed(struct progress *p,
                                        const struct mutant *mutant)
{
    for (size_t i = 0; mutant->never != NULL && i < p->samples->n; i++) {
        const struct sample *sample = &p->samples->items[i];

        if (sample->question.runtime == p->rt &&
            fails(p, sample, mutant->never) && !fails(p, sample, p->rt))
            return sample;
    }
    return NULL;
}

/* The case that gets other advice without a remedy. */
static const struct sample *find_advised(struct progress *p,
                                         const struct mutant *mutant)
{
    for (size_t i = 0; i < p->samples->n; i++) {
        const struct sample *sample = &p->samples->items[i];
        bool advised = true;

        if (sample->question.runtime != p->rt || sample->advised_by == NULL)
            continue;
        if (mutant->set != NULL ? sample->advised_by_set != mutant->set
                                : sample->advised_by != mutant->rule)
            continue;
        advised = sample_is_advised(sample, mutant->never, p->arena);
        arena_reset(p->arena);
        if (!advised)
            return sample;
    }
    return NULL;
}

/* What no case misses says nothing, or nobody tried. */
static void judge_missed(struct progress *p, const struct mutant *mutant,
                         const struct sample *missed)
{
    int known = implied_find(p->rt, mutant);
    struct text name = { 0 };
    const char *why = "";

    put_name(p->rt, mutant, &name);
    if (missed != NULL)
        text_printf(&name, "; missed in %s", missed->id);
    else if (known >= 0)
        text_printf(&name, "; %s", implied_why(known));
    else
        why = "no case fails without it";
    if (known >= 0)
        p->seen[known] = true;
    if (missed != NULL && known >= 0)
        why = "a case misses it, so it is not implied: remove its row";
    print_line(p, text_string(&name), why);
    text_close(&name);
}

static void judge_part(void *arg, const struct mutant *mutant)
{
    judge_missed(arg, mutant, find_missed(arg, mutant));
}

static void judge_remedy(void *arg, const struct mutant *mutant)
{
    judge_missed(arg, mutant, find_advised(arg, mutant));
}

static void judge_rows(struct progress *p)
{
    const char *unseen = implied_unseen(p->seen);

    print_line(p, "every row of what is implied is of this tree",
               unseen != NULL ? unseen : "");
}

static void judge_runtime(struct progress *p)
{
    if (!mutants_each(p->rt, judge_mutant, p) ||
        !parts_each(p->catalog, p->rt, judge_part, p) ||
        !values_each(p->catalog, p->rt, judge_part, p) ||
        !remedies_each(p->rt, judge_remedy, p) ||
        !hosts_judge(p->rt, p->samples, print_line, p))
        print_line(p, p->rt->name, "one that differs could not be made");
}

int main(void)
{
    const char *srcdir = getenv("srcdir");
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    struct progress p = { .catalog = catalog,
                          .arena = arena_new(CHECK_BYTES_MAX) };
    const char *const *known;
    char folder[4096];
    size_t n;

    snprintf(folder, sizeof(folder), "%s/tests/cases",
             srcdir != NULL ? srcdir : ".");
    if (catalog != NULL && p.arena != NULL)
        p.samples = samples_read(catalog, folder, &err);
    if (p.samples == NULL) {
        printf("Bail out! %s\n", err.text);
        return 1;
    }
    samples_note_advice(p.samples, p.arena);
    known = catalog_runtimes(catalog, &n);
    for (size_t i = 0; i < n; i++) {
        p.rt = catalog_runtime(catalog, known[i], &err);
        judge_runtime(&p);
    }
    judge_rows(&p);
    printf("1..%d\n", p.lines);
    samples_free(p.samples);
    arena_free(p.arena);
    catalog_free(catalog);
    return 0;
}
