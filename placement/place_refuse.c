/* SPDX-License-Identifier: Apache-2.0 */
/* Why a request was not placed: never, not now, or not yet declared. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "placement/place_parts.h"

enum { HOLDERS_NAMED = 3 }; /* in the sentence; the list has all */

struct refusing {
    struct arena *arena;
    const struct topology *topology;
    const struct occupancy *occupancy;
    const struct place_request *request;
    const struct demand *demand;
    struct place_refusal *ret;
    struct error *err;
};

static const char *const codes[] = {
    [PLACE_NEVER] = "place.never",
    [PLACE_NOT_NOW] = "place.not_now",
    [PLACE_NOT_DECLARED] = "place.not_declared",
};

/* ---- counting ----------------------------------------------------------- */

static void count_device(struct refusing *r, uint32_t d, uint32_t *by_holder)
{
    const struct topology *t = r->topology;
    const struct host *host = &t->hosts[t->devices[d].host];
    struct place_refusal *ret = r->ret;

    if (!device_wanted(t, r->request, d)) {
        ret->not_wanted++;
        return;
    }
    ret->no_domain += t->devices[d].domain == DOMAIN_NONE;
    if (host->spare && !r->request->spares) {
        ret->spare++;
    } else if (r->occupancy->holders != NULL &&
               r->occupancy->holders[d] != HOLDER_NONE) {
        ret->held++;
        by_holder[r->occupancy->holders[d]]++;
    } else if (host->state != HOST_READY) {
        ret->not_ready++;
    } else {
        ret->free++;
    }
}

struct named_holder {
    struct place_holder holder;
    const char *name;
};

static int compare_holders(const void *va, const void *vb)
{
    const struct named_holder *a = va, *b = vb;

    if (a->holder.n_devices != b->holder.n_devices)
        return a->holder.n_devices > b->holder.n_devices ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int list_holders(struct refusing *r, const uint32_t *by_holder)
{
    uint32_t n = r->occupancy->n_names, m = 0;
    struct named_holder *all = arena_array(r->arena, n, sizeof(*all));
    struct place_holder *list = arena_array(r->arena, n, sizeof(*list));

    if (all == NULL || list == NULL)
        return error_exhausted(r->err);
    for (uint32_t h = 0; h < n; h++)
        if (by_holder[h] > 0)
            all[m++] = (struct named_holder){ { h, by_holder[h] },
                                              r->occupancy->names[h] };
    qsort(all, m, sizeof(*all), compare_holders);
    for (uint32_t h = 0; h < m; h++)
        list[h] = all[h].holder;
    r->ret->holders = list;
    r->ret->n_holders = m;
    return 0;
}

static int count_all(struct refusing *r)
{
    uint32_t *by_holder =
        arena_array(r->arena, r->occupancy->n_names, sizeof(*by_holder));

    if (by_holder == NULL)
        return error_exhausted(r->err);
    for (uint32_t d = 0; d < r->topology->n_devices; d++)
        count_device(r, d, by_holder);
    for (uint32_t h = 0; h < r->topology->n_hosts; h++)
        r->ret->unknown_hosts +=
            !r->topology->hosts[h].devices_known &&
            (r->request->hosts == NULL || r->request->hosts[h]);
    r->ret->wanted = r->request->n_ranks;
    return list_holders(r, by_holder);
}

/* ---- sentences ---------------------------------------------------------- */

static void put_holders(const struct refusing *r, struct text *out)
{
    const struct place_refusal *ret = r->ret;
    size_t n = ret->n_holders < HOLDERS_NAMED ? ret->n_holders : HOLDERS_NAMED;

    for (size_t h = 0; h < n; h++)
        text_printf(out, "%s%s holds %" PRIu32, h > 0 ? ", " : "; ",
                    r->occupancy->names[ret->holders[h].holder],
                    ret->holders[h].n_devices);
    if (ret->n_holders > n)
        text_printf(out, ", %zu more hold the rest of %" PRIu32,
                    ret->n_holders - n, ret->held);
    if (ret->not_ready > 0)
        text_printf(out, "; %" PRIu32 " stand on hosts that are not ready",
                    ret->not_ready);
    if (ret->spare > 0)
        text_printf(out, "; %" PRIu32 " are spares", ret->spare);
}

/* ---- which of the three ------------------------------------------------- */

/* Whether the request fits into a view of the cluster; what does not in
 * *ret_short. The site is packed again for sentences. */
static int fits_in(struct refusing *r, enum site_view view, bool *ret_fits,
                   struct short_of *ret_short)
{
    uint32_t *devices =
        arena_array(r->arena, r->request->n_ranks, sizeof(*devices));
    struct site site;

    if (devices == NULL)
        return error_exhausted(r->err);
    if (site_make(r->arena, r->topology, r->occupancy, r->request, view, NULL,
                  &site, r->err) < 0)
        return -1;
    return place_pack(r->arena, &site, r->demand, devices, ret_fits, ret_short,
                      r->err);
}

static int site_of(struct refusing *r, enum site_view view, struct site *ret)
{
    return site_make(r->arena, r->topology, r->occupancy, r->request, view,
                     NULL, ret, r->err);
}

static uint32_t ever_usable(const struct place_refusal *ret)
{
    return ret->free + ret->held + ret->not_ready;
}

static void put_short(struct refusing *r, const struct site *site,
                      const struct short_of *missing, bool now,
                      struct text *out)
{
    r->ret->axis = refuse_put_shape(r->arena, r->request,
                                    &r->demand->shapes[missing->shape], site,
                                    missing->n, now, out);
}

static int say_not_now(struct refusing *r, const struct short_of *missing,
                       struct text *out)
{
    struct site site;

    r->ret->outcome = PLACE_NOT_NOW;
    if (r->ret->free < r->ret->wanted) {
        text_printf(
            out, "%" PRIu32 " devices are wanted and %" PRIu32 " are free now",
            r->ret->wanted, r->ret->free);
    } else {
        if (site_of(r, SITE_NOW, &site) < 0)
            return -1;
        text_printf(out, "%" PRIu32 " devices are free, but ", r->ret->free);
        put_short(r, &site, missing, true, out);
    }
    put_holders(r, out);
    return 0;
}

static int say_not_declared(struct refusing *r, struct text *out)
{
    const struct place_refusal *ret = r->ret;

    r->ret->outcome = PLACE_NOT_DECLARED;
    if (r->topology->n_hosts == 0)
        text_printf(out,
                    "%" PRIu32 " devices are wanted, and no host is "
                    "declared yet",
                    ret->wanted);
    else if (ever_usable(ret) < ret->wanted)
        text_printf(out,
                    "%" PRIu32 " devices are wanted and %" PRIu32
                    " are declared; of %" PRIu32 " hosts it is not "
                    "declared what they have",
                    ret->wanted, ever_usable(ret), ret->unknown_hosts);
    else {
        r->ret->axis = refuse_put_axes(
            r->request, 1u << LINK_NVLINK | 1u << LINK_HOST | 1u << LINK_BLOCK,
            out);
        text_printf(out,
                    " ranks that are linked, and it is not declared "
                    "how %" PRIu32 " of the devices are: say the domain "
                    "or block of their hosts",
                    ret->no_domain);
    }
    return 0;
}

static int say_never(struct refusing *r, const struct short_of *missing,
                     struct text *out)
{
    const struct place_refusal *ret = r->ret;
    struct site site;

    r->ret->outcome = PLACE_NEVER;
    if (ever_usable(ret) < ret->wanted) {
        text_printf(out,
                    "%" PRIu32 " devices are wanted, and %" PRIu32
                    " that fit are declared",
                    ret->wanted, ever_usable(ret));
        if (ret->spare > 0)
            text_printf(out, " besides %" PRIu32 " spares", ret->spare);
        return 0;
    }
    if (site_of(r, SITE_IDEAL, &site) < 0)
        return -1;
    put_short(r, &site, missing, false, out);
    return 0;
}

/* Which one, and the sentence. */
static int decide(struct refusing *r, const struct short_of *missing,
                  struct text *out)
{
    bool ideal = false, guessed = false;
    struct short_of of_ideal = { 0, 0 }, ignored;
    bool enough = ever_usable(r->ret) >= r->ret->wanted;

    if (r->topology->n_hosts == 0 || (!enough && r->ret->unknown_hosts > 0))
        return say_not_declared(r, out);
    if (enough && fits_in(r, SITE_IDEAL, &ideal, &of_ideal) < 0)
        return -1;
    if (ideal)
        return say_not_now(r, missing, out);
    if (enough && fits_in(r, SITE_GUESSED, &guessed, &ignored) < 0)
        return -1;
    if (guessed || (enough && r->ret->unknown_hosts > 0))
        return say_not_declared(r, out);
    return say_never(r, &of_ideal, out);
}

int place_refuse(struct arena *arena, const struct topology *topology,
                 const struct occupancy *occupancy,
                 const struct place_request *request,
                 const struct demand *demand, const struct short_of *missing,
                 struct place_refusal *ret, struct error *err)
{
    struct refusing r = {
        arena, topology, occupancy, request, demand, ret, err
    };
    struct text sentence = { 0 };
    int rc = -1;

    if (count_all(&r) == 0 && decide(&r, missing, &sentence) == 0) {
        ret->code = codes[ret->outcome];
        ret->text = arena_strdup(arena, text_string(&sentence));
        rc = ret->text == NULL || sentence.failed ? error_exhausted(err) : 0;
    }
    text_close(&sentence);
    if (rc < 0) {
        ret->outcome = PLACE_DONE;
        return -1;
    }
    return error_set(
        err, ret->outcome == PLACE_NOT_NOW ? STATUS_EXHAUSTED : STATUS_REFUSED,
        "%s", ret->text);
}
