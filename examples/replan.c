/* A robot that avoids an obstacle which moves: 200 times a second a planner gets the obstacle as it is, the point where the
 * robot is and its goal, and answers with a path that keeps the clearance. At the end come a histogram of the times that
 * the answers took, and how often there was a path.
 * cc replan.c $(pkg-config --cflags --libs riemann2) -o replan */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <riemann2.h>

/* Poses of a hand, on R3 x S3, with two latent dimensions. Bins double from 1/8 ms on. */
enum { LATENT = 2, UPDATES = 2000, BINS = 9, STATES = RM2_PLAN_LATE + 1 };
static const double RATE = 200, CLEARANCE = 0.02, RADIUS = 0.05; /* per second; metres */

typedef struct work {
    rm2_context *ctx;
    rm2_data *data;
    rm2_model *model;
    rm2_space *space;
    rm2_planner *planner;
    double from[LATENT], to[LATENT]; /* where the robot is, and where it goes */
    double centre[3];                /* about which the obstacle moves */
    size_t states[STATES], times[BINS];
} work;

/* A model of eight demonstrations, its latent space, and a planner for that. */
static rm2_status learn(work *w) {
    rm2_generate_settings small = rm2_generate_settings_default();
    small.trajectories = 8;
    small.points = 50;
    rm2_fit_settings recipe = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    recipe.optim.max_iterations = 60;
    rm2_status status = rm2_data_generate(w->ctx, "robot", &small, &w->data);
    if (status == RM2_OK)
        status = rm2_fit(w->ctx, w->data, &recipe, NULL, &w->model);
    if (status == RM2_OK)
        status = rm2_space_create(w->ctx, w->model, NULL, 0, NULL, &w->space);
    if (status == RM2_OK)
        status = rm2_planner_create(w->ctx, w->space, NULL, &w->planner);
    return status;
}

/* From the begin of the first demonstration to its end; the obstacle moves about its middle. */
static rm2_status choose_task(work *w) {
    const rm2_model_info *info = rm2_model_info_of(w->model);
    double point[7];
    memcpy(w->from, info->latents, sizeof w->from);
    memcpy(w->to, info->latents + 49 * LATENT, sizeof w->to);
    rm2_status status =
        rm2_space_decode(w->ctx, w->space, 1, info->latents + 25 * LATENT, point, NULL);
    memcpy(w->centre, point, sizeof w->centre);
    return status;
}

static rm2_region obstacle_at(const work *w, double seconds) {
    rm2_region r = {.kind = RM2_REGION_SPHERE, .dim = 3, .radius = RADIUS};
    r.a[0] = w->centre[0] + 0.12 * sin(1.1 * seconds);
    r.a[1] = w->centre[1] + 0.12 * cos(0.7 * seconds);
    r.a[2] = w->centre[2] + 0.12 * sin(0.5 * seconds);
    return r;
}

/* A part of the way to the next node; at the goal the robot turns round. */
static void move(work *w, const rm2_plan *plan) {
    for (int q = 0; q < LATENT; q++)
        w->from[q] += 0.3 * (plan->x[LATENT + q] - w->from[q]);
    if (plan->nodes > 2)
        return;
    const rm2_model_info *info = rm2_model_info_of(w->model);
    const double *begin = info->latents, *end = begin + 49 * LATENT;
    memcpy(w->to, memcmp(w->to, end, sizeof w->to) == 0 ? begin : end, sizeof w->to);
}

static void count(work *w, const rm2_plan *plan) {
    int bin = 0;
    for (double limit = 1.25e-4; bin < BINS - 1 && plan->seconds > limit; limit *= 2)
        bin++;
    w->times[bin]++;
    w->states[plan->state]++;
}

static rm2_status drive(work *w) {
    for (int k = 0; k < UPDATES; k++) {
        rm2_region obstacle = obstacle_at(w, k / RATE);
        const rm2_plan *plan;
        rm2_plan_query query = rm2_plan_query_default();
        query.count = 1;
        query.regions = &obstacle;
        query.clearance = CLEARANCE;
        query.from = w->from;
        query.to = w->to;
        query.seconds = 1 / RATE;
        rm2_status status = rm2_planner_update(w->ctx, w->planner, &query, &plan);
        if (status != RM2_OK)
            return status;
        count(w, plan);
        if (plan->state == RM2_PLAN_FOUND) /* else the robot stands still */
            move(w, plan);
    }
    return RM2_OK;
}

static void report(const work *w) {
    double limit = 0.125;
    printf("%d updates, %d per second\n", (int)UPDATES, (int)RATE);
    for (int k = 0; k < STATES; k++)
        printf("%6zu %s\n", w->states[k], rm2_plan_state_text((rm2_plan_state)k));
    for (int k = 0; k < BINS; k++, limit *= 2) {
        printf("%s %6.3f ms %6zu ", k < BINS - 1 ? "up to" : "above",
               k < BINS - 1 ? limit : limit / 2, w->times[k]);
        for (size_t star = 0; star < (w->times[k] * 50 + UPDATES - 1) / UPDATES; star++)
            putchar('*');
        putchar('\n');
    }
}

int main(void) {
    work w = {.ctx = NULL};
    rm2_status status = rm2_context_create(&w.ctx);
    if (status == RM2_OK)
        status = learn(&w);
    if (status == RM2_OK)
        status = choose_task(&w);
    if (status == RM2_OK)
        status = drive(&w);
    if (status == RM2_OK)
        report(&w);
    else
        fprintf(stderr, "%s\n", w.ctx ? rm2_context_error(w.ctx) : rm2_status_text(status));
    rm2_planner_free(w.planner);
    rm2_space_free(w.space);
    rm2_model_free(w.model);
    rm2_data_free(w.data);
    rm2_context_free(w.ctx);
    return status == RM2_OK ? 0 : 1;
}
