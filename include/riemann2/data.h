/* Data sets: points on a manifold, in trajectories, with labels and time. They come from files or
 * arrays, are validated and converted to the library's conventions. The library also generates four
 * example data sets. */
#ifndef RIEMANN2_DATA_H
#define RIEMANN2_DATA_H

#include "riemann2/base.h"
#include "riemann2/io.h"
#include "riemann2/manifold.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A data set. Only the library makes data sets (rm2_data_read, rm2_data_create, rm2_data_generate,
 * rm2_data_align). They never change once they are made, so that any number of threads may share
 * one; later versions may add members at the end. A trajectory is a run of consecutive points; data
 * without trajectories have 0 of them. */
typedef struct rm2_data {
    const rm2_manifold *manifold;
    const char *source;   /* file name, or the name given by the caller */
    size_t count;         /* number of points */
    const double *points; /* count x ambient, Euclidean factors divided by their scale */
    const size_t *rows;   /* count: number of each point in its source, for messages */
    const char *row_word; /* "line" of a text file, "row" of an array file, or "point" */
    size_t trajectories;
    const size_t *starts;   /* trajectories + 1: first point of each, and count; NULL if none */
    const char *const *ids; /* trajectories */
    const double *time;     /* count, or NULL */
    const size_t *labels;   /* count: index into label_names, or NULL */
    const char *const *label_names;
    size_t label_count;
    const double *scale; /* factors: divisor of the Euclidean entries (1: not scaled) */
    size_t missing;      /* number of missing entries (NaN): rm2_data_settings.allow_missing */
    double shrinkage;    /* rm2_data_settings.shrinkage of SPD factors */
    size_t singular;     /* number of SPD matrices that were singular within rounding when read */
    size_t singular_row; /* row of the first singular matrix, as in `rows` */
} rm2_data;

/* Data sets count their references: retain adds one, free removes one, and the last free releases
 * the data. NULL is allowed in both calls. */
RM2_API rm2_data *rm2_data_retain(const rm2_data *data);
RM2_API void rm2_data_free(rm2_data *data);

/* ---- settings ------------------------------------------------------------------------------- */

typedef enum rm2_quat_order {
    /* From header names (qw, qx, qy, qz); without them wxyz, and the report says that it was
     * assumed. */
    RM2_QUAT_AUTO,
    RM2_QUAT_WXYZ,
    RM2_QUAT_XYZW
} rm2_quat_order;

typedef enum rm2_orientation {
    RM2_ORIENTATION_AUTO, /* Euler angles if `euler` is given, else quaternions */
    RM2_ORIENTATION_QUATERNION,
    RM2_ORIENTATION_MATRIX, /* 9 entries by rows */
    RM2_ORIENTATION_ROTVEC, /* axis times angle in radians */
    RM2_ORIENTATION_EULER   /* three angles in the order of `euler` */
} rm2_orientation;

typedef enum rm2_spd_layout {
    RM2_SPD_FULL,   /* n*n by rows */
    RM2_SPD_UPPER,  /* upper triangle by rows */
    RM2_SPD_LOWER,  /* lower triangle by rows */
    RM2_SPD_FSL,    /* xx xy xz yy yz zz */
    RM2_SPD_MRTRIX, /* xx yy zz xy xz yz */
    RM2_SPD_ANTS    /* xx xy yy xz yz zz, also dipy */
} rm2_spd_layout;

/* Rule for scaling. Each scaled Euclidean factor is divided by one scalar, the root of the mean of
 * its column variances, so that factors weigh about the same. */
typedef enum rm2_scale_rule {
    RM2_SCALE_NONE,
    RM2_SCALE_ALL,
    /* Scale the Euclidean factors of products, if the data have at least two points and no entry
     * may be missing. */
    RM2_SCALE_AUTO
} rm2_scale_rule;

/* Settings of reading and checking data. Settings that cannot take effect, such as `angles` if no
 * factor is S1, are rejected. Defaults and ranges are in the table (RM2_SETTINGS_DATA) and in
 * docs/settings.md. */
typedef struct rm2_data_settings {
    size_t size;          /* as rm2_data_settings_default sets it */
    const char *manifold; /* spec; required for files, NULL for data in memory */
    /* Columns of the points: names, numbers from 0, ranges of numbers, as in "a,b,3-380"; a name
     * with a comma, or one that looks like a range, stands in double quotes. NULL: all columns
     * without another role. */
    const char *columns;
    /* Column (in a file of named arrays: array) of trajectory ids; NULL: none. */
    const char *group;
    const char *label; /* column of labels; NULL: none */
    const char *time;  /* column of time; NULL: none */
    /* Array of points in an .npz or .mat; NULL: "points", or the only one that fits. */
    const char *array;
    /* 0: found from the first line (comma, tab, semicolon, blanks). */
    char delimiter;
    rm2_header header;
    rm2_quat_order quat_order;
    rm2_orientation orientation; /* representation of S3 and SO3 factors */
    /* Order of Euler angles, from first to last: "xyz" for fixed axes, "XYZ" for turning axes, and
     * any other order of the letters. */
    const char *euler;
    bool degrees; /* Euler and joint angles are in degrees */
    bool angles;  /* S1 factors are given as one angle each */
    rm2_spd_layout spd_layout;
    bool unit_diagonal; /* the triangle has no diagonal: ones are added (correlations) */
    /* S3, SO3: choose q or -q along and across trajectories (default). */
    bool align_signs;
    size_t thin;         /* keep this many evenly spaced points of each trajectory; 0: all */
    const char *holdout; /* "2,5": trajectories set aside, by id; NULL: none */
    const char *select;  /* "2,5": the only trajectories kept; NULL: all */
    bool allow_missing;  /* NaN is a missing entry: Euclidean entries, or whole factors */
    rm2_scale_rule scale;
    /* Points with a defect up to project_below (1e-6) are projected silently, but counted; with a
     * defect up to warn_below (1e-3) they are projected with a warning; a larger defect is an
     * error. */
    double project_below;
    double warn_below;
    /* Shrinkage of SPD matrices: A becomes (1 - s) A + s tr(A)/n I; 0: none. */
    double shrinkage;
    const char *ignore; /* columns to leave out, written like `columns`; NULL: none */
} rm2_data_settings;

static inline rm2_data_settings rm2_data_settings_default(void) {
    rm2_data_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_DATA), 0, &settings);
    return settings;
}

/* Findings about one factor; `riemann2 check` prints the report. */
typedef struct rm2_factor_report {
    double worst_defect;
    size_t worst_row;    /* row of the worst defect, as in rm2_data.rows */
    size_t projected;    /* number of points moved onto the manifold */
    size_t warned;       /* number of these that were further off than project_below */
    size_t sign_flips;   /* quaternions whose sign was changed */
    size_t sign_jumps;   /* neighbours in a trajectory that still turn by more than 90 degrees */
    bool order_assumed;  /* the order of quaternions was unknown: wxyz was assumed */
    size_t near_cut;     /* points within 0.1 of the cut locus of the mean */
    double spread;       /* root mean squared distance from the mean */
    double farthest;     /* largest distance from the mean */
    size_t rank;         /* numerical rank of the tangent coordinates at the mean */
    bool mean_found;     /* false: spread, farthest, near_cut and rank are unknown */
    double condition;    /* SPD: largest condition number; else 0 */
    double magnitude;    /* root mean squared entry: shows unusual scales */
    size_t singular;     /* SPD: matrices that are singular within rounding; models refuse them */
    size_t singular_row; /* row of the first singular matrix */
} rm2_factor_report;

/* Columns of Euclidean factors that may have another meaning than a coordinate. */
typedef enum rm2_oddity {
    RM2_ODD_CONSTANT, /* has one value */
    RM2_ODD_STEADY,   /* runs evenly along every trajectory, as time or an index does */
    RM2_ODD_TINY      /* varies less than a thousandth of the factor's widest column */
} rm2_oddity;

typedef struct rm2_odd_column {
    size_t factor, entry; /* entry of the factor, both from 0 */
    rm2_oddity kind;
} rm2_odd_column;

typedef struct rm2_data_report {
    size_t size; /* sizeof(rm2_data_report), set by the caller */
    size_t factors;
    rm2_factor_report *factor;
    size_t duplicates;        /* points equal to the one before them */
    size_t shortest, longest; /* points of the shortest and longest trajectory */
    size_t time_reversals;    /* points whose time is not later than that of the point before */
    size_t odd_columns;
    rm2_odd_column *odd_column;
} rm2_data_report;

RM2_API void rm2_data_report_clear(rm2_data_report *report);

/* ---- reading -------------------------------------------------------------------------------- */

/* Read a data set. The extension selects the format: .csv .tsv .txt .npy .npz, and formats of the
 * context such as .mat (rm2_mat_register).
 *
 * @param ctx  context
 * @param path  the file
 * @param settings  settings of reading; settings.manifold is required
 * @param data  result, freed with rm2_data_free
 * @param held_out  result: the trajectories named in settings.holdout; NULL: they are dropped
 * @param report  result, emptied with rm2_data_report_clear, or NULL
 */
RM2_API rm2_status rm2_data_read(rm2_context *ctx, const char *path,
                                 const rm2_data_settings *settings, rm2_data **data,
                                 rm2_data **held_out, rm2_data_report *report);

/* ---- data in memory ------------------------------------------------------------------------- */

/* Arrays of a data set; all are copied. Set members to zero that you do not have. */
typedef struct rm2_data_arrays {
    size_t size;                  /* sizeof(rm2_data_arrays), set by the caller */
    const rm2_manifold *manifold; /* required; retained */
    const char *source;           /* name in messages and model files; NULL: "memory" */
    size_t count;                 /* points, at least 1 */
    /* Numbers per point; 0: the number that manifold and settings require. */
    size_t width;
    const double *points; /* count x width */
    /* Trajectories: given by their first points, or by one id per point; without any, the points
     * are separate. */
    size_t trajectories;
    const size_t *starts;         /* trajectories + 1: first point of each, and count */
    const char *const *ids;       /* trajectories: ids that belong to starts; NULL: "0", "1", ... */
    const int64_t *group_numbers; /* count: ids; equal ids are consecutive */
    const char *const *group_texts; /* count: ids as texts */
    const double *time;             /* count */
    /* Labels: as indices with names, or as one text per point. */
    const size_t *labels; /* count: index into label_names */
    const char *const *label_names;
    size_t label_count;
    const char *const *label_texts; /* count */
    /* Shrinkage that was already applied to the matrices: rm2_data.shrinkage of the copy; 0:
     * none. */
    double shrunk;
} rm2_data_arrays;

/* Make a data set from arrays, which are checked, converted, projected, sign-aligned, split, scaled
 * and reported like the numbers of a file. Messages name points by their index, from 0.
 *
 * @param ctx  context
 * @param arrays  the data, copied
 * @param settings  may not name columns or a manifold; NULL: the defaults
 * @param data  result, freed with rm2_data_free
 * @param held_out  result: the trajectories named in settings.holdout; NULL: they are dropped
 * @param report  result, emptied with rm2_data_report_clear, or NULL
 */
RM2_API rm2_status rm2_data_create(rm2_context *ctx, const rm2_data_arrays *arrays,
                                   const rm2_data_settings *settings, rm2_data **data,
                                   rm2_data **held_out, rm2_data_report *report);

/* ---- use ------------------------------------------------------------------------------------ */

/* Copy data and give its quaternions (S3, SO3) the signs of a reference, such as a model's training
 * data. Each trajectory as a whole takes the sign that agrees with the reference's first trajectory
 * at equal phases; without trajectories, each point takes the sign of the nearest reference point.
 * Missing points stay. */
RM2_API rm2_status rm2_data_align(rm2_context *ctx, const rm2_data *data, const rm2_data *reference,
                                  rm2_data **aligned);
/* Align n points of your own on the reference's manifold in place, each point alone. */
RM2_API void rm2_data_align_points(const rm2_data *reference, size_t n, double *points);

/* Regularise the SPD matrices of n points of your own in place, as those of the reference were
 * (reference->shrinkage). Use this for new data of a model whose training data are the reference.
 * Missing entries stay. */
RM2_API void rm2_data_regularise_points(const rm2_data *reference, size_t n, double *points);

/* Write the points in their original units: count x ambient. */
RM2_API void rm2_data_original(const rm2_data *data, double *points);
/* Convert n points in the units of data->points to their original units, in place. */
RM2_API void rm2_data_unscale(const rm2_data *data, size_t n, double *points);

/* Write a file whose format is given by the extension, .csv .tsv .npy .npz: trajectory id (column
 * "demo"), time, label, point. */
RM2_API rm2_status rm2_data_write(rm2_context *ctx, const rm2_data *data, const char *path,
                                  bool overwrite);

/* ---- examples ------------------------------------------------------------------------------- */

typedef struct rm2_generate_settings {
    size_t size; /* as rm2_generate_settings_default sets it */
    uint64_t seed;
    size_t trajectories; /* 0: the example's own number */
    /* Points per trajectory (connectome: points of the set); 0: the example's own number. */
    size_t points;
    bool scale; /* as in rm2_data_settings */
} rm2_generate_settings;

/* The defaults. The table has the seed and the sizes. */
static inline rm2_generate_settings rm2_generate_settings_default(void) {
    rm2_generate_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_GENERATE), 0, &settings);
    return settings;
}

/* Generate an example: toy (R2 x S2), robot (R3 x S3), manipulability (R2 x SPD2), connectome
 * (SPD15). `settings` may be NULL. */
RM2_API rm2_status rm2_data_generate(rm2_context *ctx, const char *name,
                                     const rm2_generate_settings *settings, rm2_data **data);
#ifdef __cplusplus
}
#endif
#endif
