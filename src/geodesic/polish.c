/* The last stage: the geodesic equation, by elements of degree s = 6 with s Gauss points on each,
 * whose least energy is Gauss's collocation of order 2s (energy.c).
 *
 * How good is it? On each element the velocity is a sum of Legendre modes, v = sum_j a_j P_j, j < s.
 * Where modes shrink, the first two that are missing are about A A/B, with A the size of the last
 * two and B that of the two before. The sum over the elements estimates the relative error of the
 * velocity, of order s. Elements with too large a share are divided, and Newton's method goes on
 * from there: on each mesh only as far as its own error is worth.
 *
 * (Modes as indicators of error: Mavriplis, Comput. Methods Appl. Mech. Engrg. 116, 1994.) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geodesic/newton.h"
#include "geodesic/stage.h"
#include "linalg/dense.h"

enum {
    DEGREE = 6,
    MOST_PARTS = 4,       /* of a divided element */
    MOST_ELEMENTS = 2048, /* of a mesh that is still divided */
    COARSE_ITERATIONS = 5 /* on a mesh whose error is larger than COARSE */
};
static const double COARSE = 1e-2;
/* Newton's error: compared with that of a mesh that will be divided, and in parts of the tolerance. */
static const double ROUGH_SHARE = 2, SHARE = 0.25;
static const double SAFETY = 0.2; /* error aimed at by division, in parts of the tolerance */

typedef struct mesh {
    rm2i_pieces *curve;
    rm2i_newton *newton;
    double *error;           /* of each element: relative, adding up by squares */
    double *velocity, *mode; /* scratch: DEGREE x Q, Q */
    double total;            /* error of the mesh */
    double rest;             /* what Newton's steps have left, relative */
} mesh;

static rm2_status mesh_create(rm2_context *ctx, size_t Q, size_t elements, mesh *m) {
    *m = (mesh){.total = INFINITY, .rest = INFINITY};
    RM2_TRY(rm2i_pieces_create(ctx, Q, elements, DEGREE, &m->curve));
    RM2_TRY(rm2i_alloc(ctx, elements + (DEGREE + 1) * Q, sizeof *m->error, &m->error));
    m->velocity = m->error + elements;
    m->mode = m->velocity + DEGREE * Q;
    return RM2_OK;
}

static void mesh_clear(mesh *m) {
    rm2i_newton_free(m->newton);
    rm2i_pieces_free(m->curve);
    free(m->error);
    *m = (mesh){.curve = NULL};
}

/* ---- error ---------------------------------------------------------------------------------- */

/* |a_j|^2 / (2j + 1), a_j = (2j + 1) sum_k w_k P_j(u_k) v_k, in the metric of the element. */
static double mode_square(const mesh *m, size_t j, const double *G) {
    const rm2i_quadrature *rule = &m->newton->energy->rule;
    size_t Q = m->curve->Q;
    memset(m->mode, 0, Q * sizeof *m->mode);
    for (size_t k = 0; k < rule->points; k++) {
        double factor = (double)(2 * j + 1) * rule->weight[k] * rm2i_legendre(j, rule->node[k]);
        for (size_t q = 0; q < Q; q++)
            m->mode[q] += factor * m->velocity[k * Q + q];
    }
    return rm2i_metric_inner(Q, G, m->mode, m->mode) / (double)(2 * j + 1);
}

/* Integral of the squared error of the velocity over element i. */
static double element_error(const mesh *m, size_t i) {
    const rm2i_energy *e = m->newton->energy;
    size_t Q = e->Q, first = i * DEGREE;
    const double *G = m->newton->now.G + (first + DEGREE / 2) * Q * Q;
    for (size_t k = 0; k < DEGREE; k++)
        rm2i_pieces_sum(m->curve, &e->local[first + k], NULL, m->velocity + k * Q, NULL);
    double last = mode_square(m, DEGREE - 1, G) + mode_square(m, DEGREE - 2, G);
    double before = mode_square(m, DEGREE - 3, G) + mode_square(m, DEGREE - 4, G);
    double h = m->curve->breaks[i + 1] - m->curve->breaks[i];
    return h * last * (last < before ? last / before : 1);
}

/* Relative error of the velocity from the rounding of coordinates: derivatives of the degree's
 * polynomials make so much more of it. */
static double rounding_of(const rm2i_pieces *curve) {
    return DEGREE * rm2i_pieces_rounding(curve);
}

static void estimate(mesh *m) {
    double sum = 0;
    for (size_t i = 0; i < m->curve->intervals; i++) {
        double square = element_error(m, i) / m->newton->now.energy;
        m->error[i] = sqrt(fmax(square, 0));
        sum += square;
    }
    m->total = sqrt(fmax(sum, 0));
}

/* ---- division ------------------------------------------------------------------------------- */

/* Parts of element i: errors fall with the degree's power of the size. */
static size_t parts_of(const mesh *m, size_t i, double tolerance) {
    double target = SAFETY * tolerance / sqrt((double)m->curve->intervals);
    double parts = ceil(pow(m->error[i] / target, 1.0 / DEGREE));
    return parts > MOST_PARTS ? MOST_PARTS : parts > 1 ? (size_t)parts : 1;
}

/* Second derivatives of G at the points of part j of element i, by interpolation. */
static void carry_bend(const mesh *old, size_t i, size_t j, size_t parts, double *bend) {
    const rm2i_quadrature *rule = &old->newton->energy->rule;
    size_t square = old->curve->Q * old->curve->Q;
    double value[RM2I_RULE_MAX], slope[RM2I_RULE_MAX], second[RM2I_RULE_MAX];
    memset(bend, 0, DEGREE * square * sizeof *bend);
    for (size_t k = 0; k < DEGREE; k++) {
        double u = ((double)j + rule->node[k]) / (double)parts;
        rm2i_lagrange(DEGREE, rule->node, u, value, slope, second);
        for (size_t l = 0; l < DEGREE; l++)
            rm2i_axpy(square, value[l], old->newton->bend + (i * DEGREE + l) * square,
                      bend + k * square);
    }
}

static void divide_breaks(const mesh *old, double tolerance, mesh *fine) {
    double *at = fine->curve->breaks;
    for (size_t i = 0; i < old->curve->intervals; i++) {
        size_t parts = parts_of(old, i, tolerance);
        double low = old->curve->breaks[i], high = old->curve->breaks[i + 1];
        for (size_t j = 0; j < parts; j++)
            *at++ = low + (high - low) * (double)j / (double)parts;
    }
}

static void divide_bend(const mesh *old, double tolerance, mesh *fine) {
    size_t size = DEGREE * old->curve->Q * old->curve->Q;
    double *bend = fine->newton->bend;
    for (size_t i = 0; i < old->curve->intervals; i++)
        for (size_t j = 0, parts = parts_of(old, i, tolerance); j < parts; j++, bend += size)
            carry_bend(old, i, j, parts, bend);
    fine->newton->has_bend = true;
}

/* The same curve on a finer mesh. */
static rm2_status divide(rm2i_stage *stage, const mesh *old, mesh *fine) {
    size_t Q = old->curve->Q, elements = 0;
    for (size_t i = 0; i < old->curve->intervals; i++)
        elements += parts_of(old, i, stage->tolerance);
    RM2_TRY(mesh_create(stage->ctx, Q, elements, fine));
    divide_breaks(old, stage->tolerance, fine);
    for (size_t k = 0; k < fine->curve->count; k++)
        rm2i_pieces_at(old->curve, rm2i_pieces_site(fine->curve, k), fine->curve->coef + k * Q,
                       NULL, NULL);
    RM2_TRY(rm2i_newton_create(stage->ctx, stage->evaluator, fine->curve, DEGREE, &fine->newton));
    divide_bend(old, stage->tolerance, fine);
    return RM2_OK;
}

/* ---- solution ------------------------------------------------------------------------------- */

/* Must the mesh be divided, so that its error and Newton's together are within the tolerance? */
static bool too_coarse(const mesh *m, double tolerance) {
    return m->total > (1 - SHARE) * tolerance;
}

/* Newton's steps as far as the mesh is worth; *stuck where no step lowers the energy. */
static rm2_status solve(rm2i_stage *stage, mesh *m, bool *stuck) {
    double enough = 0;
    *stuck = false;
    while (m->newton->iterations + stage->iterations < stage->max_iterations) {
        bool moved;
        double before = m->newton->step;
        RM2_TRY(rm2i_newton_step(m->newton, enough, &moved));
        *stuck = !moved;
        if (!moved)
            return RM2_OK;
        estimate(m);
        m->rest = rm2i_newton_rest(m->newton->step, before);
        double tolerance = fmax(stage->tolerance, rounding_of(m->curve));
        enough = too_coarse(m, tolerance) ? ROUGH_SHARE * m->total : SHARE * tolerance;
        if (m->rest <= enough)
            return RM2_OK;
        if (m->total > COARSE && m->newton->iterations >= COARSE_ITERATIONS)
            return RM2_OK;
    }
    return RM2_OK;
}

/* Solve, and divide until the tolerance is met. */
static rm2_status refine(rm2i_stage *stage, mesh *m, bool *converged) {
    for (;;) {
        bool stuck;
        RM2_TRY(solve(stage, m, &stuck));
        stage->iterations += m->newton->iterations;
        double tolerance = fmax(stage->tolerance, rounding_of(m->curve));
        *converged = m->total + m->rest <= tolerance;
        if (stuck || stage->iterations >= stage->max_iterations || !too_coarse(m, tolerance) ||
            m->curve->intervals > MOST_ELEMENTS)
            return RM2_OK;
        mesh fine;
        rm2_status status = divide(stage, m, &fine);
        mesh_clear(status == RM2_OK ? m : &fine);
        RM2_TRY(status);
        *m = fine;
    }
}

/* Solve on a mesh whose curve is there, which becomes the candidate's; clears the mesh. */
static rm2_status finish(rm2i_stage *stage, rm2_status status, mesh *m, rm2i_curve_candidate *out) {
    bool converged = false;
    if (status == RM2_OK)
        status = refine(stage, m, &converged);
    bool moved = stage->iterations > 0;
    if (status == RM2_OK && moved)
        status = rm2i_arc_create(stage->ctx, stage->evaluator, m->curve, DEGREE + 1, &out->arc);
    if (status == RM2_OK && moved) {
        out->curve = m->curve;
        out->converged = converged;
        out->error = m->total + m->rest;
        m->curve = NULL;
    }
    mesh_clear(m);
    return rm2i_no_metric(status) ? RM2_OK : status;
}

rm2_status rm2i_polish_stage(rm2i_stage *stage, const rm2i_arc *start, size_t elements,
                             rm2i_curve_candidate *out) {
    mesh m;
    rm2_status status = mesh_create(stage->ctx, start->curve->Q, elements, &m);
    if (status == RM2_OK) {
        rm2i_arc_resample(start, m.curve);
        status = rm2i_newton_create(stage->ctx, stage->evaluator, m.curve, DEGREE, &m.newton);
    }
    return finish(stage, status, &m, out);
}

/* Second derivatives of another metric along the curve, to begin with. */
static rm2_status borrow_bend(rm2i_stage *stage, rm2i_evaluator *near, rm2i_newton *newton) {
    rm2i_energy *energy;
    RM2_TRY(rm2i_energy_create(stage->ctx, near, newton->curve, DEGREE, &energy));
    rm2_status status = rm2i_energy_at(energy, true, &newton->now);
    if (status == RM2_OK && newton->now.bent)
        status = rm2i_energy_bend(energy, &newton->now, newton->bend);
    newton->has_bend = status == RM2_OK && newton->now.bent;
    rm2i_energy_free(energy);
    return status;
}

rm2_status rm2i_polish_near(rm2i_stage *stage, rm2i_evaluator *near, const rm2i_pieces *start,
                            rm2i_curve_candidate *out) {
    mesh m;
    rm2_status status = mesh_create(stage->ctx, start->Q, start->intervals, &m);
    if (status == RM2_OK) {
        memcpy(m.curve->breaks, start->breaks, (start->intervals + 1) * sizeof *start->breaks);
        memcpy(m.curve->coef, start->coef, start->count * start->Q * sizeof *start->coef);
        status = rm2i_newton_create(stage->ctx, stage->evaluator, m.curve, DEGREE, &m.newton);
    }
    if (status == RM2_OK)
        status = borrow_bend(stage, near, m.newton);
    return finish(stage, status, &m, out);
}
