/* SPDX-License-Identifier: Apache-2.0 */
/* serry place: puts deployments in force. */
#include "client/place.h"

#include "client/bound.h"
#include "client/from.h"
#include "client/renumbered.h"
#include "client/report.h"
#include "client/verdict.h"

/* ---- one deployment ------------------------------------------------------ */

static int show_refusal(struct live *live, const struct piece *piece,
                        struct arena *arena, struct error *err)
{
    struct answer answer;

    if (verdict_take(live, piece->tree, live->err.findings_json, NULL, arena,
                     &answer, err) < 0)
        return -1;
    return verdict_show(&live->v->out, piece_name(piece->tree), &answer, true,
                        arena, err);
}

static int write_placed(struct live *live, const struct serry_placed *placed,
                        const struct tree *verdict, struct arena *arena,
                        struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *map = make_map(&maker, NULL, NULL);

    for (const struct tree *t = tree_first(verdict); t != NULL; t = t->next)
        make_copy(&maker, map, t->key, t);
    make_string(&maker, map, "name", placed->name);
    live_make_generation(&maker, map, "generation", &placed->generation);
    live_make_hex(&maker, map, "digest", placed->digest, SERRY_DIGEST_BYTES);
    return live_document(live, &maker, map, err);
}

static int show_placed(struct live *live, const struct serry_placed *placed,
                       struct arena *arena, struct error *err)
{
    struct output *out = &live->v->out;
    const struct tree *verdict;
    struct text line = { 0 };
    char room[LIVE_WORD];

    if (live_json(arena, placed->verdict_json, &verdict, err) < 0)
        return -1;
    if (out->format != FORMAT_TABLE)
        return write_placed(live, placed, verdict, arena, err);
    text_printf(&line, "%s at generation %s, digest %s", placed->name,
                live_generation(&placed->generation, room),
                live_hex(arena, placed->digest, SERRY_DIGEST_BYTES));
    output_paragraph(out, 0, STYLE_GOOD, "placed    ", STYLE_PLAIN,
                     text_string(&line));
    text_close(&line);
    bound_show(out, verdict);
    renumbered_show(out, verdict);
    report_doubts(out, verdict);
    out->wrote_first = true;
    return 0;
}

static int place_in(struct live *live, const struct piece *piece,
                    const struct serry_write *write, struct arena *arena,
                    int *ret_exit, struct error *err)
{
    struct serry_placed *placed;
    int rc;

    if (serry_place(live->client, &piece->document, write, &placed,
                    &live->err) < 0) {
        if (live->err.findings_json == NULL)
            return live_failed(live, err);
        *ret_exit = serry_status_exit_code(live->err.status);
        return show_refusal(live, piece, arena, err);
    }
    rc = show_placed(live, placed, arena, err);
    serry_free(placed);
    return rc;
}

int place_piece(struct live *live, const struct piece *piece,
                const struct serry_write *write, int *ret_exit,
                struct error *err)
{
    struct arena *arena = arena_new(ANSWER_BYTES_MAX);
    int rc;

    if (arena == NULL)
        return error_exhausted(err);
    rc = place_in(live, piece, write, arena, ret_exit, err);
    arena_free(arena);
    if (rc == 0)
        rc = output_flush(&live->v->out, err);
    return rc;
}

/* ---- the command --------------------------------------------------------- */

static int check_pieces(const struct pieces *pieces, bool expects,
                        struct error *err)
{
    for (size_t i = 0; i < pieces->n; i++)
        if (pieces->items[i].kind != DOCUMENT_DEPLOYMENT)
            return tree_error(pieces->items[i].tree, err, STATUS_INVALID,
                              "not a deployment; serry apply takes "
                              "declarations and deployments");
    if (expects && pieces->n != 1)
        return error_set(err, STATUS_INVALID,
                         "%zu deployments; --expect is for one", pieces->n);
    return 0;
}

/* Stops at the first that is not placed. */
static int place_all(struct live *live, int *ret_exit, struct error *err)
{
    struct serry_generation room;
    struct serry_write write = { 0 };
    struct pieces pieces;

    *ret_exit =
        live_option_generation(live->v, "expect", &room, &write.expected);
    if (*ret_exit != EXIT_OK)
        return 0;
    if (from_read_live(live, &pieces, err) < 0 ||
        check_pieces(&pieces, write.expected != NULL, err) < 0)
        return -1;
    live->v->out.documents = pieces.n > 1;
    for (size_t i = 0; i < pieces.n && *ret_exit == EXIT_OK; i++)
        if (place_piece(live, &pieces.items[i], &write, ret_exit, err) < 0)
            return -1;
    return 0;
}

static int run_place(struct invocation *v)
{
    int rc = from_named(v);

    return rc != EXIT_OK ? rc : live_run(v, place_all);
}

static const struct option_row options[] = {
    LIVE_OPTION_FILE,
    FROM_OPTIONS,
    LIVE_OPTION_EXPECT,
    LIVE_OPTION_ADDRESS,
};

const struct command command_place = {
    .name = "place",
    .arguments = "-f FILE...",
    .help = "put deployments in force, each under its name",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .max_operands = -1,
    .run = run_place,
};
