/* SPDX-License-Identifier: Apache-2.0 */
/* What a call comes in: a packed serried.v1.Call, read by hand. */
#include "daemon/envelope.h"

#include <string.h>

#include "base/text.h"
#include "daemon/wire.h"
#include "proto/serried.pb-c.h"

/* Fields of Call, with their wire types. */
enum {
    TAG_METHOD = WIRE_TAG(1, WIRE_BYTES),
    TAG_REQUEST_ID = WIRE_TAG(2, WIRE_VARINT),
    TAG_DEADLINE = WIRE_TAG(3, WIRE_VARINT),
    TAG_METADATA = WIRE_TAG(4, WIRE_BYTES),
    TAG_REQUEST = WIRE_TAG(5, WIRE_BYTES),
    CALL_FIELDS = 5,
    TAG_KEY = WIRE_TAG(1, WIRE_BYTES), /* of Metadata */
    TAG_VALUE = WIRE_TAG(2, WIRE_BYTES),
    METADATA_FIELDS = 2,
};

struct reading {
    struct arena *arena;
    struct envelope *envelope;
    struct metadata **last; /* where the next one is linked */
    uint8_t *text_end;      /* of a text that has no NUL yet; NULL: none */
    struct error *err;
};

static int refuse(struct reading *r, const char *what)
{
    return error_set(r->err, STATUS_INVALID, "%s", what);
}

static int refuse_call(struct reading *r)
{
    return refuse(r, "the request is no serried.v1.Call message");
}

/* The next field. What stands behind a text is a tag, or the end: once that was
 * read, the NUL takes its place. */
static bool next_field(struct reading *r, struct wire_input *input,
                       struct wire_field *ret)
{
    const bool is_one = wire_next(input, ret);

    if (r->text_end != NULL)
        *r->text_end = '\0';
    r->text_end = NULL;
    return is_one;
}

static int take_text(struct reading *r, const struct wire_field *field,
                     const char *name, const char **ret)
{
    const char *text = (const char *)field->bytes.at;
    const size_t len = (size_t)(field->bytes.end - field->bytes.at);

    if (!text_is_utf8(text, len))
        return error_set(r->err, STATUS_INVALID,
                         "%s is not UTF-8 text without NULs", name);
    r->text_end = (uint8_t *)(uintptr_t)field->bytes.end;
    *ret = text;
    return 0;
}

static int take_metadata(struct reading *r, struct wire_input input)
{
    struct metadata *pair = arena_alloc(r->arena, sizeof(*pair));
    struct wire_field field;
    int rc = 0;

    if (pair == NULL)
        return error_exhausted(r->err);
    *r->last = pair;
    r->last = &pair->next;
    while (rc == 0 && input.at < input.end) {
        if (!next_field(r, &input, &field))
            return refuse(r, "metadata is cut short or no message");
        if (field.tag == TAG_KEY)
            rc = take_text(r, &field, "metadata.key", &pair->key);
        else if (field.tag == TAG_VALUE)
            rc = take_text(r, &field, "metadata.value", &pair->value);
        else if (field.tag >> 3 <= METADATA_FIELDS)
            rc = refuse_call(r);
    }
    return rc;
}

static int take_field(struct reading *r, const struct wire_field *field)
{
    struct envelope *envelope = r->envelope;

    switch (field->tag) {
    case TAG_METHOD:
        return take_text(r, field, "method", &envelope->method);
    case TAG_REQUEST_ID:
        envelope->has_request_id = true;
        envelope->request_id = field->value;
        return 0;
    case TAG_DEADLINE:
        envelope->deadline_ms = (uint32_t)field->value;
        return 0;
    case TAG_METADATA:
        return take_metadata(r, field->bytes);
    case TAG_REQUEST:
        envelope->request = field->bytes.at;
        envelope->request_len = (size_t)(field->bytes.end - field->bytes.at);
        return 0;
    default: /* of another wire type, or of a later version */
        return field->tag >> 3 <= CALL_FIELDS ? refuse_call(r) : 0;
    }
}

int envelope_read(const void *bytes, size_t len, struct arena *arena,
                  struct envelope *ret, struct error *err)
{
    struct envelope envelope = { 0 };
    struct reading r = { .arena = arena,
                         .envelope = &envelope,
                         .last = &envelope.metadata,
                         .err = err };
    uint8_t *copy = arena_room(arena, len + 1);
    struct wire_input input;
    struct wire_field field;

    if (copy == NULL)
        return error_exhausted(err);
    if (len > 0)
        memcpy(copy, bytes, len);
    input = (struct wire_input){ copy, copy + len };
    while (input.at < input.end) {
        if (!next_field(&r, &input, &field))
            return refuse_call(&r);
        if (take_field(&r, &field) < 0)
            return -1;
    }
    if (r.text_end != NULL)
        *r.text_end = '\0';
    *ret = envelope;
    return 0;
}
