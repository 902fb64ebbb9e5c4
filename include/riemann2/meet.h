/* Motions that meet start, goal and via poses exactly.
 *
 * A geodesic runs between decoded latent points, which are near the requested poses but not at
 * them. Here it is the route of a motion. The demonstrations around the route determine how a
 * motion runs that begins, ends or passes elsewhere:
 *
 *     y_i             nodes of the decoded route; s_i in [0, 1] is the arc length up to node i,
 *                     divided by the whole
 *     F_i             frame at y_i, carried along the route by parallel transport; F_0 is the
 *                     library's frame there
 *     delta_d,i       Log_{y_i} of demonstration d, aligned with the route, in the carried frame
 *     c ~ GP(mu, C)   deviation of a motion from the route: mean and covariance of the delta_d,
 *                     plus a smooth part for motions that were not demonstrated
 *     y'_i            Exp_{y_i}(F_i c_i), with c conditioned without noise on the requested poses
 *                     and velocities
 *
 * The covariance of the conditioned process is the uncertainty of the motion: the variation between
 * demonstrators who meet these poses. It is zero at the poses. If the poses are improbable under C,
 * the affine part of C grows until they are not: far from the demonstrations the motion is bent as
 * a whole and keeps its shape.
 *
 * Units. Model units divide Euclidean factors by their scale and measure other factors by their own
 * distance. Units of the data keep Euclidean factors as they are given, and measure orientations
 * (S3 and SO3 factors) by the angle of rotation in radians: coordinates in them are the rotation
 * vector in the frame of the body. The distance of S3 is half that angle. */
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
    /* New ends keep the direction in which the motion leaves them or comes to them. */
    bool approach;
    bool through;         /* the route passes through the encoded via poses */
    bool robust;          /* leave out demonstrations where they differ from all others */
    double stretch_limit; /* a motion with a larger stretch is marked as outside */
    /* Duration of the whole motion: the unit for the times of via poses and for velocities. */
    double duration;
    /* A motion whose route is farther from the demonstrations is marked as outside, in their
     * spreads. */
    double spread_limit;
} rm2_meet_settings;

static inline rm2_meet_settings rm2_meet_settings_default(void) {
    rm2_meet_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_MEET), 0, &settings);
    return settings;
}

/* ---- poses ---------------------------------------------------------------------------------- */

/* A pose of the motion: a point, a latent point, or both. Set the other members to zero.
 *
 *     point alone     the route begins (ends) at its encoding or, if that is not near a start (end)
 *                     of the demonstrations, at the nearest of these starts (ends)
 *     latent alone    the pose is the decoded point
 *     both            the route begins at the latent point, the motion at the point
 *
 * A factor whose entries are all NaN is free. A velocity is a tangent vector at the point in
 * ambient coordinates, per unit of settings.duration; factors of NaN are free, and a velocity
 * requires the point of the same factor. */
typedef struct rm2_meet_pose {
    const double *point; /* ambient, in the units of the data; NULL: from the latent point */
    /* Q numbers; NULL: from the point. For a via pose it must be NULL if a point is given. */
    const double *latent;
    const double *velocity; /* ambient; NULL: free */
    /* Start or goal: it may lie in the middle of the demonstrated motion; implied by a latent
     * point. */
    bool middle;
    bool timed; /* via pose: pass it at `time`; false: where the motion comes nearest to it */
    /* Above 0 and below settings.duration; time is proportional to the arc length of the route. */
    double time;
} rm2_meet_pose;

/* Frames of objects whose place differs between demonstrations. Demonstrations are expressed in
 * each frame, moved to where the frame is now, and combined according to how much they agree there
 * (the product of Gaussians, on the manifold). A moved object then requires no extrapolation. */
typedef enum rm2_task_frame_kind {
    RM2_FRAME_START, /* the start: the first pose of each demonstration */
    RM2_FRAME_GOAL,  /* the goal: the last pose of each demonstration */
    RM2_FRAME_WORLD, /* the world, which never moves: the demonstrations as they are count, too */
    RM2_FRAME_GIVEN  /* an object whose poses are given */
} rm2_task_frame_kind;

typedef struct rm2_task_frame {
    rm2_task_frame_kind kind;
    /* RM2_FRAME_GIVEN: pose in each demonstration, in the order of the model's data:
     * trajectories x ambient. */
    const double *then;
    /* RM2_FRAME_GIVEN: pose now: ambient. Only the factors of position and orientation are used. */
    const double *now;
} rm2_task_frame;

/* The poses that a motion must meet; via poses in the order in which it passes them. Everything is
 * borrowed. */
typedef struct rm2_meet_request {
    rm2_meet_pose start, goal;
    size_t count;                /* number of via poses */
    const rm2_meet_pose *via;    /* count */
    size_t frames;               /* number of frames; 0: demonstrations as they are in the world */
    const rm2_task_frame *frame; /* frames */
} rm2_meet_request;

/* ---- motions -------------------------------------------------------------------------------- */

typedef struct rm2_meet rm2_meet;

/* Compute a motion in the latent space of a model (RM2_WGPLVM). The model and the space must
 * outlive the motion. Nodes and obstacles are those of the space; the space needs at least 20
 * nodes.
 *
 * With obstacles the route is planned up to five times. Later plans move the regions by the
 * correction at the place where it is nearest to them, until the corrected motion is proven to keep
 * the clearance: between nodes the motion is the decoded line plus the linearly interpolated
 * correction, which deviates from its chord as much as the decoded line does. settings.deviations
 * of the space counts standard deviations of the position (rm2_meet_covariance) at the nodes. If
 * all plans fail, the motion is marked as blocked.
 *
 * @param ctx  context
 * @param space  the space
 * @param vicinity  distances from the demonstrations of the same model; NULL: created for this call
 * @param request  the poses to meet
 * @param settings  NULL: the defaults
 * @param meet  result, freed with rm2_meet_free
 * @return RM2_ERR_DATA for a via pose that is nearest to an end of the motion or to the same node
 *     as another one, and for a pose that is nearer to an obstacle than the clearance;
 *     RM2_ERR_CUT_LOCUS if a pose or a correction is within 0.1 of the cut locus of the route's
 *     node; RM2_ERR_NUMERIC if a pose is missed by more than 1e-9 in model units
 */
RM2_API rm2_status rm2_meet_create(rm2_context *ctx, const rm2_space *space,
                                   const rm2_vicinity *vicinity, const rm2_meet_request *request,
                                   const rm2_meet_settings *settings, rm2_meet **meet);
RM2_API void rm2_meet_free(rm2_meet *meet);

/* A computed motion. Pointers live as long as the motion; later versions may add members at the
 * end. */
typedef struct rm2_meet_result {
    size_t nodes, dim, factors, poses; /* poses: start, via poses in their order, goal */
    const rm2_curve *route;
    const double *phase;        /* nodes: s */
    const double *route_points; /* nodes x ambient, in the units of the data */
    const double *points;       /* nodes x ambient, in the units of the data: the motion */
    const double *correction;   /* nodes x dim: c, model units, in the carried frame */
    const double *frames;       /* nodes x dim x dim, by rows: coordinates at y_i are F_i c_i */
    /* nodes x factors: length of the correction, in the units of the data. */
    const double *corrected;
    const double *largest; /* factors: largest of these lengths */
    /* nodes x factors: standard deviation of the demonstrations around the route (root of the trace
     * of their covariance), in the units of the data; 0 with fewer than two demonstrations. */
    const double *variability;
    /* nodes: distance of the motion from the demonstrations, in spreads
     * (rm2_vicinity_distances). */
    const double *over_spread;
    double route_over_spread; /* largest such distance of the route; NaN: unknown */
    /* Root mean square of the requested deviations, in standard deviations of the
     * demonstrations. */
    double stretch;
    double kappa;             /* factor of the affine part; 1: it did not grow */
    const size_t *pose_nodes; /* poses: node of each pose */
    /* poses x factors: distance of the motion from the pose, in the units of the data; NaN:
     * free. */
    const double *pose_errors;
    const double *pose_shares; /* poses: shares of the squared stretch; they add up to 1 */
    /* poses x ambient: velocity of the motion at the pose, in units of the data per unit of
     * settings.duration, by the difference quotient with which requested velocities are met. */
    const double *pose_velocities;
    size_t demonstrations; /* number of demonstrations that were used */
    /* Family of the route; SIZE_MAX: it joins two families, or the model knows none. */
    size_t family;
    /* Start and goal of the route are those of a demonstration, not the encoded pose. */
    bool context[2];
    bool reversed;      /* the motion runs against the demonstrations */
    bool outside;       /* the stretch or the route's distance exceeds its limit */
    bool blocked;       /* no plan keeps the clearance: do not drive this motion */
    double clearance;   /* proven, less the deviations; infinity without obstacles */
    size_t plans;       /* number of routes that were planned */
    const char *reason; /* "", or one line for the user: stretched, outside, blocked */
} rm2_meet_result;

/* Result of a motion, which lives as long as the motion; NULL for NULL. */
RM2_API const rm2_meet_result *rm2_meet_result_of(const rm2_meet *meet);

/* Frames in which covariances are expressed. */
typedef enum rm2_meet_frame {
    RM2_MEET_CARRIED, /* carried frame, model units */
    RM2_MEET_POSE     /* the library's frame at the motion's own point, in the units of the data */
} rm2_meet_frame;

/* Covariance of the motion at each node.
 *
 * @param ctx  context
 * @param meet  the motion
 * @param frame  frame and units of the covariances
 * @param covariance  result: covariance of the conditioned process, nodes x dim x dim, or NULL
 * @param variability  result: covariance of the demonstrations around the route, nodes x dim x dim,
 *     or NULL
 */
RM2_API rm2_status rm2_meet_covariance(rm2_context *ctx, const rm2_meet *meet, rm2_meet_frame frame,
                                       double *covariance, double *variability);

/* Standard deviations of the coordinates: the roots of the diagonals of rm2_meet_covariance.
 *
 * @param ctx  context
 * @param meet  the motion
 * @param frame  frame and units of the deviations
 * @param deviations  result: nodes x dim, or NULL
 * @param variability  result: nodes x dim, or NULL
 */
RM2_API rm2_status rm2_meet_deviations(rm2_context *ctx, const rm2_meet *meet, rm2_meet_frame frame,
                                       double *deviations, double *variability);

/* Draw `count` motions from the conditioned process with the context's generator: count x nodes x
 * ambient, in the units of the data. Each meets the poses; obstacles are ignored. The call returns
 * RM2_ERR_CUT_LOCUS if a draw comes within 0.1 of the cut locus. */
RM2_API rm2_status rm2_meet_sample(rm2_context *ctx, const rm2_meet *meet, size_t count,
                                   double *points);

#ifdef __cplusplus
}
#endif
#endif
