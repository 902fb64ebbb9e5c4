/* Planners: the time of updates while three spheres move and the robot goes to and fro. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite/suite.h"

enum { UPDATES = 1500, QUICK_UPDATES = 500, SPHERES = 3, LATENT = 2, ITERATIONS = 60 };
static const double TICK = 0.005; /* seconds from update to update */

typedef struct drive {
    const bench_run *run;
    rm2_data *data;
    rm2_model *model;
    const rm2_model_info *info;
    rm2_space *space;
    rm2_planner *planner;
    double low[3], high[3], extent; /* of the positions */
    double from[LATENT], to[LATENT];
    size_t tick;
    size_t count;    /* times so far */
    double *seconds; /* all of them */
} drive;

/* Updates of a round: with seven rounds and the first, which warms up, more than 10,000. */
static size_t updates_of(const bench_run *run) {
    return run->subject->flags & BENCH_QUICK ? QUICK_UPDATES : UPDATES;
}

/* The box of the demonstrated positions, in the units of the data. */
static void find_box(drive *d) {
    size_t D = rm2_manifold_ambient(d->info->manifold);
    double square = 0;
    for (size_t q = 0; q < 3; q++) {
        d->low[q] = INFINITY;
        d->high[q] = -INFINITY;
        for (size_t i = 0; i < d->data->count; i++) {
            double y = d->data->points[i * D + q] * d->data->scale[0];
            d->low[q] = fmin(d->low[q], y);
            d->high[q] = fmax(d->high[q], y);
        }
        square += (d->high[q] - d->low[q]) * (d->high[q] - d->low[q]);
    }
    d->extent = sqrt(square);
}

static rm2_status open_drive(drive *d, const bench_run *run) {
    rm2_fit_settings s = bench_recipe(run);
    *d = (drive){.run = run};
    s.optim.max_iterations = ITERATIONS;
    WORK_TRY(bench_data(run, &d->data));
    WORK_TRY(bench_fit(run, d->data, &s, &d->model));
    d->info = rm2_model_info_of(d->model);
    find_box(d);
    memcpy(d->from, d->info->latents, sizeof d->from);
    memcpy(d->to, d->info->latents + (d->info->points - 1) * LATENT, sizeof d->to);
    WORK_TRY(rm2_space_create(run->ctx, d->model, NULL, 0, NULL, &d->space));
    WORK_TRY(rm2_planner_create(run->ctx, d->space, NULL, &d->planner));
    d->seconds = calloc((run->rounds + 1) * updates_of(run), sizeof *d->seconds);
    return d->seconds ? RM2_OK : RM2_ERR_MEMORY;
}

static void close_drive(drive *d) {
    free(d->seconds);
    rm2_planner_free(d->planner);
    rm2_space_free(d->space);
    rm2_model_free(d->model);
    rm2_data_free(d->data);
}

/* Radii of 6, 9 and 12 % of the extent, on paths of their own through the box. */
static void place_spheres(const drive *d, rm2_region *spheres) {
    double t = TICK * (double)d->tick;
    for (size_t k = 0; k < SPHERES; k++) {
        spheres[k] = (rm2_region){
            .kind = RM2_REGION_SPHERE, .dim = 3, .radius = d->extent * (0.06 + 0.03 * (double)k)};
        for (size_t q = 0; q < 3; q++)
            spheres[k].a[q] = (d->low[q] + d->high[q]) / 2 +
                              0.45 * (d->high[q] - d->low[q]) *
                                  sin((0.7 + 0.31 * (double)k + 0.17 * (double)q) * t +
                                      2.1 * (double)k + (double)q);
    }
}

/* Half a side on; another goal every two seconds. */
static void move(drive *d, const rm2_plan *plan) {
    for (size_t q = 0; plan->nodes > 0 && q < LATENT; q++)
        d->from[q] += 0.25 * (plan->x[LATENT + q] - d->from[q]);
    if (++d->tick % 400 == 0)
        memcpy(d->to, d->info->latents + d->tick / 400 * 97 % d->info->points * LATENT,
               sizeof d->to);
}

static rm2_status updates(void *user, double *seconds) {
    drive *d = user;
    double sum = 0;
    size_t count = updates_of(d->run);
    for (size_t k = 0; k < count; k++) {
        rm2_region spheres[SPHERES];
        rm2_plan_query query = rm2_plan_query_default();
        const rm2_plan *plan;
        place_spheres(d, spheres);
        query.count = SPHERES;
        query.regions = spheres;
        query.clearance = 0.02 * d->extent;
        query.from = d->from;
        query.to = d->to;
        WORK_TRY(rm2_planner_update(d->run->ctx, d->planner, &query, &plan));
        sum += plan->seconds;
        d->seconds[d->count++] = plan->seconds;
        move(d, plan);
    }
    *seconds = sum / (double)count;
    return RM2_OK;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

rm2_status bench_replan(const bench_run *run, bench_row *row) {
    drive d;
    bench_turns turns = {.user = &d, .ours = updates};
    rm2_status status = open_drive(&d, run);
    if (status == RM2_OK)
        status = bench_by_turns(run, &turns, row);
    if (status == RM2_OK) {
        qsort(d.seconds, d.count, sizeof *d.seconds, by_size);
        row->slow = 1e3 * d.seconds[d.count * 99 / 100];
        row->points = d.info->points;
        row->outputs = d.info->outputs;
        row->inducing = d.info->inducing;
    }
    close_drive(&d);
    return status;
}
