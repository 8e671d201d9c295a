/* SPDX-License-Identifier: Apache-2.0 */
/* Trees into JSON text: numbers, layout and plain strings here, strings with
 * anything to escape or to decode by jansson. */
#include "proto/document.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "proto/document_scalar.h"

/* Values are written as they are met, without a second tree of jansson's: that
 * costs several times as much, and has one precision for all numbers. */
struct writer {
    struct text *out;
    bool pretty;
    bool failed;
};

static int put_part(const char *bytes, size_t len, void *out)
{
    text_put_bytes(out, bytes, len);
    return 0;
}

/* Whether all of it stands for itself within quotes. */
static bool is_plain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\')
            return false;
    return true;
}

static void put_string(struct writer *w, const char *text, size_t len)
{
    json_t *string;

    if (is_plain(text, len)) {
        text_put_bytes(w->out, "\"", 1);
        text_put_bytes(w->out, text, len);
        text_put_bytes(w->out, "\"", 1);
        return;
    }
    string = json_stringn(text, len); /* NULL: not UTF-8 */
    if (string == NULL ||
        json_dump_callback(string, put_part, w->out, JSON_ENCODE_ANY) < 0)
        w->failed = true;
    json_decref(string);
}

/* By hand: most of an answer is ranks, and snprintf() takes ten times as long.
 */
static void put_int(struct writer *w, int64_t integer)
{
    uint64_t left = integer < 0 ? -(uint64_t)integer : (uint64_t)integer;
    char digits[SCALAR_NUMBER_MAX], *end = digits + sizeof(digits), *p = end;

    do
        *--p = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (integer < 0)
        *--p = '-';
    text_put_bytes(w->out, p, (size_t)(end - p));
}

static void put_double(struct writer *w, double number)
{
    char digits[SCALAR_NUMBER_MAX];

    if (!isfinite(number)) {
        w->failed = true;
        return;
    }
    scalar_print_double(number, digits);
    text_put(w->out, digits);
}

static void put_break(struct writer *w, int depth)
{
    if (!w->pretty)
        return;
    text_put_bytes(w->out, "\n", 1);
    for (int i = 0; i < depth; i++)
        text_put_bytes(w->out, "  ", 2);
}

static void put(struct writer *w, const struct tree *tree, int depth);

static void put_children(struct writer *w, const struct tree *tree, int depth)
{
    bool is_map = tree->type == TREE_MAP;

    text_put(w->out, is_map ? "{" : "[");
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next) {
        if (t != tree_first(tree))
            text_put_bytes(w->out, ",", 1);
        put_break(w, depth + 1);
        if (is_map) {
            put_string(w, t->key, strlen(t->key));
            text_put(w->out, w->pretty ? ": " : ":");
        }
        put(w, t, depth + 1);
    }
    if (tree_count(tree) > 0)
        put_break(w, depth);
    text_put(w->out, is_map ? "}" : "]");
}

static void put(struct writer *w, const struct tree *tree, int depth)
{
    switch (tree->type) {
    case TREE_NULL:
        text_put(w->out, "null");
        break;
    case TREE_BOOL:
        text_put(w->out, tree->u.boolean ? "true" : "false");
        break;
    case TREE_INT:
        put_int(w, tree->u.integer);
        break;
    case TREE_DOUBLE:
        put_double(w, tree->u.number);
        break;
    case TREE_STRING:
        put_string(w, tree->text, tree->len);
        break;
    case TREE_LIST:
    case TREE_MAP:
        put_children(w, tree, depth);
        break;
    }
}

int document_write_json(const struct tree *tree, bool pretty, struct text *out)
{
    struct writer w = { .out = out, .pretty = pretty };
    size_t start = out->len;

    put(&w, tree, 0);
    if (!w.failed && !out->failed)
        return 0;
    if (out->data != NULL)
        out->data[start] = '\0';
    out->len = start;
    return -1;
}
