/* Labels by logistic regression, with a ridge from points held out of the training points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "statistics/statistics.h"

enum { RIDGES = 6, FOLDS = 5 };

typedef struct tuning {
    const rm2i_regression *r;
    size_t n, d, K;
    size_t *fold, *labels; /* n */
    double *x, *held;      /* n x d: points of the other folds; of one */
    double *p;             /* n x K */
    double *weights;       /* K x (d + 1) */
    double *memory;
} tuning;

static void lay_out(void *arg, rm2i_arena *a) {
    tuning *t = arg;
    t->fold = rm2i_reserve(a, size_t, t->n);
    t->labels = rm2i_reserve(a, size_t, t->n);
    t->x = rm2i_reserve(a, double, t->n, t->d);
    t->held = rm2i_reserve(a, double, t->n, t->d);
    t->p = rm2i_reserve(a, double, t->n + t->r->m, t->K);
    t->weights = rm2i_reserve(a, double, t->K, t->d + 1);
}

/* Mean squared norm of the centred features: the unit of the ridge. */
static double feature_variance(const rm2i_features *f, double *mean) {
    double sum = 0;
    memset(mean, 0, f->width * sizeof *mean);
    for (size_t i = 0; i < f->n * f->width; i++)
        mean[i % f->width] += f->x[i] / (double)f->n;
    for (size_t i = 0; i < f->n * f->width; i++)
        sum += pow(f->x[i] - mean[i % f->width], 2);
    return sum / (double)f->n;
}

/* - sum log p(label) of the points of one fold, by the others. */
static rm2_status loss_of_fold(rm2_context *ctx, tuning *t, size_t fold, double ridge,
                               double *loss) {
    const rm2i_features *all = &t->r->train;
    size_t kept = 0, held = 0, bytes = t->d * sizeof *t->x;
    for (size_t i = 0; i < t->n; i++) {
        if (t->fold[i] == fold) {
            memcpy(t->held + held++ * t->d, all->x + i * t->d, bytes);
        } else {
            memcpy(t->x + kept * t->d, all->x + i * t->d, bytes);
            t->labels[kept++] = all->labels[i];
        }
    }
    rm2i_features part = {kept, t->d, t->x, t->labels, t->K};
    RM2_TRY(rm2i_logistic_fit(ctx, &part, ridge, t->weights, NULL));
    RM2_TRY(rm2i_logistic_probabilities(ctx, held, t->d, t->held, t->K, t->weights, t->p));
    for (size_t i = 0, k = 0; i < t->n; i++)
        if (t->fold[i] == fold)
            *loss -= log(fmax(t->p[k++ * t->K + all->labels[i]], 1e-300));
    return RM2_OK;
}

/* As many folds as the labels allow, at most FOLDS; 0: a label has one subject. */
static rm2_status split_training(rm2_context *ctx, tuning *t, size_t *folds) {
    const rm2i_features *f = &t->r->train;
    const rm2_labelled labelled = {sizeof labelled, NULL, t->n,          NULL,
                                   f->labels,       t->K, t->r->subjects};
    rm2_rng rng = rm2i_stream(t->r->seed, 0);
    for (*folds = FOLDS; *folds >= 2; --*folds) {
        rm2_status status = rm2i_split(ctx, &labelled, *folds, &rng, t->fold);
        if (status != RM2_ERR_DATA)
            return status;
    }
    *folds = 0;
    return RM2_OK;
}

/* The ridge of least loss, of equal ones the largest: 10, 1, 0.1, ... times the variance of the features. */
static rm2_status choose_ridge(rm2_context *ctx, tuning *t, double *ridge) {
    const rm2i_features *f = &t->r->train;
    double unit = fmax(feature_variance(f, t->weights), 1e-300), least = INFINITY;
    size_t folds;
    *ridge = unit;
    RM2_TRY(split_training(ctx, t, &folds));
    for (int k = 0; folds > 0 && k < RIDGES; k++) {
        double loss = 0, tried = unit * pow(10, 1 - k);
        for (size_t fold = 0; fold < folds; fold++)
            RM2_TRY(loss_of_fold(ctx, t, fold, tried, &loss));
        if (loss < least) {
            least = loss;
            *ridge = tried;
        }
    }
    return RM2_OK;
}

static rm2_status predict(rm2_context *ctx, tuning *t, double ridge, size_t *predicted,
                          size_t *unconverged) {
    rm2i_logistic_info info;
    RM2_TRY(rm2i_logistic_fit(ctx, &t->r->train, ridge, t->weights, &info));
    *unconverged += !info.converged;
    RM2_TRY(rm2i_logistic_probabilities(ctx, t->r->m, t->d, t->r->x, t->K, t->weights, t->p));
    for (size_t i = 0; i < t->r->m; i++) {
        predicted[i] = 0;
        for (size_t k = 1; k < t->K; k++)
            if (t->p[i * t->K + k] > t->p[i * t->K + predicted[i]])
                predicted[i] = k;
    }
    return RM2_OK;
}

rm2_status rm2i_regress(rm2_context *ctx, const rm2i_regression *r, size_t *predicted,
                        size_t *unconverged) {
    tuning t = {.r = r, .n = r->train.n, .d = r->train.width, .K = r->train.label_count};
    double ridge = r->ridge;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &t, &t.memory));
    rm2_status status = ridge > 0 ? RM2_OK : choose_ridge(ctx, &t, &ridge);
    if (status == RM2_OK)
        status = predict(ctx, &t, ridge, predicted, unconverged);
    free(t.memory);
    return status;
}
