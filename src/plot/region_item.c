/* Keep-out regions and hatched areas on the page.
 *
 * A region is convex, so that its image is the convex hull of the images of its surface: the hull is filled, and rings on the
 * surface are thin lines. A half space goes on for ever; what shows is its part inside the axes, the hull of the corners
 * of their box that are inside and of the points where edges of the box cross its boundary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "plot/draw.h"

enum {
    HALF_RING = 25, /* points of half a ring */
    MERIDIANS =
        12, /* rings through both poles of a sphere or capsule in space: enough for a smooth outline, */
    DRAWN = 3, /* of which every third is drawn */
    BOX_CORNERS = 8,
    FACE_CORNERS = 4,
    RINGS_MAX = MERIDIANS + 2,
    HULL_MAX = RINGS_MAX * 2 * HALF_RING
};

static const double FILL = 0.22; /* opacity of what is inside, relative to that of its edge */

/* ---- rings of a surface ------------------------------------------------------------------------ */

/* Directions (3 numbers each, the third 0 in a plane): u along the axis of a capsule, v and w across it. */
typedef struct axes {
    double u[3], v[3], w[3];
} axes;

static axes axes_of(const rm2_region *region) {
    axes x = {{0, 1, 0}, {1, 0, 0}, {0, 0, 0}};
    double length = 0;
    for (size_t k = 0; k < region->dim && region->kind == RM2_REGION_CAPSULE; k++)
        length = hypot(length, region->b[k] - region->a[k]);
    if (region->dim == 3)
        x = (axes){{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    if (length > 0) {
        size_t least = 0; /* axis of the coordinates that is least along u */
        for (size_t k = 0; k < 3; k++)
            x.u[k] = k < region->dim ? (region->b[k] - region->a[k]) / length : 0;
        for (size_t k = 1; k < region->dim; k++)
            if (fabs(x.u[k]) < fabs(x.u[least]))
                least = k;
        double across = sqrt(1 - x.u[least] * x.u[least]); /* v = (e - u u.e) / |e - u u.e| */
        for (size_t k = 0; k < 3; k++)
            x.v[k] = ((k == least ? 1 : 0) - x.u[k] * x.u[least]) / across;
        for (size_t k = 0; k < 3; k++) /* w = u x v, which no plane shows */
            x.w[k] = x.u[(k + 1) % 3] * x.v[(k + 2) % 3] - x.u[(k + 2) % 3] * x.v[(k + 1) % 3];
    }
    return x;
}

/* A stadium: half a circle in the plane of u and v around `to`, then the other half around `from`. */
static void stadium(size_t dim, const double *from, const double *to, double radius,
                    const double *u, const double *v, double *ring) {
    for (size_t i = 0; i < 2 * HALF_RING; i++) {
        size_t half = i / HALF_RING, step = i % HALF_RING;
        double angle = RM2_PI * ((double)step / (HALF_RING - 1) - 0.5 + (double)half);
        const double *centre = half ? from : to;
        for (size_t k = 0; k < dim; k++)
            ring[i * dim + k] = centre[k] + radius * (cos(angle) * u[k] + sin(angle) * v[k]);
    }
}

/* Meridians, and in space a circle across the axis at each end. */
static void round_rings(const rm2_region *region, size_t rings, double *points) {
    size_t dim = region->dim, stride = 2 * HALF_RING * dim;
    const double *end = region->kind == RM2_REGION_CAPSULE ? region->b : region->a;
    axes x = axes_of(region);
    for (size_t r = 0; r < rings; r++) {
        double turned[3], angle = RM2_PI * (double)r / MERIDIANS;
        const double *at = r == MERIDIANS ? region->a : end;
        for (size_t k = 0; k < 3; k++)
            turned[k] = cos(angle) * x.v[k] + sin(angle) * x.w[k];
        if (r < MERIDIANS)
            stadium(dim, region->a, end, region->radius, x.u, turned, points + r * stride);
        else
            stadium(dim, at, at, region->radius, x.v, x.w, points + r * stride);
    }
}

/* The rectangle in a plane; six faces in space: face f is at one end of axis f / 2. */
static void box_rings(const rm2_region *region, size_t rings, double *points) {
    static const unsigned around[FACE_CORNERS] = {0, 1, 3, 2};
    size_t dim = region->dim;
    for (size_t f = 0; f < rings; f++)
        for (size_t c = 0; c < FACE_CORNERS; c++)
            for (size_t k = 0; k < dim; k++) {
                size_t fixed = dim == 3 ? f / 2 : dim;
                size_t bit = k > fixed ? k - 1 : k;
                bool high = k == fixed ? f % 2 : around[c] >> bit & 1u;
                points[(f * FACE_CORNERS + c) * dim + k] = high ? region->b[k] : region->a[k];
            }
}

static size_t ring_count(const rm2_region *region) {
    if (region->dim == 2)
        return 1;
    return region->kind == RM2_REGION_BOX       ? 6
           : region->kind == RM2_REGION_CAPSULE ? MERIDIANS + 2
                                                : MERIDIANS + 1;
}

/* ---- adding ------------------------------------------------------------------------------------ */

static rm2_status check_region(rm2_context *ctx, const rm2_panel *panel, const rm2_region *region) {
    RM2_TRY(rm2i_expect_panel(ctx, panel, 1u << RM2_PANEL_PLANE | 1u << RM2_PANEL_SPACE,
                              "rm2_plot_region"));
    RM2_REQUIRE(ctx, region);
    RM2_TRY(rm2_region_check(ctx, region));
    if (region->dim != rm2i_panel_dims(panel))
        return rm2_context_fail(
            ctx, RM2_ERR_ARGUMENT,
            "rm2_plot_region: the region has %zu dimensions, the panel shows %zu", region->dim,
            rm2i_panel_dims(panel));
    return RM2_OK;
}

/* It has no points that the axes must show. */
static rm2_status add_half_space(rm2_context *ctx, rm2_panel *panel, const rm2_region *region,
                                 const rm2_style *style) {
    size_t dim = region->dim;
    rm2i_item *item;
    RM2_TRY(rm2i_item_add(ctx, panel, &rm2i_half_space, 1, 2 * dim, style, &item));
    for (size_t k = 0; k < dim; k++)
        item->points[k] = NAN;
    memcpy(item->extra, region->a, dim * sizeof *region->a);
    memcpy(item->extra + dim, region->b, dim * sizeof *region->b);
    return RM2_OK;
}

rm2_status rm2_plot_region(rm2_context *ctx, rm2_panel *panel, const rm2_region *region,
                           const rm2_style *style) {
    RM2_TRY(check_region(ctx, panel, region));
    if (region->kind == RM2_REGION_HALF_SPACE)
        return add_half_space(ctx, panel, region, style);
    bool box = region->kind == RM2_REGION_BOX;
    size_t rings = ring_count(region), length = box ? FACE_CORNERS : 2 * HALF_RING;
    rm2i_item *item;
    RM2_TRY(rm2i_item_add(ctx, panel, &rm2i_region, rings * length, 0, style, &item));
    item->joints = length;
    (box ? box_rings : round_rings)(region, rings, item->points);
    return RM2_OK;
}

/* ---- hulls ------------------------------------------------------------------------------------- */

typedef struct page_point {
    double x, y;
} page_point;

static int compare_points(const void *left, const void *right) {
    const page_point *a = left, *b = right;
    return a->x != b->x ? (a->x > b->x) - (a->x < b->x) : (a->y > b->y) - (a->y < b->y);
}

/* (a - o) x (b - o) */
static double turn(page_point o, page_point a, page_point b) {
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

/* Path around the convex hull (Andrew's monotone chain): the lower side, then the upper one. Sorts the points. */
static void trace_hull(cairo_t *cr, page_point *p, size_t n) {
    page_point hull[2 * HULL_MAX];
    size_t count = 0, least = 2;
    cairo_new_path(cr);
    if (n == 0)
        return;
    qsort(p, n, sizeof *p, compare_points);
    for (size_t i = 0; i < 2 * n - 1; i++) {
        page_point next = p[i < n ? i : 2 * n - 2 - i];
        if (i == n)
            least = count + 1;
        while (count >= least && turn(hull[count - 2], hull[count - 1], next) <= 0)
            count--;
        hull[count++] = next;
    }
    for (size_t i = 0; i < count; i++)
        cairo_line_to(cr, hull[i].x, hull[i].y);
    cairo_close_path(cr);
}

static void fill(cairo_t *cr, const rm2_style *style) {
    rm2i_set_colour(cr, style->colour, FILL * style->opacity);
    cairo_fill_preserve(cr);
}

/* With a white edge where the style asks for one. */
static void stroke(cairo_t *cr, const rm2_style *style, double opacity) {
    rm2i_set_stroke(cr, style);
    if (style->halo) {
        cairo_set_line_width(cr, style->width + 1);
        rm2i_set_colour(cr, RM2_WHITE, 0.8 * style->opacity);
        cairo_stroke_preserve(cr);
        cairo_set_line_width(cr, style->width);
    }
    rm2i_set_colour(cr, style->colour, opacity * style->opacity);
    cairo_stroke(cr);
}

/* Points on the page; how many of them there are, those that cannot be drawn left out. */
static size_t on_page(const rm2i_view *view, size_t n, const double *points, page_point *page) {
    size_t dims = view->kind == RM2_PANEL_PLANE ? 2 : 3, count = 0;
    for (size_t i = 0; i < n; i++) {
        double at[3];
        if (rm2i_view_point(view, points + i * dims, at))
            page[count++] = (page_point){at[0], at[1]};
    }
    return count;
}

static void draw_region(const rm2i_item *item, const rm2i_view *view, cairo_t *cr) {
    size_t dims = view->kind == RM2_PANEL_PLANE ? 2 : 3;
    page_point page[HULL_MAX];
    size_t count = on_page(view, item->count, item->points, page);
    cairo_save(cr);
    trace_hull(cr, page, count);
    fill(cr, &item->style);
    stroke(cr, &item->style, 1);
    for (size_t r = 0; r * item->joints < item->count && dims == 3; r++) {
        bool skipped = item->joints > FACE_CORNERS && r < MERIDIANS && r % DRAWN != 0;
        count = on_page(view, item->joints, item->points + r * item->joints * dims, page);
        cairo_new_path(cr);
        for (size_t i = 0; i < count && !skipped; i++)
            cairo_line_to(cr, page[i].x, page[i].y);
        cairo_close_path(cr);
        stroke(cr, &item->style, 0.35);
    }
    cairo_restore(cr);
}

static void sample_region(const rm2i_item *item, rm2i_rect box, cairo_t *cr) {
    cairo_save(cr);
    cairo_rectangle(cr, box.x + 0.1 * box.w, box.y + 0.1 * box.h, 0.8 * box.w, 0.8 * box.h);
    fill(cr, &item->style);
    stroke(cr, &item->style, 1);
    cairo_restore(cr);
}

/* ---- half spaces ------------------------------------------------------------------------------- */

/* Corner c of the box of the axes. */
static void box_corner(const rm2i_view *view, size_t dims, unsigned c, double *corner) {
    for (size_t k = 0; k < dims; k++)
        corner[k] = c >> k & 1u ? view->range[k].hi : view->range[k].lo;
}

/* b.(corner - a) of a half space, negative inside. */
static double beyond(const rm2i_item *item, size_t dims, const double *corner) {
    double value = 0;
    for (size_t k = 0; k < dims; k++)
        value += item->extra[dims + k] * (corner[k] - item->extra[k]);
    return value;
}

/* Points where edges of the box cross the boundary; the edge along k starts at a corner whose bit k is 0. */
static size_t crossings(const rm2i_item *item, const rm2i_view *view, size_t dims, double *points) {
    size_t count = 0;
    for (unsigned c = 0; c < 1u << dims; c++)
        for (size_t k = 0; k < dims; k++) {
            double from[3], to[3];
            if (c >> k & 1u)
                continue;
            box_corner(view, dims, c, from);
            box_corner(view, dims, c | 1u << k, to);
            double s = beyond(item, dims, from), t = beyond(item, dims, to);
            if ((s < 0) == (t < 0))
                continue;
            for (size_t l = 0; l < dims; l++) /* zero of the line through (0, s) and (1, t) */
                points[count * dims + l] = from[l] + s / (s - t) * (to[l] - from[l]);
            count++;
        }
    return count;
}

static void draw_half_space(const rm2i_item *item, const rm2i_view *view, cairo_t *cr) {
    enum { EDGES = 12 };
    size_t dims = view->kind == RM2_PANEL_PLANE ? 2 : 3;
    double points[(EDGES + BOX_CORNERS) * 3];
    page_point page[EDGES + BOX_CORNERS];
    size_t crossed = crossings(item, view, dims, points), count = crossed;
    for (unsigned c = 0; c < 1u << dims; c++) {
        box_corner(view, dims, c, points + count * dims);
        count += beyond(item, dims, points + count * dims) < 0;
    }
    cairo_save(cr);
    size_t shown = on_page(view, count, points, page);
    trace_hull(cr, page, shown);
    fill(cr, &item->style);
    shown = on_page(view, crossed, points, page);
    trace_hull(cr, page, shown);
    stroke(cr, &item->style, 1);
    cairo_restore(cr);
}

/* ---- hatched areas ------------------------------------------------------------------------------ */

rm2_status rm2_plot_hatched(rm2_context *ctx, rm2_panel *panel, const rm2_heat_map *field,
                            const rm2_style *style) {
    RM2_REQUIRE(ctx, field);
    RM2_REQUIRE(ctx, field->values);
    RM2_TRY(rm2i_check_grid(ctx, panel, field, "rm2_plot_hatched"));
    rm2i_item *item;
    size_t nodes = field->rows * field->columns;
    RM2_TRY(rm2i_item_add(ctx, panel, &rm2i_hatched, 1, nodes, style, &item));
    item->points[0] = item->points[1] = NAN;
    memcpy(item->extra, field->values, nodes * sizeof *item->extra);
    item->field = (rm2i_heat){.columns = field->columns,
                              .rows = field->rows,
                              .part = item->extra,
                              .x = {field->x_min, field->x_max, false},
                              .y = {field->y_min, field->y_max, false}};
    return RM2_OK;
}

/* The field at a point of the page; positive outside of the grid and where there is no value. */
static double field_at(const rm2i_heat *field, const rm2i_view *view, page_point p) {
    const rm2i_rect *frame = &view->frame;
    double x =
        view->range[0].lo + (view->range[0].hi - view->range[0].lo) * (p.x - frame->x) / frame->w;
    double y =
        view->range[1].hi - (view->range[1].hi - view->range[1].lo) * (p.y - frame->y) / frame->h;
    double across = (x - field->x.lo) / (field->x.hi - field->x.lo);
    double up = (y - field->y.lo) / (field->y.hi - field->y.lo);
    if (!(across >= 0 && across <= 1 && up >= 0 && up <= 1))
        return 1;
    double value =
        rm2i_heat_at(field, across * (double)(field->columns - 1), up * (double)(field->rows - 1));
    return isnan(value) ? 1 : value;
}

/* Parts of the line y = x + offset (from the lower left corner of the frame) on which the field is negative. */
static void trace_hatch(cairo_t *cr, const rm2i_heat *field, const rm2i_view *view, double offset) {
    static const double STEP = 0.5; /* points of the page */
    const rm2i_rect *frame = &view->frame;
    double from = fmax(0, -offset), to = fmin(frame->w, frame->h - offset);
    size_t steps = to > from ? (size_t)((to - from) / STEP) : 0;
    bool inside = false;
    for (size_t i = 0; i < steps; i++) {
        double t = from + STEP * (double)i;
        page_point p = {frame->x + t, frame->y + frame->h - t - offset};
        bool now = field_at(field, view, p) < 0;
        if (now && !inside)
            cairo_move_to(cr, p.x, p.y);
        else if (now)
            cairo_line_to(cr, p.x, p.y);
        inside = now;
    }
}

static void draw_hatched(const rm2i_item *item, const rm2i_view *view, cairo_t *cr) {
    rm2_style edge = item->style;
    edge.width *= 1.6;
    cairo_save(cr);
    cairo_new_path(cr);
    size_t lines = (size_t)((view->frame.w + view->frame.h) / item->style.size);
    for (size_t i = 0; i < lines; i++)
        trace_hatch(cr, &item->field, view, item->style.size * (double)i - view->frame.w);
    stroke(cr, &item->style, 1);
    rm2i_contour_trace(cr, &item->field, view, 0);
    stroke(cr, &edge, 1);
    cairo_restore(cr);
}

static void sample_hatched(const rm2i_item *item, rm2i_rect box, cairo_t *cr) {
    rm2_style plain = item->style; /* on paper */
    plain.halo = false;
    rm2i_rect inner = {box.x + 0.1 * box.w, box.y + 0.1 * box.h, 0.8 * box.w, 0.8 * box.h};
    cairo_save(cr);
    cairo_rectangle(cr, inner.x, inner.y, inner.w, inner.h);
    cairo_clip_preserve(cr);
    stroke(cr, &plain, 1);
    double gap = 0.7 * item->style.size;
    for (size_t i = 0; (double)i * gap < inner.w + inner.h; i++) {
        cairo_move_to(cr, inner.x + (double)i * gap - inner.h, inner.y + inner.h);
        cairo_rel_line_to(cr, inner.h, -inner.h);
    }
    stroke(cr, &plain, 1);
    cairo_restore(cr);
}

const rm2i_item_kind rm2i_region = {0.8, 0, 1, draw_region, sample_region};
const rm2i_item_kind rm2i_half_space = {0.8, 0, 1, draw_half_space, sample_region};
const rm2i_item_kind rm2i_hatched = {0.5, 4, 1, draw_hatched, sample_hatched};
