/* Functions of the distance as piecewise polynomials.
 *
 * [0, end] is cut into equal panels; on each, f is its Chebyshev interpolant of degree DEGREE,
 *   f(r) ~ sum_k c_k T_k(u),  u in [-1, 1],
 * from its values at u_j = cos(pi (j + 1/2)/(DEGREE + 1)). Kernel profiles are analytic on r >= 0,
 * so the error falls like (panel width)^(DEGREE + 1): panels are doubled until the table agrees
 * with f between its nodes. One value then costs one Clenshaw sum however costly f is. (Trefethen,
 * Approximation Theory and Approximation Practice, SIAM 2013, chapters 3 and 8.) */
#include "kernel/manifold_profile.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"

enum { DEGREE = 15, NODES = DEGREE + 1, FIRST_PANELS = 8, MOST_PANELS = 8192 };

static const double GOAL = 3e-15; /* error at which doubling stops */
static const double ACCEPT =
    1e-13; /* the same, if doubling no longer helps: f has rounding errors */

struct rm2i_profile {
    size_t panels;
    double end, per_panel; /* panels / end */
    bool vanishes;         /* f is negligible beyond end */
    double *c;             /* panels x NODES */
};

typedef struct build {
    rm2i_radial_fn f;
    const void *data;
    const rm2i_profile *profile;
    double cosines[NODES * NODES]; /* T_k(u_j) */
    double *errors;                /* one a panel */
} build;

/* Where f falls below RM2I_TINY, within a factor 1.1; r_max if it does not. */
static double find_end(rm2i_radial_fn f, const void *data, double scale, double r_max,
                       bool *vanishes) {
    double end = scale;
    while (end < r_max && f(data, end) >= RM2I_TINY)
        end *= 1.1;
    *vanishes = end < r_max;
    return end < r_max ? end : r_max;
}

static double clenshaw(const double *c, double u) {
    double a = 0, b = 0;
    for (size_t k = DEGREE; k > 0; k--) {
        double next = c[k] + 2 * u * a - b;
        b = a;
        a = next;
    }
    return c[0] + u * a - b;
}

static double panel_point(const rm2i_profile *p, size_t panel, double u) {
    return ((double)panel + (1 + u) / 2) / p->per_panel;
}

/* Coefficients of one panel, and its error at points between the nodes. */
static rm2_status fill_panel(const void *job, size_t i, double *values) {
    const build *b = job;
    const rm2i_profile *p = b->profile;
    double *c = p->c + i * NODES;
    for (size_t j = 0; j < NODES; j++)
        values[j] = b->f(b->data, panel_point(p, i, b->cosines[NODES + j]));
    for (size_t k = 0; k < NODES; k++) {
        double sum = 0;
        for (size_t j = 0; j < NODES; j++)
            sum += values[j] * b->cosines[k * NODES + j];
        c[k] = sum * (k == 0 ? 1.0 : 2.0) / NODES;
    }
    static const double between[] = {-0.9980, -0.56, 0.098, 0.82};
    b->errors[i] = 0;
    for (size_t j = 0; j < sizeof between / sizeof between[0]; j++) {
        double off = clenshaw(c, between[j]) - b->f(b->data, panel_point(p, i, between[j]));
        b->errors[i] = fmax(b->errors[i], isfinite(off) ? fabs(off) : INFINITY);
    }
    return RM2_OK;
}

static rm2_status fill(rm2_context *ctx, build *b, rm2i_profile *p, double *error) {
    p->per_panel = (double)p->panels / p->end;
    RM2_TRY(rm2i_grow(ctx, p->panels * NODES, sizeof *p->c, &p->c));
    RM2_TRY(rm2i_grow(ctx, p->panels, sizeof *b->errors, &b->errors));
    RM2_TRY(rm2i_batch(ctx, p->panels, NODES, fill_panel, b, NULL));
    *error = 0;
    for (size_t i = 0; i < p->panels; i++)
        *error = fmax(*error, b->errors[i]);
    return RM2_OK;
}

static rm2_status refine(rm2_context *ctx, build *b, rm2i_profile *p) {
    double error = INFINITY, before;
    for (p->panels = FIRST_PANELS; p->panels <= MOST_PANELS; p->panels *= 2) {
        before = error;
        RM2_TRY(fill(ctx, b, p, &error));
        if (error <= GOAL || (error <= ACCEPT && error > before / 4))
            return RM2_OK;
    }
    return rm2i_fail(ctx, RM2_ERR_NUMERIC, "table of a kernel does not converge (error %.1e)",
                     error);
}

rm2_status rm2i_profile_create(rm2_context *ctx, rm2i_radial_fn f, const void *data, double scale,
                               double r_max, rm2i_profile **profile) {
    build b = {.f = f, .data = data};
    for (size_t k = 0; k < NODES; k++)
        for (size_t j = 0; j < NODES; j++)
            b.cosines[k * NODES + j] = cos(RM2_PI * (double)k * ((double)j + 0.5) / NODES);
    *profile = NULL;
    rm2i_profile *p;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *p, &p));
    b.profile = p;
    p->end = find_end(f, data, fmin(scale, r_max), r_max, &p->vanishes);
    rm2_status status = refine(ctx, &b, p);
    free(b.errors);
    if (status != RM2_OK) {
        rm2i_profile_free(p);
        return status;
    }
    *profile = p;
    return RM2_OK;
}

void rm2i_profile_free(rm2i_profile *profile) {
    if (profile)
        free(profile->c);
    free(profile);
}

double rm2i_profile_at(const rm2i_profile *p, double r) {
    if (!(r > 0))
        return 1;
    if (r >= p->end) {
        if (p->vanishes)
            return 0;
        r = p->end;
    }
    double x = r * p->per_panel;
    size_t panel = (size_t)x;
    panel = panel < p->panels ? panel : p->panels - 1;
    double value = clenshaw(p->c + panel * NODES, 2 * (x - (double)panel) - 1);
    return value < RM2I_TINY ? 0 : fmin(value, 1);
}
