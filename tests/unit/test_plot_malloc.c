/* Every allocation of a figure fails once: the status must be RM2_ERR_MEMORY, nothing may leak, and
 * no file may be left. The program is linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free, so that calls from the library come
 * here; calls inside Cairo do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "riemann2/plot.h"

enum { TRIES_MAX = 1000 };

static bool counting;
static long calls_left, live;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static bool fails_now(void) {
    return counting && calls_left-- <= 0;
}

static void *counted(void *block) {
    live += counting && block;
    return block;
}

void *__wrap_malloc(size_t size) {
    return fails_now() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails_now() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size) {
    if (fails_now())
        return NULL;
    void *moved = __real_realloc(block, size);
    return block ? moved : counted(moved);
}

void __wrap_free(void *block) {
    live -= counting && block;
    __real_free(block);
}

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
        &(rm2_heat){
            .columns = 2, .rows = 2, .values = values, .x_max = 2, .y_max = 1, .label = "heat"});
    if (status == RM2_OK)
        status = rm2_plot_curve(f->ctx, panel, 3, xy, &(rm2_style){.label = "curve"});
    if (status == RM2_OK)
        status = rm2_plot_groups(f->ctx, panel, 3, xy, (size_t[]){0, 1, 0}, 2,
                                 (const char *const[]){"a", "b"}, NULL);
    if (status == RM2_OK)
        status = rm2_plot_band(f->ctx, panel, 2, xy, xy, xy + 2, NULL);
    if (status == RM2_OK)
        status = rm2_plot_ellipses(f->ctx, panel, 3, xy, spd, NULL);
    if (status == RM2_OK)
        status = rm2_plot_arm(f->ctx, panel, 1, 3, xy, NULL);
    for (int i = 0; status == RM2_OK && i < 10; i++) /* more than the list has room for at first */
        status = rm2_plot_points(f->ctx, panel, 3, xy, NULL);
    return status;
}

static rm2_status fill_factors(fixture *f, rm2_figure *figure) {
    const double pose[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
                           1, 2, 3, 0, 1, 0, 0, 2, 1, 0, 1, 2, 0, 0, 0, 1};
    rm2_status status = RM2_OK;
    for (size_t k = 0; status == RM2_OK && k < 3; k++) {
        rm2_panel_settings s;
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

static rm2_status draw(fixture *f) {
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_figure *figure = NULL;
    rm2_panel *panel = NULL;
    page.width = 250;
    page.columns = 4;
    page.title = "title";
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
    return status;
}

/* `foreign`: blocks that the C library allocates and ours frees when all goes well. */
static void fail_every_allocation(fixture *f, const char *name, long foreign) {
    long k = 0;
    (void)snprintf(f->path, sizeof f->path, "%s/%s", f->directory, name);
    for (; k < TRIES_MAX; k++) {
        calls_left = k;
        live = 0;
        counting = true;
        rm2_status status = draw(f);
        counting = false;
        if (live != 0 && live != -foreign)
            fail_msg("%ld blocks leak when allocation %ld fails", live, k);
        if (status == RM2_OK)
            break;
        assert_int_equal(status, RM2_ERR_MEMORY);
        assert_non_null(strstr(rm2_context_error(f->ctx), "out of memory"));
        assert_int_equal(access(f->path, F_OK), -1);
    }
    assert_in_range(k, 60, TRIES_MAX - 1); /* 17 items of two blocks, labels, panels, the file */
    (void)unlink(f->path);
}

static void figures_survive(void **state) {
    fail_every_allocation(*state, "figure.png", 0);
    fail_every_allocation(*state, "figure.pdf", 0);
}

/* The text of an SVG comes from open_memstream. */
static void svg_survives(void **state) {
    fail_every_allocation(*state, "figure.svg", 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(figures_survive), TEST(svg_survives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
