/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of structure checks and faults, and which function runs which. */
#include "placement/structure.h"

#include <string.h>

#include "placement/check.h"
#include "placement/structure_checks.h"

const struct fault_row fault_rows[FAULT_COUNT] = {
#define X(id, check_, word_, code_, level, subject_, equation_, reason_, fix_) \
    [FAULT_##id] = { .check = STRUCTURE_##check_,                              \
                     .word = word_,                                            \
                     .code = code_,                                            \
                     .warns = (level) == FAULT_WARNS,                          \
                     .of_sizes = (level) == FAULT_OF_SIZES,                    \
                     .subject = subject_,                                      \
                     .equation = equation_,                                    \
                     .reason = reason_,                                        \
                     .fix = fix_ },
    FAULT_LIST(X)
#undef X
};

static const struct {
    const char *name;
    bool first;
    void (*run)(struct check *check, const struct rule *rule);
} structures[] = {
#define X(name, first) { #name, first, structure_##name },
    STRUCTURE_LIST(X)
#undef X
};

const char *structure_name(int structure)
{
    return structures[structure].name;
}

int structure_named(const char *name)
{
    for (int i = 0; i < STRUCTURE_COUNT; i++)
        if (strcmp(structures[i].name, name) == 0)
            return i;
    return -1;
}

bool structure_runs_first(int structure)
{
    return structures[structure].first;
}

void structure_run(struct check *check, const struct rule *rule)
{
    structures[rule->structure].run(check, rule);
}
