/* Quaternions w x y z and vectors of space. */
#ifndef RM2I_QUATERNION_H
#define RM2I_QUATERNION_H

#include <string.h>

/* out = a b; out may be a or b. */
static inline void rm2i_quaternion_multiply(const double a[4], const double b[4], double out[4]) {
    double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    memcpy(out, (double[]){w, x, y, z}, 4 * sizeof *out);
}

/* out = a x b; out is neither. */
static inline void rm2i_cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = v turned by the unit quaternion q: v + 2 u x (u x v + w v), q = (w, u). out is not v. */
static inline void rm2i_quaternion_rotate(const double q[4], const double v[3], double out[3]) {
    double inner[3], outer[3];
    rm2i_cross(q + 1, v, inner);
    for (int i = 0; i < 3; i++)
        inner[i] += q[0] * v[i];
    rm2i_cross(q + 1, inner, outer);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + 2 * outer[i];
}

#endif
