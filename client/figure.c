/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as one SVG document. */
#include "client/figure.h"

#include <inttypes.h>

#include "client/layout.h"
#include "client/legend.h"
#include "client/svg.h"

enum {
    PAGE_W = 1200,    /* about; a wide grid makes it wider */
    PAGE_MARGIN = 24, /* around all */
    TITLE_CHARS = 100,
    BAND_PAD = 16, /* around the panels of a view */
    BAND_GAP = 20,
    PANEL_GAP = 28,
    PANEL_W_MIN = 240,
    PANEL_HEAD = 40, /* the list's name, and how many groups it has */
    NOTE_CHAR = 7,
    HEAD_CHAR = 8,
    AXES_CHARS = 100, /* of a view's axes */
    KEYS_MAX = 16,    /* groups in a legend */
    PICTURES_MAX = 32,
    VIEWS_MAX = 16,       /* of a picture */
    LISTS_MAX = 16,       /* of a view */
    CELLS_MAX = 16 << 10, /* of the document: about 4 MB */
};

/* A document being written. */
struct figure {
    struct text body;
    int width, y; /* of what is written */
    uint32_t cells;
};

static void put_note(struct figure *f, int x, int y, const char *style,
                     struct text *words)
{
    svg_words(&f->body, style, x, y, text_string(words));
    text_close(words);
}

static void reach(struct figure *f, int x)
{
    if (x > f->width)
        f->width = x;
}

/* ---- a panel: one list of a view ------------------------------------------
 */

/* A view's place: its panels stand in lines. */
struct band {
    const struct picture *picture;
    const struct picture_view *view;
    struct layout layout;
    int panel_w, per_line;
    int lines[LISTS_MAX]; /* heights of the lines of panels */
    int head;             /* height of what stands above them */
    int width, height;
};

static size_t shown_lists(const struct band *b)
{
    return b->view->n_lists < LISTS_MAX ? b->view->n_lists : LISTS_MAX;
}

static int panel_height(const struct band *b, size_t i)
{
    return PANEL_HEAD + b->layout.height + 12 +
           legend_height(b->picture, &b->view->lists[i], b->panel_w);
}

static int count_lines(const struct band *b)
{
    return ((int)shown_lists(b) + b->per_line - 1) / b->per_line;
}

/* Every line is as high as its highest panel. */
static void size_lines(struct band *b)
{
    for (size_t i = 0; i < shown_lists(b); i++) {
        int *line = &b->lines[i / (size_t)b->per_line];

        if (panel_height(b, i) > *line)
            *line = panel_height(b, i);
    }
}

static void draw_panel(struct figure *f, const struct band *b,
                       const struct picture_list *list, int x, int y)
{
    uint32_t n = lists_count(&list->lists);
    struct text text = { 0 };

    svg_fit(&text, list->name, b->panel_w / 8);
    put_note(f, x, y + 14, "list", &text);
    text_printf(&text, "%" PRIu32 " group%s of %s%" PRIu32, n,
                n == 1 ? "" : "s", list->lists.run != 0 ? "up to " : "",
                lists_length(&list->lists));
    put_note(f, x, y + 30, "note", &text);
    f->cells += b->layout.n_drawn;
    if (f->cells > CELLS_MAX) {
        text_put(&text, "not drawn: the picture has too many ranks");
        put_note(f, x, y + PANEL_HEAD + 14, "note", &text);
        return;
    }
    layout_draw(&b->layout, list, x, y + PANEL_HEAD, &f->body);
    legend_draw(&f->body, b->picture, list, x,
                y + PANEL_HEAD + b->layout.height + 12, b->panel_w);
}

/* ---- a band: one view ------------------------------------------------------
 */

/* "a 2 × b 4" */
static void put_axes(const struct band *b, struct text *out)
{
    const struct view *view = b->view->view;
    struct text axes = { 0 };

    for (int a = 0; a < view->n_axes; a++)
        if (view->axes[a].size > 1)
            text_printf(&axes, "%s%.64s %" PRIu32, axes.len > 0 ? " × " : "",
                        view->axes[a].name, view->axes[a].size);
    svg_fit(out, text_string(&axes), AXES_CHARS);
    text_close(&axes);
}

static bool is_summarised(const struct band *b)
{
    return b->layout.n_drawn < picture_ranks(b->picture);
}

static bool is_cut(const struct band *b)
{
    return is_summarised(b) || b->view->n_lists > LISTS_MAX;
}

static bool has_name(const struct band *b)
{
    return b->view->name[0] != '\0';
}

static int band_head(const struct band *b)
{
    return (has_name(b) ? 22 : 0) + 28 + (is_cut(b) ? 18 : 0);
}

/* What is drawn of it, where that is not all. */
static void put_cut(const struct band *b, struct text *out)
{
    if (is_summarised(b))
        text_printf(out,
                    "%" PRIu32 " of %" PRIu32 " ranks are drawn: the first "
                    "ones of long axes, ⋯, and the last",
                    b->layout.n_drawn, picture_ranks(b->picture));
    if (b->view->n_lists > LISTS_MAX)
        text_printf(out, "%s%zu more lists are not drawn",
                    is_summarised(b) ? "; " : "", b->view->n_lists - LISTS_MAX);
}

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

/* Pixels that words take, about; never less. */
static int width_of(struct text *words, int char_width)
{
    int width = output_columns(text_string(words)) * char_width;

    text_close(words);
    return width;
}

/* Grids, legends and headings stay inside. */
static int panel_width(const struct band *b)
{
    struct text axes = { 0 }, cut = { 0 };
    int widest = max_of(b->layout.width, PANEL_W_MIN);

    put_axes(b, &axes);
    put_cut(b, &cut);
    widest = max_of(widest, width_of(&axes, HEAD_CHAR));
    widest = max_of(widest, width_of(&cut, NOTE_CHAR));
    for (size_t i = 0; i < shown_lists(b); i++)
        widest = max_of(widest, legend_width(b->picture, &b->view->lists[i]));
    return widest;
}

static size_t count_lists(const struct picture *p)
{
    size_t n = 0;

    for (size_t v = 0; v < p->n_views && v < VIEWS_MAX; v++)
        n += p->views[v].n_lists < LISTS_MAX ? p->views[v].n_lists : LISTS_MAX;
    return n;
}

static void size_band(struct band *b, const struct picture *picture,
                      const struct picture_view *view, int width)
{
    int room = width - 2 * BAND_PAD;

    *b = (struct band){ .picture = picture, .view = view };
    layout_make(&b->layout, picture, view, count_lists(picture), room);
    b->panel_w = panel_width(b);
    b->per_line = (room + PANEL_GAP) / (b->panel_w + PANEL_GAP);
    if (b->per_line > (int)shown_lists(b))
        b->per_line = (int)shown_lists(b);
    if (b->per_line < 1)
        b->per_line = 1;
    b->width =
        b->per_line * (b->panel_w + PANEL_GAP) - PANEL_GAP + 2 * BAND_PAD;
    size_lines(b);
}

/* Lines of views side by side begin at the same height. */
static void align_bands(struct band *bands, size_t n)
{
    int head = 0;

    for (size_t i = 0; i < n; i++)
        if (band_head(&bands[i]) > head)
            head = band_head(&bands[i]);
    for (size_t i = 0; i < n; i++) {
        struct band *b = &bands[i];

        for (int l = 0; l < count_lines(b); l++)
            for (size_t k = 0; k < n; k++)
                if (l < count_lines(&bands[k]) &&
                    bands[k].lines[l] > b->lines[l])
                    b->lines[l] = bands[k].lines[l];
        b->head = head;
        b->height = 2 * BAND_PAD + head - PANEL_GAP;
        for (int l = 0; l < count_lines(b); l++)
            b->height += b->lines[l] + PANEL_GAP;
        if (b->height < 2 * BAND_PAD + head)
            b->height = 2 * BAND_PAD + head;
    }
}

static void draw_band_head(struct figure *f, const struct band *b, int x, int y)
{
    struct text text = { 0 };

    if (has_name(b)) {
        text_put(&text, "view ");
        svg_fit(&text, b->view->name, 20);
        put_note(f, x, y + 16, "head", &text);
        y += 22;
    }
    put_axes(b, &text);
    put_note(f, x, y + 14, "axes", &text);
    put_cut(b, &text);
    if (text.len > 0)
        put_note(f, x, y + 34, "note", &text);
}

static void draw_band(struct figure *f, const struct band *b, int x, int y,
                      int height)
{
    svg_rect(&f->body, "band", x, y, b->width, height);
    reach(f, x + b->width);
    x += BAND_PAD;
    y += BAND_PAD;
    draw_band_head(f, b, x, y);
    y += b->head;
    for (size_t i = 0; i < shown_lists(b); i++) {
        int column = (int)i % b->per_line;

        if (i > 0 && column == 0)
            y += b->lines[(int)i / b->per_line - 1] + PANEL_GAP;
        draw_panel(f, b, &b->view->lists[i],
                   x + column * (b->panel_w + PANEL_GAP), y);
    }
}

/* ---- a picture: the views of some ranks ------------------------------------
 */

/* Views that stand side by side. */
static void draw_line(struct figure *f, const struct picture *p, size_t from,
                      size_t to, int width)
{
    struct band bands[VIEWS_MAX];
    int highest = 0, x = PAGE_MARGIN;

    for (size_t v = from; v < to; v++)
        size_band(&bands[v - from], p, &p->views[v], width);
    align_bands(bands, to - from);
    for (size_t v = from; v < to; v++)
        if (bands[v - from].height > highest)
            highest = bands[v - from].height;
    for (size_t v = from; v < to; v++) {
        draw_band(f, &bands[v - from], x, f->y, highest);
        x += bands[v - from].width + BAND_GAP;
    }
    f->y += highest + BAND_GAP;
}

/* A line that says what is not drawn. */
static void draw_left_out(struct figure *f, struct text *words)
{
    struct text fitted = { 0 };

    svg_fit(&fitted, text_string(words), 2 * TITLE_CHARS);
    reach(f, PAGE_MARGIN + output_columns(text_string(&fitted)) * NOTE_CHAR);
    put_note(f, PAGE_MARGIN, f->y, "note", &fitted);
    text_close(words);
    f->y += BAND_GAP;
}

static void draw_picture(struct figure *f, const struct picture *p)
{
    size_t n = p->n_views < VIEWS_MAX ? p->n_views : VIEWS_MAX;
    size_t per_line = n <= 3 ? n : 2;
    int width = (PAGE_W - ((int)per_line - 1) * BAND_GAP) / (int)per_line;
    struct text text = { 0 };

    if (p->title[0] != '\0') {
        svg_fit(&text, p->title, TITLE_CHARS);
        put_note(f, PAGE_MARGIN, f->y + 14, "head", &text);
        f->y += 28;
    }
    for (size_t v = 0; v < n; v += per_line)
        draw_line(f, p, v, v + per_line < n ? v + per_line : n, width);
    if (p->n_views > n) {
        text_printf(&text, "%zu more views are not drawn", p->n_views - n);
        draw_left_out(f, &text);
    }
    if (p->apart != NULL && p->apart[0] != '\0') {
        text_printf(&text, "not drawn: %s", p->apart);
        draw_left_out(f, &text);
    }
}

/* ---- the whole -------------------------------------------------------------
 */

static void draw_head(struct figure *f, const char *title, const char *subtitle)
{
    struct text text = { 0 };

    f->y = PAGE_MARGIN;
    svg_fit(&text, title, TITLE_CHARS);
    reach(f, PAGE_MARGIN + output_columns(text_string(&text)) * 11);
    put_note(f, PAGE_MARGIN, f->y + 18, "title", &text);
    f->y += 28;
    if (subtitle[0] != '\0') {
        svg_fit(&text, subtitle, 2 * TITLE_CHARS);
        reach(f, PAGE_MARGIN + output_columns(text_string(&text)) * 7);
        put_note(f, PAGE_MARGIN, f->y + 14, "sub", &text);
        f->y += 22;
    }
    f->y += 10;
}

static void draw_foot(struct figure *f)
{
    static const char words[] =
        "A cell is a rank. In a panel, ranks of one colour and letter form a "
        "group. Axes stand outermost first.";

    reach(f, PAGE_MARGIN + 600);
    svg_words(&f->body, "note", PAGE_MARGIN, f->y + 6, words);
    f->y += PAGE_MARGIN;
}

int figure_write(struct text *out, const char *title, const char *subtitle,
                 const struct picture *pictures, size_t n, struct error *err)
{
    size_t drawn = n < PICTURES_MAX ? n : PICTURES_MAX;
    struct figure f = { 0 };
    bool failed;

    draw_head(&f, title, subtitle);
    for (size_t i = 0; i < drawn; i++)
        draw_picture(&f, &pictures[i]);
    if (drawn < n) {
        struct text text = { 0 };

        text_printf(&text, "%zu more node groups are not drawn", n - drawn);
        draw_left_out(&f, &text);
    }
    draw_foot(&f);
    svg_begin(out, f.width + PAGE_MARGIN, f.y + 4, title);
    text_put_bytes(out, text_string(&f.body), f.body.len);
    svg_end(out);
    failed = f.body.failed || out->failed;
    text_close(&f.body);
    return failed ? error_exhausted(err) : 0;
}
