/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler of expressions, shared by lexer, parser and type check. */
#ifndef SERRIED_PLACEMENT_EXPRESSION_COMPILER_H
#define SERRIED_PLACEMENT_EXPRESSION_COMPILER_H

#include "placement/expression_node.h"

enum token_type {
    TOKEN_END,
    TOKEN_INT,
    TOKEN_DOUBLE,
    TOKEN_STRING,
    TOKEN_NAME,
    TOKEN_OPERATOR, /* binary; op says which */
    TOKEN_SIGN,     /* one character: ( ) [ ] , . ? : ! */
};

struct token {
    enum token_type type;
    uint16_t start, end;            /* in the trimmed source */
    const struct operator_row *row; /* TOKEN_OPERATOR */
};

/* What is known of a node while compiling only. */
struct note {
    struct shape shape;
    uint8_t depth; /* operations nested in it, itself counted */
};

/* A compilation under way. Functions that make a node return its index, or -1
 * with err filled. */
struct compiler {
    struct arena *arena;
    const struct tree *at;
    const struct name_space *names;
    struct error *err;
    const char *source; /* trimmed, ended by a NUL */
    uint16_t len;
    size_t trimmed;     /* bytes taken off in front */
    struct token token; /* the one being looked at */
    uint16_t last_end;  /* end of the one before it */
    struct node *nodes;
    struct span *spans;
    struct note *notes;
    unsigned n_nodes, max_nodes;
    struct {
        const char *name;
        struct shape shape;
    } locals[EXPRESSION_LOCALS_MAX];
    int n_locals;
    int nesting; /* of brackets and prefixes */
};

/* Fills err with the place of a byte of the source in front; returns -1. */
int compiler_error(struct compiler *c, uint16_t offset, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- lexer -------------------------------------------------------------- */

/* Steps to the next token; -1 with err filled. */
int lexer_next(struct compiler *c);

/* Number of nodes that the source can at most become. */
unsigned lexer_count(const char *source);

/* ---- parser ------------------------------------------------------------- */

int parse_expression(struct compiler *c);

/* ---- shapes and nodes --------------------------------------------------- */

/* What may come out of a document, where nothing says more. */
enum { TYPES_FREE = VALUE_ANY & ~VALUE_OBJECT };

struct shape shape_of(const struct compiler *c, int node);
struct shape shape_types(unsigned types);

/* What one item of a list is; a number is a list of itself. */
struct shape shape_item(struct shape list);

/* Adds that the value may be node's too; refuses items of two kinds. */
int shape_join(struct compiler *c, struct shape *shape, int node);

/* Writes `"name" is a string`: the node's source, cut, and its types. */
void operand_print(const struct compiler *c, int node, struct text *out);

/* Refuses node as an operand of what, which needs something else. */
int operand_refuse(struct compiler *c, int node, const char *what,
                   const char *needs);

/* operand_refuse() unless node may be of one of the types. */
int operand_need(struct compiler *c, int node, unsigned types, const char *what,
                 const char *needs);

int name_refuse(struct compiler *c, const char *name, uint16_t start,
                const char *nearest);

/* A node without children; one of a and, if not negative, b. */
struct node node_leaf(enum node_op op, int number);
struct node node_parent(enum node_op op, int a, int b);

/* Appends a node, its children before it, or the literal it computes to. */
int node_emit(struct compiler *c, struct node n, uint16_t start,
              struct shape shape);

/* ---- making nodes, with their types ------------------------------------- */

int make_literal(struct compiler *c, struct value v, uint16_t start);
int make_name(struct compiler *c, const char *name, uint16_t start);
int make_member(struct compiler *c, int a, const char *name, uint16_t start);
int make_index(struct compiler *c, int a, int key, uint16_t start);
int make_unary(struct compiler *c, enum node_op op, int a, uint16_t start);
int make_binary(struct compiler *c, const struct operator_row *row, int a,
                int b, uint16_t start);
int make_cond(struct compiler *c, int a, int b, int d, uint16_t start);
/* The op of the macro with this name, or -1. */
int macro_named(const char *name);
int make_macro(struct compiler *c, enum node_op op, int list, int body,
               uint16_t start);
int make_has(struct compiler *c, int a, uint16_t start);
int make_group_lists(struct compiler *c, int name, uint16_t start);

/* Children are linked by next from first (-1: none). */
int make_items(struct compiler *c, int first, unsigned count, uint16_t start);
int make_call(struct compiler *c, int function, int first, unsigned count,
              uint16_t start);

/* Binds a variable to the items of a list node; unbind_local() undoes it. */
int bind_local(struct compiler *c, const char *macro, const char *name,
               int list, uint16_t name_start);
void unbind_local(struct compiler *c);

#endif
