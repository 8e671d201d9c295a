/* SPDX-License-Identifier: Apache-2.0 */
/* What a file of cases says once for many of them: a line
 * {"defaults": {KEY: VALUE, ...}} in place of a case gives these keys to the
 * cases behind it that lack them, and ends what such a line before gave. */
#ifndef SERRIED_TESTS_CASES_DEFAULTS_H
#define SERRIED_TESTS_CASES_DEFAULTS_H

#include <string.h>

#include "base/tree.h"

/* What a line gives to those behind it; NULL: it is a case. */
static inline const struct tree *defaults_of(const struct tree *line)
{
    return tree_get(line, "defaults");
}

/* Adds the defaults (NULL: none) that a case lacks. A key that is null is not
 * lacking. */
static inline void defaults_add(struct tree_maker *maker, struct tree *line,
                                const struct tree *defaults)
{
    for (const struct tree *d = tree_first(defaults); d != NULL; d = d->next) {
        const struct tree *own = tree_first(line);

        while (own != NULL && strcmp(own->key, d->key) != 0)
            own = own->next;
        if (own == NULL)
            make_copy(maker, line, d->key, d);
    }
}

#endif
