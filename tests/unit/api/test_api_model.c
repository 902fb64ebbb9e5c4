/* Models and their evaluation without an argument that they need, or with words that do not exist. */
#include "api.h"

static rm2_model *small_model(rm2_context *ctx) {
    rm2_generate_settings g = rm2_generate_settings_default();
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_data *data;
    rm2_model *model;
    g.points = 10;
    s.optim.max_iterations = 2;
    MUST(rm2_data_generate(ctx, "toy", &g, &data));
    MUST(rm2_fit(ctx, data, &s, NULL, &model));
    rm2_data_free(data);
    return model;
}

static void training(void **state) {
    rm2_context *ctx = *state;
    rm2_model *model = small_model(ctx), *other;
    const rm2_data *data = rm2_model_info_of(model)->data;
    rm2_fit_settings odd = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_latent_choice rows[2];
    size_t tried, chosen;
    NO_CONTEXT(rm2_fit(NULL, data, NULL, NULL, &other));
    MISSING("data", rm2_fit(ctx, NULL, NULL, NULL, &other));
    MISSING("model", rm2_fit(ctx, data, NULL, NULL, NULL));
    odd.kernel = (rm2_latent_kind)77;
    REFUSED("settings.kernel is 77", rm2_fit(ctx, data, &odd, NULL, &other));
    rm2_data_settings plane = rm2_data_settings_default();
    plane.manifold = "R2";
    NO_CONTEXT(rm2_fit_file(NULL, "no file.csv", &plane, NULL, NULL, &other));
    MISSING("path", rm2_fit_file(ctx, NULL, &plane, NULL, NULL, &other));
    MISSING("model", rm2_fit_file(ctx, "no file.csv", &plane, NULL, NULL, NULL));
    REFUSED("settings.manifold", rm2_fit_file(ctx, "no file.csv", NULL, NULL, NULL, &other));
    REFUSED("settings.kernel is 77", rm2_fit_file(ctx, "no file.csv", &plane, &odd, NULL, &other));
    assert_null(other);
    rm2_start_report *report;
    rm2_fit_plan *plan;
    NO_CONTEXT(rm2_fit_plan_create(NULL, data, NULL, &plan));
    MISSING("data", rm2_fit_plan_create(ctx, NULL, NULL, &plan));
    MISSING("plan", rm2_fit_plan_create(ctx, data, NULL, NULL));
    REFUSED("settings.kernel is 77", rm2_fit_plan_create(ctx, data, &odd, &plan));
    assert_null(plan);
    MUST(rm2_fit_plan_create(ctx, data, NULL, &plan));
    assert_null(rm2_fit_plan_info_of(NULL));
    NO_CONTEXT(rm2_fit_run(NULL, plan, NULL, &other));
    MISSING("plan", rm2_fit_run(ctx, NULL, NULL, &other));
    MISSING("model", rm2_fit_run(ctx, plan, NULL, NULL));
    NO_CONTEXT(rm2_fit_inspect(NULL, plan, &report));
    MISSING("plan", rm2_fit_inspect(ctx, NULL, &report));
    MISSING("report", rm2_fit_inspect(ctx, plan, NULL));
    assert_null(report);
    rm2_fit_plan_free(plan);
    rm2_fit_plan_free(NULL);
    rm2_start_report_free(NULL);
    NO_CONTEXT(rm2_fit_check(NULL, data, NULL));
    MUST(rm2_fit_check(ctx, NULL, NULL));
    NO_CONTEXT(rm2_fit_choose_latent(NULL, data, NULL, 2, rows, &tried, &chosen));
    MISSING("data", rm2_fit_choose_latent(ctx, NULL, NULL, 2, rows, &tried, &chosen));
    MISSING("rows", rm2_fit_choose_latent(ctx, data, NULL, 2, NULL, &tried, &chosen));
    MISSING("tried", rm2_fit_choose_latent(ctx, data, NULL, 2, rows, NULL, &chosen));
    MISSING("chosen", rm2_fit_choose_latent(ctx, data, NULL, 2, rows, &tried, NULL));
    assert_null(rm2_model_info_of(NULL));
    rm2_model_free(NULL);
    rm2_model_free(model);
}

static void files(void **state) {
    rm2_context *ctx = *state;
    rm2_model *model = small_model(ctx), *other;
    void *bytes;
    size_t size;
    NO_CONTEXT(rm2_model_write(NULL, model, "x.rm2", false));
    MISSING("model", rm2_model_write(ctx, NULL, "x.rm2", false));
    MISSING("path", rm2_model_write(ctx, model, NULL, false));
    NO_CONTEXT(rm2_model_read(NULL, "x.rm2", &other));
    MISSING("path", rm2_model_read(ctx, NULL, &other));
    MISSING("model", rm2_model_read(ctx, "x.rm2", NULL));
    NO_CONTEXT(rm2_model_compact(NULL, model, 0, &other));
    MISSING("model", rm2_model_compact(ctx, NULL, 0, &other));
    MISSING("compact", rm2_model_compact(ctx, model, 0, NULL));
    assert_int_equal(rm2_model_compact(ctx, model, 1, &other), RM2_ERR_ARGUMENT);
    NO_CONTEXT(rm2_model_to_bytes(NULL, model, &bytes, &size));
    MISSING("model", rm2_model_to_bytes(ctx, NULL, &bytes, &size));
    MISSING("bytes", rm2_model_to_bytes(ctx, model, NULL, &size));
    MISSING("size", rm2_model_to_bytes(ctx, model, &bytes, NULL));
    NO_CONTEXT(rm2_model_from_bytes(NULL, "", 1, NULL, &other));
    MISSING("bytes", rm2_model_from_bytes(ctx, NULL, 1, NULL, &other));
    MISSING("model", rm2_model_from_bytes(ctx, "", 1, NULL, NULL));
    rm2_model_free(model);
}

static void predictions(void **state) {
    rm2_context *ctx = *state;
    rm2_model *model = small_model(ctx);
    const rm2_data *data = rm2_model_info_of(model)->data;
    rm2_encode_settings odd = rm2_encode_settings_default();
    double latents[4] = {0}, points[16];
    NO_CONTEXT(rm2_model_decode(NULL, model, 1, latents, points, NULL, NULL, NULL));
    MISSING("model", rm2_model_decode(ctx, NULL, 1, latents, points, NULL, NULL, NULL));
    MISSING("latents", rm2_model_decode(ctx, model, 1, NULL, points, NULL, NULL, NULL));
    MUST(rm2_model_decode(ctx, model, 0, NULL, NULL, NULL, NULL, NULL));
    NO_CONTEXT(rm2_model_reconstruction(NULL, model, NULL, NULL));
    MISSING("model", rm2_model_reconstruction(ctx, NULL, NULL, NULL));
    rm2_fidelity fidelity = {.size = sizeof fidelity};
    NO_CONTEXT(rm2_model_fidelity(NULL, model, &fidelity));
    MISSING("model", rm2_model_fidelity(ctx, NULL, &fidelity));
    MISSING("fidelity", rm2_model_fidelity(ctx, model, NULL));
    rm2_held_out held_out = {.size = sizeof held_out};
    NO_CONTEXT(rm2_model_held_out(NULL, model, &held_out));
    MISSING("model", rm2_model_held_out(ctx, NULL, &held_out));
    MISSING("held_out", rm2_model_held_out(ctx, model, NULL));
    NO_CONTEXT(rm2_model_sample(NULL, model, 1, latents, 1, false, points));
    MISSING("model", rm2_model_sample(ctx, NULL, 1, latents, 1, false, points));
    MISSING("latents", rm2_model_sample(ctx, model, 1, NULL, 1, false, points));
    MISSING("points", rm2_model_sample(ctx, model, 1, latents, 1, false, NULL));
    NO_CONTEXT(rm2_model_encode(NULL, model, NULL, 1, data->points, latents, NULL, NULL));
    MISSING("model", rm2_model_encode(ctx, NULL, NULL, 1, data->points, latents, NULL, NULL));
    MISSING("points", rm2_model_encode(ctx, model, NULL, 1, NULL, latents, NULL, NULL));
    MISSING("latents", rm2_model_encode(ctx, model, NULL, 1, data->points, NULL, NULL, NULL));
    odd.objective = (rm2_encode_kind)77;
    REFUSED("settings.objective is 77",
            rm2_model_encode(ctx, model, &odd, 1, data->points, latents, NULL, NULL));
    rm2_model_free(model);
}

static void evaluation(void **state) {
    rm2_context *ctx = *state;
    rm2_model *model = small_model(ctx);
    const rm2_data *data = rm2_model_info_of(model)->data;
    double rows[16], latents[4] = {0};
    rm2_score total = {.size = sizeof total};
    rm2_calibration found = {.size = sizeof found};
    const rm2_calibration_points p = {.n = 1, .latents = latents, .points = data->points};
    NO_CONTEXT(rm2_model_view_rows(NULL, model, RM2_VIEW_AMBIENT, 1, data->points, rows));
    MISSING("model", rm2_model_view_rows(ctx, NULL, RM2_VIEW_AMBIENT, 1, data->points, rows));
    MISSING("points", rm2_model_view_rows(ctx, model, RM2_VIEW_AMBIENT, 1, NULL, rows));
    MISSING("rows", rm2_model_view_rows(ctx, model, RM2_VIEW_AMBIENT, 1, data->points, NULL));
    REFUSED("77", rm2_model_view_rows(ctx, model, (rm2_model_view)77, 1, data->points, rows));
    assert_int_equal(rm2_model_view_width(NULL, RM2_VIEW_AMBIENT), 0);
    NO_CONTEXT(rm2_model_score(NULL, model, NULL, data, NULL, NULL, &total));
    MISSING("model", rm2_model_score(ctx, NULL, NULL, data, NULL, NULL, &total));
    MISSING("data", rm2_model_score(ctx, model, NULL, NULL, NULL, NULL, &total));
    MISSING("total", rm2_model_score(ctx, model, NULL, data, NULL, NULL, NULL));
    NO_CONTEXT(rm2_model_calibration(NULL, model, &p, &found));
    MISSING("model", rm2_model_calibration(ctx, NULL, &p, &found));
    MISSING("points", rm2_model_calibration(ctx, model, NULL, &found));
    MISSING("calibration", rm2_model_calibration(ctx, model, &p, NULL));
    rm2_model_free(model);
}

static void reports(void **state) {
    rm2_context *ctx = *state;
    rm2_model *model = small_model(ctx);
    rm2_space *space;
    rm2_curve *curve, empty = {.nodes = 2, .Q = 2};
    rm2_path_report report = {.size = sizeof report};
    const double *x = rm2_model_info_of(model)->latents;
    char text[40] = "as before";
    MUST(rm2_space_create(ctx, model, NULL, 0, NULL, &space));
    MUST(rm2_space_geodesic(ctx, space, x, x + 2, &curve));
    NO_CONTEXT(rm2_path_measure(NULL, space, curve, NULL, NULL, &report));
    MISSING("space", rm2_path_measure(ctx, NULL, curve, NULL, NULL, &report));
    MISSING("curve", rm2_path_measure(ctx, space, NULL, NULL, NULL, &report));
    MISSING("curve->x", rm2_path_measure(ctx, space, &empty, NULL, NULL, &report));
    MISSING("report", rm2_path_measure(ctx, space, curve, NULL, NULL, NULL));
    MUST(rm2_path_measure(ctx, space, curve, NULL, NULL, &report));
    rm2_path_reason_text(&report, RM2_PATH_OUTSIDE, NULL, 10);
    rm2_path_reason_text(&report, RM2_PATH_OUTSIDE, text, 0);
    assert_string_equal(text, "as before");
    rm2_path_reason_text(&report, RM2_PATH_OUTSIDE, text, sizeof text); /* not a reason here */
    assert_string_equal(text, "");
    rm2_path_reason_text(NULL, RM2_PATH_OUTSIDE, text, sizeof text);
    rm2_vicinity_text(2, 1.5, NULL, 10);
    assert_string_equal(rm2_path_reason_name((rm2_path_reason)77), "unknown reason");
    assert_int_equal(rm2_path_next_reason(0, (rm2_path_reason)0), 0);
    assert_int_equal(rm2_path_measured_nodes(0), 0);
    assert_string_equal(rm2_settings_table_of(RM2_SETTINGS_REPORT)->name, "report");
    rm2_curve_free(curve);
    rm2_space_free(space);
    rm2_model_free(model);
}

static void vicinity(void **state) {
    rm2_context *ctx = *state;
    rm2_model *model = small_model(ctx);
    const rm2_data *data = rm2_model_info_of(model)->data;
    rm2_vicinity *v = NULL;
    NO_CONTEXT(rm2_vicinity_create(NULL, model, &v));
    MISSING("model", rm2_vicinity_create(ctx, NULL, &v));
    MISSING("vicinity", rm2_vicinity_create(ctx, model, NULL));
    assert_int_equal(rm2_vicinity_create(ctx, model, &v), RM2_OK);
    NO_CONTEXT(rm2_vicinity_distances(NULL, v, 1, data->points, NULL, NULL));
    MISSING("vicinity", rm2_vicinity_distances(ctx, NULL, 1, data->points, NULL, NULL));
    MISSING("points", rm2_vicinity_distances(ctx, v, 1, NULL, NULL, NULL));
    assert_int_equal(rm2_vicinity_distances(ctx, v, 0, NULL, NULL, NULL), RM2_OK);
    assert_int_equal(rm2_vicinity_info_of(NULL)->demonstrations, 0);
    rm2_vicinity_free(v);
    rm2_vicinity_free(NULL);
    rm2_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(training),   WITH_CONTEXT(files),    WITH_CONTEXT(predictions),
        WITH_CONTEXT(evaluation), WITH_CONTEXT(vicinity), WITH_CONTEXT(reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
