/* SPDX-License-Identifier: Apache-2.0 */
/* What the code of a fault that a check of the structure finds means. */
#include "client/explain_parts.h"

#include <string.h>

#include "placement/explain.h"

static struct tree *make_fault(struct explaining *e, int fault)
{
    const struct fault_row *row = &fault_rows[fault];
    struct tree *map = make_map(&e->maker, e->faults, NULL);

    make_string(&e->maker, map, "check", structure_name((int)row->check));
    make_string(&e->maker, map, "default_code", row->code);
    make_bool(&e->maker, map, "warns", row->warns);
    explaining_template(e, map, "subject", row->subject);
    explaining_template(e, map, "equation", row->equation);
    explaining_template(e, map, "reason", row->reason);
    explaining_template(e, map, "fix", row->fix);
    return make_list(&e->maker, map, "runtimes");
}

/* Whether what a runtime calls a fault is told already: it may place the check
 * several times. */
static bool is_told(const struct tree *list, const char *runtime,
                    const char *code)
{
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (strcmp(explain_text(t, "runtime"), runtime) == 0 &&
            strcmp(explain_text(t, "code"), code) == 0)
            return true;
    return false;
}

/* What a check of one option, or of sets of axes, takes. */
static void make_taken(struct explaining *e, const struct runtime *rt,
                       const struct rule *rule, struct tree *map)
{
    struct tree *list;

    if (rule->structure == STRUCTURE_options && rule->option >= 0) {
        const struct option *option = &rt->options[rule->option];

        make_string(&e->maker, map, "option", option->field);
        if (option->one_of != NULL)
            make_copy(&e->maker, map, "one_of", option->one_of);
    }
    if (rule->structure != STRUCTURE_axis_sets)
        return;
    list = make_list(&e->maker, map, "allowed");
    for (size_t i = 0; i < rt->n_axis_sets; i++)
        if (!rt->axis_sets[i].refused)
            explaining_axes(e, rt, &rt->axis_sets[i], list, NULL);
}

/* Whether the runtime calls the fault what is asked for, at some place of the
 * check. */
static bool calls_so(const struct explaining *e, int fault,
                     const struct runtime *rt)
{
    enum structure check = fault_rows[fault].check;

    for (const struct rule *rule = explaining_place(rt, check, NULL);
         rule != NULL; rule = explaining_place(rt, check, rule))
        if (strcmp(fault_code(rule, (enum fault)fault), e->code) == 0)
            return true;
    return false;
}

/* Adds what one runtime calls the fault where it places the check by `rule`. */
static void take_placed(struct explaining *e, int fault,
                        const struct runtime *rt, const struct rule *rule,
                        struct tree *list)
{
    const struct fault_row *row = &fault_rows[fault];
    const char *code = fault_code(rule, (enum fault)fault);
    bool meant = strcmp(code, e->code) == 0;
    struct tree *map;

    /* of a check that is placed several times only the places that are meant,
     * else one */
    if (!meant && strcmp(row->code, e->code) != 0 &&
        (calls_so(e, fault, rt) ||
         rule != explaining_place(rt, row->check, NULL)))
        return;
    if (is_told(list, rt->name, code))
        return;
    map = make_map(&e->maker, list, NULL);
    make_string(&e->maker, map, "runtime", rt->name);
    make_string(&e->maker, map, "code", code);
    explaining_layer(e, map, rule);
    make_taken(e, rt, rule, map);
    explaining_try(e, map, rule);
    explaining_names(e, rt, map);
    if (meant)
        explaining_example(e, rt, rule, fault, map);
}

/* Whether the code is the fault's own, or what a runtime calls it. */
static bool is_fault(struct explaining *e, int fault,
                     const struct runtime **runtimes, size_t n)
{
    const struct fault_row *row = &fault_rows[fault];
    bool is = explaining_asks(e, row->code);

    for (size_t i = 0; i < n; i++)
        for (const struct rule *rule =
                 explaining_place(runtimes[i], row->check, NULL);
             rule != NULL;
             rule = explaining_place(runtimes[i], row->check, rule))
            is |= explaining_asks(e, fault_code(rule, (enum fault)fault));
    return is;
}

void explaining_fault(struct explaining *e, int fault,
                      const struct runtime **runtimes, size_t n)
{
    enum structure check = fault_rows[fault].check;
    struct tree *list;

    if (!is_fault(e, fault, runtimes, n))
        return;
    list = make_fault(e, fault);
    for (size_t i = 0; i < n; i++)
        for (const struct rule *rule =
                 explaining_place(runtimes[i], check, NULL);
             rule != NULL; rule = explaining_place(runtimes[i], check, rule))
            take_placed(e, fault, runtimes[i], rule, list);
}
