/* Figures of an experiment: what the paths decode to, each manifold in its own way, and arms that follow
 * them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/experiment.h"

/* Generated motions of robots are in metres; of other data the unit is not known. */
static const char *unit_of(const experiment_run *r) {
    return !r->options->data && strcmp(r->experiment->generator, "robot") == 0 ? "m" : NULL;
}

/* Positions of all panels have the same axes: those of the data and of all paths, and some room. */
static void share_axes(const experiment_run *r, size_t factor, double room, rm2_panel_settings *s) {
    const rm2_factor *f = rm2_manifold_factor(r->data->manifold, factor);
    rm2_axis *const axes[] = {&s->x, &s->y, &s->z};
    size_t ambient = rm2_manifold_ambient(r->data->manifold);
    for (size_t k = 0; k < f->ambient && k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < r->reference->count; i++) {
            double x = r->reference->points[i * ambient + f->ambient_offset + k];
            lo = fmin(lo, x);
            hi = fmax(hi, x);
        }
        for (size_t o = 0; o < r->outcome_count; o++)
            for (size_t i = 0; i < r->outcomes[o].curve->nodes; i++) {
                double x = r->outcomes[o].points[i * ambient + f->ambient_offset + k];
                lo = fmin(lo, x);
                hi = fmax(hi, x);
            }
        axes[k]->min = lo - room * (hi - lo);
        axes[k]->max = hi + room * (hi - lo);
    }
}

/* Axes of a panel of positions. */
static void position_axes(const experiment_run *r, size_t factor, double room, axis_texts *texts,
                          rm2_panel_settings *s) {
    share_axes(r, factor, room, s);
    figure_label_axes(s, unit_of(r), texts);
}

static rm2_status add_demonstrations(const experiment_run *r, size_t factor, rm2_panel *panel) {
    return figure_background(r->work.ctx, panel, r->reference, factor, r->reference->points);
}

static rm2_status add_decoded(const experiment_run *r, const outcome *o, size_t factor,
                              rm2_panel *panel) {
    rm2_style style = experiment_style(r, o, false);
    return rm2_plot_factor(r->work.ctx, panel, r->data->manifold, factor, o->curve->nodes,
                           o->points, &style);
}

static rm2_status add_ends(const experiment_run *r, const outcome *o, size_t factor,
                           rm2_panel *panel) {
    return figure_factor_ends(r->work.ctx, panel, r->data->manifold, factor, o->curve->nodes,
                              o->points);
}

/* ---- any factors ---------------------------------------------------------------------------- */

static bool has_picture(const experiment_run *r, size_t factor) {
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    return rm2_panel_settings_factor(r->work.ctx, r->data->manifold, factor, &s) == RM2_OK;
}

static rm2_status factor_panel(const experiment_run *r, const trained *t, size_t factor,
                               rm2_figure *figure, size_t row, size_t column) {
    const rm2_factor *f = rm2_manifold_factor(r->data->manifold, factor);
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_panel *panel;
    char title[TITLE_SIZE], name[32];
    axis_texts axes;
    WORK_TRY(rm2_panel_settings_factor(r->work.ctx, r->data->manifold, factor, &s));
    (void)snprintf(name, sizeof name, "%s%zu", f->geometry->name, f->n);
    experiment_title(t, name, title);
    s.title = title;
    if (f->geometry == &rm2_euclidean)
        position_axes(r, factor, 0.1, &axes, &s);
    WORK_TRY(rm2_figure_panel(r->work.ctx, figure, row, column, &s, &panel));
    WORK_TRY(add_demonstrations(r, factor, panel));
    for (size_t k = 0; k < r->outcome_count; k++)
        if (r->outcomes[k].trained == t)
            WORK_TRY(add_decoded(r, &r->outcomes[k], factor, panel));
    for (size_t k = 0; k < r->outcome_count; k++)
        if (r->outcomes[k].trained == t)
            WORK_TRY(add_ends(r, &r->outcomes[k], factor, panel));
    return RM2_OK;
}

/* Every factor that has a picture in a column, a row for each model. */
static rm2_status draw_factors(const experiment_run *r, rm2_figure *figure) {
    for (size_t k = 0; k < r->model_count; k++)
        for (size_t f = 0, column = 0; f < rm2_manifold_factor_count(r->data->manifold); f++)
            if (has_picture(r, f))
                WORK_TRY(factor_panel(r, &r->models[k], f, figure, k, column++));
    return RM2_OK;
}

/* ---- poses ---------------------------------------------------------------------------------- */

/* Positions with frames along them, the demonstrations as lines. */
static rm2_status pose_panel(const experiment_run *r, const outcome *o, rm2_figure *figure,
                             size_t column) {
    enum { FRAMES = 16 };
    static const rm2_style frames = {.label = "frame: x purple, y green, z blue"};
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_SPACE);
    rm2_panel *panel;
    axis_texts axes;
    double positions[FRAMES * 3], quaternions[FRAMES * 4];
    size_t n = o->curve->nodes, ambient = rm2_manifold_ambient(r->data->manifold);
    for (size_t k = 0; k < FRAMES; k++) {
        const double *y = o->points + k * (n - 1) / (FRAMES - 1) * ambient;
        memcpy(positions + 3 * k, y, 3 * sizeof *y);
        memcpy(quaternions + 4 * k, y + 3, 4 * sizeof *y);
    }
    s.title = o->variant->name;
    s.equal = true;
    position_axes(r, 0, 0.04, &axes, &s);
    WORK_TRY(rm2_figure_panel(r->work.ctx, figure, 0, column, &s, &panel));
    WORK_TRY(add_demonstrations(r, 0, panel));
    WORK_TRY(rm2_plot_frames(r->work.ctx, panel, FRAMES, positions, quaternions, &frames));
    WORK_TRY(add_decoded(r, o, 0, panel));
    return add_ends(r, o, 0, panel);
}

/* What the wrapped model has for comparison; NULL where a movement is not part of the experiment. */
static const outcome *wrapped_outcome(const experiment_run *r, movement m) {
    return experiment_outcome(r, experiment_wrapped(r), m);
}

static rm2_status draw_poses(const experiment_run *r, rm2_figure *figure) {
    static const movement shown[] = {MOVE_STRAIGHT, MOVE_PULLBACK};
    for (size_t k = 0; k < 2; k++) {
        const outcome *o = wrapped_outcome(r, shown[k]);
        if (o)
            WORK_TRY(pose_panel(r, o, figure, k));
    }
    return RM2_OK;
}

/* ---- ellipses ------------------------------------------------------------------------------- */

/* R2 x SPD2: ellipses along the path. */
static rm2_status ellipse_panel(const experiment_run *r, const outcome *o, rm2_figure *figure,
                                size_t column) {
    enum { ELLIPSES = 24 };
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_panel *panel;
    axis_texts axes;
    double centres[ELLIPSES * 2], matrices[ELLIPSES * 4];
    size_t n = o->curve->nodes;
    rm2_style style = experiment_style(r, o, false);
    style.width = 0; /* the default of ellipses */
    style.dash = RM2_SOLID;
    style.opacity = 0.6;
    for (size_t k = 0; k < ELLIPSES; k++) {
        const double *y = o->points + k * (n - 1) / (ELLIPSES - 1) * 6;
        memcpy(centres + 2 * k, y, 2 * sizeof *y);
        memcpy(matrices + 4 * k, y + 2, 4 * sizeof *y);
    }
    s.title = o->variant->name;
    s.equal = true;
    s.legend = RM2_LEGEND_NONE;
    position_axes(r, 0, 0.1, &axes, &s);
    WORK_TRY(rm2_figure_panel(r->work.ctx, figure, 0, column, &s, &panel));
    WORK_TRY(add_demonstrations(r, 0, panel));
    return rm2_plot_ellipses(r->work.ctx, panel, ELLIPSES, centres, matrices, &style);
}

static rm2_status draw_ellipses(const experiment_run *r, rm2_figure *figure) {
    const trained *wrapped = experiment_wrapped(r);
    const outcome *straight = wrapped_outcome(r, MOVE_STRAIGHT);
    if (straight)
        WORK_TRY(ellipse_panel(r, straight, figure, 0));
    WORK_TRY(ellipse_panel(r, wrapped_outcome(r, MOVE_PULLBACK), figure, 1));
    WORK_TRY(factor_panel(r, wrapped, 0, figure, 1, 0));
    return factor_panel(r, wrapped, 1, figure, 1, 1);
}

/* ---- matrices ------------------------------------------------------------------------------- */

static rm2_status add_matrices(const experiment_run *r, const outcome *o, rm2_panel *panel) {
    enum { SHOWN = 6 };
    static const char *const times[SHOWN] = {"t = 0", "0.2", "0.4", "0.6", "0.8", "1"};
    size_t n = rm2_manifold_factor(r->data->manifold, 0)->n, size = n * n;
    double *values = malloc(SHOWN * size * sizeof *values);
    if (!values)
        return RM2_ERR_MEMORY;
    rm2_matrices shown = {.count = SHOWN,
                          .n = n,
                          .values = values,
                          .correlation = true,
                          .limit = 1,
                          .name = o->variant->name,
                          .names = times,
                          .label = "correlation"};
    for (size_t k = 0; k < SHOWN; k++)
        memcpy(values + k * size, o->points + k * (o->curve->nodes - 1) / (SHOWN - 1) * size,
               size * sizeof *values);
    rm2_status status = rm2_plot_matrices(r->work.ctx, panel, &shown);
    free(values);
    return status;
}

/* Correlation matrices along straight line and geodesic. */
static rm2_status draw_matrices(const experiment_run *r, rm2_figure *figure) {
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_MATRICES);
    s.names = names_for(&r->names, rm2_manifold_factor(r->data->manifold, 0));
    s.name_count = s.names ? r->names.count : 0;
    const outcome *straight = wrapped_outcome(r, MOVE_STRAIGHT);
    rm2_panel *panel;
    WORK_TRY(rm2_figure_panel(r->work.ctx, figure, 0, 0, &s, &panel));
    if (straight)
        WORK_TRY(add_matrices(r, straight, panel));
    return add_matrices(r, wrapped_outcome(r, MOVE_PULLBACK), panel);
}

/* ---- which of them -------------------------------------------------------------------------- */

typedef struct drawing {
    rm2_status (*draw)(const experiment_run *r, rm2_figure *figure);
    size_t rows, columns;
    double height; /* of a row, millimetres */
    const char *caption;
} drawing;

static bool is_factor(const rm2_manifold *m, size_t index, const rm2_geometry *g, size_t n) {
    const rm2_factor *f = rm2_manifold_factor(m, index);
    return f->geometry == g && f->n == n;
}

static drawing choose_drawing(const experiment_run *r) {
    const rm2_manifold *m = r->data->manifold;
    size_t factors = rm2_manifold_factor_count(m), pictures = 0;
    const rm2_factor *first = rm2_manifold_factor(m, 0);
    if (factors == 2 && is_factor(m, 0, &rm2_euclidean, 3) &&
        (is_factor(m, 1, &rm2_sphere, 3) || is_factor(m, 1, &rm2_rotation, 3)))
        return (drawing){draw_poses, 1, 2, 85,
                         "Decoded poses: positions with orientation frames (x purple, y green, z "
                         "blue), and the demonstrations."};
    if (factors == 2 && is_factor(m, 0, &rm2_euclidean, 2) && is_factor(m, 1, &rm2_spd, 2))
        return (drawing){draw_ellipses, 2, 2, 80,
                         "Decoded ellipsoids along the path and in the cone of SPD(2)."};
    if (factors == 1 && rm2_is_spd(first->geometry) && first->n > 2)
        return (drawing){draw_matrices, 1, 1, r->names.count ? 66 : 54,
                         "Correlations along the straight line and along the geodesic."};
    for (size_t f = 0; f < factors; f++)
        pictures += has_picture(r, f);
    return (drawing){draw_factors, r->model_count, pictures, 68,
                     "Decoded paths with the demonstrations."};
}

int experiment_draw_decoded(experiment_run *r) {
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_figure *figure = NULL;
    drawing d = choose_drawing(r);
    if (d.columns == 0) {
        experiment_say(r, "points of %s cannot be drawn", rm2_manifold_spec(r->data->manifold));
        return EXIT_DONE;
    }
    page.rows = d.rows;
    page.columns = d.columns;
    page.width = PAGE_WIDTH;
    page.height = d.height * (double)d.rows + 8;
    page.legend = true;
    rm2_status status = rm2_figure_create(r->work.ctx, &page, &figure);
    if (status == RM2_OK)
        status = d.draw(r, figure);
    int code = status == RM2_OK ? experiment_save(r, figure, "decoded", d.caption)
                                : work_check(&r->work, status);
    rm2_figure_free(figure);
    return code;
}

/* ---- arms ----------------------------------------------------------------------------------- */

/* Copies in as many coordinates as the panel has: some of the configurations, and the way of the hand. */
static void arm_points(const execution *e, size_t shown, double *arms, double *path) {
    size_t joints = e->links + 1, width = e->flat ? 2 : 3;
    for (size_t k = 0; k < shown * joints; k++) {
        size_t node = k / joints * (e->n - 1) / (shown - 1);
        memcpy(arms + k * width, e->skeleton + (node * joints + k % joints) * 3,
               width * sizeof *arms);
    }
    for (size_t i = 0; i < e->n; i++)
        memcpy(path + i * width, e->targets + i * e->width, width * sizeof *path);
}

/* All arms have the same axes. */
static void share_arm_axes(const experiment_run *r, rm2_panel_settings *s) {
    rm2_axis *const axes[] = {&s->x, &s->y, &s->z};
    for (size_t k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < r->execution_count; i++) {
            const execution *e = &r->executions[i];
            for (size_t p = 0; p < e->n * (e->links + 1); p++) {
                lo = fmin(lo, e->skeleton[3 * p + k]);
                hi = fmax(hi, e->skeleton[3 * p + k]);
            }
        }
        axes[k]->min = lo - 0.06 * (hi - lo);
        axes[k]->max = hi + 0.06 * (hi - lo);
    }
}

static rm2_status arm_panel(const experiment_run *r, const execution *e, rm2_figure *figure,
                            size_t column) {
    enum { SHOWN = 6 };
    static const rm2_style arm = {.label = "arm, from light to dark"};
    const rm2_style hand = experiment_style(r, e->outcome, false);
    axis_texts axes;
    rm2_panel_settings s = rm2_panel_settings_default(e->flat ? RM2_PANEL_PLANE : RM2_PANEL_SPACE);
    rm2_panel *panel = NULL;
    size_t joints = e->links + 1;
    double *arms = malloc(SHOWN * joints * 3 * sizeof *arms);
    double *path = malloc(e->n * 3 * sizeof *path);
    rm2_status status = arms && path ? RM2_OK : RM2_ERR_MEMORY;
    s.title = e->outcome->variant->name;
    s.equal = true;
    figure_label_axes(&s, e->flat ? NULL : "m", &axes);
    share_arm_axes(r, &s);
    if (status == RM2_OK) {
        arm_points(e, SHOWN, arms, path);
        status = rm2_figure_panel(r->work.ctx, figure, 0, column, &s, &panel);
    }
    if (status == RM2_OK)
        status = rm2_plot_arm(r->work.ctx, panel, SHOWN, joints, arms, &arm);
    if (status == RM2_OK)
        status = rm2_plot_curve(r->work.ctx, panel, e->n, path, &hand);
    if (status == RM2_OK)
        status = figure_ends(r->work.ctx, panel, e->n, e->flat ? 2 : 3, path);
    free(path);
    free(arms);
    return status;
}

int experiment_draw_arms(experiment_run *r) {
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_figure *figure = NULL;
    if (r->execution_count == 0)
        return EXIT_DONE;
    page.columns = r->execution_count;
    page.width = PAGE_WIDTH;
    page.height = 90;
    page.legend = true;
    rm2_status status = rm2_figure_create(r->work.ctx, &page, &figure);
    for (size_t k = 0; k < r->execution_count && status == RM2_OK; k++)
        status = arm_panel(r, &r->executions[k], figure, k);
    int code =
        status == RM2_OK
            ? experiment_save(r, figure, "arm",
                              "The arm along the decoded motion, from light to dark, and the "
                              "path of its hand.")
            : work_check(&r->work, status);
    rm2_figure_free(figure);
    return code;
}
