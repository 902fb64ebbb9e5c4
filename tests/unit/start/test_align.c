/* Alignment against its definition: every alignment of short curves is tried. Sums of the same numbers
 * in another order: 1e-12 relative. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "near.h"
#include "riemann2/base.h"
#include "start/align.h"

enum { M = 2, MOST = 12 };

/* Two curves of random nodes that go the same way. */
typedef struct pair {
    rm2i_curves curves;
    size_t first[3];
    double node[2 * MOST * M];
    double work[2 * MOST * MOST + 3 * MOST + MOST];
} pair;

static void make_pair(rm2_rng *rng, size_t a, size_t r, pair *p) {
    *p = (pair){.first = {0, a, a + r}};
    for (size_t i = 0; i < a + r; i++) {
        double along = (double)(i < a ? i : i - a) + (i < a ? 1.5 : 0);
        p->node[i * M] = along + 0.4 * rm2_rng_normal(rng);
        p->node[i * M + 1] = sin(along) + 0.4 * rm2_rng_normal(rng);
    }
    p->curves = (rm2i_curves){
        .D = 2, .M = M, .spread = 1.7, .spacing = 0.9, .first = p->first, .node = p->node};
}

static double square(const pair *p, size_t i, size_t j, bool reversed) {
    size_t a = p->first[1];
    const double *x = p->node + (reversed ? a - 1 - i : i) * M, *y = p->node + (a + j) * M;
    return (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]);
}

typedef struct rules {
    double stretch, unused, outside;
    size_t before, after;
} rules;

static rules rules_of(const pair *p, rm2i_ends ends) {
    double h2 = p->curves.spacing * p->curves.spacing, rho2 = p->curves.spread * p->curves.spread;
    double a = (double)p->first[1], price[] = {0.16, 0.04, 0.04, 0.3};
    double before[] = {0.4, 0, 0.75, 0.4}, after[] = {0.4, 0.75, 0, 0.4};
    return (rules){h2, 0.25 * h2, price[ends] * rho2, (size_t)(before[ends] * a),
                   (size_t)(after[ends] * a)};
}

/* An alignment from a pair of nodes on: cost, and of the pairs until it ends: how many, how far the reference
 * advances, the sum of squared distances. */
typedef struct way {
    double cost, squares;
    size_t pairs, advance;
} way;

/* The least one that follows node i on node j. */
static way rest(const pair *p, const rules *u, bool reversed, size_t i, size_t j) {
    size_t a = p->first[1], r = p->first[2] - a, left = a - 1 - i;
    way best = {.cost = INFINITY};
    if (left == 0)
        best.cost = u->unused * (double)(r - 1 - j);
    else if (j == r - 1 && left <= u->after)
        best.cost = u->outside * (double)left;
    for (size_t k = 0; left > 0 && k <= 3 && j + k < r; k++) {
        way next = rest(p, u, reversed, i + 1, j + k);
        double bend = (double)k - 1;
        next.cost += u->stretch * bend * bend;
        next.advance += k;
        best = next.cost < best.cost ? next : best;
    }
    best.cost += square(p, i, j, reversed);
    best.squares += square(p, i, j, reversed);
    best.pairs++;
    return best;
}

/* The least cost; infinite if the curves must run together, and do not. */
static double least(const pair *p, rm2i_ends ends, bool reversed) {
    rules u = rules_of(p, ends);
    way best = {.cost = INFINITY};
    for (size_t j = 0; j < p->first[2] - p->first[1]; j++) {
        way w = rest(p, &u, reversed, 0, j);
        w.cost += u.unused * (double)j;
        best = w.cost < best.cost ? w : best;
    }
    for (size_t i = 1; i <= u.before && i < p->first[1]; i++) {
        way w = rest(p, &u, reversed, i, 0);
        w.cost += u.outside * (double)i;
        best = w.cost < best.cost ? w : best;
    }
    double limit = 0.2 * p->curves.spread;
    bool together =
        2 * best.advance >= best.pairs - 1 && best.squares <= limit * limit * (double)best.pairs;
    return together || ends == RM2I_WITHIN || ends == RM2I_STRICT ? best.cost : INFINITY;
}

/* The plain way forwards, unless others are lower by their factors. */
static double expected(const pair *p, rm2i_ends plain, double margin) {
    double forward = least(p, plain, false), best = forward;
    rm2i_ends ways[] = {plain, RM2I_LATER, RM2I_EARLIER};
    for (size_t w = 0; w < 3; w++)
        for (int reversed = 0; reversed < 2; reversed++) {
            double factor = (w ? margin : 1) * (reversed ? 0.5 : 1),
                   cost = least(p, ways[w], reversed);
            if (cost <= factor * factor * forward && cost < best)
                best = cost;
        }
    double nodes = (double)p->first[1], rho = p->curves.spread;
    return sqrt(best / nodes) / rho;
}

static rm2i_fit fit_of(pair *p) {
    return rm2i_align(&p->curves, rm2i_curve(&p->curves, 0), rm2i_curve(&p->curves, 1), p->work);
}

static void cost_is_least_of_all(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    pair p;
    for (size_t a = 1; a <= 7; a++)
        for (size_t r = 1; r <= 7; r++) {
            make_pair(&rng, a, r, &p);
            rm2i_fit fit = fit_of(&p);
            double cost = expected(&p, RM2I_WITHIN, 0.7), strict = expected(&p, RM2I_STRICT, 1);
            assert_near(fit.cost, cost, 1e-12 * cost);
            assert_near(fit.strict, strict, 1e-12 * strict);
        }
}

/* Places are those of an alignment that costs what the fit says. */
static double cost_of_places(const pair *p, const rm2i_fit *fit, const double *place) {
    size_t a = p->first[1], r = p->first[2] - a, i0 = 0, i1 = a - 1;
    rules u = rules_of(p, fit->ends);
    double sum = 0, passed[MOST];
    for (size_t i = 0; i < a; i++)
        passed[i] = place[fit->reversed ? a - 1 - i : i];
    while (passed[i0] < 0)
        i0++;
    while (passed[i1] > (double)(r - 1))
        i1--;
    assert_true(i0 <= u.before && a - 1 - i1 <= u.after);
    assert_true((i0 == 0 || passed[i0] == 0) && (i1 == a - 1 || passed[i1] == (double)(r - 1)));
    for (size_t i = 0; i + 1 < a; i++)
        assert_true(passed[i + 1] >= passed[i] && passed[i + 1] <= passed[i] + 3);
    for (size_t i = i0; i <= i1; i++) {
        double bend = i < i1 ? passed[i + 1] - passed[i] - 1 : 0;
        sum += square(p, i, (size_t)passed[i], fit->reversed) + u.stretch * bend * bend;
    }
    sum += u.outside * (double)(i0 + a - 1 - i1);
    sum += u.unused * (passed[i0] + (double)(r - 1) - passed[i1]);
    return sqrt(sum / (double)a) / p->curves.spread;
}

static void places_cost_as_much(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 6);
    pair p;
    double place[MOST];
    size_t reversed = 0;
    for (size_t trial = 0; trial < 400; trial++) {
        make_pair(&rng, 2 + trial % 9, 2 + trial / 9 % 10, &p);
        for (size_t i = 0; trial % 3 == 0 && i < p.first[1] / 2; i++) { /* the query backwards */
            double held[M];
            memcpy(held, p.node + i * M, sizeof held);
            memcpy(p.node + i * M, p.node + (p.first[1] - 1 - i) * M, sizeof held);
            memcpy(p.node + (p.first[1] - 1 - i) * M, held, sizeof held);
        }
        rm2i_fit fit = fit_of(&p);
        rm2i_align_places(&p.curves, rm2i_curve(&p.curves, 0), rm2i_curve(&p.curves, 1), &fit,
                          place, p.work);
        assert_near(cost_of_places(&p, &fit, place), fit.cost, 1e-12 * fit.cost);
        reversed += fit.reversed;
    }
    assert_true(reversed > 20 && reversed < 200);
}

/* A part of a straight line is found where it is, in either direction, and beyond an end. */
static void parts_are_found(void **state) {
    (void)state;
    pair p = {.first = {0, 6, 16}};
    double place[MOST];
    struct {
        double from;
        bool reversed;
    } cases[] = {{0, false}, {3, false}, {4, true}, {-2, false}, {6, false}, {5, true}};
    p.curves =
        (rm2i_curves){.D = 2, .M = M, .spread = 3, .spacing = 1, .first = p.first, .node = p.node};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t i = 0; i < 6; i++)
            p.node[i * M] = cases[c].from + (double)(cases[c].reversed ? 5 - i : i);
        for (size_t j = 0; j < 10; j++)
            p.node[(6 + j) * M] = (double)j;
        rm2i_fit fit = fit_of(&p);
        assert_int_equal(fit.reversed, cases[c].reversed);
        rm2i_align_places(&p.curves, rm2i_curve(&p.curves, 0), rm2i_curve(&p.curves, 1), &fit,
                          place, p.work);
        for (size_t i = 0; i < 6; i++)
            assert_true(place[i] == p.node[i * M]);
    }
}

/* As much scratch as is asked for is enough. */
static void work_is_enough(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 7);
    pair p;
    double place[MOST];
    for (size_t n = 1; n <= 8; n++) {
        make_pair(&rng, n, 9 - n, &p);
        size_t most = n > 9 - n ? n : 9 - n, size = rm2i_align_work(most);
        double *work = malloc(size * sizeof *work); /* the sanitizer sees its end */
        assert_non_null(work);
        rm2i_fit fit =
            rm2i_align(&p.curves, rm2i_curve(&p.curves, 0), rm2i_curve(&p.curves, 1), work);
        rm2i_align_places(&p.curves, rm2i_curve(&p.curves, 0), rm2i_curve(&p.curves, 1), &fit,
                          place, work);
        free(work);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost_is_least_of_all),
        cmocka_unit_test(places_cost_as_much),
        cmocka_unit_test(parts_are_found),
        cmocka_unit_test(work_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
