/* Rounds: ours, the bare work and exact inference by turns, so that whatever else the machine does
 * meets all of them; medians and quartiles; the peak of memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "front/base.h"
#include "suite/suite.h"

/* ---- data and models ------------------------------------------------------------------------- */

enum { MOST_DIM = 28 * 29 / 2, FUNCTIONS = 4 };

/* Coordinates of one point: functions of two numbers, which bend, with random factors, and noise. */
static void fill_coordinates(size_t dim, const double *factor, rm2_rng *rng, double *c) {
    double x = 2 * rm2_rng_uniform(rng) - 1, y = 2 * rm2_rng_uniform(rng) - 1;
    const double f[FUNCTIONS] = {x, y, sin(2 * x), x * y};
    for (size_t k = 0; k < dim; k++) {
        c[k] = 0.02 * rm2_rng_normal(rng);
        for (size_t i = 0; i < FUNCTIONS; i++)
            c[k] += 0.1 * factor[k * FUNCTIONS + i] * f[i];
    }
}

/* Points of SPD28 on a surface, as covariances of 28 regions of several subjects are. */
static rm2_status make_matrices(const bench_run *run, const rm2_manifold *m, double *c, double *y) {
    size_t n = run->subject->points, dim = rm2_manifold_dim(m);
    double factor[MOST_DIM * FUNCTIONS], identity[28 * 28] = {0};
    rm2_rng rng;
    rm2_rng_seed(&rng, run->seed);
    for (size_t k = 0; k < MOST_DIM * FUNCTIONS; k++)
        factor[k] = rm2_rng_normal(&rng);
    for (size_t i = 0; i < n; i++)
        fill_coordinates(dim, factor, &rng, c + i * dim);
    for (size_t i = 0; i < 28; i++)
        identity[i * 29] = 1;
    return rm2_manifold_exp_coords(run->ctx, m, n, identity, 1, c, y);
}

static rm2_status matrix_data(const bench_run *run, rm2_data **data) {
    rm2_manifold *m;
    size_t n = run->subject->points;
    WORK_TRY(rm2_manifold_create(run->ctx, run->subject->data, &m));
    double *c = calloc(n * (rm2_manifold_dim(m) + rm2_manifold_ambient(m)), sizeof *c);
    double *y = c + n * rm2_manifold_dim(m);
    rm2_status status = c ? make_matrices(run, m, c, y) : RM2_ERR_MEMORY;
    const rm2_data_arrays arrays = {.size = sizeof arrays, .manifold = m, .count = n, .points = y};
    if (status == RM2_OK)
        status = rm2_data_create(run->ctx, &arrays, NULL, data, NULL, NULL);
    free(c);
    rm2_manifold_free(m);
    return status;
}

/* Six trajectories, above 1200 points as many as have 200 points. */
rm2_status bench_data(const bench_run *run, rm2_data **data) {
    const bench_case *c = run->subject;
    rm2_generate_settings g = rm2_generate_settings_default();
    if (strcmp(c->data, "SPD28") == 0)
        return matrix_data(run, data);
    g.seed = run->seed;
    g.points = c->points;
    if (strcmp(c->data, "connectome") != 0) {
        g.trajectories = c->points > 1200 ? c->points / 200 : 6;
        g.points = c->points / g.trajectories;
    }
    return rm2_data_generate(run->ctx, c->data, &g, data);
}

rm2_fit_settings bench_recipe(const bench_run *run) {
    unsigned flags = run->subject->flags;
    rm2_fit_settings s =
        rm2_fit_settings_recipe(flags & BENCH_POINTS ? RM2_RECIPE_POINTS : RM2_RECIPE_ROBUST);
    s.seed = run->seed;
    if (flags & BENCH_POINTS)
        return s;
    s.inference = flags & BENCH_SPARSE ? RM2_INFERENCE_INDUCING : RM2_INFERENCE_EXACT;
    s.gpdm_weight = flags & BENCH_DYNAMICS ? 1 : 0;
    if (flags & BENCH_PER_OUTPUT) {
        s.noise = RM2_NOISE_PER_OUTPUT;
        s.task = RM2_TASK_LEARNED;
    }
    return s;
}

rm2_status bench_fit(const bench_run *run, const rm2_data *data, const rm2_fit_settings *settings,
                     rm2_model **model) {
    WORK_TRY(rm2_fit(run->ctx, data, settings, NULL, model));
    return rm2_model_info_of(*model)->training.stop == RM2_STOP_INTERRUPTED ? RM2_INTERRUPTED
                                                                            : RM2_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A line of /proc/self/status, in MB; NaN where there is none. */
static double memory_line(const char *name) {
    char line[256];
    double kilobytes = NAN;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0)
            kilobytes = strtod(line + strlen(name), NULL);
    if (f)
        (void)fclose(f);
    return kilobytes / 1024;
}

/* Let the peak begin anew, so that what came before (the training of a model that is used) is not part
 * of it. Linux does it when told so; elsewhere the peak is that of the whole process. */
static void forget_peak(void) {
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f)
        return;
    (void)fputs("5", f);
    (void)fclose(f);
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* Between the sorted values around part q of the way. */
static double quantile(size_t count, const double *sorted, double q) {
    double at = q * (double)(count - 1);
    size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

static bench_times summarise(size_t count, double *seconds) {
    qsort(seconds, count, sizeof *seconds, by_value);
    return (bench_times){
        .count = count,
        .median = 1e3 * quantile(count, seconds, 0.5),
        .quartile = {1e3 * quantile(count, seconds, 0.25), 1e3 * quantile(count, seconds, 0.75)},
        .least = 1e3 * seconds[0],
        .most = 1e3 * seconds[count - 1]};
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* The first run of ours: its peak of memory, and then what its bare work is. */
static rm2_status begin(const bench_turns *t, double *seconds, bare_work **bare, bench_row *row) {
    forget_peak();
    WORK_TRY(t->ours(t->user, seconds));
    row->memory = memory_line("VmHWM:");
    if (!t->shape)
        return RM2_OK;
    bare_shape shape = t->shape(t->user);
    row->operations = bare_operations(&shape);
    *bare = bare_create(&shape);
    return *bare ? RM2_OK : RM2_ERR_MEMORY;
}

typedef rm2_status (*turn_fn)(const bench_run *run, const bench_turns *t, double *seconds);

static rm2_status ours(const bench_run *run, const bench_turns *t, double *seconds) {
    (void)run;
    return t->ours(t->user, seconds);
}

/* Ours on one thread. */
static rm2_status alone(const bench_run *run, const bench_turns *t, double *seconds) {
    int threads = rm2_context_threads(run->ctx);
    if (t->alone)
        return t->alone(t->user, seconds);
    rm2_context_set_threads(run->ctx, 1);
    rm2_status status = t->ours(t->user, seconds);
    rm2_context_set_threads(run->ctx, threads);
    return status;
}

/* Which of our threads share a processor with other programs is left over from what ran before, for a tenth of a
 * second or two: a run on one thread is a fifth shorter after one on two threads than after another on one. So
 * runs of one kind follow each other for this long, and the first is not counted where there are more. */
static const double SETTLING = 0.4; /* seconds */

static rm2_status settled(const bench_run *run, const bench_turns *t, turn_fn fn, double *seconds) {
    double start = rm2_seconds(), sum = 0;
    size_t count = 0;
    WORK_TRY(fn(run, t, seconds));
    while (rm2_seconds() - start < SETTLING) {
        double one;
        WORK_TRY(fn(run, t, &one));
        sum += one;
        count++;
    }
    if (count > 0)
        *seconds = sum / (double)count;
    return RM2_OK;
}

enum { OURS, BARE, EXACT, SINGLE, AGAIN, KINDS }; /* of times */

/* Single against single shows what of a ratio is chance. */
static rm2_status busy_turn(const bench_run *run, const bench_turns *t, double seconds[KINDS]) {
    WORK_TRY(settled(run, t, ours, &seconds[OURS]));
    WORK_TRY(settled(run, t, alone, &seconds[SINGLE]));
    return settled(run, t, alone, &seconds[AGAIN]);
}

static rm2_status turn(const bench_run *run, const bench_turns *t, bool first, bare_work **bare,
                       bench_row *row, double seconds[KINDS]) {
    if (first)
        WORK_TRY(begin(t, &seconds[OURS], bare, row));
    else if (run->subject->group == BENCH_BUSY)
        WORK_TRY(busy_turn(run, t, seconds));
    else
        WORK_TRY(ours(run, t, &seconds[OURS]));
    if (*bare)
        seconds[BARE] = bare_seconds(*bare);
    if (t->exact)
        WORK_TRY(t->exact(t->user, &seconds[EXACT]));
    for (size_t k = 0; k < KINDS; k++)
        if (!isfinite(seconds[k]))
            return RM2_ERR_NUMERIC;
    return RM2_OK;
}

rm2_status bench_by_turns(const bench_run *run, const bench_turns *turns, bench_row *row) {
    size_t rounds = run->rounds, warm_up = turns->cold ? 0 : 1;
    bare_work *bare = NULL;
    bench_loops loops = bench_loops_start(bench_loops_of(run->subject));
    double *all = calloc(rounds, KINDS * sizeof *all);
    rm2_status status = all ? RM2_OK : RM2_ERR_MEMORY;
    for (size_t k = 0; k < rounds + warm_up && status == RM2_OK; k++) {
        double seconds[KINDS] = {0};
        status = turn(run, turns, k == 0, &bare, row, seconds);
        for (size_t part = 0; part < KINDS && k >= warm_up && status == RM2_OK; part++)
            all[part * rounds + k - warm_up] = seconds[part];
    }
    if (status == RM2_OK) {
        row->ours = summarise(rounds, all + OURS * rounds);
        if (bare)
            row->bare = summarise(rounds, all + BARE * rounds);
        if (turns->exact)
            row->exact = summarise(rounds, all + EXACT * rounds);
        if (run->subject->group == BENCH_BUSY) {
            row->single = summarise(rounds, all + SINGLE * rounds);
            row->again = summarise(rounds, all + AGAIN * rounds);
        }
    }
    bench_loops_stop(&loops);
    bare_free(bare);
    free(all);
    return status;
}
