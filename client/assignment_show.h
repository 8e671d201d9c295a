/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments as programs and people read them. */
#ifndef SERRIED_CLIENT_ASSIGNMENT_SHOW_H
#define SERRIED_CLIENT_ASSIGNMENT_SHOW_H

#include "client/live.h"

/* One assignment as a document. creation: the creation sequence too. */
int assignment_print(struct live *live, const struct serry_assignment *a,
                     bool creation, struct error *err);

/* One assignment for people. */
int assignment_show(struct live *live, const struct serry_assignment *a,
                    bool creation, struct error *err);

/* Many of one placement, a row or so for each rank. Start from { .live }. */
struct assignment_table {
    struct live *live;
    struct cell *cells;
    size_t n_rows, room;
};

int assignment_table_begin(struct assignment_table *table,
                           const struct serry_placement *placement,
                           struct error *err);
int assignment_table_add(struct assignment_table *table,
                         const struct serry_assignment *a, struct error *err);
void assignment_table_end(struct assignment_table *table); /* prints it */

#endif
