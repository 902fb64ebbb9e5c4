/* Every allocation of the reader of MATLAB files fails once: RM2_ERR_MEMORY, nothing handed out, nothing leaked. The
 * reading process is not meant: libmatio's own allocations are out of reach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_malloc.h"
#include "front/arrays.h"
#include "io_fixture.h"
#include "mat_files.h"
#include "riemann2/mat.h"

static rm2_status read_both(fixture *f, rm2_archive *archive) {
    rm2_array array;
    rm2_texts texts;
    rm2_status status =
        rm2_archive_array(f->ctx, archive, rm2_archive_find(archive, "conn"), &array);
    assert_true((status == RM2_OK) == (array.values != NULL));
    rm2_array_clear(&array);
    if (status != RM2_OK)
        return status;
    status = rm2_archive_texts(f->ctx, archive, rm2_archive_find(archive, "group"), &texts);
    assert_true((status == RM2_OK) == (texts.codes != NULL));
    rm2_texts_clear(&texts);
    return status;
}

static rm2_status read_file(void *state) {
    fixture *f = state;
    rm2_archive *archive;
    rm2_status status = rm2_archive_open(f->ctx, f->path, &archive);
    assert_true((status == RM2_OK) == (archive != NULL));
    if (status == RM2_OK)
        status = read_both(f, archive);
    rm2_archive_close(archive);
    return status;
}

static int set_up(void **state) {
    if (fixture_set_up(state, "work.mat") != 0)
        return 1;
    fixture *f = *state;
    return write_workspace(f->path, &mat_versions[0]) || rm2_mat_register(f->ctx) != RM2_OK;
}

static void every_allocation_may_fail(void **state) {
    fixture *f = *state;
    /* name and refusal of 15 arrays, their list, the file, its path; numbers; 4 texts and their codes */
    assert_true(fail_each_allocation(f->ctx, read_file, f) >= 2 * 15 + 3 + 2 + 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
