/* Figures as files. Cairo writes into a stream that appears whole or not at all; an SVG goes through
 * memory first, because the names of its parts are replaced and its texts added (svg.c). A PDF gets no date.
 * So the same figure is the same bytes. */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plot/draw.h"
#include "riemann2/io.h"

static const double DPI_DEFAULT = 300, DPI_MIN = 10, DPI_MAX = 2400;
enum { PIXELS_MAX = 30000 }; /* Cairo's images end at 32767 */

typedef enum format { FORMAT_NONE, FORMAT_PNG, FORMAT_SVG, FORMAT_PDF } format;

static format format_of(const char *path) {
    static const char *const endings[] = {".png", ".svg", ".pdf"};
    size_t size = strlen(path);
    for (int i = 0; i < 3; i++)
        if (size > 4 && strcasecmp(path + size - 4, endings[i]) == 0)
            return (format)(FORMAT_PNG + i);
    return FORMAT_NONE;
}

/* ---- what Cairo reports ----------------------------------------------------------------------- */

static cairo_status_t write_bytes(void *stream, const unsigned char *bytes, unsigned size) {
    return fwrite(bytes, 1, size, stream) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Right after a write, while errno still holds the reason. */
static rm2_status check_stream(rm2_context *ctx, FILE *stream, const char *path) {
    if (!ferror(stream))
        return RM2_OK;
    const char *reason = errno == ENOSPC ? "disk full" : errno ? strerror(errno) : "write error";
    return rm2_context_fail(ctx, RM2_ERR_IO, "cannot write %s: %s", path, reason);
}

static rm2_status check_cairo(rm2_context *ctx, cairo_status_t status, FILE *stream,
                              const char *path) {
    if (status == CAIRO_STATUS_SUCCESS)
        return RM2_OK;
    if (status == CAIRO_STATUS_NO_MEMORY)
        return rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory while drawing %s", path);
    RM2_TRY(check_stream(ctx, stream, path));
    return rm2_context_fail(ctx, RM2_ERR_IO, "cannot draw %s: %s", path,
                            cairo_status_to_string(status));
}

/* Draw on a surface and finish it; the surface is released. */
static rm2_status draw_on(rm2_context *ctx, const rm2_figure *figure, cairo_surface_t *surface,
                          double scale, FILE *stream, const char *path) {
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    rm2_status status = rm2i_figure_draw(ctx, figure, cr);
    if (status == RM2_OK)
        status = check_cairo(ctx, cairo_status(cr), stream, path);
    cairo_destroy(cr);
    return status;
}

/* ---- formats ---------------------------------------------------------------------------------- */

static rm2_status save_png(rm2_context *ctx, const rm2_figure *figure, const char *path, double dpi,
                           FILE *stream) {
    double scale = dpi / 72, width = ceil(figure->width * scale - 1e-6),
           height = ceil(figure->height * scale - 1e-6);
    if (width > PIXELS_MAX || height > PIXELS_MAX)
        return rm2_context_fail(
            ctx, RM2_ERR_ARGUMENT,
            "a PNG of %.0f x %.0f pixels is too large, %d is the limit: choose fewer "
            "than %g dpi, or .pdf",
            width, height, PIXELS_MAX, dpi);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    rm2_status status = draw_on(ctx, figure, surface, scale, stream, path);
    if (status == RM2_OK)
        status = check_cairo(ctx, cairo_surface_write_to_png_stream(surface, write_bytes, stream),
                             stream, path);
    cairo_surface_destroy(surface);
    return status;
}

static rm2_status save_vector(rm2_context *ctx, const rm2_figure *figure, const char *path,
                              cairo_surface_t *surface, FILE *stream) {
    rm2_status status = draw_on(ctx, figure, surface, 1, stream, path);
    cairo_surface_finish(surface);
    if (status == RM2_OK)
        status = check_cairo(ctx, cairo_surface_status(surface), stream, path);
    cairo_surface_destroy(surface);
    return status;
}

static rm2_status save_pdf(rm2_context *ctx, const rm2_figure *figure, const char *path,
                           FILE *stream) {
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(write_bytes, stream, figure->width, figure->height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    return save_vector(ctx, figure, path, surface, stream);
}

/* The drawing by Cairo, and the texts that it leaves to us. */
static rm2_status draw_svg(rm2_context *ctx, const rm2_figure *figure, const char *path,
                           FILE *drawing, FILE *texts) {
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(write_bytes, drawing, figure->width, figure->height);
    bool collected = rm2i_svg_collect_texts(surface, texts);
    rm2_status status = save_vector(ctx, figure, path, surface, drawing);
    bool full = ferror(drawing) || ferror(texts); /* a write error of a stream in memory */
    return collected && !full
               ? status
               : rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory while drawing %s", path);
}

/* Both in memory. */
static rm2_status svg_parts(rm2_context *ctx, const rm2_figure *figure, const char *path,
                            char *parts[2]) {
    rm2_writer *streams[2] = {NULL, NULL};
    rm2_status status = rm2_writer_open_memory(ctx, &streams[0]);
    if (status == RM2_OK)
        status = rm2_writer_open_memory(ctx, &streams[1]);
    if (status == RM2_OK)
        status = draw_svg(ctx, figure, path, rm2_writer_stream(streams[0]),
                          rm2_writer_stream(streams[1]));
    for (int k = 0; k < 2; k++) {
        size_t size;
        if (status == RM2_OK)
            status = rm2_writer_consume(ctx, streams[k], &parts[k], &size);
        else
            rm2_writer_discard(streams[k]);
    }
    return status;
}

static rm2_status save_svg(rm2_context *ctx, const rm2_figure *figure, const char *path,
                           FILE *stream) {
    char *parts[2] = {NULL, NULL};
    rm2_status status = svg_parts(ctx, figure, path, parts);
    if (status == RM2_OK)
        status = rm2i_svg_print(ctx, parts[0], parts[1], stream);
    if (status == RM2_OK)
        status = check_stream(ctx, stream, path);
    rm2_free(parts[0]);
    rm2_free(parts[1]);
    return status;
}

static rm2_status print_figure(rm2_context *ctx, const rm2_figure *figure, const char *path,
                               double dpi, FILE *stream) {
    /* ticks have a point, whatever the locale of the program */
    locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (own == (locale_t)0)
        return rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory: cannot create the C locale");
    locale_t previous = uselocale(own);
    format chosen = format_of(path);
    rm2_status status = chosen == FORMAT_PNG   ? save_png(ctx, figure, path, dpi, stream)
                        : chosen == FORMAT_SVG ? save_svg(ctx, figure, path, stream)
                                               : save_pdf(ctx, figure, path, stream);
    (void)uselocale(previous);
    freelocale(own);
    return status;
}

rm2_status rm2_figure_save(rm2_context *ctx, const rm2_figure *figure, const char *path, double dpi,
                           bool overwrite) {
    RM2_REQUIRE(ctx, figure);
    RM2_REQUIRE(ctx, path);
    if (format_of(path) == FORMAT_NONE)
        return rm2_context_fail(
            ctx, RM2_ERR_ARGUMENT,
            "unknown figure format of %s: expected a name ending in .png, .svg or .pdf", path);
    if (dpi != 0 && !(dpi >= DPI_MIN && dpi <= DPI_MAX))
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "%g dpi is not between %g and %g", dpi,
                                DPI_MIN, DPI_MAX);
    rm2_writer *output;
    RM2_TRY(rm2_writer_open(ctx, path, overwrite, &output));
    errno = 0;
    rm2_status status =
        print_figure(ctx, figure, path, dpi == 0 ? DPI_DEFAULT : dpi, rm2_writer_stream(output));
    if (status == RM2_OK)
        return rm2_writer_commit(ctx, output);
    rm2_writer_discard(output);
    return status;
}
