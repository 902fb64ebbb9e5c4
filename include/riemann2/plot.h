/* Figures: panels on a page, written as PNG, SVG or PDF. Arrays of numbers in, ink out: nothing here
 * knows models.
 *
 * A figure is a grid of panels; a panel has a kind, and its items are added one by one. Everything
 * handed in is copied. Margins, ticks, legends and colour bars are laid out when the figure is saved,
 * from the measured size of every text, so that nothing overlaps and nothing is cut. The same figure
 * gives the same bytes every time, with the same versions of Cairo and of the fonts.
 *
 *     rm2_figure_settings page = rm2_figure_settings_default();
 *     rm2_panel_settings plane = rm2_panel_settings_default(RM2_PANEL_PLANE);
 *     rm2_figure_create(ctx, &page, &figure);
 *     rm2_figure_panel(ctx, figure, 0, 0, &plane, &panel);
 *     rm2_plot_curve(ctx, panel, n, points, &(rm2_style){.label = "geodesic", .colour = RM2_BLUE});
 *     rm2_figure_save(ctx, figure, "figure.pdf", 0, false);
 *
 * Points that are not finite are left out (a curve is interrupted there). Texts are UTF-8. Lengths on
 * the page are in typographic points (1/72 inch) unless they say millimetres. */
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

/* 0 lets the panel choose: the next colour of the palette. */
typedef uint32_t rm2_colour;

#define RM2_RGB(rrggbb) (UINT32_C(0x1000000) | (rm2_colour)(rrggbb))
/* Distinct for colour-blind readers too (Okabe and Ito, "Color Universal Design", 2008, and brown). */
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

/* One colour, one meaning: in the figures of the program and of the Python package, and in the explorer, which
 * has the same list (tests/source/colours compares them). Start and end of a path are a circle and a square in
 * the colour of text. Uncertainty is the colour of what is uncertain, translucent; on a map it is the sequential
 * colour map. */
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

/* The i-th colour for groups, such as labels: blue, orange, green, purple, sky, brown, yellow, again from the
 * start after RM2_PALETTE_SIZE. Geodesics, straight lines, demonstrations, new data and obstacles have others. */
RM2_API rm2_colour rm2_palette(size_t i);

typedef enum rm2_colour_map {
    RM2_MAP_SEQUENTIAL, /* dark violet, blue, green, yellow: lightness rises evenly */
    RM2_MAP_DIVERGING   /* blue, white in the middle, orange-red */
} rm2_colour_map;

/* Colour at t in [0, 1] (clamped); light grey for NaN and unknown maps. */
RM2_API rm2_colour rm2_colour_map_at(rm2_colour_map map, double t);

/* ---- how an item looks ---------------------------------------------------------------------- */

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

/* A zero means the default of the item: {0} is a style, and so is NULL. */
typedef struct rm2_style {
    const char *label; /* entry in the legend; NULL: none. The same label appears once */
    rm2_colour colour;
    double width; /* of lines */
    rm2_dash dash;
    rm2_marker marker;
    double size;    /* of markers, arrows, ellipses */
    double opacity; /* 0 < opacity <= 1 */
    bool halo;      /* white edge, for lines and markers on a heat map */
} rm2_style;

/* ---- figures and panels --------------------------------------------------------------------- */

typedef struct rm2_figure rm2_figure;
typedef struct rm2_panel rm2_panel;

RM2_API rm2_status rm2_figure_create(rm2_context *ctx, const rm2_figure_settings *settings,
                                     rm2_figure **figure);
RM2_API void rm2_figure_free(rm2_figure *figure); /* with its panels */

/* Write the figure; the format is that of the ending: .png, .svg or .pdf. `dpi` is the resolution of
 * a PNG, 0 for 300. The file appears whole or not at all. */
RM2_API rm2_status rm2_figure_save(rm2_context *ctx, const rm2_figure *figure, const char *path,
                                   double dpi, bool overwrite);

/* What a panel shows, and what one of its points is. */
typedef enum rm2_panel_kind {
    RM2_PANEL_PLANE, /* two axes; points are (x, y) */
    RM2_PANEL_SPACE, /* a box with three axes; points are (x, y, z) */
    RM2_PANEL_SPHERE, /* the unit sphere S2; points are (x, y, z), faint where the sphere hides them */
    RM2_PANEL_CONE,    /* the cone of SPD(2); points are 2 x 2 matrices, 4 numbers */
    RM2_PANEL_MATRICES /* rows of square heat maps, by rm2_plot_matrices */
} rm2_panel_kind;

typedef struct rm2_axis {
    const char *label; /* with the unit: "time [s]" */
    double min, max;   /* equal: from the items */
    bool log;          /* panels of kind PLANE only */
    bool hidden;       /* no ticks, no numbers; PLANE only */
} rm2_axis;

typedef enum rm2_legend {
    RM2_LEGEND_AUTO, /* in a free corner, below the panel if there is none */
    RM2_LEGEND_BELOW,
    RM2_LEGEND_RIGHT,
    RM2_LEGEND_NONE
} rm2_legend;

typedef struct rm2_panel_settings {
    size_t size; /* as rm2_panel_settings_default sets it */
    rm2_panel_kind kind;
    const char *title;
    rm2_axis x, y, z;
    bool equal; /* PLANE and SPACE: one unit is equally long on all axes */
    rm2_legend legend;
    double azimuth,
        elevation; /* degrees: the direction the viewer stands in, as longitude, latitude */
    /* MATRICES: names of rows and columns, such as regions or channels; NULL: none. Where there is no space for all,
     * every second, third, ... is shown. */
    const char *const *names;
    size_t name_count;
} rm2_panel_settings;

/* A panel seen from azimuth -60, elevation 22; a sphere from 30, a cone from elevation 18, with labels. */
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

/* A panel in cell (row, column), from 0; it belongs to the figure. Cells may stay empty. */
RM2_API rm2_status rm2_figure_panel(rm2_context *ctx, rm2_figure *figure, size_t row, size_t column,
                                    const rm2_panel_settings *settings, rm2_panel **panel);

/* ---- curves and points ---------------------------------------------------------------------- */

/* A line through n points, with markers if the style names one. */
RM2_API rm2_status rm2_plot_curve(rm2_context *ctx, rm2_panel *panel, size_t n,
                                  const double *points, const rm2_style *style);

/* Markers alone. Points that coincide are one marker with their number next to it. */
RM2_API rm2_status rm2_plot_points(rm2_context *ctx, rm2_panel *panel, size_t n,
                                   const double *points, const rm2_style *style);

/* Points in groups: point i is of group[i] < count. */
typedef struct rm2_groups {
    size_t n;
    const double *points;
    const size_t *group; /* n */
    size_t count;
    const char *const *names; /* count of them for the legend, or NULL */
} rm2_groups;

/* Markers coloured by group, in rm2_palette(group[i]), with another marker after every RM2_PALETTE_SIZE groups. */
RM2_API rm2_status rm2_plot_groups(rm2_context *ctx, rm2_panel *panel, const rm2_groups *groups,
                                   const rm2_style *style);

/* The region between two curves over x, translucent: a confidence band. PLANE only. */
RM2_API rm2_status rm2_plot_band(rm2_context *ctx, rm2_panel *panel, size_t n, const double *x,
                                 const double *low, const double *high, const rm2_style *style);

/* ---- shapes --------------------------------------------------------------------------------- */

/* Ellipses {c + A^(1/2) u : |u| = 1} of SPD(2) matrices A (n x 4) around centres c (n x 2), in their
 * true shape whatever the axes are. style.size: points of a semi-axis of length 1; 0: one size for all
 * such items of the panel, so that neighbours overlap little. PLANE only. */
RM2_API rm2_status rm2_plot_ellipses(rm2_context *ctx, rm2_panel *panel, size_t n,
                                     const double *centres, const double *matrices,
                                     const rm2_style *style);

/* Orientations (n quaternions wxyz, of any length) as three arrows, x purple, y green, z blue, at positions
 * (n x 3; NULL: evenly along the x axis). style.size: length of an arrow. SPACE only. */
RM2_API rm2_status rm2_plot_frames(rm2_context *ctx, rm2_panel *panel, size_t n,
                                   const double *positions, const double *quaternions,
                                   const rm2_style *style);

/* An arm in several configurations, from light to dark: `joints` points each, from the base to the
 * hand, n x joints points in all. PLANE and SPACE. */
RM2_API rm2_status rm2_plot_arm(rm2_context *ctx, rm2_panel *panel, size_t n, size_t joints,
                                const double *points, const rm2_style *style);

/* A keep-out region of as many dimensions as the panel has: its surface, filled translucently; a half space as far as
 * the axes go. PLANE and SPACE. */
RM2_API rm2_status rm2_plot_region(rm2_context *ctx, rm2_panel *panel, const rm2_region *region,
                                   const rm2_style *style);

/* ---- heat maps ------------------------------------------------------------------------------ */

typedef struct rm2_heat_map {
    size_t columns, rows;              /* at least 2 x 2 */
    const double *values;              /* rows x columns, C order; row 0 is at y_min */
    double x_min, x_max, y_min, y_max; /* places of the first and last column and row */
    const char *label;                 /* of the colour bar */
    double min, max;                   /* values of the first and last colour; equal: of the data */
    bool log;                          /* colours by the logarithm of the value */
    size_t contours;                   /* approximate number of contour lines, at round values */
} rm2_heat_map;

/* The background of a PLANE panel, one a panel, with a colour bar; NaN is light grey. */
RM2_API rm2_status rm2_plot_heat(rm2_context *ctx, rm2_panel *panel, const rm2_heat_map *heat);

/* The area of a PLANE panel where a field on a grid is negative, such as latent points that decode into an obstacle:
 * hatched, with its border. Of `field` the grid and the values count. style.size: distance of the lines. */
RM2_API rm2_status rm2_plot_hatched(rm2_context *ctx, rm2_panel *panel, const rm2_heat_map *field,
                                    const rm2_style *style);

typedef struct rm2_matrices {
    size_t count, n;          /* matrices, their size */
    const double *values;     /* count x n x n */
    bool correlation;         /* show a_ij / sqrt(a_ii a_jj) */
    double limit;             /* colours go from -limit to limit; 0: largest |entry| */
    const char *name;         /* of the row; NULL: none */
    const char *const *names; /* below each matrix; NULL: none */
    const char *label;        /* of the colour bar */
} rm2_matrices;

/* A row of square heat maps in a MATRICES panel; a further call adds a row below, with the same
 * colours for all. In a panel with names of rows and columns all matrices have as many rows as there are names. */
RM2_API rm2_status rm2_plot_matrices(rm2_context *ctx, rm2_panel *panel,
                                     const rm2_matrices *matrices);

/* ---- points of a manifold ------------------------------------------------------------------- */

/* The panel that shows a factor: R2, S1 and H2 (as the Poincare disc) in a plane, R3 in space, S2 on
 * the sphere, S3 and SO3 as frames in space, at the positions of an R3 factor just before them if there
 * is one, SPD2 in its cone, larger SPD as matrices of correlations. `settings` comes from
 * rm2_panel_settings_default, of any kind. */
RM2_API rm2_status rm2_panel_settings_factor(rm2_context *ctx, const rm2_manifold *manifold,
                                             size_t factor, rm2_panel_settings *settings);

/* Factor number `factor` of n points of a manifold along a path, in a panel of that kind. Of frames
 * and matrices only some are drawn, evenly along the path. */
RM2_API rm2_status rm2_plot_factor(rm2_context *ctx, rm2_panel *panel, const rm2_manifold *manifold,
                                   size_t factor, size_t n, const double *points,
                                   const rm2_style *style);

/* The same for n points without an order: markers that no line joins. */
RM2_API rm2_status rm2_plot_factor_points(rm2_context *ctx, rm2_panel *panel,
                                          const rm2_manifold *manifold, size_t factor, size_t n,
                                          const double *points, const rm2_style *style);

#ifdef __cplusplus
}
#endif
#endif
