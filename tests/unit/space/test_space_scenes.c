/* Random scenes of obstacles on a model's positions. No path that is handed out comes nearer to a region than the clearance,
 * seen by dense samples of the decoded curve and of the straight lines between its decoded nodes; and none is called blocked
 * where a fine grid of its own, with distances of its own, has a way. RM2_SCENES is the number of scenes. */
#include "front/base.h"
#include "scenes.h"
#include "space_with.h"

enum { SCENES = 40 };

/* ---- the properties ------------------------------------------------------------------------- */

typedef struct tally {
    size_t open, blocked, unrefined;
} tally;

static void try_scene(const rm2_space *space, fine_grid *g, rm2_rng *rng, tally *t) {
    scene s = random_scene(rng);
    const double *from = latents + rm2_rng_next(rng) % N * Q,
                 *to = latents + rm2_rng_next(rng) % N * Q;
    rm2_obstacles obstacles = {s.count, s.regions, RM2_ALL_FACTORS};
    rm2_space *around;
    rm2_curve *c;
    ok(space_with_obstacles(ctx, space, &obstacles, s.clearance, 0, &around));
    ok(rm2_space_geodesic(ctx, around, from, to, &c));
    if (c->blocked) {
        if (grid_has_way(g, &s, from, to)) {
            print_message("from %g,%g to %g,%g clearance %g of %g\n", from[0], from[1], to[0],
                          to[1], c->clearance, s.clearance);
            for (size_t k = 0; k < s.count; k++)
                print_message("kind %d: a %g,%g b %g,%g radius %g\n", (int)s.regions[k].kind,
                              s.regions[k].a[0], s.regions[k].a[1], s.regions[k].b[0],
                              s.regions[k].b[1], s.regions[k].radius);
            fail_msg("called blocked, but a fine grid has a way");
        }
        assert_true(c->clearance < s.clearance);
        t->blocked++;
    } else {
        double extent = hypot(high[0] - low[0], high[1] - low[1]);
        double sampled = sampled_clearance(&s, c->nodes, c->x);
        /* What is reported is a bound: never above what samples see, but that the axis of a capsule is sampled (1e-5 of
         * the extent), and below by its accuracy of 1e-4 and what samples miss. */
        assert_true(sampled >= s.clearance - 1e-9 * extent);
        assert_true(c->clearance <= sampled + 1e-5 * extent && c->clearance >= s.clearance);
        assert_true(c->clearance >= sampled - 1e-3 * extent);
        t->open++;
        t->unrefined += c->stage == RM2_STAGE_PATH;
    }
    rm2_curve_free(c);
    rm2_space_free(around);
}

static void scenes(void **state) {
    (void)state;
    const char *asked = getenv("RM2_SCENES");
    size_t count = asked ? (size_t)strtoul(asked, NULL, 10) : SCENES;
    rm2_space_settings settings = rm2_space_settings_default();
    tally t = {0};
    rm2_rng rng;
    settings.stage = RM2_STAGE_SPLINE;
    settings.tolerance = 1e-2;
    settings.nodes = 60;
    settings.grid_points = 30;
    rm2_rng_seed(&rng, 11);
    find_box();
    rm2_space *space = make_space(&settings, 0, NULL);
    fine_grid g = make_grid(space);
    for (size_t k = 0; k < count; k++)
        try_scene(space, &g, &rng, &t);
    print_message("%zu scenes: %zu open (%zu of them not refined), %zu blocked\n", count, t.open,
                  t.unrefined, t.blocked);
    assert_true(t.open >= count / 4 && t.blocked >= count / 10); /* both kinds were seen */
    free_grid(&g);
    rm2_space_free(space);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes)};
    return cmocka_run_group_tests(tests, space_set_up, space_tear_down);
}
