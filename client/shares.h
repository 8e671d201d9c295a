/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a picture: which heads, rows and more each rank holds. */
#ifndef SERRIED_CLIENT_SHARES_H
#define SERRIED_CLIENT_SHARES_H

#include "client/picture.h"
#include "placement/assignment.h"

/* What the extra columns of a picture are taken from; lives in its owner's
 * memory while the picture is drawn. */
struct shares {
    struct check *check;
    const struct scope *scope;
    struct shares_column {
        int node, share; /* of what a rank gets in this scope */
    } columns[PICTURE_EXTRA_MAX];
    const char *titles[PICTURE_EXTRA_MAX];
    int n_columns;
    struct assignment assignment; /* of the rank at a position */
    uint32_t position;
};

/* Adds a column to picture for each quantity that the ranks of a scope split
 * among them, or whose amount is declared. check: an accepted one; ranks'
 * shares are made in its arena. What does not fit into it is left out. */
void shares_init(struct shares *shares, struct check *check,
                 const struct scope *scope, struct picture *picture);

#endif
