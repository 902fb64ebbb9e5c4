/* Points on the manifold, in the sense that published tables count them:
 * numpy.isclose(a, b), |a - b| <= 1e-8 + 1e-5 |b|, of the quantity that defines the manifold. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "manifold/manifold.h"

static bool is_close(double a, double b) {
    return fabs(a - b) <= 1e-8 + 1e-5 * fabs(b); /* false for NaN */
}

/* |x| = 1 */
static bool on_sphere(size_t entries, const double *x) {
    return is_close(rm2i_norm(entries, x), 1);
}

/* <x, x> = |s|^2 - x0^2 = -1 with x = (x0, s), x0 > 0 */
static bool on_hyperboloid(size_t entries, const double *x) {
    double s = rm2i_norm(entries - 1, x + 1);
    return x[0] > 0 && is_close((s - x[0]) * (s + x[0]), -1);
}

/* By turns. */
typedef struct scratch {
    double *matrix, *factor; /* of SPD factors, n x n */
    double *work;            /* of other geometries */
} scratch;

static void lay_out(scratch *s, const rm2_manifold *m, rm2i_arena *a) {
    rm2i_arena spd = *a, other = *a;
    s->matrix = rm2i_reserve(&spd, double, m->ambient);
    s->factor = rm2i_reserve(&spd, double, m->ambient);
    s->work = rm2i_reserve(&other, double, m->work_size);
    *a = rm2i_arena_longer(spd, other);
}

/* A = A^T as numpy.allclose(A, A.T), and a Cholesky factor exists. */
static bool is_spd(size_t n, const double *A, const scratch *s) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (!is_close(A[i * n + j], A[j * n + i]))
                return false;
    for (size_t i = 0; i < n * n; i++)
        s->matrix[i] = A[i];
    rm2i_symmetrise(n, s->matrix);
    return rm2i_cholesky(n, s->matrix, s->factor) == RM2_OK;
}

static bool factor_on(const rm2_factor *f, const double *x, const scratch *s) {
    if (isinf(rm2i_max_abs(f->ambient, x)))
        return false;
    if (f->geometry == &rm2_euclidean)
        return true;
    if (f->geometry == &rm2_sphere || f->geometry == &rm2_rotation)
        return on_sphere(f->ambient, x);
    if (f->geometry == &rm2_hyperbolic)
        return on_hyperboloid(f->ambient, x);
    if (rm2_is_spd(f->geometry))
        return is_spd(f->n, x, s);
    return f->geometry->defect(f->n, x, s->work) <= 1e-5;
}

typedef struct membership {
    const rm2_manifold *m;
    const double *points;
    bool *on;  /* n x factors, or NULL */
    bool *all; /* n */
} membership;

static rm2_status check_point(const void *arg, size_t i, double *memory) {
    const membership *c = arg;
    scratch s;
    lay_out(&s, c->m, &(rm2i_arena){memory, 0});
    c->all[i] = true;
    for (size_t k = 0; k < c->m->count; k++) {
        const rm2_factor *f = &c->m->factors[k];
        bool on = factor_on(f, c->points + i * c->m->ambient + f->ambient_offset, &s);
        c->all[i] = c->all[i] && on;
        if (c->on)
            c->on[i * c->m->count + k] = on;
    }
    return RM2_OK;
}

rm2_status rm2_manifold_contains(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                 const double *points, bool *on, size_t *count) {
    RM2_REQUIRE(ctx, m, count);
    if (n > 0)
        RM2_REQUIRE(ctx, points);
    membership c = {m, points, on, NULL};
    rm2i_arena a = {NULL, 0};
    lay_out(&(scratch){0}, m, &a);
    *count = 0;
    RM2_TRY(rm2i_alloc(ctx, n, sizeof *c.all, &c.all));
    rm2_status status = rm2i_batch(ctx, n, a.used, check_point, &c, NULL);
    for (size_t i = 0; status == RM2_OK && i < n; i++)
        *count += c.all[i];
    free(c.all);
    return status;
}
