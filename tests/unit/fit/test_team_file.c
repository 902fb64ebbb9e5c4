/* Training on a file that every rank reads a part of: the compact model has the bits of one process, for any number of
 * ranks, formats, starts and geometries; checkpoints of some ranks are resumed by others; what is wrong in one rank's part
 * is reported with its place, as one process does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "riemann2/fit.h"
#include "thread_team.h"

enum { DEMOS = 14, POINTS = 75 };

/* How a file is trained on. */
typedef struct training {
    char path[128];
    rm2_data_settings data;
    rm2_fit_settings fit;
    const rm2_checkpoint *checkpoint;
} training;

static training training_on(const char *path, const char *manifold, rm2_recipe recipe) {
    training t = {.data = rm2_data_settings_default(), .fit = rm2_fit_settings_recipe(recipe)};
    (void)snprintf(t.path, sizeof t.path, "%s", path);
    t.data.manifold = manifold;
    t.data.group = "demo";
    t.fit.inference = RM2_INFERENCE_INDUCING;
    t.fit.inducing = 30;
    t.fit.optim.max_iterations = 3;
    return t;
}

/* Rank 0 says so when it reads all. */
static void note_whole(void *user, rm2_log_level level, const char *message) {
    (void)level;
    *(bool *)user |= strstr(message, "one process reads and prepares all data") != NULL;
}

static bool read_whole; /* by the last fit_by */

static rm2_status fit_by(int ranks, const training *t, rm2_model **model) {
    bool whole = false;
    thread_team *team = start_thread_team(ctx, ranks);
    rm2_context_set_log(ctx, note_whole, &whole);
    rm2_status status = rm2_fit_file(ctx, t->path, &t->data, &t->fit, t->checkpoint, model);
    rm2_context_set_log(ctx, NULL, NULL);
    end_thread_team(team);
    read_whole = whole;
    return status;
}

static rm2_model *model_by(int ranks, const training *t) {
    rm2_model *model;
    if (fit_by(ranks, t, &model) != RM2_OK)
        fail_msg("%d ranks, %s: %s", ranks, t->path, rm2_context_error(ctx));
    assert_false(read_whole);
    return model;
}

static void assert_same_data(const rm2_data *a, const rm2_data *b) {
    size_t ambient = rm2_manifold_ambient(a->manifold);
    assert_string_equal(a->source, b->source);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->points, b->points, a->count * ambient * sizeof *a->points);
    assert_memory_equal(a->rows, b->rows, a->count * sizeof *a->rows);
    assert_memory_equal(a->scale, b->scale,
                        rm2_manifold_factor_count(a->manifold) * sizeof *a->scale);
    assert_int_equal(a->trajectories, b->trajectories);
    for (size_t t = 0; t < a->trajectories; t++) {
        assert_int_equal(a->starts[t + 1], b->starts[t + 1]);
        assert_string_equal(a->ids[t], b->ids[t]);
    }
    assert_true(!a->time == !b->time);
    if (a->time)
        assert_memory_equal(a->time, b->time, a->count * sizeof *a->time);
}

static void assert_same_model(const rm2_model *a, const rm2_model *b) {
    const rm2_model_info *i = rm2_model_info_of(a), *k = rm2_model_info_of(b);
    assert_same_data(i->data, k->data);
    assert_int_equal(i->trained, k->trained);
    assert_int_equal(i->training.iterations, k->training.iterations);
    assert_int_equal(i->training.evaluations, k->training.evaluations);
    assert_memory_equal(i->latents, k->latents, i->points * i->latent_dim * sizeof(double));
    assert_memory_equal(i->mean, k->mean, i->outputs * sizeof(double));
    assert_memory_equal(i->training.trace, k->training.trace,
                        (i->training.iterations + 1) * sizeof(double));
    assert_memory_equal(&i->training.end, &k->training.end, sizeof i->training.end);
    assert_memory_equal(&i->volume, &k->volume, sizeof i->volume);
    assert_memory_equal(&i->training.likelihood, &k->training.likelihood,
                        sizeof i->training.likelihood);
    assert_memory_equal(i->inducing_inputs, k->inducing_inputs,
                        i->inducing * i->latent_dim * sizeof(double));
    assert_memory_equal(i->task_covariance, k->task_covariance,
                        i->outputs * i->outputs * sizeof(double));
    assert_int_equal(i->calibrated, k->calibrated);
    if (i->calibrated)
        assert_memory_equal(i->calibration, k->calibration,
                            rm2_manifold_factor_count(i->manifold) * sizeof(double));
}

static void assert_any_number_of_ranks(const training *t) {
    rm2_model *alone = model_by(1, t);
    for (int ranks = 2; ranks <= 5; ranks += 3) {
        rm2_model *model = model_by(ranks, t);
        assert_same_model(model, alone);
        rm2_model_free(model);
    }
    check_model(alone);
    rm2_model_free(alone);
}

static void remove_file(const training *t) {
    assert_int_equal(unlink(t->path), 0);
}

/* A file of an example, in its folder. */
static const char *write_example(const char *name, const char *file) {
    rm2_data *data = example_data(name, DEMOS, POINTS);
    const char *path = in_folder(file);
    assert_int_equal(rm2_data_write(ctx, data, path, true), RM2_OK);
    rm2_data_free(data);
    return path;
}

static void formats_and_geometries(void **state) {
    (void)state;
    training csv = training_on(write_example("robot", "a.csv"), "R3 x S3", RM2_RECIPE_ROBUST);
    csv.data.ignore = "time";
    assert_any_number_of_ranks(&csv);
    csv.data.ignore = NULL;
    csv.data.time = "time";
    assert_any_number_of_ranks(&csv);
    remove_file(&csv);
    training npz =
        training_on(write_example("manipulability", "a.npz"), "R2 x SPD2", RM2_RECIPE_ROBUST);
    assert_any_number_of_ranks(&npz);
    remove_file(&npz);
    training toy = training_on(write_example("toy", "a.npz"), "R2 x S2", RM2_RECIPE_ROBUST);
    assert_any_number_of_ranks(&toy);
    remove_file(&toy);
}

/* More than are left out for the calibration, so that some ranks have more of these than others. */
static void many_demonstrations(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 130, 12);
    const char *path = in_folder("many.npz");
    assert_int_equal(rm2_data_write(ctx, data, path, true), RM2_OK);
    training t = training_on(path, "R2 x S2", RM2_RECIPE_ROBUST);
    rm2_model *model = model_by(1, &t);
    assert_int_equal(rm2_model_info_of(model)->calibrated, 130);
    rm2_model_free(model);
    assert_any_number_of_ranks(&t);
    remove_file(&t);
    rm2_data_free(data);
}

/* With dynamics, whose start needs the timing of all points; with Isomap; other bases and models. */
static void recipes_and_starts(void **state) {
    (void)state;
    training t = training_on(write_example("robot", "a.npz"), "R3 x S3", RM2_RECIPE_MAP);
    t.data.time = "time";
    assert_any_number_of_ranks(&t);
    t.fit.init = RM2_INIT_ISOMAP;
    assert_any_number_of_ranks(&t);
    t.fit.base = RM2_BASE_DEFAULT;
    assert_any_number_of_ranks(&t);
    t.fit.base = RM2_BASE_FRECHET;
    t.fit.model = RM2_GPLVM;
    assert_any_number_of_ranks(&t);
    remove_file(&t);
}

/* Points without trajectories: signs by an axis of all, Isomap of all. */
static void separate_points(void **state) {
    (void)state;
    training t = training_on(write_example("robot", "a.csv"), "R3 x S3", RM2_RECIPE_ROBUST);
    t.data.group = NULL;
    t.data.ignore = "demo,time";
    assert_any_number_of_ranks(&t);
    remove_file(&t);
}

/* Of more than 50,000 points the base point is the mean of some, and of their nodes the graph has some. */
static void many_points(void **state) {
    (void)state;
    enum { MANY = 60, EACH = 850 };
    double *points = numbers(MANY * EACH * 2);
    size_t *starts = calloc(MANY + 1, sizeof *starts);
    assert_non_null(starts);
    for (size_t i = 0; i < MANY * EACH; i++) {
        double at = (double)(i % EACH) / EACH, turn = 0.01 * (double)(i / EACH);
        points[2 * i] = at + 0.1 * turn;
        points[2 * i + 1] = (1 + turn) * at * at;
    }
    for (size_t t = 0; t <= MANY; t++)
        starts[t] = t * EACH;
    rm2_manifold *plane;
    rm2_data *data;
    assert_int_equal(rm2_manifold_create(ctx, "R2", &plane), RM2_OK);
    const rm2_data_arrays arrays = {.size = sizeof arrays,
                                    .manifold = plane,
                                    .count = MANY * EACH,
                                    .points = points,
                                    .trajectories = MANY,
                                    .starts = starts};
    assert_int_equal(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL), RM2_OK);
    training t = training_on(in_folder("many.npz"), "R2", RM2_RECIPE_ROBUST);
    assert_int_equal(rm2_data_write(ctx, data, t.path, true), RM2_OK);
    t.fit.inducing = 8;
    t.fit.optim.max_iterations = 1;
    rm2_model *alone = model_by(1, &t), *three = model_by(3, &t);
    assert_same_model(three, alone);
    assert_int_equal(rm2_model_info_of(three)->trained, MANY * EACH);
    rm2_model_free(alone);
    rm2_model_free(three);
    rm2_data_free(data);
    rm2_manifold_free(plane);
    free(starts);
    free(points);
    remove_file(&t);
}

/* The last of three ranks gets a single point; data in a plane alone, which are not scaled. */
static void a_rank_with_one_point(void **state) {
    (void)state;
    enum { ROWS = 261, EACH = 130 };
    training t = training_on(in_folder("few.csv"), "R2", RM2_RECIPE_ROBUST);
    FILE *file = fopen(t.path, "w");
    assert_non_null(file);
    (void)fprintf(file, "demo,x,y\n");
    for (int i = 0; i < ROWS; i++) {
        double at = (double)(i % EACH) / EACH;
        (void)fprintf(file, "%d,%.6f,%.6f\n", i / EACH, at, (1 + 0.1 * (i / EACH)) * at * at);
    }
    assert_int_equal(fclose(file), 0);
    t.fit.inducing = 8;
    rm2_model *alone = model_by(1, &t), *three = model_by(3, &t);
    assert_same_model(three, alone);
    rm2_model_free(alone);
    rm2_model_free(three);
    remove_file(&t);
}

static void checkpoints(void **state) {
    (void)state;
    training t = training_on(write_example("robot", "a.npz"), "R3 x S3", RM2_RECIPE_MAP);
    const rm2_checkpoint checkpoint = {in_folder("state.npz"), 0, true};
    rm2_model *whole = model_by(1, &t);
    t.checkpoint = &checkpoint;
    static const int before[] = {3, 1, 2}, after[] = {2, 4, 1};
    for (size_t k = 0; k < 3; k++) {
        t.fit.optim.max_iterations = 2;
        rm2_model_free(model_by(before[k], &t));
        t.fit.optim.max_iterations = 3;
        rm2_model *model = model_by(after[k], &t);
        assert_same_model(model, whole);
        rm2_model_free(model);
        assert_int_equal(unlink(checkpoint.path), 0);
    }
    rm2_model_free(whole);
    remove_file(&t);
}

/* What a rank says in front of its message: rank 0 reports which one failed. */
static const char *without_rank(const char *message) {
    const char *colon = strstr(message, ": ");
    return strncmp(message, "rank ", 5) == 0 && colon ? colon + 2 : message;
}

static void assert_fails_alike(const training *t, const char *text) {
    char alone[1200];
    rm2_model *model;
    assert_int_not_equal(fit_by(1, t, &model), RM2_OK);
    (void)snprintf(alone, sizeof alone, "%s", rm2_context_error(ctx));
    if (!strstr(alone, text))
        fail_msg("\"%s\" is not in: %s", text, alone);
    for (int ranks = 2; ranks <= 4; ranks++) {
        assert_int_not_equal(fit_by(ranks, t, &model), RM2_OK);
        assert_null(model);
        assert_int_equal(read_whole, access(t->path, F_OK) != 0);
        assert_string_equal(without_rank(rm2_context_error(ctx)), alone);
    }
}

/* The file with line `number` (from 1) in place of its own. */
static void replace_line(const char *path, const char *changed, size_t number, const char *text) {
    char line[512];
    FILE *from = fopen(path, "r"), *to = fopen(changed, "w");
    assert_true(from && to);
    for (size_t n = 1; fgets(line, sizeof line, from); n++)
        (void)fprintf(to, "%s%s", n == number ? text : line, n == number ? "\n" : "");
    (void)fclose(from);
    assert_int_equal(fclose(to), 0);
}

static void bad_data_in_one_part(void **state) {
    (void)state;
    training good = training_on(write_example("robot", "a.csv"), "R3 x S3", RM2_RECIPE_ROBUST);
    training t = training_on(in_folder("b.csv"), "R3 x S3", RM2_RECIPE_ROBUST);
    t.data.time = "time";
    replace_line(good.path, t.path, 900, "11,0.5,1,2,oops,1,0,0,0");
    assert_fails_alike(&t, "line 900");
    replace_line(good.path, t.path, 500, "6,0.5,1,2,3,1,1,1,1"); /* off the sphere */
    assert_fails_alike(&t, "line 500");
    replace_line(good.path, t.path, 1000, "0,0.5,1,2,3,1,0,0,0"); /* an id that was there before */
    assert_fails_alike(&t, "appears again");
    remove_file(&t);
    remove_file(&good);
    (void)snprintf(t.path, sizeof t.path, "no such file.csv");
    assert_fails_alike(&t, "no such file.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_and_geometries),
        cmocka_unit_test(many_demonstrations),
        cmocka_unit_test(recipes_and_starts),
        cmocka_unit_test(separate_points),
        cmocka_unit_test(many_points),
        cmocka_unit_test(a_rank_with_one_point),
        cmocka_unit_test(checkpoints),
        cmocka_unit_test(bad_data_in_one_part),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
