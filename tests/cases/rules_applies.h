/* SPDX-License-Identifier: Apache-2.0 */
/* What checks look at in a request. Private to rules_applies*.c. */
#ifndef SERRIED_TESTS_CASES_RULES_APPLIES_H
#define SERRIED_TESTS_CASES_RULES_APPLIES_H

#include "tests/cases/rules.h"

/* Whether a request, of which the check was run, has it.
 *   rule  places the check */
typedef bool applies_fn(const struct check *check, const struct rule *rule);

applies_fn splits_ranks; /* some instance has several */

/* rules_applies_model.c */
applies_fn has_fact, has_node_axis, has_split, has_shard_dim, names_model,
    splits_declared, serves_node, splits_twice, places_in_two, names_walk,
    has_signal, places_on_rank, locksteps, streams_to_split, streams_to_walks,
    shares_resource, combines_split, lists_hosts, splits_over_hosts;

#endif
