/* q and -q are one orientation: choose signs so that nothing jumps. Along a trajectory each
 * quaternion takes the sign nearer to the one before; then a whole trajectory takes the sign nearer
 * to the first trajectory, compared at equal phases. Points without trajectories take the side of
 * the principal axis of sum q q^T, which does not depend on signs. Never "w >= 0": that makes jumps
 * where w crosses zero. New data take the sign of a reference's first trajectory, or, where there is none
 * on one of the sides, of the nearest of its points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "linalg/dense.h"

typedef struct quaternions {
    double *first; /* quaternion of point 0 */
    size_t stride;
} quaternions;

static double *at(quaternions q, size_t i) {
    return q.first + i * q.stride;
}

static void flip(double *q) {
    for (int k = 0; k < 4; k++)
        q[k] = -q[k];
}

static size_t align_along(quaternions q, size_t from, size_t to) {
    size_t flips = 0;
    for (size_t i = from + 1; i < to; i++)
        if (rm2i_dot(4, at(q, i - 1), at(q, i)) < 0) {
            flip(at(q, i));
            flips++;
        }
    return flips;
}

/* Points [from, to) together take the sign that agrees with a reference of `count` points, `stride`
 * doubles apart, at equal phases. */
static size_t align_with(quaternions q, size_t from, size_t to, const double *reference,
                         size_t stride, size_t count) {
    size_t length = to - from;
    double agreement = 0;
    for (size_t i = 0; i < length; i++) {
        size_t same = length > 1 ? i * (count - 1) / (length - 1) : 0;
        agreement += rm2i_dot(4, reference + same * stride, at(q, from + i));
    }
    if (agreement >= 0)
        return 0;
    for (size_t i = from; i < to; i++)
        flip(at(q, i));
    return length;
}

/* Quaternions of the rows. */
typedef struct sum_job {
    quaternions q;
    size_t count;
} sum_job;

/* sum q q^T */
static void add_products(const void *job, void *state) {
    const sum_job *j = job;
    double *A = state;
    for (size_t i = 0; i < j->count; i++)
        for (size_t k = 0; k < 4; k++)
            rm2i_axpy(4, at(j->q, i)[k], at(j->q, i), A + 4 * k);
}

static size_t align_with_axis(const rm2i_rows *rows, quaternions q, size_t count) {
    double A[16] = {0}, values[4], axes[16], work[32]; /* rm2i_eigen_work(4) is 28 */
    rm2i_rows_fold(rows, sizeof A, A, add_products, &(sum_job){q, count});
    if (rm2i_eigen(4, A, values, axes, work) != RM2_OK)
        return 0;
    size_t top = 0, flips = 0;
    for (size_t k = 1; k < 4; k++)
        top = values[k] > values[top] ? k : top;
    double *axis = axes + 4 * top;
    if (rm2i_rows_decide(rows,
                         rm2i_dot(4, axis, at(q, 0)) < 0)) /* the first point keeps its sign */
        flip(axis);
    for (size_t i = 0; i < count; i++)
        if (rm2i_dot(4, axis, at(q, i)) < 0) {
            flip(at(q, i));
            flips++;
        }
    return flips;
}

/* Rotations by more than 90 degrees from one point to the next: |<q, q'>| < cos 45 degrees. */
static size_t count_jumps(quaternions q, size_t from, size_t to) {
    size_t jumps = 0;
    for (size_t i = from + 1; i < to; i++)
        jumps += fabs(rm2i_dot(4, at(q, i - 1), at(q, i))) < 0.70710678118654752;
    return jumps;
}

/* Points whose signs others take. */
typedef struct first_trajectory {
    size_t count, first; /* points; of the first trajectory, 0: there is none */
    const double *points;
} first_trajectory;

/* Signs along the trajectories t, t + 1, ..., each as a whole as the first one of all. */
static void align_factor(const rm2i_draft *data, quaternions q, const double *first, size_t count,
                         rm2_factor_report *report) {
    const size_t *starts = data->starts;
    for (size_t t = 0; t < data->trajectories; t++) {
        report->sign_flips += align_along(q, starts[t], starts[t + 1]);
        report->sign_jumps += count_jumps(q, starts[t], starts[t + 1]);
        if (at(q, starts[t]) != first)
            report->sign_flips += align_with(q, starts[t], starts[t + 1], first, q.stride, count);
    }
}

/* The first trajectory of all: the root has it, other processes get a copy. */
static rm2_status find_first(rm2_context *ctx, const rm2i_rows *rows, const rm2i_draft *data,
                             double **copy, first_trajectory *r) {
    size_t ambient = rm2_manifold_ambient(data->manifold);
    double *points = data->points;
    rm2_status status = RM2_OK;
    r->first = rows ? rows->all_starts[1] : data->starts[1];
    if (!rm2i_rows_root(rows)) {
        status = rm2i_alloc(ctx, r->first, ambient * sizeof **copy, copy);
        points = *copy;
    }
    RM2_TRY(rm2i_rows_agree(ctx, rows, status));
    rm2i_rows_broadcast(rows, points, r->first * ambient * sizeof *points);
    r->points = points;
    return RM2_OK;
}

rm2_status rm2i_align_signs(rm2_context *ctx, const rm2i_rows *rows, rm2i_draft *data,
                            rm2_data_report *report) {
    size_t ambient = rm2_manifold_ambient(data->manifold);
    first_trajectory r = {.first = 0};
    double *copy = NULL;
    if (data->trajectories > 0)
        RM2_TRY(find_first(ctx, rows, data, &copy, &r));
    for (size_t k = 0; k < rm2_manifold_factor_count(data->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(data->manifold, k);
        quaternions q = {data->points + f->ambient_offset, ambient};
        if (!rm2i_is_orientation(f))
            continue;
        if (data->trajectories == 0) {
            report->factor[k].sign_flips = align_with_axis(rows, q, data->count);
            continue;
        }
        if (copy) /* as the root does it */
            (void)align_along((quaternions){copy + f->ambient_offset, ambient}, 0, r.first);
        align_factor(data, q, r.points + f->ambient_offset, r.first, &report->factor[k]);
    }
    free(copy);
    return RM2_OK;
}

/* <q, r> for the nearest of `count` orientations r; 0 for a missing q. */
static double nearest_product(const double *q, const double *reference, size_t stride,
                              size_t count) {
    double nearest = 0;
    for (size_t i = 0; i < count; i++) {
        double product = rm2i_dot(4, reference + i * stride, q);
        nearest = fabs(product) > fabs(nearest) ? product : nearest;
    }
    return nearest;
}

/* Points [from, to) together take the sign that agrees with what is nearest to each. */
static void align_with_nearest(quaternions q, size_t from, size_t to, const double *reference,
                               size_t stride, size_t count) {
    double agreement = 0;
    for (size_t i = from; i < to; i++)
        agreement += nearest_product(at(q, i), reference, stride, count);
    for (size_t i = from; agreement < 0 && i < to; i++)
        flip(at(q, i));
}

static void align_factor_with(const rm2i_draft *data, quaternions q, const first_trajectory *r,
                              const double *same) {
    for (size_t t = 0; t < data->trajectories; t++) {
        size_t from = data->starts[t], to = data->starts[t + 1];
        if (r->first)
            (void)align_with(q, from, to, same, q.stride, r->first);
        else
            align_with_nearest(q, from, to, same, q.stride, r->count);
    }
}

static void align_draft_with(rm2i_draft *data, const first_trajectory *r) {
    size_t ambient = rm2_manifold_ambient(data->manifold);
    for (size_t k = 0; k < rm2_manifold_factor_count(data->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(data->manifold, k);
        if (rm2i_is_orientation(f))
            align_factor_with(data, (quaternions){data->points + f->ambient_offset, ambient}, r,
                              r->points + f->ambient_offset);
    }
}

void rm2_data_align_points(const rm2_data *reference_data, size_t n, double *points) {
    if (!reference_data || !points)
        return;
    size_t ambient = rm2_manifold_ambient(reference_data->manifold);
    for (size_t k = 0; k < rm2_manifold_factor_count(reference_data->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(reference_data->manifold, k);
        quaternions q = {points + f->ambient_offset, ambient};
        for (size_t i = 0; rm2i_is_orientation(f) && i < n; i++)
            align_with_nearest(q, i, i + 1, reference_data->points + f->ambient_offset, ambient,
                               reference_data->count);
    }
}

rm2_status rm2_data_align(rm2_context *ctx, const rm2_data *data, const rm2_data *reference,
                          rm2_data **aligned) {
    RM2_REQUIRE(ctx, aligned);
    *aligned = NULL;
    RM2_REQUIRE(ctx, data, reference);
    if (!rm2_manifold_equal(data->manifold, reference->manifold))
        return rm2i_fail(ctx, RM2_ERR_DATA, "the data (%s) are on %s, the reference (%s) is on %s",
                         data->source, rm2_manifold_spec(data->manifold), reference->source,
                         rm2_manifold_spec(reference->manifold));
    first_trajectory r = {reference->count, reference->trajectories ? reference->starts[1] : 0,
                          reference->points};
    rm2i_draft draft;
    RM2_TRY(rm2i_draft_copy(ctx, data, &draft));
    if (data->trajectories)
        align_draft_with(&draft, &r);
    else
        rm2_data_align_points(reference, draft.count, draft.points);
    rm2_status status = rm2i_draft_finish(ctx, &draft, aligned);
    rm2i_draft_clear(&draft);
    return status;
}
