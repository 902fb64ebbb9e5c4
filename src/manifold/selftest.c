/* rm2_manifold_selftest: draws trials and puts every property of the two tables to each.
 *
 * A trial is a point p, random coordinates there, 0.1 to 0.9 injectivity radii long in each factor
 * (up to 2 where the radius is infinite), and the points they lead to; p itself is reached in the
 * same way from the default point, so that its condition is bounded in every dimension. Nothing
 * here knows a particular geometry: the properties are identities of Riemannian geometry, and the
 * functions that come in pairs (a map and its derivative) are held against finite differences. */
#include "manifold/selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"

static const double SHORTEST = 0.1, LONGEST = 0.9; /* of the injectivity radius */
static const double FLAT_RADIUS = 2 / 0.9;         /* used where it is infinite */

/* ---- errors --------------------------------------------------------------------------------- */

static double largest_difference(size_t n, const double *a, const double *b) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double off = fabs(a[i] - b[i]);
        if (!(off <= worst)) /* true for NaN */
            worst = isnan(off) ? INFINITY : off;
    }
    return worst;
}

double rm2i_trial_point_error(const rm2i_selftest_trial *t, const double *x,
                              const double *expected) {
    double worst = 0;
    for (size_t i = 0; i < t->m->count; i++) {
        const rm2_factor *f = &t->m->factors[i];
        double size = rm2i_max_abs(f->ambient, expected + f->ambient_offset);
        double off =
            largest_difference(f->ambient, x + f->ambient_offset, expected + f->ambient_offset);
        worst = fmax(worst, off == 0 ? 0 : isinf(off) || isinf(size) ? INFINITY : off / size);
    }
    return worst;
}

double rm2i_trial_coords_error(const rm2i_selftest_trial *t, const double *c,
                               const double *expected) {
    return largest_difference(t->m->dim, c, expected) / fmax(1, rm2i_norm(t->m->dim, expected));
}

double rm2i_trial_number_error(double a, double expected) {
    return fabs(a - expected) / fmax(1, fabs(expected));
}

/* ---- one trial ------------------------------------------------------------------------------ */

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_selftest_trial *t = arg;
    const rm2_manifold *m = t->m;
    size_t D = m->ambient, dim = m->dim, rows = t->dense ? dim : 0;
    double **const points[] = {&t->p, &t->q, &t->r, &t->y, &t->x1, &t->x2, &t->x3};
    double **const vectors[] = {&t->c, &t->u, &t->v, &t->w, &t->c1, &t->c2, &t->c3};
    double **const frames[] = {&t->frame, &t->frame_y, &t->frame_x};
    double **const batches[] = {&t->batch_p, &t->batch_1, &t->batch_2};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        *points[i] = rm2i_reserve(a, double, D);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = rm2i_reserve(a, double, dim);
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
        *frames[i] = rm2i_reserve(a, double, m->frame_size);
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++)
        *batches[i] = rm2i_reserve(a, double, RM2I_TRIAL_BATCH, D + dim);
    t->batch_c = rm2i_reserve(a, double, RM2I_TRIAL_BATCH, dim);
    t->D = rm2i_reserve(a, double, rows, dim);
    t->gram = rm2i_reserve(a, double, rows, dim);
    t->work = rm2i_reserve(a, double, m->work_size);
}

static void normal_vector(rm2_rng *rng, size_t n, double length, double *v) {
    double norm;
    do {
        for (size_t i = 0; i < n; i++)
            v[i] = rm2_rng_normal(rng);
        norm = rm2i_norm(n, v);
    } while (norm == 0);
    for (size_t i = 0; i < n; i++)
        v[i] *= length / norm;
}

/* Each factor's part gets a length of its own, inside the factor's injectivity radius. */
static void coordinates_inside(const rm2_manifold *m, rm2_rng *rng, double *c) {
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        double radius = fmin(f->geometry->injectivity_radius(f->n), FLAT_RADIUS);
        double part = SHORTEST + (LONGEST - SHORTEST) * rm2_rng_uniform(rng);
        normal_vector(rng, f->dim, part * radius, c + f->dim_offset);
    }
}

/* y = Exp(c) from the frame, and the frame there */
static rm2_status step(rm2i_selftest_trial *t, const double *frame, const double *c, double *y,
                       double *frame_y) {
    RM2_TRY(rm2i_manifold_exp(t->m, frame, c, y, t->work, NULL));
    return rm2i_manifold_frame(t->m, y, frame_y, t->work, NULL);
}

static rm2_status draw(rm2i_selftest_trial *t) {
    const rm2_manifold *m = t->m;
    rm2_rng *rng = rm2_context_rng(t->ctx);
    coordinates_inside(m, rng, t->c1);
    coordinates_inside(m, rng, t->c);
    for (size_t i = 0; i < RM2I_TRIAL_BATCH; i++)
        coordinates_inside(m, rng, t->batch_c + i * m->dim);
    normal_vector(rng, m->dim, 1, t->u);
    normal_vector(rng, m->dim, 1, t->v);
    normal_vector(rng, m->dim, 1, t->w);
    rm2_manifold_default_point(m, t->x1);
    RM2_TRY(rm2i_manifold_frame(m, t->x1, t->frame_x, t->work, NULL));
    RM2_TRY(step(t, t->frame_x, t->c1, t->p, t->frame));
    RM2_TRY(step(t, t->frame, t->c, t->y, t->frame_y));
    RM2_TRY(rm2i_manifold_exp(m, t->frame, t->batch_c, t->q, t->work, NULL));
    return rm2i_manifold_exp(m, t->frame, t->batch_c + m->dim, t->r, t->work, NULL);
}

/* ---- all trials ----------------------------------------------------------------------------- */

typedef struct table {
    const rm2i_property *properties;
    size_t count;
    double *worst;
} table;

/* The call itself cannot go on; any other status is a failure of the manifold. */
static bool fatal(rm2_status status) {
    return status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED;
}

static rm2_status put_to_table(rm2i_selftest_trial *t, rm2_status drawn, const table *list) {
    for (size_t i = 0; i < list->count; i++) {
        const rm2i_property *property = &list->properties[i];
        if (property->dense && !t->dense)
            continue;
        if (rm2i_interrupted(t->ctx))
            return rm2i_fail(t->ctx, RM2_INTERRUPTED, "interrupted");
        double error = INFINITY;
        rm2_status status = drawn == RM2_OK ? property->check(t, &error) : drawn;
        if (fatal(status))
            return status;
        if (status != RM2_OK || isnan(error))
            error = INFINITY;
        list->worst[i] = fmax(list->worst[i], error);
    }
    return RM2_OK;
}

static rm2_status run_trials(rm2i_selftest_trial *t, size_t trials, const table tables[2]) {
    for (size_t k = 0; k < trials; k++) {
        rm2_status drawn = draw(t);
        for (size_t i = 0; i < 2; i++)
            RM2_TRY(put_to_table(t, drawn, &tables[i]));
    }
    return RM2_OK;
}

static size_t report_table(const rm2i_selftest_trial *t, const table *list, rm2_selftest_fn report,
                           void *user) {
    size_t failures = 0;
    for (size_t i = 0; i < list->count; i++) {
        const rm2i_property *property = &list->properties[i];
        if (property->dense && !t->dense)
            continue;
        bool passed = list->worst[i] <= property->bound;
        failures += !passed;
        if (report)
            report(user, property->name, list->worst[i], property->bound, passed);
    }
    return failures;
}

static rm2_status run(rm2i_selftest_trial *t, size_t trials, double *worst, rm2_selftest_fn report,
                      void *user, size_t *failures) {
    const table tables[2] = {
        {rm2i_geodesic_properties, rm2i_geodesic_property_count, worst},
        {rm2i_metric_properties, rm2i_metric_property_count, worst + rm2i_geodesic_property_count}};
    RM2_TRY(run_trials(t, trials, tables));
    for (size_t i = 0; i < 2; i++)
        *failures += report_table(t, &tables[i], report, user);
    return RM2_OK;
}

rm2_status rm2_manifold_selftest(rm2_context *ctx, const rm2_manifold *m, size_t trials,
                                 rm2_selftest_fn report, void *user, size_t *failures) {
    RM2_REQUIRE(ctx, failures);
    *failures = 0;
    RM2_REQUIRE(ctx, m);
    if (trials == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "selftest needs at least one trial");
    rm2i_selftest_trial t = {.ctx = ctx, .m = m, .dense = m->dim <= RM2I_TRIAL_DENSE_DIM};
    size_t properties = rm2i_geodesic_property_count + rm2i_metric_property_count;
    double *block, *worst;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &t, &block));
    rm2_status status = rm2i_calloc(ctx, properties, sizeof *worst, &worst);
    if (status == RM2_OK)
        status = run(&t, trials, worst, report, user, failures);
    free(worst);
    free(block);
    return status;
}
