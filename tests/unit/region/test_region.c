/* Keep-out regions: signed distances against sampled surfaces and differences, segments against dense samples, texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context_fixture.h"
#include "front/base.h"
#include "region/region.h"
#include "riemann2/region.h"

/* ---- distances ------------------------------------------------------------------------------ */

static const rm2_region regions[] = {
    {RM2_REGION_SPHERE, 3, {0.1, -0.2, 0.3}, {0}, 0.7},
    {RM2_REGION_BOX, 3, {-0.5, -0.2, 0.1}, {0.4, 0.9, 0.5}, 0},
    {RM2_REGION_CAPSULE, 3, {-0.6, 0.1, 0}, {0.5, 0.4, -0.3}, 0.25},
    {RM2_REGION_HALF_SPACE, 3, {0.1, 0.2, 0}, {1, -2, 0.5}, 0},
    {RM2_REGION_SPHERE, 2, {0.1, -0.2}, {0}, 0.7},
    {RM2_REGION_BOX, 2, {-0.5, -0.2}, {0.4, 0.9}, 0},
    {RM2_REGION_CAPSULE, 2, {-0.6, 0.1}, {0.5, 0.4}, 0.25},
    {RM2_REGION_HALF_SPACE, 1, {0.1}, {-3}, 0},
};
enum { REGIONS = sizeof regions / sizeof *regions };

/* Membership by the definitions in the header, not by distances. */
static bool is_inside(const rm2_region *r, const double *y) {
    double square = 0, best = INFINITY, dot = 0;
    bool between = true;
    for (size_t k = 0; k < r->dim; k++) {
        square += pow(y[k] - r->a[k], 2);
        dot += r->b[k] * (y[k] - r->a[k]);
        between = between && y[k] > r->a[k] && y[k] < r->b[k];
    }
    for (int i = 0; r->kind == RM2_REGION_CAPSULE && i <= 2000; i++) {
        double at = 0;
        for (size_t k = 0; k < r->dim; k++)
            at += pow(y[k] - r->a[k] - i / 2000.0 * (r->b[k] - r->a[k]), 2);
        best = fmin(best, at);
    }
    switch (r->kind) {
    case RM2_REGION_SPHERE:
        return square < r->radius * r->radius;
    case RM2_REGION_BOX:
        return between;
    case RM2_REGION_CAPSULE:
        return best < r->radius * r->radius;
    case RM2_REGION_HALF_SPACE:
        return dot < 0;
    }
    return false;
}

static void random_point(rm2_rng *rng, size_t dim, double *y) {
    for (size_t k = 0; k < dim; k++)
        y[k] = 3 * rm2_rng_uniform(rng) - 1.5;
}

/* A ball of the distance does not cross the surface, and one that is larger by a little does. The gradient leads to the
 * surface: y - d grad lies on it. */
static void distances(void **state) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    (void)state;
    for (size_t i = 0; i < REGIONS; i++)
        for (int trial = 0; trial < 300; trial++) {
            const rm2_region *r = &regions[i];
            double y[3], z[3], gradient[3], length = 0;
            random_point(&rng, r->dim, y);
            double d = rm2_region_distance(r, y, gradient);
            bool inside = is_inside(r, y);
            if (fabs(d) > 1e-6) /* the capsule's axis is sampled */
                assert_true(inside == (d < 0));
            for (size_t k = 0; k < r->dim; k++) {
                length += gradient[k] * gradient[k];
                z[k] = y[k] - d * gradient[k];
            }
            assert_true(fabs(length - 1) < 1e-12);
            assert_true(fabs(rm2_region_distance(r, z, NULL)) < 1e-12); /* on the surface */
            for (int k = 0; k < 20; k++) { /* points nearer than d are on the same side */
                double off[3], norm = 0;
                for (size_t q = 0; q < r->dim; q++) {
                    off[q] = 2 * rm2_rng_uniform(&rng) - 1;
                    norm += off[q] * off[q];
                }
                for (size_t q = 0; q < r->dim; q++)
                    z[q] = y[q] + 0.999 * fabs(d) * off[q] / sqrt(norm);
                if (fabs(d) > 1e-3)
                    assert_true(is_inside(r, z) == inside);
            }
        }
}

static void gradients(void **state) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    (void)state;
    const double step = 1e-6;
    for (size_t i = 0; i < REGIONS; i++)
        for (int trial = 0; trial < 100; trial++) {
            const rm2_region *r = &regions[i];
            double y[3], gradient[3], unused[3];
            random_point(&rng, r->dim, y);
            (void)rm2_region_distance(r, y, gradient);
            for (size_t k = 0; k < r->dim; k++) {
                double here = y[k];
                y[k] = here + step;
                double up = rm2_region_distance(r, y, unused);
                y[k] = here - step;
                double down = rm2_region_distance(r, y, NULL);
                y[k] = here;
                /* differences err by step times the curvature, which is below 1e3 but on ridges, that random
                 * points miss; 1e-3 is far below any error in the formula */
                assert_true(fabs((up - down) / (2 * step) - gradient[k]) < 1e-3);
            }
        }
}

static void segments(void **state) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 7);
    (void)state;
    for (size_t i = 0; i < REGIONS; i++)
        for (int trial = 0; trial < 100; trial++) {
            const rm2_region *r = &regions[i];
            double a[3], b[3], y[3], least = INFINITY, length = 0;
            random_point(&rng, r->dim, a);
            random_point(&rng, r->dim, b);
            for (size_t k = 0; k < r->dim; k++)
                length += pow(a[k] - b[k], 2);
            length = sqrt(length);
            for (int s = 0; s <= 5000; s++) {
                for (size_t k = 0; k < r->dim; k++)
                    y[k] = a[k] + s / 5000.0 * (b[k] - a[k]);
                least = fmin(least, rm2_region_distance(r, y, NULL));
            }
            double found = rm2i_region_segment_distance(r, a, b);
            assert_true(found <= least);                          /* a bound, */
            assert_true(found >= least - 1.1e-4 * length - 1e-9); /* as good as the samples are */
        }
    const double same[2] = {0.3, 0.3};
    assert_true(rm2i_region_segment_distance(&regions[4], same, same) ==
                rm2_region_distance(&regions[4], same, NULL));
}

/* ---- texts ---------------------------------------------------------------------------------- */

static void parses(void **state) {
    rm2_context *ctx = *state;
    rm2_region *found;
    size_t count;
    assert_int_equal(rm2_regions_parse(ctx,
                                       "# a scene\nsphere, 0.5, 0, 0.25, 0.1 ; box 0 0 0 1 2 3\n\n"
                                       "capsule,0,0,0,0,0,1,0.2 # an arm\nhalfspace 0 0 0 0 0 1",
                                       3, &count, &found),
                     RM2_OK);
    assert_int_equal(count, 4);
    assert_true(found[0].kind == RM2_REGION_SPHERE && found[0].a[2] == 0.25 &&
                found[0].radius == 0.1);
    assert_true(found[1].kind == RM2_REGION_BOX && found[1].b[2] == 3);
    assert_true(found[2].kind == RM2_REGION_CAPSULE && found[2].radius == 0.2 &&
                found[2].b[2] == 1);
    assert_true(found[3].kind == RM2_REGION_HALF_SPACE && found[3].b[2] == 1);
    rm2_free(found);
    assert_int_equal(rm2_regions_parse(ctx, " \n # nothing", 2, &count, &found), RM2_OK);
    assert_true(count == 0);
    rm2_free(found);
}

static void refuses(void **state) {
    rm2_context *ctx = *state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"ball 0,0,1",
         "region 1: unknown shape 'ball'; expected sphere, box, capsule or halfspace"},
        {"0,0,1", "unknown shape '0'"},
        {"sphere 0,0", "sphere: expected 3 numbers in 2 dimensions (centre, radius), got 2"},
        {"sphere 0,0,1,2,3,4,5,6,7,8,9,10", "got 12"},
        {"sphere 0,zero,1", "sphere: 'zero' is not a number"},
        {"sphere 0,0,1;sphere 0,0,-1", "region 2: sphere: radius is -1; it must be positive"},
        {"\n\nbox 0,0,1,0", "line 3, region 1: box: coordinate 2 goes from 0 to 0"},
        {"halfspace 0,0,0,0", "halfspace: the normal is 0"},
        {"capsule 0,0,1,1,0", "capsule: radius is 0"},
        {"sphere 0,0,1e999", "radius is inf"},
    };
    rm2_region *found;
    size_t count;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(rm2_regions_parse(ctx, cases[k].text, 2, &count, &found), RM2_ERR_DATA);
        assert_contains(rm2_context_error(ctx), cases[k].message);
        assert_null(found);
        assert_true(count == 0);
    }
    assert_int_equal(rm2_regions_parse(ctx, "sphere 0", 0, &count, &found), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_regions_parse(ctx, "sphere 0", 4, &count, &found), RM2_ERR_ARGUMENT);
}

static void reads(void **state) {
    rm2_context *ctx = *state;
    char path[] = "/tmp/regionsXXXXXX";
    rm2_region *found;
    size_t count;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    static const char text[] = "# scene\nsphere 0 0 1\nsphere 0 0 none\n";
    assert_true(write(fd, text, sizeof text - 1) == (ssize_t)(sizeof text - 1));
    assert_int_equal(rm2_regions_read(ctx, path, 2, &count, &found), RM2_ERR_DATA);
    assert_contains(rm2_context_error(ctx), path);
    assert_contains(rm2_context_error(ctx), "line 3, region 2: sphere: 'none' is not a number");
    assert_true(ftruncate(fd, 21) == 0);
    assert_int_equal(rm2_regions_read(ctx, path, 2, &count, &found), RM2_OK);
    assert_true(count == 1 && found[0].radius == 1);
    rm2_free(found);
    (void)close(fd);
    (void)unlink(path);
    assert_int_equal(rm2_regions_read(ctx, path, 2, &count, &found), RM2_ERR_IO);
}

static void checks(void **state) {
    rm2_context *ctx = *state;
    rm2_region r = regions[0];
    assert_int_equal(rm2_region_check(ctx, &r), RM2_OK);
    r.kind = (rm2_region_kind)9;
    assert_int_equal(rm2_region_check(ctx, &r), RM2_ERR_ARGUMENT);
    r = regions[0];
    r.dim = 4;
    assert_int_equal(rm2_region_check(ctx, &r), RM2_ERR_ARGUMENT);
    r = regions[0];
    r.a[1] = NAN;
    assert_int_equal(rm2_region_check(ctx, &r), RM2_ERR_ARGUMENT);
    r = regions[1];
    r.b[0] = r.a[0];
    assert_int_equal(rm2_region_check(ctx, &r), RM2_ERR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances), cmocka_unit_test(gradients), cmocka_unit_test(segments),
        WITH_CONTEXT(parses),        WITH_CONTEXT(refuses),       WITH_CONTEXT(reads),
        WITH_CONTEXT(checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
