#include "model_variants.h"

void use_recipe(rm2_fit_settings *s) {
    (void)s;
}

void use_euclidean(rm2_fit_settings *s) {
    s->model = RM2_GPLVM;
}

static void use_back_constraint(rm2_fit_settings *s) {
    s->back_constraint = true;
}

static void use_euclidean_back_constraint(rm2_fit_settings *s) {
    s->model = RM2_GPLVM;
    s->back_constraint = true;
}

static void use_dynamics(rm2_fit_settings *s) {
    s->gpdm_weight = 1;
}

void use_own_noise(rm2_fit_settings *s) {
    s->noise = RM2_NOISE_PER_OUTPUT;
    s->noise_variance.start = 0.005; /* as recipe robust with such noise */
    s->task = RM2_TASK_LEARNED;
}

static void use_independent(rm2_fit_settings *s) {
    s->independent = true;
}

void use_independent_own_noise(rm2_fit_settings *s) {
    use_own_noise(s);
    s->independent = true;
}

static void use_matern32(rm2_fit_settings *s) {
    s->kernel = RM2_LATENT_MATERN32;
}

void use_matern52(rm2_fit_settings *s) {
    s->kernel = RM2_LATENT_MATERN52;
    s->ard = s->lengthscale.learned;
}

static void use_linear_part(rm2_fit_settings *s) {
    s->linear = (rm2_hyperparameter){.start = 2, .learned = true};
}

static void use_linear(rm2_fit_settings *s) {
    s->kernel = RM2_LATENT_LINEAR;
    s->linear = (rm2_hyperparameter){.start = 100, .learned = false};
}

static void use_low_rank(rm2_fit_settings *s) {
    s->task = RM2_TASK_LEARNED;
    s->task_rank = 1;
}

static void use_adam(rm2_fit_settings *s) {
    s->optim.method = RM2_ADAM;
}

static void use_random_start(rm2_fit_settings *s) {
    s->init = RM2_INIT_RANDOM;
    s->seed = 4;
}

const variant variants[VARIANTS] = {
    {"robust", RM2_RECIPE_ROBUST, use_recipe, 2},
    {"robust, Q = 1", RM2_RECIPE_ROBUST, use_recipe, 1},
    {"robust, Q = 3", RM2_RECIPE_ROBUST, use_recipe, 3},
    {"robust, Euclidean", RM2_RECIPE_ROBUST, use_euclidean, 2},
    {"robust, back constraint", RM2_RECIPE_ROBUST, use_back_constraint, 2},
    {"robust, Euclidean, back constraint", RM2_RECIPE_ROBUST, use_euclidean_back_constraint, 2},
    {"robust, dynamics", RM2_RECIPE_ROBUST, use_dynamics, 2},
    {"robust, noise an output", RM2_RECIPE_ROBUST, use_own_noise, 2},
    {"robust, independent", RM2_RECIPE_ROBUST, use_independent, 2},
    {"robust, independent, noise an output", RM2_RECIPE_ROBUST, use_independent_own_noise, 2},
    {"robust, Matern 3/2", RM2_RECIPE_ROBUST, use_matern32, 2},
    {"robust, Matern 5/2", RM2_RECIPE_ROBUST, use_matern52, 3},
    {"robust, linear part", RM2_RECIPE_ROBUST, use_linear_part, 2},
    {"robust, linear", RM2_RECIPE_ROBUST, use_linear, 2},
    {"robust, rank 1", RM2_RECIPE_ROBUST, use_low_rank, 2},
    {"robust, Adam", RM2_RECIPE_ROBUST, use_adam, 2},
    {"robust, random start", RM2_RECIPE_ROBUST, use_random_start, 2},
    {"map", RM2_RECIPE_MAP, use_recipe, 2},
    {"map, noise an output", RM2_RECIPE_MAP, use_own_noise, 2},
    {"map, back constraint", RM2_RECIPE_MAP, use_back_constraint, 1},
    {"map, Matern 5/2", RM2_RECIPE_MAP, use_matern52, 2},
    {"paper", RM2_RECIPE_PAPER, use_recipe, 2},
    {"paper, Euclidean", RM2_RECIPE_PAPER, use_euclidean, 2},
    {"paper, back constraint", RM2_RECIPE_PAPER, use_back_constraint, 3},
};

rm2_fit_settings settings_of(const variant *v, size_t iterations) {
    rm2_fit_settings s = rm2_fit_settings_recipe(v->recipe);
    s.latent_dim = v->latent_dim;
    s.optim.max_iterations = iterations;
    v->change(&s);
    return s;
}
