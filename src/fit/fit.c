/* From a data set to a trained model: base point, tangent coordinates, start, objective, training.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "evidence/points.h"
#include "gp/inducing.h"
#include "model/back.h"
#include "model/model.h"
#include "model/rules.h"
#include "start/start.h"
#include "train/distribute.h"
#include "train/train.h"
#include "validate/folds.h"

static const double BASE_DEFECT = 1e-6; /* of a given base point; less is projected */

/* ---- data ----------------------------------------------------------------------------------- */

/* A given base point is in the units of the data and must lie on the manifold. */
static rm2_status take_base(rm2_context *ctx, const double *given, rm2_model *m) {
    if (!given)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no base point given");
    memcpy(m->base, given, rm2_manifold_ambient(m->manifold) * sizeof *m->base);
    rm2i_data_scale(m->data, 1, m->base);
    return rm2_manifold_project_within(ctx, m->manifold, "base point (settings.base_point)",
                                       BASE_DEFECT, 1, m->base, m->base);
}

enum {
    MEAN_OF_ALL = 50000, /* points that the mean is of; */
    MEAN_OF_SOME = 20000 /* of more points it is that of about this number of them */
};

/* Points that the mean is of, on rank 0. */
static rm2_status pick_points(rm2_context *ctx, const rm2_model *m, const rm2i_kept *kept,
                              double *points) {
    size_t ambient = rm2_manifold_ambient(m->manifold);
    const rm2i_some_rows rows = {kept->n, kept->index, ambient, m->data->points};
    if (m->parts)
        return rm2i_parts_pick(ctx, m->parts, &rows, points);
    for (size_t k = 0; k < kept->n; k++)
        memcpy(points + k * ambient, m->data->points + kept->index[k] * ambient,
               ambient * sizeof *points);
    return RM2_OK;
}

static rm2_status mean_of_some(rm2_context *ctx, const rm2_model *m, const rm2i_kept *kept,
                               rm2_mean_info *info) {
    const rm2_team *team = rm2i_parts_team(m->parts);
    size_t ambient = rm2_manifold_ambient(m->manifold);
    bool first = rm2i_parts_first(m->parts);
    double *points;
    RM2_TRY(rm2i_team_alloc(ctx, team, first ? kept->n : 0, ambient * sizeof *points, &points));
    rm2_status status = pick_points(ctx, m, kept, points);
    if (status == RM2_OK && first)
        status = rm2_manifold_mean(ctx, m->manifold, kept->n, points, NULL, NULL, m->base, info);
    free(points);
    RM2_TRY(rm2i_team_settle(ctx, team, status));
    rm2i_team_tell(team, m->base, ambient * sizeof *m->base);
    return RM2_OK;
}

/* The mean of the points, or of some of very many. */
static rm2_status find_mean(rm2_context *ctx, const rm2_model *m, rm2_mean_info *info) {
    size_t N = rm2i_parts_all(m->parts, m->N);
    if (!m->parts && N <= MEAN_OF_ALL)
        return rm2_manifold_mean(ctx, m->manifold, N, m->data->points, NULL, NULL, m->base, info);
    const rm2i_start_data all = {.N = N,
                                 .trajectories =
                                     m->parts ? m->parts->all_trajectories : m->data->trajectories,
                                 .starts = m->parts ? m->parts->starts : m->data->starts};
    rm2i_kept kept;
    RM2_TRY(rm2i_team_settle(ctx, rm2i_parts_team(m->parts),
                             rm2i_keep(ctx, &all, N <= MEAN_OF_ALL ? N : MEAN_OF_SOME, &kept)));
    rm2_status status = mean_of_some(ctx, m, &kept, info);
    rm2i_kept_free(&kept);
    return status;
}

static rm2_status find_base(rm2_context *ctx, const rm2_fit_settings *s, rm2_model *m) {
    rm2_mean_info info = {.converged = true};
    rm2_manifold_default_point(m->manifold, m->base);
    if (s->model == RM2_GPLVM || s->base == RM2_BASE_DEFAULT)
        return RM2_OK;
    if (s->base == RM2_BASE_GIVEN)
        return take_base(ctx, s->base_point, m);
    RM2_TRY(find_mean(ctx, m, &info));
    if (!info.converged)
        rm2i_log(ctx, RM2_LOG_WARNING,
                 "the mean of the points did not converge (gradient %.1e after %d iterations); its "
                 "last value is the base point",
                 info.gradient, info.iterations);
    return RM2_OK;
}

/* Numbers of points, to be added up over all of them. */
typedef struct sum_job {
    size_t n, width; /* numbers of a point */
    const double *values;
    double divisor;
} sum_job;

static void add_values(const void *job, void *state) {
    const sum_job *j = job;
    double *sum = state;
    for (size_t i = 0; i < j->n; i++)
        for (size_t k = 0; k < j->width; k++)
            sum[k] += j->values[i * j->width + k] / j->divisor;
}

static rm2_status find_volume(rm2_context *ctx, const double *V, rm2_model *m) {
    const rm2_team *team = rm2i_parts_team(m->parts);
    double *volumes = NULL;
    rm2_status status = rm2i_alloc(ctx, m->N, sizeof *volumes, &volumes);
    if (status == RM2_OK)
        status = rm2_manifold_log_volume(ctx, m->manifold, m->N, V, volumes);
    status = rm2i_team_settle(ctx, team, status);
    if (status == RM2_OK)
        rm2i_team_relay(team, sizeof m->volume, &m->volume, add_values,
                        &(sum_job){m->N, 1, volumes, 1});
    free(volumes);
    return status;
}

/* V (N x M, becomes centred), mean, F (M x N), volume. */
static rm2_status find_outputs(rm2_context *ctx, rm2_model *m, double *V) {
    size_t N = m->N, M = m->M;
    const rm2_team *team = rm2i_parts_team(m->parts);
    rm2_status status = rm2i_model_outputs(ctx, m, N, m->data->points, V);
    if (status != RM2_OK)
        status = rm2i_fail_prefix(ctx, status, "tangent coordinates at the base point");
    RM2_TRY(rm2i_team_settle(ctx, team, status));
    if (m->settings.model == RM2_WGPLVM)
        RM2_TRY(find_volume(ctx, V, m));
    rm2i_team_relay(team, M * sizeof *m->mean, m->mean, add_values,
                    &(sum_job){N, M, V, (double)rm2i_parts_all(m->parts, N)});
    for (size_t n = 0; n < N; n++)
        for (size_t k = 0; k < M; k++) {
            V[n * M + k] -= m->mean[k];
            m->F[k * N + n] = V[n * M + k];
        }
    return RM2_OK;
}

void rm2i_tell_inference(rm2_context *ctx, const rm2_fit_settings *s, size_t N, bool inducing) {
    if (inducing && s->inference == RM2_INFERENCE_AUTO)
        rm2i_log(ctx, RM2_LOG_INFO,
                 "%zu points: inference by inducing points (settings.inference exact for none)", N);
}

/* ---- result --------------------------------------------------------------------------------- */

static void copy_block(const rm2i_objective *o, rm2i_parameter_block block, double *to,
                       size_t count) {
    const rm2i_block_info *b = &o->par.block[block];
    for (size_t i = 0; i < count && b->count; i++)
        to[i] = o->natural[b->offset + (b->count > 1 ? i : 0)];
}

/* Of this process, or of all ranks: those of a team have outputs and start of the latents while they train. Ranks that
 * have read their parts keep what is theirs. */
static rm2_status take_latents(rm2_context *ctx, const rm2i_objective *o, rm2_model *m) {
    rm2i_collected whole;
    if (!o->p.team || m->parts) {
        memcpy(m->X, o->X, m->N * m->Q * sizeof *m->X);
        return RM2_OK;
    }
    rm2_status status = rm2i_training_collect(ctx, o, &whole);
    m->X = whole.X;
    m->F = whole.F;
    return status;
}

static void take_parameters(const rm2i_objective *o, rm2_model *m) {
    memcpy(m->Kf, o->Kf, m->M * m->M * sizeof *m->Kf);
    memcpy(m->lengthscale, o->lengthscale, m->Q * sizeof *m->lengthscale);
    copy_block(o, RM2I_VARIANCE, &m->variance, 1);
    copy_block(o, RM2I_LINEAR, &m->linear, 1);
    copy_block(o, RM2I_NOISE, &m->noise, 1);
    if (m->task_noise)
        copy_block(o, RM2I_TASK_NOISE, m->task_noise, m->M);
    if (m->back_weights)
        copy_block(o, RM2I_LATENT, m->back_weights, m->N * m->Q);
    copy_block(o, RM2I_GPDM_LENGTHSCALE, &m->gpdm[0], 1);
    copy_block(o, RM2I_GPDM_VARIANCE, &m->gpdm[1], 1);
    copy_block(o, RM2I_GPDM_NOISE, &m->gpdm[2], 1);
}

static rm2_status copy_points(rm2_context *ctx, size_t count, const size_t *points, size_t **copy) {
    if (!points)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof **copy, copy));
    memcpy(*copy, points, count * sizeof **copy);
    return RM2_OK;
}

static rm2_status take_inducing(rm2_context *ctx, const rm2i_objective *o, rm2_model *m) {
    const rm2i_inducing *in = o->inducing;
    m->gpdm_inducing = o->gpdm.inducing ? o->gpdm.inducing->r : 0;
    if (!in)
        return RM2_OK;
    m->inducing_count = in->r;
    RM2_TRY(rm2i_alloc(ctx, in->r, m->Q * sizeof *m->inducing_inputs, &m->inducing_inputs));
    memcpy(m->inducing_inputs, in->Z, in->r * m->Q * sizeof *in->Z);
    RM2_TRY(copy_points(ctx, o->s.inducing, o->s.inducing_points, &m->given_inducing));
    m->settings.inducing_points = m->given_inducing;
    return copy_points(ctx, in->r, in->index, &m->inducing);
}

/* What the posterior needs of all points, summed by all ranks. */
static rm2_status take_sums(rm2_context *ctx, const rm2i_objective *o, rm2_model *m) {
    const rm2i_inducing *in = o->inducing;
    if (!in)
        return RM2_OK;
    size_t count = rm2i_inducing_sums_count(in->r, in->M);
    rm2_status status = RM2_OK;
    if (rm2i_parts_first(m->parts))
        status = rm2i_alloc(ctx, count, sizeof *m->inducing_sums, &m->inducing_sums);
    RM2_TRY(rm2i_team_settle(ctx, o->p.team, status));
    m->own_sums = true;
    return rm2i_objective_sums(o, m->inducing_sums);
}

static void take_training(const rm2i_training *t, rm2_model *m) {
    m->stop = t->stop;
    m->iterations = t->iterations;
    m->evaluations = t->evaluations;
    m->seconds = t->seconds;
    m->start = t->start;
    m->end = t->end;
    m->likelihood = t->likelihood;
    m->dynamics = t->dynamics;
    m->trace = t->trace;
}

/* An accuracy that was not reached is told. */
static void tell_accuracy(rm2_context *ctx, const rm2_fit_settings *s, const rm2_model *m) {
    double off =
        (m->likelihood.upper - m->end.log_likelihood) / (double)rm2i_parts_all(m->parts, m->N);
    if (m->inducing_count && s->inducing == 0 && off > s->accuracy)
        rm2i_log(ctx, RM2_LOG_WARNING,
                 "%zu inducing points: the log-likelihood is proven to %.1e nats per point, not to "
                 "%.1e; ask for more points with settings.inducing, or for less accuracy",
                 m->inducing_count, off, s->accuracy);
}

/* By this process, or by all ranks, each with its part. */
static rm2_status train_problem(rm2_context *ctx, const rm2i_whole_training *training,
                                rm2_model *m) {
    rm2i_objective *o = NULL;
    rm2i_training result;
    RM2_TRY(rm2i_objective_create(ctx, training->settings, training->problem, &o));
    rm2i_tell_inference(ctx, training->settings, o->p.all, o->inducing != NULL);
    rm2_status status = rm2i_train(ctx, o, training->checkpoint, &result);
    if (status == RM2_OK) {
        take_parameters(o, m);
        take_training(&result, m);
        status = take_latents(ctx, o, m);
    }
    if (status == RM2_OK)
        status = take_sums(ctx, o, m);
    if (status == RM2_OK)
        status = rm2i_team_settle(ctx, rm2i_parts_team(m->parts), take_inducing(ctx, o, m));
    rm2i_objective_free(o);
    return status;
}

static rm2_status train_with_team(rm2_context *ctx, const rm2_team *team,
                                  const rm2i_whole_training *whole, rm2_model *m) {
    rm2i_part_of_training part;
    rm2_status status = rm2i_training_divide(ctx, team, whole, &part);
    if (status == RM2_OK) {
        free(m->X); /* the ranks have them */
        free(m->F);
        m->X = m->F = NULL;
        status = train_problem(
            ctx, &(rm2i_whole_training){&part.settings, &part.problem, &part.checkpoint}, m);
    }
    rm2i_part_clear(&part);
    return status;
}

/* Every rank with the part that it has read: the whole is described by sums over the ranks. */
static rm2_status train_read_parts(rm2_context *ctx, const rm2_fit_settings *s,
                                   const rm2_checkpoint *checkpoint, rm2i_model_problem *p,
                                   rm2_model *m) {
    p->team = m->parts->team;
    p->all = m->parts->all;
    p->all_trajectories = m->parts->all_trajectories;
    p->all_starts = m->parts->starts;
    p->psi = rm2i_mean_variance(p);
    p->squared_step = rm2i_mean_squared_step(p);
    if (checkpoint && checkpoint->path)
        p->begun = rm2i_fingerprint_begin(p);
    return train_problem(ctx, &(rm2i_whole_training){s, p, checkpoint}, m);
}

/* From the start in m->X, which becomes the result. */
static rm2_status train(rm2_context *ctx, const rm2_fit_settings *s,
                        const rm2_checkpoint *checkpoint, rm2_model *m) {
    const rm2_team *team = rm2i_team_of(ctx);
    double *gram = NULL;
    rm2_status status =
        s->back_constraint ? rm2i_back_create(ctx, s->back_kernels, m, &gram) : RM2_OK;
    rm2i_model_problem problem = {.N = m->N,
                                  .M = m->M,
                                  .Q = m->Q,
                                  .F = m->F,
                                  .X0 = m->X,
                                  .gram = gram,
                                  .trajectories = m->data->trajectories,
                                  .starts = m->data->starts};
    const rm2i_whole_training whole = {s, &problem, checkpoint};
    if (status == RM2_OK && m->parts)
        status = train_read_parts(ctx, s, checkpoint, &problem, m);
    else if (status == RM2_OK)
        status = team ? train_with_team(ctx, team, &whole, m) : train_problem(ctx, &whole, m);
    free(gram);
    if (status == RM2_OK && m->end.jitter > 0)
        rm2i_log(ctx, RM2_LOG_WARNING, "a jitter of %.1e was added to a covariance matrix",
                 m->end.jitter);
    if (status == RM2_OK)
        tell_accuracy(ctx, s, m);
    return status;
}

/* ---- covariance of the outputs integrated out ------------------------------------------------ */

static rm2_status find_points_start(rm2_context *ctx, const rm2_fit_settings *s, const double *V,
                                    rm2_model *m, rm2i_points_request *r) {
    rm2_init_kind init = s->init;
    if (init == RM2_INIT_AUTO)
        RM2_TRY(rm2i_cross_start(ctx, m->data, s, &init));
    m->settings.init = init;
    if (init == RM2_INIT_TANGENT)
        return rm2i_points_components(ctx, &r->data, &r->start);
    if (init == RM2_INIT_ISOMAP)
        return rm2i_points_isomap(ctx, &r->data, s->neighbours, &r->start);
    RM2_TRY(rm2i_model_start(ctx, s, V, r->start.X, m));
    return rm2i_points_given(ctx, &r->data, &r->start);
}

static void take_points(const rm2i_points_result *r, rm2_model *m) {
    for (size_t q = 0; q < m->Q; q++)
        m->lengthscale[q] = r->lengthscale;
    m->variance = r->variance;
    m->linear = m->settings.linear.start;
    m->noise = m->settings.noise_variance.start;
    m->freedom = r->freedom;
    m->latent_noise = r->level / (r->unit * r->unit);
    m->stop = r->stop;
    m->iterations = r->iterations;
    m->evaluations = r->evaluations;
    m->seconds = r->seconds;
    m->start = r->start;
    m->end = r->end;
    m->likelihood = r->likelihood;
    m->trace = r->trace;
    m->inducing = r->inducing;
    m->inducing_count = r->inducing_count;
}

/* Where the inducing points are. */
static rm2_status place_inducing(rm2_context *ctx, rm2_model *m) {
    if (!m->inducing)
        return RM2_OK;
    RM2_TRY(
        rm2i_alloc(ctx, m->inducing_count, m->Q * sizeof *m->inducing_inputs, &m->inducing_inputs));
    rm2i_inducing_gather(m->inducing_count, m->inducing, m->Q, m->X, m->inducing_inputs);
    return RM2_OK;
}

static rm2_status fit_points(rm2_context *ctx, const rm2_fit_settings *s, const double *V,
                             double *X0, rm2_model *m) {
    rm2i_points_request r = {.data = {m->N, m->M, m->Q, m->F}, .start.X = X0, .settings = s};
    rm2i_points_result result = {.X = m->X, .Kf = m->Kf};
    RM2_TRY(find_points_start(ctx, s, V, m, &r));
    RM2_TRY(rm2i_points_train(ctx, &r, &result));
    take_points(&result, m);
    RM2_TRY(place_inducing(ctx, m));
    tell_accuracy(ctx, s, m);
    if (result.distinct < m->N)
        rm2i_log(
            ctx, RM2_LOG_INFO,
            "%zu points equal others: each of %zu distinct points counts once in the evidence, "
            "equal points share a latent and count as often as they occur in predictions",
            m->N - result.distinct, result.distinct);
    return RM2_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static rm2_status refuse_checkpoint(rm2_context *ctx) {
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                     "training with the covariance of the outputs integrated out has no "
                     "checkpoints: it takes few evaluations");
}

/* Outputs, and the start of the latents in m->X; with the covariance of the outputs integrated out, the trained ones. V,
 * the outputs by points, lives as long as the start needs it. */
static rm2_status find_latents(rm2_context *ctx, const rm2_fit_settings *s, rm2_model *m) {
    double *V, *X0 = NULL;
    bool integrated = s->task == RM2_TASK_INTEGRATED;
    RM2_TRY(rm2i_team_alloc(ctx, rm2i_parts_team(m->parts), m->N, m->M * sizeof *V, &V));
    rm2_status status = find_outputs(ctx, m, V);
    if (status == RM2_OK && integrated)
        status = rm2i_alloc(ctx, m->N, m->Q * sizeof *X0, &X0);
    if (status == RM2_OK)
        status = integrated ? fit_points(ctx, s, V, X0, m) : rm2i_model_start(ctx, s, V, m->X, m);
    free(X0);
    free(V);
    return status;
}

rm2_status rm2i_latent_check(rm2_context *ctx, const rm2_fit_settings *s, size_t points) {
    if (s->latent_dim <= points)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                     "settings.latent_dim %zu: more latent dimensions than points (%zu)",
                     s->latent_dim, points);
}

/* More latent dimensions than the data can have are doubtful. */
static void tell_dimensions(rm2_context *ctx, const rm2_model *m) {
    size_t dim = rm2_manifold_dim(m->manifold);
    if (m->Q > dim)
        rm2i_log(ctx, RM2_LOG_WARNING, "%zu latent dimensions for data of dimension %zu", m->Q,
                 dim);
}

rm2_status rm2i_model_train(rm2_context *ctx, const rm2_fit_settings *s,
                            const rm2_checkpoint *checkpoint, rm2_model *m) {
    bool integrated = s->task == RM2_TASK_INTEGRATED;
    if (integrated && checkpoint && checkpoint->path)
        return refuse_checkpoint(ctx);
    tell_dimensions(ctx, m);
    RM2_TRY(find_base(ctx, s, m));
    RM2_TRY(find_latents(ctx, s, m));
    return integrated ? RM2_OK : train(ctx, s, checkpoint, m);
}

rm2_recipe rm2_recipe_for(rm2_context *ctx, const rm2_data *data,
                          const rm2_fit_settings *settings) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    if (!ctx || !data || data->trajectories > 0)
        return RM2_RECIPE_ROBUST;
    s = settings ? *settings : s;
    if (s.recipe != RM2_RECIPE_POINTS)
        return s.recipe;
    return rm2_fit_check(ctx, data, &s) == RM2_OK ? RM2_RECIPE_POINTS : RM2_RECIPE_ROBUST;
}

rm2_recipe rm2i_recipe_logged(rm2_context *ctx, const rm2_data *data,
                              const rm2_fit_settings *settings) {
    rm2_recipe recipe = rm2_recipe_for(ctx, data, settings);
    if (recipe == RM2_RECIPE_ROBUST && data->trajectories == 0)
        rm2i_log(ctx, RM2_LOG_INFO, "recipe robust, since %s", rm2_context_error(ctx));
    return recipe;
}

/* The caller's settings, or those of the recipe for the data, within their ranges. */
static rm2_status take_settings(rm2_context *ctx, const rm2_data *data,
                                const rm2_fit_settings *given, rm2_fit_settings *s) {
    *s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    if (!given)
        *s = rm2_fit_settings_recipe(rm2i_recipe_logged(ctx, data, NULL));
    RM2_TRY(rm2i_settings_take(ctx, given, s));
    RM2_TRY(rm2_settings_check(ctx, rm2_fit_settings_table(), s));
    if (data->count < 2)
        return rm2i_fail(ctx, RM2_ERR_DATA, "training needs at least 2 points, %s has %zu",
                         data->source, data->count);
    return RM2_OK;
}

static rm2_status check_sizes(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s) {
    const rm2i_fit_sizes sizes = {data->count, rm2i_rules_outputs(s, data->manifold),
                                  data->trajectories};
    return rm2i_rules_check(ctx, s, &sizes);
}

/* settings.latent_dim 0: the dimension of the highest density of points held out. */
static rm2_status choose_dimension(rm2_context *ctx, const rm2_data *data, rm2_fit_settings *s) {
    enum { MOST = 8 };
    rm2_latent_choice rows[MOST];
    size_t tried, chosen;
    RM2_TRY(rm2_fit_choose_latent(ctx, data, s, MOST, rows, &tried, &chosen));
    for (size_t k = 0; k < tried; k++)
        rm2i_log(
            ctx, RM2_LOG_INFO,
            "%zu latent dimensions: log density of points held out %.4g (standard error %.2g), "
            "residual %.4g%s",
            rows[k].latent_dim, rows[k].log_density, rows[k].standard_error, rows[k].residual,
            k == chosen ? ": chosen" : "");
    s->latent_dim = rows[chosen].latent_dim;
    s->init = rows[chosen].init;
    return RM2_OK;
}

rm2_status rm2_fit_check(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *settings) {
    rm2_fit_settings s;
    RM2_REQUIRE(ctx, data);
    RM2_TRY(take_settings(ctx, data, settings, &s));
    if (s.latent_dim == 0 && s.task != RM2_TASK_INTEGRATED)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.latent_dim is automatic, which needs settings.task integrated");
    s.latent_dim += s.latent_dim == 0; /* the smallest that could be chosen */
    RM2_TRY(rm2i_latent_check(ctx, &s, data->count));
    return check_sizes(ctx, data, &s);
}

/* Settings that count, and an untrained model, if data and settings allow. */
static rm2_status prepare(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *settings,
                          rm2_fit_settings *s, rm2_model **model) {
    RM2_TRY(take_settings(ctx, data, settings, s));
    RM2_TRY(rm2i_data_complete(ctx, data, "training needs"));
    if (s->model != RM2_GPLVM) /* which sees entries of matrices, not distances */
        RM2_TRY(rm2i_data_regular(ctx, data));
    if (rm2i_team_of(ctx))
        RM2_TRY(rm2i_training_check(ctx, s));
    if (s->latent_dim == 0)
        RM2_TRY(choose_dimension(ctx, data, s));
    RM2_TRY(rm2i_latent_check(ctx, s, data->count));
    return rm2i_model_create(ctx, data, s, model);
}

static rm2_status inspect(rm2_context *ctx, const rm2_fit_settings *s, rm2_model *m) {
    double *V;
    RM2_TRY(find_base(ctx, s, m));
    RM2_TRY(rm2i_alloc(ctx, m->N, m->M * sizeof *V, &V));
    rm2_status status = find_outputs(ctx, m, V);
    if (status == RM2_OK)
        status = rm2i_model_start(ctx, s, V, NULL, m);
    free(V);
    return status;
}

rm2_status rm2_fit_inspect(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *settings,
                           rm2_start_report **report) {
    rm2_fit_settings s;
    rm2_model *m;
    RM2_REQUIRE(ctx, report);
    *report = NULL;
    RM2_REQUIRE(ctx, data);
    RM2_TRY(prepare(ctx, data, settings, &s, &m));
    rm2_status status = RM2_OK;
    if (s.init == RM2_INIT_ALIGNED && data->trajectories > 1)
        status = inspect(ctx, &s, m);
    if (status == RM2_OK) {
        *report = m->start_report;
        m->start_report = NULL;
    }
    rm2_model_free(m);
    return status;
}

rm2_status rm2_fit(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *settings,
                   const rm2_checkpoint *checkpoint, rm2_model **model) {
    rm2_fit_settings s;
    rm2_model *m;
    RM2_REQUIRE(ctx, model);
    *model = NULL;
    RM2_REQUIRE(ctx, data);
    RM2_TRY(prepare(ctx, data, settings, &s, &m));
    rm2i_activity_begin(ctx, "fit", s.optim.max_iterations);
    rm2_status status = rm2i_model_train(ctx, &s, checkpoint, m);
    if (status == RM2_OK)
        status = rm2i_model_finish(ctx, m);
    rm2i_activity_end(ctx);
    if (status != RM2_OK) {
        rm2_model_free(m);
        return status;
    }
    *model = m;
    return RM2_OK;
}
