/* statistics.h: arguments that are missing are named. */
#include "api.h"

static const double points[] = {0, 1, 2, 3};
static const size_t labels[] = {0, 0, 1, 1};

static rm2_labelled line(rm2_context *ctx) {
    rm2_manifold *m;
    MUST(rm2_manifold_create(ctx, "R1", &m));
    return (rm2_labelled){sizeof(rm2_labelled), m, 4, points, labels, 2, NULL};
}

static void groups(void **state) {
    rm2_context *ctx = *state;
    rm2_labelled d = line(ctx), none = {.size = sizeof none};
    rm2_manifold *m = rm2_manifold_retain(d.manifold);
    double means[2], distance[16];
    rm2_group group[2] = {{.size = sizeof *group}};
    rm2_test_result r = {.size = sizeof r};
    NO_CONTEXT(rm2_group_means(NULL, &d, NULL, means, group));
    MISSING("data", rm2_group_means(ctx, NULL, NULL, means, group));
    MISSING("data->manifold", rm2_group_means(ctx, &none, NULL, means, group));
    MISSING("means", rm2_group_means(ctx, &d, NULL, NULL, group));
    MISSING("groups", rm2_group_means(ctx, &d, NULL, means, NULL));
    NO_CONTEXT(rm2_group_test(NULL, &d, 0, 1, NULL, NULL, &r));
    MISSING("data", rm2_group_test(ctx, NULL, 0, 1, NULL, NULL, &r));
    MISSING("result", rm2_group_test(ctx, &d, 0, 1, NULL, NULL, NULL));
    none = d;
    none.points = NULL;
    MISSING("data->points", rm2_group_test(ctx, &none, 0, 1, NULL, NULL, &r));
    none = d;
    none.labels = NULL;
    MISSING("data->labels", rm2_group_test(ctx, &none, 0, 1, NULL, NULL, &r));
    NO_CONTEXT(rm2_adjust_p_values(NULL, 2, points, means));
    MISSING("p", rm2_adjust_p_values(ctx, 2, NULL, means));
    MISSING("adjusted", rm2_adjust_p_values(ctx, 2, points, NULL));
    NO_CONTEXT(rm2_manifold_distances(NULL, m, 4, points, distance));
    MISSING("m", rm2_manifold_distances(ctx, NULL, 4, points, distance));
    MISSING("points", rm2_manifold_distances(ctx, m, 4, NULL, distance));
    MISSING("distance", rm2_manifold_distances(ctx, m, 4, points, NULL));
    rm2_manifold_free(m);
    rm2_manifold_free(m);
}

static void labels_of_points(void **state) {
    rm2_context *ctx = *state;
    rm2_labelled d = line(ctx), none = {.size = sizeof none};
    rm2_classifier method = RM2_CLASSIFY_MEAN;
    double right[4];
    rm2_accuracy a = {.size = sizeof a};
    NO_CONTEXT(rm2_classify(NULL, &d, NULL, 1, &method, right, NULL));
    MISSING("data", rm2_classify(ctx, NULL, NULL, 1, &method, right, NULL));
    MISSING("methods", rm2_classify(ctx, &d, NULL, 1, NULL, right, NULL));
    MISSING("right", rm2_classify(ctx, &d, NULL, 1, &method, NULL, NULL));
    NO_CONTEXT(rm2_labelled_accuracy(NULL, &d, right, &a, NULL, NULL));
    MISSING("data", rm2_labelled_accuracy(ctx, NULL, right, &a, NULL, NULL));
    MISSING("data->labels", rm2_labelled_accuracy(ctx, &none, right, &a, NULL, NULL));
    MISSING("right", rm2_labelled_accuracy(ctx, &d, NULL, &a, NULL, NULL));
    MISSING("accuracy", rm2_labelled_accuracy(ctx, &d, right, NULL, NULL, NULL));
    assert_string_equal(rm2_classifier_text((rm2_classifier)-1), "unknown");
    rm2_manifold *m = rm2_manifold_retain(d.manifold);
    rm2_manifold_free(m);
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(groups), WITH_CONTEXT(labels_of_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
