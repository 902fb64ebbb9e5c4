/* Legends: samples of the items that have a label.
 *
 * A free corner is one without ink: the panel is drawn once more into a small mask, one pixel a point
 * of the page, and a corner is free if the mask is empty where the legend would be. */
#include <math.h>
#include <string.h>

#include "plot/draw.h"

static const double SAMPLE = 16, GAP = 4, COLUMN_GAP = 9, PAD = 3,
                    INSET = 4; /* lengths on the page */

static bool has_label(const rm2i_legend_box *legend, const char *label) {
    for (size_t i = 0; i < legend->count; i++)
        if (strcmp(legend->entries[i]->label, label) == 0)
            return true;
    return false;
}

rm2_status rm2i_legend_add(rm2_context *ctx, const rm2_panel *panel, rm2i_legend_box *legend) {
    for (size_t i = 0; legend->mode != RM2_LEGEND_NONE && i < panel->item_count; i++) {
        const rm2i_item *item = panel->items[i];
        if (!item->label || !*item->label || has_label(legend, item->label))
            continue;
        if (legend->count == RM2I_LEGEND_MAX)
            return rm2_context_fail(
                ctx, RM2_ERR_ARGUMENT,
                "panel (%zu, %zu) has more than %d labels: label fewer items, or ask "
                "for no legend",
                panel->row, panel->column, RM2I_LEGEND_MAX);
        legend->entries[legend->count++] = item;
    }
    return RM2_OK;
}

/* Width of column c: entries run down the columns. */
static double column_width(cairo_t *cr, const rm2i_legend_box *legend, size_t c) {
    double width = 0;
    for (size_t i = c * legend->rows; i < (c + 1) * legend->rows && i < legend->count; i++)
        width = fmax(width, rm2i_text_width(cr, legend->entries[i]->label));
    return SAMPLE + GAP + fmin(width, legend->text_width);
}

static void arrange(cairo_t *cr, size_t columns, rm2i_legend_box *legend) {
    legend->rows = (legend->count + columns - 1) / columns;
    legend->columns = (legend->count + legend->rows - 1) / legend->rows;
    legend->width = 2 * PAD - COLUMN_GAP;
    for (size_t c = 0; c < legend->columns; c++) {
        legend->column_width[c] = column_width(cr, legend, c);
        legend->width += legend->column_width[c] + COLUMN_GAP;
    }
    legend->height = (double)legend->rows * legend->entry_height + 2 * PAD;
}

/* All entries are as high as the one with the most lines. */
static double entry_height(cairo_t *cr, const rm2i_legend_box *legend) {
    double height = 1.4 * legend->size;
    for (size_t i = 0; i < legend->count; i++) {
        rm2i_text_block text;
        rm2i_block_make(cr, legend->entries[i]->label, legend->size, false, legend->text_width,
                        &text);
        height = fmax(height, text.height + 0.15 * legend->size);
    }
    return height;
}

void rm2i_legend_measure(cairo_t *cr, double font_size, double width, rm2i_legend_box *legend) {
    if (legend->count == 0)
        return;
    legend->size = font_size;
    legend->text_width = fmax(font_size, width - SAMPLE - GAP - 2 * PAD);
    legend->entry_height = entry_height(cr, legend);
    rm2i_font(cr, font_size, false);
    size_t columns = legend->mode == RM2_LEGEND_BELOW ? legend->count : legend->count > 8 ? 2 : 1;
    arrange(cr, columns, legend);
    while (legend->columns > 1 && legend->width > width)
        arrange(cr, legend->columns - 1, legend);
}

/* ---- free corners ----------------------------------------------------------------------------- */

/* The ink of a panel without heat map, texts and legend, a pixel a point of the page. */
static cairo_surface_t *make_mask(const rm2i_drawing_place *place) {
    const rm2i_rect *frame = &place->view.frame;
    cairo_surface_t *mask =
        cairo_image_surface_create(CAIRO_FORMAT_A8, (int)ceil(frame->w), (int)ceil(frame->h));
    cairo_t *cr = cairo_create(mask);
    cairo_translate(cr, -frame->x, -frame->y);
    rm2i_place_draw_inside(cr, place);
    cairo_destroy(cr);
    cairo_surface_flush(mask);
    return mask;
}

static bool is_empty(cairo_surface_t *mask, double x, double y, double w, double h) {
    const unsigned char *bytes = cairo_image_surface_get_data(mask);
    int stride = cairo_image_surface_get_stride(mask);
    int left = (int)fmax(0, floor(x)), top = (int)fmax(0, floor(y));
    int right = (int)fmin(cairo_image_surface_get_width(mask), ceil(x + w));
    int bottom = (int)fmin(cairo_image_surface_get_height(mask), ceil(y + h));
    for (int r = top; bytes && r < bottom; r++)
        for (int c = left; c < right; c++)
            if (bytes[r * stride + c] > 8)
                return false;
    return bytes != NULL;
}

void rm2i_legend_find(const rm2i_drawing_place *place, rm2i_legend_box *legend) {
    enum { TRIED = 12 }; /* corners first, then along the sides */
    static const double corners[TRIED][2] = {{1, 0},    {0, 0},    {1, 1},    {0, 1},
                                             {0.5, 0},  {0.5, 1},  {1, 0.5},  {0, 0.5},
                                             {1, 0.25}, {0, 0.25}, {1, 0.75}, {0, 0.75}};
    const rm2i_rect *frame = &place->view.frame;
    if (legend->mode != RM2_LEGEND_AUTO || legend->count == 0)
        return;
    double inset = place->view.kind == RM2_PANEL_PLANE ? INSET : 0;
    double room[2] = {frame->w - legend->width - 2 * inset, frame->h - legend->height - 2 * inset};
    cairo_surface_t *mask = make_mask(place);
    bool found = false;
    for (size_t i = 0; i < TRIED && !found && room[0] >= 0 && room[1] >= 0; i++) {
        double x = inset + corners[i][0] * room[0], y = inset + corners[i][1] * room[1];
        found = is_empty(mask, x - 1, y - 1, legend->width + 2, legend->height + 2);
        legend->x = frame->x + x;
        legend->y = frame->y + y;
    }
    cairo_surface_destroy(mask);
    if (!found)
        legend->mode = RM2_LEGEND_BELOW;
}

/* ---- drawing ---------------------------------------------------------------------------------- */

static void draw_background(cairo_t *cr, const rm2i_legend_box *legend) {
    cairo_rectangle(cr, legend->x, legend->y, legend->width, legend->height);
    rm2i_set_colour(cr, RM2_WHITE, 0.88);
    cairo_fill_preserve(cr);
    rm2i_set_colour(cr, RM2I_LIGHT, 1);
    cairo_set_line_width(cr, 0.5);
    cairo_stroke(cr);
}

/* Light colours are seen on grey. */
static bool is_light(rm2_colour c) {
    return 0.3 * (c >> 16 & 255u) + 0.6 * (c >> 8 & 255u) + 0.1 * (c & 255u) > 225;
}

static void draw_entry(cairo_t *cr, const rm2i_legend_box *legend, const rm2i_item *item, double x,
                       double middle) {
    double height = 1.05 * legend->size;
    rm2i_text_block text;
    rm2i_rect box = {x, middle - height / 2, SAMPLE, height};
    if (is_light(item->style.colour)) {
        cairo_rectangle(cr, box.x - 1, box.y, box.w + 2, box.h);
        rm2i_set_colour(cr, RM2_RGB(0x9A9A9A), 1);
        cairo_fill(cr);
    }
    item->kind->sample(item, box, cr);
    rm2i_block_make(cr, item->label, legend->size, false, legend->text_width, &text);
    rm2i_set_colour(cr, RM2I_INK, 1);
    rm2i_block_draw_left(cr, &text, x + SAMPLE + GAP, middle);
}

void rm2i_legend_draw(cairo_t *cr, const rm2i_legend_box *legend) {
    if (legend->count == 0)
        return;
    if (legend->mode == RM2_LEGEND_AUTO)
        draw_background(cr, legend);
    double x = legend->x + PAD;
    for (size_t c = 0; c < legend->columns; c++) {
        for (size_t r = 0; r < legend->rows && c * legend->rows + r < legend->count; r++)
            draw_entry(cr, legend, legend->entries[c * legend->rows + r], x,
                       legend->y + PAD + ((double)r + 0.5) * legend->entry_height);
        x += legend->column_width[c] + COLUMN_GAP;
    }
}
