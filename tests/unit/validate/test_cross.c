/* Cross-validation: jobs against training and scoring by hand, choices against the definition, files of results, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omp.h>

#include "front/base.h"
#include "riemann2/cross.h"
#include "riemann2/eval.h"
#include "riemann2/fit.h"
#include "validate/cross.h"

static const char FILE_NAME[] = "test_cross_jobs.csv";

static rm2_context *ctx;
static rm2_data *raw,
    *toy; /* four trajectories of R2 x S2, not scaled; toy is made of raw's points as a split by hand is */

/* From raw's points, with trajectory `holdout` in *held, or all (NULL). */
static rm2_status make_toy(const char *holdout, rm2_data **train, rm2_data **held) {
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = raw->manifold,
                              .count = raw->count,
                              .points = raw->points,
                              .trajectories = raw->trajectories,
                              .starts = raw->starts,
                              .ids = raw->ids};
    rm2_data_settings s = rm2_data_settings_default();
    s.holdout = holdout;
    s.scale = RM2_SCALE_NONE;
    return rm2_data_create(ctx, &arrays, &s, train, held, NULL);
}

static int set_up(void **state) {
    rm2_generate_settings s = rm2_generate_settings_default();
    (void)state;
    omp_set_num_threads(1);
    s.trajectories = 4;
    s.points = 12;
    bool made = rm2_context_create(&ctx) == RM2_OK &&
                rm2_data_generate(ctx, "toy", &s, &raw) == RM2_OK &&
                make_toy(NULL, &toy, NULL) == RM2_OK;
    return made ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    (void)remove(FILE_NAME);
    rm2_data_free(toy);
    rm2_data_free(raw);
    rm2_context_free(ctx);
    return 0;
}

static void refused(rm2_status status, rm2_status want, const char *text) {
    if (status != want || !strstr(rm2_context_error(ctx), text))
        fail_msg("status %d, \"%s\" has no \"%s\"", (int)status, rm2_context_error(ctx), text);
}

static rm2_fit_settings quick(size_t latent_dim) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.latent_dim = latent_dim;
    s.optim.max_iterations = 15;
    return s;
}

static rm2_cross *validate(const rm2_data *data, const rm2_cross_settings *s, size_t count,
                           const rm2_fit_settings *candidates, const rm2_checkpoint *checkpoint) {
    const rm2_fit_settings *list[8];
    rm2_cross *cross = NULL;
    for (size_t k = 0; k < count; k++)
        list[k] = &candidates[k];
    if (rm2_cross_validate(ctx, data, s, count, list, checkpoint, &cross) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    return cross;
}

/* The same bits, or both not numbers. */
static void same_jobs(const rm2_cross *a, const rm2_cross *b) {
    assert_int_equal(a->candidates * a->folds, b->candidates * b->folds);
    for (size_t k = 0; k < a->candidates * a->folds; k++) {
        assert_int_equal(a->jobs[k].status, b->jobs[k].status);
        assert_string_equal(a->jobs[k].message, b->jobs[k].message);
        for (size_t m = 0; m < RM2_CROSS_MEASURES; m++) {
            double x = a->jobs[k].value[m], y = b->jobs[k].value[m];
            if (x != y && !(isnan(x) && isnan(y)))
                fail_msg("job %zu, measure %zu: %.17g and %.17g", k, m, x, y);
        }
    }
    assert_int_equal(a->best, b->best);
    assert_int_equal(a->recommended, b->recommended);
}

/* ---- one job -------------------------------------------------------------------------------- */

/* Bit for bit: a job is training and scoring on one thread. */
static void job_is_fit_and_score(void **state) {
    rm2_fit_settings s = quick(2);
    rm2_data *train, *held;
    rm2_model *model;
    rm2_score score = {.size = sizeof score};
    rm2_calibration c = {.size = sizeof c};
    (void)state;
    rm2_cross *cross = validate(toy, NULL, 1, &s, NULL);
    assert_int_equal(cross->folds, 4);
    assert_int_equal(cross->split, RM2_SPLIT_TRAJECTORIES);
    for (size_t i = 0; i < toy->count; i++)
        assert_int_equal(cross->fold[i], i / 12);
    assert_int_equal(make_toy(toy->ids[2], &train, &held), RM2_OK);
    int threads = rm2_context_threads(ctx);
    rm2_context_set_threads(ctx, 1);
    double *latents = malloc(held->count * 2 * sizeof *latents);
    assert_int_equal(rm2_fit(ctx, train, &s, NULL, &model), RM2_OK);
    assert_int_equal(rm2_model_score(ctx, model, NULL, held, latents, NULL, &score), RM2_OK);
    rm2_calibration_points points = {
        .n = held->count, .latents = latents, .points = held->points, .encoded = true};
    assert_int_equal(rm2_model_calibration(ctx, model, &points, &c), RM2_OK);
    const rm2_cross_job *job = &cross->jobs[2];
    if (job->value[RM2_CROSS_DENSITY] != score.log_density_manifold)
        fail_msg("density %.17g by a job, %.17g by hand", job->value[RM2_CROSS_DENSITY],
                 score.log_density_manifold);
    assert_true(job->value[RM2_CROSS_RESIDUAL] == score.tangent);
    assert_true(job->value[RM2_CROSS_COVERAGE] == c.coverage[4] && c.level[4] == 0.95);
    assert_int_equal(job->held, 12);
    assert_int_equal(job->train, 36);
    assert_true(job->value[RM2_CROSS_MOTION] > 0 && job->value[RM2_CROSS_MOTION] < 10);
    rm2_context_set_threads(ctx, threads);
    free(latents);
    rm2_model_free(model);
    rm2_data_free(train);
    rm2_data_free(held);
    rm2_cross_free(cross);
}

/* Scales are those of the training part: what the reader does with trajectories held out. Rounding of x/s s is the tolerance. */
static void scales_are_of_the_training_part(void **state) {
    rm2_generate_settings g = rm2_generate_settings_default();
    rm2_fit_settings s = quick(1);
    rm2_data *data, *train, *held;
    rm2_model *model;
    rm2_score score = {.size = sizeof score};
    (void)state;
    g.trajectories = 3;
    g.points = 8;
    g.scale = true;
    s.optim.max_iterations = 3;
    assert_int_equal(rm2_data_generate(ctx, "toy", &g, &data), RM2_OK);
    assert_true(data->scale[0] != 1);
    rm2_cross *cross = validate(data, NULL, 1, &s, NULL);
    double *original = malloc(data->count * 5 * sizeof *original);
    rm2_data_original(data, original);
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = data->manifold,
                              .count = data->count,
                              .points = original,
                              .trajectories = data->trajectories,
                              .starts = data->starts};
    rm2_data_settings d = rm2_data_settings_default();
    d.holdout = "1";
    d.scale = RM2_SCALE_ALL;
    assert_int_equal(rm2_data_create(ctx, &arrays, &d, &train, &held, NULL), RM2_OK);
    assert_int_equal(rm2_fit(ctx, train, &s, NULL, &model), RM2_OK);
    assert_int_equal(rm2_model_score(ctx, model, NULL, held, NULL, NULL, &score), RM2_OK);
    assert_true(train->scale[0] != data->scale[0]);
    double got = cross->jobs[1].value[RM2_CROSS_RESIDUAL];
    if (!(fabs(got - score.tangent) < 1e-8 * score.tangent))
        fail_msg("%.17g by a job, %.17g by hand", got, score.tangent);
    free(original);
    rm2_model_free(model);
    rm2_data_free(train);
    rm2_data_free(held);
    rm2_data_free(data);
    rm2_cross_free(cross);
}

/* ---- choice --------------------------------------------------------------------------------- */

/* A bent surface in R5 with noise: its dimension is 2. */
static void known_dimension(void **state) {
    enum { N = 60, D = 5 };
    double points[N * D];
    rm2_rng rng;
    rm2_manifold *m;
    rm2_data *data;
    rm2_fit_settings candidates[3];
    (void)state;
    rm2_rng_seed(&rng, 3);
    for (size_t i = 0; i < N; i++) {
        double u = 2 * rm2_rng_uniform(&rng) - 1, v = 2 * rm2_rng_uniform(&rng) - 1;
        double y[D] = {u, v, 0.3 * u * u, 0.3 * u * v, 0.5 * u - 0.5 * v};
        for (size_t k = 0; k < D; k++)
            points[i * D + k] = y[k] + 0.02 * rm2_rng_normal(&rng);
    }
    assert_int_equal(rm2_manifold_create(ctx, "R5", &m), RM2_OK);
    rm2_data_arrays arrays = {.size = sizeof arrays, .manifold = m, .count = N, .points = points};
    assert_int_equal(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL), RM2_OK);
    for (size_t k = 0; k < 3; k++) {
        candidates[k] = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
        candidates[k].latent_dim = k + 1;
        candidates[k].init = RM2_INIT_TANGENT;
    }
    rm2_cross_settings s = rm2_cross_settings_default();
    s.folds = 3;
    rm2_cross *cross = validate(data, &s, 3, candidates, NULL);
    assert_int_equal(cross->split, RM2_SPLIT_POINTS);
    if (cross->recommended != 1)
        fail_msg("recommended %zu, densities %g %g %g", cross->recommended, cross->rows[0].mean[0],
                 cross->rows[1].mean[0], cross->rows[2].mean[0]);
    assert_true(isnan(cross->rows[1].mean[RM2_CROSS_MOTION]));
    size_t in[3] = {0};
    for (size_t i = 0; i < N; i++)
        in[cross->fold[i]]++;
    assert_true(in[0] == 20 && in[1] == 20 && in[2] == 20);
    rm2_cross_free(cross);
    rm2_data_free(data);
    rm2_manifold_free(m);
}

enum { CANDIDATES = 4, FOLDS = 3 };

static rm2_cross choose(double densities[CANDIDATES][FOLDS], const rm2_fit_settings *settings,
                        rm2_cross_job *jobs, rm2_cross_row *rows) {
    rm2_cross cross = {.candidates = CANDIDATES, .folds = FOLDS, .jobs = jobs};
    for (size_t k = 0; k < CANDIDATES * FOLDS; k++) {
        jobs[k] = (rm2_cross_job){.unconverged = 1};
        for (size_t m = 0; m < RM2_CROSS_MEASURES; m++)
            jobs[k].value[m] = densities[k / FOLDS][k % FOLDS];
        if (isnan(jobs[k].value[0]))
            jobs[k].status = RM2_ERR_NUMERIC;
    }
    rm2i_cross_choose(&cross, settings, rows);
    return cross;
}

/* Means, errors and the rule of one standard error, by numbers that are worked out by hand. */
static void rule_of_one_error(void **state) {
    rm2_cross_job jobs[CANDIDATES * FOLDS];
    rm2_cross_row rows[CANDIDATES];
    rm2_fit_settings s[CANDIDATES] = {quick(3), quick(2), quick(1), quick(2)};
    (void)state;
    /* candidate 1 is behind by 1, -1, 1.5: mean 0.5, squares around it 0.25 + 2.25 + 1, standard error sqrt(3.5/6); candidate 2 by 2, 2, 2.3 */
    double densities[CANDIDATES][FOLDS] = {
        {5, 6, 7}, {4, 7, 5.5}, {3, 4, 4.7}, {9, (double)NAN, 9}};
    rm2_cross c = choose(densities, s, jobs, rows);
    assert_int_equal(c.best, 0);
    assert_int_equal(c.recommended, 1);
    assert_true(fabs(rows[0].mean[0] - 6) < 1e-14 && fabs(rows[0].error[0] - sqrt(1. / 3)) < 1e-14);
    assert_true(fabs(rows[1].behind - 0.5) < 1e-14);
    assert_true(fabs(rows[1].behind_error - sqrt(3.5 / 6)) < 1e-12);
    assert_true(rows[2].behind > rows[2].behind_error);
    assert_int_equal(rows[3].failed, 1);
    assert_true(isnan(rows[3].behind) && fabs(rows[3].mean[0] - 9) < 1e-14);
    assert_int_equal(rows[0].unconverged, 3);
    s[1].lengthscale.learned = true; /* the same dimension: fewer that are learned */
    s[0].latent_dim = 2;
    c = choose(densities, s, jobs, rows);
    assert_int_equal(c.recommended, 0);
    for (size_t k = 0; k < CANDIDATES; k++)
        densities[k][0] = (double)NAN;
    c = choose(densities, s, jobs, rows);
    assert_true(c.best == RM2_CROSS_NONE && c.recommended == RM2_CROSS_NONE);
}

/* ---- threads, files of results -------------------------------------------------------------- */

static void threads_do_not_matter(void **state) {
    rm2_fit_settings s[2] = {quick(1), quick(2)};
    int threads = rm2_context_threads(ctx);
    (void)state;
    rm2_context_set_threads(ctx, 1);
    rm2_cross *one = validate(toy, NULL, 2, s, NULL);
    rm2_context_set_threads(ctx, 2);
    rm2_cross *two = validate(toy, NULL, 2, s, NULL);
    rm2_context_set_threads(ctx, threads);
    same_jobs(one, two);
    rm2_cross_free(one);
    rm2_cross_free(two);
}

/* Keep the header and so many rows. */
static void cut_file(size_t rows) {
    char line[4096], kept[20000] = "";
    FILE *in = fopen(FILE_NAME, "r");
    for (size_t k = 0; k <= rows && fgets(line, sizeof line, in); k++)
        strcat(kept, line);
    (void)fclose(in);
    FILE *out = fopen(FILE_NAME, "w");
    (void)fputs(kept, out);
    (void)fclose(out);
}

/* A candidate that fails (its recipe is for data without trajectories) is a row that says why, in the file too. */
static void resumes_and_keeps_failures(void **state) {
    rm2_fit_settings s[3] = {quick(1), rm2_fit_settings_recipe(RM2_RECIPE_POINTS), quick(2)};
    rm2_checkpoint file = {FILE_NAME, 0, false};
    rm2_cross_settings c = rm2_cross_settings_default();
    (void)state;
    c.motion = false;
    s[1].latent_dim = 1000; /* more than there are points */
    rm2_cross *first = validate(toy, &c, 3, s, &file);
    assert_int_equal(first->resumed, 0);
    assert_int_equal(first->rows[1].failed, 4);
    assert_true(first->jobs[4].status == RM2_ERR_ARGUMENT && *first->jobs[4].message);
    assert_true(first->recommended == 0 || first->recommended == 2);
    file.resume = true;
    rm2_cross *all = validate(toy, &c, 3, s, &file);
    assert_int_equal(all->resumed, 12);
    same_jobs(first, all);
    cut_file(5);
    rm2_cross *some = validate(toy, &c, 3, s, &file);
    assert_int_equal(some->resumed, 5);
    same_jobs(first, some);
    c.motion = true; /* other jobs: none is taken */
    s[0].optim.max_iterations = 1;
    rm2_cross *none = validate(toy, &c, 1, s, &file);
    assert_int_equal(none->resumed, 0);
    rm2_cross_free(first);
    rm2_cross_free(all);
    rm2_cross_free(some);
    rm2_cross_free(none);
}

static bool stop_after_three(void *user, const rm2_progress *p) {
    (void)user;
    return p->done < 3;
}

static void interrupted_work_is_kept(void **state) {
    rm2_fit_settings s = quick(1);
    const rm2_fit_settings *list[] = {&s};
    rm2_checkpoint file = {FILE_NAME, 0, false};
    rm2_cross *cross;
    int threads = rm2_context_threads(ctx);
    (void)state;
    rm2_context_set_threads(ctx, 1);
    rm2_context_set_progress(ctx, stop_after_three, NULL);
    refused(rm2_cross_validate(ctx, toy, NULL, 1, list, &file, &cross), RM2_INTERRUPTED, "interr");
    assert_null(cross);
    rm2_context_set_progress(ctx, NULL, NULL);
    rm2_context_clear_interrupt(ctx);
    file.resume = true;
    cross = validate(toy, NULL, 1, &s, &file);
    rm2_context_set_threads(ctx, threads);
    assert_true(cross->resumed >= 3 && cross->resumed <= 4);
    rm2_cross_free(cross);
}

static void foreign_file(void **state) {
    rm2_fit_settings s = quick(1);
    const rm2_fit_settings *list[] = {&s};
    rm2_checkpoint file = {FILE_NAME, 0, true};
    rm2_cross *cross;
    FILE *out = fopen(FILE_NAME, "w");
    (void)state;
    (void)fputs("key,message,x\na,b,1\n", out);
    (void)fclose(out);
    refused(rm2_cross_validate(ctx, toy, NULL, 1, list, &file, &cross), RM2_ERR_FORMAT,
            "not a file of cross-validation results");
}

/* ---- folds ---------------------------------------------------------------------------------- */

static rm2_data *labelled(const size_t *labels, bool trajectories) {
    static const char *const names[] = {"a", "b", "unused", "c"};
    static const size_t starts[] = {0, 2, 4, 6};
    const double points[] = {0, 1, 2, 3, 4, 5};
    rm2_manifold *m;
    rm2_data *data;
    assert_int_equal(rm2_manifold_create(ctx, "R1", &m), RM2_OK);
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = m,
                              .count = 6,
                              .points = points,
                              .trajectories = trajectories ? 3 : 0,
                              .starts = trajectories ? starts : NULL,
                              .labels = labels,
                              .label_names = names,
                              .label_count = 4};
    assert_int_equal(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL), RM2_OK);
    rm2_manifold_free(m);
    return data;
}

static void folds_of_labels(void **state) {
    const size_t constant[] = {0, 0, 3, 3, 0, 0}, changing[] = {0, 0, 3, 1, 0, 0};
    rm2_cross_settings s = rm2_cross_settings_default();
    rm2_data *good = labelled(constant, true), *bad = labelled(changing, true);
    rm2i_folds folds;
    (void)state;
    s.split = RM2_SPLIT_LABELS;
    assert_int_equal(rm2i_folds_create(ctx, good, &s, &folds), RM2_OK);
    assert_int_equal(folds.count, 2);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(folds.of[i], i / 2 == 1);
    free(folds.of);
    refused(rm2i_folds_create(ctx, bad, &s, &folds), RM2_ERR_DATA,
            "trajectory \"1\" changes its label from \"c\" to \"b\"");
    s.folds = 3;
    refused(rm2i_folds_create(ctx, good, &s, &folds), RM2_ERR_ARGUMENT,
            "settings.folds is 3, more than the 2 labels");
    s.folds = 0;
    s.split = RM2_SPLIT_POINTS;
    refused(rm2i_folds_create(ctx, good, &s, &folds), RM2_ERR_DATA, "would be left with gaps");
    rm2_data_free(good);
    rm2_data_free(bad);
    good = labelled(constant, false);
    s.split = RM2_SPLIT_TRAJECTORIES;
    refused(rm2i_folds_create(ctx, good, &s, &folds), RM2_ERR_DATA, "settings.group");
    rm2_data_free(good);
}

/* Fewer folds than trajectories: whole ones, dealt out evenly, and in another order for another seed. */
static void folds_of_several(void **state) {
    rm2_generate_settings g = rm2_generate_settings_default();
    rm2_cross_settings s = rm2_cross_settings_default();
    rm2i_folds folds, other;
    rm2_data *data;
    size_t in[3] = {0}, differ = 0;
    (void)state;
    g.trajectories = 8;
    g.points = 5;
    assert_int_equal(rm2_data_generate(ctx, "toy", &g, &data), RM2_OK);
    s.folds = 3;
    assert_int_equal(rm2i_folds_create(ctx, data, &s, &folds), RM2_OK);
    s.seed = 1;
    assert_int_equal(rm2i_folds_create(ctx, data, &s, &other), RM2_OK);
    for (size_t i = 0; i < data->count; i++) {
        assert_int_equal(folds.of[i], folds.of[i / 5 * 5]);
        in[folds.of[i]]++;
        differ += folds.of[i] != other.of[i];
    }
    assert_true(in[0] == 15 && in[1] == 15 && in[2] == 10 && differ > 0);
    free(folds.of);
    free(other.of);
    rm2_data_free(data);
}

static void wrong_arguments(void **state) {
    rm2_fit_settings s = quick(2);
    const rm2_fit_settings *list[] = {&s};
    rm2_cross_settings c = rm2_cross_settings_default();
    rm2_cross *cross;
    (void)state;
    refused(rm2_cross_validate(ctx, toy, NULL, 0, list, NULL, &cross), RM2_ERR_ARGUMENT,
            "count is 0");
    s.gpdm_weight = -1;
    refused(rm2_cross_validate(ctx, toy, NULL, 1, list, NULL, &cross), RM2_ERR_ARGUMENT,
            "candidates[0]: settings.gpdm_weight is -1");
    s.gpdm_weight = 0;
    s.init = RM2_INIT_GIVEN;
    s.init_latent = toy->points;
    refused(rm2_cross_validate(ctx, toy, NULL, 1, list, NULL, &cross), RM2_ERR_ARGUMENT,
            "candidates[0]: given latents");
    c.folds = 1;
    refused(rm2_cross_validate(ctx, toy, &c, 1, list, NULL, &cross), RM2_ERR_ARGUMENT,
            "settings.folds");
    assert_string_equal(rm2_cross_measure_text(RM2_CROSS_MOTION), "motion");
    assert_string_equal(rm2_cross_measure_text(RM2_CROSS_MEASURES), "unknown");
}

/* A Euclidean model has no density on the manifold: it is compared with its like only. */
static void euclidean_models(void **state) {
    rm2_fit_settings s[2] = {quick(2), quick(2)};
    rm2_cross_settings c = rm2_cross_settings_default();
    (void)state;
    c.motion = false;
    c.folds = 2;
    s[0].model = RM2_GPLVM;
    rm2_cross *both = validate(toy, &c, 2, s, NULL), *alone = validate(toy, &c, 1, s, NULL);
    assert_true(isnan(both->rows[0].mean[RM2_CROSS_DENSITY]) && both->recommended == 1);
    assert_true(isfinite(alone->rows[0].mean[RM2_CROSS_DENSITY]) && alone->recommended == 0);
    rm2_cross_free(both);
    rm2_cross_free(alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job_is_fit_and_score),
        cmocka_unit_test(scales_are_of_the_training_part),
        cmocka_unit_test(known_dimension),
        cmocka_unit_test(rule_of_one_error),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(resumes_and_keeps_failures),
        cmocka_unit_test(interrupted_work_is_kept),
        cmocka_unit_test(foreign_file),
        cmocka_unit_test(folds_of_labels),
        cmocka_unit_test(folds_of_several),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(euclidean_models),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
