/* SPDX-License-Identifier: Apache-2.0 */
/* A line of a batch, answered by a daemon. */
#include "client/batch_ask.h"

#include <string.h>

#include "placement/view.h"
#include "proto/answer.h"
#include "proto/document.h"

/* What a line asks of the daemon. */
struct asked {
    const struct tree *id, *deployment;
    const char **lists;
    size_t n_lists;
    bool per_rank, creation, has_rank;
    uint32_t rank;
    const char *up_to; /* NULL: all layers */
};

static bool take_lists(struct asked *asked, const struct tree *list,
                       struct arena *arena)
{
    asked->lists = arena_array(arena, tree_count(list) + 1, sizeof(char *));
    if (list->type != TREE_LIST || asked->lists == NULL)
        return false;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        if (t->type != TREE_STRING)
            return false;
        asked->lists[asked->n_lists++] = t->text;
    }
    return true;
}

static bool take_bool(const struct tree *value, bool *ret)
{
    *ret = value->type == TREE_BOOL && value->u.boolean;
    return value->type == TREE_BOOL;
}

static bool take_rank(struct asked *asked, const struct tree *value)
{
    if (value->type != TREE_INT || value->u.integer < 0 ||
        value->u.integer >= VIEW_SPAN_MAX)
        return false;
    asked->has_rank = true;
    asked->rank = (uint32_t)value->u.integer;
    return true;
}

static bool take_up_to(struct asked *asked, const struct tree *value)
{
    asked->up_to = value->type == TREE_STRING ? value->text : NULL;
    return value->type == TREE_STRING;
}

static bool take_key(struct asked *asked, const struct tree *value,
                     struct arena *arena)
{
    if (value->type == TREE_NULL)
        return true; /* as if it were not there */
    if (strcmp(value->key, "id") == 0)
        asked->id = value;
    else if (strcmp(value->key, "deployment") == 0)
        asked->deployment = value;
    else if (strcmp(value->key, "lists") == 0)
        return take_lists(asked, value, arena);
    else if (strcmp(value->key, "per_rank") == 0)
        return take_bool(value, &asked->per_rank);
    else if (strcmp(value->key, "creation") == 0)
        return take_bool(value, &asked->creation);
    else if (strcmp(value->key, "rank") == 0)
        return take_rank(asked, value);
    else if (strcmp(value->key, "up_to") == 0)
        return take_up_to(asked, value);
    else
        return false;
    return true;
}

/* Whether the daemon can answer the line: a deployment and what is asked for
 * beside it. All others, mistakes too, have their answer here. */
static bool is_for_daemon(const struct tree *line, struct arena *arena,
                          struct asked *ret)
{
    if (line->type != TREE_MAP)
        return false;
    for (const struct tree *t = tree_first(line); t != NULL; t = t->next)
        if (!take_key(ret, t, arena))
            return false;
    return ret->deployment != NULL && ret->deployment->type == TREE_MAP;
}

static int check(struct live *live, const struct asked *asked,
                 struct serry_verdict **ret, struct error *err)
{
    const struct serry_wanted wanted = {
        .lists = asked->lists,
        .n_lists = asked->n_lists,
        .per_rank = asked->per_rank,
        .creation = asked->creation,
        .rank = asked->has_rank ? &asked->rank : NULL,
        .up_to = asked->up_to,
    };
    struct serry_document document = { 0 };
    struct text text = { 0 };
    int rc;

    if (document_write_json(asked->deployment, false, &text) < 0) {
        text_close(&text);
        return error_exhausted(err);
    }
    document.text = text_string(&text);
    rc = serry_check(live->client, &document, &wanted, ret, &live->err);
    text_close(&text);
    return rc < 0 ? live_failed(live, err) : 0;
}

static void put_error(struct tree_maker *maker, struct tree *map,
                      const struct error *why, enum status *ret_status)
{
    map = make_map(maker, map, "error");
    make_string(maker, map, "status", status_name(why->status));
    make_string(maker, map, "message", why->text);
    *ret_status = why->status;
}

static int put_verdict(struct tree_maker *maker, struct tree *map,
                       const struct serry_verdict *verdict,
                       enum status *ret_status, struct error *err)
{
    const struct tree *tree;

    if (live_json(maker->arena, verdict->json, &tree, err) < 0)
        return -1;
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next)
        make_copy(maker, map, t->key, t);
    *ret_status = verdict->accepts ? STATUS_OK : STATUS_REFUSED;
    return 0;
}

/* *ret_here: the daemon cannot read it, and so it has its answer here. */
static int ask(struct live *live, const struct asked *asked,
               struct arena *arena, struct text *out, enum status *ret_status,
               bool *ret_here, struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct serry_verdict *verdict;
    struct error why;
    int rc;

    if (asked->id != NULL)
        make_copy(&maker, map, "id", asked->id);
    if (check(live, asked, &verdict, &why) == 0) {
        rc = put_verdict(&maker, map, verdict, ret_status, err);
        serry_free(verdict);
    } else if (why.status == STATUS_UNAVAILABLE ||
               why.status == STATUS_DEADLINE) {
        *err = why;
        return -1;
    } else if (why.status == STATUS_INVALID) {
        *ret_here = true;
        return 0;
    } else {
        put_error(&maker, map, &why, ret_status);
        rc = 0;
    }
    if (rc == 0 && (maker.failed || document_write_json(map, false, out) < 0))
        rc = error_exhausted(err);
    return rc;
}

int batch_ask(struct live *live, struct catalog *catalog, const char *line,
              size_t len, struct text *out, enum status *ret_status,
              struct error *err)
{
    struct arena *arena = arena_new(ANSWER_BYTES_MAX);
    struct asked asked = { 0 };
    struct error ignored;
    struct tree *tree;
    bool here = true;
    int rc = 0;

    if (arena == NULL)
        return error_exhausted(err);
    if (document_read_json(arena, NULL, line, len, &tree, &ignored) == 0 &&
        is_for_daemon(tree, arena, &asked)) {
        here = false;
        rc = ask(live, &asked, arena, out, ret_status, &here, err);
    }
    if (rc == 0 && here)
        rc = answer_line(catalog, line, len, out, ret_status, err);
    arena_free(arena);
    return rc;
}
