/* SPDX-License-Identifier: Apache-2.0 */
/* serry describe: all about a placement, drawn. */
#include <inttypes.h>
#include <string.h>

#include "client/drawn.h"
#include "client/get.h"
#include "client/report.h"
#include "client/verdict.h"
#include "proto/document.h"

enum { RUNS_SHOWN = 8 }; /* of one purpose */

/* "29501 on gpu1, 29502-29503 on gpu2 and more". */
static void put_runs(const struct serry_lease *lease, struct text *out)
{
    for (size_t i = 0; i < lease->n_runs && i < RUNS_SHOWN; i++) {
        const struct serry_port_run *run = &lease->runs[i];

        text_printf(out, "%s%" PRIu32, i > 0 ? ", " : "", run->first);
        if (run->count > 1)
            text_printf(out, "-%" PRIu32, run->first + run->count - 1);
        if (run->host[0] != '\0')
            text_printf(out, " on %s", run->host);
    }
    if (lease->n_runs > RUNS_SHOWN)
        text_put(out, " and more");
}

static void describe_ports(struct output *out, const struct serry_placement *p)
{
    for (size_t i = 0; i < p->n_ports; i++) {
        struct text line = { 0 };

        text_printf(&line, "%s (%s) ", p->ports[i].purpose, p->ports[i].on);
        put_runs(&p->ports[i], &line);
        output_paragraph(out, 2, STYLE_DIM, i == 0 ? "ports  " : "       ",
                         STYLE_PLAIN, text_string(&line));
        text_close(&line);
    }
}

static void describe_head(struct output *out, const struct serry_placement *p,
                          struct arena *arena)
{
    char generation[LIVE_WORD], time[LIVE_WORD];
    struct text line = { 0 };

    text_printf(&line,
                "generation %s, %s %s%s%s, %" PRIu32 " ranks, runtime %s %s",
                live_generation(&p->generation, generation), p->state,
                live_time(p->time_ms, time), p->who[0] != '\0' ? " by " : "",
                p->who, p->ranks, p->runtime, p->runtime_version);
    output_paragraph(out, 0, STYLE_BOLD, "", STYLE_BOLD, p->name);
    output_paragraph(out, 2, STYLE_PLAIN, "", STYLE_PLAIN, text_string(&line));
    output_paragraph(out, 2, STYLE_DIM, "digest ", STYLE_DIM,
                     live_hex(arena, p->digest, SERRY_DIGEST_BYTES));
    describe_ports(out, p);
    output_line(out);
    text_close(&line);
}

/* The verdict that is in force, judged here again. What cannot be read here any
 * more is described by its verdict alone: ret->check is NULL. */
static int take(struct live *live, const struct serry_placement *p,
                struct answer *ret, struct error *err)
{
    struct arena *arena = live->v->arena;
    struct tree *documents = NULL;
    struct error why;

    if (p->document.text != NULL &&
        document_read_yaml(arena, NULL, p->document.text,
                           strlen(p->document.text), &documents, &why) < 0)
        documents = NULL;
    return verdict_take(live, tree_first(documents), p->verdict_json, NULL,
                        arena, ret, err);
}

static const char otherwise[] =
    "It is not drawn: its model or runtime is declared otherwise by now.";

static int describe_placement(struct live *live,
                              const struct serry_placement *p,
                              struct error *err)
{
    struct arena *arena = live->v->arena;
    struct output *out = &live->v->out;
    const char *const *lists;
    struct answer answer;
    size_t n_lists;

    describe_head(out, p, arena);
    if (p->verdict_json == NULL)
        return 0;
    if (command_names(live->v, "groups", &lists, &n_lists, err) < 0 ||
        take(live, p, &answer, err) < 0)
        return -1;
    if (answer.check == NULL)
        output_paragraph(out, 0, STYLE_PLAIN, "", STYLE_DIM, otherwise);
    if (n_lists > 0 && answer.check != NULL)
        return report_pictures(out, &answer, lists, n_lists, arena, err);
    return verdict_show(out, p->name, &answer, false, arena, err);
}

static int draw_placement(struct live *live, const struct serry_placement *p,
                          int *ret_exit, struct error *err)
{
    char generation[LIVE_WORD];
    const char *const *lists, *name;
    struct answer answer = { 0 };
    size_t n_lists;

    if (command_names(live->v, "groups", &lists, &n_lists, err) < 0 ||
        (p->verdict_json != NULL && take(live, p, &answer, err) < 0))
        return -1;
    if (answer.check == NULL)
        return error_set(err, STATUS_LOST, "%.64s: %s", p->name,
                         p->verdict_json != NULL
                             ? "its model or runtime is declared otherwise by "
                               "now, so it cannot be drawn"
                             : "its record cannot be read");
    name = arena_printf(live->v->arena, "%s at generation %s", p->name,
                        live_generation(&p->generation, generation));
    if (name == NULL)
        return error_exhausted(err);
    return drawn_answer(live->v, name, &answer, lists, n_lists, ret_exit, err);
}

static int describe(struct live *live, int *ret_exit, struct error *err)
{
    enum format format = live->v->out.format;
    struct serry_placement *p;
    int rc;

    if (serry_get_placement(live->client, live->v->operands[0], &p,
                            &live->err) < 0)
        return live_failed(live, err);
    if (format == FORMAT_TABLE)
        rc = describe_placement(live, p, err);
    else if (format == FORMAT_SVG)
        rc = draw_placement(live, p, ret_exit, err);
    else
        rc = placement_write(live, p, err);
    serry_free(p);
    return rc;
}

static int run_describe(struct invocation *v)
{
    return live_run(v, describe);
}

static const struct option_row options[] = {
    { "groups", 0, "NAMES",
      "draw these group lists, separated by commas (b, a+b, view.a)" },
    LIVE_OPTION_ADDRESS,
};

const struct command command_describe = {
    .name = "describe",
    .arguments = "NAME",
    .help = "print all about a placement, and draw it",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 1,
    .max_operands = 1,
    .draws = true,
    .run = run_describe,
};
