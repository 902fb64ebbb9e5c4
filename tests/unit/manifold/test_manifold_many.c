/* exp and log of many points at once against the calls for single points, which high-precision values
 * and identities check: the same result up to rounding, and the same errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "manifold/manifold.h"
#include "riemann2/manifold.h"

enum { N = 203 }; /* neither a multiple of the lanes nor of the blocks */

static const char *const specs[] = {
    "S1",   "S2",   "S3",      "S9",  "SO3",           "R3", "SPD1", "SPD2",
    "SPD3", "SPD4", "R3 x S3", "SE3", "R2 x SPD2 x S2"};
enum { SPECS = sizeof specs / sizeof specs[0] };

typedef struct fixture {
    rm2_context *ctx;
    rm2_manifold *m;
    size_t ambient, dim;
    double *base, *coords, *points, *many, *single;
} fixture;

static fixture make(const char *spec) {
    fixture f;
    assert_int_equal(rm2_context_create(&f.ctx), RM2_OK);
    assert_int_equal(rm2_manifold_create(f.ctx, spec, &f.m), RM2_OK);
    f.ambient = rm2_manifold_ambient(f.m);
    f.dim = rm2_manifold_dim(f.m);
    f.base = malloc(f.ambient * sizeof(double));
    f.coords = malloc(N * f.dim * sizeof(double));
    f.points = malloc(3 * N * f.ambient * sizeof(double));
    assert_true(f.base && f.coords && f.points);
    f.many = f.points + N * f.ambient;
    f.single = f.many + N * f.ambient;
    assert_int_equal(rm2_manifold_random(f.ctx, f.m, 1, f.base), RM2_OK);
    return f;
}

static void drop(fixture *f) {
    free(f->base);
    free(f->coords);
    free(f->points);
    rm2_manifold_free(f->m);
    rm2_context_free(f->ctx);
}

/* Coordinates of all lengths from 0 over 1e-12 to `longest` in each factor. */
static void spread(fixture *f, double longest) {
    rm2_rng *rng = rm2_context_rng(f->ctx);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < rm2_manifold_factor_count(f->m); k++) {
            const rm2_factor *factor = rm2_manifold_factor(f->m, k);
            double *c = f->coords + i * f->dim + factor->dim_offset, length = 0;
            double wanted = i == 0 ? 0 : longest * pow(10, -12 * (double)(i % 50) / 49);
            for (size_t j = 0; j < factor->dim; j++) {
                c[j] = rm2_rng_normal(rng);
                length += c[j] * c[j];
            }
            for (size_t j = 0; j < factor->dim; j++)
                c[j] *= wanted / sqrt(length);
        }
    assert_int_equal(rm2_manifold_exp_coords(f->ctx, f->m, N, f->base, 1, f->coords, f->points),
                     RM2_OK);
}

/* Rounding of a few dozen operations on entries of size `scale`; SPD bases have condition up to 1e3. */
static void assert_close(const fixture *f, const double *a, const double *b, double relative) {
    for (size_t i = 0; i < N; i++) {
        double scale = 0, worst = 0;
        for (size_t k = 0; k < f->ambient; k++) {
            scale = fmax(scale, fabs(b[i * f->ambient + k]));
            worst = fmax(worst, fabs(a[i * f->ambient + k] - b[i * f->ambient + k]));
        }
        if (!(worst <= relative * scale + 1e-300))
            fail_msg("%s, point %zu: %.2e of %.2e", rm2_manifold_spec(f->m), i, worst, scale);
    }
}

static void test_same_as_single(void **state) {
    (void)state;
    for (size_t s = 0; s < SPECS; s++) {
        fixture f = make(specs[s]);
        double *vectors = malloc(N * f.ambient * sizeof *vectors);
        assert_non_null(vectors);
        spread(&f, 2);
        assert_int_equal(rm2_manifold_log(f.ctx, f.m, N, f.base, 1, f.points, f.many), RM2_OK);
        for (size_t i = 0; i < N; i++) /* one point a call never takes the other way */
            assert_int_equal(rm2_manifold_log(f.ctx, f.m, 1, f.base, 1, f.points + i * f.ambient,
                                              f.single + i * f.ambient),
                             RM2_OK);
        /* vectors as short as 1e-12 at a base of size one: the difference q - p carries 1e-4 */
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < f.ambient; k++)
                assert_true(fabs(f.many[i * f.ambient + k] - f.single[i * f.ambient + k]) <
                            1e-12 * (1 + fabs(f.single[i * f.ambient + k])));
        memcpy(vectors, f.single, N * f.ambient * sizeof *vectors);
        assert_int_equal(rm2_manifold_exp(f.ctx, f.m, N, f.base, 1, vectors, f.many), RM2_OK);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(rm2_manifold_exp(f.ctx, f.m, 1, f.base, 1, vectors + i * f.ambient,
                                              f.single + i * f.ambient),
                             RM2_OK);
        assert_close(&f, f.many, f.single, 1e-12);
        assert_close(&f, f.many, f.points, 1e-12);
        free(vectors);
        drop(&f);
    }
}

/* The unit sphere keeps 1e-15 everywhere, in relative terms down to the shortest vectors. */
static void test_sphere_accuracy(void **state) {
    (void)state;
    fixture f = make("S3");
    spread(&f, 3.1);
    assert_int_equal(rm2_manifold_log(f.ctx, f.m, N, f.base, 1, f.points, f.many), RM2_OK);
    for (size_t i = 0; i < N; i++) {
        double d, norm = 0, along = 0, rounded;
        assert_int_equal(rm2_manifold_distance(f.ctx, f.m, 1, f.base, 1, f.points + i * 4, &d),
                         RM2_OK);
        rounded = d > 0 ? 1e-32 / d : 0; /* |q| is 1 up to 1e-16, which turns short chords */
        for (size_t k = 0; k < 4; k++) {
            norm += f.many[i * 4 + k] * f.many[i * 4 + k];
            along += f.many[i * 4 + k] * f.base[k];
        }
        if (!(fabs(sqrt(norm) - d) <= 4e-15 * d + rounded && fabs(along) <= 4e-15 * d))
            fail_msg("point %zu at %.3e: length off by %.1e, %.1e along p", i, d, sqrt(norm) - d,
                     along);
    }
    drop(&f);
}

/* Points that need care: the call falls back, and errors name the right point. */
static void test_special_points(void **state) {
    (void)state;
    fixture f = make("S2");
    spread(&f, 1);
    for (size_t k = 0; k < 3; k++)
        f.points[150 * 3 + k] = -f.base[k];
    assert_int_equal(rm2_manifold_log(f.ctx, f.m, N, f.base, 1, f.points, f.many),
                     RM2_ERR_CUT_LOCUS);
    assert_non_null(strstr(rm2_context_error(f.ctx), "point 150"));
    f.points[150 * 3] = NAN;
    assert_true(rm2_manifold_log(f.ctx, f.m, N, f.base, 1, f.points, f.many) != RM2_OK);
    assert_non_null(strstr(rm2_context_error(f.ctx), "point 150"));
    drop(&f);

    f = make("SPD3");
    spread(&f, 1);
    memset(f.points + 77 * 9, 0, 9 * sizeof(double));
    f.points[77 * 9] = 1;
    f.points[77 * 9 + 4] = 1e-11; /* far too wide a spectrum for the fast way, but fine */
    f.points[77 * 9 + 8] = 1;
    assert_int_equal(rm2_manifold_log(f.ctx, f.m, N, f.base, 1, f.points, f.many), RM2_OK);
    assert_int_equal(rm2_manifold_exp(f.ctx, f.m, N, f.base, 1, f.many, f.single), RM2_OK);
    assert_close(&f, f.single, f.points, 1e-9);
    f.points[77 * 9 + 4] = -1;
    assert_int_equal(rm2_manifold_log(f.ctx, f.m, N, f.base, 1, f.points, f.many), RM2_ERR_DOMAIN);
    assert_non_null(strstr(rm2_context_error(f.ctx), "point 77"));
    drop(&f);
}

/* Matrices of scale 1e-26 and 1e26 give the same whitened problem. */
static void test_scales(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        fixture f = make("SPD3");
        double scale = pow(10, 26 * sign);
        spread(&f, 2);
        for (size_t i = 0; i < 9; i++)
            f.base[i] *= scale;
        for (size_t i = 0; i < N * 9; i++)
            f.points[i] *= scale;
        assert_int_equal(rm2_manifold_log(f.ctx, f.m, N, f.base, 1, f.points, f.many), RM2_OK);
        assert_int_equal(rm2_manifold_exp(f.ctx, f.m, N, f.base, 1, f.many, f.single), RM2_OK);
        assert_close(&f, f.single, f.points, 1e-12);
        drop(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_single),
        cmocka_unit_test(test_sphere_accuracy),
        cmocka_unit_test(test_special_points),
        cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
