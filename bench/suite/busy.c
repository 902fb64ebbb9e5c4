/* Other programs on the machine, and two contexts at once. */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite/suite.h"

/* ---- programs that compute ------------------------------------------------------------------- */

static void compute_for_ever(void) {
    volatile double x = 1;
    for (;;)
        x = x * 1.0000001 + 1e-9;
}

bench_loops bench_loops_start(size_t count) {
    bench_loops loops = {.count = 0};
    while (loops.count < count && loops.count < BENCH_MOST_LOOPS) {
        pid_t process = fork();
        if (process < 0)
            break;
        if (process == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            compute_for_ever();
        }
        loops.process[loops.count++] = process;
    }
    return loops;
}

void bench_loops_stop(const bench_loops *loops) {
    for (size_t k = 0; k < loops->count; k++) {
        (void)kill(loops->process[k], SIGKILL);
        (void)waitpid(loops->process[k], NULL, 0);
    }
}

/* ---- two contexts ---------------------------------------------------------------------------- */

typedef struct half {
    bench_run run;
    rm2_data *data;
    double seconds;
    rm2_status status;
} half;

static void *train_half(void *user) {
    half *h = user;
    rm2_fit_settings s = bench_recipe(&h->run);
    rm2_model *model = NULL;
    s.init = RM2_INIT_PCA;
    s.optim.max_iterations = h->run.iterations;
    s.optim.relative_decrease = 0;
    h->status = bench_fit(&h->run, h->data, &s, &model);
    if (h->status == RM2_OK) {
        const rm2_model_info *info = rm2_model_info_of(model);
        h->seconds = info->training.seconds / (double)info->training.evaluations;
    }
    rm2_model_free(model);
    return NULL;
}

/* The slower of the two. */
static rm2_status both(void *user, double *seconds) {
    half *h = user;
    pthread_t other;
    if (pthread_create(&other, NULL, train_half, &h[1]) != 0)
        return RM2_ERR_MEMORY;
    (void)train_half(&h[0]);
    (void)pthread_join(other, NULL);
    *seconds = h[0].seconds > h[1].seconds ? h[0].seconds : h[1].seconds;
    return h[0].status == RM2_OK ? h[1].status : h[0].status;
}

static rm2_status one(void *user, double *seconds) {
    half *h = user;
    (void)train_half(&h[0]);
    *seconds = h[0].seconds;
    return h[0].status;
}

static rm2_status open_half(half *h, const bench_run *run) {
    h->run = *run;
    h->run.ctx = NULL;
    WORK_TRY(rm2_context_create(&h->run.ctx));
    rm2_context_set_threads(h->run.ctx, 1);
    return bench_data(&h->run, &h->data);
}

rm2_status bench_pair(const bench_run *run, bench_row *row) {
    half h[2] = {{.data = NULL}, {.data = NULL}};
    const bench_turns turns = {.user = h, .ours = both, .alone = one};
    rm2_status status = open_half(&h[0], run);
    if (status == RM2_OK)
        status = open_half(&h[1], run);
    if (status == RM2_OK)
        status = bench_by_turns(run, &turns, row);
    if (status == RM2_OK) {
        row->points = h[0].data->count;
        row->outputs = rm2_manifold_dim(h[0].data->manifold);
    }
    for (size_t k = 0; k < 2; k++) {
        rm2_data_free(h[k].data);
        rm2_context_free(h[k].run.ctx);
    }
    return status;
}
