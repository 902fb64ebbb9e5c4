/* The trajectory of riemann2 robot track: from files with the names that decode, sample and generate
 * write, or with columns that options name. */
#include <stdlib.h>
#include <string.h>

#include "core/columns.h"
#include "robot/robot.h"

enum { COLUMNS_SIZE = 512 };

/* What the names of a file's columns tell of it, and the lists of columns to read. */
typedef struct robot_columns {
    const robot_work *r;
    rm2_data_settings *settings;
    char points[COLUMNS_SIZE]; /* "x,y,...": the columns of the points, where they are not given */
    char **numeric;            /* these, and time */
    bool unknown;              /* nothing tells what the points are */
} robot_columns;

/* ---- what names tell ------------------------------------------------------------------------ */

/* "x,y,z,qw,...": columns with the names that points of a manifold have in files; *fits if all are there. */
static rm2_status try_manifold(robot_columns *c, const char *spec, const rm2_table *header,
                               bool *fits) {
    rm2_manifold *m;
    column_list names = {.count = 0};
    WORK_TRY(rm2_manifold_create(c->r->work.ctx, spec, &m));
    bool room = columns_of_points(&names, m);
    size_t used = 0;
    *fits = room && columns_all(&names, header);
    for (size_t k = 0; *fits && k < names.count && used < sizeof c->points; k++)
        used += (size_t)snprintf(c->points + used, sizeof c->points - used, "%s%s", k ? "," : "",
                                 names.list[k]);
    *fits = *fits && used < sizeof c->points;
    columns_free(&names);
    rm2_manifold_free(m);
    return room ? RM2_OK : RM2_ERR_MEMORY;
}

/* Manifold and columns that were not given. */
static rm2_status find_points(robot_columns *c, const rm2_table *header) {
    static const char *const specs[] = {"R3 x S3 x SPD3", "R3 x S3", "R3 x SPD3", "R3",
                                        "R2 x SPD2",      "R2",      NULL};
    rm2_data_settings *s = c->settings;
    bool fits = false, given = s->manifold != NULL;
    if (given)
        WORK_TRY(try_manifold(c, s->manifold, header, &fits));
    for (size_t k = 0; specs[k] && !given && !fits; k++) {
        WORK_TRY(try_manifold(c, specs[k], header, &fits));
        s->manifold = specs[k];
    }
    c->unknown = !given && !fits;
    if (fits && !s->columns)
        s->columns = c->points;
    return c->unknown ? RM2_ERR_DATA : RM2_OK;
}

/* The columns that must be numbers: those of the points and time; none: all are. */
static rm2_status list_numbers(robot_columns *c, rm2_csv_settings *csv) {
    const rm2_data_settings *s = c->settings;
    const char *time = s->time ? s->time : "";
    if (!s->columns)
        return RM2_OK;
    size_t size = strlen(s->columns) + strlen(time) + 2;
    char *list = malloc(size);
    if (!list)
        return RM2_ERR_MEMORY;
    (void)snprintf(list, size, "%s%s%s", s->columns, *time ? "," : "", time);
    c->numeric = split_text(list, ',', &csv->numeric_count);
    csv->numeric = (const char *const *)c->numeric;
    free(list);
    return c->numeric ? RM2_OK : RM2_ERR_MEMORY;
}

static rm2_status choose_columns(void *user, const rm2_table *header, rm2_csv_settings *csv) {
    robot_columns *c = user;
    rm2_data_settings *s = c->settings;
    WORK_TRY(find_points(c, header));
    if (!s->group)
        s->group = columns_ids(header);
    if (!s->time && rm2_table_column(header, "time") != SIZE_MAX)
        s->time = "time";
    csv->text = &s->group;
    csv->text_count = s->group != NULL;
    return list_numbers(c, csv);
}
/* ---- reading -------------------------------------------------------------------------------- */

static int unknown_points(const robot_work *r) {
    return work_complain(&r->work, EXIT_BAD_DATA,
                         "%s: no columns x, y, z, qw, qx, qy, qz, or m11, m12, ... in the header; "
                         "describe the points with --manifold and --columns",
                         r->path);
}

static int read_array(robot_work *r) {
    if (!r->options->data.settings.manifold)
        return unknown_points(r);
    return work_check(&r->work, rm2_data_read(r->work.ctx, r->path, &r->options->data.settings,
                                              &r->data, NULL, NULL));
}

static int read_text(robot_work *r) {
    rm2_data_settings *s = &r->options->data.settings;
    robot_columns c = {.r = r, .settings = s};
    rm2_csv_settings csv = rm2_csv_settings_default();
    rm2_table table;
    csv.delimiter = s->delimiter;
    csv.text = &s->group; /* given by its number, it says nothing of a header */
    csv.text_count = s->group != NULL;
    csv.choose = choose_columns;
    csv.user = &c;
    rm2_status status = rm2_csv_read(r->work.ctx, r->path, &csv, &table);
    free(c.numeric);
    if (c.unknown)
        return unknown_points(r);
    if (status == RM2_OK)
        status = rm2_data_from_table(r->work.ctx, r->path, &table, s, &r->data, NULL, NULL);
    rm2_table_clear(&table);
    s->columns = NULL; /* was perhaps ours */
    return work_check(&r->work, status);
}

static int check_time(const robot_work *r) {
    const rm2_data *d = r->data;
    for (size_t i = 1, t = 1; d->time && i < d->count; i++) {
        bool first = t < d->trajectories && i == d->starts[t];
        t += first;
        if (!first && !(d->time[i] > d->time[i - 1]))
            return work_complain(&r->work, EXIT_BAD_DATA,
                                 "%s, %s %zu, column %s: time %g does not come after %g", r->path,
                                 d->row_word, d->rows[i], r->options->data.settings.time,
                                 d->time[i], d->time[i - 1]);
    }
    return EXIT_DONE;
}

static int read_targets(robot_work *r) {
    const rm2_data *d = r->data;
    size_t entries = d->count * rm2_manifold_ambient(d->manifold);
    r->targets = malloc(entries * sizeof *r->targets);
    if (!r->targets)
        return work_no_memory(&r->work);
    rm2_data_original(d, r->targets);
    return EXIT_DONE;
}

int robot_read(robot_work *r) {
    bool array = has_ending(r->path, ".npy") || has_ending(r->path, ".npz");
    int code = array ? read_array(r) : read_text(r);
    if (code == EXIT_DONE)
        code = check_time(r);
    if (code == EXIT_DONE)
        code = read_targets(r);
    if (code == EXIT_DONE)
        code = work_check(&r->work,
                          rm2_arm_task_from_manifold(r->work.ctx, r->data->manifold, &r->task));
    return code;
}
