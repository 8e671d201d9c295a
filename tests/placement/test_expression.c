/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what expressions compute from known, unknown and undefined values. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tests/placement/expression_fixture.h"

/* clang-format off */
static const struct {
    const char *source, *value;
} computed[] = {
    /* literals and names */
    { "12", "12" }, { "2.5", "2.5" }, { "1e3", "1000" }, { "2.5e-1", "0.25" },
    { "true", "true" }, { "false", "false" }, { "'a\"b'", "a\"b" },
    { "\"a\\n\\t\\\\\\\"\"", "a\n\t\\\"" }, { "[]", "[]" },
    { "[1, ep, 2.5, 'x']", "[1, 4, 2.5, \"x\"]" }, { "[what, 1]", "[unknown, 1]" },
    { "9223372036854775807", "9223372036854775807" },
    { "ep", "4" }, { "what", "unknown" }, { "bad", "undefined" },
    { "  ep\n", "4" },
    /* + - * */
    { "ep + tp", "7" }, { "ep - tp - tp", "-2" }, { "ep * tp + 1", "13" },
    { "ep + tp * 2", "10" }, { "(ep + tp) * 2", "14" }, { "half + 1", "1.5" },
    { "ep - half", "3.5" }, { "half * half", "0.25" }, { "- -ep", "4" },
    { "most + 1", "undefined" }, { "least - 1", "undefined" },
    { "most * 2", "undefined" }, { "-least", "undefined" },
    { "-most - 1", "-9223372036854775808" }, { "-half", "-0.5" },
    { "what + 1", "unknown" }, { "bad + 1", "undefined" },
    { "what + bad", "undefined" }, { "bad * what", "undefined" },
    { "-what", "unknown" }, { "-bad", "undefined" },
    { "heads + 1", "undefined" }, { "layers + 1", "25" },
    { "experts * 2", "unknown" }, { "1e308 * 10.0", "undefined" },
    /* / % */
    { "stage / ep", "2" }, { "stage / tp", "undefined" },
    { "stage / zero", "undefined" }, { "-stage / ep", "-2" },
    { "least / -1", "undefined" }, { "most / -1", "-9223372036854775807" },
    { "1 / half", "2" }, { "half / 0", "undefined" }, { "ep / 8.0", "0.5" },
    { "what / 2", "unknown" }, { "2 / bad", "undefined" },
    { "4294967296 / 2", "2147483648" }, { "4294967295 / 2", "undefined" },
    { "stage % tp", "2" }, { "-stage % tp", "1" }, { "stage % -tp", "-1" },
    { "-stage % -tp", "-2" }, { "stage % zero", "undefined" },
    { "least % -1", "0" }, { "what % 2", "unknown" }, { "2 % bad", "undefined" },
    { "heads % 2", "undefined" },
    /* comparisons */
    { "ep == 4", "true" }, { "ep != 4", "false" }, { "ep < tp", "false" },
    { "tp <= 3", "true" }, { "ep > tp", "true" }, { "ep >= 5", "false" },
    { "ep == 4.0", "true" }, { "ep != 4.5", "true" }, { "half < 1", "true" },
    { "3 > half", "true" }, { "half >= 0.5", "true" }, { "half > 0.5", "false" },
    { "9007199254740993 == 9007199254740992.0", "false" },
    { "9007199254740993 > 9007199254740992.0", "true" },
    { "most < 1e30", "true" }, { "least > -1e30", "true" },
    { "name == 'wan'", "true" }, { "name != 'wan'", "false" },
    { "name < 'wao'", "true" }, { "name < 'wa'", "false" },
    { "name >= 'wan'", "true" }, { "yes == no", "false" },
    { "yes == !no", "true" },
    { "heads == [28, 28]", "true" }, { "heads == [28]", "false" },
    { "heads != [28, 29]", "true" }, { "heads == 28", "false" },
    { "some == [8, 8]", "unknown" }, { "some == [9, 8]", "false" },
    { "[bad] == [1]", "undefined" }, { "[what] == [1]", "unknown" },
    { "p == placed[0]", "true" }, { "p == placed[1]", "false" },
    { "what == 1", "unknown" }, { "bad != 1", "undefined" },
    { "what < bad", "undefined" }, { "what >= 1", "unknown" },
    { "heads < 3", "undefined" },
    /* logic */
    { "yes && yes", "true" }, { "yes && no", "false" }, { "no || no", "false" },
    { "no || yes", "true" }, { "!yes", "false" }, { "!whether", "unknown" },
    { "!worse", "undefined" },
    { "no && whether", "false" }, { "whether && no", "false" },
    { "yes && whether", "unknown" }, { "whether && yes", "unknown" },
    { "yes || whether", "true" }, { "whether || yes", "true" },
    { "no || whether", "unknown" }, { "whether || no", "unknown" },
    { "no && worse", "false" }, { "worse && no", "false" },
    { "yes && worse", "undefined" }, { "worse && yes", "undefined" },
    { "yes || worse", "true" }, { "worse || yes", "true" },
    { "no || worse", "undefined" }, { "worse || no", "undefined" },
    { "whether && worse", "undefined" }, { "worse || whether", "undefined" },
    { "whether && whether", "unknown" }, { "worse && worse", "undefined" },
    { "yes || no && no", "true" }, { "no && no || yes", "true" },
    { "any && yes", "undefined" }, { "yes && any", "undefined" },
    { "yes ? 1 : 2", "1" }, { "no ? 1 : 2", "2" },
    { "no ? 1 : no ? 2 : 3", "3" }, { "yes ? 1 : bad", "1" },
    { "whether ? 1 : 1", "unknown" }, { "worse ? 1 : 1", "undefined" },
    { "yes ? what : 1", "unknown" },
    /* in */
    { "28 in heads", "true" }, { "3 in heads", "false" },
    { "24 in layers", "true" }, { "25 in layers", "false" },
    { "8 in some", "true" }, { "9 in some", "unknown" },
    { "what in heads", "unknown" }, { "bad in heads", "undefined" },
    { "1 in experts", "unknown" }, { "name in ['wan', 'x']", "true" },
    { "name in []", "false" }, { "'sft' in trainers", "true" },
    { "'x' in trainers", "false" }, { "8 in trainers", "true" },
    { "1.0 in [1, 2]", "true" }, { "9 in [8, bad]", "undefined" },
    /* paths */
    { "heads[0]", "28" }, { "heads[2]", "undefined" },
    { "heads[-1]", "undefined" }, { "layers[0]", "undefined" },
    { "some[1]", "unknown" }, { "heads[what]", "unknown" },
    { "experts[bad]", "undefined" }, { "[1, 2, 3][tp - 1]", "3" },
    { "trainers['sft'].rows", "1" }, { "trainers[trainer].cp", "false" },
    { "trainers.dpo.rows", "2" }, { "trainers[stage]", "80" },
    { "trainers['x'].rows", "unknown" }, { "trainers.sft.x", "unknown" },
    { "trainers.sft.rows.x", "undefined" },
    { "p.cfg", "3" }, { "p.node.axes.cfg.branches", "2" },
    { "p.node.axes.x.branches", "unknown" }, { "p.node.kv_heads", "unknown" },
    { "placed[1].node.kv_heads", "8" }, { "placed[2].cfg", "undefined" },
    { "any[0]", "28" }, { "any.x", "undefined" },
    { "has(ep)", "true" }, { "has(what)", "false" }, { "has(bad)", "false" },
    { "has(p.node.axes.cfg)", "true" }, { "has(p.node.axes.x.y)", "false" },
    { "has(trainers[trainer])", "true" }, { "has(heads[2])", "false" },
    { "lists('mesh.a').exists(g, g.cfg > 2)", "true" },
    { "size(lists('mesh.a'))", "2" },
    /* folds */
    { "max(ep, tp, 9)", "9" }, { "min(ep, tp, 9)", "3" }, { "max(ep)", "4" },
    { "max(heads)", "28" }, { "max(layers)", "24" }, { "max(ep, half)", "4" },
    { "min(ep, half)", "0.5" }, { "max([])", "undefined" },
    { "sum(1, 2, 3)", "6" }, { "sum(heads)", "56" }, { "sum([])", "0" },
    { "sum(half, 1)", "1.5" }, { "sum(most, 1)", "undefined" },
    { "sum(layers)", "24" }, { "sum(some)", "unknown" },
    { "sum(some[0], bad)", "undefined" }, { "sum(what, bad)", "undefined" },
    { "sum(heads, 1)", "undefined" }, { "max(what, 1)", "unknown" },
    { "product(2, 3, 7)", "42" }, { "product([])", "1" },
    { "product(half, 4)", "2" }, { "product(most, most)", "undefined" },
    { "product(experts)", "unknown" },
    { "gcd(12, 18)", "6" }, { "gcd(heads)", "28" }, { "gcd(0, 0)", "0" },
    { "gcd(-12, 18)", "6" }, { "gcd(least)", "undefined" },
    { "gcd(least, 6)", "undefined" }, { "gcd([])", "0" },
    { "[3, 4].sum()", "7" },
    { "sum([any[0], 'x'])", "undefined" },
    /* arithmetic functions */
    { "div(7, 2)", "3" }, { "div(-7, 2)", "-4" }, { "div(7, -2)", "-4" },
    { "div(-7, -2)", "3" }, { "div(7, zero)", "undefined" },
    { "div(least, -1)", "undefined" }, { "div(what, 2)", "unknown" },
    { "div(what, bad)", "undefined" }, { "div(heads, 2)", "undefined" },
    { "ceil_div(7, 2)", "4" }, { "ceil_div(8, 2)", "4" },
    { "ceil_div(-7, 2)", "-3" }, { "ceil_div(7, -2)", "-3" },
    { "ceil_div(most, 2)", "4611686018427387904" },
    { "ceil_div(least, -1)", "undefined" }, { "ceil_div(1, 0)", "undefined" },
    { "pow(2, 10)", "1024" }, { "pow(2, 62)", "4611686018427387904" },
    { "pow(2, 63)", "undefined" }, { "pow(-2, 63)", "-9223372036854775808" },
    { "pow(5, 0)", "1" }, { "pow(2, -1)", "undefined" },
    { "pow(2.0, -1)", "0.5" }, { "pow(1, most)", "1" },
    { "pow(-1, most)", "-1" }, { "pow(1e300, 2)", "undefined" },
    { "floor(2.5)", "2" }, { "floor(-half)", "-1" }, { "floor(ep)", "4" },
    { "floor(1e30)", "undefined" }, { "floor(what)", "unknown" },
    { "ceil(2.5)", "3" }, { "ceil(-2.5)", "-2" }, { "ceil(-1e30)", "undefined" },
    { "log2(stage)", "3" }, { "log2(half)", "-1" }, { "log2(0)", "undefined" },
    { "log2(bad)", "undefined" },
    /* lists and strings */
    { "divisors(12)", "[1, 2, 3, 4, 6, 12]" }, { "divisors(1)", "[1]" },
    { "divisors(49)", "[1, 7, 49]" }, { "divisors(zero)", "undefined" },
    { "divisors(-4)", "undefined" }, { "divisors(what)", "unknown" },
    { "size(divisors(549755813888))", "40" },
    { "divisors(1099511627776)", "undefined" }, /* 2^40: over the budget */
    { "size(divisors(97772875200))", "4032" },
    { "size(divisors(963761198400))", "6720" }, /* none below 2^40 has more */
    { "range(ep)", "[0, 1, 2, 3]" }, { "range(zero)", "[]" },
    { "range(-1)", "undefined" }, { "size(range(65536))", "65536" },
    { "size(range(65537))", "undefined" },
    { "size(heads)", "2" }, { "size(layers)", "1" }, { "size(name)", "3" },
    { "size('\xc3\xa9')", "1" }, { "size(trainers)", "3" }, { "size([])", "0" },
    { "size(experts)", "unknown" }, { "heads.size()", "2" },
    { "keys(trainers)", "[\"sft\", \"dpo\", \"8\"]" }, { "keys(trainers.sft)", "[\"cp\", \"rows\"]" },
    { "keys(any)", "undefined" }, { "keys(trainers.x)", "unknown" },
    { "string(ep)", "4" }, { "string(half)", "0.5" }, { "string(yes)", "true" },
    { "string(name)", "wan" }, { "string(what)", "unknown" },
    { "string(layers) == '24'", "true" },
    { "split('tp-cp-dp', '-')", "[\"tp\", \"cp\", \"dp\"]" }, { "split('', '-')", "[\"\"]" },
    { "split('a--b', '-')", "[\"a\", \"\", \"b\"]" }, { "split('a', '')", "undefined" },
    { "size(split('', '-'))", "1" }, { "'a, b'.split(', ')", "[\"a\", \"b\"]" },
    { "join(['a', 1, true, 2.5], '-')", "a-1-true-2.5" },
    { "join(['a'], '-')", "a" }, { "join(range(0), '-')", "" },
    { "['tp', ep].join('')", "tp4" }, { "join(['a', what], '-')", "unknown" },
    { "join(['a', bad], '-')", "undefined" },
    { "join([['a']], '-')", "undefined" },
    { "join(split('tp-sp-pp', 'sp'), 'u-r')", "tp-u-r-pp" },
    { "type('a')", "string" }, { "type([1])", "list" }, { "type(4)", "int" },
    { "type(2.5)", "number" }, { "type(true)", "bool" },
    { "type(trainers)", "map" }, { "type(experts)", "unknown" },
    { "lower('WaN')", "wan" }, { "name.endsWith('an')", "true" },
    { "name.startsWith('wa')", "true" }, { "name.startsWith('wano')", "false" },
    { "name.endsWith('swan')", "false" }, { "endsWith(name, '')", "true" },
    { "endsWith(string(what), 'a')", "unknown" },
    /* macros */
    { "heads.exists(h, h % 8 == 4)", "true" },
    { "heads.exists(h, h > 28)", "false" }, { "heads.all(h, h == 28)", "true" },
    { "heads.all(h, h < 28)", "false" }, { "[].exists(h, h > 1)", "false" },
    { "[].all(h, h > 1)", "true" }, { "layers.exists(h, h == 24)", "true" },
    { "layers.all(h, h == 23)", "false" },
    { "experts.exists(h, h > 1)", "unknown" },
    { "experts.map(h, h)", "unknown" },
    { "some.exists(h, h == 8)", "true" }, { "some.exists(h, h == 9)", "unknown" },
    { "some.all(h, h == 8)", "unknown" }, { "some.all(h, h == 9)", "false" },
    { "heads.exists(h, h / 3 > 1)", "undefined" },
    { "[9, 10].exists(h, h / 3 > 1)", "true" },
    { "[3, 10].exists(h, h / 3 > 1)", "undefined" },
    { "[what, 10].exists(h, h / 3 > 1)", "unknown" },
    { "[what, 10].all(h, h / 3 > 1)", "unknown" },
    { "[0, what, 10].all(h, h / 3 > 1)", "false" },
    { "heads.map(h, h / 4)", "[7, 7]" }, { "layers.map(h, h * 2)", "[48]" },
    { "some.map(h, h + 1)", "[9, unknown]" },
    { "range(7).filter(u, u % 3 == 0)", "[0, 3, 6]" },
    { "heads.filter(h, h > 28)", "[]" }, { "layers.filter(h, true)", "[24]" },
    { "some.filter(h, h > 1)", "unknown" },
    { "[3, 4].filter(h, h / 2 > 1)", "undefined" },
    { "experts.filter(h, false)", "unknown" },
    { "['a', 'b'].filter(t, t != 'a')", "[\"b\"]" },
    { "[3, 10].map(h, h / 3)", "[1, undefined]" },
    { "sum([3, 10].map(h, h / 3))", "undefined" },
    { "placed.map(q, q.cfg)", "[3, 1]" },
    { "placed.exists(q, q.node.kv_heads == 8)", "true" },
    { "placed.all(q, q.cfg > 0)", "true" }, { "nodes.exists(n, true)", "false" },
    { "[1, 2].exists(a, [2, 3].exists(b, a == b))", "true" },
    { "[1, 2].map(a, [3, 4].map(b, a * b))", "[[3, 4], [6, 8]]" },
    { "[[1, 2], [3]].map(a, sum(a))", "[3, 3]" },
    { "keys(trainers).exists(k, k == trainer)", "true" },
    { "any.exists(h, h == 28)", "true" },
    { "trainers.sft.exists(k, k == 1)", "undefined" },
    { "range(65537).exists(i, i == 1)", "undefined" },
    { "range(65536).exists(i, i == 65535)", "true" },
    { "[1].exists(ep, ep == 1) && ep == 4", "true" }, /* hides the name */
    /* over the budget of steps: 4,096 * 4,096 items */
    { "range(4096).all(a, range(4096).all(b, a >= 0))", "undefined" },
    { "range(100).all(a, range(100).all(b, a >= 0))", "true" },
};
/* clang-format on */

static void check_value(struct fixture *f, const struct expression *expr,
                        const char *expected)
{
    struct text out = { 0 };

    value_print(expression_eval(expr, &f->env), &out);
    ck_assert_str_eq(text_string(&out), expected);
    text_close(&out);
}

START_TEST(expressions_compute_what_the_table_says)
{
    struct error err = { 0 };
    struct fixture f;
    const struct expression *expr;

    fixture_open(&f);
    expr = fixture_compile(&f, computed[_i].source, VALUE_ANY, &err);
    ck_assert_msg(expr != NULL, "%s: %s", computed[_i].source, err.text);
    check_value(&f, expr, computed[_i].value);
    fixture_close(&f);
}
END_TEST

/* clang-format off */
static const struct {
    const char *source, *types;
} shapes[] = {
    { "ep * tp", "integer" }, { "ep * half", "decimal" }, { "ep > 1", "boolean" },
    { "yes ? ep : half", "number" }, { "yes ? name : heads",
      "integer, string or list" },
    { "max(ep, half)", "number" }, { "heads", "integer or list" },
    { "sum(heads)", "integer" }, { "heads[0]", "integer" },
    { "heads.map(h, h > 1)", "list" }, { "trainers", "map" }, { "p", "item" },
    { "floor(half)", "integer" }, { "pow(ep, half)", "number" },
    { "split(name, '-')[0]", "string" }, { "ep / half", "decimal" },
    { "heads / 2", "integer" },
};
/* clang-format on */

START_TEST(the_type_of_a_result_is_known_before)
{
    struct error err = { 0 };
    struct text out = { 0 };
    struct fixture f;
    const struct expression *expr;

    fixture_open(&f);
    expr = fixture_compile(&f, shapes[_i].source, VALUE_ANY, &err);
    ck_assert_msg(expr != NULL, "%s: %s", shapes[_i].source, err.text);
    value_types_print(expression_shape(expr).types, &out);
    ck_assert_str_eq(text_string(&out), shapes[_i].types);
    text_close(&out);
    fixture_close(&f);
}
END_TEST

static void count_slot(void *arg, int slot)
{
    ck_assert_str_eq(fixture_names[slot].name,
                     ((const char *const *)arg)[0]); /* the next expected */
    memmove(arg, (const char **)arg + 1, 2 * sizeof(char *));
}

START_TEST(an_expression_knows_its_source_and_each_slot_once)
{
    const char *expected[] = { "tp", "ep", NULL };
    struct error err = { 0 };
    struct fixture f;
    const struct expression *expr;

    fixture_open(&f);
    expr = fixture_compile(&f, " tp * ep +\n tp ", VALUE_INT, &err);
    ck_assert_ptr_nonnull(expr);
    ck_assert_str_eq(expression_source(expr), "tp * ep +\n tp");
    ck_assert_str_eq(expression_tree(expr)->key, "refuse");
    expression_slots(expr, count_slot, expected);
    ck_assert_ptr_null(expected[0]);
    fixture_close(&f);
}
END_TEST

START_TEST(a_scalar_that_is_not_a_string_stands_for_itself)
{
    struct error err = { 0 };
    struct fixture f;
    struct tree *at;
    const struct expression *expr;

    fixture_open(&f);
    at = tree_new_string(f.arena, NULL, NULL, "0x10");
    at->type = TREE_INT;
    at->u.integer = 16;
    expr = expression_compile(f.arena, at, &f.names, VALUE_INT, &err);
    ck_assert_ptr_nonnull(expr);
    check_value(&f, expr, "16");
    ck_assert_ptr_null(
        expression_compile(f.arena, at, &f.names, VALUE_BOOL, &err));
    at->type = TREE_DOUBLE;
    at->u.number = 1.0 / 0.0;
    ck_assert_ptr_null(
        expression_compile(f.arena, at, &f.names, VALUE_ANY, &err));
    fixture_close(&f);
}
END_TEST

START_TEST(a_full_arena_makes_computed_lists_undefined)
{
    struct arena *tiny = arena_new(40);
    struct error err = { 0 };
    struct fixture f;
    const struct expression *expr;

    fixture_open(&f);
    f.env.arena = tiny;
    expr = fixture_compile(&f, "size(range(ep))", VALUE_INT, &err);
    ck_assert_ptr_nonnull(expr);
    check_value(&f, expr, "undefined");
    expr = fixture_compile(&f, "string(ep) == '4'", VALUE_BOOL, &err);
    check_value(&f, expr, "true");
    f.env.arena = NULL;
    check_value(&f, expr, "undefined");
    expr = fixture_compile(&f, "ep % tp", VALUE_INT, &err);
    check_value(&f, expr, "1");
    arena_free(tiny);
    fixture_close(&f);
}
END_TEST

/* ---- properties --------------------------------------------------------- */

/* A random expression of integers, and what it is in 128 bits: known is false
 * where the language says undefined. */
struct reference {
    __int128 value;
    bool known;
};

static bool fits(__int128 v)
{
    return v >= INT64_MIN && v <= INT64_MAX;
}

static struct reference combine(char op, struct reference a, struct reference b)
{
    struct reference r = { 0, a.known && b.known };

    if (!r.known || ((op == '/' || op == '%') && b.value == 0))
        return (struct reference){ 0, false };
    if (op == '+')
        r.value = a.value + b.value;
    if (op == '-')
        r.value = a.value - b.value;
    if (op == '*')
        r.value = a.value * b.value;
    if (op == '/') {
        r.value = a.value / b.value;
        r.known = r.value * b.value == a.value;
    }
    if (op == '%') {
        r.value = a.value % b.value;
        if (r.value != 0 && (r.value < 0) != (b.value < 0))
            r.value += b.value;
    }
    r.known = r.known && fits(r.value);
    return r;
}

static struct reference random_int(struct text *out, int depth)
{
    static const char *const names[] = { "ep",    "tp",   "stage", "zero",
                                         "least", "most", "bad" };
    static const int64_t values[] = { 4, 3, 8, 0, INT64_MIN, INT64_MAX, 0 };
    static const int64_t numbers[] = { 1,          2,          7,
                                       4294967295, 4294967296, INT64_MAX };
    struct reference a, b;
    char op;
    size_t i;

    if (depth == 0 || rand() % 5 == 0) {
        if (rand() % 2 == 0) {
            i = (size_t)rand() % ARRAY_LEN(numbers);
            text_printf(out, "%" PRId64, numbers[i]);
            return (struct reference){ numbers[i], true };
        }
        i = (size_t)rand() % ARRAY_LEN(names);
        text_put(out, names[i]);
        return (struct reference){ values[i], i + 1 < ARRAY_LEN(names) };
    }
    op = "+-*/%"[rand() % 5];
    text_put(out, "(");
    a = random_int(out, depth - 1);
    text_printf(out, " %c ", op);
    b = random_int(out, depth - 1);
    text_put(out, ")");
    return combine(op, a, b);
}

START_TEST(integer_arithmetic_equals_a_reference_in_128_bits)
{
    srand(1);
    for (int round = 0; round < 3000; round++) {
        struct text source = { 0 };
        struct error err = { 0 };
        struct reference expected = random_int(&source, 1 + round % 5);
        const struct expression *expr;
        struct fixture f;
        struct value v;
        int64_t n = 0;

        fixture_open(&f);
        expr = fixture_compile(&f, text_string(&source), VALUE_INT, &err);
        ck_assert_msg(expr != NULL, "%s", err.text);
        v = expression_eval(expr, &f.env);
        ck_assert_msg(value_to_int(v, &n) == expected.known &&
                          (!expected.known || n == (int64_t)expected.value),
                      "%s", text_string(&source));
        ck_assert(expected.known || v.state == VALUE_UNDEFINED);
        text_close(&source);
        fixture_close(&f);
    }
}
END_TEST

static void ignore_need(void *arg, int slot, const char *path)
{
    (void)slot;
    ck_assert_ptr_nonnull(path);
    ++*(int *)arg;
}

/* Compiles, evaluates and explains whatever compiles. */
static void exercise(struct fixture *f, const char *source)
{
    struct error err = { 0 };
    struct text out = { 0 };
    const struct expression *expr = fixture_compile(f, source, VALUE_ANY, &err);
    int n = 0;

    if (expr == NULL) {
        ck_assert_int_ne(err.status, STATUS_OK);
        ck_assert_str_ne(err.text, "");
        return;
    }
    value_print(expression_eval(expr, &f->env), &out);
    expression_explain(expr, &f->env, &out, NULL, NULL);
    expression_explain_undefined(expr, &f->env, &out);
    expression_needs(expr, &f->env, ignore_need, &n);
    if (expression_eval(expr, &f->env).state == VALUE_UNKNOWN)
        ck_assert_msg(n > 0, "%s needs nothing", source);
    text_close(&out);
}

START_TEST(words_in_any_order_are_compiled_or_refused)
{
    static const char *const words[] = {
        "ep",      "heads",      "some",    "trainers", "p",  "placed", "what",
        "whether", "bad",        "name",    "any",      "1",  "2.5",    "'a'",
        "true",    "[",          "]",       "(",        ")",  "(",      ")",
        ",",       ".",          "?",       ":",        "!",  "-",      "+",
        "*",       "/",          "%",       "==",       "<",  "&&",     "||",
        "in",      ".exists(x,", ".map(y,", "x",        "y",  "max(",   "size(",
        "has(",    ".cfg",       "[0]",     "[what]",   "\n",
    };

    srand(2);
    for (int round = 0; round < 20000; round++) {
        struct text source = { 0 };
        struct fixture f;

        for (int n = 1 + rand() % 12; n > 0; n--) {
            text_put(&source, words[(size_t)rand() % ARRAY_LEN(words)]);
            text_put(&source, " ");
        }
        fixture_open(&f);
        exercise(&f, text_string(&source));
        fixture_close(&f);
        text_close(&source);
    }
}
END_TEST

START_TEST(a_changed_byte_is_compiled_or_refused)
{
    srand(3);
    for (int round = 0; round < 20000; round++) {
        /* the last two take long on purpose */
        size_t row = (size_t)rand() % (ARRAY_LEN(computed) - 2);
        size_t len = strlen(computed[row].source);
        char source[128];
        struct fixture f;

        ck_assert_uint_lt(len, sizeof(source));
        memcpy(source, computed[row].source, len + 1);
        source[(size_t)rand() % len] = (char)(1 + rand() % 255);
        fixture_open(&f);
        exercise(&f, source);
        fixture_close(&f);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("expression");
    TCase *tcase = tcase_create("evaluation");

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, expressions_compute_what_the_table_says, 0,
                        ARRAY_LEN(computed));
    tcase_add_loop_test(tcase, the_type_of_a_result_is_known_before, 0,
                        ARRAY_LEN(shapes));
    tcase_add_test(tcase, an_expression_knows_its_source_and_each_slot_once);
    tcase_add_test(tcase, a_scalar_that_is_not_a_string_stands_for_itself);
    tcase_add_test(tcase, a_full_arena_makes_computed_lists_undefined);
    tcase_add_test(tcase, integer_arithmetic_equals_a_reference_in_128_bits);
    tcase_add_test(tcase, words_in_any_order_are_compiled_or_refused);
    tcase_add_test(tcase, a_changed_byte_is_compiled_or_refused);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
