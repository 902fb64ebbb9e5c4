/* Every allocation of the bounds fails once, where the inducing points are chosen in rounds: the call answers
 * RM2_ERR_MEMORY and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_malloc.h"
#include "gp/inducing.h"

enum { N = 300, Q = 2, CONSIDERED = 60 };
/* Among considered points: inputs, memory, rows. Of a round: memory, set (2), candidates, memory, rows. Bounds:
 * numbers, set (2), memory. */
enum { LEAST = 3 + 6 + 4 };

typedef struct fixture {
    rm2_context *ctx;
    rm2i_inducing_data data;
} fixture;

static rm2_status bounds(void *state) {
    fixture *f = state;
    rm2i_bounds found;
    return rm2i_inducing_bounds(f->ctx, &f->data, 1e-4, &found);
}

static void rounds(void **state) {
    (void)state;
    static double X[N * Q], F[N];
    const double lengthscale[Q] = {0.4, 0.5};
    const rm2i_latent_kernel kernel = {RM2_LATENT_SE, Q, lengthscale, 1, 0};
    fixture f = {.data = {.kernel = &kernel,
                          .N = N,
                          .M = 1,
                          .X = X,
                          .F = F,
                          .noise = 0.1,
                          .considered = CONSIDERED}};
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    for (size_t i = 0; i < N * Q; i++)
        X[i] = rm2_rng_normal(&rng);
    assert_int_equal(rm2_context_create(&f.ctx), RM2_OK);
    rm2_context_set_threads(f.ctx, 1);
    assert_true(fail_each_allocation(f.ctx, bounds, &f) >= LEAST);
    rm2_context_free(f.ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
