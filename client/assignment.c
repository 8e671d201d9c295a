/* SPDX-License-Identifier: Apache-2.0 */
/* serry assignment: what the worker of a rank gets. */
#include <inttypes.h>
#include <stdlib.h>

#include "client/assignment_show.h"
#include "placement/view.h"

/* ---- which ranks --------------------------------------------------------- */

enum {
    ALL_MAX = 4096,    /* ranks printed with --all: a call each */
    LOWEST_MAX = 4096, /* ranks tried to find the lowest of a world */
};

/* generation: NULL: the one in force */
static int fetch(struct live *live, uint32_t rank,
                 const struct serry_generation *generation,
                 struct serry_assignment **ret, struct error *err)
{
    if (serry_assignment(live->client, live->v->operands[0], rank, generation,
                         ret, &live->err) < 0)
        return live_failed(live, err);
    return 0;
}

/* Whether this side's own expansion of the groups gives the daemon's digests.
 */
static int verify(struct live *live, const struct serry_assignment *assignment,
                  struct error *err)
{
    return serry_verify(assignment, &live->err) < 0 ? live_failed(live, err)
                                                    : 0;
}

static int show_one(struct live *live, uint32_t rank,
                    const struct serry_generation *generation,
                    struct error *err)
{
    bool creation = option_given(live->v, "creation");
    struct serry_assignment *assignment;
    int rc;

    if (fetch(live, rank, generation, &assignment, err) < 0)
        return -1;
    rc = verify(live, assignment, err);
    if (rc == 0 && live->v->out.format == FORMAT_TABLE)
        rc = assignment_show(live, assignment, creation, err);
    else if (rc == 0)
        rc = assignment_print(live, assignment, creation, err);
    serry_free(assignment);
    return rc;
}

/* ---- all of them --------------------------------------------------------- */

/* Ranks of a placement, ascending. */
struct ranks {
    uint32_t *items;
    size_t n;
};

static int compare_ranks(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static size_t count_listed(const struct tree *groups, uint32_t *to)
{
    size_t n = 0;

    for (const struct tree *g = tree_first(groups); g != NULL; g = g->next)
        for (const struct tree *i = tree_first(tree_get(g, "instances"));
             i != NULL; i = i->next)
            for (const struct tree *t = tree_first(tree_get(i, "ranks"));
                 t != NULL; t = t->next, n++)
                if (to != NULL)
                    to[n] = (uint32_t)t->u.integer;
    return n;
}

/* Those that the node groups list. */
static int listed_ranks(struct live *live, const struct tree *groups,
                        struct ranks *ret, struct error *err)
{
    size_t n = count_listed(groups, NULL), kept = 0;
    uint32_t *items = arena_array(live->v->arena, n + 1, sizeof(*items));

    if (items == NULL)
        return error_exhausted(err);
    count_listed(groups, items);
    qsort(items, n, sizeof(*items), compare_ranks);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || items[i] != items[i - 1])
            items[kept++] = items[i];
    *ret = (struct ranks){ items, kept };
    return 0;
}

/* Those of a world: as many as it has from the lowest on, which is found by
 * asking. */
static int world_ranks(struct live *live, const struct serry_placement *p,
                       struct ranks *ret, struct error *err)
{
    uint32_t *items = arena_array(live->v->arena, p->ranks + 1, sizeof(*items));
    struct serry_assignment *first;
    uint32_t lowest = 0;

    if (items == NULL)
        return error_exhausted(err);
    while (fetch(live, lowest, &p->generation, &first, err) < 0)
        if (err->status != STATUS_UNKNOWN_NAME || ++lowest == LOWEST_MAX)
            return -1;
    serry_free(first);
    for (uint32_t i = 0; i < p->ranks; i++)
        items[i] = lowest + i;
    *ret = (struct ranks){ items, p->ranks };
    return 0;
}

static int find_ranks(struct live *live, const struct serry_placement *p,
                      struct ranks *ret, struct error *err)
{
    const struct tree *verdict, *groups;

    if (p->ranks > ALL_MAX)
        return error_set(err, STATUS_INVALID,
                         "%s has %" PRIu32 " ranks; --all prints at most %d, "
                         "so name one with --rank",
                         p->name, p->ranks, ALL_MAX);
    if (live_json(live->v->arena,
                  p->verdict_json != NULL ? p->verdict_json : "{}", &verdict,
                  err) < 0)
        return -1;
    groups = tree_get(verdict, "node_groups");
    return tree_first(groups) != NULL ? listed_ranks(live, groups, ret, err)
                                      : world_ranks(live, p, ret, err);
}

static void show_title(struct output *out, const struct serry_placement *p)
{
    char room[LIVE_WORD];

    output_put(out, STYLE_BOLD, p->name);
    output_printf(out, STYLE_PLAIN, " at generation %s: %" PRIu32 " ranks",
                  live_generation(&p->generation, room), p->ranks);
    output_line(out);
}

/* A table for people, a document for each rank for others. */
static int show_ranks(struct live *live, const struct serry_placement *p,
                      const struct ranks *ranks, struct error *err)
{
    struct assignment_table table = { .live = live };

    live->v->out.documents = true;
    if (live->v->out.format == FORMAT_TABLE)
        show_title(&live->v->out, p);
    for (size_t i = 0; i < ranks->n; i++) {
        struct serry_assignment *assignment;
        int rc = 0;

        if (live->v->out.format != FORMAT_TABLE) {
            if (show_one(live, ranks->items[i], &p->generation, err) < 0)
                return -1;
            continue;
        }
        if (fetch(live, ranks->items[i], &p->generation, &assignment, err) < 0)
            return -1;
        /* The groups and digests of one rank are those of all. */
        if (i == 0)
            rc = verify(live, assignment, err);
        if (rc == 0)
            rc = assignment_table_add(&table, assignment, err);
        serry_free(assignment);
        if (rc < 0)
            return -1;
    }
    return live->v->out.format == FORMAT_TABLE
               ? assignment_table_end(&table, err)
               : 0;
}

static int show_all(struct live *live, struct error *err)
{
    struct serry_placement *p;
    struct ranks ranks = { 0 };
    int rc;

    if (serry_get_placement(live->client, live->v->operands[0], &p,
                            &live->err) < 0)
        return live_failed(live, err);
    rc = find_ranks(live, p, &ranks, err);
    if (rc == 0)
        rc = show_ranks(live, p, &ranks, err);
    serry_free(p);
    return rc;
}

/* ---- the command --------------------------------------------------------- */

static int assignment(struct live *live, int *ret_exit, struct error *err)
{
    const struct serry_generation *generation;
    struct serry_generation room;
    uint64_t rank = 0;

    *ret_exit =
        live_option_generation(live->v, "generation", &room, &generation);
    if (*ret_exit == EXIT_OK)
        *ret_exit =
            live_option_number(live->v, "rank", VIEW_SPAN_MAX - 1, &rank);
    if (*ret_exit != EXIT_OK)
        return 0;
    if (option_given(live->v, "all"))
        return show_all(live, err);
    return show_one(live, (uint32_t)rank, generation, err);
}

static int run_assignment(struct invocation *v)
{
    bool all = option_given(v, "all");

    if (all == option_given(v, "rank"))
        return command_misused(v, all ? "--rank and --all exclude each other"
                                      : "--rank N or --all is missing");
    if (all && option_given(v, "generation"))
        return command_misused(v, "--all is of the generation in force, so "
                                  "there is no --generation");
    return live_run(v, assignment);
}

/* clang-format off */
static const struct option_row options[] = {
    { "rank",       0, "N",          "what this global rank gets" },
    { "all",        0, NULL,         "what every rank gets, in short" },
    { "generation", 0, "GENERATION", "only if this generation is in force" },
    { "creation",   0, NULL,         "show the groups to create, in order" },
    LIVE_OPTION_ADDRESS,
};
/* clang-format on */

const struct command command_assignment = {
    .name = "assignment",
    .arguments = "NAME (--rank N | --all)",
    .help = "print what the worker of a rank gets, as fetched and verified",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 1,
    .max_operands = 1,
    .run = run_assignment,
};
