/* Motions that meet start, goal and via poses exactly.
 *
 * A geodesic runs between decoded latent points, which are near the asked poses but not at them. Here it is the route of
 * a motion, and the demonstrations around it say how a motion that begins, ends or passes elsewhere runs:
 *
 *     y_i             nodes of the decoded route, s_i in [0, 1] its arc length up to there over the whole
 *     F_i             frame at y_i, carried along the route by parallel transport; F_0 is the library's frame there
 *     delta_d,i       Log_{y_i} of demonstration d, aligned with the route, in the carried frame
 *     c ~ GP(mu, C)   deviation of a motion from the route: mean and covariance of the delta_d, plus a smooth part
 *                     for motions that were not demonstrated
 *     y'_i            Exp_{y_i}(F_i c_i), with c conditioned without noise on the asked poses and velocities
 *
 * The covariance of the conditioned process is the uncertainty of the motion: how demonstrators with these poses would differ.
 * It is zero at the poses. Where the poses are improbable under C, its affine part grows until they are not: far from the
 * demonstrations the motion is bent as a whole and keeps its shape.
 *
 * Units. Model units divide Euclidean factors by their scale and measure other factors by their own distance. Units of the data
 * keep Euclidean factors as they are given, and measure orientations (S3 and SO3 factors) by the angle of rotation in radians:
 * coordinates in them are the rotation vector in the frame of the body. The distance of S3 is half that angle. */
#ifndef RIEMANN2_MEET_H
#define RIEMANN2_MEET_H

#include "riemann2/base.h"
#include "riemann2/eval.h"
#include "riemann2/geodesic.h"
#include "riemann2/settings.h"
#include "riemann2/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- settings ------------------------------------------------------------------------------- */

/* Defaults and ranges are in the table (RM2_SETTINGS_MEET) and in docs/settings.md. */
typedef struct rm2_meet_settings {
    size_t size; /* as rm2_meet_settings_default sets it */
    bool
        approach; /* new ends keep the direction in which the motion leaves them or comes to them */
    bool through; /* the route passes through the encoded via poses */
    bool robust;  /* leave out demonstrations where they are unlike all others */
    double stretch_limit; /* a motion beyond it is outside */
    double duration; /* of the whole motion: unit of the times of via poses and of velocities */
    double
        spread_limit; /* a motion whose route is farther from the demonstrations is outside, in their spreads */
} rm2_meet_settings;

static inline rm2_meet_settings rm2_meet_settings_default(void) {
    rm2_meet_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_MEET), 0, &settings);
    return settings;
}

/* ---- poses ---------------------------------------------------------------------------------- */

/* A pose of the motion: a point, a latent point, or both. Zero the rest.
 *
 *   point alone     the route begins (ends) at its encoding or, where that is not near a start (end) of the demonstrations, at
 *                   the one of these that is nearest
 *   latent alone    the pose is the decoded point
 *   both            the route begins at the latent point, the motion at the point
 *
 * A factor whose entries are all NaN is free. A velocity is a tangent vector at the point in its ambient coordinates, per unit of
 * settings.duration; factors of NaN are free, and a velocity needs the point of the same factor. */
typedef struct rm2_meet_pose {
    const double *point; /* ambient, in the units of the data; NULL: from the latent point */
    const double
        *latent; /* Q; NULL: from the point. Of a via pose it must be NULL where a point is given */
    const double *velocity; /* ambient; NULL: free */
    bool
        middle; /* start or goal: it may lie in the middle of the demonstrated motion; always so with a latent point */
    bool timed; /* via pose: at `time`; otherwise where the motion comes nearest to it */
    double
        time; /* above 0 and below settings.duration; time is proportional to the arc length of the route */
} rm2_meet_pose;

/* Frames of objects that are elsewhere in each demonstration. Demonstrations are seen from each frame, moved to where it is now, and
 * combined by how much they agree there (the product of Gaussians, on the manifold). A moved object is then no extrapolation. */
typedef enum rm2_task_frame_kind {
    RM2_FRAME_START, /* the start: the first pose of each demonstration */
    RM2_FRAME_GOAL,  /* the goal: the last pose */
    RM2_FRAME_WORLD, /* it never moves: what demonstrations show in the world counts, too */
    RM2_FRAME_GIVEN  /* as given */
} rm2_task_frame_kind;

typedef struct rm2_task_frame {
    rm2_task_frame_kind kind;
    const double *
        then; /* given: trajectories x ambient, its pose in each, in the order of the model's data */
    const double *
        now; /* given: ambient, its pose now. Factors other than position and orientation are not looked at */
} rm2_task_frame;

/* What a motion must meet; via poses in the order in which it passes them. Everything is borrowed. */
typedef struct rm2_meet_request {
    rm2_meet_pose start, goal;
    size_t count;
    const rm2_meet_pose *via;    /* count */
    size_t frames;               /* 0: demonstrations as they are in the world */
    const rm2_task_frame *frame; /* frames */
} rm2_meet_request;

/* ---- motions -------------------------------------------------------------------------------- */

typedef struct rm2_meet rm2_meet;

/* A motion in the latent space of a model (RM2_WGPLVM), which must outlive it as the space must. Nodes and obstacles are those of
 * the space: at least 20 nodes. `vicinity` (of the same model) may be NULL: one is made for the call.
 *
 * With obstacles the route is planned anew, up to five times, with the regions moved by the correction where it is nearest to them,
 * until the corrected motion is proven to keep the clearance: between nodes it is the decoded line plus the correction by linear
 * interpolation, which leaves its chord as much as the decoded line does. settings.deviations of the space count standard
 * deviations of the position (rm2_meet_covariance) at the nodes. Where all plans fail the motion is marked as blocked.
 *
 * RM2_ERR_DATA for a via pose that is nearest to an end of the motion, or to the same node as another one, and for a pose that is
 * nearer to an obstacle than the clearance; RM2_ERR_CUT_LOCUS where a pose or a correction is within 0.1 of the cut locus of the
 * route's node; RM2_ERR_NUMERIC if a pose is missed by more than 1e-9 in model units. */
RM2_API rm2_status rm2_meet_create(rm2_context *ctx, const rm2_space *space,
                                   const rm2_vicinity *vicinity, const rm2_meet_request *request,
                                   const rm2_meet_settings *settings, rm2_meet **meet);
RM2_API void rm2_meet_free(rm2_meet *meet);

/* What was found. Pointers live as long as the motion; later versions may add members at the end. */
typedef struct rm2_meet_result {
    size_t nodes, dim, factors, poses; /* poses: start, via poses in their order, goal */
    const rm2_curve *route;
    const double *phase;        /* nodes: s */
    const double *route_points; /* nodes x ambient, in the units of the data */
    const double *points;       /* nodes x ambient, in the units of the data: the motion */
    const double *correction;   /* nodes x dim: c, model units, in the carried frame */
    const double *frames;       /* nodes x dim x dim, by rows: coordinates at y_i are F_i c_i */
    const double
        *corrected;        /* nodes x factors: length of the correction, in the units of the data */
    const double *largest; /* factors: largest of these */
    const double *
        variability; /* nodes x factors: standard deviation of the demonstrations around the route (root of the trace of
                                  their covariance), in the units of the data; 0 with fewer than two */
    const double *
        over_spread; /* nodes: distance of the motion from the demonstrations, in spreads (rm2_vicinity_distances) */
    double route_over_spread; /* largest of the route; NaN: unknown */
    double
        stretch; /* root of the mean square of what is asked, in standard deviations of the demonstrations */
    double kappa;             /* factor of the affine part; 1: it did not grow */
    const size_t *pose_nodes; /* poses: node of each */
    const double *
        pose_errors; /* poses x factors: distance of the motion from the pose, in the units of the data; NaN: free */
    const double *pose_shares; /* poses: shares of the squared stretch; they add up to 1 */
    const double *
        pose_velocities; /* poses x ambient: velocity of the motion there, units of the data per unit of
                                      settings.duration, by the difference quotient that asked velocities are met with */
    size_t demonstrations; /* that were used */
    size_t family;         /* of the route; SIZE_MAX: it joins two, or the model knows none */
    bool context
        [2]; /* start and goal of the route are those of a demonstration, not the encoded pose */
    bool reversed;      /* the motion runs against the demonstrations */
    bool outside;       /* stretch or the route's distance is beyond its limit */
    bool blocked;       /* no plan keeps the clearance: do not drive it */
    double clearance;   /* proven, less the deviations; infinity without obstacles */
    size_t plans;       /* routes that were planned */
    const char *reason; /* "", or one line for the user: stretched, outside, blocked */
} rm2_meet_result;

/* NULL for NULL. */
RM2_API const rm2_meet_result *rm2_meet_result_of(const rm2_meet *meet);

typedef enum rm2_meet_frame {
    RM2_MEET_CARRIED, /* carried frame, model units */
    RM2_MEET_POSE     /* the library's frame at the motion's own point, in the units of the data */
} rm2_meet_frame;

/* Covariance of the conditioned process at each node (nodes x dim x dim); `variability`, the same of the demonstrations
 * around the route. Either may be NULL. */
RM2_API rm2_status rm2_meet_covariance(rm2_context *ctx, const rm2_meet *meet, rm2_meet_frame frame,
                                       double *covariance, double *variability);

/* Standard deviations of the coordinates alone (nodes x dim), the roots of the diagonals of both. Either may be NULL. */
RM2_API rm2_status rm2_meet_deviations(rm2_context *ctx, const rm2_meet *meet, rm2_meet_frame frame,
                                       double *deviations, double *variability);

/* `count` motions drawn from the conditioned process by the context's generator: count x nodes x ambient, in the units of
 * the data. Each meets the poses. Obstacles are not looked at. RM2_ERR_CUT_LOCUS where a draw comes within 0.1 of it. */
RM2_API rm2_status rm2_meet_sample(rm2_context *ctx, const rm2_meet *meet, size_t count,
                                   double *points);

#ifdef __cplusplus
}
#endif
#endif
