/* SPDX-License-Identifier: Apache-2.0 */
/* What a call comes in: a packed serried.v1.Call, read by hand. */
#ifndef SERRIED_DAEMON_ENVELOPE_H
#define SERRIED_DAEMON_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct metadata {
    const char *key, *value; /* NULL: absent */
    struct metadata *next;   /* in the order they came */
};

/* Every call has one, so that it is not unpacked by descriptor: that takes
 * three times as long. */
struct envelope {
    const char *method; /* NULL: absent */
    bool has_request_id;
    uint64_t request_id;
    uint32_t deadline_ms; /* 0: none */
    struct metadata *metadata;
    const uint8_t *request; /* NULL: absent */
    size_t request_len;
};

/* Reads a copy of the packed message, in arena.
 *   STATUS_INVALID    it is none, or a text in it is not UTF-8 without a NUL;
 *                     names the field
 *   STATUS_EXHAUSTED  the arena is at its cap */
int envelope_read(const void *bytes, size_t len, struct arena *arena,
                  struct envelope *ret, struct error *err);

#endif
