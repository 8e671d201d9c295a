/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a packed message before it is unpacked. */
#ifndef SERRIED_DAEMON_WIRE_H
#define SERRIED_DAEMON_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
#include "base/error.h"

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
