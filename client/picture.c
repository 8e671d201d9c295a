/* SPDX-License-Identifier: Apache-2.0 */
/* Draws for a terminal who stands where: grids side by side, and groups. */
#include "client/picture.h"

#include <inttypes.h>
#include <limits.h>

enum {
    MEMBERS_MAX = 8,  /* of a group that is written out */
    CHOSEN_MAX = 256, /* of a list that was asked for: groups, and members of
                         each */
    GAP = 4,          /* between pictures side by side */
};

int picture_digits(uint32_t n)
{
    int count = 1;

    while (n >= 10) {
        n /= 10;
        count++;
    }
    return count;
}

/* ---- grids --------------------------------------------------------------- */

static bool draw_view(struct output *out, enum picture_room how,
                      const struct picture *p, const struct picture_view *view)
{
    if (p->n_views > 1) {
        output_printf(out, STYLE_BOLD, "view %.64s", view->name);
        output_line(out);
        output_line(out);
    }
    return picture_grid(out, how, p, view);
}

static bool draw_part(const struct output *out, int width,
                      enum picture_room how, const struct picture *p, size_t v,
                      struct output *ret)
{
    output_close(ret);
    *ret = (struct output){ .colour = out->colour,
                            .utf8 = out->utf8,
                            .width = width };
    return draw_view(ret, how, p, &p->views[v]);
}

/* Draws every view, each at most `width` columns wide. Returns the columns that
 * they take side by side; INT_MAX: one does not fit. */
static int draw_parts(const struct output *out, int width,
                      enum picture_room how, const struct picture *p,
                      struct output *parts)
{
    int sum = -GAP;
    bool fit = true;

    for (size_t v = 0; v < p->n_views; v++) {
        fit = draw_part(out, width, how, p, v, &parts[v]) && fit;
        sum += GAP + output_widest(&parts[v]);
    }
    return fit ? sum : INT_MAX;
}

/* As wide as they like, else of one width, else the same with less words. */
static bool fit_parts(const struct output *out, int room,
                      const struct picture *p, struct output *parts)
{
    int n = (int)p->n_views, share = (room - (n - 1) * GAP) / n;

    for (int how = PICTURE_WIDE; how <= PICTURE_COMPACT; how++)
        if (draw_parts(out, room, (enum picture_room)how, p, parts) <= room ||
            draw_parts(out, share, (enum picture_room)how, p, parts) <= room)
            return true;
    return false;
}

/* Side by side if they fit, else one below the other. */
static void draw_grids(struct output *out, int indent, const struct picture *p,
                       struct arena *arena)
{
    struct output *parts = arena_array(arena, p->n_views, sizeof(*parts));
    int room = out->width - indent;

    if (parts == NULL)
        return;
    if (fit_parts(out, room, p, parts)) {
        output_beside(out, indent, parts, p->n_views, GAP);
        output_line(out);
    } else {
        for (size_t v = 0; v < p->n_views; v++) {
            bool fits = false;

            for (int how = 0; how < PICTURE_ROOMS && !fits; how++)
                fits = draw_part(out, room, (enum picture_room)how, p, v,
                                 &parts[v]);
            if (!fits) {
                output_put(&parts[v], STYLE_DIM, "(too wide to draw)");
                output_line(&parts[v]);
            }
            output_beside(out, indent, &parts[v], 1, 0);
            output_line(out);
        }
    }
    for (size_t v = 0; v < p->n_views; v++)
        output_close(&parts[v]);
}

/* ---- groups -------------------------------------------------------------- */

/* Writes a group as {0,1}; a long one as {0,1,...,63}. */
static void print_group(const struct picture *p, const struct lists *lists,
                        uint32_t i, struct text *out)
{
    uint32_t length = lists_length_of(lists, i);
    bool cut = length > (p->chosen ? CHOSEN_MAX : MEMBERS_MAX);
    uint32_t n = cut ? 2 : length;

    for (uint32_t j = 0; j < n; j++)
        text_printf(out, "%s%" PRIu32, j == 0 ? "{" : ",",
                    picture_rank(p, lists_member(lists, i, j)));
    if (cut)
        text_printf(out, ",...,%" PRIu32,
                    picture_rank(p, lists_member(lists, i, length - 1)));
    text_put(out, "}");
}

/* The groups of a list, wrapped; as many ranks as are drawn. */
static void put_groups(struct output *out, int indent, const struct picture *p,
                       const struct picture_list *list, int label_width)
{
    const struct lists *lists = &list->lists;
    int start = indent + label_width, column = start;
    uint32_t count = lists_count(lists), shown = 0, i;
    uint32_t most =
        p->chosen ? CHOSEN_MAX * lists_length(lists) : PICTURE_RANKS_MAX;

    output_spaces(out, indent);
    output_put(out, STYLE_NAME, list->name);
    if (!p->chosen)
        output_put(out, STYLE_DIM, " groups");
    output_spaces(out, label_width - output_columns(list->name) -
                           (p->chosen ? 0 : 7));
    for (i = 0; i < count && shown < most; i++) {
        struct text group = { 0 };

        print_group(p, lists, i, &group);
        if (column + (int)group.len > out->width && column > start) {
            output_line(out);
            output_spaces(out, start);
            column = start;
        }
        output_put(out, picture_style(i), text_string(&group));
        output_put(out, STYLE_PLAIN, " ");
        column += (int)group.len + 1;
        shown += lists_length(lists);
        text_close(&group);
    }
    if (i < count)
        output_put(out, STYLE_DIM, "...");
    output_line(out);
}

static void draw_groups(struct output *out, int indent, const struct picture *p)
{
    int width = 0;

    for (size_t v = 0; v < p->n_views; v++)
        for (size_t i = 0; i < p->views[v].n_lists; i++) {
            int columns = output_columns(p->views[v].lists[i].name);

            if (columns > width)
                width = columns;
        }
    width += p->chosen ? 2 : 9;
    for (size_t v = 0; v < p->n_views; v++)
        for (size_t i = 0; i < p->views[v].n_lists; i++)
            put_groups(out, indent, p, &p->views[v].lists[i],
                       width < out->width / 2 ? width : 0);
}

/* ---- the whole ----------------------------------------------------------- */

void picture_draw(struct output *out, int indent, const struct picture *p,
                  struct arena *arena)
{
    if (picture_ranks(p) < 2)
        return;
    draw_grids(out, indent, p, arena);
    draw_groups(out, indent, p);
    output_line(out);
    picture_table(out, indent, p, arena);
}
