/* Columns of motions that meet poses. */
#include "core/motion.h"

#include <math.h>
#include <stdlib.h>

static double length_of(size_t n, const double *row) {
    double square = 0;
    for (size_t k = 0; k < n; k++)
        square += row[k] * row[k];
    return sqrt(square);
}

static void fill_lengths(const rm2_manifold *m, const rm2_meet_result *r, motion_columns *c) {
    for (size_t i = 0; i < r->nodes; i++) {
        c->correction[i] = length_of(r->dim, r->correction + i * r->dim);
        for (size_t f = 0; f < r->factors; f++) {
            const rm2_factor *factor = rm2_manifold_factor(m, f);
            c->by_factor[i * r->factors + f] =
                length_of(factor->dim, c->each + i * r->dim + factor->dim_offset);
        }
    }
}

static rm2_status fill(rm2_context *ctx, const rm2_model *model, const rm2_meet *meet,
                       double *points, motion_columns *c) {
    const rm2_meet_result *r = rm2_meet_result_of(meet);
    rm2_status status = rm2_meet_deviations(ctx, meet, RM2_MEET_CARRIED, c->each, NULL);
    for (size_t i = 0; status == RM2_OK && i < r->nodes; i++)
        c->deviation[i] = length_of(r->dim, c->each + i * r->dim) / sqrt((double)r->dim);
    if (status == RM2_OK)
        status = rm2_meet_deviations(ctx, meet, RM2_MEET_POSE, c->each, c->variability);
    if (status == RM2_OK)
        status =
            rm2_model_decode(ctx, model, r->nodes, r->route->x, points, NULL, NULL, c->of_model);
    if (status == RM2_OK)
        fill_lengths(rm2_model_info_of(model)->manifold, r, c);
    return status;
}

rm2_status motion_columns_create(rm2_context *ctx, const rm2_model *model, const rm2_meet *meet,
                                 motion_columns *c) {
    const rm2_meet_result *r = rm2_meet_result_of(meet);
    size_t n = r->nodes, ambient = rm2_manifold_ambient(rm2_model_info_of(model)->manifold);
    double *memory = malloc(n * (3 + 2 * r->dim + r->factors) * sizeof *memory);
    double *points = malloc(n * ambient * sizeof *points);
    *c = (motion_columns){.deviation = memory};
    rm2_status status = memory && points ? RM2_OK : RM2_ERR_MEMORY;
    if (status == RM2_OK) {
        c->correction = memory + n;
        c->of_model = c->correction + n;
        c->each = c->of_model + n;
        c->variability = c->each + n * r->dim;
        c->by_factor = c->variability + n * r->dim;
        status = fill(ctx, model, meet, points, c);
    }
    free(points);
    return status;
}

void motion_columns_free(motion_columns *c) {
    free(c->deviation);
    c->deviation = NULL;
}
