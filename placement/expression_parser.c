/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of expressions: tokens in, nodes out, in one pass. */
#include "placement/expression_compiler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool at_sign(const struct compiler *c, char sign)
{
    return c->token.type == TOKEN_SIGN && c->source[c->token.start] == sign;
}

/* An error at the token being looked at, which is not what should be there. */
static int unexpected(struct compiler *c, const char *expected)
{
    int len = c->token.end - c->token.start;

    if (c->token.type == TOKEN_END)
        return compiler_error(c, c->token.start,
                              "the expression ends too early; expected %s",
                              expected);
    return compiler_error(c, c->token.start, "unexpected \"%.*s\"; expected %s",
                          len < 40 ? len : 40, c->source + c->token.start,
                          expected);
}

static int expect_sign(struct compiler *c, char sign, const char *expected)
{
    return at_sign(c, sign) ? lexer_next(c) : unexpected(c, expected);
}

/* Copies the name being looked at and steps over it; NULL with err filled. */
static const char *take_name(struct compiler *c, const char *expected)
{
    uint16_t start = c->token.start, len = (uint16_t)(c->token.end - start);
    const char *name;

    if (c->token.type != TOKEN_NAME) {
        unexpected(c, expected);
        return NULL;
    }
    name = arena_strndup(c->arena, c->source + start, len);
    if (name == NULL)
        error_exhausted(c->err);
    return name != NULL && lexer_next(c) == 0 ? name : NULL;
}

/* One level of brackets or prefixes deeper. */
static int nest(struct compiler *c)
{
    if (c->nesting > EXPRESSION_DEPTH_MAX)
        return compiler_error(c, c->token.start,
                              "nested deeper than %d; give a part of it a name "
                              "of its own",
                              EXPRESSION_DEPTH_MAX);
    c->nesting++;
    return 0;
}

/* ---- literals ----------------------------------------------------------- */

static int parse_int(struct compiler *c)
{
    uint16_t start = c->token.start;
    int64_t n = 0;

    for (uint16_t i = start; i < c->token.end; i++)
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, c->source[i] - '0', &n))
            return compiler_error(c, start,
                                  "the number is too large; the largest "
                                  "integer is 9223372036854775807");
    if (lexer_next(c) < 0)
        return -1;
    return make_literal(c, value_int(n), start);
}

static int parse_double(struct compiler *c)
{
    uint16_t start = c->token.start;
    double number = strtod(c->source + start, NULL);

    if (!isfinite(number))
        return compiler_error(c, start,
                              "the number is too large; the largest is about "
                              "1.8e308");
    if (lexer_next(c) < 0)
        return -1;
    return make_literal(c, value_double(number), start);
}

/* The character that a backslash and c stand for; 0: none. */
static char escaped(char c)
{
    if (c == 'n')
        return '\n';
    if (c == 't')
        return '\t';
    return c == '\\' || c == '"' || c == '\'' ? c : '\0';
}

static int parse_string(struct compiler *c)
{
    uint16_t start = c->token.start, end = (uint16_t)(c->token.end - 1);
    char *text = arena_alloc(c->arena, (size_t)(end - start));
    uint32_t len = 0;

    if (text == NULL)
        return error_exhausted(c->err);
    for (uint16_t i = (uint16_t)(start + 1); i < end; i++) {
        text[len] = c->source[i];
        if (text[len] == '\\')
            text[len] = escaped(c->source[++i]);
        if (text[len++] == '\0')
            return compiler_error(c, (uint16_t)(i - 1),
                                  "unknown escape; a backslash goes before "
                                  "n, t, a quote or a backslash");
    }
    if (lexer_next(c) < 0)
        return -1;
    return make_literal(c, value_string(text), start);
}

/* ---- calls -------------------------------------------------------------- */

/* What stands in brackets or parentheses: items up to the closing sign. */
struct arguments {
    int first, last; /* nodes, linked; -1: none */
    unsigned count;
};

static void add_argument(struct compiler *c, struct arguments *args, int node)
{
    if (args->last >= 0)
        c->nodes[args->last].next = (uint16_t)node;
    else
        args->first = node;
    args->last = node;
    args->count++;
}

/* `a, b, c)`: the opening sign is behind, the closing one is stepped over. */
static int parse_arguments(struct compiler *c, char close,
                           struct arguments *args)
{
    char expected[] = "\",\" or \")\"";

    expected[8] = close;
    if (at_sign(c, close)) /* none, or none but the receiver */
        return lexer_next(c);
    for (;;) {
        int node = parse_expression(c);

        if (node < 0)
            return -1;
        add_argument(c, args, node);
        if (at_sign(c, close))
            return lexer_next(c);
        if (expect_sign(c, ',', expected) < 0)
            return -1;
    }
}

/* `x, body)` of list.all(x, body). */
static int parse_macro(struct compiler *c, const char *macro, int list,
                       uint16_t start)
{
    uint16_t name_start = c->token.start;
    const char *name = take_name(c, "a variable for the items, as in "
                                    "list.exists(x, x > 1)");
    int body;

    if (name == NULL ||
        expect_sign(c, ',', "\",\" and what holds for the variable") < 0 ||
        bind_local(c, macro, name, list, name_start) < 0)
        return -1;
    body = parse_expression(c);
    unbind_local(c);
    if (body < 0 || expect_sign(c, ')', "\")\"") < 0)
        return -1;
    return make_macro(c, (enum node_op)macro_named(macro), list, body, start);
}

/* has(path) and lists("name"), whose argument is not a value. */
static int parse_special(struct compiler *c, bool has, uint16_t start)
{
    int node = parse_expression(c);

    if (node < 0 || expect_sign(c, ')', "\")\"") < 0)
        return -1;
    return has ? make_has(c, node, start) : make_group_lists(c, node, start);
}

static int unknown_function(struct compiler *c, const char *name,
                            uint16_t start)
{
    const char *names[40] = {
        "has", "lists", "all", "exists", "map", "filter"
    };
    size_t n = 6 + function_names(names + 6, ARRAY_LEN(names) - 6);
    const char *nearest = text_nearest(name, names, n);

    return compiler_error(c, start, "unknown function \"%.64s\"%s%s%s", name,
                          nearest != NULL ? "; the nearest is \"" : "",
                          nearest != NULL ? nearest : "",
                          nearest != NULL ? "\"" : "");
}

/* A call whose opening parenthesis is being looked at; receiver: the x of
 * x.name(...), or -1. start: of the whole; name_start: of the name. */
static int parse_call(struct compiler *c, const char *name, int receiver,
                      uint16_t start, uint16_t name_start)
{
    struct arguments args = { .first = -1, .last = -1 };
    bool special = strcmp(name, "has") == 0 || strcmp(name, "lists") == 0;
    int function = function_find(name);

    if (special && receiver >= 0)
        return compiler_error(c, name_start, "\"%s\" is called as %s(...)",
                              name, name);
    if (macro_named(name) >= 0 && receiver < 0)
        return compiler_error(
            c, name_start, "\"%s\" is called as list.%s(x, ...)", name, name);
    if (!special && macro_named(name) < 0 && function < 0)
        return unknown_function(c, name, name_start);
    if (lexer_next(c) < 0)
        return -1;
    if (special)
        return parse_special(c, strcmp(name, "has") == 0, start);
    if (macro_named(name) >= 0)
        return parse_macro(c, name, receiver, start);
    if (receiver >= 0)
        add_argument(c, &args, receiver);
    if (parse_arguments(c, ')', &args) < 0)
        return -1;
    return make_call(c, function, args.first, args.count, start);
}

/* ---- operands ----------------------------------------------------------- */

static int parse_name(struct compiler *c)
{
    uint16_t start = c->token.start;
    const char *name = take_name(c, "a name");

    if (name == NULL)
        return -1;
    if (at_sign(c, '('))
        return parse_call(c, name, -1, start, start);
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
        return make_literal(c, value_bool(*name == 't'), start);
    return make_name(c, name, start);
}

static int parse_parenthesis(struct compiler *c)
{
    int node;

    if (lexer_next(c) < 0)
        return -1;
    node = parse_expression(c);
    if (node < 0 || expect_sign(c, ')', "an operator or \")\"") < 0)
        return -1;
    return node;
}

static int parse_list(struct compiler *c)
{
    struct arguments args = { .first = -1, .last = -1 };
    uint16_t start = c->token.start;

    if (lexer_next(c) < 0 || parse_arguments(c, ']', &args) < 0)
        return -1;
    return make_items(c, args.first, args.count, start);
}

static int parse_primary(struct compiler *c)
{
    switch (c->token.type) {
    case TOKEN_INT:
        return parse_int(c);
    case TOKEN_DOUBLE:
        return parse_double(c);
    case TOKEN_STRING:
        return parse_string(c);
    case TOKEN_NAME:
        return parse_name(c);
    case TOKEN_SIGN:
        if (at_sign(c, '('))
            return parse_parenthesis(c);
        if (at_sign(c, '['))
            return parse_list(c);
        break;
    case TOKEN_END:
    case TOKEN_OPERATOR:
        break;
    }
    return unexpected(c, "a name, a number, a string, \"[\" or \"(\"");
}

/* `.name`, `.name(...)` or `[key]` behind node. */
static int parse_suffix(struct compiler *c, int node, uint16_t start)
{
    bool index = at_sign(c, '[');
    const char *name;
    uint16_t name_start;
    int key;

    if (lexer_next(c) < 0)
        return -1;
    if (index) {
        key = parse_expression(c);
        if (key < 0 || expect_sign(c, ']', "\"]\"") < 0)
            return -1;
        return make_index(c, node, key, start);
    }
    name_start = c->token.start;
    name = take_name(c, "the name of a member");
    if (name == NULL)
        return -1;
    if (at_sign(c, '('))
        return parse_call(c, name, node, start, name_start);
    return make_member(c, node, name, start);
}

static int parse_unary(struct compiler *c)
{
    uint16_t start = c->token.start;
    bool not = at_sign(c, '!');
    int node;

    if (not ||
        (c->token.type == TOKEN_OPERATOR && c->token.row->op == NODE_SUB)) {
        if (nest(c) < 0 || lexer_next(c) < 0)
            return -1;
        node = parse_unary(c);
        c->nesting--;
        if (node < 0)
            return -1;
        return make_unary(c, not ? NODE_NOT : NODE_NEGATE, node, start);
    }
    node = parse_primary(c);
    while (node >= 0 && (at_sign(c, '.') || at_sign(c, '[')))
        node = parse_suffix(c, node, start);
    return node;
}

/* Operators that bind at least so strongly; equals from left to right. */
static int parse_binary(struct compiler *c, int binds)
{
    uint16_t start = c->token.start;
    int left = parse_unary(c);

    while (left >= 0 && c->token.type == TOKEN_OPERATOR &&
           c->token.row->binds >= binds) {
        const struct operator_row *row = c->token.row;
        int right;

        if (lexer_next(c) < 0)
            return -1;
        right = parse_binary(c, row->binds + 1);
        left = right < 0 ? -1 : make_binary(c, row, left, right, start);
    }
    return left;
}

int parse_expression(struct compiler *c)
{
    uint16_t start = c->token.start;
    int cond, yes, no;

    if (nest(c) < 0)
        return -1;
    cond = parse_binary(c, 1);
    if (cond >= 0 && at_sign(c, '?')) {
        if (lexer_next(c) < 0 || (yes = parse_expression(c)) < 0 ||
            expect_sign(c, ':', "\":\" and the value otherwise") < 0 ||
            (no = parse_expression(c)) < 0)
            return -1;
        cond = make_cond(c, cond, yes, no, start);
    }
    c->nesting--;
    return cond;
}
