/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of groups that want a link. */
#include "placement/links.h"

#include <string.h>

#include "placement/reader.h"
#include "placement/runtime.h"

/* ---- what a key says ---------------------------------------------------- */

static const struct rule *rule_of(const struct runtime *rt, const char *code)
{
    for (size_t i = 0; i < rt->n_rules; i++)
        if (rt->rules[i].code != NULL && !rt->rules[i].warns &&
            strcmp(rt->rules[i].code, code) == 0)
            return &rt->rules[i];
    return NULL;
}

int link_value_read(const struct tree *at, const struct runtime *rt,
                    enum link_level *ret_want, struct link_need *ret_need,
                    struct error *err)
{
    static const struct read_key keys[] = {
        { "want", READ_STRING, true },
        { "code", READ_STRING, true },
        { "say", READ_STRING, false },
    };
    const struct tree *code;
    struct link_need need = { 0 };

    if (read_type(at, READ_STRING | READ_MAP, err) < 0)
        return -1;
    if (at->type != TREE_MAP)
        return link_read(at, ret_want, err);
    if (read_keys(at, keys, ARRAY_LEN(keys), err) < 0 ||
        link_read(tree_get(at, "want"), &need.least, err) < 0)
        return -1;
    code = tree_get(at, "code");
    need.rule = rule_of(rt, code->text);
    if (need.rule == NULL)
        return tree_error(code, err, STATUS_INVALID,
                          "no rule of this runtime refuses with the code %s",
                          code->text);
    need.say = read_string(at, "say");
    *ret_want = need.least;
    *ret_need = need;
    return 0;
}

/* ---- lists -------------------------------------------------------------- */

static bool has_axis(const struct list_name *list, const char *axis)
{
    for (size_t i = 0; i < list->n_axes; i++)
        if (strcmp(list->axes[i], axis) == 0)
            return true;
    return false;
}

static bool has_axes_of(const struct list_name *list,
                        const struct list_name *other)
{
    for (size_t i = 0; i < other->n_axes; i++)
        if (!has_axis(list, other->axes[i]))
            return false;
    return true;
}

/* Whether two names stand for one list: the order of axes is all the same. */
static bool same_list(const struct list_name *a, const struct list_name *b)
{
    if (a->group >= 0 || b->group >= 0)
        return a->group == b->group && a->member == b->member;
    return a->view == b->view && has_axes_of(a, b) && has_axes_of(b, a);
}

static int make_room(struct link_wishes *wishes, struct arena *arena,
                     struct error *err)
{
    if (wishes->items == NULL)
        wishes->items = arena_array(arena, LINKS_MAX, sizeof(*wishes->items));
    return wishes->items != NULL ? 0 : error_exhausted(err);
}

/* What is no list of groups is most likely meant to be an axis. */
static int read_name(const struct runtime *rt, struct arena *arena,
                     const struct tree *at, struct list_name *ret,
                     struct error *err)
{
    struct error why;

    if (runtime_list_name(rt, arena, at->key, ret, &why) == 0)
        return 0;
    if (why.status == STATUS_EXHAUSTED)
        return error_exhausted(err);
    if (ret->group >= 0 || strpbrk(at->key, ".+") != NULL)
        return tree_error_key(at, err, STATUS_INVALID, "%s", why.text);
    return tree_error_key(at, err, STATUS_INVALID,
                          "%s has no axis and no list of groups \"%s\"",
                          rt->name, at->key);
}

int link_wishes_add(struct link_wishes *wishes, const struct runtime *rt,
                    struct arena *arena, const struct tree *at, bool request,
                    struct error *err)
{
    struct link_wish wish = { .list.group = -1 };
    size_t i = 0;

    if (read_name(rt, arena, at, &wish.list, err) < 0)
        return -1;
    if (request && at->type == TREE_NULL)
        return 0;
    if ((request ? link_read(at, &wish.want, err)
                 : link_value_read(at, rt, &wish.want, &wish.need, err)) < 0 ||
        make_room(wishes, arena, err) < 0)
        return -1;
    while (i < wishes->n && !same_list(&wishes->items[i].list, &wish.list))
        i++;
    if (i == LINKS_MAX)
        return tree_error_key(at, err, STATUS_INVALID,
                              "links names more than %d lists of groups",
                              LINKS_MAX);
    if (i == wishes->n)
        wishes->items[wishes->n++] = wish;
    wishes->items[i].want = wish.want;
    if (!request)
        wishes->items[i].need = wish.need;
    return 0;
}

int link_wishes_copy(const struct link_wishes *from, struct arena *arena,
                     struct link_wishes *ret, struct error *err)
{
    struct link_wishes copy = { 0 };

    if (from->n > 0) {
        if (make_room(&copy, arena, err) < 0)
            return -1;
        memcpy(copy.items, from->items, from->n * sizeof(*copy.items));
        copy.n = from->n;
    }
    *ret = copy;
    return 0;
}
