/* SPDX-License-Identifier: Apache-2.0 */
/* Packed messages: their fields, and what is asked before they are unpacked. */
#include "daemon/wire.h"

#include <stdbool.h>

#include "base/text.h"

/* No message of ours holds itself, so this is never reached; should one ever,
 * the unpacker's stack is still bounded. */
enum { DEPTH_MAX = 16 };

/* The message being read, and the field that holds it in the one outside. */
struct level {
    const struct level *outer;
    const char *field; /* in outer */
    const ProtobufCMessageDescriptor *descriptor;
    unsigned depth;
};

/* Bytes of a varint at most. The unpacker takes no longer ones, and whoever
 * reads by hand is to come to the same verdict. */
enum { NUMBER_BYTES = 10, TAG_BYTES = 5, LENGTH_BYTES = 5 };

static bool take_varint(struct wire_input *input, unsigned most_bytes,
                        uint64_t *ret_value)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 7 * most_bytes && input->at < input->end;
         shift += 7) {
        const uint8_t byte = *input->at++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret_value = value;
            return true;
        }
    }
    return false;
}

bool wire_next(struct wire_input *input, struct wire_field *ret)
{
    uint64_t tag, len;

    if (!take_varint(input, TAG_BYTES, &tag) || tag >> 3 == 0 ||
        tag > UINT32_MAX)
        return false;
    ret->tag = (uint32_t)tag;
    switch ((enum wire_type)(tag & 7)) {
    case WIRE_VARINT:
        return take_varint(input, NUMBER_BYTES, &ret->value);
    case WIRE_64BIT:
        len = 8;
        break;
    case WIRE_32BIT:
        len = 4;
        break;
    case WIRE_BYTES:
        if (!take_varint(input, LENGTH_BYTES, &len))
            return false;
        break;
    default: /* from the wire: groups, and what is no type */
        return false;
    }
    if (len > (uint64_t)(input->end - input->at))
        return false;
    ret->bytes = (struct wire_input){ input->at, input->at + len };
    input->at += len;
    return true;
}

static void put_path(const struct level *level, struct text *out)
{
    if (level->outer == NULL)
        return;
    put_path(level->outer, out);
    text_printf(out, "%s.", level->field);
}

static int refuse_field(const struct level *level, const char *field,
                        const char *what, struct error *err)
{
    struct text path = { 0 };

    put_path(level, &path);
    error_set(err, STATUS_INVALID, "%s%s %s", text_string(&path), field, what);
    text_close(&path);
    return -1;
}

static int refuse_message(const struct level *level, struct error *err)
{
    if (level->outer != NULL)
        return refuse_field(level->outer, level->field,
                            "is cut short or no message", err);
    return error_set(err, STATUS_INVALID,
                     "the request is no serried.v1.%s message",
                     level->descriptor->short_name);
}

static int check_level(const struct level *level, struct wire_input input,
                       struct error *err);

static int check_field(const struct level *level,
                       const ProtobufCFieldDescriptor *field,
                       struct wire_input value, struct error *err)
{
    if (field->type == PROTOBUF_C_TYPE_STRING &&
        !text_is_utf8((const char *)value.at, (size_t)(value.end - value.at)))
        return refuse_field(level, field->name,
                            "is not UTF-8 text without NULs", err);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        const struct level inner = { level, field->name, field->descriptor,
                                     level->depth + 1 };

        return check_level(&inner, value, err);
    }
    return 0;
}

static int check_level(const struct level *level, struct wire_input input,
                       struct error *err)
{
    if (level->depth > DEPTH_MAX)
        return refuse_message(level, err);
    while (input.at < input.end) {
        const ProtobufCFieldDescriptor *field;
        struct wire_field taken;

        if (!wire_next(&input, &taken))
            return refuse_message(level, err);
        field = protobuf_c_message_descriptor_get_field(level->descriptor,
                                                        taken.tag >> 3);
        if (field != NULL && (taken.tag & 7) == WIRE_BYTES &&
            check_field(level, field, taken.bytes, err) < 0)
            return -1;
    }
    return 0;
}

int wire_check(const ProtobufCMessageDescriptor *descriptor,
               const uint8_t *bytes, size_t len, struct error *err)
{
    const struct level top = { .descriptor = descriptor };

    if (len == 0) /* an empty message may come as a null pointer */
        return 0;
    return check_level(&top, (struct wire_input){ bytes, bytes + len }, err);
}

/* ---- unpacking ----------------------------------------------------------- */

/* What the unpacker is handed; it does not say why it failed, so the allocator
 * remembers. */
struct source {
    struct arena *arena;
    bool exhausted;
};

static void *source_alloc(void *data, size_t size)
{
    struct source *source = data;
    void *memory = arena_alloc(source->arena, size);

    if (memory == NULL)
        source->exhausted = true;
    return memory;
}

static void source_free(void *data, void *pointer)
{
    (void)data;
    (void)pointer;
}

ProtobufCMessage *wire_unpack(const ProtobufCMessageDescriptor *descriptor,
                              const uint8_t *bytes, size_t len,
                              struct arena *arena, struct error *err)
{
    struct source source = { arena, false };
    ProtobufCAllocator allocator = { source_alloc, source_free, &source };
    const struct level top = { .descriptor = descriptor };
    ProtobufCMessage *message;

    if (wire_check(descriptor, bytes, len, err) < 0)
        return NULL;
    message = protobuf_c_message_unpack(descriptor, &allocator, len, bytes);
    if (message != NULL)
        return message;
    if (source.exhausted)
        error_exhausted(err);
    else
        refuse_message(&top, err);
    return NULL;
}
