/* Reports on paths against definitions: lengths by quadrature of the metric, clearance and distances by brute force, and
 * every reason not to rely on a path. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_fixture.h"
#include "space_fixture.h"

#include "riemann2/report.h"

static const rm2_region ball = {RM2_REGION_SPHERE, 2, {0.28, -1.05}, {0}, 0.1};
static const rm2_region wall = {RM2_REGION_BOX, 2, {-0.3, -9}, {-0.2, 9}, 0};
static const rm2_obstacles one = {1, &ball, RM2_ALL_FACTORS}, walled = {1, &wall, RM2_ALL_FACTORS};

static void near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g, not %.17g (tolerance %g)", got, want, tolerance);
}

/* From the first latent of a demonstration to its last. */
static rm2_curve *geodesic(const rm2_space *space) {
    rm2_curve *c;
    ok(rm2_space_geodesic(ctx, space, latents, latents + (N / 2 - 1) * Q, &c));
    return c;
}

static rm2_vicinity *demonstrations(void) {
    rm2_vicinity *v;
    ok(rm2_vicinity_create(ctx, model, &v));
    return v;
}

static rm2_path_report report_of(const rm2_space *space, const rm2_curve *c,
                                 const rm2_report_settings *s, double *over) {
    rm2_path_report report = {.size = sizeof report};
    ok(rm2_path_measure(ctx, space, c, s, over, &report));
    return report;
}

/* |v|_G of n vectors in the exact metric. */
static void speeds(const rm2_space *space, size_t n, const double *x, const double *v,
                   double *out) {
    double *G = numbers(n * Q * Q);
    ok(rm2_metric_at(ctx, rm2_space_exact_metric(space), n, x, G, NULL));
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t a = 0; a < Q; a++)
            for (size_t b = 0; b < Q; b++)
                square += v[i * Q + a] * G[(i * Q + a) * Q + b] * v[i * Q + b];
        out[i] = sqrt(square);
    }
    free(G);
}

/* The polygon by 20 midpoints per side. */
static double polygon_length(const rm2_space *space, size_t n, const double *points) {
    enum { PARTS = 20 };
    double x[PARTS * Q], v[PARTS * Q], speed[PARTS], length = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        for (size_t k = 0; k < PARTS * Q; k++) {
            const double *a = points + i * Q + k % Q;
            v[k] = (a[Q] - a[0]) / PARTS;
            x[k] = a[0] + ((double)(k / Q) + 0.5) * v[k];
        }
        speeds(space, PARTS, x, v, speed);
        for (size_t k = 0; k < PARTS; k++)
            length += speed[k];
    }
    return length;
}

/* A converged curve has constant speed: its length is that at every node, to the settings' tolerance. The midpoint rule
 * on 4000 parts and a polygon of 200 nodes differ from the curve in the second order: 1e-4. */
static void lengths_are_those_of_quadrature(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    s.nodes = 200;
    s.support = 0;
    double speed[200];
    for (int metric = 0; metric < 2; metric++) {
        s.metric = metric ? RM2_SPACE_DENSITY : RM2_SPACE_PULLBACK;
        rm2_space *space = make_space(&s, 0, NULL);
        rm2_curve *c = geodesic(space);
        rm2_path_report r = report_of(space, c, NULL, NULL);
        near(r.length, polygon_length(space, c->nodes, c->x), 1e-4 * r.length);
        near(r.straight,
             polygon_length(space, 2,
                            (double[]){latents[0], latents[1], latents[(N / 2 - 1) * Q],
                                       latents[(N / 2 - 1) * Q + 1]}),
             0.02 * r.straight); /* 20 parts against 199 */
        speeds(space, c->nodes, c->x, c->velocity, speed);
        for (size_t i = 0; i < c->nodes && metric == 0; i++)
            near(speed[i], r.length, 1e-3 * r.length);
        assert_true(metric == 0 ? r.length == c->length && r.energy == c->energy
                                : r.length != c->length && r.energy >= r.length * r.length);
        assert_true(r.reliable && r.reasons == 0 && r.converged && !r.blocked);
        assert_true(isinf(r.clearance) && r.clearance_node == SIZE_MAX);
        assert_true(isnan(r.over_spread) && isnan(r.spread) && r.farthest == SIZE_MAX);
        rm2_curve_free(c);
        rm2_space_free(space);
    }
}

/* Stops of a path; and none where the straight line is not wanted. */
static void straight_lines_go_through_the_stops(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space = make_space(&s, 0, NULL);
    rm2_report_settings with = rm2_report_settings_default();
    rm2_curve *c;
    double length;
    with.stops = 3;
    with.points = latents;
    ok(rm2_space_through(ctx, space, 3, latents, &c));
    ok(rm2_space_straight_length(ctx, space, 3, latents, &length));
    assert_true(report_of(space, c, &with, NULL).straight == length);
    with.straight = false;
    assert_true(isnan(report_of(space, c, &with, NULL).straight));
    rm2_curve_free(c);
    rm2_space_free(space);
}

/* Every fourth node of a curve is used. Brute force: 50 points on each side between them; the proof may be below by 1e-4
 * of the extent of the positions, which is below 4. */
static void clearance_is_that_of_brute_force(void **state) {
    enum { NODES = 41, STRIDE = 4, USED = 11, FINE = 50 };
    (void)state;
    rm2_space_settings s = quick_settings();
    s.nodes = NODES;
    s.obstacles = &one;
    rm2_space *space = make_space(&s, 0, NULL);
    rm2_curve *c = geodesic(space);
    rm2_report_settings with = rm2_report_settings_default();
    double least = INFINITY, at[USED], point[D], x[Q];
    size_t nearest = 0;
    for (size_t i = 0; i < (USED - 1) * FINE + 1; i++) {
        size_t side = i / FINE < USED - 1 ? i / FINE : USED - 2;
        const double *a = c->x + side * STRIDE * Q, *b = a + STRIDE * Q;
        for (size_t q = 0; q < Q; q++)
            x[q] = a[q] + (double)(i - side * FINE) / FINE * (b[q] - a[q]);
        ok(rm2_space_decode(ctx, space, 1, x, point, NULL));
        least = fmin(least, rm2_region_distance(&ball, point, NULL));
        if (i % FINE == 0)
            at[i / FINE] = rm2_region_distance(&ball, point, NULL);
    }
    for (size_t k = 0; k < USED; k++)
        nearest = at[k] < at[nearest] ? k : nearest;
    with.nodes = USED;
    rm2_path_report r = report_of(space, c, &with, NULL);
    assert_true(r.nodes == USED && r.clearance_node == nearest);
    assert_true(r.clearance <= least + 1e-12 && r.clearance >= least - 4e-4);
    assert_true(r.blocked == (r.clearance < 0));
    assert_true(report_of(space, c, NULL, NULL).clearance == c->clearance);
    rm2_curve_free(c);
    rm2_space_free(space);
}

static void distances_are_those_of_the_vicinity(void **state) {
    enum { NODES = 13, STRIDE = 3 };
    (void)state;
    rm2_space_settings s = quick_settings();
    s.nodes = NODES;
    rm2_space *space = make_space(&s, 0, NULL);
    rm2_curve *c = geodesic(space);
    rm2_report_settings with = rm2_report_settings_default();
    rm2_vicinity *v = demonstrations();
    double points[NODES * D], over[NODES], each[NODES];
    size_t farthest = 0;
    with.vicinity = v;
    with.nodes = (NODES - 1) / STRIDE + 1;
    rm2_path_report r = report_of(space, c, &with, over);
    ok(rm2_space_decode(ctx, space, NODES, c->x, points, NULL));
    ok(rm2_vicinity_distances(ctx, v, NODES, points, each, NULL));
    for (size_t i = 0; i < NODES; i++)
        farthest = each[i] > each[farthest] ? i : farthest;
    assert_memory_equal(over, each, sizeof over);
    assert_true(r.over_spread == each[farthest] && r.farthest == farthest / STRIDE);
    assert_true(r.spread == rm2_vicinity_info_of(v)->spread &&
                r.spread_limit == RM2_VICINITY_LIMIT);
    with.spread_limit = r.over_spread * (1 - 1e-15) / 2;
    r = report_of(space, c, &with, NULL);
    assert_true(r.reasons == RM2_PATH_OUTSIDE && !r.reliable);
    with.spread_limit = r.over_spread;
    assert_true(report_of(space, c, &with, NULL).reliable);
    rm2_vicinity_free(v);
    rm2_curve_free(c);
    rm2_space_free(space);
}

/* Least distance of y from the line between two points, densely sampled. */
static double from_line(const double *a, const double *b, const double *y) {
    enum { FINE = 400 };
    double least = INFINITY, distance, p[D], whole[D];
    const rm2_manifold *m = toy->manifold;
    ok(rm2_manifold_log(ctx, m, 1, a, 1, b, whole));
    for (size_t i = 0; i <= FINE; i++) {
        double v[D];
        for (size_t k = 0; k < D; k++)
            v[k] = whole[k] * (double)i / FINE;
        ok(rm2_manifold_exp(ctx, m, 1, a, 1, v, p));
        ok(rm2_manifold_distance(ctx, m, 1, p, 1, y, &distance));
        least = fmin(least, distance);
    }
    return least;
}

/* A path that jumps from the first point to the last leaves everything between them out. At most a tenth of the length of a
 * demonstration is beyond the distance that is found. Distances are measured in tangent spaces: to a line of this length
 * the second order is a tenth. */
static void parts_left_out_are_found(void **state) {
    enum { T = N / 2 };
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space = make_space(&s, 0, NULL);
    rm2_curve *c = geodesic(space), jump = *c;
    rm2_report_settings with = rm2_report_settings_default();
    rm2_vicinity *v = demonstrations();
    with.vicinity = v;
    with.spread_limit = with.omission_limit = 1e6;
    rm2_path_report followed = report_of(space, c, &with, NULL);
    assert_true(followed.reliable && followed.omission < 1);
    jump.x = numbers(c->nodes * Q);
    for (size_t i = 0; i < c->nodes; i++)
        memcpy(jump.x + i * Q, latents + (i + 1 < c->nodes ? 0 : (T - 1) * Q), Q * sizeof *jump.x);
    rm2_path_report r = report_of(space, &jump, &with, NULL);
    assert_true(r.reliable && r.omission_limit == 1e6 && r.omitted_demonstration < 2);
    assert_string_equal(r.omitted_id, toy->ids[r.omitted_demonstration]);
    double decoded[2 * D], ends[2 * D], distance[T], step[T - 1], lengths = 0, beyond = 0,
                                                                  farthest = 0;
    ok(rm2_space_decode(ctx, space, 2, jump.x + (c->nodes - 2) * Q, decoded, NULL));
    ok(rm2_model_view_rows(ctx, model, RM2_VIEW_MANIFOLD, 2, decoded, ends));
    const double *y = toy->points + r.omitted_demonstration * T * D;
    for (size_t i = 0; i < T; i++) {
        distance[i] = from_line(ends, ends + D, y + i * D);
        farthest = fmax(farthest, distance[i]);
    }
    near(distance[r.omitted_point], farthest, 0.15 * farthest);
    for (size_t i = 0; i + 1 < T; i++) {
        ok(rm2_manifold_distance(ctx, toy->manifold, 1, y + i * D, 1, y + (i + 1) * D, &step[i]));
        lengths += step[i];
    }
    for (size_t i = 0; i < T; i++)
        if (distance[i] > 1.15 * r.omission * r.spread)
            beyond += ((i ? step[i - 1] : 0) + (i + 1 < T ? step[i] : 0)) / 2;
    assert_true(beyond <= 0.1 * lengths && r.omission * r.spread <= 1.15 * farthest);
    assert_true(r.omission > 4 * followed.omission);
    with.omission_limit = r.omission / 2;
    r = report_of(space, &jump, &with, NULL);
    char text[RM2_REASON_SIZE];
    assert_true(r.reasons == RM2_PATH_INCOMPLETE && !r.reliable);
    rm2_path_reason_text(&r, RM2_PATH_INCOMPLETE, text, sizeof text);
    assert_non_null(
        strstr(text, "leaves out a part of the demonstrated motion between its ends: point "));
    assert_string_equal(rm2_path_reason_name(RM2_PATH_INCOMPLETE), "incomplete");
    free(jump.x);
    rm2_vicinity_free(v);
    rm2_curve_free(c);
    rm2_space_free(space);
}

/* The one reason that a path in a space with these settings has, and a part of its sentence. */
static void assert_reason(const rm2_space_settings *s, const rm2_report_settings *with,
                          rm2_path_reason reason, const char *part) {
    rm2_space *space = make_space(s, 0, NULL);
    rm2_curve *c = geodesic(space);
    rm2_path_report r = report_of(space, c, with, NULL);
    char text[RM2_REASON_SIZE];
    assert_int_equal(r.reasons, reason);
    assert_int_equal(rm2_path_next_reason(r.reasons, 0), reason);
    assert_int_equal(rm2_path_next_reason(r.reasons, reason), 0);
    assert_false(r.reliable);
    rm2_path_reason_text(&r, reason, text, sizeof text);
    if (!strstr(text, part))
        fail_msg("\"%s\" does not have \"%s\"", text, part);
    char first[8]; /* cut, not overrun */
    rm2_path_reason_text(&r, reason, first, sizeof first);
    assert_int_equal(strlen(first), sizeof first - 1);
    assert_memory_equal(first, text, sizeof first - 1);
    rm2_curve_free(c);
    rm2_space_free(space);
}

static void every_reason(void **state) {
    (void)state;
    rm2_vicinity *v = demonstrations();
    rm2_space_settings s = quick_settings(), bad;
    rm2_report_settings with = rm2_report_settings_default();
    with.vicinity = v;
    with.spread_limit = 1e-6;
    assert_reason(&s, &with, RM2_PATH_OUTSIDE,
                  "spreads from the nearest training data (limit 1e-06): the result leaves");
    with.vicinity = NULL;
    bad = s;
    bad.max_iterations = 0;
    bad.tolerance = 1e-12;
    assert_reason(&bad, &with, RM2_PATH_NOT_CONVERGED, "the geodesic did not converge (");
    bad = s;
    bad.obstacles = &walled;
    bad.clearance = 0.25;
    assert_reason(&bad, &with, RM2_PATH_BLOCKED, "wanted 0.25. Lower settings.clearance");
    bad = s;
    bad.nodes = 40 * 5 + 1;
    bad.obstacles = &one;
    bad.tolerance = 1e-2;
    with.nodes = 2;
    assert_reason(&bad, &with, RM2_PATH_TOO_FEW_NODES, "between 2 points keep a clearance of -");
    rm2_vicinity_free(v);
}

/* Every k-th of the nodes is one of those asked for, and no smaller number of at least 200 is. */
static void nodes_to_measure(void **state) {
    (void)state;
    for (size_t n = 2; n < 1000; n++) {
        size_t many = rm2_path_measured_nodes(n);
        assert_true((many - 1) % (n - 1) == 0);
        assert_true(many >= 200 && (many == n || many - (n - 1) < 200));
    }
    assert_int_equal(rm2_path_measured_nodes(0), 0);
    assert_int_equal(rm2_path_measured_nodes(1), 1);
}

static void refused(const char *part, rm2_status status) {
    assert_int_equal(status, RM2_ERR_ARGUMENT);
    if (!strstr(rm2_context_error(ctx), part))
        fail_msg("\"%s\" does not have \"%s\"", rm2_context_error(ctx), part);
}

static void mistakes(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space = make_space(&s, 0, NULL);
    rm2_curve *c = geodesic(space), wide = *c, hole = *c;
    rm2_report_settings with = rm2_report_settings_default();
    rm2_path_report r = {.size = sizeof r};
    with.nodes = 5; /* of 12 */
    refused("settings.nodes is 5", rm2_path_measure(ctx, space, c, &with, NULL, &r));
    with.nodes = 1;
    refused("settings.nodes is 1", rm2_path_measure(ctx, space, c, &with, NULL, &r));
    with = rm2_report_settings_default();
    with.spread_limit = 0;
    refused("settings.spread_limit is 0", rm2_path_measure(ctx, space, c, &with, NULL, &r));
    with = rm2_report_settings_default();
    with.points = latents;
    refused("settings.stops is 0", rm2_path_measure(ctx, space, c, &with, NULL, &r));
    wide.Q = 3;
    refused("3 dimensions, the space 2", rm2_path_measure(ctx, space, &wide, NULL, NULL, &r));
    hole.x = numbers(c->nodes * Q);
    memcpy(hole.x, c->x, c->nodes * Q * sizeof *c->x);
    hole.x[3] = NAN;
    assert_int_equal(rm2_path_measure(ctx, space, &hole, NULL, NULL, &r), RM2_ERR_DATA);
    free(hole.x);
    rm2_fit_settings quick = robust_settings(1);
    rm2_model *other = fit_model(toy, &quick);
    rm2_vicinity *v;
    ok(rm2_vicinity_create(ctx, other, &v));
    with = rm2_report_settings_default();
    with.vicinity = v;
    refused("another model", rm2_path_measure(ctx, space, c, &with, NULL, &r));
    rm2_vicinity_free(v);
    rm2_model_free(other);
    rm2_curve_free(c);
    rm2_space_free(space);
}

/* A program that was compiled with a shorter struct. */
static void shorter_reports(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space = make_space(&s, 0, NULL);
    rm2_curve *c = geodesic(space);
    rm2_path_report full = report_of(space, c, NULL, NULL), r;
    memset(&r, 0x55, sizeof r);
    r.size = offsetof(rm2_path_report, energy);
    rm2_path_report before = r;
    ok(rm2_path_measure(ctx, space, c, NULL, NULL, &r));
    assert_true(r.length == full.length && r.size == before.size);
    assert_memory_equal(&r.energy, &before.energy, sizeof r - offsetof(rm2_path_report, energy));
    r.size = sizeof r + 8;
    refused("size of a struct", rm2_path_measure(ctx, space, c, NULL, NULL, &r));
    rm2_curve_free(c);
    rm2_space_free(space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_those_of_quadrature),
        cmocka_unit_test(straight_lines_go_through_the_stops),
        cmocka_unit_test(clearance_is_that_of_brute_force),
        cmocka_unit_test(distances_are_those_of_the_vicinity),
        cmocka_unit_test(parts_left_out_are_found),
        cmocka_unit_test(every_reason),
        cmocka_unit_test(nodes_to_measure),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(shorter_reports),
    };
    return cmocka_run_group_tests(tests, space_set_up, space_tear_down);
}
