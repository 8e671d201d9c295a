/* SPDX-License-Identifier: Apache-2.0 */
/* Which sizes to give a model: valid requests, ranked by an objective. */
#ifndef SERRIED_PLACEMENT_SUGGEST_H
#define SERRIED_PLACEMENT_SUGGEST_H

#include "placement/alternatives.h"
#include "placement/estimate.h"

/* What is wanted most: identifier, word. */
/* clang-format off */
#define OBJECTIVE_LIST(X)                                                    \
    X(MEMORY,     "memory")     /* the smallest peak */                      \
    X(LATENCY,    "latency")    /* the fastest step */                       \
    X(THROUGHPUT, "throughput") /* the most steps a second, all replicas */
/* clang-format on */

enum objective {
#define X(id, word) OBJECTIVE_##id,
    OBJECTIVE_LIST(X)
#undef X
        OBJECTIVE_COUNT
};

enum {
    SUGGEST_TRIED_MAX = ALTERNATIVES_TRIED_MAX,
    /* Sizes put together on the way, most of them not worth a check: at 10 ns
     * each, 10 ms. */
    SUGGEST_STEPS_MAX = 1 << 20,
    /* Listed ranks and list items looked at in all checks together, at 5 to 12
     * ns each: under half a second. */
    SUGGEST_WORK_MAX = 1 << 25,
    SUGGEST_SCRATCH_BYTES = 256 << 20, /* a check of a million ranks fits */
    SUGGEST_MOST_DEFAULT = 8,
    SUGGEST_EDITS_MAX = RUNTIME_AXES_MAX + ALTERNATIVE_EDITS_MAX,
    SUGGEST_STAGES_SAID = 3, /* in one sentence */
    SUGGEST_WARNINGS_MAX = 8,
};

struct suggest_wants {
    enum objective objective;
    double memory_gib; /* of a rank; 0: no bound */
    size_t most;       /* to be written; 0: SUGGEST_MOST_DEFAULT */
};

/* A request that passes the whole check. */
struct suggestion {
    enum objective objective; /* that it was found for */
    const struct edit *edits; /* to the request it was made of */
    size_t n_edits;
    uint32_t sizes[RUNTIME_AXES_MAX];
    uint32_t replicas;                 /* run different requests */
    const struct stage_memory *stages; /* by stage of the model */
    size_t n_stages;
    int peak_stage;          /* of the largest; -1: not known */
    double peak_gib, step_s; /* below 0: not known */
    double least_gib;        /* what is known that it takes */
    size_t n_unchecked;      /* rules that could not be judged */
    /* codes of warnings, of those that are written */
    const char *warnings[SUGGEST_WARNINGS_MAX];
    size_t n_warnings;
};

/* Why requests are not among the suggestions. */
struct fallen {
    const char *code; /* of the first finding, or memory.* */
    size_t n;
};

struct suggestions {
    const struct question *question; /* with the request as it was given */
    struct suggest_wants wants;
    int group; /* whose sizes are varied */
    struct estimator estimator;
    struct suggestion *items; /* the best first */
    size_t n, cap;
    struct fallen *fallen; /* the most frequent first */
    size_t n_fallen;
    struct suggestion smallest; /* of those that take too much memory */
    bool has_smallest;
    size_t tried;
    bool cut; /* not all candidates were tried */
    /* Where there are none: the nearest smaller and larger number of ranks that
     * has some, with the best for it; 0: none up to half and twice. */
    int64_t near_world[2];
    struct suggestion near[2];
};

/* Codes of requests that pass the check but not the bound on memory. */
extern const char suggest_memory_exceeded[], suggest_memory_unknown[];

/* Ranks the requests that differ from a given one in sizes (of its largest
 * group) that it leaves open, and in options that it leaves open where the
 * remedy of a refusing rule sets them. Every one has passed the whole check.
 * The same question has always the same answer.
 *   question  borrowed by ret; its deployment need not be valid
 *   arena     of ret
 *   STATUS_INVALID    the model's estimate cannot be computed under the runtime
 *   STATUS_EXHAUSTED  no memory */
int suggest(const struct question *question, const struct suggest_wants *wants,
            struct arena *arena, struct suggestions *ret, struct error *err);

/* Writes {"model", "runtime", "world", "objective", "memory_gib",
 * "suggestions": [{"set", "sizes", "replicas", "peak_gib", "stage", "stages",
 * "step_s", "steps_per_s", "unchecked", "warnings", "say"}], "valid", "tried",
 * "cut", "fell_out": [{"code", "count", "say"}], "near": [{"world", "set",
 * "say"}], "notes"} into map. */
void suggest_write(const struct suggestions *found, struct tree_maker *maker,
                   struct tree *map);

/* Index of the objective with this word, or -1. */
int objective_named(const char *word);
const char *objective_word(enum objective objective);

#endif
