/* The tables of settings of training and encoding. The columns of the first are the recipes: what
 * each does, and why, is in docs/training.md. A new setting is a member at the end of its struct
 * and a row here, in its group. */
#include "settings/settings.h"

#include "riemann2/model.h"

static const char *const recipes[] = {"auto", "robust", "map", "paper", "points", NULL};
static const char *const models[] = {"wgplvm", "gplvm", NULL};
static const char *const kernels[] = {"se", "matern32", "matern52", "linear", NULL};
static const char *const noises[] = {"kronecker", "per-output", NULL};
static const char *const tasks[] = {"profile", "learned", "integrated", NULL};
static const char *const outputs[] = {"correlated", "independent", NULL};
static const char *const inferences[] = {"auto", "exact", "inducing", NULL};
static const char *const starts[] = {"aligned", "isomap",      "pca",  "random",
                                     "given",   "tangent-pca", "auto", NULL};
static const char *const families[] = {"auto", "one", "label", NULL};
static const char *const bases[] = {"frechet", "default", "given", NULL};
static const char *const optimisers[] = {"lbfgs", "adam", NULL};
static const char *const objectives[] = {"density", "residual", "nearest", NULL};

/* One row per setting. */
/* clang-format off */

/* Defaults as the argument of a macro. */
#define EACH(...) {__VA_ARGS__}

/* The optimiser's settings in a struct that has them as its member `optim`. */
#define OPTIM(structure, member, id, kind)                                                         \
    RM2I_MEMBER(structure, optim.member), .name = id, .type = RM2_SETTING_##kind,                  \
        .group = "Optimiser"

#define OPTIMISER(structure, METHODS, ITERATIONS, DECREASE, GRADIENT, HISTORY)                     \
    {OPTIM(structure, method, "optimiser", CHOICE), .words = optimisers, .defaults = METHODS,      \
     .help = "L-BFGS; or Adam, which takes longer and does not require a decrease"},      \
    {OPTIM(structure, max_iterations, "max_iterations", COUNT), .option = "iterations",            \
     RM2I_COUNT_FROM(0), .limit = true, .defaults = ITERATIONS,                                    \
     .help = "largest number of iterations"},                                                      \
    {OPTIM(structure, max_seconds, "max_seconds", NUMBER), RM2I_ABOVE(0), .zero = "unlimited",     \
     .unit = "seconds", .limit = true, .defaults = {"unlimited"},                                  \
     .help = "stop after the first iteration beyond this time"},                                    \
    {OPTIM(structure, relative_decrease, "relative_decrease", NUMBER), .option = "decrease",       \
     RM2I_FROM(0), .defaults = DECREASE,                                                           \
     .help = "L-BFGS: stop if each of two iterations in a row decreases the objective by less than this fraction"},\
    {OPTIM(structure, gradient, "gradient", NUMBER), RM2I_FROM(0), .defaults = GRADIENT,           \
     .help = "stop if no entry of the gradient is larger than this"},                           \
    {OPTIM(structure, history, "history", COUNT), RM2I_COUNT_FROM(1), .defaults = {HISTORY},       \
     .help = "L-BFGS: number of stored steps"},                                       \
    {OPTIM(structure, learning_rate, "learning_rate", NUMBER), RM2I_ABOVE(0),                      \
     .defaults = {"0.025"}, .help = "Adam: length of a step in each parameter"},                   \
    {OPTIM(structure, beta1, "beta1", NUMBER), RM2I_FROM_TO_BELOW(0, 1), .defaults = {"0.9"},      \
     .help = "Adam: decay of the mean of the gradient"},                                           \
    {OPTIM(structure, beta2, "beta2", NUMBER), RM2I_FROM_TO_BELOW(0, 1), .defaults = {"0.999"},    \
     .help = "Adam: decay of the mean of the squared gradient"},                                   \
    {OPTIM(structure, epsilon, "epsilon", NUMBER), RM2I_ABOVE(0), .defaults = {"1e-8"},            \
     .help = "Adam: added to the root of the mean squared gradient"}

/* ---- training ------------------------------------------------------------------------------- */

#define FIT(member, kind)                                                                          \
    RM2I_MEMBER(rm2_fit_settings, member), .name = #member, .type = RM2_SETTING_##kind

/* The paper's parameters start at softplus(0) = log 2. */
#define FREE_FROM_LOG2 "learned 0.6931471805599453 none"

static const rm2_setting fit_rows[] = {
    {FIT(recipe, RECIPE), .words = recipes, .defaults = {"auto", "robust", "map", "paper", "points"},
     .group = "Model",
     .help = "auto: robust with trajectories, else points; map: all learned; paper: as in the paper"},
    {FIT(model, CHOICE), .words = models, .defaults = {"wgplvm"}, .group = "Model",
     .help = "wgplvm: on the manifold; gplvm: Euclidean, for comparison"},
    {FIT(latent_dim, COUNT), .option = "latent", RM2I_COUNT_FROM(1), .zero = "auto",
     .defaults = {"2"}, .group = "Model",
     .help = "dimensions of the latent space; auto (recipe points): chosen on held-out points"},

    {FIT(kernel, CHOICE), .words = kernels, .defaults = {"se"}, .group = "Kernel",
     .help = "kernel on the latent space: squared exponential, Matern 3/2 or 5/2, or only linear"},
    {FIT(ard, FLAG), .defaults = {"no"}, .group = "Kernel",
     .help = "one lengthscale per latent dimension; the lengthscale must be learned"},
    {FIT(lengthscale, HYPERPARAMETER), RM2I_ABOVE(0), .zero = "data",
     .defaults = {"held data", NULL, "learned 0.2 lognormal:start:0.5", FREE_FROM_LOG2,
                  "learned data lognormal:start:1"},
     .group = "Kernel",
     .help = "lengthscale of the kernel; data: from the start of the latents"},
    {FIT(variance, HYPERPARAMETER), RM2I_ABOVE(0),
     .defaults = {"held 1", NULL, NULL, FREE_FROM_LOG2, "learned 0.1 lognormal:start:3"},
     .group = "Kernel", .help = "variance of the kernel"},
    {FIT(linear, HYPERPARAMETER), RM2I_ABOVE(0), .zero = "off",
     .defaults = {"held off", NULL, NULL, NULL, "held 1000"}, .group = "Kernel",
     .help = "weight of a linear part that is added to the kernel"},

    {FIT(noise, CHOICE), .words = noises, .defaults = {"kronecker", NULL, NULL, "per-output"},
     .group = "Noise", .help = "one noise variance, relative to the covariance of the outputs, or one per output"},
    {FIT(noise_variance, HYPERPARAMETER), .option = "noise", RM2I_ABOVE(0),
     .defaults = {"held 0.04", NULL, "learned 0.005 lognormal:start:0.5", FREE_FROM_LOG2, "held 1"},
     .group = "Noise",
     .help = "variance: relative to the outputs' covariance, or shared by all outputs"},
    {FIT(task_noise, HYPERPARAMETER), RM2I_ABOVE(0),
     .defaults = {"held 0.005", NULL, "learned 0.005 lognormal:start:0.5", FREE_FROM_LOG2},
     .group = "Noise", .help = "variance of each output's own noise (noise per-output)"},
    {FIT(noise_bound, NUMBER), RM2I_FROM(0), .defaults = {"0", NULL, NULL, "1e-8"}, .group = "Noise",
     .help = "smallest noise variance if parameters are positive by softplus"},

    {FIT(task, CHOICE), .words = tasks,
     .defaults = {"profile", NULL, "learned", "learned", "integrated"}, .group = "Outputs",
     .help = "covariance of the outputs: in closed form, as parameters, or integrated out"},
    {FIT(independent, FLAG), .option = "outputs", .words = outputs, .defaults = {"correlated"},
     .group = "Outputs", .help = "whether the covariance of the outputs is full or diagonal"},
    {FIT(task_rank, COUNT), .option = "rank", RM2I_COUNT_FROM(1), .zero = "full",
     .defaults = {"full"}, .group = "Outputs",
     .help = "rank of the low-rank part of a learned covariance of the outputs (plus a diagonal)"},
    {FIT(task_random, FLAG), .defaults = {"no", NULL, NULL, "yes"}, .group = "Outputs",
     .help = "start a learned covariance of the outputs at random, not at the closed form"},
    {FIT(task_anchor, NUMBER), RM2I_FROM(0), .defaults = {"1", NULL, NULL, "0", "0"},
     .group = "Outputs",
     .help = "weight of the task anchor (covariance of the outputs near isotropic), relative to the points"},
    {FIT(task_weight, HYPERPARAMETER), RM2I_ABOVE(0), .zero = "data",
     .defaults = {"learned data lognormal:start:3"}, .group = "Outputs",
     .help = "task integrated: weight of the prior of the covariance, in points"},
    {FIT(task_scale, HYPERPARAMETER), RM2I_ABOVE(0), .zero = "data",
     .defaults = {"learned data none"}, .group = "Outputs",
     .help = "task integrated: that weight times the mean variance of the prior"},

    {FIT(latent_normal, FLAG), .defaults = {"no", NULL, "yes", "no"}, .group = "Latents",
     .help = "prior N(0, I) on the latent points"},
    {FIT(latent_anchor, NUMBER), .option = "anchor", RM2I_ABOVE(0), .zero = "none",
     .defaults = {"0.05", NULL, "none", "none", "0.5"}, .group = "Latents",
     .help = "width of the latent anchor; task integrated: in deviations under the noise"},
    {FIT(latents_held, FLAG), .option = "hold-latents", .defaults = {"no"}, .group = "Latents",
     .help = "latent points stay at their start (task integrated)"},

    {FIT(gpdm_weight, NUMBER), .option = "gpdm", RM2I_FROM(0), .on = "1",
     .defaults = {"0", NULL, "1", "1"}, .group = "Dynamics",
     .help = "weight of the dynamics prior over trajectories; 0: none"},
    {FIT(gpdm_lengthscale, HYPERPARAMETER), RM2I_ABOVE(0),
     .defaults = {"learned 1 lognormal:start:0.5", NULL, NULL, FREE_FROM_LOG2},
     .group = "Dynamics", .help = "lengthscale of the dynamics"},
    {FIT(gpdm_variance, HYPERPARAMETER), RM2I_ABOVE(0), .zero = "data",
     .defaults = {"learned data lognormal:start:0.5", NULL, NULL, FREE_FROM_LOG2},
     .group = "Dynamics", .help = "variance of the dynamics; data: mean squared step of the start"},
    {FIT(gpdm_noise, HYPERPARAMETER), RM2I_ABOVE(0), .zero = "data",
     .defaults = {"learned data lognormal:start:0.5", NULL, NULL, FREE_FROM_LOG2},
     .group = "Dynamics", .help = "noise of the dynamics; data: a tenth of the mean squared step"},

    {FIT(back_constraint, FLAG), .defaults = {"no"}, .group = "Back constraint",
     .help = "latent points are a smooth function of the observations"},
    {FIT(back_ridge, NUMBER), RM2I_FROM(0), .defaults = {"1e-6"}, .group = "Back constraint",
     .help = "relative ridge on the kernel matrix of the observations at the start"},

    {FIT(inference, CHOICE), .words = inferences, .defaults = {"auto"}, .group = "Inference",
     .help = "exact or with inducing points; auto: inducing points above 1000 points"},
    {FIT(accuracy, NUMBER), RM2I_ABOVE(0), .unit = "nats per point", .defaults = {"0.001"},
     .group = "Inference", .help = "largest error of the log-likelihood with inducing points"},
    {FIT(inducing, COUNT), RM2I_COUNT_FROM(1), .zero = "auto", .defaults = {"auto"},
     .group = "Inference",
     .help = "number of inducing points; auto: as many as the accuracy needs"},
    {FIT(inducing_free, FLAG), .option = "optimise-inducing", .defaults = {"no"},
     .group = "Inference", .help = "optimise the positions of the inducing points"},

    {FIT(init, CHOICE), .words = starts, .defaults = {"aligned", NULL, NULL, "pca", "auto"}, .group = "Start",
     .help = "start; aligned: for any timing, isomap: by index or time, auto: chosen on held-out points"},
    {FIT(families, CHOICE), .words = families, .defaults = {"auto"}, .group = "Start",
     .help = "aligned: families of motions; auto: by label if there are labels, otherwise detected"},
    {FIT(time_weight, NUMBER), RM2I_FROM_TO(0, 1e6), .defaults = {"4"}, .group = "Start",
     .help = "aligned, isomap: weight of the phase of a point compared with the spread of the data"},
    {FIT(neighbours, COUNT), RM2I_COUNT_FROM(1), .defaults = {"8"}, .group = "Start",
     .help = "aligned, isomap: nearest neighbours of a point in the graph"},
    {FIT(seed, SEED), .defaults = {"0"}, .group = "Start",
     .help = "of the random numbers, for random starts"},

    {FIT(base, CHOICE), .words = bases, .defaults = {"frechet", NULL, NULL, "default"},
     .group = "Base point", .help = "frechet: mean of the data; default: 0, (1, 0, ...) or the identity; given: yours"},

    OPTIMISER(rm2_fit_settings, EACH("lbfgs", NULL, NULL, "adam"), EACH("150", NULL, "500", "1000", "200"),
              EACH("1e-5", NULL, NULL, NULL, "1e-9"), EACH("1e-6", NULL, NULL, NULL, "1e-7"), "20"),
    {FIT(softplus, FLAG), .defaults = {"no", NULL, NULL, "yes"}, .group = "Optimiser",
     .help = "make parameters positive by softplus instead of exp"},
};
/* clang-format on */

const rm2_settings_table *rm2i_fit_table(void) {
    static const rm2_settings_table table = {.name = "fit",
                                             .struct_size = sizeof(rm2_fit_settings),
                                             .count = sizeof fit_rows / sizeof *fit_rows,
                                             .columns = sizeof recipes / sizeof *recipes - 1,
                                             .column_names = recipes,
                                             .rows = fit_rows};
    return &table;
}

/* ---- encoding ------------------------------------------------------------------------------- */

/* One row per setting. */
/* clang-format off */
#define ENCODE(member, kind)                                                                       \
    RM2I_MEMBER(rm2_encode_settings, member), .name = #member, .type = RM2_SETTING_##kind

static const rm2_setting encode_rows[] = {
    {ENCODE(objective, CHOICE), .words = objectives, .defaults = {"density"}, .group = "Encoding",
     .help = "largest predictive density, least squares in the metric of the noise, or nearest point"},
    {ENCODE(searches, COUNT), RM2I_COUNT_FROM(1), .defaults = {"4"}, .group = "Encoding",
     .help = "searches per point, from the latents of the nearest training points"},
    {ENCODE(back_constraint, FLAG), .defaults = {"yes"}, .group = "Encoding",
     .help = "use the model's back constraint, if it has one, instead of a search"},
    OPTIMISER(rm2_encode_settings, EACH("lbfgs"), EACH("200"), EACH("1e-10"), EACH("1e-5"),
              "5"),
};
/* clang-format on */

const rm2_settings_table *rm2i_encode_table(void) {
    static const rm2_settings_table table = {.name = "encode",
                                             .struct_size = sizeof(rm2_encode_settings),
                                             .count = sizeof encode_rows / sizeof *encode_rows,
                                             .columns = 1,
                                             .rows = encode_rows};
    return &table;
}
