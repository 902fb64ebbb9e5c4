/* plot.h: arguments that are missing are named, numbers that are no kind of anything are refused. */
#include <math.h>

#include "api.h"
#include "riemann2/plot.h"

static const double xy[] = {0, 0, 1, 1}, xyz[] = {0, 0, 0, 1, 1, 1};

static rm2_panel *add_panel(rm2_context *ctx, rm2_figure *figure, size_t column,
                            rm2_panel_kind kind) {
    rm2_panel_settings s = rm2_panel_settings_default(kind);
    rm2_panel *panel;
    MUST(rm2_figure_panel(ctx, figure, 0, column, &s, &panel));
    return panel;
}

static rm2_figure *make_figure(rm2_context *ctx) {
    rm2_figure_settings s = rm2_figure_settings_default();
    rm2_figure *figure;
    s.columns = 3;
    MUST(rm2_figure_create(ctx, &s, &figure));
    return figure;
}

static void colours(void **state) {
    (void)state;
    assert_int_equal(rm2_palette(RM2_PALETTE_SIZE), rm2_palette(0));
    assert_int_equal(rm2_colour_map_at((rm2_colour_map)77, 0.5), rm2_colour_map_at(0, NAN));
}

static void figures(void **state) {
    rm2_context *ctx = *state;
    rm2_figure *figure;
    rm2_panel *panel;
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    NO_CONTEXT(rm2_figure_create(NULL, NULL, &figure));
    MISSING("figure", rm2_figure_create(ctx, NULL, NULL));
    MUST(rm2_figure_create(ctx, NULL, &figure));
    NO_CONTEXT(rm2_figure_panel(NULL, figure, 0, 0, NULL, &panel));
    MISSING("figure", rm2_figure_panel(ctx, NULL, 0, 0, NULL, &panel));
    MISSING("panel", rm2_figure_panel(ctx, figure, 0, 0, NULL, NULL));
    assert_null(panel);
    s.kind = (rm2_panel_kind)77;
    REFUSED("77", rm2_figure_panel(ctx, figure, 0, 0, &s, &panel));
    s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    s.legend = (rm2_legend)77;
    REFUSED("77", rm2_figure_panel(ctx, figure, 0, 0, &s, &panel));
    NO_CONTEXT(rm2_figure_save(NULL, figure, "x.png", 0, true));
    MISSING("figure", rm2_figure_save(ctx, NULL, "x.png", 0, true));
    MISSING("path", rm2_figure_save(ctx, figure, NULL, 0, true));
    rm2_figure_free(NULL);
    rm2_figure_free(figure);
}

static void items(void **state) {
    rm2_context *ctx = *state;
    const size_t group[] = {0, 0};
    rm2_figure *figure = make_figure(ctx);
    rm2_panel *panel = add_panel(ctx, figure, 0, RM2_PANEL_PLANE);
    NO_CONTEXT(rm2_plot_curve(NULL, panel, 2, xy, NULL));
    MISSING("panel", rm2_plot_curve(ctx, NULL, 2, xy, NULL));
    MISSING("points", rm2_plot_curve(ctx, panel, 2, NULL, NULL));
    REFUSED("77", rm2_plot_curve(ctx, panel, 2, xy, &(rm2_style){.dash = (rm2_dash)77}));
    REFUSED("77", rm2_plot_curve(ctx, panel, 2, xy, &(rm2_style){.marker = (rm2_marker)77}));
    NO_CONTEXT(rm2_plot_points(NULL, panel, 2, xy, NULL));
    MISSING("panel", rm2_plot_points(ctx, NULL, 2, xy, NULL));
    MISSING("points", rm2_plot_points(ctx, panel, 2, NULL, NULL));
    const rm2_groups groups = {2, xy, group, 1, NULL};
    NO_CONTEXT(rm2_plot_groups(NULL, panel, &groups, NULL));
    MISSING("panel", rm2_plot_groups(ctx, NULL, &groups, NULL));
    MISSING("groups", rm2_plot_groups(ctx, panel, NULL, NULL));
    MISSING("groups->points",
            rm2_plot_groups(ctx, panel, &(rm2_groups){2, NULL, group, 1, NULL}, NULL));
    MISSING("groups->group",
            rm2_plot_groups(ctx, panel, &(rm2_groups){2, xy, NULL, 1, NULL}, NULL));
    NO_CONTEXT(rm2_plot_band(NULL, panel, 2, xy, xy, xy, NULL));
    MISSING("panel", rm2_plot_band(ctx, NULL, 2, xy, xy, xy, NULL));
    MISSING("x", rm2_plot_band(ctx, panel, 2, NULL, xy, xy, NULL));
    MISSING("low", rm2_plot_band(ctx, panel, 2, xy, NULL, xy, NULL));
    MISSING("high", rm2_plot_band(ctx, panel, 2, xy, xy, NULL, NULL));
    rm2_figure_free(figure);
}

static void shapes(void **state) {
    rm2_context *ctx = *state;
    const double matrix[] = {1, 0, 0, 1}, turn[] = {1, 0, 0, 0};
    rm2_figure *figure = make_figure(ctx);
    rm2_panel *panel = add_panel(ctx, figure, 0, RM2_PANEL_PLANE);
    rm2_panel *space = add_panel(ctx, figure, 1, RM2_PANEL_SPACE);
    NO_CONTEXT(rm2_plot_ellipses(NULL, panel, 1, xy, matrix, NULL));
    MISSING("panel", rm2_plot_ellipses(ctx, NULL, 1, xy, matrix, NULL));
    MISSING("centres", rm2_plot_ellipses(ctx, panel, 1, NULL, matrix, NULL));
    MISSING("matrices", rm2_plot_ellipses(ctx, panel, 1, xy, NULL, NULL));
    NO_CONTEXT(rm2_plot_frames(NULL, space, 1, xyz, turn, NULL));
    MISSING("panel", rm2_plot_frames(ctx, NULL, 1, xyz, turn, NULL));
    MISSING("quaternions", rm2_plot_frames(ctx, space, 1, xyz, NULL, NULL));
    MUST(rm2_plot_frames(ctx, space, 1, NULL, turn, NULL));
    NO_CONTEXT(rm2_plot_arm(NULL, panel, 1, 2, xy, NULL));
    MISSING("panel", rm2_plot_arm(ctx, NULL, 1, 2, xy, NULL));
    MISSING("points", rm2_plot_arm(ctx, panel, 1, 2, NULL, NULL));
    const rm2_region disc = {RM2_REGION_SPHERE, 2, {0}, {0}, 1};
    NO_CONTEXT(rm2_plot_region(NULL, panel, &disc, NULL));
    MISSING("panel", rm2_plot_region(ctx, NULL, &disc, NULL));
    MISSING("region", rm2_plot_region(ctx, panel, NULL, NULL));
    rm2_figure_free(figure);
}

static void rasters(void **state) {
    rm2_context *ctx = *state;
    rm2_heat_map heat = {.columns = 2, .rows = 2, .values = xy, .x_max = 1, .y_max = 1};
    rm2_matrices matrices = {.count = 1, .n = 2, .values = xy};
    rm2_figure *figure = make_figure(ctx);
    rm2_panel *panel = add_panel(ctx, figure, 0, RM2_PANEL_PLANE);
    rm2_panel *row = add_panel(ctx, figure, 1, RM2_PANEL_MATRICES);
    NO_CONTEXT(rm2_plot_heat(NULL, panel, &heat));
    MISSING("panel", rm2_plot_heat(ctx, NULL, &heat));
    MISSING("heat", rm2_plot_heat(ctx, panel, NULL));
    NO_CONTEXT(rm2_plot_hatched(NULL, panel, &heat, NULL));
    MISSING("panel", rm2_plot_hatched(ctx, NULL, &heat, NULL));
    MISSING("field", rm2_plot_hatched(ctx, panel, NULL, NULL));
    heat.values = NULL;
    MISSING("heat->values", rm2_plot_heat(ctx, panel, &heat));
    MISSING("field->values", rm2_plot_hatched(ctx, panel, &heat, NULL));
    NO_CONTEXT(rm2_plot_matrices(NULL, row, &matrices));
    MISSING("panel", rm2_plot_matrices(ctx, NULL, &matrices));
    MISSING("matrices", rm2_plot_matrices(ctx, row, NULL));
    matrices.values = NULL;
    MISSING("matrices->values", rm2_plot_matrices(ctx, row, &matrices));
    rm2_figure_free(figure);
}

static void factors(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R2");
    rm2_figure *figure = make_figure(ctx);
    rm2_panel *panel = add_panel(ctx, figure, 0, RM2_PANEL_PLANE);
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    NO_CONTEXT(rm2_panel_settings_factor(NULL, m, 0, &s));
    MISSING("manifold", rm2_panel_settings_factor(ctx, NULL, 0, &s));
    MISSING("settings", rm2_panel_settings_factor(ctx, m, 0, NULL));
    NO_CONTEXT(rm2_plot_factor(NULL, panel, m, 0, 2, xy, NULL));
    MISSING("panel", rm2_plot_factor(ctx, NULL, m, 0, 2, xy, NULL));
    MISSING("manifold", rm2_plot_factor(ctx, panel, NULL, 0, 2, xy, NULL));
    MISSING("points", rm2_plot_factor(ctx, panel, m, 0, 2, NULL, NULL));
    NO_CONTEXT(rm2_plot_factor_points(NULL, panel, m, 0, 2, xy, NULL));
    MISSING("panel", rm2_plot_factor_points(ctx, NULL, m, 0, 2, xy, NULL));
    MISSING("manifold", rm2_plot_factor_points(ctx, panel, NULL, 0, 2, xy, NULL));
    MISSING("points", rm2_plot_factor_points(ctx, panel, m, 0, 2, NULL, NULL));
    rm2_figure_free(figure);
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours), WITH_CONTEXT(figures), WITH_CONTEXT(items),
        WITH_CONTEXT(shapes),      WITH_CONTEXT(rasters), WITH_CONTEXT(factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
