/* SPDX-License-Identifier: Apache-2.0 */
/* The boot of a worker: the methods of the service Worker but GetAssignment. */
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "client/libserry/assignment.h"
#include "client/libserry/convert.h"
#include "client/libserry/identity.h"

enum { AWAIT_MS_MAX = 30000 };

static const ProtobufCServiceDescriptor *const service =
    &serried__v1__worker__descriptor;

static const char *const states[] = {
    [SERRY_BOOTING] = "booting",
    [SERRY_READY] = "ready",
    [SERRY_DEGRADED] = "degraded",
};

uint64_t serry_incarnation(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

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

/* ---- Join ---------------------------------------------------------------- */

/* What its groups are where they are not those that the daemon has. */
static int say_groups(const struct serry_assignment *a,
                      const struct serry_digests *digests, struct arena *arena,
                      Serried__V1__JoinRequest *request)
{
    const struct expand_digests mine = {
        .lists = (uint8_t(*)[DIGEST_SHORT_BYTES])digests->lists,
    };
    size_t i = expand_differs(a->message, &a->expansion, &mine), bytes;
    uint8_t *groups;

    if (i == a->expansion.n_lists)
        return 0;
    if (expand_group_digests(arena, &a->expansion.lists[i], &groups, &bytes,
                             NULL) < 0)
        return -1;
    request->has_differing_list = request->has_group_digests = true;
    request->differing_list = (uint32_t)i;
    request->group_digests = (ProtobufCBinaryData){ bytes, groups };
    return 0;
}

static int join(struct serry_client *client, const struct serry_assignment *a,
                uint64_t incarnation, const char *address,
                struct serry_digests *digests, struct serry_error *err)
{
    Serried__V1__JoinRequest request = SERRIED__V1__JOIN_REQUEST__INIT;
    struct arena *arena = arena_new(RESULT_BYTES_MAX);
    ProtobufCBinaryData *lists = NULL;
    struct call_reply reply;
    struct identity identity;
    int rc;

    if (arena != NULL)
        lists = arena_array(arena, digests->n_lists + 1, sizeof(*lists));
    if (lists == NULL || say_groups(a, digests, arena, &request) < 0) {
        arena_free(arena);
        return refuse_exhausted(err);
    }
    for (size_t i = 0; i < digests->n_lists; i++)
        lists[i] = (ProtobufCBinaryData){ SERRY_DIGEST_SHORT_BYTES,
                                          (uint8_t *)digests->lists[i] };
    request.placement = a->message->placement;
    request.generation = a->message->generation;
    request.has_rank = request.has_incarnation = true;
    request.rank = a->message->rank;
    request.incarnation = incarnation;
    request.address = borrowed(address);
    request.has_digest = request.has_sequence_digest = true;
    request.digest =
        (ProtobufCBinaryData){ sizeof(digests->total), digests->total };
    request.n_list_digests = digests->n_lists;
    request.list_digests = lists;
    request.sequence_digest =
        (ProtobufCBinaryData){ sizeof(digests->sequence), digests->sequence };
    identity_read(&identity);
    if (identity.machine[0] != '\0')
        request.machine_id = identity.machine;
    if (identity.boot[0] != '\0')
        request.boot_id = identity.boot;
    rc = call_method(client, service, "Join", &request.base, 0, false, &reply,
                     err);
    arena_free(arena);
    return rc == 0 ? done(&reply) : -1;
}

int serry_join(struct serry_client *client, const struct serry_assignment *a,
               uint64_t incarnation, const char *address,
               struct serry_error *err)
{
    struct serry_digests *digests;
    int rc;

    if (serry_digest(a, &digests, err) < 0)
        return -1;
    rc = join(client, a, incarnation, address, digests, err);
    serry_free(digests);
    return rc;
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
