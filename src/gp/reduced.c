/* A posterior through fewer points. */
#include <stdlib.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "gp/posterior.h"

/* Chosen points, as inducing inputs; *Z is NULL where they do not leave little enough. */
static rm2_status choose_inputs(rm2_context *ctx, rm2i_gp *gp, double enough, double **Z) {
    size_t *index, most = gp->N / 3 * 2;
    double left;
    RM2_TRY(rm2i_alloc(ctx, most, sizeof *index, &index));
    const rm2i_inducing_request request = {
        .kernel = &gp->kernel, .N = gp->N, .X = gp->X, .enough = enough, .most = most};
    rm2_status status = rm2i_inducing_choose(ctx, &request, index, &gp->inducing, &left);
    if (status == RM2_OK && left <= enough)
        status = rm2i_alloc(ctx, gp->inducing, gp->Q * sizeof **Z, Z);
    if (status == RM2_OK && *Z)
        rm2i_inducing_gather(gp->inducing, index, gp->Q, gp->X, *Z);
    free(index);
    return status;
}

rm2_status rm2i_posterior_reduced(rm2_context *ctx, const rm2i_posterior *full, double enough,
                                  rm2i_posterior **reduced) {
    rm2i_gp gp = full->gp;
    double *Z = NULL;
    *reduced = NULL;
    if (gp.inducing || gp.noise_kind != RM2_NOISE_KRONECKER || gp.N < 3)
        return RM2_OK;
    rm2_status status = choose_inputs(ctx, &gp, enough, &Z);
    if (status == RM2_OK && Z) {
        gp.Z = Z;
        status = rm2i_posterior_create(ctx, &gp, reduced);
    }
    free(Z);
    return status;
}
