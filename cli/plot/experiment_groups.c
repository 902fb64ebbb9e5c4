/* Figure of groups: their means as matrices of correlations, and how the others differ from the first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/experiment.h"

/* Correlations of the means, count x n x n. */
static void correlations(const experiment_run *r, size_t n, double *values) {
    for (size_t k = 0; k < r->groups.count; k++) {
        const double *A = r->groups.means + k * n * n;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) /* a_ij / sqrt(a_ii a_jj) */
                values[(k * n + i) * n + j] =
                    A[i * n + j] / sqrt(A[i * n + i]) / sqrt(A[j * n + j]);
    }
}

static rm2_status add_panel(const experiment_run *r, rm2_figure *figure, size_t column,
                            const char *title, rm2_panel **panel) {
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_MATRICES);
    s.title = title;
    s.names = names_for(&r->names, rm2_manifold_factor(r->data->manifold, 0));
    s.name_count = s.names ? r->names.count : 0;
    return rm2_figure_panel(r->work.ctx, figure, 0, column, &s, panel);
}

/* Texts of labels as figures can have them. */
typedef struct drawn_labels {
    char text[MOST_GROUPS][DRAWN_SIZE];
} drawn_labels;

static rm2_status means_panel(const experiment_run *r, const double *values, size_t n,
                              const drawn_labels *labels, rm2_figure *figure) {
    const char *names[MOST_GROUPS];
    rm2_panel *panel;
    for (size_t k = 0; k < r->groups.count; k++)
        names[k] = labels->text[k];
    WORK_TRY(add_panel(r, figure, 0, "means of the groups", &panel));
    const rm2_matrices shown = {.count = r->groups.count,
                                .n = n,
                                .values = values,
                                .limit = 1,
                                .names = names,
                                .label = "correlation"};
    return rm2_plot_matrices(r->work.ctx, panel, &shown);
}

/* Differences from the first group, with colours of their own around zero. */
static rm2_status difference_panel(const experiment_run *r, double *values, size_t n,
                                   const drawn_labels *labels, rm2_figure *figure) {
    char texts[MOST_GROUPS][DRAWN_SIZE + 8];
    const char *names[MOST_GROUPS];
    size_t others = r->groups.count - 1;
    rm2_panel *panel;
    for (size_t k = 0; k < others; k++) {
        (void)snprintf(texts[k], sizeof texts[k], "%.80s − %.80s", labels->text[k + 1],
                       labels->text[0]);
        names[k] = texts[k];
        for (size_t i = 0; i < n * n; i++)
            values[(k + 1) * n * n + i] -= values[i];
    }
    WORK_TRY(add_panel(r, figure, 1, others > 1 ? "differences" : "difference", &panel));
    const rm2_matrices shown = {.count = others,
                                .n = n,
                                .values = values + n * n,
                                .names = names,
                                .label = "difference of correlations"};
    return rm2_plot_matrices(r->work.ctx, panel, &shown);
}

/* Matrices of both panels are about as large. */
static void set_page(const experiment_run *r, double parts[2], rm2_figure_settings *page) {
    enum { BAR = 21, NAMES = 17, ABOVE = 14 }; /* millimetres */
    double names = r->names.count > 0 ? NAMES : 0;
    double count = (double)(2 * r->groups.count - 1);
    double side = fmin((PAGE_WIDTH - 2 * (BAR + names)) / count, names > 0 ? 60 : 42);
    parts[0] = BAR + names + (double)r->groups.count * side;
    parts[1] = BAR + names + (double)(r->groups.count - 1) * side;
    page->columns = 2;
    page->column_parts = parts;
    page->width = PAGE_WIDTH;
    page->height = side + ABOVE + names;
}

static rm2_status fill(const experiment_run *r, size_t n, double *values, rm2_figure *figure) {
    drawn_labels labels;
    for (size_t k = 0; k < r->groups.count; k++)
        figure_text(r->reference->label_names[k], labels.text[k]);
    correlations(r, n, values);
    WORK_TRY(means_panel(r, values, n, &labels, figure));
    return difference_panel(r, values, n, &labels, figure);
}

int experiment_draw_groups(experiment_run *r) {
    const rm2_factor *f = rm2_manifold_factor(r->data->manifold, 0);
    if (r->groups.count == 0 || rm2_manifold_factor_count(r->data->manifold) > 1 ||
        !rm2_is_spd(f->geometry))
        return EXIT_DONE;
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_figure *figure = NULL;
    double parts[2], *values = malloc(r->groups.count * f->ambient * sizeof *values);
    set_page(r, parts, &page);
    rm2_status status = values ? rm2_figure_create(r->work.ctx, &page, &figure) : RM2_ERR_MEMORY;
    if (status == RM2_OK)
        status = fill(r, f->n, values, figure);
    int code = status == RM2_OK
                   ? experiment_save(r, figure, "groups",
                                     "Fréchet means of the groups as correlations, and their "
                                     "difference: red where a correlation is larger than in the "
                                     "first group, blue where it is smaller.")
                   : work_check(&r->work, status);
    free(values);
    rm2_figure_free(figure);
    return code;
}
