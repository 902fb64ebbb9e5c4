/* The restricted evidence with the output covariance integrated out: against a numerical integral over the
 * covariance for 4 points and 2 outputs, derivatives against central differences, sizes with more outputs
 * than points; the restricted likelihood of latents against its definition by dense matrices.
 *
 * Tolerances. Integral: the trapezoidal rule on functions that decay exponentially at both ends is exact
 * to the tails that are cut off, below 1e-9. Differences over h have an error of h^2 f'''/6 + eps |f|/h:
 * with h = 1e-5 below 1e-8 of the size of f. Dense formulas: conditions up to 1e4 times eps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dense_evidence.h"
#include "gp/evidence.h"
#include "gp/restricted.h"
#include "shared_context.h"

static rm2i_evidence *evidence_of(const rm2i_evidence_data *d) {
    rm2i_evidence *ev;
    assert_int_equal(rm2i_evidence_create(ctx, d, &ev), RM2_OK);
    return ev;
}

static double value_of(rm2i_evidence *ev, rm2i_evidence_at at) {
    double value;
    assert_int_equal(rm2i_evidence_value(ev, &at, &value, NULL), RM2_OK);
    return value;
}

/* ---- the integral over the covariance ------------------------------------------------------- */

/* S = Z^T A^-1 Z and log|A| of the restricted outputs Z = U^T F, A = U^T K U + I. */
static double restricted_products(const rm2i_evidence_data *d, double g, double l, double S[3]) {
    size_t N = d->N, n;
    double U[16], A[16], inverse[16], Z[8] = {0};
    n = complement(N, d->Q, d->X, U);
    assert_int_equal(n, 2);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            A[a * n + b] = a == b;
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < N; j++)
                    A[a * n + b] += U[i * n + a] * U[j * n + b] *
                                    kernel(d->kind, d->Q, d->X + i * d->Q, d->X + j * d->Q, g, l);
        }
    double log_det = invert(n, A, inverse);
    for (size_t a = 0; a < n; a++)
        for (size_t m = 0; m < 2; m++)
            for (size_t i = 0; i < N; i++)
                Z[a * 2 + m] += U[i * n + a] * d->F[m * N + i];
    for (size_t k = 0; k < 3; k++) {
        size_t p = k == 2, q = k > 0; /* (0,0), (0,1), (1,1) */
        S[k] = 0;
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                S[k] += Z[a * 2 + p] * inverse[a * n + b] * Z[b * 2 + q];
    }
    return log_det;
}

/* log of the integral of N(Z; 0, Kf (x) A) over Kf^-1 = T T^T ~ Wishart(I/c, a), T lower triangular with
 * diagonal e^u, e^v and w below: 2^2 T11^2 T22 du e^u dv e^v dw. */
static double integral(const double S[3], double log_A, double c, double nu) {
    enum { STEPS = 160 };
    const double pi = 3.14159265358979323846;
    double a = nu + 3, n = 2, m = 2, sum = 0, centre = 0.5 * log(a / (c + 1)), width = 9;
    double norm = 0.5 * a * m * log(c) - 0.5 * a * m * log(2) - 0.5 * log(pi) - lgamma(a / 2) -
                  lgamma((a - 1) / 2) - 0.5 * n * m * log(2 * pi) - 0.5 * m * log_A;
    double h = 2 * width / STEPS, reach = 12 / sqrt(c), hw = 2 * reach / STEPS;
    for (int i = 0; i <= STEPS; i++)
        for (int j = 0; j <= STEPS; j++)
            for (int k = 0; k <= STEPS; k++) {
                double u = centre - width + h * i, v = centre - width + h * j, w = -reach + hw * k;
                double t1 = exp(u), t2 = exp(v), W00 = t1 * t1, W01 = t1 * w, W11 = w * w + t2 * t2;
                double log_W = 2 * (u + v);
                double exponent = 0.5 * (a - m - 1 + n) * log_W - 0.5 * c * (W00 + W11) -
                                  0.5 * (W00 * S[0] + 2 * W01 * S[1] + W11 * S[2]);
                sum += exp(exponent + log(4) + 3 * u + 2 * v);
            }
    return norm + log(sum * h * h * hw);
}

static void evidence_is_the_integral(void **state) {
    (void)state;
    const double X[4] = {-1.1, -0.2, 0.5, 1.3};
    const double F[8] = {0.3, -0.8, 0.4, 0.9, -0.2, 0.5, 1.1, -0.6};
    const rm2i_evidence_data d = {
        .N = 4, .Q = 1, .rows = 2, .X = X, .F = F, .m = 2, .kind = RM2_LATENT_SE};
    rm2i_evidence *ev = evidence_of(&d);
    static const double cases[][4] = {{0.5, 0.8, 1.2, 3}, {4, 1.5, 0.3, 1}, {0.01, 0.5, 5, 8}};
    for (size_t k = 0; k < 3; k++) {
        const double *t = cases[k];
        double S[3], log_A = restricted_products(&d, t[0], t[1], S);
        double expected = integral(S, log_A, t[2], t[3]);
        double got = value_of(ev, (rm2i_evidence_at){t[0], t[1], t[2], t[3]});
        if (!(fabs(got - expected) <= 1e-8))
            fail_msg("case %zu: %.12g against %.12g", k, got, expected);
    }
    rm2i_evidence_free(ev);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

typedef struct shape {
    size_t N, Q, rows, m;
} shape;
static const shape shapes[] = {{30, 2, 5, 3}, {12, 1, 40, 39}, {25, 5, 9, 4}, {5, 2, 3, 1}};
static const rm2_latent_kind kinds[] = {RM2_LATENT_SE, RM2_LATENT_MATERN32, RM2_LATENT_MATERN52};

static double log_moved(rm2i_evidence *ev, rm2i_evidence_at at, size_t which, double by) {
    double *t[4] = {&at.variance, &at.lengthscale, &at.scale, &at.weight};
    *t[which] *= exp(by);
    return value_of(ev, at);
}

static void check_slopes(rm2i_evidence *ev, rm2i_evidence_at at) {
    rm2i_evidence_at slope;
    double value, h = 1e-5;
    assert_int_equal(rm2i_evidence_value(ev, &at, &value, &slope), RM2_OK);
    double slopes[4] = {slope.variance, slope.lengthscale, slope.scale, slope.weight};
    for (size_t k = 0; k < 4; k++) {
        double expected = (log_moved(ev, at, k, h) - log_moved(ev, at, k, -h)) / (2 * h);
        if (!(fabs(slopes[k] - expected) <= 1e-7 * (1 + fabs(value))))
            fail_msg("derivative %zu: %.12g against %.12g", k, slopes[k], expected);
    }
}

static void slopes_are_differences(void **state) {
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t k = 0; k < 3; k++) {
            size_t N = shapes[s].N, Q = shapes[s].Q, rows = shapes[s].rows;
            double *X = doubles(N * Q), *F = doubles(rows * N);
            fill(N * Q, s, X);
            fill(rows * N, s + 10, F);
            const rm2i_evidence_data d = {N, Q, rows, X, F, shapes[s].m, 1e-8, kinds[k]};
            rm2i_evidence *ev = evidence_of(&d);
            assert_int_equal(rm2i_evidence_freedom(ev), N - 1 - Q);
            check_slopes(ev, (rm2i_evidence_at){0.3, 0.9, 2, 3});
            check_slopes(ev, (rm2i_evidence_at){20, 1.5, 0.1, 500});
            rm2i_evidence_free(ev);
            free(X);
            free(F);
        }
}

/* Only F F^T counts: any rotation of the outputs gives the same; and the level is its restricted trace. */
static void outputs_may_be_rotated(void **state) {
    (void)state;
    enum { N = 20, Q = 2, M = 3 };
    double X[N * Q], F[M * N], turned[M * N], U[N * N], trace = 0;
    fill(N * Q, 1, X);
    fill(M * N, 2, F);
    for (size_t i = 0; i < N; i++) {
        double c = cos(0.7), s = sin(0.7);
        turned[i] = c * F[i] - s * F[N + i];
        turned[N + i] = s * F[i] + c * F[N + i];
        turned[2 * N + i] = -F[2 * N + i];
    }
    rm2i_evidence_data d = {N, Q, M, X, F, M, 0, RM2_LATENT_SE};
    rm2i_evidence *a = evidence_of(&d);
    d.F = turned;
    rm2i_evidence *b = evidence_of(&d);
    rm2i_evidence_at at = {0.5, 1, 1, 4};
    assert_true(fabs(value_of(a, at) - value_of(b, at)) <= 1e-11);
    size_t n = complement(N, Q, X, U);
    for (size_t k = 0; k < n; k++)
        for (size_t m = 0; m < M; m++) {
            double z = 0;
            for (size_t i = 0; i < N; i++)
                z += U[i * n + k] * F[m * N + i];
            trace += z * z;
        }
    assert_true(fabs(rm2i_evidence_level(a) * (double)(n * M) - trace) <= 1e-12 * trace);
    rm2i_evidence_free(a);
    rm2i_evidence_free(b);
}

/* Outputs that are a linear function of X leave no residual: the floor keeps everything finite. */
static void a_plane_is_finite(void **state) {
    (void)state;
    enum { N = 15, Q = 2, M = 4 };
    double X[N * Q], F[M * N];
    fill(N * Q, 3, X);
    for (size_t i = 0; i < N; i++)
        for (size_t m = 0; m < M; m++)
            F[m * N + i] = X[i * Q] * (double)m - X[i * Q + 1];
    const rm2i_evidence_data d = {N, Q, M, X, F, M - Q, 1e-8, RM2_LATENT_SE};
    rm2i_evidence *ev = evidence_of(&d);
    assert_true(fabs(rm2i_evidence_level(ev) - 1e-8) <= 1e-14);
    for (double c = 1e-12; c < 1e6; c *= 1e3)
        for (double nu = 1e-2; nu < 1e6; nu *= 1e2)
            for (double g = 1e-6; g < 2e4; g *= 1e2)
                assert_true(isfinite(value_of(ev, (rm2i_evidence_at){g, 0.5, c, nu})));
    rm2i_evidence_free(ev);
}

static void too_few_points_are_refused(void **state) {
    (void)state;
    double X[8] = {0, 1, 2, 3}, F[8] = {1, 2, 3, 5};
    rm2i_evidence *ev;
    rm2i_evidence_data d = {3, 1, 1, X, F, 1, 0, RM2_LATENT_SE};
    assert_int_equal(rm2i_evidence_create(ctx, &d, &ev), RM2_ERR_DATA);
    assert_null(ev);
    d.N = 4;
    d.m = 0;
    assert_int_equal(rm2i_evidence_create(ctx, &d, &ev), RM2_ERR_DATA);
}

/* ---- the restricted likelihood of latents --------------------------------------------------- */

enum { RN = 14, RQ = 2, RM = 3 };

typedef struct latents {
    double F[RM * RN], X0[RN * RQ], lengthscale[RQ];
    rm2i_restricted_data d;
    rm2i_restricted *r;
} latents;

static void make_latents(latents *p, rm2_latent_kind kind, double g) {
    fill(RM * RN, 4, p->F);
    fill(RN * RQ, 5, p->X0);
    p->lengthscale[0] = p->lengthscale[1] = 0.8;
    p->d = (rm2i_restricted_data){RN,  RQ, RM, RM, p->F, p->X0, {kind, RQ, p->lengthscale, g, 0},
                                  0.3, 2.5};
    assert_int_equal(rm2i_restricted_create(ctx, &p->d, &p->r), RM2_OK);
}

static double latents_value(const latents *p, const double *X, double *X_bar) {
    double value;
    assert_int_equal(rm2i_restricted_value(p->r, X, &value, X_bar), RM2_OK);
    return value;
}

/* With Z = U^T F and A' = U^T A U: tr(P G) = tr(Z^T A'^-1 Z) and log|A| + log|C| - log|H^T H| = log|A'|. */
static double latents_definition(const latents *p, const double *X) {
    double U[RN * RN], A[RN * RN], inverse[RN * RN], value = 0;
    size_t n = complement(RN, RQ, X, U);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            A[a * n + b] = a == b;
            for (size_t i = 0; i < RN; i++)
                for (size_t j = 0; j < RN; j++)
                    A[a * n + b] += U[i * n + a] * U[j * n + b] *
                                    kernel(p->d.kernel.kind, RQ, X + i * RQ, X + j * RQ,
                                           p->d.kernel.variance, p->lengthscale[0]);
        }
    value -= 0.5 * RM * invert(n, A, inverse);
    for (size_t m = 0; m < RM; m++) {
        double z[RN] = {0};
        for (size_t a = 0; a < n; a++)
            for (size_t i = 0; i < RN; i++)
                z[a] += U[i * n + a] * p->F[m * RN + i];
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                value -= 0.5 * z[a] * inverse[a * n + b] * z[b] / p->d.variance;
    }
    for (size_t i = 0; i < RN * RQ; i++)
        value -= 0.5 * p->d.precision * (X[i] - p->X0[i]) * (X[i] - p->X0[i]);
    return value;
}

static void latents_have_their_likelihood(void **state) {
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        latents p;
        double X[RN * RQ], X_bar[RN * RQ], ignored[RN * RQ], h = 1e-5;
        make_latents(&p, kinds[k], 1.7);
        fill(RN * RQ, 6, X);
        double value = latents_value(&p, X, X_bar), expected = latents_definition(&p, X);
        assert_true(fabs(value - expected) <= 1e-11 * fabs(expected));
        for (size_t i = 0; i < RN * RQ; i++) {
            double keep = X[i];
            X[i] = keep + h;
            double up = latents_value(&p, X, ignored);
            X[i] = keep - h;
            double down = latents_value(&p, X, ignored);
            X[i] = keep;
            if (!(fabs((up - down) / (2 * h) - X_bar[i]) <= 1e-7 * fabs(value)))
                fail_msg("entry %zu: %.12g against %.12g", i, X_bar[i], (up - down) / (2 * h));
        }
        rm2i_restricted_free(p.r);
    }
}

/* Without a kernel a linear map of X changes nothing but the anchor. */
static void linear_maps_change_nothing(void **state) {
    (void)state;
    latents p;
    double X[RN * RQ], Y[RN * RQ], X_bar[RN * RQ];
    make_latents(&p, RM2_LATENT_SE, 1e-300);
    p.d.precision = 0;
    rm2i_restricted_free(p.r);
    assert_int_equal(rm2i_restricted_create(ctx, &p.d, &p.r), RM2_OK);
    fill(RN * RQ, 6, X);
    for (size_t i = 0; i < RN; i++) {
        Y[i * RQ] = 3 * X[i * RQ] - X[i * RQ + 1] + 0.4;
        Y[i * RQ + 1] = 0.2 * X[i * RQ] + 0.1 * X[i * RQ + 1] - 2;
    }
    double a = latents_value(&p, X, X_bar), b = latents_value(&p, Y, X_bar);
    assert_true(fabs(a - b) <= 1e-10 * fabs(a));
    rm2i_restricted_free(p.r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_the_integral),
        cmocka_unit_test(slopes_are_differences),
        cmocka_unit_test(outputs_may_be_rotated),
        cmocka_unit_test(a_plane_is_finite),
        cmocka_unit_test(too_few_points_are_refused),
        cmocka_unit_test(latents_have_their_likelihood),
        cmocka_unit_test(linear_maps_change_nothing),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
