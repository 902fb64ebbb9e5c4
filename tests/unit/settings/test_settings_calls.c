/* Calls that take settings refuse every member beyond the range of its row, and name the member. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "geodesic/geodesic.h"
#include "riemann2.h"
#include "riemann2/plot.h"
#include "roadmap/roadmap.h"
#include "shared_context.h"
#include "trajectory/dtw.h"

/* What the calls work on. */
static rm2_data *data;
static rm2_model *model;
static rm2_space *space;
static rm2_metric *plane;
static rm2_arm *arm;
static const double ends[4] = {0, 0, 0.1, 0.1};

static rm2_status track(const void *settings) {
    rm2_arm_task task = {.dim = 2};
    double q[2];
    return rm2_arm_solve(ctx, arm, &task, ends + 2, settings, q, NULL);
}

static rm2_status place(const void *settings) {
    rm2_arm_task task = {.dim = 2};
    double targets[2] = {1, 1};
    return rm2_arm_place(ctx, &task, settings, 1, targets);
}

static rm2_status plan(const void *settings) {
    rm2_planner *planner;
    rm2_status status = rm2_planner_create(ctx, space, settings, &planner);
    rm2_planner_free(planner);
    return status;
}

static rm2_status warp(const void *settings) {
    rm2_sequence a = {2, 2, ends};
    double distance;
    return rm2i_dtw(ctx, settings, &a, &a, &distance);
}

static rm2_status average(const void *settings) {
    double mean[5];
    return rm2_manifold_mean(ctx, data->manifold, 2, data->points, NULL, settings, mean, NULL);
}

static rm2_status average_latents(const void *settings) {
    double mean[2];
    return rm2i_geodesic_mean(ctx, plane, NULL, NULL, 2, ends, NULL, settings, mean, NULL);
}

static rm2_status generate(const void *settings) {
    rm2_data *made;
    rm2_status status = rm2_data_generate(ctx, "toy", settings, &made);
    rm2_data_free(made);
    return status;
}

static rm2_status geodesic(const void *settings) {
    rm2_curve *curve;
    rm2_status status = rm2i_geodesic(ctx, plane, NULL, settings, ends, ends + 2, &curve);
    rm2_curve_free(curve);
    return status;
}

static rm2_status grid(const void *settings) {
    rm2i_roadmap *roadmap;
    rm2_status status = rm2i_roadmap_grid(ctx, plane, settings, 2, ends, &roadmap);
    rm2i_roadmap_free(roadmap);
    return status;
}

static rm2_status draw(const void *settings) {
    rm2_figure *figure;
    rm2_status status = rm2_figure_create(ctx, settings, &figure);
    rm2_figure_free(figure);
    return status;
}

static rm2_status report(const void *settings) {
    rm2_path_report found = {.size = sizeof found};
    rm2_curve *curve;
    rm2_status status = rm2_space_geodesic(ctx, space, rm2_model_info_of(model)->latents,
                                           rm2_model_info_of(model)->latents + 2, &curve);
    if (status == RM2_OK)
        status = rm2_path_measure(ctx, space, curve, settings, NULL, &found);
    rm2_curve_free(curve);
    return status;
}

/* Room for each struct. */
typedef union any_settings {
    size_t size;
    rm2_track_settings track;
    rm2_placement placement;
    rm2_planner_settings planner;
    rm2_figure_settings figure;
    double room[64];
} any_settings;

static any_settings defaults_of(const rm2_settings_table *table) {
    any_settings s;
    rm2_placement still = rm2_placement_default(); /* with a rotation of length 1 */
    rm2_planner_settings factor = rm2_planner_settings_default();
    memset(&s, 0, sizeof s);
    if (table == rm2_settings_table_of(RM2_SETTINGS_PLACEMENT))
        s.placement = still;
    if (table == rm2_settings_table_of(RM2_SETTINGS_PLANNER))
        s.planner = factor;
    s.size = table->struct_size;
    rm2_settings_fill(table, 0, &s);
    return s;
}

/* A value in the member, without a check. */
static void poke(const rm2_setting *row, any_settings *s, double x) {
    char *at = (char *)s + row->offset;
    size_t count = x >= 0 && x < 1e18 ? (size_t)x : SIZE_MAX;
    int choice = x > -1e9 && x < 1e9 ? (int)x : -1;
    if (row->type == RM2_SETTING_NUMBER)
        memcpy(at, &x, sizeof x);
    else if (row->type == RM2_SETTING_COUNT)
        memcpy(at, &count, sizeof count);
    else
        memcpy(at, &choice, sizeof choice);
}

/* Values just beyond the range; how many. */
static size_t beyond(const rm2_setting *row, double x[4]) {
    size_t n = 0;
    if (row->type == RM2_SETTING_CHOICE) {
        x[0] = -1;
        x[1] = 77;
        return 2;
    }
    if (row->type == RM2_SETTING_COUNT) {
        if (row->lower >= (row->zero ? 2 : 1))
            x[n++] = row->lower - 1;
        if (row->upper < 0x1p53)
            x[n++] = row->upper + 1;
        return n;
    }
    x[n++] = NAN;
    x[n++] = INFINITY;
    if (isfinite(row->lower))
        x[n++] = row->lower_open && !row->zero ? row->lower : nextafter(row->lower, -INFINITY);
    if (isfinite(row->upper))
        x[n++] = row->upper_open ? row->upper : nextafter(row->upper, INFINITY);
    return n;
}

static void refuses(const rm2_settings_table *table, rm2_status (*call)(const void *),
                    const rm2_setting *row) {
    double x[4];
    char field[64];
    (void)snprintf(field, sizeof field, "settings.%s is ", row->field);
    for (size_t k = 0, n = beyond(row, x); k < n; k++) {
        any_settings s = defaults_of(table);
        poke(row, &s, x[k]);
        if (call(&s) != RM2_ERR_ARGUMENT || !strstr(rm2_context_error(ctx), field))
            fail_msg("%s.%s = %g: \"%s\"", table->name, row->name, x[k], rm2_context_error(ctx));
    }
}

static void test_calls(void **state) {
    (void)state;
    const struct {
        const rm2_settings_table *table;
        rm2_status (*call)(const void *settings);
    } calls[] = {{rm2_settings_table_of(RM2_SETTINGS_TRACK), track},
                 {rm2_settings_table_of(RM2_SETTINGS_PLACEMENT), place},
                 {rm2_settings_table_of(RM2_SETTINGS_PLANNER), plan},
                 {rm2_settings_table_of(RM2_SETTINGS_DTW), warp},
                 {rm2_settings_table_of(RM2_SETTINGS_MEAN), average},
                 {rm2_settings_table_of(RM2_SETTINGS_MEAN), average_latents},
                 {rm2_settings_table_of(RM2_SETTINGS_GENERATE), generate},
                 {rm2i_geodesic_settings_table(), geodesic},
                 {rm2i_grid_settings_table(), grid},
                 {rm2_settings_table_of(RM2_SETTINGS_FIGURE), draw},
                 {rm2_settings_table_of(RM2_SETTINGS_REPORT), report}};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        const rm2_settings_table *table = calls[c].table;
        any_settings s = defaults_of(table);
        ok(calls[c].call(&s));
        for (size_t k = 0; k < table->count; k++) {
            const rm2_setting *row = rm2_settings_at(table, k);
            if (row->type == RM2_SETTING_NUMBER || row->type == RM2_SETTING_COUNT ||
                row->type == RM2_SETTING_CHOICE)
                refuses(table, calls[c].call, row);
        }
    }
}

static int set_up(void **state) {
    rm2_generate_settings small = rm2_generate_settings_default();
    rm2_space_settings coarse = rm2_space_settings_default();
    if (create_shared_context(state) != 0)
        return -1;
    small.trajectories = 2;
    small.points = 8;
    coarse.grid_points = 8;
    ok(rm2_data_generate(ctx, "toy", &small, &data));
    ok(rm2_fit(ctx, data, NULL, NULL, &model));
    ok(rm2_space_create(ctx, model, &coarse, 0, NULL, &space));
    ok(rm2_metric_analytic(ctx, "euclidean", 2, &plane));
    ok(rm2_arm_read(ctx, "planar:1,1", &arm));
    return 0;
}

static int tear_down(void **state) {
    rm2_arm_free(arm);
    rm2_metric_free(plane);
    rm2_space_free(space);
    rm2_model_free(model);
    rm2_data_free(data);
    return free_shared_context(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
