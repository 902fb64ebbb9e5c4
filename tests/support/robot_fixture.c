#include "robot_fixture.h"

#include "context_fixture.h"
#include "near.h"

const rm2_arm_task position = {.dim = 2}, pose = {.dim = 3, .orientation = true},
                   profile = {.dim = 2, .ellipsoid = true};

rm2_arm *open_arm(const char *spec) {
    rm2_arm *arm = NULL;
    if (rm2_arm_read(ctx, spec, &arm) != RM2_OK)
        fail_msg("%s: %s", spec, rm2_context_error(ctx));
    return arm;
}

rm2_arm *stiff_arm(void) {
    const rm2_link links[] = {
        {0, 0, 0, 0, -1, 1, 1}, {1, 0, 0, 0, -1, 1, 1}, {1, 0, 0, 0, 0, 0, 1}};
    rm2_arm *arm = NULL;
    assert_int_equal(rm2_arm_create(ctx, "stiff", links, 3, &arm), RM2_OK);
    return arm;
}

void smooth_motion(const rm2_arm *arm, size_t n, double *q) {
    size_t joints = rm2_arm_joints(arm);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < joints; k++) {
            const rm2_link *l = rm2_arm_joint(arm, k);
            bool limited = isfinite(l->lower);
            double half = limited ? (l->upper - l->lower) / 2 : 1.2;
            double middle = limited ? l->lower + half : 0.7;
            double t = (double)i / (double)n;
            q[i * joints + k] = middle + 0.5 * half * sin(2 * t + 1.3 * (double)k);
        }
}

void inside_limits(const rm2_arm *arm, size_t n, const double *q) {
    for (size_t i = 0; i < n * rm2_arm_joints(arm); i++) {
        const rm2_link *l = rm2_arm_joint(arm, i % rm2_arm_joints(arm));
        if (!(q[i] >= l->lower && q[i] <= l->upper) || !isfinite(q[i]))
            fail_msg("angle %zu is %.17g, limits %g to %g", i, q[i], l->lower, l->upper);
    }
}

void errors_are_true(const rm2_arm *arm, const rm2_arm_task *task, size_t n, const double *targets,
                     const double *q, const rm2_track_error *e) {
    size_t width = rm2_arm_task_width(task);
    for (size_t i = 0; i < n; i++) {
        double at[7], square = 0, plus = 0, minus = 0;
        const double *t = targets + i * width;
        assert_int_equal(rm2_arm_pose(ctx, arm, 1, q + i * rm2_arm_joints(arm), at), RM2_OK);
        for (size_t k = 0; k < task->dim; k++)
            square += (at[k] - t[k]) * (at[k] - t[k]);
        assert_near(e[i].position, sqrt(square), 1e-14);
        for (size_t k = 3; k < 7 && task->orientation; k++) {
            plus += (at[k] + t[k]) * (at[k] + t[k]);
            minus += (at[k] - t[k]) * (at[k] - t[k]);
        }
        assert_near(e[i].orientation, 4 * asin(fmin(1, sqrt(fmin(plus, minus)) / 2)), 1e-12);
    }
}

void refuses(rm2_status got, rm2_status expected, const char *part) {
    assert_int_equal(got, expected);
    assert_contains(rm2_context_error(ctx), part);
}
