/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of the service Cluster: hosts. */
#include "client/libserry/convert.h"
#include "client/libserry/pages.h"

static const ProtobufCServiceDescriptor *const service =
    &serried__v1__cluster__descriptor;

static struct serry_applied_hosts *
applied(struct arena *arena, const Serried__V1__ApplyHostsReply *from)
{
    struct serry_applied_hosts *result = result_new(arena, sizeof(*result));
    size_t n =
        from->n_names < from->n_changed ? from->n_names : from->n_changed;
    bool *changed = arena_array(arena, n + 1, sizeof(*changed));

    if (result == NULL || changed == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        changed[i] = from->changed[i];
    result->count = n;
    result->names = (const char *const *)from->names;
    result->changed = changed;
    return result;
}

int serry_apply_hosts(struct serry_client *client,
                      const struct serry_document *document,
                      int64_t first_index, const struct serry_write *write,
                      struct serry_applied_hosts **ret_applied,
                      struct serry_error *err)
{
    Serried__V1__ApplyHostsRequest request =
        SERRIED__V1__APPLY_HOSTS_REQUEST__INIT;
    const Serried__V1__ApplyHostsReply *from;
    struct serry_applied_hosts *result;
    Serried__V1__Document text;
    char room[CALL_KEY_BYTES];
    struct call_reply reply;

    if (call_key(write, room, &request.idempotency_key, err) < 0)
        return -1;
    request.document = convert_to_document(document, &text);
    request.has_first_index = first_index >= 0;
    request.first_index = (uint32_t)first_index;
    if (call_method(client, service, "ApplyHosts", &request.base, 0, false,
                    &reply, err) < 0)
        return -1;
    from = reply.message;
    result = applied(reply.arena, from);
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    *ret_applied = result;
    return 0;
}

static struct serry_host host(const Serried__V1__HostInfo *from)
{
    return (struct serry_host){
        .name = convert_text(from->name),
        .index = from->index,
        .state = convert_text(from->state),
        .why = convert_text(from->why),
        .who = convert_text(from->who),
        .since_ms = from->since_ms,
        .machine_id = convert_text(from->machine_id),
        .boot_id = convert_text(from->boot_id),
        .seen_ms = from->seen_ms,
        .devices_known = from->has_devices,
        .devices = from->devices,
        .free = from->free,
        .domain = convert_text(from->domain),
        .rack = convert_text(from->rack),
        .revision = from->revision,
        .n_placements = from->n_placements,
        .placements = (const char *const *)from->placements,
        .document = from->document,
        .all_placements = from->has_all_placements ? from->all_placements
                                                   : from->n_placements,
    };
}

static int hand_out(struct arena *arena, void *const *from, size_t n,
                    struct serry_hosts **ret_hosts, struct serry_error *err)
{
    struct serry_hosts *result = result_new(arena, sizeof(*result));
    struct serry_host **items = convert_array(arena, n, sizeof(**items));

    if (items == NULL)
        result = NULL;
    for (size_t i = 0; result != NULL && i < n; i++)
        *items[i] = host(from[i]);
    if (convert_done(arena, result, err) < 0)
        return -1;
    result->count = n;
    result->items = (const struct serry_host *const *)items;
    *ret_hosts = result;
    return 0;
}

static struct page read_page(const void *reply)
{
    const Serried__V1__ListHostsReply *from = reply;

    return (struct page){ (void *const *)from->hosts, from->n_hosts,
                          from->next_page_token };
}

int serry_list_hosts(struct serry_client *client, const char *const *names,
                     size_t n_names, struct serry_hosts **ret_hosts,
                     struct serry_error *err)
{
    const struct paged paged = { service, "ListHosts", read_page };
    Serried__V1__ListHostsRequest request =
        SERRIED__V1__LIST_HOSTS_REQUEST__INIT;
    struct pages pages;

    request.names = (char **)names;
    request.n_names = n_names;
    if (pages_ask(client, &paged, &request.base, &request.page_token, &pages,
                  err) < 0)
        return -1;
    return hand_out(pages.arena, pages.items, pages.n, ret_hosts, err);
}

int serry_set_host_state(struct serry_client *client, const char *const *names,
                         size_t n_names, const char *state, const char *why,
                         const struct serry_write *write,
                         struct serry_hosts **ret_hosts,
                         struct serry_error *err)
{
    Serried__V1__SetHostStateRequest request =
        SERRIED__V1__SET_HOST_STATE_REQUEST__INIT;
    const Serried__V1__SetHostStateReply *from;
    char room[CALL_KEY_BYTES];
    struct call_reply reply;

    if (call_key(write, room, &request.idempotency_key, err) < 0)
        return -1;
    request.names = (char **)names;
    request.n_names = n_names;
    request.state = (char *)state;
    request.why = (char *)why;
    if (call_method(client, service, "SetHostState", &request.base, 0, false,
                    &reply, err) < 0)
        return -1;
    from = reply.message;
    return hand_out(reply.arena, (void *const *)from->hosts, from->n_hosts,
                    ret_hosts, err);
}

int serry_remove_hosts(struct serry_client *client, const char *const *names,
                       size_t n_names, const struct serry_write *write,
                       struct serry_error *err)
{
    Serried__V1__RemoveHostsRequest request =
        SERRIED__V1__REMOVE_HOSTS_REQUEST__INIT;
    char room[CALL_KEY_BYTES];
    struct call_reply reply;

    if (call_key(write, room, &request.idempotency_key, err) < 0)
        return -1;
    request.names = (char **)names;
    request.n_names = n_names;
    if (call_method(client, service, "RemoveHosts", &request.base, 0, false,
                    &reply, err) < 0)
        return -1;
    arena_free(reply.arena);
    return 0;
}
