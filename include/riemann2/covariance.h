/* From signals to symmetric positive definite matrices: covariances of windows of time series.
 *
 *     rm2_signals eeg = {.size = sizeof eeg, .samples = 60000, .channels = 15, .values = x,
 *                        .windows = 120, .begin = begin, .length = 500};
 *     rm2_covariances(ctx, &eeg, NULL, matrices, NULL);
 *
 * With T samples x_t of a window in d channels, their mean m, and
 * S = sum_t (x_t - m) (x_t - m)^T / T:
 *
 *     cov    S T / (T - 1), as numpy.cov and MATLAB's cov
 *     scm    S
 *     corr   S of channels that are divided by their standard deviations: correlations
 *     lwf    (1 - a) S + a (tr S / d) I, a of Ledoit and Wolf (J. Multivariate Analysis 88, 2004):
 *              a = min(b, c) / c,  c = |S - mu I|^2,  b = (sum_t |x_t - m|^4 / T - |S|^2) / T,
 *              mu = tr S / d
 *     oas    as lwf, a of Chen, Wiesel, Eldar and Hero (IEEE Trans. Signal Processing 58, 2010),
 *            in the form without the terms in 2/d that their code and scikit-learn have:
 *              a = min(1, (|S|^2 + (tr S)^2) / ((T + 1) (|S|^2 - (tr S)^2 / d)))
 *
 * The first three matrices are singular if T <= d; singular matrices are refused. A shrinkage of
 * your own (settings.shrinkage) replaces a; cov, scm and corr accept it, too. */
#ifndef RIEMANN2_COVARIANCE_H
#define RIEMANN2_COVARIANCE_H

#include "riemann2/base.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rm2_estimator {
    RM2_ESTIMATOR_COV,
    RM2_ESTIMATOR_SCM,
    RM2_ESTIMATOR_CORR,
    RM2_ESTIMATOR_LWF,
    RM2_ESTIMATOR_OAS
} rm2_estimator;

typedef struct rm2_covariance_settings {
    size_t size; /* as rm2_covariance_settings_default sets it */
    rm2_estimator estimator;
    /* Weight a of the shrinkage; 0: cov, scm and corr do not shrink, lwf and oas estimate a. */
    double shrinkage;
    /* Divide channels by their standard deviations in the window: unit diagonals. */
    bool standardise;
} rm2_covariance_settings;

static inline rm2_covariance_settings rm2_covariance_settings_default(void) {
    rm2_covariance_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_COVARIANCE), 0, &settings);
    return settings;
}

/* Samples of several channels, and the windows taken from them. */
typedef struct rm2_signals {
    size_t size; /* sizeof(rm2_signals), set by the caller */
    size_t samples, channels;
    const double *values;     /* samples x channels */
    size_t windows;           /* 0: all samples are one window */
    const size_t *begin;      /* windows: first sample of each */
    size_t length;            /* samples per window */
    const char *source;       /* name in messages; NULL: "signals" */
    const char *const *names; /* channels: names in messages; NULL: numbers from 1 */
} rm2_signals;

/* Faults of a window. */
typedef enum rm2_window_fault {
    RM2_WINDOW_GOOD,
    RM2_WINDOW_SHORT,    /* fewer than 2 samples */
    RM2_WINDOW_MISSING,  /* a value is not finite */
    RM2_WINDOW_CONSTANT, /* a channel does not change */
    RM2_WINDOW_SINGULAR  /* the matrix is singular within rounding */
} rm2_window_fault;

/* Result for one window. */
typedef struct rm2_window_info {
    size_t size; /* sizeof(rm2_window_info), set by the caller */
    rm2_window_fault fault;
    size_t channel;   /* the channel with the fault (missing, constant) */
    double shrinkage; /* a: given, or estimated */
} rm2_window_info;

/* Compute the covariance matrices of the windows, on the context's threads.
 *
 * @param ctx  context
 * @param signals  signals and windows
 * @param settings  NULL: the defaults
 * @param matrices  result: windows x channels x channels
 * @param info  result, one per window, or NULL. If it is NULL, the first window with a fault ends
 *     the call with a message; otherwise the matrix of such a window is NaN, and `info` holds its
 *     fault
 */
RM2_API rm2_status rm2_covariances(rm2_context *ctx, const rm2_signals *signals,
                                   const rm2_covariance_settings *settings, double *matrices,
                                   rm2_window_info *info);

#ifdef __cplusplus
}
#endif
#endif
