/* SPDX-License-Identifier: Apache-2.0 */
/* SP framing: every way to cut a stream, and everything that ends one. */
#include "daemon/sp.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/tap.h"

enum { MESSAGE_MAX = 4096, STREAM_MAX = 16384 };

static const uint8_t hello[] = { 0, 'S', 'P', 0, 0, 0x30, 0, 0 };

struct stream {
    bool ipc;
    uint8_t bytes[STREAM_MAX];
    size_t len;
};

static void put(struct stream *stream, const void *bytes, size_t len)
{
    ck_assert_uint_le(stream->len + len, STREAM_MAX);
    memcpy(stream->bytes + stream->len, bytes, len);
    stream->len += len;
}

static void put_length(struct stream *stream, uint64_t length)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(length >> (56 - 8 * i));
    if (stream->ipc)
        put(stream, "\1", 1);
    put(stream, bytes, sizeof(bytes));
}

/* A message with hops devices before its id, and len bytes of fill. */
static void put_message(struct stream *stream, unsigned hops, size_t len,
                        int fill)
{
    uint8_t body[MESSAGE_MAX];
    uint8_t word[4] = { 0, 0, 1, 2 };

    put_length(stream, 4 * (hops + 1) + len);
    for (unsigned i = 0; i < hops; i++)
        put(stream, word, sizeof(word));
    word[0] = 0x80;
    put(stream, word, sizeof(word));
    memset(body, fill, len);
    put(stream, body, len);
}

static void begin(struct stream *stream, struct sp_reader *reader, bool ipc)
{
    stream->ipc = ipc;
    stream->len = 0;
    put(stream, hello, sizeof(hello));
    sp_reader_init(reader, ipc, MESSAGE_MAX);
}

/* What the whole stream ends in when it is read at once. */
static enum sp_event last_event(struct stream *stream, struct sp_reader *reader)
{
    struct sp_input input = { stream->bytes, stream->len };
    struct sp_message message;
    enum sp_event event;

    do
        event = sp_next(reader, &input, &message);
    while (event == SP_GREETED || event == SP_MESSAGE || event == SP_MALFORMED);
    return event;
}

/* Transport in the lowest bit, size of the pieces in the rest. */
START_TEST(a_stream_reads_the_same_however_it_is_cut)
{
    static const size_t lengths[] = { 0, 1, 4087, 100, 1023, 1024, 1025, 3 };
    struct stream stream;
    struct sp_reader reader;
    /* 1 to 15 bytes, then up to 11,000. */
    size_t piece = (size_t)_i / 2 + 1, got = 0;

    if (piece > 15)
        piece = (piece - 15) * 733;
    begin(&stream, &reader, _i % 2 == 1);
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
        put_message(&stream, (unsigned)i % 2, lengths[i], 'a' + (int)i);
    for (size_t at = 0; at < stream.len; at += piece) {
        size_t left = stream.len - at;
        struct sp_input input = { stream.bytes + at,
                                  piece < left ? piece : left };
        struct sp_message message;
        enum sp_event event;

        while ((event = sp_next(&reader, &input, &message)) != SP_MORE) {
            if (event == SP_GREETED)
                continue;
            ck_assert_int_eq(event, SP_MESSAGE);
            ck_assert_uint_eq(message.body_len, lengths[got]);
            ck_assert_uint_eq(message.trace_len, 4 * (got % 2 + 1));
            for (size_t i = 0; i < message.body_len; i++)
                ck_assert_int_eq(message.body[i], 'a' + (int)got);
            got++;
        }
        ck_assert_uint_eq(input.len, 0);
    }
    ck_assert_uint_eq(got, ARRAY_LEN(lengths));
    ck_assert_uint_le(reader.cap, SP_KEEP_BYTES);
    sp_reader_close(&reader);
}
END_TEST

START_TEST(input_taken_aside_is_read_later_in_order)
{
    struct stream stream;
    struct sp_reader reader;
    struct sp_message message;
    struct sp_input input, none = { 0 };

    begin(&stream, &reader, _i == 1);
    for (int i = 0; i < 8; i++)
        put_message(&stream, 0, 100, 'a' + i);
    input = (struct sp_input){ stream.bytes, stream.len - 50 };
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_GREETED);
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_MESSAGE);
    ck_assert(sp_keep(&reader, &input));
    for (int i = 1; i < 7; i++) {
        ck_assert_int_eq(sp_next(&reader, &none, &message), SP_MESSAGE);
        ck_assert_int_eq(message.body[99], 'a' + i);
    }
    ck_assert_int_eq(sp_next(&reader, &none, &message), SP_MORE);
    input = (struct sp_input){ stream.bytes + stream.len - 50, 50 };
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_MESSAGE);
    ck_assert_int_eq(message.body[99], 'h');
    ck_assert_int_eq(sp_next(&reader, &none, &message), SP_MORE);
    ck_assert_uint_eq(sp_kept(&reader), 0);
    sp_reader_close(&reader);
}
END_TEST

START_TEST(a_message_at_the_bound_is_read_and_one_beyond_is_not)
{
    struct stream stream;
    struct sp_reader reader;

    begin(&stream, &reader, _i == 1);
    put_message(&stream, 0, MESSAGE_MAX - 4, 'x');
    ck_assert_int_eq(last_event(&stream, &reader), SP_MORE);
    sp_reader_close(&reader);

    begin(&stream, &reader, _i == 1);
    put_length(&stream, MESSAGE_MAX + 1);
    ck_assert_int_eq(last_event(&stream, &reader), SP_TOO_LARGE);
    sp_reader_close(&reader);
}
END_TEST

START_TEST(an_announced_length_allocates_nothing_until_it_comes)
{
    struct stream stream;
    struct sp_reader reader;

    begin(&stream, &reader, false);
    put_length(&stream, MESSAGE_MAX);
    ck_assert_int_eq(last_event(&stream, &reader), SP_MORE);
    ck_assert_uint_le(reader.cap, 16);
    sp_reader_close(&reader);
}
END_TEST

START_TEST(lengths_up_to_the_largest_number_are_refused)
{
    static const uint64_t lengths[] = { 1ULL << 32, 1ULL << 40, 1ULL << 63,
                                        UINT64_MAX, UINT64_MAX - 8 };
    struct stream stream;
    struct sp_reader reader;

    begin(&stream, &reader, false);
    put_length(&stream, lengths[_i]);
    ck_assert_int_eq(last_event(&stream, &reader), SP_TOO_LARGE);
    sp_reader_close(&reader);
}
END_TEST

START_TEST(eight_hops_are_kept_as_they_came_and_nine_are_malformed)
{
    struct stream stream;
    struct sp_reader reader;
    struct sp_message message;
    struct sp_input input;
    uint8_t frame[SP_FRAME_MAX];
    size_t len;

    begin(&stream, &reader, _i == 1);
    put_message(&stream, SP_HOPS_MAX, 5, 'x');
    input = (struct sp_input){ stream.bytes, stream.len };
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_GREETED);
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_MESSAGE);
    ck_assert_uint_eq(message.trace_len, SP_TRACE_MAX);
    /* A reply of the same length has the same bytes before its body. */
    len = sp_frame(frame, _i == 1, message.trace, message.trace_len, 5);
    ck_assert_mem_eq(frame, stream.bytes + sizeof(hello), len);
    ck_assert_uint_eq(len + 5, stream.len - sizeof(hello));
    sp_reader_close(&reader);

    begin(&stream, &reader, _i == 1);
    put_message(&stream, SP_HOPS_MAX + 1, 5, 'x');
    put_message(&stream, 0, 2, 'y');
    input = (struct sp_input){ stream.bytes, stream.len };
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_GREETED);
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_MALFORMED);
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_MESSAGE);
    ck_assert_int_eq(message.body[0], 'y');
    sp_reader_close(&reader);
}
END_TEST

START_TEST(a_message_too_short_for_an_id_is_malformed)
{
    struct stream stream;
    struct sp_reader reader;
    struct sp_message message;
    struct sp_input input;

    begin(&stream, &reader, false);
    put_length(&stream, (uint64_t)_i);
    put(&stream, "\200\0\0", (size_t)_i);
    input = (struct sp_input){ stream.bytes, stream.len };
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_GREETED);
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_MALFORMED);
    ck_assert_int_eq(sp_next(&reader, &input, &message), SP_MORE);
    sp_reader_close(&reader);
}
END_TEST

static const struct {
    const char *bytes;
    size_t len;
    enum sp_event event;
} greetings[] = {
    { "\0SP\0\0\x30\0\0", 8, SP_GREETED },
    { "\0SP\0\0\x30\0", 7, SP_MORE },
    { "", 0, SP_MORE },
    { "GET / HTTP/1.1\r\n\r\n", 18, SP_NOT_SP },
    { "\x16\x03\x01", 3, SP_NOT_SP },
    { "\0SP\1\0\x30\0\0", 8, SP_NOT_SP },
    { "\0SP\0\0\x30\0\1", 8, SP_NOT_SP },
    { "\0SP\0\0\x31\0\0", 8, SP_NOT_REQ },
    { "\0SP\0\0\x20\0\0", 8, SP_NOT_REQ },
    { "\0SP\0\1", 5, SP_NOT_REQ },
};

START_TEST(only_the_greeting_of_req_is_taken_and_garbage_at_once_refused)
{
    struct sp_input input = { (const uint8_t *)greetings[_i].bytes,
                              greetings[_i].len };
    struct sp_message message;
    struct sp_reader reader;

    sp_reader_init(&reader, false, MESSAGE_MAX);
    ck_assert_int_eq(sp_next(&reader, &input, &message), greetings[_i].event);
    ck_assert_ptr_nonnull(sp_event_text(greetings[_i].event));
    sp_reader_close(&reader);
}
END_TEST

START_TEST(an_ipc_message_begins_with_a_one)
{
    struct stream stream;
    struct sp_reader reader;

    begin(&stream, &reader, true);
    put(&stream, "\2", 1);
    ck_assert_int_eq(last_event(&stream, &reader), SP_BAD_TYPE);
    sp_reader_close(&reader);
}
END_TEST

START_TEST(random_bytes_after_the_greeting_end_or_wait_but_never_overrun)
{
    struct stream stream;
    struct sp_reader reader;
    enum sp_event event;

    srand((unsigned)_i);
    begin(&stream, &reader, _i % 2 == 1);
    for (int i = rand() % 2000; i > 0; i--) {
        uint8_t byte = rand() % 3 == 0 ? (uint8_t)rand() : (uint8_t)(_i % 2);

        put(&stream, &byte, 1);
    }
    event = last_event(&stream, &reader);
    ck_assert(event == SP_MORE || event == SP_TOO_LARGE ||
              event == SP_BAD_TYPE);
    ck_assert_uint_le(reader.cap, 2 * MESSAGE_MAX);
    sp_reader_close(&reader);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sp");
    TCase *tcase = tcase_create("sp");

    tcase_add_loop_test(tcase, a_stream_reads_the_same_however_it_is_cut, 0,
                        60);
    tcase_add_loop_test(tcase, input_taken_aside_is_read_later_in_order, 0, 2);
    tcase_add_loop_test(
        tcase, a_message_at_the_bound_is_read_and_one_beyond_is_not, 0, 2);
    tcase_add_test(tcase, an_announced_length_allocates_nothing_until_it_comes);
    tcase_add_loop_test(tcase, lengths_up_to_the_largest_number_are_refused, 0,
                        5);
    tcase_add_loop_test(
        tcase, eight_hops_are_kept_as_they_came_and_nine_are_malformed, 0, 2);
    tcase_add_loop_test(tcase, a_message_too_short_for_an_id_is_malformed, 0,
                        4);
    tcase_add_loop_test(
        tcase, only_the_greeting_of_req_is_taken_and_garbage_at_once_refused, 0,
        (int)ARRAY_LEN(greetings));
    tcase_add_test(tcase, an_ipc_message_begins_with_a_one);
    tcase_add_loop_test(
        tcase, random_bytes_after_the_greeting_end_or_wait_but_never_overrun, 0,
        20);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
