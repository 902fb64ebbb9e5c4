/* Columns that may not be what they are taken for. Only those of Euclidean factors: the entries of other
 * points belong together. */
#include <math.h>

#include "base/base.h"
#include "data/data.h"

enum { SHORTEST = 5 };           /* points of a trajectory that show a steady column */
static const double EVEN = 0.01; /* largest distance from an even run, of its range */
static const double TINY = 1e-3; /* deviation, against the factor's largest */

/* One entry of all points. */
typedef struct column {
    const rm2_data *data;
    size_t ambient;
    const double *x; /* of the first point; the next is `ambient` further */
} column;

static double at(const column *c, size_t i) {
    return c->x[i * c->ambient];
}

/* Standard deviation of what is not missing; exactly 0 for equal values. */
static double deviation(const column *c) {
    double mean = 0, square = 0, low = INFINITY, high = -INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < c->data->count; i++)
        if (!isnan(at(c, i))) {
            double step = at(c, i) - mean;
            mean += step / (double)++n;
            square += step * (at(c, i) - mean);
            low = fmin(low, at(c, i));
            high = fmax(high, at(c, i));
        }
    return high > low ? sqrt(square / (double)n) : 0;
}

/* Does trajectory t run evenly from its first to its last value? */
static bool runs_evenly(const column *c, size_t t, double *slope) {
    size_t from = c->data->starts[t], last = c->data->starts[t + 1] - 1;
    if (last - from + 1 < SHORTEST)
        return false;
    double range = at(c, last) - at(c, from);
    *slope = range / (double)(last - from);
    for (size_t i = from; i <= last; i++)
        if (!(fabs(at(c, from) + *slope * (double)(i - from) - at(c, i)) <= EVEN * fabs(range)))
            return false;
    return range != 0;
}

/* As time and indices do: evenly, in one direction, along every trajectory. */
static bool is_steady(const column *c) {
    double first = 0, slope;
    for (size_t t = 0; t < c->data->trajectories; t++) {
        if (!runs_evenly(c, t, &slope) || slope * first < 0)
            return false;
        first = slope;
    }
    return c->data->trajectories > 0;
}

static column column_of(const rm2_data *data, const rm2_factor *f, size_t entry) {
    return (column){data, rm2_manifold_ambient(data->manifold),
                    data->points + f->ambient_offset + entry};
}

static void describe_factor(const rm2_data *data, size_t k, rm2_data_report *report) {
    const rm2_factor *f = rm2_manifold_factor(data->manifold, k);
    double largest = 0;
    for (size_t j = 0; j < f->ambient; j++) {
        column c = column_of(data, f, j);
        largest = fmax(largest, deviation(&c));
    }
    for (size_t j = 0; j < f->ambient; j++) {
        column c = column_of(data, f, j);
        double own = deviation(&c);
        bool steady = own > 0 && is_steady(&c);
        if (own > 0 && !steady && own >= TINY * largest)
            continue;
        rm2_oddity kind = own > 0 ? RM2_ODD_TINY : RM2_ODD_CONSTANT;
        report->odd_column[report->odd_columns++] =
            (rm2_odd_column){k, j, steady ? RM2_ODD_STEADY : kind};
    }
}

rm2_status rm2i_describe_columns(rm2_context *ctx, const rm2_data *data, rm2_data_report *report) {
    RM2_TRY(rm2i_alloc(ctx, rm2_manifold_ambient(data->manifold), sizeof *report->odd_column,
                       &report->odd_column));
    for (size_t k = 0; data->count > 1 && k < report->factors; k++)
        if (rm2_manifold_factor(data->manifold, k)->geometry == &rm2_euclidean)
            describe_factor(data, k, report);
    return RM2_OK;
}
