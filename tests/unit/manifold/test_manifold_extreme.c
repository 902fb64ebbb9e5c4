/* Manifolds where formulas degenerate: zero steps, equal eigenvalues, cut loci, huge and tiny
 * scales, ill-conditioned matrices, numbers that are not finite, points that are not on the
 * manifold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_fixture.h"
#include "front/base.h"
#include "linalg/dense.h"

enum { AMBIENT = 256, DIM = 128 }; /* room for SPD15 */
static const double PI = 3.14159265358979323846;

static rm2_manifold *make_spd(rm2_context *ctx, size_t n) {
    char spec[16];
    (void)snprintf(spec, sizeof spec, "SPD%zu", n);
    return make_manifold(ctx, spec);
}

static void assert_small(double error, double bound, const char *what, double at) {
    if (!(error <= bound))
        fail_msg("%s at %g: %g > %g", what, at, error, bound);
}

static double largest_difference(size_t n, const double *a, const double *b) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double off = fabs(a[i] - b[i]);
        worst = isnan(off) ? INFINITY : fmax(worst, off);
    }
    return worst;
}

static void random_unit(rm2_context *ctx, size_t n, double *c) {
    for (size_t i = 0; i < n; i++)
        c[i] = rm2_rng_normal(rm2_context_rng(ctx));
    double length = rm2i_norm(n, c);
    for (size_t i = 0; i < n; i++)
        c[i] /= length;
}

static const char *const all_specs[] = {
    "R1", "R3",   "S1",   "S2",   "S3",  "S9", "SO3",   "H1",
    "H5", "SPD1", "SPD2", "SPD7", "SE3", "T3", "SPD15", "R2 x SPD2 x H2"};
enum { SPECS = sizeof all_specs / sizeof all_specs[0] };

/* ---- no step at all ------------------------------------------------------------------------- */

/* Log_p(p) and d(p, p) are 0 exactly; Exp_p(0) is p to the rounding of one normalisation. */
static void zero_steps_are_exact(void **state) {
    rm2_context *ctx = *state;
    for (size_t k = 0; k < SPECS; k++) {
        rm2_manifold *m = make_manifold(ctx, all_specs[k]);
        double p[AMBIENT], y[AMBIENT], v[AMBIENT], c[DIM], d = 1;
        for (int trial = 0; trial < 20; trial++) {
            assert_int_equal(rm2_manifold_random(ctx, m, 1, p), RM2_OK);
            assert_int_equal(rm2_manifold_log_coords(ctx, m, 1, p, 1, p, c), RM2_OK);
            assert_int_equal(rm2_manifold_log(ctx, m, 1, p, 1, p, v), RM2_OK);
            assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, p, &d), RM2_OK);
            assert_true(rm2i_max_abs(rm2_manifold_dim(m), c) == 0);
            assert_true(rm2i_max_abs(rm2_manifold_ambient(m), v) == 0);
            assert_true(d == 0);
            assert_int_equal(rm2_manifold_exp(ctx, m, 1, p, 1, v, y), RM2_OK);
            assert_true(largest_difference(rm2_manifold_ambient(m), p, y) <= 2 * DBL_EPSILON);
        }
        rm2_manifold_free(m);
    }
}

/* Steps of 1e-8 to 1e-300 from the default point come back: |Log(Exp(c)) - c| is the rounding of
 * the point, eps of size one (twice on SO(3), whose coordinates are twice the quaternion's). */
static void tiny_steps_come_back(void **state) {
    rm2_context *ctx = *state;
    for (size_t k = 0; k < SPECS; k++) {
        rm2_manifold *m = make_manifold(ctx, all_specs[k]);
        size_t dim = rm2_manifold_dim(m);
        double p[AMBIENT], y[AMBIENT], c[DIM], back[DIM];
        rm2_manifold_default_point(m, p);
        for (double size = 1e-8; size > 1e-300; size *= 1e-4) {
            random_unit(ctx, dim, c);
            for (size_t i = 0; i < dim; i++)
                c[i] *= size;
            assert_int_equal(rm2_manifold_exp_coords(ctx, m, 1, p, 1, c, y), RM2_OK);
            assert_int_equal(rm2_manifold_log_coords(ctx, m, 1, p, 1, y, back), RM2_OK);
            assert_small(largest_difference(dim, c, back), 4 * DBL_EPSILON, all_specs[k], size);
        }
        rm2_manifold_free(m);
    }
}

/* ---- equal eigenvalues ---------------------------------------------------------------------- */

/* Coordinates of Q^T diag(l) Q on SPD(n), Q random. */
static void coords_with_spectrum(rm2_context *ctx, size_t n, const double *l, double *c) {
    double Q[AMBIENT] = {0}, S[AMBIENT];
    for (size_t i = 0; i < n; i++) {
        double *row = Q + i * n;
        random_unit(ctx, n, row);
        for (int pass = 0; pass < 2; pass++) {
            for (size_t k = 0; k < i; k++)
                rm2i_axpy(n, -rm2i_dot(n, row, Q + k * n), Q + k * n, row);
            double length = rm2i_norm(n, row);
            for (size_t j = 0; j < n; j++)
                row[j] /= length;
        }
    }
    rm2i_weighted_gram(n, l, Q, S);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            *c++ = i == j ? S[i * n + j] : sqrt(2) * S[i * n + j];
}

/* d/ds G(c + s z) w by five points, h = 1e-3: error h^4/30 times the fifth derivative, which is
 * below 1e2 for spectra within 2, plus eps/h: 1e-11. */
static void difference_of_metric(rm2_context *ctx, const rm2_manifold *m, const double *c,
                                 const double *z, const double *w, double *out) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    size_t dim = rm2_manifold_dim(m);
    memset(out, 0, dim * sizeof *out);
    for (int k = 0; k < 4; k++) {
        double x[DIM], g[DIM];
        memcpy(x, c, dim * sizeof *x);
        rm2i_axpy(dim, at[k] * 1e-3, z, x);
        assert_int_equal(rm2_manifold_metric(ctx, m, 1, x, 1, w, g), RM2_OK);
        rm2i_axpy(dim, weight[k] / 12e-3, g, out);
    }
}

static void check_derivative(rm2_context *ctx, size_t n, const double *l, double label) {
    rm2_manifold *m = make_spd(ctx, n);
    size_t dim = rm2_manifold_dim(m);
    double c[DIM], z[DIM], w[DIM], dG[DIM], expected[DIM], near[DIM];
    coords_with_spectrum(ctx, n, l, c);
    random_unit(ctx, dim, z);
    random_unit(ctx, dim, w);
    assert_int_equal(rm2_manifold_metric_derivative(ctx, m, 1, c, z, 1, w, dG), RM2_OK);
    difference_of_metric(ctx, m, c, z, w, expected);
    assert_small(largest_difference(dim, dG, expected), 1e-10, "dG", label);
    random_unit(ctx, dim, near); /* dG moves by its derivative, of size one, times 1e-7 */
    for (size_t i = 0; i < dim; i++)
        near[i] = c[i] + 1e-7 * near[i];
    assert_int_equal(rm2_manifold_metric_derivative(ctx, m, 1, near, z, 1, w, expected), RM2_OK);
    assert_small(largest_difference(dim, dG, expected), 1e-6, "dG nearby", label);
    rm2_manifold_free(m);
}

static void coincident_eigenvalues(void **state) {
    static const double gaps[] = {0, 1e-15, 1e-12, 1e-8, 1e-5, 0.9e-3, 0.999e-3, 1.001e-3, 1.1e-3};
    for (size_t k = 0; k < sizeof gaps / sizeof gaps[0]; k++) {
        double g = gaps[k];
        check_derivative(*state, 2, (const double[]){0.7, 0.7 + g}, g);
        check_derivative(*state, 3, (const double[]){-1, 1, 1 + g}, g);
        check_derivative(*state, 4, (const double[]){1, 1 + g, -0.5, -0.5 - g}, g);
        check_derivative(*state, 4, (const double[]){1, 1 + g, 1 + 2 * g, 1 - g}, g);
        check_derivative(*state, 5, (const double[]){0, g, 2 * g, -g, -2 * g}, g);
    }
}

/* At multiples of the identity G = I, dG = 0 and the volume is 1, exactly. */
static void multiples_of_the_identity(void **state) {
    rm2_context *ctx = *state;
    for (size_t n = 1; n <= 5; n++) {
        rm2_manifold *m = make_spd(ctx, n);
        size_t dim = rm2_manifold_dim(m);
        static const double multiples[] = {0, 1, -3, 1e-200, 100};
        for (size_t k = 0; k < sizeof multiples / sizeof multiples[0]; k++) {
            double c[DIM] = {0}, z[DIM], w[DIM], out[DIM], volume;
            for (size_t i = 0, at = 0; i < n; at += n - i++)
                c[at] = multiples[k];
            random_unit(ctx, dim, z);
            random_unit(ctx, dim, w);
            assert_int_equal(rm2_manifold_metric(ctx, m, 1, c, 1, w, out), RM2_OK);
            assert_true(largest_difference(dim, out, w) <= 2 * DBL_EPSILON); /* sqrt 2 and back */
            assert_int_equal(rm2_manifold_metric_derivative(ctx, m, 1, c, z, 1, w, out), RM2_OK);
            assert_true(rm2i_max_abs(dim, out) == 0);
            assert_int_equal(rm2_manifold_log_volume(ctx, m, 1, c, &volume), RM2_OK);
            assert_true(volume == 0);
        }
        rm2_manifold_free(m);
    }
}

/* ---- cut locus ------------------------------------------------------------------------------ */

/* On S^n the point -cos(delta) p + sin(delta) u is pi - delta from p, in the direction u. Its
 * rounding, eps, moves the distance by as much and turns the direction by eps/delta. */
static void near_antipodes(void **state) {
    rm2_context *ctx = *state;
    static const char *const specs[] = {"S1", "S2", "S3", "S9"};
    static const double deltas[] = {1e-3, 1e-6, 1e-9, 1e-11, 2e-12};
    for (size_t k = 0; k < 4; k++)
        for (size_t t = 0; t < 20; t++) {
            rm2_manifold *m = make_manifold(ctx, specs[k]);
            size_t D = rm2_manifold_ambient(m), dim = D - 1;
            double p[10], u[9], v[10], q[10], c[9], d;
            assert_int_equal(rm2_manifold_random(ctx, m, 1, p), RM2_OK);
            random_unit(ctx, dim, u);
            assert_int_equal(rm2_manifold_from_coords(ctx, m, 1, p, 1, u, v), RM2_OK);
            for (size_t j = 0; j < sizeof deltas / sizeof deltas[0]; j++) {
                double delta = deltas[j];
                for (size_t i = 0; i < D; i++)
                    q[i] = -cos(delta) * p[i] + sin(delta) * v[i];
                assert_int_equal(rm2_manifold_log_coords(ctx, m, 1, p, 1, q, c), RM2_OK);
                assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, q, &d), RM2_OK);
                double length = rm2i_norm(dim, c);
                assert_small(fabs(length - (PI - delta)), 8 * DBL_EPSILON, specs[k], delta);
                assert_small(fabs(d - (PI - delta)), 8 * DBL_EPSILON, specs[k], delta);
                for (size_t i = 0; i < dim; i++)
                    c[i] /= length;
                assert_small(largest_difference(dim, c, u), 8 * DBL_EPSILON / delta, specs[k],
                             delta);
            }
            for (size_t i = 0; i < D; i++)
                q[i] = -p[i];
            assert_int_equal(rm2_manifold_log(ctx, m, 1, p, 1, q, v), RM2_ERR_CUT_LOCUS);
            assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, q, &d), RM2_OK);
            assert_true(fabs(d - PI) <= 2 * DBL_EPSILON);
            rm2_manifold_free(m);
        }
}

/* Within 1e-12 of the cut locus: along the axes, where no rounding hides the distance to it. */
static void at_the_cut_locus(void **state) {
    rm2_context *ctx = *state;
    static const double deltas[] = {0, 1e-300, 1e-16, 1e-13, 9e-13};
    rm2_manifold *s2 = make_manifold(ctx, "S2"), *so3 = make_manifold(ctx, "SO3");
    for (size_t j = 0; j < sizeof deltas / sizeof deltas[0]; j++) {
        double p[4] = {1, 0, 0, 0}, v[4];
        double antipode[3] = {-1, sin(deltas[j]), 0};
        assert_int_equal(rm2_manifold_log(ctx, s2, 1, p, 1, antipode, v), RM2_ERR_CUT_LOCUS);
        double turn[4] = {sin(deltas[j] / 2), 0, 1, 0};
        assert_int_equal(rm2_manifold_log(ctx, so3, 1, p, 1, turn, v), RM2_ERR_CUT_LOCUS);
        turn[0] = -turn[0];
        assert_int_equal(rm2_manifold_log(ctx, so3, 1, p, 1, turn, v), RM2_ERR_CUT_LOCUS);
    }
    rm2_manifold_free(s2);
    rm2_manifold_free(so3);
}

/* p (sin(delta/2), cos(delta/2) u) turns by pi - delta about u. Seen on S^3 that is 90 degrees
 * away: length and direction keep all their digits. */
static void near_half_turns(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "SO3"), *s3 = make_manifold(ctx, "S3");
    static const double deltas[] = {1e-3, 1e-6, 1e-9, 1e-11, 2e-12};
    for (size_t t = 0; t < 50; t++)
        for (size_t j = 0; j < sizeof deltas / sizeof deltas[0]; j++) {
            double p[4], u[3], v[4], q[4], c[3], delta = deltas[j];
            assert_int_equal(rm2_manifold_random(ctx, m, 1, p), RM2_OK);
            random_unit(ctx, 3, u);
            assert_int_equal(rm2_manifold_from_coords(ctx, s3, 1, p, 1, u, v), RM2_OK);
            for (size_t i = 0; i < 4; i++)
                q[i] = sin(delta / 2) * p[i] + cos(delta / 2) * v[i];
            assert_int_equal(rm2_manifold_log_coords(ctx, m, 1, p, 1, q, c), RM2_OK);
            for (size_t i = 0; i < 3; i++)
                u[i] *= PI - delta;
            assert_small(largest_difference(3, c, u), 16 * DBL_EPSILON, "SO3", delta);
        }
    rm2_manifold_free(s3);
    rm2_manifold_free(m);
}

/* q and -q are one rotation: the same bits come out of log and distance. */
static void quaternion_signs_do_not_matter(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "SO3");
    for (size_t t = 0; t < 100; t++) {
        double p[4], q[4], minus_p[4], minus_q[4], c[3], other[3], d, d_other;
        assert_int_equal(rm2_manifold_random(ctx, m, 1, p), RM2_OK);
        assert_int_equal(rm2_manifold_random(ctx, m, 1, q), RM2_OK);
        for (size_t i = 0; i < 4; i++) {
            minus_p[i] = -p[i];
            minus_q[i] = -q[i];
        }
        assert_int_equal(rm2_manifold_log_coords(ctx, m, 1, p, 1, q, c), RM2_OK);
        assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, q, &d), RM2_OK);
        assert_true(rm2i_norm(3, c) <= PI);
        for (int which = 0; which < 3; which++) {
            const double *from = which == 0 ? p : minus_p, *to = which == 1 ? q : minus_q;
            assert_int_equal(rm2_manifold_log_coords(ctx, m, 1, from, 1, to, other), RM2_OK);
            assert_int_equal(rm2_manifold_distance(ctx, m, 1, from, 1, to, &d_other), RM2_OK);
            assert_memory_equal(c, other, sizeof c);
            assert_true(d == d_other);
        }
        assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, minus_p, &d), RM2_OK);
        assert_true(d == 0);
    }
    rm2_manifold_free(m);
}

/* ---- SPD at all scales ---------------------------------------------------------------------- */

/* Congruence by a multiple of the identity is an isometry: coordinates do not see the scale, up to
 * the rounding of the scaled entries times their condition (1e4 times 1e-16). */
static void scaled_matrices(void **state) {
    rm2_context *ctx = *state;
    static const size_t sizes[] = {1, 2, 3, 5};
    static const double scales[] = {1e-26, 1e26, 1e-100, 1e100};
    for (size_t k = 0; k < 4; k++)
        for (size_t s = 0; s < 4; s++) {
            size_t n = sizes[k];
            rm2_manifold *m = make_spd(ctx, n);
            size_t dim = rm2_manifold_dim(m), D = n * n;
            double p[25], q[25], y[25], c[15], scaled_c[15], d, scaled_d;
            assert_int_equal(rm2_manifold_random(ctx, m, 1, p), RM2_OK);
            assert_int_equal(rm2_manifold_random(ctx, m, 1, q), RM2_OK);
            assert_int_equal(rm2_manifold_log_coords(ctx, m, 1, p, 1, q, c), RM2_OK);
            assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, q, &d), RM2_OK);
            for (size_t i = 0; i < D; i++) {
                p[i] *= scales[s];
                q[i] *= scales[s];
            }
            assert_int_equal(rm2_manifold_log_coords(ctx, m, 1, p, 1, q, scaled_c), RM2_OK);
            assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, q, &scaled_d), RM2_OK);
            assert_small(largest_difference(dim, c, scaled_c), 1e-12, "coordinates", scales[s]);
            assert_small(fabs(d - scaled_d), 1e-12, "distance", scales[s]);
            assert_int_equal(rm2_manifold_exp_coords(ctx, m, 1, p, 1, scaled_c, y), RM2_OK);
            assert_small(largest_difference(D, y, q) / rm2i_max_abs(D, q), 1e-12, "Exp(Log)",
                         scales[s]);
            rm2_manifold_free(m);
        }
}

/* d(I, s I) = sqrt(n) |log s| */
static void far_multiples_of_the_identity(void **state) {
    rm2_context *ctx = *state;
    static const double scales[] = {1e-200, 1e-26, 1e26, 1e200};
    for (size_t n = 1; n <= 5; n++) {
        rm2_manifold *m = make_spd(ctx, n);
        for (size_t s = 0; s < 4; s++) {
            double p[25], q[25], d;
            rm2_manifold_default_point(m, p);
            for (size_t i = 0; i < n * n; i++)
                q[i] = scales[s] * p[i];
            assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, q, &d), RM2_OK);
            double expected = sqrt((double)n) * fabs(log(scales[s]));
            assert_small(fabs(d / expected - 1), 1e-14, "distance", scales[s]);
        }
        rm2_manifold_free(m);
    }
}

/* Random orientation, eigenvalues from 1 down to 1/condition in equal steps of their logarithm. */
static void ill_conditioned(rm2_context *ctx, size_t n, double condition, double *P) {
    double l[16] = {0}, c[DIM];
    for (size_t i = 0; i < n; i++)
        l[i] = n > 1 ? pow(condition, -(double)i / (double)(n - 1)) : 1;
    coords_with_spectrum(ctx, n, l, c);
    const double *at = c;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++, at++)
            P[i * n + j] = P[j * n + i] = i == j ? *at : *at / sqrt(2);
}

/* |Exp(Log q) - q| over q's largest entry, through coordinates or ambient vectors. */
static double round_trip(rm2_context *ctx, const rm2_manifold *m, const double *p, const double *q,
                         bool ambient) {
    double v[AMBIENT], y[AMBIENT];
    size_t D = rm2_manifold_ambient(m);
    if (ambient) {
        assert_int_equal(rm2_manifold_log(ctx, m, 1, p, 1, q, v), RM2_OK);
        assert_int_equal(rm2_manifold_exp(ctx, m, 1, p, 1, v, y), RM2_OK);
    } else {
        assert_int_equal(rm2_manifold_log_coords(ctx, m, 1, p, 1, q, v), RM2_OK);
        assert_int_equal(rm2_manifold_exp_coords(ctx, m, 1, p, 1, v, y), RM2_OK);
    }
    return largest_difference(D, y, q) / rm2i_max_abs(D, q);
}

/* Coordinates keep 1e-9 whatever the condition. An ambient tangent vector at an ill-conditioned
 * base cannot: it is rounded at eps of its largest entry, and whitening multiplies that by the
 * condition. Near the base the vector is small by itself and 1e-9 holds again. */
static void ill_conditioned_matrices(void **state) {
    rm2_context *ctx = *state;
    static const size_t sizes[] = {2, 3, 15};
    static const double conditions[] = {1e6, 1e9, 1e12};
    for (size_t k = 0; k < 3; k++)
        for (size_t j = 0; j < 3; j++)
            for (int trial = 0; trial < 20; trial++) {
                size_t n = sizes[k];
                double good[AMBIENT], P[AMBIENT], Q[AMBIENT], near[AMBIENT], c[DIM];
                double condition = conditions[j];
                rm2_manifold *m = make_spd(ctx, n);
                ill_conditioned(ctx, n, 10, good);
                ill_conditioned(ctx, n, condition, P);
                ill_conditioned(ctx, n, condition, Q);
                random_unit(ctx, rm2_manifold_dim(m), c);
                for (size_t i = 0; i < rm2_manifold_dim(m); i++)
                    c[i] *= 1e-2;
                assert_int_equal(rm2_manifold_exp_coords(ctx, m, 1, P, 1, c, near), RM2_OK);
                assert_small(round_trip(ctx, m, good, Q, false), 1e-9, "far point", condition);
                assert_small(round_trip(ctx, m, good, Q, true), 1e-9, "far, ambient", condition);
                assert_small(round_trip(ctx, m, P, near, false), 1e-9, "near", condition);
                assert_small(round_trip(ctx, m, P, near, true), 1e-9, "near, ambient", condition);
                assert_small(round_trip(ctx, m, P, Q, false), 1e-9, "both", condition);
                assert_small(round_trip(ctx, m, P, Q, true), 100 * DBL_EPSILON * condition,
                             "both, ambient", condition);
                rm2_manifold_free(m);
            }
}

static void exp_leaves_the_range(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "SPD2");
    double p[4] = {1, 0, 0, 1}, y[4];
    static const double far[][3] = {{800, 0, 0}, {0, 0, 1e4}, {1e308, 0, 0}, {-800, 0, -800}};
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(rm2_manifold_exp_coords(ctx, m, 1, p, 1, far[k], y), RM2_ERR_NUMERIC);
        assert_contains(rm2_context_error(ctx), "point 0, factor 1 (SPD2): numerical failure");
    }
    rm2_manifold_free(m);
}

/* ---- far away in hyperbolic space ----------------------------------------------------------- */

/* Log(Exp(c)) = c, or an error; never anything else. Base within 2 of the origin: the boost there
 * has condition e^4, and the logarithm turns a relative error of the point into an absolute one of
 * c. */
static void far_hyperbolic_points(void **state) {
    rm2_context *ctx = *state;
    static const char *const specs[] = {"H1", "H2", "H5"};
    static const double distances[] = {30, 100, 300, 350, 400, 700, 800, 1e4, 1e300};
    for (size_t k = 0; k < 3; k++)
        for (size_t j = 0; j < sizeof distances / sizeof distances[0]; j++)
            for (int trial = 0; trial < 20; trial++) {
                rm2_manifold *m = make_manifold(ctx, specs[k]);
                size_t dim = rm2_manifold_dim(m);
                double p[6], q[6], c[5], back[5], d;
                rm2_manifold_default_point(m, p);
                if (trial > 0) {
                    double start[6];
                    memcpy(start, p, sizeof start);
                    random_unit(ctx, dim, c);
                    assert_int_equal(rm2_manifold_exp_coords(ctx, m, 1, start, 1, c, p), RM2_OK);
                }
                random_unit(ctx, dim, c);
                for (size_t i = 0; i < dim; i++)
                    c[i] *= distances[j];
                rm2_status status = rm2_manifold_exp_coords(ctx, m, 1, p, 1, c, q);
                if (status == RM2_OK)
                    status = rm2_manifold_log_coords(ctx, m, 1, p, 1, q, back);
                if (status == RM2_OK) {
                    assert_small(largest_difference(dim, c, back) / distances[j], 1e-13, specs[k],
                                 distances[j]);
                    assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, q, &d), RM2_OK);
                    assert_small(fabs(d / distances[j] - 1), 1e-13, specs[k], distances[j]);
                }
                assert_true(status == RM2_OK || distances[j] > 300);
                rm2_manifold_free(m);
            }
}

/* Two points far from the origin on opposite sides. */
static void opposite_hyperbolic_points(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "H2");
    static const double distances[] = {10, 30, 100, 170};
    for (size_t j = 0; j < 4; j++) {
        double r = distances[j], d;
        double p[3] = {cosh(r), 0.6 * sinh(r), 0.8 * sinh(r)}, q[3] = {p[0], -p[1], -p[2]};
        assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, q, &d), RM2_OK);
        assert_small(fabs(d / (2 * r) - 1), 1e-14, "distance", r);
    }
    rm2_manifold_free(m);
}

/* ---- not a number, not on the manifold ------------------------------------------------------ */

/* One entry of p, q or v replaced; every call that reads it fails. */
static void check_not_finite(rm2_context *ctx, const rm2_manifold *m, size_t entry, double bad) {
    double p[AMBIENT], q[AMBIENT], v[AMBIENT], out[AMBIENT], small[AMBIENT], d;
    assert_int_equal(rm2_manifold_random(ctx, m, 1, p), RM2_OK);
    assert_int_equal(rm2_manifold_random(ctx, m, 1, q), RM2_OK);
    assert_int_equal(rm2_manifold_log(ctx, m, 1, p, 1, q, v), RM2_OK);
    for (size_t i = 0; i < rm2_manifold_ambient(m); i++)
        small[i] = 1e-6 * v[i];
    double *const where[] = {p, q, v};
    for (int k = 0; k < 3; k++) {
        double kept = where[k][entry];
        where[k][entry] = bad;
        if (k < 2) {
            assert_int_not_equal(rm2_manifold_log(ctx, m, 1, p, 1, q, out), RM2_OK);
            assert_int_not_equal(rm2_manifold_log_coords(ctx, m, 1, p, 1, q, out), RM2_OK);
            assert_int_not_equal(rm2_manifold_distance(ctx, m, 1, p, 1, q, &d), RM2_OK);
        }
        if (k != 1)
            assert_int_not_equal(rm2_manifold_exp(ctx, m, 1, p, 1, v, out), RM2_OK);
        if (k == 0)
            assert_int_not_equal(rm2_manifold_exp(ctx, m, 1, p, 1, small, out), RM2_OK);
        assert_contains(rm2_context_error(ctx), "point 0, factor ");
        where[k][entry] = kept;
    }
}

static void numbers_that_are_not_finite(void **state) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < SPECS; k++) {
        rm2_manifold *m = make_manifold(*state, all_specs[k]);
        size_t step = rm2_manifold_ambient(m) > 50 ? 7 : 1;
        for (size_t entry = 0; entry < rm2_manifold_ambient(m); entry += step)
            for (size_t b = 0; b < 3; b++)
                check_not_finite(*state, m, entry, bad[b]);
        rm2_manifold_free(m);
    }
}

static void indefinite_matrices(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "SPD2");
    static const double bad[][4] = {
        {1, 2, 2, 1}, {-1, 0, 0, -1}, {0, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, -1e-3}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        double good[12] = {2, 1, 1, 3, 2, 1, 1, 3, 2, 1, 1, 3}, mixed[12], out[12], d[3];
        memcpy(mixed, good, sizeof mixed);
        memcpy(mixed + 4, bad[k], sizeof bad[k]);
        assert_int_equal(rm2_manifold_log(ctx, m, 3, good, 3, mixed, out), RM2_ERR_DOMAIN);
        assert_contains(rm2_context_error(ctx), "point 1, factor 1 (SPD2): point is not on");
        assert_int_equal(rm2_manifold_log(ctx, m, 3, mixed, 3, good, out), RM2_ERR_DOMAIN);
        assert_contains(rm2_context_error(ctx), "point 1, factor 1 (SPD2): point is not on");
        assert_int_equal(rm2_manifold_distance(ctx, m, 3, good, 1, mixed, d), RM2_ERR_DOMAIN);
        assert_contains(rm2_context_error(ctx), "point 1, factor 1 (SPD2): point is not on");
        assert_int_equal(rm2_manifold_exp(ctx, m, 3, mixed, 3, good, out), RM2_ERR_DOMAIN);
        assert_contains(rm2_context_error(ctx), "point 1, factor 1 (SPD2): point is not on");
    }
    rm2_manifold_free(m);
}

static void lower_sheet_of_the_hyperboloid(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "H2");
    double p[3] = {1, 0, 0}, below[3] = {-1, 0, 0}, out[3], d;
    assert_int_equal(rm2_manifold_log(ctx, m, 1, p, 1, below, out), RM2_ERR_DOMAIN);
    assert_int_equal(rm2_manifold_log(ctx, m, 1, below, 1, p, out), RM2_ERR_DOMAIN);
    assert_int_equal(rm2_manifold_distance(ctx, m, 1, p, 1, below, &d), RM2_ERR_DOMAIN);
    rm2_manifold_free(m);
}

/* ---- defect and projection ------------------------------------------------------------------ */

typedef struct point_case {
    const char *spec;
    double x[4];
    double defect;  /* expected, to 1e-3 of itself or 4 eps */
    bool projected; /* a nearest point exists */
    double y[4];    /* that point, to 4 eps */
} point_case;

static void defects_and_projections(void **state) {
    rm2_context *ctx = *state;
    static const point_case cases[] = {
        {"R2", {3, -4}, 0, true, {3, -4}},
        {"R2", {NAN, 0}, INFINITY, false, {0}},
        {"R2", {INFINITY, 0}, INFINITY, false, {0}},
        {"S2", {0.6, 0, 0.8}, 0, true, {0.6, 0, 0.8}},
        {"S2", {0.6e-3, 0, 0.8e-3}, 0.999, true, {0.6, 0, 0.8}},
        {"S2", {0.6e200, 0, 0.8e200}, 1e200, true, {0.6, 0, 0.8}},
        {"S2", {0.6e-200, 0, 0.8e-200}, 1, true, {0.6, 0, 0.8}},
        {"S2", {0, 0, 0}, 1, false, {0}},
        {"S2", {1, NAN, 0}, INFINITY, false, {0}},
        {"S2", {INFINITY, 0, 0}, INFINITY, false, {0}},
        {"SO3", {0, 0, 0, -2}, 1, true, {0, 0, 0, -1}},
        {"SO3", {0, 0, 0, 0}, 1, false, {0}},
        {"H2", {1, 0, 0}, 0, true, {1, 0, 0}},
        {"H2", {1.01, 0, 0}, 0.01, true, {1, 0, 0}},
        {"H2", {1e-9, 0, 0}, 1, true, {1, 0, 0}},
        {"H1", {2, 0.75}, 0.6, true, {1.25, 0.75}},
        {"H2", {-1, 0, 0}, 2, false, {0}},
        {"H2", {0, 0, 0}, 1, false, {0}},
        {"H2", {1, NAN, 0}, INFINITY, false, {0}},
        {"H2", {INFINITY, 0, 0}, INFINITY, false, {0}},
        {"SPD2", {2, 1, 1, 2}, 0, true, {2, 1, 1, 2}},
        {"SPD2", {2, 1, 1.5, 2}, 0.25, true, {2, 1.25, 1.25, 2}},
        {"SPD2", {1, 0, 0, -1e-9}, 1e-9, true, {1, 0, 0, 1e-12}},
        {"SPD2", {1, 1e-8, 0, -1e-9}, 1e-8, true, {1, 5e-9, 5e-9, 1e-12}},
        {"SPD2", {1, 0, 0, 0}, 1e-16, true, {1, 0, 0, 1e-12}},
        {"SPD2", {1, 2, 2, 1}, 0.5, true, {1.5, 1.5, 1.5, 1.5}},
        {"SPD2", {0, 0, 0, 0}, 1, false, {0}},
        {"SPD2", {-1, 0, 0, -2}, 1, false, {0}},
        {"SPD2", {1, NAN, 0, 1}, INFINITY, false, {0}},
        {"SPD2", {INFINITY, 0, 0, 1}, INFINITY, false, {0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const point_case *t = &cases[k];
        rm2_manifold *m = make_manifold(ctx, t->spec);
        double defect, y[4], again[4];
        size_t D = rm2_manifold_ambient(m);
        assert_int_equal(rm2_manifold_defect(ctx, m, 1, t->x, &defect), RM2_OK);
        if (!(defect == t->defect || fabs(defect - t->defect) <= 1e-3 * t->defect ||
              (t->defect == 0 && defect <= 4 * DBL_EPSILON)))
            fail_msg("case %zu (%s): defect %g instead of %g", k, t->spec, defect, t->defect);
        rm2_status status = rm2_manifold_project(ctx, m, 1, t->x, y);
        assert_int_equal(status, t->projected ? RM2_OK : RM2_ERR_DOMAIN);
        if (t->projected) {
            assert_small(largest_difference(D, y, t->y), 1e-11, t->spec, (double)k);
            assert_int_equal(rm2_manifold_defect(ctx, m, 1, y, &defect), RM2_OK);
            assert_small(defect, 4 * DBL_EPSILON, t->spec, (double)k);
            assert_int_equal(rm2_manifold_project(ctx, m, 1, y, again), RM2_OK);
            assert_small(largest_difference(D, y, again), 2 * DBL_EPSILON, t->spec, (double)k);
        }
        rm2_manifold_free(m);
    }
}

/* One defect a factor. */
static void defects_of_products(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R1 x S1 x H1");
    double x[10] = {5, 1, 0, 1, 0, 5, 1.5, 0, 1.25, 0}, y[10], defect[6];
    const double expected[6] = {0, 0, 0, 0, 0.5, 0.25};
    assert_int_equal(rm2_manifold_defect(ctx, m, 2, x, defect), RM2_OK);
    assert_memory_equal(defect, expected, sizeof defect);
    x[6] = x[7] = 0;
    assert_int_equal(rm2_manifold_project(ctx, m, 2, x, y), RM2_ERR_DOMAIN);
    assert_contains(rm2_context_error(ctx), "point 1, factor 2 (S1): point is not on the manifold");
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(zero_steps_are_exact),
        WITH_CONTEXT(tiny_steps_come_back),
        WITH_CONTEXT(coincident_eigenvalues),
        WITH_CONTEXT(multiples_of_the_identity),
        WITH_CONTEXT(near_antipodes),
        WITH_CONTEXT(at_the_cut_locus),
        WITH_CONTEXT(near_half_turns),
        WITH_CONTEXT(quaternion_signs_do_not_matter),
        WITH_CONTEXT(scaled_matrices),
        WITH_CONTEXT(far_multiples_of_the_identity),
        WITH_CONTEXT(ill_conditioned_matrices),
        WITH_CONTEXT(exp_leaves_the_range),
        WITH_CONTEXT(far_hyperbolic_points),
        WITH_CONTEXT(opposite_hyperbolic_points),
        WITH_CONTEXT(numbers_that_are_not_finite),
        WITH_CONTEXT(indefinite_matrices),
        WITH_CONTEXT(lower_sheet_of_the_hyperboloid),
        WITH_CONTEXT(defects_and_projections),
        WITH_CONTEXT(defects_of_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
