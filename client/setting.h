/* SPDX-License-Identifier: Apache-2.0 */
/* --set NAME=VALUE: sizes of axes and options of a runtime. */
#ifndef SERRIED_CLIENT_SETTING_H
#define SERRIED_CLIENT_SETTING_H

#include "client/command.h"

/* What was set, as maps of a request. */
struct settings {
    const struct runtime *rt;
    struct tree_maker *maker;
    struct tree *sizes, *options;
};

/* Reads every --set of a command line, several of which may stand in one,
 * separated by commas; an axis goes by either of its names.
 *   STATUS_INVALID       not of the form name=value; a size that is no number;
 *                        a name twice
 *   STATUS_UNKNOWN_NAME  no such axis or option
 *   STATUS_EXHAUSTED     no memory */
int settings_read(struct settings *set, const struct invocation *v,
                  const struct runtime *rt, struct tree_maker *maker,
                  struct error *err);

/* Cuts NAME=VALUE in two; the name is copied. STATUS_INVALID. */
int setting_pair(struct arena *arena, const char *pair, const char **ret_name,
                 const char **ret_value, struct error *err);

/* A number of ranks; name: what it is for. STATUS_INVALID. */
int setting_size(const char *name, const char *text, int64_t *ret,
                 struct error *err);

/* The same for a world, which is in its bounds. */
int setting_world(const char *text, int64_t *ret, struct error *err);

#endif
