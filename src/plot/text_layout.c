/* Texts, measured before they are drawn. One family for all formats, and no hinting, so that a text is
 * as wide in a PNG as in a PDF: the layout is the same. In an SVG a text stays a text (svg_text.c). */
#include <string.h>

#include "plot/draw.h"

static const double LINE = 1.25; /* distance of lines, in sizes of the letters */

void rm2i_font(cairo_t *cr, double size, bool bold) {
    cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
}

double rm2i_text_width(cairo_t *cr, const char *text) {
    cairo_text_extents_t extents;
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
}

double rm2i_digit_height(cairo_t *cr) {
    cairo_text_extents_t extents;
    cairo_text_extents(cr, "0", &extents);
    return extents.height;
}

static void draw_text(cairo_t *cr, const char *text, double x, double y, double across,
                      double edge) {
    cairo_new_path(cr);
    cairo_move_to(cr, x - across * rm2i_text_width(cr, text), y);
    if (edge > 0) {
        cairo_save(cr);
        cairo_text_path(cr, text);
        rm2i_set_colour(cr, RM2_WHITE, 1);
        cairo_set_line_width(cr, edge);
        cairo_stroke(cr);
        cairo_restore(cr);
        cairo_move_to(cr, x - across * rm2i_text_width(cr, text), y);
    }
    cairo_show_text(cr, text);
    cairo_new_path(cr); /* it leaves a point behind the text */
}

static void text_with_edge(cairo_t *cr, const char *text, double x, double y, double across,
                           double down, double edge) {
    double base = y + (1 - down) * rm2i_digit_height(cr);
    FILE *texts = rm2i_svg_texts(cr);
    if (texts)
        rm2i_svg_text(cr, &(rm2i_svg_label){text, x, base, across, edge}, texts);
    else
        draw_text(cr, text, x, base, across, edge);
}

void rm2i_text_at(cairo_t *cr, const char *text, double x, double y, double across, double down) {
    text_with_edge(cr, text, x, y, across, down, 0);
}

void rm2i_text_on_ink(cairo_t *cr, const char *text, double x, double y, double across,
                      double down) {
    text_with_edge(cr, text, x, y, across, down, 1.4);
}

static double widest(cairo_t *cr, const rm2i_text_block *block) {
    double width = 0;
    for (size_t i = 0; i < block->lines; i++) {
        double w = rm2i_text_width(cr, block->line[i]);
        width = w > width ? w : width;
    }
    return width;
}

/* Add a word to the last line, or to a new one if it does not fit and there may be one more. */
static void add_word(cairo_t *cr, rm2i_text_block *block, const char *word, size_t length,
                     double width) {
    char *line = block->line[block->lines - 1];
    size_t used = strlen(line);
    if (used > 0)
        line[used] = ' ';
    memcpy(line + used + (used > 0), word, length);
    line[used + (used > 0) + length] = '\0';
    if (used == 0 || block->lines == RM2I_LINES_MAX || rm2i_text_width(cr, line) <= width)
        return;
    line[used] = '\0';
    memcpy(block->line[block->lines], word, length);
    block->line[block->lines++][length] = '\0';
}

void rm2i_block_make(cairo_t *cr, const char *text, double size, bool bold, double width,
                     rm2i_text_block *block) {
    memset(block, 0, sizeof *block);
    if (!text || !*text)
        return;
    rm2i_font(cr, size, bold);
    block->lines = 1;
    block->bold = bold;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (length > 0)
            add_word(cr, block, text, length, width);
        text += length + (text[length] == ' ');
    }
    double natural = widest(cr, block);
    double shrink = natural > width && width > 0 ? width / natural : 1;
    block->size = size * shrink;
    block->width = natural * shrink;
    block->height = (double)block->lines * LINE * block->size;
}

/* Middle of line i below the middle of the block. */
static double line_offset(const rm2i_text_block *block, size_t i) {
    return ((double)i + 0.5) * LINE * block->size - block->height / 2;
}

void rm2i_block_draw_left(cairo_t *cr, const rm2i_text_block *block, double x, double y) {
    rm2i_font(cr, block->size, block->bold);
    for (size_t i = 0; i < block->lines; i++)
        rm2i_text_at(cr, block->line[i], x, y + line_offset(block, i), 0, 0.5);
}

void rm2i_block_draw(cairo_t *cr, const rm2i_text_block *block, double x, double y, double angle) {
    if (block->lines == 0)
        return;
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_rotate(cr, angle);
    rm2i_font(cr, block->size, block->bold);
    for (size_t i = 0; i < block->lines; i++)
        rm2i_text_at(cr, block->line[i], 0, line_offset(block, i), 0.5, 0.5);
    cairo_restore(cr);
}
