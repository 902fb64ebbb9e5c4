/* Phase along a motion. Where timing counts, it does as a consensus: with n_d(u) the points of demonstration d in the
 * cell at u of the motion, averaged over seven cells and relative to the mean of the cells that d passes,
 *
 *     v(u) = median of n_d(u) over the demonstrations d that pass u, relative to its mean, within 1/2 .. 2
 *            (1 where timing does not count)
 *     p(u) = sum of v over the cells before u
 *
 * linear in each cell, and divided by the mean number of cells of a demonstration: that of complete ones
 * runs from 0 to 1. Beyond the ends of the motion the phase goes on at its mean speed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "math/order.h"
#include "start/motion.h"

enum { SMOOTH = 3 };
static const double FASTEST = 2;

typedef struct consensus {
    size_t cells, members;
    double *density; /* members x cells: relative; NAN where a member does not pass */
    double *speed;   /* cells */
    double *phase;   /* cells + 1: at the nodes of the motion */
    double *work;    /* members or cells, the larger */
} consensus;

/* Points of member k in each cell. */
static void count_points(const rm2i_start_data *demos, const rm2i_curves *c, const rm2i_motion *m,
                         size_t k, size_t cells, double *count) {
    size_t d = m->member[k], nodes = rm2i_curve_nodes(c, d);
    memset(count, 0, cells * sizeof *count);
    for (size_t i = demos->starts[d]; i < demos->starts[d + 1]; i++) {
        double u = rm2i_between(nodes, m->place + m->slot[k], 1, c->place[i]);
        size_t cell = u > 0 ? (size_t)u : 0;
        count[cell < cells ? cell : cells - 1]++;
    }
}

/* First and last place of member k. */
static void find_range(const rm2i_motion *m, size_t k, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = m->slot[k]; i < m->slot[k + 1]; i++) {
        *low = fmin(*low, m->place[i]);
        *high = fmax(*high, m->place[i]);
    }
}

/* n_d of member k. */
static void find_density(const rm2i_start_data *demos, const rm2i_curves *c, const rm2i_motion *m,
                         size_t k, const consensus *s) {
    double *density = s->density + k * s->cells, low, high, sum = 0, passed = 0;
    count_points(demos, c, m, k, s->cells, s->work);
    rm2i_running_mean(s->cells, s->work, SMOOTH, density);
    find_range(m, k, &low, &high);
    for (size_t i = 0; i < s->cells; i++) {
        bool passes = (double)i + 1 > low && (double)i < high;
        density[i] = passes ? density[i] : NAN;
        sum += passes ? density[i] : 0;
        passed += passes;
    }
    for (size_t i = 0; i < s->cells; i++)
        density[i] *= passed / sum;
}

/* v, not yet relative and limited; NAN where nobody passes. Returns its mean. */
static double find_speeds(size_t members, const consensus *s) {
    double sum = 0, passed = 0;
    for (size_t i = 0; i < s->cells; i++) {
        size_t n = 0;
        for (size_t k = 0; k < members; k++)
            if (!isnan(s->density[k * s->cells + i]))
                s->work[n++] = s->density[k * s->cells + i];
        s->speed[i] = n ? rm2i_median(n, s->work) : NAN;
        sum += n ? s->speed[i] : 0;
        passed += n > 0;
    }
    return sum / passed;
}

static void find_phase(const rm2i_motion *m, double mean, const consensus *s) {
    double typical = (double)m->slot[m->count] / (double)m->count - 1, unit;
    s->phase[0] = 0;
    for (size_t i = 0; i < s->cells; i++) {
        double speed = isnan(s->speed[i]) ? 1 : s->speed[i] / mean;
        s->phase[i + 1] = s->phase[i] + fmin(fmax(speed, 1 / FASTEST), FASTEST);
    }
    unit = s->phase[s->cells] / (double)s->cells * typical;
    for (size_t i = 0; i <= s->cells; i++)
        s->phase[i] /= unit;
}

static double phase_at(const consensus *s, double u) {
    double last = (double)s->cells, speed = s->phase[s->cells] / last;
    if (u < 0)
        return u * speed;
    if (u > last)
        return s->phase[s->cells] + (u - last) * speed;
    return rm2i_between(s->cells + 1, s->phase, 1, u);
}

static void lay_out(void *arg, rm2i_arena *a) {
    consensus *s = arg;
    s->density = rm2i_reserve(a, double, s->cells, s->members);
    s->speed = rm2i_reserve(a, double, s->cells);
    s->phase = rm2i_reserve(a, double, s->cells + 1);
    s->work = rm2i_reserve(a, double, s->members > s->cells ? s->members : s->cells);
}

rm2_status rm2i_motion_phase(rm2_context *ctx, const rm2i_start_data *demos, const rm2i_curves *c,
                             rm2i_motion *m) {
    consensus s = {.cells = m->nodes - 1, .members = m->count};
    double *memory;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &s, &memory));
    double mean = 1;
    for (size_t i = 0; i < s.cells; i++)
        s.speed[i] = mean;
    for (size_t k = 0; demos && k < m->count; k++)
        find_density(demos, c, m, k, &s);
    if (demos)
        mean = find_speeds(m->count, &s);
    find_phase(m, mean, &s);
    for (size_t i = 0; i < m->slot[m->count]; i++)
        m->phase[i] = phase_at(&s, m->place[i]);
    free(memory);
    return RM2_OK;
}
