/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of one instance's shape, asked as requests of an invented model. */
#include "tests/cases/runner.h"

#include <stdio.h>
#include <string.h>

#include "placement/split.h"

static const char *const axis_names[] = { "cfg", "sp", "tp" };

/* A request that is being put together: one node in each group. */
struct request {
    struct tree *line, *nodes, *groups, *resource;
};

static struct request request_begin(struct run *run, bool shares)
{
    struct tree *line = make_map(&run->maker, NULL, NULL);
    struct tree *declare = make_list(&run->maker, line, "declare");
    struct tree *model = make_map(&run->maker, declare, NULL);
    struct tree *deployment = make_map(&run->maker, line, "deployment");
    struct request request = { .line = line };

    make_bool(&run->maker, line, "creation", true);
    make_string(&run->maker, model, "model", "invented");
    request.nodes = make_list(&run->maker, model, "nodes");
    if (shares) {
        struct tree *resources = make_list(&run->maker, model, "resources");
        struct tree *resource = make_map(&run->maker, resources, NULL);

        make_string(&run->maker, resource, "key", "shared");
        request.resource = make_list(&run->maker, resource, "nodes");
    }
    make_string(&run->maker, deployment, "model", "invented");
    make_string(&run->maker, deployment, "runtime", "mstar");
    make_int(&run->maker, deployment, "max_seq_len", 1);
    request.groups = make_list(&run->maker, deployment, "node_groups");
    return request;
}

/* Adds a node that may be split on every axis, and its group, whose ranks are
 * still to be listed in what is returned. */
static struct tree *request_add(struct run *run, struct request *request,
                                const char *name, const int64_t *sizes)
{
    struct tree *node = make_map(&run->maker, request->nodes, NULL);
    struct tree *axes, *group, *map;

    make_string(&run->maker, node, "name", name);
    axes = make_map(&run->maker, node, "axes");
    for (size_t a = 0; a < ARRAY_LEN(axis_names); a++) {
        map = make_map(&run->maker, axes, axis_names[a]);
        if (a == 0)
            make_int(&run->maker, map, "branches", sizes[a]);
    }
    if (request->resource != NULL)
        make_string(&run->maker, request->resource, NULL, name);
    group = make_map(&run->maker, request->groups, NULL);
    make_list(&run->maker, group, "node_names");
    make_string(&run->maker, group->u.children.first, NULL, name);
    map = make_map(&run->maker, group, "sizes");
    for (size_t a = 0; a < ARRAY_LEN(axis_names); a++)
        make_int(&run->maker, map, axis_names[a], sizes[a]);
    return make_list(&run->maker, group, "ranks");
}

static void read_sizes(const struct tree *map, const char *suffix,
                       int64_t *ret_sizes)
{
    char key[32];

    for (size_t a = 0; a < ARRAY_LEN(axis_names); a++) {
        snprintf(key, sizeof(key), "%s%s", axis_names[a], suffix);
        ret_sizes[a] = child_int(map, key);
    }
}

static void copy_items(struct run *run, struct tree *list,
                       const struct tree *from)
{
    for (const struct tree *t = tree_first(from); t != NULL; t = t->next)
        make_int(&run->maker, list, NULL, t->u.integer);
}

/* The first code of a refusal, or NULL. */
static const char *code_of(const struct tree *answer)
{
    const struct tree *finding = tree_first(child(answer, "findings"));

    return finding != NULL ? child(finding, "code")->text : NULL;
}

/* ---- mesh ---------------------------------------------------------------- */

void op_mesh(struct run *run)
{
    struct request request = request_begin(run, false);
    struct tree *list, *by_rank;
    const struct tree *answer, *instances;
    int64_t sizes[ARRAY_LEN(axis_names)];
    char rank[32];

    read_sizes(run->input, "_size", sizes);
    copy_items(run, request_add(run, &request, "node", sizes),
               child(run->input, "ranks"));
    answer = ask(run, request.line);
    if (answer == NULL)
        return;
    if (code_of(answer) != NULL) {
        refused(run, code_of(answer));
        return;
    }
    make_string(&run->maker, run->got, "verdict", "accept");
    list = make_list(&run->maker, run->got, "instances");
    by_rank = make_map(&run->maker, run->got, "instance_rank");
    instances = child(tree_first(child(answer, "node_groups")), "instances");
    for (const struct tree *i = tree_first(instances); i != NULL; i = i->next) {
        struct tree *map = make_map(&run->maker, list, NULL);
        const struct tree *groups = child(i, "groups");
        int64_t position = 0;

        make_copy(&run->maker, map, "ranks", child(i, "ranks"));
        for (const struct tree *t = tree_first(groups); t != NULL; t = t->next)
            make_copy(&run->maker, map, t->key, t);
        for (const struct tree *t = tree_first(child(i, "ranks")); t != NULL;
             t = t->next) {
            snprintf(rank, sizeof(rank), "%d", (int)t->u.integer);
            make_int(&run->maker, by_rank, rank, position++);
        }
    }
}

/* ---- heads --------------------------------------------------------------- */

/* A node with these heads is asked for as a request, which must come to the
 * same verdict as the split of its heads. */
static const char *asked_heads(struct run *run, const int64_t *sizes)
{
    struct request request = request_begin(run, false);
    struct tree *ranks = request_add(run, &request, "node", sizes);
    struct tree *facts =
        make_map(&run->maker, request.nodes->u.children.first, "facts");
    const struct tree *answer;

    make_int(&run->maker, facts, "heads", child_int(run->input, "q"));
    make_int(&run->maker, facts, "kv_heads", child_int(run->input, "kv"));
    for (int64_t i = 0; i < sizes[0] * sizes[1] * sizes[2]; i++)
        make_int(&run->maker, ranks, NULL, i);
    answer = ask(run, request.line);
    return answer != NULL ? code_of(answer) : NULL;
}

/* The runtime's derived size of this name for one group of these sizes. */
static int64_t derived(struct run *run, const char *name, const int64_t *sizes)
{
    const struct runtime *rt = catalog_runtime(run->catalog, "mstar", NULL);
    const struct symbol *symbol = runtime_symbol(rt, name);
    struct request request = request_begin(run, false);
    struct tree *ranks = request_add(run, &request, "node", sizes);
    struct question question = { .runtime = rt };
    struct check *check;
    int64_t value = 0;

    for (int64_t i = 0; i < sizes[0] * sizes[1] * sizes[2]; i++)
        make_int(&run->maker, ranks, NULL, i);
    question.deployment = deployment_load(
        run->arena, rt, child(request.line, "deployment"), NULL);
    check = check_run(&question, run->arena, 0, NULL);
    if (symbol != NULL && check != NULL)
        value_to_int(check->scopes[0].slots[symbol->slot], &value);
    return value;
}

void op_heads(struct run *run)
{
    int64_t sizes[ARRAY_LEN(axis_names)];
    struct split split = { .what = "heads" };
    struct range q, kv;
    const char *asked, *code = NULL;
    int64_t shards;

    read_sizes(run->input, "", sizes);
    asked = asked_heads(run, sizes);
    shards = derived(run, "head_shards", sizes);
    split.parts = (uint32_t)shards;
    split.total = (uint64_t)child_int(run->input, "q");
    if (split_query_heads(&split, &q, &code, NULL) == 0) {
        split.total = (uint64_t)child_int(run->input, "kv");
        split_kv_heads(&split, &kv, &code, NULL);
    }
    if ((asked == NULL) != (code == NULL))
        text_printf(&run->why, "the request says %s, the split %s",
                    asked != NULL ? asked : "accept",
                    code != NULL ? code : "accept");
    if (code != NULL) {
        refused(run, code);
        return;
    }
    make_string(&run->maker, run->got, "verdict", "accept");
    make_int(&run->maker, run->got, "head_shards", shards);
    make_int(&run->maker, run->got, "q_per_rank", (int64_t)(q.end - q.begin));
    make_int(&run->maker, run->got, "kv_per_rank",
             (int64_t)(kv.end - kv.begin));
    sizes[1] = 1; /* an attention that leaves this axis out of its split */
    make_int(&run->maker, run->got, "shard_over_sp_false_shards",
             derived(run, "head_shards", sizes));
}

/* ---- resource_check ------------------------------------------------------ */

/* Nodes by the ranks of their tp group, or by their shape [tp, sp]. */
static const struct tree *ask_nodes(struct run *run, const struct tree *nodes,
                                    bool shapes)
{
    struct request request = request_begin(run, shapes);
    int64_t next = 0;

    for (const struct tree *t = tree_first(nodes); t != NULL; t = t->next) {
        const struct tree *first =
            t->type == TREE_MAP ? child(t, "tp") : tree_first(t);
        int64_t sizes[] = { 1, 1, 1 };
        struct tree *ranks;

        if (shapes) {
            sizes[2] = tree_first(first)->u.integer;
            sizes[1] = item(first, 1)->u.integer;
        } else if (first != NULL) {
            sizes[2] = (int64_t)tree_count(first);
        }
        ranks = request_add(run, &request, t->key, sizes);
        if (!shapes && first != NULL)
            copy_items(run, ranks, first);
        else if (!shapes)
            make_int(&run->maker, ranks, NULL, 0);
        for (int64_t i = 0; shapes && i < sizes[1] * sizes[2]; i++)
            make_int(&run->maker, ranks, NULL, next++);
    }
    return ask(run, request.line);
}

/* Whether the first instances of all node groups agree on this key. */
static bool all_same(const struct tree *answer, const char *key)
{
    const struct tree *first = NULL;

    for (const struct tree *g = tree_first(child(answer, "node_groups"));
         g != NULL; g = g->next) {
        const struct tree *at = child(tree_first(child(g, "instances")), key);

        if (at == NULL || (first != NULL && !same(first, at)))
            return false;
        first = at;
    }
    return first != NULL;
}

void op_resource_check(struct run *run)
{
    const struct tree *nodes = child(run->input, "nodes");
    const struct tree *shapes = child(run->input, "shapes");
    const struct tree *instances = child(run->input, "instances");
    const struct tree *answer;
    const char *code;

    if (nodes != NULL) {
        answer = ask_nodes(run, nodes, false);
        make_bool(&run->maker, run->got, "same_group",
                  all_same(answer, "groups"));
    } else if (shapes != NULL) {
        answer = ask_nodes(run, shapes, true);
        code = code_of(answer);
        if (code != NULL && strcmp(code, "resource.shape_mismatch") != 0)
            differs(run, "code", NULL, child(answer, "findings"));
        make_bool(&run->maker, run->got, "compatible_shape", code == NULL);
    } else if (instances != NULL) {
        answer = ask_nodes(run, instances, false);
        make_bool(&run->maker, run->got, "needs_remote_transfer",
                  !all_same(answer, "ranks"));
    }
}

/* ---- process_groups ------------------------------------------------------ */

void op_process_groups(struct run *run)
{
    struct request request = request_begin(run, false);
    struct tree *axis, *whole;
    const struct tree *answer;
    int64_t sizes[ARRAY_LEN(axis_names)];
    char name[16];
    int n = 0;

    for (const struct tree *t = tree_first(child(run->input, "instances"));
         t != NULL; t = t->next) {
        read_sizes(t, "", sizes);
        snprintf(name, sizeof(name), "node%d", n++);
        copy_items(run, request_add(run, &request, name, sizes),
                   child(t, "ranks"));
    }
    answer = ask(run, request.line);
    axis = make_list(&run->maker, run->got, "axis");
    whole = make_list(&run->maker, run->got, "instance_first");
    for (const struct tree *t = tree_first(child(answer, "creation"));
         t != NULL; t = t->next) {
        bool is_whole = strcmp(child(t, "backend")->text, "cpu") == 0;

        if (is_whole && tree_count(axis) > 0)
            differs(run, "order", NULL, child(answer, "creation"));
        make_copy(&run->maker, is_whole ? whole : axis, NULL,
                  child(t, "ranks"));
    }
}
