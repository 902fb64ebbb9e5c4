#include "model_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/data.h"
#include "model/model.h"
#include "riemann2/fit.h"

static char folder[] = "/tmp/rm2_model_XXXXXX";

int model_set_up(void **state) {
    return mkdtemp(folder) ? create_shared_context(state) : 1;
}

int model_tear_down(void **state) {
    (void)free_shared_context(state);
    return rmdir(folder);
}

const char *in_folder(const char *name) {
    static char path[2][128];
    static int turn;
    turn = !turn;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static rm2_data *generate(const char *name, rm2_generate_settings s) {
    rm2_data *data;
    s.seed = 1;
    ok(rm2_data_generate(ctx, name, &s, &data));
    return data;
}

rm2_data *example_data(const char *name, size_t trajectories, size_t points) {
    return generate(name, (rm2_generate_settings){.size = sizeof(rm2_generate_settings),
                                                  .trajectories = trajectories,
                                                  .points = points});
}

rm2_data *scaled_example(const char *name, size_t trajectories, size_t points) {
    return generate(name, (rm2_generate_settings){.size = sizeof(rm2_generate_settings),
                                                  .trajectories = trajectories,
                                                  .points = points,
                                                  .scale = true});
}

rm2_data *data_like(const rm2_data *data, const double *points, bool scale) {
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = data->manifold,
                              .source = data->source,
                              .count = data->count,
                              .points = points,
                              .trajectories = data->trajectories,
                              .starts = data->starts,
                              .ids = data->ids,
                              .time = data->time};
    rm2_data_settings s = rm2_data_settings_default();
    rm2_data *made;
    s.scale = scale ? RM2_SCALE_ALL : RM2_SCALE_NONE;
    ok(rm2_data_create(ctx, &arrays, &s, &made, NULL, NULL));
    return made;
}

rm2_data *data_of(const char *spec, size_t count, const double *points, bool trajectory) {
    const size_t ends[] = {0, count};
    rm2_manifold *m;
    rm2_data *data;
    ok(rm2_manifold_create(ctx, spec, &m));
    rm2_data_arrays arrays = {
        .size = sizeof arrays, .manifold = m, .source = "test", .count = count, .points = points};
    if (trajectory) {
        arrays.trajectories = 1;
        arrays.starts = ends;
    }
    ok(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL));
    rm2_manifold_free(m);
    return data;
}

rm2_model *fit_model_with(const rm2_data *data, const rm2_fit_settings *s,
                          const rm2_checkpoint *checkpoint) {
    rm2_model *model;
    ok(rm2_fit(ctx, data, s, checkpoint, &model));
    return model;
}

rm2_model *fit_model(const rm2_data *data, const rm2_fit_settings *s) {
    return fit_model_with(data, s, NULL);
}

rm2_fit_settings robust_settings(size_t iterations) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.optim.max_iterations = iterations;
    return s;
}

double *numbers(size_t count) {
    double *block = calloc(count ? count : 1, sizeof *block);
    assert_non_null(block);
    return block;
}

void assert_finite(size_t count, const double *values) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            fail_msg("entry %zu is %g", i, values[i]);
}

double worst_defect(const rm2_manifold *m, size_t n, const double *points) {
    size_t factors = rm2_manifold_factor_count(m);
    double *defect = numbers(n * factors), worst = 0;
    assert_int_equal(rm2_manifold_defect(ctx, m, n, points, defect), RM2_OK);
    for (size_t i = 0; i < n * factors; i++)
        worst = fmax(worst, defect[i]);
    free(defect);
    return worst;
}

void check_model(const rm2_model *model) {
    rm2_model_info i = *rm2_model_info_of(model);
    size_t N = i.points, M = i.outputs, Q = i.latent_dim, D = rm2_manifold_ambient(i.manifold);
    double *points = numbers(N * D), *tangent = numbers(N * M), *cov = numbers(N * M * M);
    double *deviation = numbers(N), ambient, outputs;
    assert_finite(N * Q, i.latents);
    assert_finite(M * M, i.task_covariance);
    assert_finite(Q, i.lengthscale);
    assert_finite(i.training.iterations + 1, i.training.trace);
    assert_true(i.variance > 0 && i.noise > 0 && isfinite(i.volume));
    assert_true(i.training.trace[0] == i.training.start.total);
    assert_true(i.training.end.total >= i.training.start.total);
    assert_true(i.training.stop != RM2_STOP_RUNNING &&
                i.training.evaluations >= i.training.iterations);
    assert_int_equal(rm2_model_decode(ctx, model, N, i.latents, points, tangent, cov, deviation),
                     RM2_OK);
    assert_finite(N * D, points);
    assert_finite(N * M, tangent);
    assert_finite(N * M * M, cov);
    double inner = 0, outer = 0;
    for (size_t n = 0; n < N; n++) {
        double trace = 0;
        for (size_t k = 0; k < M; k++)
            trace += cov[(n * M + k) * M + k];
        assert_true(deviation[n] >= 0 &&
                    fabs(deviation[n] - sqrt(trace / (double)M)) <= 1e-12 * deviation[n]);
    }
    if (i.settings->model == RM2_WGPLVM) {
        double *v = numbers(N * M); /* outputs of the training points */
        assert_true(worst_defect(i.manifold, N, points) < 1e-12);
        assert_int_equal(rm2_manifold_log_coords(ctx, i.manifold, N, i.base, 1, i.data->points, v),
                         RM2_OK);
        for (size_t k = 0; k < N * M; k++)
            inner += pow(tangent[k] - v[k], 2);
        free(v);
    } else {
        assert_null(i.base);
        for (size_t k = 0; k < N * M; k++)
            inner += pow(tangent[k] - i.data->points[k], 2);
    }
    rm2i_data_scale(i.data, N, points);
    for (size_t k = 0; k < N * D; k++)
        outer += pow(points[k] - i.data->points[k], 2);
    assert_int_equal(rm2_model_reconstruction(ctx, model, &ambient, &outputs), RM2_OK);
    inner = sqrt(inner / (double)N);
    outer = sqrt(outer / (double)N);
    /* sums of the same squares after a Log or a division: rounding of the entries themselves */
    assert_true(fabs(inner - outputs) <= 1e-9 * outputs + 1e-12);
    assert_true(fabs(outer - ambient) <= 1e-9 * ambient + 1e-12);
    free(points);
    free(tangent);
    free(cov);
    free(deviation);
}
