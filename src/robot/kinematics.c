/* Where an arm is, how fast it can move there, and how that changes.
 *
 *   x, r                 position and orientation of the last frame
 *   z_k, o_k             axis of joint k and a point on it
 *   w_k = z_k, J_k = z_k x (x - o_k)          of a revolute joint: angular velocity and velocity of the tip
 *   w_k = 0,   J_k = z_k                      of a prismatic one
 *   M = J J^T                                 velocity manipulability ellipsoid
 *
 * Joint j carries all that comes after it: for j < k it turns J_k as a whole, dJ_k/dq_j = w_j x J_k;
 * for j >= k it moves only the tip, dJ_k/dq_j = w_k x J_j. In short
 *   dJ_k/dq_j = w_min(j,k) x J_max(j,k)
 *   dM/dq_j = sum_k (dJ_k/dq_j J_k^T + J_k (dJ_k/dq_j)^T)
 * (the manipulability Jacobian of Jaquier, Rozo, Caldwell and Calinon, "Geometry-aware manipulability
 * learning, tracking, and transfer", IJRR 40, 2021, with the derivative of the geometric Jacobian in
 * closed form: Bruyninckx and De Schutter, "Symbolic differentiation of the velocity mapping for a
 * serial kinematic chain", Mech. Mach. Theory 31, 1996).
 *
 * Orientations are products of unit quaternions: no matrix has to be turned into one. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "math/quaternion.h"
#include "robot/robot.h"

/* ---- one configuration ---------------------------------------------------------------------- */

/* Frame i-1 to frame i: x += R shift, r <- r turn, then r <- r exp(axis value) or x += R axis value. */
void rm2i_arm_advance(const rm2i_segment *s, double value, double x[3], double r[4]) {
    double moved[3];
    rm2i_quaternion_rotate(r, s->shift, moved);
    for (int i = 0; i < 3; i++)
        x[i] += moved[i];
    rm2i_quaternion_multiply(r, s->turn, r);
    if (s->kind == RM2_JOINT_PRISMATIC) {
        rm2i_quaternion_rotate(r, s->axis, moved);
        for (int i = 0; i < 3; i++)
            x[i] += value * moved[i];
    } else if (value != 0) {
        double c = cos(value / 2), si = sin(value / 2);
        const double turn[4] = {c, si * s->axis[0], si * s->axis[1], si * s->axis[2]};
        rm2i_quaternion_multiply(r, turn, r);
    }
}

/* axis: z_k and column: o_k become w_k and J_k, x the tip. */
static void finish_joint(const rm2i_segment *s, const double x[3], double axis[3],
                         double column[3]) {
    const double arm_vector[3] = {x[0] - column[0], x[1] - column[1], x[2] - column[2]};
    if (s->kind == RM2_JOINT_PRISMATIC) {
        memcpy(column, axis, sizeof arm_vector);
        memset(axis, 0, sizeof arm_vector);
    } else {
        rm2i_cross(axis, arm_vector, column);
    }
}

void rm2i_arm_posture(const rm2_arm *arm, const double *q, rm2i_posture *p, double *origins) {
    double x[3] = {0, 0, 0}, r[4] = {1, 0, 0, 0};
    size_t k = 0; /* joint */
    if (origins)
        memcpy(origins, x, sizeof x);
    for (size_t i = 0; i < arm->links; i++) {
        bool joint = k < arm->joints && arm->link_of[k] == i;
        const rm2i_segment *s = &arm->segment[i];
        rm2i_arm_advance(s, s->offset + (joint ? q[k] : 0), x, r);
        if (joint) {
            rm2i_quaternion_rotate(r, s->axis, p->axis[k]);
            memcpy(p->column[k++], x, sizeof x);
        }
        if (origins)
            memcpy(origins + 3 * (i + 1), x, sizeof x);
    }
    double norm = rm2i_norm(4, r);
    memcpy(p->tip, x, sizeof x);
    for (int i = 0; i < 4; i++)
        p->turn[i] = r[i] / norm;
    for (k = 0; k < arm->joints; k++)
        finish_joint(&arm->segment[arm->link_of[k]], x, p->axis[k], p->column[k]);
}

void rm2i_ellipsoid(size_t joints, size_t dim, const rm2i_posture *p, double *M) {
    memset(M, 0, dim * dim * sizeof *M);
    for (size_t k = 0; k < joints; k++)
        for (size_t i = 0; i < dim; i++)
            for (size_t j = 0; j < dim; j++)
                M[i * dim + j] += p->column[k][i] * p->column[k][j];
}

void rm2i_ellipsoid_derivative(size_t joints, size_t dim, const rm2i_posture *p, size_t j,
                               double *dM) {
    memset(dM, 0, dim * dim * sizeof *dM);
    for (size_t k = 0; k < joints; k++) {
        double dJ[3]; /* dJ_k / dq_j = w_min x J_max */
        rm2i_cross(p->axis[k < j ? k : j], p->column[k < j ? j : k], dJ);
        for (size_t a = 0; a < dim; a++)
            for (size_t b = 0; b < dim; b++)
                dM[a * dim + b] += dJ[a] * p->column[k][b] + p->column[k][a] * dJ[b];
    }
}

/* ---- many configurations -------------------------------------------------------------------- */

rm2_status rm2i_check_angles(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q) {
    for (size_t i = 0; i < n * arm->joints; i++)
        if (!isfinite(q[i]))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "configuration %zu: the value of joint %zu is not a finite number",
                             i / arm->joints, i % arm->joints + 1);
    return RM2_OK;
}

static bool has_ellipsoid(size_t dim) {
    return dim == 2 || dim == 3;
}

static rm2_status no_ellipsoid(rm2_context *ctx, size_t dim) {
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "ellipsoids have 2 or 3 dimensions, not %zu", dim);
}

rm2_status rm2_arm_pose(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q,
                        double *poses) {
    RM2_REQUIRE(ctx, arm);
    if (n > 0)
        RM2_REQUIRE(ctx, q, poses);
    RM2_TRY(rm2i_check_angles(ctx, arm, n, q));
    for (size_t i = 0; i < n; i++) {
        rm2i_posture p;
        rm2i_arm_posture(arm, q + i * arm->joints, &p, NULL);
        memcpy(poses + 7 * i, p.tip, sizeof p.tip);
        memcpy(poses + 7 * i + 3, p.turn, sizeof p.turn);
    }
    return RM2_OK;
}

rm2_status rm2_arm_skeleton(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q,
                            double *points) {
    RM2_REQUIRE(ctx, arm);
    if (n > 0)
        RM2_REQUIRE(ctx, q, points);
    RM2_TRY(rm2i_check_angles(ctx, arm, n, q));
    for (size_t i = 0; i < n; i++) {
        rm2i_posture p;
        rm2i_arm_posture(arm, q + i * arm->joints, &p, points + i * 3 * (arm->links + 1));
    }
    return RM2_OK;
}

rm2_status rm2_arm_jacobian(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q,
                            double *jacobian) {
    RM2_REQUIRE(ctx, arm);
    if (n > 0)
        RM2_REQUIRE(ctx, q, jacobian);
    RM2_TRY(rm2i_check_angles(ctx, arm, n, q));
    size_t joints = arm->joints;
    for (size_t i = 0; i < n; i++) {
        rm2i_posture p;
        double *J = jacobian + i * 6 * joints;
        rm2i_arm_posture(arm, q + i * joints, &p, NULL);
        for (size_t row = 0; row < 3; row++)
            for (size_t k = 0; k < joints; k++) {
                J[row * joints + k] = p.column[k][row];
                J[(row + 3) * joints + k] = p.axis[k][row];
            }
    }
    return RM2_OK;
}

rm2_status rm2_arm_manipulability(rm2_context *ctx, const rm2_arm *arm, size_t dim, size_t n,
                                  const double *q, double *ellipsoids) {
    RM2_REQUIRE(ctx, arm);
    if (n > 0)
        RM2_REQUIRE(ctx, q, ellipsoids);
    if (!has_ellipsoid(dim))
        return no_ellipsoid(ctx, dim);
    RM2_TRY(rm2i_check_angles(ctx, arm, n, q));
    for (size_t i = 0; i < n; i++) {
        rm2i_posture p;
        rm2i_arm_posture(arm, q + i * arm->joints, &p, NULL);
        rm2i_ellipsoid(arm->joints, dim, &p, ellipsoids + i * dim * dim);
    }
    return RM2_OK;
}

rm2_status rm2_arm_manipulability_derivative(rm2_context *ctx, const rm2_arm *arm, size_t dim,
                                             size_t n, const double *q, double *derivatives) {
    RM2_REQUIRE(ctx, arm);
    if (n > 0)
        RM2_REQUIRE(ctx, q, derivatives);
    if (!has_ellipsoid(dim))
        return no_ellipsoid(ctx, dim);
    RM2_TRY(rm2i_check_angles(ctx, arm, n, q));
    for (size_t i = 0; i < n; i++) {
        rm2i_posture p;
        rm2i_arm_posture(arm, q + i * arm->joints, &p, NULL);
        for (size_t j = 0; j < arm->joints; j++)
            rm2i_ellipsoid_derivative(arm->joints, dim, &p, j,
                                      derivatives + (i * arm->joints + j) * dim * dim);
    }
    return RM2_OK;
}
