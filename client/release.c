/* SPDX-License-Identifier: Apache-2.0 */
/* serry release: ends a placement. */
#include "client/live.h"

static int write_released(struct live *live,
                          const struct serry_released *released,
                          struct error *err)
{
    struct tree_maker maker = { .arena = live->v->arena };
    struct output *out = &live->v->out;
    char room[LIVE_WORD];

    if (out->format != FORMAT_TABLE)
        return live_document(
            live, &maker,
            live_make_placement(&maker, released->name, &released->generation),
            err);
    output_put(out, STYLE_GOOD, "released  ");
    output_put(out, STYLE_PLAIN, released->name);
    output_printf(out, STYLE_PLAIN, " at generation %s",
                  live_generation(&released->generation, room));
    output_line(out);
    return 0;
}

static int release(struct live *live, int *ret_exit, struct error *err)
{
    struct serry_generation room;
    struct serry_write write = { 0 };
    struct serry_released *released;
    int rc;

    *ret_exit =
        live_option_generation(live->v, "expect", &room, &write.expected);
    if (*ret_exit != EXIT_OK)
        return 0;
    if (serry_release(live->client, live->v->operands[0], &write, &released,
                      &live->err) < 0)
        return live_failed(live, err);
    rc = write_released(live, released, err);
    serry_free(released);
    return rc;
}

static int run_release(struct invocation *v)
{
    return live_run(v, release);
}

static const struct option_row options[] = {
    LIVE_OPTION_EXPECT,
    LIVE_OPTION_ADDRESS,
};

const struct command command_release = {
    .name = "release",
    .arguments = "NAME",
    .help = "end a placement; its ranks are free again",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 1,
    .max_operands = 1,
    .run = run_release,
};
