/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which sources are refused, where, and in which words. */
#include "tests/tap.h"
#include "tests/placement/expression_fixture.h"

#define FREE (VALUE_ANY & ~VALUE_OBJECT)

/* column: of the error in a source that starts at column 8. */
/* clang-format off */
static const struct {
    const char *source;
    int column;
    const char *text;
} refused[] = {
    /* characters */
    { "ep @ tp", 11, "unexpected character \"@\"" },
    { "ep = tp", 11, "unexpected character \"=\"; equality is ==" },
    { "yes & no", 12, "unexpected character \"&\"; a conjunction is &&" },
    { "yes | no", 12, "unexpected character \"|\"; a disjunction is ||" },
    { "ep ^ 2", 11, "unexpected character \"^\"; a power is pow(a, b)" },
    { "{a: 1}", 8,
      "unexpected character \"{\"; maps are declared under tables" },
    { "ep \xc3\xa9", 11, "unexpected character \"\xc3\xa9\"" },
    { "ep \x01", 11, "control character 0x01; use spaces" },
    { "'wan", 8, "the string is not closed; ' is missing at its end" },
    { "name == \"wan", 16,
      "the string is not closed; \" is missing at its end" },
    { "'a\\q'", 10,
      "unknown escape; a backslash goes before n, t, a quote or a backslash" },
    { "12abc", 8,
      "\"12abc\" is not a number; write one as 12, 2.5 or 1e9" },
    { "0x10", 8, "\"0x10\" is not a number; write one as 12, 2.5 or 1e9" },
    { "1e", 8, "\"1e\" is not a number; write one as 12, 2.5 or 1e9" },
    { "9223372036854775808", 8,
      "the number is too large; the largest integer is 9223372036854775807" },
    { "1e999", 8,
      "the number is too large; the largest is about 1.8e308" },
    /* grammar */
    { "ep +", 12, "the expression ends too early; expected a name, a number, "
                  "a string, \"[\" or \"(\"" },
    { "* ep", 8,
      "unexpected \"*\"; expected a name, a number, a string, \"[\" or \"(\"" },
    { "ep tp", 11, "unexpected \"tp\"; expected an operator or the end" },
    { "yes and no", 12, "unexpected \"and\"; a conjunction is &&" },
    { "yes or no", 12, "unexpected \"or\"; a disjunction is ||" },
    { "ep not in heads", 11,
      "unexpected \"not\"; \"is not in\" is !(a in b)" },
    { "(ep + tp", 16,
      "the expression ends too early; expected an operator or \")\"" },
    { "(ep tp)", 12, "unexpected \"tp\"; expected an operator or \")\"" },
    { "ep)", 10, "unexpected \")\"; expected an operator or the end" },
    { "[1, 2", 13, "the expression ends too early; expected \",\" or \"]\"" },
    { "[1,]", 11,
      "unexpected \"]\"; expected a name, a number, a string, \"[\" or \"(\"" },
    { "max(1 2)", 14, "unexpected \"2\"; expected \",\" or \")\"" },
    { "yes ? 1", 15,
      "the expression ends too early; expected \":\" and the value otherwise" },
    { "heads[0", 15, "the expression ends too early; expected \"]\"" },
    { "p.", 10,
      "the expression ends too early; expected the name of a member" },
    { "p.1", 10, "unexpected \"1\"; expected the name of a member" },
    { "heads.exists(1, true)", 21,
      "unexpected \"1\"; expected a variable for the items, as in "
      "list.exists(x, x > 1)" },
    { "heads.exists(h)", 22,
      "unexpected \")\"; expected \",\" and what holds for the variable" },
    { "heads.exists(h, h > 1", 29,
      "the expression ends too early; expected \")\"" },
    { "1 ? 2 : 3", 8, "\"?\" needs a boolean before it, \"1\" is an integer" },
    { "in heads", 8,
      "unexpected \"in\"; expected a name, a number, a string, \"[\" or \"(\"" },
    /* names */
    { "tpp % 2", 8, "unknown name \"tpp\"; the nearest is \"tp\"" },
    { "ep + nothing_like_it", 13, "unknown name \"nothing_like_it\"" },
    { "p.cgf > 1", 10, "unknown name \"cgf\"; the nearest is \"cfg\"" },
    { "placed.exists(q, q.nod == p)", 27,
      "unknown name \"nod\"; the nearest is \"node\"" },
    { "ep.x", 11, "no member \"x\": \"ep\" is an integer" },
    { "heads.exists(h, h.x > 1)", 26, "no member \"x\": \"h\" is an integer" },
    { "maxx(1, 2)", 8, "unknown function \"maxx\"; the nearest is \"max\"" },
    { "heads.exist(h, h > 1)", 14,
      "unknown function \"exist\"; the nearest is \"exists\"" },
    { "frobnicate(1)", 8, "unknown function \"frobnicate\"" },
    { "exists(heads, h)", 8, "\"exists\" is called as list.exists(x, ...)" },
    { "heads.has(ep)", 14, "\"has\" is called as has(...)" },
    { "heads.exists(h, heads.exists(h, h > 1))", 37,
      "the variable \"h\" is bound already; take another name" },
    { "heads.exists(true, true)", 21,
      "\"true\" cannot be a variable; take another name" },
    { "heads.exists(h, h > 1) && h > 1", 34, "unknown name \"h\"" },
    { "lists(ep)", 14,
      "\"lists\" needs the name of a group list in quotes, as in "
      "lists(\"view.axis\")" },
    { "size(lists('mesh.b'))", 19,
      "unknown group list \"mesh.b\"; expected the name of a view, a dot and "
      "its axes" },
    /* arguments */
    { "max()", 8,
      "\"max\" needs at least one argument, a number or a list" },
    { "div(1)", 8, "\"div\" needs 2 arguments, 1 given" },
    { "div(1, 2, 3)", 8, "\"div\" needs 2 arguments, 3 given" },
    { "size()", 8, "\"size\" needs 1 argument, 0 given" },
    { "heads.size(1)", 8, "\"size\" needs 1 argument, 2 given" },
    { "has(1)", 12,
      "\"has\" needs a name or a member, as in has(node.name)" },
    { "has(ep + 1)", 12,
      "\"has\" needs a name or a member, as in has(node.name)" },
    /* types */
    { "name % tp", 8, "\"%\" needs integers, \"name\" is a string" },
    { "tp % name", 13, "\"%\" needs integers, \"name\" is a string" },
    { "tp % half", 13, "\"%\" needs integers, \"half\" is a decimal" },
    { "tp + 'a'", 13, "\"+\" needs numbers, 'a' is a string" },
    { "name + 'a'", 8, "\"+\" needs numbers, \"name\" is a string" },
    { "placed * 2", 8, "\"*\" needs numbers, \"placed\" is a list" },
    { "(tp > 1) - 1", 9, "\"-\" needs numbers, \"tp > 1\" is a boolean" },
    { "ep && yes", 8, "\"&&\" needs booleans, \"ep\" is an integer" },
    { "yes || name", 15, "\"||\" needs booleans, \"name\" is a string" },
    { "!ep", 9, "\"!\" needs a boolean, \"ep\" is an integer" },
    { "-name", 9, "\"-\" needs a number, \"name\" is a string" },
    { "yes < no", 8,
      "\"<\" needs numbers or strings, \"yes\" is a boolean" },
    { "1 < 2 < 3", 8,
      "\"<\" needs numbers or strings, \"1 < 2\" is a boolean" },
    { "name == 1", 8, "\"==\" needs values of one type, \"name\" is a string "
                      "and \"1\" is an integer" },
    { "ep < name", 8, "\"<\" needs values of one type, \"ep\" is an integer "
                      "and \"name\" is a string" },
    { "p != ep", 8, "\"!=\" needs values of one type, \"p\" is an item and "
                    "\"ep\" is an integer" },
    { "trainers == trainers", 8,
      "\"==\" needs numbers, strings, booleans, lists or items, \"trainers\" "
      "is a map" },
    { "'a' in name", 15,
      "\"in\" needs a list or a map on its right (parts of a string are not "
      "looked for; use ==, startsWith or endsWith), \"name\" is a string" },
    { "1 in tp", 13,
      "\"in\" needs a list or a map on its right, \"tp\" is an integer" },
    { "name in heads", 8, "\"in\" needs a value of the type of the list's "
                          "items, \"name\" is a string" },
    { "yes in trainers", 8, "\"in\" needs a string or an integer as key of a "
                            "map, \"yes\" is a boolean" },
    { "ep[0]", 8, "\"[]\" needs a list or a map, \"ep\" is an integer" },
    { "some['a']", 13,
      "\"[]\" needs an integer as position, 'a' is a string" },
    { "trainers[yes]", 17, "\"[]\" needs a string or an integer as key, "
                           "\"yes\" is a boolean" },
    { "ep.exists(h, h > 1)", 8,
      "\"exists\" needs a list, \"ep\" is an integer" },
    { "trainers.all(k, k == 'a')", 8,
      "\"all\" needs a list, \"trainers\" is a map" },
    { "heads.exists(h, h + 1)", 24, "\"exists\" needs a boolean for each item, "
                                    "\"h + 1\" is an integer" },
    { "size(ep)", 13,
      "\"size\" needs a list, a map or a string, \"ep\" is an integer" },
    { "max(name)", 12, "\"max\" needs numbers, \"name\" is a string" },
    { "max(placed, 1)", 12, "\"max\" needs numbers, \"placed\" is a list" },
    { "sum(['a'])", 12, "\"sum\" needs a list of numbers, \"['a']\" is a list" },
    { "gcd(half, 1)", 12, "\"gcd\" needs integers, \"half\" is a decimal" },
    { "div(half, 1)", 12, "\"div\" needs integers, \"half\" is a decimal" },
    { "keys(heads)", 13,
      "\"keys\" needs a map, \"heads\" is an integer or list" },
    { "lower(1)", 14, "\"lower\" needs a string, \"1\" is an integer" },
    { "split(name, 1)", 20, "\"split\" needs strings, \"1\" is an integer" },
    { "join('a', '-')", 13,
      "\"join\" needs a list and a string, 'a' is a string" },
    { "yes ? p : p.node", 18, "items of different kinds stand for one value; "
                              "write a condition for each kind" },
    { "yes ? placed : nodes", 23,
      "lists of different kinds of items stand for one value; write a "
      "condition for each kind" },
    { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 8,
      "unknown name \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      "aaaaaaaa\"" },
    { "!'a text of more than forty bytes, which is cut'", 9,
      "\"!\" needs a boolean, 'a text of more than forty bytes, whi...' is a "
      "string" },
};
/* clang-format on */

START_TEST(a_malformed_source_is_refused_at_its_column)
{
    struct error err = { 0 };
    struct text expected = { 0 };
    struct fixture f;

    fixture_open(&f);
    text_printf(&expected, "line 12, column %d: rules[0].refuse: %s",
                refused[_i].column, refused[_i].text);
    ck_assert_ptr_null(
        fixture_compile(&f, refused[_i].source, VALUE_ANY, &err));
    ck_assert_str_eq(err.text, text_string(&expected));
    ck_assert_int_eq(err.status, STATUS_INVALID);
    text_close(&expected);
    fixture_close(&f);
}
END_TEST

START_TEST(a_line_of_a_block_scalar_is_counted)
{
    struct error err = { 0 };
    struct fixture f;

    fixture_open(&f);
    ck_assert_ptr_null(fixture_compile(
        &f, "\n  ep > 1 &&\n  name == '\xc3\xa9' &&  tpp > 1", FREE, &err));
    ck_assert_str_eq(err.text,
                     "line 14, column 26: rules[0].refuse: unknown name "
                     "\"tpp\"; the nearest is \"tp\"");
    fixture_close(&f);
}
END_TEST

START_TEST(without_a_line_the_character_is_named)
{
    struct error err = { 0 };
    struct fixture f;
    struct tree *at;

    fixture_open(&f);
    at = tree_new_string(f.arena, NULL, NULL, "ep + tpp");
    ck_assert_ptr_null(
        expression_compile(f.arena, at, &f.names, VALUE_ANY, &err));
    ck_assert_str_eq(err.text, "character 6: unknown name \"tpp\"; the nearest "
                               "is \"tp\"");
    fixture_close(&f);
}
END_TEST

/* Whether the source compiles; else the error ends in this text. */
static void expect(const char *source, const char *error_end)
{
    struct error err = { 0 };
    struct fixture f;
    const struct expression *expr;

    fixture_open(&f);
    expr = fixture_compile(&f, source, VALUE_ANY, &err);
    if (error_end == NULL) {
        ck_assert_msg(expr != NULL, "%.60s: %s", source, err.text);
        expression_eval(expr, &f.env);
    } else {
        ck_assert_msg(expr == NULL, "%.60s", source);
        ck_assert_msg(strstr(err.text, error_end) != NULL, "%s", err.text);
    }
    fixture_close(&f);
}

/* before + part * n + middle + part_after * n */
static const char *repeat(struct text *out, const char *part, int n,
                          const char *middle, const char *after)
{
    text_clear(out);
    for (int i = 0; i < n; i++)
        text_put(out, part);
    text_put(out, middle);
    for (int i = 0; i < n; i++)
        text_put(out, after);
    return text_string(out);
}

/* clang-format off */
static const struct {
    const char *part, *middle, *after;
    int most;
    const char *text;
} limits[] = {
    { "(", "ep", ")", EXPRESSION_DEPTH_MAX, "nested deeper than 64; give" },
    { "[", "1", "]", EXPRESSION_DEPTH_MAX, "nested deeper than 64; give" },
    { "!", "yes", "", EXPRESSION_DEPTH_MAX, "nested deeper than 64; give" },
    { "-", "1", "", EXPRESSION_DEPTH_MAX, "nested deeper than 64; give" },
    { "max(", "1", ")", EXPRESSION_DEPTH_MAX, "nested deeper than 64; give" },
    { "yes?", "1", ":1", EXPRESSION_DEPTH_MAX, "nested deeper than 64; give" },
    { "ep+", "ep", "", EXPRESSION_DEPTH_MAX,
      "more than 64 operations nested; give" },
    { "yes||", "no", "", EXPRESSION_DEPTH_MAX,
      "more than 64 operations nested; give" },
    { "", "any", "[0]", EXPRESSION_DEPTH_MAX,
      "more than 64 operations nested; give" },
    { "", "trainers", ".a", EXPRESSION_DEPTH_MAX,
      "more than 64 operations nested; give" },
    { " ", "ep", "", 100000, NULL }, /* is trimmed */
};
/* clang-format on */

START_TEST(nesting_is_bounded)
{
    struct text source = { 0 };
    int most = limits[_i].most;

    expect(repeat(&source, limits[_i].part, most, limits[_i].middle,
                  limits[_i].after),
           NULL);
    expect(repeat(&source, limits[_i].part, most + 1, limits[_i].middle,
                  limits[_i].after),
           limits[_i].text);
    text_close(&source);
}
END_TEST

START_TEST(the_length_of_a_source_is_bounded)
{
    struct text source = { 0 };

    /* 'aaa' == name */
    text_put(&source, "'");
    while (source.len < EXPRESSION_SOURCE_MAX - 9)
        text_put(&source, "a");
    text_put(&source, "' == name");
    ck_assert_uint_eq(source.len, EXPRESSION_SOURCE_MAX);
    expect(text_string(&source), NULL);
    text_put(&source, "s");
    expect(text_string(&source),
           "the expression has 4097 bytes, at most 4096 may be compiled");
    text_close(&source);
}
END_TEST

START_TEST(the_number_of_nodes_is_bounded)
{
    struct text source = { 0 };
    int args = EXPRESSION_NODES_MAX - 1; /* and max() itself */

    text_put(&source, "max(ep");
    for (int i = 1; i < args; i++)
        text_put(&source, ",ep");
    text_put(&source, ")");
    expect(text_string(&source), NULL);
    text_clear(&source);
    text_put(&source, "max(ep");
    for (int i = 1; i < args + 1; i++)
        text_put(&source, ",ep");
    text_put(&source, ")");
    expect(text_string(&source),
           "more than 1024 names, values and operations; give a part of it a "
           "name of its own");
    text_close(&source);
}
END_TEST

START_TEST(the_number_of_bound_variables_is_bounded)
{
    expect("[1].all(a, [1].all(b, [1].all(c, [1].all(d, a + b + c + d > 0))))",
           NULL);
    expect("[1].all(a, [1].all(b, [1].all(c, [1].all(d, [1].all(e, e > 0)))))",
           "more than 4 variables bound at one place; give");
}
END_TEST

START_TEST(the_result_must_be_of_a_type_that_is_wanted)
{
    struct error err = { 0 };
    struct fixture f;

    fixture_open(&f);
    ck_assert_ptr_nonnull(fixture_compile(&f, "ep > 1", VALUE_BOOL, &err));
    ck_assert_ptr_nonnull(fixture_compile(&f, "any", VALUE_BOOL, &err));
    ck_assert_ptr_null(fixture_compile(&f, "ep + 1", VALUE_BOOL, &err));
    ck_assert_str_eq(err.text,
                     "line 12, column 8: rules[0].refuse: the result is of "
                     "type integer, expected boolean");
    ck_assert_ptr_null(fixture_compile(&f, "heads", VALUE_BOOL, &err));
    ck_assert_str_eq(err.text,
                     "line 12, column 8: rules[0].refuse: the result is of "
                     "type integer or list, expected boolean");
    fixture_close(&f);
}
END_TEST

START_TEST(what_is_no_source_is_refused)
{
    struct error err = { 0 };
    struct fixture f;
    struct tree *at;

    expect("", "the expression is empty");
    expect(" \n\t ", "the expression is empty");
    expect("ep \xff", "the expression is not UTF-8 text");
    fixture_open(&f);
    at = tree_new_string(f.arena, NULL, NULL, "ep > 1");
    at->len = 3;
    ((char *)at->text)[1] = '\0'; /* a NUL within */
    ck_assert_ptr_null(
        expression_compile(f.arena, at, &f.names, VALUE_ANY, &err));
    ck_assert_str_eq(err.text, "the expression is not UTF-8 text");
    at = tree_new(f.arena, NULL, NULL, TREE_MAP);
    ck_assert_ptr_null(
        expression_compile(f.arena, at, &f.names, VALUE_ANY, &err));
    ck_assert_str_eq(err.text, "needs an expression, this is a map");
    fixture_close(&f);
}
END_TEST

START_TEST(an_error_of_looking_a_name_up_is_handed_on)
{
    struct error err = { 0 };
    struct fixture f;

    fixture_open(&f);
    ck_assert_ptr_null(fixture_compile(&f, "1 + cyclic", VALUE_ANY, &err));
    ck_assert_str_eq(err.text, "cyclic is computed from itself");
    f.names.lists = NULL;
    ck_assert_ptr_null(
        fixture_compile(&f, "size(lists('mesh.a'))", VALUE_ANY, &err));
    ck_assert_str_eq(err.text, "line 12, column 13: rules[0].refuse: \"lists\" "
                               "has no meaning here");
    fixture_close(&f);
}
END_TEST

START_TEST(a_full_arena_is_exhausted_and_nothing_else)
{
    static const char source[] =
        "['a', 'b'].exists(x, x == name) && p.node.axes.cfg.branches % ep == 0";
    struct fixture f;
    bool done = false;

    fixture_open(&f);
    for (size_t cap = 0; !done; cap += 16) {
        struct arena *arena = arena_new(cap);
        struct error err = { 0 };
        struct tree *at = tree_new_string(f.arena, NULL, NULL, source);

        done =
            expression_compile(arena, at, &f.names, VALUE_BOOL, &err) != NULL;
        ck_assert_int_eq(err.status, done ? STATUS_OK : STATUS_EXHAUSTED);
        ck_assert_uint_lt(cap, 16384);
        arena_free(arena);
    }
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("expression_refused");
    TCase *tcase = tcase_create("refusals");

    tcase_add_loop_test(tcase, a_malformed_source_is_refused_at_its_column, 0,
                        ARRAY_LEN(refused));
    tcase_add_test(tcase, a_line_of_a_block_scalar_is_counted);
    tcase_add_test(tcase, without_a_line_the_character_is_named);
    tcase_add_loop_test(tcase, nesting_is_bounded, 0, ARRAY_LEN(limits) - 1);
    tcase_add_test(tcase, the_length_of_a_source_is_bounded);
    tcase_add_test(tcase, the_number_of_nodes_is_bounded);
    tcase_add_test(tcase, the_number_of_bound_variables_is_bounded);
    tcase_add_test(tcase, the_result_must_be_of_a_type_that_is_wanted);
    tcase_add_test(tcase, what_is_no_source_is_refused);
    tcase_add_test(tcase, an_error_of_looking_a_name_up_is_handed_on);
    tcase_add_test(tcase, a_full_arena_is_exhausted_and_nothing_else);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
