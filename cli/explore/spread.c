/* How near a path is to the demonstrations, in units of how near these are to each other: mean Euclidean
 * distance in tangent coordinates to the nearest training point. */
#include <math.h>
#include <stdlib.h>

#include "explore/explorer.h"

enum {
    FLOOR_POINTS = 200, /* that the floor is the mean of */
    PATH_POINTS = 50    /* of a path */
};

/* Least distance from a row to training points outside of first..last. */
static double nearest(const explorer *e, const double *row, size_t first, size_t last) {
    size_t M = e->info->outputs;
    double least = INFINITY;
    for (size_t n = 0; n < e->info->points; n++) {
        const double *other = e->spread.tangent + n * M;
        double square = 0;
        if (n >= first && n < last)
            continue;
        for (size_t m = 0; m < M && square < least; m++) {
            double d = row[m] - other[m];
            square += d * d;
        }
        least = fmin(least, square);
    }
    return sqrt(least);
}

/* The trajectory of point n, or the point alone. */
static void own_trajectory(const rm2_data *d, size_t n, size_t *first, size_t *last) {
    *first = n;
    *last = n + 1;
    if (d->trajectories < 2)
        return;
    for (size_t t = 0; t < d->trajectories; t++)
        if (n >= d->starts[t] && n < d->starts[t + 1]) {
            *first = d->starts[t];
            *last = d->starts[t + 1];
        }
}

static double find_floor(const explorer *e) {
    size_t N = e->info->points, count = N < FLOOR_POINTS ? N : FLOOR_POINTS;
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        size_t n = k * N / count, first, last;
        own_trajectory(e->info->data, n, &first, &last);
        sum += nearest(e, e->spread.tangent + n * e->info->outputs, first, last);
    }
    return sum / (double)count;
}

rm2_status spread_open(rm2_context *ctx, explorer *e) {
    const rm2_model_info *i = e->info;
    rm2_model_view view = i->settings->model == RM2_GPLVM ? RM2_VIEW_AMBIENT : RM2_VIEW_TANGENT;
    e->spread.tangent = malloc((i->points * i->outputs + 1) * sizeof *e->spread.tangent);
    if (!e->spread.tangent)
        return RM2_ERR_MEMORY;
    WORK_TRY(rm2_model_view_rows(ctx, e->model, view, i->points, e->points, e->spread.tangent));
    e->spread.floor = find_floor(e);
    return RM2_OK;
}

rm2_status spread_of_path(const explorer *e, rm2_context *ctx, size_t n, const double *latents,
                          double *ratio) {
    size_t Q = e->info->latent_dim, M = e->info->outputs, count = n < PATH_POINTS ? n : PATH_POINTS;
    double *x = calloc(count * (Q + M), sizeof *x), sum = 0;
    if (!x)
        return RM2_ERR_MEMORY;
    double *rows = x + count * Q;
    for (size_t k = 0; k < count; k++)
        for (size_t q = 0; q < Q; q++)
            x[k * Q + q] = latents[(count > 1 ? k * (n - 1) / (count - 1) : 0) * Q + q];
    rm2_status status = rm2_model_decode(ctx, e->model, count, x, NULL, rows, NULL, NULL);
    for (size_t k = 0; k < count && status == RM2_OK; k++)
        sum += nearest(e, rows + k * M, 0, 0);
    *ratio = sum / (double)count / e->spread.floor;
    free(x);
    return status;
}
