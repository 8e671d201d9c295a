/* SPDX-License-Identifier: Apache-2.0 */
/* The document of one code that `serry explain` makes, and its parts. Private
 * to explain*.c. */
#ifndef SERRIED_CLIENT_EXPLAIN_PARTS_H
#define SERRIED_CLIENT_EXPLAIN_PARTS_H

#include "client/exemplar.h"
#include "client/explain.h"
#include "placement/structure.h"
#include "proto/document.h"

/* The explanation of one code, as a document. */
struct explaining {
    struct invocation *v;
    struct catalog *catalog;
    struct tree_maker maker;
    const char *code;
    struct tree *map, *rules, *faults, *answers;
    const char **codes; /* all that are known, for the nearest */
    size_t n_codes, room;
    struct exemplar exemplar;
    bool failed; /* err says why */
    struct error *err;
};

/* Whether the code (NULL: none) is the one that is asked for; it is known for
 * the nearest from now on. */
bool explaining_asks(struct explaining *e, const char *code);

/* ---- parts: each puts a member into a map ------------------------------- */

/* A text and the source of an expression; nothing where there is none. */
void explaining_text(struct explaining *e, struct tree *map, const char *key,
                     const char *text);
void explaining_source(struct explaining *e, struct tree *map, const char *key,
                       const struct expression *x);

/* A fault's text, with nothing filled in. */
void explaining_template(struct explaining *e, struct tree *map,
                         const char *key, const char *text);

/* The layer of a rule (NULL: none). */
void explaining_layer(struct explaining *e, struct tree *map,
                      const struct rule *rule);

/* The list `try` of a rule; remedies go into such a list. */
void explaining_try(struct explaining *e, struct tree *map,
                    const struct rule *rule);
void explaining_remedies(struct explaining *e, struct tree *list,
                         const struct remedy *remedies, size_t n);

/* A list of the names of a set's axes. */
void explaining_axes(struct explaining *e, const struct runtime *rt,
                     const struct axis_set *set, struct tree *parent,
                     const char *key);

/* What users type for the axes and options that stand in what the map holds so
 * far, where that is another word. */
void explaining_names(struct explaining *e, const struct runtime *rt,
                      struct tree *map);

/* A request that the rule refuses and one that runs, found for this answer.
 *   fault  as of struct example_sought */
void explaining_example(struct explaining *e, const struct runtime *rt,
                        const struct rule *rule, int fault, struct tree *map);

/* ---- rules and faults ---------------------------------------------------- */

/* The rule after `after` (NULL: the first) that places a check, or NULL. */
const struct rule *explaining_place(const struct runtime *rt,
                                    enum structure check,
                                    const struct rule *after);

/* Adds the rules, sets of axes and keys of a runtime that have the code. */
void explaining_rules(struct explaining *e, const struct runtime *rt);

/* Adds the fault (enum fault) if it has the code, or has it somewhere. */
void explaining_fault(struct explaining *e, int fault,
                      const struct runtime **runtimes, size_t n);

#endif
