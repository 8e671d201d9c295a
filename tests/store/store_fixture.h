/* SPDX-License-Identifier: Apache-2.0 */
/* A store on a loop of its own, and a follower that remembers. */
#ifndef SERRIED_TESTS_STORE_FIXTURE_H
#define SERRIED_TESTS_STORE_FIXTURE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "store/store.h"
#include "tests/tap.h"

enum { KNOWN_MAX = 20000 };

/* A record as the follower knows it. */
struct known {
    enum store_kind kind;
    char id[STORE_NAME_BYTES + 1];
    char state[32];
    uint64_t rev, generation_epoch, generation_rev;
    int64_t time_ms;
    size_t len;
    unsigned char first; /* byte of the body */
};

struct fixture {
    uv_loop_t loop;
    char folder[64], url[128], path[96];
    struct store *store;
    struct store_options options;
    struct known *known; /* KNOWN_MAX */
    size_t n_known;
    int resets, batches, batch_events;
    struct store_pos batch_pos, current_pos, done_pos;
    bool is_current, elected, is_broken;
    struct store_term term;
    enum store_result result;
    int waiting;
    char scratch[512]; /* of fixture_path() */
};

/* A path in the folder, until the next call. */
static inline const char *fixture_path(struct fixture *f, const char *name)
{
    snprintf(f->scratch, sizeof(f->scratch), "%.63s/%.63s", f->folder, name);
    return f->scratch;
}

/* ---- the follower -------------------------------------------------------- */

static inline struct known *known_find(struct fixture *f, enum store_kind kind,
                                       const char *id)
{
    for (size_t i = 0; i < f->n_known; i++)
        if (f->known[i].kind == kind && strcmp(f->known[i].id, id) == 0)
            return &f->known[i];
    return NULL;
}

static inline void on_reset(void *arg)
{
    struct fixture *f = arg;

    f->n_known = 0;
    f->resets++;
    f->is_current = false;
}

static inline void know(struct fixture *f, const struct store_record *r)
{
    struct known *known = known_find(f, r->kind, r->id);

    if (r->gone) {
        ck_assert_ptr_nonnull(known);
        *known = f->known[--f->n_known];
        return;
    }
    if (known == NULL) {
        ck_assert_uint_lt(f->n_known, KNOWN_MAX);
        known = &f->known[f->n_known++];
    }
    known->kind = r->kind;
    snprintf(known->id, sizeof(known->id), "%s", r->id);
    snprintf(known->state, sizeof(known->state), "%s", r->state);
    known->rev = r->rev;
    known->generation_epoch = r->generation_epoch;
    known->generation_rev = r->generation_rev;
    known->time_ms = r->time_ms;
    known->len = r->len;
    known->first = r->len > 0 ? *(const unsigned char *)r->body : 0;
}

static inline void on_batch(void *arg, struct store_pos pos,
                            const struct store_record *records,
                            size_t n_records, const struct store_event *events,
                            size_t n_events)
{
    struct fixture *f = arg;

    if (f->is_current)
        ck_assert_uint_gt(pos.rev, f->batch_pos.rev);
    for (size_t i = 0; i < n_events; i++)
        ck_assert_uint_eq(events[i].rev, pos.rev);
    f->batch_pos = pos;
    f->batches++;
    f->batch_events += (int)n_events;
    for (size_t i = 0; i < n_records; i++)
        know(f, &records[i]);
}

static inline void on_current(void *arg, struct store_pos pos)
{
    struct fixture *f = arg;

    f->is_current = true;
    f->current_pos = f->batch_pos = pos;
}

static const struct store_follower follower = { on_reset, on_batch,
                                                on_current };

static inline void on_elected(void *arg, struct store_term term)
{
    struct fixture *f = arg;

    f->elected = true;
    f->term = term;
}

static inline void on_deposed(void *arg)
{
    struct fixture *f = arg;

    f->elected = false;
}

static inline void on_broken(void *arg, const char *why)
{
    struct fixture *f = arg;

    ck_assert_str_ne(why, "");
    ck_assert(!f->is_broken);
    f->is_broken = true;
}

static const struct store_candidate candidate = { "here", on_elected,
                                                  on_deposed, NULL };

/* ---- opening and closing ------------------------------------------------- */

/* A loop and a folder; url is "memory:" or a file in that folder. */
static inline void fixture_init(struct fixture *f, bool in_memory)
{
    const char *tmp = getenv("TMPDIR");

    *f = (struct fixture){ 0 };
    ck_assert_int_eq(uv_loop_init(&f->loop), 0);
    f->known = calloc(KNOWN_MAX, sizeof(*f->known));
    ck_assert_ptr_nonnull(f->known);
    snprintf(f->folder, sizeof(f->folder), "%.40s/store.XXXXXX",
             tmp != NULL ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
    snprintf(f->path, sizeof(f->path), "%.63s/state.db", f->folder);
    if (in_memory)
        snprintf(f->url, sizeof(f->url), "memory:");
    else
        snprintf(f->url, sizeof(f->url), "sqlite:%.95s", f->path);
    f->options.broken = on_broken;
    f->options.arg = f;
}

static inline void remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[512];

        snprintf(path, sizeof(path), "%.63s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (dir != NULL)
        closedir(dir);
    rmdir(folder);
}

static inline int try_open(struct fixture *f, struct error *err)
{
    return store_open(&f->loop, f->url, &f->options, &f->store, err);
}

/* Opens, is elected, and knows the whole state. */
static inline void fixture_open(struct fixture *f)
{
    struct error err = { 0 };

    ck_assert_msg(try_open(f, &err) == 0, "%s", err.text);
    ck_assert_int_eq(store_campaign(f->store, &candidate, f, &err), 0);
    ck_assert_int_eq(store_follow(f->store, &follower, f, &err), 0);
    while (!f->is_current || !f->elected)
        uv_run(&f->loop, UV_RUN_ONCE);
}

static inline void fixture_shut(struct fixture *f)
{
    store_close(f->store, NULL, NULL);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    f->store = NULL;
    f->is_current = f->elected = false;
}

static inline void fixture_close(struct fixture *f)
{
    if (f->store != NULL)
        fixture_shut(f);
    ck_assert_int_eq(uv_loop_close(&f->loop), 0);
    free(f->known);
    remove_folder(f->folder);
}

/* ---- changing ------------------------------------------------------------ */

static inline void on_done(void *arg, enum store_result result,
                           struct store_pos pos)
{
    struct fixture *f = arg;

    f->result = result;
    f->done_pos = pos;
    f->waiting--;
}

static inline void fixture_wait(struct fixture *f)
{
    while (f->waiting > 0)
        uv_run(&f->loop, UV_RUN_ONCE);
}

static inline enum store_result commit(struct fixture *f, struct change *change)
{
    f->waiting++;
    store_commit(f->store, change, on_done, f);
    ck_assert_int_eq(f->waiting, 1); /* never inside the call */
    fixture_wait(f);
    return f->result;
}

static inline struct store_record placement(const char *id, const char *body)
{
    return (struct store_record){
        .kind = STORE_PLACEMENT,
        .id = id,
        .state = "placed",
        .body = body,
        .len = strlen(body),
        .time_ms = 1700000000123,
    };
}

static inline struct change *change_of(const struct store_record *record,
                                       uint64_t seen)
{
    struct change *change = change_new();

    ck_assert_ptr_nonnull(change);
    change_put(change, record, seen);
    return change;
}

static inline enum store_result put(struct fixture *f, const char *id,
                                    const char *body, uint64_t seen)
{
    struct store_record record = placement(id, body);

    return commit(f, change_of(&record, seen));
}

static inline enum store_result take_out(struct fixture *f, const char *id,
                                         uint64_t seen)
{
    struct change *change = change_new();

    change_remove(change, STORE_PLACEMENT, id, seen);
    return commit(f, change);
}

static inline uint64_t rev_of(struct fixture *f, const char *id)
{
    struct known *known = known_find(f, STORE_PLACEMENT, id);

    return known != NULL ? known->rev : 0;
}

/* ---- copying ------------------------------------------------------------- */

struct copied {
    struct text bytes;
    struct error err;
    bool done, failed;
    struct store_pos pos;
};

static inline int on_write(void *arg, const void *bytes, size_t len)
{
    struct copied *copied = arg;

    text_put_bytes(&copied->bytes, bytes, len);
    return 0;
}

static inline void on_copied(void *arg, const struct error *err,
                             struct store_pos pos)
{
    struct copied *copied = arg;

    copied->done = true;
    copied->failed = err != NULL;
    copied->pos = pos;
    if (err != NULL)
        copied->err = *err;
}

static inline void copy_out(struct fixture *f, struct copied *ret)
{
    *ret = (struct copied){ 0 };
    ck_assert_int_eq(store_export(f->store, on_write, on_copied, ret, NULL), 0);
    while (!ret->done)
        uv_run(&f->loop, UV_RUN_ONCE);
    ck_assert(!ret->failed);
}

static inline void copy_in(struct fixture *f, const void *bytes, size_t len,
                           struct copied *ret)
{
    *ret = (struct copied){ 0 };
    ck_assert_int_eq(store_import(f->store, bytes, len, on_copied, ret, NULL),
                     0);
    while (!ret->done)
        uv_run(&f->loop, UV_RUN_ONCE);
}

#endif
