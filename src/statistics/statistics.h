/* Inside the statistics layer: checks of labelled points, subjects as numbers from 0, lists of points. */
#ifndef RM2I_STATISTICS_H
#define RM2I_STATISTICS_H

#include "front/base.h"
#include "riemann2/statistics.h"

/* ---- logistic regression -------------------------------------------------------------------- */

/* Multinomial: log p(label k | x) = w_k.x + b_k - log sum_j exp(w_j.x + b_j). The fit minimises
 *   - sum_i log p(label_i | x_i) + (ridge/2) sum_k |w_k|^2,
 * intercepts b without a penalty. Work is O(n min(n, width)) per iteration. */
typedef struct rm2i_features {
    size_t n, width;
    const double *x;      /* n x width */
    const size_t *labels; /* n: 0, ..., label_count - 1 */
    size_t label_count;
} rm2i_features;

typedef struct rm2i_logistic_info {
    double objective; /* what is minimised */
    size_t iterations;
    bool converged;
} rm2i_logistic_info;

/* weights: label_count x (width + 1), the intercept last; each column sums to 0 over the labels. `info` may be NULL. */
rm2_status rm2i_logistic_fit(rm2_context *ctx, const rm2i_features *data, double ridge,
                             double *weights, rm2i_logistic_info *info);
/* Probabilities of the labels at n points: n x label_count. */
rm2_status rm2i_logistic_probabilities(rm2_context *ctx, size_t n, size_t width, const double *x,
                                       size_t label_count, const double *weights,
                                       double *probabilities);

/* Are there points, and is each label one of label_count? */
rm2_status rm2i_labelled_check(rm2_context *ctx, const rm2_labelled *data);

/* Subjects of n points numbered 0, 1, ... in the order of their first points: number (n); *count of them. `given` NULL:
 * each point is one. */
rm2_status rm2i_number_subjects(rm2_context *ctx, size_t n, const size_t *given, size_t *number,
                                size_t *count);

/* Copy `count` points, those of `index`, one after the other. */
void rm2i_gather(size_t width, size_t count, const size_t *index, const double *points,
                 double *out);

/* A generator for one of many independent draws of a seed. */
rm2_rng rm2i_stream(uint64_t seed, size_t number);
/* One of 0, ..., count - 1. */
size_t rm2i_draw(rm2_rng *rng, size_t count);

/* Fold of each subject (subjects: 0, ..., folds - 1) at random, so that folds have about the same share of every label. */
rm2_status rm2i_split(rm2_context *ctx, const rm2_labelled *data, size_t folds, rm2_rng *rng,
                      size_t *fold_of_point);

/* The label that most of the k nearest of n points have, of equally many the one with the nearest point. `order` (n)
 * and `votes` (label_count) are scratch. */
size_t rm2i_vote(size_t n, const double *distance, const size_t *labels, size_t k, size_t *order,
                 size_t *votes, size_t label_count);

/* Logistic regression with `ridge`, or where that is 0 with the one of a few that predicts points of each other's folds
 * best; then labels of m other points. `subjects` of the training points (NULL: each its own) stay together. */
typedef struct rm2i_regression {
    rm2i_features train;
    const size_t *subjects;
    double ridge;
    uint64_t seed;
    size_t m;
    const double *x; /* m x width */
} rm2i_regression;
rm2_status rm2i_regress(rm2_context *ctx, const rm2i_regression *r, size_t *predicted,
                        size_t *unconverged);

#endif
