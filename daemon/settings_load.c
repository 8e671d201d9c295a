/* SPDX-License-Identifier: Apache-2.0 */
/* Where settings come from: flags, environment, file, defaults. */
#include "daemon/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A line longer than the longest value and its name is a mistake; so is a
 * file of more than a few hundred of them. */
enum { LINE_BYTES_MAX = 8192, FILE_LINES_MAX = 10000 };

#define VARIABLE_PREFIX "SERRIED_"

static const char *environment_get(char *const *environment, const char *name)
{
    const size_t len = strlen(name);

    for (; *environment != NULL; environment++)
        if (strncmp(*environment, name, len) == 0 && (*environment)[len] == '=')
            return *environment + len + 1;
    return NULL;
}

/* ---- defaults ------------------------------------------------------------ */

/* Where a user who is not root keeps what root keeps in /run and /var. The
 * first variable of a setting that is an absolute path wins; systemd sets the
 * ones of a service. */
static const struct {
    enum setting_id setting;
    const char *variable, *front, *tail;
} places[] = {
    { SETTING_address, "RUNTIME_DIRECTORY", "", "/serried.sock" },
    { SETTING_address, "XDG_RUNTIME_DIR", "", "/serried.sock" },
    { SETTING_state, "STATE_DIRECTORY", "sqlite:", "/serried.db" },
    { SETTING_state, "XDG_STATE_HOME", "sqlite:", "/serried/serried.db" },
    { SETTING_state, "HOME", "sqlite:", "/.local/state/serried/serried.db" },
};

/* Appends the default of a user; false: the setting has none of its own. */
static bool put_place(enum setting_id setting, char *const *environment,
                      struct text *out)
{
    bool own = false;

    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        const char *folder;

        if (places[i].setting != setting)
            continue;
        own = true;
        folder = environment_get(environment, places[i].variable);
        if (folder == NULL || folder[0] != '/')
            continue;
        text_printf(out, "%s%s%s", places[i].front, folder, places[i].tail);
        break;
    }
    return own;
}

/* A user without a place gets an empty value, which load_finish() refuses
 * unless a stronger source has another. */
static int load_default(struct settings *settings, enum setting_id setting,
                        char *const *environment, bool root, struct error *err)
{
    const char *value = setting_rows[setting].fallback;
    struct text place = { 0 };
    int rc = 0;

    if (!root && put_place(setting, environment, &place))
        value = text_string(&place);
    if (value[0] != '\0' || setting_rows[setting].least == 0)
        rc = setting_set(settings, setting, value, SETTING_FROM_DEFAULT, err);
    text_close(&place);
    return rc;
}

static int load_defaults(struct settings *settings, char *const *environment,
                         bool root, struct error *err)
{
    for (enum setting_id s = 0; s < SETTING_COUNT; s++)
        if (load_default(settings, s, environment, root, err) < 0)
            return -1;
    return 0;
}

static int load_finish(const struct settings *settings, struct error *err)
{
    if (settings->address == NULL)
        return error_set(err, STATUS_INVALID,
                         "address has no default without XDG_RUNTIME_DIR; "
                         "give --address");
    if (settings->state == NULL)
        return error_set(err, STATUS_INVALID,
                         "state has no default without HOME; give --state");
    return 0;
}

/* ---- the file ------------------------------------------------------------ */

struct file {
    const char *path;
    unsigned line;
    unsigned seen[SETTING_COUNT]; /* the line that set it */
};

static char *trim(char *text)
{
    size_t len;

    text += strspn(text, " \t\r\n");
    len = strlen(text);
    while (len > 0 && strchr(" \t\r\n", text[len - 1]) != NULL)
        len--;
    text[len] = '\0';
    return text;
}

/* Cuts off a comment: '#' at the start or after a blank. */
static void comment_cut(char *text)
{
    for (char *p = text; *p != '\0'; p++)
        if (*p == '#' && (p == text || p[-1] == ' ' || p[-1] == '\t')) {
            *p = '\0';
            return;
        }
}

static int unknown_name(const char *name, struct error *err)
{
    const char *nearest = setting_nearest(name);

    if (nearest != NULL)
        return error_set(err, STATUS_INVALID,
                         "no setting is called \"%.64s\", did you mean %s",
                         name, nearest);
    return error_set(err, STATUS_INVALID,
                     "no setting is called \"%.64s\"; see --show-config", name);
}

static int load_pair(struct settings *settings, struct file *file, char *line,
                     struct error *err)
{
    char *equals = strchr(line, '=');
    char *name;
    int setting;

    if (equals == NULL)
        return error_set(err, STATUS_INVALID,
                         "\"%.64s\" is no setting, write `name = value`", line);
    *equals = '\0';
    name = trim(line);
    setting = setting_find(name);
    if (setting < 0)
        return unknown_name(name, err);
    if (file->seen[setting] != 0)
        return error_set(err, STATUS_INVALID,
                         "%s is set twice, first on line %u", name,
                         file->seen[setting]);
    file->seen[setting] = file->line;
    return setting_set(settings, (enum setting_id)setting, trim(equals + 1),
                       SETTING_FROM_FILE, err);
}

static int load_line(struct settings *settings, struct file *file, char *line,
                     size_t len, struct error *err)
{
    if (len > LINE_BYTES_MAX || file->line > FILE_LINES_MAX)
        return error_set(err, STATUS_INVALID,
                         "more than %d bytes in a line or %d lines",
                         LINE_BYTES_MAX, FILE_LINES_MAX);
    if (!text_is_utf8(line, len))
        return error_set(err, STATUS_INVALID,
                         "the line is not UTF-8 text without NULs");
    comment_cut(line);
    line = trim(line);
    return *line == '\0' ? 0 : load_pair(settings, file, line, err);
}

static int load_lines(struct settings *settings, FILE *stream,
                      struct file *file, struct error *err)
{
    char line[LINE_BYTES_MAX + 2];
    size_t len = 0;
    int c, rc = 0;

    /* getline() would take what a device such as /dev/zero gives it. */
    while (rc == 0 && (c = getc(stream)) != EOF) {
        line[len++] = (char)c;
        if (c != '\n' && len <= LINE_BYTES_MAX)
            continue;
        line[len] = '\0';
        file->line++;
        rc = load_line(settings, file, line, len, err);
        len = 0;
    }
    if (rc == 0 && len > 0) {
        line[len] = '\0';
        file->line++;
        rc = load_line(settings, file, line, len, err);
    }
    if (rc < 0)
        error_wrap(err, "%s:%u", file->path, file->line);
    return rc;
}

static int load_file(struct settings *settings, const char *path, bool needed,
                     struct error *err)
{
    struct file file = { .path = path };
    struct stat status;
    FILE *stream = NULL;
    int rc = -1;

    /* Looked at first: opening a FIFO would wait for its writer. */
    if (stat(path, &status) < 0) {
        if (errno == ENOENT && !needed)
            return 0;
        return error_set(err, STATUS_INVALID, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode))
        return error_set(err, STATUS_INVALID, "%s is not a file", path);
    stream = fopen(path, "re");
    if (stream == NULL)
        return error_set(err, STATUS_INVALID, "%s: %s", path, strerror(errno));
    rc = load_lines(settings, stream, &file, err);
    if (rc == 0 && ferror(stream))
        rc = error_set(err, STATUS_INVALID, "%s: it cannot be read", path);
    fclose(stream);
    return rc;
}

/* ---- environment and flags ------------------------------------------------
 */

static int load_environment(struct settings *settings, char *const *environment,
                            struct error *err)
{
    for (enum setting_id s = 0; s < SETTING_COUNT; s++) {
        struct text variable = { 0 };
        const char *value;
        int rc = 0;

        setting_put_variable(s, &variable);
        value = environment_get(environment, text_string(&variable));
        if (value != NULL)
            rc = setting_set(settings, s, value, SETTING_FROM_ENVIRONMENT, err);
        if (rc < 0)
            error_wrap(err, "%s", text_string(&variable));
        text_close(&variable);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int load_flags(struct settings *settings, const struct flags *flags,
                      struct error *err)
{
    for (enum setting_id s = 0; s < SETTING_COUNT; s++)
        if (flags->values[s] != NULL &&
            setting_set(settings, s, flags->values[s], SETTING_FROM_FLAG, err) <
                0)
            return error_wrap(err, "command line");
    return 0;
}

/* Only what is near to a setting is taken for one: other programs may have
 * variables of that prefix. */
static int refuse_misspelt(char *const *environment, struct error *err)
{
    const size_t prefix = strlen(VARIABLE_PREFIX);

    for (; *environment != NULL; environment++) {
        char name[64];
        const char *nearest;
        size_t len = strcspn(*environment, "=");
        struct text meant = { 0 };

        if (strncmp(*environment, VARIABLE_PREFIX, prefix) != 0 ||
            len - prefix >= sizeof(name))
            continue;
        len -= prefix;
        for (size_t i = 0; i < len; i++) {
            const char c = (*environment)[prefix + i];

            name[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        }
        name[len] = '\0';
        nearest = setting_nearest(name);
        if (strcmp(name, "config") == 0 || setting_find(name) >= 0 ||
            nearest == NULL)
            continue;
        setting_put_variable((enum setting_id)setting_find(nearest), &meant);
        error_set(err, STATUS_INVALID,
                  "the environment sets %.*s, did you mean %s",
                  (int)(len + prefix), *environment, text_string(&meant));
        text_close(&meant);
        return -1;
    }
    return 0;
}

int settings_load(struct settings *settings, const struct flags *flags,
                  char *const *environment, bool root, struct error *err)
{
    struct settings fresh = { 0 };
    const char *path = flags->config;

    if (path == NULL)
        path = environment_get(environment, VARIABLE_PREFIX "CONFIG");
    if (load_defaults(&fresh, environment, root, err) < 0 ||
        load_file(&fresh, path != NULL ? path : SETTINGS_FILE, path != NULL,
                  err) < 0 ||
        refuse_misspelt(environment, err) < 0 ||
        load_environment(&fresh, environment, err) < 0 ||
        load_flags(&fresh, flags, err) < 0 || load_finish(&fresh, err) < 0) {
        settings_close(&fresh);
        return -1;
    }
    settings_close(settings);
    *settings = fresh;
    return 0;
}
