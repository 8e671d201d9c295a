/* SPDX-License-Identifier: Apache-2.0 */
/* The group table of an accepted request, its creation and its digests. */
#include "placement/table.h"

#include "tests/placement/check_fixture.h"

static const char runtime[] =
    "runtime: r\n"
    "axes: [{name: a}, {name: b}]\n"
    "create: [{list: instance, backend: cpu, when: axes_above_one > 1},"
    " {union: [b, a], sort: lexicographic}]\n";
static const char two_groups[] =
    "node_groups:\n"
    "  - {node_names: [x], ranks: [0, 1, 2, 3, 4, 5, 6, 7], a: 2, b: 2}\n"
    "  - {node_names: [y], ranks: [8, 9], b: 2}\n"
    "  - {node_names: [z], ranks: [10]}\n";

/* A request under a runtime without a model. */
static void ask_table(struct asked *a, const char *request)
{
    struct text text = { 0 };
    bool asked;

    text_printf(&text, "model: m\n%s", request);
    asked = ask(a, runtime, "model: m\nnodes: [{name: x}]\n",
                text_string(&text), NULL);
    ck_assert_msg(asked, "%s", a->err.text);
    ck_assert_msg(check_accepts(a->check), "%s", asked_json(a));
    text_close(&text);
}

START_TEST(every_axis_of_every_group_is_a_list)
{
    static const char *const names[] = {
        "node_groups[0].a", "node_groups[0].b", "node_groups[1].a",
        "node_groups[1].b", "node_groups[2].a", "node_groups[2].b",
    };
    struct error err = { 0 };
    struct table table;
    struct asked a;

    ask_table(&a, two_groups);
    ck_assert_int_eq(table_make(a.check, &table, &err), 0);
    for (size_t i = 0, k = 0; i < table.n_lists; i++) {
        while (k < ARRAY_LEN(names) &&
               strcmp(names[k], table.lists[i].name) != 0)
            k++;
        ck_assert_msg(k < ARRAY_LEN(names), "%s is out of order",
                      table.lists[i].name);
    }
    ck_assert_uint_ge(table.n_lists, 4);
    asked_close(&a);
}
END_TEST

START_TEST(a_list_goes_over_all_instances)
{
    struct error err = { 0 };
    struct table table;
    struct asked a;

    ask_table(&a, two_groups);
    ck_assert_int_eq(table_make(a.check, &table, &err), 0);
    for (size_t i = 0; i < table.n_lists; i++) {
        const struct lists *lists = &table.lists[i].lists;

        ck_assert_uint_eq(lists_count(lists) * lists_length(lists),
                          table.lists[i].scope->group->n_ranks);
    }
    ck_assert_uint_eq(lists_count(&table.lists[0].lists), 4);
    ck_assert_uint_eq(lists_member(&table.lists[0].lists, 2, 1), 6);
    asked_close(&a);
}
END_TEST

START_TEST(creation_names_no_group_of_one_rank)
{
    struct error err = { 0 };
    struct creation creation;
    struct asked a;

    ask_table(&a, two_groups);
    ck_assert_int_eq(table_creation(a.check, &creation, &err), 0);
    /* two instances of 2 x 2: 2 whole, 2 x (2 + 2) by axis; one pair */
    ck_assert_uint_eq(creation.count, 2 + 8 + 1);
    for (size_t i = 0; i < creation.count; i++) {
        struct created created = creation_at(&creation, i);

        ck_assert_uint_ge(created_length(&created), 2);
        ck_assert_str_eq(created.backend, i < 2 ? "cpu" : "device");
    }
    asked_close(&a);
}
END_TEST

static void digests_of(const char *request, struct table_digests *ret,
                       struct asked *a)
{
    struct error err = { 0 };
    struct creation creation;
    struct table table;

    ask_table(a, request);
    ck_assert_int_eq(table_make(a->check, &table, &err), 0);
    ck_assert_int_eq(table_creation(a->check, &creation, &err), 0);
    ck_assert_int_eq(table_digest(a->check, &table, &creation, ret, &err), 0);
}

/* clang-format off */
static const struct {
    const char *request; /* beside one of two instances of 2 x 2 on 0..7 */
    bool same;
} digests[] = {
    { "node_groups: [{node_names: [x], count: 8, b: 2, a: 2}]\n", true },
    { "node_groups: [{node_names: [x], count: 8, sizes: {a: 2, b: 2}}]\n",
      true },
    { "node_groups: [{node_names: [x], count: 8, a: 4, b: 2}]\n", false },
    { "node_groups: [{node_names: [x], count: 8, a: 2, b: 4}]\n", false },
    { "node_groups: [{node_names: [x], ranks: [4, 5, 6, 7, 0, 1, 2, 3],"
      " a: 2, b: 2}]\n", false },
    { "node_groups: [{node_names: [x], ranks: [1, 2, 3, 4, 5, 6, 7, 8],"
      " a: 2, b: 2}]\n", false },
};
/* clang-format on */

START_TEST(equal_layouts_have_equal_digests_and_others_have_not)
{
    struct table_digests first, second;
    struct asked a, b;

    digests_of("node_groups: [{node_names: [x], count: 8, a: 2, b: 2}]\n",
               &first, &a);
    digests_of(digests[_i].request, &second, &b);
    ck_assert_int_eq(memcmp(first.total, second.total, DIGEST_BYTES) == 0,
                     digests[_i].same);
    asked_close(&a);
    asked_close(&b);
}
END_TEST

START_TEST(the_digest_of_a_list_is_its_own)
{
    struct table_digests first, second;
    struct asked a, b;

    digests_of("node_groups: [{node_names: [x], count: 4, a: 2, b: 2},"
               " {node_names: [y], count: 2, b: 2}]\n",
               &first, &a);
    digests_of("node_groups: [{node_names: [x], count: 4, a: 2, b: 2},"
               " {node_names: [y], count: 4, b: 2}]\n",
               &second, &b);
    ck_assert_mem_eq(first.lists[0], second.lists[0], DIGEST_SHORT_BYTES);
    ck_assert_mem_eq(first.lists[1], second.lists[1], DIGEST_SHORT_BYTES);
    ck_assert_mem_ne(first.lists[2], second.lists[2], DIGEST_SHORT_BYTES);
    ck_assert_mem_ne(first.sequence, second.sequence, DIGEST_SHORT_BYTES);
    asked_close(&a);
    asked_close(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("table");
    TCase *tc = tcase_create("table");

    tcase_add_test(tc, every_axis_of_every_group_is_a_list);
    tcase_add_test(tc, a_list_goes_over_all_instances);
    tcase_add_test(tc, creation_names_no_group_of_one_rank);
    tcase_add_loop_test(tc,
                        equal_layouts_have_equal_digests_and_others_have_not, 0,
                        ARRAY_LEN(digests));
    tcase_add_test(tc, the_digest_of_a_list_is_its_own);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
