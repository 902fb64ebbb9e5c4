/* riemann2 robot track: an arm follows a trajectory of positions, poses or manipulability. */
#include "robot/robot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOO_FAR = 10 }; /* times the arm's reach */

static const char *const places[] = {"given", "auto", NULL};

#define ROBOT(member) offsetof(robot_options, member)

static const option robot_table[] = {
    {"--output", "FILE", OPTION_TEXT, ROBOT(output), NULL, "CSV file to write (also -o; - prints)"},
    {"--joint-trajectory", "FILE", OPTION_TEXT, ROBOT(trajectory), NULL,
     "CSV or JSON file with times and joint names, for a robot's controller"},
    {"--joint-names", "N1,N2,...", OPTION_TEXT, ROBOT(joint_names), NULL,
     "names in that file (default: those of the arm)"},
    {"--no-null-space", NULL, OPTION_FLAG, ROBOT(no_null_space), NULL,
     "while tracking, move only as the main task requires"},
    {"--start", "Q1,Q2,...", OPTION_TEXT, ROBOT(start), NULL,
     "joint angles to start from (default: the best of random ones)"},
    {.name = NULL},
};

static const option place_table[] = {
    {"--place", NULL, OPTION_CHOICE, ROBOT(place), places,
     "auto: find a scale and an offset that put the points within reach"},
    {"--offset", "X,Y,Z", OPTION_TEXT, ROBOT(offset), NULL,
     "added to positions (default: 0; X,Y in the plane)"},
    {"--rotate", "ANGLE|W,X,Y,Z", OPTION_TEXT, ROBOT(rotate), NULL,
     "R: an angle about z in radians, or a quaternion"},
    {.name = NULL},
};

static const option link_table[] = {
    {"--avoid", "SHAPE,X,Y,...", OPTION_TEXTS, ROBOT(avoid), NULL,
     "keep-out region of the links, in the frame of the arm's base: sphere,CENTRE,R; "
     "box,CORNER,CORNER; capsule,END,END,R; "
     "halfspace,POINT,NORMAL; or a file of them; more than once"},
    {"--clearance", "X", OPTION_NUMBER, ROBOT(scene.clearance), NULL,
     "distance of the links from these regions (default: 0)"},
    {"--self-clearance", "X", OPTION_NUMBER, ROBOT(scene.self_clearance), NULL,
     "distance of links from each other, of neighbours none (default: 0)"},
    {"--link-radius", "R|R1,R2,...", OPTION_TEXT, ROBOT(link_radius), NULL,
     "radius of all links, or of each (default: from the arm's file, or reach / 20)"},
    {.name = NULL},
};

/* How the points are read; what is not given comes from the names of the columns. */
static const char *const input_settings[] = {"manifold",  "columns", "group",      "time",
                                             "array",     "select",  "quat_order", "spd_layout",
                                             "delimiter", NULL};

/* ---- the place ------------------------------------------------------------------------------ */

/* The numbers of an option; none if it was not given. */
static int read_option_numbers(const robot_work *r, const char *name, const char *text,
                               size_t count, const char *what, double *values) {
    if (!text || parse_numbers(text, count, values))
        return EXIT_DONE;
    return work_complain(&r->work, EXIT_USAGE, "%s %s: expected %zu %s separated by commas", name,
                         text, count, what);
}

static int parse_offset(const robot_work *r) {
    const char *text = r->options->offset;
    bool space = r->task.dim == 2 && text && count_numbers(text) == 3; /* z does no harm */
    return read_option_numbers(r, "--offset", text, space ? 3 : r->task.dim, "numbers",
                               r->options->placement.offset);
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
    if (r->options->offset || setting_given(&r->options->place_from, "scale"))
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

/* Targets that are far beyond the arm's reach are in other units. */
static int check_units(const robot_work *r) {
    static const double scales[] = {0.1, 0.01, 0.001, 1e-6};
    size_t width = rm2_arm_task_width(&r->task), far = 0;
    double reach = rm2_arm_reach(r->arm), largest = 0;
    for (size_t i = 0; i < r->data->count; i++) {
        double square = 0;
        for (size_t k = 0; k < r->task.dim; k++)
            square += r->targets[i * width + k] * r->targets[i * width + k];
        far += sqrt(square) > TOO_FAR * reach;
        largest = fmax(largest, sqrt(square));
    }
    if (2 * far < r->data->count || far == 0)
        return EXIT_DONE;
    double scale = scales[0];
    for (size_t k = 0; k < sizeof scales / sizeof scales[0] && scale * largest > reach; k++)
        scale = scales[k];
    return work_complain(&r->work, EXIT_BAD_DATA,
                         "%s: positions are up to %.3g from the arm's base, its reach is %.3g: "
                         "the units of the arm (metres) expected; --scale %g?",
                         r->path, largest, reach, scale * r->options->placement.scale);
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
    if (code == EXIT_DONE)
        code = check_units(r);
    return code;
}

/* ---- following ------------------------------------------------------------------------------ */

static int parse_start(const robot_work *r, double angles[RM2_ARM_MAX_LINKS]) {
    if (r->options->start && setting_given(&r->options->track_from, "searches"))
        return work_complain(&r->work, EXIT_USAGE,
                             "--start and --searches exclude each other: --start gives one "
                             "configuration, --searches tries several");
    if (r->options->start)
        r->options->track.start = angles;
    return read_option_numbers(r, "--start", r->options->start, rm2_arm_joints(r->arm), "angles",
                               angles);
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
    if (all->missed == 0 && one->missed > 0) {
        all->cause = one->cause;
        all->cause_target = from + one->cause_target;
        all->cause_joint = one->cause_joint;
        all->cause_limit = one->cause_limit;
    }
    all->missed += one->missed;
    if (all->jumps == 0 && one->jumps > 0) {
        all->jump_target = from + one->jump_target;
        all->jump_joint = one->jump_joint;
    }
    all->jumps += one->jumps;
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
    r->near_rows = malloc(2 * d->count * sizeof *r->near_rows);
    if (!r->q || !r->reached || !r->errors || !r->near_rows)
        return work_no_memory(&r->work);
    rm2_status status = RM2_OK;
    for (size_t t = 0; t < count && status == RM2_OK; t++) {
        size_t from = d->starts ? d->starts[t] : 0, to = d->starts ? d->starts[t + 1] : d->count;
        const rm2_arm_targets targets = {.task = &r->task,
                                         .n = to - from,
                                         .points = r->targets + from * width,
                                         .time = d->time ? d->time + from : NULL};
        rm2_track_info info = {.size = sizeof info};
        r->errors[from].size = sizeof *r->errors;
        status = rm2_arm_track(r->work.ctx, r->arm, &targets, &r->options->track,
                               r->q + from * joints, r->errors + from, &info);
        if (status == RM2_OK)
            add_info(r, &info, from);
        if (status == RM2_OK)
            status = robot_measure_links(r, from, to - from);
    }
    return work_check(&r->work, status == RM2_OK ? reached_points(r) : status);
}

static int track(robot_work *r) {
    const arm_source *arm = &r->options->arm;
    const char *const inputs[] = {r->path, arm_given(arm), NULL};
    double start[RM2_ARM_MAX_LINKS];
    const char *output = r->options->output;
    int code = output ? work_check_output(&r->work, output, inputs) : EXIT_DONE;
    if (output && code == EXIT_DONE)
        code = work_check_format(&r->work, output, table_formats);
    if (r->options->no_null_space)
        r->options->track.null_step = 0;
    if (code == EXIT_DONE)
        code = work_check(&r->work, arm_open(r->work.ctx, arm, &r->arm));
    if (code == EXIT_DONE)
        code = parse_start(r, start);
    if (code == EXIT_DONE)
        code = robot_read(r);
    if (code == EXIT_DONE)
        code = robot_parse_links(r);
    if (code == EXIT_DONE)
        code = robot_check_trajectory(r);
    if (code == EXIT_DONE)
        code = place_targets(r);
    if (code == EXIT_DONE)
        code = follow(r);
    if (code == EXIT_DONE)
        code = robot_write(r);
    if (code == EXIT_DONE)
        code = robot_write_trajectory(r);
    if (code == EXIT_DONE)
        code = robot_report(r);
    free(r->q);
    free(r->reached);
    free(r->errors);
    free(r->near_rows);
    free(r->regions);
    free(r->targets);
    rm2_data_free(r->data);
    rm2_arm_free(r->arm);
    return code;
}

int run_robot(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    robot_options options = {
        .data = data_options_default(),
        .track = rm2_track_settings_default(),
        .track_from = {.table = rm2_settings_table_of(RM2_SETTINGS_TRACK)},
        .placement = rm2_placement_default(),
        .place_from = {.table = rm2_settings_table_of(RM2_SETTINGS_PLACEMENT)}};
    options.data.from.only = input_settings;
    options.data.settings.scale = RM2_SCALE_NONE; /* positions keep their units */
    const option_group groups[] = {{"Arm", arm_option_table, &options.arm, NULL},
                                   {"Options", robot_table, &options, NULL},
                                   {NULL, NULL, &options.track, &options.track_from},
                                   {"Links and what they avoid", link_table, &options, NULL},
                                   {"Place of the trajectory", place_table, &options, NULL},
                                   {NULL, NULL, &options.placement, &options.place_from},
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
    int code = arm_check(&r.work, &options.arm);
    if (code != EXIT_DONE)
        return code;
    if (count < 2 || !arm_given(&options.arm)) {
        (void)fprintf(stderr, "usage: %s %s\n%s", self->title, self->usage, self->examples);
        return EXIT_USAGE;
    }
    r.work.ctx = command_context(&common);
    if (!r.work.ctx)
        return EXIT_FAILED;
    code = track(&r);
    rm2_context_free(r.work.ctx);
    return code;
}
