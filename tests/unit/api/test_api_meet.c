/* meet.h: arguments that are missing are named, and results are empty. */
#include "api.h"

typedef struct fixture {
    rm2_data *data;
    rm2_model *model;
    rm2_space *space;
} fixture;

static fixture open_fixture(rm2_context *ctx) {
    fixture f;
    rm2_generate_settings g = rm2_generate_settings_default();
    rm2_fit_settings fit = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_space_settings s = rm2_space_settings_default();
    g.trajectories = 2;
    g.points = 12;
    fit.optim.max_iterations = 3;
    s.grid_points = 10;
    s.nodes = 20;
    s.stage = RM2_STAGE_PATH;
    MUST(rm2_data_generate(ctx, "toy", &g, &f.data));
    MUST(rm2_fit(ctx, f.data, &fit, NULL, &f.model));
    MUST(rm2_space_create(ctx, f.model, &s, 0, NULL, &f.space));
    return f;
}

static void motions(void **state) {
    rm2_context *ctx = *state;
    fixture f = open_fixture(ctx);
    const double *X = rm2_model_info_of(f.model)->latents;
    rm2_meet_request r = {.start = {.latent = X}, .goal = {.latent = X + 22}};
    rm2_meet_settings s = rm2_meet_settings_default();
    rm2_meet *meet = NULL;
    double points[20 * 5], covariance[20 * 16];
    NO_CONTEXT(rm2_meet_create(NULL, f.space, NULL, &r, NULL, &meet));
    MISSING("space", rm2_meet_create(ctx, NULL, NULL, &r, NULL, &meet));
    MISSING("request", rm2_meet_create(ctx, f.space, NULL, NULL, NULL, &meet));
    MISSING("meet", rm2_meet_create(ctx, f.space, NULL, &r, NULL, NULL));
    s.size = 0;
    assert_int_equal(rm2_meet_create(ctx, f.space, NULL, &r, &s, &meet), RM2_ERR_ARGUMENT);
    s = rm2_meet_settings_default();
    s.duration = 0;
    REFUSED("settings.duration is 0", rm2_meet_create(ctx, f.space, NULL, &r, &s, &meet));
    s = rm2_meet_settings_default();
    s.stretch_limit = -1;
    REFUSED("settings.stretch_limit is -1", rm2_meet_create(ctx, f.space, NULL, &r, &s, &meet));
    assert_null(meet);
    MUST(rm2_meet_create(ctx, f.space, NULL, &r, NULL, &meet));
    NO_CONTEXT(rm2_meet_covariance(NULL, meet, RM2_MEET_POSE, covariance, NULL));
    MISSING("meet", rm2_meet_covariance(ctx, NULL, RM2_MEET_POSE, covariance, NULL));
    REFUSED("frame is 7", rm2_meet_covariance(ctx, meet, (rm2_meet_frame)7, covariance, NULL));
    MUST(rm2_meet_covariance(ctx, meet, RM2_MEET_POSE, NULL, NULL));
    NO_CONTEXT(rm2_meet_deviations(NULL, meet, RM2_MEET_POSE, covariance, NULL));
    MISSING("meet", rm2_meet_deviations(ctx, NULL, RM2_MEET_POSE, covariance, NULL));
    REFUSED("frame is 7", rm2_meet_deviations(ctx, meet, (rm2_meet_frame)7, covariance, NULL));
    MUST(rm2_meet_deviations(ctx, meet, RM2_MEET_POSE, NULL, NULL));
    NO_CONTEXT(rm2_meet_sample(NULL, meet, 1, points));
    MISSING("meet", rm2_meet_sample(ctx, NULL, 1, points));
    MISSING("points", rm2_meet_sample(ctx, meet, 1, NULL));
    assert_null(rm2_meet_result_of(NULL));
    assert_non_null(rm2_meet_result_of(meet));
    assert_int_equal(rm2_settings_table_of(RM2_SETTINGS_MEET)->count, 6);
    rm2_meet_free(meet);
    rm2_meet_free(NULL);
    rm2_space_free(f.space);
    rm2_model_free(f.model);
    rm2_data_free(f.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(motions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
