/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that the daemon answers in pages, read to their ends. */
#ifndef SERRIED_CLIENT_PAGES_H
#define SERRIED_CLIENT_PAGES_H

#include "client/libserry/call.h"

/* A page as it came. */
struct page {
    void *const *items;
    size_t n;
    char *next; /* token of the next page; NULL or "": it was the last */
};

/* A method that answers in pages. */
struct paged {
    const ProtobufCServiceDescriptor *service;
    const char *method;
    struct page (*read)(const void *reply);
};

/* All items of all pages, in an arena that the caller frees or hands out. */
struct pages {
    struct arena *arena;
    void **items;
    size_t n, cap;
};

/* Asks for one page after the other. token: the field of the request.
 * Fails as serry_call() does; each page has the client's deadline.
 *   SERRY_INTERNAL  a page is empty, and yet not the last */
int pages_ask(struct serry_client *client, const struct paged *paged,
              const ProtobufCMessage *request, char **token, struct pages *ret,
              struct serry_error *err);

#endif
