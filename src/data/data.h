/* Data sets inside the library: making them, and the steps between a file or arrays and a data set.
 *
 * The settings are looked at first (settings.c). Then, on a draft that may still change (make.c),
 *
 *   file, arrays -> raw rows -> points -> validated -> signs -> thinned, split -> scaled -> report
 *                   raw_*.c     convert.c  validate.c   signs.c  split.c          scale.c   report.c
 *
 * and the draft becomes an rm2_data, which does not change any more (data.c). */
#ifndef RM2I_DATA_H
#define RM2I_DATA_H

#include "front/tables.h"
#include "io/io.h"
#include "riemann2/data.h"
#include "rows/rows.h"

/* ---- making data sets (data.c) -------------------------------------------------------------- */

/* What an rm2_data will be, with the same members. Zeroed memory is an empty draft. */
typedef struct rm2i_draft {
    rm2_manifold *manifold;
    char *source;
    size_t count;
    double *points;
    size_t *rows;
    const char *row_word; /* "line", "row" or "point" */
    size_t trajectories;
    size_t *starts;
    char **ids;
    double *time;
    size_t *labels;
    char **label_names;
    size_t label_count;
    double *scale;
    double shrinkage;
    size_t singular, singular_row;
    unsigned char
        *singular_at; /* count: singular matrices of each point; NULL: none, or not known */
} rm2i_draft;

/* Everything allocated: points 0, rows 0..count-1, ids "0", "1", ..., scale 1, no time, no labels.
 * starts are 0 and the caller's to fill; NULL if trajectories is 0. Empty on failure. */
rm2_status rm2i_draft_create(rm2_context *ctx, const rm2_manifold *manifold, const char *source,
                             size_t count, size_t trajectories, rm2i_draft *draft);
rm2_status rm2i_draft_set_labels(rm2_context *ctx, rm2i_draft *draft, size_t label_count,
                                 const char *const *names);
rm2_status rm2i_draft_set_time(rm2_context *ctx, rm2i_draft *draft);
void rm2i_draft_clear(rm2i_draft *draft);

/* The draft as others read it; valid while it does not change. */
rm2_data rm2i_draft_view(const rm2i_draft *draft);
/* All of a data set. */
rm2_status rm2i_draft_copy(rm2_context *ctx, const rm2_data *data, rm2i_draft *draft);
/* The data set, which takes over what the draft has; the draft is empty after it. */
rm2_status rm2i_draft_finish(rm2_context *ctx, rm2i_draft *draft, rm2_data **data);

/* "line 12", "row 11 (trajectory 2, point 3)", "point 11": where a point came from, for messages. */
typedef struct rm2i_input_place {
    char text[96];
} rm2i_input_place;
rm2i_input_place rm2i_data_place(const rm2_data *data, size_t point);

/* Failure if an entry is missing; `what` needs all of them. */
rm2_status rm2i_data_complete(rm2_context *ctx, const rm2_data *data, const char *what);

/* Failure if SPD matrices were singular when they were read. */
rm2_status rm2i_data_regular(rm2_context *ctx, const rm2_data *data);

/* ---- numbers, before they are points (raw_table.c, raw_array.c, raw_memory.c) ---------------- */

typedef struct rm2i_codes {
    size_t *code; /* one per row, or NULL if there is no such column */
    char **names;
    size_t count;
} rm2i_codes;

typedef struct rm2i_raw {
    size_t rows, width;
    double *values;  /* rows x width: the columns chosen, in their order */
    char **names;    /* width, or NULL */
    size_t *columns; /* width: which of the file's they are, from 0; NULL: all of them */
    size_t *numbers; /* rows: line or index */
    const char *row_word;
    double *time; /* rows, or NULL */
    rm2i_codes group, label;
} rm2i_raw;

void rm2i_raw_free(rm2i_raw *raw);
/* Numbers of rows, time and labels of raw rows to the draft; the time must be finite. */
rm2_status rm2i_copy_roles(rm2_context *ctx, const char *path, rm2i_raw *raw, rm2i_draft *draft);
/* Failure: rows of a trajectory that do not stand together, the second time from row `number` on. */
rm2_status rm2i_fail_again(rm2_context *ctx, const char *path, const rm2i_raw *raw, size_t number,
                           const char *id);
/* The name in model files: that of the file, without its folder. */
const char *rm2i_file_name(const char *path);
rm2_status rm2i_raw_from_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               rm2i_raw *raw);
/* The same for a part of the file, and where the parts of it are (raw_part.h). */
rm2_status rm2i_raw_part_of_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                  const rm2i_csv_part *part, rm2i_raw *raw);
rm2_status rm2i_raw_divide_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                 size_t parts, size_t *at, size_t *lines);
/* The same from a table that was read before; takes over what it needs of it. */
rm2_status rm2i_raw_consume_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                  rm2_table *table, rm2i_raw *raw);
/* What the manifold and the options ask for: the width tells shapes of arrays apart. */
typedef struct rm2i_wanted {
    const rm2_manifold *manifold;
    size_t width;
} rm2i_wanted;
rm2_status rm2i_raw_from_array(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               const rm2i_wanted *wanted, rm2i_raw *raw);
/* The same for some rows: `from` up to before `to`. Only those are read (raw_part.h). */
typedef struct rm2i_raw_rows {
    size_t from, to;
    size_t all; /* rows of the file; 0: not known, and set */
} rm2i_raw_rows;
rm2_status rm2i_raw_some_of_array(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                  const rm2i_wanted *wanted, rm2i_raw_rows *rows, rm2i_raw *raw);
rm2_status rm2i_raw_from_memory(rm2_context *ctx, const char *source, const rm2_data_arrays *arrays,
                                size_t width, rm2i_raw *raw);

/* Text of number i of a list; `room` is there for texts that must be made. */
enum { RM2I_TEXT_ROOM = 32 };
typedef const char *(*rm2i_text_of_fn)(const void *list, size_t i, char room[RM2I_TEXT_ROOM]);
/* Distinct texts in order of first appearance, and which of them each row has. */
rm2_status rm2i_code_texts(rm2_context *ctx, size_t rows, rm2i_text_of_fn text_of, const void *list,
                           rm2i_codes *codes);
/* first, first + 1, ..., first + count - 1 as names. */
rm2_status rm2i_number_names(rm2_context *ctx, size_t first, size_t count, char **names);

/* ---- settings (settings.c) ------------------------------------------------------------------- */

/* The caller's settings over the defaults, checked; what is automatic and does not depend on the manifold
 * is decided. `file`: data come from one, so that a manifold must be named. */
rm2_status rm2i_data_settings_overlay(rm2_context *ctx, const rm2_data_settings *given, bool file,
                                      rm2_data_settings *own);
/* Are the Euclidean factors of n points to be scaled? */
bool rm2i_data_scales(const rm2_data_settings *s, const rm2_manifold *manifold, size_t n);
/* Failure if a setting cannot have an effect on this file (NULL: data in memory) and manifold, or Euler
 * angles have no order. */
rm2_status rm2i_check_settings(rm2_context *ctx, const char *path, const rm2_manifold *m,
                               const rm2_data_settings *s);

/* ---- conversion to points (width.c, convert.c, orientation.c) -------------------------------- */

/* Numbers per point that manifold and options ask for. */
rm2_status rm2i_total_width(rm2_context *ctx, const rm2_manifold *m, const rm2_data_settings *s,
                            size_t *total);
/* Failure if the rows have another width: says what would fit. */
rm2_status rm2i_check_width(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                            const rm2i_wanted *wanted, const rm2i_raw *raw);
/* Numbers a file has for this factor, under these options. */
rm2_status rm2i_input_width(rm2_context *ctx, const rm2_factor *f, const rm2_data_settings *s,
                            size_t *width);
/* One row of a factor to its ambient point. Returns the defect of the input that the point no
 * longer shows (rotation matrices), else 0. */
double rm2i_convert(const rm2_factor *f, const rm2_data_settings *s, rm2_quat_order order,
                    const double *in, double *out);
bool rm2i_is_orientation(const rm2_factor *f); /* S3 or SO3 */
bool rm2i_is_circle(const rm2_factor *f);      /* S1 */

double rm2i_matrix_to_quaternion(const double R[9], double q[4]);
void rm2i_rotvec_to_quaternion(const double v[3], double q[4]);
void rm2i_euler_to_quaternion(const double angles[3], const char *order, double q[4]);
bool rm2i_euler_order_valid(const char *order);

/* Layouts of SPD(n) with this many entries; n x n matrix of one. */
size_t rm2i_spd_entries(size_t n, rm2_spd_layout layout, bool unit_diagonal);
void rm2i_spd_unpack(size_t n, rm2_spd_layout layout, bool unit_diagonal, const double *in,
                     double *out);
const char *rm2i_spd_layout_name(rm2_spd_layout layout);
enum { RM2I_SPD_LAYOUTS = RM2_SPD_ANTS + 1 };

/* ---- validation, signs, split, scale, report ------------------------------------------------ */

/* Convert raw rows to points of draft->manifold, projecting those nearly on it; fills worst_defect,
 * worst_row, projected, warned of the report. May take over raw->values. What users must know of it is logged by
 * rm2i_log_validated, for `count` points. */
void rm2i_log_validated(rm2_context *ctx, const rm2_data_settings *s, const rm2i_draft *draft,
                        size_t count, const rm2_data_report *report);
rm2_status rm2i_validate(rm2_context *ctx, const rm2_data_settings *s, rm2i_raw *raw,
                         rm2i_draft *draft, rm2_data_report *report);
/* Choose q or -q for each S3 and SO3 factor; fills sign_flips and sign_jumps. `rows` (NULL:
 * these are all) are those of the draft. */
rm2_status rm2i_align_signs(rm2_context *ctx, const rm2i_rows *rows, rm2i_draft *draft,
                            rm2_data_report *report);
/* Keep `thin` evenly spaced points of each trajectory. */
rm2_status rm2i_thin(rm2_context *ctx, rm2i_draft *draft, size_t thin);
/* Keep only the trajectories named in `ids`. */
rm2_status rm2i_select(rm2_context *ctx, rm2i_draft *draft, const char *ids);
/* Move the trajectories named in `ids` out of the draft. */
rm2_status rm2i_hold_out(rm2_context *ctx, rm2i_draft *draft, const char *ids,
                         rm2i_draft *held_out);
/* The points that are marked (trajectories as a whole) and the rest as two data sets. Where the data are scaled, both are by the
 * numbers of the rest. */
rm2_status rm2i_data_divide(rm2_context *ctx, const rm2_data *data, const bool *marked,
                            rm2_data **rest, rm2_data **part);
/* Both data sets as one, in the units of the first, whose source is that of all (join.c). */
rm2_status rm2i_data_join(rm2_context *ctx, const rm2_data *first, const rm2_data *second,
                          rm2_data **both);
/* Entries of Euclidean factors are at most this: (2e150)^2 = 4e300, so that squared distances of ten million entries add up
 * without overflow. Scales are between the two, also in model files: 1/scale times such an entry does not overflow. */
#define RM2I_ENTRY_MOST 1e150
#define RM2I_UNIT_LEAST 1e-300

/* Are entries of a Euclidean factor so small that their squares vanish? This and the following are
 * about all rows. */
bool rm2i_scale_vanishes(const rm2i_draft *draft, const rm2i_rows *rows);
/* Divide each Euclidean factor by the root of the mean of its column variances; held_out, if there is
 * one, by the same numbers. */
rm2_status rm2i_scale(rm2_context *ctx, const rm2i_rows *rows, rm2i_draft *draft,
                      rm2i_draft *held_out);
/* n points in original units to those of the data set (rm2_data_unscale is the way back). */
void rm2i_data_scale(const rm2_data *data, size_t n, double *points);
/* Odd columns of the report. */
rm2_status rm2i_describe_columns(rm2_context *ctx, const rm2_data *data, rm2_data_report *report);
/* The rest of the report, with them. */
rm2_status rm2i_describe(rm2_context *ctx, const rm2_data *data, rm2_data_report *report);

/* Next item of "a,b,c": sets *length, returns its start and moves *list past it; NULL at the end.
 */
const char *rm2i_next_item(const char **list, size_t *length);

#endif
