/* Robot arms: kinematics of serial arms with revolute and prismatic joints, and tracking of
 * trajectories in position, pose and manipulability.
 *
 * An arm is described in one of two ways. It is a table of links in modified Denavit-Hartenberg
 * parameters (Craig): link i leads from frame i-1 to frame i by Rx(alpha) Dx(a) Rz(theta + q)
 * Dz(d). A link whose limits are equal turns by that angle and does not move: flanges and tools are
 * such links. Or it is a chain of frames, each placed by a pose in the previous one and moved by a
 * joint about or along an axis, as URDF files describe arms (riemann2/urdf.h).
 *
 * Lengths are in the units of the description (metres for the built-in Panda and for URDF files),
 * angles in radians. Poses are a position and a unit quaternion w x y z in the frame of the base.
 * Calls on n configurations take n x joints values in C order: angles of revolute joints, lengths
 * of prismatic ones. */
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

/* A link by modified Denavit-Hartenberg parameters. */
typedef struct rm2_link {
    double a, d, alpha, theta; /* theta: added to the joint's angle */
    /* Limits of the joint's angle; infinite: no limit; equal: the link has no joint. */
    double lower, upper;
    double speed; /* largest angular speed, positive; infinite: no limit */
} rm2_link;

enum { RM2_ARM_MAX_LINKS = 64 };

typedef enum rm2_joint_kind {
    RM2_JOINT_FIXED,
    RM2_JOINT_REVOLUTE, /* turns about its axis; without limits: continuous */
    RM2_JOINT_PRISMATIC /* slides along its axis; needs finite limits */
} rm2_joint_kind;

/* Frame i of a chain: at `position` in frame i-1, turned by the unit quaternion `rotation` (w x y
 * z), then moved by its joint about or along `axis`, a vector of any length in frame i. */
typedef struct rm2_frame {
    const char *name; /* name of the joint; NULL: "joint1", "joint2", ... */
    rm2_joint_kind kind;
    double position[3], rotation[4], axis[3];
    double lower, upper, speed; /* as in rm2_link; ignored for fixed joints */
} rm2_frame;

typedef struct rm2_arm rm2_arm;

/* Create an arm from links.
 *
 * @param ctx  context
 * @param name  name of the arm, in messages
 * @param links  the links, from the base
 * @param count  number of links, at most RM2_ARM_MAX_LINKS
 * @param arm  result, freed with rm2_arm_free
 */
RM2_API rm2_status rm2_arm_create(rm2_context *ctx, const char *name, const rm2_link *links,
                                  size_t count, rm2_arm **arm);
/* Create an arm from a chain of frames.
 *
 * @param ctx  context
 * @param name  name of the arm, in messages
 * @param frames  the frames, from the base
 * @param count  number of frames, at most RM2_ARM_MAX_LINKS
 * @param arm  result, freed with rm2_arm_free
 */
RM2_API rm2_status rm2_arm_from_frames(rm2_context *ctx, const char *name, const rm2_frame *frames,
                                       size_t count, rm2_arm **arm);
/* Create an arm from a spec: "panda" (Franka Emika Panda to its flange), "planar:L1,L2,..." (links
 * in the x-y plane, without limits), or a CSV file with columns a, d, alpha, theta, lower, upper,
 * speed and one row per link; empty fields of the last three mean no limit. The optional column
 * radius is the radius of the body that leads to the link's frame. */
RM2_API rm2_status rm2_arm_read(rm2_context *ctx, const char *spec, rm2_arm **arm);
RM2_API void rm2_arm_free(rm2_arm *arm);

RM2_API const char *rm2_arm_name(const rm2_arm *arm);
RM2_API size_t rm2_arm_joints(const rm2_arm *arm); /* number of links that move */
RM2_API size_t rm2_arm_links(const rm2_arm *arm);
/* Link of a joint. For an arm made from frames, a, d, alpha and theta are NaN. */
RM2_API const rm2_link *rm2_arm_joint(const rm2_arm *arm, size_t joint);
RM2_API const char *rm2_arm_joint_name(const rm2_arm *arm, size_t joint); /* "" past the end */
RM2_API rm2_joint_kind rm2_arm_joint_kind(const rm2_arm *arm, size_t joint);
/* Upper bound of the distance of any point of the arm from its base. */
RM2_API double rm2_arm_reach(const rm2_arm *arm);

/* ---- bodies --------------------------------------------------------------------------------- */

enum { RM2_ARM_MAX_BODIES = 128 };

/* Body of a link: all points closer than the radius to a segment whose ends are fixed to frames of
 * the arm; frame 0 is the base, frame i that of the i-th link. */
typedef struct rm2_arm_body {
    /* Name of the link; NULL: "link0" (the base), "link1", ... by the first end's frame. */
    const char *name;
    size_t frame[2];
    double end[2][3]; /* ends of the segment in these frames */
    double radius;    /* positive */
} rm2_arm_body;

/* Replace the bodies of an arm. By default an arm has one body of radius reach/20 between the
 * origins of consecutive frames whose origins differ. */
RM2_API rm2_status rm2_arm_set_bodies(rm2_context *ctx, rm2_arm *arm, size_t count,
                                      const rm2_arm_body *bodies);
/* Set the radii of the bodies: one for all, or one per body. */
RM2_API rm2_status rm2_arm_set_radii(rm2_context *ctx, rm2_arm *arm, size_t count,
                                     const double *radii);
RM2_API size_t rm2_arm_bodies(const rm2_arm *arm);
RM2_API const rm2_arm_body *rm2_arm_body_at(const rm2_arm *arm, size_t body);

/* Obstacles of an arm, and the distances that its bodies keep. */
typedef struct rm2_arm_scene {
    const rm2_region *regions; /* in the base's frame; regions of the plane extend to all heights */
    size_t count;              /* number of regions */
    double clearance;          /* distance from the regions that moving bodies keep */
    double self_clearance;     /* distance between bodies that are not neighbours */
} rm2_arm_scene;

/* Smallest distance between a body and something else along a motion. */
typedef struct rm2_arm_nearest {
    double distance;    /* negative: they overlap; infinite: nothing to compare */
    size_t body, other; /* body of the arm; the region, or the other body */
    double at;          /* 3.25: a quarter of the way from configuration 3 to 4 */
} rm2_arm_nearest;

typedef struct rm2_arm_clearance_info {
    size_t size; /* sizeof(rm2_arm_clearance_info), set by the caller */
    rm2_arm_nearest region, self;
    bool kept; /* the motion keeps the clearances of the scene everywhere */
} rm2_arm_clearance_info;

/* Compute how near bodies come to the regions and to each other along a motion whose joints move
 * straight from each configuration to the next. A distance is proven: the true one is not smaller,
 * and larger by at most 1e-4 of the reach. Bodies are neighbours, and are not compared, if no joint
 * moves one against the other, or if the path along the arm between them is at most the sum of
 * their diameters.
 *
 * @param ctx  context
 * @param arm  the arm
 * @param scene  the obstacles
 * @param n  number of configurations
 * @param q  n x joints
 * @param rows  result: n x 2, distances from the regions and between bodies at each configuration;
 *     or NULL
 * @param info  result: the smallest distances along the motion
 */
RM2_API rm2_status rm2_arm_clearance(rm2_context *ctx, const rm2_arm *arm,
                                     const rm2_arm_scene *scene, size_t n, const double *q,
                                     double *rows, rm2_arm_clearance_info *info);

/* ---- kinematics ----------------------------------------------------------------------------- */

/* Compute poses of the last frame.
 *
 * @param ctx  context
 * @param arm  the arm
 * @param n  number of configurations
 * @param q  n x joints
 * @param poses  result: n x 7
 */
RM2_API rm2_status rm2_arm_pose(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q,
                                double *poses);
/* Compute the origins of the base and of every link's frame, for drawing.
 *
 * @param ctx  context
 * @param arm  the arm
 * @param n  number of configurations
 * @param q  n x joints
 * @param points  result: n x (links + 1) x 3
 */
RM2_API rm2_status rm2_arm_skeleton(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q,
                                    double *points);
/* Compute the geometric Jacobian.
 *
 * @param ctx  context
 * @param arm  the arm
 * @param n  number of configurations
 * @param q  n x joints
 * @param jacobian  result: n x 6 x joints; rows of the velocity, then of the angular velocity
 */
RM2_API rm2_status rm2_arm_jacobian(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q,
                                    double *jacobian);
/* Compute velocity manipulability ellipsoids J J^T of the position: joint speeds |dq| <= 1 give the
 * velocities v^T (J J^T)^-1 v <= 1.
 *
 * @param ctx  context
 * @param arm  the arm
 * @param dim  number of coordinates of the position, 2 or 3
 * @param n  number of configurations
 * @param q  n x joints
 * @param ellipsoids  result: n x dim x dim
 */
RM2_API rm2_status rm2_arm_manipulability(rm2_context *ctx, const rm2_arm *arm, size_t dim,
                                          size_t n, const double *q, double *ellipsoids);
/* Compute the derivatives of rm2_arm_manipulability by each joint.
 *
 * @param ctx  context
 * @param arm  the arm
 * @param dim  number of coordinates of the position, 2 or 3
 * @param n  number of configurations
 * @param q  n x joints
 * @param derivatives  result: n x joints x dim x dim
 */
RM2_API rm2_status rm2_arm_manipulability_derivative(rm2_context *ctx, const rm2_arm *arm,
                                                     size_t dim, size_t n, const double *q,
                                                     double *derivatives);

/* ---- tracking ------------------------------------------------------------------------------- */

/* Quantities that the arm follows. Positions and orientations are the main task; ellipsoids are
 * followed in its null space. A target consists of position, quaternion and ellipsoid side by side,
 * without those that the task does not have: a point of R2, R3, R3 x S3, R2 x SPD2, ... */
typedef struct rm2_arm_task {
    size_t dim;       /* dimension of the position: 2 (x and y) or 3 */
    bool orientation; /* follow the unit quaternion w x y z; either sign */
    bool ellipsoid;   /* follow the dim x dim ellipsoid */
} rm2_arm_task;

/* Find the task that points of a manifold describe; RM2_ERR_UNSUPPORTED if they describe none. */
RM2_API rm2_status rm2_arm_task_from_manifold(rm2_context *ctx, const rm2_manifold *manifold,
                                              rm2_arm_task *task);
RM2_API size_t rm2_arm_task_width(const rm2_arm_task *task); /* numbers per target */

/* A sequence of targets. */
typedef struct rm2_arm_targets {
    const rm2_arm_task *task;
    size_t n;
    const double *points; /* n x width of the task */
    const double *time;   /* n, increasing; NULL: unknown */
} rm2_arm_targets;

typedef struct rm2_track_settings {
    size_t size;                  /* as rm2_track_settings_default sets it */
    double position_tolerance;    /* a target is missed if the position is further off */
    double orientation_tolerance; /* a target is missed if the rotation angle is larger */
    /* Length that weighs as much as a radian; 0: a quarter of the reach. */
    double orientation_weight;
    /* Null space: weight of the distance from the middle of the joints' ranges; negative: 1, or 0
     * if ellipsoids are tracked. */
    double limit_weight;
    double null_step;    /* null space: largest motion of a joint from one target to the next */
    size_t iterations;   /* largest number of steps towards one target */
    size_t searches;     /* number of searches from random configurations */
    const double *start; /* joints: start from this configuration; NULL: from random ones */
    size_t stations;     /* targets at which the whole trajectory is searched; 0: no such search */
    /* Motions keep the clearances of the scene where they can; NULL: bodies are ignored. */
    const rm2_arm_scene *scene;
} rm2_track_settings;

/* The defaults. The table has all settings except start and scene. */
static inline rm2_track_settings rm2_track_settings_default(void) {
    rm2_track_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_TRACK), 0, &settings);
    return settings;
}

/* Errors at one target; 0 for quantities that the task does not have. */
typedef struct rm2_track_error {
    size_t size; /* sizeof(rm2_track_error), set by the caller */
    double position;
    double orientation; /* rotation angle */
    double ellipsoid;   /* affine-invariant distance */
    bool missed;        /* position or orientation exceeds its tolerance */
} rm2_track_error;

/* Reasons why targets were missed. */
typedef enum rm2_track_cause {
    RM2_TRACK_NOT_MISSED,
    RM2_TRACK_FAR,   /* a target is further from the base than the arm's reach */
    RM2_TRACK_POSE,  /* no configuration reaches a target, even without limits */
    RM2_TRACK_LIMIT, /* a target is reached only beyond the limits of joints */
    RM2_TRACK_WAY    /* all targets are reached, but no motion passes all without a jump */
} rm2_track_cause;

typedef struct rm2_track_info {
    size_t size;         /* sizeof(rm2_track_info), set by the caller */
    size_t missed;       /* number of missed targets */
    size_t worst;        /* target with the largest main error */
    double margin;       /* smallest distance to a limit; infinite without limits */
    size_t margin_joint; /* joint with this distance */
    double largest_step; /* largest step of a joint between consecutive targets */
    /* Largest ratio of a joint's speed to its limit: above 1, time must be stretched by this
     * factor; 0 without times or speed limits. */
    double stretch;
    size_t stretch_joint;
    rm2_track_cause cause; /* why targets were missed */
    size_t cause_target;   /* target with this cause; RM2_TRACK_WAY: the first missed target */
    size_t cause_joint;    /* joint whose limit prevents reaching that target; SIZE_MAX: none */
    double cause_limit;    /* the limit of this joint */
    size_t jumps;          /* number of steps at which the arm jumps and leaves the path */
    size_t jump_target;    /* target after the first jump */
    size_t jump_joint;     /* joint that jumps there */
} rm2_track_info;

/* Find a configuration for one target by inverse kinematics from several starts, with random
 * numbers of the context. If the target is out of reach, the result is the nearest configuration.
 * With a scene, the result keeps its clearances if such a configuration was found.
 *
 * @param ctx  context
 * @param arm  the arm
 * @param task  quantities that the target gives
 * @param target  rm2_arm_task_width numbers
 * @param settings  NULL: the defaults
 * @param q  result: joints
 * @param error  result: errors at the target, or NULL
 */
RM2_API rm2_status rm2_arm_solve(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_task *task,
                                 const double *target, const rm2_track_settings *settings,
                                 double *q, rm2_track_error *error);
/* Find a joint trajectory through the targets, never beyond the limits of the joints. If times are
 * known, motions in the null space keep the speed limits. The targets are followed from several
 * starts. If each of these motions misses a target, jumps, is too fast, or brings a joint to its
 * limit or a body too near to an object of the scene, configurations along the whole trajectory are
 * searched for a motion that does not.
 *
 * A step is a jump if a joint moves by more than L between consecutive targets: half a radian, or a
 * quarter of the reach for prismatic joints. With times and a speed limit v, the threshold is v dt
 * or eight times the median step (steps are compared as speeds relative to limits), whichever is
 * larger, but at least L/10 and at most 2 L.
 *
 * @param ctx  context
 * @param arm  the arm
 * @param targets  the targets
 * @param settings  NULL: the defaults
 * @param q  result: n x joints
 * @param errors  result: n, errors at the targets; or NULL
 * @param info  result, or NULL
 */
RM2_API rm2_status rm2_arm_track(rm2_context *ctx, const rm2_arm *arm,
                                 const rm2_arm_targets *targets, const rm2_track_settings *settings,
                                 double *q, rm2_track_error *errors, rm2_track_info *info);

/* Explain why targets were missed, in a text to be printed after the name of target
 * info->cause_target: "joint 7 (elbow) is at its limit 2.9, only postures beyond joint limits reach
 * it; move or turn the path". Front ends add how to move it. "" if none was missed. */
RM2_API void rm2_track_cause_text(const rm2_arm *arm, const rm2_track_info *info, char *text,
                                  size_t size);

/* Compute velocities of a motion through configurations at given times that starts and ends at
 * rest: slopes of the cubic of Fritsch and Butland (1984). This cubic stays between consecutive
 * configurations, so that a controller that uses the velocities for a cubic spline does not leave
 * ranges that the configurations keep.
 *
 * @param ctx  context
 * @param arm  the arm
 * @param n  number of configurations
 * @param q  n x joints
 * @param time  n: increasing times in seconds
 * @param velocities  result: n x joints
 * @param stretch  result: largest ratio of the spline's speed to its limit, also between
 *     configurations, or NULL; above 1, time must be stretched by it, and velocities divided by it
 */
RM2_API rm2_status rm2_arm_velocities(rm2_context *ctx, const rm2_arm *arm, size_t n,
                                      const double *q, const double *time, double *velocities,
                                      double *stretch);

/* ---- placing a trajectory in the workspace -------------------------------------------------- */

/* Placement of a trajectory: positions become scale R x + offset, orientations r q, ellipsoids
 * ellipsoid_scale R M R^T, where R is the rotation of the unit quaternion r. */
typedef struct rm2_placement {
    size_t size; /* as rm2_placement_default sets it */
    double scale, offset[3], rotation[4], ellipsoid_scale;
} rm2_placement;

/* The identity. The table has the two scales. */
static inline rm2_placement rm2_placement_default(void) {
    rm2_placement placement = {0};
    placement.size = sizeof placement;
    placement.rotation[0] = 1;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_PLACEMENT), 0, &placement);
    return placement;
}

/* Apply a placement to targets.
 *
 * @param ctx  context
 * @param task  quantities of the targets
 * @param placement  the placement
 * @param n  number of targets
 * @param targets  n x rm2_arm_task_width, changed in place
 */
RM2_API rm2_status rm2_arm_place(rm2_context *ctx, const rm2_arm_task *task,
                                 const rm2_placement *placement, size_t n, double *targets);
/* Find a scale and an offset that put the targets within reach of the arm; if they are all within
 * reach already, they stay where they are.
 *
 * @param ctx  context
 * @param arm  the arm
 * @param targets  the targets
 * @param settings  tracking settings; NULL: the defaults
 * @param placement  rotation and ellipsoid_scale are used as given; scale and offset are the result
 * @param found  result: false if no placement reached all targets that were tried; the placement is
 *     then the best one
 */
RM2_API rm2_status rm2_arm_place_auto(rm2_context *ctx, const rm2_arm *arm,
                                      const rm2_arm_targets *targets,
                                      const rm2_track_settings *settings, rm2_placement *placement,
                                      bool *found);

#ifdef __cplusplus
}
#endif
#endif
