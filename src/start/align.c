/* Alignment by dynamic programming. A query a_0 .. a_m-1 is mapped to a reference r_0 .. r_n-1 by
 * i0 <= i1 and a j(i) that does not fall, i0 <= i <= i1, with steps of 0 to 3:
 *
 *     sum_i |a_i - r_j(i)|^2 + stretch sum_i (j(i+1) - j(i) - 1)^2
 *         + unused (nodes of r before j(i0) and after j(i1)) + outside (nodes of a before i0 and after i1)
 *
 * is least. At an end only one of the two is left out: i0 > 0 needs j(i0) = 0, i1 < m - 1 needs j(i1) =
 * n - 1. With V_i(j) the least cost up to a_i on r_j,
 *
 *     V_i(j) = |a_i - r_j|^2 + min(begin(i, j), min_k V_i-1(j - k) + stretch (k - 1)^2)
 *     begin(0, j) = unused j,  begin(i, 0) = outside i for i <= before m,  infinite elsewhere
 *
 * and the end in the same way. Nodes are as far apart as they are on both curves, so that steps other
 * than one stretch the query; leaving out a node of the query costs as much as a distance of 0.4
 * (within), 0.2 (later, earlier) or 0.55 (strict) of the spread of the data. Where so much may be left out, the
 * rest must be shown to run together. */
#include "start/align.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"

enum { PAD = 3 }; /* infinite entries before each row of V: steps of up to 3 need no test */

static const double REVERSED = 0.5; /* anything else must be closer by these factors */
static const double STAGGERED = 0.7;
static const double TOGETHER = 0.2, ADVANCE = 0.5; /* of an overlap; of the spread, of a step */

typedef struct costs {
    double stretch, unused; /* of a node; in units of the squared spacing until scaled */
    double outside;         /* of a node; in units of the squared spread until scaled */
    double before, after;   /* nodes that may be left out; as shares of the query until scaled */
} costs;

static costs costs_of(const rm2i_curves *c, rm2i_ends ends, size_t nodes) {
    static const costs relative[RM2I_ENDS] = {
        [RM2I_WITHIN] = {1, 0.25, 0.16, 0.4, 0.4},
        [RM2I_LATER] = {1, 0.25, 0.04, 0, 0.75},
        [RM2I_EARLIER] = {1, 0.25, 0.04, 0.75, 0},
        [RM2I_STRICT] = {1, 0.25, 0.3, 0.4, 0.4},
    };
    costs k = relative[ends];
    k.stretch *= c->spacing * c->spacing;
    k.unused *= c->spacing * c->spacing;
    k.outside *= c->spread * c->spread;
    k.before *= (double)nodes;
    k.after *= (double)nodes;
    return k;
}

/* ---- the table ---------------------------------------------------------------------------------- */

typedef struct table {
    size_t a, r;
    double *square; /* a x r: squared distances of the nodes */
    double *V;      /* rows of PAD + r */
    bool keeps;     /* all rows of V, for the way back; else the last two */
    bool reversed;  /* the query is passed from its end */
} table;

typedef struct ending {
    double cost;
    size_t i, j;
} ending;

size_t rm2i_align_work(size_t n) {
    return n * n + n * (n + PAD);
}

static table prepare(size_t M, rm2i_nodes query, rm2i_nodes reference, double *work) {
    table t = {query.n, reference.n, work, work + query.n * reference.n, false, false};
    for (size_t i = 0; i < t.a; i++)
        for (size_t j = 0; j < t.r; j++) {
            const double *x = query.node + i * M, *y = reference.node + j * M;
            double sum = 0;
            for (size_t m = 0; m < M; m++)
                sum += (x[m] - y[m]) * (x[m] - y[m]);
            t.square[i * t.r + j] = sum;
        }
    return t;
}

static double *row_of(const table *t, size_t i) {
    return t->V + (t->keeps ? i : i % 2) * (PAD + t->r) + PAD;
}

static const double *squares_of(const table *t, size_t i) {
    return t->square + (t->reversed ? t->a - 1 - i : i) * t->r;
}

static double begin_cost(const costs *k, size_t i) {
    return (double)i <= k->before ? k->outside * (double)i : INFINITY;
}

/* V_i(j) = square_j + min_k V_i-1(j - k) + stretch (k - 1)^2 */
RM2I_AVX2_CLONES
static void step_row(size_t r, double stretch, const double *restrict square,
                     const double *restrict last, double *restrict row) {
    for (size_t j = 0; j < r; j++) {
        double stay = last[j] + stretch, one = *(last + j - 1);
        double two = *(last + j - 2) + stretch, three = *(last + j - 3) + 4 * stretch;
        double low = stay < one ? stay : one, high = two < three ? two : three;
        row[j] = square[j] + (low < high ? low : high);
    }
}

static void first_row(const table *t, const costs *k) {
    double *row = row_of(t, 0);
    for (size_t j = 0; j < t->r; j++)
        row[j] = squares_of(t, 0)[j] + k->unused * (double)j;
}

static void next_row(const table *t, const costs *k, size_t i) {
    double *row = row_of(t, i);
    step_row(t->r, k->stretch, squares_of(t, i), row_of(t, i - 1), row);
    row[0] = fmin(row[0], squares_of(t, i)[0] + begin_cost(k, i));
}

static void consider(ending *end, double cost, size_t i, size_t j) {
    if (cost < end->cost)
        *end = (ending){cost, i, j};
}

/* Fill the table; where the alignment of least cost ends. */
static ending run(const table *t, const costs *k) {
    ending end = {INFINITY, 0, 0};
    for (size_t i = 0; i < t->a; i++)
        for (size_t p = 1; p <= PAD; p++)
            *(row_of(t, i) - p) = INFINITY;
    for (size_t i = 0; i < t->a; i++) {
        if (i == 0)
            first_row(t, k);
        else
            next_row(t, k, i);
        double left = (double)(t->a - 1 - i);
        if (left > 0 && left <= k->after)
            consider(&end, row_of(t, i)[t->r - 1] + k->outside * left, i, t->r - 1);
    }
    for (size_t j = 0; j < t->r; j++)
        consider(&end, row_of(t, t->a - 1)[j] + k->unused * (double)(t->r - 1 - j), t->a - 1, j);
    return end;
}

/* The step by which V_i(j) was reached; SIZE_MAX: it begins there. */
static size_t step_to(const table *t, const costs *k, size_t i, size_t j) {
    if (i == 0)
        return SIZE_MAX;
    const double *last = row_of(t, i - 1);
    double best = j == 0 ? begin_cost(k, i) : INFINITY;
    size_t step = SIZE_MAX;
    for (size_t s = 0; s <= PAD && s <= j; s++) {
        double bend = (double)s - 1, value = last[j - s] + k->stretch * bend * bend;
        if (value < best || (step == SIZE_MAX && j > 0)) {
            best = value;
            step = s;
        }
    }
    return step;
}

/* Do query and reference really run together where they overlap, so that one is a continuation of the other?
 * They are close there, and the place on the reference advances at least half as fast as on the query:
 * motions that only share an end meet there, head to head. */
static bool run_together(const table *t, const costs *k, ending end, double spread) {
    size_t i = end.i, j = end.j;
    double sum = squares_of(t, i)[j];
    for (size_t s; (s = step_to(t, k, i, j)) != SIZE_MAX;) {
        i--;
        j -= s;
        sum += squares_of(t, i)[j];
    }
    double span = (double)(end.i - i), limit = TOGETHER * spread;
    return (double)(end.j - j) >= ADVANCE * span && sum <= limit * limit * (span + 1);
}

/* ---- the fit ------------------------------------------------------------------------------------ */

/* Costs of all ways: forwards and reversed. */
typedef struct all_costs {
    double of[RM2I_ENDS][2];
} all_costs;

/* The least cost: forwards in the plain way, unless another way beats it by its margin. */
static double choose(const all_costs *cost, rm2i_ends plain, double margin, rm2i_fit *fit) {
    const rm2i_ends ways[] = {plain, RM2I_LATER, RM2I_EARLIER};
    double best = INFINITY;
    for (size_t way = 0; way < 3; way++)
        for (int reversed = 0; reversed < 2; reversed++) {
            double factor = (reversed ? REVERSED : 1) * (way ? margin : 1);
            double value = cost->of[ways[way]][reversed];
            bool allowed = value <= factor * factor * cost->of[plain][0];
            if (!allowed || value >= best)
                continue;
            best = value;
            fit->ends = ways[way];
            fit->reversed = reversed;
        }
    return best;
}

rm2i_fit rm2i_align(const rm2i_curves *c, rm2i_nodes query, rm2i_nodes reference, double *work) {
    table t = prepare(c->M, query, reference, work);
    all_costs cost;
    double scale = 1 / (c->spread * sqrt((double)query.n));
    for (int ends = 0; ends < RM2I_ENDS; ends++) {
        costs k = costs_of(c, (rm2i_ends)ends, t.a);
        bool staggered = ends == RM2I_LATER || ends == RM2I_EARLIER;
        t.keeps = staggered;
        for (int reversed = 0; reversed < 2; reversed++) {
            t.reversed = reversed;
            ending end = run(&t, &k);
            bool counts = !staggered || run_together(&t, &k, end, c->spread);
            cost.of[ends][reversed] = counts ? end.cost : INFINITY;
        }
    }
    rm2i_fit fit;
    fit.strict = scale * sqrt(choose(&cost, RM2I_STRICT, 1, &fit));
    fit.cost = scale * sqrt(choose(&cost, RM2I_WITHIN, STAGGERED, &fit));
    return fit;
}

/* ---- places ------------------------------------------------------------------------------------- */

static void reverse(size_t n, double *x) {
    for (size_t i = 0; i < n / 2; i++) {
        double held = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = held;
    }
}

void rm2i_align_places(const rm2i_curves *c, rm2i_nodes query, rm2i_nodes reference,
                       const rm2i_fit *fit, double *place, double *work) {
    table t = prepare(c->M, query, reference, work);
    costs k = costs_of(c, fit->ends, t.a);
    t.keeps = true;
    t.reversed = fit->reversed;
    ending end = run(&t, &k);
    size_t i = end.i, j = end.j;
    for (size_t s; (s = step_to(&t, &k, i, j)) != SIZE_MAX; i--, j -= s)
        place[i] = (double)j;
    place[i] = (double)j;
    for (size_t before = 0; before < i; before++)
        place[before] = (double)j - (double)(i - before);
    for (size_t after = end.i + 1; after < t.a; after++)
        place[after] = (double)(end.j + after - end.i);
    if (fit->reversed)
        reverse(t.a, place);
}
