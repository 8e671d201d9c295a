/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of what a code means that rules and faults share. */
#include "client/explain_parts.h"

#include <string.h>

#include "placement/explain.h"

static void see_code(struct explaining *e, const char *code)
{
    if (e->n_codes < e->room)
        e->codes[e->n_codes++] = code;
}

bool explaining_asks(struct explaining *e, const char *code)
{
    if (code == NULL)
        return false;
    see_code(e, code);
    return strcmp(code, e->code) == 0;
}

void explaining_text(struct explaining *e, struct tree *map, const char *key,
                     const char *text)
{
    if (text != NULL && text[0] != '\0')
        make_string(&e->maker, map, key, text);
}

void explaining_source(struct explaining *e, struct tree *map, const char *key,
                       const struct expression *x)
{
    if (x != NULL)
        make_string(&e->maker, map, key, expression_source(x));
}

void explaining_example(struct explaining *e, const struct runtime *rt,
                        const struct rule *rule, int fault, struct tree *map)
{
    struct example_sought sought = { rule, e->code, fault };

    if (!e->failed &&
        exemplar_write(&e->exemplar, rt, &sought, &e->maker, map, e->err) < 0)
        e->failed = true;
}

const struct rule *explaining_place(const struct runtime *rt,
                                    enum structure check,
                                    const struct rule *after)
{
    size_t from = after != NULL ? (size_t)(after - rt->rules) + 1 : 0;

    for (size_t i = from; i < rt->n_rules; i++)
        if (rt->rules[i].structure == (int)check)
            return &rt->rules[i];
    return NULL;
}

void explaining_remedies(struct explaining *e, struct tree *list,
                         const struct remedy *remedies, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct remedy *remedy = &remedies[i];
        struct tree *one = make_map(&e->maker, list, NULL), *set;

        explaining_source(e, one, "when", remedy->when);
        set = make_map(&e->maker, one, "set");
        for (size_t k = 0; k < remedy->n_settings; k++)
            if (remedy->settings[k].value == NULL)
                make_string(&e->maker, set, remedy->settings[k].name, "null");
            else
                explaining_source(e, set, remedy->settings[k].name,
                                  remedy->settings[k].value);
        explaining_text(e, one, "say", remedy->say);
    }
}

void explaining_try(struct explaining *e, struct tree *map,
                    const struct rule *rule)
{
    explaining_remedies(e, make_list(&e->maker, map, "try"), rule->remedies,
                        rule->n_remedies);
}

void explaining_layer(struct explaining *e, struct tree *map,
                      const struct rule *rule)
{
    if (rule != NULL && rule->layer != NULL)
        make_string(&e->maker, map, "layer", rule->layer->name);
}

void explaining_axes(struct explaining *e, const struct runtime *rt,
                     const struct axis_set *set, struct tree *parent,
                     const char *key)
{
    struct tree *axes = make_list(&e->maker, parent, key);

    for (size_t a = 0; a < rt->n_axes; a++)
        if ((set->axes & 1u << a) != 0)
            make_string(&e->maker, axes, NULL, rt->axes[a].name);
}

void explaining_template(struct explaining *e, struct tree *map,
                         const char *key, const char *text)
{
    struct text out = { 0 };

    fault_text_print(text, &out);
    explaining_text(e, map, key, text_string(&out));
    text_close(&out);
}
