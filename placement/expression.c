/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles expressions of the runtime language, and says what they are. */
#include "placement/expression.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "placement/expression_compiler.h"

/* Line and column of a byte of the scalar: its lines all start where the
 * first does, and a column is a character. */
static void place_of(const struct tree *at, size_t offset, uint32_t *ret_line,
                     uint32_t *ret_column)
{
    *ret_line = at->line;
    *ret_column = at->column;
    for (size_t i = 0; i < offset; i++) {
        if (at->text[i] == '\n') {
            ++*ret_line;
            *ret_column = at->column;
        } else if ((at->text[i] & 0xc0) != 0x80) {
            ++*ret_column;
        }
    }
}

int compiler_error(struct compiler *c, uint16_t offset, const char *fmt, ...)
{
    char what[sizeof(c->err->text)];
    uint32_t line, column;
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    place_of(c->at, c->trimmed + offset, &line, &column);
    if (c->at->line == 0) /* a place within the scalar is all there is */
        return tree_error(c->at, c->err, STATUS_INVALID, "character %d: %s",
                          offset + 1, what);
    return tree_error_at(c->at, line, column, c->err, STATUS_INVALID, "%s",
                         what);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Takes the source from the scalar, without the space around it. */
static int take_source(struct compiler *c)
{
    const char *text = c->at->text, *end;

    if (text == NULL || c->at->type == TREE_LIST || c->at->type == TREE_MAP ||
        c->at->type == TREE_NULL)
        return tree_error(c->at, c->err, STATUS_INVALID,
                          "needs an expression, this is %s",
                          tree_type_name(c->at->type));
    if (!text_is_utf8(text, c->at->len))
        return tree_error(c->at, c->err, STATUS_INVALID,
                          "the expression is not UTF-8 text");
    end = text + c->at->len;
    while (text < end && is_space(*text))
        text++;
    while (text < end && is_space(end[-1]))
        end--;
    if (text == end)
        return tree_error(c->at, c->err, STATUS_INVALID,
                          "the expression is empty");
    if (end - text > EXPRESSION_SOURCE_MAX)
        return tree_error(c->at, c->err, STATUS_INVALID,
                          "the expression has %zu bytes, at most %d may be "
                          "compiled",
                          (size_t)(end - text), EXPRESSION_SOURCE_MAX);
    c->trimmed = (size_t)(text - c->at->text);
    c->len = (uint16_t)(end - text);
    c->source = arena_strndup(c->arena, text, c->len);
    return c->source != NULL ? 0 : error_exhausted(c->err);
}

static int make_room(struct compiler *c)
{
    c->max_nodes = lexer_count(c->source);
    if (c->max_nodes > EXPRESSION_NODES_MAX)
        c->max_nodes = EXPRESSION_NODES_MAX;
    c->nodes = arena_array(c->arena, c->max_nodes, sizeof(*c->nodes));
    c->spans = arena_array(c->arena, c->max_nodes, sizeof(*c->spans));
    c->notes = arena_array(c->arena, c->max_nodes, sizeof(*c->notes));
    if (c->nodes == NULL || c->spans == NULL || c->notes == NULL)
        return error_exhausted(c->err);
    return 0;
}

/* A number or a boolean stands for itself, however the document spells it. */
static int compile_scalar(struct compiler *c)
{
    struct value v = value_of_tree(c->at, NULL);

    if (v.state != VALUE_KNOWN)
        return tree_error(c->at, c->err, STATUS_INVALID,
                          "\"%s\" is not a finite number", c->source);
    c->last_end = c->len;
    return make_literal(c, v, 0);
}

static const char *stray_hint(const struct compiler *c)
{
    static const char *const rows[][2] = {
        { "and", "; a conjunction is &&" },
        { "or", "; a disjunction is ||" },
        { "not", "; \"is not in\" is !(a in b)" },
        { "is", "; equality is ==" },
        { "if", "; a choice is condition ? a : b" },
    };
    const char *start = c->source + c->token.start;
    size_t len = (size_t)(c->token.end - c->token.start);

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strlen(rows[i][0]) == len && memcmp(start, rows[i][0], len) == 0)
            return rows[i][1];
    return "; expected an operator or the end";
}

static int compile_source(struct compiler *c)
{
    int top;

    if (lexer_next(c) < 0)
        return -1;
    top = parse_expression(c);
    if (top >= 0 && c->token.type != TOKEN_END)
        return compiler_error(c, c->token.start, "unexpected \"%.*s\"%s",
                              c->token.end - c->token.start,
                              c->source + c->token.start, stray_hint(c));
    return top;
}

static int check_result(struct compiler *c, int top, unsigned want)
{
    struct text wanted = { 0 }, given = { 0 };
    unsigned types = c->notes[top].shape.types;

    if ((types & want) != 0)
        return 0;
    value_types_print(want, &wanted);
    value_types_print(types, &given);
    compiler_error(c, 0, "the result is of type %s, expected %s",
                   text_string(&given), text_string(&wanted));
    text_close(&wanted);
    text_close(&given);
    return -1;
}

const struct expression *expression_compile(struct arena *arena,
                                            const struct tree *at,
                                            const struct name_space *names,
                                            unsigned want, struct error *err)
{
    struct compiler c = {
        .arena = arena, .at = at, .names = names, .err = err
    };
    struct expression *expr = arena_alloc(arena, sizeof(*expr));
    int top;

    if (expr == NULL) {
        error_exhausted(err);
        return NULL;
    }
    if (take_source(&c) < 0 || make_room(&c) < 0)
        return NULL;
    top = at->type == TREE_STRING ? compile_source(&c) : compile_scalar(&c);
    if (top < 0 || check_result(&c, top, want) < 0)
        return NULL;
    *expr = (struct expression){ .at = at,
                                 .source = c.source,
                                 .shape = c.notes[top].shape,
                                 .n_nodes = (uint16_t)c.n_nodes,
                                 .nodes = c.nodes,
                                 .spans = c.spans };
    return expr;
}

struct shape expression_shape(const struct expression *expr)
{
    return expr->shape;
}

const char *expression_source(const struct expression *expr)
{
    return expr->source;
}

const struct tree *expression_tree(const struct expression *expr)
{
    return expr->at;
}

bool expression_allocates(const struct expression *expr)
{
    const unsigned ops = 1u << NODE_MEMBER | 1u << NODE_INDEX |
                         1u << NODE_ITEMS | 1u << NODE_LISTS | 1u << NODE_CALL |
                         1u << NODE_MAP;

    for (int i = 0; i < expr->n_nodes; i++)
        if ((ops >> expr->nodes[i].op & 1) != 0)
            return true;
    return false;
}

int expression_slot(const struct expression *expr)
{
    const struct node *top = &expr->nodes[expr->n_nodes - 1];

    return top->op == NODE_SLOT ? top->number : -1;
}

static bool slot_seen(const struct expression *expr, int before, int slot)
{
    for (int i = 0; i < before; i++)
        if (expr->nodes[i].op == NODE_SLOT && expr->nodes[i].number == slot)
            return true;
    return false;
}

void expression_slots(const struct expression *expr,
                      void (*found)(void *arg, int slot), void *arg)
{
    for (int i = 0; i < expr->n_nodes; i++)
        if (expr->nodes[i].op == NODE_SLOT &&
            !slot_seen(expr, i, expr->nodes[i].number))
            found(arg, expr->nodes[i].number);
}
