/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, numbers and words of TOML. */
#include "proto/document_toml.h"

#include <ctype.h>
#include <string.h>

#include "proto/document_scalar.h"

enum { WORD_MAX = 128 }; /* bytes of a number, boolean or date */

/* ---- strings ------------------------------------------------------------- */

static void put_character(struct text *out, unsigned long c)
{
    char bytes[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    if (n == 1) {
        bytes[0] = (char)c;
    } else {
        for (size_t i = n - 1; i > 0; i--, c >>= 6)
            bytes[i] = (char)(0x80 | (c & 0x3f));
        bytes[0] = (char)((0xf00 >> n & 0xff) | c);
    }
    text_put_bytes(out, bytes, n);
}

/* \uXXXX or \UXXXXXXXX, behind the letter. */
static int read_code(struct toml *t, int digits, struct text *out)
{
    unsigned long c = 0;

    for (int i = 0; i < digits; i++, t->p++) {
        int d = t->p < t->end ? tolower((unsigned char)*t->p) : 0;

        if (!isxdigit(d))
            return toml_error(t, "expected %d hexadecimal digits", digits);
        c = c * 16 + (unsigned long)(isdigit(d) ? d - '0' : d - 'a' + 10);
    }
    if (c == 0)
        return toml_error(t, "a NUL in a string; leave it out");
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return toml_error(t, "no character has this number");
    put_character(out, c);
    return 0;
}

/* Behind a backslash at the end of a line: the spaces up to the next word. */
static bool skip_fold(struct toml *t)
{
    const char *p = t->p + strspn(t->p, " \t\r");

    if (p >= t->end || *p != '\n')
        return false;
    t->p = p + strspn(p, " \t\r\n");
    return true;
}

static int read_escape(struct toml *t, bool folds, struct text *out)
{
    static const char letters[] = "btnfre\"\\", means[] = "\b\t\n\f\r\033\"\\";
    const char *at;

    if (folds && skip_fold(t))
        return 0;
    if (t->p >= t->end)
        return toml_error(t, "a string ends too early; close its quotes");
    if (*t->p == 'u' || *t->p == 'U') {
        t->p++;
        return read_code(t, t->p[-1] == 'u' ? 4 : 8, out);
    }
    at = strchr(letters, *t->p);
    if (at == NULL)
        return toml_error(t, "\\%s is no escape; write \\\\ for a backslash",
                          excerpt_of(t->p, 1).text);
    text_put_bytes(out, &means[at - letters], 1);
    t->p++;
    return 0;
}

/* Behind the opening quotes, up to the closing ones. */
static int read_quoted(struct toml *t, const char *quotes, struct text *out)
{
    bool literal = quotes[0] == '\'', lines = quotes[1] != '\0';

    while (t->p < t->end) {
        char c = *t->p;

        if (toml_is(t, quotes)) {
            /* up to two more quotes belong to the text */
            for (int i = 0; lines && i < 2 && toml_is(t, quotes) &&
                            t->end - t->p > 3 && t->p[3] == c;
                 i++, t->p++)
                text_put_bytes(out, &c, 1);
            t->p += strlen(quotes);
            return out->failed ? error_exhausted(t->err) : 0;
        }
        if (c == '\n' && !lines)
            break;
        t->p++;
        if (c == '\\' && !literal) {
            if (read_escape(t, lines, out) < 0)
                return -1;
        } else if (c != '\r' || t->p >= t->end || *t->p != '\n') {
            text_put_bytes(out, &c, 1);
        }
    }
    return toml_error(t, "a string ends too early; close its quotes");
}

int toml_string(struct toml *t, bool one_line, struct text *out)
{
    static const char *const all[] = { "\"\"\"", "'''", "\"", "'" };

    for (size_t i = one_line ? 2 : 0; i < ARRAY_LEN(all); i++) {
        if (!toml_is(t, all[i]))
            continue;
        t->p += strlen(all[i]);
        if (i < 2 && toml_is(t, "\r\n"))
            t->p++;
        if (i < 2 && toml_is(t, "\n"))
            t->p++;
        return read_quoted(t, all[i], out);
    }
    return toml_error(t, "expected a string");
}

/* ---- numbers, booleans, dates -------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || strchr("+-._:", c) != NULL;
}

/* 1979-05-27T07:32:00Z and its parts. */
static bool is_date(const char *word)
{
    size_t n = strspn(word, "0123456789");

    return (n == 4 && word[4] == '-' && strlen(word) >= 10) ||
           (n == 2 && word[2] == ':' && strlen(word) >= 5);
}

/* Takes the _ out, which stand between digits; false: one does not. */
static bool join_digits(char *word)
{
    char *to = word;

    for (const char *from = word; *from != '\0'; from++) {
        if (*from != '_') {
            *to++ = *from;
            continue;
        }
        if (from == word || !isxdigit((unsigned char)from[-1]) ||
            !isxdigit((unsigned char)from[1]))
            return false;
    }
    *to = '\0';
    return true;
}

/* 0b101, which the scalars of YAML do not have. NULL, or what is wrong. */
static const char *read_binary(const char *digits, struct scalar *ret)
{
    uint64_t value = 0;
    size_t n = strspn(digits, "01");

    if (n == 0 || digits[n] != '\0')
        return "expected a number";
    if (n > 63)
        return "integer beyond 64 bits";
    for (; *digits != '\0'; digits++)
        value = value << 1 | (uint64_t)(*digits - '0');
    ret->type = TREE_INT;
    ret->u.integer = (int64_t)value;
    return NULL;
}

/* No leading zeros, and digits on both sides of a point. */
static bool is_number(const char *word)
{
    const char *digits = word + (*word == '+' || *word == '-');
    size_t n = strspn(digits, "0123456789");
    const char *point = strchr(digits, '.');

    if (n == 0 || (n > 1 && digits[0] == '0'))
        return false;
    return point == NULL || isdigit((unsigned char)point[1]);
}

static const char *resolve(char *word, struct scalar *ret)
{
    static const char unquoted[] =
        "expected a value; strings stand in quotes in TOML";
    const char *number = word + (*word == '+' || *word == '-');

    if (strcmp(number, "inf") == 0 || strcmp(number, "nan") == 0)
        return "infinity and NaN are not taken";
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return scalar_resolve(word, ret);
    if (!join_digits(word))
        return unquoted;
    if (strncmp(word, "0b", 2) == 0)
        return read_binary(word + 2, ret);
    if (strncmp(word, "0x", 2) != 0 && strncmp(word, "0o", 2) != 0 &&
        !is_number(word))
        return unquoted;
    ret->type = TREE_STRING;
    return scalar_resolve(word, ret) != NULL ? "number too large"
           : ret->type == TREE_STRING        ? unquoted
                                             : NULL;
}

static void take(const struct scalar *scalar, struct tree *ret)
{
    ret->type = scalar->type;
    if (scalar->type == TREE_BOOL)
        ret->u.boolean = scalar->u.boolean;
    else if (scalar->type == TREE_INT)
        ret->u.integer = scalar->u.integer;
    else if (scalar->type == TREE_DOUBLE)
        ret->u.number = scalar->u.number;
}

int toml_scalar(struct toml *t, struct tree *ret)
{
    char word[WORD_MAX];
    struct scalar scalar = { .type = TREE_STRING };
    const char *begin = t->p, *problem;
    size_t n = 0;

    while (begin + n < t->end && n < sizeof(word) - 1 && is_word(begin[n]))
        n++;
    memcpy(word, begin, n);
    word[n] = '\0';
    if (n == sizeof(word) - 1)
        return toml_error(t, "a value of more than %d characters", WORD_MAX);
    ret->text = arena_strndup(t->arena, begin, n);
    ret->len = n;
    if (ret->text == NULL)
        return error_exhausted(t->err);
    problem = is_date(word) ? NULL : resolve(word, &scalar);
    if (problem != NULL)
        return toml_error(t, "%s", problem);
    take(&scalar, ret);
    t->p += n;
    return 0;
}
