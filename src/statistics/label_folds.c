/* Division of subjects into folds that have about the same share of every label.
 *
 * Subjects come in random order, those with many points first, and each goes to the fold where it keeps the folds most alike:
 * the least sum over the labels of (points of the label in the fold)^2/(points of the label in all). For one point per subject
 * this deals the points of each label out in turns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "statistics/statistics.h"

typedef struct subject {
    size_t number, points, chance;
} subject;

typedef struct split {
    size_t n, K, folds, subjects;
    size_t *of_point; /* n: subject */
    subject *order;   /* subjects */
    size_t *fold;     /* subjects */
    double *count;    /* subjects x K: points of each label */
    double *total;    /* K */
    double *in;       /* folds x K */
    double *memory;
} split;

static void lay_out(void *arg, rm2i_arena *a) {
    split *s = arg;
    s->of_point = rm2i_reserve(a, size_t, s->n);
    s->order = rm2i_reserve(a, subject, s->n);
    s->fold = rm2i_reserve(a, size_t, s->n);
    s->count = rm2i_reserve(a, double, s->n, s->K);
    s->total = rm2i_reserve(a, double, s->K);
    s->in = rm2i_reserve(a, double, s->folds, s->K);
}

static int by_size(const void *a, const void *b) {
    const subject *x = a, *y = b;
    if (x->points != y->points)
        return x->points > y->points ? -1 : 1;
    return (x->chance > y->chance) - (x->chance < y->chance);
}

/* Every label that has points needs a subject in every fold. */
static rm2_status check_labels(rm2_context *ctx, const split *s) {
    for (size_t k = 0; k < s->K; k++) {
        size_t subjects = 0;
        for (size_t u = 0; u < s->subjects; u++)
            subjects += s->count[u * s->K + k] > 0;
        if (s->total[k] > 0 && subjects < s->folds)
            return rm2i_fail(
                ctx, RM2_ERR_DATA,
                "label %zu (counted from 0) has %zu subject%s, fewer than settings.folds "
                "%zu: lower it, or leave the label out",
                k, subjects, subjects == 1 ? "" : "s", s->folds);
    }
    return RM2_OK;
}

/* How much less alike the folds become if subject u goes to fold f. */
static double cost(const split *s, size_t u, size_t f) {
    double sum = 0;
    for (size_t k = 0; k < s->K; k++) {
        double c = s->count[u * s->K + k];
        if (c > 0) /* ((in + c)^2 - in^2)/total */
            sum += c * (2 * s->in[f * s->K + k] + c) / s->total[k];
    }
    return sum;
}

static double fold_points(const split *s, size_t f) {
    double sum = 0;
    for (size_t k = 0; k < s->K; k++)
        sum += s->in[f * s->K + k];
    return sum;
}

/* Of equally good folds the one with fewer points. */
static void place(split *s, size_t u) {
    size_t best = 0;
    double least = INFINITY, fewest = INFINITY;
    for (size_t f = 0; f < s->folds; f++) {
        double c = cost(s, u, f), points = fold_points(s, f);
        bool tie = fabs(c - least) <= 1e-12 * least;
        if ((!tie && c < least) || (tie && points < fewest)) {
            best = f;
            least = c;
            fewest = points;
        }
    }
    s->fold[u] = best;
    for (size_t k = 0; k < s->K; k++)
        s->in[best * s->K + k] += s->count[u * s->K + k];
}

static void count_labels(const rm2_labelled *data, rm2_rng *rng, split *s) {
    for (size_t u = 0; u < s->subjects; u++)
        s->order[u] = (subject){u, 0, rm2_rng_next(rng)};
    for (size_t i = 0; i < s->n; i++) {
        s->count[s->of_point[i] * s->K + data->labels[i]]++;
        s->total[data->labels[i]]++;
        s->order[s->of_point[i]].points++;
    }
    qsort(s->order, s->subjects, sizeof *s->order, by_size);
}

rm2_status rm2i_split(rm2_context *ctx, const rm2_labelled *data, size_t folds, rm2_rng *rng,
                      size_t *fold_of_point) {
    split s = {.n = data->n, .K = data->label_count, .folds = folds};
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, &s, &s.memory));
    rm2_status status = rm2i_number_subjects(ctx, s.n, data->subjects, s.of_point, &s.subjects);
    if (status == RM2_OK) {
        count_labels(data, rng, &s);
        status = check_labels(ctx, &s);
    }
    for (size_t k = 0; status == RM2_OK && k < s.subjects; k++)
        place(&s, s.order[k].number);
    for (size_t i = 0; status == RM2_OK && i < s.n; i++)
        fold_of_point[i] = s.fold[s.of_point[i]];
    free(s.memory);
    return status;
}
