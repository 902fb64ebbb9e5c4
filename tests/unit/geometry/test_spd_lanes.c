/* SPD(n), 4 < n <= 32, four points at a time: the same as one by one, near the base point and away from it, and no lane
 * changes another; spectra that are too wide go to the calls for single points. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "riemann2/manifold.h"
#include "shared_context.h"

enum { POINTS = 11, MOST = 32 * 32 };

static double p[POINTS * MOST], v[POINTS * MOST], q[POINTS * MOST], many[POINTS * MOST];

static double largest(size_t count, const double *x) {
    double size = 0;
    for (size_t i = 0; i < count; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

/* Backward errors of n eps, through a whitening of condition 1e4 at most. */
static void assert_close(size_t count, const double *a, const double *b) {
    double allowed = 1e-11 * fmax(largest(count, b), 1e-6);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(a[i] - b[i]) <= allowed);
}

/* Tangent vectors of length 1e-3 to 3 at the point p. */
static void make_vectors(const rm2_manifold *m, size_t D) {
    ok(rm2_manifold_random(ctx, m, POINTS, p));
    for (size_t k = 0; k < POINTS; k++)
        ok(rm2_manifold_log(ctx, m, 1, p, 1, p + (k + 1) % POINTS * D, v + k * D));
    for (size_t k = 0; k < POINTS; k++) {
        double size = largest(D, v + k * D) / largest(D, p);
        for (size_t i = 0; i < D && size > 0; i++)
            v[k * D + i] *= pow(10, -3 + 3.0 * (double)k / POINTS) / size;
    }
}

static void the_same_as_one_by_one(void **state) {
    (void)state;
    for (size_t n = 5; n <= 32; n += n < 16 ? 2 : 8) {
        char spec[16];
        rm2_manifold *m;
        size_t D = n * n;
        double one[MOST];
        (void)snprintf(spec, sizeof spec, "SPD%zu", n);
        ok(rm2_manifold_create(ctx, spec, &m));
        make_vectors(m, D);
        ok(rm2_manifold_exp(ctx, m, POINTS, p, 1, v, q));
        ok(rm2_manifold_log(ctx, m, POINTS, p, 1, q, many));
        for (size_t k = 0; k < POINTS; k++) {
            ok(rm2_manifold_exp(ctx, m, 1, p, 1, v + k * D, one));
            assert_close(D, q + k * D, one);
            ok(rm2_manifold_log(ctx, m, 1, p, 1, q + k * D, one));
            assert_close(D, many + k * D, one);
        }
        rm2_manifold_free(m);
    }
}

/* The bits of a point do not depend on those around it. */
static void company_does_not_matter(void **state) {
    (void)state;
    rm2_manifold *m;
    enum { D = 225 };
    static double some[5 * D];
    ok(rm2_manifold_create(ctx, "SPD15", &m));
    make_vectors(m, D);
    ok(rm2_manifold_exp(ctx, m, POINTS, p, 1, v, q));
    ok(rm2_manifold_exp(ctx, m, 5, p, 1, v + 3 * D, some));
    assert_memory_equal(some, q + 3 * D, sizeof some);
    ok(rm2_manifold_log(ctx, m, POINTS, p, 1, q, many));
    ok(rm2_manifold_log(ctx, m, 5, p, 1, q + 3 * D, some));
    assert_memory_equal(some, many + 3 * D, sizeof some);
    rm2_manifold_free(m);
}

/* diag(1e-9, 1, ..., 1): log has log(1e-9) to all digits, by the way for single points. */
static void wide_spectra_keep_their_digits(void **state) {
    (void)state;
    rm2_manifold *m;
    enum { N = 6, D = N * N };
    double base[D], two[2 * D], logs[2 * D];
    ok(rm2_manifold_create(ctx, "SPD6", &m));
    for (size_t i = 0; i < D; i++)
        base[i] = two[i] = two[D + i] = i % (N + 1) == 0;
    two[0] = 1e-9;
    ok(rm2_manifold_log(ctx, m, 2, base, 1, two, logs));
    assert_true(fabs(logs[0] - log(1e-9)) <= 1e-13 * fabs(log(1e-9)));
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_as_one_by_one),
        cmocka_unit_test(company_does_not_matter),
        cmocka_unit_test(wide_spectra_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
