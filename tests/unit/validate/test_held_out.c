/* Points held out in turn: residuals and densities against dense covariance matrices, noise that is recognised as
 * noise, structure as structure.
 *
 * Tolerances. Dense elimination and eigenvalues agree to 1e-8 of sums over a few hundred numbers. Noise exceeds two
 * standard errors in 1 of 44 sets; of 20 sets two may (probability of three: 0.01 for any seeds, 0 for these). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fit/folds.h"
#include "front/base.h"
#include "model/model.h"
#include "riemann2/fit.h"
#include "surface_fixture.h"

enum { MOST = 16 };
static const double PI = 3.14159265358979323846;

static rm2_model *trained(const rm2_data *data, rm2_recipe recipe, size_t Q) {
    rm2_fit_settings s = rm2_fit_settings_recipe(recipe);
    rm2_model *model;
    s.latent_dim = Q;
    s.init = recipe == RM2_RECIPE_POINTS ? RM2_INIT_TANGENT : s.init;
    ok(rm2_fit(ctx, data, &s, NULL, &model));
    return model;
}

/* n points that scatter alike in all directions of a manifold around a point. */
static rm2_data *noise(const char *spec, size_t n, uint64_t seed) {
    rm2_manifold *manifold;
    rm2_data *data;
    rm2_rng rng;
    ok(rm2_manifold_create(ctx, spec, &manifold));
    size_t M = rm2_manifold_dim(manifold), D = rm2_manifold_ambient(manifold);
    double *tangent = calloc(n, (M + D + 1) * sizeof *tangent), *points = tangent + n * M;
    double *base = calloc(D, sizeof *base);
    assert_non_null(tangent);
    assert_non_null(base);
    rm2_rng_seed(&rng, seed);
    for (size_t i = 0; i < n * M; i++)
        tangent[i] = 0.3 * rm2_rng_normal(&rng);
    rm2_manifold_default_point(manifold, base);
    ok(rm2_manifold_exp_coords(ctx, manifold, n, base, 1, tangent, points));
    const rm2_data_arrays arrays = {
        .size = sizeof arrays, .manifold = manifold, .count = n, .points = points};
    ok(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL));
    rm2_manifold_free(manifold);
    free(tangent);
    free(base);
    return data;
}

/* ---- definitions ------------------------------------------------------------------------------- */

/* log N(v; 0, C) by elimination. */
static double log_normal(size_t M, const double *C, const double *v) {
    double A[MOST * MOST], y[MOST], sum = -0.5 * (double)M * log(2 * PI);
    memcpy(A, C, M * M * sizeof *A);
    memcpy(y, v, M * sizeof *y);
    for (size_t k = 0; k < M; k++) {
        sum -= 0.5 * (log(A[k * M + k]) + y[k] * y[k] / A[k * M + k]);
        for (size_t a = k + 1; a < M; a++) {
            double factor = A[a * M + k] / A[k * M + k];
            y[a] -= factor * y[k];
            for (size_t b = 0; b < M; b++)
                A[a * M + b] -= factor * A[k * M + b];
        }
    }
    return sum;
}

/* The first component w of S and its variance, by power iteration. */
static double component(size_t M, const double *S, double *w) {
    double norm = 1;
    for (size_t k = 0; k < M; k++)
        w[k] = 1 / sqrt((double)M + (double)k);
    for (int round = 0; round < 20000; round++) {
        double y[MOST] = {0};
        for (size_t a = 0; a < M; a++)
            for (size_t b = 0; b < M; b++)
                y[a] += S[a * M + b] * w[b];
        norm = 0;
        for (size_t a = 0; a < M; a++)
            norm = hypot(norm, y[a]);
        for (size_t a = 0; a < M; a++)
            w[a] = y[a] / norm;
    }
    return norm;
}

typedef struct sums {
    double mean, components, ppca, ledoit_wolf; /* over all points */
    size_t count;
} sums;

/* PPCA with one component, and S shrunk as Ledoit and Wolf (2004) do, section 3.3. */
static void covariances(const rm2_model *m, double *S, double *w, double *ppca, double *lw) {
    size_t N = m->N, M = m->M;
    double trace = 0, square = 0, spread = 0, noise_of = 0;
    for (size_t a = 0; a < M; a++)
        for (size_t b = 0; b < M; b++) {
            S[a * M + b] = 0;
            for (size_t i = 0; i < N; i++)
                S[a * M + b] += m->F[a * N + i] * m->F[b * N + i] / (double)N;
        }
    for (size_t a = 0; a < M; a++)
        trace += S[a * M + a];
    double mu = trace / (double)M;
    for (size_t a = 0; a < M; a++)
        for (size_t b = 0; b < M; b++)
            spread += pow(S[a * M + b] - (a == b ? mu : 0), 2);
    for (size_t i = 0; i < N; i++) {
        square = 0;
        for (size_t a = 0; a < M; a++)
            for (size_t b = 0; b < M; b++)
                square += pow(m->F[a * N + i] * m->F[b * N + i] - S[a * M + b], 2);
        noise_of += square / (double)(N * N);
    }
    double a_shrink = fmin(noise_of, spread) / spread, first = component(M, S, w);
    double rest = (trace - first) / (double)(M - 1);
    for (size_t a = 0; a < M; a++)
        for (size_t b = 0; b < M; b++) {
            lw[a * M + b] = (1 - a_shrink) * S[a * M + b] + (a == b ? a_shrink * mu : 0);
            ppca[a * M + b] = (first - rest) * w[a] * w[b] + (a == b ? rest : 0);
        }
}

static rm2_status add_fold(void *user, rm2_context *child, const rm2_model *m,
                           const rm2_data *held) {
    sums *s = user;
    size_t M = m->M;
    double S[MOST * MOST], w[MOST], ppca[MOST * MOST], lw[MOST * MOST];
    double *V = calloc(held->count, (M + 1) * sizeof *V), *volume = V + held->count * M;
    assert_non_null(V);
    covariances(m, S, w, ppca, lw);
    rm2_status status = rm2i_model_outputs(child, m, held->count, held->points, V);
    if (status == RM2_OK)
        status = rm2_manifold_log_volume(child, m->manifold, held->count, V, volume);
    for (size_t i = 0; i < held->count && status == RM2_OK; i++) {
        double v[MOST], along = 0, square = 0;
        for (size_t k = 0; k < M; k++) {
            v[k] = V[i * M + k] - m->mean[k];
            along += w[k] * v[k];
            square += v[k] * v[k];
        }
        s->mean += square;
        s->components += square - along * along;
        s->ppca += log_normal(M, ppca, v) - volume[i];
        s->ledoit_wolf += log_normal(M, lw, v) - volume[i];
        s->count++;
    }
    free(V);
    return status;
}

static void near(double got, double want) {
    if (!(fabs(got - want) <= 1e-8 * fmax(1, fabs(want))))
        fail_msg("got %.12g, want %.12g", got, want);
}

static void check_definitions(const rm2_data *data) {
    static const rm2i_cross_plan plan = {.folds = 5, .most = 300};
    rm2_model *model = trained(data, RM2_RECIPE_POINTS, 1);
    rm2_held_out h = {.size = sizeof h};
    sums s = {0};
    ok(rm2_model_held_out(ctx, model, &h));
    ok(rm2i_cross_folds(ctx, data, &model->settings, &plan, add_fold, &s));
    double n = (double)s.count;
    assert_int_equal(h.points, data->count);
    assert_int_equal(s.count, data->count);
    near(h.mean, sqrt(s.mean / n));
    near(h.components, sqrt(s.components / n));
    near(h.ppca, s.ppca / n);
    near(h.ledoit_wolf, s.ledoit_wolf / n);
    near(h.explained, 1 - pow(h.residual / h.mean, 2));
    near(h.plane, 1 / (double)model->M);
    rm2_model_free(model);
}

/* More points than outputs, and fewer. */
static void numbers_are_their_definitions(void **state) {
    (void)state;
    rm2_data *sets[] = {surface(40, 6, false), surface(12, 15, false), noise("SPD3", 30, 2)};
    for (size_t k = 0; k < 3; k++) {
        check_definitions(sets[k]);
        rm2_data_free(sets[k]);
    }
}

/* Of the model's own numbers: those of encoding, fold by fold. */
static rm2_status add_encoded(void *user, rm2_context *child, const rm2_model *m,
                              const rm2_data *held) {
    double *sum = user, latents[2 * 64];
    rm2_encoded got[64] = {{.size = sizeof *got}};
    rm2_encode_settings s = rm2_encode_settings_default();
    rm2_status status =
        rm2_model_encode(child, m, NULL, held->count, held->points, latents, NULL, got);
    for (size_t i = 0; i < held->count; i++)
        sum[0] += got[i].log_density;
    s.objective = RM2_ENCODE_NEAREST;
    if (status == RM2_OK)
        status = rm2_model_encode(child, m, &s, held->count, held->points, latents, NULL, got);
    for (size_t i = 0; i < held->count; i++)
        sum[1] += got[i].residual * got[i].residual;
    return status;
}

static void surface_has_structure(void **state) {
    static const rm2i_cross_plan plan = {.folds = 5, .most = 300};
    (void)state;
    rm2_data *data = surface(60, 8, false);
    rm2_model *model = trained(data, RM2_RECIPE_POINTS, 2);
    rm2_held_out h = {.size = sizeof h};
    double sum[2] = {0, 0};
    ok(rm2_model_held_out(ctx, model, &h));
    ok(rm2i_cross_folds(ctx, data, &model->settings, &plan, add_encoded, sum));
    near(h.log_density, sum[0] / 60);
    near(h.residual, sqrt(sum[1] / 60));
    assert_true(h.structure && h.residual < h.components && h.components < h.mean);
    assert_true(h.log_density > h.ppca && h.log_density > h.ledoit_wolf);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- noise ------------------------------------------------------------------------------------- */

static void noise_has_no_structure(void **state) {
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        rm2_data *data = noise(seed % 2 ? "R12" : "SPD4", 40, seed);
        rm2_model *model = trained(data, RM2_RECIPE_POINTS, 2);
        rm2_held_out h = {.size = sizeof h};
        ok(rm2_model_held_out(ctx, model, &h));
        found += h.structure;
        assert_true(h.explained < 2 * h.plane);
        rm2_model_free(model);
        rm2_data_free(data);
    }
    assert_true(found <= 2);
}

/* Free latents and a small noise reconstruct any training points: only points held out show that. */
static void noise_learned_by_heart_is_seen(void **state) {
    (void)state;
    rm2_data *data = noise("SPD4", 40, 3);
    rm2_model *model = trained(data, RM2_RECIPE_ROBUST, 2);
    rm2_fidelity f = {.size = sizeof f};
    rm2_held_out h = {.size = sizeof h};
    ok(rm2_model_fidelity(ctx, model, &f));
    ok(rm2_model_held_out(ctx, model, &h));
    assert_true(1 - pow(f.residual / f.mean, 2) > h.explained + 0.3);
    assert_true(h.log_density < h.ledoit_wolf);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- refusals ---------------------------------------------------------------------------------- */

static void what_cannot_be_held_out_is_refused(void **state) {
    (void)state;
    rm2_generate_settings g = rm2_generate_settings_default();
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_data *data, *flat = surface(20, 2, false);
    rm2_model *model;
    rm2_held_out h = {.size = sizeof h};
    g.trajectories = 2;
    g.points = 8;
    s.optim.max_iterations = 2;
    ok(rm2_data_generate(ctx, "toy", &g, &data));
    ok(rm2_fit(ctx, data, &s, NULL, &model));
    assert_int_equal(rm2_model_held_out(ctx, model, &h), RM2_ERR_UNSUPPORTED);
    assert_non_null(strstr(rm2_context_error(ctx), "whole trajectories"));
    rm2_model_free(model);
    ok(rm2_fit(ctx, flat, &s, NULL, &model));
    assert_int_equal(rm2_model_held_out(ctx, model, &h), RM2_ERR_UNSUPPORTED);
    rm2_model_free(model);
    rm2_data_free(data);
    rm2_data_free(flat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_their_definitions),
        cmocka_unit_test(surface_has_structure),
        cmocka_unit_test(noise_has_no_structure),
        cmocka_unit_test(noise_learned_by_heart_is_seen),
        cmocka_unit_test(what_cannot_be_held_out_is_refused),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
