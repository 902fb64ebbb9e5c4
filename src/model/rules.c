/* Rules about the settings of a fit. */
#include "model/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

size_t rm2i_rules_outputs(const rm2_fit_settings *s, const rm2_manifold *manifold) {
    return s->model == RM2_GPLVM ? rm2_manifold_ambient(manifold) : rm2_manifold_dim(manifold);
}

/* ---- settings that need others, and pairs that exclude each other ------------------------------ */

static size_t row_of(const char *name) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    size_t row = 0;
    while (strcmp(table->rows[row].name, name) != 0)
        row++;
    return row;
}

bool rm2i_rules_given(const rm2i_given *g, const char *name) {
    return g->given[row_of(name)];
}

static bool is_named(const rm2i_given *g, const char *name) {
    return g->named[row_of(name)];
}

/* Given, and not in order to switch something off. */
static bool is_wanted(const rm2_fit_settings *s, const rm2i_given *g, const char *name) {
    char text[16];
    return rm2i_rules_given(g, name) &&
           (rm2_settings_get(NULL, rm2_settings_table_of(RM2_SETTINGS_FIT), s, name, text,
                             sizeof text) != RM2_OK ||
            strcmp(text, "no") != 0);
}

static rm2_status check_needs(rm2_context *ctx, const rm2_fit_settings *s, const rm2i_given *g) {
    bool adam = s->optim.method == RM2_ADAM, exact = s->inference == RM2_INFERENCE_EXACT;
    bool graph = s->init == RM2_INIT_ALIGNED || s->init == RM2_INIT_ISOMAP;
    bool still = !(s->gpdm_weight > 0);
    static const char adam_only[] = "settings.optimiser adam", dynamics[] = "settings.gpdm_weight",
                      lbfgs_only[] = "settings.optimiser lbfgs",
                      inducing[] = "settings.inference inducing",
                      learned[] = "settings.task learned";
    const struct {
        const char *name;  /* of a setting that was given, */
        bool idle;         /* has no effect, */
        const char *needs; /* and would have one with this */
    } rules[] = {
        {"ard", !s->lengthscale.learned,
         "a lengthscale that is learned: settings.lengthscale is held at one value"},
        {"task_noise", s->noise != RM2_NOISE_PER_OUTPUT, "settings.noise per-output"},
        {"noise_bound", !s->softplus, "settings.softplus"},
        {"task_rank", s->task == RM2_TASK_PROFILE, learned},
        {"task_rank", s->independent, "settings.independent correlated"},
        {"task_random", s->task == RM2_TASK_PROFILE, learned},
        {"gpdm_lengthscale", still, dynamics},
        {"gpdm_variance", still, dynamics},
        {"gpdm_noise", still, dynamics},
        {"back_ridge", !s->back_constraint, "settings.back_constraint"},
        {"accuracy", exact, inducing},
        {"inducing", exact, inducing},
        {"inducing_free", exact, inducing},
        {"families", s->init != RM2_INIT_ALIGNED, "settings.init aligned"},
        {"time_weight", !graph, "settings.init aligned or isomap"},
        {"neighbours", !graph, "settings.init aligned or isomap"},
        {"base", s->model == RM2_GPLVM,
         "settings.model wgplvm: a Euclidean model has no tangent space"},
        {"relative_decrease", adam, lbfgs_only},
        {"history", adam, lbfgs_only},
        {"learning_rate", !adam, adam_only},
        {"beta1", !adam, adam_only},
        {"beta2", !adam, adam_only},
        {"epsilon", !adam, adam_only},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (rules[k].idle && is_wanted(s, g, rules[k].name))
            return rm2i_fail(
                ctx, RM2_ERR_ARGUMENT, "settings.%s needs %s",
                rm2_settings_find(rm2_settings_table_of(RM2_SETTINGS_FIT), rules[k].name)->field,
                rules[k].needs);
    return RM2_OK;
}

rm2_status rm2i_rules_consistent(rm2_context *ctx, const rm2_fit_settings *s, const rm2i_given *g) {
    bool exact = s->inference == RM2_INFERENCE_EXACT, accuracy = rm2i_rules_given(g, "accuracy");
    const struct {
        bool found;
        const char *text;
    } conflicts[] = {
        {s->init_latent && s->init != RM2_INIT_GIVEN,
         "settings.init and settings.init_latent exclude each other"},
        {s->init == RM2_INIT_GIVEN && !s->init_latent,
         "settings.init given needs settings.init_latent"},
        {s->init_latent && s->latent_dim == 0,
         "settings.init_latent needs a number of dimensions in settings.latent_dim"},
        {s->base_point && s->model == RM2_GPLVM,
         "settings.base_point needs settings.model wgplvm: a Euclidean model has no tangent space"},
        {s->base_point && s->base != RM2_BASE_GIVEN,
         "settings.base and settings.base_point exclude each other"},
        {s->base == RM2_BASE_GIVEN && !s->base_point,
         "settings.base given needs settings.base_point"},
        {s->back_kernels && !s->back_constraint,
         "settings.back_kernels needs settings.back_constraint"},
        {s->compact && exact, "settings.compact needs settings.inference inducing"},
        {s->compact && s->task == RM2_TASK_INTEGRATED,
         "settings.compact needs another settings.recipe than points, such as robust"},
        {s->compact && s->back_constraint,
         "settings.compact and settings.back_constraint exclude each other"},
        {s->inducing_points && exact, "settings.inducing_points needs settings.inference inducing"},
        {s->inducing_points && accuracy,
         "settings.inducing_points and settings.accuracy exclude each other"},
        {s->inducing_points && is_named(g, "inducing"),
         "settings.inducing_points and settings.inducing exclude each other"},
        {s->inducing > 0 && accuracy, "settings.inducing and settings.accuracy exclude each other"},
    };
    for (size_t k = 0; k < sizeof conflicts / sizeof *conflicts; k++)
        if (conflicts[k].found)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s", conflicts[k].text);
    return check_needs(ctx, s, g);
}

/* ---- inference ------------------------------------------------------------------------------- */

/* Inducing points pay from some hundred points on; where exact inference is a matter of seconds, it is preferred. */
enum { EXACT_UP_TO = 1000 };

bool rm2i_rules_inducing_asked(const rm2_fit_settings *s) {
    return s->inference == RM2_INFERENCE_INDUCING || s->inducing_points || s->inducing_free ||
           (s->task == RM2_TASK_INTEGRATED && s->inducing > 0);
}

bool rm2i_rules_inducing(const rm2_fit_settings *s, size_t N) {
    return rm2i_rules_inducing_asked(s) || (s->inference == RM2_INFERENCE_AUTO && N > EXACT_UP_TO &&
                                            s->noise == RM2_NOISE_KRONECKER);
}

void rm2i_rules_log_inference(rm2_context *ctx, const rm2_fit_settings *s, size_t N) {
    if (s->inference == RM2_INFERENCE_AUTO && rm2i_rules_inducing(s, N))
        rm2i_log(ctx, RM2_LOG_INFO,
                 "%zu points: inference by inducing points (settings.inference exact for none)", N);
}

/* Each given inducing point is a training point, and is given once. */
static rm2_status check_points(rm2_context *ctx, const rm2_fit_settings *s, size_t N) {
    bool *seen;
    if (s->inducing == 0 || s->inducing > N)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%zu inducing points are given for %zu training points", s->inducing, N);
    RM2_TRY(rm2i_calloc(ctx, N, sizeof *seen, &seen));
    rm2_status status = RM2_OK;
    for (size_t j = 0; status == RM2_OK && j < s->inducing; j++) {
        size_t point = s->inducing_points[j];
        if (point >= N)
            status =
                rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                          "inducing point %zu: the training points are 0 to %zu", point, N - 1);
        else if (seen[point])
            status = rm2i_fail(ctx, RM2_ERR_ARGUMENT, "inducing point %zu is given twice", point);
        else
            seen[point] = true;
    }
    free(seen);
    return status;
}

static rm2_status check_inference(rm2_context *ctx, const rm2_fit_settings *s, size_t N) {
    if (s->inference == RM2_INFERENCE_EXACT && rm2i_rules_inducing_asked(s))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.inference is exact, but inducing points are given or optimised");
    if (rm2i_rules_inducing_asked(s) && s->noise == RM2_NOISE_PER_OUTPUT)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "inducing points need Kronecker noise; with a noise for each output "
                         "inference is exact");
    return s->inducing_points ? check_points(ctx, s, N) : RM2_OK;
}

/* ---- covariance of the outputs in closed form or learned -------------------------------------- */

/* Softplus reaches its bound in the limit only. */
static rm2_status check_noises(rm2_context *ctx, const rm2_fit_settings *s) {
    const struct {
        bool used;
        const char *name;
        const rm2_hyperparameter *setting;
    } noises[] = {
        {true, "noise_variance", &s->noise_variance},
        {s->noise == RM2_NOISE_PER_OUTPUT, "task_noise", &s->task_noise},
        {s->gpdm_weight > 0, "gpdm_noise", &s->gpdm_noise},
    };
    for (size_t k = 0; s->softplus && k < sizeof noises / sizeof *noises; k++) {
        double start = noises[k].setting->start;
        if (noises[k].used && noises[k].setting->learned && start > 0 && start <= s->noise_bound)
            return rm2i_fail(
                ctx, RM2_ERR_ARGUMENT,
                "settings.%s.start is %g, expected a number above settings.noise_bound, "
                "%g",
                noises[k].name, start, s->noise_bound);
    }
    return RM2_OK;
}

/* Starts that the table of settings allows for other trainings. */
static rm2_status check_kernel(rm2_context *ctx, const rm2_fit_settings *s) {
    if (s->linear.start > 0)
        return RM2_OK;
    if (s->kernel == RM2_LATENT_LINEAR || s->linear.learned)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.linear.start is 0, expected a positive number: %s",
                         s->linear.learned ? "it is learned" : "settings.kernel is linear");
    return RM2_OK;
}

/* As the noise s2 tends to 0 relative to the kernel, log|A| gives up to (N M/2) log(1/s2), while Kf, which follows the
 * N dimensions of S, takes ((N + nu) N/2) log(1/s2): with M > N + nu outputs the objective has no maximum. */
static rm2_status check_bounded(rm2_context *ctx, const rm2_fit_settings *s,
                                const rm2i_fit_sizes *z) {
    double N = (double)z->N, M = (double)z->M;
    bool follows = !s->independent &&
                   (s->task == RM2_TASK_PROFILE || s->task_rank == 0 || s->task_rank >= z->N);
    bool shrinks = s->noise == RM2_NOISE_KRONECKER &&
                   (s->noise_variance.learned || s->variance.learned) && !s->softplus;
    if (!(follows && shrinks && M > N * (1 + s->task_anchor)))
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                     "%zu outputs of %zu points: the objective has no maximum while "
                     "settings.noise_variance or settings.variance is learned; hold both, or set "
                     "settings.task_anchor to at least %.3g, or use settings.task integrated "
                     "(recipe points)",
                     z->M, z->N, ceil(100 * (M / N - 1)) / 100);
}

static rm2_status check_likelihood(rm2_context *ctx, const rm2_fit_settings *s,
                                   const rm2i_fit_sizes *z) {
    RM2_TRY(check_noises(ctx, s));
    RM2_TRY(check_kernel(ctx, s));
    RM2_TRY(check_inference(ctx, s, z->N));
    if (s->noise == RM2_NOISE_PER_OUTPUT && s->task == RM2_TASK_PROFILE)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "a task covariance in closed form needs Kronecker noise");
    if (s->gpdm_weight > 0 && z->trajectories == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "the dynamics prior needs trajectories; name their column with "
                         "settings.group of the data");
    if (s->task_rank > z->M)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "task rank %zu for %zu outputs", s->task_rank,
                         z->M);
    return check_bounded(ctx, s, z);
}

/* ---- covariance of the outputs integrated out ------------------------------------------------- */

static rm2_status check_evidence(rm2_context *ctx, const rm2_fit_settings *s,
                                 const rm2i_fit_sizes *z) {
    const struct {
        bool found;
        const char *text;
    } conflicts[] = {
        {s->noise != RM2_NOISE_KRONECKER, "needs Kronecker noise"},
        {s->independent, "needs correlated outputs"},
        {s->ard, "has one lengthscale for all latent dimensions"},
        {s->back_constraint, "has no back constraint"},
        {s->gpdm_weight > 0, "has no dynamics prior"},
        {s->latent_normal, "has an anchor instead of a normal prior of the latents"},
        {s->kernel == RM2_LATENT_LINEAR, "needs a kernel with a radial part"},
        {!(s->linear.start > 0) || s->linear.learned,
         "needs a linear part of a weight that is held"},
        {s->noise_variance.start != 1 || s->noise_variance.learned,
         "measures all variances by the noise, which is held at 1"},
        {s->softplus, "searches logarithms of its hyperparameters"},
        {s->optim.method != RM2_LBFGS, "needs L-BFGS"},
        {s->inducing_points || s->inducing_free,
         "chooses its inducing points among the training points (settings.inducing: how many)"},
        {s->inference == RM2_INFERENCE_EXACT && s->inducing > 0,
         "by a number of inducing points needs settings.inference inducing or auto"},
    };
    for (size_t k = 0; k < sizeof conflicts / sizeof *conflicts; k++)
        if (conflicts[k].found)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "training with the covariance of the outputs integrated out %s",
                             conflicts[k].text);
    if (s->latent_dim >= z->M)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%zu latent dimensions for %zu outputs: the covariance of the outputs can "
                         "be integrated out only with fewer",
                         s->latent_dim, z->M);
    if (z->N <= s->latent_dim + 2)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%zu distinct points are too few for %zu latent dimensions: at least %zu "
                         "are needed",
                         z->N, s->latent_dim, s->latent_dim + 3);
    return RM2_OK;
}

rm2_status rm2i_rules_check(rm2_context *ctx, const rm2_fit_settings *s,
                            const rm2i_fit_sizes *sizes) {
    return s->task == RM2_TASK_INTEGRATED ? check_evidence(ctx, s, sizes)
                                          : check_likelihood(ctx, s, sizes);
}
