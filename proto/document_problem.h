/* SPDX-License-Identifier: Apache-2.0 */
/* What libyaml's parser refuses, in words that say what would be right. */
#ifndef SERRIED_PROTO_DOCUMENT_PROBLEM_H
#define SERRIED_PROTO_DOCUMENT_PROBLEM_H

#include <yaml.h>

#include "proto/document_source.h"

/* Sentences that the reader itself needs too: an expression without quotes can
 * end in either. */
extern const char problem_tag[], problem_anchor[];

/* error_set() for the parser's failure; returns -1. */
int problem_error(const struct source *source, const yaml_parser_t *parser,
                  struct error *err);

#endif
