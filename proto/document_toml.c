/* SPDX-License-Identifier: Apache-2.0 */
/* TOML text into trees: tables, keys, arrays. */
#include "proto/document_toml.h"

#include <ctype.h>
#include <string.h>

#include "proto/document.h"

/* How a table came to be, which says who may add to it. */
enum made {
    MADE_ON_THE_WAY, /* by [a.b], which makes a: may still get its own header */
    MADE_BY_HEADER,
    MADE_BY_KEY,  /* by a.b = 1: keys with dots may add to a */
    MADE_CLOSED,  /* a value: nothing may */
    MADE_BY_LIST, /* the list of [[a]] */
};

/* Every value of the reader: a tree, and how it was made. */
struct node {
    struct tree tree; /* first, so that one stands for the other */
    enum made made;
};

/* ---- trees --------------------------------------------------------------- */

/* Appends a value; its place is that of the next character. */
static struct node *add(struct toml *t, struct node *parent, const char *key,
                        enum tree_type type, enum made made)
{
    struct node *node = arena_alloc(t->arena, sizeof(*node));

    if (node == NULL) {
        error_exhausted(t->err);
        return NULL;
    }
    if (parent->tree.type == TREE_MAP &&
        parent->tree.u.children.count == TOML_KEYS_MAX) {
        toml_error(t, "more than %d keys in one table", TOML_KEYS_MAX);
        return NULL;
    }
    toml_place(t);
    node->tree = (struct tree){
        .type = type, .line = t->line, .column = t->column, .key = key
    };
    node->made = made;
    if (key != NULL) {
        node->tree.key_line = t->line;
        node->tree.key_column = t->column;
    }
    tree_adopt(&parent->tree, &node->tree);
    return node;
}

static struct node *find(const struct node *map, const char *key)
{
    struct tree *child = map->tree.u.children.first;

    while (child != NULL && strcmp(child->key, key) != 0)
        child = child->next;
    return (struct node *)child;
}

/* ---- keys ---------------------------------------------------------------- */

/* One part of a key. NULL: err is set. */
static const char *read_part(struct toml *t)
{
    const char *begin, *key = NULL;
    struct text quoted = { 0 };

    toml_skip_spaces(t);
    begin = t->p;
    if (toml_is(t, "\"") || toml_is(t, "'")) {
        if (toml_string(t, true, &quoted) == 0) {
            key = arena_strndup(t->arena, text_string(&quoted), quoted.len);
            if (key == NULL)
                error_exhausted(t->err);
        }
        text_close(&quoted);
    } else {
        while (t->p < t->end &&
               (isalnum((unsigned char)*t->p) || *t->p == '-' || *t->p == '_'))
            t->p++;
        key = arena_strndup(t->arena, begin, (size_t)(t->p - begin));
        if (key == NULL)
            error_exhausted(t->err);
    }
    if (key == NULL)
        return NULL;
    if (key[0] == '\0' || strlen(key) > DOCUMENT_KEY_MAX) {
        toml_error(t, "expected a key of 1 to %d characters", DOCUMENT_KEY_MAX);
        return NULL;
    }
    toml_skip_spaces(t);
    return key;
}

static int taken(struct toml *t, const char *key)
{
    return toml_error(t, "duplicate key '%s'; leave one of them out",
                      excerpt_of(key, strlen(key)).text);
}

/* The table under key on the way to a deeper one, made if there is none. The
 * last of a list of tables stands for the list. */
static struct node *step(struct toml *t, struct node *map, const char *key,
                         enum made made)
{
    struct node *next = find(map, key);

    if (++t->depth > DOCUMENT_DEPTH_MAX) {
        toml_error(t,
                   "nested too deep; at most %d tables stand inside one "
                   "another",
                   DOCUMENT_DEPTH_MAX);
        return NULL;
    }
    if (next == NULL)
        return add(t, map, key, TREE_MAP, made);
    if (next->made == MADE_BY_LIST && made == MADE_ON_THE_WAY)
        next = (struct node *)next->tree.u.children.last;
    if (next->tree.type == TREE_MAP && next->made != MADE_CLOSED &&
        (made == MADE_ON_THE_WAY || next->made == made))
        return next;
    taken(t, key);
    return NULL;
}

/* A key with dots: the map of its last part, and that part. */
static int read_key(struct toml *t, struct node **map, enum made made,
                    const char **ret_last)
{
    const char *key = read_part(t);

    while (key != NULL && toml_is(t, ".")) {
        *map = step(t, *map, key, made);
        if (*map == NULL)
            return -1;
        t->p++;
        key = read_part(t);
    }
    *ret_last = key;
    return key != NULL ? 0 : -1;
}

/* ---- values -------------------------------------------------------------- */

static int read_value(struct toml *t, struct node *parent, const char *key);

static int read_pair(struct toml *t, struct node *map)
{
    const char *key;
    int depth = t->depth, rc;

    if (read_key(t, &map, MADE_BY_KEY, &key) < 0)
        return -1;
    if (find(map, key) != NULL)
        return taken(t, key);
    if (!toml_is(t, "="))
        return toml_error(t, "expected = behind the key");
    t->p++;
    toml_skip_spaces(t);
    rc = read_value(t, map, key);
    t->depth = depth;
    return rc;
}

static int read_array(struct toml *t, struct node *list)
{
    for (t->p++;; t->p++) {
        toml_skip_lines(t);
        if (toml_is(t, "]"))
            break;
        if (read_value(t, list, NULL) < 0)
            return -1;
        toml_skip_lines(t);
        if (!toml_is(t, ",") && !toml_is(t, "]"))
            return toml_error(t, "expected , or ] in the array");
        if (toml_is(t, "]"))
            break;
    }
    t->p++;
    return 0;
}

static int read_inline(struct toml *t, struct node *map)
{
    t->p++;
    toml_skip_spaces(t);
    while (!toml_is(t, "}")) {
        if (read_pair(t, map) < 0)
            return -1;
        toml_skip_spaces(t);
        if (toml_is(t, "}"))
            break;
        if (!toml_is(t, ","))
            return toml_error(t, "expected , or } in the table");
        t->p++;
        toml_skip_spaces(t);
        if (toml_is(t, "}"))
            return toml_error(t, "expected a key behind the comma");
    }
    t->p++;
    return 0;
}

static int read_text(struct toml *t, struct node *node)
{
    struct text text = { 0 };
    int rc = toml_string(t, false, &text);

    if (rc == 0) {
        node->tree.text = arena_strndup(t->arena, text_string(&text), text.len);
        node->tree.len = text.len;
        if (node->tree.text == NULL)
            rc = error_exhausted(t->err);
    }
    text_close(&text);
    return rc;
}

static int read_nested(struct toml *t, struct node *node)
{
    int rc;

    if (++t->depth > DOCUMENT_DEPTH_MAX)
        return toml_error(t,
                          "nested too deep; at most %d lists and tables "
                          "stand inside one another",
                          DOCUMENT_DEPTH_MAX);
    rc = node->tree.type == TREE_LIST ? read_array(t, node)
                                      : read_inline(t, node);
    t->depth--;
    return rc;
}

static int read_value(struct toml *t, struct node *parent, const char *key)
{
    enum tree_type type = toml_is(t, "[")   ? TREE_LIST
                          : toml_is(t, "{") ? TREE_MAP
                                            : TREE_STRING;
    struct node *node = add(t, parent, key, type, MADE_CLOSED);

    if (node == NULL)
        return -1;
    if (type != TREE_STRING)
        return read_nested(t, node);
    if (toml_is(t, "\"") || toml_is(t, "'"))
        return read_text(t, node);
    return toml_scalar(t, &node->tree);
}

/* ---- tables -------------------------------------------------------------- */

/* [[a]]: one more table of the list a. NULL: err is set. */
static struct node *open_item(struct toml *t, struct node *map, const char *key)
{
    struct node *list = find(map, key);

    if (list != NULL && list->made != MADE_BY_LIST) {
        taken(t, key);
        return NULL;
    }
    if (list == NULL)
        list = add(t, map, key, TREE_LIST, MADE_BY_LIST);
    return list != NULL ? add(t, list, NULL, TREE_MAP, MADE_BY_HEADER) : NULL;
}

static struct node *open_table(struct toml *t, struct node *map,
                               const char *key)
{
    struct node *table = find(map, key);

    if (table == NULL)
        return add(t, map, key, TREE_MAP, MADE_BY_HEADER);
    if (table->made != MADE_ON_THE_WAY) {
        taken(t, key);
        return NULL;
    }
    table->made = MADE_BY_HEADER;
    return table;
}

/* [a.b] or [[a.b]]: the table that the lines after it fill. */
static struct node *read_header(struct toml *t, struct node *top)
{
    bool item = toml_is(t, "[[");
    struct node *map = top;
    const char *key;

    t->depth = 1;
    t->p += item ? 2 : 1;
    if (read_key(t, &map, MADE_ON_THE_WAY, &key) < 0)
        return NULL;
    if (!toml_is(t, item ? "]]" : "]")) {
        toml_error(t, "expected %s behind the table's name", item ? "]]" : "]");
        return NULL;
    }
    map = item ? open_item(t, map, key) : open_table(t, map, key);
    t->p += item ? 2 : 1;
    return map;
}

static int read_all(struct toml *t, struct node *top)
{
    struct node *table = top;

    for (toml_skip_lines(t); t->p < t->end; toml_skip_lines(t)) {
        if (toml_is(t, "[")) {
            table = read_header(t, top);
            if (table == NULL)
                return -1;
        } else if (read_pair(t, table) < 0) {
            return -1;
        }
        if (toml_end_line(t) < 0)
            return -1;
    }
    return 0;
}

int document_read_toml(struct arena *arena, const char *source_name,
                       const char *text, size_t len, struct tree **ret_document,
                       struct error *err)
{
    struct toml t = { .arena = arena, .err = err, .line = 1, .column = 1 };
    struct node *top = arena_alloc(arena, sizeof(*top));

    if (top == NULL)
        return error_exhausted(err);
    if (source_init(&t.source, arena, source_name, text, len, SOURCE_PRINTABLE,
                    err) < 0)
        return -1;
    if (t.source.len > TOML_BYTES_MAX)
        return source_error(&t.source, 0, 0, err,
                            "larger than %d MiB, the most that is read of TOML",
                            TOML_BYTES_MAX >> 20);
    /* ended by a NUL, so that no search leaves it */
    t.source.text = arena_strndup(arena, t.source.text, t.source.len);
    if (t.source.text == NULL)
        return error_exhausted(err);
    t.p = t.seen = t.source.text;
    t.end = t.p + t.source.len;
    top->tree = (struct tree){
        .type = TREE_MAP, .line = 1, .column = 1, .source = t.source.name
    };
    top->made = MADE_BY_HEADER;
    if (read_all(&t, top) < 0)
        return -1;
    *ret_document = &top->tree;
    return 0;
}
