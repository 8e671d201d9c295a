/* SPDX-License-Identifier: Apache-2.0 */
/* The sentence about ranks that must stand together and find no room. */
#include <inttypes.h>
#include <string.h>

#include "placement/place_parts.h"

struct telling {
    struct arena *arena;
    const struct place_request *request;
    bool now; /* of what is free now, not of all that is declared */
    struct text *out;
    const struct place_axis *first; /* that was named */
};

static const unsigned near = 1u << LINK_NVLINK, host = 1u << LINK_HOST,
                      block = 1u << LINK_BLOCK;

/* ---- who wants it ------------------------------------------------------- */

/* Ranks of the largest group of an axis; 0: the arena is full. */
static uint32_t largest_group(const struct telling *t,
                              const struct place_axis *axis)
{
    struct arena_mark mark = arena_mark(t->arena);
    uint32_t *n = arena_array(t->arena, axis->n_groups, sizeof(*n)), most = 0;

    for (uint32_t p = 0; n != NULL && p < t->request->n_ranks; p++)
        if (axis->group_of[p] != GROUP_NONE && ++n[axis->group_of[p]] > most)
            most = n[axis->group_of[p]];
    arena_rewind(t->arena, mark);
    return most;
}

/* Names the axes that want one of the links in a mask for groups of so many
 * ranks (0: any). Returns the links that they want; 0: none does. */
static unsigned put_names(struct telling *t, unsigned links, uint64_t n_ranks)
{
    const char *before = NULL;
    unsigned wanted = 0;
    size_t named = 0;

    for (size_t a = 0; a < t->request->n_axes; a++) {
        const struct place_axis *axis = &t->request->axes[a];

        if ((links & 1u << axis->want) == 0 ||
            (before != NULL && strcmp(before, axis->name) == 0) ||
            (n_ranks != 0 && largest_group(t, axis) != n_ranks))
            continue;
        if (t->first == NULL)
            t->first = axis;
        text_printf(t->out, "%s%s", before != NULL ? ", " : "", axis->name);
        before = axis->name;
        wanted |= 1u << axis->want;
        named++;
    }
    if (named > 0)
        text_put(t->out, named == 1 ? " wants" : " want");
    return wanted;
}

/* Those whose groups are that large; where it is only groups that overlap which
 * make the set, all that take part. */
static unsigned put_wanting(struct telling *t, unsigned links, uint64_t n_ranks)
{
    unsigned wanted = put_names(t, links, n_ranks);

    return wanted != 0 ? wanted : put_names(t, links, 0);
}

const struct place_axis *refuse_put_axes(const struct place_request *request,
                                         unsigned links, struct text *out)
{
    struct telling t = { .request = request, .out = out };

    put_names(&t, links, 0);
    return t.first;
}

/* ---- what there is ------------------------------------------------------ */

/* The most devices of one unit of each level that a site has. */
struct largest {
    uint32_t domain, host, island, block;
};

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void look_at_island(const struct site *site, uint32_t island,
                           struct largest *most)
{
    const struct span *subs = &site->islands[island];
    bool is_host = site->kinds[island] == ISLAND_HOST;
    uint32_t n = site_island_free(site, island);

    most->island = larger(n, most->island);
    if (is_host)
        most->host = larger(n, most->host);
    else
        most->domain = larger(n, most->domain);
    for (uint32_t s = subs->first; s < subs->first + subs->n; s++) {
        uint32_t *level = is_host ? &most->domain : &most->host;

        *level = larger(site->subs[s].n, *level);
    }
}

static struct largest largest_of(const struct site *site)
{
    struct largest most = { 0, 0, 0, 0 };

    for (uint32_t b = 0; b < site->n_blocks; b++) {
        const struct span *islands = &site->blocks[b];
        uint32_t in_block = 0;

        for (uint32_t i = islands->first; i < islands->first + islands->n;
             i++) {
            look_at_island(site, i, &most);
            in_block += site_island_free(site, i);
        }
        most.block = larger(in_block, most.block);
    }
    return most;
}

/* ---- the sentence ------------------------------------------------------- */

static const char *unit_name(unsigned wanted)
{
    if ((wanted & block) != 0)
        return "block";
    return wanted == near   ? "nvlink domain"
           : wanted == host ? "host"
                            : "host or domain";
}

/* "a wants 5 ranks together in one host, and the largest has 4 such devices" */
static void put_too_large(struct telling *t, unsigned links, uint64_t n,
                          const struct largest *most)
{
    unsigned wanted = put_wanting(t, links, n);

    text_printf(t->out,
                " %" PRIu64 " ranks together in one %s, and the largest has "
                "%" PRIu32 " such devices%s",
                n, unit_name(wanted),
                (wanted & block) != 0 ? most->block
                : wanted == near      ? most->domain
                : wanted == host      ? most->host
                                      : most->island,
                t->now ? " free" : ", also when all are free");
}

/* "a wants 4 sets of 4 ranks, each together in one host, and there is room for
 * 3" */
static void put_too_many(struct telling *t, const struct shape *shape,
                         uint64_t room)
{
    uint64_t bundle = (uint64_t)shape->n_knots * shape->knot;
    unsigned wanted =
        put_wanting(t, near | host | (shape->n_knots > 1 ? block : 0), bundle);

    if (wanted == 0)
        text_put(t->out, "the ranks want");
    text_printf(t->out, " %" PRIu32 " sets of %" PRIu64 " ranks, each together",
                shape->n, bundle);
    if (wanted != 0)
        text_printf(t->out, " in one %s", unit_name(wanted));
    text_printf(t->out, ", and there is room for %" PRIu64 "%s", room,
                t->now ? " now" : ", also when all are free");
}

const struct place_axis *
refuse_put_shape(struct arena *arena, const struct place_request *request,
                 const struct shape *shape, const struct site *site,
                 uint64_t missing, bool now, struct text *out)
{
    struct telling t = { arena, request, now, out, NULL };
    struct largest most = largest_of(site);
    const uint32_t *part = shape->part;
    uint64_t bundle = (uint64_t)shape->n_knots * shape->knot;

    if (shape->knot > most.island)
        put_too_large(&t, near | host, shape->knot, &most);
    else if (part[ISLAND_HOST] > 1 && part[ISLAND_HOST] > most.domain)
        put_too_large(&t, near, part[ISLAND_HOST], &most);
    else if (part[ISLAND_DOMAIN] > 1 && part[ISLAND_DOMAIN] > most.host)
        put_too_large(&t, host, part[ISLAND_DOMAIN], &most);
    else if (bundle > most.block)
        put_too_large(&t, block, bundle, &most);
    else
        put_too_many(&t, shape, shape->n - missing);
    return t.first;
}
