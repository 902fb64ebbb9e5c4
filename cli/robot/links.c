/* Links of the arm in riemann2 robot track: how thick they are, what they keep away from, how near they come. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/regions.h"
#include "robot/robot.h"

/* ---- options -------------------------------------------------------------------------------- */

static int parse_radii(const robot_work *r) {
    const char *text = r->options->link_radius;
    size_t count = text ? count_numbers(text) : 0, bodies = rm2_arm_bodies(r->arm);
    double radii[RM2_ARM_MAX_BODIES];
    if (!text)
        return EXIT_DONE;
    if (count != 1 && count != bodies)
        return work_complain(&r->work, EXIT_USAGE,
                             "--link-radius %s: expected one number or %zu, one for each of the "
                             "links %s to %s, separated by commas",
                             text, bodies, rm2_arm_body_at(r->arm, 0)->name,
                             rm2_arm_body_at(r->arm, bodies - 1)->name);
    (void)parse_numbers(text, count, radii);
    rm2_status status = rm2_arm_set_radii(r->work.ctx, r->arm, count, radii);
    return status == RM2_ERR_ARGUMENT ? work_complain(&r->work, EXIT_USAGE, "--link-radius %s: %s",
                                                      text, rm2_context_error(r->work.ctx))
                                      : work_check(&r->work, status);
}

int robot_parse_links(robot_work *r) {
    robot_options *o = r->options;
    bool avoids = o->avoid.count > 0;
    if (o->scene.clearance > 0 && !avoids)
        return work_complain(&r->work, EXIT_USAGE, "--clearance needs --avoid");
    int code = parse_radii(r);
    if (code == EXIT_DONE && avoids)
        code = parse_regions(&r->work, r->data->manifold, &o->avoid, &o->scene.count, &r->regions);
    o->scene.regions = r->regions;
    if (avoids || o->link_radius || o->scene.self_clearance > 0)
        o->track.scene = &o->scene;
    return code;
}

/* ---- measuring ------------------------------------------------------------------------------ */

/* The nearer one, its place counted from the first point of all trajectories. */
static void keep_nearer(const rm2_arm_nearest *one, size_t from, rm2_arm_nearest *all) {
    if (from > 0 && !(one->distance < all->distance))
        return;
    *all = *one;
    all->at += (double)from;
}

rm2_status robot_measure_links(robot_work *r, size_t from, size_t n) {
    rm2_arm_clearance_info one = {.size = sizeof one};
    size_t joints = rm2_arm_joints(r->arm);
    if (!r->options->track.scene)
        return RM2_OK;
    WORK_TRY(rm2_arm_clearance(r->work.ctx, r->arm, r->options->track.scene, n,
                               r->q + from * joints, r->near_rows + 2 * from, &one));
    keep_nearer(&one.region, from, &r->near.region);
    keep_nearer(&one.self, from, &r->near.self);
    r->near.kept = (from == 0 || r->near.kept) && one.kept;
    return RM2_OK;
}

bool robot_links_keep(const robot_work *r) {
    return !r->options->track.scene || r->near.kept;
}

bool robot_compares(const robot_work *r, const rm2_arm_nearest *nearest) {
    return r->options->track.scene && isfinite(nearest->distance);
}

/* ---- telling -------------------------------------------------------------------------------- */

static const char *link_name(const robot_work *r, size_t body) {
    return rm2_arm_body_at(r->arm, body)->name;
}

/* "region 2 (sphere)" */
static void region_text(const robot_work *r, size_t region, char *text, size_t size) {
    static const char *const kinds[] = {[RM2_REGION_SPHERE] = "sphere",
                                        [RM2_REGION_BOX] = "box",
                                        [RM2_REGION_CAPSULE] = "capsule",
                                        [RM2_REGION_HALF_SPACE] = "half space"};
    (void)snprintf(text, size, "keep-out region %zu (%s)", region + 1,
                   kinds[r->regions[region].kind]);
}

void robot_print_links(const robot_work *r, FILE *out) {
    const rm2_arm_nearest *n = &r->near.region, *self = &r->near.self;
    char place[PLACE_SIZE], region[PLACE_SIZE];
    if (robot_compares(r, n)) {
        robot_place(r, n->at, place, sizeof place);
        region_text(r, n->other, region, sizeof region);
        (void)fprintf(out, "clearance of links: at least %.4g, of %s from %s %s\n", n->distance,
                      link_name(r, n->body), region, place);
    }
    if (robot_compares(r, self)) {
        robot_place(r, self->at, place, sizeof place);
        (void)fprintf(out, "distance between links: at least %.4g, of %s from %s %s\n",
                      self->distance, link_name(r, self->body), link_name(r, self->other), place);
    }
}

void robot_json_links(const robot_work *r, rm2_json *json) {
    const rm2_arm_nearest *n = &r->near.region, *self = &r->near.self;
    if (!r->options->track.scene)
        return;
    bool outside = robot_compares(r, n), inside = robot_compares(r, self);
    rm2_json_put(json, RM2_FLAG("clearance_kept", r->near.kept),
                 RM2_NUMBER("link_clearance", n->distance),
                 RM2_TEXT("clearance_link", outside ? link_name(r, n->body) : NULL),
                 RM2_COUNT("clearance_region", outside ? n->other + 1 : SIZE_MAX),
                 RM2_NUMBER("clearance_point", outside ? n->at : (double)NAN),
                 RM2_NUMBER("self_distance", self->distance),
                 RM2_TEXT("self_link", inside ? link_name(r, self->body) : NULL),
                 RM2_TEXT("self_other", inside ? link_name(r, self->other) : NULL),
                 RM2_NUMBER("self_point", inside ? self->at : (double)NAN));
}

/* Is there a posture for this point that keeps the clearances? */
static bool posture_keeps(const robot_work *r, size_t point) {
    double q[RM2_ARM_MAX_LINKS];
    rm2_track_error error = {.size = sizeof error};
    rm2_arm_clearance_info near = {.size = sizeof near};
    rm2_track_settings settings = r->options->track;
    settings.start = NULL;
    const double *target = r->targets + point * rm2_arm_task_width(&r->task);
    return rm2_arm_solve(r->work.ctx, r->arm, &r->task, target, &settings, q, &error) == RM2_OK &&
           !error.missed &&
           rm2_arm_clearance(r->work.ctx, r->arm, settings.scene, 1, q, NULL, &near) == RM2_OK &&
           near.kept;
}

int robot_complain_of_links(const robot_work *r) {
    const rm2_arm_scene *scene = r->options->track.scene;
    const char *file = r->options->trajectory;
    bool outside = r->near.region.distance < scene->clearance;
    const rm2_arm_nearest *n = outside ? &r->near.region : &r->near.self;
    char place[PLACE_SIZE], other[PLACE_SIZE];
    if (outside)
        region_text(r, n->other, other, sizeof other);
    else
        (void)snprintf(other, sizeof other, "%s", link_name(r, n->other));
    robot_place(r, n->at, place, sizeof place);
    return work_complain(
        &r->work, EXIT_NOT_CONVERGED,
        "%s%s%s %s %s %s %.4g %s; the clearance asked for is %.4g: %s; move or turn the path "
        "(--place auto, --offset, --rotate), %s or search at more points (--stations)",
        file ? file : "", file ? " is not written: " : "", link_name(r, n->body),
        n->distance < 0 ? "overlaps" : "passes", other, n->distance < 0 ? "by" : "at",
        fabs(n->distance), place, outside ? scene->clearance : scene->self_clearance,
        posture_keeps(r, (size_t)round(n->at))
            ? "postures that keep it reach this point, but no motion was found that leads through "
              "all"
            : "no posture was found that reaches this point and keeps it",
        outside ? "choose a smaller --clearance or --link-radius,"
                : "choose a smaller --link-radius,");
}
