/* SPDX-License-Identifier: Apache-2.0 */
/* An answer as an SVG document. */
#include "client/drawn.h"

#include <inttypes.h>

#include "client/figure.h"
#include "client/pictures.h"
#include "client/verdict.h"

/* How many ranks a request has; each counts once. */
static size_t count_ranks(const struct check *check)
{
    size_t n = 0;

    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t i = 0; i < check->dep->groups[g].n_ranks; i++) {
            size_t rank = scope_rank(&check->scopes[g], i);

            if (rank >= n)
                n = rank + 1;
        }
    return n;
}

/* "video: 8 ranks under mstar, version 1" */
static void put_title(const struct check *check, const char *name,
                      struct text *out)
{
    const struct runtime *rt = check->rt;
    size_t n =
        check->dep->spans ? check->dep->groups[0].n_ranks : count_ranks(check);

    if (name != NULL)
        text_printf(out, "%s: ", name);
    text_printf(out, "%zu rank%s under %s", n, n == 1 ? "" : "s", rt->name);
    if (rt->version != NULL)
        text_printf(out, ", version %s", rt->version);
}

/* The sizes of a world above 1, by the names that the axes have in the picture;
 * of node groups the pictures tell their own. */
static void put_subtitle(const struct check *check, struct text *out)
{
    const char *joint = "";

    for (size_t a = 0; check->dep->spans && a < check->rt->n_axes; a++) {
        uint32_t size = scope_size(check, &check->scopes[0], (int)a);

        if (size < 2)
            continue;
        text_printf(out, "%s%s %" PRIu32, joint, check->rt->axes[a].name, size);
        joint = ", ";
    }
}

int drawn_answer(struct invocation *v, const char *name,
                 const struct answer *answer, const char *const *lists,
                 size_t n_lists, int *ret_exit, struct error *err)
{
    struct check *check = (struct check *)answer->check;
    struct text title = { 0 }, subtitle = { 0 };
    struct pictures pictures;
    int rc;

    if (!answer->accepts) {
        verdict_complain(answer, "refused, so there is nothing to draw");
        *ret_exit = EXIT_REFUSED;
        return 0;
    }
    if (pictures_make(check, lists, n_lists, v->arena, &pictures, err) < 0)
        return -1;
    put_title(check, name, &title);
    put_subtitle(check, &subtitle);
    rc = figure_write(&v->out.text, text_string(&title), text_string(&subtitle),
                      pictures.items, pictures.n, err);
    text_close(&title);
    text_close(&subtitle);
    return rc;
}
