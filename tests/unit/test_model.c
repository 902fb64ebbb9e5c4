/* Models from outside: training by every recipe and variant, decoding, encoding, draws, files,
 * checkpoints, and data that are hardly data. Numbers are checked against the definitions,
 * evaluated here from the model's parameters with plain sums. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <omp.h>

#include "data/data.h"
#include "linalg/dense.h"
#include "model/model.h"
#include "riemann2/kernel.h"

enum { MOST_M = 8, MOST_Q = 4 };

static rm2_context *ctx;
static char folder[] = "/tmp/rm2_model_XXXXXX";

static int setup(void **state) {
    (void)state;
    omp_set_num_threads(1); /* BLAS: these matrices are too small to share, waiting costs time */
    return mkdtemp(folder) && rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return rmdir(folder);
}

/* ---- helpers -------------------------------------------------------------------------------- */

static const char *in_folder(const char *name) {
    static char path[2][128];
    static int turn;
    turn = !turn;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static rm2_data *example(const char *name, size_t trajectories, size_t points) {
    rm2_generate_settings s = {.seed = 1, .trajectories = trajectories, .points = points};
    rm2_data *data;
    assert_int_equal(rm2_generate(ctx, name, &s, &data), RM2_OK);
    return data;
}

/* A copy of points as a data set; one trajectory if `trajectory`. */
static rm2_data *data_of(const char *spec, size_t count, const double *points, bool trajectory) {
    rm2_data *data;
    assert_int_equal(rm2i_data_create(ctx, spec, "test", count, trajectory ? 1 : 0, &data), RM2_OK);
    if (trajectory)
        data->starts[1] = count;
    memcpy(data->points, points,
           count * rm2_manifold_ambient(data->manifold) * sizeof *data->points);
    return data;
}

static rm2_model *fit(const rm2_data *data, const rm2_fit_settings *s) {
    rm2_model *model;
    if (rm2_fit(ctx, data, s, NULL, NULL, NULL, &model) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    return model;
}

static rm2_fit_settings robust(size_t iterations) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.optim.max_iterations = iterations;
    return s;
}

static double *numbers(size_t count) {
    double *block = calloc(count ? count : 1, sizeof *block);
    assert_non_null(block);
    return block;
}

static void assert_finite(size_t count, const double *values) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            fail_msg("entry %zu is %g", i, values[i]);
}

static double worst_defect(const rm2_manifold *m, size_t n, const double *points) {
    size_t factors = rm2_manifold_factor_count(m);
    double *defect = numbers(n * factors), worst = 0;
    assert_int_equal(rm2_manifold_defect(ctx, m, n, points, defect), RM2_OK);
    for (size_t i = 0; i < n * factors; i++)
        worst = fmax(worst, defect[i]);
    free(defect);
    return worst;
}

/* Everything a model says and predicts is finite, its training did not go down, its points are on
 * the manifold, and its reconstruction error is that of its decoded latents. */
static void check_model(const rm2_model *model) {
    rm2_model_info i = rm2_model_describe(model);
    size_t N = i.points, M = i.outputs, Q = i.latent_dim, D = rm2_manifold_ambient(i.manifold);
    double *points = numbers(N * D), *tangent = numbers(N * M), *cov = numbers(N * M * M);
    double *deviation = numbers(N), ambient, outputs;
    assert_finite(N * Q, i.latents);
    assert_finite(M * M, i.task_covariance);
    assert_finite(Q, i.lengthscale);
    assert_finite(i.iterations + 1, i.trace);
    assert_true(i.variance > 0 && i.noise > 0 && isfinite(i.volume));
    assert_true(i.trace[0] == i.start.total);
    assert_true(i.end.total >= i.start.total);
    assert_true(i.stop != RM2_STOP_RUNNING && i.evaluations >= i.iterations);
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
    if (i.kind == RM2_WGPLVM) {
        double *v = numbers(N * M); /* outputs of the training points */
        assert_true(worst_defect(i.manifold, N, points) < 1e-12);
        assert_int_equal(rm2_manifold_log_coords(ctx, i.manifold, N, i.base, 1, i.data, v), RM2_OK);
        for (size_t k = 0; k < N * M; k++)
            inner += pow(tangent[k] - v[k], 2);
        free(v);
    } else {
        assert_null(i.base);
        for (size_t k = 0; k < N * M; k++)
            inner += pow(tangent[k] - i.data[k], 2);
    }
    rm2i_model_scale(model, false, N, points);
    for (size_t k = 0; k < N * D; k++)
        outer += pow(points[k] - i.data[k], 2);
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

/* ---- training ------------------------------------------------------------------------------- */

typedef struct variant {
    const char *name;
    rm2_recipe recipe;
    void (*change)(rm2_fit_settings *s);
    size_t latent_dim;
} variant;

static void plain(rm2_fit_settings *s) {
    (void)s;
}

static void euclidean(rm2_fit_settings *s) {
    s->model = RM2_GPLVM;
}

static void constrained(rm2_fit_settings *s) {
    s->back_constraint = true;
}

static void euclidean_constrained(rm2_fit_settings *s) {
    s->model = RM2_GPLVM;
    s->back_constraint = true;
}

static void dynamic(rm2_fit_settings *s) {
    s->gpdm_weight = 1;
}

static void own_noise(rm2_fit_settings *s) {
    s->noise = RM2_NOISE_PER_OUTPUT;
    s->task = RM2_TASK_LEARNED;
}

static void independent(rm2_fit_settings *s) {
    s->independent = true;
}

static void independent_own_noise(rm2_fit_settings *s) {
    own_noise(s);
    s->independent = true;
}

static void matern32(rm2_fit_settings *s) {
    s->kernel = RM2_LATENT_MATERN32;
}

static void matern52(rm2_fit_settings *s) {
    s->kernel = RM2_LATENT_MATERN52;
    s->ard = true;
}

static void low_rank(rm2_fit_settings *s) {
    s->task = RM2_TASK_LEARNED;
    s->task_rank = 1;
}

static void adam(rm2_fit_settings *s) {
    s->optim.method = RM2_ADAM;
}

static void random_start(rm2_fit_settings *s) {
    s->init = RM2_INIT_RANDOM;
    s->seed = 4;
}

static const variant variants[] = {
    {"robust", RM2_RECIPE_ROBUST, plain, 2},
    {"robust, Q = 1", RM2_RECIPE_ROBUST, plain, 1},
    {"robust, Q = 3", RM2_RECIPE_ROBUST, plain, 3},
    {"robust, Euclidean", RM2_RECIPE_ROBUST, euclidean, 2},
    {"robust, back constraint", RM2_RECIPE_ROBUST, constrained, 2},
    {"robust, Euclidean, back constraint", RM2_RECIPE_ROBUST, euclidean_constrained, 2},
    {"robust, dynamics", RM2_RECIPE_ROBUST, dynamic, 2},
    {"robust, noise an output", RM2_RECIPE_ROBUST, own_noise, 2},
    {"robust, independent", RM2_RECIPE_ROBUST, independent, 2},
    {"robust, independent, noise an output", RM2_RECIPE_ROBUST, independent_own_noise, 2},
    {"robust, Matern 3/2", RM2_RECIPE_ROBUST, matern32, 2},
    {"robust, Matern 5/2", RM2_RECIPE_ROBUST, matern52, 3},
    {"robust, rank 1", RM2_RECIPE_ROBUST, low_rank, 2},
    {"robust, Adam", RM2_RECIPE_ROBUST, adam, 2},
    {"robust, random start", RM2_RECIPE_ROBUST, random_start, 2},
    {"map", RM2_RECIPE_MAP, plain, 2},
    {"map, noise an output", RM2_RECIPE_MAP, own_noise, 2},
    {"map, back constraint", RM2_RECIPE_MAP, constrained, 1},
    {"map, Matern 5/2", RM2_RECIPE_MAP, matern52, 2},
    {"paper", RM2_RECIPE_PAPER, plain, 2},
    {"paper, Euclidean", RM2_RECIPE_PAPER, euclidean, 2},
    {"paper, back constraint", RM2_RECIPE_PAPER, constrained, 3},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static rm2_fit_settings settings_of(const variant *v, size_t iterations) {
    rm2_fit_settings s = rm2_fit_settings_recipe(v->recipe);
    s.latent_dim = v->latent_dim;
    s.optim.max_iterations = iterations;
    v->change(&s);
    return s;
}

static void test_variants(void **state) {
    (void)state;
    rm2_data *data = example("toy", 3, 20);
    for (size_t k = 0; k < VARIANTS; k++) {
        rm2_fit_settings s = settings_of(&variants[k], 20);
        rm2_model *model = fit(data, &s);
        rm2_model_info i = rm2_model_describe(model);
        print_message("%s: %.1f to %.1f\n", variants[k].name, i.start.total, i.end.total);
        check_model(model);
        assert_true(i.end.total > i.start.total);
        assert_int_equal(i.recipe, variants[k].recipe);
        assert_int_equal(i.points, 60);
        assert_int_equal(i.trajectories, 3);
        assert_int_equal(i.outputs, s.model == RM2_GPLVM ? 5 : 4);
        assert_int_equal(i.latent_dim, variants[k].latent_dim);
        assert_true(s.gpdm_weight > 0 ? i.gpdm[0] > 0 && i.gpdm[1] > 0 && i.gpdm[2] > 0
                                      : i.gpdm[0] == 0);
        assert_true((i.task_noise != NULL) == (s.noise == RM2_NOISE_PER_OUTPUT));
        for (size_t m = 1; s.independent && m < i.outputs; m++)
            assert_true(i.task_covariance[m] == 0);
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

/* Between the training latents a Euclidean model leaves the sphere, a wrapped one never does. */
static void test_on_and_off_the_manifold(void **state) {
    (void)state;
    rm2_data *data = example("toy", 3, 20);
    for (int k = 0; k < 2; k++) {
        rm2_fit_settings s = robust(30);
        s.model = k ? RM2_GPLVM : RM2_WGPLVM;
        rm2_model *model = fit(data, &s);
        double latents[50 * 2], points[50 * 5];
        for (size_t i = 0; i < 100; i++)
            latents[i] = -2 + 0.04 * (double)i * (i % 2 ? 1 : -1);
        assert_int_equal(rm2_model_decode(ctx, model, 50, latents, points, NULL, NULL, NULL),
                         RM2_OK);
        double defect = worst_defect(data->manifold, 50, points);
        assert_true(k ? defect > 1e-3 : defect < 1e-12);
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

static void test_other_manifolds(void **state) {
    (void)state;
    static const char *const names[] = {"robot", "manipulability"};
    for (int k = 0; k < 2; k++)
        for (int kind = 0; kind < 2; kind++) {
            rm2_data *data = example(names[k], 2, 15);
            rm2_fit_settings s = robust(15);
            s.model = kind ? RM2_GPLVM : RM2_WGPLVM;
            rm2_model *model = fit(data, &s);
            check_model(model);
            rm2_model_free(model);
            rm2_data_free(data);
        }
    /* labels travel with the model */
    rm2_data *data = example("connectome", 0, 12);
    rm2_fit_settings s = robust(5);
    rm2_model *model = fit(data, &s);
    rm2_model_info i = rm2_model_describe(model);
    assert_int_equal(i.outputs, 120);
    assert_int_equal(i.label_count, data->label_count);
    if (data->labels)
        assert_memory_equal(i.labels, data->labels, 12 * sizeof *i.labels);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* The same seed gives the same bits, another seed another start; L-BFGS and a start that is not
 * random need no seed. */
static void test_seed(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 12);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_PAPER);
    s.optim.max_iterations = 8;
    s.init = RM2_INIT_RANDOM;
    s.seed = 3;
    rm2_model *a = fit(data, &s), *b = fit(data, &s);
    s.seed = 5;
    rm2_model *c = fit(data, &s);
    size_t bytes = 24 * 2 * sizeof(double);
    rm2_model_info ia = rm2_model_describe(a), ib = rm2_model_describe(b);
    assert_memory_equal(ia.latents, ib.latents, bytes);
    assert_memory_equal(ia.task_covariance, ib.task_covariance, 16 * sizeof(double));
    assert_memory_equal(ia.trace, ib.trace, (ia.iterations + 1) * sizeof(double));
    assert_memory_not_equal(ia.latents, rm2_model_describe(c).latents, bytes);
    rm2_model_free(a);
    rm2_model_free(b);
    rm2_model_free(c);
    rm2_data_free(data);
}

static void test_base_point(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 12);
    rm2_fit_settings s = robust(3);
    double frechet[5], usual[5], given[5] = {0.5, -0.25, 0.6, 0, 0.8};
    assert_int_equal(
        rm2_manifold_mean(ctx, data->manifold, 24, data->points, NULL, NULL, frechet, NULL),
        RM2_OK);
    rm2_manifold_default_point(data->manifold, usual);
    const double *expected[] = {frechet, usual, given};
    for (int k = 0; k < 3; k++) {
        s.base = (rm2_base_kind)k;
        s.base_point = given;
        rm2_model *model = fit(data, &s);
        assert_memory_equal(rm2_model_describe(model).base, expected[k], sizeof given);
        check_model(model);
        rm2_model_free(model);
    }
    rm2_model *model;
    s.base_point = NULL;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, NULL, NULL, &model), RM2_ERR_ARGUMENT);
    assert_null(model);
    /* the antipode of a training point: no unique logarithm */
    for (size_t k = 2; k < 5; k++)
        given[k] = -data->points[k];
    s.base_point = given;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, NULL, NULL, &model), RM2_ERR_CUT_LOCUS);
    assert_non_null(strstr(rm2_context_error(ctx), "base point"));
    /* not on the manifold, not a number */
    const double off[2][5] = {{0, 0, 2, 0, 0}, {NAN, 0, 1, 0, 0}};
    for (int k = 0; k < 2; k++) {
        s.base_point = off[k];
        assert_int_not_equal(rm2_fit(ctx, data, &s, NULL, NULL, NULL, &model), RM2_OK);
        assert_null(model);
        assert_non_null(strstr(rm2_context_error(ctx), "base point"));
    }
    rm2_data_free(data);
}

static void test_given_start(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 12);
    rm2_fit_settings s = robust(0);
    double X0[24 * 2];
    for (size_t i = 0; i < 48; i++)
        X0[i] = sin((double)i * (double)i);
    s.init = RM2_INIT_GIVEN;
    s.init_latent = X0;
    rm2_model *model = fit(data, &s);
    rm2_model_info i = rm2_model_describe(model);
    assert_memory_equal(i.latents, X0, sizeof X0);
    assert_int_equal(i.iterations, 0);
    assert_int_equal(i.stop, RM2_STOP_MAX_ITERATIONS);
    assert_true(i.end.total == i.start.total);
    rm2_model_free(model);
    X0[7] = NAN;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, NULL, NULL, &model), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(ctx), "latent point 3"));
    s.init_latent = NULL;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, NULL, NULL, &model), RM2_ERR_ARGUMENT);
    assert_null(model);
    rm2_data_free(data);
}

/* Values that no training can start from. */
static void test_settings_refused(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 6);
    rm2_model *model;
    for (int k = 0; k < 12; k++) {
        rm2_fit_settings s = robust(3);
        double *weights[] = {&s.gpdm_weight, &s.task_anchor, &s.latent_anchor, &s.lengthscale.start,
                             &s.noise_variance.start};
        if (k < 5)
            *weights[k] = -1;
        else if (k < 10)
            *weights[k - 5] = NAN;
        else if (k == 10)
            s.latent_dim = 0;
        else
            s.task_rank = 9;
        assert_int_equal(rm2_fit(ctx, data, &s, NULL, NULL, NULL, &model), RM2_ERR_ARGUMENT);
        assert_null(model);
    }
    rm2_data_free(data);
}

/* ---- progress, interrupt, checkpoints ------------------------------------------------------- */

typedef struct watcher {
    size_t calls, last, interrupt_at;
    double total;
    rm2_stop stop;
} watcher;

static void watch(void *user, const rm2_progress *p) {
    watcher *w = user;
    assert_int_equal(w->stop, RM2_STOP_RUNNING); /* nothing comes after the last row */
    w->calls++;
    w->last = p->iteration;
    w->stop = p->stop;
    w->total = p->terms.total;
    assert_true(isfinite(p->terms.total) && p->gradient >= 0 && p->evaluations > 0);
    if (p->iteration == w->interrupt_at)
        rm2_context_interrupt(ctx);
}

static void test_interrupt(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 12);
    rm2_fit_settings s = robust(50);
    s.optim.relative_decrease = s.optim.gradient = 0;
    watcher w = {.interrupt_at = 4};
    rm2_model *model;
    rm2_status status = rm2_fit(ctx, data, &s, NULL, watch, &w, &model);
    rm2_context_clear_interrupt(ctx);
    assert_int_equal(status, RM2_OK);
    rm2_model_info i = rm2_model_describe(model);
    assert_int_equal(i.stop, RM2_STOP_INTERRUPTED);
    assert_int_equal(w.stop, RM2_STOP_INTERRUPTED);
    assert_int_equal(i.iterations, 4);
    check_model(model);
    rm2_model_free(model);
    /* without interrupt: one row an iteration, and the reason at the end */
    w = (watcher){.interrupt_at = SIZE_MAX};
    s.optim.max_iterations = 6;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, watch, &w, &model), RM2_OK);
    assert_int_equal(w.stop, RM2_STOP_MAX_ITERATIONS);
    assert_true(w.last == 6 && w.calls >= 6 && w.calls <= 7);
    rm2_model_free(model);
    rm2_data_free(data);
}

static void assert_same_training(const rm2_model *a, const rm2_model *b) {
    rm2_model_info i = rm2_model_describe(a), k = rm2_model_describe(b);
    assert_int_equal(i.iterations, k.iterations);
    assert_int_equal(i.evaluations, k.evaluations);
    assert_int_equal(i.stop, k.stop);
    assert_memory_equal(i.latents, k.latents, i.points * i.latent_dim * sizeof(double));
    assert_memory_equal(i.task_covariance, k.task_covariance,
                        i.outputs * i.outputs * sizeof(double));
    assert_memory_equal(i.trace, k.trace, (i.iterations + 1) * sizeof(double));
    assert_memory_equal(&i.start, &k.start, sizeof i.start);
    assert_memory_equal(&i.end, &k.end, sizeof i.end);
}

static rm2_model *fit_with(const rm2_data *data, const rm2_fit_settings *s,
                           const rm2_checkpoint *checkpoint) {
    rm2_model *model;
    if (rm2_fit(ctx, data, s, checkpoint, NULL, NULL, &model) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    return model;
}

/* 7 iterations and a resume to 40 are 40 iterations, bit for bit. */
static void test_resume(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 12), *other = example("toy", 2, 13);
    static const rm2_recipe recipes[] = {RM2_RECIPE_ROBUST, RM2_RECIPE_MAP, RM2_RECIPE_PAPER};
    for (int k = 0; k < 3; k++) { /* L-BFGS, L-BFGS, Adam */
        rm2_fit_settings s = rm2_fit_settings_recipe(recipes[k]);
        rm2_checkpoint checkpoint = {in_folder("checkpoint"), k == 1 ? 0 : 1e9, true};
        s.optim.relative_decrease = s.optim.gradient = 0;
        s.optim.max_iterations = 40;
        rm2_model *whole = fit(data, &s), *rest, *refused;
        s.optim.max_iterations = 7;
        rm2_model *part = fit_with(data, &s, &checkpoint); /* nothing there to resume yet */
        assert_int_equal(rm2_model_describe(part).iterations, 7);
        s.optim.max_iterations = 40;
        rest = fit_with(data, &s, &checkpoint);
        assert_same_training(whole, rest);
        /* fewer iterations than are done, other data, other settings */
        s.optim.max_iterations = 5;
        assert_int_equal(rm2_fit(ctx, data, &s, &checkpoint, NULL, NULL, &refused), RM2_ERR_DATA);
        s.optim.max_iterations = 40;
        assert_int_equal(rm2_fit(ctx, other, &s, &checkpoint, NULL, NULL, &refused), RM2_ERR_DATA);
        assert_non_null(strstr(rm2_context_error(ctx), "other data or settings"));
        s.lengthscale.start *= 1.5;
        assert_int_equal(rm2_fit(ctx, data, &s, &checkpoint, NULL, NULL, &refused), RM2_ERR_DATA);
        assert_null(refused);
        assert_int_equal(unlink(checkpoint.path), 0);
        rm2_model_free(whole);
        rm2_model_free(part);
        rm2_model_free(rest);
    }
    rm2_data_free(data);
    rm2_data_free(other);
}

/* The same points in other trajectories are other data, since the dynamics see them. */
static void test_resume_sees_trajectories(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 12);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_PAPER);
    rm2_checkpoint checkpoint = {in_folder("checkpoint"), 1e9, true};
    s.optim.max_iterations = 3;
    rm2_model_free(fit_with(data, &s, &checkpoint));
    data->starts[1] = 7;
    rm2_model *refused;
    assert_int_equal(rm2_fit(ctx, data, &s, &checkpoint, NULL, NULL, &refused), RM2_ERR_DATA);
    assert_int_equal(unlink(checkpoint.path), 0);
    rm2_data_free(data);
}

/* A training that had converged stays as it is when resumed. */
static void test_resume_after_the_end(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 12);
    rm2_fit_settings s = robust(150);
    rm2_checkpoint checkpoint = {in_folder("checkpoint"), 1e9, true};
    rm2_model *first = fit_with(data, &s, &checkpoint);
    assert_int_equal(rm2_model_describe(first).stop, RM2_STOP_DECREASE);
    rm2_model *again = fit_with(data, &s, &checkpoint);
    assert_same_training(first, again);
    assert_int_equal(unlink(checkpoint.path), 0);
    rm2_model_free(first);
    rm2_model_free(again);
    rm2_data_free(data);
}

/* ---- densities from the definition ---------------------------------------------------------- */

/* log N(v; f(x), covariance of an observation at x) over the coordinates `there`, from decoded
 * moments and the model's noise, by plain elimination. */
static double log_density_at(const rm2_model *model, const double *x, const double *v,
                             const bool *there) {
    rm2_model_info i = rm2_model_describe(model);
    size_t M = i.outputs, n = 0, which[MOST_M];
    double f[MOST_M], cov[MOST_M * MOST_M], S[MOST_M][MOST_M], r[MOST_M], log_det = 0, square = 0;
    assert_int_equal(rm2_model_decode(ctx, model, 1, x, NULL, f, cov, NULL), RM2_OK);
    for (size_t m = 0; m < M; m++)
        if (!there || there[m])
            which[n++] = m;
    for (size_t a = 0; a < n; a++) {
        r[a] = v[which[a]] - f[which[a]];
        for (size_t b = 0; b < n; b++) {
            size_t at = which[a] * M + which[b];
            S[a][b] = cov[at];
            if (i.noise_kind == RM2_NOISE_KRONECKER)
                S[a][b] += i.noise * i.task_covariance[at];
            else if (a == b)
                S[a][b] += i.noise + i.task_noise[which[a]];
        }
    }
    for (size_t k = 0; k < n; k++) { /* L D L^T */
        log_det += log(S[k][k]);
        square += r[k] * r[k] / S[k][k];
        for (size_t a = k + 1; a < n; a++) {
            double factor = S[a][k] / S[k][k];
            r[a] -= factor * r[k];
            for (size_t b = 0; b < n; b++)
                S[a][b] -= factor * S[k][b];
        }
    }
    return -0.5 * (square + log_det + (double)n * log(2 * 3.14159265358979323846));
}

/* The broad Gaussian around the latents that density encoding adds: variance 25 times theirs. */
static double broad(const rm2_model *model, const double *x) {
    rm2_model_info i = rm2_model_describe(model);
    double sum = 0;
    for (size_t q = 0; q < i.latent_dim; q++) {
        double mean = 0, variance = 0;
        for (size_t n = 0; n < i.points; n++)
            mean += i.latents[n * i.latent_dim + q] / (double)i.points;
        for (size_t n = 0; n < i.points; n++)
            variance += pow(i.latents[n * i.latent_dim + q] - mean, 2) / (double)i.points;
        sum -= 0.5 * pow(x[q] - mean, 2) / (25 * variance);
    }
    return sum;
}

static void outputs_of(const rm2_model *model, const double *point, double *v) {
    rm2_model_info i = rm2_model_describe(model);
    double scaled[16];
    memcpy(scaled, point, rm2_manifold_ambient(i.manifold) * sizeof *scaled);
    rm2i_model_scale(model, false, 1, scaled);
    assert_int_equal(rm2i_model_outputs(ctx, model, 1, scaled, v), RM2_OK);
}

/* ---- encoding ------------------------------------------------------------------------------- */

/* Optimal: no step of 1e-3, 1e-2 or 1e-1 lengthscales raises the objective. The optimiser stops
 * where a step gains less than 1e-10 of it or the slope is below 1e-5, which leaves 1e-7. */
static void check_optimal(const rm2_model *model, const double *x, const double *v,
                          const bool *there) {
    rm2_model_info i = rm2_model_describe(model);
    double best = log_density_at(model, x, v, there) + broad(model, x), moved[MOST_Q];
    for (size_t q = 0; q < i.latent_dim; q++)
        for (int k = 0; k < 6; k++) {
            memcpy(moved, x, i.latent_dim * sizeof *x);
            moved[q] += (k % 2 ? 1 : -1) * pow(10, -1 - k / 2) * i.lengthscale[q];
            double value = log_density_at(model, moved, v, there) + broad(model, moved);
            if (!(value <= best + 1e-7))
                fail_msg("coordinate %zu, step %d: %.12g above %.12g", q, k, value, best);
        }
}

/* H cov = 1, within 1 %. */
static void assert_inverse(size_t Q, double H[MOST_Q][MOST_Q], const double *cov) {
    for (size_t q = 0; q < Q; q++)
        for (size_t r = 0; r < Q; r++) {
            double sum = 0;
            for (size_t k = 0; k < Q; k++)
                sum += H[q][k] * cov[k * Q + r];
            if (!(fabs(sum - (q == r)) <= 1e-2))
                fail_msg("H cov (%zu, %zu) = %g", q, r, sum);
        }
}

/* The objective's Hessian by second differences over 1e-3 lengthscales, good to about 1e-3. */
static void find_hessian(const rm2_model *model, const double *x, const double *v,
                         double H[MOST_Q][MOST_Q]) {
    rm2_model_info i = rm2_model_describe(model);
    size_t Q = i.latent_dim;
    for (size_t q = 0; q < Q; q++)
        for (size_t r = 0; r < Q; r++) {
            double sum = 0, hq = 1e-3 * i.lengthscale[q], hr = 1e-3 * i.lengthscale[r];
            for (int corner = 0; corner < 4; corner++) {
                double moved[MOST_Q], sq = corner & 1 ? 1 : -1, sr = corner & 2 ? 1 : -1;
                memcpy(moved, x, Q * sizeof *x);
                moved[q] += sq * hq;
                moved[r] += sr * hr;
                sum -= sq * sr * (log_density_at(model, moved, v, NULL) + broad(model, moved));
            }
            H[q][r] = sum / (4 * hq * hr);
        }
}

/* The covariance is the inverse of the Hessian. */
static void check_curvature(const rm2_model *model, const double *x, const double *v,
                            const double *cov) {
    double H[MOST_Q][MOST_Q];
    find_hessian(model, x, v, H);
    assert_inverse(rm2_model_describe(model).latent_dim, H, cov);
}

/* Where the Hessian is not positive definite, as it may be off the optimum: the inverse of J^T S^-1
 * J and the broad Gaussian, J by central differences, S from the moments (Kronecker noise). Returns
 * whether this was such a point; nothing is checked close to the limit. Q = 2. */
static bool check_indefinite(const rm2_model *model, const double *x, const double *v,
                             const double *cov) {
    rm2_model_info i = rm2_model_describe(model);
    size_t M = i.outputs, Q = 2;
    double H[MOST_Q][MOST_Q], S[MOST_M * MOST_M], L[MOST_M * MOST_M], J[2][MOST_M];
    find_hessian(model, x, v, H);
    double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    double size = fmax(fabs(H[0][0]), fabs(H[1][1]));
    if (H[0][0] > 0 && H[1][1] > 0 && det > -0.05 * size * size)
        return false;
    assert_int_equal(rm2_model_decode(ctx, model, 1, x, NULL, J[0], S, NULL), RM2_OK);
    for (size_t k = 0; k < M * M; k++)
        S[k] += i.noise * i.task_covariance[k];
    assert_int_equal(rm2i_cholesky(M, S, L), RM2_OK);
    for (size_t q = 0; q < Q; q++) { /* L^-1 J_q */
        double up[MOST_M], down[MOST_M], moved[2] = {x[0], x[1]}, h = 1e-5;
        moved[q] = x[q] + h;
        assert_int_equal(rm2_model_decode(ctx, model, 1, moved, NULL, up, NULL, NULL), RM2_OK);
        moved[q] = x[q] - h;
        assert_int_equal(rm2_model_decode(ctx, model, 1, moved, NULL, down, NULL, NULL), RM2_OK);
        for (size_t a = 0; a < M; a++) {
            J[q][a] = (up[a] - down[a]) / (2 * h);
            for (size_t b = 0; b < a; b++)
                J[q][a] -= L[a * M + b] * J[q][b];
            J[q][a] /= L[a * M + a];
        }
    }
    for (size_t q = 0; q < Q; q++)
        for (size_t r = 0; r < Q; r++) {
            double at[2] = {x[0], x[1]}, up, down;
            H[q][r] = 0;
            for (size_t a = 0; a < M; a++)
                H[q][r] += J[q][a] * J[r][a];
            at[q] = x[q] + 1;
            up = broad(model, at);
            at[q] = x[q] - 1;
            down = broad(model, at);
            if (q == r) /* a parabola: its second difference is exact */
                H[q][r] -= up + down - 2 * broad(model, x);
        }
    assert_inverse(Q, H, cov);
    return true;
}

static void assert_positive_definite(size_t n, const double *A) {
    double L[MOST_Q * MOST_Q];
    assert_int_equal(rm2i_cholesky(n, A, L), RM2_OK);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(A[i * n + j] == A[j * n + i]);
}

static void check_encoding(const variant *kind) {
    rm2_data *data = example("toy", 3, 20);
    rm2_fit_settings s = settings_of(kind, 40);
    rm2_model *model = fit(data, &s);
    rm2_model_info i = rm2_model_describe(model);
    size_t N = i.points, Q = i.latent_dim;
    double *latents = numbers(N * Q), *cov = numbers(N * Q * Q), far = 0;
    rm2_encoded *info = calloc(N, sizeof *info);
    assert_non_null(info);
    rm2_encode_settings e = rm2_encode_settings_default();
    e.back_constraint = false;
    assert_int_equal(rm2_model_encode(ctx, model, &e, N, data->points, latents, cov, info), RM2_OK);
    for (size_t n = 0; n < N; n++) {
        double v[MOST_M], f[MOST_M], square = 0, own, away = 0;
        outputs_of(model, data->points + n * 5, v);
        double density = log_density_at(model, latents + n * Q, v, NULL);
        assert_true(fabs(info[n].log_density - density) <= 1e-8 * fmax(1, fabs(density)));
        assert_int_equal(rm2_model_decode(ctx, model, 1, latents + n * Q, NULL, f, NULL, NULL),
                         RM2_OK);
        for (size_t m = 0; m < i.outputs; m++)
            square += pow(v[m] - f[m], 2);
        assert_true(fabs(info[n].residual - sqrt(square)) <= 1e-9);
        assert_true(info[n].nearest < N);
        assert_positive_definite(Q, cov + n * Q * Q);
        own = log_density_at(model, i.latents + n * Q, v, NULL) + broad(model, i.latents + n * Q);
        assert_true(density + broad(model, latents + n * Q) >= own - 1e-6);
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
    static const variant few[] = {{"robust", RM2_RECIPE_ROBUST, plain, 2},
                                  {"robust, Q = 1", RM2_RECIPE_ROBUST, plain, 1},
                                  {"robust, Matern 5/2", RM2_RECIPE_ROBUST, matern52, 2},
                                  {"robust, Euclidean", RM2_RECIPE_ROBUST, euclidean, 2},
                                  {"robust, noise an output", RM2_RECIPE_ROBUST, own_noise, 2},
                                  {"map, independent", RM2_RECIPE_MAP, independent_own_noise, 3}};
    for (size_t k = 0; k < sizeof few / sizeof few[0]; k++)
        check_encoding(&few[k]);
}

/* Least squares: the squared residual in the metric of the noise is least at the result among its
 * neighbours, and hardly ever above that of the density's result. */
static void test_encoding_by_residual(void **state) {
    (void)state;
    rm2_data *data = example("toy", 3, 20);
    for (int noise = 0; noise < 2; noise++) {
        rm2_fit_settings s = robust(30);
        if (noise)
            own_noise(&s);
        rm2_model *model = fit(data, &s);
        rm2_model_info i = rm2_model_describe(model);
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
                                : i.noise * i.task_covariance[a];
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
    rm2_data *data = example("toy", 3, 20);
    assert_int_equal(rm2_data_scale(ctx, data), RM2_OK);
    for (int noise = 0; noise < 2; noise++) {
        rm2_fit_settings s = robust(30);
        if (noise)
            own_noise(&s);
        rm2_model *model = fit(data, &s);
        static const bool seen[3][4] = {
            {false, true, true, true}, {true, true, false, false}, {false, false, true, true}};
        for (int k = 0; k < 3; k++) {
            double y[5], x[2], cov[4], v[4];
            rm2_encoded info;
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
            assert_true(fabs(info.log_density - density) <= 1e-8 * fmax(1, fabs(density)));
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
    rm2_fit_settings s = robust(20);
    s.model = RM2_GPLVM;
    rm2_model *model = fit(data, &s);
    double y[5], x[2], v[5];
    rm2_encoded info;
    memcpy(y, data->points + 31 * 5, sizeof y);
    rm2_data_unscale(data, 1, y);
    outputs_of(model, y, v);
    y[3] = NAN;
    const bool seen[5] = {true, true, true, false, true};
    assert_int_equal(rm2_model_encode(ctx, model, NULL, 1, y, x, NULL, &info), RM2_OK);
    double density = log_density_at(model, x, v, seen);
    assert_true(fabs(info.log_density - density) <= 1e-8 * fmax(1, fabs(density)));
    rm2_model_free(model);
    rm2_data_free(data);
}

/* What one point is encoded to does not depend on its company. */
static void test_encoding_point_by_point(void **state) {
    (void)state;
    rm2_data *data = example("toy", 3, 20);
    for (int back = 0; back < 2; back++) {
        rm2_fit_settings s = robust(20);
        s.back_constraint = back != 0;
        rm2_model *model = fit(data, &s);
        double y[40 * 5], x[40 * 2], alone[2];
        rm2_encoded info[40], own;
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

/* x = sum_j w_j k(y, y_j), with the kernel of the manifold (of R^5 for a Euclidean model). */
static void test_back_constraint(void **state) {
    (void)state;
    rm2_data *data = example("toy", 3, 20), *fresh = example("toy", 4, 20);
    for (int kind = 0; kind < 2; kind++) {
        rm2_fit_settings s = robust(15);
        s.back_constraint = true;
        s.model = kind ? RM2_GPLVM : RM2_WGPLVM;
        rm2_model *model = fit(data, &s);
        rm2_model_info i = rm2_model_describe(model);
        assert_true(i.back_constraint);
        double x[60 * 2], K[20 * 60], cov[20 * 4];
        size_t indefinite = 0;
        rm2_encoded info[20];
        assert_int_equal(rm2_model_encode(ctx, model, NULL, 60, data->points, x, NULL, NULL),
                         RM2_OK);
        for (size_t k = 0; k < 120; k++) /* sums of 60 terms with weights up to 1e3 */
            assert_true(fabs(x[k] - i.latents[k]) <= 1e-9);
        rm2_manifold *space;
        rm2_manifold_kernel *kernel;
        const double *y = fresh->points + 60 * 5;
        assert_int_equal(rm2_manifold_create(ctx, kind ? "R5" : "R2 x S2", &space), RM2_OK);
        assert_int_equal(
            rm2_manifold_kernel_create(ctx, space, model->back_kernels, kind ? 1 : 2, &kernel),
            RM2_OK);
        assert_int_equal(rm2_manifold_kernel_matrix(ctx, kernel, 20, y, 60, data->points, K),
                         RM2_OK);
        assert_int_equal(rm2_model_encode(ctx, model, NULL, 20, y, x, cov, info), RM2_OK);
        for (size_t n = 0; n < 20; n++) {
            for (size_t q = 0; q < 2; q++) {
                double sum = 0;
                for (size_t j = 0; j < 60; j++)
                    sum += K[n * 60 + j] * model->back_weights[j * 2 + q];
                assert_true(fabs(sum - x[n * 2 + q]) <= 1e-9);
            }
            double v[MOST_M];
            assert_true(isfinite(info[n].log_density) && info[n].converged);
            assert_positive_definite(2, cov + n * 4);
            outputs_of(model, y + n * 5, v);
            indefinite += check_indefinite(model, x + n * 2, v, cov + n * 4);
        }
        assert_true(indefinite > 0);
        rm2_manifold_kernel_free(kernel);
        rm2_manifold_free(space);
        rm2_model_free(model);
    }
    rm2_data_free(data);
    rm2_data_free(fresh);
}

static void test_encoding_refusals(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 12);
    rm2_fit_settings s = robust(5);
    rm2_model *model = fit(data, &s);
    double x[2], y[5], out[5];
    memcpy(y, data->points, sizeof y);
    rm2_encode_settings e = rm2_encode_settings_default();
    e.starts = 0;
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

/* ---- units, draws --------------------------------------------------------------------------- */

/* A scaled data set: decoding and encoding speak the original units. */
static void test_scale(void **state) {
    (void)state;
    rm2_data *data = example("toy", 3, 20);
    for (size_t n = 0; n < 60; n++)
        for (size_t k = 0; k < 2; k++)
            data->points[n * 5 + k] *= 1000;
    double original[60 * 5], decoded[60 * 5], x[60 * 2], again[60 * 5], norm = 0, off = 0;
    memcpy(original, data->points, sizeof original);
    assert_int_equal(rm2_data_scale(ctx, data), RM2_OK);
    assert_true(data->scale[0] > 100 && data->scale[1] == 1);
    for (int kind = 0; kind < 2; kind++) {
        rm2_fit_settings s = robust(40);
        s.model = kind ? RM2_GPLVM : RM2_WGPLVM;
        double base[5] = {100, 200, 0.6, 0, 0.8};
        s.base = RM2_BASE_GIVEN;
        s.base_point = base;
        rm2_model *model = fit(data, &s);
        rm2_model_info i = rm2_model_describe(model);
        check_model(model);
        assert_true(kind || i.base[0] == 100 / data->scale[0]);
        assert_memory_equal(i.scale, data->scale, 2 * sizeof(double));
        assert_int_equal(rm2_model_decode(ctx, model, 60, i.latents, decoded, NULL, NULL, NULL),
                         RM2_OK);
        assert_int_equal(rm2_model_encode(ctx, model, NULL, 60, original, x, NULL, NULL), RM2_OK);
        assert_int_equal(rm2_model_decode(ctx, model, 60, x, again, NULL, NULL, NULL), RM2_OK);
        for (size_t k = 0; k < 300; k++)
            if (k % 5 < 2) {
                norm += original[k] * original[k];
                off += fmax(pow(decoded[k] - original[k], 2), pow(again[k] - original[k], 2));
            }
        assert_true(off < 0.05 * norm);
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

/* Draws on the manifold; in the Euclidean coordinates their mean and variance are the decoded ones,
 * with observation noise if asked for, within 5 standard errors. */
static void test_samples(void **state) {
    (void)state;
    enum { DRAWS = 3000 };
    rm2_data *data = example("toy", 3, 20);
    assert_int_equal(rm2_data_scale(ctx, data), RM2_OK);
    double *points = numbers(DRAWS * 2 * 5);
    for (int k = 0; k < 4; k++) {
        rm2_fit_settings s = robust(20);
        if (k / 2)
            own_noise(&s);
        bool noise = k % 2;
        rm2_model *model = fit(data, &s);
        rm2_model_info i = rm2_model_describe(model);
        double x[4], f[8], cov[32];
        memcpy(x, i.latents + 20, sizeof x); /* on the data, where noise counts */
        assert_int_equal(rm2_model_decode(ctx, model, 2, x, NULL, f, cov, NULL), RM2_OK);
        rm2_context_set_seed(ctx, 21);
        assert_int_equal(rm2_model_sample(ctx, model, 2, x, DRAWS, noise, points), RM2_OK);
        assert_true(worst_defect(i.manifold, 2 * DRAWS, points) < 1e-12);
        for (size_t at = 0; at < 2; at++)
            for (size_t c = 0; c < 2; c++) {
                double variance = cov[at * 16 + c * 5], mean = 0, square = 0;
                double expected = f[at * 4 + c] + i.base[c]; /* Exp on R^2 is a sum */
                if (noise)
                    variance +=
                        k / 2 ? i.noise + i.task_noise[c] : i.noise * i.task_covariance[c * 5];
                for (size_t d = 0; d < DRAWS; d++) {
                    double off = points[(d * 2 + at) * 5 + c] / i.scale[0] - expected;
                    mean += off / DRAWS;
                    square += off * off / DRAWS;
                }
                assert_true(fabs(mean) <= 5 * sqrt(variance / DRAWS));
                assert_true(fabs(square - variance) <= 5 * variance * sqrt(2.0 / DRAWS));
            }
        double once[5], twice[5];
        rm2_context_set_seed(ctx, 2);
        assert_int_equal(rm2_model_sample(ctx, model, 1, x, 1, noise, once), RM2_OK);
        rm2_context_set_seed(ctx, 2);
        assert_int_equal(rm2_model_sample(ctx, model, 1, x, 1, noise, twice), RM2_OK);
        assert_memory_equal(once, twice, sizeof once);
        rm2_model_free(model);
    }
    free(points);
    rm2_data_free(data);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void assert_same_text(const char *a, const char *b) {
    assert_true((a == NULL) == (b == NULL));
    if (a)
        assert_string_equal(a, b);
}

static void assert_same_array(const void *a, const void *b, size_t bytes) {
    assert_true((a == NULL) == (b == NULL));
    if (a)
        assert_memory_equal(a, b, bytes);
}

static void assert_same_info(const rm2_model_info *a, const rm2_model_info *b) {
    size_t N = a->points, M = a->outputs, Q = a->latent_dim, d = sizeof(double);
    size_t D = rm2_manifold_ambient(a->manifold), factors = rm2_manifold_factor_count(a->manifold);
    assert_same_text(rm2_manifold_spec(a->manifold), rm2_manifold_spec(b->manifold));
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->recipe, b->recipe);
    assert_int_equal(a->kernel, b->kernel);
    assert_int_equal(a->noise_kind, b->noise_kind);
    assert_true(a->independent == b->independent && a->back_constraint == b->back_constraint);
    assert_true(N == b->points && M == b->outputs && Q == b->latent_dim);
    assert_int_equal(a->trajectories, b->trajectories);
    assert_same_array(a->starts, b->starts, (a->trajectories + 1) * sizeof *a->starts);
    for (size_t t = 0; t < a->trajectories; t++)
        assert_same_text(a->ids[t], b->ids[t]);
    assert_same_array(a->labels, b->labels, N * sizeof *a->labels);
    assert_int_equal(a->label_count, b->label_count);
    for (size_t k = 0; k < a->label_count; k++)
        assert_same_text(a->label_names[k], b->label_names[k]);
    assert_same_text(a->source, b->source);
    assert_same_array(a->latents, b->latents, N * Q * d);
    assert_same_array(a->data, b->data, N * D * d);
    assert_same_array(a->base, b->base, D * d);
    assert_same_array(a->mean, b->mean, M * d);
    assert_same_array(a->scale, b->scale, factors * d);
    assert_same_array(a->lengthscale, b->lengthscale, Q * d);
    assert_true(a->variance == b->variance && a->noise == b->noise);
    assert_same_array(a->task_noise, b->task_noise, M * d);
    assert_same_array(a->task_covariance, b->task_covariance, M * M * d);
    assert_memory_equal(a->gpdm, b->gpdm, sizeof a->gpdm);
    assert_memory_equal(&a->start, &b->start, sizeof a->start);
    assert_memory_equal(&a->end, &b->end, sizeof a->end);
    assert_true(a->volume == b->volume && b->seconds == 0);
    assert_int_equal(a->stop, b->stop);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->evaluations, b->evaluations);
    assert_same_array(a->trace, b->trace, (a->iterations + 1) * d);
    assert_true(a->seed == b->seed);
}

static void check_round_trip(const rm2_model *model, const double *observations) {
    const char *path = in_folder("model.rm2");
    rm2_model *copy;
    assert_int_equal(rm2_model_write(ctx, model, path, false), RM2_OK);
    assert_int_equal(rm2_model_write(ctx, model, path, false), RM2_ERR_IO); /* there already */
    assert_int_equal(rm2_model_write(ctx, model, path, true), RM2_OK);
    if (rm2_model_read(ctx, path, &copy) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    rm2_model_info a = rm2_model_describe(model), b = rm2_model_describe(copy);
    assert_same_info(&a, &b);
    size_t M = a.outputs, Q = a.latent_dim, D = rm2_manifold_ambient(a.manifold), n = 3;
    double *block = numbers(2 * n * (D + M + M * M + 1 + Q + Q * Q)), *to[2][6];
    for (size_t k = 0, at = 0; k < 2; k++) {
        const size_t sizes[6] = {D, M, M * M, 1, Q, Q * Q};
        for (size_t j = 0; j < 6; at += n * sizes[j++])
            to[k][j] = block + at;
        const rm2_model *m = k ? copy : model;
        assert_int_equal(
            rm2_model_decode(ctx, m, n, a.latents, to[k][0], to[k][1], to[k][2], to[k][3]), RM2_OK);
        assert_int_equal(rm2_model_encode(ctx, m, NULL, n, observations, to[k][4], to[k][5], NULL),
                         RM2_OK);
    }
    assert_memory_equal(to[0][0], to[1][0], n * (D + M + M * M + 1 + Q + Q * Q) * sizeof *block);
    free(block);
    rm2_model_free(copy);
    assert_int_equal(unlink(path), 0);
}

static void test_files(void **state) {
    (void)state;
    rm2_data *data = example("toy", 3, 15);
    for (size_t k = 0; k < VARIANTS; k++) {
        rm2_fit_settings s = settings_of(&variants[k], 4);
        s.seed = k == 1 ? UINT64_MAX - 1 : k; /* every seed is kept exactly */
        rm2_model *model = fit(data, &s);
        check_round_trip(model, data->points);
        rm2_model_free(model);
    }
    rm2_data_free(data);
    data = example("connectome", 0, 8); /* labels, no trajectories */
    rm2_fit_settings s = robust(2);
    rm2_model *model = fit(data, &s);
    check_round_trip(model, data->points);
    rm2_model_free(model);
    rm2_data_free(data);
}

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

static void assert_refused(const char *path, const unsigned char *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
    rm2_model *model;
    rm2_status status = rm2_model_read(ctx, path, &model);
    assert_true(status == RM2_ERR_FORMAT || status == RM2_ERR_IO);
    assert_null(model);
    assert_non_null(strstr(rm2_context_error(ctx), "broken"));
}

static void test_damaged_files(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 8);
    rm2_fit_settings s = robust(3);
    rm2_model *model = fit(data, &s), *none;
    const char *path = in_folder("broken");
    assert_int_equal(rm2_model_write(ctx, model, path, true), RM2_OK);
    size_t size;
    unsigned char *bytes = slurp(path, &size);
    for (size_t k = 0; k < 20; k++)
        assert_refused(path, bytes, k < 10 ? k * 60 : size - 1 - (k - 10) * size / 11);
    for (size_t k = 0; k < 40; k++) {
        bytes[k * size / 40 + k] ^= 0x10;
        assert_refused(path, bytes, size);
        bytes[k * size / 40 + k] ^= 0x10;
    }
    free(bytes);
    assert_int_equal(unlink(path), 0);
    /* a checkpoint is no model, nor is a model a checkpoint */
    rm2_checkpoint checkpoint = {in_folder("checkpoint"), 1e9, true};
    rm2_model_free(fit_with(data, &s, &checkpoint));
    assert_int_equal(rm2_model_read(ctx, checkpoint.path, &none), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(ctx), "not a model"));
    assert_null(none);
    assert_int_equal(rm2_model_write(ctx, model, checkpoint.path, true), RM2_OK);
    assert_int_equal(rm2_fit(ctx, data, &s, &checkpoint, NULL, NULL, &none), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(ctx), "not a checkpoint"));
    assert_null(none);
    assert_int_equal(unlink(checkpoint.path), 0);
    assert_int_equal(rm2_model_read(ctx, in_folder("nowhere"), &none), RM2_ERR_IO);
    assert_null(none);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- data that are hardly data -------------------------------------------------------------- */

/* Trained and sound in all it says, encodes and draws; or refused with a sentence. Outputs beyond
 * the range of an exponential map (a matrix e^1e26) are refused where they are decoded. */
static void check_survives(const char *name, const rm2_data *data, const rm2_fit_settings *s,
                           bool must_train) {
    rm2_model *model;
    rm2_status status = rm2_fit(ctx, data, s, NULL, NULL, NULL, &model);
    if (status != RM2_OK) {
        print_message("%s: %s\n", name, rm2_context_error(ctx));
        assert_null(model);
        assert_true(!must_train && rm2_context_error(ctx)[0]);
        return;
    }
    rm2_model_info i = rm2_model_describe(model);
    size_t N = i.points, Q = i.latent_dim, D = rm2_manifold_ambient(i.manifold);
    double *x = numbers(N * Q), *cov = numbers(N * Q * Q), *points = numbers(2 * N * D);
    status = rm2_model_decode(ctx, model, N, i.latents, points, NULL, NULL, NULL);
    if (status == RM2_OK)
        check_model(model);
    else
        print_message("%s, decoding: %s\n", name, rm2_context_error(ctx));
    assert_true(status == RM2_OK || (!must_train && status == RM2_ERR_NUMERIC));
    memcpy(points, i.data, N * D * sizeof *points);
    rm2i_model_scale(model, true, N, points);
    if (rm2_model_encode(ctx, model, NULL, N, points, x, cov, NULL) != RM2_OK)
        fail_msg("%s, encoding: %s", name, rm2_context_error(ctx));
    assert_finite(N * Q, x);
    assert_finite(N * Q * Q, cov);
    status = rm2_model_sample(ctx, model, N, i.latents, 2, true, points);
    if (status == RM2_OK)
        assert_finite(2 * N * D, points);
    else if (must_train)
        fail_msg("%s, draws: %s", name, rm2_context_error(ctx));
    else
        print_message("%s, draws: %s\n", name, rm2_context_error(ctx));
    free(x);
    free(cov);
    free(points);
    rm2_model_free(model);
}

static void survives_recipes(const char *name, const rm2_data *data, size_t latent_dim) {
    static const rm2_recipe recipes[] = {RM2_RECIPE_ROBUST, RM2_RECIPE_MAP, RM2_RECIPE_PAPER};
    for (int k = 0; k < 3; k++) {
        rm2_fit_settings s = rm2_fit_settings_recipe(recipes[k]);
        s.optim.max_iterations = 15;
        s.latent_dim = latent_dim;
        if (data->trajectories == 0)
            s.gpdm_weight = 0;
        check_survives(name, data, &s, true);
        if (k == 0) {
            s.kernel = RM2_LATENT_MATERN52;
            s.back_constraint = true;
            check_survives(name, data, &s, false);
        }
    }
}

static void test_few_points(void **state) {
    (void)state;
    rm2_data *toy = example("toy", 1, 12);
    for (int trajectory = 0; trajectory < 2; trajectory++)
        for (size_t Q = 1; Q <= 4; Q++) {
            rm2_data *two = data_of("R2 x S2", 2, toy->points, trajectory);
            survives_recipes("two points", two, Q);
            rm2_data_free(two);
        }
    rm2_data *five = data_of("R2 x S2", 5, toy->points, true);
    survives_recipes("Q above N and M", five, 7);
    rm2_data_free(five);
    double line[6] = {0, 1, 2, 3, 5, 4};
    rm2_data *flat = data_of("R1", 6, line, false);
    survives_recipes("Q above M", flat, 3);
    rm2_data_free(flat);
    rm2_model *model;
    rm2_fit_settings s = robust(3);
    rm2_data *one = data_of("R2 x S2", 1, toy->points, false);
    assert_int_equal(rm2_fit(ctx, one, &s, NULL, NULL, NULL, &model), RM2_ERR_DATA);
    assert_null(model);
    rm2_data_free(one);
    rm2_data_free(toy);
}

static void test_duplicates_and_constants(void **state) {
    (void)state;
    rm2_data *toy = example("toy", 2, 12);
    memcpy(toy->points + 5 * 5, toy->points + 4 * 5, 5 * sizeof(double));
    memcpy(toy->points + 20 * 5, toy->points + 4 * 5, 5 * sizeof(double));
    survives_recipes("duplicates", toy, 2);
    for (size_t n = 0; n < 24; n++)
        memcpy(toy->points + n * 5, toy->points + n / 8 * 40, 5 * sizeof(double));
    survives_recipes("three different points", toy, 2);
    rm2_data_free(toy);
    toy = example("toy", 2, 12);
    for (size_t n = 0; n < 24; n++)
        toy->points[n * 5] = 3;
    survives_recipes("a constant column", toy, 2);
    for (size_t n = 0; n < 24; n++)
        memcpy(toy->points + n * 5 + 2, toy->points + 2, 3 * sizeof(double));
    survives_recipes("a constant factor", toy, 2);
    rm2_data_free(toy);
}

static void test_nothing_to_learn(void **state) {
    (void)state;
    rm2_data *toy = example("toy", 2, 12);
    for (size_t n = 1; n < 24; n++)
        memcpy(toy->points + n * 5, toy->points, 5 * sizeof(double));
    static const rm2_recipe recipes[] = {RM2_RECIPE_ROBUST, RM2_RECIPE_MAP, RM2_RECIPE_PAPER};
    for (int k = 0; k < 6; k++) {
        rm2_fit_settings s = rm2_fit_settings_recipe(recipes[k % 3]);
        s.model = k < 3 ? RM2_WGPLVM : RM2_GPLVM;
        rm2_model *model;
        assert_int_equal(rm2_fit(ctx, toy, &s, NULL, NULL, NULL, &model), RM2_ERR_DATA);
        assert_null(model);
        if (!strstr(rm2_context_error(ctx), "nothing to learn"))
            fail_msg("%s", rm2_context_error(ctx));
    }
    rm2_data_free(toy);
}

/* Matrices and positions of size 1e-26 and 1e26: the affine-invariant distance knows no scale. */
static void test_wild_scales(void **state) {
    (void)state;
    static const double sizes[] = {1e-26, 1e26, 1e-100, 1e100};
    for (int k = 0; k < 4; k++)
        for (int scaled = 0; scaled < 2; scaled++) {
            rm2_data *data = example("manipulability", 2, 12);
            for (size_t i = 0; i < 24 * 6; i++)
                data->points[i] *= sizes[k];
            if (scaled)
                assert_int_equal(rm2_data_scale(ctx, data), RM2_OK);
            static const rm2_recipe recipes[] = {RM2_RECIPE_ROBUST, RM2_RECIPE_MAP,
                                                 RM2_RECIPE_PAPER};
            for (int r = 0; r < 6; r++) {
                rm2_fit_settings s = rm2_fit_settings_recipe(recipes[r % 3]);
                s.optim.max_iterations = 10;
                s.model = r < 3 ? RM2_WGPLVM : RM2_GPLVM;
                char name[64];
                (void)snprintf(name, sizeof name, "size %g, recipe %d%s", sizes[k], r,
                               scaled ? ", scaled" : "");
                check_survives(name, data, &s, false);
            }
            rm2_data_free(data);
        }
}

/* Far outside its data a model is its prior: decoding gives the centre, at any distance. */
static void test_far_latents(void **state) {
    (void)state;
    rm2_data *data = example("toy", 2, 12);
    for (int kernel = 0; kernel < 3; kernel++) {
        rm2_fit_settings s = robust(5);
        s.kernel = (rm2_latent_kind)kernel;
        rm2_model *model = fit(data, &s);
        rm2_model_info i = rm2_model_describe(model);
        double x[8] = {1e3, 0, 1e20, -1e20, 1e160, 1, -1e300, 1e300}, f[16], cov[64], deviation[4];
        assert_int_equal(rm2_model_decode(ctx, model, 4, x, NULL, f, cov, deviation), RM2_OK);
        for (size_t n = 0; n < 4; n++) {
            assert_memory_equal(f + n * 4, i.mean, 4 * sizeof *f);
            for (size_t k = 0; k < 16; k++)
                assert_true(fabs(cov[n * 16 + k] - i.variance * i.task_covariance[k]) <= 1e-12);
        }
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_on_and_off_the_manifold),
        cmocka_unit_test(test_other_manifolds),
        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_base_point),
        cmocka_unit_test(test_given_start),
        cmocka_unit_test(test_settings_refused),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_sees_trajectories),
        cmocka_unit_test(test_resume_after_the_end),
        cmocka_unit_test(test_encoding),
        cmocka_unit_test(test_encoding_by_residual),
        cmocka_unit_test(test_missing_entries),
        cmocka_unit_test(test_encoding_point_by_point),
        cmocka_unit_test(test_back_constraint),
        cmocka_unit_test(test_encoding_refusals),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_few_points),
        cmocka_unit_test(test_duplicates_and_constants),
        cmocka_unit_test(test_nothing_to_learn),
        cmocka_unit_test(test_wild_scales),
        cmocka_unit_test(test_far_latents),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
