/* Keep-out regions in the plane and in space (spheres, boxes, capsules, half spaces) and signed
 * distances from them. All are convex, so that the signed distance is a convex function of the
 * point; if the point moves, the distance changes by at most the length of the motion. */
#ifndef RIEMANN2_REGION_H
#define RIEMANN2_REGION_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RM2_REGION_DIM = 3 }; /* largest dimension of a region */

typedef enum rm2_region_kind {
    RM2_REGION_SPHERE,    /* |y - a| < radius */
    RM2_REGION_BOX,       /* a < y < b in every coordinate: sides along the axes */
    RM2_REGION_CAPSULE,   /* closer than the radius to the segment from a to b */
    RM2_REGION_HALF_SPACE /* b.(y - a) < 0: b points to the side that stays free */
} rm2_region_kind;

typedef struct rm2_region {
    rm2_region_kind kind;
    size_t dim; /* 1 to RM2_REGION_DIM */
    double a[RM2_REGION_DIM], b[RM2_REGION_DIM];
    double radius; /* radius of spheres and capsules */
} rm2_region;

/* Check a region. The call returns RM2_ERR_ARGUMENT, with the reason, for a region without an
 * interior: a radius that is not positive, corners of a box in the wrong order, a normal of length
 * 0, numbers that are not finite. */
RM2_API rm2_status rm2_region_check(rm2_context *ctx, const rm2_region *region);

/* Distance of a point (dim) from the surface, negative inside; NaN without region or point.
 * `gradient` (dim, or NULL) receives its derivative, a vector of length 1; if several points of the
 * surface are nearest, the derivative for one of them. */
RM2_API double rm2_region_distance(const rm2_region *region, const double *point, double *gradient);

/* Parse regions from a text. A region is a word followed by numbers, separated by commas or blanks,
 *
 *     sphere centre, radius          capsule end, end, radius
 *     box corner, opposite corner    halfspace point, normal (points to the free side)
 *
 * with one region per line, or several separated by semicolons; # begins a comment. Messages name
 * the number of the region, and its line if the text has several.
 *
 * @param ctx  context
 * @param text  the regions
 * @param dim  number of coordinates of a point, 1 to RM2_REGION_DIM
 * @param count  result: number of regions
 * @param regions  result, freed with rm2_free
 */
RM2_API rm2_status rm2_regions_parse(rm2_context *ctx, const char *text, size_t dim, size_t *count,
                                     rm2_region **regions);
/* Read regions from a file, whose text is as in rm2_regions_parse.
 *
 * @param ctx  context
 * @param path  the file
 * @param dim  number of coordinates of a point, 1 to RM2_REGION_DIM
 * @param count  result: number of regions
 * @param regions  result, freed with rm2_free
 */
RM2_API rm2_status rm2_regions_read(rm2_context *ctx, const char *path, size_t dim, size_t *count,
                                    rm2_region **regions);

#ifdef __cplusplus
}
#endif
#endif
