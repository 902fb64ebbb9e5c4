/* Every allocation of the URDF reader fails once: RM2_ERR_MEMORY, nothing handed out, nothing leaked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "failing_malloc.h"
#include "io_fixture.h"
#include "riemann2/urdf.h"
#include "urdf_fixture.h"

static rm2_status read_file(void *state) {
    fixture *f = state;
    rm2_arm *arm;
    rm2_status status = rm2_urdf_read(f->ctx, f->path, NULL, "j8", &arm);
    assert_true((status == RM2_OK) == (arm != NULL));
    rm2_arm_free(arm);
    return status;
}

static int set_up(void **state) {
    if (fixture_set_up(state, "arm.urdf") != 0)
        return 1;
    fixture *f = *state;
    FILE *file = fopen(f->path, "w");
    return file && fputs(panda_urdf, file) >= 0 && fclose(file) == 0 ? 0 : 1;
}

static void every_allocation_may_fail(void **state) {
    fixture *f = *state;
    /* the text; names of 11 links and of 10 joints with type, parent and child; the arm with its names */
    assert_true(fail_each_allocation(f->ctx, read_file, f) >= 1 + 11 + 40 + 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
