/* SPDX-License-Identifier: Apache-2.0 */
/* Messages from the daemon: unpacked into an arena, their text checked. */
#include <string.h>

#include "base/text.h"
#include "client/libserry/call.h"

static void *arena_take(void *data, size_t size)
{
    return arena_alloc(data, size);
}

static void arena_keep(void *data, void *pointer)
{
    (void)data;
    (void)pointer;
}

static bool is_text_clean(const ProtobufCMessage *message);

/* Whether one value of a field is clean; others than text and messages are. */
static bool is_value_clean(const ProtobufCFieldDescriptor *field,
                           const void *pointer)
{
    if (pointer == NULL)
        return true;
    if (field->type == PROTOBUF_C_TYPE_STRING)
        return text_is_utf8(pointer, strlen(pointer));
    return is_text_clean(pointer);
}

static bool is_field_clean(const ProtobufCFieldDescriptor *field,
                           const ProtobufCMessage *message)
{
    const char *base = (const char *)message;
    const void *member = base + field->offset;
    size_t n;

    if (field->type != PROTOBUF_C_TYPE_STRING &&
        field->type != PROTOBUF_C_TYPE_MESSAGE)
        return true;
    if (field->label != PROTOBUF_C_LABEL_REPEATED)
        return is_value_clean(field, *(void *const *)member);
    n = *(const size_t *)(const void *)(base + field->quantifier_offset);
    for (size_t i = 0; i < n; i++)
        if (!is_value_clean(field, (*(void **const *)member)[i]))
            return false;
    return true;
}

/* No message of the .proto holds one of its own kind, so this ends. */
static bool is_text_clean(const ProtobufCMessage *message)
{
    for (unsigned f = 0; f < message->descriptor->n_fields; f++)
        if (!is_field_clean(&message->descriptor->fields[f], message))
            return false;
    return true;
}

void *call_unpack(struct arena *arena, const ProtobufCMessageDescriptor *type,
                  const void *bytes, size_t len)
{
    ProtobufCAllocator allocator = { arena_take, arena_keep, arena };
    ProtobufCMessage *message =
        protobuf_c_message_unpack(type, &allocator, len, bytes);

    return message != NULL && is_text_clean(message) ? message : NULL;
}
