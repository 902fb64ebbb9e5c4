/* trajectory.h: arguments that are missing are named. */
#include "api.h"

static const double points[] = {0, 0, 1, 0, 1, 2};

static void distances(void **state) {
    rm2_context *ctx = *state;
    const rm2_sequence a = {3, 2, points}, two[] = {a, a};
    rm2_distance_summary spread = {.size = sizeof spread};
    NO_CONTEXT(rm2_dtw_from(NULL, NULL, &a, 2, two, NULL, &spread));
    MISSING("from", rm2_dtw_from(ctx, NULL, NULL, 2, two, NULL, &spread));
    MISSING("others", rm2_dtw_from(ctx, NULL, &a, 2, NULL, NULL, &spread));
    MUST(rm2_dtw_from(ctx, NULL, &a, 2, two, NULL, NULL));
    NO_CONTEXT(rm2_dtw_floor(NULL, NULL, 2, two, NULL, &spread));
    MISSING("sequences", rm2_dtw_floor(ctx, NULL, 2, NULL, NULL, &spread));
    MUST(rm2_dtw_floor(ctx, NULL, 2, two, NULL, NULL));
}

static void trajectories(void **state) {
    rm2_context *ctx = *state;
    const double one = 1;
    const rm2_speed_limits limits = {.speed = &one};
    rm2_manifold *m = make_manifold(ctx, "R2");
    double out[6], time[3];
    NO_CONTEXT(rm2_trajectory_resample_by_length(NULL, m, 3, points, 3, out));
    MISSING("m", rm2_trajectory_resample_by_length(ctx, NULL, 3, points, 3, out));
    MISSING("points", rm2_trajectory_resample_by_length(ctx, m, 3, NULL, 3, out));
    MISSING("out", rm2_trajectory_resample_by_length(ctx, m, 3, points, 3, NULL));
    NO_CONTEXT(rm2_trajectory_resample(NULL, m, 3, points, 3, out));
    MISSING("m", rm2_trajectory_resample(ctx, NULL, 3, points, 3, out));
    MISSING("points", rm2_trajectory_resample(ctx, m, 3, NULL, 3, out));
    MISSING("out", rm2_trajectory_resample(ctx, m, 3, points, 3, NULL));
    NO_CONTEXT(rm2_trajectory_retime(NULL, m, 3, points, &limits, time));
    MISSING("manifold", rm2_trajectory_retime(ctx, NULL, 3, points, &limits, time));
    MISSING("points", rm2_trajectory_retime(ctx, m, 3, NULL, &limits, time));
    MISSING("limits", rm2_trajectory_retime(ctx, m, 3, points, NULL, time));
    MISSING("time", rm2_trajectory_retime(ctx, m, 3, points, &limits, NULL));
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(distances),
        WITH_CONTEXT(trajectories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
