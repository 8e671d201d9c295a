/* SPDX-License-Identifier: Apache-2.0 */
/* Things by their names, over the C library's search trees. */
#include "daemon/index.h"

#include <search.h>
#include <string.h>

struct named {
    const char *name;
};

static int compare(const void *va, const void *vb)
{
    const struct named *a = va, *b = vb;

    return strcmp(a->name, b->name);
}

void *index_find(const struct index *index, const char *name)
{
    const struct named wanted = { .name = name };
    void *const *found = tfind(&wanted, &index->root, compare);

    return found != NULL ? *found : NULL;
}

int index_add(struct index *index, void *thing)
{
    if (tsearch(thing, &index->root, compare) == NULL)
        return -1;
    index->count++;
    return 0;
}

void index_remove(struct index *index, void *thing)
{
    tdelete(thing, &index->root, compare);
    index->count--;
}

struct walk {
    void (*visit)(void *thing, void *arg);
    void *arg;
};

static void visit_node(const void *node, VISIT which, void *closure)
{
    const struct walk *walk = closure;

    if (which == postorder || which == leaf)
        walk->visit(*(void *const *)node, walk->arg);
}

void index_walk(const struct index *index,
                void (*visit)(void *thing, void *arg), void *arg)
{
    struct walk walk = { .visit = visit, .arg = arg };

    twalk_r(index->root, visit_node, &walk);
}

void index_clear(struct index *index, void (*drop)(void *thing))
{
    tdestroy(index->root, drop);
    *index = (struct index){ 0 };
}
