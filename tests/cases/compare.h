/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing answers with what cases expect. */
#ifndef SERRIED_TESTS_CASES_COMPARE_H
#define SERRIED_TESTS_CASES_COMPARE_H

#include "base/tree.h"

/* The child with this key, one that is null too; NULL: none. */
const struct tree *child(const struct tree *map, const char *key);

/* Whether two values are the same; maps in any order of their keys. */
bool same(const struct tree *a, const struct tree *b);

/* Whether a case expects anything of what an answer advises. */
bool expects_advice(const struct tree *want);

/* The key of what a case expects that the answer's advice is not as: the
 * alternatives, what is said of them, the fixes of the first finding; NULL: all
 * is. *ret_got: what the answer has there. */
const char *advice_differs(const struct tree *want, const struct tree *answer,
                           const struct tree **ret_got);

#endif
