/* riemann2 geodesic between poses: a motion that meets them, around the geodesic as its route. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/motion.h"
#include "core/progress.h"
#include "front/base.h"
#include "geometry/geodesic.h"

/* One of the ends or via points, as it was given. */
typedef struct place {
    const char *name, *text; /* the option, and its text without a time */
    double *point, *latent;  /* one of them, the other NULL */
    double *velocity;        /* NULL: free */
    bool middle, timed;
    double time;
} place;

typedef struct motion_job {
    const model_work *m;
    size_t count; /* start, via poses, goal */
    place *places;
    char **texts; /* of the via poses */
    double *memory, *speed, *acceleration;
    rm2_meet_pose *via;
    motion_frames frames;
    rm2_space *space;
    rm2_vicinity *vicinity;
    rm2_meet *meet;
    const rm2_meet_result *result;
    motion_columns columns;
    double *time;
    double duration; /* within the limits; 0: not asked for */
} motion_job;

/* ---- what is asked -------------------------------------------------------------------------- */

static bool begins(const char *text, const char *word) {
    return strncmp(text, word, strlen(word)) == 0;
}

/* "point:X,Y,...", "middle:X,Y,...", or as many numbers as a data point has and a latent point has not. */
static bool is_pose(const model_work *m, const char *text) {
    size_t count = 1;
    if (!text)
        return false;
    for (const char *c = text; *c && *c != '/'; c++)
        count += *c == ',';
    return begins(text, "point:") || begins(text, "middle:") ||
           (count == rm2_manifold_ambient(m->info->manifold) && count != m->info->latent_dim &&
            !strchr(text, ':'));
}

bool motion_wanted(const model_work *m) {
    const model_options *o = m->options;
    bool found = is_pose(m, o->from) || is_pose(m, o->to);
    for (const char *via = o->through; via && !found; via = strchr(via, ';')) {
        via += *via == ';';
        char *first = strndup(via, strcspn(via, ";@"));
        found = is_pose(m, first);
        free(first);
    }
    return found && !o->ends && !o->pairs && m->info->settings->model == RM2_WGPLVM;
}

const char *motion_parse_entries(const char *text, size_t count, double *entries) {
    static const char word[] = "free";
    for (size_t k = 0; k < count; k++) {
        bool none = begins(text, word);
        char *end = NULL;
        entries[k] = none ? NAN : strtod(text, &end);
        const char *after = none ? text + strlen(word) : end;
        bool last = k + 1 == count;
        if (after == text || (!none && !isfinite(entries[k])) ||
            (last ? *after && *after != '/' : *after != ','))
            return NULL;
        text = last ? after : after + 1;
    }
    return text;
}

/* "rest" or the entries of a tangent vector. */
static bool parse_velocity(const char *text, size_t count, const double *point, double *velocity) {
    if (strcmp(text, "rest") != 0) {
        const char *end = motion_parse_entries(text, count, velocity);
        return end && !*end;
    }
    for (size_t k = 0; k < count; k++)
        velocity[k] = isnan(point[k]) ? NAN : 0;
    return true;
}

static int parse_pose(const model_work *m, place *p) {
    const char *text = p->text;
    size_t ambient = rm2_manifold_ambient(m->info->manifold);
    p->middle = begins(text, "middle:");
    text += p->middle ? strlen("middle:") : begins(text, "point:") ? strlen("point:") : 0;
    const char *end = motion_parse_entries(text, ambient, p->point);
    if (!end)
        return work_complain(&m->work, EXIT_USAGE,
                             "%s %s: a point of %s has %zu numbers, or the word free in all "
                             "places of a factor",
                             p->name, text, rm2_manifold_spec(m->info->manifold), ambient);
    if (*end && !parse_velocity(end + 1, ambient, p->point, p->velocity))
        return work_complain(&m->work, EXIT_USAGE,
                             "%s %s: a velocity of %s has %zu numbers, or the word free in all "
                             "places of a factor; or it is the word rest",
                             p->name, end + 1, rm2_manifold_spec(m->info->manifold), ambient);
    p->velocity = *end ? p->velocity : NULL;
    return EXIT_DONE;
}

static int parse_place(motion_job *j, place *p, double *point, double *velocity, double *latent) {
    if (is_pose(j->m, p->text)) {
        p->point = point;
        p->velocity = velocity;
        return parse_pose(j->m, p);
    }
    p->latent = latent;
    return geometry_parse_end(j->m, p->name, p->text, latent);
}

/* "POSE@TIME": the time in parts of the motion, or in seconds with --duration. */
static int parse_time(const motion_job *j, char *text, place *p) {
    char *at = strrchr(text, '@'), *end;
    p->text = text;
    if (!at)
        return EXIT_DONE;
    p->time = strtod(at + 1, &end);
    if (end == at + 1 || *end)
        return work_complain(&j->m->work, EXIT_USAGE,
                             "--through %s: expected a number of the time after @", text);
    p->timed = true;
    *at = 0;
    return EXIT_DONE;
}

static int parse_places(motion_job *j) {
    const model_options *o = j->m->options;
    size_t Q = j->m->info->latent_dim, ambient = rm2_manifold_ambient(j->m->info->manifold);
    size_t between = 0;
    j->texts = o->through ? split_text(o->through, ';', &between) : NULL;
    j->count = between + 2;
    j->places = calloc(j->count, sizeof *j->places);
    j->memory = calloc(j->count * (Q + 2 * ambient), sizeof *j->memory);
    if ((o->through && !j->texts) || !j->places || !j->memory)
        return work_no_memory(&j->m->work);
    j->places[0] = (place){.name = "--from", .text = o->from};
    j->places[j->count - 1] = (place){.name = "--to", .text = o->to};
    int code = EXIT_DONE;
    for (size_t k = 0; k < between && code == EXIT_DONE; k++) {
        j->places[k + 1].name = "--through";
        code = parse_time(j, j->texts[k], &j->places[k + 1]);
    }
    for (size_t k = 0; k < j->count && code == EXIT_DONE; k++)
        code = parse_place(j, &j->places[k], j->memory + 2 * k * ambient,
                           j->memory + (2 * k + 1) * ambient,
                           j->memory + 2 * j->count * ambient + k * Q);
    return code;
}

/* ---- the motion ----------------------------------------------------------------------------- */

static rm2_meet_pose pose_of(const place *p) {
    return (rm2_meet_pose){.point = p->point,
                           .latent = p->latent,
                           .velocity = p->velocity,
                           .middle = p->middle,
                           .timed = p->timed,
                           .time = p->time};
}

static rm2_status fill_times(motion_job *j) {
    const rm2_meet_result *r = j->result;
    const model_work *m = j->m;
    const rm2_speed_limits limits = {j->speed, j->acceleration};
    j->time = malloc(r->nodes * sizeof *j->time);
    if (!j->time)
        return RM2_ERR_MEMORY;
    for (size_t i = 0; i < r->nodes; i++)
        j->time[i] = m->options->duration * (double)i / (double)(r->nodes - 1);
    if (!j->speed && !j->acceleration)
        return RM2_OK;
    WORK_TRY(rm2_trajectory_retime(m->work.ctx, m->info->manifold, r->nodes, r->points, &limits,
                                   j->time));
    j->duration = j->time[r->nodes - 1];
    return RM2_OK;
}

static rm2_status compute(motion_job *j, const rm2_meet_request *request) {
    rm2_context *ctx = j->m->work.ctx;
    rm2_meet_settings s = j->m->options->meet;
    s.spread_limit = j->m->options->report.spread_limit;
    if (j->m->options->duration > 0)
        s.duration = j->m->options->duration;
    WORK_TRY(rm2_vicinity_create(ctx, j->m->model, &j->vicinity));
    WORK_TRY(rm2_meet_create(ctx, j->space, j->vicinity, request, &s, &j->meet));
    j->result = rm2_meet_result_of(j->meet);
    WORK_TRY(motion_columns_create(ctx, j->m->model, j->meet, &j->columns));
    return fill_times(j);
}

static int find_motion(motion_job *j) {
    rm2_space_settings s = j->m->options->space;
    progress p;
    int code = geometry_open(j->m, &s, 0, NULL, &j->space);
    if (code != EXIT_DONE)
        return code;
    j->via = calloc(j->count, sizeof *j->via);
    if (!j->via)
        return work_no_memory(&j->m->work);
    for (size_t k = 1; k + 1 < j->count; k++)
        j->via[k - 1] = pose_of(&j->places[k]);
    const rm2_meet_request request = {.start = pose_of(&j->places[0]),
                                      .goal = pose_of(&j->places[j->count - 1]),
                                      .count = j->count - 2,
                                      .via = j->via,
                                      .frames = j->frames.count,
                                      .frame = j->frames.frame};
    progress_begin(&j->m->work, &p);
    rm2_status status = compute(j, &request);
    code = progress_end(&p, status);
    return status == RM2_ERR_DOMAIN ? EXIT_USAGE
                                    : code; /* an option that is no point of the manifold */
}

/* ---- the table ------------------------------------------------------------------------------ */

static bool add_columns(sheet *s, const char *name, size_t count, const double *values) {
    bool added = true;
    for (size_t k = 0; k < count && added; k++) {
        char text[NAME_SIZE];
        (void)snprintf(text, sizeof text, "%s%zu", name, k + 1);
        added = sheet_add(s, text, values + k, count);
    }
    return added;
}

static int write_motion(const motion_job *j) {
    const rm2_meet_result *r = j->result;
    const motion_columns *c = &j->columns;
    bool timed = j->duration > 0 || j->m->options->duration > 0;
    size_t Q = j->m->info->latent_dim;
    size_t columns = 5 + timed + Q + rm2_manifold_ambient(j->m->info->manifold) + 2 * r->dim;
    double *t = malloc(r->nodes * sizeof *t);
    sheet s;
    if (!t)
        return work_no_memory(&j->m->work);
    for (size_t i = 0; i < r->nodes; i++)
        t[i] = (double)i / (double)(r->nodes - 1);
    bool built = sheet_create(&s, r->nodes, columns) && sheet_add(&s, "t", t, 1) &&
                 (!timed || sheet_add(&s, "time", j->time, 1)) &&
                 sheet_add_latents(&s, Q, r->route->x) &&
                 sheet_add_points(&s, j->m->info->manifold, r->points) &&
                 sheet_add(&s, "deviation", c->deviation, 1) &&
                 sheet_add(&s, "correction", c->correction, 1) &&
                 sheet_add(&s, "over_spread", r->over_spread, 1) &&
                 sheet_add(&s, "model_deviation", c->of_model, 1) &&
                 add_columns(&s, "deviation", r->dim, c->each) &&
                 add_columns(&s, "variability", r->dim, c->variability);
    int code = built ? model_write_sheet(j->m, &s) : work_no_memory(&j->m->work);
    sheet_free(&s);
    free(t);
    return code;
}

/* ---- the summary ---------------------------------------------------------------------------- */

static bool is_rotation(const rm2_factor *f) {
    return strcmp(f->geometry->name, "SO") == 0 ||
           (strcmp(f->geometry->name, "S") == 0 && f->n == 3);
}

/* "0.021 (R3), 4.1 degrees (S3)" */
static void print_largest(FILE *out, const motion_job *j) {
    for (size_t k = 0; k < j->result->factors; k++) {
        const rm2_factor *f = rm2_manifold_factor(j->m->info->manifold, k);
        bool angle = is_rotation(f);
        (void)fprintf(out, "%s%.3g%s (%s%zu)", k ? ", " : "",
                      j->result->largest[k] * (angle ? 180 / RM2_PI : 1), angle ? " degrees" : "",
                      f->geometry->name, f->n);
    }
}

/* "start, goal and 1 via pose met exactly": the library fails where one is missed. */
static void print_text(FILE *out, const motion_job *j) {
    const rm2_meet_result *r = j->result;
    size_t vias = r->poses - 2;
    (void)fprintf(out,
                  vias ? "start, goal and %zu via pose%s met exactly; correction at most "
                       : "start and goal met exactly; correction at most ",
                  vias, plural(vias));
    print_largest(out, j);
    (void)fprintf(out,
                  "\nstretch %.2f (1: as far as the demonstrations from each other; limit %g)\n",
                  r->stretch, j->m->options->meet.stretch_limit);
    (void)fprintf(out, "route: length %.6g, %zu nodes%s%s\n", r->route->length, r->nodes,
                  r->reversed ? ", against the direction of the demonstrations" : "",
                  r->route->converged ? "" : ", NOT CONVERGED");
    if (j->duration > 0)
        (void)fprintf(out, "duration %.4g s, as fast as the limits allow\n", j->duration);
    if (j->m->options->avoid.count > 0)
        (void)fprintf(out, "clearance %.6g from the obstacles, %zu plan%s%s\n", r->clearance,
                      r->plans, plural(r->plans),
                      r->blocked ? ", BLOCKED: nothing is written" : "");
    vicinity_print(out, j->m, j->vicinity, r->route_over_spread);
}

static double mean_of(size_t n, size_t stride, const double *values) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i * stride];
    return sum / (double)n;
}

/* Means over the nodes, by factor. */
static void json_means(rm2_json *json, const char *name, const rm2_meet_result *r,
                       const double *values) {
    rm2_json_array(json, name);
    for (size_t f = 0; f < r->factors; f++)
        rm2_json_put(json, RM2_NUMBER(NULL, mean_of(r->nodes, r->factors, values + f)));
    rm2_json_end(json);
}

static void print_json(FILE *out, const motion_job *j, bool reliable) {
    const rm2_meet_result *r = j->result;
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_COUNT("nodes", r->nodes), RM2_NUMBER("length", r->route->length),
                 RM2_NUMBER("stretch", r->stretch),
                 RM2_NUMBER("stretch_limit", j->m->options->meet.stretch_limit),
                 RM2_NUMBER("kappa", r->kappa));
    rm2_json_counts(&json, "pose_nodes", r->poses, r->pose_nodes);
    rm2_json_numbers(&json, "pose_errors", r->poses * r->factors, r->pose_errors);
    rm2_json_numbers(&json, "pose_shares", r->poses, r->pose_shares);
    rm2_json_numbers(&json, "pose_velocities",
                     r->poses * rm2_manifold_ambient(j->m->info->manifold), r->pose_velocities);
    rm2_json_numbers(&json, "correction", r->factors, r->largest);
    json_means(&json, "variability", r, r->variability);
    json_means(&json, "deviation", r, j->columns.by_factor);
    rm2_json_put(&json, RM2_NUMBER("model_deviation", mean_of(r->nodes, 1, j->columns.of_model)),
                 RM2_COUNT("demonstrations", r->demonstrations), RM2_FLAG("reversed", r->reversed),
                 RM2_NUMBER("over_spread", r->route_over_spread),
                 RM2_NUMBER("spread", rm2_vicinity_info_of(j->vicinity)->spread),
                 RM2_NUMBER("clearance", r->clearance), RM2_COUNT("plans", r->plans),
                 RM2_FLAG("blocked", r->blocked), RM2_FLAG("outside", r->outside),
                 RM2_FLAG("converged", r->route->converged));
    if (j->duration > 0)
        rm2_json_put(&json, RM2_NUMBER("duration", j->duration));
    rm2_json_put(&json, RM2_FLAG("reliable", reliable), RM2_TEXT("reason", r->reason));
    rm2_json_end(&json);
}

static int report(const motion_job *j) {
    const rm2_meet_result *r = j->result;
    bool reliable = !r->blocked && !r->outside && r->route->converged;
    FILE *out = model_summary(j->m);
    if (j->m->work.common->json)
        print_json(out, j, reliable);
    else if (!j->m->work.common->quiet)
        print_text(out, j);
    if (*r->reason && !reliable)
        (void)model_complain(j->m, "", r->reason);
    else if (*r->reason)
        work_note(&j->m->work, r->reason);
    if (!r->route->converged && !r->blocked)
        (void)model_complain(j->m, "", "the route did not converge");
    return reliable ? EXIT_DONE : EXIT_NOT_CONVERGED;
}

/* ---- all ------------------------------------------------------------------------------------ */

static void job_free(motion_job *j) {
    rm2_meet_free(j->meet);
    rm2_vicinity_free(j->vicinity);
    rm2_space_free(j->space);
    free(j->via);
    motion_free_frames(&j->frames);
    free(j->places);
    free((void *)j->texts);
    free(j->memory);
    free(j->speed);
    free(j->acceleration);
    free(j->time);
    motion_columns_free(&j->columns);
}

int motion_run(const model_work *m) {
    motion_job j = {.m = m};
    if (!m->options->from || !m->options->to)
        return work_complain(&m->work, EXIT_USAGE, "needs --from and --to, or --pairs");
    if (m->options->samples)
        return work_complain(&m->work, EXIT_USAGE,
                             "--samples is for geodesics; use --ends encoded with it");
    int code = geodesic_find_limits(m, &j.speed, &j.acceleration);
    if (code == EXIT_DONE)
        code = parse_places(&j);
    if (code == EXIT_DONE)
        code = motion_parse_frames(m, &j.frames);
    if (code == EXIT_DONE)
        code = find_motion(&j);
    if (code == EXIT_DONE && model_wants_table(m) && !j.result->blocked)
        code = write_motion(&j);
    if (code == EXIT_DONE)
        code = report(&j);
    job_free(&j);
    return code;
}
