/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text into trees, through jansson. */
#include "proto/document.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "proto/document_scalar.h"
#include "proto/document_source.h"

/* jansson recurses into what is nested, and holds 40 bytes and more for each
 * value outside the arena: both are bounded before it sees the text. */
static int check_shape(const struct source *source, struct error *err)
{
    size_t depth = 0, count = 1;
    bool quoted = false;
    uint32_t line, column;

    for (size_t i = 0; i < source->len; i++) {
        char c = source->text[i];

        if (c == '"')
            quoted = !quoted;
        else if (quoted)
            i += c == '\\';
        else if (c == '[' || c == '{')
            depth++, count++;
        else if (c == ']' || c == '}')
            depth -= depth > 0;
        else
            count += c == ',';
        if (depth <= DOCUMENT_DEPTH_MAX && count <= DOCUMENT_NODES_MAX)
            continue;
        source_place(source, i, &line, &column);
        if (depth > DOCUMENT_DEPTH_MAX)
            return source_error(source, line, column, err,
                                "nested too deep; at most %d lists and maps "
                                "stand inside one another",
                                DOCUMENT_DEPTH_MAX);
        return source_error(source, line, column, err,
                            "too many values; split the file");
    }
    return 0;
}

/* Sentences for jansson's codes; NULL: its own words. */
static const char *sentence_of(enum json_error_code code)
{
    switch ((int)code) {
    case json_error_premature_end_of_input:
        return "the document ends too early; close its brackets and quotes";
    case json_error_end_of_input_expected:
        return "something follows the document; a JSON file holds one value";
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "a NUL in a string; leave the \\u0000 out";
    case json_error_numeric_overflow:
        return "number too large; integers have 64 bits, others are doubles";
    default:
        return NULL;
    }
}

/* Points at the last character of what jansson could not take. */
static int syntax_error(const struct source *source, const json_error_t *at,
                        struct error *err)
{
    enum json_error_code code = json_error_code(at);
    const char *sentence = sentence_of(code);
    size_t offset = at->position > 0 ? (size_t)at->position - 1 : 0;
    struct excerpt text = excerpt_of(at->text, strlen(at->text));
    const char *near = strstr(text.text, " near ");
    uint32_t line, column;

    if (code == json_error_out_of_memory)
        return error_exhausted(err);
    source_place(source, offset, &line, &column);
    if (sentence != NULL)
        return source_error(source, line, column, err, "%s", sentence);
    if (code == json_error_duplicate_key)
        return source_error(source, line, column, err,
                            "duplicate key%s; leave one of them out",
                            near != NULL ? near : "");
    return source_error(source, line, column, err,
                        "%s; expected JSON (RFC 8259)", text.text);
}

struct converter {
    const struct source *source;
    struct arena *arena;
    struct error *err;
};

static int convert(const struct converter *c, const json_t *json,
                   struct tree *parent, const char *key,
                   struct tree **ret_tree);

static int convert_list(const struct converter *c, const json_t *json,
                        struct tree *list)
{
    struct tree *item;

    for (size_t i = 0; i < json_array_size(json); i++)
        if (convert(c, json_array_get(json, i), list, NULL, &item) < 0)
            return -1;
    return 0;
}

static int check_key(const struct converter *c, const char *key)
{
    size_t len = strlen(key);

    if (len == 0)
        return source_error(c->source, 0, 0, c->err,
                            "empty key; write a name before the ':'");
    if (len > DOCUMENT_KEY_MAX)
        return source_error(c->source, 0, 0, c->err,
                            "a key of %zu bytes ('%s'); at most %d are taken",
                            len, excerpt_of(key, len).text, DOCUMENT_KEY_MAX);
    return 0;
}

static int convert_map(const struct converter *c, json_t *json,
                       struct tree *map)
{
    struct tree *child;
    const char *key;
    json_t *value;

    json_object_foreach(json, key, value) if (check_key(c, key) < 0 ||
                                              convert(c, value, map, key,
                                                      &child) < 0) return -1;
    return 0;
}

static int set_text(const struct converter *c, struct tree *tree,
                    const char *text, size_t len)
{
    tree->text = arena_strndup(c->arena, text, len);
    tree->len = len;
    return tree->text != NULL ? 0 : error_exhausted(c->err);
}

static int convert_int(const struct converter *c, const json_t *json,
                       struct tree *tree)
{
    char digits[SCALAR_NUMBER_MAX];
    int n;

    tree->u.integer = json_integer_value(json);
    n = snprintf(digits, sizeof(digits), "%" PRId64, tree->u.integer);
    return set_text(c, tree, digits, (size_t)n);
}

static int convert_double(const struct converter *c, const json_t *json,
                          struct tree *tree)
{
    char digits[SCALAR_NUMBER_MAX];

    tree->u.number = json_real_value(json);
    scalar_print_double(tree->u.number, digits);
    return set_text(c, tree, digits, strlen(digits));
}

static int fill(const struct converter *c, json_t *json, struct tree *tree)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return convert_map(c, json, tree);
    case JSON_ARRAY:
        return convert_list(c, json, tree);
    case JSON_STRING:
        return set_text(c, tree, json_string_value(json),
                        json_string_length(json));
    case JSON_INTEGER:
        return convert_int(c, json, tree);
    case JSON_REAL:
        return convert_double(c, json, tree);
    case JSON_TRUE:
        tree->u.boolean = true;
        return set_text(c, tree, "true", 4);
    case JSON_FALSE:
        return set_text(c, tree, "false", 5);
    case JSON_NULL:
        return set_text(c, tree, "null", 4);
    }
    return -1;
}

static enum tree_type type_of(const json_t *json)
{
    static const enum tree_type types[] = {
        [JSON_OBJECT] = TREE_MAP,    [JSON_ARRAY] = TREE_LIST,
        [JSON_STRING] = TREE_STRING, [JSON_INTEGER] = TREE_INT,
        [JSON_REAL] = TREE_DOUBLE,   [JSON_TRUE] = TREE_BOOL,
        [JSON_FALSE] = TREE_BOOL,    [JSON_NULL] = TREE_NULL,
    };

    return types[json_typeof(json)];
}

static int convert(const struct converter *c, const json_t *json,
                   struct tree *parent, const char *key, struct tree **ret_tree)
{
    struct tree *tree = tree_new(c->arena, parent, key, type_of(json));

    if (tree == NULL)
        return error_exhausted(c->err);
    tree->source = c->source->name;
    if (fill(c, (json_t *)json, tree) < 0)
        return -1;
    *ret_tree = tree;
    return 0;
}

static bool is_blank(const struct source *source)
{
    for (size_t i = 0; i < source->len; i++)
        if (strchr(" \t\r\n", source->text[i]) == NULL)
            return false;
    return true;
}

int document_read_json(struct arena *arena, const char *source_name,
                       const char *text, size_t len, struct tree **ret_document,
                       struct error *err)
{
    struct source source;
    struct converter c = { &source, arena, err };
    json_error_t at;
    json_t *json;
    int rc;

    if (source_init(&source, arena, source_name, text, len, SOURCE_ANY, err) <
            0 ||
        check_shape(&source, err) < 0)
        return -1;
    if (is_blank(&source))
        return source_error(&source, 0, 0, err,
                            "the file is empty; expected a document");
    json = json_loadb(source.text, source.len,
                      JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &at);
    if (json == NULL)
        return syntax_error(&source, &at, err);
    rc = convert(&c, json, NULL, NULL, ret_document);
    json_decref(json);
    return rc;
}
