/* The expected pullback metric of a posterior; rm2i_metric_pullback makes one from a model. */
#ifndef RM2I_PULLBACK_H
#define RM2I_PULLBACK_H

#include "gp/moments.h"
#include "manifold/jet.h"
#include "metric/metric.h"
#include "model/model.h"

/* Some of the coordinates of the outputs: all, or those of one factor. */
typedef struct rm2i_output_part {
    size_t from, to;
    double *Pt;          /* M x M: row m is p_m, zero outside from..to */
    rm2i_traces *traces; /* of the manifold; NULL where the outputs are Euclidean */
} rm2i_output_part;

typedef struct rm2i_pullback_field {
    const rm2i_posterior *posterior;
    rm2i_posterior *reduced;      /* the same, if it is the field's own; freed with it */
    const rm2_manifold *manifold; /* NULL: the outputs are Euclidean */
    const double *mean;           /* M: centre of the outputs */
    double weight;                /* of the covariance term */
    rm2_cost cost;
    const rm2_model *model; /* for the cost: frame and scale; may be NULL without */
    rm2i_output_part all;
    rm2i_output_part costly; /* what the cost multiplies, unless that is all; only then has it Pt */
    double *memory;
} rm2i_pullback_field;

/* A copy of `like` with its own arrays Pt; what else it points to must live on. Takes over
 * like->reduced, also when it fails. */
rm2_status rm2i_pullback_field_create(rm2_context *ctx, const rm2i_pullback_field *like,
                                      rm2i_pullback_field **field);
void rm2i_pullback_field_free(rm2i_pullback_field *field);

/* Takes over the field, also when it fails. */
rm2_status rm2i_pullback_create(rm2_context *ctx, rm2i_pullback_field *field, const char *text,
                                rm2_metric **metric);

/* The field of a pullback metric; RM2_ERR_UNSUPPORTED with a message for other metrics. */
rm2_status rm2i_pullback_of(rm2_context *ctx, const rm2_metric *metric,
                            const rm2i_pullback_field **field);

/* Gc = dExp^T g dExp at the outputs c, applied to `count` vectors (no cost). */
rm2_status rm2i_pullback_ambient(const rm2i_pullback_field *f, const double *c, size_t count,
                                 const double *W, double *out, double *work);

/* Gc with its derivatives at several outputs, of a part of the coordinates; with traces where noise is
 * Kronecker noise. The query's stride and the choice of traces are set here. */
rm2_status rm2i_pullback_jets(const rm2i_pullback_field *f, const rm2i_output_part *part,
                              rm2i_jet_query query, double *work);
size_t rm2i_pullback_jets_work(const rm2i_pullback_field *f, size_t points, size_t count,
                               size_t directions);
/* K weights of the R_m (moments.h) at point i of such a query, and their derivatives (directions x K):
 * its traces, or squared norms p_m^T Gc p_m. */
rm2_status rm2i_pullback_weights(const rm2i_pullback_field *f, const rm2i_output_part *part,
                                 const rm2i_jet_query *query, size_t i, double *w, double *dw,
                                 double *work);
size_t rm2i_pullback_weights_work(const rm2i_pullback_field *f, size_t directions);

/* ---- second derivatives (pullback_bend.c) --------------------------------------------------- */

/* Points `first` and following of the moments. */
typedef struct rm2i_bend_points {
    const rm2i_moments *moments;
    size_t first, count;
    const double *c;  /* count x M: mean outputs, centre included */
    const double *v;  /* count x Q */
    const double *dG; /* count x Q x Q x Q */
} rm2i_bend_points;

/* v^T d_t d_s G v there (count x Q x Q); no cost. work: rm2i_pullback_bend_work. */
size_t rm2i_pullback_bend_work(const rm2i_pullback_field *f, size_t count);
rm2_status rm2i_pullback_bend(const rm2i_pullback_field *f, const rm2i_bend_points *at,
                              double *bend, double *work);

/* Scratch of the geometries of the outputs. */
size_t rm2i_pullback_manifold_work(const rm2i_pullback_field *f);

#endif
