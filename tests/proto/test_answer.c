/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a batch: one answer for each, whatever it holds. */
#include "proto/answer.h"

#include <string.h>

#include "proto/document.h"
#include "tests/tap.h"

#define MODEL                                                                  \
    "{\"model\":\"m\",\"nodes\":[{\"name\":\"x\",\"axes\":{\"tp\":{}}}]}"
#define LINE(rest)                                                             \
    "{\"id\":7,\"declare\":[" MODEL "],\"deployment\":{\"model\":\"m\","       \
    "\"runtime\":\"mstar\",\"max_seq_len\":1,\"node_groups\":["                \
    "{\"node_names\":[\"x\"]," rest "}]}}"

/* clang-format off */
static const struct {
    const char *line;
    enum status status;
    const char *part; /* of the answer */
} lines[] = {
    { LINE("\"ranks\":[0]"), STATUS_OK, "{\"id\":7,\"verdict\":\"accept\"," },
    { LINE("\"ranks\":[0,1,2],\"tp_size\":2"), STATUS_REFUSED,
      "{\"id\":7,\"verdict\":\"refuse\"," },
    { LINE("\"ranks\":0"), STATUS_INVALID,
      "{\"id\":7,\"error\":{\"status\":\"INVALID_ARGUMENT\"," },
    { "{\"id\":{\"a\":[1,null,2.5]},\"deployment\":{}}", STATUS_INVALID,
      "{\"id\":{\"a\":[1,null,2.5]},\"error\":{" },
    { "{\"deployment\":{}}", STATUS_INVALID, "{\"error\":{" },
    { "{\"id\":\"7\",\"deployment\":{\"model\":\"nobody\","
      "\"runtime\":\"mstar\",\"max_seq_len\":1,\"node_groups\":[]}}",
      STATUS_REFUSED, "{\"id\":\"7\",\"verdict\":\"refuse\"," },
    { "{\"id\":1,\"deployment\":{\"model\":\"nobody\"}}", STATUS_REFUSED,
      "\"model.unknown\"" },
    { "{\"id\":1,\"deployment\":{\"model\":\"wan22\",\"runtime\":\"mstr\"}}",
      STATUS_UNKNOWN_NAME, "\"NOT_FOUND\"" },
    { "{\"id\":1}", STATUS_INVALID, "deployment is missing" },
    { "{\"id\":1,\"deploymnt\":{}}", STATUS_INVALID,
      "the nearest known one is deployment" },
    { "{\"id\":1,\"deployment\":[]}", STATUS_INVALID, "expected a map" },
    { "{\"id\":1,\"declare\":{},\"deployment\":{}}", STATUS_INVALID,
      "declare: expected a list" },
    { "{\"id\":1,\"declare\":[3],\"deployment\":{}}", STATUS_INVALID,
      "declare[0]: this is no deployment" },
    { "{\"id\":1,\"declare\":[{\"node_groups\":[]}],\"deployment\":{}}",
      STATUS_INVALID, "only a runtime or a model" },
    { "{\"id\":1,\"lists\":3,\"deployment\":{}}", STATUS_INVALID,
      "lists: expected a list" },
    { "{\"id\":1,\"per_rank\":1,\"deployment\":{}}", STATUS_INVALID,
      "per_rank: expected true or false" },
    { "{\"id\":1,\"up_to\":1,\"deployment\":{}}", STATUS_INVALID,
      "up_to: expected a string" },
    { "{\"id\":1,\"up_to\":\"cnofig\",\"deployment\":{\"runtime\":\"halo\","
      "\"world\":8}}",
      STATUS_UNKNOWN_NAME, "is no layer of halo; the nearest is config" },
    { "{\"id\":1,\"up_to\":\"config\",\"mesh\":{\"axes\":[{\"name\":\"a\","
      "\"size\":2}]}}",
      STATUS_INVALID, "leave creation, rank and up_to out" },
    { "{\"id\":1,\"up_to\":\"config\",\"deployment\":{\"runtime\":\"halo\","
      "\"world\":8,\"sizes\":{\"tp\":2},\"options\":{\"use_peft\":true}}}",
      STATUS_OK, "\"verdict\":\"accept\",\"up_to\":\"config\"" },
    { "{\"id\":1,\"deployment\":{\"runtime\":\"halo\",\"world\":8,"
      "\"sizes\":{\"tp\":2},\"options\":{\"use_peft\":true}}}",
      STATUS_REFUSED, "\"code\":\"tp_adapter\",\"layer\":\"trainer\"" },
    { "{\"id\":1,\"mesh\":{\"axes\":[{\"name\":\"a\",\"size\":2},"
      "{\"name\":\"b\",\"size\":2}]}}", STATUS_OK,
      "\"world\":4,\"derived\":{},\"lists\":"
      "{\"a\":[[0,2],[1,3]],\"b\":[[0,1],[2,3]]}" },
    { "{\"id\":1,\"lists\":[\"a+b\"],\"mesh\":{\"axes\":[{\"name\":\"a\","
      "\"size\":2},{\"name\":\"b\",\"size\":2}]}}", STATUS_OK,
      "\"lists\":{\"a+b\":[[0,1,2,3]]}" },
    { "{\"id\":1,\"lists\":[\"c\"],\"mesh\":{\"axes\":[{\"name\":\"a\","
      "\"size\":2}]}}", STATUS_UNKNOWN_NAME, "no axis called" },
    { "{\"id\":1,\"mesh\":{}}", STATUS_INVALID, "axes is missing" },
    { "{\"id\":1,\"mesh\":{\"axes\":[]}}", STATUS_INVALID, "0 axes" },
    { "{\"id\":1,\"mesh\":{\"axes\":[{\"name\":\"a\",\"size\":0}]}}",
      STATUS_INVALID, "at least 1" },
    { "{\"id\":1,\"mesh\":{\"axes\":[{\"name\":\"a\",\"size\":2097152}]}}",
      STATUS_EXHAUSTED, "1048576" },
    { "[]", STATUS_INVALID, "expected a map, found a list" },
    { "3", STATUS_INVALID, "expected a map" },
    { "", STATUS_INVALID, "empty" },
    { "{", STATUS_INVALID, "ends too early" },
    { "{\"id\":1} x", STATUS_INVALID, "\"error\"" },
    { "\377\376", STATUS_INVALID, "\"error\"" },
};
/* clang-format on */

static struct tree *answer_of(struct arena *arena, struct catalog *catalog,
                              const char *line, struct text *out,
                              enum status *ret_status)
{
    struct error err = { 0 };
    struct tree *answer = NULL;

    ck_assert_msg(
        answer_line(catalog, line, strlen(line), out, ret_status, &err) == 0,
        "%s", err.text);
    ck_assert_msg(document_read_json(arena, NULL, out->data, out->len, &answer,
                                     &err) == 0,
                  "%s: %s", err.text, text_string(out));
    return answer;
}

START_TEST(every_line_has_one_answer_that_can_be_read)
{
    struct arena *arena = arena_new(1 << 24);
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    struct text out = { 0 };
    enum status status;

    ck_assert_ptr_nonnull(
        answer_of(arena, catalog, lines[_i].line, &out, &status));
    ck_assert_msg(strstr(text_string(&out), lines[_i].part) != NULL,
                  "%s answers %s", lines[_i].line, text_string(&out));
    ck_assert_int_eq(status, lines[_i].status);
    ck_assert_ptr_null(strchr(text_string(&out), '\n'));
    text_close(&out);
    catalog_free(catalog);
    arena_free(arena);
}
END_TEST

START_TEST(declarations_of_a_line_hold_for_that_line)
{
    static const char with[] = LINE("\"ranks\":[0]");
    static const char without[] =
        "{\"id\":8,\"deployment\":{\"model\":\"m\",\"runtime\":\"mstar\","
        "\"max_seq_len\":1,\"node_groups\":[{\"node_names\":[\"x\"],"
        "\"ranks\":[0]}]}}";
    struct arena *arena = arena_new(1 << 24);
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    struct text out = { 0 };
    enum status status;

    answer_of(arena, catalog, with, &out, &status);
    ck_assert_int_eq(status, STATUS_OK);
    text_clear(&out);
    answer_of(arena, catalog, without, &out, &status);
    ck_assert_int_eq(status, STATUS_REFUSED);
    ck_assert_ptr_nonnull(strstr(text_string(&out), "model.unknown"));
    text_close(&out);
    catalog_free(catalog);
    arena_free(arena);
}
END_TEST

START_TEST(what_a_line_wants_is_beside_its_verdict)
{
    static const char line[] =
        "{\"id\":1,\"declare\":[" MODEL "],\"lists\":[\"tp\"],"
        "\"per_rank\":true,\"creation\":true,\"deployment\":{\"model\":\"m\","
        "\"runtime\":\"mstar\",\"max_seq_len\":1,\"node_groups\":["
        "{\"node_names\":[\"x\"],\"ranks\":[0,1],\"tp_size\":2}]}}";
    static const char *const keys[] = { "lists", "per_rank", "creation",
                                        "digests" };
    struct arena *arena = arena_new(1 << 24);
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    struct text out = { 0 };
    struct tree *answer;
    enum status status;

    answer = answer_of(arena, catalog, line, &out, &status);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        ck_assert_ptr_nonnull(tree_get(answer, keys[i]));
    text_clear(&out);
    answer = answer_of(arena, catalog, LINE("\"ranks\":[0]"), &out, &status);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        ck_assert_ptr_null(tree_get(answer, keys[i]));
    text_close(&out);
    catalog_free(catalog);
    arena_free(arena);
}
END_TEST

/* Answers any bytes: a line with one byte changed still has an answer. */
START_TEST(a_line_with_one_byte_changed_has_an_answer)
{
    static const char line[] = LINE("\"ranks\":[0,1],\"tp_size\":2");
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    char copy[sizeof(line)];
    struct text out = { 0 };
    enum status status;
    size_t answered = 0;

    for (size_t i = 0; i < sizeof(line) - 1; i++) {
        memcpy(copy, line, sizeof(line));
        copy[i] = "\"{}[]:,0-x\\\001\377"[(i + (size_t)_i) % 13];
        text_clear(&out);
        answered += answer_line(catalog, copy, sizeof(line) - 1, &out, &status,
                                &err) == 0 &&
                    out.len > 2;
    }
    ck_assert_uint_eq(answered, sizeof(line) - 1);
    text_close(&out);
    catalog_free(catalog);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("answer");
    TCase *tc = tcase_create("lines");

    tcase_add_loop_test(tc, every_line_has_one_answer_that_can_be_read, 0,
                        ARRAY_LEN(lines));
    tcase_add_test(tc, declarations_of_a_line_hold_for_that_line);
    tcase_add_test(tc, what_a_line_wants_is_beside_its_verdict);
    tcase_add_loop_test(tc, a_line_with_one_byte_changed_has_an_answer, 0, 13);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
