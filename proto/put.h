/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of messages that are packed by hand. */
#ifndef SERRIED_PROTO_PUT_H
#define SERRIED_PROTO_PUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PUT_VARINT_MAX = 10 };

/* Each writes at `to`, where there is room, and returns the end; tag is the
 * field's number << 3 | wire type, below 128. */
static inline uint8_t *put_varint(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

static inline uint8_t *put_number(uint8_t *to, uint8_t tag, uint64_t value)
{
    *to++ = tag;
    return put_varint(to, value);
}

static inline uint8_t *put_bytes(uint8_t *to, uint8_t tag, const void *bytes,
                                 size_t len)
{
    to = put_number(to, tag, len);
    memcpy(to, bytes, len);
    return to + len;
}

#endif
