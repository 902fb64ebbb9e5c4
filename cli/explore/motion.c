/* Motions of the page: its ends and points to pass, where they are poses, are met (riemann2/meet.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"
#include "front/smoothness.h"
#include "riemann2/meet.h"

enum {
    MOTION_HEADER = 18, /* numbers before the lists of a motion */
    SEED = 1
};

typedef struct motion_query {
    rm2_geodesic_stage stage;
    size_t samples;
    rm2_meet_pose stops[STOP_LIMIT]; /* start, points to pass, goal */
    size_t count;
    double started; /* on the clock */
} motion_query;

/* ---- the request ---------------------------------------------------------------------------- */

/* 1 and the entries of a point, NaN in factors that are free; or 0 and a latent point, whose decoded point is met. */
static rm2_meet_pose read_stop(const explorer *e, reader *r) {
    rm2_meet_pose pose = {.point = NULL};
    if (reader_count(r, 1) == 1)
        pose.point = reader_entries(r, rm2_manifold_ambient(e->info->manifold));
    else
        pose.latent = reader_numbers(r, e->info->latent_dim);
    return pose;
}

static void read_query(const explorer *e, reader *r, motion_query *q) {
    q->started = rm2_seconds();
    q->stage = (rm2_geodesic_stage)reader_count(r, RM2_STAGE_POLISH);
    q->samples = reader_count(r, SAMPLE_LIMIT);
    q->count = reader_count(r, STOP_LIMIT);
    for (size_t k = 0; k < q->count; k++)
        q->stops[k] = read_stop(e, r);
    if (q->count < 2)
        r->bad = true;
}

/* ---- the answer ----------------------------------------------------------------------------- */

static double reasons_of(const rm2_meet_result *m) {
    return (m->blocked ? RM2_PATH_BLOCKED : 0) +
           (m->route->converged ? 0 : RM2_PATH_NOT_CONVERGED) + (m->outside ? RM2_PATH_OUTSIDE : 0);
}

/* Header: as of a path (its lengths are those of the route), then stretch and its limit, kappa, numbers of poses, factors and
 * letters of the reason. Then nodes of the poses, their errors and the largest corrections by factor, and the reason. */
static double *write_head(const motion_query *q, const rm2_meet_result *m,
                          const rm2_smoothness *over, double *at) {
    const double header[MOTION_HEADER] = {(double)m->nodes,
                                          m->route->length,
                                          m->route->energy,
                                          m->route->error,
                                          m->route->converged,
                                          NAN,
                                          m->route_over_spread,
                                          m->clearance,
                                          rm2_seconds() - q->started,
                                          reasons_of(m),
                                          over->turning[0],
                                          over->turning[1],
                                          m->stretch,
                                          rm2_meet_settings_default().stretch_limit,
                                          m->kappa,
                                          (double)m->poses,
                                          (double)m->factors,
                                          (double)strlen(m->reason)};
    memcpy(at, header, sizeof header);
    at += MOTION_HEADER;
    for (size_t k = 0; k < m->poses; k++)
        *at++ = (double)m->pose_nodes[k];
    memcpy(at, m->pose_errors, m->poses * m->factors * sizeof *at);
    at += m->poses * m->factors;
    memcpy(at, m->largest, m->factors * sizeof *at);
    at += m->factors;
    for (const char *letter = m->reason; *letter; letter++)
        *at++ = (double)(unsigned char)*letter;
    return at;
}

/* Latent points of the route, points of the motion, deviations, speeds, lengths of the correction, samples. */
static rm2_status write_arrays(const explorer *e, rm2_context *ctx, const motion_query *q,
                               const rm2_meet *meet, double *at) {
    const rm2_meet_result *m = rm2_meet_result_of(meet);
    size_t n = m->nodes, Q = e->info->latent_dim, ambient = rm2_manifold_ambient(e->info->manifold);
    double *deviation = at + n * (Q + ambient), *speed = deviation + n, *correction = speed + n;
    motion_columns columns;
    rm2_status status = motion_columns_create(ctx, e->model, meet, &columns);
    memcpy(at, m->route->x, n * Q * sizeof *at);
    memcpy(at + n * Q, m->points, n * ambient * sizeof *at);
    if (status == RM2_OK) {
        memcpy(deviation, columns.deviation, n * sizeof *deviation);
        memcpy(correction, columns.correction, n * sizeof *correction);
        status = explorer_speed(e, ctx, n, m->points, speed);
    }
    motion_columns_free(&columns);
    rm2_context_set_seed(ctx, SEED); /* the same motion has the same samples */
    return status == RM2_OK ? rm2_meet_sample(ctx, meet, q->samples, correction + n) : status;
}

static rm2_status write_motion(const explorer *e, rm2_context *ctx, const motion_query *q,
                               const rm2_meet *meet, numbers *out) {
    const rm2_meet_result *m = rm2_meet_result_of(meet);
    size_t ambient = rm2_manifold_ambient(e->info->manifold);
    size_t head = MOTION_HEADER + m->poses * (1 + m->factors) + m->factors + strlen(m->reason);
    size_t each = e->info->latent_dim + ambient + 3 + q->samples * ambient;
    rm2_smoothness over;
    WORK_TRY(numbers_make(head + m->nodes * each, out));
    WORK_TRY(rm2_model_smoothness(ctx, e->model, m->nodes, m->points, &over));
    for (size_t p = 0; p < RM2_CURVE_PARTS; p++)
        over.turning[p] /= rm2_vicinity_info_of(e->vicinity)->smoothness.turning[p];
    return write_arrays(e, ctx, q, meet, write_head(q, m, &over, out->values));
}

static rm2_status find_motion(const explorer *e, rm2_context *ctx, const rm2_space *space,
                              const motion_query *q, numbers *out) {
    const rm2_meet_request request = {
        q->stops[0], q->stops[q->count - 1], q->count - 2, q->stops + 1, 0, NULL};
    rm2_space *quick = NULL;
    rm2_meet *meet = NULL;
    if (q->stage < RM2_STAGE_POLISH)
        WORK_TRY(space_quick(ctx, space, q->stage, &quick));
    rm2_status status =
        rm2_meet_create(ctx, quick ? quick : space, e->vicinity, &request, NULL, &meet);
    if (status == RM2_OK)
        status = write_motion(e, ctx, q, meet, out);
    rm2_meet_free(meet);
    rm2_space_free(quick);
    return status;
}

rm2_status answer_motion(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    motion_query q;
    space_loan loan;
    read_query(e, r, &q);
    rm2_status status = space_borrow(e, ctx, r, &loan);
    if (status == RM2_OK && !r->bad)
        status = find_motion(e, ctx, loan.space, &q, out);
    space_return(e, &loan);
    return status;
}
