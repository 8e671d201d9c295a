/* SPDX-License-Identifier: Apache-2.0 */
/* What the code of a rule, of a set of axes or of a key means. */
#include "client/explain_parts.h"

/* An example of what a check finds, from the first place that has one. */
static void make_check_example(struct explaining *e, const struct runtime *rt,
                               enum structure check, struct tree *map)
{
    const struct rule *rule = NULL;

    while (tree_get(map, "example") == NULL &&
           (rule = explaining_place(rt, check, rule)) != NULL)
        explaining_example(e, rt, rule, -1, map);
}

static void make_rule(struct explaining *e, const struct runtime *rt,
                      const struct rule *rule)
{
    struct tree *map = make_map(&e->maker, e->rules, NULL);

    make_string(&e->maker, map, "runtime", rt->name);
    explaining_layer(e, map, rule);
    if (rule->items != NULL) {
        explaining_source(e, map, "for", rule->items);
        explaining_text(e, map, "as", rule->alias);
    }
    explaining_source(e, map, "when", rule->when);
    explaining_source(e, map, rule->warns ? "warn" : "refuse", rule->refuse);
    explaining_text(e, map, "because", rule->because);
    explaining_source(e, map, "allowed", rule->allowed);
    explaining_try(e, map, rule);
    explaining_names(e, rt, map);
    explaining_example(e, rt, rule, FAULT_RULE, map);
}

/* As a finding of it says: its own words, or those of the check; its remedies,
 * those of the place of the check, and what is right for every set. */
static void make_axis_set(struct explaining *e, const struct runtime *rt,
                          const struct axis_set *set)
{
    const struct fault_row *row = &fault_rows[FAULT_AXES_TOGETHER];
    const struct rule *rule = explaining_place(rt, STRUCTURE_axis_sets, NULL);
    struct tree *map = make_map(&e->maker, e->rules, NULL), *list;

    make_string(&e->maker, map, "runtime", rt->name);
    explaining_layer(e, map, rule);
    explaining_axes(e, rt, set, map, "refused_together");
    make_bool(&e->maker, map, "exactly", set->exact);
    if (set->because != NULL)
        make_string(&e->maker, map, "because", set->because);
    else
        explaining_template(e, map, "because", row->reason);
    list = make_list(&e->maker, map, "try");
    explaining_remedies(e, list, set->remedies, set->n_remedies);
    if (rule != NULL)
        explaining_remedies(e, list, rule->remedies, rule->n_remedies);
    explaining_template(e, map, "fix", row->fix);
    explaining_names(e, rt, map);
    make_check_example(e, rt, STRUCTURE_axis_sets, map);
}

/* A key that is carried through with a warning. */
static void make_key(struct explaining *e, const struct runtime *rt,
                     const struct carry *carry)
{
    struct tree *map = make_map(&e->maker, e->rules, NULL);

    make_string(&e->maker, map, "runtime", rt->name);
    make_string(&e->maker, map, "key", carry->name);
    make_string(&e->maker, map, "because", carry->warn);
    make_check_example(e, rt, STRUCTURE_keys, map);
}

void explaining_rules(struct explaining *e, const struct runtime *rt)
{
    for (size_t i = 0; i < rt->n_rules; i++)
        if (rt->rules[i].structure < 0 && explaining_asks(e, rt->rules[i].code))
            make_rule(e, rt, &rt->rules[i]);
    for (size_t i = 0; i < rt->n_axis_sets; i++)
        if (explaining_asks(e, rt->axis_sets[i].code))
            make_axis_set(e, rt, &rt->axis_sets[i]);
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].warn != NULL &&
            explaining_asks(e, rt->carries[i].code))
            make_key(e, rt, &rt->carries[i]);
}
