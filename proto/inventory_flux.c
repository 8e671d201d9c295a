/* SPDX-License-Identifier: Apache-2.0 */
/* Flux's resource sets (R): ranks with their cores and devices, and beside them
 * the hosts' names in the order of the ranks. */
#include <stdlib.h>
#include <string.h>

#include "placement/names.h"
#include "placement/topology.h"
#include "proto/document.h"
#include "proto/inventory_read.h"

struct flux_rank {
    uint32_t rank, n_cores, n_gpus;
    const uint32_t *gpus; /* indexes on the host */
};

struct flux {
    struct flux_rank *ranks; /* ascending */
    size_t n_ranks, cap;
    const char **names; /* of hosts, in the order of the ranks */
    size_t n_names;
};

static int read_ids(struct importing *im, const struct tree *tree,
                    uint32_t most, const uint32_t **ret, size_t *ret_n)
{
    struct error inner;

    if (tree == NULL) {
        *ret_n = 0;
        return 0;
    }
    if (tree->type != TREE_STRING && tree->type != TREE_INT)
        return text_error(im,
                          "expected a list of numbers like \"0-3\" for "
                          "%.40s",
                          tree->key != NULL ? tree->key : "a list");
    if (tree->text == NULL)
        return text_error(im, "expected a string for %.40s", tree->key);
    if (idset_expand(im->arena, tree->text, most, ret, ret_n, &inner) < 0)
        return text_error(im, "%s", inner.text);
    return 0;
}

static int add_ranks(struct importing *im, struct flux *flux,
                     const uint32_t *ranks, size_t n,
                     const struct flux_rank *like)
{
    if (n > CLUSTER_HOSTS_MAX - flux->n_ranks)
        return text_error(im, "%d ranks are the most", CLUSTER_HOSTS_MAX);
    if (flux->n_ranks + n > flux->cap) {
        size_t cap = 2 * (flux->n_ranks + n);
        struct flux_rank *more = arena_array(im->arena, cap, sizeof(*more));

        if (more == NULL)
            return error_exhausted(im->err);
        if (flux->n_ranks > 0)
            memcpy(more, flux->ranks, flux->n_ranks * sizeof(*more));
        flux->ranks = more;
        flux->cap = cap;
    }
    for (size_t i = 0; i < n; i++) {
        flux->ranks[flux->n_ranks] = *like;
        flux->ranks[flux->n_ranks++].rank = ranks[i];
    }
    return 0;
}

static int compare_ranks(const void *va, const void *vb)
{
    const struct flux_rank *a = va, *b = vb;

    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int read_lite(struct importing *im, struct flux *flux,
                     const struct tree *lite)
{
    for (const struct tree *t = tree_first(lite); t != NULL; t = t->next) {
        const struct tree *children = tree_get(t, "children");
        const uint32_t *ranks, *cores, *gpus = NULL;
        size_t n_ranks, n_cores, n_gpus;
        struct flux_rank like;

        if (read_ids(im, tree_get(t, "rank"), UINT32_MAX - 1, &ranks,
                     &n_ranks) < 0 ||
            read_ids(im, tree_get(children, "core"), UINT32_MAX - 1, &cores,
                     &n_cores) < 0 ||
            read_ids(im, tree_get(children, "gpu"), INT32_MAX, &gpus, &n_gpus) <
                0)
            return -1;
        if (n_gpus > HOST_DEVICES_MAX)
            return text_error(im, "a host has %d devices at most",
                              HOST_DEVICES_MAX);
        like =
            (struct flux_rank){ 0, (uint32_t)n_cores, (uint32_t)n_gpus, gpus };
        if (add_ranks(im, flux, ranks, n_ranks, &like) < 0)
            return -1;
    }
    if (flux->n_ranks == 0)
        return text_error(im, "R_lite names no rank");
    qsort(flux->ranks, flux->n_ranks, sizeof(*flux->ranks), compare_ranks);
    for (size_t i = 1; i < flux->n_ranks; i++)
        if (flux->ranks[i].rank == flux->ranks[i - 1].rank)
            return text_error(im, "rank %u stands twice", flux->ranks[i].rank);
    return 0;
}

static int read_names_of(struct importing *im, struct flux *flux,
                         const struct tree *list)
{
    struct error inner;

    flux->names = arena_array(im->arena, flux->n_ranks, sizeof(*flux->names));
    if (flux->names == NULL)
        return error_exhausted(im->err);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        const char *const *names;
        size_t n;

        if (t->type != TREE_STRING)
            return text_error(im, "nodelist is no list of strings");
        if (nodelist_expand(im->arena, t->text, &names, &n, &inner) < 0)
            return text_error(im, "%s", inner.text);
        if (n > flux->n_ranks - flux->n_names)
            return text_error(im,
                              "nodelist names more hosts than there are "
                              "ranks, %zu",
                              flux->n_ranks);
        memcpy(flux->names + flux->n_names, names, n * sizeof(*names));
        flux->n_names += n;
    }
    if (flux->n_names != flux->n_ranks)
        return text_error(im,
                          "nodelist names %zu hosts, and there are %zu "
                          "ranks",
                          flux->n_names, flux->n_ranks);
    return 0;
}

/* ---- what comes out ----------------------------------------------------- */

static void put_pair(struct importing *im, const char *key, const char *name,
                     uint32_t rank)
{
    struct tree *pair = make_list(im->maker, im->ret->reading, key);

    make_string(im->maker, pair, NULL, name);
    make_int(im->maker, pair, NULL, rank);
}

/* What every rank has as many of. */
static void put_each(struct importing *im, const struct flux *flux)
{
    bool cores = true, gpus = true;

    for (size_t i = 1; i < flux->n_ranks; i++) {
        cores = cores && flux->ranks[i].n_cores == flux->ranks[0].n_cores;
        gpus = gpus && flux->ranks[i].n_gpus == flux->ranks[0].n_gpus;
    }
    make_int(im->maker, im->ret->reading, "ranks", (int64_t)flux->n_ranks);
    if (cores)
        make_int(im->maker, im->ret->reading, "cores_each",
                 flux->ranks[0].n_cores);
    if (gpus)
        make_int(im->maker, im->ret->reading, "gpus_each",
                 flux->ranks[0].n_gpus);
}

static void put_names(struct importing *im, const struct flux *flux)
{
    struct tree *list;

    make_int(im->maker, im->ret->reading, "hosts", (int64_t)flux->n_names);
    put_pair(im, "first", flux->names[0], flux->ranks[0].rank);
    put_pair(im, "last", flux->names[flux->n_names - 1],
             flux->ranks[flux->n_ranks - 1].rank);
    list = make_list(im->maker, im->ret->reading, "rank_to_host");
    for (size_t i = 0; i < flux->n_names; i++)
        make_string(im->maker, list, NULL, flux->names[i]);
}

static struct tree **put_hosts(struct importing *im, const struct flux *flux)
{
    struct tree **hosts = arena_array(im->arena, flux->n_ranks, sizeof(*hosts));

    for (size_t i = 0; hosts != NULL && i < flux->n_ranks; i++) {
        struct tree *list;

        hosts[i] = add_host(im, flux->names[i]);
        list = make_list(im->maker, hosts[i], "devices");
        for (uint32_t k = 0; k < flux->ranks[i].n_gpus; k++)
            make_int(im->maker, make_map(im->maker, list, NULL), "index",
                     flux->ranks[i].gpus[k]);
    }
    return hosts;
}

static size_t rank_at(const struct flux *flux, uint32_t rank)
{
    const struct flux_rank key = { .rank = rank };
    const struct flux_rank *found =
        bsearch(&key, flux->ranks, flux->n_ranks, sizeof(key), compare_ranks);

    return found != NULL ? (size_t)(found - flux->ranks) : flux->n_ranks;
}

/* Properties name sets of ranks; they become labels of the hosts. */
static int put_properties(struct importing *im, const struct flux *flux,
                          struct tree **hosts, const struct tree *map)
{
    struct tree **labels =
        arena_array(im->arena, flux->n_ranks, sizeof(*labels));

    if (hosts == NULL || labels == NULL)
        return error_exhausted(im->err);
    if (map != NULL)
        make_copy(im->maker, im->ret->reading, "properties", map);
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        const uint32_t *ranks = NULL;
        size_t n;

        if (read_ids(im, t, UINT32_MAX - 1, &ranks, &n) < 0)
            return -1;
        for (size_t i = 0; i < n; i++) {
            size_t at = rank_at(flux, ranks[i]);

            if (at == flux->n_ranks)
                return text_error(im,
                                  "the property %.40s is of rank %u, which "
                                  "R_lite does not name",
                                  t->key, ranks[i]);
            if (labels[at] == NULL)
                labels[at] = make_map(im->maker, hosts[at], "labels");
            if (tree_get(labels[at], t->key) == NULL)
                make_string(im->maker, labels[at], t->key, "yes");
        }
    }
    return 0;
}

int inventory_flux(const struct inventory_source *source,
                   struct tree_maker *maker, struct inventory *ret,
                   struct error *err)
{
    const struct tree *execution, *nodelist;
    struct flux flux = { 0 };
    struct importing im;
    struct tree *json;

    if (import_begin(&im, source, maker, ret, err) < 0 ||
        document_read_json(im.arena, source->name, source->text, source->len,
                           &json, err) < 0)
        return -1;
    execution = tree_get(json, "execution");
    if (tree_get(execution, "R_lite") == NULL)
        return text_error(&im, "it has no execution with R_lite");
    if (read_lite(&im, &flux, tree_get(execution, "R_lite")) < 0)
        return -1;
    put_each(&im, &flux);
    nodelist = tree_get(execution, "nodelist");
    if (nodelist == NULL) {
        make_string(maker, ret->reading, "refuse_as_inventory", "nodelist");
        return text_error(&im,
                          "it has no nodelist, so nobody knows which "
                          "hosts its %zu ranks are",
                          flux.n_ranks);
    }
    if (read_names_of(&im, &flux, nodelist) < 0)
        return -1;
    put_names(&im, &flux);
    if (put_properties(&im, &flux, put_hosts(&im, &flux),
                       tree_get(execution, "properties")) < 0)
        return -1;
    return import_end(&im);
}
