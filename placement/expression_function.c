/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of expressions by name: one file for each set of them. */
#include "placement/expression_node.h"

#include <string.h>

static const struct function_set *const sets[] = {
    &number_functions,
    &list_functions,
    &string_functions,
};

int function_find(const char *name)
{
    for (size_t s = 0; s < ARRAY_LEN(sets); s++)
        for (size_t i = 0; i < sets[s]->count; i++)
            if (strcmp(sets[s]->rows[i].name, name) == 0)
                return (int)(s * FUNCTION_SET_MAX + i);
    return -1;
}

const struct function *function_at(int number)
{
    return &sets[number / FUNCTION_SET_MAX]->rows[number % FUNCTION_SET_MAX];
}

size_t function_names(const char **ret, size_t max)
{
    size_t n = 0;

    for (size_t s = 0; s < ARRAY_LEN(sets); s++)
        for (size_t i = 0; i < sets[s]->count && n < max; i++)
            ret[n++] = sets[s]->rows[i].name;
    return n;
}
