/* A caller from the time when the structs of results and tables were shorter: tests/example/run compiles it against the
 * installed headers, and against headers whose sized structs lack their last member. Both print the same, and the bytes
 * behind the structs stay as they are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <riemann2.h>
#include <riemann2/robot.h>
#include <riemann2/statistics.h>

enum { N = 30, GUARD = 0x5a };

static rm2_context *ctx;
static int bad;

static void must(rm2_status status, const char *call) {
    if (status == RM2_OK)
        return;
    printf("%s: %s\n", call, rm2_context_error(ctx));
    bad = 1;
}
#define MUST(call) must(call, #call)

/* `count` structs of a type, with bytes behind them that no call may touch. */
#define GUARDED(type, count)                                                                       \
    struct {                                                                                       \
        type of[count];                                                                            \
        unsigned char guard[64];                                                                   \
    }
#define BEGIN(guarded)                                                                             \
    memset(&(guarded), GUARD, sizeof(guarded));                                                    \
    (guarded).of->size = sizeof *(guarded).of
#define END(guarded) check_guard(#guarded, (guarded).guard)

static void check_guard(const char *name, const unsigned char *guard) {
    for (int i = 0; i < 64; i++)
        if (guard[i] != GUARD) {
            printf("%s: byte %d behind it was written\n", name, i);
            bad = 1;
            return;
        }
}

/* Two arcs on the sphere, one above the other. */
static rm2_data *make_data(const rm2_manifold *sphere, double *points) {
    int64_t arc[N];
    rm2_data *data = NULL;
    GUARDED(rm2_data_report, 1) report;
    for (int i = 0; i < N; i++) {
        double t = 0.1 * (i % 15), z = 0.2 * (i / 15), r = sqrt(1 - z * z);
        points[3 * i] = r * cos(t), points[3 * i + 1] = r * sin(t), points[3 * i + 2] = z;
        arc[i] = i / 15;
    }
    const rm2_data_arrays set = {
        .size = sizeof set, .manifold = sphere, .count = N, .points = points, .group_numbers = arc};
    BEGIN(report);
    MUST(rm2_data_create(ctx, &set, NULL, &data, NULL, report.of));
    printf("report: %zu factors, rank %zu\n", report.of->factors, report.of->factor[0].rank);
    rm2_data_report_clear(report.of);
    END(report);
    return data;
}

static void summaries(const rm2_manifold *sphere, const double *points) {
    GUARDED(rm2_mean_info, 1) mean;
    GUARDED(rm2_distance_summary, 1) among;
    GUARDED(rm2_group, 2) groups;
    GUARDED(rm2_window_info, 2) windows;
    double at[3], both[6], matrices[2 * 9];
    size_t labels[N], begin[] = {0, 15};
    const rm2_sequence arcs[] = {{15, 3, points}, {15, 3, points + 45}};
    for (size_t i = 0; i < N; i++)
        labels[i] = i / 15;
    const rm2_labelled all = {.size = sizeof all,
                              .manifold = sphere,
                              .n = N,
                              .points = points,
                              .labels = labels,
                              .label_count = 2};
    const rm2_signals signals = {.size = sizeof signals,
                                 .samples = N,
                                 .channels = 3,
                                 .values = points,
                                 .windows = 2,
                                 .begin = begin,
                                 .length = 15};
    BEGIN(mean);
    MUST(rm2_manifold_mean(ctx, sphere, N, points, NULL, NULL, at, mean.of));
    BEGIN(among);
    MUST(rm2_dtw_floor(ctx, NULL, 2, arcs, NULL, among.of));
    BEGIN(groups);
    MUST(rm2_group_means(ctx, &all, NULL, both, groups.of));
    BEGIN(windows);
    rm2_covariance_settings estimator = rm2_covariance_settings_default();
    MUST(rm2_covariances(ctx, &signals, &estimator, matrices, windows.of));
    printf("mean %.6f after %d steps; floor %.6f of %zu; group of %zu; window %d\n", at[0],
           mean.of->iterations, among.of->mean, among.of->count, groups.of->points,
           (int)windows.of->fault);
    END(mean), END(among), END(groups), END(windows);
}

static void questions(const rm2_model *model, const double *points) {
    GUARDED(rm2_fidelity, 1) fidelity;
    GUARDED(rm2_encoded, 3) encoded;
    GUARDED(rm2_score, 2) each;
    GUARDED(rm2_score, 1) total;
    GUARDED(rm2_calibration, 1) calibration;
    const rm2_model_info *info = rm2_model_info_of(model);
    double latents[2 * N];
    const rm2_calibration_points at = {.n = N, .latents = info->latents, .points = points};
    BEGIN(fidelity);
    MUST(rm2_model_fidelity(ctx, model, fidelity.of));
    BEGIN(encoded);
    MUST(rm2_model_encode(ctx, model, NULL, 3, points, latents, NULL, encoded.of));
    BEGIN(each);
    BEGIN(total);
    MUST(rm2_model_score(ctx, model, NULL, info->data, latents, each.of, total.of));
    BEGIN(calibration);
    MUST(rm2_model_calibration(ctx, model, &at, calibration.of));
    printf("residual %.6f; encoded %.4f %.4f %.4f; scores of %zu and %zu points; %zu calibrated\n",
           fidelity.of->residual, encoded.of[0].log_density, encoded.of[1].log_density,
           encoded.of[2].log_density, each.of[1].points, total.of->points, calibration.of->points);
    END(fidelity), END(encoded), END(each), END(total), END(calibration);
}

static void path(const rm2_model *model) {
    GUARDED(rm2_path_report, 1) report;
    GUARDED(rm2_nearness, 1) nearness;
    rm2_space_settings settings = rm2_space_settings_default();
    rm2_vicinity *vicinity = NULL;
    rm2_space *space = NULL;
    rm2_curve *curve = NULL;
    double decoded[200 * 3];
    const double *x = rm2_model_info_of(model)->latents;
    MUST(rm2_space_create(ctx, model, &settings, 0, NULL, &space));
    MUST(rm2_space_geodesic(ctx, space, x, x + 2 * (N - 1), &curve));
    BEGIN(report);
    MUST(rm2_path_measure(ctx, space, curve, NULL, NULL, report.of));
    MUST(rm2_vicinity_create(ctx, model, &vicinity));
    MUST(rm2_space_decode(ctx, space, 200, curve->x, decoded, NULL));
    BEGIN(nearness);
    MUST(rm2_vicinity_distances(ctx, vicinity, 200, decoded, NULL, nearness.of));
    printf("path of %zu nodes, length %.4f; over spread %.3f\n", report.of->nodes,
           report.of->length, nearness.of->over_spread);
    END(report), END(nearness);
    rm2_vicinity_free(vicinity);
    rm2_curve_free(curve);
    rm2_space_free(space);
}

static void arm(void) {
    GUARDED(rm2_track_error, 2) errors;
    GUARDED(rm2_track_info, 1) info;
    const rm2_arm_task task = {.dim = 2};
    const double targets[] = {0.5, 0.2, 0.5, 0.3};
    const rm2_arm_targets both = {.task = &task, .n = 2, .points = targets};
    double q[8];
    rm2_arm *plane = NULL;
    const rm2_link link = {.a = 0.4, .lower = -3, .upper = 3, .speed = 2}, links[] = {link, link};
    MUST(rm2_arm_create(ctx, "plane", links, 2, &plane));
    if (!plane)
        return;
    BEGIN(errors);
    BEGIN(info);
    MUST(rm2_arm_track(ctx, plane, &both, NULL, q, errors.of, info.of));
    printf("missed %zu, second by %.1f\n", info.of->missed, errors.of[1].position);
    END(errors), END(info);
    rm2_arm_free(plane);
}

int main(void) {
    double points[N * 3];
    rm2_manifold *sphere, *globe;
    rm2_model *model = NULL;
    rm2_geometry own; /* shorter in the older headers */
    rm2_factor factor = {.n = 2};
    MUST(rm2_context_create(&ctx));
    MUST(rm2_manifold_create(ctx, "S2", &sphere));
    rm2_data *data = make_data(sphere, points);
    summaries(sphere, points);
    MUST(rm2_fit(ctx, data, NULL, NULL, &model));
    questions(model, points);
    path(model);
    arm();
    memcpy(&own, &rm2_sphere, sizeof own);
    own.size = sizeof own;
    own.name = "Globe";
    factor.geometry = &own;
    MUST(rm2_manifold_from_factors(ctx, &factor, 1, &globe));
    double from[3] = {1, 0, 0}, to[3] = {0, 1, 0}, v[3];
    MUST(rm2_manifold_log(ctx, globe, 1, from, 1, to, v));
    printf("log on a globe of one's own: %.6f\n", v[1]);
    rm2_manifold_free(globe), rm2_model_free(model), rm2_data_free(data);
    rm2_manifold_free(sphere), rm2_context_free(ctx);
    return bad;
}
