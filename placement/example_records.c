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
    const char *words[WORDS_MAX]; /* that it is looked up or compared by; none:
                                     any */
    size_t n_words;
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

static struct member *add_member(struct records *r, const char *name,
                                 size_t len, enum use use)
{
    char *copy;

    for (size_t i = 0; i < r->n_members; i++)
        if (strlen(r->members[i].name) == len &&
            strncmp(r->members[i].name, name, len) == 0) {
            if (r->members[i].use == USE_NUMBER)
                r->members[i].use = use;
            return &r->members[i];
        }
    copy = arena_strndup(r->k->arena, name, len);
    if (copy == NULL || r->n_members == MEMBERS_MAX)
        return NULL;
    r->members[r->n_members] = (struct member){ .name = copy, .use = use };
    return &r->members[r->n_members++];
}

static void add_word(const char **words, size_t *n, const char *word)
{
    for (size_t i = 0; i < *n; i++)
        if (word != NULL && strcmp(words[i], word) == 0)
            return;
    if (word != NULL && *n < WORDS_MAX)
        words[(*n)++] = word;
}

static void add_keys(const char **words, size_t *n, const struct tree *table)
{
    for (const struct tree *t = tree_first(table); t != NULL; t = t->next)
        add_word(words, n, t->key);
}

/* What the member may say, by where it stands: TABLE[ITEM.MEMBER], or
 * ITEM.MEMBER == "word". */
static void add_words(struct records *r, struct member *member,
                      const char *source, const char *item, const char *end)
{
    const struct runtime *rt = r->k->rt;
    const char *table = item > source && item[-1] == '[' ? item - 1 : item;
    size_t len;

    while (table > source && strchr(digits, table[-1]) != NULL)
        table--;
    len = item > source ? (size_t)(item - 1 - table) : 0;
    for (size_t i = 0; table < item && i < rt->n_tables; i++)
        if (strlen(rt->tables[i]->key) == len &&
            strncmp(rt->tables[i]->key, table, len) == 0)
            add_keys(member->words, &member->n_words, rt->tables[i]);
    if (strncmp(end, " == \"", 5) != 0 && strncmp(end, " != \"", 5) != 0)
        return;
    add_word(member->words, &member->n_words,
             arena_strndup(r->k->arena, end + 5, strcspn(end + 5, "\"")));
    add_word(member->words, &member->n_words, "other");
}

static void take_member(struct records *r, const char *source, const char *item,
                        const char *name, size_t len)
{
    struct member *member =
        add_member(r, name, len, use_of(source, item, name + len));

    if (member != NULL)
        add_words(r, member, source, item, name + len);
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
                take_member(r, source, at, at + len + 1, more);
        }
        at += len + (more > 0 ? 1 + more : 0);
    }
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
        add_word(r->words, &r->n_words, rt->axes[a].name);
    for (size_t i = 0; i < rt->n_tables; i++)
        add_keys(r->words, &r->n_words, rt->tables[i]);
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
        make_string(maker, map, member->name,
                    member->n_words > 0
                        ? member->words[below(r, member->n_words)]
                        : r->words[below(r, r->n_words)]);
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

/* A copy of a map but for the member of this number; -1: of all. */
static void copy_members(struct tree_maker *maker, struct tree *list,
                         const struct tree *map, long without)
{
    struct tree *copy = make_map(maker, list, NULL);

    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (without-- != 0)
            make_copy(maker, copy, t->key, t);
}

const struct tree *knob_without(struct knobs *k, const struct tree *list,
                                size_t index)
{
    struct tree_maker maker = { .arena = k->arena };
    size_t n = list != NULL && list->type == TREE_LIST ? tree_count(list) : 0;
    struct tree *less;
    size_t i = 0, before = n;

    if (n == 0 || tree_first(list)->type != TREE_MAP)
        return NULL;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        before += tree_count(t);
    if (index >= before)
        return NULL;
    less = make_list(&maker, NULL, NULL);
    before = n;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next, i++) {
        if (i != index)
            copy_members(&maker, less, t,
                         index >= before ? (long)(index - before) : -1);
        before += tree_count(t);
    }
    return maker.failed ? NULL : less;
}
