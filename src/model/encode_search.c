/* The search for a latent point by L-BFGS: least squares from the latents of the nearest training points
 * that lie apart from each other, the density from the best of that and from the nearest one. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "model/observation.h"
#include "optim/optim.h"

static double squared_output_distance(const rm2i_observation *o, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < o->count; k++)
        sum += pow(o->m->F[o->which[k] * o->m->N + n] - o->v[k], 2);
    return sum;
}

/* Within a lengthscale of a start that was tried already? */
static bool tried(const rm2i_observation *o, const size_t *starts, size_t count, size_t n) {
    const rm2_model *m = o->m;
    for (size_t s = 0; s < count; s++) {
        double rho2 = 0;
        for (size_t q = 0; q < m->Q; q++)
            rho2 += pow((m->X[starts[s] * m->Q + q] - m->X[n * m->Q + q]) / m->lengthscale[q], 2);
        if (rho2 < 1)
            return true;
    }
    return false;
}

static size_t next_start(const rm2i_observation *o, const size_t *starts, size_t count) {
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
    return next_start(o, NULL, 0);
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
    size_t starts[MOST], count = 0, wanted = s->starts < MOST ? s->starts : MOST;
    *least = INFINITY;
    while (count < wanted) {
        size_t start = next_start(o, starts, count);
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
    o->residual_only = true;
    RM2_TRY(search_starts(o, s, o->start, &before, info));
    o->residual_only = false;
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
    return o->residual_only ? search_starts(o, s, x, &least, info) : search_density(o, s, x, info);
}
