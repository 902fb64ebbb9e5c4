/* Motions that meet poses, inside the library. Points are in model units, `M` is the dimension of the manifold, n the number of
 * nodes of the route; symbols are those of riemann2/meet.h.
 *
 *     poses.c        the request: points in model units, which factors are asked, residuals at a node
 *     ends.c         latent points of start and goal
 *     meet_route.c   the decoded route: frames, arc length
 *     task_frames.c  demonstrations in the frames of objects that move
 *     alignment.c    demonstrations on the route
 *     deviations.c   their mean and covariance, and how far each of them counts
 *     conditioned.c      the Gaussian process of deviations, conditioned on the poses
 *     clear_route.c  plans around obstacles, proofs
 *     meet.c         the object
 *     meet_sample.c  covariances and draws */
#ifndef RM2I_MEET_H
#define RM2I_MEET_H

#include "base/arena.h"
#include "manifold/manifold.h"
#include "model/model.h"
#include "riemann2/meet.h"
#include "space/space.h"

/* How near to the cut locus a pose or a correction may come, in radians. */
#define RM2I_MEET_CUT 0.1

/* ---- poses ---------------------------------------------------------------------------------- */

typedef struct rm2i_meet_pose {
    const rm2_meet_pose *asked;
    char name[32];    /* "start", "via pose 2", "goal" */
    double *point;    /* ambient, model units; free factors have values of the model or the route */
    double *velocity; /* ambient, per unit of s; 0 where it is free */
    double *adjust; /* M: what the velocity lacked in the motion so far, in the frame at the pose */
    bool *there, *moving; /* factors: of the point, of the velocity */
    double *latent;       /* Q */
    bool context;         /* the latent point is that of a demonstration, not the encoded pose */
    size_t node;
} rm2i_meet_pose;

/* The request in model units: poses in the order of the motion. */
typedef struct rm2i_meet_poses {
    const rm2_model *model;
    size_t count;
    rm2i_meet_pose *pose;
    double *memory;
} rm2i_meet_poses;

rm2_status rm2i_meet_poses_convert(rm2_context *ctx, const rm2_model *model,
                                   const rm2_meet_request *request,
                                   const rm2_meet_settings *settings, rm2i_meet_poses *poses);
void rm2i_meet_poses_free(rm2i_meet_poses *poses);
/* The pose becomes the decoded latent point where no point was given. */
rm2_status rm2i_meet_decode_pose(rm2_context *ctx, const rm2_model *model, rm2i_meet_pose *pose);
/* The unit of data of coordinate a: what a coordinate in model units is multiplied by. */
double rm2i_meet_unit(const rm2_model *model, const rm2_factor *factor, size_t index);
/* Distance of a point from the factors that are asked, by factor (NaN: free) in model units, of the nearer of q and -q; their
 * root of the sum of squares is returned. work: the manifold's. */
double rm2i_meet_distance(const rm2_manifold *m, const rm2i_meet_pose *pose, const double *y,
                          double *each, double *work);
/* Give the quaternions of the pose (S3) the signs that are nearer to y, and free factors the values of y. */
void rm2i_meet_face(const rm2_manifold *m, const double *y, rm2i_meet_pose *pose);

/* ---- ends ----------------------------------------------------------------------------------- */

/* The spread of the demonstrations, NaN: unknown. */
typedef struct rm2i_meet_ends {
    double spread;
    bool reversed; /* start and goal are those of the demonstrations, exchanged */
    size_t family; /* of both; SIZE_MAX: of none, or of two */
    bool joins;    /* two families */
    int *extent
        [2]; /* trajectories: 1 where one lacks the beginning (end) of its family's motion, -1 where it has more */
    double *memory;
} rm2i_meet_ends;

rm2_status rm2i_meet_ends_create(rm2_context *ctx, const rm2_model *model, double spread,
                                 rm2i_meet_ends *ends);
void rm2i_meet_ends_free(rm2i_meet_ends *ends);

/* What the start of the latents found of demonstration t; NULL: nothing is known. */
const rm2_start_demo *rm2i_meet_demo(const rm2_model *model, size_t t);
/* Latent points of start and goal, and with `through` of the via poses, where they have none; what they say of the route. */
rm2_status rm2i_meet_place_ends(rm2_context *ctx, rm2i_meet_poses *poses, bool through,
                                rm2i_meet_ends *ends);

/* ---- the route ------------------------------------------------------------------------------ */

typedef struct rm2i_meet_route {
    const rm2_manifold *m;
    size_t n;
    double *y; /* n x ambient */
    double *F; /* n x M x M, by rows */
    double *s; /* n */
    double length;
    double *memory;
} rm2i_meet_route;

/* From the decoded nodes (model units). */
rm2_status rm2i_meet_route_build(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *y,
                                 rm2i_meet_route *route);
void rm2i_meet_route_free(rm2i_meet_route *route);
/* v = F_i c and c = F_i^T v. */
void rm2i_meet_to_frame(const rm2i_meet_route *route, size_t i, const double *c, double *v);
void rm2i_meet_from_frame(const rm2i_meet_route *route, size_t i, const double *v, double *c);
/* e = F_i^T Log_{y_i}(pose), 0 in free factors; RM2_ERR_CUT_LOCUS within RM2I_MEET_CUT of the cut locus. */
rm2_status rm2i_meet_residual(rm2_context *ctx, const rm2i_meet_route *route,
                              const rm2i_meet_pose *pose, double *e);
/* Exp_{y_i}(F_i c_i) at all nodes. */
rm2_status rm2i_meet_move(rm2_context *ctx, const rm2i_meet_route *route, const double *c,
                          double *points);

/* A difference quotient for d/ds at a node: of the second order on three neighbouring nodes. */
typedef struct rm2i_meet_slope {
    size_t node[3];
    double weight[3];
} rm2i_meet_slope;
rm2i_meet_slope rm2i_meet_slope_at(const rm2i_meet_route *route, size_t i);
/* Slope dc/ds at the pose's node for which the motion has the asked velocity there, given its deviation e. */
rm2_status rm2i_meet_velocity(rm2_context *ctx, const rm2i_meet_route *route,
                              const rm2i_meet_pose *pose, const double *e, double *slope);
/* Add to pose->adjust what the difference quotient of the motion (n x ambient) lacks of the asked velocity; *lack is its length. */
rm2_status rm2i_meet_adjust_velocity(rm2_context *ctx, const rm2i_meet_route *route,
                                     const double *points, rm2i_meet_pose *pose, double *lack);

/* ---- task frames ---------------------------------------------------------------------------- */

/* x -> R x + t of positions (n = 2, 3), q x of orientations. */
typedef struct rm2i_rigid {
    size_t n;
    double R[9], q[4], t[3];
} rm2i_rigid;

enum { RM2I_TASK_FRAMES = 16 };

typedef struct rm2i_task_frames {
    size_t count, trajectories;
    rm2_task_frame_kind *kind; /* count */
    rm2i_rigid *motion;        /* count x trajectories: from the frame then to the frame now */
    double *memory;
} rm2i_task_frames;

rm2_status rm2i_task_frames_convert(rm2_context *ctx, const rm2_model *model,
                                    const rm2i_meet_poses *poses, const rm2i_meet_ends *ends,
                                    const rm2_meet_request *request, rm2i_task_frames *frames);
/* In the frame of the start (goal) all demonstrations begin (end) there: none counts as cut, whatever the model's alignment of
 * demonstrations that were elsewhere says. */
void rm2i_task_frames_complete(const rm2_meet_request *request, const rm2_model *model,
                               rm2i_meet_ends *ends);
void rm2i_task_frames_free(rm2i_task_frames *frames);
/* Bend demonstrations (count x RM2I_MEET_SAMPLES x ambient) to the frames as they are now. */
rm2_status rm2i_task_frames_bend(rm2_context *ctx, const rm2_manifold *m,
                                 const rm2i_task_frames *frames, size_t count, const size_t *which,
                                 double *samples);

/* ---- demonstrations on the route ------------------------------------------------------------ */

/* How the ends of a demonstration and of the route lie. */
typedef struct rm2i_meet_open {
    bool route[2]; /* the route begins, ends in the middle of the demonstrations */
    bool demo[2];  /* the demonstration begins, ends in the middle of the motion */
} rm2i_meet_open;

enum {
    RM2I_MEET_SAMPLES = 100
}; /* nodes of the route, and points of a demonstration, that are aligned */

/* Place (0 .. RM2I_MEET_SAMPLES - 1) of a demonstration (RM2I_MEET_SAMPLES points) at every node of the route; NaN where it has
 * no part. Returns the cost. `backwards`: from its last point to its first; places count from its first. */
rm2_status rm2i_meet_align(rm2_context *ctx, const rm2i_meet_route *route, const double *demo,
                           const rm2i_meet_open *open, bool backwards, double *place, double *cost);
/* Demonstrations without repeated points and single points far from their neighbours, at even steps: D x RM2I_MEET_SAMPLES x
 * ambient. */
rm2_status rm2i_meet_resample(rm2_context *ctx, const rm2_model *model, size_t count,
                              const size_t *which, double *samples);

typedef struct rm2i_meet_deviations {
    size_t D, n, M, factors;
    bool reversed;
    double *delta; /* D x n x M */
    double *
        part; /* D x n x factors: how far a demonstration counts, 1 unless it is cut or unlike the others */
    double *mu; /* n x M */
    double *R;  /* D x n x M, whose sum of R_i R_j^T is the covariance */
    double *W;  /* factors: mean variance of a coordinate */
    double *memory;
} rm2i_meet_deviations;

typedef struct rm2i_meet_demos {
    const rm2_model *model;
    const rm2i_meet_ends *ends;
    const rm2i_task_frames *frames;
    bool open[2];         /* of the route */
    bool robust, centred; /* centred: mu is the mean; else 0 */
} rm2i_meet_demos;

rm2_status rm2i_meet_deviations_find(rm2_context *ctx, const rm2i_meet_demos *demos,
                                     const rm2i_meet_route *route,
                                     rm2i_meet_deviations *deviations);
void rm2i_meet_deviations_free(rm2i_meet_deviations *deviations);

/* ---- the process ---------------------------------------------------------------------------- */

/* One number that is known: a coordinate at a node, or its slope there. */
typedef struct rm2i_meet_observation {
    size_t pose, coordinate, count;
    rm2i_meet_slope at; /* `count` nodes */
    double value;
} rm2i_meet_observation;

typedef struct rm2i_meet_process {
    const rm2i_meet_route *route;
    const rm2i_meet_deviations *d;
    bool approach;
    double kappa, stretch;
    double *weight; /* M: lambda W */
    bool *matrix;   /* M: of an SPD factor */
    size_t P;       /* observations */
    rm2i_meet_observation *observation;
    double *K, *L; /* P x P: covariance of the observations, its factor */
    double *a;     /* P: K^-1 r */
    double *r;     /* P: what is observed, less mu */
    double *memory;
} rm2i_meet_process;

/* Condition the process on the poses at their nodes. c: n x M */
rm2_status rm2i_meet_condition(rm2_context *ctx, const rm2i_meet_route *route,
                               const rm2i_meet_deviations *deviations, const rm2i_meet_poses *poses,
                               bool approach, rm2i_meet_process *process, double *c);
void rm2i_meet_process_free(rm2i_meet_process *process);
/* Covariance of node i, before and after conditioning (M x M each); work: 2 M P doubles. */
void rm2i_meet_prior(const rm2i_meet_process *process, size_t i, double *C);
void rm2i_meet_posterior(rm2_context *ctx, const rm2i_meet_process *process, size_t i, double *C,
                         double *work);
/* Kernel of coordinate a between nodes i and j: the prior without the demonstrations' part. */
double rm2i_meet_kernel(const rm2i_meet_process *process, size_t a, size_t i, size_t j);
/* The functions of it, for draws: b(s) (2), and the two factors of b.b and q. */
void rm2i_meet_affine(const rm2i_meet_process *process, size_t i, double b[2]);
void rm2i_meet_parts(const rm2i_meet_process *process, size_t a, double *affine, double *smooth);
double rm2i_meet_smooth(bool matrix, double u);
/* C(i, observations) v, added to out (M). */
void rm2i_meet_spread_back(const rm2i_meet_process *process, size_t i, const double *v,
                           double *out);

/* ---- obstacles ------------------------------------------------------------------------------ */

/* A corrected route: latent nodes, their corrections of the position in the units of the data (n x dim), standard deviations
 * (n, or NULL) to keep besides the clearance. */
typedef struct rm2i_meet_corrected {
    size_t n;
    const double *x, *shift, *deviation;
} rm2i_meet_corrected;

/* Its clearance, proven, less the deviations. */
rm2_status rm2i_meet_clearance(rm2_context *ctx, const rm2_space *space,
                               const rm2i_meet_corrected *corrected, double *clearance);

/* Regions that were moved with the correction, and the plan with them. */
typedef struct rm2i_meet_plan {
    size_t count;
    rm2_region *copy;
    size_t *of; /* the region that each is a copy of */
} rm2i_meet_plan;

void rm2i_meet_plan_free(rm2i_meet_plan *plan);
/* Add the copies of the regions that are too near to the positions of the motion (n x dim, units of the data), and make the space
 * of plan `round`, from 2. */
rm2_status rm2i_meet_replan(rm2_context *ctx, const rm2_space *space,
                            const rm2i_meet_corrected *corrected, const double *points,
                            size_t round, rm2i_meet_plan *plan, rm2_space **other);
enum { RM2I_MEET_PLANS = 5 };
/* Failure if an asked position is nearer to a region than the clearance. */
rm2_status rm2i_meet_check_clear(rm2_context *ctx, const rm2_space *space,
                                 const rm2i_meet_poses *poses);

/* ---- the object ----------------------------------------------------------------------------- */

struct rm2_meet {
    rm2_meet_result result;
    const rm2_space *space;
    const rm2_model *model;
    rm2_meet_settings settings;
    rm2_curve *route;
    rm2i_meet_poses poses;
    rm2i_meet_ends ends;
    rm2i_task_frames frames;
    rm2i_meet_route line;
    rm2i_meet_deviations deviations;
    rm2i_meet_process process;
    double *moved; /* n x ambient, model units: the motion */
    char reason[512];
    double *memory;
};

#endif
