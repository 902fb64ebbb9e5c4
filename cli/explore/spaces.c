/* Latent spaces: the one without obstacles, and one around spheres in the data's space. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"

const rm2_factor *explorer_position(const explorer *e) {
    const rm2_manifold *m = e->info->manifold;
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        if (f->geometry == &rm2_euclidean) /* the first Euclidean factor decides */
            return f->n == 2 || f->n == 3 ? f : NULL;
    }
    return NULL;
}

/* ---- without obstacles ---------------------------------------------------------------------- */

static void *make_plain_space(void *user) {
    explorer *e = user;
    opening *o = &e->opening;
    rm2_space *space = NULL;
    rm2_status status = rm2_space_create(o->ctx, e->model, &e->settings, 0, NULL, &space);
    (void)pthread_mutex_lock(&o->lock);
    o->space = space;
    o->status = status;
    o->done = true;
    (void)pthread_cond_broadcast(&o->changed);
    (void)pthread_mutex_unlock(&o->lock);
    return NULL;
}

bool spaces_open(explorer *e) {
    opening *o = &e->opening;
    if (rm2_context_create(&o->ctx) != RM2_OK)
        return false;
    o->started = pthread_create(&o->thread, NULL, make_plain_space, e) == 0;
    return o->started;
}

void spaces_close(explorer *e) {
    opening *o = &e->opening;
    if (o->started) {
        rm2_context_interrupt(o->ctx);
        (void)pthread_join(o->thread, NULL);
    }
    rm2_planner_free(e->planning.planner);
    rm2_context_free(o->ctx);
    rm2_space_free(o->space);
    rm2_space_free(e->avoiding.space);
    free(e->avoiding.rows);
}

rm2_status space_plain(explorer *e, rm2_context *ctx, const rm2_space **space) {
    opening *o = &e->opening;
    (void)pthread_mutex_lock(&o->lock);
    while (!o->done)
        (void)pthread_cond_wait(&o->changed, &o->lock);
    *space = o->space;
    rm2_status status = o->status;
    (void)pthread_mutex_unlock(&o->lock);
    return status == RM2_OK ? RM2_OK
                            : rm2_context_fail(ctx, status, "%s", rm2_context_error(o->ctx));
}

/* ---- with obstacles ------------------------------------------------------------------------- */

static bool same_rows(const avoiding *a, size_t count, size_t width, const double *rows) {
    return a->space && a->count == count &&
           memcmp(a->rows, rows, count * width * sizeof *rows) == 0;
}

static void fill_regions(size_t n, size_t count, const double *rows, rm2_region *regions) {
    for (size_t k = 0; k < count; k++) {
        regions[k] = (rm2_region){.kind = RM2_REGION_SPHERE, .dim = n};
        memcpy(regions[k].a, rows + k * (n + 1), n * sizeof *regions[k].a);
        regions[k].radius = rows[k * (n + 1) + n];
    }
}

/* Rows of centre and radius at the end of a request. */
static size_t read_rows(const explorer *e, reader *r, const double **rows) {
    const rm2_factor *f = explorer_position(e);
    size_t count = reader_count(r, f ? OBSTACLE_LIMIT : 0), width = f ? f->n + 1 : 0;
    *rows = reader_numbers(r, count * width);
    for (size_t k = 0; *rows && k < count; k++)
        if (!((*rows)[k * width + width - 1] > 0))
            r->bad = true; /* a radius */
    return *rows ? count : 0;
}

size_t space_regions(const explorer *e, reader *r, rm2_region regions[OBSTACLE_LIMIT]) {
    const double *rows;
    size_t count = read_rows(e, r, &rows);
    if (r->bad || count == 0)
        return 0;
    fill_regions(explorer_position(e)->n, count, rows, regions);
    return count;
}

/* Replace the space by one with these obstacles, which shares metrics and grid with the one without. */
static rm2_status make_space(explorer *e, rm2_context *ctx, const rm2_factor *f, size_t count,
                             const double *rows) {
    size_t n = f->n;
    const rm2_space *plain;
    rm2_space *space = NULL;
    rm2_region regions[OBSTACLE_LIMIT];
    WORK_TRY(space_plain(e, ctx, &plain));
    double *memory = malloc(count * (n + 1) * sizeof *memory);
    if (!memory)
        return RM2_ERR_MEMORY;
    memcpy(memory, rows, count * (n + 1) * sizeof *memory);
    fill_regions(n, count, rows, regions);
    const rm2_obstacles obstacles = {count, regions, RM2_ALL_FACTORS};
    rm2_space_settings s = *rm2_space_settings_of(plain);
    s.obstacles = &obstacles;
    rm2_status status = rm2_space_with_settings(ctx, plain, &s, &space);
    if (status != RM2_OK) {
        free(memory);
        return status;
    }
    rm2_space_free(e->avoiding.space);
    free(e->avoiding.rows);
    e->avoiding.space = space;
    e->avoiding.rows = memory;
    e->avoiding.count = count;
    return RM2_OK;
}

rm2_status space_borrow(explorer *e, rm2_context *ctx, reader *r, space_loan *loan) {
    const rm2_factor *f = explorer_position(e);
    const double *rows;
    size_t count = read_rows(e, r, &rows);
    *loan = (space_loan){NULL, false};
    if (r->bad)
        return RM2_OK;
    if (count == 0)
        return space_plain(e, ctx, &loan->space);
    (void)pthread_mutex_lock(&e->avoiding.lock);
    rm2_status status = same_rows(&e->avoiding, count, f->n + 1, rows)
                            ? RM2_OK
                            : make_space(e, ctx, f, count, rows);
    *loan = (space_loan){e->avoiding.space, true};
    if (status != RM2_OK)
        space_return(e, loan);
    return status;
}

double space_clearance(const explorer *e, const space_loan *loan, const double *point) {
    const rm2_factor *f = explorer_position(e);
    double least = INFINITY;
    for (size_t k = 0; loan->locked && k < e->avoiding.count; k++) {
        const double *sphere = e->avoiding.rows + k * (f->n + 1);
        double square = 0;
        for (size_t a = 0; a < f->n; a++)
            square += pow(point[f->ambient_offset + a] - sphere[a], 2);
        least = fmin(least, sqrt(square) - sphere[f->n]);
    }
    return least;
}

void space_return(explorer *e, space_loan *loan) {
    if (loan->locked)
        (void)pthread_mutex_unlock(&e->avoiding.lock);
    loan->locked = false;
}
