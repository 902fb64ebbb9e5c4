/* riemann2 info: what is in a model file. */
#include <string.h>

#include "model.h"

static const option info_table[] = {
    {"--latents", "FILE", OPTION_TEXT, MODEL(latents), NULL,
     "write the latent points of the training data (CSV)"},
    {.name = NULL},
};

static const char *const kernel_names[] = {"squared exponential", "Matérn 3/2", "Matérn 5/2"};
static const char *const recipe_names[] = {"robust", "map", "paper"};

static bool one_lengthscale(const rm2_model_info *i) {
    for (size_t q = 1; q < i->latent_dim; q++)
        if (i->lengthscale[q] < i->lengthscale[0] || i->lengthscale[q] > i->lengthscale[0])
            return false;
    return true;
}

static void print_hyperparameters(const rm2_model_info *i) {
    double trace = 0;
    bool kronecker = i->noise_kind == RM2_NOISE_KRONECKER;
    for (size_t m = 0; m < i->outputs; m++)
        trace += i->task_covariance[m * i->outputs + m] / (double)i->outputs;
    printf("kernel        %s, lengthscale", kernel_names[i->kernel]);
    for (size_t q = 0; q < (one_lengthscale(i) ? 1 : i->latent_dim); q++)
        printf(" %.4g", i->lengthscale[q]);
    printf(", variance %.4g\n", i->variance);
    printf("noise         variance %.4g %s\n", i->noise,
           kronecker ? "relative to the outputs'" : "and one for each output");
    printf("outputs       %s, mean variance %.4g\n", i->independent ? "independent" : "correlated",
           trace);
    if (i->gpdm[0] > 0)
        printf("dynamics      lengthscale %.4g, variance %.4g, noise %.4g\n", i->gpdm[0],
               i->gpdm[1], i->gpdm[2]);
}

static void print_objective(const rm2_model_info *i) {
    printf("objective     %.4f (start %.4f), without the constants of anchors\n", i->end.total,
           i->start.total);
    printf("  likelihood  %.4f; as a log density on the manifold %.4f\n", i->end.log_likelihood,
           i->end.log_likelihood - i->volume);
    printf("  priors      outputs %.4f, latents %.4f, dynamics %.4f, hyperparameters %.4f\n",
           i->end.task_anchor, i->end.latent, i->end.gpdm, i->end.hyper);
}

static void print_inference(const rm2_model_info *i) {
    if (i->inducing == 0) {
        printf("inference     exact\n");
        return;
    }
    printf("inference     %zu %sinducing point%s: likelihood exactly between %.4f and %.4f\n",
           i->inducing, i->inducing_points ? "" : "optimised ", i->inducing == 1 ? "" : "s",
           i->likelihood.lower, i->likelihood.upper);
    if (i->gpdm_inducing)
        printf("  dynamics    %zu inducing point%s: exactly between %.4f and %.4f\n",
               i->gpdm_inducing, i->gpdm_inducing == 1 ? "" : "s", i->dynamics.lower,
               i->dynamics.upper);
}

static void print_info(const rm2_model_info *i) {
    printf("model         %s on %s (%zu outputs), %zu latent dimension%s%s\n",
           i->kind == RM2_WGPLVM ? "wrapped GPLVM" : "Euclidean GPLVM",
           rm2_manifold_spec(i->manifold), i->outputs, i->latent_dim, i->latent_dim == 1 ? "" : "s",
           i->back_constraint ? ", back constraint" : "");
    printf("data          %zu points of %s", i->points, i->source);
    if (i->trajectories)
        printf(", %zu %s", i->trajectories, i->trajectories == 1 ? "trajectory" : "trajectories");
    if (i->label_count)
        printf(", %zu label%s", i->label_count, i->label_count == 1 ? "" : "s");
    printf("\n");
    print_hyperparameters(i);
    printf("recipe        %s, seed %llu\n", recipe_names[i->recipe], (unsigned long long)i->seed);
    print_objective(i);
    print_inference(i);
    printf("training      %zu iteration%s, %zu evaluation%s; stopped: %s\n", i->iterations,
           i->iterations == 1 ? "" : "s", i->evaluations, i->evaluations == 1 ? "" : "s",
           rm2_stop_text(i->stop));
    if (i->end.jitter > 0)
        printf("jitter        %.1e added to a covariance matrix\n", i->end.jitter);
}

static void print_info_json(const rm2_model_info *i) {
    printf("{\"manifold\": \"%s\", \"model\": \"%s\", \"source\": ", rm2_manifold_spec(i->manifold),
           i->kind == RM2_WGPLVM ? "wgplvm" : "gplvm");
    json_text(stdout, i->source);
    printf(", \"points\": %zu, \"outputs\": %zu, \"latent\": %zu, \"trajectories\": %zu, "
           "\"recipe\": \"%s\", \"seed\": %llu, \"iterations\": %zu, \"evaluations\": %zu, "
           "\"stop\": ",
           i->points, i->outputs, i->latent_dim, i->trajectories, recipe_names[i->recipe],
           (unsigned long long)i->seed, i->iterations, i->evaluations);
    json_text(stdout, rm2_stop_text(i->stop));
    printf(", \"lengthscale\": [");
    for (size_t q = 0; q < i->latent_dim; q++) {
        printf("%s", q ? ", " : "");
        json_number(stdout, i->lengthscale[q]);
    }
    printf("]");
    json_field(stdout, "variance", i->variance);
    json_field(stdout, "noise", i->noise);
    json_field(stdout, "objective_start", i->start.total);
    json_field(stdout, "objective", i->end.total);
    json_field(stdout, "log_likelihood", i->end.log_likelihood);
    json_field(stdout, "log_density", i->end.log_likelihood - i->volume);
    json_field(stdout, "jitter", i->end.jitter);
    printf(", \"inducing\": %zu, \"gpdm_inducing\": %zu", i->inducing, i->gpdm_inducing);
    json_field(stdout, "log_likelihood_lower", i->likelihood.lower);
    json_field(stdout, "log_likelihood_upper", i->likelihood.upper);
    json_field(stdout, "gpdm_lower", i->dynamics.lower);
    json_field(stdout, "gpdm_upper", i->dynamics.upper);
    printf("}\n");
}

static int write_latents(const model_work *m, const char *path) {
    const rm2_model_info *i = &m->info;
    sheet s;
    size_t texts = (i->trajectories ? 1u : 0u) + (i->labels ? 1u : 0u);
    bool built = sheet_create(&s, i->points, i->latent_dim + texts) &&
                 sheet_add_trajectories(&s, i->trajectories, i->starts, i->ids) &&
                 sheet_add_labels(&s, i) && sheet_add_latents(&s, i->latent_dim, i->latents);
    int code = built ? work_check(&m->work,
                                  rm2_csv_write(m->work.ctx, path, &s.table, m->work.common->force))
                     : work_no_memory(&m->work);
    sheet_free(&s);
    return code;
}

/* With the latents on standard output there is nothing else. */
static int do_info(const model_work *m) {
    const char *latents = m->options->latents;
    int code = latents ? write_latents(m, latents) : EXIT_DONE;
    if (code != EXIT_DONE || (latents && model_prints(latents)))
        return code;
    if (m->work.common->json)
        print_info_json(&m->info);
    else
        print_info(&m->info);
    return EXIT_DONE;
}

int run_info(const command *self, int argc, char **argv) {
    return model_run(self, argc, argv,
                     &(model_action){.table = info_table, .files = 1, .run = do_info});
}
