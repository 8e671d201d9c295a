/* SPDX-License-Identifier: Apache-2.0 */
/* Measures checks of all requests of a file of cases, one after the other, in
 * process and for the verdict only, against a walk over the same requests: what
 * is read of them at the least.
 *
 * bench_grid [FILE]: a .jsonl of tests/cases; by default halo_grid.jsonl, the
 * grid of the runtime with the most rules. */
#include <string.h>

#include "bench/bench_stat.h"
#include "placement/check.h"
#include "placement/reader.h"
#include "proto/catalog.h"
#include "proto/document.h"
#include "tests/cases/defaults.h"

enum {
    PAIRS = 15,
    ROUNDS = 20, /* over all requests in one measurement: about 0.1 s */
    QUESTIONS_MAX = 1 << 16,
    ARENA_BYTES = 1 << 30,
};

struct grid {
    struct arena *arena;
    struct catalog *catalog; /* of all lines; a later model replaces one of the
                                same name, not what was asked with it */
    struct question questions[QUESTIONS_MAX];
    size_t n;
    const struct tree *defaults; /* of the cases that follow; NULL: none */
};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (file == NULL || getdelim(&text, &size, '\0', file) < 0)
        die(path);
    fclose(file);
    return text;
}

/* The layer up to which a case asks. */
static const struct layer *layer_of(const struct tree *tree,
                                    const struct runtime *rt)
{
    const char *name = read_string(tree, "up_to");
    const struct layer *layer;
    struct error err = { 0 };

    if (name == NULL)
        return NULL;
    layer = runtime_layer(rt, name, &err);
    if (layer == NULL)
        die(err.text);
    return layer;
}

static void add_case(struct grid *grid, const struct tree *tree)
{
    struct question *question = &grid->questions[grid->n++];
    struct tree *document;
    const char *model, *runtime;
    struct error err = { 0 };
    bool good;

    if (grid->n == QUESTIONS_MAX)
        die("the file has too many lines");
    for (const struct tree *t = tree_first(tree_get(tree, "declare"));
         t != NULL; t = t->next)
        if (catalog_add(grid->catalog, t, &err) < 0)
            die(err.text);
    document = (struct tree *)tree_get(tree, "deployment");
    if (document == NULL)
        die("a line is no request");
    document->parent = NULL;
    model = deployment_model_name(document);
    runtime = deployment_runtime_name(document);
    if (model != NULL)
        question->model = catalog_model(grid->catalog, model, &err);
    if (runtime == NULL && question->model != NULL)
        runtime = question->model->runtime;
    good = runtime != NULL && (model == NULL || question->model != NULL);
    if (good)
        question->runtime = catalog_runtime(grid->catalog, runtime, &err);
    if (question->runtime != NULL)
        question->deployment =
            deployment_load(grid->arena, question->runtime, document, &err);
    if (question->deployment == NULL)
        die(good ? err.text : "a request names no known runtime or model");
    question->up_to = layer_of(tree, question->runtime);
}

static void add_line(struct grid *grid, const char *line)
{
    struct tree_maker maker = { .arena = grid->arena };
    struct tree *tree = NULL;
    struct error err = { 0 };

    errno = 0;
    if (document_read_json(grid->arena, NULL, line, strlen(line), &tree, &err) <
        0)
        die(err.text);
    if (defaults_of(tree) != NULL) {
        grid->defaults = defaults_of(tree);
        return;
    }
    defaults_add(&maker, tree, grid->defaults);
    add_case(grid, tree);
}

static void load(struct grid *grid, const char *path)
{
    struct error err = { 0 };
    char *text = read_file(path), *rest = text;

    grid->arena = arena_new(ARENA_BYTES);
    grid->catalog = catalog_new(NULL, &err);
    errno = 0;
    if (grid->arena == NULL || grid->catalog == NULL)
        die(err.text);
    for (char *line = strsep(&rest, "\n"); line != NULL;
         line = strsep(&rest, "\n"))
        if (*line != '\0')
            add_line(grid, line);
    free(text);
    if (grid->n == 0)
        die("the file has no requests");
}

/* ---- what is measured ---------------------------------------------------- */

static uint64_t check_all(const struct grid *grid, struct arena *scratch)
{
    uint64_t accepted = 0;

    for (size_t i = 0; i < grid->n; i++) {
        const struct check *check;

        arena_reset(scratch);
        check =
            check_run(&grid->questions[i], scratch, CHECK_VERDICT_ONLY, NULL);
        errno = 0;
        if (check == NULL)
            die("a check was exhausted");
        accepted += check_accepts(check);
    }
    return accepted;
}

/* Reads every key and value once. */
static uint64_t walk(const struct tree *tree)
{
    uint64_t sum = tree->len + (uint64_t)tree->type;

    if (tree->key != NULL)
        sum += strlen(tree->key);
    if (tree->type == TREE_INT)
        sum += (uint64_t)tree->u.integer;
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next)
        sum += walk(t);
    return sum;
}

static uint64_t walk_all(const struct grid *grid, struct arena *scratch)
{
    uint64_t sum = 0;

    (void)scratch;
    for (size_t i = 0; i < grid->n; i++)
        sum += walk(grid->questions[i].deployment->document);
    return sum;
}

/* µs of CPU for one request. */
static double
measure(uint64_t (*all)(const struct grid *grid, struct arena *scratch),
        const struct grid *grid, struct arena *scratch, uint64_t *ret)
{
    double start = now_s(CLOCK_PROCESS_CPUTIME_ID);

    for (int i = 0; i < ROUNDS; i++)
        *ret = all(grid, scratch);
    return (now_s(CLOCK_PROCESS_CPUTIME_ID) - start) * 1e6 / ROUNDS /
           (double)grid->n;
}

int main(int argc, char **argv)
{
    static const struct row time = { "halo grid: check / walk of a request",
                                     "µs of CPU", 0, false };
    static const struct row rate = { "halo grid", "checks/s of CPU", 300000,
                                     true };
    static struct grid grid;
    const char *folder = getenv("srcdir");
    struct arena *scratch = arena_new(ARENA_BYTES);
    struct pairs pairs = { 0 };
    uint64_t accepted = 0, sum = 0;
    char path[4096];
    bool held;

    snprintf(path, sizeof(path), "%s/tests/cases/halo_grid.jsonl",
             folder != NULL ? folder : ".");
    load(&grid, argc > 1 ? argv[1] : path);
    if (scratch == NULL)
        die("memory");
    for (int i = 0; i < PAIRS; i++) {
        double ours = measure(check_all, &grid, scratch, &accepted);

        pairs_add(&pairs, ours, measure(walk_all, &grid, scratch, &sum));
    }
    printf("%zu requests, %zu of them accepted (walk: %zu)\n", grid.n,
           (size_t)accepted, (size_t)sum);
    table_head();
    pairs_print(&time, &pairs);
    held = figure_print(&rate, 1e6 / quantile(pairs.ours, pairs.n, 0.5));
    arena_free(scratch);
    arena_free(grid.arena);
    catalog_free(grid.catalog);
    return held ? 0 : 1;
}
