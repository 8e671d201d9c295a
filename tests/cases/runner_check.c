/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that are requests: the answer against everything the case expects. */
#include "tests/cases/runner.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the subject of a finding -------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether word stands in text with no letter or digit on either side. */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = strstr(text, word); p != NULL; p = strstr(p + 1, word))
        if ((p == text || !is_word(p[-1])) && !is_word(p[n]))
            return true;
    return false;
}

static bool has_number(const char *text, int64_t number)
{
    char word[32];

    snprintf(word, sizeof(word), "%" PRId64, number);
    return has_word(text, word);
}

/* The axis by its name, or by the field that users type. */
static bool has_axis(struct run *run, const char *text, const char *axis)
{
    const char *name = deployment_runtime_name(child(run->line, "deployment"));
    const struct runtime *rt =
        catalog_runtime(run->catalog, name != NULL ? name : "mstar", NULL);
    int index = rt != NULL ? runtime_axis(rt, axis) : -1;

    return index >= 0 &&
           (has_word(text, rt->axes[index].field) || has_word(text, axis));
}

/* Ranks in use: how many they are, and the first that is missing. */
static bool has_ranks(const char *text, const struct tree *ranks)
{
    int64_t next = 0;

    for (const struct tree *t = tree_first(ranks); t != NULL; t = t->next) {
        if (t->u.integer != next)
            break;
        next++;
    }
    return has_number(text, (int64_t)tree_count(ranks)) &&
           has_number(text, next);
}

/* Whether the text of a finding names this part of the case's subject. */
static bool names(struct run *run, const char *text, const struct tree *part)
{
    char group[64];

    if (strcmp(part->key, "group") == 0) {
        snprintf(group, sizeof(group), "node_groups[%" PRId64 "]",
                 part->u.integer);
        return strstr(text, group) != NULL;
    }
    if (strcmp(part->key, "axis") == 0)
        return has_axis(run, text, part->text);
    if (strcmp(part->key, "ranks") == 0 && part->type == TREE_LIST)
        return has_ranks(text, part);
    if (part->type == TREE_INT)
        return has_number(text, part->u.integer);
    if (part->type == TREE_STRING)
        return has_word(text, part->text);
    for (const struct tree *t = tree_first(part); t != NULL; t = t->next)
        if (t->type != TREE_STRING || !has_word(text, t->text))
            return false;
    return part->type == TREE_LIST;
}

/* Of a finding with a code that is allowed too only the place is compared: it
 * is another rule's, about other things at the same place. */
static bool is_place(const struct tree *part)
{
    return strcmp(part->key, "group") == 0 || strcmp(part->key, "rank") == 0;
}

static void compare_subject(struct run *run, const struct tree *finding,
                            bool only_place)
{
    const struct tree *subject = child(run->want, "subject");
    struct text text = { 0 };

    text_printf(&text, "%s | %s | %s", child(finding, "subject")->text,
                child(finding, "equation")->text,
                child(finding, "reason")->text);
    for (const struct tree *t = tree_first(child(finding, "fixes")); t != NULL;
         t = t->next)
        text_printf(&text, " | %s", t->text);
    for (const struct tree *t = tree_first(subject); t != NULL; t = t->next)
        if ((!only_place || is_place(t)) && !names(run, text_string(&text), t))
            differs(run, t->key, t, finding);
    text_close(&text);
}

/* ---- refusals, warnings, unchecked --------------------------------------- */

static bool holds(const struct tree *list, const char *text)
{
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (t->type == TREE_STRING && strcmp(t->text, text) == 0)
            return true;
    return false;
}

static void compare_code(struct run *run, const struct tree *answer)
{
    const struct tree *want = child(run->want, "code");
    const struct tree *finding = tree_first(child(answer, "findings"));
    const struct tree *code = child(finding, "code");

    if (want == NULL)
        return;
    if (code == NULL ||
        (strcmp(code->text, want->text) != 0 &&
         !holds(child(run->want, "codes_also_allowed"), code->text)))
        differs(run, "code", want, code != NULL ? finding : NULL);
    else
        compare_subject(run, finding, strcmp(code->text, want->text) != 0);
}

static void compare_unchecked(struct run *run, const struct tree *answer)
{
    for (const struct tree *t = tree_first(child(run->want, "unchecked"));
         t != NULL; t = t->next) {
        const struct tree *u = tree_first(child(answer, "unchecked"));

        while (u != NULL && strcmp(child(u, "code")->text, t->text) != 0)
            u = u->next;
        if (u == NULL || tree_count(child(u, "needs")) == 0)
            differs(run, "unchecked", t, child(answer, "unchecked"));
    }
}

/* ---- layout -------------------------------------------------------------- */

static void compare_groups(struct run *run, const struct tree *answer)
{
    const struct tree *want = child(run->want, "node_groups");
    const struct tree *got = tree_first(child(answer, "node_groups"));
    char what[64];
    size_t n = 0;

    if (want == NULL)
        return;
    if (tree_count(want) != tree_count(child(answer, "node_groups")))
        differs(run, "node_groups", want, child(answer, "node_groups"));
    for (const struct tree *t = tree_first(want); t != NULL && got != NULL;
         t = t->next, got = got->next) {
        snprintf(what, sizeof(what), "node_groups[%zu].", n++);
        compare_keys(run, what, t, got);
    }
}

static int compare_ints(const void *va, const void *vb)
{
    const int64_t *a = va, *b = vb;

    return *a < *b ? -1 : *a > *b;
}

/* Every rank of every instance once, ascending. */
static void put_workers(struct run *run, const struct tree *answer)
{
    const struct tree *groups = child(answer, "node_groups");
    struct tree *list = make_list(&run->maker, run->got, "workers");
    int64_t *ranks;
    size_t n = 0;

    for (const struct tree *g = tree_first(groups); g != NULL; g = g->next)
        for (const struct tree *i = tree_first(child(g, "instances"));
             i != NULL; i = i->next)
            n += tree_count(child(i, "ranks"));
    ranks = arena_array(run->arena, n + 1, sizeof(*ranks));
    n = 0;
    for (const struct tree *g = tree_first(groups); g != NULL; g = g->next)
        for (const struct tree *i = tree_first(child(g, "instances"));
             i != NULL; i = i->next)
            for (const struct tree *r = tree_first(child(i, "ranks"));
                 r != NULL; r = r->next)
                ranks[n++] = r->u.integer;
    qsort(ranks, n, sizeof(*ranks), compare_ints);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || ranks[i] != ranks[i - 1])
            make_int(&run->maker, list, NULL, ranks[i]);
}

/* Whole instances are created on the CPU, and before everything else. */
static void put_creation(struct run *run, const struct tree *answer)
{
    struct tree *axis = make_list(&run->maker, run->got, "creation_axis");
    struct tree *whole =
        make_list(&run->maker, run->got, "creation_instance_first");

    for (const struct tree *t = tree_first(child(answer, "creation"));
         t != NULL; t = t->next) {
        bool is_whole = strcmp(child(t, "backend")->text, "cpu") == 0;

        if (is_whole && tree_count(axis) > 0)
            differs(run, "creation order", NULL, child(answer, "creation"));
        make_copy(&run->maker, is_whole ? whole : axis, NULL,
                  child(t, "ranks"));
    }
}

static int compare_strings(const void *va, const void *vb)
{
    const char *const *a = va, *const *b = vb;

    return strcmp(*a, *b);
}

/* The walks of a group in the order of their names, or null. */
static void put_walks(struct run *run, struct tree *map,
                      const struct tree *walks)
{
    const char *sorted[64];
    struct tree *list;
    size_t n = 0;

    if (walks == NULL || walks->type == TREE_NULL) {
        make_null(run, map, "graph_walks");
        return;
    }
    for (const struct tree *t = tree_first(walks); t != NULL && n < 64;
         t = t->next)
        sorted[n++] = t->text;
    qsort(sorted, n, sizeof(*sorted), compare_strings);
    list = make_list(&run->maker, map, "graph_walks");
    for (size_t i = 0; i < n; i++)
        make_string(&run->maker, list, NULL, sorted[i]);
}

static void put_templates(struct run *run, const struct tree *answer)
{
    struct tree *list = make_list(&run->maker, run->got, "shard_templates");

    for (const struct tree *g = tree_first(child(answer, "node_groups"));
         g != NULL; g = g->next) {
        struct tree *map;

        if (child_int(g, "instance_size") < 2)
            continue;
        map = make_map(&run->maker, list, NULL);
        make_copy(&run->maker, map, "nodes", child(g, "node_names"));
        make_int(&run->maker, map, "tp_size", child_int(g, "instance_size"));
        put_walks(run, map, child(g, "graph_walks"));
    }
}

/* ---- the case ------------------------------------------------------------ */

/* Keys that are compared above; got repeats them so that the rest of the keys
 * cannot be passed over. */
static void put_compared(struct run *run)
{
    static const char *const keys[] = { "code",         "codes_also_allowed",
                                        "subject",      "unchecked",
                                        "node_groups",  "codes",
                                        "alternatives", "no_alternatives",
                                        "warnings",     "findings",
                                        "says",         "fixes" };

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (child(run->want, keys[i]) != NULL)
            make_copy(&run->maker, run->got, keys[i],
                      child(run->want, keys[i]));
}

void op_check(struct run *run)
{
    static const char *const asked[] = { "id",       "declare", "deployment",
                                         "mesh",     "lists",   "per_rank",
                                         "creation", "up_to" };
    struct tree *line = make_map(&run->maker, NULL, NULL);
    const struct tree *answer;

    for (size_t i = 0; i < ARRAY_LEN(asked); i++)
        if (child(run->line, asked[i]) != NULL)
            make_copy(&run->maker, line, asked[i], child(run->line, asked[i]));
    ask_expected(run, line);
    answer = ask(run, line);
    if (answer == NULL)
        return;
    if (!same(child(run->line, "id"), child(answer, "id")))
        differs(run, "id", child(run->line, "id"), child(answer, "id"));
    compare_layout(run, answer);
    if (child(run->line, "mesh") != NULL)
        return; /* bare axes have no verdict */
    make_copy(&run->maker, run->got, "verdict", child(answer, "verdict"));
    if (!same(child(run->want, "verdict"), child(run->got, "verdict")))
        differs(run, "findings", NULL, child(answer, "findings"));
    make_bool(&run->maker, run->got, "warned",
              tree_count(child(answer, "warnings")) > 0);
    make_bool(&run->maker, run->got, "all_checked",
              tree_count(child(answer, "unchecked")) == 0);
    compare_code(run, answer);
    compare_unchecked(run, answer);
    compare_groups(run, answer);
    compare_answer(run, answer);
    if (child(answer, "resolution") != NULL)
        make_copy(&run->maker, run->got, "resolution",
                  child(answer, "resolution"));
    put_workers(run, answer);
    put_templates(run, answer);
    if (child(answer, "creation") != NULL)
        put_creation(run, answer);
    put_compared(run);
}
