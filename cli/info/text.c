/* A model as text: names in a column, long lists of numbers abbreviated. Settings stand in the groups of the
 * library's table, with a star where they are not the recipe's. The priors are those of fit --prior:
 * Gamma(shape, rate) of the value, log-normal(mean, width) of its logarithm. */
#include <math.h>
#include <string.h>

#include "info/info.h"

enum { ALL_SHOWN = 12, FEW_SHOWN = 6, COLUMN = 20, LINE = 100 };

/* "1 2 3", or the first few and how many there are. */
static void print_numbers(size_t count, const double *values) {
    size_t shown = count <= ALL_SHOWN ? count : FEW_SHOWN;
    for (size_t k = 0; k < shown; k++)
        printf("%s%.4g", k ? " " : "", values[k]);
    if (shown < count)
        printf(" ... (%zu numbers)", count);
}

static void begin(const char *name) {
    printf("%-*s", COLUMN, name);
}

/* ---- data and its place on the manifold ------------------------------------------------------ */

static void print_data(const rm2_model_info *i) {
    begin("model");
    printf("%s on %s (%zu outputs), %zu latent dimension%s%s\n",
           i->settings->model == RM2_WGPLVM ? "wrapped GPLVM" : "Euclidean GPLVM",
           rm2_manifold_spec(i->manifold), i->outputs, i->latent_dim, plural(i->latent_dim),
           i->settings->back_constraint ? ", back constraint" : "");
    begin("data");
    printf("%zu points of %s", i->points, PLAIN(i->data->source));
    if (i->data->trajectories)
        printf(", %zu %s", i->data->trajectories,
               i->data->trajectories == 1 ? "trajectory" : "trajectories");
    if (i->data->label_count)
        printf(", %zu label%s", i->data->label_count, plural(i->data->label_count));
    printf("\n");
    if (i->trained > i->points) {
        begin("compact");
        printf("these are some of the %zu points it was trained on; predictions count all\n",
               i->trained);
    }
}

static void print_scale(const rm2_model_info *i) {
    bool any = false;
    for (size_t k = 0; k < rm2_manifold_factor_count(i->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(i->manifold, k);
        if (i->data->scale[k] == 1)
            continue;
        if (!any)
            begin("scale");
        printf("%s%s%zu divided by %.4g", any ? ", " : "", f->geometry->name, f->n,
               i->data->scale[k]);
        any = true;
    }
    if (any)
        printf("\n");
}

static void print_shrinkage(const rm2_model_info *i) {
    if (!(i->data->shrinkage > 0))
        return;
    begin("shrinkage");
    printf("%.4g: SPD matrices were regularised, new ones are too\n", i->data->shrinkage);
}

static void print_base(const rm2_model_info *i) {
    if (!i->base_point)
        return;
    begin("base point");
    print_numbers(rm2_manifold_ambient(i->manifold), i->base_point);
    printf("\n");
}

/* ---- hyperparameters ------------------------------------------------------------------------- */

static void print_prior(const rm2_hyperparameter *p) {
    switch (p->prior) {
    case RM2_PRIOR_GAMMA:
        printf(" under Gamma(%.4g, %.4g)", p->a, p->b);
        return;
    case RM2_PRIOR_LOGNORMAL:
        if (isnan(p->a))
            printf(" under log-normal(start, %.4g)", p->b);
        else
            printf(" under log-normal(%.4g, %.4g)", p->a, p->b);
        return;
    case RM2_PRIOR_NONE:
        break;
    }
    if (p->learned)
        printf(", no prior");
}

static void print_hyperparameter(const rm2_model_info *i, const rm2_setting *s) {
    const rm2_hyperparameter *p = info_hyperparameter(i, s);
    size_t count;
    const double *values = info_values(i, p, &count);
    char name[SETTING_WORD];
    if (!values)
        return;
    printf("  %-*s", COLUMN - 2, setting_name(s, name));
    print_numbers(count, values);
    printf(p->learned ? ", learned from " : ", held");
    if (p->learned && p->start > 0)
        printf("%.4g", p->start);
    else if (!(p->start > 0))
        printf(p->learned ? "a start found in the data" : " as found in the data");
    print_prior(p);
    printf("\n");
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Is it the group's own name, as "kernel" in the group Kernel? */
static bool names_group(const rm2_setting *s) {
    size_t k = 0;
    while (s->name[k] && s->group[k] &&
           (s->name[k] == '_' ? ' ' : s->name[k]) == (s->group[k] | 0x20))
        k++;
    return !s->name[k] && !s->group[k];
}

/* "ard no", or the value alone where it says enough, with a star where the recipe has another one;
 * returns the number of characters. */
static int format_setting(const rm2_model_info *i, const rm2_setting *s, char *text, size_t size) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    rm2_fit_settings recipe = rm2_fit_settings_recipe(i->settings->recipe);
    char value[160], usual[160];
    bool known =
        rm2_settings_get(NULL, table, i->settings, s->name, value, sizeof value) == RM2_OK &&
        rm2_settings_get(NULL, table, &recipe, s->name, usual, sizeof usual) == RM2_OK;
    bool alone = names_group(s) || (s->type == RM2_SETTING_FLAG && s->words);
    return snprintf(text, size, "%s%s%s%s", alone ? "" : s->name, alone ? "" : " ",
                    known ? value : "?", known && strcmp(value, usual) == 0 ? "" : "*");
}

/* The line of a group from row `first` on, then its hyperparameters; returns the row after it. */
static size_t print_group(const rm2_model_info *i, size_t first) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    const char *group = rm2_settings_at(table, first)->group;
    char title[COLUMN + 1];
    size_t end = first;
    int column = COLUMN;
    (void)snprintf(title, sizeof title, "%s", group);
    title[0] |= 0x20;
    begin(title);
    for (; end < table->count && strcmp(rm2_settings_at(table, end)->group, group) == 0; end++) {
        const rm2_setting *s = rm2_settings_at(table, end);
        char text[240];
        if (s->type == RM2_SETTING_HYPERPARAMETER)
            continue;
        int length = format_setting(i, s, text, sizeof text);
        if (column > COLUMN && column + 2 + length > LINE) {
            printf(",\n%*s", COLUMN, "");
            column = COLUMN;
        }
        column += printf("%s%s", column > COLUMN ? ", " : "", text);
    }
    printf("\n");
    for (size_t k = first; k < end; k++)
        if (rm2_settings_at(table, k)->type == RM2_SETTING_HYPERPARAMETER)
            print_hyperparameter(i, rm2_settings_at(table, k));
    return end;
}

static void print_back_kernels(const rm2_model_info *i) {
    const rm2_factor_kernel *kernels = i->settings->back_kernels;
    if (info_back_kernels(i) == 0)
        return;
    begin("back kernels");
    for (size_t k = 0; k < info_back_kernels(i); k++) {
        const rm2_factor *f = rm2_manifold_factor(i->manifold, k);
        printf("%s%s (lengthscale %.4g) on ", k ? ", " : "", rm2_kernel_name(kernels[k].kind),
               kernels[k].lengthscale);
        if (i->settings->model == RM2_GPLVM)
            printf("R%zu", rm2_manifold_ambient(i->manifold));
        else
            printf("%s%zu", f->geometry->name, f->n);
    }
    printf("\n");
}

static void print_settings(const rm2_model_info *i) {
    printf("\nsettings (* not as in the recipe)\n");
    for (size_t k = 0; k < rm2_settings_table_of(RM2_SETTINGS_FIT)->count;)
        k = print_group(i, k);
    print_back_kernels(i);
}

/* ---- training -------------------------------------------------------------------------------- */

static void print_objective(const rm2_model_info *i) {
    begin("objective");
    printf("%.4f (start %.4f), without the constants of anchors\n", i->training.end.total,
           i->training.start.total);
    begin("  likelihood");
    printf("%.4f; as a log density on the manifold %.4f\n", i->training.end.log_likelihood,
           i->training.end.log_likelihood - i->volume);
    begin("  priors");
    printf("outputs %.4f, latents %.4f, dynamics %.4f, hyperparameters %.4f\n",
           i->training.end.task_anchor, i->training.end.latent, i->training.end.gpdm,
           i->training.end.hyper);
}

static const char *inducing_word(const rm2_model_info *i) {
    if (!i->inducing_points)
        return "optimised ";
    return i->settings->inducing_points ? "given " : "";
}

static void print_inference(const rm2_model_info *i) {
    begin("  inference");
    if (i->inducing == 0) {
        printf("exact\n");
        return;
    }
    printf("%zu %sinducing point%s: likelihood exactly between %.4f and %.4f\n", i->inducing,
           inducing_word(i), plural(i->inducing), i->training.likelihood.lower,
           i->training.likelihood.upper);
    if (!i->gpdm_inducing)
        return;
    begin("  dynamics");
    printf("%zu inducing point%s: exactly between %.4f and %.4f\n", i->gpdm_inducing,
           plural(i->gpdm_inducing), i->training.dynamics.lower, i->training.dynamics.upper);
}

static void print_training(const rm2_model_info *i) {
    begin("training");
    printf("%zu iteration%s, %zu evaluation%s; stopped: %s\n", i->training.iterations,
           plural(i->training.iterations), i->training.evaluations, plural(i->training.evaluations),
           rm2_stop_text(i->training.stop));
    begin("output variance");
    printf("%.4g, mean over the outputs\n", info_output_variance(i));
    if (i->training.end.jitter > 0) {
        begin("jitter");
        printf("%.1e added to a covariance matrix\n", i->training.end.jitter);
    }
}

void info_print_text(const rm2_model_info *i) {
    print_data(i);
    print_scale(i);
    print_shrinkage(i);
    print_base(i);
    print_objective(i);
    print_inference(i);
    print_training(i);
    start_print(stdout, i->data, i->start_report);
    start_print_uncertainty(stdout, i);
    print_settings(i);
}
