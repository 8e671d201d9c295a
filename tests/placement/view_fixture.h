/* SPDX-License-Identifier: Apache-2.0 */
/* Views to try things on: given ones and random ones. */
#ifndef SERRIED_TESTS_PLACEMENT_VIEW_FIXTURE_H
#define SERRIED_TESTS_PLACEMENT_VIEW_FIXTURE_H

#include "base/text.h"
#include "placement/view.h"
#include "tests/tap.h"

enum { RANDOM_VIEWS = 100, SPAN_LIMIT = 5000 };

static const char *const letters[] = { "a", "b", "c", "d", "e", "f", "g" };

/* The same numbers on every machine. */
static inline uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*seed >> 33) % below;
}

static inline void make_view(struct view *view, const int64_t *sizes, int n)
{
    struct error err = { 0 };

    ck_assert_msg(view_init(view, letters, sizes, n, &err) == 0, "%s",
                  err.text);
}

static inline void random_view(struct view *view, uint64_t *seed)
{
    int64_t sizes[ARRAY_LEN(letters)], span = 1;
    int n = 1 + (int)draw(seed, ARRAY_LEN(letters));

    for (int a = 0; a < n; a++) {
        sizes[a] = 1 + draw(seed, 6);
        if (span * sizes[a] > SPAN_LIMIT)
            sizes[a] = 1;
        span *= sizes[a];
    }
    make_view(view, sizes, n);
}

#endif
