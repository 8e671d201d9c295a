/* SPDX-License-Identifier: Apache-2.0 */
/* What several commands do with their options. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The installed folder is used when it is there: its files may be newer than
 * those built in. */
static const char *installed_folder(void)
{
#ifdef SERRIED_DATADIR
    if (is_folder(SERRIED_DATADIR))
        return SERRIED_DATADIR;
#endif
    return NULL;
}

struct catalog *command_catalog(const struct invocation *v, struct error *err)
{
    const char *folder = option_value(v, "share");

    if (folder == NULL)
        folder = getenv("SERRIED_SHARE");
    if (folder == NULL)
        return catalog_new(installed_folder(), err);
    if (folder[0] == '\0')
        return catalog_new(NULL, err);
    if (!is_folder(folder)) {
        error_set(err, STATUS_UNKNOWN_NAME,
                  "%s: there is no such folder of declarations", folder);
        return NULL;
    }
    return catalog_new(folder, err);
}
