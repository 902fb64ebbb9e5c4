/* Every allocation of a figure fails once: the status must be RM2_ERR_MEMORY, nothing may leak, and
 * no file may be left. Allocations inside Cairo and the C library are not seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing_malloc.h"
#include "riemann2/plot.h"

typedef struct fixture {
    rm2_context *ctx;
    rm2_manifold *poses;
    char directory[64], path[96];
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(rm2_context_create(&f->ctx), RM2_OK);
    assert_int_equal(rm2_manifold_create(f->ctx, "R3 x SO3 x SPD3", &f->poses), RM2_OK);
    (void)strcpy(f->directory, "/tmp/rm2-test-plot-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    assert_int_equal(rmdir(f->directory), 0); /* no temporary file is left */
    rm2_manifold_free(f->poses);
    rm2_context_free(f->ctx);
    free(f);
    return 0;
}

static rm2_status fill_plane(fixture *f, rm2_panel *panel) {
    const double xy[] = {0, 0, 1, 1, 2, 0}, spd[] = {1, 0, 0, 1, 2, 0, 0, 1, 2, 1, 1, 2};
    const double values[] = {1, 2, 3, 4};
    rm2_status status = rm2_plot_heat(
        f->ctx, panel,
        &(rm2_heat_map){
            .columns = 2, .rows = 2, .values = values, .x_max = 2, .y_max = 1, .label = "heat"});
    if (status == RM2_OK)
        status = rm2_plot_curve(f->ctx, panel, 3, xy, &(rm2_style){.label = "curve"});
    if (status == RM2_OK)
        status = rm2_plot_groups(
            f->ctx, panel,
            &(rm2_groups){3, xy, (size_t[]){0, 1, 0}, 2, (const char *const[]){"a", "b"}}, NULL);
    if (status == RM2_OK)
        status = rm2_plot_band(f->ctx, panel, 2, xy, xy, xy + 2, NULL);
    if (status == RM2_OK)
        status = rm2_plot_ellipses(f->ctx, panel, 3, xy, spd, NULL);
    if (status == RM2_OK)
        status = rm2_plot_arm(f->ctx, panel, 1, 3, xy, NULL);
    if (status == RM2_OK)
        status =
            rm2_plot_region(f->ctx, panel, &(rm2_region){RM2_REGION_BOX, 2, {0}, {1, 1}, 0}, NULL);
    if (status == RM2_OK)
        status = rm2_plot_hatched(
            f->ctx, panel,
            &(rm2_heat_map){.columns = 2, .rows = 2, .values = values, .x_max = 2, .y_max = 1},
            NULL);
    for (int i = 0; status == RM2_OK && i < 10; i++) /* more than the list has room for at first */
        status = rm2_plot_points(f->ctx, panel, 3, xy, NULL);
    return status;
}

static rm2_status fill_factors(fixture *f, rm2_figure *figure) {
    const double pose[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
                           1, 2, 3, 0, 1, 0, 0, 2, 1, 0, 1, 2, 0, 0, 0, 1};
    rm2_status status = RM2_OK;
    for (size_t k = 0; status == RM2_OK && k < 3; k++) {
        rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
        rm2_panel *panel = NULL;
        status = rm2_panel_settings_factor(f->ctx, f->poses, k, &s);
        s.title = "factor";
        if (status == RM2_OK)
            status = rm2_figure_panel(f->ctx, figure, 0, k + 1, &s, &panel);
        if (status == RM2_OK)
            status =
                rm2_plot_factor(f->ctx, panel, f->poses, k, 2, pose, &(rm2_style){.label = "path"});
    }
    return status;
}

static rm2_status draw(void *state) {
    fixture *f = state;
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_figure *figure = NULL;
    rm2_panel *panel = NULL;
    page.width = 250;
    page.columns = 4;
    page.title = "title";
    page.legend = true;
    rm2_status status = rm2_figure_create(f->ctx, &page, &figure);
    if (status == RM2_OK)
        status = rm2_figure_panel(f->ctx, figure, 0, 0, NULL, &panel);
    if (status == RM2_OK)
        status = fill_plane(f, panel);
    if (status == RM2_OK)
        status = fill_factors(f, figure);
    if (status == RM2_OK)
        status = rm2_figure_save(f->ctx, figure, f->path, 50, true);
    rm2_figure_free(figure);
    assert_int_equal(access(f->path, F_OK), status == RM2_OK ? 0 : -1);
    (void)unlink(f->path);
    return status;
}

static void fail_every_allocation(fixture *f, const char *name) {
    (void)snprintf(f->path, sizeof f->path, "%s/%s", f->directory, name);
    /* 17 items of two blocks, labels, panels, the file */
    assert_true(fail_each_allocation(f->ctx, draw, f) >= 60);
}

static void figures_survive(void **state) {
    fail_every_allocation(*state, "figure.png");
    fail_every_allocation(*state, "figure.pdf");
}

/* The text of an SVG comes from open_memstream. */
static void svg_survives(void **state) {
    fail_every_allocation(*state, "figure.svg");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(figures_survive), TEST(svg_survives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
