/* SPDX-License-Identifier: Apache-2.0 */
/* The events that the store kept, for those who watch across a restart. */
#include "daemon/event_load.h"

#include <stdlib.h>

#include "base/log.h"
#include "daemon/daemon.h"

struct event_load {
    struct daemon *daemon;
    struct event_ring *ring;
    struct store_pos pos;
    uint64_t oldest; /* seq of the oldest that came; 0: none did */
    void (*loaded)(void *arg);
    void *arg;
};

static void ask(struct event_load *load);

/* There is no older one. Where the first of all is here, a watcher may ask from
 * the beginning of this epoch on; else of the oldest one's commit some may be
 * forgotten. */
static void note_oldest(const struct event_load *load)
{
    struct event_ring *ring = load->ring;

    if (load->oldest > 1)
        ring->from = event_ring_at(ring, 0)->pos;
    if (load->oldest == 1 || load->pos.rev == 0)
        ring->from =
            (struct store_pos){ load->pos.epoch > 1 ? load->pos.epoch : 0, 0 };
}

static void got(void *arg, enum store_result result,
                const struct store_event *events, size_t n)
{
    struct event_load *load = arg;
    bool room = true; /* where there is none, the ring says from where on */
    struct error err;

    for (size_t i = 0; i < n && room; i++) {
        struct store_pos pos = { load->pos.epoch, events[i].rev };

        if (pos.rev > load->pos.rev)
            continue; /* it came by itself meanwhile */
        room = event_ring_add_older(load->ring, pos, &events[i]);
        if (room)
            load->oldest = events[i].seq;
    }
    if (result != STORE_OK) {
        store_result_error(result, &err);
        log_line(daemon_log(load->daemon), LOG_LEVEL_WARN,
                 "events not read back, who watches must list anew why=%s",
                 err.text);
    }
    if (!daemon_commits(load->daemon))
        return; /* the store is closing */
    if (n > 0 && room && load->oldest > 1) {
        ask(load);
        return;
    }
    if (result == STORE_OK && room)
        note_oldest(load);
    load->loaded(load->arg);
}

static void ask(struct event_load *load)
{
    struct error err;

    if (!daemon_commits(load->daemon))
        return; /* told to stop meanwhile: the store is closing */
    if (store_history(daemon_store(load->daemon), load->oldest, NULL,
                      STORE_HISTORY_MAX, got, load, &err) < 0)
        got(load, STORE_FULL, NULL, 0);
}

struct event_load *event_load(struct daemon *daemon, struct event_ring *ring,
                              struct store_pos pos, void (*loaded)(void *arg),
                              void *arg)
{
    struct event_load *load = calloc(1, sizeof(*load));

    if (load == NULL)
        return NULL;
    *load = (struct event_load){
        .daemon = daemon, .ring = ring, .pos = pos, .loaded = loaded, .arg = arg
    };
    ask(load);
    return load;
}

void event_load_free(struct event_load *load)
{
    free(load);
}
