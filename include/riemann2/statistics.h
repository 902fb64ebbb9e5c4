/* Statistics of labelled points on a manifold: means of groups, and tests whether groups differ. No model is
 * needed. Points are rows of ambient coordinates that lie on the manifold (rm2_manifold_project_within). */
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
    size_t points, subjects;
    rm2_mean_info mean; /* how its mean was found */
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

/* Defaults and ranges are in the table (rm2_test_settings_table) and in docs/settings.md. */
typedef struct rm2_test_settings {
    size_t size; /* as rm2_test_settings_default sets it */
    rm2_test_statistic statistic;
    size_t permutations; /* drawn at random; fewer where there are not more */
    uint64_t seed;
} rm2_test_settings;

RM2_API const rm2_settings_table *rm2_test_settings_table(void);

static inline rm2_test_settings rm2_test_settings_default(void) {
    rm2_test_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_test_settings_table(), 0, &settings);
    return settings;
}

typedef struct rm2_test_result {
    double statistic;    /* of the labels as they are */
    double p_value;      /* (1 + as_large)/(1 + permutations) */
    size_t permutations; /* of the labels, the one as they are not counted */
    size_t as_large;     /* of them with a statistic not below that of the labels as they are */
    bool exact;          /* they are all that there are: no chance */
    bool converged;      /* all means; false: the result is not to be relied on */
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

#ifdef __cplusplus
}
#endif
#endif
