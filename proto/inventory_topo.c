/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of links between the devices of one host, as `nvidia-smi topo -m`
 * prints it, with tabs or blanks between its columns. */
#include <stdio.h>
#include <string.h>

#include "proto/inventory_read.h"

static const char gpu[] = "GPU";
static const char nic[] = "NIC";

/* What stands behind the matrix, in the order of the columns. */
enum { CPU_AFFINITY, NUMA_AFFINITY, GPU_NUMA, AFFINITIES };

struct gpu_row {
    bool read;
    const char *affinity[AFFINITIES]; /* NULL: not said */
};

struct matrix {
    const char *columns[INVENTORY_COLUMNS_MAX]; /* devices, then others */
    size_t n_columns;
    const char *names[INVENTORY_COLUMNS_MAX]; /* of NICs, by the legend */
    bool has[AFFINITIES];                     /* whether there is the column */
    uint32_t n_gpus;
    struct gpu_row rows[INVENTORY_GPUS_MAX];
    const char **cells; /* n_gpus * n_gpus */
    uint32_t nic_rows;  /* the highest row of a NIC that was read, plus 1 */
};

/* Whether a word is a cell: what links two devices. */
static bool is_link(const char *word)
{
    static const char *const words[] = { "X",   "SYS", "NODE", "PHB",
                                         "PXB", "PIX", "SOC",  "N/A" };
    uint32_t n;

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return read_numbered(word, "NV", &n);
}

/* Links of NVLink between two devices; 0: none. */
static uint32_t nvlinks(const char *cell)
{
    uint32_t n;

    return cell != NULL && read_numbered(cell, "NV", &n) ? n : 0;
}

/* ---- the header --------------------------------------------------------- */

/* Titles of two words stand last: what follows the devices is one of them. */
static void read_titles(struct matrix *m, const char *rest)
{
    const char *numa_id = strstr(rest, "GPU NUMA ID");

    m->has[CPU_AFFINITY] = strstr(rest, "CPU Affinity") != NULL;
    m->has[NUMA_AFFINITY] = strstr(rest, "NUMA Affinity") != NULL;
    m->has[GPU_NUMA] = numa_id != NULL;
}

static int read_header(struct importing *im, struct matrix *m, char *line)
{
    char *titles = arena_strdup(im->arena, line), *word, *rest = line;
    uint32_t n;

    if (titles == NULL)
        return error_exhausted(im->err);
    read_titles(m, titles);
    while ((word = next_word(&rest)) != NULL) {
        if (strcmp(word, "CPU") == 0 || strcmp(word, "NUMA") == 0 ||
            strcmp(word, gpu) == 0)
            break;
        if (m->n_columns == INVENTORY_COLUMNS_MAX)
            return line_error(im, "a matrix has %d columns at most",
                              INVENTORY_COLUMNS_MAX);
        if (read_numbered(word, gpu, &n)) {
            if (n != m->n_gpus || m->n_columns != n)
                return line_error(im, "%s stands where GPU%u should", word,
                                  m->n_gpus);
            m->n_gpus++;
        }
        m->columns[m->n_columns++] = word;
    }
    if (m->n_gpus > INVENTORY_GPUS_MAX)
        return line_error(im, "a host has %d devices at most",
                          INVENTORY_GPUS_MAX);
    m->cells = arena_array(im->arena, (size_t)m->n_gpus * m->n_gpus,
                           sizeof(*m->cells));
    return m->cells == NULL ? error_exhausted(im->err) : 0;
}

/* The header is the first line that begins with a device and goes on with
 * another, or with a title. */
static bool is_header(struct importing *im, const char *line)
{
    char *copy = arena_strdup(im->arena, line), *word;
    uint32_t n;

    if (copy == NULL || (word = next_word(&copy)) == NULL ||
        !read_numbered(word, gpu, &n))
        return false;
    word = next_word(&copy);
    return word != NULL && !is_link(word);
}

/* ---- rows --------------------------------------------------------------- */

/* Cuts the next cell off: up to a tab where the line has tabs, where a cell may
 * be empty, else the next word. NULL: no more. */
static char *next_cell(char **line, bool has_tabs)
{
    char *cell = *line, *tab;

    if (!has_tabs)
        return next_word(line);
    if (cell == NULL)
        return NULL;
    tab = strchr(cell, '\t');
    *line = NULL;
    if (tab != NULL) {
        *tab = '\0';
        *line = tab + 1;
    }
    return trimmed(cell);
}

/* With tabs an affinity may be empty; the last title has one tab more in front
 * of it than it should, so it is the last cell that says something. */
static void read_affinities(struct importing *im, const struct matrix *m,
                            struct gpu_row *row, char *line, bool has_tabs)
{
    char *cells[8], *cell;
    size_t n = 0, at = 0, titles = 0;

    while (n < ARRAY_LEN(cells) && (cell = next_cell(&line, has_tabs)) != NULL)
        cells[n++] = cell;
    for (int a = 0; a < AFFINITIES; a++)
        titles += m->has[a];
    if (!has_tabs && n != titles) {
        import_warn(im,
                    "line %u has %zu cells behind its links and there are "
                    "%zu titles; the cells are passed over",
                    im->line, n, titles);
        return;
    }
    for (int a = 0; a < AFFINITIES; a++) {
        if (!m->has[a])
            continue;
        if (a == GPU_NUMA && has_tabs)
            while (at + 1 < n && *cells[at] == '\0')
                at++;
        if (at < n && *cells[at] != '\0')
            row->affinity[a] = cells[at];
        at++;
    }
}

static int read_gpu_row(struct importing *im, struct matrix *m, uint32_t number,
                        char *line, bool has_tabs)
{
    if (number >= m->n_gpus || m->rows[number].read)
        return line_error(im, "a row of GPU%u, which %s", number,
                          number < m->n_gpus ? "there is already"
                                             : "the header does not name");
    m->rows[number].read = true;
    for (size_t c = 0; c < m->n_columns; c++) {
        char *cell = next_cell(&line, has_tabs);

        if (cell == NULL || !is_link(cell))
            return line_error(im, "\"%.20s\" is no link, in the column of %s",
                              cell != NULL ? cell : "", m->columns[c]);
        if (c < m->n_gpus)
            m->cells[number * m->n_gpus + c] = cell;
        if (c < m->n_gpus && (strcmp(cell, "X") == 0) != (c == number))
            return line_error(im, "GPU%u and GPU%zu are linked by \"%s\"",
                              number, c, cell);
    }
    read_affinities(im, m, &m->rows[number], line, has_tabs);
    return 0;
}

static int read_row(struct importing *im, struct matrix *m, char *line)
{
    bool has_tabs = strchr(trimmed(line), '\t') != NULL;
    char *rest = trimmed(line), *name, *colon;
    uint32_t n;

    name = next_cell(&rest, has_tabs);
    if (name == NULL)
        return 0;
    if (read_numbered(name, gpu, &n))
        return read_gpu_row(im, m, n, rest, has_tabs);
    colon = strchr(name, ':');
    if (colon != NULL && rest != NULL) { /* NIC0: mlx5_0, of the legend */
        *colon = '\0';
        if (read_numbered(name, nic, &n) && m->n_gpus + n < m->n_columns)
            m->names[m->n_gpus + n] = trimmed(rest);
    } else if (read_numbered(name, nic, &n) && n >= m->nic_rows &&
               n < INVENTORY_COLUMNS_MAX) {
        m->nic_rows = n + 1;
    }
    return 0;
}

static int read_matrix(struct importing *im, struct matrix *m)
{
    char *line;

    while ((line = next_line(im)) != NULL) {
        if (m->n_gpus > 0) {
            if (read_row(im, m, line) < 0)
                return -1;
        } else if (is_header(im, line)) {
            if (read_header(im, m, line) < 0)
                return -1;
        }
    }
    if (m->n_gpus == 0)
        return text_error(im, "there is no line that names devices, \"GPU0 "
                              "GPU1 ...\"");
    return 0;
}

/* ---- what comes out ----------------------------------------------------- */

static int check_matrix(struct importing *im, const struct matrix *m)
{
    for (uint32_t a = 0; a < m->n_gpus; a++)
        if (!m->rows[a].read)
            return text_error(im, "the row of GPU%u is missing", a);
    for (uint32_t a = 0; a < m->n_gpus; a++)
        for (uint32_t b = 0; b < a; b++) {
            const char *x = m->cells[a * m->n_gpus + b];
            const char *y = m->cells[b * m->n_gpus + a];

            if (strcmp(x, y) != 0)
                return text_error(im,
                                  "GPU%u and GPU%u are linked by %s and by "
                                  "%s",
                                  b, a, y, x);
        }
    return 0;
}

static void put_links(struct importing *im, const struct matrix *m,
                      bool *linked)
{
    struct tree *rows = make_list(im->maker, im->ret->reading, "links");
    struct tree *pairs = make_map(im->maker, im->ret->reading, "nvlinks");

    for (uint32_t a = 0; a < m->n_gpus; a++) {
        struct tree *row = make_list(im->maker, rows, NULL);

        for (uint32_t b = 0; b < m->n_gpus; b++) {
            const char *cell = m->cells[a * m->n_gpus + b];
            uint32_t n = nvlinks(cell);
            char key[32];

            make_string(im->maker, row, NULL, cell);
            linked[a * m->n_gpus + b] = n > 0;
            snprintf(key, sizeof(key), "%u-%u", a, b);
            if (n > 0 && a < b)
                make_int(im->maker, pairs, key, n);
        }
    }
}

static void put_nics(struct importing *im, const struct matrix *m)
{
    struct tree *list = make_list(im->maker, im->ret->reading, "nics");
    uint32_t n, last = 0;

    for (size_t c = m->n_gpus; c < m->n_columns; c++) {
        char name[256];

        snprintf(name, sizeof(name), "%s%s%s", m->columns[c],
                 m->names[c] != NULL ? "=" : "",
                 m->names[c] != NULL ? m->names[c] : "");
        make_string(im->maker, list, NULL, name);
        if (read_numbered(m->columns[c], nic, &n))
            last = n + 1;
    }
    if (last > m->nic_rows)
        import_warn(im, "NIC rows %u..%u are missing", m->nic_rows, last - 1);
}

/* A device of the document and of the reading. */
static void put_device(struct importing *im, const struct matrix *m,
                       uint32_t number, struct tree *list, struct tree *device)
{
    static const char *const keys[] = { "cpu_affinity", "numa_affinity",
                                        "gpu_numa_id" };
    const struct gpu_row *row = &m->rows[number];
    const char *numa = row->affinity[NUMA_AFFINITY];
    struct tree *map = make_map(im->maker, list, NULL);
    char name[16];
    uint32_t n;

    snprintf(name, sizeof(name), "%s%u", gpu, number);
    make_string(im->maker, map, "name", name);
    make_int(im->maker, map, "index", number);
    for (int a = 0; a < AFFINITIES; a++)
        put_text(im->maker, map, keys[a], row->affinity[a]);
    make_int(im->maker, device, "index", number);
    /* a range of nodes, or none, does not say which */
    if (numa != NULL && read_count(numa, &n))
        make_int(im->maker, device, "numa", n);
}

int inventory_nvidia_topo(const struct inventory_source *source,
                          struct tree_maker *maker, struct inventory *ret,
                          struct error *err)
{
    const char *name;
    struct importing im;
    struct islands islands;
    struct matrix *m;
    struct tree *devices, *list;
    bool *linked;

    if (import_begin(&im, source, maker, ret, err) < 0)
        return -1;
    m = arena_alloc(im.arena, sizeof(*m));
    if (m == NULL)
        return error_exhausted(err);
    if (read_matrix(&im, m) < 0 || check_matrix(&im, m) < 0)
        return -1;
    make_int(maker, ret->reading, "gpus", m->n_gpus);
    linked =
        arena_array(im.arena, (size_t)m->n_gpus * m->n_gpus, sizeof(*linked));
    islands = (struct islands){ .n = m->n_gpus, .linked = linked };
    if (linked == NULL)
        return error_exhausted(err);
    list = make_list(maker, ret->reading, "devices");
    put_links(&im, m, linked);
    put_nics(&im, m);
    if (islands_find(&im, &islands) < 0)
        return -1;
    islands_put(&im, &islands, "nvlink_islands", "islands_all_to_all");
    name = import_host(&im, NULL);
    devices = make_list(maker, add_host(&im, name), "devices");
    for (uint32_t d = 0; d < m->n_gpus && !maker->failed; d++) {
        struct tree *device = make_map(maker, devices, NULL);
        const char *domain = islands_domain(&im, &islands, name, d);

        put_device(&im, m, d, list, device);
        if (domain != NULL)
            make_string(maker, device, "domain", domain);
    }
    return import_end(&im);
}
