/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of arithmetic: weights, tokens, layers, prompts, rows of an image. */
#include "tests/cases/runner.h"

#include <string.h>

#include "placement/split_work.h"

enum { PARTS_MAX = 64 };

static void put_range(struct run *run, struct tree *list,
                      const struct range *range)
{
    struct tree *pair = make_list(&run->maker, list, NULL);

    make_int(&run->maker, pair, NULL, (int64_t)range->begin);
    make_int(&run->maker, pair, NULL, (int64_t)range->end);
}

/* The integers of a list of the input; returns how many. */
static size_t numbers(struct run *run, const char *key, uint64_t *ret)
{
    size_t n = 0;

    for (const struct tree *t = tree_first(child(run->input, key));
         t != NULL && n < PARTS_MAX; t = t->next)
        ret[n++] = (uint64_t)t->u.integer;
    return n;
}

static struct split split_of(struct run *run, const char *what,
                             const char *parts)
{
    return (struct split){
        .what = what,
        .total = (uint64_t)child_int(run->input, what),
        .parts = (uint32_t)child_int(run->input, parts),
    };
}

/* Ranges of every rank for every block of a weight. */
void op_shard(struct run *run)
{
    const char *style = child(run->input, "style")->text;
    bool by_columns = strstr(style, "row") != NULL;
    uint64_t blocks[PARTS_MAX] = { 1 };
    size_t n = numbers(run, "blocks", blocks);
    struct split split = split_of(run, "rows or columns", "tp");
    struct tree *all = make_list(&run->maker, run->got, "slices");

    split.total =
        (uint64_t)item(child(run->input, "shape"), by_columns)->u.integer;
    for (; split.part < split.parts; split.part++) {
        struct tree *one = make_list(&run->maker, all, NULL);
        struct range ranges[PARTS_MAX];
        const char *code;

        if (split_packed(&split, blocks, n > 0 ? n : 1, ranges, &code, NULL) <
            0) {
            refused(run, code);
            return;
        }
        for (size_t i = 0; i < (n > 0 ? n : 1); i++)
            put_range(run, one, &ranges[i]);
    }
}

void op_sequence(struct run *run)
{
    struct split split = split_of(run, "tokens", "cp");
    bool uneven = strcmp(child(run->input, "mode")->text, "anything") == 0;
    struct tree *list = make_list(&run->maker, run->got, "lengths");

    for (; split.part < split.parts; split.part++) {
        struct range range;
        const char *code;

        if (split_sequence(&split, uneven, &range, &code, NULL) < 0) {
            refused(run, code);
            return;
        }
        make_int(&run->maker, list, NULL, (int64_t)(range.end - range.begin));
    }
}

void op_stages(struct run *run)
{
    struct split split = split_of(run, "layers", "pp");
    struct tree *list = make_list(&run->maker, run->got, "stages");
    uint64_t lengths[PARTS_MAX];
    size_t n = numbers(run, "layers_per_stage", lengths);

    for (; split.part < split.parts; split.part++) {
        struct range range;
        const char *code;

        if (n > 0 ? split_listed(&split, lengths, n, &range, &code, NULL) < 0
                  : split_in_turn(&split, "empty-stage", &range, &code, NULL) <
                        0) {
            refused(run, code);
            return;
        }
        put_range(run, list, &range);
    }
}

void op_batch(struct run *run)
{
    struct split split = split_of(run, "batch", "dp");
    struct tree *list = make_list(&run->maker, run->got, "slices");

    for (; split.part < split.parts; split.part++) {
        struct range range;
        const char *code;

        if (split_in_turn(&split, "empty-replica", &range, &code, NULL) < 0) {
            refused(run, code);
            return;
        }
        put_range(run, list, &range);
    }
}

void op_patches(struct run *run)
{
    const struct patch_split split = {
        .rows = (uint64_t)(child_int(run->input, "height") /
                           child_int(run->input, "vae_scale")),
        .unit = (uint32_t)child_int(run->input, "patch"),
        .ranks = (uint32_t)child_int(run->input, "sp"),
        .patches = (uint32_t)child_int(run->input, "pp_patches"),
    };
    struct tree *all = make_list(&run->maker, run->got, "row_ranges");
    uint32_t patches;
    const char *code;

    if (split_patches(&split, &patches, &code, NULL) < 0) {
        refused(run, code);
        return;
    }
    make_int(&run->maker, run->got, "pp_patches", patches);
    for (uint32_t rank = 0; rank < split.ranks; rank++) {
        struct tree *one = make_list(&run->maker, all, NULL);

        for (uint32_t p = 0; p < patches; p++) {
            struct range range = split_patch_rows(&split, p, rank);

            put_range(run, one, &range);
        }
    }
}
