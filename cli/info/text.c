/* A model as text: names in a column of 14 characters, long lists of numbers abbreviated. The priors
 * are those of fit --prior: Gamma(shape, rate) of the value, log-normal(mean, width) of its
 * logarithm. */
#include <math.h>

#include "core/words.h"
#include "info/info.h"

enum { ALL_SHOWN = 12, FEW_SHOWN = 6 };

/* "1 2 3", or the first few and how many there are. */
static void print_numbers(size_t count, const double *values) {
    size_t shown = count <= ALL_SHOWN ? count : FEW_SHOWN;
    for (size_t k = 0; k < shown; k++)
        printf("%s%.4g", k ? " " : "", values[k]);
    if (shown < count)
        printf(" ... (%zu numbers)", count);
}

/* ---- data and its place on the manifold ------------------------------------------------------ */

static void print_data(const rm2_model_info *i) {
    printf("model         %s on %s (%zu outputs), %zu latent dimension%s%s\n",
           i->settings->model == RM2_WGPLVM ? "wrapped GPLVM" : "Euclidean GPLVM",
           rm2_manifold_spec(i->manifold), i->outputs, i->latent_dim, plural(i->latent_dim),
           i->settings->back_constraint ? ", back constraint" : "");
    printf("data          %zu points of %s", i->points, i->source);
    if (i->trajectories)
        printf(", %zu %s", i->trajectories, i->trajectories == 1 ? "trajectory" : "trajectories");
    if (i->label_count)
        printf(", %zu label%s", i->label_count, plural(i->label_count));
    printf("\n");
}

static void print_scale(const rm2_model_info *i) {
    bool any = false;
    for (size_t k = 0; k < rm2_manifold_factor_count(i->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(i->manifold, k);
        if (i->scale[k] == 1)
            continue;
        printf("%s%s%zu divided by %.4g", any ? ", " : "scale         ", f->geometry->name, f->n,
               i->scale[k]);
        any = true;
    }
    if (any)
        printf("\n");
}

static void print_base(const rm2_model_info *i) {
    static const char *const kinds[] = {"Fréchet mean", "default", "given"};
    if (!i->settings->base_point)
        return;
    printf("base point    %s: ", kinds[i->settings->base]);
    print_numbers(rm2_manifold_ambient(i->manifold), i->settings->base_point);
    printf("\n");
}

/* ---- parameters and their priors ------------------------------------------------------------- */

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

static void print_hyperparameter(const char *name, const rm2_hyperparameter *p, size_t count,
                                 const double *values) {
    printf("  %-12s", name);
    print_numbers(count, values);
    printf(p->learned ? ", learned from " : ", held");
    if (p->learned && p->start > 0)
        printf("%.4g", p->start);
    else if (!(p->start > 0))
        printf(p->learned ? "a start found in the data" : " as found in the data");
    print_prior(p);
    printf("\n");
}

static void print_kernel(const rm2_model_info *i) {
    static const char *const kernels[] = {"squared exponential", "Matérn 3/2", "Matérn 5/2",
                                          "linear"};
    const rm2_fit_settings *s = i->settings;
    printf("kernel        %s%s\n", kernels[s->kernel],
           i->linear > 0 && s->kernel != RM2_LATENT_LINEAR ? ", with a linear part" : "");
    print_hyperparameter("lengthscale", &s->lengthscale, s->ard ? i->latent_dim : 1,
                         i->lengthscale);
    print_hyperparameter("variance", &s->variance, 1, &i->variance);
    if (i->linear > 0)
        print_hyperparameter("linear", &s->linear, 1, &i->linear);
    printf("noise         variance %s\n",
           i->task_noise ? "of each output: noise + task-noise" : "relative to the outputs'");
    print_hyperparameter("noise", &s->noise_variance, 1, &i->noise);
    if (i->task_noise)
        print_hyperparameter("task-noise", &s->task_noise, i->outputs, i->task_noise);
}

static void print_outputs(const rm2_model_info *i) {
    const rm2_fit_settings *s = i->settings;
    printf("outputs       %s, covariance ", s->independent ? "independent" : "correlated");
    printf(s->task == RM2_TASK_PROFILE ? "in closed form" : "learned");
    if (s->task == RM2_TASK_LEARNED && s->task_rank && !s->independent)
        printf(" at rank %zu", s->task_rank);
    if (s->task == RM2_TASK_LEARNED && s->task_random)
        printf(" from a random start");
    if (s->task_anchor > 0)
        printf(", anchored with weight %.4g", s->task_anchor);
    printf("; mean variance %.4g\n", info_output_variance(i));
}

static void print_back_kernels(const rm2_model_info *i) {
    const rm2_factor_kernel *kernels = i->settings->back_kernels;
    printf("  back        ");
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

static void print_latents(const rm2_model_info *i) {
    static const char *const starts[] = {"Isomap", "PCA", "random", "given"};
    const rm2_fit_settings *s = i->settings;
    printf("latents       start %s", starts[s->init]);
    if (s->init == RM2_INIT_ISOMAP)
        printf(" (%zu neighbours, time weight %.4g)", s->neighbours, s->time_weight);
    if (s->latent_normal)
        printf(", prior N(0, I)");
    if (s->latent_anchor > 0)
        printf(", prior N(start, %.4g^2 I)", s->latent_anchor);
    if (!s->latent_normal && !(s->latent_anchor > 0) && !(s->gpdm_weight > 0))
        printf(", no prior");
    printf("\n");
    if (s->back_constraint)
        print_back_kernels(i);
}

static void print_dynamics(const rm2_model_info *i) {
    const rm2_fit_settings *s = i->settings;
    if (!(s->gpdm_weight > 0))
        return;
    printf("dynamics      weight %.4g\n", s->gpdm_weight);
    print_hyperparameter("lengthscale", &s->gpdm_lengthscale, 1, &i->gpdm[0]);
    print_hyperparameter("variance", &s->gpdm_variance, 1, &i->gpdm[1]);
    print_hyperparameter("noise", &s->gpdm_noise, 1, &i->gpdm[2]);
}

/* ---- training -------------------------------------------------------------------------------- */

static void print_objective(const rm2_model_info *i) {
    printf("objective     %.4f (start %.4f), without the constants of anchors\n", i->end.total,
           i->start.total);
    printf("  likelihood  %.4f; as a log density on the manifold %.4f\n", i->end.log_likelihood,
           i->end.log_likelihood - i->volume);
    printf("  priors      outputs %.4f, latents %.4f, dynamics %.4f, hyperparameters %.4f\n",
           i->end.task_anchor, i->end.latent, i->end.gpdm, i->end.hyper);
}

static const char *inducing_word(const rm2_model_info *i) {
    if (!i->inducing_points)
        return "optimised ";
    return i->settings->inducing_points ? "given " : "";
}

static void print_inference(const rm2_model_info *i) {
    if (i->inducing == 0) {
        printf("inference     exact\n");
        return;
    }
    printf("inference     %zu %sinducing point%s: likelihood exactly between %.4f and %.4f\n",
           i->inducing, inducing_word(i), plural(i->inducing), i->likelihood.lower,
           i->likelihood.upper);
    if (i->gpdm_inducing)
        printf("  dynamics    %zu inducing point%s: exactly between %.4f and %.4f\n",
               i->gpdm_inducing, plural(i->gpdm_inducing), i->dynamics.lower, i->dynamics.upper);
}

static void print_optimiser(const rm2_fit_settings *s) {
    const rm2_optim_settings *o = &s->optim;
    printf("optimiser     %s", o->method == RM2_ADAM ? "Adam" : "L-BFGS");
    if (o->max_iterations)
        printf(", at most %zu iteration%s", o->max_iterations, plural(o->max_iterations));
    if (o->max_seconds > 0)
        printf(" and %.4g s", o->max_seconds);
    if (o->method == RM2_ADAM)
        printf(", learning rate %.4g", o->learning_rate);
    else if (o->relative_decrease > 0)
        printf(", to a relative decrease of %.4g", o->relative_decrease);
    if (s->softplus)
        printf("; through softplus, noise above %.4g", s->noise_bound);
    printf("\n");
}

static void print_training(const rm2_model_info *i) {
    print_optimiser(i->settings);
    printf("training      %zu iteration%s, %zu evaluation%s; stopped: %s\n", i->iterations,
           plural(i->iterations), i->evaluations, plural(i->evaluations), rm2_stop_text(i->stop));
    if (i->end.jitter > 0)
        printf("jitter        %.1e added to a covariance matrix\n", i->end.jitter);
}

void info_print_text(const rm2_model_info *i) {
    print_data(i);
    print_scale(i);
    print_base(i);
    printf("recipe        %s, seed %llu\n", recipe_words[i->settings->recipe],
           (unsigned long long)i->settings->seed);
    print_kernel(i);
    print_outputs(i);
    print_latents(i);
    print_dynamics(i);
    print_objective(i);
    print_inference(i);
    print_training(i);
}
