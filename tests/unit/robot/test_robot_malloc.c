/* Every allocation of the robot layer fails once: the call answers RM2_ERR_MEMORY, hands out nothing
 * and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "failing_malloc.h"
#include "io_fixture.h"
#include "riemann2/robot.h"

static const rm2_arm_task task = {.dim = 2, .ellipsoid = true};
static const double targets[12] = {1, 1, 2, 0, 0, 1, 1.1, 1, 2, 0, 0, 1};
static rm2_arm *arm;

static rm2_status opened(fixture *f, const char *spec) {
    rm2_arm *made;
    rm2_status status = rm2_arm_read(f->ctx, spec, &made);
    assert_true((status == RM2_OK) == (made != NULL));
    rm2_arm_free(made);
    return status;
}

static rm2_status open_panda(void *f) {
    return opened(f, "panda");
}

static rm2_status open_file(void *state) {
    fixture *f = state;
    return opened(f, f->path);
}

static rm2_status solve(void *state) {
    fixture *f = state;
    double q[3];
    return rm2_arm_solve(f->ctx, arm, &task, targets, NULL, q, NULL);
}

static rm2_status track(void *state) {
    fixture *f = state;
    double q[6];
    rm2_track_info info = {.size = sizeof info};
    return rm2_arm_track(f->ctx, arm, &(rm2_arm_targets){&task, 2, targets, NULL}, NULL, q, NULL,
                         &info);
}

static rm2_status place(void *state) {
    fixture *f = state;
    bool found;
    rm2_placement p = rm2_placement_default();
    return rm2_arm_place_auto(f->ctx, arm, &(rm2_arm_targets){&task, 2, targets, NULL}, NULL, &p,
                              &found);
}

static int set_up(void **state) {
    if (fixture_set_up(state, "arm.csv") != 0)
        return 1;
    fixture *f = *state;
    FILE *file = fopen(f->path, "w");
    if (!file || fputs("a,d,alpha,theta,lower,upper,speed\n0,0,0,0,,,\n1,0,0,0,0,0,\n", file) < 0 ||
        fclose(file) != 0)
        return 1;
    return rm2_arm_read(f->ctx, "planar:1,1,1", &arm) == RM2_OK ? 0 : 1;
}

static int clean_up(void **state) {
    rm2_arm_free(arm);
    return tear_down(state);
}

static void every_allocation_may_fail(void **state) {
    fixture *f = *state;
    assert_int_equal(fail_each_allocation(f->ctx, open_panda, f),
                     10); /* arm, its name, joints', bodies */
    assert_true(fail_each_allocation(f->ctx, open_file, f) >= 5); /* and a table */
    assert_int_equal(fail_each_allocation(f->ctx, solve, f), 1);  /* the solver */
    assert_int_equal(fail_each_allocation(f->ctx, track, f),
                     2); /* and one block for two trajectories */
    assert_int_equal(fail_each_allocation(f->ctx, place, f), 2); /* and the targets tried */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, set_up, clean_up);
}
