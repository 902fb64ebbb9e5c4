/* Points of a manifold, each factor in the panel that suits it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "plot/draw.h"

enum { FRAMES_SHOWN = 24, MATRICES_SHOWN = 6 };

typedef enum picture {
    NO_PICTURE,
    PICTURE_CURVE, /* its entries are points of the panel */
    PICTURE_DISC,  /* H2 in the Poincare disc */
    PICTURE_FRAMES,
    PICTURE_MATRICES
} picture;

static picture picture_of(const rm2_factor *factor, rm2_panel_kind *kind) {
    const rm2_geometry *g = factor->geometry;
    *kind = RM2_PANEL_PLANE;
    if ((g == &rm2_euclidean && factor->n == 2) || (g == &rm2_sphere && factor->n == 1))
        return PICTURE_CURVE;
    if (g == &rm2_hyperbolic && factor->n == 2)
        return PICTURE_DISC;
    *kind = RM2_PANEL_SPACE;
    if (g == &rm2_euclidean && factor->n == 3)
        return PICTURE_CURVE;
    if (g == &rm2_rotation || (g == &rm2_sphere && factor->n == 3))
        return PICTURE_FRAMES;
    *kind = g == &rm2_sphere ? RM2_PANEL_SPHERE : RM2_PANEL_CONE;
    if (factor->n == 2 && (g == &rm2_sphere || rm2_is_spd(g)))
        return PICTURE_CURVE;
    *kind = RM2_PANEL_MATRICES;
    return rm2_is_spd(g) ? PICTURE_MATRICES : NO_PICTURE;
}

/* Do its points lie on the unit circle or inside? */
static bool in_circle(const rm2_factor *factor, picture shown) {
    return shown == PICTURE_DISC || (factor->geometry == &rm2_sphere && factor->n == 1);
}

/* Does the manifold have the factor, and the factor a picture? */
static rm2_status check_factor(rm2_context *ctx, const rm2_manifold *manifold, size_t index) {
    rm2_panel_kind kind;
    RM2_REQUIRE(ctx, manifold);
    if (index >= rm2_manifold_factor_count(manifold))
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "%s has no factor %zu",
                                rm2_manifold_spec(manifold), index + 1);
    const rm2_factor *factor = rm2_manifold_factor(manifold, index);
    if (picture_of(factor, &kind) == NO_PICTURE)
        return rm2_context_fail(
            ctx, RM2_ERR_UNSUPPORTED,
            "%s%zu, factor %zu of %s, cannot be drawn: plot its coordinates over time instead",
            factor->geometry->name, factor->n, index + 1, rm2_manifold_spec(manifold));
    return RM2_OK;
}

rm2_status rm2_panel_settings_factor(rm2_context *ctx, const rm2_manifold *manifold, size_t factor,
                                     rm2_panel_settings *settings) {
    rm2_panel_kind kind;
    RM2_REQUIRE(ctx, settings);
    RM2_TRY(check_factor(ctx, manifold, factor));
    const rm2_factor *f = rm2_manifold_factor(manifold, factor);
    picture shown = picture_of(f, &kind);
    rm2_panel_settings s = rm2_panel_settings_default(kind);
    s.equal = kind == RM2_PANEL_PLANE || kind == RM2_PANEL_SPACE;
    if (in_circle(f, shown)) {
        s.x.min = s.y.min = -1.05;
        s.x.max = s.y.max = 1.05;
    }
    return rm2_settings_give(ctx, &s, settings);
}

/* ---- copies of one factor --------------------------------------------------------------------- */

/* n points of a manifold, of which some are shown. */
typedef struct selection {
    const rm2_manifold *manifold;
    size_t n, shown;
    const double *points;
} selection;

/* A factor's columns of the points that are shown, one below the other. */
static rm2_status gather(rm2_context *ctx, const selection *s, const rm2_factor *f, double **rows) {
    size_t width = rm2_manifold_ambient(s->manifold);
    RM2_TRY(rm2i_plot_alloc(ctx, s->shown * f->ambient, sizeof(double), rows));
    for (size_t i = 0; i < s->shown; i++) {
        size_t from = s->shown > 1 ? i * (s->n - 1) / (s->shown - 1) : 0;
        memcpy(*rows + i * f->ambient, s->points + from * width + f->ambient_offset,
               f->ambient * sizeof(double));
    }
    return RM2_OK;
}

/* (x1, x2) / (1 + x0): the Lorentz model seen from (-1, 0, 0). */
static void to_disc(size_t n, double *rows) {
    for (size_t i = 0; i < n; i++) {
        double x[3] = {rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]};
        rows[2 * i] = x[1] / (1 + x[0]);
        rows[2 * i + 1] = x[2] / (1 + x[0]);
    }
}

/* Positions are those of an R3 factor just before the orientations, if there is one. */
static rm2_status plot_frames(rm2_context *ctx, rm2_panel *panel, const selection *s, size_t factor,
                              const double *quaternions, const rm2_style *style) {
    const rm2_factor *before = factor > 0 ? rm2_manifold_factor(s->manifold, factor - 1) : NULL;
    if (!before || before->geometry != &rm2_euclidean || before->n != 3)
        return rm2_plot_frames(ctx, panel, s->shown, NULL, quaternions, style);
    double *positions;
    RM2_TRY(gather(ctx, s, before, &positions));
    rm2_status status = rm2_plot_frames(ctx, panel, s->shown, positions, quaternions, style);
    free(positions);
    return status;
}

static rm2_status plot_matrices(rm2_context *ctx, rm2_panel *panel, const rm2_factor *f,
                                size_t shown, const double *rows, const rm2_style *style) {
    rm2_matrices matrices = {.count = shown,
                             .n = f->n,
                             .values = rows,
                             .correlation = true,
                             .limit = 1,
                             .name = style ? style->label : NULL,
                             .label = "correlation"};
    return rm2_plot_matrices(ctx, panel, &matrices);
}

/* The unit circle in grey, once a panel. */
static rm2_status plot_circle(rm2_context *ctx, rm2_panel *panel) {
    enum { STEPS = 180 };
    double circle[2 * (STEPS + 1)];
    for (int i = 0; i <= STEPS; i++) {
        circle[2 * i] = cos(2 * RM2_PI * i / STEPS);
        circle[2 * i + 1] = sin(2 * RM2_PI * i / STEPS);
    }
    if (panel->item_count > 0)
        return RM2_OK;
    return rm2_plot_curve(ctx, panel, STEPS + 1, circle,
                          &(rm2_style){.colour = RM2_GREY, .width = 0.6});
}

/* How rm2_plot_curve and rm2_plot_points are called. */
typedef rm2_status (*plot_call)(rm2_context *ctx, rm2_panel *panel, size_t n, const double *points,
                                const rm2_style *style);

/* The points of the factor, by a call where they are points of the panel. */
static rm2_status plot_selection(rm2_context *ctx, rm2_panel *panel, const selection *all,
                                 size_t factor, const rm2_style *style, plot_call plot) {
    rm2_panel_kind kind;
    size_t n = all->n;
    RM2_TRY(check_factor(ctx, all->manifold, factor));
    const rm2_factor *f = rm2_manifold_factor(all->manifold, factor);
    picture shown = picture_of(f, &kind);
    RM2_TRY(rm2i_expect_panel(ctx, panel, 1u << kind, "rm2_plot_factor of this manifold"));
    const double *points = all->points;
    RM2_REQUIRE(ctx, points);
    if (n == 0)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "rm2_plot_factor: n is 0");
    size_t most = shown == PICTURE_FRAMES     ? FRAMES_SHOWN
                  : shown == PICTURE_MATRICES ? MATRICES_SHOWN
                                              : n;
    size_t count = n < most ? n : most;
    const selection some = {all->manifold, n, count, points};
    double *rows;
    RM2_TRY(gather(ctx, &some, f, &rows));
    rm2_status status = in_circle(f, shown) ? plot_circle(ctx, panel) : RM2_OK;
    if (shown == PICTURE_DISC)
        to_disc(count, rows);
    if (status == RM2_OK && shown == PICTURE_FRAMES)
        status = plot_frames(ctx, panel, &some, factor, rows, style);
    else if (status == RM2_OK && shown == PICTURE_MATRICES)
        status = plot_matrices(ctx, panel, f, count, rows, style);
    else if (status == RM2_OK)
        status = plot(ctx, panel, count, rows, style);
    free(rows);
    return status;
}

rm2_status rm2_plot_factor(rm2_context *ctx, rm2_panel *panel, const rm2_manifold *manifold,
                           size_t factor, size_t n, const double *points, const rm2_style *style) {
    const selection all = {manifold, n, n, points};
    return plot_selection(ctx, panel, &all, factor, style, rm2_plot_curve);
}

rm2_status rm2_plot_factor_points(rm2_context *ctx, rm2_panel *panel, const rm2_manifold *manifold,
                                  size_t factor, size_t n, const double *points,
                                  const rm2_style *style) {
    const selection all = {manifold, n, n, points};
    return plot_selection(ctx, panel, &all, factor, style, rm2_plot_points);
}
