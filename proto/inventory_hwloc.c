/* SPDX-License-Identifier: Apache-2.0 */
/* One host as hwloc's lstopo saves it in XML. Of XML only what lstopo writes is
 * read: tags, attributes, text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement/topology.h"
#include "proto/inventory_xml.h"

enum {
    DEPTH_MAX = 64,
    PACKAGES_MAX = 256,
    LINKED_MAX = INVENTORY_GPUS_MAX + PACKAGES_MAX
};

/* An object that is open. */
struct object {
    const char *type, *pci;
    int64_t numa; /* of its own memory; -1: none, -2: several */
    struct hwloc_gpu *gpu;
};

struct hwloc_gpu {
    uint32_t gp_index, index;
    const char *model, *uuid, *pci;
    int64_t numa;
};

struct package {
    uint32_t gp_index, number;
};

/* Bandwidths between objects named by their gp_index. */
struct bandwidths {
    bool open; /* inside of the table that is read */
    uint32_t ids[LINKED_MAX];
    size_t n_ids;
    uint64_t *values; /* n_ids * n_ids */
    size_t n_values;
};

struct hwloc {
    struct object open[DEPTH_MAX];
    int depth;
    struct hwloc_gpu gpus[INVENTORY_GPUS_MAX];
    uint32_t n_gpus;
    struct package packages[PACKAGES_MAX];
    uint32_t n_packages;
    int64_t n_numa;
    const char *host;
    struct bandwidths links;
};

/* ---- objects ------------------------------------------------------------ */

/* A device counts once, by what its vendor's management library calls it: the
 * same one also appears to compute libraries, in an order of their own. */
static int open_device(struct importing *im, struct hwloc *h,
                       const struct tag *tag, struct object *object)
{
    static const char *const managed[] = { "nvml", "rsmi" };
    struct hwloc_gpu *one;
    uint32_t index = 0, gp_index;
    size_t i = 0;

    while (i < ARRAY_LEN(managed) &&
           !read_numbered(tag_attribute(tag, "name"), managed[i], &index))
        i++;
    if (i == ARRAY_LEN(managed))
        return 0;
    if (h->n_gpus == INVENTORY_GPUS_MAX ||
        !read_count(tag_attribute(tag, "gp_index"), &gp_index))
        return text_error(im,
                          "the device %.20s has no gp_index, or is beyond "
                          "the %d of a host",
                          tag_attribute(tag, "name"), INVENTORY_GPUS_MAX);
    one = &h->gpus[h->n_gpus++];
    *one =
        (struct hwloc_gpu){ .gp_index = gp_index, .index = index, .numa = -1 };
    for (int d = h->depth; d-- > 0;) {
        if (one->pci == NULL)
            one->pci = h->open[d].pci;
        if (one->numa == -1)
            one->numa = h->open[d].numa;
    }
    object->gpu = one;
    return 0;
}

static void note_memory(struct hwloc *h, const struct tag *tag)
{
    struct object *parent = h->depth > 0 ? &h->open[h->depth - 1] : NULL;
    uint32_t number;

    h->n_numa++;
    if (parent != NULL && read_count(tag_attribute(tag, "os_index"), &number))
        parent->numa = parent->numa == -1 ? (int64_t)number : -2;
}

static int open_object(struct importing *im, struct hwloc *h,
                       const struct tag *tag)
{
    struct object object = { .type = tag_attribute(tag, "type"), .numa = -1 };
    struct package package;
    char pci[24];

    if (strcmp(object.type, "NUMANode") == 0)
        note_memory(h, tag);
    if (strcmp(object.type, "OSDev") == 0 &&
        open_device(im, h, tag, &object) < 0)
        return -1;
    if (strcmp(object.type, "PCIDev") == 0 &&
        pci_normal(tag_attribute(tag, "pci_busid"), pci))
        object.pci = arena_strdup(im->arena, pci);
    if (strcmp(object.type, "Package") == 0 && h->n_packages < PACKAGES_MAX &&
        read_count(tag_attribute(tag, "gp_index"), &package.gp_index) &&
        read_count(tag_attribute(tag, "os_index"), &package.number))
        h->packages[h->n_packages++] = package;
    if (tag->empty)
        return 0;
    if (h->depth == DEPTH_MAX)
        return text_error(im, "objects are more than %d deep", DEPTH_MAX);
    h->open[h->depth++] = object;
    return 0;
}

static void note_info(struct hwloc *h, const struct tag *tag)
{
    const char *name = tag_attribute(tag, "name"),
               *value = tag_attribute(tag, "value");
    struct hwloc_gpu *one = h->depth > 0 ? h->open[h->depth - 1].gpu : NULL;

    if (strcmp(name, "HostName") == 0)
        h->host = value;
    if (one == NULL)
        return;
    if (strcmp(name, "GPUModel") == 0)
        one->model = value;
    if (strcmp(name, "NVIDIAUUID") == 0 || strcmp(name, "AMDUUID") == 0)
        one->uuid = value;
}

/* ---- the table of links ------------------------------------------------- */

static int read_ids(struct importing *im, struct bandwidths *links, char *text)
{
    char *word;

    while ((word = next_word(&text)) != NULL) {
        char *colon = strchr(word, ':');

        if (links->n_ids == LINKED_MAX ||
            !read_count(colon != NULL ? colon + 1 : word,
                        &links->ids[links->n_ids++]))
            return text_error(im, "the table of links names \"%.20s\"", word);
    }
    links->values = arena_array(im->arena, links->n_ids * links->n_ids,
                                sizeof(*links->values));
    return links->values == NULL ? error_exhausted(im->err) : 0;
}

static int read_values(struct importing *im, struct bandwidths *links,
                       char *text)
{
    char *word;

    while ((word = next_word(&text)) != NULL) {
        if (links->n_values == links->n_ids * links->n_ids)
            return text_error(im, "the table of links has more values than "
                                  "pairs");
        links->values[links->n_values++] = strtoull(word, NULL, 10);
    }
    return 0;
}

static int read_tag(struct importing *im, struct hwloc *h, struct tag *tag)
{
    struct bandwidths *links = &h->links;

    for (char *c = tag->text; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    if (tag->closes) {
        if (strcmp(tag->name, "object") == 0 && h->depth > 0)
            h->depth--;
        if (strncmp(tag->name, "distances2", 10) == 0)
            links->open = false;
        if (links->open && strcmp(tag->name, "indexes") == 0)
            return read_ids(im, links, tag->text);
        if (links->open && strcmp(tag->name, "u64values") == 0)
            return read_values(im, links, tag->text);
        return 0;
    }
    if (strcmp(tag->name, "object") == 0)
        return open_object(im, h, tag);
    if (strcmp(tag->name, "info") == 0)
        note_info(h, tag);
    if (strncmp(tag->name, "distances2", 10) == 0 && links->n_ids == 0)
        links->open =
            strcmp(tag_attribute(tag, "name"), "NVLinkBandwidth") == 0 ||
            strcmp(tag_attribute(tag, "name"), "XGMIBandwidth") == 0;
    return 0;
}

/* ---- what comes out ----------------------------------------------------- */

static uint64_t bandwidth(const struct bandwidths *links, uint32_t a,
                          uint32_t b)
{
    size_t x = 0, y = 0;

    while (x < links->n_ids && links->ids[x] != a)
        x++;
    while (y < links->n_ids && links->ids[y] != b)
        y++;
    if (x == links->n_ids || y == links->n_ids)
        return 0;
    return links->values[x * links->n_ids + y];
}

static void put_links(struct importing *im, const struct hwloc *h, bool *linked)
{
    struct tree *pairs = make_map(im->maker, im->ret->reading, "nvlink_pairs");
    struct tree *packages =
        make_map(im->maker, im->ret->reading, "package_links");
    char key[32];

    for (uint32_t a = 0; a < h->n_gpus; a++)
        for (uint32_t b = a + 1; b < h->n_gpus; b++) {
            uint64_t speed =
                bandwidth(&h->links, h->gpus[a].gp_index, h->gpus[b].gp_index);

            if (speed == 0)
                continue;
            linked[a * h->n_gpus + b] = linked[b * h->n_gpus + a] = true;
            snprintf(key, sizeof(key), "%u-%u", h->gpus[a].index,
                     h->gpus[b].index);
            make_int(im->maker, pairs, key, (int64_t)(speed & INT64_MAX));
        }
    for (uint32_t p = 0; p < h->n_packages; p++) {
        struct tree *list;

        snprintf(key, sizeof(key), "%u", h->packages[p].number);
        list = make_list(im->maker, packages, key);
        for (uint32_t a = 0; a < h->n_gpus; a++)
            if (bandwidth(&h->links, h->packages[p].gp_index,
                          h->gpus[a].gp_index) > 0)
                make_int(im->maker, list, NULL, h->gpus[a].index);
    }
}

static void put_gpus(struct importing *im, const struct hwloc *h,
                     const struct islands *islands, const char *host)
{
    struct tree *list = make_list(im->maker, add_host(im, host), "devices");

    for (uint32_t g = 0; g < h->n_gpus; g++) {
        const struct hwloc_gpu *one = &h->gpus[g];
        const char *domain = islands_domain(im, islands, host, g);
        struct tree *device = make_map(im->maker, list, NULL);

        make_int(im->maker, device, "index", one->index);
        if (one->uuid != NULL)
            make_string(im->maker, device, "uuid", one->uuid);
        if (one->pci != NULL)
            make_string(im->maker, device, "pci", one->pci);
        if (one->model != NULL)
            make_string(im->maker, device, "model", one->model);
        if (one->numa >= 0)
            make_int(im->maker, device, "numa", one->numa);
        if (domain != NULL)
            make_string(im->maker, device, "domain", domain);
    }
}

static int compare_gpus(const void *va, const void *vb)
{
    const struct hwloc_gpu *a = va, *b = vb;

    return (a->index > b->index) - (a->index < b->index);
}

static int put_host(struct importing *im, struct hwloc *h)
{
    const char *host = import_host(im, h->host);
    struct islands islands = { .n = h->n_gpus };
    bool *linked =
        arena_array(im->arena, (size_t)h->n_gpus * h->n_gpus, sizeof(*linked));

    if (linked == NULL)
        return error_exhausted(im->err);
    qsort(h->gpus, h->n_gpus, sizeof(*h->gpus), compare_gpus);
    islands.linked = linked;
    make_int(im->maker, im->ret->reading, "gpus", h->n_gpus);
    make_int(im->maker, im->ret->reading, "numa_nodes", h->n_numa);
    put_links(im, h, linked);
    if (islands_find(im, &islands) < 0)
        return -1;
    islands_put(im, &islands, "nvlink_islands", NULL);
    put_gpus(im, h, &islands, host);
    return import_end(im);
}

int inventory_hwloc(const struct inventory_source *source,
                    struct tree_maker *maker, struct inventory *ret,
                    struct error *err)
{
    struct importing im;
    struct hwloc *h;
    struct tag tag;
    bool is_topology = false;
    int rc;

    if (import_begin(&im, source, maker, ret, err) < 0)
        return -1;
    h = arena_alloc(im.arena, sizeof(*h));
    if (h == NULL)
        return error_exhausted(err);
    while ((rc = tag_next(&im, &tag)) > 0) {
        is_topology = is_topology || strcmp(tag.name, "topology") == 0;
        if (read_tag(&im, h, &tag) < 0)
            return -1;
    }
    if (rc < 0)
        return -1;
    if (!is_topology || h->depth != 0)
        return text_error(&im, "it is no topology as lstopo saves one in XML");
    if (h->links.n_values != h->links.n_ids * h->links.n_ids)
        return text_error(&im,
                          "the table of links has %zu values for %zu "
                          "objects",
                          h->links.n_values, h->links.n_ids);
    return put_host(&im, h);
}
