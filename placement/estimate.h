/* SPDX-License-Identifier: Apache-2.0 */
/* What a model's declaration says of memory (by stage) and of speed. */
#ifndef SERRIED_PLACEMENT_ESTIMATE_H
#define SERRIED_PLACEMENT_ESTIMATE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/tree.h"

struct check;
struct expression;
struct runtime;
struct scope;

enum {
    ESTIMATE_STAGES_MAX = 64,
    MEASURED_ROWS_MAX = 4096,
};

/* One stage of a run, as written. Its expressions name axes, so they mean
 * something under a runtime only. */
struct stage {
    const char *name;
    const struct tree *when;    /* NULL: always */
    const struct tree *weights; /* GiB on a rank; NULL: not said */
    const struct tree *peak;    /* GiB on a rank; may read weights_gib */
};

/* One measured configuration. */
struct measured_row {
    const struct tree *sizes;   /* axis -> size; those not named are 1 */
    const struct tree *options; /* that it was measured under; NULL: any */
    double step_s;              /* seconds of a step */
};

struct estimate {
    const struct stage *stages;
    size_t n_stages;
    const struct measured_row *rows;
    size_t n_rows;
};

/* Loads `estimate` and `measured` of a model's document, either of which may be
 * absent. Expressions are parsed, so that a mistake of form is found without a
 * runtime.
 *   STATUS_INVALID    a wrong key or type, a number that cannot be, a mistake
 *                     in an expression, over a bound
 *   STATUS_EXHAUSTED  the arena is full */
int estimate_load(struct arena *arena, const struct tree *model,
                  struct estimate *ret, struct error *err);

/* ---- under a runtime ----------------------------------------------------- */

/* The expressions of a stage, compiled. */
struct stage_program {
    const struct stage *stage;
    const struct expression *when, *weights, *peak; /* NULL: as in the stage */
    const char *missing; /* why it says nothing under this runtime: a name that
                            the runtime does not have; NULL: it does */
};

struct estimator {
    const struct runtime *rt;
    const struct estimate *estimate;
    struct stage_program *programs; /* one for each stage */
};

/* What a stage takes on each rank; below 0: not known. */
struct stage_memory {
    double weights_gib, peak_gib;
};

/* Compiles a model's stages against the names of a runtime: its axes, options,
 * facts, derived sizes, and `world`, all whole numbers as decimals. A stage
 * that reads another name is kept with the reason.
 *   STATUS_INVALID    an operator on a type that it does not take
 *   STATUS_EXHAUSTED  the arena is full */
int estimator_init(struct estimator *ret, const struct estimate *estimate,
                   const struct runtime *rt, struct arena *arena,
                   struct error *err);

/* Compiles the expressions of one stage; rt NULL: for their form alone, every
 * name being one. Private to estimate*.c; errors as estimator_init(). */
int stage_compile(struct arena *arena, const struct stage *stage,
                  const struct runtime *rt, struct stage_program *ret,
                  struct error *err);

/* Computes every stage for the sizes of a scope.
 *   ret    one entry for each stage
 *   arena  of what is computed on the way */
void estimator_memory(const struct estimator *e, const struct check *check,
                      const struct scope *scope, struct arena *arena,
                      struct stage_memory *ret);

/* Seconds of a step, of the first row that was measured with the sizes and
 * options of a scope: every axis that the row does not name has size 1, or
 * makes replicas. Below 0: nobody measured it. */
double estimator_step(const struct estimator *e, const struct check *check,
                      const struct scope *scope);

#endif
