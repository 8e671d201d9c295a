/* SPDX-License-Identifier: Apache-2.0 */
/* What a doctor can find wrong, and how a report is ordered. */
#include "proto/trouble.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct trouble_row trouble_rows[TROUBLE_COUNT] = {
#define X(id, weight, code, means, next)                                       \
    { code, TROUBLE_##weight##_WEIGHT, means, next },
    TROUBLE_LIST(X)
#undef X
};

const char *trouble_weight_name(enum trouble_weight weight)
{
    static const char *const names[] = {
#define X(id, word) [TROUBLE_##id##_WEIGHT] = word,
        TROUBLE_WEIGHT_LIST(X)
#undef X
    };

    return names[weight];
}

/* ---- the next step ------------------------------------------------------- */

/* Puts what a word stands for; false: the ailment does not know it. */
static bool put_word(const struct ailment *ailment, const char *word,
                     struct text *out)
{
    const char *text = NULL;

    if (strcmp(word, "PLACEMENT") == 0)
        text = ailment->placement;
    else if (strcmp(word, "HOST") == 0)
        text = ailment->host;
    else if (strcmp(word, "RANK") == 0 && ailment->rank >= 0) {
        text_printf(out, "%" PRId64, ailment->rank);
        return true;
    }
    if (text != NULL)
        text_put(out, text);
    return text != NULL;
}

void trouble_next(const struct ailment *ailment, struct text *out)
{
    static const char *const words[] = { "PLACEMENT", "HOST", "RANK" };
    const char *at = trouble_rows[ailment->trouble].next;

    while (*at != '\0') {
        size_t w = 0;

        while (w < ARRAY_LEN(words) &&
               strncmp(at, words[w], strlen(words[w])) != 0)
            w++;
        if (w < ARRAY_LEN(words) && put_word(ailment, words[w], out))
            at += strlen(words[w]);
        else
            text_put_bytes(out, at++, 1);
    }
}

/* ---- a report ------------------------------------------------------------ */

struct placed_ailment {
    struct ailment ailment;
    size_t at; /* where it stood */
};

static int compare(const void *va, const void *vb)
{
    const struct placed_ailment *a = va, *b = vb;
    int wa = trouble_rows[a->ailment.trouble].weight;
    int wb = trouble_rows[b->ailment.trouble].weight;

    if (wa != wb)
        return wa < wb ? -1 : 1;
    if (a->ailment.trouble != b->ailment.trouble)
        return a->ailment.trouble < b->ailment.trouble ? -1 : 1;
    if (a->ailment.n_ranks != b->ailment.n_ranks)
        return a->ailment.n_ranks > b->ailment.n_ranks ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

static void write_one(const struct ailment *ailment, struct tree_maker *maker,
                      struct tree *list)
{
    const struct trouble_row *row = &trouble_rows[ailment->trouble];
    struct tree *map = make_map(maker, list, NULL);
    struct text next = { 0 };

    make_string(maker, map, "code", row->code);
    make_string(maker, map, "weight", trouble_weight_name(row->weight));
    if (ailment->placement != NULL)
        make_string(maker, map, "placement", ailment->placement);
    if (ailment->host != NULL)
        make_string(maker, map, "host", ailment->host);
    if (ailment->rank >= 0) {
        make_int(maker, map, "rank", ailment->rank);
        make_int(maker, map, "ranks", ailment->n_ranks);
    }
    make_string(maker, map, "what", ailment->what);
    trouble_next(ailment, &next);
    make_string(maker, map, "next", text_string(&next));
    text_close(&next);
}

void troubles_write(const struct ailment *ailments, size_t n,
                    struct tree_maker *maker, struct tree *map)
{
    struct tree *list = make_list(maker, map, "findings");
    struct placed_ailment *sorted =
        arena_array(maker->arena, n + 1, sizeof(*sorted));

    maker->failed |= sorted == NULL;
    if (sorted == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct placed_ailment){ ailments[i], i };
    qsort(sorted, n, sizeof(*sorted), compare);
    for (size_t i = 0; i < n; i++)
        write_one(&sorted[i].ailment, maker, list);
}

bool troubles_healthy(const struct ailment *ailments, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (trouble_rows[ailments[i].trouble].weight != TROUBLE_NOTE_WEIGHT)
            return false;
    return true;
}
