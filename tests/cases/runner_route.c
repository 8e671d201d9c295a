/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of routing: fan-out, fan-in, binding of templates, worker graphs. */
#include "tests/cases/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement/binding.h"
#include "placement/graph.h"
#include "placement/signal.h"

/* "w3" is worker 3. */
static uint32_t *read_workers(struct run *run, const struct tree *list)
{
    uint32_t *workers =
        arena_array(run->arena, tree_count(list) + 1, sizeof(*workers));
    size_t n = 0;

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        workers[n++] = (uint32_t)strtoul(t->text + 1, NULL, 10);
    return workers;
}

static void put_worker(struct run *run, struct tree *parent, const char *key,
                       uint32_t worker)
{
    char name[16];

    snprintf(name, sizeof(name), "w%u", worker);
    make_string(&run->maker, parent, key, name);
}

static void put_workers(struct run *run, struct tree *parent, const char *key,
                        const struct bound_group *group)
{
    struct tree *list;

    if (group == NULL) {
        make_null(run, parent, key);
        return;
    }
    list = make_list(&run->maker, parent, key);
    for (uint32_t i = 0; i < group->size; i++)
        put_worker(run, list, NULL, group->workers[i]);
}

/* ---- fan-out, fan-in ----------------------------------------------------- */

static void put_slices(struct run *run, struct tree *map,
                       const struct signal_send *send, uint32_t n)
{
    static const char *const keys[] = { "start", "end", "local_start" };

    for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
        struct tree *list = make_list(&run->maker, map, keys[k]);

        for (uint32_t i = 0; i < n; i++) {
            const struct signal_slice *s = &send->slices[i];
            uint64_t value = k == 0   ? s->begin
                             : k == 1 ? s->end
                                      : s->local_begin;

            make_int(&run->maker, list, NULL, (int64_t)value);
        }
    }
}

static void put_sends(struct run *run, const struct signal *signal,
                      const struct signal_sends *sends)
{
    struct tree *list = make_list(&run->maker, run->got, "to");
    bool sliced = false;

    for (size_t i = 0; i < sends->count; i++) {
        const struct signal_send *send = &sends->items[i];
        struct tree *map = make_map(&run->maker, list, NULL);

        put_worker(run, map, "worker", send->worker);
        make_bool(&run->maker, map, "full", send->whole);
        make_int(&run->maker, map, "dest_rank", send->to_rank);
        if (!send->whole)
            put_slices(run, map, send, signal->n_tensors);
        sliced = sliced || !send->whole;
    }
    /* Where slices are sent, the receivers' order decides who gets which. */
    make_bool(&run->maker, run->got, "order_matters", sliced);
}

void op_fanout(struct run *run)
{
    const struct tree *from = child(run->input, "source_workers");
    const struct tree *to = child(run->input, "dest_workers");
    const struct tree *sizes = child(run->input, "shard_sizes");
    uint64_t *rows =
        arena_array(run->arena, tree_count(sizes) + 1, sizeof(*rows));
    struct signal signal = {
        .from = { read_workers(run, from), (uint32_t)tree_count(from) },
        .to = { read_workers(run, to), (uint32_t)tree_count(to) },
        .sharded = child(run->input, "sharded")->u.boolean,
        .rows = rows,
    };
    struct signal_sends sends;
    const char *code;

    for (const struct tree *t = tree_first(sizes); t != NULL; t = t->next)
        rows[signal.n_tensors++] = (uint64_t)t->u.integer;
    if (signal_fan_out(run->arena, &signal,
                       (uint32_t)child_int(run->input, "source_rank"), &sends,
                       &code, NULL) < 0) {
        refused(run, code);
        return;
    }
    make_string(&run->maker, run->got, "verdict", "accept");
    put_sends(run, &signal, &sends);
}

void op_fanin(struct run *run)
{
    uint32_t n;

    if (signal_fan_in((uint32_t)child_int(run->input, "source_size"),
                      (uint32_t)child_int(run->input, "dest_size"),
                      (uint32_t)child_int(run->input, "dest_rank"),
                      child(run->input, "sharded")->u.boolean, &n, NULL) < 0)
        refused(run, NULL);
    else
        make_int(&run->maker, run->got, "fanin", n);
}

/* ---- templates ----------------------------------------------------------- */

static const char *const *read_strings(struct run *run, const struct tree *list,
                                       size_t *ret_n)
{
    const char **names =
        arena_array(run->arena, tree_count(list) + 1, sizeof(*names));

    *ret_n = 0;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        names[(*ret_n)++] = t->text;
    return names;
}

static struct group_template *read_templates(struct run *run,
                                             const struct tree *list)
{
    struct group_template *all =
        arena_array(run->arena, tree_count(list) + 1, sizeof(*all));
    size_t n = 0;

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        struct group_template *g = &all[n++];
        const struct tree *walks = child(t, "graph_walks");

        g->nodes = read_strings(run, child(t, "nodes"), &g->n_nodes);
        if (walks->type != TREE_NULL)
            g->walks = read_strings(run, walks, &g->n_walks);
        g->size = (uint32_t)child_int(t, "tp_size");
        g->rank = child(t, "tp_rank")->type == TREE_NULL
                      ? RANK_UNSET
                      : (uint32_t)child_int(t, "tp_rank");
    }
    return all;
}

static struct binding_row *read_rows(struct run *run, const struct tree *list)
{
    struct binding_row *rows =
        arena_array(run->arena, tree_count(list) + 1, sizeof(*rows));
    size_t n = 0;

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        rows[n++] = (struct binding_row){
            .node = child(t, "node")->text,
            .walk = child(t, "walk")->text,
            .workers = read_workers(run, child(t, "workers")),
            .n_workers = (uint32_t)tree_count(child(t, "workers")),
        };
    return rows;
}

/* The groups, each by the first row it serves. */
static void put_groups(struct run *run, const struct binding *binding)
{
    struct tree *list = make_list(&run->maker, run->got, "groups");

    for (size_t g = 0; g < binding->n_groups; g++) {
        struct tree *map = make_map(&run->maker, list, NULL);
        struct tree *key = make_list(&run->maker, map, "key");
        size_t r = 0;

        while (r < binding->n_rows && binding->row_groups[r] != g)
            r++;
        if (r < binding->n_rows) {
            make_string(&run->maker, key, NULL, binding->rows[r].node);
            make_string(&run->maker, key, NULL, binding->rows[r].walk);
        }
        put_workers(run, map, "workers", &binding->groups[g]);
        make_int(&run->maker, map, "size", binding->groups[g].size);
        make_int(&run->maker, map, "tp_rank", binding->groups[g].rank);
    }
}

/* What happens when a node's group, with the rank it was bound to, sends. */
static void put_send(struct run *run, const struct binding *binding,
                     const struct binding_row *row)
{
    const struct bound_group *group =
        binding_find(binding, row->node, row->walk);
    struct signal signal = { .from = { group->workers, group->size },
                             .to = { group->workers, group->size } };
    struct signal_sends sends;
    const char *code = NULL;
    char key[80];
    struct tree *map;
    bool sent = signal_fan_out(run->arena, &signal, group->rank, &sends, &code,
                               NULL) == 0;

    snprintf(key, sizeof(key), "send_from_%s", row->node);
    if (child(run->got, key) != NULL)
        return;
    map = make_map(&run->maker, run->got, key);
    make_string(&run->maker, map, "verdict", sent ? "accept" : "refuse");
    if (code != NULL)
        make_string(&run->maker, map, "code", code);
}

/* All pairs of node and walk that the first row's group serves. */
static void put_same_group(struct run *run, const struct binding *binding)
{
    struct tree *list = make_list(&run->maker, run->got, "same_group");

    for (size_t r = 0; r < binding->n_rows; r++) {
        const struct binding_row *row = &binding->rows[r];
        struct tree *pair;

        if (binding_find(binding, row->node, row->walk) !=
            binding_find(binding, binding->rows[0].node, binding->rows[0].walk))
            continue;
        pair = make_list(&run->maker, list, NULL);
        make_string(&run->maker, pair, NULL, row->node);
        make_string(&run->maker, pair, NULL, row->walk);
    }
}

static void put_binding(struct run *run, const struct binding *binding)
{
    struct tree *lookup;

    make_string(&run->maker, run->got, "verdict", "accept");
    put_groups(run, binding);
    put_same_group(run, binding);
    lookup = make_map(&run->maker, run->got, "streaming_lookup");
    for (size_t r = 0; r < binding->n_rows; r++) {
        const char *node = binding->rows[r].node;

        if (child(lookup, node) == NULL)
            put_workers(run, lookup, node, binding_find_stream(binding, node));
        put_send(run, binding, &binding->rows[r]);
    }
}

void op_bind_templates(struct run *run)
{
    const struct tree *templates = child(run->input, "templates");
    const struct tree *rows = child(run->input, "binding");
    struct binding_refusal refusal = { 0 };
    struct binding binding;
    struct tree *subject;

    if (binding_make(run->arena, read_templates(run, templates),
                     tree_count(templates), read_rows(run, rows),
                     tree_count(rows), &binding, &refusal, NULL) == 0) {
        put_binding(run, &binding);
        return;
    }
    refused(run, refusal.code);
    subject = make_map(&run->maker, run->got, "subject");
    make_int(&run->maker, subject, "got", refusal.got);
    make_int(&run->maker, subject, "want", refusal.want);
}

/* ---- worker graphs ------------------------------------------------------- */

static struct section *read_section(struct run *run, const struct tree *tree,
                                    const struct tree *groups)
{
    struct section *section = arena_alloc(run->arena, sizeof(*section));
    const struct tree *children = tree_first(tree);

    if (tree->type == TREE_STRING) {
        section->kind = SECTION_NODE;
        for (const struct tree *t = tree_first(groups);
             t != NULL && strcmp(t->key, tree->text) != 0; t = t->next)
            section->node++;
        return section;
    }
    section->kind = strcmp(children->key, "par") == 0    ? SECTION_PARALLEL
                    : strcmp(children->key, "loop") == 0 ? SECTION_LOOP
                                                         : SECTION_SEQUENCE;
    for (const struct tree *t = tree_first(children); t != NULL; t = t->next)
        section_add(section, read_section(run, t, groups));
    return section;
}

void op_cut(struct run *run)
{
    const struct tree *groups = child(run->input, "node_to_group");
    struct graph_node *nodes =
        arena_array(run->arena, tree_count(groups) + 1, sizeof(*nodes));
    struct section *walk =
        read_section(run, child(run->input, "section"), groups);
    struct worker_graphs graphs;
    struct tree *list;
    uint32_t n = 0;

    for (const struct tree *t = tree_first(groups); t != NULL; t = t->next)
        nodes[n++].group = (uint32_t)t->u.integer;
    if (graph_cut(run->arena, walk, nodes, n, &graphs, NULL) < 0) {
        refused(run, NULL);
        return;
    }
    list = make_list(&run->maker, run->got, "worker_graphs");
    for (size_t i = 0; i < graphs.count; i++) {
        struct tree *map = make_map(&run->maker, list, NULL), *names;

        make_int(&run->maker, map, "group", graphs.items[i].group);
        names = make_list(&run->maker, map, "nodes");
        for (uint32_t k = 0; k < graphs.items[i].n_nodes; k++)
            make_string(&run->maker, names, NULL,
                        item(groups, graphs.items[i].nodes[k])->key);
    }
}
