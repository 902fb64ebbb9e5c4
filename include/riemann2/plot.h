/* Figures: panels on a page, written as PNG, SVG or PDF. This part draws arrays of numbers; it does
 * not depend on models.
 *
 * A figure is a grid of panels; a panel has a kind, and its items are added one by one. All
 * arguments are copied. Margins, ticks, legends and colour bars are laid out when the figure is
 * saved, from the measured size of every text, so that nothing overlaps and nothing is cut. The
 * same figure gives the same bytes every time, with the same versions of Cairo and of the fonts.
 *
 *     rm2_figure_settings page = rm2_figure_settings_default();
 *     rm2_panel_settings plane = rm2_panel_settings_default(RM2_PANEL_PLANE);
 *     rm2_figure_create(ctx, &page, &figure);
 *     rm2_figure_panel(ctx, figure, 0, 0, &plane, &panel);
 *     rm2_plot_curve(ctx, panel, n, points,
 *                    &(rm2_style){.label = "geodesic", .colour = RM2_BLUE});
 *     rm2_figure_save(ctx, figure, "figure.pdf", 0, false);
 *
 * Points that are not finite are left out (a curve is interrupted there). Texts are UTF-8. Lengths
 * on the page are in typographic points (1/72 inch), unless millimetres are stated. */
#ifndef RIEMANN2_PLOT_H
#define RIEMANN2_PLOT_H

#include "riemann2/base.h"
#include "riemann2/figure.h"
#include "riemann2/manifold.h"
#include "riemann2/region.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- colours -------------------------------------------------------------------------------- */

/* A colour; 0 lets the panel choose the next colour of the palette. */
typedef uint32_t rm2_colour;

#define RM2_RGB(rrggbb) (UINT32_C(0x1000000) | (rm2_colour)(rrggbb))
/* Colours that colour-blind readers can distinguish (Okabe and Ito, "Color Universal Design", 2008,
 * and brown). */
#define RM2_BLUE      RM2_RGB(0x0072B2)
#define RM2_VERMILION RM2_RGB(0xD55E00)
#define RM2_GREEN     RM2_RGB(0x009E73)
#define RM2_ORANGE    RM2_RGB(0xE69F00)
#define RM2_SKY       RM2_RGB(0x56B4E9)
#define RM2_PURPLE    RM2_RGB(0xCC79A7)
#define RM2_BLACK     RM2_RGB(0x000000)
#define RM2_YELLOW    RM2_RGB(0xF0E442)
#define RM2_BROWN     RM2_RGB(0x734339)
#define RM2_GREY      RM2_RGB(0x808080)
#define RM2_WHITE     RM2_RGB(0xFFFFFF)

/* Colours with one meaning each, in the figures of the program and of the Python package, and in
 * the explorer, which has the same list (tests/source/colours compares them). Start and end of a
 * path are a circle and a square in the colour of text. Uncertainty has the colour of the uncertain
 * quantity, translucent; on a map it has the sequential colour map. */
#define RM2_COLOUR_GEODESIC       RM2_RGB(0xD55E00)
#define RM2_COLOUR_STRAIGHT       RM2_RGB(0x222222) /* straight lines, dashed */
#define RM2_COLOUR_DEMONSTRATIONS RM2_RGB(0x9A9A9A)
#define RM2_COLOUR_NEW            RM2_RGB(0x2A2AC0) /* data that the model was not trained on */
#define RM2_COLOUR_OBSTACLE       RM2_RGB(0x6A1B7A)
#define RM2_COLOUR_ARM            RM2_RGB(0x4A5563)
#define RM2_COLOUR_FRAME_X        RM2_RGB(0xC0458F) /* axes of orientation frames, arrows */
#define RM2_COLOUR_FRAME_Y        RM2_RGB(0x009E73)
#define RM2_COLOUR_FRAME_Z        RM2_RGB(0x0072B2)

enum { RM2_PALETTE_SIZE = 7 };

/* The i-th colour for groups, such as labels: blue, orange, green, purple, sky, brown, yellow; the
 * colours repeat after RM2_PALETTE_SIZE. Geodesics, straight lines, demonstrations, new data and
 * obstacles have other colours. */
RM2_API rm2_colour rm2_palette(size_t i);

typedef enum rm2_colour_map {
    RM2_MAP_SEQUENTIAL, /* dark violet, blue, green, yellow: lightness rises evenly */
    RM2_MAP_DIVERGING   /* blue, white in the middle, orange-red */
} rm2_colour_map;

/* Colour of a map at t in [0, 1] (clamped); light grey for NaN and unknown maps. */
RM2_API rm2_colour rm2_colour_map_at(rm2_colour_map map, double t);

/* ---- styles of items ------------------------------------------------------------------------ */

typedef enum rm2_dash { RM2_SOLID, RM2_DASHED, RM2_DOTTED, RM2_DASH_DOT } rm2_dash;

typedef enum rm2_marker {
    RM2_MARKER_NONE,
    RM2_MARKER_CIRCLE,
    RM2_MARKER_SQUARE,
    RM2_MARKER_TRIANGLE,
    RM2_MARKER_DIAMOND,
    RM2_MARKER_CROSS,
    RM2_MARKER_STAR
} rm2_marker;

/* Style of an item. Zero means the default of the item: {0} is a style, and so is NULL. */
typedef struct rm2_style {
    const char *label; /* entry in the legend; NULL: none. The same label appears once */
    rm2_colour colour;
    double width; /* width of lines */
    rm2_dash dash;
    rm2_marker marker;
    double size;    /* size of markers, arrows, ellipses */
    double opacity; /* 0 < opacity <= 1 */
    bool halo;      /* white edge, for lines and markers on a heat map */
} rm2_style;

/* ---- figures and panels --------------------------------------------------------------------- */

typedef struct rm2_figure rm2_figure;
typedef struct rm2_panel rm2_panel;

/* Create a figure. `settings` may be NULL. */
RM2_API rm2_status rm2_figure_create(rm2_context *ctx, const rm2_figure_settings *settings,
                                     rm2_figure **figure);
RM2_API void rm2_figure_free(rm2_figure *figure); /* also frees its panels */

/* Write the figure. The file appears whole or not at all.
 *
 * @param ctx  context
 * @param figure  the figure
 * @param path  the file, whose extension selects the format: .png, .svg or .pdf
 * @param dpi  resolution of a PNG; 0: 300
 * @param overwrite  replace an existing file; otherwise it is an error
 */
RM2_API rm2_status rm2_figure_save(rm2_context *ctx, const rm2_figure *figure, const char *path,
                                   double dpi, bool overwrite);

/* Kinds of panels, with the coordinates of their points. */
typedef enum rm2_panel_kind {
    RM2_PANEL_PLANE, /* two axes; points are (x, y) */
    RM2_PANEL_SPACE, /* a box with three axes; points are (x, y, z) */
    /* The unit sphere S2; points are (x, y, z), faint where the sphere hides them. */
    RM2_PANEL_SPHERE,
    RM2_PANEL_CONE,    /* the cone of SPD(2); points are 2 x 2 matrices, 4 numbers */
    RM2_PANEL_MATRICES /* rows of square heat maps, drawn by rm2_plot_matrices */
} rm2_panel_kind;

typedef struct rm2_axis {
    const char *label; /* with the unit: "time [s]" */
    double min, max;   /* equal: limits from the items */
    bool log;          /* logarithmic axis; panels of kind PLANE only */
    bool hidden;       /* no ticks, no numbers; PLANE only */
} rm2_axis;

typedef enum rm2_legend {
    RM2_LEGEND_AUTO, /* in a free corner; below the panel if no corner is free */
    RM2_LEGEND_BELOW,
    RM2_LEGEND_RIGHT,
    RM2_LEGEND_NONE
} rm2_legend;

typedef struct rm2_panel_settings {
    size_t size; /* as rm2_panel_settings_default sets it */
    rm2_panel_kind kind;
    const char *title;
    rm2_axis x, y, z;
    bool equal; /* PLANE and SPACE: one unit has the same length on all axes */
    rm2_legend legend;
    /* Direction in which the viewer stands, in degrees of longitude and latitude. */
    double azimuth, elevation;
    /* MATRICES: names of rows and columns, such as regions or channels; NULL: none. If the space is
     * too small for all, only every second, third, ... is shown. */
    const char *const *names;
    size_t name_count;
} rm2_panel_settings;

/* The defaults of a kind of panel: the view from azimuth -60, elevation 22; for a sphere from
 * azimuth 30, for a cone from elevation 18, with labels. */
static inline rm2_panel_settings rm2_panel_settings_default(rm2_panel_kind kind) {
    rm2_panel_settings settings = {0};
    settings.size = sizeof settings;
    settings.kind = kind;
    settings.azimuth = kind == RM2_PANEL_SPHERE ? 30 : -60;
    settings.elevation = kind == RM2_PANEL_CONE ? 18 : 22;
    if (kind == RM2_PANEL_CONE) {
        settings.x.label = "(m₁₁ − m₂₂) / 2";
        settings.y.label = "m₁₂";
        settings.z.label = "(m₁₁ + m₂₂) / 2";
    }
    return settings;
}

/* Create a panel; it belongs to the figure. Cells may stay empty.
 *
 * @param ctx  context
 * @param figure  the figure
 * @param row  row of the cell, from 0
 * @param column  column of the cell, from 0
 * @param settings  the panel; NULL: the defaults of a plane
 * @param panel  result
 */
RM2_API rm2_status rm2_figure_panel(rm2_context *ctx, rm2_figure *figure, size_t row, size_t column,
                                    const rm2_panel_settings *settings, rm2_panel **panel);

/* ---- curves and points ---------------------------------------------------------------------- */

/* Draw a line through points, with markers if the style has one.
 *
 * @param ctx  context
 * @param panel  the panel
 * @param n  number of points
 * @param points  n points in the coordinates of the panel
 * @param style  NULL: the default
 */
RM2_API rm2_status rm2_plot_curve(rm2_context *ctx, rm2_panel *panel, size_t n,
                                  const double *points, const rm2_style *style);

/* Draw markers. Coincident points are one marker with their number next to it.
 *
 * @param ctx  context
 * @param panel  the panel
 * @param n  number of points
 * @param points  n points in the coordinates of the panel
 * @param style  NULL: the default
 */
RM2_API rm2_status rm2_plot_points(rm2_context *ctx, rm2_panel *panel, size_t n,
                                   const double *points, const rm2_style *style);

/* Points in groups: point i belongs to group[i] < count. */
typedef struct rm2_groups {
    size_t n;
    const double *points;
    const size_t *group; /* n */
    size_t count;
    const char *const *names; /* count names for the legend, or NULL */
} rm2_groups;

/* Draw markers coloured by group, in rm2_palette(group[i]), with another marker after every
 * RM2_PALETTE_SIZE groups. */
RM2_API rm2_status rm2_plot_groups(rm2_context *ctx, rm2_panel *panel, const rm2_groups *groups,
                                   const rm2_style *style);

/* Fill the region between two curves over x translucently, as a confidence band. PLANE only.
 *
 * @param ctx  context
 * @param panel  the panel
 * @param n  number of points of each curve
 * @param x  n: abscissas, in the units of the x axis
 * @param low  n: lower curve
 * @param high  n: upper curve
 * @param style  NULL: the default
 */
RM2_API rm2_status rm2_plot_band(rm2_context *ctx, rm2_panel *panel, size_t n, const double *x,
                                 const double *low, const double *high, const rm2_style *style);

/* ---- shapes --------------------------------------------------------------------------------- */

/* Draw ellipses {c + A^(1/2) u : |u| = 1} of SPD(2) matrices A around centres c, in their true
 * shape whatever the axes are. PLANE only.
 *
 * @param ctx  context
 * @param panel  the panel
 * @param n  number of ellipses
 * @param centres  n x 2
 * @param matrices  n x 4
 * @param style  style.size is the length of a semi-axis of length 1, in points; 0: one size for all
 *     such items of the panel, so that neighbours overlap little. NULL: the default
 */
RM2_API rm2_status rm2_plot_ellipses(rm2_context *ctx, rm2_panel *panel, size_t n,
                                     const double *centres, const double *matrices,
                                     const rm2_style *style);

/* Draw orientations as three arrows each, x purple, y green, z blue. SPACE only.
 *
 * @param ctx  context
 * @param panel  the panel
 * @param n  number of orientations
 * @param positions  n x 3; NULL: evenly spaced along the x axis
 * @param quaternions  n x 4: wxyz, of any length
 * @param style  style.size is the length of an arrow; NULL: the default
 */
RM2_API rm2_status rm2_plot_frames(rm2_context *ctx, rm2_panel *panel, size_t n,
                                   const double *positions, const double *quaternions,
                                   const rm2_style *style);

/* Draw an arm in several configurations, from light to dark. PLANE and SPACE.
 *
 * @param ctx  context
 * @param panel  the panel
 * @param n  number of configurations
 * @param joints  points per configuration, from the base to the hand
 * @param points  n x joints points
 * @param style  NULL: the default
 */
RM2_API rm2_status rm2_plot_arm(rm2_context *ctx, rm2_panel *panel, size_t n, size_t joints,
                                const double *points, const rm2_style *style);

/* Draw the surface of a keep-out region that has the dimension of the panel, filled translucently;
 * a half space extends to the limits of the axes. PLANE and SPACE. */
RM2_API rm2_status rm2_plot_region(rm2_context *ctx, rm2_panel *panel, const rm2_region *region,
                                   const rm2_style *style);

/* ---- heat maps ------------------------------------------------------------------------------ */

typedef struct rm2_heat_map {
    size_t columns, rows;              /* at least 2 x 2 */
    const double *values;              /* rows x columns, C order; row 0 is at y_min */
    double x_min, x_max, y_min, y_max; /* coordinates of the first and last column and row */
    const char *label;                 /* label of the colour bar */
    double min, max; /* values of the first and last colour; equal: from the data */
    bool log;        /* colours show the logarithm of the value */
    size_t contours; /* approximate number of contour lines, at round values */
} rm2_heat_map;

/* Draw the background of a PLANE panel, at most one per panel, with a colour bar; NaN is light
 * grey. */
RM2_API rm2_status rm2_plot_heat(rm2_context *ctx, rm2_panel *panel, const rm2_heat_map *heat);

/* Hatch the area of a PLANE panel where a field on a grid is negative, such as latent points that
 * decode into an obstacle, and draw its border. Only the grid and the values of `field` are used.
 * style.size is the distance of the lines. */
RM2_API rm2_status rm2_plot_hatched(rm2_context *ctx, rm2_panel *panel, const rm2_heat_map *field,
                                    const rm2_style *style);

typedef struct rm2_matrices {
    size_t count, n;          /* number of matrices, and their size */
    const double *values;     /* count x n x n */
    bool correlation;         /* show a_ij / sqrt(a_ii a_jj) */
    double limit;             /* colours go from -limit to limit; 0: largest |entry| */
    const char *name;         /* name of the row; NULL: none */
    const char *const *names; /* below each matrix; NULL: none */
    const char *label;        /* label of the colour bar */
} rm2_matrices;

/* Draw a row of square heat maps in a MATRICES panel. Each further call adds a row below, with the
 * same colours for all. In a panel with names of rows and columns, the matrices have as many rows
 * as names are given. */
RM2_API rm2_status rm2_plot_matrices(rm2_context *ctx, rm2_panel *panel,
                                     const rm2_matrices *matrices);

/* ---- points of a manifold ------------------------------------------------------------------- */

/* Settings of the panel that shows a factor: R2, S1 and H2 (as the Poincare disc) in a plane, R3 in
 * space, S2 on the sphere, S3 and SO3 as frames in space (at the positions of an R3 factor if one
 * precedes them), SPD2 in its cone, larger SPD as matrices of correlations. `settings` must come
 * from rm2_panel_settings_default, of any kind. */
RM2_API rm2_status rm2_panel_settings_factor(rm2_context *ctx, const rm2_manifold *manifold,
                                             size_t factor, rm2_panel_settings *settings);

/* Draw one factor of points along a path, in a panel of its kind. Only some frames and matrices are
 * drawn, evenly along the path.
 *
 * @param ctx  context
 * @param panel  a panel with the settings of rm2_panel_settings_factor
 * @param manifold  the manifold
 * @param factor  index of the factor, from 0
 * @param n  number of points
 * @param points  n x ambient
 * @param style  NULL: the default
 */
RM2_API rm2_status rm2_plot_factor(rm2_context *ctx, rm2_panel *panel, const rm2_manifold *manifold,
                                   size_t factor, size_t n, const double *points,
                                   const rm2_style *style);

/* Draw one factor of points without an order: markers without lines.
 *
 * @param ctx  context
 * @param panel  a panel with the settings of rm2_panel_settings_factor
 * @param manifold  the manifold
 * @param factor  index of the factor, from 0
 * @param n  number of points
 * @param points  n x ambient
 * @param style  NULL: the default
 */
RM2_API rm2_status rm2_plot_factor_points(rm2_context *ctx, rm2_panel *panel,
                                          const rm2_manifold *manifold, size_t factor, size_t n,
                                          const double *points, const rm2_style *style);

#ifdef __cplusplus
}
#endif
#endif
