/* --frame and --frame-poses of riemann2 geodesic: objects that were elsewhere in each demonstration. */
#include <stdlib.h>
#include <string.h>

#include "core/columns.h"
#include "geometry/geodesic.h"

/* A frame with a name, its poses to be found in the table. */
typedef struct named {
    const char *name;
    double *then; /* trajectories x ambient */
    bool *found;  /* trajectories */
} named;

static size_t trajectory_named(const rm2_data *d, const char *id) {
    for (size_t t = 0; t < d->trajectories; t++)
        if (strcmp(d->ids[t], id) == 0)
            return t;
    return SIZE_MAX;
}

static int copy_row(const model_work *m, const rm2_table *table, const column_list *points,
                    size_t row, const named *f) {
    const double *values = table->values + row * table->columns;
    size_t frame = rm2_table_column(table, "frame"), demo = rm2_table_column(table, "demo");
    const char *path = m->options->frame_poses;
    if (strcmp(table->texts[frame][(size_t)values[frame]], f->name) != 0)
        return EXIT_DONE;
    const char *id = table->texts[demo][(size_t)values[demo]];
    size_t t = trajectory_named(m->info->data, id);
    if (t == SIZE_MAX)
        return work_complain(&m->work, EXIT_BAD_DATA,
                             "%s, line %zu: the model has no demonstration '%s'", path,
                             table->lines[row], id);
    if (f->found[t])
        return work_complain(&m->work, EXIT_BAD_DATA,
                             "%s, line %zu: frame %s is listed twice for demonstration '%s'", path,
                             table->lines[row], f->name, id);
    f->found[t] = true;
    for (size_t k = 0; k < points->count; k++)
        f->then[t * points->count + k] = values[rm2_table_column(table, points->list[k])];
    return EXIT_DONE;
}

static int copy_rows(const model_work *m, const rm2_table *table, const column_list *points,
                     const named *f) {
    const rm2_data *d = m->info->data;
    int code = EXIT_DONE;
    for (size_t row = 0; row < table->rows && code == EXIT_DONE; row++)
        code = copy_row(m, table, points, row, f);
    for (size_t t = 0; t < d->trajectories && code == EXIT_DONE; t++)
        if (!f->found[t])
            code = work_complain(&m->work, EXIT_BAD_DATA,
                                 "%s: frame %s has no pose in demonstration '%s'",
                                 m->options->frame_poses, f->name, d->ids[t]);
    return code;
}

static int read_poses(const model_work *m, const named *f) {
    static const char *const texts[] = {"frame", "demo"};
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table;
    column_list points = {.count = 0};
    int code = columns_of_points(&points, m->info->manifold) ? EXIT_DONE : work_no_memory(&m->work);
    s.header = RM2_HEADER_YES;
    s.text = texts;
    s.text_count = 2;
    s.numeric = points.list;
    s.numeric_count = points.count;
    s.most_bytes = RM2_SMALL_FILE;
    if (code == EXIT_DONE) {
        code = work_check(&m->work, rm2_csv_read(m->work.ctx, m->options->frame_poses, &s, &table));
        if (code == EXIT_DONE) {
            code = copy_rows(m, &table, &points, f);
            rm2_table_clear(&table);
        }
    }
    columns_free(&points);
    return code;
}

/* "NAME=POSE" */
static int read_given(const model_work *m, char *text, rm2_task_frame *frame, double *memory,
                      bool *found) {
    char *pose = strchr(text, '=');
    size_t ambient = rm2_manifold_ambient(m->info->manifold);
    size_t T = m->info->data->trajectories;
    if (!pose)
        return work_complain(&m->work, EXIT_USAGE,
                             "--frame %s: expected start, goal, world or NAME=POSE", text);
    *pose++ = '\0';
    const char *end = motion_parse_entries(pose, ambient, memory + T * ambient);
    if (!end || *end)
        return work_complain(&m->work, EXIT_USAGE, "--frame %s: a point of %s has %zu numbers",
                             text, rm2_manifold_spec(m->info->manifold), ambient);
    if (!m->options->frame_poses)
        return work_complain(&m->work, EXIT_USAGE,
                             "--frame %s=... needs --frame-poses, its pose in each demonstration",
                             text);
    const named f = {text, memory, found};
    *frame = (rm2_task_frame){RM2_FRAME_GIVEN, memory, memory + T * ambient};
    return read_poses(m, &f);
}

static int parse_frame(const model_work *m, char *text, rm2_task_frame *frame, double *memory) {
    static const char *const kinds[] = {"start", "goal", "world"};
    for (size_t k = 0; k < 3; k++)
        if (strcmp(text, kinds[k]) == 0) {
            *frame = (rm2_task_frame){(rm2_task_frame_kind)k, NULL, NULL};
            return EXIT_DONE;
        }
    bool *found = calloc(m->info->data->trajectories + 1, sizeof *found);
    int code = found ? read_given(m, text, frame, memory, found) : work_no_memory(&m->work);
    free(found);
    return code;
}

int motion_parse_frames(const model_work *m, motion_frames *f) {
    const char *list = m->options->frames;
    size_t each = (m->info->data->trajectories + 1) * rm2_manifold_ambient(m->info->manifold);
    if (!list)
        return m->options->frame_poses
                   ? work_complain(&m->work, EXIT_USAGE, "--frame-poses needs --frame NAME=POSE")
                   : EXIT_DONE;
    f->texts = split_text(list, ';', &f->count);
    f->frame = calloc(f->count + 1, sizeof *f->frame);
    f->memory = calloc(f->count * each + 1, sizeof *f->memory);
    if (!f->texts || !f->frame || !f->memory)
        return work_no_memory(&m->work);
    int code = EXIT_DONE;
    for (size_t k = 0; k < f->count && code == EXIT_DONE; k++)
        code = parse_frame(m, f->texts[k], &f->frame[k], f->memory + k * each);
    return code;
}

void motion_free_frames(motion_frames *f) {
    free((void *)f->texts);
    free(f->frame);
    free(f->memory);
}
