/* SPDX-License-Identifier: Apache-2.0 */
/* serried, the placement authority: reads what it was told and runs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/settings.h"

enum { GIVEN_BACK_BYTES = 256 << 10 }; /* blocks of at least so many */

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum { EXIT_USAGE = 64 };

/* The state, the log and the loop take about 20; the rest is for peers. */
enum { DESCRIPTORS_LEAST = 64 };

static int complain(const struct error *err, int exit_code)
{
    fprintf(stderr, "serried: %s\n", err->text);
    return exit_code;
}

/* A file opened as descriptor 2 would be written to by every log line. */
static int keep_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

/* Raises the limit of descriptors to what is allowed. */
static int raise_descriptors(const struct log *log, uint64_t *ret_limit,
                             struct error *err)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return error_set(err, STATUS_UNAVAILABLE,
                         "the limit of descriptors cannot be read: %s",
                         strerror(errno));
    if (limit.rlim_cur < limit.rlim_max) {
        const struct rlimit raised = { limit.rlim_max, limit.rlim_max };

        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) {
            log_line(log, LOG_LEVEL_INFO,
                     "limit of descriptors raised from=%ju to=%ju",
                     (uintmax_t)limit.rlim_cur, (uintmax_t)limit.rlim_max);
            limit = raised;
        }
    }
    if (limit.rlim_cur < DESCRIPTORS_LEAST)
        return error_set(err, STATUS_UNAVAILABLE,
                         "the limit of descriptors is %" PRIuMAX
                         ", must be at least %d (ulimit -n)",
                         (uintmax_t)limit.rlim_cur, DESCRIPTORS_LEAST);
    *ret_limit = limit.rlim_cur;
    return 0;
}

/* Makes the folders above the last part of path. */
static int make_folders(const char *path, mode_t mode, struct error *err)
{
    char *copy = strdup(path);
    int rc = 0;

    if (copy == NULL)
        return error_exhausted(err);
    for (char *p = copy + 1; rc == 0 && (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        if (mkdir(copy, mode) < 0 && errno != EEXIST)
            rc = error_set(err, STATUS_UNAVAILABLE,
                           "the folder %s cannot be made: %s", copy,
                           strerror(errno));
        *p = '/';
    }
    free(copy);
    return rc;
}

/* Default places are made when they are missing; of others the one who named
 * them knows whether they should exist. */
static int make_default_folders(const struct settings *settings,
                                struct error *err)
{
    const char *file = strchr(settings->state, ':');

    if (settings->sources[SETTING_address] == SETTING_FROM_DEFAULT &&
        make_folders(settings->address, 0755, err) < 0)
        return -1;
    if (settings->sources[SETTING_state] == SETTING_FROM_DEFAULT &&
        file != NULL && make_folders(file + 1, 0700, err) < 0)
        return -1;
    return 0;
}

static int run(struct settings *settings, const struct flags *flags,
               char *const *environment, bool root)
{
    struct log log;
    struct daemon_options options = {
        .settings = *settings,
        .flags = flags,
        .environment = environment,
        .root = root,
        .log = &log,
    };
    struct error err;

    log_init(&log, STDERR_FILENO, (enum log_level)settings->log_level,
             getenv("JOURNAL_STREAM"));
    if (raise_descriptors(&log, &options.descriptors, &err) < 0 ||
        make_default_folders(settings, &err) < 0) {
        settings_close(settings);
        log_line(&log, LOG_LEVEL_ERROR, "not started why=%s", err.text);
        return status_exit_code(err.status);
    }
    log_line(&log, LOG_LEVEL_INFO,
             "starting version=%s pid=%d descriptors=%" PRIu64, PACKAGE_VERSION,
             (int)getpid(), options.descriptors);
    /* The settings are the daemon's from here on. */
    if (daemon_run(&options, &err) < 0) {
        log_line(&log, LOG_LEVEL_ERROR, "ended status=%s why=%s",
                 status_name(err.status), err.text);
        return status_exit_code(err.status);
    }
    log_line(&log, LOG_LEVEL_INFO, "stopped");
    return EXIT_SUCCESS;
}

static int show(const struct settings *settings, enum flags_action action)
{
    struct text out = { 0 };
    int rc = EXIT_SUCCESS;

    if (action == FLAGS_VERSION)
        text_printf(&out, "serried %s\n", PACKAGE_VERSION);
    else
        settings_show(settings, action, &out);
    if (out.failed || fputs(text_string(&out), stdout) < 0 ||
        fflush(stdout) != 0)
        rc = EXIT_FAILURE;
    text_close(&out);
    return rc;
}

/* What the work on a large placement took is given back to the system, and not
 * kept under what outlives it. */
static void give_memory_back(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, GIVEN_BACK_BYTES);
    mallopt(M_TRIM_THRESHOLD, 16 * GIVEN_BACK_BYTES);
#endif
}

int main(int argc, char **argv)
{
    const bool root = geteuid() == 0;
    struct settings settings = { 0 };
    struct flags flags;
    struct error err;
    int rc;

    if (keep_standard_descriptors() < 0)
        return EXIT_FAILURE;
    if (flags_read(&flags, argc, argv, &err) < 0)
        return complain(&err, EXIT_USAGE);
    if (flags.action != FLAGS_RUN && flags.action != FLAGS_SHOW)
        return show(NULL, flags.action);
    if (settings_load(&settings, &flags, environ, root, &err) < 0)
        return complain(&err, status_exit_code(err.status));
    give_memory_back();
    if (flags.action == FLAGS_RUN)
        return run(&settings, &flags, environ, root);
    rc = show(&settings, flags.action);
    settings_close(&settings);
    return rc;
}
