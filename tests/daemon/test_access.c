/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/access: tokens, how they are compared, and who is an admin.
 *
 * The lookups of groups and users and the comparison of hashes are this
 * program's own: its definitions win over those of the libraries. */
#include "daemon/access.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/memops.h>

#include "base/text.h"
#include "placement/digest.h"
#include "tests/tap.h"

enum { TOKENS = 40, MANY = 3000, GROUP = 700, FIRST_UID = 20000 };

static struct access *access_;
static struct settings settings;
static struct error err;
static char path[64];

/* ---- what the libraries would tell --------------------------------------- */

static char *members[MANY + 1]; /* of the group "wheel" */

struct group *getgrnam(const char *name)
{
    static struct group group = { .gr_gid = GROUP, .gr_mem = members };

    return strcmp(name, "wheel") == 0 ? &group : NULL;
}

/* "uN" is the user of number N; there are no others. */
struct passwd *getpwnam(const char *name)
{
    static struct passwd user;

    if (name[0] != 'u')
        return NULL;
    user.pw_uid = (uid_t)strtoul(name + 1, NULL, 10);
    return &user;
}

static size_t n_compared, bytes_compared;

int memeql_sec(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    unsigned differ = 0;

    n_compared++;
    bytes_compared += n;
    for (size_t i = 0; i < n; i++)
        differ |= (unsigned)(x[i] ^ y[i]);
    return differ == 0;
}

/* ---- fixture ------------------------------------------------------------- */

static void setup(void)
{
    FILE *file;
    int fd;

    strcpy(path, "/tmp/serried-tokens-XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    file = fdopen(fd, "w");
    for (int i = 0; i < TOKENS; i++) {
        char token[32], hash[DIGEST_HEX];

        snprintf(token, sizeof(token), "token-%d", i);
        digest_hex(token, strlen(token), hash);
        fprintf(file, "operator o%d %s\n", i, hash);
    }
    ck_assert_int_eq(fclose(file), 0);
    memset(&settings, 0, sizeof(settings));
    members[0] = NULL;
}

static void load(const char *tokens, const char *admin_group)
{
    settings.tokens = (char *)tokens;
    settings.admin_group = (char *)admin_group;
    ck_assert_msg(access_load(&settings, &access_, &err) == 0, "%s", err.text);
}

static void teardown(void)
{
    access_free(access_);
    access_ = NULL;
    unlink(path);
}

/* ---- tokens -------------------------------------------------------------- */

static int show(const char *token, struct caller *caller)
{
    const struct origin origin = { .who = "here" };
    char header[64];

    snprintf(header, sizeof(header), "Bearer %s", token);
    n_compared = bytes_compared = 0;
    return access_identify(access_, &origin, header, caller, &err);
}

START_TEST(every_token_of_the_file_is_compared_whole_whichever_is_shown)
{
    struct caller caller;
    char token[32], name[32];

    load(path, "");
    for (int i = 0; i < TOKENS; i++) {
        snprintf(token, sizeof(token), "token-%d", i);
        snprintf(name, sizeof(name), "o%d", i);
        ck_assert_int_eq(show(token, &caller), 0);
        ck_assert_str_eq(caller.name, name);
        ck_assert_int_eq(caller.role, ROLE_OPERATOR);
        ck_assert_uint_eq(n_compared, TOKENS);
        ck_assert_uint_eq(bytes_compared, (size_t)TOKENS * DIGEST_BYTES);
    }
    ck_assert_int_eq(show("token-40", &caller), -1);
    ck_assert_int_eq(err.status, STATUS_DENIED);
    ck_assert_uint_eq(n_compared, TOKENS);
    ck_assert_uint_eq(bytes_compared, (size_t)TOKENS * DIGEST_BYTES);
}
END_TEST

/* What the file of tokens is, and what is said of it. */
static void ck_refused(const char *tokens, const char *words)
{
    settings.tokens = (char *)tokens;
    settings.admin_group = (char *)"";
    ck_assert_int_eq(access_load(&settings, &access_, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_msg(strstr(err.text, words) != NULL, "want \"%s\": %s", words,
                  err.text);
}

START_TEST(what_cannot_be_read_as_a_file_is_refused_and_not_waited_for)
{
    unlink(path);
    ck_refused(path, "cannot be read: ");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_refused(path, "is no file");
    /* a file of which the first byte cannot be read */
    ck_refused("/proc/self/mem", "cannot be read: ");
}
END_TEST

/* ---- administrators ------------------------------------------------------ */

static enum role role_of(uid_t uid, gid_t gid)
{
    const struct origin origin = {
        .who = "here", .local = true, .uid = uid, .gid = gid
    };
    struct caller caller;

    ck_assert_int_eq(access_identify(access_, &origin, NULL, &caller, &err), 0);
    return caller.role;
}

START_TEST(members_of_the_group_are_admins_whatever_group_they_call_with)
{
    members[0] = (char *)"u20001";
    members[1] = (char *)"nobody knows this one";
    members[2] = (char *)"u20003";
    members[3] = NULL;
    load("", "wheel");
    ck_assert_int_eq(role_of(20001, 100), ROLE_ADMIN);
    ck_assert_int_eq(role_of(20003, 20003), ROLE_ADMIN);
    ck_assert_int_eq(role_of(20002, 100), ROLE_OPERATOR);
    ck_assert_int_eq(role_of(20002, GROUP), ROLE_ADMIN); /* as its own group */
    ck_assert_int_eq(role_of(0, 0), ROLE_ADMIN);
    ck_assert_int_eq(role_of(geteuid(), 100), ROLE_ADMIN);
}
END_TEST

START_TEST(a_group_may_have_any_number_of_members)
{
    static char names[MANY][32];

    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "u%d", FIRST_UID + i);
        members[i] = names[i];
    }
    members[MANY] = NULL;
    load("", "wheel");
    ck_assert_int_eq(role_of(FIRST_UID, 100), ROLE_ADMIN);
    ck_assert_int_eq(role_of(FIRST_UID + MANY - 1, 100), ROLE_ADMIN);
    ck_assert_int_eq(role_of(FIRST_UID + MANY, 100), ROLE_OPERATOR);
}
END_TEST

START_TEST(a_group_that_is_not_there_is_refused)
{
    settings.tokens = (char *)"";
    settings.admin_group = (char *)"wheels";
    ck_assert_int_eq(access_load(&settings, &access_, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_msg(strstr(err.text, "admin_group is wheels") != NULL, "%s",
                  err.text);
}
END_TEST

START_TEST(without_a_group_all_users_of_the_socket_are_admins)
{
    load("", "");
    ck_assert_int_eq(role_of(20001, 100), ROLE_ADMIN);
}
END_TEST

static Suite *access_suite(void)
{
    Suite *suite = suite_create("access");
    TCase *tcase = tcase_create("access");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(
        tcase, every_token_of_the_file_is_compared_whole_whichever_is_shown);
    tcase_add_test(tcase,
                   what_cannot_be_read_as_a_file_is_refused_and_not_waited_for);
    tcase_add_test(
        tcase, members_of_the_group_are_admins_whatever_group_they_call_with);
    tcase_add_test(tcase, a_group_may_have_any_number_of_members);
    tcase_add_test(tcase, a_group_that_is_not_there_is_refused);
    tcase_add_test(tcase, without_a_group_all_users_of_the_socket_are_admins);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(access_suite());
}
