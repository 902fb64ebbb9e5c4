/* Points on the manifold, data as a model sees them, scores of unseen data and calibration: against
 * definitions, closed forms and data simulated from a model whose truth is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "riemann2/eval.h"
#include "riemann2/fit.h"
#include "riemann2/io.h"
#include "riemann2/trajectory.h"

static rm2_context *ctx;
static rm2_data *toy, *robot;
static rm2_model *wrapped, *per_output, *flat, *poses; /* R2 x S2 by three models, R3 x S3 */

static void near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g, not %.17g (tolerance %g)", got, want, tolerance);
}

static void refused(rm2_status status, rm2_status want, const char *text) {
    assert_int_equal(status, want);
    if (!strstr(rm2_context_error(ctx), text))
        fail_msg("\"%s\" has no \"%s\"", rm2_context_error(ctx), text);
}

static bool fit(const rm2_data *data, const rm2_fit_settings *s, rm2_model **model) {
    return rm2_fit(ctx, data, s, NULL, model) == RM2_OK;
}

static int set_up(void **state) {
    (void)state;
    rm2_generate_settings size = {.size = sizeof size, .trajectories = 3, .points = 12};
    rm2_generate_settings scaled = {
        .size = sizeof scaled, .trajectories = 3, .points = 12, .scale = true};
    rm2_fit_settings robust = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST), other;
    robust.optim.max_iterations = 20;
    if (rm2_context_create(&ctx) != RM2_OK ||
        rm2_data_generate(ctx, "toy", &scaled, &toy) != RM2_OK ||
        rm2_data_generate(ctx, "robot", &size, &robot) != RM2_OK)
        return -1;
    bool made = fit(toy, &robust, &wrapped) && fit(robot, &robust, &poses);
    other = robust;
    other.noise = RM2_NOISE_PER_OUTPUT;
    other.task = RM2_TASK_LEARNED;
    other.task_noise = (rm2_hyperparameter){.start = 0.01};
    made = made && fit(toy, &other, &per_output);
    other = robust;
    other.model = RM2_GPLVM;
    return made && fit(toy, &other, &flat) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    rm2_model_free(wrapped);
    rm2_model_free(per_output);
    rm2_model_free(flat);
    rm2_model_free(poses);
    rm2_data_free(toy);
    rm2_data_free(robot);
    rm2_context_free(ctx);
    return 0;
}

/* ---- membership ----------------------------------------------------------------------------- */

static size_t count_on(const char *spec, size_t n, const double *points, bool *on) {
    rm2_manifold *m;
    size_t count = SIZE_MAX;
    assert_int_equal(rm2_manifold_create(ctx, spec, &m), RM2_OK);
    assert_int_equal(rm2_manifold_contains(ctx, m, n, points, on, &count), RM2_OK);
    rm2_manifold_free(m);
    return count;
}

static bool is_on(const char *spec, const double *point) {
    bool on[4];
    return count_on(spec, 1, point, on) == 1 && on[0];
}

/* The tolerance around 1 is 1e-8 + 1e-5. */
static void unit_norm(void **state) {
    (void)state;
    const double tolerance = 1e-8 + 1e-5, inside = 1 + 0.999 * tolerance,
                 outside = 1 + 1.001 * tolerance;
    for (int sign = -1; sign <= 1; sign += 2) {
        double edge = 1 + sign * (inside - 1), beyond = 1 + sign * (outside - 1);
        assert_true(is_on("S2", (double[]){0.6 * edge, 0, -0.8 * edge}));
        assert_false(is_on("S2", (double[]){0.6 * beyond, 0, -0.8 * beyond}));
        assert_true(is_on("SO3", (double[]){0, edge, 0, 0}));
        assert_false(is_on("SO3", (double[]){0, beyond, 0, 0}));
        assert_true(is_on("S1", (double[]){0, -edge}));
    }
    assert_false(is_on("S2", (double[]){0, 0, 0}));
    assert_false(is_on("S2", (double[]){NAN, 0, 1}));
    assert_false(is_on("S2", (double[]){INFINITY, 0, 1}));
}

static void spd_and_hyperbolic(void **state) {
    (void)state;
    /* symmetric: |2 - a| <= 1e-8 + 1e-5 min(2, a) */
    assert_true(is_on("SPD2", (double[]){3, 2, 2 - 1.9e-5, 3}));
    assert_false(is_on("SPD2", (double[]){3, 2, 2 - 2.1e-5, 3}));
    assert_true(is_on("SPD2", (double[]){1, 0, 0.9e-8, 1})); /* beside zero: the absolute part */
    assert_false(is_on("SPD2", (double[]){1, 0, 1.1e-8, 1}));
    /* definite: any positive eigenvalue will do, zero and below will not */
    assert_true(is_on("SPD2", (double[]){1, 0, 0, 1e-300}));
    assert_false(is_on("SPD2", (double[]){1, 0, 0, 0}));
    assert_false(is_on("SPD2", (double[]){1, 0, 0, -1e-12}));
    assert_false(is_on("SPD2", (double[]){1, 1, 1, 1 - 1e-9}));
    assert_true(is_on("SPD2", (double[]){1e-26, 1e-27, 1e-27, 1e-26}));
    assert_false(is_on("SPD2", (double[]){1, NAN, NAN, 1}));
    /* <x, x> = -1 within 1e-8 + 1e-5: x0^2 = 2 - e at |s| = 1 */
    const double tolerance = 1e-8 + 1e-5;
    assert_true(is_on("H2", (double[]){sqrt(2 + 0.999 * tolerance), 0.6, 0.8}));
    assert_true(is_on("H2", (double[]){sqrt(2 - 0.999 * tolerance), 0.6, 0.8}));
    assert_false(is_on("H2", (double[]){sqrt(2 + 1.001 * tolerance), 0.6, 0.8}));
    assert_false(is_on("H2", (double[]){sqrt(2 - 1.001 * tolerance), 0.6, 0.8}));
    assert_false(is_on("H2", (double[]){-sqrt(2), 0.6, 0.8})); /* the other sheet */
    assert_false(is_on("H2", (double[]){NAN, 0.6, 0.8}));
}

static void products(void **state) {
    (void)state;
    const double points[] = {1e300, -7, 0, 1, 0, /* on */
                             NAN,   0,  0, 1, 0, /* a hole in the plane */
                             0,     0,  0, 2, 0, /* off the sphere */
                             0,     0,  1, 0, 0};
    bool on[8], want[8] = {true, true, false, true, true, false, true, true};
    assert_int_equal(count_on("R2 x S2", 4, points, on), 2);
    assert_memory_equal(on, want, sizeof on);
    assert_int_equal(count_on("R2 x S2", 4, points, NULL), 2);
    assert_int_equal(count_on("R2 x S2", 0, NULL, NULL), 0);
}

static double five(size_t n, const double *x, double *work) {
    (void)n;
    (void)work;
    return x[0];
}

/* A geometry of the user's own is judged by its defect. */
static void own_geometry(void **state) {
    (void)state;
    rm2_geometry g = rm2_euclidean;
    rm2_manifold *m;
    size_t count;
    g.name = "W";
    g.defect = five;
    assert_int_equal(rm2_manifold_from_factors(ctx, &(rm2_factor){.geometry = &g, .n = 1}, 1, &m),
                     RM2_OK);
    assert_int_equal(rm2_manifold_contains(ctx, m, 3, (double[]){1e-5, 1.01e-5, 0}, NULL, &count),
                     RM2_OK);
    assert_int_equal(count, 2);
    rm2_manifold_free(m);
}

/* ---- resampling, rows, signs ---------------------------------------------------------------- */

/* Along a great circle and a line, where the result is known; lengths 1 and 2; the same number. */
static void resampling(void **state) {
    (void)state;
    enum { N = 5, MOST = 13 };
    double points[N * 4], out[MOST * 4];
    rm2_manifold *m;
    assert_int_equal(rm2_manifold_create(ctx, "R1 x S2", &m), RM2_OK);
    for (size_t i = 0; i < N; i++) {
        double t = 0.3 * (double)i, p[4] = {2 * t, cos(t), 0, sin(t)};
        memcpy(points + 4 * i, p, sizeof p);
    }
    for (size_t count = 1; count <= MOST; count++) {
        assert_int_equal(rm2_trajectory_resample(ctx, m, N, points, count, out), RM2_OK);
        for (size_t k = 0; k < count; k++) {
            double t = count > 1 ? 1.2 * (double)k / (double)(count - 1) : 0;
            near(out[4 * k], 2 * t, 1e-14);
            near(out[4 * k + 1], cos(t), 1e-14);
            near(out[4 * k + 2], 0, 1e-14);
            near(out[4 * k + 3], sin(t), 1e-14);
        }
    }
    assert_int_equal(rm2_trajectory_resample(ctx, m, N, points, N, out), RM2_OK);
    assert_memory_equal(out, points, sizeof points);
    assert_int_equal(rm2_trajectory_resample(ctx, m, 1, points, 3, out), RM2_OK);
    assert_memory_equal(out + 8, points, 4 * sizeof *points);
    refused(rm2_trajectory_resample(ctx, m, 0, points, 3, out), RM2_ERR_ARGUMENT, "no points");
    const double poles[] = {0, 1, 0, 0, 0, -1, 0, 0};
    refused(rm2_trajectory_resample(ctx, m, 2, poles, 3, out), RM2_ERR_CUT_LOCUS, "cut locus");
    rm2_manifold_free(m);
}

static void rows(void **state) {
    (void)state;
    rm2_model_info i = *rm2_model_info_of(wrapped);
    size_t n = toy->count, D = rm2_manifold_ambient(i.manifold);
    double *points = malloc(3 * n * D * sizeof *points), *out = points + n * D, *c = out + n * D;
    assert_non_null(points);
    memcpy(points, toy->points, n * D * sizeof *points);
    rm2_data_unscale(toy, n, points);
    assert_int_equal(rm2_model_view_width(wrapped, RM2_VIEW_AMBIENT), 5);
    assert_int_equal(rm2_model_view_width(wrapped, RM2_VIEW_TANGENT), 4);
    for (int space = RM2_VIEW_AMBIENT; space <= RM2_VIEW_MANIFOLD; space += 2) {
        assert_int_equal(rm2_model_view_rows(ctx, wrapped, (rm2_model_view)space, n, points, out),
                         RM2_OK);
        for (size_t k = 0; k < n * D; k++)
            near(out[k], i.data->points[k], 1e-14 * (1 + fabs(i.data->points[k])));
    }
    assert_int_equal(rm2_model_view_rows(ctx, wrapped, RM2_VIEW_TANGENT, n, points, out), RM2_OK);
    assert_int_equal(rm2_manifold_log_coords(ctx, i.manifold, n, i.base, 1, i.data->points, c),
                     RM2_OK);
    for (size_t k = 0; k < n * 4; k++)
        near(out[k], c[k], 1e-13);
    points[5 * 7 + 3] += 0.1; /* point 7 leaves the sphere */
    assert_int_equal(rm2_model_view_rows(ctx, wrapped, RM2_VIEW_AMBIENT, n, points, out), RM2_OK);
    refused(rm2_model_view_rows(ctx, wrapped, RM2_VIEW_MANIFOLD, n, points, out), RM2_ERR_DOMAIN,
            "point 7, factor 2 (S2) is not on the manifold");
    refused(rm2_model_view_rows(ctx, wrapped, RM2_VIEW_TANGENT, n, points, out), RM2_ERR_DOMAIN,
            "point 7, factor 2");
    refused(rm2_model_view_rows(ctx, flat, RM2_VIEW_TANGENT, n, points, out), RM2_ERR_UNSUPPORTED,
            "no base point");
    free(points);
}

/* ---- scores --------------------------------------------------------------------------------- */

/* By definition, from what encoding and decoding give: log density, less the volume term at the
 * observation; residuals; means over the trajectory and over all. */
static void check_score(const rm2_model *model, rm2_encode_kind objective) {
    rm2_encode_settings s = rm2_encode_settings_default();
    s.objective = objective;
    rm2_model_info i = *rm2_model_info_of(model);
    size_t n = toy->count, D = 5, M = i.outputs, Q = i.latent_dim;
    double *memory = malloc(n * (3 * D + M + 2 * Q + 1) * sizeof *memory);
    rm2_encoded *info = calloc(n, sizeof *info);
    rm2_score each[3] = {{.size = sizeof *each}}, total = {.size = sizeof total};
    assert_true(memory && info);
    info->size = sizeof *info;
    double *points = memory, *back = points + n * D, *v = back + n * D, *mean = v + n * D,
           *x = mean + n * M, *own = x + n * Q, *volume = own + n * Q;
    memcpy(points, toy->points, n * D * sizeof *points);
    rm2_data_unscale(toy, n, points);
    assert_int_equal(rm2_model_encode(ctx, model, &s, n, points, x, NULL, info), RM2_OK);
    assert_int_equal(rm2_model_decode(ctx, model, n, x, back, mean, NULL, NULL), RM2_OK);
    assert_int_equal(rm2_model_score(ctx, model, &s, toy, own, each, &total), RM2_OK);
    assert_memory_equal(own, x, n * Q * sizeof *x);
    memcpy(v, i.data->points, n * D * sizeof *v);
    for (size_t k = 0; k < n; k++)
        volume[k] = 0;
    if (i.settings->model == RM2_WGPLVM) {
        assert_int_equal(rm2_manifold_log_coords(ctx, i.manifold, n, i.base, 1, i.data->points, v),
                         RM2_OK);
        assert_int_equal(rm2_manifold_log_volume(ctx, i.manifold, n, v, volume), RM2_OK);
    }
    double density = 0, on_manifold = 0, tangent = 0, ambient = 0;
    size_t from = toy->starts[1], to = toy->starts[2];
    for (size_t k = from; k < to; k++) {
        density += info[k].log_density / (double)(to - from);
        on_manifold += (info[k].log_density - volume[k]) / (double)(to - from);
        for (size_t j = 0; j < M; j++)
            tangent += pow(v[k * M + j] - mean[k * M + j], 2) / (double)(to - from);
        for (size_t j = 0; j < D; j++)
            ambient +=
                pow((points[k * D + j] - back[k * D + j]) / (j < 2 ? i.data->scale[0] : 1), 2) /
                (double)(to - from);
    }
    assert_int_equal(each[1].points, to - from);
    assert_int_equal(total.points, n);
    near(each[1].log_density, density, 1e-9);
    near(each[1].tangent, sqrt(tangent), 1e-12);
    near(each[1].ambient, sqrt(ambient), 1e-12);
    if (i.settings->model == RM2_WGPLVM)
        near(each[1].log_density_manifold, on_manifold, 1e-9);
    else
        assert_true(isnan(each[1].log_density_manifold));
    near(total.log_density, (each[0].log_density + each[1].log_density + each[2].log_density) / 3,
         1e-9);
    assert_true(total.converged <= n && total.converged >= n - 2);
    assert_int_equal(rm2_model_score(ctx, model, &s, toy, NULL, NULL, &total), RM2_OK);
    free(info);
    free(memory);
}

static void scores(void **state) {
    (void)state;
    check_score(wrapped, RM2_ENCODE_DENSITY);
    check_score(wrapped, RM2_ENCODE_RESIDUAL);
    check_score(per_output, RM2_ENCODE_DENSITY);
    check_score(flat, RM2_ENCODE_RESIDUAL);
}

static void bad_scores(void **state) {
    (void)state;
    rm2_score total = {.size = sizeof total};
    double points[36 * 5];
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = toy->manifold,
                              .source = "holes",
                              .count = 36,
                              .points = points};
    rm2_data_settings s = rm2_data_settings_default();
    rm2_data *holes;
    refused(rm2_model_score(ctx, wrapped, NULL, robot, NULL, NULL, &total), RM2_ERR_DATA,
            "the model is on R2 x S2");
    rm2_data_original(toy, points);
    points[5 * 4 + 1] = NAN;
    s.allow_missing = true;
    assert_int_equal(rm2_data_create(ctx, &arrays, &s, &holes, NULL, NULL), RM2_OK);
    refused(rm2_model_score(ctx, wrapped, NULL, holes, NULL, NULL, &total), RM2_ERR_DATA,
            "holes, point 4: entry 1 (counted from 0) is missing; scores need all of them");
    rm2_data_free(holes);
}

/* ---- calibration ---------------------------------------------------------------------------- */

/* (v - f)^T S^-1 (v - f) with S = cov + noise of an observation, by elimination. */
static double mahalanobis(size_t M, const double *S, const double *r) {
    double A[5 * 6], sum = 0;
    for (size_t i = 0; i < M; i++) {
        memcpy(A + i * (M + 1), S + i * M, M * sizeof *A);
        A[i * (M + 1) + M] = r[i];
    }
    for (size_t k = 0; k < M; k++)
        for (size_t i = k + 1; i < M; i++) {
            double factor = A[i * (M + 1) + k] / A[k * (M + 1) + k];
            for (size_t j = k; j <= M; j++)
                A[i * (M + 1) + j] -= factor * A[k * (M + 1) + j];
        }
    /* after elimination A = L D L^T: the sum of z_k^2/D_k with z = L^-1 r */
    for (size_t k = 0; k < M; k++)
        sum += pow(A[k * (M + 1) + M], 2) / A[k * (M + 1) + k];
    return sum;
}

/* sup |F_n(u) - u|, reached at one of the values or just before it. */
static double distance_from_uniform(size_t n, const double *u) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double below = 0, up_to = 0;
        for (size_t k = 0; k < n; k++) {
            below += u[k] < u[i] ? 1 / (double)n : 0;
            up_to += u[k] <= u[i] ? 1 / (double)n : 0;
        }
        worst = fmax(worst, fmax(fabs(up_to - u[i]), fabs(below - u[i])));
    }
    return worst;
}

/* Root of the scale of an output's factor, R2 then S2. */
static double scale_of(const rm2_model_info *i, size_t output) {
    return i->calibrated ? sqrt(i->calibration[output >= 2]) : 1;
}

/* Of the distribution with 4 degrees: chi-square, 1 - exp(-x/2) (1 + x/2), or with u = x/(x + n)
 * 4 F(4, n): 1 - (1 - u)^(n/2) (1 + n u/2). */
static double four_degrees(double x, double n) {
    double u = x / (x + n);
    return n > 0 ? 1 - pow(1 - u, n / 2) * (1 + n * u / 2) : 1 - exp(-x / 2) * (1 + x / 2);
}

static void check_squares(const rm2_model *model) {
    enum { N = 70 }; /* more than one block */
    rm2_model_info i = *rm2_model_info_of(model);
    size_t M = i.outputs, Q = i.latent_dim, D = 5;
    double x[N * 2], points[N * 5], scaled[N * 5], v[N * 5], mean[N * 5], squares[N], pit[N];
    double *cov = malloc(N * M * M * sizeof *cov);
    rm2_calibration c = {.size = sizeof c};
    assert_non_null(cov);
    for (size_t k = 0; k < N * Q; k++)
        x[k] = rm2_rng_normal(rm2_context_rng(ctx));
    assert_int_equal(rm2_model_sample(ctx, model, N, x, 1, true, points), RM2_OK);
    memcpy(scaled, points, sizeof scaled);
    for (size_t k = 0; k < N; k++)
        for (size_t j = 0; j < 2; j++)
            scaled[k * D + j] /= i.data->scale[0];
    if (i.settings->model == RM2_GPLVM)
        memcpy(v, scaled, sizeof v);
    else
        assert_int_equal(rm2_manifold_log_coords(ctx, i.manifold, N, i.base, 1, scaled, v), RM2_OK);
    assert_int_equal(rm2_model_decode(ctx, model, N, x, NULL, mean, cov, NULL), RM2_OK);
    assert_int_equal(
        rm2_model_calibration(ctx, model,
                              &(rm2_calibration_points){N, x, points, squares, pit, false}, &c),
        RM2_OK);
    double sum = 0;
    for (size_t k = 0; k < N; k++) {
        double *S = cov + k * M * M, r[5];
        for (size_t a = 0; a < M; a++) {
            r[a] = v[k * M + a] - mean[k * M + a];
            for (size_t b = 0; b < M; b++)
                S[a * M + b] +=
                    i.settings->noise == RM2_NOISE_KRONECKER
                        ? i.noise * i.task_covariance[a * M + b] * scale_of(&i, a) * scale_of(&i, b)
                        : (a == b ? i.noise + i.task_noise[a] : 0);
        }
        double want = mahalanobis(M, S, r);
        near(squares[k], want, 1e-6 * (1 + want)); /* condition of S, below 1e8 */
        sum += squares[k];
        if (M == 4)
            near(pit[k], four_degrees(squares[k], i.calibration_freedom), 1e-13);
    }
    double n = i.calibration_freedom;
    near(c.mean_square, sum / (double)(M * N) * (n > 0 ? (n - 2) / n : 1), 1e-12 * c.mean_square);
    assert_true(c.degrees == M && c.freedom == n);
    near(c.uniformity, distance_from_uniform(N, pit), 1e-13);
    free(cov);
}

static void squares(void **state) {
    (void)state;
    check_squares(wrapped);
    check_squares(per_output);
    check_squares(flat);
}

/* Observations drawn from the model itself at known latent points, each alone: the coverage is the
 * nominal one up to binomial errors (4.5 deviations: 1 in 150000 of each; the seed is fixed), the mean
 * square 1 up to sqrt(2/(M n)), the distance from uniform below 2.2/sqrt(n) (1 in 10000). */
/* Divide the deviation of a point from its mean by the root of a chi-square variable over its n degrees: the reference of
 * models that are calibrated on n demonstrations. */
static void vary_size(const rm2_model *model, const double *x, double *point) {
    rm2_model_info i = *rm2_model_info_of(model);
    double n = i.calibration_freedom, sum = 0, v[5], mean[5];
    if (!(n > 0))
        return;
    for (size_t k = 0; k < (size_t)n; k++)
        sum += pow(rm2_rng_normal(rm2_context_rng(ctx)), 2);
    point[0] /= i.data->scale[0];
    point[1] /= i.data->scale[0];
    if (i.settings->model == RM2_GPLVM)
        memcpy(v, point, sizeof v);
    else
        assert_int_equal(rm2_manifold_log_coords(ctx, i.manifold, 1, i.base, 1, point, v), RM2_OK);
    assert_int_equal(rm2_model_decode(ctx, model, 1, x, NULL, mean, NULL, NULL), RM2_OK);
    for (size_t k = 0; k < i.outputs; k++)
        v[k] = mean[k] + (v[k] - mean[k]) * sqrt(n / sum);
    if (i.settings->model == RM2_GPLVM)
        memcpy(point, v, sizeof v);
    else
        assert_int_equal(rm2_manifold_exp_coords(ctx, i.manifold, 1, i.base, 1, v, point), RM2_OK);
    point[0] *= i.data->scale[0];
    point[1] *= i.data->scale[0];
}

static void check_truth(const rm2_model *model) {
    enum { N = 1500, ONE_BY_ONE = 1 };
    rm2_model_info i = *rm2_model_info_of(model);
    double *x = malloc(N * 7 * sizeof *x), *points = x + 2 * (size_t)N;
    rm2_calibration c = {.size = sizeof c};
    assert_non_null(x);
    for (size_t k = 0; k < N;
         k++) { /* around the training latents, so that the sphere is not left */
        for (size_t q = 0; q < 2; q++)
            x[k * 2 + q] =
                i.latents[k % i.points * 2 + q] + 0.02 * rm2_rng_normal(rm2_context_rng(ctx));
        assert_int_equal(
            rm2_model_sample(ctx, model, ONE_BY_ONE, x + k * 2, 1, true, points + k * 5), RM2_OK);
        vary_size(model, x + k * 2, points + k * 5);
    }
    assert_int_equal(
        rm2_model_calibration(ctx, model,
                              &(rm2_calibration_points){N, x, points, NULL, NULL, false}, &c),
        RM2_OK);
    assert_int_equal(c.points, N);
    assert_int_equal(c.outputs, i.outputs);
    for (size_t l = 0; l < RM2_LEVELS; l++)
        near(c.coverage[l], c.level[l], 4.5 * sqrt(c.level[l] * (1 - c.level[l]) / N));
    if (!i.calibrated) /* with 3 demonstrations squares have no variance */
        near(c.mean_square, 1, 4.5 * sqrt(2.0 / (double)(i.outputs * N)));
    assert_true(c.uniformity > 0 && c.uniformity < 2.2 / sqrt(N));
    for (size_t k = 0; k < N * 5; k++) /* twice the noise and more: too certain, and it shows */
        points[k] += k % 5 < 2 ? 0.5 * rm2_rng_normal(rm2_context_rng(ctx)) : 0;
    assert_int_equal(
        rm2_model_calibration(ctx, model,
                              &(rm2_calibration_points){N, x, points, NULL, NULL, false}, &c),
        RM2_OK);
    assert_true(c.mean_square > 1.5 && c.coverage[4] < 0.8);
    free(x);
}

static void truth(void **state) {
    (void)state;
    rm2_context_set_seed(ctx, 5);
    check_truth(wrapped);
    check_truth(per_output);
    check_truth(flat);
}

/* One point; encoded latents cost degrees of freedom, which the reference takes into account. */
static void small_and_encoded(void **state) {
    (void)state;
    rm2_model_info i = *rm2_model_info_of(wrapped);
    size_t n = i.points;
    double *points = malloc(n * 9 * sizeof *points), *x = points + n * 5, *sampled = x + n * 2;
    double one_pit = NAN;
    rm2_calibration given = {.size = sizeof given}, encoded = {.size = sizeof encoded},
                    one = {.size = sizeof one};
    rm2_encode_settings residual = rm2_encode_settings_default();
    assert_non_null(points);
    residual.objective = RM2_ENCODE_RESIDUAL;
    memcpy(sampled, i.latents, n * 2 * sizeof *sampled);
    assert_int_equal(rm2_model_sample(ctx, wrapped, n, sampled, 1, true, points), RM2_OK);
    assert_int_equal(rm2_model_encode(ctx, wrapped, &residual, n, points, x, NULL, NULL), RM2_OK);
    assert_int_equal(
        rm2_model_calibration(
            ctx, wrapped, &(rm2_calibration_points){n, sampled, points, NULL, NULL, false}, &given),
        RM2_OK);
    assert_int_equal(
        rm2_model_calibration(ctx, wrapped,
                              &(rm2_calibration_points){n, x, points, NULL, NULL, true}, &encoded),
        RM2_OK);
    assert_true(given.degrees == 4 && encoded.degrees == 2);
    assert_true(2 * encoded.mean_square < 4 * given.mean_square); /* sums of squares */
    assert_true(encoded.quantile[0] < given.quantile[0]);
    assert_int_equal(
        rm2_model_calibration(ctx, wrapped,
                              &(rm2_calibration_points){1, x, points, NULL, &one_pit, false}, &one),
        RM2_OK);
    near(one.uniformity, fmax(one_pit, 1 - one_pit), 1e-15);
    refused(rm2_model_calibration(ctx, wrapped,
                                  &(rm2_calibration_points){0, x, points, NULL, NULL, false}, &one),
            RM2_ERR_ARGUMENT, "no points");
    x[3] = NAN;
    refused(rm2_model_calibration(ctx, wrapped,
                                  &(rm2_calibration_points){n, x, points, NULL, NULL, false}, &one),
            RM2_ERR_DATA, "latent point 1: coordinate 1 is nan");
    points[7] = INFINITY;
    refused(rm2_model_calibration(ctx, wrapped,
                                  &(rm2_calibration_points){n, sampled, points, NULL, NULL, false},
                                  &one),
            RM2_ERR_DATA, "point 1: coordinate 2 is inf");
    free(points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unit_norm),
        cmocka_unit_test(spd_and_hyperbolic),
        cmocka_unit_test(products),
        cmocka_unit_test(own_geometry),
        cmocka_unit_test(resampling),
        cmocka_unit_test(rows),
        cmocka_unit_test(scores),
        cmocka_unit_test(bad_scores),
        cmocka_unit_test(squares),
        cmocka_unit_test(truth),
        cmocka_unit_test(small_and_encoded),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
