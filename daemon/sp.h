/* SPDX-License-Identifier: Apache-2.0 */
/* The framing of nanomsg's SP protocol, REP side: bytes in, messages out. */
#ifndef SERRIED_DAEMON_SP_H
#define SERRIED_DAEMON_SP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On a stream each side first sends a greeting of 8 bytes, then messages:
 *
 *   [ipc only: the byte 01]  length of the rest, 64 bits big-endian
 *   trace                    32-bit words, one for each device on the way and
 *                            last the request's id, which alone has its top
 *                            bit set
 *   body
 *
 * A reply carries the trace of its request as it came. */
enum {
    SP_GREETING_BYTES = 8,
    SP_HOPS_MAX = 8, /* devices between client and server; nanomsg's bound */
    SP_TRACE_MAX = 4 * (SP_HOPS_MAX + 1),
    SP_FRAME_MAX = 1 + 8 + SP_TRACE_MAX, /* what stands before a body */
    SP_KEEP_BYTES = 1024 /* a reader's memory between messages, at most */
};

/* What a reader found. After SP_MORE the input is used up; SP_MALFORMED skips
 * one message; what is listed below it ends the stream. */
/* clang-format off */
#define SP_EVENT_LIST(X)                                                     \
    X(MORE,      "is incomplete")                                            \
    X(GREETED,   "greeted")                                                  \
    X(MESSAGE,   "sent a message")                                           \
    X(MALFORMED, "sent a message without a request id; one must stand"       \
                 " within its first 9 words")                                \
    X(NOT_SP,    "does not speak SP; a nanomsg REQ socket would")            \
    X(NOT_REQ,   "is not a REQ socket; only REQ is served here")             \
    X(BAD_TYPE,  "sent a message that does not begin with 01, as it must on" \
                 " ipc")                                                     \
    X(TOO_LARGE, "announced a message over the bound")                       \
    X(NO_MEMORY, "sent more than there is memory for")
/* clang-format on */

enum sp_event {
#define X(name, text) SP_##name,
    SP_EVENT_LIST(X)
#undef X
};

/* Bytes that came; reading moves it forward. */
struct sp_input {
    const uint8_t *bytes;
    size_t len;
};

/* One message, pointing into the input or into the reader: until the next call
 * with that reader. */
struct sp_message {
    const uint8_t *trace, *body;
    size_t trace_len, body_len; /* bytes; trace_len at most SP_TRACE_MAX */
};

/* The state of one stream. Keeps only what is incomplete: a message that is
 * whole in the input is not copied, and an announced length allocates nothing
 * until its bytes come. */
struct sp_reader {
    size_t message_max; /* bytes, trace and body */
    bool ipc, greeted;
    uint8_t ngreeting;      /* bytes of the greeting that came */
    uint8_t *data;          /* kept bytes are [start, len) */
    size_t start, len, cap; /* cap is all the memory it holds */
};

void sp_reader_init(struct sp_reader *reader, bool ipc, size_t message_max);
void sp_reader_close(struct sp_reader *reader);

/* The next event. ret_message is filled for SP_MESSAGE only. */
enum sp_event sp_next(struct sp_reader *reader, struct sp_input *input,
                      struct sp_message *ret_message);

/* Takes all input aside, for a later sp_next() with an empty one. False: no
 * memory; the stream is to be ended. */
bool sp_keep(struct sp_reader *reader, struct sp_input *input);

/* Bytes kept: part of a message, or several after sp_keep(). */
size_t sp_kept(const struct sp_reader *reader);

/* The greeting of a REP socket, SP_GREETING_BYTES. */
extern const uint8_t sp_greeting[SP_GREETING_BYTES];

/* Writes what stands before a body of body_len bytes; returns its length. */
size_t sp_frame(uint8_t ret_frame[SP_FRAME_MAX], bool ipc, const uint8_t *trace,
                size_t trace_len, size_t body_len);

/* What a peer did, to follow its name. */
const char *sp_event_text(enum sp_event event);

#endif
