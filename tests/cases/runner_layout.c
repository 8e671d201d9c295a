/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of an answer: derived sizes, group lists, what each rank has. */
#include "tests/cases/runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "placement/digest.h"
#include "proto/document.h"

/* Maps of the case whose keys must be in the answer's map of the same name,
 * with the same values; the answer may hold more. */
static void compare_maps(struct run *run, const struct tree *answer)
{
    static const char *const maps[] = { "derived", "lists", "per_rank",
                                        "active_axes" };
    char what[32];

    for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
        snprintf(what, sizeof(what), "%s.", maps[i]);
        compare_keys(run, what, child(run->want, maps[i]),
                     child(answer, maps[i]));
    }
}

/* Derived values that the answer must leave out. */
static void compare_absent(struct run *run, const struct tree *answer)
{
    const struct tree *derived = child(answer, "derived");

    for (const struct tree *t = tree_first(child(run->want, "no_derived"));
         t != NULL; t = t->next)
        if (child(derived, t->text) != NULL)
            differs(run, "no_derived", t, child(derived, t->text));
}

/* A list of lists as what the case knows of one that is too long to write:
 * how many, how long, the first, the last, and the SHA-256 of its JSON. */
static struct tree *summary(struct run *run, const struct tree *list)
{
    struct tree *map = make_map(&run->maker, NULL, NULL);
    const struct tree *last = tree_first(list);
    struct text json = { 0 };
    char hex[DIGEST_HEX];

    while (last != NULL && last->next != NULL)
        last = last->next;
    make_int(&run->maker, map, "count", (int64_t)tree_count(list));
    make_int(&run->maker, map, "size", (int64_t)tree_count(tree_first(list)));
    for (int end = 0; end < 2; end++) {
        const char *key = end == 0 ? "first" : "last";
        struct tree *ranks = make_list(&run->maker, map, key);
        const struct tree *of = end == 0 ? tree_first(list) : last;
        const struct tree *t = tree_first(of);

        for (int i = 0; t != NULL && i < 16; i++, t = t->next)
            make_int(&run->maker, ranks, NULL, t->u.integer);
    }
    if (document_write_json(list, false, &json) < 0)
        run->maker.failed = true;
    digest_hex(text_string(&json), json.len, hex);
    make_string(&run->maker, map, "sha256", hex);
    text_close(&json);
    return map;
}

static void compare_digests(struct run *run, const struct tree *answer)
{
    const struct tree *lists = child(answer, "lists");

    for (const struct tree *t = tree_first(child(run->want, "lists_digest"));
         t != NULL; t = t->next) {
        const struct tree *list = child(lists, t->key);
        const struct tree *got = list != NULL ? summary(run, list) : NULL;

        if (got == NULL || !same(t, got))
            differs(run, t->key, t, got);
    }
}

/* Values of one rank, by name, where the case does not know those of all. */
static void compare_ranks(struct run *run, const struct tree *answer)
{
    const struct tree *per_rank = child(answer, "per_rank");

    for (const struct tree *at = tree_first(child(run->want, "at_ranks"));
         at != NULL; at = at->next) {
        size_t rank = (size_t)child_int(at, "rank");

        for (const struct tree *t = tree_first(at); t != NULL; t = t->next) {
            const struct tree *got = item(child(per_rank, t->key), rank);

            if (strcmp(t->key, "rank") != 0 && (got == NULL || !same(t, got)))
                differs(run, t->key, at, got);
        }
    }
}

void compare_layout(struct run *run, const struct tree *answer)
{
    static const char *const keys[] = { "derived",   "lists",
                                        "per_rank",  "active_axes",
                                        "at_ranks",  "lists_digest",
                                        "no_derived" };

    compare_maps(run, answer);
    compare_absent(run, answer);
    compare_digests(run, answer);
    compare_ranks(run, answer);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (child(run->want, keys[i]) != NULL)
            make_copy(&run->maker, run->got, keys[i],
                      child(run->want, keys[i]));
}
