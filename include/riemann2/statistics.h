/* Statistics of labelled points on a manifold: means of groups, tests for differences between
 * groups, and prediction of labels, on the manifold and in latent spaces that are learned for the
 * prediction. Points are rows of ambient coordinates that lie on the manifold
 * (rm2_manifold_project_within). */
#ifndef RIEMANN2_STATISTICS_H
#define RIEMANN2_STATISTICS_H

#include "riemann2/base.h"
#include "riemann2/manifold.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points with one label each; everything is borrowed. */
typedef struct rm2_labelled {
    size_t size; /* sizeof(rm2_labelled), set by the caller */
    const rm2_manifold *manifold;
    size_t n;
    const double *points; /* n x ambient */
    const size_t *labels; /* n: 0, ..., label_count - 1 */
    size_t label_count;
    /* n: points with equal numbers belong to one subject; NULL: each point is a subject of its
     * own. */
    const size_t *subjects;
} rm2_labelled;

/* ---- means of groups ------------------------------------------------------------------------ */

/* Points of one label. */
typedef struct rm2_group {
    size_t size; /* sizeof(rm2_group), set by the caller; of several groups, in the first */
    size_t points, subjects;
    bool converged;  /* convergence of the mean, as in rm2_mean_info */
    double variance; /* mean squared distance from the mean */
} rm2_group;

/* Compute the Fréchet mean of the points of each label.
 *
 * @param ctx  context
 * @param data  the points
 * @param settings  NULL: the defaults
 * @param means  result: label_count x ambient; NaN for a label without points
 * @param groups  result: one per label
 */
RM2_API rm2_status rm2_group_means(rm2_context *ctx, const rm2_labelled *data,
                                   const rm2_mean_settings *settings, double *means,
                                   rm2_group *groups);

/* ---- tests between groups ------------------------------------------------------------------- */

/* Statistics of the difference between two groups. */
typedef enum rm2_test_statistic {
    RM2_TEST_MEANS, /* distance between the Fréchet means of the two groups */
    /* |a - b|, where a and b are the means of the groups' logarithms at the Fréchet mean of all
     * their points: equal to RM2_TEST_MEANS in flat space, otherwise an approximation of it, and
     * hundreds of times faster. */
    RM2_TEST_TANGENT
} rm2_test_statistic;

/* Defaults and ranges are in the table (RM2_SETTINGS_TEST) and in docs/settings.md. */
typedef struct rm2_test_settings {
    size_t size; /* as rm2_test_settings_default sets it */
    rm2_test_statistic statistic;
    size_t permutations; /* random permutations; fewer if fewer different ones exist */
    uint64_t seed;
} rm2_test_settings;

static inline rm2_test_settings rm2_test_settings_default(void) {
    rm2_test_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_TEST), 0, &settings);
    return settings;
}

typedef struct rm2_test_result {
    size_t size;         /* sizeof(rm2_test_result), set by the caller */
    double statistic;    /* for the original labels */
    double p_value;      /* (1 + as_large)/(1 + permutations) */
    size_t permutations; /* number of permutations, without the original labels */
    size_t as_large;     /* number of permutations whose statistic is not below the original one */
    bool exact;          /* all permutations were used: the result is not random */
    bool converged;      /* all means converged; false: the result is not reliable */
} rm2_test_result;

/* Permutation test of the hypothesis that the points of two labels come from the same distribution,
 * as far as the statistic can distinguish them. Under the hypothesis, labels are exchangeable
 * between subjects: subjects whose points all have one label exchange it with each other, with all
 * their points; a subject with points of both labels may have these exchanged. The result does not
 * depend on the number of threads.
 *
 * @param ctx  context
 * @param data  the points
 * @param first  one label
 * @param second  the other label
 * @param settings  NULL: the defaults
 * @param values  result: settings.permutations statistics of the permutations, or NULL
 * @param result  result of the test
 */
RM2_API rm2_status rm2_group_test(rm2_context *ctx, const rm2_labelled *data, size_t first,
                                  size_t second, const rm2_test_settings *settings, double *values,
                                  rm2_test_result *result);

/* Adjust the p values of `count` tests that are made together (Holm, Scandinavian Journal of
 * Statistics 6, 1979): the probability that any true hypothesis is rejected stays below the level.
 * `adjusted` may be `p`. */
RM2_API rm2_status rm2_adjust_p_values(rm2_context *ctx, size_t count, const double *p,
                                       double *adjusted);

/* ---- prediction of labels ------------------------------------------------------------------- */

/* Methods of predicting labels. */
typedef enum rm2_classifier {
    RM2_CLASSIFY_MEAN,       /* label of the nearest Fréchet mean */
    RM2_CLASSIFY_NEIGHBOURS, /* k nearest points, by distances on the manifold */
    RM2_CLASSIFY_TANGENT,    /* logistic regression on coordinates at the Fréchet mean */
    /* k nearest latents, by shortest paths over a network of neighbouring latents in the metric of
     * the model, an approximation of geodesic distances. */
    RM2_CLASSIFY_LATENT_NETWORK,
    RM2_CLASSIFY_LATENT_GEODESIC,  /* k nearest latents, by geodesic distances */
    RM2_CLASSIFY_LATENT_EUCLIDEAN, /* k nearest latents, by differences of coordinates */
    RM2_CLASSIFY_LATENT_LOGISTIC,  /* logistic regression on latents */
    RM2_CLASSIFIERS                /* number of methods */
} rm2_classifier;

/* Name of a method, such as "latent-network"; "unknown" for other values. */
RM2_API const char *rm2_classifier_text(rm2_classifier classifier);

/* Defaults and ranges are in the table (RM2_SETTINGS_CLASSIFY) and in docs/settings.md. */
typedef struct rm2_classify_settings {
    size_t size; /* as rm2_classify_settings_default sets it */
    size_t folds, repeats;
    size_t neighbours; /* k */
    /* Ridge of the regressions; 0: the one with the smallest loss on points held out of the
     * training points. */
    double ridge;
    size_t latent_dim; /* Q of the models */
    uint64_t seed;
} rm2_classify_settings;

static inline rm2_classify_settings rm2_classify_settings_default(void) {
    rm2_classify_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_CLASSIFY), 0, &settings);
    return settings;
}

/* Predict the label of every point from other points, by several methods on the same splits. A
 * split divides the subjects into folds, each with about the same share of every label; each fold
 * is predicted by a fit to the others. Everything that is fitted (means, coordinates, models with
 * their latents, ridge, weights) sees the points of the other folds alone. A label needs as many
 * subjects as folds.
 *
 * @param ctx  context
 * @param data  the points
 * @param settings  NULL: the defaults
 * @param count  number of methods
 * @param methods  count methods
 * @param right  result: count x n, part of the repeats in which a point's label was predicted
 * @param unconverged  result: number of fits (means, models, regressions), geodesics and encoded
 *     points that did not converge; or NULL
 */
RM2_API rm2_status rm2_classify(rm2_context *ctx, const rm2_labelled *data,
                                const rm2_classify_settings *settings, size_t count,
                                const rm2_classifier *methods, double *right, size_t *unconverged);

typedef struct rm2_accuracy {
    size_t size;                     /* sizeof(rm2_accuracy), set by the caller */
    double accuracy, error;          /* mean of `right`, and its standard error */
    double balanced, balanced_error; /* mean of the accuracies of the labels */
    double chance;                   /* accuracy if the most frequent label is always predicted */
    double chance_balanced;          /* balanced accuracy of such a prediction: 1/labels */
} rm2_accuracy;

/* Compute accuracies from the predictions of one method. Standard errors are over subjects: they
 * hold for a new sample of subjects, and do not shrink with the number of repeats.
 *
 * @param ctx  context
 * @param data  the points
 * @param right  n: result of rm2_classify for one method
 * @param accuracy  result: accuracy of all points
 * @param each  result: label_count, accuracies of the labels (NaN for a label without points); or
 *     NULL
 * @param each_error  result: label_count, their standard errors; or NULL
 */
RM2_API rm2_status rm2_labelled_accuracy(rm2_context *ctx, const rm2_labelled *data,
                                         const double *right, rm2_accuracy *accuracy, double *each,
                                         double *each_error);

#ifdef __cplusplus
}
#endif
#endif
