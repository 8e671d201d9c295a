/* SPDX-License-Identifier: Apache-2.0 */
/* How the ranks of made-up node groups are numbered. */
#include "placement/example_knobs.h"

/* The rank at position i: as counted from 0, but for one thing. Value 0 of the
 * knob, absence, is the first. */
enum numbering {
    NUMBERED_PLAIN,
    NUMBERED_FROM_ONE,
    NUMBERED_WITH_GAPS,
    NUMBERED_BACKWARDS,
    NUMBERED_TWICE,
    NUMBERED_BELOW_ZERO,
    NUMBERED_TOO_HIGH,
    NUMBERINGS
};

static int64_t number(enum numbering numbering, int64_t i)
{
    switch (numbering) {
    case NUMBERED_FROM_ONE:
        return i + 1;
    case NUMBERED_WITH_GAPS:
        return 2 * i;
    case NUMBERED_BACKWARDS:
        return KNOB_RANKS_MAX - 1 - i;
    case NUMBERED_TWICE:
        return i > 0 ? i - 1 : 0;
    case NUMBERED_BELOW_ZERO:
        return i - 1;
    case NUMBERED_TOO_HIGH:
        return i > 0 ? VIEW_SPAN_MAX - 1 + i : 0;
    case NUMBERED_PLAIN:
    case NUMBERINGS:
        break;
    }
    return i;
}

int knobs_add_ranks(struct knobs *k, struct error *err)
{
    struct knob *knob = knobs_add(k, KNOB_RANKS, 0, -1, "ranks");
    int64_t *all = arena_array(k->arena, (size_t)NUMBERINGS * KNOB_RANKS_MAX,
                               sizeof(*all));

    if (all == NULL)
        return error_exhausted(err);
    for (int form = 0; form < NUMBERINGS; form++) {
        for (int64_t i = 0; i < KNOB_RANKS_MAX; i++)
            all[form * KNOB_RANKS_MAX + i] = number((enum numbering)form, i);
        if (form != NUMBERED_PLAIN)
            knob_add_whole(k, knob, form);
    }
    k->numberings = all;
    return 0;
}

const int64_t *point_ranks(const struct knobs *k, const struct point *p,
                           size_t n)
{
    uint8_t form = k->ranks < k->n - 1 ? p->values[k->ranks] : NUMBERED_PLAIN;
    const int64_t *ranks = k->numberings + (size_t)form * KNOB_RANKS_MAX;

    if (k->numberings == NULL)
        return NULL; /* a request that spans a world lists none */
    return form == NUMBERED_BACKWARDS ? ranks + KNOB_RANKS_MAX - n : ranks;
}
