/* Per-output noise by factors and by the eigenproblem: the same numbers, also where Kf is singular; the same bits on any
 * number of threads. Against the definition both are tested in test_objective. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "gp/likelihood.h"

enum { MOST_M = 6 };

typedef struct problem {
    size_t N, M;
    rm2i_per_output po;
    double *K, *K_bar, *Kf, *Kf_bar, *F, *d_bar, *work, *memory;
} problem;

static void lay_out(void *problem_, rm2i_arena *a) {
    problem *p = problem_;
    size_t N = p->N, M = p->M;
    rm2i_per_output *po = &p->po;
    double **const squares[] = {&p->K, &p->K_bar, &po->V};
    double **const tasks[] = {&p->Kf, &p->Kf_bar, &po->Ut};
    double **const outputs[] = {&p->F, &po->rotated, &po->alpha, &po->Am};
    double **const vectors[] = {&p->d_bar, &po->l, &po->d, &po->weight, &po->inverse};
    for (size_t k = 0; k < 3; k++) {
        *squares[k] = rm2i_reserve(a, double, N, N);
        *tasks[k] = rm2i_reserve(a, double, M, M);
    }
    for (size_t k = 0; k < 4; k++)
        *outputs[k] = rm2i_reserve(a, double, M, N);
    for (size_t k = 0; k < 5; k++)
        *vectors[k] = rm2i_reserve(a, double, M);
    po->o = rm2i_reserve(a, double, N);
    p->work = rm2i_reserve(a, double, rm2i_per_output_work(N, M));
}

/* Kf = B B^T of the given rank, and a diagonal where it is full. */
static problem make(rm2_context *ctx, size_t N, size_t M, size_t rank) {
    problem p = {.N = N, .M = M, .po = {.ctx = ctx, .N = N, .M = M}};
    assert_int_equal(rm2i_arena_calloc(NULL, lay_out, &p, &p.memory), RM2_OK);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            p.K[i * N + j] = 1.3 * exp(-0.5 * pow(((double)i - (double)j) / 6, 2));
    for (size_t a = 0; a < M; a++) {
        p.po.d[a] = 0.05 + 0.02 * (double)a;
        for (size_t b = 0; b < M; b++) {
            for (size_t r = 0; r < rank; r++)
                p.Kf[a * M + b] +=
                    sin(1.0 + (double)(a * rank + r)) * sin(1.0 + (double)(b * rank + r));
            p.Kf[a * M + b] += rank == M && a == b ? 0.1 : 0;
        }
        for (size_t n = 0; n < N; n++)
            p.F[a * N + n] = sin((double)n / (3.0 + (double)a)) + 0.1 * cos((double)(7 * n + a));
    }
    return p;
}

static void by_factors(problem *p) {
    assert_int_equal(rm2i_per_output_factor(&p->po, p->Kf, p->F, p->K, p->K_bar, p->work), RM2_OK);
    rm2i_per_output_task_backward(&p->po, p->K, p->Kf_bar, p->d_bar, p->work);
}

static void by_eigenvectors(problem *p) {
    memcpy(p->po.V, p->K, p->N * p->N * sizeof *p->K);
    assert_int_equal(rm2i_per_output_solve(&p->po, p->Kf, p->F, p->work), RM2_OK);
    rm2i_per_output_kernel_backward(&p->po, p->K_bar, p->work);
    rm2i_per_output_task_backward(&p->po, p->K, p->Kf_bar, p->d_bar, p->work);
}

/* Relative to the largest of them. */
static void close_to(size_t count, const double *a, const double *b, double tolerance) {
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(b[i]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * largest))
            fail_msg("number %zu of %zu: %.17g and %.17g", i, count, a[i], b[i]);
}

static void clear_above(size_t N, double *A) {
    for (size_t i = 0; i < N; i++)
        memset(A + i * N + i + 1, 0, (N - i - 1) * sizeof *A);
}

static void compare(size_t N, size_t M, size_t rank) {
    problem a = make(NULL, N, M, rank), b = make(NULL, N, M, rank);
    by_factors(&a);
    by_eigenvectors(&b);
    clear_above(N, a.K_bar);
    clear_above(N, b.K_bar);
    assert_true(fabs(a.po.value - b.po.value) <= 1e-10 * fabs(b.po.value));
    close_to(N * N, a.K_bar, b.K_bar, 1e-10);
    close_to(M * M, a.Kf_bar, b.Kf_bar, 1e-10);
    close_to(M, a.d_bar, b.d_bar, 1e-10);
    close_to(M * N, a.po.Am, b.po.Am, 1e-10);
    free(a.memory);
    free(b.memory);
}

/* B_m has a condition of up to 1.3 * 15 * N/0.05 or so, some 1e4: 1e-10 leaves room for N eps of it. */
static void both_ways_agree(void **state) {
    (void)state;
    const size_t sizes[] = {2, 5, 64, 150};
    for (size_t s = 0; s < 4; s++)
        for (size_t M = 1; M <= MOST_M; M++)
            compare(sizes[s], M, M);
}

/* Kf of rank 1 and of rank 0: all but one, and all, of the l are rounding or 0. */
static void singular_task_covariance(void **state) {
    (void)state;
    for (size_t rank = 0; rank <= 1; rank++)
        compare(40, 3, rank);
}

static void no_noise_is_refused(void **state) {
    (void)state;
    problem p = make(NULL, 20, 2, 2);
    p.po.d[1] = 0;
    assert_int_equal(rm2i_per_output_factor(&p.po, p.Kf, p.F, p.K, p.K_bar, p.work),
                     RM2_ERR_NUMERIC);
    p.po.d[1] = 0.1;
    p.K[0] = NAN;
    assert_int_equal(rm2i_per_output_factor(&p.po, p.Kf, p.F, p.K, p.K_bar, p.work),
                     RM2_ERR_NUMERIC);
    free(p.memory);
}

static void the_same_bits(void **state) {
    (void)state;
    problem p[2];
    for (int t = 0; t < 2; t++) {
        rm2_context *ctx;
        assert_int_equal(rm2_context_create(&ctx), RM2_OK);
        rm2_context_set_threads(ctx, 1 + 2 * t);
        p[t] = make(ctx, 450, 3, 3);
        by_factors(&p[t]);
        clear_above(450, p[t].K_bar);
        rm2_context_free(ctx);
    }
    assert_true(p[0].po.value == p[1].po.value);
    assert_memory_equal(p[0].K_bar, p[1].K_bar, 450 * 450 * sizeof(double));
    assert_memory_equal(p[0].Kf_bar, p[1].Kf_bar, 9 * sizeof(double));
    assert_memory_equal(p[0].d_bar, p[1].d_bar, 3 * sizeof(double));
    free(p[0].memory);
    free(p[1].memory);
}

/* The scratch of factors is enough for both calls, and never more than the other. */
static void scratch(void **state) {
    (void)state;
    for (size_t N = 2; N < 200; N += 33)
        for (size_t M = 1; M <= 8; M++) {
            assert_true(rm2i_per_output_factor_work(N, M) <= rm2i_per_output_work(N, M));
            assert_true(rm2i_per_output_factor_work(N, M) >= N * M);
        }
    assert_true(rm2i_per_output_few(1200, 6) && !rm2i_per_output_few(1200, 9));
    assert_true(rm2i_per_output_few(200, 4) && !rm2i_per_output_few(200, 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_agree),
        cmocka_unit_test(singular_task_covariance),
        cmocka_unit_test(no_noise_is_refused),
        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
