/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of lists that may be larger than an answer. */
#include "daemon/page.h"

#include <string.h>

/* A field's key and length, in front of each thing. */
enum { FIELD_BYTES = 5 };

int page_refuse(struct error *err)
{
    return error_set(err, STATUS_INVALID,
                     "the page_token is none that an answer of this list had; "
                     "leave it out to begin anew");
}

int page_open(struct page *page, char kind, uint32_t most, const char *token,
              struct error *err)
{
    *page = (struct page){ .most = most };
    if (token == NULL || token[0] == '\0')
        return 0;
    if (token[0] != kind || token[1] != ':' || token[2] == '\0' ||
        strlen(token) > PAGE_TOKEN_BYTES_MAX)
        return page_refuse(err);
    page->after = token + 2;
    return 0;
}

bool page_take(struct page *page, size_t bytes)
{
    bytes += FIELD_BYTES;
    if (page->n > 0 && (page->bytes + bytes > PAGE_BYTES_MAX ||
                        (page->most != 0 && page->n == page->most)))
        return false;
    page->bytes += bytes;
    page->n++;
    return true;
}

char *page_token(struct arena *arena, char kind, const char *after)
{
    return arena_printf(arena, "%c:%s", kind, after);
}
