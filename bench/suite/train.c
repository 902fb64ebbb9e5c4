/* Training: one objective with its gradient, and the whole way from the data to a model. */
#include "suite/suite.h"

typedef struct training {
    const bench_run *run;
    rm2_data *data;
    size_t inducing, evaluations; /* of the last training by the case's own inference */
    double objective;
    size_t outputs;
} training;

static void note(training *t, const rm2_model_info *info) {
    t->inducing = info->inducing;
    t->evaluations = info->training.evaluations;
    t->objective = info->training.end.total / (double)info->points;
    t->outputs = info->outputs;
}

/* ---- evaluations ----------------------------------------------------------------------------- */

/* Next to other programs small problems take long enough that all have had their turn. */
static size_t iterations_of(const training *t) {
    bool small = t->run->subject->group == BENCH_BUSY && t->data->count < 500;
    return (small ? 10 : 1) * t->run->iterations;
}

/* Seconds of an evaluation, the mean over a few iterations. */
static rm2_status evaluate(training *t, rm2_inference inference, double *seconds) {
    rm2_fit_settings s = bench_recipe(t->run);
    rm2_model *model = NULL;
    s.inference = inference;
    s.init = RM2_INIT_PCA; /* the start is not what is timed */
    s.optim.max_iterations = iterations_of(t);
    s.optim.relative_decrease = 0;
    rm2_status status = bench_fit(t->run, t->data, &s, &model);
    if (status == RM2_OK) {
        const rm2_model_info *info = rm2_model_info_of(model);
        *seconds = info->training.seconds / (double)info->training.evaluations;
        if (inference == bench_recipe(t->run).inference)
            note(t, info);
    }
    rm2_model_free(model);
    return status;
}

static rm2_status evaluate_ours(void *user, double *seconds) {
    training *t = user;
    return evaluate(t, bench_recipe(t->run).inference, seconds);
}

static rm2_status evaluate_exact(void *user, double *seconds) {
    return evaluate(user, RM2_INFERENCE_EXACT, seconds);
}

/* What no exact method avoids, or none by inducing points. */
static bare_shape evaluation_shape(const void *user) {
    const training *t = user;
    size_t n = t->data->count;
    bare_shape s = {.kind = t->inducing ? BARE_INDUCING : BARE_FACTORS,
                    .n = n,
                    .r = t->inducing,
                    .factors = t->run->subject->flags & BENCH_PER_OUTPUT ? t->outputs : 1,
                    .steps =
                        t->run->subject->flags & BENCH_DYNAMICS ? n - t->data->trajectories : 0,
                    .threads = rm2_context_threads(t->run->ctx),
                    .times = 1};
    return s;
}

/* ---- whole trainings ------------------------------------------------------------------------- */

static rm2_status train(void *user, double *seconds) {
    training *t = user;
    rm2_fit_settings s = bench_recipe(t->run);
    rm2_model *model = NULL;
    double start = rm2_seconds();
    rm2_status status = bench_fit(t->run, t->data, &s, &model);
    *seconds = rm2_seconds() - start;
    if (status == RM2_OK)
        note(t, rm2_model_info_of(model));
    rm2_model_free(model);
    return status;
}

static bare_shape training_shape(const void *user) {
    const training *t = user;
    bare_shape s = evaluation_shape(user);
    s.times = (double)t->evaluations;
    return s;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static rm2_status measure(training *t, bench_turns *turns, bench_row *row) {
    rm2_status status = bench_data(t->run, &t->data);
    turns->user = t;
    if (status == RM2_OK)
        status = bench_by_turns(t->run, turns, row);
    if (status == RM2_OK) {
        row->points = t->data->count;
        row->outputs = t->outputs;
        row->inducing = t->inducing;
    }
    rm2_data_free(t->data);
    return status;
}

rm2_status bench_evaluation(const bench_run *run, bench_row *row) {
    training t = {.run = run};
    bench_turns turns = {.ours = evaluate_ours,
                         .exact = run->subject->flags & BENCH_COMPARED ? evaluate_exact : NULL,
                         .shape = run->subject->group == BENCH_BUSY ? NULL : evaluation_shape};
    return measure(&t, &turns, row);
}

rm2_status bench_training(const bench_run *run, bench_row *row) {
    training t = {.run = run};
    bench_turns turns = {.ours = train, .shape = training_shape, .cold = true};
    WORK_TRY(measure(&t, &turns, row));
    row->evaluations = t.evaluations;
    row->objective = t.objective;
    return RM2_OK;
}
