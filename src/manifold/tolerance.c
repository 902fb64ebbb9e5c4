/* Points that come from outside: those off the manifold by rounding are moved onto it, those further off
 * are refused with point, factor and distance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "manifold/manifold.h"

static const double ROUNDING = 1e-14; /* defects up to this are no reason to move a point */
static const double SILENT = 1e-6;    /* up to this a point is moved without a warning */

rm2_status rm2i_factor_project_within(const rm2_factor *f, double tolerance, const double *x,
                                      double *y, double *work, double *defect) {
    *defect = f->geometry->defect(f->n, x, work);
    if (!(*defect <= tolerance))
        return RM2_ERR_DOMAIN;
    return f->geometry->project(f->n, x, y, work);
}

typedef struct intake {
    const rm2_manifold *m;
    const char *name; /* of the points, or NULL */
    double tolerance;
    size_t n;
    const double *x;
    double *y;
    double *defect; /* n x factors */
} intake;

/* work: that of the geometries, then one point. */
static rm2_status project_point(const void *arg, size_t i, double *work) {
    const intake *in = arg;
    const rm2_manifold *m = in->m;
    double *projected = work + m->work_size;
    for (size_t k = 0; k < m->count; k++) {
        const rm2_factor *f = &m->factors[k];
        size_t at = i * m->ambient + f->ambient_offset;
        double *defect = &in->defect[i * m->count + k];
        RM2_TRY(rm2i_factor_project_within(f, in->tolerance, in->x + at, projected, work, defect));
        memmove(in->y + at, *defect > ROUNDING ? projected : in->x + at,
                f->ambient * sizeof *in->y);
    }
    return RM2_OK;
}

/* "NAME: point 3, "; without the number where there is only one. */
typedef struct place {
    char text[120];
} place;

static place place_of(const intake *in, size_t i) {
    place p = {""};
    int used = in->name ? snprintf(p.text, sizeof p.text, "%.60s: ", in->name) : 0;
    if (in->n > 1)
        (void)snprintf(p.text + used, sizeof p.text - (size_t)used, "point %zu, ", i);
    return p;
}

static rm2_status refuse(rm2_context *ctx, const intake *in, size_t i) {
    const rm2_manifold *m = in->m;
    const double *x = in->x + i * m->ambient;
    for (size_t j = 0; j < m->ambient; j++)
        if (!isfinite(x[j]))
            return rm2i_fail(ctx, RM2_ERR_DOMAIN,
                             "%sentry %zu (counted from 0) is %g: must be finite",
                             place_of(in, i).text, j, x[j]);
    size_t k = 0;
    while (k + 1 < m->count && in->defect[i * m->count + k] <= in->tolerance)
        k++;
    const rm2_factor *f = &m->factors[k];
    return rm2i_fail(ctx, RM2_ERR_DOMAIN,
                     "%sfactor %zu (%s%zu) is off the manifold by %.1e, more than the tolerance %g",
                     place_of(in, i).text, k + 1, f->geometry->name, f->n,
                     in->defect[i * m->count + k], in->tolerance);
}

static void warn(rm2_context *ctx, const intake *in) {
    const rm2_manifold *m = in->m;
    size_t worst = 0, moved = 0;
    for (size_t i = 0; i < in->n * m->count; i++) {
        moved += in->defect[i] > SILENT;
        worst = in->defect[i] > in->defect[worst] ? i : worst;
    }
    if (moved == 0)
        return;
    const rm2_factor *f = &m->factors[worst % m->count];
    rm2i_log(ctx, RM2_LOG_WARNING, "%sfactor %zu (%s%zu) is off the manifold by %.1e%s; projected",
             place_of(in, worst / m->count).text, worst % m->count + 1, f->geometry->name, f->n,
             in->defect[worst], moved > 1 ? ", others by less" : "");
}

rm2_status rm2_manifold_project_within(rm2_context *ctx, const rm2_manifold *m, const char *name,
                                       double tolerance, size_t n, const double *x, double *y) {
    intake in = {.m = m, .name = name, .tolerance = tolerance, .n = n, .x = x, .y = y};
    size_t failed = 0;
    RM2_REQUIRE(ctx, m);
    if (n > 0)
        RM2_REQUIRE(ctx, x, y);
    RM2_TRY(rm2i_calloc(ctx, n, m->count * sizeof *in.defect, &in.defect));
    rm2_status status = rm2i_batch(ctx, n, m->work_size + m->ambient, project_point, &in, &failed);
    if (status == RM2_OK)
        warn(ctx, &in);
    else if (status != RM2_ERR_MEMORY && status != RM2_INTERRUPTED)
        status = refuse(ctx, &in, failed);
    free(in.defect);
    return status;
}
