/* SPDX-License-Identifier: Apache-2.0 */
/* Between messages and the structs of serry.h. */
#include "client/libserry/convert.h"

#include <string.h>

const char *convert_text(const char *text)
{
    return text != NULL ? text : "";
}

struct serry_generation convert_generation(const Serried__V1__Generation *from)
{
    if (from == NULL)
        return (struct serry_generation){ 0, 0 };
    return (struct serry_generation){ from->epoch, from->revision };
}

Serried__V1__Generation *
convert_to_generation(const struct serry_generation *from,
                      Serried__V1__Generation *to)
{
    if (from == NULL)
        return NULL;
    serried__v1__generation__init(to);
    to->has_epoch = to->has_revision = true;
    to->epoch = from->epoch;
    to->revision = from->revision;
    return to;
}

Serried__V1__Document *convert_to_document(const struct serry_document *from,
                                           Serried__V1__Document *to)
{
    serried__v1__document__init(to);
    /* protobuf-c has no word for text that is only read. */
    to->text = (char *)from->text;
    to->source = (char *)from->source;
    to->has_line = from->line != 0;
    to->line = from->line;
    return to;
}

void convert_digest(const ProtobufCBinaryData *from,
                    uint8_t ret[SERRY_DIGEST_BYTES])
{
    memset(ret, 0, SERRY_DIGEST_BYTES);
    if (from->len == SERRY_DIGEST_BYTES)
        memcpy(ret, from->data, SERRY_DIGEST_BYTES);
}

void *convert_array(struct arena *arena, size_t n, size_t size)
{
    void **pointers = arena_array(arena, n, sizeof(*pointers));
    char *elements = arena_array(arena, n, size);

    if (pointers == NULL || elements == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        pointers[i] = elements + i * size;
    return pointers;
}

const struct serry_event *const *
convert_events(struct arena *arena, Serried__V1__Event *const *from, size_t n)
{
    struct serry_event **events = convert_array(arena, n, sizeof(**events));

    for (size_t i = 0; events != NULL && i < n; i++)
        *events[i] = (struct serry_event){
            .sequence = from[i]->sequence,
            .position = convert_generation(from[i]->position),
            .time_ms = from[i]->time_ms,
            .who = convert_text(from[i]->who),
            .what = convert_text(from[i]->what),
            .subject = convert_text(from[i]->subject),
            .detail = convert_text(from[i]->detail),
        };
    return (const struct serry_event *const *)events;
}

int convert_done(struct arena *arena, void *result, struct serry_error *err)
{
    if (result != NULL)
        return 0;
    arena_free(arena);
    return refuse_exhausted(err);
}
