/* Drawing a figure: views (data to page), texts, ticks, colours, axes, legends. Page coordinates are
 * points from the upper left corner, y downwards. Nothing here changes the figure. */
#ifndef RM2I_DRAW_H
#define RM2I_DRAW_H

#include <cairo.h>
#include <stdio.h>

#include "plot/plot.h"

typedef struct rm2i_rect {
    double x, y, w, h;
} rm2i_rect;

/* ---- colours (colour.c) ---------------------------------------------------------------------- */

void rm2i_set_colour(cairo_t *cr, rm2_colour colour, double opacity);

/* (1 - t) a + t b in sRGB. */
rm2_colour rm2i_mix(rm2_colour a, rm2_colour b, double t);

#define RM2I_INK   RM2_RGB(0x222222) /* text and axes */
#define RM2I_LIGHT RM2_RGB(0xD8D8D8) /* NaN, boxes */

/* ---- texts (text.c) -------------------------------------------------------------------------- */

enum { RM2I_LINES_MAX = 4, RM2I_LINE_SIZE = RM2I_TEXT_MAX + 32 };

/* A text broken into lines that fit a width; if they cannot, in smaller letters. */
typedef struct rm2i_text_block {
    char line[RM2I_LINES_MAX][RM2I_LINE_SIZE];
    size_t lines;
    double size; /* of the letters */
    bool bold;
    double width, height;
} rm2i_text_block;

void rm2i_font(cairo_t *cr, double size, bool bold);
double rm2i_text_width(cairo_t *cr, const char *text);
double rm2i_digit_height(cairo_t *cr);

/* Text with the point (x, y) at the fraction (across, down) of its box: (0, 0) upper left corner of the
 * digits' height, (1, 1) lower right. */
void rm2i_text_at(cairo_t *cr, const char *text, double x, double y, double across, double down);

/* The same with a white edge, on whatever is there. */
void rm2i_text_on_ink(cairo_t *cr, const char *text, double x, double y, double across,
                      double down);

void rm2i_block_make(cairo_t *cr, const char *text, double size, bool bold, double width,
                     rm2i_text_block *block);
/* Centred at (x, y), turned by an angle (radians, clockwise on the page). */
void rm2i_block_draw(cairo_t *cr, const rm2i_text_block *block, double x, double y, double angle);
/* Lines begin at x; y is the middle. */
void rm2i_block_draw_left(cairo_t *cr, const rm2i_text_block *block, double x, double y);

/* ---- ticks (ticks.c) ------------------------------------------------------------------------- */

enum { RM2I_TICKS_MAX = 9, RM2I_MINOR_MAX = 96, RM2I_TICK_TEXT = 40 };

typedef struct rm2i_ticks {
    size_t count, minor_count;
    double at[RM2I_TICKS_MAX], minor[RM2I_MINOR_MAX];
    char text[RM2I_TICKS_MAX][RM2I_TICK_TEXT];
    int exponent; /* texts are (value - offset) / 10^exponent */
    double offset;
} rm2i_ticks;

/* At most `most` round values of the range, as many as there can be; most >= 2. */
void rm2i_ticks_make(const rm2i_axis_range *range, size_t most, rm2i_ticks *ticks);

/* Ticks whose texts do not touch on an axis of a length on the page; *breadth is the greatest width
 * of a text. */
void rm2i_ticks_fit(cairo_t *cr, const rm2i_axis_range *range, double length, bool vertical,
                    rm2i_ticks *ticks, double *breadth);

/* "label (×10⁻³ + 1700000000)": the label with what the texts of the ticks leave out. */
void rm2i_axis_text(const char *label, const rm2i_ticks *ticks, char text[RM2I_LINE_SIZE]);

/* ---- views (view.c, space.c) ------------------------------------------------------------------ */

typedef enum rm2i_pass { RM2I_ALL, RM2I_HIDDEN, RM2I_VISIBLE } rm2i_pass;

/* From data to the page. In a plane the ranges are the frame; elsewhere q = half (2 part - 1), where
 * `part` is the place in the range, is turned by the rows of `turn` (right, up, towards the viewer) and
 * scaled by `scale` about `centre`. */
typedef struct rm2i_view {
    rm2_panel_kind kind;
    rm2i_rect frame;
    rm2i_axis_range range[3];
    double half[3], turn[3][3];
    double scale, centre[2];
    double ellipse; /* points of a semi-axis of length 1, for ellipses without a size */
    rm2i_pass pass; /* what to draw of curves and points on a sphere */
} rm2i_view;

/* Kind, ranges from the items and settings, direction; fails if there is nothing to show. */
rm2_status rm2i_view_start(rm2_context *ctx, const rm2_panel *panel, rm2i_view *view);

/* Put a plane into a rectangle: the frame, and ranges with room for ellipses and for equal units. */
void rm2i_view_fit_plane(const rm2_panel *panel, rm2i_rect area, rm2i_view *view);

/* Page coordinates of a point and its distance towards the viewer; false if it is not finite. */
bool rm2i_view_point(const rm2i_view *view, const double *point, double page[3]);

/* Is the point behind the unit sphere or in it? */
bool rm2i_view_hidden(const rm2i_view *view, const double *point);

/* q of above on the page. */
void rm2i_view_project(const rm2i_view *view, const double q[3], double page[3]);

/* ---- items (marks.c, shapes.c, region.c) ----------------------------------------------------------------- */

struct rm2i_item_kind {
    double width, size, opacity; /* defaults of the style */
    void (*draw)(const rm2i_item *item, const rm2i_view *view, cairo_t *cr);
    void (*sample)(const rm2i_item *item, rm2i_rect box, cairo_t *cr); /* in the legend */
};

extern const rm2i_item_kind rm2i_curve, rm2i_points, rm2i_band, rm2i_ellipses, rm2i_frames,
    rm2i_arm, rm2i_region, rm2i_half_space, rm2i_hatched;

/* Lines of a style, without their colour. */
void rm2i_set_stroke(cairo_t *cr, const rm2_style *style);

/* ---- heat maps (heat.c, contour.c, bar.c) ------------------------------------------------------- */

void rm2i_heat_draw(cairo_t *cr, const rm2i_heat *heat, const rm2i_view *view);
void rm2i_contours_draw(cairo_t *cr, const rm2i_heat *heat, const rm2i_view *view);
/* Path along one level, in the units of heat->part. */
void rm2i_contour_trace(cairo_t *cr, const rm2i_heat *heat, const rm2i_view *view, double level);
/* heat->part between the nodes. */
double rm2i_heat_at(const rm2i_heat *heat, double column, double row);

/* Colour of a cell of a raster, row 0 on top, at fractions of its width and height. */
typedef rm2_colour (*rm2i_raster_fn)(const void *data, double across, double down);

/* Fill a rectangle of the page with colours, in the resolution of the target. */
void rm2i_raster_draw(cairo_t *cr, rm2i_rect where, rm2i_raster_fn colour, const void *data);

/* A colour bar to the right of something; `colours` is NULL without one. */
typedef struct rm2i_bar {
    const rm2i_axis_range *colours;
    rm2_colour_map map;
    bool below, above; /* with a point at the end: values go on */
    rm2i_ticks ticks;
    double breadth;
    rm2i_text_block label;
    double width; /* all of it, with the gap before it */
} rm2i_bar;

void rm2i_bar_measure(cairo_t *cr, const char *label, double font_size, double height,
                      rm2i_bar *bar);
void rm2i_bar_draw(cairo_t *cr, const rm2i_bar *bar, double font_size, rm2i_rect beside);

/* ---- places: a panel on the page (layout.c and the files it names) ----------------------------- */

typedef struct rm2i_margins {
    double left, right, top, bottom;
} rm2i_margins;

enum { RM2I_LEGEND_MAX = 64 };

/* Entries of a legend in columns; a mode of AUTO that was decided means inside the panel. */
typedef struct rm2i_legend_box {
    rm2_legend mode;
    size_t count, columns, rows;
    const rm2i_item *entries[RM2I_LEGEND_MAX];
    double size, text_width; /* of the letters; of a line of text, at most */
    double column_width[RM2I_LEGEND_MAX], entry_height;
    double width, height;
    double x, y;
} rm2i_legend_box;

typedef struct rm2i_drawing_place {
    const rm2_panel *panel;
    double font_size;
    rm2i_rect cell, area;       /* area: the cell without the margins */
    rm2i_margins margins, axes; /* axes: the part of the margins that ticks and labels take */
    rm2i_view start, view;      /* before and after fitting it into the area */
    rm2i_ticks ticks[3];
    double breadth[3]; /* of the texts of the ticks */
    rm2i_text_block title, label[3];
    rm2i_bar bar;
    rm2i_legend_box legend;
    double side, side_most; /* of the squares of matrices, and a limit; 0: none */
} rm2i_drawing_place;

/* Plane: axes around the frame (plane.c). */
void rm2i_plane_fit(cairo_t *cr, rm2i_drawing_place *place);
void rm2i_plane_draw(cairo_t *cr, const rm2i_drawing_place *place);

/* Space, sphere and cone: projected bodies with their axes (space.c, box.c, body.c). */
void rm2i_space_fit(cairo_t *cr, rm2i_drawing_place *place);
void rm2i_space_draw(cairo_t *cr, const rm2i_drawing_place *place);
void rm2i_sphere_draw(cairo_t *cr, const rm2i_drawing_place *place);
void rm2i_cone_back(cairo_t *cr, const rm2i_view *view);
void rm2i_cone_front(cairo_t *cr, const rm2i_view *view);

/* Matrices (matrices_draw.c). */
void rm2i_matrices_fit(cairo_t *cr, rm2i_drawing_place *place);
void rm2i_matrices_draw(cairo_t *cr, const rm2i_drawing_place *place);

/* Items of a panel, in their order; faint in the pass of those hidden. */
void rm2i_items_draw(cairo_t *cr, const rm2i_drawing_place *place, rm2i_pass pass);

/* What is inside the frame of a plane, or all of another panel but title, bar and legend (layout.c). */
void rm2i_place_draw_inside(cairo_t *cr, const rm2i_drawing_place *place);

/* Entries of a panel, and the size of all for a width (legend.c); `find` decides an AUTO that found no free corner to be
 * BELOW. */
rm2_status rm2i_legend_add(rm2_context *ctx, const rm2_panel *panel, rm2i_legend_box *legend);
void rm2i_legend_measure(cairo_t *cr, double font_size, double width, rm2i_legend_box *legend);
void rm2i_legend_find(const rm2i_drawing_place *place, rm2i_legend_box *legend);
void rm2i_legend_draw(cairo_t *cr, const rm2i_legend_box *legend);

/* An SVG of Cairo's (memory that ends with 0), the names of its parts replaced, with these texts (svg.c). */
rm2_status rm2i_svg_print(rm2_context *ctx, const char *svg, const char *texts, FILE *stream);

/* Texts of an SVG as elements <text> (svg.c): a stream for them, that of a drawing (NULL: it is no SVG). */
bool rm2i_svg_collect_texts(cairo_surface_t *surface, FILE *texts);
FILE *rm2i_svg_texts(cairo_t *cr);

/* (x, y) is on the base line, at the fraction `across` of the text; `edge` is the width of a white edge. */
typedef struct rm2i_svg_label {
    const char *text;
    double x, y, across, edge;
} rm2i_svg_label;

void rm2i_svg_text(cairo_t *cr, const rm2i_svg_label *label, FILE *texts);

/* The whole figure on a page whose units are points. */
rm2_status rm2i_figure_draw(rm2_context *ctx, const rm2_figure *figure, cairo_t *cr);

#endif
