/* SPDX-License-Identifier: Apache-2.0 */
/* What a plain scalar of YAML 1.2's core schema stands for. */
#ifndef SERRIED_PROTO_DOCUMENT_SCALAR_H
#define SERRIED_PROTO_DOCUMENT_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tree.h"

struct scalar {
    enum tree_type type; /* no list, no map */
    union {
        bool boolean;
        int64_t integer;
        double number;
    } u;
};

/* Types a plain scalar. Returns NULL with *ret_scalar filled, or a sentence
 * that says why a value of this form is refused. Numbers are read with a
 * decimal point: LC_NUMERIC must be "C". */
const char *scalar_resolve(const char *text, struct scalar *ret_scalar);

/* Enough for any number. */
enum { SCALAR_NUMBER_MAX = 32 };

/* Writes a finite number with as few digits as read back the same, always as a
 * number with a point or exponent. */
void scalar_print_double(double number, char ret_digits[SCALAR_NUMBER_MAX]);

#endif
