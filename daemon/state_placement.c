/* SPDX-License-Identifier: Apache-2.0 */
/* The placements in force, and those whose commit is under way. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/boot.h"
#include "daemon/daemon.h"
#include "daemon/state_parts.h"

struct names {
    const char **names;
    size_t n;
};

static void add_name(void *thing, void *arg)
{
    struct names *names = arg;
    const struct live *live = thing;

    names->names[names->n++] = live->name;
}

/* Names that a mistyped one is compared with: anyone may ask, and each takes up
 * to 12 us (of 64 letters). Of more, those with the same first letter. */
enum { NEAR_NAMES_MAX = 256, NEAR_WALK_MAX = 4096 };

struct near_names {
    const char *names[NEAR_NAMES_MAX];
    size_t n;
    char first; /* letter that they share; 0: any */
};

static void add_near_name(void *thing, void *arg)
{
    struct near_names *near = arg;
    const struct live *live = thing;

    if (near->n < NEAR_NAMES_MAX &&
        (near->first == 0 || live->name[0] == near->first))
        near->names[near->n++] = live->name;
}

struct live *state_live(struct state *state, const char *name,
                        struct error *err)
{
    struct live *live = index_find(&state->lives, name);
    struct near_names near = { .n = 0 };
    const char *nearest = NULL;

    if (live != NULL || err == NULL) /* nobody reads what would be said */
        return live;
    if (state->lives.count > NEAR_NAMES_MAX)
        near.first = name[0];
    if (state->lives.count <= NEAR_WALK_MAX) {
        index_walk(&state->lives, add_near_name, &near);
        nearest = text_nearest(name, near.names, near.n);
    }
    error_set(err, STATUS_UNKNOWN_NAME, "no placement is called %s%s%s", name,
              nearest != NULL ? "; the nearest name is " : "",
              nearest != NULL ? nearest : "");
    return NULL;
}

size_t state_live_count(const struct state *state)
{
    return state->lives.count;
}

void state_live_walk(struct state *state, void (*visit)(void *live, void *arg),
                     void *arg)
{
    index_walk(&state->lives, visit, arg);
}

static struct live *take(struct index *index, const char *name)
{
    struct live *live = index_find(index, name);

    if (live != NULL)
        index_remove(index, live);
    return live;
}

/* A placement whose commit is under way. The few there are at a time are told
 * apart by their records, byte for byte. */
struct prepared {
    struct prepared *next;
    uint64_t ticket;
    struct live *live;
    uint8_t *body;
    size_t len;
};

uint64_t state_prepare(struct state *state, struct live *live, uint8_t *body,
                       size_t len)
{
    struct prepared *prepared = calloc(1, sizeof(*prepared));

    if (prepared == NULL) {
        free(body);
        return 0;
    }
    *prepared = (struct prepared){ .next = state->prepared,
                                   .ticket = ++state->last_ticket,
                                   .live = live,
                                   .body = body,
                                   .len = len };
    state->prepared = prepared;
    return prepared->ticket;
}

void state_prepared_walk(struct state *state,
                         void (*visit)(void *live, void *arg), void *arg)
{
    for (struct prepared *p = state->prepared; p != NULL; p = p->next)
        visit(p->live, arg);
}

/* Unlinks *at and gives what was prepared. */
static struct live *take_prepared(struct prepared **at)
{
    struct prepared *prepared = *at;
    struct live *live = prepared->live;

    *at = prepared->next;
    free(prepared->body);
    free(prepared);
    return live;
}

static struct live *find_prepared(struct state *state,
                                  const struct store_record *record)
{
    for (struct prepared **at = &state->prepared; *at != NULL;
         at = &(*at)->next)
        if ((*at)->len == record->len &&
            strcmp((*at)->live->name, record->id) == 0 &&
            memcmp((*at)->body, record->body, record->len) == 0)
            return take_prepared(at);
    return NULL;
}

void state_unprepare(struct state *state, uint64_t ticket)
{
    for (struct prepared **at = &state->prepared; *at != NULL;
         at = &(*at)->next)
        if ((*at)->ticket == ticket) {
            live_free(&state->declared, take_prepared(at));
            return;
        }
}

/* ---- following ----------------------------------------------------------- */

const struct port_ended *state_ended(const struct state *state,
                                     const char *name)
{
    return index_find(&state->ended, name);
}

void state_ended_walk(struct state *state,
                      void (*visit)(void *ended, void *arg), void *arg)
{
    index_walk(&state->ended, visit, arg);
}

static void forget_ended(struct state *state, const char *name)
{
    struct port_ended *ended = index_find(&state->ended, name);

    if (ended == NULL)
        return;
    index_remove(&state->ended, ended);
    port_ended_free(ended);
}

static void follow_ended(struct state *state, const struct store_record *record)
{
    struct port_ended *ended = port_ended_read(state->inventory, record);

    if (ended != NULL && index_add(&state->ended, ended) < 0)
        port_ended_free(ended);
}

/* A record of the generation that is in force, where only ports may be others.
 */
static bool follow_ports(struct state *state, const struct store_record *record)
{
    struct live *live = index_find(&state->lives, record->id);
    Serried__V1__PlacementRecord *message;
    struct error ignored;
    bool followed;

    if (live == NULL || record->gone || record->generation_rev == 0 ||
        live->generation.epoch != record->generation_epoch ||
        live->generation.rev != record->generation_rev)
        return false;
    message =
        serried__v1__placement_record__unpack(NULL, record->len, record->body);
    followed = message != NULL &&
               port_leases_read(live, state->inventory, message, &ignored) == 0;
    if (message != NULL)
        serried__v1__placement_record__free_unpacked(message, NULL);
    if (!followed)
        return false;
    live->rev = record->rev;
    if (state->boots != NULL)
        boots_tell_ports(state->boots, live);
    return true;
}

static bool was_released(const struct store_record *record)
{
    return strcmp(record->state, PORT_STATE_RELEASED) == 0;
}

void state_follow_placement(struct state *state,
                            const struct store_record *record)
{
    struct error err = { 0 };
    struct live *live;

    if (follow_ports(state, record))
        return;
    live_free(&state->declared, take(&state->lives, record->id));
    forget_ended(state, record->id);
    if (record->gone)
        return;
    if (was_released(record)) {
        follow_ended(state, record);
        return;
    }
    live = find_prepared(state, record);
    if (live != NULL)
        live->decided_here = true;
    else
        live = live_of_record(&state->declared, state->inventory, record, &err);
    if (live == NULL) {
        log_line(daemon_log(state->daemon), LOG_LEVEL_ERROR,
                 "placement unreadable name=%s reason=%s", record->id,
                 err.text);
        live = live_broken(state->inventory, record);
    }
    if (live == NULL)
        return;
    live->generation =
        (struct store_pos){ record->generation_epoch, record->generation_rev };
    live->rev = record->rev;
    if (index_add(&state->lives, live) < 0)
        live_free(&state->declared, live);
}

static void drop_lives(struct state *state)
{
    struct index *index = &state->lives;
    struct names names = { 0 };

    names.names = calloc(index->count + 1, sizeof(*names.names));
    if (names.names == NULL)
        return;
    index_walk(index, add_name, &names);
    for (size_t i = 0; i < names.n; i++)
        live_free(&state->declared, take(index, names.names[i]));
    free(names.names);
}

void state_forget_placements(struct state *state)
{
    drop_lives(state);
    index_clear(&state->ended, port_ended_free);
    while (state->prepared != NULL)
        live_free(&state->declared, take_prepared(&state->prepared));
}
