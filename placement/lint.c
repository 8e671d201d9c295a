/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes in a runtime that loads: rules that never fire, names nobody reads.
 */
#include "placement/lint.h"

#include <ctype.h>
#include <string.h>

#include "placement/lint_grid.h"

struct linter {
    const struct runtime *rt;
    struct arena *arena;
    struct lint *ret;
    bool exhausted;
};

static const struct {
    const char *code;
    bool note;
} kinds[] = {
#define X(id, code, note) [LINT_##id] = { code, note },
    LINT_LIST(X)
#undef X
};

/* Adds a report; the say of each is a sentence of its own. */
static void report(struct linter *l, enum lint_kind kind, const char *subject,
                   const struct tree *at, const char *say)
{
    if (say == NULL) {
        l->exhausted = true;
        return;
    }
    if (l->ret->n_reports == LINT_REPORTS_MAX)
        return;
    l->ret->reports[l->ret->n_reports++] = (struct lint_report){
        .code = kinds[kind].code,
        .note = kinds[kind].note,
        .subject = subject,
        .say = say,
        .at = at,
    };
}

static void report_rule(struct linter *l, enum lint_kind kind,
                        const struct rule *rule, const char *say)
{
    size_t n = l->ret->n_reports;

    report(l, kind, rule->code, rule->at, say);
    if (l->ret->n_reports > n && rule->layer != NULL)
        l->ret->reports[n].layer = rule->layer->name;
}

/* ---- names that nobody reads --------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether text holds name as a word. */
static bool text_mentions(const char *text, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = strstr(text, name); at != NULL;
         at = strstr(at + 1, name))
        if ((at == text || !is_word(at[-1])) && !is_word(at[len]))
            return true;
    return false;
}

/* Whether a value is prose, or a word that is no name. */
static bool is_prose(const struct tree *tree)
{
    static const char *const keys[] = { "because", "say",    "about", "code",
                                        "version", "name",   "field", "type",
                                        "request", "runtime" };

    if (tree->key == NULL)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (strcmp(keys[i], tree->key) == 0)
            return true;
    if (strcmp(tree->key, "layer") == 0) /* of a group of rules */
        return tree_get(tree->parent, "rules") != NULL;
    return strcmp(tree->key, "layers") == 0 && tree->parent->parent == NULL;
}

/* Whether a value of the document below tree, not a key, holds the name as a
 * word: as a name, or as a member of something. What carried keys warn of is
 * prose, what rules warn of an expression. */
static bool tree_mentions(const struct tree *tree, const char *name,
                          bool carried)
{
    if (tree->type == TREE_STRING)
        return text_mentions(tree->text, name);
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next) {
        bool here = carried || (t->key != NULL && strcmp(t->key, "carry") == 0);

        if (here && t->key != NULL && strcmp(t->key, "warn") == 0)
            continue;
        if (!is_prose(t) && tree_mentions(t, name, here))
            return true;
    }
    return false;
}

static void check_names(struct linter *l, const char *section,
                        enum lint_kind kind, const char *what)
{
    const struct tree *document = l->rt->document;
    const struct tree *map = tree_get(document, section);

    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (!tree_mentions(document, t->key, false))
            report(l, kind, t->key, t,
                   arena_printf(l->arena, "no expression reads the %s %s", what,
                                t->key));
}

/* ---- axes that no view uses ---------------------------------------------- */

/* Where an axis is declared. */
static const struct tree *axis_at(const struct runtime *rt, size_t axis)
{
    const struct tree *t = tree_first(tree_get(rt->document, "axes"));

    while (t != NULL && axis-- > 0)
        t = t->next;
    return t;
}

static void check_axes(struct linter *l)
{
    const struct runtime *rt = l->rt;
    struct slot_set *read = slot_set_new(rt, l->arena);

    if (read == NULL) {
        l->exhausted = true;
        return;
    }
    for (size_t v = 0; v < rt->n_views; v++)
        for (size_t f = 0; f < rt->views[v].n_forms; f++) {
            const struct view_form *form = &rt->views[v].forms[f];

            for (size_t p = 0; p < form->n_parts; p++)
                if (form->parts[p].axis >= 0)
                    slot_set_add(read, rt->axes[form->parts[p].axis].slot);
                else
                    slot_set_read(read, form->parts[p].size);
        }
    for (size_t a = 0; a < rt->n_axes; a++)
        if (!slot_set_has(read, rt->axes[a].slot))
            report(l, LINT_AXIS_UNUSED, rt->axes[a].name, axis_at(rt, a),
                   arena_printf(l->arena,
                                "no view has the axis %s or a size made of it, "
                                "so it moves no rank",
                                rt->axes[a].name));
}

/* ---- axes against their links ---------------------------------------------
 */

/* The innermost axis further in than part p of a form that wants a looser link
 * than it; NULL: none does. */
static const struct axis *looser_inside(const struct runtime *rt,
                                        const struct view_form *form, size_t p)
{
    for (size_t i = form->n_parts; i-- > p + 1;) {
        int inner = form->parts[i].axis;

        if (inner >= 0 && rt->links[inner] > rt->links[form->parts[p].axis])
            return &rt->axes[inner];
    }
    return NULL;
}

/* What turns fastest stands closest: an axis that wants a tight link has to be
 * further in than one that does with a looser one, or its groups are spread as
 * wide as the inner one is large. */
static void check_form(struct linter *l, const struct view_rule *view,
                       const struct view_form *form)
{
    const struct runtime *rt = l->rt;

    if (form->order != NULL)
        return; /* requests choose it */
    for (size_t p = 0; p < form->n_parts; p++) {
        int outer = form->parts[p].axis;
        const struct axis *inner =
            outer >= 0 ? looser_inside(rt, form, p) : NULL;

        if (inner != NULL)
            report(
                l, LINT_AXIS_OUTSIDE, rt->axes[outer].name,
                tree_get(tree_get(rt->document, "views"), view->name),
                arena_printf(l->arena,
                             "in the view %s the axis %s wants %s and stands "
                             "outside %s, which does with %s: its groups "
                             "are spread over the other's",
                             view->name, rt->axes[outer].name,
                             link_name(rt->links[outer]), inner->name,
                             link_name(rt->links[inner - rt->axes])));
    }
}

static void check_links(struct linter *l)
{
    for (size_t v = 0; v < l->rt->n_views; v++)
        for (size_t f = 0; f < l->rt->views[v].n_forms; f++)
            check_form(l, &l->rt->views[v], &l->rt->views[v].forms[f]);
}

/* ---- rules --------------------------------------------------------------- */

/* Codes of the rules that come first whenever rule k is true. */
static const char *shadows(struct linter *l, const struct trial *trial)
{
    struct text names = { 0 };
    const char *copy;

    for (size_t i = 0; i < l->rt->n_rules; i++) {
        const struct rule *rule = &l->rt->rules[i];

        if (!trial_always_after(trial, i))
            continue;
        if (names.len > 0)
            text_put(&names, " and ");
        if (rule->structure >= 0)
            text_printf(&names, "the check %s",
                        structure_name(rule->structure));
        else
            text_printf(&names, "%s (line %u)", rule->code, rule->at->line);
    }
    if (names.len == 0)
        text_put(&names, "others, not always the same,");
    copy = arena_strdup(l->arena, text_string(&names));
    text_close(&names);
    return copy;
}

static void check_rule(struct linter *l, const struct rule *rule,
                       const struct trial *trial)
{
    const char *before;

    if (trial->first || (trial->fired && rule->warns))
        return;
    if (!trial->fired) {
        report_rule(
            l, LINT_NEVER_FIRES, rule,
            arena_printf(l->arena,
                         "this rule never came out true in %zu requests "
                         "with sizes up to %d and worlds up to %d",
                         l->ret->n_samples, LINT_SIZE_LARGEST,
                         LINT_WORLD_LARGEST));
        return;
    }
    before = shadows(l, trial);
    report_rule(
        l, LINT_SHADOWED, rule,
        before == NULL
            ? NULL
            : arena_printf(l->arena,
                           "whenever this rule is true, %s came first, so "
                           "it never gives the verdict's code",
                           before));
}

static int check_rules(struct linter *l, struct error *err)
{
    struct trial *trials;

    if (grid_try(l->rt, l->arena, &trials, &l->ret->n_samples, err) < 0)
        return -1;
    for (size_t i = 0; i < l->rt->n_rules; i++) {
        const struct rule *rule = &l->rt->rules[i];

        if (rule->structure >= 0)
            continue;
        l->ret->n_rules++;
        if (!trials[i].judged)
            l->ret->n_not_judged++;
        else
            check_rule(l, rule, &trials[i]);
    }
    return 0;
}

/* ---- the whole ----------------------------------------------------------- */

int lint_run(const struct runtime *rt, struct arena *arena, struct lint *ret,
             struct error *err)
{
    struct lint found = { 0 };
    struct linter l = { .rt = rt, .arena = arena, .ret = &found };

    found.reports =
        arena_array(arena, LINT_REPORTS_MAX, sizeof(*found.reports));
    if (found.reports == NULL)
        return error_exhausted(err);
    if (check_rules(&l, err) < 0)
        return -1;
    check_axes(&l);
    check_links(&l);
    check_names(&l, "tables", LINT_TABLE_UNREAD, "table");
    check_names(&l, "facts", LINT_FACT_UNREAD, "fact");
    check_names(&l, "options", LINT_OPTION_UNREAD, "option");
    check_names(&l, "derive", LINT_DERIVED_UNREAD, "derived size");
    if (l.exhausted)
        return error_exhausted(err);
    *ret = found;
    return 0;
}
