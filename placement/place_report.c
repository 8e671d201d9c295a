/* SPDX-License-Identifier: Apache-2.0 */
/* How groups lie on devices, found out from the devices alone. */
#include "placement/place.h"

#include <string.h>

/* What the ranks of one group have in common so far. */
struct common {
    uint32_t host, block, domain;
    bool met, several; /* a rank; ranks */
    bool one_host, one_block, one_domain;
};

static void meet(struct common *c, const struct topology *topology,
                 uint32_t device)
{
    const struct device *d = &topology->devices[device];
    uint32_t block = topology->hosts[d->host].block;

    if (!c->met) {
        *c = (struct common){
            d->host, block, d->domain,           true,
            false,   true,  block != BLOCK_NONE, d->domain != DOMAIN_NONE
        };
        return;
    }
    c->several = true;
    c->one_host = c->one_host && c->host == d->host;
    c->one_block = c->one_block && c->block == block;
    c->one_domain = c->one_domain && c->domain == d->domain;
}

static void count(const struct common *c, struct place_report *report)
{
    const bool within[LINK_COUNT] = {
        [LINK_NVLINK] = c->one_domain,
        [LINK_HOST] = c->one_host,
        [LINK_BLOCK] = c->one_block || c->one_host || c->one_domain,
        [LINK_ANY] = true,
    };
    bool counted = false;

    report->groups++;
    for (int l = 0; l < LINK_COUNT; l++) {
        report->within[l] += within[l];
        report->by_link[l] += within[l] && !counted;
        counted = counted || within[l];
    }
}

int place_check(struct arena *arena, const struct topology *topology,
                const struct place_request *request, const uint32_t *devices,
                struct place_report *ret_reports, struct error *err)
{
    uint32_t most = 0;
    struct common *groups;

    for (size_t a = 0; a < request->n_axes; a++)
        if (request->axes[a].n_groups > most)
            most = request->axes[a].n_groups;
    groups = arena_array(arena, most, sizeof(*groups));
    if (groups == NULL)
        return error_exhausted(err);
    for (size_t a = 0; a < request->n_axes; a++) {
        const struct place_axis *axis = &request->axes[a];

        memset(groups, 0, axis->n_groups * sizeof(*groups));
        ret_reports[a] = (struct place_report){ 0 };
        for (uint32_t p = 0; p < request->n_ranks; p++)
            if (axis->group_of[p] != GROUP_NONE && devices[p] != DEVICE_NONE)
                meet(&groups[axis->group_of[p]], topology, devices[p]);
        for (uint32_t g = 0; g < axis->n_groups; g++)
            if (groups[g].several)
                count(&groups[g], &ret_reports[a]);
    }
    return 0;
}

bool place_keeps(const struct place_request *request,
                 const struct place_report *reports)
{
    for (size_t a = 0; a < request->n_axes; a++)
        if (reports[a].within[request->axes[a].want] != reports[a].groups)
            return false;
    return true;
}

const struct place_axis *place_broken(const struct place_request *request,
                                      const struct place_report *reports)
{
    for (size_t a = 0; a < request->n_axes; a++) {
        const struct place_axis *axis = &request->axes[a];

        if (axis->code != NULL &&
            reports[a].within[axis->least] != reports[a].groups)
            return axis;
    }
    return NULL;
}

void place_say_broken(const struct place_request *request,
                      const struct place_report *reports,
                      const struct place_axis *axis, struct text *out)
{
    static const char *const units[LINK_COUNT] = {
        [LINK_NVLINK] = "nvlink domain",
        [LINK_HOST] = "host",
        [LINK_BLOCK] = "block",
        [LINK_ANY] = "cluster",
    };
    const struct place_report *r = &reports[axis - request->axes];

    text_printf(out, "%u of %u group%s of %s %s not within one %s",
                r->groups - r->within[axis->least], r->groups,
                r->groups == 1 ? "" : "s", axis->name,
                r->groups - r->within[axis->least] == 1 ? "is" : "are",
                units[axis->least]);
    if (axis->because != NULL)
        text_printf(out, ": %s", axis->because);
}

/* "dp: 8 groups, 6 within nvlink, 2 across hosts (any)" */
void place_say(const struct place_request *request,
               const struct place_report *reports, struct text *out)
{
    static const char *const crossing[LINK_COUNT] = {
        [LINK_NVLINK] = "within one nvlink domain",
        [LINK_HOST] = "within one host, across domains",
        [LINK_BLOCK] = "within one block, across hosts",
        [LINK_ANY] = "across blocks",
    };

    for (size_t a = 0; a < request->n_axes; a++) {
        const struct place_report *r = &reports[a];

        text_printf(out, "%s (%s): %u group%s", request->axes[a].name,
                    link_name(request->axes[a].want), r->groups,
                    r->groups == 1 ? "" : "s");
        for (int l = 0; l < LINK_COUNT; l++)
            if (r->by_link[l] > 0)
                text_printf(out, ", %u %s", r->by_link[l], crossing[l]);
        text_put(out, "\n");
    }
}
