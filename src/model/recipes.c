/* Recipes: settings with names. What each does, and why, is in docs/training.md. */
#include <math.h>

#include "riemann2/model.h"

/* Held at a value; learned under a log-normal prior of this width around its start. */
static rm2_hyperparameter held(double value) {
    return (rm2_hyperparameter){.start = value, .learned = false};
}

static rm2_hyperparameter around(double value, double width) {
    return (rm2_hyperparameter){
        .start = value, .learned = true, .prior = RM2_PRIOR_LOGNORMAL, .a = NAN, .b = width};
}

static rm2_hyperparameter unconstrained(double value) {
    return (rm2_hyperparameter){.start = value, .learned = true};
}

static rm2_fit_settings robust(void) {
    return (rm2_fit_settings){
        .recipe = RM2_RECIPE_ROBUST,
        .model = RM2_WGPLVM,
        .latent_dim = 2,
        .kernel = RM2_LATENT_SE,
        .lengthscale = held(0.2),
        .variance = held(1),
        .noise = RM2_NOISE_KRONECKER,
        .noise_variance = held(5e-3),
        .task_noise = held(5e-3),
        .task = RM2_TASK_PROFILE,
        .task_anchor = 1,
        .latent_anchor = 0.05,
        .gpdm_lengthscale = around(1, 0.5),
        .gpdm_variance = around(0, 0.5),
        .gpdm_noise = around(0, 0.5),
        .back_ridge = 1e-6,
        .accuracy = 1e-3,
        .init = RM2_INIT_ISOMAP,
        .time_weight = 4,
        .neighbours = 8,
        .base = RM2_BASE_FRECHET,
        .optim = rm2_optim_settings_default(),
    };
}

/* Everything learned, each under a prior around robust's value; dynamics instead of the anchor. */
static rm2_fit_settings map(void) {
    rm2_fit_settings s = robust();
    s.recipe = RM2_RECIPE_MAP;
    s.lengthscale = around(0.2, 0.5);
    s.noise_variance = around(5e-3, 0.5);
    s.task_noise = around(5e-3, 0.5);
    s.task = RM2_TASK_LEARNED;
    s.latent_anchor = 0;
    s.latent_normal = true;
    s.gpdm_weight = 1;
    s.optim.max_iterations = 500;
    return s;
}

static rm2_fit_settings paper(void) {
    const double log2 = 0.69314718055994530942;
    rm2_fit_settings s = robust();
    s.recipe = RM2_RECIPE_PAPER;
    s.lengthscale = unconstrained(log2);
    s.variance = unconstrained(log2);
    s.noise = RM2_NOISE_PER_OUTPUT;
    s.noise_variance = unconstrained(log2);
    s.task_noise = unconstrained(log2);
    s.noise_bound = 1e-8;
    s.task = RM2_TASK_LEARNED;
    s.task_random = true;
    s.task_anchor = 0;
    s.latent_anchor = 0;
    s.gpdm_weight = 1;
    s.gpdm_lengthscale = unconstrained(log2);
    s.gpdm_variance = unconstrained(log2);
    s.gpdm_noise = unconstrained(log2);
    s.softplus = true;
    s.init = RM2_INIT_PCA;
    s.base = RM2_BASE_DEFAULT;
    s.optim.method = RM2_ADAM;
    s.optim.max_iterations = 1000;
    return s;
}

/* Everything from the evidence; latents start at the principal components and hardly leave them. */
static rm2_fit_settings points(void) {
    rm2_fit_settings s = robust();
    s.recipe = RM2_RECIPE_POINTS;
    s.lengthscale = around(0, 1);
    s.variance = around(0.1, 3);
    s.linear = held(1e3);
    s.noise_variance = held(1);
    s.task = RM2_TASK_INTEGRATED;
    s.task_anchor = 0;
    s.task_weight = around(0, 3);
    s.task_scale = unconstrained(0);
    s.latent_anchor = 0.5;
    s.init = RM2_INIT_AUTO;
    s.optim.max_iterations = 200;
    s.optim.relative_decrease = 1e-9;
    s.optim.gradient = 1e-7;
    return s;
}

rm2_fit_settings rm2_fit_settings_recipe(rm2_recipe recipe) {
    switch (recipe) {
    case RM2_RECIPE_POINTS:
        return points();
    case RM2_RECIPE_MAP:
        return map();
    case RM2_RECIPE_PAPER:
        return paper();
    case RM2_RECIPE_ROBUST:
        break;
    }
    return robust();
}
