/* Checks "spline", "shoot" and "bvp": natural cubic splines, exponential map and distance under
 * metrics in closed form. */
#include "check.h"
#include "geodesic/geodesic.h"

#include <string.h>

#include "geodesic/arc.h"
#include "geodesic/energy.h"
#include "riemann2/geodesic.h"

static rm2_metric *make_metric(conf_case *c) {
    const char *name = json_member_string(json_member(c->json, "in"), "metric", "");
    rm2_metric *metric = NULL;
    case_ok(c, rm2_metric_analytic(c->ctx, name, 2, &metric));
    return metric;
}

/* ---- spline --------------------------------------------------------------------------------- */

enum { POINTS = RM2I_RULE_MAX, PARTS = 128 }; /* of quadrature on a part, of an interval */

static rm2i_pieces *make_spline(conf_case *c) {
    size_t size, knots;
    const double *points = case_input_any(c, "control_points", &size);
    const double *knot = points ? case_input_any(c, "knots", &knots) : NULL;
    rm2i_pieces *spline = NULL;
    if (!knot || size != 2 * knots) {
        case_fail(c, "knots and control points do not match");
        return NULL;
    }
    if (!case_ok(c, rm2i_pieces_create(c->ctx, 2, knots - 1, RM2I_SPLINE, &spline)))
        return NULL;
    memcpy(spline->coef, points, size * sizeof *points);
    rm2i_pieces_interpolate(spline);
    return spline;
}

/* The same curve as elements of degree 3 on many more intervals: where it turns, its speed has sharp
 * minima that few points would miss. */
static rm2i_pieces *divide(conf_case *c, const rm2i_pieces *spline) {
    rm2i_pieces *parts = NULL;
    if (!case_ok(c, rm2i_pieces_create(c->ctx, 2, PARTS * spline->intervals, 3, &parts)))
        return NULL;
    for (size_t k = 0; k < parts->count; k++)
        rm2i_pieces_at(spline, rm2i_pieces_site(parts, k), parts->coef + 2 * k, NULL, NULL);
    return parts;
}

static void output_point(conf_case *c, const rm2i_pieces *spline, const char *name, int order) {
    double *out = case_output(c, name, 2),
           t = json_member_number(json_member(c->json, "in"), "t", 0);
    if (out)
        rm2i_pieces_at(spline, t, order == 0 ? out : NULL, order == 1 ? out : NULL,
                       order == 2 ? out : NULL);
}

static void output_length(conf_case *c, rm2i_evaluator *evaluator, const rm2i_pieces *curve) {
    double *out = case_output(c, "length", 1);
    rm2i_arc *arc = NULL;
    if (out && case_ok(c, rm2i_arc_create(c->ctx, evaluator, curve, POINTS, &arc)))
        *out = arc->length;
    rm2i_arc_free(arc);
}

static void output_energy(conf_case *c, rm2i_evaluator *evaluator, const rm2i_pieces *curve) {
    double *out = case_output(c, "energy", 1);
    rm2i_energy *energy = NULL;
    if (!out || !case_ok(c, rm2i_energy_create(c->ctx, evaluator, curve, POINTS, &energy)))
        return;
    rm2i_arena size = {NULL, 0};
    (void)rm2i_sample_reserve(energy, &size);
    double *memory = case_scratch(c, size.used);
    if (memory) {
        rm2i_sample sample = rm2i_sample_reserve(energy, &(rm2i_arena){memory, 0});
        if (case_ok(c, rm2i_energy_at(energy, true, &sample)))
            *out = sample.energy;
    }
    rm2i_energy_free(energy);
}

void check_spline(conf_case *c) {
    rm2_metric *metric = make_metric(c);
    rm2i_pieces *spline = metric ? make_spline(c) : NULL;
    rm2i_pieces *parts = spline ? divide(c, spline) : NULL;
    rm2i_evaluator evaluator;
    if (parts && case_ok(c, rm2i_evaluator_begin(c->ctx, metric, 1, &evaluator))) {
        output_energy(c, &evaluator, parts);
        output_length(c, &evaluator, parts);
        output_point(c, spline, "c", 0);
        output_point(c, spline, "dc", 1);
        output_point(c, spline, "ddc", 2);
        rm2i_evaluator_end(&evaluator);
    }
    rm2i_pieces_free(parts);
    rm2i_pieces_free(spline);
    rm2_metric_free(metric);
}

/* ---- exponential map and distance ----------------------------------------------------------- */

void check_shoot(conf_case *c) {
    double *end = case_output(c, "end", 2);
    const double *p = end ? case_input(c, "p", 2) : NULL, *v = p ? case_input(c, "v", 2) : NULL;
    rm2_metric *metric = v ? make_metric(c) : NULL;
    if (metric)
        case_ok(c, rm2i_geodesic_exp(c->ctx, metric, 1e-11, p, v, end, NULL, 0, NULL));
    rm2_metric_free(metric);
}

void check_bvp(conf_case *c) {
    double *distance = case_output(c, "dist", 1);
    const double *p = distance ? case_input(c, "p", 2) : NULL;
    const double *q = p ? case_input(c, "q", 2) : NULL;
    rm2_metric *metric = q ? make_metric(c) : NULL;
    rm2_curve *curve = NULL;
    if (metric && case_ok(c, rm2i_geodesic(c->ctx, metric, NULL, NULL, p, q, &curve))) {
        if (!curve->converged)
            case_fail(c, "not converged");
        *distance = curve->length;
    }
    rm2_curve_free(curve);
    rm2_metric_free(metric);
}
