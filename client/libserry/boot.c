/* SPDX-License-Identifier: Apache-2.0 */
/* The boot of a worker: Await and Leave of the service Worker. */
#include <string.h>

#include "base/text.h"
#include "client/libserry/assignment.h"
#include "client/libserry/convert.h"

enum { AWAIT_MS_MAX = 30000 };

static const ProtobufCServiceDescriptor *const service =
    &serried__v1__worker__descriptor;

static const char *const states[] = {
    [SERRY_BOOTING] = "booting",
    [SERRY_READY] = "ready",
    [SERRY_DEGRADED] = "degraded",
};

/* Protobuf-c wants strings that it does not change as char *. */
static char *borrowed(const char *text)
{
    return (char *)text;
}

/* A reply that says nothing more. */
static int done(const struct call_reply *reply)
{
    arena_free(reply->arena);
    return 0;
}

/* ---- Await --------------------------------------------------------------- */

static struct serry_boot *boot(struct arena *arena,
                               const Serried__V1__AwaitReply *from,
                               struct error *err)
{
    struct serry_boot *to = result_new(arena, sizeof(*to));
    const char *state = convert_text(from->state);

    if (to == NULL) {
        error_exhausted(err);
        return NULL;
    }
    to->ports = ports_read(arena, from->ports, from->n_ports, err);
    if (to->ports == NULL)
        return NULL;
    to->n_ports = from->n_ports;
    for (size_t i = 0; i < ARRAY_LEN(states); i++)
        if (strcmp(states[i], state) == 0)
            to->state = (enum serry_boot_state)i;
    to->joined = from->joined;
    to->world = from->world;
    to->master_address = convert_text(from->master_address);
    to->master_port = from->master_port;
    to->store_prefix = convert_text(from->store_prefix);
    to->n_missing = from->n_missing;
    to->missing = from->missing;
    to->n_missing_hosts = from->n_missing_hosts;
    to->missing_hosts = (const char *const *)from->missing_hosts;
    to->retry_ms = from->retry_ms;
    return to;
}

static int await_once(struct serry_client *client,
                      const struct serry_assignment *a, uint64_t incarnation,
                      enum serry_boot_state known, uint32_t wait_ms,
                      struct serry_boot **ret_boot, struct serry_error *err)
{
    Serried__V1__AwaitRequest request = SERRIED__V1__AWAIT_REQUEST__INIT;
    struct serry_boot *result;
    struct call_reply reply;
    struct error why;

    request.placement = a->message->placement;
    request.generation = a->message->generation;
    request.has_rank = request.has_incarnation = request.has_wait_ms = true;
    request.rank = a->message->rank;
    request.incarnation = incarnation;
    request.wait_ms = wait_ms < AWAIT_MS_MAX ? wait_ms : AWAIT_MS_MAX;
    request.state = borrowed(states[known]);
    if (call_method(client, service, "Await", &request.base, request.wait_ms,
                    false, &reply, err) < 0)
        return -1;
    result = boot(reply.arena, reply.message, &why);
    if (result == NULL) {
        arena_free(reply.arena);
        return refuse_from(err, &why);
    }
    *ret_boot = result;
    return 0;
}

int serry_await(struct serry_client *client, const struct serry_assignment *a,
                uint64_t incarnation, const char *address,
                enum serry_boot_state known, uint32_t wait_ms,
                struct serry_boot **ret_boot, struct serry_error *err)
{
    static const char not_joined[] = "NOT_JOINED";
    struct serry_error why = SERRY_ERROR_INIT;
    int rc;

    if ((unsigned)known >= ARRAY_LEN(states))
        return refuse(err, SERRY_INVALID, "there is no boot state %d",
                      (int)known);
    rc = await_once(client, a, incarnation, known, wait_ms, ret_boot, &why);
    if (rc < 0 && why.status == SERRY_REFUSED &&
        strncmp(why.text, not_joined, strlen(not_joined)) == 0) {
        /* the daemon was started anew and knows nobody yet */
        rc = serry_join(client, a, incarnation, address, &why);
        if (rc == 0)
            rc = await_once(client, a, incarnation, known, wait_ms, ret_boot,
                            &why);
    }
    if (rc == 0) {
        serry_error_clear(&why);
        return 0;
    }
    if (err != NULL) {
        serry_error_clear(err);
        *err = why; /* with what it owns */
    } else {
        serry_error_clear(&why);
    }
    return -1;
}

/* ---- Leave --------------------------------------------------------------- */

int serry_leave(struct serry_client *client, const struct serry_assignment *a,
                uint64_t incarnation, struct serry_error *err)
{
    Serried__V1__LeaveRequest request = SERRIED__V1__LEAVE_REQUEST__INIT;
    struct call_reply reply;

    request.placement = a->message->placement;
    request.generation = a->message->generation;
    request.has_rank = request.has_incarnation = true;
    request.rank = a->message->rank;
    request.incarnation = incarnation;
    if (call_method(client, service, "Leave", &request.base, 0, false, &reply,
                    err) < 0)
        return -1;
    return done(&reply);
}
