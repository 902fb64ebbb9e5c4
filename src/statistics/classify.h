/* One fold: what its points are predicted from. */
#ifndef RM2I_CLASSIFY_H
#define RM2I_CLASSIFY_H

#include "riemann2/model.h"
#include "statistics/statistics.h"

typedef struct rm2i_fold {
    const rm2_labelled *data;
    const rm2_classify_settings *settings;
    const double *distance; /* n x n on the manifold; NULL: no method needs them */
    uint64_t seed;          /* of the divisions of the training points */
    size_t train, held;     /* points */
    size_t *train_index, *held_index;
    size_t *labels, *subjects; /* of the training points */
    size_t *predicted;         /* of the points held out */
    size_t *order, *votes;     /* scratch of votes: n, label_count */
    double *row;               /* n: distances of one point from the training points */
    double *train_points, *held_points;
    double *means;            /* label_count x ambient */
    double *train_x, *held_x; /* n x dim: features */
    rm2_group *groups;        /* label_count */
    rm2_model *model;         /* of the training points; NULL: no method needs it */
    double *held_latents;     /* n x Q */
    size_t unconverged;
} rm2i_fold;

/* Train the model, encode the points held out. */
rm2_status rm2i_fold_model(rm2_context *ctx, rm2i_fold *f);

/* Labels of the points held out, to f->predicted. */
typedef rm2_status (*rm2i_predict_fn)(rm2_context *ctx, rm2i_fold *f);
rm2_status rm2i_predict_mean(rm2_context *ctx, rm2i_fold *f);
rm2_status rm2i_predict_neighbours(rm2_context *ctx, rm2i_fold *f);
rm2_status rm2i_predict_tangent(rm2_context *ctx, rm2i_fold *f);
rm2_status rm2i_predict_latent_network(rm2_context *ctx, rm2i_fold *f);
rm2_status rm2i_predict_latent_geodesic(rm2_context *ctx, rm2i_fold *f);
rm2_status rm2i_predict_latent_euclidean(rm2_context *ctx, rm2i_fold *f);
rm2_status rm2i_predict_latent_logistic(rm2_context *ctx, rm2i_fold *f);

#endif
