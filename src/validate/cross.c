/* Cross-validation: the jobs, on the context's threads. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "fit/plan.h"
#include "validate/cross.h"

/* What a call owns; the result is the first member, so that the address of both is the same. */
typedef struct object {
    rm2_cross view;
    rm2i_folds folds;
    rm2i_cross_record *records; /* candidates x folds */
    rm2_cross_job *jobs;
    rm2_cross_row *rows;
} object;

/* One thread at a time writes the file of results and marks a job as done. */
typedef struct results_file {
    pthread_mutex_t lock;
    double written; /* seconds: last write */
} results_file;

typedef struct validation {
    rm2_context *ctx;
    const rm2_data *data;
    rm2_cross_settings settings;
    const rm2_checkpoint *checkpoint;
    rm2_fit_settings *candidates;
    rm2i_cross_part *parts; /* folds */
    object *out;
    results_file *file;
} validation;

static size_t job_count(const validation *v) {
    return v->out->view.candidates * v->out->view.folds;
}

/* ---- candidates and parts --------------------------------------------------------------------- */

/* Decided on all of the data, so that every fold has the same recipe. */
static rm2_status copy_candidate(rm2_context *ctx, const rm2_data *data,
                                 const rm2_fit_settings *given, size_t number,
                                 rm2_fit_settings *own) {
    const rm2i_fit_subject subject = rm2i_fit_subject_of(data);
    char prefix[48];
    rm2_fit_plan *plan;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *plan, &plan));
    (void)snprintf(prefix, sizeof prefix, "candidates[%zu]: ", number);
    rm2_status status = rm2i_plan_decide(ctx, given, &subject, plan);
    if (status == RM2_OK)
        rm2i_plan_log(ctx, prefix, plan);
    else /* what the sizes of the data do not allow is a job that fails */
        status = rm2_fit_check(ctx, NULL, given);
    *own = plan->settings;
    free(plan);
    if (status != RM2_OK)
        return rm2i_fail_prefix(ctx, status, "candidates[%zu]", number);
    if (own->init == RM2_INIT_GIVEN || own->inducing_points)
        return rm2i_fail(
            ctx, RM2_ERR_ARGUMENT,
            "candidates[%zu]: %s apply to the whole data set, not to the points of a fold", number,
            own->inducing_points ? "settings.inducing_points"
                                 : "given latents (settings.init given)");
    return RM2_OK;
}

static rm2_status copy_candidates(validation *v, size_t count,
                                  const rm2_fit_settings *const *candidates) {
    RM2_TRY(rm2i_alloc(v->ctx, count, sizeof *v->candidates, &v->candidates));
    for (size_t k = 0; k < count; k++)
        RM2_TRY(copy_candidate(v->ctx, v->data, candidates[k], k, &v->candidates[k]));
    return RM2_OK;
}

static rm2_status divide(validation *v) {
    size_t folds = v->out->folds.count, n = v->data->count;
    bool *held;
    RM2_TRY(rm2i_calloc(v->ctx, folds, sizeof *v->parts, &v->parts));
    RM2_TRY(rm2i_alloc(v->ctx, n, sizeof *held, &held));
    rm2_status status = RM2_OK;
    for (size_t f = 0; status == RM2_OK && f < folds; f++) {
        for (size_t i = 0; i < n; i++)
            held[i] = v->out->folds.of[i] == f;
        status = rm2i_data_divide(v->ctx, v->data, held, &v->parts[f].train, &v->parts[f].held);
    }
    free(held);
    return status;
}

/* ---- jobs ------------------------------------------------------------------------------------- */

static bool keeps(const validation *v) {
    return v->checkpoint && v->checkpoint->path;
}

/* On a context of its own: results are kept also where the call is interrupted. */
static rm2_status write_results(const validation *v) {
    rm2_context *own;
    if (rm2_context_create(&own) != RM2_OK)
        return rm2i_fail(v->ctx, RM2_ERR_MEMORY, "out of memory");
    rm2_status status = rm2i_cross_write(own, v->checkpoint->path, job_count(v), v->out->records);
    if (status != RM2_OK)
        (void)rm2i_fail(v->ctx, status, "%s", rm2_context_error(own));
    rm2_context_free(own);
    v->file->written = rm2_seconds();
    return status;
}

/* A file that cannot be written does not end the work: there is another try at the next job. */
static rm2_status finish(const validation *v, const rm2_cross_job *job, rm2i_cross_record *record) {
    rm2_status status = RM2_OK;
    (void)pthread_mutex_lock(&v->file->lock);
    record->job = *job;
    record->done = true;
    if (keeps(v) && rm2_seconds() - v->file->written >= v->checkpoint->seconds)
        status = write_results(v);
    (void)pthread_mutex_unlock(&v->file->lock);
    return status == RM2_ERR_MEMORY ? status : RM2_OK;
}

static rm2_status write_last(const validation *v) {
    if (!keeps(v) || v->out->view.resumed == job_count(v))
        return RM2_OK;
    rm2_status status = write_results(v);
    if (status == RM2_OK || status == RM2_ERR_MEMORY)
        return status;
    rm2i_log(v->ctx, RM2_LOG_WARNING, "results of the jobs were not kept: %s",
             rm2_context_error(v->ctx));
    return RM2_OK;
}

/* Fold by fold, so that differences between candidates are known early. */
static rm2_status run_job(const void *arg, size_t i, double *work) {
    const validation *v = arg;
    size_t candidate = i % v->out->view.candidates, fold = i / v->out->view.candidates;
    rm2i_cross_record *record = &v->out->records[candidate * v->out->view.folds + fold];
    rm2_context *child;
    rm2_cross_job job;
    (void)work;
    if (record->done)
        return RM2_OK;
    RM2_TRY(rm2i_context_child(v->ctx, 1, &child));
    rm2_status status = rm2i_cross_run(child, &v->parts[fold], &v->candidates[candidate],
                                       v->settings.motion, &job, record->message);
    if (status == RM2_OK)
        status = finish(v, &job, record);
    rm2_context_free(child);
    rm2i_activity_advance(v->ctx, 1);
    return status;
}

static rm2_status run_jobs(validation *v) {
    rm2_cross *c = &v->out->view;
    rm2i_activity_begin(v->ctx, "cross-validation", job_count(v));
    rm2i_activity_advance(v->ctx, c->resumed);
    rm2_status status = rm2i_jobs(v->ctx, job_count(v), 0, run_job, v, NULL);
    rm2i_activity_end(v->ctx);
    rm2_status kept = write_last(v);
    if (status == RM2_ERR_MEMORY)
        (void)rm2i_fail(v->ctx, status, "out of memory");
    if (status == RM2_INTERRUPTED)
        (void)rm2i_fail(v->ctx, status, "interrupted");
    return status == RM2_OK ? kept : status;
}

static rm2_status prepare_records(validation *v) {
    rm2_cross *c = &v->out->view;
    RM2_TRY(rm2i_calloc(v->ctx, job_count(v), sizeof *v->out->records, &v->out->records));
    for (size_t k = 0; k < job_count(v); k++)
        v->out->records[k].key = rm2i_cross_key(&v->parts[k % c->folds],
                                                &v->candidates[k / c->folds], v->settings.motion);
    if (keeps(v) && v->checkpoint->resume)
        return rm2i_cross_read(v->ctx, v->checkpoint->path, job_count(v), v->out->records,
                               &c->resumed);
    return RM2_OK;
}

/* ---- result ----------------------------------------------------------------------------------- */

static bool all_euclidean(const validation *v) {
    for (size_t k = 0; k < v->out->view.candidates; k++)
        if (v->candidates[k].model != RM2_GPLVM)
            return false;
    return true;
}

/* Densities of ambient points and of points on the manifold are not compared. */
static rm2_status conclude(validation *v) {
    rm2_cross *c = &v->out->view;
    bool euclidean = all_euclidean(v);
    RM2_TRY(rm2i_alloc(v->ctx, job_count(v), sizeof *v->out->jobs, &v->out->jobs));
    RM2_TRY(rm2i_alloc(v->ctx, c->candidates, sizeof *v->out->rows, &v->out->rows));
    for (size_t k = 0; k < job_count(v); k++) {
        v->out->jobs[k] = v->out->records[k].job;
        if (v->candidates[k / c->folds].model == RM2_GPLVM && !euclidean)
            v->out->jobs[k].value[RM2_CROSS_DENSITY] = (double)NAN;
    }
    c->jobs = v->out->jobs;
    rm2i_cross_choose(c, v->candidates, v->out->rows);
    return RM2_OK;
}

static rm2_status run(validation *v, size_t count, const rm2_fit_settings *const *candidates) {
    rm2_cross *c = &v->out->view;
    RM2_TRY(copy_candidates(v, count, candidates));
    RM2_TRY(rm2i_folds_create(v->ctx, v->data, &v->settings, &v->out->folds));
    *c = (rm2_cross){.candidates = count,
                     .folds = v->out->folds.count,
                     .split = v->out->folds.split,
                     .fold = v->out->folds.of};
    RM2_TRY(divide(v));
    RM2_TRY(prepare_records(v));
    RM2_TRY(run_jobs(v));
    return conclude(v);
}

static void free_parts(validation *v) {
    for (size_t f = 0; v->parts && f < v->out->folds.count; f++) {
        rm2_data_free(v->parts[f].train);
        rm2_data_free(v->parts[f].held);
    }
    free(v->parts);
    free(v->candidates);
}

rm2_status rm2_cross_validate(rm2_context *ctx, const rm2_data *data,
                              const rm2_cross_settings *settings, size_t count,
                              const rm2_fit_settings *const *candidates,
                              const rm2_checkpoint *checkpoint, rm2_cross **cross) {
    RM2_REQUIRE(ctx, data, candidates, cross);
    results_file file = {.lock = PTHREAD_MUTEX_INITIALIZER};
    validation v = {.ctx = ctx,
                    .file = &file,
                    .data = data,
                    .settings = rm2_cross_settings_default(),
                    .checkpoint = checkpoint};
    *cross = NULL;
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &v.settings));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_CROSS), &v.settings));
    if (count == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "count is 0: expected at least one candidate");
    RM2_TRY(rm2i_data_complete(ctx, data, "cross-validation needs"));
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *v.out, &v.out));
    rm2_status status = run(&v, count, candidates);
    free_parts(&v);
    (void)pthread_mutex_destroy(&file.lock);
    if (status == RM2_OK)
        *cross = &v.out->view;
    else
        rm2_cross_free(&v.out->view);
    return status;
}

void rm2_cross_free(rm2_cross *cross) {
    object *o = (object *)(void *)cross;
    if (!o)
        return;
    free(o->folds.of);
    free(o->records);
    free(o->jobs);
    free(o->rows);
    free(o);
}
