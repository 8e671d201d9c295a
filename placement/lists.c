/* SPDX-License-Identifier: Apache-2.0 */
/* Group lists over the axes of a view, described by strides. */
#include "placement/lists.h"

#include <inttypes.h>
#include <string.h>

int dims_merge(struct dim *dims, int n)
{
    int kept = 0;

    for (int i = 0; i < n; i++) {
        struct dim *last = &dims[kept - 1];

        if (dims[i].size == 1)
            continue;
        if (kept > 0 && last->stride == dims[i].size * dims[i].stride) {
            last->size *= dims[i].size;
            last->stride = dims[i].stride;
            continue;
        }
        dims[kept++] = dims[i];
    }
    return kept;
}

int dims_canonical(struct dim *dims, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && dims[k].stride > dims[k - 1].stride; k--) {
            struct dim moved = dims[k];

            dims[k] = dims[k - 1];
            dims[k - 1] = moved;
        }
    return dims_merge(dims, n);
}

uint32_t dims_product(const struct dim *dims, int n)
{
    uint32_t product = 1;

    for (int d = 0; d < n; d++)
        product *= dims[d].size;
    return product;
}

void lists_over(const struct view *view, uint32_t axes, struct lists *ret)
{
    struct lists lists = { .first = view->first };

    for (int a = 0; a < view->n_axes; a++) {
        struct dim dim = { view->axes[a].size, view->axes[a].stride };

        if (axes >> a & 1)
            lists.inner[lists.n_inner++] = dim;
        else
            lists.outer[lists.n_outer++] = dim;
    }
    lists.n_inner = dims_canonical(lists.inner, lists.n_inner);
    lists.n_outer = dims_canonical(lists.outer, lists.n_outer);
    *ret = lists;
}

/* The position that the row-major number `index` over dims stands for. */
static uint32_t dims_position(const struct dim *dims, int n, uint32_t index)
{
    uint32_t position = 0;

    for (int d = n - 1; d >= 0; d--) {
        position += index % dims[d].size * dims[d].stride;
        index /= dims[d].size;
    }
    return position;
}

/* The row-major number over dims of a position: the inverse. */
static uint32_t dims_index(const struct dim *dims, int n, uint32_t position)
{
    uint32_t index = 0;

    for (int d = 0; d < n; d++)
        index = index * dims[d].size + position / dims[d].stride % dims[d].size;
    return index;
}

/* ---- counting and finding ------------------------------------------------ */

/* Members of a list before runs or members were taken of it. */
static uint32_t whole_length(const struct lists *lists)
{
    return dims_product(lists->inner, lists->n_inner);
}

/* Lists are numbered (coarse outer digits, run, fine outer digits). */
struct runs_shape {
    uint32_t length; /* of a whole list */
    uint32_t parts;  /* runs of a whole list */
    uint32_t fine;   /* product of the outer dims that are finer */
};

static struct runs_shape runs_shape(const struct lists *lists)
{
    uint32_t length = whole_length(lists), widest = 0;
    int coarse = 0;

    for (int d = 0; d < lists->n_inner; d++)
        if (lists->inner[d].stride > widest)
            widest = lists->inner[d].stride;
    while (coarse < lists->n_outer && lists->outer[coarse].stride > widest)
        coarse++;
    return (struct runs_shape){
        .length = length,
        .parts = (length + lists->run - 1) / lists->run,
        .fine = dims_product(lists->outer + coarse, lists->n_outer - coarse),
    };
}

uint32_t lists_count(const struct lists *lists)
{
    uint32_t whole = dims_product(lists->outer, lists->n_outer);

    return lists->run == 0 ? whole : whole * runs_shape(lists).parts;
}

static uint32_t taken(const struct lists *lists)
{
    return whole_length(lists) > 1 && lists->take == (TAKE_FIRST | TAKE_LAST)
               ? 2
               : 1;
}

uint32_t lists_length(const struct lists *lists)
{
    if (lists->take != 0)
        return taken(lists);
    return lists->run != 0 ? lists->run : whole_length(lists);
}

uint32_t lists_length_of(const struct lists *lists, uint32_t i)
{
    struct runs_shape shape;

    if (lists->run == 0)
        return lists_length(lists);
    shape = runs_shape(lists);
    return least(lists->run,
                 shape.length - i / shape.fine % shape.parts * lists->run);
}

uint32_t lists_entries(const struct lists *lists)
{
    uint32_t whole = dims_product(lists->outer, lists->n_outer);

    return whole * (lists->take != 0 ? taken(lists) : whole_length(lists));
}

uint32_t lists_member(const struct lists *lists, uint32_t i, uint32_t j)
{
    if (lists->take == TAKE_LAST || (lists->take != 0 && j > 0))
        j = whole_length(lists) - 1;
    if (lists->run != 0) {
        struct runs_shape shape = runs_shape(lists);
        uint32_t coarse = i / shape.fine / shape.parts;

        j += i / shape.fine % shape.parts * lists->run;
        i = coarse * shape.fine + i % shape.fine;
    }
    return dims_position(lists->outer, lists->n_outer, i) +
           dims_position(lists->inner, lists->n_inner, j);
}

/* The list and member that a member of a whole list became. */
static uint32_t find_taken(const struct lists *lists, uint32_t list,
                           uint32_t *member)
{
    if (*member == 0 && (lists->take & TAKE_FIRST) != 0)
        return list;
    if (*member != whole_length(lists) - 1 || (lists->take & TAKE_LAST) == 0)
        return LISTS_NONE;
    *member = taken(lists) - 1;
    return list;
}

static uint32_t find_run(const struct lists *lists, uint32_t list,
                         uint32_t *member)
{
    struct runs_shape shape = runs_shape(lists);
    uint32_t run = *member / lists->run;

    *member %= lists->run;
    return (list / shape.fine * shape.parts + run) * shape.fine +
           list % shape.fine;
}

uint32_t lists_find(const struct lists *lists, uint32_t position,
                    uint32_t *ret_member)
{
    uint32_t list = dims_index(lists->outer, lists->n_outer, position);

    *ret_member = dims_index(lists->inner, lists->n_inner, position);
    if (lists->take != 0)
        return find_taken(lists, list, ret_member);
    return lists->run != 0 ? find_run(lists, list, ret_member) : list;
}

uint32_t lists_at_entry(const struct lists *lists, uint32_t begin,
                        uint32_t *ret_member)
{
    struct runs_shape shape;
    uint32_t block, run, length;

    if (lists->run == 0) {
        *ret_member = begin % lists_length(lists);
        return begin / lists_length(lists);
    }
    shape = runs_shape(lists);
    block = begin / (shape.length * shape.fine);
    begin %= shape.length * shape.fine;
    run = begin / (lists->run * shape.fine);
    begin -= run * lists->run * shape.fine;
    length = least(lists->run, shape.length - run * lists->run);
    *ret_member = begin % length;
    return (block * shape.parts + run) * shape.fine + begin / length;
}

uint32_t lists_entry_of(const struct lists *lists, uint32_t i)
{
    struct runs_shape shape;
    uint32_t coarse, begin;

    if (lists->run == 0)
        return i * lists_length(lists);
    shape = runs_shape(lists);
    coarse = i / shape.fine / shape.parts;
    begin = i / shape.fine % shape.parts * lists->run; /* of a whole list */
    return coarse * shape.length * shape.fine + begin * shape.fine +
           i % shape.fine * least(lists->run, shape.length - begin);
}

uint32_t lists_span(const struct lists *lists)
{
    return dims_product(lists->outer, lists->n_outer) * whole_length(lists);
}

/* ---- lists from elsewhere ------------------------------------------------ */

static int check_reading(const struct lists *lists, struct error *err)
{
    uint32_t all = TAKE_FIRST | TAKE_LAST;

    if (lists->run > whole_length(lists))
        return error_set(err, STATUS_INVALID,
                         "lists of %" PRIu32 " ranks have no runs of %" PRIu32,
                         whole_length(lists), lists->run);
    if ((lists->take & ~all) != 0 || (lists->take != 0 && lists->run != 0))
        return error_set(err, STATUS_INVALID,
                         "a group list takes members in an unknown way: first "
                         "is 1, last is 2, and not of runs");
    return 0;
}

int lists_check(const struct lists *lists, uint32_t *ret_span,
                struct error *err)
{
    struct dim dims[2 * LISTS_DIMS_MAX];
    int n = 0;

    if (lists->n_outer < 0 || lists->n_outer > LISTS_DIMS_MAX ||
        lists->n_inner < 0 || lists->n_inner > LISTS_DIMS_MAX)
        return error_set(err, STATUS_INVALID,
                         "a group list has too many dimensions: at most %d",
                         (int)LISTS_DIMS_MAX);
    for (int d = 0; d < lists->n_outer; d++)
        dims[n++] = lists->outer[d];
    for (int d = 0; d < lists->n_inner; d++)
        dims[n++] = lists->inner[d];
    for (int d = 0; d < n; d++)
        if (dims[d].size < 2 || dims[d].size > VIEW_SPAN_MAX ||
            dims[d].stride < 1 || dims[d].stride > VIEW_SPAN_MAX / dims[d].size)
            return error_set(err, STATUS_INVALID,
                             "a group list has a dimension of %" PRIu32
                             " by stride %" PRIu32
                             ": sizes are at least 2, strides at least 1, and "
                             "a list spans at most %d ranks",
                             dims[d].size, dims[d].stride, (int)VIEW_SPAN_MAX);
    /* a factorization of a span merges into one dim, or none */
    n = dims_canonical(dims, n);
    if (n > 1 || (n == 1 && dims[0].stride != 1))
        return error_set(err, STATUS_INVALID,
                         "the dimensions of a group list leave gaps or "
                         "overlap: together they number each rank once");
    *ret_span = n == 0 ? 1 : dims[0].size;
    return check_reading(lists, err);
}

static bool dims_equal(const struct dim *a, int na, const struct dim *b, int nb)
{
    return na == nb && memcmp(a, b, (size_t)na * sizeof(*a)) == 0;
}

bool lists_equal(const struct lists *a, const struct lists *b)
{
    return dims_equal(a->outer, a->n_outer, b->outer, b->n_outer) &&
           dims_equal(a->inner, a->n_inner, b->inner, b->n_inner) &&
           a->run == b->run && a->take == b->take && a->first == b->first;
}
