/* Every allocation of the kernels on manifolds fails once: the call answers RM2_ERR_MEMORY, hands
 * out nothing and leaks nothing. Between them the cases make every part that a kernel can have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "failing_malloc.h"
#include "kernel/manifold_kernel.h"
#include "riemann2/kernel.h"

enum { POINTS = 40, MOST_FACTORS = 4 };

/* What a creation must hold: the kernel, its rules, its text; of a sphere or a rotation group the
 * times and weights of a mixture, a series or two arrays of short times, and a profile (object,
 * coefficients, errors); of a hyperbolic space, and of SPD(2) which contains one, the mixture's two
 * arrays, two of its own and a profile; of SPD(3) a table. */
enum { KERNEL = 3, SPHERE = 2 + 1 + 3, HYPERBOLIC = 2 + 2 + 3, SPD3 = 1 };

typedef struct kernel_case {
    const char *spec;
    rm2_kernel_kind kind;
    double lengthscale;
    long least; /* allocations of the creation */
} kernel_case;

static const kernel_case cases[] = {
    {"R2 x SPD1", RM2_KERNEL_HEAT, 0.5, KERNEL},
    {"R3 x R1", RM2_KERNEL_MATERN32, 0.5, KERNEL},
    {"S1 x S2 x SO3 x S5", RM2_KERNEL_HEAT, 0.5, KERNEL + 4 * SPHERE},
    {"S2 x SO3", RM2_KERNEL_HEAT, 1e-3, KERNEL + 2 * SPHERE},
    {"S2 x SO3", RM2_KERNEL_MATERN52, 0.5, KERNEL + 2 * SPHERE},
    {"H2 x H3", RM2_KERNEL_HEAT, 0.5, KERNEL + 2 * HYPERBOLIC},
    {"H4", RM2_KERNEL_MATERN32, 0.1, KERNEL + HYPERBOLIC},
    {"SPD2 x SPD3", RM2_KERNEL_HEAT, 0.5, KERNEL + HYPERBOLIC + SPD3},
    {"SPD2 x SPD5", RM2_KERNEL_LOG_EUCLIDEAN, 0.5, KERNEL},
};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct fixture {
    rm2_context *ctx;
    rm2_manifold *m;
    rm2_manifold_kernel *kernel;
    rm2_factor_kernel settings[MOST_FACTORS];
    double *points, *matrix;
} fixture;

/* ---- calls under test ----------------------------------------------------------------------- */

static rm2_status create(void *state) {
    fixture *f = state;
    rm2_manifold_kernel *kernel;
    rm2_status status = rm2_manifold_kernel_create(f->ctx, f->m, f->settings,
                                                   rm2_manifold_factor_count(f->m), &kernel);
    assert_true((status == RM2_OK) == (kernel != NULL));
    rm2_manifold_kernel_free(kernel);
    return status;
}

static rm2_status own_matrix(void *state) {
    fixture *f = state;
    return rm2_manifold_kernel_matrix(f->ctx, f->kernel, POINTS, f->points, 0, NULL, f->matrix);
}

static rm2_status cross_matrix(void *state) {
    fixture *f = state;
    return rm2_manifold_kernel_matrix(f->ctx, f->kernel, POINTS, f->points, POINTS, f->points,
                                      f->matrix);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static fixture make(const kernel_case *c) {
    fixture f;
    assert_int_equal(rm2_context_create(&f.ctx), RM2_OK);
    rm2_context_set_threads(f.ctx, 1);
    assert_int_equal(rm2_manifold_create(f.ctx, c->spec, &f.m), RM2_OK);
    size_t factors = rm2_manifold_factor_count(f.m);
    assert_in_range(factors, 1, MOST_FACTORS);
    for (size_t k = 0; k < factors; k++)
        f.settings[k] = (rm2_factor_kernel){c->kind, c->lengthscale};
    f.points = calloc(POINTS * rm2_manifold_ambient(f.m), sizeof *f.points);
    f.matrix = calloc((size_t)POINTS * POINTS, sizeof *f.matrix);
    assert_true(f.points && f.matrix);
    assert_int_equal(rm2_manifold_random(f.ctx, f.m, POINTS, f.points), RM2_OK);
    assert_int_equal(rm2_manifold_kernel_create(f.ctx, f.m, f.settings, factors, &f.kernel),
                     RM2_OK);
    return f;
}

static void drop(fixture *f) {
    rm2_manifold_kernel_free(f->kernel);
    rm2_manifold_free(f->m);
    free(f->points);
    free(f->matrix);
    rm2_context_free(f->ctx);
}

static void creation(void **state) {
    (void)state;
    for (size_t k = 0; k < CASES; k++) {
        fixture f = make(&cases[k]);
        long count = fail_each_allocation(f.ctx, create, &f);
        if (count < cases[k].least)
            fail_msg("%s: %ld allocations, not %ld", rm2i_manifold_kernel_text(f.kernel), count,
                     cases[k].least);
        drop(&f);
    }
}

/* Features of one set or of two, and scratch for each. */
static void matrices(void **state) {
    (void)state;
    for (size_t k = 0; k < CASES; k++) {
        fixture f = make(&cases[k]);
        assert_true(fail_each_allocation(f.ctx, own_matrix, &f) >= 2);
        assert_true(fail_each_allocation(f.ctx, cross_matrix, &f) >= 4);
        drop(&f);
    }
}

/* A point off the manifold costs one allocation more, to find out which factor it was. */
static void explanation(void **state) {
    (void)state;
    fixture f = make(&cases[4]);
    f.points[3 * rm2_manifold_ambient(f.m)] += 0.1;
    fail_allocation_after(2, false); /* features, scratch */
    assert_int_equal(own_matrix(&f), RM2_ERR_MEMORY);
    fail_no_allocation();
    assert_int_equal(own_matrix(&f), RM2_ERR_DOMAIN);
    drop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation),
        cmocka_unit_test(matrices),
        cmocka_unit_test(explanation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
