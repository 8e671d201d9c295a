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

/* "ranks 2, 3": the members of a group. */
static void put_members(const struct expand_list *list, uint32_t index,
                        struct text *out)
{
    uint32_t length = lists_length_of(&list->lists, index);

    text_put(out, "ranks ");
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

/* "; in the placement rank 3 is in its group 1, of ranks 2, 3": the group that
 * the worker should have found itself in. */
static void put_own_group(const struct expand_list *list, uint32_t rank,
                          struct text *out)
{
    int64_t position = expand_position(list->map, rank);
    uint32_t index = LISTS_NONE, member;

    if (position >= 0)
        index = lists_find(&list->lists, (uint32_t)position, &member);
    if (index == LISTS_NONE)
        return;
    text_printf(out,
                "; in the placement rank %" PRIu32 " is in its group %" PRIu32
                ", of ",
                rank, index);
    put_members(list, index, out);
}

/* "; the first is its group 1, in the placement of ranks 2, 3". false: the
 * digests that the worker says of its groups tell none. */
static bool put_first_group(const struct expand_list *list,
                            const ProtobufCBinaryData *said,
                            struct arena *arena, struct text *out)
{
    size_t bytes, at = 0;
    uint8_t *want;

    if (expand_group_digests(arena, list, &want, &bytes, NULL) < 0)
        return false;
    while (at + DIGEST_SHORT_BYTES <= bytes &&
           at + DIGEST_SHORT_BYTES <= said->len &&
           memcmp(want + at, said->data + at, DIGEST_SHORT_BYTES) == 0)
        at += DIGEST_SHORT_BYTES;
    if (at == bytes && bytes == said->len)
        return false;
    text_printf(out, "; the first is its group %zu, ", at / DIGEST_SHORT_BYTES);
    if (at == bytes) {
        text_put(out, "which the placement does not have");
        return true;
    }
    text_put(out, "in the placement of ");
    put_members(list, (uint32_t)(at / DIGEST_SHORT_BYTES), out);
    return true;
}

static int refuse_list(const struct live *live,
                       const Serried__V1__Assignment *common,
                       const Serried__V1__JoinRequest *request,
                       struct arena *arena, size_t i, struct error *err)
{
    bool says_groups = request->has_group_digests &&
                       request->has_differing_list &&
                       request->differing_list == i;
    struct text text = { 0 };
    struct expansion expansion;

    text_printf(&text,
                "DIGEST_DIFFERS: this worker's groups of the list %s are not "
                "those of %s",
                common->lists[i]->name, live->name);
    if (expand_assignment(arena, common, &expansion, NULL) == 0 &&
        !(says_groups &&
          put_first_group(&expansion.lists[i], &request->group_digests, arena,
                          &text)))
        put_own_group(&expansion.lists[i], request->rank, &text);
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
            return refuse_list(live, common, request, arena, i, err);
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
