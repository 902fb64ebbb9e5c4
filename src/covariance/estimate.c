/* The covariance matrix of one window; equations in riemann2/covariance.h. Samples are centred and divided by their
 * largest entry, so that fourth powers neither overflow nor underflow; shrinkage does not depend on the scale. */
#include <math.h>
#include <string.h>

#include "covariance/covariance.h"
#include "linalg/dense.h"
#include "linalg/serial.h"
#include "linalg/shrink.h"

/* ---- samples --------------------------------------------------------------------------------- */

size_t rm2i_covariance_work(size_t T, size_t d) {
    return T * d + d + rm2i_singular_work(d);
}

static bool is_fault(rm2_window_info *info, rm2_window_fault fault, size_t channel) {
    info->fault = fault;
    info->channel = channel;
    return true;
}

static bool find_faults(size_t T, size_t d, const double *x, rm2_window_info *info) {
    for (size_t i = 0; i < T * d; i++)
        if (!isfinite(x[i]))
            return is_fault(info, RM2_WINDOW_MISSING, i % d);
    if (T < 2)
        return is_fault(info, RM2_WINDOW_SHORT, 0);
    for (size_t k = 0; k < d; k++) {
        size_t t = 1;
        while (t < T && x[t * d + k] == x[k])
            t++;
        if (t == T)
            return is_fault(info, RM2_WINDOW_CONSTANT, k);
    }
    return false;
}

/* y = (x - m) / largest |x - m|, which is returned; m is scratch of d numbers. */
static double centre(size_t T, size_t d, const double *x, double *y, double *m) {
    double largest = 0;
    memset(m, 0, d * sizeof *m);
    for (size_t t = 0; t < T; t++)
        rm2i_axpy(d, 1 / (double)T, x + t * d, m);
    for (size_t t = 0; t < T; t++)
        for (size_t k = 0; k < d; k++)
            y[t * d + k] = x[t * d + k] - m[k];
    largest = rm2i_max_abs(T * d, y);
    for (size_t i = 0; i < T * d; i++)
        y[i] /= largest;
    return largest;
}

/* Divide the centred channels by their standard deviations (divisor T). */
static void standardise(size_t T, size_t d, double *y, double *deviation) {
    for (size_t k = 0; k < d; k++) {
        double largest = 0, sum = 0;
        for (size_t t = 0; t < T; t++)
            largest = fmax(largest, fabs(y[t * d + k]));
        for (size_t t = 0; t < T; t++)
            sum += y[t * d + k] / largest * (y[t * d + k] / largest);
        deviation[k] = largest * sqrt(sum / (double)T);
    }
    for (size_t t = 0; t < T; t++)
        for (size_t k = 0; k < d; k++)
            y[t * d + k] /= deviation[k];
}

enum { BLOCK = 1 << 20 }; /* samples that BLAS, which counts in int, gets at a time */

/* S = Y^T Y / T */
static void gram(size_t T, size_t d, const double *y, double *S) {
    int n = (int)d;
    for (size_t t = 0; t < T; t += BLOCK)
        rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, n, (int)(T - t < BLOCK ? T - t : BLOCK),
                   1 / (double)T, y + t * d, n, t > 0, S, n);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            S[j * d + i] = S[i * d + j];
}

/* ---- shrinkage ------------------------------------------------------------------------------- */

static double trace(size_t d, const double *S) {
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += S[i * d + i];
    return sum;
}

/* a = min(b, c) / c,  c = |S - mu I|^2,  b = (sum_t |y_t|^4 / T - |S|^2) / T */
static double ledoit_wolf(size_t T, size_t d, const double *y, const double *S) {
    double fourth = 0, mu = trace(d, S) / (double)d, norm = rm2i_dot(d * d, S, S), c = 0;
    for (size_t t = 0; t < T; t++) {
        double square = rm2i_dot(d, y + t * d, y + t * d);
        fourth += square * square / (double)T;
    }
    for (size_t i = 0; i < d * d; i++) {
        double off = S[i] - (i % (d + 1) == 0 ? mu : 0);
        c += off * off;
    }
    double b = fmax((fourth - norm) / (double)T, 0);
    return b == 0 || c == 0 ? 0 : fmin(b, c) / c;
}

/* a = min(1, (|S|^2 + (tr S)^2) / ((T + 1) (|S|^2 - (tr S)^2 / d))) */
static double oracle_approximating(size_t T, size_t d, const double *S) {
    double t = trace(d, S), norm = rm2i_dot(d * d, S, S);
    double below = ((double)T + 1) * (norm - t * t / (double)d);
    return d == 1 ? 0 : below > 0 ? fmin((norm + t * t) / below, 1) : 1;
}

static double shrinkage_of(const rm2_covariance_settings *s, size_t T, size_t d, const double *y,
                           const double *S) {
    if (s->estimator == RM2_ESTIMATOR_LWF)
        return ledoit_wolf(T, d, y, S);
    return s->estimator == RM2_ESTIMATOR_OAS ? oracle_approximating(T, d, S) : s->shrinkage;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static void estimate(const rm2_covariance_settings *s, size_t T, size_t d, const double *x,
                     double *S, rm2_window_info *info, double *work) {
    double *y = work, *row = y + T * d;
    bool unit = s->standardise || s->estimator == RM2_ESTIMATOR_CORR;
    double scale = centre(T, d, x, y, row);
    if (unit)
        standardise(T, d, y, row);
    gram(T, d, y, S);
    info->shrinkage = shrinkage_of(s, T, d, y, S);
    rm2i_shrink(d, info->shrinkage, S);
    double factor = unit ? 1 : scale * scale;
    if (s->estimator == RM2_ESTIMATOR_COV && !unit)
        factor *= (double)T / (double)(T - 1);
    for (size_t i = 0; i < d * d; i++)
        S[i] *= factor;
    for (size_t i = 0; unit && i < d; i++)
        S[i * d + i] = 1; /* up to rounding it is */
}

void rm2i_covariance(const rm2_covariance_settings *s, size_t T, size_t d, const double *x,
                     double *matrix, rm2_window_info *info, double *work) {
    *info = (rm2_window_info){.fault = RM2_WINDOW_GOOD};
    bool bad = find_faults(T, d, x, info);
    if (!bad) {
        estimate(s, T, d, x, matrix, info, work);
        bad = rm2i_singular(d, matrix, work + T * d + d) && is_fault(info, RM2_WINDOW_SINGULAR, 0);
    }
    for (size_t i = 0; bad && i < d * d; i++)
        matrix[i] = (double)NAN;
}
