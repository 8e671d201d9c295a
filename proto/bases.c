/* SPDX-License-Identifier: Apache-2.0 */
/* What examples for the rules of a runtime begin with. */
#include "proto/bases.h"

#include <string.h>

#include "placement/synthetic.h"

static int add_base(const struct runtime *rt, const struct model *model,
                    struct arena *arena, struct example_base *ret,
                    struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    const struct tree *none = make_map(&maker, NULL, NULL);
    struct tree *document, *ignored;
    int rc = model != NULL ? synthetic_placing(rt, model, 1, none, none, &maker,
                                               &document, err)
                           : synthetic_request(rt, 1, none, none, &maker,
                                               &document, &ignored, err);

    if (rc < 0)
        return -1;
    ret->model = model;
    ret->deployment = deployment_load(arena, rt, document, err);
    return ret->deployment != NULL ? 0 : -1;
}

int bases_make(struct catalog *catalog, const struct runtime *rt,
               struct arena *arena, struct example_base *bases, size_t *ret_n,
               struct error *err)
{
    size_t n_models, n = 0;
    const char *const *names = catalog_models(catalog, &n_models);

    if (names == NULL)
        return error_exhausted(err);
    if (rt->spans) {
        *ret_n = 1;
        return add_base(rt, NULL, arena, bases, err);
    }
    for (size_t i = 0; i < n_models && n < EXAMPLE_BASES_MAX; i++) {
        const struct model *model = catalog_model(catalog, names[i], err);

        if (model == NULL)
            return -1;
        if (model->runtime == NULL || strcmp(model->runtime, rt->name) != 0 ||
            model->n_nodes == 0)
            continue;
        if (add_base(rt, model, arena, &bases[n++], err) < 0)
            return -1;
    }
    *ret_n = n;
    return 0;
}
