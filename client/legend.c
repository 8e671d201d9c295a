/* SPDX-License-Identifier: Apache-2.0 */
/* The legend of a list in an SVG picture: which colour is which group. */
#include "client/legend.h"

#include <inttypes.h>

#include "client/layout.h"
#include "client/svg.h"

enum {
    KEY_H = 18,
    KEY_CHAR = 7,
    KEYS_MAX = 16, /* groups that are shown */
    KEY_MEMBERS_MAX = 8,
};

static void put_words(struct text *out, int x, int y, const char *style,
                      struct text *words)
{
    svg_words(out, style, x, y, text_string(words));
    text_close(words);
}

/* "{0, 1}", a long one "{0, 1, ..., 31}". */
static void put_members(const struct picture *p, const struct lists *lists,
                        uint32_t i, struct text *out)
{
    uint32_t length = lists_length_of(lists, i);
    bool cut = length > KEY_MEMBERS_MAX;
    uint32_t n = cut ? 3 : length;

    text_put(out, "{");
    for (uint32_t j = 0; j < n; j++)
        text_printf(out, "%s%" PRIu32, j > 0 ? ", " : "",
                    picture_rank(p, lists_member(lists, i, j)));
    if (cut)
        text_printf(out, ", … %" PRIu32,
                    picture_rank(p, lists_member(lists, i, length - 1)));
    text_put(out, "}");
}

static uint32_t shown_keys(const struct picture_list *list)
{
    uint32_t n = lists_count(&list->lists);

    return n < KEYS_MAX ? n : KEYS_MAX;
}

/* Pixels that the longest entry takes. */
int legend_width(const struct picture *p, const struct picture_list *list)
{
    int widest = 0;

    for (uint32_t i = 0; i < shown_keys(list); i++) {
        struct text text = { 0 };
        int columns;

        put_members(p, &list->lists, i, &text);
        columns = output_columns(text_string(&text));
        if (columns > widest)
            widest = columns;
        text_close(&text);
    }
    return widest * KEY_CHAR + 32;
}

static int key_columns(const struct picture *p, const struct picture_list *list,
                       int width)
{
    int columns = width / legend_width(p, list);

    return columns > 0 ? columns : 1;
}

int legend_height(const struct picture *p, const struct picture_list *list,
                  int width)
{
    int columns = key_columns(p, list, width);
    int n = (int)shown_keys(list);
    bool more = lists_count(&list->lists) > KEYS_MAX;

    return ((n + columns - 1) / columns + more) * KEY_H;
}

static void draw_key(struct text *out, const struct picture *p,
                     const struct picture_list *list, uint32_t i, int x, int y)
{
    struct text text = { 0 };
    char tag[LAYOUT_TAG];

    svg_cell(out, i, x, y, 20, 14);
    svg_words(out, "mark", x + 10, y + 10, layout_tag(i, tag));
    put_members(p, &list->lists, i, &text);
    put_words(out, x + 26, y + 11, "key", &text);
}

/* Down its columns. */
void legend_draw(struct text *out, const struct picture *p,
                 const struct picture_list *list, int x, int y, int width)
{
    uint32_t n = shown_keys(list), all = lists_count(&list->lists);
    int columns = key_columns(p, list, width);
    int rows = ((int)n + columns - 1) / columns;
    struct text text = { 0 };

    for (uint32_t i = 0; i < n; i++)
        draw_key(out, p, list, i, x + (int)i / rows * (width / columns),
                 y + (int)i % rows * KEY_H);
    if (all == n)
        return;
    text_printf(&text, "and %" PRIu32 " more groups", all - n);
    put_words(out, x, y + rows * KEY_H + 12, "note", &text);
}
