/* SPDX-License-Identifier: Apache-2.0 */
/* Links between the devices of one host as `rocm-smi --showtopo` prints them:
 * tables one below the other, each under a title. */
#include <stdio.h>
#include <string.h>

#include "proto/inventory_read.h"

static const char gpu[] = "GPU";
static const char direct[] = "XGMI"; /* the link between devices */

struct rocm {
    uint32_t n;
    const char **links; /* n * n; NULL: not read */
    int64_t *numa;      /* -1: not said */
    bool in_links;      /* the table of link types is being read */
};

/* The line that names the columns, of the first table. */
static int read_columns(struct importing *im, struct rocm *r, char *line)
{
    char *word;
    uint32_t n, number;

    for (n = 0; (word = next_word(&line)) != NULL; n++)
        if (!read_numbered(word, gpu, &number) || number != n)
            return line_error(im, "\"%.20s\" stands where GPU%u should", word,
                              n);
    if (n > INVENTORY_GPUS_MAX)
        return line_error(im, "a host has %d devices at most",
                          INVENTORY_GPUS_MAX);
    if (r->n != 0)
        return n == r->n ? 0
                         : line_error(im,
                                      "a table of %u devices, after one of "
                                      "%u",
                                      n, r->n);
    r->n = n;
    r->links = arena_array(im->arena, (size_t)n * n, sizeof(*r->links));
    r->numa = arena_array(im->arena, n, sizeof(*r->numa));
    if (r->links == NULL || r->numa == NULL)
        return error_exhausted(im->err);
    for (uint32_t d = 0; d < n; d++)
        r->numa[d] = -1;
    return 0;
}

static int read_links(struct importing *im, struct rocm *r, uint32_t row,
                      char *rest)
{
    char *word;
    uint32_t n = 0;

    if (row >= r->n)
        return line_error(im, "the columns do not name GPU%u", row);
    for (; (word = next_word(&rest)) != NULL && n < r->n; n++)
        r->links[row * r->n + n] = word;
    if (word != NULL || n < r->n)
        return line_error(im, "the row of GPU%u has not %u cells", row, r->n);
    return 0;
}

/* "GPU[2] : (Topology) Numa Node: 2" */
static void read_numa(struct rocm *r, const char *line)
{
    static const char title[] = "Numa Node:";
    const char *at = strstr(line, title);
    unsigned device;
    uint32_t node;

    if (at == NULL || sscanf(line, "GPU[%3u]", &device) != 1 || device >= r->n)
        return;
    at += strlen(title);
    while (*at == ' ')
        at++;
    if (read_count(at, &node)) /* -1: none */
        r->numa[device] = node;
}

/* A line of a table: its columns, or a row of the table that counts. */
static int read_line(struct importing *im, struct rocm *r, char *line)
{
    char *copy = arena_strdup(im->arena, line), *word = next_word(&line);
    uint32_t row;

    if (copy == NULL)
        return error_exhausted(im->err);
    if (word == NULL || !read_numbered(word, gpu, &row))
        return 0;
    line = trimmed(line);
    if (row == 0 && (*line == '\0' || strncmp(line, gpu, strlen(gpu)) == 0))
        return read_columns(im, r, copy);
    return r->in_links ? read_links(im, r, row, line) : 0;
}

static int read_tables(struct importing *im, struct rocm *r)
{
    char *line;

    while ((line = next_line(im)) != NULL) {
        line = trimmed(line);
        if (*line == '=')
            r->in_links = strstr(line, "Link Type") != NULL;
        else if (strncmp(line, "GPU[", 4) == 0)
            read_numa(r, line);
        else if (read_line(im, r, line) < 0)
            return -1;
    }
    return r->n > 0 ? 0 : text_error(im, "there is no table of devices");
}

static int put_links(struct importing *im, const struct rocm *r, bool *linked)
{
    struct tree *rows = make_list(im->maker, im->ret->reading, "link_type");

    for (uint32_t a = 0; a < r->n; a++) {
        struct tree *row = make_list(im->maker, rows, NULL);

        for (uint32_t b = 0; b < r->n; b++) {
            const char *cell = r->links[a * r->n + b];

            if (cell == NULL)
                return text_error(im,
                                  "the table of link types has no row of "
                                  "GPU%u",
                                  a);
            make_string(im->maker, row, NULL, cell);
            linked[a * r->n + b] = a != b && strcmp(cell, direct) == 0;
        }
    }
    for (uint32_t a = 0; a < r->n; a++)
        for (uint32_t b = 0; b < a; b++)
            if (linked[a * r->n + b] != linked[b * r->n + a])
                return text_error(im, "GPU%u and GPU%u are linked one way", b,
                                  a);
    return 0;
}

static void put_devices(struct importing *im, const struct rocm *r,
                        const struct islands *islands, const char *name)
{
    struct tree *numa = make_list(im->maker, im->ret->reading, "numa");
    struct tree *list = make_list(im->maker, add_host(im, name), "devices");

    for (uint32_t d = 0; d < r->n; d++) {
        struct tree *device = make_map(im->maker, list, NULL);
        const char *domain = islands_domain(im, islands, name, d);

        make_int(im->maker, device, "index", d);
        if (r->numa[d] < 0) {
            put_null(im->maker, numa, NULL);
        } else {
            make_int(im->maker, numa, NULL, r->numa[d]);
            make_int(im->maker, device, "numa", r->numa[d]);
        }
        if (domain != NULL)
            make_string(im->maker, device, "domain", domain);
    }
}

int inventory_rocm_topo(const struct inventory_source *source,
                        struct tree_maker *maker, struct inventory *ret,
                        struct error *err)
{
    const char *name;
    struct rocm r = { 0 };
    struct importing im;
    struct islands islands;
    bool *linked;

    if (import_begin(&im, source, maker, ret, err) < 0 ||
        read_tables(&im, &r) < 0)
        return -1;
    make_int(maker, ret->reading, "gpus", r.n);
    linked = arena_array(im.arena, (size_t)r.n * r.n, sizeof(*linked));
    islands = (struct islands){ .n = r.n, .linked = linked };
    if (linked == NULL)
        return error_exhausted(err);
    if (put_links(&im, &r, linked) < 0 || islands_find(&im, &islands) < 0)
        return -1;
    islands_put(&im, &islands, "islands", NULL);
    name = import_host(&im, NULL);
    put_devices(&im, &r, &islands, name);
    return import_end(&im);
}
