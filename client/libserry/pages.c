/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that the daemon answers in pages, read to their ends. */
#include "client/libserry/pages.h"

#include <string.h>

static int add(struct pages *pages, const struct page *page)
{
    if (page->n > pages->cap - pages->n) {
        size_t cap = pages->cap * 2 + page->n;
        void **more = arena_array(pages->arena, cap, sizeof(*more));

        if (more == NULL)
            return -1;
        if (pages->n > 0)
            memcpy(more, pages->items, pages->n * sizeof(*more));
        pages->items = more;
        pages->cap = cap;
    }
    if (page->n > 0)
        memcpy(pages->items + pages->n, page->items,
               page->n * sizeof(*pages->items));
    pages->n += page->n;
    return 0;
}

static int ask_all(struct serry_client *client, const struct paged *paged,
                   const ProtobufCMessage *request, char **token,
                   struct pages *pages, struct serry_error *err)
{
    do {
        struct call_reply reply;
        struct page page;

        if (call_method_in(client, pages->arena, paged->service, paged->method,
                           request, NULL, &reply, err) < 0)
            return -1;
        page = paged->read(reply.message);
        if (add(pages, &page) < 0)
            return refuse_exhausted(err);
        *token = page.next;
        if (page.n == 0 && *token != NULL && **token != '\0')
            return refuse(err, SERRY_INTERNAL,
                          "%s: the daemon answers an empty page that is not "
                          "the last",
                          paged->method);
    } while (*token != NULL && **token != '\0');
    return 0;
}

int pages_ask(struct serry_client *client, const struct paged *paged,
              const ProtobufCMessage *request, char **token, struct pages *ret,
              struct serry_error *err)
{
    struct pages pages = { .arena = arena_new(RESULT_BYTES_MAX) };

    if (pages.arena == NULL)
        return refuse_exhausted(err);
    if (ask_all(client, paged, request, token, &pages, err) < 0) {
        arena_free(pages.arena);
        return -1;
    }
    *ret = pages;
    return 0;
}
