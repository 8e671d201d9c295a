/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of one host as `nvidia-smi --query-gpu=... --format=csv` lists
 * them. Columns are found by their titles. */
#include <string.h>

#include "placement/topology.h"
#include "proto/inventory_read.h"

/* What a column is for, and how the tool may call it. */
enum column { INDEX, UUID, PCI, MODEL, MEMORY, CLUSTER, CLIQUE, COLUMNS };

static const struct {
    const char *title, *other, *key;
} titles[COLUMNS] = {
    [INDEX] = { "index", "index", "index" },
    [UUID] = { "uuid", "gpu_uuid", "uuid" },
    [PCI] = { "pci.bus_id", "gpu_bus_id", "pci" },
    [MODEL] = { "name", "gpu_name", "name" },
    [MEMORY] = { "memory.total", "memory.total", "memory_mib" },
    [CLUSTER] = { "fabric.clusterUuid", "fabric.cluster_uuid", "cluster_uuid" },
    [CLIQUE] = { "fabric.cliqueId", "fabric.clique_id", "clique" },
};

enum { FIELDS_MAX = 128 };

struct query {
    int columns[FIELDS_MAX]; /* enum column of each field; -1: not read */
    size_t n_columns;
    bool has[COLUMNS];
    const char *unit; /* of memory in its title; NULL: none */
    uint32_t n_devices;
    uint32_t n_outside; /* of them: in no fabric that the tool knows of */
};

/* Cuts the next field off *text, up to a comma; NULL: no more. */
static char *next_field(char **text)
{
    char *field = *text, *comma;

    if (field == NULL)
        return NULL;
    comma = strchr(field, ',');
    *text = comma != NULL ? comma + 1 : NULL;
    if (comma != NULL)
        *comma = '\0';
    return trimmed(field);
}

static int column_titled(const char *title)
{
    for (int c = 0; c < COLUMNS; c++)
        if (strcmp(titles[c].title, title) == 0 ||
            strcmp(titles[c].other, title) == 0)
            return c;
    return -1;
}

/* "memory.total [MiB]" */
static int read_titles(struct importing *im, struct query *q, char *line)
{
    char *field;

    while ((field = next_field(&line)) != NULL) {
        char *unit = strchr(field, '[');
        int column;

        if (q->n_columns == FIELDS_MAX)
            return line_error(im, "there are %d columns at most", FIELDS_MAX);
        if (unit != NULL) {
            *unit++ = '\0';
            unit[strcspn(unit, "]")] = '\0';
        }
        column = column_titled(trimmed(field));
        if (column >= 0 && q->has[column])
            return line_error(im, "the title %s stands twice",
                              titles[column].title);
        if (column == MEMORY)
            q->unit = unit;
        if (column >= 0)
            q->has[column] = true;
        q->columns[q->n_columns++] = column;
    }
    if (!q->has[INDEX] && !q->has[UUID] && !q->has[PCI])
        return line_error(im, "no title names a device; ask for "
                              "index,uuid,pci.bus_id,memory.total with "
                              "--format=csv, and keep the titles");
    return 0;
}

/* "81559 MiB", or the number alone with the unit in the title. */
static int read_memory(struct importing *im, const struct query *q, char *text,
                       uint32_t *ret)
{
    static const struct {
        const char *unit;
        uint32_t mib;
    } units[] = { { "MiB", 1 }, { "GiB", 1024 } };
    char *rest = text, *number = next_word(&rest), *unit = next_word(&rest);

    if (number == NULL || !read_count(number, ret))
        return line_error(im, "\"%.20s\" is no size of memory", text);
    if (unit == NULL)
        unit = (char *)(q->unit != NULL ? q->unit : "MiB");
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (strcmp(units[i].unit, unit) == 0 &&
            *ret <= UINT32_MAX / units[i].mib) {
            *ret *= units[i].mib;
            return 0;
        }
    return line_error(im, "\"%.20s\" is no unit of memory", unit);
}

/* "[N/A]", "[Not Supported]": the tool does not know. */
static char *said(char *field)
{
    return field == NULL || *field == '\0' || *field == '[' ||
                   strcmp(field, "N/A") == 0
               ? NULL
               : field;
}

static int read_fields(struct importing *im, const struct query *q, char *line,
                       char **values)
{
    char *field;
    size_t n = 0;

    for (; (field = next_field(&line)) != NULL; n++) {
        if (n >= q->n_columns)
            return line_error(im, "there are more fields than the %zu titles",
                              q->n_columns);
        if (q->columns[n] >= 0)
            values[q->columns[n]] = said(field);
    }
    if (n < q->n_columns)
        return line_error(im, "there are %zu fields and %zu titles", n,
                          q->n_columns);
    return 0;
}

/* Devices reach one another over a fabric of NVLink, also across hosts, when
 * both the cluster and the clique are the same. NULL: in none that is known; a
 * cluster of zeros is none. */
static const char *fabric_of(struct importing *im, struct query *q,
                             char *const *values)
{
    const char *cluster = values[CLUSTER], *clique = values[CLIQUE];
    const char *domain = NULL;

    if (cluster != NULL && clique != NULL &&
        cluster[strspn(cluster, "0-")] != '\0') {
        domain = arena_printf(im->arena, "%s.%s", cluster, clique);
        im->maker->failed |= domain == NULL;
    }
    q->n_outside += domain == NULL && q->has[CLUSTER];
    return domain;
}

static void warn_outside(struct importing *im, const struct query *q)
{
    if (q->has[CLUSTER] && !q->has[CLIQUE])
        import_warn(im, "devices of one fabric are joined where their cliques "
                        "are the same too; ask for fabric.cliqueId beside "
                        "fabric.clusterUuid");
    else if (q->n_outside > 0)
        import_warn(im,
                    "%u of %u devices are in no fabric that is named, so their "
                    "NVLink domain stays unknown",
                    q->n_outside, q->n_devices);
}

static int read_device(struct importing *im, struct query *q, char *line,
                       struct tree *list, struct tree *devices)
{
    char *values[COLUMNS] = { NULL }, pci[24] = "";
    uint32_t index = q->n_devices, memory = 0;
    struct tree *map, *device;
    const char *domain;

    if (q->n_devices++ == INVENTORY_GPUS_MAX)
        return line_error(im, "a host has %d devices at most",
                          INVENTORY_GPUS_MAX);
    if (read_fields(im, q, line, values) < 0)
        return -1;
    if (values[INDEX] != NULL && !read_count(values[INDEX], &index))
        return line_error(im, "\"%.20s\" is no index", values[INDEX]);
    if (values[PCI] != NULL && !pci_normal(values[PCI], pci))
        return line_error(im, "\"%.30s\" is no PCI address", values[PCI]);
    if (values[MEMORY] != NULL &&
        read_memory(im, q, values[MEMORY], &memory) < 0)
        return -1;
    map = make_map(im->maker, list, NULL);
    device = make_map(im->maker, devices, NULL);
    make_int(im->maker, map, "index", index);
    put_text(im->maker, map, "uuid", values[UUID]);
    put_text(im->maker, map, "pci", values[PCI] != NULL ? pci : NULL);
    if (memory > 0)
        make_int(im->maker, map, "memory_mib", memory);
    else
        put_null(im->maker, map, "memory_mib");
    put_text(im->maker, map, "name", values[MODEL]);
    make_int(im->maker, device, "index", index);
    if (values[UUID] != NULL)
        make_string(im->maker, device, "uuid", values[UUID]);
    if (values[PCI] != NULL)
        make_string(im->maker, device, "pci", pci);
    if (values[MODEL] != NULL)
        make_string(im->maker, device, "model", values[MODEL]);
    if (memory > 0)
        make_int(im->maker, device, "memory_mib", memory);
    domain = fabric_of(im, q, values);
    if (domain != NULL)
        make_string(im->maker, device, "domain", domain);
    return 0;
}

int inventory_nvidia_query(const struct inventory_source *source,
                           struct tree_maker *maker, struct inventory *ret,
                           struct error *err)
{
    struct query q = { 0 };
    struct importing im;
    struct tree *list, *devices;
    char *line;

    if (import_begin(&im, source, maker, ret, err) < 0)
        return -1;
    list = make_list(maker, ret->reading, "devices");
    devices =
        make_list(maker, add_host(&im, import_host(&im, NULL)), "devices");
    while ((line = next_line(&im)) != NULL) {
        line = trimmed(line);
        if (*line == '\0')
            continue;
        if (q.n_columns == 0 ? read_titles(&im, &q, line) < 0
                             : read_device(&im, &q, line, list, devices) < 0)
            return -1;
    }
    if (q.n_columns == 0)
        return text_error(&im, "there is no line of titles");
    warn_outside(&im, &q);
    return import_end(&im);
}
