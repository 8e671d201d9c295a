/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of the service Placement. */
#include "client/libserry/convert.h"
#include "client/libserry/pages.h"

static const ProtobufCServiceDescriptor *const service =
    &serried__v1__placement__descriptor;

/* ---- check and suggest --------------------------------------------------- */

int serry_check(struct serry_client *client,
                const struct serry_document *document,
                const struct serry_wanted *wanted,
                struct serry_verdict **ret_verdict, struct serry_error *err)
{
    Serried__V1__CheckRequest request = SERRIED__V1__CHECK_REQUEST__INIT;
    const Serried__V1__CheckReply *from;
    struct serry_verdict *result;
    struct call_reply reply;
    Serried__V1__Document text;

    request.document = convert_to_document(document, &text);
    if (wanted != NULL) {
        request.n_lists = wanted->n_lists;
        request.lists = (char **)wanted->lists;
        request.has_all_lists = request.all_lists = wanted->all_lists;
        request.has_bind = request.bind = wanted->bind;
        request.has_evict = request.evict = wanted->evict;
        request.has_views = request.views = wanted->views;
        request.has_per_rank = request.per_rank = wanted->per_rank;
        request.has_creation = request.creation = wanted->creation;
        request.has_rank = wanted->rank != NULL;
        request.rank = wanted->rank != NULL ? *wanted->rank : 0;
        request.up_to = (char *)wanted->up_to;
    }
    if (call_method(client, service, "Check", &request.base, 0, false, &reply,
                    err) < 0)
        return -1;
    from = reply.message;
    result = result_new(reply.arena, sizeof(*result));
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    *result = (struct serry_verdict){ from->accepts, from->unchecked,
                                      convert_text(from->verdict_json) };
    *ret_verdict = result;
    return 0;
}

int serry_suggest(struct serry_client *client,
                  const struct serry_document *document,
                  const struct serry_preference *preference,
                  struct serry_suggestions **ret_suggestions,
                  struct serry_error *err)
{
    Serried__V1__SuggestRequest request = SERRIED__V1__SUGGEST_REQUEST__INIT;
    const Serried__V1__SuggestReply *from;
    struct serry_suggestions *result;
    struct call_reply reply;
    Serried__V1__Document text;

    request.document = convert_to_document(document, &text);
    if (preference != NULL) {
        request.objective = (char *)preference->objective;
        request.has_memory_bytes = preference->memory_bytes != 0;
        request.memory_bytes = preference->memory_bytes;
        request.has_most = preference->most != 0;
        request.most = preference->most;
    }
    if (call_method(client, service, "Suggest", &request.base, 0, false, &reply,
                    err) < 0)
        return -1;
    from = reply.message;
    result = result_new(reply.arena, sizeof(*result));
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    result->valid = from->valid;
    result->json = convert_text(from->suggestions_json);
    *ret_suggestions = result;
    return 0;
}

/* ---- place and release --------------------------------------------------- */

static struct serry_placed *placed(struct arena *arena,
                                   const Serried__V1__PlaceReply *from)
{
    struct serry_placed *result = result_new(arena, sizeof(*result));

    if (result == NULL)
        return NULL;
    result->name = convert_text(from->name);
    result->generation = convert_generation(from->generation);
    convert_digest(&from->digest, result->digest);
    result->verdict_json = convert_text(from->verdict_json);
    return result;
}

int serry_place(struct serry_client *client,
                const struct serry_document *document,
                const struct serry_write *write,
                struct serry_placed **ret_placed, struct serry_error *err)
{
    Serried__V1__PlaceRequest request = SERRIED__V1__PLACE_REQUEST__INIT;
    Serried__V1__Generation expected;
    Serried__V1__Document text;
    char room[CALL_KEY_BYTES];
    struct serry_placed *result;
    struct call_reply reply;

    if (call_key(write, room, &request.idempotency_key, err) < 0)
        return -1;
    request.document = convert_to_document(document, &text);
    if (write != NULL)
        request.expected = convert_to_generation(write->expected, &expected);
    if (call_method(client, service, "Place", &request.base, 0,
                    request.expected != NULL, &reply, err) < 0)
        return -1;
    result = placed(reply.arena, reply.message);
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    *ret_placed = result;
    return 0;
}

int serry_release(struct serry_client *client, const char *name,
                  const struct serry_write *write,
                  struct serry_released **ret_released, struct serry_error *err)
{
    Serried__V1__ReleaseRequest request = SERRIED__V1__RELEASE_REQUEST__INIT;
    const Serried__V1__ReleaseReply *from;
    Serried__V1__Generation expected;
    char room[CALL_KEY_BYTES];
    struct serry_released *result;
    struct call_reply reply;

    if (call_key(write, room, &request.idempotency_key, err) < 0)
        return -1;
    request.name = (char *)name;
    if (write != NULL)
        request.expected = convert_to_generation(write->expected, &expected);
    if (call_method(client, service, "Release", &request.base, 0,
                    request.expected != NULL, &reply, err) < 0)
        return -1;
    from = reply.message;
    result = result_new(reply.arena, sizeof(*result));
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    result->name = convert_text(from->name);
    result->generation = convert_generation(from->generation);
    *ret_released = result;
    return 0;
}

/* ---- placements ---------------------------------------------------------- */

static void read_info(const Serried__V1__PlacementInfo *from,
                      struct serry_placement *to)
{
    *to = (struct serry_placement){
        .name = convert_text(from->name),
        .generation = convert_generation(from->generation),
        .state = convert_text(from->state),
        .model = convert_text(from->model),
        .runtime = convert_text(from->runtime),
        .runtime_version = convert_text(from->runtime_version),
        .time_ms = from->time_ms,
        .who = convert_text(from->who),
        .ranks = from->ranks,
        .verdict_json = from->verdict_json,
    };
    convert_digest(&from->digest, to->digest);
    if (from->document != NULL)
        to->document = (struct serry_document){ from->document->text,
                                                from->document->source,
                                                from->document->line };
}

static int read_lease(struct arena *arena, const Serried__V1__PortLease *from,
                      struct serry_lease *to)
{
    struct serry_port_run *runs =
        arena_array(arena, from->n_runs + 1, sizeof(*runs));

    if (runs == NULL)
        return -1;
    for (size_t i = 0; i < from->n_runs; i++)
        runs[i] = (struct serry_port_run){
            .host = convert_text(from->runs[i]->host),
            .first = from->runs[i]->first,
            .count = from->runs[i]->has_count ? from->runs[i]->count : 1,
        };
    *to = (struct serry_lease){
        .purpose = convert_text(from->purpose),
        .on = convert_text(from->on),
        .seats = from->seats,
        .n_runs = from->n_runs,
        .runs = runs,
    };
    return 0;
}

/* -1: the arena is full. */
static int read_ports(struct arena *arena,
                      const Serried__V1__PlacementInfo *from,
                      struct serry_placement *to)
{
    struct serry_lease *ports =
        arena_array(arena, from->n_ports + 1, sizeof(*ports));

    if (ports == NULL)
        return -1;
    for (size_t i = 0; i < from->n_ports; i++)
        if (read_lease(arena, from->ports[i], &ports[i]) < 0)
            return -1;
    to->ports = ports;
    to->n_ports = from->n_ports;
    return 0;
}

int serry_get_placement(struct serry_client *client, const char *name,
                        struct serry_placement **ret_placement,
                        struct serry_error *err)
{
    return serry_get_placement_with(client, name, NULL, ret_placement, err);
}

int serry_get_placement_with(struct serry_client *client, const char *name,
                             const struct serry_wanted *wanted,
                             struct serry_placement **ret_placement,
                             struct serry_error *err)
{
    Serried__V1__GetPlacementRequest request =
        SERRIED__V1__GET_PLACEMENT_REQUEST__INIT;
    struct serry_placement *result;
    struct call_reply reply;

    request.name = (char *)name;
    if (wanted != NULL) {
        request.n_lists = wanted->n_lists;
        request.lists = (char **)wanted->lists;
        request.has_all_lists = request.all_lists = wanted->all_lists;
        request.has_views = request.views = wanted->views;
        request.has_per_rank = request.per_rank = wanted->per_rank;
        request.has_creation = request.creation = wanted->creation;
    }
    if (call_method(client, service, "GetPlacement", &request.base, 0, false,
                    &reply, err) < 0)
        return -1;
    result = result_new(reply.arena, sizeof(*result));
    if (result != NULL) {
        read_info(reply.message, result);
        if (read_ports(reply.arena, reply.message, result) < 0)
            result = NULL;
    }
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    *ret_placement = result;
    return 0;
}

static struct serry_placements *placements(const struct pages *pages)
{
    struct serry_placements *result = result_new(pages->arena, sizeof(*result));
    struct serry_placement **items =
        convert_array(pages->arena, pages->n, sizeof(**items));

    if (result == NULL || items == NULL)
        return NULL;
    for (size_t i = 0; i < pages->n; i++)
        read_info(pages->items[i], items[i]);
    result->count = pages->n;
    result->items = (const struct serry_placement *const *)items;
    return result;
}

static struct page read_page(const void *reply)
{
    const Serried__V1__ListPlacementsReply *from = reply;

    return (struct page){ (void *const *)from->placements, from->n_placements,
                          from->next_page_token };
}

int serry_list_placements(struct serry_client *client,
                          struct serry_placements **ret_placements,
                          struct serry_error *err)
{
    const struct paged paged = { service, "ListPlacements", read_page };
    Serried__V1__ListPlacementsRequest request =
        SERRIED__V1__LIST_PLACEMENTS_REQUEST__INIT;
    struct serry_placements *result;
    struct pages pages;

    if (pages_ask(client, &paged, &request.base, &request.page_token, &pages,
                  err) < 0)
        return -1;
    result = placements(&pages);
    if (convert_done(pages.arena, result, err) < 0)
        return -1;
    *ret_placements = result;
    return 0;
}

/* ---- watch --------------------------------------------------------------- */

enum { WATCH_MS_MAX = 30000 };

static struct serry_changes *changes(struct arena *arena,
                                     const Serried__V1__WatchReply *from)
{
    struct serry_changes *result = result_new(arena, sizeof(*result));

    if (result == NULL)
        return NULL;
    result->position = convert_generation(from->position);
    result->reset = from->reset;
    result->count = from->n_events;
    result->items = convert_events(arena, from->events, from->n_events);
    return result->items != NULL ? result : NULL;
}

int serry_watch(struct serry_client *client,
                const struct serry_generation *after, uint32_t wait_ms,
                struct serry_changes **ret_changes, struct serry_error *err)
{
    Serried__V1__WatchRequest request = SERRIED__V1__WATCH_REQUEST__INIT;
    Serried__V1__Generation position;
    struct serry_changes *result;
    struct call_reply reply;

    request.after = convert_to_generation(after, &position);
    request.has_wait_ms = true;
    request.wait_ms = wait_ms < WATCH_MS_MAX ? wait_ms : WATCH_MS_MAX;
    if (call_method(client, service, "Watch", &request.base, request.wait_ms,
                    false, &reply, err) < 0)
        return -1;
    result = changes(reply.arena, reply.message);
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    *ret_changes = result;
    return 0;
}
