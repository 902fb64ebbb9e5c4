/* From data and decided settings to a trained model. */
#include "fit/run.h"

#include <stdlib.h>

#include "base/base.h"
#include "evidence/points.h"
#include "start/start.h"
#include "train/calibrate.h"
#include "train/scattered.h"

/* Outputs, and the start of the latents in m->X. V, the outputs by points, is needed no longer. */
static rm2_status find_start(rm2_context *ctx, const rm2i_trainer *trainer,
                             const rm2_fit_settings *s, rm2_model *m) {
    double *V;
    RM2_TRY(rm2i_rows_alloc(ctx, m->rows, m->N, m->M * sizeof *V, &V));
    rm2_status status = rm2i_find_outputs(ctx, m, V);
    if (status == RM2_OK)
        status = trainer ? trainer->start(ctx, s, V, m) : rm2i_model_start(ctx, s, V, NULL, m);
    free(V);
    return status;
}

rm2_status rm2i_fit_model(rm2_context *ctx, const rm2_fit_settings *s,
                          const rm2_checkpoint *checkpoint, rm2_model *m) {
    const rm2i_trainer *trainer =
        s->task == RM2_TASK_INTEGRATED ? &rm2i_evidence_trainer : &rm2i_objective_trainer;
    if (checkpoint && checkpoint->path && !trainer->checkpoints)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "training with the covariance of the outputs integrated out has no "
                         "checkpoints: it takes few evaluations");
    RM2_TRY(rm2i_find_base(ctx, s, m));
    RM2_TRY(find_start(ctx, trainer, s, m));
    RM2_TRY(trainer->train(ctx, s, checkpoint, m));
    return rm2i_calibrate(ctx, m);
}

rm2_status rm2i_data_usable(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s) {
    RM2_TRY(rm2i_data_complete(ctx, data, "training needs"));
    if (s->model == RM2_GPLVM) /* which sees entries of matrices, not distances */
        return RM2_OK;
    return rm2i_data_regular(ctx, data);
}

/* An untrained model, if the data allow one. */
static rm2_status prepare(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s,
                          rm2_model **m) {
    const rm2i_rows none = rm2i_rows_none(ctx);
    RM2_TRY(rm2i_data_usable(ctx, data, s));
    if (rm2i_rows_shared(&none))
        RM2_TRY(rm2i_training_check(ctx, s));
    return rm2i_model_create(ctx, data, s, m);
}

rm2_status rm2i_fit_settled(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s,
                            const rm2_checkpoint *checkpoint, rm2_model **model) {
    rm2_model *m;
    *model = NULL;
    RM2_TRY(prepare(ctx, data, s, &m));
    rm2i_activity_begin(ctx, "fit", s->optim.max_iterations);
    rm2_status status = rm2i_fit_model(ctx, s, checkpoint, m);
    if (status == RM2_OK)
        status = rm2i_model_finish(ctx, m);
    rm2i_activity_end(ctx);
    if (status == RM2_OK)
        *model = m;
    else
        rm2_model_free(m);
    return status;
}

rm2_status rm2i_fit_inspect(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s,
                            rm2_start_report **report) {
    rm2_model *m;
    *report = NULL;
    RM2_TRY(prepare(ctx, data, s, &m));
    rm2_status status = RM2_OK;
    if (s->init == RM2_INIT_ALIGNED && data->trajectories > 1)
        status = rm2i_find_base(ctx, s, m);
    if (status == RM2_OK && s->init == RM2_INIT_ALIGNED && data->trajectories > 1)
        status = find_start(ctx, NULL, s, m);
    if (status == RM2_OK) {
        *report = m->start_report;
        m->start_report = NULL;
    }
    rm2_model_free(m);
    return status;
}
