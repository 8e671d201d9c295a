/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on their way out, whoever judged: this program or a daemon. */
#include "client/verdict.h"

#include <inttypes.h>
#include <string.h>

#include "client/bound.h"
#include "client/report.h"
#include "proto/document.h"

enum {
    INDENT = 2,
    RANKS_MAX = 32, /* printed of one group */
};

/* ---- taking one ---------------------------------------------------------- */

/* Judges the request here; true: with the very verdict that came. */
static bool judge_here(struct live *live, const struct tree *document,
                       const char *json, const struct verdict_wants *wants,
                       struct arena *arena, struct answer *ret)
{
    static const struct verdict_wants nothing = { 0 };
    struct text text = { 0 };
    struct answer answer;
    struct error why;
    struct catalog *catalog = live_catalog(live, &why);
    bool same;

    if (catalog == NULL ||
        answer_check(catalog, document, wants != NULL ? wants : &nothing, arena,
                     NULL, &answer, &why) < 0)
        return false;
    same = document_write_json(answer.tree, false, &text) == 0 &&
           strcmp(text_string(&text), json) == 0;
    text_close(&text);
    if (same)
        *ret = answer;
    return same;
}

/* Takes what only a daemon knows, the devices, out of a verdict. */
static struct tree *take_binding(struct tree *verdict)
{
    struct tree *before = NULL, *t = verdict->u.children.first;

    while (t != NULL && strcmp(t->key, "binding") != 0) {
        before = t;
        t = t->next;
    }
    if (t == NULL)
        return NULL;
    if (before != NULL)
        before->next = t->next;
    else
        verdict->u.children.first = t->next;
    if (verdict->u.children.last == t)
        verdict->u.children.last = before;
    verdict->u.children.count--;
    return t;
}

/* The same as judge_here(), devices aside. */
static bool judge_bound_here(struct live *live, const struct tree *document,
                             struct tree *verdict,
                             const struct verdict_wants *wants,
                             struct arena *arena, struct answer *ret)
{
    struct tree *binding = take_binding(verdict);
    struct text json = { 0 };
    bool same;

    if (binding == NULL)
        return false;
    same = document_write_json(verdict, false, &json) == 0 &&
           judge_here(live, document, text_string(&json), wants, arena, ret);
    text_close(&json);
    tree_adopt(same ? ret->tree : verdict, binding);
    return same;
}

int verdict_take(struct live *live, const struct tree *document,
                 const char *json, const struct verdict_wants *wants,
                 struct arena *arena, struct answer *ret, struct error *err)
{
    enum format format = live->v->out.format;
    bool draws =
        document != NULL && (format == FORMAT_TABLE || format == FORMAT_SVG);
    struct answer answer = { 0 };
    const struct tree *tree, *verdict;

    if (draws && strstr(json, "\"binding\":{") == NULL &&
        judge_here(live, document, json, wants, arena, ret))
        return 0;
    if (live_json(arena, json, &tree, err) < 0)
        return -1;
    verdict = tree_get(tree, "verdict");
    if (verdict == NULL || verdict->type != TREE_STRING)
        return error_set(err, STATUS_INTERNAL,
                         "the daemon's answer is no verdict");
    answer.tree = (struct tree *)tree;
    answer.accepts = strcmp(verdict->text, "accept") == 0;
    answer.unchecked = tree_count(tree_get(tree, "unchecked")) > 0;
    *ret = answer;
    if (draws)
        judge_bound_here(live, document, answer.tree, wants, arena, ret);
    return 0;
}

/* ---- node groups without the check behind them --------------------------- */

static const char *keep(struct text *text, struct arena *arena)
{
    const char *copy = arena_strdup(arena, text_string(text));

    text_close(text);
    return copy;
}

static void put_names(const struct tree *list, struct text *out)
{
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        text_printf(out, "%s%s", t != tree_first(list) ? ", " : "",
                    tree_string(t));
}

static void put_sizes(const struct tree *sizes, struct text *out)
{
    const char *joint = "";

    for (const struct tree *t = tree_entries(sizes); t != NULL; t = t->next)
        if (t->type == TREE_INT && t->u.integer > 1) {
            text_printf(out, "%s%s %" PRId64, joint, t->key, t->u.integer);
            joint = ", ";
        }
}

static void put_ranks(const struct tree *instances, struct text *out)
{
    int n = 0;

    for (const struct tree *i = tree_first(instances); i != NULL; i = i->next)
        for (const struct tree *t = tree_first(tree_get(i, "ranks")); t != NULL;
             t = t->next) {
            if (n++ == RANKS_MAX) {
                text_put(out, ", ...");
                return;
            }
            text_printf(out, "%s%" PRId64, n > 1 ? ", " : "", t->u.integer);
        }
}

enum { COLUMN_GROUP, COLUMN_NODES, COLUMN_RANKS, COLUMN_SIZES, COLUMNS };

static void fill_row(const struct tree *group, struct cell *row,
                     struct arena *arena)
{
    struct text text[COLUMNS] = { { 0 } };
    const struct tree *index = tree_get(group, "group");

    if (index != NULL)
        text_printf(&text[COLUMN_GROUP], "%" PRId64, index->u.integer);
    put_names(tree_get(group, "node_names"), &text[COLUMN_NODES]);
    put_ranks(tree_get(group, "instances"), &text[COLUMN_RANKS]);
    put_sizes(tree_get(group, "sizes"), &text[COLUMN_SIZES]);
    for (int c = 0; c < COLUMNS; c++)
        row[c].text = keep(&text[c], arena);
    row[COLUMN_NODES].style = STYLE_NAME;
}

static void show_groups(struct output *out, const struct tree *groups,
                        struct arena *arena)
{
    static const char *const titles[COLUMNS] = { "group", "nodes", "ranks",
                                                 "sizes" };
    size_t n = tree_count(groups);
    struct cell *cells = arena_array(arena, (n + 1) * COLUMNS, sizeof(*cells));
    struct cell *row = cells;

    if (cells == NULL || n == 0)
        return;
    for (int c = 0; c < COLUMNS; c++)
        row[c] = (struct cell){ titles[c], STYLE_DIM };
    for (const struct tree *t = tree_first(groups); t != NULL; t = t->next)
        fill_row(t, row += COLUMNS, arena);
    output_line(out);
    output_table(out, INDENT, cells, COLUMNS, n + 1, 1u << COLUMN_GROUP);
}

/* ---- showing ------------------------------------------------------------- */

void verdict_complain(const struct answer *answer, const char *what)
{
    const struct tree *first = tree_first(tree_get(answer->tree, "findings"));
    output_complainf("%s: %s: %s", what, tree_text(first, "code"),
                     tree_text(first, "reason"));
}

static void set_verdict(const struct answer *answer, const char *word)
{
    struct tree *verdict = (struct tree *)tree_get(answer->tree, "verdict");

    verdict->text = word;
    verdict->len = strlen(word);
}

int verdict_show(struct output *out, const char *name,
                 const struct answer *answer, bool refuse, struct arena *arena,
                 struct error *err)
{
    if (refuse)
        set_verdict(answer, "refuse");
    if (out->format != FORMAT_TABLE)
        return output_document(out, answer->tree, err);
    if (out->wrote_first)
        output_line(out);
    out->wrote_first = true;
    report_print(out, name, answer, refuse, arena);
    bound_show(out, answer->tree);
    if (answer->accepts && answer->check == NULL) {
        report_derived(out, answer->tree);
        show_groups(out, tree_get(answer->tree, "node_groups"), arena);
    }
    if (tree_get(answer->tree, "assignment") != NULL)
        report_rank(out, tree_get(answer->tree, "assignment"));
    return 0;
}
