/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/settings: the table, its four sources, its manual. */
#include "daemon/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "tests/tap.h"

/* A folder with a file of settings. */
struct fixture {
    char folder[32];
    char path[64];
};

static struct fixture fixture;
static struct settings settings;
static struct error err;

static void setup(void)
{
    strcpy(fixture.folder, "/tmp/serried-conf-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(fixture.folder));
    snprintf(fixture.path, sizeof(fixture.path), "%s/f", fixture.folder);
    memset(&settings, 0, sizeof(settings));
    memset(&err, 0, sizeof(err));
}

static void teardown(void)
{
    settings_close(&settings);
    unlink(fixture.path);
    rmdir(fixture.folder);
}

static void write_file(const void *bytes, size_t len)
{
    FILE *file = fopen(fixture.path, "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    fclose(file);
}

/* Loads with a file of text and one variable (either may be NULL), as root. */
static int load(const char *text, const char *variable, struct flags *flags)
{
    struct flags none = { 0 };
    char copy[256];
    char *environment[] = { NULL, NULL };

    if (flags == NULL)
        flags = &none;
    if (text != NULL)
        write_file(text, strlen(text));
    if (flags->config == NULL)
        flags->config = text != NULL ? fixture.path : "/dev/null";
    if (variable != NULL) {
        snprintf(copy, sizeof(copy), "%s", variable);
        environment[0] = copy;
    }
    return settings_load(&settings, flags, environment, true, &err);
}

static void refused(const char *sentence)
{
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_msg(strstr(err.text, sentence) != NULL, "\"%s\" lacks \"%s\"",
                  err.text, sentence);
}

START_TEST(defaults_hold_where_nothing_is_said)
{
    ck_assert_msg(load(NULL, NULL, NULL) == 0, "%s", err.text);
    ck_assert_str_eq(settings.address, "/run/serried/serried.sock");
    ck_assert_str_eq(settings.state, "sqlite:/var/lib/serried/serried.db");
    ck_assert_str_eq(settings.share, "");
    ck_assert_int_eq(settings.log_level, LOG_LEVEL_INFO);
    ck_assert_int_eq(settings.call_bytes, 64 << 20);
    ck_assert_int_eq(settings.socket_mode, 0660);
    ck_assert_int_eq(settings.drain_ms, 10000);
}
END_TEST

/* Lines of a file, and what watch_max, deadline_ms, call_bytes become. */
static const struct {
    const char *text;
    int64_t watch_max, deadline_ms, call_bytes;
} files[] = {
    { "", 1024, 60000, 64 << 20 },
    { "watch_max = 5", 5, 60000, 64 << 20 },
    { "watch_max=5\n", 5, 60000, 64 << 20 },
    { "# all\n\n  \t\nwatch_max =\t0  # none\n", 0, 60000, 64 << 20 },
    { "deadline_ms = 1500", 1024, 1500, 64 << 20 },
    { "deadline_ms = 1500ms\r\n", 1024, 1500, 64 << 20 },
    { "deadline_ms = 2 s", 1024, 2000, 64 << 20 },
    { "deadline_ms = 60min", 1024, 3600000, 64 << 20 },
    { "call_bytes = 65536", 1024, 60000, 65536 },
    { "call_bytes = 64KiB", 1024, 60000, 65536 },
    { "call_bytes = 4GiB", 1024, 60000, INT64_C(1) << 32 },
};

START_TEST(a_file_sets_what_it_names)
{
    ck_assert_msg(load(files[_i].text, NULL, NULL) == 0, "%s", err.text);
    ck_assert_int_eq(settings.watch_max, files[_i].watch_max);
    ck_assert_int_eq(settings.deadline_ms, files[_i].deadline_ms);
    ck_assert_int_eq(settings.call_bytes, files[_i].call_bytes);
}
END_TEST

/* Lines that cannot be, and what is said of them. */
static const struct {
    const char *text, *sentence;
} bad_files[] = {
    { "log_levle = info",
      "f:1: no setting is called \"log_levle\", did you mean log_level" },
    { "\n\nelephants = 3", "f:3: no setting is called \"elephants\"; see" },
    { "log_level", "f:1: \"log_level\" is no setting, write `name = value`" },
    { "= info", "f:1: no setting is called \"\";" },
    { "log_level =", "log_level is \"\", must be error, warn, info or debug" },
    { "log_level = INFO", "log_level is \"INFO\", must be error, warn" },
    { "watch_max = 1\n#\nwatch_max = 2",
      "f:3: watch_max is set twice, first on line 1" },
    { "watch_max = -1", "watch_max is \"-1\", must be a whole number" },
    { "watch_max = 1e3", "must be a whole number" },
    { "watch_max = 1000001",
      "watch_max is 1000001, must be from 0 to 1000000" },
    { "watch_max = 99999999999999999999", "must be a whole number" },
    { "watch_max = 5s", "must be a whole number" },
    { "deadline_ms = 0", "deadline_ms is 0, must be from 1ms to 60min" },
    { "deadline_ms = 61min", "must be from 1ms to 60min" },
    { "deadline_ms = 1h", "must be a time such as 500ms, 30s or 5min" },
    { "deadline_ms = 5KiB", "must be a time such as" },
    { "deadline_ms = 9223372036854775807min", "must be a time such as" },
    { "call_bytes = 64KB", "must be a size such as 512KiB, 64MiB or 1GiB" },
    { "call_bytes = 65535", "must be from 64KiB to 4GiB" },
    { "socket_mode = 0888", "must be octal permissions such as 0660" },
    { "socket_mode = 1777", "socket_mode is 1777, must be from 0 to 0777" },
    { "address =", "address is empty, must be set" },
    { "share = \xff", "f:1: the line is not UTF-8 text" },
};

START_TEST(a_file_with_a_mistake_is_refused_by_its_line)
{
    ck_assert_int_eq(load(bad_files[_i].text, NULL, NULL), -1);
    refused(bad_files[_i].sentence);
}
END_TEST

START_TEST(a_file_with_a_nul_is_refused)
{
    struct flags flags = { .config = fixture.path };

    write_file("watch_max = 1\0\n", 15);
    ck_assert_int_eq(load(NULL, NULL, &flags), -1);
    refused("without NULs");
}
END_TEST

START_TEST(a_line_without_end_is_refused)
{
    struct flags flags = { .config = "/dev/zero" };

    ck_assert_int_eq(load(NULL, NULL, &flags), -1);
    refused("/dev/zero:1: more than 8192 bytes in a line");
}
END_TEST

START_TEST(a_file_that_was_asked_for_must_exist)
{
    struct flags flags = { .config = "/nonexistent/serried.conf" };
    struct flags folder = { .config = "/tmp" };

    ck_assert_int_eq(load(NULL, NULL, &flags), -1);
    refused("/nonexistent/serried.conf: No such file");
    ck_assert_int_eq(load(NULL, NULL, &folder), -1);
    refused("/tmp is not a file");
}
END_TEST

START_TEST(a_text_may_fill_its_bound_but_not_exceed_it)
{
    char value[64 + 2];
    struct flags flags = { .values[SETTING_socket_group] = value };

    memset(value, 'g', sizeof(value));
    value[64] = '\0';
    ck_assert_int_eq(load(NULL, NULL, &flags), 0);
    value[64] = 'g';
    value[65] = '\0';
    ck_assert_int_eq(load(NULL, NULL, &flags), -1);
    refused("socket_group has 65 bytes, must have at most 64");
}
END_TEST

START_TEST(flags_win_over_the_environment_that_over_the_file)
{
    struct flags flags = { .values[SETTING_watch_max] = "3" };
    const char *text = "watch_max = 1\nlog_level = debug";

    ck_assert_int_eq(load(text, NULL, NULL), 0);
    ck_assert_int_eq(settings.watch_max, 1);
    ck_assert_int_eq(settings.sources[SETTING_watch_max], SETTING_FROM_FILE);
    ck_assert_int_eq(load(text, "SERRIED_WATCH_MAX=2", NULL), 0);
    ck_assert_int_eq(settings.watch_max, 2);
    ck_assert_int_eq(load(text, "SERRIED_WATCH_MAX=2", &flags), 0);
    ck_assert_int_eq(settings.watch_max, 3);
    ck_assert_int_eq(settings.sources[SETTING_watch_max], SETTING_FROM_FLAG);
    ck_assert_int_eq(settings.log_level, LOG_LEVEL_DEBUG);
    ck_assert_int_eq(settings.sources[SETTING_share], SETTING_FROM_DEFAULT);
}
END_TEST

START_TEST(a_weaker_source_is_checked_too)
{
    struct flags flags = { .values[SETTING_watch_max] = "3" };

    ck_assert_int_eq(load("watch_max = many", NULL, &flags), -1);
    refused("f:1: watch_max is \"many\"");
    flags.config = NULL;
    ck_assert_int_eq(load(NULL, "SERRIED_WATCH_MAX=many", &flags), -1);
    refused("SERRIED_WATCH_MAX: watch_max is \"many\"");
    flags.config = NULL;
    flags.values[SETTING_watch_max] = "few";
    ck_assert_int_eq(load(NULL, NULL, &flags), -1);
    refused("command line: watch_max is \"few\"");
}
END_TEST

START_TEST(a_misspelt_variable_is_refused_and_a_foreign_one_is_not)
{
    ck_assert_int_eq(load(NULL, "SERRIED_LOG_LEVLE=info", NULL), -1);
    refused("sets SERRIED_LOG_LEVLE, did you mean SERRIED_LOG_LEVEL");
    ck_assert_int_eq(load(NULL, "SERRIED_BUILD_DIR=/tmp", NULL), 0);
    ck_assert_int_eq(load(NULL, "SERRIED_", NULL), 0);
}
END_TEST

START_TEST(the_environment_names_the_file_unless_a_flag_does)
{
    char variable[128];
    char *environment[] = { variable, NULL };
    struct flags flags = { 0 };

    write_file("watch_max = 9", 13);
    snprintf(variable, sizeof(variable), "SERRIED_CONFIG=%s", fixture.path);
    ck_assert_int_eq(settings_load(&settings, &flags, environment, true, &err),
                     0);
    ck_assert_int_eq(settings.watch_max, 9);
    flags.config = "/dev/null";
    ck_assert_int_eq(settings_load(&settings, &flags, environment, true, &err),
                     0);
    ck_assert_int_eq(settings.watch_max, 1024);
}
END_TEST

/* The environment of one who is not root, and the places that follow. */
static const struct {
    const char *environment[3], *address, *state;
} users[] = {
    { { "XDG_RUNTIME_DIR=/run/user/7", "HOME=/home" },
      "/run/user/7/serried.sock",
      "sqlite:/home/.local/state/serried/serried.db" },
    { { "XDG_RUNTIME_DIR=/r", "XDG_STATE_HOME=/s", "HOME=/h" },
      "/r/serried.sock",
      "sqlite:/s/serried/serried.db" },
    { { "STATE_DIRECTORY=/var/lib/x", "RUNTIME_DIRECTORY=/run/x", "HOME=/h" },
      "/run/x/serried.sock",
      "sqlite:/var/lib/x/serried.db" },
    { { "XDG_RUNTIME_DIR=/r", "XDG_STATE_HOME=relative", "HOME=/h" },
      "/r/serried.sock",
      "sqlite:/h/.local/state/serried/serried.db" },
};

START_TEST(a_user_has_places_of_their_own)
{
    struct flags flags = { .config = "/dev/null" };
    char *environment[4] = { 0 };

    for (int i = 0; i < 3; i++)
        environment[i] = (char *)(uintptr_t)users[_i].environment[i];
    ck_assert_msg(settings_load(&settings, &flags, environment, false, &err) ==
                      0,
                  "%s", err.text);
    ck_assert_str_eq(settings.address, users[_i].address);
    ck_assert_str_eq(settings.state, users[_i].state);
}
END_TEST

START_TEST(a_user_without_places_must_name_them)
{
    struct flags flags = { .config = "/dev/null" };
    char *environment[] = { NULL };

    ck_assert_int_eq(settings_load(&settings, &flags, environment, false, &err),
                     -1);
    refused("give --address");
    flags.values[SETTING_address] = "/tmp/s";
    ck_assert_int_eq(settings_load(&settings, &flags, environment, false, &err),
                     -1);
    refused("give --state");
    flags.values[SETTING_state] = "memory:";
    ck_assert_int_eq(settings_load(&settings, &flags, environment, false, &err),
                     0);
}
END_TEST

START_TEST(settings_stay_as_they_were_when_loading_fails)
{
    ck_assert_int_eq(load("watch_max = 7", NULL, NULL), 0);
    ck_assert_int_eq(load("watch_max = 8\noops", NULL, NULL), -1);
    ck_assert_int_eq(settings.watch_max, 7);
}
END_TEST

/* ---- reloading ------------------------------------------------------------
 */

static void note(void *arg, const char *name, bool taken)
{
    text_printf(arg, "%s %s;", name, taken ? "taken" : "kept");
}

START_TEST(reloading_takes_what_may_change_and_tells_the_rest)
{
    struct settings fresh = { 0 };
    struct text told = { 0 };

    ck_assert_int_eq(
        load("watch_max = 9\naddress = /b\nlog_level = warn", NULL, NULL), 0);
    fresh = settings;
    memset(&settings, 0, sizeof(settings));
    ck_assert_int_eq(load("address = /a", NULL, NULL), 0);
    settings_reload(&settings, &fresh, note, &told);
    ck_assert_str_eq(text_string(&told),
                     "address kept;log_level taken;watch_max taken;");
    ck_assert_str_eq(settings.address, "/a");
    ck_assert_int_eq(settings.watch_max, 9);
    ck_assert_int_eq(settings.log_level, LOG_LEVEL_WARN);
    text_close(&told);
    settings_close(&fresh);
}
END_TEST

/* ---- flags ----------------------------------------------------------------
 */

static int read_flags(int argc, const char *const *argv, struct flags *flags)
{
    return flags_read(flags, argc, (char *const *)(uintptr_t)argv, &err);
}

START_TEST(a_flag_takes_its_value_with_equals_or_behind_it)
{
    const char *argv[] = { "serried",     "--log-level",
                           "warn",        "--watch_max=3",
                           "--address=a", "--config",
                           "x",           "--share=" };
    struct flags flags;

    ck_assert_msg(read_flags(8, argv, &flags) == 0, "%s", err.text);
    ck_assert_int_eq(flags.action, FLAGS_RUN);
    ck_assert_str_eq(flags.values[SETTING_log_level], "warn");
    ck_assert_str_eq(flags.values[SETTING_watch_max], "3");
    ck_assert_str_eq(flags.values[SETTING_address], "a");
    ck_assert_str_eq(flags.values[SETTING_share], "");
    ck_assert_str_eq(flags.config, "x");
    ck_assert_ptr_null(flags.values[SETTING_state]);
}
END_TEST

static const struct {
    const char *argument;
    enum flags_action action;
} actions[] = {
    { "--help", FLAGS_HELP },
    { "--version", FLAGS_VERSION },
    { "--show-config", FLAGS_SHOW },
    { "--show-config=conf", FLAGS_SHOW_CONF },
    { "--show-config=rst", FLAGS_SHOW_RST },
};

START_TEST(a_flag_may_ask_for_something_else)
{
    const char *argv[] = { "serried", actions[_i].argument };
    struct flags flags;

    ck_assert_int_eq(read_flags(2, argv, &flags), 0);
    ck_assert_int_eq(flags.action, actions[_i].action);
}
END_TEST

static const struct {
    const char *arguments[3], *sentence;
} bad_flags[] = {
    { { "--log-levle=info" },
      "--log-levle: no such flag, did you mean --log-level; see --help" },
    { { "--elephants" }, "--elephants: no such flag; see --help" },
    { { "--show-config=yaml" }, "--show-config: no such flag" },
    { { "--hlep" }, "did you mean --help" },
    { { "--log-level" }, "--log-level needs a value" },
    { { "--config" }, "--config needs a value" },
    { { "--share=a", "--share", "b" }, "--share is given twice" },
    { { "start" }, "start: no argument without a flag is known" },
    { { "" }, ": no argument without a flag is known" },
    { { "--" }, "--: no such flag" },
    { { "-v" }, "-v: no such flag" },
};

START_TEST(a_flag_that_is_wrong_is_refused)
{
    const char *argv[4] = { "serried" };
    struct flags flags;
    int argc = 1;

    for (int i = 0; i < 3 && bad_flags[_i].arguments[i] != NULL; i++)
        argv[argc++] = bad_flags[_i].arguments[i];
    ck_assert_int_eq(read_flags(argc, argv, &flags), -1);
    refused(bad_flags[_i].sentence);
}
END_TEST

/* ---- showing --------------------------------------------------------------
 */

START_TEST(what_is_shown_can_be_read_back)
{
    struct text shown = { 0 };

    ck_assert_int_eq(load("watch_max = 9\ndrain_ms = 90s", NULL, NULL), 0);
    settings_show(&settings, FLAGS_SHOW, &shown);
    ck_assert_ptr_nonnull(strstr(shown.data, "watch_max = 9  # file\n"));
    ck_assert_ptr_nonnull(strstr(shown.data, "drain_ms = 90s  # file\n"));
    ck_assert_ptr_nonnull(strstr(shown.data, "socket_mode = 0660  # default"));
    ck_assert_msg(load(shown.data, NULL, NULL) == 0, "%s", err.text);
    ck_assert_int_eq(settings.drain_ms, 90000);
    text_close(&shown);
}
END_TEST

START_TEST(the_file_of_defaults_is_the_defaults)
{
    struct settings defaults = { 0 };
    struct text shown = { 0 }, told = { 0 };

    settings_show(NULL, FLAGS_SHOW_CONF, &shown);
    ck_assert_int_eq(load(shown.data, NULL, NULL), 0);
    ck_assert_int_eq(settings.sources[SETTING_address], SETTING_FROM_DEFAULT);
    defaults = settings;
    memset(&settings, 0, sizeof(settings));
    /* The same with each setting's line in force. */
    for (char *p = shown.data; (p = strstr(p, "\n#")) != NULL; p++)
        if (p[2] != ' ')
            p[1] = ' ';
    ck_assert_msg(load(shown.data, NULL, NULL) == 0, "%s", err.text);
    ck_assert_int_eq(settings.sources[SETTING_address], SETTING_FROM_FILE);
    settings_reload(&settings, &defaults, note, &told);
    ck_assert_str_eq(text_string(&told), "");
    settings_close(&defaults);
    text_close(&shown);
    text_close(&told);
}
END_TEST

START_TEST(the_manual_has_the_table_that_the_program_prints)
{
    const char *folder = getenv("srcdir");
    struct text path = { 0 }, shown = { 0 }, manual = { 0 };
    char block[4096];
    FILE *file;
    size_t n;

    text_printf(&path, "%s/docs/man/serried.conf.rst",
                folder != NULL ? folder : ".");
    file = fopen(text_string(&path), "r");
    ck_assert_msg(file != NULL, "%s", text_string(&path));
    while ((n = fread(block, 1, sizeof(block), file)) > 0)
        text_put_bytes(&manual, block, n);
    fclose(file);
    settings_show(NULL, FLAGS_SHOW_RST, &shown);
    ck_assert_msg(strstr(text_string(&manual), text_string(&shown)) != NULL,
                  "put what serried --show-config=rst prints into it");
    text_close(&path);
    text_close(&manual);
    text_close(&shown);
}
END_TEST

START_TEST(help_and_manual_stay_within_80_columns)
{
    static const enum flags_action shows[] = { FLAGS_HELP, FLAGS_SHOW_RST,
                                               FLAGS_SHOW_CONF };
    struct text shown = { 0 };

    settings_show(NULL, shows[_i], &shown);
    for (const char *line = text_string(&shown); *line != '\0';) {
        const size_t len = strcspn(line, "\n");

        ck_assert_msg(len <= 80, "%.*s", (int)len, line);
        line += len + 1;
    }
    text_close(&shown);
}
END_TEST

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

int main(void)
{
    Suite *suite = suite_create("settings");
    TCase *tcase = tcase_create("settings");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, defaults_hold_where_nothing_is_said);
    tcase_add_loop_test(tcase, a_file_sets_what_it_names, 0, COUNT(files));
    tcase_add_loop_test(tcase, a_file_with_a_mistake_is_refused_by_its_line, 0,
                        COUNT(bad_files));
    tcase_add_test(tcase, a_file_with_a_nul_is_refused);
    tcase_add_test(tcase, a_line_without_end_is_refused);
    tcase_add_test(tcase, a_file_that_was_asked_for_must_exist);
    tcase_add_test(tcase, a_text_may_fill_its_bound_but_not_exceed_it);
    tcase_add_test(tcase, flags_win_over_the_environment_that_over_the_file);
    tcase_add_test(tcase, a_weaker_source_is_checked_too);
    tcase_add_test(tcase,
                   a_misspelt_variable_is_refused_and_a_foreign_one_is_not);
    tcase_add_test(tcase, the_environment_names_the_file_unless_a_flag_does);
    tcase_add_loop_test(tcase, a_user_has_places_of_their_own, 0, COUNT(users));
    tcase_add_test(tcase, a_user_without_places_must_name_them);
    tcase_add_test(tcase, settings_stay_as_they_were_when_loading_fails);
    tcase_add_test(tcase, reloading_takes_what_may_change_and_tells_the_rest);
    tcase_add_test(tcase, a_flag_takes_its_value_with_equals_or_behind_it);
    tcase_add_loop_test(tcase, a_flag_may_ask_for_something_else, 0,
                        COUNT(actions));
    tcase_add_loop_test(tcase, a_flag_that_is_wrong_is_refused, 0,
                        COUNT(bad_flags));
    tcase_add_test(tcase, what_is_shown_can_be_read_back);
    tcase_add_test(tcase, the_file_of_defaults_is_the_defaults);
    tcase_add_test(tcase, the_manual_has_the_table_that_the_program_prints);
    tcase_add_loop_test(tcase, help_and_manual_stay_within_80_columns, 0, 3);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
