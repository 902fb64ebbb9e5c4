/* The objective's inference, exact or by inducing points: how many of these, when they are chosen anew,
 * and what is proven by them.
 *
 * The lower bound misses the log density by about M t/s2 or less, t = tr(K - Q): M t/(2 s2) by its last
 * term, and in the quadratic form tr(Kf^-1 W^T (K - Q) W)/2, which is M t/(2 s2) where the residuals
 * s2 W are noise. An accuracy of a nats per point is therefore t <= a N s2/M; a choice stops at a quarter
 * of that, and lasts until the latents, which the points are among, have moved too far. A choice changes
 * the objective by less than the accuracy, so that the optimiser goes on as if nothing had happened.
 *
 * Points that the user gives are not chosen again. Free inputs are a block of parameters, as many as were
 * chosen or given and starting there: the bound holds wherever they are, and training raises it by them.
 * Both are about the likelihood; the dynamics choose theirs always.
 *
 * The upper bound needs t against s2 itself, and is computed once, at the end, with a set of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "model/rules.h"
#include "train/objective.h"

static const double RESERVE = 0.25; /* of the trace that is allowed: where a choice stops */
/* A trace beyond what is allowed, and a multiple of that at the choice, ends it. */
static const double WHILE_TRAINING = 4, AT_THE_END = 1.5;
static const double ROUNDING = 1e-14;      /* of the trace of K: what a trace is known to */
static const double OF_UPPER_BOUND = 0.25; /* of the accuracy: what the upper bound may lose */

static double natural(const rm2i_objective *o, rm2i_parameter_block block) {
    return o->natural[o->par.block[block].offset];
}

/* Largest t for the accuracy: a N s2/M, and for the dynamics a n z/Q. */
static double allowed(const rm2i_objective *o) {
    return o->s.accuracy * (double)o->rows.all * natural(o, RM2I_NOISE) / (double)o->p.M;
}

static double allowed_dynamics(const rm2i_objective *o) {
    double n = (double)(o->rows.all - o->rows.all_trajectories);
    return o->s.accuracy * n * natural(o, RM2I_GPDM_NOISE) / (double)o->p.Q;
}

static void copy_gpdm_values(rm2i_objective *o) {
    o->gpdm.lengthscale = natural(o, RM2I_GPDM_LENGTHSCALE);
    o->gpdm.variance = natural(o, RM2I_GPDM_VARIANCE);
    o->gpdm.noise = natural(o, RM2I_GPDM_NOISE);
}

/* The set stays as it is once it is there. */
static bool settled(const rm2i_objective *o) {
    return o->s.inducing_points || o->s.inducing_free;
}

static rm2_status use_points(rm2i_objective *o) {
    const rm2i_inducing_shape shape = {.N = o->p.N,
                                       .M = o->p.M,
                                       .Q = o->p.Q,
                                       .r = o->s.inducing,
                                       .index = o->s.inducing_points,
                                       .derivatives = true,
                                       .rows = &o->rows};
    return rm2i_rows_agree(o->ctx, &o->rows, rm2i_inducing_create(o->ctx, &shape, &o->inducing));
}

static rm2_status choose_likelihood(rm2i_objective *o) {
    size_t N = o->p.N, M = o->p.M, count = o->s.inducing;
    rm2i_latent_kernel kernel = rm2i_objective_kernel(o);
    if (o->inducing && settled(o))
        return RM2_OK;
    if (o->s.inducing_points)
        return use_points(o);
    const rm2i_inducing_request request = {.kernel = &kernel,
                                           .N = N,
                                           .X = o->X,
                                           .enough = count ? 0 : RESERVE * allowed(o),
                                           .most = count ? count : RM2I_INDUCING_MOST,
                                           .rows = &o->rows};
    return rm2i_inducing_renew(o->ctx, &request, M, &o->inducing);
}

rm2_status rm2i_objective_choose(rm2i_objective *o) {
    size_t most = o->s.inducing && !o->s.inducing_points ? o->s.inducing : RM2I_INDUCING_MOST;
    RM2_TRY(choose_likelihood(o));
    if (o->s.gpdm_weight == 0)
        return RM2_OK;
    copy_gpdm_values(o);
    return rm2i_gpdm_choose(o->ctx, &o->gpdm, o->X, RESERVE * allowed_dynamics(o), most);
}

/* ---- free inputs ---------------------------------------------------------------------------- */

size_t rm2i_objective_free_inputs(const rm2i_objective *o) {
    size_t most = o->s.inducing ? o->s.inducing : RM2I_INDUCING_MOST;
    return o->s.inducing_free ? (most < o->rows.all ? most : o->rows.all) * o->p.Q : 0;
}

/* A block of their own, where the points they are now start it. */
static void release(rm2i_objective *o) {
    rm2i_inducing *in = o->inducing;
    rm2i_inducing_release(in, o->X);
    o->par.block[RM2I_INDUCING] = (rm2i_block_info){.count = in->r * in->Q, .learned = true};
    rm2i_parameters_lay_out(&o->par);
    memcpy(o->natural + o->par.block[RM2I_INDUCING].offset, in->Z, in->r * in->Q * sizeof *in->Z);
}

/* ---- which inference ------------------------------------------------------------------------ */

static bool wants_inducing(const rm2i_objective *o) {
    return rm2i_rules_inducing(&o->s, o->rows.all);
}

/* With half as many outputs as points, a second N x N factor costs less than the outputs. */
static bool wants_dual(const rm2i_objective *o) {
    return o->s.task == RM2_TASK_PROFILE && !o->s.independent && o->s.task_anchor > 0 &&
           2 * o->p.M >= o->p.N;
}

/* K and L and the scratch of their derivatives, which the dynamics use as well, and those of the dual form. */
static void lay_out_square(void *objective, rm2i_arena *a) {
    rm2i_objective *o = objective;
    size_t N = o->p.N;
    o->K = o->gpdm.K = rm2i_reserve(a, double, N, N);
    o->L = o->gpdm.L = rm2i_reserve(a, double, N, N);
    o->scratch.kernel = o->gpdm.backward =
        rm2i_reserve(a, double, rm2i_latent_backward_work(o->p.Q, N));
    if (!o->dual)
        return;
    o->du.T = rm2i_reserve(a, double, N, N);
    o->du.sum = rm2i_reserve(a, double, N, N);
    o->du.C = rm2i_reserve(a, double, N, N);
}

/* Exact inference: sums over points are those of one loop. */
static rm2_status allocate_square(rm2i_objective *o) {
    double N = (double)o->p.N, nu = o->s.task_anchor * N;
    rm2i_rows_free(&o->rows);
    RM2_TRY(rm2i_objective_cut(o, SIZE_MAX));
    o->dual = wants_dual(o);
    o->du = (rm2i_dual){.ctx = o->ctx, .N = o->p.N, .M = o->p.M, .c = nu * o->psi, .n = N + nu};
    RM2_TRY(rm2i_arena_calloc(o->ctx, lay_out_square, o, &o->square));
    if (o->dual)
        rm2i_dual_prepare(&o->du, o->p.F);
    return RM2_OK;
}

static rm2_status refuse_exact(const rm2i_objective *o) {
    return rm2i_fail(
        o->ctx, RM2_ERR_UNSUPPORTED,
        "inference of these %zu points would be exact, which is not divided among processes: set "
        "settings.inference to inducing, or train on a single process",
        o->rows.all);
}

/* Where a rough kernel needs more than a third of the points, exact inference costs no more. */
rm2_status rm2i_objective_prepare(rm2i_objective *o) {
    if (wants_inducing(o)) {
        RM2_TRY(rm2i_objective_choose(o));
        if (rm2i_rules_inducing_asked(&o->s) || 3 * o->inducing->r <= o->rows.all) {
            if (o->s.inducing_free)
                release(o);
            return RM2_OK;
        }
        rm2i_inducing_free(o->inducing);
        rm2i_inducing_free(o->gpdm.inducing);
        o->inducing = o->gpdm.inducing = NULL;
    }
    return rm2i_rows_shared(&o->rows) ? refuse_exact(o) : allocate_square(o);
}

/* ---- sets that travel ----------------------------------------------------------------------- */

static rm2i_set set_of(const rm2i_inducing *in) {
    return in && in->index ? (rm2i_set){in->index, in->r, in->chosen, in->trace}
                           : (rm2i_set){.count = 0};
}

rm2i_sets rm2i_objective_sets(const rm2i_objective *o) {
    return (rm2i_sets){set_of(o->inducing), set_of(o->gpdm.inducing)};
}

/* A set that was read may hold anything. */
static bool sound(const rm2i_set *set, size_t N) {
    bool good = set->count > 0 && set->count <= N && set->chosen >= 0 && isfinite(set->trace);
    for (size_t j = 0; good && j < set->count; j++)
        good = set->index[j] < N;
    return good;
}

static rm2_status use(rm2_context *ctx, const rm2i_set *set, rm2i_inducing **inducing) {
    const rm2i_inducing *old = *inducing;
    rm2i_inducing *in;
    if (!old || !old->index)
        return RM2_OK;
    if (!sound(set, old->all))
        return rm2i_fail(ctx, RM2_ERR_FORMAT,
                         "the inducing points must be indices of the %zu points", old->all);
    const rm2i_inducing_shape shape = {.N = old->N,
                                       .M = old->M,
                                       .Q = old->Q,
                                       .r = set->count,
                                       .index = set->index,
                                       .derivatives = true,
                                       .rows = old->rows};
    RM2_TRY(rm2i_rows_agree(ctx, old->rows, rm2i_inducing_create(ctx, &shape, &in)));
    in->chosen = set->chosen;
    in->trace = set->trace;
    rm2i_inducing_free(*inducing);
    *inducing = in;
    return RM2_OK;
}

rm2_status rm2i_objective_use(rm2i_objective *o, const rm2i_sets *sets) {
    RM2_TRY(use(o->ctx, &sets->likelihood, &o->inducing));
    return use(o->ctx, &sets->dynamics, &o->gpdm.inducing);
}

/* ---- how well they do ----------------------------------------------------------------------- */

static bool stale(const rm2i_inducing *in, double limit, bool ended) {
    return in && in->trace > fmax(limit, (ended ? AT_THE_END : WHILE_TRAINING) * in->chosen);
}

static double kernel_trace(void *objective, size_t begin, size_t end) {
    const rm2i_objective *o = objective;
    const rm2i_latent_kernel kernel = rm2i_objective_kernel(o);
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += rm2i_latent_variance_at(&kernel, o->X + i * o->p.Q);
    return sum;
}

bool rm2i_objective_stale(rm2i_objective *o, bool ended) {
    double known = ROUNDING * rm2i_rows_sum_units(&o->rows, kernel_trace, o);
    return (!settled(o) && stale(o->inducing, o->s.inducing ? known : allowed(o), ended)) ||
           stale(o->gpdm.inducing, o->gpdm.inducing ? allowed_dynamics(o) : 0, ended);
}

rm2_status rm2i_objective_sums(const rm2i_objective *o, double *sums) {
    const rm2i_latent_kernel kernel = rm2i_objective_kernel(o);
    return rm2i_inducing_sum(o->inducing, &kernel, o->X, o->p.F, sums);
}

rm2_status rm2i_objective_certify(const rm2i_objective *o, rm2_certificate *likelihood,
                                  rm2_certificate *dynamics) {
    double N = (double)o->rows.all, weight = o->s.gpdm_weight;
    rm2i_latent_kernel kernel = rm2i_objective_kernel(o);
    rm2i_bounds bounds;
    *likelihood = (rm2_certificate){o->terms.log_likelihood, o->terms.log_likelihood};
    *dynamics = (rm2_certificate){o->terms.gpdm, o->terms.gpdm};
    if (!o->inducing)
        return RM2_OK;
    /* the upper bound lies at most N M t/(2 s2) above: N times as much as the lower one below */
    const rm2i_inducing_data data = {.kernel = &kernel,
                                     .N = o->p.N,
                                     .M = o->p.M,
                                     .X = o->X,
                                     .F = o->p.F,
                                     .noise = natural(o, RM2I_NOISE),
                                     .Lf = o->Lf,
                                     .rows = &o->rows};
    RM2_TRY(rm2i_inducing_bounds(o->ctx, &data, OF_UPPER_BOUND * allowed(o) / N, &bounds));
    *likelihood = (rm2_certificate){fmax(bounds.lower, o->terms.log_likelihood), bounds.upper};
    if (!o->gpdm.inducing)
        return RM2_OK;
    RM2_TRY(rm2i_gpdm_bounds(o->ctx, &o->gpdm, o->X, OF_UPPER_BOUND * allowed_dynamics(o) / N,
                             &bounds));
    *dynamics =
        (rm2_certificate){fmax(weight * bounds.lower, o->terms.gpdm), weight * bounds.upper};
    return RM2_OK;
}
