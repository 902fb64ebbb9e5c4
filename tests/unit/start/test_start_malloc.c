/* Every allocation of the starts fails once: the call answers RM2_ERR_MEMORY, hands out nothing and
 * leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "demos_fixture.h"
#include "failing_malloc.h"
#include "start/aligned.h"

enum { Q = 2, T = 12 };

typedef struct fixture {
    rm2_context *ctx;
    demo_set set;
} fixture;

static rm2_status align(void *state) {
    fixture *f = state;
    rm2i_start_data demos = demos_of(&f->set);
    rm2_start_report *report;
    double X[8 * T * Q];
    rm2_status status = rm2i_start_aligned(f->ctx, NULL, &demos, Q, X, &report);
    assert_true((status == RM2_OK) == (report != NULL));
    rm2_start_report_free(report);
    return status;
}

/* Two families, and parts of a motion that has to grow. */
static void alignment(void **state) {
    (void)state;
    for (int parts = 0; parts < 2; parts++) {
        fixture f = {0};
        assert_int_equal(rm2_context_create(&f.ctx), RM2_OK);
        rm2_context_set_threads(f.ctx, 1);
        for (size_t d = 0; d < 8; d++)
            add_demo(&f.set, &(demo_plan){.points = T,
                                          .motion = parts ? 0 : d % 2,
                                          .number = d,
                                          .begin = parts && d % 2 ? 0.4 : 0,
                                          .end = parts && d % 2 == 0 ? 0.6 : 1});
        assert_true(fail_each_allocation(f.ctx, align, &f) >= 30);
        free(f.set.F);
        rm2_context_free(f.ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(alignment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
