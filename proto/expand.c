/* SPDX-License-Identifier: Apache-2.0 */
/* Group lists, creation and digests out of an assignment that was received. */
#include "proto/expand.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/expand_map.h"

/* ---- lists --------------------------------------------------------------- */

static int check_name(const char *what, const char *name, struct error *err)
{
    size_t len = name != NULL ? strlen(name) : 0;

    if (len == 0 || len > EXPAND_NAME_MAX)
        return error_set(err, STATUS_INVALID,
                         "the name of a %s has %zu bytes; 1 to %d are allowed",
                         what, len, EXPAND_NAME_MAX);
    return 0;
}

static int read_dims(Serried__V1__Dim *const *from, size_t n, struct dim *to,
                     int *ret_n, struct error *err)
{
    if (n > VIEW_AXES_MAX + 1)
        return error_set(err, STATUS_INVALID,
                         "it has %zu dimensions in a row, at most %d are "
                         "allowed",
                         n, VIEW_AXES_MAX + 1);
    for (size_t d = 0; d < n; d++)
        to[d] = (struct dim){ from[d]->size, from[d]->stride };
    *ret_n = (int)n;
    return 0;
}

static int refuse_map(const Serried__V1__GroupList *from, size_t n_maps,
                      struct error *err)
{
    return error_set(err, STATUS_INVALID,
                     "it uses rank map %" PRIu32 ", there are %zu",
                     from->rank_map, n_maps);
}

static int read_strides(const Serried__V1__GroupList *from,
                        const struct expand_map *map, struct expand_list *to,
                        struct error *err)
{
    uint32_t span;

    to->name = from->name;
    to->map = map;
    to->lists.run = from->run;
    to->lists.take = from->take;
    if (read_dims(from->outer, from->n_outer, to->lists.outer,
                  &to->lists.n_outer, err) < 0 ||
        read_dims(from->inner, from->n_inner, to->lists.inner,
                  &to->lists.n_inner, err) < 0 ||
        lists_check(&to->lists, &span, err) < 0)
        return -1;
    if (span != map->positions)
        return error_set(err, STATUS_INVALID,
                         "it spans %" PRIu32 " positions, its rank map has "
                         "%" PRIu32,
                         span, map->positions);
    return 0;
}

/* members: counts what is read, over all lists. */
static int read_list(const struct expansion *expansion,
                     const Serried__V1__GroupList *from, size_t *members,
                     struct expand_list *to, struct error *err)
{
    if (from->rank_map >= expansion->n_maps)
        return refuse_map(from, expansion->n_maps, err);
    if (read_strides(from, &expansion->maps[from->rank_map], to, err) < 0)
        return -1;
    *members += to->map->positions;
    if (*members > EXPAND_MEMBERS_MAX)
        return error_set(err, STATUS_INVALID,
                         "all lists together have more than %d members",
                         (int)EXPAND_MEMBERS_MAX);
    return 0;
}

/* Reads n lists, each under a wrapped error. */
static struct expand_list *read_lists(struct arena *arena,
                                      const struct expansion *expansion,
                                      Serried__V1__GroupList *const *from,
                                      size_t n, size_t *members,
                                      struct error *err)
{
    struct expand_list *lists = arena_array(arena, n, sizeof(*lists));

    if (lists == NULL) {
        error_exhausted(err);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (check_name("list", from[i]->name, err) < 0)
            return NULL;
        if (read_list(expansion, from[i], members, &lists[i], err) < 0) {
            error_wrap(err, "list %.64s", from[i]->name);
            return NULL;
        }
    }
    return lists;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_names(struct arena *arena, const struct expansion *expansion,
                       struct error *err)
{
    const char **names = arena_array(arena, expansion->n_lists, sizeof(*names));

    if (names == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < expansion->n_lists; i++)
        names[i] = expansion->lists[i].name;
    qsort(names, expansion->n_lists, sizeof(*names), compare_names);
    for (size_t i = 1; i < expansion->n_lists; i++)
        if (strcmp(names[i], names[i - 1]) == 0)
            return error_set(err, STATUS_INVALID,
                             "the table has two lists named %.64s", names[i]);
    return 0;
}

static int read_table(struct arena *arena,
                      const Serried__V1__Assignment *message,
                      struct expansion *ret, struct error *err)
{
    size_t members = 0;

    if (message->n_lists > EXPAND_LISTS_MAX)
        return error_set(err, STATUS_INVALID,
                         "there are %zu group lists, at most %d are allowed",
                         message->n_lists, EXPAND_LISTS_MAX);
    ret->lists =
        read_lists(arena, ret, message->lists, message->n_lists, &members, err);
    if (ret->lists == NULL)
        return -1;
    ret->n_lists = message->n_lists;
    return check_names(arena, ret, err);
}

/* ---- creation ------------------------------------------------------------ */

static int read_step(struct arena *arena, const struct expansion *expansion,
                     const Serried__V1__CreateStep *from, size_t *members,
                     struct creation_step *to, struct error *err)
{
    struct creation_source *sources;
    struct expand_list *lists;

    if (check_name("backend", from->backend, err) < 0)
        return -1;
    lists =
        read_lists(arena, expansion, from->lists, from->n_lists, members, err);
    if (lists == NULL)
        return -1;
    sources = arena_array(arena, from->n_lists, sizeof(*sources));
    if (sources == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < from->n_lists; i++)
        sources[i] = (struct creation_source){ lists[i].name, &lists[i].lists,
                                               lists[i].map->ranks,
                                               lists[i].map->offset };
    *to = (struct creation_step){ from->backend, from->sorted, sources,
                                  from->n_lists };
    return 0;
}

static int read_creation(struct arena *arena,
                         const Serried__V1__Assignment *message,
                         struct expansion *ret, struct error *err)
{
    struct creation_step *steps;
    size_t members = 0;

    if (message->n_creation > CREATION_STEPS_MAX)
        return error_set(err, STATUS_INVALID,
                         "there are %zu creation steps, at most %d are allowed",
                         message->n_creation, CREATION_STEPS_MAX);
    steps = arena_array(arena, message->n_creation, sizeof(*steps));
    if (steps == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < message->n_creation; i++)
        if (read_step(arena, ret, message->creation[i], &members, &steps[i],
                      err) < 0)
            return error_wrap(err, "creation step %zu", i);
    ret->steps = steps;
    ret->n_steps = message->n_creation;
    return 0;
}

/* ---- what is given out --------------------------------------------------- */

int expand_assignment(struct arena *arena,
                      const Serried__V1__Assignment *message,
                      struct expansion *ret, struct error *err)
{
    struct expansion expansion = { 0 };

    if (expand_maps(arena, message, &expansion, err) < 0 ||
        read_table(arena, message, &expansion, err) < 0 ||
        read_creation(arena, message, &expansion, err) < 0)
        return -1;
    *ret = expansion;
    return 0;
}

int expand_one(struct arena *arena, const Serried__V1__Assignment *message,
               size_t i, struct expand_list *ret, struct error *err)
{
    const Serried__V1__GroupList *from = message->lists[i];
    struct expand_map *map = arena_array(arena, 1, sizeof(*map));
    uint32_t bound;

    if (map == NULL)
        return error_exhausted(err);
    if (from->rank_map >= message->n_rank_maps)
        return refuse_map(from, message->n_rank_maps, err);
    if (check_name("list", from->name, err) < 0 ||
        expand_map(arena, message->rank_maps[from->rank_map], &bound, map,
                   err) < 0)
        return -1;
    return read_strides(from, map, ret, err);
}

const struct expand_list *expand_find(const struct expansion *expansion,
                                      const char *name)
{
    for (size_t i = 0; i < expansion->n_lists; i++)
        if (strcmp(expansion->lists[i].name, name) == 0)
            return &expansion->lists[i];
    return NULL;
}

int expand_creation(struct arena *arena, const struct expansion *expansion,
                    struct creation *ret, struct error *err)
{
    return creation_make(arena, expansion->steps, expansion->n_steps, ret, err);
}

int expand_digest(struct arena *arena, const struct expansion *expansion,
                  struct expand_digests *ret, struct error *err)
{
    struct digest_builder *builder;
    struct creation sequence;

    if (expand_creation(arena, expansion, &sequence, err) < 0)
        return -1;
    builder = digest_begin(arena, (uint32_t)expansion->n_lists, err);
    if (builder == NULL)
        return -1;
    ret->lists = arena_array(arena, expansion->n_lists, sizeof(*ret->lists));
    if (ret->lists == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < expansion->n_lists; i++) {
        const struct expand_list *list = &expansion->lists[i];

        digest_add_list(builder, list->name, &list->lists, list->map->ranks,
                        list->map->offset, ret->lists[i]);
    }
    digest_end(builder, &sequence, ret->sequence, ret->total);
    return 0;
}

static bool bytes_equal(const ProtobufCBinaryData *a, const uint8_t *b,
                        size_t len)
{
    return a->len == len && memcmp(a->data, b, len) == 0;
}

size_t expand_differs(const Serried__V1__Assignment *message,
                      const struct expansion *expansion,
                      const struct expand_digests *digests)
{
    size_t i = 0;

    while (i < expansion->n_lists &&
           (i >= message->n_list_digests ||
            bytes_equal(&message->list_digests[i], digests->lists[i],
                        DIGEST_SHORT_BYTES)))
        i++;
    return i;
}

int expand_verify(const Serried__V1__Assignment *message,
                  const struct expansion *expansion,
                  const struct expand_digests *digests, struct error *err)
{
    size_t differs;

    if (!message->has_digest || message->digest.len != DIGEST_BYTES ||
        message->n_list_digests != expansion->n_lists)
        return error_set(err, STATUS_INVALID,
                         "the assignment lacks digests: one of %d bytes and "
                         "one of %d for each of its %zu lists",
                         DIGEST_BYTES, DIGEST_SHORT_BYTES, expansion->n_lists);
    differs = expand_differs(message, expansion, digests);
    if (differs < expansion->n_lists)
        return error_set(err, STATUS_INTERNAL,
                         "list %.64s: its groups here are not those of the "
                         "daemon",
                         expansion->lists[differs].name);
    if (!bytes_equal(&message->sequence_digest, digests->sequence,
                     DIGEST_SHORT_BYTES))
        return error_set(err, STATUS_INTERNAL,
                         "the creation sequence here is not that of the "
                         "daemon");
    if (!bytes_equal(&message->digest, digests->total, DIGEST_BYTES))
        return error_set(err, STATUS_INTERNAL,
                         "the digest here is not that of the daemon");
    return 0;
}
