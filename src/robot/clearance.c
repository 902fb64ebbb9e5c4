/* How near the bodies of an arm come to regions and to each other.
 *
 * Another body is a region too, a capsule. With d the distance of a body's segment from a region, r its radius,
 *
 *   distance = d - r,     d(distance)/dq_k = n . (v_k(p) - v_k(p')),
 *
 * p the nearest point of the segment, n the region's normal there, p' the point that it is nearest to, and v_k the velocity
 * that joint k gives to a point; p' of a region that does not move has none.
 *
 * Between two configurations joints move straight, q(t) = a + t (b - a). No point of a body then moves further than
 * w = sum_k lever_k |b_k - a_k|, and what is compared with it, seen from the frame of the body that comes first, neither. So
 *
 *   distance(t) >= (distance(t0) + distance(t1) - w (t1 - t0)) / 2     for t0 <= t <= t1,
 *
 * and intervals are halved until this is as good as asked for. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "math/quaternion.h"
#include "region/region.h"
#include "robot/robot.h"

static const double RESOLUTION = 1e-4; /* relative to the reach */
enum {
    DEEPEST = 48, /* halvings */
    MOST_LOOKS =
        20000 /* configurations between two, at most: a bound that is not as near is a bound */
};

/* ---- the scene ------------------------------------------------------------------------------ */

static bool moves_frame(const rm2_arm *arm, size_t joint, size_t frame) {
    return arm->link_of[joint] < frame;
}

/* lever_k: the longest way along the arm from joint k to an end of a body that it moves. */
static double lever_of(const rm2i_robot_scene *s, size_t joint) {
    const rm2_arm *arm = s->arm;
    double longest = 0;
    for (size_t b = 0; b < arm->bodies; b++)
        for (size_t e = 0; e < 2; e++) {
            size_t frame = arm->body[b].frame[e];
            if (moves_frame(arm, joint, frame))
                longest = fmax(longest, s->along[frame] - s->along[arm->link_of[joint] + 1] +
                                            rm2i_norm(3, arm->body[b].end[e]));
        }
    bool slides = rm2_arm_joint_kind(arm, joint) == RM2_JOINT_PRISMATIC;
    return slides ? 1 : longest;
}

static rm2_status check_scene(rm2_context *ctx, const rm2_arm_scene *scene) {
    if (scene->count > 0)
        RM2_REQUIRE(ctx, scene->regions);
    for (size_t i = 0; i < scene->count; i++) {
        rm2_status status = rm2_region_check(ctx, &scene->regions[i]);
        if (status != RM2_OK)
            return rm2i_fail_prefix(ctx, status, "region %zu", i);
    }
    if (!(scene->clearance >= 0 && scene->clearance < RM2I_LARGEST) ||
        !(scene->self_clearance >= 0 && scene->self_clearance < RM2I_LARGEST))
        return rm2i_fail(
            ctx, RM2_ERR_ARGUMENT,
            "clearance and self_clearance must be finite and at least 0, not %g and %g",
            scene->clearance, scene->self_clearance);
    return RM2_OK;
}

rm2_status rm2i_scene_create(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_scene *scene,
                             rm2i_robot_scene *made) {
    RM2_TRY(check_scene(ctx, scene));
    *made = (rm2i_robot_scene){.arm = arm,
                               .regions = scene->regions,
                               .count = scene->count,
                               .need = {scene->clearance, scene->self_clearance},
                               .resolution = RESOLUTION * arm->reach};
    for (size_t i = 0; i < arm->links; i++)
        made->along[i + 1] = made->along[i] + rm2i_piece_length(arm, i);
    for (size_t k = 0; k < arm->joints; k++)
        made->lever[k] = lever_of(made, k);
    return RM2_OK;
}

/* Ends that are fixed to frame i, which is at x, turned by r. */
static void place_ends(rm2i_robot_scene *s, size_t i, const double x[3], const double r[4]) {
    for (size_t b = 0; b < s->arm->bodies; b++)
        for (size_t e = 0; e < 2; e++) {
            if (s->arm->body[b].frame[e] != i)
                continue;
            rm2i_quaternion_rotate(r, s->arm->body[b].end[e], s->end[b][e]);
            rm2i_axpy(3, 1, x, s->end[b][e]);
        }
}

void rm2i_scene_move(rm2i_robot_scene *s, const double *q) {
    const rm2_arm *arm = s->arm;
    double x[3] = {0, 0, 0}, r[4] = {1, 0, 0, 0};
    size_t k = 0; /* joint */
    place_ends(s, 0, x, r);
    for (size_t i = 0; i < arm->links; i++) {
        bool joint = k < arm->joints && arm->link_of[k] == i;
        rm2i_arm_advance(&arm->segment[i], arm->segment[i].offset + (joint ? q[k++] : 0), x, r);
        place_ends(s, i + 1, x, r);
    }
}

/* ---- one configuration ---------------------------------------------------------------------- */

/* Does a joint move frame `b`, and not frame `a` before it? */
static bool moves_between(const rm2_arm *arm, size_t a, size_t b) {
    for (size_t k = 0; k < arm->joints; k++)
        if (!moves_frame(arm, k, a) && moves_frame(arm, k, b))
            return true;
    return false;
}

/* Are two bodies, the first nearer to the base, compared with each other? */
static bool are_compared(const rm2i_robot_scene *s, const rm2_arm_body *first,
                         const rm2_arm_body *second) {
    if (first->frame[0] >= second->frame[0])
        return false;
    double way = s->along[second->frame[0]] - s->along[first->frame[0] + 1];
    return way > 2 * (first->radius + second->radius) &&
           moves_between(s->arm, first->frame[0], second->frame[1]);
}

/* What a body is compared with: region `other`, or body `other` as one. */
static rm2_region region_of(const rm2i_robot_scene *s, int kind, size_t other) {
    if (kind == RM2I_REGIONS)
        return s->regions[other];
    rm2_region r = {.kind = RM2_REGION_CAPSULE, .dim = 3, .radius = s->arm->body[other].radius};
    memcpy(r.a, s->end[other][0], sizeof r.a);
    memcpy(r.b, s->end[other][1], sizeof r.b);
    return r;
}

/* Is a body surely further than this from a region? By the middle of its segment. */
static bool is_further(const rm2_region *r, const double end[2][3], double distance) {
    double middle[3], half[3];
    for (int i = 0; i < 3; i++) {
        middle[i] = (end[0][i] + end[1][i]) / 2;
        half[i] = (end[1][i] - end[0][i]) / 2;
    }
    return rm2_region_distance(r, middle, NULL) - rm2i_norm(3, half) >= distance;
}

bool rm2i_scene_nearest(const rm2i_robot_scene *s, size_t body, int kind, double within,
                        rm2i_touch *touch) {
    const rm2_arm_body *b = &s->arm->body[body];
    bool found = false;
    if (kind == RM2I_REGIONS && !moves_between(s->arm, 0, b->frame[1]))
        return false; /* the base stands where it stands */
    for (size_t i = 0; i < (kind == RM2I_REGIONS ? s->count : s->arm->bodies); i++) {
        if (kind == RM2I_SELF && !are_compared(s, &s->arm->body[i], b))
            continue;
        rm2_region other = region_of(s, kind, i);
        double part;
        if (is_further(&other, s->end[body], within + b->radius))
            continue;
        double distance =
            rm2i_region_segment_nearest(&other, s->end[body][0], s->end[body][1], &part) -
            b->radius;
        if (!(distance < within))
            continue;
        *touch = (rm2i_touch){distance, body, i, part};
        within = distance;
        found = true;
    }
    return found;
}

void rm2i_scene_least(rm2i_robot_scene *s, const double *q, rm2i_touch least[RM2I_SCENE_KINDS]) {
    rm2i_scene_move(s, q);
    for (int kind = 0; kind < RM2I_SCENE_KINDS; kind++) {
        least[kind] = (rm2i_touch){.distance = INFINITY};
        for (size_t b = 0; b < s->arm->bodies; b++)
            (void)rm2i_scene_nearest(s, b, kind, least[kind].distance, &least[kind]);
    }
}

double rm2i_scene_excess(rm2i_robot_scene *s, const double *q) {
    rm2i_touch least[RM2I_SCENE_KINDS];
    double sum = 0;
    rm2i_scene_least(s, q, least);
    for (int kind = 0; kind < RM2I_SCENE_KINDS; kind++)
        sum += fmax(0, s->need[kind] - least[kind].distance);
    return sum;
}

/* ---- its derivative ------------------------------------------------------------------------- */

/* += sign n . v_k of the point at `part` of a body: J_k + w_k x (end - tip) of each end that joint k moves. */
static void add_velocities(const rm2i_robot_scene *s, size_t body, double part, const double n[3],
                           double sign, const rm2i_posture *p, double *gradient) {
    for (size_t k = 0; k < s->arm->joints; k++)
        for (size_t e = 0; e < 2; e++) {
            double arm_vector[3], velocity[3];
            if (!moves_frame(s->arm, k, s->arm->body[body].frame[e]))
                continue;
            for (int i = 0; i < 3; i++)
                arm_vector[i] = s->end[body][e][i] - p->tip[i];
            rm2i_cross(p->axis[k], arm_vector, velocity);
            rm2i_axpy(3, 1, p->column[k], velocity);
            gradient[k] += sign * (e ? part : 1 - part) * rm2i_dot(3, n, velocity);
        }
}

/* Where on the segment of a body its nearest point to p is. */
static double part_next_to(const rm2i_robot_scene *s, size_t body, const double p[3]) {
    double along = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        double step = s->end[body][1][i] - s->end[body][0][i];
        along += (p[i] - s->end[body][0][i]) * step;
        square += step * step;
    }
    return square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
}

void rm2i_scene_gradient(const rm2i_robot_scene *s, int kind, const rm2i_touch *t,
                         const rm2i_posture *posture, double *gradient) {
    rm2_region other = region_of(s, kind, t->other);
    double p[3], n[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        p[i] = s->end[t->body][0][i] + t->part * (s->end[t->body][1][i] - s->end[t->body][0][i]);
    (void)rm2_region_distance(&other, p, n);
    memset(gradient, 0, s->arm->joints * sizeof *gradient);
    add_velocities(s, t->body, t->part, n, 1, posture, gradient);
    if (kind == RM2I_SELF)
        add_velocities(s, t->other, part_next_to(s, t->other, p), n, -1, posture, gradient);
}

/* ---- between configurations ----------------------------------------------------------------- */

/* A configuration between a and b. */
typedef struct look {
    double t, distance[RM2I_SCENE_KINDS];
} look;

/* The straight way from a to b. */
typedef struct way {
    rm2i_robot_scene *scene;
    const double *a, *b;
    double length;                      /* w */
    const double *need;                 /* are these kept? NULL: find the least */
    rm2i_touch least[RM2I_SCENE_KINDS]; /* of all looks */
    double at[RM2I_SCENE_KINDS];        /* where it is, from `from` on */
    double proven[RM2I_SCENE_KINDS];    /* no distance is below */
    double from;
} way;

static look look_at(way *w, double t) {
    double q[RM2_ARM_MAX_LINKS] = {0};
    rm2i_touch found[RM2I_SCENE_KINDS];
    look l = {.t = t};
    for (size_t k = 0; k < w->scene->arm->joints; k++)
        q[k] = w->a[k] + t * (w->b[k] - w->a[k]);
    rm2i_scene_least(w->scene, q, found);
    for (int kind = 0; kind < RM2I_SCENE_KINDS; kind++) {
        l.distance[kind] = found[kind].distance;
        if (found[kind].distance < w->least[kind].distance) {
            w->least[kind] = found[kind];
            w->at[kind] = w->from + t;
        }
    }
    return l;
}

/* (d0 + d1 - w (t1 - t0)) / 2 */
static double bound(const way *w, const look *a, const look *b, int kind) {
    return (a->distance[kind] + b->distance[kind] - w->length * (b->t - a->t)) / 2;
}

static bool is_settled(const way *w, const look *a, const look *b) {
    for (int kind = 0; kind < RM2I_SCENE_KINDS; kind++) {
        double enough = w->need ? w->need[kind] : w->least[kind].distance - w->scene->resolution;
        if (!(bound(w, a, b, kind) >= enough))
            return false;
    }
    return true;
}

static bool is_broken(const way *w, const look *l) {
    for (int kind = 0; w->need && kind < RM2I_SCENE_KINDS; kind++)
        if (l->distance[kind] < w->need[kind])
            return true;
    return false;
}

static void set_length(way *w) {
    w->length = 0;
    for (size_t k = 0; k < w->scene->arm->joints; k++)
        w->length += w->scene->lever[k] * fabs(w->b[k] - w->a[k]);
}

/* From a to b, what is at both ends known; false: clearances that are needed are not kept. */
static bool sweep(way *w, look left, look last) {
    look stack[DEEPEST + 1] = {last}; /* right ends of intervals, the next one on top */
    size_t depth = 1, looks = 0;
    if (is_broken(w, &left) || is_broken(w, &last))
        return false;
    while (depth > 0) {
        look right = stack[depth - 1];
        bool spent = depth > DEEPEST || looks++ > MOST_LOOKS;
        if (is_settled(w, &left, &right) || (spent && !w->need)) {
            for (int kind = 0; kind < RM2I_SCENE_KINDS; kind++)
                w->proven[kind] = fmin(w->proven[kind], bound(w, &left, &right, kind));
            left = right;
            depth--;
            continue;
        }
        if (spent || (w->need && w->length * (right.t - left.t) < w->scene->resolution))
            return false;
        stack[depth] = look_at(w, (left.t + right.t) / 2);
        if (is_broken(w, &stack[depth]))
            return false;
        depth++;
    }
    return true;
}

static way way_of(rm2i_robot_scene *scene, const double *a, const double *b) {
    way w = {.scene = scene, .a = a, .b = b};
    for (int kind = 0; kind < RM2I_SCENE_KINDS; kind++)
        w.least[kind].distance = w.proven[kind] = INFINITY;
    return w;
}

bool rm2i_scene_clear(rm2i_robot_scene *scene, const double *a, const double *b, double more) {
    double need[RM2I_SCENE_KINDS];
    way w = way_of(scene, a, b);
    for (int kind = 0; kind < RM2I_SCENE_KINDS; kind++)
        need[kind] = scene->need[kind] + more;
    w.need = need;
    set_length(&w);
    look first = look_at(&w, 0);
    return sweep(&w, first, look_at(&w, 1));
}

/* ---- public --------------------------------------------------------------------------------- */

static void keep_row(const look *l, size_t i, double *rows, way *w) {
    for (int kind = 0; kind < RM2I_SCENE_KINDS; kind++) {
        w->proven[kind] = fmin(w->proven[kind], l->distance[kind]);
        if (rows)
            rows[i * RM2I_SCENE_KINDS + (size_t)kind] = l->distance[kind];
    }
}

static rm2_status measure(rm2_context *ctx, way *w, size_t n, const double *q, double *rows) {
    size_t joints = w->scene->arm->joints;
    look before = {.t = 0};
    for (size_t i = 0; i < n; i++) {
        if (rm2i_interrupted(ctx))
            return rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
        w->a = q + (i ? i - 1 : 0) * joints;
        w->b = q + i * joints;
        w->from = i ? (double)(i - 1) : -1;
        look here = look_at(w, 1);
        keep_row(&here, i, rows, w);
        set_length(w);
        before.t = 0;
        if (i > 0)
            (void)sweep(w, before, here);
        before = here;
    }
    return RM2_OK;
}

static rm2_arm_nearest nearest_of(const way *w, int kind) {
    const rm2i_touch *t = &w->least[kind];
    return (rm2_arm_nearest){w->proven[kind], t->body, t->other, w->at[kind]};
}

rm2_status rm2_arm_clearance(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_scene *scene,
                             size_t n, const double *q, double *rows,
                             rm2_arm_clearance_info *info) {
    RM2_REQUIRE(ctx, arm, scene, info);
    if (n > 0)
        RM2_REQUIRE(ctx, q);
    RM2_TRY(rm2i_check_size(ctx, info, sizeof *info));
    RM2_TRY(rm2i_check_angles(ctx, arm, n, q));
    rm2i_robot_scene made;
    RM2_TRY(rm2i_scene_create(ctx, arm, scene, &made));
    way w = way_of(&made, q, q);
    RM2_TRY(measure(ctx, &w, n, q, rows));
    rm2_arm_clearance_info found = {.region = nearest_of(&w, RM2I_REGIONS),
                                    .self = nearest_of(&w, RM2I_SELF)};
    found.kept = found.region.distance >= made.need[RM2I_REGIONS] &&
                 found.self.distance >= made.need[RM2I_SELF];
    rm2i_results_give(1, &found, sizeof found, info);
    return RM2_OK;
}
