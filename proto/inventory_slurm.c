/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's records of nodes, as `scontrol show node` prints them, on several
 * lines each or with -o on one. */
#include <string.h>

#include "placement/names.h"
#include "placement/topology.h"
#include "proto/inventory_gres.h"

enum { FIELDS_MAX = 256 };

struct field {
    const char *key;
    char *value;
};

/* One node: its fields in their order; values are cut in place. */
struct record {
    struct field fields[FIELDS_MAX];
    size_t n;
};

/* Fields whose text may hold blanks, and what may follow it on one line. */
static const char *const free_texts[] = { "OS", "Reason", "Comment",
                                          "AdminComment", "Extra" };
static const char *const followers[] = {
    "RealMemory", "AllocMem",   "FreeMem",      "Sockets",       "Boards",
    "BootTime",   "MCS_label",  "State",        "Partitions",    "CfgTRES",
    "AllocTRES",  "CapWatts",   "Reason",       "Comment",       "AdminComment",
    "Extra",      "InstanceId", "InstanceType", "CoreSpecCount",
};

static bool is_one_of(const char *const *words, size_t n, const char *key,
                      size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(words[i]) == len && memcmp(words[i], key, len) == 0)
            return true;
    return false;
}

/* The end of a key at text, where its = stands; NULL: there is no key. */
static char *key_end(char *text)
{
    char *c = text;

    while ((*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') ||
           (*c >= '0' && *c <= '9') || *c == '_' || *c == '/')
        c++;
    return c > text && *c == '=' ? c : NULL;
}

/* The end of a text with blanks: in a record of one line the next key that may
 * follow it, else the end of the line. */
static char *free_text_end(char *value, bool one_line)
{
    for (char *c = value; one_line && *c != '\0'; c++) {
        char *end = *c == ' ' ? key_end(c + 1) : NULL;

        if (end != NULL && is_one_of(followers, ARRAY_LEN(followers), c + 1,
                                     (size_t)(end - c - 1)))
            return c;
    }
    return value + strlen(value);
}

static int add_field(struct importing *im, struct record *record,
                     const char *key, char *value)
{
    for (size_t i = 0; i < record->n; i++)
        if (strcmp(record->fields[i].key, key) == 0)
            return 0; /* the first counts */
    if (record->n == FIELDS_MAX)
        return line_error(im, "a node has %d fields at most", FIELDS_MAX);
    record->fields[record->n++] = (struct field){ key, trimmed(value) };
    return 0;
}

static int read_line(struct importing *im, struct record *record, char *line,
                     bool one_line)
{
    while (*(line = trimmed(line)) != '\0') {
        char *end = key_end(line), *value, *rest;

        if (end == NULL) {
            next_word(&line); /* a word that belongs to no key */
            continue;
        }
        value = end + 1;
        rest = is_one_of(free_texts, ARRAY_LEN(free_texts), line,
                         (size_t)(end - line))
                   ? free_text_end(value, one_line)
                   : value + strcspn(value, " \t");
        *end = '\0';
        if (*rest != '\0')
            *rest++ = '\0';
        if (add_field(im, record, line, value) < 0)
            return -1;
        line = rest;
    }
    return 0;
}

/* NULL: absent, or unset, which Slurm writes as (null). */
static char *field(struct record *record, const char *key)
{
    for (size_t i = 0; i < record->n; i++)
        if (strcmp(record->fields[i].key, key) == 0) {
            char *value = record->fields[i].value;

            return *value == '\0' || strcmp(value, "(null)") == 0 ? NULL
                                                                  : value;
        }
    return NULL;
}

/* ---- states ------------------------------------------------------------- */

/* Words of a state, and marks behind one, that keep new work away. */
static const struct {
    const char *word;
    char mark;
    enum host_state state;
} stops[] = {
    { "DRAIN", 0, HOST_DRAINED },       { "DRAINED", 0, HOST_DRAINED },
    { "DRAINING", 0, HOST_DRAINED },    { "FAIL", 0, HOST_DRAINED },
    { "FAILING", 0, HOST_DRAINED },     { "DOWN", 0, HOST_DOWN },
    { "ERROR", 0, HOST_DOWN },          { "UNKNOWN", 0, HOST_DOWN },
    { "FUTURE", 0, HOST_DOWN },         { "NOT_RESPONDING", '*', HOST_DOWN },
    { "POWERED_DOWN", '~', HOST_DOWN }, { "POWERING_DOWN", '%', HOST_DOWN },
    { "POWER_DOWN", '!', HOST_DOWN },   { "INVALID_REG", 0, HOST_DOWN },
    { "MAINT", '$', HOST_CORDONED },    { "RESERVED", 0, HOST_CORDONED },
    { "REBOOT", '@', HOST_CORDONED },   { "REBOOT_ISSUED", '^', HOST_CORDONED },
    { "BLOCKED", 0, HOST_CORDONED },
};

static void stop_by_word(const char *word, enum host_state *state)
{
    for (size_t i = 0; i < ARRAY_LEN(stops); i++)
        if (strcmp(stops[i].word, word) == 0 && stops[i].state > *state)
            *state = stops[i].state;
}

/* Cuts the marks off a word. */
static void stop_by_marks(char *word, enum host_state *state)
{
    size_t n = strlen(word);

    for (; n > 0 && strchr("*~#!%$@^-", word[n - 1]) != NULL; n--) {
        for (size_t i = 0; i < ARRAY_LEN(stops); i++)
            if (stops[i].mark == word[n - 1] && stops[i].state > *state)
                *state = stops[i].state;
        word[n - 1] = '\0';
    }
}

/* "IDLE+CLOUD", "DOWN*+DRAIN" into the base state, flags and ours. */
static enum host_state put_state(struct importing *im, struct tree *map,
                                 char *text)
{
    enum host_state state = HOST_READY;
    struct tree *flags;
    char *part;
    bool first = true;

    if (text == NULL) {
        put_null(im->maker, map, "state");
        import_warn(im, "%.60s has no State=, and is taken as ready",
                    tree_get(map, "name")->text);
        return HOST_READY;
    }
    flags = make_list(im->maker, NULL, "flags");
    while ((part = gres_next_part(&text, '+')) != NULL) {
        stop_by_marks(part, &state);
        stop_by_word(part, &state);
        if (first)
            make_string(im->maker, map, "state", part);
        else
            make_string(im->maker, flags, NULL, part);
        first = false;
    }
    make_copy(im->maker, map, "flags", flags);
    return state;
}

/* ---- nodes -------------------------------------------------------------- */

static void put_number(struct importing *im, struct tree *map, const char *key,
                       const char *text)
{
    uint32_t n;

    if (text != NULL && read_count(text, &n))
        make_int(im->maker, map, key, n);
    else
        put_null(im->maker, map, key);
}

/* "node start up [root@2026-03-11T11:05:51]": what, and who. */
static void put_reason(struct importing *im, struct tree *host, char *text)
{
    char *who = text != NULL ? strrchr(text, '[') : NULL, *at;

    if (text == NULL)
        return;
    if (who != NULL && (at = strchr(who, '@')) != NULL && at > who + 1) {
        *who = *at = '\0';
        make_string(im->maker, host, "by", who + 1);
    }
    text = trimmed(text);
    if (strlen(text) > CLUSTER_TEXT_MAX) {
        size_t n = CLUSTER_TEXT_MAX;

        while (n > 0 && (text[n] & 0xc0) == 0x80)
            n--;
        text[n] = '\0';
    }
    if (*text != '\0')
        make_string(im->maker, host, "reason", text);
}

static void put_label(struct importing *im, struct tree *labels,
                      const char *prefix, const char *part)
{
    const char *key;

    if (tree_count(labels) == HOST_LABELS_MAX ||
        strlen(prefix) + strlen(part) > CLUSTER_TEXT_MAX)
        return;
    key = arena_printf(im->arena, "%s%s", prefix, part);
    if (key == NULL)
        im->maker->failed = true;
    else if (tree_get(labels, key) == NULL)
        make_string(im->maker, labels, key, "yes");
}

/* Partitions and features are labels: they may tell racks, but who knows. */
static void put_labels(struct importing *im, struct tree *host,
                       struct tree *reading, char *partitions, char *features)
{
    struct tree *labels = make_map(im->maker, NULL, "labels");
    struct tree *list = make_list(im->maker, reading, "partitions");
    char *part;

    while ((part = gres_next_part(&partitions, ',')) != NULL) {
        make_string(im->maker, list, NULL, part);
        put_label(im, labels, "partition/", part);
    }
    while ((part = gres_next_part(&features, ',')) != NULL)
        put_label(im, labels, "feature/", part);
    if (tree_count(labels) > 0)
        make_copy(im->maker, host, "labels", labels);
}

static void put_facts(struct importing *im, struct tree *map,
                      struct record *record, uint32_t gpus)
{
    put_text(im->maker, map, "addr", field(record, "NodeAddr"));
    put_text(im->maker, map, "version", field(record, "Version"));
    put_number(im, map, "cpus", field(record, "CPUTot"));
    put_number(im, map, "sockets", field(record, "Sockets"));
    put_number(im, map, "cores_per_socket", field(record, "CoresPerSocket"));
    put_number(im, map, "threads", field(record, "ThreadsPerCore"));
    put_number(im, map, "memory_mib", field(record, "RealMemory"));
    make_int(im->maker, map, "gpus", gpus);
    put_text(im->maker, map, "reason", field(record, "Reason"));
}

static int put_node(struct importing *im, struct record *record,
                    struct tree *nodes)
{
    char *name = field(record, "NodeName"), *addr = field(record, "NodeAddr");
    struct tree *map, *host;
    struct gres gres[GRES_MAX];
    enum host_state state;
    uint32_t gpus = 0;
    size_t n;

    if (record->n == 0)
        return 0;
    if (name == NULL || !name_is_host(name))
        return line_error(im, "\"%.60s\" cannot be the name of a node",
                          name != NULL ? name : "");
    map = make_map(im->maker, nodes, NULL);
    make_string(im->maker, map, "name", name);
    host = add_host(im, name);
    if (addr != NULL && strcmp(addr, name) != 0 && name_is_host(addr))
        make_string(im->maker, host, "addresses", addr);
    if (gres_read(im, field(record, "Gres"), gres, &n) < 0 ||
        gres_put_devices(im, host, gres, n, &gpus) < 0)
        return -1;
    gres_put(im, map, gres, n);
    put_facts(im, map, record, gpus);
    state = put_state(im, map, field(record, "State"));
    make_bool(im->maker, map, "usable", state == HOST_READY);
    if (state != HOST_READY)
        make_string(im->maker, host, "state", host_state_name(state));
    put_reason(im, host, field(record, "Reason"));
    put_labels(im, host, map, field(record, "Partitions"),
               field(record, "ActiveFeatures"));
    record->n = 0;
    return 0;
}

int inventory_slurm_nodes(const struct inventory_source *source,
                          struct tree_maker *maker, struct inventory *ret,
                          struct error *err)
{
    struct importing im;
    struct record *record;
    struct tree *nodes;
    char *line;

    if (import_begin(&im, source, maker, ret, err) < 0)
        return -1;
    record = arena_alloc(im.arena, sizeof(*record));
    if (record == NULL)
        return error_exhausted(err);
    nodes = make_list(maker, ret->reading, "nodes");
    while ((line = next_line(&im)) != NULL) {
        bool starts = strncmp(trimmed(line), "NodeName=", 9) == 0;

        line = trimmed(line);
        if (starts && put_node(&im, record, nodes) < 0)
            return -1;
        if (!starts && record->n == 0 && *line != '\0')
            return line_error(&im, "expected \"NodeName=\"");
        if (read_line(&im, record, line,
                      starts && strstr(line, " State=") != NULL) < 0)
            return -1;
    }
    if (put_node(&im, record, nodes) < 0)
        return -1;
    return import_end(&im);
}
