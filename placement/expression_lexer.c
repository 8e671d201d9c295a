/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the source of an expression into tokens. */
#include "placement/expression_compiler.h"

#include <string.h>

/* Own classes: the C library's follow the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           is_digit(c);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_digits(const char *p)
{
    while (is_digit(*p))
        p++;
    return p;
}

/* Operator that the text starts with, words apart. */
static const struct operator_row *operator_in(const char *p)
{
    for (int op = NODE_OR; op <= NODE_MOD; op++) {
        const struct operator_row *row = operator_at((enum node_op)op);

        if (!is_word(row->spelling[0]) &&
            strncmp(p, row->spelling, strlen(row->spelling)) == 0)
            return row;
    }
    return NULL;
}

/* ---- one function for each kind of token: returns its end, or NULL ------- */

static const char *lex_number(struct compiler *c, const char *start)
{
    const char *p = skip_digits(start);

    c->token.type = TOKEN_INT;
    if (*p == '.' && is_digit(p[1])) {
        c->token.type = TOKEN_DOUBLE;
        p = skip_digits(p + 1);
    }
    if (*p == 'e' || *p == 'E') {
        const char *digits = p + 1 + (p[1] == '+' || p[1] == '-');

        c->token.type = TOKEN_DOUBLE;
        p = is_digit(*digits) ? skip_digits(digits) : p;
    }
    if (!is_word(*p))
        return p;
    while (is_word(*p))
        p++;
    compiler_error(c, c->token.start,
                   "\"%.*s\" is not a number; write one as 12, 2.5 or 1e9",
                   (int)(p - start), start);
    return NULL;
}

static const char *lex_word(struct compiler *c, const char *start)
{
    const char *p = start;

    while (is_word(*p))
        p++;
    c->token.type = TOKEN_NAME;
    if (p - start == 2 && memcmp(start, "in", 2) == 0) {
        c->token.type = TOKEN_OPERATOR;
        c->token.row = operator_at(NODE_IN);
    }
    return p;
}

static const char *lex_string(struct compiler *c, const char *start)
{
    const char *p = start + 1;

    c->token.type = TOKEN_STRING;
    while (*p != *start) {
        if (*p == '\\' && p[1] != '\0')
            p++;
        if (*p == '\0' || *p == '\n') {
            compiler_error(c, c->token.start,
                           "the string is not closed; %c is missing at its end",
                           *start);
            return NULL;
        }
        p++;
    }
    return p + 1;
}

/* Bytes of the character that starts here. */
static int character_length(const char *p)
{
    int n = 1;

    while ((p[n] & 0xc0) == 0x80)
        n++;
    return n;
}

static const char *lex_sign(struct compiler *c, const char *start)
{
    static const struct {
        char character;
        const char *instead;
    } hints[] = {
        { '=', "; equality is ==" },
        { '&', "; a conjunction is &&" },
        { '|', "; a disjunction is ||" },
        { '^', "; a power is pow(a, b)" },
        { '{', "; maps are declared under tables" },
    };
    const char *hint = "";

    c->token.row = operator_in(start);
    if (c->token.row != NULL) {
        c->token.type = TOKEN_OPERATOR;
        return start + strlen(c->token.row->spelling);
    }
    if (strchr("()[],.?:!", *start) != NULL) {
        c->token.type = TOKEN_SIGN;
        return start + 1;
    }
    for (size_t i = 0; i < ARRAY_LEN(hints); i++)
        if (hints[i].character == *start)
            hint = hints[i].instead;
    if ((unsigned char)*start < ' ' || *start == 0x7f)
        compiler_error(c, c->token.start,
                       "control character 0x%02x; use spaces", *start);
    else
        compiler_error(c, c->token.start, "unexpected character \"%.*s\"%s",
                       character_length(start), start, hint);
    return NULL;
}

int lexer_next(struct compiler *c)
{
    const char *start = c->source + c->token.end, *end;

    c->last_end = c->token.end;
    while (is_space(*start))
        start++;
    c->token = (struct token){ .start = (uint16_t)(start - c->source) };
    if (*start == '\0')
        end = start;
    else if (is_digit(*start))
        end = lex_number(c, start);
    else if (is_word(*start))
        end = lex_word(c, start);
    else if (*start == '"' || *start == '\'')
        end = lex_string(c, start);
    else
        end = lex_sign(c, start);
    if (end == NULL)
        return -1;
    c->token.end = (uint16_t)(end - c->source);
    return 0;
}

unsigned lexer_count(const char *source)
{
    unsigned n = 0;

    /* Every node has a word, a number, a string or a sign of its own. */
    for (const char *p = source; *p != '\0'; p++)
        n += is_word(*p) ? !is_word(p[1]) : !is_space(*p) && *p != ')';
    return n;
}
