/* SPDX-License-Identifier: Apache-2.0 */
/* What a plain scalar of YAML 1.2's core schema stands for. */
#include "proto/document_scalar.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECIMAL "0123456789"
#define OCTAL "01234567"
#define HEXADECIMAL "0123456789abcdefABCDEF"

static const char too_wide[] =
    "integer beyond 64 bits; write one from -9223372036854775808 to "
    "9223372036854775807, or quote it to make it a string";
static const char too_large[] =
    "number too large for a double; write a smaller one, or quote it";
static const char not_finite[] =
    "infinity and NaN are not taken; write a number, or quote it";

/* The words that are not strings. */
/* clang-format off */
static const struct {
    const char *text;
    struct scalar scalar;
    const char *problem;
} words[] = {
    { "null",  { .type = TREE_NULL }, NULL },
    { "Null",  { .type = TREE_NULL }, NULL },
    { "NULL",  { .type = TREE_NULL }, NULL },
    { "~",     { .type = TREE_NULL }, NULL },
    { "true",  { .type = TREE_BOOL, .u.boolean = true }, NULL },
    { "True",  { .type = TREE_BOOL, .u.boolean = true }, NULL },
    { "TRUE",  { .type = TREE_BOOL, .u.boolean = true }, NULL },
    { "false", { .type = TREE_BOOL, .u.boolean = false }, NULL },
    { "False", { .type = TREE_BOOL, .u.boolean = false }, NULL },
    { "FALSE", { .type = TREE_BOOL, .u.boolean = false }, NULL },
    { ".inf",  { .type = TREE_DOUBLE }, not_finite },
    { ".Inf",  { .type = TREE_DOUBLE }, not_finite },
    { ".INF",  { .type = TREE_DOUBLE }, not_finite },
    { "+.inf", { .type = TREE_DOUBLE }, not_finite },
    { "+.Inf", { .type = TREE_DOUBLE }, not_finite },
    { "+.INF", { .type = TREE_DOUBLE }, not_finite },
    { "-.inf", { .type = TREE_DOUBLE }, not_finite },
    { "-.Inf", { .type = TREE_DOUBLE }, not_finite },
    { "-.INF", { .type = TREE_DOUBLE }, not_finite },
    { ".nan",  { .type = TREE_DOUBLE }, not_finite },
    { ".NaN",  { .type = TREE_DOUBLE }, not_finite },
    { ".NAN",  { .type = TREE_DOUBLE }, not_finite },
};
/* clang-format on */

/* Whether text is digits of the set and nothing else, at least one. */
static bool is_all(const char *text, const char *set)
{
    return *text != '\0' && text[strspn(text, set)] == '\0';
}

/* [-+]? ( \.[0-9]+ | [0-9]+ (\.[0-9]*)? ) ([eE] [-+]? [0-9]+)? */
static bool is_float(const char *text)
{
    const char *p = text + strspn(text, "-+");
    size_t whole, part = 0;

    if (p - text > 1)
        return false;
    whole = strspn(p, DECIMAL);
    p += whole;
    if (*p == '.') {
        part = strspn(++p, DECIMAL);
        p += part;
    }
    if (whole == 0 && part == 0)
        return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '-' || *p == '+';
        return is_all(p, DECIMAL);
    }
    return *p == '\0';
}

static const char *read_signed(const char *text, struct scalar *ret)
{
    errno = 0;
    ret->type = TREE_INT;
    ret->u.integer = strtoll(text, NULL, 10);
    return errno == ERANGE ? too_wide : NULL;
}

static const char *read_based(const char *digits, int base, struct scalar *ret)
{
    unsigned long long value;

    errno = 0;
    value = strtoull(digits, NULL, base);
    if (errno == ERANGE || value > INT64_MAX)
        return too_wide;
    ret->type = TREE_INT;
    ret->u.integer = (int64_t)value;
    return NULL;
}

static const char *read_float(const char *text, struct scalar *ret)
{
    ret->type = TREE_DOUBLE;
    ret->u.number = strtod(text, NULL);
    return isinf(ret->u.number) ? too_large : NULL;
}

const char *scalar_resolve(const char *text, struct scalar *ret_scalar)
{
    bool sign = *text == '-' || *text == '+';

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (strcmp(text, words[i].text) != 0)
            continue;
        *ret_scalar = words[i].scalar;
        return words[i].problem;
    }
    if (is_all(text + sign, DECIMAL))
        return read_signed(text, ret_scalar);
    if (strncmp(text, "0o", 2) == 0 && is_all(text + 2, OCTAL))
        return read_based(text + 2, 8, ret_scalar);
    if (strncmp(text, "0x", 2) == 0 && is_all(text + 2, HEXADECIMAL))
        return read_based(text + 2, 16, ret_scalar);
    if (is_float(text))
        return read_float(text, ret_scalar);
    ret_scalar->type = TREE_STRING;
    return NULL;
}

void scalar_print_double(double number, char ret_digits[SCALAR_NUMBER_MAX])
{
    /* 15 digits always survive decimal to double; 17 suffice for any. */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(ret_digits, SCALAR_NUMBER_MAX, "%.*g", digits, number);
        if (strtod(ret_digits, NULL) == number)
            break;
    }
    if (strpbrk(ret_digits, ".e") == NULL)
        strcat(ret_digits, ".0");
}
