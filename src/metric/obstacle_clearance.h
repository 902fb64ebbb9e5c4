/* The clearance of a decoded path: its least distance from keep-out regions, less a number of standard deviations of the
 * position.
 *
 *     c(x) = min_k d_k(y(x)) - K sigma(x)
 *
 * Along the line from a to b the decoded line stays within a bow of the chord between the decoded ends
 * (predict/position.h), hence with the exact distance of the chord from a region
 *
 *     c >= min_k d_k(chord) - bow - K max sigma, with bounds of the bow and of the largest sigma.
 *
 * Lines are halved until that is enough, so that no obstacle, however small, lies between two points unseen. */
#ifndef RM2I_CLEARANCE_H
#define RM2I_CLEARANCE_H

#include "predict/position.h"
#include "riemann2/metric.h"
#include "riemann2/region.h"

typedef struct rm2i_clearance {
    rm2i_position position;
    size_t count;
    const rm2_region *regions; /* of the position's dimension */
    double deviations;         /* K */
    double wanted;             /* the clearance that paths must keep */
} rm2i_clearance;

/* A latent point, decoded. */
typedef struct rm2i_clear_point {
    double y[RM2I_POSITION_DIM];
    double deviation;                /* 0 unless K > 0 */
    double clearance;                /* infinity without regions */
    double shift[RM2I_POSITION_DIM]; /* that y includes, in calls with shifts alone */
} rm2i_clear_point;

/* Scratch of all calls below: one point's, and the middles of a line that is halved again and again. */
size_t rm2i_clearance_work(const rm2i_clearance *clearance);
void rm2i_clearance_at(const rm2i_clearance *clearance, const double *x, rm2i_clear_point *point,
                       double *work);

/* Does the line keep the clearance that is wanted? Only a proven yes is one. */
bool rm2i_clearance_holds(const rm2i_clearance *clearance, const double *a,
                          const rm2i_clear_point *at_a, const double *b,
                          const rm2i_clear_point *at_b, double *work);
/* Does the chord between the decoded ends keep it? */
bool rm2i_clearance_chord_holds(const rm2i_clearance *clearance, const rm2i_clear_point *a,
                                const rm2i_clear_point *b);
/* The least clearance along the polygon through n points, never more than it is, and less by at most the accuracy
 * where it is below `enough`, above which nobody asks. */
double rm2i_clearance_of(const rm2i_clearance *clearance, size_t n, const double *x,
                         double accuracy, double enough, double *work);

/* The same for a decoded polygon that is shifted, by `shift` (n x dim) at the points and by linear interpolation between them:
 * such a shift does not change by how much a line leaves its chord. Deviations are not looked at. */
double rm2i_clearance_of_shifted(const rm2i_clearance *clearance, size_t n, const double *x,
                                 const double *shift, double accuracy, double *work);

/* The metric phi G with phi = 1 + sum_k e^(-u_k)/u_k, u_k = (d_k(y) - K sigma - wanted)/width: a barrier that no curve of
 * finite energy passes, and small some widths away. RM2_ERR_DOMAIN where the clearance is not kept. Both must
 * live as long. */
rm2_status rm2i_metric_barrier(rm2_context *ctx, const rm2_metric *metric,
                               const rm2i_clearance *clearance, double width, rm2_metric **barrier);
/* phi at a decoded point; infinity where the clearance is not kept. */
double rm2i_barrier_factor(const rm2i_clearance *clearance, double width,
                           const rm2i_clear_point *point);

#endif
