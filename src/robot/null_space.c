/* The second aim: motions of the joints that do not move the tip bring the manipulability ellipsoid
 * to the desired one and the joints to the middle of their ranges,
 *   h(q) = |s|^2 / 2,   s = (c, -sqrt(w) t, sqrt(v) u),
 *   c    coordinates of Log_M(M_d) in an orthonormal frame at M, so that |c| is the distance from M
 *        to M_d in the affine-invariant metric of SPD (Jaquier, Rozo, Caldwell and Calinon,
 *        "Geometry-aware manipulability learning, tracking, and transfer", IJRR 40, 2021)
 *   t_k  = (q_k - middle_k) / half range_k, for joints with two limits (Liegeois, "Automatic
 *        supervisory control of the configuration and behavior of multibody mechanisms", 1977)
 *   u_b  = 1 - (distance_b - clearance)/band, for bodies b nearer than clearance + band to something
 * With S = -ds/dq (the manipulability Jacobian in those coordinates, sqrt(w) / half range, the gradient of distances) and
 * N = I - A^+ A, the projector on the null space of the main task,
 *   dq = N S^T (S N S^T + lambda I)^-1 s
 * is a Levenberg-Marquardt step of h among the motions that leave the tip where it is. Each step is
 * followed by a return to the target, and kept only if h fell: priority is strict. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "robot/robot.h"

static const double STEP_MAX = 0.5;            /* radians, of a joint in one step */
static const double STEP_MIN = 1e-10;          /* below, h is at its minimum */
static const double ENOUGH = 1e-9;             /* relative decrease of h at which to stop */
static const double PROJECTOR_DAMPING = 1e-12; /* relative to the trace of A A^T */
static const double BAND = 0.04;               /* relative to the reach */
static const double CROWDED = 100;             /* v: more than all limits together */
static const double MU_START = 1e-2, MU_MIN = 1e-8, MU_MAX = 1e8;

static bool is_limited(const rm2_link *l) {
    return isfinite(l->lower) && isfinite(l->upper);
}

bool rm2i_has_second_aim(const rm2i_solver *s) {
    bool limited = false;
    for (size_t k = 0; k < s->joints; k++)
        limited = limited || is_limited(rm2_arm_joint(s->arm, k));
    return s->task.ellipsoid || s->settings.scene || (limited && s->settings.limit_weight > 0);
}

/* Rows of the joints' ranges behind `rows` others; returns the number of rows then. */
static size_t add_limits(rm2i_solver *s, const double *q, size_t rows, bool matrix) {
    double root = sqrt(s->settings.limit_weight);
    for (size_t k = 0; root > 0 && k < s->joints; k++) {
        const rm2_link *l = rm2_arm_joint(s->arm, k);
        if (!is_limited(l))
            continue;
        double half = (l->upper - l->lower) / 2, middle = l->lower + half;
        s->s[rows] = -root * (q[k] - middle) / half;
        if (matrix) {
            memset(s->S + rows * s->joints, 0, s->joints * sizeof *s->S);
            s->S[rows * s->joints + k] = root / half;
        }
        rows++;
    }
    return rows;
}

/* What body b is too near to; u_b, 0: nothing. */
static double crowded(const rm2i_solver *s, size_t body, rm2i_touch *touch, int *kind) {
    double band = BAND * s->arm->reach, most = 0;
    for (int k = 0; k < RM2I_SCENE_KINDS; k++) {
        rm2i_touch found;
        double need = s->scene.need[k];
        if (!rm2i_scene_nearest(&s->scene, body, k, need + (1 - most) * band, &found))
            continue;
        most = 1 - (found.distance - need) / band;
        *touch = found;
        *kind = k;
    }
    return most;
}

/* Rows of bodies behind `rows` others. */
static size_t add_bodies(rm2i_solver *s, const double *q, size_t rows, bool matrix) {
    double root = sqrt(CROWDED), band = BAND * s->arm->reach;
    size_t most = rows + RM2I_BODY_ROWS;
    if (!s->settings.scene)
        return rows;
    rm2i_scene_move(&s->scene, q);
    for (size_t b = 0; b < s->arm->bodies && rows < most; b++) {
        rm2i_touch touch = {.distance = INFINITY};
        int kind = RM2I_REGIONS;
        double u = crowded(s, b, &touch, &kind);
        if (!(u > 0))
            continue;
        s->s[rows] = root * u;
        double *row = s->S + rows * s->joints;
        if (matrix)
            rm2i_scene_gradient(&s->scene, kind, &touch, &s->posture, row);
        for (size_t k = 0; matrix && k < s->joints; k++)
            row[k] *= root / band;
        rows++;
    }
    return rows;
}

double rm2i_crowding(rm2i_solver *s, const double *q) {
    size_t rows = add_bodies(s, q, 0, false);
    return rm2i_dot(rows, s->s, s->s);
}

double rm2i_excess(rm2i_solver *s, const double *q) {
    return s->settings.scene ? rm2i_scene_excess(&s->scene, q) : 0;
}

bool rm2i_way_is_clear(rm2i_solver *s, const double *a, const double *b) {
    return !s->settings.scene || rm2i_scene_clear(&s->scene, a, b, s->scene.resolution);
}

/* s (and S) at q, the number of rows, and h. */
static rm2_status second_aim(rm2i_solver *s, const double *target, const double *q, bool matrix,
                             size_t *rows, double *h) {
    *rows = 0;
    rm2i_arm_posture(s->arm, q, &s->posture, NULL);
    if (s->task.ellipsoid) {
        const rm2i_ellipsoid_query query = {&s->task, target, s->joints, s->floor, &s->posture};
        rm2_status status = rm2i_ellipsoid_residual(&query, s->s, matrix ? s->S : NULL, s->work);
        if (status != RM2_OK)
            return rm2i_fail(s->ctx, status, "the manipulability ellipsoid has no logarithm");
        *rows = rm2_spd.dim(s->task.dim);
    }
    *rows = add_limits(s, q, *rows, matrix);
    *rows = add_bodies(s, q, *rows, matrix);
    *h = rm2i_dot(*rows, s->s, s->s) / 2;
    return RM2_OK;
}

/* Rows of S without the joints that are held, and N applied to each: b - A^+ (A b). Returns the mean
 * squared length of the rows. */
static double project(rm2i_solver *s, size_t rows, const bool *held) {
    size_t n = s->joints;
    double image[RM2I_MAIN_ROWS], back[RM2_ARM_MAX_LINKS], trace = 0, squares = 0;
    memcpy(s->free_A, s->A, s->rows * n * sizeof *s->A);
    memcpy(s->free_S, s->S, rows * n * sizeof *s->S);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; held[k] && i < s->rows; i++)
            s->free_A[i * n + k] = 0;
        for (size_t i = 0; held[k] && i < rows; i++)
            s->free_S[i * n + k] = 0;
    }
    trace = rm2i_dot(s->rows * n, s->free_A, s->free_A);
    for (size_t i = 0; i < rows; i++) {
        double *row = s->free_S + i * n;
        for (size_t j = 0; j < s->rows; j++)
            image[j] = rm2i_dot(n, s->free_A + j * n, row);
        rm2i_damped_step(s, s->rows, s->free_A, image, PROJECTOR_DAMPING * trace, back);
        rm2i_axpy(n, -1, back, row);
        squares += rm2i_dot(n, row, row);
    }
    return rows > 0 ? squares / (double)rows : 0;
}

/* The step, with joints held that stand at a bound and would leave it; its largest entry. */
static double null_step(rm2i_solver *s, const rm2i_joint_box *box, const double *q, size_t rows,
                        double mu, double *step) {
    bool held[RM2_ARM_MAX_LINKS] = {false}, again = true;
    double largest = 0;
    for (size_t round = 0; again && round <= s->joints; round++) {
        again = false;
        double scale = project(s, rows, held);
        rm2i_damped_step(s, rows, s->free_S, s->s, mu * scale, step);
        for (size_t k = 0; k < s->joints; k++)
            if (!held[k] &&
                ((step[k] > 0 && q[k] >= box->upper[k]) || (step[k] < 0 && q[k] <= box->lower[k])))
                held[k] = again = true;
    }
    for (size_t k = 0; k < s->joints; k++)
        largest = fmax(largest, fabs(step[k]));
    return largest;
}

/* q moved by the step, at most STEP_MAX, and brought back to the target. */
static double try_step(rm2i_solver *s, const double *target, const rm2i_joint_box *box,
                       const double *q, const double *step, double largest, double *trial) {
    double by = largest > STEP_MAX ? STEP_MAX / largest : 1;
    for (size_t k = 0; k < s->joints; k++)
        trial[k] = fmin(fmax(q[k] + by * step[k], box->lower[k]), box->upper[k]);
    return rm2i_reach(s, target, box, trial);
}

rm2_status rm2i_descend(rm2i_solver *s, const double *target, const rm2i_joint_box *box,
                        size_t iterations, double *q, double *aim) {
    double step[RM2_ARM_MAX_LINKS], trial[RM2_ARM_MAX_LINKS], mu = MU_START, next = INFINITY;
    double near = fmax(rm2i_reach(s, target, box, q), 1e-12 * s->arm->reach);
    size_t rows, ignored;
    RM2_TRY(second_aim(s, target, q, true, &rows, aim));
    for (size_t it = 0; it < iterations && mu < MU_MAX; it++) {
        rm2i_arm_posture(s->arm, q, &s->posture, NULL);
        rm2i_task_matrix(&s->task, s->joints, s->settings.orientation_weight, &s->posture, s->A);
        double largest = null_step(s, box, q, rows, mu, step);
        if (largest < STEP_MIN)
            break;
        bool kept = try_step(s, target, box, q, step, largest, trial) <= 2 * near;
        RM2_TRY(second_aim(s, target, trial, false, &ignored, &next));
        kept = kept && next < *aim;
        mu = kept ? fmax(mu / 5, MU_MIN) : 8 * mu;
        bool enough = kept && *aim - next <= ENOUGH * *aim;
        if (kept)
            memcpy(q, trial, s->joints * sizeof *q);
        RM2_TRY(second_aim(s, target, q, true, &rows, aim));
        if (enough)
            break;
    }
    return RM2_OK;
}
