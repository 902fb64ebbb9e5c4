/* The trajectory of riemann2 robot track: from files with the names that decode, sample and generate
 * write, or with columns that options name. */
#include "robot.h"

enum { COLUMNS_SIZE = 256 };

/* "x,y,z,qw,...": the names that points of a manifold have in files; false if this one lacks some. */
static bool column_names(const char *path, const rm2_manifold *m, char text[COLUMNS_SIZE]) {
    size_t used = 0;
    for (size_t k = 0; k < rm2_manifold_ambient(m) && used < COLUMNS_SIZE; k++) {
        char name[96];
        rm2_data_column_name(m, k, name, sizeof name);
        if (!work_has_column(path, name))
            return false;
        used += (size_t)snprintf(text + used, COLUMNS_SIZE - used, "%s%s", k ? "," : "", name);
    }
    return used < COLUMNS_SIZE;
}

/* Points of this manifold, if the file has columns with their names. */
static int try_manifold(const robot_work *r, const char *spec, char text[COLUMNS_SIZE],
                        bool *fits) {
    rm2_manifold *m;
    int code = work_check(&r->work, rm2_manifold_create(r->work.ctx, spec, &m));
    if (code == EXIT_DONE)
        *fits = column_names(r->path, m, text);
    rm2_manifold_free(m);
    return code;
}

static bool is_readable(const char *path) {
    FILE *file = fopen(path, "r");
    if (file)
        (void)fclose(file);
    return file != NULL;
}

/* Manifold and columns that were not given, from the names in the first line. */
static int find_columns(const robot_work *r, char text[COLUMNS_SIZE]) {
    static const char *const specs[] = {"R3 x S3 x SPD3", "R3 x S3", "R3 x SPD3", "R3",
                                        "R2 x SPD2",      "R2",      NULL};
    rm2_data_settings *s = &r->options->data.settings;
    bool fits = false, given = s->manifold != NULL;
    int code = given ? try_manifold(r, s->manifold, text, &fits) : EXIT_DONE;
    for (size_t k = 0; specs[k] && !given && !fits && code == EXIT_DONE; k++) {
        code = try_manifold(r, specs[k], text, &fits);
        s->manifold = specs[k];
    }
    if (code != EXIT_DONE)
        return code;
    if (!given && !fits && is_readable(r->path)) /* else reading says what is wrong */
        return work_complain(
            &r->work, EXIT_BAD_DATA,
            "%s: no columns x, y, z, qw, qx, qy, qz, or m11, m12, ... in the first "
            "line; say what the points are with --manifold and --columns",
            r->path);
    if (fits && !s->columns)
        s->columns = text;
    return EXIT_DONE;
}

static const char *first_column(const char *path, const char *a, const char *b) {
    return work_has_column(path, a) ? a : b && work_has_column(path, b) ? b : NULL;
}

static int check_time(const robot_work *r) {
    const rm2_data *d = r->data;
    for (size_t i = 1, t = 1; d->time && i < d->count; i++) {
        bool first = t < d->trajectories && i == d->starts[t];
        t += first;
        if (!first && !(d->time[i] > d->time[i - 1]))
            return work_complain(&r->work, EXIT_BAD_DATA,
                                 "%s, %s %zu, column %s: time %g does not come after %g", r->path,
                                 d->rows_are_lines ? "line" : "row", d->rows[i],
                                 r->options->data.settings.time, d->time[i], d->time[i - 1]);
    }
    return EXIT_DONE;
}

int robot_read(robot_work *r) {
    char columns[COLUMNS_SIZE];
    data_options *o = &r->options->data;
    int code = find_columns(r, columns);
    if (code != EXIT_DONE)
        return code;
    if (!o->settings.group)
        o->settings.group = first_column(r->path, "demo", "sample");
    if (!o->settings.time)
        o->settings.time = first_column(r->path, "time", NULL);
    code = work_check(&r->work, data_options_finish(r->work.ctx, o));
    o->settings.scale = false; /* positions keep their units */
    if (code == EXIT_DONE)
        code = work_check(&r->work,
                          rm2_data_read(r->work.ctx, r->path, &o->settings, &r->data, NULL, NULL));
    o->settings.columns = NULL; /* was perhaps ours */
    if (code == EXIT_DONE)
        code = check_time(r);
    if (code == EXIT_DONE)
        code = work_check(&r->work, rm2_arm_task_of(r->work.ctx, r->data->manifold, &r->task));
    return code;
}
