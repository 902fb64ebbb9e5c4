/* Joint trajectories for a robot's controller: times from 0 on, values and velocities under the names of the joints. As JSON in the
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

/* When the joints are where, and how fast. */
typedef struct timing {
    double *t, *v; /* points: seconds from the trajectory's start; points x joints */
} timing;

/* Of one trajectory; *stretch is what its speeds need. */
static rm2_status time_one(const robot_work *r, size_t from, size_t to, timing *w,
                           double *stretch) {
    size_t joints = rm2_arm_joints(r->arm);
    double one;
    for (size_t i = from; i < to; i++)
        w->t[i] = r->data->time[i] - r->data->time[from];
    WORK_TRY(rm2_arm_velocities(r->work.ctx, r->arm, to - from, r->q + from * joints, w->t + from,
                                w->v + from * joints, &one));
    *stretch = fmax(*stretch, one);
    return RM2_OK;
}

/* Times and velocities, stretched so that speed limits are kept between the points too. */
static rm2_status time_all(robot_work *r, timing *w) {
    const rm2_data *d = r->data;
    size_t joints = rm2_arm_joints(r->arm);
    double stretch = 1;
    if (!d->starts)
        WORK_TRY(time_one(r, 0, d->count, w, &stretch));
    for (size_t k = 0; d->starts && k < d->trajectories; k++)
        WORK_TRY(time_one(r, d->starts[k], d->starts[k + 1], w, &stretch));
    for (size_t i = 0; i < d->count; i++) {
        w->t[i] *= stretch;
        r->written = fmax(r->written, w->t[i]);
    }
    for (size_t i = 0; i < d->count * joints; i++)
        w->v[i] /= stretch;
    r->stretched = stretch;
    return RM2_OK;
}

static void put_point(rm2_json *json, size_t joints, const double *q, const double *v, double t) {
    double whole = floor(t), rest = fmin(round((t - whole) * NANO), NANO - 1);
    rm2_json_break(json);
    rm2_json_object(json, NULL);
    rm2_json_numbers(json, "positions", joints, q);
    rm2_json_numbers(json, "velocities", joints, v);
    rm2_json_record(json, "time_from_start", RM2_NUMBER("sec", whole), RM2_NUMBER("nanosec", rest));
    rm2_json_end(json);
}

static int write_json(const robot_work *r, size_t joints, char *const *names, const timing *w) {
    rm2_writer *writer;
    const char *path = r->options->trajectory;
    int code =
        work_check(&r->work, rm2_writer_open(r->work.ctx, path, r->work.common->force, &writer));
    if (code != EXIT_DONE)
        return code;
    rm2_json json = rm2_json_begin(rm2_writer_stream(writer));
    rm2_json_texts(&json, "joint_names", joints, (const char *const *)names);
    rm2_json_break(&json);
    rm2_json_array(&json, "points");
    for (size_t i = 0; i < r->data->count; i++)
        put_point(&json, joints, r->q + i * joints, w->v + i * joints, w->t[i]);
    rm2_json_end(&json);
    rm2_json_end(&json);
    return work_check(&r->work, rm2_writer_commit(r->work.ctx, writer));
}

static int write_csv(const robot_work *r, size_t joints, char *const *names, const timing *w) {
    const rm2_data *d = r->data;
    sheet s;
    char name[128];
    bool built = sheet_create(&s, d->count, 2 * joints + 1 + (d->trajectories ? 1 : 0)) &&
                 sheet_add_trajectories(&s, d->trajectories, d->starts, d->ids) &&
                 sheet_add(&s, "time_from_start", w->t, 1);
    for (size_t k = 0; k < joints; k++)
        built = built && sheet_add(&s, names[k], r->q + k, joints);
    for (size_t k = 0; k < joints; k++) {
        (void)snprintf(name, sizeof name, "%.100s_velocity", names[k]);
        built = built && sheet_add(&s, name, w->v + k, joints);
    }
    int code = built ? work_check(&r->work, rm2_csv_write(r->work.ctx, r->options->trajectory,
                                                          &s.table, r->work.common->force))
                     : work_no_memory(&r->work);
    sheet_free(&s);
    return code;
}

static int write_timed(robot_work *r, size_t joints, char *const *names, timing *w) {
    int code = work_check(&r->work, time_all(r, w));
    if (code != EXIT_DONE)
        return code;
    return is_json(r) ? write_json(r, joints, names, w) : write_csv(r, joints, names, w);
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
    timing w = {.t = calloc(r->data->count, sizeof *w.t),
                .v = calloc(r->data->count * joints, sizeof *w.v)};
    int code = names && w.t && w.v ? write_timed(r, joints, names, &w) : work_no_memory(&r->work);
    free((void *)names);
    free(w.t);
    free(w.v);
    return code;
}
