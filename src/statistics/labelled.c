/* What the statistics of labelled points share. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "statistics/statistics.h"

rm2_status rm2i_labelled_check(rm2_context *ctx, const rm2_labelled *data) {
    RM2_REQUIRE(ctx, data, data->manifold, data->points, data->labels);
    if (data->n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "data.n is 0: expected at least one point");
    for (size_t i = 0; i < data->n; i++)
        if (data->labels[i] >= data->label_count)
            return rm2i_fail(
                ctx, RM2_ERR_ARGUMENT,
                "data.labels[%zu] is %zu: expected a number below data.label_count %zu", i,
                data->labels[i], data->label_count);
    return RM2_OK;
}

/* ---- subjects ------------------------------------------------------------------------------- */

typedef struct appearance {
    size_t subject, point;
} appearance;

static int by_subject(const void *a, const void *b) {
    const appearance *x = a, *y = b;
    if (x->subject != y->subject)
        return x->subject < y->subject ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* Sorted by subject, the first of a run is a subject's first point; numbers follow the order of these points. */
static size_t number_sorted(size_t n, const appearance *sorted, size_t *first, size_t *number) {
    size_t count = 0;
    for (size_t k = 0; k < n; k++) {
        bool new = k == 0 || sorted[k].subject != sorted[k - 1].subject;
        first[sorted[k].point] = new ? sorted[k].point : first[sorted[k - 1].point];
    }
    for (size_t i = 0; i < n; i++)
        number[i] = first[i] == i ? count++ : number[first[i]];
    return count;
}

rm2_status rm2i_number_subjects(rm2_context *ctx, size_t n, const size_t *given, size_t *number,
                                size_t *count) {
    appearance *sorted = NULL;
    size_t *first = NULL;
    rm2_status status = rm2i_alloc(ctx, n, sizeof *sorted, &sorted);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, n, sizeof *first, &first);
    if (status == RM2_OK) {
        for (size_t i = 0; i < n; i++)
            sorted[i] = (appearance){given ? given[i] : i, i};
        qsort(sorted, n, sizeof *sorted, by_subject);
        *count = number_sorted(n, sorted, first, number);
    }
    free(sorted);
    free(first);
    return status;
}

/* ---- points and chance ---------------------------------------------------------------------- */

void rm2i_gather(size_t width, size_t count, const size_t *index, const double *points,
                 double *out) {
    for (size_t k = 0; k < count; k++)
        memcpy(out + k * width, points + index[k] * width, width * sizeof *out);
}

rm2_rng rm2i_stream(uint64_t seed, size_t number) {
    rm2_rng rng;
    /* an odd multiplier other than the increment of the generator that spreads a seed over the state */
    rm2_rng_seed(&rng, seed ^ ((uint64_t)number + 1) * UINT64_C(0xD1342543DE82EF95));
    return rng;
}

size_t rm2i_draw(rm2_rng *rng, size_t count) {
    size_t k = (size_t)(rm2_rng_uniform(rng) * (double)count);
    return k < count ? k : count - 1;
}
