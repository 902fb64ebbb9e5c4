/* Joint trajectories for a robot's controller: times from 0 on and values under the names of the joints. As JSON in the
 * form of a ROS message trajectory_msgs/JointTrajectory, as CSV a row per point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sheet.h"
#include "robot/robot.h"

static const double NANO = 1e9;

static bool is_json(const robot_work *r) {
    return has_ending(r->options->trajectory, ".json");
}

/* The joints' names, in one block; NULL: no memory. */
static char **joint_names(const robot_work *r, size_t *count) {
    char joined[4096] = "";
    size_t used = 0;
    if (r->options->joint_names)
        return split_text(r->options->joint_names, ',', count);
    for (size_t k = 0; k < rm2_arm_joints(r->arm) && used < sizeof joined; k++)
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%.60s", k ? "," : "",
                                 rm2_arm_joint_name(r->arm, k));
    return split_text(joined, ',', count);
}

int robot_check_trajectory(const robot_work *r) {
    static const char *const formats[] = {".csv", ".json", NULL};
    const robot_options *o = r->options;
    const char *const inputs[] = {r->path, o->arm.urdf ? o->arm.urdf : o->arm.spec, NULL};
    size_t count = 0, joints = rm2_arm_joints(r->arm);
    if (!o->trajectory)
        return o->joint_names
                   ? work_complain(&r->work, EXIT_USAGE, "--joint-names needs --joint-trajectory")
                   : EXIT_DONE;
    int code = work_check_output(&r->work, o->trajectory, inputs);
    if (code == EXIT_DONE)
        code = work_check_format(&r->work, o->trajectory, formats);
    if (code != EXIT_DONE)
        return code;
    if (!r->data->time)
        return work_complain(
            &r->work, EXIT_BAD_DATA,
            "%s has no times, which --joint-trajectory needs: name their column with --time, or "
            "write them with geodesic --speed-limit or --duration",
            r->path);
    if (is_json(r) && r->data->trajectories > 1)
        return work_complain(
            &r->work, EXIT_USAGE,
            "%s: a JSON file holds one joint trajectory, the data have %zu; choose one with "
            "--select, or write CSV",
            o->trajectory, r->data->trajectories);
    char **names = joint_names(r, &count);
    free((void *)names);
    if (!names)
        return work_no_memory(&r->work);
    return count == joints
               ? EXIT_DONE
               : work_complain(&r->work, EXIT_USAGE, "--joint-names: expected %zu names, got %zu",
                               joints, count);
}

/* Seconds of each point from its trajectory's start, stretched so that speed limits are kept. */
static double *times_from_start(robot_work *r) {
    const rm2_data *d = r->data;
    double *t = malloc(d->count * sizeof *t), start = 0;
    for (size_t i = 0, next = 0; t && i < d->count; i++) {
        if (i == 0 || (next < d->trajectories && i == d->starts[next])) {
            start = d->time[i];
            next++;
        }
        t[i] = (d->time[i] - start) * fmax(1, r->info.stretch);
        r->written = fmax(r->written, t[i]);
    }
    return t;
}

static void print_point(FILE *out, size_t joints, const double *q, double t) {
    double whole = floor(t), rest = fmin(round((t - whole) * NANO), NANO - 1);
    (void)fprintf(out, "{\"positions\": [");
    for (size_t k = 0; k < joints; k++) {
        (void)fprintf(out, "%s", k ? ", " : "");
        json_number(out, q[k]);
    }
    (void)fprintf(out, "], \"time_from_start\": {\"sec\": %.0f, \"nanosec\": %.0f}}", whole, rest);
}

static int write_json(const robot_work *r, size_t joints, char *const *names, const double *t) {
    rm2_writer *writer;
    const char *path = r->options->trajectory;
    int code =
        work_check(&r->work, rm2_writer_open(r->work.ctx, path, r->work.common->force, &writer));
    if (code != EXIT_DONE)
        return code;
    FILE *out = rm2_writer_stream(writer);
    (void)fprintf(out, "{\"joint_names\": [");
    for (size_t k = 0; k < joints; k++) {
        (void)fprintf(out, "%s", k ? ", " : "");
        json_text(out, names[k]);
    }
    (void)fprintf(out, "],\n \"points\": [");
    for (size_t i = 0; i < r->data->count; i++) {
        (void)fprintf(out, "%s", i ? ",\n  " : "\n  ");
        print_point(out, joints, r->q + i * joints, t[i]);
    }
    (void)fprintf(out, "]}\n");
    return work_check(&r->work, rm2_writer_commit(r->work.ctx, writer));
}

static int write_csv(const robot_work *r, size_t joints, char *const *names, const double *t) {
    const rm2_data *d = r->data;
    sheet s;
    bool built = sheet_create(&s, d->count, joints + 1 + (d->trajectories ? 1 : 0)) &&
                 sheet_add_trajectories(&s, d->trajectories, d->starts, d->ids) &&
                 sheet_add(&s, "time_from_start", t, 1);
    for (size_t k = 0; k < joints; k++)
        built = built && sheet_add(&s, names[k], r->q + k, joints);
    int code = built ? work_check(&r->work, rm2_csv_write(r->work.ctx, r->options->trajectory,
                                                          &s.table, r->work.common->force))
                     : work_no_memory(&r->work);
    sheet_free(&s);
    return code;
}

int robot_write_trajectory(robot_work *r) {
    size_t joints = rm2_arm_joints(r->arm), count;
    if (!r->options->trajectory)
        return EXIT_DONE;
    if (r->info.missed > 0 || r->info.jumps > 0 || !robot_links_keep(r)) {
        work_note(&r->work, "the joint trajectory is not written: it misses points, jumps or does "
                            "not keep a clearance");
        return EXIT_DONE;
    }
    char **names = joint_names(r, &count);
    double *t = times_from_start(r);
    int code = !names || !t ? work_no_memory(&r->work)
               : is_json(r) ? write_json(r, joints, names, t)
                            : write_csv(r, joints, names, t);
    free((void *)names);
    free(t);
    return code;
}
