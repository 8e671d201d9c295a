/* SPDX-License-Identifier: Apache-2.0 */
/* Ports of a worker: what it is told, and the report of one in use. */
#include <inttypes.h>

#include "client/libserry/assignment.h"
#include "client/libserry/convert.h"

static int read_port(const Serried__V1__Port *from, struct serry_port *to,
                     struct error *err)
{
    if (from->purpose == NULL || from->purpose[0] == '\0')
        return error_set(err, STATUS_INVALID, "a port has no purpose");
    if (from->port < 1 || from->port > UINT16_MAX || from->group > INT32_MAX ||
        from->instance > INT32_MAX)
        return error_set(err, STATUS_INVALID,
                         "the port for %.64s is %" PRIu32
                         "; it is from 1 to 65535",
                         from->purpose, from->port);
    *to = (struct serry_port){
        .purpose = from->purpose,
        .port = from->port,
        .on = convert_text(from->on),
        .address = convert_text(from->address),
        .group = from->has_group ? (int32_t)from->group : -1,
        .instance = from->has_instance ? (int32_t)from->instance : -1,
        .confirms = from->confirms,
    };
    return 0;
}

const struct serry_port *ports_read(struct arena *arena,
                                    Serried__V1__Port *const *from, size_t n,
                                    struct error *err)
{
    struct serry_port *to = arena_array(arena, n + 1, sizeof(*to));

    if (to == NULL)
        error_exhausted(err);
    for (size_t i = 0; to != NULL && i < n; i++)
        if (read_port(from[i], &to[i], err) < 0)
            return NULL;
    return to;
}

static struct serry_port *reported(struct arena *arena,
                                   const Serried__V1__ReportPortReply *from,
                                   struct error *err)
{
    struct serry_port *to = result_new(arena, sizeof(*to));

    if (to == NULL)
        error_exhausted(err);
    else if (from->port == NULL)
        error_set(err, STATUS_INTERNAL, "the daemon's answer has no port");
    else if (read_port(from->port, to, err) == 0)
        return to;
    return NULL;
}

int serry_report_port(struct serry_client *client,
                      const struct serry_assignment *a,
                      const struct serry_port *port,
                      struct serry_port **ret_port, struct serry_error *err)
{
    Serried__V1__ReportPortRequest request =
        SERRIED__V1__REPORT_PORT_REQUEST__INIT;
    struct serry_port *result;
    struct call_reply reply;
    struct error why;

    request.placement = a->message->placement;
    request.generation = a->message->generation;
    request.has_rank = request.has_port = true;
    request.rank = a->message->rank;
    request.purpose = (char *)port->purpose;
    request.port = port->port;
    request.has_group = request.has_instance = port->group >= 0;
    request.group = (uint32_t)port->group;
    request.instance = (uint32_t)port->instance;
    if (call_method(client, &serried__v1__worker__descriptor, "ReportPort",
                    &request.base, 0, false, &reply, err) < 0)
        return -1;
    result = reported(reply.arena, reply.message, &why);
    if (result == NULL) {
        arena_free(reply.arena);
        return refuse_from(err, &why);
    }
    *ret_port = result;
    return 0;
}
