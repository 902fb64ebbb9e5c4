/* Adam (Kingma and Ba, ICLR 2015): with the gradient g at the t-th iteration,
 *
 *     m <- b1 m + (1 - b1) g         v <- b2 v + (1 - b2) g^2
 *     x <- x - rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
 *
 * element by element. Every step is about `rate` long in each coordinate whatever the scale of f,
 * so that f may rise; the best point is what counts. A step that leaves the domain is halved. The
 * moments are stored once the step has succeeded: a failure leaves them as they were.
 *
 * Where the valley that is followed becomes narrower than a step (a likelihood whose noise falls), steps leave it, and f
 * loses within some iterations what it had gained in hundreds. So once more than a twentieth of the gain has been lost
 * for PATIENCE iterations, the next one goes back to the best point, and the rate is half of what it was. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "optim/method.h"

enum { HALVINGS_MAX = 20, PATIENCE = 5 };

static const double LOST = 0.05; /* of the gain since the start: more is too much */

static void lay_out_kept(rm2i_optim *o, rm2i_arena *a) {
    o->m = rm2i_reserve(a, double, o->n);
    o->v = rm2i_reserve(a, double, o->n);
    o->returns = rm2i_reserve(a, double, 1);
    o->lost = rm2i_reserve(a, double, 1);
    o->start_f = rm2i_reserve(a, double, 1);
}

static void lay_out_scratch(rm2i_optim *o, rm2i_arena *a) {
    (void)o, (void)a; /* the step is all there is */
}

static bool is_fraction(double beta) {
    return beta >= 0 && beta < 1;
}

static rm2_status check(rm2_context *ctx, const rm2_optim_settings *settings) {
    if (!(settings->learning_rate > 0) || !isfinite(settings->learning_rate))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "Adam: learning rate %g is not positive",
                         settings->learning_rate);
    if (!is_fraction(settings->beta1) || !is_fraction(settings->beta2))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "Adam: beta %g, %g is not in [0, 1)",
                         settings->beta1, settings->beta2);
    if (!(settings->epsilon > 0) || !isfinite(settings->epsilon))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "Adam: epsilon %g is not positive",
                         settings->epsilon);
    return RM2_OK;
}

static double blend(double beta, double moment, double value) {
    return beta * moment + (1 - beta) * value;
}

/* Step into o->step, from the moments as they will be. */
static void compute_step(rm2i_optim *o) {
    const rm2_optim_settings *a = &o->settings;
    const double *m = o->m, *v = o->v, *g = o->gradient;
    double t = (double)o->iteration + 1;
    double bias1 = 1 - pow(a->beta1, t), bias2 = 1 - pow(a->beta2, t);
    double rate = ldexp(a->learning_rate, -(int)fmin(fmax(*o->returns, 0), HALVINGS_MAX));
    for (size_t i = 0; i < o->n; i++) {
        double first = blend(a->beta1, m[i], g[i]) / bias1;
        double second = blend(a->beta2, v[i], g[i] * g[i]) / bias2;
        o->step[i] = -rate * first / (sqrt(second) + a->epsilon);
    }
}

static void store_moments(rm2i_optim *o) {
    double *m = o->m, *v = o->v, *g = o->gradient;
    for (size_t i = 0; i < o->n; i++) {
        m[i] = blend(o->settings.beta1, m[i], g[i]);
        v[i] = blend(o->settings.beta2, v[i], g[i] * g[i]);
    }
}

/* To the best point, without momentum. */
static rm2_status go_back(rm2i_optim *o, const rm2i_optim_problem *problem, bool *stuck) {
    double f = 0;
    memcpy(o->trial_x, o->best, o->n * sizeof *o->x);
    rm2_status status = rm2i_optim_evaluate(o, problem, &f);
    *stuck = status == RM2_ERR_NUMERIC;
    if (status != RM2_OK)
        return *stuck ? RM2_OK : status;
    for (size_t i = 0; i < o->n; i++)
        o->step[i] = o->trial_x[i] - o->x[i];
    memset(o->m, 0, o->n * sizeof *o->m);
    *o->returns = fmin(*o->returns + 1, HALVINGS_MAX);
    *o->lost = 0;
    rm2i_optim_accept(o, f, rm2i_optim_norm(o, o->step));
    return RM2_OK;
}

static rm2_status iterate(rm2i_optim *o, const rm2i_optim_problem *problem, bool *stuck) {
    double f = 0, scale = 1;
    rm2_status status = RM2_ERR_NUMERIC;
    if (*o->lost >= PATIENCE)
        return go_back(o, problem, stuck);
    if (o->iteration == 0)
        *o->start_f = o->f;
    compute_step(o);
    for (int k = 0; k <= HALVINGS_MAX && status == RM2_ERR_NUMERIC; k++) {
        scale = ldexp(1, -k);
        memcpy(o->trial_x, o->x, o->n * sizeof *o->x);
        rm2i_axpy(o->n, scale, o->step, o->trial_x);
        status = rm2i_optim_evaluate(o, problem, &f);
    }
    *stuck = status == RM2_ERR_NUMERIC;
    if (status != RM2_OK)
        return *stuck ? RM2_OK : status;
    store_moments(o);
    rm2i_optim_accept(o, f, scale * rm2i_optim_norm(o, o->step));
    *o->lost = f - o->best_f > LOST * (*o->start_f - o->best_f) ? *o->lost + 1 : 0;
    return RM2_OK;
}

const rm2i_method rm2i_adam = {.name = "Adam",
                               .lay_out_kept = lay_out_kept,
                               .lay_out_scratch = lay_out_scratch,
                               .check = check,
                               .iterate = iterate};
