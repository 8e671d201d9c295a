/* SPDX-License-Identifier: Apache-2.0 */
/* serry help: the table of commands, printed. */
#include <stdio.h>
#include <string.h>

#include "client/command.h"

enum {
    INDENT = 2,
    NAME_COLUMNS = 22, /* of commands and options, beside what they do */
};

/* ---- for people ---------------------------------------------------------- */

static void option_spelling(const struct option_row *row, struct text *out)
{
    if (row->letter != 0)
        text_printf(out, "-%c, ", row->letter);
    text_printf(out, "--%s", row->name);
    if (row->argument != NULL)
        text_printf(out, " %s", row->argument);
}

/* A name that is wider than its column has a line of its own. */
static void put_entry(struct output *out, const char *name, const char *help)
{
    char label[INDENT + NAME_COLUMNS + 2] = "";

    if (output_columns(name) > NAME_COLUMNS) {
        output_paragraph(out, INDENT, STYLE_NAME, name, STYLE_PLAIN, "");
        output_paragraph(out, INDENT + NAME_COLUMNS + 1, STYLE_PLAIN, "",
                         STYLE_PLAIN, help);
        return;
    }
    snprintf(label, sizeof(label), "%-*s ", NAME_COLUMNS, name);
    output_paragraph(out, INDENT, STYLE_NAME, label, STYLE_PLAIN, help);
}

static void put_options(struct output *out, const char *title,
                        const struct option_row *rows, size_t n)
{
    bool titled = false;

    for (size_t i = 0; i < n; i++) {
        struct text spelling = { 0 };

        if (rows[i].help == NULL)
            continue;
        if (!titled) {
            output_line(out);
            output_put(out, STYLE_BOLD, title);
            output_line(out);
            titled = true;
        }
        option_spelling(&rows[i], &spelling);
        put_entry(out, text_string(&spelling), rows[i].help);
        text_close(&spelling);
    }
}

static void help_command(struct output *out, const struct command *command)
{
    struct text usage = { 0 };

    text_printf(&usage, "%s%s%s%s", command->name,
                command->n_options > 0 && command->options[0].help != NULL
                    ? " [OPTION]..."
                    : "",
                command->arguments[0] != '\0' ? " " : "", command->arguments);
    output_paragraph(out, 0, STYLE_BOLD, "usage: serry ", STYLE_PLAIN,
                     text_string(&usage));
    text_close(&usage);
    output_line(out);
    output_paragraph(out, 2, STYLE_PLAIN, "", STYLE_PLAIN, command->help);
    put_options(out, "options", command->options, command->n_options);
}

static void help_all(struct output *out)
{
    output_paragraph(out, 0, STYLE_BOLD, "usage: serry ", STYLE_PLAIN,
                     "COMMAND [OPTION]... [ARGUMENT]...");
    output_line(out);
    output_put(out, STYLE_BOLD, "commands");
    output_line(out);
    for (size_t i = 0; i < commands_count; i++)
        put_entry(out, commands[i]->name, commands[i]->help);
}

static void help_globals(struct output *out)
{
    put_options(out, "options of every command", global_options,
                global_options_count);
    output_line(out);
    output_paragraph(out, 0, STYLE_PLAIN, "", STYLE_PLAIN,
                     "Exit codes: 0 done or accepted, 1 differences, 2 "
                     "refused, 3 no capacity, 4 lost to another change, 5 no "
                     "daemon or too late, 64 usage, 65 malformed input, 66 "
                     "unknown name. The manual is serry(1).");
}

void help_print(struct output *out, const struct command *command)
{
    if (command != NULL)
        help_command(out, command);
    else
        help_all(out);
    help_globals(out);
}

/* ---- for the completion and the manual ----------------------------------- */

static void put_words(struct text *out, const char *name,
                      const struct option_row *rows, size_t n)
{
    text_printf(out, "%s:", name);
    for (size_t i = 0; i < n; i++) {
        if (rows[i].help == NULL)
            continue;
        if (rows[i].letter != 0)
            text_printf(out, " -%c", rows[i].letter);
        text_printf(out, " --%s", rows[i].name);
    }
    text_put(out, "\n");
}

/* One line for each command and one for the options of all: what may follow. */
static void help_words(struct text *out)
{
    for (size_t i = 0; i < commands_count; i++)
        put_words(out, commands[i]->name, commands[i]->options,
                  commands[i]->n_options);
    put_words(out, "", global_options, global_options_count);
}

static void rst_options(struct text *out, const struct option_row *rows,
                        size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (rows[i].help == NULL)
            continue;
        option_spelling(&rows[i], out);
        text_printf(out, "\n  %s\n\n", rows[i].help);
    }
}

/* The part of the manual that lists commands and options. */
static void help_rst(struct text *out)
{
    for (size_t i = 0; i < commands_count; i++) {
        const struct command *command = commands[i];
        size_t start = out->len, len;

        text_printf(out, "serry %s%s%s", command->name,
                    command->arguments[0] != '\0' ? " " : "",
                    command->arguments);
        len = out->len - start;
        text_put(out, "\n");
        for (size_t k = 0; k < len; k++)
            text_put(out, "-");
        text_printf(out, "\n\n%s\n\n", command->help);
        rst_options(out, command->options, command->n_options);
    }
    text_put(out, "Options of every command\n------------------------\n\n");
    rst_options(out, global_options, global_options_count);
}

/* ---- the command --------------------------------------------------------- */

/* Whether words name the command, or the family of commands it is one of. */
static bool is_asked(const struct command *command, const char *words)
{
    size_t len = strlen(words);

    return strncmp(command->name, words, len) == 0 &&
           (command->name[len] == '\0' || command->name[len] == ' ');
}

static int help_asked(struct invocation *v, const char *words)
{
    bool found = false;

    for (size_t i = 0; i < commands_count; i++) {
        if (!is_asked(commands[i], words))
            continue;
        if (found)
            output_line(&v->out);
        help_command(&v->out, commands[i]);
        found = true;
    }
    if (!found)
        return command_misused(v, "there is no command %.64s", words);
    help_globals(&v->out);
    return EXIT_OK;
}

static int run_help(struct invocation *v)
{
    struct text words = { 0 };
    int rc = EXIT_OK;

    for (size_t i = 0; i < v->n_operands; i++)
        text_printf(&words, "%s%s", i > 0 ? " " : "", v->operands[i]);
    if (option_given(v, "words"))
        help_words(&v->out.text);
    else if (option_given(v, "rst"))
        help_rst(&v->out.text);
    else if (v->n_operands > 0)
        rc = help_asked(v, text_string(&words));
    else
        help_print(&v->out, NULL);
    text_close(&words);
    return rc;
}

/* Without help they are not shown: for the completion and the manual. */
/* clang-format off */
static const struct option_row options[] = {
    { "words", 0, NULL, NULL },
    { "rst",   0, NULL, NULL },
};
/* clang-format on */

const struct command command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .help = "print what the commands do",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .max_operands = 2,
    .run = run_help,
};
