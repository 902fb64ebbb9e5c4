/* Jets of the metric of the exponential map against the calls for one vector, w^T G w, dG[z] and squared
 * norms, which test_manifold_norms.c takes back to the exponential map itself.
 *
 * Tolerances: products with n x n matrices keep 1e-13 of the largest entry; traces of SPD(n) are
 * interpolated to 1e-13 (spd_jet.c), and slopes lose three digits where eigenvalues nearly agree. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "manifold/jet.h"
#include "math/special.h"

enum { POINTS = 3, COUNT = 2, DIRECTIONS = 2 };

static rm2_context *ctx;

static int setup(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

static double *numbers(size_t count, uint64_t seed, double scale) {
    rm2_rng rng;
    double *block = calloc(count + 1, sizeof *block);
    assert_non_null(block);
    rm2_rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++)
        block[i] = scale * rm2_rng_normal(&rng);
    return block;
}

static void near(const char *what, const char *spec, double found, double expected, double slack) {
    if (!(fabs(found - expected) <= slack))
        fail_msg("%s of %s: %.16g, not %.16g (off by %.2g)", what, spec, found, expected,
                 found - expected);
}

static double dot(size_t n, const double *x, const double *y) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

typedef struct subject {
    const char *spec;
    rm2_manifold *m;
    size_t from, to;
    double *c, *W, *Z, *Pt, *GW, *work;
    double slope[POINTS * DIRECTIONS * COUNT * COUNT], trace[POINTS];
    double trace_slope[POINTS * DIRECTIONS];
} subject;

/* Gc w and dGc[z] w of one vector, without coordinates outside of the part. */
static void product(const subject *s, size_t i, const double *z, const double *w, double *out) {
    const double *c = s->c + i * s->m->dim;
    const rm2_product_query query = {1, w, out, s->m->dim};
    assert_int_equal(z ? rm2i_manifold_metric_derivative(s->m, c, z, &query, s->work, NULL)
                       : rm2i_manifold_metric(s->m, c, &query, s->work, NULL),
                     RM2_OK);
    for (size_t k = 0; k < s->m->dim; k++)
        out[k] = k >= s->from && k < s->to ? out[k] : 0;
}

/* sum_m p_m^T Gc p_m, or with dGc[z]; *size: what it is made of. */
static double trace_of(const subject *s, size_t i, const double *z, double *size) {
    size_t dim = s->m->dim;
    double sum = 0, *out = numbers(dim, 0, 0);
    *size = 0;
    for (size_t k = 0; k < dim; k++) {
        product(s, i, z, s->Pt + k * dim, out);
        double part = dot(dim, s->Pt + k * dim, out);
        sum += part;
        *size += fabs(part);
    }
    free(out);
    return sum;
}

static void compare_vectors(const subject *s, size_t i) {
    size_t dim = s->m->dim;
    double *out = numbers(dim, 0, 0);
    for (size_t k = 0; k < COUNT; k++) {
        const double *w = s->W + (i * COUNT + k) * dim, *found = s->GW + (i * COUNT + k) * dim;
        product(s, i, NULL, w, out);
        double size = sqrt(dot(dim, out, out));
        for (size_t j = 0; j < dim; j++)
            near("product", s->spec, found[j], out[j], 1e-12 * size);
        for (size_t d = 0; d < DIRECTIONS; d++) {
            product(s, i, s->Z + (i * DIRECTIONS + d) * dim, w, out);
            size = 1 + sqrt(dot(dim, out, out));
            for (size_t l = 0; l < COUNT; l++) {
                const double *v = s->W + (i * COUNT + l) * dim;
                double slope = s->slope[((i * DIRECTIONS + d) * COUNT + l) * COUNT + k];
                near("slope", s->spec, slope, dot(dim, v, out),
                     1e-10 * size * sqrt(dot(dim, v, v)));
            }
        }
    }
    free(out);
}

static void compare_traces(const subject *s, size_t i) {
    double size, trace = trace_of(s, i, NULL, &size), whole = size;
    near("trace", s->spec, s->trace[i], trace, 1e-12 * whole);
    for (size_t d = 0; d < DIRECTIONS; d++) {
        double slope = trace_of(s, i, s->Z + (i * DIRECTIONS + d) * s->m->dim, &size);
        near("slope of the trace", s->spec, s->trace_slope[i * DIRECTIONS + d], slope,
             1e-10 * (size + whole));
    }
}

/* Inner products alone, without the products: sums of as many terms as there are coordinates. */
static void compare_inner(const subject *s, const rm2i_traces *traces, rm2i_jet_query query,
                          double *work) {
    double inner[POINTS * COUNT * COUNT];
    query.GW = NULL;
    query.inner = inner;
    assert_int_equal(rm2i_jets(traces, &query, work), RM2_OK);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < COUNT; k++)
            for (size_t l = 0; l < COUNT; l++) {
                const double *w = s->W + (i * COUNT + l) * s->m->dim;
                const double *Gw = s->GW + (i * COUNT + k) * s->m->dim;
                double size = sqrt(dot(s->m->dim, w, w) * dot(s->m->dim, Gw, Gw));
                near("inner product", s->spec, inner[(i * COUNT + k) * COUNT + l],
                     dot(s->m->dim, w, Gw), 1e-12 * size);
            }
}

/* Coordinates of this size, of all factors (factor = count) or of one. */
static void check(const char *spec, double size, size_t factor) {
    subject s = {.spec = spec};
    assert_int_equal(rm2_manifold_create(ctx, spec, &s.m), RM2_OK);
    size_t dim = s.m->dim;
    s.from = factor < s.m->count ? s.m->factors[factor].dim_offset : 0;
    s.to = factor < s.m->count ? s.from + s.m->factors[factor].dim : dim;
    s.c = numbers(POINTS * dim, 1, size);
    s.W = numbers(POINTS * COUNT * dim, 2, 1);
    s.Z = numbers(POINTS * DIRECTIONS * dim, 3, 1);
    s.Pt = numbers(dim * dim, 4, 1);
    s.GW = numbers(POINTS * COUNT * dim, 5, 1);
    s.work = numbers(s.m->work_size, 0, 0);
    for (size_t k = 0; k < dim * dim; k++)
        s.Pt[k] = k % dim >= s.from && k % dim < s.to ? s.Pt[k] : 0;
    rm2i_traces *traces;
    assert_int_equal(rm2i_traces_create(ctx, s.m, s.from, s.to, s.Pt, &traces), RM2_OK);
    double *work = numbers(rm2i_jets_work(traces, POINTS, COUNT, DIRECTIONS), 6, 1), alone[POINTS];
    rm2i_jet_query query = {.points = POINTS,
                            .c = s.c,
                            .count = COUNT,
                            .W = s.W,
                            .directions = DIRECTIONS,
                            .Z = s.Z,
                            .stride = dim,
                            .GW = s.GW,
                            .slope = s.slope,
                            .trace = s.trace,
                            .trace_slope = s.trace_slope};
    assert_int_equal(rm2i_jets(traces, &query, work), RM2_OK);
    for (size_t i = 0; i < POINTS; i++) {
        compare_vectors(&s, i);
        compare_traces(&s, i);
    }
    query.directions = 0;
    query.trace = alone;
    assert_int_equal(rm2i_jets(traces, &query, work), RM2_OK);
    for (size_t i = 0; i < POINTS; i++)
        near("trace alone", spec, alone[i], s.trace[i], 1e-12 * s.trace[i]);
    compare_inner(&s, traces, query, work);
    double *own[] = {s.c, s.W, s.Z, s.Pt, s.GW, s.work, work};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        free(own[k]);
    rm2i_traces_free(traces);
    rm2_manifold_free(s.m);
}

/* Eigenvalues far apart (as many nodes as eigenvalues, arguments beyond the series), at the widest interval of the
 * polynomial of traces without slopes, apart, near each other (few nodes), nearly equal, equal. */
static void test_sizes(void **state) {
    (void)state;
    static const double sizes[] = {3, 1.2, 0.7, 0.3, 0.1, 1e-4, 0};
    static const char *const specs[] = {"SPD1", "SPD2", "SPD5", "SPD12", "SPD16"};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 7; k++)
            check(specs[i], sizes[k], 9);
}

static void test_products(void **state) {
    (void)state;
    static const char *const specs[] = {"R2 x S2", "SPD3 x S3 x SPD2", "H2 x SPD4"};
    for (size_t i = 0; i < 3; i++)
        for (size_t factor = 0; factor < 4; factor++)
            check(specs[i], 0.5, factor);
}

/* g and its derivative, many at once and one by one: both are series or closed forms that keep all
 * but some units in the last place. */
static void test_g(void **state) {
    (void)state;
    static const double ranges[] = {1e-3, 0.5, 3, 8, 30};
    for (size_t r = 0; r < 5; r++) {
        double d[101], g[101], g1[101];
        for (int i = 0; i < 101; i++)
            d[i] = ranges[r] * (i - 50) / 50.0;
        rm2i_spd_g_many(101, d, g, g1);
        for (size_t i = 0; i < 101; i++) {
            near("g", "one", g[i], rm2i_spd_g(d[i]), 1e-14 * g[i]);
            near("derivative of g", "one", g1[i], rm2i_spd_g1(d[i]), 2e-14 * fabs(g1[i]));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_products), cmocka_unit_test(test_g)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
