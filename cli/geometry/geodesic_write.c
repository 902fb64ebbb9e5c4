/* riemann2 geodesic: its table and its summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/geodesic.h"

/* ---- the table ------------------------------------------------------------------------------ */

/* The nodes asked for of all curves, one after the other. */
typedef struct trajectory {
    size_t rows, Q, ambient;
    double *pair, *t, *time, *x, *points, *deviation, *over_spread, *memory;
} trajectory;

size_t geodesic_open(const geodesic_job *j) {
    size_t open = 0;
    for (size_t k = 0; k < j->pairs; k++)
        open += !j->measured[k].blocked;
    return open;
}

static bool trajectory_alloc(trajectory *r, const geodesic_job *j) {
    r->Q = j->m->info->latent_dim;
    r->ambient = rm2_manifold_ambient(j->m->info->manifold);
    r->rows = geodesic_open(j) * j->nodes;
    r->memory = malloc(r->rows * (5 + r->Q + r->ambient) * sizeof *r->memory);
    if (!r->memory)
        return false;
    r->pair = r->memory;
    r->t = r->pair + r->rows;
    r->time = r->t + r->rows;
    r->deviation = r->time + r->rows;
    r->over_spread = r->deviation + r->rows;
    r->x = r->over_spread + r->rows;
    r->points = r->x + r->rows * r->Q;
    return true;
}

static void take_nodes(const geodesic_job *j, trajectory *r) {
    for (size_t row = 0, curve = 0; row < r->rows; row++) {
        size_t node = row % j->nodes;
        curve += row > 0 && node == 0;
        while (j->measured[curve].blocked)
            curve++;
        r->pair[row] = (double)curve;
        r->over_spread[row] = j->measured[curve].over_spread[node * j->stride];
        r->t[row] = (double)node / (double)(j->nodes - 1);
        memcpy(r->x + row * r->Q, j->curves[curve]->x + node * j->stride * r->Q,
               r->Q * sizeof *r->x);
    }
}

static bool has_limits(const geodesic_job *j) {
    return j->speed || j->acceleration;
}

static rm2_status fill_times(const geodesic_job *j, trajectory *r) {
    for (size_t i = 0; i < r->rows; i++)
        r->time[i] = j->m->options->duration * r->t[i];
    rm2_speed_limits limits = {j->speed, j->acceleration};
    rm2_status status = RM2_OK;
    for (size_t k = 0; has_limits(j) && k < j->pairs && status == RM2_OK; k++) {
        size_t row = k * j->nodes;
        status = rm2_trajectory_retime(j->m->work.ctx, j->m->info->manifold, j->nodes,
                                       r->points + row * r->ambient, &limits, r->time + row);
        j->measured[k].duration = r->time[row + j->nodes - 1];
    }
    return status;
}

static int write_trajectory(const geodesic_job *j, const trajectory *r) {
    sheet s;
    bool timed = has_limits(j) || j->m->options->duration > 0, many = j->m->options->pairs != NULL;
    bool near = !vicinity_unknown(j->vicinity);
    size_t columns =
        (many ? 1u : 0u) + 1 + (timed ? 1u : 0u) + r->Q + r->ambient + (near ? 2u : 1u);
    bool built = sheet_create(&s, r->rows, columns) &&
                 (!many || sheet_add(&s, "pair", r->pair, 1)) && sheet_add(&s, "t", r->t, 1) &&
                 (!timed || sheet_add(&s, "time", r->time, 1)) &&
                 sheet_add_latents(&s, r->Q, r->x) &&
                 sheet_add_points(&s, j->m->info->manifold, r->points) &&
                 sheet_add(&s, "deviation", r->deviation, 1) &&
                 (!near || sheet_add(&s, "over_spread", r->over_spread, 1));
    int code = built ? model_write_sheet(j->m, &s) : work_no_memory(&j->m->work);
    sheet_free(&s);
    return code;
}

int geodesic_write(const geodesic_job *j) {
    trajectory r = {.memory = NULL};
    if (!trajectory_alloc(&r, j))
        return work_no_memory(&j->m->work);
    take_nodes(j, &r);
    rm2_status status =
        rm2_space_decode(j->m->work.ctx, j->space, r.rows, r.x, r.points, r.deviation);
    if (status == RM2_OK)
        status = fill_times(j, &r);
    int code = work_check(&j->m->work, status);
    if (code == EXIT_DONE)
        code = write_trajectory(j, &r);
    free(r.memory);
    return code;
}

/* ---- the summary ---------------------------------------------------------------------------- */

/* Does curve k leave the demonstrations? */
static bool is_outside(const geodesic_job *j, size_t k) {
    return vicinity_beyond(j->m, j->measured[k].nearness.over_spread);
}

/* Length after a stage before the last; null where there was none. */
static double after_stage(double length) {
    return length > 0 ? length : NAN;
}

static void print_curve(FILE *out, const geodesic_job *j, size_t k) {
    const rm2_curve *c = j->curves[k];
    (void)fprintf(out, "{\"nodes\": %zu", j->nodes);
    json_field(out, "length", c->length);
    json_field(out, "energy", c->energy);
    json_field(out, "straight_length", j->measured[k].straight);
    if (j->m->options->samples) {
        json_field(out, "expected_length", j->measured[k].expected);
        json_field(out, "expected_length_error", j->measured[k].standard_error);
    }
    if (j->measured[k].duration > 0)
        json_field(out, "duration", j->measured[k].duration);
    if (j->m->options->avoid.count > 0) {
        json_field(out, "clearance", j->measured[k].clearance);
        (void)fprintf(out, ", \"blocked\": %s", j->measured[k].blocked ? "true" : "false");
    }
    json_field(out, "over_spread", j->measured[k].nearness.over_spread);
    (void)fprintf(out, ", \"outside\": %s", is_outside(j, k) ? "true" : "false");
    json_field(out, "path_length", after_stage(c->path_length));
    json_field(out, "spline_length", after_stage(c->spline_length));
    json_field(out, "residual", c->residual);
    json_field(out, "error", c->error);
    (void)fprintf(
        out, ", \"stage\": \"%s\", \"iterations\": %zu, \"evaluations\": %zu, \"converged\": %s}",
        rm2_stage_text(c->stage), c->iterations, c->evaluations, c->converged ? "true" : "false");
}

static void print_json(FILE *out, const geodesic_job *j) {
    const rm2_metric *metric = rm2_space_metric(j->space);
    (void)fprintf(out, "{\"metric\": ");
    json_text(out, rm2_metric_text(metric));
    json_field(out, "weight", rm2_metric_weight(metric));
    (void)fprintf(out, ", \"lengths_in\": ");
    json_text(out, rm2_metric_text(rm2_space_exact_metric(j->space)));
    json_field(out, "spread", rm2_vicinity_describe(j->vicinity).spread);
    json_field(out, "spread_limit", j->m->options->spread_limit);
    (void)fprintf(out, ", \"curves\": [");
    for (size_t k = 0; k < j->pairs; k++) {
        (void)fprintf(out, "%s", k ? ", " : "");
        print_curve(out, j, k);
    }
    (void)fprintf(out, "]}\n");
}

/* What is known of the clearance of curve k; `name` stands before it. */
static void print_clearance(FILE *out, const geodesic_job *j, size_t k, const char *name) {
    double wanted = j->m->options->space.clearance;
    const measured *found = &j->measured[k];
    if (j->curves[k]->blocked)
        (void)fprintf(
            out,
            "%sNO WAY AROUND within the data: best clearance found %.4g, wanted %.4g; nothing "
            "is written. Lower --clearance, or add demonstrations that go around\n",
            name, found->clearance, wanted);
    else if (found->blocked)
        (void)fprintf(out,
                      "%sTOO FEW NODES: the straight lines between %zu points keep a clearance of "
                      "%.4g, wanted %.4g; nothing is written. Raise --nodes\n",
                      name, j->nodes, found->clearance, wanted);
    else
        (void)fprintf(out, "%sclearance %.6g from the obstacles (wanted %g)\n", name,
                      found->clearance, wanted);
}

/* How good it is: what --tolerance is about where it is known, else how much the curve bends. */
static void print_one(FILE *out, const geodesic_job *j) {
    const rm2_curve *c = j->curves[0];
    bool known = isfinite(c->error);
    (void)fprintf(out,
                  "length %.6g (straight line %.6g), energy %.6g, %s, %s %.1e, %zu iteration%s%s\n",
                  c->length, j->measured[0].straight, c->energy, rm2_stage_text(c->stage),
                  known ? "relative error" : "residual", known ? c->error : c->residual,
                  c->iterations, plural(c->iterations), c->converged ? "" : ", NOT CONVERGED");
    if (j->m->options->samples)
        (void)fprintf(out, "expected length %.6g +- %.1e (sampled Jacobians)\n",
                      j->measured[0].expected, j->measured[0].standard_error);
    if (j->measured[0].duration > 0)
        (void)fprintf(out, "duration %.4g s, as fast as the limits allow\n",
                      j->measured[0].duration);
    if (j->m->options->avoid.count > 0)
        print_clearance(out, j, 0, "");
    if (!j->measured[0].blocked)
        vicinity_print(out, j->m, j->vicinity, j->measured[0].nearness.over_spread);
    (void)fprintf(out, "%s\n", rm2_metric_text(rm2_space_metric(j->space)));
    if (geometry_is_other(j->space))
        (void)fprintf(out, "lengths in the %s\n",
                      rm2_metric_text(rm2_space_exact_metric(j->space)));
}

/* Least clearance of several curves, and a line for each that is blocked. */
static void print_clearances(FILE *out, const geodesic_job *j) {
    double least = INFINITY;
    char name[40];
    for (size_t k = 0; k < j->pairs; k++) {
        (void)snprintf(name, sizeof name, "pair %zu: ", k);
        if (j->measured[k].blocked)
            print_clearance(out, j, k, name);
        else
            least = fmin(least, j->measured[k].clearance);
    }
    if (geodesic_open(j) > 0)
        (void)fprintf(out, "clearance %.6g or more from the obstacles\n", least);
}

/* The curve that is farthest from the demonstrations; SIZE_MAX: none is known. */
static size_t farthest_curve(const geodesic_job *j) {
    size_t worst = SIZE_MAX;
    for (size_t k = 0; k < j->pairs; k++)
        if (isfinite(j->measured[k].nearness.over_spread) &&
            (worst == SIZE_MAX ||
             j->measured[k].nearness.over_spread > j->measured[worst].nearness.over_spread))
            worst = k;
    return worst;
}

static void print_many(FILE *out, const geodesic_job *j, size_t unconverged) {
    size_t worst = farthest_curve(j);
    (void)fprintf(out, "%zu geodesic%s, %zu not converged; %s\n", j->pairs, plural(j->pairs),
                  unconverged, rm2_metric_text(rm2_space_metric(j->space)));
    if (j->m->options->avoid.count > 0)
        print_clearances(out, j);
    vicinity_print(out, j->m, j->vicinity,
                   worst == SIZE_MAX ? NAN : j->measured[worst].nearness.over_spread);
}

/* "node 87 of 200", of several curves with how many leave the demonstrations. */
static int complain_of_distance(const geodesic_job *j, size_t worst) {
    char what[160];
    size_t outside = 0, node = j->measured[worst].nearness.farthest / j->stride + 1;
    for (size_t k = 0; k < j->pairs; k++)
        outside += is_outside(j, k);
    if (j->m->options->pairs)
        (void)snprintf(what, sizeof what,
                       "%zu of %zu paths leave the demonstrations, pair %zu most: node %zu of %zu",
                       outside, j->pairs, worst, node, j->nodes);
    else
        (void)snprintf(what, sizeof what, "node %zu of %zu", node, j->nodes);
    return vicinity_complain(j->m, what, j->measured[worst].nearness.over_spread);
}

int geodesic_report(const geodesic_job *j) {
    FILE *out = model_summary(j->m);
    size_t unconverged = j->pairs - geodesic_open(j), worst = farthest_curve(j);
    for (size_t k = 0; k < j->pairs; k++)
        unconverged += !j->curves[k]->converged && !j->measured[k].blocked;
    if (j->m->work.common->json)
        print_json(out, j);
    else if (!j->m->work.common->quiet && !j->m->options->pairs)
        print_one(out, j);
    else if (!j->m->work.common->quiet)
        print_many(out, j, unconverged);
    if (worst != SIZE_MAX && is_outside(j, worst))
        return complain_of_distance(j, worst);
    return unconverged ? EXIT_NOT_CONVERGED : EXIT_DONE;
}
