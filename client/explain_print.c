/* SPDX-License-Identifier: Apache-2.0 */
/* What a code means, for people. */
#include "client/explain.h"

#include <string.h>

#include "client/exemplar.h"

const char *explain_text(const struct tree *map, const char *key)
{
    const struct tree *child = tree_get(map, key);

    return child != NULL && child->text != NULL ? child->text : "";
}

static void print_field(struct output *out, const char *label, const char *text)
{
    if (text[0] != '\0')
        output_paragraph(out, 4, STYLE_DIM, label, STYLE_PLAIN, text);
}

/* "halo: ", where several runtimes are told apart. */
static void put_of(const char *of, struct text *out)
{
    if (of != NULL)
        text_printf(out, "%s: ", of);
}

/* of: the runtime, where there are several; NULL. */
static void print_remedy(struct output *out, const struct tree *remedy,
                         const char *of)
{
    const struct tree *set = tree_get(remedy, "set");
    const char *when = explain_text(remedy, "when"),
               *say = explain_text(remedy, "say");
    struct text text = { 0 };

    put_of(of, &text);
    for (const struct tree *t = tree_first(set); t != NULL; t = t->next)
        text_printf(&text, "%s%s = %s", t != tree_first(set) ? ", " : "",
                    t->key, t->text);
    if (when[0] != '\0')
        text_printf(&text, " where %s", when);
    if (say[0] != '\0')
        text_printf(&text, ": %s", say);
    output_paragraph(out, 4, STYLE_GOOD, "try      ", STYLE_PLAIN,
                     text_string(&text));
    text_close(&text);
}

static void print_remedies(struct output *out, const struct tree *map,
                           const char *of)
{
    for (const struct tree *t = tree_first(tree_get(map, "try")); t != NULL;
         t = t->next)
        print_remedy(out, t, of);
}

static void print_fix(struct output *out, const struct tree *map)
{
    if (explain_text(map, "fix")[0] != '\0')
        output_paragraph(out, 4, STYLE_GOOD, "try      ", STYLE_PLAIN,
                         explain_text(map, "fix"));
}

/* "cp, tp" */
static void put_list(const struct tree *list, struct text *out)
{
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        text_printf(out, "%s%s", t != tree_first(list) ? ", " : "",
                    t->text != NULL ? t->text : "a list");
}

/* "cp is context_parallel_size, tp is tensor_parallel_size" */
static void print_names(struct output *out, const struct tree *map,
                        const char *of)
{
    const struct tree *names = tree_get(map, "names");
    struct text text = { 0 };

    if (tree_count(names) > 0)
        put_of(of, &text);
    for (const struct tree *t = tree_first(names); t != NULL; t = t->next)
        text_printf(&text, "%s%s is %s", t != tree_first(names) ? ", " : "",
                    t->key, t->text);
    print_field(out, "named    ", text_string(&text));
    text_close(&text);
}

/* What a set of axes and a key have in place of an expression. */
static void print_condition(struct output *out, const struct tree *rule)
{
    const struct tree *together = tree_get(rule, "refused_together");
    const struct tree *exactly = tree_get(rule, "exactly");
    struct text text = { 0 };

    if (together != NULL) {
        put_list(together, &text);
        text_put(&text, exactly->u.boolean ? " above 1, and no other axis"
                                           : " above 1 together");
        print_field(out, "refuse   ", text_string(&text));
    }
    text_clear(&text);
    if (tree_get(rule, "key") != NULL) {
        text_printf(&text, "the key %s is given", explain_text(rule, "key"));
        print_field(out, "warn     ", text_string(&text));
    }
    text_close(&text);
}

static void print_rule(struct output *out, const char *code,
                       const struct tree *rule)
{
    struct text text = { 0 };

    output_put(out, STYLE_BOLD, code);
    output_printf(out, STYLE_PLAIN, "  a rule of %s",
                  explain_text(rule, "runtime"));
    if (explain_text(rule, "layer")[0] != '\0')
        output_printf(out, STYLE_PLAIN, ", layer %s",
                      explain_text(rule, "layer"));
    output_line(out);
    print_field(out, "because  ", explain_text(rule, "because"));
    print_field(out, "refuse   ", explain_text(rule, "refuse"));
    print_field(out, "warn     ", explain_text(rule, "warn"));
    print_condition(out, rule);
    print_field(out, "when     ", explain_text(rule, "when"));
    if (tree_get(rule, "for") != NULL)
        text_printf(&text, "%s as %s", explain_text(rule, "for"),
                    explain_text(rule, "as"));
    print_field(out, "for      ", text_string(&text));
    print_field(out, "allowed  ", explain_text(rule, "allowed"));
    print_remedies(out, rule, NULL);
    print_fix(out, rule);
    print_names(out, rule, NULL);
    exemplar_print(out, rule, NULL);
    text_close(&text);
}

/* "halo as size_below_one (layer config)" */
static void put_placed(const struct tree *placed, struct text *out)
{
    text_printf(out, "%s%s as %s", out->len > 0 ? ", " : "",
                explain_text(placed, "runtime"), explain_text(placed, "code"));
    if (explain_text(placed, "layer")[0] != '\0')
        text_printf(out, " (layer %s)", explain_text(placed, "layer"));
}

/* What runtimes call a fault; those that have no name of their own for it only
 * where its own is asked for. */
static void print_under(struct output *out, const char *code,
                        const struct tree *fault)
{
    const char *own = explain_text(fault, "default_code");
    struct text text = { 0 };
    bool others = false;

    for (const struct tree *t = tree_first(tree_get(fault, "runtimes"));
         t != NULL; t = t->next)
        if (strcmp(code, own) != 0 && strcmp(explain_text(t, "code"), own) == 0)
            others = true;
        else
            put_placed(t, &text);
    if (others)
        text_printf(&text, ", others as %s", own);
    print_field(out, "under    ", text_string(&text));
    text_close(&text);
}

/* What a check of options or of sets of axes takes: "halo: mode: a, b". */
static void print_taken(struct output *out, const struct tree *placed,
                        const char *of)
{
    const struct tree *sets = tree_get(placed, "allowed");
    struct text text = { 0 };

    put_of(of, &text);
    if (explain_text(placed, "option")[0] != '\0') {
        text_printf(&text, "%s: ", explain_text(placed, "option"));
        put_list(tree_get(placed, "one_of"), &text);
        print_field(out, "allowed  ", text_string(&text));
    }
    for (const struct tree *t = tree_first(sets); t != NULL; t = t->next) {
        text_put(&text, t != tree_first(sets) ? "; " : "");
        put_list(t, &text);
    }
    if (tree_count(sets) > 0)
        print_field(out, "allowed  ", text_string(&text));
    text_close(&text);
}

/* What one runtime says of its fault. */
static void print_placed(struct output *out, const struct tree *placed,
                         const char *of)
{
    print_taken(out, placed, of);
    print_remedies(out, placed, of);
    print_names(out, placed, of);
    exemplar_print(out, placed, of);
}

/* What the runtimes say whose fault has the code, or all where it is the
 * fault's own: what another one does about it is no advice for these. */
static void print_places(struct output *out, const char *code,
                         const struct tree *fault)
{
    const struct tree *runtimes = tree_get(fault, "runtimes");
    bool all = strcmp(code, explain_text(fault, "default_code")) == 0;

    for (const struct tree *t = tree_first(runtimes); t != NULL; t = t->next)
        if (all || strcmp(code, explain_text(t, "code")) == 0)
            print_placed(out, t,
                         tree_count(runtimes) > 1 ? explain_text(t, "runtime")
                                                  : NULL);
}

static void print_fault(struct output *out, const char *code,
                        const struct tree *fault)
{
    output_put(out, STYLE_BOLD, code);
    output_printf(out, STYLE_PLAIN, "  found by the check %s",
                  explain_text(fault, "check"));
    output_line(out);
    print_field(out, "about    ", explain_text(fault, "subject"));
    print_field(out, "refuse   ", explain_text(fault, "equation"));
    print_field(out,
                tree_get(fault, "warns")->u.boolean ? "warn     " : "because  ",
                explain_text(fault, "reason"));
    print_fix(out, fault);
    print_under(out, code, fault);
    print_places(out, code, fault);
}

static void print_answer(struct output *out, const char *code,
                         const struct tree *answer)
{
    output_put(out, STYLE_BOLD, code);
    output_printf(out, STYLE_PLAIN, "  an answer of the daemon, %s",
                  explain_text(answer, "when"));
    output_line(out);
    print_field(out, "because  ", explain_text(answer, "reason"));
    print_fix(out, answer);
}

/* Where what is listed stands in the document, and how it is printed. */
static const struct {
    const char *key;
    void (*print)(struct output *out, const char *code, const struct tree *one);
} sections[] = {
    { "rules", print_rule },
    { "checks", print_fault },
    { "answers", print_answer },
};

void explain_print(struct output *out, const struct tree *map)
{
    const char *code = explain_text(map, "code");
    bool first = true;

    for (size_t i = 0; i < ARRAY_LEN(sections); i++)
        for (const struct tree *t = tree_first(tree_get(map, sections[i].key));
             t != NULL; t = t->next) {
            if (!first)
                output_line(out);
            sections[i].print(out, code, t);
            first = false;
        }
}

enum { CODES_TOLD = 4 };

void explain_similar(const char *word, const char *const *codes, size_t n,
                     struct text *out)
{
    const char *told[CODES_TOLD];
    size_t n_told = 0;

    for (size_t i = 0; i < n && n_told < CODES_TOLD; i++) {
        bool again = strstr(codes[i], word) == NULL;

        for (size_t k = 0; k < n_told; k++)
            again |= strcmp(told[k], codes[i]) == 0;
        if (again)
            continue;
        text_printf(out, "%s%.40s", n_told == 0 ? "; codes with it are " : ", ",
                    codes[i]);
        told[n_told++] = codes[i];
    }
}
