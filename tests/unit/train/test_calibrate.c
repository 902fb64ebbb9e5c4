/* The calibration of the uncertainty, against models that are conditioned without a demonstration:
 *   exact           dense matrices by Gaussian elimination, here, and the library's posterior of the other rows
 *   inducing points the library's posterior of the other rows with the same inducing inputs
 * Tolerances: matrices of condition up to N/s2 < 1e5 give residuals and variances to 1e-10, scales to 1e-9. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "gp/posterior.h"
#include "model/model.h"
#include "model_fixture.h"
#include "riemann2/fit.h"
#include "thread_team.h"

/* ---- dense ---------------------------------------------------------------------------------- */

/* B <- A^-1 B, A n x n, B n x m; both are used up. */
static void eliminate(size_t n, double *A, size_t m, double *B) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            pivot = fabs(A[i * n + k]) > fabs(A[pivot * n + k]) ? i : pivot;
        for (size_t j = 0; j < n; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = swap;
        }
        for (size_t j = 0; j < m; j++) {
            double swap = B[k * m + j];
            B[k * m + j] = B[pivot * m + j];
            B[pivot * m + j] = swap;
        }
        for (size_t i = 0; i < n; i++) {
            double factor = i == k ? 0 : A[i * n + k] / A[k * n + k];
            for (size_t j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            for (size_t j = 0; j < m; j++)
                B[i * m + j] -= factor * B[k * m + j];
        }
    }
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < m; j++)
            B[k * m + j] /= A[k * n + k];
}

/* Squared exponential. */
static double kernel_of(const rm2_model_info *i, const double *a, const double *b) {
    double square = 0;
    for (size_t q = 0; q < i->latent_dim; q++)
        square += pow((a[q] - b[q]) / i->lengthscale[q], 2);
    return i->variance * exp(-square / 2);
}

/* Residual (M) and variance of point n, with the rows from `first` to `end` - 1 left out. */
static double predict_dense(const rm2_model *model, size_t first, size_t end, size_t n, double *r) {
    const rm2_model_info *i = rm2_model_info_of(model);
    size_t N = i->points, M = i->outputs, Q = i->latent_dim, rest = N - (end - first);
    double *A = numbers(rest * rest), *B = numbers(rest * (M + 1)), V;
    size_t *row = calloc(rest, sizeof *row);
    assert_non_null(row);
    for (size_t k = 0, at = 0; k < N; k++)
        if (k < first || k >= end)
            row[at++] = k;
    for (size_t a = 0; a < rest; a++) {
        for (size_t b = 0; b < rest; b++)
            A[a * rest + b] = kernel_of(i, i->latents + row[a] * Q, i->latents + row[b] * Q) +
                              (a == b ? i->noise : 0);
        B[a * (M + 1)] = kernel_of(i, i->latents + row[a] * Q, i->latents + n * Q);
        for (size_t m = 0; m < M; m++)
            B[a * (M + 1) + 1 + m] = model->F[m * N + row[a]];
    }
    eliminate(rest, A, M + 1, B);
    V = kernel_of(i, i->latents + n * Q, i->latents + n * Q) + i->noise;
    for (size_t m = 0; m < M; m++)
        r[m] = model->F[m * N + n];
    for (size_t a = 0; a < rest; a++) {
        double k = kernel_of(i, i->latents + row[a] * Q, i->latents + n * Q);
        V -= k * B[a * (M + 1)];
        for (size_t m = 0; m < M; m++)
            r[m] -= k * B[a * (M + 1) + 1 + m];
    }
    free(A);
    free(B);
    free(row);
    return V;
}

/* ---- the library's own posterior of the other rows -------------------------------------------- */

/* The same by a posterior that never saw the rows; all rows of the demonstration at once: R (n x M), V (n). */
static void predict_conditioned(const rm2_model *model, size_t first, size_t end, double *R,
                                double *V) {
    rm2i_gp gp = rm2i_model_gp(model);
    size_t N = gp.N, M = gp.M, Q = gp.Q, n = end - first, rest = N - n;
    double *X = numbers(rest * Q), *F = numbers(M * rest), *h = numbers(n * M), *work;
    for (size_t k = 0, at = 0; k < N; k++) {
        if (k >= first && k < end)
            continue;
        memcpy(X + at * Q, gp.X + k * Q, Q * sizeof *X);
        for (size_t m = 0; m < M; m++)
            F[m * rest + at] = gp.F[m * N + k];
        at++;
    }
    gp.N = rest;
    gp.X = X;
    gp.F = F;
    gp.scale = gp.sums = NULL;
    gp.proven = false;
    gp.trajectories = 0;
    gp.Z = model->inducing_inputs;
    rm2i_posterior *p;
    ok(rm2i_posterior_create(ctx, &gp, &p));
    work = numbers(rm2i_posterior_at_work(p, n));
    rm2i_posterior_at(p, n, model->X + first * Q, R, h, work);
    for (size_t k = 0; k < n; k++) {
        V[k] = h[k * M] + p->observed;
        for (size_t m = 0; m < M; m++)
            R[k * M + m] = model->F[m * N + first + k] - R[k * M + m];
    }
    rm2i_posterior_free(p);
    free(X);
    free(F);
    free(h);
    free(work);
}

/* ---- scales by definition ------------------------------------------------------------------- */

/* sum over the points of tr(Kf[J, J]^-1 r_J r_J^T)/(V |J|); outputs J = first .. end - 1. */
static double size_of(const rm2_model_info *i, size_t first, size_t end, const double *r,
                      double V) {
    size_t m = end - first;
    double *K = numbers(m * m), *y = numbers(m), sum = 0;
    for (size_t a = 0; a < m; a++) {
        y[a] = r[first + a];
        for (size_t b = 0; b < m; b++)
            K[a * m + b] = i->task_covariance[(first + a) * i->outputs + first + b];
    }
    eliminate(m, K, 1, y);
    for (size_t a = 0; a < m; a++)
        sum += y[a] * r[first + a];
    free(K);
    free(y);
    return sum / (V * (double)m);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Weighted mean without values above eight medians. */
static double mean_of_most(size_t n, const double *values, const double *weights) {
    double *sorted = numbers(n), sum = 0, weight = 0;
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    double most = 8 * (sorted[n / 2] + sorted[(n - 1) / 2]) / 2;
    for (size_t k = 0; k < n; k++)
        if (values[k] <= most) {
            sum += weights[k] * values[k];
            weight += weights[k];
        }
    free(sorted);
    return sum / weight;
}

/* Scales by definition, over `chosen` demonstrations, evenly spaced. */
static void define(const rm2_model *model, bool dense, size_t chosen, double *scales) {
    const rm2_model_info *i = rm2_model_info_of(model);
    size_t M = i->outputs, all = i->data->trajectories;
    size_t factors = rm2_manifold_factor_count(i->manifold);
    double *R = numbers(i->points * M), *V = numbers(i->points);
    double *square = numbers(factors * chosen), *count = numbers(chosen);
    for (size_t k = 0; k < chosen; k++) {
        size_t d = (2 * k + 1) * all / (2 * chosen), first = i->data->starts[d],
               end = i->data->starts[d + 1];
        if (dense)
            for (size_t n = first; n < end; n++)
                V[n - first] = predict_dense(model, first, end, n, R + (n - first) * M);
        else
            predict_conditioned(model, first, end, R, V);
        count[k] = (double)(end - first);
        for (size_t f = 0, at = 0; f < factors; f++) {
            size_t own = rm2_manifold_factor(i->manifold, f)->dim;
            for (size_t n = 0; n < end - first; n++)
                square[f * chosen + k] += size_of(i, at, at + own, R + n * M, V[n]);
            square[f * chosen + k] /= count[k];
            at += own;
        }
    }
    for (size_t f = 0; f < factors; f++)
        scales[f] = mean_of_most(chosen, square + f * chosen, count);
    free(square);
    free(count);
    free(R);
    free(V);
}

static void assert_scales(const rm2_model *model, bool dense, size_t chosen, double tolerance) {
    const rm2_model_info *i = rm2_model_info_of(model);
    double want[4];
    define(model, dense, chosen, want);
    assert_non_null(i->calibration);
    for (size_t f = 0; f < rm2_manifold_factor_count(i->manifold); f++)
        if (!(fabs(i->calibration[f] - want[f]) <= tolerance * want[f]))
            fail_msg("factor %zu: scale %.12g, by definition %.12g", f, i->calibration[f], want[f]);
}

static rm2_model *train(const char *name, size_t demos, size_t points, size_t inducing) {
    rm2_data *data = example_data(name, demos, points);
    rm2_fit_settings s = robust_settings(5);
    if (inducing) {
        s.inference = RM2_INFERENCE_INDUCING;
        s.inducing = inducing;
    }
    rm2_model *model = fit_model(data, &s);
    rm2_data_free(data);
    return model;
}

static void exact(void **state) {
    (void)state;
    static const char *const names[] = {"toy", "robot", "manipulability"};
    for (size_t k = 0; k < 3; k++) {
        rm2_model *model = train(names[k], 4, 14, 0);
        const rm2_model_info *i = rm2_model_info_of(model);
        assert_int_equal(i->calibrated, 4);
        assert_true(i->calibration_freedom == 4);
        assert_scales(model, true, 4, 1e-9);
        assert_scales(model, false, 4, 1e-9);
        rm2_model_free(model);
    }
}

static void inducing_points(void **state) {
    (void)state;
    for (size_t r = 10; r <= 40; r += 10) {
        rm2_model *model = train("toy", 4, 40, r);
        assert_int_equal(rm2_model_info_of(model)->inducing, r);
        assert_scales(model, false, 4, 1e-8);
        rm2_model_free(model);
    }
    /* as many as leave nothing out: those of exact inference at the same latents, to the accuracy of the inference */
    rm2_model *model = train("toy", 4, 40, 60);
    assert_scales(model, true, 4, 2e-2);
    rm2_model_free(model);
}

static void two_demonstrations(void **state) {
    (void)state;
    rm2_model *model = train("toy", 2, 14, 0);
    assert_int_equal(rm2_model_info_of(model)->calibrated, 2);
    assert_true(rm2_model_info_of(model)->calibration_freedom == 3);
    assert_scales(model, true, 2, 1e-9);
    rm2_model_free(model);
}

/* More than 50: fifty evenly chosen ones are left out, each by itself. */
static void many_demonstrations(void **state) {
    (void)state;
    rm2_model *model = train("toy", 70, 6, 0), *by_inducing = train("toy", 70, 6, 30);
    assert_int_equal(rm2_model_info_of(model)->calibrated, 70);
    assert_scales(model, false, 50, 1e-9);
    assert_scales(by_inducing, false, 50, 1e-8);
    rm2_model_free(model);
    rm2_model_free(by_inducing);
}

/* One demonstration far from the others, in positions: their scale stays what it is without it, to half of it. */
static void odd_demonstrations(void **state) {
    (void)state;
    enum { DEMOS = 6, POINTS = 20 };
    rm2_data *data = example_data("toy", DEMOS, POINTS), *moved;
    rm2_fit_settings s = robust_settings(5);
    double *points = numbers(data->count * 5), scale[2];
    memcpy(points, data->points, data->count * 5 * sizeof *points);
    for (size_t n = 2 * POINTS; n < 3 * POINTS; n++) /* up and down along the motion */
        points[n * 5 + 1] += 3 * sin(0.7 * (double)n);
    moved = data_like(data, points, false);
    for (size_t k = 0; k < 2; k++) {
        rm2_model *model = fit_model(k ? moved : data, &s);
        scale[k] =
            rm2_model_info_of(model)->calibration[0] * rm2_model_info_of(model)->task_covariance[0];
        assert_scales(model, true, DEMOS, 1e-9);
        rm2_model_free(model);
    }
    if (!(scale[1] > 0.5 * scale[0] && scale[1] < 2 * scale[0]))
        fail_msg("variance %g with an odd demonstration, %g without", scale[1], scale[0]);
    free(points);
    rm2_data_free(data);
    rm2_data_free(moved);
}

static void not_calibrated(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 4, 12);
    rm2_data *one = data_of("R2 x S2", data->count, data->points, true);
    rm2_data *loose = data_of("R2 x S2", data->count, data->points, false);
    rm2_fit_settings s = robust_settings(3), own = s;
    own.noise = RM2_NOISE_PER_OUTPUT;
    own.task = RM2_TASK_LEARNED;
    rm2_model *models[] = {fit_model(one, &s), fit_model(loose, &s), fit_model(data, &own)};
    for (size_t k = 0; k < 3; k++) {
        const rm2_model_info *i = rm2_model_info_of(models[k]);
        assert_true(!i->calibration && i->calibrated == 0 && !(i->calibration_freedom > 0));
        rm2_model_free(models[k]);
    }
    rm2_data_free(data);
    rm2_data_free(one);
    rm2_data_free(loose);
}

/* Scales and predictions have the same bits for any number of threads and ranks. */
static void same_bits(void **state) {
    (void)state;
    int threads = rm2_context_threads(ctx);
    rm2_data *data = example_data("robot", 60, 20);
    rm2_fit_settings s = robust_settings(3);
    s.inference = RM2_INFERENCE_INDUCING;
    s.inducing = 30;
    rm2_context_set_threads(ctx, 1);
    rm2_model *one = fit_model(data, &s);
    for (int k = 2; k <= 4; k++) {
        rm2_context_set_threads(ctx, k);
        thread_team *team = start_thread_team(ctx, k - 1);
        rm2_model *model = fit_model(data, &s);
        end_thread_team(team);
        assert_memory_equal(rm2_model_info_of(model)->calibration,
                            rm2_model_info_of(one)->calibration, 2 * sizeof(double));
        rm2_model_free(model);
    }
    rm2_context_set_threads(ctx, threads);
    rm2_model_free(one);
    rm2_data_free(data);
}

/* Files and compact models keep scales; decoded covariances are S Kf S h, entry by entry. */
static void kept(void **state) {
    (void)state;
    rm2_model *whole = train("toy", 4, 40, 20), *models[3] = {whole};
    void *bytes;
    size_t size;
    ok(rm2_model_to_bytes(ctx, whole, &bytes, &size));
    ok(rm2_model_from_bytes(ctx, bytes, size, NULL, &models[1]));
    ok(rm2_model_compact(ctx, whole, 20, &models[2]));
    const rm2_model_info *i = rm2_model_info_of(whole);
    for (size_t k = 0; k < 3; k++) {
        const rm2_model_info *own = rm2_model_info_of(models[k]);
        double cov[16], x[2] = {0.3, -0.2}, deviation, trace = 0;
        assert_memory_equal(own->calibration, i->calibration, 2 * sizeof(double));
        assert_int_equal(own->calibrated, 4);
        ok(rm2_model_decode(ctx, models[k], 1, x, NULL, NULL, cov, &deviation));
        double h = cov[0] / (own->calibration[0] * own->task_covariance[0]);
        for (size_t a = 0; a < 4; a++) {
            trace += cov[a * 5];
            for (size_t b = 0; b < 4; b++) {
                double scale = sqrt(own->calibration[a / 2] * own->calibration[b / 2]);
                double want = h * scale * own->task_covariance[a * 4 + b];
                assert_true(fabs(cov[a * 4 + b] - want) <= 1e-12 * cov[0] + 1e-12 * fabs(want));
            }
        }
        assert_true(fabs(deviation - sqrt(trace / 4)) <= 1e-12 * deviation);
    }
    for (size_t k = 0; k < 3; k++)
        rm2_model_free(models[k]);
    rm2_free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact),
        cmocka_unit_test(inducing_points),
        cmocka_unit_test(two_demonstrations),
        cmocka_unit_test(many_demonstrations),
        cmocka_unit_test(odd_demonstrations),
        cmocka_unit_test(not_calibrated),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(kept),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
