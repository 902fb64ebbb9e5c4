/* Tables and choice of a cross-validation.
 *
 * Over F folds with values v_f: mean m = sum v_f/F, standard error sqrt(sum (v_f - m)^2/(F (F - 1))). Densities of two candidates
 * are compared by their differences on the same folds, which have a smaller error than the densities themselves. */
#include <math.h>

#include "validate/cross.h"

/* Mean and standard error over the folds where both candidates (b NULL: one) have a value; not a number without any. */
static void average(size_t folds, const rm2_cross_job *a, const rm2_cross_job *b, size_t measure,
                    double *mean, double *error) {
    double sum = 0, squares = 0, count = 0;
    for (size_t f = 0; f < folds; f++) {
        double v = a[f].value[measure] - (b ? b[f].value[measure] : 0);
        if (isnan(v))
            continue;
        double before = count > 0 ? sum / count : 0; /* Welford's update of the squares */
        sum += v;
        count++;
        squares += (v - before) * (v - sum / count);
    }
    *mean = count > 0 ? sum / count : (double)NAN;
    *error = count > 1 ? sqrt(squares / (count * (count - 1))) : (double)NAN;
}

static void fill_row(const rm2_cross *c, size_t k, rm2_cross_row *row) {
    const rm2_cross_job *jobs = c->jobs + k * c->folds;
    *row = (rm2_cross_row){.behind = (double)NAN, .behind_error = (double)NAN};
    for (size_t f = 0; f < c->folds; f++) {
        row->failed += jobs[f].status != RM2_OK;
        row->unconverged += jobs[f].unconverged;
    }
    for (size_t m = 0; m < RM2_CROSS_MEASURES; m++)
        average(c->folds, jobs, NULL, m, &row->mean[m], &row->error[m]);
}

/* Does every fold have a density? */
static bool is_whole(const rm2_cross *c, size_t k) {
    for (size_t f = 0; f < c->folds; f++)
        if (isnan(c->jobs[k * c->folds + f].value[RM2_CROSS_DENSITY]))
            return false;
    return true;
}

static size_t count_learned(const rm2_fit_settings *s) {
    const rm2_settings_table *table = rm2_settings_table_of(RM2_SETTINGS_FIT);
    size_t learned = 0;
    for (size_t k = 0; k < table->count; k++) {
        const rm2_setting *row = rm2_settings_at(table, k);
        const char *at = (const char *)s + row->offset;
        if (row->type == RM2_SETTING_HYPERPARAMETER)
            learned += ((const rm2_hyperparameter *)(const void *)at)->learned;
    }
    return learned + (s->ard && s->lengthscale.learned ? s->latent_dim - 1 : 0);
}

/* Is the first simpler: fewer latent dimensions, then fewer learned hyperparameters, then the higher density? */
static bool is_simpler(const rm2_fit_settings *candidates, const rm2_cross_row *rows, size_t a,
                       size_t b) {
    const rm2_fit_settings *x = &candidates[a], *y = &candidates[b];
    if (x->latent_dim != y->latent_dim)
        return x->latent_dim < y->latent_dim;
    if (count_learned(x) != count_learned(y))
        return count_learned(x) < count_learned(y);
    return rows[a].mean[RM2_CROSS_DENSITY] > rows[b].mean[RM2_CROSS_DENSITY];
}

void rm2i_cross_choose(rm2_cross *c, const rm2_fit_settings *candidates, rm2_cross_row *rows) {
    c->rows = rows;
    c->best = c->recommended = RM2_CROSS_NONE;
    for (size_t k = 0; k < c->candidates; k++) {
        fill_row(c, k, &rows[k]);
        if (is_whole(c, k) &&
            (c->best == RM2_CROSS_NONE ||
             rows[k].mean[RM2_CROSS_DENSITY] > rows[c->best].mean[RM2_CROSS_DENSITY]))
            c->best = k;
    }
    c->recommended = c->best;
    for (size_t k = 0; k < c->candidates; k++) {
        rm2_cross_row *r = &rows[k];
        if (!is_whole(c, k))
            continue;
        average(c->folds, c->jobs + c->best * c->folds, c->jobs + k * c->folds, RM2_CROSS_DENSITY,
                &r->behind, &r->behind_error);
        if (r->behind <= r->behind_error && is_simpler(candidates, rows, k, c->recommended))
            c->recommended = k;
    }
}
