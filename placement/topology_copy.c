/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of entries, each in one block of memory. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "placement/topology_entry.h"

/* A block that is measured first (to is NULL), then filled, by the same steps.
 */
struct block {
    char *to;
    size_t used;
};

/* Room for an array, or NULL while it is measured. */
static void *put(struct block *block, size_t count, size_t size, size_t align)
{
    size_t at = (block->used + align - 1) / align * align;

    block->used = at + count * size;
    return block->to != NULL ? block->to + at : NULL;
}

static const char *put_text(struct block *block, const char *text)
{
    size_t size;
    char *to;

    if (text == NULL)
        return NULL;
    size = strlen(text) + 1;
    to = put(block, size, 1, 1);
    if (to != NULL)
        memcpy(to, text, size);
    return to;
}

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static const char *const *put_texts(struct block *block,
                                    const char *const *texts, size_t n)
{
    const char **to = put(block, n, sizeof(*to), alignof(char *));

    for (size_t i = 0; i < n; i++) {
        const char *text = put_text(block, texts[i]);

        if (to != NULL)
            to[i] = text;
    }
    return to;
}

static const struct label *put_labels(struct block *block,
                                      const struct label *labels, size_t n)
{
    struct label *to = put(block, n, sizeof(*to), alignof(struct label));

    for (size_t i = 0; i < n; i++) {
        const struct label label = { put_text(block, labels[i].key),
                                     put_text(block, labels[i].value) };

        if (to != NULL)
            to[i] = label;
    }
    return to;
}

static const struct device *put_devices(struct block *block,
                                        const struct device *from, uint32_t n)
{
    struct device *to = put(block, n, sizeof(*to), alignof(struct device));
    const char *model = NULL;

    for (uint32_t i = 0; i < n; i++) {
        struct device device = from[i];

        if (i == 0 || !same(from[i].model, from[i - 1].model))
            model = put_text(block, from[i].model);
        device.uuid = put_text(block, from[i].uuid);
        device.pci = put_text(block, from[i].pci);
        device.model = model;
        if (to != NULL)
            to[i] = device;
    }
    return to;
}

static struct host_entry *put_entry(struct block *block,
                                    const struct host_entry *from)
{
    struct host_entry *to =
        put(block, 1, sizeof(*to), alignof(struct host_entry));
    struct host_entry entry = *from;

    entry.host.addresses =
        put_texts(block, from->host.addresses, from->host.n_addresses);
    entry.host.labels =
        put_labels(block, from->host.labels, from->host.n_labels);
    entry.devices = put_devices(block, from->devices, from->host.n_devices);
    entry.domains = put_texts(block, from->domains, from->n_domains);
    entry.host.name = put_text(block, from->host.name);
    entry.host.reason = put_text(block, from->host.reason);
    entry.host.by = put_text(block, from->host.by);
    entry.host.machine_id = put_text(block, from->host.machine_id);
    entry.block = put_text(block, from->block);
    if (to != NULL)
        *to = entry;
    return to;
}

struct host_entry *host_entry_copy(const struct host_entry *entry)
{
    struct block block = { 0 };

    put_entry(&block, entry);
    block.to = malloc(block.used);
    block.used = 0;
    return block.to != NULL ? put_entry(&block, entry) : NULL;
}
