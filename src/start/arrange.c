/* Families are placed side by side: along dimension 1 where they agree best, one above the other along
 * dimension 2. With L the median extent along dimension 1, each family in turn is
 *
 *   - shifted along dimension 1, by one of 25 values within 0.3 L of its centre, to where the mean squared
 *     distance between its curve and the one before, at equal abscissas, is least; a family's curve is the
 *     average of its nodes with Gaussian weights of width L/40, at 40 abscissas of the common part
 *   - moved along dimension 2 so that it begins 0.05 L above the highest node so far.
 *
 * In one dimension they follow each other, with the same gap. */
#include "start/arrange.h"

#include <math.h>
#include <stdlib.h>

#include "math/order.h"
#include "start/curves.h"

enum { SHIFTS = 25, ABSCISSAS = 40 };
static const double GAP = 0.05, SHIFT = 0.3, WIDTH = 1. / 40; /* of L */

typedef struct range {
    double low, high;
} range;

static range range_of(const rm2i_embedding *s, size_t q) {
    range r = {INFINITY, -INFINITY};
    for (size_t i = 0; i < s->n; i++) {
        r.low = fmin(r.low, s->Y[i * s->Q + q]);
        r.high = fmax(r.high, s->Y[i * s->Q + q]);
    }
    return r;
}

static void move(const rm2i_embedding *s, size_t q, double by) {
    for (size_t i = 0; i < s->n; i++)
        s->Y[i * s->Q + q] += by;
}

static void centre(const rm2i_embedding *s) {
    double mean = 0;
    for (size_t i = 0; i < s->n; i++)
        mean += s->Y[i * s->Q] / (double)s->n;
    move(s, 0, -mean);
}

/* Average (M) of the nodes around abscissa x. */
static void curve_at(const rm2i_embedding *s, double x, double width, double *mean) {
    double sum = 0;
    for (size_t m = 0; m < s->M; m++)
        mean[m] = 0;
    for (size_t i = 0; i < s->n; i++) {
        double off = (s->Y[i * s->Q] - x) / width, weight = exp(-off * off / 2);
        sum += weight;
        for (size_t m = 0; m < s->M; m++)
            mean[m] += weight * s->q[i * s->M + m];
    }
    for (size_t m = 0; sum > 0 && m < s->M; m++)
        mean[m] /= sum;
}

/* Mean squared distance of the curves where b is shifted. work: 2 M */
static double mismatch(const rm2i_embedding *a, const rm2i_embedding *b, double shift, double width,
                       double *work) {
    range ra = range_of(a, 0), rb = range_of(b, 0);
    double low = fmax(ra.low, rb.low + shift), high = fmin(ra.high, rb.high + shift), sum = 0;
    if (!(low < high))
        return INFINITY;
    for (size_t k = 0; k < ABSCISSAS; k++) {
        double x = low + (high - low) * (double)k / (ABSCISSAS - 1);
        curve_at(a, x, width, work);
        curve_at(b, x - shift, width, work + a->M);
        for (size_t m = 0; m < a->M; m++)
            sum += (work[m] - work[a->M + m]) * (work[m] - work[a->M + m]);
    }
    return sum / ABSCISSAS;
}

static double best_shift(const rm2i_embedding *a, const rm2i_embedding *b, double extent,
                         double *work) {
    double least = INFINITY, best = 0;
    for (size_t k = 0; k < SHIFTS; k++) {
        double shift = SHIFT * extent * (2 * (double)k / (SHIFTS - 1) - 1);
        double miss = mismatch(a, b, shift, WIDTH * extent, work);
        if (miss < least) {
            least = miss;
            best = shift;
        }
    }
    return best;
}

/* L */
static double typical_extent(size_t count, const rm2i_embedding *embedding, double *work) {
    for (size_t f = 0; f < count; f++) {
        range r = range_of(&embedding[f], 0);
        work[f] = r.high - r.low;
    }
    return rm2i_median(count, work);
}

rm2_status rm2i_arrange(rm2_context *ctx, size_t count, const rm2i_embedding *embedding) {
    double *work;
    if (count < 2)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, 2 * embedding->M + count, sizeof *work, &work));
    double extent = typical_extent(count, embedding, work), top = 0;
    size_t up = embedding->Q > 1 ? 1 : 0;
    for (size_t f = 0; f < count; f++) {
        centre(&embedding[f]);
        if (f && up)
            move(&embedding[f], 0, best_shift(&embedding[f - 1], &embedding[f], extent, work));
        range r = range_of(&embedding[f], up);
        double by = f ? top + GAP * extent - r.low : 0;
        move(&embedding[f], up, by);
        top = r.high + by;
    }
    free(work);
    return RM2_OK;
}
