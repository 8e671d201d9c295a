/* SPDX-License-Identifier: Apache-2.0 */
/* Who stands where: ranks on their axes, and the groups along them. */
#ifndef SERRIED_CLIENT_PICTURE_H
#define SERRIED_CLIENT_PICTURE_H

#include <stdint.h>

#include "base/arena.h"
#include "client/output.h"
#include "placement/view.h"

enum {
    PICTURE_RANKS_MAX = 64, /* drawn for a terminal; of the others there is only
                               the number */
    PICTURE_EXTRA_MAX = 8,
};

/* A list of groups that is shown in a view. */
struct picture_list {
    const char *name;   /* "attn.b+c" */
    struct lists lists; /* over positions of all instances */
};

/* One factorization of the ranks, and the lists shown in it. */
struct picture_view {
    const char *name;                 /* "" where there is only one */
    const struct view *view;          /* of one instance */
    const struct picture_list *lists; /* the first one colours the grid */
    size_t n_lists;
};

/* What is drawn: the views of one span of ranks, side by side. All of it is
 * borrowed. */
struct picture {
    const char *title;                /* "": of the whole world */
    const struct picture_view *views; /* at least one; all of the same span */
    size_t n_views;
    uint32_t n_instances;
    const uint32_t *ranks; /* by position over all instances; NULL: the position
                              itself */
    uint32_t offset;       /* added to either */
    bool chosen;       /* the lists were asked for: they are printed in full */
    const char *apart; /* "view a (rank 4)": on other ranks, so not drawn here;
                          "": none */
    /* further columns of the table of ranks */
    int n_extra; /* at most PICTURE_EXTRA_MAX */
    const char *const *extra_titles;
    void (*extra)(void *arg, uint32_t position, int column, struct text *out);
    void *arg;
};

static inline uint32_t picture_ranks(const struct picture *p)
{
    return p->views[0].view->span * p->n_instances;
}

static inline uint32_t picture_rank(const struct picture *p, uint32_t position)
{
    return (p->ranks != NULL ? p->ranks[position] : position) + p->offset;
}

/* Number of the group of a list that a position is in; LISTS_NONE: none. */
static inline uint32_t picture_group(const struct picture_list *list,
                                     uint32_t position)
{
    uint32_t member;

    return lists_find(&list->lists, position, &member);
}

/* How a group of some list looks. */
static inline enum style picture_style(uint32_t group)
{
    return group == LISTS_NONE
               ? STYLE_DIM
               : (enum style)(STYLE_GROUP + (int)(group % STYLE_GROUPS));
}

/* Decimal digits of a number. */
int picture_digits(uint32_t n);

/* Draws for a terminal: a grid of the ranks over the axes of each view (where
 * it fits the width; side by side if all do), the groups of the lists, and a
 * table with a row for each rank. Axes of one rank are left out. arena: for
 * texts while drawing. */
void picture_draw(struct output *out, int indent, const struct picture *picture,
                  struct arena *arena);

/* How the grid of one view gets along with the width that there is. */
enum picture_room {
    PICTURE_WIDE,    /* the axis' name before every coordinate */
    PICTURE_COMPACT, /* coordinates stand below the axes' names */
    PICTURE_FOLDED,  /* as wide; the innermost axis may take several lines */
    PICTURE_ROOMS
};

/* picture_grid.c: draws the grid of one view; false: it does not fit, and
 * nothing was drawn. */
bool picture_grid(struct output *out, enum picture_room room,
                  const struct picture *picture,
                  const struct picture_view *view);

/* picture_table.c: a row for each rank, at most PICTURE_RANKS_MAX: number,
 * instance, coordinates, and as many further columns as fit the width. */
void picture_table(struct output *out, int indent,
                   const struct picture *picture, struct arena *arena);

#endif
