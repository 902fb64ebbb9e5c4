/* Encoding: optimal under densities evaluated from the definition, with the curvature as
 * uncertainty; by residual; with missing entries; refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "linalg/dense.h"
#include "model/model.h"
#include "model_density.h"
#include "model_fixture.h"
#include "model_variants.h"

/* Optimal: no step of 1e-3, 1e-2 or 1e-1 lengthscales raises the objective. The optimiser stops
 * where a step gains less than 1e-10 of it or the slope is below 1e-5, which leaves 1e-7. */
static void check_optimal(const rm2_model *model, const double *x, const double *v,
                          const bool *there) {
    rm2_model_info i = *rm2_model_info_of(model);
    double best = log_density_at(model, x, v, there) + log_broad_at(model, x), moved[MOST_Q];
    for (size_t q = 0; q < i.latent_dim; q++)
        for (int k = 0; k < 6; k++) {
            memcpy(moved, x, i.latent_dim * sizeof *x);
            moved[q] += (k % 2 ? 1 : -1) * pow(10, -1 - k / 2) * i.lengthscale[q];
            double value = log_density_at(model, moved, v, there) + log_broad_at(model, moved);
            if (!(value <= best + 1e-7))
                fail_msg("coordinate %zu, step %d: %.12g above %.12g", q, k, value, best);
        }
}

/* The covariance is the inverse of the Hessian. */
static void check_curvature(const rm2_model *model, const double *x, const double *v,
                            const double *cov) {
    double H[MOST_Q][MOST_Q];
    find_hessian(model, x, v, H);
    assert_inverse(rm2_model_info_of(model)->latent_dim, H, cov);
}

static void check_encoding(const variant *kind) {
    rm2_data *data = example_data("toy", 3, 20);
    rm2_fit_settings s = settings_of(kind, 40);
    rm2_model *model = fit_model(data, &s);
    rm2_model_info i = *rm2_model_info_of(model);
    size_t N = i.points, Q = i.latent_dim;
    double *latents = numbers(N * Q), *cov = numbers(N * Q * Q), far = 0;
    rm2_encoded *info = calloc(N, sizeof *info);
    assert_non_null(info);
    info->size = sizeof *info;
    rm2_encode_settings e = rm2_encode_settings_default();
    e.back_constraint = false;
    assert_int_equal(rm2_model_encode(ctx, model, &e, N, data->points, latents, cov, info), RM2_OK);
    for (size_t n = 0; n < N; n++) {
        double v[MOST_M], f[MOST_M], square = 0, own, away = 0;
        outputs_of(model, data->points + n * 5, v);
        double density = log_density_at(model, latents + n * Q, v, NULL);
        assert_true(fabs(info[n].log_density_at_latent - density) <= 1e-8 * fmax(1, fabs(density)));
        assert_int_equal(rm2_model_decode(ctx, model, 1, latents + n * Q, NULL, f, NULL, NULL),
                         RM2_OK);
        for (size_t m = 0; m < i.outputs; m++)
            square += pow(v[m] - f[m], 2);
        assert_true(fabs(info[n].residual - sqrt(square)) <= 1e-9);
        assert_true(info[n].nearest < N);
        assert_positive_definite(Q, cov + n * Q * Q);
        own = log_density_at(model, i.latents + n * Q, v, NULL) +
              log_broad_at(model, i.latents + n * Q);
        assert_true(density + log_broad_at(model, latents + n * Q) >= own - 1e-6);
        if (n % 6 == 0)
            check_optimal(model, latents + n * Q, v, NULL);
        if (n % 12 == 0 && s.kernel == RM2_LATENT_SE)
            check_curvature(model, latents + n * Q, v, cov + n * Q * Q);
        for (size_t q = 0; q < Q; q++)
            away += pow((latents[n * Q + q] - i.latents[n * Q + q]) / i.lengthscale[q], 2);
        far += away > 1;
    }
    print_message("%s: %g of %zu further than a lengthscale\n", kind->name, far, N);
    if (kind->recipe == RM2_RECIPE_ROBUST && Q == 2)
        assert_true(far <= 0.1 * (double)N);
    free(latents);
    free(cov);
    free(info);
    rm2_model_free(model);
    rm2_data_free(data);
}

static void test_encoding(void **state) {
    (void)state;
    static const variant few[] = {
        {"robust", RM2_RECIPE_ROBUST, use_recipe, 2},
        {"robust, Q = 1", RM2_RECIPE_ROBUST, use_recipe, 1},
        {"robust, Matern 5/2", RM2_RECIPE_ROBUST, use_matern52, 2},
        {"robust, Euclidean", RM2_RECIPE_ROBUST, use_euclidean, 2},
        {"robust, noise an output", RM2_RECIPE_ROBUST, use_own_noise, 2},
        {"map, independent", RM2_RECIPE_MAP, use_independent_own_noise, 3}};
    for (size_t k = 0; k < sizeof few / sizeof few[0]; k++)
        check_encoding(&few[k]);
}

/* Least squares: the squared residual in the metric of the noise is least at the result among its
 * neighbours, and hardly ever above that of the density's result. */
static void test_encoding_by_residual(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 3, 20);
    for (int noise = 0; noise < 2; noise++) {
        rm2_fit_settings s = robust_settings(30);
        if (noise)
            use_own_noise(&s);
        rm2_model *model = fit_model(data, &s);
        rm2_model_info i = *rm2_model_info_of(model);
        rm2_encode_settings e = rm2_encode_settings_default();
        double x[60 * 2], y[60 * 2], cov[60 * 4];
        size_t beaten = 0;
        assert_int_equal(rm2_model_encode(ctx, model, &e, 60, data->points, x, NULL, NULL), RM2_OK);
        e.objective = RM2_ENCODE_RESIDUAL;
        assert_int_equal(rm2_model_encode(ctx, model, &e, 60, data->points, y, cov, NULL), RM2_OK);
        for (size_t n = 0; n < 60; n++) {
            double v[4], weighted[6], inverse[16], work[16];
            outputs_of(model, data->points + n * 5, v);
            for (size_t a = 0; a < 16; a++)
                work[a] = noise ? (a % 5 == 0 ? i.noise + i.task_noise[a / 4] : 0)
                                : i.noise * predicted_covariance(model, a / 4, a % 4);
            assert_int_equal(rm2i_cholesky(4, work, inverse), RM2_OK);
            for (int k = 0; k < 6; k++) { /* at y, four neighbours, x */
                double at[2] = {y[2 * n], y[2 * n + 1]}, f[4], r[4];
                if (k > 0 && k < 5)
                    at[k / 3] += (k % 2 ? 1 : -1) * 1e-2 * i.lengthscale[0];
                assert_int_equal(
                    rm2_model_decode(ctx, model, 1, k == 5 ? x + 2 * n : at, NULL, f, NULL, NULL),
                    RM2_OK);
                weighted[k] = 0;
                for (size_t a = 0; a < 4; a++) { /* |L^-1 (v - f)|^2 */
                    r[a] = v[a] - f[a];
                    for (size_t b = 0; b < a; b++)
                        r[a] -= inverse[a * 4 + b] * r[b];
                    r[a] /= inverse[a * 5];
                    weighted[k] += r[a] * r[a];
                }
                if (k < 5) /* the optimiser stops at slopes of 1e-5 */
                    assert_true(weighted[k] >= weighted[0] - 1e-6);
                else /* there may be a better minimum elsewhere, but rarely */
                    beaten += weighted[k] < weighted[0] - 1e-6;
            }
            assert_positive_definite(2, cov + n * 4);
        }
        assert_true(beaten <= 3);
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

/* Coordinates that are not there are left out of the density, which is maximised all the same. */
static void test_missing_entries(void **state) {
    (void)state;
    rm2_data *data = scaled_example("toy", 3, 20);
    for (int noise = 0; noise < 2; noise++) {
        rm2_fit_settings s = robust_settings(30);
        if (noise)
            use_own_noise(&s);
        rm2_model *model = fit_model(data, &s);
        static const bool seen[3][4] = {
            {false, true, true, true}, {true, true, false, false}, {false, false, true, true}};
        for (int k = 0; k < 3; k++) {
            double y[5], x[2], cov[4], v[4];
            rm2_encoded info = {.size = sizeof info};
            memcpy(y, data->points + 31 * 5, sizeof y);
            rm2_data_unscale(data, 1, y);
            outputs_of(model, y, v);
            if (!seen[k][0])
                y[0] = NAN;
            if (!seen[k][1])
                y[1] = NAN;
            if (!seen[k][2])
                y[2] = y[3] = y[4] = NAN;
            assert_int_equal(rm2_model_encode(ctx, model, NULL, 1, y, x, cov, &info), RM2_OK);
            double density = log_density_at(model, x, v, seen[k]);
            assert_true(fabs(info.log_density_at_latent - density) <=
                        1e-8 * fmax(1, fabs(density)));
            check_optimal(model, x, v, seen[k]);
            assert_positive_definite(2, cov);
        }
        double x[2], part[5] = {0, 0, NAN, 0, 1}, none[5] = {NAN, NAN, NAN, NAN, NAN};
        assert_int_equal(rm2_model_encode(ctx, model, NULL, 1, part, x, NULL, NULL), RM2_ERR_DATA);
        assert_non_null(strstr(rm2_context_error(ctx), "only as a whole"));
        assert_int_equal(rm2_model_encode(ctx, model, NULL, 1, none, x, NULL, NULL), RM2_ERR_DATA);
        assert_non_null(strstr(rm2_context_error(ctx), "every entry is missing"));
        rm2_model_free(model);
    }
    /* a Euclidean model misses entry by entry */
    rm2_fit_settings s = robust_settings(20);
    s.model = RM2_GPLVM;
    rm2_model *model = fit_model(data, &s);
    double y[5], x[2], v[5];
    rm2_encoded info = {.size = sizeof info};
    memcpy(y, data->points + 31 * 5, sizeof y);
    rm2_data_unscale(data, 1, y);
    outputs_of(model, y, v);
    y[3] = NAN;
    const bool seen[5] = {true, true, true, false, true};
    assert_int_equal(rm2_model_encode(ctx, model, NULL, 1, y, x, NULL, &info), RM2_OK);
    double density = log_density_at(model, x, v, seen);
    assert_true(fabs(info.log_density_at_latent - density) <= 1e-8 * fmax(1, fabs(density)));
    rm2_model_free(model);
    rm2_data_free(data);
}

/* What one point is encoded to does not depend on its company. */
static void test_encoding_point_by_point(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 3, 20);
    for (int back = 0; back < 2; back++) {
        rm2_fit_settings s = robust_settings(20);
        s.back_constraint = back != 0;
        rm2_model *model = fit_model(data, &s);
        double y[40 * 5], x[40 * 2], alone[2];
        rm2_encoded info[40] = {{.size = sizeof *info}}, own = {.size = sizeof own};
        memcpy(y, data->points, sizeof y);
        y[0] = NAN;
        assert_int_equal(rm2_model_encode(ctx, model, NULL, 40, y, x, NULL, info), RM2_OK);
        for (size_t n = 0; n < 40; n += 13) {
            assert_int_equal(rm2_model_encode(ctx, model, NULL, 1, y + n * 5, alone, NULL, &own),
                             RM2_OK);
            /* products of matrices of other sizes: rounding, not bits */
            assert_true(fabs(alone[0] - x[n * 2]) <= 1e-9);
            assert_true(fabs(alone[1] - x[n * 2 + 1]) <= 1e-9);
            assert_int_equal(own.nearest, info[n].nearest);
        }
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

enum { ENCODED = 24 };

typedef struct encoded_points {
    double x[ENCODED * 2], covariance[ENCODED * 4];
    rm2_encoded info[ENCODED];
} encoded_points;

static encoded_points encode_some(const rm2_model *model, const double *y, bool trajectory) {
    static const size_t starts[] = {0, ENCODED};
    encoded_points e = {.info = {{.size = sizeof *e.info}}};
    rm2_encode_settings s = rm2_encode_settings_default();
    s.trajectories = trajectory ? 1 : 0;
    s.starts = starts;
    assert_int_equal(rm2_model_encode(ctx, model, &s, ENCODED, y, e.x, e.covariance, e.info),
                     RM2_OK);
    return e;
}

/* With many points the variance comes from fewer of them: latents agree to the tolerance of the search, densities and
 * covariances to the 1e-5 that the variance may differ by. */
static void fewer_points_change_little(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 3, 150);
    rm2_fit_settings s = robust_settings(5);
    rm2_model *model = fit_model(data, &s), *exact = fit_model(data, &s);
    double y[ENCODED * 5];
    for (size_t i = 0; i < ENCODED; i++)
        memcpy(y + i * 5, data->points + 6 * i * 5, 5 * sizeof *y);
    atomic_store(&exact->quick->found, exact->posterior);
    for (int trajectory = 0; trajectory < 2; trajectory++) {
        encoded_points a = encode_some(model, y, trajectory != 0);
        encoded_points b = encode_some(exact, y, trajectory != 0);
        for (size_t i = 0; i < ENCODED * 2; i++)
            assert_true(fabs(a.x[i] - b.x[i]) <= 1e-4 * model->lengthscale[i % 2]);
        for (size_t i = 0; i < ENCODED * 4; i++)
            assert_true(fabs(a.covariance[i] - b.covariance[i]) <=
                        1e-3 * fabs(b.covariance[i / 4 * 4] + b.covariance[i / 4 * 4 + 3]));
        for (size_t i = 0; i < ENCODED; i++)
            assert_true(fabs(a.info[i].log_density - b.info[i].log_density) <= 1e-3);
    }
    const rm2i_posterior *quick = atomic_load(&model->quick->found);
    assert_true(quick != model->posterior && quick->n < model->N);
    rm2_model_free(model);
    rm2_model_free(exact);
    rm2_data_free(data);
}

static void test_encoding_refusals(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12);
    rm2_fit_settings s = robust_settings(5);
    rm2_model *model = fit_model(data, &s);
    double x[2], y[5], out[5];
    memcpy(y, data->points, sizeof y);
    rm2_encode_settings e = rm2_encode_settings_default();
    e.searches = 0;
    assert_int_equal(rm2_model_encode(ctx, model, &e, 1, y, x, NULL, NULL), RM2_ERR_ARGUMENT);
    e = rm2_encode_settings_default();
    e.optim.history = 0;
    assert_int_equal(rm2_model_encode(ctx, model, &e, 1, y, x, NULL, NULL), RM2_ERR_ARGUMENT);
    y[0] = INFINITY;
    assert_int_not_equal(rm2_model_encode(ctx, model, NULL, 1, y, x, NULL, NULL), RM2_OK);
    double latent[2] = {0, NAN};
    assert_int_equal(rm2_model_decode(ctx, model, 1, latent, out, NULL, NULL, NULL), RM2_ERR_DATA);
    assert_int_equal(rm2_model_sample(ctx, model, 1, latent, 1, false, out), RM2_ERR_DATA);
    /* nothing to do is not an error */
    assert_int_equal(rm2_model_decode(ctx, model, 0, latent, out, NULL, NULL, NULL), RM2_OK);
    assert_int_equal(rm2_model_encode(ctx, model, NULL, 0, y, x, NULL, NULL), RM2_OK);
    assert_int_equal(rm2_model_sample(ctx, model, 0, latent, 3, false, out), RM2_OK);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- trajectories ---------------------------------------------------------------------------- */

enum { EIGHTS = 6, TRAINED = 4, POINTS = 40 };

/* A figure of eight, which crosses itself in the middle, each time a little different, with noise of 0.01. */
static rm2_data *eights(size_t count, const double *points) {
    size_t starts[EIGHTS + 1];
    rm2_manifold *plane = NULL;
    rm2_data *data = NULL;
    for (size_t t = 0; t <= count; t++)
        starts[t] = t * POINTS;
    assert_int_equal(rm2_manifold_create(ctx, "R2", &plane), RM2_OK);
    const rm2_data_arrays arrays = {.size = sizeof arrays,
                                    .manifold = plane,
                                    .count = count * POINTS,
                                    .points = points,
                                    .trajectories = count,
                                    .starts = starts};
    assert_int_equal(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL), RM2_OK);
    rm2_manifold_free(plane);
    return data;
}

static void draw_eight(rm2_rng *rng, double *points) {
    double a = 1 + 0.05 * rm2_rng_normal(rng), b = 1 + 0.05 * rm2_rng_normal(rng);
    double phase = 0.05 * rm2_rng_normal(rng), turn = 2 * acos(-1);
    for (size_t i = 0; i < POINTS; i++) {
        double u = turn * (double)i / (POINTS - 1) + phase;
        points[2 * i] = a * sin(u) + 0.01 * rm2_rng_normal(rng);
        points[2 * i + 1] = b * sin(2 * u) + 0.01 * rm2_rng_normal(rng);
    }
}

/* The largest step between neighbours of the same trajectory. */
static double largest_step(size_t trajectories, size_t Q, const double *x) {
    double largest = 0;
    for (size_t i = 1; i < trajectories * POINTS; i++) {
        double square = 0;
        for (size_t q = 0; q < Q && i % POINTS; q++)
            square += pow(x[i * Q + q] - x[(i - 1) * Q + q], 2);
        largest = fmax(largest, sqrt(square));
    }
    return largest;
}

static double mean_square(size_t n, const rm2_encoded *info) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += info[i].residual * info[i].residual / (double)n;
    return sum;
}

/* Where the figure crosses itself points alone go to either branch. Together they stay on theirs, with steps as in
 * training; the residual grows by no more than the noise, which points alone fit: 0.01 in each of two coordinates, over
 * the scale of the data, which is below 1. */
static void trajectories_do_not_jump(void **state) {
    (void)state;
    enum { NEW = (EIGHTS - TRAINED) * POINTS };
    double points[EIGHTS * POINTS * 2], alone[NEW * MOST_Q], together[NEW * MOST_Q];
    const size_t starts[] = {0, POINTS, NEW};
    rm2_encoded info[2][NEW] = {{{.size = sizeof **info}}, {{.size = sizeof **info}}};
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (size_t t = 0; t < EIGHTS; t++)
        draw_eight(&rng, points + t * POINTS * 2);
    rm2_data *data = eights(TRAINED, points);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_model *model = fit_model(data, &s);
    const rm2_model_info *i = rm2_model_info_of(model);
    const double *new = points + TRAINED *POINTS * 2;
    rm2_encode_settings e = rm2_encode_settings_default();
    assert_int_equal(rm2_model_encode(ctx, model, &e, NEW, new, alone, NULL, info[0]), RM2_OK);
    e.trajectories = 2;
    e.starts = starts;
    for (int kind = 0; kind < 3; kind++) {
        e.objective = (rm2_encode_kind)kind;
        assert_int_equal(rm2_model_encode(ctx, model, &e, NEW, new, together, NULL, info[1]),
                         RM2_OK);
        double trained = largest_step(TRAINED, i->latent_dim, i->latents);
        assert_true(largest_step(2, i->latent_dim, together) < 2 * trained);
        assert_true(largest_step(2, i->latent_dim, alone) > 4 * trained); /* what it is about */
        assert_true(sqrt(mean_square(NEW, info[1])) <= sqrt(mean_square(NEW, info[0])) + 0.03);
    }
    const size_t wrong[] = {0, NEW, NEW};
    e.starts = wrong;
    assert_int_equal(rm2_model_encode(ctx, model, &e, NEW, new, together, NULL, NULL),
                     RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "trajectory 1 is empty"));
    e.starts = NULL;
    assert_int_equal(rm2_model_encode(ctx, model, &e, NEW, new, together, NULL, NULL),
                     RM2_ERR_ARGUMENT);
    rm2_model_free(model);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encoding),
        cmocka_unit_test(test_encoding_by_residual),
        cmocka_unit_test(test_missing_entries),
        cmocka_unit_test(test_encoding_point_by_point),
        cmocka_unit_test(fewer_points_change_little),
        cmocka_unit_test(test_encoding_refusals),
        cmocka_unit_test(trajectories_do_not_jump),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
