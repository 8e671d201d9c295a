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

static void print_remedy(struct output *out, const struct tree *remedy)
{
    const struct tree *set = tree_get(remedy, "set");
    const char *when = explain_text(remedy, "when"),
               *say = explain_text(remedy, "say");
    struct text text = { 0 };

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

static void print_rule(struct output *out, const char *code,
                       const struct tree *rule)
{
    const struct tree *together = tree_get(rule, "refused_together");
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
    print_field(out, "when     ", explain_text(rule, "when"));
    if (tree_get(rule, "for") != NULL)
        text_printf(&text, "%s as %s", explain_text(rule, "for"),
                    explain_text(rule, "as"));
    print_field(out, "for      ", text_string(&text));
    text_clear(&text);
    for (const struct tree *t = tree_first(together); t != NULL; t = t->next)
        text_printf(&text, "%s%s", t != tree_first(together) ? ", " : "",
                    t->text);
    print_field(out, "not both ", text_string(&text));
    print_field(out, "key      ", explain_text(rule, "key"));
    for (const struct tree *t = tree_first(tree_get(rule, "try")); t != NULL;
         t = t->next)
        print_remedy(out, t);
    exemplar_print(out, rule);
    text_close(&text);
}

/* "halo as size_below_one (layer config)" */
static void put_placed(const struct tree *placed, bool first, struct text *out)
{
    text_printf(out, "%s%s as %s", first ? "" : ", ",
                explain_text(placed, "runtime"), explain_text(placed, "code"));
    if (explain_text(placed, "layer")[0] != '\0')
        text_printf(out, " (layer %s)", explain_text(placed, "layer"));
}

static void print_fault(struct output *out, const char *code,
                        const struct tree *fault)
{
    const struct tree *runtimes = tree_get(fault, "runtimes");
    struct text text = { 0 };

    output_put(out, STYLE_BOLD, code);
    output_printf(out, STYLE_PLAIN, "  found by the check %s",
                  explain_text(fault, "check"));
    output_line(out);
    print_field(out, "about    ", explain_text(fault, "subject"));
    print_field(out, "refuse   ", explain_text(fault, "equation"));
    print_field(out,
                tree_get(fault, "warns")->u.boolean ? "warn     " : "because  ",
                explain_text(fault, "reason"));
    if (explain_text(fault, "fix")[0] != '\0')
        output_paragraph(out, 4, STYLE_GOOD, "try      ", STYLE_PLAIN,
                         explain_text(fault, "fix"));
    for (const struct tree *t = tree_first(runtimes); t != NULL; t = t->next)
        put_placed(t, t == tree_first(runtimes), &text);
    print_field(out, "under    ", text_string(&text));
    for (const struct tree *t = tree_first(runtimes); t != NULL; t = t->next)
        for (const struct tree *r = tree_first(tree_get(t, "try")); r != NULL;
             r = r->next)
            print_remedy(out, r);
    for (const struct tree *t = tree_first(runtimes); t != NULL; t = t->next)
        exemplar_print(out, t);
    text_close(&text);
}

static void print_answer(struct output *out, const char *code,
                         const struct tree *answer)
{
    output_put(out, STYLE_BOLD, code);
    output_printf(out, STYLE_PLAIN, "  an answer of the daemon, %s",
                  explain_text(answer, "when"));
    output_line(out);
    print_field(out, "because  ", explain_text(answer, "reason"));
    output_paragraph(out, 4, STYLE_GOOD, "try      ", STYLE_PLAIN,
                     explain_text(answer, "fix"));
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
