/* SPDX-License-Identifier: Apache-2.0 */
/* Between messages and the structs of serry.h. What is read points into the
 * message, and is made in the arena beside it. */
#ifndef SERRIED_CLIENT_CONVERT_H
#define SERRIED_CLIENT_CONVERT_H

#include "client/libserry/call.h"

/* Text that is never NULL. */
const char *convert_text(const char *text);

/* Absent: all 0. */
struct serry_generation convert_generation(const Serried__V1__Generation *from);

/* The other way, into `to`; returns it, or NULL for NULL. */
Serried__V1__Generation *
convert_to_generation(const struct serry_generation *from,
                      Serried__V1__Generation *to);

/* A document to send, into `to`; borrows its text. Returns it. */
Serried__V1__Document *convert_to_document(const struct serry_document *from,
                                           Serried__V1__Document *to);

/* 32 bytes, or all 0 where there are not so many. */
void convert_digest(const ProtobufCBinaryData *from,
                    uint8_t ret[SERRY_DIGEST_BYTES]);

/* Array of n pointers to zeroed elements of size bytes. NULL: arena full. */
void *convert_array(struct arena *arena, size_t n, size_t size);

/* n events; NULL: arena full. */
const struct serry_event *const *
convert_events(struct arena *arena, Serried__V1__Event *const *from, size_t n);

/* Ends a function: hands out result, or refuses when it is NULL because the
 * arena is full, and frees the arena. */
int convert_done(struct arena *arena, void *result, struct serry_error *err);

#endif
