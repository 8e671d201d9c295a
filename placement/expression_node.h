/* SPDX-License-Identifier: Apache-2.0 */
/* The compiled form of an expression, for the expression files alone. */
#ifndef SERRIED_PLACEMENT_EXPRESSION_NODE_H
#define SERRIED_PLACEMENT_EXPRESSION_NODE_H

#include "placement/expression.h"

/* Kinds of node; each has its eval_NAME() in expression_eval.c. */
/* clang-format off */
#define NODE_LIST(X)                                                         \
    X(LITERAL,  literal)  /* literal */                                      \
    X(SLOT,     slot)     /* number: the slot */                             \
    X(LOCAL,    local)    /* number: which bound variable */                 \
    X(MEMBER,   member)   /* a.name; number and kind: of an object (number   \
                             -1: has none), literal: the name, for a map */  \
    X(INDEX,    index)    /* a[b] */                                         \
    X(ITEMS,    items)    /* [children] */                                   \
    X(LISTS,    lists)    /* number: the group list */                       \
    X(HAS,      has)      /* has(a) */                                       \
    X(CALL,     call)     /* number: function of a and b; b may be absent */ \
    X(FOLD,     fold)     /* number: function of children, or a's items */   \
    X(ALL,      all)      /* a.all(local number, b) */                       \
    X(EXISTS,   exists)   /* a.exists(local number, b) */                    \
    X(MAP,      map)      /* a.map(local number, b) */                       \
    X(FILTER,   filter)   /* a.filter(local number, b) */                    \
    X(COND,     cond)     /* a ? b : c */                                    \
    X(NOT,      not)      /* !a */                                           \
    X(NEGATE,   negate)   /* -a */

/* Binary operators: name, function, spelling, how strongly they bind, the
 * types an operand may have, and these in words. A longer spelling comes
 * before its beginning. */
#define OPERATOR_LIST(X)                                                     \
    X(OR,  or,  "||", 1, VALUE_BOOL,   "booleans")                           \
    X(AND, and, "&&", 2, VALUE_BOOL,   "booleans")                           \
    X(EQ,  eq,  "==", 3, VALUE_ANY,    "values of one type")                 \
    X(NE,  ne,  "!=", 3, VALUE_ANY,    "values of one type")                 \
    X(LE,  le,  "<=", 3, VALUE_NUMBER | VALUE_STRING, "numbers or strings")  \
    X(GE,  ge,  ">=", 3, VALUE_NUMBER | VALUE_STRING, "numbers or strings")  \
    X(LT,  lt,  "<",  3, VALUE_NUMBER | VALUE_STRING, "numbers or strings")  \
    X(GT,  gt,  ">",  3, VALUE_NUMBER | VALUE_STRING, "numbers or strings")  \
    X(IN,  in,  "in", 3, VALUE_ANY,    "a list or a map on its right")       \
    X(ADD, add, "+",  4, VALUE_NUMBER, "numbers")                            \
    X(SUB, sub, "-",  4, VALUE_NUMBER, "numbers")                            \
    X(MUL, mul, "*",  5, VALUE_NUMBER, "numbers")                            \
    X(DIV, div, "/",  5, VALUE_NUMBER, "numbers")                            \
    X(MOD, mod, "%",  5, VALUE_INT,    "integers")
/* clang-format on */

enum node_op {
#define X(name, function) NODE_##name,
    NODE_LIST(X)
#undef X
#define X(name, function, spelling, binds, types, needs) NODE_##name,
        OPERATOR_LIST(X)
#undef X
};

enum { NODE_NONE = UINT16_MAX }; /* no such child */

/* Whether it evaluates its second child once for each item of its first. */
static inline bool node_is_macro(enum node_op op)
{
    return op == NODE_ALL || op == NODE_EXISTS || op == NODE_MAP ||
           op == NODE_FILTER;
}

/* 32 bytes, two in a cache line. Nodes stand in postorder: a subtree is the
 * run that ends with its top. */
struct node {
    uint8_t op; /* enum node_op */
    union {
        uint16_t kind;   /* MEMBER: kind of object that number belongs to */
        uint16_t length; /* macros: nodes of b, what one item costs */
    };
    uint16_t a, b, c; /* children, the first three */
    uint16_t next;    /* the next child of the same parent */
    int32_t number;
    struct value literal;
};

/* Where a node stands in the source. */
struct span {
    uint16_t start, end; /* bytes, end not included */
    uint16_t first;      /* node that its subtree starts with */
};

struct expression {
    const struct tree *at;
    const char *source; /* trimmed, ended by a NUL */
    struct shape shape;
    uint16_t n_nodes; /* the top is the last */
    const struct node *nodes;
    const struct span *spans;
};

/* One evaluation under way. */
struct evaluation {
    const struct node *nodes;
    const struct environment *env;
    int64_t steps; /* left of EXPRESSION_STEPS_MAX */
    struct value locals[EXPRESSION_LOCALS_MAX];
};

typedef struct value eval_fn(struct evaluation *x, const struct node *n);

#define X(name, function) eval_fn eval_##function;
NODE_LIST(X)
#undef X
#define X(name, function, spelling, binds, types, needs)                       \
    eval_fn eval_##function;
OPERATOR_LIST(X)
#undef X

extern eval_fn *const node_evaluators[]; /* by enum node_op */

static inline struct value node_eval(struct evaluation *x, uint16_t index)
{
    const struct node *n = &x->nodes[index];

    return node_evaluators[n->op](x, n);
}

/* node_eval() that spares the call for what many operands are. */
static inline struct value operand(struct evaluation *x, uint16_t index)
{
    const struct node *n = &x->nodes[index];

    if (n->op == NODE_SLOT)
        return environment_slot(x->env, n->number);
    if (n->op == NODE_LITERAL)
        return n->literal;
    return node_evaluators[n->op](x, n);
}

/* What a map holds under a string, or an integer in decimal; or NULL. */
const struct tree *map_find(struct evaluation *x, struct value map,
                            struct value key);

/* The items of a list, or the number itself as a list of one, borrowed from v;
 * false: neither. */
static inline bool value_items(const struct value *v,
                               const struct value **ret_items,
                               uint32_t *ret_count)
{
    bool list = v->type == VALUE_LIST;

    *ret_items = list ? v->u.items : v;
    *ret_count = list ? v->count : 1;
    return list || (v->type & VALUE_NUMBER) != 0;
}

/* Takes steps off the budget; false when it is used up. */
static inline bool evaluation_charge(struct evaluation *x, uint64_t steps)
{
    if (steps > (uint64_t)x->steps) {
        x->steps = 0;
        return false;
    }
    x->steps -= (int64_t)steps;
    return true;
}

/* Room for the items of a list that is made; NULL: there are more than
 * EXPRESSION_LIST_MAX, or the arena is full. */
struct value *evaluation_new_items(struct evaluation *x, size_t count);

/* The same, each item taking a step off the budget; NULL also when it is used
 * up. */
static inline struct value *evaluation_charged_items(struct evaluation *x,
                                                     size_t count)
{
    if (count > EXPRESSION_LIST_MAX || !evaluation_charge(x, count))
        return NULL;
    return evaluation_new_items(x, count);
}

/* Sizes fit into 32 bits, and there division costs half or less. */
static inline bool both_small(int64_t a, int64_t b)
{
    return (((uint64_t)a | (uint64_t)b) >> 32) == 0;
}

/* What an operation gives whose operands are not all known, or are of types
 * that it does not take. */
static inline struct value value_spread(struct value a, struct value b)
{
    if (((a.state | b.state) & VALUE_UNDEFINED) != 0)
        return value_undefined();
    if ((a.state | b.state) != 0)
        return value_unknown();
    return value_undefined();
}

/* a op b for numbers, not both integers; op is one of + - * /. */
struct value double_compute(enum node_op op, struct value a, struct value b);

/* A binary operator, a row of OPERATOR_LIST. */
struct operator_row {
    enum node_op op;
    const char *spelling;
    int binds;
    unsigned types;
    const char *needs;
};

const struct operator_row *operator_at(enum node_op op);

/* ---- functions ---------------------------------------------------------- */

struct function {
    const char *name;
    uint8_t min_args, max_args; /* max 0: any number, or one list (a fold) */
    uint8_t first, rest;        /* types of the first argument and the others */
    const char *needs;          /* these in words */
    uint8_t result;             /* types; 0: as the numbers given */
    uint8_t element;            /* of the items, when the result is a list */
    struct value (*call)(struct evaluation *x, struct value a, struct value b);
    struct value (*step)(struct value so_far, struct value item); /* folds */
    int64_t empty;   /* folds: of no items, and what the first is added to */
    bool needs_item; /* folds: of no items undefined, starts with the first */
};

/* The functions that one file defines: its rows, and how many. */
struct function_set {
    const struct function *rows;
    size_t count; /* at most FUNCTION_SET_MAX */
};

enum {
    FUNCTION_SET_MAX = 32
}; /* power of two: numbers are taken apart by it */

extern const struct function_set number_functions; /* expression_number.c */
extern const struct function_set list_functions;   /* expression_items.c */
extern const struct function_set string_functions; /* expression_string.c */

/* Number of the function with this name, or -1. */
int function_find(const char *name);
const struct function *function_at(int number);

/* Writes the names into ret (at most max); returns how many. */
size_t function_names(const char **ret, size_t max);

#endif
