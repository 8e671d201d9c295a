/* SPDX-License-Identifier: Apache-2.0 */
/* The two sides of placing: what the cluster has free, and which ranks must
 * stand together. Private to place*.c and replace*.c. */
#ifndef SERRIED_PLACEMENT_PLACE_PARTS_H
#define SERRIED_PLACEMENT_PLACE_PARTS_H

#include "placement/place.h"

/* ---- the cluster ---------------------------------------------------------
 *
 * Devices form subs, subs islands, islands blocks. An island is a host, with
 * its NVLink domains as subs, or a domain that spans hosts, with these as subs:
 * where domains and hosts are nested, each is one of both. Where they overlap
 * in another way, every host's part of a domain is an island: what is said to
 * be close is always close, though not all that is close is said. A block is a
 * declared one; an island that is in none, or in several, is one of its own. */

enum island_kind { ISLAND_HOST, ISLAND_DOMAIN };

/* The units of a device, each named by its lowest device. */
struct units {
    uint32_t sub, island, block;
    enum island_kind kind;
};

/* What to pretend: for telling why a request was refused. */
enum site_view {
    SITE_NOW,     /* what is free and ready */
    SITE_IDEAL,   /* all hosts ready, nothing held */
    SITE_GUESSED, /* and all unknown domains and blocks one of each */
};

struct span {
    uint32_t first, n; /* of what is one level below, in order */
};

struct site {
    const struct topology *topology;
    struct units *units; /* of every device */
    uint32_t *devices;   /* that may be taken, by block, island, sub */
    uint32_t n_devices;
    struct span *subs; /* of devices; n shrinks from the front as they go */
    struct span *islands, *blocks;
    enum island_kind *kinds; /* of islands */
    uint32_t *sizes[2]; /* all devices of a sub or island, taken or not, at its
                           lowest device */
    uint32_t n_subs, n_islands, n_blocks;
};

/* usable: by device; NULL: as view and request say. */
int site_make(struct arena *arena, const struct topology *topology,
              const struct occupancy *occupancy,
              const struct place_request *request, enum site_view view,
              const bool *usable, struct site *ret, struct error *err);

/* Only the units of all devices; site.devices is empty. */
int site_units(struct arena *arena, const struct topology *topology,
               enum site_view view, struct site *ret, struct error *err);

/* Whether the request may ever use a device. */
bool device_wanted(const struct topology *topology,
                   const struct place_request *request, uint32_t device);

uint32_t site_island_size(const struct site *site, uint32_t island);
uint32_t site_sub_size(const struct site *site, uint32_t sub); /* not empty */
uint32_t site_island_free(const struct site *site, uint32_t island);

/* ---- the ranks ------------------------------------------------------------
 *
 * A knot is a set of ranks that must be in one island, because groups that want
 * a domain or a host overlap; a bundle is a set of knots that must be in one
 * block. In an island that is a host the parts of a knot that want a domain
 * must each be in one sub; in one that is a domain, those that want a host. */

/* What bundles of one shape need. */
struct shape {
    uint32_t n_knots; /* in a bundle */
    uint32_t knot;    /* ranks in a knot */
    uint32_t part[2]; /* ranks in a part, by island kind; divides knot */
    uint32_t n;       /* bundles of this shape */
    uint32_t first;   /* where their positions begin in the orders */
    bool exact;       /* false: more is asked for than need be, since its knots
                         or parts differ */
};

struct demand {
    uint32_t n_ranks;
    uint32_t *bundle, *knot; /* of each position, by their lowest position */
    uint32_t *part[2];       /* likewise, by island kind */
    uint32_t *order[2];      /* positions by shape, bundle, knot, part */
    struct shape *shapes;    /* those that are hardest to place first */
    size_t n_shapes;
};

int demand_make(struct arena *arena, const struct place_request *request,
                struct demand *ret, struct error *err);

/* ---- packing ------------------------------------------------------------ */

/* How many knots of the shape an island can take. */
uint64_t knots_in_island(const struct site *site, uint32_t island,
                         const struct shape *shape);

/* What found no room. */
struct short_of {
    size_t shape; /* of demand.shapes */
    uint64_t n;   /* bundles of it */
};

/* Packs all; false: some found no room, and the site is spoilt. */
int place_pack(struct arena *arena, struct site *site,
               const struct demand *demand, uint32_t *devices, bool *ret_fits,
               struct short_of *ret_short, struct error *err);

/* ---- refusing ----------------------------------------------------------- */

/* Says which axes want what for a shape of which so many bundles are missing,
 * and what the site has: of what is free now, or of all that is declared.
 * Returns the first axis, or NULL. */
const struct place_axis *
refuse_put_shape(struct arena *arena, const struct place_request *request,
                 const struct shape *shape, const struct site *site,
                 uint64_t missing, bool now, struct text *out);

/* The axes that want one of the links in a mask: "a, b want". Returns the first
 * one, or NULL. */
const struct place_axis *refuse_put_axes(const struct place_request *request,
                                         unsigned links, struct text *out);

/* Finds out why, and returns -1. */
int place_refuse(struct arena *arena, const struct topology *topology,
                 const struct occupancy *occupancy,
                 const struct place_request *request,
                 const struct demand *demand, const struct short_of *missing,
                 struct place_refusal *ret, struct error *err);

#endif
