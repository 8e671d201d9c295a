/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of requests on a cluster: which devices ranks get, how their groups lie
 * on them, why not, and what moves when devices fail. */
#include "tests/cases/runner.h"

#include <stdio.h>
#include <string.h>

#include "placement/place_axes.h"
#include "placement/replace.h"

struct bind {
    struct run *run;
    const struct topology *topology;
    struct occupancy occupancy;
    struct place_request request;
    struct place_report *reports;
    uint32_t *devices;
    struct place_refusal refusal;
    struct error err;
};

static int note(struct bind *b)
{
    text_printf(&b->run->why, "%s", b->err.text);
    return -1;
}

/* A request of a world, accepted: what its ranks want. */
static int read_request(struct bind *b)
{
    struct arena *arena = b->run->arena;
    const struct tree *deployment = child(b->run->line, "deployment");
    struct question question = { 0 };
    struct place_ranks ranks = { .dense = true };
    struct place_axis *axes = NULL;
    struct check *check;

    question.runtime = catalog_runtime(
        b->run->catalog, child(deployment, "runtime")->text, &b->err);
    if (question.runtime == NULL)
        return note(b);
    question.deployment =
        deployment_load(arena, question.runtime, deployment, &b->err);
    if (question.deployment == NULL)
        return note(b);
    check = check_run(&question, arena, 0, &b->err);
    if (check == NULL)
        return note(b);
    if (!check_accepts(check)) {
        text_put(&b->run->why, "the request is refused on any cluster");
        return -1;
    }
    ranks.n = (uint32_t)child_int(deployment, "world");
    if (place_axes_make(check, arena, &ranks, ranks.n, &axes,
                        &b->request.n_axes, &b->err) < 0)
        return note(b);
    b->request.n_ranks = ranks.n;
    b->request.axes = axes;
    return 0;
}

/* Marks the devices of a list of [host, first, count]. */
static void mark(struct bind *b, const struct tree *list, bool *marks)
{
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        uint32_t host = topology_host(b->topology, item(t, 0)->text);
        uint32_t first = (uint32_t)item(t, 1)->u.integer;

        for (int64_t i = 0; host != HOST_NONE && i < item(t, 2)->u.integer; i++)
            marks[b->topology->hosts[host].first_device + first + i] = true;
    }
}

static int read_cluster(struct bind *b)
{
    static const char *const names[] = { "other" };
    struct arena *arena = b->run->arena;
    uint32_t *holders;
    bool *held;

    b->topology =
        topology_load(arena, child(b->run->input, "cluster"), &b->err);
    if (b->topology == NULL)
        return note(b);
    holders = arena_array(arena, b->topology->n_devices + 1, sizeof(*holders));
    held = arena_array(arena, b->topology->n_devices + 1, sizeof(*held));
    mark(b, child(b->run->input, "held"), held);
    for (uint32_t d = 0; d < b->topology->n_devices; d++)
        holders[d] = held[d] ? 0 : HOLDER_NONE;
    b->occupancy = (struct occupancy){ holders, names, 1 };
    return 0;
}

/* Places again without the devices that failed. */
static int run_again(struct bind *b, struct replacement *ret)
{
    struct arena *arena = b->run->arena;
    bool *failed = arena_array(arena, b->topology->n_devices, sizeof(*failed));
    const struct replace_from from = { b->devices, failed };
    uint32_t *devices =
        arena_array(arena, b->request.n_ranks, sizeof(*devices));

    mark(b, child(b->run->input, "failed"), failed);
    ret->rebuilt =
        arena_array(arena, b->request.n_axes + 1, sizeof(*ret->rebuilt));
    if (replace(arena, b->topology, &b->occupancy, &b->request, &from, devices,
                b->reports, ret, &b->refusal, &b->err) < 0)
        return -1;
    b->devices = devices;
    return 0;
}

/* "a*4": so many neighbouring ranks on one host. */
static void put_hosts(struct bind *b)
{
    struct tree_maker *maker = &b->run->maker;
    struct tree *list = make_list(maker, b->run->got, "hosts");
    uint32_t n = 0;
    char text[300];

    for (uint32_t p = 0; p < b->request.n_ranks; p++) {
        uint32_t host = b->topology->devices[b->devices[p]].host;

        n++;
        if (p + 1 < b->request.n_ranks &&
            b->topology->devices[b->devices[p + 1]].host == host)
            continue;
        snprintf(text, sizeof(text), "%s*%u", b->topology->hosts[host].name, n);
        make_string(maker, list, NULL, text);
        n = 0;
    }
}

/* "nvlink 4/4": what the groups of a row want, and how many have it. */
static void put_links(struct bind *b)
{
    struct tree_maker *maker = &b->run->maker;
    struct tree *links = make_map(maker, b->run->got, "links");
    char text[64];

    for (size_t a = 0; a < b->request.n_axes; a++) {
        const struct place_axis *axis = &b->request.axes[a];

        snprintf(text, sizeof(text), "%s %u/%u", link_name(axis->want),
                 b->reports[a].within[axis->want], b->reports[a].groups);
        make_string(maker, links, axis->name, text);
    }
}

static void put_rebuilt(struct bind *b, const struct replacement *moved)
{
    struct tree_maker *maker = &b->run->maker;
    struct tree *rebuilt = make_map(maker, b->run->got, "rebuilt");

    make_int(maker, b->run->got, "moved", moved->n_moved);
    for (size_t a = 0; a < b->request.n_axes; a++)
        make_int(maker, rebuilt, b->request.axes[a].name, moved->rebuilt[a]);
}

/* What the framework refuses on the devices that were found. */
static bool is_broken(struct bind *b)
{
    const struct place_axis *axis = place_broken(&b->request, b->reports);
    struct text reason = { 0 };

    if (axis == NULL)
        return false;
    refused(b->run, axis->code);
    place_say_broken(&b->request, b->reports, axis, &reason);
    make_string(&b->run->maker, b->run->got, "reason", text_string(&reason));
    text_close(&reason);
    return true;
}

void op_bind(struct run *run)
{
    struct bind b = { .run = run };
    struct replacement moved = { 0 };
    int rc;

    if (read_request(&b) < 0 || read_cluster(&b) < 0)
        return;
    b.devices = arena_array(run->arena, b.request.n_ranks, sizeof(*b.devices));
    b.reports =
        arena_array(run->arena, b.request.n_axes + 1, sizeof(*b.reports));
    rc = place(run->arena, b.topology, &b.occupancy, &b.request, b.devices,
               b.reports, &b.refusal, &b.err);
    if (rc == 0 && child(run->input, "failed") != NULL)
        rc = run_again(&b, &moved);
    if (rc < 0) {
        refused(run, b.refusal.code);
        make_string(&run->maker, run->got, "reason", b.err.text);
        return;
    }
    if (is_broken(&b))
        return;
    make_string(&run->maker, run->got, "verdict", "accept");
    put_hosts(&b);
    put_links(&b);
    if (moved.rebuilt != NULL)
        put_rebuilt(&b, &moved);
}
