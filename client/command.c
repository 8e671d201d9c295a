/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and reading a command line by it. */
#include "client/command.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command *const commands[] = {
#define X(name) &command_##name,
    COMMAND_LIST(X)
#undef X
};
const size_t commands_count = ARRAY_LEN(commands);

/* clang-format off */
const struct option_row global_options[] = {
    { "output", 'o', "FORMAT", "print table (for people), json or yaml; what "
                               "draws also takes svg" },
    { "share",  0,   "DIR",    "take declarations from DIR/runtimes and "
                               "DIR/models before those built in" },
    { "help",   'h', NULL,     "print this help" },
};
/* clang-format on */
const size_t global_options_count = ARRAY_LEN(global_options);

enum { NAMES_MAX = 64 }; /* commands, or options of one command */

/* ---- complaints ---------------------------------------------------------- */

int command_failed(const struct error *err)
{
    output_complain(err->text);
    return status_exit_code(err->status);
}

int command_misused(const struct invocation *invocation, const char *fmt, ...)
{
    const struct command *command = invocation->command;
    struct text text = { 0 };
    char what[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    if (command != NULL)
        text_printf(&text, "%s: ", command->name);
    text_printf(&text, "%s; see serry help%s%s", what,
                command != NULL ? " " : "",
                command != NULL ? command->name : "");
    output_complain(text_string(&text));
    text_close(&text);
    return EXIT_USAGE;
}

/* "; the nearest is NAME", or nothing. */
static void nearest(const char *prefix, const char *name,
                    const char *const *names, size_t n, char *ret, size_t size)
{
    const char *near = text_nearest(name, names, n);

    ret[0] = '\0';
    if (near != NULL)
        snprintf(ret, size, ", the nearest is %s%s", prefix, near);
}

/* ---- options ------------------------------------------------------------- */

/* Row i of a command's options and the global ones; NULL: no more. */
static const struct option_row *option_row(const struct command *command,
                                           size_t i)
{
    size_t own = command != NULL ? command->n_options : 0;

    if (i < own)
        return &command->options[i];
    i -= own;
    return i < global_options_count ? &global_options[i] : NULL;
}

static const struct option_row *option_named(const struct command *command,
                                             const char *name, size_t len)
{
    const struct option_row *row;

    for (size_t i = 0; (row = option_row(command, i)) != NULL; i++)
        if (strlen(row->name) == len && strncmp(row->name, name, len) == 0)
            return row;
    return NULL;
}

static const struct option_row *option_lettered(const struct command *command,
                                                char letter)
{
    const struct option_row *row;

    for (size_t i = 0; (row = option_row(command, i)) != NULL; i++)
        if (row->letter == letter)
            return row;
    return NULL;
}

static int unknown_option(const struct invocation *v, const char *name,
                          size_t len)
{
    const struct option_row *row;
    const char *names[NAMES_MAX];
    char word[65], near[128];
    size_t n = 0;

    snprintf(word, sizeof(word), "%.*s", (int)len, name);
    for (size_t i = 0;
         n < NAMES_MAX && (row = option_row(v->command, i)) != NULL; i++)
        if (row->help != NULL)
            names[n++] = row->name;
    nearest("--", word, names, n, near, sizeof(near));
    return command_misused(v, "there is no option --%s%s", word, near);
}

/* Where a command line is being read. */
struct reading {
    struct invocation *v;
    char **args;
    int n, next;
};

/* Keeps an option with its value: what is written behind it in the same word,
 * or the next word. */
static int keep_option(struct reading *r, const struct option_row *row,
                       const char *value)
{
    if (row->argument == NULL && value != NULL)
        return command_misused(r->v, "--%s takes no value", row->name);
    if (row->argument != NULL && value == NULL) {
        if (r->next == r->n)
            return command_misused(r->v, "--%s needs a value, %s", row->name,
                                   row->argument);
        value = r->args[r->next++];
    }
    r->v->options[r->v->n_options++] =
        (struct given_option){ .row = row, .value = value };
    return EXIT_OK;
}

static int read_long(struct reading *r, const char *name)
{
    const char *equals = strchr(name, '=');
    size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const struct option_row *row = option_named(r->v->command, name, len);

    if (row == NULL)
        return unknown_option(r->v, name, len);
    return keep_option(r, row, equals != NULL ? equals + 1 : NULL);
}

/* -h, -ojson, -o json */
static int read_letter(struct reading *r, const char *letters)
{
    const struct option_row *row = option_lettered(r->v->command, letters[0]);

    if (row == NULL)
        return command_misused(r->v, "there is no option -%c", letters[0]);
    if (row->argument == NULL && letters[1] != '\0')
        return command_misused(r->v, "-%c takes no value", letters[0]);
    return keep_option(r, row, letters[1] != '\0' ? letters + 1 : NULL);
}

static bool same_row(const struct option_row *row, const char *name)
{
    return strcmp(row->name, name) == 0;
}

const char *option_next(const struct invocation *v, const char *name,
                        size_t *at)
{
    assert(option_named(v->command, name, strlen(name)) != NULL);
    while (*at < v->n_options) {
        const struct given_option *given = &v->options[(*at)++];

        if (same_row(given->row, name))
            return given->value != NULL ? given->value : "";
    }
    return NULL;
}

const char *option_value(const struct invocation *v, const char *name)
{
    const char *value, *last = NULL;
    size_t at = 0;

    while ((value = option_next(v, name, &at)) != NULL)
        last = value;
    return last;
}

bool option_given(const struct invocation *v, const char *name)
{
    return option_value(v, name) != NULL;
}

/* ---- commands ------------------------------------------------------------ */

/* Whether the first word of a two-word command is this. */
static bool is_family(const struct command *command, const char *word)
{
    size_t len = strlen(word);

    return strncmp(command->name, word, len) == 0 && command->name[len] == ' ';
}

static int unknown_command(const struct invocation *v, const char *word)
{
    const char *names[NAMES_MAX];
    char near[128];

    assert(commands_count <= NAMES_MAX);
    for (size_t i = 0; i < commands_count; i++)
        names[i] = commands[i]->name;
    nearest("", word, names, commands_count, near, sizeof(near));
    return command_misused(v, "there is no command %.64s%s", word, near);
}

/* The second word of a command of two; word is the first. */
static int read_member(struct reading *r, const char *word)
{
    struct text members = { 0 };
    const char *names[NAMES_MAX];
    size_t n = 0;
    int rc;

    for (size_t i = 0; i < commands_count; i++)
        if (is_family(commands[i], word))
            names[n++] = commands[i]->name + strlen(word) + 1;
    for (size_t i = 0; i < commands_count && r->next < r->n; i++)
        if (is_family(commands[i], word) &&
            strcmp(commands[i]->name + strlen(word) + 1, r->args[r->next]) ==
                0) {
            r->v->command = commands[i];
            r->next++;
            return EXIT_OK;
        }
    for (size_t i = 0; i < n; i++)
        text_printf(&members, "%s%s",
                    i == 0      ? ""
                    : i + 1 < n ? ", "
                                : " or ",
                    names[i]);
    rc = command_misused(r->v, "%s is followed by %s", word,
                         text_string(&members));
    text_close(&members);
    return rc;
}

static int read_command(struct reading *r, const char *word)
{
    for (size_t i = 0; i < commands_count; i++) {
        if (strcmp(commands[i]->name, word) == 0) {
            r->v->command = commands[i];
            return EXIT_OK;
        }
        if (is_family(commands[i], word))
            return read_member(r, word);
    }
    return unknown_command(r->v, word);
}

/* ---- the whole line ------------------------------------------------------ */

static int read_words(struct reading *r)
{
    struct invocation *v = r->v;
    bool options = true;

    while (r->next < r->n) {
        const char *word = r->args[r->next++];
        int rc = EXIT_OK;

        if (options && strcmp(word, "--") == 0) {
            options = false;
            v->n_before_dashes = v->n_operands;
        } else if (v->command == NULL && strcmp(word, "--version") == 0) {
            v->command = &command_version;
        } else if (options && strncmp(word, "--", 2) == 0) {
            rc = read_long(r, word + 2);
        } else if (options && word[0] == '-' && word[1] != '\0') {
            rc = read_letter(r, word + 1);
        } else if (v->command == NULL) {
            rc = read_command(r, word);
        } else {
            v->operands[v->n_operands++] = word;
        }
        if (rc != EXIT_OK)
            return rc;
    }
    if (options)
        v->n_before_dashes = v->n_operands;
    return EXIT_OK;
}

static int check_operands(const struct invocation *v)
{
    const struct command *command = v->command;
    int n = (int)v->n_operands;

    if (n < command->min_operands)
        return command_misused(v, "%s is missing", command->arguments);
    if (command->max_operands >= 0 && n > command->max_operands)
        return command_misused(v, "nothing is known to do with \"%.64s\"",
                               v->operands[command->max_operands]);
    return EXIT_OK;
}

int command_parse(struct invocation *v, int argc, char **argv)
{
    struct reading r = { .v = v, .args = argv, .n = argc, .next = 1 };
    int rc;

    v->options = arena_array(v->arena, (size_t)argc + 1, sizeof(*v->options));
    v->operands = arena_array(v->arena, (size_t)argc + 1, sizeof(*v->operands));
    if (v->options == NULL || v->operands == NULL) {
        struct error err;

        error_exhausted(&err);
        return command_failed(&err);
    }
    rc = read_words(&r);
    if (rc != EXIT_OK)
        return rc;
    if (option_given(v, "help"))
        return EXIT_OK;
    if (v->command == NULL)
        return command_misused(v, "a command is missing");
    return check_operands(v);
}
