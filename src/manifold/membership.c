/* Points on the manifold, in the sense that published tables count them:
 * numpy.isclose(a, b), |a - b| <= 1e-8 + 1e-5 |b|, of the quantity that defines the manifold. */
#include <math.h>
#include <stdlib.h>

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

/* A = A^T as numpy.allclose(A, A.T), and a Cholesky factor exists. work: 2 n^2. */
static bool is_spd(size_t n, const double *A, double *work) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (!is_close(A[i * n + j], A[j * n + i]))
                return false;
    for (size_t i = 0; i < n * n; i++)
        work[i] = A[i];
    rm2i_symmetrise(n, work);
    return rm2i_cholesky(n, work, work + n * n) == RM2_OK;
}

static bool factor_on(const rm2_factor *f, const double *x, double *work) {
    if (isinf(rm2i_max_abs(f->ambient, x)))
        return false;
    if (f->geometry == &rm2_euclidean)
        return true;
    if (f->geometry == &rm2_sphere || f->geometry == &rm2_rotation)
        return on_sphere(f->ambient, x);
    if (f->geometry == &rm2_hyperbolic)
        return on_hyperboloid(f->ambient, x);
    if (f->geometry == &rm2_spd)
        return is_spd(f->n, x, work);
    return f->geometry->defect(f->n, x, work) <= 1e-5;
}

typedef struct membership {
    const rm2_manifold *m;
    const double *points;
    bool *on;  /* n x factors, or NULL */
    bool *all; /* n */
} membership;

static rm2_status check_point(const void *arg, size_t i, double *work) {
    const membership *c = arg;
    c->all[i] = true;
    for (size_t k = 0; k < c->m->count; k++) {
        const rm2_factor *f = &c->m->factors[k];
        bool on = factor_on(f, c->points + i * c->m->ambient + f->ambient_offset, work);
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
    size_t work = m->work_size > 2 * m->ambient ? m->work_size : 2 * m->ambient;
    *count = 0;
    RM2_TRY(rm2i_alloc(ctx, n, sizeof *c.all, &c.all));
    rm2_status status = rm2i_batch(ctx, n, work, check_point, &c, NULL);
    for (size_t i = 0; status == RM2_OK && i < n; i++)
        *count += c.all[i];
    free(c.all);
    return status;
}
