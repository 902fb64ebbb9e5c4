/* kernel.h: arguments that are missing are named. */
#include "api.h"
#include "kernel/manifold_kernel.h"

static void names(void **state) {
    (void)state;
    rm2_kernel_kind kind = RM2_KERNEL_MATERN52;
    assert_string_equal(rm2_kernel_name((rm2_kernel_kind)77), "?");
    assert_false(rm2_kernel_from_name(NULL, &kind));
    assert_int_equal(kind, RM2_KERNEL_MATERN52);
    assert_false(rm2_kernel_from_name("heat", NULL));
    assert_int_equal(rm2_kernel_default(NULL), RM2_KERNEL_HEAT);
}

static void kernels(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R2");
    rm2_factor_kernel s = {RM2_KERNEL_HEAT, 1}, unknown = {(rm2_kernel_kind)77, 1};
    const double X[] = {0, 0, 1, 1};
    double K[4];
    rm2_manifold_kernel *k;
    NO_CONTEXT(rm2_manifold_kernel_create(NULL, m, &s, 1, &k));
    MISSING("kernel", rm2_manifold_kernel_create(ctx, m, &s, 1, NULL));
    MISSING("manifold", rm2_manifold_kernel_create(ctx, NULL, &s, 1, &k));
    MISSING("settings", rm2_manifold_kernel_create(ctx, m, NULL, 1, &k));
    assert_null(k);
    assert_int_not_equal(rm2_manifold_kernel_create(ctx, m, &unknown, 1, &k), RM2_OK);
    assert_null(k);
    MUST(rm2_manifold_kernel_create(ctx, m, &s, 1, &k));
    NO_CONTEXT(rm2_manifold_kernel_matrix(NULL, k, 2, X, 0, NULL, K));
    MISSING("kernel", rm2_manifold_kernel_matrix(ctx, NULL, 2, X, 0, NULL, K));
    MISSING("X", rm2_manifold_kernel_matrix(ctx, k, 2, NULL, 0, NULL, K));
    MISSING("K", rm2_manifold_kernel_matrix(ctx, k, 2, X, 0, NULL, NULL));
    assert_string_equal(rm2i_manifold_kernel_text(NULL), "");
    rm2_manifold_kernel_free(NULL);
    rm2_manifold_kernel_free(k);
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        WITH_CONTEXT(kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
