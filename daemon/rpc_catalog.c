/* SPDX-License-Identifier: Apache-2.0 */
/* Service Catalog: declaring models and runtimes. */
#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/page.h"
#include "daemon/reply.h"
#include "daemon/write.h"

static void fill(Serried__V1__Declaration *to, const struct force *force,
                 bool with_text)
{
    struct declared *declared = force->declared;

    to->kind = reply_text(declared_kind_name(declared->kind));
    to->name = reply_text(declared->name);
    to->has_revision = true;
    to->revision = force->rev;
    to->hash = declared->hash;
    to->text = with_text ? declared->text : NULL;
}

/* ---- Apply --------------------------------------------------------------- */

/* The revision of the commit. */
static void stamp(ProtobufCMessage *reply, struct store_pos pos,
                  Serried__V1__Generation *room)
{
    Serried__V1__Declaration *declaration = (void *)reply;

    (void)room;
    if (!declaration->changed)
        return; /* its revision is an earlier one */
    declaration->has_revision = true;
    declaration->revision = pos.rev;
}

/* The revision that a change of this declaration must have seen. */
static uint64_t seen(struct state *state, enum document_kind kind,
                     const char *name)
{
    struct error ignored;
    const struct force *force = state_force(state, kind, name, &ignored);

    return force != NULL ? force->rev : 0;
}

static uint8_t *pack_record(const Serried__V1__Document *document,
                            const struct call *call, int64_t now_ms,
                            size_t *ret_len)
{
    Serried__V1__DeclarationRecord record =
        SERRIED__V1__DECLARATION_RECORD__INIT;
    uint8_t *packed;

    record.document = (Serried__V1__Document *)document;
    record.has_time_ms = true;
    record.time_ms = now_ms;
    record.who = reply_text(call_who(call));
    *ret_len = serried__v1__declaration_record__get_packed_size(&record);
    packed = malloc(*ret_len + 1);
    if (packed != NULL)
        serried__v1__declaration_record__pack(&record, packed);
    return packed;
}

static struct change *make_change(struct call *call,
                                  const Serried__V1__Document *document,
                                  const struct declared *declared,
                                  uint64_t seen_rev)
{
    struct daemon *daemon = call_daemon(call);
    struct change *change = change_new();
    struct store_record record = {
        .kind =
            declared->kind == DOCUMENT_RUNTIME ? STORE_RUNTIME : STORE_MODEL,
        .id = declared->name,
        .state = "declared",
        .generation_rev = STORE_OWN_GENERATION,
        .time_ms = daemon_now_ms(daemon),
    };
    const struct store_event event = {
        .time_ms = record.time_ms,
        .who = call_who(call),
        .what = "declared",
        .subject = declared->name,
        .detail = declared_kind_name(declared->kind),
    };
    uint8_t *body = pack_record(document, call, record.time_ms, &record.len);

    if (change != NULL && body != NULL) {
        record.body = body;
        change_put(change, &record, seen_rev);
        change_event(change, &event);
    } else {
        change_free(change);
        change = NULL;
    }
    free(body);
    return change;
}

/* Answers where the text in force is the same. With a key the answer is kept,
 * so that a repetition is no new declaration when another one came between. */
static bool is_in_force(struct call *call, const char *key,
                        const struct declared *declared)
{
    struct state *state = daemon_state(call_daemon(call));
    Serried__V1__Declaration reply = SERRIED__V1__DECLARATION__INIT;
    struct write write = { .key = key, .reply = &reply.base, .stamp = stamp };
    struct error err;
    const struct force *force =
        state_force(state, declared->kind, declared->name, &err);

    if (force == NULL || strcmp(force->declared->hash, declared->hash) != 0)
        return false;
    fill(&reply, force, false);
    reply.has_changed = true;
    if (key == NULL || key[0] == '\0') {
        call_reply(call, &reply.base);
        return true;
    }
    write.change = change_new();
    if (write.change != NULL) {
        write_commit(call, &write);
    } else {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
    }
    return true;
}

static void commit(struct call *call, const Serried__V1__ApplyRequest *request,
                   struct declared *declared)
{
    struct state *state = daemon_state(call_daemon(call));
    uint64_t seen_rev = seen(state, declared->kind, declared->name);
    Serried__V1__Declaration reply = SERRIED__V1__DECLARATION__INIT;
    const struct force made = { .declared = declared };
    struct write write = { .key = request->idempotency_key, .stamp = stamp };
    struct error err;

    if (request->has_expected_revision &&
        request->expected_revision != seen_rev) {
        error_set(&err, STATUS_LOST,
                  "%s %s is at revision %llu, not %llu; read it again",
                  declared_kind_name(declared->kind), declared->name,
                  (unsigned long long)seen_rev,
                  (unsigned long long)request->expected_revision);
        call_refuse(call, &err, NULL);
        return;
    }
    fill(&reply, &made, false);
    reply.has_changed = reply.changed = true;
    write.reply = &reply.base;
    write.change = make_change(call, request->document, declared, seen_rev);
    if (write.change == NULL) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
        return;
    }
    write_commit(call, &write);
}

void rpc_apply(Serried__V1__Catalog_Service *service,
               const Serried__V1__ApplyRequest *request,
               Serried__V1__Declaration_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    const Serried__V1__Document *document = request->document;
    struct declared *declared;
    struct error err;

    (void)service;
    (void)reply;
    if (write_repeated(call, request->idempotency_key,
                       &serried__v1__declaration__descriptor, stamp))
        return;
    if (document == NULL || document->text == NULL) {
        error_set(&err, STATUS_INVALID, "the request has no document");
        call_refuse(call, &err, NULL);
        return;
    }
    declared = declared_hold(state_declared(state), document->text,
                             strlen(document->text), document->source,
                             document->has_line ? document->line : 1, &err);
    if (declared == NULL) {
        call_refuse(call, &err, NULL);
        return;
    }
    if (!is_in_force(call, request->idempotency_key, declared))
        commit(call, request, declared);
    declared_drop(state_declared(state), declared);
}

/* ---- reading ------------------------------------------------------------- */

static int kind_of(const char *word, enum document_kind *ret, struct error *err)
{
    if (word != NULL && declared_kind(word, ret) == 0)
        return 0;
    return error_set(err, STATUS_INVALID,
                     "\"%s\" is no kind of declaration; there are model and "
                     "runtime",
                     word != NULL ? word : "");
}

void rpc_get_declaration(Serried__V1__Catalog_Service *service,
                         const Serried__V1__GetDeclarationRequest *request,
                         Serried__V1__Declaration_Closure reply,
                         void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    Serried__V1__Declaration out = SERRIED__V1__DECLARATION__INIT;
    const struct force *force = NULL;
    enum document_kind kind;
    struct error err;

    (void)service;
    (void)reply;
    if (kind_of(request->kind, &kind, &err) == 0)
        force = state_force(state, kind,
                            request->name != NULL ? request->name : "", &err);
    if (force == NULL) {
        call_refuse(call, &err, NULL);
        return;
    }
    fill(&out, force, true);
    call_reply(call, &out.base);
}

enum { PAGE_OF_DECLARATIONS = 'd' };

static const char *const *names_of(struct catalog *catalog,
                                   enum document_kind kind, size_t *ret_n)
{
    return kind == DOCUMENT_RUNTIME ? catalog_runtimes(catalog, ret_n)
                                    : catalog_models(catalog, ret_n);
}

/* The first name behind that of a token. */
static size_t first_of_page(const struct page *page, const char *const *names,
                            size_t n)
{
    size_t i = 0;

    while (page->after != NULL && i < n && strcmp(names[i], page->after) <= 0)
        i++;
    return i;
}

static Serried__V1__Declaration *declaration_of(struct call *call,
                                                enum document_kind kind,
                                                const char *name,
                                                struct error *err)
{
    struct state *state = daemon_state(call_daemon(call));
    const char *kept = arena_strdup(call_arena(call), name);
    Serried__V1__Declaration *d = arena_alloc(call_arena(call), sizeof(*d));
    const struct force *force;

    if (d == NULL || kept == NULL) {
        error_exhausted(err);
        return NULL;
    }
    force = state_force(state, kind, kept, err);
    if (force == NULL)
        return NULL;
    serried__v1__declaration__init(d);
    fill(d, force, false);
    return d;
}

static int fill_list(struct call *call, enum document_kind kind,
                     struct page *page, Serried__V1__ListDeclarationsReply *out,
                     struct error *err)
{
    struct arena *arena = call_arena(call);
    struct catalog *catalog = state_catalog(daemon_state(call_daemon(call)));
    const char *const *names;
    size_t n;

    names = names_of(catalog, kind, &n);
    out->declarations = arena_array(arena, n + 1, sizeof(*out->declarations));
    if (out->declarations == NULL)
        return error_exhausted(err);
    for (size_t i = first_of_page(page, names, n); i < n; i++) {
        Serried__V1__Declaration *d = declaration_of(call, kind, names[i], err);

        if (d == NULL)
            return -1;
        if (!page_take(page, serried__v1__declaration__get_packed_size(d))) {
            out->next_page_token =
                page_token(arena, PAGE_OF_DECLARATIONS,
                           out->declarations[out->n_declarations - 1]->name);
            return out->next_page_token != NULL ? 0 : error_exhausted(err);
        }
        out->declarations[out->n_declarations++] = d;
        names = names_of(catalog, kind, &n); /* loading may move them */
    }
    return 0;
}

void rpc_list_declarations(Serried__V1__Catalog_Service *service,
                           const Serried__V1__ListDeclarationsRequest *request,
                           Serried__V1__ListDeclarationsReply_Closure reply,
                           void *closure_data)
{
    struct call *call = closure_data;
    Serried__V1__ListDeclarationsReply out =
        SERRIED__V1__LIST_DECLARATIONS_REPLY__INIT;
    enum document_kind kind;
    struct page page;
    struct error err;

    (void)service;
    (void)reply;
    if (kind_of(request->kind, &kind, &err) < 0 ||
        page_open(&page, PAGE_OF_DECLARATIONS, request->page_size,
                  request->page_token, &err) < 0 ||
        fill_list(call, kind, &page, &out, &err) < 0) {
        call_refuse(call, &err, NULL);
        return;
    }
    call_reply(call, &out.base);
}
