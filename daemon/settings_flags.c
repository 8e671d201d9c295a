/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of the daemon. */
#include "daemon/settings.h"

#include <stdlib.h>
#include <string.h>

/* Flags that are no settings. */
static const struct {
    const char *name;
    enum flags_action action;
} actions[] = {
    { "--help", FLAGS_HELP },
    { "--version", FLAGS_VERSION },
    { "--show-config", FLAGS_SHOW },
    { "--show-config=conf", FLAGS_SHOW_CONF },
    { "--show-config=rst", FLAGS_SHOW_RST },
};

/* The setting whose flag the first len bytes of arg are; -1: none. The name
 * may be spelt with '_' too. */
static int flag_find(const char *arg, size_t len)
{
    char name[64];

    if (len < 3 || len - 2 >= sizeof(name) || strncmp(arg, "--", 2) != 0)
        return -1;
    for (size_t i = 2; i < len; i++)
        name[i - 2] = arg[i] == '-' ? '_' : arg[i];
    name[len - 2] = '\0';
    return setting_find(name);
}

/* The known flag nearest to arg, as text to be closed; empty: none is. */
static void put_nearest(const char *arg, size_t len, struct text *out)
{
    const size_t extra = ARRAY_LEN(actions) + 1;
    struct text flags[SETTING_COUNT] = { 0 };
    const char *names[SETTING_COUNT + ARRAY_LEN(actions) + 1];
    char *name = strndup(arg, len);
    const char *nearest;

    for (enum setting_id s = 0; s < SETTING_COUNT; s++) {
        setting_put_flag(s, &flags[s]);
        names[s] = text_string(&flags[s]);
    }
    for (size_t i = 0; i < ARRAY_LEN(actions); i++)
        names[SETTING_COUNT + i] = actions[i].name;
    names[SETTING_COUNT + extra - 1] = "--config";
    nearest =
        name == NULL ? NULL : text_nearest(name, names, SETTING_COUNT + extra);
    if (nearest != NULL)
        text_printf(out, ", did you mean %s", nearest);
    for (enum setting_id s = 0; s < SETTING_COUNT; s++)
        text_close(&flags[s]);
    free(name);
}

static int unknown(const char *arg, size_t len, struct error *err)
{
    struct text nearest = { 0 };

    if (arg[0] != '-')
        return error_set(err, STATUS_INVALID,
                         "%.64s: no argument without a flag is known; see "
                         "--help",
                         arg);
    put_nearest(arg, len, &nearest);
    error_set(err, STATUS_INVALID, "%.*s: no such flag%s; see --help",
              len < 64 ? (int)len : 64, arg, text_string(&nearest));
    text_close(&nearest);
    return -1;
}

/* Where the value of the flag arg[0..len) is put; NULL: there is none. */
static const char **value_slot(struct flags *flags, const char *arg, size_t len)
{
    const int found = flag_find(arg, len);

    if (len == strlen("--config") && strncmp(arg, "--config", len) == 0)
        return &flags->config;
    return found < 0 ? NULL : &flags->values[found];
}

/* Reads the flag at argv[*i], and moves *i to its last argument. */
static int flag_read(struct flags *flags, int argc, char *const *argv, int *i,
                     struct error *err)
{
    const char *arg = argv[*i];
    const size_t len = strcspn(arg, "=");
    const char **slot = value_slot(flags, arg, len);

    if (slot == NULL)
        return unknown(arg, len, err);
    if (*slot != NULL)
        return error_set(err, STATUS_INVALID, "%.*s is given twice", (int)len,
                         arg);
    if (arg[len] == '=') {
        *slot = arg + len + 1;
        return 0;
    }
    if (*i + 1 == argc)
        return error_set(err, STATUS_INVALID, "%s needs a value", arg);
    *slot = argv[++*i];
    return 0;
}

static bool action_read(struct flags *flags, const char *arg)
{
    for (size_t i = 0; i < ARRAY_LEN(actions); i++)
        if (strcmp(arg, actions[i].name) == 0) {
            flags->action = actions[i].action;
            return true;
        }
    return false;
}

int flags_read(struct flags *ret_flags, int argc, char *const *argv,
               struct error *err)
{
    struct flags flags = { 0 };

    for (int i = 1; i < argc; i++) {
        if (action_read(&flags, argv[i]))
            continue;
        if (flag_read(&flags, argc, argv, &i, err) < 0)
            return -1;
    }
    *ret_flags = flags;
    return 0;
}
