/* Every long call can be stopped: by the flag before it begins, and by its callback at each report. It
 * answers RM2_INTERRUPTED and hands out nothing; once the flag is cleared it answers as if nothing had been. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "context_fixture.h"
#include "riemann2/eval.h"
#include "riemann2/fit.h"
#include "riemann2/trajectory.h"
#include "roadmap/roadmap.h"
#include "space/space.h"
#include "space_fixture.h"

/* ---- calls under test ----------------------------------------------------------------------- */

enum { ANSWERS = 600 };

typedef struct call {
    const char *activity; /* what it reports as, at last */
    rm2_status (*run)(double *answer);
    size_t total; /* of the last activity; 0: unknown */
} call;

static rm2_space *space;
static double slow[4 * Q]; /* four points far from each other */

static void take_curve(rm2_status status, rm2_curve *c, double *answer) {
    assert_true((c != NULL) == (status == RM2_OK));
    if (c)
        memcpy(answer, c->x, c->nodes * Q * sizeof *answer);
    rm2_curve_free(c);
}

static rm2_status create(double *answer) {
    rm2_space_settings s = quick_settings();
    rm2_space *made = space; /* anything that is not NULL */
    rm2_status status = rm2_space_create(ctx, model, &s, 0, NULL, &made);
    assert_true((made != NULL) == (status == RM2_OK));
    if (made)
        memcpy(answer, rm2_space_roadmap(made)->G, 100 * sizeof *answer);
    rm2_space_free(made);
    return status;
}

static rm2_status create_graph(double *answer) {
    rm2_space_settings s = quick_settings();
    rm2_space *made = space;
    s.roadmap = RM2_SPACE_GRAPH;
    s.grid_points = 0;
    rm2_status status = rm2_space_create(ctx, model, &s, 0, NULL, &made);
    assert_true((made != NULL) == (status == RM2_OK));
    if (made)
        memcpy(answer, rm2_space_roadmap(made)->G, 90 * sizeof *answer);
    rm2_space_free(made);
    return status;
}

static rm2_status geodesic(double *answer) {
    rm2_curve *c = (rm2_curve *)space;
    rm2_status status = rm2_space_geodesic(ctx, space, slow, slow + Q, &c);
    take_curve(status, c, answer);
    return status;
}

static rm2_status through(double *answer) {
    rm2_curve *c = (rm2_curve *)space;
    rm2_status status = rm2_space_through(ctx, space, 3, slow, &c);
    take_curve(status, c, answer);
    return status;
}

static rm2_status many(double *answer) {
    rm2_curve *c[3] = {(rm2_curve *)space, (rm2_curve *)space, (rm2_curve *)space};
    size_t failed = 7;
    rm2_status status = rm2_space_many(ctx, space, 3, slow, slow + Q, c, &failed);
    assert_true(failed == SIZE_MAX);
    for (int k = 0; k < 3; k++)
        take_curve(status, c[k], answer + 30 * k);
    return status;
}

static rm2_status distances(double *answer) {
    return rm2_space_distances(ctx, space, 4, slow, answer, NULL);
}

static rm2_status path_distances(double *answer) {
    return rm2i_roadmap_distances(ctx, space->core->roadmap, rm2_space_metric(space), N, latents,
                                  answer);
}

static rm2_status mean(double *answer) {
    rm2_mean_settings few = {.size = sizeof few, .max_iterations = 2, .tolerance = 1e-9};
    return rm2_space_mean(ctx, space, 4, slow, NULL, &few, answer, NULL);
}

static rm2_status mean_of_paths(double *answer) {
    rm2_space_settings g = *rm2_space_settings_of(space);
    rm2_space *paths;
    g.stage = RM2_STAGE_PATH;
    ok(rm2_space_with_settings(ctx, space, &g, &paths));
    rm2_status status = rm2_space_mean(ctx, paths, 4, slow, NULL, NULL, answer, NULL);
    rm2_space_free(paths);
    return status;
}

static rm2_status mean_of_lines(double *answer) {
    rm2i_geodesic_settings g = rm2i_space_geodesics(rm2_space_settings_of(space));
    g.last = RM2_STAGE_PATH;
    return rm2i_geodesic_mean(ctx, rm2_space_metric(space), NULL, &g, 4, slow, NULL, NULL, answer,
                              NULL);
}

static rm2_status exponential(double *answer) {
    return rm2_space_exp(ctx, space, slow, (double[Q]){0.4, 0.2}, answer, NULL, 0, NULL);
}

static rm2_status logarithm(double *answer) {
    return rm2_space_log(ctx, space, slow, slow + Q, answer, NULL);
}

static rm2_status encode(double *answer) {
    rm2_encode_settings s = rm2_encode_settings_default();
    s.optim.max_iterations = 5;
    s.optim.history = 5;
    s.searches = 2;
    return rm2_model_encode(ctx, model, &s, N, toy->points, answer, NULL, NULL);
}

static rm2_status dtw_floor(double *answer) {
    rm2_sequence demos[4];
    rm2_distance_summary summary = {.size = sizeof summary};
    for (size_t k = 0; k < 4; k++)
        demos[k] = (rm2_sequence){N / 2, D, toy->points + k % 2 * (N / 2) * D};
    return rm2_dtw_floor(ctx, NULL, 4, demos, answer, &summary);
}

static const call calls[] = {
    {"roadmap", create, 400},
    {"roadmap", create_graph, N},
    {"geodesic", geodesic, 3},
    {"geodesic", through, 6},
    {"geodesics", many, 3},
    {"distances", distances, 6},
    {"distances", path_distances, 276},
    {"mean", mean, 0},
    {"mean", mean_of_paths, 0},
    {"mean", mean_of_lines, 0},
    {"geodesic", exponential, 0},
    {"geodesic", logarithm, 3},
    {"encode", encode, N},
    {"distances", dtw_floor, 6},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- the callback --------------------------------------------------------------------------- */

typedef struct listener {
    size_t calls, stop_at; /* stop_at: the report that it says stop to */
    rm2_progress last;
    pthread_t thread;
} listener;

static bool listen(void *user, const rm2_progress *p) {
    listener *l = user;
    assert_true(pthread_equal(l->thread, pthread_self()));
    assert_true(p->total == 0 || p->done <= p->total);
    assert_true(l->calls < l->stop_at); /* nothing is reported after a stop */
    l->last = *p;
    return ++l->calls != l->stop_at;
}

static rm2_status run_listened(const call *c, size_t stop_at, listener *l, double *answer) {
    *l = (listener){.stop_at = stop_at, .thread = pthread_self()};
    rm2_context_set_progress(ctx, listen, l);
    rm2_status status = c->run(answer);
    rm2_context_set_progress(ctx, NULL, NULL);
    return status;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static int set_up(void **state) {
    rm2_space_settings s = quick_settings();
    const size_t which[4] = {0, N - 1, N / 2 - 1, N / 2 + 3};
    if (space_set_up(state) != 0)
        return 1;
    for (size_t k = 0; k < 4; k++)
        memcpy(slow + k * Q, latents + which[k] * Q, Q * sizeof *slow);
    space = make_space(&s, 0, NULL);
    return 0;
}

static int tear_down(void **state) {
    rm2_space_free(space);
    return space_tear_down(state);
}

/* The flag is set: nothing begins. */
static void interrupted_before(void **state) {
    (void)state;
    for (size_t k = 0; k < CALLS; k++) {
        double answer[ANSWERS] = {0};
        rm2_context_interrupt(ctx);
        assert_int_equal(calls[k].run(answer), RM2_INTERRUPTED);
        assert_contains(rm2_context_error(ctx), "interrupted");
        assert_int_equal(calls[k].run(answer), RM2_INTERRUPTED); /* the flag stays */
        rm2_context_clear_interrupt(ctx);
        ok(calls[k].run(answer));
    }
}

/* At each of the first reports in turn, on one thread and on two. The report of the end can stop nothing. */
static void stopped_by_the_callback(void **state) {
    (void)state;
    for (size_t k = 0; k < CALLS; k++)
        for (int threads = 1; threads <= 2; threads++) {
            const call *c = &calls[k];
            double want[ANSWERS] = {0}, answer[ANSWERS] = {0}, again[ANSWERS] = {0};
            listener l;
            rm2_context_set_threads(ctx, threads);
            ok(run_listened(c, SIZE_MAX, &l, want));
            size_t reports = l.calls;
            assert_string_equal(l.last.activity, c->activity);
            assert_true(reports >= 1 && l.last.total == c->total);
            assert_true(c->total == 0 || l.last.done == c->total);
            size_t most = threads == 1 ? 8 : 3;
            for (size_t stop = 1; stop <= reports && stop <= most; stop++) {
                rm2_status status = run_listened(c, stop, &l, answer);
                bool at_end = l.last.total > 0 && l.last.done == l.last.total;
                bool others = threads > 1; /* may have been at the last parts already */
                assert_true(
                    status == RM2_INTERRUPTED ||
                    (status == RM2_OK && (at_end || others || l.calls < stop || c->total == 0)));
                if (stop == 1)
                    assert_int_equal(status, RM2_INTERRUPTED);
                rm2_context_clear_interrupt(ctx);
            }
            ok(c->run(again));
            assert_memory_equal(want, again, sizeof want);
        }
    rm2_context_set_threads(ctx, 0);
}

/* ---- how soon ------------------------------------------------------------------------------- */

/* The sphere, counting; after so many evaluations somebody sets the flag. */
typedef struct counting {
    atomic_size_t evaluations;
    size_t interrupt_at;
} counting;

static rm2_status count_sphere(const void *user, const double *x, double *G, double *dG) {
    counting *c = (counting *)user;
    double cosine = cos(x[0]);
    if (atomic_fetch_add(&c->evaluations, 1) + 1 == c->interrupt_at)
        rm2_context_interrupt(ctx);
    memcpy(G, (double[4]){1, 0, 0, cosine * cosine}, 4 * sizeof *G);
    if (dG)
        memcpy(dG, (double[8]){0, 0, 0, -2 * cosine * sin(x[0])}, 8 * sizeof *dG);
    return RM2_OK;
}

/* Wherever the flag is set, at most one block of evaluations per thread follows. */
static void soon(void **state) {
    (void)state;
    enum { BLOCK = 64 };
    const double x[6] = {-0.9, 0, 0.8, 2, 0.1, 1};
    counting c = {.interrupt_at = 0};
    rm2_metric *metric;
    rm2_space_settings s = rm2_space_settings_default();
    s.grid_points = 12;
    rm2_context_set_threads(ctx, 1);
    ok(rm2_metric_from_function(ctx, Q, count_sphere, &c, "counting", &metric));
    for (size_t at = 1; at < 4000; at = at + at / 3 + 1) {
        rm2_space *made = NULL;
        double distance[9];
        c.interrupt_at = at;
        atomic_store(&c.evaluations, 0);
        rm2_status status = rm2_space_from_metric(ctx, metric, &s, 3, x, &made);
        if (status == RM2_OK)
            status = rm2_space_distances(ctx, made, 3, x, distance, NULL);
        size_t all = atomic_load(&c.evaluations);
        assert_true(status == (all >= at + BLOCK ? RM2_INTERRUPTED : status));
        assert_true(status != RM2_INTERRUPTED || all <= at + BLOCK);
        if (at == 1 || at == 200)
            assert_int_equal(status, RM2_INTERRUPTED);
        rm2_space_free(made);
        rm2_context_clear_interrupt(ctx);
    }
    rm2_context_set_threads(ctx, 0);
    rm2_metric_free(metric);
}

/* ---- fit ------------------------------------------------------------------------------------ */

typedef struct fit_listener {
    size_t rows, reports, stop_at_report;
    rm2_stop stop;
} fit_listener;

static bool listen_to_fit(void *user, const rm2_progress *p) {
    fit_listener *l = user;
    l->reports++;
    if (p->row) {
        assert_string_equal(p->activity, "fit");
        l->rows++;
        l->stop = ((const rm2_fit_progress *)p->row)->stop;
    }
    return l->reports != l->stop_at_report;
}

/* Stopped while its start is computed, rm2_fit has no model; later it has one that says so, whichever
 * inference it has. */
static void fit_hands_out_its_model(void **state) {
    (void)state;
    for (int inducing = 0; inducing < 2; inducing++)
        for (size_t stop = 1; stop <= 6; stop++) {
            rm2_fit_settings s = robust_settings(20);
            fit_listener l = {.stop_at_report = stop};
            rm2_model *fitted = model;
            s.optim.relative_decrease = s.optim.gradient = 0;
            s.inference = inducing ? RM2_INFERENCE_INDUCING : RM2_INFERENCE_EXACT;
            rm2_context_set_progress(ctx, listen_to_fit, &l);
            rm2_status status = rm2_fit(ctx, toy, &s, NULL, &fitted);
            rm2_context_set_progress(ctx, NULL, NULL);
            rm2_context_clear_interrupt(ctx);
            if (stop == 1) { /* the report of the beginning */
                assert_int_equal(status, RM2_INTERRUPTED);
                assert_null(fitted);
                continue;
            }
            ok(status);
            assert_int_equal(rm2_model_info_of(fitted)->training.stop, RM2_STOP_INTERRUPTED);
            assert_true(l.stop == RM2_STOP_INTERRUPTED && l.rows >= 1);
            check_model(fitted);
            rm2_model_free(fitted);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted_before),
        cmocka_unit_test(stopped_by_the_callback),
        cmocka_unit_test(soon),
        cmocka_unit_test(fit_hands_out_its_model),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
