/* Robot arms inside the library.
 *
 *   arm.c, arm_file.c      tables of links and chains of frames
 *   bodies.c               what links fill: capsules
 *   clearance.c            how near bodies come to regions and to each other, between configurations too
 *   kinematics.c           poses, Jacobian, ellipsoid and its derivative
 *   task.c                 targets: what they are, how far the arm is from one
 *   solver.c               damped least squares towards one target, inside a box of joint angles
 *   null_space.c           the second aim, in the null space of the first
 *   candidates.c           configurations that reach one target, from random ones
 *   track.c                trajectories, from each target to the next
 *   route.c                trajectories, through candidates along the whole of them
 *   cause.c                why targets were missed
 *   velocity.c             velocities of a motion with times
 *   place.c                trajectories into the workspace
 */
#ifndef RM2I_ROBOT_H
#define RM2I_ROBOT_H

#include "front/base.h"
#include "riemann2/robot.h"

/* From frame i-1 to frame i: x += R shift, r <- r turn, then the joint. */
typedef struct rm2i_segment {
    rm2_joint_kind kind;
    double shift[3], turn[4]; /* in frame i-1 */
    double axis[3];           /* unit vector, in the turned frame */
    double offset;            /* added to the joint's value; of a fixed link the value */
} rm2i_segment;

/* Lengths, so that their squares and the squares of these are numbers. */
#define RM2I_LARGEST 1e50

struct rm2_arm {
    char *name;
    size_t links, joints;
    double reach;
    rm2_link link[RM2_ARM_MAX_LINKS];
    rm2i_segment segment[RM2_ARM_MAX_LINKS];
    size_t link_of[RM2_ARM_MAX_LINKS]; /* joint -> link */
    char *joint_name[RM2_ARM_MAX_LINKS];
    size_t bodies;
    rm2_arm_body *body; /* one block with their names */
};

/* What is wrong with a link; NULL: nothing. */
const char *rm2i_link_problem(const rm2_link *link);
rm2_status rm2i_arm_read(rm2_context *ctx, const char *path, rm2_arm **arm);

/* ---- kinematics (kinematics.c) -------------------------------------------------------------- */

/* Where an arm is at one configuration: all that its derivatives are made of. */
typedef struct rm2i_posture {
    double tip[3], turn[4];              /* pose of the last frame */
    double axis[RM2_ARM_MAX_LINKS][3];   /* w_k, angular velocity that joint k gives */
    double column[RM2_ARM_MAX_LINKS][3]; /* J_k, velocity that joint k gives */
} rm2i_posture;

/* `origins` ((links + 1) x 3) may be NULL. */
void rm2i_arm_posture(const rm2_arm *arm, const double *q, rm2i_posture *posture, double *origins);
/* Frame i-1, at x and turned by r, becomes frame i. */
void rm2i_arm_advance(const rm2i_segment *segment, double value, double x[3], double r[4]);
/* M = J J^T of the first dim rows. */
void rm2i_ellipsoid(size_t joints, size_t dim, const rm2i_posture *posture, double *M);
/* dM / dq_j */
void rm2i_ellipsoid_derivative(size_t joints, size_t dim, const rm2i_posture *posture, size_t j,
                               double *dM);
/* Are n x joints angles finite? */
rm2_status rm2i_check_angles(rm2_context *ctx, const rm2_arm *arm, size_t n, const double *q);

/* ---- bodies (bodies.c, clearance.c) ----------------------------------------------------------- */

/* Bodies from frame to frame; radii (links, or NULL) of the pieces, NaN: reach/20. */
rm2_status rm2i_arm_default_bodies(rm2_context *ctx, rm2_arm *arm, const double *radii);
/* Upper bound of the length of the piece before frame i + 1. */
double rm2i_piece_length(const rm2_arm *arm, size_t i);

enum { RM2I_REGIONS, RM2I_SELF, RM2I_SCENE_KINDS }; /* what bodies are compared with */

/* An arm in a scene, and where its bodies are. */
typedef struct rm2i_robot_scene {
    const rm2_arm *arm;
    const rm2_region *regions;
    size_t count;
    double need[RM2I_SCENE_KINDS];        /* clearances that are kept */
    double resolution;                    /* of distances between configurations */
    double lever[RM2_ARM_MAX_LINKS];      /* no point of a body moves further than lever_k |dq_k| */
    double along[RM2_ARM_MAX_LINKS + 1];  /* to each frame, along the arm */
    double end[RM2_ARM_MAX_BODIES][2][3]; /* at the configuration that was looked at last */
} rm2i_robot_scene;

/* A body and what it is near to. */
typedef struct rm2i_touch {
    double distance;
    size_t body, other;
    double part; /* the nearest point is at from + part (to - from) of the body's segment */
} rm2i_touch;

rm2_status rm2i_scene_create(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_scene *scene,
                             rm2i_robot_scene *made);
/* Put the bodies where they are at q. */
void rm2i_scene_move(rm2i_robot_scene *scene, const double *q);
/* The least distance of every kind at q. */
void rm2i_scene_least(rm2i_robot_scene *scene, const double *q, rm2i_touch least[RM2I_SCENE_KINDS]);
/* By how much clearances are not kept at q; 0: they are. */
double rm2i_scene_excess(rm2i_robot_scene *scene, const double *q);
/* Is it proven that all are kept, with `more` to spare, on the straight way from a to b? */
bool rm2i_scene_clear(rm2i_robot_scene *scene, const double *a, const double *b, double more);
/* Of a body that was moved: the nearest thing of a kind; false: there is none nearer than `within`. */
bool rm2i_scene_nearest(const rm2i_robot_scene *scene, size_t body, int kind, double within,
                        rm2i_touch *touch);
/* d(distance)/dq_k for all joints; the posture is that of the bodies' places. */
void rm2i_scene_gradient(const rm2i_robot_scene *scene, int kind, const rm2i_touch *touch,
                         const rm2i_posture *posture, double *gradient);

/* ---- tasks (task.c) ------------------------------------------------------------------------- */

enum { RM2I_MAIN_ROWS = 6, RM2I_ELLIPSOID_ROWS = 6, RM2I_ELLIPSOID_SIZE = 9 };
enum { RM2I_TARGET_SIZE = 3 + 4 + RM2I_ELLIPSOID_SIZE };

size_t rm2i_task_rows(const rm2_arm_task *task); /* of the main task: 2, 3 or 6 */
rm2_status rm2i_check_task(rm2_context *ctx, const rm2_arm_task *task);
/* Can the arm have such a task? */
rm2_status rm2i_check_arm(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_task *task);
/* Finite, quaternions of unit length, ellipsoids positive definite. */
rm2_status rm2i_check_targets(rm2_context *ctx, const rm2_arm_task *task, size_t n,
                              const double *targets);

/* r = (x_d - x, weight e), e the rotation vector from the orientation to the desired one. */
void rm2i_task_residual(const rm2_arm_task *task, const double *target, double weight,
                        const rm2i_posture *posture, double *r);
/* A (rows x joints) with dr = -A dq to first order. */
void rm2i_task_matrix(const rm2_arm_task *task, size_t joints, double weight,
                      const rm2i_posture *posture, double *A);
/* c: coordinates of Log_M(M_d) in an orthonormal frame at M = J J^T + floor I; columns of C (if not
 * NULL, coordinates x joints) those of dM/dq_j, so that dc = -C dq where c = 0, and the derivative of
 * |c|^2 / 2 is -C^T c everywhere. work: rm2_spd.work_size(dim). */
typedef struct rm2i_ellipsoid_query {
    const rm2_arm_task *task;
    const double *target;
    size_t joints;
    double floor;
    const rm2i_posture *posture;
} rm2i_ellipsoid_query;
rm2_status rm2i_ellipsoid_residual(const rm2i_ellipsoid_query *query, double *c, double *C,
                                   double *work);

/* ---- solving (solver.c, null_space.c, candidates.c) ---------------------------------------------- */

enum { RM2I_MOST_STATIONS = 1000 };
enum { RM2I_BODY_ROWS = 32 }; /* bodies that count in the second aim, at most */
enum { RM2I_SECOND_ROWS = RM2I_ELLIPSOID_ROWS + RM2_ARM_MAX_LINKS + RM2I_BODY_ROWS };

/* One arm, one task, and the memory of all steps; allocated once a call. */
typedef struct rm2i_solver {
    rm2_context *ctx;
    const rm2_arm *arm;
    rm2_arm_task task;
    rm2_track_settings settings; /* defaults filled in */
    size_t joints, rows;
    double floor; /* added to the diagonal of J J^T, so that a stretched arm has an ellipsoid too */
    rm2i_posture posture;
    double A[RM2I_MAIN_ROWS * RM2_ARM_MAX_LINKS];      /* main task */
    double free_A[RM2I_MAIN_ROWS * RM2_ARM_MAX_LINKS]; /* without joints that are held */
    double S[RM2I_SECOND_ROWS * RM2_ARM_MAX_LINKS], s[RM2I_SECOND_ROWS]; /* second aim */
    double free_S[RM2I_SECOND_ROWS * RM2_ARM_MAX_LINKS]; /* in the null space of free_A */
    rm2i_robot_scene scene;                              /* where settings.scene is not NULL */
    double gram[RM2I_SECOND_ROWS * RM2I_SECOND_ROWS], factor[RM2I_SECOND_ROWS * RM2I_SECOND_ROWS];
    double half[RM2I_SECOND_ROWS], whole[RM2I_SECOND_ROWS];
    double work[]; /* of rm2_spd */
} rm2i_solver;

/* Joint angles that a solve may use. */
typedef struct rm2i_joint_box {
    double lower[RM2_ARM_MAX_LINKS], upper[RM2_ARM_MAX_LINKS];
} rm2i_joint_box;

/* `settings` may be NULL. */
rm2_status rm2i_solver_create(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_task *task,
                              const rm2_track_settings *settings, rm2i_solver **solver);
void rm2i_box_of_arm(const rm2_arm *arm, rm2i_joint_box *box);

/* x = A^T (A A^T + damping I)^-1 b: the least-squares step of A x = b, shortened where A is nearly
 * singular; the damping is raised where rounding leaves no factor. A: rows x joints. */
void rm2i_damped_step(rm2i_solver *solver, size_t rows, const double *A, const double *b,
                      double damping, double *x);

/* From q, inside the box, to the nearest configuration that least squares finds; |r| there. */
double rm2i_reach(rm2i_solver *solver, const double *target, const rm2i_joint_box *box, double *q);
/* Errors at q. */
rm2_status rm2i_measure(rm2i_solver *solver, const double *target, const double *q,
                        rm2_track_error *error);
bool rm2i_reached(rm2i_solver *solver, const double *target, const double *q);
/* The joint that stands at a limit at q, which misses the target, and that the target pulls hardest
 * beyond it; SIZE_MAX: none. */
size_t rm2i_blocking_joint(rm2i_solver *solver, const double *target, const double *q, bool *upper);

bool rm2i_has_second_aim(const rm2i_solver *solver);
/* What bodies that are near to something add to the second aim at q; 0 without a scene. */
double rm2i_crowding(rm2i_solver *solver, const double *q);
/* By how much the clearances of the scene are not kept at q, 0 without one; are they kept from a to b? */
double rm2i_excess(rm2i_solver *solver, const double *q);
bool rm2i_way_is_clear(rm2i_solver *solver, const double *a, const double *b);
/* Improve the second aim from q, which reaches the target, without leaving target or box; *aim is
 * its value there. */
rm2_status rm2i_descend(rm2i_solver *solver, const double *target, const rm2i_joint_box *box,
                        size_t iterations, double *q, double *aim);

/* A way to reach one target. */
typedef struct rm2i_arm_candidate {
    bool reached;
    double residual; /* |r| */
    double excess;   /* of clearances that are not kept */
    double aim;      /* second aim, if reached */
    double q[RM2_ARM_MAX_LINKS];
} rm2i_arm_candidate;

/* The best `most` that differ, best first, from `searches` random configurations. */
rm2_status rm2i_candidates(rm2i_solver *solver, const double *target, size_t searches, size_t most,
                           rm2i_arm_candidate *list, size_t *count);
void rm2i_random_angles(rm2i_solver *solver, double *q);
double rm2i_random_between(rm2_rng *rng, double low, double high); /* a random number */
/* The same up to DIFFERENT in every joint; whole turns of a joint without limits are none. */
bool rm2i_same_posture(const rm2_arm *arm, const double *a, const double *b);

/* ---- motions (track.c, route.c, cause.c) ------------------------------------------------------ */

typedef struct rm2i_joint_motion {
    size_t n;
    const double *targets, *time; /* time may be NULL */
    double *q;                    /* n x joints */
    rm2_track_error *errors;      /* n */
} rm2i_joint_motion;

/* Time from the target before to target i; infinite if unknown. */
double rm2i_step_time(const rm2i_joint_motion *motion, size_t i);
/* What the second aim is at target i, q reaching it: squared distance of ellipsoids, or the sum of squares of
 * the joints' distances from the middle of their ranges; and what bodies add that are near to something. */
double rm2i_aim_at(rm2i_solver *solver, const double *q, const rm2_track_error *error);
/* Is the step from a to b a jump, and the first joint that jumps (joints: none)? */
bool rm2i_jumps(const rm2i_solver *solver, const double *a, const double *b);
size_t rm2i_jumping_joint(const rm2i_solver *solver, const double *a, const double *b);

/* Fill q with a motion through all targets that neither misses nor jumps; *found: there is one.
 * `start` (joints) may be NULL: any. */
rm2_status rm2i_route(rm2i_solver *solver, const double *start, rm2i_joint_motion *motion,
                      bool *found);
/* Why the motion misses targets. */
rm2_status rm2i_find_cause(rm2i_solver *solver, const rm2i_joint_motion *motion,
                           rm2_track_info *info);

/* Any link, by its number from the base. */
const rm2_link *rm2i_arm_link(const rm2_arm *arm, size_t link);

#endif
