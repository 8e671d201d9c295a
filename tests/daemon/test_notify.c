/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/notify: a service manager that listens. */
#include "daemon/notify.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

/* A manager's socket at path, or "@NAME". */
static int manager_open(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

    memcpy(address.sun_path, path, strlen(path));
    if (path[0] == '@')
        address.sun_path[0] = '\0';
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                                      strlen(path))),
                     0);
    return fd;
}

static const char *manager_read(int fd, char *buffer, size_t size)
{
    const ssize_t n = read(fd, buffer, size - 1);

    buffer[n > 0 ? n : 0] = '\0';
    return buffer;
}

static void hears(const char *path)
{
    const int manager = manager_open(path);
    struct error err = { 0 };
    struct notify notify;
    unsigned long long usec;
    char got[2048];

    ck_assert_msg(notify_open(&notify, path, &err) == 0, "%s", err.text);
    notify_send(&notify, "READY=1\nSTATUS=%d served", 3);
    ck_assert_str_eq(manager_read(manager, got, sizeof(got)),
                     "READY=1\nSTATUS=3 served");
    notify_reloading(&notify);
    manager_read(manager, got, sizeof(got));
    ck_assert_int_eq(sscanf(got, "RELOADING=1\nMONOTONIC_USEC=%llu", &usec), 1);
    ck_assert_uint_gt(usec, 0);
    notify_close(&notify);
    notify_send(&notify, "READY=1");
    ck_assert_str_eq(manager_read(manager, got, sizeof(got)), "");
    close(manager);
}

START_TEST(a_manager_at_a_path_hears)
{
    char folder[] = "/tmp/serried-notify-XXXXXX";
    char path[64];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/notify", folder);
    hears(path);
    unlink(path);
    rmdir(folder);
}
END_TEST

START_TEST(a_manager_at_an_abstract_name_hears)
{
    char name[64];

    snprintf(name, sizeof(name), "@serried-test-%d", (int)getpid());
    hears(name);
}
END_TEST

START_TEST(without_a_manager_nothing_is_sent)
{
    struct notify notify;

    ck_assert_int_eq(notify_open(&notify, NULL, NULL), 0);
    ck_assert_int_eq(notify.fd, -1);
    notify_send(&notify, "READY=1");
    notify_close(&notify);
    ck_assert_int_eq(notify_open(&notify, "", NULL), 0);
    ck_assert_int_eq(notify.fd, -1);
}
END_TEST

START_TEST(a_manager_that_went_does_not_stop_anything)
{
    char name[64];
    struct notify notify;
    int manager;

    snprintf(name, sizeof(name), "@serried-gone-%d", (int)getpid());
    manager = manager_open(name);
    ck_assert_int_eq(notify_open(&notify, name, NULL), 0);
    close(manager);
    notify_send(&notify, "WATCHDOG=1");
    notify_close(&notify);
}
END_TEST

START_TEST(a_manager_that_does_not_read_does_not_stop_anything)
{
    char name[64];
    struct notify notify;
    int manager;

    snprintf(name, sizeof(name), "@serried-deaf-%d", (int)getpid());
    manager = manager_open(name);
    ck_assert_int_eq(notify_open(&notify, name, NULL), 0);
    for (int i = 0; i < 10000; i++)
        notify_send(&notify, "WATCHDOG=1");
    notify_close(&notify);
    close(manager);
}
END_TEST

#define TOO_LONG /* for sun_path */                                            \
    "/1234567890123456789012345678901234567890123456789012345678901234567890"  \
    "1234567890123456789012345678901234567890"

static const char *const refused[] = {
    "relative/path", "@", "/", "vsock:2:1", TOO_LONG,
};

START_TEST(an_address_that_cannot_be_is_refused)
{
    struct notify notify;
    struct error err = { 0 };

    ck_assert_int_eq(notify_open(&notify, refused[_i], &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_int_eq(strncmp(err.text, "NOTIFY_SOCKET ", 14), 0);
    ck_assert_int_eq(notify.fd, -1);
}
END_TEST

/* pid "self" stands for this process. */
static const struct {
    const char *usec, *pid;
    uint64_t ms;
} watchdogs[] = {
    { "30000000", NULL, 15000 },
    { "30000000", "self", 15000 },
    { "1000", NULL, 1 },
    { "30000000", "1", 0 },
    { NULL, NULL, 0 },
    { "", NULL, 0 },
    { "0", NULL, 0 },
    { "-5", NULL, 0 },
    { "12x", NULL, 0 },
    { "99999999999999999999999", NULL, 0 },
    { "18446744073709551615", NULL, 0 },
};

START_TEST(the_watchdog_is_fed_twice_in_its_time)
{
    const char *pid = watchdogs[_i].pid;
    char self[16];

    snprintf(self, sizeof(self), "%d", (int)getpid());
    if (pid != NULL && strcmp(pid, "self") == 0)
        pid = self;
    ck_assert_uint_eq(notify_watchdog_ms(watchdogs[_i].usec, pid),
                      watchdogs[_i].ms);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("notify");
    TCase *tcase = tcase_create("notify");

    tcase_add_test(tcase, a_manager_at_a_path_hears);
    tcase_add_test(tcase, a_manager_at_an_abstract_name_hears);
    tcase_add_test(tcase, without_a_manager_nothing_is_sent);
    tcase_add_test(tcase, a_manager_that_went_does_not_stop_anything);
    tcase_add_test(tcase, a_manager_that_does_not_read_does_not_stop_anything);
    tcase_add_loop_test(tcase, an_address_that_cannot_be_is_refused, 0,
                        (int)(sizeof(refused) / sizeof(refused[0])));
    tcase_add_loop_test(tcase, the_watchdog_is_fed_twice_in_its_time, 0,
                        (int)(sizeof(watchdogs) / sizeof(watchdogs[0])));
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
