/* What a trained model is used for: the metric on a grid, geodesics, decoding and encoding. */
#include <stdlib.h>
#include <string.h>

#include "suite/suite.h"

enum {
    ITERATIONS = 20,    /* of the training before: the model need not be good */
    FEW_ITERATIONS = 3, /* the same with MANY points or more */
    MANY = 100000,
    ENCODED = 200, /* points that are encoded at once */
    BETWEEN = 8    /* points whose distances are computed */
};

typedef struct use {
    const bench_run *run;
    rm2_data *data;
    rm2_model *model;
    const rm2_model_info *info;
    rm2_space *space;
    double *out; /* room for results */
    size_t evaluations;
} use;

/* ---- preparation ----------------------------------------------------------------------------- */

static rm2_status open_model(use *u, const bench_run *run) {
    rm2_fit_settings s = bench_recipe(run);
    *u = (use){.run = run};
    s.optim.max_iterations = run->subject->points >= MANY ? FEW_ITERATIONS : ITERATIONS;
    WORK_TRY(bench_data(run, &u->data));
    WORK_TRY(bench_fit(run, u->data, &s, &u->model));
    u->info = rm2_model_info_of(u->model);
    return RM2_OK;
}

/* `exact`: with the metric itself, not the quicker one in which paths are searched. */
static rm2_status open_space(use *u, bool exact) {
    rm2_space_settings s = rm2_space_settings_default();
    s.roadmap = RM2_SPACE_GRID;
    if (exact)
        s.support = 0;
    return rm2_space_create(u->run->ctx, u->model, &s, 0, NULL, &u->space);
}

static rm2_status make_room(use *u, size_t count) {
    u->out = calloc(count, sizeof *u->out);
    return u->out ? RM2_OK : RM2_ERR_MEMORY;
}

static void close_all(use *u) {
    free(u->out);
    rm2_space_free(u->space);
    rm2_model_free(u->model);
    rm2_data_free(u->data);
}

/* `vectors` at each of n points, multiplied and solved. */
static bare_shape prediction_shape(const use *u, size_t n, size_t vectors) {
    bool inducing = u->info->inducing > 0;
    return (bare_shape){.kind = BARE_PREDICTION,
                        .n = n,
                        .r = inducing ? u->info->inducing : u->info->points,
                        .outputs = u->info->outputs,
                        .vectors = vectors,
                        .product = inducing,
                        .threads = rm2_context_threads(u->run->ctx),
                        .times = 1};
}

static rm2_status measure(use *u, bench_turns *turns, bench_row *row) {
    turns->user = u;
    WORK_TRY(bench_by_turns(u->run, turns, row));
    row->points = u->info->points;
    row->outputs = u->info->outputs;
    row->inducing = u->info->inducing;
    row->evaluations = u->evaluations;
    return RM2_OK;
}

/* ---- grid ------------------------------------------------------------------------------------ */

static rm2_status metric_on_grid(void *user, double *seconds) {
    use *u = user;
    rm2_roadmap_info g = *rm2_space_roadmap(u->space);
    double start = rm2_seconds();
    WORK_TRY(rm2_metric_at(u->run->ctx, rm2_space_metric(u->space), g.nodes, g.x, u->out, NULL));
    *seconds = rm2_seconds() - start;
    return RM2_OK;
}

/* J = C dk, and L^-1 dk or root dk, where dk has Q columns. */
static bare_shape grid_shape(const void *user) {
    const use *u = user;
    return prediction_shape(u, rm2_space_roadmap(u->space)->nodes, u->info->latent_dim);
}

rm2_status bench_grid(const bench_run *run, bench_row *row) {
    use u;
    bench_turns turns = {.ours = metric_on_grid, .shape = grid_shape};
    rm2_status status = open_model(&u, run);
    if (status == RM2_OK)
        status = open_space(&u, true);
    if (status == RM2_OK) {
        rm2_roadmap_info g = *rm2_space_roadmap(u.space);
        status = make_room(&u, g.nodes * g.Q * g.Q);
    }
    if (status == RM2_OK)
        status = measure(&u, &turns, row);
    close_all(&u);
    return status;
}

/* ---- geodesic -------------------------------------------------------------------------------- */

static rm2_status decode_curve(const use *u, const rm2_curve *curve) {
    double *deviation = u->out + curve->nodes * rm2_manifold_ambient(u->info->manifold);
    return rm2_space_decode(u->run->ctx, u->space, curve->nodes, curve->x, u->out, deviation);
}

/* From the first training point to the last, as the program does it. */
static rm2_status query(void *user, double *seconds) {
    use *u = user;
    const rm2_model_info *i = u->info;
    rm2_curve *curve;
    double start = rm2_seconds();
    WORK_TRY(rm2_space_geodesic(u->run->ctx, u->space, i->latents,
                                i->latents + (i->points - 1) * i->latent_dim, &curve));
    rm2_status status = decode_curve(u, curve);
    *seconds = rm2_seconds() - start;
    u->evaluations = curve->evaluations;
    if (status == RM2_OK && !curve->converged)
        status = RM2_ERR_NUMERIC; /* the time of something else */
    rm2_curve_free(curve);
    return status;
}

rm2_status bench_geodesic(const bench_run *run, bench_row *row) {
    use u;
    bench_turns turns = {.ours = query};
    rm2_status status = open_model(&u, run);
    if (status == RM2_OK)
        status = open_space(&u, false);
    if (status == RM2_OK)
        status = make_room(&u, rm2_space_settings_default().nodes *
                                   (rm2_manifold_ambient(u.info->manifold) + 1));
    if (status == RM2_OK)
        status = measure(&u, &turns, row);
    close_all(&u);
    return status;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* Evenly spread training points; seconds a distance. Behind the distances there is room for the points. */
static rm2_status distances(void *user, double *seconds) {
    use *u = user;
    size_t Q = u->info->latent_dim, open;
    double *points = u->out + BETWEEN * BETWEEN, start = rm2_seconds();
    for (size_t k = 0; k < BETWEEN; k++)
        memcpy(points + k * Q, u->info->latents + k * (u->info->points - 1) / (BETWEEN - 1) * Q,
               Q * sizeof *points);
    WORK_TRY(rm2_space_distances(u->run->ctx, u->space, BETWEEN, points, u->out, &open));
    *seconds = (rm2_seconds() - start) / (BETWEEN * (BETWEEN - 1) / 2.0);
    return open ? RM2_ERR_NUMERIC : RM2_OK; /* the time of something else */
}

rm2_status bench_distances(const bench_run *run, bench_row *row) {
    use u;
    bench_turns turns = {.ours = distances};
    rm2_status status = open_model(&u, run);
    if (status == RM2_OK)
        status = open_space(&u, false);
    if (status == RM2_OK)
        status = make_room(&u, BETWEEN * (BETWEEN + u.info->latent_dim));
    if (status == RM2_OK)
        status = measure(&u, &turns, row);
    close_all(&u);
    return status;
}

/* ---- decode and encode ----------------------------------------------------------------------- */

/* All training latents, with uncertainty; seconds a point. */
static rm2_status decode(void *user, double *seconds) {
    use *u = user;
    const rm2_model_info *i = u->info;
    double *deviation = u->out + i->points * rm2_manifold_ambient(i->manifold);
    double start = rm2_seconds();
    WORK_TRY(rm2_model_decode(u->run->ctx, u->model, i->points, i->latents, u->out, NULL, NULL,
                              deviation));
    *seconds = (rm2_seconds() - start) / (double)i->points;
    return RM2_OK;
}

/* C k*, and L^-1 k* or root k*. */
static bare_shape decode_shape(const void *user) {
    const use *u = user;
    bare_shape s = prediction_shape(u, u->info->points, 1);
    s.times = 1 / (double)u->info->points;
    return s;
}

rm2_status bench_decode(const bench_run *run, bench_row *row) {
    use u;
    bench_turns turns = {.ours = decode, .shape = decode_shape};
    rm2_status status = open_model(&u, run);
    if (status == RM2_OK)
        status = make_room(&u, u.info->points * (rm2_manifold_ambient(u.info->manifold) + 1));
    if (status == RM2_OK)
        status = measure(&u, &turns, row);
    close_all(&u);
    return status;
}

/* Points of the data, in their units, evenly spread over the set. */
static rm2_status choose_observations(use *u) {
    size_t D = rm2_manifold_ambient(u->info->manifold);
    WORK_TRY(make_room(u, ENCODED * (D + u->info->latent_dim)));
    for (size_t k = 0; k < ENCODED; k++)
        memcpy(u->out + k * D, u->data->points + k * u->data->count / ENCODED * D,
               D * sizeof *u->out);
    rm2_data_unscale(u->data, ENCODED, u->out);
    return RM2_OK;
}

static rm2_status encode(void *user, double *seconds) {
    use *u = user;
    rm2_encode_settings s = rm2_encode_settings_default();
    double *latents = u->out + ENCODED * rm2_manifold_ambient(u->info->manifold);
    double start = rm2_seconds();
    WORK_TRY(rm2_model_encode(u->run->ctx, u->model, &s, ENCODED, u->out, latents, NULL, NULL));
    *seconds = (rm2_seconds() - start) / ENCODED;
    return RM2_OK;
}

rm2_status bench_encode(const bench_run *run, bench_row *row) {
    use u;
    bench_turns turns = {.ours = encode};
    rm2_status status = open_model(&u, run);
    if (status == RM2_OK)
        status = choose_observations(&u);
    if (status == RM2_OK)
        status = measure(&u, &turns, row);
    close_all(&u);
    return status;
}
