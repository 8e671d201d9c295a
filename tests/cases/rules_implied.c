/* SPDX-License-Identifier: Apache-2.0 */
/* What no case can miss, and why it stands there all the same. */
#include "tests/cases/rules.h"

#include <string.h>

#include "base/text.h"

/* Parts and values that change no verdict, remedies that change no answer. What
 * is whole has no part. */
static const struct implied {
    const char *runtime, *code, *part, *why; /* code, or "code of about" */
} implied[] = {
    /* clang-format off */
    { "diffusers", "mesh-dims", "type(m) != \"map\"",
      "has() is false of what is no map; the equation then names the type" },
    { "diffusers", "shard-dim of ffn", "tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    { "diffusers", "a2a-alignment of order", "ulysses > 1",
      "a group of one begins anywhere; spares making the groups" },
    { "diffusers", "a2a-alignment of a2a_groups", "size(g) > 1",
      "a group of one begins anywhere" },
    { "diffusers", "a2a-contiguity of a2a_groups", "size(g) > 1",
      "a group of one has no gaps" },
    { "diffusers", "order-preferred of order", "tp > 1",
      "a group of one has no gaps; spares making the groups" },
    { "diffusers", "sequence-divide of tokens", "cp > 1",
      "one rank divides everything; spares the rule without context ranks" },
    { "diffusers", "device-type of device", "!devices[device].tp",
      "it holds of every device so far" },
    { "halo", "ep_node_indivisible", "group > 1",
      "one rank divides everything; spares the rule without experts" },
    { "halo", "ep_global_exceeds_stage", "group > 1",
      "a stage has a rank; spares the rule without experts" },
    { "halo", "ep_global_indivisible", "group > 1",
      "one rank divides everything; spares the rule without experts" },
    { "halo", "ep_global_not_multiple_of_domains", "group > 1",
      "the scope of one rank is the node; spares the rule without experts" },
    { "halo", "ep_not_multiple_of_tp", "tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    { "halo", "ep_cp_global_scope", "group > 1",
      "the scope of one rank is the node; spares the rule without experts" },
    { "halo", "ep_legacy_too_wide", "ep > 1",
      "a node has a rank; spares the rule without experts" },
    { "megatron", "kv_heads_not_divisible_by_tp", "tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    { "megatron", "0 of rank_offset", NULL,
      "it moves ranks and refuses nothing; the runner compares the ranks" },
    { "mstar", "heads.indivisible", "p.tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    { "mstar", "vocab.indivisible", "p.tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    { "mstar", "experts.intermediate_indivisible",
      "p.tp % model_kwargs.moe_ep_size == 0",
      "the quotient is undefined, which the refusal before it explains" },
    { "torchtitan", "etp_neither_one_nor_tp", "rules != \"current\"",
      "an axis that is not there is 1; says when the rule applies" },
    { "torchtitan", "linear_heads_not_divisible_by_tp", "tp > 1",
      "one rank divides everything; spares the rule without tensor ranks" },
    /* clang-format on */
};

/* The code, and what the rule is about where that tells it from others. */
static bool is_rule(const struct mutant *mutant, const char *name)
{
    size_t n = strlen(mutant->code);

    if (strncmp(name, mutant->code, n) != 0)
        return false;
    if (name[n] == '\0')
        return true;
    return strncmp(name + n, " of ", 4) == 0 && mutant->about != NULL &&
           strcmp(name + n + 4, mutant->about) == 0;
}

static bool is_part(const struct mutant *mutant, const char *part)
{
    if (mutant->part == NULL || part == NULL)
        return mutant->part == part;
    return strcmp(mutant->part, part) == 0;
}

int implied_find(const struct runtime *rt, const struct mutant *mutant)
{
    for (size_t i = 0; i < ARRAY_LEN(implied); i++)
        if (strcmp(implied[i].runtime, rt->name) == 0 &&
            is_rule(mutant, implied[i].code) &&
            is_part(mutant, implied[i].part))
            return (int)i;
    return -1;
}

const char *implied_why(int row)
{
    return implied[row].why;
}

const char *implied_unseen(const bool *seen)
{
    _Static_assert(ARRAY_LEN(implied) <= IMPLIED_MAX, "room for all rows");
    for (size_t i = 0; i < ARRAY_LEN(implied); i++)
        if (!seen[i])
            return implied[i].code;
    return NULL;
}
