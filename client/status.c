/* SPDX-License-Identifier: Apache-2.0 */
/* serry status: how the daemon is. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "client/live.h"

/* What there is to say, by the names of the .proto. */
static struct tree *make_status(struct tree_maker *maker,
                                const struct serry_daemon *d)
{
    struct tree *map = make_map(maker, NULL, NULL);

    make_string(maker, map, "version", d->version);
    live_make_generation(maker, map, "position", &d->position);
    make_int(maker, map, "started_ms", d->started_ms);
    make_string(maker, map, "address", d->address);
    make_int(maker, map, "models", d->models);
    make_int(maker, map, "runtimes", d->runtimes);
    make_int(maker, map, "placements", d->placements);
    make_int(maker, map, "connections", d->connections);
    make_int(maker, map, "calls", (int64_t)d->calls);
    make_int(maker, map, "refused_calls", (int64_t)d->refused_calls);
    make_int(maker, map, "calls_in_flight", d->calls_in_flight);
    make_int(maker, map, "descriptors", d->descriptors);
    make_bool(maker, map, "draining", d->draining);
    return map;
}

static void show_line(struct output *out, const char *label, const char *fmt,
                      ...) __attribute__((format(printf, 3, 4)));

static void show_line(struct output *out, const char *label, const char *fmt,
                      ...)
{
    struct text text = { 0 };
    char small[512], title[32];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(small, sizeof(small), fmt, ap);
    va_end(ap);
    snprintf(title, sizeof(title), "%-12s", label);
    text_put(&text, small);
    output_paragraph(out, 0, STYLE_DIM, title, STYLE_PLAIN, text_string(&text));
    text_close(&text);
}

static void show_status(struct output *out, const struct serry_daemon *d)
{
    char room[LIVE_WORD];

    show_line(out, "serried", "%s, %s", d->version,
              d->draining ? "stopping" : "serving");
    show_line(out, "address", "%s", d->address);
    show_line(out, "started", "%s", live_time(d->started_ms, room));
    show_line(out, "position", "%s", live_generation(&d->position, room));
    show_line(out, "placements", "%" PRIu32, d->placements);
    show_line(out, "declared", "%" PRIu32 " models, %" PRIu32 " runtimes",
              d->models, d->runtimes);
    show_line(out, "connections", "%" PRIu32 ", of %" PRIu32 " descriptors",
              d->connections, d->descriptors);
    show_line(out, "calls",
              "%" PRIu64 ", %" PRIu64 " refused, %" PRIu32 " in flight",
              d->calls, d->refused_calls, d->calls_in_flight);
}

static int status(struct live *live, int *ret_exit, struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct serry_daemon *daemon;
    int rc = 0;

    (void)ret_exit;
    if (serry_status(live->client, &daemon, &live->err) < 0)
        return live_failed(live, err);
    if (live->v->out.format != FORMAT_TABLE)
        rc = live_document(live, &maker, make_status(&maker, daemon), err);
    else
        show_status(&live->v->out, daemon);
    serry_free(daemon);
    return rc;
}

static int run_status(struct invocation *v)
{
    return live_run(v, status);
}

static const struct option_row options[] = {
    LIVE_OPTION_ADDRESS,
};

const struct command command_status = {
    .name = "status",
    .arguments = "",
    .help = "say how the daemon is",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .run = run_status,
};
