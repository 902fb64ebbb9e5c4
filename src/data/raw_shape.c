/* Shapes of arrays of points. */
#include "data/raw_shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

static void shape_text(rm2i_shape a, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "(");
    for (size_t k = 0; k < a.dims && used + 24 < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%zu", k ? ", " : "", a.sizes[k]);
    (void)snprintf(text + used, size - used, ")");
}

size_t rm2i_tail_product(rm2i_shape a, size_t tail) {
    size_t product = 1;
    for (size_t k = a.dims - tail; k < a.dims; k++)
        product *= a.sizes[k];
    return product;
}

/* n of the matrices, where points are full matrices of SPD(n) and nothing else; 0: they are not. */
static size_t matrix_size(const rm2i_wanted *wanted) {
    const rm2_factor *f = rm2_manifold_factor(wanted->manifold, 0);
    bool alone = rm2_manifold_factor_count(wanted->manifold) == 1 && rm2_is_spd(f->geometry);
    return alone && wanted->width == f->n * f->n ? f->n : 0;
}

rm2i_form rm2i_form_of(rm2i_shape a, const rm2i_wanted *wanted, bool columns_chosen) {
    if (columns_chosen)
        return a.dims == 2 || a.dims == 3 ? RM2I_FORM_ROWS : RM2I_FORM_NONE;
    for (size_t tail = 1; tail <= 2; tail++)
        if (a.dims >= tail + 1 && a.dims <= tail + 2 && rm2i_tail_product(a, tail) == wanted->width)
            return tail == 1 ? RM2I_FORM_ROWS : RM2I_FORM_MATRICES;
    size_t n = matrix_size(wanted);
    bool last = n > 0 && (a.dims == 2 || a.dims == 3) && a.sizes[0] == n && a.sizes[1] == n;
    return last ? RM2I_FORM_MATRICES_LAST : RM2I_FORM_NONE;
}

/* Sum of |a_ij - a_ji| over n matrices of size n, counted by the first axis or by the last one. */
static double asymmetry(size_t n, const double *cube, bool last) {
    size_t step = last ? 1 : n * n, row = last ? n * n : n, column = last ? n : 1;
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                sum += fabs(cube[k * step + i * row + j * column] -
                            cube[k * step + j * row + i * column]);
    return sum;
}

rm2_status rm2i_resolve_cube(rm2_context *ctx, const char *path, const rm2_array *a,
                             rm2i_form *found) {
    size_t n = a->shape[0];
    double size = 0;
    for (size_t i = 0; i < n * n * n; i++)
        size += fabs(a->values[i]);
    bool first = asymmetry(n, a->values, false) <= 1e-6 * size;
    bool last = asymmetry(n, a->values, true) <= 1e-6 * size;
    if (first && last && n > 1)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s: an array of shape (%zu, %zu, %zu) may count its matrices along the "
                         "first axis or the last one, and both ways they are symmetric; save one "
                         "row of %zu numbers per matrix",
                         path, n, n, n, n * n);
    *found = first && !last ? RM2I_FORM_MATRICES : RM2I_FORM_MATRICES_LAST;
    return RM2_OK;
}

rm2_status rm2i_matrices_first(rm2_context *ctx, rm2_array *a) {
    size_t square = a->shape[0] * a->shape[1], count = a->dims == 3 ? a->shape[2] : 1;
    double *turned;
    RM2_TRY(rm2i_alloc(ctx, square * count, sizeof *turned, &turned));
    for (size_t e = 0; e < square; e++)
        for (size_t k = 0; k < count; k++)
            turned[k * square + e] = a->values[e * count + k];
    free(a->values);
    a->values = turned;
    a->shape[2] = a->shape[1];
    a->shape[1] = a->shape[0];
    a->shape[0] = count;
    a->dims = 3;
    return RM2_OK;
}

static rm2_status no_points(rm2_context *ctx, const char *path, const rm2i_wanted *wanted,
                            rm2i_shape a) {
    char text[120];
    size_t width = wanted->width;
    bool turned = a.dims == 2 && a.sizes[0] == width;
    shape_text(a, text, sizeof text);
    return rm2i_fail(ctx, RM2_ERR_DATA,
                     "%s: an array of shape %s does not hold points of %s with %zu numbers each; "
                     "expected (N, %zu) or (trajectories, T, %zu)%s; check the manifold, the "
                     "layout, or choose settings.columns",
                     path, text, rm2_manifold_spec(wanted->manifold), width, width, width,
                     turned ? ": points are rows, transpose the array" : "");
}

rm2_status rm2i_find_form(rm2_context *ctx, const char *path, const rm2i_wanted *wanted,
                          bool columns_chosen, rm2i_shape a, rm2i_form *found) {
    *found = rm2i_form_of(a, wanted, columns_chosen);
    return *found == RM2I_FORM_NONE ? no_points(ctx, path, wanted, a) : RM2_OK;
}
