/* SPDX-License-Identifier: Apache-2.0 */
/* serry get: what is declared and what is placed. */
#include "client/get.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client/host.h"

enum {
    HASH_SHOWN = 12, /* digits, for people */
    PLACEMENT_COLUMNS = 7,
    DECLARATION_COLUMNS = 3,
};

static const char *copy(struct live *live, const char *text)
{
    const char *mine = arena_strdup(live->v->arena, text);

    return mine != NULL ? mine : "";
}

/* ---- placements ---------------------------------------------------------- */

static void make_info(struct tree_maker *maker, struct tree *map,
                      const struct serry_placement *p)
{
    make_string(maker, map, "name", p->name);
    live_make_generation(maker, map, "generation", &p->generation);
    make_string(maker, map, "state", p->state);
    make_string(maker, map, "model", p->model);
    make_string(maker, map, "runtime", p->runtime);
    make_string(maker, map, "runtime_version", p->runtime_version);
    make_int(maker, map, "time_ms", p->time_ms);
    make_string(maker, map, "who", p->who);
    make_int(maker, map, "ranks", p->ranks);
    live_make_hex(maker, map, "digest", p->digest, SERRY_DIGEST_BYTES);
}

static void fill_placement(struct live *live, const struct serry_placement *p,
                           struct cell *row)
{
    char room[LIVE_WORD];
    struct text text = { 0 };

    row[0] = (struct cell){ p->name, STYLE_NAME };
    row[1].text = copy(live, live_generation(&p->generation, room));
    row[2].text = p->state;
    row[3].text = p->model;
    text_printf(&text, "%s%s%s", p->runtime,
                p->runtime_version[0] != '\0' ? " " : "", p->runtime_version);
    row[4].text = copy(live, text_string(&text));
    text_close(&text);
    snprintf(room, sizeof(room), "%" PRIu32, p->ranks);
    row[5].text = copy(live, room);
    row[6].text = copy(live, live_time(p->time_ms, room));
}

static int show_placements(struct live *live,
                           const struct serry_placement *const *items, size_t n,
                           struct error *err)
{
    static const char *const titles[PLACEMENT_COLUMNS] = {
        "placement", "gen", "state", "model", "runtime", "ranks", "placed",
    };
    struct cell *cells = arena_array(
        live->v->arena, (n + 1) * PLACEMENT_COLUMNS, sizeof(*cells));

    if (cells == NULL)
        return error_exhausted(err);
    for (int c = 0; c < PLACEMENT_COLUMNS; c++)
        cells[c] = (struct cell){ titles[c], STYLE_DIM };
    for (size_t i = 0; i < n; i++)
        fill_placement(live, items[i], cells + (i + 1) * PLACEMENT_COLUMNS);
    output_table(&live->v->out, 0, cells, PLACEMENT_COLUMNS, n + 1, 1u << 5);
    return 0;
}

static int list_placements(struct live *live, struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct serry_placements *all;
    struct tree *map, *list;
    int rc;

    if (serry_list_placements(live->client, &all, &live->err) < 0)
        return live_failed(live, err);
    if (live->v->out.format == FORMAT_TABLE) {
        rc = show_placements(live, all->items, all->count, err);
    } else {
        map = make_map(&maker, NULL, NULL);
        list = make_list(&maker, map, "placements");
        for (size_t i = 0; i < all->count; i++)
            make_info(&maker, make_map(&maker, list, NULL), all->items[i]);
        rc = live_document(live, &maker, map, err);
    }
    serry_free(all);
    return rc;
}

static void make_ports(struct tree_maker *maker, struct tree *map,
                       const struct serry_placement *p)
{
    struct tree *list = make_list(maker, map, "ports");

    for (size_t i = 0; i < p->n_ports; i++) {
        const struct serry_lease *lease = &p->ports[i];
        struct tree *one = make_map(maker, list, NULL), *runs;

        make_string(maker, one, "purpose", lease->purpose);
        make_string(maker, one, "on", lease->on);
        make_int(maker, one, "seats", lease->seats);
        runs = make_list(maker, one, "runs");
        for (size_t k = 0; k < lease->n_runs; k++) {
            struct tree *run = make_map(maker, runs, NULL);

            if (lease->runs[k].host[0] != '\0')
                make_string(maker, run, "host", lease->runs[k].host);
            make_int(maker, run, "first", lease->runs[k].first);
            make_int(maker, run, "count", lease->runs[k].count);
        }
    }
}

int placement_write(struct live *live, const struct serry_placement *p,
                    struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct tree *map = make_map(&maker, NULL, NULL), *document;
    const struct tree *verdict = NULL;

    if (p->verdict_json != NULL &&
        live_json(live->v->arena, p->verdict_json, &verdict, err) < 0)
        return -1;
    for (const struct tree *t = tree_first(verdict); t != NULL; t = t->next)
        make_copy(&maker, map, t->key, t);
    make_info(&maker, map, p);
    make_ports(&maker, map, p);
    if (p->document.text != NULL) {
        document = make_map(&maker, map, "document");
        make_string(&maker, document, "text", p->document.text);
        if (p->document.source != NULL)
            make_string(&maker, document, "source", p->document.source);
    }
    return live_document(live, &maker, map, err);
}

static int get_placement(struct live *live, const char *name, struct error *err)
{
    struct serry_placement *p;
    int rc;

    if (serry_get_placement(live->client, name, &p, &live->err) < 0)
        return live_failed(live, err);
    if (live->v->out.format == FORMAT_TABLE)
        rc = show_placements(live, (const struct serry_placement *const *)&p, 1,
                             err);
    else
        rc = placement_write(live, p, err);
    serry_free(p);
    return rc;
}

/* ---- declarations -------------------------------------------------------- */

static void make_declaration(struct tree_maker *maker, struct tree *map,
                             const struct serry_declaration *d)
{
    make_string(maker, map, "kind", d->kind);
    make_string(maker, map, "name", d->name);
    make_int(maker, map, "revision", (int64_t)d->revision);
    make_string(maker, map, "hash", d->hash);
    if (d->text != NULL)
        make_string(maker, map, "text", d->text);
}

static int show_declarations(struct live *live, const char *kind,
                             const struct serry_declarations *all,
                             struct error *err)
{
    struct cell *cells = arena_array(
        live->v->arena, (all->count + 1) * DECLARATION_COLUMNS, sizeof(*cells));
    char room[LIVE_WORD];

    if (cells == NULL)
        return error_exhausted(err);
    cells[0] = (struct cell){ kind, STYLE_DIM };
    cells[1] = (struct cell){ "revision", STYLE_DIM };
    cells[2] = (struct cell){ "hash", STYLE_DIM };
    for (size_t i = 0; i < all->count; i++) {
        const struct serry_declaration *d = all->items[i];
        struct cell *row = cells + (i + 1) * DECLARATION_COLUMNS;

        row[0] = (struct cell){ d->name, STYLE_NAME };
        snprintf(room, sizeof(room), "%" PRIu64, d->revision);
        row[1].text = d->revision == 0 ? "shipped" : copy(live, room);
        snprintf(room, sizeof(room), "%.*s", HASH_SHOWN, d->hash);
        row[2] = (struct cell){ copy(live, room), STYLE_DIM };
    }
    output_table(&live->v->out, 0, cells, DECLARATION_COLUMNS, all->count + 1,
                 0);
    return 0;
}

static int list_declarations(struct live *live, const char *kind,
                             struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct serry_declarations *all;
    struct tree *map, *list;
    int rc;

    if (serry_list_declarations(live->client, kind, &all, &live->err) < 0)
        return live_failed(live, err);
    if (live->v->out.format == FORMAT_TABLE) {
        rc = show_declarations(live, kind, all, err);
    } else {
        map = make_map(&maker, NULL, NULL);
        list = make_list(&maker, map, "declarations");
        for (size_t i = 0; i < all->count; i++)
            make_declaration(&maker, make_map(&maker, list, NULL),
                             all->items[i]);
        rc = live_document(live, &maker, map, err);
    }
    serry_free(all);
    return rc;
}

/* The text as it was declared, line by line: it may hold anything. */
static void show_text(struct output *out, const char *text)
{
    while (text[0] != '\0') {
        size_t len = strcspn(text, "\n");
        struct text line = { 0 };

        text_put_bytes(&line, text, len);
        output_put(out, STYLE_PLAIN, text_string(&line));
        output_line(out);
        text_close(&line);
        text += len + (text[len] == '\n');
    }
}

static int get_declaration(struct live *live, const char *kind,
                           const char *name, struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct serry_declaration *d;
    struct tree *map;
    int rc = 0;

    if (serry_get_declaration(live->client, kind, name, &d, &live->err) < 0)
        return live_failed(live, err);
    if (live->v->out.format == FORMAT_TABLE) {
        show_text(&live->v->out, d->text != NULL ? d->text : "");
    } else {
        map = make_map(&maker, NULL, NULL);
        make_declaration(&maker, map, d);
        rc = live_document(live, &maker, map, err);
    }
    serry_free(d);
    return rc;
}

/* ---- get ----------------------------------------------------------------- */

/* Kinds by their word; of one or of many. */
static const char *const kinds[] = { "model", "runtime", "placement", "host" };

static const char *read_kind(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        size_t len = strlen(kinds[i]);

        if (strncmp(word, kinds[i], len) == 0 &&
            (word[len] == '\0' || strcmp(word + len, "s") == 0))
            return kinds[i];
    }
    return NULL;
}

static int get(struct live *live, int *ret_exit, struct error *err)
{
    const struct invocation *v = live->v;
    const char *kind = read_kind(v->operands[0]);
    const char *name = v->n_operands > 1 ? v->operands[1] : NULL;

    (void)ret_exit;
    if (strcmp(kind, "host") == 0)
        return hosts_list(live, name, err);
    if (strcmp(kind, "placement") != 0)
        return name != NULL ? get_declaration(live, kind, name, err)
                            : list_declarations(live, kind, err);
    return name != NULL ? get_placement(live, name, err)
                        : list_placements(live, err);
}

static int run_get(struct invocation *v)
{
    if (read_kind(v->operands[0]) == NULL)
        return command_misused(v,
                               "\"%.64s\" is no kind; there are models, "
                               "runtimes, placements and hosts",
                               v->operands[0]);
    return live_run(v, get);
}

static const struct option_row options[] = {
    LIVE_OPTION_ADDRESS,
};

const struct command command_get = {
    .name = "get",
    .arguments = "KIND [NAME]",
    .help = "list models, runtimes, placements or hosts, or print one",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 1,
    .max_operands = 2,
    .run = run_get,
};
