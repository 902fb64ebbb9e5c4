/* Velocities of a motion of which configurations and times are known. With slopes d_i = (q_i+1 - q_i)/h_i,
 *
 *   v_i = 3 (h_i-1 + h_i) / ((2 h_i + h_i-1)/d_i-1 + (h_i + 2 h_i-1)/d_i),  0 where both have not the same sign,
 *
 * a weighted harmonic mean, makes the cubic spline monotone wherever the data are (Fritsch and Butland, "A method for
 * constructing local monotone piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 5, 1984). At both ends v = 0.
 * Between two configurations, u in [0, 1],
 *
 *   p'(u) = 6 u (1 - u) d + (1 - u) (1 - 3 u) v_0 + u (3 u - 2) v_1,
 *
 * which is extreme at u = (3 d - 2 v_0 - v_1) / (6 d - 3 v_0 - 3 v_1). */
#include <math.h>

#include "base/base.h"
#include "robot/robot.h"

static double harmonic(double before, double after, double d0, double d1) {
    if (!(d0 * d1 > 0))
        return 0;
    return 3 * (before + after) / ((2 * after + before) / d0 + (after + 2 * before) / d1);
}

/* Largest |p'| between two configurations. */
static double peak(double d, double v0, double v1) {
    double most = fmax(fabs(v0), fabs(v1)), below = 6 * d - 3 * v0 - 3 * v1;
    double u = below != 0 ? (3 * d - 2 * v0 - v1) / below : -1;
    if (u > 0 && u < 1)
        most = fmax(most,
                    fabs(6 * u * (1 - u) * d + (1 - u) * (1 - 3 * u) * v0 + u * (3 * u - 2) * v1));
    return most;
}

static rm2_status check_times(rm2_context *ctx, size_t n, const double *time) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(time[i]) || (i > 0 && !(time[i] > time[i - 1])))
            return rm2i_fail(
                ctx, RM2_ERR_DATA,
                "configuration %zu: time %g is not finite or does not come after the one before", i,
                time[i]);
    return RM2_OK;
}

rm2_status rm2_arm_velocities(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q,
                              const double *time, double *velocities, double *stretch) {
    RM2_REQUIRE(ctx, arm);
    if (n > 0)
        RM2_REQUIRE(ctx, q, time, velocities);
    RM2_TRY(rm2i_check_angles(ctx, arm, n, q));
    RM2_TRY(check_times(ctx, n, time));
    size_t joints = arm->joints;
    double most = 0;
    for (size_t k = 0; k < joints; k++) {
        const double *x = q + k;
        double *v = velocities + k, before = 0; /* slope before i */
        for (size_t i = 0; i < n; i++) {
            double h = i + 1 < n ? time[i + 1] - time[i] : 0;
            double slope = h > 0 ? (x[(i + 1) * joints] - x[i * joints]) / h : 0;
            v[i * joints] = i > 0 && h > 0 ? harmonic(time[i] - time[i - 1], h, before, slope) : 0;
            if (i > 0)
                most = fmax(most, peak(before, v[(i - 1) * joints], v[i * joints]) /
                                      rm2_arm_joint(arm, k)->speed);
            before = slope;
        }
    }
    if (stretch)
        *stretch = most;
    return RM2_OK;
}
