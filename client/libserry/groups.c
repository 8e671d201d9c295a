/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of an assignment, the order of their creation, and the proof. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "client/libserry/assignment.h"

size_t serry_list_count(const struct serry_assignment *a)
{
    return a->expansion.n_lists;
}

const char *serry_list_name(const struct serry_assignment *a, size_t i)
{
    return a->expansion.lists[i].name;
}

/* ---- lists --------------------------------------------------------------- */

static int refuse_list(const struct serry_assignment *a, const char *name,
                       struct serry_error *err)
{
    const char **names = NULL, *nearest = NULL;
    size_t n = a->expansion.n_lists;
    struct arena *arena = arena_new(RESULT_BYTES_MAX);

    if (arena != NULL)
        names = arena_array(arena, n, sizeof(*names));
    for (size_t i = 0; names != NULL && i < n; i++)
        names[i] = a->expansion.lists[i].name;
    if (names != NULL)
        nearest = text_nearest(name, names, n);
    if (nearest != NULL)
        refuse(err, SERRY_UNKNOWN_NAME,
               "there is no list %.64s; the nearest is %.64s", name, nearest);
    else
        refuse(err, SERRY_UNKNOWN_NAME,
               "there is no list %.64s among the %zu of the placement", name,
               n);
    arena_free(arena);
    return -1;
}

/* Where each group begins; NULL: no memory. */
static const uint32_t *make_begin(struct arena *arena,
                                  const struct lists *lists)
{
    uint32_t count = lists_count(lists), at = 0;
    uint32_t *begin = arena_array(arena, (size_t)count + 1, sizeof(*begin));

    for (uint32_t i = 0; begin != NULL && i < count; i++) {
        begin[i] = at;
        at += lists_length_of(lists, i);
    }
    if (begin != NULL)
        begin[count] = at;
    return begin;
}

int serry_groups(const struct serry_assignment *a, const char *list,
                 struct serry_groups **ret_groups, struct serry_error *err)
{
    const struct expand_list *found = expand_find(&a->expansion, list);
    struct serry_groups *groups;
    struct arena *arena;
    uint32_t *ranks;

    if (found == NULL)
        return refuse_list(a, list, err);
    arena = arena_new(RESULT_BYTES_MAX);
    if (arena == NULL)
        return refuse_exhausted(err);
    groups = result_new(arena, sizeof(*groups));
    ranks = arena_array(arena, lists_entries(&found->lists), sizeof(*ranks));
    if (groups != NULL)
        groups->begin = make_begin(arena, &found->lists);
    if (groups == NULL || ranks == NULL || groups->begin == NULL) {
        arena_free(arena);
        return refuse_exhausted(err);
    }
    lists_expand(&found->lists, found->map->ranks, found->map->offset, ranks);
    groups->count = lists_count(&found->lists);
    groups->length = lists_length(&found->lists);
    groups->ranks = ranks;
    *ret_groups = groups;
    return 0;
}

int serry_group_of(const struct serry_assignment *a, const char *list,
                   uint32_t rank, struct serry_group **ret_group,
                   struct serry_error *err)
{
    const struct expand_list *found = expand_find(&a->expansion, list);
    uint32_t length, index = LISTS_NONE, member = 0, *ranks;
    struct serry_group *group;
    struct arena *arena;
    int64_t position;

    if (found == NULL)
        return refuse_list(a, list, err);
    position = expand_position(found->map, rank);
    if (position >= 0)
        index = lists_find(&found->lists, (uint32_t)position, &member);
    if (index == LISTS_NONE)
        return refuse(err, SERRY_UNKNOWN_NAME,
                      "rank %" PRIu32 " is in no group of %.64s", rank, list);
    arena = arena_new(RESULT_BYTES_MAX);
    if (arena == NULL)
        return refuse_exhausted(err);
    length = lists_length_of(&found->lists, index);
    group = result_new(arena, sizeof(*group));
    ranks = arena_array(arena, length, sizeof(*ranks));
    if (group == NULL || ranks == NULL) {
        arena_free(arena);
        return refuse_exhausted(err);
    }
    lists_expand_one(&found->lists, index, found->map->ranks,
                     found->map->offset, ranks);
    *group = (struct serry_group){ index, member, length, ranks };
    *ret_group = group;
    return 0;
}

/* ---- creation ------------------------------------------------------------ */

struct serry_creation {
    struct creation creation;
    size_t next;
    uint32_t *ranks; /* room for the longest group */
};

static uint32_t longest_group(const struct expansion *expansion)
{
    uint32_t longest = 0;

    for (size_t i = 0; i < expansion->n_steps; i++)
        for (size_t k = 0; k < expansion->steps[i].n_sources; k++) {
            const struct creation_source *source =
                &expansion->steps[i].sources[k];

            if (lists_length(source->lists) > longest)
                longest = lists_length(source->lists);
        }
    return longest;
}

int serry_creation_begin(const struct serry_assignment *a,
                         struct serry_creation **ret_creation,
                         struct serry_error *err)
{
    struct arena *arena = arena_new(EXPAND_SEQUENCE_BYTES_MAX);
    struct serry_creation *creation;
    struct error why;

    if (arena == NULL)
        return refuse_exhausted(err);
    error_exhausted(&why);
    creation = result_new(arena, sizeof(*creation));
    if (creation != NULL)
        creation->ranks = arena_array(arena, longest_group(&a->expansion),
                                      sizeof(*creation->ranks));
    if (creation == NULL || creation->ranks == NULL ||
        expand_creation(arena, &a->expansion, &creation->creation, &why) < 0) {
        arena_free(arena);
        return refuse_from(err, &why);
    }
    *ret_creation = creation;
    return 0;
}

size_t serry_creation_count(const struct serry_creation *creation)
{
    return creation->creation.count;
}

bool serry_creation_next(struct serry_creation *creation,
                         struct serry_created *ret_created)
{
    struct created created;

    if (creation->next >= creation->creation.count)
        return false;
    created = creation_at(&creation->creation, creation->next++);
    created_ranks(&created, creation->ranks);
    *ret_created =
        (struct serry_created){ created.source->name, created.backend,
                                created_length(&created), creation->ranks };
    return true;
}

/* ---- digests ------------------------------------------------------------- */

static int compute(struct arena *arena, const struct serry_assignment *a,
                   struct expand_digests *ret, struct serry_error *err)
{
    struct error why;

    if (expand_digest(arena, &a->expansion, ret, &why) < 0)
        return refuse_from(err, &why);
    return 0;
}

int serry_digest(const struct serry_assignment *a,
                 struct serry_digests **ret_digests, struct serry_error *err)
{
    struct arena *arena = arena_new(EXPAND_SEQUENCE_BYTES_MAX);
    struct serry_digests *result;
    struct expand_digests digests;

    if (arena == NULL)
        return refuse_exhausted(err);
    if (compute(arena, a, &digests, err) < 0)
        goto out;
    result = result_new(arena, sizeof(*result));
    if (result == NULL) {
        refuse_exhausted(err);
        goto out;
    }
    memcpy(result->total, digests.total, sizeof(result->total));
    memcpy(result->sequence, digests.sequence, sizeof(result->sequence));
    result->n_lists = a->expansion.n_lists;
    result->lists = (const uint8_t(*)[SERRY_DIGEST_SHORT_BYTES])digests.lists;
    *ret_digests = result;
    return 0;
out:
    arena_free(arena);
    return -1;
}

int serry_verify(const struct serry_assignment *a, struct serry_error *err)
{
    struct arena *arena = arena_new(EXPAND_SEQUENCE_BYTES_MAX);
    struct expand_digests digests;
    struct error why;
    int rc;

    if (arena == NULL)
        return refuse_exhausted(err);
    rc = compute(arena, a, &digests, err);
    if (rc == 0 && expand_verify(a->message, &a->expansion, &digests, &why) < 0)
        rc = refuse(err, SERRY_INTERNAL, "%s", why.text);
    arena_free(arena);
    return rc;
}
