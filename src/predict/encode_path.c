/* Trajectories encoded as a whole, so that their latents do not jump between branches that decode alike.
 *
 * Maximised is the sum over the points of what encode maximises for each, phi_i below being minus its log, under the
 * prior of a random walk whose steps are as long as those of the training latents for outputs that differ as much:
 *
 *   E = sum_i phi_i(x_i) + sum_i |(x_i - x_(i-1)) / l|^2 / (2 s_i^2),      s_i = c max(|v_i - v_(i-1)|, floor)
 *
 * l lengthscales, v outputs, c the median of |dx / l| / |dv| over the steps of the training trajectories.
 * First candidates: minima of phi_i from the latents of the nearest training points, and from the candidates of the
 * points before and after it. Then the best of all sequences of candidates (Viterbi, Forney 1973). Then sweeps in
 * which each x_i is moved to the minimum of E with its neighbours held, until nothing moves. */
#include "predict/encode_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "math/order.h"
#include "optim/optim.h"

enum { MOST = 12, SWEEPS = 20 };    /* candidates per point; rounds of refinement */
static const double SAME = 0.02;    /* lengthscales between candidates that are one */
static const double BESIDE = 0.1;   /* lengthscales from a candidate that a search leads to */
static const double SETTLED = 1e-4; /* lengthscales that a sweep moves at most */
static const double STALE = 1e-5;   /* lengthscales that neighbours move before it matters */
static const double FLOOR = 0.1;    /* shortest step of outputs, of the training median */

typedef struct paths {
    const rm2i_observations *all;
    double ratio, floor; /* c, and the shortest |dv| that counts */
    double scale; /* of the random walk, where phi is in other units than minus a log density */
    double *candidates; /* n x MOST x Q */
    double *value;      /* n x MOST: phi */
    size_t *count;      /* n */
    double *cost;       /* n x MOST */
    size_t *from;       /* n x MOST */
    size_t *nearest;    /* n x MOST */
    double *steps;      /* N x 2: of the training trajectories */
    double *stale; /* n: lengthscales that the neighbours have moved since a point was refined */
    double *latents;
    rm2_encoded *info;
    double *memory;
} paths;

static void lay_out(void *arg, rm2i_arena *a) {
    paths *p = arg;
    size_t n = p->all->n;
    p->candidates = rm2i_reserve(a, double, n, MOST * p->all->m->Q);
    p->value = rm2i_reserve(a, double, n, MOST);
    p->cost = rm2i_reserve(a, double, n, MOST);
    p->count = rm2i_reserve(a, size_t, n);
    p->from = rm2i_reserve(a, size_t, n, MOST);
    p->nearest = rm2i_reserve(a, size_t, n, MOST);
    p->steps = rm2i_reserve(a, double, p->all->m->N, 2);
    p->stale = rm2i_reserve(a, double, n);
}

rm2_status rm2i_check_trajectories(rm2_context *ctx, const rm2_encode_settings *s, size_t n) {
    if (s->trajectories == 0)
        return RM2_OK;
    if (!s->starts || s->starts[0] != 0 || s->starts[s->trajectories] != n)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.starts must increase from 0 to the number of points, %zu", n);
    for (size_t t = 0; t < s->trajectories; t++)
        if (s->starts[t] >= s->starts[t + 1])
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.starts: trajectory %zu is empty", t);
    return RM2_OK;
}

/* ---- the random walk ------------------------------------------------------------------------ */

static double squared_step(const rm2_model *m, const double *a, const double *b) {
    double sum = 0;
    for (size_t q = 0; q < m->Q; q++)
        sum += pow((a[q] - b[q]) / m->lengthscale[q], 2);
    return sum;
}

/* |v_i - v_(i-1)| over the coordinates that both have, as if all were there; 0: none is. */
static double output_step(const rm2i_observations *all, size_t i) {
    size_t M = all->m->M, common = 0;
    const double *a = all->centred + (i - 1) * M, *b = a + M;
    const bool *has_a = all->there + (i - 1) * M, *has_b = has_a + M;
    double sum = 0;
    for (size_t k = 0; k < M; k++)
        if (has_a[k] && has_b[k]) {
            sum += (a[k] - b[k]) * (a[k] - b[k]);
            common++;
        }
    return common ? sqrt(sum * (double)M / (double)common) : 0;
}

/* 1 / s_i^2 of the step to point i, in the units of phi. */
static double step_weight(const paths *p, size_t i) {
    double s = p->ratio * fmax(output_step(p->all, i), p->floor);
    return p->scale / (s * s);
}

/* c and the floor, from the steps of the training trajectories; all points in a row where there are none. */
static void learn_steps(paths *p) {
    const rm2_model *m = p->all->m;
    const rm2_data *d = m->data;
    double *ratio = p->steps, *length = p->steps + m->N;
    size_t count = 0, t = 1;
    for (size_t i = 1; i < m->N; i++) {
        bool first = t < d->trajectories && i == d->starts[t];
        double square = 0;
        t += first;
        for (size_t k = 0; k < m->M && !first; k++)
            square += pow(m->F[k * m->N + i] - m->F[k * m->N + i - 1], 2);
        if (!(square > 0))
            continue;
        length[count] = sqrt(square);
        ratio[count++] =
            sqrt(squared_step(m, m->X + i * m->Q, m->X + (i - 1) * m->Q)) / sqrt(square);
    }
    p->ratio = count ? fmax(rm2i_median(count, ratio), 1e-12) : 1e-12;
    p->floor = count ? fmax(FLOOR * rm2i_median(count, length), 1e-12) : 1e-12;
}

/* Mean variance of the noise of an output: what least squares in tangent coordinates are without. */
static double noise_of(const rm2_model *m) {
    double sum = 0;
    for (size_t k = 0; k < m->M; k++)
        sum += m->task_noise
                   ? m->task_noise[k]
                   : m->noise * m->Kf[k * m->M + k] * (m->scale ? m->scale[k] * m->scale[k] : 1);
    return sum / (double)m->M;
}

/* ---- one point, its neighbours given --------------------------------------------------------- */

typedef struct local {
    rm2i_observation *o;
    const double *neighbour[2]; /* NULL: none */
    double weight[2];
} local;

/* phi and the steps to both neighbours. */
static rm2_status local_value(void *user, const double *x, double *value, double *gradient) {
    local *l = user;
    const rm2_model *m = l->o->m;
    RM2_TRY(rm2i_observation_minus_log(l->o, x, value, gradient));
    for (int side = 0; side < 2; side++) {
        if (!l->neighbour[side])
            continue;
        *value += l->weight[side] * squared_step(m, x, l->neighbour[side]) / 2;
        for (size_t q = 0; q < m->Q; q++)
            gradient[q] += l->weight[side] * (x[q] - l->neighbour[side][q]) /
                           (m->lengthscale[q] * m->lengthscale[q]);
    }
    return RM2_OK;
}

/* From x to the minimum; false if there is none. */
static rm2_status minimise(const paths *p, local *l, double *x, double *value, bool *found,
                           bool *converged) {
    rm2i_optim *optim;
    rm2_stop stop = RM2_STOP_RUNNING;
    size_t Q = l->o->m->Q;
    RM2_TRY(rm2i_optim_create(NULL, &p->all->s->optim, Q, x, &optim));
    rm2_status status = RM2_OK;
    while (status == RM2_OK && stop == RM2_STOP_RUNNING)
        status = rm2i_interrupted(p->all->ctx)
                     ? RM2_INTERRUPTED
                     : rm2i_optim_step(NULL, optim, local_value, l, &stop);
    *value = rm2i_optim_best_f(optim);
    *found = isfinite(*value);
    *converged = stop != RM2_STOP_MAX_ITERATIONS;
    if (*found)
        memcpy(x, rm2i_optim_best_x(optim), Q * sizeof *x);
    rm2i_optim_free(optim);
    return status == RM2_ERR_NUMERIC ? RM2_OK : status;
}

static rm2_status observe(const paths *p, size_t i, double *work, rm2i_observation *o) {
    const rm2i_observations *all = p->all;
    *o = rm2i_observation_in(all->m, work);
    o->ctx = all->ctx;
    o->kind = all->s->objective;
    return rm2i_observe(o, all->centred + i * all->m->M, all->there + i * all->m->M);
}

/* ---- candidates ----------------------------------------------------------------------------- */

/* Into the list unless it has one like it, in place of the worst if it is full. */
static void insert(paths *p, size_t i, const double *x, double value, size_t nearest) {
    const rm2_model *m = p->all->m;
    double *list = p->candidates + i * MOST * m->Q, *values = p->value + i * MOST;
    size_t at = p->count[i], worst = 0;
    for (size_t c = 0; c < p->count[i]; c++) {
        if (squared_step(m, list + c * m->Q, x) < SAME * SAME) {
            if (value >= values[c])
                return;
            at = c;
            break;
        }
        worst = values[c] > values[worst] ? c : worst;
    }
    if (at == MOST) {
        if (value >= values[worst])
            return;
        at = worst;
    }
    p->count[i] += at == p->count[i];
    memcpy(list + at * m->Q, x, m->Q * sizeof *x);
    values[at] = value;
    p->nearest[i * MOST + at] = nearest;
}

/* From a latent point to a candidate: least squares first, as they reach further, then the density. */
static rm2_status add_from(paths *p, rm2i_observation *o, size_t i, const double *start,
                           size_t nearest) {
    local l = {.o = o};
    double value = INFINITY, *x = o->start;
    bool found, converged;
    memcpy(x, start, o->m->Q * sizeof *x);
    if (p->all->s->objective == RM2_ENCODE_DENSITY) {
        o->kind = RM2_ENCODE_RESIDUAL;
        rm2_status status = minimise(p, &l, x, &value, &found, &converged);
        o->kind = RM2_ENCODE_DENSITY;
        RM2_TRY(status);
    }
    RM2_TRY(minimise(p, &l, x, &value, &found, &converged));
    if (found)
        insert(p, i, x, value, nearest);
    return RM2_OK;
}

static rm2_status find_candidates(const void *arg, size_t i, double *work) {
    paths *p = *(paths *const *)arg;
    enum { STARTS = 32 };
    size_t starts[STARTS], wanted = p->all->s->searches < STARTS ? p->all->s->searches : STARTS;
    rm2i_observation o;
    p->count[i] = 0;
    RM2_TRY(observe(p, i, work, &o));
    for (size_t k = 0; k < wanted; k++) {
        starts[k] = rm2i_encode_next_start(&o, starts, k);
        if (starts[k] == SIZE_MAX)
            break;
        RM2_TRY(add_from(p, &o, i, p->all->m->X + starts[k] * p->all->m->Q, starts[k]));
    }
    return p->count[i] ? RM2_OK : RM2_ERR_NUMERIC;
}

/* Is x next to a candidate of point i? */
static bool beside(const paths *p, size_t i, const double *x) {
    const rm2_model *m = p->all->m;
    for (size_t c = 0; c < p->count[i]; c++)
        if (squared_step(m, p->candidates + (i * MOST + c) * m->Q, x) < BESIDE * BESIDE)
            return true;
    return false;
}

/* Candidates of point `from` as starts for its neighbour `to`, where they lead to others than it has. */
static rm2_status spread(paths *p, size_t from, size_t to, double *work) {
    rm2i_observation o;
    bool begun = false;
    for (size_t c = 0; c < p->count[from]; c++) {
        const double *start = p->candidates + (from * MOST + c) * p->all->m->Q;
        if (beside(p, to, start))
            continue;
        if (!begun)
            RM2_TRY(observe(p, to, work, &o));
        begun = true;
        RM2_TRY(add_from(p, &o, to, start, p->nearest[from * MOST + c]));
    }
    return RM2_OK;
}

/* ---- the best sequence ---------------------------------------------------------------------- */

static void choose(paths *p, size_t begin, size_t end) {
    const rm2_model *m = p->all->m;
    for (size_t i = begin; i < end; i++) {
        double weight = i > begin ? step_weight(p, i) : 0;
        for (size_t c = 0; c < p->count[i]; c++) {
            size_t at = i * MOST + c;
            p->cost[at] = i > begin ? INFINITY : 0;
            p->from[at] = 0;
            for (size_t b = 0; i > begin && b < p->count[i - 1]; b++) {
                size_t before = (i - 1) * MOST + b;
                double cost = p->cost[before] + weight / 2 *
                                                    squared_step(m, p->candidates + at * m->Q,
                                                                 p->candidates + before * m->Q);
                if (cost < p->cost[at]) {
                    p->cost[at] = cost;
                    p->from[at] = b;
                }
            }
            p->cost[at] += p->value[at];
        }
    }
    size_t best = 0;
    for (size_t c = 1; c < p->count[end - 1]; c++)
        if (p->cost[(end - 1) * MOST + c] < p->cost[(end - 1) * MOST + best])
            best = c;
    for (size_t i = end; i-- > begin;) {
        size_t at = i * MOST + best;
        memcpy(p->latents + i * m->Q, p->candidates + at * m->Q, m->Q * sizeof *p->latents);
        if (p->info)
            p->info[i] = (rm2_encoded){.converged = true, .nearest = p->nearest[at]};
        best = p->from[at];
    }
}

/* ---- refinement ----------------------------------------------------------------------------- */

/* Point i to its best place between its neighbours; *moved is the largest step in lengthscales. */
static rm2_status refine_point(paths *p, size_t begin, size_t end, size_t i, double *work,
                               double *moved) {
    size_t Q = p->all->m->Q;
    double *x = p->latents + i * Q, value;
    bool found, converged;
    rm2i_observation o;
    RM2_TRY(observe(p, i, work, &o));
    local l = {.o = &o};
    if (i > begin) {
        l.neighbour[0] = x - Q;
        l.weight[0] = step_weight(p, i);
    }
    if (i + 1 < end) {
        l.neighbour[1] = x + Q;
        l.weight[1] = step_weight(p, i + 1);
    }
    memcpy(o.start, x, Q * sizeof *x);
    RM2_TRY(minimise(p, &l, o.start, &value, &found, &converged));
    if (!found)
        return RM2_OK;
    double step = sqrt(squared_step(p->all->m, x, o.start));
    *moved = fmax(*moved, step);
    p->stale[i] = 0;
    if (i > begin)
        p->stale[i - 1] += step;
    if (i + 1 < end)
        p->stale[i + 1] += step;
    memcpy(x, o.start, Q * sizeof *x);
    if (p->info)
        p->info[i].converged = converged;
    return RM2_OK;
}

static rm2_status encode_path(const void *arg, size_t t, double *work) {
    paths *p = *(paths *const *)arg;
    size_t begin = p->all->s->starts[t], end = p->all->s->starts[t + 1];
    double moved = INFINITY;
    for (size_t i = begin + 1; i < end; i++)
        RM2_TRY(spread(p, i - 1, i, work));
    for (size_t i = end - 1; i > begin; i--)
        RM2_TRY(spread(p, i, i - 1, work));
    choose(p, begin, end);
    for (size_t i = begin; i < end; i++)
        p->stale[i] = INFINITY;
    for (int sweep = 0; sweep < SWEEPS && moved > SETTLED; sweep++) {
        moved = 0;
        for (size_t k = begin; k < end; k++) {
            size_t i = sweep % 2 ? end - 1 - (k - begin) : k;
            if (p->stale[i] > STALE)
                RM2_TRY(refine_point(p, begin, end, i, work, &moved));
        }
    }
    return RM2_OK;
}

rm2_status rm2i_encode_paths(const rm2i_observations *all, double *latents, rm2_encoded *info) {
    paths p = {.all = all, .latents = latents, .info = info}, *address = &p;
    size_t failed = 0, work = rm2i_observation_size(all->m);
    RM2_TRY(rm2i_arena_alloc(all->ctx, lay_out, &p, &p.memory));
    learn_steps(&p);
    p.scale = all->s->objective == RM2_ENCODE_NEAREST ? noise_of(all->m) : 1;
    rm2_status status = rm2i_jobs(all->ctx, all->n, work, find_candidates, &address, &failed);
    if (status != RM2_OK && status != RM2_INTERRUPTED)
        status = rm2i_fail(all->ctx, status, "point %zu cannot be encoded: %s", failed,
                           rm2_status_text(status));
    if (status == RM2_OK) {
        status = rm2i_jobs(all->ctx, all->s->trajectories, work, encode_path, &address, &failed);
        if (status != RM2_OK && status != RM2_INTERRUPTED)
            status = rm2i_fail(all->ctx, status, "trajectory %zu cannot be encoded: %s", failed,
                               rm2_status_text(status));
    }
    free(p.memory);
    return status;
}
