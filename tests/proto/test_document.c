/* SPDX-License-Identifier: Apache-2.0 */
/* Documents from files and standard input. */
#include "proto/document.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"

/* Each test runs in a process and a folder of its own. */
static char folder[32];

static void make_folder(void)
{
    strcpy(folder, "/tmp/document.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void remove_folder(void)
{
    static const char *const names[] = { "a.yaml", "a.json", "large.yaml",
                                         "a" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        unlink(names[i]);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static int read_file(struct arena *arena, const char *path,
                     struct tree **ret_documents, struct error *err)
{
    *ret_documents = NULL;
    *err = (struct error){ 0 };
    return document_read_file(arena, path, ret_documents, err);
}

START_TEST(a_file_is_json_by_its_name_and_yaml_otherwise)
{
    struct arena *arena = arena_new(1 << 20);
    struct tree *documents;
    struct error err;

    write_file("a.yaml", "a: 1\n---\nb: 2\n");
    write_file("a.json", "{\"a\": 1}");
    write_file("a", "a: 1\n");
    ck_assert_int_eq(read_file(arena, "a.yaml", &documents, &err), 0);
    ck_assert_uint_eq(tree_count(documents), 2);
    ck_assert_int_eq(read_file(arena, "a.json", &documents, &err), 0);
    ck_assert_uint_eq(tree_count(documents), 1);
    ck_assert_uint_eq(tree_first(documents)->line, 0);
    ck_assert_int_eq(read_file(arena, "a", &documents, &err), 0);
    ck_assert_uint_eq(tree_first(documents)->line, 1);
    write_file("a.json", "a: 1");
    ck_assert_int_eq(read_file(arena, "a.json", &documents, &err), -1);
    ck_assert_int_eq(strncmp(err.text, "a.json: line 1, column 1: ", 26), 0);
    arena_free(arena);
}
END_TEST

START_TEST(a_file_that_is_missing_or_none_is_refused)
{
    struct arena *arena = arena_new(1 << 20);
    struct tree *documents;
    struct error err;

    ck_assert_int_eq(read_file(arena, "b.yaml", &documents, &err), -1);
    ck_assert_int_eq(err.status, STATUS_UNKNOWN_NAME);
    ck_assert_str_eq(err.text, "b.yaml: there is no such file");
    ck_assert_int_eq(read_file(arena, ".", &documents, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_str_eq(err.text, ".: a directory; expected a file");
    write_file("a.yaml", "");
    ck_assert_int_eq(read_file(arena, "a.yaml", &documents, &err), -1);
    ck_assert_str_eq(err.text,
                     "a.yaml: the file is empty; expected a document");
    arena_free(arena);
}
END_TEST

START_TEST(a_file_without_permission_is_refused)
{
    struct arena *arena = arena_new(1 << 20);
    struct tree *documents;
    struct error err;

    write_file("a.yaml", "a: 1");
    ck_assert_int_eq(chmod("a.yaml", 0), 0);
    if (geteuid() != 0) { /* root may read it all the same */
        ck_assert_int_eq(read_file(arena, "a.yaml", &documents, &err), -1);
        ck_assert_int_eq(err.status, STATUS_INVALID);
    }
    arena_free(arena);
}
END_TEST

/* A file of holes: 100 MB that take no room. */
START_TEST(a_file_of_100_mb_is_refused)
{
    struct arena *arena = arena_new(1 << 20);
    struct tree *documents;
    struct error err;

    write_file("large.yaml", "");
    ck_assert_int_eq(truncate("large.yaml", 100 * 1000 * 1000), 0);
    ck_assert_int_eq(read_file(arena, "large.yaml", &documents, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_str_eq(err.text,
                     "large.yaml: larger than 8 MiB, the most that is read");
    ck_assert_uint_eq(arena_used(arena), 0);
    arena_free(arena);
}
END_TEST

static void read_as_input(const char *path)
{
    int fd = open(path, O_RDONLY);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    close(fd);
}

START_TEST(standard_input_is_read_and_bounded)
{
    struct arena *arena = arena_new(1 << 20);
    struct tree *documents;
    struct error err;

    write_file("a.yaml", "a: 1\nb\n");
    read_as_input("a.yaml");
    ck_assert_int_eq(read_file(arena, "-", &documents, &err), -1);
    ck_assert_int_eq(
        strncmp(err.text, "standard input: line 2, column 1: ", 34), 0);
    read_as_input("/dev/zero"); /* has no end */
    ck_assert_int_eq(read_file(arena, "-", &documents, &err), -1);
    ck_assert_str_eq(
        err.text, "standard input: larger than 8 MiB, the most that is read");
    write_file("a.yaml", "a: 1\n");
    read_as_input("a.yaml");
    ck_assert_int_eq(read_file(arena, "-", &documents, &err), 0);
    arena_free(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("document");
    TCase *tcase = tcase_create("file");

    tcase_add_checked_fixture(tcase, make_folder, remove_folder);
    tcase_add_test(tcase, a_file_is_json_by_its_name_and_yaml_otherwise);
    tcase_add_test(tcase, a_file_that_is_missing_or_none_is_refused);
    tcase_add_test(tcase, a_file_without_permission_is_refused);
    tcase_add_test(tcase, a_file_of_100_mb_is_refused);
    tcase_add_test(tcase, standard_input_is_read_and_bounded);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
