/* SPDX-License-Identifier: Apache-2.0 */
/* The creation sequence: every group that anyone creates, in one order. */
#include "placement/creation.h"

#include <string.h>

/* A source of any step. */
struct creation_part {
    const struct creation_source *source;
    const char *backend;
    uint32_t backend_number; /* equal for equal names */
};

struct creation_item {
    uint32_t part, list;
};

/* A group while it is sorted. */
struct entry {
    uint64_t key; /* the first two ranks, which nearly always decide */
    uint32_t part, list;
    uint32_t position; /* in the sequence, once that is known */
};

/* Marks items that are dropped. */
#define PART_NONE UINT32_MAX

struct maker {
    struct creation_part *parts;
    struct entry *entries, *spare;
    size_t n_entries;
};

uint32_t created_length(const struct created *created)
{
    return lists_length_of(created->source->lists, created->list);
}

void created_ranks(const struct created *created, uint32_t *ret)
{
    lists_expand_one(created->source->lists, created->list,
                     created->source->ranks, created->source->offset, ret);
}

struct created creation_at(const struct creation *creation, size_t i)
{
    struct creation_item item = creation->items[i];
    const struct creation_part *part = &creation->parts[item.part];

    return (struct created){ part->source, part->backend, item.list };
}

/* ---- order -------------------------------------------------------------- */

static uint32_t rank_at(const struct creation_source *source, uint32_t position)
{
    return (source->ranks != NULL ? source->ranks[position] : position) +
           source->offset;
}

/* Whether two lists are equal because they come from one place, without a look
 * at their members. */
static bool same_place(const struct creation_source *a, uint32_t list_a,
                       const struct creation_source *b, uint32_t list_b)
{
    return list_a == list_b && a->ranks == b->ranks && a->offset == b->offset &&
           lists_equal(a->lists, b->lists);
}

static int compare_ranks(const struct creation_source *a, uint32_t list_a,
                         const struct creation_source *b, uint32_t list_b)
{
    uint32_t na = lists_length_of(a->lists, list_a);
    uint32_t nb = lists_length_of(b->lists, list_b);

    if (same_place(a, list_a, b, list_b))
        return 0;
    for (uint32_t j = 2; j < na && j < nb; j++) {
        uint32_t x = rank_at(a, lists_member(a->lists, list_a, j));
        uint32_t y = rank_at(b, lists_member(b->lists, list_b, j));

        if (x != y)
            return x < y ? -1 : 1;
    }
    return (na > nb) - (na < nb);
}

/* By ranks, then by backend, so that what is created once stands together. */
static int compare(const struct maker *maker, const struct entry *a,
                   const struct entry *b)
{
    const struct creation_part *pa = &maker->parts[a->part];
    const struct creation_part *pb = &maker->parts[b->part];
    int order;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    order = compare_ranks(pa->source, a->list, pb->source, b->list);
    if (order != 0)
        return order;
    return (pa->backend_number > pb->backend_number) -
           (pa->backend_number < pb->backend_number);
}

/* The end of the ascending run that starts at begin. */
static size_t run_end(const struct maker *maker, const struct entry *entries,
                      size_t begin, size_t n)
{
    size_t end = begin + 1;

    if (begin >= n)
        return n;
    while (end < n && compare(maker, &entries[end], &entries[end - 1]) >= 0)
        end++;
    return end;
}

static void merge(const struct maker *maker, const struct entry *a, size_t na,
                  const struct entry *b, size_t nb, struct entry *ret)
{
    while (na > 0 && nb > 0) {
        if (compare(maker, b, a) < 0) {
            *ret++ = *b++;
            nb--;
        } else {
            *ret++ = *a++;
            na--;
        }
    }
    memcpy(ret, a, na * sizeof(*a));
    memcpy(ret + na, b, nb * sizeof(*b));
}

/* Stable. Merges the ascending runs that are there, because a source is one as
 * it comes (unless its ranks are in disorder). */
static void sort(const struct maker *maker, struct entry *entries, size_t n)
{
    struct entry *from = entries, *to = maker->spare;
    size_t end = run_end(maker, from, 0, n);

    while (end < n) {
        struct entry *swap = from;

        for (size_t begin = 0; begin < n;) {
            size_t middle = run_end(maker, from, begin, n);

            end = run_end(maker, from, middle, n);
            merge(maker, from + begin, middle - begin, from + middle,
                  end - middle, to + begin);
            begin = end;
        }
        from = to;
        to = swap;
        end = run_end(maker, from, 0, n);
    }
    if (from != entries)
        memcpy(entries, from, n * sizeof(*entries));
}

/* ---- making ------------------------------------------------------------- */

static uint32_t backend_number(const struct creation_step *steps, size_t step)
{
    size_t first = 0;

    while (strcmp(steps[first].backend, steps[step].backend) != 0)
        first++;
    return (uint32_t)first;
}

static int count_all(const struct creation_step *steps, size_t n_steps,
                     size_t *ret_sources, size_t *ret_groups, struct error *err)
{
    size_t sources = 0, groups = 0;

    if (n_steps > CREATION_STEPS_MAX)
        return error_set(err, STATUS_INVALID,
                         "a creation sequence of %zu steps is too long: at "
                         "most %d",
                         n_steps, (int)CREATION_STEPS_MAX);
    for (size_t s = 0; s < n_steps; s++) {
        sources += steps[s].n_sources;
        if (sources > CREATION_SOURCES_MAX)
            break;
        for (size_t i = 0; i < steps[s].n_sources; i++) {
            const struct lists *lists = steps[s].sources[i].lists;

            if (lists_length(lists) > 1 && groups <= CREATION_GROUPS_MAX)
                groups += lists_count(lists);
        }
    }
    if (sources > CREATION_SOURCES_MAX || groups > CREATION_GROUPS_MAX)
        return error_set(err, STATUS_INVALID,
                         "a creation sequence is too long: at most %d lists "
                         "and %d groups",
                         (int)CREATION_SOURCES_MAX, (int)CREATION_GROUPS_MAX);
    *ret_sources = sources;
    *ret_groups = groups;
    return 0;
}

static void add_entry(struct maker *maker, uint32_t part, uint32_t list,
                      uint32_t first, uint32_t second)
{
    const struct creation_source *source = maker->parts[part].source;
    struct entry *entry = &maker->entries[maker->n_entries++];

    entry->key =
        (uint64_t)rank_at(source, first) << 32 | rank_at(source, second);
    entry->part = part;
    entry->list = list;
}

/* The same as add_entries() where the lists are more than dims. */
static void add_entries_slowly(struct maker *maker, uint32_t part)
{
    const struct lists *lists = maker->parts[part].source->lists;

    for (uint32_t i = 0; i < lists_count(lists); i++)
        if (lists_length_of(lists, i) > 1)
            add_entry(maker, part, i, lists_member(lists, i, 0),
                      lists_member(lists, i, 1));
}

/* Appends an entry for each list of a part. The spare entries hold the lists'
 * first positions meanwhile. */
static void add_entries(struct maker *maker, uint32_t part)
{
    const struct lists *lists = maker->parts[part].source->lists;
    struct lists firsts = { .n_outer = 0, .n_inner = lists->n_outer };
    uint32_t *first = (uint32_t *)(void *)maker->spare;
    uint32_t count = lists_count(lists), second;

    if (lists_length(lists) < 2)
        return;
    if (lists->run != 0 || lists->take != 0) {
        add_entries_slowly(maker, part);
        return;
    }
    second = lists->inner[lists->n_inner - 1].stride;
    memcpy(firsts.inner, lists->outer, sizeof(firsts.inner));
    lists_expand(&firsts, NULL, 0, first);
    for (uint32_t i = 0; i < count; i++)
        add_entry(maker, part, i, first[i], first[i] + second);
}

static void add_steps(struct maker *maker, const struct creation_step *steps,
                      size_t n_steps)
{
    uint32_t part = 0;

    for (size_t s = 0; s < n_steps; s++) {
        size_t begin = maker->n_entries;

        for (size_t i = 0; i < steps[s].n_sources; i++, part++) {
            maker->parts[part] = (struct creation_part){
                &steps[s].sources[i],
                steps[s].backend,
                backend_number(steps, s),
            };
            add_entries(maker, part);
        }
        if (steps[s].sorted)
            sort(maker, maker->entries + begin, maker->n_entries - begin);
    }
}

/* Drops all but the first of equal ones, by sorting the entries once more. */
static size_t drop_equal(struct maker *maker, struct creation_item *items)
{
    struct entry *entries = maker->entries;
    size_t kept = 0;

    for (size_t i = 0; i < maker->n_entries; i++) {
        entries[i].position = (uint32_t)i;
        items[i] = (struct creation_item){ entries[i].part, entries[i].list };
    }
    sort(maker, entries, maker->n_entries);
    for (size_t i = 1; i < maker->n_entries; i++)
        if (compare(maker, &entries[i - 1], &entries[i]) == 0)
            items[entries[i].position].part = PART_NONE;
    for (size_t i = 0; i < maker->n_entries; i++)
        if (items[i].part != PART_NONE)
            items[kept++] = items[i];
    return kept;
}

int creation_make(struct arena *arena, const struct creation_step *steps,
                  size_t n_steps, struct creation *ret, struct error *err)
{
    struct maker maker = { 0 };
    struct creation_item *items;
    size_t n_parts = 0, n_groups = 0;

    if (count_all(steps, n_steps, &n_parts, &n_groups, err) < 0)
        return -1;
    maker.parts = arena_array(arena, n_parts, sizeof(*maker.parts));
    maker.entries = arena_array(arena, n_groups, sizeof(*maker.entries));
    maker.spare = arena_array(arena, n_groups, sizeof(*maker.spare));
    items = arena_array(arena, n_groups, sizeof(*items));
    if (maker.parts == NULL || maker.entries == NULL || maker.spare == NULL ||
        items == NULL)
        return error_exhausted(err);
    add_steps(&maker, steps, n_steps);
    *ret = (struct creation){
        .steps = steps,
        .parts = maker.parts,
        .items = items,
        .count = drop_equal(&maker, items),
    };
    return 0;
}
