/* The parts of a training, and the ranks that wait for one. */
#include "model/distribute.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* ---- what rank 0 tells the others ----------------------------------------------------------- */

typedef enum job_kind { END, TRAIN } job_kind;

typedef struct job {
    job_kind kind;
    int threads; /* of each rank */
    size_t M, Q, all, all_trajectories;
    double psi, squared_step, checkpoint_seconds;
    bool checkpoint, resume, inducing_points;
    rm2_fit_settings settings;
} job;

static job job_of(const rm2_context *ctx, const rm2i_whole_training *whole) {
    const rm2i_model_problem *p = whole->problem;
    const rm2_checkpoint *c = whole->checkpoint;
    return (job){.kind = TRAIN,
                 .threads = rm2_context_threads(ctx),
                 .M = p->M,
                 .Q = p->Q,
                 .all = p->N,
                 .all_trajectories = p->trajectories,
                 .psi = rm2i_mean_variance(p),
                 .squared_step = rm2i_mean_squared_step(p),
                 .checkpoint_seconds = c ? c->seconds : 0,
                 .checkpoint = c && c->path,
                 .resume = c && c->resume,
                 .inducing_points = whole->settings->inducing_points != NULL,
                 .settings = *whole->settings};
}

/* ---- who gets what -------------------------------------------------------------------------- */

/* Rank k gets the rows rows[k] to rows[k + 1] - 1, and the trajectories likewise. */
typedef struct cuts {
    size_t *rows, *trajectories; /* ranks + 1 */
    size_t *sent, *received;     /* ranks: scratch of exchanges */
    size_t *memory;
} cuts;

static rm2_status cuts_create(rm2_context *ctx, size_t ranks, cuts *c) {
    RM2_TRY(rm2i_calloc(ctx, 4 * (ranks + 1), sizeof *c->memory, &c->memory));
    c->rows = c->memory;
    c->trajectories = c->rows + ranks + 1;
    c->sent = c->trajectories + ranks + 1;
    c->received = c->sent + ranks + 1;
    return RM2_OK;
}

enum { GRANULES = 8 }; /* per rank, at least: the parts are even to a sixteenth */

/* Units at whose multiples parts begin, a power of two where units are many: their sums are few nodes of a tree then. */
static size_t granule(size_t units, size_t ranks) {
    size_t g = 1;
    while (2 * g * GRANULES * ranks <= units)
        g *= 2;
    return g;
}

/* The unit at which rank k begins: nearest to its share of the rows, and one at least after the rank before. */
static size_t first_unit(const rm2i_ranges *points, size_t k, size_t ranks, size_t before) {
    size_t g = granule(points->count, ranks), u = 0;
    double share = (double)points->all * (double)k / (double)ranks;
    while (u + g < points->count && (double)(points->first[u] + points->first[u + g]) / 2 < share)
        u += g;
    size_t last = points->count - (ranks - k); /* units are left for the ranks behind */
    u = u < before + 1 ? before + 1 : u;
    return u < last ? u : last;
}

static void cut(const rm2i_units *units, size_t ranks, cuts *c) {
    size_t u = 0;
    for (size_t k = 1; k < ranks; k++) {
        u = first_unit(&units->points, k, ranks, u);
        c->rows[k] = units->points.first[u];
        c->trajectories[k] = units->trajectories.count ? units->trajectories.first[u] : 0;
    }
    c->rows[ranks] = units->points.all;
    c->trajectories[ranks] = units->trajectories.all;
}

rm2_status rm2i_training_check(rm2_context *ctx, const rm2_fit_settings *s) {
    if (s->task == RM2_TASK_INTEGRATED)
        return rm2i_fail(
            ctx, RM2_ERR_UNSUPPORTED,
            "training with settings.task integrated is not divided among ranks: train on one rank");
    if (s->back_constraint)
        return rm2i_fail(
            ctx, RM2_ERR_UNSUPPORTED,
            "training with settings.back_constraint is not divided among ranks: train on one rank");
    if (s->inference == RM2_INFERENCE_EXACT || s->noise == RM2_NOISE_PER_OUTPUT)
        return rm2i_fail(
            ctx, RM2_ERR_UNSUPPORTED,
            "exact inference is not divided among ranks: set settings.inference to inducing and "
            "settings.noise to kronecker, or train on one rank");
    return RM2_OK;
}

static rm2_status check_units(rm2_context *ctx, const rm2_team *team, const rm2i_units *units) {
    if (units->points.count >= (size_t)team->size)
        return RM2_OK;
    return rm2i_fail(
        ctx, RM2_ERR_DATA,
        "%zu points in %zu trajectories can be divided among at most %zu ranks, not %d: ranks get "
        "whole trajectories, and at least some hundred points",
        units->points.all, units->trajectories.all, units->points.count, team->size);
}

/* ---- parts ---------------------------------------------------------------------------------- */

void rm2i_part_clear(rm2i_part_of_training *part) {
    free(part->F);
    free(part->X0);
    free(part->starts);
    free(part->inducing_points);
    *part = (rm2i_part_of_training){.F = NULL};
}

static rm2_status allocate(rm2_context *ctx, const job *j, size_t n, rm2i_part_of_training *part) {
    RM2_TRY(rm2i_alloc(ctx, j->M, n * sizeof *part->F, &part->F));
    RM2_TRY(rm2i_alloc(ctx, n, j->Q * sizeof *part->X0, &part->X0));
    RM2_TRY(rm2i_alloc(ctx, j->all_trajectories + 1, sizeof *part->starts, &part->starts));
    return j->inducing_points ? rm2i_alloc(ctx, j->settings.inducing, sizeof *part->inducing_points,
                                           &part->inducing_points)
                              : RM2_OK;
}

/* `width` numbers per row from rank 0 to the ranks that get the rows. */
static void hand_out(const rm2_team *team, const cuts *c, size_t width, const double *whole,
                     double *own) {
    for (int k = 0; k < team->size; k++) {
        c->sent[k] = team->rank == 0 ? (c->rows[k + 1] - c->rows[k]) * width : 0;
        c->received[k] = k == 0 ? (c->rows[team->rank + 1] - c->rows[team->rank]) * width : 0;
    }
    team->exchange(team->user, c->sent, whole, c->received, own);
}

/* Where the trajectories of this rank begin, among its rows. */
static void take_starts(const rm2_team *team, const cuts *c, size_t *starts) {
    size_t first = c->trajectories[team->rank], end = c->trajectories[team->rank + 1];
    for (size_t t = first; t <= end; t++)
        starts[t - first] = starts[t] - c->rows[team->rank];
}

static void fill(const rm2_team *team, const job *j, const cuts *c,
                 const rm2i_whole_training *whole, rm2i_part_of_training *part) {
    const rm2i_model_problem *p = whole ? whole->problem : NULL;
    size_t n = c->rows[team->rank + 1] - c->rows[team->rank], T = j->all_trajectories;
    for (size_t m = 0; m < j->M; m++)
        hand_out(team, c, 1, p ? p->F + m * p->N : NULL, part->F + m * n);
    hand_out(team, c, j->Q, p ? p->X0 : NULL, part->X0);
    if (p && T > 0)
        memcpy(part->starts, p->starts, (T + 1) * sizeof *part->starts);
    if (T > 0) {
        rm2i_team_tell(team, part->starts, (T + 1) * sizeof *part->starts);
        take_starts(team, c, part->starts);
    }
    if (p && j->inducing_points)
        memcpy(part->inducing_points, whole->settings->inducing_points,
               j->settings.inducing * sizeof *part->inducing_points);
    if (j->inducing_points)
        rm2i_team_tell(team, part->inducing_points,
                       j->settings.inducing * sizeof *part->inducing_points);
}

static void describe(const rm2_team *team, const job *j, const cuts *c,
                     const rm2i_whole_training *whole, rm2i_part_of_training *part) {
    part->settings = j->settings;
    part->settings.inducing_points = part->inducing_points;
    part->settings.init_latent = part->settings.base_point = NULL; /* of the start, which is made */
    part->settings.back_kernels = NULL;
    part->problem = (rm2i_model_problem){.N = c->rows[team->rank + 1] - c->rows[team->rank],
                                         .M = j->M,
                                         .Q = j->Q,
                                         .F = part->F,
                                         .X0 = part->X0,
                                         .trajectories = c->trajectories[team->rank + 1] -
                                                         c->trajectories[team->rank],
                                         .starts = part->starts,
                                         .team = team,
                                         .all = j->all,
                                         .all_trajectories = j->all_trajectories,
                                         .psi = j->psi,
                                         .squared_step = j->squared_step};
    part->checkpoint = (rm2_checkpoint){
        .path = j->checkpoint ? "" : NULL, .seconds = j->checkpoint_seconds, .resume = j->resume};
    if (!whole)
        return;
    part->problem.all_starts = whole->problem->starts;
    if (j->checkpoint) {
        part->problem.begun = rm2i_fingerprint_begin(whole->problem);
        part->checkpoint.path = whole->checkpoint->path;
    }
}

/* Both sides of the division, once all know the job; rank 0 has the whole and the cuts. */
static rm2_status take_part(rm2_context *ctx, const rm2_team *team, const job *j, cuts *c,
                            const rm2i_whole_training *whole, rm2i_part_of_training *part) {
    size_t ranks = (size_t)team->size;
    rm2i_team_tell(team, c->rows, (ranks + 1) * sizeof *c->rows);
    rm2i_team_tell(team, c->trajectories, (ranks + 1) * sizeof *c->trajectories);
    size_t n = c->rows[team->rank + 1] - c->rows[team->rank];
    RM2_TRY(rm2i_team_settle(ctx, team, allocate(ctx, j, n, part)));
    fill(team, j, c, whole, part);
    describe(team, j, c, whole, part);
    return RM2_OK;
}

static rm2_status divide(rm2_context *ctx, const rm2_team *team, const rm2i_whole_training *whole,
                         const rm2i_units *units, rm2i_part_of_training *part) {
    cuts c;
    RM2_TRY(check_units(ctx, team, units));
    RM2_TRY(cuts_create(ctx, (size_t)team->size, &c));
    cut(units, (size_t)team->size, &c);
    job j = job_of(ctx, whole);
    rm2i_team_tell(team, &j, sizeof j);
    rm2_status status = rm2i_team_settle(ctx, team, RM2_OK);
    if (status == RM2_OK)
        status = take_part(ctx, team, &j, &c, whole, part);
    free(c.memory);
    return status;
}

rm2_status rm2i_training_divide(rm2_context *ctx, const rm2_team *team,
                                const rm2i_whole_training *whole, rm2i_part_of_training *part) {
    const rm2i_model_problem *p = whole->problem;
    const rm2i_rows_of what = {.N = p->N,
                               .trajectories = p->trajectories,
                               .starts = p->starts,
                               .rows = rm2i_unit_rows(p->N)};
    rm2i_units *units;
    *part = (rm2i_part_of_training){.F = NULL};
    RM2_TRY(rm2i_units_create(ctx, &what, &units));
    rm2_status status = divide(ctx, team, whole, units, part);
    rm2i_units_free(units);
    return status;
}

static rm2_status allocate_whole(rm2_context *ctx, const rm2i_model_problem *p,
                                 rm2i_collected *whole) {
    RM2_TRY(rm2i_alloc(ctx, p->all, p->Q * sizeof *whole->X, &whole->X));
    return rm2i_alloc(ctx, p->M, p->all * sizeof *whole->F, &whole->F);
}

rm2_status rm2i_training_collect(rm2_context *ctx, const rm2i_objective *o, rm2i_collected *whole) {
    const rm2i_ranges *points = &o->units->points;
    const rm2i_model_problem *p = &o->p;
    *whole = (rm2i_collected){.X = NULL};
    RM2_TRY(rm2i_team_settle(ctx, p->team,
                             p->team->rank == 0 ? allocate_whole(ctx, p, whole) : RM2_OK));
    rm2i_shares_collect(points->shares, points->of_rank, p->Q, o->X, whole->X);
    for (size_t m = 0; m < p->M; m++)
        rm2i_shares_collect(points->shares, points->of_rank, 1, p->F + m * p->N,
                            whole->F ? whole->F + m * p->all : NULL);
    return RM2_OK;
}

/* ---- ranks that wait ------------------------------------------------------------------------ */

static rm2_status train_part(rm2_context *ctx, const rm2i_part_of_training *part) {
    rm2i_objective *o;
    rm2i_training training;
    rm2i_collected none;
    RM2_TRY(rm2i_objective_create(ctx, &part->settings, &part->problem, &o));
    rm2_status status = rm2i_train(ctx, o, &part->checkpoint, &training);
    if (status == RM2_OK) {
        free(training.trace);
        status = rm2i_training_collect(ctx, o, &none);
    }
    if (status == RM2_OK) /* that rank 0 has memory for what comes */
        status = rm2i_team_settle(ctx, part->problem.team, RM2_OK);
    if (status == RM2_OK)
        status = rm2i_objective_sums(o, NULL);
    rm2i_objective_free(o);
    return status;
}

static rm2_status join(rm2_context *ctx, const rm2_team *team, const job *j) {
    cuts c = {.memory = NULL};
    rm2i_part_of_training part = {.F = NULL};
    rm2_context_set_threads(ctx, j->threads);
    rm2_status status = rm2i_team_settle(ctx, team, cuts_create(ctx, (size_t)team->size, &c));
    if (status == RM2_OK)
        status = take_part(ctx, team, j, &c, NULL, &part);
    free(c.memory);
    if (status == RM2_OK)
        status = train_part(ctx, &part);
    rm2i_part_clear(&part);
    return status;
}

rm2_status rm2_team_work(rm2_context *ctx) {
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    const rm2_team *team = rm2i_team_of(ctx);
    if (team && team->rank == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "only rank 0 of a team may train; other ranks call rm2_team_work");
    while (team) {
        job j;
        rm2i_team_tell(team, &j, sizeof j);
        if (j.kind == END)
            break;
        (void)join(ctx, team, &j); /* rank 0 knows of a failure, and reports it */
    }
    return RM2_OK;
}

rm2_status rm2_team_end(rm2_context *ctx) {
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    const rm2_team *team = rm2i_team_of(ctx);
    if (team && team->rank != 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "only rank 0 may end the work of a team; this is rank %d", team->rank);
    job j = {.kind = END};
    rm2i_team_tell(team, &j, sizeof j);
    return RM2_OK;
}
