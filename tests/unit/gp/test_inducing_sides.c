/* Inducing points in the orders of two sides: value, S and derivatives are those of one side, which other tests compare
 * with dense formulas, and derivatives are central differences; the factors of the sides are turned into each other by
 * orthogonal matrices; bits do not depend on threads or on what is kept.
 *
 * Tolerances: entries of K that are left out are below 1e-12, and the root of the condition of Kuu, below 1e3 here,
 * multiplies them: 1e-9 of the value is above that. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "gp/inducing.h"
#include "shared_context.h"

enum { MOST_N = 2600, MOST_Q = 3, M = 2 };

typedef struct problem {
    size_t N, Q, r;
    double lengthscale[MOST_Q], noise;
    rm2i_latent_kernel kernel;
    double X[MOST_N * MOST_Q], F[M * MOST_N];
} problem;

/* Curves that run along coordinate `axis` over `extent` lengthscales, and little along the others. */
static problem *make_problem(size_t N, size_t Q, size_t axis, double extent) {
    problem *p = calloc(1, sizeof *p);
    rm2_rng rng;
    assert_non_null(p);
    rm2_rng_seed(&rng, N + axis);
    *p = (problem){.N = N, .Q = Q, .r = N / 100, .noise = 0.02};
    p->kernel = (rm2i_latent_kernel){RM2_LATENT_SE, Q, p->lengthscale, 1.3, 0};
    for (size_t q = 0; q < Q; q++)
        p->lengthscale[q] = 0.2 + 0.1 * (double)q;
    for (size_t n = 0; n < N; n++) {
        double t = (double)(n % 97) / 97 - 0.3;
        for (size_t q = 0; q < Q; q++) {
            double length = q == axis ? extent * t : 0.5 * sin(9 * t + (double)q);
            p->X[n * Q + q] = p->lengthscale[q] * (length + 0.1 * rm2_rng_normal(&rng));
        }
        for (size_t m = 0; m < M; m++)
            p->F[m * N + n] = sin(8 * t + (double)m) + 0.1 * rm2_rng_normal(&rng);
    }
    return p;
}

static rm2i_inducing *inducing_of(const problem *p, bool recompute) {
    size_t index[MOST_N];
    rm2i_inducing *in;
    for (size_t j = 0; j < p->r; j++) /* distinct, in no order */
        index[j] = (j * 7919 + 3) % p->N;
    ok(rm2i_inducing_create(ctx,
                            &(rm2i_inducing_shape){.N = p->N,
                                                   .M = M,
                                                   .Q = p->Q,
                                                   .r = p->r,
                                                   .index = index,
                                                   .derivatives = true,
                                                   .recompute = recompute},
                            &in));
    in->Y = calloc(M * p->N + M * M, sizeof *in->Y);
    assert_non_null(in->Y);
    in->S = in->Y + M * p->N;
    return in;
}

static void free_inducing(rm2i_inducing *in) {
    free(in->Y);
    rm2i_inducing_free(in);
}

/* ---- values and derivatives ----------------------------------------------------------------- */

typedef struct result {
    double value, trace, log_det, S[M * M];
    double X[MOST_N * MOST_Q], lengthscale[MOST_Q], variance, noise;
} result;

static double value_of(const problem *p, rm2i_inducing *in) {
    ok(rm2i_inducing_solve(in, &p->kernel, p->X, p->noise, p->F));
    return rm2i_inducing_value(in, NULL, NULL);
}

static result *evaluate(const problem *p, rm2i_inducing *in) {
    result *e = calloc(1, sizeof *e);
    assert_non_null(e);
    e->value = value_of(p, in);
    e->trace = in->trace;
    e->log_det = in->log_det;
    memcpy(e->S, in->S, sizeof e->S);
    const rm2i_inducing_bars bars = {e->X, e->lengthscale, &e->variance, NULL, &e->noise};
    ok(rm2i_inducing_backward(in, &p->kernel, p->X, &bars));
    return e;
}

static void assert_close(double value, double expected, double scale, const char *what) {
    if (!(fabs(value - expected) <= 1e-9 * fmax(scale, 1)))
        fail_msg("%s: %.15g, expected %.15g", what, value, expected);
}

static void assert_same(const problem *p, const result *e, const result *expected) {
    double largest = 0;
    assert_close(e->value, expected->value, fabs(expected->value), "value");
    assert_close(e->trace, expected->trace, 1, "trace");
    assert_close(e->log_det, expected->log_det, fabs(expected->log_det), "log determinant");
    for (size_t i = 0; i < M * M; i++)
        assert_close(e->S[i], expected->S[i], expected->S[0], "S");
    for (size_t i = 0; i < p->N * p->Q; i++)
        largest = fmax(largest, fabs(expected->X[i]));
    for (size_t i = 0; i < p->N * p->Q; i++)
        assert_close(e->X[i], expected->X[i], largest, "derivative by X");
    for (size_t q = 0; q < p->Q; q++)
        assert_close(e->lengthscale[q], expected->lengthscale[q], fabs(expected->lengthscale[q]),
                     "derivative by a lengthscale");
    assert_close(e->variance, expected->variance, fabs(expected->variance), "by the variance");
    assert_close(e->noise, expected->noise, fabs(expected->noise), "by the noise");
}

/* The same with one side. */
static result *evaluate_whole(const problem *p) {
    rm2i_inducing *in = inducing_of(p, false);
    in->local = false;
    result *e = evaluate(p, in);
    assert_int_equal(in->sides, 1);
    free_inducing(in);
    return e;
}

static void two_sides_are_one(void **state) {
    (void)state;
    static const size_t sizes[][2] = {{900, 1}, {1700, 2}, {2600, 3}};
    for (size_t c = 0; c < 3; c++)
        for (size_t axis = 0; axis < sizes[c][1]; axis++)
            for (int extent = 20; extent <= 60; extent += 20) {
                problem *p = make_problem(sizes[c][0], sizes[c][1], axis, extent);
                rm2i_inducing *in = inducing_of(p, false);
                result *e = evaluate(p, in), *expected = evaluate_whole(p);
                assert_int_equal(in->sides, 2);
                assert_int_equal(in->axis, axis);
                assert_same(p, e, expected);
                free(e);
                free(expected);
                free_inducing(in);
                free(p);
            }
}

/* Error h^2 f'''/6 + eps |f|/h: below 1e-7 of the largest derivative. */
static void derivatives_are_differences(void **state) {
    (void)state;
    enum { STEP = 7 };
    problem *p = make_problem(900, 2, 1, 30);
    rm2i_inducing *in = inducing_of(p, false);
    result *e = evaluate(p, in);
    double largest = 0, worst = 0, h = 1e-6;
    for (size_t i = 0; i < p->N * p->Q; i++)
        largest = fmax(largest, fabs(e->X[i]));
    for (size_t i = 0; i < p->N * p->Q; i += STEP) { /* both coordinates: STEP is odd */
        double keep = p->X[i];
        p->X[i] = keep + h;
        double up = value_of(p, in);
        p->X[i] = keep - h;
        double down = value_of(p, in);
        p->X[i] = keep;
        worst = fmax(worst, fabs((up - down) / (2 * h) - e->X[i]));
    }
    if (!(worst <= 1e-6 * largest))
        fail_msg("error %.2e of %.2e", worst, largest);
    free(e);
    free_inducing(in);
    free(p);
}

/* ---- when there are two --------------------------------------------------------------------- */

static size_t sides_of(const problem *p) {
    rm2i_inducing *in = inducing_of(p, false);
    (void)value_of(p, in);
    size_t sides = in->sides;
    free_inducing(in);
    return sides;
}

static void one_side_where_two_save_nothing(void **state) {
    (void)state;
    problem *p = make_problem(1700, 2, 0, 30);
    assert_int_equal(sides_of(p), 2);
    p->kernel.kind = RM2_LATENT_MATERN52;
    assert_int_equal(sides_of(p), 1);
    p->kernel.kind = RM2_LATENT_SE;
    p->kernel.linear = 0.1;
    assert_int_equal(sides_of(p), 1);
    p->kernel.linear = 0;
    p->r = 40; /* 42 points for each */
    assert_int_equal(sides_of(p), 1);
    free(p);
    p = make_problem(1700, 2, 0, 8);
    assert_int_equal(sides_of(p), 1);
    free(p);
}

/* Those that a model is made of have the order of the inducing points. */
static void sums_for_a_posterior_have_one_side(void **state) {
    (void)state;
    problem *p = make_problem(900, 2, 0, 30);
    rm2i_inducing *in = inducing_of(p, false), *whole = inducing_of(p, false);
    size_t count = rm2i_inducing_sums_count(p->r, M);
    double *sums = calloc(2 * count, sizeof *sums);
    assert_non_null(sums);
    whole->local = false;
    (void)value_of(p, in);
    ok(rm2i_inducing_sum(in, &p->kernel, p->X, p->F, sums));
    ok(rm2i_inducing_sum(whole, &p->kernel, p->X, p->F, sums + count));
    assert_memory_equal(sums, sums + count, count * sizeof *sums);
    free(sums);
    free_inducing(whole);
    free_inducing(in);
    free(p);
}

/* ---- parts ---------------------------------------------------------------------------------- */

static void turns_are_orthogonal(void **state) {
    (void)state;
    problem *p = make_problem(1700, 2, 0, 30);
    rm2i_inducing *in = inducing_of(p, false);
    (void)value_of(p, in);
    for (size_t k = 0; k < in->sides; k++)
        for (size_t i = 0; i < p->r; i++)
            for (size_t j = 0; j <= i; j++) {
                double product = 0;
                for (size_t l = 0; l < p->r; l++)
                    product += in->side[k].turn[i * p->r + l] * in->side[k].turn[j * p->r + l];
                assert_close(product, i == j, 1, "product of two rows");
            }
    free_inducing(in);
    free(p);
}

/* Every row once, within its unit, by bins. */
static void rows_are_in_the_order_of_the_axis(void **state) {
    (void)state;
    problem *p = make_problem(1700, 2, 0, 40);
    rm2i_inducing *in = inducing_of(p, false);
    bool seen[MOST_N] = {false};
    (void)value_of(p, in);
    const double *z = in->side[0].Z;
    double wrong = 0, least = z[0], most = z[(p->r - 1) * 2], before = 0;
    for (size_t i = 0; i < p->N; i++) {
        assert_true(in->row[i] < p->N && !seen[in->row[i]]);
        seen[in->row[i]] = true;
        double at = fmin(fmax(p->X[in->row[i] * 2], least), most);
        if (i % 128 > 0) /* units have 128 rows */
            wrong = fmax(wrong, before - at);
        before = at;
    }
    assert_true(wrong > 0 && wrong <= (most - least) / 256); /* bins */
    free_inducing(in);
    free(p);
}

static void bits_do_not_depend_on_threads_or_memory(void **state) {
    (void)state;
    problem *p = make_problem(2600, 2, 0, 30);
    result *one = NULL;
    for (int threads = 1; threads <= 4; threads++)
        for (int again = 0; again < 2; again++) {
            rm2_context_set_threads(ctx, threads);
            rm2i_inducing *in = inducing_of(p, again);
            assert_true(again ? !in->V : in->V != NULL);
            result *e = evaluate(p, in);
            assert_int_equal(in->sides, 2);
            if (one)
                assert_memory_equal(e, one, sizeof *e);
            else
                one = e;
            if (e != one)
                free(e);
            free_inducing(in);
        }
    rm2_context_set_threads(ctx, 0);
    free(one);
    free(p);
}

/* ---- unusual latents ------------------------------------------------------------------------ */

/* A row far from all inducing points has K = 0. */
static void rows_far_away(void **state) {
    (void)state;
    static const double far[] = {300, -300, 1e300};
    for (size_t c = 0; c < 3; c++) {
        problem *p = make_problem(900, 2, 0, 30);
        p->X[2 * 500] = far[c];
        rm2i_inducing *in = inducing_of(p, false);
        result *e = evaluate(p, in), *expected = evaluate_whole(p);
        assert_int_equal(in->sides, 2);
        assert_same(p, e, expected);
        free(e);
        free(expected);
        free_inducing(in);
        free(p);
    }
}

/* Kuu is singular, or nearly so: sides lose nothing, because their factors come from that of Kuu. The nearer two inducing
 * points are, the more digits the derivatives themselves lose. */
static void inducing_points_in_one_place(void **state) {
    (void)state;
    static const double apart[] = {0, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-3};
    for (size_t c = 0; c < sizeof apart / sizeof *apart; c++) {
        problem *p = make_problem(900, 2, 0, 30);
        rm2i_inducing *in = inducing_of(p, false);
        memcpy(p->X + in->index[4] * 2, p->X + in->index[2] * 2, 2 * sizeof *p->X);
        p->X[in->index[4] * 2] += apart[c] * p->lengthscale[0];
        result *expected = evaluate_whole(p), *e = evaluate(p, in);
        assert_int_equal(in->sides, 2);
        assert_close(e->value, expected->value, fabs(expected->value), "value");
        if (apart[c] >= 1e-3)
            assert_same(p, e, expected);
        free(e);
        free(expected);
        free_inducing(in);
        free(p);
    }
}

static void a_row_that_is_not_a_number(void **state) {
    (void)state;
    problem *p = make_problem(900, 2, 0, 30);
    p->X[2 * 500] = NAN;
    rm2i_inducing *in = inducing_of(p, false);
    rm2_status status = rm2i_inducing_solve(in, &p->kernel, p->X, p->noise, p->F);
    assert_true(status != RM2_OK || isnan(rm2i_inducing_value(in, NULL, NULL)));
    free_inducing(in);
    free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sides_are_one),
        cmocka_unit_test(derivatives_are_differences),
        cmocka_unit_test(one_side_where_two_save_nothing),
        cmocka_unit_test(sums_for_a_posterior_have_one_side),
        cmocka_unit_test(turns_are_orthogonal),
        cmocka_unit_test(rows_are_in_the_order_of_the_axis),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_memory),
        cmocka_unit_test(rows_far_away),
        cmocka_unit_test(inducing_points_in_one_place),
        cmocka_unit_test(a_row_that_is_not_a_number),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
