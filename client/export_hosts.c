/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks on hosts, as launchers read them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/export.h"

enum {
    FILE_BYTES_MAX = 4 << 20, /* 65,536 lines of 64 bytes */
    NAME_BYTES_MAX = 253,     /* of a host in the DNS */
    PORT_DEFAULT = 29500,
};

/* ---- reading ------------------------------------------------------------- */

/* A number from 1 to most at the start of text, which ends there. */
static int read_count(const char *what, const char *text, uint32_t most,
                      uint32_t *ret, struct error *err)
{
    char *end;
    unsigned long n;

    errno = 0;
    n = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n < 1 ||
        n > most)
        return error_set(err, STATUS_INVALID,
                         "%.64s: \"%.32s\" is not a number from 1 to %" PRIu32,
                         what, text, most);
    *ret = (uint32_t)n;
    return 0;
}

bool export_is_name(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                              "UVWXYZ0123456789._-");

    return len > 0 && len <= NAME_BYTES_MAX && name[len] == '\0' &&
           name[0] != '-' && name[0] != '.';
}

static int add_host(struct export_hosts *hosts, const char *name,
                    const char *slots, uint32_t usual, struct error *err)
{
    struct export_host *host = &hosts->items[hosts->n];

    if (!export_is_name(name))
        return error_set(err, STATUS_INVALID,
                         "\"%.64s\" is not the name of a host", name);
    if (slots == NULL && usual == 0)
        return error_set(err, STATUS_INVALID,
                         "how many ranks %.64s takes is not said; give "
                         "--gpus-per-node, or write %.64s:8",
                         name, name);
    *host = (struct export_host){ .name = name, .slots = usual };
    if (slots != NULL &&
        read_count(name, slots, VIEW_SPAN_MAX, &host->slots, err) < 0)
        return -1;
    hosts->n++;
    return 0;
}

/* "NAME", "NAME:N" or "NAME slots=N ...", to the end of the line or a #. */
static int read_entry(struct export_hosts *hosts, char *entry, uint32_t usual,
                      struct error *err)
{
    static const char space[] = " \t\r";
    char *word, *slots = NULL, *name;

    entry[strcspn(entry, "#")] = '\0';
    entry += strspn(entry, space);
    if (entry[0] == '\0')
        return 0;
    name = strsep(&entry, space);
    while ((word = strsep(&entry, space)) != NULL)
        if (strncmp(word, "slots=", 6) == 0)
            slots = word + 6;
        else if (word[0] != '\0' && strncmp(word, "max", 3) != 0)
            return error_set(err, STATUS_INVALID,
                             "\"%.64s\" is not known behind the host %.64s; "
                             "write slots=N",
                             word, name);
    if (slots == NULL && strchr(name, ':') != NULL) {
        slots = strchr(name, ':');
        *slots++ = '\0';
    }
    return add_host(hosts, name, slots, usual, err);
}

static int read_entries(struct exported const *e, char *text,
                        const char *between, struct export_hosts *hosts,
                        uint32_t usual, struct error *err)
{
    size_t room = 2;
    char *entry;

    for (const char *s = text; *s != '\0'; s++)
        room += strchr(between, *s) != NULL;
    hosts->items = arena_array(e->v->arena, room, sizeof(*hosts->items));
    if (hosts->items == NULL)
        return error_exhausted(err);
    while ((entry = strsep(&text, between)) != NULL) {
        if (hosts->n == EXPORT_HOSTS_MAX)
            return error_set(err, STATUS_INVALID, "more than %d hosts",
                             EXPORT_HOSTS_MAX);
        if (read_entry(hosts, entry, usual, err) < 0)
            return -1;
    }
    return 0;
}

/* The text of a file; NULL and no error: there is none of this name. */
static int read_file(const struct exported *e, const char *path, char **ret,
                     struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    ssize_t n = -1;
    char *text = NULL;

    *ret = NULL;
    if (fd < 0 && strchr(path, '/') == NULL)
        return 0;
    if (fd < 0)
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "%.256s: there is no such file", path);
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
        st.st_size > FILE_BYTES_MAX) {
        error_set(err, STATUS_INVALID,
                  "%.256s: not a file, or larger than %d MiB", path,
                  FILE_BYTES_MAX >> 20);
        goto out;
    }
    text = arena_alloc(e->v->arena, (size_t)st.st_size + 1);
    if (text == NULL) {
        error_exhausted(err);
        goto out;
    }
    n = read(fd, text, (size_t)st.st_size);
    if (n < 0)
        error_set(err, STATUS_INVALID, "%.256s: cannot be read: %s", path,
                  strerror(errno));
    else
        *ret = text;
out:
    close(fd);
    return n < 0 ? -1 : 0;
}

static int compare_names(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;

    return strcmp(*x, *y);
}

static int check_twice(const struct exported *e,
                       const struct export_hosts *hosts, struct error *err)
{
    const char **names = arena_array(e->v->arena, hosts->n + 1, sizeof(*names));

    if (names == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < hosts->n; i++)
        names[i] = hosts->items[i].name;
    qsort(names, hosts->n, sizeof(*names), compare_names);
    for (size_t i = 1; i < hosts->n; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return error_set(err, STATUS_INVALID, "the host %.64s stands twice",
                             names[i]);
    return 0;
}

static int read_hosts(const struct exported *e, struct export_hosts *hosts,
                      struct error *err)
{
    const char *value = option_value(e->v, "hosts");
    const char *usual = option_value(e->v, "gpus-per-node");
    uint32_t slots = 0;
    char *text;

    if (usual != NULL &&
        read_count("--gpus-per-node", usual, VIEW_SPAN_MAX, &slots, err) < 0)
        return -1;
    if (read_file(e, value, &text, err) < 0)
        return -1;
    if (text != NULL)
        return read_entries(e, text, "\n", hosts, slots, err);
    text = arena_strdup(e->v->arena, value);
    return text == NULL ? error_exhausted(err)
                        : read_entries(e, text, ",", hosts, slots, err);
}

/* ---- giving ranks out ---------------------------------------------------- */

static int check_dense(const struct exported *e, struct error *err)
{
    for (uint32_t r = 0; r < e->n_ranks; r++)
        if (!e->present[r])
            return error_set(err, STATUS_INVALID,
                             "launchers number ranks from 0 on, but rank "
                             "%" PRIu32 " of %" PRIu32
                             " is not in this request",
                             r, e->n_ranks);
    return 0;
}

int export_hosts(const struct exported *e, struct export_hosts *ret,
                 struct error *err)
{
    struct export_hosts hosts = { 0 };
    uint64_t slots = 0;
    uint32_t next = 0;

    if (check_dense(e, err) < 0)
        return -1;
    if (option_value(e->v, "hosts") == NULL) {
        if (export_bound(e, &hosts, err) < 0)
            return -1;
    } else if (read_hosts(e, &hosts, err) < 0 ||
               check_twice(e, &hosts, err) < 0)
        return -1;
    for (size_t i = 0; i < hosts.n; i++) {
        struct export_host *host = &hosts.items[i];
        uint32_t left = e->n_ranks - next;

        slots += host->slots;
        host->first = next;
        host->used = host->slots < left ? host->slots : left;
        next += host->used;
        hosts.n_used += host->used > 0;
    }
    if (next < e->n_ranks)
        return error_set(err, STATUS_EXHAUSTED,
                         "%" PRIu32 " ranks do not fit on %zu host%s with room "
                         "for %" PRIu64,
                         e->n_ranks, hosts.n, hosts.n == 1 ? "" : "s", slots);
    *ret = *e->given = hosts;
    return 0;
}

/* The same for what gives each host its ranks in one piece. */
static int whole_hosts(const struct exported *e, struct export_hosts *ret,
                       struct error *err)
{
    if (export_hosts(e, ret, err) < 0)
        return -1;
    if (ret->again != NULL)
        return error_set(err, STATUS_INVALID,
                         "the ranks on %s do not follow one another; only a "
                         "rankfile can say that",
                         ret->again);
    return 0;
}

/* ---- files of launchers -------------------------------------------------- */

/* One comment line; names of requests may hold anything. */
static void put_comment(const struct exported *e)
{
    struct output *out = &e->v->out;

    text_put(&out->text, "# ");
    output_put(out, STYLE_PLAIN, e->name[0] != '\0' ? e->name : "a request");
    text_printf(&out->text, ": %" PRIu32 " rank%s under ", e->n_ranks,
                e->n_ranks == 1 ? "" : "s");
    output_put(out, STYLE_PLAIN, e->rt->name);
    if (e->generation != NULL)
        text_printf(&out->text, ", generation %s", e->generation);
    text_put(&out->text, "\n");
}

int export_hostfile(const struct exported *e, struct error *err)
{
    struct export_hosts hosts;

    if (whole_hosts(e, &hosts, err) < 0)
        return -1;
    put_comment(e);
    for (size_t i = 0; i < hosts.n_used; i++)
        text_printf(&e->v->out.text, "%s slots=%" PRIu32 "\n",
                    hosts.items[i].name, hosts.items[i].used);
    return 0;
}

int export_rankfile(const struct exported *e, struct error *err)
{
    struct export_hosts hosts;

    if (export_hosts(e, &hosts, err) < 0)
        return -1;
    put_comment(e);
    for (size_t i = 0; i < hosts.n_used; i++)
        for (uint32_t slot = 0; slot < hosts.items[i].used; slot++)
            text_printf(&e->v->out.text,
                        "rank %" PRIu32 "=%s slot=%" PRIu32 "\n",
                        hosts.items[i].first + slot, hosts.items[i].name,
                        hosts.items[i].slot + slot);
    return 0;
}

/* A command for each host, which is to be followed by the script. */
int export_torchrun(const struct exported *e, struct error *err)
{
    const char *value = option_value(e->v, "port");
    struct text *out = &e->v->out.text;
    uint32_t port = PORT_DEFAULT;
    struct export_hosts hosts;

    /* A lease is for the host that the placement has. */
    if (e->master_port > 0 && !option_given(e->v, "hosts"))
        port = e->master_port;
    if (value != NULL && read_count("--port", value, 65535, &port, err) < 0)
        return -1;
    if (whole_hosts(e, &hosts, err) < 0)
        return -1;
    put_comment(e);
    for (size_t i = 0; i < hosts.n_used; i++) {
        const struct export_host *host = &hosts.items[i];

        text_printf(out, "# on %s: rank%s %" PRIu32, host->name,
                    host->used > 1 ? "s" : "", host->first);
        if (host->used > 1)
            text_printf(out, " to %" PRIu32, host->first + host->used - 1);
        text_put(out, "\n");
        text_printf(out,
                    "torchrun --nnodes=%zu --node-rank=%zu "
                    "--nproc-per-node=%" PRIu32 " --master-addr=%s "
                    "--master-port=%" PRIu32 "\n",
                    hosts.n_used, i, host->used, hosts.items[0].name, port);
    }
    return 0;
}
