/* SPDX-License-Identifier: Apache-2.0 */
/* The framing of nanomsg's SP protocol, REP side: bytes in, messages out. */
#include "daemon/sp.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 4, LENGTH_BYTES = 8, PROTOCOL_AT = 4, PROTOCOL_END = 6 };

const uint8_t sp_greeting[SP_GREETING_BYTES] = { 0, 'S', 'P', 0, 0, 0x31 };

static const uint8_t req_greeting[SP_GREETING_BYTES] = {
    0, 'S', 'P', 0, 0, 0x30
};

static const char *const event_texts[] = {
#define X(name, text) [SP_##name] = text,
    SP_EVENT_LIST(X)
#undef X
};

const char *sp_event_text(enum sp_event event)
{
    return event_texts[event];
}

void sp_reader_init(struct sp_reader *reader, bool ipc, size_t message_max)
{
    *reader = (struct sp_reader){ .message_max = message_max, .ipc = ipc };
}

void sp_reader_close(struct sp_reader *reader)
{
    free(reader->data);
    reader->data = NULL;
    reader->start = reader->len = reader->cap = 0;
}

size_t sp_kept(const struct sp_reader *reader)
{
    return reader->len - reader->start;
}

/* ---- memory ------------------------------------------------------------- */

/* Forgets what was read; memory of a large message goes back at once. */
static void release_read(struct sp_reader *reader)
{
    if (reader->start < reader->len)
        return;
    reader->start = reader->len = 0;
    if (reader->cap > SP_KEEP_BYTES)
        sp_reader_close(reader);
}

/* Room for add more bytes. Doubles, but not beyond most, so that a message
 * costs what came of it twice over at the worst and its own size at the end. */
static bool reserve(struct sp_reader *reader, size_t add, size_t most)
{
    size_t kept = sp_kept(reader), need = kept + add, cap;
    uint8_t *data;

    if (reader->start > 0) {
        memmove(reader->data, reader->data + reader->start, kept);
        reader->start = 0;
        reader->len = kept;
    }
    if (need <= reader->cap)
        return true;
    cap = 2 * reader->cap < most ? 2 * reader->cap : most;
    if (cap < need)
        cap = need;
    data = realloc(reader->data, cap);
    if (data == NULL)
        return false;
    reader->data = data;
    reader->cap = cap;
    return true;
}

/* Moves add bytes of the input behind the kept ones. */
static bool keep(struct sp_reader *reader, struct sp_input *input, size_t add,
                 size_t most)
{
    if (add == 0)
        return true;
    if (!reserve(reader, add, most))
        return false;
    memcpy(reader->data + reader->len, input->bytes, add);
    reader->len += add;
    input->bytes += add;
    input->len -= add;
    return true;
}

bool sp_keep(struct sp_reader *reader, struct sp_input *input)
{
    return keep(reader, input, input->len, SIZE_MAX);
}

/* ---- reading ------------------------------------------------------------ */

/* Judges every byte as it comes, so that garbage need not be 8 bytes long. */
static enum sp_event read_greeting(struct sp_reader *reader,
                                   struct sp_input *input)
{
    while (input->len > 0) {
        size_t at = reader->ngreeting;

        if (*input->bytes != req_greeting[at])
            return at >= PROTOCOL_AT && at < PROTOCOL_END ? SP_NOT_REQ
                                                          : SP_NOT_SP;
        input->bytes++;
        input->len--;
        if (++reader->ngreeting == SP_GREETING_BYTES) {
            reader->greeted = true;
            return SP_GREETED;
        }
    }
    return SP_MORE;
}

static uint64_t read_length(const uint8_t *bytes)
{
    uint64_t length = 0;

    for (int i = 0; i < LENGTH_BYTES; i++)
        length = length << 8 | bytes[i];
    return length;
}

/* How long the message at bytes is with its header, as far as that is known;
 * SP_MORE: ret_want is right, anything else ends the stream. */
static enum sp_event measure(const struct sp_reader *reader,
                             const uint8_t *bytes, size_t len, size_t *ret_want)
{
    size_t header = LENGTH_BYTES + (reader->ipc ? 1 : 0);
    uint64_t length;

    if (reader->ipc && len > 0 && bytes[0] != 1)
        return SP_BAD_TYPE;
    if (len < header) {
        *ret_want = header;
        return SP_MORE;
    }
    length = read_length(bytes + header - LENGTH_BYTES);
    if (length > reader->message_max)
        return SP_TOO_LARGE;
    *ret_want = header + (size_t)length;
    return SP_MORE;
}

/* Parts a whole message, header and all, into trace and body. */
static enum sp_event split(const struct sp_reader *reader, const uint8_t *bytes,
                           size_t len, struct sp_message *ret_message)
{
    size_t header = LENGTH_BYTES + (reader->ipc ? 1 : 0);
    const uint8_t *trace = bytes + header;
    size_t rest = len - header, end = 0;

    do {
        if (end == SP_TRACE_MAX || rest - end < WORD)
            return SP_MALFORMED;
        end += WORD;
    } while ((trace[end - WORD] & 0x80) == 0);
    *ret_message = (struct sp_message){ trace, trace + end, end, rest - end };
    return SP_MESSAGE;
}

static enum sp_event read_input(struct sp_reader *reader,
                                struct sp_input *input, size_t want,
                                struct sp_message *ret_message)
{
    const uint8_t *bytes = input->bytes;

    input->bytes += want;
    input->len -= want;
    return split(reader, bytes, want, ret_message);
}

static enum sp_event read_kept(struct sp_reader *reader, size_t want,
                               struct sp_message *ret_message)
{
    const uint8_t *bytes = reader->data + reader->start;

    reader->start += want;
    return split(reader, bytes, want, ret_message);
}

enum sp_event sp_next(struct sp_reader *reader, struct sp_input *input,
                      struct sp_message *ret_message)
{
    release_read(reader);
    if (!reader->greeted)
        return read_greeting(reader, input);
    for (;;) {
        size_t kept = sp_kept(reader), have = kept > 0 ? kept : input->len;
        size_t want = 0, add;
        const uint8_t *bytes =
            kept > 0 ? reader->data + reader->start : input->bytes;
        enum sp_event event = measure(reader, bytes, have, &want);

        if (event != SP_MORE)
            return event;
        if (have >= want)
            return kept > 0 ? read_kept(reader, want, ret_message)
                            : read_input(reader, input, want, ret_message);
        if (input->len == 0)
            return SP_MORE;
        add = want - kept < input->len ? want - kept : input->len;
        if (!keep(reader, input, add, want))
            return SP_NO_MEMORY;
    }
}

/* ---- writing ------------------------------------------------------------ */

size_t sp_frame(uint8_t ret_frame[SP_FRAME_MAX], bool ipc, const uint8_t *trace,
                size_t trace_len, size_t body_len)
{
    uint64_t length = (uint64_t)trace_len + body_len;
    size_t len = 0;

    if (ipc)
        ret_frame[len++] = 1;
    for (int shift = 56; shift >= 0; shift -= 8)
        ret_frame[len++] = (uint8_t)(length >> shift);
    memcpy(ret_frame + len, trace, trace_len);
    return len + trace_len;
}
