/* SPDX-License-Identifier: Apache-2.0 */
/* Writing an export. */
#include <string.h>

#include "store/copy.h"

const char copy_magic[] = "serried export\n1";

/* Four bits at a time: a table of 16 is fast enough next to a disk. */
uint32_t copy_checksum(uint32_t sum, const char *bytes, size_t len)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c
    };

    sum = ~sum;
    for (size_t i = 0; i < len; i++) {
        sum ^= (unsigned char)bytes[i];
        sum = table[sum & 15] ^ (sum >> 4);
        sum = table[sum & 15] ^ (sum >> 4);
    }
    return ~sum;
}

static void put_number(struct text *out, uint64_t number, int bytes)
{
    while (bytes-- > 0) {
        char byte = (char)(number >> (8 * bytes));

        text_put_bytes(out, &byte, 1);
    }
}

static void put_bytes(struct text *out, const void *bytes, size_t len)
{
    put_number(out, len, 4);
    text_put_bytes(out, bytes, len);
}

static void put_string(struct text *out, const char *string)
{
    put_bytes(out, string, strlen(string));
}

/* Starts a frame; what is written until end_frame() is its payload. */
static size_t start_frame(struct copy_writer *writer, char type)
{
    size_t start = writer->out.len;

    put_number(&writer->out, 0, 8);
    text_put_bytes(&writer->out, &type, 1);
    return start;
}

static void store_number(char *at, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(number >> (8 * (3 - i)));
}

static int end_frame(struct copy_writer *writer, size_t start)
{
    char *frame;
    size_t len;

    if (writer->out.failed)
        return -1;
    frame = writer->out.data + start;
    len = writer->out.len - start - 8;
    writer->checksum = copy_checksum(writer->checksum, frame + 8, len);
    store_number(frame, (uint32_t)len);
    store_number(frame + 4, writer->checksum);
    return 0;
}

static int write_begin(void *arg, const struct counters *counters)
{
    struct copy_writer *writer = arg;
    size_t start;

    writer->from = *counters;
    text_put_bytes(&writer->out, copy_magic, COPY_MAGIC_BYTES);
    start = start_frame(writer, 'H');
    put_number(&writer->out, counters->epoch, 8);
    put_number(&writer->out, counters->revision, 8);
    put_number(&writer->out, counters->event_seq, 8);
    return end_frame(writer, start);
}

static int write_record(void *arg, const struct store_record *record)
{
    struct copy_writer *writer = arg;
    struct text *out = &writer->out;
    size_t start = start_frame(writer, 'R');

    put_number(out, record->kind, 1);
    put_number(out, record->rev, 8);
    put_number(out, record->generation_epoch, 8);
    put_number(out, record->generation_rev, 8);
    put_number(out, (uint64_t)record->time_ms, 8);
    put_string(out, record->id);
    put_string(out, record->state);
    put_bytes(out, record->body, record->len);
    writer->n_records++;
    return end_frame(writer, start);
}

static int write_event(void *arg, const struct store_event *event)
{
    struct copy_writer *writer = arg;
    struct text *out = &writer->out;
    size_t start = start_frame(writer, 'E');

    put_number(out, event->seq, 8);
    put_number(out, event->rev, 8);
    put_number(out, (uint64_t)event->time_ms, 8);
    put_string(out, event->who);
    put_string(out, event->what);
    put_string(out, event->subject);
    put_string(out, event->detail);
    writer->n_events++;
    return end_frame(writer, start);
}

void copy_scan(struct copy_writer *writer, struct scan *ret_scan)
{
    *ret_scan = (struct scan){ write_begin, write_record, write_event, writer };
}

void copy_end(struct copy_writer *writer)
{
    size_t start = start_frame(writer, 'Z');

    put_number(&writer->out, writer->n_records, 8);
    put_number(&writer->out, writer->n_events, 8);
    end_frame(writer, start);
}
