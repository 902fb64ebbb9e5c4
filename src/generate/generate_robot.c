/* A hand reaches for a bottle, grasps it, lifts it and carries it aside: poses on R3 x S3.
 *
 *   t in [0, 1]   time of the demonstration        b_j, e_j   begin and end of movement j
 *   m(s) = 10 s^3 - 15 s^4 + 6 s^5                 minimum-jerk profile, clamped to s in [0, 1]
 *   m_j = m((t - b_j) / (e_j - b_j))
 *   p(t) = p_0 + sum_j (m_j D_j + sin(pi m_j) B_j)            position in metres
 *   q(t) = exp(m_k w_k / 2) ... exp(m_1 w_1 / 2) q_0          orientation, w in the fixed frame
 *
 * Human reaching is well described by minimum-jerk movements that overlap: the next one begins
 * before the last one ends, so the hand does not stop at the via points. D_j leads from one via
 * point to the next, B_j bows the path. Every factor of q is a smooth curve of unit quaternions,
 * so the sign of q never jumps, and demonstrations share it because q_0 does nearly.
 *
 * Between demonstrations the start, the object and the goal move by some centimetres, the
 * orientations by some degrees, the movements in time. Sampling is at 20 Hz. */
#include <math.h>
#include <string.h>

#include "data/data.h"
#include "front/base.h"
#include "generate/generate.h"

enum { MOVES = 4 }; /* reach, approach, lift, carry */

static const double rate = 20; /* Hz */

static const double start_position[3] = {0.32, -0.28, 0.42};
static const double via[MOVES][3] = {
    {0.50, 0.04, 0.20}, {0.60, 0.10, 0.16}, {0.57, 0.13, 0.38}, {0.42, 0.36, 0.44}};
static const double start_quaternion[4] = {0, 1, 0, 0}; /* gripper points down */
static const double rotation[MOVES][3] = {
    {0.15, -1.15, 0.35}, {0.05, -0.40, 0.20}, {0.00, -0.10, 0.10}, {0.25, 0.10, 0.85}};
static const double begin[MOVES] = {0.00, 0.26, 0.53, 0.68};
static const double end[MOVES] = {0.40, 0.58, 0.86, 1.00};

/* Standard deviations: start, pre-grasp, grasp, lift, carry in metres; turns in radians. */
static const double start_spread = 0.025, object_spread = 0.025, via_spread = 0.010;
static const double goal_spread = 0.020, bow_spread = 0.012;
static const double turn_spread = 0.06, time_spread = 0.008;

typedef struct motion {
    double position[3], quaternion[4]; /* at the start */
    double step[MOVES][3], bow[MOVES][3], turn[MOVES][3];
    double begin[MOVES], end[MOVES];
} motion;

/* ---- quaternions ---------------------------------------------------------------------------- */

/* q <- exp(scale w / 2) q */
static void rotate(const double w[3], double scale, double q[4]) {
    double angle = scale * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    double c = cos(angle / 2), s = angle > 0 ? sin(angle / 2) / angle * scale : 0;
    double x = s * w[0], y = s * w[1], z = s * w[2];
    double r[4] = {
        c * q[0] - x * q[1] - y * q[2] - z * q[3], c * q[1] + x * q[0] + y * q[3] - z * q[2],
        c * q[2] - x * q[3] + y * q[0] + z * q[1], c * q[3] + x * q[2] - y * q[1] + z * q[0]};
    memcpy(q, r, sizeof r);
}

static void normalise(double q[4]) {
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] /= norm;
}

/* ---- drawing the parameters ----------------------------------------------------------------- */

static void normals(rm2_rng *rng, double spread, double v[3]) {
    for (int i = 0; i < 3; i++)
        v[i] = spread * rm2_rng_normal(rng);
}

/* Via points of this demonstration: the object's place moves them all but the last. */
static void draw_via(rm2_rng *rng, double point[MOVES][3]) {
    double object[3];
    normals(rng, object_spread, object);
    object[2] = 0; /* it stands on the table */
    for (int j = 0; j < MOVES; j++) {
        bool last = j == MOVES - 1;
        double own[3];
        normals(rng, last ? goal_spread : via_spread, own);
        for (int i = 0; i < 3; i++)
            point[j][i] = via[j][i] + own[i] + (last ? 0 : object[i]);
    }
}

static void draw_places(rm2_rng *rng, motion *m) {
    double point[MOVES][3];
    normals(rng, start_spread, m->position);
    for (int i = 0; i < 3; i++)
        m->position[i] += start_position[i];
    draw_via(rng, point);
    for (int j = 0; j < MOVES; j++) {
        const double *from = j ? point[j - 1] : m->position;
        for (int i = 0; i < 3; i++)
            m->step[j][i] = point[j][i] - from[i];
        normals(rng, bow_spread, m->bow[j]);
    }
}

static void draw_turns(rm2_rng *rng, motion *m) {
    double w[3];
    normals(rng, turn_spread, w);
    memcpy(m->quaternion, start_quaternion, sizeof start_quaternion);
    rotate(w, 1, m->quaternion);
    for (int j = 0; j < MOVES; j++) {
        normals(rng, turn_spread, m->turn[j]);
        for (int i = 0; i < 3; i++)
            m->turn[j][i] += rotation[j][i];
    }
}

/* The first movement begins at 0 and the last one ends at 1, whatever the rest does. */
static void draw_times(rm2_rng *rng, motion *m) {
    for (int j = 0; j < MOVES; j++) {
        double b = time_spread * rm2_rng_normal(rng), e = time_spread * rm2_rng_normal(rng);
        m->begin[j] = begin[j] + (j > 0 ? b : 0);
        m->end[j] = end[j] + (j < MOVES - 1 ? e : 0);
    }
}

/* ---- the motion ----------------------------------------------------------------------------- */

static double minimum_jerk(double s) {
    s = fmin(fmax(s, 0), 1);
    return s * s * s * (10 - 15 * s + 6 * s * s);
}

static void pose_at(const motion *m, double t, double p[7]) {
    memcpy(p, m->position, sizeof m->position);
    memcpy(p + 3, m->quaternion, sizeof m->quaternion);
    for (int j = 0; j < MOVES; j++) {
        double done = minimum_jerk((t - m->begin[j]) / (m->end[j] - m->begin[j]));
        for (int i = 0; i < 3; i++)
            p[i] += done * m->step[j][i] + sin(RM2_PI * done) * m->bow[j][i];
        rotate(m->turn[j], done, p + 3);
    }
    normalise(p + 3);
}

static void draw_demo(rm2_rng *rng, size_t n, double seconds, double *points, double *time) {
    motion m;
    draw_places(rng, &m);
    draw_turns(rng, &m);
    draw_times(rng, &m);
    for (size_t i = 0; i < n; i++) {
        double t = (double)i / (double)(n - 1);
        pose_at(&m, t, points + 7 * i);
        time[i] = t * seconds;
    }
}

rm2_status rm2i_fill_robot(rm2_context *ctx, rm2_rng *rng, const size_t *natural,
                           rm2i_draft *data) {
    rm2_status status = rm2i_draft_set_time(ctx, data);
    for (size_t d = 0; status == RM2_OK && d < data->trajectories; d++) {
        size_t first = data->starts[d];
        double seconds = (double)(natural[d] - 1) / rate;
        draw_demo(rng, data->starts[d + 1] - first, seconds, data->points + 7 * first,
                  data->time + first);
    }
    return status;
}
