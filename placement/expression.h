/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of the runtime language: compiled once, evaluated often. */
#ifndef SERRIED_PLACEMENT_EXPRESSION_H
#define SERRIED_PLACEMENT_EXPRESSION_H

#include "base/arena.h"
#include "base/error.h"
#include "placement/value.h"

/* Bounds on what is compiled and computed. */
enum {
    EXPRESSION_SOURCE_MAX = 4096, /* bytes */
    EXPRESSION_DEPTH_MAX = 64,    /* nested operations */
    EXPRESSION_NODES_MAX = 1024,
    EXPRESSION_LIST_MAX = 65536, /* items of a computed list, and of one that a
                                    macro walks, such as one for each rank;
                                    beyond: undefined */
    EXPRESSION_LOCALS_MAX = 4,   /* bound variables in force at one place */
    EXPRESSION_STEPS_MAX =
        1 << 21, /* nodes evaluated for items of lists in one evaluation;
                    beyond: undefined. The longest list under a macro of 32
                    nodes; 8 ms at 4 ns a node */
};

/* What is known of a value before it is computed. */
struct shape {
    uint8_t types;         /* mask of enum value_type */
    uint16_t kind;         /* VALUE_OBJECT in types: its kind */
    uint8_t element_types; /* VALUE_LIST in types: mask for its items */
    uint16_t element_kind; /* and their kind */
};

/* What names mean while compiling. All functions may be called again from
 * within (a derived name is compiled when it is first met). */
struct name_space {
    /* Slot of a bare name and its shape. Returns the slot (>= 0), -1 for a
     * name that is not known, or -2 when looking it up failed with err set. */
    int (*name)(void *arg, const char *name, struct shape *ret_shape,
                struct error *err);
    /* Number (>= 0) of a member of objects of this kind and its shape, -1 for
     * none, or -2 when looking it up failed with the err of the compilation
     * set. */
    int (*member)(void *arg, uint16_t kind, const char *name,
                  struct shape *ret_shape);
    /* The nearest bare name (kind 0) or member (kind > 0), or NULL. */
    const char *(*nearest)(void *arg, uint16_t kind, const char *name);
    /* lists("v.a"): whether the name is a list of groups, its number and the
     * shape of the list; -1: not. May be NULL: then lists() is refused. */
    int (*lists)(void *arg, const char *name, struct shape *ret_shape);
    void *arg;
};

/* What names mean while evaluating. */
struct environment {
    const struct value *slots; /* by slot; see environment_slot() */
    /* Computes a slot that is pending, and keeps its value there. */
    struct value (*pending)(const struct environment *env, int slot);
    /* Member number `member` of an object. */
    struct value (*member)(const struct environment *env, struct value object,
                           int member);
    struct value (*lists)(const struct environment *env, int list);
    struct arena *arena; /* computed lists and strings; when it is full a value
                            is undefined */
    int64_t *budget; /* steps left for several evaluations; what they take is
                        taken off; NULL: each has its own */
    bool partial;    /* what is unknown stands for any value, so that a value
                        which comes out known holds for all of them */
    void *arg;
};

static inline struct value environment_slot(const struct environment *env,
                                            int slot)
{
    struct value v = env->slots[slot];

    return v.state != VALUE_PENDING ? v : env->pending(env, slot);
}

/* A compiled expression: immutable, in the arena it was compiled in. */
struct expression;

/* Compiles source, a subset of CEL:
 *   ?:  ||  &&  == != < <= > >= in  + -  * / %  unary ! -  x.m  x[k]  f(a)
 *   literals: 1, 2.5, "text" or 'text', true, false, [a, b]
 *   functions, as f(x, ...) or x.f(...): max min gcd ceil_div div pow floor
 *   ceil log2 divisors sum product size has string split lower endsWith range
 *   keys lists; macros on lists: x.all(v, p) x.exists(v, p) x.map(v, e)
 *   at          scalar the source was written in, for line and column of
 *               errors; its text is the source
 *   want        mask of enum value_type that the result must be able to have
 * Returns NULL: STATUS_INVALID a mistake in the source (which token, what is
 * wrong, what would be right), STATUS_EXHAUSTED the arena is full. */
const struct expression *expression_compile(struct arena *arena,
                                            const struct tree *at,
                                            const struct name_space *names,
                                            unsigned want, struct error *err);

/* Evaluates. Never fails: what cannot be computed is unknown or undefined.
 * A number where a list may stand too is a list of one item to macros, in,
 * size() and the functions that fold a list; a list where a number should be
 * is undefined. Items of a list are each known or not.
 *   false && unknown = false, true || unknown = true, both also with the
 *   operands swapped; else unknown spreads, and undefined spreads before it.
 *   Integer / is exact or undefined; div() floors; % has the sign of the
 *   divisor's floor division (CEL differs for negatives, sizes never are).
 *   Division by zero and overflow are undefined; int with double is double. */
struct value expression_eval(const struct expression *expr,
                             const struct environment *env);

struct shape expression_shape(const struct expression *expr);

/* Whether evaluating it may leave anything in the arena, other than what was
 * pending. */
bool expression_allocates(const struct expression *expr);

/* The slot that is all the expression reads ("placed"), or -1. */
int expression_slot(const struct expression *expr);

const char *expression_source(const struct expression *expr);      /* trimmed */
const struct tree *expression_tree(const struct expression *expr); /* at */

/* Calls found() once for each distinct slot the expression reads. */
void expression_slots(const struct expression *expr,
                      void (*found)(void *arg, int slot), void *arg);

/* Writes why the expression is true, with numbers: the failing part's source,
 * a colon, and the comparison with names replaced by values,
 * `ep % tp != 0: 4 % 3 = 1`. Of a conjunction the parts that are not mere
 * guards (a name compared with a literal) are written, joined by " and "; of a
 * disjunction the first true part; of exists()/all() the first item that
 * decides. Calls used() (may be NULL) for each slot whose value was written. */
void expression_explain(const struct expression *expr,
                        const struct environment *env, struct text *out,
                        void (*used)(void *arg, int slot), void *arg);

/* Calls need() for each name or member that is unknown and kept the value from
 * being known, written as in the source ("heads", "p.node.axes.cfg.branches").
 * slot: the slot the path starts from. */
void expression_needs(const struct expression *expr,
                      const struct environment *env,
                      void (*need)(void *arg, int slot, const char *path),
                      void *arg);

/* The same for the part that is undefined: writes its source and numbers,
 * `world / pp: 8 / 3`. */
void expression_explain_undefined(const struct expression *expr,
                                  const struct environment *env,
                                  struct text *out);

#endif
