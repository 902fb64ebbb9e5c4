/* Robot arms: kinematics of serial arms with revolute and prismatic joints, and tracking of
 * trajectories in position, pose and manipulability.
 *
 * An arm is a table of links in modified Denavit-Hartenberg parameters (Craig): link i leads from
 * frame i-1 to frame i by Rx(alpha) Dx(a) Rz(theta + q) Dz(d). A link whose limits are equal turns by
 * that angle and does not move: flanges and tools are such links. Or it is a chain of frames, each
 * placed by a pose in the one before and moved by a joint about or along an axis, as URDF files
 * describe arms (riemann2/urdf.h). Lengths are in the units of the description (metres for the
 * built-in Panda and for URDF files), angles in radians, poses are position and unit quaternion
 * w x y z in the frame of the base. Calls on n configurations take n x joints values in C order:
 * angles of revolute joints, lengths of prismatic ones. */
#ifndef RIEMANN2_ROBOT_H
#define RIEMANN2_ROBOT_H

#include "riemann2/base.h"
#include "riemann2/manifold.h"
#include "riemann2/region.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arms ----------------------------------------------------------------------------------- */

typedef struct rm2_link {
    double a, d, alpha, theta; /* theta: added to the joint's angle */
    double lower, upper;       /* of the joint's angle; infinite: no limit; equal: no joint */
    double speed;              /* largest angular speed, positive; infinite: no limit */
} rm2_link;

enum { RM2_ARM_MAX_LINKS = 64 };

typedef enum rm2_joint_kind {
    RM2_JOINT_FIXED,
    RM2_JOINT_REVOLUTE, /* turns about its axis; without limits: continuous */
    RM2_JOINT_PRISMATIC /* slides along its axis; needs finite limits */
} rm2_joint_kind;

/* Frame i of a chain: at `position` in frame i-1, turned by the unit quaternion `rotation` (w x y z),
 * then moved by its joint about or along `axis`, a vector of any length in frame i. */
typedef struct rm2_frame {
    const char *name; /* of the joint; NULL: "joint1", "joint2", ... */
    rm2_joint_kind kind;
    double position[3], rotation[4], axis[3];
    double lower, upper, speed; /* as in rm2_link; of no meaning for fixed joints */
} rm2_frame;

typedef struct rm2_arm rm2_arm;

RM2_API rm2_status rm2_arm_create(rm2_context *ctx, const char *name, const rm2_link *links,
                                  size_t count, rm2_arm **arm);
RM2_API rm2_status rm2_arm_from_frames(rm2_context *ctx, const char *name, const rm2_frame *frames,
                                       size_t count, rm2_arm **arm);
/* "panda" (Franka Emika Panda to its flange), "planar:L1,L2,..." (links in the x-y plane, without
 * limits), or a CSV file with columns a, d, alpha, theta, lower, upper, speed, a row a link; empty
 * fields of the last three mean no limit. A column radius has that of the body that leads to the link's frame. */
RM2_API rm2_status rm2_arm_read(rm2_context *ctx, const char *spec, rm2_arm **arm);
RM2_API void rm2_arm_free(rm2_arm *arm);

RM2_API const char *rm2_arm_name(const rm2_arm *arm);
RM2_API size_t rm2_arm_joints(const rm2_arm *arm); /* links that move */
RM2_API size_t rm2_arm_links(const rm2_arm *arm);
/* Of an arm made from frames a, d, alpha and theta are NaN. */
RM2_API const rm2_link *rm2_arm_joint(const rm2_arm *arm, size_t joint);
RM2_API const char *rm2_arm_joint_name(const rm2_arm *arm, size_t joint); /* "" if there is none */
RM2_API rm2_joint_kind rm2_arm_joint_kind(const rm2_arm *arm, size_t joint);
/* No point of the arm is further than this from its base. */
RM2_API double rm2_arm_reach(const rm2_arm *arm);

/* ---- bodies --------------------------------------------------------------------------------- */

enum { RM2_ARM_MAX_BODIES = 128 };

/* What a link fills: all points nearer than the radius to a segment whose ends are fixed to frames of the arm,
 * 0 the base, i the i-th link or frame. */
typedef struct rm2_arm_body {
    const char
        *name; /* of the link; NULL: "link0" (the base), "link1", ... by the first end's frame */
    size_t frame[2];
    double end[2][3]; /* in these frames */
    double radius;    /* positive */
} rm2_arm_body;

/* At first an arm has a body from every frame's origin to the next one's, where there is a way between them, of the
 * radius reach/20. These take their place. */
RM2_API rm2_status rm2_arm_set_bodies(rm2_context *ctx, rm2_arm *arm, size_t count,
                                      const rm2_arm_body *bodies);
/* Radii of the bodies: one for all, or one each. */
RM2_API rm2_status rm2_arm_set_radii(rm2_context *ctx, rm2_arm *arm, size_t count,
                                     const double *radii);
RM2_API size_t rm2_arm_bodies(const rm2_arm *arm);
RM2_API const rm2_arm_body *rm2_arm_body_at(const rm2_arm *arm, size_t body);

/* What the bodies keep away from. */
typedef struct rm2_arm_scene {
    const rm2_region *regions; /* in the base's frame; in the plane: at every height */
    size_t count;
    double clearance;      /* distance from them that bodies which move shall keep */
    double self_clearance; /* distance of bodies from each other; of neighbours none is asked */
} rm2_arm_scene;

/* The nearest of a body to something else along a motion. */
typedef struct rm2_arm_nearest {
    double distance;    /* negative: they overlap; infinite: there is nothing to compare */
    size_t body, other; /* of the arm; a region or a body */
    double at;          /* 3.25: a quarter of the way from configuration 3 to 4 */
} rm2_arm_nearest;

typedef struct rm2_arm_clearance_info {
    size_t size; /* sizeof(rm2_arm_clearance_info), set by the caller */
    rm2_arm_nearest region, self;
    bool kept; /* the clearances of the scene, everywhere */
} rm2_arm_clearance_info;

/* How near bodies come to the regions and to each other along a motion whose joints move straight from each of n
 * configurations to the next. A distance is proven: the true one is not below it, and above it by at most 1e-4 of
 * the reach. Bodies are neighbours, and are not compared, if no joint moves one against the other, or if the way along
 * the arm between them is at most the sum of their diameters. `rows` (n x 2, or NULL): distance from the regions and
 * from each other at each configuration. */
RM2_API rm2_status rm2_arm_clearance(rm2_context *ctx, const rm2_arm *arm,
                                     const rm2_arm_scene *scene, size_t n, const double *q,
                                     double *rows, rm2_arm_clearance_info *info);

/* ---- kinematics ----------------------------------------------------------------------------- */

/* Pose of the last frame: n x 7. */
RM2_API rm2_status rm2_arm_pose(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q,
                                double *poses);
/* Origins of the base and of every link's frame, for drawing: n x (links + 1) x 3. */
RM2_API rm2_status rm2_arm_skeleton(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q,
                                    double *points);
/* Geometric Jacobian, n x 6 x joints: rows of the velocity, then of the angular velocity. */
RM2_API rm2_status rm2_arm_jacobian(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q,
                                    double *jacobian);
/* Velocity manipulability ellipsoid J J^T of the first `dim` (2 or 3) coordinates of the position,
 * n x dim x dim: joint speeds |dq| <= 1 give the velocities v^T (J J^T)^-1 v <= 1. */
RM2_API rm2_status rm2_arm_manipulability(rm2_context *ctx, const rm2_arm *arm, size_t dim,
                                          size_t n, const double *q, double *ellipsoids);
/* Its derivative by each joint: n x joints x dim x dim. */
RM2_API rm2_status rm2_arm_manipulability_derivative(rm2_context *ctx, const rm2_arm *arm,
                                                     size_t dim, size_t n, const double *q,
                                                     double *derivatives);

/* ---- tracking ------------------------------------------------------------------------------- */

/* What the arm shall reach. Positions and orientations are the main task; ellipsoids are followed in
 * its null space. A target is position, quaternion and ellipsoid side by side, without those that
 * are not asked for: a point of R2, R3, R3 x S3, R2 x SPD2, ... */
typedef struct rm2_arm_task {
    size_t dim;       /* of the position: 2 (x and y) or 3 */
    bool orientation; /* unit quaternion w x y z; either sign */
    bool ellipsoid;   /* dim x dim */
} rm2_arm_task;

/* The task that points of a manifold describe; RM2_ERR_UNSUPPORTED if they describe none. */
RM2_API rm2_status rm2_arm_task_from_manifold(rm2_context *ctx, const rm2_manifold *manifold,
                                              rm2_arm_task *task);
RM2_API size_t rm2_arm_task_width(const rm2_arm_task *task); /* numbers of a target */

/* Targets in turn. */
typedef struct rm2_arm_targets {
    const rm2_arm_task *task;
    size_t n;
    const double *points; /* n x width of the task */
    const double *time;   /* n, growing, or NULL: unknown */
} rm2_arm_targets;

typedef struct rm2_track_settings {
    size_t size;                  /* as rm2_track_settings_default sets it */
    double position_tolerance;    /* a target further off than this is missed */
    double orientation_tolerance; /* the same for the rotation angle */
    double
        orientation_weight; /* length that weighs as much as a radian; 0: a quarter of the reach */
    double
        limit_weight;  /* null space: weight of the distance from the middle of the joints' ranges;
                            negative: 1, or 0 where ellipsoids are tracked */
    double null_step;  /* null space: largest motion of a joint from one target to the next */
    size_t iterations; /* most steps towards one target */
    size_t searches;   /* from random configurations */
    const double *start; /* joints: start from here instead; NULL: from random ones */
    size_t stations;     /* targets at which the whole trajectory is searched; 0: it is not */
    const rm2_arm_scene
        *scene; /* motions keep its clearances where they can; NULL: bodies do not count */
} rm2_track_settings;

/* All but start and scene are in it. */
static inline rm2_track_settings rm2_track_settings_default(void) {
    rm2_track_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_TRACK), 0, &settings);
    return settings;
}

/* Errors at one target; those that are not asked for are 0. */
typedef struct rm2_track_error {
    size_t size; /* sizeof(rm2_track_error), set by the caller */
    double position;
    double orientation; /* rotation angle */
    double ellipsoid;   /* affine-invariant distance */
    bool missed;        /* position or orientation beyond its tolerance */
} rm2_track_error;

/* Why targets were missed. */
typedef enum rm2_track_cause {
    RM2_TRACK_NOT_MISSED,
    RM2_TRACK_FAR,   /* a target is further from the base than the arm's reach */
    RM2_TRACK_POSE,  /* no configuration reaches a target, even without limits */
    RM2_TRACK_LIMIT, /* a target is reached only beyond the limits of joints */
    RM2_TRACK_WAY    /* all targets are reached, but no motion leads through all without a jump */
} rm2_track_cause;

typedef struct rm2_track_info {
    size_t size;         /* sizeof(rm2_track_info), set by the caller */
    size_t missed;       /* targets */
    size_t worst;        /* target with the largest main error */
    double margin;       /* smallest distance to a limit; infinite without limits */
    size_t margin_joint; /* where */
    double largest_step; /* of a joint between neighbours */
    double stretch; /* largest speed over its limit: above 1, time must be stretched by this factor;
                       0 without time or speed limits */
    size_t stretch_joint;
    rm2_track_cause cause; /* of the misses */
    size_t cause_target;   /* where; of RM2_TRACK_WAY the first target that is missed */
    size_t cause_joint;    /* the joint whose limit is in the way there; SIZE_MAX: none */
    double cause_limit;    /* that limit */
    size_t jumps;       /* steps between neighbours that are jumps: the arm leaves the path there */
    size_t jump_target; /* target that the first of them leads to */
    size_t jump_joint;  /* joint that jumps there */
} rm2_track_info;

/* A configuration for one target by inverse kinematics from several starts; the nearest one if it
 * is out of reach; of a scene, one that keeps its clearances if one was found. Random numbers are the context's. */
RM2_API rm2_status rm2_arm_solve(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_task *task,
                                 const double *target, const rm2_track_settings *settings,
                                 double *q, rm2_track_error *error);
/* A joint trajectory, n x joints, through the targets; never beyond the limits of the joints. Where
 * times are known, motions in the null space keep the speed limits. The targets are followed from
 * several starts; where each of these motions misses a target, jumps, is too fast, brings a joint to its limit or a body
 * too near to something of the scene, configurations along the whole trajectory are searched for a motion that does
 * not. A jump: between neighbours a joint moves by more than half a radian, or a quarter of the reach; with time and a speed
 * limit v, by more than v dt and by more than eight times the median step, in speeds over limits; but at most twice,
 * and not less than a tenth of the former. `errors` (n), `info` and `settings` may be NULL. */
RM2_API rm2_status rm2_arm_track(rm2_context *ctx, const rm2_arm *arm,
                                 const rm2_arm_targets *targets, const rm2_track_settings *settings,
                                 double *q, rm2_track_error *errors, rm2_track_info *info);

/* Why targets were missed, to be read behind the place of info->cause_target: "joint 7 (elbow) is at its limit 2.9, only postures
 * beyond joint limits reach it; move or turn the path". Front ends add how to move it. "" if none was missed. */
RM2_API void rm2_track_cause_text(const rm2_arm *arm, const rm2_track_info *info, char *text,
                                  size_t size);

/* Velocities, n x joints, of a motion through n configurations at growing times (seconds) that starts and ends at rest: slopes of
 * the cubic of Fritsch and Butland (1984), which stays between neighbours, so that a controller that takes them for
 * a cubic spline leaves no range that the configurations keep. *stretch (or NULL): largest speed of that spline over
 * its limit, between configurations too; above 1, time must be stretched by it, and velocities be divided by it. */
RM2_API rm2_status rm2_arm_velocities(rm2_context *ctx, const rm2_arm *arm, size_t n,
                                      const double *q, const double *time, double *velocities,
                                      double *stretch);

/* ---- placing a trajectory in the workspace -------------------------------------------------- */

/* Positions become scale R x + offset, orientations r q, ellipsoids ellipsoid_scale R M R^T, R the
 * rotation of the unit quaternion r. */
typedef struct rm2_placement {
    size_t size; /* as rm2_placement_default sets it */
    double scale, offset[3], rotation[4], ellipsoid_scale;
} rm2_placement;

/* The two scales are in it. */
/* Leaves everything where it is. */
static inline rm2_placement rm2_placement_default(void) {
    rm2_placement placement = {0};
    placement.size = sizeof placement;
    placement.rotation[0] = 1;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_PLACEMENT), 0, &placement);
    return placement;
}

RM2_API rm2_status rm2_arm_place(rm2_context *ctx, const rm2_arm_task *task,
                                 const rm2_placement *placement, size_t n, double *targets);
/* Find scale and offset that put the targets within reach of the arm; what is there already stays
 * as it is. Rotation and ellipsoid_scale are kept as given. *found is false if no place was good for
 * all of the targets that were tried; the best one is there then. */
RM2_API rm2_status rm2_arm_place_auto(rm2_context *ctx, const rm2_arm *arm,
                                      const rm2_arm_targets *targets,
                                      const rm2_track_settings *settings, rm2_placement *placement,
                                      bool *found);

#ifdef __cplusplus
}
#endif
#endif
