/* Check "rotation": SO(3) as unit quaternions wxyz, seen through rotation matrices. */
#include "check.h"

static void rotation_matrix(const double q[4], double R[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1.0 - 2.0 * (y * y + z * z);
    R[1] = 2.0 * (x * y - w * z);
    R[2] = 2.0 * (x * z + w * y);
    R[3] = 2.0 * (x * y + w * z);
    R[4] = 1.0 - 2.0 * (x * x + z * z);
    R[5] = 2.0 * (y * z - w * x);
    R[6] = 2.0 * (x * z - w * y);
    R[7] = 2.0 * (y * z + w * x);
    R[8] = 1.0 - 2.0 * (x * x + y * y);
}

/* Matrix of Exp_q0(omega), omega in the frame at q0. */
static void output_matrix(conf_case *c, const rm2_manifold *m) {
    double q[4], *R = case_output(c, "R1", 9);
    if (!R)
        return;
    const double *q0 = case_input(c, "q0", 4), *omega = case_input(c, "omega", 3);
    if (q0 && omega && case_ok(c, rm2_manifold_exp_coords(c->ctx, m, 1, q0, 1, omega, q)))
        rotation_matrix(q, R);
}

static void output_distance(conf_case *c, const rm2_manifold *m) {
    double *d = case_output(c, "dist", 1);
    if (!d)
        return;
    const double *q0 = case_input(c, "q0", 4), *q1 = case_input(c, "q1", 4);
    if (q0 && q1)
        case_ok(c, rm2_manifold_distance(c->ctx, m, 1, q0, 1, q1, d));
}

static void output_log(conf_case *c, const rm2_manifold *m) {
    double *v = case_output(c, "log", 3);
    if (!v)
        return;
    const double *q0 = case_input(c, "q0", 4), *q1 = case_input(c, "q1", 4);
    if (q0 && q1)
        case_ok(c, rm2_manifold_log_coords(c->ctx, m, 1, q0, 1, q1, v));
}

void check_rotation(conf_case *c) {
    const rm2_manifold *m = case_manifold(c, "SO3");
    if (!m)
        return;
    output_matrix(c, m);
    output_distance(c, m);
    output_log(c, m);
}
