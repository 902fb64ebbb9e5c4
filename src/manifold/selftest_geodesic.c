/* Properties of points, frames, geodesics, transport, products and batches. The bound 1e-12 is the
 * rounding of double precision times 1e4: the condition of the points of a trial (e^4 for SPD
 * matrices, cosh(4) on a hyperboloid) and the sums over a few hundred entries. 1e-14 holds where
 * nothing is inverted, 1e-11 where two conditions multiply (tangent vectors at both ends of a
 * geodesic), and 0 where two results must agree bit for bit. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "manifold/selftest.h"

/* ---- short forms ---------------------------------------------------------------------------- */

static rm2_status exp_at(rm2i_selftest_trial *t, const double *frame, const double *c, double *y) {
    return rm2i_manifold_exp(t->m, frame, c, y, t->work, NULL);
}

static rm2_status log_at(rm2i_selftest_trial *t, const double *frame, const double *q, double *c) {
    return rm2i_manifold_log(t->m, frame, q, c, t->work, NULL);
}

static rm2_status distance(rm2i_selftest_trial *t, const double *p, const double *q, double *d) {
    return rm2i_manifold_distance(t->m, p, q, d, t->work, NULL);
}

/* out = coordinates at Exp_p(c) of z carried there. */
static rm2_status transport(rm2i_selftest_trial *t, const double *c, const double *frame_end,
                            const double *z, double *out) {
    RM2_TRY(rm2i_manifold_transport(t->m, t->frame, c, z, t->x1, t->work, NULL));
    rm2i_manifold_to_coords(t->m, frame_end, t->x1, out, t->work);
    return RM2_OK;
}

static void scale(size_t n, double a, const double *x, double *out) {
    for (size_t i = 0; i < n; i++)
        out[i] = a * x[i];
}

static double differs(const void *a, const void *b, size_t count) {
    return memcmp(a, b, count * sizeof(double)) != 0;
}

/* ---- points --------------------------------------------------------------------------------- */

/* defect(x) = 0 for random x */
static rm2_status random_on_manifold(rm2i_selftest_trial *t, double *error) {
    rm2i_manifold_random(t->m, rm2_context_rng(t->ctx), t->x1, t->work);
    *error = 0;
    for (size_t i = 0; i < t->m->count; i++) {
        const rm2_factor *f = &t->m->factors[i];
        double off = f->geometry->defect(f->n, t->x1 + f->ambient_offset, t->work);
        *error = !(off <= *error) ? off : *error;
    }
    return RM2_OK;
}

/* the same generator state gives the same point */
static rm2_status random_repeats(rm2i_selftest_trial *t, double *error) {
    rm2_rng first = *rm2_context_rng(t->ctx), second = first;
    rm2i_manifold_random(t->m, &first, t->x1, t->work);
    rm2i_manifold_random(t->m, &second, t->x2, t->work);
    *error = differs(t->x1, t->x2, t->m->ambient);
    return RM2_OK;
}

/* project(p) = p */
static rm2_status projection_keeps(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(rm2i_manifold_project(t->m, t->p, t->x1, t->work, NULL));
    *error = rm2i_trial_point_error(t, t->x1, t->p);
    return RM2_OK;
}

/* project(project(x)) = project(x) for x near the manifold */
static rm2_status projection_idempotent(rm2i_selftest_trial *t, double *error) {
    for (size_t i = 0; i < t->m->ambient; i++)
        t->x1[i] = t->p[i] * (1 + 1e-3 * rm2_rng_normal(rm2_context_rng(t->ctx)));
    RM2_TRY(rm2i_manifold_project(t->m, t->x1, t->x2, t->work, NULL));
    RM2_TRY(rm2i_manifold_project(t->m, t->x2, t->x1, t->work, NULL));
    *error = rm2i_trial_point_error(t, t->x1, t->x2);
    return RM2_OK;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* to_coords(from_coords(w)) = w */
static rm2_status frame_round_trip(rm2i_selftest_trial *t, double *error) {
    rm2i_manifold_from_coords(t->m, t->frame, t->w, t->x1, t->work);
    rm2i_manifold_to_coords(t->m, t->frame, t->x1, t->c1, t->work);
    *error = rm2i_trial_coords_error(t, t->c1, t->w);
    return RM2_OK;
}

/* <from_coords(u), from_coords(w)> = u.w, through the public call */
static rm2_status frame_orthonormal(rm2i_selftest_trial *t, double *error) {
    double inner;
    rm2i_manifold_from_coords(t->m, t->frame, t->u, t->x1, t->work);
    rm2i_manifold_from_coords(t->m, t->frame, t->w, t->x2, t->work);
    RM2_TRY(rm2_manifold_inner(t->ctx, t->m, 1, t->p, 1, t->x1, t->x2, &inner));
    *error = rm2i_trial_number_error(inner, rm2i_dot(t->m->dim, t->u, t->w));
    return RM2_OK;
}

/* ---- geodesics ------------------------------------------------------------------------------ */

/* Exp_p(0) = p */
static rm2_status exp_of_zero(rm2i_selftest_trial *t, double *error) {
    memset(t->c1, 0, t->m->dim * sizeof *t->c1);
    RM2_TRY(exp_at(t, t->frame, t->c1, t->x1));
    *error = rm2i_trial_point_error(t, t->x1, t->p);
    return RM2_OK;
}

/* Log_p(p) = 0 */
static rm2_status log_of_base(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(log_at(t, t->frame, t->p, t->c1));
    *error = rm2i_max_abs(t->m->dim, t->c1);
    return RM2_OK;
}

/* Log_p(Exp_p(c)) = c */
static rm2_status log_inverts_exp(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(log_at(t, t->frame, t->y, t->c1));
    *error = rm2i_trial_coords_error(t, t->c1, t->c);
    return RM2_OK;
}

/* The distance of two points is one on the manifold, whatever represents them (q and -q on SO(3)).
 */
static rm2_status gap(rm2i_selftest_trial *t, const double *x, const double *expected,
                      double *error) {
    double d;
    RM2_TRY(distance(t, expected, x, &d));
    double off = rm2i_trial_point_error(t, x, expected);
    *error = off <= d ? off : d;
    return RM2_OK;
}

/* Exp_p(Log_p(q)) = q */
static rm2_status exp_inverts_log(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(log_at(t, t->frame, t->q, t->c1));
    RM2_TRY(exp_at(t, t->frame, t->c1, t->x1));
    return gap(t, t->x1, t->q, error);
}

/* |Log_p(q)| = d(p, q) */
static rm2_status log_length(rm2i_selftest_trial *t, double *error) {
    double d;
    RM2_TRY(log_at(t, t->frame, t->q, t->c1));
    RM2_TRY(distance(t, t->p, t->q, &d));
    *error = rm2i_trial_number_error(rm2i_norm(t->m->dim, t->c1), d);
    return RM2_OK;
}

/* d(p, q) = d(q, p) */
static rm2_status distance_symmetric(rm2i_selftest_trial *t, double *error) {
    double there, back;
    RM2_TRY(distance(t, t->p, t->q, &there));
    RM2_TRY(distance(t, t->q, t->p, &back));
    *error = rm2i_trial_number_error(there, back);
    return RM2_OK;
}

/* d(p, p) = 0 */
static rm2_status distance_to_self(rm2i_selftest_trial *t, double *error) {
    return distance(t, t->p, t->p, error);
}

/* d(p, r) <= d(p, q) + d(q, r) */
static rm2_status triangle(rm2i_selftest_trial *t, double *error) {
    double pq, qr, pr;
    RM2_TRY(distance(t, t->p, t->q, &pq));
    RM2_TRY(distance(t, t->q, t->r, &qr));
    RM2_TRY(distance(t, t->p, t->r, &pr));
    *error = pr <= pq + qr ? 0 : rm2i_trial_number_error(pr, pq + qr);
    return RM2_OK;
}

/* d(Exp_p(a c), Exp_p(b c)) = |b - a| |c| */
static rm2_status constant_speed(rm2i_selftest_trial *t, double *error) {
    rm2_rng *rng = rm2_context_rng(t->ctx);
    double a = rm2_rng_uniform(rng), b = rm2_rng_uniform(rng), d;
    scale(t->m->dim, a, t->c, t->c1);
    RM2_TRY(exp_at(t, t->frame, t->c1, t->x1));
    scale(t->m->dim, b, t->c, t->c1);
    RM2_TRY(exp_at(t, t->frame, t->c1, t->x2));
    RM2_TRY(distance(t, t->x1, t->x2, &d));
    *error = rm2i_trial_number_error(d, fabs(b - a) * rm2i_norm(t->m->dim, t->c));
    return RM2_OK;
}

/* ---- transport ------------------------------------------------------------------------------ */

/* <T u, T w> = u.w and |T u| = |u| */
static rm2_status transport_isometry(rm2i_selftest_trial *t, double *error) {
    size_t dim = t->m->dim;
    RM2_TRY(transport(t, t->c, t->frame_y, t->u, t->c1));
    RM2_TRY(transport(t, t->c, t->frame_y, t->w, t->c2));
    double angle = fabs(rm2i_dot(dim, t->c1, t->c2) - rm2i_dot(dim, t->u, t->w));
    double length = fabs(rm2i_norm(dim, t->c1) - rm2i_norm(dim, t->u));
    *error = !(angle <= length) ? angle : length;
    return RM2_OK;
}

/* T c = -Log_y(p), y = Exp_p(c) */
static rm2_status transport_velocity(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(transport(t, t->c, t->frame_y, t->c, t->c1));
    RM2_TRY(log_at(t, t->frame_y, t->p, t->c2));
    scale(t->m->dim, -1, t->c2, t->c2);
    *error = rm2i_trial_coords_error(t, t->c1, t->c2);
    return RM2_OK;
}

/* T_0 w = w */
static rm2_status transport_along_zero(rm2i_selftest_trial *t, double *error) {
    memset(t->c2, 0, t->m->dim * sizeof *t->c2);
    RM2_TRY(transport(t, t->c2, t->frame, t->w, t->c1));
    *error = rm2i_trial_coords_error(t, t->c1, t->w);
    return RM2_OK;
}

/* ---- products ------------------------------------------------------------------------------- */

/* Factor f on its own: frame, Exp, Log, transport and dExp are slices of the product's (in
 * batch_1: y, carried w, dExp w; c1: Log_p(q)). */
static rm2_status compare_factor(rm2i_selftest_trial *t, const rm2_factor *f, double *error) {
    const rm2_geometry *g = f->geometry;
    size_t n = f->n, at = f->ambient_offset, D = t->m->ambient;
    const double *c = t->c + f->dim_offset, *w = t->w + f->dim_offset;
    RM2_TRY(g->frame(n, t->p + at, t->frame_x, t->work));
    RM2_TRY(g->exp(n, t->frame_x, c, t->x1, t->work));
    RM2_TRY(g->transport(n, t->frame_x, c, w, t->x2, t->work));
    RM2_TRY(g->dexp(n, t->frame_x, c, w, t->x3, t->work));
    RM2_TRY(g->log(n, t->frame_x, t->q + at, t->c2, t->work));
    double off = differs(t->x1, t->batch_1 + at, f->ambient) +
                 differs(t->x2, t->batch_1 + D + at, f->ambient) +
                 differs(t->x3, t->batch_1 + 2 * D + at, f->ambient) +
                 differs(t->c2, t->c1 + f->dim_offset, f->dim);
    *error = fmax(*error, off);
    return RM2_OK;
}

/* a product does in each factor what the factor does on its own */
static rm2_status product_is_its_factors(rm2i_selftest_trial *t, double *error) {
    const rm2_manifold *m = t->m;
    size_t D = m->ambient;
    double *carried = t->batch_1 + D, *image = carried + D;
    RM2_TRY(exp_at(t, t->frame, t->c, t->batch_1));
    RM2_TRY(rm2i_manifold_transport(m, t->frame, t->c, t->w, carried, t->work, NULL));
    RM2_TRY(rm2i_manifold_dexp(m, t->frame, t->c, t->w, image, t->work, NULL));
    RM2_TRY(log_at(t, t->frame, t->q, t->c1));
    *error = 0;
    for (size_t i = 0; i < m->count; i++)
        RM2_TRY(compare_factor(t, &m->factors[i], error));
    return RM2_OK;
}

/* d^2 = sum of the factors' d^2 */
static rm2_status distances_add(rm2i_selftest_trial *t, double *error) {
    double whole, sum = 0;
    RM2_TRY(distance(t, t->p, t->q, &whole));
    for (size_t i = 0; i < t->m->count; i++) {
        const rm2_factor *f = &t->m->factors[i];
        double part;
        RM2_TRY(f->geometry->distance(f->n, t->p + f->ambient_offset, t->q + f->ambient_offset,
                                      &part, t->work));
        sum += part * part;
    }
    *error = rm2i_trial_number_error(whole * whole, sum);
    return RM2_OK;
}

/* ---- batches and means ---------------------------------------------------------------------- */

/* Points Exp_p(c_i) of the batch, then the coordinates of their logarithms, one after the other. */
static rm2_status batch_results(rm2i_selftest_trial *t, size_t p_count, int threads, double *out) {
    size_t n = RM2I_TRIAL_BATCH;
    int before = rm2_context_threads(t->ctx);
    for (size_t i = 0; i < n; i++)
        memcpy(t->batch_p + i * t->m->ambient, t->p, t->m->ambient * sizeof *t->p);
    rm2_context_set_threads(t->ctx, threads);
    rm2_status status =
        rm2_manifold_exp_coords(t->ctx, t->m, n, t->batch_p, p_count, t->batch_c, out);
    if (status == RM2_OK)
        status = rm2_manifold_log_coords(t->ctx, t->m, n, t->batch_p, p_count, out,
                                         out + n * t->m->ambient);
    rm2_context_set_threads(t->ctx, before);
    return status;
}

static double batches_differ(const rm2i_selftest_trial *t) {
    return differs(t->batch_1, t->batch_2, RM2I_TRIAL_BATCH * (t->m->ambient + t->m->dim));
}

/* one base for all points, bit for bit as a base for each */
static rm2_status shared_base(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(batch_results(t, 1, 1, t->batch_1));
    RM2_TRY(batch_results(t, RM2I_TRIAL_BATCH, 1, t->batch_2));
    *error = batches_differ(t);
    return RM2_OK;
}

/* one thread, bit for bit as two */
static rm2_status threads_agree(rm2i_selftest_trial *t, double *error) {
    RM2_TRY(batch_results(t, RM2I_TRIAL_BATCH, 1, t->batch_1));
    RM2_TRY(batch_results(t, RM2I_TRIAL_BATCH, 2, t->batch_2));
    *error = batches_differ(t);
    return RM2_OK;
}

/* the mean of Exp_p(c/2) and Exp_p(-c/2), which are closer than the injectivity radius, is p */
static rm2_status mean_of_pair(rm2i_selftest_trial *t, double *error) {
    size_t dim = t->m->dim;
    double *pair = t->batch_1;
    rm2_mean_info info = {.size = sizeof info};
    scale(dim, 0.5, t->c, t->c1);
    RM2_TRY(exp_at(t, t->frame, t->c1, pair));
    scale(dim, -0.5, t->c, t->c1);
    RM2_TRY(exp_at(t, t->frame, t->c1, pair + t->m->ambient));
    RM2_TRY(rm2_manifold_mean(t->ctx, t->m, 2, pair, NULL, NULL, t->x1, &info));
    if (!info.converged)
        return RM2_ERR_NUMERIC;
    return distance(t, t->p, t->x1, error);
}

const rm2i_property rm2i_geodesic_properties[] = {
    {"random points lie on the manifold", 1e-14, random_on_manifold, false},
    {"random points repeat with the generator", 0, random_repeats, false},
    {"projection keeps points", 1e-14, projection_keeps, false},
    {"projection is idempotent", 1e-14, projection_idempotent, false},
    {"to_coords inverts from_coords", 1e-12, frame_round_trip, false},
    {"frame is orthonormal", 1e-12, frame_orthonormal, false},
    {"Exp(0) is the base", 1e-14, exp_of_zero, false},
    {"Log of the base is 0", 1e-14, log_of_base, false},
    {"Log inverts Exp", 1e-12, log_inverts_exp, false},
    {"Exp inverts Log", 1e-12, exp_inverts_log, false},
    {"|Log| is the distance", 1e-12, log_length, false},
    {"distance is symmetric", 1e-12, distance_symmetric, false},
    {"distance to itself is 0", 1e-14, distance_to_self, false},
    {"triangle inequality", 1e-12, triangle, false},
    {"geodesics have constant speed", 1e-12, constant_speed, false},
    {"transport is an isometry", 1e-11, transport_isometry, false},
    {"transport carries the velocity", 1e-11, transport_velocity, false},
    {"transport along 0 is the identity", 1e-12, transport_along_zero, false},
    {"product does what its factors do", 0, product_is_its_factors, false},
    {"squared distances of factors add", 1e-13, distances_add, false},
    {"shared base gives the same bits", 0, shared_base, false},
    {"threads give the same bits", 0, threads_agree, false},
    {"mean of Exp(c) and Exp(-c) is the base", 1e-12, mean_of_pair, false},
};
const size_t rm2i_geodesic_property_count =
    sizeof rm2i_geodesic_properties / sizeof rm2i_geodesic_properties[0];
