/* Which settings and sizes can be trained with the covariance of the outputs integrated out, and by which inference. */
#include "base/base.h"
#include "model/points.h"

enum { EXACT_UP_TO = 1000 }; /* points, unless the settings ask for more */

bool rm2i_points_by_inducing(const rm2_fit_settings *s, size_t N) {
    return s->inference == RM2_INFERENCE_INDUCING || s->inducing > 0 ||
           (s->inference == RM2_INFERENCE_AUTO && N > EXACT_UP_TO);
}

rm2_status rm2i_points_check(rm2_context *ctx, const rm2_fit_settings *s, size_t N, size_t M) {
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
    if (s->latent_dim >= M)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%zu latent dimensions for %zu outputs: the covariance of the outputs can "
                         "be integrated out only with fewer",
                         s->latent_dim, M);
    if (N <= s->latent_dim + 2)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%zu distinct points are too few for %zu latent dimensions: at least %zu "
                         "are needed",
                         N, s->latent_dim, s->latent_dim + 3);
    return RM2_OK;
}
