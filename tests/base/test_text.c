/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/text. */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

START_TEST(what_is_written_stands_in_order)
{
    struct text text = { 0 };

    ck_assert_str_eq(text_string(&text), "");
    text_put(&text, "ranks ");
    text_printf(&text, "%d to %d", 0, 7);
    text_put_bytes(&text, "...", 1);
    text_put_bytes(&text, NULL, 0);
    ck_assert_str_eq(text_string(&text), "ranks 0 to 7.");
    ck_assert_uint_eq(text.len, strlen("ranks 0 to 7."));
    ck_assert(!text.failed);
    text_close(&text);
    ck_assert_str_eq(text_string(&text), "");
}
END_TEST

START_TEST(long_text_grows)
{
    struct text text = { 0 };

    for (int i = 0; i < 10000; i++)
        text_printf(&text, "%04d,", i);
    ck_assert_uint_eq(text.len, 50000);
    ck_assert_str_eq(text_string(&text) + 49995, "9999,");
    text_close(&text);
}
END_TEST

START_TEST(cleared_text_is_empty_and_can_be_written_again)
{
    struct text text = { 0 };

    text_clear(&text);
    text_put(&text, "first");
    text_clear(&text);
    ck_assert_str_eq(text_string(&text), "");
    text_put(&text, "2nd");
    ck_assert_str_eq(text_string(&text), "2nd");
    text_close(&text);
}
END_TEST

START_TEST(text_that_cannot_grow_keeps_what_came_before)
{
    struct text text = { 0 };

    text_put(&text, "kept");
    text_put_bytes(&text, "never read", (size_t)-1 / 2);
    ck_assert(text.failed);
    text_put(&text, " not added");
    ck_assert_str_eq(text_string(&text), "kept");
    text_close(&text);
}
END_TEST

#define BYTES(literal) literal, sizeof(literal) - 1

/* clang-format off */
static const struct {
    const char *bytes;
    size_t len;
    bool good;
} sequences[] = {
    { BYTES(""), true },
    { BYTES("plain"), true },
    { BYTES("\x7f"), true },
    { BYTES("\xc2\x80"), true },
    { BYTES("\xdf\xbf"), true },
    { BYTES("\xe0\xa0\x80"), true },
    { BYTES("\xed\x9f\xbf"), true },
    { BYTES("\xef\xbf\xbf"), true },
    { BYTES("\xf0\x90\x80\x80"), true },
    { BYTES("\xf4\x8f\xbf\xbf"), true },
    { BYTES("a\0b"), false },
    { BYTES("\x80"), false },             /* continues nothing */
    { BYTES("\xc2"), false },             /* cut short */
    { BYTES("\xe2\x82"), false },
    { BYTES("\xf0\x9f\x98"), false },
    { BYTES("\xc2" "a"), false },
    { BYTES("\xe2\x28\xa1"), false },
    { BYTES("\xc0\xaf"), false },         /* over-long */
    { BYTES("\xc1\xbf"), false },
    { BYTES("\xe0\x9f\xbf"), false },
    { BYTES("\xf0\x8f\xbf\xbf"), false },
    { BYTES("\xed\xa0\x80"), false },     /* surrogate */
    { BYTES("\xf4\x90\x80\x80"), false }, /* beyond U+10FFFF */
    { BYTES("\xf5\x80\x80\x80"), false },
    { BYTES("\xff"), false },
};
/* clang-format on */

START_TEST(utf8_is_told_from_junk)
{
    ck_assert_int_eq(text_is_utf8(sequences[_i].bytes, sequences[_i].len),
                     sequences[_i].good);
}
END_TEST

/* Wherever it stands among plain letters, which are looked at many at once. */
START_TEST(utf8_is_told_from_junk_between_plain_letters)
{
    const size_t len = sequences[_i].len;
    char text[64];

    for (size_t at = 0; at <= 24; at++) {
        memset(text, 'a', sizeof(text));
        memcpy(text + at, sequences[_i].bytes, len);
        ck_assert_int_eq(text_is_utf8(text, at + len + 20), sequences[_i].good);
    }
}
END_TEST

/* clang-format off */
static const struct {
    const char *broken, *mended;
} breaks[] = {
    { "", "" },
    { "na\xc3\xafve \xf0\x9f\x98\x80", "na\xc3\xafve \xf0\x9f\x98\x80" },
    { "\"\xc3\xa9\xc3\" is cut", "\"\xc3\xa9?\" is cut" },
    { "\xf0\x9f\x98", "?" },
    { "\xf0\x9f\x98z\xe2\x82", "?z?" },
    { "caf\xe9.yaml", "caf?.yaml" },
    { "\xff\xfe\x80", "??" },
    { "a\xed\xa0\x80" "b", "a?b" },
};
/* clang-format on */

START_TEST(what_is_no_letter_is_mended)
{
    char text[64];

    strcpy(text, breaks[_i].broken);
    text_mend(text);
    ck_assert_str_eq(text, breaks[_i].mended);
    ck_assert(text_is_utf8(text, strlen(text)));
}
END_TEST

static const char *const names[] = {
    "node_groups", NULL, "model", "max_seq_len", "runtime", "ranks",
};

static const struct {
    const char *name;
    const char *nearest; /* NULL: none is near enough to be meant */
} meant[] = {
    { "node_groups", "node_groups" },
    { "node_group", "node_groups" },
    { "nodegroups", "node_groups" },
    { "NODE_GROUPS", "node_groups" },
    { "modle", "model" },
    { "max_sequence_len", NULL },
    { "max_seq_length", "max_seq_len" },
    { "rnaks", "ranks" },
    { "rank", "ranks" },
    { "world", NULL },
    { "", NULL },
    { "x", NULL },
    { "a name that is far longer than sixty-four bytes is near to nothing",
      NULL },
};

START_TEST(the_nearest_name_is_the_one_that_was_meant)
{
    const char *found =
        text_nearest(meant[_i].name, names, sizeof(names) / sizeof(names[0]));

    if (meant[_i].nearest == NULL)
        ck_assert_ptr_null(found);
    else
        ck_assert_str_eq(found, meant[_i].nearest);
}
END_TEST

START_TEST(the_first_of_equally_near_names_wins)
{
    const char *const pair[] = { "rope", "ripe" };

    ck_assert_str_eq(text_nearest("rape", pair, 2), "rope");
    ck_assert_ptr_null(text_nearest("rape", pair, 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("text");
    TCase *tc = tcase_create("text");

    tcase_add_test(tc, what_is_written_stands_in_order);
    tcase_add_test(tc, long_text_grows);
    tcase_add_test(tc, cleared_text_is_empty_and_can_be_written_again);
    tcase_add_test(tc, text_that_cannot_grow_keeps_what_came_before);
    tcase_add_loop_test(tc, utf8_is_told_from_junk, 0, ARRAY_LEN(sequences));
    tcase_add_loop_test(tc, utf8_is_told_from_junk_between_plain_letters, 0,
                        ARRAY_LEN(sequences));
    tcase_add_loop_test(tc, what_is_no_letter_is_mended, 0, ARRAY_LEN(breaks));
    tcase_add_loop_test(tc, the_nearest_name_is_the_one_that_was_meant, 0,
                        ARRAY_LEN(meant));
    tcase_add_test(tc, the_first_of_equally_near_names_wins);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
