/* Two letters at once: a J in the plane and a C on the sphere, R2 x S2.
 *
 * Each demonstration is a pair of strokes (generate_stroke.c), drawn independently of each other as
 * two recordings of a hand would be. The J is standardised over all points of the set. The C (its
 * control points are in radians) lies in the tangent plane at e = (1, 0, 0) and is carried to the
 * sphere by the exponential map,
 *   Exp_e(a, b) = (cos r, (a, b) sin(r) / r),   r = |(a, b)|,
 * about 1.2 rad from e at most: far enough to be curved, well inside the cut locus at pi. */
#include <math.h>

#include "front/base.h"
#include "generate/generate.h"

static const double j_points[][2] = {{0.60, 1.20},   {0.59, 0.92},   {0.57, 0.64},   {0.55, 0.36},
                                     {0.52, 0.08},   {0.46, -0.20},  {0.32, -0.44},  {0.08, -0.58},
                                     {-0.20, -0.60}, {-0.45, -0.47}, {-0.62, -0.25}, {-0.72, 0.02}};
static const rm2i_letter letter_j = {sizeof j_points / sizeof *j_points,
                                     j_points,
                                     {{0.50, 0.24, 0.070},
                                      {0.90, 0.35, 0.065},
                                      {0.35, 0.50, 0.070},
                                      {0.55, 0.62, 0.060},
                                      {0.50, 0.73, 0.060}}};

static const rm2i_hand hand_j = {0.05, 0.035, 0.04, 0.025, 0.018};
static const rm2i_hand hand_c = {0.045, 0.035, 0.04, 0.02, 0.018};

static void exp_at_pole(const double c[2], double p[3]) {
    double r = hypot(c[0], c[1]);
    double k = r > 0 ? sin(r) / r : 1;
    p[0] = cos(r);
    p[1] = k * c[0];
    p[2] = k * c[1];
}

static void draw_demo(rm2_rng *rng, size_t n, double *points) {
    rm2i_stroke plane, sphere;
    rm2i_stroke_draw(&letter_j, &hand_j, rng, &plane);
    rm2i_stroke_draw(&rm2i_letter_c, &hand_c, rng, &sphere);
    for (size_t i = 0; i < n; i++) {
        double t = (double)i / (double)(n - 1), c[2];
        rm2i_stroke_at(&plane, t, points + 5 * i, NULL);
        rm2i_stroke_at(&sphere, t, c, NULL);
        exp_at_pole(c, points + 5 * i + 2);
    }
}

rm2_status rm2i_fill_toy(rm2_context *ctx, rm2_rng *rng, const size_t *natural, rm2i_draft *data) {
    (void)ctx;
    (void)natural;
    for (size_t d = 0; d < data->trajectories; d++) {
        size_t first = data->starts[d];
        draw_demo(rng, data->starts[d + 1] - first, data->points + 5 * first);
    }
    rm2i_standardise_plane(data->count, 5, data->points);
    return RM2_OK;
}
