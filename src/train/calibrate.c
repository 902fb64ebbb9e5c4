#include "train/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "gp/inducing.h"
#include "gp/left_out.h"
#include "math/order.h"

enum { MOST = 50 }; /* demonstrations that are left out: of more, evenly chosen ones */

/* Medians above which a demonstration is odd: its square would decide the mean of few. Of 111 demonstrations of real
 * recordings, each held out in turn, none of the others is above 7. */
static const double ODD = 8;

typedef struct calibrating {
    rm2_model *m;
    rm2i_rows rows; /* demonstrations as rows: of this process, of all */
    size_t factors;
    size_t chosen;   /* demonstrations that are left out, of all: */
    size_t *index;   /* their numbers */
    size_t *which;   /* those of this process, among its own, */
    size_t own;      /* and how many */
    size_t *first;   /* factors + 1: outputs */
    double *squares; /* own x factors */
    double *of_rows; /* rows of this process x factors; those that are not chosen are not used */
    double *few;     /* chosen x factors, on the root */
    double *sums;    /* of the inducing points */
    bool *odd;       /* chosen */
    double *memory;
} calibrating;

static void lay_out(void *arg, rm2i_arena *a) {
    calibrating *c = arg;
    const rm2_model *m = c->m;
    size_t r = m->inducing_count;
    c->index = rm2i_reserve(a, size_t, c->chosen);
    c->which = rm2i_reserve(a, size_t, c->chosen);
    c->first = rm2i_reserve(a, size_t, c->factors + 1);
    c->squares = rm2i_reserve(a, double, c->chosen, c->factors); /* later scratch of medians */
    c->of_rows = rm2i_reserve(a, double, c->rows.n, c->factors);
    c->few = rm2i_reserve(a, double, c->chosen, c->factors);
    c->odd = rm2i_reserve(a, bool, c->chosen);
    c->sums = rm2i_reserve(a, double, r ? rm2i_inducing_sums_count(r, m->M) : 0);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void choose(calibrating *c) {
    const rm2i_rows *rows = &c->rows;
    c->own = 0;
    for (size_t k = 0; k < c->chosen; k++) {
        size_t d = c->index[k] = (2 * k + 1) * rows->all / (2 * c->chosen);
        if (d >= rows->before && d < rows->before + rows->n)
            c->which[c->own++] = d - rows->before;
    }
}

/* Points of demonstration d of all. */
static double points_of(const rm2_model *m, size_t d) {
    const size_t *starts = m->rows ? m->rows->all_starts : m->data->starts;
    return (double)(starts[d + 1] - starts[d]);
}

static void find_outputs(const calibrating *c) {
    bool ambient = c->m->settings.model == RM2_GPLVM;
    c->first[0] = 0;
    for (size_t f = 0; f < c->factors; f++) {
        const rm2_factor *factor = rm2_manifold_factor(c->m->manifold, f);
        c->first[f + 1] = c->first[f] + (ambient ? factor->ambient : factor->dim);
    }
}

static rm2_status find_squares(rm2_context *ctx, const calibrating *c) {
    const rm2_model *m = c->m;
    rm2i_gp gp = rm2i_model_gp(m);
    if (m->inducing_count) {
        size_t bytes = rm2i_inducing_sums_count(m->inducing_count, m->M) * sizeof *c->sums;
        if (rm2i_rows_root(m->rows))
            memcpy(c->sums, m->inducing_sums, bytes);
        rm2i_rows_broadcast(m->rows, c->sums, bytes);
        gp.sums = c->sums;
    }
    const rm2i_left_out what = {&gp, c->own, c->which, c->factors, c->first};
    RM2_TRY(rm2i_rows_agree(ctx, m->rows, rm2i_left_out_squares(ctx, &what, c->squares)));
    for (size_t k = 0; k < c->own; k++)
        memcpy(c->of_rows + c->which[k] * c->factors, c->squares + k * c->factors,
               c->factors * sizeof *c->of_rows);
    return rm2i_rows_pick(ctx, &c->rows, &(rm2i_few){c->chosen, c->index}, c->factors, c->of_rows,
                          c->few);
}

static double median_square(const calibrating *c, size_t f, double *work) {
    for (size_t k = 0; k < c->chosen; k++)
        work[k] = c->few[k * c->factors + f];
    return rm2i_median(c->chosen, work);
}

/* Weighted by the points of the demonstrations; those that are odd do not count, and are marked. */
static double scale_of(const calibrating *c, size_t f, bool *odd) {
    double sum = 0, points = 0, most = ODD * median_square(c, f, c->squares);
    for (size_t k = 0; k < c->chosen; k++) {
        double n = points_of(c->m, c->index[k]), square = c->few[k * c->factors + f];
        if (square > most) {
            odd[k] = true;
            continue;
        }
        sum += n * square;
        points += n;
    }
    return sum / points;
}

static void log_odd(rm2_context *ctx, const calibrating *c) {
    size_t count = 0;
    for (size_t k = 0; k < c->chosen; k++)
        count += c->odd[k];
    if (count > 0)
        rm2i_log(ctx, RM2_LOG_INFO,
                 "%zu of %zu demonstrations %s more than %g times as far from what the others "
                 "predict as most do, and %s not count for the size of the uncertainty",
                 count, c->chosen, count == 1 ? "is" : "are", sqrt(ODD),
                 count == 1 ? "does" : "do");
}

static rm2_status take_scales(rm2_context *ctx, const calibrating *c) {
    double *scales;
    bool good = true;
    RM2_TRY(rm2i_alloc(ctx, c->factors, sizeof *scales, &scales));
    for (size_t f = 0; f < c->factors; f++) {
        scales[f] = scale_of(c, f, c->odd);
        good = good && scales[f] >= RM2I_SCALE_LEAST && scales[f] <= RM2I_SCALE_MOST;
    }
    if (good) {
        c->m->calibration = scales;
        c->m->calibrated = c->rows.all;
        log_odd(ctx, c);
        return RM2_OK;
    }
    free(scales);
    rm2i_log(ctx, RM2_LOG_WARNING,
             "the uncertainty is not calibrated: demonstrations equal their predictions");
    return RM2_OK;
}

static bool can(const rm2_model *m, size_t demonstrations) {
    return m->settings.noise == RM2_NOISE_KRONECKER && m->settings.task != RM2_TASK_INTEGRATED &&
           demonstrations > 1;
}

rm2_status rm2i_calibrate(rm2_context *ctx, rm2_model *m) {
    const rm2i_rows points = rm2i_model_rows(m);
    calibrating c = {.m = m,
                     .rows = rm2i_rows_of_trajectories(&points),
                     .factors = rm2_manifold_factor_count(m->manifold)};
    c.chosen = c.rows.all < MOST ? c.rows.all : MOST;
    if (!can(m, c.rows.all))
        return RM2_OK;
    RM2_TRY(rm2i_rows_agree(ctx, m->rows, rm2i_arena_calloc(ctx, lay_out, &c, &c.memory)));
    choose(&c);
    find_outputs(&c);
    rm2_status status = find_squares(ctx, &c);
    if (status == RM2_OK && rm2i_rows_root(m->rows))
        status = take_scales(ctx, &c);
    free(c.memory);
    if (status != RM2_ERR_NUMERIC)
        return status;
    rm2i_log(
        ctx, RM2_LOG_WARNING,
        "the uncertainty is not calibrated: a covariance without one demonstration is singular");
    return RM2_OK;
}
