/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments: fetching, reading, and what they say of the rank. */
#include "client/libserry/assignment.h"

#include <string.h>

#include "client/libserry/convert.h"

/* ---- reading ------------------------------------------------------------- */

static int make(struct arena *arena, const Serried__V1__Assignment *message,
                const void *bytes, size_t len, struct serry_assignment **ret,
                struct error *err)
{
    struct serry_assignment *a = result_new(arena, sizeof(*a));

    if (a == NULL)
        return error_exhausted(err);
    a->message = message;
    a->bytes = bytes;
    a->len = len;
    if (expand_assignment(arena, message, &a->expansion, err) < 0 ||
        assignment_read_nodes(arena, a, err) < 0 ||
        assignment_read_binding(arena, a, err) < 0)
        return -1;
    a->ports = ports_read(arena, message->ports, message->n_ports, err);
    if (a->ports == NULL)
        return -1;
    *ret = a;
    return 0;
}

int serry_assignment_parse(const void *bytes, size_t len,
                           struct serry_assignment **ret_assignment,
                           struct serry_error *err)
{
    struct arena *arena = arena_new(RESULT_BYTES_MAX);
    const Serried__V1__Assignment *message;
    struct error why;
    void *copy;

    if (arena == NULL)
        return refuse_exhausted(err);
    copy = arena_alloc(arena, len);
    if (copy == NULL) {
        refuse_exhausted(err);
        goto out;
    }
    if (len > 0)
        memcpy(copy, bytes, len);
    message =
        call_unpack(arena, &serried__v1__assignment__descriptor, copy, len);
    if (message == NULL) {
        refuse(err, SERRY_INVALID,
               "these %zu bytes cannot be read as an assignment: they are what "
               "serry_assignment_bytes() gives",
               len);
        goto out;
    }
    if (make(arena, message, copy, len, ret_assignment, &why) == 0)
        return 0;
    refuse_from(err, &why);
out:
    arena_free(arena);
    return -1;
}

static int refuse_other(const Serried__V1__Assignment *message,
                        struct error *err)
{
    return error_set(err, STATUS_INTERNAL,
                     "it is for rank %u of %.64s, which was not asked for",
                     message->rank, convert_text(message->placement));
}

/* An assignment of somebody else would put the worker in a wrong place. */
static int check_asked(const Serried__V1__Assignment *message,
                       const Serried__V1__GetAssignmentRequest *asked,
                       struct error *err)
{
    const Serried__V1__Binding *binding = message->binding;

    if (message->placement == NULL ||
        strcmp(message->placement, asked->placement) != 0 || !message->has_rank)
        return refuse_other(message, err);
    if (asked->has_rank)
        return message->rank == asked->rank ? 0 : refuse_other(message, err);
    if (binding == NULL || binding->local_rank != asked->local_rank ||
        strcmp(convert_text(binding->host), asked->host) != 0)
        return refuse_other(message, err);
    return 0;
}

static int fetch(struct serry_client *client,
                 Serried__V1__GetAssignmentRequest *request,
                 const struct serry_generation *generation,
                 struct serry_assignment **ret_assignment,
                 struct serry_error *err)
{
    Serried__V1__Generation wanted;
    struct call_reply reply;
    struct error why;

    request->generation = convert_to_generation(generation, &wanted);
    if (call_method(client, &serried__v1__worker__descriptor, "GetAssignment",
                    &request->base, 0, false, &reply, err) < 0)
        return -1;
    if (check_asked(reply.message, request, &why) == 0 &&
        make(reply.arena, reply.message, reply.bytes, reply.len, ret_assignment,
             &why) == 0)
        return 0;
    arena_free(reply.arena);
    error_wrap(&why, "the assignment that the daemon sent");
    return refuse(
        err, why.status == STATUS_EXHAUSTED ? SERRY_EXHAUSTED : SERRY_INTERNAL,
        "%s", why.text);
}

int serry_assignment(struct serry_client *client, const char *placement,
                     uint32_t rank, const struct serry_generation *generation,
                     struct serry_assignment **ret_assignment,
                     struct serry_error *err)
{
    Serried__V1__GetAssignmentRequest request =
        SERRIED__V1__GET_ASSIGNMENT_REQUEST__INIT;

    request.placement = (char *)placement;
    request.has_rank = true;
    request.rank = rank;
    return fetch(client, &request, generation, ret_assignment, err);
}

int serry_assignment_on_host(struct serry_client *client, const char *placement,
                             const char *host, uint32_t local_rank,
                             const struct serry_generation *generation,
                             struct serry_assignment **ret_assignment,
                             struct serry_error *err)
{
    Serried__V1__GetAssignmentRequest request =
        SERRIED__V1__GET_ASSIGNMENT_REQUEST__INIT;

    request.placement = (char *)placement;
    request.host = (char *)host;
    request.has_local_rank = true;
    request.local_rank = local_rank;
    return fetch(client, &request, generation, ret_assignment, err);
}

/* ---- accessors ----------------------------------------------------------- */

const void *serry_assignment_bytes(const struct serry_assignment *assignment,
                                   size_t *ret_len)
{
    *ret_len = assignment->len;
    return assignment->bytes;
}

const char *serry_assignment_placement(const struct serry_assignment *a)
{
    return convert_text(a->message->placement);
}

struct serry_generation
serry_assignment_generation(const struct serry_assignment *a)
{
    return convert_generation(a->message->generation);
}

uint32_t serry_assignment_rank(const struct serry_assignment *a)
{
    return a->message->rank;
}

uint32_t serry_assignment_listed_rank(const struct serry_assignment *a)
{
    return a->message->has_listed_rank ? a->message->listed_rank
                                       : a->message->rank;
}

uint32_t serry_assignment_world(const struct serry_assignment *a)
{
    return a->expansion.world;
}

const char *serry_assignment_model(const struct serry_assignment *a)
{
    return convert_text(a->message->model);
}

const char *serry_assignment_runtime(const struct serry_assignment *a)
{
    return convert_text(a->message->runtime);
}

const char *serry_assignment_carried_json(const struct serry_assignment *a)
{
    const char *json = a->message->carried_json;

    return json != NULL && json[0] != '\0' ? json : "{}";
}

const struct serry_binding *
serry_assignment_binding(const struct serry_assignment *a)
{
    return a->binding;
}

const struct serry_port *
serry_assignment_ports(const struct serry_assignment *a, size_t *ret_n)
{
    *ret_n = a->message->n_ports;
    return a->ports;
}

size_t serry_node_count(const struct serry_assignment *a)
{
    return a->n_nodes;
}

const struct serry_node *serry_node_at(const struct serry_assignment *a,
                                       size_t i)
{
    return a->nodes[i];
}

const struct serry_node *serry_node_find(const struct serry_assignment *a,
                                         const char *name)
{
    for (size_t i = 0; i < a->n_nodes; i++)
        if (strcmp(a->nodes[i]->name, name) == 0)
            return a->nodes[i];
    return NULL;
}

const struct serry_coordinate *
serry_node_coordinate(const struct serry_node *node, const char *axis)
{
    for (size_t i = 0; i < node->n_coordinates; i++)
        if (strcmp(node->coordinates[i]->axis, axis) == 0)
            return node->coordinates[i];
    return NULL;
}
