/* Accuracies and their standard errors.
 *
 * An accuracy is a mean a = sum_i w_i c_i, c_i the part of the repeats in which point i was predicted right. Points of one
 * subject are not independent: with e_u = sum_{i in u} w_i (c_i - m_i), m_i the mean that point i belongs to, and U subjects,
 *   error^2 = U/(U - 1) sum_u e_u^2 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "statistics/statistics.h"

typedef struct tally {
    const rm2_labelled *data;
    const double *right;
    size_t n, K, subjects, present; /* present: labels that have points */
    size_t *subject;                /* n */
    bool *seen;                     /* n: subjects of the present sum */
    double *points, *mean;          /* K: of each label */
    double *e;                      /* n: sums of the subjects */
    double *memory;
} tally;

static void lay_out(void *arg, rm2i_arena *a) {
    tally *t = arg;
    t->subject = rm2i_reserve(a, size_t, t->n);
    t->seen = rm2i_reserve(a, bool, t->n);
    t->points = rm2i_reserve(a, double, t->K);
    t->mean = rm2i_reserve(a, double, t->K);
    t->e = rm2i_reserve(a, double, t->n);
}

/* What points count: those of one label, or all. */
enum { ALL_POINTS, BALANCED, FIRST_LABEL };

static double weight(const tally *t, size_t what, size_t label) {
    if (what == ALL_POINTS)
        return 1 / (double)t->n;
    if (what == BALANCED)
        return 1 / (t->points[label] * (double)t->present);
    return what - FIRST_LABEL == label ? 1 / t->points[label] : 0;
}

static double standard_error(const tally *t, size_t what, double accuracy) {
    double sum = 0, count = 0;
    memset(t->e, 0, t->n * sizeof *t->e);
    memset(t->seen, 0, t->n * sizeof *t->seen);
    for (size_t i = 0; i < t->n; i++) {
        size_t label = t->data->labels[i];
        double w = weight(t, what, label);
        double centre = what == ALL_POINTS ? accuracy : t->mean[label];
        if (w > 0 && !t->seen[t->subject[i]])
            count++;
        t->seen[t->subject[i]] = t->seen[t->subject[i]] || w > 0;
        t->e[t->subject[i]] += w * (t->right[i] - centre);
    }
    for (size_t u = 0; u < t->subjects; u++)
        sum += t->e[u] * t->e[u];
    return count > 1 ? sqrt(count / (count - 1) * sum) : NAN;
}

static void compute_means(tally *t) {
    memset(t->points, 0, t->K * sizeof *t->points);
    memset(t->mean, 0, t->K * sizeof *t->mean);
    for (size_t i = 0; i < t->n; i++) {
        t->points[t->data->labels[i]]++;
        t->mean[t->data->labels[i]] += t->right[i];
    }
    for (size_t k = 0; k < t->K; k++) {
        t->present += t->points[k] > 0;
        t->mean[k] = t->points[k] > 0 ? t->mean[k] / t->points[k] : NAN;
    }
}

static rm2_accuracy summarise(const tally *t) {
    rm2_accuracy a = {.chance_balanced = 1 / (double)t->present};
    for (size_t k = 0; k < t->K; k++) {
        if (!(t->points[k] > 0))
            continue;
        a.accuracy += t->mean[k] * t->points[k] / (double)t->n;
        a.balanced += t->mean[k] / (double)t->present;
        a.chance = fmax(a.chance, t->points[k] / (double)t->n);
    }
    a.error = standard_error(t, ALL_POINTS, a.accuracy);
    a.balanced_error = standard_error(t, BALANCED, a.balanced);
    return a;
}

rm2_status rm2_labelled_accuracy(rm2_context *ctx, const rm2_labelled *data, const double *right,
                                 rm2_accuracy *accuracy, double *each, double *each_error) {
    RM2_REQUIRE(ctx, data, right, accuracy);
    rm2_labelled points = {.size = sizeof points};
    RM2_TRY(rm2i_settings_overlay(ctx, data, &points));
    data = &points;
    RM2_REQUIRE(ctx, data->labels);
    RM2_TRY(rm2i_check_size(ctx, accuracy, sizeof *accuracy));
    tally t = {.data = data, .right = right, .n = data->n, .K = data->label_count};
    if (t.n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "data.n is 0: expected at least one point");
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &t, &t.memory));
    rm2_status status = rm2i_number_subjects(ctx, t.n, data->subjects, t.subject, &t.subjects);
    if (status == RM2_OK) {
        compute_means(&t);
        const rm2_accuracy all = summarise(&t);
        rm2i_results_give(1, &all, sizeof all, accuracy);
        for (size_t k = 0; k < t.K; k++) {
            if (each)
                each[k] = t.mean[k];
            if (each_error)
                each_error[k] =
                    t.points[k] > 0 ? standard_error(&t, FIRST_LABEL + k, t.mean[k]) : NAN;
        }
    }
    free(t.memory);
    return status;
}
