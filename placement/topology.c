/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a loaded cluster. */
#include "placement/topology.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "placement/names.h"

static const char *const link_words[] = {
#define X(id, word) word,
    LINK_LIST(X)
#undef X
};

static const char *const state_words[] = {
#define X(id, word) word,
    HOST_STATE_LIST(X)
#undef X
};

const char *link_name(enum link_level level)
{
    return link_words[level];
}

int link_named(const char *word)
{
    for (int i = 0; i < LINK_COUNT; i++)
        if (strcmp(link_words[i], word) == 0)
            return i;
    return strcmp(word, "rack") == 0 ? LINK_BLOCK : -1;
}

int link_read(const struct tree *tree, enum link_level *ret, struct error *err)
{
    int level = tree->text != NULL ? link_named(tree->text) : -1;

    if (level < 0)
        return tree_error(tree, err, STATUS_INVALID,
                          "\"%s\" is no link; there are nvlink, host, block, "
                          "any",
                          tree->text != NULL ? tree->text
                                             : tree_type_name(tree->type));
    *ret = (enum link_level)level;
    return 0;
}

const char *host_state_name(enum host_state state)
{
    return state_words[state];
}

bool topology_is_document(const struct tree *document)
{
    return tree_get(document, "hosts") != NULL;
}

uint32_t topology_host(const struct topology *topology, const char *name)
{
    uint32_t low = 0, high = topology->n_hosts;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t host = topology->by_name[middle];
        int order = strcmp(topology->hosts[host].name, name);

        if (order == 0)
            return host;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return HOST_NONE;
}

static int refuse_name(const struct topology *topology, struct arena *arena,
                       const char *name, struct error *err)
{
    const char **names = arena_array(arena, topology->n_hosts, sizeof(*names));
    const char *nearest = NULL;

    for (uint32_t h = 0; names != NULL && h < topology->n_hosts; h++)
        names[h] = topology->hosts[h].name;
    if (names != NULL)
        nearest = text_nearest(name, names, topology->n_hosts);
    if (nearest != NULL)
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "host %s is not declared; the nearest that is: %s",
                         name, nearest);
    return error_set(err, STATUS_UNKNOWN_NAME,
                     "host %s is not declared; %u hosts are", name,
                     topology->n_hosts);
}

int topology_mark(const struct topology *topology, struct arena *arena,
                  const char *expression, bool *marks, struct error *err)
{
    const char *const *names;
    size_t n;

    if (nodelist_expand(arena, expression, &names, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (topology_host(topology, names[i]) == HOST_NONE)
            return refuse_name(topology, arena, names[i], err);
    for (size_t i = 0; i < n; i++)
        marks[topology_host(topology, names[i])] = true;
    return 0;
}

/* Reads up to `most` hex digits at *text; the number of digits. */
static int read_hex(const char **text, int most, unsigned *ret)
{
    int n = 0;

    *ret = 0;
    while (n < most && isxdigit((unsigned char)**text)) {
        int c = tolower((unsigned char)*(*text)++);

        *ret = *ret * 16 + (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
        n++;
    }
    return n;
}

bool pci_normal(const char *text, char out[24])
{
    unsigned parts[4] = { 0 };
    const char *colon = strchr(text, ':');
    bool has_domain = colon != NULL && strchr(colon + 1, ':') != NULL;

    if (has_domain && (read_hex(&text, 8, &parts[0]) == 0 || *text++ != ':'))
        return false;
    if (read_hex(&text, 2, &parts[1]) == 0 || *text++ != ':' ||
        read_hex(&text, 2, &parts[2]) == 0 || *text++ != '.' ||
        read_hex(&text, 1, &parts[3]) == 0 || *text != '\0')
        return false;
    snprintf(out, 24, "%04x:%02x:%02x.%x", parts[0], parts[1], parts[2],
             parts[3]);
    return true;
}

bool host_has_label(const struct host *host, const char *key, const char *value)
{
    for (size_t i = 0; i < host->n_labels; i++)
        if (strcmp(host->labels[i].key, key) == 0)
            return *value == '\0' || strcmp(host->labels[i].value, value) == 0;
    return false;
}
