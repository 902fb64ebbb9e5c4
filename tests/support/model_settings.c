#include "model_settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Bits, so that a NaN is equal to itself. */
#define SAME(member) assert_memory_equal(&a->member, &b->member, sizeof a->member)

static void assert_same_positive(const rm2_hyperparameter *a, const rm2_hyperparameter *b) {
    SAME(start);
    SAME(learned);
    SAME(prior);
    SAME(a);
    SAME(b);
}

static void assert_same_optim(const rm2_optim_settings *a, const rm2_optim_settings *b) {
    SAME(method);
    SAME(max_iterations);
    SAME(relative_decrease);
    SAME(gradient);
    SAME(max_seconds);
    SAME(history);
    SAME(learning_rate);
    SAME(beta1);
    SAME(beta2);
    SAME(epsilon);
}

static void assert_same_hyperparameters(const rm2_fit_settings *a, const rm2_fit_settings *b) {
    assert_same_positive(&a->lengthscale, &b->lengthscale);
    assert_same_positive(&a->variance, &b->variance);
    assert_same_positive(&a->linear, &b->linear);
    assert_same_positive(&a->noise_variance, &b->noise_variance);
    assert_same_positive(&a->task_noise, &b->task_noise);
    assert_same_positive(&a->gpdm_lengthscale, &b->gpdm_lengthscale);
    assert_same_positive(&a->gpdm_variance, &b->gpdm_variance);
    assert_same_positive(&a->gpdm_noise, &b->gpdm_noise);
}

void assert_same_settings(const rm2_fit_settings *a, const rm2_fit_settings *b) {
    SAME(recipe);
    SAME(model);
    SAME(latent_dim);
    SAME(kernel);
    SAME(ard);
    SAME(noise);
    SAME(noise_bound);
    SAME(task);
    SAME(independent);
    SAME(task_rank);
    SAME(task_random);
    SAME(task_anchor);
    SAME(latent_normal);
    SAME(latent_anchor);
    SAME(gpdm_weight);
    SAME(back_constraint);
    SAME(back_ridge);
    SAME(softplus);
    SAME(inference);
    SAME(accuracy);
    SAME(inducing);
    SAME(init);
    SAME(time_weight);
    SAME(neighbours);
    SAME(base);
    SAME(seed);
    assert_same_hyperparameters(a, b);
    assert_same_optim(&a->optim, &b->optim);
}
