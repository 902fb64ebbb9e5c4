/* Models without most of their training points. Predictions with inducing points need the sums A and V F over the points
 * (gp/inducing.h), not the points; the rest, such as starts of an encoding, the extent of the latents and distances from
 * the demonstrations, is content with some of them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "gp/inducing.h"
#include "model/model.h"
#include "start/start.h"

enum { KEPT = 5000 };

static rm2_status refuse(rm2_context *ctx, const rm2_model *m) {
    if (m->inducing_count == 0)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "a model with exact inference needs all of its points: train with "
                         "settings.inference inducing for a compact one");
    if (m->settings.task == RM2_TASK_INTEGRATED)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "a model with settings.task integrated (recipe points) needs all of its "
                         "points: train with recipe robust for a compact one");
    if (m->back_weights)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "a model with settings.back_constraint needs all of its points: train "
                         "without for a compact one");
    return RM2_OK;
}

/* ---- what is kept --------------------------------------------------------------------------- */

/* Rows of the points that are kept. */
typedef struct kept_rows {
    size_t n, ambient, M, Q;
    double *points;  /* n x ambient */
    double *numbers; /* n: of the rows */
    double *time;    /* n; not set without time */
    double *X, *F;   /* n x Q, M x n */
    double *memory;
} kept_rows;

static void lay_out(void *arg, rm2i_arena *a) {
    kept_rows *r = arg;
    r->points = rm2i_reserve(a, double, r->n, r->ambient);
    r->numbers = rm2i_reserve(a, double, r->n);
    r->time = rm2i_reserve(a, double, r->n);
    r->X = rm2i_reserve(a, double, r->n, r->Q);
    r->F = rm2i_reserve(a, double, r->n, r->M);
}

static rm2_status gather_numbers(rm2_context *ctx, const rm2_model *m, const rm2i_rows *all,
                                 const rm2i_few *few, const kept_rows *rows) {
    double *numbers;
    RM2_TRY(rm2i_rows_alloc(ctx, all, m->N, sizeof *numbers, &numbers));
    for (size_t i = 0; i < m->N; i++)
        numbers[i] = (double)m->data->rows[i];
    rm2_status status = rm2i_rows_pick(ctx, all, few, 1, numbers, rows->numbers);
    free(numbers);
    return status;
}

/* On the root. */
static rm2_status gather_rows(rm2_context *ctx, const rm2_model *m, const rm2i_rows *all,
                              const rm2i_few *few, kept_rows *rows) {
    const rm2_data *data = m->data;
    *rows = (kept_rows){.n = rm2i_rows_root(all) ? few->count : 0,
                        .ambient = rm2_manifold_ambient(m->manifold),
                        .M = m->M,
                        .Q = m->Q};
    RM2_TRY(rm2i_rows_agree(ctx, all, rm2i_arena_alloc(ctx, lay_out, rows, &rows->memory)));
    RM2_TRY(rm2i_rows_pick(ctx, all, few, rows->ambient, data->points, rows->points));
    RM2_TRY(gather_numbers(ctx, m, all, few, rows));
    if (data->time)
        RM2_TRY(rm2i_rows_pick(ctx, all, few, 1, data->time, rows->time));
    RM2_TRY(rm2i_rows_pick(ctx, all, few, m->Q, m->X, rows->X));
    for (size_t o = 0; o < m->M; o++)
        RM2_TRY(rm2i_rows_pick(ctx, all, few, 1, m->F + o * m->N, rows->F + o * rows->n));
    return RM2_OK;
}

/* ---- the data set --------------------------------------------------------------------------- */

static rm2_status copy_id(rm2_context *ctx, const char *id, char **to) {
    free(*to);
    *to = NULL;
    return rm2i_strdup(ctx, id, to);
}

static rm2_status copy_labels(rm2_context *ctx, const rm2_data *data, const rm2i_kept *kept,
                              rm2i_draft *d) {
    if (!data->labels)
        return RM2_OK;
    RM2_TRY(rm2i_draft_set_labels(ctx, d, data->label_count, data->label_names));
    for (size_t k = 0; k < kept->n; k++)
        d->labels[k] = data->labels[kept->index[k]];
    return RM2_OK;
}

/* What a compact model is made from. */
typedef struct source {
    const rm2_model *m;
    const rm2i_kept *kept;
    const kept_rows *rows;
    const char *const *ids; /* of all trajectories */
} source;

static rm2_status fill_draft(rm2_context *ctx, const source *from, rm2i_draft *d) {
    const rm2_data *data = from->m->data;
    const kept_rows *rows = from->rows;
    memcpy(d->scale, data->scale, rm2_manifold_factor_count(data->manifold) * sizeof *d->scale);
    d->shrinkage = data->shrinkage;
    d->row_word = data->row_word;
    memcpy(d->points, rows->points, rows->n * rows->ambient * sizeof *d->points);
    for (size_t k = 0; k < rows->n; k++)
        d->rows[k] = (size_t)rows->numbers[k];
    if (data->time) {
        RM2_TRY(rm2i_draft_set_time(ctx, d));
        memcpy(d->time, rows->time, rows->n * sizeof *d->time);
    }
    for (size_t t = 0; t < from->kept->trajectories; t++) {
        d->starts[t + 1] = from->kept->starts[t + 1];
        RM2_TRY(copy_id(ctx, from->ids[from->kept->chosen[t]], &d->ids[t]));
    }
    return copy_labels(ctx, data, from->kept, d);
}

static rm2_status keep_data(rm2_context *ctx, const source *from, rm2_data **some) {
    const rm2_data *data = from->m->data;
    rm2i_draft draft;
    RM2_TRY(rm2i_draft_create(ctx, data->manifold, data->source, from->kept->n,
                              from->kept->trajectories, &draft));
    rm2_status status = fill_draft(ctx, from, &draft);
    if (status == RM2_OK)
        status = rm2i_draft_finish(ctx, &draft, some);
    rm2i_draft_clear(&draft); /* empty unless that failed */
    return status;
}

/* ---- the model ------------------------------------------------------------------------------ */

static void copy_parameters(const rm2_model *m, const kept_rows *rows, rm2_model *c) {
    size_t M = m->M, Q = m->Q;
    memcpy(c->X, rows->X, rows->n * Q * sizeof *c->X);
    memcpy(c->F, rows->F, rows->n * M * sizeof *c->F);
    memcpy(c->mean, m->mean, M * sizeof *c->mean);
    memcpy(c->base, m->base, rm2_manifold_ambient(m->manifold) * sizeof *c->base);
    memcpy(c->lengthscale, m->lengthscale, Q * sizeof *c->lengthscale);
    memcpy(c->Kf, m->Kf, M * M * sizeof *c->Kf);
    memcpy(c->gpdm, m->gpdm, sizeof c->gpdm);
    c->variance = m->variance;
    c->linear = m->linear;
    c->noise = m->noise;
}

static void copy_record(const rm2_model *m, rm2_model *c) {
    double *trace = c->training.trace;
    c->training = m->training;
    c->training.trace = trace;
    c->volume = m->volume;
    c->gpdm_inducing = m->gpdm_inducing;
    memcpy(trace, m->training.trace, (m->training.iterations + 1) * sizeof *trace);
}

static rm2_status copy_sums(rm2_context *ctx, const rm2_model *m, rm2_model *c) {
    size_t r = m->inducing_count, count = rm2i_inducing_sums_count(r, m->M);
    c->inducing_count = r;
    RM2_TRY(rm2i_alloc(ctx, r, m->Q * sizeof *c->inducing_inputs, &c->inducing_inputs));
    memcpy(c->inducing_inputs, m->inducing_inputs, r * m->Q * sizeof *c->inducing_inputs);
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *c->inducing_sums, &c->inducing_sums));
    const double *sums = m->posterior ? m->posterior->sums : m->inducing_sums;
    memcpy(c->inducing_sums, sums, count * sizeof *c->inducing_sums);
    return RM2_OK;
}

static rm2_status copy_calibration(rm2_context *ctx, const rm2_model *m, rm2_model *c) {
    size_t factors = rm2_manifold_factor_count(m->manifold);
    if (!m->calibration)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, factors, sizeof *c->calibration, &c->calibration));
    memcpy(c->calibration, m->calibration, factors * sizeof *c->calibration);
    c->calibrated = m->calibrated;
    return RM2_OK;
}

static rm2_status fill(rm2_context *ctx, const source *from, rm2_model *c) {
    const rm2_model *m = from->m;
    c->trained = m->trained ? m->trained : rm2i_rows_all(m->rows, m->N);
    RM2_TRY(
        rm2i_alloc(ctx, m->training.iterations + 1, sizeof *c->training.trace, &c->training.trace));
    copy_parameters(m, from->rows, c);
    copy_record(m, c);
    RM2_TRY(copy_calibration(ctx, m, c));
    RM2_TRY(copy_sums(ctx, m, c));
    return rm2i_model_finish(ctx, c);
}

static rm2_status build(rm2_context *ctx, const source *from, rm2_model **compact) {
    rm2_data *data;
    rm2_model *c;
    RM2_TRY(keep_data(ctx, from, &data));
    rm2_status status = rm2i_model_create(ctx, data, &from->m->settings, &c);
    rm2_data_free(data);
    RM2_TRY(status);
    status = fill(ctx, from, c);
    if (status == RM2_OK)
        *compact = c;
    else
        rm2_model_free(c);
    return status;
}

rm2_status rm2i_model_compact(rm2_context *ctx, const rm2_model *m, const char *const *ids,
                              size_t points, rm2_model **compact) {
    const rm2i_rows all = rm2i_model_rows(m);
    rm2i_kept kept;
    kept_rows rows = {.memory = NULL};
    RM2_TRY(rm2i_keep(ctx, &all, points ? points : KEPT, &kept));
    rm2_status status = gather_rows(ctx, m, &all, &(rm2i_few){kept.n, kept.index}, &rows);
    if (status == RM2_OK && rm2i_rows_root(&all))
        status = build(ctx, &(source){m, &kept, &rows, ids}, compact);
    free(rows.memory);
    rm2i_kept_free(&kept);
    return status;
}

rm2_status rm2_model_compact(rm2_context *ctx, const rm2_model *model, size_t points,
                             rm2_model **compact) {
    RM2_REQUIRE(ctx, compact);
    *compact = NULL;
    RM2_REQUIRE(ctx, model);
    if (points == 1)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a compact model keeps at least 2 points, not 1");
    RM2_TRY(refuse(ctx, model));
    return rm2i_model_compact(ctx, model, model->data->ids, points, compact);
}
