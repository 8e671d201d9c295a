/* SPDX-License-Identifier: Apache-2.0 */
/* Help, manual and files, printed from the table of settings. */
#include "daemon/settings.h"

#include <inttypes.h>
#include <string.h>

enum { WRAP_COLUMN = 76 };

/* Puts words below each other within WRAP_COLUMN, each line behind margin. */
static void put_wrapped(struct text *out, const char *margin, const char *words)
{
    size_t column = 0;

    while (*words != '\0') {
        const size_t len = strcspn(words, " ");

        if (column > 0 && column + 1 + len > WRAP_COLUMN) {
            text_put(out, "\n");
            column = 0;
        }
        text_put(out, column == 0 ? margin : " ");
        text_put_bytes(out, words, len);
        column += (column == 0 ? strlen(margin) : 1) + len;
        words += len;
        words += strspn(words, " ");
    }
    text_put(out, "\n");
}

static const char *source_name(enum setting_source source)
{
    switch (source) {
    case SETTING_FROM_DEFAULT:
        return "default";
    case SETTING_FROM_FILE:
        return "file";
    case SETTING_FROM_ENVIRONMENT:
        return "environment";
    case SETTING_FROM_FLAG:
        return "command line";
    }
    return "";
}

static void show_values(const struct settings *settings, struct text *out)
{
    for (enum setting_id s = 0; s < SETTING_COUNT; s++) {
        struct text value = { 0 };

        setting_put_value(settings, s, &value);
        text_printf(out, "%s =%s%s  # %s\n", setting_rows[s].name,
                    value.len > 0 ? " " : "", text_string(&value),
                    source_name(settings->sources[s]));
        text_close(&value);
    }
}

static void show_conf(struct text *out)
{
    text_put(out,
             "# Settings of serried; serried.conf(5) is the manual. Every\n"
             "# line below is the default, commented out.\n");
    for (enum setting_id s = 0; s < SETTING_COUNT; s++) {
        const struct setting_row *row = &setting_rows[s];

        text_put(out, "\n");
        put_wrapped(out, "# ", row->help);
        text_printf(out, "#%s =%s%s\n", row->name,
                    row->fallback[0] != '\0' ? " " : "", row->fallback);
    }
}

static const char *kind_name(enum setting_kind kind)
{
    switch (kind) {
    case SETTING_KIND_TEXT:
        return "text";
    case SETTING_KIND_NUMBER:
        return "number";
    case SETTING_KIND_BYTES:
        return "size";
    case SETTING_KIND_TIME:
        return "time";
    case SETTING_KIND_MODE:
        return "octal";
    case SETTING_KIND_LEVEL:
        return "level";
    case SETTING_KIND_SWITCH:
        return "switch";
    }
    return "";
}

static void show_rst_row(enum setting_id setting, struct text *out)
{
    const struct setting_row *row = &setting_rows[setting];
    struct text facts = { 0 };

    text_printf(&facts, "%s; default %s%s%s; ", kind_name(row->kind),
                row->fallback[0] != '\0' ? "``" : "",
                row->fallback[0] != '\0' ? row->fallback : "empty",
                row->fallback[0] != '\0' ? "``" : "");
    text_put(&facts, "``");
    setting_put_flag(setting, &facts);
    text_put(&facts, "``, ``");
    setting_put_variable(setting, &facts);
    text_put(&facts, row->reloadable ? "``; changed by SIGHUP" : "``");

    text_printf(out, "%s\n", row->name);
    put_wrapped(out, "    ", row->help);
    text_put(out, "\n");
    put_wrapped(out, "    ", text_string(&facts));
    text_put(out, "\n");
    text_close(&facts);
}

static void show_help(struct text *out)
{
    text_put(out,
             "usage: serried [--config FILE] [--SETTING VALUE]...\n"
             "       serried --show-config[=conf|=rst] | --help | --version\n"
             "\n"
             "Runs the placement authority in the foreground, until SIGTERM.\n"
             "Values come from the flags below, else from SERRIED_NAME in the\n"
             "environment, else from the file (--config, SERRIED_CONFIG or\n"
             "" SETTINGS_FILE "), else they are the defaults.\n");
    for (enum setting_id s = 0; s < SETTING_COUNT; s++) {
        const struct setting_row *row = &setting_rows[s];

        text_put(out, "\n  ");
        setting_put_flag(s, out);
        text_printf(out, " %s  (%s)\n", kind_name(row->kind),
                    row->fallback[0] != '\0' ? row->fallback : "empty");
        put_wrapped(out, "      ", row->help);
    }
}

void settings_show(const struct settings *settings, enum flags_action action,
                   struct text *out)
{
    switch (action) {
    case FLAGS_SHOW:
        show_values(settings, out);
        return;
    case FLAGS_SHOW_CONF:
        show_conf(out);
        return;
    case FLAGS_SHOW_RST:
        for (enum setting_id s = 0; s < SETTING_COUNT; s++)
            show_rst_row(s, out);
        return;
    case FLAGS_HELP:
        show_help(out);
        return;
    case FLAGS_RUN:
    case FLAGS_VERSION:
        return;
    }
}
