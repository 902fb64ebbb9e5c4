/* Coordinates of tangent vectors in the frame at a point, and squared norms of a geometry that has no call of its own for
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "context_fixture.h"
#include "manifold/manifold.h"
#include "near.h"

enum { POINTS = 7, MOST = 64 };

static const char *const specs[] = {"R3", "S2", "SO3", "SPD3", "SPD3:log", "H2", "R2 x S2 x SPD2"};

/* to_coords is the inverse of from_coords, and the frame is orthonormal: norms of coordinates are those of vectors.
 * Tolerance: a few hundred roundings of entries of size 1 to 10. */
static void coordinates_return(void **state) {
    rm2_context *ctx = *state;
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        rm2_manifold *m = make_manifold(ctx, specs[k]);
        double p[POINTS * MOST], v[POINTS * MOST], c[POINTS * MOST], again[POINTS * MOST],
            norm[POINTS];
        size_t dim = rm2_manifold_dim(m);
        assert_int_equal(rm2_manifold_random(ctx, m, POINTS, p), RM2_OK);
        for (size_t i = 0; i < POINTS * dim; i++)
            c[i] = sin(1 + 3.0 * (double)i);
        for (size_t p_count = 1; p_count <= POINTS; p_count += POINTS - 1) {
            assert_int_equal(rm2_manifold_from_coords(ctx, m, POINTS, p, p_count, c, v), RM2_OK);
            assert_int_equal(rm2_manifold_to_coords(ctx, m, POINTS, p, p_count, v, again), RM2_OK);
            assert_int_equal(rm2_manifold_inner(ctx, m, POINTS, p, p_count, v, v, norm), RM2_OK);
            for (size_t i = 0; i < POINTS; i++) {
                double square = 0;
                for (size_t d = 0; d < dim; d++) {
                    assert_near(again[i * dim + d], c[i * dim + d], 1e-11);
                    square += c[i * dim + d] * c[i * dim + d];
                }
                assert_near(norm[i], square, 1e-11 * (1 + square));
            }
        }
        rm2_manifold_free(m);
    }
}

static void fails_at_a_point_that_is_off(void **state) {
    rm2_context *ctx = *state;
    const double p[] = {1, 0, 0, 3, 0, 0}, v[6] = {0};
    double c[4];
    rm2_manifold *m = make_manifold(ctx, "S2");
    assert_int_equal(rm2_manifold_to_coords(ctx, m, 2, p, 2, v, c), RM2_ERR_DOMAIN);
    assert_contains(rm2_context_error(ctx), "point 1");
    rm2_manifold_free(m);
}

/* Norms by the calls for single vectors agree with those of the geometry. */
static void norms_by_default(void **state) {
    rm2_context *ctx = *state;
    enum { VECTORS = 3, DIRECTIONS = 2 };
    for (size_t k = 0; k < 6; k++) {
        rm2_manifold *m = make_manifold(ctx, specs[k]);
        rm2_factor plain = *rm2_manifold_factor(m, 0);
        rm2_geometry without = *plain.geometry;
        without.metric_norms = NULL;
        plain.geometry = &without;
        size_t dim = plain.dim;
        double c[MOST], W[VECTORS * MOST], Z[DIRECTIONS * MOST], work[4096];
        for (size_t i = 0; i < dim; i++)
            c[i] = 0.3 * cos((double)i);
        for (size_t i = 0; i < VECTORS * dim; i++)
            W[i] = sin(2.0 * (double)i);
        for (size_t i = 0; i < DIRECTIONS * dim; i++)
            Z[i] = cos(5.0 * (double)i);
        double value[2][VECTORS] = {{0}}, derivative[2][VECTORS * DIRECTIONS] = {{0}};
        assert_true(rm2i_factor_work(&plain) <= sizeof work / sizeof *work);
        for (int own = 0; own < 2; own++) {
            const rm2_norms_query q = {VECTORS, W,     DIRECTIONS, Z,
                                       dim,     false, value[own], derivative[own]};
            const rm2_factor *f = own ? rm2_manifold_factor(m, 0) : &plain;
            assert_int_equal(rm2i_factor_norms(f, c, &q, work), RM2_OK);
        }
        for (size_t i = 0; i < VECTORS; i++)
            assert_near(value[0][i], value[1][i], 1e-11 * (1 + fabs(value[1][i])));
        for (size_t i = 0; i < VECTORS * DIRECTIONS; i++)
            assert_near(derivative[0][i], derivative[1][i], 1e-10 * (1 + fabs(derivative[1][i])));
        rm2_manifold_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(coordinates_return),
        WITH_CONTEXT(fails_at_a_point_that_is_off),
        WITH_CONTEXT(norms_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
