/* SPDX-License-Identifier: Apache-2.0 */
/* Which groups of a worker are not those of its placement. */
#include "daemon/proof_name.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/wire.h"

/* The two sides, unpacked. */
struct sides {
    const char *placement;
    const Serried__V1__Assignment *common;
    const Serried__V1__JoinRequest *request;
    struct arena *arena;
};

static bool is_short(const ProtobufCBinaryData *digest,
                     const ProtobufCBinaryData *want)
{
    return digest->len == want->len &&
           memcmp(digest->data, want->data, want->len) == 0;
}

/* ---- what the worker says of its groups ---------------------------------- */

/* The digests of a span, as the worker has them. */
struct said {
    struct span span;
    const uint8_t *digests;
    uint32_t blocks;
    bool counted; /* span.count is known */
};

/* Those of the first groups, said without a span: how many there are in all is
 * known unless the message was full. */
static void said_first_groups(const Serried__V1__JoinRequest *request,
                              struct said *ret)
{
    size_t n = request->group_digests.len / DIGEST_SHORT_BYTES;

    if (n > SPAN_GROUPS_MAX)
        n = SPAN_GROUPS_MAX;
    ret->span = (struct span){ .list = request->differing_list,
                               .groups = (uint32_t)n,
                               .block = 1,
                               .count = (uint32_t)n };
    ret->digests = request->group_digests.data;
    ret->blocks = (uint32_t)n;
    ret->counted = n < SPAN_GROUPS_MAX;
}

static int said_span(const Serried__V1__JoinRequest *request, struct said *ret,
                     struct error *err)
{
    if (span_read(request->span, &ret->span, err) < 0)
        return -1;
    ret->blocks = span_blocks(&ret->span);
    ret->digests = request->span_digests.data;
    ret->counted = true;
    if (request->span_digests.len != (size_t)ret->blocks * DIGEST_SHORT_BYTES)
        return error_set(err, STATUS_INVALID,
                         "span_digests has %zu bytes: a span of %" PRIu32
                         " blocks has %d of each",
                         request->span_digests.len, ret->blocks,
                         DIGEST_SHORT_BYTES);
    return 0;
}

/* Whether the worker says anything of the groups of list i. */
static bool says_groups(const Serried__V1__JoinRequest *request, size_t i)
{
    if (request->span != NULL)
        return request->span->list == i;
    return request->has_group_digests && request->has_differing_list &&
           request->differing_list == i;
}

/* ---- the first that differs ---------------------------------------------- */

enum found {
    FOUND_NOTHING, /* what the worker says of its groups tells no difference */
    FOUND_PART,    /* the first is in this part */
    FOUND_GROUP,   /* it is this one */
};

/* Compares what was said with the groups of the list. *ret: the part or the
 * group. -1: STATUS_EXHAUSTED. */
static int find_first(const struct expand_list *list, const struct said *said,
                      struct arena *arena, enum found *ret_found,
                      struct span *ret, struct error *err)
{
    const uint32_t count = lists_count(&list->lists);
    const struct span here = span_clip(&said->span, count);
    const uint8_t *want = span_digests(arena, list, &here);
    uint32_t i = 0, n = span_blocks(&here), behind;

    if (want == NULL)
        return error_exhausted(err);
    while (i < n && i < said->blocks &&
           memcmp(want + (size_t)i * DIGEST_SHORT_BYTES,
                  said->digests + (size_t)i * DIGEST_SHORT_BYTES,
                  DIGEST_SHORT_BYTES) == 0)
        i++;
    if (i < n) {
        *ret = span_narrow(&said->span, i);
        ret->count = count;
        *ret_found = ret->groups == 1 ? FOUND_GROUP : FOUND_PART;
        return 0;
    }
    /* equal as far as both have groups: one may end here */
    behind = here.first + here.groups;
    *ret = (struct span){ said->span.list, behind, 1, 1, count };
    *ret_found =
        said->counted && (behind < count) != (behind < said->span.count)
            ? FOUND_GROUP
            : FOUND_NOTHING;
    return 0;
}

/* ---- words --------------------------------------------------------------- */

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
    span_put_group(list, index, out);
}

static void put_group(const struct expand_list *list, const struct said *said,
                      uint32_t index, struct text *out)
{
    text_printf(out, "; the first is its group %" PRIu32 ", ", index);
    if (index >= lists_count(&list->lists)) {
        text_put(out, "which the placement does not have");
        return;
    }
    text_put(out, "in the placement of ");
    span_put_group(list, index, out);
    if (said->counted && index >= said->span.count)
        text_put(out, ", which this worker does not have");
}

static void put_part(const struct span *part, struct text *out)
{
    text_printf(out, "; the first is one of its groups %" PRIu32 " to %" PRIu32,
                part->first, part->first + part->groups - 1);
}

/* ---- which --------------------------------------------------------------- */

/* Looks into list i by what the worker says of its groups. */
static int name_group(const struct sides *sides, const struct expand_list *list,
                      struct text *text, struct proof_answer *ret,
                      struct error *err)
{
    enum found found = FOUND_NOTHING;
    struct said said;

    if (sides->request->span == NULL)
        said_first_groups(sides->request, &said);
    else if (said_span(sides->request, &said, err) < 0)
        return -1;
    if (find_first(list, &said, sides->arena, &found, &ret->span, err) < 0)
        return -1;
    switch (found) {
    case FOUND_NOTHING:
        put_own_group(list, sides->request->rank, text);
        return 0;
    case FOUND_PART:
        ret->detail = SPAN_SAY;
        ret->more = true;
        put_part(&ret->span, text);
        /* asked for is what there is to compare it with */
        ret->span = span_clip(&ret->span, lists_count(&list->lists));
        return 0;
    case FOUND_GROUP:
        ret->detail = SPAN_GROUP;
        put_group(list, &said, ret->span.first, text);
        return 0;
    }
    return 0;
}

static int name_in_list(const struct sides *sides, size_t i,
                        struct proof_answer *ret, struct error *err)
{
    struct text text = { 0 };
    struct expand_list list;
    int rc;

    text_printf(&text,
                "DIGEST_DIFFERS: this worker's groups of the list %s are not "
                "those of %s",
                sides->common->lists[i]->name, sides->placement);
    rc = expand_one(sides->arena, sides->common, i, &list, err);
    if (rc == 0 && says_groups(sides->request, i)) {
        rc = name_group(sides, &list, &text, ret, err);
    } else if (rc == 0) {
        put_own_group(&list, sides->request->rank, &text);
        ret->detail = SPAN_SAY;
        ret->whole_list = true;
        ret->more = sides->request->span != NULL;
        ret->span = span_of_list((uint32_t)i, lists_count(&list.lists));
    }
    if (rc == 0)
        rc = error_set(err, STATUS_REFUSED, "%s", text_string(&text));
    text_close(&text);
    return rc;
}

static int name_difference(const struct sides *sides, struct proof_answer *ret,
                           struct error *err)
{
    const Serried__V1__Assignment *common = sides->common;
    const Serried__V1__JoinRequest *request = sides->request;

    if (request->n_list_digests != common->n_list_digests)
        return error_set(err, STATUS_REFUSED,
                         "DIGEST_DIFFERS: this worker has digests of %zu "
                         "lists, %s has %zu lists",
                         request->n_list_digests, sides->placement,
                         common->n_list_digests);
    for (size_t i = 0; i < common->n_list_digests; i++)
        if (!is_short(&request->list_digests[i], &common->list_digests[i]))
            return name_in_list(sides, i, ret, err);
    if (!is_short(&request->sequence_digest, &common->sequence_digest))
        return error_set(err, STATUS_REFUSED,
                         "DIGEST_DIFFERS: this worker would create the groups "
                         "of %s in another order",
                         sides->placement);
    return error_set(err, STATUS_REFUSED,
                     "DIGEST_DIFFERS: this worker's digest of %s is another "
                     "one, though each of its lists is the same",
                     sides->placement);
}

void proof_name(const struct proof_question *question, struct arena *arena,
                struct proof_answer *ret)
{
    struct sides sides = { .placement = question->placement, .arena = arena };

    *ret = (struct proof_answer){ 0 };
    sides.common = (const void *)wire_unpack(
        &serried__v1__assignment__descriptor, question->common,
        question->common_len, arena, &ret->err);
    if (sides.common == NULL)
        return;
    sides.request = (const void *)wire_unpack(
        &serried__v1__join_request__descriptor, question->request,
        question->request_len, arena, &ret->err);
    if (sides.request != NULL)
        name_difference(&sides, ret, &ret->err);
}
