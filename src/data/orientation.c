/* Orientations to unit quaternions (w, x, y, z). */
#include <math.h>
#include <string.h>

#include "data/data.h"
#include "math/quaternion.h"

/* Largest entry of |R^T R - I|; 2 if R is a reflection. */
static double orthogonality_defect(const double R[9]) {
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double dot = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
            double off = fabs(dot - (i == j));
            worst = off > worst || isnan(off) ? off : worst;
        }
    double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                 R[2] * (R[3] * R[7] - R[4] * R[6]);
    return det > 0 ? worst : 2;
}

/* Row `largest` of the symmetric matrix 4 q q^T, whose entries are sums of entries of R: dividing
 * by the largest diagonal one loses no digits at any angle. */
double rm2i_matrix_to_quaternion(const double R[9], double q[4]) {
    double w = R[0] + R[4] + R[8], x = R[0] - R[4] - R[8], y = R[4] - R[0] - R[8],
           z = R[8] - R[0] - R[4];
    if (w >= x && w >= y && w >= z)
        memcpy(q, (double[]){1 + w, R[7] - R[5], R[2] - R[6], R[3] - R[1]}, 4 * sizeof *q);
    else if (x >= y && x >= z)
        memcpy(q, (double[]){R[7] - R[5], 1 + x, R[1] + R[3], R[2] + R[6]}, 4 * sizeof *q);
    else if (y >= z)
        memcpy(q, (double[]){R[2] - R[6], R[1] + R[3], 1 + y, R[5] + R[7]}, 4 * sizeof *q);
    else
        memcpy(q, (double[]){R[3] - R[1], R[2] + R[6], R[5] + R[7], 1 + z}, 4 * sizeof *q);
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] /= length;
    return orthogonality_defect(R);
}

void rm2i_rotvec_to_quaternion(const double v[3], double q[4]) {
    double angle = hypot(hypot(v[0], v[1]), v[2]);
    double s = angle > 0 ? sin(angle / 2) / angle : 0.5;
    q[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
        q[i + 1] = s * v[i];
}

static int axis_of(char letter) {
    const char *axes = "xyzXYZ", *at = letter ? strchr(axes, letter) : NULL;
    return at ? (int)(at - axes) % 3 : -1;
}

static bool turning(const char *order) {
    return order[0] >= 'A' && order[0] <= 'Z';
}

bool rm2i_euler_order_valid(const char *order) {
    if (!order || strlen(order) != 3)
        return false;
    for (int i = 0; i < 3; i++)
        if (axis_of(order[i]) < 0 || turning(order + i) != turning(order))
            return false;
    return axis_of(order[0]) != axis_of(order[1]) && axis_of(order[1]) != axis_of(order[2]);
}

/* Fixed axes: q = q3 q2 q1; axes that turn with the body: q = q1 q2 q3. */
void rm2i_euler_to_quaternion(const double angles[3], const char *order, double q[4]) {
    memcpy(q, (double[]){1, 0, 0, 0}, 4 * sizeof *q);
    for (int i = 0; i < 3; i++) {
        double turn[4] = {cos(angles[i] / 2), 0, 0, 0};
        turn[1 + axis_of(order[i])] = sin(angles[i] / 2);
        if (turning(order))
            rm2i_quaternion_multiply(q, turn, q);
        else
            rm2i_quaternion_multiply(turn, q, q);
    }
}
