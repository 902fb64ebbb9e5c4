/* Distances between sequences against their definitions: every warping path written out, in all
 * conventions, with windows and with the manifold's distance; what is refused and how.
 *
 * Tolerance: sums of at most a few hundred squares, each rounded: 1e-14 relative to the result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "riemann2/trajectory.h"
#include "trajectory/dtw.h"

enum { LONGEST = 7, WIDTH = 3, WIDEST = 4 };

#define SIZED .size = sizeof(rm2_dtw_settings)

static rm2_context *ctx;

static int set_up(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

static void near(double got, double want) {
    if (!(fabs(got - want) <= 1e-14 * (1 + fabs(want))))
        fail_msg("%.17g, not %.17g", got, want);
}

static rm2_sequence random_sequence(size_t count, size_t width, double *memory) {
    rm2_rng *rng = rm2_context_rng(ctx);
    for (size_t i = 0; i < count * width; i++)
        memory[i] = rm2_rng_normal(rng);
    return (rm2_sequence){count, width, memory};
}

/* ---- definitions ---------------------------------------------------------------------------- */

static double point_distance(const rm2_sequence *a, size_t i, const rm2_sequence *b, size_t j,
                             const rm2_manifold *m) {
    const double *x = a->points + i * a->width, *y = b->points + j * b->width;
    double sum = 0;
    if (m) {
        assert_int_equal(rm2_manifold_distance(ctx, m, 1, x, 1, y, &sum), RM2_OK);
        return sum;
    }
    for (size_t k = 0; k < a->width; k++)
        sum += pow(x[k] - y[k], 2);
    return sqrt(sum);
}

/* Least sum over the warping paths from (i, j) to the end, each of them walked; a pair may meet if it
 * is less than `window` beyond the diagonals from the first and the last pair. */
static double least_sum(const rm2_sequence *a, const rm2_sequence *b, const rm2_dtw_settings *s,
                        size_t i, size_t j) {
    long w = (long)s->window, off = (long)i - (long)j, slack = (long)a->count - (long)b->count;
    long low = slack < 0 ? slack : 0, high = slack > 0 ? slack : 0;
    if (i >= a->count || j >= b->count || (w > 0 && (off <= low - w || off >= high + w)))
        return INFINITY;
    double cost = pow(point_distance(a, i, b, j, s->manifold), 2);
    if (i + 1 == a->count && j + 1 == b->count)
        return cost;
    return cost + fmin(fmin(least_sum(a, b, s, i + 1, j), least_sum(a, b, s, i, j + 1)),
                       least_sum(a, b, s, i + 1, j + 1));
}

static double by_definition(const rm2_dtw_settings *s, rm2_sequence a, rm2_sequence b) {
    double padded[LONGEST * WIDEST], sum = 0;
    rm2_sequence *shorter = a.count < b.count ? &a : &b;
    size_t longer = a.count < b.count ? b.count : a.count, width = a.width;
    if (s->kind == RM2_DTW_PADDED) {
        for (size_t i = 0; i < longer; i++)
            memcpy(padded + i * width,
                   shorter->points + (i < shorter->count ? i : shorter->count - 1) * width,
                   width * sizeof *padded);
        *shorter = (rm2_sequence){longer, width, padded};
    }
    if (s->kind != RM2_DTW_NEAREST)
        return sqrt(least_sum(&a, &b, s, 0, 0));
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < (turn ? b.count : a.count); i++) {
            double least = INFINITY;
            for (size_t j = 0; j < (turn ? a.count : b.count); j++)
                least = fmin(least, turn ? point_distance(&a, j, &b, i, s->manifold)
                                         : point_distance(&a, i, &b, j, s->manifold));
            sum += least;
        }
    return sum;
}

static double distance(const rm2_dtw_settings *s, const rm2_sequence *a, const rm2_sequence *b) {
    double d = NAN;
    assert_int_equal(rm2i_dtw(ctx, s, a, b, &d), RM2_OK);
    return d;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void every_path(void **state) {
    (void)state;
    double x[LONGEST * WIDTH], y[LONGEST * WIDTH];
    for (size_t n = 1; n <= LONGEST; n++)
        for (size_t m = 1; m <= LONGEST; m++)
            for (int kind = RM2_DTW_WARPED; kind <= RM2_DTW_NEAREST; kind++)
                for (size_t window = 0; window <= (kind == RM2_DTW_NEAREST ? 0 : 4); window++) {
                    rm2_sequence a = random_sequence(n, WIDTH, x), b = random_sequence(m, WIDTH, y);
                    rm2_dtw_settings s = {
                        .size = sizeof s, .kind = (rm2_dtw_kind)kind, .window = window};
                    double want = by_definition(&s, a, b);
                    near(distance(&s, &a, &b), want);
                    near(distance(&s, &b, &a), want);
                }
}

static void own_distance(void **state) {
    (void)state;
    static const char *const specs[] = {"S2", "SO3", "SPD2", "H2", "R1 x S1"};
    double x[4 * WIDEST], y[3 * WIDEST];
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        rm2_manifold *m;
        assert_int_equal(rm2_manifold_create(ctx, specs[k], &m), RM2_OK);
        size_t width = rm2_manifold_ambient(m);
        rm2_sequence a = {4, width, x}, b = {3, width, y};
        assert_int_equal(rm2_manifold_random(ctx, m, 4, x), RM2_OK);
        assert_int_equal(rm2_manifold_random(ctx, m, 3, y), RM2_OK);
        for (int kind = RM2_DTW_WARPED; kind <= RM2_DTW_NEAREST; kind++) {
            rm2_dtw_settings s = {.size = sizeof s, .kind = (rm2_dtw_kind)kind, .manifold = m};
            near(distance(&s, &a, &b), by_definition(&s, a, b));
            near(distance(&s, &a, &a), 0);
        }
        rm2_manifold_free(m);
    }
}

/* Known by hand: repeated points cost nothing; one point meets all; window 1 is Euclidean. */
static void closed_forms(void **state) {
    (void)state;
    const double line[] = {0, 1, 2}, slow[] = {0, 0, 0, 1, 1, 2}, zero[] = {0}, far[] = {3, 4};
    rm2_sequence a = {3, 1, line}, b = {6, 1, slow}, one = {1, 1, zero}, two = {2, 1, far};
    near(distance(NULL, &a, &b), 0);
    near(distance(NULL, &one, &two), 5);
    near(distance(&(rm2_dtw_settings){SIZED, .kind = RM2_DTW_PADDED}, &one, &two), 5);
    near(distance(&(rm2_dtw_settings){SIZED, .kind = RM2_DTW_NEAREST}, &one, &two), 3 + 4 + 3);
    near(distance(NULL, &one, &one), 0);
    const double x[] = {1, 2, 3, 4}, y[] = {2, 2, 5, 1};
    rm2_sequence p = {4, 1, x}, q = {4, 1, y};
    near(distance(&(rm2_dtw_settings){SIZED, .window = 1}, &p, &q), sqrt(1 + 0 + 4 + 9));
    near(distance(&(rm2_dtw_settings){SIZED, .window = (size_t)1 << 52}, &p, &q),
         distance(NULL, &p, &q));
    rm2_sequence plane = {2, 2, x}, same = {1, 4, x}; /* the same numbers, other points */
    near(distance(NULL, &plane, &plane), 0);
    near(distance(NULL, &same, &same), 0);
}

/* Mean and deviation (divisor n) over all pairs, whatever the number of threads. */
static void many(void **state) {
    (void)state;
    enum { COUNT = 9 };
    double memory[COUNT][LONGEST * WIDTH], d[COUNT], pairs[COUNT * (COUNT - 1) / 2];
    rm2_sequence s[COUNT];
    for (size_t k = 0; k < COUNT; k++)
        s[k] = random_sequence(1 + k % LONGEST, WIDTH, memory[k]);
    rm2_distance_summary spread = {.size = sizeof spread}, again = {.size = sizeof again};
    for (int threads = 1; threads <= 4; threads++) {
        rm2_context_set_threads(ctx, threads);
        double mean = 0, squares = 0;
        assert_int_equal(rm2_dtw_from(ctx, NULL, &s[0], COUNT - 1, s + 1, d, &spread), RM2_OK);
        for (size_t k = 1; k < COUNT; k++) {
            near(d[k - 1], distance(NULL, &s[0], &s[k]));
            mean += d[k - 1] / (COUNT - 1);
        }
        for (size_t k = 1; k < COUNT; k++)
            squares += pow(d[k - 1] - mean, 2) / (COUNT - 1);
        near(spread.mean, mean);
        near(spread.deviation, sqrt(squares));
        assert_int_equal(spread.count, COUNT - 1);
        assert_int_equal(rm2_dtw_from(ctx, NULL, &s[0], COUNT - 1, s + 1, NULL, &again), RM2_OK);
        near(again.mean, spread.mean);
        assert_int_equal(rm2_dtw_floor(ctx, NULL, COUNT, s, pairs, &spread), RM2_OK);
        assert_int_equal(spread.count, COUNT * (COUNT - 1) / 2);
        mean = 0;
        for (size_t i = 0, k = 0; i < COUNT; i++)
            for (size_t j = i + 1; j < COUNT; j++, k++) {
                near(pairs[k], distance(NULL, &s[i], &s[j]));
                mean += pairs[k] / (double)spread.count;
            }
        near(spread.mean, mean);
    }
    rm2_context_set_threads(ctx, 0);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refused(rm2_status status, rm2_status want, const char *text) {
    assert_int_equal(status, want);
    if (!strstr(rm2_context_error(ctx), text))
        fail_msg("\"%s\" has no \"%s\"", rm2_context_error(ctx), text);
}

static void bad_input(void **state) {
    (void)state;
    double x[6] = {1, 2, 3, 4, 5, 6}, huge[2] = {1e200, -1e200}, bad[3] = {0, NAN, 1}, d;
    rm2_sequence a = {3, 2, x}, other = {2, 3, x}, empty = {0, 2, x}, thin = {2, 0, x};
    rm2_sequence holes = {3, 1, bad}, line = {3, 1, x}, wide = {2, 1, huge};
    rm2_manifold *m;
    assert_int_equal(rm2_manifold_create(ctx, "S2", &m), RM2_OK);
    refused(rm2i_dtw(ctx, NULL, &a, &empty, &d), RM2_ERR_DATA, "sequence 1 has no points");
    refused(rm2i_dtw(ctx, NULL, &empty, &a, &d), RM2_ERR_DATA, "sequence 0 has no points");
    refused(rm2i_dtw(ctx, NULL, &thin, &thin, &d), RM2_ERR_DATA, "has no points");
    refused(rm2i_dtw(ctx, NULL, &a, &other, &d), RM2_ERR_DATA,
            "sequence 1 has 3 numbers per point, the others have 2");
    refused(rm2i_dtw(ctx, NULL, &line, &holes, &d), RM2_ERR_DATA,
            "sequence 1, point 1: entry 0 is nan");
    refused(rm2i_dtw(ctx, &(rm2_dtw_settings){SIZED, .manifold = m}, &a, &a, &d), RM2_ERR_DATA,
            "2 numbers per point, but points of S2 have 3");
    refused(rm2i_dtw(ctx, &(rm2_dtw_settings){SIZED, RM2_DTW_NEAREST, 3, NULL}, &a, &a, &d),
            RM2_ERR_ARGUMENT, "window of 3");
    refused(rm2i_dtw(ctx, NULL, &wide, &line, &d), RM2_ERR_NUMERIC,
            "distance of sequences 0 and 1: numerical failure");
    refused(rm2_dtw_from(ctx, NULL, &a, 0, NULL, NULL, NULL), RM2_ERR_ARGUMENT, "no sequence");
    refused(rm2_dtw_floor(ctx, NULL, 1, &a, NULL, NULL), RM2_ERR_ARGUMENT,
            "1 sequence: distances among sequences need at least 2");
    rm2_manifold_free(m);
    const double off[4] = {1, 2, 2, -5}; /* not positive definite */
    rm2_sequence matrices[3] = {{1, 4, x}, {1, 4, x}, {1, 4, off}};
    const double identity[4] = {1, 0, 0, 1};
    matrices[0].points = matrices[1].points = identity;
    assert_int_equal(rm2_manifold_create(ctx, "SPD2", &m), RM2_OK);
    refused(rm2_dtw_floor(ctx, &(rm2_dtw_settings){SIZED, .manifold = m}, 3, matrices, NULL, NULL),
            RM2_ERR_DOMAIN, "distance of sequences 0 and 2: point is not on the manifold");
    rm2_manifold_free(m);
    rm2_context_interrupt(ctx);
    assert_int_equal(rm2i_dtw(ctx, NULL, &a, &a, &d), RM2_INTERRUPTED);
    rm2_context_clear_interrupt(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path),   cmocka_unit_test(own_distance),
        cmocka_unit_test(closed_forms), cmocka_unit_test(many),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
