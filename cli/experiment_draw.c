/* Figures of an experiment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

static const rm2_style demonstration_style = {
    .label = "demonstrations", .colour = RM2_GREY, .width = 0.6, .opacity = 0.7};
static const rm2_style straight_style = {
    .label = "straight line", .colour = RM2_VERMILION, .width = 1.4, .halo = true};
static const rm2_style geodesic_style = {
    .label = "geodesic", .colour = RM2_YELLOW, .width = 1.6, .halo = true};
static const rm2_style decoded_style = {.label = "geodesic", .colour = RM2_BLUE, .width = 1.4};
static const rm2_style decoded_straight_style = {
    .label = "straight line", .colour = RM2_VERMILION, .width = 1.2};

/* ---- saving --------------------------------------------------------------------------------- */

static int save(experiment_run *r, const rm2_figure *figure, const char *name,
                const char *caption) {
    static const char *const endings[] = {"svg", "png", "pdf"};
    const char *ending = endings[r->options->format];
    char file[64], path[1200];
    figure_file *f = &r->figures[r->figure_count++];
    (void)snprintf(f->name, sizeof f->name, "%s", name);
    (void)snprintf(f->caption, sizeof f->caption, "%s", caption);
    (void)snprintf(file, sizeof file, "%s.svg", name);
    experiment_path(r, file, path, sizeof path);
    rm2_status status = rm2_figure_save(r->work.ctx, figure, path, 0, r->work.common->force);
    if (status == RM2_OK && r->options->format != 0) {
        (void)snprintf(file, sizeof file, "%s.%s", name, ending);
        experiment_path(r, file, path, sizeof path);
        status = rm2_figure_save(r->work.ctx, figure, path, 0, r->work.common->force);
    }
    return work_check(&r->work, status);
}

static const char *model_name(const trained *t) {
    if (t->kind == RM2_WGPLVM)
        return t->independent ? "WGPLVM and Riemann², independent outputs" : "WGPLVM and Riemann²";
    return t->independent ? "GPLVM and pGPLVM, independent outputs" : "GPLVM and pGPLVM";
}

/* ---- latent spaces -------------------------------------------------------------------------- */

/* Values on the grid, rows of y: the network has the last coordinate fastest. */
static rm2_status grid_values(const experiment_run *r, const trained *t, bool uncertainty,
                              double *values) {
    rm2_network_info g = rm2_network_describe(t->grid);
    size_t nx = g.counts[0], ny = g.counts[1];
    double *field = malloc(g.nodes * sizeof *field);
    if (!field)
        return RM2_ERR_MEMORY;
    rm2_status status =
        uncertainty ? rm2_model_decode(r->work.ctx, t->model, g.nodes, g.x, NULL, NULL, NULL, field)
                    : rm2_metric_magnification(r->work.ctx, t->pullback, g.nodes, g.x, field);
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j < ny; j++) /* as log10: the bar shows powers of ten */
            values[j * nx + i] =
                uncertainty ? field[i * ny + j] : field[i * ny + j] / 2.302585092994046;
    free(field);
    return status;
}

static rm2_status add_heat(const experiment_run *r, const trained *t, bool uncertainty,
                           rm2_panel *panel) {
    rm2_network_info g = rm2_network_describe(t->grid);
    size_t last = g.nodes - 1;
    double *values = malloc(g.nodes * sizeof *values);
    if (!values)
        return RM2_ERR_MEMORY;
    rm2_heat heat = {.columns = g.counts[0],
                     .rows = g.counts[1],
                     .values = values,
                     .x_min = g.x[0],
                     .y_min = g.x[1],
                     .x_max = g.x[2 * last],
                     .y_max = g.x[2 * last + 1],
                     .label = uncertainty ? "standard deviation" : "log10 magnification"};
    rm2_status status = grid_values(r, t, uncertainty, values);
    if (status == RM2_OK)
        status = rm2_plot_heat(r->work.ctx, panel, &heat);
    free(values);
    return status;
}

/* Latents by label, or by trajectory. */
static rm2_status add_latents(const experiment_run *r, const trained *t, rm2_panel *panel) {
    const rm2_model_info *i = &t->info;
    static const rm2_style plain = {
        .label = "training data", .colour = RM2_WHITE, .size = 2, .opacity = 0.9};
    static const rm2_style grouped = {.size = 3, .halo = true};
    if (i->labels)
        return rm2_plot_groups(r->work.ctx, panel, i->points, i->latents, i->labels, i->label_count,
                               i->label_names, &grouped);
    return rm2_plot_points(r->work.ctx, panel, i->points, i->latents, &plain);
}

static rm2_status add_latent_curves(const experiment_run *r, const trained *t, rm2_panel *panel) {
    rm2_status status = RM2_OK;
    for (size_t k = 0; k < r->outcome_count && status == RM2_OK; k++) {
        const outcome *o = &r->outcomes[k];
        rm2_style style = o->variant->movement == MOVE_STRAIGHT ? straight_style : geodesic_style;
        if (o->trained != t)
            continue;
        if (o->variant->movement == MOVE_DENSITY) {
            style.label = o->variant->name;
            style.colour = rm2_palette(k + 1);
            style.width = 1.2;
        } else if (o->variant->movement == MOVE_PULLBACK && r->model_count == 1) {
            style.label = "Riemann²";
        }
        status = rm2_plot_curve(r->work.ctx, panel, o->curve->nodes, o->curve->x, &style);
    }
    return status;
}

static rm2_status latent_panel(const experiment_run *r, const trained *t, bool uncertainty,
                               rm2_figure *figure, size_t row, size_t column) {
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_panel *panel;
    s.title = model_name(t);
    s.x.label = "latent x1";
    s.y.label = "latent x2";
    s.equal = true;
    s.legend = RM2_LEGEND_BELOW;
    rm2_status status = rm2_figure_panel(r->work.ctx, figure, row, column, &s, &panel);
    if (status == RM2_OK)
        status = add_heat(r, t, uncertainty, panel);
    if (status == RM2_OK)
        status = add_latents(r, t, panel);
    return status == RM2_OK ? add_latent_curves(r, t, panel) : status;
}

/* One panel a model, the magnification above the uncertainty. */
static int draw_latents(experiment_run *r) {
    bool both = r->model_count <= 2;
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_figure *figure = NULL;
    page.columns = 2;
    page.rows = r->model_count == 1 ? 1 : 2;
    page.width = 175;
    page.height = 85 * (double)page.rows;
    rm2_status status = rm2_figure_create(r->work.ctx, &page, &figure);
    for (size_t k = 0; k < r->model_count && status == RM2_OK; k++) {
        const trained *t = &r->models[k];
        if (r->model_count == 1) {
            status = latent_panel(r, t, false, figure, 0, 0);
            if (status == RM2_OK)
                status = latent_panel(r, t, true, figure, 0, 1);
        } else {
            status = latent_panel(r, t, false, figure, both ? 0 : k / 2, k % 2);
            if (both && status == RM2_OK)
                status = latent_panel(r, t, true, figure, 1, k);
        }
    }
    int code = status == RM2_OK
                   ? save(r, figure, "latent-space",
                          "Latent spaces: magnification factor and uncertainty of the models, "
                          "latent variables, and the paths compared.")
                   : work_check(&r->work, status);
    rm2_figure_free(figure);
    return code;
}

/* ---- decoded trajectories ------------------------------------------------------------------- */

static rm2_status add_demonstrations(const experiment_run *r, size_t factor, rm2_panel *panel) {
    const rm2_data *d = r->reference;
    size_t ambient = rm2_manifold_ambient(d->manifold);
    rm2_status status = RM2_OK;
    for (size_t t = 0; t < d->trajectories && status == RM2_OK; t++)
        status = rm2_plot_factor(r->work.ctx, panel, d->manifold, factor,
                                 d->starts[t + 1] - d->starts[t],
                                 d->points + d->starts[t] * ambient, &demonstration_style);
    return status;
}

/* Is this factor one whose demonstrations would hide everything: frames, matrices? */
static bool crowded(const rm2_factor *f) {
    return f->geometry == &rm2_rotation || (f->geometry == &rm2_sphere && f->n == 3) ||
           (f->geometry == &rm2_spd && f->n > 2);
}

static rm2_status decoded_panel(const experiment_run *r, const trained *t, size_t factor,
                                rm2_figure *figure, size_t row, size_t column) {
    const rm2_manifold *m = r->data->manifold;
    const outcome *geodesic = experiment_outcome(r, t, MOVE_PULLBACK);
    const outcome *straight = experiment_outcome(r, t, MOVE_STRAIGHT);
    rm2_panel_settings s;
    rm2_panel *panel;
    WORK_TRY(rm2_panel_settings_factor(r->work.ctx, m, factor, &s));
    s.title = model_name(t);
    s.legend = RM2_LEGEND_BELOW;
    WORK_TRY(rm2_figure_panel(r->work.ctx, figure, row, column, &s, &panel));
    if (!crowded(rm2_manifold_factor(m, factor)))
        WORK_TRY(add_demonstrations(r, factor, panel));
    if (straight)
        WORK_TRY(rm2_plot_factor(r->work.ctx, panel, m, factor, straight->curve->nodes,
                                 straight->points, &decoded_straight_style));
    return rm2_plot_factor(r->work.ctx, panel, m, factor, geodesic->curve->nodes, geodesic->points,
                           &decoded_style);
}

/* Poses: positions with frames along them, the demonstrations as lines. */
static rm2_status pose_panel(const experiment_run *r, const outcome *o, const char *title,
                             rm2_figure *figure, size_t column) {
    enum { FRAMES = 16 };
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_SPACE);
    rm2_panel *panel;
    double positions[FRAMES * 3], quaternions[FRAMES * 4];
    size_t n = o->curve->nodes, ambient = rm2_manifold_ambient(r->data->manifold);
    for (size_t k = 0; k < FRAMES; k++) {
        const double *y = o->points + k * (n - 1) / (FRAMES - 1) * ambient;
        memcpy(positions + 3 * k, y, 3 * sizeof *y);
        memcpy(quaternions + 4 * k, y + 3, 4 * sizeof *y);
    }
    s.title = title;
    s.equal = true;
    s.legend = RM2_LEGEND_BELOW;
    s.x.label = "x";
    s.y.label = "y";
    s.z.label = "z";
    WORK_TRY(rm2_figure_panel(r->work.ctx, figure, 0, column, &s, &panel));
    WORK_TRY(add_demonstrations(r, 0, panel));
    WORK_TRY(rm2_plot_factor(r->work.ctx, panel, r->data->manifold, 0, n, o->points,
                             o->variant->movement == MOVE_STRAIGHT ? &decoded_straight_style
                                                                   : &decoded_style));
    return rm2_plot_frames(r->work.ctx, panel, FRAMES, positions, quaternions, NULL);
}

static rm2_status draw_poses(const experiment_run *r, rm2_figure *figure) {
    const trained *wrapped = experiment_wrapped(r);
    WORK_TRY(pose_panel(r, experiment_outcome(r, wrapped, MOVE_STRAIGHT), "WGPLVM", figure, 0));
    return pose_panel(r, experiment_outcome(r, wrapped, MOVE_PULLBACK), "Riemann²", figure, 1);
}

/* R2 x SPD2: ellipses along the path. */
static rm2_status ellipse_panel(const experiment_run *r, const outcome *o, rm2_figure *figure,
                                size_t row, size_t column) {
    enum { ELLIPSES = 24 };
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_panel *panel;
    double centres[ELLIPSES * 2], matrices[ELLIPSES * 4];
    size_t n = o->curve->nodes;
    rm2_style style = {.colour = o->variant->movement == MOVE_STRAIGHT ? RM2_VERMILION : RM2_BLUE,
                       .opacity = 0.6};
    for (size_t k = 0; k < ELLIPSES; k++) {
        const double *y = o->points + k * (n - 1) / (ELLIPSES - 1) * 6;
        memcpy(centres + 2 * k, y, 2 * sizeof *y);
        memcpy(matrices + 4 * k, y + 2, 4 * sizeof *y);
    }
    s.title = o->variant->name;
    s.equal = true;
    s.x.label = "x";
    s.y.label = "y";
    s.legend = RM2_LEGEND_NONE;
    WORK_TRY(rm2_figure_panel(r->work.ctx, figure, row, column, &s, &panel));
    WORK_TRY(add_demonstrations(r, 0, panel));
    return rm2_plot_ellipses(r->work.ctx, panel, ELLIPSES, centres, matrices, &style);
}

static rm2_status draw_ellipses(const experiment_run *r, rm2_figure *figure) {
    const trained *wrapped = experiment_wrapped(r);
    const outcome *geodesic = experiment_outcome(r, wrapped, MOVE_PULLBACK);
    WORK_TRY(ellipse_panel(r, geodesic, figure, 0, 0));
    WORK_TRY(ellipse_panel(r, experiment_outcome(r, wrapped, MOVE_STRAIGHT), figure, 0, 1));
    WORK_TRY(decoded_panel(r, wrapped, 0, figure, 1, 0));
    return decoded_panel(r, wrapped, 1, figure, 1, 1);
}

/* Correlation matrices along geodesic and straight line. */
static rm2_status draw_matrices(const experiment_run *r, rm2_figure *figure) {
    enum { SHOWN = 6 };
    static const char *const times[SHOWN] = {"t = 0", "0.2", "0.4", "0.6", "0.8", "1"};
    const trained *wrapped = experiment_wrapped(r);
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_MATRICES);
    rm2_panel *panel;
    size_t n = rm2_manifold_factor(r->data->manifold, 0)->n, size = n * n;
    double *values = malloc(SHOWN * size * sizeof *values);
    if (!values)
        return RM2_ERR_MEMORY;
    rm2_status status = rm2_figure_panel(r->work.ctx, figure, 0, 0, &s, &panel);
    for (size_t row = 0; row < 2 && status == RM2_OK; row++) {
        const outcome *o = experiment_outcome(r, wrapped, row == 0 ? MOVE_PULLBACK : MOVE_STRAIGHT);
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
        status = rm2_plot_matrices(r->work.ctx, panel, &shown);
    }
    free(values);
    return status;
}

/* Every factor in its own panel, a row for each model. */
static rm2_status draw_factors(const experiment_run *r, rm2_figure *figure) {
    size_t factors = rm2_manifold_factor_count(r->data->manifold);
    for (size_t k = 0; k < r->model_count; k++)
        for (size_t f = 0; f < factors; f++)
            WORK_TRY(decoded_panel(r, &r->models[k], f, figure, k, f));
    return RM2_OK;
}

typedef struct drawing {
    const char *experiment, *caption;
    rm2_status (*draw)(const experiment_run *r, rm2_figure *figure);
    size_t rows, columns;
    double height; /* of a row, millimetres */
} drawing;

static const drawing drawings[] = {
    {"toy", "Decoded paths with the demonstrations, for the Euclidean and the wrapped models.",
     draw_factors, 2, 2, 75},
    {"metric-learning", "Decoded paths with the demonstrations.", draw_factors, 1, 2, 75},
    {"robot", "Decoded poses: positions with orientation frames, and the demonstrations.",
     draw_poses, 1, 2, 85},
    {"manipulability", "Decoded ellipsoids along the path and in the cone of SPD(2).",
     draw_ellipses, 2, 2, 80},
    {"connectome", "Correlations along the geodesic and along the straight line.", draw_matrices, 1,
     1, 75},
};

static int draw_decoded(experiment_run *r) {
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_figure *figure = NULL;
    const drawing *d = drawings;
    while (strcmp(d->experiment, r->experiment->name) != 0)
        d++;
    page.rows = d->rows;
    page.columns = d->columns;
    page.width = 175;
    page.height = d->height * (double)d->rows;
    rm2_status status = rm2_figure_create(r->work.ctx, &page, &figure);
    if (status == RM2_OK)
        status = d->draw(r, figure);
    int code =
        status == RM2_OK ? save(r, figure, "decoded", d->caption) : work_check(&r->work, status);
    rm2_figure_free(figure);
    return code;
}

/* ---- training ------------------------------------------------------------------------------- */

/* Objective of every model above its start, over the iterations. */
static rm2_status add_trace(const experiment_run *r, const trained *t, rm2_panel *panel) {
    size_t n = t->info.iterations + 1;
    double *points = malloc(2 * n * sizeof *points);
    if (!points)
        return RM2_ERR_MEMORY;
    for (size_t k = 0; k < n; k++) {
        points[2 * k] = (double)k;
        points[2 * k + 1] = (t->info.trace[k] - t->info.trace[0]) / (double)t->info.points;
    }
    rm2_style style = {.label = model_name(t), .width = 1.2};
    rm2_status status = rm2_plot_curve(r->work.ctx, panel, n, points, &style);
    free(points);
    return status;
}

static int draw_training(experiment_run *r) {
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_figure *figure = NULL;
    rm2_panel *panel = NULL;
    s.x.label = "iteration";
    s.y.label = "gain of the objective, a point";
    s.legend = RM2_LEGEND_BELOW;
    rm2_status status = rm2_figure_create(r->work.ctx, &page, &figure);
    if (status == RM2_OK)
        status = rm2_figure_panel(r->work.ctx, figure, 0, 0, &s, &panel);
    for (size_t k = 0; k < r->model_count && status == RM2_OK; k++)
        status = add_trace(r, &r->models[k], panel);
    int code = status == RM2_OK
                   ? save(r, figure, "training", "Training: the objective over its iterations.")
                   : work_check(&r->work, status);
    rm2_figure_free(figure);
    return code;
}

/* ---- arms ----------------------------------------------------------------------------------- */

/* Some of the configurations, with the path that the hand followed. */
static rm2_status arm_panel(const experiment_run *r, const execution *e, bool flat,
                            rm2_figure *figure, size_t column) {
    enum { SHOWN = 6 };
    rm2_panel_settings s = rm2_panel_settings_default(flat ? RM2_PANEL_PLANE : RM2_PANEL_SPACE);
    rm2_panel *panel;
    size_t joints = e->links + 1, width = flat ? 2 : 3;
    double *arms = malloc(SHOWN * joints * width * sizeof *arms);
    double *path = malloc(e->n * width * sizeof *path);
    rm2_status status = arms && path ? RM2_OK : RM2_ERR_MEMORY;
    s.title = e->outcome->variant->name;
    s.equal = true;
    s.x.label = "x";
    s.y.label = "y";
    s.z.label = "z";
    s.legend = RM2_LEGEND_NONE;
    for (size_t k = 0; k < SHOWN * joints && status == RM2_OK; k++)
        memcpy(arms + k * width,
               e->skeleton + (k / joints * (e->n - 1) / (SHOWN - 1) * joints + k % joints) * 3,
               width * sizeof *arms);
    for (size_t i = 0; i < e->n && status == RM2_OK; i++)
        memcpy(path + i * width, e->targets + i * e->width, width * sizeof *path);
    if (status == RM2_OK)
        status = rm2_figure_panel(r->work.ctx, figure, 0, column, &s, &panel);
    if (status == RM2_OK)
        status = rm2_plot_arm(r->work.ctx, panel, SHOWN, joints, arms, NULL);
    if (status == RM2_OK)
        status = rm2_plot_curve(r->work.ctx, panel, e->n, path,
                                &(rm2_style){.colour = RM2_VERMILION, .width = 1.4});
    free(path);
    free(arms);
    return status;
}

static int draw_arms(experiment_run *r) {
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_figure *figure = NULL;
    if (r->execution_count == 0)
        return EXIT_DONE;
    bool flat = strncmp(r->executions[0].arm, "planar", 6) == 0;
    page.columns = r->execution_count;
    page.width = 175;
    page.height = 85;
    rm2_status status = rm2_figure_create(r->work.ctx, &page, &figure);
    for (size_t k = 0; k < r->execution_count && status == RM2_OK; k++)
        status = arm_panel(r, &r->executions[k], flat, figure, k);
    int code = status == RM2_OK
                   ? save(r, figure, "arm", "The arm along the decoded motion, from light to dark.")
                   : work_check(&r->work, status);
    rm2_figure_free(figure);
    return code;
}

int experiment_draw(experiment_run *r) {
    int (*const parts[])(experiment_run *) = {draw_latents, draw_decoded, draw_training, draw_arms};
    int code = EXIT_DONE;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && code == EXIT_DONE; k++)
        code = parts[k](r);
    return code;
}
