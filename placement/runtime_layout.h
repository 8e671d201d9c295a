/* SPDX-License-Identifier: Apache-2.0 */
/* How a runtime lays ranks out: views, group lists made of lists, coordinates.
 * Part of a runtime; all of it borrows its document's strings. */
#ifndef SERRIED_PLACEMENT_RUNTIME_LAYOUT_H
#define SERRIED_PLACEMENT_RUNTIME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "placement/expression.h"
#include "placement/view.h"

struct view_part {
    const char *name;
    const struct expression *size; /* local to the view; NULL: a shared axis */
    int axis;                      /* the shared axis; -1: local */
    int size_of; /* the axis whose coordinate this is: `axis`, or that which
                    alone is the local size ({tp: etp}); -1: none */
    int after;   /* stands behind this part in an order; -1: by its own name */
};

struct view_form {
    const struct expression *when; /* NULL: always */
    const struct view_part *parts; /* outermost first */
    size_t n_parts;
    const struct expression *order; /* of the parts; NULL: as declared */
    bool outermost_last;            /* how an order in a string reads */
    /* the part of a world that it covers; NULL: all, from 0 */
    const struct expression *span, *first;
};

/* A view: the first form whose condition holds. */
struct view_rule {
    const char *name; /* "" for the view of a runtime that declares none */
    const struct view_form *forms;
    size_t n_forms;
};

/* A set of axes of a view, "attn.dp+cp", or a declared group by its name. */
struct list_name {
    const char *text; /* as asked for */
    int view;         /* index; -1: a declared group */
    const char *const *axes;
    size_t n_axes;
    int group;      /* index of the declared group; -1 */
    int64_t member; /* of a family: which; -1: all of it, or no family */
};

/* What a derived group makes of the lists it is derived from: identifier, key,
 * types of its value. */
/* clang-format off */
#define GROUP_OP_LIST(X)                                                      \
    X(CUT,    "cut",    VALUE_INT)  /* so many equal parts of each list */    \
    X(RUNS,   "runs",   VALUE_INT)  /* parts of so many members */            \
    X(STRIDE, "stride", VALUE_INT)  /* so many interleaved parts */           \
    X(JOIN,   "join",   VALUE_INT)  /* so many lists in one */                \
    X(LEVELS, "levels", VALUE_LIST) /* mixed radix: a family by level */
/* clang-format on */

enum group_op {
#define X(id, key, types) GROUP_##id,
    GROUP_OP_LIST(X)
#undef X
        GROUP_TAKE, /* of each list the first or last member, or both */
    GROUP_WHOLE,    /* the lists as they are */
};

enum { FAMILY_MAX = 32 }; /* lists of one family */

struct group_form {
    const struct expression *when;
    struct list_name of;
    enum group_op op;
    const struct expression *operand; /* NULL: GROUP_TAKE, GROUP_WHOLE */
    uint32_t take;                    /* mask of enum take */
    bool ordered;                     /* joined members keep their order */
    const struct expression *each;    /* numbers of a family; NULL: none */
};

/* A derived group list, or a family of them: the first form whose condition
 * holds. The lists of a family are called by its name and a number. */
struct group_rule {
    const char *name;
    const struct group_form *forms;
    size_t n_forms;
    bool family;
};

struct coordinate_form {
    const struct expression *when; /* NULL: always */
    int view;
    const char *const *axes; /* of the view, most significant digit first */
    size_t n_axes;
};

/* A number that every position has: its coordinates on some axes in mixed
 * radix. The first form whose condition holds. */
struct coordinate_rule {
    const char *name;
    const struct coordinate_form *forms;
    size_t n_forms;
};

#endif
