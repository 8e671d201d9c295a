/* SPDX-License-Identifier: Apache-2.0 */
/* serry export: placements and checked requests as other programs read them. */
#include "client/export.h"

#include <inttypes.h>
#include <string.h>

#include "client/live.h"
#include "client/pieces.h"
#include "client/verdict.h"
#include "placement/port.h"
#include "proto/document.h"

/* ---- everything ---------------------------------------------------------- */

static const char *string_or(const char *text, const char *other)
{
    return text != NULL ? text : other;
}

/* Of a checked verdict what is not said about refusals. */
static bool is_told(const char *key)
{
    static const char *const left_out[] = { "findings", "alternatives" };

    for (size_t i = 0; i < ARRAY_LEN(left_out); i++)
        if (strcmp(left_out[i], key) == 0)
            return false;
    return true;
}

static int export_json(const struct exported *e, struct error *err)
{
    struct tree_maker maker = { .arena = e->v->arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct output *out = &e->v->out;
    uint32_t n = 0;

    for (uint32_t r = 0; r < e->n_ranks; r++)
        n += e->present[r];
    make_string(&maker, map, "name", e->name);
    if (e->generation != NULL)
        make_string(&maker, map, "generation", e->generation);
    make_string(&maker, map, "model", e->model);
    make_string(&maker, map, "runtime", e->rt->name);
    make_string(&maker, map, "runtime_version", e->runtime_version);
    make_int(&maker, map, "ranks", n);
    make_copy(&maker, map, "request", e->document);
    for (const struct tree *t = tree_first(e->verdict); t != NULL; t = t->next)
        if (is_told(t->key))
            make_copy(&maker, map, t->key, t);
    if (maker.failed)
        return error_exhausted(err);
    if (out->format == FORMAT_TABLE)
        out->format = FORMAT_JSON;
    return output_document(out, map, err);
}

/* ---- formats ------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *name;
    export_fn *write;
    seating_fn *read; /* NULL: it says nothing of hosts */
} formats[] = {
    { "hostfile",       export_hostfile,       seating_hostfile },
    { "rankfile",       export_rankfile,       seating_rankfile },
    { "torchrun",       export_torchrun,       seating_torchrun },
    { "slurm-hostfile", export_slurm_hostfile, seating_slurm_hostfile },
    { "ray",            export_ray,            seating_ray },
    { "flags",          export_flags,          NULL },
    { "json",           export_json,           NULL },
};
/* clang-format on */

/* The runtime's own name stands for its flags. */
static export_fn *format_of(const struct exported *e, const char *word,
                            seating_fn **ret_read)
{
    *ret_read = NULL;
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        if (strcmp(formats[i].name, word) != 0)
            continue;
        *ret_read = formats[i].read;
        return formats[i].write;
    }
    return strcmp(e->rt->name, word) == 0 ? export_flags : NULL;
}

static int unknown_format(const struct exported *e, const char *word,
                          struct error *err)
{
    struct text names = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(formats); i++)
        text_printf(&names, "%s, ", formats[i].name);
    error_set(err, STATUS_UNKNOWN_NAME,
              "nothing is known to be written as %.64s; use %sor the name of "
              "the request's runtime, %s",
              word, text_string(&names), e->rt->name);
    text_close(&names);
    return -1;
}

/* ---- ranks --------------------------------------------------------------- */

static void mark_groups(struct exported *e, const struct tree *groups)
{
    for (const struct tree *g = tree_first(groups); g != NULL; g = g->next)
        for (const struct tree *i = tree_first(tree_get(g, "instances"));
             i != NULL; i = i->next)
            for (const struct tree *t = tree_first(tree_get(i, "ranks"));
                 t != NULL; t = t->next)
                if (t->u.integer >= 0 && t->u.integer < VIEW_SPAN_MAX) {
                    e->present[t->u.integer] = true;
                    if (t->u.integer >= e->n_ranks)
                        e->n_ranks = (uint32_t)t->u.integer + 1;
                }
}

/* Which ranks the verdict is about. */
static int find_ranks(struct exported *e, struct error *err)
{
    const struct tree *groups = tree_get(e->verdict, "node_groups");
    const struct tree *per_rank = tree_get(e->verdict, "per_rank");
    uint32_t rank = 0;

    e->present = arena_array(e->v->arena, VIEW_SPAN_MAX, sizeof(bool));
    if (e->present == NULL)
        return error_exhausted(err);
    mark_groups(e, groups);
    if (tree_first(groups) != NULL)
        return 0;
    for (const struct tree *t = tree_first(tree_get(per_rank, "instance_rank"));
         t != NULL && rank < VIEW_SPAN_MAX; t = t->next, rank++)
        e->present[rank] = t->type == TREE_INT;
    e->n_ranks = rank;
    /* A world of one rank runs in step with nobody. */
    if (rank == 1)
        e->present[0] = true;
    return 0;
}

static int write_exported(struct exported *e, struct error *err)
{
    const char *word = option_value(e->v, "as");
    struct text *out = &e->v->out.text;
    struct export_hosts given = { 0 };
    seating_fn *read;
    export_fn *write = format_of(e, word, &read);
    int rc;

    if (write == NULL)
        return unknown_format(e, word, err);
    e->given = &given;
    rc = find_ranks(e, err);
    if (rc == 0)
        rc = write(e, err);
    if (rc == 0 && read != NULL && !out->failed)
        rc = export_reread(e, read, text_string(out), out->len, err);
    e->given = NULL;
    if (rc < 0)
        text_clear(out); /* a half is worse than nothing */
    return rc;
}

/* ---- a request in a file ------------------------------------------------- */

static const struct verdict_wants everything = {
    .all_lists = true,
    .views = true,
    .per_rank = true,
    .creation = true,
};

/* The declarations among the documents, and the one deployment. */
static int take_pieces(const struct pieces *pieces, struct catalog *catalog,
                       const struct piece **ret, struct error *err)
{
    const struct piece *found = NULL;

    for (size_t i = 0; i < pieces->n; i++) {
        const struct piece *piece = &pieces->items[i];

        if (piece->kind != DOCUMENT_DEPLOYMENT) {
            if (catalog_add(catalog, piece->tree, err) < 0)
                return -1;
            continue;
        }
        if (found != NULL)
            return tree_error(piece->tree, err, STATUS_INVALID,
                              "a second deployment; one is exported at a time");
        found = piece;
    }
    if (found == NULL)
        return error_set(err, STATUS_INVALID,
                         "there is nothing to export: no document is a "
                         "deployment");
    *ret = found;
    return 0;
}

static int export_file(struct invocation *v, struct catalog *catalog,
                       int *ret_exit, struct error *err)
{
    const struct piece *piece = NULL;
    struct pieces pieces;
    struct answer answer;
    struct exported e = { .v = v };

    if (pieces_read(v, &pieces, err) < 0 ||
        take_pieces(&pieces, catalog, &piece, err) < 0 ||
        answer_check(catalog, piece->tree, &everything, v->arena, NULL, &answer,
                     err) < 0)
        return -1;
    if (!answer.accepts) {
        *ret_exit = EXIT_REFUSED;
        verdict_complain(&answer, "refused, so there is nothing to export");
        return 0;
    }
    e.name = string_or(piece_name(piece->tree), "");
    e.rt = answer.check->rt;
    e.runtime_version = string_or(e.rt->version, "");
    e.model = string_or(answer.deployment->model, "");
    e.document = piece->tree;
    e.text = piece->document.text;
    e.verdict = answer.tree;
    return write_exported(&e, err);
}

/* ---- a placement in force ------------------------------------------------ */

static int read_placement(struct live *live, const struct serry_placement *p,
                          struct exported *e, struct error *err)
{
    struct catalog *catalog = live_catalog(live, err);
    char room[LIVE_WORD];
    struct tree *documents;

    if (catalog == NULL)
        return -1;
    if (p->verdict_json == NULL || p->document.text == NULL)
        return error_set(err, STATUS_INTERNAL,
                         "the record of %.64s cannot be read; place it again",
                         p->name);
    if (live_json(live->v->arena, p->verdict_json, &e->verdict, err) < 0 ||
        document_read_yaml(live->v->arena, p->name, p->document.text,
                           strlen(p->document.text), &documents, err) < 0)
        return -1;
    e->name = p->name;
    e->generation =
        arena_strdup(live->v->arena, live_generation(&p->generation, room));
    e->rt = catalog_runtime(catalog, p->runtime, err);
    e->runtime_version = p->runtime_version;
    e->model = p->model;
    e->document = tree_first(documents);
    e->text = p->document.text;
    if (e->generation == NULL)
        return error_exhausted(err);
    return e->rt != NULL ? 0 : -1;
}

static uint32_t master_port(const struct serry_placement *p)
{
    for (size_t i = 0; i < p->n_ports; i++)
        if (strcmp(p->ports[i].purpose, port_master) == 0 &&
            p->ports[i].n_runs > 0)
            return p->ports[i].runs[0].first;
    return 0;
}

static int export_placement(struct live *live, int *ret_exit, struct error *err)
{
    const struct serry_wanted wanted = {
        .all_lists = true,
        .views = true,
        .per_rank = true,
        .creation = true,
    };
    struct exported e = { .v = live->v };
    struct serry_placement *p;
    int rc = -1;

    (void)ret_exit;
    if (serry_get_placement_with(live->client, live->v->operands[0], &wanted,
                                 &p, &live->err) < 0)
        return live_failed(live, err);
    e.master_port = master_port(p);
    if (read_placement(live, p, &e, err) == 0)
        rc = write_exported(&e, err);
    serry_free(p);
    return rc;
}

/* ---- the command --------------------------------------------------------- */

static int check_options(const struct invocation *v)
{
    const char *as = option_value(v, "as");
    bool file = option_given(v, "file");

    if (as == NULL)
        return command_misused(v, "--as says how it is written: hostfile, "
                                  "rankfile, torchrun, slurm-hostfile, ray, "
                                  "flags, json, or the runtime's name");
    if (option_given(v, "output") && strcmp(as, "json") != 0)
        return command_misused(v,
                               "--as %.64s is a format of its own, so there "
                               "is no --output",
                               as);
    if (file == (v->n_operands > 0))
        return command_misused(v, "either NAME, which is in force at a daemon, "
                                  "or -f FILE is exported");
    if (!file && option_given(v, "offline"))
        return command_misused(v, "without a daemon there is only -f FILE");
    return live_options(v);
}

static int run_export(struct invocation *v)
{
    int rc = check_options(v);

    if (rc != EXIT_OK)
        return rc;
    if (!option_given(v, "file"))
        return live_run(v, export_placement);
    return live_with_catalog(v, false, export_file);
}

/* clang-format off */
static const struct option_row options[] = {
    { "as",            0,   "FORMAT", "write a hostfile, a rankfile, torchrun "
                                      "commands, a slurm-hostfile, bundles for "
                                      "ray, flags, json (everything), or what "
                                      "the runtime of this name reads" },
    LIVE_OPTION_FILE,
    { "hosts",         0,   "HOSTS",  "of launchers: a file with a host on each "
                                      "line, or names separated by commas; "
                                      "NAME:N or NAME slots=N takes N ranks; "
                                      "default: where the placement is" },
    { "gpus-per-node", 0,   "N",      "ranks on a host that does not say" },
    { "port",          0,   "PORT",   "torchrun's master port; default: the one that is "
                                      "leased, else 29500" },
    { "offline",       0,   NULL,     "judge -f FILE here, and ask no daemon" },
    LIVE_OPTION_ADDRESS,
};
/* clang-format on */

const struct command command_export = {
    .name = "export",
    .arguments = "--as FORMAT (NAME | -f FILE)",
    .help = "write a placement, or a request that may run, as other programs "
            "read it",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .max_operands = 1,
    .run = run_export,
};
