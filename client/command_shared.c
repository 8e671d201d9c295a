/* SPDX-License-Identifier: Apache-2.0 */
/* What several commands do with their options. */
#include <string.h>

#include "client/command.h"

int command_names(const struct invocation *v, const char *name,
                  const char *const **ret, size_t *ret_n, struct error *err)
{
    const char **names, *value;
    size_t at = 0, room = 1, n = 0;

    while ((value = option_next(v, name, &at)) != NULL)
        for (room++; *value != '\0'; value++)
            room += *value == ',';
    names = arena_array(v->arena, room, sizeof(*names));
    if (names == NULL)
        return error_exhausted(err);
    for (at = 0; (value = option_next(v, name, &at)) != NULL;) {
        char *rest = arena_strdup(v->arena, value), *one;

        if (rest == NULL)
            return error_exhausted(err);
        while ((one = strsep(&rest, ",")) != NULL)
            if (one[0] != '\0')
                names[n++] = one;
    }
    *ret = names;
    *ret_n = n;
    return 0;
}
