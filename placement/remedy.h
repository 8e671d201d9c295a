/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that would mend a finding: the rule's own, and of structure checks.
 */
#ifndef SERRIED_PLACEMENT_REMEDY_H
#define SERRIED_PLACEMENT_REMEDY_H

#include "placement/check.h"

/* Is handed the edits of one remedy, and what to say of it in one phrase. */
typedef void try_fn(void *arg, const struct edit *edits, size_t n,
                    const char *say);

/* Calls try() with the edits of each remedy in turn; what they change is made
 * in the check's arena. Whether the changed request passes is not known yet. */
void remedies_of(struct check *check, const struct finding *f, try_fn *try,
                 void *arg);

#endif
