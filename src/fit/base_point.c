/* The base point of a model: where the tangent space touches the manifold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "fit/run.h"
#include "start/start.h"

static const double BASE_DEFECT = 1e-6; /* of a given base point; less is projected */

/* ---- data ----------------------------------------------------------------------------------- */

/* A given base point is in the units of the data and must lie on the manifold. */
static rm2_status take_base(rm2_context *ctx, const double *given, rm2_model *m) {
    if (!given)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no base point given");
    memcpy(m->base, given, rm2_manifold_ambient(m->manifold) * sizeof *m->base);
    rm2i_data_scale(m->data, 1, m->base);
    return rm2_manifold_project_within(ctx, m->manifold, "base point (settings.base_point)",
                                       BASE_DEFECT, 1, m->base, m->base);
}

enum {
    MEAN_OF_ALL = 50000, /* points that the mean is of; */
    MEAN_OF_SOME = 20000 /* of more points it is that of about this number of them */
};

/* Points that the mean is of, on rank 0. */
static rm2_status pick_points(rm2_context *ctx, const rm2_model *m, const rm2i_kept *kept,
                              double *points) {
    size_t ambient = rm2_manifold_ambient(m->manifold);
    const rm2i_some_rows rows = {kept->n, kept->index, ambient, m->data->points};
    if (m->parts)
        return rm2i_parts_pick(ctx, m->parts, &rows, points);
    for (size_t k = 0; k < kept->n; k++)
        memcpy(points + k * ambient, m->data->points + kept->index[k] * ambient,
               ambient * sizeof *points);
    return RM2_OK;
}

static rm2_status mean_of_some(rm2_context *ctx, const rm2_model *m, const rm2i_kept *kept,
                               rm2_mean_info *info) {
    const rm2_communicator *comm = rm2i_parts_comm(m->parts);
    size_t ambient = rm2_manifold_ambient(m->manifold);
    bool first = rm2i_parts_first(m->parts);
    double *points;
    RM2_TRY(rm2i_alloc_all(ctx, comm, first ? kept->n : 0, ambient * sizeof *points, &points));
    rm2_status status = pick_points(ctx, m, kept, points);
    if (status == RM2_OK && first)
        status = rm2_manifold_mean(ctx, m->manifold, kept->n, points, NULL, NULL, m->base, info);
    free(points);
    RM2_TRY(rm2i_agree(ctx, comm, status));
    rm2i_broadcast(comm, m->base, ambient * sizeof *m->base);
    return RM2_OK;
}

/* The mean of the points, or of some of very many. */
static rm2_status find_mean(rm2_context *ctx, const rm2_model *m, rm2_mean_info *info) {
    size_t N = rm2i_parts_all(m->parts, m->N);
    if (!m->parts && N <= MEAN_OF_ALL)
        return rm2_manifold_mean(ctx, m->manifold, N, m->data->points, NULL, NULL, m->base, info);
    const rm2i_start_data all = {.N = N,
                                 .trajectories =
                                     m->parts ? m->parts->all_trajectories : m->data->trajectories,
                                 .starts = m->parts ? m->parts->starts : m->data->starts};
    rm2i_kept kept;
    RM2_TRY(rm2i_agree(ctx, rm2i_parts_comm(m->parts),
                       rm2i_keep(ctx, &all, N <= MEAN_OF_ALL ? N : MEAN_OF_SOME, &kept)));
    rm2_status status = mean_of_some(ctx, m, &kept, info);
    rm2i_kept_free(&kept);
    return status;
}

rm2_status rm2i_find_base(rm2_context *ctx, const rm2_fit_settings *s, rm2_model *m) {
    rm2_mean_info info = {.size = sizeof info, .converged = true};
    rm2_manifold_default_point(m->manifold, m->base);
    if (s->model == RM2_GPLVM || s->base == RM2_BASE_DEFAULT)
        return RM2_OK;
    if (s->base == RM2_BASE_GIVEN)
        return take_base(ctx, s->base_point, m);
    RM2_TRY(find_mean(ctx, m, &info));
    if (!info.converged)
        rm2i_log(ctx, RM2_LOG_WARNING,
                 "the mean of the points did not converge (gradient %.1e after %d iterations); its "
                 "last value is the base point",
                 info.gradient, info.iterations);
    return RM2_OK;
}
