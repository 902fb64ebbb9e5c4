/* Settings of figures (riemann2/plot.h). They belong to the core library, which has no figures, so
 * that every build knows their table. */
#ifndef RIEMANN2_FIGURE_H
#define RIEMANN2_FIGURE_H

#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rm2_figure_settings {
    size_t size;                            /* as rm2_figure_settings_default sets it */
    double width, height;                   /* millimetres */
    size_t rows, columns;                   /* grid of panels, at most 100 */
    const double *row_parts, *column_parts; /* their sizes relative to each other; NULL: equal */
    const char *title;                      /* NULL: none */
    double font_size;                       /* in points; the title is one point larger */
    bool legend; /* one legend below all panels, instead of one per panel */
} rm2_figure_settings;

/* The defaults: one panel, as wide as one column of a paper. The table has all settings except
 * row_parts and column_parts. */
static inline rm2_figure_settings rm2_figure_settings_default(void) {
    rm2_figure_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_FIGURE), 0, &settings);
    return settings;
}

#ifdef __cplusplus
}
#endif
#endif
