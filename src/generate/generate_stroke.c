/* Strokes of a hand: a letter, deformed and timed a little differently each time it is drawn.
 *
 *   t in [0, 1]   time             u(t) in [0, 1]  place along the letter
 *   c(u)          uniform cubic B-spline through the neighbourhood of the control points; a
 *                 phantom point P(-1) = 2 P(0) - P(1) at each end makes it begin in P(0)
 *   x(t) = M (c(u) + sum_k w_k cos(k pi u)) + shift
 *
 * M turns and stretches, the waves w_k ~ N(0, (bend / k^2)^2) bend the letter smoothly: people do
 * not miss a letter by white noise but by drawing a slightly different smooth curve.
 *
 * Time follows the sigma-lognormal model of handwriting: speed is a sum of lognormal bells, each
 * of which carries a share D_j of the path, hence
 *   u(t) ~ sum_j D_j Phi(log((t - c_j + d) / d) d / s_j),    Phi: normal distribution function
 * with the bell's median at c_j, its width about s_j, and its onset d before the median. It is
 * shifted and scaled so that u(0) = 0 and u(1) = 1. A hundredth of the path goes evenly with time
 * instead, so that no two points are the same. All of it is closed form and smooth. */
#include <math.h>
#include <string.h>

#include "front/base.h"
#include "generate/generate.h"

static const double drift = 0.01; /* share of the path that goes evenly with time */
static const double onset = 0.3;  /* d: much longer than a width, so the bells lean only a little */

/* A C about the origin, 0.9 to each side, begun at its upper end. */
static const double c_points[][2] = {{0.88, 0.68},   {0.64, 0.91},   {0.31, 1.01},  {-0.06, 0.97},
                                     {-0.42, 0.79},  {-0.68, 0.51},  {-0.81, 0.13}, {-0.77, -0.26},
                                     {-0.57, -0.59}, {-0.26, -0.84}, {0.11, -0.92}, {0.48, -0.86},
                                     {0.81, -0.66}};
const rm2i_letter rm2i_letter_c = {sizeof c_points / sizeof *c_points,
                                   c_points,
                                   {{0.60, 0.18, 0.050},
                                    {0.65, 0.31, 0.065},
                                    {0.60, 0.45, 0.070},
                                    {0.65, 0.59, 0.065},
                                    {0.65, 0.74, 0.060}}};

/* ---- drawing the parameters ----------------------------------------------------------------- */

static void draw_map(const rm2i_hand *hand, rm2_rng *rng, rm2i_stroke *stroke) {
    double angle = hand->turn * rm2_rng_normal(rng);
    for (int j = 0; j < 2; j++) {
        double stretch = exp(hand->stretch * rm2_rng_normal(rng));
        stroke->map[j][j] = stretch * cos(angle);
        stroke->map[1 - j][j] = (j == 0 ? stretch : -stretch) * sin(angle);
    }
    for (int j = 0; j < 2; j++)
        stroke->shift[j] = hand->shift * rm2_rng_normal(rng);
}

static void draw_waves(const rm2i_hand *hand, rm2_rng *rng, rm2i_stroke *stroke) {
    for (int k = 0; k < RM2I_WAVES; k++)
        for (int j = 0; j < 2; j++)
            stroke->wave[k][j] = hand->bend / ((k + 1) * (k + 1)) * rm2_rng_normal(rng);
}

static void draw_bells(const rm2i_hand *hand, rm2_rng *rng, rm2i_stroke *stroke) {
    double late = hand->timing * rm2_rng_normal(rng);
    for (int j = 0; j < RM2I_BELLS; j++) {
        const rm2i_bell *meant = &stroke->letter->bells[j];
        rm2i_bell *bell = &stroke->bells[j];
        bell->weight = meant->weight * exp(4 * hand->timing * rm2_rng_normal(rng));
        bell->centre = meant->centre + late + hand->timing * rm2_rng_normal(rng);
        bell->width = meant->width * exp(4 * hand->timing * rm2_rng_normal(rng));
    }
}

void rm2i_stroke_draw(const rm2i_letter *letter, const rm2i_hand *hand, rm2_rng *rng,
                      rm2i_stroke *stroke) {
    memset(stroke, 0, sizeof *stroke);
    stroke->letter = letter;
    draw_map(hand, rng, stroke);
    draw_waves(hand, rng, stroke);
    draw_bells(hand, rng, stroke);
}

/* ---- where the pen is ----------------------------------------------------------------------- */

static double bells_done(const rm2i_stroke *stroke, double t) {
    double sum = 0;
    for (int j = 0; j < RM2I_BELLS; j++) {
        const rm2i_bell *bell = &stroke->bells[j];
        double since = t - bell->centre + onset;
        if (since > 0 && bell->weight > 0)
            sum += bell->weight * erfc(-log(since / onset) * onset / (bell->width * sqrt(2.0)));
    }
    return sum;
}

static double place(const rm2i_stroke *stroke, double t) {
    double first = bells_done(stroke, 0), last = bells_done(stroke, 1);
    return drift * t + (1 - drift) * (bells_done(stroke, t) - first) / (last - first);
}

static double control(const rm2i_letter *letter, ptrdiff_t i, int axis) {
    ptrdiff_t last = (ptrdiff_t)letter->count - 1;
    const double(*p)[2] = letter->points;
    if (i < 0)
        return 2 * p[0][axis] - p[1][axis];
    if (i > last)
        return 2 * p[last][axis] - p[last - 1][axis];
    return p[i][axis];
}

/* The spline and its derivative at u. */
static void spline(const rm2i_letter *letter, double u, double c[2], double dc[2]) {
    double pieces = (double)(letter->count - 1);
    double at = u * pieces;
    double piece = fmin(fmax(floor(at), 0), pieces - 1);
    double s = at - piece, r = 1 - s;
    double w[4] = {r * r * r / 6, (4 - 6 * s * s + 3 * s * s * s) / 6,
                   (4 - 6 * r * r + 3 * r * r * r) / 6, s * s * s / 6};
    double dw[4] = {-r * r / 2, (-4 * s + 3 * s * s) / 2, (4 * r - 3 * r * r) / 2, s * s / 2};
    for (int axis = 0; axis < 2; axis++) {
        c[axis] = dc[axis] = 0;
        for (int k = 0; k < 4; k++) {
            double p = control(letter, (ptrdiff_t)piece + k - 1, axis);
            c[axis] += w[k] * p;
            dc[axis] += pieces * dw[k] * p;
        }
    }
}

static void bend(const rm2i_stroke *stroke, double u, double c[2], double dc[2]) {
    for (int k = 0; k < RM2I_WAVES; k++) {
        double angular = (k + 1) * RM2_PI;
        for (int axis = 0; axis < 2; axis++) {
            c[axis] += stroke->wave[k][axis] * cos(angular * u);
            dc[axis] -= stroke->wave[k][axis] * angular * sin(angular * u);
        }
    }
}

void rm2i_stroke_at(const rm2i_stroke *stroke, double t, double xy[2], double tangent[2]) {
    double u = place(stroke, t), c[2], dc[2];
    spline(stroke->letter, u, c, dc);
    bend(stroke, u, c, dc);
    for (int i = 0; i < 2; i++)
        xy[i] = stroke->map[i][0] * c[0] + stroke->map[i][1] * c[1] + stroke->shift[i];
    if (!tangent)
        return;
    for (int i = 0; i < 2; i++)
        tangent[i] = stroke->map[i][0] * dc[0] + stroke->map[i][1] * dc[1];
    double length = hypot(tangent[0], tangent[1]);
    tangent[0] /= length;
    tangent[1] /= length;
}

/* ---- scale ---------------------------------------------------------------------------------- */

void rm2i_standardise_plane(size_t count, size_t stride, double *points) {
    for (size_t axis = 0; axis < 2; axis++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < count; i++)
            mean += points[i * stride + axis] / (double)count;
        for (size_t i = 0; i < count; i++) {
            double x = points[i * stride + axis] -= mean;
            square += x * x / (double)count;
        }
        for (size_t i = 0; i < count; i++)
            points[i * stride + axis] /= sqrt(square);
    }
}
