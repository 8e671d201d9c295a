/* SPDX-License-Identifier: Apache-2.0 */
/* serry: checks, draws and explains placements. */
#include <string.h>

#include "client/command.h"

enum {
    /* Documents of the command line: 8 MiB of text may take 250 MiB, and there
     * may be several. */
    INPUT_BYTES_MAX = 1 << 30,
};

static int read_format(const struct invocation *v, enum format *ret)
{
    static const char *const names[] = {
#define X(id, name) name,
        FORMAT_LIST(X)
#undef X
    };
    const char *word = option_value(v, "output");

    *ret = FORMAT_TABLE;
    if (word == NULL)
        return EXIT_OK;
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(names[i], word) == 0)
            *ret = (enum format)i;
    if (*ret == FORMAT_SVG && !v->command->draws)
        return command_misused(v, "svg is for commands that draw: mesh and "
                                  "describe");
    if (strcmp(names[*ret], word) == 0)
        return EXIT_OK;
    return command_misused(v,
                           "there is no format %.64s; use table, json or "
                           "yaml",
                           word);
}

static int run(struct invocation *v)
{
    enum format format;
    struct error err;
    int rc = read_format(v, &format);

    if (rc != EXIT_OK)
        return rc;
    output_init(&v->out, format);
    if (option_given(v, "help"))
        help_print(&v->out, v->command);
    else
        rc = v->command->run(v);
    if (output_flush(&v->out, &err) < 0)
        rc = command_failed(&err);
    output_close(&v->out);
    return rc;
}

int main(int argc, char **argv)
{
    struct invocation invocation = { .arena = arena_new(INPUT_BYTES_MAX) };
    struct error err;
    int rc;

    if (invocation.arena == NULL) {
        error_exhausted(&err);
        return command_failed(&err);
    }
    rc = command_parse(&invocation, argc, argv);
    if (rc == EXIT_OK)
        rc = run(&invocation);
    arena_free(invocation.arena);
    return rc;
}
