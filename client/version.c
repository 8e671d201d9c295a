/* SPDX-License-Identifier: Apache-2.0 */
/* serry version: the program's version and those of the runtimes it knows. */
#include "client/command.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static int write_versions(struct invocation *v, struct catalog *catalog,
                          struct error *err)
{
    struct tree_maker maker = { .arena = v->arena };
    struct tree *map = make_map(&maker, NULL, NULL), *runtimes;
    size_t n;
    const char *const *names = catalog_runtimes(catalog, &n);

    make_string(&maker, map, "serry", PACKAGE_VERSION);
    runtimes = make_map(&maker, map, "runtimes");
    for (size_t i = 0; i < n; i++) {
        const struct runtime *rt = catalog_runtime(catalog, names[i], err);

        if (rt == NULL)
            return -1;
        make_string(&maker, runtimes, rt->name,
                    rt->version != NULL ? rt->version : "");
    }
    if (maker.failed)
        return error_exhausted(err);
    if (v->out.format != FORMAT_TABLE)
        return output_document(&v->out, map, err);
    output_printf(&v->out, STYLE_PLAIN, "serry %s", PACKAGE_VERSION);
    output_line(&v->out);
    for (const struct tree *t = tree_first(runtimes); t != NULL; t = t->next) {
        output_printf(&v->out, STYLE_PLAIN, "runtime %s %s", t->key, t->text);
        output_line(&v->out);
    }
    return 0;
}

static int run_version(struct invocation *v)
{
    struct error err;
    struct catalog *catalog = command_catalog(v, &err);
    int rc = EXIT_OK;

    if (catalog == NULL || write_versions(v, catalog, &err) < 0)
        rc = command_failed(&err);
    catalog_free(catalog);
    return rc;
}

const struct command command_version = {
    .name = "version",
    .arguments = "",
    .help = "print the version, and those of the runtimes (also --version)",
    .run = run_version,
};
