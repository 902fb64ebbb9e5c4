/* Models with inducing points: the posterior against dense formulas and against exact inference,
 * training with its certificate, files, exact resume while choices change, and data that are hardly
 * data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "array/npz.h"
#include "data/data.h"
#include "front/base.h"
#include "gp/inducing.h"
#include "gp/likelihood.h"
#include "gp/moments.h"
#include "linalg/factor.h"
#include "model/model.h"
#include "riemann2/fit.h"

static rm2_context *ctx;
static char folder[] = "/tmp/rm2_inducing_XXXXXX";

static int setup(void **state) {
    (void)state;
    return mkdtemp(folder) && rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return rmdir(folder);
}

static double *numbers(size_t count) {
    double *block = calloc(count ? count : 1, sizeof *block);
    assert_non_null(block);
    return block;
}

static void assert_near(size_t count, const double *a, const double *b, double tolerance,
                        const char *what) {
    for (size_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance))
            fail_msg("%s, entry %zu: %.15g against %.15g", what, i, a[i], b[i]);
}

/* ---- posterior ------------------------------------------------------------------------------ */

enum { N = 40, M = 3, Q = 2, R = 14, PATH = 4 };

static double X[N * Q], F[M * N], inputs[N * Q];
static const double lengthscale[Q] = {0.7, 1.1}, noise = 0.03;
static const double Kf[M * M] = {1, 0.3, -0.2, 0.3, 0.8, 0.1, -0.2, 0.1, 0.6};
static const double path[PATH * Q] = {0.1, -0.2, 0.4, 0.1, -0.6, 0.3, 4, 3}; /* the last: far off */

/* `apart`: how far the inducing inputs are from the points they were chosen among. */
static rm2i_gp gp_of(rm2_latent_kind kind, size_t inducing, double apart) {
    rm2i_gp gp = {.N = N,
                  .M = M,
                  .Q = Q,
                  .noise_kind = RM2_NOISE_KRONECKER,
                  .kernel = {kind, Q, lengthscale, 1.4, 0},
                  .noise = noise,
                  .Kf = Kf,
                  .X = X,
                  .F = F,
                  .inducing = inducing,
                  .Z = inputs};
    size_t count, chosen[N];
    double left;
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    for (size_t i = 0; i < N * Q; i++)
        X[i] = 0.8 * rm2_rng_normal(&rng);
    for (size_t i = 0; i < M * N; i++)
        F[i] = sin(X[i % N * Q] + (double)(i / N)) + 0.1 * rm2_rng_normal(&rng);
    assert_int_equal(
        rm2i_inducing_choose(
            ctx,
            &(rm2i_inducing_request){.kernel = &gp.kernel, .N = N, .X = X, .enough = 0, .most = N},
            chosen, &count, &left),
        RM2_OK);
    gp.inducing = inducing < count ? inducing : count;
    rm2i_inducing_gather(gp.inducing, chosen, Q, X, inputs);
    for (size_t i = 0; i < gp.inducing * Q; i++)
        inputs[i] += apart * rm2_rng_normal(&rng);
    return gp;
}

static rm2i_posterior *posterior_of(const rm2i_gp *gp) {
    rm2i_posterior *p;
    assert_int_equal(rm2i_posterior_create(ctx, gp, &p), RM2_OK);
    return p;
}

/* With T = Kuu^-1 Kun and A = Q + s2 I: the weights T A^-1 F (r x M) of the mean, and the matrix
 * C = T A^-1 T^T (r x r) of the variance k** - ku^T C ku. */
static void dense_posterior(const rm2i_gp *gp, double *weights, double *C) {
    size_t r = gp->inducing;
    double *Kuu = numbers(r * r), *L = numbers(r * r), *T = numbers(N * r);
    double *A = numbers(N * N), *LA = numbers(N * N), *V = numbers(N * r), *G = numbers(r * N),
           jitter;
    rm2i_latent_gram(NULL, &gp->kernel, r, inputs, Kuu);
    assert_int_equal(rm2i_factor(NULL, r, Kuu, 0, L, &jitter), RM2_OK);
    rm2i_latent_rows(&gp->kernel, N, X, r, inputs, T);
    memcpy(V, T, N * r * sizeof *V);
    rm2i_factor_solve(NULL, r, L, N, T); /* row n: Kuu^-1 k(x_n) */
    for (size_t i = 0; i < N * N; i++)
        for (size_t j = 0; j < r; j++)
            A[i] += T[i / N * r + j] * V[i % N * r + j];
    assert_int_equal(rm2i_factor(NULL, N, A, noise, LA, &jitter), RM2_OK);
    for (size_t j = 0; j < r; j++)
        for (size_t n = 0; n < N; n++)
            G[j * N + n] = T[n * r + j];
    rm2i_factor_solve(NULL, N, LA, r, G); /* row j: A^-1 t_j */
    for (size_t i = 0; i < r * M; i++)
        for (size_t n = 0; n < N; n++)
            weights[i] += G[i / M * N + n] * F[i % M * N + n];
    for (size_t i = 0; i < r * r; i++)
        for (size_t n = 0; n < N; n++)
            C[i] += G[i / r * N + n] * T[n * r + i % r];
    free(Kuu);
    free(L);
    free(T);
    free(A);
    free(LA);
    free(V);
    free(G);
}

/* Kuu has a condition of 1e6 or less, Kuu^-1 on both sides of the dense C loses its square. */
static void posterior_is_the_dense_one(void **state) {
    (void)state;
    for (int variant = 0; variant < 6;
         variant++) { /* three kernels, inputs among the points and apart */
        rm2i_gp gp = gp_of((rm2_latent_kind)(variant / 2), R, variant % 2 ? 0.1 : 0);
        rm2i_posterior *p = posterior_of(&gp);
        double weights[R * M] = {0}, C[R * R] = {0}, k[R], dk[Q * R], prior[Q];
        double f[PATH * M], h[PATH * M], J[M * Q], Sigma[M * Q * Q];
        double *work = numbers(rm2i_posterior_at_work(p, PATH) + rm2i_posterior_work(p));
        assert_int_equal(p->n, R);
        dense_posterior(&gp, weights, C);
        rm2i_posterior_at(p, PATH, path, f, h, work);
        rm2i_latent_derivative_variance(&gp.kernel, prior);
        for (size_t i = 0; i < PATH; i++) {
            double mean[M] = {0}, variance = gp.kernel.variance, slope[M * Q] = {0}, spread[Q * Q];
            rm2i_latent_cross_gradient(&gp.kernel, R, p->Z, path + i * Q, k, dk);
            for (size_t a = 0; a < R; a++)
                for (size_t m = 0; m < M; m++) {
                    mean[m] += weights[a * M + m] * k[a];
                    for (size_t q = 0; q < Q; q++)
                        slope[m * Q + q] += weights[a * M + m] * dk[q * R + a];
                }
            for (size_t q = 0; q < Q * Q; q++)
                spread[q] = q % (Q + 1) == 0 ? prior[q / Q] : 0;
            for (size_t a = 0; a < R * R; a++) {
                variance -= k[a / R] * C[a] * k[a % R];
                for (size_t q = 0; q < Q * Q; q++)
                    spread[q] -= dk[q / Q * R + a / R] * C[a] * dk[q % Q * R + a % R];
            }
            assert_near(M, f + i * M, mean, 1e-8, "mean");
            for (size_t m = 0; m < M; m++)
                assert_near(1, h + i * M + m, &variance, 1e-8, "variance");
            rm2i_posterior_jacobian(p, path + i * Q, J, Sigma, work);
            assert_near(M * Q, J, slope, 1e-7, "Jacobian");
            assert_near(Q * Q, Sigma, spread, 1e-7, "covariance of the Jacobian");
        }
        free(work);
        rm2i_posterior_free(p);
    }
}

/* Reduced and restored, a vector is C times itself: what the metric's derivatives stand on. */
static void reduce_and_restore(void **state) {
    (void)state;
    rm2i_gp gp = gp_of(RM2_LATENT_MATERN52, R, 0);
    rm2i_posterior *p = posterior_of(&gp);
    double weights[R * M] = {0}, C[R * R] = {0}, v[2 * R], reduced[2 * R], solved[2 * R],
                       expected[2 * R] = {0};
    for (size_t i = 0; i < 2 * R; i++)
        v[i] = cos((double)i);
    dense_posterior(&gp, weights, C);
    rm2i_posterior_reduce(p, 2, v, reduced);
    rm2i_posterior_restore(p, 2, reduced, solved);
    double largest = 0;
    for (size_t i = 0; i < 2 * R; i++)
        for (size_t a = 0; a < R; a++)
            expected[i] += C[i % R * R + a] * v[i / R * R + a];
    for (size_t i = 0; i < 2 * R; i++)
        largest = fmax(largest, fabs(expected[i]));
    assert_near(2 * R, solved, expected, 1e-9 * largest, "C v");
    rm2i_posterior_free(p);
}

/* All points: exact inference, also for the moments of the Jacobian with their derivatives. Pivots down
 * to 1e-12 leave 1e-6 of a mean, and of a derivative (1/l^2 each) somewhat more. */
static void all_points_give_the_exact_posterior(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        rm2i_gp gp = gp_of((rm2_latent_kind)kind, N, 0), exact_gp = gp;
        exact_gp.inducing = 0;
        rm2i_posterior *p = posterior_of(&gp), *e = posterior_of(&exact_gp);
        double f[PATH * M], h[PATH * M], exact_f[PATH * M], exact_h[PATH * M];
        double *work = numbers(rm2i_posterior_at_work(e, PATH));
        rm2i_posterior_at(p, PATH, path, f, h, work);
        rm2i_posterior_at(e, PATH, path, exact_f, exact_h, work);
        assert_near(PATH * M, f, exact_f, 1e-6, "mean");
        assert_near(PATH * M, h, exact_h, 1e-6, "variance");
        rm2i_moments mine, theirs;
        double *a = numbers(rm2i_moments_work(p, PATH, RM2I_MOMENT_DERIVATIVE));
        double *b = numbers(rm2i_moments_work(e, PATH, RM2I_MOMENT_DERIVATIVE));
        const double w[M] = {1, 0.5, 2}, dw[Q * M] = {0.1, 0.2, -0.3, 1, 0, 2};
        rm2i_moments_at(p, PATH, path, NULL, RM2I_MOMENT_DERIVATIVE, a, &mine);
        rm2i_moments_at(e, PATH, path, NULL, RM2I_MOMENT_DERIVATIVE, b, &theirs);
        for (size_t i = 0; i < PATH; i++) {
            double S[Q * Q], dS[Q * Q * Q], exact_S[Q * Q], exact_dS[Q * Q * Q];
            rm2i_moments_covariance(&mine, i, w, dw, S, dS);
            rm2i_moments_covariance(&theirs, i, w, dw, exact_S, exact_dS);
            assert_near(Q * Q, S, exact_S, 1e-5, "moments");
            assert_near(Q * Q * Q, dS, exact_dS, 1e-4, "derivatives of moments");
        }
        free(a);
        free(b);
        free(work);
        rm2i_posterior_free(p);
        rm2i_posterior_free(e);
    }
}

/* By one solve, with the product of the root and with the root itself. */
static void variance_has_its_slope(void **state) {
    (void)state;
    for (int product = 0; product < 2; product++) {
        rm2i_gp gp = gp_of(RM2_LATENT_SE, R, 0.02);
        rm2i_posterior *p = posterior_of(&gp);
        double *work = numbers(rm2i_posterior_work(p));
        assert_non_null(p->inverse);
        if (!product)
            p->inverse = NULL;
        for (size_t i = 0; i < PATH; i++) {
            double f[M], h[M], J[M * Q], dh[M * Q], one_h, one_dh[Q];
            rm2i_posterior_gradient(p, path + i * Q, f, h, J, dh, work);
            rm2i_posterior_variance(p, path + i * Q, &one_h, one_dh, work);
            assert_near(1, &one_h, h, 1e-11, "h");
            assert_near(Q, one_dh, dh, 1e-10, "dh");
        }
        free(work);
        rm2i_posterior_free(p);
    }
}

/* ---- sums that are known -------------------------------------------------------------------- */

static double off_of(const rm2i_gp *gp, const double *sums) {
    const rm2i_inducing_data data = {.kernel = &gp->kernel, .N = N, .M = M, .X = X, .F = F};
    double off = NAN;
    assert_int_equal(
        rm2i_inducing_sums_off(ctx, &(rm2i_sums_claim){&data, gp->inducing, inputs, sums}, &off),
        RM2_OK);
    return off;
}

static void assert_same_posterior(const rm2i_posterior *a, const rm2i_posterior *b) {
    size_t r = a->n;
    assert_memory_equal(a->C, b->C, a->gp.M * r * sizeof *a->C);
    assert_memory_equal(a->root, b->root, r * r * sizeof *a->root);
}

/* Each entry in turn is wrong; t, the last, is not used. Every seventh is followed to the posterior. */
static void try_wrong_entries(rm2i_gp *gp, const rm2i_posterior *found, double *sums) {
    gp->sums = sums;
    for (size_t i = 0; i + 1 < rm2i_inducing_sums_count(gp->inducing, M); i++) {
        double right = sums[i], wrong[] = {right + 1e-3, -right - 1, 1e300, INFINITY, NAN};
        sums[i] = wrong[i % 5];
        assert_false(off_of(gp, sums) <= 1e-5);
        rm2i_posterior *again = i % 7 ? NULL : posterior_of(gp);
        if (again)
            assert_same_posterior(again, found);
        rm2i_posterior_free(again);
        sums[i] = right;
    }
}

static void wrong_sums_have_no_effect(void **state) {
    (void)state;
    static const rm2_latent_kind kinds[] = {RM2_LATENT_SE, RM2_LATENT_MATERN32};
    for (size_t k = 0; k < 2; k++) {
        rm2i_gp gp = gp_of(kinds[k], R, 0.02);
        rm2i_posterior *found = posterior_of(&gp);
        size_t count = rm2i_inducing_sums_count(gp.inducing, M);
        double *sums = numbers(count);
        memcpy(sums, found->sums, count * sizeof *sums);
        assert_true(off_of(&gp, sums) < 1e-10);
        try_wrong_entries(&gp, found, sums);
        rm2i_posterior *known = posterior_of(&gp);
        assert_same_posterior(known, found);
        rm2i_posterior_free(known);
        rm2i_posterior_free(found);
        free(sums);
    }
}

/* ---- models --------------------------------------------------------------------------------- */

static const char *in_folder(const char *name) {
    static char full[2][128];
    static int turn;
    turn = !turn;
    (void)snprintf(full[turn], sizeof full[turn], "%s/%s", folder, name);
    return full[turn];
}

static rm2_data *example(const char *name, size_t trajectories, size_t points) {
    rm2_generate_settings s = {
        .size = sizeof s, .seed = 1, .trajectories = trajectories, .points = points};
    rm2_data *data;
    assert_int_equal(rm2_data_generate(ctx, name, &s, &data), RM2_OK);
    return data;
}

static rm2_fit_settings inducing(rm2_recipe recipe, size_t iterations) {
    rm2_fit_settings s = rm2_fit_settings_recipe(recipe);
    s.inference = RM2_INFERENCE_INDUCING;
    s.optim.max_iterations = iterations;
    return s;
}

static rm2_model *fit(const rm2_data *data, const rm2_fit_settings *s,
                      const rm2_checkpoint *checkpoint) {
    rm2_model *model;
    if (rm2_fit(ctx, data, s, checkpoint, &model) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    return model;
}

/* The exact log-likelihood at a model's parameters. */
static double exact_likelihood(const rm2_model *m) {
    double *K = numbers(2 * m->N * m->N + m->M * m->N + 2 * m->M * m->M), *L = K + m->N * m->N;
    double *Y = L + m->N * m->N, *S = Y + m->M * m->N, *Lf = S + m->M * m->M, jitter;
    rm2i_latent_kernel kernel = {m->settings.kernel, m->Q, m->lengthscale, m->variance, m->linear};
    rm2i_matrix_normal mn = {.N = m->N, .M = m->M, .Y = Y, .S = S};
    rm2i_latent_gram(NULL, &kernel, m->N, m->X, K);
    assert_int_equal(rm2i_matrix_normal_solve(&mn, K, m->noise, m->F, L), RM2_OK);
    assert_int_equal(rm2i_factor(NULL, m->M, m->Kf, 0, Lf, &jitter), RM2_OK);
    double value = rm2i_matrix_normal_value(&mn, Lf, NULL);
    free(K);
    return value;
}

static void check_certificate(const rm2_model *model, double accuracy) {
    rm2_model_info i = *rm2_model_info_of(model);
    double exact = exact_likelihood(model), points = (double)i.points, slack = 1e-8 * fabs(exact);
    assert_true(i.inducing > 0 && i.inducing <= i.points);
    for (size_t j = 0; j < i.inducing; j++)
        assert_true(i.inducing_points[j] < i.points);
    if (!(i.training.end.log_likelihood <= i.training.likelihood.lower + slack &&
          i.training.likelihood.lower <= exact + slack &&
          exact <= i.training.likelihood.upper + slack))
        fail_msg("%.10g <= %.10g <= %.10g <= %.10g", i.training.end.log_likelihood,
                 i.training.likelihood.lower, exact, i.training.likelihood.upper);
    if (!(i.training.likelihood.upper - i.training.end.log_likelihood <= accuracy * points))
        fail_msg("off by %g nats per point",
                 (i.training.likelihood.upper - i.training.end.log_likelihood) / points);
}

/* The size of the paper's toy data: 1e-3 nats per point, proven, with a fifth of the points. */
static void toy_of_1200_points(void **state) {
    (void)state;
    rm2_data *data = example("toy", 6, 200);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.init = RM2_INIT_PCA; /* the start is not what is looked at */
    s.optim.max_iterations = 4;
    rm2_model *model = fit(data, &s, NULL);
    assert_in_range(rm2_model_info_of(model)->inducing, 50, 300); /* by itself */
    check_certificate(model, 1e-3);
    rm2_model_free(model);
    rm2_data_free(data);
}

static void every_recipe_with_kronecker_noise(void **state) {
    (void)state;
    rm2_data *data = example("robot", 3, 30);
    for (int k = 0; k < 6; k++) {
        rm2_fit_settings s = inducing(k % 2 ? RM2_RECIPE_MAP : RM2_RECIPE_ROBUST, 30);
        s.kernel = k == 2 ? RM2_LATENT_MATERN52 : RM2_LATENT_SE;
        s.gpdm_weight = k == 0 ? 0 : 1;
        s.back_constraint = k == 4;
        if (k == 5)
            s.optim.method = RM2_ADAM;
        rm2_model *model = fit(data, &s, NULL);
        rm2_model_info i = *rm2_model_info_of(model);
        check_certificate(model, 0.1);
        assert_true(i.training.end.total > i.training.start.total);
        assert_true((i.gpdm_inducing > 0) == (s.gpdm_weight > 0));
        assert_true(i.training.dynamics.lower <= i.training.dynamics.upper &&
                    i.training.end.gpdm <= i.training.dynamics.lower + 1e-6);
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

/* Prediction is that of exact inference at the same parameters, up to what the inducing points leave:
 * with an accuracy of 1e-6 nats, some 1e-3 of the noise. */
static void prediction_is_close_to_exact(void **state) {
    (void)state;
    rm2_data *data = example("toy", 3, 40);
    rm2_fit_settings s = inducing(RM2_RECIPE_ROBUST, 10);
    s.accuracy = 1e-6;
    rm2_model *model = fit(data, &s, NULL);
    rm2_model_info i = *rm2_model_info_of(model);
    rm2i_gp gp = model->posterior->gp;
    gp.inducing = 0;
    rm2i_posterior *exact = posterior_of(&gp);
    double *f = numbers(4 * i.points * i.outputs), *h = f + i.points * i.outputs;
    double *exact_f = h + i.points * i.outputs, *exact_h = exact_f + i.points * i.outputs;
    double *work = numbers(rm2i_posterior_at_work(exact, i.points));
    assert_true(i.inducing < i.points);
    rm2i_posterior_at(model->posterior, i.points, i.latents, f, h, work);
    rm2i_posterior_at(exact, i.points, i.latents, exact_f, exact_h, work);
    assert_near(i.points * i.outputs, f, exact_f, 1e-3 * sqrt(i.noise), "mean");
    assert_near(i.points * i.outputs, h, exact_h, 1e-3 * i.noise, "variance");
    /* encoding and draws go through the same posterior */
    rm2_encoded info[3] = {{.size = sizeof *info}};
    double x[3 * 2], draws[3 * 5];
    assert_int_equal(rm2_model_encode(ctx, model, NULL, 3, data->points, x, NULL, info), RM2_OK);
    for (size_t k = 0; k < 3; k++)
        assert_true(info[k].residual < 0.2);
    assert_int_equal(rm2_model_sample(ctx, model, 3, i.latents, 1, true, draws), RM2_OK);
    free(f);
    free(work);
    rm2i_posterior_free(exact);
    rm2_model_free(model);
    rm2_data_free(data);
}

static void files_keep_everything(void **state) {
    (void)state;
    rm2_data *data = example("toy", 3, 20);
    rm2_fit_settings s = inducing(RM2_RECIPE_MAP, 5);
    s.accuracy = 0.01;
    rm2_model *model = fit(data, &s, NULL), *read;
    const char *file = in_folder("model.npz");
    assert_int_equal(rm2_model_write(ctx, model, file, true), RM2_OK);
    assert_int_equal(rm2_model_read(ctx, file, &read), RM2_OK);
    rm2_model_info a = *rm2_model_info_of(model), b = *rm2_model_info_of(read);
    assert_int_equal(a.inducing, b.inducing);
    assert_int_equal(a.gpdm_inducing, b.gpdm_inducing);
    assert_memory_equal(a.inducing_points, b.inducing_points, a.inducing * sizeof(size_t));
    assert_memory_equal(&a.training.likelihood, &b.training.likelihood,
                        sizeof a.training.likelihood);
    assert_memory_equal(&a.training.dynamics, &b.training.dynamics, sizeof a.training.dynamics);
    assert_true(read->settings.accuracy == 0.01 &&
                read->settings.inference == RM2_INFERENCE_INDUCING);
    double mine[3 * 5], theirs[3 * 5];
    assert_int_equal(rm2_model_decode(ctx, model, 3, a.latents, mine, NULL, NULL, NULL), RM2_OK);
    assert_int_equal(rm2_model_decode(ctx, read, 3, a.latents, theirs, NULL, NULL, NULL), RM2_OK);
    assert_memory_equal(mine, theirs, sizeof mine);
    rm2_model_free(read);
    model->inducing[0] = model->N; /* no such point */
    assert_int_equal(rm2_model_write(ctx, model, file, true), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(ctx), "parameters/inducing"));
    assert_int_equal(unlink(file), 0);
    rm2_model_free(model);
    /* exact inference: both bounds are the value */
    s.inference = RM2_INFERENCE_EXACT;
    s.accuracy = 1e-3;
    model = fit(data, &s, NULL);
    assert_int_equal(rm2_model_write(ctx, model, file, true), RM2_OK);
    assert_int_equal(rm2_model_read(ctx, file, &read), RM2_OK);
    b = *rm2_model_info_of(read);
    assert_true(b.inducing == 0 && !b.inducing_points);
    assert_true(b.training.likelihood.lower == b.training.end.log_likelihood &&
                b.training.likelihood.upper == b.training.end.log_likelihood &&
                b.training.dynamics.upper == b.training.end.gpdm);
    assert_int_equal(unlink(file), 0);
    rm2_model_free(model);
    rm2_model_free(read);
    rm2_data_free(data);
}

/* Stopped after any number of iterations and resumed, training is the same bit for bit, also where
 * choices were made before and after. */
static void resume_is_exact(void **state) {
    (void)state;
    rm2_data *data = example("toy", 3, 20);
    for (int k = 0; k < 3; k++) {
        rm2_fit_settings s = inducing(k ? RM2_RECIPE_MAP : RM2_RECIPE_ROBUST, 30);
        rm2_checkpoint checkpoint = {in_folder("checkpoint"), k == 1 ? 0 : 1e9, true};
        s.accuracy = 1e-3;
        s.inducing = k == 0 ? 15 : 0;
        s.gpdm_weight = k == 0 ? 0 : 1;
        s.optim.gradient = 0;
        if (k == 2)
            s.optim.method = RM2_ADAM;
        else
            s.optim.relative_decrease = 0;
        rm2_model *whole = fit(data, &s, NULL);
        rm2_model_info a = *rm2_model_info_of(whole);
        assert_true(a.training.evaluations >
                    a.training.iterations + 1); /* choices were made on the way */
        for (size_t stop = 1; stop < 30; stop += 4) {
            s.optim.max_iterations = stop;
            rm2_model_free(fit(data, &s, &checkpoint));
        }
        s.optim.max_iterations = 30;
        rm2_model *rest = fit(data, &s, &checkpoint);
        rm2_model_info b = *rm2_model_info_of(rest);
        assert_int_equal(a.training.evaluations, b.training.evaluations);
        assert_int_equal(a.inducing, b.inducing);
        assert_memory_equal(a.inducing_points, b.inducing_points, a.inducing * sizeof(size_t));
        assert_memory_equal(a.latents, b.latents, a.points * a.latent_dim * sizeof(double));
        assert_memory_equal(a.training.trace, b.training.trace,
                            (a.training.iterations + 1) * sizeof(double));
        assert_memory_equal(&a.training.end, &b.training.end, sizeof a.training.end);
        assert_memory_equal(&a.training.likelihood, &b.training.likelihood,
                            sizeof a.training.likelihood);
        s.latent_anchor = 0.1; /* another training */
        rm2_model *refused;
        assert_int_equal(rm2_fit(ctx, data, &s, &checkpoint, &refused), RM2_ERR_DATA);
        assert_int_equal(unlink(checkpoint.path), 0);
        rm2_model_free(whole);
        rm2_model_free(rest);
    }
    rm2_data_free(data);
}

/* With many points for each inducing point the file has the sums, and the model read from it the same bits. */
static void files_keep_sums(void **state) {
    (void)state;
    rm2_data *data = example("toy", 5, 60);
    rm2_fit_settings s = inducing(RM2_RECIPE_ROBUST, 2);
    const char *file = in_folder("sums.npz");
    rm2_model *model, *again;
    rm2i_npz *npz;
    s.inducing = 6;
    model = fit(data, &s, NULL);
    assert_int_equal(rm2_model_write(ctx, model, file, true), RM2_OK);
    assert_int_equal(rm2i_npz_open(ctx, file, &npz), RM2_OK);
    assert_int_not_equal(rm2i_npz_find(npz, "parameters/inducing_sums"), SIZE_MAX);
    rm2i_npz_close(npz);
    assert_int_equal(rm2_model_read(ctx, file, &again), RM2_OK);
    assert_same_posterior(model->posterior, again->posterior);
    assert_int_equal(unlink(file), 0);
    rm2_model_free(model);
    rm2_model_free(again);
    rm2_data_free(data);
}

/* The same threads give the same bits. */
static void same_bits_again(void **state) {
    (void)state;
    rm2_data *data = example("toy", 4, 150);
    rm2_fit_settings s = inducing(RM2_RECIPE_ROBUST, 8);
    s.init = RM2_INIT_PCA;
    s.gpdm_weight = 1;
    rm2_context_set_threads(ctx, 2);
    rm2_model *one = fit(data, &s, NULL), *other = fit(data, &s, NULL);
    assert_memory_equal(one->X, other->X, one->N * one->Q * sizeof *one->X);
    assert_memory_equal(&one->training.end, &other->training.end, sizeof one->training.end);
    rm2_context_set_threads(ctx, 0);
    rm2_model_free(one);
    rm2_model_free(other);
    rm2_data_free(data);
}

static rm2_data *plane(size_t count, const double *points, size_t trajectories) {
    const rm2_factor flat = {.geometry = &rm2_euclidean, .n = 2};
    const size_t starts[] = {0, count};
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .count = count,
                              .points = points,
                              .trajectories = trajectories,
                              .starts = trajectories ? starts : NULL};
    rm2_manifold *m;
    rm2_data *data;
    assert_int_equal(rm2_manifold_from_factors(ctx, &flat, 1, &m), RM2_OK);
    arrays.manifold = m;
    assert_int_equal(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL), RM2_OK);
    rm2_manifold_free(m);
    return data;
}

static void few_points_and_duplicates(void **state) {
    (void)state;
    enum { MANY = 30 };
    double two[4] = {1, 2, 3, 4}, twice[MANY * 2], line[MANY * 2];
    for (size_t i = 0; i < MANY; i++) {
        twice[2 * i] = (double)(i % 3);
        twice[2 * i + 1] = (double)(i % 3 == 1);
        line[2 * i] = 1;
        line[2 * i + 1] = (double)i;
    }
    rm2_data *sets[] = {plane(2, two, 1), plane(MANY, twice, 1), plane(MANY, line, 1)};
    for (size_t k = 0; k < 3; k++)
        for (size_t count = 0; count < 3; count++) { /* by accuracy, one, more than there are */
            rm2_fit_settings s = inducing(count ? RM2_RECIPE_ROBUST : RM2_RECIPE_MAP, 10);
            s.inducing = count == 2 ? 1000 : count;
            s.gpdm_weight = count == 2 ? 1 : 0;
            rm2_model *model = fit(sets[k], &s, NULL);
            rm2_model_info i = *rm2_model_info_of(model);
            assert_true(i.inducing >= 1 && i.inducing <= i.points);
            assert_true(count != 1 || i.inducing == 1);
            assert_true(isfinite(i.training.end.total) && isfinite(i.training.likelihood.upper));
            check_certificate(model, INFINITY);
            double ambient, outputs;
            assert_int_equal(rm2_model_reconstruction(ctx, model, &ambient, &outputs), RM2_OK);
            assert_true(isfinite(ambient));
            rm2_model_free(model);
        }
    for (size_t k = 0; k < 3; k++)
        rm2_data_free(sets[k]);
}

/* Six points, each four times, and hardly any noise: what is left of the trace is rounding, which no
 * choice makes smaller, and no step is possible. Training ends all the same. */
static void traces_of_rounding_end(void **state) {
    (void)state;
    enum { PLACES = 6, TIMES = 4 };
    static const double places[PLACES * 2] = {
        1.2881847531554629,  1.4494456086997709,   0.066335808938261909, -0.76454365097163179,
        -1.0921732151041414, 0.031334516831716869, -1.0221031700108729,  -1.4368294451025299,
        0.19931197648375384, 0.13337460465860485,  0.54646830033823157,  -0.91397094373531262};
    double points[PLACES * TIMES * 2];
    for (size_t i = 0; i < PLACES * TIMES; i++)
        memcpy(points + 2 * i, places + i / TIMES * 2, 2 * sizeof *points);
    rm2_data *data = plane(PLACES * TIMES, points, 0);
    for (size_t count = 0; count < 9; count++) {
        rm2_fit_settings s = inducing(RM2_RECIPE_ROBUST, 20);
        s.inducing = count;
        s.noise_variance.start = 1e-10;
        rm2_model *model = fit(data, &s, NULL);
        assert_in_range(model->training.evaluations, 1,
                        400); /* 20 iterations with their line searches */
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

/* ---- compact models ------------------------------------------------------------------------- */

static void assert_same_predictions(const rm2_model *a, const rm2_model *b) {
    size_t outputs = a->M, dims = a->Q, D = rm2_manifold_ambient(a->manifold);
    double *x = numbers(PATH * dims), *points = numbers(2 * PATH * D);
    double *covariances = numbers(2 * PATH * outputs * outputs);
    for (size_t i = 0; i < PATH * dims; i++)
        x[i] = path[i % (PATH * Q)];
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(rm2_model_decode(ctx, k ? b : a, PATH, x, points + k * PATH * D, NULL,
                                          covariances + k * PATH * outputs * outputs, NULL),
                         RM2_OK);
    assert_memory_equal(points, points + PATH * D, PATH * D * sizeof *points);
    assert_memory_equal(covariances, covariances + PATH * outputs * outputs,
                        PATH * outputs * outputs * sizeof *covariances);
    free(x);
    free(points);
    free(covariances);
}

/* Predictions are those of the whole model, bit by bit, also from a file and when made compact once more; the points
 * that are kept are its own; what needs all of them is refused. */
static void compact_models_predict_the_same(void **state) {
    (void)state;
    rm2_data *data = example("toy", 12, 30);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.inference = RM2_INFERENCE_INDUCING;
    s.inducing = 20;
    s.optim.max_iterations = 5;
    rm2_model *m = fit(data, &s, NULL), *small, *again, *read;
    assert_int_equal(rm2_model_compact(ctx, m, 60, &small), RM2_OK);
    assert_int_equal(rm2_model_info_of(small)->trained, 360);
    assert_true(small->N < 100 && small->data->trajectories >= 2);
    for (size_t t = 0; t < small->data->trajectories; t++) {
        size_t own = (size_t)strtoul(small->data->ids[t], NULL, 10);
        assert_string_equal(small->data->ids[t], data->ids[own]);
        assert_memory_equal(small->X + small->data->starts[t] * m->Q,
                            m->X + data->starts[own] * m->Q, m->Q * sizeof *m->X);
    }
    assert_same_predictions(m, small);
    assert_int_equal(rm2_model_compact(ctx, small, 40, &again), RM2_OK);
    assert_int_equal(rm2_model_info_of(again)->trained, 360);
    assert_same_predictions(m, again);
    void *bytes;
    size_t size, whole;
    assert_int_equal(rm2_model_to_bytes(ctx, small, &bytes, &size), RM2_OK);
    assert_int_equal(rm2_model_from_bytes(ctx, bytes, size, NULL, &read), RM2_OK);
    assert_same_predictions(m, read);
    rm2_free(bytes);
    assert_int_equal(rm2_model_to_bytes(ctx, m, &bytes, &whole), RM2_OK);
    rm2_free(bytes);
    rm2_model *extended;
    assert_int_equal(rm2_fit_add(ctx, read, data, NULL, NULL, &extended), RM2_ERR_UNSUPPORTED);
    assert_non_null(strstr(rm2_context_error(ctx), "needs all 360 training points"));
    rm2_model_free(read);
    read = NULL;
    small->posterior->sums[rm2i_triangle(small->inducing_count)] *= 1e9; /* not the points' */
    assert_int_equal(rm2_model_to_bytes(ctx, small, &bytes, &size), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(ctx), "the model is not written"));
    assert_null(bytes);
    s.inference = RM2_INFERENCE_EXACT;
    s.inducing = 0;
    rm2_model *exact = fit(data, &s, NULL);
    assert_int_equal(rm2_model_compact(ctx, exact, 60, &read), RM2_ERR_UNSUPPORTED);
    assert_null(read);
    rm2_model_free(exact);
    rm2_model_free(again);
    rm2_model_free(small);
    rm2_model_free(m);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posterior_is_the_dense_one),
        cmocka_unit_test(reduce_and_restore),
        cmocka_unit_test(all_points_give_the_exact_posterior),
        cmocka_unit_test(variance_has_its_slope),
        cmocka_unit_test(wrong_sums_have_no_effect),
        cmocka_unit_test(toy_of_1200_points),
        cmocka_unit_test(every_recipe_with_kronecker_noise),
        cmocka_unit_test(prediction_is_close_to_exact),
        cmocka_unit_test(files_keep_everything),
        cmocka_unit_test(files_keep_sums),
        cmocka_unit_test(compact_models_predict_the_same),
        cmocka_unit_test(resume_is_exact),
        cmocka_unit_test(same_bits_again),
        cmocka_unit_test(few_points_and_duplicates),
        cmocka_unit_test(traces_of_rounding_end),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
