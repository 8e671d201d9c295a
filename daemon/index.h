/* SPDX-License-Identifier: Apache-2.0 */
/* Things by their names, over the C library's search trees. */
#ifndef SERRIED_DAEMON_INDEX_H
#define SERRIED_DAEMON_INDEX_H

#include <stddef.h>

/* Start from { 0 }. A thing is a struct whose first member is
 * `const char *name`, which does not change while it is in the index. */
struct index {
    void *root;
    size_t count;
};

/* The thing with this name, or NULL. */
void *index_find(const struct index *index, const char *name);

/* Puts a thing in; its name must not be there. -1: no memory. */
int index_add(struct index *index, void *thing);

/* Takes a thing out; it must be there. */
void index_remove(struct index *index, void *thing);

/* Calls visit() with each in the order of the names; the index may not change
 * meanwhile. */
void index_walk(const struct index *index,
                void (*visit)(void *thing, void *arg), void *arg);

/* Takes all out, handing each to drop(). */
void index_clear(struct index *index, void (*drop)(void *thing));

#endif
