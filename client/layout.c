/* SPDX-License-Identifier: Apache-2.0 */
/* Where the ranks of a view stand in an SVG picture. */
#include "client/layout.h"

enum {
    CELL_W_MIN = 38,
    GRID_COLUMNS_MAX = 16,
    LINES_MAX = 64, /* coordinates of an axis that goes down, or of frames */
    LABEL_CHAR = 7, /* pixels of a character of a label, about */
    RANK_CHAR = 8,
};

/* ---- what is drawn of each level ----------------------------------------- */

bool level_is_cut(const struct level *level)
{
    return level->drawn < level->size;
}

int level_slots(const struct level *level)
{
    return (int)level->drawn + level_is_cut(level);
}

int64_t level_coordinate(const struct level *level, int slot)
{
    int last = level_slots(level) - 1;

    if (!level_is_cut(level))
        return slot;
    if (level->drawn == 1)
        return slot == 0 ? 0 : -1;
    if (slot == last)
        return level->size - 1;
    return slot == last - 1 ? -1 : slot;
}

/* What is left of `cells` for each list, between two bounds. */
static uint64_t share(uint64_t cells, size_t n_lists, uint64_t least,
                      uint64_t most)
{
    uint64_t one = n_lists > 0 ? cells / n_lists : most;

    return one < least ? least : one > most ? most : one;
}

/* Halves the longest levels until few enough ranks are left. */
static void cut_levels(struct layout *l, size_t n_lists)
{
    uint64_t most =
        share(LAYOUT_CELLS / 4, n_lists, LAYOUT_RANKS_MIN, LAYOUT_RANKS_MAX);
    uint64_t drawn = 1;

    for (int i = 0; i < l->n; i++)
        drawn *= l->levels[i].drawn;
    l->n_drawn = (uint32_t)drawn;
    if (drawn <=
        share(LAYOUT_CELLS, n_lists, LAYOUT_WHOLE_MIN, LAYOUT_WHOLE_MAX))
        return;
    while (drawn > most) {
        struct level *longest = &l->levels[0];

        for (int i = 1; i < l->n; i++)
            if (l->levels[i].drawn > longest->drawn)
                longest = &l->levels[i];
        drawn /= longest->drawn;
        /* With the ellipsis a power of two again: lines are full. */
        longest->drawn = longest->drawn > 3   ? (longest->drawn + 1) / 2 - 1
                         : longest->drawn > 1 ? longest->drawn - 1
                                              : 1;
        drawn *= longest->drawn;
    }
    l->n_drawn = (uint32_t)drawn;
}

static void add_level(struct layout *l, const char *name, uint32_t size,
                      uint32_t stride)
{
    if (size > 1)
        l->levels[l->n++] = (struct level){
            .name = name,
            .size = size,
            .stride = stride,
            .drawn = size,
        };
}

static void find_levels(struct layout *l, const struct picture_view *v,
                        size_t n_lists)
{
    const struct view *view = v->view;

    add_level(l, "instance", l->picture->n_instances, view->span);
    for (int a = 0; a < view->n_axes; a++)
        add_level(l, view->axes[a].name, view->axes[a].size,
                  view->axes[a].stride);
    if (l->n == 0)
        l->levels[l->n++] = (struct level){
            .name = "rank",
            .size = 1,
            .stride = 1,
            .drawn = 1,
        };
    for (int i = 0; i + 1 < l->n; i++)
        if (l->levels[i].drawn > LINES_MAX)
            l->levels[i].drawn = LINES_MAX - 1;
    cut_levels(l, n_lists);
}

/* ---- sizes --------------------------------------------------------------- */

static int name_chars(const struct level *level)
{
    int n = output_columns(level->name);

    return n < LAYOUT_NAME_MAX ? n : LAYOUT_NAME_MAX;
}

static int label_chars(const struct level *level)
{
    return name_chars(level) + 1 + picture_digits(level->size - 1);
}

/* How far the shape w x h is from that of a page, in thousandths; at least
 * 1000. */
static int64_t distance(int64_t w, int64_t h)
{
    int64_t shape = w * 1000 / h, wanted = 1600;

    if (shape < 1)
        shape = 1;
    return shape < wanted ? wanted * 1000 / shape : shape * 1000 / wanted;
}

/* How many items of w x h stand in a line, so that the whole has a good shape
 * and lines are full. */
static int choose_columns(int n, int w, int h, int gap, int width)
{
    int64_t best = INT64_MAX;
    int ret = 1;

    for (int c = 1; c <= n; c++) {
        int lines = (n + c - 1) / c;
        int64_t score = distance((int64_t)c * (w + gap) - gap,
                                 (int64_t)lines * (h + gap) - gap);

        if (c > 1 && c * (w + gap) - gap > width)
            break;
        if (n % c != 0)
            score *= 2;
        if (score < best) {
            best = score;
            ret = c;
        }
    }
    return ret;
}

int level_lines(const struct level *level)
{
    return (level_slots(level) + level->columns - 1) / level->columns;
}

/* Pixels that all items of a level take. */
static int across(const struct level *level, int gap)
{
    return level->columns * (level->item_w + gap) - gap;
}

static int down(const struct level *level, int gap)
{
    return level_lines(level) * (level->item_h + gap) - gap;
}

/* The innermost level across, the one before it down. */
static void size_grid(struct layout *l)
{
    struct level *rows = &l->levels[l->n - 2], *columns = &l->levels[l->n - 1];

    columns->columns = level_slots(columns);
    rows->columns = 1;
    rows->item_w = across(columns, LAYOUT_GAP);
    rows->item_h = LAYOUT_CELL_H;
    l->label_w = label_chars(rows) * LABEL_CHAR + 8;
    l->width = l->label_w + rows->item_w;
    l->height = l->header_h + down(rows, LAYOUT_GAP);
}

/* The innermost level alone, in lines. */
static void size_strip(struct layout *l, int width)
{
    struct level *level = &l->levels[l->n - 1];
    int most =
        level_slots(level) > 256 ? 2 * GRID_COLUMNS_MAX : GRID_COLUMNS_MAX;

    level->columns = level_slots(level) <= most ? level_slots(level) : most;
    while (level->columns > 8 && across(level, LAYOUT_GAP) > width)
        level->columns /= 2;
    if (level_lines(level) > 1) {
        l->header_h = 0;
        l->label_w =
            (label_chars(level) + 1 + picture_digits(level->size - 1)) *
                LABEL_CHAR +
            8;
    }
    l->width = l->label_w + across(level, LAYOUT_GAP);
    l->height = l->header_h + down(level, LAYOUT_GAP);
}

static void size_frames(struct layout *l, int width)
{
    for (int i = l->n_frames - 1; i >= 0; i--) {
        struct level *level = &l->levels[i];
        int title = (label_chars(level) + 2) * (LABEL_CHAR + 1);

        level->item_w =
            (l->width > title ? l->width : title) + 2 * LAYOUT_FRAME_PAD;
        level->item_h = LAYOUT_FRAME_TITLE + l->height + LAYOUT_FRAME_PAD;
        level->columns =
            choose_columns(level_slots(level), level->item_w, level->item_h,
                           LAYOUT_FRAME_GAP, width - i * 2 * LAYOUT_FRAME_PAD);
        l->width = across(level, LAYOUT_FRAME_GAP);
        l->height = down(level, LAYOUT_FRAME_GAP);
    }
}

static uint32_t highest_rank(const struct picture *p)
{
    uint32_t highest = 0;

    if (p->ranks == NULL)
        return picture_rank(p, picture_ranks(p) - 1);
    for (uint32_t i = 0; i < picture_ranks(p); i++)
        if (picture_rank(p, i) > highest)
            highest = picture_rank(p, i);
    return highest;
}

void layout_make(struct layout *l, const struct picture *picture,
                 const struct picture_view *view, size_t n_lists, int width)
{
    struct level *cells;

    *l = (struct layout){ .picture = picture };
    find_levels(l, view, n_lists);
    cells = &l->levels[l->n - 1];
    l->cell_w = picture_digits(highest_rank(picture)) * RANK_CHAR + 18;
    if (l->cell_w < CELL_W_MIN)
        l->cell_w = CELL_W_MIN;
    cells->item_w = l->cell_w;
    cells->item_h = LAYOUT_CELL_H;
    l->names_columns =
        label_chars(cells) * LABEL_CHAR <= l->cell_w + LAYOUT_GAP;
    l->header_h = l->names_columns ? 16 : 30;
    l->n_frames = l->n - 2;
    if (l->n >= 2 && level_slots(cells) <= GRID_COLUMNS_MAX) {
        size_grid(l);
    } else {
        l->n_frames = l->n - 1;
        size_strip(l, width);
    }
    size_frames(l, width);
}
