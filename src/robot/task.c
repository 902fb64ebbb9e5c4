/* Targets of an arm: which manifolds describe them, whether they are sound, how far the arm is.
 *
 *   r = (x_d - x, w e)     e = log(r_d r^-1): rotation vector, in the base's frame, from the
 *                          orientation r to the desired one r_d; w a length
 *   A = (J, w Omega)       Omega_k = z_k
 * d(x_d - x) = -J dq exactly; de = -Omega dq to first order in e, and the derivative of |e|^2/2 is
 * -(Omega dq)^T e at every e, so that -A^T r is the gradient of |r|^2/2. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "math/quaternion.h"
#include "robot/robot.h"

static const double UNIT_TOLERANCE = 1e-6; /* of quaternions, in length */

/* ---- tasks ---------------------------------------------------------------------------------- */

static bool is_orientation(const rm2_factor *f) {
    return f->geometry == &rm2_rotation || (f->geometry == &rm2_sphere && f->n == 3);
}

rm2_status rm2_arm_task_from_manifold(rm2_context *ctx, const rm2_manifold *manifold,
                                      rm2_arm_task *task) {
    RM2_REQUIRE(ctx, manifold, task);
    const rm2_manifold *m = manifold;
    size_t count = rm2_manifold_factor_count(m), k = 0;
    const rm2_factor *f = rm2_manifold_factor(m, k++);
    *task = (rm2_arm_task){.dim = f->n};
    bool sound = f->geometry == &rm2_euclidean && (f->n == 2 || f->n == 3);
    if (k < count && is_orientation(rm2_manifold_factor(m, k))) {
        task->orientation = true;
        sound = sound && task->dim == 3;
        k++;
    }
    if (k < count && (f = rm2_manifold_factor(m, k))->geometry == &rm2_spd && f->n == task->dim) {
        task->ellipsoid = true;
        k++;
    }
    if (sound && k == count)
        return RM2_OK;
    return rm2i_fail(
        ctx, RM2_ERR_UNSUPPORTED,
        "an arm cannot follow points of %s; it follows R2 or R3 (positions), R3 x S3 or "
        "R3 x SO3 (poses), and these with manipulability ellipsoids behind: R2 x SPD2, "
        "R3 x SPD3, R3 x S3 x SPD3",
        rm2_manifold_spec(m));
}

size_t rm2_arm_task_width(const rm2_arm_task *task) {
    if (!task)
        return 0;
    return task->dim + (task->orientation ? 4 : 0) + (task->ellipsoid ? task->dim * task->dim : 0);
}

size_t rm2i_task_rows(const rm2_arm_task *task) {
    return task->dim + (task->orientation ? 3 : 0);
}

/* Revolute axes along z, prismatic ones across it, in one configuration: then in all, as no joint
 * turns z. */
static bool is_planar(const rm2_arm *arm) {
    const double q[RM2_ARM_MAX_LINKS] = {0};
    rm2i_posture p;
    rm2i_arm_posture(arm, q, &p, NULL);
    for (size_t k = 0; k < arm->joints; k++) {
        bool slides = rm2_arm_joint_kind(arm, k) == RM2_JOINT_PRISMATIC;
        double off = slides ? p.column[k][2] : hypot(p.axis[k][0], p.axis[k][1]);
        if (fabs(off) > 1e-12)
            return false;
    }
    return true;
}

rm2_status rm2i_check_task(rm2_context *ctx, const rm2_arm_task *task) {
    if ((task->dim == 2 && !task->orientation) || task->dim == 3)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                     "positions have 2 or 3 coordinates, and 3 next to orientations; got %zu",
                     task->dim);
}

rm2_status rm2i_check_arm(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_task *task) {
    if (!task->ellipsoid || task->dim == 2 || !is_planar(arm))
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                     "%s moves in a plane: its ellipsoids are of SPD2, not SPD3", arm->name);
}

static const double *quaternion_of(const rm2_arm_task *task, const double *target) {
    return target + task->dim;
}

static const double *ellipsoid_of(const rm2_arm_task *task, const double *target) {
    return target + task->dim + (task->orientation ? 4 : 0);
}

rm2_status rm2i_check_targets(rm2_context *ctx, const rm2_arm_task *task, size_t n,
                              const double *targets) {
    size_t width = rm2_arm_task_width(task);
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no targets to reach");
    for (size_t i = 0; i < n; i++) {
        const double *t = targets + i * width;
        double factor[RM2I_ELLIPSOID_SIZE];
        if (isinf(rm2i_max_abs(width, t)))
            return rm2i_fail(ctx, RM2_ERR_DATA, "target %zu has a number that is not finite",
                             i + 1);
        if (rm2i_max_abs(task->dim, t) > RM2I_LARGEST)
            return rm2i_fail(ctx, RM2_ERR_DATA, "target %zu is %g away; choose other units", i + 1,
                             rm2i_max_abs(task->dim, t));
        if (task->orientation && fabs(rm2i_norm(4, quaternion_of(task, t)) - 1) > UNIT_TOLERANCE)
            return rm2i_fail(ctx, RM2_ERR_DATA, "target %zu: quaternion of length %.9g, not 1",
                             i + 1, rm2i_norm(4, quaternion_of(task, t)));
        if (task->ellipsoid && rm2i_cholesky(task->dim, ellipsoid_of(task, t), factor) != RM2_OK)
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "target %zu: the ellipsoid is not positive definite", i + 1);
    }
    return RM2_OK;
}

/* ---- residuals ------------------------------------------------------------------------------ */

/* e with exp(e) r = r_d, |e| <= pi: twice the logarithm of the quaternion r_d r^-1. */
static void rotation_between(const double r[4], const double r_d[4], double e[3]) {
    const double back[4] = {r[0], -r[1], -r[2], -r[3]};
    double d[4];
    rm2i_quaternion_multiply(r_d, back, d);
    double sine = rm2i_norm(3, d + 1), angle = 2 * atan2(sine, fabs(d[0]));
    double scale = sine > 0 ? angle / sine : 2;
    for (int i = 0; i < 3; i++)
        e[i] = (d[0] < 0 ? -scale : scale) * d[i + 1];
}

void rm2i_task_residual(const rm2_arm_task *task, const double *target, double weight,
                        const rm2i_posture *p, double *r) {
    for (size_t i = 0; i < task->dim; i++)
        r[i] = target[i] - p->tip[i];
    if (!task->orientation)
        return;
    rotation_between(p->turn, quaternion_of(task, target), r + task->dim);
    for (size_t i = 0; i < 3; i++)
        r[task->dim + i] *= weight;
}

void rm2i_task_matrix(const rm2_arm_task *task, size_t joints, double weight, const rm2i_posture *p,
                      double *A) {
    for (size_t k = 0; k < joints; k++) {
        for (size_t i = 0; i < task->dim; i++)
            A[i * joints + k] = p->column[k][i];
        for (size_t i = 0; task->orientation && i < 3; i++)
            A[(task->dim + i) * joints + k] = weight * p->axis[k][i];
    }
}

rm2_status rm2i_ellipsoid_residual(const rm2i_ellipsoid_query *query, double *c, double *C,
                                   double *work) {
    enum { FRAME = 4 * RM2I_ELLIPSOID_SIZE };
    double M[RM2I_ELLIPSOID_SIZE], frame[FRAME], column[RM2I_ELLIPSOID_ROWS];
    size_t joints = query->joints, dim = query->task->dim, rows = rm2_spd.dim(dim);
    rm2i_ellipsoid(joints, dim, query->posture, M);
    for (size_t i = 0; i < dim; i++)
        M[i * dim + i] += query->floor;
    RM2_TRY(rm2_spd.frame(dim, M, frame, work));
    RM2_TRY(rm2_spd.log(dim, frame, ellipsoid_of(query->task, query->target), c, work));
    for (size_t j = 0; C && j < joints; j++) {
        rm2i_ellipsoid_derivative(joints, dim, query->posture, j, M);
        rm2_spd.to_coords(dim, frame, M, column, work);
        for (size_t i = 0; i < rows; i++)
            C[i * joints + j] = column[i];
    }
    return RM2_OK;
}
