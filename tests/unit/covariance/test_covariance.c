/* Estimators against scikit-learn 1.2.1 (ledoit_wolf, oas, empirical_covariance on the signals below) and against
 * definitions; shrinkage against its own; windows, faults and messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "context_fixture.h"
#include "front/base.h"
#include "front/data.h"
#include "linalg/dense.h"
#include "linalg/shrink.h"
#include "near.h"
#include "riemann2/covariance.h"

/* x_tk = ((37 t + 101 k + 13 t^2 (k + 1)) mod 97) / 10, with a trend t/5 in even channels. */
static double *make_signals(size_t T, size_t d) {
    double *x = malloc(T * d * sizeof *x);
    assert_non_null(x);
    for (size_t t = 0; t < T; t++)
        for (size_t k = 0; k < d; k++)
            x[t * d + k] = (double)((37 * t + 101 * k + 13 * t * t * (k + 1)) % 97) / 10 +
                           (k % 2 ? 0 : (double)t / 5);
    return x;
}

static rm2_covariance_settings with(rm2_estimator estimator) {
    rm2_covariance_settings s = rm2_covariance_settings_default();
    s.estimator = estimator;
    return s;
}

typedef struct reference {
    size_t T, d;
    rm2_estimator estimator;
    bool standardise;
    double shrinkage, S11, S21, Sdd;
} reference;

/* Values of scikit-learn, printed with all their digits. */
static const reference references[] = {
    {5, 8, RM2_ESTIMATOR_LWF, false, 0.7791849441330425, 5.943872173488586, 1.2837304087881443,
     6.840734604397821},
    {5, 8, RM2_ESTIMATOR_OAS, false, 0.9500729940446428, 5.983672000312998, 0.29025564182206437,
     6.186455527701277},
    {5, 8, RM2_ESTIMATOR_LWF, true, 0.8517142042786733, 1, 0.1218773782287903, 1},
    {200, 3, RM2_ESTIMATOR_LWF, false, 0.007949818662691496, 142.51124047094555, -2.412916037658032,
     140.76245069109592},
    {200, 3, RM2_ESTIMATOR_OAS, false, 0.016738836787818907, 142.11270824627843,
     -2.3915389307451544, 140.3794117805386},
    {200, 3, RM2_ESTIMATOR_SCM, false, 0, 142.87171975, -2.4322520000000005, 141.10891599999997},
    {200, 3, RM2_ESTIMATOR_LWF, true, 0.022407324215684227, 1, -0.06782755689016988, 1},
};

/* Sums of at most 200 terms: 200 eps of their size, times a few for quotients. */
static void values_of_scikit_learn(void **state) {
    rm2_context *ctx = *state;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        const reference *r = &references[i];
        double *x = make_signals(r->T, r->d), S[64], bound = 1e-13 * r->S11;
        rm2_covariance_settings s = with(r->estimator);
        rm2_signals signals = {
            .size = sizeof signals, .samples = r->T, .channels = r->d, .values = x};
        rm2_window_info info = {.size = sizeof info};
        s.standardise = r->standardise;
        assert_int_equal(rm2_covariances(ctx, &signals, &s, S, &info), RM2_OK);
        assert_int_equal(info.fault, RM2_WINDOW_GOOD);
        assert_near(info.shrinkage, r->shrinkage, 1e-13);
        assert_near(S[0], r->S11, bound);
        assert_near(S[r->d], r->S21, bound);
        assert_near(S[r->d * r->d - 1], r->Sdd, bound);
        for (size_t a = 0; a < r->d; a++)
            for (size_t b = 0; b < r->d; b++)
                assert_true(S[a * r->d + b] == S[b * r->d + a]);
        free(x);
    }
}

/* Sums as the definitions have them, in long double. */
static void brute_force(size_t T, size_t d, const double *x, size_t divisor, double *S) {
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            long double ma = 0, mb = 0, sum = 0;
            for (size_t t = 0; t < T; t++) {
                ma += x[t * d + a] / (long double)T;
                mb += x[t * d + b] / (long double)T;
            }
            for (size_t t = 0; t < T; t++)
                sum += (x[t * d + a] - ma) * (x[t * d + b] - mb);
            S[a * d + b] = (double)(sum / (long double)divisor);
        }
}

static void definitions(void **state) {
    rm2_context *ctx = *state;
    enum { T = 40, D = 6 };
    double *x = make_signals(T, D), S[D * D], exact[D * D];
    rm2_signals signals = {.size = sizeof signals, .samples = T, .channels = D, .values = x};
    rm2_covariance_settings s = with(RM2_ESTIMATOR_COV);
    assert_int_equal(rm2_covariances(ctx, &signals, &s, S, NULL), RM2_OK);
    brute_force(T, D, x, T - 1, exact);
    for (size_t i = 0; i < D * D; i++)
        assert_near(S[i], exact[i], 1e-14 * T * exact[0]);
    s = with(RM2_ESTIMATOR_CORR);
    assert_int_equal(rm2_covariances(ctx, &signals, &s, S, NULL), RM2_OK);
    for (size_t a = 0; a < D; a++)
        for (size_t b = 0; b < D; b++)
            assert_near(S[a * D + b], exact[a * D + b] / sqrt(exact[a * D + a] * exact[b * D + b]),
                        1e-14 * T);
    s = with(RM2_ESTIMATOR_SCM); /* (1 - a) S + a tr(S)/d I */
    s.shrinkage = 0.25;
    double trace = 0;
    assert_int_equal(rm2_covariances(ctx, &signals, &s, S, NULL), RM2_OK);
    brute_force(T, D, x, T, exact);
    for (size_t k = 0; k < D; k++)
        trace += exact[k * D + k];
    for (size_t i = 0; i < D * D; i++)
        assert_near(S[i], 0.75 * exact[i] + (i % (D + 1) == 0 ? 0.25 * trace / D : 0),
                    1e-14 * T * exact[0]);
    free(x);
}

/* Shrinkage and correlations do not depend on units, however large or small: fourth powers of 1e-200 vanish. */
static void units(void **state) {
    rm2_context *ctx = *state;
    enum { T = 30, D = 3 };
    static const double scales[] = {1e-150, 1, 1e150};
    double *x = make_signals(T, D), *y = malloc(T * D * sizeof *y), S[D * D], first = 0;
    assert_non_null(y);
    for (size_t k = 0; k < 3; k++) {
        rm2_signals signals = {.size = sizeof signals, .samples = T, .channels = D, .values = y};
        rm2_window_info info = {.size = sizeof info};
        for (size_t i = 0; i < T * D; i++)
            y[i] = x[i] * scales[k];
        assert_int_equal(rm2_covariances(ctx, &signals, NULL, S, &info), RM2_OK);
        assert_int_equal(info.fault, RM2_WINDOW_GOOD);
        first = k == 0 ? info.shrinkage : first;
        assert_near(info.shrinkage, first, 1e-12);
    }
    free(x);
    free(y);
}

/* Windows are matrices of their samples alone. */
static void windows(void **state) {
    rm2_context *ctx = *state;
    enum { T = 100, D = 3, N = 4 };
    static const size_t begin[N] = {0, 25, 50, 80};
    double *x = make_signals(T, D), all[N * D * D], one[D * D];
    rm2_signals signals = {.size = sizeof signals,
                           .samples = T,
                           .channels = D,
                           .values = x,
                           .windows = N,
                           .begin = begin,
                           .length = 20};
    assert_int_equal(rm2_covariances(ctx, &signals, NULL, all, NULL), RM2_OK);
    for (size_t k = 0; k < N; k++) {
        rm2_signals part = {
            .size = sizeof part, .samples = 20, .channels = D, .values = x + begin[k] * D};
        assert_int_equal(rm2_covariances(ctx, &part, NULL, one, NULL), RM2_OK);
        assert_memory_equal(one, all + k * D * D, sizeof one);
    }
    signals.length = 21; /* the last one ends behind the samples */
    assert_int_equal(rm2_covariances(ctx, &signals, NULL, all, NULL), RM2_ERR_ARGUMENT);
    free(x);
}

typedef struct fault_case {
    rm2_window_fault fault;
    const char *message;
} fault_case;

/* Window 1 has the fault, windows 0 and 2 are good. */
static void expect_fault(rm2_context *ctx, double *x, const rm2_covariance_settings *s,
                         size_t length, const fault_case *expected) {
    static const char *const names[] = {"Cz", "Pz", "Oz"};
    const size_t begin[] = {0, length, 2 * length};
    double S[27];
    rm2_window_info info[3] = {{.size = sizeof *info}};
    rm2_signals signals = {.size = sizeof signals,
                           .samples = 60,
                           .channels = 3,
                           .values = x,
                           .windows = 3,
                           .begin = begin,
                           .length = length,
                           .source = "eeg",
                           .names = names};
    assert_int_equal(rm2_covariances(ctx, &signals, s, S, info), RM2_OK);
    assert_int_equal(info[0].fault, RM2_WINDOW_GOOD);
    assert_int_equal(info[1].fault, expected->fault);
    assert_int_equal(info[2].fault, RM2_WINDOW_GOOD);
    assert_true(isnan(S[9]) && isfinite(S[0]) && isfinite(S[18]));
    assert_int_equal(rm2_covariances(ctx, &signals, s, S, NULL), RM2_ERR_DATA);
    if (!strstr(rm2_context_error(ctx), expected->message))
        fail_msg("%s", rm2_context_error(ctx));
    assert_int_equal(rm2_window_explain(ctx, &signals, s, 1, &info[1]), RM2_ERR_DATA);
    assert_int_equal(rm2_window_explain(ctx, &signals, s, 0, &info[0]), RM2_OK);
}

static void faults(void **state) {
    rm2_context *ctx = *state;
    rm2_covariance_settings cov = with(RM2_ESTIMATOR_COV);
    double *x = make_signals(60, 3), *copy = malloc(180 * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, x, 180 * sizeof *copy);
    copy[25 * 3 + 1] = NAN;
    expect_fault(
        ctx, copy, NULL, 20,
        &(fault_case){RM2_WINDOW_MISSING,
                      "eeg, window 2 (samples 20 to 39): channel 2 (\"Pz\") has values that are"});
    memcpy(copy, x, 180 * sizeof *copy);
    for (size_t t = 20; t < 40; t++)
        copy[t * 3 + 2] = 7;
    expect_fault(ctx, copy, NULL, 20,
                 &(fault_case){RM2_WINDOW_CONSTANT, "channel 3 (\"Oz\") is constant"});
    memcpy(copy, x, 180 * sizeof *copy);
    for (size_t t = 20; t < 40; t++) /* an average reference */
        copy[t * 3 + 2] = -copy[t * 3] - copy[t * 3 + 1];
    expect_fault(ctx, copy, &cov, 20,
                 &(fault_case){RM2_WINDOW_SINGULAR, "channels are combinations of others"});
    free(copy);
    free(x);
}

static void too_few_samples(void **state) {
    rm2_context *ctx = *state;
    double *x = make_signals(5, 8), S[64];
    rm2_signals signals = {.size = sizeof signals, .samples = 5, .channels = 8, .values = x};
    rm2_covariance_settings s = with(RM2_ESTIMATOR_COV);
    assert_int_equal(rm2_covariances(ctx, &signals, &s, S, NULL), RM2_ERR_DATA);
    assert_non_null(
        strstr(rm2_context_error(ctx), "5 samples are too few for the cov of 8 channels"));
    s.shrinkage = 0.1;
    assert_int_equal(rm2_covariances(ctx, &signals, &s, S, NULL), RM2_OK);
    signals.samples = 1;
    assert_int_equal(rm2_covariances(ctx, &signals, &s, S, NULL), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(ctx), "at least 2"));
    s = with(RM2_ESTIMATOR_LWF);
    s.shrinkage = 0.1;
    assert_int_equal(rm2_covariances(ctx, &signals, &s, S, NULL), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "which finds its own"));
    free(x);
}

/* Matrices of every rank below n are singular, however the rows are scaled; well conditioned ones are not, however they
 * are scaled, and condition numbers of 1e10 are not enough. */
static void singular_matrices(void **state) {
    enum { N = 12 };
    rm2_rng rng;
    double A[N * N], work[2 * N * N], rows[N * N];
    (void)state;
    rm2_rng_seed(&rng, 7);
    assert_true(rm2i_singular_work(N) <= 2 * N * N);
    for (size_t trial = 0; trial < 200; trial++) {
        size_t rank = 1 + trial % (N + 4);
        for (size_t i = 0; i < N * N; i++)
            A[i] = 0;
        for (size_t r = 0; r < rank; r++) {
            for (size_t i = 0; i < N; i++)
                rows[i] =
                    rm2_rng_normal(&rng) * pow(10, (double)(i % 5) * (double)(trial % 7) - 10);
            for (size_t i = 0; i < N; i++)
                rm2i_axpy(N, rows[i], rows, A + i * N);
        }
        if (rank == N) /* singular in rare cases only, by chance */
            continue;
        assert_int_equal(rm2i_singular(N, A, work), rank < N);
        double trace = 0;
        for (size_t i = 0; i < N; i++)
            trace += A[i * N + i];
        rm2i_shrink(N, 0.1, A);
        assert_false(rm2i_singular(N, A, work));
        for (size_t i = 0; i < N; i++)
            trace -= A[i * N + i];
        assert_near(trace, 0,
                    1e-12 * fabs(A[0]) + 1e-12 * fabs(A[N * N - 1]) + 1e-9 * A[4 * N + 4]);
    }
    double nearly[4] = {1, 1 - 1e-10, 1 - 1e-10, 1}, zero[4] = {0, 0, 0, 1},
           negative[4] = {1, 2, 2, 1};
    assert_false(rm2i_singular(2, nearly, work));
    assert_true(rm2i_singular(2, zero, work));
    assert_true(rm2i_singular(2, negative, work));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(values_of_scikit_learn),
        WITH_CONTEXT(definitions),
        WITH_CONTEXT(units),
        WITH_CONTEXT(windows),
        WITH_CONTEXT(faults),
        WITH_CONTEXT(too_few_samples),
        WITH_CONTEXT(singular_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
