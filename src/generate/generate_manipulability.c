/* A planar arm of four unit links draws a C while its null space turns the velocity ellipsoid of
 * the tip towards the motion: points on R2 x SPD2.
 *
 *   q in R4                joint angles, each relative to the link before
 *   x(q) = sum_i (cos f_i, sin f_i),  f_i = q_1 + ... + q_i         the tip
 *   r_k                    from joint k to the tip
 *   J                      Jacobian of x; column k is r_k turned by 90 degrees: J_k = (-r_k2, r_k1)
 *   M = J J^T = [a b; b c] velocity ellipsoid: joint speeds |dq| <= 1 give the tip speeds
 *                          { v : v^T M^-1 v <= 1 }
 *   t                      unit tangent of the stroke
 *
 * The arm follows x_d(t) by resolved motion with a second aim in the null space,
 *   dq = J^+ dx_d + gain (I - J^+ J) grad h dt,     J^+ = J^T M^-1,
 *   h(q) = t^T M t / tr M + w log(4 det M / (tr M)^2) - (v / 2) |q - q_0|^2.
 * The first term is the alignment, between 0 and 1; the second keeps the ellipsoid away from a
 * line, where the first alone can lead; the third keeps the posture from wandering. With
 * d J_k / d q_m = -r_max(k, m) the gradient is closed form.
 *
 * Each small step climbs h in the null space and then returns to the stroke by Newton steps
 * dq = J^+ (x_d - x), which is both the resolved motion and the feedback of the tracking error.
 * The start is the posture where climbing at the first point has come to rest.
 *
 * The arm stands inside the C, right of and above its middle, so that its natural ellipsoid, across
 * the line from the first joint to the tip, is near the motion on the left and must be turned at
 * the ends. All demonstrations settle from the same posture q_0, so that they agree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "generate/generate.h"

enum { LINKS = 4, STEPS = 4000, SETTLE = 8000, NEWTON = 4 };

const double rm2i_arm_gain = 60;
static const double barrier = 0.03, posture = 0.02; /* w, v */
static const double rest[LINKS] = {-0.6, 0.9, 0.9, 0.9};
static const double size = 1.8, centre[2] = {-0.3, -0.6}; /* of the C; the first joint is at 0 */
static const rm2i_hand hand = {0.045, 0.035, 0.04, 0.02, 0.018};

/* ---- kinematics ----------------------------------------------------------------------------- */

/* r[k]: from joint k to the tip. r[0] is the tip itself. */
static void arms(const double q[LINKS], double r[LINKS][2]) {
    double angle = 0, x = 0, y = 0, joint[LINKS][2];
    for (int i = 0; i < LINKS; i++) {
        joint[i][0] = x;
        joint[i][1] = y;
        angle += q[i];
        x += cos(angle);
        y += sin(angle);
    }
    for (int i = 0; i < LINKS; i++) {
        r[i][0] = x - joint[i][0];
        r[i][1] = y - joint[i][1];
    }
}

static void ellipsoid(double r[LINKS][2], double m[3]) {
    m[0] = m[1] = m[2] = 0;
    for (int k = 0; k < LINKS; k++) {
        m[0] += r[k][1] * r[k][1];
        m[1] -= r[k][0] * r[k][1];
        m[2] += r[k][0] * r[k][0];
    }
}

void rm2i_arm_tip(const double angles[4], double xy[2]) {
    double r[LINKS][2];
    arms(angles, r);
    xy[0] = r[0][0];
    xy[1] = r[0][1];
}

void rm2i_arm_ellipsoid(const double angles[4], double m[3]) {
    double r[LINKS][2];
    arms(angles, r);
    ellipsoid(r, m);
}

/* out = J^+ e = J^T M^-1 e */
static void pseudo_inverse(double r[LINKS][2], const double e[2], double out[LINKS]) {
    double m[3];
    ellipsoid(r, m);
    double det = m[0] * m[2] - m[1] * m[1];
    double y0 = (m[2] * e[0] - m[1] * e[1]) / det, y1 = (m[0] * e[1] - m[1] * e[0]) / det;
    for (int k = 0; k < LINKS; k++)
        out[k] = -r[k][1] * y0 + r[k][0] * y1;
}

/* ---- the second aim ------------------------------------------------------------------------- */

/* d m / d q_j: sum over k of the products' derivatives, with s = r_max(k, j). */
static void ellipsoid_derivative(double r[LINKS][2], int j, double dm[3]) {
    dm[0] = dm[1] = dm[2] = 0;
    for (int k = 0; k < LINKS; k++) {
        const double *s = r[k > j ? k : j];
        dm[0] += 2 * r[k][1] * s[0];
        dm[1] += r[k][1] * s[1] - r[k][0] * s[0];
        dm[2] -= 2 * r[k][0] * s[1];
    }
}

static void gradient(const double q[LINKS], double r[LINKS][2], const double t[2],
                     double g[LINKS]) {
    double m[3], dm[3];
    ellipsoid(r, m);
    double trace = m[0] + m[2], det = m[0] * m[2] - m[1] * m[1];
    double along = t[0] * t[0] * m[0] + 2 * t[0] * t[1] * m[1] + t[1] * t[1] * m[2];
    for (int j = 0; j < LINKS; j++) {
        ellipsoid_derivative(r, j, dm);
        double dtrace = dm[0] + dm[2];
        double ddet = dm[0] * m[2] + m[0] * dm[2] - 2 * m[1] * dm[1];
        double dalong = t[0] * t[0] * dm[0] + 2 * t[0] * t[1] * dm[1] + t[1] * t[1] * dm[2];
        g[j] = (dalong - along / trace * dtrace) / trace +
               barrier * (ddet / det - 2 * dtrace / trace) - posture * (q[j] - rest[j]);
    }
}

/* ---- following ------------------------------------------------------------------------------ */

/* q += by (I - J^+ J) grad h */
static void climb(double q[LINKS], const double t[2], double by) {
    double r[LINKS][2], g[LINKS], jg[2] = {0, 0}, back[LINKS];
    arms(q, r);
    gradient(q, r, t, g);
    for (int k = 0; k < LINKS; k++) {
        jg[0] -= r[k][1] * g[k];
        jg[1] += r[k][0] * g[k];
    }
    pseudo_inverse(r, jg, back);
    for (int k = 0; k < LINKS; k++)
        q[k] += by * (g[k] - back[k]);
}

static void reach(double q[LINKS], const double x[2]) {
    for (int i = 0; i < NEWTON; i++) {
        double r[LINKS][2], dq[LINKS];
        arms(q, r);
        double e[2] = {x[0] - r[0][0], x[1] - r[0][1]};
        pseudo_inverse(r, e, dq);
        for (int k = 0; k < LINKS; k++)
            q[k] += dq[k];
    }
}

static void step(const rm2i_stroke *stroke, double t, double by, double q[LINKS]) {
    double x[2], tangent[2];
    rm2i_stroke_at(stroke, t, x, tangent);
    if (by > 0)
        climb(q, tangent, by);
    reach(q, x);
}

/* To the first point from the posture at rest, in parts each well within Newton's reach, and up to
 * the best posture there. */
static void settle(const rm2i_stroke *stroke, double by, double q[LINKS]) {
    enum { PARTS = 50 };
    double x[2], tangent[2], from[2];
    rm2i_stroke_at(stroke, 0, x, tangent);
    memcpy(q, rest, sizeof rest);
    rm2i_arm_tip(q, from);
    for (int i = 1; i <= PARTS; i++) {
        double s = (double)i / PARTS;
        double part[2] = {from[0] + s * (x[0] - from[0]), from[1] + s * (x[1] - from[1])};
        reach(q, part);
    }
    for (int i = 0; by > 0 && i < SETTLE; i++) {
        climb(q, tangent, by);
        reach(q, x);
    }
}

void rm2i_arm_follow(const rm2i_stroke *stroke, double gain, size_t n, double *angles) {
    size_t parts = STEPS / (n - 1) + 1; /* small steps between two points */
    double small = 1 / (double)(parts * (n - 1)), q[LINKS];
    settle(stroke, gain / STEPS, q);
    memcpy(angles, q, sizeof q);
    for (size_t i = 1; i < n; i++) {
        for (size_t j = 1; j <= parts; j++)
            step(stroke, (double)((i - 1) * parts + j) * small, gain * small, q);
        memcpy(angles + LINKS * i, q, sizeof q);
    }
}

void rm2i_arm_stroke(rm2_rng *rng, rm2i_stroke *stroke) {
    rm2i_stroke_draw(&rm2i_letter_c, &hand, rng, stroke);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            stroke->map[i][j] *= size;
        stroke->shift[i] = size * stroke->shift[i] + centre[i];
    }
}

/* ---- the data set --------------------------------------------------------------------------- */

static void write_points(size_t n, const double *angles, double *points) {
    for (size_t i = 0; i < n; i++) {
        double *p = points + 6 * i, m[3];
        rm2i_arm_tip(angles + LINKS * i, p);
        rm2i_arm_ellipsoid(angles + LINKS * i, m);
        p[2] = m[0];
        p[3] = p[4] = m[1];
        p[5] = m[2];
    }
}

rm2_status rm2i_fill_manipulability(rm2_context *ctx, rm2_rng *rng, const size_t *natural,
                                    rm2i_draft *data) {
    (void)natural;
    for (size_t d = 0; d < data->trajectories; d++) {
        if (rm2i_interrupted(ctx))
            return rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
        size_t first = data->starts[d], n = data->starts[d + 1] - first;
        double *angles;
        RM2_TRY(rm2i_alloc(ctx, n, LINKS * sizeof *angles, &angles));
        rm2i_stroke stroke;
        rm2i_arm_stroke(rng, &stroke);
        rm2i_arm_follow(&stroke, rm2i_arm_gain, n, angles);
        write_points(n, angles, data->points + 6 * first);
        free(angles);
    }
    rm2i_standardise_plane(data->count, 6, data->points);
    return RM2_OK;
}
