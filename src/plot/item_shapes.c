/* Ellipses, frames and arms: checked and turned into what drawing needs when they are added. */
#include <math.h>
#include <string.h>

#include "plot/draw.h"

enum {
    FRAMES_MAX = 2000, /* more would cover each other */
    JOINTS_LEAST = 2
};

static const unsigned PLANE = 1u << RM2_PANEL_PLANE, SPACE = 1u << RM2_PANEL_SPACE;

/* Semi-axes and angle of the ellipse of A = [a b; b d]: the eigenvalues are m +- r with m = (a + d) / 2
 * and r = |((a - d) / 2, b)|, the smaller one as det A / (m + r), which loses no digits; the first
 * eigenvector is at half the angle of ((a - d) / 2, b). False if A is not positive definite. */
static bool ellipse_shape(const double *A, double shape[3]) {
    double b = (A[1] + A[2]) / 2, half = (A[0] - A[3]) / 2;
    double large = (A[0] + A[3]) / 2 + hypot(half, b);
    double small = (A[0] * A[3] - b * b) / large;
    shape[0] = sqrt(large);
    shape[1] = sqrt(small);
    shape[2] = atan2(b, half) / 2;
    bool symmetric = fabs(A[1] - A[2]) <= 1e-6 * large;
    return symmetric && large > 0 && small > 0;
}

static bool all_finite(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

rm2_status rm2_plot_ellipses(rm2_context *ctx, rm2_panel *panel, size_t n, const double *centres,
                             const double *matrices, const rm2_style *style) {
    RM2_TRY(rm2i_expect_panel(ctx, panel, PLANE, "rm2_plot_ellipses"));
    RM2_REQUIRE(ctx, centres);
    RM2_REQUIRE(ctx, matrices);
    double shape[3];
    for (size_t i = 0; i < n; i++) {
        const double *A = matrices + 4 * i;
        if (all_finite(A, 4) && !ellipse_shape(A, shape))
            return rm2_context_fail(
                ctx, RM2_ERR_DOMAIN,
                "rm2_plot_ellipses: matrix %zu, [%g %g; %g %g], is not symmetric and "
                "positive definite: it has no ellipse",
                i, A[0], A[1], A[2], A[3]);
    }
    rm2i_item *item;
    RM2_TRY(rm2i_item_add(ctx, panel, &rm2i_ellipses, n, 3 * n, style, &item));
    memcpy(item->points, centres, 2 * n * sizeof *centres);
    for (size_t i = 0; i < n; i++) {
        (void)ellipse_shape(matrices + 4 * i, item->extra + 3 * i);
        if (!all_finite(item->extra + 3 * i, 3))
            item->points[2 * i] = NAN; /* no ellipse here */
    }
    return RM2_OK;
}

/* ---- frames ----------------------------------------------------------------------------------- */

/* R of the quaternion (w, x, y, z) / |q|; its columns are the axes of the frame. */
static void rotation_matrix(const double *q, double R[9]) {
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double w = q[0] / norm, x = q[1] / norm, y = q[2] / norm, z = q[3] / norm;
    const double matrix[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, matrix, sizeof matrix);
}

static rm2_status check_frames(rm2_context *ctx, size_t n, const double *quaternions) {
    RM2_REQUIRE(ctx, quaternions);
    if (n > FRAMES_MAX)
        return rm2_context_fail(
            ctx, RM2_ERR_ARGUMENT,
            "rm2_plot_frames: %zu frames would cover each other: give some of them, at "
            "most %d",
            n, FRAMES_MAX);
    for (size_t i = 0; i < n; i++) {
        const double *q = quaternions + 4 * i;
        if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
            return rm2_context_fail(ctx, RM2_ERR_DOMAIN,
                                    "rm2_plot_frames: quaternion %zu is zero: it has no direction",
                                    i);
    }
    return RM2_OK;
}

rm2_status rm2_plot_frames(rm2_context *ctx, rm2_panel *panel, size_t n, const double *positions,
                           const double *quaternions, const rm2_style *style) {
    RM2_TRY(rm2i_expect_panel(ctx, panel, SPACE, "rm2_plot_frames"));
    RM2_TRY(check_frames(ctx, n, quaternions));
    rm2i_item *item;
    RM2_TRY(rm2i_item_add(ctx, panel, &rm2i_frames, n, 9 * n, style, &item));
    for (size_t i = 0; i < n; i++) {
        double row[3] = {(double)i, 0, 0};
        memcpy(item->points + 3 * i, positions ? positions + 3 * i : row, sizeof row);
        rotation_matrix(quaternions + 4 * i, item->extra + 9 * i);
        if (!all_finite(item->extra + 9 * i, 9))
            item->points[3 * i] = NAN;
    }
    return RM2_OK;
}

/* ---- arms ------------------------------------------------------------------------------------- */

rm2_status rm2_plot_arm(rm2_context *ctx, rm2_panel *panel, size_t n, size_t joints,
                        const double *points, const rm2_style *style) {
    RM2_TRY(rm2i_expect_panel(ctx, panel, PLANE | SPACE, "rm2_plot_arm"));
    if (joints < JOINTS_LEAST || joints > RM2I_JOINTS_MAX || n > RM2I_PLOT_MAX / RM2I_JOINTS_MAX)
        return rm2_context_fail(
            ctx, RM2_ERR_ARGUMENT,
            "rm2_plot_arm: cannot draw %zu arms of %zu joints: an arm has %d to %d", n, joints,
            JOINTS_LEAST, RM2I_JOINTS_MAX);
    RM2_REQUIRE(ctx, points);
    rm2i_item *item;
    RM2_TRY(rm2i_item_add(ctx, panel, &rm2i_arm, n * joints, 0, style, &item));
    item->joints = joints;
    memcpy(item->points, points, n * joints * rm2i_panel_dims(panel) * sizeof *points);
    return RM2_OK;
}
