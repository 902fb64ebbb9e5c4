/* Arrangements of two labels: how many, the one with a number, one at random. */
#include "statistics/arrangement.h"
#include "front/base.h"

#include <string.h>

#include "statistics/statistics.h"

void rm2i_arrangement_count(rm2i_arrangement *a) {
    memset(a->second, 0, a->subjects * sizeof *a->second);
    memset(a->both, 0, a->subjects * sizeof *a->both);
    for (size_t i = 0; i < a->n; i++)
        a->second[a->subject[i]] |= a->side[i];
    for (size_t i = 0; i < a->n; i++)
        a->both[a->subject[i]] |= !a->side[i] && a->second[a->subject[i]];
    a->single = a->k = a->mixed = 0;
    for (size_t s = 0; s < a->subjects; s++) {
        a->mixed += a->both[s];
        a->single += !a->both[s];
        a->k += !a->both[s] && a->second[s];
    }
}

/* C(n, k), by a product whose partial values are binomial coefficients. */
static double choose(size_t n, size_t k) {
    double value = 1;
    for (size_t j = 1; j <= k; j++)
        value = value * (double)(n - k + j) / (double)j;
    return value;
}

double rm2i_arrangement_total(const rm2i_arrangement *a) {
    double total = choose(a->single, a->k);
    for (size_t s = 0; s < a->mixed; s++)
        total *= 2;
    return total;
}

/* `chosen` (subjects): of a subject of one label whether it gets the second, of one of both whether they change places. */
static void sides_of(const rm2i_arrangement *a, const bool *chosen, bool *side) {
    for (size_t i = 0; i < a->n; i++) {
        size_t s = a->subject[i];
        side[i] = a->both[s] ? a->side[i] != chosen[s] : chosen[s];
    }
}

/* Combinations in lexicographic order: C(left - 1, k - 1) of them take the next subject. */
void rm2i_arrangement_at(const rm2i_arrangement *a, size_t number, bool *work, bool *side) {
    size_t left = a->single, k = a->k;
    for (size_t s = 0; s < a->subjects; s++) {
        if (!a->both[s])
            continue;
        work[s] = number % 2 == 1;
        number /= 2;
    }
    for (size_t s = 0; s < a->subjects; s++) {
        if (a->both[s])
            continue;
        size_t with = k > 0 ? (size_t)choose(left - 1, k - 1) : 0;
        work[s] = number < with;
        number -= work[s] ? 0 : with;
        k -= work[s];
        left--;
    }
    sides_of(a, work, side);
}

/* Each of the subjects left takes the second label with the probability k/left. */
void rm2i_arrangement_random(const rm2i_arrangement *a, rm2_rng *rng, bool *work, bool *side) {
    size_t left = a->single, k = a->k;
    for (size_t s = 0; s < a->subjects; s++) {
        if (a->both[s]) {
            work[s] = rm2i_draw(rng, 2) == 1;
            continue;
        }
        work[s] = rm2i_draw(rng, left--) < k;
        k -= work[s];
    }
    sides_of(a, work, side);
}
