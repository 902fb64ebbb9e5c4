/* New data in the figures of riemann2 plot: points without an order, diamonds. A label that the model knows has the
 * colour that it has among the training data, another one a colour of its own. */
#include "plot/plot.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LABELS = 12 };

/* Number of a label for its colour. */
static size_t label_number(const rm2_data *known, const char *name, size_t unknown) {
    for (size_t k = 0; known->labels && k < known->label_count; k++)
        if (strcmp(known->label_names[k], name) == 0)
            return k;
    return (known->labels ? known->label_count : 0) + unknown;
}

/* Draws n rows of `width` numbers. */
typedef rm2_status (*plot_rows)(const plot_job *j, size_t factor, rm2_panel *panel, size_t n,
                                const double *rows, const rm2_style *style);

static rm2_status latent_rows(const plot_job *j, size_t factor, rm2_panel *panel, size_t n,
                              const double *rows, const rm2_style *style) {
    (void)factor;
    return rm2_plot_points(j->m->work.ctx, panel, n, rows, style);
}

static rm2_status factor_rows(const plot_job *j, size_t factor, rm2_panel *panel, size_t n,
                              const double *rows, const rm2_style *style) {
    return rm2_plot_factor_points(j->m->work.ctx, panel, j->m->info->manifold, factor, n, rows,
                                  style);
}

/* What a call draws in. */
typedef struct target {
    const plot_job *job;
    size_t factor;
    rm2_panel *panel;
    plot_rows plot;
    bool latent;
} target;

static size_t row_width(const target *t) {
    const rm2_model_info *i = t->job->m->info;
    return t->latent ? i->latent_dim : rm2_manifold_ambient(i->manifold);
}

static const double *row_values(const target *t, const drawn_file *f) {
    return t->latent ? f->paths.x : f->points;
}

/* The points of one label. */
static rm2_status add_label(const target *t, const drawn_file *f, size_t label,
                            const rm2_style *style) {
    size_t width = row_width(t), n = 0;
    const double *values = row_values(t, f);
    double *rows = malloc((f->paths.count * width + 1) * sizeof *rows);
    if (!rows)
        return RM2_ERR_MEMORY;
    for (size_t i = 0; i < f->paths.count; i++)
        if (f->paths.labels[i] == label)
            memcpy(rows + n++ * width, values + i * width, width * sizeof *rows);
    rm2_status status = n ? t->plot(t->job, t->factor, t->panel, n, rows, style) : RM2_OK;
    free(rows);
    return status;
}

static rm2_style new_style(rm2_colour colour, const char *label) {
    return (rm2_style){
        .label = label, .colour = colour, .marker = RM2_MARKER_DIAMOND, .size = 4, .halo = true};
}

static rm2_status add_labels(const target *t, const drawn_file *f) {
    for (size_t k = 0, unknown = 0; k < f->paths.label_count; k++) {
        char text[DRAWN_SIZE + 16], name[DRAWN_SIZE];
        size_t number = label_number(t->job->m->info->data, f->paths.label_names[k], unknown);
        unknown += !t->job->m->info->data->labels || number >= t->job->m->info->data->label_count;
        (void)snprintf(text, sizeof text, "%.150s, new", f->paths.label_names[k]);
        figure_text(text, name);
        const rm2_style style = new_style(rm2_palette(number), name);
        WORK_TRY(add_label(t, f, k, &style));
    }
    return RM2_OK;
}

static rm2_status add_files(const target *t) {
    for (size_t k = 0; k < t->job->options->points.count; k++) {
        const drawn_file *f = plot_points_file(t->job, k);
        const rm2_style plain = new_style(RM2_COLOUR_NEW, f->name);
        bool labelled = f->paths.labels && f->paths.label_count <= MOST_LABELS;
        WORK_TRY(labelled ? add_labels(t, f)
                          : t->plot(t->job, t->factor, t->panel, f->paths.count, row_values(t, f),
                                    &plain));
    }
    return RM2_OK;
}

rm2_status plot_new_latents(const plot_job *j, rm2_panel *panel) {
    return add_files(&(target){j, 0, panel, latent_rows, true});
}

rm2_status plot_new_points(const plot_job *j, size_t factor, rm2_panel *panel) {
    return add_files(&(target){j, factor, panel, factor_rows, false});
}
