/* SPDX-License-Identifier: Apache-2.0 */
/* Views of a span of positions, and the group lists over their axes. */
#ifndef SERRIED_PLACEMENT_VIEW_H
#define SERRIED_PLACEMENT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    VIEW_AXES_MAX = 16,
    VIEW_SPAN_MAX = 1 << 20, /* positions; 1,048,576 ranks */
};

/* One axis of a view. Coordinate of position p: p / stride % size. */
struct view_axis {
    const char *name; /* borrowed */
    uint32_t size;    /* positions along it, >= 1 */
    uint32_t stride;  /* positions between neighbours on it */
};

/* A row-major factorization of the positions 0..span-1, outermost axis first.
 * A position is an instance rank (or a global rank where one group spans the
 * world). */
struct view {
    uint32_t first; /* where it begins; above 0 only in a part of a world */
    uint32_t span;
    int n_axes;
    struct view_axis axes[VIEW_AXES_MAX];
};

/* Fills view from n names and sizes, outermost first.
 *   STATUS_INVALID    a size below 1, a name used twice, or more than
 *                     VIEW_AXES_MAX axes
 *   STATUS_EXHAUSTED  the product is above VIEW_SPAN_MAX */
int view_init(struct view *view, const char *const *names, const int64_t *sizes,
              int n, struct error *err);

/* Whether the view reaches a position. */
static inline bool view_reaches(const struct view *view, uint32_t position)
{
    return position >= view->first && position - view->first < view->span;
}

static inline uint32_t view_coordinate(const struct view *view, int axis,
                                       uint32_t position)
{
    position -= view->first;
    return position / view->axes[axis].stride % view->axes[axis].size;
}

/* The position with these coordinates, one for each axis. */
uint32_t view_position(const struct view *view, const uint32_t *coordinates);

/* Index of the axis with this name, or -1. */
int view_axis(const struct view *view, const char *name);

/* Takes the first name off a set of axes, "dp+cp": returns where it begins, and
 * moves *rest behind it; NULL: there is no more. A name may be empty. */
const char *axes_next(const char **rest, size_t *ret_len);

/* Reads a set of axes into a mask of the view's.
 *   STATUS_UNKNOWN_NAME  one that the view does not have */
int view_axes(const struct view *view, const char *text, uint32_t *ret_axes,
              struct error *err);

/* ---- group lists -------------------------------------------------------- */

struct dim {
    uint32_t size, stride;
};

/* Lists over a span, described by strides: list i's member j is the position
 * sum(digit of i * outer stride) + sum(digit of j * inner stride), digits
 * row-major, outermost dim first. Outer dims by falling stride, neighbours
 * merged where they can be, dims of size 1 dropped; inner dims too, unless the
 * members have an order of their own (lists_join()). So lists ascend by first
 * member and members ascend.
 *
 * The dims number every position of the span once. What cannot be said by dims
 * is said on top of them, by one of
 *   run   every list is read as consecutive runs of so many members, of which
 *         the last may be shorter, and each run is a list. Runs of one list
 *         stand behind those dims that are coarser than its members
 *   take  only the first or last member of each list, or both, are its
 *         members; the other positions are in no list */
struct lists {
    int n_outer, n_inner;
    struct dim outer[VIEW_AXES_MAX + 1], inner[VIEW_AXES_MAX + 1];
    uint32_t run;   /* 0: whole lists */
    uint32_t take;  /* mask of enum take; 0: all members */
    uint32_t first; /* of their view: to be added to what is said to be a
                       position here, as the offset of the ranks is */
};

enum take { TAKE_FIRST = 1, TAKE_LAST = 2 };

#define LISTS_NONE UINT32_MAX

/* The lists of positions that differ only on the axes of a set (bit a of
 * axes: axis a of the view). The empty set gives lists of one. */
void lists_over(const struct view *view, uint32_t axes, struct lists *ret);

uint32_t lists_count(const struct lists *lists);   /* how many lists */
uint32_t lists_length(const struct lists *lists);  /* members of the longest */
uint32_t lists_entries(const struct lists *lists); /* members of all */

/* Positions that the dims number. */
uint32_t lists_span(const struct lists *lists);

/* Members of list i; only runs differ from lists_length(). O(dims). */
uint32_t lists_length_of(const struct lists *lists, uint32_t i);

/* Member j of list i; O(dims). */
uint32_t lists_member(const struct lists *lists, uint32_t i, uint32_t j);

/* Which list holds a position, and as which member; O(dims). LISTS_NONE: none
 * does. */
uint32_t lists_find(const struct lists *lists, uint32_t position,
                    uint32_t *ret_member);

/* ---- lists made of lists (lists_shape.c) ----------------------------------
 *
 * Each reads the members of every list in their order. STATUS_INVALID: the
 * numbers do not fit the lists' length, what comes out is not described by
 * strides (it would end inside an axis that has gaps), or the lists are runs or
 * taken members themselves, of which nothing further is made. */

/* `parts` consecutive parts of equal length. */
int lists_cut(const struct lists *lists, uint32_t parts, struct lists *ret,
              struct error *err);

/* Consecutive parts of `length` members; the last part may be shorter. */
int lists_runs(const struct lists *lists, uint32_t length, struct lists *ret,
               struct error *err);

/* n interleaved parts of equal length: part k has members k, k + n, k + 2n...
 */
int lists_stride(const struct lists *lists, uint32_t n, struct lists *ret,
                 struct error *err);

/* The first or last members, or both: a mask of enum take. */
int lists_take(const struct lists *lists, uint32_t take, struct lists *ret,
               struct error *err);

/* n consecutive lists in one; in_order: member after member of one list after
 * the other, else ascending. */
int lists_join(const struct lists *lists, uint32_t n, bool in_order,
               struct lists *ret, struct error *err);

/* Members read in mixed radix, innermost digit first: the parts that differ in
 * the digit of `size` which stands for steps of `step` members (the product of
 * the sizes before it). step * size divides the length. */
int lists_level(const struct lists *lists, uint32_t step, uint32_t size,
                struct lists *ret, struct error *err);

/* ---- lists from elsewhere, expansion ------------------------------------- */

/* Whether the dims of lists that came from elsewhere number a span, which is
 * given, each position once; the other functions may then be used on them.
 * STATUS_INVALID: too many dims, a size below 2, a stride of 0, a span above
 * VIEW_SPAN_MAX, positions left out or held twice, a run longer than the lists,
 * an unknown bit of take, or both of these. */
int lists_check(const struct lists *lists, uint32_t *ret_span,
                struct error *err);

bool lists_equal(const struct lists *a, const struct lists *b);

/* Writes all members, list after list: lists_entries() of them.
 * ranks: the global rank at each position (span entries); NULL: the position
 * itself. offset is added to either. */
void lists_expand(const struct lists *lists, const uint32_t *ranks,
                  uint32_t offset, uint32_t *ret);

/* Entries begin..begin+count-1 of what lists_expand() writes, which must all be
 * there: for walking a world without holding it. */
void lists_expand_part(const struct lists *lists, const uint32_t *ranks,
                       uint32_t offset, uint32_t begin, uint32_t count,
                       uint32_t *ret);

/* The members of list i: lists_length_of() of them. */
void lists_expand_one(const struct lists *lists, uint32_t i,
                      const uint32_t *ranks, uint32_t offset, uint32_t *ret);

#endif
