/* Arms from CSV files: a row a link, columns a, d, alpha, theta, lower, upper, speed and perhaps radius in any order, or
 * in this one without a header. All joints are revolute. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "front/tables.h"
#include "riemann2/io.h"
#include "robot/robot.h"

static const char *const names[] = {"a",     "d",     "alpha", "theta",
                                    "lower", "upper", "speed", "radius"};
enum { COLUMNS = sizeof names / sizeof names[0], REQUIRED = 4, RADIUS = COLUMNS - 1 };

static rm2_status wrong_columns(rm2_context *ctx, const char *path, const char *what) {
    return rm2i_fail(ctx, RM2_ERR_DATA,
                     "%s: %s; the columns of an arm are a, d, alpha, theta, lower, upper, speed, "
                     "and perhaps radius (modified Denavit-Hartenberg, revolute joints, radians)",
                     path, what);
}

/* Every column must be one of ours: another one may mean something that would be ignored. */
static rm2_status find_columns(rm2_context *ctx, const char *path, const rm2_table *table,
                               size_t column[COLUMNS]) {
    char what[96];
    (void)snprintf(what, sizeof what, "%zu columns", table->columns);
    if (table->columns != COLUMNS && table->columns != RADIUS)
        return wrong_columns(ctx, path, what);
    column[RADIUS] = SIZE_MAX;
    for (size_t k = 0; k < table->columns; k++) {
        column[k] = table->names ? rm2_table_column(table, names[k]) : k;
        (void)snprintf(what, sizeof what, "no column %s", names[k]);
        if (column[k] == SIZE_MAX)
            return wrong_columns(ctx, path, what);
    }
    return RM2_OK;
}

static rm2_link link_of_row(const double *row, const size_t column[COLUMNS]) {
    double v[RADIUS];
    for (size_t k = 0; k < RADIUS; k++)
        v[k] = row[column[k]];
    return (rm2_link){.a = v[0],
                      .d = v[1],
                      .alpha = v[2],
                      .theta = v[3],
                      .lower = isnan(v[4]) ? -INFINITY : v[4],
                      .upper = isnan(v[5]) ? INFINITY : v[5],
                      .speed = isnan(v[6]) ? INFINITY : v[6]};
}

static rm2_status make(rm2_context *ctx, const char *path, const rm2_table *table, rm2_arm **arm) {
    size_t column[COLUMNS] = {0};
    rm2_link links[RM2_ARM_MAX_LINKS];
    double radii[RM2_ARM_MAX_LINKS];
    RM2_TRY(find_columns(ctx, path, table, column));
    for (size_t i = 0; i < table->rows && i < RM2_ARM_MAX_LINKS; i++) {
        const double *row = table->values + i * table->columns;
        for (size_t k = 0; k < REQUIRED; k++)
            if (isnan(row[column[k]]))
                return rm2i_fail(ctx, RM2_ERR_DATA, "%s, line %zu, column %s: a number is missing",
                                 path, table->lines[i], names[k]);
        links[i] = link_of_row(row, column);
        radii[i] = column[RADIUS] == SIZE_MAX ? (double)NAN : row[column[RADIUS]];
        const char *problem = rm2i_link_problem(&links[i]);
        if (!problem && radii[i] <= 0)
            problem = "the radius of a link must be positive";
        if (problem)
            return rm2i_fail(ctx, RM2_ERR_DATA, "%s, line %zu: %s", path, table->lines[i], problem);
    }
    rm2_status status = rm2_arm_create(ctx, path, links, table->rows, arm);
    if (status == RM2_OK)
        status = rm2i_arm_default_bodies(ctx, *arm, radii);
    if (status != RM2_OK) {
        rm2_arm_free(*arm);
        *arm = NULL;
    }
    return status == RM2_ERR_ARGUMENT ? RM2_ERR_DATA : status;
}

rm2_status rm2i_arm_read(rm2_context *ctx, const char *path, rm2_arm **arm) {
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.allow_missing = true;
    settings.most_bytes = RM2_SMALL_FILE;
    rm2_table table;
    RM2_TRY(rm2_csv_read(ctx, path, &settings, &table));
    rm2_status status = make(ctx, path, &table, arm);
    rm2_table_clear(&table);
    return status;
}
