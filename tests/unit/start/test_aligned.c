/* The start from aligned demonstrations: what it must not depend on, and what it must find. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "demos_fixture.h"
#include "near.h"
#include "start/aligned.h"
#include "start/start.h"

enum { Q = 2, DEMOS = 6, T = 60 };

typedef struct result {
    double *X;
    rm2_start_report *report;
} result;

static void forget(result *r) {
    free(r->X);
    rm2_start_report_free(r->report);
    *r = (result){0};
}

static result start_with(rm2_context *ctx, const rm2i_aligned_settings *settings,
                         const demo_set *set, size_t dims) {
    result r;
    rm2i_start_data demos = demos_of(set);
    r.X = calloc(demos.N * dims, sizeof *r.X);
    assert_non_null(r.X);
    if (rm2i_start_aligned(ctx, settings, &demos, dims, r.X, &r.report) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    for (size_t i = 0; i < demos.N * dims; i++)
        assert_true(isfinite(r.X[i]));
    return r;
}

static result start(rm2_context *ctx, const demo_set *set) {
    return start_with(ctx, NULL, set, Q);
}

static demo_plan whole(size_t number) {
    return (demo_plan){.points = T, .number = number, .end = 1};
}

/* Six demonstrations of one motion, evenly timed. */
static demo_set one_motion(void) {
    demo_set s = {0};
    for (size_t d = 0; d < DEMOS; d++)
        add_demo(&s, &(demo_plan){.points = T, .number = d, .end = 1});
    return s;
}

static double largest_difference(size_t count, const double *x, const double *y) {
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

/* ---- what it does not depend on ------------------------------------------------------------------ */

/* Latents (dims) of demonstration d where it is at fraction t of its own arc. */
static void latent_at(const demo_set *s, const result *r, size_t d, double t, double *x) {
    size_t from = s->starts[d], n = s->starts[d + 1] - from;
    double *arc = calloc(n, sizeof *arc);
    assert_non_null(arc);
    for (size_t i = 1; i < n; i++) {
        double sum = 0;
        for (size_t m = 0; m < DEMO_DIM; m++) {
            double step = s->F[(from + i) * DEMO_DIM + m] - s->F[(from + i - 1) * DEMO_DIM + m];
            sum += step * step;
        }
        arc[i] = arc[i - 1] + sqrt(sum);
    }
    size_t i = 0;
    while (i + 2 < n && arc[i + 1] < t * arc[n - 1])
        i++;
    double part = (t * arc[n - 1] - arc[i]) / (arc[i + 1] - arc[i]);
    for (size_t q = 0; q < Q; q++)
        x[q] = (1 - part) * r->X[(from + i) * Q + q] + part * r->X[(from + i + 1) * Q + q];
    free(arc);
}

/* Largest minus smallest first coordinate. */
static double extent_of(size_t count, const double *X) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, X[i * Q]);
        high = fmax(high, X[i * Q]);
    }
    return high - low;
}

/* Six demonstrations, each with its own timing and number of points. */
static demo_set timed(const double warp[DEMOS], const size_t points[DEMOS]) {
    demo_set s = {0};
    for (size_t d = 0; d < DEMOS; d++) {
        demo_plan p = whole(d);
        p.points = points ? points[d] : 200;
        p.warp = warp[d];
        add_demo(&s, &p);
    }
    return s;
}

/* How far the latents of the same places are apart, over their extent, with the second coordinate mirrored or not: its sign
 * means nothing, and follows from the largest entries, which may be about equal on both sides. */
static double moved(const demo_set *s, const result *a, const demo_set *other, const result *b) {
    double extent = extent_of(demo_points(s), a->X), most[2] = {0};
    for (size_t d = 0; d < DEMOS; d++)
        for (double t = 0; t <= 1; t += 0.05) {
            double x[Q], y[Q];
            latent_at(s, a, d, t, x);
            latent_at(other, b, d, t, y);
            for (int mirrored = 0; mirrored < 2; mirrored++, y[1] = -y[1])
                most[mirrored] = fmax(most[mirrored], largest_difference(Q, x, y) / extent);
        }
    return fmin(most[0], most[1]);
}

static double moved_by_timing(rm2_context *ctx, double time_weight, const demo_set *other) {
    const double none[DEMOS] = {0};
    demo_set even = timed(none, NULL);
    rm2i_aligned_settings settings = rm2i_aligned_settings_default();
    settings.time_weight = time_weight;
    result a = start_with(ctx, &settings, &even, Q), b = start_with(ctx, &settings, other, Q);
    double most = moved(&even, &a, other, &b);
    forget(&a);
    forget(&b);
    free(even.F);
    return most;
}

/* Another timing of some or all demonstrations: the same latents at the same places, to 1 % of the extent, whatever the
 * weight of the phase. The rest comes from corners between the points that a fast demonstration leaves out, and from
 * alignment to whole nodes. */
static void timing_does_not_matter(void **state) {
    const double timings[][DEMOS] = {{0, 0.9, 0, 0, -0.8, 0},
                                     {0.9, -0.8, 0.5, -0.5, 0.8, -0.9},
                                     {0.6, -0.3, 0.9, 0.1, -0.7, 0.4},
                                     {0.8, 0.8, 0.8, 0.8, 0.8, 0.8},
                                     {-0.8, -0.8, -0.8, -0.8, -0.8, -0.8}};
    const double weights[] = {0, 1, rm2i_aligned_settings_default().time_weight, 8};
    const size_t points[DEMOS] = {200, 220, 240, 260, 280, 300};
    for (size_t k = 0; k < sizeof timings / sizeof timings[0]; k++) {
        demo_set set = timed(timings[k], points);
        for (size_t w = 0; w < sizeof weights / sizeof weights[0]; w++)
            assert_true(moved_by_timing(*state, weights[w], &set) < 0.01);
        free(set.F);
    }
}

/* Where timing counts, that of two of six does not move the consensus; that of all does. */
static void timing_is_a_consensus(void **state) {
    const double few[DEMOS] = {0, 0.9, 0, 0, -0.8, 0}, all[DEMOS] = {0.8, 0.8, 0.8, 0.8, 0.8, 0.8};
    const double none[DEMOS] = {0};
    rm2i_aligned_settings settings = rm2i_aligned_settings_default();
    settings.timed = true;
    demo_set even = timed(none, NULL), some = timed(few, NULL), every = timed(all, NULL);
    result a = start_with(*state, &settings, &even, Q), b = start_with(*state, &settings, &some, Q);
    result c = start_with(*state, &settings, &every, Q);
    assert_true(moved(&even, &a, &some, &b) < 0.01);
    assert_in_range((int)(1000 * moved(&even, &a, &every, &c)), 20, 100);
    forget(&a);
    forget(&b);
    forget(&c);
    free(even.F);
    free(some.F);
    free(every.F);
}

/* The report shows which demonstrations keep no even pace; an even parameter of this motion is 0.07 off an even arc. */
static void uneven_pace_is_reported(void **state) {
    const double warp[DEMOS] = {0, 0.9, 0, 0, -0.8, 0};
    demo_set set = timed(warp, NULL);
    result r = start(*state, &set);
    for (size_t d = 0; d < DEMOS; d++)
        assert_true(warp[d] == 0 ? r.report->demo[d].unevenness < 0.08
                                 : r.report->demo[d].unevenness > 0.14);
    forget(&r);
    free(set.F);
}

/* A demonstration that runs backwards, the reference included, lies where it lay. */
static void direction_does_not_matter(void **state) {
    demo_set forward = one_motion();
    result a = start(*state, &forward);
    for (size_t back = 0; back < DEMOS; back++) {
        demo_set s = {0};
        for (size_t d = 0; d < DEMOS; d++) {
            demo_plan p = whole(d);
            p.reversed = d == back;
            add_demo(&s, &p);
        }
        result b = start(*state, &s);
        for (size_t d = 0; d < DEMOS; d++) {
            assert_int_equal(b.report->demo[d].reversed, d == back);
            for (size_t i = 0; i < T; i++) {
                size_t from = d * T + i, to = d * T + (d == back ? T - 1 - i : i);
                assert_near(largest_difference(Q, a.X + from * Q, b.X + to * Q), 0, 1e-7);
            }
        }
        assert_near(b.report->demo[back].begin, a.report->demo[back].end, 1e-9);
        forget(&b);
        free(s.F);
    }
    forget(&a);
    free(forward.F);
}

/* The order of the demonstrations is that of their latents: two families, shuffled. */
static void order_does_not_matter(void **state) {
    size_t order[2 * DEMOS], motion = 7;
    demo_set s = {0}, shuffled = {0};
    for (size_t d = 0; d < 2 * DEMOS; d++) {
        demo_plan p = whole(d);
        p.motion = d < DEMOS - 1;
        add_demo(&s, &p);
    }
    for (size_t d = 0; d < 2 * DEMOS; d++) {
        order[d] = (d * motion + 5) % (2 * DEMOS);
        demo_plan p = whole(order[d]);
        p.motion = order[d] < DEMOS - 1;
        add_demo(&shuffled, &p);
    }
    result a = start(*state, &s), b = start(*state, &shuffled);
    assert_int_equal(a.report->families, 2);
    assert_int_equal(b.report->families, 2);
    for (size_t d = 0; d < 2 * DEMOS; d++)
        assert_near(largest_difference((size_t)T * Q, b.X + d * T * Q, a.X + order[d] * T * Q), 0,
                    1e-7);
    forget(&a);
    forget(&b);
    free(s.F);
    free(shuffled.F);
}

static void units_and_threads_do_not_matter(void **state) {
    demo_set s = one_motion();
    size_t count = demo_points(&s) * DEMO_DIM, bytes = demo_points(&s) * Q * sizeof(double);
    rm2_context_set_threads(*state, 1);
    result a = start(*state, &s);
    for (int threads = 2; threads <= 5; threads++) {
        rm2_context_set_threads(*state, threads);
        result b = start(*state, &s);
        assert_memory_equal(a.X, b.X, bytes);
        forget(&b);
    }
    double factors[] = {0x1p+400, 0x1p-900, 3.7 * 0x1p+500};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < count; i++)
            s.F[i] *= factors[k];
        result b = start(*state, &s);
        if (k < 2)
            assert_memory_equal(a.X, b.X, bytes);
        else
            assert_near(largest_difference(demo_points(&s) * Q, a.X, b.X), 0, 1e-7);
        forget(&b);
    }
    forget(&a);
    free(s.F);
}

/* ---- what it finds ------------------------------------------------------------------------------- */

/* A motion that crosses itself is unrolled: the first dimension rises along every demonstration. */
static void motion_is_unrolled(void **state) {
    demo_set s = one_motion();
    result r = start(*state, &s);
    assert_int_equal(r.report->families, 1);
    assert_true(r.report->family[0].complete && r.report->family[0].demos == DEMOS);
    for (size_t d = 0; d < DEMOS; d++) {
        const rm2_start_demo *demo = &r.report->demo[d];
        assert_true(!demo->reversed && demo->family == 0);
        assert_near(demo->begin, 0, 0.05);
        assert_near(demo->end, 1, 0.05);
        for (size_t i = d * T; i + 1 < (d + 1) * T; i++)
            assert_true(r.X[(i + 1) * Q] > r.X[i * Q]);
    }
    forget(&r);
    free(s.F);
}

/* Parts of the motion lie where the whole has them: the phase of each end is found to 3 %. */
static void cuts_are_found(void **state) {
    demo_set s = {0};
    double begin[] = {0, 0.2, 0, 0, 0.25, 0}, end[] = {1, 1, 0.8, 1, 1, 0.75};
    for (size_t d = 0; d < DEMOS; d++)
        add_demo(&s, &(demo_plan){.points = T, .number = d, .begin = begin[d], .end = end[d]});
    result r = start(*state, &s);
    demo_set full = one_motion();
    result f = start(*state, &full);
    for (size_t d = 0; d < DEMOS; d++) { /* phases are not times: those of the whole at that time */
        size_t from = d * T + (size_t)round(begin[d] * (T - 1)),
               to = d * T + (size_t)round(end[d] * (T - 1));
        double extent = f.X[(d * T + T - 1) * Q] - f.X[d * T * Q];
        double b = (f.X[from * Q] - f.X[d * T * Q]) / extent;
        double e = (f.X[to * Q] - f.X[d * T * Q]) / extent;
        assert_near(r.report->demo[d].begin, b, 0.03);
        assert_near(r.report->demo[d].end, e, 0.03);
    }
    forget(&r);
    forget(&f);
    free(s.F);
    free(full.F);
}

/* No demonstration is complete: together they are. */
static void halves_make_a_whole(void **state) {
    demo_set s = {0};
    for (size_t d = 0; d < DEMOS; d++)
        add_demo(&s, &(demo_plan){.points = T,
                                  .number = d,
                                  .begin = d % 2 ? 0.4 : 0,
                                  .end = d % 2 ? 1 : 0.6,
                                  .reversed = d == 3});
    result r = start(*state, &s);
    assert_int_equal(r.report->families, 1);
    assert_false(r.report->family[0].complete);
    for (size_t d = 0; d < DEMOS; d++) {
        const rm2_start_demo *demo = &r.report->demo[d];
        double first = demo->reversed ? demo->end : demo->begin;
        double last = demo->reversed ? demo->begin : demo->end;
        assert_int_equal(demo->reversed, d == 3);
        assert_true(d % 2 ? first > 0.25 : first < 0.05);
        assert_true(d % 2 ? last > 0.95 : last < 0.75);
    }
    forget(&r);
    free(s.F);
}

/* A loop begun at different places: phases stay continuous, and equal places lie a turn apart at most. */
static void loops_begin_anywhere(void **state) {
    demo_set s = {0};
    double shift[DEMOS] = {0, 0.1, 0.35, 0.9, 0.6, 0}, pi = acos(-1);
    for (size_t d = 0; d < DEMOS; d++) {
        add_demo(&s, &(demo_plan){.points = T, .end = 1});
        for (size_t i = 0; i < T; i++) {
            double u = 2 * pi * (shift[d] + (double)i / (T - 1)), n = 0.05 * (double)d;
            double *x = s.F + (d * T + i) * DEMO_DIM;
            x[0] = cos(u) + n * sin(u);
            x[1] = sin(u);
            x[2] = 0.7 * cos(2 * u + 1) + n * cos(u);
            x[3] = 0.5 * sin(3 * u);
        }
    }
    result r = start(*state, &s);
    assert_int_equal(r.report->families, 1);
    for (size_t d = 0; d < DEMOS; d++)
        for (size_t i = d * T; i + 1 < (d + 1) * T; i++) {
            assert_true(r.X[(i + 1) * Q] > r.X[i * Q] - 1e-9);
            assert_true(r.X[(i + 1) * Q] < r.X[i * Q] + 0.5);
        }
    forget(&r);
    free(s.F);
}

static demo_set two_motions(void) {
    demo_set s = {0};
    for (size_t d = 0; d < 2 * DEMOS; d++) {
        demo_plan p = whole(d);
        p.motion = d % 2;
        add_demo(&s, &p);
    }
    return s;
}

/* Two motions: two families that do not overlap. One is asked for: one. Labels: these. */
static void families_are_apart(void **state) {
    demo_set s = two_motions();
    result r = start(*state, &s);
    double top = -INFINITY, bottom = INFINITY;
    assert_int_equal(r.report->families, 2);
    assert_false(r.report->labelled);
    for (size_t d = 0; d < s.count; d++) {
        assert_int_equal(r.report->demo[d].family, d % 2);
        for (size_t i = d * T; i < (d + 1) * T; i++) {
            top = d % 2 ? top : fmax(top, r.X[i * Q + 1]);
            bottom = d % 2 ? fmin(bottom, r.X[i * Q + 1]) : bottom;
        }
    }
    if (top > bottom) { /* either may be above */
        top = -INFINITY, bottom = INFINITY;
        for (size_t i = 0; i < demo_points(&s); i++) {
            top = i / T % 2 ? fmax(top, r.X[i * Q + 1]) : top;
            bottom = i / T % 2 ? bottom : fmin(bottom, r.X[i * Q + 1]);
        }
    }
    assert_true(bottom > top);
    assert_int_equal(r.report->family[1].demos, DEMOS);
    forget(&r);

    rm2i_aligned_settings one = rm2i_aligned_settings_default();
    one.families = 1;
    r = start_with(*state, &one, &s, Q);
    assert_int_equal(r.report->families, 1);
    forget(&r);

    size_t label[2 * DEMOS];
    for (size_t d = 0; d < s.count; d++)
        label[d] = d / 4;
    rm2i_aligned_settings labels = rm2i_aligned_settings_default();
    labels.families = 3;
    labels.family = label;
    r = start_with(*state, &labels, &s, Q);
    assert_true(r.report->families == 3 && r.report->labelled);
    for (size_t d = 0; d < s.count; d++)
        assert_int_equal(r.report->demo[d].family, d / 4);
    forget(&r);
    free(s.F);
}

/* Two motions that begin at the same place, up and down: two families, not one motion from end to end. */
static void a_common_beginning_is_no_continuation(void **state) {
    demo_set s = {0};
    for (size_t d = 0; d < 2 * DEMOS; d++) {
        demo_plan p = whole(d);
        add_demo(&s, &p);
        for (size_t i = 0; i < T; i++) {
            double t = (double)i / (T - 1), side = d < DEMOS ? 1 : -1, n = (double)d;
            double *x = s.F + (d * T + i) * DEMO_DIM;
            x[0] = 2 * t + 0.03 * sin(n);
            x[1] = side * (4 * t * (1 - t) + 0.5 * t + 0.05 * sin(3 * t + n));
            x[2] = 0.3 * sin(6 * t);
            x[3] = 0;
        }
    }
    result r = start(*state, &s);
    assert_int_equal(r.report->families, 2);
    for (size_t d = 0; d < s.count; d++) {
        assert_int_equal(r.report->demo[d].family, d / DEMOS);
        assert_false(r.report->demo[d].reversed);
        assert_true(r.report->family[d / DEMOS].complete);
    }
    forget(&r);
    free(s.F);
}

static void any_dimension(void **state) {
    demo_set s = two_motions();
    for (size_t dims = 1; dims <= 5; dims++) {
        result r = start_with(*state, NULL, &s, dims);
        assert_int_equal(r.report->families, 2);
        forget(&r);
    }
    free(s.F);
}

/* ---- many, few and none -------------------------------------------------------------------------- */

/* A thousand demonstrations of two motions: references and landmarks stand for all. */
static void a_thousand(void **state) {
    demo_set s = {0};
    for (size_t d = 0; d < 1000; d++)
        add_demo(&s, &(demo_plan){.points = 10 + d % 7,
                                  .motion = d % 3 == 0,
                                  .number = d,
                                  .warp = 0.1 * (double)(d % 5),
                                  .end = 1});
    result r = start(*state, &s);
    assert_int_equal(r.report->families, 2);
    for (size_t d = 0; d < 1000; d++)
        assert_int_equal(r.report->demo[d].family, d % 3 == 0 ? 0 : 1);
    forget(&r);
    free(s.F);
}

/* Families that are given need no reference among the thousand. */
static void small_families_among_many(void **state) {
    demo_set s = {0};
    size_t label[100] = {[99] = 1};
    for (size_t d = 0; d < 100; d++)
        add_demo(&s, &(demo_plan){.points = 9, .motion = d == 99, .number = d, .end = 1});
    rm2i_aligned_settings labels = rm2i_aligned_settings_default();
    labels.families = 2;
    labels.family = label;
    result r = start_with(*state, &labels, &s, Q);
    assert_int_equal(r.report->family[1].reference, 99);
    forget(&r);
    free(s.F);
}

/* The time-aware Isomap, to the bit. */
static void assert_as_isomap(rm2_context *ctx, const demo_set *s) {
    result r = start(ctx, s);
    double *X = calloc(demo_points(s) * Q, sizeof *X);
    assert_non_null(X);
    assert_null(r.report);
    rm2i_start_data demos = demos_of(s);
    assert_int_equal(rm2i_start_isomap(ctx, NULL, &demos, Q, X), RM2_OK);
    assert_memory_equal(X, r.X, demo_points(s) * Q * sizeof *X);
    free(X);
    forget(&r);
}

static void without_curves_as_before(void **state) {
    demo_set single = {0}, points = {0};
    demo_plan p = whole(0);
    add_demo(&single, &p);
    assert_as_isomap(*state, &single);
    for (size_t d = 0; d < 9; d++)
        add_demo(&points, &(demo_plan){.points = 1, .number = d, .begin = 0.1 * (double)d});
    assert_as_isomap(*state, &points);
    free(single.F);
    free(points.F);
}

static void short_and_still_demonstrations(void **state) {
    demo_set s = one_motion();
    for (size_t n = 1; n <= 4; n++)
        add_demo(&s, &(demo_plan){.points = n, .number = n, .begin = 0.3, .end = 0.5});
    add_demo(&s, &(demo_plan){.points = 20, .number = 3, .begin = 0.5, .end = 0.5});
    result r = start(*state, &s);
    assert_int_equal(r.report->families, 1);
    forget(&r);
    free(s.F);
}

static void equal_demonstrations(void **state) {
    demo_set s = {0};
    for (size_t d = 0; d < 2; d++) {
        demo_plan p = whole(3);
        add_demo(&s, &p);
    }
    result r = start(*state, &s);
    assert_near(largest_difference((size_t)T * Q, r.X, r.X + (size_t)T * Q), 0, 0.1);
    assert_near(r.report->demo[0].misfit, 0, 0);
    assert_near(r.report->demo[1].misfit, 0, 0);
    forget(&r);
    for (size_t i = 0; i < demo_points(&s) * DEMO_DIM; i++)
        s.F[i] = 1;
    rm2i_start_data demos = demos_of(&s);
    double X[2 * T * Q];
    assert_int_equal(rm2i_start_aligned(*state, NULL, &demos, Q, X, &r.report), RM2_ERR_DATA);
    assert_contains(rm2_context_error(*state), "are equal");
    free(s.F);
}

static void refuses(rm2_context *ctx, const rm2i_aligned_settings *settings, const char *part) {
    demo_set s = one_motion();
    rm2i_start_data demos = demos_of(&s);
    rm2_start_report *report;
    double X[DEMOS * T * Q];
    assert_int_equal(rm2i_start_aligned(ctx, settings, &demos, Q, X, &report), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), part);
    assert_null(report);
    free(s.F);
}

static void wrong_settings_are_refused(void **state) {
    rm2i_aligned_settings good = rm2i_aligned_settings_default(), bad = good;
    size_t family[DEMOS] = {0, 1, 2, 1, 0, 1};
    bad.neighbours = 0;
    refuses(*state, &bad, "neighbours");
    bad = good;
    bad.time_weight = NAN;
    refuses(*state, &bad, "time_weight");
    bad = good;
    bad.families = 2;
    bad.family = family;
    refuses(*state, &bad, "family 2 of 2");
}

static void interrupt_stops(void **state) {
    demo_set s = one_motion();
    rm2i_start_data demos = demos_of(&s);
    rm2_start_report *report;
    double X[DEMOS * T * Q];
    rm2_context_interrupt(*state);
    assert_int_equal(rm2i_start_aligned(*state, NULL, &demos, Q, X, &report), RM2_INTERRUPTED);
    assert_null(report);
    free(s.F);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(timing_does_not_matter),
        WITH_CONTEXT(timing_is_a_consensus),
        WITH_CONTEXT(uneven_pace_is_reported),
        WITH_CONTEXT(direction_does_not_matter),
        WITH_CONTEXT(order_does_not_matter),
        WITH_CONTEXT(units_and_threads_do_not_matter),
        WITH_CONTEXT(motion_is_unrolled),
        WITH_CONTEXT(cuts_are_found),
        WITH_CONTEXT(halves_make_a_whole),
        WITH_CONTEXT(loops_begin_anywhere),
        WITH_CONTEXT(families_are_apart),
        WITH_CONTEXT(a_common_beginning_is_no_continuation),
        WITH_CONTEXT(any_dimension),
        WITH_CONTEXT(a_thousand),
        WITH_CONTEXT(small_families_among_many),
        WITH_CONTEXT(without_curves_as_before),
        WITH_CONTEXT(short_and_still_demonstrations),
        WITH_CONTEXT(equal_demonstrations),
        WITH_CONTEXT(wrong_settings_are_refused),
        WITH_CONTEXT(interrupt_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
