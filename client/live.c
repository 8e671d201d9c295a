/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that ask a daemon share: the connection, and small words.
 */
#include "client/live.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "placement/digest.h"
#include "proto/document.h"

/* ---- the connection ------------------------------------------------------ */

int live_open(struct live *live, struct invocation *v, struct error *err)
{
    *live = (struct live){ .v = v, .err = SERRY_ERROR_INIT };
    if (serry_open(option_value(v, "address"), &live->client, &live->err) < 0)
        return live_failed(live, err);
    return 0;
}

void live_close(struct live *live)
{
    catalog_free(live->catalog);
    serry_close(live->client);
    serry_error_clear(&live->err);
    *live = (struct live){ .err = SERRY_ERROR_INIT };
}

int live_run(struct invocation *v, live_body_fn *body)
{
    struct live live;
    struct error err;
    int rc = EXIT_OK;

    if (live_open(&live, v, &err) < 0 || body(&live, &rc, &err) < 0) {
        struct error ignored;

        /* What was done before the failure stands before its sentence. */
        output_flush(&v->out, &ignored);
        rc = command_failed(&err);
    }
    live_close(&live);
    return rc;
}

/* What connecting to a unix socket ends in: 0, or errno. A socket file stays
 * behind when a daemon is killed, so its being there says nothing. */
static int try_connect(const struct serry_client *client)
{
    static const char scheme[] = "ipc://";
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    const char *path = serry_address(client);
    int fd, rc;

    if (strncmp(path, scheme, strlen(scheme)) != 0)
        return EAFNOSUPPORT;
    path += strlen(scheme);
    if (strlen(path) >= sizeof(to.sun_path))
        return ENAMETOOLONG;
    strcpy(to.sun_path, path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    rc = connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 ? 0 : errno;
    close(fd);
    return rc == EAGAIN ? 0 : rc; /* its backlog is full */
}

static bool is_known(int status)
{
    switch ((enum status)status) {
#define X(name, wire, wire_name, exit_code, retry) case STATUS_##name:
        STATUS_LIST(X)
#undef X
        return true;
    }
    return false;
}

int live_failed(struct live *live, struct error *err)
{
    static const char stale[] = "STALE_"; /* generation, incarnation */
    enum status status = STATUS_INTERNAL;

    if (is_known(live->err.status))
        status = (enum status)live->err.status;
    if (status == STATUS_REFUSED &&
        strncmp(live->err.text, stale, strlen(stale)) == 0)
        status = STATUS_LOST;
    return error_set(err, status, "%s", live->err.text);
}

/* ---- whether to ask ------------------------------------------------------ */

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value != NULL && value[0] != '\0';
}

static bool default_listens(void)
{
    struct serry_client *client;
    bool listens;

    if (serry_open(NULL, &client, NULL) < 0)
        return false;
    listens = try_connect(client) == 0;
    serry_close(client);
    return listens;
}

bool live_wanted(const struct invocation *v)
{
    if (option_given(v, "offline"))
        return false;
    if (option_given(v, "address"))
        return true;
    if (option_given(v, "share"))
        return false;
    if (is_set("SERRY_ADDRESS"))
        return true;
    return getenv("SERRIED_SHARE") == NULL && default_listens();
}

/* ---- the daemon's declarations ------------------------------------------- */

/* Whether this program carries the very text of a declaration. */
static bool carries(const struct catalog *catalog,
                    const struct serry_declaration *d)
{
    enum document_kind kind =
        strcmp(d->kind, "runtime") == 0 ? DOCUMENT_RUNTIME : DOCUMENT_MODEL;
    char hash[DIGEST_HEX];
    size_t len;
    const char *text = catalog_shipped(catalog, kind, d->name, &len);

    if (text == NULL)
        return false;
    digest_hex(text, len, hash);
    return strcmp(hash, d->hash) == 0;
}

static int fetch(struct live *live, struct catalog *catalog,
                 const struct serry_declaration *listed, struct error *err)
{
    struct serry_declaration *d;
    struct tree *documents;
    int rc;

    if (serry_get_declaration(live->client, listed->kind, listed->name, &d,
                              &live->err) < 0)
        return live_failed(live, err);
    rc = document_read_yaml(live->v->arena, d->name, d->text, strlen(d->text),
                            &documents, err);
    if (rc == 0)
        rc = catalog_add(catalog, tree_first(documents), err);
    serry_free(d);
    return rc;
}

static int fetch_kind(struct live *live, struct catalog *catalog,
                      const char *kind, struct error *err)
{
    struct serry_declarations *list;
    int rc = 0;

    if (serry_list_declarations(live->client, kind, &list, &live->err) < 0)
        return live_failed(live, err);
    for (size_t i = 0; rc == 0 && i < list->count; i++)
        if (!carries(catalog, list->items[i]))
            rc = fetch(live, catalog, list->items[i], err);
    serry_free(list);
    return rc;
}

struct catalog *live_catalog(struct live *live, struct error *err)
{
    struct catalog *catalog;

    if (live->catalog != NULL)
        return live->catalog;
    catalog = catalog_new(NULL, err);
    if (catalog == NULL)
        return NULL;
    if (fetch_kind(live, catalog, "runtime", err) < 0 ||
        fetch_kind(live, catalog, "model", err) < 0) {
        catalog_free(catalog);
        return NULL;
    }
    live->catalog = catalog;
    return catalog;
}

/* ---- with declarations, whosever they are -------------------------------- */

int live_options(const struct invocation *v)
{
    if (!option_given(v, "address"))
        return EXIT_OK;
    if (option_given(v, "offline"))
        return command_misused(v, "--offline and --address exclude each other");
    if (option_given(v, "share"))
        return command_misused(v, "a daemon has declarations of its own, so "
                                  "with --address there is no --share");
    return EXIT_OK;
}

static int run_with(struct invocation *v, struct catalog *catalog,
                    live_catalog_fn *body, const struct error *why)
{
    struct error err, ignored;
    int rc = EXIT_OK;

    if (catalog == NULL)
        return command_failed(why);
    if (body(v, catalog, &rc, &err) < 0) {
        output_flush(&v->out, &ignored);
        rc = command_failed(&err);
    }
    return rc;
}

static int run_here(struct invocation *v, live_catalog_fn *body)
{
    struct error err;
    struct catalog *catalog = command_catalog(v, &err);
    int rc = run_with(v, catalog, body, &err);

    catalog_free(catalog);
    return rc;
}

int live_with_catalog(struct invocation *v, bool spare, live_catalog_fn *body)
{
    struct live live;
    struct error err;
    struct catalog *catalog = NULL;
    int rc;

    if (!live_wanted(v))
        return run_here(v, body);
    if (live_open(&live, v, &err) == 0)
        catalog = live_catalog(&live, &err);
    if (catalog == NULL && spare && !option_given(v, "address")) {
        error_wrap(&err, "with the declarations built in, as the daemon's are "
                         "not to be had");
        output_complain(err.text);
        rc = run_here(v, body);
    } else {
        rc = run_with(v, catalog, body, &err);
    }
    live_close(&live);
    return rc;
}

/* ---- words --------------------------------------------------------------- */

const char *live_generation(const struct serry_generation *generation,
                            char room[LIVE_WORD])
{
    snprintf(room, LIVE_WORD, "%" PRIu64 ".%" PRIu64, generation->epoch,
             generation->revision);
    return room;
}

const char *live_time(int64_t time_ms, char room[LIVE_WORD])
{
    time_t seconds = (time_t)(time_ms / 1000);
    struct tm tm;

    if (gmtime_r(&seconds, &tm) == NULL ||
        strftime(room, LIVE_WORD, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        snprintf(room, LIVE_WORD, "%" PRId64 " ms", time_ms);
    return room;
}

static bool read_number(const char *word, const char **ret_end, uint64_t *ret)
{
    char *end;

    if (!isdigit((unsigned char)word[0]))
        return false;
    errno = 0;
    *ret = strtoull(word, &end, 10);
    *ret_end = end;
    return errno == 0;
}

bool live_read_generation(const char *word, struct serry_generation *ret)
{
    struct serry_generation generation = { 0 };
    const char *end;

    if (strcmp(word, "0") == 0) {
        *ret = generation;
        return true;
    }
    if (!read_number(word, &end, &generation.epoch) || end[0] != '.' ||
        !read_number(end + 1, &end, &generation.revision) || end[0] != '\0')
        return false;
    *ret = generation;
    return true;
}

int live_option_generation(const struct invocation *v, const char *option,
                           struct serry_generation *room,
                           const struct serry_generation **ret)
{
    const char *word = option_value(v, option);

    *ret = NULL;
    if (word == NULL)
        return EXIT_OK;
    if (!live_read_generation(word, room))
        return command_misused(v,
                               "--%s: \"%.64s\" is no generation; it is "
                               "written EPOCH.REVISION, 1.12",
                               option, word);
    *ret = room;
    return EXIT_OK;
}

int live_option_number(const struct invocation *v, const char *option,
                       uint64_t most, uint64_t *ret)
{
    const char *word = option_value(v, option), *end;
    uint64_t number;

    if (word == NULL)
        return EXIT_OK;
    if (!read_number(word, &end, &number) || end[0] != '\0' || number > most)
        return command_misused(v,
                               "--%s: \"%.64s\" is no number from 0 to "
                               "%" PRIu64,
                               option, word, most);
    *ret = number;
    return EXIT_OK;
}

void live_make_generation(struct tree_maker *maker, struct tree *map,
                          const char *key,
                          const struct serry_generation *generation)
{
    struct tree *pair = make_map(maker, map, key);

    make_int(maker, pair, "epoch", (int64_t)generation->epoch);
    make_int(maker, pair, "revision", (int64_t)generation->revision);
}

struct tree *live_make_placement(struct tree_maker *maker, const char *name,
                                 const struct serry_generation *generation)
{
    struct tree *map = make_map(maker, NULL, NULL);

    make_string(maker, map, "name", name);
    live_make_generation(maker, map, "generation", generation);
    return map;
}

const char *live_hex(struct arena *arena, const uint8_t *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char *hex = arena_alloc(arena, 2 * len + 1);

    for (size_t i = 0; hex != NULL && i < len; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    return hex != NULL ? hex : "";
}

void live_make_hex(struct tree_maker *maker, struct tree *map, const char *key,
                   const uint8_t *bytes, size_t len)
{
    make_string(maker, map, key, live_hex(maker->arena, bytes, len));
}

int live_json(struct arena *arena, const char *json, const struct tree **ret,
              struct error *err)
{
    struct tree *tree;

    if (document_read_json(arena, "the daemon's answer", json, strlen(json),
                           &tree, err) < 0) {
        err->status =
            err->status == STATUS_INVALID ? STATUS_INTERNAL : err->status;
        return -1;
    }
    if (tree->type != TREE_MAP)
        return error_set(err, STATUS_INTERNAL,
                         "the daemon's answer: expected a map, found %s",
                         tree_type_name(tree->type));
    *ret = tree;
    return 0;
}

int live_document(struct live *live, const struct tree_maker *maker,
                  const struct tree *tree, struct error *err)
{
    if (maker->failed)
        return error_exhausted(err);
    return output_document(&live->v->out, tree, err);
}
