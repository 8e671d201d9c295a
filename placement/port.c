/* SPDX-License-Identifier: Apache-2.0 */
/* What ports a placement needs: by purpose, and where one is wanted. */
#include "placement/port.h"

#include <string.h>

#include "base/text.h"
#include "placement/reader.h"

const char port_master[] = "master";

static const struct {
    const char *word, *binder;
} rows[] = {
#define X(id, word, binder) { word, binder },
    PORT_ON_LIST(X)
#undef X
};

const char *port_on_name(enum port_on on)
{
    return rows[on].word;
}

const char *port_on_binder(enum port_on on)
{
    return rows[on].binder;
}

void port_wishes_init(struct port_wishes *wishes)
{
    wishes->items[0] = (struct port_wish){ port_master, PORT_ON_FIRST_RANK };
    wishes->n = 1;
}

/* Small letters, digits and _, so that it can end the name of a variable. */
static bool is_purpose(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return n > 0 && n <= PORT_PURPOSE_BYTES && text[n] == '\0' &&
           text[0] >= 'a' && text[0] <= 'z';
}

static int read_on(const struct tree *at, enum port_on *ret, struct error *err)
{
    *ret = PORT_ON_FIRST_RANK;
    if (at == NULL)
        return 0;
    for (int on = 0; on < PORT_ON_COUNT; on++) {
        if (strcmp(rows[on].word, at->text) == 0) {
            *ret = (enum port_on)on;
            return 0;
        }
    }
    return tree_error(at, err, STATUS_INVALID,
                      "ports are wanted on first_rank, each_host, "
                      "each_instance or each_rank, not on \"%.32s\"",
                      at->text);
}

static int add(struct port_wishes *wishes, const struct tree *at,
               const struct port_wish *wish, struct error *err)
{
    if (!is_purpose(wish->purpose))
        return tree_error(at, err, STATUS_INVALID,
                          "\"%.40s\" cannot be a port's purpose: a small "
                          "letter, then small letters, digits and _, at most "
                          "%d",
                          wish->purpose, PORT_PURPOSE_BYTES);
    for (size_t i = 0; i < wishes->n; i++) {
        if (strcmp(wishes->items[i].purpose, wish->purpose) != 0)
            continue;
        if (i == 0 && wish->on == PORT_ON_FIRST_RANK)
            return 0; /* said for the reader: every placement has it */
        return tree_error(at, err, STATUS_INVALID,
                          i == 0 ? "the port for %s is one on first_rank in "
                                   "every placement; take another purpose"
                                 : "the ports for %s are declared already, "
                                   "here or by the runtime; name each purpose "
                                   "once",
                          wish->purpose);
    }
    if (wishes->n == PORT_PURPOSES_MAX)
        return tree_error(at, err, STATUS_EXHAUSTED,
                          "a placement has ports for at most %d purposes, "
                          "master and those of its runtime included",
                          PORT_PURPOSES_MAX);
    wishes->items[wishes->n++] = *wish;
    return 0;
}

static int read_one(struct port_wishes *wishes, const struct tree *at,
                    struct error *err)
{
    static const struct read_key keys[] = {
        { "purpose", READ_STRING, true },
        { "on", READ_STRING, false },
    };
    struct port_wish wish = { 0 };

    if (at->type == TREE_STRING)
        wish.purpose = at->text;
    else if (read_keys(at, keys, ARRAY_LEN(keys), err) < 0 ||
             read_on(tree_get(at, "on"), &wish.on, err) < 0)
        return -1;
    else
        wish.purpose = read_string(at, "purpose");
    return add(wishes, at, &wish, err);
}

int port_wishes_read(struct port_wishes *wishes, const struct tree *list,
                     struct error *err)
{
    if (list == NULL)
        return 0;
    if (read_type(list, READ_LIST, err) < 0)
        return -1;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (read_one(wishes, t, err) < 0)
            return -1;
    return 0;
}
