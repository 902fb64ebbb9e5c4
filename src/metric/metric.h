/* A metric inside the library: a table of functions and what they work on. */
#ifndef RM2I_METRIC_H
#define RM2I_METRIC_H

#include "riemann2/metric.h"

typedef enum rm2i_metric_order {
    RM2I_ORDER_VALUE,
    RM2I_ORDER_DERIVATIVE,
    RM2I_ORDER_BEND
} rm2i_metric_order;

/* What is asked for at several points; dG, v and bend may be NULL. */
typedef struct rm2i_metric_request {
    const double *x; /* n x Q */
    double *G, *dG;  /* n x Q x Q, n x Q x Q x Q */
    const double *v; /* n x Q: a direction at each point */
    double *bend;    /* n x Q x Q: v^T d_r d_s G v; with dG */
} rm2i_metric_request;

static inline rm2i_metric_order rm2i_metric_order_of(const rm2i_metric_request *r) {
    return r->bend ? RM2I_ORDER_BEND : r->dG ? RM2I_ORDER_DERIVATIVE : RM2I_ORDER_VALUE;
}

typedef struct rm2i_metric_type {
    /* Doubles of scratch for `count` points at once; with derivatives of G, or also a bend. */
    size_t (*work)(const void *self, size_t count, rm2i_metric_order order);
    /* The request at `count` points, on the calling thread. */
    rm2_status (*at)(const void *self, size_t count, const rm2i_metric_request *request,
                     double *work);
    /* Optional: may a bend be asked for? NULL: no. */
    bool (*can_bend)(const void *self);
    /* Optional: a distance in coordinates below which the metric barely changes. NULL or 0: unknown. */
    double (*scale)(const void *self);
    void (*free)(void *self);
    size_t block; /* points that are best done at once: blocks run on different threads */
} rm2i_metric_type;

struct rm2_metric {
    const rm2i_metric_type *type;
    size_t Q;
    void *self;
    char *text;
};

/* Takes over `self`, also when it fails. */
rm2_status rm2i_metric_create(rm2_context *ctx, const rm2i_metric_type *type, size_t Q, void *self,
                              const char *text, rm2_metric **metric);

/* RM2_ERR_DATA with a message if a coordinate of n points is not finite. */
rm2_status rm2i_metric_check_points(rm2_context *ctx, size_t Q, size_t n, const double *x);

/* What loops that evaluate often bring along. On one thread none is started. */
typedef struct rm2i_metric_room {
    int threads;
    double *work;     /* scratch: rm2i_metric_work */
    rm2_context *ctx; /* whose interrupt ends an evaluation; NULL: nobody's */
} rm2i_metric_room;

/* Doubles of scratch for up to n points on `threads` threads. */
size_t rm2i_metric_work(const rm2_metric *metric, size_t n, int threads, rm2i_metric_order order);
/* A failure, RM2_INTERRUPTED as well, has no message. */
rm2_status rm2i_metric_at(const rm2_metric *metric, size_t n, const double *x, double *G,
                          double *dG, const rm2i_metric_room *room);
/* As rm2_metric_at, the points being the parts of the activity that is under way. */
rm2_status rm2i_metric_at_counted(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                  const double *x, double *G);

/* 0: unknown. */
double rm2i_metric_scale(const rm2_metric *metric);

/* The same with the bend, for metrics that have one. */
bool rm2i_metric_can_bend(const rm2_metric *metric);
rm2_status rm2i_metric_bend_at(const rm2_metric *metric, size_t n,
                               const rm2i_metric_request *request, const rm2i_metric_room *room);

/* G = factor I and, unless NULL, dG from the factor's derivative (Q). */
void rm2i_metric_isotropic(size_t Q, double factor, const double *derivative, double *G,
                           double *dG);

/* Where G is taken on a side of a polygon, as parts of it, and with which weight. */
enum { RM2I_SIDE_NODES = 3 };
extern const double rm2i_side_node[RM2I_SIDE_NODES], rm2i_side_weight[RM2I_SIDE_NODES];

/* v^T G w for Q x Q matrices. */
static inline double rm2i_metric_inner(size_t Q, const double *G, const double *v,
                                       const double *w) {
    double sum = 0;
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++)
            sum += v[r] * G[r * Q + s] * w[s];
    return sum;
}

/* ---- lengths --------------------------------------------------------------------------------- */

/* Length of the polygon c through n points and energy, the integral of c'^T G c' over time 0..1 with
 * all sides taking equally long: each side with G at three Gauss-Legendre points. Either may be
 * NULL. RM2_ERR_NUMERIC if they overflow. */
rm2_status rm2i_metric_measure(rm2_context *ctx, const rm2_metric *metric, size_t n,
                               const double *path, double *length, double *energy);

/* ---- metrics of a model ---------------------------------------------------------------------- */

/* The cost of discouraged places (rm2_discouraged), an rm2_cost_fn. */
rm2_status rm2i_discouraged_cost(const void *discouraged, const double *y, double *value,
                                 double *gradient);

typedef struct rm2i_pullback_settings {
    size_t size;     /* as rm2i_pullback_settings_default sets it */
    double contrast; /* metric far from the data over metric on the data; 0: weight 1 */
    double weight;   /* of the covariance term, instead of a contrast; 0: from the contrast */
    rm2_cost cost;
    double support; /* evaluate through some of the training points only, chosen so that they leave
                       this much of the latent kernel's trace unexplained, relative to its variance:
                       1e-7 is good for finding paths; 0: exact. Kronecker noise only */
} rm2i_pullback_settings;

/* Contrast 100, no cost; one that is put in concerns all factors. */
static inline rm2i_pullback_settings rm2i_pullback_settings_default(void) {
    rm2i_pullback_settings settings = {0};
    settings.size = sizeof settings;
    settings.contrast = 100;
    settings.cost.factor = RM2_ALL_FACTORS;
    return settings;
}

/* The expected pullback metric E[J^T Gc J] = J^T Gc J + w sum_m (p_m^T Gc p_m) R_m of a model, which
 * must live as long as the metric; what `cost` points to as well. w = 1 is the expectation; a
 * contrast gives w = max(1, contrast a/b), a = median over the latents of tr(J^T Gc J), b that of
 * the covariance term far from the data. Models whose kernel has a linear part take no contrast: w = 1 unless
 * a weight is given. */
rm2_status rm2i_metric_pullback(rm2_context *ctx, const rm2_model *model,
                                const rm2i_pullback_settings *settings, rm2_metric **metric);
/* Expected length (no cost) of the polygon through n points: the mean over `samples` random
 * Jacobians, from the context's generator, at each of the points where rm2i_metric_measure takes G,
 * and its standard error. Not above the length under the expected metric, w = 1 (Jensen). */
rm2_status rm2i_metric_expected_length(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                       const double *path, size_t samples, double *length,
                                       double *standard_error);

/* The density metric: G = lambda I, lambda = p^(-2/Q), p the kernel density of `n` points (n x Q)
 * with width `sigma`. Where p underflows it is held at a floor: lambda stays finite. */
rm2_status rm2i_metric_density(rm2_context *ctx, size_t n, size_t Q, const double *points,
                               double sigma, rm2_metric **metric);

#endif
