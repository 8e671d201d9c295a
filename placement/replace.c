/* SPDX-License-Identifier: Apache-2.0 */
/* Places a request again; what moved and what that means. */
#include "placement/replace.h"

#include <string.h>

#include "placement/replace_parts.h"

struct replacing {
    struct arena *arena;
    const struct topology *topology;
    const struct occupancy *occupancy;
    struct place_request request; /* with spares */
    const struct replace_from *from;
    uint32_t *devices;
    bool *usable;
    struct error *err;
};

static bool has_failed(const struct replacing *r, uint32_t device)
{
    return r->from->failed != NULL && r->from->failed[device];
}

static bool is_held(const struct replacing *r, uint32_t device)
{
    return r->occupancy->holders != NULL &&
           r->occupancy->holders[device] != HOLDER_NONE;
}

/* Work that is there stays on a cordoned host. */
static bool may_stay(const struct replacing *r, uint32_t device)
{
    const struct host *host =
        &r->topology->hosts[r->topology->devices[device].host];

    return !has_failed(r, device) &&
           device_wanted(r->topology, &r->request, device) &&
           (host->state == HOST_READY || host->state == HOST_CORDONED);
}

static bool may_come(const struct replacing *r, uint32_t device)
{
    const struct host *host =
        &r->topology->hosts[r->topology->devices[device].host];

    return !has_failed(r, device) && !is_held(r, device) &&
           device_wanted(r->topology, &r->request, device) &&
           host->state == HOST_READY;
}

/* What stays, and what may be had. */
static int sort_out(struct replacing *r)
{
    uint32_t n = r->topology->n_devices;
    bool *met = arena_array(r->arena, n, sizeof(*met));

    r->usable = arena_array(r->arena, n, sizeof(*r->usable));
    r->devices = arena_array(r->arena, r->request.n_ranks, sizeof(*r->devices));
    if (met == NULL || r->usable == NULL || r->devices == NULL)
        return error_exhausted(r->err);
    for (uint32_t d = 0; d < n; d++)
        r->usable[d] = may_come(r, d);
    for (uint32_t p = 0; p < r->request.n_ranks; p++) {
        uint32_t device = r->from->devices[p];

        r->devices[p] = DEVICE_NONE;
        if (device == DEVICE_NONE)
            continue;
        if (device >= n || met[device] || is_held(r, device))
            return error_set(r->err, STATUS_INVALID,
                             "position %u has device %u, which %s", p, device,
                             device >= n   ? "is not there"
                             : met[device] ? "another has too"
                                           : "others hold");
        met[device] = true;
        if (may_stay(r, device)) {
            r->devices[p] = device;
            r->usable[device] = true;
        }
    }
    return 0;
}

/* All from the start; what failed counts as held. */
static int place_anew(struct replacing *r, struct place_refusal *ret_refusal)
{
    uint32_t n = r->topology->n_devices, n_names = r->occupancy->n_names;
    uint32_t *holders = arena_array(r->arena, n, sizeof(*holders));
    const char **names =
        arena_array(r->arena, (size_t)n_names + 1, sizeof(*names));
    struct occupancy occupancy = { holders, names, n_names + 1 };

    if (holders == NULL || names == NULL)
        return error_exhausted(r->err);
    if (n_names > 0)
        memcpy(names, r->occupancy->names, n_names * sizeof(*names));
    names[n_names] = "failure";
    for (uint32_t d = 0; d < n; d++)
        holders[d] = has_failed(r, d) ? n_names
                     : is_held(r, d)  ? r->occupancy->holders[d]
                                      : HOLDER_NONE;
    return place(r->arena, r->topology, &occupancy, &r->request, r->devices,
                 NULL, ret_refusal, r->err);
}

static int find_devices(struct replacing *r, struct replacement *ret,
                        struct place_refusal *ret_refusal)
{
    struct demand demand;
    bool mended;

    if (sort_out(r) < 0 ||
        demand_make(r->arena, &r->request, &demand, r->err) < 0 ||
        mend(r->arena, r->topology, &r->request, &demand, r->usable,
             r->from->devices, r->devices, &mended, r->err) < 0)
        return -1;
    ret->packed_anew = !mended;
    return mended ? 0 : place_anew(r, ret_refusal);
}

/* ---- what changed ------------------------------------------------------- */

static int count_changes(struct replacing *r, struct replacement *ret)
{
    uint32_t n = r->request.n_ranks, most = 0;
    uint8_t *groups; /* 1: has a rank, 2: several, 4: one changed */

    ret->n_moved = ret->n_new = 0;
    for (uint32_t p = 0; p < n; p++) {
        ret->n_new += r->from->devices[p] == DEVICE_NONE;
        ret->n_moved += r->from->devices[p] != DEVICE_NONE &&
                        r->from->devices[p] != r->devices[p];
    }
    for (size_t a = 0; a < r->request.n_axes; a++)
        if (r->request.axes[a].n_groups > most)
            most = r->request.axes[a].n_groups;
    groups = arena_array(r->arena, most, 1);
    if (groups == NULL)
        return error_exhausted(r->err);
    for (size_t a = 0; a < r->request.n_axes; a++) {
        const struct place_axis *axis = &r->request.axes[a];

        memset(groups, 0, axis->n_groups);
        ret->rebuilt[a] = 0;
        for (uint32_t p = 0; p < n; p++) {
            uint8_t *g = groups;

            if (axis->group_of[p] == GROUP_NONE)
                continue;
            g += axis->group_of[p];
            *g = (uint8_t)(*g | (*g & 1 ? 2 : 1) |
                           (r->from->devices[p] != r->devices[p] ? 4 : 0));
        }
        for (uint32_t g = 0; g < axis->n_groups; g++)
            ret->rebuilt[a] += (groups[g] & 6) == 6;
    }
    return 0;
}

int replace(struct arena *arena, const struct topology *topology,
            const struct occupancy *occupancy,
            const struct place_request *request,
            const struct replace_from *from, uint32_t *ret_devices,
            struct place_report *ret_reports, struct replacement *ret,
            struct place_refusal *ret_refusal, struct error *err)
{
    struct replacing r = { arena, topology, occupancy, *request,
                           from,  NULL,     NULL,      err };
    struct place_report *reports =
        arena_array(arena, request->n_axes, sizeof(*reports));

    r.request.spares = true;
    *ret_refusal = (struct place_refusal){ .outcome = PLACE_DONE };
    if (reports == NULL)
        return error_exhausted(err);
    if (find_devices(&r, ret, ret_refusal) < 0 ||
        place_check(arena, topology, request, r.devices, reports, err) < 0 ||
        count_changes(&r, ret) < 0)
        return -1;
    if (!place_keeps(request, reports))
        return error_set(err, STATUS_INTERNAL,
                         "the placement that was mended does not keep what its "
                         "axes want");
    if (request->n_ranks > 0)
        memcpy(ret_devices, r.devices, request->n_ranks * sizeof(*ret_devices));
    if (ret_reports != NULL && request->n_axes > 0)
        memcpy(ret_reports, reports, request->n_axes * sizeof(*reports));
    return 0;
}

void replace_say(const struct place_request *request,
                 const struct replacement *replacement, struct text *out)
{
    text_printf(out, "%u rank%s", replacement->n_moved,
                replacement->n_moved == 1 ? " moves" : "s move");
    if (replacement->n_new > 0)
        text_printf(out, ", %u %s new", replacement->n_new,
                    replacement->n_new == 1 ? "is" : "are");
    for (size_t a = 0; a < request->n_axes; a++)
        text_printf(out, "%s%u %s group%s rebuilt", a == 0 ? "; " : ", ",
                    replacement->rebuilt[a], request->axes[a].name,
                    replacement->rebuilt[a] == 1 ? "" : "s");
    if (replacement->packed_anew)
        text_put(out, "; all were packed anew");
}
