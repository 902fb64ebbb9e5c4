/* Points on their way into a model: scaled, with missing entries found, and on the manifold. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "model/model.h"

static const double OFF_MANIFOLD = 1e-3; /* largest defect, as the default of data */

/* Entries of factor k of a point that are missing. Those of the base point stand in for them, so that
 * the rest can be converted; `there` (M flags) says which coordinates are. */
static size_t replace_missing(const rm2_model *m, const rm2_factor *f, double *point, bool *there) {
    bool flat = f->geometry == &rm2_euclidean, raw = m->settings.model == RM2_GPLVM;
    size_t missing = 0;
    for (size_t j = 0; j < f->ambient; j++) {
        double *x = &point[f->ambient_offset + j];
        bool gone = isnan(*x);
        missing += gone;
        if (gone)
            *x = m->base[f->ambient_offset + j];
        if (raw)
            there[f->ambient_offset + j] = !gone;
        else if (flat)
            there[f->dim_offset + j] = !gone;
    }
    for (size_t j = 0; !raw && !flat && j < f->dim; j++)
        there[f->dim_offset + j] = missing == 0;
    return missing;
}

/* A curved factor is there as a whole or not at all. */
static rm2_status find_missing(rm2_context *ctx, const rm2_model *m, size_t i, double *point,
                               bool *there) {
    size_t seen = 0;
    for (size_t k = 0; k < rm2_manifold_factor_count(m->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(m->manifold, k);
        size_t missing = replace_missing(m, f, point, there);
        if (missing && missing < f->ambient && f->geometry != &rm2_euclidean &&
            m->settings.model == RM2_WGPLVM)
            return rm2i_fail(
                ctx, RM2_ERR_DATA,
                "point %zu, factor %zu (%s%zu): %zu of %zu entries are missing; a curved "
                "factor can be missing only as a whole",
                i, k + 1, f->geometry->name, f->n, missing, f->ambient);
        seen += f->ambient - missing;
    }
    return seen ? RM2_OK : rm2i_fail(ctx, RM2_ERR_DATA, "point %zu: every entry is missing", i);
}

static rm2_status check_finite(rm2_context *ctx, size_t n, size_t width, const double *x) {
    for (size_t i = 0; i < n * width; i++)
        if (!isfinite(x[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "point %zu, entry %zu (counted from 0) is %g: must be finite",
                             i / width, i % width, x[i]);
    return RM2_OK;
}

rm2_status rm2i_model_project(rm2_context *ctx, const rm2_model *m, size_t n, const double *points,
                              double *scaled, bool *there) {
    size_t ambient = rm2_manifold_ambient(m->manifold);
    memcpy(scaled, points, n * ambient * sizeof *scaled);
    rm2i_data_scale(m->data, n, scaled);
    for (size_t i = 0; there && i < n; i++)
        RM2_TRY(find_missing(ctx, m, i, scaled + i * ambient, there + i * m->M));
    if (m->settings.model == RM2_GPLVM) /* in raw ambient coordinates, on the manifold or off it */
        return check_finite(ctx, n, ambient, scaled);
    return rm2_manifold_project_within(ctx, m->manifold, NULL, OFF_MANIFOLD, n, scaled, scaled);
}

/* ---- checks --------------------------------------------------------------------------------- */

rm2_status rm2i_check_manifold(rm2_context *ctx, const rm2_model *m, const rm2_data *data) {
    if (rm2_manifold_equal(m->manifold, data->manifold))
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_DATA, "the model is on %s, the data (%s) are on %s",
                     rm2_manifold_spec(m->manifold), data->source,
                     rm2_manifold_spec(data->manifold));
}

/* Matrices that are compared were regularised alike. */
rm2_status rm2i_check_shrinkage(rm2_context *ctx, const rm2_model *m, const rm2_data *data) {
    double own = m->data->shrinkage;
    if (data->shrinkage == own)
        return RM2_OK;
    return rm2i_fail(
        ctx, RM2_ERR_DATA,
        "the matrices of the model were regularised with a shrinkage of %g, those of %s with %g: "
        "read them with settings.shrinkage %g",
        own, data->source, data->shrinkage, own);
}

rm2_status rm2i_check_finite(rm2_context *ctx, const char *what, size_t n, size_t width,
                             const double *x) {
    for (size_t i = 0; i < n * width; i++)
        if (!isfinite(x[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "%s %zu: coordinate %zu is %g", what, i / width,
                             i % width, x[i]);
    return RM2_OK;
}
