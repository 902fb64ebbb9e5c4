/* Methods on the manifold: nearest mean, nearest points, regression of tangent coordinates. */
#include <math.h>

#include "base/base.h"
#include "manifold/manifold.h"
#include "statistics/classify.h"

rm2_status rm2i_predict_mean(rm2_context *ctx, rm2i_fold *f) {
    const rm2_manifold *m = f->data->manifold;
    size_t K = f->data->label_count;
    rm2_mean_settings settings = rm2_mean_settings_default();
    settings.tolerance = 1e-8; /* far below the differences of distances that decide */
    rm2_labelled train = {sizeof train, m, f->train, f->train_points, f->labels, K, NULL};
    f->groups->size = sizeof *f->groups;
    RM2_TRY(rm2_group_means(ctx, &train, &settings, f->means, f->groups));
    for (size_t k = 0; k < K; k++)
        f->unconverged += f->groups[k].points > 0 && !f->groups[k].converged;
    for (size_t i = 0; i < f->held; i++) {
        double least = INFINITY;
        for (size_t k = 0; k < K; k++) {
            double d;
            if (f->groups[k].points == 0)
                continue;
            RM2_TRY(rm2_manifold_distance(ctx, m, 1, f->means + k * m->ambient, 1,
                                          f->held_points + i * m->ambient, &d));
            if (d < least) {
                least = d;
                f->predicted[i] = k;
            }
        }
    }
    return RM2_OK;
}

rm2_status rm2i_predict_neighbours(rm2_context *ctx, rm2i_fold *f) {
    size_t n = f->data->n;
    (void)ctx;
    for (size_t i = 0; i < f->held; i++) {
        for (size_t j = 0; j < f->train; j++)
            f->row[j] = f->distance[f->held_index[i] * n + f->train_index[j]];
        f->predicted[i] = rm2i_vote(f->train, f->row, f->labels, f->settings->neighbours, f->order,
                                    f->votes, f->data->label_count);
    }
    return RM2_OK;
}

/* Coordinates of all points at the Fréchet mean of the training points. */
rm2_status rm2i_predict_tangent(rm2_context *ctx, rm2i_fold *f) {
    const rm2_manifold *m = f->data->manifold;
    rm2_mean_settings settings = rm2_mean_settings_default();
    rm2_mean_info info = {.size = sizeof info};
    double *base = f->means; /* room for one point at least */
    settings.tolerance = 1e-8;
    RM2_TRY(rm2_manifold_mean(ctx, m, f->train, f->train_points, NULL, &settings, base, &info));
    f->unconverged += !info.converged;
    RM2_TRY(rm2_manifold_log_coords(ctx, m, f->train, base, 1, f->train_points, f->train_x));
    RM2_TRY(rm2_manifold_log_coords(ctx, m, f->held, base, 1, f->held_points, f->held_x));
    rm2i_regression r = {.train = {f->train, m->dim, f->train_x, f->labels, f->data->label_count},
                         .subjects = f->subjects,
                         .ridge = f->settings->ridge,
                         .seed = f->seed,
                         .m = f->held,
                         .x = f->held_x};
    return rm2i_regress(ctx, &r, f->predicted, &f->unconverged);
}
