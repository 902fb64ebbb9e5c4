/* A model as JSON. "settings" has the members of rm2_fit_settings under their names, with words for
 * choices as the options of fit have them. Null is what the program finds for itself, or no limit. */
#include <math.h>

#include "core/words.h"
#include "info/info.h"

/* ---- one member, after others ---------------------------------------------------------------- */

static void put_word(const char *name, const char *word) {
    printf(", \"%s\": \"%s\"", name, word);
}

static void put_flag(const char *name, bool value) {
    printf(", \"%s\": %s", name, value ? "true" : "false");
}

static void put_count(const char *name, size_t value) {
    printf(", \"%s\": %zu", name, value);
}

/* A number of things of which 0 stands for as many as needed. */
static void put_count_or_null(const char *name, size_t value) {
    if (value)
        put_count(name, value);
    else
        printf(", \"%s\": null", name);
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

/* ---- settings -------------------------------------------------------------------------------- */

static const char *const bases[] = {"frechet", "default", "given"};
static const char *const inits[] = {"isomap", "pca", "random", "given"};

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

static void put_model_settings(const rm2_model_info *i) {
    const rm2_fit_settings *s = i->settings;
    printf("\"kernel\": \"%s\"", kernel_words[s->kernel]);
    put_flag("ard", s->ard);
    put_word("noise", noise_words[s->noise]);
    put_number("noise_bound", s->noise_bound);
    put_word("task", task_words[s->task]);
    put_flag("independent", s->independent);
    put_count_or_null("task_rank", s->task_rank);
    put_flag("task_random", s->task_random);
    put_number("task_anchor", s->task_anchor);
    put_flag("latent_normal", s->latent_normal);
    put_number("latent_anchor", s->latent_anchor);
    put_number("gpdm_weight", s->gpdm_weight);
    put_flag("back_constraint", s->back_constraint);
    put_back_kernels(i);
    put_number("back_ridge", s->back_ridge);
    put_flag("softplus", s->softplus);
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

static void put_training_settings(const rm2_fit_settings *s) {
    const rm2_optim_settings *o = &s->optim;
    put_word("inference", inference_words[s->inference]);
    put_number("accuracy", s->accuracy);
    put_count_or_null("inducing", s->inducing);
    put_inducing_points(s);
    put_flag("inducing_free", s->inducing_free);
    put_word("init", inits[s->init]);
    put_number("time_weight", s->time_weight);
    put_count("neighbours", s->neighbours);
    put_word("optimiser", optimiser_words[o->method]);
    put_count_or_null("max_iterations", o->max_iterations);
    put_number("max_seconds", o->max_seconds > 0 ? o->max_seconds : NAN);
    put_number("relative_decrease", o->relative_decrease);
    put_number("gradient", o->gradient);
    put_count("history", o->history);
    put_number("learning_rate", o->learning_rate);
    put_number("beta1", o->beta1);
    put_number("beta2", o->beta2);
    put_number("epsilon", o->epsilon);
}

static void put_settings(const rm2_model_info *i) {
    printf(", \"settings\": {");
    put_model_settings(i);
    put_training_settings(i->settings);
    printf("}");
}

/* ---- base point and hyperparameters ---------------------------------------------------------- */

static void put_base(const rm2_model_info *i) {
    if (!i->settings->base_point) {
        printf(", \"base\": null");
        return;
    }
    printf(", \"base\": {\"kind\": \"%s\"", bases[i->settings->base]);
    put_numbers("point", rm2_manifold_ambient(i->manifold), i->settings->base_point);
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

/* Name, setting, values; the first without a comma before it. */
static void put_hyperparameter(const char *name, const rm2_hyperparameter *p, size_t count,
                               const double *values) {
    printf("\"%s\": {\"learned\": %s", name, p->learned ? "true" : "false");
    put_numbers("values", count, values);
    put_number("start", p->start > 0 ? p->start : NAN);
    put_prior(p);
    printf("}");
}

static void put_hyperparameters(const rm2_model_info *i) {
    const rm2_fit_settings *s = i->settings;
    const struct {
        const char *name;
        const rm2_hyperparameter *setting;
        size_t count; /* 0: no part of the model */
        const double *values;
    } all[] = {
        {"lengthscale", &s->lengthscale, s->ard ? i->latent_dim : 1, i->lengthscale},
        {"variance", &s->variance, 1, &i->variance},
        {"linear", &s->linear, i->linear > 0, &i->linear},
        {"noise", &s->noise_variance, 1, &i->noise},
        {"task-noise", &s->task_noise, i->task_noise ? i->outputs : 0, i->task_noise},
        {"gpdm-lengthscale", &s->gpdm_lengthscale, s->gpdm_weight > 0, &i->gpdm[0]},
        {"gpdm-variance", &s->gpdm_variance, s->gpdm_weight > 0, &i->gpdm[1]},
        {"gpdm-noise", &s->gpdm_noise, s->gpdm_weight > 0, &i->gpdm[2]},
    };
    printf(", \"hyperparameters\": {");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (all[k].count == 0)
            continue;
        printf("%s", k ? ", " : "");
        put_hyperparameter(all[k].name, all[k].setting, all[k].count, all[k].values);
    }
    printf("}");
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void put_objective(const rm2_model_info *i) {
    put_number("objective_start", i->start.total);
    put_number("objective", i->end.total);
    put_number("log_likelihood", i->end.log_likelihood);
    put_number("log_density", i->end.log_likelihood - i->volume);
    printf(", \"priors\": {\"outputs\": ");
    json_number(stdout, i->end.task_anchor);
    put_number("latents", i->end.latent);
    put_number("dynamics", i->end.gpdm);
    put_number("hyperparameters", i->end.hyper);
    printf("}");
    put_number("jitter", i->end.jitter);
    put_count("inducing", i->inducing);
    put_count("gpdm_inducing", i->gpdm_inducing);
    put_number("log_likelihood_lower", i->likelihood.lower);
    put_number("log_likelihood_upper", i->likelihood.upper);
    put_number("gpdm_lower", i->dynamics.lower);
    put_number("gpdm_upper", i->dynamics.upper);
}

void info_print_json(const rm2_model_info *i) {
    const rm2_fit_settings *s = i->settings;
    printf("{\"manifold\": \"%s\"", rm2_manifold_spec(i->manifold));
    put_word("model", model_words[s->model]);
    printf(", \"source\": ");
    json_text(stdout, i->source);
    put_count("points", i->points);
    put_count("outputs", i->outputs);
    put_count("latent", i->latent_dim);
    put_count("trajectories", i->trajectories);
    put_count("labels", i->label_count);
    put_word("recipe", recipe_words[s->recipe]);
    printf(", \"seed\": %llu", (unsigned long long)s->seed);
    put_count("iterations", i->iterations);
    put_count("evaluations", i->evaluations);
    put_word("stop", rm2_stop_text(i->stop));
    put_numbers("scale", rm2_manifold_factor_count(i->manifold), i->scale);
    put_base(i);
    put_hyperparameters(i);
    put_settings(i);
    put_numbers("lengthscale", i->latent_dim, i->lengthscale);
    put_number("variance", i->variance);
    put_number("noise", i->noise);
    put_number("output_variance", info_output_variance(i));
    put_objective(i);
    printf("}\n");
}
