/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of the fault table with their {words} filled in. */
#include "placement/explain.h"

#include <inttypes.h>
#include <string.h>

/* ---- words of the fault table -------------------------------------------- */

typedef void word_fn(const struct check *check, const struct finding *f,
                     struct text *out);

static void put_int(int64_t n, struct text *out)
{
    text_printf(out, "%" PRId64, n);
}

static void word_place(const struct check *check, const struct finding *f,
                       struct text *out)
{
    size_t start = out->len;

    if (f->at != NULL)
        tree_path(f->at, out);
    else if (f->group >= 0 && !check->dep->spans)
        group_path(f->group, out);
    if (out->len > start)
        text_put(out, ".");
}

static void word_group(const struct check *check, const struct finding *f,
                       struct text *out)
{
    (void)check;
    group_path(f->group, out);
}

static void word_other(const struct check *check, const struct finding *f,
                       struct text *out)
{
    (void)check;
    group_path(f->other, out);
}

static void word_axis(const struct check *check, const struct finding *f,
                      struct text *out)
{
    text_put(out, check->rt->axes[f->axis].field);
}

static void word_axisname(const struct check *check, const struct finding *f,
                          struct text *out)
{
    text_put(out, check->rt->axes[f->axis].name);
}

static void word_node(const struct check *check, const struct finding *f,
                      struct text *out)
{
    (void)check;
    text_put(out, f->node != NULL ? f->node->name : "a node");
}

static void word_walk(const struct check *check, const struct finding *f,
                      struct text *out)
{
    (void)check;
    text_put(out, f->walk[0] != '\0' ? f->walk : "all walks");
}

static void word_ofwalk(const struct check *check, const struct finding *f,
                        struct text *out)
{
    if (f->walk[0] != '\0')
        text_put(out, "the walk ");
    word_walk(check, f, out);
}

static void word_rank(const struct check *check, const struct finding *f,
                      struct text *out)
{
    put_int(deployment_listed(check->dep, f->rank), out);
}

/* Names of the axes in the mask a, joined: of a refused set of axes. */
static void put_axes(const struct check *check, uint32_t axes, struct text *out)
{
    const char *joint = "";

    for (size_t i = 0; i < check->rt->n_axes; i++) {
        if ((axes & 1u << i) == 0)
            continue;
        text_printf(out, "%s%s", joint, check->rt->axes[i].field);
        joint = ", ";
    }
}

static void word_name(const struct check *check, const struct finding *f,
                      struct text *out)
{
    if (f->fault == FAULT_AXES_TOGETHER)
        put_axes(check, (uint32_t)f->a, out);
    else if (f->fault == FAULT_INEXACT)
        finding_subject(check, f, out);
    else
        text_put(out, f->name != NULL ? f->name : "another node");
}

static void word_near(const struct check *check, const struct finding *f,
                      struct text *out)
{
    (void)check;
    if (f->near != NULL)
        text_printf(out, "; the nearest name is %s", f->near);
}

static void word_to(const struct check *check, const struct finding *f,
                    struct text *out)
{
    (void)check;
    text_put(out, f->near != NULL ? f->near : "");
}

static void word_a(const struct check *check, const struct finding *f,
                   struct text *out)
{
    (void)check;
    put_int(f->a, out);
}

static void word_b(const struct check *check, const struct finding *f,
                   struct text *out)
{
    (void)check;
    put_int(f->b, out);
}

static void word_mod(const struct check *check, const struct finding *f,
                     struct text *out)
{
    (void)check;
    put_int(f->a % f->b, out);
}

/* The nearest length below that would do, or the one above when there is none.
 */
static void word_below(const struct check *check, const struct finding *f,
                       struct text *out)
{
    int64_t below = f->a - f->a % f->b;

    (void)check;
    put_int(below > 0 ? below : f->b, out);
}

static void word_above(const struct check *check, const struct finding *f,
                       struct text *out)
{
    int64_t above = f->a - f->a % f->b + f->b;

    (void)check;
    put_int(above > f->b ? above : above + f->b, out);
}

static void word_shape(const struct check *check, const struct finding *f,
                       struct text *out)
{
    shape_print(check, &check->scopes[f->group], out);
}

static void word_othershape(const struct check *check, const struct finding *f,
                            struct text *out)
{
    shape_print(check, &check->scopes[f->other], out);
}

static void word_instance(const struct check *check, const struct finding *f,
                          struct text *out)
{
    (void)check;
    put_int(f->instance, out);
}

static void word_subject(const struct check *check, const struct finding *f,
                         struct text *out)
{
    (void)check;
    text_printf(out, "%s%sfacts.%s", f->node != NULL ? f->node->name : "",
                f->node != NULL ? "." : "", f->name);
}

static const char not_combined[] =
    "this set of axes is not among those that the runtime combines";

static void word_because(const struct check *check, const struct finding *f,
                         struct text *out)
{
    (void)check;
    if (f->set != NULL && f->set->because != NULL)
        text_put(out, f->set->because);
    else
        text_put(out, not_combined);
}

static void word_runtime(const struct check *check, const struct finding *f,
                         struct text *out)
{
    (void)f;
    text_put(out, check->rt->name);
}

static void word_oneof(const struct check *check, const struct finding *f,
                       struct text *out)
{
    const struct option *option = &check->rt->options[f->a];
    const char *joint = "";

    for (const struct tree *t = tree_first(option->one_of); t != NULL;
         t = t->next) {
        text_printf(out, "%s%s", joint, t->text != NULL ? t->text : "a list");
        joint = ", ";
    }
}

/* clang-format off */
static const struct word {
    const char *name;
    word_fn *put;
} words[] = {
    { "place", word_place },     { "group", word_group },
    { "other", word_other },     { "axis", word_axis },
    { "axisname", word_axisname }, { "node", word_node },
    { "walk", word_walk },       { "rank", word_rank },
    { "name", word_name },       { "near", word_near },
    { "to", word_to },           { "a", word_a },
    { "b", word_b },             { "mod", word_mod },
    { "below", word_below },     { "above", word_above },
    { "shape", word_shape },     { "othershape", word_othershape },
    { "instance", word_instance }, { "because", word_because },
    { "runtime", word_runtime }, { "oneof", word_oneof },
    { "subject", word_subject }, { "ofwalk", word_ofwalk },
};
/* clang-format on */

static const struct word *find_word(const char *name, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strlen(words[i].name) == len &&
            memcmp(words[i].name, name, len) == 0)
            return &words[i];
    return NULL;
}

void fault_fill(const struct check *check, const struct finding *f,
                const char *text, struct text *out)
{
    while (*text != '\0') {
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        const struct word *word = NULL;

        if (end != NULL)
            word = find_word(text + 1, (size_t)(end - text - 1));
        if (word == NULL) {
            text_put_bytes(out, text++, 1);
            continue;
        }
        word->put(check, f, out);
        text = end + 1;
    }
}

/* Words that say less than what they stand for when nothing is filled in. */
/* clang-format off */
static const struct {
    const char *word, *as;
} spoken[] = {
    { "{because}", not_combined },
    { "{to}", "what the runtime says of the key" }, /* alone: all that is said */
    { "{place}", "" },
    { "{near}", "" },
    { "{axisname}", "<axis>" },
    { "{ofwalk}", "the walk <walk>" },
    { "{oneof}", "the values that it takes" },
};
/* clang-format on */

/* How many bytes of a text are printed as another word; 0: none. */
static size_t put_spoken(const char *text, bool alone, struct text *out)
{
    for (size_t i = 0; i < ARRAY_LEN(spoken); i++) {
        size_t len = strlen(spoken[i].word);

        if (strncmp(text, spoken[i].word, len) != 0 ||
            (strcmp(spoken[i].word, "{to}") == 0 &&
             (!alone || text[len] != '\0')))
            continue;
        text_put(out, spoken[i].as);
        return len;
    }
    return 0;
}

void fault_text_print(const char *text, struct text *out)
{
    const char *at = text;

    while (*at != '\0') {
        size_t len = put_spoken(at, at == text, out);

        if (len > 0) {
            at += len;
            continue;
        }
        if (*at == '{' || *at == '}')
            text_put(out, *at == '{' ? "<" : ">");
        else
            text_put_bytes(out, at, 1);
        at++;
    }
}
