/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of maps, with the members that a runtime's expressions read. */
#include <string.h>

#include "placement/example_knobs.h"

enum {
    MEMBERS_MAX = 16,
    WORDS_MAX = 48,
    LISTS = 40,      /* made for a knob */
    RECORDS_MAX = 3, /* in one list */
    PERCENT_MEMBER = 75,
};

/* What a member is used as, by what stands around it. */
enum use { USE_NUMBER, USE_TEXT, USE_WORD, USE_LIST };

struct member {
    const char *name;
    enum use use;
};

struct records {
    struct knobs *k;
    struct member members[MEMBERS_MAX];
    size_t n_members;
    const char *words[WORDS_MAX]; /* names that members may hold */
    size_t n_words;
    uint64_t random;
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
static const char digits[] = "abcdefghijklmnopqrstuvwxyz_0123456789";

/* ---- members ------------------------------------------------------------- */

static bool stands_before(const char *source, const char *at, const char *what)
{
    size_t len = strlen(what);

    return (size_t)(at - source) >= len && strncmp(at - len, what, len) == 0;
}

/* item: where the item begins whose member ends at `end`. */
static enum use use_of(const char *source, const char *item, const char *end)
{
    if (*end == '[' || stands_before(source, item, "sum(") ||
        stands_before(source, item, "gcd(") ||
        strncmp(end, ".exists(", 8) == 0 || strncmp(end, ".all(", 5) == 0)
        return USE_LIST;
    if (stands_before(source, item, "split("))
        return USE_TEXT;
    if (stands_before(source, item, "[") || strncmp(end, " == \"", 5) == 0 ||
        strncmp(end, " != \"", 5) == 0)
        return USE_WORD;
    return USE_NUMBER;
}

static void add_member(struct records *r, const char *name, size_t len,
                       enum use use)
{
    char *copy;

    for (size_t i = 0; i < r->n_members; i++)
        if (strlen(r->members[i].name) == len &&
            strncmp(r->members[i].name, name, len) == 0) {
            if (r->members[i].use == USE_NUMBER)
                r->members[i].use = use;
            return;
        }
    copy = arena_strndup(r->k->arena, name, len);
    if (copy != NULL && r->n_members < MEMBERS_MAX)
        r->members[r->n_members++] = (struct member){ copy, use };
}

/* ITEM.MEMBER, where ITEM is no name of the runtime. */
static void read_members(struct records *r, const struct expression *expr)
{
    const char *source = expr != NULL ? expression_source(expr) : "";

    for (const char *at = source; *at != '\0';) {
        size_t len = strspn(at, digits), more;
        char item[65];

        if (len == 0 || strchr(letters, *at) == NULL) {
            at += len > 0 ? len : 1;
            continue;
        }
        more = at[len] == '.' ? strspn(at + len + 1, digits) : 0;
        if (more > 0 && len < sizeof(item) && at[len + 1 + more] != '(') {
            memcpy(item, at, len);
            item[len] = '\0';
            if (runtime_symbol(r->k->rt, item) == NULL &&
                strcmp(item, "given") != 0)
                add_member(r, at + len + 1, more,
                           use_of(source, at, at + len + 1 + more));
        }
        at += len + (more > 0 ? 1 + more : 0);
    }
}

static void add_word(struct records *r, const char *word)
{
    if (word != NULL && r->n_words < WORDS_MAX)
        r->words[r->n_words++] = word;
}

static void read_runtime(struct records *r)
{
    const struct runtime *rt = r->k->rt;

    for (size_t i = 0; i < rt->n_rules; i++) {
        read_members(r, rt->rules[i].when);
        read_members(r, rt->rules[i].refuse);
    }
    for (size_t i = 0; i < rt->n_derived; i++)
        for (size_t a = 0; a < rt->derived[i].n_alternatives; a++)
            read_members(r, rt->derived[i].alternatives[a].value);
    for (size_t a = 0; a < rt->n_axes; a++)
        add_word(r, rt->axes[a].name);
    for (size_t i = 0; i < rt->n_tables; i++)
        for (const struct tree *t = tree_first(rt->tables[i]); t != NULL;
             t = t->next)
            add_word(r, t->key);
}

/* ---- lists --------------------------------------------------------------- */

static size_t below(struct records *r, size_t n)
{
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(r->random >> 33) % n;
}

static void make_member(struct records *r, const struct member *member,
                        struct tree_maker *maker, struct tree *map)
{
    static const char *const texts[] = { "a", "a.*", "a.*.b.*" };
    struct tree *list;

    switch (member->use) {
    case USE_NUMBER:
        make_int(maker, map, member->name, 1 + (int64_t)below(r, 4));
        break;
    case USE_TEXT:
        make_string(maker, map, member->name,
                    texts[below(r, ARRAY_LEN(texts))]);
        break;
    case USE_WORD:
        make_string(maker, map, member->name, r->words[below(r, r->n_words)]);
        break;
    case USE_LIST:
        list = make_list(maker, map, member->name);
        for (int i = 0; i < 2; i++)
            make_int(maker, list, NULL, (int64_t)1 << below(r, 3));
        break;
    }
}

void knob_add_records(struct knobs *k, struct knob *knob)
{
    struct records r = { .k = k, .random = 1 };
    struct tree_maker maker = { .arena = k->arena };

    read_runtime(&r);
    if (r.n_members == 0 || r.n_words == 0)
        return;
    for (int i = 0; i < LISTS && knob->n < KNOB_VALUES_MAX; i++) {
        struct tree *list = make_list(&maker, NULL, NULL);
        size_t n = 1 + below(&r, RECORDS_MAX);

        for (size_t m = 0; m < n; m++) {
            struct tree *map = make_map(&maker, list, NULL);

            for (size_t j = 0; j < r.n_members; j++)
                if (below(&r, 100) < PERCENT_MEMBER)
                    make_member(&r, &r.members[j], &maker, map);
        }
        if (!maker.failed)
            knob->values[knob->n++] = list;
    }
}
