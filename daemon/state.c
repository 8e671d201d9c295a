/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon knows, in memory, kept in step with the store. */
#include "daemon/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/boot.h"
#include "daemon/daemon.h"
#include "daemon/watch.h"
#include "daemon/write.h"
#include "proto/document.h"

struct state {
    struct daemon *daemon;
    struct catalog *catalog;
    struct declared_set declared;
    struct index forces; /* struct force */
    struct index lives;  /* struct live */
    struct prepared *prepared;
    uint64_t last_ticket;
    struct index answers; /* struct kept_answer */
    struct store_pos pos;
    struct event_ring events;
    struct writes *writes;
    struct watches *watches;
    struct boots *boots;
    void (*ready)(void *arg, const struct error *err);
    void *ready_arg;
    void (*changed)(void *arg);
    void *changed_arg;
};

struct writes *state_writes(struct state *state)
{
    return state->writes;
}

struct watches *state_watches(struct state *state)
{
    return state->watches;
}

struct boots *state_boots(struct state *state)
{
    return state->boots;
}

struct store_pos state_position(const struct state *state)
{
    return state->pos;
}

struct catalog *state_catalog(struct state *state)
{
    return state->catalog;
}

struct declared_set *state_declared(struct state *state)
{
    return &state->declared;
}

/* ---- declarations -------------------------------------------------------- */

static const char *force_key(enum document_kind kind, const char *name,
                             char *key, size_t size)
{
    snprintf(key, size, "%s %s", declared_kind_name(kind), name);
    return key;
}

/* Puts a held declaration in force; takes the hold over. */
static struct force *put_in_force(struct state *state,
                                  struct declared *declared, uint64_t rev)
{
    char key[STORE_NAME_BYTES + 16];
    struct force *force;

    force_key(declared->kind, declared->name, key, sizeof(key));
    force = index_find(&state->forces, key);
    if (force != NULL) {
        declared_drop(&state->declared, force->declared);
        force->declared = declared;
        force->rev = rev;
        return force;
    }
    force = calloc(1, sizeof(*force));
    if (force == NULL)
        return NULL;
    force->name = strdup(key);
    force->declared = declared;
    force->rev = rev;
    if (force->name != NULL && index_add(&state->forces, force) == 0)
        return force;
    free((char *)force->name);
    free(force);
    return NULL;
}

/* The text of a declaration that the catalog has without a declaration in the
 * store: shipped, or of the folder. To be freed by free(); NULL: no memory. */
static char *catalog_text(struct state *state, enum document_kind kind,
                          const char *name, const struct tree *document,
                          size_t *ret_len)
{
    const char *shipped = catalog_shipped(state->catalog, kind, name, ret_len);
    struct text json = { 0 };

    if (shipped != NULL)
        return strndup(shipped, *ret_len);
    if (document_write_json(document, false, &json) < 0) {
        text_close(&json);
        return NULL;
    }
    *ret_len = json.len;
    return json.data;
}

static const struct tree *catalog_document(struct state *state,
                                           enum document_kind kind,
                                           const char *name, struct error *err)
{
    const struct runtime *rt;
    const struct model *model;

    if (kind == DOCUMENT_RUNTIME) {
        rt = catalog_runtime(state->catalog, name, err);
        return rt != NULL ? rt->document : NULL;
    }
    model = catalog_model(state->catalog, name, err);
    return model != NULL ? model->document : NULL;
}

const struct force *state_force(struct state *state, enum document_kind kind,
                                const char *name, struct error *err)
{
    char key[STORE_NAME_BYTES + 16];
    const struct tree *document;
    struct declared *declared;
    struct force *force;
    size_t len = 0;
    char *text;

    force = index_find(&state->forces, force_key(kind, name, key, sizeof(key)));
    if (force != NULL)
        return force;
    document = catalog_document(state, kind, name, err);
    if (document == NULL)
        return NULL;
    text = catalog_text(state, kind, name, document, &len);
    if (text == NULL) {
        error_exhausted(err);
        return NULL;
    }
    declared = declared_hold(&state->declared, text, len, NULL, 1, err);
    free(text);
    if (declared == NULL)
        return NULL;
    force = put_in_force(state, declared, 0);
    if (force == NULL) {
        declared_drop(&state->declared, declared);
        error_exhausted(err);
    }
    return force;
}

size_t state_force_count(struct state *state, enum document_kind kind)
{
    size_t n;

    if (kind == DOCUMENT_RUNTIME)
        catalog_runtimes(state->catalog, &n);
    else
        catalog_models(state->catalog, &n);
    return n;
}

/* A record of a model or runtime as it is now. */
static void follow_declaration(struct state *state,
                               const struct store_record *record)
{
    Serried__V1__DeclarationRecord *message =
        serried__v1__declaration_record__unpack(NULL, record->len,
                                                record->body);
    struct declared *declared = NULL;
    struct error err = { 0 };
    const char *text = message != NULL && message->document != NULL
                           ? message->document->text
                           : NULL;

    if (text != NULL)
        declared =
            declared_hold(&state->declared, text, strlen(text), NULL, 1, &err);
    if (message != NULL)
        serried__v1__declaration_record__free_unpacked(message, NULL);
    if (declared == NULL ||
        catalog_set(state->catalog, declared->kind, declared->name,
                    declared->loaded, &err) < 0 ||
        put_in_force(state, declared, record->rev) == NULL)
        log_line(daemon_log(state->daemon), LOG_LEVEL_ERROR,
                 "declaration unreadable kind=%s name=%s reason=%s",
                 store_kind_name(record->kind), record->id,
                 text != NULL ? err.text : "the record is not whole");
}

/* ---- placements ---------------------------------------------------------- */

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

struct live *state_live(struct state *state, const char *name,
                        struct error *err)
{
    struct live *live = index_find(&state->lives, name);
    struct names names = { 0 };
    const char *nearest = NULL;

    if (live != NULL || err == NULL) /* nobody reads what would be said */
        return live;
    /* a typing mistake deserves help, a scan of very many names does not pay */
    if (state->lives.count <= 4096)
        names.names = calloc(state->lives.count + 1, sizeof(*names.names));
    if (names.names != NULL) {
        index_walk(&state->lives, add_name, &names);
        nearest = text_nearest(name, names.names, names.n);
    }
    error_set(err, STATUS_UNKNOWN_NAME, "no placement is called %s%s%s", name,
              nearest != NULL ? "; the nearest name is " : "",
              nearest != NULL ? nearest : "");
    free(names.names);
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

/* A record of a placement as it is now. */
static void follow_placement(struct state *state,
                             const struct store_record *record)
{
    struct error err = { 0 };
    struct live *live;

    live_free(&state->declared, take(&state->lives, record->id));
    if (record->gone)
        return;
    live = find_prepared(state, record);
    if (live == NULL)
        live = live_of_record(&state->declared, record, &err);
    if (live == NULL) {
        log_line(daemon_log(state->daemon), LOG_LEVEL_ERROR,
                 "placement unreadable name=%s reason=%s", record->id,
                 err.text);
        live = live_broken(record);
    }
    if (live == NULL)
        return;
    live->generation =
        (struct store_pos){ record->generation_epoch, record->generation_rev };
    live->rev = record->rev;
    if (index_add(&state->lives, live) < 0)
        live_free(&state->declared, live);
}

/* ---- answers ------------------------------------------------------------- */

static void answer_free(void *thing)
{
    struct kept_answer *answer = thing;

    free((char *)answer->name);
    free(answer->body);
    free(answer);
}

const struct kept_answer *state_answer(const struct state *state,
                                       const char *key)
{
    return index_find(&state->answers, key);
}

static void follow_answer(struct state *state,
                          const struct store_record *record)
{
    struct kept_answer *answer = index_find(&state->answers, record->id);

    if (answer != NULL) {
        index_remove(&state->answers, answer);
        answer_free(answer);
    }
    if (record->gone)
        return;
    answer = calloc(1, sizeof(*answer));
    if (answer == NULL)
        return;
    answer->name = strdup(record->id);
    answer->body = malloc(record->len + 1);
    answer->rev = record->rev;
    answer->len = record->len;
    if (answer->name != NULL && answer->body != NULL) {
        memcpy(answer->body, record->body, record->len);
        if (index_add(&state->answers, answer) == 0)
            return;
    }
    answer_free(answer);
}

size_t state_events_after(const struct state *state, struct store_pos after,
                          size_t *ret_first, bool *ret_lost)
{
    return event_ring_after(&state->events, after, ret_first, ret_lost);
}

const struct kept_event *state_event(const struct state *state, size_t i)
{
    return event_ring_at(&state->events, i);
}

void state_on_change(struct state *state, void (*changed)(void *arg), void *arg)
{
    state->changed = changed;
    state->changed_arg = arg;
}

/* ---- following ----------------------------------------------------------- */

static void force_free(void *thing)
{
    struct force *force = thing;

    free((char *)force->name);
    free(force);
}

static void drop_force(void *thing, void *arg)
{
    struct state *state = arg;
    struct force *force = thing;

    catalog_set(state->catalog, force->declared->kind, force->declared->name,
                NULL, NULL);
    declared_drop(&state->declared, force->declared);
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

static void forget(void *arg)
{
    struct state *state = arg;

    drop_lives(state);
    while (state->prepared != NULL)
        live_free(&state->declared, take_prepared(&state->prepared));
    index_walk(&state->forces, drop_force, state);
    index_clear(&state->forces, force_free);
    index_clear(&state->answers, answer_free);
    event_ring_clear(&state->events);
}

static void follow_batch(void *arg, struct store_pos pos,
                         const struct store_record *records, size_t n_records,
                         const struct store_event *events, size_t n_events)
{
    struct state *state = arg;

    for (size_t i = 0; i < n_records; i++)
        switch (records[i].kind) {
        case STORE_MODEL:
        case STORE_RUNTIME:
            follow_declaration(state, &records[i]);
            break;
        case STORE_PLACEMENT:
            follow_placement(state, &records[i]);
            break;
        case STORE_ANSWER:
            follow_answer(state, &records[i]);
            break;
        case STORE_HOST:
        case STORE_TOKEN:
            break;
        }
    for (size_t i = 0; i < n_events; i++)
        event_ring_add(&state->events, pos, &events[i]);
    state->pos = pos;
    if (state->boots != NULL && n_records > 0)
        boots_follow(state->boots);
    if (state->changed != NULL)
        state->changed(state->changed_arg);
}

static void follow_current(void *arg, struct store_pos pos)
{
    struct state *state = arg;

    state->pos = pos;
    state->events.from = pos;
    if (state->ready == NULL)
        return;
    log_line(daemon_log(state->daemon), LOG_LEVEL_INFO,
             "state loaded placements=%zu revision=%llu", state->lives.count,
             (unsigned long long)pos.rev);
    state->ready(state->ready_arg, NULL);
    state->ready = NULL;
}

static const struct store_follower follower = {
    .reset = forget,
    .batch = follow_batch,
    .current = follow_current,
};

int state_open(struct daemon *daemon, const char *share,
               void (*ready)(void *arg, const struct error *err), void *arg,
               struct state **ret_state, struct error *err)
{
    struct state *state = calloc(1, sizeof(*state));

    if (state == NULL)
        return error_exhausted(err);
    state->daemon = daemon;
    state->ready = ready;
    state->ready_arg = arg;
    state->writes = writes_new(daemon);
    state->catalog = catalog_new(share, err);
    if (state->writes == NULL)
        error_exhausted(err);
    if (state->writes != NULL && state->catalog != NULL)
        state->watches = watches_new(daemon, state, err);
    if (state->watches != NULL)
        state->boots = boots_new(daemon, state, err);
    if (state->boots == NULL ||
        store_follow(daemon_store(daemon), &follower, state, err) < 0) {
        state_close(state);
        return -1;
    }
    *ret_state = state;
    return 0;
}

void state_close(struct state *state)
{
    if (state == NULL)
        return;
    boots_close(state->boots);
    watches_close(state->watches);
    writes_free(state->writes);
    forget(state);
    catalog_free(state->catalog);
    free(state);
}
