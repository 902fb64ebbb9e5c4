/* Motions around obstacles. The correction moves the route, hence its proof is made again, and the plan is made for where the
 * obstacles are as seen from the route: a region that is too near is moved by the correction where it is nearest.
 *
 *   plans 1, 2    the regions themselves, and the copies of plan 2
 *   plans 3 to 5  the last three copies of a region in its place
 *   plans 4, 5    with 1.5 times the clearance */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "meet/meet.h"
#include "region/region.h"

enum { COPIES = 3, ORIGINALS_UNTIL = 2, WIDER_FROM = 4 };
static const double WIDER = 1.5;
static const double ACCURACY = 1e-6; /* of a proven clearance, over the extent of the positions */

/* ---- proof ---------------------------------------------------------------------------------- */

rm2_status rm2i_meet_clearance(rm2_context *ctx, const rm2_space *space,
                               const rm2i_meet_corrected *c, double *clearance) {
    const rm2i_clearance *look = &space->clearance;
    size_t Q = space->core->Q, dim = look->position.dim;
    double *work;
    RM2_TRY(rm2i_alloc(ctx, rm2i_clearance_work(look), sizeof *work, &work));
    *clearance = INFINITY;
    for (size_t i = 0; i + 1 < c->n; i++) {
        double lost =
            c->deviation ? look->deviations * fmax(c->deviation[i], c->deviation[i + 1]) : 0;
        double own = rm2i_clearance_of_shifted(look, 2, c->x + i * Q, c->shift + i * dim,
                                               ACCURACY * space->extent, work);
        *clearance = fmin(*clearance, own - lost);
    }
    free(work);
    return RM2_OK;
}

rm2_status rm2i_meet_check_clear(rm2_context *ctx, const rm2_space *space,
                                 const rm2i_meet_poses *poses) {
    const rm2i_clearance *look = &space->clearance;
    if (!space->regions)
        return RM2_OK;
    const rm2_factor *f = &poses->model->manifold->factors[look->position.factor];
    double scale = poses->model->data->scale[look->position.factor];
    for (size_t k = 0; k < poses->count; k++) {
        const rm2i_meet_pose *pose = &poses->pose[k];
        double y[RM2I_POSITION_DIM];
        for (size_t e = 0; e < f->ambient; e++)
            y[e] = scale * pose->point[f->ambient_offset + e];
        for (size_t r = 0; pose->there[look->position.factor] && r < look->count; r++) {
            double d = rm2_region_distance(&look->regions[r], y, NULL);
            if (d < look->wanted)
                return rm2i_fail(ctx, RM2_ERR_DATA,
                                 "%s is %.4g from obstacle %zu; the clearance is %g", pose->name, d,
                                 r + 1, look->wanted);
        }
    }
    return RM2_OK;
}

/* ---- plans ---------------------------------------------------------------------------------- */

/* The region moved by -shift, larger by `more`; boxes at least so. */
static rm2_region moved(const rm2_region *region, const double *shift, double more) {
    rm2_region r = *region;
    double length = 0;
    for (size_t k = 0; k < r.dim; k++) {
        r.a[k] -= shift[k];
        if (r.kind == RM2_REGION_BOX || r.kind == RM2_REGION_CAPSULE)
            r.b[k] -= shift[k];
        length += r.b[k] * r.b[k];
    }
    r.radius += more;
    for (size_t k = 0; k < r.dim; k++) {
        if (r.kind == RM2_REGION_BOX) {
            r.a[k] -= more;
            r.b[k] += more;
        }
        if (r.kind == RM2_REGION_HALF_SPACE)
            r.a[k] += more * r.b[k] / sqrt(length);
    }
    return r;
}

typedef struct nearest {
    double distance, part, deviation;
    size_t segment;
} nearest;

/* Where the straight lines between the points of the motion (position in the units of the data: n x dim) are nearest. */
static nearest find_nearest(const rm2_space *space, const rm2i_meet_corrected *c, const double *y,
                            const rm2_region *region) {
    size_t dim = space->clearance.position.dim;
    nearest best = {.distance = INFINITY};
    for (size_t i = 0; i + 1 < c->n; i++) {
        double part, lost = 0;
        if (c->deviation)
            lost = space->clearance.deviations * fmax(c->deviation[i], c->deviation[i + 1]);
        double d =
            rm2i_region_segment_nearest(region, y + i * dim, y + (i + 1) * dim, &part) - lost;
        if (d < best.distance)
            best = (nearest){d, part, lost, i};
    }
    return best;
}

static rm2_status add_copy(rm2_context *ctx, const rm2_region *copy, size_t of,
                           rm2i_meet_plan *plan) {
    RM2_TRY(rm2i_grow(ctx, plan->count + 1, sizeof *plan->copy, &plan->copy));
    RM2_TRY(rm2i_grow(ctx, plan->count + 1, sizeof *plan->of, &plan->of));
    plan->copy[plan->count] = *copy;
    plan->of[plan->count++] = of;
    return RM2_OK;
}

/* Copies of the regions that are too near; of the nearest one if none is, as the proof has failed. */
static rm2_status add_copies(rm2_context *ctx, const rm2_space *space, const rm2i_meet_corrected *c,
                             const double *y, rm2i_meet_plan *plan) {
    const rm2i_clearance *look = &space->clearance;
    size_t dim = look->position.dim, closest = 0;
    double least = INFINITY;
    for (size_t r = 0; r < look->count; r++) {
        double d = find_nearest(space, c, y, &look->regions[r]).distance;
        if (d < least) {
            least = d;
            closest = r;
        }
    }
    for (size_t r = 0; r < look->count; r++) {
        nearest at = find_nearest(space, c, y, &look->regions[r]);
        double shift[RM2I_POSITION_DIM] = {0};
        if (at.distance >= look->wanted && r != closest)
            continue;
        for (size_t k = 0; k < dim; k++)
            shift[k] = (1 - at.part) * c->shift[at.segment * dim + k] +
                       at.part * c->shift[(at.segment + 1) * dim + k];
        rm2_region copy = moved(&look->regions[r], shift, at.deviation);
        RM2_TRY(add_copy(ctx, &copy, r, plan));
    }
    return RM2_OK;
}

/* Copies of a region, up to the last three, from the newest on. */
static size_t collect_copies(const rm2i_meet_plan *plan, size_t region, rm2_region *out) {
    size_t count = 0;
    for (size_t k = plan->count; k-- > 0 && count < COPIES;)
        if (plan->of[k] == region)
            out[count++] = plan->copy[k];
    return count;
}

rm2_status rm2i_meet_replan(rm2_context *ctx, const rm2_space *space, const rm2i_meet_corrected *c,
                            const double *points, size_t round, rm2i_meet_plan *plan,
                            rm2_space **other) {
    const rm2i_clearance *look = &space->clearance;
    rm2_region *regions;
    size_t count = 0;
    *other = NULL;
    RM2_TRY(add_copies(ctx, space, c, points, plan));
    RM2_TRY(rm2i_alloc(ctx, look->count * (COPIES + 1), sizeof *regions, &regions));
    for (size_t r = 0; r < look->count; r++) {
        size_t copies = collect_copies(plan, r, regions + count);
        count += copies;
        if (copies == 0 || round <= ORIGINALS_UNTIL)
            regions[count++] = look->regions[r];
    }
    rm2_obstacles obstacles = {count, regions, look->position.factor};
    double wanted = (round >= WIDER_FROM ? WIDER : 1) * look->wanted;
    rm2_space_settings s = *rm2_space_settings_of(space);
    s.obstacles = &obstacles;
    s.clearance = wanted;
    s.deviations = 0;
    rm2_status status = rm2_space_with_settings(ctx, space, &s, other);
    free(regions);
    return status;
}

void rm2i_meet_plan_free(rm2i_meet_plan *plan) {
    free(plan->copy);
    free(plan->of);
}
