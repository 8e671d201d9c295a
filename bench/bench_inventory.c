/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what the daemon does with 8,192 declared hosts of eight devices:
 * taking their records in, putting the cluster together after a change of one,
 * and the memory it takes. The floor of the cluster is a copy of its hosts and
 * devices into fresh memory; beside it, reading all documents again. */
#include "daemon/inventory.h"

#include <malloc.h>

#include "bench/bench_stat.h"
#include "proto/document.h"
#include "proto/serried.pb-c.h"

enum {
    HOSTS = 8192,
    PER_HOST = 8,
    ROUNDS = 9,
    ARENA_BYTES = 512 << 20,
};

static char *documents[HOSTS];

/* An entry as `serry import` writes those of a cluster of Slurm and NVML. */
static char *write_document(uint32_t h)
{
    struct text json = { 0 };

    text_printf(&json,
                "{\"name\":\"node%u\",\"addresses\":[\"10.%u.%u.1\"],"
                "\"own_domain\":true,\"rack\":\"rack%u\",\"devices\":[",
                h, h / 250, h % 250, h / 32);
    for (int i = 0; i < PER_HOST; i++)
        text_printf(&json,
                    "%s{\"index\":%d,\"uuid\":\"GPU-%08x-0000-4000-8000-"
                    "%012x\",\"pci\":\"0000:%02x:00.0\",\"model\":\"NVIDIA "
                    "H100 80GB HBM3\",\"memory_mib\":81559,\"numa\":%d}",
                    i > 0 ? "," : "", i, h, i, i + 16, i / 4);
    text_put(&json, "]}");
    if (json.failed)
        die("no memory");
    return json.data;
}

static void follow(struct inventory *inventory, uint32_t h,
                   const char *document)
{
    Serried__V1__HostRecord message = SERRIED__V1__HOST_RECORD__INIT;
    struct store_record record = { .kind = STORE_HOST, .rev = h + 1 };
    char name[32];
    uint8_t *body;

    snprintf(name, sizeof(name), "node%u", h);
    message.document = (char *)document;
    message.has_index = true;
    message.index = h;
    message.state = (char *)"ready";
    record.len = serried__v1__host_record__get_packed_size(&message);
    body = malloc(record.len);
    if (body == NULL)
        die("no memory");
    serried__v1__host_record__pack(&message, body);
    record.id = name;
    record.body = body;
    inventory_follow(inventory, &record);
    free(body);
}

static const struct topology *topology_of(struct inventory *inventory)
{
    struct error err;
    const struct topology *topology = inventory_topology(inventory, &err);

    if (topology == NULL)
        die(err.text);
    return topology;
}

/* One host is declared anew, then the cluster is asked for. */
static double time_change(struct inventory *inventory, int round)
{
    uint32_t h = (uint32_t)round * 800;
    char *document = write_document(h);
    double start;

    document[strlen(document) - 4] = (char)('2' + round % 8); /* its NUMA */
    start = now_s(CLOCK_MONOTONIC);
    follow(inventory, h, document);
    topology_of(inventory);
    start = now_s(CLOCK_MONOTONIC) - start;
    free(document);
    return start;
}

static double time_copy(const struct topology *t)
{
    double start = now_s(CLOCK_MONOTONIC);
    struct host *hosts = malloc(t->n_hosts * sizeof(*hosts));
    struct device *devices = malloc(t->n_devices * sizeof(*devices));

    if (hosts == NULL || devices == NULL)
        die("no memory");
    memcpy(hosts, t->hosts, t->n_hosts * sizeof(*hosts));
    memcpy(devices, t->devices, t->n_devices * sizeof(*devices));
    __asm__ volatile("" : : "r"(hosts), "r"(devices) : "memory");
    free(hosts);
    free(devices);
    return now_s(CLOCK_MONOTONIC) - start;
}

/* What each change would cost were documents kept as text alone. */
static double time_reading(void)
{
    double start = now_s(CLOCK_MONOTONIC);
    struct arena *arena = arena_new(ARENA_BYTES);
    struct tree *tree;
    struct error err;

    for (uint32_t h = 0; h < HOSTS; h++) {
        struct arena_mark mark = arena_mark(arena);
        struct host_entry entry;

        if (document_read_json(arena, NULL, documents[h], strlen(documents[h]),
                               &tree, &err) < 0 ||
            host_entry_read(arena, tree, &entry, &err) < 0)
            die(err.text);
        arena_rewind(arena, mark);
    }
    arena_free(arena);
    return now_s(CLOCK_MONOTONIC) - start;
}

int main(void)
{
    const struct row change = { "a host of 8,192 is declared anew and the "
                                "cluster put together",
                                "ms", 0, false };
    struct inventory *inventory = inventory_new(NULL);
    struct pairs pairs = { .n = 0 };
    double start, before;
    bool held;

    for (uint32_t h = 0; h < HOSTS; h++)
        documents[h] = write_document(h);
    table_head();
    before = (double)mallinfo2().uordblks;
    start = now_s(CLOCK_MONOTONIC);
    for (uint32_t h = 0; h < HOSTS; h++)
        follow(inventory, h, documents[h]);
    start = now_s(CLOCK_MONOTONIC) - start;
    figure_print(&(struct row){ "a host's record is taken in", "us", 0, false },
                 1e6 * start / HOSTS);
    figure_print(
        &(struct row){ "documents of 8,192 hosts are read", "ms", 0, false },
        1e3 * time_reading());
    figure_print(&(struct row){ "memory of a declared host, of 8 devices, "
                                "text of 1.3 kB included",
                                "bytes", 0, false },
                 ((double)mallinfo2().uordblks - before) / HOSTS);
    topology_of(inventory);
    for (int i = 0; i < ROUNDS; i++) {
        double ours = 1e3 * time_change(inventory, i);

        pairs_add(&pairs, ours, 1e3 * time_copy(topology_of(inventory)));
    }
    held = pairs_print(&change, &pairs);
    figure_print(&(struct row){ "the same", "ms", 10, false },
                 quantile(pairs.ours, pairs.n, 0.5));
    inventory_free(inventory);
    for (uint32_t h = 0; h < HOSTS; h++)
        free(documents[h]);
    return held ? 0 : 1;
}
