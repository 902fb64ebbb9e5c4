/* The barrier around keep-out regions: its factor by definition, derivatives against differences, the clearance of lines
 * against dense samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "metric/metric.h"
#include "metric/obstacle_clearance.h"
#include "region/region.h"
#include "space_fixture.h"

/* Beside the letter J of the toy data, and on its way. */
static const rm2_region regions[] = {{RM2_REGION_SPHERE, 2, {0.28, -1.05}, {0}, 0.15},
                                     {RM2_REGION_BOX, 2, {-1.7, -1.1}, {-1.4, -0.5}, 0},
                                     {RM2_REGION_CAPSULE, 2, {0.7, 0.4}, {0.5, 1}, 0.1},
                                     {RM2_REGION_HALF_SPACE, 2, {0, -1.6}, {0.2, 1}, 0}};
enum { REGIONS = sizeof regions / sizeof *regions };

static rm2i_clearance clearance_of_model(double deviations, double wanted) {
    rm2i_clearance c = {
        .count = REGIONS, .regions = regions, .deviations = deviations, .wanted = wanted};
    ok(rm2i_position_of(ctx, model, RM2I_FIRST_EUCLIDEAN, &c.position));
    return c;
}

/* 1 + sum e^-u/u from the header; NaN where a distance is not kept. */
static double own_factor(const rm2i_clearance *c, double width, const double *x, double *work) {
    double y[3], sigma = 0, phi = 1;
    rm2i_position_at(&c->position, x, y, c->deviations > 0 ? &sigma : NULL, work);
    for (size_t k = 0; k < REGIONS; k++) {
        double u =
            (rm2_region_distance(&regions[k], y, NULL) - c->deviations * sigma - c->wanted) / width;
        phi = u > 0 ? phi + exp(-u) / u : NAN;
    }
    return phi;
}

static void random_latent(rm2_rng *rng, double *x) {
    const double *at = latents + rm2_rng_next(rng) % N * Q;
    for (size_t q = 0; q < Q; q++)
        x[q] = at[q] + 0.1 * rm2_rng_normal(rng);
}

static void check_point(const rm2_metric *inner, const rm2_metric *barrier, const double *x,
                        double phi) {
    double G[Q * Q], own[Q * Q], dG[Q * Q * Q], ends[2][Q * Q], moved[Q];
    ok(rm2_metric_at(ctx, inner, 1, x, own, NULL));
    ok(rm2_metric_at(ctx, barrier, 1, x, G, dG));
    for (size_t k = 0; k < Q * Q; k++)
        assert_true(fabs(G[k] - phi * own[k]) <= 1e-9 * (fabs(G[0]) + fabs(G[3])));
    for (size_t t = 0; t < Q; t++) {
        const double step = 1e-6;
        for (int k = 0; k < 2; k++) {
            memcpy(moved, x, sizeof moved);
            moved[t] += k ? step : -step;
            ok(rm2_metric_at(ctx, barrier, 1, moved, ends[k], NULL));
        }
        /* differences lose eps/step = 1e-10 of G and err by step^2 times third derivatives, (phi/u)^3 at worst */
        for (size_t k = 0; k < Q * Q; k++)
            assert_true(fabs((ends[1][k] - ends[0][k]) / (2 * step) - dG[t * Q * Q + k]) <=
                        1e-3 * (1 + fabs(dG[t * Q * Q + k]) + fabs(G[0]) + fabs(G[3])));
    }
}

static void barriers(void **state) {
    (void)state;
    rm2i_pullback_settings p = rm2i_pullback_settings_default();
    rm2_metric *inner, *barrier;
    ok(rm2i_metric_pullback(ctx, model, &p, &inner));
    for (int k = 0; k < 2; k++) {
        const double width = 0.2;
        rm2i_clearance c = clearance_of_model(k ? 0.2 : 0, k ? 0.01 : 0);
        size_t outside = 0, inside = 0;
        rm2_rng rng;
        double *work = numbers(rm2i_clearance_work(&c));
        rm2_rng_seed(&rng, 2);
        ok(rm2i_metric_barrier(ctx, inner, &c, width, &barrier));
        for (int trial = 0; trial < 200; trial++) {
            double x[Q], G[Q * Q];
            rm2i_clear_point at;
            random_latent(&rng, x);
            double phi = own_factor(&c, width, x, work);
            rm2i_clearance_at(&c, x, &at, work);
            if (isnan(phi)) {
                inside++;
                assert_int_equal(rm2_metric_at(ctx, barrier, 1, x, G, NULL), RM2_ERR_DOMAIN);
                assert_true(isinf(rm2i_barrier_factor(&c, width, &at)));
            } else if (phi < 50) { /* differences need room to the wall */
                outside++;
                check_point(inner, barrier, x, phi);
                assert_true(fabs(rm2i_barrier_factor(&c, width, &at) - phi) <= 1e-12 * phi);
            }
        }
        assert_true(inside >= 5 && outside >= 50);
        free(work);
        rm2_metric_free(barrier);
    }
    rm2_metric_free(inner);
}

/* Bounds of polygons: never above samples, near them; what is proven to hold does. */
static void lines(void **state) {
    (void)state;
    enum { SAMPLES = 2000 };
    for (int k = 0; k < 2; k++) {
        rm2i_clearance c = clearance_of_model(k ? 0.2 : 0, 0.05);
        size_t held = 0;
        rm2_rng rng;
        double *work = numbers(rm2i_clearance_work(&c));
        rm2_rng_seed(&rng, 4);
        for (int trial = 0; trial < 40; trial++) {
            double x[2 * Q], at[Q], least = INFINITY;
            rm2i_clear_point point, ends[2];
            random_latent(&rng, x);
            random_latent(&rng, x + Q);
            for (int i = 0; i <= SAMPLES; i++) {
                for (size_t q = 0; q < Q; q++)
                    at[q] = x[q] + (double)i / SAMPLES * (x[Q + q] - x[q]);
                rm2i_clearance_at(&c, at, &point, work);
                least = fmin(least, point.clearance);
            }
            rm2i_clearance_at(&c, x, &ends[0], work);
            rm2i_clearance_at(&c, x + Q, &ends[1], work);
            double chord = INFINITY;
            for (size_t r = 0; r < REGIONS; r++)
                chord =
                    fmin(chord, rm2i_region_segment_distance(&regions[r], ends[0].y, ends[1].y));
            chord -= c.deviations * fmax(ends[0].deviation, ends[1].deviation);
            double found = rm2i_clearance_of(&c, 2, x, 1e-4, INFINITY, work);
            assert_true(found <= fmin(least, chord) + 1e-12);
            /* the accuracy, and what 2000 samples of a decoded line of up to ten units miss, where the distance has a
             * kink */
            assert_true(found >= fmin(least, chord) - 1e-4 - 5e-3);
            bool holds = rm2i_clearance_holds(&c, x, &ends[0], x + Q, &ends[1], work);
            if (holds)
                assert_true(least >= c.wanted && chord >= c.wanted);
            if (fmin(least, chord) > c.wanted + 1e-3)
                assert_true(holds);
            held += holds;
        }
        assert_true(held <= 30);
        free(work);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(barriers), cmocka_unit_test(lines)};
    return cmocka_run_group_tests(tests, space_set_up, space_tear_down);
}
