/* SPDX-License-Identifier: Apache-2.0 */
/* The table of settings, and how values are read and written. */
#include "daemon/settings.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

const struct setting_row setting_rows[SETTING_COUNT] = {
#define X(name, kind, fallback, least, most, reloadable, help)                 \
    { #name, SETTING_KIND_##kind, fallback, least,                             \
      most,  reloadable,          help,     offsetof(struct settings, name) },
    SETTING_LIST(X)
#undef X
};

/* What may stand behind a number, per kind; a bare number is the first. */
static const struct unit {
    enum setting_kind kind;
    const char *name;
    int64_t factor;
} units[] = {
    { SETTING_KIND_TIME, "ms", 1 },
    { SETTING_KIND_TIME, "s", 1000 },
    { SETTING_KIND_TIME, "min", 60000 },
    { SETTING_KIND_BYTES, "KiB", 1 << 10 },
    { SETTING_KIND_BYTES, "MiB", 1 << 20 },
    { SETTING_KIND_BYTES, "GiB", 1 << 30 },
};

static char **text_of(const struct settings *settings, enum setting_id setting)
{
    return (char **)((char *)(uintptr_t)settings +
                     setting_rows[setting].offset);
}

static int64_t *number_of(const struct settings *settings,
                          enum setting_id setting)
{
    return (int64_t *)((char *)(uintptr_t)settings +
                       setting_rows[setting].offset);
}

static bool is_text(enum setting_id setting)
{
    return setting_rows[setting].kind == SETTING_KIND_TEXT;
}

void settings_close(struct settings *settings)
{
    for (enum setting_id s = 0; s < SETTING_COUNT; s++)
        if (is_text(s)) {
            free(*text_of(settings, s));
            *text_of(settings, s) = NULL;
        }
}

/* ---- names --------------------------------------------------------------- */

int setting_find(const char *name)
{
    for (enum setting_id s = 0; s < SETTING_COUNT; s++)
        if (strcmp(setting_rows[s].name, name) == 0)
            return (int)s;
    return -1;
}

const char *setting_nearest(const char *name)
{
    const char *names[SETTING_COUNT];

    for (enum setting_id s = 0; s < SETTING_COUNT; s++)
        names[s] = setting_rows[s].name;
    return text_nearest(name, names, SETTING_COUNT);
}

void setting_put_variable(enum setting_id setting, struct text *out)
{
    text_put(out, "SERRIED_");
    for (const char *p = setting_rows[setting].name; *p != '\0'; p++)
        text_printf(out, "%c", *p == '_' ? '_' : *p - 'a' + 'A');
}

void setting_put_flag(enum setting_id setting, struct text *out)
{
    text_put(out, "--");
    for (const char *p = setting_rows[setting].name; *p != '\0'; p++)
        text_printf(out, "%c", *p == '_' ? '-' : *p);
}

/* ---- reading values ------------------------------------------------------ */

/* A whole number in base, digits only; fails beyond INT64_MAX. */
static bool digits_read(const char **p, int base, int64_t *ret_number)
{
    int64_t number = 0;
    const char *start = *p;

    for (; **p >= '0' && **p < '0' + base; (*p)++) {
        const int64_t digit = **p - '0';

        if (number > (INT64_MAX - digit) / base)
            return false;
        number = number * base + digit;
    }
    *ret_number = number;
    return *p > start;
}

static bool unit_read(enum setting_kind kind, const char *name,
                      int64_t *ret_factor)
{
    *ret_factor = 1;
    if (*name == '\0')
        return true;
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (units[i].kind == kind && strcmp(units[i].name, name) == 0) {
            *ret_factor = units[i].factor;
            return true;
        }
    return false;
}

static bool level_read(const char *value, int64_t *ret_number)
{
    for (int level = LOG_LEVEL_ERROR; level <= LOG_LEVEL_DEBUG; level++) {
        const char *name = log_level_name(level);

        if (name != NULL && strcmp(name, value) == 0) {
            *ret_number = level;
            return true;
        }
    }
    return false;
}

static const char *kind_example(enum setting_kind kind)
{
    switch (kind) {
    case SETTING_KIND_TEXT:
        return "text";
    case SETTING_KIND_NUMBER:
        return "a whole number";
    case SETTING_KIND_BYTES:
        return "a size such as 512KiB, 64MiB or 1GiB";
    case SETTING_KIND_TIME:
        return "a time such as 500ms, 30s or 5min";
    case SETTING_KIND_MODE:
        return "octal permissions such as 0660";
    case SETTING_KIND_LEVEL:
        return "error, warn, info or debug";
    case SETTING_KIND_SWITCH:
        return "on or off";
    }
    return "";
}

/* Reads what is not text; false: it is not of its kind. */
static bool number_read(enum setting_kind kind, const char *value,
                        int64_t *ret_number)
{
    const char *p = value;
    int64_t number, factor;

    if (kind == SETTING_KIND_LEVEL)
        return level_read(value, ret_number);
    if (kind == SETTING_KIND_SWITCH) {
        *ret_number = strcmp(value, "on") == 0;
        return *ret_number != 0 || strcmp(value, "off") == 0;
    }
    if (kind == SETTING_KIND_MODE)
        return digits_read(&p, 8, ret_number) && *p == '\0';
    if (!digits_read(&p, 10, &number))
        return false;
    while (*p == ' ')
        p++;
    if (!unit_read(kind, p, &factor) || number > INT64_MAX / factor)
        return false;
    *ret_number = number * factor;
    return true;
}

/* Appends a number as a file would have it: in the largest unit that divides
 * it. */
static void number_put(enum setting_kind kind, int64_t number, struct text *out)
{
    const struct unit *best = NULL;

    if (kind == SETTING_KIND_LEVEL) {
        text_put(out, log_level_name((int)number));
        return;
    }
    if (kind == SETTING_KIND_SWITCH) {
        text_put(out, number != 0 ? "on" : "off");
        return;
    }
    if (kind == SETTING_KIND_MODE) {
        text_printf(out, "%#" PRIo64, (uint64_t)number);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (units[i].kind == kind && number % units[i].factor == 0 &&
            number != 0)
            best = &units[i];
    if (best != NULL)
        text_printf(out, "%" PRId64 "%s", number / best->factor, best->name);
    else
        text_printf(out, "%" PRId64, number);
}

static int out_of_range(const struct setting_row *row, const char *value,
                        struct error *err)
{
    struct text least = { 0 }, most = { 0 };

    number_put(row->kind, row->least, &least);
    number_put(row->kind, row->most, &most);
    error_set(err, STATUS_INVALID, "%s is %.64s, must be from %s to %s",
              row->name, value, text_string(&least), text_string(&most));
    text_close(&least);
    text_close(&most);
    return -1;
}

static int text_set(struct settings *settings, enum setting_id setting,
                    const char *value, struct error *err)
{
    const struct setting_row *row = &setting_rows[setting];
    const size_t len = strlen(value);
    char *copy;

    if (!text_is_utf8(value, len))
        return error_set(err, STATUS_INVALID, "%s is not UTF-8 text",
                         row->name);
    if (len < (size_t)row->least)
        return error_set(err, STATUS_INVALID, "%s is empty, must be set",
                         row->name);
    if (len > (size_t)row->most)
        return error_set(err, STATUS_INVALID,
                         "%s has %zu bytes, must have at most %" PRId64,
                         row->name, len, row->most);
    copy = strdup(value);
    if (copy == NULL)
        return error_exhausted(err);
    free(*text_of(settings, setting));
    *text_of(settings, setting) = copy;
    return 0;
}

int setting_set(struct settings *settings, enum setting_id setting,
                const char *value, enum setting_source source,
                struct error *err)
{
    const struct setting_row *row = &setting_rows[setting];
    int64_t number;

    if (is_text(setting)) {
        if (text_set(settings, setting, value, err) < 0)
            return -1;
    } else {
        if (!number_read(row->kind, value, &number))
            return error_set(err, STATUS_INVALID, "%s is \"%.64s\", must be %s",
                             row->name, value, kind_example(row->kind));
        if (row->kind != SETTING_KIND_LEVEL &&
            row->kind != SETTING_KIND_SWITCH &&
            (number < row->least || number > row->most))
            return out_of_range(row, value, err);
        *number_of(settings, setting) = number;
    }
    settings->sources[setting] = source;
    return 0;
}

void setting_put_value(const struct settings *settings, enum setting_id setting,
                       struct text *out)
{
    if (is_text(setting))
        text_put(out, *text_of(settings, setting));
    else
        number_put(setting_rows[setting].kind, *number_of(settings, setting),
                   out);
}

/* ---- reloading ----------------------------------------------------------- */

static bool setting_differs(const struct settings *a, const struct settings *b,
                            enum setting_id setting)
{
    if (is_text(setting))
        return strcmp(*text_of(a, setting), *text_of(b, setting)) != 0;
    return *number_of(a, setting) != *number_of(b, setting);
}

static void setting_swap(struct settings *a, struct settings *b,
                         enum setting_id setting)
{
    if (is_text(setting)) {
        char *text = *text_of(a, setting);

        *text_of(a, setting) = *text_of(b, setting);
        *text_of(b, setting) = text;
    } else {
        *number_of(a, setting) = *number_of(b, setting);
    }
    a->sources[setting] = b->sources[setting];
}

void settings_reload(struct settings *settings, struct settings *fresh,
                     void (*told)(void *arg, const char *name, bool taken),
                     void *arg)
{
    for (enum setting_id s = 0; s < SETTING_COUNT; s++) {
        if (!setting_differs(settings, fresh, s))
            continue;
        if (setting_rows[s].reloadable)
            setting_swap(settings, fresh, s);
        told(arg, setting_rows[s].name, setting_rows[s].reloadable);
    }
}
