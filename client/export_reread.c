/* SPDX-License-Identifier: Apache-2.0 */
/* What was exported is read again before anybody else does. */
#include <inttypes.h>
#include <string.h>

#include "client/export.h"

/* A million ranks: a text of 64 bytes for each, and 12 bytes more. */
enum { REREAD_BYTES_MAX = 256 << 20 };

static int differs(const struct exported *e, const char *what,
                   struct error *err)
{
    return error_set(err, STATUS_INTERNAL,
                     "what was written as %.64s says something else when it is "
                     "read again, so it is not handed out: %.256s; please "
                     "report this",
                     option_value(e->v, "as"), what);
}

static int compare_rank(const struct exported *e, const struct seating *seats,
                        const struct export_host *host, uint32_t rank,
                        struct error *err)
{
    uint32_t slot = host->slot + rank - host->first;
    struct text what = { 0 };
    int rc = 0;

    if (strcmp(seats->hosts[rank], host->name) != 0)
        text_printf(&what, "rank %" PRIu32 " is on %s there, and not on %s",
                    rank, seats->hosts[rank], host->name);
    else if (seats->slots != NULL && seats->slots[rank] != slot)
        text_printf(&what,
                    "rank %" PRIu32 " has slot %" PRIu32
                    " there, and not %" PRIu32,
                    rank, seats->slots[rank], slot);
    if (what.len > 0)
        rc = differs(e, text_string(&what), err);
    text_close(&what);
    return rc;
}

static int compare(const struct exported *e, const struct seating *seats,
                   struct error *err)
{
    for (size_t i = 0; i < e->given->n_used; i++) {
        const struct export_host *host = &e->given->items[i];

        for (uint32_t k = 0; k < host->used; k++)
            if (compare_rank(e, seats, host, host->first + k, err) < 0)
                return -1;
    }
    return 0;
}

int export_reread(const struct exported *e, seating_fn *read, const char *text,
                  size_t len, struct error *err)
{
    struct arena *arena = arena_new(REREAD_BYTES_MAX);
    struct seating seats;
    struct error why;
    int rc;

    if (arena == NULL)
        return error_exhausted(err);
    rc = seating_read(arena, read, text, len, e->n_ranks, &seats, &why);
    if (rc == 0)
        rc = compare(e, &seats, err);
    else if (why.status == STATUS_EXHAUSTED)
        *err = why;
    else
        differs(e, why.text, err);
    arena_free(arena);
    return rc;
}
