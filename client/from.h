/* SPDX-License-Identifier: Apache-2.0 */
/* Requests out of frameworks' own files and flags: --from. */
#ifndef SERRIED_CLIENT_FROM_H
#define SERRIED_CLIENT_FROM_H

#include "client/live.h"
#include "client/pieces.h"
#include "proto/import.h"

/* Rows of commands that take --from. */
/* clang-format off */
#define FROM_OPTION_WORLD                                                      \
    { "world", 0, "N", "with --from: the number of ranks, which files do not " \
                       "say" }
#define FROM_OPTION_MODEL                                                      \
    { "model", 0, "NAME", "with --from: the model, where the file does not "   \
                          "name a declared one" }
#define FROM_OPTION_NAME                                                       \
    { "name", 0, "NAME", "with --from: call the request so, not as its file "  \
                         "or else the runtime is called" }
#define FROM_OPTIONS                                                           \
    { "from", 0, "RUNTIME", "FILE is that framework's own (YAML, JSON, "       \
                            "TOML), and what stands behind -- are its "        \
                            "flags" },                                         \
    FROM_OPTION_WORLD, FROM_OPTION_MODEL, FROM_OPTION_NAME,                    \
    { "renumber", 0, NULL, "number the ranks of node groups 0, 1, ... in "     \
                           "their order (sparse: renumber)" }
/* clang-format on */

/* Whether the command line asks for it, by --from. */
bool from_given(const struct invocation *v);

/* Whether there is something to read: with --from a file or a flag, else a
 * file. Returns EXIT_OK, or EXIT_USAGE after saying so. */
int from_named(const struct invocation *v);

/* Reads all documents of the command line as pieces_read(). With --from, a file
 * that is no declaration of Serried's is the framework's: a request (whose
 * piece has not_read), and the model that it says.
 *   catalog   where the runtime and models are; NULL only without --from
 *   complain  say on standard error what was not read
 *   STATUS_UNKNOWN_NAME  no such runtime, or model
 *   others as import_request() */
int from_read(struct invocation *v, struct catalog *catalog, bool complain,
              struct pieces *ret, struct error *err);

/* The same with the declarations of a daemon, complaining. */
int from_read_live(struct live *live, struct pieces *ret, struct error *err);

/* What a command does with one deployment; *ret_exit is EXIT_OK at first. */
typedef int from_each_fn(struct live *live, const struct piece *piece,
                         int *ret_exit, struct error *err);

/* Reads as from_read_live() and hands each deployment to one(); the highest
 * exit code counts. only: "only placements can be compared", for messages.
 *   STATUS_INVALID  a document is no deployment; nothing was done yet
 *   others as from_read_live(), and as one() */
int from_each_live(struct live *live, const char *only, from_each_fn *one,
                   int *ret_exit, struct error *err);

/* Reads one file (NULL: none) and the flags behind -- for a runtime. Errors as
 * import_request(); also STATUS_INVALID: --world is no number of ranks. */
int from_import(struct invocation *v, struct catalog *catalog,
                const struct runtime *rt, const struct tree *file,
                struct import_result *ret, struct error *err);

/* A name for what a file holds: its own without folder and ending, or that of
 * its folder where the file's says nothing (config.json). */
const char *from_name(struct arena *arena, const char *path);

/* Says on standard error what was not read, a line for each kind.
 *   name  of the file or the runtime */
void from_complain(const char *name, const struct tree *not_read);

#endif
