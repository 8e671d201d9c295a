/* SPDX-License-Identifier: Apache-2.0 */
/* Packed messages: their fields, and what is asked before they are unpacked. */
#ifndef SERRIED_DAEMON_WIRE_H
#define SERRIED_DAEMON_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
#include "base/error.h"

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_64BIT = 1,
    WIRE_BYTES = 2,
    WIRE_32BIT = 5,
};

/* What a field begins with. */
#define WIRE_TAG(number, type) ((number) << 3 | (type))

struct wire_input {
    const uint8_t *at, *end;
};

struct wire_field {
    uint32_t tag;            /* number << 3 | wire type */
    uint64_t value;          /* of WIRE_VARINT */
    struct wire_input bytes; /* of all others */
};

/* Takes the next field; false: there is none, or it is cut short. */
bool wire_next(struct wire_input *input, struct wire_field *ret);

/* Whether bytes are a message of this descriptor as far as fields and lengths
 * go, all of whose strings, also in messages within it, are UTF-8 without a
 * NUL. Unpacked strings end at their first NUL, so this cannot be asked later.
 *   STATUS_INVALID  not so; names the field, as "document.text" */
int wire_check(const ProtobufCMessageDescriptor *descriptor,
               const uint8_t *bytes, size_t len, struct error *err);

/* wire_check(), then unpacks into arena, beyond whose cap it cannot go.
 *   STATUS_EXHAUSTED  the arena is at its cap
 *   STATUS_INVALID    as above */
ProtobufCMessage *wire_unpack(const ProtobufCMessageDescriptor *descriptor,
                              const uint8_t *bytes, size_t len,
                              struct arena *arena, struct error *err);

#endif
