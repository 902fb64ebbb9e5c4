/* Minimisation in a box: quadratics against all active sets tried one by one, a curved valley with a bound
 * across it, variables that are held, starts and functions that are not good.
 *
 * Tolerances: at a gradient of 1e-9 a quadratic of smallest curvature 0.1 is within 1e-8 of its
 * minimum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "front/base.h"
#include "linalg/dense.h"
#include "optim/bounded.h"
#include "shared_context.h"

enum { N = 4 };

static rm2_optim_settings exact(void) {
    return (rm2_optim_settings){.gradient = 1e-9, .max_iterations = 200};
}

/* f = x^T A x/2 - b.x */
typedef struct quadratic {
    double A[N * N], b[N];
    size_t reported;
    double last;
} quadratic;

static rm2_status quadratic_at(void *user, const double *x, double *f, double *g) {
    const quadratic *q = user;
    *f = 0;
    for (size_t i = 0; i < N; i++) {
        double Ax = rm2i_dot(N, q->A + i * N, x);
        g[i] = Ax - q->b[i];
        *f += x[i] * (Ax / 2 - q->b[i]);
    }
    return RM2_OK;
}

static void note(void *user, double f) {
    quadratic *q = user;
    assert_true(q->reported == 0 || f <= q->last);
    q->reported++;
    q->last = f;
}

static void make_quadratic(uint64_t seed, quadratic *q) {
    rm2_rng rng;
    double R[N * N];
    *q = (quadratic){.reported = 0};
    rm2_rng_seed(&rng, seed);
    for (size_t i = 0; i < N * N; i++)
        R[i] = rm2_rng_normal(&rng);
    for (size_t i = 0; i < N; i++) {
        q->b[i] = 3 * rm2_rng_normal(&rng);
        for (size_t j = 0; j < N; j++)
            q->A[i * N + j] = rm2i_dot(N, R + i * N, R + j * N) + (i == j ? 0.1 : 0);
    }
}

/* Solve for the free variables with the others at bounds; by Gaussian elimination. */
static void solve_free(const quadratic *q, const int *side, const double *bound, double *x) {
    double A[N * N], b[N];
    memcpy(A, q->A, sizeof A);
    for (size_t i = 0; i < N; i++) {
        b[i] = q->b[i];
        if (side[i] == 0)
            continue;
        for (size_t j = 0; j < N; j++)
            A[i * N + j] = i == j;
        b[i] = side[i] * bound[i];
    }
    for (size_t c = 0; c < N; c++)
        for (size_t r = 0; r < N; r++) {
            double factor = r == c ? 0 : A[r * N + c] / A[c * N + c];
            for (size_t k = 0; k < N; k++)
                A[r * N + k] -= factor * A[c * N + k];
            b[r] -= factor * b[c];
        }
    for (size_t i = 0; i < N; i++)
        x[i] = b[i] / A[i * N + i];
}

/* The least value over all 3^4 active sets whose solution lies in the box |x_i| <= bound_i. */
static double least_of_all(const quadratic *q, const double *bound, double *best) {
    double least = INFINITY;
    for (int code = 0; code < 81; code++) {
        int side[N], rest = code;
        double x[N], f, g[N];
        bool inside = true;
        for (size_t i = 0; i < N; i++, rest /= 3)
            side[i] = rest % 3 - 1;
        solve_free(q, side, bound, x);
        for (size_t i = 0; i < N; i++)
            inside = inside && fabs(x[i]) <= bound[i] * (1 + 1e-12);
        (void)quadratic_at((void *)q, x, &f, g);
        if (inside && f < least) {
            least = f;
            memcpy(best, x, sizeof x);
        }
    }
    return least;
}

static void quadratics_meet_their_bounds(void **state) {
    (void)state;
    size_t held = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        quadratic q;
        double upper[N] = {0.5, 2, 1, 0.2}, lower[N], x[N] = {3, -3, 0.1, 0}, best[N];
        make_quadratic(seed, &q);
        for (size_t i = 0; i < N; i++)
            lower[i] = -upper[i];
        rm2_optim_settings s = exact();
        rm2i_bounded_problem p = {quadratic_at, &q, N, lower, upper, &s, note};
        rm2i_bounded_result r;
        ok(rm2i_bounded_minimise(ctx, &p, x, &r));
        double least = least_of_all(&q, upper, best);
        assert_true(r.stop == RM2_STOP_GRADIENT || r.stop == RM2_STOP_LINE_SEARCH);
        if (!(fabs(r.f - least) <= 1e-12 * (1 + fabs(least))))
            fail_msg("seed %d: %.15g against %.15g, stopped by %s after %zu", (int)seed, r.f, least,
                     rm2_stop_text(r.stop), r.iterations);
        for (size_t i = 0; i < N; i++) {
            assert_true(fabs(x[i] - best[i]) <= 1e-7);
            held += fabs(x[i]) >= upper[i];
        }
        assert_true(r.iterations <= 60 && r.evaluations <= 120);
        assert_int_equal(q.reported, r.iterations);
    }
    assert_true(held > 60); /* bounds did count */
}

/* 100 (y - x^2)^2 + (1 - x)^2: with x <= 0.5 the least is at (0.5, 0.25). */
static rm2_status rosenbrock(void *user, const double *x, double *f, double *g) {
    (void)user;
    double valley = x[1] - x[0] * x[0];
    *f = 100 * valley * valley + (1 - x[0]) * (1 - x[0]);
    g[0] = -400 * x[0] * valley - 2 * (1 - x[0]);
    g[1] = 200 * valley;
    return RM2_OK;
}

static void a_bound_across_a_valley(void **state) {
    (void)state;
    const double lower[2] = {-2, -2}, upper[2] = {0.5, 2}, wide[2] = {2, 2};
    double x[2] = {-1.2, 1}, y[2] = {-1.2, 1};
    rm2_optim_settings s = exact();
    rm2i_bounded_problem p = {rosenbrock, NULL, 2, lower, upper, &s, NULL};
    rm2i_bounded_result r;
    ok(rm2i_bounded_minimise(ctx, &p, x, &r));
    assert_true(x[0] == 0.5 && fabs(x[1] - 0.25) <= 1e-9);
    assert_true(r.evaluations <= 80);
    p.upper = wide;
    ok(rm2i_bounded_minimise(ctx, &p, y, &r));
    assert_true(fabs(y[0] - 1) <= 1e-7 && fabs(y[1] - 1) <= 1e-7);
    assert_true(r.evaluations <= 80);
}

static void held_variables_stay(void **state) {
    (void)state;
    const double lower[2] = {-0.7, -2}, upper[2] = {-0.7, 2};
    double x[2] = {5, 1};
    rm2_optim_settings s = exact();
    rm2i_bounded_problem p = {rosenbrock, NULL, 2, lower, upper, &s, NULL};
    rm2i_bounded_result r;
    ok(rm2i_bounded_minimise(ctx, &p, x, &r));
    assert_true(x[0] == -0.7 && fabs(x[1] - 0.49) <= 1e-9);
}

static rm2_status nowhere(void *user, const double *x, double *f, double *g) {
    (void)user;
    *f = g[0] = g[1] = x[0] > 0 ? NAN : x[0];
    return RM2_OK;
}

static void bad_input_is_told(void **state) {
    (void)state;
    const double lower[9] = {0, 1}, upper[9] = {1, 0};
    double x[9] = {0.5, 0.5};
    rm2_optim_settings s = exact();
    rm2i_bounded_problem p = {rosenbrock, NULL, 2, lower, upper, &s, NULL};
    rm2i_bounded_result r;
    assert_int_equal(rm2i_bounded_minimise(ctx, &p, x, &r), RM2_ERR_ARGUMENT);
    p.n = 9;
    assert_int_equal(rm2i_bounded_minimise(ctx, &p, x, &r), RM2_ERR_ARGUMENT);
    p.n = 1;
    x[0] = NAN;
    assert_int_equal(rm2i_bounded_minimise(ctx, &p, x, &r), RM2_ERR_ARGUMENT);
    x[0] = 0.5;
    p.fn = nowhere;
    assert_int_equal(rm2i_bounded_minimise(ctx, &p, x, &r), RM2_ERR_NUMERIC);
}

static void limits_are_kept(void **state) {
    (void)state;
    const double lower[2] = {-2, -2}, upper[2] = {2, 2};
    double x[2] = {-1.2, 1};
    rm2_optim_settings s = exact();
    s.max_iterations = 3;
    rm2i_bounded_problem p = {rosenbrock, NULL, 2, lower, upper, &s, NULL};
    rm2i_bounded_result r;
    ok(rm2i_bounded_minimise(ctx, &p, x, &r));
    assert_int_equal(r.stop, RM2_STOP_MAX_ITERATIONS);
    assert_int_equal(r.iterations, 3);
    rm2_context_interrupt(ctx);
    ok(rm2i_bounded_minimise(ctx, &p, x, &r));
    assert_int_equal(r.stop, RM2_STOP_INTERRUPTED);
    rm2_context_clear_interrupt(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratics_meet_their_bounds),
        cmocka_unit_test(a_bound_across_a_valley),
        cmocka_unit_test(held_variables_stay),
        cmocka_unit_test(bad_input_is_told),
        cmocka_unit_test(limits_are_kept),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
