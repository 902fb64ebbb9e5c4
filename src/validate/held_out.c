/* How well models of a part of the points predict the others, next to principal components and normal densities.
 *
 *   F F^T = sum_k lambda_k u_k u_k^T over the n training points of a fold; v: a point held out, less their mean
 *   components    |v|^2 - sum_(k <= Q) (u_k.v)^2
 *   PPCA          N(0, C), C with eigenvalues lambda_k/n for k <= Q, and the mean of the others
 *   Ledoit-Wolf   N(0, C), C with eigenvalues (1 - a) lambda_k/n + a mu; mu their mean,
 *                 a = min(b, c)/c, c = sum_k (lambda_k/n - mu)^2, b = (sum_i |f_i|^4/n - sum_k (lambda_k/n)^2)/n
 * A plane in an arbitrary direction holds Q/M of the variance of points that scatter alike in all directions. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "fit/folds.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"
#include "math/special.h"
#include "model/model.h"

static const rm2i_cross_plan PLAN = {.folds = 5, .most = 300};
static const double CERTAIN = 2; /* standard errors above chance that count as structure */

/* ---- the outputs of the training points -------------------------------------------------------- */

/* Eigenvectors of F F^T with eigenvalues above rounding, the largest first; those of F^T F where it is smaller. */
typedef struct spectrum {
    size_t M, count;
    double n;               /* training points */
    double *value, *vector; /* count: lambda_k/n; count x M */
    double mean;            /* mu, over all M */
    double rest_ppca;       /* eigenvalue of PPCA beyond the components */
    double shrink;          /* a */
    double *memory;
} spectrum;

static double fourth_moment(const rm2_model *m) {
    double sum = 0;
    for (size_t i = 0; i < m->N; i++) {
        double square = 0;
        for (size_t k = 0; k < m->M; k++)
            square += m->F[k * m->N + i] * m->F[k * m->N + i];
        sum += square * square / (double)m->N;
    }
    return sum;
}

static void find_densities(const rm2_model *m, spectrum *s) {
    double total = rm2i_dot(m->M * m->N, m->F, m->F) / s->n, first = 0, squares = 0;
    for (size_t k = 0; k < s->count; k++) {
        first += k < m->Q ? s->value[k] : 0;
        squares += s->value[k] * s->value[k];
    }
    s->mean = total / (double)s->M;
    s->rest_ppca = fmax(total - first, DBL_EPSILON * total) / (double)(s->M - m->Q);
    double spread = squares - s->mean * total; /* c */
    double noise = (fourth_moment(m) - squares) / s->n;
    s->shrink = spread > 0 ? fmin(fmax(noise / spread, DBL_EPSILON), 1) : 1;
}

/* Row k of `vector` from an eigenvector w of F^T F: F w/sqrt(lambda). */
static void find_vector(const rm2_model *m, const double *w, double lambda, double *vector) {
    for (size_t k = 0; k < m->M; k++)
        vector[k] = rm2i_dot(m->N, m->F + k * m->N, w) / sqrt(lambda);
}

static rm2_status find_spectrum(rm2_context *ctx, const rm2_model *m, spectrum *s) {
    size_t n = m->N < m->M ? m->N : m->M;
    int N = (int)m->N, M = (int)m->M;
    bool outer = m->M <= m->N;
    *s = (spectrum){.M = m->M, .n = (double)m->N};
    RM2_TRY(rm2i_alloc(ctx, n * n + 2 * n + n * m->M + rm2i_symmetric_eigen_work(n),
                       sizeof *s->memory, &s->memory));
    double *gram = s->memory, *values = gram + n * n;
    s->value = values + n;
    s->vector = s->value + n;
    rm2i_dsyrk(CblasRowMajor, CblasLower, outer ? CblasNoTrans : CblasTrans, (int)n, outer ? N : M,
               1, m->F, N, 0, gram, (int)n);
    rm2_status status = rm2i_symmetric_eigen(n, gram, values, s->vector + n * m->M);
    if (status != RM2_OK)
        return rm2i_fail(ctx, status, "principal components of the outputs were not found");
    for (size_t k = n; k-- > 0 && values[k] > (double)n * DBL_EPSILON * values[n - 1];) {
        double *vector = s->vector + s->count * m->M;
        if (outer)
            memcpy(vector, gram + k * n, n * sizeof *vector);
        else
            find_vector(m, gram + k * n, values[k], vector);
        s->value[s->count++] = values[k] / s->n;
    }
    find_densities(m, s);
    return RM2_OK;
}

/* ---- points of a fold -------------------------------------------------------------------------- */

typedef struct held_point {
    double mean, components, residual; /* squared norms */
    double log_density, ppca, ledoit_wolf;
} held_point;

typedef struct held_points {
    size_t count;
    held_point *points;
    rm2_context *ctx; /* of the caller, who sees the progress */
} held_points;

/* log N of one coordinate. */
static double log_normal(double square, double variance) {
    return -0.5 * (square / variance + log(variance) + RM2I_LOG_2PI);
}

static void compare(const spectrum *s, size_t Q, const double *v, held_point *p) {
    double left = rm2i_dot(s->M, v, v), rest = (double)(s->M - s->count);
    double floor = s->shrink * s->mean;
    p->mean = p->components = left;
    for (size_t k = 0; k < s->count; k++) {
        double along = rm2i_dot(s->M, s->vector + k * s->M, v), square = along * along;
        left -= square;
        p->components -= k < Q ? square : 0;
        p->ppca += log_normal(square, k < Q ? s->value[k] : s->rest_ppca);
        p->ledoit_wolf += log_normal(square, (1 - s->shrink) * s->value[k] + floor);
    }
    left = fmax(left, 0); /* of the directions without training points, all alike */
    p->ppca += log_normal(left, s->rest_ppca) + (rest - 1) * log_normal(0, s->rest_ppca);
    p->ledoit_wolf += log_normal(left, floor) + (rest - 1) * log_normal(0, floor);
}

/* Densities by the model, and the residual of the nearest decoded point. */
static rm2_status encode(rm2_context *ctx, const rm2_model *m, const rm2_data *held, double *work,
                         held_point *p) {
    size_t n = held->count;
    double *points = work, *latents = points + n * rm2_manifold_ambient(held->manifold);
    rm2_encode_settings nearest = rm2_encode_settings_default();
    rm2_encoded *got;
    nearest.objective = RM2_ENCODE_NEAREST;
    RM2_TRY(rm2i_alloc(ctx, 2 * n, sizeof *got, &got));
    got[0].size = got[n].size = sizeof *got;
    rm2_data_original(held, points);
    rm2_status status = rm2_model_encode(ctx, m, NULL, n, points, latents, NULL, got);
    if (status == RM2_OK)
        status = rm2_model_encode(ctx, m, &nearest, n, points, latents, NULL, got + n);
    for (size_t i = 0; status == RM2_OK && i < n; i++) {
        p[i].log_density = got[i].log_density;
        p[i].residual = got[n + i].residual * got[n + i].residual;
    }
    free(got);
    return status;
}

/* Outputs V (n x M) of held-out points less their mean, and the densities of the points, less log |det dExp|. */
static rm2_status measure(rm2_context *ctx, const rm2_model *m, const rm2_data *held,
                          const spectrum *s, double *V, held_point *p) {
    size_t n = held->count, M = m->M;
    double *volume = V + n * M;
    RM2_TRY(rm2i_model_outputs(ctx, m, n, held->points, V));
    memset(volume, 0, n * sizeof *volume);
    if (m->settings.model == RM2_WGPLVM)
        RM2_TRY(rm2_manifold_log_volume(ctx, m->manifold, n, V, volume));
    RM2_TRY(encode(ctx, m, held, volume + n, p));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < M; k++)
            V[i * M + k] -= m->mean[k];
        compare(s, m->Q, V + i * M, &p[i]);
        p[i].log_density -= volume[i];
        p[i].ppca -= volume[i];
        p[i].ledoit_wolf -= volume[i];
    }
    return RM2_OK;
}

static rm2_status visit_fold(void *user, rm2_context *ctx, const rm2_model *m,
                             const rm2_data *held) {
    held_points *all = user;
    spectrum s = {.memory = NULL};
    size_t width = m->M + 1 + rm2_manifold_ambient(held->manifold) + m->Q;
    double *V = NULL;
    rm2_status status = find_spectrum(ctx, m, &s);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, held->count, width * sizeof *V, &V);
    if (status == RM2_OK)
        status = measure(ctx, m, held, &s, V, all->points + all->count);
    all->count += held->count;
    rm2i_activity_advance(all->ctx, 1);
    free(V);
    free(s.memory);
    return status;
}

/* ---- all folds --------------------------------------------------------------------------------- */

/* Standard error of the mean difference between the model's density and one of the others. */
static double difference_error(const held_points *all, bool ppca) {
    double n = (double)all->count, mean = 0, square = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < all->count; i++) {
            const held_point *p = &all->points[i];
            double off = p->log_density - (ppca ? p->ppca : p->ledoit_wolf);
            if (round == 0)
                mean += off / n;
            else
                square += (off - mean) * (off - mean);
        }
    return sqrt(square / (n - 1) / n);
}

/* explained - plane is the mean of (1 - Q/M) |v|^2 - r^2 over the mean of |v|^2. */
static void find_structure(const held_points *all, rm2_held_out *h) {
    double n = (double)all->count, square = 0;
    double excess = h->explained - h->plane, total = h->mean * h->mean;
    for (size_t i = 0; i < all->count; i++) {
        const held_point *p = &all->points[i];
        double own = ((1 - h->plane) * p->mean - p->residual) / total;
        square += pow(own - excess * p->mean / total, 2); /* the ratio's first-order error */
    }
    h->explained_error = sqrt(square / (n - 1) / n);
    h->structure = excess > CERTAIN * h->explained_error;
}

static void summarise(const held_points *all, rm2_held_out *h) {
    double n = (double)all->count;
    for (size_t i = 0; i < all->count; i++) {
        const held_point *p = &all->points[i];
        h->residual += p->residual / n;
        h->mean += p->mean / n;
        h->components += fmax(p->components, 0) / n;
        h->log_density += p->log_density / n;
        h->ppca += p->ppca / n;
        h->ledoit_wolf += p->ledoit_wolf / n;
    }
    h->explained = 1 - h->residual / h->mean;
    h->residual = sqrt(h->residual);
    h->mean = sqrt(h->mean);
    h->components = sqrt(h->components);
    h->ppca_error = difference_error(all, true);
    h->ledoit_wolf_error = difference_error(all, false);
    find_structure(all, h);
}

/* The settings of a model for some of its points. */
static rm2_fit_settings settings_for_parts(const rm2_model *m) {
    rm2_fit_settings s = m->settings;
    s.init_latent = NULL;
    if (s.init == RM2_INIT_GIVEN)
        s.init = s.task == RM2_TASK_INTEGRATED ? RM2_INIT_TANGENT : RM2_INIT_ISOMAP;
    if (s.inducing_points) {
        s.inducing_points = NULL;
        s.inducing = 0;
    }
    return s;
}

rm2_status rm2_model_held_out(rm2_context *ctx, const rm2_model *model, rm2_held_out *held_out) {
    held_points all = {.ctx = ctx};
    RM2_REQUIRE(ctx, model, held_out);
    const rm2_model *m = model;
    RM2_TRY(rm2i_check_size(ctx, held_out, sizeof *held_out));
    if (m->data->trajectories > 0)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "points of trajectories are not held out one by one: hold out whole "
                         "trajectories (rm2_cross_validate)");
    if (m->Q >= m->M)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "%zu latent dimensions of %zu outputs leave nothing to compare", m->Q,
                         m->M);
    const rm2_fit_settings settings = settings_for_parts(m);
    RM2_TRY(rm2i_calloc(ctx, rm2i_cross_count(m->data, &PLAN), sizeof *all.points, &all.points));
    rm2i_activity_begin(ctx, "folds held out", PLAN.folds);
    rm2_status status = rm2i_cross_folds(ctx, m->data, &settings, &PLAN, visit_fold, &all);
    rm2i_activity_end(ctx);
    if (status == RM2_OK) {
        rm2_held_out found = {
            .points = all.count, .folds = PLAN.folds, .plane = (double)m->Q / (double)m->M};
        summarise(&all, &found);
        rm2i_results_give(1, &found, sizeof found, held_out);
    }
    free(all.points);
    return status;
}
