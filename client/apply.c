/* SPDX-License-Identifier: Apache-2.0 */
/* serry apply: declares hosts, models and runtimes, then places
 * deployments. */
#include <inttypes.h>
#include <stdio.h>

#include "client/diff.h"
#include "client/from.h"
#include "client/host.h"
#include "client/place.h"
#include "proto/answer.h"

static int write_declared(struct live *live, const struct serry_declaration *d,
                          struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct output *out = &live->v->out;
    struct tree *map;

    if (out->format != FORMAT_TABLE) {
        map = make_map(&maker, NULL, NULL);
        make_string(&maker, map, "kind", d->kind);
        make_string(&maker, map, "name", d->name);
        make_int(&maker, map, "revision", (int64_t)d->revision);
        make_string(&maker, map, "hash", d->hash);
        make_bool(&maker, map, "changed", d->changed);
        return live_document(live, &maker, map, err);
    }
    output_printf(out, STYLE_PLAIN, "%s ", d->kind);
    output_put(out, STYLE_NAME, d->name);
    if (d->changed)
        output_printf(out, STYLE_PLAIN, " declared, revision %" PRIu64,
                      d->revision);
    else
        output_put(out, STYLE_PLAIN, " unchanged");
    output_line(out);
    out->wrote_first = true;
    return 0;
}

/* *changed is set where it is another one than before. */
static int declare(struct live *live, const struct piece *piece, bool *changed,
                   struct error *err)
{
    struct serry_declaration *declaration;
    int rc;

    if (serry_apply(live->client, &piece->document, NULL, &declaration,
                    &live->err) < 0)
        return live_failed(live, err);
    *changed |= declaration->changed;
    rc = write_declared(live, declaration, err);
    serry_free(declaration);
    return rc < 0 ? -1 : output_flush(&live->v->out, err);
}

static int write_unchanged(struct live *live, const char *name,
                           const struct serry_generation *generation,
                           struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct output *out = &live->v->out;
    char room[LIVE_WORD];
    struct tree *map;

    if (out->format != FORMAT_TABLE) {
        map = live_make_placement(&maker, name, generation);
        make_bool(&maker, map, "changed", false);
        return live_document(live, &maker, map, err);
    }
    output_put(out, STYLE_NAME, name);
    output_printf(out, STYLE_PLAIN, " unchanged, at generation %s",
                  live_generation(generation, room));
    output_line(out);
    out->wrote_first = true;
    return 0;
}

static bool is_declared_since(struct live *live, const char *kind,
                              const char *name, uint64_t revision)
{
    struct serry_declaration *declaration;
    bool is_later;

    if (serry_get_declaration(live->client, kind, name, &declaration, NULL) < 0)
        return false; /* it names none, or one that is gone */
    is_later = declaration->revision > revision;
    serry_free(declaration);
    return is_later;
}

/* Whether what a placement stands on was declared otherwise since it was
 * placed. */
static int compare_declared(struct live *live, const char *name, bool *ret,
                            struct error *err)
{
    struct serry_placement *p;

    if (serry_get_placement(live->client, name, &p, &live->err) < 0)
        return live_failed(live, err);
    *ret =
        is_declared_since(live, "model", p->model, p->generation.revision) ||
        is_declared_since(live, "runtime", p->runtime, p->generation.revision);
    serry_free(p);
    return 0;
}

/* Places it, unless it is in force like this: another generation would end its
 * workers for nothing.
 *   changed  a declaration was, which it may stand on in ways that no
 *            comparison of layouts shows */
static int place(struct live *live, const struct piece *piece, bool changed,
                 int *ret_exit, struct error *err)
{
    struct arena *arena = arena_new(ANSWER_BYTES_MAX);
    struct serry_generation generation;
    bool like_this = false;
    int rc = 0;

    if (arena == NULL)
        return error_exhausted(err);
    if (!changed)
        rc = diff_in_force(live, piece, arena, &generation, &like_this, err);
    if (rc == 0 && like_this)
        rc = compare_declared(live, piece_name(piece->tree), &changed, err);
    if (rc == 0 && like_this && !changed)
        rc = write_unchanged(live, piece_name(piece->tree), &generation, err);
    else if (rc == 0)
        rc = place_piece(live, piece, NULL, ret_exit, err);
    arena_free(arena);
    return rc < 0 ? -1 : output_flush(&live->v->out, err);
}

/* Stops at the first that fails; what stands before it is done, and doing it
 * again changes nothing. */
static int apply_all(struct live *live, int *ret_exit, struct error *err)
{
    struct pieces pieces;
    bool changed = false;

    if (from_read_live(live, &pieces, err) < 0)
        return -1;
    live->v->out.documents = pieces.n > 1;
    for (size_t i = 0; i < pieces.n; i++)
        if (pieces.items[i].kind == DOCUMENT_CLUSTER &&
            hosts_apply(live, &pieces.items[i], -1, err) < 0)
            return -1;
    for (size_t i = 0; i < pieces.n; i++)
        if (pieces.items[i].kind != DOCUMENT_DEPLOYMENT &&
            pieces.items[i].kind != DOCUMENT_CLUSTER &&
            declare(live, &pieces.items[i], &changed, err) < 0)
            return -1;
    for (size_t i = 0; i < pieces.n && *ret_exit == EXIT_OK; i++)
        if (pieces.items[i].kind == DOCUMENT_DEPLOYMENT &&
            place(live, &pieces.items[i], changed, ret_exit, err) < 0)
            return -1;
    return 0;
}

static int run_apply(struct invocation *v)
{
    int rc = from_named(v);

    return rc != EXIT_OK ? rc : live_run(v, apply_all);
}

static const struct option_row options[] = {
    LIVE_OPTION_FILE,
    FROM_OPTIONS,
    LIVE_OPTION_ADDRESS,
};

const struct command command_apply = {
    .name = "apply",
    .arguments = "-f FILE...",
    .help = "declare hosts, models and runtimes, then place the deployments "
            "among them that are not in force like this",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .max_operands = -1,
    .run = run_apply,
};
