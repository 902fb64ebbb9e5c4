/* A model as JSON. "settings" has the rows of the library's table under their names, "hyperparameters" those
 * of the model with their values. Null is what the program finds for itself, or no limit. */
#include <math.h>

#include "info/info.h"

/* A setting of words. */
static const char *word_of(const rm2_model_info *i, const char *name, char *text, size_t size) {
    return rm2_settings_get(NULL, rm2_settings_table_of(RM2_SETTINGS_FIT), i->settings, name, text,
                            size) == RM2_OK
               ? text
               : "?";
}

/* ---- settings -------------------------------------------------------------------------------- */

static void put_back_kernels(rm2_json *json, const rm2_model_info *i) {
    const rm2_factor_kernel *k = i->settings->back_kernels;
    rm2_json_array(json, "back_kernels");
    for (size_t f = 0; k && f < info_back_kernels(i); f++) {
        rm2_json_record(json, NULL, RM2_TEXT("kernel", rm2_kernel_name(k[f].kind)),
                        RM2_NUMBER("lengthscale", k[f].lengthscale));
    }
    rm2_json_end(json);
}

static void put_settings(rm2_json *json, const rm2_model_info *i) {
    const rm2_fit_settings *s = i->settings;
    rm2_json_object(json, "settings");
    settings_json(json, rm2_settings_table_of(RM2_SETTINGS_FIT), s);
    put_back_kernels(json, i);
    if (s->inducing_points)
        rm2_json_counts(json, "inducing_points", s->inducing, s->inducing_points);
    else
        rm2_json_put(json, RM2_TEXT("inducing_points", NULL));
    rm2_json_end(json);
}

/* ---- base point and hyperparameters ---------------------------------------------------------- */

static void put_base(rm2_json *json, const rm2_model_info *i) {
    char word[32];
    if (!i->base_point) {
        rm2_json_put(json, RM2_TEXT("base", NULL));
        return;
    }
    rm2_json_object(json, "base");
    rm2_json_put(json, RM2_TEXT("kind", word_of(i, "base", word, sizeof word)));
    rm2_json_numbers(json, "point", rm2_manifold_ambient(i->manifold), i->base_point);
    rm2_json_end(json);
}

static void put_prior(rm2_json *json, const rm2_hyperparameter *p) {
    if (p->prior == RM2_PRIOR_NONE) {
        rm2_json_put(json, RM2_TEXT("prior", NULL));
        return;
    }
    rm2_json_object(json, "prior");
    if (p->prior == RM2_PRIOR_GAMMA) {
        rm2_json_put(json, RM2_TEXT("kind", "gamma"), RM2_NUMBER("shape", p->a),
                     RM2_NUMBER("rate", p->b));
    } else { /* a start from the data, 0, has no logarithm: null */
        rm2_json_put(json, RM2_TEXT("kind", "lognormal"),
                     RM2_NUMBER("mean", isnan(p->a) ? log(p->start) : p->a),
                     RM2_NUMBER("width", p->b));
    }
    rm2_json_end(json);
}

static void put_hyperparameters(rm2_json *json, const rm2_model_info *i) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    rm2_json_object(json, "hyperparameters");
    for (size_t k = 0; k < table->count; k++) {
        const rm2_setting *s = rm2_settings_at(table, k);
        const rm2_hyperparameter *h = info_hyperparameter(i, s);
        size_t count = 0;
        const double *values = h ? info_values(i, h, &count) : NULL;
        char name[SETTING_WORD];
        if (!values)
            continue;
        rm2_json_object(json, setting_name(s, name));
        rm2_json_put(json, RM2_FLAG("learned", h->learned));
        rm2_json_numbers(json, "values", count, values);
        rm2_json_put(json, RM2_NUMBER("start", h->start > 0 ? h->start : NAN));
        put_prior(json, h);
        rm2_json_end(json);
    }
    rm2_json_end(json);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void put_objective(rm2_json *json, const rm2_model_info *i) {
    const rm2_training_record *t = &i->training;
    rm2_json_put(json, RM2_NUMBER("objective_start", t->start.total),
                 RM2_NUMBER("objective", t->end.total),
                 RM2_NUMBER("log_likelihood", t->end.log_likelihood),
                 RM2_NUMBER("log_density", t->end.log_likelihood - i->volume));
    rm2_json_record(json, "priors", RM2_NUMBER("outputs", t->end.task_anchor),
                    RM2_NUMBER("latents", t->end.latent), RM2_NUMBER("dynamics", t->end.gpdm),
                    RM2_NUMBER("hyperparameters", t->end.hyper));
    rm2_json_put(json, RM2_NUMBER("jitter", t->end.jitter), RM2_COUNT("inducing", i->inducing),
                 RM2_COUNT("gpdm_inducing", i->gpdm_inducing),
                 RM2_NUMBER("log_likelihood_lower", t->likelihood.lower),
                 RM2_NUMBER("log_likelihood_upper", t->likelihood.upper),
                 RM2_NUMBER("gpdm_lower", t->dynamics.lower),
                 RM2_NUMBER("gpdm_upper", t->dynamics.upper));
}

void info_print_json(const rm2_model_info *i) {
    char model[32], recipe[32];
    rm2_json json = rm2_json_begin(stdout);
    rm2_json_put(
        &json, RM2_TEXT("manifold", rm2_manifold_spec(i->manifold)),
        RM2_TEXT("model", word_of(i, "model", model, sizeof model)),
        RM2_TEXT("source", i->data->source), RM2_COUNT("points", i->points),
        RM2_COUNT("trained_points", i->trained), RM2_COUNT("outputs", i->outputs),
        RM2_COUNT("latent", i->latent_dim), RM2_COUNT("trajectories", i->data->trajectories),
        RM2_COUNT("labels", i->data->label_count),
        RM2_TEXT("recipe", word_of(i, "recipe", recipe, sizeof recipe)),
        RM2_WHOLE("seed", i->settings->seed), RM2_COUNT("iterations", i->training.iterations),
        RM2_COUNT("evaluations", i->training.evaluations),
        RM2_TEXT("stop", rm2_stop_text(i->training.stop)),
        RM2_NUMBER("shrinkage", i->data->shrinkage));
    rm2_json_numbers(&json, "scale", rm2_manifold_factor_count(i->manifold), i->data->scale);
    put_base(&json, i);
    put_hyperparameters(&json, i);
    put_settings(&json, i);
    start_json(&json, i->data, i->start_report);
    start_json_uncertainty(&json, i);
    rm2_json_numbers(&json, "lengthscale", i->latent_dim, i->lengthscale);
    rm2_json_put(&json, RM2_NUMBER("variance", i->variance), RM2_NUMBER("noise", i->noise),
                 RM2_NUMBER("output_variance", info_output_variance(i)));
    put_objective(&json, i);
    rm2_json_end(&json);
}
