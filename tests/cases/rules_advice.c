/* SPDX-License-Identifier: Apache-2.0 */
/* What cases expect of the advice in an answer: alternatives and fixes. */
#include "tests/cases/rules.h"

#include "placement/alternatives.h"
#include "placement/verdict.h"
#include "tests/cases/compare.h"

bool sample_is_advised(const struct sample *sample, const struct runtime *rt,
                       struct arena *arena)
{
    static const struct verdict_wants wants;
    struct check *check = sample_check(sample, rt, arena);
    struct tree_maker maker = { .arena = arena };
    struct alternatives alternatives;
    const struct tree *got;
    struct tree *answer;

    if (check == NULL || check_accepts(check) ||
        alternatives_find(check, &alternatives, NULL) < 0)
        return false;
    answer = make_map(&maker, NULL, NULL);
    return verdict_write(check, &alternatives, &wants, &maker, answer, NULL) ==
               0 &&
           advice_differs(sample->want, answer, &got) == NULL;
}

void samples_note_advice(struct samples *samples, struct arena *arena)
{
    for (size_t i = 0; i < samples->n; i++) {
        struct sample *sample = &samples->items[i];
        const struct runtime *rt = sample->question.runtime;
        const struct check *check;

        if (!expects_advice(sample->want) ||
            !sample_is_advised(sample, rt, arena))
            continue;
        check = sample_check(sample, rt, arena);
        sample->advised_by = check->refused.items[0].rule;
        sample->advised_by_set = check->refused.items[0].set;
        arena_reset(arena);
    }
}
