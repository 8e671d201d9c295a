/* SPDX-License-Identifier: Apache-2.0 */
/* Codes that no rule gives: a daemon answers so when it places ranks on devices
 * or boots workers. */
#ifndef SERRIED_CLIENT_ANSWERS_H
#define SERRIED_CLIENT_ANSWERS_H

#include <stddef.h>

struct answer_code {
    const char *code;
    const char *when; /* it is given */
    const char *means;
    const char *fix;
};

extern const struct answer_code answer_codes[];
extern const size_t n_answer_codes;

#endif
