/* What the server knows: one model, its latent space, and a context per worker. */
#ifndef RM2_CLI_EXPLORE_EXPLORER_H
#define RM2_CLI_EXPLORE_EXPLORER_H

#include <pthread.h>

#include "core/arm.h"
#include "core/motion.h"
#include "explore/http.h"

/* The space without obstacles. It is made on a thread of its own, so that the page is there meanwhile;
 * requests that need it wait. */
typedef struct opening {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool started, done;
    rm2_context *ctx;
    rm2_status status; /* once it is done; the message is in `ctx` */
    rm2_space *space;
} opening;

/* The space around obstacles, kept until others are asked for. */
typedef struct avoiding {
    pthread_mutex_t lock;
    rm2_space *space; /* NULL: none asked for yet */
    double *rows;     /* count x (n + 1): centre and radius, as asked for */
    size_t count;
} avoiding;

/* What answers while an obstacle moves. */
typedef struct planning {
    pthread_mutex_t lock;
    rm2_planner *planner; /* NULL: not tried yet, or there cannot be one */
    bool tried;
} planning;

typedef struct arm_player {
    const char *name; /* as the user wrote it; NULL: no arm */
    rm2_arm *arm;
    rm2_arm_task task;
    rm2_placement placement; /* from the data to the arm's workspace */
} arm_player;

typedef struct explorer {
    const rm2_model *model;
    const rm2_model_info *info;
    const char *file; /* name of the model's file, without its folder */
    rm2_space_settings settings;
    opening opening;
    avoiding avoiding;
    planning planning;
    rm2_vicinity *vicinity;
    arm_player player;
    char *description; /* of the model, as JSON */
    double *points;    /* training points in the units of the data */
    rm2_context *contexts[HTTP_WORKERS];
} explorer;

/* ---- life ----------------------------------------------------------------------------------- */

/* From a model that outlives it; `arm` may be NULL. What was made is freed by explorer_close also after
 * a failure. */
rm2_status explorer_open(rm2_context *ctx, const rm2_model *model, const arm_source *arm,
                         explorer *e);
void explorer_close(explorer *e);
/* The functions that answer; their `user` is the explorer. */
http_handlers explorer_handlers(explorer *e);
/* The model as JSON: freed with rm2_free. */
rm2_status explorer_describe(rm2_context *ctx, const explorer *e, char **text);
/* Factor whose positions obstacles are in: the first one if it is R2 or R3; NULL: none. */
const rm2_factor *explorer_position(const explorer *e);

/* ---- numbers of requests and answers -------------------------------------------------------- */

/* Numbers of a request in the order in which they are read. */
typedef struct reader {
    const double *at, *end;
    bool bad; /* fewer numbers than were asked for, or some that cannot be */
} reader;

/* The next one, a count up to a limit, the next few; 0 and NULL where there are none. */
double reader_number(reader *r);
size_t reader_count(reader *r, size_t limit);
const double *reader_numbers(reader *r, size_t count);
/* The next few, of which some may be NaN. */
const double *reader_entries(reader *r, size_t count);
/* Rows of `width` numbers up to the end; 0 where there are more than `limit` or a part of one. */
size_t reader_rows(reader *r, size_t width, size_t limit, const double **rows);

/* Numbers to send: `values` is freed with free(). */
typedef struct numbers {
    double *values;
    size_t count;
} numbers;

rm2_status numbers_make(size_t count, numbers *out);

/* ---- answers, each on a context of its own -------------------------------------------------- */

enum {
    STOP_LIMIT = 64,  /* points that a path passes */
    SAMPLE_LIMIT = 32 /* trajectories drawn */
};

/* What is asked for is in page's protocol.ts. */
rm2_status answer_grid(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_decode(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_geodesic(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_motion(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_samples(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_arm(explorer *e, rm2_context *ctx, reader *r, numbers *out);
rm2_status answer_encode(explorer *e, rm2_context *ctx, const char *text, size_t size,
                         numbers *out);

/* Distance of neighbours per step of time, 0..1: on the manifold, or where the model is Euclidean and its points leave the
 * manifold, in the space around it. */
rm2_status explorer_speed(const explorer *e, rm2_context *ctx, size_t n, const double *points,
                          double *speed);

/* ---- spaces --------------------------------------------------------------------------------- */

/* Begin to make the space without obstacles; end that, and free all spaces. */
bool spaces_open(explorer *e);
void spaces_close(explorer *e);

/* A space for one request: the explorer's own, or one with the obstacles at the request's end, which is
 * locked until it is released. */
typedef struct space_loan {
    const rm2_space *space;
    bool locked;
} space_loan;

enum { OBSTACLE_LIMIT = 64 };

/* The space without obstacles; waits until it is there. */
rm2_status space_plain(explorer *e, rm2_context *ctx, const rm2_space **space);
/* Obstacles at the end of a request, and how many. */
size_t space_regions(const explorer *e, reader *r, rm2_region regions[OBSTACLE_LIMIT]);
rm2_status space_borrow(explorer *e, rm2_context *ctx, reader *r, space_loan *loan);
void space_return(explorer *e, space_loan *loan);
/* The space while a handle moves: fewer nodes and the stages up to `last`; a quick answer is better than an exact one. */
rm2_status space_quick(rm2_context *ctx, const rm2_space *space, rm2_geodesic_stage last,
                       rm2_space **quick);
/* Distance of a point of the data's space from the nearest obstacle of the loan, negative inside; infinity without. */
double space_clearance(const explorer *e, const space_loan *loan, const double *point);

/* ---- planner ---------------------------------------------------------------------------------- */

/* The path between two ends around the obstacles at the end of a request is handed to `write`; it is not called, and
 * nothing is read from the request, where the planner has no path: then the full search decides. */
typedef rm2_status (*path_writer)(void *user, const rm2_curve *curve);
rm2_status planning_path(explorer *e, rm2_context *ctx, reader *r, const double *ends,
                         path_writer write, void *user);

/* ---- an arm --------------------------------------------------------------------------------- */

rm2_status player_open(rm2_context *ctx, const arm_source *source, explorer *e);

#endif
