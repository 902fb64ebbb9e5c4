/* Signed distances. For a convex set C and the nearest point c of its surface,
 *
 *     sphere       |y - a| - r
 *     capsule      |y - s| - r,  s = a + t (b - a),  t = (y - a).(b - a)/|b - a|^2 held in [0, 1]
 *     half space   n.(y - a),  n = b/|b|
 *     box          |max(q, 0)| + min(max_k q_k, 0),  q_k = |y_k - centre_k| - half_k
 *
 * The distance along a segment is convex, hence its minimum is found by golden section; that from a sphere is the one from
 * the point of the segment next to the centre. */
#include "region/region.h"
#include "riemann2/region.h"

#include <math.h>

#include "base/base.h"

/* ---- checks --------------------------------------------------------------------------------- */

static bool all_finite(size_t n, const double *x) {
    for (size_t k = 0; k < n; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

static double norm(size_t n, const double *x) {
    double most = 0, sum = 0;
    for (size_t k = 0; k < n; k++)
        most = fmax(most, fabs(x[k]));
    for (size_t k = 0; k < n && most > 0; k++)
        sum += x[k] / most * (x[k] / most);
    return most * sqrt(sum);
}

static rm2_status check_box(rm2_context *ctx, const rm2_region *r) {
    for (size_t k = 0; k < r->dim; k++)
        if (!(r->a[k] < r->b[k]))
            return rm2i_fail(
                ctx, RM2_ERR_ARGUMENT,
                "box: coordinate %zu goes from %g to %g; the first corner must be below "
                "the second one",
                k + 1, r->a[k], r->b[k]);
    return RM2_OK;
}

rm2_status rm2_region_check(rm2_context *ctx, const rm2_region *region) {
    RM2_REQUIRE(ctx, region);
    const rm2_region *r = region;
    bool round = r->kind == RM2_REGION_SPHERE || r->kind == RM2_REGION_CAPSULE;
    if ((unsigned)r->kind > RM2_REGION_HALF_SPACE)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "region.kind is %d, not an rm2_region_kind",
                         (int)r->kind);
    if (r->dim < 1 || r->dim > RM2_REGION_DIM)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "region.dim is %zu; expected 1 to %d", r->dim,
                         RM2_REGION_DIM);
    if (!all_finite(r->dim, r->a) || (r->kind != RM2_REGION_SPHERE && !all_finite(r->dim, r->b)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "region: a coordinate is not finite");
    if (round && !(r->radius > 0 && isfinite(r->radius)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: radius is %g; it must be positive",
                         r->kind == RM2_REGION_SPHERE ? "sphere" : "capsule", r->radius);
    if (r->kind == RM2_REGION_HALF_SPACE && !(norm(r->dim, r->b) > 0))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "halfspace: the normal is 0");
    return r->kind == RM2_REGION_BOX ? check_box(ctx, r) : RM2_OK;
}

/* ---- distances ------------------------------------------------------------------------------ */

/* |y - centre| - radius; at the centre every direction is one. */
static double from_centre(size_t dim, const double *y, const double *centre, double radius,
                          double *gradient) {
    double d[RM2_REGION_DIM] = {0}, length;
    for (size_t k = 0; k < dim; k++)
        d[k] = y[k] - centre[k];
    length = norm(dim, d);
    for (size_t k = 0; gradient && k < dim; k++)
        gradient[k] = length > 0 ? d[k] / length : k == 0;
    return length - radius;
}

static double from_capsule(const rm2_region *r, const double *y, double *gradient) {
    double axis[RM2_REGION_DIM], along = 0, square = 0, nearest[RM2_REGION_DIM];
    for (size_t k = 0; k < r->dim; k++) {
        axis[k] = r->b[k] - r->a[k];
        along += (y[k] - r->a[k]) * axis[k];
        square += axis[k] * axis[k];
    }
    double t = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
    for (size_t k = 0; k < r->dim; k++)
        nearest[k] = r->a[k] + t * axis[k];
    return from_centre(r->dim, y, nearest, r->radius, gradient);
}

static double from_plane(const rm2_region *r, const double *y, double *gradient) {
    double length = norm(r->dim, r->b), sum = 0;
    for (size_t k = 0; k < r->dim; k++) {
        double n = r->b[k] / length;
        sum += n * (y[k] - r->a[k]);
        if (gradient)
            gradient[k] = n;
    }
    return sum;
}

static double from_box(const rm2_region *r, const double *y, double *gradient) {
    double outside[RM2_REGION_DIM], deepest = -INFINITY, side[RM2_REGION_DIM] = {0};
    size_t nearest = 0;
    for (size_t k = 0; k < r->dim; k++) {
        double off = y[k] - (r->a[k] + r->b[k]) / 2, q = fabs(off) - (r->b[k] - r->a[k]) / 2;
        side[k] = off < 0 ? -1 : 1;
        outside[k] = fmax(q, 0);
        if (q > deepest) {
            deepest = q;
            nearest = k;
        }
    }
    double distance = norm(r->dim, outside);
    for (size_t k = 0; gradient && k < r->dim; k++)
        gradient[k] = distance > 0 ? side[k] * outside[k] / distance : k == nearest ? side[k] : 0;
    return distance > 0 ? distance : deepest;
}

double rm2_region_distance(const rm2_region *region, const double *point, double *gradient) {
    if (!region || !point)
        return NAN;
    switch (region->kind) {
    case RM2_REGION_SPHERE:
        return from_centre(region->dim, point, region->a, region->radius, gradient);
    case RM2_REGION_BOX:
        return from_box(region, point, gradient);
    case RM2_REGION_CAPSULE:
        return from_capsule(region, point, gradient);
    case RM2_REGION_HALF_SPACE:
        return from_plane(region, point, gradient);
    }
    return NAN;
}

/* ---- segments ------------------------------------------------------------------------------- */

static double distance_at(const rm2_region *r, const double *from, const double *to, double t) {
    double y[RM2_REGION_DIM] = {0};
    for (size_t k = 0; k < r->dim; k++)
        y[k] = from[k] + t * (to[k] - from[k]);
    return rm2_region_distance(r, y, NULL);
}

/* t = (centre - a).(b - a)/|b - a|^2 held in [0, 1]: where the segment is nearest to a sphere's centre. */
static double nearest_to_centre(const rm2_region *r, const double *from, const double *to) {
    double along = 0, square = 0;
    for (size_t k = 0; k < r->dim; k++) {
        along += (r->a[k] - from[k]) * (to[k] - from[k]);
        square += (to[k] - from[k]) * (to[k] - from[k]);
    }
    return square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
}

/* The least distance of a segment so far, and where it is. */
typedef struct least_place {
    double distance, part;
} least_place;

static double look(const rm2_region *r, const double *from, const double *to, double t,
                   least_place *least) {
    double distance = distance_at(r, from, to, t);
    if (distance < least->distance)
        *least = (least_place){distance, t};
    return distance;
}

/* Golden section; the minimum is in an interval of the width WIDTH around the least. */
static void narrow(const rm2_region *r, const double *from, const double *to, double width,
                   least_place *least) {
    static const double GOLDEN = 0.6180339887498949;
    double low = 0, high = 1, left = high - GOLDEN, right = low + GOLDEN;
    double at_left = look(r, from, to, left, least), at_right = look(r, from, to, right, least);
    while (high - low > width) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - GOLDEN * (high - low);
            at_left = look(r, from, to, left, least);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + GOLDEN * (high - low);
            at_right = look(r, from, to, right, least);
        }
    }
}

double rm2i_region_segment_nearest(const rm2_region *region, const double *from, const double *to,
                                   double *part) {
    static const double WIDTH = 1e-9;
    if (!region || !from || !to)
        return NAN;
    double step[RM2_REGION_DIM];
    least_place least = {INFINITY, 0};
    for (size_t k = 0; k < region->dim; k++)
        step[k] = to[k] - from[k];
    double length = norm(region->dim, step);
    bool ends = !(length > 0) || region->kind == RM2_REGION_HALF_SPACE;
    (void)look(region, from, to, 0, &least);
    (void)look(region, from, to, 1, &least);
    if (region->kind == RM2_REGION_SPHERE && !ends)
        (void)look(region, from, to, nearest_to_centre(region, from, to), &least);
    else if (!ends)
        narrow(region, from, to, WIDTH, &least);
    if (part)
        *part = least.part;
    return least.distance - (ends ? 0 : WIDTH * length);
}

double rm2i_region_segment_distance(const rm2_region *region, const double *from,
                                    const double *to) {
    return rm2i_region_segment_nearest(region, from, to, NULL);
}
