/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names and numbers as expressions: node[01-04,07], 0-2,7. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "placement/names.h"

enum {
    BRACKETS_MAX = 8, /* in one name */
    DIGITS_MAX = 18,  /* fit 64 bits */
};

/* Reads the number at *text up to end. Returns its digits; 0: none, or more
 * than DIGITS_MAX. */
static size_t read_number(const char **text, const char *end, uint64_t *ret)
{
    size_t n = 0;

    *ret = 0;
    while (*text < end && **text >= '0' && **text <= '9') {
        *ret = *ret * 10 + (uint64_t)(**text - '0');
        (*text)++;
        if (++n > DIGITS_MAX)
            return 0;
    }
    return n;
}

/* "4" or "1-3" of a list in brackets. */
struct range {
    uint64_t first, last;
    int digits;
};

/* Reads the range at *text, which ends at a comma or at end. */
static int read_range(const char **text, const char *end, struct range *ret,
                      struct error *err)
{
    const char *start = *text;
    size_t digits = read_number(text, end, &ret->first);

    ret->last = ret->first;
    ret->digits = (int)digits;
    if (digits > 0 && *text < end && **text == '-') {
        (*text)++;
        digits = read_number(text, end, &ret->last);
    }
    if (digits == 0 || (*text < end && **text != ','))
        return error_set(err, STATUS_INVALID,
                         "\"%.*s\" is no list of numbers and ranges",
                         (int)(end - start < 40 ? end - start : 40), start);
    if (ret->last < ret->first)
        return error_set(err, STATUS_INVALID,
                         "the range %" PRIu64 "-%" PRIu64 " falls; write "
                         "%" PRIu64 "-%" PRIu64,
                         ret->first, ret->last, ret->last, ret->first);
    return 0;
}

/* Moves from a range to the next one. */
static int skip_comma(const char **text, const char *end, struct error *err)
{
    if (*text == end)
        return 0;
    if (++*text == end)
        return error_set(err, STATUS_INVALID,
                         "nothing stands behind the last comma");
    return 0;
}

/* ---- names -------------------------------------------------------------- */

struct expansion {
    struct arena *arena;
    const char **names;
    size_t n, cap;
    struct error *err;
};

/* One name with brackets, taken apart. */
struct pattern {
    const char *text, *end;
    const char *open[BRACKETS_MAX], *close[BRACKETS_MAX];
    int n;
};

static int add_name(struct expansion *e, const char *name, size_t len)
{
    if (e->n == NODELIST_NAMES_MAX)
        return error_set(e->err, STATUS_EXHAUSTED,
                         "the list has more than %d names", NODELIST_NAMES_MAX);
    if (e->n == e->cap) {
        size_t cap = e->cap == 0 ? 64 : e->cap * 2;
        const char **names = arena_array(e->arena, cap, sizeof(*names));

        if (names == NULL)
            return error_exhausted(e->err);
        if (e->n > 0)
            memcpy(names, e->names, e->n * sizeof(*names));
        e->names = names;
        e->cap = cap;
    }
    e->names[e->n] = arena_strndup(e->arena, name, len);
    if (e->names[e->n] == NULL)
        return error_exhausted(e->err);
    if (!name_is_host(e->names[e->n]))
        return error_set(e->err, STATUS_INVALID,
                         "\"%.60s\" cannot be the name of a host",
                         e->names[e->n]);
    e->n++;
    return 0;
}

static int find_brackets(const char *text, const char *end, struct pattern *ret,
                         struct error *err)
{
    bool inside = false;

    *ret = (struct pattern){ .text = text, .end = end };
    for (const char *c = text; c < end; c++) {
        if (*c != '[' && *c != ']')
            continue;
        if ((*c == ']') != inside)
            return error_set(err, STATUS_INVALID,
                             "a bracket of \"%.*s\" has no other",
                             (int)(end - text < 60 ? end - text : 60), text);
        if (!inside && ret->n == BRACKETS_MAX)
            return error_set(err, STATUS_INVALID,
                             "a name may have %d lists in brackets",
                             BRACKETS_MAX);
        if (!inside)
            ret->open[ret->n] = c;
        else
            ret->close[ret->n++] = c;
        inside = !inside;
    }
    return 0;
}

/* Writes the name up to bracket `at`, then all that follows for each of its
 * numbers. buffer holds len bytes of it; at most BRACKETS_MAX levels deep. */
static int expand_at(struct expansion *e, const struct pattern *p, int at,
                     char *buffer, size_t len)
{
    const char *from = at == 0 ? p->text : p->close[at - 1] + 1;
    const char *to = at < p->n ? p->open[at] : p->end, *text;
    size_t fixed = (size_t)(to - from);

    if (len + fixed > HOST_NAME_BYTES_MAX)
        return error_set(e->err, STATUS_INVALID,
                         "a host's name has %d bytes at most",
                         HOST_NAME_BYTES_MAX);
    memcpy(buffer + len, from, fixed);
    len += fixed;
    if (at == p->n)
        return add_name(e, buffer, len);
    text = to + 1;
    if (text == p->close[at])
        return error_set(
            e->err, STATUS_INVALID, "the brackets of \"%.*s\" are empty",
            (int)(p->end - p->text < 60 ? p->end - p->text : 60), p->text);
    while (text < p->close[at]) {
        struct range range;

        if (read_range(&text, p->close[at], &range, e->err) < 0 ||
            skip_comma(&text, p->close[at], e->err) < 0)
            return -1;
        for (uint64_t i = range.first; i <= range.last; i++) {
            int n = snprintf(buffer + len, DIGITS_MAX + 1, "%0*" PRIu64,
                             range.digits, i);

            if (expand_at(e, p, at + 1, buffer, len + (size_t)n) < 0)
                return -1;
        }
    }
    return 0;
}

static int expand_one(struct expansion *e, const char *text, const char *end)
{
    char buffer[HOST_NAME_BYTES_MAX + 2 * DIGITS_MAX];
    struct pattern pattern;

    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    while (text < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (text == end)
        return error_set(e->err, STATUS_INVALID, "a name of the list is empty");
    if (find_brackets(text, end, &pattern, e->err) < 0)
        return -1;
    return expand_at(e, &pattern, 0, buffer, 0);
}

/* The comma behind the name at text, or the end of the text. Outside of
 * brackets, that is. NULL: a bracket has no other. */
static const char *name_end(const char *text)
{
    bool inside = false;

    for (; *text != '\0' && (inside || *text != ','); text++) {
        if (*text == '[' && inside)
            return NULL;
        if (*text == '[' || *text == ']')
            inside = *text == '[';
    }
    return inside ? NULL : text;
}

int nodelist_expand(struct arena *arena, const char *text,
                    const char *const **ret_names, size_t *ret_n,
                    struct error *err)
{
    struct expansion e = { .arena = arena, .err = err };

    if (strlen(text) > NODELIST_BYTES_MAX)
        return error_set(err, STATUS_EXHAUSTED,
                         "a list of names has %d bytes at most",
                         NODELIST_BYTES_MAX);
    for (;;) {
        const char *end = name_end(text);

        if (end == NULL)
            return error_set(err, STATUS_INVALID,
                             "a bracket of \"%.60s\" has no other", text);
        if (expand_one(&e, text, end) < 0)
            return -1;
        if (*end == '\0')
            break;
        text = end + 1;
    }
    *ret_names = e.names;
    *ret_n = e.n;
    return 0;
}

/* ---- numbers ------------------------------------------------------------ */

int idset_expand(struct arena *arena, const char *text, uint32_t most,
                 const uint32_t **ret_ids, size_t *ret_n, struct error *err)
{
    const char *end = text + strlen(text), *c = text;
    size_t n = 0, cap = 0;
    uint32_t *ids = NULL;

    if (c == end)
        return error_set(err, STATUS_INVALID, "the list of numbers is empty");
    while (c < end) {
        struct range range;

        if (read_range(&c, end, &range, err) < 0 ||
            skip_comma(&c, end, err) < 0)
            return -1;
        if (range.last > most)
            return error_set(err, STATUS_INVALID,
                             "%" PRIu64 " is above %" PRIu32, range.last, most);
        if (range.last - range.first >= NODELIST_NAMES_MAX - n)
            return error_set(err, STATUS_EXHAUSTED,
                             "the list has more than %d numbers",
                             NODELIST_NAMES_MAX);
        if (n + (range.last - range.first) >= cap) {
            uint32_t *more;

            cap = 2 * (n + (size_t)(range.last - range.first) + 8);
            more = arena_array(arena, cap, sizeof(*more));
            if (more == NULL)
                return error_exhausted(err);
            if (n > 0)
                memcpy(more, ids, n * sizeof(*ids));
            ids = more;
        }
        for (uint64_t i = range.first; i <= range.last; i++)
            ids[n++] = (uint32_t)i;
    }
    *ret_ids = ids;
    *ret_n = n;
    return 0;
}
