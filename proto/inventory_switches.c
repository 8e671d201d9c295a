/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's topology.conf: a tree of switches, or blocks. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "placement/names.h"
#include "placement/topology.h"
#include "proto/inventory_read.h"

enum { SWITCHES_MAX = 65536 };

/* A switch or a block: what hangs off it. */
struct node {
    const char *name;
    const char *const *children; /* switches */
    size_t n_children;
    const char *const *hosts;
    size_t n_hosts;
    uint32_t parent; /* UINT32_MAX: a root */
    uint32_t line;
};

struct network {
    struct node *nodes;
    size_t n, cap, n_hosts;
    bool is_block;
    const uint32_t *sizes; /* of blocks, as the file lists them */
    size_t n_sizes;
    struct name_use *hosts; /* all, in the order of the file */
};

static int add_node(struct importing *im, struct network *net,
                    const struct node *node)
{
    if (net->n == SWITCHES_MAX)
        return line_error(im, "%d switches or blocks are the most",
                          SWITCHES_MAX);
    if (net->n == net->cap) {
        size_t cap = net->cap == 0 ? 64 : net->cap * 2;
        struct node *more = arena_array(im->arena, cap, sizeof(*more));

        if (more == NULL)
            return error_exhausted(im->err);
        if (net->n > 0)
            memcpy(more, net->nodes, net->n * sizeof(*more));
        net->nodes = more;
        net->cap = cap;
    }
    net->n_hosts += node->n_hosts;
    if (net->n_hosts > CLUSTER_HOSTS_MAX)
        return line_error(im, "a cluster has %d hosts at most",
                          CLUSTER_HOSTS_MAX);
    net->nodes[net->n++] = *node;
    return 0;
}

static int expand(struct importing *im, const char *text,
                  const char *const **ret, size_t *ret_n)
{
    struct error inner;

    if (nodelist_expand(im->arena, text, ret, ret_n, &inner) < 0)
        return line_error(im, "%s", inner.text);
    return 0;
}

/* One KEY=VALUE; which keys count is told without case, as Slurm does. */
static int read_pair(struct importing *im, struct network *net,
                     struct node *node, char *word)
{
    char *value = strchr(word, '=');
    struct error inner;

    if (value == NULL)
        return line_error(im, "\"%.40s\" is no KEY=VALUE", word);
    *value++ = '\0';
    if (strcasecmp(word, "SwitchName") == 0 ||
        strcasecmp(word, "BlockName") == 0) {
        bool is_block = strcasecmp(word, "BlockName") == 0;

        if (net->n > 0 && net->is_block != is_block)
            return line_error(im, "switches and blocks in one file; it holds "
                                  "one kind");
        net->is_block = is_block;
        node->name = value;
        return *value != '\0' ? 0 : line_error(im, "a name is empty");
    }
    if (strcasecmp(word, "Nodes") == 0)
        return expand(im, value, &node->hosts, &node->n_hosts);
    if (strcasecmp(word, "Switches") == 0)
        return expand(im, value, &node->children, &node->n_children);
    if (strcasecmp(word, "BlockSizes") == 0) {
        if (idset_expand(im->arena, value, CLUSTER_HOSTS_MAX, &net->sizes,
                         &net->n_sizes, &inner) < 0)
            return line_error(im, "%s", inner.text);
        return 0;
    }
    if (strcasecmp(word, "LinkSpeed") == 0)
        return 0;
    return line_error(im, "nothing is known of %.40s=", word);
}

static int read_network(struct importing *im, struct network *net)
{
    char *line, *word;

    while ((line = next_line(im)) != NULL) {
        struct node node = { .parent = UINT32_MAX };

        line[strcspn(line, "#")] = '\0';
        node.line = im->line;
        while ((word = next_word(&line)) != NULL)
            if (read_pair(im, net, &node, word) < 0)
                return -1;
        if (node.name == NULL) {
            if (node.n_hosts > 0 || node.n_children > 0)
                return line_error(im, "SwitchName= or BlockName= is missing");
            continue;
        }
        if (node.n_hosts > 0 && node.n_children > 0)
            return line_error(im,
                              "%s has switches and nodes; a switch has one "
                              "of both",
                              node.name);
        if (add_node(im, net, &node) < 0)
            return -1;
    }
    return 0;
}

/* ---- parents ------------------------------------------------------------ */

/* Finds the node of each child by one numbering of all names. */
static int link_children(struct importing *im, struct network *net)
{
    size_t n = net->n, at;
    struct name_use *uses;
    const char *const *names;
    size_t n_names;

    for (size_t i = 0; i < net->n; i++)
        n += net->nodes[i].n_children;
    uses = arena_array(im->arena, n, sizeof(*uses));
    if (uses == NULL)
        return error_exhausted(im->err);
    for (size_t i = 0; i < net->n; i++)
        uses[i].name = net->nodes[i].name;
    at = net->n;
    for (size_t i = 0; i < net->n; i++)
        for (size_t k = 0; k < net->nodes[i].n_children; k++)
            uses[at++].name = net->nodes[i].children[k];
    if (names_number(im->arena, uses, n, &names, &n_names, im->err) < 0)
        return -1;
    for (size_t i = 0; i < net->n; i++)
        if (uses[i].first != i) {
            im->line = net->nodes[i].line;
            return line_error(im, "%s stands in the file twice", uses[i].name);
        }
    at = net->n;
    for (size_t i = 0; i < net->n; i++)
        for (size_t k = 0; k < net->nodes[i].n_children; k++, at++) {
            struct node *child = &net->nodes[uses[at].first % net->n];

            im->line = net->nodes[i].line;
            if (uses[at].first >= net->n)
                return line_error(im,
                                  "%s is below %s but has no line of its "
                                  "own",
                                  uses[at].name, net->nodes[i].name);
            if (child->parent != UINT32_MAX)
                return line_error(im, "%s is below two switches, %s and %s",
                                  child->name, net->nodes[child->parent].name,
                                  net->nodes[i].name);
            child->parent = (uint32_t)i;
        }
    return 0;
}

/* The longest way up; -1: one that ends nowhere. Every node has one parent, so
 * a way longer than all nodes is a circle. */
static int find_depth(struct importing *im, struct network *net, int64_t *ret)
{
    uint32_t *depths = arena_array(im->arena, net->n, sizeof(*depths));
    uint32_t *way = arena_array(im->arena, net->n, sizeof(*way));

    if (depths == NULL || way == NULL)
        return error_exhausted(im->err);
    *ret = 0;
    for (uint32_t i = 0; i < net->n; i++) {
        uint32_t at = i, n = 0, depth;

        while (at != UINT32_MAX && depths[at] == 0 && n < net->n) {
            way[n++] = at;
            at = net->nodes[at].parent;
        }
        if (at != UINT32_MAX && depths[at] == 0) {
            im->line = net->nodes[i].line;
            return line_error(im, "%s is below itself", net->nodes[i].name);
        }
        depth = at == UINT32_MAX ? 0 : depths[at];
        while (n > 0)
            depths[way[--n]] = ++depth;
        if (depths[i] > *ret)
            *ret = depths[i];
    }
    return 0;
}

/* ---- what comes out ----------------------------------------------------- */

static int check_hosts(struct importing *im, struct network *net)
{
    const char *const *names;
    size_t n, at = 0;

    net->hosts = arena_array(im->arena, net->n_hosts, sizeof(*net->hosts));
    if (net->hosts == NULL)
        return error_exhausted(im->err);
    for (size_t i = 0; i < net->n; i++)
        for (size_t k = 0; k < net->nodes[i].n_hosts; k++)
            net->hosts[at++].name = net->nodes[i].hosts[k];
    if (names_number(im->arena, net->hosts, at, &names, &n, im->err) < 0)
        return -1;
    for (size_t i = 0; i < at; i++)
        if (net->hosts[i].first != i)
            return text_error(im, "node %s stands in two %s",
                              net->hosts[i].name,
                              net->is_block ? "blocks" : "switches");
    return 0;
}

static void put_tree(struct importing *im, const struct network *net,
                     int64_t depth)
{
    struct tree *reading = im->ret->reading, *map, *list;
    int64_t leaves = 0;

    list = make_list(im->maker, reading, "roots");
    for (size_t i = 0; i < net->n; i++) {
        leaves += net->nodes[i].n_children == 0;
        if (net->nodes[i].parent == UINT32_MAX)
            make_string(im->maker, list, NULL, net->nodes[i].name);
    }
    make_int(im->maker, reading, "depth", depth);
    make_int(im->maker, reading, "leaves", leaves);
    make_int(im->maker, reading, "switches", (int64_t)net->n);
    if (net->n_hosts > 0) {
        make_string(im->maker, reading, "first_host", net->hosts[0].name);
        make_string(im->maker, reading, "last_host",
                    net->hosts[net->n_hosts - 1].name);
    }
    map = make_map(im->maker, reading, "parent");
    for (size_t i = 0; i < net->n; i++)
        put_text(im->maker, map, net->nodes[i].name,
                 net->nodes[i].parent == UINT32_MAX
                     ? NULL
                     : net->nodes[net->nodes[i].parent].name);
    map = make_map(im->maker, reading, "leaf_of");
    for (size_t i = 0; i < net->n; i++)
        for (size_t k = 0; k < net->nodes[i].n_hosts; k++)
            make_string(im->maker, map, net->nodes[i].hosts[k],
                        net->nodes[i].name);
}

static void put_blocks(struct importing *im, const struct network *net)
{
    struct tree *reading = im->ret->reading;
    struct tree *map = make_map(im->maker, reading, "blocks"), *list;

    for (size_t i = 0; i < net->n; i++) {
        list = make_list(im->maker, map, net->nodes[i].name);
        for (size_t k = 0; k < net->nodes[i].n_hosts; k++)
            make_string(im->maker, list, NULL, net->nodes[i].hosts[k]);
    }
    list = make_list(im->maker, reading, "block_sizes");
    for (size_t i = 0; i < net->n_sizes; i++)
        make_int(im->maker, list, NULL, net->sizes[i]);
    import_warn(im, "a block may be one NVLink domain, which the file does not "
                    "say; where it is, set domain of its hosts");
}

int inventory_slurm_switches(const struct inventory_source *source,
                             struct tree_maker *maker, struct inventory *ret,
                             struct error *err)
{
    struct network net = { 0 };
    struct importing im;
    int64_t depth = 0;

    if (import_begin(&im, source, maker, ret, err) < 0 ||
        read_network(&im, &net) < 0 || link_children(&im, &net) < 0 ||
        find_depth(&im, &net, &depth) < 0 || check_hosts(&im, &net) < 0)
        return -1;
    make_string(maker, ret->reading, "kind", net.is_block ? "block" : "tree");
    make_int(maker, ret->reading, "hosts", (int64_t)net.n_hosts);
    if (net.is_block)
        put_blocks(&im, &net);
    else
        put_tree(&im, &net, depth);
    for (size_t i = 0; i < net.n; i++)
        for (size_t k = 0; k < net.nodes[i].n_hosts; k++)
            make_string(maker, add_host(&im, net.nodes[i].hosts[k]), "block",
                        net.nodes[i].name);
    return import_end(&im);
}
