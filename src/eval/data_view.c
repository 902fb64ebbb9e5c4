/* Points as rows of numbers that can be compared: in the model's units, in ambient or tangent
 * coordinates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "manifold/manifold.h"
#include "model/model.h"
#include "riemann2/eval.h"

size_t rm2_model_view_width(const rm2_model *model, rm2_model_view view) {
    if (!model)
        return 0;
    return view == RM2_VIEW_TANGENT ? model->manifold->dim : model->manifold->ambient;
}

/* Geometry needs points that are on the manifold; a rounding away they are moved onto it. */
static rm2_status put_on_manifold(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                  double *points) {
    bool *on;
    size_t count;
    RM2_TRY(rm2i_alloc(ctx, n * m->count, sizeof *on, &on));
    rm2_status status = rm2_manifold_contains(ctx, m, n, points, on, &count);
    for (size_t i = 0; status == RM2_OK && i < n * m->count; i++)
        if (!on[i]) {
            const rm2_factor *f = &m->factors[i % m->count];
            status = rm2i_fail(ctx, RM2_ERR_DOMAIN,
                               "point %zu, factor %zu (%s%zu) is not on the manifold: only ambient "
                               "coordinates can be compared",
                               i / m->count, i % m->count + 1, f->geometry->name, f->n);
            break;
        }
    free(on);
    return status == RM2_OK ? rm2_manifold_project_within(ctx, m, NULL, INFINITY, n, points, points)
                            : status;
}

static rm2_status tangent_rows(rm2_context *ctx, const rm2_model *m, size_t n, const double *points,
                               double *rows) {
    double *scaled;
    if (m->settings.model == RM2_GPLVM)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "a Euclidean model (gplvm) has no base point: compare ambient coordinates "
                         "or by the manifold's distance");
    RM2_TRY(rm2i_alloc(ctx, n * m->manifold->ambient, sizeof *scaled, &scaled));
    memcpy(scaled, points, n * m->manifold->ambient * sizeof *scaled);
    rm2i_data_scale(m->data, n, scaled);
    rm2_status status = put_on_manifold(ctx, m->manifold, n, scaled);
    if (status == RM2_OK)
        status = rm2i_model_outputs(ctx, m, n, scaled, rows);
    free(scaled);
    return status;
}

rm2_status rm2_model_view_rows(rm2_context *ctx, const rm2_model *model, rm2_model_view view,
                               size_t n, const double *points, double *rows) {
    RM2_REQUIRE(ctx, model);
    if (n > 0)
        RM2_REQUIRE(ctx, points, rows);
    if ((unsigned)view > RM2_VIEW_MANIFOLD)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "view is %d, not an rm2_model_view", (int)view);
    if (view == RM2_VIEW_TANGENT)
        return tangent_rows(ctx, model, n, points, rows);
    memcpy(rows, points, n * model->manifold->ambient * sizeof *rows);
    rm2i_data_scale(model->data, n, rows);
    return view == RM2_VIEW_MANIFOLD ? put_on_manifold(ctx, model->manifold, n, rows) : RM2_OK;
}
