/* Squared norms of many vectors under the pulled-back metric, w^T G w = |dExp_c w|^2 at Exp(c), and
 * their derivatives by c: from the differential of the exponential map itself.
 *
 * Tolerances: dExp and the inner product keep 1e-12 of the norm; five-point differences over 1e-3
 * have truncation 1e-13 times a fifth derivative below 1e3 and rounding 1e-12/1e-3: 1e-8. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "manifold/manifold.h"

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

static double *numbers(size_t count) {
    double *block = calloc(count, sizeof *block);
    assert_non_null(block);
    return block;
}

static void random_numbers(size_t count, uint64_t seed, double scale, double *out) {
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++)
        out[i] = scale * rm2_rng_normal(&rng);
}

enum { MOST = 32 };

/* |dExp_c w|^2 at Exp(c), from the default point. */
static double squared_norm(const rm2_manifold *m, const double *c, const double *w) {
    double p[MOST], v[MOST], y[MOST], ambient[MOST], moved[MOST], value;
    assert_true(rm2_manifold_ambient(m) <= MOST);
    rm2_manifold_default_point(m, p);
    assert_int_equal(rm2_manifold_from_coords(ctx, m, 1, p, 1, c, v), RM2_OK);
    assert_int_equal(rm2_manifold_from_coords(ctx, m, 1, p, 1, w, ambient), RM2_OK);
    assert_int_equal(rm2_manifold_exp(ctx, m, 1, p, 1, v, y), RM2_OK);
    assert_int_equal(rm2_manifold_dexp(ctx, m, 1, p, 1, v, ambient, moved), RM2_OK);
    assert_int_equal(rm2_manifold_inner(ctx, m, 1, y, 1, moved, moved, &value), RM2_OK);
    return value;
}

static double differences(const rm2_manifold *m, const double *c, const double *z,
                          const double *w) {
    static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
    double sum = 0, moved[MOST], h = 1e-3;
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < m->dim; i++)
            moved[i] = c[i] + at[k] * h * z[i];
        sum += weight[k] * squared_norm(m, moved, w);
    }
    return sum / (12 * h);
}

static void check(const char *spec, double size) {
    enum { VECTORS = 7, DIRECTIONS = 6 };
    double c[MOST], W[VECTORS * MOST], Z[DIRECTIONS * MOST], value[VECTORS], alone[VECTORS];
    double derivative[VECTORS * DIRECTIONS], largest = 1;
    rm2_manifold *m;
    assert_int_equal(rm2_manifold_create(ctx, spec, &m), RM2_OK);
    double *work = numbers(m->work_size);
    random_numbers(m->dim, 1, size, c);
    random_numbers(VECTORS * m->dim, 2, 1, W);
    random_numbers(DIRECTIONS * m->dim, 3, 1, Z);
    assert_int_equal(
        rm2i_manifold_metric_norms(
            m, c, &(rm2_norms_query){VECTORS, W, DIRECTIONS, Z, m->dim, false, value, derivative},
            work, NULL),
        RM2_OK);
    assert_int_equal(
        rm2i_manifold_metric_norms(
            m, c, &(rm2_norms_query){VECTORS, W, 0, NULL, m->dim, false, alone, NULL}, work, NULL),
        RM2_OK);
    assert_memory_equal(value, alone, sizeof value);
    for (size_t k = 0; k < VECTORS * DIRECTIONS; k++)
        largest = fmax(largest, fabs(derivative[k]));
    for (size_t k = 0; k < VECTORS; k++) {
        const double *w = W + k * m->dim;
        double expected = squared_norm(m, c, w);
        if (!(fabs(value[k] - expected) <= 1e-12 * expected))
            fail_msg("%s, vector %zu: %.16g, not %.16g", spec, k, value[k], expected);
        for (size_t d = 0; d < DIRECTIONS; d++) {
            double slope = differences(m, c, Z + d * m->dim, w), found;
            found = derivative[k * DIRECTIONS + d];
            if (!(fabs(found - slope) <= 1e-8 * largest))
                fail_msg("%s, vector %zu, direction %zu: %.14g, not %.14g", spec, k, d, found,
                         slope);
        }
    }
    free(work);
    rm2_manifold_free(m);
}

/* With an own call (SPD), without, products of both; eigenvalues that differ, nearly agree, agree. */
static void test_definition(void **state) {
    (void)state;
    static const char *const specs[] = {
        "SPD1", "SPD3", "SPD5", "R2 x S2", "H3", "R3 x SO3", "SPD2 x S2 x SPD3"};
    static const double sizes[] = {0.8, 1e-4, 0};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (size_t k = 0; k < 3; k++)
            check(specs[i], sizes[k]);
}

/* Sums over the vectors, by matrix products or not, against those of the norms above. */
static void test_sums(void **state) {
    (void)state;
    enum { DIRECTIONS = 6 };
    static const char *const specs[] = {"SPD3", "SPD5", "R2 x S2", "SPD6 x S2 x SPD2", "SPD15"};
    static const size_t counts[] = {0, 1, 7, 200};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (size_t k = 0; k < 4; k++) {
            rm2_manifold *m;
            assert_int_equal(rm2_manifold_create(ctx, specs[i], &m), RM2_OK);
            size_t count = counts[k], all = count * (1 + DIRECTIONS), dim = m->dim;
            double *work = numbers(m->work_size), *c = numbers(dim), *W = numbers(count * dim + 1);
            double *Z = numbers(DIRECTIONS * dim), *each = numbers(all + 1),
                   *sums = numbers(all + 1);
            random_numbers(dim, 1, k == 1 ? 0 : 0.5, c);
            random_numbers(count * dim, 2, 1, W);
            random_numbers(DIRECTIONS * dim, 3, 1, Z);
            assert_int_equal(
                rm2i_manifold_metric_norms(
                    m, c,
                    &(rm2_norms_query){count, W, DIRECTIONS, Z, m->dim, false, each, each + count},
                    work, NULL),
                RM2_OK);
            assert_int_equal(
                rm2i_manifold_metric_norms(
                    m, c,
                    &(rm2_norms_query){count, W, DIRECTIONS, Z, m->dim, true, sums, sums + count},
                    work, NULL),
                RM2_OK);
            double total[2][1 + DIRECTIONS] = {{0}};
            for (size_t j = 0; j < count; j++)
                for (size_t d = 0; d <= DIRECTIONS; d++) {
                    size_t at = d ? count + j * DIRECTIONS + d - 1 : j;
                    total[0][d] += each[at];
                    total[1][d] += sums[at];
                }
            for (size_t d = 0; d <= DIRECTIONS; d++) /* derivatives may cancel */
                assert_true(fabs(total[1][d] - total[0][d]) <= 1e-12 * total[0][0]);
            free(work);
            free(c);
            free(W);
            free(Z);
            free(each);
            free(sums);
            rm2_manifold_free(m);
        }
}

/* More vectors than the coordinates there are, which is more than one block of large matrices, and
 * more directions than are done at once: the same as metric and metric_derivative one by one. */
static void test_blocks(void **state) {
    (void)state;
    enum { DIRECTIONS = 6, COUNT = 600 };
    rm2_manifold *m;
    assert_int_equal(rm2_manifold_create(ctx, "R1 x SPD23", &m), RM2_OK);
    size_t dim = m->dim;
    double *work = numbers(m->work_size), *c = numbers(2 * dim), *out = c + dim;
    double *W = numbers(COUNT * dim), *Z = numbers(DIRECTIONS * dim), *value = numbers(COUNT);
    double *derivative = numbers((size_t)COUNT * DIRECTIONS);
    random_numbers(dim, 1, 0.2, c);
    random_numbers(COUNT * dim, 2, 1, W);
    random_numbers(DIRECTIONS * dim, 3, 1, Z);
    assert_int_equal(rm2i_manifold_metric_norms(m, c,
                                                &(rm2_norms_query){COUNT, W, DIRECTIONS, Z, m->dim,
                                                                   false, value, derivative},
                                                work, NULL),
                     RM2_OK);
    for (size_t k = 0; k < COUNT; k += 23) {
        double expected = 0;
        const double *w = W + k * dim;
        assert_int_equal(
            rm2i_manifold_metric(m, c, &(rm2_product_query){1, w, out, m->dim}, work, NULL),
            RM2_OK);
        for (size_t i = 0; i < dim; i++)
            expected += w[i] * out[i];
        assert_true(fabs(value[k] - expected) <= 1e-12 * expected);
        for (size_t d = 0; d < DIRECTIONS; d++) {
            double slope = 0;
            assert_int_equal(
                rm2i_manifold_metric_derivative(
                    m, c, Z + d * dim, &(rm2_product_query){1, w, out, m->dim}, work, NULL),
                RM2_OK);
            for (size_t i = 0; i < dim; i++)
                slope += w[i] * out[i];
            assert_true(fabs(derivative[k * DIRECTIONS + d] - slope) <= 1e-11 * expected);
        }
    }
    free(work);
    free(c);
    free(W);
    free(Z);
    free(value);
    free(derivative);
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
