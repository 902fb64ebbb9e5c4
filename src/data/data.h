/* Data sets inside the library: making them, and the steps between a file and a data set.
 *
 * The settings are looked at first (settings.c). Then
 *
 *   file -> raw table -> points -> validated -> signs aligned -> thinned, split -> scaled -> report
 *           raw_*.c      convert.c  validate.c   signs.c          split.c          data.c report.c
 */
#ifndef RM2I_DATA_H
#define RM2I_DATA_H

#include "riemann2/data.h"

/* ---- making data sets (data.c) -------------------------------------------------------------- */

/* Everything allocated: points 0, rows 0..count-1, ids "0", "1", ..., scale 1, no time, no labels.
 * starts are 0 and the caller's to fill; NULL if trajectories is 0. */
rm2_status rm2i_data_create(rm2_context *ctx, const char *manifold_spec, const char *source,
                            size_t count, size_t trajectories, rm2_data **data);
rm2_status rm2i_data_set_labels(rm2_context *ctx, rm2_data *data, size_t label_count,
                                const char *const *names);
rm2_status rm2i_data_set_time(rm2_context *ctx, rm2_data *data);
void rm2i_strings_free(char **strings, size_t count);

/* "line 12" or "point 11 (trajectory 2, point 3)": where a point came from, for messages. */
typedef struct rm2i_input_place {
    char text[96];
} rm2i_input_place;
rm2i_input_place rm2i_data_place(const rm2_data *data, size_t point);

/* ---- a file's numbers, before they are points (raw_table.c, raw_array.c) -------------------- */

typedef struct rm2i_codes {
    size_t *code; /* one a row, or NULL if there is no such column */
    char **names;
    size_t count;
} rm2i_codes;

typedef struct rm2i_raw {
    size_t rows, width;
    double *values;  /* rows x width: the columns chosen, in their order */
    char **names;    /* width, or NULL */
    size_t *columns; /* width: which of the file's they are, from 0; NULL: all of them */
    size_t *numbers; /* rows: line or index */
    bool lines;
    double *time; /* rows, or NULL */
    rm2i_codes group, label;
} rm2i_raw;

void rm2i_raw_free(rm2i_raw *raw);
rm2_status rm2i_raw_from_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               rm2i_raw *raw);
/* The same from a table that was read before; takes over what it needs of it. */
rm2_status rm2i_raw_take_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               rm2_table *table, rm2i_raw *raw);
/* `width` is what the manifold and the options ask for: it tells the shapes apart. */
rm2_status rm2i_raw_from_array(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               size_t width, rm2i_raw *raw);
bool rm2i_has_extension(const char *path, const char *extension);

/* ---- settings (settings.c) ------------------------------------------------------------------- */

/* Failure if a setting cannot have an effect on this file and manifold, or Euler angles have no order. */
/* The caller's settings over the defaults, checked; what is automatic and does not depend on the manifold
 * is decided. */
rm2_status rm2i_data_take_settings(rm2_context *ctx, const rm2_data_settings *given,
                                   rm2_data_settings *own);
/* Are the Euclidean factors of these data to be scaled? */
bool rm2i_data_scales(const rm2_data_settings *s, const rm2_data *data);
rm2_status rm2i_check_settings(rm2_context *ctx, const char *path, const rm2_manifold *m,
                               const rm2_data_settings *s);

/* ---- conversion to points (convert.c, orientation.c) ---------------------------------------- */

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

/* ---- validation, signs, split, report ------------------------------------------------------- */

/* Convert raw rows to points of data->manifold, projecting those nearly on it; fills worst_defect,
 * worst_row, projected, warned of the report. May take over raw->values. */
rm2_status rm2i_validate(rm2_context *ctx, const rm2_data_settings *s, rm2i_raw *raw,
                         rm2_data *data, rm2_data_report *report);
/* Choose q or -q for each S3 and SO3 factor; fills sign_flips and sign_jumps. */
void rm2i_align_signs(rm2_data *data, rm2_data_report *report);
/* Points whose signs others take. */
typedef struct rm2i_sign_reference {
    size_t count, first; /* points; of the first trajectory, 0: there is none */
    const double *points;
} rm2i_sign_reference;
/* Each trajectory as a whole takes the sign that agrees with the reference's first at equal phases, or
 * with the nearest points where that has none; points without trajectories that of the nearest. */
void rm2i_align_signs_with(rm2_data *data, const rm2i_sign_reference *reference);
/* Keep `thin` evenly spaced points of each trajectory. */
rm2_status rm2i_thin(rm2_context *ctx, rm2_data **data, size_t thin);
/* Keep only the trajectories named in `ids`. */
rm2_status rm2i_select(rm2_context *ctx, rm2_data **data, const char *ids);
/* Move the trajectories named in `ids` out of *data. */
rm2_status rm2i_hold_out(rm2_context *ctx, rm2_data **data, const char *ids, rm2_data **held_out);
/* The rest of the report. */
rm2_status rm2i_describe(rm2_context *ctx, const rm2_data *data, rm2_data_report *report);

/* Next item of "a,b,c": sets *length, returns its start and moves *list past it; NULL at the end.
 */
const char *rm2i_next_item(const char **list, size_t *length);

#endif
