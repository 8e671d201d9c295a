/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations by name: shipped ones, those of a folder, those of one line. */
#include "proto/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/document.h"
#include "tests/tap.h"

static const struct tree *read_yaml(struct arena *arena, const char *text)
{
    struct tree *documents = NULL;
    struct error err = { 0 };

    ck_assert_msg(document_read_yaml(arena, "file", text, strlen(text),
                                     &documents, &err) == 0,
                  "%s", err.text);
    return tree_first(documents);
}

/* clang-format off */
static const struct {
    const char *text;
    int kind; /* -1: none */
} kinds[] = {
    { "{deployment: d}",                     DOCUMENT_DEPLOYMENT },
    { "{node_groups: []}",                   DOCUMENT_DEPLOYMENT },
    { "{world: 8}",                          DOCUMENT_DEPLOYMENT },
    { "{model: m, max_seq_len: 1}",          DOCUMENT_DEPLOYMENT },
    { "{runtime: r, axes: [], world: 8}",    DOCUMENT_DEPLOYMENT },
    { "{runtime: r, axes: []}",              DOCUMENT_RUNTIME },
    { "{runtime: r, rules: []}",             DOCUMENT_RUNTIME },
    { "{views: {}}",                         DOCUMENT_RUNTIME },
    { "{views: {}, nodes: []}",              DOCUMENT_RUNTIME },
    { "{model: m, nodes: []}",               DOCUMENT_MODEL },
    { "{walks: []}",                         DOCUMENT_MODEL },
    { "{facts: {}}",                         DOCUMENT_MODEL },
    { "{hosts: []}",                         DOCUMENT_CLUSTER },
    { "{hosts: [], facts: {}}",              DOCUMENT_MODEL },
    { "{model: m}",                          -1 },
    { "{max_seq_len: 1}",                    -1 },
    { "{}",                                  -1 },
    { "[]",                                  -1 },
    { "3",                                   -1 },
    { "null",                                -1 },
};
/* clang-format on */

START_TEST(a_documents_kind_is_told_by_its_keys)
{
    struct arena *arena = arena_new(1 << 20);
    const struct tree *document = read_yaml(arena, kinds[_i].text);
    struct error err = { 0 };
    enum document_kind kind;
    int rc = document_kind(document, &kind, &err);

    ck_assert_msg((rc == 0) == (kinds[_i].kind >= 0), "%s", kinds[_i].text);
    if (rc == 0)
        ck_assert_msg((int)kind == kinds[_i].kind, "%s", kinds[_i].text);
    else
        ck_assert_int_eq(err.status, STATUS_INVALID);
    arena_free(arena);
}
END_TEST

static bool holds(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

START_TEST(every_shipped_declaration_can_be_loaded)
{
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    const char *const *names;
    size_t n;

    ck_assert_msg(catalog != NULL, "%s", err.text);
    names = catalog_runtimes(catalog, &n);
    ck_assert(holds(names, n, "mstar"));
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(catalog_runtime(catalog, names[i], &err) != NULL, "%s",
                      err.text);
    names = catalog_models(catalog, &n);
    ck_assert(holds(names, n, "wan22"));
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(catalog_model(catalog, names[i], &err) != NULL, "%s",
                      err.text);
        ck_assert(i == 0 || strcmp(names[i - 1], names[i]) < 0);
    }
    catalog_free(catalog);
}
END_TEST

START_TEST(an_unknown_name_is_refused_with_the_nearest)
{
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);

    ck_assert_ptr_null(catalog_runtime(catalog, "mstr", &err));
    ck_assert_int_eq(err.status, STATUS_UNKNOWN_NAME);
    ck_assert_msg(strstr(err.text, "mstar") != NULL, "%s", err.text);
    ck_assert_ptr_null(catalog_model(catalog, "wan23", &err));
    ck_assert_int_eq(err.status, STATUS_UNKNOWN_NAME);
    ck_assert_msg(strstr(err.text, "wan22") != NULL, "%s", err.text);
    catalog_free(catalog);
}
END_TEST

START_TEST(a_later_declaration_replaces_an_earlier_one)
{
    struct arena *arena = arena_new(1 << 20);
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    const struct model *model;

    for (int i = 0; i < 2; i++) {
        const struct tree *document = read_yaml(
            arena, i == 0 ? "model: m\nnodes: [{name: x}]\n"
                          : "model: m\nnodes: [{name: y}, {name: z}]\n");

        ck_assert_int_eq(catalog_add(catalog, document, &err), 0);
        model = catalog_model(catalog, "m", &err);
        ck_assert_ptr_nonnull(model);
        ck_assert_uint_eq(model->n_nodes, (size_t)i + 1);
    }
    catalog_free(catalog);
    arena_free(arena);
}
END_TEST

START_TEST(what_is_added_over_a_catalog_leaves_it_as_it_was)
{
    struct arena *arena = arena_new(1 << 20);
    struct error err = { 0 };
    struct catalog *base = catalog_new(NULL, &err);
    struct catalog *over = catalog_over(base, &err);
    const struct tree *document =
        read_yaml(arena, "model: wan22\nnodes: [{name: only}]\n");

    ck_assert_int_eq(catalog_add(over, document, &err), 0);
    ck_assert_uint_eq(catalog_model(over, "wan22", &err)->n_nodes, 1);
    ck_assert_uint_gt(catalog_model(base, "wan22", &err)->n_nodes, 1);
    ck_assert_ptr_nonnull(catalog_model(over, "bagel", &err));
    ck_assert_ptr_nonnull(catalog_runtime(over, "mstar", &err));
    catalog_free(over);
    catalog_free(base);
    arena_free(arena);
}
END_TEST

/* clang-format off */
static const struct {
    const char *text;
    const char *sentence;
} refused[] = {
    { "model: m\nnodes: [{name: x}, {name: x}]\n", "used twice" },
    { "runtime: r\naxes: [{name: a}]\nrules: [{code: c, refuse: 'b'}]\n",
      "line 3, column 28: rules[0].refuse: unknown name" },
    { "node_groups: []\n", "only a runtime or a model can be declared" },
    { "hosts: []\n", "only a runtime or a model can be declared" },
    { "a: 1\n", "this is no deployment" },
};
/* clang-format on */

START_TEST(what_cannot_be_loaded_is_not_added)
{
    struct arena *arena = arena_new(1 << 20);
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    size_t before, after;

    catalog_models(catalog, &before);
    ck_assert_int_eq(
        catalog_add(catalog, read_yaml(arena, refused[_i].text), &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_msg(strstr(err.text, refused[_i].sentence) != NULL, "%s",
                  err.text);
    catalog_models(catalog, &after);
    ck_assert_uint_eq(before, after);
    catalog_free(catalog);
    arena_free(arena);
}
END_TEST

/* ---- folders ------------------------------------------------------------- */

static char folder[32];

static void make_folder(void)
{
    strcpy(folder, "/tmp/catalog.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir("models", 0755), 0);
    ck_assert_int_eq(mkdir("runtimes", 0755), 0);
}

static void remove_folder(void)
{
    unlink("models/wan22.yaml");
    unlink("models/mine.yaml");
    unlink("models/notes.txt");
    rmdir("models");
    rmdir("runtimes");
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

START_TEST(a_folder_replaces_what_is_shipped_and_adds_to_it)
{
    struct error err = { 0 };
    struct catalog *catalog;

    write_file("models/wan22.yaml", "model: wan22\nnodes: [{name: x}]\n");
    write_file("models/mine.yaml", "model: mine\nnodes: [{name: x}]\n");
    write_file("models/notes.txt", "this is no declaration");
    catalog = catalog_new(".", &err);
    ck_assert_msg(catalog != NULL, "%s", err.text);
    ck_assert_uint_eq(catalog_model(catalog, "wan22", &err)->n_nodes, 1);
    ck_assert_ptr_nonnull(catalog_model(catalog, "mine", &err));
    ck_assert_ptr_nonnull(catalog_model(catalog, "bagel", &err));
    catalog_free(catalog);
}
END_TEST

START_TEST(a_bad_file_in_a_folder_is_named)
{
    struct error err = { 0 };

    write_file("models/mine.yaml", "model: mine\nnodes: 3\n");
    ck_assert_ptr_null(catalog_new(".", &err));
    ck_assert_msg(strstr(err.text, "models/mine.yaml: line 2, column 8") !=
                      NULL,
                  "%s", err.text);
}
END_TEST

START_TEST(a_folder_may_not_be_there)
{
    struct error err = { 0 };
    struct catalog *catalog = catalog_new("/nonexistent", &err);

    if (catalog == NULL)
        ck_assert_msg(strstr(err.text, "/nonexistent") != NULL, "%s", err.text);
    catalog_free(catalog);
    catalog_free(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("catalog");
    TCase *tc = tcase_create("names"), *files = tcase_create("folders");

    tcase_add_loop_test(tc, a_documents_kind_is_told_by_its_keys, 0,
                        ARRAY_LEN(kinds));
    tcase_add_test(tc, every_shipped_declaration_can_be_loaded);
    tcase_add_test(tc, an_unknown_name_is_refused_with_the_nearest);
    tcase_add_test(tc, a_later_declaration_replaces_an_earlier_one);
    tcase_add_test(tc, what_is_added_over_a_catalog_leaves_it_as_it_was);
    tcase_add_loop_test(tc, what_cannot_be_loaded_is_not_added, 0,
                        ARRAY_LEN(refused));
    tcase_add_checked_fixture(files, make_folder, remove_folder);
    tcase_add_test(files, a_folder_replaces_what_is_shipped_and_adds_to_it);
    tcase_add_test(files, a_bad_file_in_a_folder_is_named);
    tcase_add_test(files, a_folder_may_not_be_there);
    suite_add_tcase(suite, tc);
    suite_add_tcase(suite, files);
    return tap_run(suite);
}
