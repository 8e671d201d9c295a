/* SPDX-License-Identifier: Apache-2.0 */
/* serry exec: boots the worker of a rank and runs its program. */
#include "client/exec.h"

#include <stdlib.h>
#include <unistd.h>

#include "placement/view.h"

enum {
    TIMEOUT_S = 1800,
    TIMEOUT_S_MAX = 3600,
    LOCAL_RANK_MAX = 4095,
};

/* ---- which worker -------------------------------------------------------- */

/* Where launchers say which process this is, the innermost launcher first. */
static const char *const rank_variables[] = { "RANK", "OMPI_COMM_WORLD_RANK",
                                              "PMI_RANK", "SLURM_PROCID" };
static const char *const local_variables[] = { "LOCAL_RANK",
                                               "OMPI_COMM_WORLD_LOCAL_RANK",
                                               "MPI_LOCALRANKID",
                                               "SLURM_LOCALID" };

static int launched(const struct invocation *v, const char *option,
                    const char *const *variables, size_t n, uint64_t most,
                    uint64_t *ret)
{
    struct text names = { 0 };
    int rc;

    for (size_t i = 0; i < n; i++) {
        const char *value = getenv(variables[i]);
        char *end;

        text_printf(&names, "%s%s", i > 0 ? ", " : "", variables[i]);
        if (value == NULL || value[0] == '\0')
            continue;
        text_close(&names);
        *ret = strtoull(value, &end, 10);
        if (value[0] < '0' || value[0] > '9' || *end != '\0' || *ret > most)
            return command_misused(v, "%s: \"%.64s\" is no rank", variables[i],
                                   value);
        return EXIT_OK;
    }
    rc = command_misused(v, "--%s N is missing, and no launcher set one of %s",
                         option, text_string(&names));
    text_close(&names);
    return rc;
}

/* By its host and its number there. */
static int find_local(const struct invocation *v, struct worker *w)
{
    const char *host = option_value(v, "host");
    uint64_t local = 0;
    int rc;

    if (option_given(v, "local-rank"))
        rc = live_option_number(v, "local-rank", LOCAL_RANK_MAX, &local);
    else
        rc = launched(v, "local-rank", local_variables,
                      ARRAY_LEN(local_variables), LOCAL_RANK_MAX, &local);
    w->local_rank = (uint32_t)local;
    if (host == NULL && gethostname(w->own_host, sizeof(w->own_host) - 1) == 0)
        host = w->own_host;
    w->host = host != NULL ? host : "";
    return rc;
}

static int find_worker(const struct invocation *v, struct worker *w)
{
    uint64_t rank = 0;
    int rc;

    if (option_given(v, "host") || option_given(v, "local-rank"))
        return option_given(v, "rank")
                   ? command_misused(v, "--rank says it all: there is no "
                                        "--host or --local-rank beside it")
                   : find_local(v, w);
    if (option_given(v, "rank"))
        rc = live_option_number(v, "rank", VIEW_SPAN_MAX - 1, &rank);
    else
        rc = launched(v, "rank", rank_variables, ARRAY_LEN(rank_variables),
                      VIEW_SPAN_MAX - 1, &rank);
    w->rank = (uint32_t)rank;
    return rc;
}

/* ---- the command --------------------------------------------------------- */

/* Operands as execvp() wants them, which changes none. */
static char **command_of(const struct invocation *v)
{
    char **command = arena_array(v->arena, v->n_operands + 1, sizeof(*command));

    for (size_t i = 0; command != NULL && i < v->n_operands; i++)
        command[i] = (char *)v->operands[i];
    if (command != NULL)
        command[v->n_operands] = NULL;
    return command;
}

static int boot_and_run(struct live *live, struct worker *w, uint64_t timeout_s,
                        int *ret_exit, struct error *err)
{
    char **command = command_of(live->v);

    if (command == NULL)
        return error_exhausted(err);
    if (worker_boot(w, (int64_t)timeout_s * 1000, err) < 0)
        return -1;
    *ret_exit = worker_run(w, command);
    return 0;
}

static int exec(struct live *live, int *ret_exit, struct error *err)
{
    struct worker w = { .live = live,
                        .placement = option_value(live->v, "placement"),
                        .address = option_value(live->v, "address-of-me") };
    uint64_t timeout_s = TIMEOUT_S;
    struct serry_generation room;
    int rc;

    *ret_exit = find_worker(live->v, &w);
    if (*ret_exit == EXIT_OK)
        *ret_exit =
            live_option_number(live->v, "timeout", TIMEOUT_S_MAX, &timeout_s);
    if (*ret_exit == EXIT_OK)
        *ret_exit =
            live_option_generation(live->v, "generation", &room, &w.generation);
    if (*ret_exit != EXIT_OK)
        return 0;
    rc = boot_and_run(live, &w, timeout_s, ret_exit, err);
    worker_close(&w);
    return rc;
}

static int run_exec(struct invocation *v)
{
    if (!option_given(v, "placement"))
        return command_misused(v, "--placement NAME is missing");
    return live_run(v, exec);
}

/* clang-format off */
static const struct option_row options[] = {
    { "placement",     0, "NAME",       "boot a worker of this placement" },
    { "rank",          0, "N",          "with this global rank; default: what "
                                        "torchrun, mpirun or srun say" },
    { "local-rank",    0, "N",          "or with this number among the "
                                        "placement's workers of its host" },
    { "host",          0, "NAME",       "which is this one; default for "
                                        "--local-rank: this machine's name" },
    { "generation",    0, "GENERATION", "only if this generation is in force" },
    { "address-of-me", 0, "ADDRESS",    "where other workers reach this one; "
                                        "default: that of its host, else the "
                                        "one from which it reaches the "
                                        "daemon" },
    { "timeout",       0, "SECONDS",    "how long the boot may take; default: "
                                        "1800, at most 3600" },
    LIVE_OPTION_ADDRESS,
};
/* clang-format on */

const struct command command_exec = {
    .name = "exec",
    .arguments = "--placement NAME [--rank N] -- COMMAND...",
    .help = "boot a worker: fetch, join, wait for all, then run its program",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_exec,
};
