/* One figure of each kind, from made-up formulas: what rm2_plot_* can draw, and how it is called.
 * Usage: figures [DIRECTORY [png|svg|pdf]]
 * cc figures.c $(pkg-config --cflags --libs riemann2) -o figures */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <riemann2.h>
#include <riemann2/plot.h>

enum { STEPS = 101, DEMOS = 5 };
static const double PI = 3.14159265358979323846;

typedef struct album {
    rm2_context *ctx;
    const char *directory, *format;
} album;

/* Every call below must go well: the program ends with the message of the first that does not. */
static void must(const album *a, rm2_status status) {
    if (status == RM2_OK)
        return;
    fprintf(stderr, "%s\n", rm2_context_error(a->ctx));
    exit(1);
}

static rm2_figure *page(const album *a, double width, double height, size_t rows, size_t columns) {
    rm2_figure_settings s = rm2_figure_settings_default();
    rm2_figure *figure;
    s.width = width;
    s.height = height;
    s.rows = rows;
    s.columns = columns;
    must(a, rm2_figure_create(a->ctx, &s, &figure));
    return figure;
}

static rm2_panel *panel(const album *a, rm2_figure *figure, size_t row, size_t column,
                        rm2_panel_settings settings) {
    rm2_panel *made;
    must(a, rm2_figure_panel(a->ctx, figure, row, column, &settings, &made));
    return made;
}

static void save(const album *a, rm2_figure *figure, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s", a->directory, name, a->format);
    must(a, rm2_figure_save(a->ctx, figure, path, 0, true));
    rm2_figure_free(figure);
    printf("%s\n", path);
}

static void curve(const album *a, rm2_panel *where, const double *points, rm2_style style) {
    must(a, rm2_plot_curve(a->ctx, where, STEPS, points, &style));
}

/* ---- a latent space --------------------------------------------------------------------------- */

/* Five arcs of a latent space with its magnification: low along the data, high away from them. */
static void arc_point(double t, size_t demo, double *z) {
    double angle = PI * (0.1 + 0.8 * t), radius = 1.4 + 0.09 * ((double)demo - 2);
    z[0] = radius * cos(angle);
    z[1] = radius * sin(angle) - 0.7;
}

static double magnification(double x, double y) {
    double away = hypot(x, y + 0.7) - 1.4, below = fmin(0, y + 0.25);
    return pow(10, 2.6 * (1 - exp(-4 * away * away - 2 * below * below))) * 0.2;
}

static void add_magnification(const album *a, rm2_panel *where) {
    enum { COLUMNS = 81, ROWS = 61 };
    static double grid[ROWS * COLUMNS];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            grid[r * COLUMNS + c] =
                magnification(-2 + 4.0 * c / (COLUMNS - 1), -1.2 + 2.6 * r / (ROWS - 1));
    rm2_heat_map heat = {.columns = COLUMNS,
                         .rows = ROWS,
                         .values = grid,
                         .x_min = -2,
                         .x_max = 2,
                         .y_min = -1.2,
                         .y_max = 1.4,
                         .log = true,
                         .contours = 4,
                         .label = "magnification √det G"};
    must(a, rm2_plot_heat(a->ctx, where, &heat));
}

static void add_latents(const album *a, rm2_panel *where) {
    enum { POINTS = 24 };
    double z[DEMOS * POINTS * 2];
    size_t group[DEMOS * POINTS];
    for (size_t i = 0; i < DEMOS * POINTS; i++) {
        group[i] = i / POINTS;
        arc_point((double)(i % POINTS) / (POINTS - 1), group[i], z + 2 * i);
    }
    const rm2_groups groups = {.n = DEMOS * POINTS, .points = z, .group = group, .count = DEMOS};
    must(a, rm2_plot_groups(a->ctx, where, &groups, &(rm2_style){.size = 3, .halo = true}));
}

static void add_paths(const album *a, rm2_panel *where) {
    double geodesic[2 * STEPS], straight[2 * STEPS], density[2 * STEPS];
    for (int i = 0; i < STEPS; i++) {
        double t = i / (STEPS - 1.0), angle = PI * (0.12 + 0.76 * t);
        geodesic[2 * i] = 1.45 * cos(angle);
        geodesic[2 * i + 1] = 1.41 * sin(angle) - 0.7;
        density[2 * i] = 1.45 * cos(angle) * (1 - 0.12 * sin(PI * t));
        density[2 * i + 1] = 0.95 * sin(angle) - 0.53;
        straight[2 * i] = 1.45 * cos(PI * 0.12) * (1 - 2 * t);
        straight[2 * i + 1] = 1.41 * sin(PI * 0.12) - 0.7;
    }
    curve(a, where, straight,
          (rm2_style){
              .label = "straight line", .colour = RM2_WHITE, .width = 1.5, .dash = RM2_DASHED});
    curve(
        a, where, density,
        (rm2_style){
            .label = "density geodesic", .colour = RM2_ORANGE, .width = 1.6, .dash = RM2_DASH_DOT});
    curve(a, where, geodesic,
          (rm2_style){.label = "geodesic", .colour = RM2_VERMILION, .width = 1.8, .halo = true});
}

static rm2_panel *add_latent_panel(const album *a, rm2_figure *figure, const char *title) {
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    s.title = title;
    s.x.label = "x₁";
    s.y.label = "x₂";
    s.equal = true;
    s.legend = RM2_LEGEND_BELOW;
    rm2_panel *where = panel(a, figure, 0, 0, s);
    add_magnification(a, where);
    add_latents(a, where);
    add_paths(a, where);
    return where;
}

static void draw_latent(const album *a) {
    rm2_figure *figure = page(a, 85, 64, 1, 1);
    (void)add_latent_panel(a, figure, NULL);
    save(a, figure, "latent");
}

/* ---- curves ----------------------------------------------------------------------------------- */

/* A stroke in the plane; demonstrations differ a little. */
static void stroke_point(double t, size_t demo, double *x) {
    double d = 0.05 * ((double)demo - 2);
    x[0] = sin(2 * PI * t * 0.8) * (1 + d) + d;
    x[1] = 1.6 * (0.5 - t) + 0.35 * cos(5 * t) * (1 - d);
}

static void add_strokes(const album *a, rm2_panel *where) {
    double x[2 * STEPS];
    for (size_t demo = 0; demo < DEMOS; demo++) {
        for (int i = 0; i < STEPS; i++)
            stroke_point(i / (STEPS - 1.0), demo, x + 2 * i);
        curve(a, where, x,
              (rm2_style){.label = "demonstrations", .colour = RM2_GREY, .width = 0.8});
    }
    for (int i = 0; i < STEPS; i++)
        stroke_point(i / (STEPS - 1.0), 2, x + 2 * i);
    curve(a, where, x, (rm2_style){.label = "geodesic", .colour = RM2_VERMILION, .width = 1.6});
    must(a, rm2_plot_points(a->ctx, where, 1, x,
                            &(rm2_style){.label = "start", .colour = RM2_BLACK, .size = 5}));
}

static void draw_plane(const album *a) {
    rm2_figure *figure = page(a, 85, 65, 1, 1);
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    s.x.label = "x [m]";
    s.y.label = "y [m]";
    s.equal = true;
    add_strokes(a, panel(a, figure, 0, 0, s));
    save(a, figure, "plane");
}

/* A coordinate over time with a band of two standard deviations, and another below it. */
static void draw_time(const album *a) {
    static const char *const labels[] = {"y₁ [m]", "y₂ [m]"};
    rm2_figure *figure = page(a, 85, 80, 2, 1);
    for (size_t k = 0; k < 2; k++) {
        rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
        double t[STEPS], low[STEPS], high[STEPS], mean[2 * STEPS], data[2 * STEPS];
        s.y.label = labels[k];
        if (k == 1)
            s.x.label = "time [s]";
        for (int i = 0; i < STEPS; i++) {
            double sd = 0.03 + 0.12 * pow(sin(PI * i / (STEPS - 1.0)), 2) * (double)(k + 1);
            t[i] = 4.0 * i / (STEPS - 1);
            double value = k == 0 ? sin(1.7 * t[i]) : 0.4 * t[i] * cos(t[i]);
            low[i] = value - 2 * sd;
            high[i] = value + 2 * sd;
            mean[2 * i] = data[2 * i] = t[i];
            mean[2 * i + 1] = value;
            data[2 * i + 1] = value + sd * sin(9 * t[i]);
        }
        rm2_panel *where = panel(a, figure, k, 0, s);
        must(a, rm2_plot_band(a->ctx, where, STEPS, t, low, high,
                              &(rm2_style){.label = k ? NULL : "± 2 σ", .colour = RM2_BLUE}));
        curve(a, where, mean,
              (rm2_style){.label = k ? NULL : "mean", .colour = RM2_BLUE, .width = 1.5});
        curve(a, where, data,
              (rm2_style){.label = k ? NULL : "held out", .colour = RM2_BLACK, .dash = RM2_DASHED});
    }
    save(a, figure, "time");
}

static void draw_training(const album *a) {
    rm2_figure *figure = page(a, 85, 55, 1, 1);
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    double robust[2 * STEPS], plain[2 * STEPS];
    s.x.label = "iteration";
    s.y.label = "objective − minimum";
    s.y.log = true;
    for (int i = 0; i < STEPS; i++) {
        robust[2 * i] = plain[2 * i] = i;
        robust[2 * i + 1] = 4e4 * exp(-0.16 * i) + 0.02 * (1 + cos(0.3 * i)) + 0.01;
        plain[2 * i + 1] = 4e4 / (1 + 0.8 * i * i) + 20 * exp(-0.05 * i);
    }
    rm2_panel *where = panel(a, figure, 0, 0, s);
    curve(a, where, robust, (rm2_style){.label = "L-BFGS"});
    curve(a, where, plain, (rm2_style){.label = "Adam", .dash = RM2_DASHED});
    save(a, figure, "training");
}

/* ---- space ------------------------------------------------------------------------------------ */

/* A reaching motion and the orientation of the hand along it. */
static void pose(double t, size_t demo, double *position, double *quaternion) {
    double d = 0.02 * ((double)demo - 2), half = 0.5 * (0.3 + 1.5 * t);
    position[0] = 0.3 + 0.4 * t + d;
    position[1] = 0.25 * sin(PI * t) - 0.1 + 0.5 * d;
    position[2] = 0.15 + 0.3 * t * (1.6 - t) - d;
    quaternion[0] = cos(half);
    quaternion[1] = 0.6 * sin(half);
    quaternion[2] = 0;
    quaternion[3] = 0.8 * sin(half);
}

static void draw_poses(const album *a) {
    enum { FRAMES = 9 };
    rm2_figure *figure = page(a, 85, 75, 1, 1);
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_SPACE);
    double x[3 * STEPS], q[4 * FRAMES], spare[4];
    s.x.label = "x [m]";
    s.y.label = "y [m]";
    s.z.label = "z [m]";
    s.equal = true;
    rm2_panel *where = panel(a, figure, 0, 0, s);
    for (size_t demo = 0; demo < DEMOS; demo++) {
        for (int i = 0; i < STEPS; i++)
            pose(i / (STEPS - 1.0), demo, x + 3 * i, spare);
        curve(a, where, x,
              (rm2_style){.label = "demonstrations", .colour = RM2_GREY, .width = 0.7});
    }
    for (int i = 0; i < STEPS; i++)
        pose(i / (STEPS - 1.0), 2, x + 3 * i, spare);
    curve(a, where, x, (rm2_style){.label = "geodesic", .colour = RM2_BLACK, .width = 1.4});
    for (int i = 0; i < FRAMES; i++)
        pose(i / (FRAMES - 1.0), 2, x + 3 * i, q + 4 * i);
    must(a, rm2_plot_frames(a->ctx, where, FRAMES, x, q,
                            &(rm2_style){.label = "orientation", .size = 16}));
    save(a, figure, "poses");
}

static void sphere_point(double t, size_t demo, double *p) {
    double d = 0.06 * ((double)demo - 2), longitude = -1.3 + 5.6 * t,
           latitude = 0.9 * sin(3 * t) + d;
    p[0] = cos(latitude) * cos(longitude);
    p[1] = cos(latitude) * sin(longitude);
    p[2] = sin(latitude);
}

static void add_sphere(const album *a, rm2_panel *where) {
    double p[3 * STEPS], chord[3 * STEPS];
    for (size_t demo = 0; demo < DEMOS; demo++) {
        for (int i = 0; i < STEPS; i++)
            sphere_point(i / (STEPS - 1.0), demo, p + 3 * i);
        curve(a, where, p,
              (rm2_style){.label = "demonstrations", .colour = RM2_GREY, .width = 0.8});
    }
    for (int i = 0; i < STEPS; i++)
        sphere_point(i / (STEPS - 1.0), 2, p + 3 * i);
    for (int i = 0; i < STEPS; i++)
        for (int k = 0; k < 3; k++) /* a curve that leaves the sphere */
            chord[3 * i + k] = p[3 * i + k] * (1 + 0.25 * sin(PI * i / (STEPS - 1.0)));
    curve(a, where, p, (rm2_style){.label = "geodesic", .colour = RM2_VERMILION, .width = 1.6});
    curve(a, where, chord,
          (rm2_style){.label = "Euclidean model", .colour = RM2_BLUE, .dash = RM2_DASHED});
}

static void draw_sphere(const album *a) {
    rm2_figure *figure = page(a, 85, 80, 1, 1);
    add_sphere(a, panel(a, figure, 0, 0, rm2_panel_settings_default(RM2_PANEL_SPHERE)));
    save(a, figure, "sphere");
}

/* ---- SPD matrices ----------------------------------------------------------------------------- */

/* Eigenvalues and angle that change along the path. */
static void spd_point(double t, size_t demo, double *A) {
    double angle = 2.6 * t + 0.08 * ((double)demo - 2), c = cos(angle), s = sin(angle);
    double large = 1.5 + 0.6 * sin(4 * t), small = 0.25 + 0.3 * t + 0.03 * (double)demo;
    A[0] = large * c * c + small * s * s;
    A[1] = A[2] = (large - small) * c * s;
    A[3] = large * s * s + small * c * c;
}

static void draw_cone(const album *a) {
    rm2_figure *figure = page(a, 85, 70, 1, 1);
    double A[4 * STEPS];
    rm2_panel *where = panel(a, figure, 0, 0, rm2_panel_settings_default(RM2_PANEL_CONE));
    for (size_t demo = 0; demo < DEMOS; demo++) {
        for (int i = 0; i < STEPS; i++)
            spd_point(i / (STEPS - 1.0), demo, A + 4 * i);
        curve(a, where, A,
              (rm2_style){.label = "demonstrations", .colour = RM2_GREY, .width = 0.8});
    }
    for (int i = 0; i < STEPS; i++)
        spd_point(i / (STEPS - 1.0), 2, A + 4 * i);
    curve(a, where, A, (rm2_style){.label = "geodesic", .colour = RM2_VERMILION, .width = 1.6});
    save(a, figure, "cone");
}

static void add_ellipses(const album *a, rm2_panel *where, size_t n, const double *centres,
                         const double *matrices, const char *label, rm2_colour colour) {
    must(a, rm2_plot_ellipses(a->ctx, where, n, centres, matrices,
                              &(rm2_style){.label = label, .colour = colour}));
}

/* Manipulability along a path, and the same over time next to a demonstration. */
static void draw_ellipses(const album *a) {
    enum { SHOWN = 11 };
    static const double parts[] = {2.6, 1};
    double path[2 * STEPS], at[2 * SHOWN], row[2 * SHOWN], A[4 * SHOWN], B[4 * SHOWN];
    for (int i = 0; i < STEPS; i++)
        stroke_point(i / (STEPS - 1.0), 2, path + 2 * i);
    for (int i = 0; i < SHOWN; i++) {
        stroke_point(i / (SHOWN - 1.0), 2, at + 2 * i);
        spd_point(i / (SHOWN - 1.0), 2, A + 4 * i);
        spd_point(i / (SHOWN - 1.0), 6, B + 4 * i);
        row[2 * i] = 4.0 * i / (SHOWN - 1);
        row[2 * i + 1] = 0;
    }
    rm2_figure_settings page_settings = rm2_figure_settings_default();
    rm2_figure *figure;
    page_settings.height = 95;
    page_settings.rows = 2;
    page_settings.row_parts = parts;
    must(a, rm2_figure_create(a->ctx, &page_settings, &figure));
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    s.x.label = "x [m]";
    s.y.label = "y [m]";
    s.equal = true;
    rm2_panel *plane = panel(a, figure, 0, 0, s);
    curve(a, plane, path, (rm2_style){.colour = RM2_BLACK, .width = 1});
    add_ellipses(a, plane, SHOWN, at, A, NULL, RM2_VERMILION);
    s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    s.x.label = "time [s]";
    s.y.hidden = true;
    s.legend = RM2_LEGEND_BELOW;
    rm2_panel *time = panel(a, figure, 1, 0, s);
    add_ellipses(a, time, SHOWN, row, B, "demonstration", RM2_GREY);
    add_ellipses(a, time, SHOWN, row, A, "geodesic", RM2_VERMILION);
    save(a, figure, "ellipses");
}

/* Covariances of a chain of variables that decouple and change sign along the path. */
static void draw_matrices(const album *a) {
    enum { SIZE = 12, COUNT = 5 };
    static double values[2][COUNT * SIZE * SIZE];
    static const char *const names[] = {"t = 0", "0.25", "0.5", "0.75", "1"};
    static const char *const rows[] = {"model", "data"};
    rm2_figure *figure = page(a, 120, 46, 1, 1);
    rm2_panel *where = panel(a, figure, 0, 0, rm2_panel_settings_default(RM2_PANEL_MATRICES));
    for (int k = 0; k < COUNT; k++)
        for (int r = 0; r < SIZE; r++)
            for (int c = 0; c < SIZE; c++) {
                double t = k / (COUNT - 1.0), near = exp(-0.25 * abs(r - c));
                double scale = (1 + 0.1 * r) * (1 + 0.1 * c);
                double part = r == c ? 1 : near * cos(PI * t * abs(r - c) / 3);
                int at = (k * SIZE + r) * SIZE + c;
                values[0][at] = scale * part;
                values[1][at] = scale * (r == c ? 1 : part * (0.9 + 0.1 * sin(7.0 * r * c)));
            }
    for (int row = 0; row < 2; row++) {
        rm2_matrices m = {.count = COUNT,
                          .n = SIZE,
                          .values = values[row],
                          .correlation = true,
                          .limit = 1,
                          .name = rows[row],
                          .names = row == 1 ? names : NULL,
                          .label = "correlation"};
        must(a, rm2_plot_matrices(a->ctx, where, &m));
    }
    save(a, figure, "matrices");
}

/* ---- arms ------------------------------------------------------------------------------------- */

/* Joints of an arm with links of length 0.4, 0.35 and 0.25, in a plane turned by `yaw`. */
static void arm_joints(const double angles[3], double yaw, size_t dims, double *joints) {
    static const double links[] = {0.4, 0.35, 0.25};
    double angle = 0, reach = 0, height = 0;
    for (size_t j = 0; j <= 3; j++) {
        joints[dims * j] = reach * cos(yaw);
        joints[dims * j + 1] = dims == 3 ? reach * sin(yaw) : height;
        if (dims == 3)
            joints[dims * j + 2] = height;
        if (j == 3)
            break;
        angle += angles[j];
        reach += links[j] * cos(angle);
        height += links[j] * sin(angle);
    }
}

static void add_arm(const album *a, rm2_panel *where, size_t dims) {
    enum { SHOWN = 5, JOINTS = 4 };
    double joints[SHOWN * JOINTS * 3], path[3 * STEPS], one[JOINTS * 3];
    for (int i = 0; i < STEPS; i++) {
        double t = i / (STEPS - 1.0), angles[3] = {1.9 - 1.0 * t, -0.9 - 0.5 * t, -0.6 + 0.9 * t};
        double yaw = dims == 3 ? 1.2 * t - 0.2 : 0;
        arm_joints(angles, yaw, dims, one);
        for (size_t k = 0; k < dims; k++)
            path[(size_t)i * dims + k] = one[3 * dims + k];
        if (i % 25 == 0)
            for (size_t k = 0; k < JOINTS * dims; k++)
                joints[(size_t)(i / 25) * JOINTS * dims + k] = one[k];
    }
    must(a, rm2_plot_arm(a->ctx, where, SHOWN, JOINTS, joints,
                         &(rm2_style){.label = "arm", .colour = RM2_BLUE}));
    curve(a, where, path, (rm2_style){.label = "hand", .colour = RM2_VERMILION, .width = 1.5});
}

static void draw_arms(const album *a) {
    rm2_figure *figure = page(a, 130, 65, 1, 2);
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    s.x.label = "x [m]";
    s.y.label = "y [m]";
    s.equal = true;
    add_arm(a, panel(a, figure, 0, 0, s), 2);
    s = rm2_panel_settings_default(RM2_PANEL_SPACE);
    s.x.label = "x [m]";
    s.y.label = "y [m]";
    s.z.label = "z [m]";
    s.equal = true;
    add_arm(a, panel(a, figure, 0, 1, s), 3);
    save(a, figure, "arms");
}

/* ---- a figure for two columns ----------------------------------------------------------------- */

static void draw_overview(const album *a) {
    static const double parts[] = {1.5, 1, 1};
    rm2_figure_settings page_settings = rm2_figure_settings_default();
    page_settings.width = 174;
    page_settings.columns = 3;
    page_settings.column_parts = parts;
    page_settings.title = "A submanifold of R² × S²";
    rm2_figure *figure;
    must(a, rm2_figure_create(a->ctx, &page_settings, &figure));
    (void)add_latent_panel(a, figure, "latent space");
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    s.title = "R²";
    s.x.label = "x [m]";
    s.y.label = "y [m]";
    s.equal = true;
    s.legend = RM2_LEGEND_BELOW;
    add_strokes(a, panel(a, figure, 0, 1, s));
    s = rm2_panel_settings_default(RM2_PANEL_SPHERE);
    s.title = "S²";
    s.legend = RM2_LEGEND_BELOW;
    add_sphere(a, panel(a, figure, 0, 2, s));
    save(a, figure, "overview");
}

int main(int argc, char **argv) {
    album a = {NULL, argc > 1 ? argv[1] : ".", argc > 2 ? argv[2] : "png"};
    if (rm2_context_create(&a.ctx) != RM2_OK)
        return 1;
    draw_latent(&a);
    draw_plane(&a);
    draw_time(&a);
    draw_training(&a);
    draw_poses(&a);
    draw_sphere(&a);
    draw_cone(&a);
    draw_ellipses(&a);
    draw_matrices(&a);
    draw_arms(&a);
    draw_overview(&a);
    rm2_context_free(a.ctx);
    return 0;
}
