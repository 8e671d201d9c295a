/* SPDX-License-Identifier: Apache-2.0 */
/* Where declarations come from: built in, installed, or --share. */
#include <stdlib.h>
#include <sys/stat.h>

#include "client/command.h"

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

/* A folder that somebody names has declarations in it: a mistyped one would go
 * unnoticed. */
static int check_folder(struct arena *arena, const char *folder,
                        struct error *err)
{
    const char *runtimes = arena_printf(arena, "%s/runtimes", folder);
    const char *models = arena_printf(arena, "%s/models", folder);

    if (runtimes == NULL || models == NULL)
        return error_exhausted(err);
    if (!is_folder(folder))
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "%s: there is no such folder of declarations", folder);
    if (!is_folder(runtimes) && !is_folder(models))
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "%s: no folder of declarations; it has neither "
                         "runtimes nor models in it",
                         folder);
    return 0;
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
    if (check_folder(v->arena, folder, err) < 0)
        return NULL;
    return catalog_new(folder, err);
}
