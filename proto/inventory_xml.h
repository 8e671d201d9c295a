/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of XML, as far as lstopo writes it. Private to inventory_*.c. */
#ifndef SERRIED_PROTO_INVENTORY_XML_H
#define SERRIED_PROTO_INVENTORY_XML_H

#include "proto/inventory_read.h"

enum { ATTRIBUTES_MAX = 64 }; /* of one tag */

struct attribute {
    const char *key;
    char *value;
};

struct tag {
    char *name; /* "" when there is text only */
    struct attribute attributes[ATTRIBUTES_MAX];
    size_t n;
    bool closes, empty; /* </a>, <a/> */
    char *text;         /* in front of the tag */
};

/* "" where the tag has no such attribute. */
const char *tag_attribute(const struct tag *tag, const char *key);

/* The next tag with the text in front of it, both cut in place. Returns 1; 0:
 * there is none; -1: it cannot be read. */
int tag_next(struct importing *im, struct tag *tag);

#endif
