/* Metrics in closed form, and those of the caller: one point at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "metric/metric.h"

typedef struct pointwise {
    size_t Q;
    rm2_metric_fn at;
    const void *user;
} pointwise;

static size_t no_work(const void *self, size_t count, rm2i_metric_order order) {
    (void)self, (void)count, (void)order;
    return 0;
}

static rm2_status at_points(const void *self, size_t count, const rm2i_metric_request *r,
                            double *work) {
    const pointwise *p = self;
    size_t Q = p->Q;
    (void)work;
    for (size_t i = 0; i < count; i++)
        RM2_TRY(
            p->at(p->user, r->x + i * Q, r->G + i * Q * Q, r->dG ? r->dG + i * Q * Q * Q : NULL));
    return RM2_OK;
}

static const rm2i_metric_type pointwise_type = {
    .work = no_work, .at = at_points, .free = free, .block = 64};

rm2_status rm2_metric_from_function(rm2_context *ctx, size_t Q, rm2_metric_fn at, const void *user,
                                    const char *text, rm2_metric **metric) {
    RM2_REQUIRE(ctx, metric);
    *metric = NULL;
    RM2_REQUIRE(ctx, at, text);
    pointwise *p;
    if (Q == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a metric needs at least 1 dimension");
    RM2_TRY(rm2i_alloc(ctx, 1, sizeof *p, &p));
    *p = (pointwise){Q, at, user};
    return rm2i_metric_create(ctx, &pointwise_type, Q, p, text, metric);
}

/* ---- closed forms --------------------------------------------------------------------------- */

void rm2i_metric_isotropic(size_t Q, double factor, const double *derivative, double *G,
                           double *dG) {
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++)
            G[r * Q + s] = r == s ? factor : 0;
    for (size_t t = 0; dG && t < Q; t++)
        for (size_t r = 0; r < Q; r++)
            for (size_t s = 0; s < Q; s++)
                dG[(t * Q + r) * Q + s] = r == s ? derivative[t] : 0;
}

static rm2_status euclidean(const void *user, const double *x, double *G, double *dG) {
    size_t Q = *(const size_t *)user;
    (void)x;
    rm2i_metric_isotropic(Q, 1, NULL, G, NULL);
    if (dG)
        memset(dG, 0, Q * Q * Q * sizeof *dG);
    return RM2_OK;
}

static rm2_status sphere_latlon(const void *user, const double *x, double *G, double *dG) {
    (void)user;
    double c = cos(x[0]), s = sin(x[0]);
    memcpy(G, (double[4]){1, 0, 0, c * c}, 4 * sizeof *G);
    if (dG) /* d cos^2 = -2 sin cos, by latitude only */
        memcpy(dG, (double[8]){0, 0, 0, -2 * s * c, 0, 0, 0, 0}, 8 * sizeof *dG);
    return RM2_OK;
}

static rm2_status half_plane(const void *user, const double *x, double *G, double *dG) {
    (void)user;
    if (!(x[1] > 0))
        return RM2_ERR_DOMAIN;
    double y = x[1];
    rm2i_metric_isotropic(2, 1 / (y * y), (double[2]){0, -2 / (y * y * y)}, G, dG);
    return RM2_OK;
}

/* z = 2 e, e = exp(-|x|^2/2): grad z = -2 e x, so that G = I + 4 e^2 x x^T. */
static rm2_status bump(const void *user, const double *x, double *G, double *dG) {
    size_t Q = *(const size_t *)user;
    double square = 0;
    for (size_t q = 0; q < Q; q++)
        square += x[q] * x[q];
    double a = 4 * exp(-square);
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++)
            G[r * Q + s] = (r == s) + a * x[r] * x[s];
    for (size_t t = 0; dG && t < Q; t++) /* da/dx_t = -2 a x_t */
        for (size_t r = 0; r < Q; r++)
            for (size_t s = 0; s < Q; s++)
                dG[(t * Q + r) * Q + s] =
                    a * (-2 * x[t] * x[r] * x[s] + (r == t ? x[s] : 0) + (s == t ? x[r] : 0));
    return RM2_OK;
}

typedef struct closed_form {
    const char *name;
    rm2_metric_fn at;
    size_t Q; /* 0: any */
} closed_form;

static const closed_form closed_forms[] = {
    {"euclidean", euclidean, 0},
    {"sphere_latlon", sphere_latlon, 2},
    {"half_plane", half_plane, 2},
    {"bump", bump, 0},
};

rm2_status rm2_metric_analytic(rm2_context *ctx, const char *name, size_t Q, rm2_metric **metric) {
    RM2_REQUIRE(ctx, metric);
    *metric = NULL;
    RM2_REQUIRE(ctx, name);
    for (size_t i = 0; i < sizeof closed_forms / sizeof *closed_forms; i++) {
        const closed_form *form = &closed_forms[i];
        if (strcmp(form->name, name) != 0)
            continue;
        if (Q == 0 || (form->Q && form->Q != Q))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "metric %s does not exist in %zu dimensions%s",
                             name, Q, form->Q ? ": it has 2" : "");
        pointwise *p;
        RM2_TRY(rm2i_alloc(ctx, 1, sizeof *p, &p));
        *p = (pointwise){Q, form->at, &p->Q}; /* forms for any Q find it there */
        return rm2i_metric_create(ctx, &pointwise_type, Q, p, name, metric);
    }
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                     "unknown metric %s; known: euclidean, sphere_latlon, half_plane, bump", name);
}
