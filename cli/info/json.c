/* A model as JSON. "settings" has the rows of the library's table under their names, "hyperparameters" those
 * of the model with their values. Null is what the program finds for itself, or no limit. */
#include <math.h>

#include "info/info.h"

/* ---- one member, after others ---------------------------------------------------------------- */

static void put_word(const char *name, const char *word) {
    printf(", \"%s\": \"%s\"", name, word);
}

static void put_count(const char *name, size_t value) {
    printf(", \"%s\": %zu", name, value);
}

static void put_number(const char *name, double value) {
    json_field(stdout, name, value);
}

static void put_numbers(const char *name, size_t count, const double *values) {
    printf(", \"%s\": [", name);
    for (size_t k = 0; k < count; k++) {
        printf("%s", k ? ", " : "");
        json_number(stdout, values[k]);
    }
    printf("]");
}

/* A setting of words. */
static const char *word_of(const rm2_model_info *i, const char *name, char *text, size_t size) {
    return rm2_settings_get(NULL, rm2_settings_table_of(RM2_SETTINGS_FIT), i->settings, name, text,
                            size) == RM2_OK
               ? text
               : "?";
}

/* ---- settings -------------------------------------------------------------------------------- */

static void put_back_kernels(const rm2_model_info *i) {
    const rm2_factor_kernel *k = i->settings->back_kernels;
    printf(", \"back_kernels\": [");
    for (size_t f = 0; k && f < info_back_kernels(i); f++) {
        printf("%s{\"kernel\": \"%s\"", f ? ", " : "", rm2_kernel_name(k[f].kind));
        put_number("lengthscale", k[f].lengthscale);
        printf("}");
    }
    printf("]");
}

static void put_inducing_points(const rm2_fit_settings *s) {
    if (!s->inducing_points) {
        printf(", \"inducing_points\": null");
        return;
    }
    printf(", \"inducing_points\": [");
    for (size_t k = 0; k < s->inducing; k++)
        printf("%s%zu", k ? ", " : "", s->inducing_points[k]);
    printf("]");
}

static void put_settings(const rm2_model_info *i) {
    printf(", \"settings\": {");
    settings_json(stdout, rm2_settings_table_of(RM2_SETTINGS_FIT), i->settings);
    put_back_kernels(i);
    put_inducing_points(i->settings);
    printf("}");
}

/* ---- base point and hyperparameters ---------------------------------------------------------- */

static void put_base(const rm2_model_info *i) {
    char word[32];
    if (!i->base_point) {
        printf(", \"base\": null");
        return;
    }
    printf(", \"base\": {\"kind\": \"%s\"", word_of(i, "base", word, sizeof word));
    put_numbers("point", rm2_manifold_ambient(i->manifold), i->base_point);
    printf("}");
}

static void put_prior(const rm2_hyperparameter *p) {
    switch (p->prior) {
    case RM2_PRIOR_NONE:
        printf(", \"prior\": null");
        return;
    case RM2_PRIOR_GAMMA:
        printf(", \"prior\": {\"kind\": \"gamma\"");
        put_number("shape", p->a);
        put_number("rate", p->b);
        break;
    case RM2_PRIOR_LOGNORMAL: /* a start from the data, 0, has no logarithm: null */
        printf(", \"prior\": {\"kind\": \"lognormal\"");
        put_number("mean", isnan(p->a) ? log(p->start) : p->a);
        put_number("width", p->b);
        break;
    }
    printf("}");
}

static void put_hyperparameters(const rm2_model_info *i) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    const char *comma = "";
    printf(", \"hyperparameters\": {");
    for (size_t k = 0; k < table->count; k++) {
        const rm2_setting *s = rm2_settings_at(table, k);
        const rm2_hyperparameter *h = info_hyperparameter(i, s);
        size_t count = 0;
        const double *values = h ? info_values(i, h, &count) : NULL;
        char name[SETTING_WORD];
        if (!values)
            continue;
        printf("%s\"%s\": {\"learned\": %s", comma, setting_name(s, name),
               h->learned ? "true" : "false");
        put_numbers("values", count, values);
        put_number("start", h->start > 0 ? h->start : NAN);
        put_prior(h);
        printf("}");
        comma = ", ";
    }
    printf("}");
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void put_objective(const rm2_model_info *i) {
    put_number("objective_start", i->training.start.total);
    put_number("objective", i->training.end.total);
    put_number("log_likelihood", i->training.end.log_likelihood);
    put_number("log_density", i->training.end.log_likelihood - i->volume);
    printf(", \"priors\": {\"outputs\": ");
    json_number(stdout, i->training.end.task_anchor);
    put_number("latents", i->training.end.latent);
    put_number("dynamics", i->training.end.gpdm);
    put_number("hyperparameters", i->training.end.hyper);
    printf("}");
    put_number("jitter", i->training.end.jitter);
    put_count("inducing", i->inducing);
    put_count("gpdm_inducing", i->gpdm_inducing);
    put_number("log_likelihood_lower", i->training.likelihood.lower);
    put_number("log_likelihood_upper", i->training.likelihood.upper);
    put_number("gpdm_lower", i->training.dynamics.lower);
    put_number("gpdm_upper", i->training.dynamics.upper);
}

void info_print_json(const rm2_model_info *i) {
    char word[32];
    printf("{\"manifold\": \"%s\"", rm2_manifold_spec(i->manifold));
    put_word("model", word_of(i, "model", word, sizeof word));
    printf(", \"source\": ");
    json_text(stdout, i->data->source);
    put_count("points", i->points);
    put_count("trained_points", i->trained);
    put_count("outputs", i->outputs);
    put_count("latent", i->latent_dim);
    put_count("trajectories", i->data->trajectories);
    put_count("labels", i->data->label_count);
    put_word("recipe", word_of(i, "recipe", word, sizeof word));
    printf(", \"seed\": %llu", (unsigned long long)i->settings->seed);
    put_count("iterations", i->training.iterations);
    put_count("evaluations", i->training.evaluations);
    put_word("stop", rm2_stop_text(i->training.stop));
    put_number("shrinkage", i->data->shrinkage);
    put_numbers("scale", rm2_manifold_factor_count(i->manifold), i->data->scale);
    put_base(i);
    put_hyperparameters(i);
    put_settings(i);
    start_json(stdout, i->data, i->start_report);
    put_numbers("lengthscale", i->latent_dim, i->lengthscale);
    put_number("variance", i->variance);
    put_number("noise", i->noise);
    put_number("output_variance", info_output_variance(i));
    put_objective(i);
    printf("}\n");
}
