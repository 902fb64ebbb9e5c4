/* Models as objects: their bytes are those of their file, they keep their data set, geometries of one's
 * own are as good as built-in ones, threads share a model, and points are checked where they enter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context_fixture.h"
#include "geodesic/geodesic.h"
#include "metric/metric.h"
#include "model/model.h"
#include "model_fixture.h"
#include "near.h"
#include "riemann2/eval.h"
#include "riemann2/fit.h"
#include "riemann2/geodesic.h"

/* ---- bytes ----------------------------------------------------------------------------------- */

static unsigned char *slurp(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    assert_int_equal(fclose(f), 0);
    return bytes;
}

static void bytes_are_the_file(void **state) {
    (void)state;
    static const char *const names[] = {"toy", "robot", "connectome"};
    for (int k = 0; k < 3; k++) {
        rm2_data *data = scaled_example(names[k], k < 2 ? 2 : 0, 9);
        rm2_fit_settings s = robust_settings(3);
        rm2_model *model = fit_model(data, &s), *copy, *again;
        const char *path = in_folder("model.rm2");
        void *bytes, *second;
        size_t size, file_size, second_size;
        ok(rm2_model_write(ctx, model, path, false));
        ok(rm2_model_to_bytes(ctx, model, &bytes, &size));
        unsigned char *file = slurp(path, &file_size);
        assert_int_equal(size, file_size);
        assert_memory_equal(bytes, file, size);
        ok(rm2_model_from_bytes(ctx, bytes, size, NULL, &copy));
        ok(rm2_model_read(ctx, path, &again));
        const rm2_model_info *a = rm2_model_info_of(model), *b = rm2_model_info_of(copy);
        assert_memory_equal(a->latents, b->latents, a->points * a->latent_dim * sizeof(double));
        assert_memory_equal(rm2_model_info_of(again)->latents, b->latents,
                            a->points * a->latent_dim * sizeof(double));
        ok(rm2_model_to_bytes(ctx, copy, &second, &second_size)); /* nothing was lost on the way */
        assert_int_equal(second_size, size);
        assert_memory_equal(second, bytes, size);
        rm2_free(bytes);
        rm2_free(second);
        free(file);
        rm2_model_free(model);
        rm2_model_free(copy);
        rm2_model_free(again);
        rm2_data_free(data);
        assert_int_equal(unlink(path), 0);
    }
}

static void not_from_bytes(rm2_status want, const void *bytes, size_t size, const char *why) {
    rm2_model *model = (rm2_model *)(void *)&model;
    assert_int_equal(rm2_model_from_bytes(ctx, bytes, size, "letter", &model), want);
    assert_contains(rm2_context_error(ctx), why);
    assert_null(model);
}

static void damaged_bytes(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 6);
    rm2_fit_settings s = robust_settings(2);
    rm2_model *model = fit_model(data, &s), *none;
    unsigned char *bytes;
    void *memory;
    size_t size;
    ok(rm2_model_to_bytes(ctx, model, &memory, &size));
    bytes = memory;
    not_from_bytes(RM2_ERR_FORMAT, bytes, 0, "letter");
    not_from_bytes(RM2_ERR_FORMAT, bytes, 100, "no zip directory at its end (is it cut off?)");
    not_from_bytes(RM2_ERR_FORMAT, bytes, size - 1, "(is it cut off?)");
    size_t at = 0; /* a number of the latents, which only a checksum sees */
    while (at + 16 < size && memcmp(bytes + at, rm2_model_info_of(model)->latents, 16) != 0)
        at++;
    bytes[at] ^= 1;
    not_from_bytes(RM2_ERR_FORMAT, bytes, size, "damaged");
    rm2_free(memory);
    assert_int_equal(rm2_model_from_bytes(ctx, NULL, 9, NULL, &none), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_model_from_bytes(ctx, "x", 1, NULL, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_model_to_bytes(ctx, NULL, &memory, &size), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_model_to_bytes(ctx, model, NULL, &size), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_model_to_bytes(ctx, model, &memory, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_model_read(ctx, NULL, &none), RM2_ERR_ARGUMENT);
    /* what could not be read is not written */
    ((double *)model->data->points)[5 * 3 + 2] = 4;
    assert_int_equal(rm2_model_to_bytes(ctx, model, &memory, &size), RM2_ERR_FORMAT);
    assert_contains(rm2_context_error(ctx), "data/points, point 3: factor 2 is off the manifold");
    assert_null(memory);
    const char *path = in_folder("unreadable");
    assert_int_equal(rm2_model_write(ctx, model, path, true), RM2_ERR_FORMAT);
    assert_contains(rm2_context_error(ctx), "the model is not written, since it could not be read");
    assert_int_equal(access(path, F_OK), -1);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- the data set of a model ----------------------------------------------------------------- */

static void models_keep_their_data(void **state) {
    (void)state;
    rm2_data *robot = example_data("robot", 2, 7);
    rm2_fit_settings s = robust_settings(2);
    rm2_model *model = fit_model(robot, &s), *copy;
    const rm2_model_info *info = rm2_model_info_of(model);
    assert_ptr_equal(info->data, robot); /* shared, not copied */
    assert_ptr_equal(info->manifold, robot->manifold);
    assert_ptr_equal(rm2_model_info_of(model), info);
    rm2_data *kept = rm2_data_retain(robot);
    rm2_data_free(robot); /* the model has a reference */
    const char *path = in_folder("model.rm2");
    ok(rm2_model_write(ctx, model, path, true));
    rm2_model_free(model);
    ok(rm2_model_read(ctx, path, &copy));
    assert_int_equal(unlink(path), 0);
    const rm2_data *read = rm2_model_info_of(copy)->data;
    assert_non_null(kept->time);
    assert_memory_equal(read->time, kept->time, kept->count * sizeof(double));
    assert_memory_equal(read->points, kept->points, kept->count * 7 * sizeof(double));
    assert_memory_equal(read->starts, kept->starts, 3 * sizeof *kept->starts);
    assert_string_equal(read->source, "robot");
    assert_string_equal(read->ids[1], "1");
    rm2_data *longer = rm2_data_retain(read);
    rm2_model_free(copy);
    assert_true(longer->time[3] == kept->time[3]);
    rm2_data_free(longer);
    rm2_data_free(kept);
    assert_null(rm2_model_info_of(NULL));
}

static void fit_refuses(void **state) {
    (void)state;
    rm2_data *toy = example_data("toy", 2, 6), *holes;
    rm2_model *model;
    double y[12 * 5];
    memcpy(y, toy->points, sizeof y);
    y[5 * 7] = NAN;
    rm2_data_settings s = rm2_data_settings_default();
    rm2_data_arrays a = {
        .size = sizeof a, .manifold = toy->manifold, .source = "t", .count = 12, .points = y};
    s.allow_missing = true;
    ok(rm2_data_create(ctx, &a, &s, &holes, NULL, NULL));
    assert_int_equal(rm2_fit(ctx, holes, NULL, NULL, &model), RM2_ERR_DATA);
    assert_string_equal(rm2_context_error(ctx), "t, point 7: entry 0 (counted from 0) is missing; "
                                                "training needs all of them");
    assert_int_equal(rm2_fit(ctx, NULL, NULL, NULL, &model), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "'data' is NULL");
    assert_int_equal(rm2_fit(ctx, toy, NULL, NULL, NULL), RM2_ERR_ARGUMENT);
    ok(rm2_fit(ctx, toy, NULL, NULL, &model)); /* the robust recipe */
    assert_int_equal(rm2_model_info_of(model)->settings->recipe, RM2_RECIPE_ROBUST);
    rm2_model_free(model);
    rm2_data_free(holes);
    rm2_data_free(toy);
}

/* What data are accepted, models can be read of: positions from 1e-299 to 1e149. */
static void any_unit_can_be_read(void **state) {
    (void)state;
    const double units[] = {1e-299, 1e-200, 1e149};
    rm2_data *toy = example_data("toy", 2, 6), *data;
    rm2_data_settings settings = rm2_data_settings_default();
    double y[12 * 5];
    for (size_t k = 0; k < 3; k++) {
        rm2_model *model, *again;
        void *bytes;
        size_t size;
        rm2_data_arrays a = {.size = sizeof a, .manifold = toy->manifold, .count = 12, .points = y};
        memcpy(y, toy->points, sizeof y);
        for (size_t i = 0; i < 12; i++)
            for (size_t j = 0; j < 2; j++)
                y[5 * i + j] *= units[k];
        ok(rm2_data_create(ctx, &a, &settings, &data, NULL, NULL));
        ok(rm2_fit(ctx, data, NULL, NULL, &model));
        ok(rm2_model_to_bytes(ctx, model, &bytes, &size));
        ok(rm2_model_from_bytes(ctx, bytes, size, NULL, &again));
        rm2_free(bytes);
        rm2_model_free(model);
        rm2_model_free(again);
        rm2_data_free(data);
    }
    rm2_data_free(toy);
}

/* ---- geometries of one's own ------------------------------------------------------------------ */

static rm2_data *toy_on(const char *spec, rm2_context *in) {
    rm2_data *toy = example_data("toy", 3, 12), *data;
    rm2_data_settings s = rm2_data_settings_default();
    rm2_manifold *m = make_manifold(in, spec);
    rm2_data_arrays a = {.size = sizeof a,
                         .manifold = m,
                         .source = "toy",
                         .count = toy->count,
                         .points = toy->points,
                         .trajectories = toy->trajectories,
                         .starts = toy->starts};
    s.scale = RM2_SCALE_ALL;
    assert_int_equal(rm2_data_create(in, &a, &s, &data, NULL, NULL), RM2_OK);
    rm2_manifold_free(m);
    rm2_data_free(toy);
    return data;
}

/* Everything that a model says and does, as one row of numbers; the caller frees it. */
static double *what_it_does(rm2_context *in, const rm2_model *model, size_t *count) {
    const rm2_model_info *i = rm2_model_info_of(model);
    size_t N = i->points, M = i->outputs, Q = i->latent_dim, D = rm2_manifold_ambient(i->manifold);
    *count = N * Q + M * M + M + 7 + N * D + N * M + N + 2 * N * Q + 3 * 8;
    double *all = numbers(*count), *next = all, *points = numbers(N * D);
    rm2_metric *metric;
    rm2_curve *curve;
    rm2i_geodesic_settings s = rm2i_geodesic_settings_default();
#define APPEND(from, n) (memcpy(next, from, (n) * sizeof *next), next += (n))
    APPEND(i->latents, N * Q);
    APPEND(i->task_covariance, M * M);
    APPEND(i->mean, M);
    APPEND(&i->training.end, 7);
    assert_int_equal(
        rm2_model_decode(in, model, N, i->latents, next, next + N * D, NULL, next + N * (D + M)),
        RM2_OK);
    next += N * (D + M + 1);
    rm2_data_original(i->data, points);
    assert_int_equal(rm2_model_encode(in, model, NULL, N, points, next, NULL, NULL), RM2_OK);
    next += N * Q;
    assert_int_equal(rm2i_metric_pullback(in, model, NULL, &metric), RM2_OK);
    s.nodes = 8;
    assert_int_equal(
        rm2i_geodesic(in, metric, NULL, &s, i->latents, i->latents + (N - 1) * Q, &curve), RM2_OK);
    APPEND(curve->x, 8 * Q);
    *next++ = curve->length;
#undef APPEND
    *count = (size_t)(next - all);
    rm2_curve_free(curve);
    rm2_metric_free(metric);
    free(points);
    return all;
}

/* A copy of the sphere under another name does the same as the sphere, bit for bit: in training,
 * prediction and geodesics, and after its model was written and read. */
static void own_geometry_is_as_good(void **state) {
    (void)state;
    rm2_geometry globe = rm2_sphere;
    rm2_context *own, *fresh;
    rm2_fit_settings s = robust_settings(25);
    rm2_model *built_in, *registered, *read;
    size_t count, other;
    globe.name = "Globe";
    assert_int_equal(rm2_context_create(&own), RM2_OK);
    assert_int_equal(rm2_context_create(&fresh), RM2_OK);
    assert_int_equal(rm2_manifold_register(own, &globe), RM2_OK);
    rm2_data *a = toy_on("R2 x S2", ctx), *b = toy_on("R2 x Globe2", own);
    built_in = fit_model(a, &s);
    assert_int_equal(rm2_fit(own, b, &s, NULL, &registered), RM2_OK);
    double *want = what_it_does(ctx, built_in, &count);
    double *got = what_it_does(own, registered, &other);
    assert_int_equal(count, other);
    assert_memory_equal(got, want, count * sizeof *got);
    free(got);
    const char *path = in_folder("globe.rm2");
    assert_int_equal(rm2_model_write(own, registered, path, true), RM2_OK);
    assert_int_equal(rm2_model_read(fresh, path, &read), RM2_ERR_UNSUPPORTED);
    assert_contains(rm2_context_error(fresh), path);
    assert_contains(rm2_context_error(fresh), "named Globe must be registered");
    assert_null(read);
    assert_int_equal(rm2_manifold_register(fresh, &globe), RM2_OK);
    assert_int_equal(rm2_model_read(fresh, path, &read), RM2_OK);
    assert_true(rm2_manifold_equal(rm2_model_info_of(read)->manifold, b->manifold));
    got = what_it_does(fresh, read, &other);
    assert_memory_equal(got, want, count * sizeof *got);
    assert_int_equal(unlink(path), 0);
    free(got);
    free(want);
    /* data on one are no data for a model on the other */
    rm2_score score = {.size = sizeof score};
    assert_int_equal(rm2_model_score(ctx, built_in, NULL, b, NULL, NULL, &score), RM2_ERR_DATA);
    assert_contains(rm2_context_error(ctx),
                    "the model is on R2 x S2, the data (toy) are on R2 x Globe2");
    rm2_model_free(built_in);
    rm2_model_free(registered);
    rm2_model_free(read);
    rm2_data_free(a);
    rm2_data_free(b);
    rm2_context_free(own);
    rm2_context_free(fresh);
}

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct share {
    const rm2_model *model;
    double *result;
    size_t count;
} share;

static void *use_model(void *arg) {
    share *s = arg;
    rm2_context *own;
    if (rm2_context_create(&own) != RM2_OK)
        return NULL;
    rm2_context_set_threads(own, 1);
    s->result = what_it_does(own, s->model, &s->count);
    rm2_context_free(own);
    return NULL;
}

/* Two threads with a context each do with one model what one thread does with it: bit for bit, but for the
 * curve at the end, whose refinement carries the rounding of sums on, which depends on where a thread's memory lies. */
static void threads_share_a_model(void **state) {
    (void)state;
    rm2_data *data = scaled_example("toy", 3, 12);
    rm2_fit_settings s = robust_settings(10);
    rm2_model *model = fit_model(data, &s);
    share shares[3] = {{.model = model}, {.model = model}, {.model = model}};
    pthread_t thread[2];
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, use_model, &shares[k]), 0);
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_join(thread[k], NULL), 0);
    (void)use_model(&shares[2]);
    size_t count = shares[2].count, before = count - 8 * rm2_model_info_of(model)->latent_dim - 1;
    for (int k = 0; k < 2; k++) {
        assert_non_null(shares[k].result);
        assert_int_equal(shares[k].count, count);
        assert_memory_equal(shares[k].result, shares[2].result, before * sizeof(double));
        for (size_t i = before; i < count; i++)
            assert_near(shares[k].result[i], shares[2].result[i], 1e-10);
    }
    for (int k = 0; k < 3; k++)
        free(shares[k].result);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- points that enter ------------------------------------------------------------------------ */

static void encode_refuses(const rm2_model *model, const double *points, rm2_status want,
                           const char *why) {
    double x[4];
    assert_int_equal(rm2_model_encode(ctx, model, NULL, 2, points, x, NULL, NULL), want);
    assert_contains(rm2_context_error(ctx), why);
}

static void points_are_checked(void **state) {
    (void)state;
    rm2_data *data = example_data("robot", 2, 8);
    rm2_fit_settings s = robust_settings(5);
    rm2_model *model = fit_model(data, &s);
    double y[14], x[4], near[4];
    memcpy(y, data->points, sizeof y);
    ok(rm2_model_encode(ctx, model, NULL, 2, y, x, NULL, NULL));
    for (size_t k = 3; k < 7; k++)
        y[7 + k] *= 1 + 1e-8; /* rounding: the same point */
    ok(rm2_model_encode(ctx, model, NULL, 2, y, near, NULL, NULL));
    for (size_t k = 0; k < 4; k++)
        assert_true(fabs(x[k] - near[k]) < 1e-6); /* where the searches end */
    for (size_t k = 3; k < 7; k++)
        y[7 + k] = 3 * data->points[7 + k];
    encode_refuses(model, y, RM2_ERR_DOMAIN,
                   "point 1, factor 2 (S3) is off the manifold by 2.0e+00");
    rm2_calibration c = {.size = sizeof c};
    assert_int_equal(
        rm2_model_calibration(ctx, model,
                              &(rm2_calibration_points){.n = 2, .latents = x, .points = y}, &c),
        RM2_ERR_DOMAIN);
    assert_contains(rm2_context_error(ctx), "point 1, factor 2 (S3) is off the manifold");
    memset(y + 10, 0, 4 * sizeof *y);
    encode_refuses(model, y, RM2_ERR_DOMAIN,
                   "point 1, factor 2 (S3) is off the manifold by 1.0e+00");
    memcpy(y, data->points, sizeof y);
    y[8] = INFINITY;
    encode_refuses(model, y, RM2_ERR_DOMAIN, "point 1, entry 1 (counted from 0) is inf");
    y[8] = NAN; /* a missing entry, which is allowed */
    ok(rm2_model_encode(ctx, model, NULL, 2, y, x, NULL, NULL));
    y[11] = NAN;
    encode_refuses(model, y, RM2_ERR_DATA, "point 1, factor 2 (S3): 1 of 4 entries are missing");
    memcpy(y, data->points, sizeof y);
    assert_int_equal(rm2_model_encode(ctx, NULL, NULL, 2, y, x, NULL, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_model_encode(ctx, model, NULL, 2, NULL, x, NULL, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_model_encode(ctx, model, NULL, 2, y, NULL, NULL, NULL), RM2_ERR_ARGUMENT);
    x[2] = NAN;
    assert_int_equal(rm2_model_decode(ctx, model, 2, x, y, NULL, NULL, NULL), RM2_ERR_DATA);
    assert_contains(rm2_context_error(ctx), "latent point 1, coordinate 0 is nan");
    assert_int_equal(rm2_model_sample(ctx, model, 2, x, 1, false, y), RM2_ERR_DATA);
    assert_int_equal(rm2_model_decode(ctx, model, 2, NULL, y, NULL, NULL, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_model_decode(ctx, NULL, 2, x, y, NULL, NULL, NULL), RM2_ERR_ARGUMENT);
    rm2_model_free(model);
    s.model = RM2_GPLVM; /* raw coordinates: its own decoded points are off the manifold */
    model = fit_model(data, &s);
    memcpy(y, data->points, sizeof y);
    y[12] += 0.1;
    ok(rm2_model_encode(ctx, model, NULL, 2, y, x, NULL, NULL));
    y[12] = INFINITY;
    encode_refuses(model, y, RM2_ERR_DATA, "point 1, entry 5 (counted from 0) is inf");
    rm2_model_free(model);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_the_file),      cmocka_unit_test(damaged_bytes),
        cmocka_unit_test(models_keep_their_data),  cmocka_unit_test(fit_refuses),
        cmocka_unit_test(own_geometry_is_as_good), cmocka_unit_test(threads_share_a_model),
        cmocka_unit_test(points_are_checked),      cmocka_unit_test(any_unit_can_be_read),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
