/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a walk into the pieces that one node group runs without leaving it. */
#include "placement/graph.h"

#include <inttypes.h>

/* A piece while it grows. */
struct piece {
    struct worker_graph graph;
    const struct section *joiner; /* the section whose children joined in it;
                                     NULL: section is one child's, unshared */
    struct piece *next;
};

struct pieces {
    struct piece *first, *last;
};

struct cutter {
    struct arena *arena;
    const struct graph_node *nodes;
    uint32_t n_nodes, n_sections;
    struct error *err;
};

static int cut_section(struct cutter *cutter, const struct section *section,
                       int depth, struct pieces *ret);

void section_add(struct section *parent, struct section *child)
{
    if (parent->last == NULL)
        parent->first = child;
    else
        parent->last->next = child;
    parent->last = child;
}

static void append(struct pieces *pieces, struct pieces more)
{
    if (more.first == NULL)
        return;
    if (pieces->last == NULL)
        pieces->first = more.first;
    else
        pieces->last->next = more.first;
    pieces->last = more.last;
}

/* Takes the first piece off. */
static struct piece *take_first(struct pieces *pieces)
{
    struct piece *piece = pieces->first;

    pieces->first = piece->next;
    if (pieces->first == NULL)
        pieces->last = NULL;
    piece->next = NULL;
    return piece;
}

/* A new section of this kind that holds child; NULL: arena full. */
static struct section *wrap(struct cutter *cutter, enum section_kind kind,
                            struct section *child)
{
    struct section *section = arena_alloc(cutter->arena, sizeof(*section));

    if (section == NULL) {
        error_exhausted(cutter->err);
        return NULL;
    }
    section->kind = kind;
    section_add(section, child);
    return section;
}

/* Puts piece after `into`, both made of children of joiner. */
static int join(struct cutter *cutter, const struct section *joiner,
                struct piece *into, struct piece *piece)
{
    if (into->joiner != joiner) {
        struct section *section =
            wrap(cutter, joiner->kind, into->graph.section);

        if (section == NULL)
            return -1;
        into->graph.section = section;
        into->joiner = joiner;
    }
    section_add(into->graph.section, piece->graph.section);
    into->graph.streams |= piece->graph.streams;
    into->graph.n_nodes += piece->graph.n_nodes;
    return 0;
}

static int cut_node(struct cutter *cutter, const struct section *section,
                    struct pieces *ret)
{
    struct piece *piece;
    struct section *copy;

    if (section->node >= cutter->n_nodes)
        return error_set(cutter->err, STATUS_INVALID,
                         "a walk runs node %" PRIu32 " of %" PRIu32
                         ": nodes count from 0",
                         section->node, cutter->n_nodes);
    piece = arena_alloc(cutter->arena, sizeof(*piece));
    copy = arena_alloc(cutter->arena, sizeof(*copy));
    if (piece == NULL || copy == NULL)
        return error_exhausted(cutter->err);
    copy->node = section->node;
    piece->graph.group = cutter->nodes[section->node].group;
    piece->graph.streams = cutter->nodes[section->node].streams;
    piece->graph.section = copy;
    piece->graph.n_nodes = 1;
    *ret = (struct pieces){ piece, piece };
    return 0;
}

static int cut_sequence(struct cutter *cutter, const struct section *section,
                        int depth, struct pieces *ret)
{
    struct pieces pieces = { 0 };

    for (const struct section *child = section->first; child != NULL;
         child = child->next) {
        struct pieces more;

        if (cut_section(cutter, child, depth + 1, &more) < 0)
            return -1;
        if (pieces.last != NULL && !more.first->graph.streams &&
            more.first->graph.group == pieces.last->graph.group &&
            join(cutter, section, pieces.last, take_first(&more)) < 0)
            return -1;
        append(&pieces, more);
    }
    *ret = pieces;
    return 0;
}

static struct piece *find_group(const struct pieces *pieces, uint32_t group)
{
    struct piece *piece = pieces->first;

    while (piece != NULL && piece->graph.group != group)
        piece = piece->next;
    return piece;
}

static int cut_parallel(struct cutter *cutter, const struct section *section,
                        int depth, struct pieces *ret)
{
    struct pieces joined = { 0 }, others = { 0 };

    for (const struct section *child = section->first; child != NULL;
         child = child->next) {
        struct pieces more;
        struct piece *same;

        if (cut_section(cutter, child, depth + 1, &more) < 0)
            return -1;
        if (more.first != more.last || more.first->graph.streams) {
            append(&others, more);
            continue;
        }
        same = find_group(&joined, more.first->graph.group);
        if (same == NULL)
            append(&joined, more);
        else if (join(cutter, section, same, more.first) < 0)
            return -1;
    }
    append(&joined, others);
    *ret = joined;
    return 0;
}

static int cut_loop(struct cutter *cutter, const struct section *section,
                    int depth, struct pieces *ret)
{
    struct pieces pieces;

    if (section->first != section->last)
        return error_set(cutter->err, STATUS_INVALID,
                         "a loop has several children: put them into a "
                         "sequence or parallel section");
    if (cut_section(cutter, section->first, depth + 1, &pieces) < 0)
        return -1;
    for (struct piece *piece = pieces.first; piece != NULL;
         piece = piece->next) {
        struct section *loop = wrap(cutter, SECTION_LOOP, piece->graph.section);

        if (loop == NULL)
            return -1;
        piece->graph.section = loop;
        piece->joiner = NULL;
    }
    *ret = pieces;
    return 0;
}

static int cut_section(struct cutter *cutter, const struct section *section,
                       int depth, struct pieces *ret)
{
    if (depth > GRAPH_DEPTH_MAX)
        return error_set(cutter->err, STATUS_INVALID,
                         "a walk nests its sections too deep: at most %d",
                         (int)GRAPH_DEPTH_MAX);
    if (++cutter->n_sections > GRAPH_SECTIONS_MAX)
        return error_set(cutter->err, STATUS_INVALID,
                         "a walk has too many sections and nodes: at most %d",
                         (int)GRAPH_SECTIONS_MAX);
    if (section->kind != SECTION_NODE && section->first == NULL)
        return error_set(cutter->err, STATUS_INVALID,
                         "a section of a walk is empty: it holds at least one "
                         "node");
    switch (section->kind) {
    case SECTION_NODE:
        return cut_node(cutter, section, ret);
    case SECTION_SEQUENCE:
        return cut_sequence(cutter, section, depth, ret);
    case SECTION_PARALLEL:
        return cut_parallel(cutter, section, depth, ret);
    case SECTION_LOOP:
        return cut_loop(cutter, section, depth, ret);
    }
    return error_set(cutter->err, STATUS_INTERNAL, "a section of no kind");
}

/* Writes the nodes below section in order and returns the end. */
static uint32_t *list_nodes(const struct section *section, uint32_t *nodes)
{
    if (section->kind == SECTION_NODE)
        *nodes++ = section->node;
    for (const struct section *child = section->first; child != NULL;
         child = child->next)
        nodes = list_nodes(child, nodes);
    return nodes;
}

static int finish(struct cutter *cutter, const struct pieces *pieces,
                  struct worker_graphs *ret)
{
    struct worker_graph *graphs;
    size_t count = 0;

    for (struct piece *piece = pieces->first; piece != NULL;
         piece = piece->next)
        count++;
    graphs = arena_array(cutter->arena, count, sizeof(*graphs));
    if (graphs == NULL)
        return error_exhausted(cutter->err);
    count = 0;
    for (struct piece *piece = pieces->first; piece != NULL;
         piece = piece->next) {
        uint32_t *nodes =
            arena_array(cutter->arena, piece->graph.n_nodes, sizeof(*nodes));

        if (nodes == NULL)
            return error_exhausted(cutter->err);
        list_nodes(piece->graph.section, nodes);
        piece->graph.nodes = nodes;
        graphs[count++] = piece->graph;
    }
    *ret = (struct worker_graphs){ graphs, count };
    return 0;
}

int graph_cut(struct arena *arena, const struct section *walk,
              const struct graph_node *nodes, uint32_t n_nodes,
              struct worker_graphs *ret, struct error *err)
{
    struct cutter cutter = { arena, nodes, n_nodes, 0, err };
    struct pieces pieces;

    if (cut_section(&cutter, walk, 1, &pieces) < 0)
        return -1;
    return finish(&cutter, &pieces, ret);
}
