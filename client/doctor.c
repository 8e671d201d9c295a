/* SPDX-License-Identifier: Apache-2.0 */
/* serry doctor: what is wrong with the daemon and its placements, what is to be
 * done next, and beside it who is there and who is waited for. */
#include "client/doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/trouble.h"

enum { DEADLINE_MS = 3000 };

/* ---- values -------------------------------------------------------------- */

/* The number of a key as a cell; NULL, an empty one, where there is none. */
static const char *cell_number(struct arena *arena, const struct tree *map,
                               const char *key)
{
    return tree_get(map, key) == NULL
               ? NULL
               : arena_printf(arena, "%" PRId64, tree_int(map, key, 0));
}

static const char *cell_seconds(struct arena *arena, const struct tree *map,
                                const char *key)
{
    return tree_get(map, key) == NULL
               ? NULL
               : arena_printf(arena, "%" PRId64 " s",
                              tree_int(map, key, 0) / 1000);
}

/* ---- findings ------------------------------------------------------------ */

static enum style style_of(const char *weight)
{
    static const enum style styles[] = {
        [TROUBLE_ERROR_WEIGHT] = STYLE_BAD,
        [TROUBLE_WARNING_WEIGHT] = STYLE_WARN,
        [TROUBLE_NOTE_WEIGHT] = STYLE_DIM,
    };

    for (size_t i = 0; i < ARRAY_LEN(styles); i++)
        if (strcmp(weight, trouble_weight_name((enum trouble_weight)i)) == 0)
            return styles[i];
    return STYLE_PLAIN;
}

static void show_finding(struct output *out, const struct tree *finding)
{
    const char *weight = tree_text(finding, "weight");

    output_printf(out, style_of(weight), "%-8s", weight);
    output_put(out, STYLE_PLAIN, " ");
    output_put(out, STYLE_BOLD, tree_text(finding, "code"));
    output_line(out);
    output_paragraph(out, 2, STYLE_PLAIN, "", STYLE_PLAIN,
                     tree_text(finding, "what"));
    output_paragraph(out, 2, STYLE_GOOD, "next: ", STYLE_PLAIN,
                     tree_text(finding, "next"));
}

static void show_findings(struct output *out, const struct tree *report)
{
    const struct tree *findings = tree_get(report, "findings");
    int64_t left_out = tree_int(report, "findings_left_out", 0);

    if (tree_true(report, "healthy")) {
        output_put(out, STYLE_GOOD, "healthy");
        output_line(out);
    }
    for (const struct tree *t = tree_first(findings); t != NULL; t = t->next)
        show_finding(out, t);
    if (left_out > 0) {
        output_printf(out, STYLE_WARN, "and %" PRId64 " more", left_out);
        output_line(out);
    }
}

/* ---- tables -------------------------------------------------------------- */

/* A heading and what a row has below it. */
struct column {
    const char *title, *key;
    enum { COLUMN_WORD, COLUMN_NUMBER, COLUMN_SECONDS } kind;
};

static int show_table(struct live *live, const struct tree *list,
                      const struct column *columns, int n_columns,
                      struct error *err)
{
    struct arena *arena = live->v->arena;
    size_t n = tree_count(list), at = 0;
    struct cell *cells =
        arena_array(arena, (n + 1) * (size_t)n_columns, sizeof(*cells));
    unsigned right = 0;

    if (cells == NULL)
        return error_exhausted(err);
    if (n == 0)
        return 0;
    for (int c = 0; c < n_columns; c++) {
        cells[at++] = (struct cell){ columns[c].title, STYLE_DIM };
        right |= columns[c].kind != COLUMN_WORD ? 1u << c : 0;
    }
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        for (int c = 0; c < n_columns; c++) {
            const char *key = columns[c].key;

            cells[at++].text = columns[c].kind == COLUMN_WORD
                                   ? tree_text(t, key)
                               : columns[c].kind == COLUMN_NUMBER
                                   ? cell_number(arena, t, key)
                                   : cell_seconds(arena, t, key);
        }
    output_line(&live->v->out);
    output_table(&live->v->out, 2, cells, n_columns, n + 1, right);
    return 0;
}

static int show_placements(struct live *live, const struct tree *report,
                           struct error *err)
{
    static const struct column columns[] = {
        { "placement", "name", COLUMN_WORD },
        { "state", "state", COLUMN_WORD },
        { "ranks", "ranks", COLUMN_NUMBER },
        { "joined", "joined", COLUMN_NUMBER },
        { "missing", "missing", COLUMN_NUMBER },
        { "lost", "lost", COLUMN_NUMBER },
        { "left", "left", COLUMN_NUMBER },
        { "booting", "booting_ms", COLUMN_SECONDS },
    };

    return show_table(live, tree_get(report, "placements"), columns,
                      ARRAY_LEN(columns), err);
}

/* Of one placement: whom it waits for, and who was refused. */
static int show_ranks(struct live *live, const struct tree *placement,
                      struct error *err)
{
    static const struct column waits[] = {
        { "waits for", "rank", COLUMN_NUMBER },
        { "which", "state", COLUMN_WORD },
        { "on", "host", COLUMN_WORD },
        { "a host that is", "host_state", COLUMN_WORD },
        { "silent for", "silent_ms", COLUMN_SECONDS },
    };
    static const struct column refused[] = {
        { "refused", "rank", COLUMN_NUMBER },
        { "times", "count", COLUMN_NUMBER },
        { "by", "who", COLUMN_WORD },
        { "because", "reason", COLUMN_WORD },
    };

    if (show_table(live, tree_get(placement, "waits_for"), waits,
                   ARRAY_LEN(waits), err) < 0)
        return -1;
    return show_table(live, tree_get(placement, "refused"), refused,
                      ARRAY_LEN(refused), err);
}

static void show_daemon(struct output *out, const struct tree *report)
{
    const struct tree *daemon = tree_get(report, "daemon");
    const struct tree *tried = tree_get(report, "tried");
    char room[LIVE_WORD];

    output_line(out);
    if (tried != NULL) {
        output_printf(out, STYLE_DIM, "asked %s, from ",
                      tree_text(tried, "address"));
        output_put(out, STYLE_DIM, tree_text(tried, "from"));
    } else {
        output_printf(out, STYLE_DIM, "serried %s at ",
                      tree_text(daemon, "version"));
        output_put(out, STYLE_DIM, tree_text(daemon, "address"));
        output_printf(out, STYLE_DIM, ", since %s",
                      live_time(tree_int(daemon, "started_ms", 0), room));
    }
    output_line(out);
}

static int show_report(struct live *live, const struct tree *report,
                       struct error *err)
{
    struct output *out = &live->v->out;

    if (out->format != FORMAT_TABLE)
        return output_document(out, report, err);
    show_findings(out, report);
    if (show_placements(live, report, err) < 0)
        return -1;
    if (live->v->n_operands > 0 &&
        show_ranks(live, tree_first(tree_get(report, "placements")), err) < 0)
        return -1;
    show_daemon(out, report);
    return 0;
}

/* ---- the command --------------------------------------------------------- */

static int doctor(struct live *live, int *ret_exit, struct error *err)
{
    const char *placement =
        live->v->n_operands > 0 ? live->v->operands[0] : NULL;
    struct tree_maker maker = { .arena = live->v->arena };
    struct serry_diagnosis *diagnosis;
    const struct tree *report;
    enum status status;
    int rc;

    serry_set_deadline(live->client, DEADLINE_MS);
    if (serry_diagnose(live->client, placement, &diagnosis, &live->err) == 0) {
        *ret_exit = diagnosis->healthy ? EXIT_OK : EXIT_REPORTED;
        rc = live_json(live->v->arena, diagnosis->json, &report, err);
        if (rc == 0)
            rc = show_report(live, report, err);
        serry_free(diagnosis);
        return rc;
    }
    if (!doctor_is_away(live))
        return live_failed(live, err);
    report = doctor_away(live, &maker, &status);
    if (maker.failed)
        return error_exhausted(err);
    *ret_exit = status_exit_code(status);
    return show_report(live, report, err);
}

static int run_doctor(struct invocation *v)
{
    return live_run(v, doctor);
}

static const struct option_row options[] = {
    LIVE_OPTION_ADDRESS,
};

const struct command command_doctor = {
    .name = "doctor",
    .arguments = "[PLACEMENT]",
    .help = "say what is wrong with the daemon and its placements, and what "
            "to do next; exit code 1 when there is anything",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .max_operands = 1,
    .run = run_doctor,
};
