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
        open += !j->measured[k].report.blocked;
    return open;
}

static bool trajectory_alloc(trajectory *r, const geodesic_job *j) {
    r->Q = j->m->info->latent_dim;
    r->ambient = rm2_manifold_ambient(j->m->info->manifold);
    r->rows = geodesic_open(j) * j->nodes;
    r->memory = calloc(r->rows ? r->rows : 1, (5 + r->Q + r->ambient) * sizeof *r->memory);
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

static void copy_nodes(const geodesic_job *j, trajectory *r) {
    for (size_t row = 0, curve = 0; row < r->rows; row++) {
        size_t node = row % j->nodes;
        curve += row > 0 && node == 0;
        while (j->measured[curve].report.blocked)
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
    copy_nodes(j, &r);
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

/* Length after a stage before the last; null where there was none. */
static double after_stage(double length) {
    return length > 0 ? length : NAN;
}

static void json_reasons(rm2_json *json, unsigned reasons) {
    rm2_json_array(json, "reasons");
    for (rm2_path_reason reason = 0; (reason = rm2_path_next_reason(reasons, reason));)
        rm2_json_put(json, RM2_TEXT(NULL, rm2_path_reason_name(reason)));
    rm2_json_end(json);
}

static void json_curve(rm2_json *json, const geodesic_job *j, size_t k) {
    const rm2_curve *c = j->curves[k];
    const rm2_path_report *r = &j->measured[k].report;
    rm2_json_object(json, NULL);
    rm2_json_put(json, RM2_COUNT("nodes", r->nodes), RM2_NUMBER("length", r->length),
                 RM2_NUMBER("energy", r->energy), RM2_NUMBER("straight_length", r->straight));
    if (j->m->options->samples) {
        rm2_json_put(json, RM2_NUMBER("expected_length", j->measured[k].expected),
                     RM2_NUMBER("expected_length_error", j->measured[k].standard_error));
    }
    if (j->measured[k].duration > 0)
        rm2_json_put(json, RM2_NUMBER("duration", j->measured[k].duration));
    if (j->m->options->avoid.count > 0) {
        rm2_json_put(json, RM2_NUMBER("clearance", r->clearance), RM2_FLAG("blocked", r->blocked),
                     RM2_COUNT("clearance_node", r->clearance_node));
    }
    rm2_json_put(json, RM2_NUMBER("over_spread", r->over_spread),
                 RM2_FLAG("outside", r->reasons & RM2_PATH_OUTSIDE),
                 RM2_COUNT("farthest", r->farthest), RM2_NUMBER("omission", r->omission),
                 RM2_COUNT("omitted_trajectory", r->omitted_demonstration),
                 RM2_COUNT("omitted_point", r->omitted_point));
    smoothness_json(json, r);
    rm2_json_put(json, RM2_FLAG("reliable", r->reliable));
    json_reasons(json, r->reasons);
    rm2_json_put(json, RM2_NUMBER("path_length", after_stage(c->path_length)),
                 RM2_NUMBER("spline_length", after_stage(c->spline_length)),
                 RM2_NUMBER("residual", r->residual), RM2_NUMBER("error", r->error),
                 RM2_TEXT("stage", rm2_stage_text(c->stage)),
                 RM2_COUNT("iterations", c->iterations), RM2_COUNT("evaluations", c->evaluations),
                 RM2_FLAG("converged", r->converged));
    rm2_json_end(json);
}

static void print_json(FILE *out, const geodesic_job *j) {
    const rm2_metric *metric = rm2_space_metric(j->space);
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_TEXT("metric", rm2_metric_text(metric)),
                 RM2_NUMBER("weight", rm2_metric_weight(metric)),
                 RM2_TEXT("lengths_in", rm2_metric_text(rm2_space_exact_metric(j->space))),
                 RM2_NUMBER("spread", rm2_vicinity_info_of(j->vicinity)->spread),
                 RM2_NUMBER("spread_limit", j->m->options->report.spread_limit));
    rm2_json_array(&json, "curves");
    for (size_t k = 0; k < j->pairs; k++)
        json_curve(&json, j, k);
    rm2_json_end(&json);
    rm2_json_end(&json);
}

/* How good it is: what --tolerance is about where it is known, else how much the curve bends. */
static void print_one(FILE *out, const geodesic_job *j) {
    const rm2_curve *c = j->curves[0];
    const rm2_path_report *r = &j->measured[0].report;
    bool known = isfinite(r->error);
    (void)fprintf(out,
                  "length %.6g (straight line %.6g), energy %.6g, %s, %s %.1e, %zu iteration%s%s\n",
                  r->length, r->straight, r->energy, rm2_stage_text(c->stage),
                  known ? "relative error" : "residual", known ? r->error : r->residual,
                  c->iterations, plural(c->iterations), r->converged ? "" : ", NOT CONVERGED");
    if (j->m->options->samples)
        (void)fprintf(out, "expected length %.6g +- %.1e (sampled Jacobians)\n",
                      j->measured[0].expected, j->measured[0].standard_error);
    if (j->measured[0].duration > 0)
        (void)fprintf(out, "duration %.4g s, as fast as the limits allow\n",
                      j->measured[0].duration);
    if (j->m->options->avoid.count > 0)
        (void)fprintf(out, "clearance %.6g from the obstacles (wanted %g)%s\n", r->clearance,
                      r->clearance_wanted, r->blocked ? ", BLOCKED: nothing is written" : "");
    if (!r->blocked)
        vicinity_print(out, j->m, j->vicinity, r->over_spread);
    smoothness_print(out, r);
    (void)fprintf(out, "%s\n", rm2_metric_text(rm2_space_metric(j->space)));
    if (geometry_is_other(j->space))
        (void)fprintf(out, "lengths in the %s\n",
                      rm2_metric_text(rm2_space_exact_metric(j->space)));
}

/* Least clearance of several curves. */
static void print_clearances(FILE *out, const geodesic_job *j) {
    double least = INFINITY;
    for (size_t k = 0; k < j->pairs; k++)
        if (!j->measured[k].report.blocked)
            least = fmin(least, j->measured[k].report.clearance);
    if (geodesic_open(j) > 0)
        (void)fprintf(out, "clearance %.6g or more from the obstacles\n", least);
}

/* The curve that is farthest from the demonstrations; SIZE_MAX: none is known. */
static size_t farthest_curve(const geodesic_job *j) {
    size_t worst = SIZE_MAX;
    for (size_t k = 0; k < j->pairs; k++) {
        double over_spread = j->measured[k].report.over_spread;
        if (isfinite(over_spread) &&
            (worst == SIZE_MAX || over_spread > j->measured[worst].report.over_spread))
            worst = k;
    }
    return worst;
}

static size_t count_reason(const geodesic_job *j, rm2_path_reason reason) {
    size_t count = 0;
    for (size_t k = 0; k < j->pairs; k++)
        count += (j->measured[k].report.reasons & reason) != 0;
    return count;
}

static void print_many(FILE *out, const geodesic_job *j, size_t worst) {
    (void)fprintf(out, "%zu geodesic%s, %zu not converged; %s\n", j->pairs, plural(j->pairs),
                  count_reason(j, RM2_PATH_NOT_CONVERGED) + j->pairs - geodesic_open(j),
                  rm2_metric_text(rm2_space_metric(j->space)));
    if (j->m->options->avoid.count > 0)
        print_clearances(out, j);
    vicinity_print(out, j->m, j->vicinity,
                   worst == SIZE_MAX ? NAN : j->measured[worst].report.over_spread);
}

/* Why curve k may not be relied on; of several that leave the demonstrations only the farthest is named. */
static void complain(const geodesic_job *j, size_t k, size_t farthest) {
    const rm2_path_report *r = &j->measured[k].report;
    for (rm2_path_reason reason = 0; (reason = rm2_path_next_reason(r->reasons, reason));) {
        char text[RM2_REASON_SIZE], what[120] = "";
        rm2_path_reason_text(r, reason, text, sizeof text);
        if (reason == RM2_PATH_OUTSIDE && k != farthest)
            continue;
        if (reason == RM2_PATH_OUTSIDE && j->m->options->pairs)
            (void)snprintf(what, sizeof what,
                           "%zu of %zu paths leave the demonstrations, pair %zu most: ",
                           count_reason(j, reason), j->pairs, k);
        else if (j->m->options->pairs)
            (void)snprintf(what, sizeof what, "pair %zu: ", k);
        (void)model_complain(j->m, what, text);
    }
}

int geodesic_report(const geodesic_job *j) {
    FILE *out = model_summary(j->m);
    size_t farthest = farthest_curve(j), unreliable = 0;
    if (j->m->work.common->json)
        print_json(out, j);
    else if (!j->m->work.common->quiet && !j->m->options->pairs)
        print_one(out, j);
    else if (!j->m->work.common->quiet)
        print_many(out, j, farthest);
    for (size_t k = 0; k < j->pairs; k++) {
        unreliable += !j->measured[k].report.reliable;
        complain(j, k, farthest);
    }
    return unreliable ? EXIT_NOT_CONVERGED : EXIT_DONE;
}
