/* The public calls: loops over n points around the one-point calls of product.c, on the context's
 * threads. A base point shared by all points gets its frame once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "geometry/geometries.h"
#include "linalg/dense.h"
#include "manifold/manifold.h"
#include "manifold/registry.h"

typedef enum many_kind { MANY_NO, MANY_EXP, MANY_LOG } many_kind;

/* One batch: what is read, what is written. Unused members are NULL or 0. */
typedef struct job {
    const rm2_manifold *m;
    const double *p;            /* base points */
    const double *shared_frame; /* of the only base point, or NULL */
    const double *a, *b;        /* further inputs */
    double *out;
    size_t count;     /* vectors a point (metric) */
    size_t *failed;   /* set only when a failure is looked at again */
    many_kind many;   /* what could be done for many points at once */
    bool of_points;   /* a: points, not vectors */
    const char *name; /* of the points in messages, or NULL */
} job;

/* One point's arrays. */
typedef struct point_scratch {
    double *frame, *a, *b, *work; /* a frame, coordinates of two vectors, work of the geometries */
} point_scratch;

static void lay_out(point_scratch *s, const rm2_manifold *m, rm2i_arena *a) {
    s->frame = rm2i_reserve(a, double, m->frame_size);
    s->a = rm2i_reserve(a, double, m->dim);
    s->b = rm2i_reserve(a, double, m->dim);
    s->work = rm2i_reserve(a, double, m->work_size);
}

static point_scratch scratch_in(const job *j, double *memory) {
    point_scratch s;
    lay_out(&s, j->m, &(rm2i_arena){memory, 0});
    return s;
}

static size_t scratch_size(const rm2_manifold *m) {
    point_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, m, &a);
    return a.used;
}

/* Frame of point i: the shared one, or made in the scratch. */
static rm2_status frame_of(const job *j, size_t i, const point_scratch *s, const double **frame) {
    *frame = j->shared_frame ? j->shared_frame : s->frame;
    if (j->shared_frame)
        return RM2_OK;
    return rm2i_manifold_frame(j->m, j->p + i * j->m->ambient, s->frame, s->work, j->failed);
}

/* How far point `index` of j->a is off the manifold in one factor. */
static double off_by(const job *j, size_t index, const rm2_factor *f, double *work) {
    return f->geometry->defect(f->n, j->a + index * j->m->ambient + f->ambient_offset, work);
}

static rm2_status explain(rm2_context *ctx, job *j, rm2i_point_fn fn, size_t index,
                          rm2_status status) {
    double *memory;
    char off[40] = "";
    RM2_TRY(rm2i_alloc(ctx, scratch_size(j->m), sizeof *memory, &memory));
    size_t factor = 0;
    j->failed = &factor;
    (void)fn(j, index, memory);
    j->failed = NULL;
    const rm2_factor *f = &j->m->factors[factor];
    double defect = j->of_points ? off_by(j, index, f, scratch_in(j, memory).work) : 0;
    if (status == RM2_ERR_DOMAIN && defect > RM2I_OFF_MANIFOLD && isfinite(defect))
        (void)snprintf(off, sizeof off, ", off by %.2g", defect);
    free(memory);
    return rm2i_fail(ctx, status, "%spoint %zu, factor %zu (%s%zu): %s%s", j->name ? j->name : "",
                     index, factor + 1, f->geometry->name, f->n, rm2_status_text(status), off);
}

static rm2_status run(rm2_context *ctx, size_t n, rm2i_point_fn fn, job *j) {
    size_t index = 0;
    rm2_status status = rm2i_batch(ctx, n, scratch_size(j->m), fn, j, &index);
    if (status == RM2_OK || status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    return explain(ctx, j, fn, index, status);
}

/* ---- many points at once ----------------------------------------------------------------------- */

enum { MANY = 64 }; /* points per call */

typedef struct many_job {
    const rm2_manifold *m;
    const double *frame, *in;
    double *out;
    size_t n;
    bool logarithm;
} many_job;

static bool offers_many(const rm2_manifold *m) {
    for (size_t k = 0; k < m->count; k++)
        if (!rm2i_geometry_many(&m->factors[k]))
            return false;
    return true;
}

static rm2_status many_block(const void *arg, size_t b, double *work) {
    const many_job *j = arg;
    size_t first = b * MANY, count = j->n - first < MANY ? j->n - first : MANY;
    (void)work;
    for (size_t k = 0; k < j->m->count; k++) {
        const rm2_factor *f = &j->m->factors[k];
        size_t at = first * j->m->ambient + f->ambient_offset;
        const double *frame = j->frame + j->m->frame_offsets[k];
        rm2_status status =
            j->logarithm
                ? f->geometry->log_many(f->n, frame, count, j->in + at, j->out + at, j->m->ambient)
                : f->geometry->exp_many(f->n, frame, count, j->in + at, j->out + at, j->m->ambient);
        if (status != RM2_OK)
            return status;
    }
    return RM2_OK;
}

/* exp or log of all points at the frame of j, if the manifold offers it and no point is special. */
static rm2_status run_many(rm2_context *ctx, size_t n, const job *j, bool logarithm) {
    many_job many = {j->m, j->shared_frame, j->a, j->out, n, logarithm};
    return rm2i_batch(ctx, (n + MANY - 1) / MANY, 0, many_block, &many, NULL);
}

/* As run, with base points: p_count 1 or n. */
static rm2_status run_at(rm2_context *ctx, size_t n, size_t p_count, rm2i_point_fn fn, job *j) {
    if (p_count != 1 && p_count != n)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%zu base points for %zu points: give 1 or %zu",
                         p_count, n, n);
    if (p_count != 1 || n <= 1)
        return run(ctx, n, fn, j);
    double *memory;
    RM2_TRY(rm2i_alloc(ctx, scratch_size(j->m), sizeof *memory, &memory));
    point_scratch s = scratch_in(j, memory);
    size_t factor = 0;
    rm2_status status = rm2i_manifold_frame(j->m, j->p, s.frame, s.work, &factor);
    if (status != RM2_OK) {
        status = rm2i_fail(ctx, status, "base point, factor %zu (%s%zu): %s", factor + 1,
                           j->m->factors[factor].geometry->name, j->m->factors[factor].n,
                           rm2_status_text(status));
    } else {
        j->shared_frame = s.frame;
        status = RM2_ERR_UNSUPPORTED;
        if (j->many != MANY_NO && offers_many(j->m))
            status = run_many(ctx, n, j, j->many == MANY_LOG);
        if (status != RM2_OK && status != RM2_INTERRUPTED && status != RM2_ERR_MEMORY)
            status = run(ctx, n, fn, j);
    }
    free(memory);
    return status;
}

/* A vector that is not finite is refused: what would come of it is NaN. */
static rm2_status finite(size_t n, const double *x) {
    return isinf(rm2i_max_abs(n, x)) ? RM2_ERR_DOMAIN : RM2_OK;
}

/* ---- points --------------------------------------------------------------------------------- */

static rm2_status defect_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    for (size_t k = 0; k < j->m->count; k++) {
        const rm2_factor *f = &j->m->factors[k];
        j->out[i * j->m->count + k] =
            f->geometry->defect(f->n, j->a + i * j->m->ambient + f->ambient_offset, s.work);
    }
    return RM2_OK;
}

rm2_status rm2_manifold_defect(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *x,
                               double *defect) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, x, defect);
    job j = {.m = m, .a = x, .out = defect};
    return run(ctx, n, defect_point, &j);
}

static rm2_status check_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    return rm2i_manifold_check(j->m, j->a + i * j->m->ambient, s.work, j->failed);
}

rm2_status rm2i_manifold_check_all(rm2_context *ctx, const rm2_manifold *m, const char *name,
                                   size_t n, const double *points) {
    job j = {.m = m, .a = points, .name = name, .of_points = true};
    return run(ctx, n, check_point, &j);
}

static rm2_status project_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    size_t at = i * j->m->ambient;
    return rm2i_manifold_project(j->m, j->a + at, j->out + at, s.work, j->failed);
}

rm2_status rm2_manifold_project(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *x,
                                double *y) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, x, y);
    job j = {.m = m, .a = x, .out = y};
    return run(ctx, n, project_point, &j);
}

rm2_status rm2_manifold_random(rm2_context *ctx, const rm2_manifold *m, size_t n, double *p) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p);
    double *work;
    RM2_TRY(rm2i_alloc(ctx, m->work_size, sizeof *work, &work));
    for (size_t i = 0; i < n; i++)
        rm2i_manifold_random(m, rm2_context_rng(ctx), p + i * m->ambient, work);
    free(work);
    return RM2_OK;
}

static rm2_status distance_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    const double *p = j->count == 1 ? j->p : j->p + i * j->m->ambient;
    const double *q = j->a + i * j->m->ambient;
    RM2_TRY(rm2i_manifold_check(j->m, p, s.work, j->failed));
    RM2_TRY(rm2i_manifold_check(j->m, q, s.work, j->failed));
    return rm2i_manifold_distance(j->m, p, q, j->out + i, s.work, j->failed);
}

rm2_status rm2_manifold_distance(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *p,
                                 size_t p_count, const double *q, double *d) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p, q, d);
    if (p_count != 1 && p_count != n)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%zu base points for %zu points: give 1 or %zu",
                         p_count, n, n);
    job j = {.m = m, .p = p, .a = q, .out = d, .count = p_count, .of_points = true};
    return run(ctx, n, distance_point, &j);
}

/* ---- coordinates ---------------------------------------------------------------------------- */

static rm2_status to_coords_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    const double *frame;
    RM2_TRY(frame_of(j, i, &s, &frame));
    rm2i_manifold_to_coords(j->m, frame, j->a + i * j->m->ambient, j->out + i * j->m->dim, s.work);
    return finite(j->m->dim, j->out + i * j->m->dim);
}

rm2_status rm2_manifold_to_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                  const double *p, size_t p_count, const double *v, double *c) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p, v, c);
    job j = {.m = m, .p = p, .a = v, .out = c};
    return run_at(ctx, n, p_count, to_coords_point, &j);
}

static rm2_status from_coords_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    const double *frame;
    RM2_TRY(frame_of(j, i, &s, &frame));
    rm2i_manifold_from_coords(j->m, frame, j->a + i * j->m->dim, j->out + i * j->m->ambient,
                              s.work);
    return finite(j->m->ambient, j->out + i * j->m->ambient);
}

rm2_status rm2_manifold_from_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                    const double *p, size_t p_count, const double *c, double *v) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p, c, v);
    job j = {.m = m, .p = p, .a = c, .out = v};
    return run_at(ctx, n, p_count, from_coords_point, &j);
}

static rm2_status exp_coords_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    const double *frame;
    RM2_TRY(frame_of(j, i, &s, &frame));
    return rm2i_manifold_exp(j->m, frame, j->a + i * j->m->dim, j->out + i * j->m->ambient, s.work,
                             j->failed);
}

rm2_status rm2_manifold_exp_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                   const double *p, size_t p_count, const double *c, double *y) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p, c, y);
    job j = {.m = m, .p = p, .a = c, .out = y};
    return run_at(ctx, n, p_count, exp_coords_point, &j);
}

static rm2_status log_coords_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    const double *frame;
    const double *q = j->a + i * j->m->ambient;
    RM2_TRY(frame_of(j, i, &s, &frame));
    RM2_TRY(rm2i_manifold_check(j->m, q, s.work, j->failed));
    return rm2i_manifold_log(j->m, frame, q, j->out + i * j->m->dim, s.work, j->failed);
}

rm2_status rm2_manifold_log_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                   const double *p, size_t p_count, const double *q, double *c) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p, q, c);
    job j = {.m = m, .p = p, .a = q, .out = c, .of_points = true};
    return run_at(ctx, n, p_count, log_coords_point, &j);
}

/* ---- ambient tangent vectors ---------------------------------------------------------------- */

/* Frame of point i, and the coordinates of the ambient vectors a and (if given) b there. */
static rm2_status vectors_of(const job *j, size_t i, const point_scratch *s, const double **frame) {
    RM2_TRY(frame_of(j, i, s, frame));
    size_t at = i * j->m->ambient;
    rm2i_manifold_to_coords(j->m, *frame, j->a + at, s->a, s->work);
    RM2_TRY(finite(j->m->dim, s->a));
    if (!j->b)
        return RM2_OK;
    rm2i_manifold_to_coords(j->m, *frame, j->b + at, s->b, s->work);
    return finite(j->m->dim, s->b);
}

static rm2_status exp_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    const double *frame;
    RM2_TRY(vectors_of(j, i, &s, &frame));
    return rm2i_manifold_exp(j->m, frame, s.a, j->out + i * j->m->ambient, s.work, j->failed);
}

rm2_status rm2_manifold_exp(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *p,
                            size_t p_count, const double *v, double *y) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p, v, y);
    job j = {.m = m, .p = p, .a = v, .out = y, .many = MANY_EXP};
    return run_at(ctx, n, p_count, exp_point, &j);
}

static rm2_status log_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    const double *frame;
    RM2_TRY(frame_of(j, i, &s, &frame));
    size_t at = i * j->m->ambient;
    RM2_TRY(rm2i_manifold_check(j->m, j->a + at, s.work, j->failed));
    RM2_TRY(rm2i_manifold_log(j->m, frame, j->a + at, s.a, s.work, j->failed));
    rm2i_manifold_from_coords(j->m, frame, s.a, j->out + at, s.work);
    return RM2_OK;
}

rm2_status rm2_manifold_log(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *p,
                            size_t p_count, const double *q, double *v) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p, q, v);
    job j = {.m = m, .p = p, .a = q, .out = v, .many = MANY_LOG, .of_points = true};
    return run_at(ctx, n, p_count, log_point, &j);
}

static rm2_status inner_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    const double *frame;
    RM2_TRY(vectors_of(j, i, &s, &frame));
    j->out[i] = rm2i_dot(j->m->dim, s.a, s.b);
    return RM2_OK;
}

rm2_status rm2_manifold_inner(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *p,
                              size_t p_count, const double *v, const double *w, double *value) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p, v, w, value);
    job j = {.m = m, .p = p, .a = v, .b = w, .out = value};
    return run_at(ctx, n, p_count, inner_point, &j);
}

static rm2_status transport_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    const double *frame;
    RM2_TRY(vectors_of(j, i, &s, &frame));
    return rm2i_manifold_transport(j->m, frame, s.a, s.b, j->out + i * j->m->ambient, s.work,
                                   j->failed);
}

rm2_status rm2_manifold_transport(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                  const double *p, size_t p_count, const double *v, const double *z,
                                  double *out) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p, v, z, out);
    job j = {.m = m, .p = p, .a = v, .b = z, .out = out};
    return run_at(ctx, n, p_count, transport_point, &j);
}

static rm2_status dexp_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    const double *frame;
    RM2_TRY(vectors_of(j, i, &s, &frame));
    return rm2i_manifold_dexp(j->m, frame, s.a, s.b, j->out + i * j->m->ambient, s.work, j->failed);
}

rm2_status rm2_manifold_dexp(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *p,
                             size_t p_count, const double *v, const double *w, double *out) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, p, v, w, out);
    job j = {.m = m, .p = p, .a = v, .b = w, .out = out};
    return run_at(ctx, n, p_count, dexp_point, &j);
}

/* ---- the exponential map seen from its coordinates ------------------------------------------ */

static rm2_status log_volume_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    RM2_TRY(finite(j->m->dim, j->a + i * j->m->dim));
    return rm2i_manifold_log_volume(j->m, j->a + i * j->m->dim, j->out + i, s.work, j->failed);
}

rm2_status rm2_manifold_log_volume(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                   const double *c, double *value) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, c, value);
    job j = {.m = m, .a = c, .out = value};
    return run(ctx, n, log_volume_point, &j);
}

static rm2_status metric_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    size_t at = i * j->count * j->m->dim;
    const rm2_product_query query = {j->count, j->a + at, j->out + at, j->m->dim};
    RM2_TRY(finite(j->m->dim, j->p + i * j->m->dim));
    return rm2i_manifold_metric(j->m, j->p + i * j->m->dim, &query, s.work, j->failed);
}

rm2_status rm2_manifold_metric(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *c,
                               size_t count, const double *W, double *out) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, c, out);
    if (n * count > 0)
        RM2_REQUIRE(ctx, W);
    job j = {.m = m, .p = c, .a = W, .out = out, .count = count};
    return run(ctx, n, metric_point, &j);
}

static rm2_status metric_derivative_point(const void *arg, size_t i, double *memory) {
    const job *j = arg;
    point_scratch s = scratch_in(j, memory);
    size_t at = i * j->count * j->m->dim;
    const rm2_product_query query = {j->count, j->a + at, j->out + at, j->m->dim};
    RM2_TRY(finite(j->m->dim, j->p + i * j->m->dim));
    RM2_TRY(finite(j->m->dim, j->b + i * j->m->dim));
    return rm2i_manifold_metric_derivative(j->m, j->p + i * j->m->dim, j->b + i * j->m->dim, &query,
                                           s.work, j->failed);
}

rm2_status rm2_manifold_metric_derivative(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                          const double *c, const double *z, size_t count,
                                          const double *W, double *out) {
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, c, z, out);
    if (n * count > 0)
        RM2_REQUIRE(ctx, W);
    job j = {.m = m, .p = c, .a = W, .b = z, .out = out, .count = count};
    return run(ctx, n, metric_derivative_point, &j);
}
