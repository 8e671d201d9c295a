/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of one placement: a row for each rank. */
#include "daemon/boot_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/journal.h"

const char *boot_state_name(enum boot_state state)
{
    static const char *const names[] = {
        [BOOT_PLACED] = "placed",
        [BOOT_BOOTING] = "booting",
        [BOOT_READY] = "ready",
        [BOOT_DEGRADED] = "degraded",
    };

    return names[state];
}

uint64_t boots_now(const struct boots *boots)
{
    return uv_now(daemon_loop(boots->daemon));
}

/* ---- making -------------------------------------------------------------- */

struct boot *boot_find(const struct boots *boots, const struct live *live)
{
    struct boot *boot = index_find(&boots->index, live->name);

    if (boot != NULL && boot->generation.epoch == live->generation.epoch &&
        boot->generation.rev == live->generation.rev)
        return boot;
    return NULL;
}

static void list_ranks(const struct live *live, uint32_t *ret)
{
    uint32_t n = 0;

    for (uint32_t rank = 0; rank < live->common.bound; rank++)
        if (live->common.used[rank])
            ret[n++] = rank;
}

struct boot *boot_new(struct boots *boots, const struct live *live)
{
    struct boot *boot = calloc(1, sizeof(*boot));

    if (boot == NULL)
        return NULL;
    boot->boots = boots;
    boot->world = live->common.n_ranks;
    boot->generation = live->generation;
    boot->since_ms = boots_now(boots);
    boot->name = strdup(live->name);
    boot->ranks = calloc(boot->world + 1, sizeof(*boot->ranks));
    boot->members = calloc(boot->world + 1, sizeof(*boot->members));
    boot->address = strdup("");
    if (boot->name == NULL || boot->ranks == NULL || boot->members == NULL ||
        boot->address == NULL || index_add(&boots->index, boot) < 0) {
        boot_free(boot);
        return NULL;
    }
    list_ranks(live, boot->ranks);
    boot->next = boots->first;
    boot->link = &boots->first;
    if (boot->next != NULL)
        boot->next->link = &boot->next;
    boots->first = boot;
    return boot;
}

void boot_free(struct boot *boot)
{
    if (boot->link != NULL) {
        index_remove(&boot->boots->index, boot);
        *boot->link = boot->next;
        if (boot->next != NULL)
            boot->next->link = boot->link;
    }
    free((char *)boot->name);
    free(boot->ranks);
    free(boot->members);
    free(boot->address);
    free(boot);
}

/* ---- members ------------------------------------------------------------- */

static int compare_ranks(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

struct member *boot_member(const struct boot *boot, uint32_t rank)
{
    const uint32_t *found = NULL;

    if (rank < boot->world && boot->ranks[rank] == rank)
        found = &boot->ranks[rank]; /* ranks are nearly always dense */
    else
        found = bsearch(&rank, boot->ranks, boot->world, sizeof(rank),
                        compare_ranks);
    return found != NULL ? &boot->members[found - boot->ranks] : NULL;
}

uint32_t boot_rank(const struct boot *boot, const struct member *member)
{
    return boot->ranks[member - boot->members];
}

static void note(struct boot *boot, const char *what, struct text *detail)
{
    journal(boot->boots->daemon, NULL, what, boot->name, text_string(detail));
    text_close(detail);
}

/* How the boot stands by its members. Those who left when all had come leave no
 * gap. */
static enum boot_state state_of(const struct boot *boot)
{
    bool was_whole = boot->state == BOOT_READY || boot->state == BOOT_DEGRADED;

    if (boot->n_here == boot->world)
        return BOOT_READY;
    if (!was_whole)
        return BOOT_BOOTING;
    return boot->n_here + boot->n_left < boot->world ? BOOT_DEGRADED
                                                     : BOOT_READY;
}

static void restate(struct boot *boot)
{
    enum boot_state before = boot->state;
    struct text detail = { 0 };

    boot->state = state_of(boot);
    if (boot->state == before || boot->state == BOOT_BOOTING)
        return;
    if (boot->state == BOOT_READY) {
        text_printf(&detail, "%" PRIu32 " workers", boot->n_here);
        note(boot, "ready", &detail);
        return;
    }
    text_put(&detail, "lost ");
    boot_missing_print(boot, &detail);
    note(boot, "degraded", &detail);
}

void boot_set(struct boot *boot, struct member *member, enum member_state state)
{
    boot->n_here -= member->state == MEMBER_HERE;
    boot->n_left -= member->state == MEMBER_LEFT;
    boot->n_lost -= member->state == MEMBER_LOST;
    member->state = state;
    boot->n_here += state == MEMBER_HERE;
    boot->n_left += state == MEMBER_LEFT;
    boot->n_lost += state == MEMBER_LOST;
    restate(boot);
}

/* ---- who is missing ------------------------------------------------------ */

uint32_t boot_missing(const struct boot *boot, uint32_t *ret, size_t *ret_n)
{
    uint32_t missing = boot->world - boot->n_here - boot->n_left;

    *ret_n = 0;
    for (uint32_t i = 0;
         i < boot->world && *ret_n < missing && *ret_n < BOOT_MISSING_MAX; i++)
        if (boot->members[i].state == MEMBER_ABSENT ||
            boot->members[i].state == MEMBER_LOST)
            ret[(*ret_n)++] = boot->ranks[i];
    return missing;
}

void boot_missing_print(const struct boot *boot, struct text *out)
{
    uint32_t ranks[BOOT_MISSING_MAX];
    size_t n;
    uint32_t missing = boot_missing(boot, ranks, &n);

    if (n > 8)
        n = 8;
    text_put(out, missing == 1 ? "rank " : "ranks ");
    for (size_t i = 0; i < n; i++)
        text_printf(out, "%s%" PRIu32, i > 0 ? ", " : "", ranks[i]);
    if (missing > n)
        text_printf(out, " and %" PRIu32 " more", missing - (uint32_t)n);
}
