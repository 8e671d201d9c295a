/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as text: what it is about, the equation, the reason, the fixes. */
#ifndef SERRIED_PLACEMENT_EXPLAIN_H
#define SERRIED_PLACEMENT_EXPLAIN_H

#include "placement/check.h"

/* What the finding is about, as a path in the request or a name:
 * "node_groups[1].ranks", "node_groups[1].dit", "kv". */
void finding_subject(const struct check *check, const struct finding *f,
                     struct text *out);

/* The failing expression with its numbers, and in parentheses which of them
 * were derived or came from a default; empty where there is none. */
void finding_equation(const struct check *check, const struct finding *f,
                      struct text *out);

/* Follows an undefined expression down to the one that could not be computed:
 * "stage = world / a: 4 / 3"; of one that has a value, which then cannot be
 * what it is meant for, says that. */
void explain_undefined(const struct check *check, const struct scope *scope,
                       const struct expression *part, struct text *out);

/* Why that cannot run. */
void finding_reason(const struct check *check, const struct finding *f,
                    struct text *out);

/* Calls fix() with each thing that would be right, one sentence each. */
void finding_fixes(struct check *check, const struct finding *f,
                   void (*fix)(void *arg, const char *text), void *arg);

/* Calls need() with each fact that would let the rule be judged,
 * "model.kv_heads", "model.dit.heads". */
void unchecked_needs(const struct check *check, const struct unchecked *u,
                     void (*need)(void *arg, const char *text), void *arg);

/* The same of what lets a layout be computed. Returns whether the finding is of
 * one that only lacks a value, and not of sizes that do not fit. */
bool layout_needs(const struct check *check, const struct finding *f,
                  void (*need)(void *arg, const char *text), void *arg);

/* "node_groups[2]" */
void group_path(int group, struct text *out);

/* Sizes above one by the names users type, "cfg_size 2, tp_size 2"; "one rank".
 */
void shape_print(const struct check *check, const struct scope *scope,
                 struct text *out);

/* Puts what the finding is about into the names that a remedy's expressions
 * use. Returns the scope they are evaluated in. */
struct scope *remedy_bind(struct check *check, const struct finding *f);

/* Writes a text of a fault's row, each {word} replaced by what was found. */
void fault_fill(const struct check *check, const struct finding *f,
                const char *text, struct text *out);

/* What an item of a rule's list is called: "node_groups[1].dit", "kv". */
void item_print(const struct check *check, struct value item, struct text *out);

/* Remedy i of a finding, of its set of axes and then of its rule; NULL: none.
 */
const struct remedy *finding_remedy(const struct finding *f, size_t i);

/* The value that a remedy gives to a setting; known and of no type: none, as if
 * it were not given. */
struct value setting_value(const struct setting *setting,
                           const struct scope *scope);

/* Whether a remedy holds for what was bound: its condition is true, and all it
 * sets is known and in range. */
bool remedy_applies(const struct check *check, const struct scope *scope,
                    const struct remedy *remedy);

/* A row's text with nothing filled in: {words} as <words>, or left out, or as
 * what they stand for. */
void fault_text_print(const char *text, struct text *out);

#endif
