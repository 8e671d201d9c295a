/* SPDX-License-Identifier: Apache-2.0 */
/* Requests out of a framework's own file and flags. */
#include "proto/import.h"

#include <inttypes.h>
#include <string.h>

#include "proto/import_read.h"

/* ---- the file ------------------------------------------------------------ */

static bool is_inside(const struct import_rules *rules, const char *key)
{
    for (size_t i = 0; i < rules->n_inside; i++)
        if (strcmp(rules->inside[i], key) == 0)
            return true;
    return false;
}

/* Reads what a map says under names that begin with prefix, "" or "a.b.". */
static int read_map(struct importing *im, const struct tree *map,
                    const char *prefix, bool top)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        const char *key = t->key + strspn(t->key, "-");
        const char *name = arena_printf(im->maker->arena, "%s%s", prefix, key);
        const struct import_key *known;
        int rc = 0;

        if (name == NULL)
            return error_exhausted(im->err);
        if (import_count(im) < 0)
            return -1;
        known = import_find(im->rules, name);
        if (top && t->type == TREE_MAP && is_inside(im->rules, t->key))
            rc = read_map(im, t, "", false);
        else if (known != NULL)
            rc = import_take(im, known, name, t);
        else if (t->type == TREE_MAP && !import_is_ignored(im->rules, name))
            rc = read_map(im, t, arena_printf(im->maker->arena, "%s.", name),
                          false);
        else if (t->type != TREE_NULL)
            import_unknown(im, name, name);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int read_file(struct importing *im, const struct tree *file)
{
    if (file == NULL)
        return 0;
    if (file->type != TREE_MAP)
        return tree_error(file, im->err, STATUS_INVALID,
                          "expected a map of settings, found %s",
                          tree_type_name(file->type));
    return read_map(im, file, "", true);
}

/* ---- what was taken ------------------------------------------------------ */

static const struct taken *taken_next(const struct importing *im,
                                      enum import_kind kind, size_t *at)
{
    while (*at < im->n_taken) {
        const struct taken *taken = &im->taken[(*at)++];

        if (taken->target->kind == kind && taken->value != NULL)
            return taken;
    }
    return NULL;
}

static const struct taken *taken_first(const struct importing *im,
                                       enum import_kind kind)
{
    size_t at = 0;

    return taken_next(im, kind, &at);
}

static const struct taken *taken_fact(const struct importing *im,
                                      const char *name)
{
    const struct taken *taken;
    size_t at = 0;

    while ((taken = taken_next(im, IMPORT_FACT, &at)) != NULL)
        if (strcmp(taken->target->name, name) == 0)
            return taken;
    return NULL;
}

/* The number of ranks; 0: nothing says it, or it is beyond 64 bits. */
static int64_t world_of(const struct importing *im,
                        const struct import_source *source)
{
    const struct taken *taken = taken_first(im, IMPORT_WORLD);
    int64_t world = 1;
    size_t at = 0, n = 0;

    if (source->world > 0)
        return source->world;
    if (taken != NULL)
        return taken->value->u.integer;
    while ((taken = taken_next(im, IMPORT_WORLD_PART, &at)) != NULL)
        if (n++, __builtin_mul_overflow(world, taken->value->u.integer, &world))
            return 0;
    return n > 0 ? world : 0;
}

static int need_world(struct importing *im, const struct import_source *source,
                      int64_t *ret)
{
    struct text keys = { 0 };

    *ret = world_of(im, source);
    if (*ret != 0)
        return 0;
    for (size_t i = 0; i < im->rules->n_keys; i++)
        for (size_t k = 0; k < im->rules->keys[i].n_targets; k++)
            if (im->rules->keys[i].targets[k].kind == IMPORT_WORLD_PART)
                text_printf(&keys, "%s--%s", keys.len > 0 ? " or " : "",
                            im->rules->keys[i].name);
    error_set(im->err, STATUS_INVALID,
              "%s: the number of ranks is missing; give --world N%s%.200s",
              source->name, keys.len > 0 ? " before the --, or behind it " : "",
              text_string(&keys));
    text_close(&keys);
    return -1;
}

/* ---- the model ----------------------------------------------------------- */

/* The declared model that the source names, if it is one. A name like
 * owner/model is also known by its last part. */
static int find_model(struct importing *im, struct catalog *catalog,
                      const struct import_source *source,
                      const struct model **ret)
{
    const struct taken *taken = taken_first(im, IMPORT_MODEL);
    const char *slash;
    struct error why;

    *ret = NULL;
    if (source->model != NULL) {
        *ret = catalog_model(catalog, source->model, im->err);
        return *ret != NULL ? 0 : -1;
    }
    if (taken == NULL)
        return 0;
    *ret = catalog_model(catalog, taken->value->text, &why);
    slash = strrchr(taken->value->text, '/');
    if (*ret == NULL && slash != NULL && slash[1] != '\0')
        *ret = catalog_model(catalog, slash + 1, &why);
    if (*ret == NULL)
        import_not_read(im->maker, im->not_read, taken->key,
                        IMPORT_UNREAD_MODEL,
                        arena_printf(im->maker->arena,
                                     "no model is declared as %s; name one "
                                     "with --model",
                                     taken->value->text),
                        NULL);
    return 0;
}

static bool same_value(const struct tree *a, const struct tree *b)
{
    if (a->type != b->type || tree_count(a) != tree_count(b))
        return false;
    if (a->type == TREE_INT)
        return a->u.integer == b->u.integer;
    if (a->type == TREE_BOOL)
        return a->u.boolean == b->u.boolean;
    if (a->type == TREE_DOUBLE)
        return a->u.number == b->u.number;
    a = tree_first(a);
    for (b = tree_first(b); b != NULL; a = a->next, b = b->next)
        if (!same_value(a, b))
            return false;
    return true;
}

/* Whether the framework says facts that the model does not. */
static bool says_facts(const struct importing *im, const struct model *model)
{
    const struct tree *facts = model != NULL ? model->facts : NULL;
    const struct taken *taken;
    size_t at = 0;

    while ((taken = taken_next(im, IMPORT_FACT, &at)) != NULL) {
        const struct tree *own = tree_get(facts, taken->target->name);

        if (own == NULL || !same_value(own, taken->value))
            return true;
    }
    return false;
}

/* Facts that another one stands for. */
static void make_same(const struct importing *im, struct tree *facts,
                      struct tree *read)
{
    for (size_t i = 0; i < im->rules->n_same; i++) {
        const struct import_same *same = &im->rules->same[i];
        const struct taken *taken = taken_fact(im, same->as);
        struct tree *one;

        if (taken == NULL || tree_get(facts, same->fact) != NULL)
            continue;
        make_copy(im->maker, facts, same->fact, taken->value);
        one = make_map(im->maker, read, NULL);
        make_string(im->maker, one, "key", taken->key);
        make_string(im->maker, one, "as", same->fact);
    }
}

static void make_facts(const struct importing *im, const struct tree *base,
                       struct tree *model, struct tree *read)
{
    struct tree *facts = make_map(im->maker, model, "facts");
    const struct taken *taken;
    size_t at = 0;

    for (const struct tree *t = tree_first(base); t != NULL; t = t->next)
        if (taken_fact(im, t->key) == NULL)
            make_copy(im->maker, facts, t->key, t);
    while ((taken = taken_next(im, IMPORT_FACT, &at)) != NULL)
        make_copy(im->maker, facts, taken->target->name, taken->value);
    make_same(im, facts, read);
}

/* A model of the request's name: the one it names, with the facts of the
 * framework in place of its own. */
static struct tree *make_model(const struct importing *im, const char *name,
                               const struct model *base, struct tree *read)
{
    struct tree *model = make_map(im->maker, NULL, NULL);
    const struct tree *t = base != NULL ? tree_first(base->document) : NULL;

    make_string(im->maker, model, "model", name);
    for (; t != NULL; t = t->next)
        if (strcmp(t->key, "model") != 0 && strcmp(t->key, "facts") != 0)
            make_copy(im->maker, model, t->key, t);
    make_facts(im, base != NULL ? base->facts : NULL, model, read);
    return model;
}

/* ---- the request --------------------------------------------------------- */

static void make_taken(const struct importing *im, enum import_kind kind,
                       struct tree *map, struct tree *read)
{
    const struct taken *taken;
    size_t at = 0;

    while ((taken = taken_next(im, kind, &at)) != NULL) {
        struct tree *one = make_map(im->maker, read, NULL);

        if (map != NULL)
            make_copy(im->maker, map, taken->target->name, taken->value);
        make_string(im->maker, one, "key", taken->key);
        make_string(im->maker, one, "as", taken->target->name);
    }
}

static struct tree *make_if_taken(const struct importing *im,
                                  enum import_kind kind, struct tree *map,
                                  const char *key, struct tree *read)
{
    struct tree *inner = NULL;

    if (taken_first(im, kind) != NULL)
        inner = make_map(im->maker, map, key);
    make_taken(im, kind, inner, read);
    return inner;
}

static int make_request(struct importing *im, struct catalog *catalog,
                        const struct import_source *source,
                        struct import_result *ret)
{
    struct tree *map = make_map(im->maker, NULL, NULL);
    const struct model *model;
    int64_t world;

    if (need_world(im, source, &world) < 0 ||
        find_model(im, catalog, source, &model) < 0)
        return -1;
    make_string(im->maker, map, "deployment", source->name);
    make_string(im->maker, map, "runtime", im->rt->name);
    if (says_facts(im, model)) {
        ret->model = make_model(im, source->name, model, ret->read);
        make_string(im->maker, map, "model", source->name);
    } else if (model != NULL) {
        make_string(im->maker, map, "model", model->name);
    }
    make_int(im->maker, map, "world", world);
    make_if_taken(im, IMPORT_AXIS, map, "sizes", ret->read);
    make_if_taken(im, IMPORT_OPTION, map, "options", ret->read);
    make_taken(im, IMPORT_CARRY, map, ret->read);
    make_taken(im, IMPORT_FACT, NULL, ret->read);
    if (source->model == NULL && model != NULL)
        make_taken(im, IMPORT_MODEL, NULL, ret->read);
    make_taken(im, IMPORT_WORLD, NULL, ret->read);
    make_taken(im, IMPORT_WORLD_PART, NULL, ret->read);
    ret->deployment = map;
    return 0;
}

/* A file of a runtime with node groups: the request as it stands. */
static int take_request(const struct runtime *rt,
                        const struct import_source *source,
                        struct tree_maker *maker, struct import_result *ret,
                        struct error *err)
{
    struct tree *map;

    if (source->n_words > 0 || source->world > 0)
        return error_set(err, STATUS_INVALID,
                         "%s takes sizes and ranks from its file alone, so "
                         "there are no flags and no --world",
                         rt->name);
    if (source->file->type != TREE_MAP)
        return tree_error(source->file, err, STATUS_INVALID, "expected a map");
    map = make_map(maker, NULL, NULL);
    for (const struct tree *t = tree_first(source->file); t != NULL;
         t = t->next)
        if (strcmp(t->key, "runtime") != 0 &&
            (source->model == NULL || strcmp(t->key, "model") != 0))
            make_copy(maker, map, t->key, t);
    make_string(maker, map, "runtime", rt->name);
    if (source->model != NULL)
        make_string(maker, map, "model", source->model);
    ret->deployment = map;
    return 0;
}

static int read_source(struct importing *im, const struct import_source *source)
{
    size_t n = 0;

    for (size_t i = 0; i < im->rules->n_keys; i++)
        n += im->rules->keys[i].n_targets;
    im->taken = arena_array(im->maker->arena, n, sizeof(*im->taken));
    if (im->taken == NULL)
        return error_exhausted(im->err);
    if (read_file(im, source->file) < 0 ||
        import_check_known(im, source->name) < 0)
        return -1;
    return import_flags(im, source->words, source->n_words);
}

int import_request(struct catalog *catalog, const struct runtime *rt,
                   const struct import_source *source, struct tree_maker *maker,
                   struct import_result *ret, struct error *err)
{
    struct import_result result = { .read = make_list(maker, NULL, NULL),
                                    .not_read = make_list(maker, NULL, NULL) };
    struct importing im = { .rt = rt,
                            .rules = rt->import,
                            .maker = maker,
                            .not_read = result.not_read,
                            .err = err };

    if (rt->import == NULL && rt->spans)
        return error_set(err, STATUS_INVALID,
                         "the runtime %s does not say what files and flags "
                         "its framework has (its declaration has no import); "
                         "write the request as a deployment",
                         rt->name);
    if (rt->import == NULL) {
        if (take_request(rt, source, maker, &result, err) < 0)
            return -1;
    } else if (read_source(&im, source) < 0 ||
               make_request(&im, catalog, source, &result) < 0) {
        return -1;
    }
    if (maker->failed)
        return error_exhausted(err);
    *ret = result;
    return 0;
}
