/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments for people: one at length, or many in a table. */
#include "client/assignment_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    INDENT = 2,
    MEMBERS_MAX = 64,  /* printed of one group */
    CREATED_MAX = 256, /* groups of the creation sequence that are printed */
    TITLES = 6,
};

static const char *const titles[TITLES] = {
    "rank", "nodes", "group", "instance", "place", "holds",
};

/* ---- cells --------------------------------------------------------------- */

/* Along axes of several ranks: "a 1 of 2, b 0 of 4". */
static void put_coordinates(const struct serry_node *node, struct text *out)
{
    const char *joint = "";

    for (size_t i = 0; i < node->n_coordinates; i++) {
        const struct serry_coordinate *c = node->coordinates[i];

        if (c->size < 2)
            continue;
        text_printf(out, "%s%s %" PRIu32 " of %" PRIu32, joint, c->axis,
                    c->coordinate, c->size);
        joint = ", ";
    }
}

static void put_share(const struct serry_share *share, struct text *out)
{
    text_put(out, share->what);
    if (share->resource != NULL)
        text_printf(out, " (%s)", share->resource);
    if (!share->has_range)
        text_printf(out, " part %" PRIu32 " of %" PRIu32, share->part,
                    share->parts);
    else if (share->end == share->begin + 1)
        text_printf(out, " %" PRIu64 " of %" PRIu64, share->begin,
                    share->total);
    else if (share->end <= share->begin)
        text_printf(out, " none of %" PRIu64, share->total);
    else
        text_printf(out, " %" PRIu64 "-%" PRIu64 " of %" PRIu64, share->begin,
                    share->end - 1, share->total);
}

/* What the rank holds a part of; all of something is not said. */
static void put_shares(const struct serry_node *node, struct text *out)
{
    const char *joint = "";

    for (size_t i = 0; i < node->n_shares; i++) {
        if (node->shares[i]->parts < 2)
            continue;
        text_put(out, joint);
        put_share(node->shares[i], out);
        joint = ", ";
    }
}

static const char *keep(struct text *text, struct arena *arena)
{
    const char *copy = arena_strdup(arena, text_string(text));

    text_close(text);
    return copy;
}

/* Whether two nodes of a rank are in the same place and hold the same. */
static bool is_alike(const struct serry_node *a, const struct serry_node *b)
{
    struct text x = { 0 }, y = { 0 };
    bool alike;

    put_shares(a, &x);
    put_shares(b, &y);
    alike = a->group == b->group && a->instance == b->instance &&
            a->instance_rank == b->instance_rank &&
            strcmp(text_string(&x), text_string(&y)) == 0;
    text_close(&x);
    text_close(&y);
    return alike;
}

/* Row of node i and those behind it that are alike; returns the next one. */
static size_t fill_row(const struct serry_assignment *a, size_t i,
                       struct cell *row, struct arena *arena)
{
    const struct serry_node *node = serry_node_at(a, i);
    struct text text[TITLES] = { { 0 } };

    if (i == 0)
        text_printf(&text[0], "%" PRIu32, serry_assignment_rank(a));
    text_printf(&text[2], "%" PRIu32, node->group);
    text_printf(&text[3], "%" PRIu32, node->instance);
    if (node->instance_size > 1)
        text_printf(&text[3], ": %" PRIu32 " of %" PRIu32, node->instance_rank,
                    node->instance_size);
    put_coordinates(node, &text[4]);
    put_shares(node, &text[5]);
    do {
        text_printf(&text[1], "%s%s", text[1].len > 0 ? ", " : "",
                    serry_node_at(a, i)->name);
        i++;
    } while (i < serry_node_count(a) && is_alike(node, serry_node_at(a, i)));
    for (int c = 0; c < TITLES; c++)
        row[c].text = keep(&text[c], arena);
    row[1].style = STYLE_NAME;
    return i;
}

/* ---- many ---------------------------------------------------------------- */

/* A new row; NULL: no memory. */
static struct cell *add_row(struct assignment_table *table)
{
    struct arena *arena = table->live->v->arena;
    struct cell *cells;

    if (table->n_rows == table->room) {
        size_t room = table->room > 0 ? 2 * table->room : 64;

        cells = arena_array(arena, room * TITLES, sizeof(*cells));
        if (cells == NULL)
            return NULL;
        if (table->n_rows > 0)
            memcpy(cells, table->cells,
                   table->n_rows * TITLES * sizeof(*cells));
        table->cells = cells;
        table->room = room;
    }
    return &table->cells[table->n_rows++ * TITLES];
}

static int begin_table(struct assignment_table *table, struct error *err)
{
    struct cell *row = add_row(table);

    if (row == NULL)
        return error_exhausted(err);
    for (int c = 0; c < TITLES; c++)
        row[c] = (struct cell){ titles[c], STYLE_DIM };
    return 0;
}

int assignment_table_begin(struct assignment_table *table,
                           const struct serry_placement *p, struct error *err)
{
    struct output *out = &table->live->v->out;
    char room[LIVE_WORD];

    output_put(out, STYLE_BOLD, p->name);
    output_printf(out, STYLE_PLAIN, " at generation %s: %" PRIu32 " ranks",
                  live_generation(&p->generation, room), p->ranks);
    output_line(out);
    return begin_table(table, err);
}

int assignment_table_add(struct assignment_table *table,
                         const struct serry_assignment *a, struct error *err)
{
    for (size_t i = 0; i < serry_node_count(a);) {
        struct cell *row = add_row(table);

        if (row == NULL)
            return error_exhausted(err);
        i = fill_row(a, i, row, table->live->v->arena);
    }
    return 0;
}

void assignment_table_end(struct assignment_table *table)
{
    output_table(&table->live->v->out, INDENT, table->cells, TITLES,
                 table->n_rows, 1u << 0 | 1u << 2);
}

/* ---- one ----------------------------------------------------------------- */

static void put_members(const uint32_t *ranks, size_t n, struct text *out)
{
    text_put(out, "{");
    for (size_t i = 0; i < n && i < MEMBERS_MAX; i++)
        text_printf(out, "%s%" PRIu32, i > 0 ? "," : "", ranks[i]);
    text_put(out, n > MEMBERS_MAX ? ",...}" : "}");
}

static void show_groups(struct output *out, const struct serry_assignment *a)
{
    bool titled = false;

    for (size_t i = 0; i < serry_list_count(a); i++) {
        struct text text = { 0 }, label = { 0 };
        struct serry_group *group;

        if (serry_group_of(a, serry_list_name(a, i), serry_assignment_rank(a),
                           &group, NULL) < 0)
            continue;
        if (group->length > 1) {
            if (!titled)
                output_paragraph(out, INDENT, STYLE_PLAIN, "", STYLE_BOLD,
                                 "its groups");
            titled = true;
            text_printf(&label, "%s  ", serry_list_name(a, i));
            put_members(group->ranks, group->length, &text);
            output_paragraph(out, 2 * INDENT, STYLE_NAME, text_string(&label),
                             STYLE_PLAIN, text_string(&text));
        }
        text_close(&text);
        text_close(&label);
        serry_free(group);
    }
}

static void put_end(struct text *out, int32_t group, uint32_t size)
{
    if (group < 0)
        text_put(out, "outside");
    else
        text_printf(out, "group %" PRId32, group);
    if (size > 1)
        text_printf(out, " (%" PRIu32 " ranks)", size);
}

static void put_sends(const struct serry_transfer *t, struct text *out)
{
    uint64_t units = (uint64_t)t->from_size * t->to_size;

    text_put(out, "; sends to");
    for (size_t i = 0; i < t->n_sends && i < MEMBERS_MAX; i++) {
        text_printf(out, "%s %" PRIu32, i > 0 ? "," : "", t->sends[i]->to_rank);
        if (!t->sends[i]->whole)
            text_printf(out, " [%" PRIu64 ",%" PRIu64 ") of %" PRIu64,
                        t->sends[i]->begin, t->sends[i]->end, units);
    }
    if (t->n_sends > MEMBERS_MAX)
        text_put(out, ", ...");
}

static void show_transfer(struct output *out, const struct serry_node *node,
                          const struct serry_transfer *t)
{
    struct text text = { 0 }, label = { 0 };

    text_printf(&label, "%s  ", t->signal);
    text_printf(&text, "%s in %s: ", node->name, t->walk);
    put_end(&text, t->from_group, t->from_size);
    text_put(&text, " to ");
    put_end(&text, t->to_group, t->to_size);
    if (t->sharded)
        text_printf(&text, ", cut along dimension %" PRIu32, t->dim);
    if (t->n_sends > 0)
        put_sends(t, &text);
    if (t->receives)
        text_printf(&text, "; receives from %" PRIu32, t->fan_in);
    output_paragraph(out, 2 * INDENT, STYLE_NAME, text_string(&label),
                     STYLE_PLAIN, text_string(&text));
    text_close(&text);
    text_close(&label);
}

static void show_signals(struct output *out, const struct serry_assignment *a)
{
    bool titled = false;

    for (size_t i = 0; i < serry_node_count(a); i++) {
        const struct serry_node *node = serry_node_at(a, i);

        for (size_t k = 0; k < node->n_transfers; k++) {
            if (!titled)
                output_paragraph(out, INDENT, STYLE_PLAIN, "", STYLE_BOLD,
                                 "its signals");
            titled = true;
            show_transfer(out, node, node->transfers[k]);
        }
    }
}

static int show_creation(struct live *live, const struct serry_assignment *a,
                         struct error *err)
{
    struct output *out = &live->v->out;
    struct serry_creation *creation;
    struct serry_created created;
    size_t n = 0;

    if (serry_creation_begin(a, &creation, &live->err) < 0)
        return live_failed(live, err);
    output_paragraph(out, INDENT, STYLE_PLAIN, "", STYLE_BOLD,
                     "created in this order");
    while (n < CREATED_MAX && serry_creation_next(creation, &created)) {
        struct text text = { 0 };
        char label[32];

        snprintf(label, sizeof(label), "%zu. ", ++n);
        put_members(created.ranks, created.length, &text);
        text_printf(&text, " %s %s", created.backend, created.list);
        output_paragraph(out, 2 * INDENT, STYLE_DIM, label, STYLE_PLAIN,
                         text_string(&text));
        text_close(&text);
    }
    if (serry_creation_count(creation) > n) {
        output_spaces(out, 2 * INDENT);
        output_printf(out, STYLE_DIM, "... and %zu more",
                      serry_creation_count(creation) - n);
        output_line(out);
    }
    serry_free(creation);
    return 0;
}

static int show_digest(struct live *live, const struct serry_assignment *a,
                       struct error *err)
{
    struct serry_digests *digests;

    if (serry_digest(a, &digests, &live->err) < 0)
        return live_failed(live, err);
    output_paragraph(
        &live->v->out, INDENT, STYLE_GOOD, "verified ", STYLE_DIM,
        live_hex(live->v->arena, digests->total, SERRY_DIGEST_BYTES));
    serry_free(digests);
    return 0;
}

static void show_head(struct output *out, const struct serry_assignment *a)
{
    struct serry_generation generation = serry_assignment_generation(a);
    char room[LIVE_WORD];

    output_put(out, STYLE_BOLD, serry_assignment_placement(a));
    output_printf(out, STYLE_BOLD, " rank %" PRIu32, serry_assignment_rank(a));
    output_printf(out, STYLE_PLAIN,
                  " at generation %s: ", live_generation(&generation, room));
    if (serry_assignment_model(a)[0] != '\0') {
        output_put(out, STYLE_PLAIN, serry_assignment_model(a));
        output_put(out, STYLE_PLAIN, " under ");
    }
    output_put(out, STYLE_PLAIN, serry_assignment_runtime(a));
    output_line(out);
}

int assignment_show(struct live *live, const struct serry_assignment *a,
                    bool creation, struct error *err)
{
    struct assignment_table table = { .live = live };
    struct output *out = &live->v->out;
    const char *carried = serry_assignment_carried_json(a);

    show_head(out, a);
    if (begin_table(&table, err) < 0 ||
        assignment_table_add(&table, a, err) < 0)
        return -1;
    assignment_table_end(&table);
    show_groups(out, a);
    show_signals(out, a);
    if (creation && show_creation(live, a, err) < 0)
        return -1;
    if (carried[0] != '\0' && strcmp(carried, "{}") != 0)
        output_paragraph(out, INDENT, STYLE_PLAIN, "carried ", STYLE_PLAIN,
                         carried);
    return show_digest(live, a, err);
}
