/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments as programs and people read them. */
#ifndef SERRIED_CLIENT_ASSIGNMENT_SHOW_H
#define SERRIED_CLIENT_ASSIGNMENT_SHOW_H

#include "client/live.h"

/* Fills the map of a document with an assignment, its own digests among it. */
int assignment_fill(struct live *live, struct tree_maker *maker,
                    struct tree *map, const struct serry_assignment *a,
                    struct error *err);

/* Adds ports as the list `ports` of a map. */
void assignment_make_ports(struct tree_maker *maker, struct tree *parent,
                           const struct serry_port *ports, size_t n);

/* One assignment as a document. creation: the creation sequence too. */
int assignment_print(struct live *live, const struct serry_assignment *a,
                     bool creation, struct error *err);

/* One assignment for people. */
int assignment_show(struct live *live, const struct serry_assignment *a,
                    bool creation, struct error *err);

/* Many of one placement, in a table for each place in the model: a row for each
 * rank, a column for each axis and each quantity that is split. Start from
 * { .live }. */
struct assignment_table {
    struct live *live;
    struct assignment_section *first, *last;
};

int assignment_table_add(struct assignment_table *table,
                         const struct serry_assignment *a, struct error *err);
int assignment_table_end(struct assignment_table *table, /* prints it */
                         struct error *err);

#endif
