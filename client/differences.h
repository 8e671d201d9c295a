/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between a placement and its deployment placed anew. */
#ifndef SERRIED_CLIENT_DIFFERENCES_H
#define SERRIED_CLIENT_DIFFERENCES_H

#include "client/live.h"

/* A list of differences that grows. Lives in an arena. */
struct differences {
    struct tree_maker maker;
    struct tree *top, *list;
    const char *name;
    bool placed;                        /* there is one in force */
    struct serry_generation generation; /* of it */
    size_t n;
    char shards[64]; /* what an order means: "12 of 16 ranks hold other shards"
                      */
};

/* Starts the list. name is borrowed; generation NULL: nothing is in force. */
void differences_begin(struct differences *d, struct arena *arena,
                       const char *name,
                       const struct serry_generation *generation);

/* Adds one, if the words differ. "" stands for nothing. */
void differences_of_text(struct differences *d, const char *path,
                         const char *from, const char *to);
/* The same, with what it means. */
void differences_say(struct differences *d, const char *path, const char *from,
                     const char *to, const char *say);

/* Compares what two requests say, but for names and node groups, which their
 * verdicts tell better. */
void differences_of_requests(struct differences *d, const struct tree *before,
                             const struct tree *after);

/* Counts the ranks that hold other shards by two verdicts with views and
 * coordinates of every rank, for what the next calls say. false: not counted,
 * as sizes are not the same or coordinates are not there. */
bool differences_count(struct differences *d, const struct tree *before,
                       const struct tree *after, size_t *ret_moved);

/* Whether two maps say the same sizes; an axis that is not there has size 1. */
bool differences_same_sizes(const struct tree *before,
                            const struct tree *after);

/* Compares the views of a world. */
void differences_of_views(struct differences *d, const struct tree *before,
                          const struct tree *after);

/* Compares the group lists of two verdicts that have them. */
void differences_of_lists(struct differences *d, const struct tree *before,
                          const struct tree *after);

/* Compares the layouts of two accepted verdicts. */
void differences_of_verdicts(struct differences *d, const struct tree *before,
                             const struct tree *after);

int differences_print(struct differences *d, struct live *live,
                      struct error *err);

#endif
