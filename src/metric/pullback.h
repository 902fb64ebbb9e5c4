/* The expected pullback metric of a posterior; rm2_metric_pullback makes one from a model. */
#ifndef RM2I_PULLBACK_H
#define RM2I_PULLBACK_H

#include "manifold/manifold.h"
#include "metric/metric.h"
#include "model/model.h"
#include "model/moments.h"

typedef struct rm2i_pullback_field {
    const rm2i_posterior *posterior;
    const rm2_manifold *manifold; /* NULL: the outputs are Euclidean */
    const double *mean;           /* M: centre of the outputs */
    double weight;                /* of the covariance term */
    rm2_cost cost;
    const rm2_model *model; /* for the cost: frame and scale; may be NULL without */
    double *Pt;             /* M x M: row m is p_m */
    double *Pt_cost;        /* the same within the factor of the cost; NULL: all */
    size_t from, to;        /* coordinates of that factor */
} rm2i_pullback_field;

/* Takes everything but Pt, Pt_cost, from and to from `like`; what it points to must live on. */
rm2_status rm2i_pullback_create(rm2_context *ctx, const rm2i_pullback_field *like, const char *text,
                                rm2_metric **metric);

/* The field of a pullback metric; RM2_ERR_UNSUPPORTED with a message for other metrics. */
rm2_status rm2i_pullback_of(rm2_context *ctx, const rm2_metric *metric,
                            const rm2i_pullback_field **field);

/* Gc = dExp^T g dExp at the outputs c, applied to `count` vectors (no cost). */
rm2_status rm2i_pullback_ambient(const rm2i_pullback_field *f, const double *c, size_t count,
                                 const double *W, double *out, double *work);

#endif
