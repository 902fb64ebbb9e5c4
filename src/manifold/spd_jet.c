/* Jets of SPD(n): products, slopes and traces of the metric of spd_metric.c at several points.
 *
 * With S = U diag(l) U^T at the coordinates, W~ = U^T W U, g(d) = (sinh(d/2)/(d/2))^2 and the divided
 * difference T(a,c;b) = (g(l_a - l_b) - g(l_c - l_b))/(l_a - l_c):
 *
 *   (G W)~_ab = g(l_a - l_b) W~_ab
 *   w^T dG[Z] w' = sum_ac Z~_ac sum_b T(a,c;b) (W~_ab W'~_cb + W~_cb W'~_ab)
 *   tr(G Sigma) = sum_ab g(l_a - l_b) N_aba,   tr(dG[Z] Sigma) = 2 sum_ac Z~_ac sum_b T(a,c;b) N_abc
 *
 * where N_abc = sum_k (W~_k)_ab (W~_k)_cb over vectors with sum_k w_k w_k^T = Sigma. There are as many of
 * these as coordinates, and rotating each would cost n^5. But N is linear in u_b u_b^T:
 *
 *   N_abc = u_a^T Y(u_b u_b^T) u_c,   Y(F) = sum_k W_k F W_k
 *
 * and Y is one symmetric dim x dim matrix of Sigma alone, the table. So all points together need one
 * product of n dim-vectors per point with the table.
 *
 * Fewer than n of these products do where the spectrum is narrow: g(l_a - y) is interpolated in y at p
 * Chebyshev nodes y_r of the interval of the l, and u_b u_b^T becomes sum_b L_r(l_b) u_b u_b^T with
 * Lagrange's polynomials L_r; nothing else changes. As g(d) = int_-1^1 (1 - |t|) e^{td} dt,
 * |g^(p)(d)| <= 2 cosh(d)/((p+1)(p+2)), and interpolation errs by at most
 *
 *   2 (h/2)^p / p! * 2 cosh(2h)/((p+1)(p+2)),   h: half of the interval,
 *
 * while g >= 1: a bound of the relative error of the trace. Without slopes fewer will do (spd_trace.c). */
#include "manifold/spd_jet.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/clones.h"
#include "geometry/spd.h"
#include "linalg/dense.h"
#include "linalg/eigen_lanes.h"
#include "linalg/serial.h"
#include "math/special.h"

static const double NEARLY_EQUAL =
    1e-3; /* |l_a - l_c| below which T is expanded, as in spd_metric.c */
static const double ROOT2 = 1.41421356237309504880, HALF_ROOT2 = 0.70710678118654752440;

/* ---- scratch -------------------------------------------------------------------------------- */

/* What is done to all points before the table's product, and its result. */
typedef struct jet_points {
    double *S;        /* points x n x n: the coordinates as matrices */
    double *l;        /* points x n: eigenvalues */
    double *Ut;       /* points x n x n: eigenvectors as rows */
    size_t *nodes;    /* points: p */
    double *y;        /* points x n: nodes */
    double *O;        /* n x dim: coordinates of u_b u_b^T at one point */
    double *F, *Y;    /* rows of dim: p of each point, one point after the other */
    double *lagrange; /* n x n */
    double *eigen, *traces;
} jet_points;

/* One point. Tables of g are [b][a]. */
typedef struct jet_scratch {
    const double *l, *Ut;
    double *U;                /* n x n */
    double *g, *g1;           /* g(l_a - l_b) and its derivative at l_a - l_b */
    double *node_g, *node_g1; /* the same for nodes in place of l_b */
    double *W, *Z;            /* count and directions x n x n: W~, Z~ */
    double *N, *half;         /* [c][r][a] */
    double *A, *B;            /* n x n */
    double *sum;              /* n */
} jet_scratch;

static void lay_out_points(jet_points *s, size_t n, size_t points, size_t directions,
                           rm2i_arena *a) {
    size_t dim = n * (n + 1) / 2, sloped = directions ? points : 0;
    s->S = rm2i_reserve(a, double, points, n, n);
    s->l = rm2i_reserve(a, double, points, n);
    s->Ut = rm2i_reserve(a, double, points, n, n);
    s->nodes = rm2i_reserve(a, size_t, sloped);
    s->y = rm2i_reserve(a, double, sloped, n);
    s->O = rm2i_reserve(a, double, directions ? n : 0, dim);
    s->F = rm2i_reserve(a, double, sloped, n, dim);
    s->Y = rm2i_reserve(a, double, sloped, n, dim);
    s->lagrange = rm2i_reserve(a, double, n, n);
    s->eigen = rm2i_reserve(a, double, rm2i_eigen_work(n));
    s->traces = rm2i_reserve(a, double, directions ? 0 : rm2i_spd_traces_work(n, points));
}

static void lay_out(jet_scratch *s, size_t n, size_t count, size_t directions, rm2i_arena *a) {
    s->U = rm2i_reserve(a, double, n, n);
    s->g = rm2i_reserve(a, double, n, n);
    s->g1 = rm2i_reserve(a, double, n, n);
    s->node_g = rm2i_reserve(a, double, n, n);
    s->node_g1 = rm2i_reserve(a, double, n, n);
    s->W = rm2i_reserve(a, double, count, n, n);
    s->Z = rm2i_reserve(a, double, directions, n, n);
    s->N = rm2i_reserve(a, double, n, n, n);
    s->half = rm2i_reserve(a, double, n, n, n);
    s->A = rm2i_reserve(a, double, n, n);
    s->B = rm2i_reserve(a, double, n, n);
    s->sum = rm2i_reserve(a, double, n);
}

size_t rm2i_spd_jets_work(size_t n, size_t points, size_t count, size_t directions) {
    rm2i_arena sloped = {NULL, 0}, plain = {NULL, 0}; /* a query may have no directions */
    lay_out_points(&(jet_points){0}, n, points, directions, &sloped);
    lay_out(&(jet_scratch){0}, n, count, directions, &sloped);
    lay_out_points(&(jet_points){0}, n, points, 0, &plain);
    lay_out(&(jet_scratch){0}, n, count, 0, &plain);
    return rm2i_arena_longer(sloped, plain).used;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Nodes that keep the relative error below RM2I_SPD_INTERPOLATION on an interval of half-width h; n where that
 * takes as many or more. */
static size_t nodes_for(size_t n, double h) {
    double bound = 4 * cosh(2 * h);
    for (size_t p = 1; p < n; p++) {
        bound *= h / (2 * (double)p);
        if (bound / (double)((p + 1) * (p + 2)) < RM2I_SPD_INTERPOLATION)
            return p;
    }
    return n;
}

/* Chebyshev nodes y_r = m + h cos((2r + 1) pi/2p), and L_r(l_b) in row r, by barycentric weights
 * (-1)^r sin((2r + 1) pi/2p). */
static void chebyshev(size_t n, const double *l, double m, double h, size_t p, double *y,
                      double *lagrange) {
    double weight[RM2I_SPD_JET_MAX];
    for (size_t r = 0; r < p; r++) {
        double angle = (double)(2 * r + 1) * RM2_PI / (2 * (double)p);
        y[r] = m + h * cos(angle);
        weight[r] = (r % 2 ? -1 : 1) * sin(angle);
    }
    for (size_t b = 0; b < n; b++) {
        double total = 0;
        size_t hit = p; /* an eigenvalue that is a node */
        for (size_t r = 0; r < p; r++) {
            hit = l[b] == y[r] ? r : hit;
            total += lagrange[r * n + b] = weight[r] / (l[b] - y[r]);
        }
        for (size_t r = 0; r < p; r++)
            lagrange[r * n + b] = hit < p ? r == hit : lagrange[r * n + b] / total;
    }
}

/* Coordinates of u u^T. */
RM2I_AVX2_CLONES
static void outer_coords(size_t n, const double *u, double *f) {
    for (size_t i = 0; i < n; i++) {
        double twice = ROOT2 * u[i];
        *f++ = u[i] * u[i];
        for (size_t j = i + 1; j < n; j++)
            *f++ = twice * u[j];
    }
}

/* Nodes of point i, and their rows of F, which start at `f`: sum_b L_r(l_b) u_b u_b^T. */
static void place_nodes(size_t n, size_t i, const jet_points *s, double *f) {
    const double *l = s->l + i * n, *Ut = s->Ut + i * n * n;
    size_t dim = n * (n + 1) / 2;
    double low = l[0], high = l[0], *y = s->y + i * n, *O = s->O;
    for (size_t a = 0; a < n; a++) {
        low = fmin(low, l[a]);
        high = fmax(high, l[a]);
        outer_coords(n, Ut + a * n, O + a * dim);
    }
    size_t p = s->nodes[i] = nodes_for(n, (high - low) / 2);
    if (p == n) { /* the eigenvalues themselves */
        memcpy(y, l, n * sizeof *y);
        memcpy(f, O, n * dim * sizeof *f);
        return;
    }
    chebyshev(n, l, (low + high) / 2, (high - low) / 2, p, y, s->lagrange);
    rm2i_multiply_rows(p, n, dim, s->lagrange, O, f);
}

/* Eigenvectors of all points. */
static rm2_status decompose(size_t n, const rm2i_jet_query *q, const jet_points *s) {
    for (size_t i = 0; i < q->points; i++)
        rm2i_spd_unpack_coords(n, q->c + i * q->stride, s->S + i * n * n);
    return rm2i_eigen_many(n, q->points, s->S, s->l, s->Ut, s->eigen);
}

/* Nodes and Y = F table. */
static void prepare_slopes(size_t n, const double *table, size_t points, const jet_points *s) {
    size_t dim = n * (n + 1) / 2, rows = 0;
    for (size_t i = 0; i < points; i++) {
        place_nodes(n, i, s, s->F + rows * dim);
        rows += s->nodes[i];
    }
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)dim, (int)dim, 1, s->F,
               (int)dim, table, (int)dim, 0, s->Y, (int)dim);
}

/* ---- one point: products -------------------------------------------------------------------- */

/* g and its derivative at x_a - y_b, rows b; d: p x n of scratch. */
static void g_tables(size_t n, const double *x, size_t p, const double *y, double *g, double *g1,
                     double *d) {
    for (size_t b = 0; b < p; b++)
        for (size_t a = 0; a < n; a++)
            d[b * n + a] = x[a] - y[b];
    rm2i_spd_g_many(p * n, d, g, g1);
}

static void rotate_in(size_t n, size_t count, const double *W, size_t stride, const jet_scratch *s,
                      double *out) {
    for (size_t k = 0; k < count; k++) {
        rm2i_spd_unpack_coords(n, W + k * stride, s->A);
        rm2i_multiply(n, s->Ut, s->A, s->B);
        rm2i_multiply(n, s->B, s->U, out + k * n * n);
    }
}

/* inner[k][l] += w_k^T G w_l = sum_ab g_ab W~_ab W'~_ab */
static void add_inner(size_t n, size_t count, const jet_scratch *s, double *inner) {
    for (size_t k = 0; k < count; k++) {
        const double *W = s->W + k * n * n;
        for (size_t e = 0; e < n * n; e++)
            s->A[e] = s->g[e] * W[e];
        for (size_t l = 0; l <= k; l++) {
            double sum = rm2i_dot(n * n, s->A, s->W + l * n * n);
            inner[k * count + l] += sum;
            if (l < k)
                inner[l * count + k] += sum;
        }
    }
}

/* GW = U (g o W~) U^T */
static void products(size_t n, const rm2i_jet_query *q, const jet_scratch *s, double *GW) {
    for (size_t k = 0; k < q->count; k++) {
        const double *W = s->W + k * n * n;
        for (size_t e = 0; e < n * n; e++)
            s->A[e] = s->g[e] * W[e];
        rm2i_multiply(n, s->A, s->Ut, s->B);
        rm2i_multiply(n, s->U, s->B, s->A);
        rm2i_spd_pack_coords(n, s->A, GW + k * q->stride);
    }
}

/* ---- one point: slopes ---------------------------------------------------------------------- */

/* g at l_a - y_b and its derivative, rows b < p. */
typedef struct g_table {
    size_t p;
    const double *y, *g, *g1;
} g_table;

/* sum[a] = sum_b (g_ba - g_bc) M_ba for a < c */
RM2I_AVX2_CLONES
static void sum_differences(size_t n, size_t c, const g_table *t, const double *restrict M,
                            double *restrict sum) {
    const double *restrict g = t->g;
    memset(sum, 0, c * sizeof *sum);
    for (size_t b = 0; b < t->p; b++) {
        double gc = g[b * n + c];
        for (size_t a = 0; a < c; a++)
            sum[a] += (g[b * n + a] - gc) * M[b * n + a];
    }
}

/* sum_b T(a,c;y_b) M_ba where l_a ~ l_c: from derivatives of g in their middle. */
static double expanded(size_t n, size_t a, size_t c, const g_table *t, const double *l,
                       const double *M) {
    double sum = 0, h = l[a] - l[c];
    for (size_t b = 0; b < t->p; b++) {
        double middle = (l[a] + l[c]) / 2 - t->y[b];
        sum += (rm2i_spd_g1(middle) + h * h / 24 * rm2i_spd_g3(middle)) * M[b * n + a];
    }
    return sum;
}

/* out[d] += 2 sum_a Z~_ac sum_b T(a,c;y_b) M_ba over a <= c, twice for a < c: T is symmetric. */
static void add_slopes(size_t n, size_t c, size_t directions, const g_table *t, const double *M,
                       const jet_scratch *s, double *out, size_t step) {
    const double *l = s->l;
    double *sum = s->sum;
    sum_differences(n, c, t, M, sum);
    for (size_t a = 0; a < c; a++) {
        double h = l[a] - l[c];
        sum[a] = 4 * (fabs(h) < NEARLY_EQUAL ? expanded(n, a, c, t, l, M) : sum[a] / h);
    }
    sum[c] = 0;
    for (size_t b = 0; b < t->p; b++) /* T(c,c;y) = g'(l_c - y) */
        sum[c] += 2 * t->g1[b * n + c] * M[b * n + c];
    for (size_t d = 0; d < directions; d++)
        out[d * step] += rm2i_dot(c + 1, s->Z + (d * n + c) * n, sum);
}

/* M_ba = (W_ba W'_bc + W_bc W'_ba)/2 for a <= c */
RM2I_AVX2_CLONES
static void pair_products(size_t n, size_t c, const double *restrict W, const double *restrict V,
                          double *restrict M) {
    for (size_t b = 0; b < n; b++) {
        double w = 0.5 * W[b * n + c], v = 0.5 * V[b * n + c];
        for (size_t a = 0; a <= c; a++)
            M[b * n + a] = W[b * n + a] * v + w * V[b * n + a];
    }
}

/* slope[d][k][l] += w_k^T dG[z_d] w_l */
static void vector_slopes(size_t n, const rm2i_jet_query *q, const jet_scratch *s, double *slope) {
    const g_table own = {n, s->l, s->g, s->g1};
    size_t count = q->count, square = count * count;
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l <= k; l++) {
            double *out = slope + k * count + l;
            for (size_t c = 0; c < n; c++) {
                pair_products(n, c, s->W + k * n * n, s->W + l * n * n, s->A);
                add_slopes(n, c, q->directions, &own, s->A, s, out, square);
            }
            for (size_t d = 0; d < q->directions && l < k; d++)
                slope[d * square + l * count + k] = out[d * square];
        }
}

/* ---- one point: traces ---------------------------------------------------------------------- */

/* N[c][r][a] = u_c^T Y_r u_a from p rows Y. */
static void rotate_sums(size_t n, size_t p, const double *Y, const jet_scratch *s) {
    size_t dim = n * (n + 1) / 2;
    int m = (int)n, rows = (int)(n * p);
    for (size_t r = 0; r < p; r++) { /* N[i][r][j], for now */
        const double *y = Y + r * dim;
        for (size_t i = 0; i < n; i++) {
            s->N[(i * p + r) * n + i] = *y++;
            for (size_t j = i + 1; j < n; j++)
                s->N[(i * p + r) * n + j] = s->N[(j * p + r) * n + i] = HALF_ROOT2 * *y++;
        }
    }
    /* [i][r][a] = sum_j Y_r[i][j] U[j][a], then [c][r][a] = sum_i U[i][c] [i][r][a] */
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, m, m, 1, s->N, m, s->U, m, 0,
               s->half, m);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, rows, m, 1, s->Ut, m, s->half, rows, 0,
               s->N, rows);
}

/* tr(G Sigma) = sum_ra g(l_a - y_r) N[a][r][a], and slopes */
static void trace_slopes(size_t n, const g_table *nodes, size_t directions, const jet_scratch *s,
                         double *trace, double *slope) {
    size_t p = nodes->p;
    for (size_t a = 0; a < n; a++)
        for (size_t r = 0; r < p; r++)
            *trace += nodes->g[r * n + a] * s->N[(a * p + r) * n + a];
    for (size_t c = 0; c < n; c++)
        add_slopes(n, c, directions, nodes, s->N + c * p * n, s, slope, 1);
}

static void add_traces(size_t n, size_t i, const rm2i_jet_query *q, const jet_points *all,
                       const double *Y, const jet_scratch *s) {
    g_table nodes = {all->nodes[i], all->y + i * n, s->node_g, s->node_g1};
    if (nodes.p == n) {
        nodes.g = s->g;
        nodes.g1 = s->g1;
    } else {
        g_tables(n, s->l, nodes.p, nodes.y, s->node_g, s->node_g1, s->A);
    }
    rotate_sums(n, nodes.p, Y, s);
    trace_slopes(n, &nodes, q->directions, s, q->trace + i, q->trace_slope + i * q->directions);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Vectors of point i. */
static void jet(size_t n, size_t i, const rm2i_jet_query *q, const jet_scratch *s) {
    size_t at = i * q->count * q->stride, square = q->count * q->count;
    rm2i_transpose(n, s->Ut, s->U);
    g_tables(n, s->l, n, s->l, s->g, s->g1, s->A);
    rotate_in(n, q->count, q->W + at, q->stride, s, s->W);
    if (!q->GW) {
        add_inner(n, q->count, s, q->inner + i * square);
        return;
    }
    products(n, q, s, q->GW + at);
    if (q->directions == 0)
        return;
    rotate_in(n, q->directions, q->Z + i * q->directions * q->stride, q->stride, s, s->Z);
    vector_slopes(n, q, s, q->slope + i * q->directions * square);
}

rm2_status rm2i_spd_jets(size_t n, const double *table, const rm2i_jet_query *q, double *work) {
    size_t dim = n * (n + 1) / 2;
    bool sloped = q->trace && q->directions > 0;
    jet_points all;
    jet_scratch s;
    rm2i_arena a = {work, 0};
    lay_out_points(&all, n, q->points, q->directions, &a);
    lay_out(&s, n, q->count, q->directions, &a);
    RM2_TRY(decompose(n, q, &all));
    if (sloped)
        prepare_slopes(n, table, q->points, &all);
    else if (q->trace)
        rm2i_spd_traces(n, table, q->points, all.l, all.Ut, q->trace, all.traces);
    const double *Y = all.Y;
    for (size_t i = 0; i < q->points; i++) {
        s.l = all.l + i * n;
        s.Ut = all.Ut + i * n * n;
        jet(n, i, q, &s);
        if (!sloped)
            continue;
        add_traces(n, i, q, &all, Y, &s);
        Y += all.nodes[i] * dim;
    }
    return RM2_OK;
}
