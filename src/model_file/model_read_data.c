/* The training set of a model file. Shapes are checked against each other; what the numbers must be is in
 * check_model.c. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "model_file/check_model.h"
#include "model_file/model_file.h"

/* Finite numbers of a known shape into memory that is there already. */
static rm2_status get_array(rm2i_reader r, const char *name, size_t rows, size_t columns,
                            double *values) {
    size_t shape[] = {rows, columns};
    RM2_TRY(rm2i_file_copy(r, name, columns ? 2 : 1, shape, values));
    return rm2i_check_range(r.ctx, r.path, name, rows * (columns ? columns : 1), values,
                            &rm2i_finite);
}

/* First points of the trajectories, as many as there are; *starts is NULL if there are none. */
static rm2_status get_starts(rm2i_reader r, size_t N, size_t *trajectories, size_t **starts) {
    size_t ends = SIZE_MAX;
    *trajectories = 0;
    *starts = NULL;
    if (!rm2i_file_has(r, "data/starts"))
        return RM2_OK;
    RM2_TRY(rm2i_file_sizes(r, "data/starts", 1, &ends, starts));
    bool good = ends >= 2 && (*starts)[0] == 0 && (*starts)[ends - 1] == N;
    for (size_t t = 0; good && t + 1 < ends; t++)
        good = (*starts)[t] < (*starts)[t + 1];
    if (!good)
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: data/starts does not divide the %zu points",
                         r.path, N);
    *trajectories = ends - 1;
    return RM2_OK;
}

static rm2_status get_ids(rm2i_reader r, rm2i_draft *d) {
    char **ids;
    size_t count = d->trajectories;
    if (count == 0)
        return RM2_OK;
    RM2_TRY(rm2i_file_texts(r, "data/ids", &count, &ids));
    rm2i_texts_free(d->ids, count);
    d->ids = ids;
    return RM2_OK;
}

static rm2_status get_labels(rm2i_reader r, rm2i_draft *d) {
    if (!rm2i_file_has(r, "data/labels"))
        return RM2_OK;
    size_t n = d->count, count = SIZE_MAX, dims, shape[RM2_ARRAY_MAX_DIMS];
    RM2_TRY(rm2i_file_extents(r, "data/label_names", &dims, shape));
    if (dims == 1 && shape[0] > n) /* before each takes its memory */
        return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: data/label_names: %zu labels for %zu points",
                         r.path, shape[0], n);
    RM2_TRY(rm2i_file_sizes(r, "data/labels", 1, &n, &d->labels));
    RM2_TRY(rm2i_file_texts(r, "data/label_names", &count, &d->label_names));
    d->label_count = count;
    for (size_t i = 0; i < n; i++)
        if (d->labels[i] >= count)
            return rm2i_fail(r.ctx, RM2_ERR_FORMAT, "%s: data/labels, entry %zu: no label %zu",
                             r.path, i, d->labels[i]);
    return RM2_OK;
}

static rm2_status get_time(rm2i_reader r, rm2i_draft *d) {
    if (!rm2i_file_has(r, "data/time"))
        return RM2_OK;
    RM2_TRY(rm2i_draft_set_time(r.ctx, d));
    return get_array(r, "data/time", d->count, 0, d->time);
}

static rm2_status fill_draft(rm2i_reader r, rm2i_draft *d) {
    size_t ambient = rm2_manifold_ambient(d->manifold);
    RM2_TRY(get_array(r, "data/points", d->count, ambient, d->points));
    RM2_TRY(get_array(r, "data/scale", rm2_manifold_factor_count(d->manifold), 0, d->scale));
    if (rm2i_file_has(r, "data/shrinkage"))
        RM2_TRY(rm2i_file_number(r, "data/shrinkage", &d->shrinkage));
    RM2_TRY(get_ids(r, d));
    RM2_TRY(get_time(r, d));
    return get_labels(r, d);
}

/* A draft of N points on the manifold, with its trajectories. */
static rm2_status get_draft(rm2i_reader r, const rm2_manifold *m, size_t N, rm2i_draft *d) {
    size_t trajectories, *starts = NULL;
    char *source = NULL;
    rm2_status status = rm2i_file_text(r, "source", &source);
    if (status == RM2_OK)
        status = get_starts(r, N, &trajectories, &starts);
    if (status == RM2_OK)
        status = rm2i_draft_create(r.ctx, m, source, N, trajectories, d);
    if (status == RM2_OK && starts)
        memcpy(d->starts, starts, (trajectories + 1) * sizeof *starts);
    free(starts);
    free(source);
    return status;
}

/* A name that is not known is one of a geometry that must be registered. */
static rm2_status get_manifold(rm2i_reader r, rm2_manifold **m) {
    char *spec;
    RM2_TRY(rm2i_file_text(r, "manifold", &spec));
    bool known = r.manifold && strcmp(spec, rm2_manifold_spec(r.manifold)) == 0;
    rm2_status status = RM2_OK;
    if (known)
        *m = rm2_manifold_retain(r.manifold);
    else
        status = rm2_manifold_create(r.ctx, spec, m);
    free(spec);
    return status == RM2_ERR_ARGUMENT ? rm2i_fail_prefix(r.ctx, RM2_ERR_UNSUPPORTED, "%s", r.path)
                                      : status;
}

rm2_status rm2i_file_data(rm2i_reader r, size_t N, rm2_data **data) {
    rm2_manifold *m;
    rm2i_draft draft = {.count = 0};
    RM2_TRY(get_manifold(r, &m));
    /* the manifold may be any: its points must be in the file before memory for them is asked for */
    rm2_status status =
        rm2i_file_shape(r, "data/points", 2, (size_t[]){N, rm2_manifold_ambient(m)});
    if (status == RM2_OK)
        status = get_draft(r, m, N, &draft);
    if (status == RM2_OK)
        status = fill_draft(r, &draft);
    if (status == RM2_OK)
        status = rm2i_draft_finish(r.ctx, &draft, data);
    rm2i_draft_clear(&draft);
    rm2_manifold_free(m);
    return status;
}
