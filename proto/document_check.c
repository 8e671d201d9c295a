/* SPDX-License-Identifier: Apache-2.0 */
/* What valid YAML may still not hold: tags, anchors, lost quotes, twice a key.
 */
#include "proto/document_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proto/document.h"
#include "proto/document_problem.h"

static int refuse(const struct source *source, struct place at,
                  struct error *err, const char *sentence)
{
    return source_error(source, at.line, at.column, err, "%s", sentence);
}

bool check_is_plain(const yaml_event_t *event)
{
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

/* By the first character: libyaml drops the tag `!` without a word, but its
 * event still starts there, where no value can. */
int check_properties(const struct source *source, struct cursor *cursor,
                     const yaml_event_t *event, struct error *err)
{
    struct place place = place_of_mark(&event->start_mark);
    char first = place_byte(source, cursor, &event->start_mark);

    if (first == '!')
        return refuse(source, place, err, problem_tag);
    if (first == '&' || first == '*')
        return refuse(source, place, err, problem_anchor);
    return 0;
}

/* More of one parenthesis than of the other: in brackets, a comma has cut a
 * call apart. */
static bool is_cut(const char *value)
{
    long open = 0;

    for (; *value != '\0'; value++)
        open += (*value == '(') - (*value == ')');
    return open != 0;
}

int check_scalar(const struct source *source, struct cursor *cursor,
                 const yaml_event_t *event, bool in_brackets, struct error *err)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t len = event->data.scalar.length;
    struct place place = place_of_mark(&event->start_mark);
    bool plain = check_is_plain(event);

    if (event->data.scalar.tag != NULL)
        return refuse(source, place, err, problem_tag);
    if (event->data.scalar.anchor != NULL)
        return refuse(source, place, err, problem_anchor);
    /* an empty value's mark is the next thing's */
    if ((len > 0 || !plain) && check_properties(source, cursor, event, err) < 0)
        return -1;
    if (strlen(value) != len)
        return refuse(source, place, err,
                      "a NUL in a string; leave the \\0 out");
    if (in_brackets && plain && is_cut(value))
        return refuse(source, place, err,
                      "a parenthesis has lost its pair: in [ ] and { } a comma "
                      "ends a value; an expression with such characters needs "
                      "quotes");
    return 0;
}

int check_key(const struct source *source, struct place place,
              const yaml_event_t *event, struct error *err)
{
    const char *key = (const char *)event->data.scalar.value;
    size_t len = event->data.scalar.length;
    bool plain = check_is_plain(event);

    if (len == 0)
        return refuse(source, place, err,
                      "empty key; write a name before the ':'");
    if (len > DOCUMENT_KEY_MAX)
        return source_error(source, place.line, place.column, err,
                            "a key of %zu bytes; at most %d are taken", len,
                            DOCUMENT_KEY_MAX);
    if (plain && strcmp(key, "<<") == 0)
        return refuse(source, place, err,
                      "merge keys are not taken; write the keys out");
    if (plain && strstr(key, " ? ") != NULL)
        return refuse(source, place, err,
                      "a '?' and a ':' outside quotes; an expression with such "
                      "characters needs quotes");
    return 0;
}

/* By key, equal ones by their place. */
static int compare_keys(const void *a, const void *b)
{
    const struct tree *x = *(const struct tree *const *)a;
    const struct tree *y = *(const struct tree *const *)b;
    int order = strcmp(x->key, y->key);

    if (order != 0)
        return order;
    if (x->key_line != y->key_line)
        return x->key_line < y->key_line ? -1 : 1;
    return x->key_column < y->key_column ? -1 : x->key_column > y->key_column;
}

static int duplicate_error(const struct source *source,
                           const struct tree *first, const struct tree *again,
                           struct error *err)
{
    struct excerpt key = excerpt_of(again->key, strlen(again->key));

    return source_error(source, again->key_line, again->key_column, err,
                        "duplicate key '%s', first in line %" PRIu32
                        ", column %" PRIu32 "; leave one of them out",
                        key.text, first->key_line, first->key_column);
}

static bool is_earlier(const struct tree *a, const struct tree *b)
{
    return a->key_line < b->key_line ||
           (a->key_line == b->key_line && a->key_column < b->key_column);
}

int check_duplicates(const struct source *source, const struct tree *map,
                     struct error *err)
{
    size_t count = tree_count(map), n = 0;
    const struct tree *first = NULL, *again = NULL;
    const struct tree **keys;

    if (count < 2)
        return 0;
    keys = malloc(count * sizeof(*keys));
    if (keys == NULL)
        return error_exhausted(err);
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        keys[n++] = t;
    qsort(keys, count, sizeof(*keys), compare_keys);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(keys[i - 1]->key, keys[i]->key) != 0)
            continue;
        if (again == NULL || is_earlier(keys[i], again)) {
            first = keys[i - 1];
            again = keys[i];
        }
    }
    free(keys);
    return again == NULL ? 0 : duplicate_error(source, first, again, err);
}
