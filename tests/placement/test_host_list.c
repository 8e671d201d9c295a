/* SPDX-License-Identifier: Apache-2.0 */
/* Host lists of requests: which host and device a rank is, and refusals. */
#include <string.h>

#include "base/text.h"
#include "placement/host_list.h"
#include "proto/document.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 1 << 22 };

static const char rules_text[] =
    "{key: machines, hosts: list, address: at, devices: cards, apart: base,\n"
    " others: [note], one_host: [memory], codes: {section: c.section,\n"
    " host: c.host, rank: c.rank, transport: c.transport}}";

static struct arena *arena;
static struct host_list_rules rules;

static const struct tree *yaml(const char *text)
{
    struct error err = { 0 };
    const struct tree *tree;

    ck_assert_msg(
        document_read_one(arena, NULL, 1, text, strlen(text), &tree, &err) == 0,
        "%s", err.text);
    return tree;
}

static void set_up(void)
{
    struct error err = { 0 };

    arena = arena_new(ARENA_BYTES);
    ck_assert_ptr_nonnull(arena);
    ck_assert_msg(host_list_load(arena, yaml(rules_text), &rules, &err) == 0,
                  "%s", err.text);
}

static void tear_down(void)
{
    arena_free(arena);
}

START_TEST(ranks_are_counted_over_the_devices_of_the_hosts)
{
    static const uint32_t want[][2] = { { 0, 3 }, { 0, 1 }, { 1, 0 },
                                        { 2, 7 }, { 2, 6 }, { 2, 5 } };
    struct host_list_refusal refusal;
    struct host_list list;

    ck_assert_int_eq(
        host_list_read(arena, &rules,
                       yaml("list: [{at: a, cards: [3, 1]}, {at: b, cards: "
                            "[0], note: {x: [1]}}, {at: c, cards: [7, 6, 5]}]"),
                       "memory over wire", &list, &refusal, NULL),
        0);
    ck_assert_uint_eq(list.n_ranks, ARRAY_LEN(want));
    for (uint32_t r = 0; r < ARRAY_LEN(want); r++) {
        uint32_t host, device;

        ck_assert_int_eq(
            host_list_find(&list, &rules, r, &host, &device, &refusal, NULL),
            0);
        ck_assert_uint_eq(host, want[r][0]);
        ck_assert_uint_eq(device, want[r][1]);
    }
}
END_TEST

START_TEST(a_rank_that_no_host_has_is_refused)
{
    struct host_list_refusal refusal;
    struct host_list list;
    uint32_t host, device;

    ck_assert_int_eq(host_list_read(arena, &rules,
                                    yaml("list: [{at: a, cards: [0]}]"), NULL,
                                    &list, &refusal, NULL),
                     0);
    for (int64_t rank = -1; rank <= 1; rank += 2) {
        ck_assert_int_lt(
            host_list_find(&list, &rules, rank, &host, &device, &refusal, NULL),
            0);
        ck_assert_str_eq(refusal.code, "c.rank");
        ck_assert_int_eq(refusal.rank, rank);
    }
}
END_TEST

START_TEST(without_a_list_rank_and_device_are_one_number)
{
    struct host_list_refusal refusal;
    struct host_list list;
    uint32_t host = 9, device = 9;

    ck_assert_int_eq(
        host_list_read(arena, &rules, NULL, "memory", &list, &refusal, NULL),
        0);
    ck_assert_int_eq(
        host_list_find(&list, &rules, 4211, &host, &device, &refusal, NULL), 0);
    ck_assert_uint_eq(host, 0);
    ck_assert_uint_eq(device, 4211);
    ck_assert_int_lt(
        host_list_find(&list, &rules, -1, &host, &device, &refusal, NULL), 0);
}
END_TEST

static const struct {
    const char *text, *code, *said;
} refused[] = {
    { "[]", "c.section", "a map" },
    { "{}", "c.section", "missing" },
    { "{list: 3}", "c.section", "list" },
    { "{lists: []}", "c.section", "nearest" },
    { "{list: []}", "c.host", "empty" },
    { "{list: [a]}", "c.host", "a map" },
    { "{list: [{at: a}]}", "c.host", "cards" },
    { "{list: [{at: '', cards: [0]}]}", "c.host", "empty" },
    { "{list: [{cards: [0]}]}", "c.host", "at" },
    { "{list: [{at: a, cards: []}]}", "c.host", "empty" },
    { "{list: [{at: a, cards: [0, 1, 0]}]}", "c.host", "0 is listed twice" },
    { "{list: [{at: a, cards: [-1]}]}", "c.host", "-1" },
    { "{list: [{at: a, cards: [4294967296]}]}", "c.host", "4294967296" },
    { "{list: [{at: a, cards: [true]}]}", "c.host", "integer" },
    { "{list: [{at: a, cards: [0], rdma: x}]}", "c.host", "unknown key" },
    { "{list: [{at: a, cards: [0]}, {at: a, cards: [1]}]}", "c.host", "base" },
    { "{list: [{at: a, cards: [0], base: 7}, {at: b, cards: [0]},"
      " {at: a, cards: [1], base: 7}]}",
      "c.host", "the same base" },
    { "{list: [{at: a, cards: [0]}, {at: b, cards: [0]}]}", "c.transport",
      "2 hosts" },
};

START_TEST(a_bad_list_is_refused_by_code)
{
    struct host_list_refusal refusal;
    struct host_list list;
    struct error err = { 0 };

    ck_assert_int_lt(host_list_read(arena, &rules, yaml(refused[_i].text),
                                    "MEMORY", &list, &refusal, &err),
                     0);
    ck_assert_str_eq(refusal.code, refused[_i].code);
    ck_assert_msg(strstr(err.text, refused[_i].said) != NULL, "%s", err.text);
}
END_TEST

START_TEST(one_machine_may_be_two_hosts_that_stand_apart)
{
    struct host_list_refusal refusal;
    struct host_list list;
    struct error err = { 0 };

    ck_assert_msg(host_list_read(arena, &rules,
                                 yaml("list: [{at: a, cards: [0], base: 7}, "
                                      "{at: a, cards: [1], base: 8}]"),
                                 NULL, &list, &refusal, &err) == 0,
                  "%s", err.text);
    ck_assert_uint_eq(list.n_hosts, 2);
}
END_TEST

START_TEST(rules_with_a_key_that_is_unknown_or_missing_are_refused)
{
    struct host_list_rules other;

    ck_assert_int_lt(
        host_list_load(arena, yaml("{key: a, host: b}"), &other, NULL), 0);
    ck_assert_int_lt(host_list_load(arena,
                                    yaml("{key: a, hosts: b, address: c, "
                                         "devices: d}"),
                                    &other, NULL),
                     0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host list");
    TCase *tcase = tcase_create("core");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, ranks_are_counted_over_the_devices_of_the_hosts);
    tcase_add_test(tcase, a_rank_that_no_host_has_is_refused);
    tcase_add_test(tcase, without_a_list_rank_and_device_are_one_number);
    tcase_add_loop_test(tcase, a_bad_list_is_refused_by_code, 0,
                        ARRAY_LEN(refused));
    tcase_add_test(tcase, one_machine_may_be_two_hosts_that_stand_apart);
    tcase_add_test(tcase,
                   rules_with_a_key_that_is_unknown_or_missing_are_refused);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
