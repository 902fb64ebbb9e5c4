/* Curves in pieces, their lengths and energies: quadrature against polynomials, splines against the
 * definition, lengths against brute force, derivatives of the energy against differences, and the
 * order of the collocation against closed forms.
 *
 * Tolerances are rounding of sums of some tens of terms, 1e-12 of their size, where none is given. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "geodesic/arc.h"
#include "geodesic/newton.h"
#include "linalg/band.h"
#include "linalg/dense.h"
#include "metric_fixture.h"
#include "shared_context.h"

static bool close_to(double got, double want, double tolerance) {
    return fabs(got - want) <= tolerance * fmax(1, fabs(want)); /* false for NaN */
}

/* ---- quadrature ----------------------------------------------------------------------------- */

static void gauss_is_exact(void **state) {
    (void)state;
    for (size_t n = 1; n <= RM2I_RULE_MAX; n++) {
        rm2i_quadrature rule = rm2i_gauss_rule(n);
        for (size_t degree = 0; degree < 2 * n; degree++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += rule.weight[k] * pow(rule.node[k], (double)degree);
            assert_true(close_to(sum, 1 / (double)(degree + 1), 1e-14));
        }
    }
}

/* Interpolation of u^p by polynomials of degree >= p, with two derivatives. */
static void lagrange_reproduces(void **state) {
    (void)state;
    for (size_t points = 2; points <= 9; points++) {
        double node[RM2I_RULE_MAX], value[RM2I_RULE_MAX], slope[RM2I_RULE_MAX],
            second[RM2I_RULE_MAX];
        rm2i_lobatto_nodes(points, node);
        assert_true(node[0] == 0 && node[points - 1] == 1);
        for (size_t degree = 0; degree < points; degree++) {
            double u = 0.37, p = (double)degree, f[3] = {0, 0, 0};
            rm2i_lagrange(points, node, u, value, slope, second);
            for (size_t k = 0; k < points; k++) {
                double at = pow(node[k], p);
                f[0] += value[k] * at;
                f[1] += slope[k] * at;
                f[2] += second[k] * at;
            }
            assert_true(close_to(f[0], pow(u, p), 1e-13));
            assert_true(close_to(f[1], degree ? p * pow(u, p - 1) : 0, 1e-12));
            assert_true(close_to(f[2], degree > 1 ? p * (p - 1) * pow(u, p - 2) : 0, 1e-11));
        }
    }
}

/* Lobatto's inner nodes are the roots of P_n', where P_n is flat. */
static void lobatto_nodes(void **state) {
    (void)state;
    for (size_t points = 3; points <= 9; points++) {
        double node[RM2I_RULE_MAX], h = 1e-5;
        rm2i_lobatto_nodes(points, node);
        for (size_t k = 1; k + 1 < points; k++) {
            double up = rm2i_legendre(points - 1, node[k] + h);
            double down = rm2i_legendre(points - 1, node[k] - h);
            assert_true(fabs(up - down) / (2 * h) < 1e-6); /* h^2 times the third derivative */
        }
    }
}

/* ---- pieces --------------------------------------------------------------------------------- */

enum { Q = 2 };

static rm2i_pieces *random_pieces(size_t intervals, size_t degree, double size, uint64_t seed) {
    rm2i_pieces *p = NULL;
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    assert_int_equal(rm2i_pieces_create(ctx, Q, intervals, degree, &p), RM2_OK);
    for (size_t k = 0; k < p->count; k++) { /* from (0, 1) to (2, 1.5), wavering */
        double t = rm2i_pieces_site(p, k);
        p->coef[k * Q] = 2 * t + size * rm2_rng_normal(&rng);
        p->coef[k * Q + 1] = 1 + 0.5 * t + size * rm2_rng_normal(&rng);
    }
    rm2i_pieces_interpolate(p);
    return p;
}

static void spline_is_natural(void **state) {
    (void)state;
    for (size_t K = 2; K <= 40; K += K < 5 ? 1 : 7) {
        rm2i_pieces *p = random_pieces(K, RM2I_SPLINE, 1, K), *values = NULL;
        double x[Q], a[2][Q], v[2][Q], y[2][Q];
        values = random_pieces(K, 1, 1, K); /* the same numbers, as a polygon */
        for (size_t i = 0; i <= K; i++) {
            rm2i_pieces_at(p, p->breaks[i], x, NULL, a[0]);
            for (size_t q = 0; q < Q; q++) {
                assert_true(close_to(x[q], values->coef[i * Q + q], 1e-12));
                if (i == 0 || i == K)
                    assert_true(fabs(a[0][q]) < 1e-9 * (double)(K * K));
            }
        }
        for (size_t i = 1; i < K; i++) { /* from both sides of a knot */
            rm2i_local local;
            for (size_t side = 0; side < 2; side++) {
                rm2i_pieces_basis(p, i - side, (double)side, &local);
                rm2i_pieces_sum(p, &local, y[side], v[side], a[side]);
            }
            for (size_t q = 0; q < Q; q++) {
                assert_true(close_to(y[0][q], y[1][q], 1e-12));
                assert_true(fabs(v[0][q] - v[1][q]) < 1e-12 * (double)(K * K));
                assert_true(fabs(a[0][q] - a[1][q]) < 1e-11 * (double)(K * K));
            }
        }
        rm2i_pieces_free(p);
        rm2i_pieces_free(values);
    }
}

/* Elements of degree s, also on unequal intervals, are any polynomial of that degree. */
static void elements_are_polynomials(void **state) {
    (void)state;
    for (size_t degree = 1; degree <= 8; degree++) {
        rm2i_pieces *p = NULL;
        assert_int_equal(rm2i_pieces_create(ctx, 1, 3, degree, &p), RM2_OK);
        p->breaks[1] = 0.1;
        p->breaks[2] = 0.65;
        double s = (double)degree;
        for (size_t k = 0; k < p->count; k++)
            p->coef[k] = pow(rm2i_pieces_site(p, k), s);
        for (int i = 0; i <= 20; i++) {
            double t = i / 20.0, x, v, a;
            rm2i_pieces_at(p, t, &x, &v, &a);
            assert_true(close_to(x, pow(t, s), 1e-13));
            assert_true(close_to(v, s * pow(t, s - 1), 1e-11));
            assert_true(close_to(a, degree > 1 ? s * (s - 1) * pow(t, s - 2) : 0, 1e-9));
        }
        rm2i_pieces_free(p);
    }
}

/* ---- lengths -------------------------------------------------------------------------------- */

/* By sums over many small steps, up to time t. */
static double brute_length(const rm2_metric *metric, const rm2i_pieces *p, double t) {
    enum { STEPS = 20000 };
    double sum = 0;
    for (size_t i = 0; i < STEPS; i++) {
        double x[Q], v[Q], G[Q * Q];
        rm2i_pieces_at(p, t * ((double)i + 0.5) / STEPS, x, v, NULL);
        assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, NULL), RM2_OK);
        sum += sqrt(rm2i_metric_inner(Q, G, v, v)) * t / STEPS;
    }
    return sum;
}

static void lengths_and_times(void **state) {
    (void)state;
    rm2_metric *metric = NULL;
    rm2i_evaluator evaluator;
    assert_int_equal(rm2_metric_analytic(ctx, "half_plane", 2, &metric), RM2_OK);
    assert_int_equal(rm2i_evaluator_begin(ctx, metric, 1, &evaluator), RM2_OK);
    const size_t degrees[] = {RM2I_SPLINE, 1, 4};
    const double size[] = {0.02, 0.02, 0.002}; /* more nodes waver more */
    for (size_t i = 0; i < 3; i++) {
        rm2i_pieces *p = random_pieces(7, degrees[i], size[i], 3), *even = NULL;
        rm2i_arc *arc = NULL;
        assert_int_equal(rm2i_arc_create(ctx, &evaluator, p, 6, &arc), RM2_OK);
        /* sums over 20000 steps err by 1e-8, but by a step for every jump of the speed; 6 Gauss
         * points by less */
        double tolerance = degrees[i] == RM2I_SPLINE ? 1e-6 : 5e-4;
        assert_true(fabs(arc->length - brute_length(metric, p, 1)) < tolerance);
        for (int k = 0; k <= 4; k++) {
            double s = k / 4.0, t = rm2i_arc_time(arc, s);
            assert_true(fabs(brute_length(metric, p, t) - s * arc->length) < tolerance);
        }
        /* made even, times and lengths agree but for the new pieces' own error */
        assert_int_equal(rm2i_pieces_create(ctx, Q, 64, 4, &even), RM2_OK);
        rm2i_arc_resample(arc, even);
        rm2i_arc *after = NULL;
        assert_int_equal(rm2i_arc_create(ctx, &evaluator, even, 6, &after), RM2_OK);
        for (size_t k = 0; k <= 64; k++)
            assert_true(fabs(after->at[k] / after->length - (double)k / 64) < 2e-2);
        rm2i_arc_free(after);
        rm2i_arc_free(arc);
        rm2i_pieces_free(even);
        rm2i_pieces_free(p);
    }
    rm2i_evaluator_end(&evaluator);
    rm2_metric_free(metric);
}

/* ---- derivatives of the energy -------------------------------------------------------------- */

/* E(c + h d) - E(c) - h E' d - h^2/2 d^T E'' d, in the direction of random numbers. */
typedef struct taylor {
    rm2i_energy *energy;
    rm2i_sample sample;
    double *direction, *gradient, *bend, *H, *K, *memory;
} taylor;

static void lay_out_taylor(void *arg, rm2i_arena *a) {
    taylor *t = arg;
    size_t n = t->energy->unknowns, width = t->energy->bandwidth + 1;
    t->sample = rm2i_sample_reserve(t->energy, a);
    t->direction = rm2i_reserve(a, double, n);
    t->gradient = rm2i_reserve(a, double, n);
    t->bend = rm2i_reserve(a, double, t->energy->points, Q, Q);
    t->H = rm2i_reserve(a, double, n, width);
    t->K = rm2i_reserve(a, double, n, width);
}

static void taylor_begin(rm2i_evaluator *evaluator, const rm2i_pieces *p, size_t points,
                         taylor *t) {
    assert_int_equal(rm2i_energy_create(ctx, evaluator, p, points, &t->energy), RM2_OK);
    assert_int_equal(rm2i_arena_calloc(ctx, lay_out_taylor, t, &t->memory), RM2_OK);
    rm2_rng rng;
    rm2_rng_seed(&rng, 7);
    for (size_t i = 0; i < t->energy->unknowns; i++)
        t->direction[i] = rm2_rng_normal(&rng);
}

static double energy_at(rm2i_pieces *p, taylor *t, double h) {
    rm2i_axpy(t->energy->unknowns, h, t->direction, p->coef + Q);
    assert_int_equal(rm2i_energy_at(t->energy, true, &t->sample), RM2_OK);
    rm2i_axpy(t->energy->unknowns, -h, t->direction, p->coef + Q);
    return t->sample.energy;
}

/* p^T K p is twice the squared norm of the variation's velocity. */
static void check_kinetic(const rm2i_pieces *p, const taylor *t) {
    const rm2i_energy *e = t->energy;
    double want = 0;
    for (size_t k = 0; k < e->points; k++) {
        const rm2i_local *local = &e->local[k];
        double v[Q] = {0, 0};
        for (size_t f = 0; f < local->functions; f++) {
            size_t a = local->first + f;
            if (a > 0 && a + 1 < p->count)
                rm2i_axpy(Q, local->slope[f], t->direction + (a - 1) * Q, v);
        }
        want += 2 * e->weight[k] * rm2i_metric_inner(Q, t->sample.G + k * Q * Q, v, v);
    }
    double got = rm2i_band_form(e->unknowns, e->bandwidth, t->K, t->direction);
    assert_true(fabs(got - want) < 1e-12 * want);
}

static void check_taylor(rm2i_evaluator *evaluator, size_t degree, size_t points) {
    rm2i_pieces *p = random_pieces(6, degree, 0.02, 11);
    taylor t;
    taylor_begin(evaluator, p, points, &t);
    double f = energy_at(p, &t, 0);
    rm2i_energy_gradient(t.energy, &t.sample, t.gradient);
    assert_int_equal(rm2i_energy_bend(t.energy, &t.sample, t.bend), RM2_OK);
    rm2i_energy_hessian(t.energy, &t.sample, t.bend, t.H, t.K);
    check_kinetic(p, &t);
    size_t n = t.energy->unknowns;
    double slope = rm2i_dot(n, t.gradient, t.direction);
    double curvature = rm2i_band_form(n, t.energy->bandwidth, t.H, t.direction);
    double first[2], second[2];
    for (size_t k = 0; k < 2; k++) {
        double h = k ? 1e-3 : 2e-3, e = energy_at(p, &t, h);
        first[k] = fabs(e - f - h * slope);
        second[k] = fabs(e - f - h * slope - 0.5 * h * h * curvature);
    }
    /* remainders of order h^2 and h^3: halving h divides them by 4 and 8, up to higher orders */
    assert_true(first[0] / first[1] > 3.5 && first[0] / first[1] < 4.5);
    assert_true(second[0] / second[1] > 6.5 && second[0] / second[1] < 9.5);
    free(t.memory);
    rm2i_energy_free(t.energy);
    rm2i_pieces_free(p);
}

static void energy_derivatives(void **state) {
    (void)state;
    hills h = make_hills(5, 1.5, 3, 0.5);
    rm2_metric *metrics[2] = {NULL, NULL};
    assert_int_equal(rm2_metric_analytic(ctx, "half_plane", 2, &metrics[0]), RM2_OK);
    assert_int_equal(rm2_metric_from_function(ctx, 2, hills_at, &h, "hills", &metrics[1]), RM2_OK);
    for (size_t i = 0; i < 2; i++) {
        rm2i_evaluator evaluator;
        assert_int_equal(rm2i_evaluator_begin(ctx, metrics[i], 1, &evaluator), RM2_OK);
        check_taylor(&evaluator, RM2I_SPLINE, 3);
        check_taylor(&evaluator, 1, 2);
        check_taylor(&evaluator, 6, 6);
        rm2i_evaluator_end(&evaluator);
        rm2_metric_free(metrics[i]);
    }
}

/* ---- collocation ---------------------------------------------------------------------------- */

/* Least energy of elements between two points of the half plane, with as many points as degrees. */
static double least_energy(rm2i_evaluator *evaluator, size_t elements, size_t degree) {
    rm2i_pieces *p = random_pieces(elements, degree, 0, 1);
    rm2i_newton *newton = NULL;
    bool moved = true;
    assert_int_equal(rm2i_newton_create(ctx, evaluator, p, degree, &newton), RM2_OK);
    while (moved && newton->step > 1e-9)
        assert_int_equal(rm2i_newton_step(newton, 0, &moved), RM2_OK);
    double energy = newton->now.energy;
    assert_true(newton->iterations < 12);
    rm2i_newton_free(newton);
    rm2i_pieces_free(p);
    return energy;
}

/* The energy is the squared distance but for an error of order 2s. */
static void order_of_collocation(void **state) {
    (void)state;
    rm2_metric *metric = NULL;
    rm2i_evaluator evaluator;
    assert_int_equal(rm2_metric_analytic(ctx, "half_plane", 2, &metric), RM2_OK);
    assert_int_equal(rm2i_evaluator_begin(ctx, metric, 1, &evaluator), RM2_OK);
    double d = acosh(1 + (4 + 0.25) / (2 * 1.5)); /* from (0, 1) to (2, 1.5) */
    for (size_t degree = 1; degree <= 3; degree++) {
        double coarse = fabs(least_energy(&evaluator, 8, degree) - d * d);
        double fine = fabs(least_energy(&evaluator, 16, degree) - d * d);
        double want = pow(4, (double)degree); /* 2^(2s) */
        assert_true(fine > 1e-13 && coarse / fine > 0.85 * want && coarse / fine < 1.15 * want);
    }
    assert_true(fabs(least_energy(&evaluator, 8, 6) - d * d) < 1e-12);
    rm2i_evaluator_end(&evaluator);
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss_is_exact),
        cmocka_unit_test(lagrange_reproduces),
        cmocka_unit_test(lobatto_nodes),
        cmocka_unit_test(spline_is_natural),
        cmocka_unit_test(elements_are_polynomials),
        cmocka_unit_test(lengths_and_times),
        cmocka_unit_test(energy_derivatives),
        cmocka_unit_test(order_of_collocation),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
