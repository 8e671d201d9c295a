/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of the service Admin. */
#include "client/libserry/convert.h"

static const ProtobufCServiceDescriptor *const service =
    &serried__v1__admin__descriptor;

int serry_status(struct serry_client *client, struct serry_daemon **ret_daemon,
                 struct serry_error *err)
{
    const Serried__V1__StatusRequest request =
        SERRIED__V1__STATUS_REQUEST__INIT;
    const Serried__V1__StatusReply *from;
    struct serry_daemon *result;
    struct call_reply reply;

    if (call_method(client, service, "Status", &request.base, 0, false, &reply,
                    err) < 0)
        return -1;
    from = reply.message;
    result = result_new(reply.arena, sizeof(*result));
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    *result = (struct serry_daemon){
        .version = convert_text(from->version),
        .position = convert_generation(from->position),
        .started_ms = from->started_ms,
        .address = convert_text(from->address),
        .models = from->models,
        .runtimes = from->runtimes,
        .placements = from->placements,
        .connections = from->connections,
        .calls = from->calls,
        .refused_calls = from->refused_calls,
        .calls_in_flight = from->calls_in_flight,
        .descriptors = from->descriptors,
        .draining = from->draining,
    };
    *ret_daemon = result;
    return 0;
}

static struct serry_events *events(struct arena *arena,
                                   const Serried__V1__EventsReply *from)
{
    struct serry_events *result = result_new(arena, sizeof(*result));

    if (result == NULL)
        return NULL;
    result->count = from->n_events;
    result->items = convert_events(arena, from->events, from->n_events);
    return result->items != NULL ? result : NULL;
}

int serry_events(struct serry_client *client, uint64_t before, uint32_t limit,
                 struct serry_events **ret_events, struct serry_error *err)
{
    Serried__V1__EventsRequest request = SERRIED__V1__EVENTS_REQUEST__INIT;
    struct serry_events *result;
    struct call_reply reply;

    request.has_before = before != 0;
    request.before = before;
    request.has_limit = limit != 0;
    request.limit = limit;
    if (call_method(client, service, "Events", &request.base, 0, false, &reply,
                    err) < 0)
        return -1;
    result = events(reply.arena, reply.message);
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    *ret_events = result;
    return 0;
}

int serry_diagnose(struct serry_client *client, const char *placement,
                   struct serry_diagnosis **ret_diagnosis,
                   struct serry_error *err)
{
    Serried__V1__DiagnoseRequest request = SERRIED__V1__DIAGNOSE_REQUEST__INIT;
    const Serried__V1__DiagnoseReply *from;
    struct serry_diagnosis *result;
    struct call_reply reply;

    request.placement = (char *)placement;
    if (call_method(client, service, "Diagnose", &request.base, 0, false,
                    &reply, err) < 0)
        return -1;
    from = reply.message;
    result = result_new(reply.arena, sizeof(*result));
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    *result = (struct serry_diagnosis){ from->healthy,
                                        convert_text(from->report_json) };
    *ret_diagnosis = result;
    return 0;
}
