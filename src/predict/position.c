#include "predict/position.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "kernel/latent_shape.h"
#include "linalg/dense.h"

/* ---- set-up --------------------------------------------------------------------------------- */

static rm2_status find_factor(rm2_context *ctx, const rm2_manifold *m, size_t wanted,
                              size_t *found) {
    size_t count = rm2_manifold_factor_count(m);
    *found = wanted;
    for (size_t k = 0; wanted == RM2I_FIRST_EUCLIDEAN && k < count; k++)
        if (*found == wanted && rm2_manifold_factor(m, k)->geometry == &rm2_euclidean)
            *found = k;
    if (*found == RM2I_FIRST_EUCLIDEAN)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s has no Euclidean factor for positions",
                         rm2_manifold_spec(m));
    if (*found >= count || rm2_manifold_factor(m, *found)->geometry != &rm2_euclidean)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "factor %zu of %s is not Euclidean", *found + 1,
                         rm2_manifold_spec(m));
    size_t dim = rm2_manifold_factor(m, *found)->dim;
    if (dim > RM2I_POSITION_DIM)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "factor %zu of %s has %zu dimensions; positions have at most %d",
                         *found + 1, rm2_manifold_spec(m), dim, (int)RM2I_POSITION_DIM);
    return RM2_OK;
}

/* sum_m c_m^T K c_m over the outputs of the position, K of the radial part. */
static rm2_status find_norm(rm2_context *ctx, rm2i_position *y) {
    const rm2i_posterior *p = y->p;
    rm2i_latent_kernel radial = p->gp.kernel;
    double *k, sum = 0;
    radial.linear = 0;
    y->norm = 0;
    if (radial.kind == RM2_LATENT_LINEAR)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, p->n, sizeof *k, &k));
    for (size_t i = 0; i < p->n; i++) {
        rm2i_latent_cross(&radial, p->n, p->Z, p->Z + i * p->gp.Q, k);
        for (size_t m = y->first; m < y->first + y->dim; m++)
            sum += p->C[m * p->n + i] * rm2i_dot(p->n, k, p->C + m * p->n);
    }
    free(k);
    y->norm = y->scale * sqrt(fmax(sum, 0));
    return RM2_OK;
}

/* mass^2 = scale^2 sum_m (sum_i |c_mi|)^2, and the largest |z_i| in lengthscales. */
static void find_extent(rm2i_position *y) {
    const rm2i_posterior *p = y->p;
    double squares = 0;
    for (size_t m = y->first; m < y->first + y->dim; m++) {
        double sum = 0;
        for (size_t i = 0; i < p->n; i++)
            sum += fabs(p->C[m * p->n + i]);
        squares += sum * sum;
    }
    y->mass = y->scale * sqrt(squares);
    y->radius = 0;
    for (size_t i = 0; i < p->n; i++) {
        double rho2 = 0;
        for (size_t q = 0; q < p->gp.Q; q++)
            rho2 += pow(p->Z[i * p->gp.Q + q] / p->gp.kernel.lengthscale[q], 2);
        y->radius = fmax(y->radius, sqrt(rho2));
    }
}

/* Largest eigenvalue of the factor's part of P diag(h) P^T and, unless NULL, its vector (dim). */
static double largest_variance(const rm2i_position *y, const double *h, double *vector) {
    size_t M = y->p->gp.M, dim = y->dim, best = 0;
    double cov[RM2I_POSITION_DIM * RM2I_POSITION_DIM] = {0}, values[RM2I_POSITION_DIM];
    double vectors[RM2I_POSITION_DIM * RM2I_POSITION_DIM], work[64];
    for (size_t a = 0; a < dim; a++)
        for (size_t b = 0; b < dim; b++) {
            const double *pa = y->p->P + (y->first + a) * M, *pb = y->p->P + (y->first + b) * M;
            double sum = 0;
            for (size_t k = 0; k < M; k++)
                sum += pa[k] * pb[k] * h[k];
            cov[a * dim + b] = sum;
        }
    if (rm2i_eigen(dim, cov, values, vectors, work) != RM2_OK)
        return NAN;
    for (size_t k = 1; k < dim; k++)
        best = values[k] > values[best] ? k : best;
    for (size_t k = 0; vector && k < dim; k++)
        vector[k] = vectors[best * dim + k];
    return fmax(values[best], 0);
}

/* The prior's h: 1 with Kronecker noise, else l_m. */
static rm2_status find_root(rm2_context *ctx, rm2i_position *y) {
    size_t M = y->p->gp.M;
    double *h;
    RM2_TRY(rm2i_alloc(ctx, M, sizeof *h, &h));
    for (size_t k = 0; k < M; k++)
        h[k] = y->p->gp.noise_kind == RM2_NOISE_KRONECKER ? 1 : y->p->l[k];
    y->root = y->scale * sqrt(largest_variance(y, h, NULL));
    free(h);
    return RM2_OK;
}

rm2_status rm2i_position_of(rm2_context *ctx, const rm2_model *model, size_t factor,
                            rm2i_position *y) {
    bool wrapped = model->settings.model != RM2_GPLVM;
    size_t k;
    RM2_TRY(find_factor(ctx, model->manifold, factor, &k));
    const rm2_factor *f = rm2_manifold_factor(model->manifold, k);
    *y = (rm2i_position){.p = model->posterior,
                         .factor = k,
                         .first = wrapped ? f->dim_offset : f->ambient_offset,
                         .dim = f->dim,
                         .scale = model->data->scale[k]};
    for (size_t q = 0; q < y->dim; q++)
        y->origin[q] =
            model->mean[y->first + q] + (wrapped ? model->base[f->ambient_offset + q] : 0);
    find_extent(y);
    RM2_TRY(find_norm(ctx, y));
    return find_root(ctx, y);
}

/* ---- values --------------------------------------------------------------------------------- */

typedef struct position_scratch {
    double *k, *dk;    /* n, Q x n */
    double *f, *h;     /* M each */
    double *J, *dh;    /* M x Q each */
    double *posterior; /* its own */
} position_scratch;

static void lay_out(position_scratch *s, const rm2i_position *y, rm2i_arena *a) {
    size_t n = y->p->n, M = y->p->gp.M, Q = y->p->gp.Q;
    size_t one = rm2i_posterior_at_work(y->p, 1), slope = rm2i_posterior_work(y->p);
    s->k = rm2i_reserve(a, double, n);
    s->dk = rm2i_reserve(a, double, Q, n);
    s->f = rm2i_reserve(a, double, M);
    s->h = rm2i_reserve(a, double, M);
    s->J = rm2i_reserve(a, double, M, Q);
    s->dh = rm2i_reserve(a, double, M, Q);
    s->posterior = rm2i_reserve(a, double, one > slope ? one : slope);
}

size_t rm2i_position_work(const rm2i_position *y) {
    position_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, y, &a);
    return a.used;
}

/* y = scale (origin + C k*) */
static void fill_mean(const rm2i_position *y, const double *k, double *out) {
    for (size_t q = 0; q < y->dim; q++)
        out[q] =
            y->scale * (y->origin[q] + rm2i_dot(y->p->n, y->p->C + (y->first + q) * y->p->n, k));
}

void rm2i_position_at(const rm2i_position *y, const double *x, double *out, double *deviation,
                      double *work) {
    const rm2i_posterior *p = y->p;
    position_scratch s;
    lay_out(&s, y, &(rm2i_arena){work, 0});
    rm2i_latent_cross(&p->gp.kernel, p->n, p->Z, x, s.k);
    fill_mean(y, s.k, out);
    if (!deviation)
        return;
    rm2i_posterior_at(p, 1, x, s.f, s.h, s.posterior);
    *deviation = y->scale * sqrt(largest_variance(y, s.h, NULL));
}

/* d sqrt(u^T P diag(h) P^T u) = sum_k (P^T u)_k^2 dh_k / (2 sqrt(...)) */
static void fill_slope(const rm2i_position *y, const position_scratch *s,
                       rm2i_position_slope *out) {
    size_t M = y->p->gp.M, Q = y->p->gp.Q;
    double u[RM2I_POSITION_DIM] = {0}, variance = largest_variance(y, s->h, u),
           root = sqrt(variance);
    out->deviation = y->scale * root;
    for (size_t q = 0; q < Q; q++)
        out->slope[q] = 0;
    for (size_t k = 0; k < M && root > 0; k++) {
        double along = 0;
        for (size_t a = 0; a < y->dim; a++)
            along += y->p->P[(y->first + a) * M + k] * u[a];
        for (size_t q = 0; q < Q; q++)
            out->slope[q] += y->scale * along * along * s->dh[k * Q + q] / (2 * root);
    }
}

void rm2i_position_gradient(const rm2i_position *y, const double *x, rm2i_position_slope *out,
                            double *work) {
    const rm2i_posterior *p = y->p;
    size_t n = p->n, Q = p->gp.Q;
    position_scratch s;
    lay_out(&s, y, &(rm2i_arena){work, 0});
    rm2i_latent_cross_gradient(&p->gp.kernel, n, p->Z, x, s.k, s.dk);
    fill_mean(y, s.k, out->y);
    for (size_t a = 0; a < y->dim; a++) /* J = scale C dk */
        for (size_t q = 0; q < Q; q++)
            out->J[a * Q + q] = y->scale * rm2i_dot(n, p->C + (y->first + a) * n, s.dk + q * n);
    out->deviation = 0;
    if (!out->slope)
        return;
    rm2i_posterior_gradient(p, x, s.f, s.h, s.J, s.dh, s.posterior);
    fill_slope(y, &s, out);
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* Norm of k(x, .) less the chord between k(a, .) and k(b, .), at most, for x on the line. */
static double kernel_bow(const rm2i_latent_kernel *k, const double *a, const double *b) {
    double rho2 = 0;
    for (size_t q = 0; q < k->dim; q++) {
        double step = (b[q] - a[q]) / k->lengthscale[q];
        rho2 += step * step;
    }
    double z = sqrt(3 * rho2);
    switch (k->kind) {
    case RM2_LATENT_SE:
        return sqrt(3 * k->variance) * rho2 / 8;
    case RM2_LATENT_MATERN52:
        return sqrt(25 * k->variance) * rho2 / 8;
    case RM2_LATENT_MATERN32:
        return sqrt(k->variance * z * z * z / 12);
    case RM2_LATENT_LINEAR:
        break;
    }
    return 0;
}

/* Distance of the line from the origin, in lengthscales, at least: |a + t (b - a)| with t = -a.(b - a)/|b - a|^2 in
 * [0, 1], less what rounding of t makes of it. */
static double origin_distance(const rm2i_latent_kernel *k, const double *a, const double *b) {
    double along = 0, length2 = 0, rho2 = 0;
    for (size_t q = 0; q < k->dim; q++) {
        double l = k->lengthscale[q], step = (b[q] - a[q]) / l;
        along -= a[q] / l * step;
        length2 += step * step;
    }
    if (!isfinite(length2))
        return 0;
    double t = length2 > 0 ? fmin(fmax(along / length2, 0), 1) : 0;
    for (size_t q = 0; q < k->dim; q++)
        rho2 += pow((a[q] + t * (b[q] - a[q])) / k->lengthscale[q], 2);
    return sqrt(rho2) - 8 * DBL_EPSILON * sqrt(length2);
}

double rm2i_position_bow(const rm2i_position *y, const double *a, const double *b) {
    const rm2i_latent_kernel *k = &y->p->gp.kernel;
    double bow = y->norm * kernel_bow(k, a, b), away = origin_distance(k, a, b) - y->radius;
    if (!(away > 0))
        return bow;
    return fmin(bow, 2 * y->mass * k->variance * rm2i_latent_shape_at(k->kind, away * away).k);
}

double rm2i_position_most_deviation(const rm2i_position *y, const rm2i_position_end *a,
                                    const rm2i_position_end *b) {
    const rm2i_latent_kernel *k = &y->p->gp.kernel;
    double prior = fmax(rm2i_latent_variance_at(k, a->x), rm2i_latent_variance_at(k, b->x));
    return fmin(fmax(a->deviation, b->deviation) + y->root * kernel_bow(k, a->x, b->x),
                y->root * sqrt(prior));
}
