/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of serry: a row each, from which parser and manual are made. */
#ifndef SERRIED_CLIENT_COMMAND_H
#define SERRIED_CLIENT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "client/output.h"
#include "proto/catalog.h"

/* Exit codes that do not come from a status. */
enum {
    EXIT_OK = 0,
    EXIT_REPORTED = 1, /* lint has something to say, diff found differences */
    EXIT_REFUSED = 2,
    EXIT_USAGE = 64,
    EXIT_MALFORMED = 65,
};

struct invocation;

/* An option: what is typed, and one line of help. */
struct option_row {
    const char *name;     /* behind -- */
    char letter;          /* behind -; 0: none */
    const char *argument; /* name of its value in the help; NULL: a flag */
    const char *help;     /* NULL: hidden */
};

/* A command. Its file defines it as command_NAME. */
struct command {
    const char *name;      /* one word, or two: "runtime lint" */
    const char *arguments; /* as shown behind the name */
    const char *help;      /* one line */
    const struct option_row *options;
    size_t n_options;
    int min_operands, max_operands;            /* max -1: any number */
    bool draws;                                /* takes -o svg too */
    int (*run)(struct invocation *invocation); /* returns the exit code */
};

/* clang-format off */
#define COMMAND_LIST(X)                                                      \
    X(check) X(apply) X(plan) X(place) X(release) X(diff) X(assignment)      \
    X(routing)                                                               \
    X(get) X(describe) X(export) X(exec) X(events) X(watch) X(status)        \
    X(doctor)                                                                \
    X(mesh) X(suggest) X(explain) X(import) X(host_apply) X(host_list)       \
    X(host_cordon) X(host_uncordon) X(host_drain) X(host_down)               \
    X(host_remove)                                                           \
    X(runtime_list) X(runtime_show) X(runtime_lint) X(token) X(version)      \
    X(help)
/* clang-format on */

#define X(name) extern const struct command command_##name;
COMMAND_LIST(X)
#undef X

/* All of them in order, and the options that every command has. */
extern const struct command *const commands[];
extern const size_t commands_count;
extern const struct option_row global_options[];
extern const size_t global_options_count;

/* An option that was given. */
struct given_option {
    const struct option_row *row;
    const char *value; /* NULL: a flag */
};

/* A command line, understood. */
struct invocation {
    const struct command *command;
    struct given_option *options; /* in order */
    size_t n_options;
    const char **operands;
    size_t n_operands;
    size_t n_before_dashes; /* operands in front of a lone -- */
    struct arena *arena;    /* for the time of the command */
    struct output out;
};

/* Understands argv. Returns EXIT_OK, or what to exit with after the mistake was
 * explained on standard error. out is not filled yet. */
int command_parse(struct invocation *invocation, int argc, char **argv);

/* Whether a flag was given; the last value of an option, or NULL. The name must
 * be one of the command's rows. */
bool option_given(const struct invocation *invocation, const char *name);
const char *option_value(const struct invocation *invocation, const char *name);

/* Values of an option that may be repeated, in order: the next one from *at on,
 * which starts at 0; NULL: no more. */
const char *option_next(const struct invocation *invocation, const char *name,
                        size_t *at);

/* Values of an option that are lists of names, --name a,b --name c, as one list
 * in the invocation's arena. STATUS_EXHAUSTED: it is full. */
int command_names(const struct invocation *invocation, const char *name,
                  const char *const **ret, size_t *ret_n, struct error *err);

/* Prints the one sentence of err; returns the exit code of its status. */
int command_failed(const struct error *err);

/* Prints what is wrong with how the command was called and where help is;
 * returns EXIT_USAGE. */
int command_misused(const struct invocation *invocation, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* help.c: prints the help of a command, or of all for NULL. */
void help_print(struct output *out, const struct command *command);

/* Declarations the program carries, with those of the folder --share, else
 * SERRIED_SHARE, else the installed one, if it is there; "" is no folder. NULL:
 * err is set. */
struct catalog *command_catalog(const struct invocation *invocation,
                                struct error *err);

#endif
