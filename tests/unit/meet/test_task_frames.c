/* Motions with demonstrations in the frames of objects that move. The first part of each demonstration is fixed to one object, the last part
 * to another one, and both are elsewhere each time: what a demonstrator would do for new places is known. */
#include "meet_fixture.h"

enum { DEMOS = 8, FINE = 400 };

/* ---- the task ------------------------------------------------------------------------------- */

typedef struct rigid {
    double t[3], q[4]; /* of the plane: q[0] is the angle */
} rigid;

static double wave(double a, double b) {
    return sin(12.9898 * a + 78.233 * b); /* of -1 .. 1, without a pattern */
}

static rigid place(size_t d, double which) {
    double n = (double)d, angle = 0.4 * wave(n + 1, which), axis[3], length = 0;
    rigid g;
    for (size_t k = 0; k < 3; k++) {
        g.t[k] = 0.3 * wave(n + 2, which + (double)k + 1);
        axis[k] = wave(n + 3, which + (double)k + 5);
        length += axis[k] * axis[k];
    }
    g.q[0] = cos(angle / 2);
    for (size_t k = 0; k < 3; k++)
        g.q[k + 1] = sin(angle / 2) * axis[k] / sqrt(length);
    return g;
}

static void multiply(const double *a, const double *b, double *out) {
    const double found[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                             a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                             a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                             a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, found, sizeof found);
}

/* On R2 x S1, R3 x S3 and R3 x SO3; R2 x S2 has no orientation of the plane, and moves without turning. */
static void apply(const char *spec, const rigid *g, const double *x, double *y) {
    size_t n = spec[1] == '2' ? 2 : 3;
    double angle = 2 * atan2(g->q[3], g->q[0]);
    if (n == 3) {
        double v[4] = {0, x[0], x[1], x[2]}, back[4] = {g->q[0], -g->q[1], -g->q[2], -g->q[3]},
               r[4];
        multiply(g->q, v, r);
        multiply(r, back, r);
        for (size_t k = 0; k < 3; k++)
            y[k] = r[k + 1] + g->t[k];
        multiply(g->q, x + 3, y + 3);
        return;
    }
    bool turned = strcmp(spec, "R2 x S1") == 0;
    double c = turned ? cos(angle) : 1, s = turned ? sin(angle) : 0;
    for (size_t k = 0; k < (turned ? 4u : 2u); k += 2) {
        double first = c * x[k] - s * x[k + 1], second = s * x[k] + c * x[k + 1];
        y[k] = first + (k ? 0 : g->t[0]);
        y[k + 1] = second + (k ? 0 : g->t[1]);
    }
    for (size_t k = 2; !turned && k < 5; k++)
        y[k] = x[k];
}

/* Point at u of demonstration d: on the way from one object to the other. */
static void show(const char *spec, const rm2_manifold *m, size_t d, double u, double *y) {
    size_t M = rm2_manifold_dim(m), D = rm2_manifold_ambient(m);
    double c[8], base[8], own[8], near[2][8], part = fmin(fmax((u - 0.35) / 0.3, 0), 1);
    rm2_manifold_default_point(m, base);
    for (size_t a = 0; a < M; a++)
        c[a] = 0.7 * (a == 0 ? 2 * u - 1 : sin(2.2 * u + 1.1 * (double)a)) +
               0.004 * sin(3.14159265 * u) * wave((double)d, (double)a + 9);
    ok(rm2_manifold_exp_coords(ctx, m, 1, base, 1, c, own));
    for (int k = 0; k < 2; k++) {
        rigid g = place(d, 20 * k);
        apply(spec, &g, own, near[k]);
    }
    double dot = 0;
    for (size_t e = D - 4; D == 7 && e < D; e++)
        dot += near[0][e] * near[1][e];
    for (size_t e = D - 4; dot < 0 && e < D; e++)
        near[1][e] *= -1;
    ok(rm2_manifold_log_coords(ctx, m, 1, near[0], 1, near[1], c));
    for (size_t a = 0; a < M; a++)
        c[a] *= part * part * (3 - 2 * part);
    ok(rm2_manifold_exp_coords(ctx, m, 1, near[0], 1, c, y));
}

static scene open_task(const char *spec) {
    scene s = {.data = NULL};
    rm2_manifold *m;
    size_t starts[DEMOS + 1];
    ok(rm2_manifold_create(ctx, spec, &m));
    size_t D = rm2_manifold_ambient(m);
    double *y = numbers(DEMOS * POINTS * D);
    for (size_t k = 0; k < DEMOS * POINTS; k++)
        show(spec, m, k / POINTS, (double)(k % POINTS) / (POINTS - 1), y + k * D);
    for (size_t d = 0; d <= DEMOS; d++)
        starts[d] = d * POINTS;
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = m,
                              .count = DEMOS * POINTS,
                              .points = y,
                              .trajectories = DEMOS,
                              .starts = starts};
    ok(rm2_data_create(ctx, &arrays, NULL, &s.data, NULL, NULL));
    rm2_manifold_free(m);
    free(y);
    rm2_fit_settings fit = robust_settings(20);
    s.model = fit_model(s.data, &fit);
    rm2_space_settings space = rm2_space_settings_default();
    space.grid_points = 20;
    space.nodes = NODES;
    ok(rm2_space_create(ctx, s.model, &space, 0, NULL, &s.space));
    s.m = s.data->manifold;
    s.D = D;
    s.M = rm2_manifold_dim(s.m);
    return s;
}

/* ---- motions -------------------------------------------------------------------------------- */

static rm2_meet *ask(const scene *s, const double *start, const double *goal, size_t frames,
                     const rm2_task_frame *frame) {
    const rm2_meet_request r = {{.point = start}, {.point = goal}, 0, NULL, frames, frame};
    return meet_request(s, &r, NULL);
}

/* Mean distance of the nodes from what demonstration d would be, at FINE points. */
static double away_from(const char *spec, const scene *s, size_t d, const rm2_meet *meet) {
    const rm2_meet_result *r = rm2_meet_result_of(meet);
    double sum = 0, *y = numbers(FINE * s->D);
    for (size_t k = 0; k < FINE; k++)
        show(spec, s->m, d, (double)k / (FINE - 1), y + k * s->D);
    for (size_t i = 0; i < r->nodes; i++) {
        double least = INFINITY;
        for (size_t k = 0; k < FINE; k++)
            least = fmin(least, distance_of(s->m, y + k * s->D, r->points + i * s->D));
        sum += least / NODES;
    }
    free(y);
    return sum;
}

static const rm2_task_frame ends[] = {{.kind = RM2_FRAME_START}, {.kind = RM2_FRAME_GOAL}};

/* A motion in a place that nobody has seen is what the demonstrators would do. */
static void new_places(void **state) {
    const char *const on[] = {"R2 x S1", "R3 x S3", "R3 x SO3", "R2 x S2"};
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        scene s = open_task(on[k]);
        double world = 0, framed = 0, given = 0, *then[2], now[2][8];
        double object[2][8]; /* near the ends, not at them */
        for (int e = 0; e < 2; e++) {
            double c[8] = {0.1, 0.2}, base[8];
            rm2_manifold_default_point(s.m, base);
            ok(rm2_manifold_exp_coords(ctx, s.m, 1, base, 1, c, object[e]));
            then[e] = numbers(DEMOS * s.D);
            for (size_t d = 0; d < DEMOS; d++) {
                rigid g = place(d, 20 * e);
                apply(on[k], &g, object[e], then[e] + d * s.D);
            }
        }
        for (size_t d = DEMOS; d < DEMOS + 4; d++) {
            double start[8], goal[8];
            show(on[k], s.m, d, 0, start);
            show(on[k], s.m, d, 1, goal);
            for (int e = 0; e < 2; e++) {
                rigid g = place(d, 20 * e);
                apply(on[k], &g, object[e], now[e]);
            }
            const rm2_task_frame objects[] = {{RM2_FRAME_GIVEN, then[0], now[0]},
                                              {RM2_FRAME_GIVEN, then[1], now[1]}};
            rm2_meet *plain = ask(&s, start, goal, 0, NULL), *own = ask(&s, start, goal, 2, ends);
            rm2_meet *other = ask(&s, start, goal, 2, objects);
            world += away_from(on[k], &s, d, plain);
            framed += away_from(on[k], &s, d, own);
            given += away_from(on[k], &s, d, other);
            const rm2_meet_result *r = rm2_meet_result_of(own);
            assert_true(distance_of(s.m, start, r->points) <
                        1e-7); /* up to the sign of a quaternion */
            assert_true(r->stretch < 0.5 * rm2_meet_result_of(plain)->stretch);
            rm2_meet_free(plain);
            rm2_meet_free(own);
            rm2_meet_free(other);
        }
        assert_true(framed < 0.7 * world && given < 0.7 * world);
        free(then[0]);
        free(then[1]);
        close_scene(&s);
    }
}

/* The world alone is as without frames; a start alone brings all demonstrations to the start. */
static void one_frame(void **state) {
    const rm2_task_frame world = {.kind = RM2_FRAME_WORLD};
    scene s = open_task("R3 x S3");
    double start[8], goal[8];
    (void)state;
    show("R3 x S3", s.m, DEMOS, 0, start);
    show("R3 x S3", s.m, DEMOS, 1, goal);
    rm2_meet *plain = ask(&s, start, goal, 0, NULL), *same = ask(&s, start, goal, 1, &world);
    rm2_meet *from = ask(&s, start, goal, 1, ends);
    const rm2_meet_result *a = rm2_meet_result_of(plain), *b = rm2_meet_result_of(same);
    for (size_t k = 0; k < NODES * s.D; k++)
        assert_true(fabs(a->points[k] - b->points[k]) < 1e-9); /* rounding of Log and Exp */
    double *each = numbers(NODES * s.M);
    ok(rm2_meet_deviations(ctx, from, RM2_MEET_POSE, NULL, each));
    for (size_t k = 0; k < s.M; k++)
        assert_true(each[k] < 1e-9 && a->variability[0] > 0.05);
    free(each);
    rm2_meet_free(plain);
    rm2_meet_free(same);
    rm2_meet_free(from);
    close_scene(&s);
}

/* ---- mistakes ------------------------------------------------------------------------------- */

static void refuse(const scene *s, const rm2_meet_request *r, rm2_status wanted, const char *text) {
    rm2_meet *meet;
    assert_int_equal(rm2_meet_create(ctx, s->space, NULL, r, NULL, &meet), wanted);
    assert_non_null(strstr(rm2_context_error(ctx), text));
    assert_null(meet);
}

static void refusals(void **state) {
    scene s = open_task("R3 x S3");
    double start[8], goal[8], half[8], *then = numbers(DEMOS * s.D);
    (void)state;
    show("R3 x S3", s.m, DEMOS, 0, start);
    show("R3 x S3", s.m, DEMOS, 1, goal);
    memcpy(half, goal, sizeof half);
    for (size_t k = 3; k < 7; k++)
        half[k] = NAN;
    const rm2_task_frame unknown = {.kind = (rm2_task_frame_kind)9};
    const rm2_task_frame lacks = {.kind = RM2_FRAME_GIVEN, .now = goal};
    const rm2_task_frame off = {RM2_FRAME_GIVEN, then, goal};
    const rm2_meet_pose a = {.point = start}, b = {.point = goal}, c = {.point = half};
    refuse(&s, &(rm2_meet_request){a, b, 0, NULL, 1, &unknown}, RM2_ERR_ARGUMENT, "unknown kind 9");
    refuse(&s, &(rm2_meet_request){a, b, 0, NULL, 1, &lacks}, RM2_ERR_ARGUMENT,
           "frame 1: then or now is NULL");
    refuse(&s, &(rm2_meet_request){a, b, 0, NULL, 1, NULL}, RM2_ERR_ARGUMENT, "frame");
    refuse(&s, &(rm2_meet_request){a, b, 0, NULL, 1, &off}, RM2_ERR_DOMAIN,
           "frame 1, demonstrations");
    refuse(&s, &(rm2_meet_request){a, c, 0, NULL, 2, ends}, RM2_ERR_DATA, "goal: its frame needs");
    free(then);
    close_scene(&s);
    const plan p = {.spec = "S2", .count = 3, .families = 1};
    s = open_scene(&p, 5);
    refuse(&s,
           &(rm2_meet_request){
               {.point = shown(&s, 0, 0)}, {.point = shown(&s, 0, POINTS - 1)}, 0, NULL, 2, ends},
           RM2_ERR_UNSUPPORTED, "frames need positions");
    close_scene(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_places),
        cmocka_unit_test(one_frame),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
