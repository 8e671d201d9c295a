/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the test of shipped rules share. */
#ifndef SERRIED_TESTS_CASES_RULES_H
#define SERRIED_TESTS_CASES_RULES_H

#include "placement/check.h"
#include "proto/catalog.h"

/* ---- samples: rules_samples.c -------------------------------------------- */

/* A case that is a request under a shipped runtime. */
struct sample {
    const char *file, *id;
    struct question question;
    const struct tree *want; /* its `expect` */
    bool accepts;            /* it expects to be accepted */
    const char *up_to;       /* the layer it asks for; NULL: all */
    /* What found the first finding, where the case expects advice on it. */
    const struct rule *advised_by; /* NULL: it expects none */
    const struct axis_set *advised_by_set;
};

/* All of them, and the cases of other kinds. */
struct samples {
    struct arena *arena; /* holds everything */
    struct sample *items;
    size_t n, cap;
    const struct tree **others; /* cases that are no requests */
    size_t n_others, cap_others;
};

/* Reads every .jsonl file of a folder; returns what is freed by samples_free().
 *   STATUS_INVALID    a line cannot be read
 *   STATUS_EXHAUSTED  no memory */
struct samples *samples_read(struct catalog *catalog, const char *folder,
                             struct error *err);
void samples_free(struct samples *samples);

/* Whether the case says that this code is found: first, anywhere, or as a
 * warning. A code that it only allows beside another is not said. */
bool sample_names(const struct sample *sample, const char *code);

/* Checks the request under a runtime, its own or a mutant, for which it is read
 * again where that knows other keys; NULL: no memory. */
struct check *sample_check(const struct sample *sample,
                           const struct runtime *rt, struct arena *arena);

/* Whether the outcome has the verdict, codes, warnings and unchecked rules that
 * the case expects. */
bool sample_agrees(const struct sample *sample, const struct check *check);

/* ---- advice: rules_advice.c ---------------------------------------------- */

/* Whether an answer under a runtime has the alternatives and fixes that the
 * case expects. */
bool sample_is_advised(const struct sample *sample, const struct runtime *rt,
                       struct arena *arena);

/* Notes in every case that expects advice, and gets it, what it is about.
 * arena: scratch, reset. */
void samples_note_advice(struct samples *samples, struct arena *arena);

/* ---- mutants: rules_mutants.c -------------------------------------------- */

/* One thing of a runtime that finds something, and the runtime with it broken.
 */
struct mutant {
    const char *what;             /* for messages: "rule", "axis set" ... */
    const char *code;             /* that it finds; NULL: it allows */
    const char *part;             /* of its expression; NULL: all */
    const char *about;            /* what else tells it apart; NULL: nothing */
    const struct tree *at;        /* where it stands; NULL: nowhere */
    const struct rule *rule;      /* of the real runtime; NULL: no rule */
    const struct axis_set *set;   /* likewise */
    const struct runtime *never;  /* it finds nothing, or under another code */
    const struct runtime *always; /* it finds something wherever it is asked;
                                     NULL: there is no such runtime */
    int fault; /* enum fault: `code` is one of many; FAULT_COUNT: any of the
                  check's; -1: `code` alone */
};

typedef void mutant_fn(void *arg, const struct mutant *mutant);

/* Calls back with every mutant of a runtime, in the order of the declaration.
 * What it is handed lives until it returns. False: no memory. */
bool mutants_each(const struct runtime *rt, mutant_fn *fn, void *arg);

/* ---- parts: rules_parts.c ------------------------------------------------ */

/* Calls back with every part of conditions, and of what is refused. False: the
 * declaration cannot be read again, or one without a part cannot be loaded. */
bool parts_each(struct catalog *catalog, const struct runtime *rt,
                mutant_fn *fn, void *arg);

/* The declaration that the program carries, to be changed; NULL: none. */
struct tree *read_shipped(struct catalog *catalog, const char *name,
                          struct arena *arena);

/* ---- values: rules_values.c ---------------------------------------------- */

/* Calls back with every written value that requests can tell apart: `code` is
 * its text, `never` the runtime without it or with another. False: as above. */
bool values_each(struct catalog *catalog, const struct runtime *rt,
                 mutant_fn *fn, void *arg);

/* ---- what checks look at: rules_applies.c -------------------------------- */

/* Whether a fault can be found under a runtime, by the rule that places its
 * check. */
bool fault_concerns(const struct runtime *rt, const struct rule *rule,
                    enum fault fault);

/* Whether a request has what the fault could be found in. */
bool fault_applies(const struct check *check, const struct rule *rule,
                   enum fault fault);

/* ---- remedies: rules_remedies.c ------------------------------------------ */

/* Calls back with every remedy, every part of one, and every rule's allowed
 * values: `never` is the runtime without it. False: no memory. */
bool remedies_each(const struct runtime *rt, mutant_fn *fn, void *arg);

/* ---- lists of hosts: rules_hosts.c --------------------------------------- */

/* Is told a thing that is known, or why it is not; why is "" if it is. */
typedef void report_fn(void *arg, const char *name, const char *why);

/* Reports on all that a runtime says of lists of hosts, if anything. False: no
 * memory. */
bool hosts_judge(const struct runtime *rt, const struct samples *samples,
                 report_fn *report, void *arg);

/* ---- exceptions: rules_implied.c ----------------------------------------- */

enum { IMPLIED_MAX = 128 };

/* Number of the row of a part, a value or a remedy that no case can miss; -1:
 * none. */
int implied_find(const struct runtime *rt, const struct mutant *mutant);

/* Its reason. */
const char *implied_why(int row);

/* The code in the first row that is not among those seen; NULL: all are. */
const char *implied_unseen(const bool *seen);

#endif
