/* What every trained model satisfies, array by array:
 *
 *   units          positive, 1 for factors that have none; shrinkage of matrices between 0 and 1
 *   points, base   on the manifold; outputs are their tangent coordinates, centred
 *   latents        within a range of lengthscales in which fourth powers are finite
 *   Kf             symmetric and positive semidefinite
 *   record         finite, bounds in order
 *   settings       those that training accepts
 *
 * Ranges of single numbers are in the table of arrays (model_arrays.c) and were checked when they were read.
 * Tolerances are for rounding and for another version's way to compute the same, not for other models. */
#include "model_file/check_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "model/back.h"
#include "model/rules.h"

static const double OFF_MANIFOLD = 1e-8;   /* defect; points are projected when they are read */
static const double OFF_OUTPUTS = 1e-4;    /* of the largest output; logarithms lose digits */
static const double OFF_COVARIANCE = 1e-8; /* relative, of entries and of the smallest eigenvalue */
static const double OFF_BOUNDS =
    1e-9; /* relative, by which a lower bound may exceed an upper one */
static const double LARGEST_VARIANCE = 1e301; /* of an output */

typedef struct check {
    rm2_context *ctx;
    const char *name; /* of the file */
    const rm2_model *m;
} check;

static rm2_status wrong(const check *c, const char *field, double value, const char *must) {
    return rm2i_fail(c->ctx, RM2_ERR_FORMAT, "%s: %s is %g, but must be %s", c->name, field, value,
                     must);
}

static rm2_status wrong_entry(const check *c, const char *field, size_t entry, double value,
                              const char *must) {
    return rm2i_fail(c->ctx, RM2_ERR_FORMAT, "%s: %s, entry %zu is %g, but must be %s", c->name,
                     field, entry, value, must);
}

/* ---- ranges --------------------------------------------------------------------------------- */

static const double OFF_COMPACT = 100; /* mean of a compact model, of the largest output */
const rm2i_range rm2i_entry = {-RM2I_ENTRY_MOST, RM2I_ENTRY_MOST, "between -1e150 and 1e150"};
static const rm2i_range UNIT = {RM2I_UNIT_LEAST, RM2I_ENTRY_MOST,
                                "positive, between 1e-300 and 1e150"};
const rm2i_range rm2i_length = {1e-75, 1e75, "positive, between 1e-75 and 1e75"};
static const rm2i_range ONE = {1, 1, "1, since only Euclidean factors have units"};
const rm2i_range rm2i_finite = {-DBL_MAX, DBL_MAX, "finite"};
static const rm2i_range SHARE = {0, 1, "between 0 and 1"};
static const rm2i_range NOT_NEGATIVE = {0, INFINITY, "0 or positive"};

static bool inside(const rm2i_range *r, double value) {
    return value >= r->lowest && value <= r->highest; /* false for NaN */
}

static rm2_status check_number(const check *c, const char *field, double value,
                               const rm2i_range *r) {
    return inside(r, value) ? RM2_OK : wrong(c, field, value, r->text);
}

static rm2_status check_entries(const check *c, const char *field, size_t count,
                                const double *values, const rm2i_range *r) {
    for (size_t i = 0; i < count; i++)
        if (!inside(r, values[i]))
            return count > 1 ? wrong_entry(c, field, i, values[i], r->text)
                             : wrong(c, field, values[i], r->text);
    return RM2_OK;
}

rm2_status rm2i_check_range(rm2_context *ctx, const char *name, const char *array, size_t count,
                            const double *values, const rm2i_range *range) {
    const check c = {ctx, name, NULL};
    return check_entries(&c, array, count, values, range);
}

/* ---- data ----------------------------------------------------------------------------------- */

static rm2_status check_scale(const check *c) {
    for (size_t k = 0; k < rm2_manifold_factor_count(c->m->manifold); k++) {
        bool flat = rm2_manifold_factor(c->m->manifold, k)->geometry == &rm2_euclidean;
        if (!inside(flat ? &UNIT : &ONE, c->m->data->scale[k]))
            return wrong_entry(c, "data/scale", k, c->m->data->scale[k],
                               flat ? UNIT.text : ONE.text);
    }
    return RM2_OK;
}

static rm2_status check_on_manifold(const check *c, const char *field, size_t n,
                                    const double *points) {
    size_t factors = rm2_manifold_factor_count(c->m->manifold);
    double *defect;
    RM2_TRY(rm2i_alloc(c->ctx, n, factors * sizeof *defect, &defect));
    rm2_status status = rm2_manifold_defect(c->ctx, c->m->manifold, n, points, defect);
    for (size_t k = 0; status == RM2_OK && k < n * factors; k++)
        if (!(defect[k] <= OFF_MANIFOLD))
            status = rm2i_fail(c->ctx, RM2_ERR_FORMAT,
                               "%s: %s, point %zu: factor %zu is off the manifold by %.2g", c->name,
                               field, k / factors, k % factors + 1, defect[k]);
    free(defect);
    return status;
}

/* Entries of Euclidean factors; others are bounded by being on the manifold. */
static rm2_status check_flat_entries(const check *c, const char *field, size_t n,
                                     const double *points) {
    size_t ambient = rm2_manifold_ambient(c->m->manifold);
    for (size_t k = 0; k < rm2_manifold_factor_count(c->m->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(c->m->manifold, k);
        for (size_t i = 0; f->geometry == &rm2_euclidean && i < n * f->ambient; i++) {
            size_t at = i / f->ambient * ambient + f->ambient_offset + i % f->ambient;
            if (!inside(&rm2i_entry, points[at]))
                return wrong_entry(c, field, at, points[at], rm2i_entry.text);
        }
    }
    return RM2_OK;
}

/* F_mn + mean_m = (Log_base y_n)_m, or the entry of y_n itself (RM2_GPLVM). */
static rm2_status compare_outputs(const check *c, const double *V) {
    size_t N = c->m->N, M = c->m->M;
    double allowed = OFF_OUTPUTS * rm2i_max_abs(N * M, V);
    for (size_t n = 0; n < N; n++)
        for (size_t k = 0; k < M; k++) {
            double output = c->m->F[k * N + n] + c->m->mean[k];
            if (!(fabs(output - V[n * M + k]) <= allowed))
                return rm2i_fail(c->ctx, RM2_ERR_FORMAT,
                                 "%s: data/outputs, output %zu of point %zu is %g with data/mean, "
                                 "but the point's is %g",
                                 c->name, k, n, output, V[n * M + k]);
        }
    return RM2_OK;
}

static rm2_status check_outputs(const check *c) {
    double *V;
    RM2_TRY(rm2i_alloc(c->ctx, c->m->N, c->m->M * sizeof *V, &V));
    rm2_status status = rm2i_model_outputs(c->ctx, c->m, c->m->N, c->m->data->points, V);
    if (status == RM2_OK)
        status = compare_outputs(c, V);
    else if (status != RM2_ERR_MEMORY && status != RM2_INTERRUPTED)
        status = rm2i_fail_prefix(c->ctx, RM2_ERR_FORMAT, "%s: data/points", c->name);
    free(V);
    return status;
}

static rm2_status check_data(const check *c) {
    const rm2_model *m = c->m;
    RM2_TRY(check_scale(c));
    RM2_TRY(check_number(c, "data/shrinkage", m->data->shrinkage, &SHARE));
    RM2_TRY(check_flat_entries(c, "data/points", m->N, m->data->points));
    RM2_TRY(check_on_manifold(c, "data/points", m->N, m->data->points));
    RM2_TRY(check_flat_entries(c, "data/base", 1, m->base));
    RM2_TRY(check_on_manifold(c, "data/base", 1, m->base));
    return check_outputs(c);
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* |x_q| <= 1e75 l_q */
static rm2_status check_latents(const check *c, const char *field, size_t n, const double *X) {
    size_t Q = c->m->Q;
    for (size_t i = 0; i < n * Q; i++)
        if (!(fabs(X[i]) <= rm2i_length.highest * fmin(c->m->lengthscale[i % Q], 1)))
            return wrong_entry(c, field, i, X[i], "finite, and below 1e75 lengthscales");
    return RM2_OK;
}

/* Entries of one size and symmetric; a positive kernel times an output's variance is finite. */
static rm2_status check_covariance_entries(const check *c) {
    static const char field[] = "parameters/task_covariance";
    const double *K = c->m->Kf, most = LARGEST_VARIANCE / fmax(c->m->variance, 1);
    size_t M = c->m->M;
    for (size_t i = 0; i < M; i++)
        if (!(K[i * M + i] >= 0 && K[i * M + i] <= most))
            return wrong_entry(c, field, i * M + i, K[i * M + i],
                               "0 or positive, and below 1e301 with parameters/variance");
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < i; j++) {
            double size = sqrt(K[i * M + i]) * sqrt(K[j * M + j]), a = K[i * M + j];
            if (!(fabs(a - K[j * M + i]) <= OFF_COVARIANCE * size))
                return wrong_entry(c, field, i * M + j, a, "symmetric");
            if (!(fabs(a) <= (1 + OFF_COVARIANCE) * size))
                return wrong_entry(c, field, i * M + j, a,
                                   "a covariance: it exceeds the variances");
        }
    return RM2_OK;
}

static rm2_status check_covariance(const check *c) {
    size_t M = c->m->M;
    double *L, jitter = 0, mean = 0;
    RM2_TRY(check_covariance_entries(c));
    for (size_t i = 0; i < M; i++)
        mean += c->m->Kf[i * M + i] / (double)M;
    RM2_TRY(rm2i_alloc(c->ctx, M, M * sizeof *L, &L));
    rm2_status status = rm2i_factor(NULL, M, c->m->Kf, 0, L, &jitter);
    free(L);
    if (status == RM2_OK && jitter <= OFF_COVARIANCE * mean)
        return RM2_OK;
    return rm2i_fail(c->ctx, RM2_ERR_FORMAT,
                     "%s: parameters/task_covariance is not positive semidefinite", c->name);
}

/* Each once. */
static rm2_status check_distinct(const check *c, const char *field, size_t count,
                                 const size_t *points) {
    bool *seen;
    rm2_status status = RM2_OK;
    RM2_TRY(rm2i_calloc(c->ctx, c->m->N, sizeof *seen, &seen));
    for (size_t j = 0; status == RM2_OK && j < count; j++) {
        if (seen[points[j]])
            status = rm2i_fail(c->ctx, RM2_ERR_FORMAT, "%s: %s: point %zu is listed twice", c->name,
                               field, points[j]);
        seen[points[j]] = true;
    }
    free(seen);
    return status;
}

/* Points or inputs by what the settings ask for; none with exact inference. */
static rm2_status check_inducing(const check *c) {
    const rm2_model *m = c->m;
    const rm2_fit_settings *s = &m->settings;
    bool any = m->inducing_count > 0, asked = s->inducing_free || s->inducing_points;
    bool inputs = s->inducing_free || m->trained > 0;
    const char *field = inputs ? "parameters/inducing_inputs" : "parameters/inducing";
    if ((any && s->inference == RM2_INFERENCE_EXACT) || (any && inputs != !m->inducing) ||
        (!any && (asked || s->inference == RM2_INFERENCE_INDUCING)))
        return rm2i_fail(c->ctx, RM2_ERR_FORMAT, "%s: %s does not agree with the settings", c->name,
                         field);
    if (m->gpdm_inducing > (m->trained ? m->trained : m->N))
        return wrong(c, "training/gpdm_inducing", (double)m->gpdm_inducing,
                     "a number of training points");
    if (m->inducing)
        return check_distinct(c, field, m->inducing_count, m->inducing);
    return check_latents(c, field, m->inducing_count, m->inducing_inputs);
}

/* A = V V^T is as a covariance is, with no more than the variance of each point; B = A + s2 I has a factor. Products are
 * V F: |(V F)_m| <= |V| |F_m|, which only all points know, so that they are numbers of the size of outputs. */
static rm2_status check_sums(const check *c) {
    const rm2_model *m = c->m;
    size_t r = m->inducing_count;
    const double *A = m->inducing_sums; /* its lower triangle: entry (i, j) is at i (i + 1)/2 + j */
    if (m->trained == 0)
        return RM2_OK;
    if (m->settings.task == RM2_TASK_INTEGRATED || m->back_weights)
        return rm2i_fail(c->ctx, RM2_ERR_FORMAT,
                         "%s: compact does not agree with the settings: such a model needs all of "
                         "its points",
                         c->name);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j <= i; j++) {
            size_t at = rm2i_triangle(i) + j;
            double row = A[rm2i_triangle(i) + i], column = A[rm2i_triangle(j) + j];
            double size = sqrt(fmax(row, 0)) * sqrt(fmax(column, 0));
            if (!(fabs(A[at]) <= (1 + OFF_COVARIANCE) * size) || !inside(&rm2i_entry, A[at]) ||
                row < 0)
                return wrong_entry(c, "parameters/inducing_sums", at, A[at],
                                   "an entry of a positive semidefinite matrix");
        }
    return check_entries(c, "parameters/inducing_sums", m->M * r, A + rm2i_triangle(r),
                         &rm2i_entry);
}

/* Scales of Kf that leave it finite, found on the demonstrations of the model, or of the whole one. */
static rm2_status check_calibration(const check *c) {
    static const char field[] = "parameters/calibration";
    static const rm2i_range range = {RM2I_SCALE_LEAST, RM2I_SCALE_MOST,
                                     "positive, between 1e-100 and 1e100"};
    const rm2_model *m = c->m;
    size_t least = m->data->trajectories, most = m->trained ? m->trained : least;
    double largest = fmax(rm2i_max_abs(m->M * m->M, m->Kf), 1) * fmax(m->variance, 1);
    if (!m->calibration)
        return RM2_OK;
    if (m->settings.noise != RM2_NOISE_KRONECKER || m->settings.task == RM2_TASK_INTEGRATED)
        return rm2i_fail(c->ctx, RM2_ERR_FORMAT,
                         "%s: %s does not agree with the settings: only models with Kronecker "
                         "noise whose covariance of the outputs is not integrated out have it",
                         c->name, field);
    size_t factors = rm2_manifold_factor_count(m->manifold);
    RM2_TRY(check_entries(c, field, factors, m->calibration, &range));
    for (size_t f = 0; f < factors; f++)
        if (!(m->calibration[f] <= LARGEST_VARIANCE / largest))
            return wrong_entry(c, field, f, m->calibration[f],
                               "below 1e301 with parameters/task_covariance");
    if (m->calibrated >= 2 && m->calibrated >= least && m->calibrated <= most)
        return RM2_OK;
    return rm2i_fail(c->ctx, RM2_ERR_FORMAT,
                     "%s: parameters/calibrated is %zu, expected the number of demonstrations, at "
                     "least 2",
                     c->name, m->calibrated);
}

static rm2_status check_back_constraint(const check *c) {
    const rm2_model *m = c->m;
    if (!m->back_weights)
        return RM2_OK;
    rm2_status status = rm2i_back_check(c->ctx, m);
    if (status == RM2_OK || status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    return rm2i_fail_prefix(c->ctx, RM2_ERR_FORMAT, "%s: parameters/back_kernels", c->name);
}

/* ---- record and settings -------------------------------------------------------------------- */

static rm2_status check_bounds(const check *c, const rm2_certificate *bounds) {
    double size = fmax(fabs(bounds->lower), fabs(bounds->upper));
    if (bounds->lower - bounds->upper <= OFF_BOUNDS * size)
        return RM2_OK;
    return rm2i_fail(c->ctx, RM2_ERR_FORMAT,
                     "%s: training/certificate: the lower bound %g exceeds the upper bound %g",
                     c->name, bounds->lower, bounds->upper);
}

static rm2_status check_record(const check *c) {
    const rm2_model *m = c->m;
    RM2_TRY(check_entries(c, "training/trace", m->training.iterations + 1, m->training.trace,
                          &rm2i_finite));
    RM2_TRY(check_number(c, "training/start, jitter", m->training.start.jitter, &NOT_NEGATIVE));
    RM2_TRY(check_number(c, "training/end, jitter", m->training.end.jitter, &NOT_NEGATIVE));
    if (m->training.stop == RM2_STOP_RUNNING)
        return wrong(c, "training/stop", 0, "a reason to stop");
    if (m->training.evaluations < m->training.iterations)
        return wrong(c, "training/evaluations", (double)m->training.evaluations,
                     "at least the number of iterations");
    RM2_TRY(check_bounds(c, &m->training.likelihood));
    return check_bounds(c, &m->training.dynamics);
}

/* Settings that training accepts; their ranges were checked when they were read. */
static rm2_status check_settings(const check *c) {
    const rm2_model *m = c->m;
    const rm2_fit_settings *s = &m->settings;
    const rm2i_fit_sizes sizes = {m->trained ? m->trained : m->N, m->M, m->data->trajectories};
    rm2_status status = rm2i_rules_check(c->ctx, s, &sizes);
    if (status == RM2_OK || status == RM2_ERR_MEMORY)
        return status;
    return rm2i_fail_prefix(c->ctx, RM2_ERR_FORMAT, "%s: settings", c->name);
}

rm2_status rm2i_model_check(rm2_context *ctx, const char *name, const rm2_model *model) {
    const check c = {ctx, name, model};
    RM2_TRY(check_settings(&c));
    RM2_TRY(check_data(&c));
    RM2_TRY(check_latents(&c, "parameters/latents", model->N, model->X));
    RM2_TRY(check_covariance(&c));
    RM2_TRY(check_inducing(&c));
    RM2_TRY(check_sums(&c));
    RM2_TRY(check_calibration(&c));
    RM2_TRY(check_back_constraint(&c));
    return check_record(&c);
}

rm2_status rm2i_model_check_compact(rm2_context *ctx, const char *name, const rm2_model *model) {
    const rm2_model *m = model;
    size_t count = m->N * m->M;
    double *mean, allowed = OFF_COMPACT * (rm2i_max_abs(count, m->F) + rm2i_max_abs(m->M, m->mean));
    if (m->trained == 0)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *mean, &mean));
    rm2_status status = rm2_model_decode(ctx, m, m->N, m->X, NULL, mean, NULL, NULL);
    for (size_t i = 0; status == RM2_OK && i < count; i++)
        if (!(fabs(mean[i]) <= allowed))
            status = rm2i_fail(
                ctx, RM2_ERR_FORMAT,
                "%s: parameters/inducing_sums: output %zu of point %zu becomes %g, far from "
                "data/outputs",
                name, i % m->M, i / m->M, mean[i]);
    free(mean);
    return status;
}
