/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the cases of every .jsonl file beside it, one line of TAP for each. */
#include "tests/cases/runner.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/document.h"
#include "tests/cases/defaults.h"

enum {
    CASE_BYTES_MAX = 1 << 30, /* 65,536 ranks with all their groups: 100 MB */
};

static const struct op {
    const char *name;
    op_fn *run; /* NULL: nothing implements it yet */
} ops[] = {
    { "check", op_check },
    { "mesh", op_mesh },
    { "heads", op_heads },
    { "resource_check", op_resource_check },
    { "process_groups", op_process_groups },
    { "rows", op_rows },
    { "token_split", op_token_split },
    { "experts", op_experts },
    { "shard", op_shard },
    { "sequence", op_sequence },
    { "stages", op_stages },
    { "batch", op_batch },
    { "patches", op_patches },
    { "fanout", op_fanout },
    { "fanin", op_fanin },
    { "bind_templates", op_bind_templates },
    { "cut", op_cut },
    { "assign", op_assign },
    { "cuts", op_cuts },
    { "cluster", op_cluster },
    { "bind", op_bind },
    { "suggest", op_suggest },
};

/* Of one op in one file. */
struct score {
    int passed, failed;
};

/* A file while its lines are run. */
struct case_file {
    struct catalog *catalog;
    const char *name;
    struct arena *arena;         /* of the defaults; NULL: there are none */
    const struct tree *defaults; /* of the lines to come */
};

/* ---- trees --------------------------------------------------------------- */

int64_t child_int(const struct tree *map, const char *key)
{
    const struct tree *t = child(map, key);

    return t != NULL && t->type == TREE_INT ? t->u.integer : 0;
}

const struct tree *item(const struct tree *list, size_t i)
{
    const struct tree *t = tree_first(list);

    while (t != NULL && i-- > 0)
        t = t->next;
    return t;
}

static void put_tree(const struct tree *tree, struct text *out)
{
    struct text json = { 0 };

    if (tree == NULL)
        text_put(out, "nothing");
    else if (document_write_json(tree, false, &json) < 0)
        text_put(out, "what is no JSON");
    else
        text_printf(out, "%.300s", text_string(&json));
    text_close(&json);
}

void differs(struct run *run, const char *what, const struct tree *want,
             const struct tree *got)
{
    text_printf(&run->why, "%s%s: want ", run->why.len > 0 ? "; " : "", what);
    put_tree(want, &run->why);
    text_put(&run->why, ", got ");
    put_tree(got, &run->why);
}

void compare_keys(struct run *run, const char *what, const struct tree *want,
                  const struct tree *got)
{
    for (const struct tree *t = tree_first(want); t != NULL; t = t->next) {
        const struct tree *other = child(got, t->key);
        char name[128];

        snprintf(name, sizeof(name), "%s%s", what, t->key);
        if (other == NULL || !same(t, other))
            differs(run, name, t, other);
    }
}

void make_null(struct run *run, struct tree *parent, const char *key)
{
    if (tree_new(run->arena, parent, key, TREE_NULL) == NULL)
        run->maker.failed = true;
}

void refused(struct run *run, const char *code)
{
    make_string(&run->maker, run->got, "verdict", "refuse");
    if (code != NULL)
        make_string(&run->maker, run->got, "code", code);
}

const struct tree *ask(struct run *run, const struct tree *line)
{
    struct text text = { 0 }, out = { 0 };
    struct tree *answer = NULL;
    struct error err = { 0 };
    enum status status;

    if (document_write_json(line, false, &text) < 0 ||
        answer_line(run->catalog, text.data, text.len, &out, &status, &err) <
            0 ||
        document_read_json(run->arena, NULL, out.data, out.len, &answer, &err) <
            0)
        text_printf(&run->why, "no answer: %s", err.text);
    else if (child(answer, "error") != NULL)
        differs(run, "error", NULL, child(answer, "error"));
    text_close(&text);
    text_close(&out);
    return run->why.len > 0 ? NULL : answer;
}

/* ---- running ------------------------------------------------------------- */

static const struct op *op_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(ops); i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}

static void run_op(struct run *run, const struct op *op)
{
    if (op == NULL || run->want == NULL) {
        text_put(&run->why, "nothing knows this op, or nothing is expected");
        return;
    }
    run->got = make_map(&run->maker, NULL, NULL);
    op->run(run);
    if (run->why.len == 0)
        compare_keys(run, "", run->want, run->got);
    if (run->maker.failed)
        text_put(&run->why, "out of memory");
}

/* Takes the defaults of a line, if it is one of those. */
static bool take_defaults(struct case_file *file, const char *text, size_t len)
{
    struct arena *arena = arena_new(CASE_BYTES_MAX);
    struct tree *line;

    if (arena == NULL ||
        document_read_json(arena, NULL, text, len, &line, NULL) < 0 ||
        defaults_of(line) == NULL) {
        arena_free(arena);
        return false;
    }
    arena_free(file->arena);
    file->arena = arena;
    file->defaults = defaults_of(line);
    return true;
}

/* Runs one case. Returns its op, or NULL; prints its line of TAP. */
static const struct op *run_case(const struct case_file *file, char *text,
                                 size_t len, int number, struct score *score)
{
    struct run run = { .catalog = file->catalog,
                       .arena = arena_new(CASE_BYTES_MAX) };
    const struct op *op = NULL;
    struct tree *line = NULL;
    struct error err = { 0 };
    const char *id = "?";

    run.maker.arena = run.arena;
    if (document_read_json(run.arena, file->name, text, len, &line, &err) < 0) {
        text_put(&run.why, err.text);
    } else {
        defaults_add(&run.maker, line, file->defaults);
        run.line = line;
        run.input = child(line, "input");
        run.want = child(line, "expect");
        if (child(line, "id") != NULL)
            id = child(line, "id")->text;
        if (child(line, "op") != NULL)
            op = op_named(child(line, "op")->text);
        run_op(&run, op);
    }
    if (run.why.len > 0) {
        printf("not ok %d - %s %s\n# %s\n", number, file->name, id,
               text_string(&run.why));
        score->failed++;
    } else {
        printf("ok %d - %s %s\n", number, file->name, id);
        score->passed++;
    }
    text_close(&run.why);
    arena_free(run.arena);
    return op;
}

static void print_scores(const char *file, const struct score *scores)
{
    for (size_t i = 0; i < ARRAY_LEN(ops) + 1; i++) {
        int all = scores[i].passed + scores[i].failed;

        if (all > 0)
            printf("# %s %s: %d of %d passed\n", file,
                   i < ARRAY_LEN(ops) ? ops[i].name : "?", scores[i].passed,
                   all);
    }
}

/* Cases are numbered from first. Returns how many there are. */
static int run_file(struct catalog *catalog, const char *path, int first)
{
    struct case_file file = { .catalog = catalog,
                              .name = strrchr(path, '/') + 1 };
    struct score scores[ARRAY_LEN(ops) + 1] = { 0 };
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    int n = 0;

    while (in != NULL && (len = getline(&line, &cap, in)) > 0) {
        struct score score = { 0 };
        const struct op *op;
        struct score *all;

        if (strncmp(line, "{\"defaults\"", 11) == 0 &&
            take_defaults(&file, line, (size_t)len))
            continue;
        op = run_case(&file, line, (size_t)len, first + n++, &score);
        all = &scores[op != NULL ? op - ops : (ptrdiff_t)ARRAY_LEN(ops)];
        all->passed += score.passed;
        all->failed += score.failed;
    }
    free(line);
    if (in != NULL)
        fclose(in);
    arena_free(file.arena);
    print_scores(file.name, scores);
    return n;
}

int main(void)
{
    const char *srcdir = getenv("srcdir");
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    char pattern[4096];
    glob_t files;
    int n = 0;

    if (catalog == NULL) {
        printf("Bail out! %s\n", err.text);
        return 1;
    }
    snprintf(pattern, sizeof(pattern), "%s/tests/cases/*.jsonl",
             srcdir != NULL ? srcdir : ".");
    if (glob(pattern, 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++)
            n += run_file(catalog, files.gl_pathv[i], n + 1);
        globfree(&files);
    }
    catalog_free(catalog);
    if (n == 0)
        puts("not ok 1 - there are cases");
    printf("1..%d\n", n > 0 ? n : 1);
    return 0;
}
