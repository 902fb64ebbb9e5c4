/* Data sets without an argument that they need. */
#include "api.h"
#include "front/data.h"
#include "front/tables.h"

static rm2_data *small_data(rm2_context *ctx) {
    rm2_generate_settings s = rm2_generate_settings_default();
    rm2_data *data;
    s.points = 10;
    MUST(rm2_data_generate(ctx, "toy", &s, &data));
    return data;
}

static void making(void **state) {
    rm2_context *ctx = *state;
    rm2_table table = {.rows = 0};
    rm2_data *data;
    NO_CONTEXT(rm2_data_read(NULL, "x.csv", NULL, &data, NULL, NULL));
    MISSING("path", rm2_data_read(ctx, NULL, NULL, &data, NULL, NULL));
    MISSING("data", rm2_data_read(ctx, "x.csv", NULL, NULL, NULL, NULL));
    NO_CONTEXT(rm2_data_from_table(NULL, "x", &table, NULL, &data, NULL, NULL));
    MISSING("data", rm2_data_from_table(ctx, "x", &table, NULL, NULL, NULL, NULL));
    NO_CONTEXT(rm2_data_create(NULL, NULL, NULL, &data, NULL, NULL));
    MISSING("data", rm2_data_create(ctx, NULL, NULL, NULL, NULL, NULL));
    REFUSED("arrays.manifold is NULL", rm2_data_create(ctx, NULL, NULL, &data, NULL, NULL));
    NO_CONTEXT(rm2_data_generate(NULL, "toy", NULL, &data));
    MISSING("name", rm2_data_generate(ctx, NULL, NULL, &data));
    MISSING("data", rm2_data_generate(ctx, "toy", NULL, NULL));
    rm2_data_report_clear(NULL);
    rm2_data_regularise_points(NULL, 1, (double[]){1});
    rm2_data_free(NULL);
    assert_null(rm2_data_retain(NULL));
}

static void using(void **state) {
    rm2_context *ctx = *state;
    rm2_data *data = small_data(ctx), *aligned;
    double point[8] = {0};
    char name[8] = "old";
    NO_CONTEXT(rm2_data_align(NULL, data, data, &aligned));
    MISSING("data", rm2_data_align(ctx, NULL, data, &aligned));
    MISSING("reference", rm2_data_align(ctx, data, NULL, &aligned));
    MISSING("aligned", rm2_data_align(ctx, data, data, NULL));
    NO_CONTEXT(rm2_data_write(NULL, data, "x.csv", false));
    MISSING("data", rm2_data_write(ctx, NULL, "x.csv", false));
    MISSING("path", rm2_data_write(ctx, data, NULL, false));
    rm2_data_align_points(NULL, 1, point);
    rm2_data_align_points(data, 1, NULL);
    rm2_data_unscale(NULL, 1, point);
    rm2_data_unscale(data, 1, NULL);
    rm2_data_original(NULL, point);
    rm2_data_original(data, NULL);
    rm2_data_column_name(NULL, 0, name, sizeof name);
    assert_string_equal(name, "");
    rm2_data_column_name(data->manifold, 99, name, sizeof name);
    assert_string_equal(name, "");
    rm2_data_column_name(data->manifold, 0, NULL, 0);
    assert_null(rm2_data_example_name(99));
    assert_null(rm2_data_example_description(99));
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(making),
        WITH_CONTEXT(using),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
