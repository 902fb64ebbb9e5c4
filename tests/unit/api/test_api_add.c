/* Adding demonstrations: arguments that are missing are named. */
#include "api.h"

static void addition(void **state) {
    rm2_context *ctx = *state;
    rm2_generate_settings g = rm2_generate_settings_default();
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_data *data;
    rm2_model *model, *more;
    g.trajectories = 2;
    g.points = 5;
    s.optim.max_iterations = 1;
    MUST(rm2_data_generate(ctx, "toy", &g, &data));
    MUST(rm2_fit(ctx, data, &s, NULL, &model));
    NO_CONTEXT(rm2_fit_add(NULL, model, data, NULL, NULL, &more));
    MISSING("model", rm2_fit_add(ctx, NULL, data, NULL, NULL, &more));
    MISSING("more", rm2_fit_add(ctx, model, NULL, NULL, NULL, &more));
    MISSING("extended", rm2_fit_add(ctx, model, data, NULL, NULL, NULL));
    rm2_model_free(model);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(addition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
