/* Inducing points for all points where only some are considered at a time: t of all points, from the pass of the
 * bounds, is what was asked for, the bounds bracket the exact value, and threads and ranks change no bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <omp.h>

#include "front/base.h"
#include "gp/inducing.h"
#include "linalg/factor.h"
#include "shared_context.h"
#include "thread_team.h"

enum { N = 1600, M = 2, Q = 2, CONSIDERED = 200, MOST = 700 };

static const double LOG_2PI = 1.8378770664093454836;
static const double NOISE = 0.05;
static const double ENOUGH = 1e-5;

static double X[N * Q], F[M * N];
static const double lengthscale[Q] = {0.5, 0.6};
static const rm2i_latent_kernel kernel = {RM2_LATENT_SE, Q, lengthscale, 1.3, 0};

/* A strip with tails across it: those of the points that are not considered are far from all that are. */
static int setup(void **state) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    omp_set_num_threads(1);
    for (size_t i = 0; i < N; i++) {
        double z = rm2_rng_normal(&rng);
        X[i * Q] = 4 * rm2_rng_uniform(&rng);
        X[i * Q + 1] = 0.15 * z * z * z;
        for (size_t m = 0; m < M; m++)
            F[m * N + i] = sin(2 * X[i * Q] + (double)m) + 0.2 * rm2_rng_normal(&rng);
    }
    return create_shared_context(state);
}

static rm2i_inducing_request request_of(size_t considered) {
    return (rm2i_inducing_request){.kernel = &kernel,
                                   .N = N,
                                   .X = X,
                                   .enough = ENOUGH,
                                   .most = MOST,
                                   .considered = considered};
}

/* t of all points, by the pass of the bounds. */
static double trace_of(size_t r, const size_t *index) {
    rm2i_inducing *in;
    static double Y[M * N], S[M * M];
    ok(rm2i_inducing_create(
        ctx, &(rm2i_inducing_shape){.N = N, .M = M, .Q = Q, .r = r, .index = index}, &in));
    in->Y = Y;
    in->S = S;
    ok(rm2i_inducing_solve(in, &kernel, X, NOISE, F));
    double trace = in->trace;
    rm2i_inducing_free(in);
    return trace;
}

static void assert_distinct(size_t count, const size_t *index) {
    static bool seen[N];
    memset(seen, 0, sizeof seen);
    for (size_t j = 0; j < count; j++) {
        assert_true(index[j] < N && !seen[index[j]]);
        seen[index[j]] = true;
    }
}

/* ---- what is left of all points ------------------------------------------------------------- */

static void all_points_have_what_is_enough(void **state) {
    (void)state;
    const rm2i_inducing_request r = request_of(CONSIDERED), whole = request_of(N);
    size_t index[MOST], count, of_whole;
    double left;
    ok(rm2i_inducing_choose(ctx, &r, index, &count, &left));
    assert_true(left <= ENOUGH && trace_of(count, index) > 1000 * ENOUGH);
    ok(rm2i_inducing_choose(ctx, &whole, index, &of_whole, &left));
    ok(rm2i_inducing_choose_for_all(ctx, &r, index, &count, &left));
    assert_distinct(count, index);
    double trace = trace_of(count, index);
    if (!(left <= ENOUGH && trace <= left + 1e-9 && trace > 0))
        fail_msg("%zu points leave %g, they say %g", count, trace, left);
    assert_in_range(count, of_whole / 2, of_whole + of_whole / 5); /* nearly as few as of all */
}

/* Fewer at a time than there are candidates: several rounds. */
static void candidates_come_in_rounds(void **state) {
    (void)state;
    size_t index[MOST], count;
    double left;
    for (size_t considered = 80; considered <= 160; considered *= 2) {
        rm2i_inducing_request r = request_of(considered);
        ok(rm2i_inducing_choose_for_all(ctx, &r, index, &count, &left));
        assert_distinct(count, index);
        double trace = trace_of(count, index);
        if (!(left <= ENOUGH && trace <= left + 1e-9))
            fail_msg("%zu considered: %zu points leave %g, they say %g", considered, count, trace,
                     left);
    }
}

/* As many as are allowed, where that is not enough: still better than the first choice. */
static void the_limit_holds(void **state) {
    (void)state;
    rm2i_inducing_request r = request_of(CONSIDERED);
    size_t index[MOST], count;
    double left;
    r.most = 60;
    ok(rm2i_inducing_choose(ctx, &r, index, &count, &left));
    double thinned = trace_of(count, index);
    ok(rm2i_inducing_choose_for_all(ctx, &r, index, &count, &left));
    assert_int_equal(count, 60);
    assert_distinct(count, index);
    double trace = trace_of(count, index);
    assert_true(trace > ENOUGH && trace <= left + 1e-9 && trace < thinned / 2);
}

/* All that rounding allows where nothing is enough; one of many equal points. */
static void rounds_end(void **state) {
    (void)state;
    static double same[N * Q];
    rm2i_inducing_request r = request_of(CONSIDERED);
    size_t index[MOST], count;
    double left;
    r.enough = 0;
    ok(rm2i_inducing_choose_for_all(ctx, &r, index, &count, &left));
    assert_distinct(count, index);
    if (!(count < MOST && left < 1e-8))
        fail_msg("%zu points leave %g", count, left);
    r.X = same;
    ok(rm2i_inducing_choose_for_all(ctx, &r, index, &count, &left));
    assert_int_equal(count, 1);
    assert_true(left < 1e-9);
    for (size_t i = 0; i < N * Q; i++) /* two places; the second one is not considered */
        same[i] = i / Q % 8 == 3 ? 1 : 0;
    ok(rm2i_inducing_choose_for_all(ctx, &r, index, &count, &left));
    assert_int_equal(count, 2);
    assert_int_equal(index[1] % 8, 3);
    assert_true(left < 1e-9);
}

/* Few points: rm2i_inducing_choose. */
static void all_points_considered_is_one_choice(void **state) {
    (void)state;
    const rm2i_inducing_request r = request_of(0);
    size_t one[MOST], other[MOST], count, again;
    double left, same;
    ok(rm2i_inducing_choose(ctx, &r, one, &count, &left));
    ok(rm2i_inducing_choose_for_all(ctx, &r, other, &again, &same));
    assert_int_equal(count, again);
    assert_memory_equal(one, other, count * sizeof *one);
    assert_true(left == same);
}

/* ---- bounds --------------------------------------------------------------------------------- */

static rm2i_inducing_data data_of(size_t n, const double *x, const double *f) {
    return (rm2i_inducing_data){.kernel = &kernel,
                                .N = n,
                                .M = M,
                                .X = x,
                                .F = f,
                                .noise = NOISE,
                                .considered = CONSIDERED};
}

/* log N(F; 0, K + s2 I), every column of F. */
static double exact_density(void) {
    double *K = malloc(2 * sizeof *K * N * N), *L = K + (size_t)N * N, jitter, square = 0;
    static double v[M * N];
    assert_non_null(K);
    rm2i_latent_gram(ctx, &kernel, N, X, K);
    ok(rm2i_factor(ctx, N, K, NOISE, L, &jitter));
    memcpy(v, F, sizeof v);
    rm2i_factor_half_solve(ctx, N, L, M, v);
    for (size_t i = 0; i < (size_t)M * N; i++)
        square += v[i] * v[i];
    double value = -0.5 * (square + M * rm2i_factor_log_det(N, L) + M * N * LOG_2PI);
    free(K);
    return value;
}

/* The upper bound loses up to N M t/(2 s2); 1e-6 is rounding. */
static void bounds_bracket(void **state) {
    (void)state;
    const rm2i_inducing_data data = data_of(N, X, F);
    rm2i_bounds bounds;
    double exact = exact_density();
    ok(rm2i_inducing_bounds(ctx, &data, ENOUGH, &bounds));
    if (!(bounds.lower <= exact + 1e-6 && exact <= bounds.upper + 1e-6))
        fail_msg("%.12g <= %.12g <= %.12g", bounds.lower, exact, bounds.upper);
    assert_true(bounds.upper - bounds.lower <= N * M * ENOUGH / NOISE);
}

/* ---- threads and ranks ---------------------------------------------------------------------- */

typedef struct result {
    size_t index[MOST], count;
    double left;
    rm2i_bounds bounds;
    rm2_status status;
} result;

static void compute(rm2_context *own, const rm2i_inducing_request *r, const rm2i_inducing_data *d,
                    result *to) {
    to->status = rm2i_inducing_choose_for_all(own, r, to->index, &to->count, &to->left);
    if (to->status == RM2_OK)
        to->status = rm2i_inducing_bounds(own, d, ENOUGH, &to->bounds);
}

static void assert_same(const result *a, const result *b) {
    assert_int_equal(a->status, RM2_OK);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->index, b->index, a->count * sizeof *a->index);
    assert_memory_equal(&a->left, &b->left, sizeof a->left);
    assert_memory_equal(&a->bounds, &b->bounds, sizeof a->bounds);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    static result one, other;
    const rm2i_inducing_request r = request_of(CONSIDERED);
    const rm2i_inducing_data data = data_of(N, X, F);
    for (int threads = 1; threads <= 4; threads++) {
        rm2_context_set_threads(ctx, threads);
        compute(ctx, &r, &data, threads == 1 ? &one : &other);
        assert_same(threads == 1 ? &one : &other, &one);
    }
    rm2_context_set_threads(ctx, 0);
}

typedef struct run {
    size_t considered;
    result of_rank[THREAD_TEAM_MOST];
} run;

/* A rank's part: whole units of all points. */
static void member(rm2_context *own, const rm2_communicator *comm, void *user) {
    run *to = user;
    rm2i_rows all = rm2i_rows_alone(N, 0, NULL), here = rm2i_rows_none(own), whole, joined, rows;
    size_t rank = (size_t)comm->rank, ranks = (size_t)comm->ranks;
    double *f = malloc(sizeof F);
    if (rm2i_rows_cut(own, &all, rm2i_unit_rows(N), &whole) != RM2_OK)
        abort();
    size_t begin = whole.unit[whole.units * rank / ranks];
    size_t n = here.n = whole.unit[whole.units * (rank + 1) / ranks] - begin;
    rm2i_rows_free(&whole);
    if (rm2i_rows_join(own, &here, &joined) != RM2_OK ||
        rm2i_rows_cut(own, &joined, rm2i_unit_rows(N), &rows) != RM2_OK)
        abort();
    for (size_t m = 0; m < M; m++)
        memcpy(f + m * n, F + m * N + begin, n * sizeof *f);
    rm2i_inducing_request r = request_of(to->considered);
    rm2i_inducing_data data = data_of(n, X + begin * Q, f);
    r.N = n;
    r.X = X + begin * Q;
    r.rows = data.rows = &rows;
    data.considered = to->considered;
    compute(own, &r, &data, &to->of_rank[rank]);
    rm2i_rows_free(&rows);
    rm2i_rows_free(&joined);
    free(f);
}

static void any_number_of_ranks_gives_the_same_bits(void **state) {
    (void)state;
    static run alone, other;
    for (size_t considered = 50; considered <= CONSIDERED; considered *= 2) {
        alone.considered = other.considered = considered;
        run_thread_team(ctx, 1, member, &alone);
        for (int ranks = 2; ranks <= 4; ranks++) {
            run_thread_team(ctx, ranks, member, &other);
            for (int k = 0; k < ranks; k++)
                assert_same(&other.of_rank[k], &alone.of_rank[0]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_points_have_what_is_enough),
        cmocka_unit_test(candidates_come_in_rounds),
        cmocka_unit_test(the_limit_holds),
        cmocka_unit_test(rounds_end),
        cmocka_unit_test(all_points_considered_is_one_choice),
        cmocka_unit_test(bounds_bracket),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(any_number_of_ranks_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, setup, free_shared_context);
}
