/* SPDX-License-Identifier: Apache-2.0 */
/* serry host remove: hosts that are no more. */
#include "client/host.h"

/* Calls of as many as one may hold, each of which removes all or none. */
static int remove_part(struct live *live, const struct host_names *names,
                       size_t first, size_t n, struct error *err)
{
    struct output *out = &live->v->out;

    if (serry_remove_hosts(live->client, names->names + first, n, NULL,
                           &live->err) < 0)
        return live_failed(live, err);
    for (size_t i = first; out->format == FORMAT_TABLE && i < first + n; i++) {
        output_put(out, STYLE_NAME, names->names[i]);
        output_put(out, STYLE_PLAIN, " is removed");
        output_line(out);
    }
    return out->format == FORMAT_TABLE ? output_flush(out, err) : 0;
}

static int write_removed(struct live *live, const struct host_names *names,
                         struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct tree *list = make_list(&maker, map, "removed");

    for (size_t i = 0; i < names->n; i++)
        make_string(&maker, list, NULL, names->names[i]);
    return live_document(live, &maker, map, err);
}

static int remove_hosts(struct live *live, int *ret_exit, struct error *err)
{
    struct host_names names;

    (void)ret_exit;
    if (hosts_named(live, &names, err) < 0)
        return -1;
    for (size_t i = 0; i < names.n; i += HOSTS_A_CALL) {
        size_t n = names.n - i;

        if (remove_part(live, &names, i, n < HOSTS_A_CALL ? n : HOSTS_A_CALL,
                        err) < 0)
            return -1;
    }
    return live->v->out.format == FORMAT_TABLE
               ? 0
               : write_removed(live, &names, err);
}

static int run(struct invocation *v)
{
    return live_run(v, remove_hosts);
}

static const struct option_row options[] = {
    LIVE_OPTION_ADDRESS,
};

const struct command command_host_remove = {
    .name = "host remove",
    .arguments = "HOST...",
    .help = "take hosts out of the inventory; refused while a placement has "
            "devices there",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run,
};
