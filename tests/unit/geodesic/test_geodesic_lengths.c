/* Lengths that are known: along a line whose metric has hills narrower than the pieces of a first spline,
 * where every curve is as long as every other, and between ends that are hardly apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "geodesic/geodesic.h"
#include "riemann2/geodesic.h"
#include "shared_context.h"

/* Q = 1, sqrt G = 1 + 10 sin^2(k x); its integral is 6 x - 5 sin(2 k x)/(2 k). */
static rm2_status hills(const void *user, const double *x, double *G, double *dG) {
    double k = *(const double *)user, sine = sin(k * x[0]), f = 1 + 10 * sine * sine;
    G[0] = f * f;
    if (dG)
        dG[0] = 2 * f * 20 * k * sine * cos(k * x[0]);
    return RM2_OK;
}

static double integral(double k, double x) {
    return 6 * x - 5 * sin(2 * k * x) / (2 * k);
}

/* No curve is shorter than the line, and none looks shorter by more than 1e-6; a spline that is not
 * converged may go back and forth. The geodesic is as long as the line to 1e-8, the square of its
 * tolerance, and is not refused for being longer than a spline looked. */
static void hills_on_a_line(void **state) {
    (void)state;
    for (double k = 2; k < 16; k *= 1.5)
        for (double end = 0.3; end < 3; end += 0.83) {
            rm2_metric *metric;
            const double from = -0.2;
            double want = integral(k, end) - integral(k, from);
            assert_int_equal(rm2_metric_from_function(ctx, 1, hills, &k, "hills", &metric), RM2_OK);
            rm2i_geodesic_settings settings = rm2i_geodesic_settings_default();
            settings.tolerance = 1e-4;
            for (int last = RM2_STAGE_SPLINE; last <= RM2_STAGE_POLISH; last++) {
                rm2_curve *c;
                settings.last = (rm2_geodesic_stage)last;
                assert_int_equal(rm2i_geodesic(ctx, metric, NULL, &settings, &from, &end, &c),
                                 RM2_OK);
                bool polished = last == RM2_STAGE_POLISH;
                double off = c->length / want - 1;
                if (!(off > -2e-6) || (polished && !(c->converged && fabs(off) < 2e-8)))
                    fail_msg("k %g, end %g, stage %d: length %.12g, exactly %.12g, %s", k, end,
                             last, c->length, want, c->converged ? "converged" : "not converged");
                rm2_curve_free(c);
            }
            rm2_metric_free(metric);
        }
}

/* Latents of equal data differ by rounding: there is nothing to find between them but the line, also
 * where the first path goes elsewhere. In the half plane |x'| / y. */
static void ends_hardly_apart(void **state) {
    (void)state;
    rm2_metric *metric;
    assert_int_equal(rm2_metric_analytic(ctx, "half_plane", 2, &metric), RM2_OK);
    for (double gap = 1e-6; gap > 1e-17; gap /= 10) {
        double from[2] = {0.3, 0.7}, to[2] = {0.3 + gap, 0.7 - gap};
        double want = hypot(to[0] - from[0], to[1] - from[1]) / 0.7;
        rm2_curve *c;
        assert_int_equal(rm2i_geodesic(ctx, metric, NULL, NULL, from, to, &c), RM2_OK);
        if (!(c->converged && fabs(c->length - want) <= 1e-5 * want))
            fail_msg("gap %g: length %g, not %g, or not converged", gap, c->length, want);
        rm2_curve_free(c);
        if (gap > 1e-11)
            continue;
        double detour[3 * 2] = {from[0], from[1], 1, 2, to[0], to[1]};
        assert_int_equal(rm2i_geodesic_refine(ctx, metric, NULL, 3, detour, &c), RM2_OK);
        assert_true(c->converged && fabs(c->length - want) <= 1e-5 * want);
        rm2_curve_free(c);
    }
    rm2_metric_free(metric);
}

/* A ring around a hill, its ends hardly apart: what rounding leaves open is little against the way, so the
 * tolerance is met, not waived. lambda = 1 + 40 exp(-8 |x|^2). */
static rm2_status hill(const void *user, const double *x, double *G, double *dG) {
    (void)user;
    double e = 40 * exp(-8 * (x[0] * x[0] + x[1] * x[1]));
    G[0] = G[3] = 1 + e;
    G[1] = G[2] = 0;
    for (size_t q = 0; dG && q < 2; q++) {
        dG[q * 4] = dG[q * 4 + 3] = -16 * x[q] * e;
        dG[q * 4 + 1] = dG[q * 4 + 2] = 0;
    }
    return RM2_OK;
}

static void loops_meet_their_tolerance(void **state) {
    (void)state;
    enum { NODES = 65 };
    rm2_metric *metric;
    assert_int_equal(rm2_metric_from_function(ctx, 2, hill, NULL, "hill", &metric), RM2_OK);
    for (double gap = 1e-6; gap > 0.9e-10; gap /= 10) {
        double path[NODES * 2];
        for (size_t k = 0; k < NODES; k++) {
            double t = gap + (2 * 3.14159265358979 - 2 * gap) * (double)k / (NODES - 1);
            path[2 * k] = cos(t);
            path[2 * k + 1] = sin(t);
        }
        rm2i_geodesic_settings s = rm2i_geodesic_settings_default();
        rm2_curve *c;
        assert_int_equal(rm2i_geodesic_refine(ctx, metric, &s, NODES, path, &c), RM2_OK);
        if (c->converged && !(c->error <= s.tolerance))
            fail_msg("gap %g: converged with an error of %g", gap, c->error);
        rm2_curve_free(c);
    }
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hills_on_a_line),
        cmocka_unit_test(ends_hardly_apart),
        cmocka_unit_test(loops_meet_their_tolerance),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
