/* SPDX-License-Identifier: Apache-2.0 */
/* serry watch: prints events as they come. */
#include "client/events.h"

enum { WAIT_MS = 30000 }; /* one call is parked so long */

/* Prints what came and moves on behind it. */
static int print_changes(struct live *live, const struct serry_changes *changes,
                         struct error *err)
{
    /* What follows would look as if nothing were missing. */
    if (changes->reset)
        output_complain("some events before these are forgotten; list the "
                        "placements anew");
    for (size_t i = 0; i < changes->count; i++)
        if (event_print(live, changes->items[i], err) < 0)
            return -1;
    return output_flush(&live->v->out, err);
}

/* Ends by a signal, or when the daemon stays away. */
static int watch(struct live *live, int *ret_exit, struct error *err)
{
    const struct serry_generation *after;
    struct serry_generation position;
    struct serry_changes *changes;

    *ret_exit = live_option_generation(live->v, "after", &position, &after);
    if (*ret_exit != EXIT_OK)
        return 0;
    live->v->out.documents = true;
    for (;;) {
        int rc;

        if (serry_watch(live->client, after, WAIT_MS, &changes, &live->err) < 0)
            return live_failed(live, err);
        rc = print_changes(live, changes, err);
        position = changes->position;
        after = &position;
        serry_free(changes);
        if (rc < 0)
            return -1;
    }
}

static int run_watch(struct invocation *v)
{
    return live_run(v, watch);
}

/* clang-format off */
static const struct option_row options[] = {
    { "after", 0, "GENERATION", "begin behind this position (EPOCH.REVISION); "
                                "default: now" },
    LIVE_OPTION_ADDRESS,
};
/* clang-format on */

const struct command command_watch = {
    .name = "watch",
    .arguments = "",
    .help = "print events as they come, until interrupted",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .run = run_watch,
};
