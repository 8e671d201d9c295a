/* SPDX-License-Identifier: Apache-2.0 */
/* Which host each rank is on, by what launchers and schedulers read. */
#include "proto/seating.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "proto/inventory_read.h"

/* ---- seats --------------------------------------------------------------- */

static int take_seat(struct seating *seats, uint32_t rank, const char *host,
                     struct error *err)
{
    if (rank >= seats->n)
        return error_set(err, STATUS_INVALID,
                         "%.64s has rank %" PRIu32 ", and there are %" PRIu32
                         " ranks",
                         host, rank, seats->n);
    if (seats->hosts[rank] != NULL)
        return error_set(err, STATUS_INVALID,
                         "rank %" PRIu32 " is on %.64s and on %.64s", rank,
                         seats->hosts[rank], host);
    seats->hosts[rank] = host;
    return 0;
}

/* The next ranks, from *rank on. */
static int take_run(struct seating *seats, uint32_t *rank, const char *host,
                    uint32_t count, struct error *err)
{
    for (uint32_t i = 0; i < count; i++)
        if (take_seat(seats, (*rank)++, host, err) < 0)
            return -1;
    return 0;
}

static int not_known(const char *line, struct error *err)
{
    return error_set(err, STATUS_INVALID, "\"%.64s\" is not known there", line);
}

/* The next line that is not empty; NULL: none. */
static char *cut_line(char **text)
{
    char *line;

    while ((line = strsep(text, "\n")) != NULL)
        if (line[0] != '\0')
            return line;
    return NULL;
}

/* "key=" and a number, to the end. */
static bool is_numbered(const char *word, const char *key, uint32_t *ret)
{
    return word != NULL && read_numbered(word, key, ret);
}

/* ---- formats ------------------------------------------------------------- */

int seating_hostfile(struct arena *arena, char *text, struct seating *seats,
                     struct error *err)
{
    uint32_t rank = 0, slots;
    char *line, *host;

    (void)arena;
    while ((line = cut_line(&text)) != NULL) {
        if (line[0] == '#')
            continue;
        host = strsep(&line, " ");
        if (!is_numbered(line, "slots=", &slots))
            return not_known(host, err);
        if (take_run(seats, &rank, host, slots, err) < 0)
            return -1;
    }
    return 0;
}

int seating_rankfile(struct arena *arena, char *text, struct seating *seats,
                     struct error *err)
{
    uint32_t rank, slot;
    char *line, *number, *host;

    seats->slots = arena_array(arena, seats->n + 1, sizeof(*seats->slots));
    if (seats->slots == NULL)
        return error_exhausted(err);
    while ((line = cut_line(&text)) != NULL) {
        if (line[0] == '#')
            continue;
        if (strncmp(line, "rank ", 5) != 0)
            return not_known(line, err);
        host = line + 5;
        number = strsep(&host, "=");
        line = host;
        host = strsep(&line, " ");
        if (!read_count(number, &rank) || host == NULL ||
            !is_numbered(line, "slot=", &slot))
            return not_known(number, err);
        if (take_seat(seats, rank, host, err) < 0)
            return -1;
        seats->slots[rank] = slot;
    }
    return 0;
}

int seating_slurm_hostfile(struct arena *arena, char *text,
                           struct seating *seats, struct error *err)
{
    uint32_t rank = 0;
    char *line;

    (void)arena;
    while ((line = cut_line(&text)) != NULL)
        if (take_run(seats, &rank, line, 1, err) < 0)
            return -1;
    return 0;
}

/* What the words of a torchrun command say. */
struct torchrun {
    uint32_t nodes, node, procs, port;
    const char *master;
};

static bool read_torchrun(char *line, struct torchrun *ret)
{
    const struct {
        const char *key;
        uint32_t *to;
    } numbers[] = {
        { "--nnodes=", &ret->nodes },
        { "--node-rank=", &ret->node },
        { "--nproc-per-node=", &ret->procs },
        { "--master-port=", &ret->port },
    };
    static const char master[] = "--master-addr=";
    size_t n_read = 0;
    char *word;

    while ((word = strsep(&line, " ")) != NULL) {
        for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
            n_read += read_numbered(word, numbers[i].key, numbers[i].to);
        if (strncmp(word, master, strlen(master)) == 0)
            ret->master = word + strlen(master);
    }
    return n_read == ARRAY_LEN(numbers) && ret->master != NULL;
}

/* The host of a comment, "# on HOST: ..."; NULL: of another one. */
static const char *host_of(char *comment)
{
    static const char on[] = "# on ";

    if (strncmp(comment, on, strlen(on)) != 0)
        return NULL;
    comment += strlen(on);
    return strchr(comment, ':') != NULL ? strsep(&comment, ":") : NULL;
}

int seating_torchrun(struct arena *arena, char *text, struct seating *seats,
                     struct error *err)
{
    static const char command[] = "torchrun ";
    const char *host = NULL, *first = NULL;
    uint32_t rank = 0, n = 0, n_nodes = 0;
    char *line;

    (void)arena;
    while ((line = cut_line(&text)) != NULL) {
        struct torchrun run = { 0 };

        if (line[0] == '#') {
            host = host_of(line);
            continue;
        }
        if (host == NULL || strncmp(line, command, strlen(command)) != 0 ||
            !read_torchrun(line + strlen(command), &run))
            return not_known(line, err);
        if (n == 0) {
            first = host;
            n_nodes = run.nodes;
        }
        if (run.node != n++ || run.nodes != n_nodes ||
            strcmp(run.master, first) != 0)
            return error_set(err, STATUS_INVALID,
                             "the commands for %.64s and for %.64s do not fit "
                             "together",
                             first, host);
        if (take_run(seats, &rank, host, run.procs, err) < 0)
            return -1;
        host = NULL;
    }
    return n == n_nodes
               ? 0
               : error_set(err, STATUS_INVALID,
                           "%" PRIu32 " commands for %" PRIu32 " nodes", n,
                           n_nodes);
}

/* The next string of a JSON text, cut; *ret_key: it is a key. NULL: none. A
 * million bundles are more than document_read_json() takes. */
static char *cut_string(char **text, bool *ret_key)
{
    char *begin = strchr(*text, '"'), *end;

    if (begin == NULL)
        return NULL;
    for (end = ++begin; *end != '"' && *end != '\0'; end++)
        if (*end == '\\' && end[1] != '\0')
            end++;
    if (*end == '\0')
        return NULL;
    *end++ = '\0';
    *ret_key = end[strspn(end, " \n")] == ':';
    *text = end;
    return begin;
}

/* Bundles are pinned to hosts by Ray's resource of a node; beside them stands
 * the list of hosts by rank, which is to say the same. */
int seating_ray(struct arena *arena, char *text, struct seating *seats,
                struct error *err)
{
    static const char node[] = "node:", hosts[] = "hosts";
    uint32_t rank = 0, n_listed = 0;
    bool is_key, in_hosts = false;
    char *word;

    (void)arena;
    while ((word = cut_string(&text, &is_key)) != NULL) {
        if (is_key) {
            in_hosts = strcmp(word, hosts) == 0;
            if (strncmp(word, node, strlen(node)) == 0 &&
                take_run(seats, &rank, word + strlen(node), 1, err) < 0)
                return -1;
            continue;
        }
        if (in_hosts &&
            (n_listed >= rank || strcmp(seats->hosts[n_listed++], word) != 0))
            return error_set(err, STATUS_INVALID,
                             "the hosts name %.64s where no bundle is on it",
                             word);
    }
    return n_listed == rank
               ? 0
               : error_set(err, STATUS_INVALID,
                           "%" PRIu32 " bundles and %" PRIu32 " hosts", rank,
                           n_listed);
}

/* ---- reading ------------------------------------------------------------- */

int seating_read(struct arena *arena, seating_fn *read, const char *text,
                 size_t len, uint32_t n, struct seating *ret, struct error *err)
{
    struct seating seats = { .n = n };
    char *copy = arena_alloc(arena, len + 1);

    seats.hosts = arena_array(arena, n + 1, sizeof(*seats.hosts));
    if (copy == NULL || seats.hosts == NULL)
        return error_exhausted(err);
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (read(arena, copy, &seats, err) < 0)
        return -1;
    for (uint32_t rank = 0; rank < n; rank++)
        if (seats.hosts[rank] == NULL)
            return error_set(err, STATUS_INVALID,
                             "rank %" PRIu32 " is on no host", rank);
    *ret = seats;
    return 0;
}
