/* How long paths on a grid are, against exact distances: great circles, geodesics of the half
 * plane, and of a bump, where they follow from Clairaut's relation. With 32 directions and 50 x 50
 * nodes a path is at most 2 % too long; it is too short by no more than interpolation makes the
 * metric too small. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "front/base.h"
#include "roadmap_fixture.h"

#define PI 3.14159265358979323846

/* ---- exact distances; infinite for pairs whose geodesic may leave the grid ------------------- */

static void on_sphere(const double *x, double *p) {
    p[0] = cos(x[0]) * cos(x[1]);
    p[1] = cos(x[0]) * sin(x[1]);
    p[2] = sin(x[0]);
}

static double sphere_distance(const double *a, const double *b, const double *high) {
    double p[3], q[3], difference = 0, sum = 0;
    on_sphere(a, p);
    on_sphere(b, q);
    for (size_t i = 0; i < 3; i++) {
        difference += (p[i] - q[i]) * (p[i] - q[i]);
        sum += (p[i] + q[i]) * (p[i] + q[i]);
    }
    double angle = 2 * atan2(sqrt(difference), sqrt(sum));
    for (int k = 0; k <= 100; k++) {
        double t = k / 100.0;
        double z = (sin((1 - t) * angle) * p[2] + sin(t * angle) * q[2]) / sin(angle);
        if (fabs(z) > sin(high[0]))
            return INFINITY;
    }
    return angle;
}

/* Geodesics are half circles around points of the edge. */
static double plane_distance(const double *a, const double *b, const double *high) {
    double centre = (a[0] * a[0] + a[1] * a[1] - b[0] * b[0] - b[1] * b[1]) / (2 * (a[0] - b[0]));
    double radius = hypot(a[0] - centre, a[1]);
    bool over_top = (centre - a[0]) * (centre - b[0]) < 0;
    if (over_top && radius > high[1])
        return INFINITY;
    return 2 * asinh(sqrt(separation(2, a, b)) / (2 * sqrt(a[1] * b[1])));
}

/* On a surface of revolution a geodesic has r^2 dphi/ds = L. With r^2 = L^2 + u^2 and e the length
 * of a meridian a unit of r, ds = e du and dphi = L e / r^2 du: along u, which runs through 0
 * where the geodesic is nearest to the axis. Simpson's rule on 400 intervals. */
static double clairaut(double L, double from, double to, double *angle) {
    enum { PIECES = 400 };
    double length = 0, h = (to - from) / PIECES;
    *angle = 0;
    for (int k = 0; k <= PIECES; k++) {
        double u = from + k * h, r2 = L * L + u * u, e = sqrt(1 + 4 * r2 * exp(-r2));
        double weight = (k == 0 || k == PIECES ? 1 : k % 2 ? 4 : 2) * h / 3;
        length += weight * e;
        *angle += weight * e * L / r2;
    }
    return length;
}

typedef struct pair {
    double r1, r2; /* r1 <= r2 */
    double side;   /* -1: through the point nearest to the axis; 1: not */
    double angle;  /* to go around it */
} pair;

static double with_momentum(const pair *p, double L, double *excess) {
    double length = clairaut(L, p->side * sqrt(fmax(p->r1 * p->r1 - L * L, 0)),
                             sqrt(fmax(p->r2 * p->r2 - L * L, 0)), excess);
    *excess -= p->angle;
    return length;
}

/* The shortest of all geodesics of this kind: every root in L, found by its change of sign. */
static double shortest_of(const pair *p) {
    enum { STEPS = 200, HALVINGS = 50 };
    double least = INFINITY, low = 0, before = (p->side < 0 ? PI : 0) - p->angle;
    for (int k = 1; k <= STEPS; k++) {
        double high = p->r1 * sin(PI / 2 * k / STEPS) * (1 - 1e-12), excess;
        (void)with_momentum(p, high, &excess);
        if (excess * before <= 0) {
            double a = low, b = high, length = INFINITY, here;
            for (int i = 0; i < HALVINGS; i++) {
                length = with_momentum(p, (a + b) / 2, &here);
                *(here * before > 0 ? &a : &b) = (a + b) / 2;
            }
            least = fmin(least, length);
        }
        low = high;
        before = excess;
    }
    return least;
}

static double bump_distance(const double *a, const double *b, const double *high) {
    double ra = hypot(a[0], a[1]), rb = hypot(b[0], b[1]), least = INFINITY;
    double angle = fabs(remainder(atan2(a[1], a[0]) - atan2(b[1], b[0]), 2 * PI));
    if (fmax(ra, rb) > high[0]) /* geodesics stay inside this circle */
        return INFINITY;
    pair p = {fmin(ra, rb), fmax(ra, rb), 0, 0};
    for (int kind = 0; kind < 4; kind++) {
        p.side = kind % 2 ? 1 : -1;
        p.angle = kind / 2 ? 2 * PI - angle : angle;
        least = fmin(least, shortest_of(&p));
    }
    return least;
}

/* ---- surfaces ------------------------------------------------------------------------------- */

typedef struct surface {
    const char *metric;
    double (*distance)(const double *a, const double *b, const double *high);
    double low[2], high[2];
    int pairs;
    double too_short; /* half the largest error of interpolation, h^2 |G''| / (8 G) */
} surface;

static void compare_lengths(rm2_context *ctx, const surface *s, rm2i_edge_rule rule) {
    rm2_metric *metric = analytic(ctx, s->metric, 2);
    rm2i_grid_settings settings = {.size = sizeof settings, .padding = 0, .rule = rule};
    const double corners[4] = {s->low[0], s->low[1], s->high[0], s->high[1]};
    rm2i_roadmap *net;
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    assert_ok(ctx, rm2i_roadmap_grid(ctx, metric, &settings, 2, corners, &net));
    for (int done = 0; done < s->pairs;) {
        double ends[4];
        for (size_t i = 0; i < 4; i++)
            ends[i] = s->low[i % 2] + (s->high[i % 2] - s->low[i % 2]) * rm2_rng_uniform(&rng);
        double exact = s->distance(ends, ends + 2, s->high);
        rm2i_path path;
        if (isinf(exact))
            continue;
        assert_ok(ctx, rm2i_roadmap_path(ctx, net, metric, ends, ends + 2, &path));
        rm2_free(path.x);
        if (!(path.length < 1.02 * exact && path.length > (1 - s->too_short) * exact))
            fail_msg("%s: %g instead of %g from (%g, %g) to (%g, %g)", s->metric, path.length,
                     exact, ends[0], ends[1], ends[2], ends[3]);
        done++;
    }
    rm2i_roadmap_free(net);
    rm2_metric_free(metric);
}

static void paths_are_nearly_geodesics(void **state) {
    static const surface surfaces[] = {
        {"sphere_latlon", sphere_distance, {-1.2, 0}, {1.2, 2.5}, 1000, 1.7e-3},
        {"half_plane", plane_distance, {-2, 0.3}, {2, 3}, 1000, 1.3e-2},
        {"bump", bump_distance, {-2.5, -2.5}, {2.5, 2.5}, 50, 5.2e-3},
    };
    for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; i++)
        for (rm2i_edge_rule rule = RM2I_EDGE_ENDS; rule <= RM2I_EDGE_MIDPOINT; rule++)
            compare_lengths(*state, &surfaces[i], rule);
}

/* ---- flat space ----------------------------------------------------------------------------- */

/* By how much the stencil of a reach may exceed Euclidean distance: the unit ball of its paths is
 * the convex hull of the steps' directions, and the nearest of its faces says where it is worst.
 * */
static double stencil_bound(const double (*step)[3], size_t count) {
    double nearest = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t k = 0; k < j; k++) {
                const double *a = step[i], *b = step[j], *c = step[k];
                double u[3], v[3], height, most = -1;
                for (size_t q = 0; q < 3; q++) {
                    u[q] = b[q] - a[q];
                    v[q] = c[q] - a[q];
                }
                double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                               u[0] * v[1] - u[1] * v[0]};
                double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
                if (size < 1e-9)
                    continue;
                height = (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / size;
                double sign = height < 0 ? -1 : 1;
                for (size_t m = 0; m < count && most <= fabs(height) + 1e-9; m++)
                    most =
                        fmax(most, sign / size *
                                       (n[0] * step[m][0] + n[1] * step[m][1] + n[2] * step[m][2]));
                if (most <= fabs(height) + 1e-9) /* none beyond: a face */
                    nearest = fmin(nearest, fabs(height));
            }
    return 1 / nearest;
}

static int divisor_of(int a, int b) {
    return b ? divisor_of(b, a % b) : abs(a);
}

static void flat_space_keeps_the_bound(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric = analytic(ctx, "euclidean", 3);
    double step[98][3], worst = 0;
    size_t count = 0;
    for (int i = -2; i <= 2; i++)
        for (int j = -2; j <= 2; j++)
            for (int k = -2; k <= 2; k++)
                if (divisor_of(i, divisor_of(j, k)) == 1) {
                    double size = sqrt((double)(i * i + j * j + k * k));
                    step[count][0] = i / size;
                    step[count][1] = j / size;
                    step[count++][2] = k / size;
                }
    assert_int_equal(count, 98);
    double bound = stencil_bound((const double(*)[3])step, count);
    rm2i_grid_settings settings = {.size = sizeof settings, .points = 17, .padding = 0};
    const double corners[6] = {0, 0, 0, 1, 1, 1};
    rm2i_roadmap *net;
    rm2_rng rng;
    rm2_rng_seed(&rng, 8);
    assert_ok(ctx, rm2i_roadmap_grid(ctx, metric, &settings, 2, corners, &net));
    for (int trial = 0; trial < 300; trial++) {
        const double *a = net->x + rm2_rng_next(&rng) % net->nodes * 3;
        const double *b = net->x + rm2_rng_next(&rng) % net->nodes * 3;
        rm2i_path path;
        double exact = sqrt(separation(3, a, b));
        assert_ok(ctx, rm2i_roadmap_path(ctx, net, metric, a, b, &path));
        assert_true(path.length >= exact * (1 - ROUNDING) &&
                    path.length <= exact * bound * (1 + ROUNDING));
        worst = exact > 0 ? fmax(worst, path.length / exact) : worst;
        rm2_free(path.x);
    }
    assert_true(worst > 1 + 0.8 * (bound - 1)); /* the bound is reached, or nearly */
    rm2i_roadmap_free(net);
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paths_are_nearly_geodesics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(flat_space_keeps_the_bound, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
