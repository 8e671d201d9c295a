/* SPDX-License-Identifier: Apache-2.0 */
/* serry diff: what placing a deployment anew would change. */
#include "client/diff.h"

#include <stdio.h>
#include <string.h>

#include "client/differences.h"
#include "client/from.h"
#include "client/verdict.h"
#include "placement/deployment.h"
#include "proto/document.h"

enum {
    COUNTED_MAX = 65536, /* ranks that are compared one by one */
    LISTED_MAX = 4096,   /* ranks whose groups are */
};

/* ---- the declarations behind a request ----------------------------------- */

/* The version of the runtime in force that a request is under. "": unknown. */
static const char *version_in_force(struct live *live,
                                    const struct tree *deployment,
                                    const char **ret_runtime)
{
    struct error why;
    struct catalog *catalog = live_catalog(live, &why);
    const char *model_name = deployment_model_name(deployment);
    const char *name = deployment_runtime_name(deployment);
    const struct runtime *rt = NULL;
    const struct model *model = NULL;

    if (catalog != NULL && name == NULL && model_name != NULL)
        model = catalog_model(catalog, model_name, &why);
    if (model != NULL)
        name = model->runtime;
    if (catalog != NULL && name != NULL)
        rt = catalog_runtime(catalog, name, &why);
    *ret_runtime = name != NULL ? name : "";
    return rt != NULL && rt->version != NULL ? rt->version : "";
}

/* ---- one deployment ------------------------------------------------------ */

/* A deployment beside what is in force under its name. */
struct comparison {
    struct live *live;
    const struct piece *piece;
    const char *name;
    struct serry_placement *before; /* NULL: none is in force */
    struct serry_verdict *after;
    struct arena *arena;
};

/* What another version of the runtime means for this deployment. */
static void compare_versions(struct comparison *c, struct differences *d,
                             const char *version, bool counted, size_t moved)
{
    char say[160];

    if (counted && moved == 0)
        snprintf(say, sizeof(say),
                 "the runtime's declaration is another one; every rank holds "
                 "the same shards");
    else
        snprintf(say, sizeof(say),
                 "the runtime's declaration is another one: %s",
                 counted ? d->shards : "ranks may hold other shards");
    differences_say(d, "runtime_version", c->before->runtime_version, version,
                    say);
}

static void compare_declarations(struct comparison *c, struct differences *d,
                                 bool counted, size_t moved)
{
    const char *runtime, *model = deployment_model_name(c->piece->tree);
    const char *version = version_in_force(c->live, c->piece->tree, &runtime);

    differences_of_text(d, "model", c->before->model,
                        model != NULL ? model : "");
    differences_of_text(d, "runtime", c->before->runtime, runtime);
    if (strcmp(c->before->runtime, runtime) == 0 &&
        strcmp(c->before->runtime_version, version) != 0)
        compare_versions(c, d, version, counted, moved);
}

/* Both verdicts with their views; and what every rank is, for as many as a
 * person waits for. */
static int ask_layouts(struct comparison *c, const struct tree **ret_before,
                       const struct tree **ret_after, struct error *err)
{
    const struct serry_wanted wanted = {
        .views = true,
        .per_rank = c->before->ranks <= COUNTED_MAX,
        .all_lists = c->before->ranks <= LISTED_MAX,
    };
    struct live *live = c->live;
    struct serry_placement *before = NULL;
    struct serry_verdict *after = NULL;
    int rc = -1;

    if (serry_check(live->client, &c->piece->document, &wanted, &after,
                    &live->err) < 0 ||
        serry_get_placement_with(live->client, c->name, &wanted, &before,
                                 &live->err) < 0)
        live_failed(live, err);
    else if (live_json(c->arena, before->verdict_json, ret_before, err) == 0)
        rc = live_json(c->arena, after->json, ret_after, err);
    serry_free(before);
    serry_free(after);
    return rc;
}

static int compare(struct comparison *c, struct differences *d,
                   struct error *err)
{
    const struct tree *before, *after;
    struct tree *documents;
    size_t moved = 0;
    bool counted;

    if (c->before->verdict_json == NULL || c->before->document.text == NULL)
        return error_set(err, STATUS_INTERNAL,
                         "the record of %s cannot be read; place it again",
                         c->name);
    if (ask_layouts(c, &before, &after, err) < 0 ||
        document_read_yaml(c->arena, c->name, c->before->document.text,
                           strlen(c->before->document.text), &documents,
                           err) < 0)
        return -1;
    counted = differences_count(d, before, after, &moved);
    compare_declarations(c, d, counted, moved);
    differences_of_requests(d, tree_first(documents), c->piece->tree);
    /* Node groups have orders of their own. */
    if (tree_first(tree_get(after, "node_groups")) == NULL)
        differences_of_views(d, before, after);
    differences_of_verdicts(d, before, after);
    /* Where ranks move, so do their groups. */
    if (counted && moved == 0)
        differences_of_lists(d, before, after);
    return d->maker.failed ? error_exhausted(err) : 0;
}

/* What it means for devices, where there are any. */
static int compare_devices(struct comparison *c, struct differences *d,
                           struct error *err)
{
    const struct tree *after, *binding, *moves, *refused;
    const char *say = NULL;

    if (live_json(c->arena, c->after->json, &after, err) < 0)
        return -1;
    binding = tree_get(after, "binding");
    moves = tree_get(binding, "moves");
    refused = tree_get(binding, "refused");
    if (tree_int(moves, "ranks", 0) > 0 || tree_int(moves, "new", 0) > 0)
        say = tree_text(moves, "say");
    if (refused != NULL)
        say = tree_text(refused, "reason");
    if (say != NULL)
        differences_of_text(d, "devices", "", say);
    return 0;
}

static int ask(struct comparison *c, struct error *err)
{
    struct live *live = c->live;
    const struct serry_wanted wanted = { .bind = true };

    if (serry_check(live->client, &c->piece->document, &wanted, &c->after,
                    &live->err) < 0)
        return live_failed(live, err);
    if (serry_get_placement(live->client, c->name, &c->before, &live->err) == 0)
        return 0;
    c->before = NULL;
    return live->err.status == SERRY_UNKNOWN_NAME ? 0 : live_failed(live, err);
}

static int show_refusal(struct comparison *c, int *ret_exit, struct error *err)
{
    struct answer answer;

    *ret_exit = EXIT_REFUSED;
    if (verdict_take(c->live, c->piece->tree, c->after->json, NULL, c->arena,
                     &answer, err) < 0)
        return -1;
    return verdict_show(&c->live->v->out, c->name, &answer, true, c->arena,
                        err);
}

static void comparison_begin(struct comparison *c, struct live *live,
                             const struct piece *piece, struct arena *arena)
{
    *c = (struct comparison){ .live = live,
                              .piece = piece,
                              .name = piece_name(piece->tree),
                              .arena = arena };
}

static void comparison_end(struct comparison *c)
{
    serry_free(c->before);
    serry_free(c->after);
}

/* Compares an accepted request with what is in force. */
static int find_differences(struct comparison *c, struct differences *d,
                            struct error *err)
{
    differences_begin(d, c->arena, c->name,
                      c->before != NULL ? &c->before->generation : NULL);
    if (c->before != NULL && compare(c, d, err) < 0)
        return -1;
    return compare_devices(c, d, err);
}

static int diff_one(struct comparison *c, int *ret_exit, struct error *err)
{
    struct differences d;

    if (c->name == NULL)
        return tree_error(c->piece->tree, err, STATUS_INVALID,
                          "it has no name; give the key deployment or model");
    if (ask(c, err) < 0)
        return -1;
    if (!c->after->accepts)
        return show_refusal(c, ret_exit, err);
    if (find_differences(c, &d, err) < 0)
        return -1;
    if (c->before == NULL || d.n > 0)
        *ret_exit = EXIT_REPORTED;
    return differences_print(&d, c->live, err);
}

int diff_in_force(struct live *live, const struct piece *piece,
                  struct arena *arena, struct serry_generation *ret,
                  bool *ret_like_this, struct error *err)
{
    struct comparison c;
    struct differences d;
    int rc = 0;

    *ret_like_this = false;
    comparison_begin(&c, live, piece, arena);
    if (c.name != NULL)
        rc = ask(&c, err);
    if (rc == 0 && c.before != NULL && c.after->accepts &&
        c.before->verdict_json != NULL && c.before->document.text != NULL) {
        rc = find_differences(&c, &d, err);
        *ret = c.before->generation;
        *ret_like_this = rc == 0 && d.n == 0;
    }
    comparison_end(&c);
    return rc;
}

/* ---- the command --------------------------------------------------------- */

static int diff_piece(struct live *live, const struct piece *piece,
                      int *ret_exit, struct error *err)
{
    struct arena *arena = arena_new(ANSWER_BYTES_MAX);
    struct comparison c;
    int rc;

    comparison_begin(&c, live, piece, arena);
    rc = arena != NULL ? diff_one(&c, ret_exit, err) : error_exhausted(err);
    comparison_end(&c);
    arena_free(arena);
    return rc < 0 ? -1 : output_flush(&live->v->out, err);
}

static int diff_all(struct live *live, int *ret_exit, struct error *err)
{
    return from_each_live(live, "only placements can be compared", diff_piece,
                          ret_exit, err);
}

static int run_diff(struct invocation *v)
{
    int rc = from_named(v);

    return rc != EXIT_OK ? rc : live_run(v, diff_all);
}

static const struct option_row options[] = {
    LIVE_OPTION_FILE,
    FROM_OPTIONS,
    LIVE_OPTION_ADDRESS,
};

const struct command command_diff = {
    .name = "diff",
    .arguments = "-f FILE...",
    .help = "say what placing deployments anew would change; exit code 1 when "
            "there is anything",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .max_operands = -1,
    .run = run_diff,
};
