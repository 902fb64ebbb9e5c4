/* What riemann2 robot track writes and says. */
#include <math.h>
#include <string.h>

#include "core/sheet.h"
#include "robot/robot.h"

/* ---- the table ------------------------------------------------------------------------------ */

static bool add_angles(sheet *s, size_t joints, const double *q) {
    for (size_t k = 0; k < joints; k++) {
        char name[NAME_SIZE];
        (void)snprintf(name, sizeof name, "q%zu", k + 1);
        if (!sheet_add(s, name, q + k, joints))
            return false;
    }
    return true;
}

/* Column "name" of one member of the errors. */
static bool add_error(sheet *s, const char *name, const rm2_track_error *errors, size_t offset) {
    size_t column = s->next;
    rm2_table *t = &s->table;
    if (!sheet_add(s, name, t->values, 0))
        return false;
    for (size_t i = 0; i < t->rows; i++)
        memcpy(t->values + i * t->columns + column, (const char *)&errors[i] + offset,
               sizeof(double));
    return true;
}

int robot_write(const robot_work *r) {
    const rm2_data *d = r->data;
    size_t joints = rm2_arm_joints(r->arm);
    bool outside = robot_compares(r, &r->near.region), inside = robot_compares(r, &r->near.self);
    sheet s;
    if (!r->options->output && r->work.common->json)
        return EXIT_DONE;
    size_t columns = joints + rm2_manifold_ambient(d->manifold) + 1 + (d->trajectories ? 1 : 0) +
                     (d->time ? 1 : 0) + (r->task.orientation ? 1 : 0) +
                     (r->task.ellipsoid ? 1 : 0) + (outside ? 1 : 0) + (inside ? 1 : 0);
    bool built = sheet_create(&s, d->count, columns) &&
                 sheet_add_trajectories(&s, d->trajectories, d->starts, d->ids) &&
                 (!d->time || sheet_add(&s, "time", d->time, 1)) && add_angles(&s, joints, r->q) &&
                 sheet_add_points(&s, d->manifold, r->reached) &&
                 add_error(&s, "position_error", r->errors, offsetof(rm2_track_error, position)) &&
                 (!r->task.orientation || add_error(&s, "orientation_error", r->errors,
                                                    offsetof(rm2_track_error, orientation))) &&
                 (!r->task.ellipsoid || add_error(&s, "manipulability_error", r->errors,
                                                  offsetof(rm2_track_error, ellipsoid))) &&
                 (!outside || sheet_add(&s, "link_clearance", r->near_rows, 2)) &&
                 (!inside || sheet_add(&s, "self_distance", r->near_rows + 1, 2));
    const char *path = r->options->output ? r->options->output : "-";
    int code = built ? work_check(&r->work,
                                  rm2_csv_write(r->work.ctx, path, &s.table, r->work.common->force))
                     : work_no_memory(&r->work);
    sheet_free(&s);
    return code;
}

/* ---- the summary ---------------------------------------------------------------------------- */

typedef struct summary {
    double mean, largest;
} summary;

static summary summarise(const robot_work *r, size_t offset) {
    summary s = {0, 0};
    for (size_t i = 0; i < r->data->count; i++) {
        double value;
        memcpy(&value, (const char *)&r->errors[i] + offset, sizeof value);
        s.mean += value / (double)r->data->count;
        s.largest = fmax(s.largest, value);
    }
    return s;
}

static void print_errors(FILE *out, const char *what, summary s, const char *unit) {
    (void)fprintf(out, "%s error: mean %.3g, largest %.3g%s\n", what, s.mean, s.largest, unit);
}

static void print_vector(FILE *out, size_t count, const double *v) {
    for (size_t k = 0; k < count; k++)
        (void)fprintf(out, "%s%.6g", k ? ", " : "(", v[k]);
    (void)fprintf(out, ")");
}

static void print_placement(const robot_work *r, FILE *out) {
    const rm2_placement *p = &r->options->placement;
    bool turned = p->rotation[0] != 1;
    bool moved = p->offset[0] != 0 || p->offset[1] != 0 || p->offset[2] != 0;
    if (!moved && !turned && p->scale == 1) {
        if (r->placed)
            (void)fprintf(out, "placed: the points are within reach and stay where they are\n");
        return;
    }
    (void)fprintf(out, "placed: positions times %.6g, moved by ", p->scale);
    print_vector(out, r->task.dim, p->offset);
    if (turned) {
        (void)fprintf(out, ", turned before by the quaternion ");
        print_vector(out, 4, p->rotation);
    }
    (void)fprintf(out, "\n");
}

static void print_limits(const robot_work *r, FILE *out) {
    const rm2_track_info *i = &r->info;
    const char *unit = " rad"; /* lengths of prismatic joints have none */
    for (size_t k = 0; k < rm2_arm_joints(r->arm); k++)
        unit = rm2_arm_joint_kind(r->arm, k) == RM2_JOINT_PRISMATIC ? "" : unit;
    if (isfinite(i->margin))
        (void)fprintf(out, "joint limits: kept, by at least %.3g%s (joint %zu)\n", i->margin, unit,
                      i->margin_joint + 1);
    else
        (void)fprintf(out, "joint limits: none\n");
    (void)fprintf(out, "largest step of a joint: %.3g%s\n", i->largest_step, unit);
    if (i->jumps > 0)
        (void)fprintf(
            out, "jumps: %zu; between these points the arm leaves the path: add points there\n",
            i->jumps);
    if (i->stretch > 1 + 1e-6) /* more than rounding; the factor rounded up, so that it is enough */
        (void)fprintf(out, "speed limits: exceeded by joint %zu; stretch time by the factor %.4g\n",
                      i->stretch_joint + 1, ceil(1e3 * i->stretch) / 1e3);
    else if (i->stretch > 0)
        (void)fprintf(out, "speed limits: kept; at most %.3g of a limit (joint %zu)\n", i->stretch,
                      i->stretch_joint + 1);
}

static void print_text(const robot_work *r, FILE *out) {
    const rm2_data *d = r->data;
    size_t trajectories = d->trajectories ? d->trajectories : 1, joints = rm2_arm_joints(r->arm);
    (void)fprintf(out, "%s: %zu joint%s, %zu point%s of %s, %zu trajector%s\n",
                  rm2_arm_name(r->arm), joints, joints == 1 ? "" : "s", d->count,
                  d->count == 1 ? "" : "s", rm2_manifold_spec(d->manifold), trajectories,
                  trajectories == 1 ? "y" : "ies");
    print_placement(r, out);
    print_errors(out, "position", summarise(r, offsetof(rm2_track_error, position)), "");
    if (r->task.orientation)
        print_errors(out, "orientation", summarise(r, offsetof(rm2_track_error, orientation)),
                     " rad");
    if (r->task.ellipsoid)
        print_errors(out, "manipulability", summarise(r, offsetof(rm2_track_error, ellipsoid)),
                     " (affine-invariant distance)");
    print_limits(r, out);
    robot_print_links(r, out);
    if (r->written > 0)
        (void)fprintf(out, "joint trajectory: %s, %.4g s%s\n", r->options->trajectory, r->written,
                      r->stretched > 1 ? ", times stretched so that speed limits are kept" : "");
}

/* Mean and largest error of one kind, "position" for example. */
static void json_errors(rm2_json *json, const char *kind, summary s) {
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s_error_mean", kind);
    rm2_json_put(json, RM2_NUMBER(name, s.mean));
    (void)snprintf(name, sizeof name, "%s_error_largest", kind);
    rm2_json_put(json, RM2_NUMBER(name, s.largest));
}

/* Why points were missed; null where none was. */
static void json_cause(const robot_work *r, rm2_json *json) {
    static const char *const causes[] = {[RM2_TRACK_NOT_MISSED] = NULL,
                                         [RM2_TRACK_FAR] = "reach",
                                         [RM2_TRACK_POSE] = "pose",
                                         [RM2_TRACK_LIMIT] = "limit",
                                         [RM2_TRACK_WAY] = "way"};
    const rm2_track_info *i = &r->info;
    bool missed = i->cause != RM2_TRACK_NOT_MISSED, joint = missed && i->cause_joint != SIZE_MAX;
    rm2_json_put(json, RM2_TEXT("cause", causes[i->cause]),
                 RM2_COUNT("cause_point", missed ? i->cause_target : SIZE_MAX),
                 RM2_COUNT("cause_joint", joint ? i->cause_joint + 1 : SIZE_MAX),
                 RM2_NUMBER("cause_limit", joint ? i->cause_limit : (double)NAN));
}

static void json_speed(const rm2_track_info *i, rm2_json *json) {
    bool known = i->stretch > 0;
    rm2_json_put(json, RM2_NUMBER("speed_ratio", known ? i->stretch : (double)NAN));
    if (known)
        rm2_json_put(json, RM2_FLAG("speed_limits_kept", i->stretch <= 1));
    else
        rm2_json_put(json, RM2_TEXT("speed_limits_kept", NULL));
    rm2_json_put(json, RM2_NUMBER("time_stretch", known ? fmax(i->stretch, 1) : (double)NAN));
}

static void print_json(const robot_work *r, FILE *out) {
    const rm2_track_info *i = &r->info;
    const rm2_placement *p = &r->options->placement;
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_TEXT("arm", rm2_arm_name(r->arm)),
                 RM2_TEXT("manifold", rm2_manifold_spec(r->data->manifold)),
                 RM2_COUNT("joints", rm2_arm_joints(r->arm)), RM2_COUNT("points", r->data->count),
                 RM2_COUNT("trajectories", r->data->trajectories), RM2_COUNT("missed", i->missed));
    json_errors(&json, "position", summarise(r, offsetof(rm2_track_error, position)));
    if (r->task.orientation)
        json_errors(&json, "orientation", summarise(r, offsetof(rm2_track_error, orientation)));
    if (r->task.ellipsoid)
        json_errors(&json, "manipulability", summarise(r, offsetof(rm2_track_error, ellipsoid)));
    json_cause(r, &json);
    rm2_json_put(&json, RM2_NUMBER("limit_margin", i->margin),
                 RM2_NUMBER("largest_step", i->largest_step), RM2_COUNT("jumps", i->jumps),
                 RM2_COUNT("jump_point", i->jumps > 0 ? i->jump_target : SIZE_MAX));
    json_speed(i, &json);
    robot_json_links(r, &json);
    rm2_json_put(&json, RM2_NUMBER("scale", p->scale));
    rm2_json_numbers(&json, "offset", r->task.dim, p->offset);
    rm2_json_numbers(&json, "rotation", 4, p->rotation);
    rm2_json_end(&json);
}

void robot_place(const robot_work *r, double at, char *text, size_t size) {
    const rm2_data *d = r->data;
    size_t first = (size_t)at, from = 0, to = d->count;
    char line[PLACE_SIZE / 2];
    for (size_t t = 0; t < d->trajectories; t++)
        if (first >= d->starts[t] && first < d->starts[t + 1]) {
            from = d->starts[t];
            to = d->starts[t + 1];
        }
    if (at > (double)first)
        (void)snprintf(line, sizeof line, "between %s %zu and %zu", d->row_word, d->rows[first],
                       d->rows[first + 1]);
    else
        (void)snprintf(line, sizeof line, "at %s %zu", d->row_word, d->rows[first]);
    (void)snprintf(text, size, "%s (point %zu of %zu, %.2f of the path)", line, first - from + 1,
                   to - from, to - from > 1 ? (at - (double)from) / (double)(to - from - 1) : 0.0);
}

/* "; at line 17 (point 3 of 68, 0.03 of the way) joint 7 (elbow) is at its limit 2.9: ...". */
static void explain(const robot_work *r, char *text, size_t size) {
    char cause[MESSAGE_SIZE / 2], why[MESSAGE_SIZE / 2], place[PLACE_SIZE];
    robot_place(r, (double)r->info.cause_target, place, sizeof place);
    rm2_track_cause_text(r->arm, &r->info, cause, sizeof cause);
    (void)snprintf(text, size, "%s %s (--place auto, %s)", place,
                   message_as_options(cause, why, sizeof why),
                   r->info.cause == RM2_TRACK_FAR ? "--scale, --offset" : "--offset, --rotate");
}

/* "3 of 68 points were missed, line 17 most: ..." */
static int complain_of_misses(const robot_work *r) {
    const rm2_data *d = r->data;
    const rm2_track_error *e = &r->errors[r->info.worst];
    char angle[NAME_SIZE] = "", cause[PLACE_SIZE + MESSAGE_SIZE];
    if (r->task.orientation)
        (void)snprintf(angle, sizeof angle, " and %.3g rad", e->orientation);
    explain(r, cause, sizeof cause);
    return work_complain(&r->work, EXIT_NOT_CONVERGED,
                         "%zu of %zu points were missed, %s %zu most: by %.3g%s; the nearest "
                         "configurations were taken; %s",
                         r->info.missed, d->count, d->row_word, d->rows[r->info.worst], e->position,
                         angle, cause);
}

/* Every point is reached, but on the way to some the arm leaves the path. */
static int complain_of_jumps(const robot_work *r) {
    const rm2_track_info *i = &r->info;
    const char *file = r->options->trajectory;
    return work_complain(
        &r->work, EXIT_NOT_CONVERGED,
        "%s%sthe motion jumps at %zu point%s, first joint %zu (%s) on the way to %s %zu: between "
        "these points the arm leaves the path; add points to the path there, move or turn it "
        "(--place auto, --offset, --rotate), or search at more points (--stations)",
        file ? file : "", file ? " is not written: " : "", i->jumps, plural(i->jumps),
        i->jump_joint + 1, rm2_arm_joint_name(r->arm, i->jump_joint), r->data->row_word,
        r->data->rows[i->jump_target]);
}

int robot_report(const robot_work *r) {
    const char *output = r->options->output;
    bool prints = output ? strcmp(output, "-") == 0 : !r->work.common->json;
    FILE *out = prints ? stderr : stdout;
    if (r->work.common->json)
        print_json(r, out);
    else if (!r->work.common->quiet)
        print_text(r, out);
    if (r->info.missed > 0)
        return complain_of_misses(r);
    if (r->info.jumps > 0)
        return complain_of_jumps(r);
    return robot_links_keep(r) ? EXIT_DONE : robot_complain_of_links(r);
}
