/* SPDX-License-Identifier: Apache-2.0 */
/* Join: a worker is there, and proves that it made the same groups. */
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "client/libserry/assignment.h"
#include "client/libserry/call.h"
#include "client/libserry/identity.h"
#include "proto/span.h"

uint64_t serry_incarnation(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* What is the same in each Join of one worker. */
struct joining {
    struct serry_client *client;
    const struct serry_assignment *a;
    struct serry_digests *digests;
    uint64_t incarnation;
    const char *address;
};

/* ---- one call ------------------------------------------------------------ */

static int fill(const struct joining *j, struct identity *identity,
                struct arena *arena, Serried__V1__JoinRequest *request)
{
    struct serry_digests *digests = j->digests;
    ProtobufCBinaryData *lists =
        arena_array(arena, digests->n_lists + 1, sizeof(*lists));

    if (lists == NULL)
        return -1;
    for (size_t i = 0; i < digests->n_lists; i++)
        lists[i] = (ProtobufCBinaryData){ SERRY_DIGEST_SHORT_BYTES,
                                          (uint8_t *)digests->lists[i] };
    request->placement = j->a->message->placement;
    request->generation = j->a->message->generation;
    request->has_rank = request->has_incarnation = true;
    request->rank = j->a->message->rank;
    request->incarnation = j->incarnation;
    request->address = (char *)j->address;
    request->has_digest = request->has_sequence_digest = true;
    request->digest =
        (ProtobufCBinaryData){ sizeof(digests->total), digests->total };
    request->n_list_digests = digests->n_lists;
    request->list_digests = lists;
    request->sequence_digest =
        (ProtobufCBinaryData){ sizeof(digests->sequence), digests->sequence };
    identity_read(identity);
    if (identity->machine[0] != '\0')
        request->machine_id = identity->machine;
    if (identity->boot[0] != '\0')
        request->boot_id = identity->boot;
    return 0;
}

/* Says the groups of a span, in blocks. */
static int say_groups(const struct serry_assignment *a, const struct span *span,
                      struct arena *arena, Serried__V1__GroupSpan *groups,
                      Serried__V1__JoinRequest *request)
{
    uint8_t *digests =
        span_digests(arena, &a->expansion.lists[span->list], span);

    if (digests == NULL)
        return -1;
    span_write(span, groups);
    request->span = groups;
    request->has_span_digests = true;
    request->span_digests =
        (ProtobufCBinaryData){ (size_t)span_blocks(span) * DIGEST_SHORT_BYTES,
                               digests };
    return 0;
}

/* span: what is said of the groups, NULL: nothing. *ret_refusal: the daemon's,
 * in arena; NULL: it was not that. */
static int join_once(const struct joining *j, const struct span *span,
                     struct arena *arena,
                     const Serried__V1__Answer **ret_refusal,
                     struct serry_error *err)
{
    Serried__V1__JoinRequest request = SERRIED__V1__JOIN_REQUEST__INIT;
    Serried__V1__GroupSpan groups = SERRIED__V1__GROUP_SPAN__INIT;
    struct call_reply reply;
    struct identity identity;

    *ret_refusal = NULL;
    if (fill(j, &identity, arena, &request) < 0 ||
        (span != NULL && say_groups(j->a, span, arena, &groups, &request) < 0))
        return refuse_exhausted(err);
    return call_method_in(j->client, arena, &serried__v1__worker__descriptor,
                          "Join", &request.base, ret_refusal, &reply, err);
}

/* ---- which group differs ------------------------------------------------- */

static const struct expand_list *list_at(const struct serry_assignment *a,
                                         uint32_t i)
{
    return i < a->expansion.n_lists ? &a->expansion.lists[i] : NULL;
}

/* The first list that is not as its assignment says, if there is one. */
static bool first_span(const struct joining *j, struct span *ret)
{
    const struct expand_digests mine = {
        .lists = (uint8_t(*)[DIGEST_SHORT_BYTES])j->digests->lists,
    };
    size_t i = expand_differs(j->a->message, &j->a->expansion, &mine);
    const struct expand_list *list = list_at(j->a, (uint32_t)i);

    if (list == NULL)
        return false;
    *ret = span_of_list((uint32_t)i, lists_count(&list->lists));
    return true;
}

/* The span that a refusal asks for, as far as it is there. false: none. */
static bool span_asked(const struct serry_assignment *a,
                       const Serried__V1__GroupSpan *asked, struct span *ret)
{
    const struct expand_list *list = list_at(a, asked->list);
    uint32_t count = list != NULL ? lists_count(&list->lists) : 0;
    struct span span;

    if (list == NULL)
        return false;
    if (!asked->has_groups) {
        *ret = span_of_list(asked->list, count);
        return true;
    }
    if (span_read(asked, &span, NULL) < 0)
        return false;
    *ret = span_clip(&span, count);
    return true;
}

/* ", here of ranks 3, 2": what this side has in place of the group that is
 * named. */
static void put_own(const struct serry_assignment *a,
                    const Serried__V1__GroupSpan *group,
                    struct serry_error *err)
{
    const struct expand_list *list = list_at(a, group->list);
    struct text text = { 0 };

    if (list == NULL || group->first >= lists_count(&list->lists))
        return; /* the daemon says that it is not there */
    text_put(&text, err->text);
    text_put(&text, ", here of ");
    span_put_group(list, group->first, &text);
    if (!text.failed && text.len < sizeof(err->text))
        strcpy(err->text, text_string(&text));
    text_close(&text);
}

/* Whether to join again, with the groups of *span. Else err is the last word.
 */
static bool asks_more(const struct serry_assignment *a,
                      const Serried__V1__Answer *refusal, struct span *span,
                      struct serry_error *err)
{
    const Serried__V1__Detail *detail;

    if (refusal == NULL || refusal->n_details == 0)
        return false;
    detail = refusal->details[0];
    if (detail->type == NULL || detail->groups == NULL)
        return false;
    if (strcmp(detail->type, SPAN_SAY) == 0)
        return span_asked(a, detail->groups, span);
    if (strcmp(detail->type, SPAN_GROUP) == 0 && err != NULL)
        put_own(a, detail->groups, err);
    return false;
}

/* Where the daemon finds other groups, it is told more of them until it names
 * the first one. */
static int join(const struct joining *j, struct serry_error *err)
{
    struct arena *arena = arena_new(RESULT_BYTES_MAX);
    const Serried__V1__Answer *refusal;
    struct span span;
    bool says;
    int rc = -1;

    if (arena == NULL)
        return refuse_exhausted(err);
    says = first_span(j, &span);
    for (int step = 0; rc < 0 && step < SPAN_STEPS_MAX; step++) {
        rc = join_once(j, says ? &span : NULL, arena, &refusal, err);
        says = rc < 0 && asks_more(j->a, refusal, &span, err);
        if (!says)
            break;
    }
    arena_free(arena);
    return rc;
}

int serry_join(struct serry_client *client, const struct serry_assignment *a,
               uint64_t incarnation, const char *address,
               struct serry_error *err)
{
    struct joining j = {
        .client = client, .a = a, .incarnation = incarnation, .address = address
    };
    int rc;

    if (serry_digest(a, &j.digests, err) < 0)
        return -1;
    rc = join(&j, err);
    serry_free(j.digests);
    return rc;
}
