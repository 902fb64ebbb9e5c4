/* Figures of an experiment: what they share, latent spaces, training. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/experiment.h"

/* ---- what all figures share ----------------------------------------------------------------- */

int experiment_save(experiment_run *r, const rm2_figure *figure, const char *name,
                    const char *caption) {
    static const char *const endings[] = {"svg", "png", "pdf"};
    const char *ending = endings[r->options->format];
    char path[PATH_SIZE];
    r->figures[r->figure_count++] = (figure_file){name, caption};
    experiment_path(r, name, "svg", path);
    rm2_status status = rm2_figure_save(r->work.ctx, figure, path, 0, r->work.common->force);
    if (status == RM2_OK && r->options->format != 0) {
        experiment_path(r, name, ending, path);
        status = rm2_figure_save(r->work.ctx, figure, path, 0, r->work.common->force);
    }
    return work_check(&r->work, status);
}

const char *experiment_model_name(const trained *t) {
    if (t->kind == RM2_WGPLVM)
        return t->independent ? "WGPLVM and Riemann², independent outputs" : "WGPLVM and Riemann²";
    return t->independent ? "GPLVM and pGPLVM, independent outputs" : "GPLVM and pGPLVM";
}

void experiment_title(const trained *t, const char *what, char title[TITLE_SIZE]) {
    (void)snprintf(title, TITLE_SIZE, "%s, %s", experiment_model_name(t), what);
}

rm2_style experiment_style(const experiment_run *r, const outcome *o, bool on_heat) {
    bool many = experiment_outcome(r, o->trained, MOVE_DENSITY) != NULL;
    switch (o->variant->movement) {
    case MOVE_STRAIGHT:
        return figure_straight_style("straight line", on_heat);
    case MOVE_PULLBACK:
        return figure_geodesic_style(many ? o->variant->name : "geodesic", on_heat);
    case MOVE_DENSITY:
        break;
    }
    return figure_other_style((size_t)(o - r->outcomes), o->variant->name, on_heat);
}

/* ---- latent spaces -------------------------------------------------------------------------- */

/* Panels of the figure, in the order in which they fill its rows. */
typedef struct latent_page {
    size_t panels, columns, rows;
    bool both;       /* magnification and uncertainty of each model */
    double parts[2]; /* widths of two columns */
    rm2_figure_settings figure;
} latent_page;

/* Height over width of a model's grid. */
static double grid_aspect(const trained *t) {
    rm2_roadmap_info g = *rm2_space_roadmap(t->space);
    const double *last = g.x + 2 * (g.nodes - 1);
    return (last[1] - g.x[1]) / (last[0] - g.x[0]);
}

static double highest_aspect(const experiment_run *r) {
    double aspect = 0;
    for (size_t k = 0; k < r->model_count; k++)
        aspect = fmax(aspect, grid_aspect(&r->models[k]));
    return aspect;
}

static size_t latent_legend_entries(const experiment_run *r) {
    const trained *t = &r->models[0];
    size_t entries = figure_groups(t->info) + 2; /* start and end */
    for (size_t k = 0; k < r->outcome_count; k++)
        entries += r->outcomes[k].trained == t;
    return entries;
}

/* Two models in a column each: columns as wide as equally high grids need, so that the height is what limits both. */
static void equal_heights(const experiment_run *r, double sides, latent_page *p, double height) {
    double room = PAGE_WIDTH - 2 * sides, widths = 0;
    for (size_t k = 0; k < 2; k++)
        widths += 1 / grid_aspect(&r->models[k]);
    double most = room / widths;
    for (size_t k = 0; k < 2; k++)
        p->parts[k] = sides + most / grid_aspect(&r->models[k]);
    p->figure.column_parts = p->parts;
    p->figure.height -= (double)p->rows * (height - fmin(0.96 * most, 110));
}

/* Wide latent spaces have a row each, others stand side by side; heights follow the aspect ratio, so
 * that pages have no empty margins. The legend is below all of them. */
static void arrange_latents(const experiment_run *r, latent_page *p) {
    enum { SIDES = 34, ABOVE = 17, ENTRY = 38 }; /* axes and bar; axis and title; of a legend */
    p->both = r->model_count <= 2;
    p->panels = r->model_count * (p->both ? 2 : 1);
    double aspect = highest_aspect(r);
    p->columns = aspect < 0.45 ? 1 : 2;
    p->rows = p->panels / p->columns;
    double cell = (double)PAGE_WIDTH / (double)p->columns;
    double height = fmin(fmax((cell - SIDES) * aspect, 20), 110) + ABOVE;
    double lines = ceil((double)latent_legend_entries(r) * ENTRY / PAGE_WIDTH);
    p->figure = rm2_figure_settings_default();
    p->figure.width = PAGE_WIDTH;
    p->figure.height = (double)p->rows * height + 3 + 5 * lines;
    p->figure.rows = p->rows;
    p->figure.columns = p->columns;
    p->figure.legend = true;
    if (p->columns == 2 && r->model_count == 2)
        equal_heights(r, SIDES, p, height - ABOVE);
}

static rm2_status add_latent_curves(const experiment_run *r, const trained *t, rm2_panel *panel) {
    for (size_t k = 0; k < r->outcome_count; k++) {
        const outcome *o = &r->outcomes[k];
        rm2_style style = experiment_style(r, o, true);
        if (o->trained == t)
            WORK_TRY(rm2_plot_curve(r->work.ctx, panel, o->curve->nodes, o->curve->x, &style));
    }
    for (size_t k = 0; k < r->outcome_count; k++) {
        const rm2_curve *c = r->outcomes[k].curve;
        if (r->outcomes[k].trained == t)
            WORK_TRY(figure_ends(r->work.ctx, panel, c->nodes, 2, c->x));
    }
    return RM2_OK;
}

/* Two columns: the models side by side, magnification above uncertainty. */
static rm2_status latent_panel(const experiment_run *r, const latent_page *p, size_t index,
                               rm2_figure *figure) {
    size_t model = index % r->model_count, row = index / p->columns;
    const trained *t = &r->models[model];
    bool uncertainty = index >= r->model_count;
    char title[TITLE_SIZE];
    rm2_panel *panel;
    experiment_title(t, uncertainty ? "uncertainty" : "magnification", title);
    WORK_TRY(figure_latent_panel(r->work.ctx, figure, row, index % p->columns,
                                 p->both ? title : experiment_model_name(t), &panel));
    WORK_TRY(figure_heat(r->work.ctx, panel, t->model, rm2_space_exact_metric(t->space),
                         rm2_space_roadmap(t->space), uncertainty));
    WORK_TRY(figure_latents(r->work.ctx, panel, t->info));
    return add_latent_curves(r, t, panel);
}

static bool all_planar(const experiment_run *r) {
    for (size_t k = 0; k < r->model_count; k++)
        if (r->models[k].info->latent_dim != 2)
            return false;
    return true;
}

static int draw_latents(experiment_run *r) {
    rm2_figure *figure = NULL;
    latent_page p;
    if (!all_planar(r)) {
        experiment_say(r, "no figure of the latent spaces: not all have two dimensions");
        return EXIT_DONE;
    }
    arrange_latents(r, &p);
    rm2_status status = rm2_figure_create(r->work.ctx, &p.figure, &figure);
    for (size_t k = 0; k < p.panels && status == RM2_OK; k++)
        status = latent_panel(r, &p, k, figure);
    int code = status == RM2_OK
                   ? experiment_save(r, figure, "latent-space",
                                     p.both ? "Latent spaces: magnification factor and uncertainty "
                                              "of the models, latent variables, and the paths "
                                              "compared."
                                            : "Latent spaces: magnification factor of the models, "
                                              "latent variables, and the paths compared.")
                   : work_check(&r->work, status);
    rm2_figure_free(figure);
    return code;
}

/* ---- training ------------------------------------------------------------------------------- */

/* Objective of every model above its start, over the iterations. */
static int draw_training(experiment_run *r) {
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_figure *figure = NULL;
    rm2_panel *panel = NULL;
    page.width = PAGE_WIDTH;
    page.height = 65 + 5 * (double)r->model_count;
    s.x.label = "iteration";
    s.y.label = "objective gained per point [nats]";
    s.legend = RM2_LEGEND_BELOW;
    rm2_status status = rm2_figure_create(r->work.ctx, &page, &figure);
    if (status == RM2_OK)
        status = rm2_figure_panel(r->work.ctx, figure, 0, 0, &s, &panel);
    for (size_t k = 0; k < r->model_count && status == RM2_OK; k++)
        status = figure_trace(
            r->work.ctx, panel, r->models[k].info, r->models[k].info->training.trace[0],
            (double)r->models[k].info->points, experiment_model_name(&r->models[k]));
    int code = status == RM2_OK ? experiment_save(r, figure, "training",
                                                  "Training: the objective over its iterations.")
                                : work_check(&r->work, status);
    rm2_figure_free(figure);
    return code;
}

int experiment_draw(experiment_run *r) {
    int (*const parts[])(experiment_run *) = {experiment_draw_groups, draw_latents,
                                              experiment_draw_decoded, draw_training,
                                              experiment_draw_arms};
    int code = EXIT_DONE;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && code == EXIT_DONE; k++)
        code = parts[k](r);
    return code;
}
