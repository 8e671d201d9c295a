/* SPDX-License-Identifier: Apache-2.0 */
/* Trees into YAML text, through libyaml's emitter. */
#include "proto/document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "proto/document_scalar.h"

static int put_part(void *out, unsigned char *bytes, size_t len)
{
    struct text *text = out;

    text_put_bytes(text, (const char *)bytes, len);
    return !text->failed;
}

/* Control characters and line ends, which only double quotes keep as they are;
 * the two bytes begin U+0080 to U+00BF and U+2000 to U+2FFF. */
static bool needs_escapes(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c < 0x20 || c == 0x7f || c == 0xc2 || c == 0xe2)
            return true;
    }
    return false;
}

/* Whether a reader, ours or one of YAML 1.1, takes the plain text for something
 * that is not a string. */
static bool reads_otherwise(const char *text)
{
    static const char *const words[] = { "<<",  "=",   "y",   "n",   "Y",
                                         "N",   "no",  "No",  "NO",  "on",
                                         "On",  "ON",  "yes", "Yes", "YES",
                                         "off", "Off", "OFF" };
    struct scalar scalar;

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return scalar_resolve(text, &scalar) != NULL || scalar.type != TREE_STRING;
}

/* Characters that make an expression of a text, or cut it apart. */
static bool looks_like_expression(const char *text)
{
    return strpbrk(text, ",[]{}()?#!\"&*|<>:%@`'") != NULL;
}

static yaml_scalar_style_t style_of(const char *text, size_t len)
{
    if (needs_escapes(text, len))
        return YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (len == 0 || reads_otherwise(text) || looks_like_expression(text))
        return YAML_SINGLE_QUOTED_SCALAR_STYLE;
    return YAML_PLAIN_SCALAR_STYLE;
}

static int put_scalar(yaml_emitter_t *emitter, const char *text, size_t len,
                      yaml_scalar_style_t style)
{
    yaml_event_t event;

    if (len > INT32_MAX || !yaml_scalar_event_initialize(
                               &event, NULL, NULL, (const yaml_char_t *)text,
                               (int)len, 1, 1, style))
        return -1;
    return yaml_emitter_emit(emitter, &event) ? 0 : -1;
}

static int put_string(yaml_emitter_t *emitter, const char *text, size_t len)
{
    return put_scalar(emitter, text, len, style_of(text, len));
}

static int put_plain(yaml_emitter_t *emitter, const char *text)
{
    return put_scalar(emitter, text, strlen(text), YAML_PLAIN_SCALAR_STYLE);
}

static int put_number(yaml_emitter_t *emitter, const struct tree *tree)
{
    char digits[SCALAR_NUMBER_MAX];

    if (tree->type == TREE_INT)
        snprintf(digits, sizeof(digits), "%" PRId64, tree->u.integer);
    else if (isfinite(tree->u.number))
        scalar_print_double(tree->u.number, digits);
    else
        return -1;
    return put_plain(emitter, digits);
}

/* Lists of scalars go on one line, as ranks are written by hand. */
static bool is_flow(const struct tree *tree)
{
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next)
        if (tree->type == TREE_MAP || t->type == TREE_LIST ||
            t->type == TREE_MAP)
            return false;
    return true;
}

static int put_start(yaml_emitter_t *emitter, const struct tree *tree)
{
    yaml_event_t event;
    int made;

    if (tree->type == TREE_LIST)
        made = yaml_sequence_start_event_initialize(
            &event, NULL, NULL, 1,
            is_flow(tree) ? YAML_FLOW_SEQUENCE_STYLE
                          : YAML_BLOCK_SEQUENCE_STYLE);
    else
        made = yaml_mapping_start_event_initialize(
            &event, NULL, NULL, 1,
            is_flow(tree) ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE);
    return made && yaml_emitter_emit(emitter, &event) ? 0 : -1;
}

static int put_end(yaml_emitter_t *emitter, const struct tree *tree)
{
    yaml_event_t event;

    if (tree->type == TREE_LIST)
        yaml_sequence_end_event_initialize(&event);
    else
        yaml_mapping_end_event_initialize(&event);
    return yaml_emitter_emit(emitter, &event) ? 0 : -1;
}

static int put(yaml_emitter_t *emitter, const struct tree *tree);

static int put_children(yaml_emitter_t *emitter, const struct tree *tree)
{
    if (put_start(emitter, tree) < 0)
        return -1;
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next) {
        if (tree->type == TREE_MAP &&
            put_string(emitter, t->key, strlen(t->key)) < 0)
            return -1;
        if (put(emitter, t) < 0)
            return -1;
    }
    return put_end(emitter, tree);
}

static int put(yaml_emitter_t *emitter, const struct tree *tree)
{
    switch (tree->type) {
    case TREE_NULL:
        return put_plain(emitter, "null");
    case TREE_BOOL:
        return put_plain(emitter, tree->u.boolean ? "true" : "false");
    case TREE_INT:
    case TREE_DOUBLE:
        return put_number(emitter, tree);
    case TREE_STRING:
        return put_string(emitter, tree->text, tree->len);
    case TREE_LIST:
    case TREE_MAP:
        return put_children(emitter, tree);
    }
    return -1;
}

static int put_stream(yaml_emitter_t *emitter, const struct tree *tree)
{
    yaml_event_t event;

    if (!yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) ||
        !yaml_emitter_emit(emitter, &event))
        return -1;
    if (!yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1) ||
        !yaml_emitter_emit(emitter, &event) || put(emitter, tree) < 0)
        return -1;
    yaml_document_end_event_initialize(&event, 1);
    if (!yaml_emitter_emit(emitter, &event))
        return -1;
    yaml_stream_end_event_initialize(&event);
    return yaml_emitter_emit(emitter, &event) ? 0 : -1;
}

int document_write_yaml(const struct tree *tree, struct text *out)
{
    size_t start = out->len;
    yaml_emitter_t emitter;
    int rc;

    if (!yaml_emitter_initialize(&emitter))
        return -1;
    yaml_emitter_set_output(&emitter, put_part, out);
    yaml_emitter_set_unicode(&emitter, 1);
    yaml_emitter_set_width(&emitter, -1);
    rc = put_stream(&emitter, tree);
    yaml_emitter_delete(&emitter);
    if (rc == 0 && !out->failed)
        return 0;
    if (out->data != NULL)
        out->data[start] = '\0';
    out->len = start;
    return -1;
}
