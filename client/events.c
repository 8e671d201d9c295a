/* SPDX-License-Identifier: Apache-2.0 */
/* serry events: what happened. */
#include "client/events.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    EVENTS_DEFAULT = 100,
    EVENTS_MAX = 1000000,
    PAGE_MAX = 1000, /* of one call */
};

/* ---- one event ----------------------------------------------------------- */

static void event_line(struct output *out, const struct serry_event *event)
{
    char time[LIVE_WORD], position[LIVE_WORD];

    output_put(out, STYLE_DIM, live_time(event->time_ms, time));
    output_printf(out, STYLE_PLAIN, "  %-8s  %-14s",
                  live_generation(&event->position, position), event->what);
    output_put(out, STYLE_PLAIN, "  ");
    output_put(out, STYLE_NAME, event->subject);
    if (event->detail[0] != '\0') {
        output_put(out, STYLE_PLAIN, "  ");
        output_put(out, STYLE_PLAIN, event->detail);
    }
    if (event->who[0] != '\0') {
        output_put(out, STYLE_DIM, "  by ");
        output_put(out, STYLE_DIM, event->who);
    }
    output_line(out);
}

struct tree *event_make(struct tree_maker *maker, struct tree *list,
                        const struct serry_event *event)
{
    struct tree *map = make_map(maker, list, NULL);

    make_int(maker, map, "sequence", (int64_t)event->sequence);
    live_make_generation(maker, map, "position", &event->position);
    make_int(maker, map, "time_ms", event->time_ms);
    make_string(maker, map, "who", event->who);
    make_string(maker, map, "what", event->what);
    make_string(maker, map, "subject", event->subject);
    make_string(maker, map, "detail", event->detail);
    return map;
}

int event_print(struct live *live, const struct serry_event *event,
                struct error *err)
{
    struct arena *arena = live->v->arena;
    struct arena_mark mark = arena_mark(arena);
    struct tree_maker maker = { .arena = arena };
    int rc = 0;

    if (live->v->out.format == FORMAT_TABLE)
        event_line(&live->v->out, event);
    else
        rc = live_document(live, &maker, event_make(&maker, NULL, event), err);
    arena_rewind(arena, mark);
    return rc;
}

/* ---- the command --------------------------------------------------------- */

/* Pages of the history, the newest first. */
struct history {
    struct serry_events **pages;
    size_t n_pages, n_events;
};

static int fetch(struct live *live, uint64_t limit, struct history *history,
                 struct error *err)
{
    uint64_t before = 0;

    history->pages = arena_array(live->v->arena, limit / PAGE_MAX + 2,
                                 sizeof(*history->pages));
    if (history->pages == NULL)
        return error_exhausted(err);
    while (history->n_events < limit) {
        uint64_t left = limit - history->n_events;
        uint32_t most = left < PAGE_MAX ? (uint32_t)left : PAGE_MAX;
        struct serry_events *page;

        if (serry_events(live->client, before, most, &page, &live->err) < 0)
            return live_failed(live, err);
        history->pages[history->n_pages++] = page;
        history->n_events += page->count;
        if (page->count < most)
            break;
        before = page->items[page->count - 1]->sequence;
    }
    return 0;
}

/* The oldest first, as watch goes on. */
static int print_history(struct live *live, const struct history *history,
                         struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    bool table = live->v->out.format == FORMAT_TABLE;
    struct tree *map = make_map(&maker, NULL, NULL);
    struct tree *list = make_list(&maker, map, "events");

    for (size_t p = history->n_pages; p-- > 0;)
        for (size_t i = history->pages[p]->count; i-- > 0;)
            if (table)
                event_line(&live->v->out, history->pages[p]->items[i]);
            else
                event_make(&maker, list, history->pages[p]->items[i]);
    return table ? 0 : live_document(live, &maker, map, err);
}

static int events(struct live *live, int *ret_exit, struct error *err)
{
    struct history history = { 0 };
    uint64_t limit = EVENTS_DEFAULT;
    int rc;

    *ret_exit = live_option_number(live->v, "limit", EVENTS_MAX, &limit);
    if (*ret_exit != EXIT_OK)
        return 0;
    rc = fetch(live, limit, &history, err);
    if (rc == 0)
        rc = print_history(live, &history, err);
    for (size_t p = 0; p < history.n_pages; p++)
        serry_free(history.pages[p]);
    return rc;
}

static int run_events(struct invocation *v)
{
    return live_run(v, events);
}

/* clang-format off */
static const struct option_row options[] = {
    { "limit", 0, "N", "the last N events; default: 100" },
    LIVE_OPTION_ADDRESS,
};
/* clang-format on */

const struct command command_events = {
    .name = "events",
    .arguments = "",
    .help = "print what happened, the newest last",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .run = run_events,
};
