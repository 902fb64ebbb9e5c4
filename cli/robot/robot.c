/* riemann2 robot track: an arm follows a trajectory of positions, poses or manipulability. */
#include "robot/robot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const places[] = {"given", "auto", NULL};

#define ROBOT(member) offsetof(robot_options, member)

static const option robot_table[] = {
    {"--arm", "ARM", OPTION_TEXT, ROBOT(arm), NULL,
     "panda, planar:L1,L2,..., or a CSV file of modified Denavit-Hartenberg\n"
     "                            parameters: a, d, alpha, theta, lower, upper, speed (revolute)"},
    {"--output", "FILE", OPTION_TEXT, ROBOT(output), NULL, "CSV file to write (also -o; - prints)"},
    {"--tolerance", "X", OPTION_NUMBER, ROBOT(track.position_tolerance), NULL,
     "largest error of a position (default: 1e-6)"},
    {"--angle-tolerance", "X", OPTION_NUMBER, ROBOT(track.orientation_tolerance), NULL,
     "largest error of an orientation, in radians (default: 1e-6)"},
    {"--orientation-weight", "X", OPTION_NUMBER, ROBOT(track.orientation_weight), NULL,
     "length that weighs as a radian, out of reach (default: reach / 4)"},
    {"--limit-weight", "X", OPTION_NUMBER, ROBOT(track.limit_weight), NULL,
     "null space: weight of the middle of the ranges (1; 0 with ellipsoids)"},
    {"--null-step", "X", OPTION_NUMBER, ROBOT(track.null_step), NULL,
     "null space: largest motion of a joint per point (default: 0.1)"},
    {"--no-null-space", NULL, OPTION_FLAG, ROBOT(no_null_space), NULL,
     "while tracking, move only as the main task requires"},
    {"--start", "Q1,Q2,...", OPTION_TEXT, ROBOT(start), NULL,
     "joint angles to start from (default: the best of random ones)"},
    {"--searches", "N", OPTION_SIZE, ROBOT(searches), NULL,
     "random configurations tried for the start (default: 30)"},
    {"--iterations", "N", OPTION_SIZE, ROBOT(track.iterations), NULL,
     "largest number of steps per point (default: 200)"},
    {.name = NULL},
};

static const option place_table[] = {
    {"--place", NULL, OPTION_CHOICE, ROBOT(place), places,
     "auto: find a scale and an offset that put the points within reach"},
    {"--scale", "S", OPTION_NUMBER, ROBOT(placement.scale), NULL,
     "positions become S R x + offset (default: 1)"},
    {"--offset", "X,Y,Z", OPTION_TEXT, ROBOT(offset), NULL,
     "added to positions (default: 0; X,Y in the plane)"},
    {"--rotate", "ANGLE|W,X,Y,Z", OPTION_TEXT, ROBOT(rotate), NULL,
     "R: an angle about z in radians, or a quaternion"},
    {"--ellipsoid-scale", "S", OPTION_NUMBER, ROBOT(placement.ellipsoid_scale), NULL,
     "ellipsoids become S R M R^T (default: 1)"},
    {.name = NULL},
};

/* How the points are read; what is not given comes from the names of the columns. */
static const char *const input_settings[] = {"manifold",  "columns", "group",      "time",
                                             "array",     "select",  "quat_order", "spd_layout",
                                             "delimiter", NULL};

/* ---- the place ------------------------------------------------------------------------------ */

static int parse_offset(const robot_work *r) {
    const char *text = r->options->offset;
    double *offset = r->options->placement.offset;
    if (!text || parse_numbers(text, r->task.dim, offset) ||
        (r->task.dim == 2 && parse_numbers(text, 3, offset)))
        return EXIT_DONE;
    return work_complain(&r->work, EXIT_USAGE,
                         "--offset %s: expected %zu numbers with commas between them", text,
                         r->task.dim);
}

static int parse_rotation(const robot_work *r) {
    const char *text = r->options->rotate;
    double *q = r->options->placement.rotation, angle;
    if (!text)
        return EXIT_DONE;
    if (parse_numbers(text, 1, &angle)) {
        memcpy(q, (double[]){cos(angle / 2), 0, 0, sin(angle / 2)}, 4 * sizeof *q);
        return EXIT_DONE;
    }
    double norm =
        parse_numbers(text, 4, q) ? sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) : 0;
    if (!(norm > 0) || !isfinite(norm))
        return work_complain(&r->work, EXIT_USAGE,
                             "--rotate %s: expected an angle about z, or a quaternion w,x,y,z",
                             text);
    for (int i = 0; i < 4; i++)
        q[i] /= norm;
    return EXIT_DONE;
}

static int find_place(robot_work *r) {
    rm2_placement *p = &r->options->placement;
    bool found;
    if (r->options->offset || p->scale != 1)
        return work_complain(&r->work, EXIT_USAGE,
                             "--place auto finds scale and offset itself; leave --scale and "
                             "--offset out");
    const rm2_arm_targets targets = {.task = &r->task, .n = r->data->count, .points = r->targets};
    int code = work_check(
        &r->work, rm2_arm_place_auto(r->work.ctx, r->arm, &targets, &r->options->track, p, &found));
    r->placed = code == EXIT_DONE;
    if (code == EXIT_DONE && !found)
        work_note(&r->work, "warning: no place was found where the arm reaches all points");
    return code;
}

static int place_targets(robot_work *r) {
    int code = parse_offset(r);
    if (code == EXIT_DONE)
        code = parse_rotation(r);
    if (code == EXIT_DONE && r->options->place == 1)
        code = find_place(r);
    if (code == EXIT_DONE)
        code = work_check(&r->work, rm2_arm_place(r->work.ctx, &r->task, &r->options->placement,
                                                  r->data->count, r->targets));
    return code;
}

/* ---- following ------------------------------------------------------------------------------ */

static int parse_start(const robot_work *r, double angles[RM2_ARM_MAX_LINKS]) {
    size_t joints = rm2_arm_joints(r->arm);
    if (r->options->start && r->options->searches)
        return work_complain(&r->work, EXIT_USAGE,
                             "--start and --searches exclude each other: --start gives one "
                             "configuration, --searches tries several");
    if (r->options->searches)
        r->options->track.searches = r->options->searches;
    if (!r->options->start)
        return EXIT_DONE;
    r->options->track.start = angles;
    if (parse_numbers(r->options->start, joints, angles))
        return EXIT_DONE;
    return work_complain(&r->work, EXIT_USAGE,
                         "--start %s: expected %zu angles with commas between them",
                         r->options->start, joints);
}

/* Put what was found for points from..to into what is known of all. */
static void add_info(robot_work *r, const rm2_track_info *one, size_t from) {
    rm2_track_info *all = &r->info;
    if (from == 0) {
        *all = *one;
        return;
    }
    const rm2_track_error *a = &r->errors[all->worst], *b = &r->errors[from + one->worst];
    if (b->position > a->position ||
        (b->position == a->position && b->orientation > a->orientation))
        all->worst = from + one->worst;
    all->missed += one->missed;
    if (one->margin < all->margin) {
        all->margin = one->margin;
        all->margin_joint = one->margin_joint;
    }
    if (one->stretch > all->stretch) {
        all->stretch = one->stretch;
        all->stretch_joint = one->stretch_joint;
    }
    all->largest_step = fmax(all->largest_step, one->largest_step);
}

/* What the arm reaches, as points of the data's manifold. */
static rm2_status reached_points(robot_work *r) {
    size_t width = rm2_manifold_ambient(r->data->manifold), joints = rm2_arm_joints(r->arm);
    for (size_t i = 0; i < r->data->count; i++) {
        const double *q = r->q + i * joints;
        double pose[7], *to = r->reached + i * width;
        rm2_status status = rm2_arm_pose(r->work.ctx, r->arm, 1, q, pose);
        memcpy(to, pose, r->task.dim * sizeof *to);
        to += r->task.dim;
        if (r->task.orientation)
            memcpy(to, pose + 3, 4 * sizeof *to);
        to += r->task.orientation ? 4 : 0;
        if (status == RM2_OK && r->task.ellipsoid)
            status = rm2_arm_manipulability(r->work.ctx, r->arm, r->task.dim, 1, q, to);
        if (status != RM2_OK)
            return status;
    }
    return RM2_OK;
}

static int follow(robot_work *r) {
    const rm2_data *d = r->data;
    size_t joints = rm2_arm_joints(r->arm), width = rm2_manifold_ambient(d->manifold);
    size_t count = d->trajectories ? d->trajectories : 1;
    r->q = malloc(d->count * joints * sizeof *r->q);
    r->reached = malloc(d->count * width * sizeof *r->reached);
    r->errors = malloc(d->count * sizeof *r->errors);
    if (!r->q || !r->reached || !r->errors)
        return work_no_memory(&r->work);
    rm2_status status = RM2_OK;
    for (size_t t = 0; t < count && status == RM2_OK; t++) {
        size_t from = d->starts ? d->starts[t] : 0, to = d->starts ? d->starts[t + 1] : d->count;
        const rm2_arm_targets targets = {.task = &r->task,
                                         .n = to - from,
                                         .points = r->targets + from * width,
                                         .time = d->time ? d->time + from : NULL};
        rm2_track_info info;
        status = rm2_arm_track(r->work.ctx, r->arm, &targets, &r->options->track,
                               r->q + from * joints, r->errors + from, &info);
        if (status == RM2_OK)
            add_info(r, &info, from);
    }
    return work_check(&r->work, status == RM2_OK ? reached_points(r) : status);
}

static int track(robot_work *r) {
    const char *const inputs[] = {r->path, r->options->arm, NULL};
    double start[RM2_ARM_MAX_LINKS];
    const char *output = r->options->output;
    int code = output ? work_check_output(&r->work, output, inputs) : EXIT_DONE;
    if (output && code == EXIT_DONE)
        code = work_check_format(&r->work, output, table_formats);
    if (r->options->no_null_space)
        r->options->track.null_step = 0;
    if (code == EXIT_DONE)
        code = work_check(&r->work, rm2_arm_open(r->work.ctx, r->options->arm, &r->arm));
    if (code == EXIT_DONE)
        code = parse_start(r, start);
    if (code == EXIT_DONE)
        code = robot_read(r);
    if (code == EXIT_DONE)
        code = place_targets(r);
    if (code == EXIT_DONE)
        code = follow(r);
    if (code == EXIT_DONE)
        code = robot_write(r);
    if (code == EXIT_DONE)
        code = robot_report(r);
    free(r->q);
    free(r->reached);
    free(r->errors);
    free(r->targets);
    rm2_data_free(r->data);
    rm2_arm_free(r->arm);
    return code;
}

int run_robot(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    robot_options options = {.data = data_options_default(),
                             .track = rm2_track_settings_default(),
                             .placement = rm2_placement_default()};
    options.data.from.only = input_settings;
    options.data.settings.scale = RM2_SCALE_NONE; /* positions keep their units */
    const option_group groups[] = {{"Options", robot_table, &options, NULL},
                                   {"Place of the trajectory", place_table, &options, NULL},
                                   {"Data (default: from the names of columns)", NULL,
                                    &options.data.settings, &options.data.from},
                                   {"Common options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    const char *arguments[2] = {NULL, NULL};
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, arguments, 2, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    robot_work r = {.work = {self, NULL, &common}, .options = &options, .path = arguments[1]};
    if (count > 0 && strcmp(arguments[0], "track") != 0)
        return work_complain(&r.work, EXIT_USAGE, "unknown action \"%s\"; known: track",
                             arguments[0]);
    if (count < 2 || !options.arm) {
        (void)fprintf(stderr, "usage: %s %s\n%s", self->title, self->usage, self->examples);
        return EXIT_USAGE;
    }
    r.work.ctx = command_context(&common);
    if (!r.work.ctx)
        return EXIT_FAILED;
    int code = track(&r);
    rm2_context_free(r.work.ctx);
    return code;
}
