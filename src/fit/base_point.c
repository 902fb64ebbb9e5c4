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
static rm2_status project_base(rm2_context *ctx, const double *given, rm2_model *m) {
    if (!given)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no base point given");
    memcpy(m->base, given, rm2_manifold_ambient(m->manifold) * sizeof *m->base);
    rm2i_data_scale(m->data, 1, m->base);
    return rm2_manifold_project_within(ctx, m->manifold, "base point (settings.base_point)",
                                       BASE_DEFECT, 1, m->base, m->base);
}

enum {
    MEAN_OF_ALL = 50000, /* up to this number of points the mean is that of all; */
    MEAN_OF_SOME = 20000 /* of more points it is that of about this number of them */
};

/* The mean of a few points, which the root collects. */
static rm2_status mean_of_few(rm2_context *ctx, const rm2_model *m, const rm2i_rows *rows,
                              const rm2i_few *few, rm2_mean_info *info) {
    size_t ambient = rm2_manifold_ambient(m->manifold);
    bool root = rm2i_rows_root(rows);
    double *points;
    RM2_TRY(rm2i_rows_alloc(ctx, rows, root ? few->count : 0, ambient * sizeof *points, &points));
    rm2_status status = rm2i_rows_pick(ctx, rows, few, ambient, m->data->points, points);
    if (status == RM2_OK && root)
        status = rm2_manifold_mean(ctx, m->manifold, few->count, points, NULL, NULL, m->base, info);
    free(points);
    RM2_TRY(rm2i_rows_agree(ctx, rows, status));
    rm2i_rows_broadcast(rows, m->base, ambient * sizeof *m->base);
    return RM2_OK;
}

/* The mean of the points, or of some of very many. */
static rm2_status find_mean(rm2_context *ctx, const rm2_model *m, rm2_mean_info *info) {
    const rm2i_rows rows = rm2i_model_rows(m);
    size_t most = rows.all <= MEAN_OF_ALL ? rows.all : MEAN_OF_SOME;
    if (!rm2i_rows_shared(&rows) && most == rows.all)
        return rm2_manifold_mean(ctx, m->manifold, m->N, m->data->points, NULL, NULL, m->base,
                                 info);
    rm2i_kept kept;
    RM2_TRY(rm2i_keep(ctx, &rows, most, &kept));
    rm2_status status = mean_of_few(ctx, m, &rows, &(rm2i_few){kept.n, kept.index}, info);
    rm2i_kept_free(&kept);
    return status;
}

rm2_status rm2i_find_base(rm2_context *ctx, const rm2_fit_settings *s, rm2_model *m) {
    rm2_mean_info info = {.size = sizeof info, .converged = true};
    rm2_manifold_default_point(m->manifold, m->base);
    if (s->model == RM2_GPLVM || s->base == RM2_BASE_DEFAULT)
        return RM2_OK;
    if (s->base == RM2_BASE_GIVEN)
        return project_base(ctx, s->base_point, m);
    RM2_TRY(find_mean(ctx, m, &info));
    if (!info.converged)
        rm2i_log(ctx, RM2_LOG_WARNING,
                 "the mean of the points did not converge (gradient %.1e after %d iterations); its "
                 "last value is the base point",
                 info.gradient, info.iterations);
    return RM2_OK;
}
