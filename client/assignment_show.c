/* SPDX-License-Identifier: Apache-2.0 */
/* One assignment for people. */
#include "client/assignment_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    INDENT = 2,
    NAME_MAX_COLUMNS = 32, /* of names that groups are aligned behind */
    MEMBERS_MAX = 64,      /* printed of one group */
    CREATED_MAX = 256, /* groups of the creation sequence that are printed */
};

static void put_members(const uint32_t *ranks, size_t n, struct text *out)
{
    text_put(out, "{");
    for (size_t i = 0; i < n && i < MEMBERS_MAX; i++)
        text_printf(out, "%s%" PRIu32, i > 0 ? "," : "", ranks[i]);
    text_put(out, n > MEMBERS_MAX ? ",...}" : "}");
}

/* Columns of the longest name of a list, as far as groups may stand beside it.
 */
static int name_columns(const struct serry_assignment *a)
{
    int widest = 0;

    for (size_t i = 0; i < serry_list_count(a); i++) {
        int columns = output_columns(serry_list_name(a, i));

        if (columns > widest && columns <= NAME_MAX_COLUMNS)
            widest = columns;
    }
    return widest;
}

static void show_groups(struct output *out, const struct serry_assignment *a)
{
    int width = name_columns(a);
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
            text_printf(&label, "%-*s  ", width, serry_list_name(a, i));
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
            const struct serry_transfer *t = node->transfers[k];

            /* Another rank of the instance does it. */
            if (t->n_sends == 0 && !t->receives)
                continue;
            if (!titled)
                output_paragraph(out, INDENT, STYLE_PLAIN, "", STYLE_BOLD,
                                 "its signals");
            titled = true;
            show_transfer(out, node, t);
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

static void show_ports(struct output *out, const struct serry_assignment *a)
{
    struct text text = { 0 };
    size_t n;
    const struct serry_port *ports = serry_assignment_ports(a, &n);

    for (size_t i = 0; i < n; i++) {
        text_printf(&text, "%s%s %" PRIu32, i > 0 ? ", " : "", ports[i].purpose,
                    ports[i].port);
        if (ports[i].address[0] != '\0')
            text_printf(&text, " at %s", ports[i].address);
        if (ports[i].group >= 0)
            text_printf(&text, " of instance %" PRId32 " of group %" PRId32,
                        ports[i].instance, ports[i].group);
    }
    if (n > 0)
        output_paragraph(out, INDENT, STYLE_PLAIN, "ports ", STYLE_PLAIN,
                         text_string(&text));
    text_close(&text);
}

/* "gpu2, device 3 (GPU-...), local rank 3 of 8" */
static void show_binding(struct output *out, const struct serry_assignment *a)
{
    const struct serry_binding *b = serry_assignment_binding(a);
    struct text text = { 0 };

    if (b == NULL)
        return;
    text_printf(&text, "%s, device %" PRIu32, b->host, b->index);
    if (b->device[0] != '\0')
        text_printf(&text, " (%s)", b->device);
    text_printf(&text, ", local rank %" PRIu32 " of %" PRIu32, b->local_rank,
                b->local_world_size);
    output_paragraph(out, INDENT, STYLE_PLAIN, "on ", STYLE_PLAIN,
                     text_string(&text));
    text_close(&text);
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
    if (serry_assignment_listed_rank(a) != serry_assignment_rank(a))
        output_printf(out, STYLE_PLAIN, " (%" PRIu32 " in the request)",
                      serry_assignment_listed_rank(a));
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
    if (assignment_table_add(&table, a, err) < 0 ||
        assignment_table_end(&table, err) < 0)
        return -1;
    show_groups(out, a);
    show_signals(out, a);
    if (creation && show_creation(live, a, err) < 0)
        return -1;
    if (carried[0] != '\0' && strcmp(carried, "{}") != 0)
        output_paragraph(out, INDENT, STYLE_PLAIN, "carried ", STYLE_PLAIN,
                         carried);
    show_binding(out, a);
    show_ports(out, a);
    return show_digest(live, a, err);
}
