/* SPDX-License-Identifier: Apache-2.0 */
/* serry suggest: which sizes to run a model with. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/live.h"
#include "client/setting.h"
#include "placement/synthetic.h"
#include "proto/answer.h"
#include "proto/document.h"

enum { GIB_MOST = 1 << 20 }; /* of --memory */
#define GIB_LEAST 0.001

struct suggesting {
    struct invocation *v;
    struct live *live; /* whom to ask; NULL: nobody */
    struct tree_maker maker;
    const char *objective; /* as typed; NULL: none was */
    struct suggest_wants wants;
    int64_t world;
    bool sizes_given;            /* some, by --set */
    const struct tree *document; /* the request that leaves sizes open */
    const struct tree *answer;
    size_t valid;
};

/* ---- the question -------------------------------------------------------- */

/* Above 0; *ret is as before without the option. */
static int read_memory(const struct invocation *v, double *ret,
                       struct error *err)
{
    const char *text = option_value(v, "memory");
    char *end;
    double gib;

    if (text == NULL)
        return 0;
    errno = 0;
    gib = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' || !(gib >= GIB_LEAST) ||
        gib > GIB_MOST)
        return error_set(err, STATUS_INVALID,
                         "--memory: \"%.64s\" is not a number of GiB from %g "
                         "to %d",
                         text, GIB_LEAST, GIB_MOST);
    *ret = gib;
    return 0;
}

static int read_wants(struct suggesting *s, int *ret_exit, struct error *err)
{
    uint64_t most = 0;

    *ret_exit = live_option_number(s->v, "most", SUGGEST_TRIED_MAX, &most);
    if (*ret_exit != EXIT_OK)
        return 0;
    s->wants.most = (size_t)most;
    s->objective = option_value(s->v, "objective");
    if (answer_objective(s->objective, &s->wants.objective, err) < 0 ||
        setting_world(option_value(s->v, "world"), &s->world, err) < 0)
        return -1;
    return read_memory(s->v, &s->wants.memory_gib, err);
}

/* The request: the model on all ranks, with what --set says. */
static int make_question(struct suggesting *s, struct catalog *catalog,
                         struct error *err)
{
    const struct model *model = catalog_model(catalog, s->v->operands[0], err);
    const char *name = option_value(s->v, "runtime");
    const struct runtime *rt;
    struct settings set;
    struct tree *document;

    if (model == NULL)
        return -1;
    if (name == NULL)
        name = model->runtime;
    if (name == NULL)
        return error_set(err, STATUS_INVALID,
                         "the model %s names no runtime; give one with "
                         "--runtime",
                         model->name);
    rt = catalog_runtime(catalog, name, err);
    if (rt == NULL || settings_read(&set, s->v, rt, &s->maker, err) < 0)
        return -1;
    s->sizes_given = tree_entries(set.sizes) != NULL;
    if (!rt->spans && model->n_nodes == 0)
        return error_set(err, STATUS_INVALID,
                         "the model %s has no nodes, which %s places",
                         model->name, rt->name);
    if (synthetic_placing(rt, model, s->world, set.sizes, set.options,
                          &s->maker, &document, err) < 0)
        return -1;
    s->document = document;
    return 0;
}

/* ---- asking -------------------------------------------------------------- */

static int ask_here(struct suggesting *s, struct catalog *catalog,
                    struct error *err)
{
    struct tree *answer;

    if (make_question(s, catalog, err) < 0 ||
        answer_suggest(catalog, s->document, &s->wants, s->v->arena, &answer,
                       &s->valid, err) < 0)
        return -1;
    s->answer = answer;
    return 0;
}

static int ask_daemon(struct suggesting *s, struct error *err)
{
    const struct serry_preference preference = {
        .objective = s->objective,
        .memory_bytes = (uint64_t)(s->wants.memory_gib * (1 << 30)),
        .most = (uint32_t)s->wants.most,
    };
    struct catalog *catalog = live_catalog(s->live, err);
    struct serry_document document = { 0 };
    struct serry_suggestions *found;
    struct text json = { 0 };
    int rc = -1;

    if (catalog == NULL || make_question(s, catalog, err) < 0)
        return -1;
    if (document_write_json(s->document, false, &json) < 0) {
        error_exhausted(err);
        goto out;
    }
    document.text = text_string(&json);
    if (serry_suggest(s->live->client, &document, &preference, &found,
                      &s->live->err) < 0) {
        live_failed(s->live, err);
        goto out;
    }
    s->valid = found->valid;
    rc = live_json(s->v->arena, found->json, &s->answer, err);
    serry_free(found);
out:
    text_close(&json);
    return rc;
}

/* ---- for people ---------------------------------------------------------- */

/* "tp 4, ulysses 4, padding relaxed" */
static void put_set(const struct suggesting *s, const struct tree *map,
                    struct text *out)
{
    const struct tree *set = tree_get(map, "set");

    for (const struct tree *t = tree_entries(set); t != NULL; t = t->next) {
        text_printf(out, "%s%s ", t != tree_entries(set) ? ", " : "", t->key);
        if (t->type == TREE_STRING)
            text_put(out, t->text);
        else
            document_write_json(t, false, out);
    }
    if (tree_entries(set) == NULL)
        text_put(out,
                 s->sizes_given ? "only what is set already" : "every size 1");
}

static void print_list(struct suggesting *s, const char *key)
{
    struct output *out = &s->v->out;
    const struct tree *list = tree_get(s->answer, key);
    int number = 1;

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        struct text text = { 0 };
        char label[32];

        snprintf(label, sizeof(label), "%2d. ", number++);
        put_set(s, t, &text);
        if (tree_get(t, "world") != NULL)
            snprintf(label, sizeof(label),
                     "%" PRId64 " ranks: ", tree_int(t, "world", 0));
        output_paragraph(out, 2, STYLE_GOOD, label, STYLE_BOLD,
                         text_string(&text));
        output_paragraph(out, 6, STYLE_PLAIN, "", STYLE_PLAIN,
                         tree_text(t, "say"));
        text_close(&text);
    }
}

static void print_fallen(struct suggesting *s)
{
    struct output *out = &s->v->out;
    const struct tree *list = tree_get(s->answer, "fell_out");
    int width = 0; /* of the largest count */

    if (tree_first(list) != NULL)
        output_paragraph(out, 0, STYLE_DIM, "what fell out:", STYLE_PLAIN, "");
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        int digits = snprintf(NULL, 0, "%" PRId64, tree_int(t, "count", 0));

        width = digits > width ? digits : width;
    }
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        const char *say = tree_text(t, "say");
        struct text text = { 0 };
        char label[32];

        snprintf(label, sizeof(label), "%*" PRId64 "  ", width,
                 tree_int(t, "count", 0));
        text_printf(&text, "%s%s%s", tree_text(t, "code"),
                    say[0] != '\0' ? ": " : "", say);
        output_paragraph(out, 2, STYLE_PLAIN, label, STYLE_PLAIN,
                         text_string(&text));
        text_close(&text);
    }
}

static void print_ends(struct suggesting *s)
{
    struct output *out = &s->v->out;
    const struct tree *notes = tree_get(s->answer, "notes");

    for (const struct tree *t = tree_first(notes); t != NULL; t = t->next)
        output_paragraph(out, 0, STYLE_WARN, "note      ", STYLE_PLAIN,
                         tree_string(t));
    if (tree_true(s->answer, "cut"))
        output_paragraph(out, 0, STYLE_WARN, "cut       ", STYLE_PLAIN,
                         "there are more candidates than are tried; set some "
                         "sizes with --set");
    if (tree_first(tree_get(s->answer, "near")) == NULL)
        return;
    output_paragraph(out, 0, STYLE_GOOD, "would do instead:", STYLE_PLAIN, "");
    print_list(s, "near");
}

static void print_answer(struct suggesting *s)
{
    struct output *out = &s->v->out;
    size_t shown = tree_count(tree_get(s->answer, "suggestions"));

    output_printf(out, STYLE_BOLD, "%s on %" PRId64 " rank%s under %s",
                  tree_text(s->answer, "model"), s->world,
                  s->world == 1 ? "" : "s", tree_text(s->answer, "runtime"));
    output_printf(out, STYLE_PLAIN, ": %zu of %" PRId64 " candidate%s run%s",
                  s->valid, tree_int(s->answer, "tried", 0),
                  tree_int(s->answer, "tried", 0) == 1 ? "" : "s",
                  s->valid == 1 ? "s" : "");
    if (shown < s->valid)
        output_printf(out, STYLE_PLAIN, ", the best %zu by %s", shown,
                      tree_text(s->answer, "objective"));
    else if (s->valid > 1)
        output_printf(out, STYLE_PLAIN, ", the best by %s first",
                      tree_text(s->answer, "objective"));
    output_line(out);
    print_list(s, "suggestions");
    print_fallen(s);
    print_ends(s);
}

/* ---- the command --------------------------------------------------------- */

static int show(struct suggesting *s, int *ret_exit, struct error *err)
{
    *ret_exit = s->valid > 0 ? EXIT_OK : EXIT_REFUSED;
    if (s->v->out.format != FORMAT_TABLE)
        return output_document(&s->v->out, s->answer, err);
    print_answer(s);
    return 0;
}

static int suggest_live(struct live *live, int *ret_exit, struct error *err)
{
    struct suggesting s = { .v = live->v,
                            .live = live,
                            .maker = { .arena = live->v->arena } };

    if (read_wants(&s, ret_exit, err) < 0)
        return -1;
    if (*ret_exit != EXIT_OK)
        return 0;
    return ask_daemon(&s, err) < 0 ? -1 : show(&s, ret_exit, err);
}

static int suggest_here(struct invocation *v)
{
    struct suggesting s = { .v = v, .maker = { .arena = v->arena } };
    struct catalog *catalog = NULL;
    struct error err;
    int rc = EXIT_OK;

    if (read_wants(&s, &rc, &err) < 0)
        return command_failed(&err);
    if (rc != EXIT_OK)
        return rc;
    catalog = command_catalog(v, &err);
    if (catalog == NULL || ask_here(&s, catalog, &err) < 0 ||
        show(&s, &rc, &err) < 0)
        rc = command_failed(&err);
    catalog_free(catalog);
    return rc;
}

static int run_suggest(struct invocation *v)
{
    if (option_value(v, "world") == NULL)
        return command_misused(v, "--world is missing: how many ranks there "
                                  "are");
    if (live_options(v) != EXIT_OK)
        return EXIT_USAGE;
    return live_wanted(v) ? live_run(v, suggest_live) : suggest_here(v);
}

/* clang-format off */
static const struct option_row options[] = {
    { "runtime",   0, "NAME", "the framework; default: the model's" },
    { "world",     0, "N",    "number of ranks" },
    { "memory",    0, "GIB",  "leave out what is not known to fit into this "
                              "much memory of a rank" },
    { "objective", 0, "WORD", "memory (default): the smallest peak first; "
                              "latency: the fastest step; throughput: the most "
                              "steps a second of all replicas" },
    { "set",       0, "NAME=VALUE", "keep an axis at a size, or an option at a "
                              "value; may be repeated" },
    { "most",      0, "N",    "name this many; default: 8" },
    { "offline",   0, NULL,   "judge here, with the declarations built in, and "
                              "ask no daemon" },
    LIVE_OPTION_ADDRESS,
};
/* clang-format on */

const struct command command_suggest = {
    .name = "suggest",
    .arguments = "MODEL --world N",
    .help = "rank the sizes that a model can run with, and say why",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 1,
    .max_operands = 1,
    .run = run_suggest,
};
