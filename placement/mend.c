/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies one after the other: where a request has several faults, or the
 * remedy of one brings up another, no remedy alone makes it pass. */
#include <string.h>

#include "placement/remedy.h"
#include "placement/search.h"

enum {
    DEPTH_MAX = 4, /* remedies in a row */
    /* Whole checks, with all findings; and the work of them, as a search's. */
    CHECKS_MAX = 48,
    WORK_MAX = 1 << 20,
    BYTES_MAX = 256 << 20,
};

/* The remedies taken so far, and the request that they make. */
struct mending {
    struct search *s;
    struct arena *arena;
    const struct mending *before; /* NULL: none is taken yet */
    struct check *check;          /* of the request that they make */
    struct edit edits[ALTERNATIVE_EDITS_MAX];
    size_t n_edits;
    const char *say; /* of the last one */
    int depth;
    size_t *checks, *work; /* of all together */
};

/* Whether two edits change the same thing. */
static bool same_thing(const struct edit *a, const struct edit *b)
{
    bool of_group =
        a->kind == EDIT_SIZE || a->kind == EDIT_RANKS || a->kind == EDIT_WALKS;
    bool of_index = a->kind == EDIT_SIZE || a->kind == EDIT_OPTION;

    return a->kind == b->kind && (!of_group || a->group == b->group) &&
           (!of_index || a->index == b->index);
}

/* Adds edits to those taken. false: one of them changes what is changed
 * already, so that a row of remedies could go in a circle; or they are too
 * many. */
static bool take_edits(struct mending *m, const struct edit *edits, size_t n)
{
    if (m->n_edits + n > ALTERNATIVE_EDITS_MAX)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m->n_edits; k++)
            if (same_thing(&edits[i], &m->edits[k]))
                return false;
    memcpy(m->edits + m->n_edits, edits, n * sizeof(*edits));
    m->n_edits += n;
    return true;
}

/* What the remedies taken say, the first one first. */
static void put_says(const struct mending *m, struct text *out)
{
    if (m->before == NULL)
        return;
    put_says(m->before, out);
    text_printf(out, "%s%s", out->len > 0 ? "; " : "", m->say);
}

/* Edits that outlive the checks they come from. */
static bool keep_edits(struct mending *m)
{
    struct arena *arena = m->s->check->arena;
    struct tree_maker maker = { .arena = arena };
    struct tree *list = make_list(&maker, NULL, NULL);

    for (size_t i = 0; i < m->n_edits && !maker.failed; i++) {
        struct edit *edit = &m->edits[i];
        int64_t *ranks;

        if (edit->kind == EDIT_OPTION) {
            make_copy(&maker, list, NULL, edit->tree);
            edit->tree = list->u.children.last;
        } else if (edit->kind == EDIT_RANKS) {
            ranks = arena_array(arena, edit->n_ranks + 1, sizeof(*ranks));
            if (ranks == NULL)
                return false;
            memcpy(ranks, edit->ranks, edit->n_ranks * sizeof(*ranks));
            edit->ranks = ranks;
        }
    }
    return !maker.failed;
}

static void accept(struct mending *m)
{
    struct text say = { 0 };

    if (!keep_edits(m)) {
        m->s->failed = true;
        return;
    }
    put_says(m, &say);
    search_accept(m->s, m->edits, m->n_edits, text_string(&say));
    text_close(&say);
}

static bool is_over(const struct mending *m)
{
    return m->s->failed || m->s->ret->n == ALTERNATIVES_MAX ||
           *m->checks == CHECKS_MAX || *m->work > WORK_MAX;
}

static struct check *check_edited(const struct mending *m)
{
    struct question question = m->s->check->question;

    question.deployment =
        deployment_edit(m->arena, m->s->check->dep, m->edits, m->n_edits);
    return question.deployment != NULL ? check_run(&question, m->arena, 0, NULL)
                                       : NULL;
}

static void try_next(void *arg, const struct edit *edits, size_t n,
                     const char *say);

/* Goes on with the remedies of what counts most. */
static void go_on(struct mending *m)
{
    if (m->check->refused.n > 0 && m->depth < DEPTH_MAX)
        remedies_of(m->check, &m->check->refused.items[0], try_next, m);
}

static void try_next(void *arg, const struct edit *edits, size_t n,
                     const char *say)
{
    const struct mending *before = arg;
    struct mending next = *before;
    struct text described = { 0 };

    if (is_over(before) || !take_edits(&next, edits, n))
        return;
    if (say[0] == '\0') {
        search_describe(before->check, edits, n, &described);
        say = text_string(&described);
    }
    next.before = before;
    next.say = say;
    next.depth++;
    ++*next.checks;
    next.s->ret->tried++;
    next.check = check_edited(&next);
    if (next.check != NULL) {
        *next.work += search_work(next.check);
        if (check_accepts(next.check))
            accept(&next);
        else
            go_on(&next);
    }
    text_close(&described);
}

void search_mend(struct search *s)
{
    size_t checks = 0, work = 0;
    struct mending none = { .s = s,
                            .arena = arena_new(BYTES_MAX),
                            .check = s->check,
                            .say = "",
                            .checks = &checks,
                            .work = &work };

    if (none.arena == NULL) {
        s->failed = true;
        return;
    }
    go_on(&none);
    s->ret->cut |= checks == CHECKS_MAX || work > WORK_MAX;
    arena_free(none.arena);
}
