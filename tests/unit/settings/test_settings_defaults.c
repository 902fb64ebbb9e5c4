/* The defaults of every table against numbers written by hand, and structs whose size is that of an
 * earlier version, or of none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "front/tables.h"
#include "geodesic/geodesic.h"
#include "metric/metric.h"
#include "model_settings.h"
#include "riemann2.h"
#include "riemann2/plot.h"
#include "roadmap/roadmap.h"
#include "shared_context.h"
#include "trajectory/dtw.h"

/* ---- recipes -------------------------------------------------------------------------------- */

static const double LOG2 = 0.69314718055994530942;

static rm2_hyperparameter held(double value) {
    return (rm2_hyperparameter){.start = value};
}

/* Learned under a log-normal prior of width 0.5 around the start. */
static rm2_hyperparameter around(double value) {
    return (rm2_hyperparameter){value, true, RM2_PRIOR_LOGNORMAL, NAN, 0.5};
}

static rm2_hyperparameter alone(double value) {
    return (rm2_hyperparameter){.start = value, .learned = true};
}

static rm2_fit_settings robust(void) {
    return (rm2_fit_settings){.size = sizeof(rm2_fit_settings),
                              .recipe = RM2_RECIPE_ROBUST,
                              .model = RM2_WGPLVM,
                              .latent_dim = 2,
                              .kernel = RM2_LATENT_SE,
                              .lengthscale = held(0), /* from the data */
                              .variance = held(1),
                              .noise = RM2_NOISE_KRONECKER,
                              .noise_variance = held(0.04),
                              .task_noise = held(5e-3),
                              .task = RM2_TASK_PROFILE,
                              .task_anchor = 1,
                              .task_weight = {0, true, RM2_PRIOR_LOGNORMAL, NAN, 3},
                              .task_scale = alone(0),
                              .latent_anchor = 0.05,
                              .gpdm_lengthscale = around(1),
                              .gpdm_variance = around(0),
                              .gpdm_noise = around(0),
                              .back_ridge = 1e-6,
                              .inference = RM2_INFERENCE_AUTO,
                              .accuracy = 1e-3,
                              .init = RM2_INIT_ALIGNED,
                              .time_weight = 4,
                              .neighbours = 8,
                              .base = RM2_BASE_FRECHET,
                              .optim = {.method = RM2_LBFGS,
                                        .max_iterations = 150,
                                        .relative_decrease = 1e-5,
                                        .gradient = 1e-6,
                                        .history = 20,
                                        .learning_rate = 0.025,
                                        .beta1 = 0.9,
                                        .beta2 = 0.999,
                                        .epsilon = 1e-8}};
}

static rm2_fit_settings map(void) {
    rm2_fit_settings s = robust();
    s.recipe = RM2_RECIPE_MAP;
    s.lengthscale = around(0.2);
    s.noise_variance = around(5e-3);
    s.task_noise = around(5e-3);
    s.task = RM2_TASK_LEARNED;
    s.latent_anchor = 0;
    s.latent_normal = true;
    s.gpdm_weight = 1;
    s.optim.max_iterations = 500;
    return s;
}

static rm2_fit_settings paper(void) {
    rm2_fit_settings s = robust();
    s.recipe = RM2_RECIPE_PAPER;
    s.lengthscale = s.variance = s.noise_variance = s.task_noise = alone(LOG2);
    s.gpdm_lengthscale = s.gpdm_variance = s.gpdm_noise = alone(LOG2);
    s.noise = RM2_NOISE_PER_OUTPUT;
    s.noise_bound = 1e-8;
    s.task = RM2_TASK_LEARNED;
    s.task_random = true;
    s.task_anchor = 0;
    s.latent_anchor = 0;
    s.gpdm_weight = 1;
    s.softplus = true;
    s.init = RM2_INIT_PCA;
    s.base = RM2_BASE_DEFAULT;
    s.optim.method = RM2_ADAM;
    s.optim.max_iterations = 1000;
    return s;
}

static rm2_fit_settings points(void) {
    rm2_fit_settings s = robust();
    s.recipe = RM2_RECIPE_POINTS;
    s.lengthscale = (rm2_hyperparameter){0, true, RM2_PRIOR_LOGNORMAL, NAN, 1};
    s.variance = (rm2_hyperparameter){0.1, true, RM2_PRIOR_LOGNORMAL, NAN, 3};
    s.linear = held(1000);
    s.noise_variance = held(1);
    s.task = RM2_TASK_INTEGRATED;
    s.task_anchor = 0;
    s.latent_anchor = 0.5;
    s.init = RM2_INIT_AUTO;
    s.optim.max_iterations = 200;
    s.optim.relative_decrease = 1e-9;
    s.optim.gradient = 1e-7;
    return s;
}

/* Those of robust, until the data are known. */
static rm2_fit_settings automatic(void) {
    rm2_fit_settings s = robust();
    s.recipe = RM2_RECIPE_AUTO;
    return s;
}

/* To the last bit, also of NaN: a prior is centred at its start by the same one. */
static void test_recipes(void **state) {
    (void)state;
    const rm2_fit_settings expected[] = {automatic(), robust(), map(), paper(), points()};
    for (int k = 0; k < 5; k++) {
        rm2_fit_settings s = rm2_fit_settings_recipe((rm2_recipe)k);
        assert_int_equal(s.size, sizeof s);
        assert_same_settings(&s, &expected[k]);
        assert_null(s.back_kernels);
        assert_null(s.inducing_points);
        assert_null(s.init_latent);
        assert_null(s.base_point);
        assert_false(s.inducing_free);
        ok(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_FIT), &s));
    }
}

static void test_encode_defaults(void **state) {
    (void)state;
    rm2_encode_settings s = rm2_encode_settings_default();
    assert_int_equal(s.size, sizeof s);
    assert_int_equal(s.objective, RM2_ENCODE_DENSITY);
    assert_int_equal(s.searches, 4);
    assert_true(s.back_constraint);
    assert_int_equal(s.optim.method, RM2_LBFGS);
    assert_int_equal(s.optim.max_iterations, 200);
    assert_int_equal(s.optim.history, 5);
    assert_true(s.optim.relative_decrease == 1e-10 && s.optim.gradient == 1e-5);
    assert_true(s.optim.max_seconds == 0 && s.optim.learning_rate == 0.025);
    assert_true(s.optim.beta1 == 0.9 && s.optim.beta2 == 0.999 && s.optim.epsilon == 1e-8);
}

static void test_data_defaults(void **state) {
    (void)state;
    rm2_data_settings s = rm2_data_settings_default();
    assert_int_equal(s.size, sizeof s);
    const char *const texts[] = {s.manifold, s.columns, s.group,   s.label, s.time,
                                 s.array,    s.euler,   s.holdout, s.select};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        assert_null(texts[k]);
    assert_int_equal(s.delimiter, 0);
    assert_int_equal(s.header, RM2_HEADER_AUTO);
    assert_int_equal(s.quat_order, RM2_QUAT_AUTO);
    assert_int_equal(s.orientation, RM2_ORIENTATION_AUTO);
    assert_int_equal(s.spd_layout, RM2_SPD_FULL);
    assert_int_equal(s.scale, RM2_SCALE_AUTO);
    assert_false(s.degrees || s.angles || s.unit_diagonal || s.allow_missing);
    assert_true(s.align_signs);
    assert_int_equal(s.thin, 0);
    assert_true(s.project_below == 1e-6 && s.warn_below == 1e-3);
}

static void test_other_defaults(void **state) {
    (void)state;
    rm2_track_settings t = rm2_track_settings_default();
    assert_true(t.size == sizeof t && t.position_tolerance == 1e-6);
    assert_true(t.orientation_tolerance == 1e-6 && t.orientation_weight == 0 &&
                t.limit_weight == -1);
    assert_true(t.null_step == 0.1 && t.iterations == 200 && t.searches == 30 && t.stations == 48);
    assert_true(!t.start && !t.scene);
    rm2_placement p = rm2_placement_default();
    assert_true(p.size == sizeof p && p.scale == 1 && p.ellipsoid_scale == 1);
    assert_true(p.offset[0] == 0 && p.offset[1] == 0 && p.offset[2] == 0);
    assert_true(p.rotation[0] == 1 && p.rotation[1] == 0 && p.rotation[2] == 0 &&
                p.rotation[3] == 0);
    rm2_planner_settings n = rm2_planner_settings_default();
    assert_true(n.size == sizeof n && n.factor == RM2_ALL_FACTORS);
    assert_true(n.deviations == 0 && n.nodes == 48 && n.gain == 0.01);
    rm2_dtw_settings d = rm2_dtw_settings_default();
    assert_true(d.size == sizeof d && d.kind == RM2_DTW_WARPED && d.window == 0 && !d.manifold);
    rm2_mean_settings m = rm2_mean_settings_default();
    assert_true(m.size == sizeof m && m.max_iterations == 500 && m.tolerance == 1e-14);
    rm2_generate_settings g = rm2_generate_settings_default();
    assert_true(g.size == sizeof g && g.seed == 0 && g.trajectories == 0 && g.points == 0 &&
                !g.scale);
    rm2i_geodesic_settings c = rm2i_geodesic_settings_default();
    assert_true(c.size == sizeof c && c.last == RM2_STAGE_POLISH && c.nodes == 200);
    assert_true(c.intervals == 16 && c.max_iterations == 200 && c.tolerance == 1e-4);
    rm2i_grid_settings r = rm2i_grid_settings_default();
    assert_true(r.size == sizeof r && r.points == 0 && r.padding == 0.1);
    assert_true(r.reach == 0 && r.rule == RM2I_EDGE_ENDS);
    rm2_figure_settings f = rm2_figure_settings_default();
    assert_true(f.size == sizeof f && f.width == 85 && f.height == 65 && f.rows == 1);
    assert_true(f.columns == 1 && f.font_size == 8 && !f.title && !f.legend);
    assert_true(!f.row_parts && !f.column_parts);
    rm2_report_settings o = rm2_report_settings_default();
    assert_true(o.size == sizeof o && o.spread_limit == 1.5 && o.straight && o.nodes == 0);
}

static void test_meet_defaults(void **state) {
    (void)state;
    rm2_meet_settings s = rm2_meet_settings_default();
    assert_int_equal(s.size, sizeof s);
    assert_false(s.approach || s.through);
    assert_true(s.robust && s.stretch_limit == 2 && s.duration == 1 && s.spread_limit == 1.5);
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* Settings of some kind: two versions of a struct. */
typedef struct older {
    size_t size;
    double a;
} older;
typedef struct newer {
    size_t size;
    double a, b;
} newer;

static void test_take_and_give(void **state) {
    (void)state;
    newer own = {sizeof own, 1, 2};
    ok(rm2i_settings_overlay(ctx, NULL, &own));
    assert_true(own.a == 1 && own.b == 2);
    ok(rm2i_settings_overlay(ctx, &(older){sizeof(older), 3}, &own));
    assert_true(own.size == sizeof own && own.a == 3 && own.b == 2);
    ok(rm2i_settings_overlay(ctx, &(newer){sizeof(newer), 4, 5}, &own));
    assert_true(own.a == 4 && own.b == 5);
    const size_t bad[] = {0, 1, sizeof(size_t), sizeof(older) + 1, sizeof(newer) + 8, SIZE_MAX};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        newer given = {bad[k], 6, 7};
        assert_int_equal(rm2i_settings_overlay(ctx, &given, &own), RM2_ERR_ARGUMENT);
        assert_non_null(strstr(rm2_context_error(ctx), "size of a struct is"));
        assert_int_equal(rm2i_settings_give(ctx, &own, &given), RM2_ERR_ARGUMENT);
        assert_true(own.a == 4 && own.b == 5 && given.a == 6);
    }
    older back = {sizeof back, 0};
    ok(rm2i_settings_give(ctx, &own, &back));
    assert_true(back.size == sizeof back && back.a == 4);
}

/* A struct that ends before the optimiser's settings: the others are filled, set and checked. */
static void test_earlier_version_of_fit(void **state) {
    (void)state;
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    size_t size = offsetof(rm2_fit_settings, optim);
    rm2_fit_settings s = {.size = size};
    memset(&s.optim, 0x5a, sizeof s.optim);
    rm2_optim_settings untouched = s.optim;
    rm2_settings_fill(table, RM2_RECIPE_MAP, &s);
    assert_int_equal(s.size, size);
    assert_int_equal(s.latent_dim, 2);
    assert_true(s.latent_normal);
    ok(rm2_settings_set(ctx, table, &s, "latent_dim", "3"));
    ok(rm2_settings_check(ctx, table, &s)); /* the optimiser's would be refused */
    assert_int_equal(rm2_settings_set(ctx, table, &s, "max_iterations", "3"), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "settings.optim.max_iterations is not part"));
    assert_memory_equal(&s.optim, &untouched, sizeof untouched);
    s.size = 3;
    assert_int_equal(rm2_settings_check(ctx, table, &s), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_settings_set(ctx, table, &s, "latent_dim", "4"), RM2_ERR_ARGUMENT);
    rm2_settings_fill(table, 0, &s);
    assert_int_equal(s.latent_dim, 3);
}

/* A training with the settings of an earlier version is one with the defaults for the rest. */
static void test_fit_by_an_earlier_version(void **state) {
    (void)state;
    rm2_generate_settings small = rm2_generate_settings_default();
    small.trajectories = 2;
    small.points = 8;
    rm2_data *data;
    rm2_model *model, *same;
    ok(rm2_data_generate(ctx, "toy", &small, &data));
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST), whole = s;
    s.size = offsetof(rm2_fit_settings, optim);
    memset(&s.optim, 0xff, sizeof s.optim);
    ok(rm2_fit(ctx, data, &s, NULL, &model));
    ok(rm2_fit(ctx, data, NULL, NULL, &same)); /* NULL is the first recipe */
    assert_same_settings(rm2_model_info_of(model)->settings, &whole);
    assert_same_settings(rm2_model_info_of(same)->settings, &whole);
    assert_true(rm2_model_info_of(model)->training.end.total ==
                rm2_model_info_of(same)->training.end.total);
    rm2_model_free(same);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* Every call that takes settings rejects a struct without its size. */
static void test_zeroed_settings(void **state) {
    (void)state;
    rm2_generate_settings small = rm2_generate_settings_default();
    small.trajectories = 2;
    small.points = 6;
    rm2_data *data, *none;
    rm2_model *model, *no_model;
    rm2_metric *metric, *no_metric;
    rm2_table table;
    rm2i_roadmap *roadmap;
    rm2_curve *curve;
    rm2_figure *figure, *no_figure;
    rm2_panel *panel;
    rm2_arm *arm;
    rm2_track_error error = {.size = sizeof error};
    rm2_score score = {.size = sizeof score};
    double x[5], y[5] = {0, 0, 1, 0, 0}, path[4] = {0, 0, 0.1, 0.1}, distance;
    rm2_sequence sequence = {2, 2, path};
    ok(rm2_data_generate(ctx, "toy", &small, &data));
    ok(rm2_fit(ctx, data, NULL, NULL, &model));
    ok(rm2i_metric_pullback(ctx, model, NULL, &metric));
    ok(rm2_figure_create(ctx, NULL, &figure));
    ok(rm2_arm_read(ctx, "planar:1,1", &arm));
    rm2_arm_task task = {.dim = 2};
    const rm2_status all[] = {
        rm2_fit(ctx, data, &(rm2_fit_settings){0}, NULL, &no_model),
        rm2_data_read(ctx, "x.csv", &(rm2_data_settings){0}, &none, NULL, NULL),
        rm2_data_generate(ctx, "toy", &(rm2_generate_settings){0}, &none),
        rm2_model_encode(ctx, model, &(rm2_encode_settings){0}, 1, y, x, NULL, NULL),
        rm2_model_score(ctx, model, &(rm2_encode_settings){0}, data, NULL, NULL, &score),
        rm2_csv_parse(ctx, "x", "1\n", 2, &(rm2_csv_settings){0}, &table),
        rm2i_metric_pullback(ctx, model, &(rm2i_pullback_settings){0}, &no_metric),
        rm2i_roadmap_grid(ctx, metric, &(rm2i_grid_settings){0}, 2, path, &roadmap),
        rm2i_geodesic(ctx, metric, NULL, &(rm2i_geodesic_settings){0}, path, path + 2, &curve),
        rm2i_geodesic_refine(ctx, metric, &(rm2i_geodesic_settings){0}, 2, path, &curve),
        rm2i_geodesic_through(ctx, metric, NULL, &(rm2i_geodesic_settings){0}, 2, path, &curve),
        rm2i_geodesic_many(ctx, metric, NULL, &(rm2i_geodesic_settings){0}, 1, path, path + 2,
                           &curve, NULL),
        rm2i_geodesic_log(ctx, metric, NULL, &(rm2i_geodesic_settings){0}, path, path + 2, x, NULL),
        rm2i_geodesic_distances(ctx, metric, NULL, &(rm2i_geodesic_settings){0}, 1, path, &distance,
                                NULL),
        rm2i_geodesic_mean(ctx, metric, NULL, &(rm2i_geodesic_settings){0}, 2, path, NULL, NULL, x,
                           NULL),
        rm2i_geodesic_mean(ctx, metric, NULL, NULL, 2, path, NULL, &(rm2_mean_settings){0}, x,
                           NULL),
        rm2_manifold_mean(ctx, data->manifold, 1, y, NULL, &(rm2_mean_settings){0}, x, NULL),
        rm2i_dtw(ctx, &(rm2_dtw_settings){0}, &sequence, &sequence, &distance),
        rm2_dtw_from(ctx, &(rm2_dtw_settings){0}, &sequence, 1, &sequence, NULL, NULL),
        rm2_dtw_floor(ctx, &(rm2_dtw_settings){0}, 2, &sequence, NULL, NULL),
        rm2_arm_solve(ctx, arm, &task, path, &(rm2_track_settings){0}, x, &error),
        rm2_arm_track(ctx, arm, &(rm2_arm_targets){.task = &task, .n = 1, .points = path},
                      &(rm2_track_settings){0}, x, NULL, NULL),
        rm2_arm_place(ctx, &task, &(rm2_placement){0}, 1, path),
        rm2_figure_create(ctx, &(rm2_figure_settings){0}, &no_figure),
        rm2_figure_panel(ctx, figure, 0, 0, &(rm2_panel_settings){0}, &panel),
        rm2_panel_settings_factor(ctx, data->manifold, 0, &(rm2_panel_settings){0}),
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k] != RM2_ERR_ARGUMENT)
            fail_msg("call %zu has status %d", k, (int)all[k]);
    assert_non_null(strstr(rm2_context_error(ctx), "size of a struct is 0"));
    rm2_arm_free(arm);
    rm2_figure_free(figure);
    rm2_metric_free(metric);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* An enumeration beyond its range. */
static void test_enumerations(void **state) {
    (void)state;
    rm2_table table;
    rm2_metric *metric;
    rm2i_roadmap *roadmap;
    rm2_curve *curve;
    rm2_figure *figure;
    rm2_panel *panel;
    double path[4] = {0, 0, 1, 1}, distance;
    rm2_sequence sequence = {2, 2, path};
    rm2_csv_settings csv = rm2_csv_settings_default();
    rm2i_grid_settings grid = rm2i_grid_settings_default();
    rm2i_geodesic_settings geodesic = rm2i_geodesic_settings_default();
    rm2_dtw_settings dtw = rm2_dtw_settings_default();
    rm2_panel_settings legend = rm2_panel_settings_default(RM2_PANEL_PLANE), kind = legend;
    csv.header = (rm2_header)77;
    grid.rule = (rm2i_edge_rule)77;
    geodesic.last = (rm2_geodesic_stage)77;
    dtw.kind = (rm2_dtw_kind)77;
    legend.legend = (rm2_legend)77;
    kind.kind = (rm2_panel_kind)77;
    ok(rm2_metric_analytic(ctx, "euclidean", 2, &metric));
    ok(rm2_figure_create(ctx, NULL, &figure));
    const rm2_status all[] = {
        rm2_csv_parse(ctx, "x", "1\n", 2, &csv, &table),
        rm2i_roadmap_grid(ctx, metric, &grid, 2, path, &roadmap),
        rm2i_geodesic(ctx, metric, NULL, &geodesic, path, path + 2, &curve),
        rm2i_dtw(ctx, &dtw, &sequence, &sequence, &distance),
        rm2_figure_panel(ctx, figure, 0, 0, &legend, &panel),
        rm2_figure_panel(ctx, figure, 0, 0, &kind, &panel),
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k] != RM2_ERR_ARGUMENT)
            fail_msg("call %zu has status %d", k, (int)all[k]);
    rm2_figure_free(figure);
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recipes),
        cmocka_unit_test(test_encode_defaults),
        cmocka_unit_test(test_data_defaults),
        cmocka_unit_test(test_other_defaults),
        cmocka_unit_test(test_meet_defaults),
        cmocka_unit_test(test_take_and_give),
        cmocka_unit_test(test_earlier_version_of_fit),
        cmocka_unit_test(test_fit_by_an_earlier_version),
        cmocka_unit_test(test_zeroed_settings),
        cmocka_unit_test(test_enumerations),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
