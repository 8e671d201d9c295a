/* SPDX-License-Identifier: Apache-2.0 */
/* Writing parts of an expression with values in place of names. */
#ifndef SERRIED_PLACEMENT_EXPRESSION_EXPLAIN_H
#define SERRIED_PLACEMENT_EXPRESSION_EXPLAIN_H

#include "placement/expression_node.h"

/* A walk over an expression that was evaluated, to say what came out why.
 * Bound variables hold the item being looked at. */
struct explanation {
    struct evaluation x;
    int64_t steps; /* left for all evaluations of the walk */
    const struct expression *expr;
    struct text *out;
    void (*used)(void *arg, int slot); /* may be NULL */
    void *arg;
    int n_bound;                           /* variables that hold an item */
    uint16_t lists[EXPRESSION_LOCALS_MAX]; /* the list of each of them */
    int n_seen;                            /* what was reported already */
    int seen[EXPRESSION_NODES_MAX];
};

void explanation_init(struct explanation *e, const struct expression *expr,
                      const struct environment *env, struct text *out);

static inline const struct node *explanation_node(const struct explanation *e,
                                                  uint16_t i)
{
    return &e->expr->nodes[i];
}

/* Evaluates a part again; the bound holds for each part, and a larger one for
 * all of them. */
struct value explanation_value(struct explanation *e, uint16_t i);

/* Whether a node is a name or leads from one: a, a.b, a[k]. */
bool node_is_path(const struct expression *expr, uint16_t i);

/* The name that a path starts from, or a variable that holds no item. */
uint16_t path_root(const struct explanation *e, uint16_t i);

/* Whether number was not reported before; then it is from now on. */
bool explanation_first_time(struct explanation *e, int number);

/* Binds the variable of macro i to an item; the last bound is unbound first. */
void explanation_bind(struct explanation *e, uint16_t i, struct value item);
void explanation_unbind(struct explanation *e);

/* ---- writing ------------------------------------------------------------ */

/* The source of a node, space collapsed. */
void put_source(struct explanation *e, uint16_t i);

/* The same with each name or path replaced by its value. */
void put_numbers(struct explanation *e, uint16_t i);

/* The same with only the keys in brackets replaced: trainers["dpo"].rows. */
void put_keys(struct explanation *e, uint16_t i);

/* The value of a node; strings in quotes. */
void put_value(struct explanation *e, uint16_t i);

#endif
