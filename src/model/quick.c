/* The posterior that gives the variance while latent points are sought: through fewer points where there are many.
 *
 * Evaluations of the density cost N^2, of which the variance h is all but N. Points are added until tr(K - Q) is a small
 * part of the noise: then Q + s2 I, through these points, is A to this part. What that does to h is measured at some
 * latents, in units of the variance h + s2 of an observation; where it is too much, h stays that of all points. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "model/model.h"

enum { FEW = 384, SAMPLES = 32 }; /* points that are not worth it; latents where h is compared */
static const double LEFT = 1e-5;  /* tr(K - Q), of the noise */
static const double OFF = 1e-5;   /* of the variance of an observation */

typedef struct comparison {
    const rm2i_posterior *full, *reduced;
    double *x, *f, *h, *near; /* SAMPLES x Q, SAMPLES x M each */
    double *work;
} comparison;

static void lay_out(void *arg, rm2i_arena *a) {
    comparison *c = arg;
    size_t M = c->full->gp.M;
    c->x = rm2i_reserve(a, double, SAMPLES, c->full->gp.Q);
    c->f = rm2i_reserve(a, double, SAMPLES, M);
    c->h = rm2i_reserve(a, double, SAMPLES, M);
    c->near = rm2i_reserve(a, double, SAMPLES, M);
    c->work = rm2i_reserve(a, double, rm2i_posterior_at_work(c->full, SAMPLES));
}

/* Half way between neighbours of the training set, SAMPLES pairs of them. */
static void place_samples(const comparison *c) {
    const rm2i_gp *gp = &c->full->gp;
    for (size_t i = 0; i < SAMPLES; i++) {
        const double *x = gp->X + i * (gp->N - 2) / (SAMPLES - 1) * gp->Q;
        for (size_t q = 0; q < gp->Q; q++)
            c->x[i * gp->Q + q] = (x[q] + x[gp->Q + q]) / 2;
    }
}

static rm2_status agrees(rm2_context *ctx, const rm2i_posterior *full,
                         const rm2i_posterior *reduced, bool *good) {
    comparison c = {.full = full, .reduced = reduced};
    double *memory;
    *good = true;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &c, &memory));
    place_samples(&c);
    rm2i_posterior_at(full, SAMPLES, c.x, c.f, c.h, c.work);
    rm2i_posterior_at(reduced, SAMPLES, c.x, c.f, c.near, c.work);
    for (size_t i = 0; i < SAMPLES * full->gp.M; i++)
        *good = *good && fabs(c.h[i] - c.near[i]) <= OFF * (c.h[i] + full->observed);
    free(memory);
    return RM2_OK;
}

/* The posterior itself where none through fewer points is good. */
static rm2_status find(rm2_context *ctx, const rm2_model *m, rm2i_posterior **quick) {
    rm2i_posterior *reduced = NULL;
    bool good = false;
    *quick = m->posterior;
    if (m->N < FEW)
        return RM2_OK;
    RM2_TRY(rm2i_posterior_reduced(ctx, m->posterior, LEFT * m->noise, &reduced));
    rm2_status status = reduced ? agrees(ctx, m->posterior, reduced, &good) : RM2_OK;
    if (good)
        *quick = reduced;
    else
        rm2i_posterior_free(reduced);
    return status;
}

static void release(const rm2_model *m, rm2i_posterior *quick) {
    if (quick != m->posterior)
        rm2i_posterior_free(quick);
}

rm2_status rm2i_model_quick(rm2_context *ctx, const rm2_model *model,
                            const rm2i_posterior **quick) {
    rm2i_posterior *there = atomic_load(&model->quick->found), *own;
    if (!there) {
        RM2_TRY(find(ctx, model, &own));
        if (atomic_compare_exchange_strong(&model->quick->found, &there, own))
            there = own;
        else /* another thread was first, with the same */
            release(model, own);
    }
    *quick = there;
    return RM2_OK;
}

void rm2i_model_quick_free(rm2_model *model) {
    if (model->quick)
        release(model, atomic_load(&model->quick->found));
    free(model->quick);
}
