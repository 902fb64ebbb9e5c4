/* Every allocation on the way to a data set fails once: the call answers RM2_ERR_MEMORY, hands out
 * nothing and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_malloc.h"
#include "riemann2/data.h"

enum { POINTS = 6 };

typedef struct fixture {
    rm2_context *ctx;
    rm2_manifold *m;
    rm2_data *data;
    rm2_data_arrays arrays;
    rm2_data_settings settings;
    char folder[32], path[64];
} fixture;

static fixture shared;

static rm2_status hand_back(rm2_status status, rm2_data *data, rm2_data *held,
                            rm2_data_report *report) {
    assert_true((status == RM2_OK) == (data != NULL));
    assert_true((status == RM2_OK) == (report->factor != NULL));
    assert_true(status == RM2_OK || !held);
    rm2_data_free(data);
    rm2_data_free(held);
    rm2_data_report_clear(report);
    return status;
}

static rm2_status create(void *state) {
    fixture *f = state;
    rm2_data *data, *held;
    rm2_data_report report = {.size = sizeof report};
    rm2_status status = rm2_data_create(f->ctx, &f->arrays, &f->settings, &data, &held, &report);
    return hand_back(status, data, held, &report);
}

static rm2_status read_file(void *state) {
    fixture *f = state;
    rm2_data *data, *held;
    rm2_data_report report = {.size = sizeof report};
    rm2_data_settings s = f->settings;
    s.manifold = "R1 x S2";
    s.group = "demo";
    s.time = "time";
    s.label = "label";
    rm2_status status = rm2_data_read(f->ctx, f->path, &s, &data, &held, &report);
    return hand_back(status, data, held, &report);
}

static rm2_status align(void *state) {
    fixture *f = state;
    rm2_data *aligned;
    rm2_status status = rm2_data_align(f->ctx, f->data, f->data, &aligned);
    assert_true((status == RM2_OK) == (aligned != NULL));
    rm2_data_free(aligned);
    return status;
}

static rm2_status generate(void *state) {
    fixture *f = state;
    rm2_generate_settings s = {.size = sizeof s, .trajectories = 2, .points = 4, .scale = true};
    rm2_data *data;
    rm2_status status = rm2_data_generate(f->ctx, "robot", &s, &data);
    assert_true((status == RM2_OK) == (data != NULL));
    rm2_data_free(data);
    return status;
}

static const double points[POINTS * 4] = {1, 1, 0, 0, 2, 0, 1, 0, 3, 0, 0, 1,
                                          4, 1, 0, 0, 5, 0, 1, 0, 7, 0, 0, 1};
static const double times[POINTS] = {0, 1, 2, 0, 1, 2};
static const int64_t numbers[POINTS] = {1, 1, 1, 2, 2, 2};
static const size_t starts[] = {0, 3, 6}, labels[POINTS] = {0, 1, 0, 1, 0, 1};
static const char *const ids[] = {"1", "2"}, *const texts[POINTS] = {"u", "v", "u", "v", "u", "v"};

static int set_up(void **state) {
    fixture *f = *state = &shared;
    (void)strcpy(f->folder, "/tmp/rm2_malloc_XXXXXX");
    if (rm2_context_create(&f->ctx) != RM2_OK || !mkdtemp(f->folder) ||
        rm2_manifold_create(f->ctx, "R1 x S2", &f->m) != RM2_OK)
        return -1;
    (void)snprintf(f->path, sizeof f->path, "%s/data.csv", f->folder);
    rm2_context_set_threads(f->ctx, 1);
    f->settings = rm2_data_settings_default();
    f->arrays = (rm2_data_arrays){.size = sizeof(rm2_data_arrays),
                                  .manifold = f->m,
                                  .count = POINTS,
                                  .points = points,
                                  .group_numbers = numbers,
                                  .time = times,
                                  .label_texts = texts};
    return rm2_data_create(f->ctx, &f->arrays, NULL, &f->data, NULL, NULL) == RM2_OK &&
                   rm2_data_write(f->ctx, f->data, f->path, true) == RM2_OK
               ? 0
               : -1;
}

static int tear_down(void **state) {
    fixture *f = *state;
    rm2_data_free(f->data);
    rm2_manifold_free(f->m);
    rm2_context_free(f->ctx);
    (void)remove(f->path);
    return rmdir(f->folder);
}

static long fail_each(fixture *f, allocating_fn call) {
    return fail_each_allocation(f->ctx, call, f);
}

static void from_arrays(void **state) {
    fixture *f = *state;
    assert_true(fail_each(f, create) >= 30);
    f->settings.thin = 2;
    f->settings.holdout = "2";
    f->settings.scale = RM2_SCALE_ALL;
    assert_true(fail_each(f, create) >= 50);
    f->arrays.group_numbers = NULL;
    f->arrays.trajectories = 2;
    f->arrays.starts = starts;
    f->arrays.ids = ids;
    f->arrays.label_texts = NULL;
    f->arrays.labels = labels;
    f->arrays.label_names = ids;
    f->arrays.label_count = 2;
    f->settings.select = "1,2";
    assert_true(fail_each(f, create) >= 60);
}

static void from_files(void **state) {
    assert_true(fail_each(*state, read_file) >= 40);
}

static void from_data(void **state) {
    assert_true(fail_each(*state, align) >= 12);
    assert_true(fail_each(*state, generate) >= 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_arrays),
        cmocka_unit_test(from_files),
        cmocka_unit_test(from_data),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
