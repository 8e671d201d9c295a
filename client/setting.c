/* SPDX-License-Identifier: Apache-2.0 */
/* --set NAME=VALUE: sizes of axes and options of a runtime. */
#include "client/setting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- words --------------------------------------------------------------- */

int setting_pair(struct arena *arena, const char *pair, const char **ret_name,
                 const char **ret_value, struct error *err)
{
    const char *equals = strchr(pair, '=');
    char *name;

    if (equals == NULL || equals == pair || equals[1] == '\0')
        return error_set(err, STATUS_INVALID,
                         "\"%.64s\" is not of the form name=value", pair);
    name = arena_strndup(arena, pair, (size_t)(equals - pair));
    if (name == NULL)
        return error_exhausted(err);
    *ret_name = name;
    *ret_value = equals + 1;
    return 0;
}

static bool is_number(const char *text, int64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

int setting_size(const char *name, const char *text, int64_t *ret,
                 struct error *err)
{
    if (is_number(text, ret))
        return 0;
    return error_set(err, STATUS_INVALID,
                     "%.64s: \"%.64s\" is not a number of ranks", name, text);
}

int setting_world(const char *text, int64_t *ret, struct error *err)
{
    if (setting_size("--world", text, ret, err) < 0)
        return -1;
    if (*ret < 1 || *ret > VIEW_SPAN_MAX)
        return error_set(err, STATUS_INVALID,
                         "--world %.32s: a world has from 1 to %d ranks", text,
                         VIEW_SPAN_MAX);
    return 0;
}

/* ---- one setting --------------------------------------------------------- */

static const struct option *option_of(const struct runtime *rt,
                                      const char *name)
{
    int option = runtime_option(rt, name);

    return option >= 0 ? &rt->options[option] : NULL;
}

static int unknown_setting(const struct runtime *rt, const char *name,
                           struct error *err)
{
    const char *names[RUNTIME_NAMES_MAX];
    const char *near;
    size_t n = 0;

    for (size_t i = 0; i < rt->n_axes; i++)
        names[n++] = rt->axes[i].name;
    for (size_t i = 0; i < rt->n_options && n < RUNTIME_NAMES_MAX; i++)
        names[n++] = rt->options[i].name;
    near = text_nearest(name, names, n);
    return error_set(err, STATUS_UNKNOWN_NAME,
                     "%s has no axis or option %.64s%s%s", rt->name, name,
                     near != NULL ? "; the nearest name is " : "",
                     near != NULL ? near : "");
}

static void make_option(struct settings *set, const struct option *option,
                        const char *value)
{
    int64_t number;

    if ((option->types & VALUE_INT) != 0 && is_number(value, &number))
        make_int(set->maker, set->options, option->name, number);
    else if ((option->types & VALUE_BOOL) != 0 &&
             (strcmp(value, "true") == 0 || strcmp(value, "false") == 0))
        make_bool(set->maker, set->options, option->name, value[0] == 't');
    else
        make_string(set->maker, set->options, option->name, value);
}

/* axis=size, or option=value. */
static int take_setting(struct settings *set, const char *part,
                        struct error *err)
{
    const struct runtime *rt = set->rt;
    const char *name, *value;
    const struct option *option;
    int64_t size;
    int axis;

    if (setting_pair(set->maker->arena, part, &name, &value, err) < 0)
        return -1;
    axis = runtime_axis(rt, name);
    if (axis < 0)
        axis = runtime_axis_field(rt, name);
    if (axis >= 0) {
        name = rt->axes[axis].name;
        if (setting_size(name, value, &size, err) < 0)
            return -1;
        if (tree_get(set->sizes, name) != NULL)
            return error_set(err, STATUS_INVALID, "%s is set twice", name);
        make_int(set->maker, set->sizes, name, size);
        return 0;
    }
    option = option_of(rt, name);
    if (option == NULL)
        return unknown_setting(rt, name, err);
    if (tree_get(set->options, option->name) != NULL)
        return error_set(err, STATUS_INVALID, "%s is set twice", name);
    make_option(set, option, value);
    return 0;
}

/* ---- all of them --------------------------------------------------------- */

int settings_read(struct settings *set, const struct invocation *v,
                  const struct runtime *rt, struct tree_maker *maker,
                  struct error *err)
{
    const char *value;
    size_t at = 0;

    *set = (struct settings){ .rt = rt,
                              .maker = maker,
                              .sizes = make_map(maker, NULL, NULL),
                              .options = make_map(maker, NULL, NULL) };
    while ((value = option_next(v, "set", &at)) != NULL) {
        char *rest = arena_strdup(maker->arena, value), *part;

        if (rest == NULL)
            return error_exhausted(err);
        while ((part = strsep(&rest, ",")) != NULL)
            if (part[0] != '\0' && take_setting(set, part, err) < 0)
                return -1;
    }
    return maker->failed ? error_exhausted(err) : 0;
}
