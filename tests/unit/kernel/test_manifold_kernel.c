/* Kernels on manifolds: identities that every kernel keeps, closed forms and other series, the
 * differential equations that define heat and Matern kernels, limits, and messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_fixture.h"
#include "kernel/manifold_hyperbolic.h"
#include "kernel/manifold_kernel.h"
#include "kernel/manifold_sphere.h"
#include "linalg/dense.h"

static const double PI = 3.14159265358979323846;
enum { N = 30, MOST_FACTORS = 7 };

/* The same kernel on every factor, `random` points and the matrix of them. */
typedef struct bed {
    rm2_context *ctx;
    rm2_manifold *m;
    rm2_manifold_kernel *k;
    size_t ambient;
    double *X, *K;
} bed;

static bed make_bed(rm2_context *ctx, const char *spec, rm2_kernel_kind kind, double lengthscale) {
    bed b = {.ctx = ctx};
    rm2_factor_kernel settings[MOST_FACTORS];
    for (size_t i = 0; i < MOST_FACTORS; i++)
        settings[i] = (rm2_factor_kernel){kind, lengthscale};
    assert_int_equal(rm2_manifold_create(ctx, spec, &b.m), RM2_OK);
    b.ambient = rm2_manifold_ambient(b.m);
    size_t count = rm2_manifold_factor_count(b.m);
    if (rm2_manifold_kernel_create(ctx, b.m, settings, count, &b.k) != RM2_OK)
        fail_msg("%s: %s", spec, rm2_context_error(ctx));
    b.X = calloc(N * b.ambient, sizeof *b.X);
    b.K = calloc((size_t)N * N, sizeof *b.K);
    assert_non_null(b.X);
    assert_non_null(b.K);
    rm2_context_set_seed(ctx, 7);
    assert_int_equal(rm2_manifold_random(ctx, b.m, N, b.X), RM2_OK);
    return b;
}

static void gram(bed *b) {
    if (rm2_manifold_kernel_matrix(b->ctx, b->k, N, b->X, 0, NULL, b->K) != RM2_OK)
        fail_msg("%s", rm2_context_error(b->ctx));
}

static void free_bed(bed *b) {
    rm2_manifold_kernel_free(b->k);
    rm2_manifold_free(b->m);
    free(b->X);
    free(b->K);
}

static void assert_near(double a, double b, double bound) {
    if (!(fabs(a - b) <= bound))
        fail_msg("%.17g and %.17g differ by %g > %g", a, b, fabs(a - b), bound);
}

/* ---- what every kernel keeps ---------------------------------------------------------------- */

static double smallest_eigenvalue(size_t n, const double *K) {
    double *values = calloc(n + n * n + rm2i_eigen_work(n), sizeof *values), least = INFINITY;
    assert_non_null(values);
    assert_int_equal(rm2i_eigen(n, K, values, values + n, values + n + n * n), RM2_OK);
    for (size_t i = 0; i < n; i++)
        least = fmin(least, values[i]);
    free(values);
    return least;
}

static void check_matrix(rm2_context *ctx, const char *spec, rm2_kernel_kind kind, double l) {
    bed b = make_bed(ctx, spec, kind, l);
    double *cross = calloc((size_t)N * N, sizeof *cross);
    assert_non_null(cross);
    gram(&b);
    assert_int_equal(rm2_manifold_kernel_matrix(ctx, b.k, N, b.X, N, b.X, cross), RM2_OK);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double v = b.K[i * N + j];
            assert_true(v == b.K[j * N + i] && v >= 0 && v <= 1 && (v == 0 || v >= 1e-300));
            assert_near(v, cross[i * N + j], 2e-14); /* k(x, y) and k(y, x) round differently */
        }
    for (size_t i = 0; i < N; i++)
        assert_true(b.K[i * N + i] == 1 && fabs(cross[i * N + i] - 1) < 1e-13);
    double least = smallest_eigenvalue(N, b.K);
    if (!(least >= -1e-12))
        fail_msg("%s, %s, %g: eigenvalue %g", spec, rm2_kernel_name(kind), l, least);
    free(cross);
    free_bed(&b);
}

static void test_matrices(void **state) {
    static const char *const radial[] = {"R3",  "S1", "S2", "S3", "S4",   "S9",      "S40",
                                         "SO3", "H1", "H2", "H3", "SPD1", "R3 x S3", "T7"};
    static const double scales[] = {0.05, 0.5, 3};
    for (size_t i = 0; i < sizeof radial / sizeof radial[0]; i++)
        for (int kind = RM2_KERNEL_HEAT; kind <= RM2_KERNEL_MATERN52; kind++)
            for (size_t s = 0; s < 3; s++)
                check_matrix(*state, radial[i], (rm2_kernel_kind)kind, scales[s]);
    static const char *const heat[] = {"H4", "H5", "H8", "H9", "SPD2", "SPD3", "R2 x SPD3"};
    for (size_t i = 0; i < sizeof heat / sizeof heat[0]; i++)
        for (size_t s = 0; s < 2; s++)
            check_matrix(*state, heat[i], RM2_KERNEL_HEAT, s == 0 ? 0.4 : 1.5);
    check_matrix(*state, "H4", RM2_KERNEL_MATERN52, 0.7);
    static const char *const spd[] = {"SPD1", "SPD2", "SPD3", "SPD4", "SPD15"};
    for (size_t i = 0; i < sizeof spd / sizeof spd[0]; i++)
        check_matrix(*state, spd[i], RM2_KERNEL_LOG_EUCLIDEAN, 2);
}

/* y = A x for each point of one factor (square A), or y = A x A^T for n x n points. */
static void map_points(bed *b, size_t n, const double *A, bool congruence) {
    double y[16], z[16], At[16];
    rm2i_transpose(n, A, At);
    for (size_t p = 0; p < N; p++) {
        double *x = b->X + p * b->ambient;
        if (congruence) {
            rm2i_multiply(n, A, x, y);
            rm2i_multiply(n, y, At, z);
            rm2i_symmetrise(n, z);
        } else {
            for (size_t i = 0; i < n; i++)
                z[i] = rm2i_dot(n, A + i * n, x);
        }
        memcpy(x, z, b->ambient * sizeof *x);
    }
}

static void check_invariance(rm2_context *ctx, const char *spec, rm2_kernel_kind kind, size_t n,
                             const double *A, bool congruence) {
    bed b = make_bed(ctx, spec, kind, 0.8);
    double *before = calloc((size_t)N * N, sizeof *before);
    assert_non_null(before);
    gram(&b);
    memcpy(before, b.K, (size_t)N * N * sizeof *before);
    map_points(&b, n, A, congruence);
    gram(&b);
    for (size_t i = 0; i < (size_t)N * N; i++)
        assert_near(b.K[i], before[i], 3e-13); /* rounding of the moved points */
    free(before);
    free_bed(&b);
}

static void test_isometries(void **state) {
    const double c = cos(0.7), s = sin(0.7), C = cosh(0.9), S = sinh(0.9);
    const double rotation3[9] = {c, -s * s, s * c, 0, c, s, -s, -s * c, c * c};
    const double left[16] = {0.5, -0.5, -0.5, -0.5, 0.5, 0.5,  -0.5, 0.5, /* q -> h q, h unit */
                             0.5, 0.5,  0.5,  -0.5, 0.5, -0.5, 0.5,  0.5};
    const double minus[16] = {-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1};
    const double boost[9] = {C, S, 0, S, C, 0, 0, 0, 1};
    const double any2[4] = {1.3, 0.4, -0.2, 0.7};
    const double any3[9] = {1.1, 0.4, -0.2, 0.3, 0.8, 0.5, -0.6, 0.1, 1.4};
    check_invariance(*state, "S2", RM2_KERNEL_HEAT, 3, rotation3, false);
    check_invariance(*state, "S2", RM2_KERNEL_MATERN32, 3, rotation3, false);
    check_invariance(*state, "SO3", RM2_KERNEL_HEAT, 4, left, false);
    check_invariance(*state, "SO3", RM2_KERNEL_MATERN52, 4, minus, false);
    check_invariance(*state, "H2", RM2_KERNEL_HEAT, 3, boost, false);
    check_invariance(*state, "H2", RM2_KERNEL_MATERN32, 3, boost, false);
    check_invariance(*state, "SPD2", RM2_KERNEL_HEAT, 2, any2, true);
    check_invariance(*state, "SPD3", RM2_KERNEL_HEAT, 3, any3, true);
    check_invariance(*state, "SPD3", RM2_KERNEL_LOG_EUCLIDEAN, 3, rotation3, true);
}

/* ---- closed forms and other series ---------------------------------------------------------- */

static double sphere_at(rm2_context *ctx, size_t d, bool even, rm2_kernel_kind kind, double l,
                        double angle) {
    rm2i_sphere_kernel k;
    assert_int_equal(rm2i_sphere_kernel_create(ctx, d, even, kind, l, &k), RM2_OK);
    double value = rm2i_sphere_kernel_at(&k, angle);
    rm2i_sphere_kernel_free(&k);
    return value;
}

static double hyperbolic_at(rm2_context *ctx, size_t n, rm2_kernel_kind kind, double l, double r) {
    rm2i_hyperbolic_kernel k;
    assert_int_equal(rm2i_hyperbolic_kernel_create(ctx, n, kind, l, &k), RM2_OK);
    double value = rm2i_hyperbolic_kernel_at(&k, r);
    rm2i_hyperbolic_kernel_free(&k);
    return value;
}

/* Sums over images on S^1 (power 0) and on S^3 (power 1, times 1/sin), `period` apart. */
static double images(double a, double l, int power, double period) {
    double sum = 0;
    for (int k = -40; k <= 40; k++) {
        double x = a + period * k;
        sum += (power ? x : 1) * exp(-x * x / (2 * l * l));
    }
    return sum;
}

/* Limit of images/sin at 0. */
static double images_at_0(double l) {
    double sum = 0;
    for (int k = -40; k <= 40; k++) {
        double x = 2 * PI * k;
        sum += (1 - x * x / (l * l)) * exp(-x * x / (2 * l * l));
    }
    return sum;
}

static void test_images(void **state) {
    static const double scales[] = {1e-3, 0.03, 0.07, 0.3, 1, 2};
    static const double fractions[] = {0, 0.01, 0.3, 1};
    for (size_t s = 0; s < 6; s++)
        for (size_t f = 0; f < 4; f++) {
            double l = scales[s], a = fractions[f] * fmin(PI, 6 * l), b = fmin(a, PI - 0.05);
            double circle = images(a, l, 0, 2 * PI) / images(0, l, 0, 2 * PI);
            assert_near(sphere_at(*state, 1, false, RM2_KERNEL_HEAT, l, a), circle, 5e-15);
            double three = b > 0 ? images(b, l, 1, 2 * PI) / (sin(b) * images_at_0(l)) : 1;
            assert_near(sphere_at(*state, 3, false, RM2_KERNEL_HEAT, l, b), three, 2e-14);
        }
}

/* SO(3), rotation angle a: sum_j (2j + 1) e^(-j (j + 1) l^2/2) sin((2j + 1) a/2)/sin(a/2). */
static void test_rotations(void **state) {
    static const double scales[] = {0.15, 0.5, 1, 3};
    for (size_t s = 0; s < 4; s++)
        for (int i = 1; i <= 8; i++) {
            double l = scales[s], a = PI * i / 8, sum = 0, norm = 0;
            for (int j = 0; j < 120; j++) {
                double w = (2 * j + 1) * exp(-j * (j + 1) * l * l / 2);
                sum += w * sin((2 * j + 1) * a / 2) / sin(a / 2);
                norm += w * (2 * j + 1);
            }
            assert_near(sphere_at(*state, 3, true, RM2_KERNEL_HEAT, l / 2, a / 2), sum / norm,
                        1e-14);
        }
    /* short times: (a/2)/sin(a/2) e^(-a^2/2 l^2) */
    double l = 1e-3, a = 3e-3, first = a / 2 / sin(a / 2) * exp(-a * a / (2 * l * l));
    assert_near(sphere_at(*state, 3, true, RM2_KERNEL_HEAT, l / 2, a / 2), first, 1e-15);
}

/* Matern on H^3 and, for small lengthscales, S^3: (r/sn r) times the flat kernel with
 * kappa^2 = 2 nu/l^2 +- 1. */
static void test_matern_three(void **state) {
    for (int kind = RM2_KERNEL_MATERN32; kind <= RM2_KERNEL_MATERN52; kind++)
        for (int i = 1; i < 10; i++) {
            double nu2 = kind == RM2_KERNEL_MATERN32 ? 3 : 5, l = 0.05 * i, r = 0.2 * i * l;
            double up = sqrt(nu2 / (l * l) + 1), down = sqrt(nu2 / (l * l) - 1), root = sqrt(nu2);
            rm2_kernel_kind k = (rm2_kernel_kind)kind;
            assert_near(hyperbolic_at(*state, 3, k, l, r),
                        r / sinh(r) * rm2i_flat_kernel(k, up * r / root), 5e-15);
            if (l < 0.26) /* the other side counts e^(-2 pi kappa) */
                assert_near(sphere_at(*state, 3, false, k, l, r),
                            r / sin(r) * rm2i_flat_kernel(k, down * r / root), 1e-14);
        }
}

/* Spectral integrals in 20 digits: int phi_s(r) |c(s)|^-2 e^(-l^2 s^2/2) ds by mpmath. */
static void test_hyperbolic_values(void **state) {
    static const struct {
        size_t n;
        double l, r, value;
    } rows[] = {{4, 0.1, 0.02, 0.98010062707129651528}, {4, 0.7, 1.2, 0.16233298042005135058},
                {8, 0.7, 0.5, 0.66422656434122322434},  {8, 0.7, 1.5, 0.027486467078170831434},
                {8, 3, 0.5, 0.82193953680634455258},    {8, 3, 3, 0.0037247000906855031143}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_near(hyperbolic_at(*state, rows[i].n, RM2_KERNEL_HEAT, rows[i].l, rows[i].r),
                    rows[i].value, 5e-15);
}

/* Sum of the series itself, far enough for its tail of order (sqrt(2 nu)/(l n))^(2 nu). */
static void test_matern_series(void **state) {
    static const size_t dims[] = {2, 4, 9};
    const double l = 0.7, nu = 2.5;
    for (size_t i = 0; i < 3; i++)
        for (int step = 0; step <= 4; step++) {
            double d = (double)dims[i], angle = PI * step / 4, x = cos(angle);
            double q0 = 1, q1 = x, D = 1, sum = 0, norm = 0;
            for (int n = 0; n < 20000; n++) {
                double w = D * pow(2 * nu / (l * l) + n * (n + d - 1), -nu - d / 2);
                sum += w * q0;
                norm += w;
                D *= (2 * n + d + 1) / (2 * n + d - 1) * (n + d - 1) / (n + 1);
                double q2 = ((2 * n + d + 1) * x * q1 - (n + 1) * q0) / (n + d);
                q0 = q1;
                q1 = q2;
            }
            assert_near(sphere_at(*state, dims[i], false, RM2_KERNEL_MATERN52, l, angle),
                        sum / norm, 1e-13);
        }
}

/* ---- differential equations ----------------------------------------------------------------- */

typedef double (*radial_fn)(rm2_context *ctx, size_t n, rm2_kernel_kind kind, double l, double r);

static double sphere_fn(rm2_context *ctx, size_t n, rm2_kernel_kind kind, double l, double r) {
    return sphere_at(ctx, n, false, kind, l, fabs(r));
}

static double even_fn(rm2_context *ctx, size_t n, rm2_kernel_kind kind, double l, double r) {
    return sphere_at(ctx, n, true, kind, l, fabs(r));
}

static double hyperbolic_fn(rm2_context *ctx, size_t n, rm2_kernel_kind kind, double l, double r) {
    return hyperbolic_at(ctx, n, kind, l, fabs(r));
}

/* f'' + (n - 1) ct(r) f' by differences of fourth order; n f'' at 0. */
static double laplacian(rm2_context *ctx, radial_fn f, size_t n, rm2_kernel_kind kind, double l,
                        double r, double ct) {
    double h = fmin(0.02 * l, 0.02), v[5]; /* small against lengthscale and curvature */
    for (int i = -2; i <= 2; i++)
        v[i + 2] = f(ctx, n, kind, l, r + h * i);
    double d2 = (-v[0] + 16 * v[1] - 30 * v[2] + 16 * v[3] - v[4]) / (12 * h * h);
    double d1 = (v[0] - 8 * v[1] + 8 * v[3] - v[4]) / (12 * h);
    return r > 0 ? d2 + ((double)n - 1) * ct * d1 : (double)n * d2;
}

/* k = H_t/H_t(0) has k_t = Laplace k - (Laplace k)(0) k; the Matern kernels of nu and nu + 1 with
 * the same a = 2 nu/l^2 have a k' - Laplace k' = (a - (Laplace k')(0)) k. Bounds: differences. */
static void check_equations(rm2_context *ctx, radial_fn f, size_t n, double l, double r,
                            double ct) {
    double h = 1e-3, l1 = l * sqrt(1 + h), l0 = l * sqrt(1 - h), t = l * l / 2;
    rm2_kernel_kind heat = RM2_KERNEL_HEAT, rough = RM2_KERNEL_MATERN32,
                    smooth = RM2_KERNEL_MATERN52;
    double k = f(ctx, n, heat, l, r);
    double k_t = (f(ctx, n, heat, l1, r) - f(ctx, n, heat, l0, r)) / (2 * h * t);
    double right = laplacian(ctx, f, n, heat, l, r, ct) - laplacian(ctx, f, n, heat, l, 0, 0) * k;
    assert_near(k_t * l * l, right * l * l, 1e-5);
    double wide = l * sqrt(5.0 / 3), a = 3 / (l * l);
    double left = a * f(ctx, n, smooth, wide, r) - laplacian(ctx, f, n, smooth, wide, r, ct);
    double at_0 = a - laplacian(ctx, f, n, smooth, wide, 0, 0); /* |r|^5: third order there */
    assert_near(left / at_0, f(ctx, n, rough, l, r), 2e-4);
}

static void test_equations(void **state) {
    for (size_t n = 2; n <= 9; n++)
        for (int i = 1; i <= 3; i++) {
            double r = 0.4 * i;
            check_equations(*state, sphere_fn, n, 0.5, r, 1 / tan(r));
            check_equations(*state, hyperbolic_fn, n, 0.6, r, 1 / tanh(r));
        }
    check_equations(*state, even_fn, 3, 0.6, 1.1, 1 / tan(1.1));
    check_equations(*state, hyperbolic_fn, 2, 20, 3, 1 / tanh(3));
    check_equations(*state, hyperbolic_fn, 5, 20, 3, 1 / tanh(3));
}

/* ---- SPD(3) --------------------------------------------------------------------------------- */

static double spd3_value(const rm2i_spd3 *k, double w1, double w2, double w3) {
    return rm2i_spd3_at(k, (double[3]){w1, w2, w3});
}

/* Laplace = sum_i d_i^2 + 1/2 sum_(i<j) coth(w_ij/2) (d_i - d_j) */
static double spd3_laplacian(const rm2i_spd3 *k, const double *w) {
    double h = 0.004, d1[3], sum = 0, middle = rm2i_spd3_at(k, w);
    for (int i = 0; i < 3; i++) {
        double up[3] = {w[0], w[1], w[2]}, down[3] = {w[0], w[1], w[2]};
        up[i] += h;
        down[i] -= h;
        double a = rm2i_spd3_at(k, up), b = rm2i_spd3_at(k, down);
        sum += (a - 2 * middle + b) / (h * h);
        d1[i] = (a - b) / (2 * h);
    }
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            sum += (d1[i] - d1[j]) / (2 * tanh((w[i] - w[j]) / 2));
    return sum;
}

static void test_spd3(void **state) {
    const double l = 1.2, h = 1e-3, w[3] = {0.9, -0.2, -1.1};
    rm2i_spd3 *k, *later, *earlier;
    assert_int_equal(rm2i_spd3_create(*state, l, &k), RM2_OK);
    assert_int_equal(rm2i_spd3_create(*state, l * sqrt(1 + h), &later), RM2_OK);
    assert_int_equal(rm2i_spd3_create(*state, l * sqrt(1 - h), &earlier), RM2_OK);
    double k_t = (rm2i_spd3_at(later, w) - rm2i_spd3_at(earlier, w)) / (h * l * l);
    /* (Laplace k)(0) from another point, where the equation must hold with the same constant */
    const double v[3] = {0.4, 0.1, -0.6};
    double v_t = (rm2i_spd3_at(later, v) - rm2i_spd3_at(earlier, v)) / (h * l * l);
    double constant = (spd3_laplacian(k, v) - v_t) / rm2i_spd3_at(k, v);
    assert_near(spd3_laplacian(k, w) - constant * rm2i_spd3_at(k, w), k_t, 2e-5);
    assert_near(spd3_value(k, 0.9, -0.2, -1.1), spd3_value(k, -1.1, 0.9, -0.2), 1e-15);
    assert_near(spd3_value(k, 0.9, -0.2, -1.1), spd3_value(k, 1.1, 0.2, -0.9), 1e-13);
    double zero = rm2i_spd3_quadrature(l, 0, 0, 1.4);
    for (int i = 0; i < 12; i++) { /* the table against a finer quadrature */
        double d1 = 0.3 * i, d2 = fmod(1.7 * i, 3), s = d1 * d1 + d1 * d2 + d2 * d2;
        double volume = 1, gaps[3] = {d1 / 2, d2 / 2, (d1 + d2) / 2};
        for (int j = 0; j < 3; j++)
            volume *= gaps[j] > 0 ? sinh(gaps[j]) / gaps[j] : 1;
        double G = rm2i_spd3_quadrature(l, d1, d2, 1.4) - zero;
        double want = exp(G - s / (3 * l * l)) / sqrt(volume);
        assert_near(spd3_value(k, (2 * d1 + d2) / 3, (d2 - d1) / 3, -(d1 + 2 * d2) / 3), want,
                    1e-12);
    }
    rm2i_spd3_free(k);
    rm2i_spd3_free(later);
    rm2i_spd3_free(earlier);
}

/* ---- limits --------------------------------------------------------------------------------- */

static void check_extremes(rm2_context *ctx, const char *spec, double l, double low, double high) {
    for (int kind = RM2_KERNEL_HEAT; kind <= RM2_KERNEL_MATERN52; kind++) {
        if (strcmp(spec, "H2") == 0 && kind == RM2_KERNEL_MATERN32)
            continue; /* a second each, and computed as the other one */
        bed b = make_bed(ctx, spec, (rm2_kernel_kind)kind, l);
        gram(&b);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < i; j++)
                assert_true(b.K[i * N + j] >= low && b.K[i * N + j] <= high);
        free_bed(&b);
    }
}

static void test_limits(void **state) {
    static const char *const specs[] = {"R2", "S1", "S2", "S9", "SO3", "H2", "H3", "SPD1"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        check_extremes(*state, specs[i], 1e-100, 0, 0);
        if (strcmp(specs[i], "H2") != 0)
            check_extremes(*state, specs[i], 1e-7, 0, 0);
        bool curved_open = specs[i][0] == 'H'; /* tends to a spherical function, not to 1 */
        check_extremes(*state, specs[i], 1e9, curved_open ? 0 : 1 - 1e-8, 1);
        check_extremes(*state, specs[i], 1e100, curved_open ? 0 : 1 - 1e-14, 1);
    }
    /* H^3, lengthscale to infinity: r/sinh r */
    assert_near(hyperbolic_at(*state, 3, RM2_KERNEL_HEAT, 1e50, 2), 2 / sinh(2), 1e-15);
    /* SPD(3): no correction to the first term for tiny lengthscales, little for small ones */
    const double w[3] = {2e-4, -1e-4, -1e-4};
    rm2i_spd3 *tiny, *small;
    assert_int_equal(rm2i_spd3_create(*state, 9e-5, &tiny), RM2_OK);
    assert_int_equal(rm2i_spd3_create(*state, 1.1e-4, &small), RM2_OK);
    assert_near(rm2i_spd3_at(tiny, w), exp(-6e-8 / (2 * 8.1e-9)), 1e-9);
    assert_near(rm2i_spd3_at(small, w), exp(-6e-8 / (2 * 1.21e-8)), 1e-9);
    rm2i_spd3_free(tiny);
    rm2i_spd3_free(small);
}

/* Nearly equal points: 1 - k = r^2/(2 l^2) keeps its digits. */
static void test_neighbours(void **state) {
    rm2_manifold *m;
    rm2_manifold_kernel *k;
    const double x[6] = {1, 0, 0, cos(1e-5), sin(1e-5), 0};
    double K[4];
    assert_int_equal(rm2_manifold_create(*state, "S2", &m), RM2_OK);
    rm2_factor_kernel setting = {RM2_KERNEL_HEAT, 1e-4};
    assert_int_equal(rm2_manifold_kernel_create(*state, m, &setting, 1, &k), RM2_OK);
    assert_int_equal(rm2_manifold_kernel_matrix(*state, k, 2, x, 0, NULL, K), RM2_OK);
    assert_near(K[1], exp(-0.005), 1e-10);
    rm2_manifold_kernel_free(k);
    rm2_manifold_free(m);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void refuses(rm2_context *ctx, const char *spec, rm2_kernel_kind kind, double l,
                    size_t count, rm2_status status, const char *part) {
    rm2_manifold *m;
    rm2_manifold_kernel *k;
    rm2_factor_kernel settings[2] = {{kind, l}, {kind, l}};
    assert_int_equal(rm2_manifold_create(ctx, spec, &m), RM2_OK);
    assert_int_equal(rm2_manifold_kernel_create(ctx, m, settings, count, &k), status);
    assert_null(k);
    if (!strstr(rm2_context_error(ctx), part))
        fail_msg("\"%s\" does not contain \"%s\"", rm2_context_error(ctx), part);
    rm2_manifold_free(m);
}

static void test_messages(void **state) {
    rm2_kernel_kind heat = RM2_KERNEL_HEAT, matern = RM2_KERNEL_MATERN52;
    refuses(*state, "R2 x S2", heat, 1, 1, RM2_ERR_ARGUMENT, "1 kernels for R2 x S2, which has 2");
    refuses(*state, "R2 x S2", heat, 0, 2, RM2_ERR_ARGUMENT, "factor 1 (R2): lengthscale 0");
    refuses(*state, "S2", heat, -1, 1, RM2_ERR_ARGUMENT, "lengthscale -1");
    refuses(*state, "S2", heat, (double)NAN, 1, RM2_ERR_ARGUMENT, "lengthscale");
    refuses(*state, "S2", heat, 1e101, 1, RM2_ERR_ARGUMENT, "lengthscale 1e+101");
    refuses(*state, "R1 x SPD4", heat, 1, 2, RM2_ERR_UNSUPPORTED, "factor 2 (SPD4): heat on SPD4");
    refuses(*state, "SPD4", heat, 1, 1, RM2_ERR_UNSUPPORTED, "use log-euclidean");
    refuses(*state, "SPD2", matern, 1, 1, RM2_ERR_UNSUPPORTED, "use heat or log-euclidean");
    refuses(*state, "SPD3", heat, 9, 1, RM2_ERR_UNSUPPORTED, "up to lengthscale 8");
    refuses(*state, "H10", matern, 1, 1, RM2_ERR_UNSUPPORTED, "up to H9");
    refuses(*state, "S2", RM2_KERNEL_LOG_EUCLIDEAN, 1, 1, RM2_ERR_UNSUPPORTED, "SPD matrices");
    refuses(*state, "S2", (rm2_kernel_kind)77, 1, 1, RM2_ERR_ARGUMENT, "kernel 77");
}

static void test_bad_points(void **state) {
    bed b = make_bed(*state, "R2 x S2", RM2_KERNEL_HEAT, 1);
    b.X[4 * b.ambient + 2] += 0.1;
    assert_int_equal(rm2_manifold_kernel_matrix(*state, b.k, N, b.X, 0, NULL, b.K), RM2_ERR_DOMAIN);
    assert_non_null(strstr(rm2_context_error(*state), "point 4, factor 2 (S2)"));
    b.X[4 * b.ambient + 2] -= 0.1;
    double bad[5] = {(double)NAN, 0, 1, 0, 0};
    assert_int_equal(rm2_manifold_kernel_matrix(*state, b.k, N, b.X, 1, bad, b.K), RM2_ERR_DOMAIN);
    assert_non_null(strstr(rm2_context_error(*state), "second set: point 0, factor 1 (R2)"));
    free_bed(&b);
}

static void test_names(void **state) {
    rm2_kernel_kind kind = RM2_KERNEL_HEAT;
    assert_true(rm2_kernel_from_name("log-euclidean", &kind));
    assert_int_equal(kind, RM2_KERNEL_LOG_EUCLIDEAN);
    assert_false(rm2_kernel_from_name("cosine", &kind));
    assert_int_equal(kind, RM2_KERNEL_LOG_EUCLIDEAN);
    assert_string_equal(rm2_kernel_name(RM2_KERNEL_MATERN32), "matern32");
    assert_string_equal(rm2_kernel_name((rm2_kernel_kind)99), "?");
    bed b = make_bed(*state, "R3 x S3", RM2_KERNEL_HEAT, 0.2);
    assert_string_equal(rm2i_manifold_kernel_text(b.k),
                        "heat (lengthscale 0.2) on R3 x heat (lengthscale 0.2) on S3");
    free_bed(&b);
    rm2_factor large = {.geometry = &rm2_spd, .n = 4}, small = {.geometry = &rm2_spd, .n = 3};
    assert_int_equal(rm2_kernel_default(&large), RM2_KERNEL_LOG_EUCLIDEAN);
    assert_int_equal(rm2_kernel_default(&small), RM2_KERNEL_HEAT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_matrices),      WITH_CONTEXT(test_isometries),
        WITH_CONTEXT(test_images),        WITH_CONTEXT(test_rotations),
        WITH_CONTEXT(test_matern_three),  WITH_CONTEXT(test_hyperbolic_values),
        WITH_CONTEXT(test_matern_series), WITH_CONTEXT(test_equations),
        WITH_CONTEXT(test_spd3),          WITH_CONTEXT(test_limits),
        WITH_CONTEXT(test_neighbours),    WITH_CONTEXT(test_messages),
        WITH_CONTEXT(test_bad_points),    WITH_CONTEXT(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
