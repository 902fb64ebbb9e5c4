/* Prediction of labels: logistic regression against values of scikit-learn 1.2.1, splits against what they promise,
 * votes, accuracies against definitions, and that nothing of a fold is known to what predicts it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "near.h"
#include "riemann2/statistics.h"
#include "shared_context.h"
#include "statistics/statistics.h"

static rm2_manifold *manifold(const char *spec) {
    rm2_manifold *m;
    ok(rm2_manifold_create(ctx, spec, &m));
    return m;
}

static void refused(rm2_status status, rm2_status want, const char *text) {
    assert_int_equal(status, want);
    if (!strstr(rm2_context_error(ctx), text))
        fail_msg("\"%s\" has no \"%s\"", rm2_context_error(ctx), text);
}

/* ---- logistic regression ------------------------------------------------------------------------ */

enum { MOST_N = 30, MOST_D = 12, MOST_K = 3 };

/* LogisticRegression(C=1/ridge, multi_class="multinomial", solver="newton-cg", tol=1e-13) on features of a linear
 * congruential generator. */
typedef struct reference {
    size_t n, d, K;
    double ridge, objective;
    double w[MOST_D];            /* of label 0 */
    double b[MOST_K], p[MOST_K]; /* intercepts; probabilities of point 0 */
} reference;

static const reference references[] = {
    {30,
     3,
     3,
     0.7,
     24.648176476447677,
     {1.55590725749, -0.554559872674, -1.42276216213},
     {-0.0697596275503, 0.0398289034995, 0.0299307240508},
     {0.567551207852, 0.179088027491, 0.253360764658}},
    {30,
     3,
     2,
     2.0,
     13.898335271116185,
     {0.709836699831, -0.808254886233, 0.597646111909},
     {-0.204750678699, 0.204750678699},
     {0.799216010021, 0.200783989979}},
    {8,
     12,
     3,
     0.25,
     3.144442163840144, /* more columns than points */
     {1.11976643081, -0.399068336668, -0.413969656498, 0.523686380446, -0.507048379289,
      0.239782869139, 0.892705495765, 0.0766198206573, -0.120057437941, 0.565864144045,
      0.332027607591, -0.955477574822},
     {-0.176291116515, 0.373950488191, -0.197659371675},
     {0.802062489524, 0.147648323385, 0.0502891870915}},
};

static void draw_features(const reference *r, double *x, size_t *labels) {
    uint64_t s = 12345;
    for (size_t i = 0; i < r->n; i++) {
        labels[i] = i % r->K;
        for (size_t j = 0; j < r->d; j++) {
            s = (s * 1103515245 + 12345) % 2147483648;
            x[i * r->d + j] = (double)s / 2147483648.0 - 0.5 + (j % r->K == labels[i] ? 0.4 : 0);
        }
    }
}

static void logistic_against_scikit_learn(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof references / sizeof *references; t++) {
        const reference *r = &references[t];
        double x[MOST_N * MOST_D], w[MOST_K * (MOST_D + 1)], p[MOST_N * MOST_K];
        size_t labels[MOST_N];
        rm2i_logistic_info info;
        draw_features(r, x, labels);
        rm2i_features data = {r->n, r->d, x, labels, r->K};
        ok(rm2i_logistic_fit(ctx, &data, r->ridge, w, &info));
        assert_true(info.converged);
        assert_near(info.objective, r->objective, 1e-11 * r->objective);
        /* the gradient is below 1e-9 n, the curvature at least the ridge: 1e-7 */
        for (size_t j = 0; j < r->d; j++)
            assert_near(w[j], r->w[j], 1e-7);
        ok(rm2i_logistic_probabilities(ctx, r->n, r->d, x, r->K, w, p));
        for (size_t k = 0; k < r->K; k++) {
            assert_near(w[k * (r->d + 1) + r->d], r->b[k], 1e-7);
            assert_near(p[k], r->p[k], 1e-8);
        }
    }
}

static void logistic_mistakes(void **state) {
    (void)state;
    double x[] = {0, 1, 2, 3}, w[8];
    size_t labels[] = {0, 1}, outside[] = {0, 2};
    rm2i_features data = {2, 2, x, labels, 2};
    refused(rm2i_logistic_fit(ctx, &data, 0, w, NULL), RM2_ERR_ARGUMENT, "ridge is 0");
    refused(rm2i_logistic_fit(ctx, &data, NAN, w, NULL), RM2_ERR_ARGUMENT, "ridge is");
    data.labels = outside;
    refused(rm2i_logistic_fit(ctx, &data, 1, w, NULL), RM2_ERR_ARGUMENT, "data.labels[1] is 2");
    data.labels = labels;
    data.label_count = 1;
    refused(rm2i_logistic_fit(ctx, &data, 1, w, NULL), RM2_ERR_ARGUMENT, "1 labels");
    data.label_count = 2;
    x[3] = INFINITY;
    refused(rm2i_logistic_fit(ctx, &data, 1, w, NULL), RM2_ERR_ARGUMENT, "feature 1 of point 1");
    const double zeros[6] = {0}; /* no information: frequencies of the labels */
    double p[4];
    ok(rm2i_logistic_fit(ctx, &(rm2i_features){2, 3, zeros, labels, 2}, 1, w, NULL));
    ok(rm2i_logistic_probabilities(ctx, 2, 3, zeros, 2, w, p));
    assert_near(p[0], 0.5, 1e-12);
}

/* ---- splits and votes --------------------------------------------------------------------------- */

static void folds_have_their_share(void **state) {
    (void)state;
    enum { N = 43, FOLDS = 5 };
    size_t labels[N], fold[N], again[N];
    for (size_t i = 0; i < N; i++)
        labels[i] = i % 4 == 0;
    rm2_labelled d = {sizeof d, NULL, N, NULL, labels, 2, NULL};
    rm2_rng rng = rm2i_stream(1, 0), same = rm2i_stream(1, 0), other = rm2i_stream(1, 1);
    ok(rm2i_split(ctx, &d, FOLDS, &rng, fold));
    ok(rm2i_split(ctx, &d, FOLDS, &same, again));
    assert_memory_equal(fold, again, sizeof fold);
    ok(rm2i_split(ctx, &d, FOLDS, &other, again));
    assert_true(memcmp(fold, again, sizeof fold) != 0);
    for (size_t f = 0; f < FOLDS; f++) {
        size_t count[2] = {0, 0};
        for (size_t i = 0; i < N; i++)
            count[labels[i]] += fold[i] == f;
        assert_true(count[1] == 2 || count[1] == 3); /* 11 of the label, 43 in all */
        assert_true(count[0] == 6 || count[0] == 7);
        assert_true(count[0] + count[1] == 8 || count[0] + count[1] == 9);
    }
}

static void subjects_stay_together(void **state) {
    (void)state;
    enum { N = 60, FOLDS = 4 };
    size_t labels[N], subjects[N], fold[N], fold_of[20];
    for (size_t i = 0; i < N; i++) {
        subjects[i] = i * i % 20; /* not next to each other, of different sizes */
        labels[i] = subjects[i] % 3 == 0;
        fold_of[i % 20] = SIZE_MAX;
    }
    rm2_labelled d = {sizeof d, NULL, N, NULL, labels, 2, subjects};
    rm2_rng rng = rm2i_stream(7, 0);
    rm2_status status = rm2i_split(ctx, &d, 2, &rng, fold);
    ok(status);
    for (size_t i = 0; i < N; i++) {
        if (fold_of[subjects[i]] == SIZE_MAX)
            fold_of[subjects[i]] = fold[i];
        assert_int_equal(fold_of[subjects[i]], fold[i]);
    }
    refused(rm2i_split(ctx, &d, 20, &rng, fold), RM2_ERR_DATA, "fewer than settings.folds 20");
}

static void votes(void **state) {
    (void)state;
    const double distance[] = {3, 1, 2, 5, 4};
    const size_t labels[] = {0, 1, 0, 2, 1};
    size_t order[5], count[3];
    assert_int_equal(rm2i_vote(5, distance, labels, 1, order, count, 3), 1);
    assert_int_equal(rm2i_vote(5, distance, labels, 2, order, count, 3), 1); /* tie: the nearest */
    assert_int_equal(rm2i_vote(5, distance, labels, 3, order, count, 3), 0);
    assert_int_equal(rm2i_vote(5, distance, labels, 99, order, count, 3), 1); /* tie of 0 and 1 */
}

/* ---- classification ------------------------------------------------------------------------------ */

enum { N = 24, D = 4 };
static const rm2_classifier all_methods[] = {
    RM2_CLASSIFY_MEAN,           RM2_CLASSIFY_NEIGHBOURS,       RM2_CLASSIFY_TANGENT,
    RM2_CLASSIFY_LATENT_NETWORK, RM2_CLASSIFY_LATENT_EUCLIDEAN, RM2_CLASSIFY_LATENT_LOGISTIC};
enum { METHODS = sizeof all_methods / sizeof *all_methods };

/* Points of SPD2, label 1 at a distance of `shift` in one direction. */
static void draw_points(const rm2_manifold *m, double shift, double *points, size_t *labels) {
    double c[N * 3], base[D];
    rm2_rng rng;
    rm2_rng_seed(&rng, 2);
    rm2_manifold_default_point(m, base);
    for (size_t i = 0; i < N; i++) {
        labels[i] = i % 2;
        for (size_t k = 0; k < 3; k++)
            c[3 * i + k] = 0.3 * rm2_rng_normal(&rng) + (k == 0 && i % 2 ? shift : 0);
    }
    ok(rm2_manifold_exp_coords(ctx, m, N, base, 1, c, points));
}

static void separated_labels_are_found(void **state) {
    (void)state;
    rm2_manifold *m = manifold("SPD2");
    double points[N * D], right[METHODS * N];
    size_t labels[N], unconverged;
    rm2_accuracy a = {.size = sizeof a};
    rm2_classify_settings s = rm2_classify_settings_default();
    draw_points(m, 4, points, labels);
    rm2_labelled d = {sizeof d, m, N, points, labels, 2, NULL};
    s.repeats = 1;
    s.neighbours = 3;
    s.latent_dim = 1;
    ok(rm2_classify(ctx, &d, &s, METHODS, all_methods, right, &unconverged));
    assert_int_equal(unconverged, 0);
    for (size_t k = 0; k < METHODS; k++) {
        ok(rm2_labelled_accuracy(ctx, &d, right + k * N, &a, NULL, NULL));
        if (a.accuracy < 1)
            fail_msg("%s: accuracy %g", rm2_classifier_text(all_methods[k]), a.accuracy);
    }
    rm2_classifier exact = RM2_CLASSIFY_LATENT_GEODESIC;
    s.folds = 2;
    ok(rm2_classify(ctx, &d, &s, 1, &exact, right, NULL));
    ok(rm2_labelled_accuracy(ctx, &d, right, &a, NULL, NULL));
    assert_near(a.accuracy, 1, 0);
    rm2_manifold_free(m);
}

/* A point that moves changes what predicts other folds, but not what predicts its own: other points of its fold keep
 * their predictions. */
static void a_fold_is_unseen(void **state) {
    (void)state;
    rm2_manifold *m = manifold("SPD2");
    double points[N * D], before[METHODS * N], after[METHODS * N];
    size_t labels[N], fold[N], other = 0;
    rm2_classify_settings s = rm2_classify_settings_default();
    draw_points(m, 0.4, points, labels);
    rm2_labelled d = {sizeof d, m, N, points, labels, 2, NULL};
    s.repeats = 1;
    s.neighbours = 3;
    s.folds = 3;
    rm2_rng rng = rm2i_stream(s.seed, 0);
    ok(rm2i_split(ctx, &d, s.folds, &rng, fold));
    ok(rm2_classify(ctx, &d, &s, METHODS, all_methods, before, NULL));
    const double far[] = {9, 3, 3, 20};
    memcpy(points, far, sizeof far);
    ok(rm2_classify(ctx, &d, &s, METHODS, all_methods, after, NULL));
    for (size_t k = 0; k < METHODS; k++)
        for (size_t i = 1; i < N; i++) {
            if (fold[i] == fold[0])
                assert_near(before[k * N + i], after[k * N + i], 0);
            else
                other +=
                    before[k * N + i] < after[k * N + i] || before[k * N + i] > after[k * N + i];
        }
    assert_true(other > 0); /* the test sees changes */
    rm2_manifold_free(m);
}

/* Labels by chance and twice as many coordinates as points, where a fit to all points would predict them without
 * error: accuracies of sixteen such sets are 0.5 with a standard deviation of 0.1/4 each. */
static void chance_is_chance(void **state) {
    (void)state;
    enum { SETS = 16, POINTS = 24, WIDTH = 48 };
    rm2_manifold *m = manifold("R48");
    double points[POINTS * WIDTH], right[2 * POINTS], mean[2] = {0, 0};
    size_t labels[POINTS];
    rm2_rng rng;
    rm2_rng_seed(&rng, 4);
    rm2_classify_settings s = rm2_classify_settings_default();
    s.repeats = 1;
    s.ridge = 1;
    for (size_t t = 0; t < SETS; t++) {
        for (size_t i = 0; i < POINTS * WIDTH; i++)
            points[i] = rm2_rng_normal(&rng);
        for (size_t i = 0; i < POINTS; i++)
            labels[i] = i % 2;
        rm2_labelled d = {sizeof d, m, POINTS, points, labels, 2, NULL};
        s.seed = t;
        ok(rm2_classify(ctx, &d, &s, 2,
                        (const rm2_classifier[]){RM2_CLASSIFY_MEAN, RM2_CLASSIFY_TANGENT}, right,
                        NULL));
        for (size_t k = 0; k < 2 * POINTS; k++)
            mean[k / POINTS] += right[k] / (POINTS * SETS);
    }
    assert_near(mean[0], 0.5, 0.12);
    assert_near(mean[1], 0.5, 0.12);
    rm2_manifold_free(m);
}

static void accuracies(void **state) {
    (void)state;
    const double right[] = {1, 0, 0.5, 1, 1, 0};
    const size_t labels[] = {0, 0, 0, 0, 2, 2}, subjects[] = {5, 5, 6, 6, 7, 7};
    double each[3], error[3];
    rm2_accuracy a = {.size = sizeof a};
    rm2_labelled d = {sizeof d, NULL, 6, NULL, labels, 3, NULL};
    ok(rm2_labelled_accuracy(ctx, &d, right, &a, each, error));
    assert_near(a.accuracy, 3.5 / 6, 1e-15);
    assert_near(a.balanced, (2.5 / 4 + 0.5) / 2, 1e-15);
    assert_near(a.chance, 4.0 / 6, 1e-15);
    assert_near(a.chance_balanced, 0.5, 1e-15);
    assert_near(each[0], 0.625, 1e-15);
    assert_true(isnan(each[1]) && isnan(error[1]));
    /* s/sqrt(n): squares about 7/12 sum to 5/4 + 1/4 ... of label 2 about 1/2: 1/2, n = 2 */
    assert_near(error[2], sqrt(0.5 / 1 / 2), 1e-15);
    double sum = 0;
    for (size_t i = 0; i < 6; i++)
        sum += pow(right[i] - a.accuracy, 2);
    assert_near(a.error, sqrt(sum / 5 / 6), 1e-15);
    /* by subjects: their sums of c - a, three of them */
    d.subjects = subjects;
    ok(rm2_labelled_accuracy(ctx, &d, right, &a, NULL, NULL));
    double m = 3.5 / 6, e[] = {1 - 2 * m, 1.5 - 2 * m, 1 - 2 * m};
    assert_near(a.error, sqrt(1.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2])) / 6, 1e-15);
}

static void mistakes(void **state) {
    (void)state;
    rm2_manifold *m = manifold("R1");
    const double points[] = {0, 1, 2, 3};
    const size_t labels[] = {0, 0, 1, 1}, one[] = {1, 1, 1, 1};
    double right[4];
    rm2_classifier method = RM2_CLASSIFY_MEAN, wrong = (rm2_classifier)77;
    rm2_labelled d = {sizeof d, m, 4, points, labels, 2, NULL};
    rm2_classify_settings s = rm2_classify_settings_default();
    refused(rm2_classify(ctx, &d, &s, 1, &method, right, NULL), RM2_ERR_DATA,
            "has 2 subjects, fewer than settings.folds 5");
    refused(rm2_classify(ctx, &d, &s, 1, &wrong, right, NULL), RM2_ERR_ARGUMENT,
            "methods[0] is 77");
    assert_string_equal(rm2_classifier_text(wrong), "unknown");
    s.folds = 1;
    refused(rm2_classify(ctx, &d, &s, 1, &method, right, NULL), RM2_ERR_ARGUMENT, "settings.folds");
    s.folds = 2;
    d.labels = one;
    refused(rm2_classify(ctx, &d, &s, 1, &method, right, NULL), RM2_ERR_DATA, "one label");
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logistic_against_scikit_learn),
        cmocka_unit_test(logistic_mistakes),
        cmocka_unit_test(folds_have_their_share),
        cmocka_unit_test(subjects_stay_together),
        cmocka_unit_test(votes),
        cmocka_unit_test(separated_labels_are_found),
        cmocka_unit_test(a_fold_is_unseen),
        cmocka_unit_test(chance_is_chance),
        cmocka_unit_test(accuracies),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
