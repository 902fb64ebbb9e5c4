/* The search for a latent point by L-BFGS: least squares from the latents of the nearest training points
 * that lie apart from each other, the density from the best of that and from the nearest one. With a linear
 * part of the kernel all latents may lie within a lengthscale, and being distinct is apart enough. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "optim/optim.h"
#include "predict/observation.h"

static const double DISTINCT = 1e-3;  /* lengthscales */
static const double SAME_MODE = 1e-3; /* of five standard deviations of the latents */

static double squared_output_distance(const rm2i_observation *o, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < o->count; k++)
        sum += pow(o->m->F[o->which[k] * o->m->N + n] - o->v[k], 2);
    return sum;
}

/* Within a lengthscale of a start that was tried already? */
static bool tried(const rm2i_observation *o, const size_t *starts, size_t count, size_t n) {
    const rm2_model *m = o->m;
    double apart = m->linear > 0 ? DISTINCT : 1;
    for (size_t s = 0; s < count; s++) {
        double rho2 = 0;
        for (size_t q = 0; q < m->Q; q++)
            rho2 += pow((m->X[starts[s] * m->Q + q] - m->X[n * m->Q + q]) / m->lengthscale[q], 2);
        if (rho2 < apart * apart)
            return true;
    }
    return false;
}

size_t rm2i_encode_next_start(const rm2i_observation *o, const size_t *starts, size_t count) {
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t n = 0; n < o->m->N; n++) {
        double distance = squared_output_distance(o, n);
        if (distance < least && !tried(o, starts, count, n)) {
            least = distance;
            best = n;
        }
    }
    return best;
}

size_t rm2i_encode_nearest(const rm2i_observation *o) {
    return rm2i_encode_next_start(o, NULL, 0);
}

/* Minimise from `start`; keep the result in x if it is below *least. */
static rm2_status search_from(rm2i_observation *o, const rm2_optim_settings *settings,
                              const double *start, double *x, double *least, bool *converged) {
    rm2i_optim *optim;
    rm2_stop stop = RM2_STOP_RUNNING;
    RM2_TRY(rm2i_optim_create(NULL, settings, o->m->Q, start, &optim));
    rm2_status status = RM2_OK;
    while (status == RM2_OK && stop == RM2_STOP_RUNNING)
        status = rm2i_interrupted(o->ctx)
                     ? RM2_INTERRUPTED
                     : rm2i_optim_step(NULL, optim, rm2i_observation_minus_log, o, &stop);
    if (status == RM2_ERR_NUMERIC) /* nothing from this start; others may do */
        status = RM2_OK;
    if (rm2i_optim_best_f(optim) < *least) {
        *least = rm2i_optim_best_f(optim);
        *converged = stop != RM2_STOP_MAX_ITERATIONS;
        memcpy(x, rm2i_optim_best_x(optim), o->m->Q * sizeof *x);
    }
    rm2i_optim_free(optim);
    return status;
}

/* The best of the searches from several training latents. */
static rm2_status search_starts(rm2i_observation *o, const rm2_encode_settings *s, double *x,
                                double *least, rm2_encoded *info) {
    enum { MOST = 32 };
    size_t starts[MOST], count = 0, wanted = s->searches < MOST ? s->searches : MOST;
    *least = INFINITY;
    while (count < wanted) {
        size_t start = rm2i_encode_next_start(o, starts, count);
        double before = *least;
        if (start == SIZE_MAX)
            break;
        starts[count++] = start;
        RM2_TRY(search_from(o, &s->optim, o->m->X + start * o->m->Q, x, least, &info->converged));
        if (*least < before)
            info->nearest = start;
    }
    return isfinite(*least) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* Least squares first, from all starts: it needs no variance and costs little. The density then goes
 * from its best and from the nearest training point. */
static rm2_status search_density(rm2i_observation *o, const rm2_encode_settings *s, double *x,
                                 rm2_encoded *info) {
    size_t nearest = rm2i_encode_nearest(o);
    double least = INFINITY, before;
    o->kind = RM2_ENCODE_RESIDUAL;
    rm2_status status = search_starts(o, s, o->start, &before, info);
    o->kind = RM2_ENCODE_DENSITY;
    RM2_TRY(status);
    RM2_TRY(search_from(o, &s->optim, o->start, x, &least, &info->converged));
    before = least;
    RM2_TRY(search_from(o, &s->optim, o->m->X + nearest * o->m->Q, x, &least, &info->converged));
    if (least < before)
        info->nearest = nearest;
    return isfinite(least) ? RM2_OK : RM2_ERR_NUMERIC;
}

rm2_status rm2i_encode_search(rm2i_observation *o, const rm2_encode_settings *s, double *x,
                              rm2_encoded *info) {
    double least;
    return o->kind == RM2_ENCODE_DENSITY ? search_density(o, s, x, info)
                                         : search_starts(o, s, x, &least, info);
}

/* ---- marginal density ----------------------------------------------------------------------- */

/* The mode of the density that a search from `start` finds. */
static rm2_status find_mode(rm2i_observation *o, const rm2_encode_settings *s, const double *start,
                            double *mode) {
    double least = INFINITY;
    bool converged;
    RM2_TRY(search_from(o, &s->optim, start, mode, &least, &converged));
    return isfinite(least) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* Is x one of the modes, to the accuracy of a search? */
static bool known_mode(const rm2i_observation *o, const double *modes, size_t count,
                       const double *x) {
    size_t Q = o->m->Q;
    for (size_t k = 0; k < count; k++) {
        double square = 0;
        for (size_t q = 0; q < Q; q++)
            square += o->precision[q] * pow(modes[k * Q + q] - x[q], 2);
        if (square < SAME_MODE * SAME_MODE)
            return true;
    }
    return false;
}

/* log(exp a + exp b) */
static double log_add(double a, double b) {
    return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

/* Modes from x and from the latents of the nearest training points: RM2I_MODES at most. */
static rm2_status add_modes(rm2i_observation *o, const rm2_encode_settings *s, const double *x,
                            double *value, double *work) {
    size_t Q = o->m->Q, starts[RM2I_MODES], count = 0, tried_starts = 0;
    double *modes = work, *rest = modes + RM2I_MODES * Q, own;
    *value = -INFINITY;
    for (size_t k = 0; k < RM2I_MODES; k++) {
        const double *start = x;
        if (k > 0) {
            size_t next = rm2i_encode_next_start(o, starts, tried_starts);
            if (!o->m->prior || k >= s->searches || next == SIZE_MAX)
                break;
            starts[tried_starts++] = next;
            start = o->m->X + next * Q;
        }
        double *mode = modes + count * Q;
        RM2_TRY(find_mode(o, s, start, mode));
        if (known_mode(o, modes, count, mode))
            continue;
        RM2_TRY(rm2i_observation_laplace(o, mode, &own, rest));
        *value = count++ ? log_add(*value, own) : own;
    }
    return RM2_OK;
}

size_t rm2i_encode_marginal_work(const rm2_model *m) {
    return RM2I_MODES * m->Q + rm2i_observation_scratch(m);
}

rm2_status rm2i_encode_marginal(rm2i_observation *o, const rm2_encode_settings *s, const double *x,
                                double *value, double *work) {
    rm2_encode_kind kind = o->kind;
    o->kind = RM2_ENCODE_DENSITY;
    rm2_status status = add_modes(o, s, x, value, work);
    o->kind = kind;
    return status;
}
