/* What the start of a training finds in demonstrations: told before training, kept in the model and its file;
 * families by label. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "demos_fixture.h"
#include "model_fixture.h"
#include "riemann2/fit.h"

enum { DEMOS = 8, T = 24 };

/* Two motions in turn, the last demonstration reversed; `labels` (count, or NULL) by name. */
static rm2_data *two_motions(const char *const *labels) {
    demo_set s = {0};
    rm2_data *data;
    rm2_manifold *R4 = make_manifold(ctx, "R4");
    for (size_t d = 0; d < DEMOS; d++)
        add_demo(
            &s,
            &(demo_plan){
                .points = T, .motion = d % 2, .number = d, .end = 1, .reversed = d == DEMOS - 1});
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = R4,
                              .count = demo_points(&s),
                              .points = s.F,
                              .trajectories = s.count,
                              .starts = s.starts,
                              .label_texts = labels};
    if (rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    rm2_manifold_free(R4);
    free(s.F);
    return data;
}

static rm2_status inspect_with(const rm2_data *data, const rm2_fit_settings *s,
                               rm2_start_report **report) {
    rm2_fit_plan *plan;
    *report = NULL;
    rm2_status status = rm2_fit_plan_create(ctx, data, s, &plan);
    if (status == RM2_OK)
        status = rm2_fit_inspect(ctx, plan, report);
    rm2_fit_plan_free(plan);
    return status;
}

static rm2_start_report *inspect(const rm2_data *data, const rm2_fit_settings *s) {
    rm2_start_report *report;
    if (inspect_with(data, s, &report) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    return report;
}

static void assert_same_report(const rm2_start_report *a, const rm2_start_report *b) {
    assert_true(a && b);
    assert_true(a->demos == b->demos && a->families == b->families && a->labelled == b->labelled);
    for (size_t d = 0; d < a->demos; d++) {
        const rm2_start_demo *x = &a->demo[d], *y = &b->demo[d];
        assert_true(x->family == y->family && x->reversed == y->reversed);
        assert_true(x->begin == y->begin && x->end == y->end && x->misfit == y->misfit);
        assert_true(x->unevenness == y->unevenness);
        assert_true(x->outliers == y->outliers && x->resting == y->resting);
    }
    for (size_t f = 0; f < a->families; f++) {
        const rm2_start_family *x = &a->family[f], *y = &b->family[f];
        assert_true(x->demos == y->demos && x->reference == y->reference);
        assert_true(x->complete == y->complete);
    }
}

/* Before training, in the model, and in its file: the same. */
static void report_is_kept(void **state) {
    (void)state;
    rm2_data *data = two_motions(NULL);
    rm2_fit_settings s = robust_settings(3);
    rm2_start_report *report = inspect(data, &s);
    assert_true(report->families == 2 && !report->labelled);
    for (size_t d = 0; d < DEMOS; d++) {
        assert_int_equal(report->demo[d].family, d % 2);
        assert_int_equal(report->demo[d].reversed, d == DEMOS - 1);
    }
    rm2_model *model = fit_model(data, &s), *read;
    assert_same_report(report, rm2_model_info_of(model)->start_report);
    const char *path = in_folder("start.npz");
    assert_int_equal(rm2_model_write(ctx, model, path, true), RM2_OK);
    assert_int_equal(rm2_model_read(ctx, path, &read), RM2_OK);
    assert_same_report(report, rm2_model_info_of(read)->start_report);
    assert_int_equal(unlink(path), 0);
    rm2_model_free(model);
    rm2_model_free(read);
    rm2_start_report_free(report);
    rm2_data_free(data);
}

/* Labels of the demonstrations' points: per_demo[d], or what `odd` says of the very first point. */
static void fill_labels(const char *const *per_demo, const char *odd, const char **labels) {
    for (size_t i = 0; i < (size_t)DEMOS * T; i++)
        labels[i] = per_demo[i / T];
    if (odd)
        labels[0] = odd;
}

static void families_by_label(void **state) {
    (void)state;
    const char *labels[DEMOS * T];
    const char *const thirds[] = {"a", "b", "c", "a", "b", "c", "a", "b"};
    const char *const alone[] = {"a", "b", "b", "b", "b", "b", "b", "b"};
    rm2_fit_settings s = robust_settings(3);
    fill_labels(thirds, NULL, labels);
    rm2_data *data = two_motions(labels);
    rm2_start_report *r = inspect(data, &s); /* labels count unless told otherwise */
    assert_true(r->families == 3 && r->labelled && r->demo[5].family == 2);
    rm2_start_report_free(r);
    s.families = RM2_FAMILIES_ONE;
    r = inspect(data, &s);
    assert_true(r->families == 1 && !r->labelled);
    rm2_start_report_free(r);
    rm2_data_free(data);

    fill_labels(alone, NULL, labels); /* a family of one only if it is asked for */
    data = two_motions(labels);
    s.families = RM2_FAMILIES_AUTO;
    r = inspect(data, &s);
    assert_true(r->families == 2 && !r->labelled && r->demo[0].family == r->demo[2].family);
    rm2_start_report_free(r);
    s.families = RM2_FAMILIES_LABEL;
    r = inspect(data, &s);
    assert_true(r->families == 2 && r->labelled && r->family[0].demos == 1);
    rm2_start_report_free(r);
    rm2_data_free(data);
}

static void labels_that_do_not_do(void **state) {
    (void)state;
    const char *labels[DEMOS * T];
    const char *const halves[] = {"a", "b", "a", "b", "a", "b", "a", "b"};
    rm2_fit_settings s = robust_settings(3);
    rm2_start_report *r;
    fill_labels(halves, "b", labels);
    rm2_data *data = two_motions(labels);
    r = inspect(data, &s);
    assert_false(r->labelled);
    rm2_start_report_free(r);
    s.families = RM2_FAMILIES_LABEL;
    assert_int_equal(inspect_with(data, &s, &r), RM2_ERR_DATA);
    assert_contains(rm2_context_error(ctx), "trajectory 0 has more than one label");
    assert_null(r);
    rm2_data_free(data);
    data = two_motions(NULL);
    assert_int_equal(inspect_with(data, &s, &r), RM2_ERR_DATA);
    assert_contains(rm2_context_error(ctx), "has no labels");
    rm2_data_free(data);
}

/* Where nothing is aligned there is nothing to tell. */
static void other_starts(void **state) {
    (void)state;
    rm2_data *data = two_motions(NULL), *single = example_data("toy", 1, 12);
    rm2_fit_settings s = robust_settings(3);
    assert_null(inspect(single, &s));
    s.init = RM2_INIT_ISOMAP;
    assert_null(inspect(data, &s));
    rm2_model *model = fit_model(data, &s);
    assert_null(rm2_model_info_of(model)->start_report);
    rm2_model_free(model);
    rm2_data_free(data);
    rm2_data_free(single);
    rm2_start_report_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_is_kept),
        cmocka_unit_test(families_by_label),
        cmocka_unit_test(labels_that_do_not_do),
        cmocka_unit_test(other_starts),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
