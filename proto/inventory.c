/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats, and clusters united. */
#include "proto/inventory.h"

#include <string.h>

#include "base/text.h"
#include "placement/names.h"
#include "proto/inventory_read.h"

/* ---- which format ------------------------------------------------------- */

/* Whether a line of the text begins with the word, blanks aside. */
static bool has_line(const struct inventory_source *source, const char *word)
{
    const char *at = source->text, *end = source->text + source->len;
    size_t n = strlen(word);

    while (at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));

        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if ((size_t)(end - at) >= n && memcmp(at, word, n) == 0)
            return true;
        if (next == NULL)
            break;
        at = next + 1;
    }
    return false;
}

static int read_slurm(const struct inventory_source *source,
                      struct tree_maker *maker, struct inventory *ret,
                      struct error *err)
{
    if (has_line(source, "NodeName="))
        return inventory_slurm_nodes(source, maker, ret, err);
    if (has_line(source, "SwitchName=") || has_line(source, "BlockName="))
        return inventory_slurm_switches(source, maker, ret, err);
    return inventory_nodelist(source, maker, ret, err);
}

/* A matrix has no comma in its first line that is not empty; titles do. */
static int read_nvidia(const struct inventory_source *source,
                       struct tree_maker *maker, struct inventory *ret,
                       struct error *err)
{
    const char *at = source->text, *end = source->text + source->len;

    while (at < end && (*at == '\n' || *at == '\r' || *at == ' '))
        at++;
    while (at < end && *at != '\n' && *at != ',')
        at++;
    if (at < end && *at == ',' && !has_line(source, "GPU0"))
        return inventory_nvidia_query(source, maker, ret, err);
    return inventory_nvidia_topo(source, maker, ret, err);
}

/* clang-format off */
const struct inventory_format inventory_formats[] = {
    { "hostfile",   inventory_hostfile,
      "hosts of a launcher: HOST, HOST slots=N or HOST:N on a line" },
    { "rankfile",   inventory_rankfile, "hosts of a rankfile, by rank" },
    { "slurm",      read_slurm,
      "what scontrol show node prints, a topology.conf, or node[01-04]" },
    { "nvidia-smi", read_nvidia,
      "what nvidia-smi topo -m or --query-gpu=... --format=csv prints" },
    { "rocm-smi",   inventory_rocm_topo, "what rocm-smi --showtopo prints" },
    { "flux",       inventory_flux, "a resource set of Flux (R)" },
    { "hwloc",      inventory_hwloc, "what lstopo --of xml prints" },
};
/* clang-format on */

const size_t inventory_n_formats = ARRAY_LEN(inventory_formats);

const struct inventory_format *inventory_named(const char *name)
{
    for (size_t i = 0; i < inventory_n_formats; i++)
        if (strcmp(inventory_formats[i].name, name) == 0)
            return &inventory_formats[i];
    return NULL;
}

/* ---- uniting ------------------------------------------------------------ */

struct merge {
    struct arena *arena;
    struct tree_maker *maker;
    struct error *err;
};

static bool same_scalar(const struct tree *a, const struct tree *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case TREE_BOOL:
        return a->u.boolean == b->u.boolean;
    case TREE_INT:
        return a->u.integer == b->u.integer;
    case TREE_STRING:
        return strcmp(a->text, b->text) == 0;
    case TREE_NULL:
    case TREE_DOUBLE:
    case TREE_LIST:
    case TREE_MAP:
        return false;
    }
    return false;
}

/* Copies the keys of from that to has not; of what it has, scalars must be
 * equal, and maps are united likewise. */
static int merge_keys(struct merge *m, struct tree *to, const struct tree *from,
                      const char *host, int depth)
{
    for (const struct tree *t = tree_first(from); t != NULL; t = t->next) {
        struct tree *has = to->u.children.first;

        while (has != NULL && strcmp(has->key, t->key) != 0)
            has = has->next;
        if (has == NULL)
            make_copy(m->maker, to, t->key, t);
        else if (has->type == TREE_MAP && t->type == TREE_MAP && depth < 4) {
            if (merge_keys(m, has, t, host, depth + 1) < 0)
                return -1;
        } else if (has->type != TREE_LIST && !same_scalar(has, t)) {
            return error_set(m->err, STATUS_INVALID,
                             "two files say different things of %s: %.40s",
                             host, t->key);
        }
    }
    return 0;
}

static struct tree *device_at(struct tree *list, int64_t index)
{
    for (struct tree *t = list->u.children.first; t != NULL; t = t->next) {
        const struct tree *has = tree_get(t, "index");

        if (has != NULL && has->type == TREE_INT && has->u.integer == index)
            return t;
    }
    return NULL;
}

/* A list says more than a number; two lists are united by index. */
static int merge_devices(struct merge *m, struct tree *to,
                         const struct tree *from, const char *host)
{
    for (const struct tree *t = tree_first(from); t != NULL; t = t->next) {
        const struct tree *index = tree_get(t, "index");
        struct tree *device = NULL;

        if (index != NULL && index->type == TREE_INT)
            device = device_at(to, index->u.integer);
        if (device == NULL)
            make_copy(m->maker, to, NULL, t);
        else if (merge_keys(m, device, t, host, 0) < 0)
            return -1;
    }
    return 0;
}

static int64_t devices_in(const struct tree *devices)
{
    return devices->type == TREE_INT ? devices->u.integer
                                     : (int64_t)tree_count(devices);
}

/* Two sources may count devices, list them, or one of each. */
static int merge_both_devices(struct merge *m, struct tree *ours,
                              const struct tree *theirs, const char *host)
{
    bool lists = ours->type == TREE_LIST && theirs->type == TREE_LIST;

    if (!lists && devices_in(ours) != devices_in(theirs))
        return error_set(m->err, STATUS_INVALID,
                         "two files say different numbers of devices of %s",
                         host);
    if (theirs->type == TREE_INT)
        return 0;
    if (ours->type == TREE_INT) {
        ours->type = TREE_LIST;
        ours->text = NULL;
        memset(&ours->u, 0, sizeof(ours->u));
    }
    return merge_devices(m, ours, theirs, host);
}

static int merge_host(struct merge *m, struct tree *to, const struct tree *from)
{
    const char *name = tree_get(from, "name")->text;
    const struct tree *theirs = tree_get(from, "devices");
    struct tree *ours = NULL, *rest = make_map(m->maker, NULL, NULL);

    for (struct tree *t = to->u.children.first; t != NULL; t = t->next)
        if (strcmp(t->key, "devices") == 0)
            ours = t;
    for (const struct tree *t = tree_first(from); t != NULL; t = t->next)
        if (ours == NULL || t != theirs)
            make_copy(m->maker, rest, t->key, t);
    if (merge_keys(m, to, rest, name, 0) < 0)
        return -1;
    if (ours == NULL || theirs == NULL)
        return 0;
    return merge_both_devices(m, ours, theirs, name);
}

static int collect(struct merge *m, const struct tree *const *documents,
                   size_t n, struct name_use **ret_uses,
                   const struct tree ***ret_hosts, size_t *ret_n)
{
    size_t count = 0, at = 0;
    const char *const *names;

    for (size_t i = 0; i < n; i++)
        count += tree_count(tree_get(documents[i], "hosts"));
    *ret_uses = arena_array(m->arena, count, sizeof(**ret_uses));
    *ret_hosts = arena_array(m->arena, count, sizeof(**ret_hosts));
    if (*ret_uses == NULL || *ret_hosts == NULL)
        return error_exhausted(m->err);
    for (size_t i = 0; i < n; i++)
        for (const struct tree *t = tree_first(tree_get(documents[i], "hosts"));
             t != NULL; t = t->next, at++) {
            const struct tree *name = tree_get(t, "name");

            if (name == NULL || name->text == NULL)
                return tree_error(t, m->err, STATUS_INVALID,
                                  "a host has no name");
            (*ret_uses)[at].name = name->text;
            (*ret_hosts)[at] = t;
        }
    *ret_n = count;
    return names_number(m->arena, *ret_uses, count, &names, &at, m->err);
}

int inventory_merge(const struct tree *const *documents, size_t n,
                    struct tree_maker *maker, struct tree **ret,
                    struct error *err)
{
    struct merge m = { maker->arena, maker, err };
    struct name_use *uses;
    const struct tree **from;
    struct tree **to, *document, *list;
    size_t count = 0;

    if (collect(&m, documents, n, &uses, &from, &count) < 0)
        return -1;
    to = arena_array(m.arena, count, sizeof(*to));
    document = make_map(maker, NULL, NULL);
    list = make_list(maker, document, "hosts");
    if (to == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < count && !maker->failed; i++) {
        if (uses[i].first == i) {
            make_copy(maker, list, NULL, from[i]);
            to[i] = list->u.children.last;
        } else if (merge_host(&m, to[uses[i].first], from[i]) < 0) {
            return -1;
        }
    }
    if (maker->failed)
        return error_exhausted(err);
    *ret = document;
    return 0;
}
