/* SPDX-License-Identifier: Apache-2.0 */
/* A request as the command line of its framework, by the runtime's declaration.
 */
#include <inttypes.h>
#include <string.h>

#include "client/export.h"
#include "proto/document.h"

/* What is being written. */
struct flags {
    const struct exported *e;
    const struct tree *import; /* of the runtime; NULL: none */
    struct text *out;
    bool unprintable; /* a value would not reach the shell as it is */
};

/* ---- names --------------------------------------------------------------- */

/* How a value is written: the word that the declaration has for it, else
 * itself. NULL: the key has no word for it. */
static const struct tree *worded(const struct tree *values,
                                 const struct tree *value,
                                 const char **ret_word)
{
    *ret_word = NULL;
    if (values == NULL)
        return value;
    for (const struct tree *v = tree_first(values); v != NULL; v = v->next) {
        struct text a = { 0 }, b = { 0 };
        bool same = document_write_json(v, false, &a) == 0 &&
                    document_write_json(value, false, &b) == 0 &&
                    strcmp(text_string(&a), text_string(&b)) == 0;

        text_close(&a);
        text_close(&b);
        if (same) {
            *ret_word = v->key;
            return value;
        }
    }
    return NULL;
}

/* Whether a target of an imported key is this name and can say the value. */
static bool is_target(const struct tree *target, const char *name,
                      const struct tree *value, const char **ret_word)
{
    const struct tree *to =
        target->type == TREE_MAP ? tree_get(target, "to") : target;

    return to != NULL && to->type == TREE_STRING &&
           strcmp(to->text, name) == 0 &&
           worded(tree_get(target, "values"), value, ret_word) != NULL;
}

/* The key that stands for a name alone; NULL: none does. */
static const char *imported_key(const struct flags *f, const char *name,
                                const struct tree *value, const char **ret_word)
{
    const struct tree *k = tree_first(tree_get(f->import, "keys"));

    for (; k != NULL; k = k->next)
        if (k->type != TREE_LIST && is_target(k, name, value, ret_word))
            return k->key;
    *ret_word = NULL;
    return NULL;
}

/* Writes "--tensor-size": a key of the import as it is spelt there, else the
 * field, in the map that fields stand in. */
static void put_name(struct flags *f, const char *key, const char *field,
                     bool negated)
{
    const struct tree *inside = tree_get(f->import, "fields");
    bool dashes = key == NULL;

    text_put(f->out, negated ? "--no-" : "--");
    if (key == NULL && inside != NULL && inside->type == TREE_STRING) {
        text_printf(f->out, "%s.", inside->text);
        dashes = false;
    }
    for (const char *s = key != NULL ? key : field; *s != '\0'; s++) {
        char c = dashes && *s == '_' ? '-' : *s;

        text_put_bytes(f->out, &c, 1);
    }
}

/* ---- values -------------------------------------------------------------- */

/* A word as a shell reads it. */
static void put_word(struct flags *f, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ0123456789_./:=,+@%-";

    for (const char *s = word; *s != '\0'; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            f->unprintable = true;
    text_put(f->out, " ");
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        text_put(f->out, word);
        return;
    }
    text_put(f->out, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            text_put(f->out, "'\\''");
        else
            text_put_bytes(f->out, word, 1);
    text_put(f->out, "'");
}

static void put_value(struct flags *f, const struct tree *value)
{
    struct text text = { 0 };

    if (value->type == TREE_STRING) {
        put_word(f, value->text);
        return;
    }
    if (document_write_json(value, false, &text) == 0)
        put_word(f, text_string(&text));
    text_close(&text);
}

/* A line for one flag: true is the flag alone, false its negation, a list its
 * items. */
static void put_flag(struct flags *f, const char *name, const char *field,
                     const struct tree *value)
{
    const char *word, *key = imported_key(f, name, value, &word);
    bool is_switch = value->type == TREE_BOOL && word == NULL;

    put_name(f, key, field, is_switch && !value->u.boolean);
    if (word != NULL)
        put_word(f, word);
    else if (value->type == TREE_LIST)
        for (const struct tree *t = tree_first(value); t != NULL; t = t->next)
            put_value(f, t);
    else if (!is_switch)
        put_value(f, value);
    text_put(f->out, "\n");
}

/* ---- the request --------------------------------------------------------- */

static void put_sizes(struct flags *f, const struct deployment *dep)
{
    const struct runtime *rt = dep->runtime;

    for (size_t a = 0; a < rt->n_axes; a++) {
        const struct given *given = &dep->groups[0].sizes[a];
        struct tree value = { .type = TREE_INT, .u.integer = given->value };

        if (given->has)
            put_flag(f, rt->axes[a].name, rt->axes[a].field, &value);
    }
}

static void put_options(struct flags *f, const struct deployment *dep)
{
    const struct runtime *rt = dep->runtime;

    for (size_t i = 0; i < rt->n_options; i++)
        if (dep->options[i] != NULL)
            put_flag(f, rt->options[i].name, rt->options[i].field,
                     dep->options[i]);
    for (size_t i = 0; i < rt->n_carries; i++)
        if (!rt->carries[i].in_group && dep->carried[i] != NULL &&
            dep->carried[i]->type != TREE_MAP)
            put_flag(f, rt->carries[i].name, rt->carries[i].name,
                     dep->carried[i]);
}

/* The number of ranks where the framework is told, and not its launcher. */
static void put_world(struct flags *f)
{
    const struct tree value = { .type = TREE_INT, .u.integer = f->e->n_ranks };
    const char *word, *key = imported_key(f, "world", &value, &word);

    if (key == NULL)
        return;
    put_name(f, key, "", false);
    put_value(f, &value);
    text_put(f->out, "\n");
}

/* The flags of another declaration may mean something else. */
static int check_version(const struct exported *e, struct error *err)
{
    const char *version = e->rt->version != NULL ? e->rt->version : "";

    if (strcmp(version, e->runtime_version) == 0)
        return 0;
    return error_set(err, STATUS_LOST,
                     "%.64s was placed under version %.32s of %.64s, which is "
                     "declared as version %.32s by now",
                     e->name, e->runtime_version, e->rt->name, version);
}

/* Nothing is written, and that is right: who reads it is told so. */
static void say_defaults(const struct exported *e)
{
    output_complainf("%.64s sets no size and no option, so %.64s needs no "
                     "flags for it: all are its defaults",
                     e->name[0] != '\0' ? e->name : "the request", e->rt->name);
}

int export_flags(const struct exported *e, struct error *err)
{
    struct flags f = { .e = e,
                       .import = tree_get(e->rt->document, "import"),
                       .out = &e->v->out.text };
    const struct deployment *dep;

    if (check_version(e, err) < 0)
        return -1;
    /* What has node groups reads its own requests. */
    if (!e->rt->spans) {
        text_put(f.out, e->text);
        return 0;
    }
    dep = deployment_load(e->v->arena, e->rt, e->document, err);
    if (dep == NULL)
        return -1;
    put_world(&f);
    put_sizes(&f, dep);
    put_options(&f, dep);
    if (f.unprintable)
        return error_set(err, STATUS_INVALID,
                         "a value holds a control character, which no flag "
                         "should");
    if (f.out->len == 0)
        say_defaults(e);
    return 0;
}
