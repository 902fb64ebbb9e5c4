/* From data to the page: ranges of the axes from what the items show, frames of planes, and the
 * projection of space.
 *
 * Space is seen from far away in the direction d of azimuth a and elevation e (an orthographic
 * projection: parallels stay parallel, and lengths along an axis can be compared):
 *     d = (cos e cos a, cos e sin a, sin e),  right = (-sin a, cos a, 0),  up = d x right. */
#include <math.h>
#include <string.h>

#include "front/base.h"
#include "plot/draw.h"

static const double DRAWABLE =
    1e150;                          /* larger numbers are left out, as those that are not finite */
static const double PAD = 0.04;     /* of the range, beyond the outermost points */
static const double NARROW = 1e-12; /* a range relatively narrower than this has no width */
static const double FAR = 1e5;      /* points on the page: beyond, lines end */

static bool drawable(const double *point, size_t dims, const rm2i_axis_range *range) {
    for (size_t k = 0; k < dims; k++)
        if (!(fabs(point[k]) <= DRAWABLE) || (range[k].log && point[k] <= 0))
            return false;
    return true;
}

/* ---- ranges ----------------------------------------------------------------------------------- */

static void extend(rm2i_axis_range *range, double value) {
    range->lo = fmin(range->lo, value);
    range->hi = fmax(range->hi, value);
}

static void extend_by_items(const rm2_panel *panel, rm2i_axis_range *range) {
    size_t dims = rm2i_panel_dims(panel);
    for (size_t i = 0; i < panel->item_count; i++) {
        const rm2i_item *item = panel->items[i];
        for (size_t j = 0; j < item->count; j++)
            if (drawable(item->points + j * dims, dims, range))
                for (size_t k = 0; k < dims; k++)
                    extend(range + k, item->points[j * dims + k]);
    }
}

/* Room around the outermost points; a range of no width gets one. */
static void widen(rm2i_axis_range *range, double pad) {
    if (range->log) {
        double factor = pow(range->hi / range->lo, pad);
        factor = factor > 1 + NARROW || pad == 0 ? factor : 2;
        range->lo /= factor;
        range->hi *= factor;
        return;
    }
    double size = fmax(fabs(range->lo), fabs(range->hi)), width = range->hi - range->lo;
    double room = width > NARROW * size ? pad * width : size > 0 ? 0.1 * size : 1;
    range->lo -= room;
    range->hi += room;
}

static const rm2_axis *axis_of(const rm2_panel *panel, size_t k) {
    const rm2_panel_settings *s = &panel->settings;
    return k == 0 ? &s->x : k == 1 ? &s->y : &s->z;
}

static bool is_fixed(const rm2_axis *axis) {
    return axis->max > axis->min;
}

static rm2_status range_of_axis(rm2_context *ctx, const rm2_panel *panel, size_t k,
                                rm2i_axis_range *range) {
    const rm2_axis *axis = axis_of(panel, k);
    if (is_fixed(axis)) {
        range->lo = axis->min;
        range->hi = axis->max;
        return RM2_OK;
    }
    if (!(range->lo <= range->hi))
        return rm2_context_fail(
            ctx, RM2_ERR_DATA,
            "panel (%zu, %zu) has no %s point to show: plot something, or set the axes", panel->row,
            panel->column, range->log ? "positive" : "finite");
    const rm2i_axis_range *heat = !panel->heat ? NULL : k == 0 ? &panel->heat->x : &panel->heat->y;
    bool covered = heat && heat->lo <= range->lo && heat->hi >= range->hi;
    widen(range, covered ? 0 : PAD);
    return RM2_OK;
}

/* Axes of a plane or a box. */
static rm2_status free_ranges(rm2_context *ctx, const rm2_panel *panel, rm2i_view *view) {
    size_t dims = rm2i_panel_dims(panel);
    for (size_t k = 0; k < dims; k++)
        view->range[k] = (rm2i_axis_range){INFINITY, -INFINITY, axis_of(panel, k)->log};
    extend_by_items(panel, view->range);
    if (panel->heat) {
        const rm2i_heat *heat = panel->heat;
        extend(&view->range[0], heat->x.lo);
        extend(&view->range[0], heat->x.hi);
        extend(&view->range[1], heat->y.lo);
        extend(&view->range[1], heat->y.hi);
    }
    for (size_t k = 0; k < dims; k++)
        RM2_TRY(range_of_axis(ctx, panel, k, &view->range[k]));
    return RM2_OK;
}

/* The cone up to the largest entry shown: u, v in [-top, top], w in [0, top]. */
static rm2_status cone_ranges(rm2_context *ctx, const rm2_panel *panel, rm2i_view *view) {
    rm2i_axis_range data[3] = {{0, 0, false}, {0, 0, false}, {0, 0, false}};
    extend_by_items(panel, data);
    double top = is_fixed(&panel->settings.z) ? panel->settings.z.max : 0;
    for (size_t k = 0; k < 3 && !is_fixed(&panel->settings.z); k++)
        top = fmax(top, (1 + PAD) * fmax(-data[k].lo, data[k].hi));
    if (top <= 0)
        return rm2_context_fail(ctx, RM2_ERR_DATA, "panel (%zu, %zu) has no finite matrix to show",
                                panel->row, panel->column);
    for (size_t k = 0; k < 3; k++)
        view->range[k] = (rm2i_axis_range){k == 2 ? 0 : -top, top, false};
    return RM2_OK;
}

/* ---- start ------------------------------------------------------------------------------------ */

static void set_direction(const rm2_panel_settings *s, double turn[3][3]) {
    static const double RADIANS = RM2_PI / 180;
    double a = s->azimuth * RADIANS, e = s->elevation * RADIANS;
    const double rows[3][3] = {{-sin(a), cos(a), 0},
                               {-sin(e) * cos(a), -sin(e) * sin(a), cos(e)},
                               {cos(e) * cos(a), cos(e) * sin(a), sin(e)}};
    memcpy(turn, rows, sizeof rows);
}

/* Half sides of the box: in proportion to the ranges, or a box that is a little lower than wide. */
static void set_box(const rm2_panel *panel, rm2i_view *view) {
    bool equal = panel->settings.equal || view->kind != RM2_PANEL_SPACE;
    double longest = 0;
    for (size_t k = 0; k < 3; k++)
        longest = fmax(longest, view->range[k].hi - view->range[k].lo);
    for (size_t k = 0; k < 3; k++)
        view->half[k] = equal    ? (view->range[k].hi - view->range[k].lo) / longest
                        : k == 2 ? 0.75
                                 : 1;
}

rm2_status rm2i_view_start(rm2_context *ctx, const rm2_panel *panel, rm2i_view *view) {
    memset(view, 0, sizeof *view);
    view->kind = panel->settings.kind;
    set_direction(&panel->settings, view->turn);
    if (view->kind == RM2_PANEL_MATRICES)
        return panel->matrix_row_count > 0
                   ? RM2_OK
                   : rm2_context_fail(ctx, RM2_ERR_DATA, "panel (%zu, %zu) has no matrices to show",
                                      panel->row, panel->column);
    if (view->kind == RM2_PANEL_SPHERE)
        for (size_t k = 0; k < 3; k++)
            view->range[k] = (rm2i_axis_range){-1, 1, false};
    else if (view->kind == RM2_PANEL_CONE)
        RM2_TRY(cone_ranges(ctx, panel, view));
    else
        RM2_TRY(free_ranges(ctx, panel, view));
    set_box(panel, view);
    return RM2_OK;
}

/* ---- planes ----------------------------------------------------------------------------------- */

/* Half width and height of an ellipse with semi-axes a, b, the first at an angle. */
static void ellipse_extent(const double *shape, double half[2]) {
    double c = cos(shape[2]), s = sin(shape[2]);
    half[0] = hypot(shape[0] * c, shape[1] * s);
    half[1] = hypot(shape[0] * s, shape[1] * c);
}

/* Largest half extents over the ellipses, and mean distance of neighbours on the page. */
static void ellipse_sizes(const rm2i_item *item, const rm2i_view *view, double half[2],
                          double *distance) {
    double before[3], here[3], total = 0;
    size_t steps = 0;
    bool known = false;
    for (size_t i = 0; i < item->count; i++) {
        double extent[2];
        if (!rm2i_view_point(view, item->points + 2 * i, here))
            continue;
        ellipse_extent(item->extra + 3 * i, extent);
        half[0] = fmax(half[0], extent[0]);
        half[1] = fmax(half[1], extent[1]);
        if (known) {
            total += hypot(here[0] - before[0], here[1] - before[1]);
            steps++;
        }
        known = true;
        memcpy(before, here, sizeof before);
    }
    *distance = steps > 0 ? total / (double)steps : INFINITY;
}

/* The size of ellipses without one: the largest of them about as wide as their distance. */
static void choose_ellipse_size(const rm2_panel *panel, rm2i_view *view) {
    double half[2] = {0, 0}, closest = INFINITY;
    for (size_t i = 0; i < panel->item_count; i++) {
        double distance;
        if (panel->items[i]->kind != &rm2i_ellipses || panel->items[i]->style.size > 0)
            continue;
        ellipse_sizes(panel->items[i], view, half, &distance);
        closest = fmin(closest, distance);
    }
    double largest = fmax(half[0], half[1]), side = fmin(view->frame.w, view->frame.h);
    if (largest > 0)
        view->ellipse = fmin(fmax(0.55 * closest, 5), 0.3 * side) / largest;
}

/* Room for the ellipses at the border: the centres keep a distance of `pad` points from it. */
static void make_room(const rm2_panel *panel, rm2i_view *view) {
    double pad[2] = {0, 0}, side[2] = {view->frame.w, view->frame.h};
    for (size_t i = 0; i < panel->item_count; i++) {
        double half[2] = {0, 0}, distance, size = panel->items[i]->style.size;
        if (panel->items[i]->kind != &rm2i_ellipses)
            continue;
        ellipse_sizes(panel->items[i], view, half, &distance);
        for (size_t k = 0; k < 2; k++)
            pad[k] = fmax(pad[k], half[k] * (size > 0 ? size : view->ellipse));
    }
    for (size_t k = 0; k < 2; k++) {
        double room = fmin(pad[k], side[k] / 3);
        rm2i_axis_range *range = &view->range[k];
        double more = (range->hi - range->lo) * room / (side[k] - 2 * room);
        if (is_fixed(axis_of(panel, k)) || range->log)
            continue;
        range->lo -= more;
        range->hi += more;
    }
}

/* One unit equally long on both axes: a heat map gets a smaller frame, others a wider range. */
static void equalise(bool shrink, rm2i_view *view) {
    rm2i_rect *frame = &view->frame;
    double width = view->range[0].hi - view->range[0].lo;
    double height = view->range[1].hi - view->range[1].lo;
    double unit = fmin(frame->w / width, frame->h / height);
    double spare[2] = {frame->w - width * unit, frame->h - height * unit};
    if (shrink) {
        *frame = (rm2i_rect){frame->x + spare[0] / 2, frame->y + spare[1] / 2, width * unit,
                             height * unit};
        return;
    }
    for (size_t k = 0; k < 2; k++) {
        view->range[k].lo -= spare[k] / unit / 2;
        view->range[k].hi += spare[k] / unit / 2;
    }
}

void rm2i_view_fit_plane(const rm2_panel *panel, rm2i_rect area, rm2i_view *view) {
    view->frame = area;
    choose_ellipse_size(panel, view);
    make_room(panel, view);
    bool fixed = is_fixed(&panel->settings.x) || is_fixed(&panel->settings.y);
    if (panel->settings.equal)
        equalise(panel->heat || fixed, view);
}

/* ---- points ----------------------------------------------------------------------------------- */

static double near(double page) {
    return page < -FAR ? -FAR : page > FAR ? FAR : page;
}

void rm2i_view_project(const rm2i_view *view, const double q[3], double page[3]) {
    double turned[3];
    for (size_t k = 0; k < 3; k++) /* turned = T q */
        turned[k] = view->turn[k][0] * q[0] + view->turn[k][1] * q[1] + view->turn[k][2] * q[2];
    page[0] = near(view->centre[0] + view->scale * turned[0]);
    page[1] = near(view->centre[1] - view->scale * turned[1]);
    page[2] = turned[2];
}

bool rm2i_view_point(const rm2i_view *view, const double *point, double page[3]) {
    size_t dims = view->kind == RM2_PANEL_PLANE ? 2 : 3;
    double part[3];
    if (!drawable(point, dims, view->range))
        return false;
    for (size_t k = 0; k < dims; k++)
        part[k] = rm2i_range_part(&view->range[k], point[k]);
    if (view->kind == RM2_PANEL_PLANE) {
        page[0] = near(view->frame.x + view->frame.w * part[0]);
        page[1] = near(view->frame.y + view->frame.h * (1 - part[1]));
        page[2] = 0;
        return true;
    }
    for (size_t k = 0; k < 3; k++)
        part[k] = view->half[k] * (2 * part[k] - 1);
    rm2i_view_project(view, part, page);
    return true;
}

/* With b = p.d and the distance r of p from the line of sight through the centre, the sphere is met at
 * depth sqrt(1 - r^2). Points that are about on the sphere, as those of a chord between neighbouring
 * points, count as on it: they are hidden on the far side. */
bool rm2i_view_hidden(const rm2i_view *view, const double *p) {
    const double *d = view->turn[2], ABOUT = 0.02;
    double b = p[0] * d[0] + p[1] * d[1] + p[2] * d[2];
    double norm2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2], r2 = norm2 - b * b;
    if (fabs(sqrt(norm2) - 1) < ABOUT)
        return b < 0;
    return r2 < 1 && b < sqrt(1 - r2);
}
