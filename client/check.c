/* SPDX-License-Identifier: Apache-2.0 */
/* serry check: may these deployments run? */
#include <string.h>

#include "client/batch.h"
#include "client/from.h"
#include "client/verdict.h"

/* The deployments of all files, and what they are checked with. */
struct checking {
    struct invocation *v;
    struct live *live;       /* whom to ask; NULL: nobody */
    struct catalog *catalog; /* to judge with here; NULL: the daemon judges */
    struct pieces pieces;
    size_t n_deployments;
    struct verdict_wants wants;
    struct arena *arena; /* of one answer */
};

/* ---- reading ------------------------------------------------------------- */

/* Declarations of the files hold for this command alone, so a request is judged
 * here when there are any, on top of what the daemon has. */
static int take_declarations(struct checking *c, struct error *err)
{
    for (size_t i = 0; i < c->pieces.n; i++) {
        const struct piece *piece = &c->pieces.items[i];

        if (piece->kind == DOCUMENT_DEPLOYMENT) {
            c->n_deployments++;
            continue;
        }
        if (piece->kind == DOCUMENT_CLUSTER)
            return tree_error(piece->tree, err, STATUS_INVALID,
                              "a cluster cannot be checked; give deployments, "
                              "runtimes and models");
        if (c->catalog == NULL)
            c->catalog = live_catalog(c->live, err);
        if (c->catalog == NULL || catalog_add(c->catalog, piece->tree, err) < 0)
            return -1;
    }
    return 0;
}

static int read_files(struct checking *c, struct error *err)
{
    struct catalog *catalog = c->catalog;

    if (from_given(c->v) && catalog == NULL) {
        catalog = live_catalog(c->live, err);
        if (catalog == NULL)
            return -1;
    }
    if (from_read(c->v, catalog, c->v->out.format == FORMAT_TABLE, &c->pieces,
                  err) < 0 ||
        take_declarations(c, err) < 0)
        return -1;
    if (c->n_deployments == 0)
        return error_set(err, STATUS_INVALID,
                         "there is nothing to check: no document is a "
                         "deployment (with node_groups or world)");
    return 0;
}

/* ---- answering ----------------------------------------------------------- */

/* A strict reader takes what could not be judged for refused. */
static bool is_refused(const struct checking *c, const struct answer *answer)
{
    return !answer->accepts ||
           (answer->unchecked && option_given(c->v, "strict"));
}

/* A document in the place of an answer, so that there is one for each
 * deployment. */
static int write_error(struct checking *c, const struct error *why,
                       struct error *err)
{
    struct tree_maker maker = { .arena = c->arena };
    struct tree *top, *map;

    if (c->v->out.format == FORMAT_TABLE || c->n_deployments < 2)
        return 0;
    top = make_map(&maker, NULL, NULL);
    map = make_map(&maker, top, "error");
    make_string(&maker, map, "status", status_name(why->status));
    make_string(&maker, map, "message", why->text);
    return maker.failed ? error_exhausted(err)
                        : output_document(&c->v->out, top, err);
}

static int ask_daemon(struct checking *c, const struct piece *piece,
                      struct answer *ret, struct error *err)
{
    const struct serry_wanted wanted = { .lists = c->wants.lists,
                                         .n_lists = c->wants.n_lists,
                                         .per_rank = c->wants.per_rank,
                                         .creation = c->wants.creation,
                                         .rank = c->wants.assignment
                                                     ? &c->wants.rank
                                                     : NULL,
                                         .up_to = c->wants.up_to };
    struct serry_verdict *verdict;
    int rc;

    if (serry_check(c->live->client, &piece->document, &wanted, &verdict,
                    &c->live->err) < 0)
        return live_failed(c->live, err);
    rc = verdict_take(c->live, piece->tree, verdict->json, &c->wants, c->arena,
                      ret, err);
    serry_free(verdict);
    return rc;
}

/* Adds what was not read of an imported request to its answer. */
static int add_not_read(struct checking *c, const struct piece *piece,
                        const struct answer *answer, struct error *err)
{
    struct tree_maker maker = { .arena = c->arena };

    if (tree_count(piece->not_read) > 0)
        make_copy(&maker, answer->tree, "not_read", piece->not_read);
    return maker.failed ? error_exhausted(err) : 0;
}

/* Checks and prints one deployment. *ret: its exit code. -1: it could not be
 * printed, or there is no use in going on. */
static int check_one(struct checking *c, const struct piece *piece, int *ret,
                     struct error *err)
{
    struct answer answer;
    struct error why;
    bool refused;
    int rc;

    if (c->catalog != NULL)
        rc = answer_check(c->catalog, piece->tree, &c->wants, c->arena, NULL,
                          &answer, &why);
    else
        rc = ask_daemon(c, piece, &answer, &why);
    if (rc < 0 &&
        (why.status == STATUS_UNAVAILABLE || why.status == STATUS_DEADLINE)) {
        *err = why;
        return -1;
    }
    if (rc < 0) {
        *ret = command_failed(&why);
        return write_error(c, &why, err);
    }
    if (add_not_read(c, piece, &answer, err) < 0)
        return -1;
    refused = is_refused(c, &answer);
    *ret = refused ? EXIT_REFUSED : EXIT_OK;
    return verdict_show(&c->v->out, piece_name(piece->tree), &answer, refused,
                        c->arena, err);
}

/* In order; the worst exit code counts. */
static int check_all(struct checking *c, int *ret, struct error *err)
{
    *ret = EXIT_OK;
    c->v->out.documents = c->n_deployments > 1;
    for (size_t i = 0; i < c->pieces.n; i++) {
        int rc;

        if (c->pieces.items[i].kind != DOCUMENT_DEPLOYMENT)
            continue;
        arena_reset(c->arena);
        if (check_one(c, &c->pieces.items[i], &rc, err) < 0 ||
            output_flush(&c->v->out, err) < 0)
            return -1;
        if (rc > *ret)
            *ret = rc;
    }
    return 0;
}

/* ---- the command --------------------------------------------------------- */

static int run_files(struct invocation *v, struct live *live,
                     struct catalog *catalog)
{
    uint64_t rank = 0;
    struct checking c = {
        .v = v,
        .live = live,
        .catalog = catalog,
        .wants = { .per_rank = option_given(v, "per-rank"),
                   .creation = option_given(v, "creation"),
                   .assignment = option_given(v, "rank"),
                   .up_to = option_value(v, "up-to") },
        .arena = arena_new(ANSWER_BYTES_MAX),
    };
    struct error err;
    int rc = live_option_number(v, "rank", VIEW_SPAN_MAX - 1, &rank);

    if (rc != EXIT_OK)
        goto out;
    c.wants.rank = (uint32_t)rank;
    if (c.arena == NULL)
        error_exhausted(&err);
    if (c.arena == NULL || read_files(&c, &err) < 0 ||
        command_names(v, "lists", &c.wants.lists, &c.wants.n_lists, &err) < 0 ||
        check_all(&c, &rc, &err) < 0)
        rc = command_failed(&err);
out:
    arena_free(c.arena);
    return rc;
}

/* What makes no sense together. */
static int check_options(const struct invocation *v)
{
    static const char *const by_line[] = { "lists", "per-rank", "creation",
                                           "rank",  "strict",   "from",
                                           "up-to" };
    bool batch = option_given(v, "batch");
    const char *format = option_value(v, "output");

    if (live_options(v) != EXIT_OK)
        return EXIT_USAGE;
    if (!batch && from_named(v) != EXIT_OK)
        return EXIT_USAGE;
    for (size_t i = 0; batch && i < ARRAY_LEN(by_line); i++)
        if (option_given(v, by_line[i]))
            return command_misused(v,
                                   "with --batch each line asks for itself, "
                                   "so there is no --%s",
                                   by_line[i]);
    if (batch && format != NULL && strcmp(format, "json") != 0)
        return command_misused(v, "--batch answers with lines of JSON, not %s",
                               format);
    return EXIT_OK;
}

static int run_live(struct invocation *v)
{
    struct live live;
    struct error err;
    int rc;

    if (live_open(&live, v, &err) < 0)
        rc = command_failed(&err);
    else
        rc = option_given(v, "batch") ? batch_run(v, &live, NULL)
                                      : run_files(v, &live, NULL);
    live_close(&live);
    return rc;
}

static int run_check(struct invocation *v)
{
    struct catalog *catalog;
    struct error err;
    int rc = check_options(v);

    if (rc != EXIT_OK)
        return rc;
    if (live_wanted(v))
        return run_live(v);
    catalog = command_catalog(v, &err);
    if (catalog == NULL)
        return command_failed(&err);
    rc = option_given(v, "batch") ? batch_run(v, NULL, catalog)
                                  : run_files(v, NULL, catalog);
    catalog_free(catalog);
    return rc;
}

/* clang-format off */
static const struct option_row options[] = {
    LIVE_OPTION_FILE,
    FROM_OPTIONS,
    { "offline",  0,   NULL,    "judge here, with the declarations built in, "
                                "and ask no daemon" },
    LIVE_OPTION_ADDRESS,
    { "strict",   0,   NULL,    "refuse also when a rule could not be judged "
                                "for want of a fact" },
    { "lists",    0,   "NAMES", "show these group lists too, separated by "
                                "commas (attn.dp+cp)" },
    { "per-rank", 0,   NULL,    "show the coordinates of every rank" },
    { "creation", 0,   NULL,    "show the groups to create, in order, and "
                                "their digests" },
    { "rank",     0,   "N",     "show what this global rank would get" },
    { "up-to",    0,   "LAYER", "judge the runtime's rules up to this layer "
                                "only" },
    { "batch",    0,   NULL,    "answer each line, a request in JSON, with "
                                "one line of JSON" },
};
/* clang-format on */

const struct command command_check = {
    .name = "check",
    .arguments = "-f FILE...",
    .help = "say whether deployments may run, why not, and what would",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .max_operands = -1,
    .run = run_check,
};
