/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of groups that want a link, beside the axes: what runtimes and requests
 * say under `links`. */
#ifndef SERRIED_PLACEMENT_LINKS_H
#define SERRIED_PLACEMENT_LINKS_H

#include "base/arena.h"
#include "base/error.h"
#include "placement/runtime_layout.h"
#include "placement/topology.h"

struct rule;
struct runtime;

enum { LINKS_MAX = 32 }; /* lists of one request, its runtime's among them */

/* Without which a framework does not start, whatever a request wants. */
struct link_need {
    enum link_level least;
    const struct rule *rule; /* that would refuse; NULL: it does start */
    const char *say;         /* what to do where there is no room; NULL */
};

/* The groups of a list, what they want, and what they need. */
struct link_wish {
    struct list_name list;
    enum link_level want;
    struct link_need need; /* of its runtime */
};

/* In the order in which they were said first. */
struct link_wishes {
    struct link_wish *items; /* LINKS_MAX; NULL: none was ever added */
    size_t n;
};

/* Reads the value of a key of a runtime's `links`: the word of a link, which
 * leaves *ret_need as it is, or a map of `want`, `code`, that of the rule, and
 * `say`, a remedy. Its text is the document's.
 *   STATUS_INVALID  a wrong type, no link, no rule with this code */
int link_value_read(const struct tree *at, const struct runtime *rt,
                    enum link_level *ret_want, struct link_need *ret_need,
                    struct error *err);

/* Adds what a key of `links`, the name of a list, wants; a list that is there
 * under this or another name wants that from now on. `at` holds the value as
 * above; of a request only the link's word, or null, which changes nothing.
 * Names live in the arena.
 *   STATUS_INVALID    no list of the runtime, one of a whole family, no link,
 *                     too many lists; with line and column
 *   STATUS_EXHAUSTED  the arena is full */
int link_wishes_add(struct link_wishes *wishes, const struct runtime *rt,
                    struct arena *arena, const struct tree *at, bool request,
                    struct error *err);

/* A copy of its own to add to. -1: the arena is full. */
int link_wishes_copy(const struct link_wishes *from, struct arena *arena,
                     struct link_wishes *ret, struct error *err);

#endif
