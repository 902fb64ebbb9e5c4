/* The start of the latents, as the settings ask for it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "start/aligned.h"
#include "start/families.h"
#include "start/start.h"
#include "train/train.h"

/* ---- families ------------------------------------------------------------------------------- */

/* Does every family have at least two demonstrations? */
static bool all_shared(size_t demos, const size_t *family, size_t families) {
    for (size_t f = 0; f < families; f++) {
        size_t members = 0;
        for (size_t d = 0; d < demos; d++)
            members += family[d] == f;
        if (members < 2)
            return false;
    }
    return true;
}

/* Families by label: RM2_ERR_DATA if they are asked for and cannot be had. *count is 0 if they are to be
 * found. */
static rm2_status copy_labels(rm2_context *ctx, const rm2_data *data, rm2_families kind,
                              size_t *family, size_t *count) {
    size_t varying = SIZE_MAX;
    *count = 0;
    if (!data->labels)
        return kind == RM2_FAMILIES_AUTO
                   ? RM2_OK
                   : rm2i_fail(ctx, RM2_ERR_DATA, "settings.families is label: %s has no labels",
                               data->source);
    RM2_TRY(rm2i_families_of_labels(
        ctx, &(rm2i_labels){data->trajectories, data->starts, data->labels, data->label_count},
        family, count, &varying));
    if (varying != SIZE_MAX && kind == RM2_FAMILIES_LABEL)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "settings.families is label: trajectory %s has more than one label",
                         data->ids[varying]);
    if (varying != SIZE_MAX ||
        (kind == RM2_FAMILIES_AUTO && !all_shared(data->trajectories, family, *count)))
        *count = 0;
    return RM2_OK;
}

/* ---- starts --------------------------------------------------------------------------------- */

static rm2_status start_aligned(rm2_context *ctx, const rm2_fit_settings *s,
                                const rm2i_start_data *points, double *X0, rm2_model *m) {
    rm2i_aligned_settings aligned = rm2i_aligned_settings_default();
    size_t *family;
    aligned.neighbours = s->neighbours;
    aligned.time_weight = s->time_weight;
    aligned.timed = s->gpdm_weight > 0;
    RM2_TRY(rm2i_rows_alloc(ctx, points->rows, points->trajectories, sizeof *family, &family));
    rm2_status status = RM2_OK;
    if (s->families == RM2_FAMILIES_ONE)
        aligned.families = 1;
    else
        status = copy_labels(ctx, m->data, s->families, family, &aligned.families);
    if (s->families != RM2_FAMILIES_ONE && aligned.families > 0)
        aligned.family = family;
    if (status == RM2_OK)
        status = rm2i_start_aligned(ctx, &aligned, points, m->Q, X0, &m->start_report);
    free(family);
    return status;
}

static rm2_status start_given(rm2_context *ctx, const double *given, const rm2_model *m,
                              double *X0) {
    if (!given)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "the start is given, but its latent points are missing");
    for (size_t i = 0; i < m->N * m->Q; i++)
        if (!isfinite(given[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "latent point %zu of the start is not finite",
                             i / m->Q);
    memcpy(X0, given, m->N * m->Q * sizeof *X0);
    return RM2_OK;
}

rm2_status rm2i_model_start(rm2_context *ctx, const rm2_fit_settings *s, const double *V,
                            double *X0, rm2_model *m) {
    const rm2_data *data = m->data;
    const rm2i_isomap_settings isomap = {.neighbours = s->neighbours,
                                         .time_weight = s->time_weight};
    const rm2i_start_data points = {.N = m->N,
                                    .M = m->M,
                                    .F = V,
                                    .trajectories = data->trajectories,
                                    .starts = data->starts,
                                    .time = data->time,
                                    .rows = m->rows};
    rm2_rng rng;
    switch (s->init) {
    case RM2_INIT_ALIGNED:
        if (rm2i_start_rows(&points).all_trajectories > 1)
            return start_aligned(ctx, s, &points, X0, m);
        return rm2i_start_isomap(ctx, &isomap, &points, m->Q, X0);
    case RM2_INIT_ISOMAP:
        return rm2i_start_isomap(ctx, &isomap, &points, m->Q, X0);
    case RM2_INIT_PCA:
        return rm2i_start_pca(ctx, m->N, rm2_manifold_ambient(m->manifold), data->points, m->Q,
                              false, X0);
    case RM2_INIT_RANDOM:
        rm2_rng_seed(&rng, s->seed);
        rm2i_start_random(&rng, m->N, m->Q, X0);
        return RM2_OK;
    case RM2_INIT_TANGENT:
        return rm2i_start_pca(ctx, m->N, m->M, V, m->Q, true, X0);
    case RM2_INIT_AUTO:
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.init is auto, which needs settings.task integrated");
    case RM2_INIT_GIVEN:
        break;
    }
    return start_given(ctx, s->init_latent, m, X0);
}
