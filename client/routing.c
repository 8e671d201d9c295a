/* SPDX-License-Identifier: Apache-2.0 */
/* serry routing: which workers run which node of a placement. */
#include "client/live.h"

#include <inttypes.h>
#include <stdlib.h>

#include "placement/runs.h"

enum {
    COLUMNS = 6,
    SHOWN = 8,       /* instances in a cell, runs of ranks in one of them */
    LISTED_MAX = 256 /* numbers of a JSON list; longer ones are runs */
};

/* ---- documents ----------------------------------------------------------- */

static int make_runs(struct tree_maker *maker, struct tree *map,
                     const char *key, const uint32_t *numbers, size_t n,
                     struct error *err)
{
    struct tree *list = make_list(maker, map, key);
    struct runs runs;

    if (runs_encode(maker->arena, numbers, n, &runs, err) < 0)
        return -1;
    for (size_t i = 0; i < runs.count; i++) {
        const struct run *run = &runs.items[i];
        struct tree *item = make_map(maker, list, NULL);
        struct tree *dims = make_list(maker, item, "dims");

        make_int(maker, item, "start", run->start);
        for (int d = 0; d < run->n_dims; d++) {
            struct tree *dim = make_map(maker, dims, NULL);

            make_int(maker, dim, "count", run->dims[d].count);
            make_int(maker, dim, "stride", run->dims[d].stride);
        }
    }
    return 0;
}

static int make_workers(struct tree_maker *maker, struct tree *map,
                        const struct serry_replicas *r, struct error *err)
{
    size_t n = (size_t)r->size * r->instances;
    struct tree *list;

    if (n > LISTED_MAX)
        return make_runs(maker, map, "workers_runs", r->ranks, n, err);
    list = make_list(maker, map, "workers");
    for (uint32_t k = 0; k < r->instances; k++) {
        struct tree *workers = make_list(maker, list, NULL);

        for (uint32_t i = 0; i < r->size; i++)
            make_int(maker, workers, NULL, r->ranks[(size_t)k * r->size + i]);
    }
    return 0;
}

static int make_masked(struct tree_maker *maker, struct tree *map,
                       const struct serry_replicas *r, struct error *err)
{
    uint32_t *masked = arena_array(maker->arena, r->instances, sizeof(*masked));
    struct tree *list;
    size_t n = 0;

    if (masked == NULL)
        return error_exhausted(err);
    for (uint32_t k = 0; k < r->instances; k++)
        if (r->masked[k])
            masked[n++] = k;
    if (n > LISTED_MAX)
        return make_runs(maker, map, "masked_runs", masked, n, err);
    list = make_list(maker, map, "masked");
    for (size_t i = 0; i < n; i++)
        make_int(maker, list, NULL, masked[i]);
    return 0;
}

static int make_replicas(struct tree_maker *maker, struct tree *map,
                         const struct serry_routing *routing, struct error *err)
{
    struct tree *list = make_list(maker, map, "replicas");

    for (size_t i = 0; i < routing->n_replicas; i++) {
        const struct serry_replicas *r = &routing->replicas[i];
        struct tree *item = make_map(maker, list, NULL);

        make_int(maker, item, "group", r->group);
        make_int(maker, item, "size", r->size);
        make_int(maker, item, "instances", r->instances);
        make_int(maker, item, "usable", r->usable);
        if (make_workers(maker, item, r, err) < 0 ||
            make_masked(maker, item, r, err) < 0)
            return -1;
    }
    return 0;
}

static void make_names(struct tree_maker *maker, struct tree *map,
                       const char *key, const char *const *names, size_t n)
{
    struct tree *list = make_list(maker, map, key);

    for (size_t i = 0; i < n; i++)
        make_string(maker, list, NULL, names[i]);
}

static void make_crossings(struct tree_maker *maker, struct tree *map,
                           const struct serry_routing *routing)
{
    struct tree *list = make_list(maker, map, "crossings");

    for (size_t i = 0; i < routing->n_crossings; i++) {
        const struct serry_crossing *c = &routing->crossings[i];
        struct tree *item = make_map(maker, list, NULL);

        make_string(maker, item, "walk", c->walk);
        make_string(maker, item, "from", c->from);
        make_string(maker, item, "to", c->to);
        make_string(maker, item, "signal", c->signal);
        make_names(maker, item, "from_hosts", c->from_hosts, c->n_from_hosts);
        make_names(maker, item, "to_hosts", c->to_hosts, c->n_to_hosts);
    }
}

static int write_document(struct live *live,
                          const struct serry_routing *routing,
                          struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct tree *map = make_map(&maker, NULL, NULL), *list;

    make_string(&maker, map, "name", live->v->operands[0]);
    live_make_generation(&maker, map, "generation", &routing->generation);
    make_string(&maker, map, "state", routing->state);
    list = make_list(&maker, map, "routes");
    for (size_t i = 0; i < routing->n_routes; i++) {
        struct tree *item = make_map(&maker, list, NULL);

        make_string(&maker, item, "walk", routing->routes[i].walk);
        make_string(&maker, item, "node", routing->routes[i].node);
        make_int(&maker, item, "replicas",
                 routing->routes[i].replicas - routing->replicas);
    }
    if (make_replicas(&maker, map, routing, err) < 0)
        return -1;
    make_crossings(&maker, map, routing);
    list = make_list(&maker, map, "gone");
    for (size_t i = 0; i < routing->n_gone_named; i++)
        make_int(&maker, list, NULL, routing->gone[i]);
    make_int(&maker, map, "all_gone", (int64_t)routing->n_gone);
    return live_document(live, &maker, map, err);
}

/* ---- for people ---------------------------------------------------------- */

/* "0-3, 8" */
static void put_ranks(struct text *out, const uint32_t *ranks, size_t n)
{
    size_t i = 0;

    for (int runs = 0; i < n; runs++) {
        size_t start = i;

        if (runs == SHOWN) {
            text_printf(out, ", ... (%zu)", n);
            return;
        }
        while (i + 1 < n && ranks[i + 1] == ranks[i] + 1)
            i++;
        text_printf(out, "%s%" PRIu32, runs > 0 ? ", " : "", ranks[start]);
        if (i > start)
            text_printf(out, "-%" PRIu32, ranks[i]);
        i++;
    }
}

/* The instances that are masked, or the others: their ranks, "0-1 | 4-5". */
static void put_instances(struct text *out, const struct serry_replicas *r,
                          bool masked)
{
    uint32_t n = masked ? r->instances - r->usable : r->usable, shown = 0;

    for (uint32_t k = 0; k < r->instances && shown < n; k++) {
        if (r->masked[k] != masked)
            continue;
        if (shown == SHOWN) {
            text_printf(out, " | ... (%" PRIu32 ")", n);
            return;
        }
        text_put(out, shown++ > 0 ? " | " : "");
        put_ranks(out, r->ranks + (size_t)k * r->size, r->size);
    }
}

static const char *kept(struct live *live, struct text *text)
{
    const char *copy = arena_strdup(live->v->arena, text_string(text));

    text_close(text);
    *text = (struct text){ 0 };
    return copy != NULL ? copy : "";
}

static void fill_row(struct live *live, const struct serry_route *route,
                     struct cell *row)
{
    const struct serry_replicas *r = route->replicas;
    enum style style = r->usable > 0 ? STYLE_PLAIN : STYLE_BAD;
    struct text text = { 0 };

    row[0].text = route->walk;
    row[1] = (struct cell){ route->node, STYLE_NAME };
    text_printf(&text, "%" PRIu32, r->group);
    row[2].text = kept(live, &text);
    if (r->usable < r->instances)
        text_printf(&text, "%" PRIu32 " of ", r->usable);
    text_printf(&text, "%" PRIu32, r->instances);
    row[3] = (struct cell){ kept(live, &text), style };
    if (r->usable > 0)
        put_instances(&text, r, false);
    else
        text_put(&text, "none left");
    row[4] = (struct cell){ kept(live, &text), style };
    put_instances(&text, r, true);
    row[5] = (struct cell){ kept(live, &text), STYLE_DIM };
}

static void put_hosts(struct text *out, const char *const *hosts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : "", hosts[i]);
}

static void print_crossings(struct output *out,
                            const struct serry_routing *routing)
{
    for (size_t i = 0; i < routing->n_crossings; i++) {
        const struct serry_crossing *c = &routing->crossings[i];
        struct text text = { 0 };

        text_printf(&text, "%s of %s, %s to %s: ", c->signal, c->walk, c->from,
                    c->to);
        put_hosts(&text, c->from_hosts, c->n_from_hosts);
        text_put(&text, " to ");
        put_hosts(&text, c->to_hosts, c->n_to_hosts);
        output_paragraph(out, 0, STYLE_WARN, "crosses hosts  ", STYLE_PLAIN,
                         text_string(&text));
        text_close(&text);
    }
}

static void print_gone(struct output *out, const struct serry_routing *routing)
{
    struct text text = { 0 };

    if (routing->n_gone == 0)
        return;
    text_put(&text, "without a worker: ranks ");
    put_ranks(&text, routing->gone, routing->n_gone_named);
    if (routing->n_gone > routing->n_gone_named)
        text_printf(&text, " and %zu more",
                    routing->n_gone - routing->n_gone_named);
    output_paragraph(out, 0, STYLE_PLAIN, "", STYLE_BAD, text_string(&text));
    text_close(&text);
}

static int write_table(struct live *live, const struct serry_routing *routing,
                       struct error *err)
{
    static const char *const titles[COLUMNS] = {
        "walk", "node", "group", "instances", "workers", "masked",
    };
    struct output *out = &live->v->out;
    char room[LIVE_WORD];
    struct cell *cells = arena_array(
        live->v->arena, (routing->n_routes + 1) * COLUMNS, sizeof(*cells));

    if (cells == NULL)
        return error_exhausted(err);
    for (int c = 0; c < COLUMNS; c++)
        cells[c] = (struct cell){ titles[c], STYLE_DIM };
    for (size_t i = 0; i < routing->n_routes; i++)
        fill_row(live, &routing->routes[i], cells + (i + 1) * COLUMNS);
    output_put(out, STYLE_NAME, live->v->operands[0]);
    output_printf(out, STYLE_PLAIN, " at generation %s is %s",
                  live_generation(&routing->generation, room), routing->state);
    output_line(out);
    output_table(out, 0, cells, COLUMNS, routing->n_routes + 1, 1u << 2);
    print_gone(out, routing);
    print_crossings(out, routing);
    return 0;
}

/* ---- the command --------------------------------------------------------- */

static int routing(struct live *live, int *ret_exit, struct error *err)
{
    struct serry_routing *got;
    int rc;

    (void)ret_exit;
    if (serry_get_routing(live->client, live->v->operands[0], &got,
                          &live->err) < 0)
        return live_failed(live, err);
    if (live->v->out.format == FORMAT_TABLE)
        rc = write_table(live, got, err);
    else
        rc = write_document(live, got, err);
    serry_free(got);
    return rc;
}

static int run_routing(struct invocation *v)
{
    return live_run(v, routing);
}

static const struct option_row options[] = {
    LIVE_OPTION_ADDRESS,
};

const struct command command_routing = {
    .name = "routing",
    .arguments = "NAME",
    .help = "print which workers run which node of a placement",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 1,
    .max_operands = 1,
    .run = run_routing,
};
