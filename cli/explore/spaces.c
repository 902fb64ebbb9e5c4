/* Latent spaces: the one without obstacles, and one around spheres in the data's space. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"

/* The cost is 1 + HEIGHT exp(-d^2/(2 (WIDTH R)^2)) at distance d from the centre of a sphere of radius
 * R: about 136 at its surface, 1.3 at 2 R. The page's exports.ts has the same numbers. */
static const double HEIGHT = 1000, WIDTH = 0.5;
enum { OBSTACLE_LIMIT = 64 };

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
    rm2_context_free(o->ctx);
    rm2_space_free(o->space);
    rm2_space_free(e->avoiding.space);
    free(e->avoiding.rows);
}

/* Waits until the space is there. */
static rm2_status plain_space(explorer *e, rm2_context *ctx, const rm2_space **space) {
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

/* Replace the space by one with these obstacles. */
static rm2_status make_space(explorer *e, rm2_context *ctx, const rm2_factor *f, size_t count,
                             const double *rows) {
    size_t n = f->n;
    double *memory = malloc(count * (2 * n + 3) * sizeof *memory);
    if (!memory)
        return RM2_ERR_MEMORY;
    double *centres = memory + count * (n + 1), *radius = centres + count * n;
    double *height = radius + count;
    memcpy(memory, rows, count * (n + 1) * sizeof *memory);
    for (size_t k = 0; k < count; k++) {
        memcpy(centres + k * n, rows + k * (n + 1), n * sizeof *centres);
        radius[k] = WIDTH * rows[k * (n + 1) + n];
        height[k] = HEIGHT;
    }
    rm2_discouraged obstacles = {count, f->ambient_offset, n, centres, radius, height};
    rm2_space_settings s = e->settings;
    rm2_space *space;
    s.discouraged = &obstacles;
    rm2_status status = rm2_space_create(ctx, e->model, &s, 0, NULL, &space);
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
    size_t count = reader_count(r, f ? OBSTACLE_LIMIT : 0), width = f ? f->n + 1 : 0;
    const double *rows = reader_numbers(r, count * width);
    *loan = (space_loan){NULL, false};
    for (size_t k = 0; rows && k < count; k++)
        if (!(rows[k * width + width - 1] > 0))
            r->bad = true; /* a radius */
    if (r->bad)
        return RM2_OK;
    if (count == 0 || !f || !rows)
        return plain_space(e, ctx, &loan->space);
    (void)pthread_mutex_lock(&e->avoiding.lock);
    rm2_status status =
        same_rows(&e->avoiding, count, width, rows) ? RM2_OK : make_space(e, ctx, f, count, rows);
    *loan = (space_loan){e->avoiding.space, true};
    if (status != RM2_OK)
        space_return(e, loan);
    return status;
}

void space_return(explorer *e, space_loan *loan) {
    if (loan->locked)
        (void)pthread_mutex_unlock(&e->avoiding.lock);
    loan->locked = false;
}

double space_clearance(const explorer *e, const space_loan *loan, size_t n, const double *points) {
    const rm2_factor *f = explorer_position(e);
    size_t ambient = rm2_manifold_ambient(e->info->manifold);
    double least = INFINITY;
    for (size_t k = 0; loan->locked && f && k < e->avoiding.count; k++) {
        const double *centre = e->avoiding.rows + k * (f->n + 1);
        for (size_t i = 0; i < n; i++) {
            double square = 0;
            for (size_t j = 0; j < f->n; j++) {
                double d = points[i * ambient + f->ambient_offset + j] - centre[j];
                square += d * d;
            }
            least = fmin(least, sqrt(square) - centre[f->n]);
        }
    }
    return least;
}
