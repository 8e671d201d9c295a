/* SPDX-License-Identifier: Apache-2.0 */
/* serry plan: what placing a deployment would do now, and who is in the way. */
#include <inttypes.h>
#include <string.h>

#include "client/bound.h"
#include "client/from.h"
#include "client/report.h"
#include "client/verdict.h"

enum { HOLDERS_SHOWN = 8 };

/* One deployment beside what is in force under its name. */
struct planning {
    struct live *live;
    const struct piece *piece;
    const char *name;
    struct arena *arena;
    struct serry_generation generation; /* in force; all 0: none is */
};

/* ---- for people ---------------------------------------------------------- */

static void show_holders(struct output *out, const struct tree *binding)
{
    const struct tree *holders = tree_get(binding, "holders");
    struct text line = { 0 };
    size_t n = 0;

    for (const struct tree *t = tree_first(holders); t != NULL; t = t->next) {
        if (n++ == HOLDERS_SHOWN) {
            text_printf(&line, " and %zu more",
                        tree_count(holders) - HOLDERS_SHOWN);
            break;
        }
        text_printf(&line, "%s%s %" PRId64, n > 1 ? ", " : "",
                    tree_text(t, "placement"), tree_int(t, "devices", 0));
    }
    if (n > 0)
        output_paragraph(out, 2, STYLE_DIM, "held by   ", STYLE_PLAIN,
                         text_string(&line));
    text_close(&line);
}

static void show_refused(struct planning *p, const struct tree *binding)
{
    struct output *out = &p->live->v->out;
    const struct tree *evict = tree_get(binding, "evict");
    const struct tree *refused = tree_get(binding, "refused");
    struct text line = { 0 };

    text_printf(&line, "%s: %s", p->name, tree_text(refused, "reason"));
    output_paragraph(out, 0, STYLE_BAD, "no place  ", STYLE_PLAIN,
                     text_string(&line));
    text_close(&line);
    show_holders(out, binding);
    if (evict != NULL) {
        output_paragraph(out, 2, STYLE_GOOD, "evict     ", STYLE_PLAIN,
                         tree_text(evict, "say"));
        return;
    }
    for (const struct tree *t = tree_first(tree_get(refused, "fixes"));
         t != NULL; t = t->next)
        output_paragraph(out, 2, STYLE_GOOD, "try       ", STYLE_PLAIN,
                         tree_string(t));
}

static void show_fits(struct planning *p, const struct tree *verdict)
{
    struct output *out = &p->live->v->out;
    struct text line = { 0 };
    char room[LIVE_WORD];

    text_printf(&line, "%s%s%s", p->name,
                p->generation.revision != 0 ? " anew, now at generation "
                                            : ", which is not there yet",
                p->generation.revision != 0
                    ? live_generation(&p->generation, room)
                    : "");
    output_paragraph(out, 0, STYLE_GOOD, "would place  ", STYLE_PLAIN,
                     text_string(&line));
    text_close(&line);
    bound_show(out, verdict);
    report_doubts(out, verdict);
    output_printf(out, STYLE_DIM,
                  "to place it if nothing changed meanwhile: serry place -f "
                  "FILE --expect %s",
                  p->generation.revision != 0
                      ? live_generation(&p->generation, room)
                      : "0");
    output_line(out);
}

/* ---- one deployment ------------------------------------------------------ */

/* The exit code that placing would have. */
static int exit_of(const struct tree *binding)
{
    const struct tree *refused = tree_get(binding, "refused");

    if (refused == NULL)
        return EXIT_OK;
    return strcmp(tree_text(refused, "code"), "place.not_now") == 0
               ? status_exit_code(STATUS_EXHAUSTED)
               : EXIT_REFUSED;
}

static int write_plan(struct planning *p, const struct tree *verdict,
                      struct error *err)
{
    struct tree_maker maker = { .arena = p->arena };
    struct tree *map = make_map(&maker, NULL, NULL);

    for (const struct tree *t = tree_first(verdict); t != NULL; t = t->next)
        make_copy(&maker, map, t->key, t);
    make_string(&maker, map, "name", p->name);
    live_make_generation(&maker, map, "expected", &p->generation);
    return live_document(p->live, &maker, map, err);
}

static int show_plan(struct planning *p, const char *json, int *ret_exit,
                     struct error *err)
{
    struct output *out = &p->live->v->out;
    const struct tree *verdict, *binding;
    struct answer answer;

    if (live_json(p->arena, json, &verdict, err) < 0)
        return -1;
    binding = tree_get(verdict, "binding");
    *ret_exit = strcmp(tree_text(verdict, "verdict"), "accept") == 0
                    ? exit_of(binding)
                    : EXIT_REFUSED;
    if (out->format != FORMAT_TABLE)
        return write_plan(p, verdict, err);
    if (strcmp(tree_text(verdict, "verdict"), "accept") != 0) {
        if (verdict_take(p->live, p->piece->tree, json, NULL, p->arena, &answer,
                         err) < 0)
            return -1;
        return verdict_show(out, p->name, &answer, true, p->arena, err);
    }
    if (*ret_exit == EXIT_OK)
        show_fits(p, verdict);
    else
        show_refused(p, binding);
    out->wrote_first = true;
    return 0;
}

/* The generation first: what changes after it is noticed by --expect. */
static int ask_generation(struct planning *p, struct error *err)
{
    struct serry_placement *before;
    struct live *live = p->live;

    if (serry_get_placement(live->client, p->name, &before, &live->err) == 0) {
        p->generation = before->generation;
        serry_free(before);
        return 0;
    }
    return live->err.status == SERRY_UNKNOWN_NAME ? 0 : live_failed(live, err);
}

static int plan_in(struct planning *p, int *ret_exit, struct error *err)
{
    const struct serry_wanted wanted = {
        .bind = true,
        .evict = option_given(p->live->v, "evict"),
    };
    struct serry_verdict *verdict;
    int rc;

    if (p->name == NULL)
        return tree_error(p->piece->tree, err, STATUS_INVALID,
                          "it has no name; give the key deployment or model");
    if (ask_generation(p, err) < 0)
        return -1;
    if (serry_check(p->live->client, &p->piece->document, &wanted, &verdict,
                    &p->live->err) < 0)
        return live_failed(p->live, err);
    rc = show_plan(p, verdict->json, ret_exit, err);
    serry_free(verdict);
    return rc;
}

static int plan_piece(struct live *live, const struct piece *piece,
                      int *ret_exit, struct error *err)
{
    struct planning p = { .live = live,
                          .piece = piece,
                          .name = piece_name(piece->tree),
                          .arena = arena_new(ANSWER_BYTES_MAX) };
    int rc =
        p.arena != NULL ? plan_in(&p, ret_exit, err) : error_exhausted(err);

    arena_free(p.arena);
    return rc < 0 ? -1 : output_flush(&live->v->out, err);
}

/* ---- the command --------------------------------------------------------- */

/* Each by itself, against what is in force; the worst exit code counts. */
static int plan_all(struct live *live, int *ret_exit, struct error *err)
{
    return from_each_live(live, "only deployments are placed", plan_piece,
                          ret_exit, err);
}

static int run_plan(struct invocation *v)
{
    int rc = from_named(v);

    return rc != EXIT_OK ? rc : live_run(v, plan_all);
}

/* clang-format off */
static const struct option_row options[] = {
    LIVE_OPTION_FILE,
    { "evict", 0, NULL, "where there is no room now: the fewest placements "
                        "whose release would make some" },
    FROM_OPTIONS,
    LIVE_OPTION_ADDRESS,
};
/* clang-format on */

const struct command command_plan = {
    .name = "plan",
    .arguments = "-f FILE...",
    .help = "say what placing deployments would do now, and change nothing; "
            "exits as place would",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .max_operands = -1,
    .run = run_plan,
};
