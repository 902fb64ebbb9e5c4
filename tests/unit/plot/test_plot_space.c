/* Panels in space, spheres, cones and matrices, drawn and read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "picture.h"

#define RED  RM2_RGB(0xFF0000)
#define LIME RM2_RGB(0x00FF00)
#define NAVY RM2_RGB(0x0000FF)
#define CYAN RM2_RGB(0x00FFFF)

static rm2_panel_settings kind(rm2_panel_kind k, double azimuth, double elevation) {
    rm2_panel_settings s = rm2_panel_settings_default(k);
    s.azimuth = azimuth;
    s.elevation = elevation;
    return s;
}

/* Seen along the y axis, x goes to the right and z up; y does not show. */
static void space_is_projected(void **state) {
    picture *p = *state;
    rm2_panel_settings s = kind(RM2_PANEL_SPACE, -90, 0);
    s.equal = true;
    begin(p, s);
    pin(p, (double[]){0, 0, 0}, RED);
    pin(p, (double[]){4, 3, 0}, LIME);
    pin(p, (double[]){0, 1, 4}, NAVY);
    pin(p, (double[]){1, 2, 3}, CYAN);
    develop(p);
    blot o = pinned(p, RED), x = pinned(p, LIME), z = pinned(p, NAVY), here = pinned(p, CYAN);
    assert_true(fabs(x.y - o.y) < 1 && fabs(z.x - o.x) < 1);
    assert_true(x.x > o.x && z.y < o.y && fabs((x.x - o.x) - (o.y - z.y)) < 1);
    assert_true(fabs(here.x - (o.x + (x.x - o.x) / 4)) < 1);
    assert_true(fabs(here.y - (o.y + (z.y - o.y) * 3 / 4)) < 1);
}

/* From azimuth -60 and elevation 22 the three directions are (cos 30, sin 60 sin 22), ... on the page:
 * a parallelepiped, whose diagonal is the sum of its edges. */
static void projections_are_linear(void **state) {
    picture *p = *state;
    begin(p, rm2_panel_settings_default(RM2_PANEL_SPACE));
    pin(p, (double[]){0, 0, 0}, RED);
    pin(p, (double[]){1, 0, 0}, LIME);
    pin(p, (double[]){0, 20, 0}, NAVY);
    pin(p, (double[]){0, 0, 300}, CYAN);
    pin(p, (double[]){1, 20, 300}, RM2_ORANGE);
    develop(p);
    blot o = pinned(p, RED), x = pinned(p, LIME), y = pinned(p, NAVY), z = pinned(p, CYAN),
         all = pinned(p, RM2_ORANGE);
    assert_true(fabs(x.x + y.x + z.x - 2 * o.x - all.x) < 2);
    assert_true(fabs(x.y + y.y + z.y - 2 * o.y - all.y) < 2);
    assert_true(fabs(z.x - o.x) < 1 && z.y < o.y);
    /* sides of the box are equal: slopes of the edges on the page tell the direction */
    double sine = sin(22 * 3.14159265358979 / 180);
    assert_true(fabs((x.y - o.y) / (x.x - o.x) - sine / sqrt(3)) < 0.02);
    assert_true(fabs((o.y - y.y) / (y.x - o.x) - sine * sqrt(3)) < 0.02);
}

/* q = cos 45 + sin 45 k turns x to y and y to -x. Seen along the y axis from -y. */
static void frames_point_where_the_rotation_says(void **state) {
    picture *p = *state;
    const double quaternions[] = {1, 0, 0, 0, 2, 0, 0, 2, NAN, 0, 0, 0};
    const double positions[] = {0, 0, 0, 1, 0, 0, 0.5, 0, 0};
    begin(p, kind(RM2_PANEL_SPACE, -90, 0));
    must(p, rm2_plot_frames(p->ctx, p->panel, 3, positions, quaternions,
                            &(rm2_style){.size = 20, .width = 2}));
    pin(p, (double[]){0, 0, 0}, LIME);
    pin(p, (double[]){1, 0, 0}, NAVY);
    develop(p);
    blot left = pinned(p, LIME), right = pinned(p, NAVY);
    blot x = find(p, RM2_COLOUR_FRAME_X), y = find(p, RM2_COLOUR_FRAME_Y),
         z = find(p, RM2_COLOUR_FRAME_Z);
    double length = 20.0 * 200 / 72;
    /* first frame: x to the right, y away from us; second: y to the left */
    assert_true(x.left >= left.left && fabs(x.right - (left.x + length)) < 4);
    assert_true(fabs(y.left - (right.x - length)) < 4 && y.right <= right.right);
    assert_true(fabs(z.top - (left.y - length)) < 4 && fabs(z.x - (left.x + right.x) / 2) < 2);
    assert_true(x.count > 100 && y.count > 100 && z.count > 200);
}

static void frames_without_positions_stand_in_a_row(void **state) {
    picture *p = *state;
    const double quaternions[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    begin(p, kind(RM2_PANEL_SPACE, -90, 0));
    must(p, rm2_plot_frames(p->ctx, p->panel, 3, NULL, quaternions, &(rm2_style){.width = 2}));
    develop(p);
    blot z = find(p, RM2_BLUE);
    assert_true(z.right - z.left > p->width / 2);
}

static void spheres_hide_their_back(void **state) {
    picture *p = *state;
    double circle[3 * 201]; /* the equator: half of it is seen */
    for (int i = 0; i <= 200; i++) {
        circle[3 * i] = cos(3.14159265358979 * i / 100);
        circle[3 * i + 1] = sin(3.14159265358979 * i / 100);
        circle[3 * i + 2] = 0;
    }
    begin(p, kind(RM2_PANEL_SPHERE, 0, 30));
    pin(p, (double[]){1, 0, 0}, LIME);
    pin(p, (double[]){-1, 0, 0}, CYAN); /* behind */
    must(p, rm2_plot_curve(p->ctx, p->panel, 201, circle, &(rm2_style){.colour = RED, .width = 2}));
    pin(p, (double[]){0, 0, 1}, NAVY);
    develop(p);
    blot pole = pinned(p, NAVY), line = pinned(p, RED);
    double radius = (line.right - line.left) / 2.0;
    assert_int_equal(find(p, CYAN).count, 0);
    /* the pole is at cos 30 of the radius above the middle, the front of the equator sin 30 below */
    double middle = pole.y + radius * cos(3.14159265358979 / 6);
    assert_true(fabs(line.bottom - (middle + radius / 2)) < 4);
    assert_true(line.top > middle - 6); /* nothing of the far half */
    int faint = 0, back = (int)(middle - radius / 2);
    for (int y = back - 4; y <= back + 4; y++) {
        rm2_colour c = pixel(p, (int)pole.x + 20, y);
        faint += (int)(c >> 16 & 255) - (int)(c & 255) > 30; /* a tint of red */
    }
    assert_true(faint > 0);
}

static void curves_that_leave_the_sphere_are_not_cut(void **state) {
    picture *p = *state;
    begin(p, kind(RM2_PANEL_SPHERE, 0, 0));
    pin(p, (double[]){0, 1.8, 0}, RED);
    pin(p, (double[]){0, 0, 1.4}, LIME);
    develop(p);
    blot right = pinned(p, RED), top = pinned(p, LIME);
    assert_true(right.right < p->width - 1 && top.top > 0);
    assert_true(labs(right.count - top.count) <= 4); /* both are whole */
}

/* In the cone the identity is above the tip, and diag(2, 0) on its surface. */
static void cones_show_matrices(void **state) {
    picture *p = *state;
    begin(p, kind(RM2_PANEL_CONE, -90, 0));
    pin(p, (double[]){1, 0, 0, 1}, RED);
    pin(p, (double[]){2, 0, 0, 0}, LIME);
    pin(p, (double[]){0.5, 0, 0, 0.5}, NAVY);
    pin(p, (double[]){1, 0.5, 0.5, 1}, CYAN); /* m12 points away from us: same place as I */
    develop(p);
    /* the outside is a translucent layer over what is in the cone: find the nearest colours */
    blot at[4] = {{0}};
    static const rm2_colour colours[] = {RED, LIME, NAVY, CYAN};
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            for (int k = 0; k < 4; k++)
                if (difference(pixel(p, x, y), colours[k]) < 70) {
                    at[k].count++;
                    at[k].x += x;
                    at[k].y += y;
                }
    for (int k = 0; k < 3; k++) {
        assert_true(at[k].count > 20 || k == 0);
        at[k].x /= (double)at[k].count;
        at[k].y /= (double)at[k].count;
    }
    assert_true(at[3].count > 20); /* drawn last, over the identity */
    at[3].x /= (double)at[3].count;
    at[3].y /= (double)at[3].count;
    assert_true(fabs(at[3].x - at[2].x) < 1.5);                           /* one above the other */
    assert_true(fabs(at[1].y - at[3].y) < 1.5);                           /* equal traces */
    assert_true(fabs((at[1].x - at[3].x) - 2 * (at[2].y - at[3].y)) < 2); /* u = w */
}

/* ---- matrices --------------------------------------------------------------------------------- */

static void matrices_become_correlations(void **state) {
    picture *p = *state;
    /* variances 4 and 9, covariance -3: correlation -1/2; beside it uncorrelated */
    const double values[] = {4, -3, -3, 9, 1, 0, 0, 1};
    static const char *const names[] = {"t = 0", "t = 1"};
    rm2_matrices m = {.count = 2,
                      .n = 2,
                      .values = values,
                      .correlation = true,
                      .limit = 1,
                      .name = "model",
                      .names = names,
                      .label = "correlation"};
    begin(p, rm2_panel_settings_default(RM2_PANEL_MATRICES));
    must(p, rm2_plot_matrices(p->ctx, p->panel, &m));
    develop(p);
    rm2_colour one = rm2_colour_map_at(RM2_MAP_DIVERGING, 1),
               minus_half = rm2_colour_map_at(RM2_MAP_DIVERGING, 0.25);
    blot diagonal = find(p, one), corner = find(p, minus_half);
    assert_true(diagonal.count > 1000 && corner.count > 500);
    /* the first matrix: ones above left and below right, -1/2 in the other two */
    int cell = 0;
    while (pixel(p, diagonal.left + cell, diagonal.top + 5) != minus_half)
        cell++;
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++)
            assert_int_equal(
                pixel(p, diagonal.left + cell / 2 + c * cell, diagonal.top + cell / 2 + r * cell),
                r == c ? one : minus_half);
    /* four cells of the second: two ones, two of (nearly) white */
    assert_true(find(p, rm2_colour_map_at(RM2_MAP_DIVERGING, 0.5)).count > 500);
}

/* Pixels with ink left of and below the square of a matrix of ones. */
static void count_ink(const picture *p, size_t *left, size_t *below) {
    blot square = find(p, rm2_colour_map_at(RM2_MAP_DIVERGING, 1));
    assert_true(square.count > 2000);
    *left = *below = 0;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            bool ink = difference(pixel(p, x, y), RM2_WHITE) > 100;
            *left += ink && x < square.left - 3;
            *below +=
                ink && y > square.bottom + 3 && x < square.left + (square.bottom - square.top);
        }
}

static void draw_named(picture *p, size_t n, const char *const *names) {
    double *values = calloc(n * n, sizeof *values);
    assert_non_null(values);
    for (size_t k = 0; k < n * n; k++)
        values[k] = 1;
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_MATRICES);
    s.names = names;
    s.name_count = names ? n : 0;
    begin(p, s);
    must(p, rm2_plot_matrices(p->ctx, p->panel,
                              &(rm2_matrices){.count = 1, .n = n, .values = values}));
    develop(p);
    free(values);
}

/* Names take ink on both sides, whatever the number of rows: all of 3, some of 28 and of 200, none of nothing; long ones
 * stay inside the figure, which would fail to lay out otherwise. */
static void rows_and_columns_have_names(void **state) {
    picture *p = *state;
    static const size_t sizes[] = {3, 15, 28, 200};
    const char *names[200];
    size_t left, below, none_left, none_below;
    for (size_t k = 0; k < 200; k++)
        names[k] = "precentral gyrus of the left hemisphere, upper part";
    for (size_t k = 0; k < 4; k++) {
        draw_named(p, sizes[k], NULL);
        count_ink(p, &none_left, &none_below);
        draw_named(p, sizes[k], names);
        count_ink(p, &left, &below);
        assert_true(none_left == 0 && none_below == 0 && left > 200 && below > 200);
    }
}

/* One matrix next to two: their squares have the same size, though there is room for a larger one. */
static void matrices_side_by_side_are_equally_large(void **state) {
    picture *p = *state;
    static const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1}, minus[] = {-1, -1, -1, -1};
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_MATRICES);
    rm2_panel *second;
    page.width = 120;
    page.columns = 2;
    rm2_figure_free(p->figure);
    must(p, rm2_figure_create(p->ctx, &page, &p->figure));
    must(p, rm2_figure_panel(p->ctx, p->figure, 0, 0, &s, &p->panel));
    must(p, rm2_figure_panel(p->ctx, p->figure, 0, 1, &s, &second));
    must(p,
         rm2_plot_matrices(p->ctx, p->panel, &(rm2_matrices){.count = 2, .n = 2, .values = ones}));
    must(p,
         rm2_plot_matrices(p->ctx, second, &(rm2_matrices){.count = 1, .n = 2, .values = minus}));
    develop(p);
    blot one = find(p, rm2_colour_map_at(RM2_MAP_DIVERGING, 0));
    int height = 0; /* of the run of ones in the left quarter of the figure */
    for (int x = 0; x < p->width / 4; x++) {
        int run = 0;
        for (int y = 0; y < p->height; y++)
            run += pixel(p, x, y) == rm2_colour_map_at(RM2_MAP_DIVERGING, 1);
        height = run > height ? run : height;
    }
    assert_true(height > 20 && abs(one.bottom - one.top + 1 - height) <= 2);
}

static void names_that_do_not_fit_are_refused(void **state) {
    picture *p = *state;
    static const char *const names[] = {"a", "b"}, *const hostile[] = {"a", "b\n"};
    double values[9] = {0};
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_MATRICES);
    rm2_panel *panel;
    s.names = names;
    s.name_count = 2;
    begin(p, s);
    assert_int_equal(
        rm2_plot_matrices(p->ctx, p->panel, &(rm2_matrices){.count = 1, .n = 3, .values = values}),
        RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(p->ctx), "2 names of rows and columns"));
    s.kind = RM2_PANEL_PLANE;
    begin(p, plane());
    rm2_figure_settings page = rm2_figure_settings_default();
    rm2_figure *figure;
    must(p, rm2_figure_create(p->ctx, &page, &figure));
    assert_int_equal(rm2_figure_panel(p->ctx, figure, 0, 0, &s, &panel), RM2_ERR_ARGUMENT);
    s.kind = RM2_PANEL_MATRICES;
    s.names = hostile;
    assert_int_equal(rm2_figure_panel(p->ctx, figure, 0, 0, &s, &panel), RM2_ERR_ARGUMENT);
    rm2_figure_free(figure);
}

static void rows_of_matrices_share_their_colours(void **state) {
    picture *p = *state;
    const double small[] = {1}, large[] = {-4}, missing[] = {NAN, 2, 2, 4};
    begin(p, rm2_panel_settings_default(RM2_PANEL_MATRICES));
    must(p,
         rm2_plot_matrices(p->ctx, p->panel, &(rm2_matrices){.count = 1, .n = 1, .values = small}));
    must(p,
         rm2_plot_matrices(p->ctx, p->panel, &(rm2_matrices){.count = 1, .n = 1, .values = large}));
    must(p, rm2_plot_matrices(p->ctx, p->panel,
                              &(rm2_matrices){.count = 1, .n = 2, .values = missing}));
    develop(p);
    blot above = find(p, rm2_colour_map_at(RM2_MAP_DIVERGING, 0.625));
    blot below = find(p, rm2_colour_map_at(RM2_MAP_DIVERGING, 0));
    blot hole = find(p, RM2_RGB(0xD8D8D8));
    assert_true(above.count > 500 && below.count > 500 && above.bottom < below.top + 100);
    assert_true(hole.count > 300 && hole.top > below.top);
}

/* ---- manifolds -------------------------------------------------------------------------------- */

static void plot_all_factors(picture *p, const char *spec, const rm2_panel_kind *kinds) {
    enum { POINTS = 30 };
    rm2_manifold *m;
    double *points;
    must(p, rm2_manifold_create(p->ctx, spec, &m));
    points = calloc(POINTS * rm2_manifold_ambient(m), sizeof *points);
    assert_non_null(points);
    must(p, rm2_manifold_random(p->ctx, m, POINTS, points));
    for (size_t f = 0; f < rm2_manifold_factor_count(m); f++) {
        rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
        must(p, rm2_panel_settings_factor(p->ctx, m, f, &s));
        assert_int_equal(s.kind, kinds[f]);
        begin(p, s);
        must(p, rm2_plot_factor(p->ctx, p->panel, m, f, POINTS, points,
                                &(rm2_style){.colour = RED, .label = "path", .width = 2}));
        develop(p);
    }
    rm2_manifold_free(m);
    free(points);
}

static void factors_find_their_panel(void **state) {
    picture *p = *state;
    plot_all_factors(
        p, "R2 x S1 x H2 x S2",
        (rm2_panel_kind[]){RM2_PANEL_PLANE, RM2_PANEL_PLANE, RM2_PANEL_PLANE, RM2_PANEL_SPHERE});
    assert_true(find(p, RED).count > 200);
    plot_all_factors(p, "R3 x SO3 x S3 x SPD2 x SPD5",
                     (rm2_panel_kind[]){RM2_PANEL_SPACE, RM2_PANEL_SPACE, RM2_PANEL_SPACE,
                                        RM2_PANEL_CONE, RM2_PANEL_MATRICES});
}

/* Points of H2 at distance d from the origin are at tanh(d / 2) in the disc. */
static void hyperbolic_points_are_in_the_disc(void **state) {
    picture *p = *state;
    rm2_manifold *m;
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    must(p, rm2_manifold_create(p->ctx, "H2", &m));
    must(p, rm2_panel_settings_factor(p->ctx, m, 0, &s));
    begin(p, s);
    const double points[] = {cosh(2.0), sinh(2.0), 0};
    must(p, rm2_plot_factor(p->ctx, p->panel, m, 0, 1, points,
                            &(rm2_style){.colour = RED, .marker = RM2_MARKER_CIRCLE, .size = 5}));
    pin(p, (double[]){0, 0}, LIME);
    pin(p, (double[]){-0.5, 0}, NAVY);
    develop(p);
    blot here = pinned(p, RED), middle = pinned(p, LIME), half = pinned(p, NAVY);
    assert_true(fabs((here.x - middle.x) - 2 * tanh(1) * (middle.x - half.x)) < 2);
    rm2_manifold_free(m);
}

/* Orientations after an R3 factor stand at its positions. */
static void poses_are_one_picture(void **state) {
    picture *p = *state;
    rm2_manifold *m;
    const double poses[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 1, 0, 0, 0};
    rm2_panel_settings s = kind(RM2_PANEL_SPACE, -90, 0);
    must(p, rm2_manifold_create(p->ctx, "SE3", &m));
    s.equal = true;
    begin(p, s);
    must(p, rm2_plot_factor(p->ctx, p->panel, m, 1, 2, poses, &(rm2_style){.width = 2}));
    develop(p);
    blot z = find(p, RM2_BLUE); /* two arrows up, one far above the other */
    assert_true(z.bottom - z.top > 0.6 * p->height);
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(space_is_projected),
        TEST(projections_are_linear),
        TEST(frames_point_where_the_rotation_says),
        TEST(frames_without_positions_stand_in_a_row),
        TEST(spheres_hide_their_back),
        TEST(curves_that_leave_the_sphere_are_not_cut),
        TEST(cones_show_matrices),
        TEST(matrices_become_correlations),
        TEST(rows_and_columns_have_names),
        TEST(matrices_side_by_side_are_equally_large),
        TEST(names_that_do_not_fit_are_refused),
        TEST(rows_of_matrices_share_their_colours),
        TEST(factors_find_their_panel),
        TEST(hyperbolic_points_are_in_the_disc),
        TEST(poses_are_one_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
