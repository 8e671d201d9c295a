/* SPDX-License-Identifier: Apache-2.0 */
/* YAML text into trees, event by event. */
#include "proto/document.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "proto/document_check.h"
#include "proto/document_place.h"
#include "proto/document_problem.h"
#include "proto/document_scalar.h"
#include "proto/document_source.h"

/* A list or map whose end is not read yet. */
struct frame {
    struct tree *tree;
    bool flow;    /* written with brackets */
    bool has_key; /* maps: key is read, its value comes next */
    uint32_t key_line, key_column;
    char key[DOCUMENT_KEY_MAX + 1];
};

struct reader {
    struct arena *arena;
    struct source source;
    struct error *err;
    yaml_parser_t parser;
    struct cursor cursor;
    struct tree *documents;
    size_t node_count;
    size_t depth; /* frames in use */
    struct frame frames[DOCUMENT_DEPTH_MAX];
};

static int refuse_at(struct reader *r, struct place at, const char *sentence)
{
    return source_error(&r->source, at.line, at.column, r->err, "%s", sentence);
}

static int refuse(struct reader *r, const yaml_mark_t *mark,
                  const char *sentence)
{
    return refuse_at(r, place_of_mark(mark), sentence);
}

/* ---- building ----------------------------------------------------------- */

static struct frame *top_frame(struct reader *r)
{
    return r->depth > 0 ? &r->frames[r->depth - 1] : NULL;
}

static bool wants_key(const struct reader *r)
{
    const struct frame *top = r->depth > 0 ? &r->frames[r->depth - 1] : NULL;

    return top != NULL && top->tree->type == TREE_MAP && !top->has_key;
}

/* The next value at its place in the tree; NULL with err set. */
static struct tree *add_node(struct reader *r, enum tree_type type,
                             struct place place)
{
    struct frame *top = top_frame(r);
    const char *key = top != NULL && top->has_key ? top->key : NULL;
    struct tree *parent = top != NULL ? top->tree : r->documents;
    struct tree *tree;

    if (++r->node_count > DOCUMENT_NODES_MAX) {
        refuse_at(r, place, "too many values; split the file");
        return NULL;
    }
    tree = tree_new(r->arena, parent, key, type);
    if (tree == NULL) {
        error_exhausted(r->err);
        return NULL;
    }
    tree->line = place.line;
    tree->column = place.column;
    if (key != NULL) {
        tree->key_line = top->key_line;
        tree->key_column = top->key_column;
        top->has_key = false;
    }
    if (top == NULL)
        tree->parent = NULL;
    return tree;
}

static int read_key(struct reader *r, const yaml_event_t *event)
{
    struct place place = place_of_content(&r->source, &r->cursor, event);
    struct frame *top = top_frame(r);

    if (check_key(&r->source, place, event, r->err) < 0)
        return -1;
    memcpy(top->key, event->data.scalar.value, event->data.scalar.length + 1);
    top->key_line = place.line;
    top->key_column = place.column;
    top->has_key = true;
    return 0;
}

static int read_empty(struct reader *r, const yaml_event_t *event)
{
    const struct frame *top = top_frame(r);

    if (top == NULL)
        return refuse(r, &event->start_mark,
                      "the document is empty; write a map, or leave its --- "
                      "out");
    if (top->flow)
        return refuse(
            r, &event->start_mark,
            "empty value; write null to leave it out, or quote it (an "
            "expression with such characters needs quotes)");
    return refuse(r, &event->start_mark,
                  "empty value; write null to leave it out, or quote it");
}

static int set_text(struct reader *r, struct tree *tree,
                    const yaml_event_t *event)
{
    tree->len = event->data.scalar.length;
    tree->text = arena_strndup(r->arena, (const char *)event->data.scalar.value,
                               tree->len);
    return tree->text != NULL ? 0 : error_exhausted(r->err);
}

static int read_value(struct reader *r, const yaml_event_t *event)
{
    struct scalar scalar = { .type = TREE_STRING };
    const char *problem = NULL;
    struct tree *tree;

    if (check_is_plain(event) && event->data.scalar.length == 0)
        return read_empty(r, event);
    if (check_is_plain(event))
        problem =
            scalar_resolve((const char *)event->data.scalar.value, &scalar);
    if (problem != NULL)
        return refuse(r, &event->start_mark, problem);
    tree = add_node(r, scalar.type,
                    place_of_content(&r->source, &r->cursor, event));
    if (tree == NULL)
        return -1;
    if (scalar.type == TREE_BOOL)
        tree->u.boolean = scalar.u.boolean;
    else if (scalar.type == TREE_INT)
        tree->u.integer = scalar.u.integer;
    else if (scalar.type == TREE_DOUBLE)
        tree->u.number = scalar.u.number;
    return set_text(r, tree, event);
}

static int read_scalar(struct reader *r, const yaml_event_t *event)
{
    const struct frame *top = top_frame(r);
    bool in_brackets = top != NULL && top->flow;

    if (check_scalar(&r->source, &r->cursor, event, in_brackets, r->err) < 0)
        return -1;
    return wants_key(r) ? read_key(r, event) : read_value(r, event);
}

static int open_frame(struct reader *r, const yaml_event_t *event,
                      enum tree_type type, bool flow)
{
    struct tree *tree;

    if (check_properties(&r->source, &r->cursor, event, r->err) < 0)
        return -1;
    if (wants_key(r))
        return refuse(r, &event->start_mark,
                      "a list or map as a key; a key is a name, and a value "
                      "that starts with { or [ needs quotes");
    if (r->depth == DOCUMENT_DEPTH_MAX)
        return source_error(&r->source, place_of_mark(&event->start_mark).line,
                            place_of_mark(&event->start_mark).column, r->err,
                            "nested too deep; at most %d lists and maps stand "
                            "inside one another",
                            DOCUMENT_DEPTH_MAX);
    tree = add_node(r, type, place_of_mark(&event->start_mark));
    if (tree == NULL)
        return -1;
    r->frames[r->depth].tree = tree;
    r->frames[r->depth].flow = flow;
    r->frames[r->depth].has_key = false;
    r->depth++;
    return 0;
}

static int close_frame(struct reader *r)
{
    struct frame *top = top_frame(r);

    r->depth--;
    if (top->tree->type == TREE_LIST)
        return 0;
    return check_duplicates(&r->source, top->tree, r->err);
}

/* ---- events ------------------------------------------------------------- */

static int start_document(struct reader *r, const yaml_event_t *event)
{
    if (event->data.document_start.tag_directives.start !=
        event->data.document_start.tag_directives.end)
        return refuse(r, &event->start_mark, problem_tag);
    if (tree_count(r->documents) == DOCUMENT_COUNT_MAX)
        return source_error(&r->source, place_of_mark(&event->start_mark).line,
                            place_of_mark(&event->start_mark).column, r->err,
                            "more than %d documents; split the file",
                            DOCUMENT_COUNT_MAX);
    return 0;
}

static int take_event(struct reader *r, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return start_document(r, event);
    case YAML_ALIAS_EVENT:
        return refuse(r, &event->start_mark, problem_anchor);
    case YAML_SCALAR_EVENT:
        return read_scalar(r, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_frame(r, event, TREE_LIST,
                          event->data.sequence_start.style ==
                              YAML_FLOW_SEQUENCE_STYLE);
    case YAML_MAPPING_START_EVENT:
        return open_frame(r, event, TREE_MAP,
                          event->data.mapping_start.style ==
                              YAML_FLOW_MAPPING_STYLE);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_frame(r);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
    return 0;
}

static int read_events(struct reader *r)
{
    yaml_event_t event;
    bool done = false;
    int rc = 0;

    while (rc == 0 && !done) {
        if (!yaml_parser_parse(&r->parser, &event))
            return problem_error(&r->source, &r->parser, r->err);
        done = event.type == YAML_STREAM_END_EVENT;
        rc = take_event(r, &event);
        yaml_event_delete(&event);
    }
    if (rc == 0 && tree_count(r->documents) == 0)
        return source_error(&r->source, 0, 0, r->err,
                            "the file is empty; expected a document");
    return rc;
}

/* libyaml compares each %TAG with all before it: without a bound, 8 MiB of them
 * would take minutes. A document has one directive at most. */
static int check_directives(struct reader *r)
{
    size_t count = 0;

    for (size_t i = 0; i < r->source.len; i = place_next_line(&r->source, i))
        if (r->source.text[i] == '%' && ++count > DOCUMENT_COUNT_MAX)
            return source_error(&r->source, 0, 0, r->err,
                                "more than %d lines that start with %%; split "
                                "the file",
                                DOCUMENT_COUNT_MAX);
    return 0;
}

static int run(struct reader *r)
{
    int rc;

    r->documents = tree_new(r->arena, NULL, NULL, TREE_LIST);
    if (r->documents == NULL)
        return error_exhausted(r->err);
    r->documents->source = r->source.name;
    if (check_directives(r) < 0)
        return -1;
    if (!yaml_parser_initialize(&r->parser))
        return error_exhausted(r->err);
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &r->parser, (const unsigned char *)r->source.text, r->source.len);
    rc = read_events(r);
    yaml_parser_delete(&r->parser);
    return rc;
}

int document_read_yaml(struct arena *arena, const char *source_name,
                       const char *text, size_t len,
                       struct tree **ret_documents, struct error *err)
{
    struct reader *r = calloc(1, sizeof(*r)); /* 18 kB: not for the stack */
    int rc = -1;

    if (r == NULL)
        return error_exhausted(err);
    r->arena = arena;
    r->err = err;
    if (source_init(&r->source, arena, source_name, text, len, SOURCE_PRINTABLE,
                    err) == 0)
        rc = run(r);
    if (rc == 0)
        *ret_documents = r->documents;
    free(r);
    return rc;
}
