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
#include "placement/host_list.h"
#include "placement/structure.h"

enum {
    CHECK_BYTES_MAX = 1 << 30,
    IMPLIED_MAX = 64,
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

/* Whether the rule was judged without anything unknown, as far as it ran. */
static bool was_judged(struct progress *p, const struct sample *sample,
                       const struct rule *rule)
{
    const struct check *check = sample_check(sample, p->rt, p->arena);
    bool judged = check != NULL && check_accepts(check);

    for (size_t i = 0; judged && i < check->n_unchecked; i++)
        judged = check->unchecked[i].rule != rule;
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

/* The accepted case that fails when the rule always fires. *ret_unjudged: one
 * that does where a fact was missing. */
static const struct sample *find_held(struct progress *p,
                                      const struct mutant *mutant,
                                      const struct sample **ret_unjudged)
{
    *ret_unjudged = NULL;
    for (size_t i = 0; i < p->samples->n; i++) {
        const struct sample *sample = &p->samples->items[i];

        if (sample->question.runtime != p->rt || !sample->accepts ||
            !fails(p, sample, mutant->always))
            continue;
        if (was_judged(p, sample, mutant->rule))
            return sample;
        *ret_unjudged = sample;
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

static void print_line(struct progress *p, const char *name, const char *why)
{
    p->lines++;
    printf("%s %d - %s\n", why[0] == '\0' ? "ok" : "not ok", p->lines, name);
    if (why[0] != '\0')
        printf("# %s\n", why);
}

static void judge_mutant(void *arg, const struct mutant *mutant)
{
    struct progress *p = arg;
    struct text name = { 0 }, why = { 0 };
    const struct sample *refused, *held = NULL, *unjudged;
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
        held = find_held(p, mutant, &unjudged);
    if (held != NULL)
        text_printf(&name, "; holds in %s", held->id);
    else if (mutant->always != NULL)
        text_printf(&why, "%sin no accepted case it is judged and holds%s%s",
                    why.len > 0 ? "; " : "",
                    unjudged != NULL ? "; it lacks a fact in " : "",
                    unjudged != NULL ? unjudged->id : "");
    print_line(p, text_string(&name), why.len > 0 ? text_string(&why) : "");
    text_close(&name);
    text_close(&why);
}

/* Parts and values that change no verdict, and why they stand there all the
 * same. A value has no part. */
static const struct implied {
    const char *runtime, *code, *part, *why; /* code, or "code of about" */
} implied[] = {
    /* clang-format off */
    { "diffusers", "mesh-dims", "type(m) != \"map\"",
      "has() is false of what is no map; the equation then names the type" },
    { "diffusers", "shard-dim of ffn", "tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    { "diffusers", "a2a-alignment of order", "ulysses > 1",
      "a group of one begins anywhere; spares making the groups" },
    { "diffusers", "a2a-alignment of a2a_groups", "size(g) > 1",
      "a group of one begins anywhere" },
    { "diffusers", "a2a-contiguity of a2a_groups", "size(g) > 1",
      "a group of one has no gaps" },
    { "diffusers", "order-preferred of order", "tp > 1",
      "a group of one has no gaps; spares making the groups" },
    { "diffusers", "sequence-divide of tokens", "cp > 1",
      "one rank divides everything; spares the rule without context ranks" },
    { "diffusers", "device-type of device", "!devices[device].tp",
      "it holds of every device so far" },
    { "halo", "ep_node_indivisible", "group > 1",
      "one rank divides everything; spares the rule without experts" },
    { "halo", "ep_global_exceeds_stage", "group > 1",
      "a stage has a rank; spares the rule without experts" },
    { "halo", "ep_global_indivisible", "group > 1",
      "one rank divides everything; spares the rule without experts" },
    { "halo", "ep_global_not_multiple_of_domains", "group > 1",
      "the scope of one rank is the node; spares the rule without experts" },
    { "halo", "ep_not_multiple_of_tp", "tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    { "halo", "ep_cp_global_scope", "group > 1",
      "the scope of one rank is the node; spares the rule without experts" },
    { "halo", "ep_legacy_too_wide", "ep > 1",
      "a node has a rank; spares the rule without experts" },
    { "megatron", "kv_heads_not_divisible_by_tp", "tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    { "megatron", "0 of rank_offset", NULL,
      "it moves ranks and refuses nothing; the runner compares the ranks" },
    { "mstar", "heads.indivisible", "p.tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    { "mstar", "vocab.indivisible", "p.tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    { "mstar", "experts.intermediate_indivisible",
      "p.tp % model_kwargs.moe_ep_size == 0",
      "the quotient is undefined, which the refusal before it explains" },
    { "torchtitan", "etp_neither_one_nor_tp", "rules != \"current\"",
      "an axis that is not there is 1; says when the rule applies" },
    { "torchtitan", "linear_heads_not_divisible_by_tp", "tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    /* clang-format on */
};

/* The code, and what the rule is about where that tells it from others. */
static bool is_rule(const struct mutant *mutant, const char *name)
{
    size_t n = strlen(mutant->code);

    if (strncmp(name, mutant->code, n) != 0)
        return false;
    if (name[n] == '\0')
        return true;
    return strncmp(name + n, " of ", 4) == 0 && mutant->about != NULL &&
           strcmp(name + n + 4, mutant->about) == 0;
}

static bool is_part(const struct mutant *mutant, const char *part)
{
    if (mutant->part == NULL || part == NULL)
        return mutant->part == part;
    return strcmp(mutant->part, part) == 0;
}

/* The row of a part, or -1. */
static int find_implied(const struct runtime *rt, const struct mutant *mutant)
{
    for (size_t i = 0; i < ARRAY_LEN(implied); i++)
        if (strcmp(implied[i].runtime, rt->name) == 0 &&
            is_rule(mutant, implied[i].code) &&
            is_part(mutant, implied[i].part))
            return (int)i;
    return -1;
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

/* A part or value that no case misses says nothing, or nobody tried. */
static void judge_part(void *arg, const struct mutant *mutant)
{
    struct progress *p = arg;
    const struct sample *missed = find_missed(p, mutant);
    int known = find_implied(p->rt, mutant);
    struct text name = { 0 };
    const char *why = "";

    put_name(p->rt, mutant, &name);
    if (missed != NULL)
        text_printf(&name, "; missed in %s", missed->id);
    else if (known >= 0)
        text_printf(&name, "; %s", implied[known].why);
    else
        why = "no case fails without it";
    if (known >= 0)
        p->seen[known] = true;
    if (missed != NULL && known >= 0)
        why = "a case misses it, so it is not implied: remove its row";
    print_line(p, text_string(&name), why);
    text_close(&name);
}

static void judge_rows(struct progress *p)
{
    const char *why = "";

    for (size_t i = 0; i < ARRAY_LEN(implied); i++)
        if (!p->seen[i])
            why = implied[i].code;
    print_line(p, "every row of what is implied is of this tree", why);
}

/* Codes of a host list, which cases of other kinds find. */
static void judge_host_list(struct progress *p)
{
    const struct host_list_rules *rules = p->rt->host_list;
    const char *codes[] = { rules->code_section, rules->code_host,
                            rules->code_rank, rules->code_transport };

    for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
        struct text name = { 0 };
        bool found = false;

        for (size_t i = 0; i < p->samples->n_others; i++) {
            const struct tree *code =
                tree_get(tree_get(p->samples->others[i], "expect"), "code");

            found |= code != NULL && code->type == TREE_STRING &&
                     strcmp(code->text, codes[c]) == 0;
        }
        text_printf(&name, "%s: host list %s", p->rt->name, codes[c]);
        print_line(p, text_string(&name), found ? "" : "no case names it");
        text_close(&name);
    }
}

static void judge_runtime(struct progress *p)
{
    if (!mutants_each(p->rt, judge_mutant, p) ||
        !parts_each(p->catalog, p->rt, judge_part, p) ||
        !values_each(p->catalog, p->rt, judge_part, p))
        print_line(p, p->rt->name, "out of memory");
    if (p->rt->host_list != NULL)
        judge_host_list(p);
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
