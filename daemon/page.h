/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of lists that may be larger than an answer, by gRPC's conventions. */
#ifndef SERRIED_DAEMON_PAGE_H
#define SERRIED_DAEMON_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "daemon/calls.h"

enum {
    /* A token names the last thing of a page, so that the next one goes on
     * behind it whatever came or went meanwhile. */
    PAGE_TOKEN_BYTES_MAX = 512,
    /* Of an answer, for the things of a page; the rest is for the token. */
    PAGE_BYTES_MAX = CALL_ANSWER_BYTES - 4096,
};

/* What is asked for, and how much is taken of it. */
struct page {
    uint32_t most;     /* things; 0: as many as fit */
    uint32_t n;        /* taken */
    size_t bytes;      /* likewise, packed */
    const char *after; /* what the token says behind its kind; NULL: from the
                        * beginning */
};

/* kind: one letter for each list, in front of its tokens. token: NULL or "":
 * the first page.
 *   STATUS_INVALID  the token is of another list, or none */
int page_open(struct page *page, char kind, uint32_t most, const char *token,
              struct error *err);

/* The same error for a token whose rest makes no sense to the list. */
int page_refuse(struct error *err);

/* Takes a thing that is `bytes` long when packed. false: it is for the next
 * page. The first is always taken. */
bool page_take(struct page *page, size_t bytes);

/* The token of the page behind the thing that `after` names, in arena; NULL: it
 * is full. */
char *page_token(struct arena *arena, char kind, const char *after);

#endif
