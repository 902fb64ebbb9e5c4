/* Planners: scenes that move. Every path is checked by dense samples of the decoded polygon; where there is none a fine
 * grid of its own must have none; lengths are compared with those of rm2_space_geodesic in the same scene.
 * RM2_UPDATES is the number of updates. */
#include "front/base.h"
#include "riemann2/planner.h"
#include "space/space.h"

#include "scenes.h"
#include "space_with.h"

enum { UPDATES = 100, COMPARED = 20 };

static rm2_space *space;
static double extent; /* of the positions */

static int set_up(void **state) {
    if (space_set_up(state) != 0)
        return 1;
    rm2_space_settings s = rm2_space_settings_default();
    s.grid_points = 30;
    s.stage = RM2_STAGE_SPLINE;
    s.tolerance = 1e-2;
    s.nodes = 60;
    space = make_space(&s, 0, NULL);
    find_box();
    extent = hypot(high[0] - low[0], high[1] - low[1]);
    return 0;
}

static int tear_down(void **state) {
    rm2_space_free(space);
    return space_tear_down(state);
}

static rm2_planner *make_planner(const rm2_planner_settings *s) {
    rm2_planner *planner;
    ok(rm2_planner_create(ctx, space, s, &planner));
    return planner;
}

static rm2_plan_query query_of(const scene *s, const double *from, const double *to) {
    rm2_plan_query q = rm2_plan_query_default();
    q.count = s->count;
    q.regions = s->regions;
    q.clearance = s->clearance;
    q.from = from;
    q.to = to;
    return q;
}

/* What holds for every answer. */
static void check_plan(const rm2_plan *p, const scene *s, const rm2_plan_query *q) {
    if (p->state != RM2_PLAN_FOUND) {
        assert_true(p->nodes == 0);
        return;
    }
    double clearance = sampled_clearance(s, p->nodes, p->x), *y = numbers(p->nodes * 2);
    assert_true(p->Q == Q && p->dim == 2 && p->nodes >= 2);
    assert_memory_equal(p->x, q->from, Q * sizeof *p->x);
    assert_memory_equal(p->x + (p->nodes - 1) * Q, q->to, Q * sizeof *p->x);
    assert_true(clearance >= s->clearance - 1e-9 * extent); /* rounding */
    assert_true(p->clearance >= s->clearance);
    decode_positions(p->nodes, p->x, y);
    for (size_t i = 0; i < 2 * p->nodes; i++)
        assert_true(fabs(y[i] - p->positions[i]) <= 1e-9 * extent);
    free(y);
}

/* ---- scenes that move ----------------------------------------------------------------------- */

/* Spheres on circles of their own about the middle of the positions; one is small. */
static scene moving_scene(double t) {
    scene s = {.count = 3, .clearance = 0.01 * extent};
    for (size_t k = 0; k < 3; k++) {
        double speed = 0.9 + 0.37 * (double)k, turn = speed * t + 2 * (double)k;
        s.regions[k] =
            (rm2_region){.kind = RM2_REGION_SPHERE,
                         .dim = 2,
                         .a = {(low[0] + high[0]) / 2 + 0.4 * (high[0] - low[0]) * sin(turn),
                               (low[1] + high[1]) / 2 + 0.4 * (high[1] - low[1]) * cos(1.3 * turn)},
                         .radius = extent * (0.02 + 0.05 * (double)k)};
    }
    return s;
}

typedef struct tally {
    size_t found, blocked, ends, kept, refined, compared;
    double sum, most; /* of the lengths, over those of geodesics */
} tally;

/* Lengths in the exact metric. */
static void compare(const rm2_plan *p, const scene *s, const rm2_plan_query *q, tally *t) {
    rm2_obstacles obstacles = {s->count, s->regions, RM2_ALL_FACTORS};
    rm2_space *around;
    rm2_curve *c;
    double own, full;
    ok(space_with_obstacles(ctx, space, &obstacles, s->clearance, 0, &around));
    ok(rm2_space_geodesic(ctx, around, q->from, q->to, &c));
    if (!c->blocked) {
        ok(rm2_space_path_length(ctx, space, p->nodes, p->x, &own, NULL));
        ok(rm2_space_path_length(ctx, space, c->nodes, c->x, &full, NULL));
        t->sum += own / full;
        t->most = fmax(t->most, own / full);
        t->compared++;
        assert_true(fabs(p->length / own - 1) < 0.3); /* interpolated on a coarse grid */
    }
    rm2_curve_free(c);
    rm2_space_free(around);
}

static void count(const rm2_plan *p, const scene *s, const rm2_plan_query *q, fine_grid *g,
                  tally *t) {
    t->found += p->state == RM2_PLAN_FOUND;
    t->kept += p->kept;
    t->refined += p->refined;
    t->ends += p->state == RM2_PLAN_START_BLOCKED || p->state == RM2_PLAN_GOAL_BLOCKED;
    if (p->state == RM2_PLAN_BLOCKED) {
        t->blocked++;
        assert_false(grid_has_way(g, s, q->from, q->to));
    }
    double y[4];
    decode_positions(1, q->from, y);
    decode_positions(1, q->to, y + 2);
    assert_true((own_clearance(s, y) < s->clearance) == (p->state == RM2_PLAN_START_BLOCKED));
    if (p->state == RM2_PLAN_GOAL_BLOCKED)
        assert_true(own_clearance(s, y + 2) < s->clearance);
}

/* The current point moves on along the path; goals change now and then. */
static void moving(void **state) {
    (void)state;
    const char *asked = getenv("RM2_UPDATES");
    size_t updates = asked ? (size_t)strtoul(asked, NULL, 10) : UPDATES;
    rm2_planner *planner = make_planner(NULL);
    fine_grid g = make_grid(space);
    tally t = {0};
    rm2_rng rng;
    double from[Q], to[Q];
    rm2_rng_seed(&rng, 5);
    memcpy(from, latents, sizeof from);
    memcpy(to, latents + (N - 1) * Q, sizeof to);
    for (size_t u = 0; u < updates; u++) {
        scene s = moving_scene(0.02 * (double)u);
        rm2_plan_query q = query_of(&s, from, to);
        const rm2_plan *p;
        ok(rm2_planner_update(ctx, planner, &q, &p));
        check_plan(p, &s, &q);
        count(p, &s, &q, &g, &t);
        if (p->nodes > 0 && u % COMPARED == 0)
            compare(p, &s, &q, &t);
        if (u % 60 == 59)
            memcpy(to, latents + rm2_rng_next(&rng) % N * Q, sizeof to);
        for (size_t k = 0; p->nodes > 0 && k < Q; k++)
            from[k] = p->x[k] + 0.3 * (p->x[Q + k] - p->x[k]);
    }
    print_message("%zu updates: %zu paths (%zu from the last one, %zu refined), %zu blocked, %zu "
                  "at an end; length over that of geodesics: mean %.4f, at most %.4f of %zu\n",
                  updates, t.found, t.kept, t.refined, t.blocked, t.ends,
                  t.sum / (double)t.compared, t.most, t.compared);
    assert_true(t.found >= updates / 2 && t.kept >= t.found / 2 && t.refined >= t.found * 9 / 10);
    assert_true(t.compared >= 2);
    /* a polygon of 48 nodes in a metric between nodes of the grid */
    assert_true(t.sum / (double)t.compared < 1.03);
    free_grid(&g);
    rm2_planner_free(planner);
}

/* Scenes without any relation: every kind of region, ends anywhere, the last path of no use. */
static void random_scenes(void **state) {
    (void)state;
    rm2_planner *planner = make_planner(NULL);
    fine_grid g = make_grid(space);
    size_t found = 0, blocked = 0;
    rm2_rng rng;
    rm2_rng_seed(&rng, 23);
    for (int k = 0; k < 80; k++) {
        scene s = random_scene(&rng);
        const double *from = latents + rm2_rng_next(&rng) % N * Q;
        const double *to = latents + rm2_rng_next(&rng) % N * Q;
        rm2_plan_query q = query_of(&s, from, to);
        const rm2_plan *p;
        ok(rm2_planner_update(ctx, planner, &q, &p));
        check_plan(p, &s, &q);
        found += p->state == RM2_PLAN_FOUND;
        blocked += p->state != RM2_PLAN_FOUND;
        if (p->state != RM2_PLAN_FOUND)
            assert_false(grid_has_way(&g, &s, from, to));
    }
    if (found < 12 || blocked < 5) /* shorter and longer ways, and none */
        fail_msg("%zu found, %zu blocked", found, blocked);
    free_grid(&g);
    rm2_planner_free(planner);
}

/* ---- one obstacle that crosses the path ------------------------------------------------------ */

/* On which side of the sphere's centre, along `across`, the path passes where it is nearest. */
static int side_of(const rm2_plan *p, const double *centre, const double *across) {
    double nearest = INFINITY, along = 0;
    for (size_t i = 0; i < p->nodes; i++) {
        double off[2] = {p->positions[2 * i] - centre[0], p->positions[2 * i + 1] - centre[1]};
        if (hypot(off[0], off[1]) < nearest) {
            nearest = hypot(off[0], off[1]);
            along = off[0] * across[0] + off[1] * across[1];
        }
    }
    return along > 0 ? 1 : -1;
}

/* The path changes sides when the sphere has crossed it, once and not to and fro, and is about as short as that of a planner
 * that knows no last path. */
static void sides(void **state) {
    (void)state;
    rm2_planner *planner = make_planner(NULL), *fresh = make_planner(NULL);
    const double *from = latents, *to = latents + (N / 2 - 1) * Q;
    scene s = {.count = 0};
    rm2_plan_query q = query_of(&s, from, to);
    const rm2_plan *p, *f;
    double middle[2], across[2];
    int first = 0, last = 0, changes = 0;
    ok(rm2_planner_update(ctx, planner, &q, &p));
    assert_true(p->state == RM2_PLAN_FOUND && isinf(p->clearance));
    memcpy(middle, p->positions + p->nodes / 2 * 2, sizeof middle);
    const double *before = p->positions + (p->nodes / 2 - 2) * 2;
    across[0] = before[1] - middle[1];
    across[1] = middle[0] - before[0];
    double length = hypot(across[0], across[1]);
    s.count = 1;
    for (int k = 0; k <= 60; k++) {
        double off = 0.12 * extent * (k - 30) / 30 / length;
        s.regions[0] = (rm2_region){.kind = RM2_REGION_SPHERE,
                                    .dim = 2,
                                    .a = {middle[0] + off * across[0], middle[1] + off * across[1]},
                                    .radius = 0.05 * extent};
        q = query_of(&s, from, to);
        ok(rm2_planner_update(ctx, planner, &q, &p));
        check_plan(p, &s, &q);
        rm2_planner_forget(fresh);
        ok(rm2_planner_update(ctx, fresh, &q, &f));
        check_plan(f, &s, &q);
        assert_true(p->state == RM2_PLAN_FOUND && f->state == RM2_PLAN_FOUND && !f->kept);
        assert_true(p->length <= 1.05 * f->length); /* gain of 1 %, and what is left to refine */
        int side = side_of(p, s.regions[0].a, across);
        first = first ? first : side;
        changes += last && side != last;
        last = side;
    }
    print_message("%d change of sides\n", changes);
    assert_true(first == 1 && last == -1 && changes == 1);
    rm2_planner_free(planner);
    rm2_planner_free(fresh);
}

/* ---- deadlines ------------------------------------------------------------------------------ */

static void deadlines(void **state) {
    (void)state;
    rm2_planner *timed = make_planner(NULL), *patient = make_planner(NULL);
    double from[Q];
    memcpy(from, latents, sizeof from);
    for (int u = 0; u < 20; u++) {
        scene s = moving_scene(0.05 * u);
        rm2_plan_query q = query_of(&s, from, latents + (N - 1) * Q);
        const rm2_plan *a, *b;
        ok(rm2_planner_update(ctx, patient, &q, &a));
        if (a->state == RM2_PLAN_FOUND) { /* no time at all: nothing is claimed, and nothing lost */
            q.seconds = 1e-9;
            ok(rm2_planner_update(ctx, timed, &q, &b));
            assert_true(b->state == RM2_PLAN_LATE && !b->complete && b->nodes == 0);
        }
        q.seconds = 1e4; /* time for everything: the same answer */
        ok(rm2_planner_update(ctx, timed, &q, &b));
        assert_true(a->state == b->state && a->nodes == b->nodes && b->complete);
        assert_true(a->refined == b->refined && a->kept == b->kept && a->length == b->length);
        if (a->nodes > 0)
            assert_memory_equal(a->x, b->x, a->nodes * Q * sizeof *a->x);
        for (size_t k = 0; a->nodes > 0 && k < Q; k++)
            from[k] = a->x[Q + k];
    }
    rm2_planner_free(timed);
    rm2_planner_free(patient);
}

/* Short deadlines of all kinds: whatever is answered keeps the clearance. */
static void short_deadlines(void **state) {
    (void)state;
    rm2_planner *planner = make_planner(NULL);
    for (int u = 0; u < 30; u++) {
        scene s = moving_scene(0.02 * u);
        rm2_plan_query q = query_of(&s, latents, latents + (N - 1) * Q);
        const rm2_plan *p;
        q.seconds = pow(10, -6 + 0.1 * u);
        ok(rm2_planner_update(ctx, planner, &q, &p));
        check_plan(p, &s, &q);
        assert_true(p->complete || p->state == RM2_PLAN_FOUND || p->state == RM2_PLAN_LATE);
    }
    rm2_planner_free(planner);
}

/* ---- deviations ----------------------------------------------------------------------------- */

/* Regions grow by the deviation: the path keeps the clearance from the mean position, and more. */
static void deviations(void **state) {
    (void)state;
    rm2_planner_settings settings = rm2_planner_settings_default();
    size_t found = 0;
    settings.deviations = 0.5;
    settings.nodes = 24;
    rm2_planner *planner = make_planner(&settings);
    for (int u = 0; u < 6; u++) {
        scene s = moving_scene(0.3 * u);
        s.clearance = 0;
        rm2_plan_query q = query_of(&s, latents, latents + (N - 1) * Q);
        const rm2_plan *p;
        double clearance;
        ok(rm2_planner_update(ctx, planner, &q, &p));
        if (p->state != RM2_PLAN_FOUND)
            continue;
        rm2_obstacles obstacles = {s.count, s.regions, RM2_ALL_FACTORS};
        rm2_space *around;
        ok(space_with_obstacles(ctx, space, &obstacles, 0, 0.5, &around));
        ok(rm2i_space_clearance(ctx, around, p->nodes, p->x, &clearance));
        assert_true(clearance >= -1e-4 * extent); /* its accuracy */
        check_plan(p, &s, &q);
        rm2_space_free(around);
        found++;
    }
    assert_true(found >= 2);
    rm2_planner_free(planner);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving),          cmocka_unit_test(random_scenes),
        cmocka_unit_test(sides),           cmocka_unit_test(deadlines),
        cmocka_unit_test(short_deadlines), cmocka_unit_test(deviations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
