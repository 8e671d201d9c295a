/* SPDX-License-Identifier: Apache-2.0 */
/* The proof that a worker has the same groups as everybody else. */
#include "daemon/proof.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "daemon/wire.h"
#include "proto/expand.h"

enum { SHOWN_RANKS_MAX = 8 };

static bool is_short(const ProtobufCBinaryData *digest,
                     const ProtobufCBinaryData *want)
{
    return digest->len == want->len &&
           memcmp(digest->data, want->data, want->len) == 0;
}

/* "; there rank 3 stands with ranks 2, 3": the group that the worker should
 * have found itself in. */
static void put_group(const struct expand_list *list, uint32_t rank,
                      struct text *out)
{
    int64_t position = expand_position(list->map, rank);
    uint32_t index = LISTS_NONE, member, length;

    if (position >= 0)
        index = lists_find(&list->lists, (uint32_t)position, &member);
    if (index == LISTS_NONE)
        return;
    length = lists_length_of(&list->lists, index);
    text_printf(out,
                "; in the placement rank %" PRIu32 " is in its group %" PRIu32
                ", of ranks ",
                rank, index);
    for (uint32_t j = 0; j < length && j < SHOWN_RANKS_MAX; j++) {
        uint32_t at = lists_member(&list->lists, index, j);
        uint32_t member_rank =
            (list->map->ranks != NULL ? list->map->ranks[at] : at) +
            list->map->offset;

        text_printf(out, "%s%" PRIu32, j > 0 ? ", " : "", member_rank);
    }
    if (length > SHOWN_RANKS_MAX)
        text_printf(out, " and %" PRIu32 " more", length - SHOWN_RANKS_MAX);
}

static int refuse_list(const struct live *live,
                       const Serried__V1__Assignment *common,
                       struct arena *arena, size_t i, uint32_t rank,
                       struct error *err)
{
    struct text text = { 0 };
    struct expansion expansion;

    text_printf(&text,
                "DIGEST_DIFFERS: this worker's groups of the list %s are not "
                "those of %s",
                common->lists[i]->name, live->name);
    if (expand_assignment(arena, common, &expansion, NULL) == 0)
        put_group(&expansion.lists[i], rank, &text);
    error_set(err, STATUS_REFUSED, "%s", text_string(&text));
    text_close(&text);
    return -1;
}

/* Finds what differs, when the whole does. */
static int name_difference(const struct live *live,
                           const Serried__V1__JoinRequest *request,
                           struct arena *arena, struct error *err)
{
    const Serried__V1__Assignment *common = (const void *)wire_unpack(
        &serried__v1__assignment__descriptor, live->common.packed,
        live->common.len, arena, err);

    if (common == NULL)
        return -1;
    if (request->n_list_digests != common->n_list_digests)
        return error_set(err, STATUS_REFUSED,
                         "DIGEST_DIFFERS: this worker has digests of %zu "
                         "lists, %s has %zu lists",
                         request->n_list_digests, live->name,
                         common->n_list_digests);
    for (size_t i = 0; i < common->n_list_digests; i++)
        if (!is_short(&request->list_digests[i], &common->list_digests[i]))
            return refuse_list(live, common, arena, i, request->rank, err);
    if (!is_short(&request->sequence_digest, &common->sequence_digest))
        return error_set(err, STATUS_REFUSED,
                         "DIGEST_DIFFERS: this worker would create the groups "
                         "of %s in another order",
                         live->name);
    return error_set(err, STATUS_REFUSED,
                     "DIGEST_DIFFERS: this worker's digest of %s is another "
                     "one, though each of its lists is the same",
                     live->name);
}

int proof_check(const struct live *live,
                const Serried__V1__JoinRequest *request, struct arena *arena,
                struct error *err)
{
    if (!request->has_digest || request->digest.len != DIGEST_BYTES)
        return error_set(err, STATUS_INVALID,
                         "the request has no digest of %d bytes: a worker "
                         "proves that it made the same groups",
                         DIGEST_BYTES);
    if (memcmp(request->digest.data, live->common.digest, DIGEST_BYTES) == 0)
        return 0;
    return name_difference(live, request, arena, err);
}
