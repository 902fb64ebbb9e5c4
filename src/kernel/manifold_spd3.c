/* Heat kernel of SPD(3), lengthscale l (time l^2/2), w the eigenvalues of log(X^-1/2 Y X^-1/2).
 *
 * The trace of w separates. On matrices of determinant 1 the kernel is an integral over that of the
 * complex group, which is elementary (Flensted-Jensen, Spherical functions on a real semisimple Lie
 * group, 1978; Gangolli, 1968):
 *   k(w) ~ int_R^3 k_C(p(b)) (sinh|b|/|b|)^2 db,
 *   k_C(p) = e^(-2 |p|^2/l^2) prod_(i<j) (p_ij/2)/sinh(p_ij/2),
 * where e^p are the eigenvalues of e^(w/4) e^(2iB) e^(w/4), B the skew matrix of b. They are the
 * roots of x^3 - (3 + a) x^2 + (3 + c) x - 1 with S = 2 (sinh|b|/|b|)^2,
 *   a = sum_j [e^(w_j/2) - 1 + e^(w_j/2) S (|b|^2 - b_j^2)], c the same with -w:
 * only squares of the b_j enter. With y = (sinh|b|/|b|) b this is sum_j e^(w_j/2) (1 + 2 (|y|^2 -
 * y_j^2))
 * - 3 and the measure dy/sqrt(1 + |y|^2). The integrand is positive, so that far values keep their
 * relative accuracy, even in each y_j and analytic: the trapezoidal rule in arsinh y_j (stretched
 * for the tails of large lengthscales) converges exponentially.
 *
 * What is tabulated is G = log(k/k_0), k_0 = e^(-|w|^2/(2 l^2)) prod
 * (sinh(w_ij/2)/(w_ij/2))^(-1/2), the first term for short times: a slowly varying function of the
 * two gaps d1, d2, symmetric in them. Table: Chebyshev tensor in log(1 + d/4), doubled until it
 * agrees with the quadrature. Its end is where k_0 falls below e^-40; beyond, G stays that of the
 * end. */
#include "kernel/manifold_spd3.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "kernel/manifold_profile.h"
#include "math/special.h"

enum { MOST_NODES = 64, CHECKS = 32, AXIS_POINTS = 256 };

static const double STEP_PER_WIDTH = 0.68; /* of the Gaussian in b */
static const double LONGEST_STEP = 0.2;    /* at gap 0, where the strip is pi/2 wide */
static const double STRETCH = 2.5;         /* see axis */
static const double FAR = 300;             /* |b| where nothing is left */
static const double NEGLIGIBLE = 1e-17;    /* of a term */
static const double SMALL_GAP = 0.2;
static const double GOAL = 2e-13;      /* error of k in the table */
static const double ACCEPT = 1e-10;    /* the same, if more nodes no longer help */
static const double LONGEST = 8;       /* lengthscale: beyond, the quadrature takes minutes */
static const double MAP = 4;           /* d = MAP (e^xi - 1) */
static const double LOG_END = -40;     /* log k_0 at the end of the table */
static const double FLAT_BELOW = 1e-4; /* lengthscale below which G is 0 to 1e-14 */

struct rm2i_spd3 {
    double lengthscale;
    size_t nodes;   /* 0: G = 0 */
    double end, xi; /* of the table, in d and in xi */
    double *c;      /* nodes x nodes coefficients */
};

/* ---- quadrature ----------------------------------------------------------------------------- */

typedef struct integrand {
    double up[3], down[3];   /* e^(w/2), e^(-w/2) */
    double up_sum, down_sum; /* sums of expm1 */
    double half_norm, over;  /* |w|^2/2, 1/l^2 */
} integrand;

/* Logarithm of the largest root of x^3 - (3 + a) x^2 + (3 + c) x - 1, through z = x - 1. */
static double log_largest(double a, double c) {
    double b1 = c - 2 * a, b0 = c - a;
    double Q = (a * a - 3 * b1) / 9, R = (2 * a * a * a - 9 * a * b1 - 27 * b0) / 54;
    if (!(Q > 0))
        return log1p(a / 3);
    double root = sqrt(Q), cosine = R / (root * Q);
    return log1p(a / 3 + 2 * root * cos(acos(fmax(-1, fmin(1, cosine))) / 3));
}

static double snc(double g) { /* sinh(g)/g */
    return fabs(g) < 1e-4 ? 1 + g * g / 6 : sinh(g) / g;
}

/* prod_(i<j) sinh(p_ij/2)/(p_ij/2); from x = e^p, whose product is 1, where no gap is small. */
static double volume(const double *p) {
    double g[3] = {(p[0] - p[1]) / 2, (p[1] - p[2]) / 2, (p[0] - p[2]) / 2};
    if (g[0] < SMALL_GAP || g[1] < SMALL_GAP)
        return snc(g[0]) * snc(g[1]) * snc(g[2]);
    double x[3] = {exp(p[0]), exp(p[1]), exp(p[2])};
    return (x[0] - x[1]) * (x[1] - x[2]) * (x[0] - x[2]) / (8 * g[0] * g[1] * g[2]);
}

/* At squares of y. */
static double integrand_at(const integrand *f, double y1, double y2, double y3) {
    double q[3] = {2 * (y2 + y3), 2 * (y3 + y1), 2 * (y1 + y2)};
    double a = f->up_sum, c = f->down_sum;
    for (int j = 0; j < 3; j++) {
        a += f->up[j] * q[j];
        c += f->down[j] * q[j];
    }
    double p[3] = {log_largest(a, c), 0, -log_largest(c, a)};
    p[1] = -p[0] - p[2];
    double norm = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    return exp(-(2 * norm - f->half_norm) * f->over) / (volume(p) * sqrt(1 + y1 + y2 + y3));
}

/* The grid on one axis: squares of y = sinh(STRETCH sinh(i h/STRETCH)) and weights h dy/d(i h),
 * half at 0 since both signs are one. */
typedef struct axis {
    double square[AXIS_POINTS], weight[AXIS_POINTS];
} axis;

/* Axis whose rotation mixes two directions with gap d: near 0 the exponent is
 * -(16/l^2) (d/4) coth(d/4) y^2. The strip of analyticity narrows to pi/4 with the widest gap. */
static void make_axis(double l, double d, double widest, double refine, axis *x) {
    double u = d / 4, stiff = u > 1e-4 ? u / tanh(u) : 1;
    double gauss = STEP_PER_WIDTH * l / sqrt(32 * stiff) / (1 + tanh(u / 2) / 4);
    double strip = LONGEST_STEP / (1 + 0.4 * tanh(widest / 8));
    double h = fmin(gauss, strip) / refine;
    for (size_t i = 0; i < AXIS_POINTS; i++) {
        double tau = h * (double)i / STRETCH, b = STRETCH * sinh(tau), y = sinh(fmin(b, FAR));
        x->square[i] = y * y;
        x->weight[i] = b < FAR ? h * cosh(b) * cosh(tau) * (i == 0 ? 0.5 : 1) : 0;
    }
}

/* Weights grow along an axis: terms may rise before they fall. */
static bool goes_on(double term, double before, double most) {
    return term > NEGLIGIBLE * most || term > before;
}

/* Sums over y_3, over (y_2, y_3) and over all, up to negligible terms; `most` is the first one. */
static double sum_line(const integrand *f, const axis *g, double y1, double y2, double most) {
    double sum = 0, term = most, before = most;
    for (size_t k = 0; k < AXIS_POINTS && goes_on(term, before, most); k++) {
        before = k == 0 ? 0 : term;
        term = g[2].weight[k] * integrand_at(f, y1, y2, g[2].square[k]);
        sum += term;
    }
    return sum;
}

static double sum_plane(const integrand *f, const axis *g, double y1, double most) {
    double sum = 0, line = most, before = most;
    for (size_t j = 0; j < AXIS_POINTS && goes_on(line, before, most); j++) {
        before = j == 0 ? 0 : line;
        line = g[1].weight[j] * sum_line(f, g, y1, g[1].square[j], most);
        sum += line;
    }
    return sum;
}

static double sum_space(const integrand *f, const axis *g) {
    double most = g[2].weight[0] * integrand_at(f, 0, 0, 0), sum = 0, plane = most, before = most;
    for (size_t i = 0; i < AXIS_POINTS && goes_on(plane, before, most); i++) {
        before = i == 0 ? 0 : plane;
        plane = g[0].weight[i] * sum_plane(f, g, g[0].square[i], most);
        sum += plane;
    }
    return sum;
}

double rm2i_spd3_quadrature(double l, double d1, double d2, double refine) {
    double w[3] = {(2 * d1 + d2) / 3, (d2 - d1) / 3, -(d1 + 2 * d2) / 3}, all = d1 + d2;
    axis g[3];
    make_axis(l, d2, all, refine, &g[0]);
    make_axis(l, all, all, refine, &g[1]);
    make_axis(l, d1, all, refine, &g[2]);
    integrand f = {.over = 1 / (l * l)};
    for (int j = 0; j < 3; j++) {
        f.up[j] = exp(w[j] / 2);
        f.down[j] = exp(-w[j] / 2);
        f.up_sum += expm1(w[j] / 2);
        f.down_sum += expm1(-w[j] / 2);
        f.half_norm += w[j] * w[j] / 2;
    }
    double log_k0 = rm2i_log_snc(-1, d1 / 2) + rm2i_log_snc(-1, d2 / 2) + rm2i_log_snc(-1, all / 2);
    return log(sum_space(&f, g)) + log_k0 / 2;
}

/* ---- table ---------------------------------------------------------------------------------- */

typedef struct build {
    const rm2i_spd3 *kernel;
    const double *d; /* gaps of the nodes */
    double *values;  /* nodes x nodes */
    double at_zero;  /* G(0, 0), not normalised */
} build;

/* One value and its mirror image. Items alternate between narrow and wide gaps. */
static rm2_status fill_node(const void *job, size_t item, double *work) {
    (void)work;
    const build *b = job;
    size_t n = b->kernel->nodes, row = item / n, i = row % 2 == 0 ? row / 2 : n - 1 - row / 2;
    size_t j = item % n;
    if (j > i)
        return RM2_OK;
    double value = rm2i_spd3_quadrature(b->kernel->lengthscale, b->d[i], b->d[j], 1);
    b->values[i * n + j] = b->values[j * n + i] = value;
    return RM2_OK;
}

/* Values at Chebyshev points -> coefficients, along one index with the given stride. */
static void transform(size_t n, double *v, size_t stride, double *work) {
    for (size_t k = 0; k < n; k++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += v[j * stride] * cos(RM2_PI * (double)k * ((double)j + 0.5) / (double)n);
        work[k] = sum * (k == 0 ? 1 : 2) / (double)n;
    }
    for (size_t k = 0; k < n; k++)
        v[k * stride] = work[k];
}

static double gap_of(double xi) {
    return MAP * expm1(xi);
}

static double table_at(const rm2i_spd3 *k, double d1, double d2) {
    double T[2][MOST_NODES], d[2] = {fmin(d1, k->end), fmin(d2, k->end)}, sum = 0;
    for (int a = 0; a < 2; a++) {
        double u = 2 * log1p(d[a] / MAP) / k->xi - 1;
        T[a][0] = 1;
        T[a][1] = u;
        for (size_t i = 2; i < k->nodes; i++)
            T[a][i] = 2 * u * T[a][i - 1] - T[a][i - 2];
    }
    for (size_t i = 0; i < k->nodes; i++) {
        double row = 0;
        for (size_t j = 0; j < k->nodes; j++)
            row += k->c[i * k->nodes + j] * T[1][j];
        sum += row * T[0][i];
    }
    return sum;
}

/* log k_0 without the trace */
static double log_first_term(double l, double d1, double d2) {
    double square = 2 * (d1 * d1 + d1 * d2 + d2 * d2) / 3;
    double volume =
        rm2i_log_snc(-1, d1 / 2) + rm2i_log_snc(-1, d2 / 2) + rm2i_log_snc(-1, (d1 + d2) / 2);
    return -square / (2 * l * l) - volume / 2;
}

/* Error of k at scattered gaps: that of G times k. */
static rm2_status check_one(const void *job, size_t i, double *work) {
    (void)work;
    const build *b = job;
    double l = b->kernel->lengthscale, x = (double)i + 0.5;
    double u = fmod(x * 0.61803398874989, 1), v = x / CHECKS;
    double d1 = gap_of(b->kernel->xi * u * u), d2 = gap_of(b->kernel->xi * v * v);
    double G = rm2i_spd3_quadrature(l, d1, d2, 1);
    double k = exp(fmin(0, log_first_term(l, d1, d2) + G - b->at_zero));
    b->values[i] = fabs(table_at(b->kernel, d1, d2) - G) * k;
    return RM2_OK;
}

static rm2_status fill(rm2_context *ctx, rm2i_spd3 *k, double *error) {
    double d[MOST_NODES], work[MOST_NODES];
    size_t n = k->nodes;
    for (size_t i = 0; i < n; i++)
        d[i] = gap_of(k->xi * (1 + cos(RM2_PI * ((double)i + 0.5) / (double)n)) / 2);
    RM2_TRY(rm2i_grow(ctx, n * n, sizeof *k->c, &k->c));
    build b = {.kernel = k, .d = d, .values = k->c};
    RM2_TRY(rm2i_batch(ctx, n * n, 0, fill_node, &b, NULL));
    for (size_t i = 0; i < n; i++)
        transform(n, k->c + i * n, 1, work);
    for (size_t i = 0; i < n; i++)
        transform(n, k->c + i, n, work);
    b.values = work;
    b.at_zero = rm2i_spd3_quadrature(k->lengthscale, 0, 0, 1);
    RM2_TRY(rm2i_batch(ctx, CHECKS, 0, check_one, &b, NULL));
    *error = 0;
    for (size_t i = 0; i < CHECKS; i++)
        *error = fmax(*error, isfinite(work[i]) ? work[i] : INFINITY);
    return RM2_OK;
}

static rm2_status make_table(rm2_context *ctx, rm2i_spd3 *k) {
    double error = INFINITY, before, l = k->lengthscale;
    k->end = l;
    while (log_first_term(l, k->end, 0) > LOG_END)
        k->end *= 1.1;
    k->xi = log1p(k->end / MAP);
    k->nodes = l < 0.2 ? 8 : l < 0.7 ? 18 : l < 2.5 ? 27 : 40; /* a good first guess */
    for (; k->nodes <= MOST_NODES; k->nodes += k->nodes / 2) {
        before = error;
        RM2_TRY(fill(ctx, k, &error));
        if (error > GOAL && !(error <= ACCEPT && error > before / 4))
            continue;
        k->c[0] -= table_at(k, 0, 0); /* G(0, 0) = 0 */
        return RM2_OK;
    }
    return rm2i_fail(ctx, RM2_ERR_NUMERIC,
                     "heat on SPD3: the table does not converge at lengthscale %g (error %.1e)", l,
                     error);
}

rm2_status rm2i_spd3_create(rm2_context *ctx, double lengthscale, rm2i_spd3 **kernel) {
    rm2i_spd3 *k;
    *kernel = NULL;
    if (lengthscale > LONGEST)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "heat on SPD3 goes up to lengthscale %g, not %g: use log-euclidean",
                         LONGEST, lengthscale);
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *k, &k));
    k->lengthscale = lengthscale;
    rm2_status status = lengthscale < FLAT_BELOW ? RM2_OK : make_table(ctx, k);
    if (status != RM2_OK) {
        rm2i_spd3_free(k);
        return status;
    }
    *kernel = k;
    return RM2_OK;
}

void rm2i_spd3_free(rm2i_spd3 *kernel) {
    if (kernel)
        free(kernel->c);
    free(kernel);
}

double rm2i_spd3_at(const rm2i_spd3 *k, const double w[3]) {
    double high = fmax(w[0], fmax(w[1], w[2])), low = fmin(w[0], fmin(w[1], w[2]));
    double trace = w[0] + w[1] + w[2], middle = trace - high - low;
    double d1 = fmax(0, high - middle), d2 = fmax(0, middle - low);
    double line = trace / k->lengthscale;
    double log_k = log_first_term(k->lengthscale, d1, d2) - line * line / 6;
    if (!(log_k > -800))
        return 0;
    if (k->nodes > 0)
        log_k += table_at(k, d1, d2);
    double value = exp(fmin(log_k, 0));
    return value < RM2I_TINY ? 0 : value;
}
