/* SPDX-License-Identifier: Apache-2.0 */
/* A placement as the daemon holds it: decided, laid out, ready to be asked. */
#include "daemon/live.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/bind.h"
#include "proto/document.h"

enum { RECORD_BYTES_MAX = 256 << 20 }; /* of a record while it is made */

void live_free(struct declared_set *set, struct live *live)
{
    if (live == NULL)
        return;
    declared_drop(set, live->runtime);
    declared_drop(set, live->model);
    arena_free(live->arena);
    free(live);
}

static int read_document(struct live_request *request, struct error *err)
{
    struct arena *arena = request->arena;
    const char *document =
        arena_strndup(arena, request->document, request->document_len);
    const char *source = request->source;

    if (source != NULL)
        source = arena_strdup(arena, source);
    if (arena_failed(arena))
        return error_exhausted(err);
    request->document = document;
    request->source = source;
    return document_read_one(arena, source, request->line, document,
                             request->document_len, &request->tree, err);
}

int live_read(struct live_request *request, size_t bytes_max, struct error *err)
{
    struct live_request read = *request;

    read.arena = arena_new(bytes_max);
    if (read.arena == NULL)
        return error_exhausted(err);
    if (read_document(&read, err) < 0) {
        arena_free(read.arena);
        return -1;
    }
    arena_raise_cap(read.arena, ANSWER_BYTES_MAX);
    *request = read;
    return 0;
}

/* The verdict of a check as JSON; NULL: err is set. Memory of its own, so that
 * a placement can be asked again and again.
 *   live  whose devices are described; NULL: nobody's */
static char *verdict_json(struct check *check,
                          const struct alternatives *alternatives,
                          const struct verdict_wants *wants,
                          const struct live *live, struct inventory *inventory,
                          struct error *err)
{
    struct tree_maker maker = { .arena = arena_new(ANSWER_BYTES_MAX) };
    struct text json = { 0 };
    struct tree *map;
    char *ret = NULL;

    if (maker.arena == NULL) {
        error_exhausted(err);
        return NULL;
    }
    map = make_map(&maker, NULL, NULL);
    if (verdict_write(check, alternatives, wants, &maker, map, err) < 0)
        goto out;
    if (live != NULL)
        bind_verdict(inventory, live, &maker, map);
    if (!maker.failed && document_write_json(map, false, &json) == 0) {
        ret = json.data;
        json = (struct text){ 0 };
    } else {
        error_exhausted(err);
    }
out:
    text_close(&json);
    arena_free(maker.arena);
    return ret;
}

static const struct verdict_wants nothing;

char *live_verdict(const struct live *live, struct inventory *inventory)
{
    struct error ignored;

    return verdict_json(live->check, NULL, &nothing, live, inventory, &ignored);
}

/* What is worked out for an answer would stay with the check, so another check
 * of the same question is asked. */
char *live_verdict_with(const struct live *live, struct inventory *inventory,
                        const struct verdict_wants *wants, struct error *err)
{
    struct arena *arena = arena_new(ANSWER_BYTES_MAX);
    struct check *check;
    char *ret = NULL;

    if (arena == NULL) {
        error_exhausted(err);
        return NULL;
    }
    check = check_run(&live->check->question, arena, 0, err);
    if (check != NULL)
        ret = verdict_json(check, NULL, wants, live, inventory, err);
    arena_free(arena);
    return ret;
}

static int refuse(struct check *check, char **ret_findings, struct error *err)
{
    struct alternatives alternatives = { 0 };
    struct error ignored;

    if (alternatives_find(check, &alternatives, err) < 0)
        return -1;
    *ret_findings =
        verdict_json(check, &alternatives, &nothing, NULL, NULL, &ignored);
    return error_set(err, STATUS_REFUSED,
                     "%s: the runtime %s refuses this deployment",
                     check->refused.items[0].code, check->rt->name);
}

static int load(struct live *live, const struct live_request *request,
                struct error *err)
{
    live->document = request->document;
    live->document_len = request->document_len;
    live->who = arena_strdup(live->arena, request->who);
    if (live->who == NULL)
        return error_exhausted(err);
    live->deployment = deployment_load(live->arena, request->runtime->loaded,
                                       request->tree, err);
    if (live->deployment == NULL)
        return -1;
    live->name = live->deployment->name;
    if (live->name == NULL || live->name[0] == '\0')
        return error_set(err, STATUS_INVALID,
                         "the deployment has no name; add the key deployment");
    if (strlen(live->name) > STORE_NAME_BYTES)
        return error_set(err, STATUS_INVALID,
                         "the deployment's name is longer than %d bytes",
                         STORE_NAME_BYTES);
    return 0;
}

size_t live_ranks(const struct live *live)
{
    size_t n = 0;

    for (size_t g = 0; g < live->deployment->n_groups; g++)
        n += live->deployment->groups[g].n_ranks;
    return n;
}

int live_judge(struct live *live, char **ret_findings, struct error *err)
{
    const struct question question = {
        .runtime = live->runtime->loaded,
        .model = live->model != NULL ? live->model->loaded : NULL,
        .deployment = live->deployment,
    };

    live->check = check_run(&question, live->arena, 0, err);
    if (live->check == NULL)
        return -1;
    if (!check_accepts(live->check))
        return refuse(live->check, ret_findings, err);
    return codec_assignment_common(live->check, &live->common, err);
}

struct live *live_load(struct declared_set *set,
                       const struct live_request *request, struct error *err)
{
    struct live_request read = *request;
    struct live *live;

    if (read.arena == NULL && live_read(&read, ANSWER_BYTES_MAX, err) < 0)
        return NULL;
    live = calloc(1, sizeof(*live));
    if (live == NULL) {
        arena_free(read.arena);
        error_exhausted(err);
        return NULL;
    }
    live->arena = read.arena;
    live->runtime = request->runtime;
    live->runtime->holders++;
    live->model = request->model;
    if (live->model != NULL)
        live->model->holders++;
    live->time_ms = request->time_ms;
    if (load(live, &read, err) == 0)
        return live;
    live_free(set, live);
    return NULL;
}

struct live *live_new(struct declared_set *set,
                      const struct live_request *request, char **ret_findings,
                      struct error *err)
{
    struct live *live = live_load(set, request, err);

    *ret_findings = NULL;
    if (live == NULL || live_judge(live, ret_findings, err) == 0)
        return live;
    live_free(set, live);
    return NULL;
}

/* ---- records ------------------------------------------------------------- */

/* Protobuf-c wants strings that it does not change as char *. */
static char *borrowed(const char *s)
{
    return (char *)s;
}

uint8_t *live_record(const struct live *live, size_t *ret_len)
{
    Serried__V1__PlacementRecord record = SERRIED__V1__PLACEMENT_RECORD__INIT;
    Serried__V1__Document document = SERRIED__V1__DOCUMENT__INIT;
    struct arena *arena;
    uint8_t *packed = NULL;

    document.text = borrowed(live->document);
    record.deployment = &document;
    record.runtime_hash = live->runtime->hash;
    record.runtime_text = live->runtime->text;
    if (live->model != NULL) {
        record.model_hash = live->model->hash;
        record.model_text = live->model->text;
    }
    record.has_time_ms = true;
    record.time_ms = live->time_ms;
    record.who = borrowed(live->who);
    arena = arena_new(RECORD_BYTES_MAX);
    if (arena == NULL || port_leases_write(&live->ports, arena, &record) < 0 ||
        (live->bound != NULL && bound_write(live->bound, arena, &record) < 0))
        goto out;
    *ret_len = serried__v1__placement_record__get_packed_size(&record);
    packed = malloc(*ret_len + 1);
    if (packed != NULL)
        serried__v1__placement_record__pack(&record, packed);
out:
    arena_free(arena);
    return packed;
}

/* The declaration of a record's text, held for the caller. */
static struct declared *hold(struct declared_set *set, enum document_kind kind,
                             const char *hash, const char *text,
                             struct error *err)
{
    struct declared *declared = NULL;

    if (hash != NULL)
        declared = declared_find(set, kind, hash);
    if (declared == NULL && text != NULL)
        declared = declared_hold(set, text, strlen(text), NULL, 1, err);
    return declared;
}

static int read_bound(struct live *live, struct inventory *inventory,
                      const Serried__V1__PlacementRecord *record,
                      struct error *err)
{
    if (record->n_binding == 0)
        return 0;
    live->bound =
        bound_read(live->arena, inventory, record, live->common.n_ranks,
                   live->check != NULL && live->check->dep->wish.shared, err);
    return live->bound != NULL ? 0 : -1;
}

static struct live *of_message(struct declared_set *set,
                               struct inventory *inventory,
                               const Serried__V1__PlacementRecord *record,
                               struct error *err)
{
    struct live_request request = { .who = record->who ? record->who : "",
                                    .time_ms = record->time_ms };
    struct live *live = NULL;
    char *findings = NULL;

    if (record->deployment == NULL || record->deployment->text == NULL ||
        record->runtime_text == NULL) {
        error_set(err, STATUS_INTERNAL, "the record is not whole");
        return NULL;
    }
    request.document = record->deployment->text;
    request.document_len = strlen(record->deployment->text);
    request.runtime = hold(set, DOCUMENT_RUNTIME, record->runtime_hash,
                           record->runtime_text, err);
    if (request.runtime == NULL)
        return NULL;
    if (record->model_text != NULL) {
        request.model = hold(set, DOCUMENT_MODEL, record->model_hash,
                             record->model_text, err);
        if (request.model == NULL)
            goto out;
    }
    live = live_new(set, &request, &findings, err);
    if (live != NULL && (read_bound(live, inventory, record, err) < 0 ||
                         port_leases_read(live, inventory, record, err) < 0)) {
        live_free(set, live);
        live = NULL;
    }
out:
    free(findings);
    declared_drop(set, request.runtime);
    declared_drop(set, request.model);
    return live;
}

struct live *live_of_record(struct declared_set *set,
                            struct inventory *inventory,
                            const struct store_record *record,
                            struct error *err)
{
    Serried__V1__PlacementRecord *message =
        serried__v1__placement_record__unpack(NULL, record->len, record->body);
    struct live *live;

    if (message == NULL) {
        error_set(err, STATUS_INTERNAL, "the record cannot be read");
        return NULL;
    }
    live = of_message(set, inventory, message, err);
    serried__v1__placement_record__free_unpacked(message, NULL);
    return live;
}

/* What can be read of it still counts: its workers may run. */
static void keep_devices(struct live *live, struct inventory *inventory,
                         const struct store_record *record)
{
    Serried__V1__PlacementRecord *message =
        serried__v1__placement_record__unpack(NULL, record->len, record->body);
    struct error ignored;

    if (message == NULL)
        return;
    read_bound(live, inventory, message, &ignored);
    port_leases_read(live, inventory, message, &ignored);
    serried__v1__placement_record__free_unpacked(message, NULL);
}

struct live *live_broken(struct inventory *inventory,
                         const struct store_record *record)
{
    struct live *live = calloc(1, sizeof(*live));

    if (live == NULL)
        return NULL;
    live->arena = arena_new(DECLARED_BYTES_MAX);
    if (live->arena != NULL) {
        live->name = arena_strdup(live->arena, record->id);
        live->who = live->document = arena_strdup(live->arena, "");
    }
    if (live->name != NULL && live->who != NULL) {
        keep_devices(live, inventory, record);
        return live;
    }
    arena_free(live->arena);
    free(live);
    return NULL;
}
