/* SPDX-License-Identifier: Apache-2.0 */
/* Loading how a runtime's requests list hosts. */
#include "placement/host_list.h"
#include "placement/reader.h"
#include "placement/runtime_load.h"
#include "placement/structure.h"

/* A placed check of hosts has the codes that the list of hosts says, where it
 * has none itself. */
static int load_host_codes(struct loader *load, struct rule *rule)
{
    const struct tree *list = tree_get(load->rt->document, "host_list");
    struct code_override *codes = load_array(load, FAULT_COUNT, sizeof(*codes));

    if (list == NULL)
        return tree_error(rule->at, load->err, STATUS_INVALID,
                          "the check hosts needs a host_list, and there is "
                          "none");
    if (codes == NULL)
        return -1;
    if (rule->n_codes > 0)
        return 0;
    rule->codes = codes;
    for (int f = 0; f < FAULT_COUNT; f++) {
        const struct fault_row *row = &fault_rows[f];
        const char *code = read_string(tree_get(list, "codes"), row->word);

        if (row->check == STRUCTURE_hosts && code != NULL)
            codes[rule->n_codes++] =
                (struct code_override){ .key = row->word, .code = code };
    }
    return 0;
}

int load_host_list(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *tree = tree_get(rt->document, "host_list");
    struct host_list_rules *rules = load_array(load, 1, sizeof(*rules));

    if (rules == NULL || (tree != NULL && host_list_load(load->arena, tree,
                                                         rules, load->err) < 0))
        return -1;
    rt->host_list = tree != NULL ? rules : NULL;
    for (size_t i = 0; i < rt->n_rules; i++)
        if (rt->rules[i].structure == STRUCTURE_hosts &&
            load_host_codes(load, &rt->rules[i]) < 0)
            return -1;
    return 0;
}
