/* Statistics of labelled points on a manifold: means of groups, tests whether groups differ, and how well labels can be
 * predicted, on the manifold and in latent spaces that are learned on the way. Points are rows of ambient coordinates that lie on the manifold (rm2_manifold_project_within). */
#ifndef RIEMANN2_STATISTICS_H
#define RIEMANN2_STATISTICS_H

#include "riemann2/base.h"
#include "riemann2/manifold.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points with one label each; all is borrowed. */
typedef struct rm2_labelled {
    size_t size; /* sizeof(rm2_labelled), set by the caller */
    const rm2_manifold *manifold;
    size_t n;
    const double *points; /* n x ambient */
    const size_t *labels; /* n: 0, ..., label_count - 1 */
    size_t label_count;
    const size_t
        *subjects; /* n: points with equal numbers are of one subject; NULL: each of its own */
} rm2_labelled;

/* ---- means of groups ------------------------------------------------------------------------ */

/* The points of one label. */
typedef struct rm2_group {
    size_t size; /* sizeof(rm2_group), set by the caller; of several, in the first */
    size_t points, subjects;
    bool converged;  /* the mean, as in rm2_mean_info */
    double variance; /* mean squared distance from it */
} rm2_group;

/* Fréchet mean of the points of each label: means (label_count x ambient), groups (label_count). A label without points
 * gets a mean of NaN. `settings` may be NULL. */
RM2_API rm2_status rm2_group_means(rm2_context *ctx, const rm2_labelled *data,
                                   const rm2_mean_settings *settings, double *means,
                                   rm2_group *groups);

/* ---- tests between groups ------------------------------------------------------------------- */

typedef enum rm2_test_statistic {
    RM2_TEST_MEANS, /* distance between the Fréchet means of the two groups */
    RM2_TEST_TANGENT /* |a - b|, with a and b the means of the groups' logarithms at the Fréchet mean of both together:
                        equal to the former in flat space, an approximation of it else, and hundreds of times faster */
} rm2_test_statistic;

/* Defaults and ranges are in the table (RM2_SETTINGS_TEST) and in docs/settings.md. */
typedef struct rm2_test_settings {
    size_t size; /* as rm2_test_settings_default sets it */
    rm2_test_statistic statistic;
    size_t permutations; /* drawn at random; fewer where there are not more */
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
    double statistic;    /* of the labels as they are */
    double p_value;      /* (1 + as_large)/(1 + permutations) */
    size_t permutations; /* of the labels, the one as they are not counted */
    size_t as_large;     /* of them with a statistic not below that of the labels as they are */
    bool exact;          /* they are all that there are: no chance */
    bool converged;      /* all means; false: the result is not reliable */
} rm2_test_result;

/* Permutation test: do the points of two labels come from the same distribution, as far as the statistic sees? Under
 * that hypothesis labels are exchangeable between subjects: those whose points all have one label exchange it among each
 * other, with all their points; a subject with points of both labels may have these exchanged. `values` (settings.permutations,
 * may be NULL) are the statistics of the permutations. The result does not depend on the number of threads. */
RM2_API rm2_status rm2_group_test(rm2_context *ctx, const rm2_labelled *data, size_t first,
                                  size_t second, const rm2_test_settings *settings, double *values,
                                  rm2_test_result *result);

/* Adjust p values of `count` tests made together (Holm, Scandinavian Journal of Statistics 6, 1979): the
 * probability that any true hypothesis is rejected stays below the level. `adjusted` may be `p`. */
RM2_API rm2_status rm2_adjust_p_values(rm2_context *ctx, size_t count, const double *p,
                                       double *adjusted);

/* ---- prediction of labels ------------------------------------------------------------------- */

typedef enum rm2_classifier {
    RM2_CLASSIFY_MEAN,       /* label of the nearest Fréchet mean */
    RM2_CLASSIFY_NEIGHBOURS, /* k nearest points, distances of the manifold */
    RM2_CLASSIFY_TANGENT,    /* logistic regression of coordinates at the Fréchet mean */
    RM2_CLASSIFY_LATENT_NETWORK, /* k nearest latents: shortest paths over a network of neighbouring latents in the
                                      metric of the model, an approximation of geodesic distances */
    RM2_CLASSIFY_LATENT_GEODESIC,  /* k nearest latents by geodesic distances */
    RM2_CLASSIFY_LATENT_EUCLIDEAN, /* k nearest latents by differences of coordinates */
    RM2_CLASSIFY_LATENT_LOGISTIC,  /* logistic regression of latents */
    RM2_CLASSIFIERS                /* number of them */
} rm2_classifier;

/* "latent-network"; "unknown" for other values. */
RM2_API const char *rm2_classifier_text(rm2_classifier classifier);

/* Defaults and ranges are in the table (RM2_SETTINGS_CLASSIFY) and in docs/settings.md. */
typedef struct rm2_classify_settings {
    size_t size; /* as rm2_classify_settings_default sets it */
    size_t folds, repeats;
    size_t neighbours; /* k */
    double ridge; /* 0: the one with the least loss of points held out of the training points */
    size_t latent_dim; /* Q of the models */
    uint64_t seed;
} rm2_classify_settings;

static inline rm2_classify_settings rm2_classify_settings_default(void) {
    rm2_classify_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_CLASSIFY), 0, &settings);
    return settings;
}

/* Predict the label of every point from others, by `count` methods on the same splits. A split divides the subjects into
 * folds, each with about the same share of every label; each fold is predicted by what was fitted to the others. All that is
 * fitted (means, coordinates, models with their latents, ridge, weights) sees the points of the other folds alone. `right`
 * (count x n): part of the repeats in which a point's label was predicted. *unconverged (may be NULL) counts fits of means,
 * models, regressions and geodesics, and encoded points, that did not converge. A label needs as many subjects as there are folds. */
RM2_API rm2_status rm2_classify(rm2_context *ctx, const rm2_labelled *data,
                                const rm2_classify_settings *settings, size_t count,
                                const rm2_classifier *methods, double *right, size_t *unconverged);

typedef struct rm2_accuracy {
    size_t size;                     /* sizeof(rm2_accuracy), set by the caller */
    double accuracy, error;          /* mean of `right`, and its standard error */
    double balanced, balanced_error; /* mean over the labels of their accuracies */
    double chance; /* accuracy of always the most frequent label; balanced: 1/labels */
    double chance_balanced;
} rm2_accuracy;

/* Accuracies from one method's `right` (n), and of each label (label_count: `each`, `each_error`, may be NULL; NaN for a label
 * without points). Standard errors are over subjects: they are those of a new sample of subjects, and do not shrink with
 * the number of repeats. */
RM2_API rm2_status rm2_labelled_accuracy(rm2_context *ctx, const rm2_labelled *data,
                                         const double *right, rm2_accuracy *accuracy, double *each,
                                         double *each_error);

#ifdef __cplusplus
}
#endif
#endif
