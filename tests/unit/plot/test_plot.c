/* Figures as files: formats, the same bytes every time, whole or not at all; every message; nothing
 * outside the page. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "picture.h"
#include "plot/draw.h"

static const double NAN_POINTS[] = {NAN, 1, INFINITY, 2};

static void expect(const picture *p, rm2_status got, rm2_status status, const char *words) {
    if (got != status || !strstr(rm2_context_error(p->ctx), words))
        fail_msg("status %d, '%s' is not in: %s", (int)got, words, rm2_context_error(p->ctx));
}

/* ---- figures with everything in them ---------------------------------------------------------- */

static rm2_panel *add_panel(picture *p, size_t row, size_t column, rm2_panel_settings s,
                            const char *title) {
    rm2_panel *panel;
    s.title = title;
    must(p, rm2_figure_panel(p->ctx, p->figure, row, column, &s, &panel));
    return panel;
}

static void fill_plane(picture *p, rm2_panel *panel) {
    double values[25], path[8] = {0, 0, 3, 1, 1, 3, 4, 4}, spd[16];
    const double x[] = {0, 2, 4}, low[] = {0, 1, 2}, high[] = {1, 3, 3};
    for (int i = 0; i < 25; i++)
        values[i] = i == 7 ? NAN : sin(i);
    for (int i = 0; i < 4; i++)
        memcpy(spd + 4 * i, (double[]){2, 0.3 * i, 0.3 * i, 1}, 4 * sizeof(double));
    must(p, rm2_plot_heat(p->ctx, panel,
                          &(rm2_heat_map){.columns = 5,
                                          .rows = 5,
                                          .values = values,
                                          .x_max = 4,
                                          .y_max = 4,
                                          .label = "value [m/s]",
                                          .contours = 5}));
    must(p, rm2_plot_band(p->ctx, panel, 3, x, low, high, &(rm2_style){.label = "band"}));
    must(p, rm2_plot_curve(p->ctx, panel, 4, path, &(rm2_style){.label = "curve", .halo = true}));
    must(p, rm2_plot_ellipses(p->ctx, panel, 4, path, spd, &(rm2_style){.label = "ellipses"}));
    must(p, rm2_plot_groups(p->ctx, panel,
                            &(rm2_groups){4, path, (size_t[]){0, 1, 0, 1}, 2,
                                          (const char *const[]){"first", "second"}},
                            NULL));
    must(p, rm2_plot_arm(p->ctx, panel, 2, 2, path, &(rm2_style){.label = "arm"}));
}

static void fill_space(picture *p, rm2_panel *panel) {
    const double path[] = {0, 0, 0, 1, 1, 2, 3, 1, 0}, q[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1};
    must(p, rm2_plot_curve(p->ctx, panel, 3, path, &(rm2_style){.label = "path"}));
    must(p, rm2_plot_frames(p->ctx, panel, 3, path, q, &(rm2_style){.label = "frames"}));
}

/* A page of all kinds of panels; `word` makes titles and labels long. */
static void draw_everything(picture *p, const char *word) {
    rm2_figure_settings page = {.size = sizeof page,
                                .width = 200,
                                .height = 170,
                                .rows = 2,
                                .columns = 3,
                                .font_size = 8,
                                .title = word};
    rm2_panel_settings s = plane();
    const double sphere[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, spd[] = {2, 1, 1, 2, 1, 0, 0, 3};
    rm2_figure_free(p->figure);
    must(p, rm2_figure_create(p->ctx, &page, &p->figure));
    s.x.label = s.y.label = s.z.label = word;
    fill_plane(p, add_panel(p, 0, 0, s, word));
    s.kind = RM2_PANEL_SPACE;
    s.azimuth = -50;
    s.elevation = 20;
    fill_space(p, add_panel(p, 0, 1, s, word));
    rm2_panel *panel = add_panel(p, 0, 2, rm2_panel_settings_default(RM2_PANEL_SPHERE), word);
    must(p, rm2_plot_curve(p->ctx, panel, 3, sphere, &(rm2_style){.label = word}));
    panel = add_panel(p, 1, 0, rm2_panel_settings_default(RM2_PANEL_CONE), NULL);
    must(p, rm2_plot_curve(p->ctx, panel, 2, spd, &(rm2_style){.label = word}));
    panel = add_panel(p, 1, 1, rm2_panel_settings_default(RM2_PANEL_MATRICES), word);
    must(p, rm2_plot_matrices(p->ctx, panel,
                              &(rm2_matrices){.count = 2,
                                              .n = 2,
                                              .values = spd,
                                              .name = word,
                                              .names = (const char *const[]){word, word},
                                              .label = word}));
    s = plane();
    s.legend = RM2_LEGEND_RIGHT;
    panel = add_panel(p, 1, 2, s, NULL);
    must(p, rm2_plot_points(p->ctx, panel, 3, (double[]){1e6, 1e-9, 1e6 + 1e-3, 2e-9, NAN, 0},
                            &(rm2_style){.label = word}));
}

/* ---- files ------------------------------------------------------------------------------------ */

static char *slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(*size + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    (void)fclose(file);
    return bytes;
}

/* The bytes of the figure in a format, which is that of the ending. */
static char *bytes_as(picture *p, const char *ending, size_t *size) {
    char path[96];
    (void)snprintf(path, sizeof path, "%s/figure%s", p->directory, ending);
    must(p, rm2_figure_save(p->ctx, p->figure, path, 100, true));
    char *bytes = slurp(path, size);
    (void)unlink(path);
    return bytes;
}

static void formats_follow_the_ending(void **state) {
    picture *p = *state;
    static const struct {
        const char *ending, *start;
    } formats[] = {{".png", "\x89PNG\r\n\x1a\n"},
                   {".svg", "<?xml"},
                   {".pdf", "%PDF-1."},
                   {".PNG", "\x89PNG\r\n\x1a\n"}};
    draw_everything(p, "m");
    for (size_t i = 0; i < 4; i++) {
        size_t size;
        char *bytes = bytes_as(p, formats[i].ending, &size);
        assert_true(size > 1000);
        assert_memory_equal(bytes, formats[i].start, strlen(formats[i].start));
        free(bytes);
    }
}

static void the_same_figure_is_the_same_bytes(void **state) {
    picture *p = *state;
    static const char *const endings[] = {".png", ".svg", ".pdf"};
    for (size_t i = 0; i < 3; i++) {
        size_t first, second, other;
        draw_everything(p, "a");
        char *a = bytes_as(p, endings[i], &first);
        draw_everything(p, "b"); /* other numbers of Cairo's own in between */
        char *c = bytes_as(p, endings[i], &other);
        draw_everything(p, "a");
        char *b = bytes_as(p, endings[i], &second);
        assert_int_equal(first, second);
        assert_memory_equal(a, b, first);
        assert_true(other != first || memcmp(a, c, first) != 0);
        free(a);
        free(b);
        free(c);
    }
}

static void files_have_no_date(void **state) {
    picture *p = *state;
    size_t size;
    begin(p, plane_to_ten());
    pin(p, (double[]){5, 5}, RM2_BLACK);
    char *pdf = bytes_as(p, ".pdf", &size);
    for (size_t i = 0; i + 12 < size; i++)
        assert_int_not_equal(memcmp(pdf + i, "CreationDate", 12), 0);
    free(pdf);
}

/* Names of an SVG count from 0, and every name referred to is there. */
static void names_in_an_svg_fit(void **state) {
    picture *p = *state;
    size_t size, names = 0;
    draw_everything(p, "x");
    char *svg = bytes_as(p, ".svg", &size), *at = svg;
    while ((at = strstr(at, "id=\"i")))
        names++, at++;
    assert_true(names > 10);
    at = svg;
    while ((at = strchr(at, '#'))) {
        char name[32];
        (void)snprintf(name, sizeof name, "id=\"%.*s\"", (int)strcspn(at + 1, "\")"), at + 1);
        assert_non_null(strstr(svg, name));
        assert_true(strtoul(at + 2, NULL, 10) < names);
        at++;
    }
    free(svg);
}

static void locales_do_not_matter(void **state) {
    picture *p = *state;
    size_t first, second;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        skip();
    draw_everything(p, "a");
    char *a = bytes_as(p, ".svg", &first);
    (void)setlocale(LC_NUMERIC, "C");
    char *b = bytes_as(p, ".svg", &second);
    assert_int_equal(first, second);
    assert_memory_equal(a, b, first);
    free(a);
    free(b);
}

static void files_are_not_overwritten(void **state) {
    picture *p = *state;
    begin(p, plane_to_ten());
    pin(p, (double[]){5, 5}, RM2_BLACK);
    must(p, rm2_figure_save(p->ctx, p->figure, p->path, 0, false));
    expect(p, rm2_figure_save(p->ctx, p->figure, p->path, 0, false), RM2_ERR_IO, "exists already");
    must(p, rm2_figure_save(p->ctx, p->figure, p->path, 0, true));
}

static void a_full_disk_is_noticed(void **state) {
    picture *p = *state;
    static const char *const endings[] = {".png", ".svg", ".pdf"};
    draw_everything(p, "a");
    for (size_t i = 0; i < 3; i++) {
        char path[96];
        (void)snprintf(path, sizeof path, "%s/full%s", p->directory, endings[i]);
        assert_int_equal(symlink("/dev/full", path), 0);
        expect(p, rm2_figure_save(p->ctx, p->figure, path, 0, true), RM2_ERR_IO, "disk full");
        (void)unlink(path);
    }
}

static void bad_targets_are_named(void **state) {
    picture *p = *state;
    begin(p, plane_to_ten());
    pin(p, (double[]){5, 5}, RM2_BLACK);
    static const char *const paths[] = {"figure.jpg", "figure", ".png", "png", "-", ""};
    for (size_t i = 0; i < 6; i++)
        expect(p, rm2_figure_save(p->ctx, p->figure, paths[i], 0, true), RM2_ERR_ARGUMENT,
               ".png, .svg or .pdf");
    expect(p, rm2_figure_save(p->ctx, p->figure, "/no/such/place/a.png", 0, true), RM2_ERR_IO,
           "/no/such/place/a.png: No such file or directory");
    expect(p, rm2_figure_save(p->ctx, p->figure, p->path, -1, true), RM2_ERR_ARGUMENT, "-1 dpi");
    expect(p, rm2_figure_save(p->ctx, p->figure, p->path, NAN, true), RM2_ERR_ARGUMENT, "dpi");
    expect(p, rm2_figure_save(p->ctx, NULL, p->path, 0, true), RM2_ERR_ARGUMENT,
           "'figure' is NULL");
    expect(p, rm2_figure_save(p->ctx, p->figure, NULL, 0, true), RM2_ERR_ARGUMENT,
           "'path' is NULL");
    assert_int_equal(access(p->path, F_OK), -1);
}

/* ---- what cannot be drawn --------------------------------------------------------------------- */

static void impossible_figures_are_refused(void **state) {
    picture *p = *state;
    static const struct {
        double width, height;
        size_t rows, columns;
        double font;
        const char *words;
    } bad[] = {{-3, 50, 1, 1, 8, "settings.width is -3, expected a number from 10 to 2000"},
               {85, 1e9, 1, 1, 8, "settings.height is 1000000000"},
               {85, NAN, 1, 1, 8, "settings.height is nan"},
               {85, 60, 0, 1, 8, "settings.rows is 0"},
               {85, 60, 50, 50, 8, "50 x 50"},
               {85, 60, 1, 1, 0, "settings.font_size is 0"}};
    for (size_t i = 0; i < 6; i++) {
        rm2_figure_settings s = {.size = sizeof s,
                                 .width = bad[i].width,
                                 .height = bad[i].height,
                                 .rows = bad[i].rows,
                                 .columns = bad[i].columns,
                                 .font_size = bad[i].font};
        expect(p, rm2_figure_create(p->ctx, &s, &p->figure), RM2_ERR_ARGUMENT, bad[i].words);
        assert_null(p->figure);
    }
    rm2_figure_settings s = rm2_figure_settings_default();
    s.columns = 2;
    s.column_parts = (double[]){1, 0};
    expect(p, rm2_figure_create(p->ctx, &s, &p->figure), RM2_ERR_ARGUMENT, "the part 0");
    expect(p, rm2_figure_create(p->ctx, NULL, NULL), RM2_ERR_ARGUMENT, "'figure' is NULL");
    s.column_parts = NULL;
    s.title = "two\nlines";
    expect(p, rm2_figure_create(p->ctx, &s, &p->figure), RM2_ERR_ARGUMENT,
           "'two...' is not UTF-8 on one line: byte 4");
    rm2_figure_free(NULL);
}

static void impossible_panels_are_refused(void **state) {
    picture *p = *state;
    rm2_panel *panel;
    rm2_panel_settings s = plane();
    char text[400];
    begin(p, s);
    expect(p, rm2_figure_panel(p->ctx, p->figure, 0, 0, &s, &panel), RM2_ERR_ARGUMENT,
           "has a panel already");
    expect(p, rm2_figure_panel(p->ctx, p->figure, 1, 0, &s, &panel), RM2_ERR_ARGUMENT,
           "no cell (1, 0) in a figure of 1 x 1");
    expect(p, rm2_figure_panel(p->ctx, NULL, 0, 0, &s, &panel), RM2_ERR_ARGUMENT,
           "'figure' is NULL");
    rm2_figure_free(p->figure);
    must(p, rm2_figure_create(p->ctx, NULL, &p->figure));
#define REFUSED(change, words)                                                                     \
    do {                                                                                           \
        s = plane();                                                                               \
        change;                                                                                    \
        expect(p, rm2_figure_panel(p->ctx, p->figure, 0, 0, &s, &panel), RM2_ERR_ARGUMENT, words); \
        assert_null(panel);                                                                        \
    } while (0)
    REFUSED(s.kind = (rm2_panel_kind)77, "panel 77");
    REFUSED(s.x.min = 3, "the x axis cannot go from 3 to 0");
    REFUSED(s.y.max = INFINITY, "the y axis cannot go from 0 to inf");
    REFUSED((s.x.log = true, s.x.max = 1), "logarithmic x axis cannot begin at 0");
    REFUSED((s.kind = RM2_PANEL_SPACE, s.z.log = true), "only axes in a plane");
    REFUSED((s.equal = true, s.x.log = true), "equal scale cannot be logarithmic");
    REFUSED(s.elevation = 91, "elevation 91");
    REFUSED(s.title = "\xff\xfe", "is not UTF-8 on one line: byte 1");
    REFUSED(s.title = "a\xe0\x80\x80", "byte 2");       /* too many bytes for the character */
    REFUSED(s.title = "ab\xed\xa0\x80", "byte 3");      /* half of a surrogate pair */
    REFUSED(s.title = "abc\xf4\x90\x80\x80", "byte 4"); /* beyond the last character */
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    REFUSED(s.x.label = text, "399 bytes");
#undef REFUSED
}

static void impossible_items_are_refused(void **state) {
    picture *p = *state;
    const double xy[] = {1, 2, 3, 4}, bad_spd[] = {1, 2, 2, 1}, zero[4] = {0};
    rm2_style style = {0};
    begin(p, plane());
    expect(p, rm2_plot_curve(p->ctx, NULL, 2, xy, NULL), RM2_ERR_ARGUMENT, "'panel' is NULL");
    expect(p, rm2_plot_curve(p->ctx, p->panel, 0, xy, NULL), RM2_ERR_ARGUMENT, "cannot plot 0");
    expect(p, rm2_plot_curve(p->ctx, p->panel, 2, NULL, NULL), RM2_ERR_ARGUMENT,
           "'points' is NULL");
    expect(p, rm2_plot_points(p->ctx, p->panel, SIZE_MAX, xy, NULL), RM2_ERR_ARGUMENT,
           "cannot plot");
    expect(p,
           rm2_plot_groups(p->ctx, p->panel, &(rm2_groups){2, xy, (size_t[]){0, 2}, 2, NULL}, NULL),
           RM2_ERR_ARGUMENT, "point 1 is of group 2, but there are 2");
    expect(p, rm2_plot_groups(p->ctx, p->panel, &(rm2_groups){2, xy, NULL, 2, NULL}, NULL),
           RM2_ERR_ARGUMENT, "'groups->group' is NULL");
    expect(p, rm2_plot_band(p->ctx, p->panel, 2, xy, NULL, xy, NULL), RM2_ERR_ARGUMENT,
           "'low' is NULL");
    expect(p, rm2_plot_band(p->ctx, p->panel, SIZE_MAX / 2 + 2, xy, xy, xy, NULL), RM2_ERR_ARGUMENT,
           "cannot plot");
    expect(p, rm2_plot_ellipses(p->ctx, p->panel, 1, xy, bad_spd, NULL), RM2_ERR_DOMAIN,
           "matrix 0, [1 2; 2 1], is not symmetric and positive definite");
    expect(p, rm2_plot_ellipses(p->ctx, p->panel, 1, NULL, bad_spd, NULL), RM2_ERR_ARGUMENT,
           "'centres' is NULL");
    expect(p, rm2_plot_frames(p->ctx, p->panel, 1, NULL, zero, NULL), RM2_ERR_ARGUMENT,
           "rm2_plot_frames does not draw in a panel of kind PLANE");
    expect(p, rm2_plot_arm(p->ctx, p->panel, 1, 1, xy, NULL), RM2_ERR_ARGUMENT, "1 joints");
    expect(p, rm2_plot_arm(p->ctx, p->panel, 1, 2, NULL, NULL), RM2_ERR_ARGUMENT,
           "'points' is NULL");
    style.width = -1;
    expect(p, rm2_plot_curve(p->ctx, p->panel, 2, xy, &style), RM2_ERR_ARGUMENT, "width -1");
    style = (rm2_style){.opacity = 2};
    expect(p, rm2_plot_curve(p->ctx, p->panel, 2, xy, &style), RM2_ERR_ARGUMENT, "opacity 2");
    style = (rm2_style){.marker = (rm2_marker)50};
    expect(p, rm2_plot_curve(p->ctx, p->panel, 2, xy, &style), RM2_ERR_ARGUMENT, "marker 50");
    begin(p, rm2_panel_settings_default(RM2_PANEL_SPACE));
    expect(p, rm2_plot_frames(p->ctx, p->panel, 1, NULL, zero, NULL), RM2_ERR_DOMAIN,
           "quaternion 0 is zero");
    expect(p, rm2_plot_frames(p->ctx, p->panel, 100000, NULL, zero, NULL), RM2_ERR_ARGUMENT,
           "cover each other");
    expect(p, rm2_plot_frames(p->ctx, p->panel, 1, NULL, NULL, NULL), RM2_ERR_ARGUMENT,
           "'quaternions' is NULL");
}

static void impossible_heat_maps_are_refused(void **state) {
    picture *p = *state;
    double good[] = {1, 2, 3, 4}, missing[] = {NAN, NAN, INFINITY, NAN},
           negative[] = {-1, -2, 0, 0};
    rm2_heat_map heat;
#define REFUSED(change, status, words)                                                             \
    do {                                                                                           \
        heat = (rm2_heat_map){.columns = 2, .rows = 2, .values = good, .x_max = 1, .y_max = 1};    \
        change;                                                                                    \
        expect(p, rm2_plot_heat(p->ctx, p->panel, &heat), status, words);                          \
    } while (0)
    begin(p, plane());
    REFUSED(heat.values = missing, RM2_ERR_DATA, "none of the 2 x 2 values is a finite number");
    REFUSED((heat.values = negative, heat.log = true), RM2_ERR_DATA, "positive number");
    REFUSED(heat.values = NULL, RM2_ERR_ARGUMENT, "'heat->values' is NULL");
    REFUSED(heat.columns = 1, RM2_ERR_ARGUMENT, "2 x 1 nodes");
    REFUSED(heat.x_max = 0, RM2_ERR_ARGUMENT, "from (0, 0) to (0, 1)");
    REFUSED(heat.min = 3, RM2_ERR_ARGUMENT, "colours cannot go from 3 to 0");
    REFUSED((heat.log = true, heat.max = 3), RM2_ERR_ARGUMENT, "on a logarithmic scale");
    heat = (rm2_heat_map){.columns = 2, .rows = 2, .values = good, .x_max = 1, .y_max = 1};
    must(p, rm2_plot_heat(p->ctx, p->panel, &heat));
    REFUSED((void)0, RM2_ERR_ARGUMENT, "has a heat map already");
    rm2_panel_settings s = plane();
    s.x.log = true;
    begin(p, s);
    REFUSED((void)0, RM2_ERR_ARGUMENT, "cannot have a logarithmic axis");
#undef REFUSED
}

static void impossible_matrices_are_refused(void **state) {
    picture *p = *state;
    double good[] = {1, 0, 0, 1}, flat[] = {1, 0, 0, 0}, missing[] = {NAN};
    begin(p, rm2_panel_settings_default(RM2_PANEL_MATRICES));
    expect(p, rm2_plot_matrices(p->ctx, p->panel, NULL), RM2_ERR_ARGUMENT, "'matrices' is NULL");
    rm2_matrices m = {.count = 0, .n = 2, .values = good};
    expect(p, rm2_plot_matrices(p->ctx, p->panel, &m), RM2_ERR_ARGUMENT, "0 matrices of size 2");
    m = (rm2_matrices){.count = 1, .n = 2, .values = flat, .correlation = true};
    expect(p, rm2_plot_matrices(p->ctx, p->panel, &m), RM2_ERR_DOMAIN,
           "matrix 0 has 0 on the diagonal (row 1)");
    m = (rm2_matrices){.count = 1, .n = 1, .values = missing};
    expect(p, rm2_plot_matrices(p->ctx, p->panel, &m), RM2_ERR_DATA, "no entry is a finite");
    m = (rm2_matrices){.count = 1, .n = 2, .values = good, .limit = -1};
    expect(p, rm2_plot_matrices(p->ctx, p->panel, &m), RM2_ERR_ARGUMENT, "invalid colour limit -1");
}

static void factors_without_a_picture_are_named(void **state) {
    picture *p = *state;
    rm2_manifold *m;
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    const double point[] = {1, 2, 3, 4, 5, 6, 7};
    must(p, rm2_manifold_create(p->ctx, "R2 x R5", &m));
    expect(p, rm2_panel_settings_factor(p->ctx, m, 1, &s), RM2_ERR_UNSUPPORTED,
           "R5, factor 2 of R2 x R5, cannot be drawn");
    expect(p, rm2_panel_settings_factor(p->ctx, m, 2, &s), RM2_ERR_ARGUMENT, "no factor 3");
    expect(p, rm2_panel_settings_factor(p->ctx, m, 0, NULL), RM2_ERR_ARGUMENT,
           "'settings' is NULL");
    begin(p, rm2_panel_settings_default(RM2_PANEL_SPACE));
    expect(p, rm2_plot_factor(p->ctx, p->panel, m, 0, 1, point, NULL), RM2_ERR_ARGUMENT,
           "does not draw in a panel of kind SPACE");
    begin(p, plane());
    expect(p, rm2_plot_factor(p->ctx, p->panel, m, 0, 0, point, NULL), RM2_ERR_ARGUMENT, "n is 0");
    rm2_manifold_free(m);
}

/* Found only when the figure is laid out: no file, and no rest of one. */
static void empty_and_tiny_figures_are_not_drawn(void **state) {
    picture *p = *state;
    begin(p, plane());
    expect(p, rm2_figure_save(p->ctx, p->figure, p->path, 0, true), RM2_ERR_DATA,
           "panel (0, 0) has no finite point");
    must(p, rm2_plot_curve(p->ctx, p->panel, 2, NAN_POINTS, NULL));
    expect(p, rm2_figure_save(p->ctx, p->figure, p->path, 0, true), RM2_ERR_DATA, "no finite");
    begin(p, rm2_panel_settings_default(RM2_PANEL_MATRICES));
    expect(p, rm2_figure_save(p->ctx, p->figure, p->path, 0, true), RM2_ERR_DATA, "no matrices");
    begin(p, rm2_panel_settings_default(RM2_PANEL_CONE));
    expect(p, rm2_figure_save(p->ctx, p->figure, p->path, 0, true), RM2_ERR_DATA,
           "no finite matrix");
    rm2_figure_free(p->figure);
    must(p, rm2_figure_create(p->ctx, NULL, &p->figure));
    expect(p, rm2_figure_save(p->ctx, p->figure, p->path, 0, true), RM2_ERR_DATA, "no panel");
    rm2_figure_free(p->figure);
    rm2_figure_settings small = rm2_figure_settings_default();
    small.width = small.height = 14;
    must(p, rm2_figure_create(p->ctx, &small, &p->figure));
    must(p, rm2_figure_panel(p->ctx, p->figure, 0, 0, NULL, &p->panel));
    pin(p, (double[]){1000, 1000}, RM2_BLACK);
    expect(p, rm2_figure_save(p->ctx, p->figure, p->path, 0, true), RM2_ERR_ARGUMENT,
           "14 x 14 mm is too small");
    assert_int_equal(access(p->path, F_OK), -1);
}

/* ---- the page --------------------------------------------------------------------------------- */

/* Drawn on a larger sheet, everything around the page stays white. */
static void expect_nothing_outside(picture *p) {
    enum { EDGE = 60 };
    int width = (int)ceil(p->figure->width), height = (int)ceil(p->figure->height);
    cairo_surface_destroy(p->image);
    p->width = width + 2 * EDGE;
    p->height = height + 2 * EDGE;
    p->image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, p->width, p->height);
    cairo_t *cr = cairo_create(p->image);
    cairo_translate(cr, EDGE, EDGE);
    must(p, rm2i_figure_draw(p->ctx, p->figure, cr));
    assert_int_equal(cairo_status(cr), CAIRO_STATUS_SUCCESS);
    cairo_destroy(cr);
    cairo_surface_flush(p->image);
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            bool inside = x >= EDGE && y >= EDGE && x < EDGE + width && y < EDGE + height;
            if (!inside && pixel(p, x, y) != RM2_WHITE)
                fail_msg("ink at (%d, %d), outside of %d x %d", x - EDGE, y - EDGE, width, height);
        }
}

static void nothing_is_drawn_outside_the_page(void **state) {
    picture *p = *state;
    draw_everything(p, "m");
    expect_nothing_outside(p);
    draw_everything(p, "several words that need more than one line");
    expect_nothing_outside(p);
    draw_everything(p, "AWordThatIsWiderThanAllThatThereIsRoomForInAnyOfThePanelsOfThePage");
    expect_nothing_outside(p);
}

/* Panels seen from everywhere keep their texts on the page. */
static void every_direction_fits_the_page(void **state) {
    picture *p = *state;
    for (int elevation = -90; elevation <= 90; elevation += 30)
        for (int azimuth = -180; azimuth < 180; azimuth += 45) {
            rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_SPACE);
            s.azimuth = azimuth;
            s.elevation = elevation;
            s.x.label = s.y.label = s.z.label = "length [m]";
            begin(p, s);
            fill_space(p, p->panel);
            expect_nothing_outside(p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(formats_follow_the_ending),
        TEST(the_same_figure_is_the_same_bytes),
        TEST(files_have_no_date),
        TEST(names_in_an_svg_fit),
        TEST(locales_do_not_matter),
        TEST(files_are_not_overwritten),
        TEST(a_full_disk_is_noticed),
        TEST(bad_targets_are_named),
        TEST(impossible_figures_are_refused),
        TEST(impossible_panels_are_refused),
        TEST(impossible_items_are_refused),
        TEST(impossible_heat_maps_are_refused),
        TEST(impossible_matrices_are_refused),
        TEST(factors_without_a_picture_are_named),
        TEST(empty_and_tiny_figures_are_not_drawn),
        TEST(nothing_is_drawn_outside_the_page),
        TEST(every_direction_fits_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
