/* Lists of values to combinations of settings. */
#include <stdlib.h>
#include <string.h>

#include "cv/cv.h"

static int too_many(const work *w, const char *what, int most) {
    return work_complain(w, EXIT_USAGE, "too many %s: expected %d at most", what, most);
}

/* NULL after saying that there are too many. */
static axis *new_axis(const work *w, grid *g, const char *name, size_t length, size_t row) {
    if (g->count == GRID_AXES) {
        (void)too_many(w, "options with values", GRID_AXES);
        return NULL;
    }
    axis *a = &g->axes[g->count++];
    a->row = row;
    (void)snprintf(a->name, sizeof a->name, "%.*s", (int)length, name);
    return a;
}

static int add_value(const work *w, axis *a, const char *value) {
    if (a->count == AXIS_VALUES)
        return too_many(w, "values of one option", AXIS_VALUES);
    const char *before = a->row < SETTING_ROWS ? "--" : "--set ";
    if (!*value)
        return work_complain(w, EXIT_USAGE, "%s%s: a value is empty", before, a->name);
    if (strlen(value) >= VALUE_SIZE)
        return work_complain(w, EXIT_USAGE, "%s%s=%s: too long", before, a->name, value);
    for (size_t k = 0; k < a->count; k++)
        if (strcmp(a->value[k], value) == 0)
            return work_complain(w, EXIT_USAGE, "%s%s: %s is listed twice", before, a->name, value);
    (void)snprintf(a->value[a->count++], VALUE_SIZE, "%s", value);
    return EXIT_DONE;
}

/* ---- settings of the table -------------------------------------------------------------------- */

static int add_setting(const work *w, const setting_options *from, size_t row, grid *g) {
    char word[SETTING_WORD];
    size_t count = 0;
    int code = EXIT_DONE;
    const char *name = setting_name(rm2_settings_at(from->table, row), word);
    axis *a = new_axis(w, g, name, strlen(name), row);
    if (!a)
        return EXIT_USAGE;
    char **values = split_text(from->given[row], ',', &count);
    if (!values)
        return work_no_memory(w);
    for (size_t k = 0; code == EXIT_DONE && k < count; k++)
        code = add_value(w, a, values[k]);
    free(values);
    return code;
}

/* ---- hyperparameters -------------------------------------------------------------------------- */

/* "lengthscale=0.1,0.2,noise=0.01": a value without a name belongs to the name before it. */
static int add_set(const work *w, const char *text, grid *g) {
    size_t count = 0;
    axis *a = NULL;
    int code = EXIT_DONE;
    char **parts = split_text(text, ',', &count);
    if (!parts)
        return work_no_memory(w);
    for (size_t k = 0; code == EXIT_DONE && k < count; k++) {
        size_t length = strcspn(parts[k], "=");
        bool named = parts[k][length] == '=', first = !named && !a;
        if (named)
            a = new_axis(w, g, parts[k], length, SETTING_ROWS);
        if (first)
            code = work_complain(w, EXIT_USAGE, "--set %s: expected NAME=VALUE, see --help", text);
        else
            code = a ? add_value(w, a, parts[k] + (named ? length + 1 : 0)) : EXIT_USAGE;
    }
    free(parts);
    return code;
}

/* ---- the grid --------------------------------------------------------------------------------- */

/* Axes of several values first, in their order. */
static void sort_axes(grid *g) {
    for (size_t k = 0; k < g->count; k++)
        if (g->axes[k].count > 1) {
            axis kept = g->axes[k];
            memmove(&g->axes[g->shown + 1], &g->axes[g->shown], (k - g->shown) * sizeof *g->axes);
            g->axes[g->shown++] = kept;
        }
}

static int count_candidates(const work *w, grid *g) {
    g->candidates = 1;
    for (size_t k = 0; k < g->shown; k++) {
        g->candidates *= g->axes[k].count;
        if (g->candidates > GRID_POINTS)
            return too_many(w, "combinations of values", GRID_POINTS);
    }
    return EXIT_DONE;
}

int grid_create(const work *w, const fit_options *o, grid *g) {
    int code = EXIT_DONE;
    *g = (grid){.axes = calloc(GRID_AXES, sizeof *g->axes)};
    if (!g->axes)
        return work_no_memory(w);
    for (size_t row = 0; code == EXIT_DONE && row < o->from.table->count; row++)
        if (o->from.given[row])
            code = add_setting(w, &o->from, row, g);
    for (size_t k = 0; code == EXIT_DONE && k < o->set.count; k++)
        code = add_set(w, o->set.items[k], g);
    if (code != EXIT_DONE)
        return code;
    sort_axes(g);
    return count_candidates(w, g);
}

void grid_free(grid *g) {
    free(g->axes);
}

/* The last axis changes fastest. */
static size_t digit(const grid *g, size_t candidate, size_t number) {
    for (size_t k = g->count; k-- > number + 1;)
        candidate /= g->axes[k].count;
    return candidate % g->axes[number].count;
}

const char *grid_value(const grid *g, size_t candidate, size_t number) {
    return g->axes[number].value[digit(g, candidate, number)];
}

int grid_settings(const work *w, const grid *g, const fit_options *o, size_t candidate,
                  fit_texts *texts, rm2_fit_settings *settings) {
    typedef char grid_text[SETTING_WORD + VALUE_SIZE];
    fit_options own = *o;
    grid_text *items = calloc(GRID_AXES, sizeof *items);
    if (!items)
        return work_no_memory(w);
    own.set.count = 0;
    for (size_t k = 0; k < g->count; k++) {
        const axis *a = &g->axes[k];
        const char *value = grid_value(g, candidate, k);
        if (a->row < SETTING_ROWS)
            own.from.given[a->row] = value;
        else {
            (void)snprintf(items[k], sizeof *items, "%s=%s", a->name, value);
            own.set.items[own.set.count++] = items[k];
        }
    }
    int code = fit_options_settings(w, &own, texts, settings);
    free(items);
    return code;
}
