/* Deviations of the demonstrations from the route, and their mean and covariance. With p_d,i in [0, 1] the part with which
 * demonstration d counts at node i, and P_i the sum of these,
 *
 *     mu_i = sum_d p_d,i delta_d,i / max(P_i, 1),   R_d,i = sqrt(p_d,i / max(P_i - 1, 1)) (delta_d,i - mu_i)
 *
 * which are mean and (delta - mu)/sqrt(D - 1) where all count whole: as they do unless a demonstration
 *
 *   - has no part there: cut ones fade out over a twentieth of the route;
 *   - is unlike all others there. In each factor, with m_i the median of the deviations by coordinate, r_d,i = |delta_d,i - m_i| and
 *     t_i their median over d, it counts whole up to r = 8 t and not at all from 12 t on; t is the running mean of t_i, at
 *     least half its mean over the route. This takes four demonstrations.
 *
 * With obstacles (not centred) mu is 0 and R_d,i = sqrt(p_d,i / max(P_i, 1)) delta_d,i. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "math/order.h"
#include "meet/meet.h"
#include "start/curves.h"

enum { FEWEST_TO_JUDGE = 4 };
static const double WHOLE = 8, NOT_AT_ALL = 12; /* in units of t */
static const double FADE = 0.05; /* of the route, at the end of a cut demonstration */
static const double LEAST_VARIANCE = 1e-8;
static const double UNKNOWN_SPREAD =
    0.02; /* of the way in a factor: deviation where nothing was shown */

/* ---- which demonstrations ------------------------------------------------------------------- */

static bool is_used(const rm2i_meet_demos *demos, size_t t) {
    const rm2_start_demo *d = rm2i_meet_demo(demos->model, t);
    return !demos->ends->joins &&
           (!d || demos->ends->family == SIZE_MAX || d->family == demos->ends->family);
}

/* ---- deviations ----------------------------------------------------------------------------- */

typedef struct finding {
    const rm2i_meet_demos *demos;
    const rm2i_meet_route *route;
    rm2i_meet_deviations *out;
    size_t *which;                     /* D */
    double *samples;                   /* D x RM2I_MEET_SAMPLES x ambient */
    double *place[2];                  /* D x n: forwards, backwards */
    double *before, *after, *v, *part; /* n points between which a node's is, n x M, n */
    double *radius;                    /* D x n */
    double *centre;                    /* M */
    double *typical, *smoothed, *few;  /* n, n, D */
    double *memory;
} finding;

static void lay_out_finding(void *arg, rm2i_arena *a) {
    finding *f = arg;
    size_t D = f->out->D, n = f->out->n, M = f->out->M, ambient = f->route->m->ambient;
    f->which = rm2i_reserve(a, size_t, D);
    f->samples = rm2i_reserve(a, double, D, RM2I_MEET_SAMPLES, ambient);
    for (int k = 0; k < 2; k++)
        f->place[k] = rm2i_reserve(a, double, D, n);
    f->before = rm2i_reserve(a, double, n, ambient);
    f->after = rm2i_reserve(a, double, n, ambient);
    f->v = rm2i_reserve(a, double, n, M);
    f->part = rm2i_reserve(a, double, n);
    f->radius = rm2i_reserve(a, double, D, n);
    f->centre = rm2i_reserve(a, double, M);
    f->typical = rm2i_reserve(a, double, n);
    f->smoothed = rm2i_reserve(a, double, n);
    f->few = rm2i_reserve(a, double, D);
}

/* A demonstration that has more than the motion of its family is as one whose middle the route begins or ends in. */
static rm2i_meet_open open_of(const rm2i_meet_demos *demos, size_t t, bool against) {
    rm2i_meet_open open;
    for (int k = 0; k < 2; k++) {
        int extent = demos->ends->extent[against ? 1 - k : k][t];
        open.route[k] = demos->open[k] || extent < 0;
        open.demo[k] = extent > 0;
    }
    return open;
}

/* Both directions; the better one for all together. A demonstration that runs against the motion of its family is turned first. */
static rm2_status align_all(rm2_context *ctx, finding *f) {
    const rm2_model *model = f->demos->model;
    size_t D = f->out->D, n = f->out->n, stride = RM2I_MEET_SAMPLES * f->route->m->ambient;
    double sum[2] = {0, 0};
    for (size_t d = 0; d < D; d++) {
        const rm2_start_demo *known = rm2i_meet_demo(model, f->which[d]);
        bool turned = known && known->reversed;
        for (int k = 0; k < 2; k++) {
            double cost;
            rm2i_meet_open open = open_of(f->demos, f->which[d], k == 1);
            RM2_TRY(rm2i_meet_align(ctx, f->route, f->samples + d * stride, &open,
                                    (k == 1) != turned, f->place[k] + d * n, &cost));
            sum[k] += cost;
        }
    }
    f->out->reversed = sum[1] < sum[0];
    return RM2_OK;
}

/* F_i^T Log_{y_i} of one demonstration at its places. */
static rm2_status deviate(rm2_context *ctx, finding *f, size_t d) {
    const rm2_manifold *m = f->route->m;
    size_t n = f->out->n, M = f->out->M, D = m->ambient;
    const double *place = f->place[f->out->reversed] + d * n;
    const double *sample = f->samples + d * RM2I_MEET_SAMPLES * D;
    for (size_t i = 0; i < n; i++) {
        double at = isnan(place[i]) ? 0 : fmin(fmax(place[i], 0), RM2I_MEET_SAMPLES - 1);
        size_t k = (size_t)at < RM2I_MEET_SAMPLES - 2 ? (size_t)at : RM2I_MEET_SAMPLES - 2;
        f->part[i] = at - (double)k;
        memcpy(f->before + i * D, sample + k * D, D * sizeof *sample);
        memcpy(f->after + i * D, sample + (k + 1) * D, D * sizeof *sample);
    }
    RM2_TRY(rm2_manifold_log_coords(ctx, m, n, f->before, n, f->after, f->v));
    for (size_t k = 0; k < n * M; k++)
        f->v[k] *= f->part[k / M];
    RM2_TRY(rm2_manifold_exp_coords(ctx, m, n, f->before, n, f->v, f->after));
    for (size_t i = 0; i < n; i++) /* no part of the demonstration: no deviation */
        if (isnan(place[i]))
            memcpy(f->after + i * D, f->route->y + i * D, D * sizeof *sample);
    RM2_TRY(rm2_manifold_log_coords(ctx, m, n, f->route->y, n, f->after, f->v));
    for (size_t i = 0; i < n; i++)
        rm2i_meet_from_frame(f->route, i, f->v + i * M, f->out->delta + (d * n + i) * M);
    return RM2_OK;
}

/* ---- how far each counts -------------------------------------------------------------------- */

static double *part_of(const rm2i_meet_deviations *o, size_t d, size_t i) {
    return o->part + (d * o->n + i) * o->factors;
}

/* Whole inside of the demonstration, falling to 0 at an end that it lacks. */
static void fade(finding *f, size_t d) {
    const rm2i_meet_deviations *o = f->out;
    const double *place = f->place[o->reversed] + d * o->n, *s = f->route->s;
    size_t first = 0, last = o->n - 1;
    while (first < last && isnan(place[first]))
        first++;
    while (last > first && isnan(place[last]))
        last--;
    for (size_t i = 0; i < o->n; i++) {
        double in = first > 0 ? (s[i] - s[first]) / FADE : 1;
        double out = last + 1 < o->n ? (s[last] - s[i]) / FADE : 1;
        double part = fmin(fmax(fmin(in, out), 0), 1);
        for (size_t k = 0; k < o->factors; k++)
            part_of(o, d, i)[k] = part;
    }
}

/* Median of coordinate a over the demonstrations that have a part at node i. */
static double median_at(finding *f, size_t i, size_t a) {
    const rm2i_meet_deviations *o = f->out;
    size_t count = 0;
    for (size_t d = 0; d < o->D; d++)
        if (part_of(o, d, i)[0] > 0)
            f->few[count++] = o->delta[(d * o->n + i) * o->M + a];
    return count > 0 ? rm2i_median(count, f->few) : 0;
}

/* r_d,i and t_i of a factor. */
static void measure_radii(finding *f, const rm2_factor *factor) {
    const rm2i_meet_deviations *o = f->out;
    size_t from = factor->dim_offset, dim = factor->dim;
    for (size_t i = 0; i < o->n; i++) {
        size_t count = 0;
        for (size_t a = 0; a < dim; a++)
            f->centre[a] = median_at(f, i, from + a);
        for (size_t d = 0; d < o->D; d++) {
            double square = 0;
            for (size_t a = 0; a < dim; a++) {
                double part = o->delta[(d * o->n + i) * o->M + from + a] - f->centre[a];
                square += part * part;
            }
            f->radius[d * o->n + i] = sqrt(square);
            if (part_of(o, d, i)[0] > 0)
                f->few[count++] = sqrt(square);
        }
        f->typical[i] = count > 0 ? rm2i_median(count, f->few) : 0;
    }
}

static void judge(finding *f) {
    const rm2i_meet_deviations *o = f->out;
    for (size_t k = 0; k < o->factors; k++) {
        double mean = 0;
        measure_radii(f, &f->route->m->factors[k]);
        for (size_t i = 0; i < o->n; i++)
            mean += f->typical[i] / (double)o->n;
        rm2i_running_mean(o->n, f->typical, o->n / 40, f->smoothed);
        for (size_t d = 0; d < o->D; d++)
            for (size_t i = 0; i < o->n; i++) {
                double t = fmax(f->smoothed[i], mean / 2), r = f->radius[d * o->n + i];
                double part = t > 0 ? (NOT_AT_ALL - r / t) / (NOT_AT_ALL - WHOLE) : 1;
                part_of(o, d, i)[k] *= fmin(fmax(part, 0), 1);
            }
    }
}

/* ---- mean and covariance -------------------------------------------------------------------- */

/* Mean and R of coordinate a, of factor k, at node i. */
static double summarise(const rm2i_meet_deviations *o, size_t i, size_t k, size_t a, bool centred) {
    double total = 0, sum = 0;
    for (size_t d = 0; d < o->D; d++) {
        total += part_of(o, d, i)[k];
        sum += part_of(o, d, i)[k] * o->delta[(d * o->n + i) * o->M + a];
    }
    double mean = sum / fmax(total, 1), centre = centred ? mean : 0;
    double divisor = fmax(centred ? total - 1 : total, 1);
    o->mu[i * o->M + a] = centre;
    for (size_t d = 0; d < o->D; d++) {
        size_t at = (d * o->n + i) * o->M + a;
        o->R[at] = sqrt(part_of(o, d, i)[k] / divisor) * (o->delta[at] - centre);
    }
    return total;
}

/* W of a factor from the centred R; 0 where no node has two demonstrations. */
static double mean_variance(const rm2i_meet_deviations *o, const rm2_factor *factor, size_t k) {
    double sum = 0;
    size_t nodes = 0;
    for (size_t i = 0; i < o->n; i++) {
        double total = 0, square = 0;
        for (size_t a = factor->dim_offset; a < factor->dim_offset + factor->dim; a++) {
            total = summarise(o, i, k, a, true);
            for (size_t d = 0; d < o->D; d++) {
                double r = o->R[(d * o->n + i) * o->M + a];
                square += r * r;
            }
        }
        if (total > 1.5) {
            sum += square;
            nodes++;
        }
    }
    return nodes > 0 ? sum / (double)(nodes * factor->dim) : 0;
}

/* Squared length of the route in a factor. */
static double way_in(const rm2i_meet_route *route, const rm2_factor *factor, double *work) {
    double sum = 0;
    for (size_t i = 0; i + 1 < route->n; i++) {
        double d = 0;
        const double *y = route->y + i * route->m->ambient + factor->ambient_offset;
        if (factor->geometry->distance(factor->n, y, y + route->m->ambient, &d, work) == RM2_OK)
            sum += d;
    }
    return sum * sum;
}

static rm2_status find_variances(rm2_context *ctx, const finding *f) {
    const rm2i_meet_deviations *o = f->out;
    double spread = f->demos->ends->spread, *work;
    RM2_TRY(rm2i_alloc(ctx, f->route->m->work_size + 1, sizeof *work, &work));
    for (size_t k = 0; k < o->factors; k++) {
        const rm2_factor *factor = &f->route->m->factors[k];
        double W = o->D > 1 ? mean_variance(o, factor, k) : 0;
        if (W == 0 && isfinite(spread))
            W = spread * spread / (double)o->M;
        else if (W == 0)
            W = UNKNOWN_SPREAD * UNKNOWN_SPREAD * way_in(f->route, factor, work);
        o->W[k] = fmax(W, LEAST_VARIANCE);
        for (size_t a = factor->dim_offset; a < factor->dim_offset + factor->dim; a++)
            for (size_t i = 0; i < o->n; i++)
                (void)summarise(o, i, k, a, f->demos->centred);
    }
    free(work);
    return RM2_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_meet_deviations *o = arg;
    o->delta = rm2i_reserve(a, double, o->D, o->n, o->M);
    o->part = rm2i_reserve(a, double, o->D, o->n, o->factors);
    o->R = rm2i_reserve(a, double, o->D, o->n, o->M);
    o->mu = rm2i_reserve(a, double, o->n, o->M);
    o->W = rm2i_reserve(a, double, o->factors);
}

static rm2_status find_all(rm2_context *ctx, finding *f) {
    rm2i_meet_deviations *o = f->out;
    size_t count = 0;
    for (size_t t = 0; t < f->demos->model->data->trajectories; t++)
        if (is_used(f->demos, t))
            f->which[count++] = t;
    RM2_TRY(rm2i_meet_resample(ctx, f->demos->model, o->D, f->which, f->samples));
    RM2_TRY(rm2i_task_frames_bend(ctx, f->route->m, f->demos->frames, o->D, f->which, f->samples));
    RM2_TRY(align_all(ctx, f));
    for (size_t d = 0; d < o->D; d++) {
        RM2_TRY(deviate(ctx, f, d));
        fade(f, d);
    }
    if (f->demos->robust && o->D >= FEWEST_TO_JUDGE)
        judge(f);
    return find_variances(ctx, f);
}

rm2_status rm2i_meet_deviations_find(rm2_context *ctx, const rm2i_meet_demos *demos,
                                     const rm2i_meet_route *route,
                                     rm2i_meet_deviations *deviations) {
    finding f = {.demos = demos, .route = route, .out = deviations};
    *deviations =
        (rm2i_meet_deviations){.n = route->n, .M = route->m->dim, .factors = route->m->count};
    for (size_t t = 0; t < demos->model->data->trajectories; t++)
        deviations->D += is_used(demos, t);
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, deviations, &deviations->memory));
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_finding, &f, &f.memory));
    rm2_status status = find_all(ctx, &f);
    free(f.memory);
    return status;
}

void rm2i_meet_deviations_free(rm2i_meet_deviations *deviations) {
    free(deviations->memory);
    *deviations = (rm2i_meet_deviations){.D = 0};
}
