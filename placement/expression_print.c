/* SPDX-License-Identifier: Apache-2.0 */
/* Writes parts of an expression with values in place of names. */
#include "placement/expression_explain.h"

enum {
    STRING_BYTES_MAX = 64,
    PARTS_MAX = 4, /* of the longest kind: 16 ms; of usual ones, any number */
};

void explanation_init(struct explanation *e, const struct expression *expr,
                      const struct environment *env, struct text *out)
{
    e->x.nodes = expr->nodes;
    e->x.env = env;
    /* the body of a macro may be looked at before an item is bound */
    for (int i = 0; i < EXPRESSION_LOCALS_MAX; i++)
        e->x.locals[i] = value_unknown();
    e->steps = PARTS_MAX * EXPRESSION_STEPS_MAX;
    e->expr = expr;
    e->out = out;
    e->used = NULL;
    e->arg = NULL;
    e->n_bound = 0;
    e->n_seen = 0;
}

struct value explanation_value(struct explanation *e, uint16_t i)
{
    int64_t steps =
        e->steps < EXPRESSION_STEPS_MAX ? e->steps : EXPRESSION_STEPS_MAX;
    struct value v;

    e->x.steps = steps;
    v = node_eval(&e->x, i);
    e->steps -= steps - e->x.steps;
    return v;
}

bool node_is_path(const struct expression *expr, uint16_t i)
{
    const struct node *n = &expr->nodes[i];

    while (n->op == NODE_MEMBER || n->op == NODE_INDEX)
        n = &expr->nodes[n->a];
    return n->op == NODE_SLOT || n->op == NODE_LOCAL;
}

/* Where a path starts in this expression: a name or a variable. */
static uint16_t path_start(const struct explanation *e, uint16_t i)
{
    enum node_op op;

    for (;;) {
        op = (enum node_op)explanation_node(e, i)->op;
        if (op != NODE_MEMBER && op != NODE_INDEX)
            return i;
        i = explanation_node(e, i)->a;
    }
}

uint16_t path_root(const struct explanation *e, uint16_t i)
{
    for (;;) {
        const struct node *n;

        i = path_start(e, i);
        n = explanation_node(e, i);
        if (n->op != NODE_LOCAL || n->number >= e->n_bound)
            return i;
        i = e->lists[n->number];
    }
}

bool explanation_first_time(struct explanation *e, int number)
{
    for (int i = 0; i < e->n_seen; i++)
        if (e->seen[i] == number)
            return false;
    e->seen[e->n_seen++] = number;
    return true;
}

void explanation_bind(struct explanation *e, uint16_t i, struct value item)
{
    const struct node *n = explanation_node(e, i);

    e->x.locals[n->number] = item;
    e->lists[n->number] = n->a;
    e->n_bound = n->number + 1;
}

void explanation_unbind(struct explanation *e)
{
    e->n_bound--;
}

/* ---- source ------------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void put_part(struct explanation *e, uint16_t start, uint16_t end)
{
    const char *source = e->expr->source;

    for (uint16_t i = start; i < end; i++) {
        if (!is_space(source[i]))
            text_put_bytes(e->out, &source[i], 1);
        else if (i == start || !is_space(source[i - 1]))
            text_put(e->out, " ");
    }
}

void put_source(struct explanation *e, uint16_t i)
{
    put_part(e, e->expr->spans[i].start, e->expr->spans[i].end);
}

/* ---- values ------------------------------------------------------------- */

/* Reports the names that a path is read from, its keys too. */
static void report_path(struct explanation *e, uint16_t i)
{
    for (uint16_t k = e->expr->spans[i].first; k <= i; k++) {
        const struct node *n = explanation_node(e, k);

        if (n->op == NODE_LOCAL && n->number < e->n_bound)
            report_path(e, e->lists[n->number]);
        else if (n->op == NODE_SLOT && explanation_first_time(e, n->number))
            e->used(e->arg, n->number);
    }
}

static void put_string(struct explanation *e, struct value v)
{
    uint32_t len = v.count;

    if (len > STRING_BYTES_MAX) {
        len = STRING_BYTES_MAX;
        while (len > 0 && (v.u.string[len] & 0xc0) == 0x80)
            len--;
    }
    text_put(e->out, "\"");
    text_put_bytes(e->out, v.u.string, len);
    text_put(e->out, len < v.count ? "...\"" : "\"");
}

/* Whether the value of a path can be written in its place. */
static bool is_printable(const struct explanation *e, uint16_t i,
                         struct value v)
{
    const struct node *start = explanation_node(e, path_start(e, i));

    if (start->op == NODE_LOCAL && start->number >= e->n_bound)
        return false;
    return (v.type & (VALUE_OBJECT | VALUE_MAP)) == 0;
}

void put_value(struct explanation *e, uint16_t i)
{
    struct value v = explanation_value(e, i);

    if (v.type == VALUE_STRING)
        put_string(e, v);
    else if (node_is_path(e->expr, i) && !is_printable(e, i, v))
        put_source(e, i);
    else
        value_print(v, e->out);
    if (e->used != NULL && node_is_path(e->expr, i))
        report_path(e, i);
}

/* Writes what stands before node i from *from on, then i with its paths
 * replaced by values. */
static void substitute(struct explanation *e, uint16_t i, uint16_t *from)
{
    const struct span *span = &e->expr->spans[i];
    const struct node *n = explanation_node(e, i);

    if (node_is_path(e->expr, i)) {
        struct value v = { .type = VALUE_OBJECT };
        const struct node *start = explanation_node(e, path_start(e, i));

        if (start->op != NODE_LOCAL || start->number < e->n_bound)
            v = explanation_value(e, i);
        if (is_printable(e, i, v)) {
            put_part(e, *from, span->start);
            put_value(e, i);
            *from = span->end;
        }
        return;
    }
    if (n->op == NODE_HAS)
        return;
    for (uint16_t k = n->a; k != NODE_NONE; k = explanation_node(e, k)->next)
        substitute(e, k, from);
}

void put_numbers(struct explanation *e, uint16_t i)
{
    uint16_t from = e->expr->spans[i].start;

    substitute(e, i, &from);
    put_part(e, from, e->expr->spans[i].end);
}

static void substitute_keys(struct explanation *e, uint16_t i, uint16_t *from)
{
    const struct node *n = explanation_node(e, i);

    if (n->op != NODE_MEMBER && n->op != NODE_INDEX)
        return;
    substitute_keys(e, n->a, from);
    if (n->op == NODE_INDEX)
        substitute(e, n->b, from);
}

void put_keys(struct explanation *e, uint16_t i)
{
    uint16_t from = e->expr->spans[i].start;

    substitute_keys(e, i, &from);
    put_part(e, from, e->expr->spans[i].end);
}
