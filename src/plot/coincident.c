/* Points that coincide: those in one cell of a fine grid over the item's range. On the page a cell is far smaller
 * than a dot of a printer. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot.h"

static const double CELLS = 1e4; /* along each axis */

typedef struct placed {
    double cell[3];
    size_t index;
} placed;

static int compare(const void *a, const void *b) {
    const placed *p = a, *q = b;
    for (size_t k = 0; k < 3; k++)
        if (p->cell[k] != q->cell[k])
            return p->cell[k] < q->cell[k] ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

/* Least value and size of a cell along axis k; a range of no width has one cell. */
static void cells_of(const rm2i_item *item, size_t dims, size_t k, double *lo, double *size) {
    double hi = -INFINITY;
    *lo = INFINITY;
    for (size_t i = 0; i < item->count; i++) {
        double x = item->points[i * dims + k];
        *lo = isfinite(x) ? fmin(*lo, x) : *lo;
        hi = isfinite(x) ? fmax(hi, x) : hi;
    }
    double rounding = 1e-12 * fmax(fabs(*lo), fabs(hi));
    *size = hi > *lo ? fmax((hi - *lo) / CELLS, rounding) : 1;
}

static void place(const rm2i_item *item, size_t dims, placed *points) {
    for (size_t i = 0; i < item->count; i++)
        points[i] = (placed){.index = i};
    for (size_t k = 0; k < dims; k++) {
        double lo, size;
        cells_of(item, dims, k, &lo, &size);
        for (size_t i = 0; i < item->count; i++) {
            double cell = floor((item->points[i * dims + k] - lo) / size + 0.5);
            points[i].cell[k] = isfinite(cell) ? cell : -1; /* not drawn at all */
        }
    }
}

rm2_status rm2i_count_coincident(rm2_context *ctx, size_t dims, rm2i_item *item) {
    placed *points;
    RM2_TRY(rm2i_plot_alloc(ctx, item->count, sizeof *points, &points));
    place(item, dims, points);
    qsort(points, item->count, sizeof *points, compare);
    for (size_t i = 0, first = 0; i < item->count; i++) {
        bool same = i > 0;
        for (size_t k = 0; k < 3 && same; k++)
            same = points[i].cell[k] == points[first].cell[k];
        first = same ? first : i;
        item->extra[points[first].index] += 1;
    }
    free(points);
    return RM2_OK;
}
