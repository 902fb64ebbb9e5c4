/* Properties of the exponential map seen from its coordinates: dExp, the metric G, its derivative
 * and its volume, against finite differences and each other.
 *
 * Differences have five points, (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12h, with h = eps^(1/5): the
 * neglected term h^4 f^(5)/30 and the rounding eps/h are then both near 3e-13 for functions of size
 * one. The condition of the points of a trial, below 1e2, and the sums over the entries multiply
 * that: hence the bound 1e-9. Properties of G alone see no base point and keep full precision. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "manifold/selftest.h"

static const double STEP = 7.4e-4; /* DBL_EPSILON^(1/5) */

/* A function of coordinates; `out` has as many doubles as the caller of differentiate says. */
typedef rm2_status (*coords_fn)(rm2i_selftest_trial *t, const double *c, double *out);

static rm2_status exponential(rm2i_selftest_trial *t, const double *c, double *out) {
    return rm2i_manifold_exp(t->m, t->frame, c, out, t->work, NULL);
}

/* out = G(c) w */
static rm2_status metric_on(rm2i_selftest_trial *t, const double *c, const double *w, double *out) {
    return rm2i_manifold_metric(t->m, c, &(rm2_product_query){1, w, out, t->m->dim}, t->work, NULL);
}

/* out = dG(c)[z] w */
static rm2_status derivative_on(rm2i_selftest_trial *t, const double *c, const double *z,
                                const double *w, double *out) {
    const rm2_product_query one = {1, w, out, t->m->dim};
    return rm2i_manifold_metric_derivative(t->m, c, z, &one, t->work, NULL);
}

static rm2_status metric_on_w(rm2i_selftest_trial *t, const double *c, double *out) {
    return metric_on(t, c, t->w, out);
}

/* out = d/ds f(c + s z) at s = 0, `size` doubles; overwrites c3 and batch_1. */
static rm2_status differentiate(rm2i_selftest_trial *t, coords_fn f, size_t size, const double *c,
                                const double *z, double *out) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    memset(out, 0, size * sizeof *out);
    for (int k = 0; k < 4; k++) {
        memcpy(t->c3, c, t->m->dim * sizeof *c);
        rm2i_axpy(t->m->dim, at[k] * STEP, z, t->c3);
        RM2_TRY(f(t, t->c3, t->batch_1));
        rm2i_axpy(size, weight[k] / (12 * STEP), t->batch_1, out);
    }
    return RM2_OK;
}

/* out = d/ds Exp(c + s z), in the coordinates of a frame at the end point */
static rm2_status difference_of_exp(rm2i_selftest_trial *t, const double *c, const double *z,
                                    const double *frame_end, double *out) {
    RM2_TRY(differentiate(t, exponential, t->m->ambient, c, z, t->x2));
    rm2i_manifold_to_coords(t->m, frame_end, t->x2, out, t->work);
    return RM2_OK;
}

static void set_zero(const rm2i_selftest_trial *t, double *c) {
    memset(c, 0, t->m->dim * sizeof *c);
}

/* ---- dExp ----------------------------------------------------------------------------------- */

/* d/ds Exp_p(s w) at s = 0 has the coordinates w */
static rm2_status frame_is_dexp_at_zero(rm2i_selftest_trial *t, double *error) {
    set_zero(t, t->c2);
    RM2_TRY(difference_of_exp(t, t->c2, t->w, t->frame, t->c1));
    *error = rm2i_trial_coords_error(t, t->c1, t->w);
    return RM2_OK;
}

/* dExp(c) w = d/ds Exp_p(c + s w) */
static rm2_status dexp_is_derivative(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(rm2i_manifold_dexp(t->m, t->frame, t->c, t->w, t->x1, t->work, NULL));
    rm2i_manifold_to_coords(t->m, t->frame_y, t->x1, t->c1, t->work);
    RM2_TRY(difference_of_exp(t, t->c, t->w, t->frame_y, t->c2));
    *error = rm2i_trial_coords_error(t, t->c1, t->c2);
    return RM2_OK;
}

/* ---- G -------------------------------------------------------------------------------------- */

/* <G u, w> = <dExp u, dExp w> */
static rm2_status metric_is_pullback(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(difference_of_exp(t, t->c, t->u, t->frame_y, t->c1));
    RM2_TRY(difference_of_exp(t, t->c, t->w, t->frame_y, t->c2));
    double expected = rm2i_dot(t->m->dim, t->c1, t->c2);
    RM2_TRY(metric_on_w(t, t->c, t->c3));
    *error = rm2i_trial_number_error(rm2i_dot(t->m->dim, t->u, t->c3), expected);
    return RM2_OK;
}

/* <G u, w> = <u, G w> */
static rm2_status metric_symmetric(rm2i_selftest_trial *t, double *error) {
    size_t dim = t->m->dim;
    RM2_TRY(metric_on(t, t->c, t->u, t->c1));
    RM2_TRY(metric_on(t, t->c, t->w, t->c2));
    *error = rm2i_trial_number_error(rm2i_dot(dim, t->c1, t->w), rm2i_dot(dim, t->u, t->c2));
    return RM2_OK;
}

/* G(c) c = c (Gauss) */
static rm2_status gauss_lemma(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(metric_on(t, t->c, t->c, t->c1));
    *error = rm2i_trial_coords_error(t, t->c1, t->c);
    return RM2_OK;
}

/* G(0) w = w */
static rm2_status metric_at_zero(rm2i_selftest_trial *t, double *error) {
    set_zero(t, t->c2);
    RM2_TRY(metric_on_w(t, t->c2, t->c1));
    *error = rm2i_trial_coords_error(t, t->c1, t->w);
    return RM2_OK;
}

/* G and dG[v] of u and w in one call and in each factor alone, bit for bit */
static rm2_status metric_of_product(rm2i_selftest_trial *t, double *error) {
    const rm2_manifold *m = t->m;
    size_t dim = m->dim;
    double *W = t->batch_p, *G = t->batch_1, *dG = G + 2 * dim, *own = t->batch_2;
    memcpy(W, t->u, dim * sizeof *W);
    memcpy(W + dim, t->w, dim * sizeof *W);
    const rm2_product_query value = {2, W, G, dim}, derivative = {2, W, dG, dim};
    RM2_TRY(rm2i_manifold_metric(m, t->c, &value, t->work, NULL));
    RM2_TRY(rm2i_manifold_metric_derivative(m, t->c, t->v, &derivative, t->work, NULL));
    *error = 0;
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        size_t at = f->dim_offset, bytes = f->dim * sizeof *own;
        const rm2_product_query one = {1, t->w + at, own, f->dim};
        RM2_TRY(f->geometry->metric(f->n, t->c + at, &one, t->work));
        if (memcmp(own, G + dim + at, bytes) != 0)
            *error = 1;
        RM2_TRY(f->geometry->metric_derivative(f->n, t->c + at, t->v + at, &one, t->work));
        if (memcmp(own, dG + dim + at, bytes) != 0)
            *error = 1;
    }
    return RM2_OK;
}

/* ---- dG ------------------------------------------------------------------------------------- */

/* dG(c)[v] w = d/ds G(c + s v) w */
static rm2_status metric_derivative(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(derivative_on(t, t->c, t->v, t->w, t->c1));
    RM2_TRY(differentiate(t, metric_on_w, t->m->dim, t->c, t->v, t->c2));
    *error = rm2i_trial_coords_error(t, t->c1, t->c2);
    return RM2_OK;
}

/* <dG[v] u, w> = <u, dG[v] w> */
static rm2_status metric_derivative_symmetric(rm2i_selftest_trial *t, double *error) {
    size_t dim = t->m->dim;
    RM2_TRY(derivative_on(t, t->c, t->v, t->u, t->c1));
    RM2_TRY(derivative_on(t, t->c, t->v, t->w, t->c2));
    *error = rm2i_trial_number_error(rm2i_dot(dim, t->c1, t->w), rm2i_dot(dim, t->u, t->c2));
    return RM2_OK;
}

/* dG(0) = 0, as in all normal coordinates */
static rm2_status metric_derivative_at_zero(rm2i_selftest_trial *t, double *error) {
    set_zero(t, t->c2);
    RM2_TRY(derivative_on(t, t->c2, t->v, t->w, t->c1));
    *error = rm2i_max_abs(t->m->dim, t->c1);
    return RM2_OK;
}

/* w^T G w and w^T dG[z] w, several at once, against metric and metric_derivative */
static rm2_status norms_of_metric(rm2i_selftest_trial *t, double *error) {
    size_t dim = t->m->dim;
    double *W = t->batch_1, *Z = t->batch_2, value[2], derivative[4];
    memcpy(W, t->u, dim * sizeof *W);
    memcpy(W + dim, t->w, dim * sizeof *W);
    memcpy(Z, t->v, dim * sizeof *Z);
    memcpy(Z + dim, t->u, dim * sizeof *Z);
    const rm2_norms_query query = {2, W, 2, Z, dim, false, value, derivative};
    RM2_TRY(rm2i_manifold_metric_norms(t->m, t->c, &query, t->work, NULL));
    for (size_t k = 0; k < 2; k++) {
        const double *w = W + k * dim;
        RM2_TRY(metric_on(t, t->c, w, t->c1));
        value[k] -= rm2i_dot(dim, w, t->c1);
        for (size_t d = 0; d < 2; d++) {
            RM2_TRY(derivative_on(t, t->c, Z + d * dim, w, t->c1));
            derivative[2 * k + d] -= rm2i_dot(dim, w, t->c1);
        }
    }
    *error = fmax(rm2i_max_abs(2, value), rm2i_max_abs(4, derivative));
    return RM2_OK;
}

/* ---- volume --------------------------------------------------------------------------------- */

/* Half the log of det A; A's lower triangle is read, `factor` is overwritten. */
static rm2_status half_log_det(size_t n, const double *A, double *factor, double *value) {
    RM2_TRY(rm2i_cholesky(n, A, factor));
    *value = 0;
    for (size_t i = 0; i < n; i++)
        *value += log(factor[i * n + i]);
    return RM2_OK;
}

static void set_unit(const rm2i_selftest_trial *t, size_t i, double *c) {
    set_zero(t, c);
    c[i] = 1;
}

static rm2_status volume_error(rm2i_selftest_trial *t, double expected, double *error) {
    double value;
    RM2_TRY(rm2i_manifold_log_volume(t->m, t->c, &value, t->work, NULL));
    *error = rm2i_trial_number_error(value, expected);
    return RM2_OK;
}

/* log_volume = log(det G)/2 */
static rm2_status volume_of_metric(rm2i_selftest_trial *t, double *error) {
    size_t dim = t->m->dim;
    double expected;
    for (size_t i = 0; i < dim; i++) {
        set_unit(t, i, t->c1);
        RM2_TRY(metric_on(t, t->c, t->c1, t->gram + i * dim));
    }
    RM2_TRY(half_log_det(dim, t->gram, t->D, &expected));
    return volume_error(t, expected, error);
}

/* log_volume = log |det dExp|, dExp by differences: log(det D^T D)/2 */
static rm2_status volume_of_dexp(rm2i_selftest_trial *t, double *error) {
    size_t dim = t->m->dim;
    double expected;
    for (size_t i = 0; i < dim; i++) { /* row i of D = dExp e_i */
        set_unit(t, i, t->c1);
        RM2_TRY(difference_of_exp(t, t->c, t->c1, t->frame_y, t->D + i * dim));
    }
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j <= i; j++)
            t->gram[i * dim + j] = rm2i_dot(dim, t->D + i * dim, t->D + j * dim);
    RM2_TRY(half_log_det(dim, t->gram, t->D, &expected));
    return volume_error(t, expected, error);
}

const rm2i_property rm2i_metric_properties[] = {
    {"frame is the derivative of Exp at 0", 1e-9, frame_is_dexp_at_zero, false},
    {"dExp is the derivative of Exp", 1e-9, dexp_is_derivative, false},
    {"metric is dExp^T g dExp", 1e-9, metric_is_pullback, false},
    {"metric is symmetric", 1e-13, metric_symmetric, false},
    {"Gauss lemma: G(c) c = c", 1e-13, gauss_lemma, false},
    {"metric at 0 is the identity", 1e-14, metric_at_zero, false},
    {"metric of a product is its factors'", 0, metric_of_product, false},
    {"metric_derivative is the derivative of metric", 1e-9, metric_derivative, false},
    {"metric_derivative is symmetric", 1e-13, metric_derivative_symmetric, false},
    {"metric_derivative at 0 is 0", 1e-14, metric_derivative_at_zero, false},
    {"metric_norms are those of metric and its derivative", 1e-12, norms_of_metric, false},
    {"log_volume is half log det of the metric", 1e-11, volume_of_metric, true},
    {"log_volume is log |det dExp|", 1e-9, volume_of_dexp, true},
};
const size_t rm2i_metric_property_count =
    sizeof rm2i_metric_properties / sizeof rm2i_metric_properties[0];
